/* Activation checkpointing: a module runs without recording, and again, recorded, when backward needs its gradients. */
#include <facula/autograd.h>
#include <facula/error.h>
#include <facula/nn.h>
#include <facula/ops/create.h>
#include <facula/random.h>
#include <facula/scope.h>
#include <facula/tensor.h>
#include <stdlib.h>

enum { MOST_INPUTS = 7 }; /* fa_apply() takes 8, of which one is ours */

/* What the second run needs to be as the first one. */
typedef struct recomputed {
    fa_module *module; /* a reference */
    size_t inputs;
    bool needs[MOST_INPUTS]; /* which inputs get a gradient */
    fa_settings settings;
    fa_generator_state random;
    int64_t versions; /* of all parameters */
    bool training;
} recomputed;

static void release(void *context)
{
    fa__unhold(((recomputed *)context)->module);
    free(context);
}

static int64_t versions_of(const fa_module *module)
{
    FA_SCOPE;
    fa_parameters p = fa_module_parameters(module);
    int64_t sum = 0;
    for (size_t i = 0; i < p.count; i++)
        sum += fa_tensor_version(p.item[i]);
    return sum;
}

static fa_tensor *forward(void *context, fa_tensors inputs)
{
    const recomputed *c = context;
    return fa__forward(c->module, (fa_tensors){c->inputs, inputs.item});
}

/* ---- the second run ---- */

/* Leaves with the values of the inputs. */
static bool take_inputs(const recomputed *c, fa_tensors saved, fa_tensor **x)
{
    for (size_t i = 0; i < c->inputs; i++) {
        x[i] = fa_detach(saved.item[i]);
        if (!x[i] || (c->needs[i] && !fa_set_requires_grad(x[i], true)))
            return false;
    }
    return true;
}

/* Runs the module again with the random numbers of the first run, from a generator of its own. */
static fa_tensor *run_again(const recomputed *c, fa_tensor **x)
{
    fa_generator *before = fa__hold(fa__generator_used()), *again = fa_generator_new(c->random.seed);
    fa_tensor *y = NULL;
    if (again && fa_generator_set(again, c->random)) {
        fa_generator_use(again);
        y = fa__forward(c->module, (fa_tensors){c->inputs, x});
        fa_generator_use(before);
    }
    fa__unhold(before);
    return y;
}

/* Copies of the buffers, which the second run must not change: running statistics would count a batch twice. */
static bool copy_buffers(fa_parameters buffers, fa_tensor **copy, bool back)
{
    FA_USE(.no_grad = true);
    for (size_t i = 0; i < buffers.count; i++)
        if (back ? !fa_copy_(buffers.item[i], copy[i]) : !(copy[i] = fa_clone(buffers.item[i])))
            return false;
    return true;
}

static bool check_module(const recomputed *c)
{
    if (fa_module_training(c->module) != c->training)
        return fa_fail(FA_ERROR_GRADIENT,
                       "fa_checkpoint: the training mode of the module %s was changed before backward",
                       fa_module_kind(c->module));
    if (versions_of(c->module) != c->versions)
        return fa_fail(FA_ERROR_GRADIENT, "fa_checkpoint: a parameter of the module %s was changed before backward",
                       fa_module_kind(c->module));
    return true;
}

static bool differentiate(const recomputed *c, fa_tensors saved, fa_tensor *grad, fa_tensor **gx)
{
    fa_tensor *x[MOST_INPUTS];
    fa_parameters buffers = fa_module_buffers(c->module);
    fa_tensor **copy = calloc(buffers.count + 1, sizeof *copy);
    if (!copy)
        return fa_fail(FA_ERROR_MEMORY, "fa_checkpoint: out of memory");
    bool good = copy_buffers(buffers, copy, false) && take_inputs(c, saved, x);
    fa_tensor *y = good ? run_again(c, x) : NULL;
    good = y && copy_buffers(buffers, copy, true) && fa_backward(y, .grad = grad);
    for (size_t i = 0; good && i < c->inputs; i++)
        gx[i] = c->needs[i] ? fa_grad(x[i]) : NULL;
    free(copy);
    return good;
}

static bool backward(void *context, fa_tensors saved, fa_tensor *grad, fa_tensor **gx)
{
    const recomputed *c = context;
    fa_settings now = fa__settings(), settings = c->settings;
    if (!now.no_grad)
        return fa_fail(FA_ERROR_GRADIENT, "fa_checkpoint: .create_graph does not go through it");
    settings.no_grad = false;
    settings.catch_errors = now.catch_errors;
    settings.stream = now.stream;
    settings.forbid = now.forbid;
    fa__scope used FA__CLEANUP(fa__use_close) = fa__use_open(&settings);
    return check_module(c) && differentiate(c, saved, grad, gx);
}

/* ---- the first run ---- */

static recomputed *remember(fa_module *module, fa_tensors inputs)
{
    recomputed *c = calloc(1, sizeof *c);
    if (!c) {
        fa_fail(FA_ERROR_MEMORY, "fa_checkpoint: out of memory");
        return NULL;
    }
    fa_generator *used = fa__generator_used();
    *c = (recomputed){.module = fa__hold(module),
                      .inputs = inputs.count,
                      .settings = fa__settings(),
                      .random = used ? fa_generator_get(used) : fa_random_state(),
                      .versions = versions_of(module),
                      .training = fa_module_training(module)};
    c->settings.catch_errors = NULL;
    for (size_t i = 0; i < inputs.count; i++)
        c->needs[i] = inputs.item[i] && fa_requires_grad(inputs.item[i]);
    if (!fa_error_stands())
        return c;
    release(c);
    return NULL;
}

fa_tensor *fa__checkpoint(fa_module *module, fa_tensors inputs)
{
    static const fa_function function = {
        .name = "checkpoint", .forward = forward, .backward = backward, .release = release};
    if (inputs.count > MOST_INPUTS) {
        fa_fail(FA_ERROR_ARGUMENT, "fa_checkpoint: at most %d inputs: %zu", MOST_INPUTS, inputs.count);
        return NULL;
    }
    if (fa_error_stands() || fa__settings().no_grad)
        return fa__forward(module, inputs);
    FA_SCOPE;
    recomputed *c = remember(module, inputs);
    if (!c)
        return NULL;
    /* A leaf that always requires gradients: those of the parameters are wanted also if no input needs one. */
    fa_tensor *all[MOST_INPUTS + 1] = {NULL};
    for (size_t i = 0; i < inputs.count; i++)
        all[i] = inputs.item[i];
    all[inputs.count] = fa_zeros(FA_SCALAR, .device = FA_CPU, .requires_grad = true);
    return fa_escape(fa_apply(&function, c, (fa_tensors){inputs.count + 1, all}));
}
