/* The public functions of facula/autograd.h. */
#include "autograd/engine.h"
#include "base/log.h"
#include "base/text.h"
#include "core/capture.h"
#include "core/list.h"
#include <facula/plain.h>

/* ---- leaves and gradients ---- */

bool(fa_set_requires_grad)(fa_tensor *t, bool requires_grad)
{
    if (!fa__tensor_check(t, "fa_set_requires_grad: the tensor"))
        return false;
    if (t->node)
        return requires_grad
               || fa__fail(FA_ERROR_GRADIENT, "fa_set_requires_grad: the result of a recorded operation always needs "
                                              "gradients; fa_detach cuts it off");
    if (requires_grad && !fa__dtype_is_float(t->dtype))
        return fa__fail(FA_ERROR_DTYPE, "fa_set_requires_grad: only floating tensors can need gradients, not %s",
                        fa__dtype_names[t->dtype]);
    if (t->requires_grad != requires_grad)
        t->history++; /* views of it notice this when they are next used */
    t->requires_grad = requires_grad;
    return true;
}

bool fa__set_requires_grad_all(fa_tensors list, bool requires_grad)
{
    bool good = fa__list_check(list, "fa_set_requires_grad");
    for (size_t i = 0; good && i < list.count; i++)
        good = (fa_set_requires_grad)(list.item[i], requires_grad);
    return good;
}

bool fa_requires_grad(const fa_tensor *t)
{
    return fa__tensor_check(t, "fa_requires_grad: the tensor") && fa__needs_grad(t);
}

bool fa_is_leaf(const fa_tensor *t)
{
    return fa__tensor_check(t, "fa_is_leaf: the tensor") && !fa__has_history(t);
}

const char *fa__grad_fn(const fa_tensor *t)
{
    const bool recorded = fa__tensor_check(t, "grad_fn: the tensor") && fa__has_history(t);
    return !recorded ? NULL : t->made_by ? t->made_by->name : "unknown";
}

/* Logs, once, that results of operations have no gradient of their own. */
static FA__COLD void warn_of_no_grad(const fa_tensor *t)
{
    static atomic_flag warned = ATOMIC_FLAG_INIT;
    char text[300];
    struct fa__text tensor = fa__text_in(text, sizeof text);
    if (atomic_flag_test_and_set(&warned))
        return;
    fa__describe_tensor(&tensor, t, true);
    fa__warn("fa_grad: only leaves, and tensors after fa_retain_grad(), have gradients: %s", text);
}

fa_tensor *fa_grad(const fa_tensor *t)
{
    if (!fa__tensor_check(t, "fa_grad: the tensor"))
        return NULL;
    fa__autograd *a = fa__autograd_if(t);
    if (!a || !a->grad) {
        if (FA__UNLIKELY(t->node != NULL))
            warn_of_no_grad(t);
        return NULL;
    }
    pthread_mutex_lock(&a->lock);
    fa_tensor *g = fa__ref(a->grad);
    pthread_mutex_unlock(&a->lock);
    return fa__own(g);
}

FA__HOT bool fa_set_grad(fa_tensor *t, fa_tensor *grad)
{
    if (!fa__tensor_check(t, "fa_set_grad: the tensor")
        || (grad && !fa__tensor_check(grad, "fa_set_grad: the gradient")))
        return false;
    if (grad == t)
        return fa__fail(FA_ERROR_ARGUMENT, "fa_set_grad: a tensor cannot be its own gradient");
    if (grad
        && (!fa__same_shape(t, grad) || fa__gradient_dtype(t->dtype) != (fa_dtype)grad->dtype
            || fa__tensor_device(t) != fa__tensor_device(grad))) {
        char text[400];
        struct fa__text both = fa__text_in(text, sizeof text);
        fa__describe_tensor(&both, grad, false);
        fa__text_add(&both, " for ");
        fa__describe_tensor(&both, t, false);
        return fa__fail(fa__tensor_device(t) != fa__tensor_device(grad) ? FA_ERROR_DEVICE : FA_ERROR_GRADIENT,
                        "fa_set_grad: shape, dtype and device have to be the tensor's%s: %s",
                        fa__dtype_is_storage(t->dtype) ? " (for f8, f32)" : "", text);
    }
    if (!grad && !t->autograd)
        return true;
    fa__autograd *a = fa__autograd_of(t);
    if (!a)
        return false;
    pthread_mutex_lock(&a->lock);
    fa_tensor *old = a->grad;
    a->grad = grad ? fa__ref(grad) : NULL;
    fa__grad_renew(a);
    pthread_mutex_unlock(&a->lock);
    fa__unref(old);
    return true;
}

int64_t fa_tensor_version(const fa_tensor *t)
{
    return fa__tensor_check(t, "fa_tensor_version: the tensor") && t->storage
               ? (int64_t)atomic_load(&t->storage->version)
               : -1;
}

/* ---- backward ---- */

static fa_tensor *described_failure(const char *name, const fa_tensor *t, fa_code code, const char *what)
{
    char text[400];
    struct fa__text tensor = fa__text_in(text, sizeof text);
    fa__describe_tensor(&tensor, t, true);
    fa__fail(code, "%s: %s: %s", name, what, text);
    return NULL;
}

/* The gradient of a tensor with one element with respect to itself. */
static fa_tensor *one(const fa_tensor *t)
{
    if (!fa__tensor_device(t)->host || (t->dtype != FA_F32 && t->dtype != FA_F64) || FA__UNLIKELY(fa__capturing()))
        return fa_ones_like(t);
    fa_tensor *g = fa__own(fa__tensor_empty(fa__tensor_device(t), (fa_dtype)t->dtype, t->rank, t->shape, NULL));
    if (g && t->dtype == FA_F32)
        *(float *)fa__tensor_data(g) = 1;
    else if (g)
        *(double *)fa__tensor_data(g) = 1;
    return g;
}

/* The initial gradient, checked; 1 if none is given for a single element. */
static FA__HOT fa_tensor *seed(const char *name, const fa_tensor *t, fa_tensor *given)
{
    if (!given && fa__numel(t) != 1)
        return described_failure(
            name, t, FA_ERROR_GRADIENT,
            "backward starts from one number, such as a mean, or from a gradient that .grad gives");
    if (!given)
        return one(t);
    if (!fa__tensor_check(given, ".grad"))
        return NULL;
    bool there = fa__tensor_device(given) == fa__tensor_device(t);
    if (!there || !fa__same_shape(given, t)) {
        char text[300];
        struct fa__text what = fa__text_in(text, sizeof text);
        if (!there)
            fa__text_add(&what, "the gradient is not on the tensor's device, %s", fa__tensor_device(t)->name);
        else {
            fa__text_add(&what, "the gradient is not of the tensor's shape, ");
            fa__describe_shape(&what, t->rank, t->shape);
        }
        return described_failure(name, given, there ? FA_ERROR_SHAPE : FA_ERROR_DEVICE, text);
    }
    const fa_dtype dtype = fa__gradient_dtype(t->dtype);
    return (fa_dtype)given->dtype == dtype ? fa__own(fa__ref(given)) : fa_to(given, dtype);
}

/* Settings for a backward pass: recording only if requested, defaults for everything else. */
static fa__scope open_settings(bool create)
{
    fa__scope use;
    fa_settings *s = fa__use_again(&use);
    if (s) {
        s->no_grad = !create;
        s->placement = FA_PLACE_STRICT;
        s->autocast = FA_SAME;
    }
    return use;
}

/* Delivers the gradient of an output. */
static bool start(fa__pass *w, const fa_tensor *t, fa_tensor *g)
{
    uint32_t slot = 0;
    fa__node *n = fa__history(t, &slot);
    if (fa__failed())
        return false;
    return fa__deliver(w, n ? &n->object : (fa__object *)(uintptr_t)&t->object, slot, g);
}

/* Hooks of leaves run when their gradients are complete, if a module asked for that. */
static bool may_be_early(fa__pass *w, const fa_tensor *t)
{
    uint32_t slot;
    fa__node *n = FA__UNLIKELY(fa__hooks_are_early()) ? fa__history(t, &slot) : NULL;
    return !n || (w->ready = fa__ready_new(n)) != NULL;
}

static FA__HOT bool can_start(const char *name, const fa_tensor *t)
{
    char what[40];
    if (FA__UNLIKELY(!t || t->object.type != FA__TYPE_TENSOR))
        return snprintf(what, sizeof what, "%s: the tensor", name), fa__tensor_check(t, what);
    if (fa__failed())
        return false;
    return fa__needs_grad(t)
           || described_failure(name, t, FA_ERROR_GRADIENT,
                                fa__ctx()->settings->no_grad
                                    ? "nothing that needs gradients went into the tensor, and .no_grad is in force here"
                                    : "nothing that needs gradients went into the tensor");
}

static const fa__op backward_op = {.name = "backward", .id = FA__OP_expression},
                    grad_of_op = {.name = "grad_of", .id = FA__OP_expression};

FA__HOT bool(fa_backward)(const fa_tensor *t, const fa_backward_options *options)
{
    FA__COMPLETE(fa_backward)
    if (!can_start("fa_backward", t))
        return false;
    FA__WORK_FOR(&backward_op);
    fa__scope use = open_settings(options->create_graph);
    fa__scope scope = fa__scope_open("fa_backward", 0);
    fa__pass w = {.scope = &scope,
                  .home = fa__tensor_device(t),
                  .create = options->create_graph,
                  .retain = options->retain_graph || options->create_graph,
                  .anomaly = fa__ctx()->settings->anomaly,
                  .outer = fa__ctx()->teammate};
    fa_tensor *g = seed("fa_backward", t, options->grad);
    fa__pass_begin();
    bool good = g && may_be_early(&w, t) && start(&w, t, g) && fa__walk_on(&w);
    fa__walk_end(&w);
    good = fa__pass_end(good);
    fa__scope_close(&scope);
    fa__use_close(&use);
    return good;
}

/* The destination of each input's gradient: its node, or the input itself if it is a leaf. */
static bool find_inputs(fa_tensors inputs, fa__object **at, uint32_t *slot)
{
    for (size_t i = 0; i < inputs.count; i++) {
        if (!fa__tensor_check(inputs.item[i], "fa_grad_of: an input"))
            return false;
        if (!fa__needs_grad(inputs.item[i]))
            return described_failure("fa_grad_of", inputs.item[i], FA_ERROR_GRADIENT,
                                     "an input does not need gradients")
                   != NULL;
        slot[i] = 0;
        fa__node *n = fa__history(inputs.item[i], &slot[i]);
        at[i] = n ? &n->object : &inputs.item[i]->object;
    }
    return !fa__failed();
}

static bool start_all(fa__pass *w, fa_tensors outputs, const fa_grad_of_options *options)
{
    fa__node *roots[outputs.count + 1];
    if (options->grad_outputs.count && options->grad_outputs.count != outputs.count)
        return fa__fail(FA_ERROR_ARGUMENT, "fa_grad_of: %zu outputs, but %zu gradients for them", outputs.count,
                        options->grad_outputs.count);
    for (size_t i = 0; i < outputs.count; i++) {
        uint32_t slot;
        if (!can_start("fa_grad_of", outputs.item[i]))
            return false;
        roots[i] = fa__history(outputs.item[i], &slot);
    }
    w->home = fa__tensor_device(outputs.item[0]);
    w->needed = fa__needed_new(outputs.count, roots, w->captures, w->at);
    if (!w->needed)
        return false;
    for (size_t i = 0; i < outputs.count; i++) {
        fa_tensor *given = options->grad_outputs.count ? options->grad_outputs.item[i] : NULL;
        fa_tensor *g = seed("fa_grad_of", outputs.item[i], given);
        if (!g || !start(w, outputs.item[i], g))
            return false;
    }
    return true;
}

/* Converts gradients captured for leaves to the form in which a leaf would accumulate them. */
static bool finish_leaves(const fa__pass *w)
{
    for (size_t i = 0; i < w->captures; i++) {
        if (!w->caught[i] || w->at[i]->type != FA__TYPE_TENSOR)
            continue;
        fa_tensor *g = fa__leaf_gradient((fa_tensor *)w->at[i], w->caught[i]);
        if (!g)
            return false;
        fa__ref(g);
        fa__unref(w->caught[i]);
        w->caught[i] = g;
    }
    return true;
}

static bool check_caught(const fa__list *caught, fa_tensors inputs, bool allow_unused)
{
    for (size_t i = 0; i < caught->count; i++)
        if (!caught->item[i] && !allow_unused)
            return described_failure("fa_grad_of", inputs.item[i], FA_ERROR_GRADIENT,
                                     "the outputs do not depend on an input (.allow_unused gives NULL for it)")
                   != NULL;
    return true;
}

static bool check_lists(fa_tensors outputs, fa_tensors inputs, fa_tensors grad_outputs)
{
    if (!outputs.count || !inputs.count)
        return fa__fail(FA_ERROR_ARGUMENT, "fa_grad_of: outputs and inputs need at least one tensor each");
    return fa__list_check(outputs, "fa_grad_of: the outputs") && fa__list_check(inputs, "fa_grad_of: the inputs")
           && fa__list_check(grad_outputs, "fa_grad_of: .grad_outputs");
}

fa_tensors(fa_grad_of)(fa_tensors outputs, fa_tensors inputs, const fa_grad_of_options *options)
{
    FA__COMPLETE(fa_grad_of)
    FA__WORK_FOR(&grad_of_op);
    fa__object *at[inputs.count + 1];
    uint32_t slot[inputs.count + 1];
    fa__list *caught = NULL;
    if (check_lists(outputs, inputs, options->grad_outputs) && find_inputs(inputs, at, slot))
        caught = fa__list_new(inputs.count);
    if (!caught)
        return FA__NO_TENSORS;
    fa__scope use = open_settings(options->create_graph);
    fa__scope scope = fa__scope_open("fa_grad_of", 0);
    fa__pass w = {.scope = &scope,
                  .create = options->create_graph,
                  .retain = options->retain_graph || options->create_graph,
                  .anomaly = fa__ctx()->settings->anomaly,
                  .captures = inputs.count,
                  .at = at,
                  .slot = slot,
                  .caught = caught->item};
    bool good = start_all(&w, outputs, options) && fa__walk_on(&w) && finish_leaves(&w)
                && check_caught(caught, inputs, options->allow_unused);
    fa__walk_end(&w);
    fa__scope_close(&scope);
    fa__use_close(&use);
    if (!good) {
        fa__unref(caught);
        return FA__NO_TENSORS;
    }
    return fa__list_own(caught);
}

/* ---- hooks ---- */

static _Atomic int64_t hook_ids;

int64_t fa__newest_hook(void)
{
    return atomic_load(&hook_ids);
}

fa__hook *fa__next_hook(fa__hook *list, int64_t behind, int64_t newest)
{
    fa__hook *next = NULL;
    for (fa__hook *h = list; h; h = h->next)
        if (h->id > behind && h->id <= newest && (!next || h->id < next->id))
            next = h;
    return next;
}

static int64_t add_hook(fa__hook **list, fa__hook hook)
{
    fa__hook *h = fa__malloc(sizeof *h);
    if (!h)
        return 0;
    *h = hook;
    h->id = atomic_fetch_add(&hook_ids, 1) + 1;
    while (*list)
        list = &(*list)->next;
    *list = h;
    return h->id;
}

static int64_t hook_on(fa_tensor *t, const char *name, fa_hook *function, void *context, bool after)
{
    uint32_t slot = 0;
    if (!fa__tensor_check(t, name))
        return 0;
    if (!function || !fa__needs_grad(t)) {
        fa__fail(FA_ERROR_ARGUMENT, "%s: %s", name, function ? "the tensor needs no gradients" : "the hook is NULL");
        return 0;
    }
    fa__node *n = fa__history(t, &slot);
    if (n && after) {
        fa__fail(FA_ERROR_GRADIENT, "%s: only leaves add up gradients", name);
        return 0;
    }
    fa__hook hook = {.slot = slot, .function = function, .context = context};
    if (n)
        return add_hook(&n->hooks, hook);
    fa__autograd *a = fa__autograd_of(t);
    return a ? add_hook(after ? &a->after : &a->hooks, hook) : 0;
}

int64_t fa_hook_grad(fa_tensor *t, fa_hook *hook, void *context)
{
    return hook_on(t, "fa_hook_grad", hook, context, false);
}

int64_t fa_hook_after(fa_tensor *t, fa_hook *hook, void *context)
{
    return hook_on(t, "fa_hook_after", hook, context, true);
}

static bool remove_hook(fa__hook **list, int64_t id)
{
    for (; *list; list = &(*list)->next)
        if ((*list)->id == id) {
            fa__hook *h = *list;
            *list = h->next;
            fa__free(h);
            return true;
        }
    return false;
}

bool fa_unhook(fa_tensor *t, int64_t hook)
{
    uint32_t slot;
    if (!fa__tensor_check(t, "fa_unhook: the tensor"))
        return false;
    fa__node *n = fa__history(t, &slot);
    fa__autograd *a = fa__autograd_if(t);
    return (n && remove_hook(&n->hooks, hook)) || (a && (remove_hook(&a->hooks, hook) || remove_hook(&a->after, hook)))
           || fa__fail(FA_ERROR_ARGUMENT, "fa_unhook: the tensor has no hook %lld", (long long)hook);
}

/* ---- tensors that follow others ---- */

/* The hook with which t follows the leader; NULL if there is none. */
static fa__hook *following(const fa_tensor *t, const fa_tensor *leader)
{
    const fa__autograd *a = fa__autograd_if(leader);
    fa__hook *h = a ? a->followers : NULL;
    while (h && h->context != t)
        h = h->next;
    return h;
}

static bool check_pair(const fa_tensor *t, const fa_tensor *leader, const char *first, const char *second)
{
    return fa__tensor_check(t, first) && fa__tensor_check(leader, second);
}

bool fa_follow(fa_tensor *t, fa_tensor *leader)
{
    if (!check_pair(t, leader, "fa_follow: the tensor", "fa_follow: the leader"))
        return false;
    const fa__autograd *own = fa__autograd_if(t);
    if (t == leader || (own && own->followers)) /* a tensor that would close a cycle has followers */
        return fa__fail(FA_ERROR_ARGUMENT, "fa_follow: the %s",
                        t == leader ? "leader is the tensor itself" : "tensor has followers of its own");
    fa__autograd *a = fa__autograd_of(leader);
    if (!a || following(t, leader))
        return a != NULL;
    fa__ref(t);
    if (add_hook(&a->followers, (fa__hook){.retain = true, .context = t}))
        return true;
    fa__unref(t);
    return false;
}

bool fa_unfollow(fa_tensor *t, fa_tensor *leader)
{
    if (!check_pair(t, leader, "fa_unfollow: the tensor", "fa_unfollow: the leader"))
        return false;
    const fa__hook *h = following(t, leader);
    if (h && remove_hook(&fa__autograd_if(leader)->followers, h->id))
        fa__unref(t);
    return true;
}

bool fa_retain_grad(fa_tensor *t)
{
    uint32_t slot = 0;
    if (!fa__tensor_check(t, "fa_retain_grad: the tensor"))
        return false;
    if (!fa__needs_grad(t))
        return fa__fail(FA_ERROR_GRADIENT, "fa_retain_grad: the tensor needs no gradients");
    fa__node *n = fa__history(t, &slot);
    fa__autograd *a = n ? fa__autograd_of(t) : NULL;
    if (!n || !a)
        return !fa__failed();
    for (const fa__hook *h = n->hooks; h; h = h->next)
        if (h->retain && h->slot == slot && h->context == a)
            return true;
    return add_hook(&n->hooks, (fa__hook){.slot = slot, .retain = true, .context = fa__ref(a)}) != 0;
}
