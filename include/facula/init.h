/** @file
 *  How parameters begin: tensors filled in place, as torch.nn.init does it. Layers begin by these; to begin otherwise,
 *  call them again. Nothing is recorded, and leaves that need gradients are filled too. An empty tensor is left alone.
 *
 *      fa_init_kaiming_normal_(fa_module_tensor(net, "0.weight"), .nonlinearity = "relu");
 *
 *  Each draws from the default generator, the same numbers on every device, and returns its tensor, or NULL and an
 *  error.
 *
 *  The fans of a weight (out, in, ...) are how many inputs an output is made of, and how many outputs an input is part
 *  of: `in` and `out`, each times the sizes behind them. */
#ifndef FACULA_INIT_H
#define FACULA_INIT_H
#include <facula/types.h>

FA__BEGIN

/** Options of fa_init_uniform_(). */
typedef struct fa_init_uniform__options {
    size_t size; /**< set by the macro */
    double a;    /**< the smallest number */
    double b;    /**< numbers are below it */
    char fa__end;
} fa_init_uniform__options;
#define FA__DEFAULT_fa_init_uniform_                                                                                   \
    {                                                                                                                  \
        offsetof(fa_init_uniform__options, fa__end), 0, 1, 0                                                           \
    }
/** Uniform from a to b: fa_init_uniform_(t, .a = 0, .b = 1) */
FA_API fa_tensor *fa_init_uniform_(fa_tensor *t, const fa_init_uniform__options *options);
#define fa_init_uniform_(...) FA__CALL1(fa_init_uniform_, FA__SAME, __VA_ARGS__)

/** Options of fa_init_normal_(). */
typedef struct fa_init_normal__options {
    size_t size; /**< set by the macro */
    double mean; /**< of the numbers */
    double std;  /**< their deviation, at least 0 */
    char fa__end;
} fa_init_normal__options;
#define FA__DEFAULT_fa_init_normal_                                                                                    \
    {                                                                                                                  \
        offsetof(fa_init_normal__options, fa__end), 0, 1, 0                                                            \
    }
/** Normal: fa_init_normal_(t, .mean = 0, .std = 1) */
FA_API fa_tensor *fa_init_normal_(fa_tensor *t, const fa_init_normal__options *options);
#define fa_init_normal_(...) FA__CALL1(fa_init_normal_, FA__SAME, __VA_ARGS__)

/** Options of fa_init_trunc_normal_(). */
typedef struct fa_init_trunc_normal__options {
    size_t size; /**< set by the macro */
    double mean; /**< of the numbers before they are cut */
    double std;  /**< their deviation before they are cut; above 0 */
    double a;    /**< none is below it, */
    double b;    /**< and none is above it */
    char fa__end;
} fa_init_trunc_normal__options;
#define FA__DEFAULT_fa_init_trunc_normal_                                                                              \
    {                                                                                                                  \
        offsetof(fa_init_trunc_normal__options, fa__end), 0, 1, -2, 2, 0                                               \
    }
/** Normal, but only from a to b: fa_init_trunc_normal_(t, .mean = 0, .std = 1, .a = -2, .b = 2). Uniform numbers go
 *  through the inverse of the distribution's function. */
FA_API fa_tensor *fa_init_trunc_normal_(fa_tensor *t, const fa_init_trunc_normal__options *options);
#define fa_init_trunc_normal_(...) FA__CALL1(fa_init_trunc_normal_, FA__SAME, __VA_ARGS__)

/** The same number everywhere: 0 and 1 are PyTorch's zeros_ and ones_.
 *  @param t     filled
 *  @param value the number */
FA_API fa_tensor *fa_init_constant_(fa_tensor *t, double value);

/** By how much a layer in front of a `nonlinearity` is to be scaled so that variances stay: 1 for "linear", "conv1d",
 *  "conv2d", "conv_transpose1d", "conv_transpose2d" and "sigmoid", 5/3 for "tanh", sqrt(2) for "relu",
 *  sqrt(2 / (1 + slope^2)) for "leaky_relu", 3/4 for "selu".
 *  @param nonlinearity its name
 *  @param slope        of "leaky_relu" below 0; others do not read it
 *  @return NaN and an error for another name */
FA_API double fa_init_gain(const char *nonlinearity, double slope);

/** Options of fa_init_xavier_uniform_(). */
typedef struct fa_init_xavier_uniform__options {
    size_t size; /**< set by the macro */
    double gain; /**< scales the deviation; see fa_init_gain() */
    char fa__end;
} fa_init_xavier_uniform__options;
#define FA__DEFAULT_fa_init_xavier_uniform_                                                                            \
    {                                                                                                                  \
        offsetof(fa_init_xavier_uniform__options, fa__end), 1, 0                                                       \
    }
/** Uniform with deviation gain * sqrt(2 / (fan_in + fan_out)) (Glorot and Bengio 2010):
 *  fa_init_xavier_uniform_(t, .gain = 1). A tensor has 2 dimensions or more. */
FA_API fa_tensor *fa_init_xavier_uniform_(fa_tensor *t, const fa_init_xavier_uniform__options *options);
#define fa_init_xavier_uniform_(...) FA__CALL1(fa_init_xavier_uniform_, FA__SAME, __VA_ARGS__)

/** Options of fa_init_xavier_normal_(). */
typedef fa_init_xavier_uniform__options fa_init_xavier_normal__options;
#define FA__DEFAULT_fa_init_xavier_normal_ FA__DEFAULT_fa_init_xavier_uniform_
/** The same, normal: fa_init_xavier_normal_(t, .gain = 1) */
FA_API fa_tensor *fa_init_xavier_normal_(fa_tensor *t, const fa_init_xavier_normal__options *options);
#define fa_init_xavier_normal_(...) FA__CALL1(fa_init_xavier_normal_, FA__SAME, __VA_ARGS__)

/** Options of fa_init_kaiming_uniform_(). */
typedef struct fa_init_kaiming_uniform__options {
    size_t size;              /**< set by the macro */
    double a;                 /**< the slope of "leaky_relu" below 0 */
    const char *mode;         /**< "fan_in" keeps variances on the way forward, "fan_out" on the way back */
    const char *nonlinearity; /**< what comes behind the layer; see fa_init_gain() */
    char fa__end;
} fa_init_kaiming_uniform__options;
#define FA__DEFAULT_fa_init_kaiming_uniform_                                                                           \
    {                                                                                                                  \
        offsetof(fa_init_kaiming_uniform__options, fa__end), 0, "fan_in", "leaky_relu", 0                              \
    }
/** Uniform with deviation gain / sqrt(fan) (He et al. 2015, arXiv:1502.01852). A tensor has 2 dimensions or more.
 *
 *      fa_init_kaiming_uniform_(t, .a = 0, .mode = "fan_in", .nonlinearity = "leaky_relu") */
FA_API fa_tensor *fa_init_kaiming_uniform_(fa_tensor *t, const fa_init_kaiming_uniform__options *options);
#define fa_init_kaiming_uniform_(...) FA__CALL1(fa_init_kaiming_uniform_, FA__SAME, __VA_ARGS__)

/** Options of fa_init_kaiming_normal_(). */
typedef fa_init_kaiming_uniform__options fa_init_kaiming_normal__options;
#define FA__DEFAULT_fa_init_kaiming_normal_ FA__DEFAULT_fa_init_kaiming_uniform_
/** The same, normal.
 *
 *      fa_init_kaiming_normal_(t, .a = 0, .mode = "fan_in", .nonlinearity = "leaky_relu") */
FA_API fa_tensor *fa_init_kaiming_normal_(fa_tensor *t, const fa_init_kaiming_normal__options *options);
#define fa_init_kaiming_normal_(...) FA__CALL1(fa_init_kaiming_normal_, FA__SAME, __VA_ARGS__)

FA__END
#endif
