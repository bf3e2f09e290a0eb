/* Poisson numbers: computed in f64, in tiles. */
#include "backend/cpu/kernel.h"
#include "base/parallel.h"

enum { TILE = 128 };

typedef struct numbers {
    const fa__operand *x, *y;
    fa__cpu_walk walk; /* over all but the last dimension */
    fa__key key;
    int64_t inner;
} numbers;

/* Up to TILE neighbours of a row, from column `first` on. */
static void draw_tile(const numbers *s, int64_t row, int64_t first, int64_t count)
{
    const fa__simd_class *k = fa__cpu_simd->of[FA__CLASS_F64];
    int last = s->y->rank - 1;
    int64_t o[3], x_step = last < 0 ? 1 : s->x->stride[last], y_step = last < 0 ? 1 : s->y->stride[last];
    int64_t size = (int64_t)fa__dtype_size(s->y->dtype);
    double tile[TILE];
    fa__cpu_place(&s->walk, row, o);
    k->load[s->x->dtype](tile, (const char *)s->x->data + (o[0] + first * x_step) * size, x_step, count);
    fa__cpu_simd->poisson(tile, s->key, row * s->inner + first, count);
    k->store[s->y->dtype]((char *)s->y->data + (o[1] + first * y_step) * size, y_step, tile, count);
}

static void some_numbers(void *context, int64_t begin, int64_t end)
{
    const numbers *s = context;
    for (int64_t count; begin < end; begin += count) {
        count = fa__cpu_tile(begin, end, s->inner, TILE);
        draw_tile(s, begin / s->inner, begin % s->inner, count);
    }
}

KERNEL(poisson)
{
    const poisson_args *a = l->args;
    const fa__operand *y = &l->operand[0], *x = &l->operand[1];
    int last = y->rank - 1;
    numbers s = {.x = x,
                 .y = y,
                 .walk = fa__cpu_others(y->shape, y->rank, last, x, y, NULL),
                 .key = a->key,
                 .inner = last < 0 ? 1 : y->shape[last]};
    fa__parallel_for(s.walk.count * s.inner, 512, some_numbers, &s);
    return true;
}
