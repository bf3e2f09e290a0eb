/** @file
 *  Operations element by element: one expression each. Shapes, promotion, dispatch, in-place and .out forms and
 *  derivatives come from the expression. Operands broadcast: the result has the larger size in each dimension, where
 *  the other one is 1 or not there. What has to look at more than one element is not here.
 *
 *  In u8, i8 and i16 arithmetic wraps. Comparisons take values as they are, as far as 32 bits hold them: each u8 is
 *  above -1, where PyTorch makes 255 of the -1 first. Numbers that are only bounds, as in fa_clamp(x, -3, 300), become
 *  the nearest that the dtype has.
 *
 *  Written by facula-rows from src/ops/pointwise.c: edit there. */
/* clang-format off */
#ifndef FACULA_POINTWISE_H
#define FACULA_POINTWISE_H
#include <facula/types.h>

FA__BEGIN

/** Options of fa_add(). */
typedef struct fa_add_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    double alpha;   /**< see fa_add() */
    char fa__end;   /**< the end of what this version knows */
} fa_add_options;

/** x + alpha * y.
 *  alpha scales the second operand before it is added; it has to be an integer when the operands are.
 *
 *      fa_add(x, y, .alpha = 1, .out = NULL)
 *
 *  @param x a tensor or a number
 *  @param y a tensor or a number
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_add(fa_arg x, fa_arg y, const fa_add_options *options);

/** fa_add() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_add_(fa_tensor *x, fa_arg y, const fa_add_options *options);

/** Options of fa_sub(). */
typedef struct fa_sub_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    double alpha;   /**< see fa_sub() */
    char fa__end;   /**< the end of what this version knows */
} fa_sub_options;

/** x - alpha * y. Bool operands are an error.
 *
 *      fa_sub(x, y, .alpha = 1, .out = NULL)
 *
 *  @param x a tensor or a number
 *  @param y a tensor or a number
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_sub(fa_arg x, fa_arg y, const fa_sub_options *options);

/** fa_sub() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_sub_(fa_tensor *x, fa_arg y, const fa_sub_options *options);

/** Options of fa_mul(). */
typedef struct fa_mul_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_mul_options;

/** x * y.
 *
 *      fa_mul(x, y, .out = NULL)
 *
 *  @param x a tensor or a number
 *  @param y a tensor or a number
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_mul(fa_arg x, fa_arg y, const fa_mul_options *options);

/** fa_mul() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_mul_(fa_tensor *x, fa_arg y, const fa_mul_options *options);

/** Options of fa_div(). */
typedef struct fa_div_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_div_options;

/** x / y, true division: integers give f32. A division by zero gives infinity or NaN. Rounded to integers it is
 *  fa_floor_divide() or fa_trunc_divide(): PyTorch's rounding_mode.
 *
 *      fa_div(x, y, .out = NULL)
 *
 *  @param x a tensor or a number
 *  @param y a tensor or a number
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_div(fa_arg x, fa_arg y, const fa_div_options *options);

/** fa_div() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_div_(fa_tensor *x, fa_arg y, const fa_div_options *options);

/** Options of fa_pow(). */
typedef struct fa_pow_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_pow_options;

/** x to the power y. Integers stay integers: to a negative power, which PyTorch refuses where it is a number, they are
 *  0, but for 1 and -1. 0 to the power 0 is 1.
 *
 *      fa_pow(x, y, .out = NULL)
 *
 *  @param x a tensor or a number
 *  @param y a tensor or a number
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_pow(fa_arg x, fa_arg y, const fa_pow_options *options);

/** fa_pow() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_pow_(fa_tensor *x, fa_arg y, const fa_pow_options *options);

/** Options of fa_neg(). */
typedef struct fa_neg_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_neg_options;

/** -x. Bool is an error.
 *
 *      fa_neg(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_neg(const fa_tensor *x, const fa_neg_options *options);

/** fa_neg() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_neg_(fa_tensor *x, const fa_neg_options *options);

/** Options of fa_abs(). */
typedef struct fa_abs_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_abs_options;

/** |x|.
 *
 *      fa_abs(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_abs(const fa_tensor *x, const fa_abs_options *options);

/** fa_abs() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_abs_(fa_tensor *x, const fa_abs_options *options);

/** Options of fa_exp(). */
typedef struct fa_exp_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_exp_options;

/** The exponential of x.
 *
 *      fa_exp(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_exp(const fa_tensor *x, const fa_exp_options *options);

/** fa_exp() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_exp_(fa_tensor *x, const fa_exp_options *options);

/** Options of fa_log(). */
typedef struct fa_log_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_log_options;

/** The natural logarithm of x.
 *
 *      fa_log(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_log(const fa_tensor *x, const fa_log_options *options);

/** fa_log() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_log_(fa_tensor *x, const fa_log_options *options);

/** Options of fa_sqrt(). */
typedef struct fa_sqrt_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_sqrt_options;

/** The square root of x.
 *
 *      fa_sqrt(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_sqrt(const fa_tensor *x, const fa_sqrt_options *options);

/** fa_sqrt() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_sqrt_(fa_tensor *x, const fa_sqrt_options *options);

/** Options of fa_reciprocal(). */
typedef struct fa_reciprocal_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_reciprocal_options;

/** 1 / x; integers give f32.
 *
 *      fa_reciprocal(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_reciprocal(const fa_tensor *x, const fa_reciprocal_options *options);

/** fa_reciprocal() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_reciprocal_(fa_tensor *x, const fa_reciprocal_options *options);

/** Options of fa_sin(). */
typedef struct fa_sin_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_sin_options;

/** The sine of x, in radians.
 *
 *      fa_sin(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_sin(const fa_tensor *x, const fa_sin_options *options);

/** fa_sin() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_sin_(fa_tensor *x, const fa_sin_options *options);

/** Options of fa_cos(). */
typedef struct fa_cos_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_cos_options;

/** The cosine of x, in radians.
 *
 *      fa_cos(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_cos(const fa_tensor *x, const fa_cos_options *options);

/** fa_cos() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_cos_(fa_tensor *x, const fa_cos_options *options);

/** Options of fa_tanh(). */
typedef struct fa_tanh_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_tanh_options;

/** The hyperbolic tangent of x.
 *
 *      fa_tanh(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_tanh(const fa_tensor *x, const fa_tanh_options *options);

/** fa_tanh() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_tanh_(fa_tensor *x, const fa_tanh_options *options);

/** Options of fa_erf(). */
typedef struct fa_erf_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_erf_options;

/** The error function of x.
 *
 *      fa_erf(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_erf(const fa_tensor *x, const fa_erf_options *options);

/** fa_erf() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_erf_(fa_tensor *x, const fa_erf_options *options);

/** Options of fa_sigmoid(). */
typedef struct fa_sigmoid_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_sigmoid_options;

/** 1 / (1 + exp(-x)).
 *
 *      fa_sigmoid(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_sigmoid(const fa_tensor *x, const fa_sigmoid_options *options);

/** fa_sigmoid() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_sigmoid_(fa_tensor *x, const fa_sigmoid_options *options);

/** Options of fa_relu(). */
typedef struct fa_relu_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_relu_options;

/** x where it is positive, 0 elsewhere; NaN passes. The gradient is 0 at 0. Bool is an error.
 *
 *      fa_relu(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_relu(const fa_tensor *x, const fa_relu_options *options);

/** fa_relu() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_relu_(fa_tensor *x, const fa_relu_options *options);

/** Options of fa_gelu(). */
typedef struct fa_gelu_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_gelu_options;

/** x * P(X <= x) for a standard normal X, by the error function (arXiv:1606.08415).
 *
 *      fa_gelu(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_gelu(const fa_tensor *x, const fa_gelu_options *options);

/** fa_gelu() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_gelu_(fa_tensor *x, const fa_gelu_options *options);

/** Options of fa_silu(). */
typedef struct fa_silu_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_silu_options;

/** x * sigmoid(x), also called swish (arXiv:1702.03118).
 *
 *      fa_silu(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_silu(const fa_tensor *x, const fa_silu_options *options);

/** fa_silu() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_silu_(fa_tensor *x, const fa_silu_options *options);

/** Options of fa_maximum(). */
typedef struct fa_maximum_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_maximum_options;

/** The larger of x and y; NaN passes. Where they are equal both get half of the gradient.
 *
 *      fa_maximum(x, y, .out = NULL)
 *
 *  @param x a tensor or a number
 *  @param y a tensor or a number
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_maximum(fa_arg x, fa_arg y, const fa_maximum_options *options);

/** fa_maximum() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_maximum_(fa_tensor *x, fa_arg y, const fa_maximum_options *options);

/** Options of fa_minimum(). */
typedef struct fa_minimum_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_minimum_options;

/** The smaller of x and y; NaN passes. Where they are equal both get half of the gradient.
 *
 *      fa_minimum(x, y, .out = NULL)
 *
 *  @param x a tensor or a number
 *  @param y a tensor or a number
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_minimum(fa_arg x, fa_arg y, const fa_minimum_options *options);

/** fa_minimum() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_minimum_(fa_tensor *x, fa_arg y, const fa_minimum_options *options);

/** Options of fa_clamp(). */
typedef struct fa_clamp_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_clamp_options;

/** x held between low and high: high where low is above high; NaN passes. The gradient is 0 at bounds that are numbers;
 *  x and a bound that is a tensor get half of it where they are equal, x all of it where both bounds are.
 *
 *      fa_clamp(x, low, high, .out = NULL)
 *
 *  @param x a tensor or a number
 *  @param low a tensor or a number
 *  @param high a tensor or a number
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_clamp(fa_arg x, fa_arg low, fa_arg high, const fa_clamp_options *options);

/** fa_clamp() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_clamp_(fa_tensor *x, fa_arg low, fa_arg high, const fa_clamp_options *options);

/** Options of fa_where(). */
typedef struct fa_where_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_where_options;

/** x where condition is not 0, y elsewhere. The gradient of what is not chosen is 0, whatever it was.
 *
 *      fa_where(condition, x, y, .out = NULL)
 *
 *  @param condition a tensor or a number
 *  @param x a tensor or a number
 *  @param y a tensor or a number
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_where(fa_arg condition, fa_arg x, fa_arg y, const fa_where_options *options);

/** fa_where() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_where_(fa_arg condition, fa_tensor *x, fa_arg y, const fa_where_options *options);

/** Options of fa_eq(). */
typedef struct fa_eq_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_eq_options;

/** true where x equals y.
 *
 *      fa_eq(x, y, .out = NULL)
 *
 *  @param x a tensor or a number
 *  @param y a tensor or a number
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_eq(fa_arg x, fa_arg y, const fa_eq_options *options);

/** fa_eq() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_eq_(fa_tensor *x, fa_arg y, const fa_eq_options *options);

/** Options of fa_ne(). */
typedef struct fa_ne_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_ne_options;

/** true where x differs from y.
 *
 *      fa_ne(x, y, .out = NULL)
 *
 *  @param x a tensor or a number
 *  @param y a tensor or a number
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_ne(fa_arg x, fa_arg y, const fa_ne_options *options);

/** fa_ne() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_ne_(fa_tensor *x, fa_arg y, const fa_ne_options *options);

/** Options of fa_lt(). */
typedef struct fa_lt_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_lt_options;

/** true where x is below y.
 *
 *      fa_lt(x, y, .out = NULL)
 *
 *  @param x a tensor or a number
 *  @param y a tensor or a number
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_lt(fa_arg x, fa_arg y, const fa_lt_options *options);

/** fa_lt() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_lt_(fa_tensor *x, fa_arg y, const fa_lt_options *options);

/** Options of fa_le(). */
typedef struct fa_le_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_le_options;

/** true where x is at most y.
 *
 *      fa_le(x, y, .out = NULL)
 *
 *  @param x a tensor or a number
 *  @param y a tensor or a number
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_le(fa_arg x, fa_arg y, const fa_le_options *options);

/** fa_le() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_le_(fa_tensor *x, fa_arg y, const fa_le_options *options);

/** Options of fa_gt(). */
typedef struct fa_gt_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_gt_options;

/** true where x is above y.
 *
 *      fa_gt(x, y, .out = NULL)
 *
 *  @param x a tensor or a number
 *  @param y a tensor or a number
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_gt(fa_arg x, fa_arg y, const fa_gt_options *options);

/** fa_gt() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_gt_(fa_tensor *x, fa_arg y, const fa_gt_options *options);

/** Options of fa_ge(). */
typedef struct fa_ge_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_ge_options;

/** true where x is at least y.
 *
 *      fa_ge(x, y, .out = NULL)
 *
 *  @param x a tensor or a number
 *  @param y a tensor or a number
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_ge(fa_arg x, fa_arg y, const fa_ge_options *options);

/** fa_ge() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_ge_(fa_tensor *x, fa_arg y, const fa_ge_options *options);

/** Options of fa_dropout(). */
typedef struct fa_dropout_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    double p;       /**< see fa_dropout() */
    bool training;  /**< see fa_dropout() */
    char fa__end;   /**< the end of what this version knows */
} fa_dropout_options;

/** Sets each element to 0 with probability p and scales the rest by 1 / (1 - p); x itself when not training.
 *  The mask is drawn from the default generator and is never stored: backward draws it again (arXiv:1207.0580).
 *
 *      fa_dropout(x, .p = 0.5, .training = true, .out = NULL)
 *
 *  @param x a tensor
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_dropout(const fa_tensor *x, const fa_dropout_options *options);

/** fa_dropout() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_dropout_(fa_tensor *x, const fa_dropout_options *options);

/** @cond */
/* How named options, and numbers in the place of tensors, reach the functions above. */
#define FA__DEFAULT_fa_add {offsetof(fa_add_options, fa__end), NULL, 1, 0}
#define fa_add(...) FA__CALL2(fa_add, FA__ARG, FA__ARG, __VA_ARGS__)
typedef fa_add_options fa_add__options;
#define FA__DEFAULT_fa_add_ FA__DEFAULT_fa_add
#define fa_add_(...) FA__CALL2(fa_add_, FA__SAME, FA__ARG, __VA_ARGS__)
#define FA__DEFAULT_fa_sub {offsetof(fa_sub_options, fa__end), NULL, 1, 0}
#define fa_sub(...) FA__CALL2(fa_sub, FA__ARG, FA__ARG, __VA_ARGS__)
typedef fa_sub_options fa_sub__options;
#define FA__DEFAULT_fa_sub_ FA__DEFAULT_fa_sub
#define fa_sub_(...) FA__CALL2(fa_sub_, FA__SAME, FA__ARG, __VA_ARGS__)
#define FA__DEFAULT_fa_mul {offsetof(fa_mul_options, fa__end), NULL, 0}
#define fa_mul(...) FA__CALL2(fa_mul, FA__ARG, FA__ARG, __VA_ARGS__)
typedef fa_mul_options fa_mul__options;
#define FA__DEFAULT_fa_mul_ FA__DEFAULT_fa_mul
#define fa_mul_(...) FA__CALL2(fa_mul_, FA__SAME, FA__ARG, __VA_ARGS__)
#define FA__DEFAULT_fa_div {offsetof(fa_div_options, fa__end), NULL, 0}
#define fa_div(...) FA__CALL2(fa_div, FA__ARG, FA__ARG, __VA_ARGS__)
typedef fa_div_options fa_div__options;
#define FA__DEFAULT_fa_div_ FA__DEFAULT_fa_div
#define fa_div_(...) FA__CALL2(fa_div_, FA__SAME, FA__ARG, __VA_ARGS__)
#define FA__DEFAULT_fa_pow {offsetof(fa_pow_options, fa__end), NULL, 0}
#define fa_pow(...) FA__CALL2(fa_pow, FA__ARG, FA__ARG, __VA_ARGS__)
typedef fa_pow_options fa_pow__options;
#define FA__DEFAULT_fa_pow_ FA__DEFAULT_fa_pow
#define fa_pow_(...) FA__CALL2(fa_pow_, FA__SAME, FA__ARG, __VA_ARGS__)
#define FA__DEFAULT_fa_neg {offsetof(fa_neg_options, fa__end), NULL, 0}
#define fa_neg(...) FA__CALL1(fa_neg, FA__SAME, __VA_ARGS__)
typedef fa_neg_options fa_neg__options;
#define FA__DEFAULT_fa_neg_ FA__DEFAULT_fa_neg
#define fa_neg_(...) FA__CALL1(fa_neg_, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_abs {offsetof(fa_abs_options, fa__end), NULL, 0}
#define fa_abs(...) FA__CALL1(fa_abs, FA__SAME, __VA_ARGS__)
typedef fa_abs_options fa_abs__options;
#define FA__DEFAULT_fa_abs_ FA__DEFAULT_fa_abs
#define fa_abs_(...) FA__CALL1(fa_abs_, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_exp {offsetof(fa_exp_options, fa__end), NULL, 0}
#define fa_exp(...) FA__CALL1(fa_exp, FA__SAME, __VA_ARGS__)
typedef fa_exp_options fa_exp__options;
#define FA__DEFAULT_fa_exp_ FA__DEFAULT_fa_exp
#define fa_exp_(...) FA__CALL1(fa_exp_, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_log {offsetof(fa_log_options, fa__end), NULL, 0}
#define fa_log(...) FA__CALL1(fa_log, FA__SAME, __VA_ARGS__)
typedef fa_log_options fa_log__options;
#define FA__DEFAULT_fa_log_ FA__DEFAULT_fa_log
#define fa_log_(...) FA__CALL1(fa_log_, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_sqrt {offsetof(fa_sqrt_options, fa__end), NULL, 0}
#define fa_sqrt(...) FA__CALL1(fa_sqrt, FA__SAME, __VA_ARGS__)
typedef fa_sqrt_options fa_sqrt__options;
#define FA__DEFAULT_fa_sqrt_ FA__DEFAULT_fa_sqrt
#define fa_sqrt_(...) FA__CALL1(fa_sqrt_, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_reciprocal {offsetof(fa_reciprocal_options, fa__end), NULL, 0}
#define fa_reciprocal(...) FA__CALL1(fa_reciprocal, FA__SAME, __VA_ARGS__)
typedef fa_reciprocal_options fa_reciprocal__options;
#define FA__DEFAULT_fa_reciprocal_ FA__DEFAULT_fa_reciprocal
#define fa_reciprocal_(...) FA__CALL1(fa_reciprocal_, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_sin {offsetof(fa_sin_options, fa__end), NULL, 0}
#define fa_sin(...) FA__CALL1(fa_sin, FA__SAME, __VA_ARGS__)
typedef fa_sin_options fa_sin__options;
#define FA__DEFAULT_fa_sin_ FA__DEFAULT_fa_sin
#define fa_sin_(...) FA__CALL1(fa_sin_, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_cos {offsetof(fa_cos_options, fa__end), NULL, 0}
#define fa_cos(...) FA__CALL1(fa_cos, FA__SAME, __VA_ARGS__)
typedef fa_cos_options fa_cos__options;
#define FA__DEFAULT_fa_cos_ FA__DEFAULT_fa_cos
#define fa_cos_(...) FA__CALL1(fa_cos_, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_tanh {offsetof(fa_tanh_options, fa__end), NULL, 0}
#define fa_tanh(...) FA__CALL1(fa_tanh, FA__SAME, __VA_ARGS__)
typedef fa_tanh_options fa_tanh__options;
#define FA__DEFAULT_fa_tanh_ FA__DEFAULT_fa_tanh
#define fa_tanh_(...) FA__CALL1(fa_tanh_, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_erf {offsetof(fa_erf_options, fa__end), NULL, 0}
#define fa_erf(...) FA__CALL1(fa_erf, FA__SAME, __VA_ARGS__)
typedef fa_erf_options fa_erf__options;
#define FA__DEFAULT_fa_erf_ FA__DEFAULT_fa_erf
#define fa_erf_(...) FA__CALL1(fa_erf_, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_sigmoid {offsetof(fa_sigmoid_options, fa__end), NULL, 0}
#define fa_sigmoid(...) FA__CALL1(fa_sigmoid, FA__SAME, __VA_ARGS__)
typedef fa_sigmoid_options fa_sigmoid__options;
#define FA__DEFAULT_fa_sigmoid_ FA__DEFAULT_fa_sigmoid
#define fa_sigmoid_(...) FA__CALL1(fa_sigmoid_, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_relu {offsetof(fa_relu_options, fa__end), NULL, 0}
#define fa_relu(...) FA__CALL1(fa_relu, FA__SAME, __VA_ARGS__)
typedef fa_relu_options fa_relu__options;
#define FA__DEFAULT_fa_relu_ FA__DEFAULT_fa_relu
#define fa_relu_(...) FA__CALL1(fa_relu_, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_gelu {offsetof(fa_gelu_options, fa__end), NULL, 0}
#define fa_gelu(...) FA__CALL1(fa_gelu, FA__SAME, __VA_ARGS__)
typedef fa_gelu_options fa_gelu__options;
#define FA__DEFAULT_fa_gelu_ FA__DEFAULT_fa_gelu
#define fa_gelu_(...) FA__CALL1(fa_gelu_, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_silu {offsetof(fa_silu_options, fa__end), NULL, 0}
#define fa_silu(...) FA__CALL1(fa_silu, FA__SAME, __VA_ARGS__)
typedef fa_silu_options fa_silu__options;
#define FA__DEFAULT_fa_silu_ FA__DEFAULT_fa_silu
#define fa_silu_(...) FA__CALL1(fa_silu_, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_maximum {offsetof(fa_maximum_options, fa__end), NULL, 0}
#define fa_maximum(...) FA__CALL2(fa_maximum, FA__ARG, FA__ARG, __VA_ARGS__)
typedef fa_maximum_options fa_maximum__options;
#define FA__DEFAULT_fa_maximum_ FA__DEFAULT_fa_maximum
#define fa_maximum_(...) FA__CALL2(fa_maximum_, FA__SAME, FA__ARG, __VA_ARGS__)
#define FA__DEFAULT_fa_minimum {offsetof(fa_minimum_options, fa__end), NULL, 0}
#define fa_minimum(...) FA__CALL2(fa_minimum, FA__ARG, FA__ARG, __VA_ARGS__)
typedef fa_minimum_options fa_minimum__options;
#define FA__DEFAULT_fa_minimum_ FA__DEFAULT_fa_minimum
#define fa_minimum_(...) FA__CALL2(fa_minimum_, FA__SAME, FA__ARG, __VA_ARGS__)
#define FA__DEFAULT_fa_clamp {offsetof(fa_clamp_options, fa__end), NULL, 0}
#define fa_clamp(...) FA__CALL3(fa_clamp, FA__ARG, FA__ARG, FA__ARG, __VA_ARGS__)
typedef fa_clamp_options fa_clamp__options;
#define FA__DEFAULT_fa_clamp_ FA__DEFAULT_fa_clamp
#define fa_clamp_(...) FA__CALL3(fa_clamp_, FA__SAME, FA__ARG, FA__ARG, __VA_ARGS__)
#define FA__DEFAULT_fa_where {offsetof(fa_where_options, fa__end), NULL, 0}
#define fa_where(...) FA__CALL3(fa_where, FA__ARG, FA__ARG, FA__ARG, __VA_ARGS__)
typedef fa_where_options fa_where__options;
#define FA__DEFAULT_fa_where_ FA__DEFAULT_fa_where
#define fa_where_(...) FA__CALL3(fa_where_, FA__ARG, FA__SAME, FA__ARG, __VA_ARGS__)
#define FA__DEFAULT_fa_eq {offsetof(fa_eq_options, fa__end), NULL, 0}
#define fa_eq(...) FA__CALL2(fa_eq, FA__ARG, FA__ARG, __VA_ARGS__)
typedef fa_eq_options fa_eq__options;
#define FA__DEFAULT_fa_eq_ FA__DEFAULT_fa_eq
#define fa_eq_(...) FA__CALL2(fa_eq_, FA__SAME, FA__ARG, __VA_ARGS__)
#define FA__DEFAULT_fa_ne {offsetof(fa_ne_options, fa__end), NULL, 0}
#define fa_ne(...) FA__CALL2(fa_ne, FA__ARG, FA__ARG, __VA_ARGS__)
typedef fa_ne_options fa_ne__options;
#define FA__DEFAULT_fa_ne_ FA__DEFAULT_fa_ne
#define fa_ne_(...) FA__CALL2(fa_ne_, FA__SAME, FA__ARG, __VA_ARGS__)
#define FA__DEFAULT_fa_lt {offsetof(fa_lt_options, fa__end), NULL, 0}
#define fa_lt(...) FA__CALL2(fa_lt, FA__ARG, FA__ARG, __VA_ARGS__)
typedef fa_lt_options fa_lt__options;
#define FA__DEFAULT_fa_lt_ FA__DEFAULT_fa_lt
#define fa_lt_(...) FA__CALL2(fa_lt_, FA__SAME, FA__ARG, __VA_ARGS__)
#define FA__DEFAULT_fa_le {offsetof(fa_le_options, fa__end), NULL, 0}
#define fa_le(...) FA__CALL2(fa_le, FA__ARG, FA__ARG, __VA_ARGS__)
typedef fa_le_options fa_le__options;
#define FA__DEFAULT_fa_le_ FA__DEFAULT_fa_le
#define fa_le_(...) FA__CALL2(fa_le_, FA__SAME, FA__ARG, __VA_ARGS__)
#define FA__DEFAULT_fa_gt {offsetof(fa_gt_options, fa__end), NULL, 0}
#define fa_gt(...) FA__CALL2(fa_gt, FA__ARG, FA__ARG, __VA_ARGS__)
typedef fa_gt_options fa_gt__options;
#define FA__DEFAULT_fa_gt_ FA__DEFAULT_fa_gt
#define fa_gt_(...) FA__CALL2(fa_gt_, FA__SAME, FA__ARG, __VA_ARGS__)
#define FA__DEFAULT_fa_ge {offsetof(fa_ge_options, fa__end), NULL, 0}
#define fa_ge(...) FA__CALL2(fa_ge, FA__ARG, FA__ARG, __VA_ARGS__)
typedef fa_ge_options fa_ge__options;
#define FA__DEFAULT_fa_ge_ FA__DEFAULT_fa_ge
#define fa_ge_(...) FA__CALL2(fa_ge_, FA__SAME, FA__ARG, __VA_ARGS__)
#define FA__DEFAULT_fa_dropout {offsetof(fa_dropout_options, fa__end), NULL, 0.5, true, 0}
#define fa_dropout(...) FA__CALL1(fa_dropout, FA__SAME, __VA_ARGS__)
typedef fa_dropout_options fa_dropout__options;
#define FA__DEFAULT_fa_dropout_ FA__DEFAULT_fa_dropout
#define fa_dropout_(...) FA__CALL1(fa_dropout_, FA__SAME, __VA_ARGS__)
/** @endcond */

FA__END
#endif
