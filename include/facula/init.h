/** @file
 *  Parameter initialization: functions that fill a tensor in place, as in torch.nn.init. Layers use them for their
 *  defaults; call one of them to initialize a parameter differently. They record nothing, work on leaves that require
 *  gradients, and leave empty tensors alone.
 *
 *      fa_init_kaiming_normal_(fa_module_tensor(net, "0.weight"), .nonlinearity = "relu");
 *
 *  The random ones draw from the default generator, which gives the same numbers on every device. All return their
 *  tensor, or NULL and an error.
 *
 *  Definition of fans: for a weight (out, in, ...), fan_in is `in` and fan_out is `out`, each multiplied by the
 *  remaining sizes, such as those of a convolution kernel. */
#ifndef FACULA_INIT_H
#define FACULA_INIT_H
#include <facula/types.h>

FA__BEGIN

/** @defgroup init Parameter initialization
 *  @{ */

/** Options of fa_init_uniform_(). */
typedef struct fa_init_uniform__options {
    size_t size; /**< set by the macro */
    double a;    /**< lower bound */
    double b;    /**< upper bound (exclusive) */
    char fa__end;
} fa_init_uniform__options;
#define FA__DEFAULT_fa_init_uniform_                                                                                   \
    {                                                                                                                  \
        offsetof(fa_init_uniform__options, fa__end), 0, 1, 0                                                           \
    }
/** Fills t with samples of the uniform distribution from a to b: fa_init_uniform_(t, .a = 0, .b = 1) */
FA_API fa_tensor *fa_init_uniform_(fa_tensor *t, const fa_init_uniform__options *options);
#define fa_init_uniform_(...) FA__CALL1(fa_init_uniform_, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)

/** Options of fa_init_normal_(). */
typedef struct fa_init_normal__options {
    size_t size; /**< set by the macro */
    double mean; /**< mean */
    double std;  /**< standard deviation, at least 0 */
    char fa__end;
} fa_init_normal__options;
#define FA__DEFAULT_fa_init_normal_                                                                                    \
    {                                                                                                                  \
        offsetof(fa_init_normal__options, fa__end), 0, 1, 0                                                            \
    }
/** Fills t with samples of a normal distribution: fa_init_normal_(t, .mean = 0, .std = 1) */
FA_API fa_tensor *fa_init_normal_(fa_tensor *t, const fa_init_normal__options *options);
#define fa_init_normal_(...) FA__CALL1(fa_init_normal_, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)

/** Options of fa_init_trunc_normal_(). */
typedef struct fa_init_trunc_normal__options {
    size_t size; /**< set by the macro */
    double mean; /**< mean before truncation */
    double std;  /**< standard deviation before truncation; greater than 0 */
    double a;    /**< minimum value */
    double b;    /**< maximum value */
    char fa__end;
} fa_init_trunc_normal__options;
#define FA__DEFAULT_fa_init_trunc_normal_                                                                              \
    {                                                                                                                  \
        offsetof(fa_init_trunc_normal__options, fa__end), 0, 1, -2, 2, 0                                               \
    }
/** Fills t with samples of a normal distribution truncated to a..b, by inverting its distribution function:
 *  fa_init_trunc_normal_(t, .mean = 0, .std = 1, .a = -2, .b = 2). */
FA_API fa_tensor *fa_init_trunc_normal_(fa_tensor *t, const fa_init_trunc_normal__options *options);
#define fa_init_trunc_normal_(...)                                                                                     \
    FA__CALL1(fa_init_trunc_normal_, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)

/** Sets all elements to one number, like PyTorch's constant_, zeros_ and ones_.
 *  @param t     the tensor to fill
 *  @param value the number */
FA_API fa_tensor *fa_init_constant_(fa_tensor *t, double value);

/** The gain for weights of a layer followed by a `nonlinearity`, which keeps the variance of activations constant: 1
 *  for "linear", "conv1d", "conv2d", "conv_transpose1d", "conv_transpose2d" and "sigmoid", 5/3 for "tanh", sqrt(2)
 *  for "relu", sqrt(2 / (1 + slope^2)) for "leaky_relu", 3/4 for "selu".
 *  @param nonlinearity the name
 *  @param slope        negative slope of "leaky_relu"; ignored for the others
 *  @return the gain; NaN and an error for an unknown name */
FA_API double fa_init_gain(const char *nonlinearity, double slope);

/** Options of fa_init_xavier_uniform_(). */
typedef struct fa_init_xavier_uniform__options {
    size_t size; /**< set by the macro */
    double gain; /**< factor of the standard deviation; see fa_init_gain() */
    char fa__end;
} fa_init_xavier_uniform__options;
#define FA__DEFAULT_fa_init_xavier_uniform_                                                                            \
    {                                                                                                                  \
        offsetof(fa_init_xavier_uniform__options, fa__end), 1, 0                                                       \
    }
/** Fills t with uniform samples of standard deviation gain * sqrt(2 / (fan_in + fan_out)) (Glorot and Bengio 2010):
 *  fa_init_xavier_uniform_(t, .gain = 1). The tensor must have 2 dimensions or more. */
FA_API fa_tensor *fa_init_xavier_uniform_(fa_tensor *t, const fa_init_xavier_uniform__options *options);
#define fa_init_xavier_uniform_(...)                                                                                   \
    FA__CALL1(fa_init_xavier_uniform_, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)

/** Options of fa_init_xavier_normal_(). */
typedef fa_init_xavier_uniform__options fa_init_xavier_normal__options;
#define FA__DEFAULT_fa_init_xavier_normal_ FA__DEFAULT_fa_init_xavier_uniform_
/** Fills t with normal samples of the same standard deviation as fa_init_xavier_uniform_(): fa_init_xavier_normal_(t,
 *  .gain = 1) */
FA_API fa_tensor *fa_init_xavier_normal_(fa_tensor *t, const fa_init_xavier_normal__options *options);
#define fa_init_xavier_normal_(...)                                                                                    \
    FA__CALL1(fa_init_xavier_normal_, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)

/** Options of fa_init_kaiming_uniform_(). */
typedef struct fa_init_kaiming_uniform__options {
    size_t size;              /**< set by the macro */
    double a;                 /**< negative slope of "leaky_relu" */
    const char *mode;         /**< "fan_in" preserves variances in the forward pass, "fan_out" in the backward pass */
    const char *nonlinearity; /**< the activation after the layer; see fa_init_gain() */
    char fa__end;
} fa_init_kaiming_uniform__options;
#define FA__DEFAULT_fa_init_kaiming_uniform_                                                                           \
    {                                                                                                                  \
        offsetof(fa_init_kaiming_uniform__options, fa__end), 0, "fan_in", "leaky_relu", 0                              \
    }
/** Fills t with uniform samples of standard deviation gain / sqrt(fan) (He et al. 2015, arXiv:1502.01852). The tensor
 *  must have 2 dimensions or more.
 *
 *      fa_init_kaiming_uniform_(t, .a = 0, .mode = "fan_in", .nonlinearity = "leaky_relu") */
FA_API fa_tensor *fa_init_kaiming_uniform_(fa_tensor *t, const fa_init_kaiming_uniform__options *options);
#define fa_init_kaiming_uniform_(...)                                                                                  \
    FA__CALL1(fa_init_kaiming_uniform_, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)

/** Options of fa_init_kaiming_normal_(). */
typedef fa_init_kaiming_uniform__options fa_init_kaiming_normal__options;
#define FA__DEFAULT_fa_init_kaiming_normal_ FA__DEFAULT_fa_init_kaiming_uniform_
/** Fills t with normal samples of the same standard deviation as fa_init_kaiming_uniform_().
 *
 *      fa_init_kaiming_normal_(t, .a = 0, .mode = "fan_in", .nonlinearity = "leaky_relu") */
FA_API fa_tensor *fa_init_kaiming_normal_(fa_tensor *t, const fa_init_kaiming_normal__options *options);
#define fa_init_kaiming_normal_(...)                                                                                   \
    FA__CALL1(fa_init_kaiming_normal_, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)

/** @} */

FA__END
#endif
