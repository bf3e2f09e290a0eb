/* The gradients of a norm's weight and bias, where these are sums over the first dimensions: both in one pass over
 * strips of columns, by the tree of reductions. */
#include "backend/cpu/kernel.h"
#include "base/alloc.h"
#include "base/integer.h"
#include "base/parallel.h"
#include <string.h>

enum { STRIP = 128 }; /* columns at a time */

typedef struct columns {
    const char *g, *x, *mean, *scale;
    char *sum, *product; /* (blocks, columns): of blocks of FA__BLOCK rows */
    const fa__simd_class *k;
    int64_t rows, columns, blocks, strips;
} columns;

static void some_strips(void *context, int64_t begin, int64_t end)
{
    const columns *s = context;
    const int64_t size = s->k->size;
    _Alignas(64) char chains[2 * FA__CHAINS * STRIP * 8];
    for (int64_t i = begin; i < end; i++) {
        int64_t block = i / s->strips, row = block * FA__BLOCK, column = i % s->strips * STRIP;
        int64_t at = (row * s->columns + column) * size, to = (block * s->columns + column) * size;
        s->k->column_products(s->sum + to, s->product + to, s->g + at, s->x + at, s->columns, s->mean + row * size,
                              s->scale + row * size, fa__min(FA__BLOCK, s->rows - row),
                              fa__min(STRIP, s->columns - column), chains);
    }
}

/* The sums of blocks become one, level by level. */
static void fold(const columns *s, char *sums)
{
    const int64_t size = s->k->size;
    _Alignas(64) char chains[FA__CHAINS * STRIP * 8];
    for (int64_t n = s->blocks, above; n > 1; n = above) {
        above = (n + FA__BLOCK - 1) / FA__BLOCK;
        for (int64_t b = 0; b < above; b++)
            for (int64_t at = 0; at < s->columns; at += STRIP)
                s->k->columns[FA__COMBINE_SUM](
                    sums + (b * s->columns + at) * size, sums + (b * FA__BLOCK * s->columns + at) * size, s->columns,
                    fa__min(FA__BLOCK, n - b * FA__BLOCK), fa__min(STRIP, s->columns - at), chains);
    }
}

/* Into the results themselves, unless there are several blocks. */
static bool make_room(columns *s, const fa__launch *l, char **room)
{
    size_t bytes = (size_t)(s->blocks * s->columns * s->k->size);
    *room = s->blocks > 1 ? fa__malloc(2 * bytes) : NULL;
    s->product = *room ? *room : l->operand[0].data;
    s->sum = *room ? *room + bytes : l->operand[1].data;
    return s->blocks <= 1 || *room;
}

KERNEL(standard_sums)
{
    const standard_sum_args *a = l->args;
    const fa__operand *o = l->operand, *x = &o[3];
    columns s = {.g = o[2].data, .x = x->data, .mean = o[4].data, .scale = o[5].data, .k = fa__cpu_class(x->dtype)};
    char *room;
    s.rows = s.columns = 1;
    for (int d = 0; d < x->rank; d++)
        *(a->set >> d & 1 ? &s.rows : &s.columns) *= x->shape[d];
    s.blocks = (s.rows + FA__BLOCK - 1) / FA__BLOCK;
    s.strips = (s.columns + STRIP - 1) / STRIP;
    if (!make_room(&s, l, &room))
        return false;
    fa__parallel_for(s.blocks * s.strips, 1 + FA__BLOCK / (8 * fa__min(s.rows, FA__BLOCK)), some_strips, &s);
    if (room) {
        size_t bytes = (size_t)(s.columns * s.k->size);
        fold(&s, s.product);
        fold(&s, s.sum);
        memcpy(l->operand[0].data, s.product, bytes);
        memcpy(l->operand[1].data, s.sum, bytes);
        fa__free(room);
    }
    return true;
}
