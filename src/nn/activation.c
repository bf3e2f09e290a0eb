/* Activation layers: a table of names, data and calls. */
#include "nn/layer.h"
#include "nn/module.h"
#include <facula/ops/loss.h>
#include <facula/ops/math.h>
#include <facula/scope.h>
#include <string.h>

/* Layers without options. */
#define PLAIN(ROW)                                                                                                     \
    ROW(relu)                                                                                                          \
    ROW(relu6)                                                                                                         \
    ROW(sigmoid)                                                                                                       \
    ROW(tanh)                                                                                                          \
    ROW(silu) ROW(selu) ROW(mish) ROW(logsigmoid) ROW(softsign) ROW(tanhshrink) ROW(hardsigmoid) ROW(hardswish)
#define PLAIN_MODULE(name)                                                                                             \
    static fa_tensor *name##_forward(fa_module *self, fa_tensor *x)                                                    \
    {                                                                                                                  \
        (void)self;                                                                                                    \
        return fa_##name(x);                                                                                           \
    }                                                                                                                  \
    fa_module *fa_nn_##name(void)                                                                                      \
    {                                                                                                                  \
        return fa_nn_custom(#name, 0, name##_forward);                                                                 \
    }
PLAIN(PLAIN_MODULE)

/* Layers with options o. */
#define OPTIONAL(ROW)                                                                                                  \
    ROW(leaky_relu, fa_leaky_relu(x, .negative_slope = o->negative_slope))                                             \
    ROW(elu, fa_elu(x, .alpha = o->alpha))                                                                             \
    ROW(celu, fa_celu(x, .alpha = o->alpha))                                                                           \
    ROW(hardtanh, fa_hardtanh(x, .low = o->low, .high = o->high))                                                      \
    ROW(softplus, fa_softplus(x, .beta = o->beta, .threshold = o->threshold))                                          \
    ROW(softshrink, fa_softshrink(x, .lambd = o->lambd))                                                               \
    ROW(hardshrink, fa_hardshrink(x, .lambd = o->lambd))                                                               \
    ROW(rrelu, fa_rrelu(x, .lower = o->lower, .upper = o->upper, .training = fa__layer_trains(self)))                  \
    ROW(glu, fa_glu(x, .dim = o->dim))
#define OPTIONAL_MODULE(name, call)                                                                                    \
    static fa_tensor *name##_forward(fa_module *self, fa_tensor *x)                                                    \
    {                                                                                                                  \
        const fa_nn_##name##_options *o = fa_module_data(self);                                                        \
        return call;                                                                                                   \
    }                                                                                                                  \
    fa_module *(fa_nn_##name)(const fa_nn_##name##_options *options)                                                   \
    {                                                                                                                  \
        fa_nn_##name##_options o = FA__DEFAULT_fa_nn_##name;                                                           \
        fa__options_read(&o, o.size, options);                                                                         \
        return fa_nn_custom(#name, sizeof o, name##_forward, .data = &o);                                              \
    }
OPTIONAL(OPTIONAL_MODULE)

/* Layers that work along a dimension. */
#define ALONG(ROW) ROW(softmax) ROW(log_softmax) ROW(softmin)
#define ALONG_MODULE(name)                                                                                             \
    static fa_tensor *name##_forward(fa_module *self, fa_tensor *x)                                                    \
    {                                                                                                                  \
        const int64_t *dim = fa_module_data(self);                                                                     \
        return fa_##name(x, *dim);                                                                                     \
    }                                                                                                                  \
    fa_module *fa_nn_##name(int64_t dim)                                                                               \
    {                                                                                                                  \
        return fa_nn_custom(#name, sizeof dim, name##_forward, .data = &dim);                                          \
    }
ALONG(ALONG_MODULE)

static fa_tensor *threshold_forward(fa_module *self, fa_tensor *x)
{
    const double *number = fa_module_data(self);
    return fa_threshold(x, number[0], number[1]);
}

fa_module *fa_nn_threshold(double threshold, double value)
{
    const double number[] = {threshold, value};
    return fa_nn_custom("threshold", sizeof number, threshold_forward, .data = number);
}

static fa_tensor *gelu_forward(fa_module *self, fa_tensor *x)
{
    const bool *by_tanh = fa_module_data(self);
    return *by_tanh ? fa_gelu_tanh(x) : fa_gelu(x);
}

fa__activation fa__activation_of(const fa_module *module)
{
    if (module->forward.one == relu_forward)
        return FA__RELU;
    return module->forward.one == gelu_forward && *(const bool *)module->data ? FA__GELU_TANH : FA__NO_ACTIVATION;
}

fa_module *(fa_nn_gelu)(const fa_nn_gelu_options *options)
{
    fa_nn_gelu_options o = FA__DEFAULT_fa_nn_gelu;
    fa__options_read(&o, o.size, options);
    bool by_tanh = o.approximate && !strcmp(o.approximate, "tanh");
    if (!by_tanh && (!o.approximate || strcmp(o.approximate, "none"))) {
        fa_fail(FA_ERROR_ARGUMENT, "fa_nn_gelu: approximate is \"none\" or \"tanh\", not \"%s\"",
                o.approximate ? o.approximate : "NULL");
        return NULL;
    }
    return fa_nn_custom("gelu", sizeof by_tanh, gelu_forward, .data = &by_tanh);
}

static fa_tensor *prelu_forward(fa_module *self, fa_tensor *x)
{
    const fa__weights *w = fa_module_data(self);
    return fa_prelu(x, w->weight);
}

fa_module *(fa_nn_prelu)(const fa_nn_prelu_options *options)
{
    fa_nn_prelu_options o = FA__DEFAULT_fa_nn_prelu;
    fa__options_read(&o, o.size, options);
    FA_SCOPE;
    fa_module *m = fa_nn_custom("prelu", sizeof(fa__weights), prelu_forward);
    fa__weights *w = m ? fa_module_data(m) : NULL;
    if (!w)
        return NULL;
    fa_tensor *weight = fa__constant(FA_SHAPE(o.num_parameters), o.init, o.dtype, o.device);
    w->weight = fa_module_parameter(m, "weight", weight);
    return w->weight ? fa_escape(m) : NULL;
}
