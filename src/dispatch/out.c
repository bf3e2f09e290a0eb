/* Results of a call: what the caller gave to write into, checked, or new tensors and views. */
#include "base/text.h"
#include "dispatch/call.h"
#include "dispatch/promote.h"

static bool given_fails(const fa__call *c, fa_code code, const char *text)
{
    return fa__call_fail(c, code, "%s", text);
}

/* In place: what autograd does not allow while something is recorded. Nothing flows into integers. */
static bool check_graph(fa__call *c)
{
    fa_tensor *t = c->given;
    bool flows = c->plan.needs_grad && fa__dtype_is_float(t->dtype);
    if (!fa__recording())
        return true;
    if (c->inplace && t->multi_view && flows)
        return given_fails(c, FA_ERROR_GRADIENT,
                           "a view that came in a list of views is changed in place while gradients flow: fa_narrow or "
                           "fa_select gives one that may be");
    if (c->inplace && t->no_grad_view > !flows)
        return given_fails(
            c, FA_ERROR_GRADIENT,
            "a view made under no_grad (or by fa_apply) is changed in place while gradients are recorded");
    if (!c->plan.needs_grad)
        return true;
    if (!c->inplace)
        return given_fails(c, FA_ERROR_GRADIENT, "writes into .out are not recorded: no operand may need a gradient");
    if (t->requires_grad && !t->node)
        return given_fails(c, FA_ERROR_GRADIENT,
                           "a leaf that needs a gradient is changed in place: FA_USE(.no_grad = true) allows it");
    if (t->base && t->base->requires_grad && !t->base->node)
        return given_fails(
            c, FA_ERROR_GRADIENT,
            "a view of a leaf that needs a gradient is changed in place: FA_USE(.no_grad = true) allows it");
    return true;
}

/* An operand shares memory with what is written, and not element for element. The call goes on with a copy of it. */
static FA__COLD bool overlaps(fa__call *c)
{
    if (c->plan.settled)
        return given_fails(c, FA_ERROR_ARGUMENT, "the result and an operand overlap in memory");
    c->plan.unshares = true;
    return false;
}

bool fa__overlaps_given(const fa__call *c, int i, const fa_tensor *t)
{
    if (i < 0)
        return fa__may_share(c->given, t);
    bool written = c->inplace && t == c->given && (i == c->op->inplace || c->op->traits->any_store);
    bool alike = (fa__is_elementwise(c->op) || c->op->traits->cross_device) && fa__same_view(c->given, t);
    return fa__may_share(c->given, t) && !written && !alike;
}

static bool list_overlaps(const fa__call *c, const fa__field *f)
{
    const fa_tensors *list = fa__field_at(c->args, f);
    for (size_t k = 0; k < list->count; k++)
        if (fa__overlaps_given(c, -1, list->item[k]))
            return true;
    return false;
}

static bool check_overlap(fa__call *c)
{
    if (fa__overlaps_itself(c->given->rank, c->given->shape, c->given->stride))
        return given_fails(c, FA_ERROR_ARGUMENT, "writes into a tensor whose elements share memory (an expanded one)");
    if (fa__is_composed(c->op)) /* its result is there, and is copied */
        return true;
    for (int i = 0; i < c->op->nfields; i++) {
        const fa__field *f = &c->op->fields[i];
        const fa_tensor *t = f->kind == FA__LIKE ? NULL : c->tensor[i];
        if ((t && fa__overlaps_given(c, i, t)) || (f->kind == FA__TENSORS && list_overlaps(c, f)))
            return overlaps(c);
    }
    return true;
}

static bool is_operand(const fa__call *c, const fa_tensor *t)
{
    for (int i = 0; i < c->op->nfields; i++)
        if (c->tensor[i] == t)
            return true;
    FA__EACH_BIT (i, c->op->of[FA__TENSORS]) {
        const fa_tensors *list = fa__field_at(c->args, &c->op->fields[i]);
        for (size_t k = 0; k < list->count; k++)
            if (list->item[k] == t)
                return true;
    }
    return false;
}

/* An empty .out takes the result's shape, unless others, or the call itself, rely on the one it has. */
static bool may_resize(const fa__call *c)
{
    const fa_tensor *t = c->given;
    return !c->inplace && fa__numel(t) == 0 && !t->base && !t->no_grad_view && !t->node && !t->requires_grad
           && !t->autograd && !is_operand(c, t);
}

/* The version goes on, so that backward sees the change. */
static bool resize(fa_tensor *t, const fa__spec *s)
{
    fa_tensor *fresh = fa__tensor_empty(fa__tensor_device(t), (fa_dtype)t->dtype, s->rank, s->shape, NULL);
    if (!fresh)
        return false;
    fa__storage *old = t->storage;
    t->storage = fa__ref(fresh->storage);
    atomic_store_explicit(&t->storage->version, atomic_load_explicit(&old->version, memory_order_relaxed),
                          memory_order_relaxed);
    t->rank = fresh->rank;
    t->dense = true;
    t->offset = 0;
    memcpy(t->shape, fresh->shape, sizeof t->shape);
    memcpy(t->stride, fresh->stride, sizeof t->stride);
    fa__unref(old);
    fa__unref(fresh);
    return true;
}

static bool fits(const fa_tensor *t, const fa__spec *s)
{
    if (t->rank != s->rank)
        return false;
    for (int i = 0; i < s->rank; i++)
        if (t->shape[i] != s->shape[i])
            return false;
    return true;
}

static bool check_form(fa__call *c)
{
    const fa__spec *s = &c->spec[0];
    fa_tensor *t = c->given;
    if (!fits(t, s) && !may_resize(c)) {
        char shape[200];
        struct fa__text text = fa__text_in(shape, sizeof shape);
        fa__describe_shape(&text, s->rank, s->shape);
        return fa__call_fail(c, FA_ERROR_SHAPE, "the result has shape %s and does not fit%s", shape,
                             !c->inplace && fa__numel(t) == 0
                                 ? ": a view, an operand, or what has or needs a gradient, is not resized"
                                 : "");
    }
    bool stores =
        fa__is_elementwise(c->op) ? fa__can_store(s->dtype, (fa_dtype)t->dtype) : s->dtype == (fa_dtype)t->dtype;
    if (!stores && !c->op->traits->any_store)
        return fa__call_fail(c, FA_ERROR_DTYPE, "the result is %s and cannot be stored as %s", fa_dtype_name(s->dtype),
                             fa_dtype_name((fa_dtype)t->dtype));
    return true;
}

bool fa__check_given(fa__call *c)
{
    if (!fa__tensor_check(c->given, c->inplace ? "the tensor to change" : ".out"))
        return false;
    if (fa__failed())
        return false; /* the standing error says why */
    if (fa__tensor_device(c->given) != c->plan.device)
        return given_fails(c, FA_ERROR_DEVICE, "the result is on another device");
    if (!check_graph(c) || !check_form(c) || !check_overlap(c))
        return false;
    return fits(c->given, &c->spec[0]) || resize(c->given, &c->spec[0]);
}

/* ---- new results ---- */

void fa__sign(fa_tensor *t, const fa__op *op, const void *site)
{
    t->made_by = op;
    t->made_at = site;
    if (t->node)
        ((fa__node *)t->node)->made_at = t->made_at;
    if (t->storage && FA__UNLIKELY(t->storage->block != NULL))
        fa__storage_sign(t->storage, t);
}

static void sign(const fa__call *c, fa_tensor *t)
{
    const fa__call *outer = fa__outermost(c);
    fa__sign(t, outer->op, outer->site);
}

static fa_tensor *make_view(fa__call *c, const fa__spec *s)
{
    fa_tensor *x = (fa_tensor *)(uintptr_t)c->tensor[0];
    fa_tensor *v = fa__tensor_new(x->storage, s->dtype, s->rank, s->shape, s->stride, s->offset);
    if (!v)
        return NULL;
    if (!x->storage)
        v->device_ = x->device_;
    fa__tensor_inner(v, fa__outermost_call() != NULL);
    if (c->op->traits->no_grad)
        return v;
    v->multi_view = x->multi_view || !c->op->nresults;
    if (fa__recording()) {
        v->base = fa__ref(x->base ? x->base : x);
        v->base_history = v->base->history;
        v->no_grad_view = x->no_grad_view;
    } else
        v->no_grad_view = fa__needs_grad(x) || x->no_grad_view > 1 ? 2 : 1;
    return v;
}

/* A result whose strides .infer gave: a tensor with these strides over new memory. */
static fa_tensor *make_laid(fa__call *c, const fa__spec *s)
{
    int64_t low, high, span;
    if (fa__is_dense(s->rank, s->shape, s->stride))
        return fa__tensor_empty(c->plan.device, s->dtype, s->rank, s->shape, c->plan.queue);
    fa__extent(s->rank, s->shape, s->stride, &low, &high);
    span = high - low;
    fa_tensor *memory = fa__tensor_empty(c->plan.device, s->dtype, 1, &span, c->plan.queue);
    if (!memory)
        return NULL;
    fa_tensor *t = fa__tensor_new(memory->storage, s->dtype, s->rank, s->shape, s->stride, -low);
    fa__unref(memory);
    return t;
}

static FA__HOT fa_tensor *make_new(fa__call *c, const fa__spec *s)
{
    return c->op->traits->sets_strides ? make_laid(c, s)
                                       : fa__tensor_empty(c->plan.device, s->dtype, s->rank, s->shape, c->plan.queue);
}

/* Where the device has to wait for memory, the ledger counts that for the function that the program called. */
static fa_tensor *make_on_device(fa__call *c, const fa__spec *s)
{
    FA__WORK_FOR(fa__asked_for(c));
    return make_new(c, s);
}

static fa_tensor *make(fa__call *c, const fa__spec *s)
{
    if (c->op->traits->view)
        return make_view(c, s);
    return FA__LIKELY(c->plan.device->host) ? make_new(c, s) : make_on_device(c, s);
}

static bool make_list(fa__call *c)
{
    for (size_t k = 0; k < c->list->count; k++) {
        fa_tensor *t = make(c, &c->spec[k]);
        if (!t)
            return false;
        sign(c, t);
        c->list->item[k] = t;
    }
    return true;
}

FA__HOT bool fa__make_results(fa__call *c)
{
    if (FA__UNLIKELY(!c->op->nresults))
        return make_list(c);
    for (int i = 0; i < c->op->nresults; i++) {
        if (i == 0 && c->given) {
            c->out[0] = c->given;
            continue;
        }
        const fa__spec *s = &c->spec[i];
        fa_tensor *t = make(c, s);
        if (FA__UNLIKELY(!t))
            return false;
        sign(c, t);
        c->out[i] = fa__own(t);
        if (FA__UNLIKELY(!c->out[i]))
            return false;
    }
    return true;
}
