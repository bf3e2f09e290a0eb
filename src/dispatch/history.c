/* The history of views and bases under changes in place. */
#include "dispatch/history.h"
#include "args.h"
#include "dispatch/call.h"
#include "dispatch/views.h"

static fa_shape strides_of(const fa_tensor *t)
{
    fa_shape s = {.rank = t->rank};
    memcpy(s.dim, t->stride, sizeof s.dim[0] * t->rank);
    return s;
}

static fa_shape shape_of(const fa_tensor *t)
{
    fa_shape s = {.rank = t->rank};
    memcpy(s.dim, t->shape, sizeof s.dim[0] * t->rank);
    return s;
}

/* The base's new node: write_strided of the base as it was and of what the view became. */
static fa__node *rewritten(fa_tensor *view, fa__node *value)
{
    fa_tensor *base = view->base;
    const write_strided_args args = {.x = base,
                                     .value = view,
                                     .layout = strides_of(base),
                                     .shape = shape_of(view),
                                     .strides = strides_of(view),
                                     .offset = view->offset - base->offset};
    fa__node *n = fa__node_new(&fa__op_write_strided, &args, 1, 0, ~0U);
    if (!n)
        return NULL;
    if (value) {
        n->level = value->level + 1;
        n->edge[1].to = fa__ref(value);
    }
    if (fa__node_edge(n, 0, base) && fa__node_result(n, 0, base, false))
        return n;
    fa__unref(n);
    return NULL;
}

bool fa__rewrite_base(fa_tensor *view, fa__node *value)
{
    fa_tensor *base = view->base;
    fa__node *n = rewritten(view, value);
    if (!n)
        return false;
    bool flows = n->edge[0].to || n->edge[1].to;
    fa__node_attach(base, flows ? fa__ref(n) : NULL, 0);
    base->history++;
    fa__unref(n);
    return true;
}

/* The view's new node: strided_part of the base as it is now. */
static bool renew_view(fa_tensor *view)
{
    fa_tensor *base = view->base;
    fa__node *n = NULL;
    if (fa__needs_grad(base)) {
        const strided_part_args args = {.x = base,
                                        .layout = strides_of(base),
                                        .shape = shape_of(view),
                                        .strides = strides_of(view),
                                        .offset = view->offset - base->offset};
        n = fa__node_new(&fa__op_strided_part, &args, 1, 0, ~0U);
        if (!n || !fa__node_edge(n, 0, base) || !fa__node_result(n, 0, view, false)) {
            fa__unref(n);
            return false;
        }
    }
    fa__node_attach(view, n, 0);
    view->base_history = base->history;
    return true;
}

__attribute__((__constructor__)) static void renew(void)
{
    fa__renew_view = renew_view;
}

/* ---- differentiable copies with given strides ---- */

fa_tensor *fa__row_major(const fa_tensor *t)
{
    fa_shape layout = {.rank = t->rank};
    fa__dense_strides(t->rank, t->shape, layout.dim);
    return fa__relaid(t, layout);
}

fa_tensor *fa__with_layout(fa_tensor *t, fa_shape layout)
{
    for (int i = 0; i < t->rank; i++)
        if (t->shape[i] > 1 && t->stride[i] != layout.dim[i])
            return fa__relaid(t, layout);
    return t;
}
