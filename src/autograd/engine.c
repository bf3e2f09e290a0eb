/* Runs the backward pass: processes nodes from the highest level down, calls each one's gradient function on its
 * accumulated gradients, and propagates the results along its edges. */
#include "autograd/engine.h"
#include "autograd/team.h"
#include "base/alloc.h"
#include "base/site.h"
#include "base/text.h"
#include <math.h>
#include <string.h>

/* ---- destinations of gradients ---- */

/* A gradient converted to the dtype and device of its tensor. NULL after an error. */
static inline fa_tensor *fitted(fa_tensor *g, int dtype, fa__device *device)
{
    if (FA__LIKELY(g->dtype == dtype && fa__tensor_device(g) == device))
        return g;
    return fa_move(g, .device = device->id, .dtype = (fa_dtype)dtype);
}

fa_tensor *fa__fitted(const fa__node *n, uint32_t slot, fa_tensor *g)
{
    return fitted(g, (int)n->result[slot].dtype, n->result[slot].device);
}

FA__HOT bool fa__deliver_to_leaf(fa__pass *w, fa_tensor *leaf, fa_tensor *g)
{
    if (!w->captures)
        return fa__to_leaf(w, leaf, g);
    g = fitted(g, (int)fa__gradient_dtype(leaf->dtype), fa__tensor_device(leaf));
    if (!g)
        return false;
    for (size_t i = 0; i < w->captures; i++)
        if (w->at[i] == &leaf->object && !fa__add_up(w, &w->caught[i], g))
            return false;
    return true;
}

FA__HOT bool fa__deliver(fa__pass *w, fa__object *to, uint32_t slot, fa_tensor *g)
{
    if (to->type != FA__TYPE_NODE)
        return fa__deliver_to_leaf(w, (fa_tensor *)to, g);
    const fa__result *r = &((const fa__node *)to)->result[slot];
    fa__pending_node *p = fa__pending_of(&w->work, (fa__node *)to);
    g = fitted(g, (int)r->dtype, r->device);
    return p && g && fa__add_up(w, &fa__pending_gy(p)[slot], g);
}

/* ---- one node ---- */

static void name_node(struct fa__text *text, const fa__node *n)
{
    const fa__op *called = n->called ? n->called : n->op;
    fa__text_add(text, "%s%s", fa__op_prefix(called), called->name);
    if (called != n->op)
        fa__text_add(text, " (its %s)", n->op->name);
    if (n->made_at) {
        fa__text_add(text, ", recorded at ");
        fa__describe_site(text, n->made_at);
    }
}

static FA__COLD bool node_fails(const fa__node *n, const char *text)
{
    char name[300];
    struct fa__text t = fa__text_in(name, sizeof name);
    name_node(&t, n);
    return fa__fail(FA_ERROR_GRADIENT, "backward of %s: %s", name, text);
}

bool fa__hook_fits(const fa_tensor *other, const fa_tensor *g, struct fa__text *what)
{
    if (!fa__tensor_check(other, "the gradient that a hook returned"))
        return false;
    if (fa__same_shape(other, g) && other->dtype == g->dtype && fa__tensor_device(other) == fa__tensor_device(g))
        return true;
    fa__text_add(what, "a hook returned a gradient ");
    fa__describe_tensor(what, other, false);
    fa__text_add(what, " in the place of ");
    fa__describe_tensor(what, g, false);
    return false;
}

static const char *changer(const fa__op *op)
{
    if (!op)
        return "something";
    return strcmp(op->name, "update") ? op->name : "fa_update(), which fa_optim_step() calls,";
}

static FA__COLD bool was_changed(const fa__node *n, const char *what, const fa_tensor *t, uint64_t kept, uint64_t now)
{
    char name[300], text[700];
    struct fa__text tensor = fa__text_in(name, sizeof name);
    fa__describe_tensor(&tensor, t, true);
    snprintf(
        text, sizeof text,
        "%s was changed in place by %s after it was recorded: it is at version %llu, kept was version %llu; it is %s",
        what, changer(t->storage->changed_by), (unsigned long long)now, (unsigned long long)kept, name);
    return node_fails(n, text);
}

static bool check_version(const fa__node *n, const char *what, const fa_tensor *t, uint64_t kept)
{
    uint64_t now = atomic_load_explicit(&t->storage->version, memory_order_relaxed);
    return FA__LIKELY(now == kept) || was_changed(n, what, t, kept, now);
}

static bool check_list(const fa__node *n, const fa__field *f)
{
    const fa_tensors *list = fa__field_at(n->args, f);
    for (size_t k = 0; k < list->count; k++)
        if (!check_version(n, f->name, list->item[k], n->edge[n->op->nfields + k].version))
            return false;
    return true;
}

static bool check_kept(const fa__node *n)
{
    if (!n->keeps)
        return true;
    if (n->released)
        return node_fails(n, "its operands were dropped by an earlier backward: fa_detach() cuts off what an earlier "
                             "step computed, .retain_graph = true keeps them for a second backward");
    FA__EACH_BIT (i, n->kept) {
        const fa__field *f = &n->op->fields[i];
        const fa_tensor *t = f->kind != FA__TENSORS ? fa__field_tensor(n->args, f) : NULL;
        if (t && t->storage && !check_version(n, f->name, t, n->edge[i].version))
            return false;
        if (f->kind == FA__TENSORS && !check_list(n, f))
            return false;
    }
    for (uint32_t i = 0; i < n->results; i++)
        if (n->result[i].kept
            && !check_version(n, n->op->results[i] ? n->op->results[i] : "the result", n->result[i].kept,
                              n->result[i].version))
            return false;
    return true;
}

/* A saved result as the gradient function sees it: with its history if backward itself is recorded. */
static fa_tensor *result_again(const fa__pass *w, fa__node *n, uint32_t i)
{
    fa_tensor *y = fa__own(fa__tensor_alias(n->result[i].kept));
    if (y && w->create && fa__dtype_is_float(y->dtype)) {
        y->node = fa__ref(n);
        y->slot = i;
    }
    return y;
}

static FA__NOINLINE fa_tensor *zeros_for(const fa__result *r)
{
    fa_shape shape = {.rank = r->rank};
    memcpy(shape.dim, r->shape, sizeof shape.dim[0] * (size_t)r->rank);
    return fa_zeros(shape, .dtype = r->dtype, .device = r->device->id);
}

/* Runs the hooks of a result, which may replace the gradient, and retains the gradient if requested. */
static FA__NOINLINE bool run_hooks(fa__node *n, uint32_t slot, fa_tensor **g)
{
    const int64_t newest = fa__newest_hook();
    int64_t id = 0;
    for (fa__hook *h; (h = fa__next_hook(n->hooks, id, newest)) != NULL;) {
        id = h->id;
        if (h->slot != slot || h->retain)
            continue;
        fa_tensor *other = fa__hook_call(h, *g);
        if (fa__failed())
            return false;
        char text[400];
        struct fa__text what = fa__text_in(text, sizeof text);
        if (other && !fa__hook_fits(other, *g, &what))
            return node_fails(n, text);
        *g = other ? fa__own(fa__ref(other)) : *g;
    }
    for (fa__hook *h = n->hooks; h; h = h->next)
        if (h->slot == slot && h->retain && !fa__retain(h->context, *g))
            return false;
    return true;
}

/* The accumulated gradients, after hooks and in the dtype of the results; zeros for those that are missing. */
static bool collect(fa__pass *w, fa__pending_node *p, fa__back *b)
{
    fa__node *n = p->node;
    fa_tensor **gy = fa__pending_gy(p);
    for (uint32_t i = 0; i < n->results; i++) {
        const fa__result *r = &n->result[i];
        fa_tensor *g = gy[i];
        if (FA__UNLIKELY(n->hooks != NULL) && g && !run_hooks(n, i, &g))
            return false;
        for (size_t k = 0; g && k < w->captures; k++)
            if (w->at[k] == &n->object && w->slot[k] == i)
                w->caught[k] = fa__ref(g);
        if (!g && !n->op->traits->null_gy && fa__dtype_is_float(r->dtype))
            g = zeros_for(r);
        if (fa__failed())
            return false;
        b->gy[i] = g;
        b->y[i] = r->kept ? result_again(w, n, i) : NULL;
    }
    return true;
}

static bool has_nan(fa_tensor *g)
{
    return fa__dtype_is_float(g->dtype) && fa_item(fa_sum(fa_ne(g, g))) > 0;
}

static FA__COLD bool check_given_gradients(fa__node *n, fa_tensor *const *gx)
{
    for (uint32_t i = 0; i < n->edges; i++)
        if (gx[i] && has_nan(gx[i])) {
            char text[100];
            snprintf(text, sizeof text, "the gradient of operand %u has NaN in it", i);
            return node_fails(n, text);
        }
    return true;
}

/* Adds the name of the operation to an error of its gradient function. */
static FA__COLD bool gradient_failed(const fa__node *n)
{
    char name[300];
    struct fa__text text = fa__text_in(name, sizeof name);
    name_node(&text, n);
    fa_error_append(", in the backward of %s", name);
    return false;
}

/* What a node's gradient function has computed goes along its edges. */
static inline __attribute__((__always_inline__)) bool deliver_all(fa__pass *w, const fa__node *n, const uint8_t *wanted,
                                                                  fa_tensor **gx)
{
    for (uint32_t i = 0; i < n->edges; i++) {
        if (!wanted[i] || !gx[i])
            continue;
        if (FA__UNLIKELY(w->outer != NULL) && fa__teammate_defers(w->outer, n->edge[i].to)) {
            if (!fa__teammate_defer(w->outer, (fa_tensor *)n->edge[i].to, gx[i]))
                return false;
        } else if (!fa__deliver(w, n->edge[i].to, n->edge[i].slot, gx[i]))
            return false;
    }
    return true;
}

/* `planned` is NULL if one thread processes the pass. */
static inline __attribute__((__always_inline__)) bool run_with(fa__pass *w, fa__pending_node *p, uint8_t *wanted,
                                                               fa_tensor **gx, fa_tensor **gy, fa_tensor **y,
                                                               const fa__target *planned)
{
    fa__node *n = p->node;
    bool any = false;
    fa__back b;
    b.node = n;
    b.args = n->args;
    b.wanted = wanted;
    b.gx = gx;
    b.gy = gy;
    b.y = y;
    for (uint32_t i = 0; i < n->edges; i++) {
        wanted[i] = n->edge[i].to && (!w->needed || fa__is_needed(w->needed, n->edge[i].to));
        gx[i] = NULL;
        any |= wanted[i];
    }
    if (!collect(w, p, &b))
        return false;
    if (!any)
        return true;
    if (!check_kept(n))
        return false;
    if (n->op->traits->grad)
        n->op->traits->grad(&b);
    else
        fa__set_derived_grads(&b);
    if (fa__failed())
        return gradient_failed(n);
    if (FA__UNLIKELY(w->anomaly) && !check_given_gradients(n, gx))
        return false;
    if (planned ? !fa__team_send_all(w, planned, gx) : !deliver_all(w, n, wanted, gx))
        return false;
    if (!w->retain)
        fa__node_release(n);
    return true;
}

/* For nodes with long lists of operands or results, and those of plans. */
static FA__COLD FA__NOINLINE bool run_wide(fa__pass *w, fa__pending_node *p, const fa__target *planned)
{
    size_t edges = p->node->edges, results = p->node->results;
    fa_tensor **gx = fa__malloc(edges * (sizeof *gx + 1) + 2 * results * sizeof *gx);
    fa_tensor **gy = gx ? gx + edges : NULL;
    bool good = gx && run_with(w, p, (uint8_t *)(gy + 2 * results), gx, gy, gy + results, planned);
    fa__free(gx);
    return good;
}

bool fa__run_planned(fa__pass *w, const fa__target *planned)
{
    return run_wide(w, planned->gradient, planned);
}

static bool run_node(fa__pass *w, fa__pending_node *p)
{
    enum { FEW = 20 };
    uint8_t wanted[FEW];
    fa_tensor *gx[FEW], *gy[FA__MAX_RESULTS], *y[FA__MAX_RESULTS];
    bool few = p->node->edges <= FEW && p->node->results <= FA__MAX_RESULTS;
    return FA__LIKELY(few) ? run_with(w, p, wanted, gx, gy, y, NULL) : run_wide(w, p, NULL);
}

void fa__use_stream(fa_stream *stream)
{
    fa__context *c = fa__ctx();
    c->used[c->used_count - 1].stream = stream;
}

static FA__HOT bool walk_nodes(fa__pass *w)
{
    for (fa__pending_node p;;) {
        if (FA__UNLIKELY(w->work.several) && fa__team_may(w))
            return fa__team_walk(w);
        if (!fa__pending_next(&w->work, &p))
            return true;
        if (FA__UNLIKELY(p.node->queue
                         != NULL)) /* a gradient is computed on the stream of its forward call; the CPU has none */
            fa__use_stream(p.node->queue->stream);
        bool good = run_node(w, &p);
        if (FA__UNLIKELY(w->ready != NULL))
            good = good && fa__ready_done(w, p.node);
        fa__scope_empty(w->scope);
        fa__pending_drop(&p);
        if (!good)
            return false;
    }
}

FA__HOT bool fa__walk_on(fa__pass *w)
{
    fa_stream *before = fa__ctx()->settings->stream;
    bool good = walk_nodes(w);
    fa__use_stream(before);
    return good && fa__finish_leaves(w);
}

FA__HOT void fa__walk_end(fa__pass *w)
{
    fa__leaves_end(w);
    if (FA__UNLIKELY(w->ready != NULL))
        fa__ready_free(w->ready);
    fa__pending_end(&w->work);
    fa__needed_free(w->needed);
}
