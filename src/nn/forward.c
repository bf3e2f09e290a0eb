/* Running modules: hooks around the forward function, and errors that name the position in the network. */
#include "nn/module.h"
#include <facula/autograd.h>
#include <facula/error.h>
#include <facula/scope.h>
#include <facula/tensor.h>
#include <string.h>

/* The module that failed last in this thread. Only compared, to find its name in the enclosing module. */
static _Thread_local const fa_module *failed;

/* Appends a module to the message: ", in conv2d", then ` "3" of sequential`, ` "features" of net` for the enclosing
 * ones. */
static void append_location(const fa_module *module)
{
    const fa__member *m = module->first;
    while (m && m->object != failed)
        m = m->next;
    if (!failed)
        fa_error_append(", in %s", module->kind);
    else if (m)
        fa_error_append(" \"%s\" of %s", m->name, module->kind);
    else
        fa_error_append(" of %s", module->kind);
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
    if (!y)
        fa_error_append(" (called with %zu input%s)", inputs.count, inputs.count == 1 ? "" : "s");
    return y;
}

static fa_tensor *run(fa_module *module, fa_tensors inputs)
{
    if (!inputs_are_good(module, inputs))
        return NULL;
    fa_tensor *y = module->forward.many ? run_many(module, inputs) : module->forward.one(module, inputs.item[0]);
    if (!y)
        fa_fail(FA_ERROR_USER, "fa_forward: the module %s returned NULL", module->kind);
    return y;
}

fa_tensor *fa__forward(fa_module *module, fa_tensors inputs)
{
    if (!fa__module_check(module, "fa_forward") || fa_error_stands()) /* its parameters may not have been loaded */
        return NULL;
    failed = NULL;
    const fa_module *held = module->hooks ? fa_keep(module) : NULL; /* a hook may remove the module from its parent */
    FA_SCOPE;
    fa_tensor *y = held ? fa__run_hooked(module, inputs, run) : run(module, inputs);
    if (y && fa_dim(y) < 0)
        y = NULL; /* it may have been freed with a scope that the module closed */
    if (!y) {
        append_location(module);
        failed = module;
    }
    fa_release(held);
    return fa_escape(y);
}
