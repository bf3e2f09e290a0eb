/** @file
 *  Functions of tensors as modules, without parameters but for fa_nn_prelu(). What they compute the functions of the
 * same name say. */
#ifndef FACULA_LAYER_ACTIVATION_H
#define FACULA_LAYER_ACTIVATION_H
#include <facula/nn.h>

FA__BEGIN

/** fa_relu() as a module. */
FA_API fa_module *fa_nn_relu(void);
/** fa_relu6() as a module. */
FA_API fa_module *fa_nn_relu6(void);
/** fa_sigmoid() as a module. */
FA_API fa_module *fa_nn_sigmoid(void);
/** fa_tanh() as a module. */
FA_API fa_module *fa_nn_tanh(void);
/** fa_silu() as a module. */
FA_API fa_module *fa_nn_silu(void);
/** fa_selu() as a module. */
FA_API fa_module *fa_nn_selu(void);
/** fa_mish() as a module. */
FA_API fa_module *fa_nn_mish(void);
/** fa_logsigmoid() as a module. */
FA_API fa_module *fa_nn_logsigmoid(void);
/** fa_softsign() as a module. */
FA_API fa_module *fa_nn_softsign(void);
/** fa_tanhshrink() as a module. */
FA_API fa_module *fa_nn_tanhshrink(void);
/** fa_hardsigmoid() as a module. */
FA_API fa_module *fa_nn_hardsigmoid(void);
/** fa_hardswish() as a module. */
FA_API fa_module *fa_nn_hardswish(void);

/** Options of fa_nn_gelu(). */
typedef struct fa_nn_gelu_options {
    size_t size;             /**< set by the macro */
    const char *approximate; /**< "tanh": as fa_gelu_tanh() does it */
    char fa__end;
} fa_nn_gelu_options;
#define FA__DEFAULT_fa_nn_gelu                                                                                         \
    {                                                                                                                  \
        offsetof(fa_nn_gelu_options, fa__end), "none", 0                                                               \
    }
/** fa_gelu() as a module: fa_nn_gelu(.approximate = "none") */
FA_API fa_module *fa_nn_gelu(const fa_nn_gelu_options *options);
#define fa_nn_gelu(...) FA__CALL0(fa_nn_gelu, FA__OPTIONS(__VA_ARGS__))

/** Options of fa_nn_leaky_relu(). */
typedef struct fa_nn_leaky_relu_options {
    size_t size;           /**< set by the macro */
    double negative_slope; /**< below 0 */
    char fa__end;
} fa_nn_leaky_relu_options;
#define FA__DEFAULT_fa_nn_leaky_relu                                                                                   \
    {                                                                                                                  \
        offsetof(fa_nn_leaky_relu_options, fa__end), 0.01, 0                                                           \
    }
/** fa_leaky_relu() as a module: fa_nn_leaky_relu(.negative_slope = 0.01) */
FA_API fa_module *fa_nn_leaky_relu(const fa_nn_leaky_relu_options *options);
#define fa_nn_leaky_relu(...) FA__CALL0(fa_nn_leaky_relu, FA__OPTIONS(__VA_ARGS__))

/** Options of fa_nn_elu(). */
typedef struct fa_nn_elu_options {
    size_t size;  /**< set by the macro */
    double alpha; /**< minus the limit far below 0 */
    char fa__end;
} fa_nn_elu_options;
#define FA__DEFAULT_fa_nn_elu                                                                                          \
    {                                                                                                                  \
        offsetof(fa_nn_elu_options, fa__end), 1, 0                                                                     \
    }
/** fa_elu() as a module: fa_nn_elu(.alpha = 1) */
FA_API fa_module *fa_nn_elu(const fa_nn_elu_options *options);
#define fa_nn_elu(...) FA__CALL0(fa_nn_elu, FA__OPTIONS(__VA_ARGS__))

/** Options of fa_nn_celu(). */
typedef struct fa_nn_celu_options {
    size_t size;  /**< set by the macro */
    double alpha; /**< minus the limit far below 0 */
    char fa__end;
} fa_nn_celu_options;
#define FA__DEFAULT_fa_nn_celu                                                                                         \
    {                                                                                                                  \
        offsetof(fa_nn_celu_options, fa__end), 1, 0                                                                    \
    }
/** fa_celu() as a module: fa_nn_celu(.alpha = 1) */
FA_API fa_module *fa_nn_celu(const fa_nn_celu_options *options);
#define fa_nn_celu(...) FA__CALL0(fa_nn_celu, FA__OPTIONS(__VA_ARGS__))

/** Options of fa_nn_hardtanh(). */
typedef struct fa_nn_hardtanh_options {
    size_t size; /**< set by the macro */
    double low;  /**< the least */
    double high; /**< the most */
    char fa__end;
} fa_nn_hardtanh_options;
#define FA__DEFAULT_fa_nn_hardtanh                                                                                     \
    {                                                                                                                  \
        offsetof(fa_nn_hardtanh_options, fa__end), -1, 1, 0                                                            \
    }
/** fa_hardtanh() as a module: fa_nn_hardtanh(.low = -1, .high = 1) */
FA_API fa_module *fa_nn_hardtanh(const fa_nn_hardtanh_options *options);
#define fa_nn_hardtanh(...) FA__CALL0(fa_nn_hardtanh, FA__OPTIONS(__VA_ARGS__))

/** Options of fa_nn_softplus(). */
typedef struct fa_nn_softplus_options {
    size_t size;      /**< set by the macro */
    double beta;      /**< how sharp it bends */
    double threshold; /**< beta * x above it stays x */
    char fa__end;
} fa_nn_softplus_options;
#define FA__DEFAULT_fa_nn_softplus                                                                                     \
    {                                                                                                                  \
        offsetof(fa_nn_softplus_options, fa__end), 1, 20, 0                                                            \
    }
/** fa_softplus() as a module: fa_nn_softplus(.beta = 1, .threshold = 20) */
FA_API fa_module *fa_nn_softplus(const fa_nn_softplus_options *options);
#define fa_nn_softplus(...) FA__CALL0(fa_nn_softplus, FA__OPTIONS(__VA_ARGS__))

/** Options of fa_nn_softshrink(). */
typedef struct fa_nn_softshrink_options {
    size_t size;  /**< set by the macro */
    double lambd; /**< by how much */
    char fa__end;
} fa_nn_softshrink_options;
#define FA__DEFAULT_fa_nn_softshrink                                                                                   \
    {                                                                                                                  \
        offsetof(fa_nn_softshrink_options, fa__end), 0.5, 0                                                            \
    }
/** fa_softshrink() as a module: fa_nn_softshrink(.lambd = 0.5) */
FA_API fa_module *fa_nn_softshrink(const fa_nn_softshrink_options *options);
#define fa_nn_softshrink(...) FA__CALL0(fa_nn_softshrink, FA__OPTIONS(__VA_ARGS__))

/** Options of fa_nn_hardshrink(). */
typedef struct fa_nn_hardshrink_options {
    size_t size;  /**< set by the macro */
    double lambd; /**< up to where it is 0 */
    char fa__end;
} fa_nn_hardshrink_options;
#define FA__DEFAULT_fa_nn_hardshrink                                                                                   \
    {                                                                                                                  \
        offsetof(fa_nn_hardshrink_options, fa__end), 0.5, 0                                                            \
    }
/** fa_hardshrink() as a module: fa_nn_hardshrink(.lambd = 0.5) */
FA_API fa_module *fa_nn_hardshrink(const fa_nn_hardshrink_options *options);
#define fa_nn_hardshrink(...) FA__CALL0(fa_nn_hardshrink, FA__OPTIONS(__VA_ARGS__))

/** Options of fa_nn_rrelu(). */
typedef struct fa_nn_rrelu_options {
    size_t size;  /**< set by the macro */
    double lower; /**< the smallest slope below 0 */
    double upper; /**< the largest one */
    char fa__end;
} fa_nn_rrelu_options;
#define FA__DEFAULT_fa_nn_rrelu                                                                                        \
    {                                                                                                                  \
        offsetof(fa_nn_rrelu_options, fa__end), 0.125, 0.3333333333333333, 0                                           \
    }
/** fa_rrelu() as a module: slopes are drawn in training, fa_nn_rrelu(.lower = 0.125, .upper = 1.0 / 3) */
FA_API fa_module *fa_nn_rrelu(const fa_nn_rrelu_options *options);
#define fa_nn_rrelu(...) FA__CALL0(fa_nn_rrelu, FA__OPTIONS(__VA_ARGS__))

/** Options of fa_nn_glu(). */
typedef struct fa_nn_glu_options {
    size_t size; /**< set by the macro */
    int64_t dim; /**< along which the input is halved */
    char fa__end;
} fa_nn_glu_options;
#define FA__DEFAULT_fa_nn_glu                                                                                          \
    {                                                                                                                  \
        offsetof(fa_nn_glu_options, fa__end), -1, 0                                                                    \
    }
/** fa_glu() as a module: fa_nn_glu(.dim = -1) */
FA_API fa_module *fa_nn_glu(const fa_nn_glu_options *options);
#define fa_nn_glu(...) FA__CALL0(fa_nn_glu, FA__OPTIONS(__VA_ARGS__))

/** fa_threshold() as a module.
 *  @param threshold what is above it stays
 *  @param value     what all else becomes */
FA_API fa_module *fa_nn_threshold(double threshold, double value);

/** fa_softmax() as a module: parts that add up to 1.
 *  @param dim along which; negative counts from the end */
FA_API fa_module *fa_nn_softmax(int64_t dim);

/** fa_log_softmax() as a module: their logarithms.
 *  @param dim along which; negative counts from the end */
FA_API fa_module *fa_nn_log_softmax(int64_t dim);

/** fa_softmin() as a module: the same of the negative.
 *  @param dim along which; negative counts from the end */
FA_API fa_module *fa_nn_softmin(int64_t dim);

/** Options of fa_nn_prelu(). */
typedef struct fa_nn_prelu_options {
    size_t size;            /**< set by the macro */
    int64_t num_parameters; /**< 1, or the number of channels */
    double init;            /**< what they begin as */
    fa_dtype dtype;         /**< of the parameters; FA_SAME: f32 */
    fa_device device;       /**< where they are made */
    char fa__end;
} fa_nn_prelu_options;
#define FA__DEFAULT_fa_nn_prelu                                                                                        \
    {                                                                                                                  \
        offsetof(fa_nn_prelu_options, fa__end), 1, 0.25, FA_SAME, {0, 0}, 0                                            \
    }
/** x where it is positive, "weight" (num_parameters) times x elsewhere: one slope, or one for each channel. See
 * fa_prelu().
 *
 *      fa_nn_prelu(.num_parameters = 1, .init = 0.25, .dtype = FA_SAME, .device) */
FA_API fa_module *fa_nn_prelu(const fa_nn_prelu_options *options);
#define fa_nn_prelu(...) FA__CALL0(fa_nn_prelu, FA__OPTIONS(__VA_ARGS__))

FA__END
#endif
