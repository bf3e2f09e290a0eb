/** @file
 *  What neural networks put behind their layers, element by element: relu, gelu, silu, sigmoid and tanh are in
 *  pointwise.h.
 *
 *  Written by facula-rows from src/ops/activation.c: edit there. */
/* clang-format off */
#ifndef FACULA_ACTIVATION_H
#define FACULA_ACTIVATION_H
#include <facula/types.h>

FA__BEGIN

/** Options of fa_relu6(). */
typedef struct fa_relu6_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_relu6_options;

/** x between 0 and 6. The gradient is 0 at 0 and at 6.
 *
 *      fa_relu6(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_relu6(const fa_tensor *x, const fa_relu6_options *options);

/** fa_relu6() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_relu6_(fa_tensor *x, const fa_relu6_options *options);

/** Options of fa_hardtanh(). */
typedef struct fa_hardtanh_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    double low;     /**< see fa_hardtanh() */
    double high;    /**< see fa_hardtanh() */
    char fa__end;   /**< the end of what this version knows */
} fa_hardtanh_options;

/** x between low and high. The gradient is 0 at low and at high.
 *
 *      fa_hardtanh(x, .low = -1, .high = 1, .out = NULL)
 *
 *  @param x a tensor
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_hardtanh(const fa_tensor *x, const fa_hardtanh_options *options);

/** fa_hardtanh() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_hardtanh_(fa_tensor *x, const fa_hardtanh_options *options);

/** Options of fa_leaky_relu(). */
typedef struct fa_leaky_relu_options {
    size_t size;           /**< set by the macro */
    fa_tensor *out;        /**< where to write, instead of into new memory */
    double negative_slope; /**< see fa_leaky_relu() */
    char fa__end;          /**< the end of what this version knows */
} fa_leaky_relu_options;

/** x where it is positive, negative_slope * x elsewhere.
 *
 *      fa_leaky_relu(x, .negative_slope = 0.01, .out = NULL)
 *
 *  @param x a tensor
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_leaky_relu(const fa_tensor *x, const fa_leaky_relu_options *options);

/** fa_leaky_relu() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_leaky_relu_(fa_tensor *x, const fa_leaky_relu_options *options);

/** Options of fa_threshold(). */
typedef struct fa_threshold_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_threshold_options;

/** x where it is above the threshold, `value` elsewhere; NaN passes.
 *
 *      fa_threshold(x, threshold, value, .out = NULL)
 *
 *  @param x a tensor or a number
 *  @param threshold a tensor or a number
 *  @param value a tensor or a number
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_threshold(fa_arg x, fa_arg threshold, fa_arg value, const fa_threshold_options *options);

/** fa_threshold() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_threshold_(fa_tensor *x, fa_arg threshold, fa_arg value, const fa_threshold_options *options);

/** Options of fa_elu(). */
typedef struct fa_elu_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    double alpha;   /**< see fa_elu() */
    char fa__end;   /**< the end of what this version knows */
} fa_elu_options;

/** x where it is positive, alpha * (exp(x) - 1) elsewhere (arXiv:1511.07289).
 *
 *      fa_elu(x, .alpha = 1, .out = NULL)
 *
 *  @param x a tensor
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_elu(const fa_tensor *x, const fa_elu_options *options);

/** fa_elu() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_elu_(fa_tensor *x, const fa_elu_options *options);

/** Options of fa_selu(). */
typedef struct fa_selu_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_selu_options;

/** elu() scaled so that layers keep mean 0 and variance 1 (arXiv:1706.02515).
 *
 *      fa_selu(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_selu(const fa_tensor *x, const fa_selu_options *options);

/** fa_selu() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_selu_(fa_tensor *x, const fa_selu_options *options);

/** Options of fa_celu(). */
typedef struct fa_celu_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    double alpha;   /**< see fa_celu() */
    char fa__end;   /**< the end of what this version knows */
} fa_celu_options;

/** x where it is positive, alpha * (exp(x / alpha) - 1) elsewhere (arXiv:1704.07483).
 *
 *      fa_celu(x, .alpha = 1, .out = NULL)
 *
 *  @param x a tensor
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_celu(const fa_tensor *x, const fa_celu_options *options);

/** fa_celu() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_celu_(fa_tensor *x, const fa_celu_options *options);

/** Options of fa_softplus(). */
typedef struct fa_softplus_options {
    size_t size;      /**< set by the macro */
    fa_tensor *out;   /**< where to write, instead of into new memory */
    double beta;      /**< see fa_softplus() */
    double threshold; /**< see fa_softplus() */
    char fa__end;     /**< the end of what this version knows */
} fa_softplus_options;

/** log(1 + exp(beta * x)) / beta; x itself where beta * x is above the threshold.
 *
 *      fa_softplus(x, .beta = 1, .threshold = 20, .out = NULL)
 *
 *  @param x a tensor
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_softplus(const fa_tensor *x, const fa_softplus_options *options);

/** fa_softplus() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_softplus_(fa_tensor *x, const fa_softplus_options *options);

/** Options of fa_logsigmoid(). */
typedef struct fa_logsigmoid_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_logsigmoid_options;

/** log(sigmoid(x)).
 *
 *      fa_logsigmoid(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_logsigmoid(const fa_tensor *x, const fa_logsigmoid_options *options);

/** fa_logsigmoid() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_logsigmoid_(fa_tensor *x, const fa_logsigmoid_options *options);

/** Options of fa_softsign(). */
typedef struct fa_softsign_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_softsign_options;

/** x / (1 + |x|).
 *
 *      fa_softsign(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_softsign(const fa_tensor *x, const fa_softsign_options *options);

/** fa_softsign() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_softsign_(fa_tensor *x, const fa_softsign_options *options);

/** Options of fa_tanhshrink(). */
typedef struct fa_tanhshrink_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_tanhshrink_options;

/** x - tanh(x).
 *
 *      fa_tanhshrink(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_tanhshrink(const fa_tensor *x, const fa_tanhshrink_options *options);

/** fa_tanhshrink() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_tanhshrink_(fa_tensor *x, const fa_tanhshrink_options *options);

/** Options of fa_softshrink(). */
typedef struct fa_softshrink_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    double lambd;   /**< see fa_softshrink() */
    char fa__end;   /**< the end of what this version knows */
} fa_softshrink_options;

/** x brought nearer to 0 by lambd, and 0 where it is not farther from it.
 *
 *      fa_softshrink(x, .lambd = 0.5, .out = NULL)
 *
 *  @param x a tensor
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_softshrink(const fa_tensor *x, const fa_softshrink_options *options);

/** fa_softshrink() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_softshrink_(fa_tensor *x, const fa_softshrink_options *options);

/** Options of fa_hardshrink(). */
typedef struct fa_hardshrink_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    double lambd;   /**< see fa_hardshrink() */
    char fa__end;   /**< the end of what this version knows */
} fa_hardshrink_options;

/** x, but 0 from -lambd to lambd.
 *
 *      fa_hardshrink(x, .lambd = 0.5, .out = NULL)
 *
 *  @param x a tensor
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_hardshrink(const fa_tensor *x, const fa_hardshrink_options *options);

/** fa_hardshrink() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_hardshrink_(fa_tensor *x, const fa_hardshrink_options *options);

/** Options of fa_hardsigmoid(). */
typedef struct fa_hardsigmoid_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_hardsigmoid_options;

/** (x + 3) / 6, held between 0 and 1.
 *
 *      fa_hardsigmoid(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_hardsigmoid(const fa_tensor *x, const fa_hardsigmoid_options *options);

/** fa_hardsigmoid() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_hardsigmoid_(fa_tensor *x, const fa_hardsigmoid_options *options);

/** Options of fa_hardswish(). */
typedef struct fa_hardswish_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_hardswish_options;

/** x * hardsigmoid(x) (arXiv:1905.02244).
 *
 *      fa_hardswish(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_hardswish(const fa_tensor *x, const fa_hardswish_options *options);

/** fa_hardswish() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_hardswish_(fa_tensor *x, const fa_hardswish_options *options);

/** Options of fa_mish(). */
typedef struct fa_mish_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_mish_options;

/** x * tanh(softplus(x)) (arXiv:1908.08681): with n = exp(x) * (exp(x) + 2) it is x * n / (n + 2).
 *
 *      fa_mish(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_mish(const fa_tensor *x, const fa_mish_options *options);

/** fa_mish() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_mish_(fa_tensor *x, const fa_mish_options *options);

/** Options of fa_gelu_tanh(). */
typedef struct fa_gelu_tanh_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_gelu_tanh_options;

/** x * P(X <= x) for a standard normal X, nearly: by tanh (arXiv:1606.08415). PyTorch's gelu with approximate="tanh".
 *
 *      fa_gelu_tanh(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_gelu_tanh(const fa_tensor *x, const fa_gelu_tanh_options *options);

/** fa_gelu_tanh() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_gelu_tanh_(fa_tensor *x, const fa_gelu_tanh_options *options);

/** Options of fa_prelu(). */
typedef struct fa_prelu_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_prelu_options;

/** x where it is positive, weight * x elsewhere, with weights that are learned (arXiv:1502.01852).
 *
 *      fa_prelu(x, weight, .out = NULL)
 *
 *  @param x (n), or (n, channels, ...)
 *  @param weight one number, or one for each channel
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_prelu(const fa_tensor *x, const fa_tensor *weight, const fa_prelu_options *options);

/** Options of fa_rrelu(). */
typedef struct fa_rrelu_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    double lower;   /**< see fa_rrelu() */
    double upper;   /**< see fa_rrelu() */
    bool training;  /**< see fa_rrelu() */
    char fa__end;   /**< the end of what this version knows */
} fa_rrelu_options;

/** x where it is positive; elsewhere x times a number that is drawn from [lower, upper) for each element in
 *  training, and their mean otherwise (arXiv:1505.00853). Backward draws the same numbers again.
 *
 *      fa_rrelu(x, .lower = 0.125, .upper = 0.3333333333333333, .training = false, .out = NULL)
 *
 *  @param x a tensor
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_rrelu(const fa_tensor *x, const fa_rrelu_options *options);

/** fa_rrelu() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_rrelu_(fa_tensor *x, const fa_rrelu_options *options);

/** Options of fa_glu(). */
typedef struct fa_glu_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    int64_t dim;    /**< along which it is halved */
    char fa__end;   /**< the end of what this version knows */
} fa_glu_options;

/** The first half of x along a dimension times sigmoid() of the second (arXiv:1612.08083).
 *
 *      fa_glu(x, .dim = -1, .out = NULL)
 *
 *  @param x floating; an even number of elements along dim
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_glu(const fa_tensor *x, const fa_glu_options *options);

/** @cond */
/* How named options, and numbers in the place of tensors, reach the functions above. */
#define FA__DEFAULT_fa_relu6 {offsetof(fa_relu6_options, fa__end), NULL, 0}
#define fa_relu6(...) FA__CALL1(fa_relu6, FA__SAME, __VA_ARGS__)
typedef fa_relu6_options fa_relu6__options;
#define FA__DEFAULT_fa_relu6_ FA__DEFAULT_fa_relu6
#define fa_relu6_(...) FA__CALL1(fa_relu6_, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_hardtanh {offsetof(fa_hardtanh_options, fa__end), NULL, -1, 1, 0}
#define fa_hardtanh(...) FA__CALL1(fa_hardtanh, FA__SAME, __VA_ARGS__)
typedef fa_hardtanh_options fa_hardtanh__options;
#define FA__DEFAULT_fa_hardtanh_ FA__DEFAULT_fa_hardtanh
#define fa_hardtanh_(...) FA__CALL1(fa_hardtanh_, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_leaky_relu {offsetof(fa_leaky_relu_options, fa__end), NULL, 0.01, 0}
#define fa_leaky_relu(...) FA__CALL1(fa_leaky_relu, FA__SAME, __VA_ARGS__)
typedef fa_leaky_relu_options fa_leaky_relu__options;
#define FA__DEFAULT_fa_leaky_relu_ FA__DEFAULT_fa_leaky_relu
#define fa_leaky_relu_(...) FA__CALL1(fa_leaky_relu_, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_threshold {offsetof(fa_threshold_options, fa__end), NULL, 0}
#define fa_threshold(...) FA__CALL3(fa_threshold, FA__ARG, FA__ARG, FA__ARG, __VA_ARGS__)
typedef fa_threshold_options fa_threshold__options;
#define FA__DEFAULT_fa_threshold_ FA__DEFAULT_fa_threshold
#define fa_threshold_(...) FA__CALL3(fa_threshold_, FA__SAME, FA__ARG, FA__ARG, __VA_ARGS__)
#define FA__DEFAULT_fa_elu {offsetof(fa_elu_options, fa__end), NULL, 1, 0}
#define fa_elu(...) FA__CALL1(fa_elu, FA__SAME, __VA_ARGS__)
typedef fa_elu_options fa_elu__options;
#define FA__DEFAULT_fa_elu_ FA__DEFAULT_fa_elu
#define fa_elu_(...) FA__CALL1(fa_elu_, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_selu {offsetof(fa_selu_options, fa__end), NULL, 0}
#define fa_selu(...) FA__CALL1(fa_selu, FA__SAME, __VA_ARGS__)
typedef fa_selu_options fa_selu__options;
#define FA__DEFAULT_fa_selu_ FA__DEFAULT_fa_selu
#define fa_selu_(...) FA__CALL1(fa_selu_, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_celu {offsetof(fa_celu_options, fa__end), NULL, 1, 0}
#define fa_celu(...) FA__CALL1(fa_celu, FA__SAME, __VA_ARGS__)
typedef fa_celu_options fa_celu__options;
#define FA__DEFAULT_fa_celu_ FA__DEFAULT_fa_celu
#define fa_celu_(...) FA__CALL1(fa_celu_, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_softplus {offsetof(fa_softplus_options, fa__end), NULL, 1, 20, 0}
#define fa_softplus(...) FA__CALL1(fa_softplus, FA__SAME, __VA_ARGS__)
typedef fa_softplus_options fa_softplus__options;
#define FA__DEFAULT_fa_softplus_ FA__DEFAULT_fa_softplus
#define fa_softplus_(...) FA__CALL1(fa_softplus_, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_logsigmoid {offsetof(fa_logsigmoid_options, fa__end), NULL, 0}
#define fa_logsigmoid(...) FA__CALL1(fa_logsigmoid, FA__SAME, __VA_ARGS__)
typedef fa_logsigmoid_options fa_logsigmoid__options;
#define FA__DEFAULT_fa_logsigmoid_ FA__DEFAULT_fa_logsigmoid
#define fa_logsigmoid_(...) FA__CALL1(fa_logsigmoid_, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_softsign {offsetof(fa_softsign_options, fa__end), NULL, 0}
#define fa_softsign(...) FA__CALL1(fa_softsign, FA__SAME, __VA_ARGS__)
typedef fa_softsign_options fa_softsign__options;
#define FA__DEFAULT_fa_softsign_ FA__DEFAULT_fa_softsign
#define fa_softsign_(...) FA__CALL1(fa_softsign_, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_tanhshrink {offsetof(fa_tanhshrink_options, fa__end), NULL, 0}
#define fa_tanhshrink(...) FA__CALL1(fa_tanhshrink, FA__SAME, __VA_ARGS__)
typedef fa_tanhshrink_options fa_tanhshrink__options;
#define FA__DEFAULT_fa_tanhshrink_ FA__DEFAULT_fa_tanhshrink
#define fa_tanhshrink_(...) FA__CALL1(fa_tanhshrink_, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_softshrink {offsetof(fa_softshrink_options, fa__end), NULL, 0.5, 0}
#define fa_softshrink(...) FA__CALL1(fa_softshrink, FA__SAME, __VA_ARGS__)
typedef fa_softshrink_options fa_softshrink__options;
#define FA__DEFAULT_fa_softshrink_ FA__DEFAULT_fa_softshrink
#define fa_softshrink_(...) FA__CALL1(fa_softshrink_, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_hardshrink {offsetof(fa_hardshrink_options, fa__end), NULL, 0.5, 0}
#define fa_hardshrink(...) FA__CALL1(fa_hardshrink, FA__SAME, __VA_ARGS__)
typedef fa_hardshrink_options fa_hardshrink__options;
#define FA__DEFAULT_fa_hardshrink_ FA__DEFAULT_fa_hardshrink
#define fa_hardshrink_(...) FA__CALL1(fa_hardshrink_, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_hardsigmoid {offsetof(fa_hardsigmoid_options, fa__end), NULL, 0}
#define fa_hardsigmoid(...) FA__CALL1(fa_hardsigmoid, FA__SAME, __VA_ARGS__)
typedef fa_hardsigmoid_options fa_hardsigmoid__options;
#define FA__DEFAULT_fa_hardsigmoid_ FA__DEFAULT_fa_hardsigmoid
#define fa_hardsigmoid_(...) FA__CALL1(fa_hardsigmoid_, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_hardswish {offsetof(fa_hardswish_options, fa__end), NULL, 0}
#define fa_hardswish(...) FA__CALL1(fa_hardswish, FA__SAME, __VA_ARGS__)
typedef fa_hardswish_options fa_hardswish__options;
#define FA__DEFAULT_fa_hardswish_ FA__DEFAULT_fa_hardswish
#define fa_hardswish_(...) FA__CALL1(fa_hardswish_, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_mish {offsetof(fa_mish_options, fa__end), NULL, 0}
#define fa_mish(...) FA__CALL1(fa_mish, FA__SAME, __VA_ARGS__)
typedef fa_mish_options fa_mish__options;
#define FA__DEFAULT_fa_mish_ FA__DEFAULT_fa_mish
#define fa_mish_(...) FA__CALL1(fa_mish_, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_gelu_tanh {offsetof(fa_gelu_tanh_options, fa__end), NULL, 0}
#define fa_gelu_tanh(...) FA__CALL1(fa_gelu_tanh, FA__SAME, __VA_ARGS__)
typedef fa_gelu_tanh_options fa_gelu_tanh__options;
#define FA__DEFAULT_fa_gelu_tanh_ FA__DEFAULT_fa_gelu_tanh
#define fa_gelu_tanh_(...) FA__CALL1(fa_gelu_tanh_, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_prelu {offsetof(fa_prelu_options, fa__end), NULL, 0}
#define fa_prelu(...) FA__CALL2(fa_prelu, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_rrelu {offsetof(fa_rrelu_options, fa__end), NULL, 0.125, 0.3333333333333333, false, 0}
#define fa_rrelu(...) FA__CALL1(fa_rrelu, FA__SAME, __VA_ARGS__)
typedef fa_rrelu_options fa_rrelu__options;
#define FA__DEFAULT_fa_rrelu_ FA__DEFAULT_fa_rrelu
#define fa_rrelu_(...) FA__CALL1(fa_rrelu_, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_glu {offsetof(fa_glu_options, fa__end), NULL, -1, 0}
#define fa_glu(...) FA__CALL1(fa_glu, FA__SAME, __VA_ARGS__)
/** @endcond */

FA__END
#endif
