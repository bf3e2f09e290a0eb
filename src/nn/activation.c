/* Functions of each element as modules. */
#include <facula/expression.h>
#include <facula/nn.h>
#include <facula/pointwise.h>

#define ACTIVATION(name, call)                                                                                         \
    static fa_tensor *name##_forward(fa_module *self, fa_tensor *x)                                                    \
    {                                                                                                                  \
        (void)self;                                                                                                    \
        return call;                                                                                                   \
    }                                                                                                                  \
    fa_module *fa_nn_##name(void)                                                                                      \
    {                                                                                                                  \
        return fa_nn_custom(#name, 0, name##_forward);                                                                 \
    }

ACTIVATION(relu, fa_relu(x))
ACTIVATION(sigmoid, fa_sigmoid(x))
ACTIVATION(tanh, fa_tanh(x))
ACTIVATION(gelu, fa_gelu(x))
ACTIVATION(silu, fa_pointwise("x * sigmoid(x)", x))
