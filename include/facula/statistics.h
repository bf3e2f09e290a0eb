/** @file
 *  Differences, spreads, weighted means and covariances.
 *
 *  Written by facula-rows from src/ops/statistics.c: edit there. */
/* clang-format off */
#ifndef FACULA_STATISTICS_H
#define FACULA_STATISTICS_H
#include <facula/types.h>

FA__BEGIN

/** Options of fa_diff(). */
typedef struct fa_diff_options {
    size_t size;              /**< set by the macro */
    fa_tensor *out;           /**< where to write, instead of into new memory */
    int64_t n;                /**< how often differences are taken */
    int64_t dim;              /**< the dimension to go along; negative counts from the end */
    const fa_tensor *prepend; /**< joined in front of x along dim; NULL: nothing */
    const fa_tensor *append;  /**< joined behind x along dim; NULL: nothing */
    char fa__end;             /**< the end of what this version knows */
} fa_diff_options;

/** Differences between neighbours along a dimension, of which the result has one less; n times one after the other. Of
 *  bool it is whether they differ. With n = 0 it is a copy of x, to which nothing is joined.
 *
 *      fa_diff(x, .n = 1, .dim = -1, .prepend = NULL, .append = NULL, .out = NULL)
 *
 *  @param x of one dimension at least
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_diff(const fa_tensor *x, const fa_diff_options *options);

/** Options of fa_ptp(). */
typedef struct fa_ptp_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    fa_dims dim;    /**< one dimension, FA_DIMS(0, 2), or all of them */
    bool keepdim;   /**< keep what was reduced with size 1 */
    char fa__end;   /**< the end of what this version knows */
} fa_ptp_options;

/** From peak to peak: the largest element less the smallest, over dimensions. Integers wrap in their own dtype; bool is
 *  an error.
 *
 *      fa_ptp(x, .dim = FA_ALL, .keepdim = false, .out = NULL)
 *
 *  @param x at least one element to choose from
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_ptp(const fa_tensor *x, const fa_ptp_options *options);

/** Options of fa_average(). */
typedef struct fa_average_options {
    size_t size;              /**< set by the macro */
    fa_tensor *out;           /**< where to write, instead of into new memory */
    fa_dims dim;              /**< one dimension, FA_DIMS(0, 2), or all of them */
    const fa_tensor *weights; /**< in x's shape, or a number for each place along one dim; NULL: all equal */
    bool keepdim;             /**< keep what was reduced with size 1 */
    char fa__end;             /**< the end of what this version knows */
} fa_average_options;

/** Mean over dimensions in which each element has a weight: the sum of products by the sum of weights, which may not be
 *  0. Of integers it is f32, and without weights an error, as in fa_mean().
 *
 *      fa_average(x, .dim = FA_ALL, .weights = NULL, .keepdim = false, .out = NULL)
 *
 *  @param x floating, or with weights any dtype
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_average(const fa_tensor *x, const fa_average_options *options);

/** Options of fa_cov(). */
typedef struct fa_cov_options {
    size_t size;               /**< set by the macro */
    fa_tensor *out;            /**< where to write, instead of into new memory */
    int64_t correction;        /**< products are divided by the number of observations less this */
    const fa_tensor *fweights; /**< (observations), integers: how often each was made; NULL: once */
    const fa_tensor *aweights; /**< (observations), floating: how much each weighs; NULL: all equally */
    char fa__end;              /**< the end of what this version knows */
} fa_cov_options;

/** Covariances of variables, a matrix; of one variable its variance, a number. Of integers in f32. A weight
 *  that is negative or NaN is an error, and so are weights of which the sum is 0, at once or when the device is waited
 *  for.
 *
 *      fa_cov(x, .correction = 1, .fweights = NULL, .aweights = NULL, .out = NULL)
 *
 *  @param x (variables, observations), or (observations) of one variable
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_cov(const fa_tensor *x, const fa_cov_options *options);

/** Options of fa_corrcoef(). */
typedef struct fa_corrcoef_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_corrcoef_options;

/** Pearson's correlation coefficients of variables: their covariances by their deviations, held between -1 and 1.
 *
 *      fa_corrcoef(x, .out = NULL)
 *
 *  @param x (variables, observations), or (observations) of one variable
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_corrcoef(const fa_tensor *x, const fa_corrcoef_options *options);

/** @cond */
/* How named options, and numbers in the place of tensors, reach the functions above. */
#define FA__DEFAULT_fa_diff {offsetof(fa_diff_options, fa__end), NULL, 1, -1, NULL, NULL, 0}
#define fa_diff(...) FA__CALL1(fa_diff, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_ptp {offsetof(fa_ptp_options, fa__end), NULL, FA_ALL, false, 0}
#define fa_ptp(...) FA__CALL1(fa_ptp, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_average {offsetof(fa_average_options, fa__end), NULL, FA_ALL, NULL, false, 0}
#define fa_average(...) FA__CALL1(fa_average, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_cov {offsetof(fa_cov_options, fa__end), NULL, 1, NULL, NULL, 0}
#define fa_cov(...) FA__CALL1(fa_cov, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_corrcoef {offsetof(fa_corrcoef_options, fa__end), NULL, 0}
#define fa_corrcoef(...) FA__CALL1(fa_corrcoef, FA__SAME, __VA_ARGS__)
/** @endcond */

FA__END
#endif
