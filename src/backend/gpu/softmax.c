/* Softmax and its logarithm: rows along any dimension. */
#include "backend/gpu/dialect/arguments.h"
#include "backend/gpu/gpu.h"

/* Rows lie over the dimensions but `dim`. */
static void set_rows(softmax_arguments *a, const fa__operand *x, const fa__operand *y, int dim)
{
    a->rows = 1;
    for (int d = 0; d < x->rank; d++) {
        if (d == dim || x->shape[d] == 1)
            continue;
        a->rows *= x->shape[d];
        a->shape[a->rank] = x->shape[d];
        a->x_stride[a->rank] = x->stride[d];
        a->y_stride[a->rank++] = y->stride[d];
    }
    a->length = x->rank ? x->shape[dim] : 1;
    a->x_step = x->rank ? x->stride[dim] : 0;
    a->y_step = y->rank ? y->stride[dim] : 0;
    if (a->rows * a->length == 0)
        a->rows = a->length = a->rank = 0;
}

/* How many items share a row: up to TREE_CHAINS, or a whole group (0) has one. */
static void set_work(softmax_arguments *a)
{
    if (a->length > TREE_BLOCK)
        return;
    a->width = 1;
    while (a->width < TREE_CHAINS && a->width < a->length)
        a->width *= 2;
    a->across = a->rank > 0 && a->x_stride[a->rank - 1] == 1 && a->x_step != 1;
}

static uint64_t run(fa__gpu_issue *issue, const fa__launch *l, int64_t dim, bool logarithm)
{
    const fa__operand *y = &l->operand[0], *x = &l->operand[1];
    softmax_arguments a = {.x_dtype = x->dtype, .y_dtype = y->dtype, .logarithm = logarithm};
    set_rows(&a, x, y, fa__gpu_dim(x, dim));
    set_work(&a);
    const fa__gpu_kernel *kernel = fa__gpu_fixed(issue, FA__GPU_SOFTMAX, 0, fa__class_of(y->dtype));
    if (!kernel)
        return 0;
    int64_t width = a.width ? a.width : (int64_t)kernel->group[0];
    return FA__GPU_LAUNCH(issue, kernel, a.rows * width, a, y->data, x->data);
}

KERNEL(softmax)
{
    return run(issue, l, ((const softmax_args *)l->args)->dim, false);
}

KERNEL(log_softmax)
{
    return run(issue, l, ((const softmax_args *)l->args)->dim, true);
}
