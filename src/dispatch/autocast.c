/* Autocast: the dtype that the settings and the operation's row want the floating operands in. */
#include "dispatch/call.h"
#include "dispatch/promote.h"

static fa_dtype wider(fa_dtype d, const fa_tensor *t)
{
    return t && fa__autocasts(t) ? fa__promote(d, (fa_dtype)t->dtype) : d;
}

/* The smallest dtype that holds all floating operands but f64 and f8; FA_SAME: there are none. */
static fa_dtype widest(const fa__call *c)
{
    const fa_tensors *list = fa__list_operand(c);
    fa_dtype d = FA_SAME;
    for (int i = 0; i < c->op->nfields; i++)
        d = wider(d, c->tensor[i]);
    for (size_t k = 0; list && k < list->count; k++)
        d = wider(d, list->item[k]);
    return d;
}

fa_dtype fa__autocast_dtype(const fa__call *c)
{
    switch (fa__autocast_of(c)) {
    case FA__CAST_LOW:
        return fa__ctx()->settings->autocast;
    case FA__CAST_F32:
        return FA_F32;
    case FA__CAST_WIDEST:
        return widest(c);
    default:
        return FA_SAME;
    }
}
