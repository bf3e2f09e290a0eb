/* Operands of a call: there, alive, kept, and on one device. */
#include "ops/call.h"

static FA__NOINLINE bool missing(const fa__call *c, const fa__field *f)
{
    return fa__call_fail(c, FA_ERROR_ARGUMENT, "%s is NULL", f->name);
}

static bool alive(fa__call *c, const fa__field *f, const fa_tensor *t)
{
    if (FA__LIKELY(t->object.type == FA__TYPE_TENSOR))
        return true;
    char what[80];
    snprintf(what, sizeof what, "fa_%s: %s", c->op->name, f->name);
    return fa__tensor_check(t, what);
}

/* Takes note of one operand's device. */
static inline void place(fa__call *c, const fa_tensor *t, bool *mixed)
{
    fa__device *d = fa__tensor_place(t);
    if (!c->device)
        c->device = d;
    else if (FA__UNLIKELY(c->device != d))
        *mixed = true;
}

static bool check_list(fa__call *c, const fa__field *f, bool *mixed)
{
    const fa_tensors *list = fa__field_at(c->args, f);
    for (size_t k = 0; k < list->count; k++) {
        if (!list->item[k])
            return fa__call_fail(c, FA_ERROR_ARGUMENT, "%s[%zu] is NULL", f->name, k);
        if (!alive(c, f, list->item[k]))
            return false;
        place(c, list->item[k], mixed);
    }
    return true;
}

bool fa__check_operands(fa__call *c, uint32_t needed, bool *mixed)
{
    const fa__op *op = c->op;
    for (int i = 0; i < op->nfields; i++) {
        const fa__field *f = &op->fields[i];
        const fa_tensor *t = c->tensor[i] = f->kind <= FA__NUMBER ? fa__field_tensor(c->args, f) : NULL;
        if (!t) {
            bool number = f->kind == FA__NUMBER && ((const fa_arg *)fa__field_at(c->args, f))->kind != FA__ARG_TENSOR;
            if (f->kind == FA__TENSORS && !check_list(c, f, mixed))
                return false;
            if (FA__UNLIKELY((f->kind <= FA__LIKE || f->kind == FA__NUMBER) && !number && !f->optional && needed >> i & 1))
                return missing(c, f);
            continue;
        }
        if (!alive(c, f, t))
            return false;
        if (FA__UNLIKELY(!t->storage && f->kind != FA__LIKE && !op->cells->view))
            return fa__call_fail(c, FA_ERROR_INTERNAL,
                                 "%s was not kept for backward: the .keep cell of the operation whose gradient runs must name it",
                                 f->name);
        place(c, t, mixed);
    }
    return true;
}
