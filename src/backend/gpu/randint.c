/* Whole random numbers. */
#include "backend/gpu/dialect/arguments.h"
#include "backend/gpu/gpu.h"
#include "backend/random.h"

/* Numbers are made as i64, and stored as what y is. */
static uint64_t fill(fa__gpu_issue *issue, const fa__launch *l, fa__key key, int64_t low, int64_t high)
{
    const fa__operand *y = &l->operand[0];
    if (!fa__gpu_handles(issue->device, y, l->op->name))
        return 0;
    const fa__gpu_kernel *kernel = fa__gpu_fixed(issue, FA__GPU_RANDINT, 0, FA__CLASS_I64);
    randint_arguments p = {.count = 1,
                           .low = low,
                           .range = fa__random_range(y->dtype, low, high),
                           .seed = key.seed,
                           .call = key.call,
                           .rank = y->rank,
                           .dtype = y->dtype};
    for (int d = 0; d < y->rank; d++) {
        p.count *= y->shape[d];
        p.shape[d] = y->shape[d];
        p.to[d] = y->stride[d];
    }
    return FA__GPU_LAUNCH(issue, kernel, p.count, p, y->data);
}

KERNEL(randint)
{
    const randint_args *a = l->args;
    return fill(issue, l, a->key, a->low, a->high);
}

KERNEL(randint_like)
{
    const randint_like_args *a = l->args;
    return fill(issue, l, a->key, a->low, a->high);
}

KERNEL(random_)
{
    const random__args *a = l->args;
    return fill(issue, l, a->key, a->from, a->to);
}
