/* Softmax and its logarithm: each row is loaded, and computed on in the cache. */
#include "backend/cpu/kernel.h"
#include "backend/cpu/scratch.h"
#include "base/parallel.h"
#include <string.h>

typedef struct rows {
    const fa__operand *x, *y;
    const fa__simd_class *k;
    fa__cpu_walk walk;
    int64_t n, x_step, y_step;
    size_t x_size, y_size;
    bool log;
    _Atomic bool failed;
} rows;

static void fill(const rows *r, void *tile, double v)
{
    float narrow = (float)v;
    r->k->fill(tile, r->k->dtype == FA_F64 ? (const void *)&v : &narrow, r->n);
}

static double largest(const rows *r, void *x, void *work)
{
    int64_t n = r->n;
    memcpy(work, x, (size_t)n * r->k->size);
    do {
        r->k->blocks[FA__COMBINE_MAX](work, work, n);
        n = (n + FA__BLOCK - 1) / FA__BLOCK;
    } while (n > 1);
    return r->k->dtype == FA_F64 ? *(double *)work : (double)*(float *)work;
}

/* x becomes the row's result; a and b are as long. */
static void one_row(const rows *r, void *x, void *a, void *b)
{
    const fa__simd_class *k = r->k;
    fill(r, a, largest(r, x, b));
    k->prim[FA__PRIM_sub](x, x, a, NULL, r->n);
    k->prim[FA__PRIM_exp](a, x, NULL, NULL, r->n);
    if (!r->log)
        memcpy(x, a, (size_t)r->n * k->size);
    double sum = fa__cpu_sum(k, a, r->n);
    fill(r, b, sum);
    if (r->log) {
        k->prim[FA__PRIM_log](b, b, NULL, NULL, r->n);
        k->prim[FA__PRIM_sub](x, x, b, NULL, r->n);
    } else
        k->prim[FA__PRIM_div](x, x, b, NULL, r->n);
}

static void some_rows(void *context, int64_t begin, int64_t end)
{
    rows *r = context;
    size_t bytes = ((size_t)r->n * r->k->size + 63) & ~(size_t)63;
    char *x = fa__cpu_scratch(3 * bytes);
    if (!x) {
        atomic_store(&r->failed, true);
        return;
    }
    for (int64_t i = begin; i < end; i++) {
        int64_t o[3];
        fa__cpu_place(&r->walk, i, o);
        r->k->load[r->x->dtype](x, (const char *)r->x->data + o[0] * (int64_t)r->x_size, r->x_step, r->n);
        one_row(r, x, x + bytes, x + 2 * bytes);
        r->k->store[r->y->dtype]((char *)r->y->data + o[1] * (int64_t)r->y_size, r->y_step, x, r->n);
    }
}

static bool run(const fa__launch *l, int64_t dim, bool log)
{
    const fa__operand *y = &l->operand[0], *x = &l->operand[1];
    int d = fa__cpu_dim(x, dim);
    rows r = {.x = x,
              .y = y,
              .k = fa__cpu_class(y->dtype),
              .n = x->rank ? x->shape[d] : 1,
              .log = log,
              .x_size = fa__dtype_size(x->dtype),
              .y_size = fa__dtype_size(y->dtype)};
    r.x_step = x->rank ? x->stride[d] : 0;
    r.y_step = y->rank ? y->stride[d] : 0;
    r.walk = fa__cpu_others(x->shape, x->rank, d, x, y, NULL);
    if (r.n)
        fa__parallel_for(r.walk.count, 1 + 4096 / r.n, some_rows, &r);
    return !atomic_load(&r.failed);
}

KERNEL(softmax)
{
    return run(l, ((const softmax_args *)l->args)->dim, false);
}

KERNEL(log_softmax)
{
    return run(l, ((const softmax_args *)l->args)->dim, true);
}
