/* Containers of modules: sequential, list, dictionary. */
#include "nn/module.h"
#include <facula/error.h>
#include <facula/scope.h>

/* Holds one activation at a time: each is released as soon as the next one exists. */
static fa_tensor *sequential_forward(fa_module *self, fa_tensor *x)
{
    FA_VAR(h, x);
    for (const fa__member *m = self->first; m && h; m = m->next) {
        FA_SCOPE;
        if (m->kind == FA__CHILD)
            fa_assign(&h, fa_forward(m->object, h));
    }
    return fa_adopt((fa_tensor *)fa_keep(h));
}

static fa_tensor *no_forward(fa_module *self, fa_tensors inputs)
{
    (void)inputs;
    fa_fail(FA_ERROR_STATE, "fa_forward: a %s is not run, but the modules that it holds", fa_module_kind(self));
    return NULL;
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
