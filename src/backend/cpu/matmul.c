/* Matrix products of any rank: what is a batch is counted through, each matrix goes to the product of its dtype. */
#include "backend/cpu/kernel.h"
#include "base/error.h"
#include "base/parallel.h"

/* A batch of products: strides of the leading dimensions, and the first of them. */
typedef struct batch {
    fa__gemm first;
    int rank;
    int64_t count, shape[FA_MAX_DIMS], a[FA_MAX_DIMS], b[FA_MAX_DIMS], c[FA_MAX_DIMS];
    size_t size, c_size;
    fa__gemm_run *run;
    _Atomic bool failed;
} batch;

/* Strides of an operand's leading dimensions, counted from the last of them. */
static void lead(const fa__operand *x, int matrix, const batch *b, int64_t *stride)
{
    int own = x->rank - matrix;
    for (int i = 0; i < b->rank; i++) {
        int d = i - (b->rank - own);
        stride[i] = d < 0 || x->shape[d] == 1 ? 0 : x->stride[d];
    }
}

static void run_some(void *context, int64_t begin, int64_t end)
{
    batch *b = context;
    for (int64_t i = begin; i < end; i++) {
        fa__gemm g = b->first;
        int64_t rest = i, at = 0, bt = 0, ct = 0;
        for (int d = b->rank; d-- > 0; rest /= b->shape[d]) {
            int64_t k = rest % b->shape[d];
            at += k * b->a[d];
            bt += k * b->b[d];
            ct += k * b->c[d];
        }
        g.a = g.a ? (const char *)g.a + at * (int64_t)b->size : NULL; /* without elements there is no memory */
        g.b = g.b ? (const char *)g.b + bt * (int64_t)b->size : NULL;
        g.c = g.c ? (char *)g.c + ct * (int64_t)b->c_size : NULL;
        if (!b->run(&g))
            atomic_store(&b->failed, true);
    }
}

static bool run_batch(batch *b)
{
    if (b->count == 1)
        return b->run(&b->first);
    int64_t work = b->first.m * b->first.n * b->first.k;
    fa__parallel_for(b->count, work > 100000 ? b->count : 1 + 50000 / (work + 1), run_some, b);
    return !atomic_load(&b->failed);
}

/* The last two dimensions as a matrix; a vector is a row (of a) or a column (of b). */
static void matrix(const fa__operand *x, bool row, int64_t *rows, int64_t *columns, int64_t *row_step,
                   int64_t *column_step)
{
    int r = x->rank;
    bool vector = r == 1;
    *rows = vector ? (row ? 1 : x->shape[0]) : x->shape[r - 2];
    *columns = vector ? (row ? x->shape[0] : 1) : x->shape[r - 1];
    *row_step = vector ? (row ? 0 : x->stride[0]) : x->stride[r - 2];
    *column_step = vector ? (row ? x->stride[0] : 0) : x->stride[r - 1];
}

static bool product(const fa__launch *l)
{
    const fa__operand *c = &l->operand[0], *a = &l->operand[1], *b = &l->operand[2];
    batch all = {.first = {.a = a->data, .b = b->data, .c = c->data},
                 .count = 1,
                 .run = fa__cpu_gemm_of(a->dtype)->run[a->dtype]};
    fa__gemm *g = &all.first;
    matrix(a, true, &g->m, &g->k, &g->a_row, &g->a_col);
    matrix(b, false, &g->k, &g->n, &g->b_row, &g->b_col);
    bool row = a->rank > 1, column = b->rank > 1;
    all.rank = c->rank - row - column;
    g->c_row = row ? c->stride[all.rank] : 0;
    g->c_col = column ? c->stride[all.rank + row] : 0;
    for (int i = 0; i < all.rank; i++) {
        all.shape[i] = c->shape[i];
        all.c[i] = c->stride[i];
        all.count *= c->shape[i];
    }
    lead(a, row ? 2 : 1, &all, all.a);
    lead(b, column ? 2 : 1, &all, all.b);
    all.size = fa__dtype_size(a->dtype);
    all.c_size = fa__dtype_size(c->dtype);
    g->wide = c->dtype != a->dtype;
    return run_batch(&all);
}

KERNEL(matmul)
{
    return product(l);
}

KERNEL(matmul_f32)
{
    return product(l);
}

/* The rows of x are all its dimensions but the last; where they are not evenly spaced they are a batch. */
static uint64_t linear(const fa__launch *l, bool relu)
{
    const fa__operand *y = &l->operand[0], *x = &l->operand[1], *w = &l->operand[2], *bias = &l->operand[3];
    int last = x->rank - 1;
    batch all = {
        .first = {.a = x->data, .b = w->data, .c = y->data, .m = 1, .n = w->shape[0], .k = w->shape[1], .relu = relu},
        .count = 1,
        .run = fa__cpu_gemm_of(x->dtype)->run[x->dtype]};
    fa__gemm *g = &all.first;
    g->a_col = x->stride[last];
    g->b_row = w->stride[1];
    g->b_col = w->stride[0];
    g->c_col = y->stride[last];
    g->bias = bias->data;
    g->bias_col = bias->data ? bias->stride[0] : 0;
    int d = last - 1;
    if (d >= 0) {
        g->m = x->shape[d];
        g->a_row = x->stride[d];
        g->c_row = y->stride[d];
        for (;
             d > 0
             && (x->shape[d - 1] == 1 || (x->stride[d - 1] == g->m * g->a_row && y->stride[d - 1] == g->m * g->c_row));
             d--)
            g->m *= x->shape[d - 1];
    }
    for (int i = 0; i < d; i++) {
        all.shape[all.rank] = x->shape[i];
        all.a[all.rank] = x->stride[i];
        all.c[all.rank++] = y->stride[i];
        all.count *= x->shape[i];
    }
    all.size = all.c_size = fa__dtype_size(x->dtype);
    return run_batch(&all);
}

KERNEL(linear)
{
    return linear(l, false);
}

KERNEL(linear_relu)
{
    return linear(l, true);
}
