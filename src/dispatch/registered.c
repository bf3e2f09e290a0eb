/* Registered operations at work: their shapes and gradients, by the functions that the program gave. */
#include "dispatch/registered.h"
#include "core/callback.h"

/* Errors of the program's functions carry a reason, whatever happens. */
static FA__COLD bool without_reason(const char *function)
{
    return fa__failed() ? false : fa__fail(FA_ERROR_USER, "its %s function failed and gives no reason", function);
}

/* ---- shapes ---- */

static const fa_tensor *first_tensor(const fa__call *c)
{
    FA__EACH_BIT (i, fa__tensor_fields(c->op))
        if (c->tensor[i])
            return c->tensor[i];
    FA__EACH_BIT (i, c->op->of[FA__TENSORS]) {
        const fa_tensors *list = fa__field_at(c->args, &c->op->fields[i]);
        if (list->count)
            return list->item[0];
    }
    return NULL;
}

/* The result that .infer leaves alone: as the first tensor. */
static fa_op_spec like(const fa_tensor *x)
{
    fa_op_spec s = {.dtype = x ? (fa_dtype)x->dtype : FA_SAME};
    s.shape.rank = x ? x->rank : 0;
    for (int i = 0; i < s.shape.rank; i++)
        s.shape.dim[i] = x->shape[i];
    return s;
}

static bool take(fa__call *c, int i, const fa_op_spec *s)
{
    fa__spec *to = &c->spec[i];
    bool good = fa_dtype_size(s->dtype) && s->shape.rank >= 0 && s->shape.rank <= FA_MAX_DIMS;
    for (int d = 0; good && d < s->shape.rank; d++) {
        to->shape[d] = s->shape.dim[d];
        good = to->shape[d] >= 0;
    }
    to->dtype = s->dtype;
    to->rank = s->shape.rank;
    return good
           || fa__call_fail(c, FA_ERROR_SHAPE, "its infer function gives %s a dtype or shape that no tensor has",
                            c->op->results[i]);
}

bool fa__registered_infer(fa__call *c)
{
    const fa_register_op_options *o = &c->op->registered->given;
    fa_op_spec spec[FA__MAX_RESULTS];
    const fa_op_spec first = like(first_tensor(c));
    for (int i = 0; i < c->op->nresults; i++)
        spec[i] = first;
    if (o->infer && !o->infer(c->args, spec, o->context))
        return without_reason("infer");
    for (int i = 0; i < c->op->nresults; i++)
        if (!take(c, i, &spec[i]))
            return false;
    return true;
}

/* ---- gradients ---- */

static bool call_gradient(const fa_register_op_options *o, const fa_op_backward *b)
{
    fa__callback use = fa__callback_begin();
    bool good = o->gradient(b);
    fa__callback_end(&use);
    return good;
}

void fa__registered_gradient(fa__back *b)
{
    const fa__op *op = b->node->op;
    const fa_op_backward shown = {.args = b->args,
                                  .context = op->registered->given.context,
                                  .results = (int)b->node->results,
                                  .grad = b->gy,
                                  .result = b->y,
                                  .internal = b};
    if (!call_gradient(&op->registered->given, &shown))
        without_reason("gradient");
}

/* A gradient has the shape of what it is the gradient of. */
static bool fits(const fa_tensor *x, const fa_tensor *g, const char *name)
{
    if (!fa__tensor_check(g, "fa_op_set_grad: the gradient"))
        return false;
    return !x || fa__same_shape(x, g)
           || fa__fail(FA_ERROR_SHAPE, "the gradient of %s is not of the shape of %s", name, name);
}

/* The field of that address among the arguments; NULL and an error when there is none. */
static const fa__field *field_at(const fa__back *b, const void *address)
{
    const fa__op *op = b->node->op;
    for (int i = 0; i < op->nfields; i++)
        if (fa__field_at(b->args, &op->fields[i]) == address)
            return &op->fields[i];
    fa__fail(FA_ERROR_ARGUMENT, "fa_op_set_grad: that is the address of no argument: name it as in &args->x");
    return NULL;
}

bool fa_op_wants(const fa_op_backward *shown, const void *field)
{
    return fa__wants(shown->internal, field);
}

bool fa_op_wants_item(const fa_op_backward *shown, size_t k)
{
    return fa__wants_item(shown->internal, k);
}

bool fa_op_set_grad(const fa_op_backward *shown, const void *field, fa_tensor *g)
{
    fa__back *b = (fa__back *)(uintptr_t)shown->internal;
    const fa__field *f = field_at(b, field);
    const fa_tensor *x = NULL;
    if (!f)
        return false;
    if (f->kind == FA__TENSOR)
        x = *(const fa_tensor *const *)field;
    else if (f->kind == FA__NUMBER && ((const fa_arg *)field)->kind == FA__ARG_TENSOR)
        x = fa__tensor_in(*(const fa_arg *)field);
    if (!fa__wants(b, field))
        return true;
    if (!fits(x, g, f->name))
        return false;
    fa__set_input_grad(b, field, g);
    return !fa__failed();
}

bool fa_op_set_item_grad(const fa_op_backward *shown, size_t k, fa_tensor *g)
{
    fa__back *b = (fa__back *)(uintptr_t)shown->internal;
    const uint32_t lists = b->node->op->of[FA__TENSORS];
    const fa_tensors *list = lists ? fa__field_at(b->args, &b->node->op->fields[__builtin_ctz(lists)]) : NULL;
    if (!list || k >= list->count)
        return fa__fail(FA_ERROR_INDEX, "fa_op_set_item_grad: the arguments have no list with an item %zu", k);
    if (!fa__wants_item(b, k))
        return true;
    if (!fits(list->item[k], g, "an item"))
        return false;
    fa__set_item_grad(b, k, g);
    return !fa__failed();
}
