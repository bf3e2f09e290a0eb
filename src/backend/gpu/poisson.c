/* Poisson numbers. */
#include "backend/gpu/dialect/arguments.h"
#include "backend/gpu/gpu.h"

KERNEL(poisson)
{
    const poisson_args *a = l->args;
    const fa__operand *y = &l->operand[0], *x = &l->operand[1];
    const fa__gpu_kernel *kernel = fa__gpu_fixed(issue, FA__GPU_POISSON, 0, FA__CLASS_F64);
    poisson_arguments p = {.count = 1, .seed = a->key.seed, .call = a->key.call, .rank = y->rank, .dtype = y->dtype};
    for (int d = 0; d < y->rank; d++) {
        p.count *= y->shape[d];
        p.shape[d] = y->shape[d];
        p.rate[d] = x->stride[d];
        p.to[d] = y->stride[d];
    }
    return FA__GPU_LAUNCH(issue, kernel, p.count, p, y->data, x->data);
}
