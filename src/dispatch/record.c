/* Recording: a call whose results need gradients leaves a node behind. In place, the changed tensor's history becomes
 * the call's; a changed view rewrites the history of its base. */
#include "dispatch/call.h"
#include "dispatch/history.h"

/* Operands whose shape backward asks for: those that were broadcast. */
static uint32_t broadcast_operands(const fa__call *c, uint32_t wants)
{
    uint32_t shape_only = 0;
    FA__EACH_BIT (i, wants)
        if (!fa__same_shape(c->tensor[i], c->out[0]) || c->tensor[i]->dtype != c->out[0]->dtype)
            shape_only |= 1U << i;
    return shape_only;
}

static bool add_edges(fa__call *c, fa__node *n, uint32_t wants)
{
    FA__EACH_BIT (i, wants)
        if (!fa__node_edge(n, (int)i, (fa_tensor *)(uintptr_t)c->tensor[i]))
            return false;
    FA__EACH_BIT (i, c->op->of[FA__TENSORS]) {
        const fa_tensors *list = fa__field_at(c->args, &c->op->fields[i]);
        for (size_t k = 0; k < list->count; k++)
            if (fa__dtype_is_float(list->item[k]->dtype) && !fa__node_edge(n, c->op->nfields + (int)k, list->item[k]))
                return false;
    }
    return true;
}

/* Takes over a reference to the node. */
static void attach(fa_tensor *t, fa__node *n, uint32_t slot)
{
    fa__node_attach(t, n, slot);
    t->requires_grad = false;
    if (t->base)
        t->base_history = t->base->history;
}

static bool add_results(fa__call *c, fa__node *n, uint32_t kept)
{
    for (uint32_t i = 0; !c->op->nresults && i < n->results; i++)
        if (!fa__node_result(n, i, c->list->item[i], false))
            return false;
    for (int i = 0; i < c->op->nresults; i++) {
        bool keep = kept >> i & 1;
        if (!fa__node_result(n, (uint32_t)i, c->out[i], keep))
            return false;
    }
    return true;
}

/* A change in place ends the history that the tensor had, also when nothing flows through the change. */
static bool changed_in_place(fa__call *c, fa__node *n)
{
    fa_tensor *t = c->given;
    if (t->base)
        return fa__rewrite_base(t, n);
    if (n)
        attach(t, fa__ref(n), 0);
    else {
        fa__unref(t->node);
        t->node = NULL;
    }
    t->history++;
    return true;
}

/* Whether the gradient comes from the expression. */
static bool is_derived(const fa__call *c)
{
    return fa__is_elementwise(c->op) && !c->op->traits->grad;
}

/* What the gradient function needs for the gradients that are wanted: fields, and results behind them. */
static uint32_t kept_for(const fa__op *op, uint32_t wants)
{
    uint32_t keep = op->keep;
    if (op->keep_for)
        FA__EACH_BIT (i, op->keep)
            if (!(op->keep_for[i] & wants))
                keep &= ~(1U << i);
    return keep;
}

/* Which operands' gradients are wanted, and what backward needs for them. */
static FA__HOT bool find_needs(const fa__call *c, fa__needs *needs)
{
    *needs = (fa__needs){.wants = c->plan.wants, .keep = kept_for(c->op, c->plan.wants)};
    return !is_derived(c) || fa__needs_of(c->op, needs->wants, needs);
}

/* The arguments to be recorded, which may differ from the call's. NULL and an error without memory. */
static void *recorded_args(fa__call *c)
{
    if (!c->plan.recorded && (c->plan.recorded = fa__malloc(c->op->args_size)))
        memcpy(c->plan.recorded, c->args, c->op->args_size);
    return c->plan.recorded;
}

bool fa__keep_overwritten(fa__call *c)
{
    fa__needs needs;
    if (!find_needs(c, &needs))
        return false;
    FA__EACH_BIT (i, fa__tensor_fields(c->op)) {
        if (!(needs.keep >> i & 1) || !c->tensor[i] || c->tensor[i]->storage != c->given->storage)
            continue;
        const fa_tensor *copy = fa_clone(c->tensor[i]);
        void *args = copy ? recorded_args(c) : NULL;
        if (!args)
            return false;
        fa__put_tensor(args, &c->op->fields[i], copy);
    }
    return true;
}

static fa__node *make_node(fa__call *c)
{
    fa__needs needs;
    if (!find_needs(c, &needs))
        return NULL;
    uint32_t shape_only = ~0U;
    if (is_derived(c))
        shape_only = needs.wants ? broadcast_operands(c, needs.wants) : 0;
    uint32_t results = c->op->nresults ? c->op->nresults : (uint32_t)c->list->count;
    const void *args = c->plan.recorded ? c->plan.recorded : c->args;
    fa__node *n = fa__node_new(c->op, args, results, needs.keep, shape_only);
    if (!n)
        return NULL;
    n->called = fa__outermost(c)->op;
    n->made_at = fa__outermost(c)->site;
    n->queue = c->plan.queue;
    if (FA__UNLIKELY(c->op->compiled && c->op->compiled->owner))
        n->own = fa__ref(c->op->compiled->owner);
    if (add_edges(c, n, needs.wants) && add_results(c, n, is_derived(c) ? needs.keep_y : needs.keep >> c->op->nfields))
        return n;
    fa__unref(n);
    return NULL;
}

static void attach_all(const fa__call *c, fa__node *n)
{
    fa_tensor *const *y = c->op->nresults ? c->out : c->list->item;
    for (uint32_t i = 0; i < n->results; i++)
        if (fa__dtype_is_float(y[i]->dtype))
            attach(y[i], fa__ref(n), i);
}

FA__HOT bool fa__record(fa__call *c)
{
    fa__node *n = make_node(c);
    if (!n)
        return false;
    bool useful = n->joined && !(c->given && !fa__dtype_is_float(c->given->dtype)), good = true;
    if (c->given && c->inplace)
        good = changed_in_place(c, useful ? n : NULL);
    else if (FA__LIKELY(useful && c->op->nresults == 1 && fa__dtype_is_float(c->out[0]->dtype))) {
        attach(c->out[0], n, 0);
        return true;
    } else if (useful)
        attach_all(c, n);
    fa__unref(n);
    return good;
}
