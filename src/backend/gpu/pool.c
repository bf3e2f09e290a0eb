/* Pooling, and its gradients. */
#include "backend/gpu/dialect/arguments.h"
#include "backend/gpu/gpu.h"

/* ---- arguments ---- */

static void set_strides(int64_t to[4], const fa__operand *x)
{
    for (int i = 0; i < 4; i++) {
        int d = x->rank - 4 + i;
        to[i] = d < 0 ? 0 : x->stride[d];
    }
}

/* small: with an element for each window; large: what the windows are of. */
static pool_arguments arguments_of(const fa__operand *small, const fa__operand *large)
{
    int d = large->rank;
    pool_arguments p = {.channels = large->shape[d - 3], .small_dtype = small->dtype, .large_dtype = large->dtype};
    for (int i = 0; i < 2; i++) {
        p.in[i] = large->shape[d - 2 + i];
        p.out[i] = small->shape[d - 2 + i];
    }
    set_strides(p.small, small);
    set_strides(p.large, large);
    return p;
}

static void set_windows(pool_arguments *p, fa_pair kernel, fa_pair stride, fa_pair padding, fa_pair dilation)
{
    p->adaptive = kernel == 0;
    for (int i = 0; i < 2; i++) {
        p->size[i] = fa_pair_at(kernel, i);
        p->stride[i] = fa_pair_at(stride ? stride : kernel, i);
        p->padding[i] = fa_pair_at(padding, i);
        p->dilation[i] = fa_pair_at(dilation, i);
    }
}

/* Three buffers, or two: operands 0 to `operands`. An item for each element of the first. */
static uint64_t launch(fa__gpu_issue *issue, fa__gpu_family family, const fa__launch *l, const void *const *data,
                       int count, pool_arguments *p)
{
    const fa__operand *y = &l->operand[0];
    const fa__gpu_kernel *kernel = fa__gpu_fixed(issue, family, 0, fa__class_of(y->dtype));
    p->count = 1;
    for (int d = 0; d < y->rank; d++)
        p->count *= y->shape[d];
    return fa__gpu_launch_buffers(issue, kernel, p->count, p, sizeof *p, data, count);
}

/* ---- the largest ---- */

/* The largest elements of windows of x go to operand 0, and where they were to `index`, which may be NULL. */
static uint64_t largest(fa__gpu_issue *issue, const fa__launch *l, const fa__operand *index, const fa__operand *x,
                        pool_arguments *p)
{
    const void *data[] = {l->operand[0].data, index ? index->data : NULL, x->data};
    p->places = index != NULL;
    if (index)
        set_strides(p->index, index);
    return launch(issue, FA__GPU_POOL_MAX, l, data, 3, p);
}

KERNEL(max_pool2d)
{
    const max_pool2d_args *a = l->args;
    pool_arguments p = arguments_of(&l->operand[0], &l->operand[1]);
    set_windows(&p, a->kernel, a->stride, a->padding, a->dilation);
    return largest(issue, l, NULL, &l->operand[1], &p);
}

KERNEL(max_pool2d_with_indices)
{
    const max_pool2d_args *a = l->args;
    pool_arguments p = arguments_of(&l->operand[0], &l->operand[2]);
    set_windows(&p, a->kernel, a->stride, a->padding, a->dilation);
    return largest(issue, l, &l->operand[1], &l->operand[2], &p);
}

KERNEL(adaptive_max_pool2d_with_indices)
{
    pool_arguments p = arguments_of(&l->operand[0], &l->operand[2]);
    p.adaptive = true;
    return largest(issue, l, &l->operand[1], &l->operand[2], &p);
}

KERNEL(max_pool2d_back)
{
    const max_pool2d_back_args *a = l->args;
    pool_arguments p = arguments_of(&l->operand[1], &l->operand[0]);
    set_windows(&p, a->kernel, a->stride, a->padding, a->dilation);
    set_strides(p.index, &l->operand[2]);
    p.index_dtype = l->operand[2].dtype;
    const void *data[] = {l->operand[0].data, l->operand[1].data, l->operand[2].data};
    return launch(issue, FA__GPU_POOL_MAX_BACK, l, data, 3, &p);
}

/* ---- means ---- */

/* Operands: what is written, what is read. */
static uint64_t mean(fa__gpu_issue *issue, fa__gpu_family family, const fa__launch *l, pool_arguments *p)
{
    const void *data[] = {l->operand[0].data, l->operand[1].data};
    return launch(issue, family, l, data, 2, p);
}

KERNEL(avg_pool2d)
{
    const avg_pool2d_args *a = l->args;
    pool_arguments p = arguments_of(&l->operand[0], &l->operand[1]);
    set_windows(&p, a->kernel, a->stride, a->padding, 1);
    p.pad = a->count_include_pad;
    p.divisor = a->divisor_override;
    return mean(issue, FA__GPU_POOL_MEAN, l, &p);
}

KERNEL(avg_pool2d_back)
{
    const avg_pool2d_back_args *a = l->args;
    pool_arguments p = arguments_of(&l->operand[1], &l->operand[0]);
    set_windows(&p, a->kernel, a->stride, a->padding, 1);
    p.pad = a->count_include_pad;
    p.divisor = a->divisor_override;
    return mean(issue, FA__GPU_POOL_MEAN_BACK, l, &p);
}

KERNEL(adaptive_mean)
{
    pool_arguments p = arguments_of(&l->operand[0], &l->operand[1]);
    p.adaptive = true;
    return mean(issue, FA__GPU_POOL_MEAN, l, &p);
}

KERNEL(adaptive_mean_back)
{
    pool_arguments p = arguments_of(&l->operand[1], &l->operand[0]);
    p.adaptive = true;
    return mean(issue, FA__GPU_POOL_MEAN_BACK, l, &p);
}
