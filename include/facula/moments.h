/** @file
 *  Variances and deviations over dimensions, alone and with means.
 *
 *  Written by facula-rows from src/ops/moments.c: edit there. */
/* clang-format off */
#ifndef FACULA_MOMENTS_H
#define FACULA_MOMENTS_H
#include <facula/types.h>

FA__BEGIN

/** Options of fa_var(). */
typedef struct fa_var_options {
    size_t size;       /**< set by the macro */
    fa_tensor *out;    /**< where to write, instead of into new memory */
    fa_dims dim;       /**< one dimension, FA_DIMS(0, 2), or all of them */
    double correction; /**< the sum of squares is divided by the number of elements less this */
    bool keepdim;      /**< keep what was reduced with size 1 */
    char fa__end;      /**< the end of what this version knows */
} fa_var_options;

/** Variance over dimensions, in two passes; with correction 1 that of one element is NaN.
 *
 *      fa_var(x, .dim = FA_ALL, .correction = 1, .keepdim = false, .out = NULL)
 *
 *  @param x floating
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_var(const fa_tensor *x, const fa_var_options *options);

/** Options of fa_std(). */
typedef struct fa_std_options {
    size_t size;       /**< set by the macro */
    fa_tensor *out;    /**< where to write, instead of into new memory */
    fa_dims dim;       /**< one dimension, FA_DIMS(0, 2), or all of them */
    double correction; /**< the sum of squares is divided by the number of elements less this */
    bool keepdim;      /**< keep what was reduced with size 1 */
    char fa__end;      /**< the end of what this version knows */
} fa_std_options;

/** Standard deviation over dimensions: the root of the variance. Where it is 0, so is its gradient.
 *
 *      fa_std(x, .dim = FA_ALL, .correction = 1, .keepdim = false, .out = NULL)
 *
 *  @param x floating
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_std(const fa_tensor *x, const fa_std_options *options);

/** The results of fa_var_mean(). */
typedef struct fa_var_mean_result {
    fa_tensor *variance; /**< see fa_var_mean() */
    fa_tensor *mean;     /**< see fa_var_mean() */
} fa_var_mean_result;

/** Options of fa_var_mean(). */
typedef struct fa_var_mean_options {
    size_t size;       /**< set by the macro */
    fa_dims dim;       /**< one dimension, FA_DIMS(0, 2), or all of them */
    double correction; /**< the sum of squares is divided by the number of elements less this */
    bool keepdim;      /**< keep what was reduced with size 1 */
    char fa__end;      /**< the end of what this version knows */
} fa_var_mean_options;

/** Variance over dimensions, as fa_var() has it, and the mean.
 *
 *      fa_var_mean(x, .dim = FA_ALL, .correction = 1, .keepdim = false)
 *
 *  @param x floating
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the results; NULLs after an error */
FA_API fa_var_mean_result fa_var_mean(const fa_tensor *x, const fa_var_mean_options *options);

/** The results of fa_std_mean(). */
typedef struct fa_std_mean_result {
    fa_tensor *deviation; /**< see fa_std_mean() */
    fa_tensor *mean;      /**< see fa_std_mean() */
} fa_std_mean_result;

/** Options of fa_std_mean(). */
typedef struct fa_std_mean_options {
    size_t size;       /**< set by the macro */
    fa_dims dim;       /**< one dimension, FA_DIMS(0, 2), or all of them */
    double correction; /**< the sum of squares is divided by the number of elements less this */
    bool keepdim;      /**< keep what was reduced with size 1 */
    char fa__end;      /**< the end of what this version knows */
} fa_std_mean_options;

/** Standard deviation over dimensions, as fa_std() has it, and the mean.
 *
 *      fa_std_mean(x, .dim = FA_ALL, .correction = 1, .keepdim = false)
 *
 *  @param x floating
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the results; NULLs after an error */
FA_API fa_std_mean_result fa_std_mean(const fa_tensor *x, const fa_std_mean_options *options);

/** @cond */
/* How named options, and numbers in the place of tensors, reach the functions above. */
#define FA__DEFAULT_fa_var {offsetof(fa_var_options, fa__end), NULL, FA_ALL, 1, false, 0}
#define fa_var(...) FA__CALL1(fa_var, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_std {offsetof(fa_std_options, fa__end), NULL, FA_ALL, 1, false, 0}
#define fa_std(...) FA__CALL1(fa_std, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_var_mean {offsetof(fa_var_mean_options, fa__end), FA_ALL, 1, false, 0}
#define fa_var_mean(...) FA__CALL1(fa_var_mean, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_std_mean {offsetof(fa_std_mean_options, fa__end), FA_ALL, 1, false, 0}
#define fa_std_mean(...) FA__CALL1(fa_std_mean, FA__SAME, __VA_ARGS__)
/** @endcond */

FA__END
#endif
