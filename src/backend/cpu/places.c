/* Where values belong in sorted lines: each halves what is left of its line. Lines of narrow dtypes are converted
 * first. */
#include "backend/cpu/kernel.h"
#include "backend/cpu/scratch.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/parallel.h"

typedef struct places {
    const fa__operand *lines, *values, *y;
    const fa__simd_class *k;
    fa__cpu_walk walk; /* over all values but those along the last dimension */
    int64_t length, inner;
    bool right, narrow; /* narrow: lines are of another dtype than the class */
    size_t room;        /* bytes of a line that is converted */
    _Atomic bool failed;
} places;

enum { TOGETHER = 64 };

/* The places of some values, each halving what is left of the line: left[i] elements from low[i] on. They go on step by
 * step together, so that a processor works on several at once; which half is left out is no jump, as it would guess it
 * wrong every other time. After a step they have the same number of elements left, or one less: `least`. NaN is above
 * all numbers, so that none in the line is before a value; as a value it is at the end. */
#define HALVE(BEFORE)                                                                                                  \
    for (; least > 0; least = (least - 1) / 2)                                                                         \
        for (int i = 0; i < count; i++) {                                                                              \
            const int64_t half = left[i] / 2;                                                                          \
            const int64_t before = -(int64_t)(x[(low[i] + half) * step] BEFORE value[i]);                              \
            low[i] += (half + 1) & before;                                                                             \
            left[i] = half + (((left[i] & 1) - 1) & before);                                                           \
        }                                                                                                              \
    for (int i = 0; i < count && n; i++)                                                                               \
        low[i] += left[i] & (x[(low[i] - (low[i] == n)) * step] BEFORE value[i]);
#define FIND(T)                                                                                                        \
    static void find_##T(const void *line, int64_t step, int64_t n, const void *values, int count, bool right,         \
                         int64_t *low)                                                                                 \
    {                                                                                                                  \
        const T *x = line, *value = values;                                                                            \
        int64_t left[TOGETHER], least = n;                                                                             \
        for (int i = 0; i < count; i++) {                                                                              \
            low[i] = 0;                                                                                                \
            left[i] = n;                                                                                               \
        }                                                                                                              \
        if (right) {                                                                                                   \
            HALVE(<=)                                                                                                  \
        } else {                                                                                                       \
            HALVE(<)                                                                                                   \
        }                                                                                                              \
        for (int i = 0; i < count; i++)                                                                                \
            low[i] = value[i] != value[i] ? n : low[i];                                                                \
    }
FIND(float)
FIND(double)
FIND(int32_t)
FIND(int64_t)

static void (*const find[FA__CLASSES])(const void *, int64_t, int64_t, const void *, int, bool,
                                       int64_t *) = {[FA__CLASS_F32] = find_float,
                                                     [FA__CLASS_F64] = find_double,
                                                     [FA__CLASS_I32] = find_int32_t,
                                                     [FA__CLASS_I64] = find_int64_t};

static void store_place(const fa__operand *y, int64_t to, int64_t place)
{
    if (y->dtype == FA_I32)
        ((int32_t *)y->data)[to] = (int32_t)place;
    else
        ((int64_t *)y->data)[to] = place;
}

/* Values number first..end of a row, whose line is at x. */
static void some_of_row(const places *s, const void *x, int64_t step, const int64_t o[3], int64_t first, int64_t end)
{
    int last = s->values->rank - 1;
    int64_t size = (int64_t)fa__dtype_size(s->values->dtype);
    int64_t value_step = last < 0 ? 0 : s->values->stride[last], to_step = last < 0 ? 0 : s->y->stride[last];
    for (int64_t i = first; i < end; i += TOGETHER) {
        _Alignas(8) char v[8 * TOGETHER];
        int64_t place[TOGETHER];
        const int count = (int)(end - i < TOGETHER ? end - i : TOGETHER);
        s->k->load[s->values->dtype](v, (const char *)s->values->data + (o[1] + i * value_step) * size, value_step,
                                     count);
        find[fa__class_of(s->lines->dtype)](x, step, s->length, v, count, s->right, place);
        for (int k = 0; k < count; k++)
            store_place(s->y, o[2] + (i + k) * to_step, place[k]);
    }
}

static void some_values(void *context, int64_t begin, int64_t end)
{
    places *s = context;
    int64_t step = s->lines->stride[s->lines->rank - 1], size = (int64_t)fa__dtype_size(s->lines->dtype);
    void *room = s->narrow ? fa__cpu_scratch(s->room) : NULL;
    const char *there = NULL; /* the line that was converted */
    if (s->narrow && !room) {
        atomic_store(&s->failed, true);
        return;
    }
    for (int64_t next; begin < end; begin = next) {
        int64_t row = begin / s->inner, first = begin - row * s->inner, o[3];
        fa__cpu_place(&s->walk, row, o);
        /* lines of nothing may be nowhere */
        const char *x = s->length ? (const char *)s->lines->data + o[0] * size : NULL;
        if (s->narrow && x != there)
            s->k->load[s->lines->dtype](room, there = x, step, s->length);
        next = begin - first + s->inner < end ? begin - first + s->inner : end;
        some_of_row(s, s->narrow ? room : x, s->narrow ? 1 : step, o, first, first + (next - begin));
    }
}

/* The lines as if they had the values' shape: one for all, or one for each row. */
static fa__operand lines_over(const fa__operand *lines, const fa__operand *values)
{
    fa__operand x = *lines;
    x.rank = values->rank;
    for (int d = 0; d < values->rank; d++)
        x.stride[d] = d < lines->rank - 1 ? lines->stride[d] : 0;
    return x;
}

KERNEL(sorted_places)
{
    const sorted_places_args *a = l->args;
    const fa__operand *y = &l->operand[0], *lines = &l->operand[1], *values = &l->operand[2];
    const fa__simd_class *k = fa__cpu_class(lines->dtype);
    fa__operand over = lines_over(lines, values);
    int last = values->rank - 1;
    places s = {.lines = lines,
                .values = values,
                .y = y,
                .k = k,
                .walk = fa__cpu_others(values->shape, values->rank, last, &over, values, y),
                .length = lines->shape[lines->rank - 1],
                .inner = last < 0 ? 1 : values->shape[last],
                .right = a->right,
                .narrow = k->dtype != lines->dtype};
    if (!fa__mul_size((size_t)s.length, k->size, &s.room))
        return fa__fail(FA_ERROR_MEMORY, "lines of %lld elements are too long", (long long)s.length);
    fa__parallel_for(s.walk.count * s.inner, 2048, some_values, &s);
    return !atomic_load(&s.failed);
}
