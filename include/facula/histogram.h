/** @file
 *  Counting by value: how many elements are of each integer, or lie in each interval.
 *
 *  Written by facula-rows from src/ops/histogram.c: edit there. */
/* clang-format off */
#ifndef FACULA_HISTOGRAM_H
#define FACULA_HISTOGRAM_H
#include <facula/types.h>

FA__BEGIN

/** Options of fa_bincount(). */
typedef struct fa_bincount_options {
    size_t size;              /**< set by the macro */
    fa_tensor *out;           /**< where to write, instead of into new memory */
    const fa_tensor *weights; /**< (n): added up in the place of ones; NULL: elements are counted */
    int64_t minlength;        /**< the least size of the result */
    char fa__end;             /**< the end of what this version knows */
} fa_bincount_options;

/** How often each number occurs in x, from 0 to the largest, as i64; or the sums of their weights: in f32 for f32, else
 *  in f64, added in their order. The size of the result is read from x, which waits for it.
 *
 *      fa_bincount(x, .weights = NULL, .minlength = 0, .out = NULL)
 *
 *  @param x (n), integers that are not negative
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_bincount(const fa_tensor *x, const fa_bincount_options *options);

/** The results of fa_histogram(). */
typedef struct fa_histogram_result {
    fa_tensor *hist;      /**< see fa_histogram() */
    fa_tensor *bin_edges; /**< see fa_histogram() */
} fa_histogram_result;

/** Options of fa_histogram(). */
typedef struct fa_histogram_options {
    size_t size;             /**< set by the macro */
    int64_t bins;            /**< how many intervals of equal width */
    double min;              /**< where the first begins; both 0: at the smallest element, */
    double max;              /**< and the last ends at the largest one */
    const fa_tensor *edges;  /**< (k + 1), ascending: k intervals, in the place of bins; NULL: equal widths */
    const fa_tensor *weight; /**< in x's shape: added up in the place of ones; NULL: elements are counted */
    bool density;            /**< divide, so that the integral over all intervals is 1 */
    char fa__end;            /**< the end of what this version knows */
} fa_histogram_options;

/** How many elements lie in each interval between edges, and the edges. An interval has its lower edge, the last one
 *  both. Elements outside and NaN are not counted; where the range is that of x, which is then waited for, a NaN or an
 *  infinity is an error. Counts are of x's dtype, and exact as integers until they are converted.
 *
 *      fa_histogram(x, .bins = 100, .min = 0, .max = 0, .edges = NULL, .weight = NULL, .density = false)
 *
 *  @param x floating, of any shape
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the results; NULLs after an error */
FA_API fa_histogram_result fa_histogram(const fa_tensor *x, const fa_histogram_options *options);

/** @cond */
/* How named options, and numbers in the place of tensors, reach the functions above. */
#define FA__DEFAULT_fa_bincount {offsetof(fa_bincount_options, fa__end), NULL, NULL, 0, 0}
#define fa_bincount(...) FA__CALL1(fa_bincount, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_histogram {offsetof(fa_histogram_options, fa__end), 100, 0, 0, NULL, NULL, false, 0}
#define fa_histogram(...) FA__CALL1(fa_histogram, FA__SAME, __VA_ARGS__)
/** @endcond */

FA__END
#endif
