/** @file
 *  Elementwise mathematics and activation functions.
 *
 *  Written by facula-rows from src/ops/math: edit there. */
/* clang-format off */
#ifndef FACULA_OPS_MATH_H
#define FACULA_OPS_MATH_H
#include <facula/types.h>
#include <math.h>

FA__BEGIN

/** @defgroup ops_math Elementwise mathematics and activation functions
 *  @ingroup ops
 *  @{ */

/** @name Activation functions
 *  relu, gelu, silu, sigmoid and tanh are listed under "Elementwise arithmetic".
 *  @{ */

/** Options of fa_relu6(). */
typedef struct fa_relu6_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_relu6_options;

/** min(max(x, 0), 6). The gradient is 0 at 0 and at 6.
 *
 *      fa_relu6(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_relu6(const fa_tensor *x, const fa_relu6_options *options);

/** fa_relu6() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_relu6_(fa_tensor *x, const fa_relu6_options *options);

/** Options of fa_hardtanh(). */
typedef struct fa_hardtanh_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    double low;     /**< see fa_hardtanh() */
    double high;    /**< see fa_hardtanh() */
    char fa__end;   /**< marks the end of this version's options */
} fa_hardtanh_options;

/** min(max(x, low), high). The gradient is 0 at low and at high. low > high is an error.
 *
 *      fa_hardtanh(x, .low = -1, .high = 1, .out = NULL)
 *
 *  @param x a tensor
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_hardtanh(const fa_tensor *x, const fa_hardtanh_options *options);

/** fa_hardtanh() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_hardtanh_(fa_tensor *x, const fa_hardtanh_options *options);

/** Options of fa_leaky_relu(). */
typedef struct fa_leaky_relu_options {
    size_t size;           /**< set by the macro */
    fa_tensor *out;        /**< the tensor to write the result into; NULL: a new one */
    double negative_slope; /**< see fa_leaky_relu() */
    char fa__end;          /**< marks the end of this version's options */
} fa_leaky_relu_options;

/** x where x > 0, negative_slope * x elsewhere.
 *
 *      fa_leaky_relu(x, .negative_slope = 0.01, .out = NULL)
 *
 *  @param x a tensor
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_leaky_relu(const fa_tensor *x, const fa_leaky_relu_options *options);

/** fa_leaky_relu() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_leaky_relu_(fa_tensor *x, const fa_leaky_relu_options *options);

/** Options of fa_threshold(). */
typedef struct fa_threshold_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_threshold_options;

/** x where x > threshold, `value` elsewhere; NaN stays NaN.
 *
 *      fa_threshold(x, threshold, value, .out = NULL)
 *
 *  @param x a tensor or a number
 *  @param threshold a tensor or a number
 *  @param value a tensor or a number
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_threshold(fa_arg x, fa_arg threshold, fa_arg value, const fa_threshold_options *options);

/** fa_threshold() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_threshold_(fa_tensor *x, fa_arg threshold, fa_arg value, const fa_threshold_options *options);

/** Options of fa_elu(). */
typedef struct fa_elu_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    double alpha;   /**< see fa_elu() */
    char fa__end;   /**< marks the end of this version's options */
} fa_elu_options;

/** Exponential linear unit: x where x > 0, alpha * (exp(x) - 1) elsewhere (arXiv:1511.07289).
 *
 *      fa_elu(x, .alpha = 1, .out = NULL)
 *
 *  @param x a tensor
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_elu(const fa_tensor *x, const fa_elu_options *options);

/** fa_elu() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_elu_(fa_tensor *x, const fa_elu_options *options);

/** Options of fa_selu(). */
typedef struct fa_selu_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_selu_options;

/** Scaled exponential linear unit: scale * elu(x, alpha) with alpha = 1.6733 and scale = 1.0507, for which activations
 *  keep mean 0 and variance 1 (arXiv:1706.02515).
 *
 *      fa_selu(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_selu(const fa_tensor *x, const fa_selu_options *options);

/** fa_selu() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_selu_(fa_tensor *x, const fa_selu_options *options);

/** Options of fa_celu(). */
typedef struct fa_celu_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    double alpha;   /**< see fa_celu() */
    char fa__end;   /**< marks the end of this version's options */
} fa_celu_options;

/** Continuously differentiable ELU: x where x > 0, alpha * (exp(x / alpha) - 1) elsewhere (arXiv:1704.07483). alpha = 0
 *  is an error.
 *
 *      fa_celu(x, .alpha = 1, .out = NULL)
 *
 *  @param x a tensor
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_celu(const fa_tensor *x, const fa_celu_options *options);

/** fa_celu() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_celu_(fa_tensor *x, const fa_celu_options *options);

/** Options of fa_softplus(). */
typedef struct fa_softplus_options {
    size_t size;      /**< set by the macro */
    fa_tensor *out;   /**< the tensor to write the result into; NULL: a new one */
    double beta;      /**< see fa_softplus() */
    double threshold; /**< see fa_softplus() */
    char fa__end;     /**< marks the end of this version's options */
} fa_softplus_options;

/** log(1 + exp(beta * x)) / beta, a smooth relu; x itself where beta * x > threshold.
 *
 *      fa_softplus(x, .beta = 1, .threshold = 20, .out = NULL)
 *
 *  @param x a tensor
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_softplus(const fa_tensor *x, const fa_softplus_options *options);

/** fa_softplus() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_softplus_(fa_tensor *x, const fa_softplus_options *options);

/** Options of fa_logsigmoid(). */
typedef struct fa_logsigmoid_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_logsigmoid_options;

/** log(sigmoid(x)), computed without overflow.
 *
 *      fa_logsigmoid(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_logsigmoid(const fa_tensor *x, const fa_logsigmoid_options *options);

/** fa_logsigmoid() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_logsigmoid_(fa_tensor *x, const fa_logsigmoid_options *options);

/** Options of fa_softsign(). */
typedef struct fa_softsign_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_softsign_options;

/** x / (1 + |x|).
 *
 *      fa_softsign(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_softsign(const fa_tensor *x, const fa_softsign_options *options);

/** fa_softsign() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_softsign_(fa_tensor *x, const fa_softsign_options *options);

/** Options of fa_tanhshrink(). */
typedef struct fa_tanhshrink_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_tanhshrink_options;

/** x - tanh(x).
 *
 *      fa_tanhshrink(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_tanhshrink(const fa_tensor *x, const fa_tanhshrink_options *options);

/** fa_tanhshrink() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_tanhshrink_(fa_tensor *x, const fa_tanhshrink_options *options);

/** Options of fa_softshrink(). */
typedef struct fa_softshrink_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    double lambd;   /**< see fa_softshrink() */
    char fa__end;   /**< marks the end of this version's options */
} fa_softshrink_options;

/** Soft shrinkage: x - lambd where x > lambd, x + lambd where x < -lambd, 0 elsewhere. A negative lambd is an error.
 *
 *      fa_softshrink(x, .lambd = 0.5, .out = NULL)
 *
 *  @param x a tensor
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_softshrink(const fa_tensor *x, const fa_softshrink_options *options);

/** fa_softshrink() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_softshrink_(fa_tensor *x, const fa_softshrink_options *options);

/** Options of fa_hardshrink(). */
typedef struct fa_hardshrink_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    double lambd;   /**< see fa_hardshrink() */
    char fa__end;   /**< marks the end of this version's options */
} fa_hardshrink_options;

/** Hard shrinkage: 0 where -lambd <= x <= lambd, x elsewhere.
 *
 *      fa_hardshrink(x, .lambd = 0.5, .out = NULL)
 *
 *  @param x a tensor
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_hardshrink(const fa_tensor *x, const fa_hardshrink_options *options);

/** fa_hardshrink() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_hardshrink_(fa_tensor *x, const fa_hardshrink_options *options);

/** Options of fa_hardsigmoid(). */
typedef struct fa_hardsigmoid_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_hardsigmoid_options;

/** Piecewise linear sigmoid: min(max((x + 3) / 6, 0), 1).
 *
 *      fa_hardsigmoid(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_hardsigmoid(const fa_tensor *x, const fa_hardsigmoid_options *options);

/** fa_hardsigmoid() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_hardsigmoid_(fa_tensor *x, const fa_hardsigmoid_options *options);

/** Options of fa_hardswish(). */
typedef struct fa_hardswish_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_hardswish_options;

/** x * fa_hardsigmoid(x) (arXiv:1905.02244).
 *
 *      fa_hardswish(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_hardswish(const fa_tensor *x, const fa_hardswish_options *options);

/** fa_hardswish() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_hardswish_(fa_tensor *x, const fa_hardswish_options *options);

/** Options of fa_mish(). */
typedef struct fa_mish_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_mish_options;

/** x * tanh(softplus(x)) (arXiv:1908.08681), computed as x * n / (n + 2) with n = exp(x) * (exp(x) + 2).
 *
 *      fa_mish(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_mish(const fa_tensor *x, const fa_mish_options *options);

/** fa_mish() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_mish_(fa_tensor *x, const fa_mish_options *options);

/** Options of fa_gelu_tanh(). */
typedef struct fa_gelu_tanh_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_gelu_tanh_options;

/** The tanh approximation of gelu: x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3))) (arXiv:1606.08415). In
 *  PyTorch it is gelu with approximate="tanh".
 *
 *      fa_gelu_tanh(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_gelu_tanh(const fa_tensor *x, const fa_gelu_tanh_options *options);

/** fa_gelu_tanh() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_gelu_tanh_(fa_tensor *x, const fa_gelu_tanh_options *options);

/** Options of fa_prelu(). */
typedef struct fa_prelu_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_prelu_options;

/** Parametric relu: x where x > 0, weight * x elsewhere, with one learned weight or one for each channel, dimension 1
 *  of x (arXiv:1502.01852).
 *
 *      fa_prelu(x, weight, .out = NULL)
 *
 *  @param x (n), or (n, channels, ...)
 *  @param weight a learned slope for negative x: one number, or (channels)
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_prelu(const fa_tensor *x, const fa_tensor *weight, const fa_prelu_options *options);

/** Options of fa_rrelu(). */
typedef struct fa_rrelu_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    double lower;   /**< see fa_rrelu() */
    double upper;   /**< see fa_rrelu() */
    bool training;  /**< see fa_rrelu() */
    char fa__end;   /**< marks the end of this version's options */
} fa_rrelu_options;

/** Randomized leaky relu: x where x > 0, slope * x elsewhere (arXiv:1505.00853). In training each element's slope is
 *  drawn uniformly from [lower, upper), and backward draws the same numbers again; otherwise the slope is (lower +
 *  upper) / 2.
 *
 *      fa_rrelu(x, .lower = 0.125, .upper = 0.3333333333333333, .training = false, .out = NULL)
 *
 *  @param x a tensor
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_rrelu(const fa_tensor *x, const fa_rrelu_options *options);

/** fa_rrelu() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_rrelu_(fa_tensor *x, const fa_rrelu_options *options);

/** Options of fa_glu(). */
typedef struct fa_glu_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    int64_t dim;    /**< the dimension that is split into two halves; negative counts from the end */
    char fa__end;   /**< marks the end of this version's options */
} fa_glu_options;

/** Gated linear unit: a * sigmoid(b), where a and b are the first and the second half of x along dim
 *  (arXiv:1612.08083). The size of dim is halved.
 *
 *      fa_glu(x, .dim = -1, .out = NULL)
 *
 *  @param x floating; the size of dim must be even
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_glu(const fa_tensor *x, const fa_glu_options *options);

/** @} */

/** @name Bessel functions of order 0 and 1
 *  Each is one expression; integers and bool give f32.
 *  @{ */

/** Options of fa_i0(). */
typedef struct fa_i0_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_i0_options;

/** The modified Bessel function of the first kind of order 0. It is infinite at infinities, where PyTorch gives NaN.
 *
 *      fa_i0(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_i0(const fa_tensor *x, const fa_i0_options *options);

/** fa_i0() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_i0_(fa_tensor *x, const fa_i0_options *options);

/** Options of fa_i0e(). */
typedef struct fa_i0e_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_i0e_options;

/** The exponentially scaled fa_i0(): exp(-|x|) * i0(x), which does not overflow.
 *
 *      fa_i0e(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_i0e(const fa_tensor *x, const fa_i0e_options *options);

/** fa_i0e() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_i0e_(fa_tensor *x, const fa_i0e_options *options);

/** Options of fa_i1(). */
typedef struct fa_i1_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_i1_options;

/** The modified Bessel function of the first kind of order 1. It is infinite at infinities, where PyTorch gives NaN.
 *
 *      fa_i1(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_i1(const fa_tensor *x, const fa_i1_options *options);

/** fa_i1() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_i1_(fa_tensor *x, const fa_i1_options *options);

/** Options of fa_i1e(). */
typedef struct fa_i1e_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_i1e_options;

/** The exponentially scaled fa_i1(): exp(-|x|) * i1(x), which does not overflow.
 *
 *      fa_i1e(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_i1e(const fa_tensor *x, const fa_i1e_options *options);

/** fa_i1e() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_i1e_(fa_tensor *x, const fa_i1e_options *options);

/** Options of fa_modified_bessel_k0(). */
typedef struct fa_modified_bessel_k0_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_modified_bessel_k0_options;

/** The modified Bessel function of the second kind of order 0. Infinity at 0, NaN for negative x.
 *
 *      fa_modified_bessel_k0(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_modified_bessel_k0(const fa_tensor *x, const fa_modified_bessel_k0_options *options);

/** fa_modified_bessel_k0() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_modified_bessel_k0_(fa_tensor *x, const fa_modified_bessel_k0_options *options);

/** Options of fa_modified_bessel_k1(). */
typedef struct fa_modified_bessel_k1_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_modified_bessel_k1_options;

/** The modified Bessel function of the second kind of order 1. Infinity at 0, NaN for negative x.
 *
 *      fa_modified_bessel_k1(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_modified_bessel_k1(const fa_tensor *x, const fa_modified_bessel_k1_options *options);

/** fa_modified_bessel_k1() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_modified_bessel_k1_(fa_tensor *x, const fa_modified_bessel_k1_options *options);

/** Options of fa_scaled_modified_bessel_k0(). */
typedef struct fa_scaled_modified_bessel_k0_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_scaled_modified_bessel_k0_options;

/** The exponentially scaled fa_modified_bessel_k0(): exp(x) * k0(x), which does not underflow for large x.
 *
 *      fa_scaled_modified_bessel_k0(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_scaled_modified_bessel_k0(const fa_tensor *x, const fa_scaled_modified_bessel_k0_options *options);

/** fa_scaled_modified_bessel_k0() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_scaled_modified_bessel_k0_(fa_tensor *x, const fa_scaled_modified_bessel_k0_options *options);

/** Options of fa_scaled_modified_bessel_k1(). */
typedef struct fa_scaled_modified_bessel_k1_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_scaled_modified_bessel_k1_options;

/** The exponentially scaled fa_modified_bessel_k1(): exp(x) * k1(x), which does not underflow for large x.
 *
 *      fa_scaled_modified_bessel_k1(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_scaled_modified_bessel_k1(const fa_tensor *x, const fa_scaled_modified_bessel_k1_options *options);

/** fa_scaled_modified_bessel_k1() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_scaled_modified_bessel_k1_(fa_tensor *x, const fa_scaled_modified_bessel_k1_options *options);

/** Options of fa_bessel_j0(). */
typedef struct fa_bessel_j0_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_bessel_j0_options;

/** The Bessel function of the first kind of order 0. It is 0 at infinities, where PyTorch gives NaN.
 *
 *      fa_bessel_j0(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_bessel_j0(const fa_tensor *x, const fa_bessel_j0_options *options);

/** fa_bessel_j0() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_bessel_j0_(fa_tensor *x, const fa_bessel_j0_options *options);

/** Options of fa_bessel_j1(). */
typedef struct fa_bessel_j1_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_bessel_j1_options;

/** The Bessel function of the first kind of order 1. It is 0 at infinities, where PyTorch gives NaN.
 *
 *      fa_bessel_j1(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_bessel_j1(const fa_tensor *x, const fa_bessel_j1_options *options);

/** fa_bessel_j1() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_bessel_j1_(fa_tensor *x, const fa_bessel_j1_options *options);

/** Options of fa_bessel_y0(). */
typedef struct fa_bessel_y0_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_bessel_y0_options;

/** The Bessel function of the second kind of order 0. -infinity at 0, NaN for negative x; 0 at infinity, where PyTorch
 *  gives NaN.
 *
 *      fa_bessel_y0(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_bessel_y0(const fa_tensor *x, const fa_bessel_y0_options *options);

/** fa_bessel_y0() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_bessel_y0_(fa_tensor *x, const fa_bessel_y0_options *options);

/** Options of fa_bessel_y1(). */
typedef struct fa_bessel_y1_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_bessel_y1_options;

/** The Bessel function of the second kind of order 1. -infinity at 0, NaN for negative x; 0 at infinity, where PyTorch
 *  gives NaN.
 *
 *      fa_bessel_y1(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_bessel_y1(const fa_tensor *x, const fa_bessel_y1_options *options);

/** fa_bessel_y1() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_bessel_y1_(fa_tensor *x, const fa_bessel_y1_options *options);

/** Options of fa_spherical_bessel_j0(). */
typedef struct fa_spherical_bessel_j0_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_spherical_bessel_j0_options;

/** The spherical Bessel function of the first kind of order 0: sin(x) / x; 1 at 0, 0 at infinities.
 *
 *      fa_spherical_bessel_j0(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_spherical_bessel_j0(const fa_tensor *x, const fa_spherical_bessel_j0_options *options);

/** fa_spherical_bessel_j0() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_spherical_bessel_j0_(fa_tensor *x, const fa_spherical_bessel_j0_options *options);

/** @} */

/** @name Comparison, logic and bitwise operations
 *  These work element by element; comparisons and tests give bool. The
 *  comparison operators (fa_eq, fa_lt, ...) are listed under "Elementwise arithmetic".
 *  @{ */

/** Options of fa_isnan(). */
typedef struct fa_isnan_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_isnan_options;

/** true where x is NaN.
 *
 *      fa_isnan(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_isnan(const fa_tensor *x, const fa_isnan_options *options);

/** fa_isnan() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_isnan_(fa_tensor *x, const fa_isnan_options *options);

/** Options of fa_isinf(). */
typedef struct fa_isinf_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_isinf_options;

/** true where x is infinity or -infinity.
 *
 *      fa_isinf(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_isinf(const fa_tensor *x, const fa_isinf_options *options);

/** fa_isinf() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_isinf_(fa_tensor *x, const fa_isinf_options *options);

/** Options of fa_isfinite(). */
typedef struct fa_isfinite_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_isfinite_options;

/** true where x is finite: neither infinite nor NaN.
 *
 *      fa_isfinite(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_isfinite(const fa_tensor *x, const fa_isfinite_options *options);

/** fa_isfinite() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_isfinite_(fa_tensor *x, const fa_isfinite_options *options);

/** Options of fa_isposinf(). */
typedef struct fa_isposinf_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_isposinf_options;

/** true where x is positive infinity.
 *
 *      fa_isposinf(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_isposinf(const fa_tensor *x, const fa_isposinf_options *options);

/** fa_isposinf() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_isposinf_(fa_tensor *x, const fa_isposinf_options *options);

/** Options of fa_isneginf(). */
typedef struct fa_isneginf_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_isneginf_options;

/** true where x is negative infinity.
 *
 *      fa_isneginf(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_isneginf(const fa_tensor *x, const fa_isneginf_options *options);

/** fa_isneginf() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_isneginf_(fa_tensor *x, const fa_isneginf_options *options);

/** Options of fa_isclose(). */
typedef struct fa_isclose_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    double rtol;    /**< see fa_isclose() */
    double atol;    /**< see fa_isclose() */
    bool equal_nan; /**< see fa_isclose() */
    char fa__end;   /**< marks the end of this version's options */
} fa_isclose_options;

/** true where |x - y| <= atol + rtol * |y|. Equal infinities are close; NaN is close to NaN only with equal_nan.
 *
 *      fa_isclose(x, y, .rtol = 1e-5, .atol = 1e-8, .equal_nan = false, .out = NULL)
 *
 *  @param x a tensor or a number
 *  @param y a tensor or a number
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_isclose(fa_arg x, fa_arg y, const fa_isclose_options *options);

/** fa_isclose() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_isclose_(fa_tensor *x, fa_arg y, const fa_isclose_options *options);

/** Options of fa_nan_to_num(). */
typedef struct fa_nan_to_num_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    double nan;     /**< replaces NaN */
    double posinf;  /**< replaces infinity; the default is the largest finite number of the dtype */
    double neginf;  /**< replaces -infinity; the default is the lowest finite number of the dtype */
    char fa__end;   /**< marks the end of this version's options */
} fa_nan_to_num_options;

/** x with NaN, infinity and -infinity replaced by given numbers: by default by 0 and the largest and lowest finite
 *  number of the dtype.
 *
 *      fa_nan_to_num(x, .nan = 0.0, .posinf = INFINITY, .neginf = -INFINITY, .out = NULL)
 *
 *  @param x any dtype; integers and bool are returned unchanged
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_nan_to_num(const fa_tensor *x, const fa_nan_to_num_options *options);

/** Options of fa_logical_and(). */
typedef struct fa_logical_and_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_logical_and_options;

/** true where x and y are both nonzero.
 *
 *      fa_logical_and(x, y, .out = NULL)
 *
 *  @param x a tensor or a number
 *  @param y a tensor or a number
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_logical_and(fa_arg x, fa_arg y, const fa_logical_and_options *options);

/** fa_logical_and() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_logical_and_(fa_tensor *x, fa_arg y, const fa_logical_and_options *options);

/** Options of fa_logical_or(). */
typedef struct fa_logical_or_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_logical_or_options;

/** true where x or y is nonzero.
 *
 *      fa_logical_or(x, y, .out = NULL)
 *
 *  @param x a tensor or a number
 *  @param y a tensor or a number
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_logical_or(fa_arg x, fa_arg y, const fa_logical_or_options *options);

/** fa_logical_or() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_logical_or_(fa_tensor *x, fa_arg y, const fa_logical_or_options *options);

/** Options of fa_logical_xor(). */
typedef struct fa_logical_xor_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_logical_xor_options;

/** true where exactly one of x and y is nonzero.
 *
 *      fa_logical_xor(x, y, .out = NULL)
 *
 *  @param x a tensor or a number
 *  @param y a tensor or a number
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_logical_xor(fa_arg x, fa_arg y, const fa_logical_xor_options *options);

/** fa_logical_xor() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_logical_xor_(fa_tensor *x, fa_arg y, const fa_logical_xor_options *options);

/** Options of fa_logical_not(). */
typedef struct fa_logical_not_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_logical_not_options;

/** true where x is 0.
 *
 *      fa_logical_not(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_logical_not(const fa_tensor *x, const fa_logical_not_options *options);

/** fa_logical_not() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_logical_not_(fa_tensor *x, const fa_logical_not_options *options);

/** Options of fa_bitwise_and(). */
typedef struct fa_bitwise_and_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_bitwise_and_options;

/** Bitwise and of integers, logical and of bool. Floating dtypes are an error.
 *
 *      fa_bitwise_and(x, y, .out = NULL)
 *
 *  @param x a tensor or a number
 *  @param y a tensor or a number
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_bitwise_and(fa_arg x, fa_arg y, const fa_bitwise_and_options *options);

/** fa_bitwise_and() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_bitwise_and_(fa_tensor *x, fa_arg y, const fa_bitwise_and_options *options);

/** Options of fa_bitwise_or(). */
typedef struct fa_bitwise_or_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_bitwise_or_options;

/** Bitwise or of integers, logical or of bool. Floating dtypes are an error.
 *
 *      fa_bitwise_or(x, y, .out = NULL)
 *
 *  @param x a tensor or a number
 *  @param y a tensor or a number
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_bitwise_or(fa_arg x, fa_arg y, const fa_bitwise_or_options *options);

/** fa_bitwise_or() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_bitwise_or_(fa_tensor *x, fa_arg y, const fa_bitwise_or_options *options);

/** Options of fa_bitwise_xor(). */
typedef struct fa_bitwise_xor_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_bitwise_xor_options;

/** Bitwise exclusive or of integers, logical exclusive or of bool. Floating dtypes are an error.
 *
 *      fa_bitwise_xor(x, y, .out = NULL)
 *
 *  @param x a tensor or a number
 *  @param y a tensor or a number
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_bitwise_xor(fa_arg x, fa_arg y, const fa_bitwise_xor_options *options);

/** fa_bitwise_xor() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_bitwise_xor_(fa_tensor *x, fa_arg y, const fa_bitwise_xor_options *options);

/** Options of fa_bitwise_not(). */
typedef struct fa_bitwise_not_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_bitwise_not_options;

/** Bitwise complement of integers, logical not of bool. Floating dtypes are an error.
 *
 *      fa_bitwise_not(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_bitwise_not(const fa_tensor *x, const fa_bitwise_not_options *options);

/** fa_bitwise_not() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_bitwise_not_(fa_tensor *x, const fa_bitwise_not_options *options);

/** Options of fa_bitwise_left_shift(). */
typedef struct fa_bitwise_left_shift_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_bitwise_left_shift_options;

/** x << y: x shifted left by y bits, x * 2^y. The result is 0 where y is negative or at least the number of bits.
 *  Floating dtypes are an error.
 *
 *      fa_bitwise_left_shift(x, y, .out = NULL)
 *
 *  @param x a tensor or a number
 *  @param y a tensor or a number
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_bitwise_left_shift(fa_arg x, fa_arg y, const fa_bitwise_left_shift_options *options);

/** fa_bitwise_left_shift() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_bitwise_left_shift_(fa_tensor *x, fa_arg y, const fa_bitwise_left_shift_options *options);

/** Options of fa_bitwise_right_shift(). */
typedef struct fa_bitwise_right_shift_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_bitwise_right_shift_options;

/** x >> y: x shifted right by y bits, x / 2^y rounded down. Where y is negative or at least the number of bits, the
 *  result is 0, or -1 for negative x. Floating dtypes are an error.
 *
 *      fa_bitwise_right_shift(x, y, .out = NULL)
 *
 *  @param x a tensor or a number
 *  @param y a tensor or a number
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_bitwise_right_shift(fa_arg x, fa_arg y, const fa_bitwise_right_shift_options *options);

/** fa_bitwise_right_shift() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_bitwise_right_shift_(fa_tensor *x, fa_arg y, const fa_bitwise_right_shift_options *options);

/** Options of fa_gcd(). */
typedef struct fa_gcd_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_gcd_options;

/** The greatest common divisor of x and y, not negative. Floating dtypes are an error.
 *
 *      fa_gcd(x, y, .out = NULL)
 *
 *  @param x a tensor or a number
 *  @param y a tensor or a number
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_gcd(fa_arg x, fa_arg y, const fa_gcd_options *options);

/** fa_gcd() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_gcd_(fa_tensor *x, fa_arg y, const fa_gcd_options *options);

/** Options of fa_lcm(). */
typedef struct fa_lcm_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_lcm_options;

/** The least common multiple of x and y, not negative; 0 where one of them is 0. Floating dtypes are an error.
 *
 *      fa_lcm(x, y, .out = NULL)
 *
 *  @param x a tensor or a number
 *  @param y a tensor or a number
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_lcm(fa_arg x, fa_arg y, const fa_lcm_options *options);

/** fa_lcm() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_lcm_(fa_tensor *x, fa_arg y, const fa_lcm_options *options);

/** @} */

/** @name Division with remainder, floating-point parts, powers and bit counts
 *  Most of these split a number: into quotient and
 *  remainder, mantissa and exponent, fraction and whole.
 *  @{ */

/** Options of fa_float_power(). */
typedef struct fa_float_power_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_float_power_options;

/** x to the power y, computed in f64 for all dtypes; the result is f64.
 *
 *      fa_float_power(x, y, .out = NULL)
 *
 *  @param x a tensor or a number
 *  @param y a tensor or a number
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_float_power(fa_arg x, fa_arg y, const fa_float_power_options *options);

/** fa_float_power() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_float_power_(fa_tensor *x, fa_arg y, const fa_float_power_options *options);

/** Options of fa_cbrt(). */
typedef struct fa_cbrt_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_cbrt_options;

/** The cube root of x, negative for negative x. Its gradient is infinite at 0.
 *
 *      fa_cbrt(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_cbrt(const fa_tensor *x, const fa_cbrt_options *options);

/** fa_cbrt() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_cbrt_(fa_tensor *x, const fa_cbrt_options *options);

/** The results of fa_divmod(). */
typedef struct fa_divmod_result {
    fa_tensor *quotient;  /**< see fa_divmod() */
    fa_tensor *remainder; /**< see fa_divmod() */
} fa_divmod_result;

/** The pair fa_floor_divide(x, y) and fa_remainder(x, y): the quotient rounded down and the remainder. See there for
 *  signs and division by 0.
 *
 *      fa_divmod(x, y)
 *
 *  @param x the dividend
 *  @param y the divisor; broadcasts with x
 *  @return the results; NULLs after an error */
FA_API fa_divmod_result fa_divmod(fa_arg x, fa_arg y);

/** The results of fa_frexp(). */
typedef struct fa_frexp_result {
    fa_tensor *mantissa; /**< see fa_frexp() */
    fa_tensor *exponent; /**< see fa_frexp() */
} fa_frexp_result;

/** Splits x into mantissa and exponent, x = mantissa * 2^exponent, with 1/2 <= |mantissa| < 1 and an i32 exponent.
 *  Zeros, infinities and NaN are returned as mantissa with exponent 0.
 *
 *      fa_frexp(x)
 *
 *  @param x floating
 *  @return the results; NULLs after an error */
FA_API fa_frexp_result fa_frexp(const fa_tensor *x);

/** The results of fa_modf(). */
typedef struct fa_modf_result {
    fa_tensor *fraction; /**< see fa_modf() */
    fa_tensor *whole;    /**< see fa_modf() */
} fa_modf_result;

/** Splits x into its fractional and its whole part, both with the sign of x. The fraction of an infinity is 0.
 *
 *      fa_modf(x)
 *
 *  @param x any dtype; integers and bool give f32
 *  @return the results; NULLs after an error */
FA_API fa_modf_result fa_modf(const fa_tensor *x);

/** Options of fa_spacing(). */
typedef struct fa_spacing_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_spacing_options;

/** The distance from x to the next representable number away from 0, with the sign of x. It is NaN for infinities; at
 *  the largest finite number it is that number's distance to its neighbour towards 0, where NumPy gives infinity.
 *
 *      fa_spacing(x, .out = NULL)
 *
 *  @param x floating
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_spacing(const fa_tensor *x, const fa_spacing_options *options);

/** Options of fa_nextafter(). */
typedef struct fa_nextafter_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_nextafter_options;

/** The next representable number after x towards y, in the promoted floating dtype of both. The gradient passes to x,
 *  except where x equals y; f16 and bf16 have no gradient.
 *
 *      fa_nextafter(x, y, .out = NULL)
 *
 *  @param x the start
 *  @param y the direction; broadcasts with x, and dtypes are promoted
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_nextafter(fa_arg x, fa_arg y, const fa_nextafter_options *options);

/** fa_nextafter() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_nextafter_(fa_tensor *x, fa_arg y, const fa_nextafter_options *options);

/** Options of fa_bitwise_count(). */
typedef struct fa_bitwise_count_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_bitwise_count_options;

/** The number of 1 bits in |x| (population count), as u8. Floating dtypes are an error.
 *
 *      fa_bitwise_count(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_bitwise_count(const fa_tensor *x, const fa_bitwise_count_options *options);

/** fa_bitwise_count() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_bitwise_count_(fa_tensor *x, const fa_bitwise_count_options *options);

/** @} */

/** @name Exponentials, logarithms, trigonometry, rounding and division
 *  Each is one expression, element by element. Integers
 *  and bool give f32 unless the operation says that they stay integers.
 *  @{ */

/** Options of fa_exp2(). */
typedef struct fa_exp2_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_exp2_options;

/** 2 to the power x.
 *
 *      fa_exp2(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_exp2(const fa_tensor *x, const fa_exp2_options *options);

/** fa_exp2() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_exp2_(fa_tensor *x, const fa_exp2_options *options);

/** Options of fa_expm1(). */
typedef struct fa_expm1_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_expm1_options;

/** exp(x) - 1, accurate near 0.
 *
 *      fa_expm1(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_expm1(const fa_tensor *x, const fa_expm1_options *options);

/** fa_expm1() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_expm1_(fa_tensor *x, const fa_expm1_options *options);

/** Options of fa_log2(). */
typedef struct fa_log2_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_log2_options;

/** The base-2 logarithm of x.
 *
 *      fa_log2(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_log2(const fa_tensor *x, const fa_log2_options *options);

/** fa_log2() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_log2_(fa_tensor *x, const fa_log2_options *options);

/** Options of fa_log10(). */
typedef struct fa_log10_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_log10_options;

/** The base-10 logarithm of x.
 *
 *      fa_log10(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_log10(const fa_tensor *x, const fa_log10_options *options);

/** fa_log10() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_log10_(fa_tensor *x, const fa_log10_options *options);

/** Options of fa_log1p(). */
typedef struct fa_log1p_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_log1p_options;

/** log(1 + x), the natural logarithm, accurate near 0.
 *
 *      fa_log1p(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_log1p(const fa_tensor *x, const fa_log1p_options *options);

/** fa_log1p() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_log1p_(fa_tensor *x, const fa_log1p_options *options);

/** Options of fa_logaddexp(). */
typedef struct fa_logaddexp_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_logaddexp_options;

/** log(exp(x) + exp(y)), computed without overflow.
 *
 *      fa_logaddexp(x, y, .out = NULL)
 *
 *  @param x a tensor or a number
 *  @param y a tensor or a number
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_logaddexp(fa_arg x, fa_arg y, const fa_logaddexp_options *options);

/** fa_logaddexp() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_logaddexp_(fa_tensor *x, fa_arg y, const fa_logaddexp_options *options);

/** Options of fa_logaddexp2(). */
typedef struct fa_logaddexp2_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_logaddexp2_options;

/** log2(2^x + 2^y), computed without overflow.
 *
 *      fa_logaddexp2(x, y, .out = NULL)
 *
 *  @param x a tensor or a number
 *  @param y a tensor or a number
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_logaddexp2(fa_arg x, fa_arg y, const fa_logaddexp2_options *options);

/** fa_logaddexp2() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_logaddexp2_(fa_tensor *x, fa_arg y, const fa_logaddexp2_options *options);

/** Options of fa_xlogy(). */
typedef struct fa_xlogy_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_xlogy_options;

/** x * log(y); 0 where x is 0, unless y is NaN.
 *
 *      fa_xlogy(x, y, .out = NULL)
 *
 *  @param x a tensor or a number
 *  @param y a tensor or a number
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_xlogy(fa_arg x, fa_arg y, const fa_xlogy_options *options);

/** fa_xlogy() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_xlogy_(fa_tensor *x, fa_arg y, const fa_xlogy_options *options);

/** Options of fa_logit(). */
typedef struct fa_logit_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    double eps;     /**< see fa_logit() */
    char fa__end;   /**< marks the end of this version's options */
} fa_logit_options;

/** The inverse of sigmoid: log(x / (1 - x)). With eps >= 0, x is first clamped to [eps, 1 - eps]. Without eps the
 *  gradient at exactly 0 and 1 is NaN.
 *
 *      fa_logit(x, .eps = -1, .out = NULL)
 *
 *  @param x a tensor
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_logit(const fa_tensor *x, const fa_logit_options *options);

/** fa_logit() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_logit_(fa_tensor *x, const fa_logit_options *options);

/** Options of fa_square(). */
typedef struct fa_square_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_square_options;

/** x * x. Integers stay integers.
 *
 *      fa_square(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_square(const fa_tensor *x, const fa_square_options *options);

/** fa_square() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_square_(fa_tensor *x, const fa_square_options *options);

/** Options of fa_rsqrt(). */
typedef struct fa_rsqrt_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_rsqrt_options;

/** 1 / sqrt(x).
 *
 *      fa_rsqrt(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_rsqrt(const fa_tensor *x, const fa_rsqrt_options *options);

/** fa_rsqrt() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_rsqrt_(fa_tensor *x, const fa_rsqrt_options *options);

/** Options of fa_hypot(). */
typedef struct fa_hypot_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_hypot_options;

/** sqrt(x * x + y * y), computed without overflow.
 *
 *      fa_hypot(x, y, .out = NULL)
 *
 *  @param x a tensor or a number
 *  @param y a tensor or a number
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_hypot(fa_arg x, fa_arg y, const fa_hypot_options *options);

/** fa_hypot() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_hypot_(fa_tensor *x, fa_arg y, const fa_hypot_options *options);

/** Options of fa_ldexp(). */
typedef struct fa_ldexp_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_ldexp_options;

/** x * 2^y.
 *
 *      fa_ldexp(x, y, .out = NULL)
 *
 *  @param x a tensor or a number
 *  @param y a tensor or a number
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_ldexp(fa_arg x, fa_arg y, const fa_ldexp_options *options);

/** fa_ldexp() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_ldexp_(fa_tensor *x, fa_arg y, const fa_ldexp_options *options);

/** Options of fa_tan(). */
typedef struct fa_tan_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_tan_options;

/** The tangent of x (radians).
 *
 *      fa_tan(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_tan(const fa_tensor *x, const fa_tan_options *options);

/** fa_tan() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_tan_(fa_tensor *x, const fa_tan_options *options);

/** Options of fa_asin(). */
typedef struct fa_asin_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_asin_options;

/** The inverse sine of x, from -pi/2 to pi/2; NaN where |x| > 1.
 *
 *      fa_asin(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_asin(const fa_tensor *x, const fa_asin_options *options);

/** fa_asin() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_asin_(fa_tensor *x, const fa_asin_options *options);

/** Options of fa_acos(). */
typedef struct fa_acos_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_acos_options;

/** The inverse cosine of x, from 0 to pi; NaN where |x| > 1.
 *
 *      fa_acos(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_acos(const fa_tensor *x, const fa_acos_options *options);

/** fa_acos() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_acos_(fa_tensor *x, const fa_acos_options *options);

/** Options of fa_atan(). */
typedef struct fa_atan_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_atan_options;

/** The inverse tangent of x, from -pi/2 to pi/2.
 *
 *      fa_atan(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_atan(const fa_tensor *x, const fa_atan_options *options);

/** fa_atan() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_atan_(fa_tensor *x, const fa_atan_options *options);

/** Options of fa_atan2(). */
typedef struct fa_atan2_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_atan2_options;

/** The angle of the point with abscissa y and ordinate x, from -pi to pi: the inverse tangent of x / y in the right
 *  quadrant. The gradient is 0 at the origin.
 *
 *      fa_atan2(x, y, .out = NULL)
 *
 *  @param x a tensor or a number
 *  @param y a tensor or a number
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_atan2(fa_arg x, fa_arg y, const fa_atan2_options *options);

/** fa_atan2() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_atan2_(fa_tensor *x, fa_arg y, const fa_atan2_options *options);

/** Options of fa_sinc(). */
typedef struct fa_sinc_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_sinc_options;

/** sin(pi x) / (pi x); 1 at 0.
 *
 *      fa_sinc(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_sinc(const fa_tensor *x, const fa_sinc_options *options);

/** fa_sinc() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_sinc_(fa_tensor *x, const fa_sinc_options *options);

/** Options of fa_deg2rad(). */
typedef struct fa_deg2rad_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_deg2rad_options;

/** Converts degrees to radians.
 *
 *      fa_deg2rad(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_deg2rad(const fa_tensor *x, const fa_deg2rad_options *options);

/** fa_deg2rad() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_deg2rad_(fa_tensor *x, const fa_deg2rad_options *options);

/** Options of fa_rad2deg(). */
typedef struct fa_rad2deg_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_rad2deg_options;

/** Converts radians to degrees.
 *
 *      fa_rad2deg(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_rad2deg(const fa_tensor *x, const fa_rad2deg_options *options);

/** fa_rad2deg() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_rad2deg_(fa_tensor *x, const fa_rad2deg_options *options);

/** Options of fa_sinh(). */
typedef struct fa_sinh_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_sinh_options;

/** The hyperbolic sine of x.
 *
 *      fa_sinh(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_sinh(const fa_tensor *x, const fa_sinh_options *options);

/** fa_sinh() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_sinh_(fa_tensor *x, const fa_sinh_options *options);

/** Options of fa_cosh(). */
typedef struct fa_cosh_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_cosh_options;

/** The hyperbolic cosine of x.
 *
 *      fa_cosh(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_cosh(const fa_tensor *x, const fa_cosh_options *options);

/** fa_cosh() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_cosh_(fa_tensor *x, const fa_cosh_options *options);

/** Options of fa_asinh(). */
typedef struct fa_asinh_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_asinh_options;

/** The inverse of the hyperbolic sine.
 *
 *      fa_asinh(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_asinh(const fa_tensor *x, const fa_asinh_options *options);

/** fa_asinh() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_asinh_(fa_tensor *x, const fa_asinh_options *options);

/** Options of fa_acosh(). */
typedef struct fa_acosh_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_acosh_options;

/** The inverse of the hyperbolic cosine, 0 or positive; NaN for x < 1.
 *
 *      fa_acosh(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_acosh(const fa_tensor *x, const fa_acosh_options *options);

/** fa_acosh() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_acosh_(fa_tensor *x, const fa_acosh_options *options);

/** Options of fa_atanh(). */
typedef struct fa_atanh_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_atanh_options;

/** The inverse of the hyperbolic tangent; infinite at -1 and 1, NaN beyond.
 *
 *      fa_atanh(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_atanh(const fa_tensor *x, const fa_atanh_options *options);

/** fa_atanh() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_atanh_(fa_tensor *x, const fa_atanh_options *options);

/** Options of fa_erfc(). */
typedef struct fa_erfc_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_erfc_options;

/** The complementary error function 1 - erf(x), accurate for large x.
 *
 *      fa_erfc(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_erfc(const fa_tensor *x, const fa_erfc_options *options);

/** fa_erfc() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_erfc_(fa_tensor *x, const fa_erfc_options *options);

/** Options of fa_erfinv(). */
typedef struct fa_erfinv_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_erfinv_options;

/** The inverse of the error function; infinite at -1 and 1, NaN beyond.
 *
 *      fa_erfinv(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_erfinv(const fa_tensor *x, const fa_erfinv_options *options);

/** fa_erfinv() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_erfinv_(fa_tensor *x, const fa_erfinv_options *options);

/** Options of fa_lgamma(). */
typedef struct fa_lgamma_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_lgamma_options;

/** The logarithm of |gamma(x)|.
 *
 *      fa_lgamma(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_lgamma(const fa_tensor *x, const fa_lgamma_options *options);

/** fa_lgamma() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_lgamma_(fa_tensor *x, const fa_lgamma_options *options);

/** Options of fa_digamma(). */
typedef struct fa_digamma_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_digamma_options;

/** The derivative of fa_lgamma(). -infinity or infinity at 0, NaN at negative integers.
 *
 *      fa_digamma(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_digamma(const fa_tensor *x, const fa_digamma_options *options);

/** fa_digamma() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_digamma_(fa_tensor *x, const fa_digamma_options *options);

/** Options of fa_polygamma(). */
typedef struct fa_polygamma_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_polygamma_options;

/** The n-th derivative of fa_digamma() at x, for an integer n >= 0. For x < 0 it is NaN if n > 4.
 *
 *      fa_polygamma(n, x, .out = NULL)
 *
 *  @param n a tensor or a number
 *  @param x a tensor or a number
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_polygamma(fa_arg n, fa_arg x, const fa_polygamma_options *options);

/** fa_polygamma() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_polygamma_(fa_arg n, fa_tensor *x, const fa_polygamma_options *options);

/** Options of fa_floor(). */
typedef struct fa_floor_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_floor_options;

/** The largest integer <= x.
 *
 *      fa_floor(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_floor(const fa_tensor *x, const fa_floor_options *options);

/** fa_floor() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_floor_(fa_tensor *x, const fa_floor_options *options);

/** Options of fa_ceil(). */
typedef struct fa_ceil_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_ceil_options;

/** The smallest integer >= x.
 *
 *      fa_ceil(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_ceil(const fa_tensor *x, const fa_ceil_options *options);

/** fa_ceil() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_ceil_(fa_tensor *x, const fa_ceil_options *options);

/** Options of fa_trunc(). */
typedef struct fa_trunc_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_trunc_options;

/** x rounded towards 0.
 *
 *      fa_trunc(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_trunc(const fa_tensor *x, const fa_trunc_options *options);

/** fa_trunc() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_trunc_(fa_tensor *x, const fa_trunc_options *options);

/** Options of fa_round(). */
typedef struct fa_round_options {
    size_t size;     /**< set by the macro */
    fa_tensor *out;  /**< the tensor to write the result into; NULL: a new one */
    double decimals; /**< see fa_round() */
    char fa__end;    /**< marks the end of this version's options */
} fa_round_options;

/** x rounded to `decimals` digits after the decimal point, or before it if decimals is negative; ties go to the even
 *  digit.
 *
 *      fa_round(x, .decimals = 0, .out = NULL)
 *
 *  @param x a tensor
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_round(const fa_tensor *x, const fa_round_options *options);

/** fa_round() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_round_(fa_tensor *x, const fa_round_options *options);

/** Options of fa_frac(). */
typedef struct fa_frac_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_frac_options;

/** The fractional part of x, x - trunc(x), with the sign of x.
 *
 *      fa_frac(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_frac(const fa_tensor *x, const fa_frac_options *options);

/** fa_frac() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_frac_(fa_tensor *x, const fa_frac_options *options);

/** Options of fa_floor_divide(). */
typedef struct fa_floor_divide_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_floor_divide_options;

/** The quotient x / y rounded down; fa_remainder() is the matching remainder. Integers stay integers, and division by 0
 *  is an error, which a GPU reports when the host next waits for it. Floating-point division by 0 gives infinity or
 *  NaN.
 *
 *      fa_floor_divide(x, y, .out = NULL)
 *
 *  @param x a tensor or a number
 *  @param y a tensor or a number
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_floor_divide(fa_arg x, fa_arg y, const fa_floor_divide_options *options);

/** fa_floor_divide() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_floor_divide_(fa_tensor *x, fa_arg y, const fa_floor_divide_options *options);

/** Options of fa_trunc_divide(). */
typedef struct fa_trunc_divide_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_trunc_divide_options;

/** The quotient x / y rounded towards 0, as in C; fa_fmod() is the matching remainder. Integers stay integers, and
 *  division by 0 is an error, which a GPU reports when the host next waits for it. Floating-point division by 0 gives
 *  infinity or NaN. The gradient is 0.
 *
 *      fa_trunc_divide(x, y, .out = NULL)
 *
 *  @param x the dividend
 *  @param y the divisor; broadcasts with x, and dtypes are promoted
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_trunc_divide(fa_arg x, fa_arg y, const fa_trunc_divide_options *options);

/** fa_trunc_divide() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_trunc_divide_(fa_tensor *x, fa_arg y, const fa_trunc_divide_options *options);

/** Options of fa_remainder(). */
typedef struct fa_remainder_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_remainder_options;

/** The remainder with the sign of y, as Python's %: x - y * fa_floor_divide(x, y). Integers stay integers, and division
 *  by 0 is an error as for fa_floor_divide().
 *
 *      fa_remainder(x, y, .out = NULL)
 *
 *  @param x a tensor or a number
 *  @param y a tensor or a number
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_remainder(fa_arg x, fa_arg y, const fa_remainder_options *options);

/** fa_remainder() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_remainder_(fa_tensor *x, fa_arg y, const fa_remainder_options *options);

/** Options of fa_fmod(). */
typedef struct fa_fmod_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_fmod_options;

/** The remainder with the sign of x, as C's fmod: x - y * fa_trunc_divide(x, y). Integers stay integers, and division
 *  by 0 is an error as for fa_floor_divide().
 *
 *      fa_fmod(x, y, .out = NULL)
 *
 *  @param x a tensor or a number
 *  @param y a tensor or a number
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_fmod(fa_arg x, fa_arg y, const fa_fmod_options *options);

/** fa_fmod() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_fmod_(fa_tensor *x, fa_arg y, const fa_fmod_options *options);

/** Options of fa_sign(). */
typedef struct fa_sign_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_sign_options;

/** The sign of x: 1, -1 or 0; 0 for NaN, as in PyTorch.
 *
 *      fa_sign(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_sign(const fa_tensor *x, const fa_sign_options *options);

/** fa_sign() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_sign_(fa_tensor *x, const fa_sign_options *options);

/** Options of fa_signbit(). */
typedef struct fa_signbit_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_signbit_options;

/** true where the sign bit is set: x < 0 or x is -0.
 *
 *      fa_signbit(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_signbit(const fa_tensor *x, const fa_signbit_options *options);

/** fa_signbit() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_signbit_(fa_tensor *x, const fa_signbit_options *options);

/** Options of fa_copysign(). */
typedef struct fa_copysign_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_copysign_options;

/** |x| with the sign of y.
 *
 *      fa_copysign(x, y, .out = NULL)
 *
 *  @param x a tensor or a number
 *  @param y a tensor or a number
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_copysign(fa_arg x, fa_arg y, const fa_copysign_options *options);

/** fa_copysign() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_copysign_(fa_tensor *x, fa_arg y, const fa_copysign_options *options);

/** Options of fa_heaviside(). */
typedef struct fa_heaviside_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_heaviside_options;

/** The Heaviside step function: 0 where x < 0, `values` where x is 0, 1 where x > 0; 0 for NaN.
 *
 *      fa_heaviside(x, values, .out = NULL)
 *
 *  @param x a tensor or a number
 *  @param values a tensor or a number
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_heaviside(fa_arg x, fa_arg values, const fa_heaviside_options *options);

/** fa_heaviside() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_heaviside_(fa_tensor *x, fa_arg values, const fa_heaviside_options *options);

/** Options of fa_fmax(). */
typedef struct fa_fmax_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_fmax_options;

/** The larger of x and y, ignoring NaN: if one is NaN, the other one. Where they are equal both get half of the
 *  gradient.
 *
 *      fa_fmax(x, y, .out = NULL)
 *
 *  @param x a tensor or a number
 *  @param y a tensor or a number
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_fmax(fa_arg x, fa_arg y, const fa_fmax_options *options);

/** fa_fmax() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_fmax_(fa_tensor *x, fa_arg y, const fa_fmax_options *options);

/** Options of fa_fmin(). */
typedef struct fa_fmin_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_fmin_options;

/** The smaller of x and y, ignoring NaN: if one is NaN, the other one. Where they are equal both get half of the
 *  gradient.
 *
 *      fa_fmin(x, y, .out = NULL)
 *
 *  @param x a tensor or a number
 *  @param y a tensor or a number
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_fmin(fa_arg x, fa_arg y, const fa_fmin_options *options);

/** fa_fmin() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_fmin_(fa_tensor *x, fa_arg y, const fa_fmin_options *options);

/** Options of fa_clamp_min(). */
typedef struct fa_clamp_min_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_clamp_min_options;

/** max(x, low); NaN stays NaN.
 *
 *      fa_clamp_min(x, low, .out = NULL)
 *
 *  @param x a tensor or a number
 *  @param low a tensor or a number
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_clamp_min(fa_arg x, fa_arg low, const fa_clamp_min_options *options);

/** fa_clamp_min() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_clamp_min_(fa_tensor *x, fa_arg low, const fa_clamp_min_options *options);

/** Options of fa_clamp_max(). */
typedef struct fa_clamp_max_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_clamp_max_options;

/** min(x, high); NaN stays NaN.
 *
 *      fa_clamp_max(x, high, .out = NULL)
 *
 *  @param x a tensor or a number
 *  @param high a tensor or a number
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_clamp_max(fa_arg x, fa_arg high, const fa_clamp_max_options *options);

/** fa_clamp_max() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_clamp_max_(fa_tensor *x, fa_arg high, const fa_clamp_max_options *options);

/** Options of fa_lerp(). */
typedef struct fa_lerp_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_lerp_options;

/** Linear interpolation: x + weight * (end - x), which is x for weight 0 and end for weight 1.
 *
 *      fa_lerp(x, end, weight, .out = NULL)
 *
 *  @param x a tensor or a number
 *  @param end a tensor or a number
 *  @param weight a tensor or a number
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_lerp(fa_arg x, fa_arg end, fa_arg weight, const fa_lerp_options *options);

/** fa_lerp() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_lerp_(fa_tensor *x, fa_arg end, fa_arg weight, const fa_lerp_options *options);

/** Options of fa_addcmul(). */
typedef struct fa_addcmul_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    double value;   /**< see fa_addcmul() */
    char fa__end;   /**< marks the end of this version's options */
} fa_addcmul_options;

/** x + value * a * b. For integer operands value must be a whole number.
 *
 *      fa_addcmul(x, a, b, .value = 1, .out = NULL)
 *
 *  @param x a tensor or a number
 *  @param a a tensor or a number
 *  @param b a tensor or a number
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_addcmul(fa_arg x, fa_arg a, fa_arg b, const fa_addcmul_options *options);

/** fa_addcmul() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_addcmul_(fa_tensor *x, fa_arg a, fa_arg b, const fa_addcmul_options *options);

/** Options of fa_addcdiv(). */
typedef struct fa_addcdiv_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    double value;   /**< see fa_addcdiv() */
    char fa__end;   /**< marks the end of this version's options */
} fa_addcdiv_options;

/** x + value * a / b.
 *
 *      fa_addcdiv(x, a, b, .value = 1, .out = NULL)
 *
 *  @param x a tensor or a number
 *  @param a a tensor or a number
 *  @param b a tensor or a number
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_addcdiv(fa_arg x, fa_arg a, fa_arg b, const fa_addcdiv_options *options);

/** fa_addcdiv() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_addcdiv_(fa_tensor *x, fa_arg a, fa_arg b, const fa_addcdiv_options *options);

/** @} */

/** @name Elementwise arithmetic, comparisons and common functions
 *  Each operation is one expression, from which shapes, dtype
 *  promotion, in-place and .out forms and gradients follow. Operands broadcast as in PyTorch and NumPy.
 *
 *  Integer arithmetic wraps around in u8, i8 and i16. Comparisons compare the values themselves, within 32 bits: every
 *  u8 is greater than the number -1, which PyTorch converts to 255 first. Numbers that serve as bounds, as in
 *  fa_clamp(x, -3, 300), become the nearest value of the dtype.
 *  @{ */

/** Options of fa_add(). */
typedef struct fa_add_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    double alpha;   /**< see fa_add() */
    char fa__end;   /**< marks the end of this version's options */
} fa_add_options;

/** x + alpha * y. For integer operands alpha must be a whole number.
 *
 *      fa_add(x, y, .alpha = 1, .out = NULL)
 *
 *  @param x a tensor or a number
 *  @param y a tensor or a number
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_add(fa_arg x, fa_arg y, const fa_add_options *options);

/** fa_add() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_add_(fa_tensor *x, fa_arg y, const fa_add_options *options);

/** Options of fa_sub(). */
typedef struct fa_sub_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    double alpha;   /**< see fa_sub() */
    char fa__end;   /**< marks the end of this version's options */
} fa_sub_options;

/** x - alpha * y. Bool operands are an error.
 *
 *      fa_sub(x, y, .alpha = 1, .out = NULL)
 *
 *  @param x a tensor or a number
 *  @param y a tensor or a number
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_sub(fa_arg x, fa_arg y, const fa_sub_options *options);

/** fa_sub() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_sub_(fa_tensor *x, fa_arg y, const fa_sub_options *options);

/** Options of fa_mul(). */
typedef struct fa_mul_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_mul_options;

/** x * y.
 *
 *      fa_mul(x, y, .out = NULL)
 *
 *  @param x a tensor or a number
 *  @param y a tensor or a number
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_mul(fa_arg x, fa_arg y, const fa_mul_options *options);

/** fa_mul() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_mul_(fa_tensor *x, fa_arg y, const fa_mul_options *options);

/** Options of fa_div(). */
typedef struct fa_div_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_div_options;

/** x / y, true division: integers give f32. Division by zero gives infinity or NaN. For PyTorch's rounding_mode use
 *  fa_floor_divide() or fa_trunc_divide().
 *
 *      fa_div(x, y, .out = NULL)
 *
 *  @param x a tensor or a number
 *  @param y a tensor or a number
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_div(fa_arg x, fa_arg y, const fa_div_options *options);

/** fa_div() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_div_(fa_tensor *x, fa_arg y, const fa_div_options *options);

/** Options of fa_pow(). */
typedef struct fa_pow_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_pow_options;

/** x to the power y; 0 to the power 0 is 1. Integers stay integers: with a negative exponent the result is 0 unless x
 *  is 1 or -1. (PyTorch rejects a negative number as the exponent of integers.)
 *
 *      fa_pow(x, y, .out = NULL)
 *
 *  @param x a tensor or a number
 *  @param y a tensor or a number
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_pow(fa_arg x, fa_arg y, const fa_pow_options *options);

/** fa_pow() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_pow_(fa_tensor *x, fa_arg y, const fa_pow_options *options);

/** Options of fa_neg(). */
typedef struct fa_neg_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_neg_options;

/** -x. Bool is an error.
 *
 *      fa_neg(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_neg(const fa_tensor *x, const fa_neg_options *options);

/** fa_neg() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_neg_(fa_tensor *x, const fa_neg_options *options);

/** Options of fa_abs(). */
typedef struct fa_abs_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_abs_options;

/** The absolute value of x.
 *
 *      fa_abs(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_abs(const fa_tensor *x, const fa_abs_options *options);

/** fa_abs() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_abs_(fa_tensor *x, const fa_abs_options *options);

/** Options of fa_exp(). */
typedef struct fa_exp_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_exp_options;

/** The exponential function, e to the power x.
 *
 *      fa_exp(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_exp(const fa_tensor *x, const fa_exp_options *options);

/** fa_exp() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_exp_(fa_tensor *x, const fa_exp_options *options);

/** Options of fa_log(). */
typedef struct fa_log_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_log_options;

/** The natural logarithm of x.
 *
 *      fa_log(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_log(const fa_tensor *x, const fa_log_options *options);

/** fa_log() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_log_(fa_tensor *x, const fa_log_options *options);

/** Options of fa_sqrt(). */
typedef struct fa_sqrt_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_sqrt_options;

/** The square root of x.
 *
 *      fa_sqrt(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_sqrt(const fa_tensor *x, const fa_sqrt_options *options);

/** fa_sqrt() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_sqrt_(fa_tensor *x, const fa_sqrt_options *options);

/** Options of fa_reciprocal(). */
typedef struct fa_reciprocal_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_reciprocal_options;

/** 1 / x; integers give f32.
 *
 *      fa_reciprocal(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_reciprocal(const fa_tensor *x, const fa_reciprocal_options *options);

/** fa_reciprocal() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_reciprocal_(fa_tensor *x, const fa_reciprocal_options *options);

/** Options of fa_sin(). */
typedef struct fa_sin_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_sin_options;

/** The sine of x (radians).
 *
 *      fa_sin(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_sin(const fa_tensor *x, const fa_sin_options *options);

/** fa_sin() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_sin_(fa_tensor *x, const fa_sin_options *options);

/** Options of fa_cos(). */
typedef struct fa_cos_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_cos_options;

/** The cosine of x (radians).
 *
 *      fa_cos(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_cos(const fa_tensor *x, const fa_cos_options *options);

/** fa_cos() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_cos_(fa_tensor *x, const fa_cos_options *options);

/** Options of fa_tanh(). */
typedef struct fa_tanh_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_tanh_options;

/** The hyperbolic tangent of x.
 *
 *      fa_tanh(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_tanh(const fa_tensor *x, const fa_tanh_options *options);

/** fa_tanh() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_tanh_(fa_tensor *x, const fa_tanh_options *options);

/** Options of fa_erf(). */
typedef struct fa_erf_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_erf_options;

/** The error function of x.
 *
 *      fa_erf(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_erf(const fa_tensor *x, const fa_erf_options *options);

/** fa_erf() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_erf_(fa_tensor *x, const fa_erf_options *options);

/** Options of fa_sigmoid(). */
typedef struct fa_sigmoid_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_sigmoid_options;

/** The logistic function 1 / (1 + exp(-x)).
 *
 *      fa_sigmoid(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_sigmoid(const fa_tensor *x, const fa_sigmoid_options *options);

/** fa_sigmoid() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_sigmoid_(fa_tensor *x, const fa_sigmoid_options *options);

/** Options of fa_relu(). */
typedef struct fa_relu_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_relu_options;

/** max(x, 0); NaN stays NaN. The gradient is 0 at 0. Bool is an error.
 *
 *      fa_relu(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_relu(const fa_tensor *x, const fa_relu_options *options);

/** fa_relu() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_relu_(fa_tensor *x, const fa_relu_options *options);

/** Options of fa_gelu(). */
typedef struct fa_gelu_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_gelu_options;

/** Gaussian error linear unit: x * (1 + erf(x / sqrt(2))) / 2 (arXiv:1606.08415).
 *
 *      fa_gelu(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_gelu(const fa_tensor *x, const fa_gelu_options *options);

/** fa_gelu() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_gelu_(fa_tensor *x, const fa_gelu_options *options);

/** Options of fa_silu(). */
typedef struct fa_silu_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_silu_options;

/** x * sigmoid(x), also called swish (arXiv:1702.03118).
 *
 *      fa_silu(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_silu(const fa_tensor *x, const fa_silu_options *options);

/** fa_silu() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_silu_(fa_tensor *x, const fa_silu_options *options);

/** Options of fa_maximum(). */
typedef struct fa_maximum_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_maximum_options;

/** The larger of x and y; NaN if one of them is NaN. Where they are equal both get half of the gradient.
 *
 *      fa_maximum(x, y, .out = NULL)
 *
 *  @param x a tensor or a number
 *  @param y a tensor or a number
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_maximum(fa_arg x, fa_arg y, const fa_maximum_options *options);

/** fa_maximum() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_maximum_(fa_tensor *x, fa_arg y, const fa_maximum_options *options);

/** Options of fa_minimum(). */
typedef struct fa_minimum_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_minimum_options;

/** The smaller of x and y; NaN if one of them is NaN. Where they are equal both get half of the gradient.
 *
 *      fa_minimum(x, y, .out = NULL)
 *
 *  @param x a tensor or a number
 *  @param y a tensor or a number
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_minimum(fa_arg x, fa_arg y, const fa_minimum_options *options);

/** fa_minimum() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_minimum_(fa_tensor *x, fa_arg y, const fa_minimum_options *options);

/** Options of fa_clamp(). */
typedef struct fa_clamp_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_clamp_options;

/** x clamped to [low, high]: min(max(x, low), high), so high where low > high; NaN stays NaN. The gradient of x is 0 at
 *  bounds that are numbers. Where x equals a tensor bound, both get half of the gradient; where it equals both bounds,
 *  x gets all of it.
 *
 *      fa_clamp(x, low, high, .out = NULL)
 *
 *  @param x a tensor or a number
 *  @param low a tensor or a number
 *  @param high a tensor or a number
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_clamp(fa_arg x, fa_arg low, fa_arg high, const fa_clamp_options *options);

/** fa_clamp() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_clamp_(fa_tensor *x, fa_arg low, fa_arg high, const fa_clamp_options *options);

/** Options of fa_where(). */
typedef struct fa_where_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_where_options;

/** x where condition is nonzero, y elsewhere. An element that is not selected gets the gradient 0, even if it is NaN or
 *  infinite.
 *
 *      fa_where(condition, x, y, .out = NULL)
 *
 *  @param condition a tensor or a number
 *  @param x a tensor or a number
 *  @param y a tensor or a number
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_where(fa_arg condition, fa_arg x, fa_arg y, const fa_where_options *options);

/** fa_where() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_where_(fa_arg condition, fa_tensor *x, fa_arg y, const fa_where_options *options);

/** Options of fa_eq(). */
typedef struct fa_eq_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_eq_options;

/** true where x equals y.
 *
 *      fa_eq(x, y, .out = NULL)
 *
 *  @param x a tensor or a number
 *  @param y a tensor or a number
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_eq(fa_arg x, fa_arg y, const fa_eq_options *options);

/** fa_eq() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_eq_(fa_tensor *x, fa_arg y, const fa_eq_options *options);

/** Options of fa_ne(). */
typedef struct fa_ne_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_ne_options;

/** true where x is not equal to y.
 *
 *      fa_ne(x, y, .out = NULL)
 *
 *  @param x a tensor or a number
 *  @param y a tensor or a number
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_ne(fa_arg x, fa_arg y, const fa_ne_options *options);

/** fa_ne() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_ne_(fa_tensor *x, fa_arg y, const fa_ne_options *options);

/** Options of fa_lt(). */
typedef struct fa_lt_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_lt_options;

/** true where x < y.
 *
 *      fa_lt(x, y, .out = NULL)
 *
 *  @param x a tensor or a number
 *  @param y a tensor or a number
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_lt(fa_arg x, fa_arg y, const fa_lt_options *options);

/** fa_lt() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_lt_(fa_tensor *x, fa_arg y, const fa_lt_options *options);

/** Options of fa_le(). */
typedef struct fa_le_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_le_options;

/** true where x <= y.
 *
 *      fa_le(x, y, .out = NULL)
 *
 *  @param x a tensor or a number
 *  @param y a tensor or a number
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_le(fa_arg x, fa_arg y, const fa_le_options *options);

/** fa_le() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_le_(fa_tensor *x, fa_arg y, const fa_le_options *options);

/** Options of fa_gt(). */
typedef struct fa_gt_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_gt_options;

/** true where x > y.
 *
 *      fa_gt(x, y, .out = NULL)
 *
 *  @param x a tensor or a number
 *  @param y a tensor or a number
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_gt(fa_arg x, fa_arg y, const fa_gt_options *options);

/** fa_gt() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_gt_(fa_tensor *x, fa_arg y, const fa_gt_options *options);

/** Options of fa_ge(). */
typedef struct fa_ge_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_ge_options;

/** true where x >= y.
 *
 *      fa_ge(x, y, .out = NULL)
 *
 *  @param x a tensor or a number
 *  @param y a tensor or a number
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_ge(fa_arg x, fa_arg y, const fa_ge_options *options);

/** fa_ge() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_ge_(fa_tensor *x, fa_arg y, const fa_ge_options *options);

/** Options of fa_dropout(). */
typedef struct fa_dropout_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    double p;       /**< see fa_dropout() */
    bool training;  /**< see fa_dropout() */
    char fa__end;   /**< marks the end of this version's options */
} fa_dropout_options;

/** Dropout: in training each element becomes 0 with probability p, and the others are scaled by 1 / (1 - p); otherwise
 *  x is returned. The mask comes from the default generator and is not stored: backward draws it again
 *  (arXiv:1207.0580).
 *
 *      fa_dropout(x, .p = 0.5, .training = true, .out = NULL)
 *
 *  @param x a tensor
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_dropout(const fa_tensor *x, const fa_dropout_options *options);

/** fa_dropout() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_dropout_(fa_tensor *x, const fa_dropout_options *options);

/** @} */

/** @name Special functions
 *  Entropy, normal distribution, gamma and zeta; erf, lgamma, digamma and polygamma are listed under
 *  "Exponentials, logarithms". Each is one expression; integers and bool give f32.
 *  @{ */

/** Options of fa_xlog1py(). */
typedef struct fa_xlog1py_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_xlog1py_options;

/** x * log(1 + y), accurate for small y; 0 where x is 0, unless y is NaN.
 *
 *      fa_xlog1py(x, y, .out = NULL)
 *
 *  @param x a tensor or a number
 *  @param y a tensor or a number
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_xlog1py(fa_arg x, fa_arg y, const fa_xlog1py_options *options);

/** fa_xlog1py() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_xlog1py_(fa_tensor *x, fa_arg y, const fa_xlog1py_options *options);

/** Options of fa_entr(). */
typedef struct fa_entr_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_entr_options;

/** Entropy: -x * log(x); 0 at 0, -infinity for negative x. The gradient is 0 where x is not positive.
 *
 *      fa_entr(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_entr(const fa_tensor *x, const fa_entr_options *options);

/** fa_entr() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_entr_(fa_tensor *x, const fa_entr_options *options);

/** Options of fa_erfcx(). */
typedef struct fa_erfcx_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_erfcx_options;

/** The scaled complementary error function exp(x * x) * erfc(x), which does not underflow for large x.
 *
 *      fa_erfcx(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_erfcx(const fa_tensor *x, const fa_erfcx_options *options);

/** fa_erfcx() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_erfcx_(fa_tensor *x, const fa_erfcx_options *options);

/** Options of fa_ndtr(). */
typedef struct fa_ndtr_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_ndtr_options;

/** The cumulative distribution function of the standard normal distribution, accurate for large negative x.
 *
 *      fa_ndtr(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_ndtr(const fa_tensor *x, const fa_ndtr_options *options);

/** fa_ndtr() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_ndtr_(fa_tensor *x, const fa_ndtr_options *options);

/** Options of fa_log_ndtr(). */
typedef struct fa_log_ndtr_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_log_ndtr_options;

/** The logarithm of fa_ndtr(), accurate also where fa_ndtr() underflows to 0.
 *
 *      fa_log_ndtr(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_log_ndtr(const fa_tensor *x, const fa_log_ndtr_options *options);

/** fa_log_ndtr() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_log_ndtr_(fa_tensor *x, const fa_log_ndtr_options *options);

/** Options of fa_ndtri(). */
typedef struct fa_ndtri_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_ndtri_options;

/** The quantile function of the standard normal distribution, the inverse of fa_ndtr(). Infinite at 0 and 1, NaN
 *  outside.
 *
 *      fa_ndtri(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_ndtri(const fa_tensor *x, const fa_ndtri_options *options);

/** fa_ndtri() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_ndtri_(fa_tensor *x, const fa_ndtri_options *options);

/** Options of fa_zeta(). */
typedef struct fa_zeta_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_zeta_options;

/** The Hurwitz zeta function: the sum of (q + k)^-x over all integers k >= 0, for x > 1. It is NaN for x < 1, infinite
 *  for x = 1 and for q = 0 or a negative integer; for other negative q it is NaN unless x is an integer. x has no
 *  gradient: requesting it is an error.
 *
 *      fa_zeta(x, q, .out = NULL)
 *
 *  @param x a tensor or a number
 *  @param q a tensor or a number
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_zeta(fa_arg x, fa_arg q, const fa_zeta_options *options);

/** fa_zeta() in place: writes the result into q, and returns it. */
FA_API fa_tensor *fa_zeta_(fa_arg x, fa_tensor *q, const fa_zeta_options *options);

/** Options of fa_igamma(). */
typedef struct fa_igamma_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_igamma_options;

/** The regularized lower incomplete gamma function P(a, x): the cumulative distribution function at x of the gamma
 *  distribution with shape a. NaN for negative operands, and where both are 0 or both are infinite. a has no gradient:
 *  requesting it is an error.
 *
 *      fa_igamma(a, x, .out = NULL)
 *
 *  @param a a tensor or a number
 *  @param x a tensor or a number
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_igamma(fa_arg a, fa_arg x, const fa_igamma_options *options);

/** fa_igamma() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_igamma_(fa_arg a, fa_tensor *x, const fa_igamma_options *options);

/** Options of fa_igammac(). */
typedef struct fa_igammac_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_igammac_options;

/** The regularized upper incomplete gamma function 1 - P(a, x), accurate where it is small; see fa_igamma().
 *
 *      fa_igammac(a, x, .out = NULL)
 *
 *  @param a a tensor or a number
 *  @param x a tensor or a number
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_igammac(fa_arg a, fa_arg x, const fa_igammac_options *options);

/** fa_igammac() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_igammac_(fa_arg a, fa_tensor *x, const fa_igammac_options *options);

/** Options of fa_multigammaln(). */
typedef struct fa_multigammaln_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_multigammaln_options;

/** The logarithm of the multivariate gamma function of dimension p: p (p - 1) / 4 * log(pi) + the sum of lgamma(x - j /
 *  2) over j = 0 to p - 1, for x > (p - 1) / 2.
 *
 *      fa_multigammaln(x, p, .out = NULL)
 *
 *  @param x any dtype but bool
 *  @param p the dimension, 1 to 100000
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_multigammaln(const fa_tensor *x, int64_t p, const fa_multigammaln_options *options);

/** @} */

/** @} */

/** @cond */
/* Macros through which the functions above take named options, and numbers instead of tensors. */
#define FA__DEFAULT_fa_relu6 {offsetof(fa_relu6_options, fa__end), NULL, 0}
#define fa_relu6(...) FA__CALL1(fa_relu6, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
typedef fa_relu6_options fa_relu6__options;
#define FA__DEFAULT_fa_relu6_ FA__DEFAULT_fa_relu6
#define fa_relu6_(...) FA__CALL1(fa_relu6_, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_hardtanh {offsetof(fa_hardtanh_options, fa__end), NULL, -1, 1, 0}
#define fa_hardtanh(...) FA__CALL1(fa_hardtanh, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
typedef fa_hardtanh_options fa_hardtanh__options;
#define FA__DEFAULT_fa_hardtanh_ FA__DEFAULT_fa_hardtanh
#define fa_hardtanh_(...) FA__CALL1(fa_hardtanh_, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_leaky_relu {offsetof(fa_leaky_relu_options, fa__end), NULL, 0.01, 0}
#define fa_leaky_relu(...) FA__CALL1(fa_leaky_relu, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
typedef fa_leaky_relu_options fa_leaky_relu__options;
#define FA__DEFAULT_fa_leaky_relu_ FA__DEFAULT_fa_leaky_relu
#define fa_leaky_relu_(...) FA__CALL1(fa_leaky_relu_, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_threshold {offsetof(fa_threshold_options, fa__end), NULL, 0}
#define fa_threshold(...) FA__CALL3(fa_threshold, FA__NAMED3(, ##__VA_ARGS__, ., ., ., .), FA__ARG, FA__ARG, FA__ARG, __VA_ARGS__)
typedef fa_threshold_options fa_threshold__options;
#define FA__DEFAULT_fa_threshold_ FA__DEFAULT_fa_threshold
#define fa_threshold_(...) FA__CALL3(fa_threshold_, FA__NAMED3(, ##__VA_ARGS__, ., ., ., .), FA__SAME, FA__ARG, FA__ARG, __VA_ARGS__)
#define FA__DEFAULT_fa_elu {offsetof(fa_elu_options, fa__end), NULL, 1, 0}
#define fa_elu(...) FA__CALL1(fa_elu, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
typedef fa_elu_options fa_elu__options;
#define FA__DEFAULT_fa_elu_ FA__DEFAULT_fa_elu
#define fa_elu_(...) FA__CALL1(fa_elu_, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_selu {offsetof(fa_selu_options, fa__end), NULL, 0}
#define fa_selu(...) FA__CALL1(fa_selu, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
typedef fa_selu_options fa_selu__options;
#define FA__DEFAULT_fa_selu_ FA__DEFAULT_fa_selu
#define fa_selu_(...) FA__CALL1(fa_selu_, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_celu {offsetof(fa_celu_options, fa__end), NULL, 1, 0}
#define fa_celu(...) FA__CALL1(fa_celu, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
typedef fa_celu_options fa_celu__options;
#define FA__DEFAULT_fa_celu_ FA__DEFAULT_fa_celu
#define fa_celu_(...) FA__CALL1(fa_celu_, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_softplus {offsetof(fa_softplus_options, fa__end), NULL, 1, 20, 0}
#define fa_softplus(...) FA__CALL1(fa_softplus, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
typedef fa_softplus_options fa_softplus__options;
#define FA__DEFAULT_fa_softplus_ FA__DEFAULT_fa_softplus
#define fa_softplus_(...) FA__CALL1(fa_softplus_, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_logsigmoid {offsetof(fa_logsigmoid_options, fa__end), NULL, 0}
#define fa_logsigmoid(...) FA__CALL1(fa_logsigmoid, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
typedef fa_logsigmoid_options fa_logsigmoid__options;
#define FA__DEFAULT_fa_logsigmoid_ FA__DEFAULT_fa_logsigmoid
#define fa_logsigmoid_(...) FA__CALL1(fa_logsigmoid_, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_softsign {offsetof(fa_softsign_options, fa__end), NULL, 0}
#define fa_softsign(...) FA__CALL1(fa_softsign, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
typedef fa_softsign_options fa_softsign__options;
#define FA__DEFAULT_fa_softsign_ FA__DEFAULT_fa_softsign
#define fa_softsign_(...) FA__CALL1(fa_softsign_, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_tanhshrink {offsetof(fa_tanhshrink_options, fa__end), NULL, 0}
#define fa_tanhshrink(...) FA__CALL1(fa_tanhshrink, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
typedef fa_tanhshrink_options fa_tanhshrink__options;
#define FA__DEFAULT_fa_tanhshrink_ FA__DEFAULT_fa_tanhshrink
#define fa_tanhshrink_(...) FA__CALL1(fa_tanhshrink_, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_softshrink {offsetof(fa_softshrink_options, fa__end), NULL, 0.5, 0}
#define fa_softshrink(...) FA__CALL1(fa_softshrink, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
typedef fa_softshrink_options fa_softshrink__options;
#define FA__DEFAULT_fa_softshrink_ FA__DEFAULT_fa_softshrink
#define fa_softshrink_(...) FA__CALL1(fa_softshrink_, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_hardshrink {offsetof(fa_hardshrink_options, fa__end), NULL, 0.5, 0}
#define fa_hardshrink(...) FA__CALL1(fa_hardshrink, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
typedef fa_hardshrink_options fa_hardshrink__options;
#define FA__DEFAULT_fa_hardshrink_ FA__DEFAULT_fa_hardshrink
#define fa_hardshrink_(...) FA__CALL1(fa_hardshrink_, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_hardsigmoid {offsetof(fa_hardsigmoid_options, fa__end), NULL, 0}
#define fa_hardsigmoid(...) FA__CALL1(fa_hardsigmoid, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
typedef fa_hardsigmoid_options fa_hardsigmoid__options;
#define FA__DEFAULT_fa_hardsigmoid_ FA__DEFAULT_fa_hardsigmoid
#define fa_hardsigmoid_(...) FA__CALL1(fa_hardsigmoid_, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_hardswish {offsetof(fa_hardswish_options, fa__end), NULL, 0}
#define fa_hardswish(...) FA__CALL1(fa_hardswish, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
typedef fa_hardswish_options fa_hardswish__options;
#define FA__DEFAULT_fa_hardswish_ FA__DEFAULT_fa_hardswish
#define fa_hardswish_(...) FA__CALL1(fa_hardswish_, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_mish {offsetof(fa_mish_options, fa__end), NULL, 0}
#define fa_mish(...) FA__CALL1(fa_mish, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
typedef fa_mish_options fa_mish__options;
#define FA__DEFAULT_fa_mish_ FA__DEFAULT_fa_mish
#define fa_mish_(...) FA__CALL1(fa_mish_, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_gelu_tanh {offsetof(fa_gelu_tanh_options, fa__end), NULL, 0}
#define fa_gelu_tanh(...) FA__CALL1(fa_gelu_tanh, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
typedef fa_gelu_tanh_options fa_gelu_tanh__options;
#define FA__DEFAULT_fa_gelu_tanh_ FA__DEFAULT_fa_gelu_tanh
#define fa_gelu_tanh_(...) FA__CALL1(fa_gelu_tanh_, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_prelu {offsetof(fa_prelu_options, fa__end), NULL, 0}
#define fa_prelu(...) FA__CALL2(fa_prelu, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_rrelu {offsetof(fa_rrelu_options, fa__end), NULL, 0.125, 0.3333333333333333, false, 0}
#define fa_rrelu(...) FA__CALL1(fa_rrelu, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
typedef fa_rrelu_options fa_rrelu__options;
#define FA__DEFAULT_fa_rrelu_ FA__DEFAULT_fa_rrelu
#define fa_rrelu_(...) FA__CALL1(fa_rrelu_, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_glu {offsetof(fa_glu_options, fa__end), NULL, -1, 0}
#define fa_glu(...) FA__CALL1(fa_glu, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_i0 {offsetof(fa_i0_options, fa__end), NULL, 0}
#define fa_i0(...) FA__CALL1(fa_i0, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
typedef fa_i0_options fa_i0__options;
#define FA__DEFAULT_fa_i0_ FA__DEFAULT_fa_i0
#define fa_i0_(...) FA__CALL1(fa_i0_, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_i0e {offsetof(fa_i0e_options, fa__end), NULL, 0}
#define fa_i0e(...) FA__CALL1(fa_i0e, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
typedef fa_i0e_options fa_i0e__options;
#define FA__DEFAULT_fa_i0e_ FA__DEFAULT_fa_i0e
#define fa_i0e_(...) FA__CALL1(fa_i0e_, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_i1 {offsetof(fa_i1_options, fa__end), NULL, 0}
#define fa_i1(...) FA__CALL1(fa_i1, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
typedef fa_i1_options fa_i1__options;
#define FA__DEFAULT_fa_i1_ FA__DEFAULT_fa_i1
#define fa_i1_(...) FA__CALL1(fa_i1_, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_i1e {offsetof(fa_i1e_options, fa__end), NULL, 0}
#define fa_i1e(...) FA__CALL1(fa_i1e, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
typedef fa_i1e_options fa_i1e__options;
#define FA__DEFAULT_fa_i1e_ FA__DEFAULT_fa_i1e
#define fa_i1e_(...) FA__CALL1(fa_i1e_, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_modified_bessel_k0 {offsetof(fa_modified_bessel_k0_options, fa__end), NULL, 0}
#define fa_modified_bessel_k0(...) FA__CALL1(fa_modified_bessel_k0, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
typedef fa_modified_bessel_k0_options fa_modified_bessel_k0__options;
#define FA__DEFAULT_fa_modified_bessel_k0_ FA__DEFAULT_fa_modified_bessel_k0
#define fa_modified_bessel_k0_(...) FA__CALL1(fa_modified_bessel_k0_, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_modified_bessel_k1 {offsetof(fa_modified_bessel_k1_options, fa__end), NULL, 0}
#define fa_modified_bessel_k1(...) FA__CALL1(fa_modified_bessel_k1, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
typedef fa_modified_bessel_k1_options fa_modified_bessel_k1__options;
#define FA__DEFAULT_fa_modified_bessel_k1_ FA__DEFAULT_fa_modified_bessel_k1
#define fa_modified_bessel_k1_(...) FA__CALL1(fa_modified_bessel_k1_, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_scaled_modified_bessel_k0 {offsetof(fa_scaled_modified_bessel_k0_options, fa__end), NULL, 0}
#define fa_scaled_modified_bessel_k0(...) FA__CALL1(fa_scaled_modified_bessel_k0, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
typedef fa_scaled_modified_bessel_k0_options fa_scaled_modified_bessel_k0__options;
#define FA__DEFAULT_fa_scaled_modified_bessel_k0_ FA__DEFAULT_fa_scaled_modified_bessel_k0
#define fa_scaled_modified_bessel_k0_(...) FA__CALL1(fa_scaled_modified_bessel_k0_, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_scaled_modified_bessel_k1 {offsetof(fa_scaled_modified_bessel_k1_options, fa__end), NULL, 0}
#define fa_scaled_modified_bessel_k1(...) FA__CALL1(fa_scaled_modified_bessel_k1, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
typedef fa_scaled_modified_bessel_k1_options fa_scaled_modified_bessel_k1__options;
#define FA__DEFAULT_fa_scaled_modified_bessel_k1_ FA__DEFAULT_fa_scaled_modified_bessel_k1
#define fa_scaled_modified_bessel_k1_(...) FA__CALL1(fa_scaled_modified_bessel_k1_, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_bessel_j0 {offsetof(fa_bessel_j0_options, fa__end), NULL, 0}
#define fa_bessel_j0(...) FA__CALL1(fa_bessel_j0, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
typedef fa_bessel_j0_options fa_bessel_j0__options;
#define FA__DEFAULT_fa_bessel_j0_ FA__DEFAULT_fa_bessel_j0
#define fa_bessel_j0_(...) FA__CALL1(fa_bessel_j0_, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_bessel_j1 {offsetof(fa_bessel_j1_options, fa__end), NULL, 0}
#define fa_bessel_j1(...) FA__CALL1(fa_bessel_j1, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
typedef fa_bessel_j1_options fa_bessel_j1__options;
#define FA__DEFAULT_fa_bessel_j1_ FA__DEFAULT_fa_bessel_j1
#define fa_bessel_j1_(...) FA__CALL1(fa_bessel_j1_, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_bessel_y0 {offsetof(fa_bessel_y0_options, fa__end), NULL, 0}
#define fa_bessel_y0(...) FA__CALL1(fa_bessel_y0, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
typedef fa_bessel_y0_options fa_bessel_y0__options;
#define FA__DEFAULT_fa_bessel_y0_ FA__DEFAULT_fa_bessel_y0
#define fa_bessel_y0_(...) FA__CALL1(fa_bessel_y0_, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_bessel_y1 {offsetof(fa_bessel_y1_options, fa__end), NULL, 0}
#define fa_bessel_y1(...) FA__CALL1(fa_bessel_y1, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
typedef fa_bessel_y1_options fa_bessel_y1__options;
#define FA__DEFAULT_fa_bessel_y1_ FA__DEFAULT_fa_bessel_y1
#define fa_bessel_y1_(...) FA__CALL1(fa_bessel_y1_, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_spherical_bessel_j0 {offsetof(fa_spherical_bessel_j0_options, fa__end), NULL, 0}
#define fa_spherical_bessel_j0(...) FA__CALL1(fa_spherical_bessel_j0, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
typedef fa_spherical_bessel_j0_options fa_spherical_bessel_j0__options;
#define FA__DEFAULT_fa_spherical_bessel_j0_ FA__DEFAULT_fa_spherical_bessel_j0
#define fa_spherical_bessel_j0_(...) FA__CALL1(fa_spherical_bessel_j0_, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_isnan {offsetof(fa_isnan_options, fa__end), NULL, 0}
#define fa_isnan(...) FA__CALL1(fa_isnan, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
typedef fa_isnan_options fa_isnan__options;
#define FA__DEFAULT_fa_isnan_ FA__DEFAULT_fa_isnan
#define fa_isnan_(...) FA__CALL1(fa_isnan_, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_isinf {offsetof(fa_isinf_options, fa__end), NULL, 0}
#define fa_isinf(...) FA__CALL1(fa_isinf, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
typedef fa_isinf_options fa_isinf__options;
#define FA__DEFAULT_fa_isinf_ FA__DEFAULT_fa_isinf
#define fa_isinf_(...) FA__CALL1(fa_isinf_, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_isfinite {offsetof(fa_isfinite_options, fa__end), NULL, 0}
#define fa_isfinite(...) FA__CALL1(fa_isfinite, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
typedef fa_isfinite_options fa_isfinite__options;
#define FA__DEFAULT_fa_isfinite_ FA__DEFAULT_fa_isfinite
#define fa_isfinite_(...) FA__CALL1(fa_isfinite_, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_isposinf {offsetof(fa_isposinf_options, fa__end), NULL, 0}
#define fa_isposinf(...) FA__CALL1(fa_isposinf, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
typedef fa_isposinf_options fa_isposinf__options;
#define FA__DEFAULT_fa_isposinf_ FA__DEFAULT_fa_isposinf
#define fa_isposinf_(...) FA__CALL1(fa_isposinf_, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_isneginf {offsetof(fa_isneginf_options, fa__end), NULL, 0}
#define fa_isneginf(...) FA__CALL1(fa_isneginf, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
typedef fa_isneginf_options fa_isneginf__options;
#define FA__DEFAULT_fa_isneginf_ FA__DEFAULT_fa_isneginf
#define fa_isneginf_(...) FA__CALL1(fa_isneginf_, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_isclose {offsetof(fa_isclose_options, fa__end), NULL, 1e-5, 1e-8, false, 0}
#define fa_isclose(...) FA__CALL2(fa_isclose, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__ARG, FA__ARG, __VA_ARGS__)
typedef fa_isclose_options fa_isclose__options;
#define FA__DEFAULT_fa_isclose_ FA__DEFAULT_fa_isclose
#define fa_isclose_(...) FA__CALL2(fa_isclose_, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__ARG, __VA_ARGS__)
#define FA__DEFAULT_fa_nan_to_num {offsetof(fa_nan_to_num_options, fa__end), NULL, 0.0, INFINITY, -INFINITY, 0}
#define fa_nan_to_num(...) FA__CALL1(fa_nan_to_num, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_logical_and {offsetof(fa_logical_and_options, fa__end), NULL, 0}
#define fa_logical_and(...) FA__CALL2(fa_logical_and, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__ARG, FA__ARG, __VA_ARGS__)
typedef fa_logical_and_options fa_logical_and__options;
#define FA__DEFAULT_fa_logical_and_ FA__DEFAULT_fa_logical_and
#define fa_logical_and_(...) FA__CALL2(fa_logical_and_, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__ARG, __VA_ARGS__)
#define FA__DEFAULT_fa_logical_or {offsetof(fa_logical_or_options, fa__end), NULL, 0}
#define fa_logical_or(...) FA__CALL2(fa_logical_or, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__ARG, FA__ARG, __VA_ARGS__)
typedef fa_logical_or_options fa_logical_or__options;
#define FA__DEFAULT_fa_logical_or_ FA__DEFAULT_fa_logical_or
#define fa_logical_or_(...) FA__CALL2(fa_logical_or_, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__ARG, __VA_ARGS__)
#define FA__DEFAULT_fa_logical_xor {offsetof(fa_logical_xor_options, fa__end), NULL, 0}
#define fa_logical_xor(...) FA__CALL2(fa_logical_xor, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__ARG, FA__ARG, __VA_ARGS__)
typedef fa_logical_xor_options fa_logical_xor__options;
#define FA__DEFAULT_fa_logical_xor_ FA__DEFAULT_fa_logical_xor
#define fa_logical_xor_(...) FA__CALL2(fa_logical_xor_, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__ARG, __VA_ARGS__)
#define FA__DEFAULT_fa_logical_not {offsetof(fa_logical_not_options, fa__end), NULL, 0}
#define fa_logical_not(...) FA__CALL1(fa_logical_not, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
typedef fa_logical_not_options fa_logical_not__options;
#define FA__DEFAULT_fa_logical_not_ FA__DEFAULT_fa_logical_not
#define fa_logical_not_(...) FA__CALL1(fa_logical_not_, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_bitwise_and {offsetof(fa_bitwise_and_options, fa__end), NULL, 0}
#define fa_bitwise_and(...) FA__CALL2(fa_bitwise_and, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__ARG, FA__ARG, __VA_ARGS__)
typedef fa_bitwise_and_options fa_bitwise_and__options;
#define FA__DEFAULT_fa_bitwise_and_ FA__DEFAULT_fa_bitwise_and
#define fa_bitwise_and_(...) FA__CALL2(fa_bitwise_and_, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__ARG, __VA_ARGS__)
#define FA__DEFAULT_fa_bitwise_or {offsetof(fa_bitwise_or_options, fa__end), NULL, 0}
#define fa_bitwise_or(...) FA__CALL2(fa_bitwise_or, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__ARG, FA__ARG, __VA_ARGS__)
typedef fa_bitwise_or_options fa_bitwise_or__options;
#define FA__DEFAULT_fa_bitwise_or_ FA__DEFAULT_fa_bitwise_or
#define fa_bitwise_or_(...) FA__CALL2(fa_bitwise_or_, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__ARG, __VA_ARGS__)
#define FA__DEFAULT_fa_bitwise_xor {offsetof(fa_bitwise_xor_options, fa__end), NULL, 0}
#define fa_bitwise_xor(...) FA__CALL2(fa_bitwise_xor, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__ARG, FA__ARG, __VA_ARGS__)
typedef fa_bitwise_xor_options fa_bitwise_xor__options;
#define FA__DEFAULT_fa_bitwise_xor_ FA__DEFAULT_fa_bitwise_xor
#define fa_bitwise_xor_(...) FA__CALL2(fa_bitwise_xor_, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__ARG, __VA_ARGS__)
#define FA__DEFAULT_fa_bitwise_not {offsetof(fa_bitwise_not_options, fa__end), NULL, 0}
#define fa_bitwise_not(...) FA__CALL1(fa_bitwise_not, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
typedef fa_bitwise_not_options fa_bitwise_not__options;
#define FA__DEFAULT_fa_bitwise_not_ FA__DEFAULT_fa_bitwise_not
#define fa_bitwise_not_(...) FA__CALL1(fa_bitwise_not_, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_bitwise_left_shift {offsetof(fa_bitwise_left_shift_options, fa__end), NULL, 0}
#define fa_bitwise_left_shift(...) FA__CALL2(fa_bitwise_left_shift, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__ARG, FA__ARG, __VA_ARGS__)
typedef fa_bitwise_left_shift_options fa_bitwise_left_shift__options;
#define FA__DEFAULT_fa_bitwise_left_shift_ FA__DEFAULT_fa_bitwise_left_shift
#define fa_bitwise_left_shift_(...) FA__CALL2(fa_bitwise_left_shift_, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__ARG, __VA_ARGS__)
#define FA__DEFAULT_fa_bitwise_right_shift {offsetof(fa_bitwise_right_shift_options, fa__end), NULL, 0}
#define fa_bitwise_right_shift(...) FA__CALL2(fa_bitwise_right_shift, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__ARG, FA__ARG, __VA_ARGS__)
typedef fa_bitwise_right_shift_options fa_bitwise_right_shift__options;
#define FA__DEFAULT_fa_bitwise_right_shift_ FA__DEFAULT_fa_bitwise_right_shift
#define fa_bitwise_right_shift_(...) FA__CALL2(fa_bitwise_right_shift_, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__ARG, __VA_ARGS__)
#define FA__DEFAULT_fa_gcd {offsetof(fa_gcd_options, fa__end), NULL, 0}
#define fa_gcd(...) FA__CALL2(fa_gcd, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__ARG, FA__ARG, __VA_ARGS__)
typedef fa_gcd_options fa_gcd__options;
#define FA__DEFAULT_fa_gcd_ FA__DEFAULT_fa_gcd
#define fa_gcd_(...) FA__CALL2(fa_gcd_, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__ARG, __VA_ARGS__)
#define FA__DEFAULT_fa_lcm {offsetof(fa_lcm_options, fa__end), NULL, 0}
#define fa_lcm(...) FA__CALL2(fa_lcm, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__ARG, FA__ARG, __VA_ARGS__)
typedef fa_lcm_options fa_lcm__options;
#define FA__DEFAULT_fa_lcm_ FA__DEFAULT_fa_lcm
#define fa_lcm_(...) FA__CALL2(fa_lcm_, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__ARG, __VA_ARGS__)
#define FA__DEFAULT_fa_float_power {offsetof(fa_float_power_options, fa__end), NULL, 0}
#define fa_float_power(...) FA__CALL2(fa_float_power, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__ARG, FA__ARG, __VA_ARGS__)
typedef fa_float_power_options fa_float_power__options;
#define FA__DEFAULT_fa_float_power_ FA__DEFAULT_fa_float_power
#define fa_float_power_(...) FA__CALL2(fa_float_power_, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__ARG, __VA_ARGS__)
#define FA__DEFAULT_fa_cbrt {offsetof(fa_cbrt_options, fa__end), NULL, 0}
#define fa_cbrt(...) FA__CALL1(fa_cbrt, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
typedef fa_cbrt_options fa_cbrt__options;
#define FA__DEFAULT_fa_cbrt_ FA__DEFAULT_fa_cbrt
#define fa_cbrt_(...) FA__CALL1(fa_cbrt_, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define fa_divmod(x, y) FA__CALLED((fa_divmod)(FA__ARG(x), FA__ARG(y)))
#define fa_frexp(...) FA__CALLED(fa_frexp(__VA_ARGS__))
#define fa_modf(...) FA__CALLED(fa_modf(__VA_ARGS__))
#define FA__DEFAULT_fa_spacing {offsetof(fa_spacing_options, fa__end), NULL, 0}
#define fa_spacing(...) FA__CALL1(fa_spacing, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_nextafter {offsetof(fa_nextafter_options, fa__end), NULL, 0}
#define fa_nextafter(...) FA__CALL2(fa_nextafter, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__ARG, FA__ARG, __VA_ARGS__)
typedef fa_nextafter_options fa_nextafter__options;
#define FA__DEFAULT_fa_nextafter_ FA__DEFAULT_fa_nextafter
#define fa_nextafter_(...) FA__CALL2(fa_nextafter_, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__ARG, __VA_ARGS__)
#define FA__DEFAULT_fa_bitwise_count {offsetof(fa_bitwise_count_options, fa__end), NULL, 0}
#define fa_bitwise_count(...) FA__CALL1(fa_bitwise_count, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
typedef fa_bitwise_count_options fa_bitwise_count__options;
#define FA__DEFAULT_fa_bitwise_count_ FA__DEFAULT_fa_bitwise_count
#define fa_bitwise_count_(...) FA__CALL1(fa_bitwise_count_, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_exp2 {offsetof(fa_exp2_options, fa__end), NULL, 0}
#define fa_exp2(...) FA__CALL1(fa_exp2, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
typedef fa_exp2_options fa_exp2__options;
#define FA__DEFAULT_fa_exp2_ FA__DEFAULT_fa_exp2
#define fa_exp2_(...) FA__CALL1(fa_exp2_, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_expm1 {offsetof(fa_expm1_options, fa__end), NULL, 0}
#define fa_expm1(...) FA__CALL1(fa_expm1, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
typedef fa_expm1_options fa_expm1__options;
#define FA__DEFAULT_fa_expm1_ FA__DEFAULT_fa_expm1
#define fa_expm1_(...) FA__CALL1(fa_expm1_, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_log2 {offsetof(fa_log2_options, fa__end), NULL, 0}
#define fa_log2(...) FA__CALL1(fa_log2, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
typedef fa_log2_options fa_log2__options;
#define FA__DEFAULT_fa_log2_ FA__DEFAULT_fa_log2
#define fa_log2_(...) FA__CALL1(fa_log2_, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_log10 {offsetof(fa_log10_options, fa__end), NULL, 0}
#define fa_log10(...) FA__CALL1(fa_log10, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
typedef fa_log10_options fa_log10__options;
#define FA__DEFAULT_fa_log10_ FA__DEFAULT_fa_log10
#define fa_log10_(...) FA__CALL1(fa_log10_, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_log1p {offsetof(fa_log1p_options, fa__end), NULL, 0}
#define fa_log1p(...) FA__CALL1(fa_log1p, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
typedef fa_log1p_options fa_log1p__options;
#define FA__DEFAULT_fa_log1p_ FA__DEFAULT_fa_log1p
#define fa_log1p_(...) FA__CALL1(fa_log1p_, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_logaddexp {offsetof(fa_logaddexp_options, fa__end), NULL, 0}
#define fa_logaddexp(...) FA__CALL2(fa_logaddexp, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__ARG, FA__ARG, __VA_ARGS__)
typedef fa_logaddexp_options fa_logaddexp__options;
#define FA__DEFAULT_fa_logaddexp_ FA__DEFAULT_fa_logaddexp
#define fa_logaddexp_(...) FA__CALL2(fa_logaddexp_, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__ARG, __VA_ARGS__)
#define FA__DEFAULT_fa_logaddexp2 {offsetof(fa_logaddexp2_options, fa__end), NULL, 0}
#define fa_logaddexp2(...) FA__CALL2(fa_logaddexp2, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__ARG, FA__ARG, __VA_ARGS__)
typedef fa_logaddexp2_options fa_logaddexp2__options;
#define FA__DEFAULT_fa_logaddexp2_ FA__DEFAULT_fa_logaddexp2
#define fa_logaddexp2_(...) FA__CALL2(fa_logaddexp2_, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__ARG, __VA_ARGS__)
#define FA__DEFAULT_fa_xlogy {offsetof(fa_xlogy_options, fa__end), NULL, 0}
#define fa_xlogy(...) FA__CALL2(fa_xlogy, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__ARG, FA__ARG, __VA_ARGS__)
typedef fa_xlogy_options fa_xlogy__options;
#define FA__DEFAULT_fa_xlogy_ FA__DEFAULT_fa_xlogy
#define fa_xlogy_(...) FA__CALL2(fa_xlogy_, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__ARG, __VA_ARGS__)
#define FA__DEFAULT_fa_logit {offsetof(fa_logit_options, fa__end), NULL, -1, 0}
#define fa_logit(...) FA__CALL1(fa_logit, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
typedef fa_logit_options fa_logit__options;
#define FA__DEFAULT_fa_logit_ FA__DEFAULT_fa_logit
#define fa_logit_(...) FA__CALL1(fa_logit_, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_square {offsetof(fa_square_options, fa__end), NULL, 0}
#define fa_square(...) FA__CALL1(fa_square, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
typedef fa_square_options fa_square__options;
#define FA__DEFAULT_fa_square_ FA__DEFAULT_fa_square
#define fa_square_(...) FA__CALL1(fa_square_, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_rsqrt {offsetof(fa_rsqrt_options, fa__end), NULL, 0}
#define fa_rsqrt(...) FA__CALL1(fa_rsqrt, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
typedef fa_rsqrt_options fa_rsqrt__options;
#define FA__DEFAULT_fa_rsqrt_ FA__DEFAULT_fa_rsqrt
#define fa_rsqrt_(...) FA__CALL1(fa_rsqrt_, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_hypot {offsetof(fa_hypot_options, fa__end), NULL, 0}
#define fa_hypot(...) FA__CALL2(fa_hypot, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__ARG, FA__ARG, __VA_ARGS__)
typedef fa_hypot_options fa_hypot__options;
#define FA__DEFAULT_fa_hypot_ FA__DEFAULT_fa_hypot
#define fa_hypot_(...) FA__CALL2(fa_hypot_, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__ARG, __VA_ARGS__)
#define FA__DEFAULT_fa_ldexp {offsetof(fa_ldexp_options, fa__end), NULL, 0}
#define fa_ldexp(...) FA__CALL2(fa_ldexp, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__ARG, FA__ARG, __VA_ARGS__)
typedef fa_ldexp_options fa_ldexp__options;
#define FA__DEFAULT_fa_ldexp_ FA__DEFAULT_fa_ldexp
#define fa_ldexp_(...) FA__CALL2(fa_ldexp_, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__ARG, __VA_ARGS__)
#define FA__DEFAULT_fa_tan {offsetof(fa_tan_options, fa__end), NULL, 0}
#define fa_tan(...) FA__CALL1(fa_tan, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
typedef fa_tan_options fa_tan__options;
#define FA__DEFAULT_fa_tan_ FA__DEFAULT_fa_tan
#define fa_tan_(...) FA__CALL1(fa_tan_, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_asin {offsetof(fa_asin_options, fa__end), NULL, 0}
#define fa_asin(...) FA__CALL1(fa_asin, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
typedef fa_asin_options fa_asin__options;
#define FA__DEFAULT_fa_asin_ FA__DEFAULT_fa_asin
#define fa_asin_(...) FA__CALL1(fa_asin_, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_acos {offsetof(fa_acos_options, fa__end), NULL, 0}
#define fa_acos(...) FA__CALL1(fa_acos, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
typedef fa_acos_options fa_acos__options;
#define FA__DEFAULT_fa_acos_ FA__DEFAULT_fa_acos
#define fa_acos_(...) FA__CALL1(fa_acos_, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_atan {offsetof(fa_atan_options, fa__end), NULL, 0}
#define fa_atan(...) FA__CALL1(fa_atan, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
typedef fa_atan_options fa_atan__options;
#define FA__DEFAULT_fa_atan_ FA__DEFAULT_fa_atan
#define fa_atan_(...) FA__CALL1(fa_atan_, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_atan2 {offsetof(fa_atan2_options, fa__end), NULL, 0}
#define fa_atan2(...) FA__CALL2(fa_atan2, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__ARG, FA__ARG, __VA_ARGS__)
typedef fa_atan2_options fa_atan2__options;
#define FA__DEFAULT_fa_atan2_ FA__DEFAULT_fa_atan2
#define fa_atan2_(...) FA__CALL2(fa_atan2_, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__ARG, __VA_ARGS__)
#define FA__DEFAULT_fa_sinc {offsetof(fa_sinc_options, fa__end), NULL, 0}
#define fa_sinc(...) FA__CALL1(fa_sinc, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
typedef fa_sinc_options fa_sinc__options;
#define FA__DEFAULT_fa_sinc_ FA__DEFAULT_fa_sinc
#define fa_sinc_(...) FA__CALL1(fa_sinc_, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_deg2rad {offsetof(fa_deg2rad_options, fa__end), NULL, 0}
#define fa_deg2rad(...) FA__CALL1(fa_deg2rad, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
typedef fa_deg2rad_options fa_deg2rad__options;
#define FA__DEFAULT_fa_deg2rad_ FA__DEFAULT_fa_deg2rad
#define fa_deg2rad_(...) FA__CALL1(fa_deg2rad_, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_rad2deg {offsetof(fa_rad2deg_options, fa__end), NULL, 0}
#define fa_rad2deg(...) FA__CALL1(fa_rad2deg, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
typedef fa_rad2deg_options fa_rad2deg__options;
#define FA__DEFAULT_fa_rad2deg_ FA__DEFAULT_fa_rad2deg
#define fa_rad2deg_(...) FA__CALL1(fa_rad2deg_, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_sinh {offsetof(fa_sinh_options, fa__end), NULL, 0}
#define fa_sinh(...) FA__CALL1(fa_sinh, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
typedef fa_sinh_options fa_sinh__options;
#define FA__DEFAULT_fa_sinh_ FA__DEFAULT_fa_sinh
#define fa_sinh_(...) FA__CALL1(fa_sinh_, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_cosh {offsetof(fa_cosh_options, fa__end), NULL, 0}
#define fa_cosh(...) FA__CALL1(fa_cosh, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
typedef fa_cosh_options fa_cosh__options;
#define FA__DEFAULT_fa_cosh_ FA__DEFAULT_fa_cosh
#define fa_cosh_(...) FA__CALL1(fa_cosh_, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_asinh {offsetof(fa_asinh_options, fa__end), NULL, 0}
#define fa_asinh(...) FA__CALL1(fa_asinh, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
typedef fa_asinh_options fa_asinh__options;
#define FA__DEFAULT_fa_asinh_ FA__DEFAULT_fa_asinh
#define fa_asinh_(...) FA__CALL1(fa_asinh_, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_acosh {offsetof(fa_acosh_options, fa__end), NULL, 0}
#define fa_acosh(...) FA__CALL1(fa_acosh, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
typedef fa_acosh_options fa_acosh__options;
#define FA__DEFAULT_fa_acosh_ FA__DEFAULT_fa_acosh
#define fa_acosh_(...) FA__CALL1(fa_acosh_, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_atanh {offsetof(fa_atanh_options, fa__end), NULL, 0}
#define fa_atanh(...) FA__CALL1(fa_atanh, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
typedef fa_atanh_options fa_atanh__options;
#define FA__DEFAULT_fa_atanh_ FA__DEFAULT_fa_atanh
#define fa_atanh_(...) FA__CALL1(fa_atanh_, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_erfc {offsetof(fa_erfc_options, fa__end), NULL, 0}
#define fa_erfc(...) FA__CALL1(fa_erfc, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
typedef fa_erfc_options fa_erfc__options;
#define FA__DEFAULT_fa_erfc_ FA__DEFAULT_fa_erfc
#define fa_erfc_(...) FA__CALL1(fa_erfc_, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_erfinv {offsetof(fa_erfinv_options, fa__end), NULL, 0}
#define fa_erfinv(...) FA__CALL1(fa_erfinv, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
typedef fa_erfinv_options fa_erfinv__options;
#define FA__DEFAULT_fa_erfinv_ FA__DEFAULT_fa_erfinv
#define fa_erfinv_(...) FA__CALL1(fa_erfinv_, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_lgamma {offsetof(fa_lgamma_options, fa__end), NULL, 0}
#define fa_lgamma(...) FA__CALL1(fa_lgamma, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
typedef fa_lgamma_options fa_lgamma__options;
#define FA__DEFAULT_fa_lgamma_ FA__DEFAULT_fa_lgamma
#define fa_lgamma_(...) FA__CALL1(fa_lgamma_, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_digamma {offsetof(fa_digamma_options, fa__end), NULL, 0}
#define fa_digamma(...) FA__CALL1(fa_digamma, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
typedef fa_digamma_options fa_digamma__options;
#define FA__DEFAULT_fa_digamma_ FA__DEFAULT_fa_digamma
#define fa_digamma_(...) FA__CALL1(fa_digamma_, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_polygamma {offsetof(fa_polygamma_options, fa__end), NULL, 0}
#define fa_polygamma(...) FA__CALL2(fa_polygamma, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__ARG, FA__ARG, __VA_ARGS__)
typedef fa_polygamma_options fa_polygamma__options;
#define FA__DEFAULT_fa_polygamma_ FA__DEFAULT_fa_polygamma
#define fa_polygamma_(...) FA__CALL2(fa_polygamma_, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__ARG, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_floor {offsetof(fa_floor_options, fa__end), NULL, 0}
#define fa_floor(...) FA__CALL1(fa_floor, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
typedef fa_floor_options fa_floor__options;
#define FA__DEFAULT_fa_floor_ FA__DEFAULT_fa_floor
#define fa_floor_(...) FA__CALL1(fa_floor_, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_ceil {offsetof(fa_ceil_options, fa__end), NULL, 0}
#define fa_ceil(...) FA__CALL1(fa_ceil, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
typedef fa_ceil_options fa_ceil__options;
#define FA__DEFAULT_fa_ceil_ FA__DEFAULT_fa_ceil
#define fa_ceil_(...) FA__CALL1(fa_ceil_, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_trunc {offsetof(fa_trunc_options, fa__end), NULL, 0}
#define fa_trunc(...) FA__CALL1(fa_trunc, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
typedef fa_trunc_options fa_trunc__options;
#define FA__DEFAULT_fa_trunc_ FA__DEFAULT_fa_trunc
#define fa_trunc_(...) FA__CALL1(fa_trunc_, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_round {offsetof(fa_round_options, fa__end), NULL, 0, 0}
#define fa_round(...) FA__CALL1(fa_round, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
typedef fa_round_options fa_round__options;
#define FA__DEFAULT_fa_round_ FA__DEFAULT_fa_round
#define fa_round_(...) FA__CALL1(fa_round_, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_frac {offsetof(fa_frac_options, fa__end), NULL, 0}
#define fa_frac(...) FA__CALL1(fa_frac, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
typedef fa_frac_options fa_frac__options;
#define FA__DEFAULT_fa_frac_ FA__DEFAULT_fa_frac
#define fa_frac_(...) FA__CALL1(fa_frac_, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_floor_divide {offsetof(fa_floor_divide_options, fa__end), NULL, 0}
#define fa_floor_divide(...) FA__CALL2(fa_floor_divide, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__ARG, FA__ARG, __VA_ARGS__)
typedef fa_floor_divide_options fa_floor_divide__options;
#define FA__DEFAULT_fa_floor_divide_ FA__DEFAULT_fa_floor_divide
#define fa_floor_divide_(...) FA__CALL2(fa_floor_divide_, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__ARG, __VA_ARGS__)
#define FA__DEFAULT_fa_trunc_divide {offsetof(fa_trunc_divide_options, fa__end), NULL, 0}
#define fa_trunc_divide(...) FA__CALL2(fa_trunc_divide, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__ARG, FA__ARG, __VA_ARGS__)
typedef fa_trunc_divide_options fa_trunc_divide__options;
#define FA__DEFAULT_fa_trunc_divide_ FA__DEFAULT_fa_trunc_divide
#define fa_trunc_divide_(...) FA__CALL2(fa_trunc_divide_, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__ARG, __VA_ARGS__)
#define FA__DEFAULT_fa_remainder {offsetof(fa_remainder_options, fa__end), NULL, 0}
#define fa_remainder(...) FA__CALL2(fa_remainder, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__ARG, FA__ARG, __VA_ARGS__)
typedef fa_remainder_options fa_remainder__options;
#define FA__DEFAULT_fa_remainder_ FA__DEFAULT_fa_remainder
#define fa_remainder_(...) FA__CALL2(fa_remainder_, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__ARG, __VA_ARGS__)
#define FA__DEFAULT_fa_fmod {offsetof(fa_fmod_options, fa__end), NULL, 0}
#define fa_fmod(...) FA__CALL2(fa_fmod, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__ARG, FA__ARG, __VA_ARGS__)
typedef fa_fmod_options fa_fmod__options;
#define FA__DEFAULT_fa_fmod_ FA__DEFAULT_fa_fmod
#define fa_fmod_(...) FA__CALL2(fa_fmod_, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__ARG, __VA_ARGS__)
#define FA__DEFAULT_fa_sign {offsetof(fa_sign_options, fa__end), NULL, 0}
#define fa_sign(...) FA__CALL1(fa_sign, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
typedef fa_sign_options fa_sign__options;
#define FA__DEFAULT_fa_sign_ FA__DEFAULT_fa_sign
#define fa_sign_(...) FA__CALL1(fa_sign_, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_signbit {offsetof(fa_signbit_options, fa__end), NULL, 0}
#define fa_signbit(...) FA__CALL1(fa_signbit, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
typedef fa_signbit_options fa_signbit__options;
#define FA__DEFAULT_fa_signbit_ FA__DEFAULT_fa_signbit
#define fa_signbit_(...) FA__CALL1(fa_signbit_, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_copysign {offsetof(fa_copysign_options, fa__end), NULL, 0}
#define fa_copysign(...) FA__CALL2(fa_copysign, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__ARG, FA__ARG, __VA_ARGS__)
typedef fa_copysign_options fa_copysign__options;
#define FA__DEFAULT_fa_copysign_ FA__DEFAULT_fa_copysign
#define fa_copysign_(...) FA__CALL2(fa_copysign_, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__ARG, __VA_ARGS__)
#define FA__DEFAULT_fa_heaviside {offsetof(fa_heaviside_options, fa__end), NULL, 0}
#define fa_heaviside(...) FA__CALL2(fa_heaviside, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__ARG, FA__ARG, __VA_ARGS__)
typedef fa_heaviside_options fa_heaviside__options;
#define FA__DEFAULT_fa_heaviside_ FA__DEFAULT_fa_heaviside
#define fa_heaviside_(...) FA__CALL2(fa_heaviside_, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__ARG, __VA_ARGS__)
#define FA__DEFAULT_fa_fmax {offsetof(fa_fmax_options, fa__end), NULL, 0}
#define fa_fmax(...) FA__CALL2(fa_fmax, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__ARG, FA__ARG, __VA_ARGS__)
typedef fa_fmax_options fa_fmax__options;
#define FA__DEFAULT_fa_fmax_ FA__DEFAULT_fa_fmax
#define fa_fmax_(...) FA__CALL2(fa_fmax_, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__ARG, __VA_ARGS__)
#define FA__DEFAULT_fa_fmin {offsetof(fa_fmin_options, fa__end), NULL, 0}
#define fa_fmin(...) FA__CALL2(fa_fmin, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__ARG, FA__ARG, __VA_ARGS__)
typedef fa_fmin_options fa_fmin__options;
#define FA__DEFAULT_fa_fmin_ FA__DEFAULT_fa_fmin
#define fa_fmin_(...) FA__CALL2(fa_fmin_, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__ARG, __VA_ARGS__)
#define FA__DEFAULT_fa_clamp_min {offsetof(fa_clamp_min_options, fa__end), NULL, 0}
#define fa_clamp_min(...) FA__CALL2(fa_clamp_min, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__ARG, FA__ARG, __VA_ARGS__)
typedef fa_clamp_min_options fa_clamp_min__options;
#define FA__DEFAULT_fa_clamp_min_ FA__DEFAULT_fa_clamp_min
#define fa_clamp_min_(...) FA__CALL2(fa_clamp_min_, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__ARG, __VA_ARGS__)
#define FA__DEFAULT_fa_clamp_max {offsetof(fa_clamp_max_options, fa__end), NULL, 0}
#define fa_clamp_max(...) FA__CALL2(fa_clamp_max, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__ARG, FA__ARG, __VA_ARGS__)
typedef fa_clamp_max_options fa_clamp_max__options;
#define FA__DEFAULT_fa_clamp_max_ FA__DEFAULT_fa_clamp_max
#define fa_clamp_max_(...) FA__CALL2(fa_clamp_max_, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__ARG, __VA_ARGS__)
#define FA__DEFAULT_fa_lerp {offsetof(fa_lerp_options, fa__end), NULL, 0}
#define fa_lerp(...) FA__CALL3(fa_lerp, FA__NAMED3(, ##__VA_ARGS__, ., ., ., .), FA__ARG, FA__ARG, FA__ARG, __VA_ARGS__)
typedef fa_lerp_options fa_lerp__options;
#define FA__DEFAULT_fa_lerp_ FA__DEFAULT_fa_lerp
#define fa_lerp_(...) FA__CALL3(fa_lerp_, FA__NAMED3(, ##__VA_ARGS__, ., ., ., .), FA__SAME, FA__ARG, FA__ARG, __VA_ARGS__)
#define FA__DEFAULT_fa_addcmul {offsetof(fa_addcmul_options, fa__end), NULL, 1, 0}
#define fa_addcmul(...) FA__CALL3(fa_addcmul, FA__NAMED3(, ##__VA_ARGS__, ., ., ., .), FA__ARG, FA__ARG, FA__ARG, __VA_ARGS__)
typedef fa_addcmul_options fa_addcmul__options;
#define FA__DEFAULT_fa_addcmul_ FA__DEFAULT_fa_addcmul
#define fa_addcmul_(...) FA__CALL3(fa_addcmul_, FA__NAMED3(, ##__VA_ARGS__, ., ., ., .), FA__SAME, FA__ARG, FA__ARG, __VA_ARGS__)
#define FA__DEFAULT_fa_addcdiv {offsetof(fa_addcdiv_options, fa__end), NULL, 1, 0}
#define fa_addcdiv(...) FA__CALL3(fa_addcdiv, FA__NAMED3(, ##__VA_ARGS__, ., ., ., .), FA__ARG, FA__ARG, FA__ARG, __VA_ARGS__)
typedef fa_addcdiv_options fa_addcdiv__options;
#define FA__DEFAULT_fa_addcdiv_ FA__DEFAULT_fa_addcdiv
#define fa_addcdiv_(...) FA__CALL3(fa_addcdiv_, FA__NAMED3(, ##__VA_ARGS__, ., ., ., .), FA__SAME, FA__ARG, FA__ARG, __VA_ARGS__)
#define FA__DEFAULT_fa_add {offsetof(fa_add_options, fa__end), NULL, 1, 0}
#define fa_add(...) FA__CALL2(fa_add, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__ARG, FA__ARG, __VA_ARGS__)
typedef fa_add_options fa_add__options;
#define FA__DEFAULT_fa_add_ FA__DEFAULT_fa_add
#define fa_add_(...) FA__CALL2(fa_add_, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__ARG, __VA_ARGS__)
#define FA__DEFAULT_fa_sub {offsetof(fa_sub_options, fa__end), NULL, 1, 0}
#define fa_sub(...) FA__CALL2(fa_sub, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__ARG, FA__ARG, __VA_ARGS__)
typedef fa_sub_options fa_sub__options;
#define FA__DEFAULT_fa_sub_ FA__DEFAULT_fa_sub
#define fa_sub_(...) FA__CALL2(fa_sub_, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__ARG, __VA_ARGS__)
#define FA__DEFAULT_fa_mul {offsetof(fa_mul_options, fa__end), NULL, 0}
#define fa_mul(...) FA__CALL2(fa_mul, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__ARG, FA__ARG, __VA_ARGS__)
typedef fa_mul_options fa_mul__options;
#define FA__DEFAULT_fa_mul_ FA__DEFAULT_fa_mul
#define fa_mul_(...) FA__CALL2(fa_mul_, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__ARG, __VA_ARGS__)
#define FA__DEFAULT_fa_div {offsetof(fa_div_options, fa__end), NULL, 0}
#define fa_div(...) FA__CALL2(fa_div, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__ARG, FA__ARG, __VA_ARGS__)
typedef fa_div_options fa_div__options;
#define FA__DEFAULT_fa_div_ FA__DEFAULT_fa_div
#define fa_div_(...) FA__CALL2(fa_div_, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__ARG, __VA_ARGS__)
#define FA__DEFAULT_fa_pow {offsetof(fa_pow_options, fa__end), NULL, 0}
#define fa_pow(...) FA__CALL2(fa_pow, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__ARG, FA__ARG, __VA_ARGS__)
typedef fa_pow_options fa_pow__options;
#define FA__DEFAULT_fa_pow_ FA__DEFAULT_fa_pow
#define fa_pow_(...) FA__CALL2(fa_pow_, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__ARG, __VA_ARGS__)
#define FA__DEFAULT_fa_neg {offsetof(fa_neg_options, fa__end), NULL, 0}
#define fa_neg(...) FA__CALL1(fa_neg, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
typedef fa_neg_options fa_neg__options;
#define FA__DEFAULT_fa_neg_ FA__DEFAULT_fa_neg
#define fa_neg_(...) FA__CALL1(fa_neg_, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_abs {offsetof(fa_abs_options, fa__end), NULL, 0}
#define fa_abs(...) FA__CALL1(fa_abs, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
typedef fa_abs_options fa_abs__options;
#define FA__DEFAULT_fa_abs_ FA__DEFAULT_fa_abs
#define fa_abs_(...) FA__CALL1(fa_abs_, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_exp {offsetof(fa_exp_options, fa__end), NULL, 0}
#define fa_exp(...) FA__CALL1(fa_exp, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
typedef fa_exp_options fa_exp__options;
#define FA__DEFAULT_fa_exp_ FA__DEFAULT_fa_exp
#define fa_exp_(...) FA__CALL1(fa_exp_, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_log {offsetof(fa_log_options, fa__end), NULL, 0}
#define fa_log(...) FA__CALL1(fa_log, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
typedef fa_log_options fa_log__options;
#define FA__DEFAULT_fa_log_ FA__DEFAULT_fa_log
#define fa_log_(...) FA__CALL1(fa_log_, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_sqrt {offsetof(fa_sqrt_options, fa__end), NULL, 0}
#define fa_sqrt(...) FA__CALL1(fa_sqrt, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
typedef fa_sqrt_options fa_sqrt__options;
#define FA__DEFAULT_fa_sqrt_ FA__DEFAULT_fa_sqrt
#define fa_sqrt_(...) FA__CALL1(fa_sqrt_, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_reciprocal {offsetof(fa_reciprocal_options, fa__end), NULL, 0}
#define fa_reciprocal(...) FA__CALL1(fa_reciprocal, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
typedef fa_reciprocal_options fa_reciprocal__options;
#define FA__DEFAULT_fa_reciprocal_ FA__DEFAULT_fa_reciprocal
#define fa_reciprocal_(...) FA__CALL1(fa_reciprocal_, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_sin {offsetof(fa_sin_options, fa__end), NULL, 0}
#define fa_sin(...) FA__CALL1(fa_sin, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
typedef fa_sin_options fa_sin__options;
#define FA__DEFAULT_fa_sin_ FA__DEFAULT_fa_sin
#define fa_sin_(...) FA__CALL1(fa_sin_, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_cos {offsetof(fa_cos_options, fa__end), NULL, 0}
#define fa_cos(...) FA__CALL1(fa_cos, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
typedef fa_cos_options fa_cos__options;
#define FA__DEFAULT_fa_cos_ FA__DEFAULT_fa_cos
#define fa_cos_(...) FA__CALL1(fa_cos_, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_tanh {offsetof(fa_tanh_options, fa__end), NULL, 0}
#define fa_tanh(...) FA__CALL1(fa_tanh, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
typedef fa_tanh_options fa_tanh__options;
#define FA__DEFAULT_fa_tanh_ FA__DEFAULT_fa_tanh
#define fa_tanh_(...) FA__CALL1(fa_tanh_, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_erf {offsetof(fa_erf_options, fa__end), NULL, 0}
#define fa_erf(...) FA__CALL1(fa_erf, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
typedef fa_erf_options fa_erf__options;
#define FA__DEFAULT_fa_erf_ FA__DEFAULT_fa_erf
#define fa_erf_(...) FA__CALL1(fa_erf_, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_sigmoid {offsetof(fa_sigmoid_options, fa__end), NULL, 0}
#define fa_sigmoid(...) FA__CALL1(fa_sigmoid, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
typedef fa_sigmoid_options fa_sigmoid__options;
#define FA__DEFAULT_fa_sigmoid_ FA__DEFAULT_fa_sigmoid
#define fa_sigmoid_(...) FA__CALL1(fa_sigmoid_, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_relu {offsetof(fa_relu_options, fa__end), NULL, 0}
#define fa_relu(...) FA__CALL1(fa_relu, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
typedef fa_relu_options fa_relu__options;
#define FA__DEFAULT_fa_relu_ FA__DEFAULT_fa_relu
#define fa_relu_(...) FA__CALL1(fa_relu_, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_gelu {offsetof(fa_gelu_options, fa__end), NULL, 0}
#define fa_gelu(...) FA__CALL1(fa_gelu, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
typedef fa_gelu_options fa_gelu__options;
#define FA__DEFAULT_fa_gelu_ FA__DEFAULT_fa_gelu
#define fa_gelu_(...) FA__CALL1(fa_gelu_, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_silu {offsetof(fa_silu_options, fa__end), NULL, 0}
#define fa_silu(...) FA__CALL1(fa_silu, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
typedef fa_silu_options fa_silu__options;
#define FA__DEFAULT_fa_silu_ FA__DEFAULT_fa_silu
#define fa_silu_(...) FA__CALL1(fa_silu_, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_maximum {offsetof(fa_maximum_options, fa__end), NULL, 0}
#define fa_maximum(...) FA__CALL2(fa_maximum, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__ARG, FA__ARG, __VA_ARGS__)
typedef fa_maximum_options fa_maximum__options;
#define FA__DEFAULT_fa_maximum_ FA__DEFAULT_fa_maximum
#define fa_maximum_(...) FA__CALL2(fa_maximum_, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__ARG, __VA_ARGS__)
#define FA__DEFAULT_fa_minimum {offsetof(fa_minimum_options, fa__end), NULL, 0}
#define fa_minimum(...) FA__CALL2(fa_minimum, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__ARG, FA__ARG, __VA_ARGS__)
typedef fa_minimum_options fa_minimum__options;
#define FA__DEFAULT_fa_minimum_ FA__DEFAULT_fa_minimum
#define fa_minimum_(...) FA__CALL2(fa_minimum_, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__ARG, __VA_ARGS__)
#define FA__DEFAULT_fa_clamp {offsetof(fa_clamp_options, fa__end), NULL, 0}
#define fa_clamp(...) FA__CALL3(fa_clamp, FA__NAMED3(, ##__VA_ARGS__, ., ., ., .), FA__ARG, FA__ARG, FA__ARG, __VA_ARGS__)
typedef fa_clamp_options fa_clamp__options;
#define FA__DEFAULT_fa_clamp_ FA__DEFAULT_fa_clamp
#define fa_clamp_(...) FA__CALL3(fa_clamp_, FA__NAMED3(, ##__VA_ARGS__, ., ., ., .), FA__SAME, FA__ARG, FA__ARG, __VA_ARGS__)
#define FA__DEFAULT_fa_where {offsetof(fa_where_options, fa__end), NULL, 0}
#define fa_where(...) FA__CALL3(fa_where, FA__NAMED3(, ##__VA_ARGS__, ., ., ., .), FA__CONDITION, FA__ARG, FA__ARG, __VA_ARGS__)
typedef fa_where_options fa_where__options;
#define FA__DEFAULT_fa_where_ FA__DEFAULT_fa_where
#define fa_where_(...) FA__CALL3(fa_where_, FA__NAMED3(, ##__VA_ARGS__, ., ., ., .), FA__CONDITION, FA__SAME, FA__ARG, __VA_ARGS__)
#define FA__DEFAULT_fa_eq {offsetof(fa_eq_options, fa__end), NULL, 0}
#define fa_eq(...) FA__CALL2(fa_eq, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__ARG, FA__ARG, __VA_ARGS__)
typedef fa_eq_options fa_eq__options;
#define FA__DEFAULT_fa_eq_ FA__DEFAULT_fa_eq
#define fa_eq_(...) FA__CALL2(fa_eq_, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__ARG, __VA_ARGS__)
#define FA__DEFAULT_fa_ne {offsetof(fa_ne_options, fa__end), NULL, 0}
#define fa_ne(...) FA__CALL2(fa_ne, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__ARG, FA__ARG, __VA_ARGS__)
typedef fa_ne_options fa_ne__options;
#define FA__DEFAULT_fa_ne_ FA__DEFAULT_fa_ne
#define fa_ne_(...) FA__CALL2(fa_ne_, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__ARG, __VA_ARGS__)
#define FA__DEFAULT_fa_lt {offsetof(fa_lt_options, fa__end), NULL, 0}
#define fa_lt(...) FA__CALL2(fa_lt, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__ARG, FA__ARG, __VA_ARGS__)
typedef fa_lt_options fa_lt__options;
#define FA__DEFAULT_fa_lt_ FA__DEFAULT_fa_lt
#define fa_lt_(...) FA__CALL2(fa_lt_, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__ARG, __VA_ARGS__)
#define FA__DEFAULT_fa_le {offsetof(fa_le_options, fa__end), NULL, 0}
#define fa_le(...) FA__CALL2(fa_le, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__ARG, FA__ARG, __VA_ARGS__)
typedef fa_le_options fa_le__options;
#define FA__DEFAULT_fa_le_ FA__DEFAULT_fa_le
#define fa_le_(...) FA__CALL2(fa_le_, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__ARG, __VA_ARGS__)
#define FA__DEFAULT_fa_gt {offsetof(fa_gt_options, fa__end), NULL, 0}
#define fa_gt(...) FA__CALL2(fa_gt, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__ARG, FA__ARG, __VA_ARGS__)
typedef fa_gt_options fa_gt__options;
#define FA__DEFAULT_fa_gt_ FA__DEFAULT_fa_gt
#define fa_gt_(...) FA__CALL2(fa_gt_, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__ARG, __VA_ARGS__)
#define FA__DEFAULT_fa_ge {offsetof(fa_ge_options, fa__end), NULL, 0}
#define fa_ge(...) FA__CALL2(fa_ge, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__ARG, FA__ARG, __VA_ARGS__)
typedef fa_ge_options fa_ge__options;
#define FA__DEFAULT_fa_ge_ FA__DEFAULT_fa_ge
#define fa_ge_(...) FA__CALL2(fa_ge_, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__ARG, __VA_ARGS__)
#define FA__DEFAULT_fa_dropout {offsetof(fa_dropout_options, fa__end), NULL, 0.5, true, 0}
#define fa_dropout(...) FA__CALL1(fa_dropout, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
typedef fa_dropout_options fa_dropout__options;
#define FA__DEFAULT_fa_dropout_ FA__DEFAULT_fa_dropout
#define fa_dropout_(...) FA__CALL1(fa_dropout_, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_xlog1py {offsetof(fa_xlog1py_options, fa__end), NULL, 0}
#define fa_xlog1py(...) FA__CALL2(fa_xlog1py, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__ARG, FA__ARG, __VA_ARGS__)
typedef fa_xlog1py_options fa_xlog1py__options;
#define FA__DEFAULT_fa_xlog1py_ FA__DEFAULT_fa_xlog1py
#define fa_xlog1py_(...) FA__CALL2(fa_xlog1py_, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__ARG, __VA_ARGS__)
#define FA__DEFAULT_fa_entr {offsetof(fa_entr_options, fa__end), NULL, 0}
#define fa_entr(...) FA__CALL1(fa_entr, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
typedef fa_entr_options fa_entr__options;
#define FA__DEFAULT_fa_entr_ FA__DEFAULT_fa_entr
#define fa_entr_(...) FA__CALL1(fa_entr_, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_erfcx {offsetof(fa_erfcx_options, fa__end), NULL, 0}
#define fa_erfcx(...) FA__CALL1(fa_erfcx, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
typedef fa_erfcx_options fa_erfcx__options;
#define FA__DEFAULT_fa_erfcx_ FA__DEFAULT_fa_erfcx
#define fa_erfcx_(...) FA__CALL1(fa_erfcx_, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_ndtr {offsetof(fa_ndtr_options, fa__end), NULL, 0}
#define fa_ndtr(...) FA__CALL1(fa_ndtr, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
typedef fa_ndtr_options fa_ndtr__options;
#define FA__DEFAULT_fa_ndtr_ FA__DEFAULT_fa_ndtr
#define fa_ndtr_(...) FA__CALL1(fa_ndtr_, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_log_ndtr {offsetof(fa_log_ndtr_options, fa__end), NULL, 0}
#define fa_log_ndtr(...) FA__CALL1(fa_log_ndtr, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
typedef fa_log_ndtr_options fa_log_ndtr__options;
#define FA__DEFAULT_fa_log_ndtr_ FA__DEFAULT_fa_log_ndtr
#define fa_log_ndtr_(...) FA__CALL1(fa_log_ndtr_, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_ndtri {offsetof(fa_ndtri_options, fa__end), NULL, 0}
#define fa_ndtri(...) FA__CALL1(fa_ndtri, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
typedef fa_ndtri_options fa_ndtri__options;
#define FA__DEFAULT_fa_ndtri_ FA__DEFAULT_fa_ndtri
#define fa_ndtri_(...) FA__CALL1(fa_ndtri_, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_zeta {offsetof(fa_zeta_options, fa__end), NULL, 0}
#define fa_zeta(...) FA__CALL2(fa_zeta, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__ARG, FA__ARG, __VA_ARGS__)
typedef fa_zeta_options fa_zeta__options;
#define FA__DEFAULT_fa_zeta_ FA__DEFAULT_fa_zeta
#define fa_zeta_(...) FA__CALL2(fa_zeta_, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__ARG, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_igamma {offsetof(fa_igamma_options, fa__end), NULL, 0}
#define fa_igamma(...) FA__CALL2(fa_igamma, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__ARG, FA__ARG, __VA_ARGS__)
typedef fa_igamma_options fa_igamma__options;
#define FA__DEFAULT_fa_igamma_ FA__DEFAULT_fa_igamma
#define fa_igamma_(...) FA__CALL2(fa_igamma_, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__ARG, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_igammac {offsetof(fa_igammac_options, fa__end), NULL, 0}
#define fa_igammac(...) FA__CALL2(fa_igammac, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__ARG, FA__ARG, __VA_ARGS__)
typedef fa_igammac_options fa_igammac__options;
#define FA__DEFAULT_fa_igammac_ FA__DEFAULT_fa_igammac
#define fa_igammac_(...) FA__CALL2(fa_igammac_, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__ARG, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_multigammaln {offsetof(fa_multigammaln_options, fa__end), NULL, 0}
#define fa_multigammaln(...) FA__CALL2(fa_multigammaln, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__SAME, __VA_ARGS__)
/** @endcond */

FA__END
#endif
