/* Matrix products: which kernel of dialect/matmul.inc, and in which tiles. A product is a matrix times a matrix for
 * each place of a batch; where the rows of a batch follow each other they are one matrix. */
#include "backend/gpu/dialect/arguments.h"
#include "backend/gpu/gpu.h"
#include "backend/gpu/queue.h"
#include "base/error.h"
#include "base/integer.h"
#include "ids.h"
#include <string.h>

enum { TILE = 64, DIRECT = 64, FEW = 16 }; /* tiles of the kernels, and rows or columns too few for large ones */

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

/* The stride of an operand along dimension i of a batch of `rank`; `own` of its dimensions are of the batch. */
static int64_t batch_stride(const fa__operand *x, int own, int rank, int i)
{
    int d = i - (rank - own);
    return d < 0 || x->shape[d] == 1 ? 0 : x->stride[d];
}

static void add_batch(matmul_arguments *p, int64_t size, int64_t a, int64_t b, int64_t c)
{
    if (size == 1)
        return;
    p->shape[p->rank] = size;
    p->a[p->rank] = a;
    p->b[p->rank] = b;
    p->c[p->rank++] = c;
}

/* The innermost dimension of a batch as more rows: all have the same b, and a and c go on as evenly as their rows. */
static bool join_rows(matmul_arguments *p)
{
    int d = p->rank - 1;
    if (d < 0 || p->b[d] != 0)
        return false;
    if (p->m != 1 && (p->a[d] != p->m * p->a_row || p->c[d] != p->m * p->c_row))
        return false;
    if (p->m == 1) {
        p->a_row = p->a[d];
        p->c_row = p->c[d];
    }
    p->m *= p->shape[d];
    p->rank--;
    return true;
}

/* ---- which kernel ---- */

static int kind_of(int dtype)
{
    if (fa__dtype_is_storage((unsigned)dtype))
        return 4;
    return dtype == FA_F16 ? 1 : dtype == FA_BF16 ? 2 : dtype == FA_U8 || dtype == FA_I8 || dtype == FA_I16 ? 3 : 0;
}

/* Tiles where there are enough of them, and most of each is used. */
static bool wants_tiles(const fa__gpu_device *g, const matmul_arguments *p)
{
    int64_t tiles = fa__ceil_div(p->m, TILE) * fa__ceil_div(p->n, TILE) * fa__gpu_batch(p);
    return p->m >= FEW && p->n >= FEW && tiles >= (int64_t)g->groups / 2;
}

/* How 64 items share a rectangle of elements: 2^wide columns, the rest rows. */
static int width_of(const matmul_arguments *p)
{
    int wide = 3;
    while (wide < 6 && p->m <= DIRECT >> (wide + 1))
        wide++;
    while (wide > 0 && p->n <= 1 << (wide - 1))
        wide--;
    return wide;
}

static uint64_t run(fa__gpu_issue *issue, const fa__gpu_product *x)
{
    matmul_arguments p = x->p;
    if (fa__gpu_wants_tensor_cores(issue->device->own, x))
        return fa__gpu_run_on_tensor_cores(issue, x);
    bool tiles = wants_tiles(issue->device->own, &p);
    const fa__gpu_kernel *kernel =
        fa__gpu_fixed(issue, FA__GPU_MATMUL, 2 * kind_of(p.dtype) + !tiles, fa__class_of((unsigned)p.dtype));
    if (!kernel)
        return 0;
    p.wide = tiles ? 0 : width_of(&p);
    p.across = fa__ceil_div(p.n, tiles ? TILE : (int64_t)1 << p.wide);
    p.down = fa__ceil_div(p.m, tiles ? TILE : DIRECT >> p.wide);
    int64_t groups = p.across * p.down * fa__gpu_batch(&p);
    if (!groups) /* one that finds nothing to do */
        p.m = p.n = p.k = 0, p.across = p.down = groups = 1, p.rank = 0;
    fa__gpu_args args = {.count = 0};
    fa__gpu_memory(&args, x->c);
    fa__gpu_memory(&args, x->a);
    fa__gpu_memory(&args, x->b);
    fa__gpu_memory(&args, x->bias);
    fa__gpu_value(&args, &p, sizeof p);
    return fa__gpu_launch_groups(issue, kernel, (uint64_t[3]){(uint64_t)groups, 1, 1}, &args);
}

/* ---- which product ---- */

static fa__gpu_product product(matmul_arguments p, const fa__operand *c, const void *a, const void *b, const void *bias)
{
    while (join_rows(&p))
        ;
    p.dtype = p.b_dtype = c->dtype;
    p.bias = bias != NULL;
    return (fa__gpu_product){.p = p, .c = c->data, .a = a, .b = b, .bias = bias};
}

fa__gpu_product fa__gpu_product_of_matmul(const fa__launch *l)
{
    const fa__operand *c = &l->operand[0], *a = &l->operand[1], *b = &l->operand[2];
    matmul_arguments p = {.k = 0};
    bool row = a->rank > 1, column = b->rank > 1;
    int rank = c->rank - row - column;
    matrix(a, true, &p.m, &p.k, &p.a_row, &p.a_col);
    matrix(b, false, &p.k, &p.n, &p.b_row, &p.b_col);
    p.c_row = row ? c->stride[rank] : 0;
    p.c_col = column ? c->stride[rank + row] : 0;
    for (int i = 0; i < rank; i++)
        add_batch(&p, c->shape[i], batch_stride(a, row ? a->rank - 2 : 0, rank, i),
                  batch_stride(b, column ? b->rank - 2 : 0, rank, i), c->stride[i]);
    return product(p, c, a->data, b->data, NULL);
}

fa__gpu_product fa__gpu_product_of_mm_f8(const fa__launch *l)
{
    fa__gpu_product x = fa__gpu_product_of_matmul(l);
    x.p.dtype = l->operand[1].dtype;
    x.p.b_dtype = l->operand[2].dtype;
    return x;
}

/* The rows of x are all its dimensions but the last. */
fa__gpu_product fa__gpu_product_of_linear(const fa__launch *l)
{
    const fa__operand *y = &l->operand[0], *x = &l->operand[1], *w = &l->operand[2], *bias = &l->operand[3];
    int last = x->rank - 1;
    matmul_arguments p = {.m = 1,
                          .n = w->shape[0],
                          .k = w->shape[1],
                          .a_col = x->stride[last],
                          .b_row = w->stride[1],
                          .b_col = w->stride[0],
                          .c_col = y->stride[last],
                          .bias_col = bias->data ? bias->stride[0] : 0};
    for (int i = 0; i < last; i++)
        add_batch(&p, x->shape[i], x->stride[i], 0, y->stride[i]);
    return product(p, y, x->data, w->data, bias->data);
}

/* The launch's program, in place on the result that is behind it in the queue. */
static uint64_t run_program(fa__gpu_issue *issue, const fa__launch *l)
{
    const fa__operand *y = &l->operand[0];
    FA__LAUNCH_ROOM(2) then = {*l};
    then.launch.kind = FA__LAUNCH_PROGRAM;
    then.launch.operands = 2;
    then.launch.rank = y->rank;
    memcpy(then.launch.shape, y->shape, sizeof y->shape);
    then.launch.operand[0] = then.launch.operand[1] = *y;
    return fa__gpu_run_elementwise(issue, &then.launch);
}

uint64_t fa__gpu_run_product(fa__queue *queue, const fa__launch *l, const fa__gpu_product *x)
{
    fa__gpu_issue issue = fa__gpu_issue_begin(queue, l);
    uint64_t ticket = run(&issue, x);
    fa__gpu_issue_end(&issue);
    return ticket;
}

KERNEL(matmul)
{
    const fa__gpu_product x = fa__gpu_product_of_matmul(l);
    return run(issue, &x);
}

KERNEL(mm_f8)
{
    const fa__gpu_product x = fa__gpu_product_of_mm_f8(l);
    return run(issue, &x);
}

KERNEL(linear)
{
    const fa__gpu_product x = fa__gpu_product_of_linear(l);
    return run(issue, &x);
}

/* Where no library does both (cuda/cublaslt.c). */
KERNEL(linear_gelu)
{
    return fa__gpu_run_kernel(issue, l, FA__OP_linear) ? run_program(issue, l) : 0;
}
