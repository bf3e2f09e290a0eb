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

/* Takes note of what the call has to know of an operand. */
static inline void look(fa__call *c, const fa_tensor *t, bool flows)
{
    fa__device *d = fa__tensor_place(t);
    if (!c->device)
        c->device = d;
    if (!flows)
        return;
    c->mixed |= c->device != d;
    c->needs_grad |= fa__needs_grad(t);
    c->pending |= t->storage && fa__has_pending(t->storage);
}

static FA__NOINLINE bool check_list(fa__call *c, const fa__field *f)
{
    const fa_tensors *list = fa__field_at(c->args, f);
    if (list->count && !list->item)
        return missing(c, f);
    for (size_t k = 0; k < list->count; k++) {
        if (!list->item[k])
            return fa__call_fail(c, FA_ERROR_ARGUMENT, "%s[%zu] is NULL", f->name, k);
        if (!alive(c, f, list->item[k]))
            return false;
        look(c, list->item[k], true);
    }
    return true;
}

static FA__NOINLINE bool not_kept(const fa__call *c, const fa__field *f)
{
    return fa__call_fail(
        c, FA_ERROR_INTERNAL,
        "%s was not kept for backward: the .keep cell of the operation whose gradient runs must name it", f->name);
}

/* A field in which no tensor stands: a list, a number, an option that was left out, or an error. */
static bool without_tensor(fa__call *c, const fa__field *f, bool needed)
{
    if (f->kind == FA__TENSORS)
        return check_list(c, f);
    bool number = f->kind == FA__NUMBER && ((const fa_arg *)fa__field_at(c->args, f))->kind != FA__ARG_TENSOR;
    return f->kind > FA__NUMBER || number || f->optional || !needed || missing(c, f);
}

static bool is_dtype(fa_dtype d)
{
    return d == FA_SAME || fa_dtype_size(d) != 0;
}

bool fa__check_operands(fa__call *c, uint32_t needed)
{
    const fa__op *op = c->op;
    for (int i = 0; i < op->nfields; i++) {
        const fa__field *f = &op->fields[i];
        const fa_tensor *t = c->tensor[i] = f->kind <= FA__NUMBER ? fa__field_tensor(c->args, f) : NULL;
        if (!t) {
            if (f->kind <= FA__NUMBER && !without_tensor(c, f, needed >> i & 1))
                return false;
            if (FA__UNLIKELY(f->kind == FA__DTYPE && !is_dtype(*(const fa_dtype *)fa__field_at(c->args, f))))
                return fa__call_fail(c, FA_ERROR_DTYPE, "%s is %d, which is no dtype", f->name,
                                     (int)*(const fa_dtype *)fa__field_at(c->args, f));
            continue;
        }
        if (FA__UNLIKELY(!alive(c, f, t)))
            return false;
        if (FA__UNLIKELY(!t->storage && f->kind != FA__LIKE && !op->cells->view)) {
            if (needed >> i & 1)
                return not_kept(c, f);
            c->tensor[i] = NULL; /* an operand that the derivative does not mention */
            continue;
        }
        look(c, t, f->kind != FA__LIKE);
    }
    if (c->given && c->given->object.type == FA__TYPE_TENSOR && c->given->storage) {
        c->needs_grad |= fa__needs_grad(c->given);
        c->pending |= fa__has_pending(c->given->storage);
    }
    return true;
}
