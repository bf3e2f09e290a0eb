/* What layers share: their parameters, and errors about sizes. */
#ifndef FA__NN_LAYER_H
#define FA__NN_LAYER_H
#include <facula/error.h>
#include <facula/layer.h>

/* The weight and bias of a layer, or NULL: what a layer's data begins with. */
typedef struct fa__weights {
    fa_tensor *weight, *bias;
} fa__weights;

/* How the two are made. */
typedef struct fa__begin {
    fa_shape weight;
    int64_t bias; /* its size; -1: there is none */
    fa_dtype dtype;
    fa_device device;
} fa__begin;

/* Gives a module both, uniform in ±1/sqrt(fan_in) as PyTorch begins linear layers and convolutions, and tells its data
 * about them. NULL is passed on. */
fa_module *fa__weights_add(fa_module *module, const fa__begin *how);
/* A parameter or buffer of one value. NULL and an error. */
fa_tensor *fa__constant(fa_shape shape, double value, fa_dtype dtype, fa_device device);
/* Whether numbers of channels and groups make sense; sets an error that begins with `who`. */
bool fa__channels_check(const char *who, int64_t in, int64_t out, int64_t groups);
/* Whether both numbers of a pair are `least` or more, and it is a plain number for a layer whose name has "1d"; sets an
 * error that names the option and the number. */
bool fa__pair_check(const char *who, const char *option, fa_pair pair, int64_t least);
/* Whether a shape is (n, channels, ...) with so many dimensions, or as many as `or_dims`; sets an error that shows
 * both.
 */
bool fa__input_check(const char *kind, const fa_tensor *x, int64_t channels, int dims, int or_dims);

/* "(1, 3, 8, 8)" */
typedef struct fa__shape_text {
    char text[FA_MAX_DIMS * 22 + 3];
} fa__shape_text;
fa__shape_text fa__shape_write(fa_shape shape);
#endif
