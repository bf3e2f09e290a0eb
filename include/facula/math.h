/** @file
 *  Mathematics element by element: one expression each, as in pointwise.h. Integers and bool give f32, but for those
 *  that stay what they are, which say so.
 *
 *  Written by facula-rows from src/ops/math.c: edit there. */
/* clang-format off */
#ifndef FACULA_MATH_H
#define FACULA_MATH_H
#include <facula/types.h>

FA__BEGIN

/** Options of fa_exp2(). */
typedef struct fa_exp2_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_exp2_options;

/** 2 to the power x.
 *
 *      fa_exp2(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_exp2(const fa_tensor *x, const fa_exp2_options *options);

/** fa_exp2() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_exp2_(fa_tensor *x, const fa_exp2_options *options);

/** Options of fa_expm1(). */
typedef struct fa_expm1_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_expm1_options;

/** exp(x) - 1, exact near 0 too.
 *
 *      fa_expm1(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_expm1(const fa_tensor *x, const fa_expm1_options *options);

/** fa_expm1() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_expm1_(fa_tensor *x, const fa_expm1_options *options);

/** Options of fa_log2(). */
typedef struct fa_log2_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_log2_options;

/** The logarithm of x to the base 2.
 *
 *      fa_log2(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_log2(const fa_tensor *x, const fa_log2_options *options);

/** fa_log2() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_log2_(fa_tensor *x, const fa_log2_options *options);

/** Options of fa_log10(). */
typedef struct fa_log10_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_log10_options;

/** The logarithm of x to the base 10.
 *
 *      fa_log10(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_log10(const fa_tensor *x, const fa_log10_options *options);

/** fa_log10() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_log10_(fa_tensor *x, const fa_log10_options *options);

/** Options of fa_log1p(). */
typedef struct fa_log1p_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_log1p_options;

/** The natural logarithm of 1 + x, exact near 0 too.
 *
 *      fa_log1p(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_log1p(const fa_tensor *x, const fa_log1p_options *options);

/** fa_log1p() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_log1p_(fa_tensor *x, const fa_log1p_options *options);

/** Options of fa_logaddexp(). */
typedef struct fa_logaddexp_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_logaddexp_options;

/** log(exp(x) + exp(y)), without overflow.
 *
 *      fa_logaddexp(x, y, .out = NULL)
 *
 *  @param x a tensor or a number
 *  @param y a tensor or a number
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_logaddexp(fa_arg x, fa_arg y, const fa_logaddexp_options *options);

/** fa_logaddexp() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_logaddexp_(fa_tensor *x, fa_arg y, const fa_logaddexp_options *options);

/** Options of fa_logaddexp2(). */
typedef struct fa_logaddexp2_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_logaddexp2_options;

/** log2(2^x + 2^y), without overflow.
 *
 *      fa_logaddexp2(x, y, .out = NULL)
 *
 *  @param x a tensor or a number
 *  @param y a tensor or a number
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_logaddexp2(fa_arg x, fa_arg y, const fa_logaddexp2_options *options);

/** fa_logaddexp2() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_logaddexp2_(fa_tensor *x, fa_arg y, const fa_logaddexp2_options *options);

/** Options of fa_xlogy(). */
typedef struct fa_xlogy_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_xlogy_options;

/** x * log(y); 0 where x is 0, unless y is NaN.
 *
 *      fa_xlogy(x, y, .out = NULL)
 *
 *  @param x a tensor or a number
 *  @param y a tensor or a number
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_xlogy(fa_arg x, fa_arg y, const fa_xlogy_options *options);

/** fa_xlogy() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_xlogy_(fa_tensor *x, fa_arg y, const fa_xlogy_options *options);

/** Options of fa_logit(). */
typedef struct fa_logit_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    double eps;     /**< see fa_logit() */
    char fa__end;   /**< the end of what this version knows */
} fa_logit_options;

/** log(x / (1 - x)). With eps >= 0 x is first held between eps and 1 - eps. Without eps the gradient at exactly 0 and 1
 *  is NaN.
 *
 *      fa_logit(x, .eps = -1, .out = NULL)
 *
 *  @param x a tensor
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_logit(const fa_tensor *x, const fa_logit_options *options);

/** fa_logit() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_logit_(fa_tensor *x, const fa_logit_options *options);

/** Options of fa_square(). */
typedef struct fa_square_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_square_options;

/** x * x. Integers stay integers.
 *
 *      fa_square(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_square(const fa_tensor *x, const fa_square_options *options);

/** fa_square() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_square_(fa_tensor *x, const fa_square_options *options);

/** Options of fa_rsqrt(). */
typedef struct fa_rsqrt_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_rsqrt_options;

/** 1 / sqrt(x).
 *
 *      fa_rsqrt(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_rsqrt(const fa_tensor *x, const fa_rsqrt_options *options);

/** fa_rsqrt() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_rsqrt_(fa_tensor *x, const fa_rsqrt_options *options);

/** Options of fa_hypot(). */
typedef struct fa_hypot_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_hypot_options;

/** sqrt(x * x + y * y), without overflow.
 *
 *      fa_hypot(x, y, .out = NULL)
 *
 *  @param x a tensor or a number
 *  @param y a tensor or a number
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_hypot(fa_arg x, fa_arg y, const fa_hypot_options *options);

/** fa_hypot() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_hypot_(fa_tensor *x, fa_arg y, const fa_hypot_options *options);

/** Options of fa_ldexp(). */
typedef struct fa_ldexp_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_ldexp_options;

/** x times 2 to the power y.
 *
 *      fa_ldexp(x, y, .out = NULL)
 *
 *  @param x a tensor or a number
 *  @param y a tensor or a number
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_ldexp(fa_arg x, fa_arg y, const fa_ldexp_options *options);

/** fa_ldexp() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_ldexp_(fa_tensor *x, fa_arg y, const fa_ldexp_options *options);

/** Options of fa_tan(). */
typedef struct fa_tan_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_tan_options;

/** The tangent of x, in radians.
 *
 *      fa_tan(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_tan(const fa_tensor *x, const fa_tan_options *options);

/** fa_tan() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_tan_(fa_tensor *x, const fa_tan_options *options);

/** Options of fa_asin(). */
typedef struct fa_asin_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_asin_options;

/** The angle from -pi/2 to pi/2 whose sine is x.
 *
 *      fa_asin(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_asin(const fa_tensor *x, const fa_asin_options *options);

/** fa_asin() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_asin_(fa_tensor *x, const fa_asin_options *options);

/** Options of fa_acos(). */
typedef struct fa_acos_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_acos_options;

/** The angle from 0 to pi whose cosine is x.
 *
 *      fa_acos(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_acos(const fa_tensor *x, const fa_acos_options *options);

/** fa_acos() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_acos_(fa_tensor *x, const fa_acos_options *options);

/** Options of fa_atan(). */
typedef struct fa_atan_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_atan_options;

/** The angle from -pi/2 to pi/2 whose tangent is x.
 *
 *      fa_atan(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_atan(const fa_tensor *x, const fa_atan_options *options);

/** fa_atan() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_atan_(fa_tensor *x, const fa_atan_options *options);

/** Options of fa_atan2(). */
typedef struct fa_atan2_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_atan2_options;

/** The angle from -pi to pi of the point whose coordinates are y and x: that of x / y, with the quadrant. The gradient
 *  is 0 at the origin.
 *
 *      fa_atan2(x, y, .out = NULL)
 *
 *  @param x a tensor or a number
 *  @param y a tensor or a number
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_atan2(fa_arg x, fa_arg y, const fa_atan2_options *options);

/** fa_atan2() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_atan2_(fa_tensor *x, fa_arg y, const fa_atan2_options *options);

/** Options of fa_sinc(). */
typedef struct fa_sinc_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_sinc_options;

/** sin(pi x) / (pi x), and 1 at 0.
 *
 *      fa_sinc(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_sinc(const fa_tensor *x, const fa_sinc_options *options);

/** fa_sinc() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_sinc_(fa_tensor *x, const fa_sinc_options *options);

/** Options of fa_deg2rad(). */
typedef struct fa_deg2rad_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_deg2rad_options;

/** Degrees to radians.
 *
 *      fa_deg2rad(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_deg2rad(const fa_tensor *x, const fa_deg2rad_options *options);

/** fa_deg2rad() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_deg2rad_(fa_tensor *x, const fa_deg2rad_options *options);

/** Options of fa_rad2deg(). */
typedef struct fa_rad2deg_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_rad2deg_options;

/** Radians to degrees.
 *
 *      fa_rad2deg(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_rad2deg(const fa_tensor *x, const fa_rad2deg_options *options);

/** fa_rad2deg() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_rad2deg_(fa_tensor *x, const fa_rad2deg_options *options);

/** Options of fa_sinh(). */
typedef struct fa_sinh_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_sinh_options;

/** The hyperbolic sine of x.
 *
 *      fa_sinh(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_sinh(const fa_tensor *x, const fa_sinh_options *options);

/** fa_sinh() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_sinh_(fa_tensor *x, const fa_sinh_options *options);

/** Options of fa_cosh(). */
typedef struct fa_cosh_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_cosh_options;

/** The hyperbolic cosine of x.
 *
 *      fa_cosh(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_cosh(const fa_tensor *x, const fa_cosh_options *options);

/** fa_cosh() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_cosh_(fa_tensor *x, const fa_cosh_options *options);

/** Options of fa_asinh(). */
typedef struct fa_asinh_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_asinh_options;

/** The inverse of the hyperbolic sine.
 *
 *      fa_asinh(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_asinh(const fa_tensor *x, const fa_asinh_options *options);

/** fa_asinh() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_asinh_(fa_tensor *x, const fa_asinh_options *options);

/** Options of fa_acosh(). */
typedef struct fa_acosh_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_acosh_options;

/** The inverse of the hyperbolic cosine, not negative; NaN for x < 1.
 *
 *      fa_acosh(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_acosh(const fa_tensor *x, const fa_acosh_options *options);

/** fa_acosh() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_acosh_(fa_tensor *x, const fa_acosh_options *options);

/** Options of fa_atanh(). */
typedef struct fa_atanh_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_atanh_options;

/** The inverse of the hyperbolic tangent.
 *
 *      fa_atanh(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_atanh(const fa_tensor *x, const fa_atanh_options *options);

/** fa_atanh() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_atanh_(fa_tensor *x, const fa_atanh_options *options);

/** Options of fa_erfc(). */
typedef struct fa_erfc_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_erfc_options;

/** 1 - erf(x), with all its digits for large x.
 *
 *      fa_erfc(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_erfc(const fa_tensor *x, const fa_erfc_options *options);

/** fa_erfc() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_erfc_(fa_tensor *x, const fa_erfc_options *options);

/** Options of fa_erfinv(). */
typedef struct fa_erfinv_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_erfinv_options;

/** The inverse of the error function; infinite at -1 and 1, NaN beyond.
 *
 *      fa_erfinv(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_erfinv(const fa_tensor *x, const fa_erfinv_options *options);

/** fa_erfinv() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_erfinv_(fa_tensor *x, const fa_erfinv_options *options);

/** Options of fa_lgamma(). */
typedef struct fa_lgamma_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_lgamma_options;

/** The logarithm of the magnitude of the gamma function.
 *
 *      fa_lgamma(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_lgamma(const fa_tensor *x, const fa_lgamma_options *options);

/** fa_lgamma() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_lgamma_(fa_tensor *x, const fa_lgamma_options *options);

/** Options of fa_digamma(). */
typedef struct fa_digamma_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_digamma_options;

/** The derivative of lgamma. Infinite at 0, NaN at negative integers.
 *
 *      fa_digamma(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_digamma(const fa_tensor *x, const fa_digamma_options *options);

/** fa_digamma() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_digamma_(fa_tensor *x, const fa_digamma_options *options);

/** Options of fa_polygamma(). */
typedef struct fa_polygamma_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_polygamma_options;

/** The n-th derivative of digamma at x, for an integer n >= 0; for x < 0 n may be at most 4, and NaN stands beyond.
 *
 *      fa_polygamma(n, x, .out = NULL)
 *
 *  @param n a tensor or a number
 *  @param x a tensor or a number
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_polygamma(fa_arg n, fa_arg x, const fa_polygamma_options *options);

/** fa_polygamma() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_polygamma_(fa_arg n, fa_tensor *x, const fa_polygamma_options *options);

/** Options of fa_floor(). */
typedef struct fa_floor_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_floor_options;

/** The largest integer that is not above x.
 *
 *      fa_floor(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_floor(const fa_tensor *x, const fa_floor_options *options);

/** fa_floor() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_floor_(fa_tensor *x, const fa_floor_options *options);

/** Options of fa_ceil(). */
typedef struct fa_ceil_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_ceil_options;

/** The smallest integer that is not below x.
 *
 *      fa_ceil(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_ceil(const fa_tensor *x, const fa_ceil_options *options);

/** fa_ceil() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_ceil_(fa_tensor *x, const fa_ceil_options *options);

/** Options of fa_trunc(). */
typedef struct fa_trunc_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_trunc_options;

/** x without what stands behind its point.
 *
 *      fa_trunc(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_trunc(const fa_tensor *x, const fa_trunc_options *options);

/** fa_trunc() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_trunc_(fa_tensor *x, const fa_trunc_options *options);

/** Options of fa_round(). */
typedef struct fa_round_options {
    size_t size;     /**< set by the macro */
    fa_tensor *out;  /**< where to write, instead of into new memory */
    double decimals; /**< see fa_round() */
    char fa__end;    /**< the end of what this version knows */
} fa_round_options;

/** x to so many decimal digits behind the point, or before it where `decimals` is negative; halves go to the even one.
 *
 *      fa_round(x, .decimals = 0, .out = NULL)
 *
 *  @param x a tensor
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_round(const fa_tensor *x, const fa_round_options *options);

/** fa_round() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_round_(fa_tensor *x, const fa_round_options *options);

/** Options of fa_frac(). */
typedef struct fa_frac_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_frac_options;

/** x - trunc(x).
 *
 *      fa_frac(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_frac(const fa_tensor *x, const fa_frac_options *options);

/** fa_frac() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_frac_(fa_tensor *x, const fa_frac_options *options);

/** Options of fa_floor_divide(). */
typedef struct fa_floor_divide_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_floor_divide_options;

/** The quotient as an integer, rounded down: what goes with remainder(). Integers stay integers, and are not
 *  divided by 0: an error, told by a device when it is waited for. Floats give infinity or NaN there.
 *
 *      fa_floor_divide(x, y, .out = NULL)
 *
 *  @param x a tensor or a number
 *  @param y a tensor or a number
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_floor_divide(fa_arg x, fa_arg y, const fa_floor_divide_options *options);

/** fa_floor_divide() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_floor_divide_(fa_tensor *x, fa_arg y, const fa_floor_divide_options *options);

/** Options of fa_trunc_divide(). */
typedef struct fa_trunc_divide_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_trunc_divide_options;

/** The quotient as an integer, rounded towards 0 as C's division: what goes with fmod(). Integers stay integers, and
 *  are not divided by 0: an error, told by a device when it is waited for. Floats give infinity or NaN there. The
 *  gradient is 0.
 *
 *      fa_trunc_divide(x, y, .out = NULL)
 *
 *  @param x what is divided
 *  @param y by this; both broadcast, and their dtypes promote
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_trunc_divide(fa_arg x, fa_arg y, const fa_trunc_divide_options *options);

/** fa_trunc_divide() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_trunc_divide_(fa_tensor *x, fa_arg y, const fa_trunc_divide_options *options);

/** Options of fa_remainder(). */
typedef struct fa_remainder_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_remainder_options;

/** x - y * floor_divide(x, y), with the sign of y, as Python's %. Integers stay integers;
 *  divided by 0 they are an error, as in floor_divide.
 *
 *      fa_remainder(x, y, .out = NULL)
 *
 *  @param x a tensor or a number
 *  @param y a tensor or a number
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_remainder(fa_arg x, fa_arg y, const fa_remainder_options *options);

/** fa_remainder() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_remainder_(fa_tensor *x, fa_arg y, const fa_remainder_options *options);

/** Options of fa_fmod(). */
typedef struct fa_fmod_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_fmod_options;

/** What is left of x after a division by y that is cut to an integer: with the sign of x, as C's fmod. Integers stay
 *  integers; divided by 0 they are an error, as in floor_divide.
 *
 *      fa_fmod(x, y, .out = NULL)
 *
 *  @param x a tensor or a number
 *  @param y a tensor or a number
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_fmod(fa_arg x, fa_arg y, const fa_fmod_options *options);

/** fa_fmod() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_fmod_(fa_tensor *x, fa_arg y, const fa_fmod_options *options);

/** Options of fa_sign(). */
typedef struct fa_sign_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_sign_options;

/** 1, -1 or 0, as x is positive, negative or neither; 0 for NaN, as in PyTorch.
 *
 *      fa_sign(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_sign(const fa_tensor *x, const fa_sign_options *options);

/** fa_sign() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_sign_(fa_tensor *x, const fa_sign_options *options);

/** Options of fa_signbit(). */
typedef struct fa_signbit_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_signbit_options;

/** true where the sign is negative: of -0 too.
 *
 *      fa_signbit(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_signbit(const fa_tensor *x, const fa_signbit_options *options);

/** fa_signbit() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_signbit_(fa_tensor *x, const fa_signbit_options *options);

/** Options of fa_copysign(). */
typedef struct fa_copysign_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_copysign_options;

/** |x| with the sign of y.
 *
 *      fa_copysign(x, y, .out = NULL)
 *
 *  @param x a tensor or a number
 *  @param y a tensor or a number
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_copysign(fa_arg x, fa_arg y, const fa_copysign_options *options);

/** fa_copysign() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_copysign_(fa_tensor *x, fa_arg y, const fa_copysign_options *options);

/** Options of fa_heaviside(). */
typedef struct fa_heaviside_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_heaviside_options;

/** 0 where x is negative, `values` where it is 0, 1 where it is positive; 0 for NaN.
 *
 *      fa_heaviside(x, values, .out = NULL)
 *
 *  @param x a tensor or a number
 *  @param values a tensor or a number
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_heaviside(fa_arg x, fa_arg values, const fa_heaviside_options *options);

/** fa_heaviside() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_heaviside_(fa_tensor *x, fa_arg values, const fa_heaviside_options *options);

/** Options of fa_fmax(). */
typedef struct fa_fmax_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_fmax_options;

/** The larger of x and y; the other one where one is NaN. Where they are equal both get half of the gradient.
 *
 *      fa_fmax(x, y, .out = NULL)
 *
 *  @param x a tensor or a number
 *  @param y a tensor or a number
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_fmax(fa_arg x, fa_arg y, const fa_fmax_options *options);

/** fa_fmax() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_fmax_(fa_tensor *x, fa_arg y, const fa_fmax_options *options);

/** Options of fa_fmin(). */
typedef struct fa_fmin_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_fmin_options;

/** The smaller of x and y; the other one where one is NaN. Where they are equal both get half of the gradient.
 *
 *      fa_fmin(x, y, .out = NULL)
 *
 *  @param x a tensor or a number
 *  @param y a tensor or a number
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_fmin(fa_arg x, fa_arg y, const fa_fmin_options *options);

/** fa_fmin() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_fmin_(fa_tensor *x, fa_arg y, const fa_fmin_options *options);

/** Options of fa_clamp_min(). */
typedef struct fa_clamp_min_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_clamp_min_options;

/** x, but at least `low`; NaN passes.
 *
 *      fa_clamp_min(x, low, .out = NULL)
 *
 *  @param x a tensor or a number
 *  @param low a tensor or a number
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_clamp_min(fa_arg x, fa_arg low, const fa_clamp_min_options *options);

/** fa_clamp_min() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_clamp_min_(fa_tensor *x, fa_arg low, const fa_clamp_min_options *options);

/** Options of fa_clamp_max(). */
typedef struct fa_clamp_max_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_clamp_max_options;

/** x, but at most `high`; NaN passes.
 *
 *      fa_clamp_max(x, high, .out = NULL)
 *
 *  @param x a tensor or a number
 *  @param high a tensor or a number
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_clamp_max(fa_arg x, fa_arg high, const fa_clamp_max_options *options);

/** fa_clamp_max() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_clamp_max_(fa_tensor *x, fa_arg high, const fa_clamp_max_options *options);

/** Options of fa_lerp(). */
typedef struct fa_lerp_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_lerp_options;

/** x + weight * (end - x): x for weight 0, end for weight 1.
 *
 *      fa_lerp(x, end, weight, .out = NULL)
 *
 *  @param x a tensor or a number
 *  @param end a tensor or a number
 *  @param weight a tensor or a number
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_lerp(fa_arg x, fa_arg end, fa_arg weight, const fa_lerp_options *options);

/** fa_lerp() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_lerp_(fa_tensor *x, fa_arg end, fa_arg weight, const fa_lerp_options *options);

/** Options of fa_addcmul(). */
typedef struct fa_addcmul_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    double value;   /**< see fa_addcmul() */
    char fa__end;   /**< the end of what this version knows */
} fa_addcmul_options;

/** x + value * a * b. value has to be an integer when the operands are.
 *
 *      fa_addcmul(x, a, b, .value = 1, .out = NULL)
 *
 *  @param x a tensor or a number
 *  @param a a tensor or a number
 *  @param b a tensor or a number
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_addcmul(fa_arg x, fa_arg a, fa_arg b, const fa_addcmul_options *options);

/** fa_addcmul() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_addcmul_(fa_tensor *x, fa_arg a, fa_arg b, const fa_addcmul_options *options);

/** Options of fa_addcdiv(). */
typedef struct fa_addcdiv_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    double value;   /**< see fa_addcdiv() */
    char fa__end;   /**< the end of what this version knows */
} fa_addcdiv_options;

/** x + value * a / b.
 *
 *      fa_addcdiv(x, a, b, .value = 1, .out = NULL)
 *
 *  @param x a tensor or a number
 *  @param a a tensor or a number
 *  @param b a tensor or a number
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_addcdiv(fa_arg x, fa_arg a, fa_arg b, const fa_addcdiv_options *options);

/** fa_addcdiv() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_addcdiv_(fa_tensor *x, fa_arg a, fa_arg b, const fa_addcdiv_options *options);

/** @cond */
/* How named options, and numbers in the place of tensors, reach the functions above. */
#define FA__DEFAULT_fa_exp2 {offsetof(fa_exp2_options, fa__end), NULL, 0}
#define fa_exp2(...) FA__CALL1(fa_exp2, FA__SAME, __VA_ARGS__)
typedef fa_exp2_options fa_exp2__options;
#define FA__DEFAULT_fa_exp2_ FA__DEFAULT_fa_exp2
#define fa_exp2_(...) FA__CALL1(fa_exp2_, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_expm1 {offsetof(fa_expm1_options, fa__end), NULL, 0}
#define fa_expm1(...) FA__CALL1(fa_expm1, FA__SAME, __VA_ARGS__)
typedef fa_expm1_options fa_expm1__options;
#define FA__DEFAULT_fa_expm1_ FA__DEFAULT_fa_expm1
#define fa_expm1_(...) FA__CALL1(fa_expm1_, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_log2 {offsetof(fa_log2_options, fa__end), NULL, 0}
#define fa_log2(...) FA__CALL1(fa_log2, FA__SAME, __VA_ARGS__)
typedef fa_log2_options fa_log2__options;
#define FA__DEFAULT_fa_log2_ FA__DEFAULT_fa_log2
#define fa_log2_(...) FA__CALL1(fa_log2_, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_log10 {offsetof(fa_log10_options, fa__end), NULL, 0}
#define fa_log10(...) FA__CALL1(fa_log10, FA__SAME, __VA_ARGS__)
typedef fa_log10_options fa_log10__options;
#define FA__DEFAULT_fa_log10_ FA__DEFAULT_fa_log10
#define fa_log10_(...) FA__CALL1(fa_log10_, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_log1p {offsetof(fa_log1p_options, fa__end), NULL, 0}
#define fa_log1p(...) FA__CALL1(fa_log1p, FA__SAME, __VA_ARGS__)
typedef fa_log1p_options fa_log1p__options;
#define FA__DEFAULT_fa_log1p_ FA__DEFAULT_fa_log1p
#define fa_log1p_(...) FA__CALL1(fa_log1p_, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_logaddexp {offsetof(fa_logaddexp_options, fa__end), NULL, 0}
#define fa_logaddexp(...) FA__CALL2(fa_logaddexp, FA__ARG, FA__ARG, __VA_ARGS__)
typedef fa_logaddexp_options fa_logaddexp__options;
#define FA__DEFAULT_fa_logaddexp_ FA__DEFAULT_fa_logaddexp
#define fa_logaddexp_(...) FA__CALL2(fa_logaddexp_, FA__SAME, FA__ARG, __VA_ARGS__)
#define FA__DEFAULT_fa_logaddexp2 {offsetof(fa_logaddexp2_options, fa__end), NULL, 0}
#define fa_logaddexp2(...) FA__CALL2(fa_logaddexp2, FA__ARG, FA__ARG, __VA_ARGS__)
typedef fa_logaddexp2_options fa_logaddexp2__options;
#define FA__DEFAULT_fa_logaddexp2_ FA__DEFAULT_fa_logaddexp2
#define fa_logaddexp2_(...) FA__CALL2(fa_logaddexp2_, FA__SAME, FA__ARG, __VA_ARGS__)
#define FA__DEFAULT_fa_xlogy {offsetof(fa_xlogy_options, fa__end), NULL, 0}
#define fa_xlogy(...) FA__CALL2(fa_xlogy, FA__ARG, FA__ARG, __VA_ARGS__)
typedef fa_xlogy_options fa_xlogy__options;
#define FA__DEFAULT_fa_xlogy_ FA__DEFAULT_fa_xlogy
#define fa_xlogy_(...) FA__CALL2(fa_xlogy_, FA__SAME, FA__ARG, __VA_ARGS__)
#define FA__DEFAULT_fa_logit {offsetof(fa_logit_options, fa__end), NULL, -1, 0}
#define fa_logit(...) FA__CALL1(fa_logit, FA__SAME, __VA_ARGS__)
typedef fa_logit_options fa_logit__options;
#define FA__DEFAULT_fa_logit_ FA__DEFAULT_fa_logit
#define fa_logit_(...) FA__CALL1(fa_logit_, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_square {offsetof(fa_square_options, fa__end), NULL, 0}
#define fa_square(...) FA__CALL1(fa_square, FA__SAME, __VA_ARGS__)
typedef fa_square_options fa_square__options;
#define FA__DEFAULT_fa_square_ FA__DEFAULT_fa_square
#define fa_square_(...) FA__CALL1(fa_square_, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_rsqrt {offsetof(fa_rsqrt_options, fa__end), NULL, 0}
#define fa_rsqrt(...) FA__CALL1(fa_rsqrt, FA__SAME, __VA_ARGS__)
typedef fa_rsqrt_options fa_rsqrt__options;
#define FA__DEFAULT_fa_rsqrt_ FA__DEFAULT_fa_rsqrt
#define fa_rsqrt_(...) FA__CALL1(fa_rsqrt_, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_hypot {offsetof(fa_hypot_options, fa__end), NULL, 0}
#define fa_hypot(...) FA__CALL2(fa_hypot, FA__ARG, FA__ARG, __VA_ARGS__)
typedef fa_hypot_options fa_hypot__options;
#define FA__DEFAULT_fa_hypot_ FA__DEFAULT_fa_hypot
#define fa_hypot_(...) FA__CALL2(fa_hypot_, FA__SAME, FA__ARG, __VA_ARGS__)
#define FA__DEFAULT_fa_ldexp {offsetof(fa_ldexp_options, fa__end), NULL, 0}
#define fa_ldexp(...) FA__CALL2(fa_ldexp, FA__ARG, FA__ARG, __VA_ARGS__)
typedef fa_ldexp_options fa_ldexp__options;
#define FA__DEFAULT_fa_ldexp_ FA__DEFAULT_fa_ldexp
#define fa_ldexp_(...) FA__CALL2(fa_ldexp_, FA__SAME, FA__ARG, __VA_ARGS__)
#define FA__DEFAULT_fa_tan {offsetof(fa_tan_options, fa__end), NULL, 0}
#define fa_tan(...) FA__CALL1(fa_tan, FA__SAME, __VA_ARGS__)
typedef fa_tan_options fa_tan__options;
#define FA__DEFAULT_fa_tan_ FA__DEFAULT_fa_tan
#define fa_tan_(...) FA__CALL1(fa_tan_, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_asin {offsetof(fa_asin_options, fa__end), NULL, 0}
#define fa_asin(...) FA__CALL1(fa_asin, FA__SAME, __VA_ARGS__)
typedef fa_asin_options fa_asin__options;
#define FA__DEFAULT_fa_asin_ FA__DEFAULT_fa_asin
#define fa_asin_(...) FA__CALL1(fa_asin_, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_acos {offsetof(fa_acos_options, fa__end), NULL, 0}
#define fa_acos(...) FA__CALL1(fa_acos, FA__SAME, __VA_ARGS__)
typedef fa_acos_options fa_acos__options;
#define FA__DEFAULT_fa_acos_ FA__DEFAULT_fa_acos
#define fa_acos_(...) FA__CALL1(fa_acos_, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_atan {offsetof(fa_atan_options, fa__end), NULL, 0}
#define fa_atan(...) FA__CALL1(fa_atan, FA__SAME, __VA_ARGS__)
typedef fa_atan_options fa_atan__options;
#define FA__DEFAULT_fa_atan_ FA__DEFAULT_fa_atan
#define fa_atan_(...) FA__CALL1(fa_atan_, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_atan2 {offsetof(fa_atan2_options, fa__end), NULL, 0}
#define fa_atan2(...) FA__CALL2(fa_atan2, FA__ARG, FA__ARG, __VA_ARGS__)
typedef fa_atan2_options fa_atan2__options;
#define FA__DEFAULT_fa_atan2_ FA__DEFAULT_fa_atan2
#define fa_atan2_(...) FA__CALL2(fa_atan2_, FA__SAME, FA__ARG, __VA_ARGS__)
#define FA__DEFAULT_fa_sinc {offsetof(fa_sinc_options, fa__end), NULL, 0}
#define fa_sinc(...) FA__CALL1(fa_sinc, FA__SAME, __VA_ARGS__)
typedef fa_sinc_options fa_sinc__options;
#define FA__DEFAULT_fa_sinc_ FA__DEFAULT_fa_sinc
#define fa_sinc_(...) FA__CALL1(fa_sinc_, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_deg2rad {offsetof(fa_deg2rad_options, fa__end), NULL, 0}
#define fa_deg2rad(...) FA__CALL1(fa_deg2rad, FA__SAME, __VA_ARGS__)
typedef fa_deg2rad_options fa_deg2rad__options;
#define FA__DEFAULT_fa_deg2rad_ FA__DEFAULT_fa_deg2rad
#define fa_deg2rad_(...) FA__CALL1(fa_deg2rad_, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_rad2deg {offsetof(fa_rad2deg_options, fa__end), NULL, 0}
#define fa_rad2deg(...) FA__CALL1(fa_rad2deg, FA__SAME, __VA_ARGS__)
typedef fa_rad2deg_options fa_rad2deg__options;
#define FA__DEFAULT_fa_rad2deg_ FA__DEFAULT_fa_rad2deg
#define fa_rad2deg_(...) FA__CALL1(fa_rad2deg_, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_sinh {offsetof(fa_sinh_options, fa__end), NULL, 0}
#define fa_sinh(...) FA__CALL1(fa_sinh, FA__SAME, __VA_ARGS__)
typedef fa_sinh_options fa_sinh__options;
#define FA__DEFAULT_fa_sinh_ FA__DEFAULT_fa_sinh
#define fa_sinh_(...) FA__CALL1(fa_sinh_, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_cosh {offsetof(fa_cosh_options, fa__end), NULL, 0}
#define fa_cosh(...) FA__CALL1(fa_cosh, FA__SAME, __VA_ARGS__)
typedef fa_cosh_options fa_cosh__options;
#define FA__DEFAULT_fa_cosh_ FA__DEFAULT_fa_cosh
#define fa_cosh_(...) FA__CALL1(fa_cosh_, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_asinh {offsetof(fa_asinh_options, fa__end), NULL, 0}
#define fa_asinh(...) FA__CALL1(fa_asinh, FA__SAME, __VA_ARGS__)
typedef fa_asinh_options fa_asinh__options;
#define FA__DEFAULT_fa_asinh_ FA__DEFAULT_fa_asinh
#define fa_asinh_(...) FA__CALL1(fa_asinh_, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_acosh {offsetof(fa_acosh_options, fa__end), NULL, 0}
#define fa_acosh(...) FA__CALL1(fa_acosh, FA__SAME, __VA_ARGS__)
typedef fa_acosh_options fa_acosh__options;
#define FA__DEFAULT_fa_acosh_ FA__DEFAULT_fa_acosh
#define fa_acosh_(...) FA__CALL1(fa_acosh_, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_atanh {offsetof(fa_atanh_options, fa__end), NULL, 0}
#define fa_atanh(...) FA__CALL1(fa_atanh, FA__SAME, __VA_ARGS__)
typedef fa_atanh_options fa_atanh__options;
#define FA__DEFAULT_fa_atanh_ FA__DEFAULT_fa_atanh
#define fa_atanh_(...) FA__CALL1(fa_atanh_, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_erfc {offsetof(fa_erfc_options, fa__end), NULL, 0}
#define fa_erfc(...) FA__CALL1(fa_erfc, FA__SAME, __VA_ARGS__)
typedef fa_erfc_options fa_erfc__options;
#define FA__DEFAULT_fa_erfc_ FA__DEFAULT_fa_erfc
#define fa_erfc_(...) FA__CALL1(fa_erfc_, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_erfinv {offsetof(fa_erfinv_options, fa__end), NULL, 0}
#define fa_erfinv(...) FA__CALL1(fa_erfinv, FA__SAME, __VA_ARGS__)
typedef fa_erfinv_options fa_erfinv__options;
#define FA__DEFAULT_fa_erfinv_ FA__DEFAULT_fa_erfinv
#define fa_erfinv_(...) FA__CALL1(fa_erfinv_, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_lgamma {offsetof(fa_lgamma_options, fa__end), NULL, 0}
#define fa_lgamma(...) FA__CALL1(fa_lgamma, FA__SAME, __VA_ARGS__)
typedef fa_lgamma_options fa_lgamma__options;
#define FA__DEFAULT_fa_lgamma_ FA__DEFAULT_fa_lgamma
#define fa_lgamma_(...) FA__CALL1(fa_lgamma_, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_digamma {offsetof(fa_digamma_options, fa__end), NULL, 0}
#define fa_digamma(...) FA__CALL1(fa_digamma, FA__SAME, __VA_ARGS__)
typedef fa_digamma_options fa_digamma__options;
#define FA__DEFAULT_fa_digamma_ FA__DEFAULT_fa_digamma
#define fa_digamma_(...) FA__CALL1(fa_digamma_, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_polygamma {offsetof(fa_polygamma_options, fa__end), NULL, 0}
#define fa_polygamma(...) FA__CALL2(fa_polygamma, FA__ARG, FA__ARG, __VA_ARGS__)
typedef fa_polygamma_options fa_polygamma__options;
#define FA__DEFAULT_fa_polygamma_ FA__DEFAULT_fa_polygamma
#define fa_polygamma_(...) FA__CALL2(fa_polygamma_, FA__ARG, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_floor {offsetof(fa_floor_options, fa__end), NULL, 0}
#define fa_floor(...) FA__CALL1(fa_floor, FA__SAME, __VA_ARGS__)
typedef fa_floor_options fa_floor__options;
#define FA__DEFAULT_fa_floor_ FA__DEFAULT_fa_floor
#define fa_floor_(...) FA__CALL1(fa_floor_, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_ceil {offsetof(fa_ceil_options, fa__end), NULL, 0}
#define fa_ceil(...) FA__CALL1(fa_ceil, FA__SAME, __VA_ARGS__)
typedef fa_ceil_options fa_ceil__options;
#define FA__DEFAULT_fa_ceil_ FA__DEFAULT_fa_ceil
#define fa_ceil_(...) FA__CALL1(fa_ceil_, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_trunc {offsetof(fa_trunc_options, fa__end), NULL, 0}
#define fa_trunc(...) FA__CALL1(fa_trunc, FA__SAME, __VA_ARGS__)
typedef fa_trunc_options fa_trunc__options;
#define FA__DEFAULT_fa_trunc_ FA__DEFAULT_fa_trunc
#define fa_trunc_(...) FA__CALL1(fa_trunc_, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_round {offsetof(fa_round_options, fa__end), NULL, 0, 0}
#define fa_round(...) FA__CALL1(fa_round, FA__SAME, __VA_ARGS__)
typedef fa_round_options fa_round__options;
#define FA__DEFAULT_fa_round_ FA__DEFAULT_fa_round
#define fa_round_(...) FA__CALL1(fa_round_, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_frac {offsetof(fa_frac_options, fa__end), NULL, 0}
#define fa_frac(...) FA__CALL1(fa_frac, FA__SAME, __VA_ARGS__)
typedef fa_frac_options fa_frac__options;
#define FA__DEFAULT_fa_frac_ FA__DEFAULT_fa_frac
#define fa_frac_(...) FA__CALL1(fa_frac_, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_floor_divide {offsetof(fa_floor_divide_options, fa__end), NULL, 0}
#define fa_floor_divide(...) FA__CALL2(fa_floor_divide, FA__ARG, FA__ARG, __VA_ARGS__)
typedef fa_floor_divide_options fa_floor_divide__options;
#define FA__DEFAULT_fa_floor_divide_ FA__DEFAULT_fa_floor_divide
#define fa_floor_divide_(...) FA__CALL2(fa_floor_divide_, FA__SAME, FA__ARG, __VA_ARGS__)
#define FA__DEFAULT_fa_trunc_divide {offsetof(fa_trunc_divide_options, fa__end), NULL, 0}
#define fa_trunc_divide(...) FA__CALL2(fa_trunc_divide, FA__ARG, FA__ARG, __VA_ARGS__)
typedef fa_trunc_divide_options fa_trunc_divide__options;
#define FA__DEFAULT_fa_trunc_divide_ FA__DEFAULT_fa_trunc_divide
#define fa_trunc_divide_(...) FA__CALL2(fa_trunc_divide_, FA__SAME, FA__ARG, __VA_ARGS__)
#define FA__DEFAULT_fa_remainder {offsetof(fa_remainder_options, fa__end), NULL, 0}
#define fa_remainder(...) FA__CALL2(fa_remainder, FA__ARG, FA__ARG, __VA_ARGS__)
typedef fa_remainder_options fa_remainder__options;
#define FA__DEFAULT_fa_remainder_ FA__DEFAULT_fa_remainder
#define fa_remainder_(...) FA__CALL2(fa_remainder_, FA__SAME, FA__ARG, __VA_ARGS__)
#define FA__DEFAULT_fa_fmod {offsetof(fa_fmod_options, fa__end), NULL, 0}
#define fa_fmod(...) FA__CALL2(fa_fmod, FA__ARG, FA__ARG, __VA_ARGS__)
typedef fa_fmod_options fa_fmod__options;
#define FA__DEFAULT_fa_fmod_ FA__DEFAULT_fa_fmod
#define fa_fmod_(...) FA__CALL2(fa_fmod_, FA__SAME, FA__ARG, __VA_ARGS__)
#define FA__DEFAULT_fa_sign {offsetof(fa_sign_options, fa__end), NULL, 0}
#define fa_sign(...) FA__CALL1(fa_sign, FA__SAME, __VA_ARGS__)
typedef fa_sign_options fa_sign__options;
#define FA__DEFAULT_fa_sign_ FA__DEFAULT_fa_sign
#define fa_sign_(...) FA__CALL1(fa_sign_, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_signbit {offsetof(fa_signbit_options, fa__end), NULL, 0}
#define fa_signbit(...) FA__CALL1(fa_signbit, FA__SAME, __VA_ARGS__)
typedef fa_signbit_options fa_signbit__options;
#define FA__DEFAULT_fa_signbit_ FA__DEFAULT_fa_signbit
#define fa_signbit_(...) FA__CALL1(fa_signbit_, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_copysign {offsetof(fa_copysign_options, fa__end), NULL, 0}
#define fa_copysign(...) FA__CALL2(fa_copysign, FA__ARG, FA__ARG, __VA_ARGS__)
typedef fa_copysign_options fa_copysign__options;
#define FA__DEFAULT_fa_copysign_ FA__DEFAULT_fa_copysign
#define fa_copysign_(...) FA__CALL2(fa_copysign_, FA__SAME, FA__ARG, __VA_ARGS__)
#define FA__DEFAULT_fa_heaviside {offsetof(fa_heaviside_options, fa__end), NULL, 0}
#define fa_heaviside(...) FA__CALL2(fa_heaviside, FA__ARG, FA__ARG, __VA_ARGS__)
typedef fa_heaviside_options fa_heaviside__options;
#define FA__DEFAULT_fa_heaviside_ FA__DEFAULT_fa_heaviside
#define fa_heaviside_(...) FA__CALL2(fa_heaviside_, FA__SAME, FA__ARG, __VA_ARGS__)
#define FA__DEFAULT_fa_fmax {offsetof(fa_fmax_options, fa__end), NULL, 0}
#define fa_fmax(...) FA__CALL2(fa_fmax, FA__ARG, FA__ARG, __VA_ARGS__)
typedef fa_fmax_options fa_fmax__options;
#define FA__DEFAULT_fa_fmax_ FA__DEFAULT_fa_fmax
#define fa_fmax_(...) FA__CALL2(fa_fmax_, FA__SAME, FA__ARG, __VA_ARGS__)
#define FA__DEFAULT_fa_fmin {offsetof(fa_fmin_options, fa__end), NULL, 0}
#define fa_fmin(...) FA__CALL2(fa_fmin, FA__ARG, FA__ARG, __VA_ARGS__)
typedef fa_fmin_options fa_fmin__options;
#define FA__DEFAULT_fa_fmin_ FA__DEFAULT_fa_fmin
#define fa_fmin_(...) FA__CALL2(fa_fmin_, FA__SAME, FA__ARG, __VA_ARGS__)
#define FA__DEFAULT_fa_clamp_min {offsetof(fa_clamp_min_options, fa__end), NULL, 0}
#define fa_clamp_min(...) FA__CALL2(fa_clamp_min, FA__ARG, FA__ARG, __VA_ARGS__)
typedef fa_clamp_min_options fa_clamp_min__options;
#define FA__DEFAULT_fa_clamp_min_ FA__DEFAULT_fa_clamp_min
#define fa_clamp_min_(...) FA__CALL2(fa_clamp_min_, FA__SAME, FA__ARG, __VA_ARGS__)
#define FA__DEFAULT_fa_clamp_max {offsetof(fa_clamp_max_options, fa__end), NULL, 0}
#define fa_clamp_max(...) FA__CALL2(fa_clamp_max, FA__ARG, FA__ARG, __VA_ARGS__)
typedef fa_clamp_max_options fa_clamp_max__options;
#define FA__DEFAULT_fa_clamp_max_ FA__DEFAULT_fa_clamp_max
#define fa_clamp_max_(...) FA__CALL2(fa_clamp_max_, FA__SAME, FA__ARG, __VA_ARGS__)
#define FA__DEFAULT_fa_lerp {offsetof(fa_lerp_options, fa__end), NULL, 0}
#define fa_lerp(...) FA__CALL3(fa_lerp, FA__ARG, FA__ARG, FA__ARG, __VA_ARGS__)
typedef fa_lerp_options fa_lerp__options;
#define FA__DEFAULT_fa_lerp_ FA__DEFAULT_fa_lerp
#define fa_lerp_(...) FA__CALL3(fa_lerp_, FA__SAME, FA__ARG, FA__ARG, __VA_ARGS__)
#define FA__DEFAULT_fa_addcmul {offsetof(fa_addcmul_options, fa__end), NULL, 1, 0}
#define fa_addcmul(...) FA__CALL3(fa_addcmul, FA__ARG, FA__ARG, FA__ARG, __VA_ARGS__)
typedef fa_addcmul_options fa_addcmul__options;
#define FA__DEFAULT_fa_addcmul_ FA__DEFAULT_fa_addcmul
#define fa_addcmul_(...) FA__CALL3(fa_addcmul_, FA__SAME, FA__ARG, FA__ARG, __VA_ARGS__)
#define FA__DEFAULT_fa_addcdiv {offsetof(fa_addcdiv_options, fa__end), NULL, 1, 0}
#define fa_addcdiv(...) FA__CALL3(fa_addcdiv, FA__ARG, FA__ARG, FA__ARG, __VA_ARGS__)
typedef fa_addcdiv_options fa_addcdiv__options;
#define FA__DEFAULT_fa_addcdiv_ FA__DEFAULT_fa_addcdiv
#define fa_addcdiv_(...) FA__CALL3(fa_addcdiv_, FA__SAME, FA__ARG, FA__ARG, __VA_ARGS__)
/** @endcond */

FA__END
#endif
