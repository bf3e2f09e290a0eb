/* Integers are not divided by 0: numbers are looked at here, tensors by a kernel on their device, before the launch
 * that divides. */
#include "dispatch/call.h"

static bool look_at(fa__call *c, const fa__launch *l)
{
    const fa__expression *e = c->plan.elementwise.compiled->e;
    FA__EACH_BIT (i, e->typed ? fa__typed_with(l->program)->divisors : e->divisors) {
        const fa__operand *o = &l->operand[i + 1];
        if (o->kind == FA__VALUE_INT && o->value.i == 0)
            return fa__call_fail(c, FA_ERROR_ARGUMENT, "division by zero");
        if (o->kind == FA__MEMORY && !fa__check_zeros(c->tensor[i], FA__ZERO_DIVISOR))
            return false;
    }
    return true;
}

/* The check is part of this call, as those are that a composed operation calls. */
bool fa__check_divisors(fa__call *c, const fa__launch *l)
{
    if (!fa__numel(c->out[0]))
        return true;
    fa__attribution a;
    fa__attribution_enter(&a, fa__reported_op(c), c);
    bool good = look_at(c, l);
    fa__attribution_leave(&a);
    return good;
}
