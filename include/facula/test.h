/** @file
 *  Tests of elements, logic, and bits of integers: element by element. Tests give bool.
 *
 *  Written by facula-rows from src/ops/test.c: edit there. */
/* clang-format off */
#ifndef FACULA_TEST_H
#define FACULA_TEST_H
#include <facula/types.h>
#include <math.h>

FA__BEGIN

/** Options of fa_isnan(). */
typedef struct fa_isnan_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_isnan_options;

/** true where x is NaN.
 *
 *      fa_isnan(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_isnan(const fa_tensor *x, const fa_isnan_options *options);

/** fa_isnan() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_isnan_(fa_tensor *x, const fa_isnan_options *options);

/** Options of fa_isinf(). */
typedef struct fa_isinf_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_isinf_options;

/** true where x is infinite.
 *
 *      fa_isinf(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_isinf(const fa_tensor *x, const fa_isinf_options *options);

/** fa_isinf() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_isinf_(fa_tensor *x, const fa_isinf_options *options);

/** Options of fa_isfinite(). */
typedef struct fa_isfinite_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_isfinite_options;

/** true where x is neither infinite nor NaN.
 *
 *      fa_isfinite(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_isfinite(const fa_tensor *x, const fa_isfinite_options *options);

/** fa_isfinite() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_isfinite_(fa_tensor *x, const fa_isfinite_options *options);

/** Options of fa_isposinf(). */
typedef struct fa_isposinf_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_isposinf_options;

/** true where x is infinite and positive.
 *
 *      fa_isposinf(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_isposinf(const fa_tensor *x, const fa_isposinf_options *options);

/** fa_isposinf() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_isposinf_(fa_tensor *x, const fa_isposinf_options *options);

/** Options of fa_isneginf(). */
typedef struct fa_isneginf_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_isneginf_options;

/** true where x is infinite and negative.
 *
 *      fa_isneginf(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_isneginf(const fa_tensor *x, const fa_isneginf_options *options);

/** fa_isneginf() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_isneginf_(fa_tensor *x, const fa_isneginf_options *options);

/** Options of fa_isclose(). */
typedef struct fa_isclose_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    double rtol;    /**< see fa_isclose() */
    double atol;    /**< see fa_isclose() */
    bool equal_nan; /**< see fa_isclose() */
    char fa__end;   /**< the end of what this version knows */
} fa_isclose_options;

/** true where |x - y| is at most atol + rtol * |y|; equal infinities are close, NaN only with equal_nan.
 *
 *      fa_isclose(x, y, .rtol = 1e-5, .atol = 1e-8, .equal_nan = false, .out = NULL)
 *
 *  @param x a tensor or a number
 *  @param y a tensor or a number
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_isclose(fa_arg x, fa_arg y, const fa_isclose_options *options);

/** fa_isclose() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_isclose_(fa_tensor *x, fa_arg y, const fa_isclose_options *options);

/** Options of fa_allclose(). */
typedef struct fa_allclose_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    double rtol;    /**< as for fa_isclose() */
    double atol;    /**< as for fa_isclose() */
    bool equal_nan; /**< as for fa_isclose() */
    char fa__end;   /**< the end of what this version knows */
} fa_allclose_options;

/** Whether all elements are close as isclose() has it: a bool without dimensions.
 *
 *      fa_allclose(x, y, .rtol = 1e-5, .atol = 1e-8, .equal_nan = false, .out = NULL)
 *
 *  @param x any dtype
 *  @param y of a shape that goes with x
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_allclose(const fa_tensor *x, const fa_tensor *y, const fa_allclose_options *options);

/** Options of fa_equal(). */
typedef struct fa_equal_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_equal_options;

/** Whether two tensors have the same shape and equal elements: a bool without dimensions.
 *
 *      fa_equal(x, y, .out = NULL)
 *
 *  @param x any dtype
 *  @param y of any shape
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_equal(const fa_tensor *x, const fa_tensor *y, const fa_equal_options *options);

/** Options of fa_nan_to_num(). */
typedef struct fa_nan_to_num_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    double nan;     /**< what stands for NaN */
    double posinf;  /**< for infinity; infinity itself: the largest number of the dtype */
    double neginf;  /**< for -infinity; -infinity itself: the smallest number of the dtype */
    char fa__end;   /**< the end of what this version knows */
} fa_nan_to_num_options;

/** x with numbers in the place of NaN and infinities: 0, and the largest and smallest of the dtype.
 *
 *      fa_nan_to_num(x, .nan = 0.0, .posinf = INFINITY, .neginf = -INFINITY, .out = NULL)
 *
 *  @param x any dtype; integers stay as they are
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_nan_to_num(const fa_tensor *x, const fa_nan_to_num_options *options);

/** Options of fa_logical_and(). */
typedef struct fa_logical_and_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_logical_and_options;

/** true where neither x nor y is 0.
 *
 *      fa_logical_and(x, y, .out = NULL)
 *
 *  @param x a tensor or a number
 *  @param y a tensor or a number
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_logical_and(fa_arg x, fa_arg y, const fa_logical_and_options *options);

/** fa_logical_and() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_logical_and_(fa_tensor *x, fa_arg y, const fa_logical_and_options *options);

/** Options of fa_logical_or(). */
typedef struct fa_logical_or_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_logical_or_options;

/** true where x or y is not 0.
 *
 *      fa_logical_or(x, y, .out = NULL)
 *
 *  @param x a tensor or a number
 *  @param y a tensor or a number
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_logical_or(fa_arg x, fa_arg y, const fa_logical_or_options *options);

/** fa_logical_or() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_logical_or_(fa_tensor *x, fa_arg y, const fa_logical_or_options *options);

/** Options of fa_logical_xor(). */
typedef struct fa_logical_xor_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_logical_xor_options;

/** true where one of x and y is 0, and the other is not.
 *
 *      fa_logical_xor(x, y, .out = NULL)
 *
 *  @param x a tensor or a number
 *  @param y a tensor or a number
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_logical_xor(fa_arg x, fa_arg y, const fa_logical_xor_options *options);

/** fa_logical_xor() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_logical_xor_(fa_tensor *x, fa_arg y, const fa_logical_xor_options *options);

/** Options of fa_logical_not(). */
typedef struct fa_logical_not_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_logical_not_options;

/** true where x is 0.
 *
 *      fa_logical_not(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_logical_not(const fa_tensor *x, const fa_logical_not_options *options);

/** fa_logical_not() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_logical_not_(fa_tensor *x, const fa_logical_not_options *options);

/** Options of fa_bitwise_and(). */
typedef struct fa_bitwise_and_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_bitwise_and_options;

/** The bits that x and y both have. Floats are an error.
 *
 *      fa_bitwise_and(x, y, .out = NULL)
 *
 *  @param x a tensor or a number
 *  @param y a tensor or a number
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_bitwise_and(fa_arg x, fa_arg y, const fa_bitwise_and_options *options);

/** fa_bitwise_and() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_bitwise_and_(fa_tensor *x, fa_arg y, const fa_bitwise_and_options *options);

/** Options of fa_bitwise_or(). */
typedef struct fa_bitwise_or_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_bitwise_or_options;

/** The bits that x or y has. Floats are an error.
 *
 *      fa_bitwise_or(x, y, .out = NULL)
 *
 *  @param x a tensor or a number
 *  @param y a tensor or a number
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_bitwise_or(fa_arg x, fa_arg y, const fa_bitwise_or_options *options);

/** fa_bitwise_or() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_bitwise_or_(fa_tensor *x, fa_arg y, const fa_bitwise_or_options *options);

/** Options of fa_bitwise_xor(). */
typedef struct fa_bitwise_xor_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_bitwise_xor_options;

/** The bits that one of x and y has. Floats are an error.
 *
 *      fa_bitwise_xor(x, y, .out = NULL)
 *
 *  @param x a tensor or a number
 *  @param y a tensor or a number
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_bitwise_xor(fa_arg x, fa_arg y, const fa_bitwise_xor_options *options);

/** fa_bitwise_xor() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_bitwise_xor_(fa_tensor *x, fa_arg y, const fa_bitwise_xor_options *options);

/** Options of fa_bitwise_not(). */
typedef struct fa_bitwise_not_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_bitwise_not_options;

/** The bits that x has not got; of bool the other one. Floats are an error.
 *
 *      fa_bitwise_not(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_bitwise_not(const fa_tensor *x, const fa_bitwise_not_options *options);

/** fa_bitwise_not() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_bitwise_not_(fa_tensor *x, const fa_bitwise_not_options *options);

/** Options of fa_bitwise_left_shift(). */
typedef struct fa_bitwise_left_shift_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_bitwise_left_shift_options;

/** x times 2 to the power y, by shifting; 0 where y is negative, or not below the number of bits. Floats are an error.
 *
 *      fa_bitwise_left_shift(x, y, .out = NULL)
 *
 *  @param x a tensor or a number
 *  @param y a tensor or a number
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_bitwise_left_shift(fa_arg x, fa_arg y, const fa_bitwise_left_shift_options *options);

/** fa_bitwise_left_shift() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_bitwise_left_shift_(fa_tensor *x, fa_arg y, const fa_bitwise_left_shift_options *options);

/** Options of fa_bitwise_right_shift(). */
typedef struct fa_bitwise_right_shift_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_bitwise_right_shift_options;

/** x by 2 to the power y, rounded down, by shifting; 0 or -1 where y is negative, or not below the number of bits.
 *  Floats are an error.
 *
 *      fa_bitwise_right_shift(x, y, .out = NULL)
 *
 *  @param x a tensor or a number
 *  @param y a tensor or a number
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_bitwise_right_shift(fa_arg x, fa_arg y, const fa_bitwise_right_shift_options *options);

/** fa_bitwise_right_shift() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_bitwise_right_shift_(fa_tensor *x, fa_arg y, const fa_bitwise_right_shift_options *options);

/** Options of fa_gcd(). */
typedef struct fa_gcd_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_gcd_options;

/** The largest integer that divides x and y; not negative. Floats are an error.
 *
 *      fa_gcd(x, y, .out = NULL)
 *
 *  @param x a tensor or a number
 *  @param y a tensor or a number
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_gcd(fa_arg x, fa_arg y, const fa_gcd_options *options);

/** fa_gcd() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_gcd_(fa_tensor *x, fa_arg y, const fa_gcd_options *options);

/** Options of fa_lcm(). */
typedef struct fa_lcm_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_lcm_options;

/** The smallest positive integer that x and y divide; 0 where one is 0. Floats are an error.
 *
 *      fa_lcm(x, y, .out = NULL)
 *
 *  @param x a tensor or a number
 *  @param y a tensor or a number
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_lcm(fa_arg x, fa_arg y, const fa_lcm_options *options);

/** fa_lcm() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_lcm_(fa_tensor *x, fa_arg y, const fa_lcm_options *options);

/** @cond */
/* How named options, and numbers in the place of tensors, reach the functions above. */
#define FA__DEFAULT_fa_isnan {offsetof(fa_isnan_options, fa__end), NULL, 0}
#define fa_isnan(...) FA__CALL1(fa_isnan, FA__SAME, __VA_ARGS__)
typedef fa_isnan_options fa_isnan__options;
#define FA__DEFAULT_fa_isnan_ FA__DEFAULT_fa_isnan
#define fa_isnan_(...) FA__CALL1(fa_isnan_, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_isinf {offsetof(fa_isinf_options, fa__end), NULL, 0}
#define fa_isinf(...) FA__CALL1(fa_isinf, FA__SAME, __VA_ARGS__)
typedef fa_isinf_options fa_isinf__options;
#define FA__DEFAULT_fa_isinf_ FA__DEFAULT_fa_isinf
#define fa_isinf_(...) FA__CALL1(fa_isinf_, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_isfinite {offsetof(fa_isfinite_options, fa__end), NULL, 0}
#define fa_isfinite(...) FA__CALL1(fa_isfinite, FA__SAME, __VA_ARGS__)
typedef fa_isfinite_options fa_isfinite__options;
#define FA__DEFAULT_fa_isfinite_ FA__DEFAULT_fa_isfinite
#define fa_isfinite_(...) FA__CALL1(fa_isfinite_, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_isposinf {offsetof(fa_isposinf_options, fa__end), NULL, 0}
#define fa_isposinf(...) FA__CALL1(fa_isposinf, FA__SAME, __VA_ARGS__)
typedef fa_isposinf_options fa_isposinf__options;
#define FA__DEFAULT_fa_isposinf_ FA__DEFAULT_fa_isposinf
#define fa_isposinf_(...) FA__CALL1(fa_isposinf_, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_isneginf {offsetof(fa_isneginf_options, fa__end), NULL, 0}
#define fa_isneginf(...) FA__CALL1(fa_isneginf, FA__SAME, __VA_ARGS__)
typedef fa_isneginf_options fa_isneginf__options;
#define FA__DEFAULT_fa_isneginf_ FA__DEFAULT_fa_isneginf
#define fa_isneginf_(...) FA__CALL1(fa_isneginf_, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_isclose {offsetof(fa_isclose_options, fa__end), NULL, 1e-5, 1e-8, false, 0}
#define fa_isclose(...) FA__CALL2(fa_isclose, FA__ARG, FA__ARG, __VA_ARGS__)
typedef fa_isclose_options fa_isclose__options;
#define FA__DEFAULT_fa_isclose_ FA__DEFAULT_fa_isclose
#define fa_isclose_(...) FA__CALL2(fa_isclose_, FA__SAME, FA__ARG, __VA_ARGS__)
#define FA__DEFAULT_fa_allclose {offsetof(fa_allclose_options, fa__end), NULL, 1e-5, 1e-8, false, 0}
#define fa_allclose(...) FA__CALL2(fa_allclose, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_equal {offsetof(fa_equal_options, fa__end), NULL, 0}
#define fa_equal(...) FA__CALL2(fa_equal, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_nan_to_num {offsetof(fa_nan_to_num_options, fa__end), NULL, 0.0, INFINITY, -INFINITY, 0}
#define fa_nan_to_num(...) FA__CALL1(fa_nan_to_num, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_logical_and {offsetof(fa_logical_and_options, fa__end), NULL, 0}
#define fa_logical_and(...) FA__CALL2(fa_logical_and, FA__ARG, FA__ARG, __VA_ARGS__)
typedef fa_logical_and_options fa_logical_and__options;
#define FA__DEFAULT_fa_logical_and_ FA__DEFAULT_fa_logical_and
#define fa_logical_and_(...) FA__CALL2(fa_logical_and_, FA__SAME, FA__ARG, __VA_ARGS__)
#define FA__DEFAULT_fa_logical_or {offsetof(fa_logical_or_options, fa__end), NULL, 0}
#define fa_logical_or(...) FA__CALL2(fa_logical_or, FA__ARG, FA__ARG, __VA_ARGS__)
typedef fa_logical_or_options fa_logical_or__options;
#define FA__DEFAULT_fa_logical_or_ FA__DEFAULT_fa_logical_or
#define fa_logical_or_(...) FA__CALL2(fa_logical_or_, FA__SAME, FA__ARG, __VA_ARGS__)
#define FA__DEFAULT_fa_logical_xor {offsetof(fa_logical_xor_options, fa__end), NULL, 0}
#define fa_logical_xor(...) FA__CALL2(fa_logical_xor, FA__ARG, FA__ARG, __VA_ARGS__)
typedef fa_logical_xor_options fa_logical_xor__options;
#define FA__DEFAULT_fa_logical_xor_ FA__DEFAULT_fa_logical_xor
#define fa_logical_xor_(...) FA__CALL2(fa_logical_xor_, FA__SAME, FA__ARG, __VA_ARGS__)
#define FA__DEFAULT_fa_logical_not {offsetof(fa_logical_not_options, fa__end), NULL, 0}
#define fa_logical_not(...) FA__CALL1(fa_logical_not, FA__SAME, __VA_ARGS__)
typedef fa_logical_not_options fa_logical_not__options;
#define FA__DEFAULT_fa_logical_not_ FA__DEFAULT_fa_logical_not
#define fa_logical_not_(...) FA__CALL1(fa_logical_not_, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_bitwise_and {offsetof(fa_bitwise_and_options, fa__end), NULL, 0}
#define fa_bitwise_and(...) FA__CALL2(fa_bitwise_and, FA__ARG, FA__ARG, __VA_ARGS__)
typedef fa_bitwise_and_options fa_bitwise_and__options;
#define FA__DEFAULT_fa_bitwise_and_ FA__DEFAULT_fa_bitwise_and
#define fa_bitwise_and_(...) FA__CALL2(fa_bitwise_and_, FA__SAME, FA__ARG, __VA_ARGS__)
#define FA__DEFAULT_fa_bitwise_or {offsetof(fa_bitwise_or_options, fa__end), NULL, 0}
#define fa_bitwise_or(...) FA__CALL2(fa_bitwise_or, FA__ARG, FA__ARG, __VA_ARGS__)
typedef fa_bitwise_or_options fa_bitwise_or__options;
#define FA__DEFAULT_fa_bitwise_or_ FA__DEFAULT_fa_bitwise_or
#define fa_bitwise_or_(...) FA__CALL2(fa_bitwise_or_, FA__SAME, FA__ARG, __VA_ARGS__)
#define FA__DEFAULT_fa_bitwise_xor {offsetof(fa_bitwise_xor_options, fa__end), NULL, 0}
#define fa_bitwise_xor(...) FA__CALL2(fa_bitwise_xor, FA__ARG, FA__ARG, __VA_ARGS__)
typedef fa_bitwise_xor_options fa_bitwise_xor__options;
#define FA__DEFAULT_fa_bitwise_xor_ FA__DEFAULT_fa_bitwise_xor
#define fa_bitwise_xor_(...) FA__CALL2(fa_bitwise_xor_, FA__SAME, FA__ARG, __VA_ARGS__)
#define FA__DEFAULT_fa_bitwise_not {offsetof(fa_bitwise_not_options, fa__end), NULL, 0}
#define fa_bitwise_not(...) FA__CALL1(fa_bitwise_not, FA__SAME, __VA_ARGS__)
typedef fa_bitwise_not_options fa_bitwise_not__options;
#define FA__DEFAULT_fa_bitwise_not_ FA__DEFAULT_fa_bitwise_not
#define fa_bitwise_not_(...) FA__CALL1(fa_bitwise_not_, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_bitwise_left_shift {offsetof(fa_bitwise_left_shift_options, fa__end), NULL, 0}
#define fa_bitwise_left_shift(...) FA__CALL2(fa_bitwise_left_shift, FA__ARG, FA__ARG, __VA_ARGS__)
typedef fa_bitwise_left_shift_options fa_bitwise_left_shift__options;
#define FA__DEFAULT_fa_bitwise_left_shift_ FA__DEFAULT_fa_bitwise_left_shift
#define fa_bitwise_left_shift_(...) FA__CALL2(fa_bitwise_left_shift_, FA__SAME, FA__ARG, __VA_ARGS__)
#define FA__DEFAULT_fa_bitwise_right_shift {offsetof(fa_bitwise_right_shift_options, fa__end), NULL, 0}
#define fa_bitwise_right_shift(...) FA__CALL2(fa_bitwise_right_shift, FA__ARG, FA__ARG, __VA_ARGS__)
typedef fa_bitwise_right_shift_options fa_bitwise_right_shift__options;
#define FA__DEFAULT_fa_bitwise_right_shift_ FA__DEFAULT_fa_bitwise_right_shift
#define fa_bitwise_right_shift_(...) FA__CALL2(fa_bitwise_right_shift_, FA__SAME, FA__ARG, __VA_ARGS__)
#define FA__DEFAULT_fa_gcd {offsetof(fa_gcd_options, fa__end), NULL, 0}
#define fa_gcd(...) FA__CALL2(fa_gcd, FA__ARG, FA__ARG, __VA_ARGS__)
typedef fa_gcd_options fa_gcd__options;
#define FA__DEFAULT_fa_gcd_ FA__DEFAULT_fa_gcd
#define fa_gcd_(...) FA__CALL2(fa_gcd_, FA__SAME, FA__ARG, __VA_ARGS__)
#define FA__DEFAULT_fa_lcm {offsetof(fa_lcm_options, fa__end), NULL, 0}
#define fa_lcm(...) FA__CALL2(fa_lcm, FA__ARG, FA__ARG, __VA_ARGS__)
typedef fa_lcm_options fa_lcm__options;
#define FA__DEFAULT_fa_lcm_ FA__DEFAULT_fa_lcm
#define fa_lcm_(...) FA__CALL2(fa_lcm_, FA__SAME, FA__ARG, __VA_ARGS__)
/** @endcond */

FA__END
#endif
