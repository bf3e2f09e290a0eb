/* Code shared by layers: creating parameters, and checking sizes. */
#ifndef FA__NN_LAYER_H
#define FA__NN_LAYER_H
#include <facula/error.h>
#include <facula/host.h>
#include <facula/layer.h>
#include <facula/tensor.h>

/* The weight and bias of a layer, or NULL: the first member of a layer's data. */
typedef struct fa__weights {
    fa_tensor *weight, *bias;
} fa__weights;

/* How to create the weight and bias. */
typedef struct fa__begin {
    fa_shape weight;
    int64_t bias; /* its size; -1: no bias */
    fa_dtype dtype;
    fa_device device;
} fa__begin;

/* Adds both to a module, initialized uniformly in ±1/sqrt(fan_in) as in PyTorch's linear and convolution layers, and
 * stores them in its data. NULL is passed through. */
fa_module *fa__weights_add(fa_module *module, const fa__begin *how);
/* A parameter or buffer with one value in all elements. NULL and an error on failure. */
fa_tensor *fa__constant(fa_shape shape, double value, fa_dtype dtype, fa_device device);
/* Checks numbers of channels and groups; sets an error that starts with `who`. */
bool fa__channels_check(const char *who, int64_t in, int64_t out, int64_t groups);
/* Checks that both numbers of a pair are at least `least`, and that it is a plain number for a layer whose name
 * contains "1d"; sets an error with the option and the number. */
bool fa__pair_check(const char *who, const char *option, fa_pair pair, int64_t least);
/* Checks that a shape is (n, channels, ...) with `dims` or `or_dims` dimensions; sets an error that shows both. */
bool fa__input_check(const char *kind, const fa_tensor *x, int64_t channels, int dims, int or_dims);
/* A linear layer and its activation as one operation. NULL: the module is no linear layer, a hook sees its result, or
 * there is no such operation for x. */
fa_tensor *fa__linear_forward_then(const fa_module *linear, const fa_tensor *x, fa__activation activation);
/* That of fa_nn_relu(), and of fa_nn_gelu(.approximate = "tanh"). */
fa__activation fa__activation_of(const fa_module *module);
/* Whether a module is fa_nn_max_pool2d() of 2 x 2 side by side. */
bool fa__is_max_pool_2x2(const fa_module *module);
/* Whether a layer that differs in inference is to run as in training. Logs a warning, once, if gradients are off: most
 * likely fa_module_train(net, false) was forgotten. */
bool fa__layer_trains(const fa_module *layer);
/* Whether a module is a recurrent layer or cell. */
bool fa__is_recurrent(const fa_module *module);
/* Whether a module is fa_nn_multihead_attention(), and for its inputs: the elements that it projects, and how often
 * each element of the projected query is multiplied with keys and values. */
bool fa__is_attention(const fa_module *module);
bool fa__attention_work(const fa_module *module, fa_tensors inputs, int64_t *projected, int64_t *times);
#endif
