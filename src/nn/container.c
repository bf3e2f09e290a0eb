/* Modules that only pass on: sequential, and flatten between layers. */
#include "nn/module.h"
#include <facula/error.h>
#include <facula/scope.h>
#include <facula/view.h>
#include <stdio.h>

/* One activation at a time: each is released as soon as the next is there. */
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

fa_module *fa__nn_sequential(size_t count, fa_module *const *modules)
{
    FA_SCOPE;
    fa_module *m = fa_nn_custom("sequential", 0, sequential_forward);
    for (size_t i = 0; m && i < count; i++) {
        char name[24];
        snprintf(name, sizeof name, "%zu", i);
        if (!modules[i]) {
            fa_fail(FA_ERROR_ARGUMENT, "fa_nn_sequential: module %zu is NULL", i);
            return NULL;
        }
        if (!fa_module_add(m, name, modules[i]))
            return NULL;
    }
    return fa_escape(m);
}

static fa_tensor *flatten_forward(fa_module *self, fa_tensor *x)
{
    (void)self;
    return fa_flatten(x, .start = 1);
}

fa_module *fa_nn_flatten(void)
{
    return fa_nn_custom("flatten", 0, flatten_forward);
}
