/* Looks for what may not be 0. */
#include "backend/cpu/kernel.h"

KERNEL(check_zeros)
{
    const int32_t what = (int32_t)((const check_zeros_args *)l->args)->what;
    const fa__operand *x = &l->operand[1];
    if (fa__dtype_is_float(x->dtype))
        return true;
    int last = x->rank - 1;
    int64_t n = x->rank ? x->shape[last] : 1, pace = x->rank ? x->stride[last] : 0;
    fa__cpu_walk w = fa__cpu_others(x->shape, x->rank, last, x, NULL, NULL);
    for (int64_t i = 0; i < w.count; i++) {
        int64_t o[3];
        fa__cpu_place(&w, i, o);
        for (int64_t k = 0; k < n; k++)
            if (!fa__cpu_integer(x, o[0] + k * pace))
                return fa__cpu_fault(l, FA_ERROR_ARGUMENT, (fa__fault){.dim = what, .position = i * n + k});
    }
    return true;
}
