/* Flatten, unflatten and identity layers. */
#include "nn/layer.h"
#include <facula/ops/shape.h>
#include <facula/scope.h>

static fa_tensor *flatten_forward(fa_module *self, fa_tensor *x)
{
    const fa_nn_flatten_options *o = fa_module_data(self);
    return fa_flatten(x, .start_dim = o->start_dim, .end_dim = o->end_dim);
}

fa_module *(fa_nn_flatten)(const fa_nn_flatten_options *options)
{
    fa_nn_flatten_options o = FA__DEFAULT_fa_nn_flatten;
    fa__options_read(&o, o.size, options);
    return fa_nn_custom("flatten", sizeof o, flatten_forward, .data = &o);
}

typedef struct unflatten {
    int64_t dim;
    fa_shape shape;
} unflatten;

static fa_tensor *unflatten_forward(fa_module *self, fa_tensor *x)
{
    const unflatten *u = fa_module_data(self);
    return fa_unflatten(x, u->dim, u->shape);
}

fa_module *(fa_nn_unflatten)(int64_t dim, fa_shape shape)
{
    unflatten u = {dim, shape};
    return fa_nn_custom("unflatten", sizeof(unflatten), unflatten_forward, .data = &u);
}

static fa_tensor *identity_forward(fa_module *self, fa_tensor *x)
{
    (void)self;
    return x;
}

fa_module *fa_nn_identity(void)
{
    return fa_nn_custom("identity", 0, identity_forward);
}
