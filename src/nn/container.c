/* Containers of modules: sequential, list, dictionary. */
#include "nn/layer.h"
#include "nn/module.h"
#include <facula/error.h>
#include <facula/scope.h>
#include <facula/tensor.h>

static const fa__member *first_child(const fa__member *m)
{
    while (m && m->kind != FA__CHILD)
        m = m->next;
    return m;
}

/* The result of two modules that follow each other, if one operation computes them (a linear layer and its activation,
 * relu and pooling), and no hook sees what is between them. NULL: run them one by one. On the CPU a linear layer and
 * gelu stay two: gelu waits for its arithmetic, not for memory, and takes as long where its input is in the cache. */
static fa_tensor *joined(const fa__member *m, const fa__member *next, const fa_tensor *x)
{
    const fa_module *first = m->object, *second = next ? next->object : NULL;
    if (!second || first->hooks || second->hooks)
        return NULL;
    if (fa__activation_of(first) == FA__RELU && fa__is_max_pool_2x2(second))
        return fa__relu_pool(x);
    const fa__activation activation = fa__activation_of(second);
    return activation != FA__NO_ACTIVATION ? fa__linear_forward_then(first, x, activation) : NULL;
}

/* Holds one activation at a time: each is released as soon as the next one exists. */
static fa_tensor *sequential_forward(fa_module *self, fa_tensor *x)
{
    FA_VAR(h, x);
    for (const fa__member *m = first_child(self->first), *next; m && h; m = next) {
        FA_SCOPE;
        next = first_child(m->next);
        fa_tensor *both = joined(m, next, h);
        if (both)
            next = first_child(next->next);
        fa_assign(&h, both ? both : fa_forward(m->object, h));
    }
    return fa__own_held((fa_tensor *)fa__hold(h));
}

bool fa__module_runs(const fa_module *module, fa_tensor *(*forward)(fa_module *, fa_tensor *))
{
    return module->forward.one == forward;
}

int fa__module_chain(const fa_module *module, const fa_module **part, int most)
{
    int count = 0;
    if (module->hooks || most < 1)
        return -1;
    if (!fa__module_runs(module, sequential_forward))
        return part[0] = module, 1;
    for (const fa__member *m = first_child(module->first); m; m = first_child(m->next)) {
        int more = fa__module_chain(m->object, part + count, most - count);
        if (more < 0)
            return -1;
        count += more;
    }
    return count;
}

static fa_tensor *no_forward(fa_module *self, fa_tensors inputs)
{
    (void)inputs;
    fa_fail(FA_ERROR_STATE, "fa_forward: a %s is not run, but the modules that it holds", fa_module_kind(self));
    return NULL;
}

bool fa__is_list(const fa_module *module)
{
    return module->forward.many == no_forward;
}

static fa_module *holding(const char *kind, fa_module *made, size_t count, fa_module *const *modules)
{
    for (size_t i = 0; made && i < count; i++) {
        if (!modules[i]) {
            fa_fail(FA_ERROR_ARGUMENT, "fa_nn_%s: module %zu is NULL", kind, i);
            return NULL;
        }
        if (!fa_module_append(made, modules[i]))
            return NULL;
    }
    return made;
}

fa_module *fa__nn_sequential(size_t count, fa_module *const *modules)
{
    FA_SCOPE;
    return fa_escape(holding("sequential", fa_nn_custom("sequential", 0, sequential_forward), count, modules));
}

fa_module *fa__nn_list(size_t count, fa_module *const *modules)
{
    FA_SCOPE;
    return fa_escape(holding("list", fa_nn_custom("list", 0, no_forward), count, modules));
}

fa_module *fa_nn_dict(void)
{
    return fa_nn_custom("dict", 0, no_forward);
}
