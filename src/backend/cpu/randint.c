/* Whole random numbers. */
#include "backend/cpu/kernel.h"
#include "backend/random.h"
#include "base/parallel.h"

enum { TILE = 256 };

typedef struct numbers {
    const fa__operand *y;
    fa__cpu_walk walk; /* over all but the last dimension */
    fa__key key;
    int64_t low, inner;
    uint64_t range;
} numbers;

/* The upper 64 bits of a product. */
static uint64_t upper_half(uint64_t a, uint64_t b)
{
    uint64_t a0 = (uint32_t)a, a1 = a >> 32, b0 = (uint32_t)b, b1 = b >> 32;
    uint64_t low = a1 * b0, high = a0 * b1;
    uint64_t middle = (a0 * b0 >> 32) + (uint32_t)low + (uint32_t)high;
    return a1 * b1 + (low >> 32) + (high >> 32) + (middle >> 32);
}

/* Up to TILE neighbours of a row, from column `first` on. */
static void fill_tile(const numbers *s, int64_t row, int64_t first, int64_t count)
{
    uint64_t bits[TILE];
    int64_t o[3], stride = s->y->rank ? s->y->stride[s->y->rank - 1] : 1, tile[TILE];
    fa__cpu_place(&s->walk, row, o);
    fa__cpu_simd->bits(bits, s->key, row * s->inner + first, count);
    for (int64_t i = 0; i < count; i++)
        tile[i] = (int64_t)((uint64_t)s->low + (s->range ? upper_half(bits[i], s->range) : bits[i]));
    char *to = (char *)s->y->data + (o[0] + first * stride) * (int64_t)fa__dtype_size(s->y->dtype);
    fa__cpu_class(FA_I64)->store[s->y->dtype](to, stride, tile, count);
}

static void some_numbers(void *context, int64_t begin, int64_t end)
{
    const numbers *s = context;
    for (int64_t count; begin < end; begin += count) {
        count = fa__cpu_tile(begin, end, s->inner, TILE);
        fill_tile(s, begin / s->inner, begin % s->inner, count);
    }
}

static bool fill(const fa__launch *l, fa__key key, int64_t low, int64_t high)
{
    const fa__operand *y = &l->operand[0];
    int last = y->rank - 1;
    numbers s = {.y = y,
                 .walk = fa__cpu_others(y->shape, y->rank, last, y, NULL, NULL),
                 .key = key,
                 .low = low,
                 .inner = last < 0 ? 1 : y->shape[last],
                 .range = fa__random_range(y->dtype, low, high)};
    fa__parallel_for(s.walk.count * s.inner, 4096, some_numbers, &s);
    return true;
}

KERNEL(randint)
{
    const randint_args *a = l->args;
    return fill(l, a->key, a->low, a->high);
}

KERNEL(randint_like)
{
    const randint_like_args *a = l->args;
    return fill(l, a->key, a->low, a->high);
}

KERNEL(random_)
{
    const random__args *a = l->args;
    return fill(l, a->key, a->from, a->to);
}
