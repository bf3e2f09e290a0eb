/* Running modules: hooks around the forward function, and errors that name the position in the network. */
#include "nn/module.h"
#include <facula/autograd.h>
#include <facula/error.h>
#include <facula/scope.h>
#include <facula/tensor.h>
#include <stdio.h>
#include <string.h>

static _Thread_local fa__failure failure;

fa__failure *fa__failure_here(void)
{
    return &failure;
}

/* Writes the path of a module in another that runs it, also in lists and dictionaries there, which are not run. */
static bool path_within(const fa_module *module, const fa_module *child, char *path, size_t size, int depth)
{
    enum { DEEPEST = 4 };
    for (const fa__member *m = module->first; m; m = m->next) {
        const int length = snprintf(path, size, "%s", m->name);
        if (m->object == child)
            return true;
        if (m->kind != FA__CHILD || depth == DEEPEST || length < 0 || (size_t)length + 1 >= size)
            continue;
        path[length] = '.';
        if (path_within(m->object, child, path + length + 1, size - (size_t)length - 1, depth + 1))
            return true;
    }
    snprintf(path, size, "?"); /* the forward function runs a module that is none of its members */
    return false;
}

/* Says in the message that the error came up in this module, which is around the one that failed last. */
static void locate(const fa_module *module)
{
    char before[sizeof failure.text], path[sizeof failure.path];
    memcpy(before, failure.outer ? failure.text : "", failure.outer ? sizeof before : 1);
    if (failure.outer) {
        path_within(module, failure.outer, path, sizeof path, 0);
        const size_t length = strlen(path);
        snprintf(path + length, sizeof path - length, "%s%s", *failure.path ? "." : "", failure.path);
        memcpy(failure.path, path, sizeof path);
        snprintf(failure.text, sizeof failure.text, ", in %s \"%s\" of %s", failure.kind, failure.path, module->kind);
    } else {
        *failure.path = 0;
        snprintf(failure.kind, sizeof failure.kind, "%s", module->kind);
        snprintf(failure.text, sizeof failure.text, ", in %s", failure.kind);
    }
    failure.outer = module;
    fa__error_end(before, failure.text);
}

/* Looks once at what the constructor has written. */
static bool data_is_good(fa_module *module)
{
    if (atomic_load_explicit(&module->whole, memory_order_relaxed))
        return true;
    const bool good = fa__module_data_check(module, "fa_forward");
    atomic_store_explicit(&module->whole, good, memory_order_relaxed);
    return good;
}

static bool inputs_are_good(const fa_module *module, fa_tensors inputs)
{
    for (size_t i = 0; i < inputs.count; i++)
        if (!inputs.item[i])
            return fa_fail(FA_ERROR_ARGUMENT, "fa_forward: input %zu of the module %s is NULL", i, module->kind);
    if (!module->forward.many && inputs.count != 1)
        return fa_fail(FA_ERROR_ARGUMENT, "fa_forward: the module %s takes 1 input, not %zu", module->kind,
                       inputs.count);
    return true;
}

enum { FEW = 16 };

/* A forward function that reads more inputs than the module was called with finds NULLs, and not what lies behind the
 * caller's list. */
static fa_tensor *run_many(fa_module *module, fa_tensors inputs)
{
    fa_tensor *item[FEW] = {NULL};
    if (inputs.count >= FEW)
        return module->forward.many(module, inputs);
    if (inputs.count)
        memcpy(item, inputs.item, inputs.count * sizeof *item);
    fa_tensor *y = module->forward.many(module, (fa_tensors){inputs.count, item});
    if (!y && !failure.outer)
        fa_error_append(" (called with %zu input%s)", inputs.count, inputs.count == 1 ? "" : "s");
    return y;
}

static fa_tensor *run(fa_module *module, fa_tensors inputs)
{
    if (!data_is_good(module) || !inputs_are_good(module, inputs))
        return NULL;
    fa_tensor *y = module->forward.many ? run_many(module, inputs) : module->forward.one(module, inputs.item[0]);
    if (!y)
        fa_fail(FA_ERROR_USER, "fa_forward: the module %s returned NULL", module->kind);
    return y;
}

/* Whether the result was not freed with a scope that the forward function opened. */
static bool is_alive(const fa_module *module, const fa_tensor *y)
{
    const bool stood = fa_error_stands();
    if (fa_dim(y) >= 0)
        return true;
    if (stood || fa_error_code() != FA_ERROR_STATE) /* of the forward function; not a tensor at all */
        return false;
    fa_error_clear();
    return fa_fail(FA_ERROR_STATE,
                   "fa_forward: the module %s returned a tensor that was freed when its scope ended: its forward "
                   "function has to return fa_escape(y)",
                   module->kind);
}

static _Thread_local struct {
    void (*watch)(void *context, fa_module *);
    void *context;
} watching;

void fa__forward_watch(void (*watch)(void *context, fa_module *), void *context)
{
    watching.watch = watch;
    watching.context = context;
}

fa_tensor *fa__forward(fa_module *module, fa_tensors inputs)
{
    if (!fa__module_check(module, "fa_forward") || fa_error_stands()) /* its parameters may not have been loaded */
        return NULL;
    if (watching.watch)
        watching.watch(watching.context, module);
    failure.outer = NULL;
    const fa_module *held = module->hooks ? fa__hold(module) : NULL; /* a hook may remove the module from its parent */
    const fa__first_run before = fa__first_run_begin(module);
    FA_SCOPE;
    fa_tensor *y = held ? fa__run_hooked(module, inputs, run) : run(module, inputs);
    if (y && !is_alive(module, y))
        y = NULL;
    if (!y)
        locate(module);
    fa__first_run_end(before);
    fa__unhold(held);
    return fa_escape(y);
}
