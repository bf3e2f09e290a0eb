/* Elements that come together at one place, as in scatter_add: halves are added in f32, and rounded once. */
#include "dispatch/call.h"

static bool copied(fa__call *c, fa_tensor *to, const fa_tensor *from)
{
    return fa__run_copy(c, to, from);
}

bool fa__run_accumulated_f32(fa__call *c)
{
    fa_tensor *y = c->out[0];
    int8_t first = c->op->inplace;
    if (!fa__dtype_is_half(y->dtype))
        return fa__run_kernel(c);
    const fa_tensor *x = first < 0 ? NULL : c->tensor[first];
    fa_tensor *wide = fa__tensor_empty(c->plan.device, FA_F32, y->rank, y->shape, c->plan.queue);
    if (!wide)
        return false;
    bool good = !x || copied(c, wide, x);
    fa__call in_f32 = *c;
    const fa_tensor *tensor[FA__MAX_FIELDS];
    memcpy(tensor, c->tensor, c->op->nfields * sizeof tensor[0]);
    if (x)
        tensor[first] = wide;
    in_f32.tensor = tensor;
    in_f32.out[0] = wide;
    in_f32.plan.error_dtype = y->dtype;
    good = good && fa__run_kernel(&in_f32);
    c->plan.unsupported |= in_f32.plan.unsupported;
    good = good && copied(c, y, wide);
    fa__unref(wide); /* not at the scope's end: in place no memory stays behind */
    return good;
}
