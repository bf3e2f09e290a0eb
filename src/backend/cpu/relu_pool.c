/* relu and max pooling of windows of 2 x 2 in one pass, of f32, f16 and bf16 without gaps: plane by plane, two rows at
 * a time. Forward, planes of half precision with a NaN go through f32. */
#include "backend/cpu/kernel.h"
#include "backend/cpu/scratch.h"
#include "base/integer.h"
#include "base/parallel.h"
#include <stdatomic.h>
#include <string.h>

typedef struct planes {
    char *large, *small; /* with the elements, and with a number for each window */
    uint8_t *at;
    int64_t h, w; /* of the large planes */
    fa_dtype dtype;
    int64_t strip; /* pairs of rows at a time: those of half precision are converted into working memory */
    _Atomic bool failed;
} planes;

/* Elements of half precision that are converted at a time: both sides fit the first-level cache. */
enum { STRIP = 4096 };

static planes planes_of(const fa__operand *large, const fa__operand *small, const fa__operand *at)
{
    return (planes){.large = large->data,
                    .small = small->data,
                    .at = at->data,
                    .h = large->shape[large->rank - 2],
                    .w = large->shape[large->rank - 1],
                    .dtype = (fa_dtype)large->dtype,
                    .strip = 1 + STRIP / (2 * large->shape[large->rank - 1] + 1)};
}

static int64_t count_of(const fa__operand *x)
{
    return x->shape[x->rank - 3] * (x->rank == 4 ? x->shape[0] : 1);
}

static bool run(const fa__operand *x, planes *p, void (*each)(void *, int64_t, int64_t))
{
    fa__parallel_for(count_of(x), 1 + 32768 / (p->h * p->w), each, p);
    return !atomic_load(&p->failed);
}

/* Room for the rows of a strip as f32, and behind them for its windows; *room is NULL where they are used as they are.
 * False when memory runs out. */
static bool room_of(planes *p, float **room)
{
    *room = NULL;
    if (p->dtype == FA_F32)
        return true;
    *room = fa__cpu_scratch((size_t)(p->strip * (2 * p->w + p->w / 2)) * sizeof(float));
    if (!*room)
        atomic_store(&p->failed, true);
    return *room != NULL;
}

/* n elements from number `from` on: as they are, or converted into the room. */
static float *read(const planes *p, char *data, int64_t from, int64_t n, float *room)
{
    char *at = data + from * (int64_t)fa__dtype_sizes[p->dtype];
    if (!room)
        return (void *)at;
    if (n > 0)
        fa__cpu_simd->of[FA__CLASS_F32]->load[p->dtype](room, at, 1, n);
    return room;
}

/* What was written into the room, to the elements from number `from` on. */
static void write(const planes *p, char *data, int64_t from, int64_t n, const float *room)
{
    if (room && n > 0)
        fa__cpu_simd->of[FA__CLASS_F32]->store[p->dtype](data + from * (int64_t)fa__dtype_sizes[p->dtype], 1, room, n);
}

static uint16_t infinity_of(fa_dtype dtype)
{
    return dtype == FA_BF16 ? 0x7f80 : 0x7c00;
}

/* Element k of a plane of half precision */
static uint16_t *half_at(char *data, int64_t k)
{
    return (uint16_t *)(void *)data + k;
}

/* n planes from plane i on, if they are of half precision and without NaN */
static bool forward_halves(const planes *p, int64_t i, int64_t n)
{
    const int64_t to = i * (p->h / 2) * (p->w / 2);
    return p->dtype != FA_F32
           && fa__cpu_simd->relu_pool_halves(half_at(p->small, to), p->at + to, half_at(p->large, i * p->h * p->w),
                                             n * (p->h / 2), p->w, infinity_of(p->dtype));
}

/* How many of `left` planes are as one: those without a row that is in no window */
static int64_t together(const planes *p, int64_t left)
{
    return p->h % 2 == 0 ? left : 1;
}

/* A strip of `n` pairs of rows from pair r of plane i on */
static void forward_strip(const planes *p, int64_t i, int64_t r, int64_t n, float *room)
{
    const int64_t columns = p->w / 2, to = (i * (p->h / 2) + r) * columns;
    const float *x = read(p, p->large, (i * p->h + 2 * r) * p->w, 2 * n * p->w, room);
    float *const windows = room ? room + p->strip * 2 * p->w : NULL, *y = read(p, p->small, to, 0, windows);
    fa__cpu_simd->relu_pool_2x2(y, p->at + to, x, n, p->w);
    write(p, p->small, to, n * columns, windows);
}

static void forward(void *context, int64_t begin, int64_t end)
{
    planes *p = context;
    for (int64_t i = begin, n; i < end; i += n) {
        float *room;
        n = together(p, end - i);
        if (forward_halves(p, i, n))
            continue;
        if (!room_of(p, &room))
            return;
        const int64_t rows = n * (p->h / 2);
        for (int64_t r = 0; r < rows; r += p->strip)
            forward_strip(p, i, r, fa__min(p->strip, rows - r), room);
    }
}

static void backward_halves(const planes *p, int64_t i, int64_t n)
{
    const int64_t from = i * (p->h / 2) * (p->w / 2);
    fa__cpu_simd->relu_pool_halves_back(half_at(p->large, i * p->h * p->w), half_at(p->small, from), p->at + from,
                                        n * (p->h / 2), p->w, infinity_of(p->dtype));
}

static void backward_f32(const planes *p, int64_t i, int64_t n)
{
    const int64_t pairs = p->h / 2, from = i * pairs * (p->w / 2);
    fa__cpu_simd->relu_pool_2x2_back((float *)(void *)p->large + i * p->h * p->w,
                                     (const float *)(const void *)p->small + from, p->at + from, n * pairs, p->w);
}

static void backward(void *context, int64_t begin, int64_t end)
{
    const planes *p = context;
    const int64_t size = (int64_t)fa__dtype_sizes[p->dtype];
    for (int64_t i = begin, n; i < end; i += n) {
        n = together(p, end - i);
        if (p->dtype == FA_F32)
            backward_f32(p, i, n);
        else
            backward_halves(p, i, n);
        if (p->h & 1) /* a row that is in no window */
            memset(p->large + ((i + 1) * p->h - 1) * p->w * size, 0, (size_t)(p->w * size));
    }
}

KERNEL(relu_max_pool2d)
{
    const fa__operand *y = &l->operand[0], *at = &l->operand[1], *x = &l->operand[2];
    planes p = planes_of(x, y, at);
    return run(x, &p, forward);
}

KERNEL(relu_max_pool2d_back)
{
    const fa__operand *x = &l->operand[0], *gy = &l->operand[1], *at = &l->operand[2];
    planes p = planes_of(x, gy, at);
    return run(x, &p, backward);
}
