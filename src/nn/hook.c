/* Module hooks: adding and removing them, and running a module that has hooks. Backward hooks are implemented by
 * identity functions on the inputs and the output of the module, whose gradient functions call the hooks. */
#include "nn/layer.h"
#include "nn/module.h"
#include <facula/autograd.h>
#include <facula/error.h>
#include <facula/host.h>
#include <facula/nn.h>
#include <facula/ops/create.h>
#include <facula/scope.h>
#include <facula/tensor.h>
#include <inttypes.h>
#include <string.h>

static const fa_object_type hook_type = {"hook", NULL};

static int64_t hook_add(fa_module *module, fa__hook_kind kind, void (*function)(void), void *context, const char *who)
{
    if (!fa__module_check(module, who))
        return 0;
    if (!function)
        return fa_fail(FA_ERROR_ARGUMENT, "%s: the hook is NULL", who);
    FA_SCOPE;
    fa__module_hook *h = fa__hold(fa_object_new(&hook_type, sizeof *h)), **end = &module->hooks;
    if (!h)
        return 0;
    h->number = ++module->hooks_added;
    h->kind = kind;
    h->function = function;
    h->context = context;
    while (*end)
        end = &(*end)->next;
    *end = h;
    return h->number;
}

#define HOOK(name, type, kind)                                                                                         \
    int64_t fa_module_hook_##name(fa_module *module, type *hook, void *context)                                        \
    {                                                                                                                  \
        return hook_add(module, kind, (void (*)(void))hook, context, "fa_module_hook_" #name);                         \
    }
HOOK(forward_pre, fa_forward_pre_hook, FA__FORWARD_PRE)
HOOK(forward, fa_forward_hook, FA__FORWARD)
HOOK(backward_pre, fa_backward_pre_hook, FA__BACKWARD_PRE)
HOOK(backward, fa_backward_hook, FA__BACKWARD)

/* Where the module refers to a hook; NULL and an error: it has none of this number. */
static fa__module_hook **hook_find(fa_module *module, int64_t hook, const char *who)
{
    if (!fa__module_check(module, who))
        return NULL;
    fa__module_hook **at = &module->hooks;
    while (*at && (*at)->number != hook)
        at = &(*at)->next;
    if (*at)
        return at;
    fa_fail(FA_ERROR_ARGUMENT, "%s: the module %s has no hook %" PRId64, who, module->kind, hook);
    return NULL;
}

int64_t fa__module_hook_change(fa_module *module, int64_t hook, bool first, bool always)
{
    fa__module_hook **at = hook_find(module, hook, "fa__module_hook_change"), *h = at ? *at : NULL;
    if (!h)
        return 0;
    h->always = always;
    if (first && h->number > 0) {
        *at = h->next;
        h->next = module->hooks;
        h->number = -h->number; /* a later one is before it */
        module->hooks = h;
    }
    return h->number;
}

bool fa_module_unhook(fa_module *module, int64_t hook)
{
    fa__module_hook **at = hook_find(module, hook, "fa_module_unhook");
    if (!at)
        return false;
    fa__module_hook *gone = *at;
    *at = gone->next;
    fa__unhold(gone);
    return true;
}

/* The next hook of a kind after that number, up to `last`, by value: hooks may be added and removed while others are
 * called. */
static bool hook_next(const fa_module *module, fa__hook_kind kind, int64_t last, fa__module_hook *h)
{
    for (const fa__module_hook *next = module->hooks; next && next->number <= last; next = next->next)
        if (next->kind == kind && next->number > h->number) {
            *h = *next;
            return true;
        }
    return false;
}

#define EACH_HOOK(h, module, kind)                                                                                     \
    for (fa__module_hook h = {.number = INT64_MIN, .next = NULL}, *once = &h; once; once = NULL)                       \
        for (int64_t last = (module)->hooks_added; !fa_error_stands() && hook_next(module, kind, last, &h);)

static bool has(const fa_module *module, fa__hook_kind kind)
{
    fa__module_hook h = {.number = INT64_MIN};
    return hook_next(module, kind, INT64_MAX, &h);
}

/* ---- backward ---- */

/* State shared by the hooks of one run of a module. */
typedef struct passage {
    fa_object base;
    fa_module *module;
    fa_tensor *grad_output; /* detached; NULL: not computed yet */
    bool no_input;          /* no input requires a gradient */
} passage;

/* The identity function on input `number`. */
typedef struct gate {
    fa_object base;
    passage *passage;
    size_t number;
} gate;

static void passage_destroy(void *object)
{
    passage *p = object;
    fa__unhold(p->module);
    fa__unhold(p->grad_output);
}

static void gate_destroy(void *object)
{
    fa__unhold(((gate *)object)->passage);
}

static const fa_object_type passage_type = {"run of a module", passage_destroy}, gate_type = {"input", gate_destroy};

static fa_tensor *pass(void *context, fa_tensors inputs)
{
    (void)context;
    return inputs.item[0];
}

static void let_go(void *context)
{
    fa__unhold(context);
}

/* The gradient after a hook: the hook's result if it is not NULL. */
static fa_tensor *passed_on(fa_tensor *grad, fa_tensor *other)
{
    if (!grad || !other)
        return grad;
    fa_shape s = fa_tensor_shape(grad), t = fa_tensor_shape(other);
    if (s.rank != t.rank || memcmp(s.dim, t.dim, (size_t)s.rank * sizeof *s.dim))
        fa_fail(FA_ERROR_SHAPE, "a gradient %s was put in the place of one %s", fa__shape_write(t).text,
                fa__shape_write(s).text);
    return other;
}

/* True if no hook failed; otherwise the error names the module. */
static bool went_well(const passage *p)
{
    if (fa_error_stands())
        fa_error_append(", in a backward hook of %s", p->module->kind);
    return !fa_error_stands();
}

static fa_tensor *call_backward(const passage *p, size_t input, fa_tensor *grad)
{
    EACH_HOOK(h, p->module, FA__BACKWARD)
    {
        fa_tensor *other = ((fa_backward_hook *)h.function)(p->module, input, grad, p->grad_output, h.context);
        grad = passed_on(grad, other);
    }
    return grad;
}

/* Hooks of gradients run without autocast, which backward functions have as their forward had it. */
static bool leave(void *context, fa_tensors saved, fa_tensor *grad, fa_tensor **grad_inputs)
{
    (void)saved;
    FA_USE(.autocast = FA_SAME);
    passage *p = context;
    EACH_HOOK(h, p->module, FA__BACKWARD_PRE)
    {
        fa_tensor *other = ((fa_backward_pre_hook *)h.function)(p->module, grad, h.context);
        grad = passed_on(grad, other);
    }
    fa__unhold(p->grad_output);
    p->grad_output = fa__hold(fa_detach(grad));
    if (p->no_input)
        call_backward(p, 0, NULL);
    grad_inputs[0] = grad;
    return went_well(p);
}

static bool enter(void *context, fa_tensors saved, fa_tensor *grad, fa_tensor **grad_inputs)
{
    (void)saved;
    FA_USE(.autocast = FA_SAME);
    const gate *g = context;
    grad_inputs[0] = call_backward(g->passage, g->number, grad);
    return went_well(g->passage);
}

static const fa_function entrance = {.name = "a module's input", .forward = pass, .backward = enter, .release = let_go},
                         way_out = {.name = "a module's result", .forward = pass, .backward = leave, .release = let_go};

static fa_tensor *through_gate(passage *p, size_t number, fa_tensor *x)
{
    gate *g = fa_object_new(&gate_type, sizeof *g);
    if (!g)
        return NULL;
    g->passage = fa__hold(p);
    g->number = number;
    p->no_input = false;
    return fa_apply(&entrance, fa__hold(g), FA_TENSORS(x));
}

static passage *passage_new(fa_module *module)
{
    passage *p = fa_object_new(&passage_type, sizeof *p);
    if (p) {
        p->module = fa__hold(module);
        p->no_input = true;
    }
    return p;
}

/* Wraps the inputs that require gradients in identity functions. */
static bool enter_all(passage *p, fa_tensor **inputs, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (fa_requires_grad(inputs[i]) && !(inputs[i] = through_gate(p, i, inputs[i])))
            return false;
    return true;
}

/* ---- forward ---- */

typedef struct array {
    fa_object base;
    fa_tensor *item[];
} array;
static const fa_object_type array_type = {"inputs", NULL};

/* A run of a module. */
typedef struct hooked {
    fa_module *module;
    fa_tensors inputs;
    fa_tensor *y;
    int64_t called; /* number of the last forward hook that was called */
} hooked;

static fa_tensor *after_forward(const hooked *r, const fa__module_hook *h)
{
    const fa__first_run before = fa__first_run_pause();
    fa_tensor *other = ((fa_forward_hook *)h->function)(r->module, r->inputs, r->y, h->context);
    fa__first_run_end(before);
    return other;
}

static void run_with(hooked *r, fa__run *run)
{
    r->y = run(r->module, r->inputs);
    EACH_HOOK(h, r->module, FA__FORWARD)
    {
        r->called = h.number;
        fa_tensor *other = after_forward(r, &h);
        r->y = other ? other : r->y;
    }
}

/* After an error: the hooks that are called then, too, and have not been. */
static void run_always(const hooked *r)
{
    fa__module_hook h = {.number = r->called};
    fa__failure *place = fa__failure_here(), kept = *place; /* a hook may run modules that fail */
    for (int64_t last = r->module->hooks_added; hook_next(r->module, FA__FORWARD, last, &h);) {
        if (!h.always)
            continue;
        fa_error another = {.code = FA_OK};
        {
            FA_USE(.catch_errors = &another);
            after_forward(r, &h);
        }
        if (another.code != FA_OK)
            fa__warn("a hook of %s, called after an error, failed as well: %s", r->module->kind, another.message);
    }
    *place = kept;
}

static fa_tensor *run_hooked(hooked *r, array *a, fa__run *run)
{
    fa_module *module = r->module;
    fa_tensors inputs = r->inputs;
    for (size_t i = 0; i < inputs.count; i++)
        a->item[i] = inputs.item[i];
    const fa__first_run before = fa__first_run_pause();
    EACH_HOOK(h, module, FA__FORWARD_PRE)
    ((fa_forward_pre_hook *)h.function)(module, a->item, inputs.count, h.context);
    fa__first_run_end(before);
    r->inputs.item = a->item;
    bool backward = has(module, FA__BACKWARD) || has(module, FA__BACKWARD_PRE);
    passage *p = backward ? passage_new(module) : NULL;
    if (fa_error_stands() || (backward && (!p || !enter_all(p, a->item, inputs.count))))
        return NULL;
    run_with(r, run);
    if (r->y && backward && fa_requires_grad(r->y))
        return fa_apply(&way_out, fa__hold(p), FA_TENSORS(r->y));
    return r->y;
}

fa_tensor *fa__run_hooked(fa_module *module, fa_tensors inputs, fa__run *run)
{
    array *a = fa_object_new(&array_type, sizeof *a + inputs.count * sizeof a->item[0]);
    if (!a)
        return NULL;
    hooked r = {module, inputs, NULL, INT64_MIN};
    fa_tensor *y = run_hooked(&r, a, run);
    if (!fa_error_stands())
        return y;
    run_always(&r);
    return NULL;
}
