/** @file
 *  Whole random numbers.
 *
 *  Written by facula-rows from src/ops/randint.c: edit there. */
/* clang-format off */
#ifndef FACULA_RANDINT_H
#define FACULA_RANDINT_H
#include <facula/types.h>

FA__BEGIN

/** Options of fa_randint(). */
typedef struct fa_randint_options {
    size_t size;        /**< set by the macro */
    fa_tensor *out;     /**< where to write, instead of into new memory */
    fa_dtype dtype;     /**< FA_SAME: i64 */
    fa_device device;   /**< where it is made; by default the settings' device */
    bool requires_grad; /**< it is a leaf that collects a gradient */
    char fa__end;       /**< the end of what this version knows */
} fa_randint_options;

/** Whole random numbers from low up to below high, all as likely, of the default generator: the same on every device.
 *  Floating dtypes round numbers beyond those that they have, which may give `high` itself.
 *
 *      fa_randint(low, high, shape, .dtype = FA_SAME, .device = ..., .requires_grad = false, .out = NULL)
 *
 *  @param low the smallest number
 *  @param high numbers are below it
 *  @param shape FA_SHAPE(3, 4) or FA_SCALAR
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_randint(int64_t low, int64_t high, fa_shape shape, const fa_randint_options *options);

/** Options of fa_randint_like(). */
typedef struct fa_randint_like_options {
    size_t size;        /**< set by the macro */
    fa_tensor *out;     /**< where to write, instead of into new memory */
    fa_dtype dtype;     /**< FA_SAME: that of x */
    bool requires_grad; /**< it is a leaf that collects a gradient */
    char fa__end;       /**< the end of what this version knows */
} fa_randint_like_options;

/** Whole random numbers from low up to below high, all as likely, with the shape, dtype and device of another tensor,
 *  as fa_randint() makes them.
 *
 *      fa_randint_like(x, low, high, .dtype = FA_SAME, .requires_grad = false, .out = NULL)
 *
 *  @param x gives the shape, and what the options leave open
 *  @param low the smallest number
 *  @param high numbers are below it
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_randint_like(const fa_tensor *x, int64_t low, int64_t high, const fa_randint_like_options *options);

/** Options of fa_random_(). */
typedef struct fa_random__options {
    size_t size;  /**< set by the macro */
    int64_t from; /**< the smallest number */
    int64_t to;   /**< numbers are below it; by default as far as the dtype has all whole numbers */
    char fa__end; /**< the end of what this version knows */
} fa_random__options;

/** Fills x with whole random numbers, all as likely, of the default generator: the same on every device. Floating
 *  dtypes round numbers beyond those that they have, which may give `to` itself.
 *
 *      fa_random_(x, .from = 0, .to = INT64_MIN)
 *
 *  @param x is filled
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return x; NULL after an error */
FA_API fa_tensor *fa_random_(fa_tensor *x, const fa_random__options *options);

/** @cond */
/* How named options, and numbers in the place of tensors, reach the functions above. */
#define FA__DEFAULT_fa_randint {offsetof(fa_randint_options, fa__end), NULL, FA_SAME, {0, 0}, false, 0}
#define fa_randint(...) FA__CALL3(fa_randint, FA__SAME, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_randint_like {offsetof(fa_randint_like_options, fa__end), NULL, FA_SAME, false, 0}
#define fa_randint_like(...) FA__CALL3(fa_randint_like, FA__SAME, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_random_ {offsetof(fa_random__options, fa__end), 0, INT64_MIN, 0}
#define fa_random_(...) FA__CALL1(fa_random_, FA__SAME, __VA_ARGS__)
/** @endcond */

FA__END
#endif
