/** @file
 *  Numbers in parts: quotients with remainders, significands and exponents, fractions, bits; and roots.
 *
 *  Written by facula-rows from src/ops/parts.c: edit there. */
/* clang-format off */
#ifndef FACULA_PARTS_H
#define FACULA_PARTS_H
#include <facula/types.h>

FA__BEGIN

/** Options of fa_float_power(). */
typedef struct fa_float_power_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_float_power_options;

/** x to the power y, computed in f64 whatever the operands are: an f64 tensor.
 *
 *      fa_float_power(x, y, .out = NULL)
 *
 *  @param x a tensor or a number
 *  @param y a tensor or a number
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_float_power(fa_arg x, fa_arg y, const fa_float_power_options *options);

/** fa_float_power() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_float_power_(fa_tensor *x, fa_arg y, const fa_float_power_options *options);

/** Options of fa_cbrt(). */
typedef struct fa_cbrt_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_cbrt_options;

/** The cube root of x, negative for negative x. Its gradient is infinite at 0.
 *
 *      fa_cbrt(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_cbrt(const fa_tensor *x, const fa_cbrt_options *options);

/** fa_cbrt() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_cbrt_(fa_tensor *x, const fa_cbrt_options *options);

/** The results of fa_divmod(). */
typedef struct fa_divmod_result {
    fa_tensor *quotient;  /**< see fa_divmod() */
    fa_tensor *remainder; /**< see fa_divmod() */
} fa_divmod_result;

/** The quotient rounded down and what is left of x: fa_floor_divide() and fa_remainder(), which tell the rest.
 *
 *      fa_divmod(x, y)
 *
 *  @param x what is divided
 *  @param y by what; broadcasts with x
 *  @return the results; NULLs after an error */
FA_API fa_divmod_result fa_divmod(fa_arg x, fa_arg y);

/** The results of fa_frexp(). */
typedef struct fa_frexp_result {
    fa_tensor *mantissa; /**< see fa_frexp() */
    fa_tensor *exponent; /**< see fa_frexp() */
} fa_frexp_result;

/** The significand, from 1/2 to 1 in magnitude, and the exponent (i32) with x = mantissa * 2^exponent. Zeros,
 *  infinities and NaN are their own significands, with exponent 0.
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

/** What stands behind the point of x and what stands before it, both with the sign of x. The fraction of an infinity is
 *  0.
 *
 *      fa_modf(x)
 *
 *  @param x any dtype; integers and bool give f32
 *  @return the results; NULLs after an error */
FA_API fa_modf_result fa_modf(const fa_tensor *x);

/** Options of fa_spacing(). */
typedef struct fa_spacing_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_spacing_options;

/** The distance from x to the next number of its dtype away from 0, negative for negative x. NaN for infinities; of the
 *  largest number, as for its neighbours, where NumPy has infinity.
 *
 *      fa_spacing(x, .out = NULL)
 *
 *  @param x floating
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_spacing(const fa_tensor *x, const fa_spacing_options *options);

/** Options of fa_nextafter(). */
typedef struct fa_nextafter_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_nextafter_options;

/** The floating number next to x towards y, of the dtype that both are promoted to. The gradient goes on to x, but
 *  not where the two are equal; f16 and bf16 have none.
 *
 *      fa_nextafter(x, y, .out = NULL)
 *
 *  @param x where one begins
 *  @param y the direction; both broadcast, and their dtypes promote
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_nextafter(fa_arg x, fa_arg y, const fa_nextafter_options *options);

/** fa_nextafter() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_nextafter_(fa_tensor *x, fa_arg y, const fa_nextafter_options *options);

/** Options of fa_bitwise_count(). */
typedef struct fa_bitwise_count_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_bitwise_count_options;

/** How many bits of the magnitude of x are 1: u8, of integers and bool.
 *
 *      fa_bitwise_count(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_bitwise_count(const fa_tensor *x, const fa_bitwise_count_options *options);

/** fa_bitwise_count() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_bitwise_count_(fa_tensor *x, const fa_bitwise_count_options *options);

/** @cond */
/* How named options, and numbers in the place of tensors, reach the functions above. */
#define FA__DEFAULT_fa_float_power {offsetof(fa_float_power_options, fa__end), NULL, 0}
#define fa_float_power(...) FA__CALL2(fa_float_power, FA__ARG, FA__ARG, __VA_ARGS__)
typedef fa_float_power_options fa_float_power__options;
#define FA__DEFAULT_fa_float_power_ FA__DEFAULT_fa_float_power
#define fa_float_power_(...) FA__CALL2(fa_float_power_, FA__SAME, FA__ARG, __VA_ARGS__)
#define FA__DEFAULT_fa_cbrt {offsetof(fa_cbrt_options, fa__end), NULL, 0}
#define fa_cbrt(...) FA__CALL1(fa_cbrt, FA__SAME, __VA_ARGS__)
typedef fa_cbrt_options fa_cbrt__options;
#define FA__DEFAULT_fa_cbrt_ FA__DEFAULT_fa_cbrt
#define fa_cbrt_(...) FA__CALL1(fa_cbrt_, FA__SAME, __VA_ARGS__)
#define fa_divmod(x, y) (fa_divmod)(FA__ARG(x), FA__ARG(y))
#define FA__DEFAULT_fa_spacing {offsetof(fa_spacing_options, fa__end), NULL, 0}
#define fa_spacing(...) FA__CALL1(fa_spacing, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_nextafter {offsetof(fa_nextafter_options, fa__end), NULL, 0}
#define fa_nextafter(...) FA__CALL2(fa_nextafter, FA__ARG, FA__ARG, __VA_ARGS__)
typedef fa_nextafter_options fa_nextafter__options;
#define FA__DEFAULT_fa_nextafter_ FA__DEFAULT_fa_nextafter
#define fa_nextafter_(...) FA__CALL2(fa_nextafter_, FA__SAME, FA__ARG, __VA_ARGS__)
#define FA__DEFAULT_fa_bitwise_count {offsetof(fa_bitwise_count_options, fa__end), NULL, 0}
#define fa_bitwise_count(...) FA__CALL1(fa_bitwise_count, FA__SAME, __VA_ARGS__)
typedef fa_bitwise_count_options fa_bitwise_count__options;
#define FA__DEFAULT_fa_bitwise_count_ FA__DEFAULT_fa_bitwise_count
#define fa_bitwise_count_(...) FA__CALL1(fa_bitwise_count_, FA__SAME, __VA_ARGS__)
/** @endcond */

FA__END
#endif
