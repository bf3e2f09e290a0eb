/* The linear layer. */
#include "nn/layer.h"
#include "nn/module.h"
#include <facula/ops/linalg.h>
#include <facula/scope.h>

static fa_tensor *linear_forward(fa_module *self, fa_tensor *x)
{
    const fa__weights *w = fa_module_data(self);
    return fa_linear(x, w->weight, .bias = w->bias);
}

fa_tensor *fa__linear_forward_then(const fa_module *linear, const fa_tensor *x, fa__activation activation)
{
    const fa__weights *w = linear->forward.one == linear_forward && !linear->hooks ? linear->data : NULL;
    return w ? fa__linear_then(x, w->weight, w->bias, activation) : NULL;
}

fa_module *(fa_nn_linear)(int64_t in, int64_t out, const fa_nn_linear_options *options)
{
    fa_nn_linear_options o = FA__DEFAULT_fa_nn_linear;
    fa__options_read(&o, o.size, options);
    if (!fa__channels_check("fa_nn_linear", in, out, 1))
        return NULL;
    FA_SCOPE;
    fa_module *m = fa_nn_custom("linear", sizeof(fa__weights), linear_forward);
    return fa_escape(fa__weights_add(m, &(fa__begin){FA_SHAPE(out, in), o.bias ? out : -1, o.dtype, o.device}));
}
