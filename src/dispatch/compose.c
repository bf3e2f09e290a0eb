/* Composed operations, which are calls of others, and operations whose result is a list. Errors and origins name the
 * outermost composed operation. */
#include "dispatch/call.h"

/* ---- lists ---- */

/* More results are a mistake in the arguments, which would take minutes. */
enum { MOST_PARTS = 1 << 24 };

bool fa__check_parts(const fa__call *c, size_t count)
{
    return count <= MOST_PARTS
           || fa__call_fail(c, FA_ERROR_ARGUMENT, "%zu results are more than %d", count, (int)MOST_PARTS);
}

bool fa__parts(fa__call *c, size_t count)
{
    if (!fa__check_parts(c, count))
        return false;
    fa__unref(c->list);
    c->list = fa__list_new(count);
    if (!c->list)
        return false;
    if (count > FA__MAX_RESULTS && !c->op->traits->compose_list)
        c->spec = fa__malloc(count * sizeof *c->spec);
    return c->spec != NULL;
}

bool fa__listed(fa__call *c, size_t count, fa_tensor *const *item)
{
    if (!fa__parts(c, count))
        return false;
    for (size_t k = 0; k < count; k++)
        if (!(c->list->item[k] = item[k] ? fa__ref(item[k]) : NULL))
            return false;
    return true;
}

/* ---- results ---- */

static bool is_operands(const fa__call *c, const fa__storage *memory)
{
    const fa_tensors *list = fa__list_operand(c);
    for (int i = 0; i < c->op->nfields; i++)
        if (c->tensor[i] && c->tensor[i]->storage == memory)
            return true;
    for (size_t k = 0; list && k < list->count; k++)
        if (list->item[k]->storage == memory)
            return true;
    return false;
}

/* A view of memory that the composed operation made itself is not a view for its caller. */
static void forget_base(const fa__call *c, fa_tensor *y)
{
    uint32_t slot;
    if ((!y->base && !y->no_grad_view) || is_operands(c, y->storage))
        return;
    if (y->base)
        fa__history(y, &slot);
    fa__unref(y->base);
    y->base = NULL;
    y->no_grad_view = 0;
    y->multi_view = false;
}

/* The program gets these tensors: they are no longer inner ones of a composed operation. */
static void show_results(const fa__call *c)
{
    fa_tensor *const *y = c->op->nresults ? c->out : c->list->item;
    size_t count = c->op->nresults ? (size_t)c->op->nresults : c->list->count;
    for (size_t i = 0; i < count; i++)
        if (y[i]) {
            fa__tensor_inner(y[i], false);
            if (y[i]->storage && y[i]->storage->making) /* other threads may use a storage that is not being made */
                y[i]->storage->making = false;
        }
}

/* A composed result goes into .out by a copy, under the rules of .out. In place it is there: its parts wrote it. */
static bool into_given(fa__call *c, fa_tensor *y)
{
    if (!c->given || c->inplace)
        return true;
    c->spec[0].dtype = (fa_dtype)y->dtype;
    c->spec[0].rank = y->rank;
    memcpy(c->spec[0].shape, y->shape, sizeof y->shape[0] * y->rank);
    c->plan.device = fa__tensor_device(y);
    if (!fa__check_given(c))
        return false;
    FA_USE(.no_grad = true);
    c->out[0] = c->given;
    return fa_copy_(c->given, y) != NULL;
}

/* ---- parts ---- */

static bool run_parts(fa__call *c)
{
    if (c->op->traits->compose_list)
        return c->op->traits->compose_list(c);
    c->out[0] = c->op->traits->compose(c);
    for (int i = 0; i < c->op->nresults && c->out[0]; i++)
        if (c->out[i])
            forget_base(c, c->out[i]);
    return c->out[0] != NULL;
}

/* The whole call was placed, and cast where its row has a trait for autocast: its parts are not once more. */
static FA__COLD bool run_settled_parts(fa__call *c, bool cast)
{
    FA_USE(.autocast = cast ? FA_SAME : fa__ctx()->settings->autocast, .placement = FA_PLACE_STRICT);
    return run_parts(c);
}

bool fa__compose(fa__call *c)
{
    const fa_settings *s = fa__ctx()->settings;
    bool cast = s->autocast != FA_SAME && fa__autocast_of(c) != FA__CAST_NONE;
    bool placed = s->placement == FA_PLACE_AUTO;
    fa__attribution a;
    fa__attribution_enter(&a, fa__reported_op(c), c);
    bool made = cast || placed ? run_settled_parts(c, cast) : run_parts(c);
    fa__attribution_leave(&a);
    if (made && !fa__outermost_call())
        show_results(c);
    return made && (c->op->traits->compose_list || into_given(c, c->out[0]));
}
