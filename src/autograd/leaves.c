/* Accumulation of gradients in leaves, and their hooks. For a leaf with hooks, the complete gradient is computed
 * first. */
#include "autograd/engine.h"
#include "base/alloc.h"
#include "base/log.h"
#include "base/text.h"
#include "dispatch/views.h"

/* True if there is no other reference to a gradient or its memory. */
static bool is_alone(const fa_tensor *g)
{
    return atomic_load(&g->object.references) == 1 && atomic_load(&g->storage->object.references) == 1 && !g->base
           && !g->storage->borrowed;
}

/* True if it can also be modified in place. */
static FA__HOT bool is_ours(const fa_tensor *g)
{
    return is_alone(g) && !g->node && g->dense && (size_t)fa__numel(g) * fa__dtype_size(g->dtype) == g->storage->bytes;
}

FA__HOT bool fa__add_up(const fa__pass *w, fa_tensor **sum, fa_tensor *g)
{
    if (!*sum) {
        *sum = fa__ref(g);
        return true;
    }
    if (!w->create && (*sum)->storage && is_ours(*sum) && (*sum)->dtype == g->dtype)
        return fa_add_(*sum, g) != NULL;
    fa_tensor *both = fa_add(*sum, g);
    if (!both)
        return false;
    fa__unref(*sum);
    *sum = fa__ref(both);
    return true;
}

static bool replace(fa__autograd *a, fa_tensor *g)
{
    if (!g)
        return false;
    fa__unref(a->grad);
    a->grad = fa__ref(g);
    return true;
}

static bool add(const fa__pass *w, fa__autograd *a, fa_tensor *g)
{
    return w->create ? replace(a, fa_add(a->grad, g)) : fa_add_(a->grad, g) != NULL;
}

/* The same for a gradient that a step has used. */
static FA__COLD bool add_to_used(const fa__pass *w, fa__autograd *a, fa_tensor *g)
{
    if (fa_tensor_version(a->grad) != a->used) {
        fa__grad_renew(a);
        return add(w, a, g);
    }
    bool good = add(w, a, g);
    a->used = fa_tensor_version(a->grad);
    a->sums++;
    return good;
}

/* Called with the lock held. */
static FA__HOT bool store(const fa__pass *w, fa__autograd *a, fa_tensor *g)
{
    if (!a->grad) {
        bool as_is = g->storage && (w->create ? is_alone(g) : is_ours(g));
        return replace(a, as_is ? g : fa__row_major(g));
    }
    return FA__LIKELY(a->used < 0) ? add(w, a, g) : add_to_used(w, a, g);
}

/* A gradient with a history is stored in a tensor that the history refers to: reference counting frees neither, and
 * such a reference cannot be told from one that the program still uses. Logs a warning, once. */
static FA__COLD void warn_of_cycle(void)
{
    static _Atomic bool warned;
    if (!atomic_exchange(&warned, true))
        fa__warn(".create_graph: a gradient that a tensor keeps holds the graph, and that the tensor: "
                 "fa_set_grad(t, NULL) takes it away; fa_grad_of keeps none in leaves");
}

/* Unlocks after an addition. */
static FA__HOT bool added(fa__autograd *a, bool good)
{
    bool cycle = good && a->grad->node;
    pthread_mutex_unlock(&a->lock);
    if (FA__UNLIKELY(cycle))
        warn_of_cycle();
    return good;
}

/* Adds g to the gradient that fa_grad returns, like fa__add_up. */
static FA__HOT bool add_to_grad(const fa__pass *w, fa__autograd *a, fa_tensor *g)
{
    pthread_mutex_lock(&a->lock);
    return added(a, store(w, a, g));
}

bool fa__retain(fa__autograd *a, fa_tensor *g)
{
    pthread_mutex_lock(&a->lock);
    return added(a, replace(a, a->grad ? fa_add(a->grad, g) : fa__row_major(g)));
}

static FA__HOT fa_tensor *through_hooks(fa_tensor *leaf, fa_tensor *g)
{
    if (FA__LIKELY(!fa__autograd_if(leaf)->hooks))
        return g;
    const int64_t newest = fa__newest_hook();
    int64_t id = 0;
    for (fa__hook *h; g && (h = fa__next_hook(fa__autograd_if(leaf)->hooks, id, newest)) != NULL;) {
        id = h->id;
        fa_tensor *other = fa__hook_call(h, g);
        char text[600];
        struct fa__text what = fa__text_in(text, sizeof text);
        if (other && !fa__hook_fits(other, g, &what)) {
            fa__text_add(&what, " for the leaf ");
            fa__describe_tensor(&what, leaf, true);
            fa__fail(FA_ERROR_GRADIENT, "fa_hook_grad: %s", text);
            return NULL;
        }
        g = fa__failed() ? NULL : other ? fa__own(fa__ref(other)) : g;
    }
    return g;
}

FA__HOT fa_tensor *fa__leaf_gradient(fa_tensor *leaf, fa_tensor *g)
{
    const fa_dtype dtype = fa__gradient_dtype(leaf->dtype);
    if ((fa_dtype)g->dtype != dtype || fa__tensor_device(g) != fa__tensor_device(leaf))
        g = fa_move(g, .dtype = dtype, .device = fa__tensor_device(leaf)->id);
    return g && fa__autograd_if(leaf) ? through_hooks(leaf, g) : g;
}

static bool run_after(fa__autograd *a)
{
    if (FA__LIKELY(!a->after))
        return true;
    const int64_t newest = fa__newest_hook();
    int64_t id = 0;
    for (fa__hook *h; (h = fa__next_hook(a->after, id, newest)) != NULL;) {
        id = h->id;
        pthread_mutex_lock(&a->lock);
        fa_tensor *g = fa__own(fa__ref(a->grad));
        pthread_mutex_unlock(&a->lock);
        if (g)
            fa__hook_call(h, g);
        if (fa__failed())
            return false;
    }
    return true;
}

static FA__HOT bool accumulate(const fa__pass *w, fa_tensor *leaf, fa_tensor *g)
{
    fa__autograd *a = fa__autograd_of(leaf);
    return a && (g = fa__leaf_gradient(leaf, g)) && add_to_grad(w, a, g) && run_after(a);
}

/* ---- leaves with hooks ---- */

struct fa__leaf {
    fa_tensor *leaf, *sum; /* references */
};

bool fa__leaf_room(fa__pass *w, fa_tensor *leaf)
{
    for (size_t i = w->leaves; i-- > 0;)
        if (w->leaf[i].leaf == leaf)
            return true;
    if (w->leaves == w->leaf_room) {
        size_t room = w->leaf_room ? 2 * w->leaf_room : 8;
        fa__leaf *larger = fa__realloc(w->leaf, room * sizeof *larger);
        if (!larger)
            return false;
        w->leaf = larger;
        w->leaf_room = room;
    }
    w->leaf[w->leaves++] = (fa__leaf){fa__ref(leaf), NULL};
    return true;
}

bool fa__leaf_collect(fa__pass *w, const fa_tensor *leaf, fa_tensor *g)
{
    size_t i = w->leaves - 1;
    while (w->leaf[i].leaf != leaf)
        i--;
    return fa__add_up(w, &w->leaf[i].sum, g);
}

bool fa__leaf_add(const fa__pass *w, fa_tensor *leaf, fa_tensor *g)
{
    return !leaf->requires_grad || accumulate(w, leaf, g);
}

FA__HOT bool fa__to_leaf(fa__pass *w, fa_tensor *leaf, fa_tensor *g)
{
    const fa__autograd *a = fa__autograd_if(leaf);
    if (FA__UNLIKELY(!leaf->requires_grad))
        return true; /* it may have stopped requiring gradients after it was recorded */
    if (FA__LIKELY(!a || !(a->hooks || a->after)))
        return accumulate(w, leaf, g);
    return fa__leaf_room(w, leaf) && fa__leaf_collect(w, leaf, g);
}

static bool finish(fa__pass *w, fa__leaf *l)
{
    fa__scope scope = fa__scope_open("backward", 0);
    fa_tensor *g = fa__own(l->sum);
    l->sum = NULL;
    bool good = g && accumulate(w, l->leaf, g);
    fa__scope_close(&scope);
    return good;
}

bool fa__finish_leaf(fa__pass *w, const fa_tensor *leaf)
{
    for (size_t i = 0; i < w->leaves; i++)
        if (w->leaf[i].leaf == leaf && w->leaf[i].sum)
            return finish(w, &w->leaf[i]);
    return true;
}

FA__HOT bool fa__finish_leaves(fa__pass *w)
{
    bool good = true;
    for (size_t i = 0; good && i < w->leaves; i++)
        good = !w->leaf[i].sum || finish(w, &w->leaf[i]);
    return good;
}

FA__HOT void fa__leaves_end(fa__pass *w)
{
    for (size_t i = 0; i < w->leaves; i++) {
        fa__unref(w->leaf[i].leaf);
        fa__unref(w->leaf[i].sum);
    }
    fa__free(w->leaf);
}
