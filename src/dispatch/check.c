/* Operands of a call: there, alive, kept, and on one device. */
#include "dispatch/call.h"

static FA__COLD bool missing(const fa__call *c, const fa__field *f)
{
    return fa__call_fail(c, FA_ERROR_ARGUMENT, "%s is NULL", f->name);
}

/* The error gets the call in front of it: fa__name_failure(). */
static bool alive(const fa__field *f, const fa_tensor *t)
{
    return FA__LIKELY(t->object.type == FA__TYPE_TENSOR) || fa__tensor_check(t, f->name);
}

/* Takes note of what the call has to know of an operand; true when gradients flow through it. */
static inline bool look(fa__call *c, const fa_tensor *t)
{
    fa__device *d = fa__tensor_device(t);
    bool flows = fa__needs_grad(t);
    if (!c->plan.device)
        c->plan.device = d;
    c->plan.several_devices |= c->plan.device != d;
    c->plan.needs_grad |= flows;
    c->plan.pending |= t->storage && fa__has_pending(t->storage);
    return flows && fa__dtype_is_float(t->dtype);
}

static FA__NOINLINE bool check_list(fa__call *c, const fa__field *f)
{
    const fa_tensors *list = fa__field_at(c->args, f);
    if (list->count && !list->item)
        return missing(c, f);
    for (size_t k = 0; k < list->count; k++) {
        if (!list->item[k])
            return fa__call_fail(c, FA_ERROR_ARGUMENT, "%s[%zu] is NULL", f->name, k);
        if (!alive(f, list->item[k]))
            return false;
        look(c, list->item[k]);
    }
    return true;
}

static FA__COLD bool not_kept(const fa__call *c, const fa__field *f)
{
    return fa__call_fail(
        c, FA_ERROR_INTERNAL,
        "%s was not kept for backward: the .keep cell of the operation whose gradient runs must name it", f->name);
}

/* A field in which no tensor stands: a number, an option that was left out, or an error. */
static bool without_tensor(const fa__call *c, const fa__field *f, bool needed)
{
    bool number = f->kind == FA__NUMBER && ((const fa_arg *)fa__field_at(c->args, f))->kind != FA__ARG_TENSOR;
    return number || f->optional || !needed || missing(c, f);
}

static bool check_dtype(const fa__call *c, const fa__field *f)
{
    fa_dtype d = *(const fa_dtype *)fa__field_at(c->args, f);
    return d == FA_SAME || fa_dtype_size(d) != 0
           || fa__call_fail(c, FA_ERROR_DTYPE, "%s is %d, which is no dtype", f->name, (int)d);
}

static bool check_pair(const fa__call *c, const fa__field *f)
{
    const char *mistake = fa__pair_mistake(*(const fa_pair *)fa__field_at(c->args, f));
    return FA__LIKELY(!mistake) || fa__call_fail(c, FA_ERROR_ARGUMENT, "%s %s", f->name, mistake);
}

static bool check_tensor(fa__call *c, uint32_t i, bool needed)
{
    const fa__field *f = &c->op->fields[i];
    const fa_tensor *t = fa__field_tensor(c->args, f);
    if (!t)
        return without_tensor(c, f, needed);
    if (FA__UNLIKELY(!alive(f, t)))
        return false;
    if (FA__UNLIKELY(!t->storage && f->kind != FA__LIKE && !c->op->traits->view))
        return !needed || not_kept(c, f); /* the derivative may not mention the operand */
    c->tensor[i] = t;
    if (FA__LIKELY(f->kind != FA__LIKE))
        c->plan.wants |= (uint32_t)look(c, t) << i;
    else if (!c->plan.device)
        c->plan.device = fa__tensor_device(t);
    return true;
}

bool fa__computes_in(const fa__call *c, fa_dtype dtype)
{
    return fa__call_fail(c, FA_ERROR_DTYPE,
                         "%s only holds values: fa_to() converts them to a dtype that computes, as f32%s",
                         fa_dtype_name(dtype),
                         fa__dtype_is_float(dtype) ? ", and fa_scaled_mm() multiplies them with scale factors" : "");
}

static uint32_t dtypes_of_list(const fa_tensors *list)
{
    uint32_t dtypes = 0;
    for (size_t k = 0; k < list->count; k++)
        dtypes |= 1U << list->item[k]->dtype;
    return dtypes;
}

bool fa__check_storage(const fa__call *c)
{
    const fa__op *op = c->op;
    uint32_t dtypes = 0;
    if (op->traits->exact || op->traits->view || op->traits->widens)
        return true;
    FA__EACH_BIT (i, (uint32_t)op->of[FA__TENSOR] | op->of[FA__NUMBER])
        dtypes |= c->tensor[i] ? 1U << c->tensor[i]->dtype : 0;
    FA__EACH_BIT (i, op->of[FA__TENSORS])
        dtypes |= dtypes_of_list(fa__field_at(c->args, &op->fields[i]));
    for (int k = 0; k < op->nresults; k++)
        dtypes |= 1U << c->spec[k].dtype;
    dtypes &= FA__STORAGE_DTYPES;
    return FA__LIKELY(!dtypes) || fa__computes_in(c, (fa_dtype)__builtin_ctz(dtypes));
}

FA__HOT bool fa__check_operands(fa__call *c, uint32_t needed)
{
    const fa__op *op = c->op;
    FA__EACH_BIT (i, fa__tensor_fields(op))
        if (FA__UNLIKELY(!check_tensor(c, i, needed >> i & 1)))
            return false;
    FA__EACH_BIT (i, op->of[FA__TENSORS])
        if (!check_list(c, &op->fields[i]))
            return false;
    FA__EACH_BIT (i, op->of[FA__DTYPE])
        if (!check_dtype(c, &op->fields[i]))
            return false;
    FA__EACH_BIT (i, op->of[FA__PAIR_])
        if (!check_pair(c, &op->fields[i]))
            return false;
    if (c->given && c->given->object.type == FA__TYPE_TENSOR && c->given->storage) {
        c->plan.needs_grad |= fa__needs_grad(c->given);
        c->plan.pending |= fa__has_pending(c->given->storage);
    }
    return true;
}
