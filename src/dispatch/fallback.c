/* What a device cannot do, because it has no kernel of the operation or does not compute in the dtype: with .fallback
 * the operands are copied to the CPU, which does it, and the results come back. The copies are recorded operations, so
 * gradients take the same way. */
#include "base/log.h"
#include "dispatch/call.h"

bool fa__no_kernel(const fa__call *c)
{
    return fa__call_fail(c, FA_ERROR_UNAVAILABLE,
                         "%s has no kernel for this operation: FA_USE(.fallback = true) runs it on the CPU by counted "
                         "copies, and fa_to moves operands there",
                         c->plan.device->name);
}

/* A result on its way back says that the operation made it, not fa_to. */
static fa_tensor *back(fa_tensor *y, const fa__device *to)
{
    fa_tensor *there = fa_to(y, to->id);
    if (!there)
        return NULL;
    there->made_by = y->made_by;
    there->made_at = y->made_at;
    there->object.flags = y->object.flags;
    return there;
}

/* What was given to write into stays where it is: the result is copied into it, which is recorded for changes in place.
 * Writes into .out never are. */
static bool into_given(fa__call *c)
{
    fa_settings s = fa__settings();
    s.no_grad |= !c->inplace;
    fa__scope scope = fa__use_open(&s);
    bool good = fa_copy_(c->given, c->out[0]) != NULL;
    fa__use_close(&scope);
    c->given->storage->changed_by = c->op;
    c->out[0] = c->given;
    return good;
}

void fa__tell_fallback(const fa__op *op, const fa__device *device)
{
    if (fa__log_wants("fallback"))
        fa__log(FA_LOG_INFO, "fallback: %s has no kernel on %s: it runs on the CPU", op->name, device->name);
}

bool fa__may_fall_back(const fa__call *c)
{
    return fa__ctx()->settings->fallback && !c->plan.device->host;
}

bool fa__fall_back(fa__call *c)
{
    const fa__device *device = c->plan.device;
    fa__tell_fallback(c->op, device);
    FA__WORK_FOR(fa__asked_for(c));
    if (!fa__go_on_with_host_operands(c))
        return false;
    if (c->given)
        return into_given(c);
    for (int i = 0; i < c->op->nresults; i++)
        if (!(c->out[i] = back(c->out[i], device)))
            return false;
    c->out[0]->requires_grad |= c->requires_grad;
    return true;
}
