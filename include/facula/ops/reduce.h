/** @file
 *  Reductions, scans, sorting and statistics.
 *
 *  Written by facula-rows from src/ops/reduce: edit there. */
/* clang-format off */
#ifndef FACULA_OPS_REDUCE_H
#define FACULA_OPS_REDUCE_H
#include <facula/types.h>

FA__BEGIN

/** @defgroup ops_reduce Reductions, scans, sorting and statistics
 *  @{ */

/** @name The largest and smallest elements over dimensions, and where they are
 *  @{ */

/** Options of fa_amax(). */
typedef struct fa_amax_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    fa_dims dim;    /**< one dimension, FA_DIMS(0, 2), or all of them */
    bool keepdim;   /**< keep what was reduced with size 1 */
    char fa__end;   /**< the end of what this version knows */
} fa_amax_options;

/** The largest elements over dimensions. NaN is larger than everything; equal ones share the gradient evenly.
 *
 *      fa_amax(x, .dim = FA_ALL, .keepdim = false, .out = NULL)
 *
 *  @param x at least one element to choose from
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_amax(const fa_tensor *x, const fa_amax_options *options);

/** Options of fa_amin(). */
typedef struct fa_amin_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    fa_dims dim;    /**< one dimension, FA_DIMS(0, 2), or all of them */
    bool keepdim;   /**< keep what was reduced with size 1 */
    char fa__end;   /**< the end of what this version knows */
} fa_amin_options;

/** The smallest elements over dimensions. NaN is smaller than everything; equal ones share the gradient evenly.
 *
 *      fa_amin(x, .dim = FA_ALL, .keepdim = false, .out = NULL)
 *
 *  @param x at least one element to choose from
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_amin(const fa_tensor *x, const fa_amin_options *options);

/** The results of fa_aminmax(). */
typedef struct fa_aminmax_result {
    fa_tensor *min; /**< see fa_aminmax() */
    fa_tensor *max; /**< see fa_aminmax() */
} fa_aminmax_result;

/** Options of fa_aminmax(). */
typedef struct fa_aminmax_options {
    size_t size;  /**< set by the macro */
    fa_dims dim;  /**< one dimension, FA_DIMS(0, 2), or all of them */
    bool keepdim; /**< keep what was reduced with size 1 */
    char fa__end; /**< the end of what this version knows */
} fa_aminmax_options;

/** The smallest and the largest elements over dimensions. NaN is both; equal ones share the gradients evenly.
 *
 *      fa_aminmax(x, .dim = FA_ALL, .keepdim = false)
 *
 *  @param x at least one element to choose from
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the results; NULLs after an error */
FA_API fa_aminmax_result fa_aminmax(const fa_tensor *x, const fa_aminmax_options *options);

/** The results of fa_max(). */
typedef struct fa_max_result {
    fa_tensor *values;  /**< see fa_max() */
    fa_tensor *indices; /**< see fa_max() */
} fa_max_result;

/** Options of fa_max(). */
typedef struct fa_max_options {
    size_t size;  /**< set by the macro */
    bool keepdim; /**< keep dim with size 1 */
    char fa__end; /**< the end of what this version knows */
} fa_max_options;

/** The largest elements along a dimension, and where they are. NaN is larger than everything; of equal elements the
 *  first is chosen, and gets the whole gradient. PyTorch's max() of all is fa_amax().
 *
 *      fa_max(x, dim, .keepdim = false)
 *
 *  @param x at least one element along dim
 *  @param dim the dimension to search; negative counts from the end
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the results; NULLs after an error */
FA_API fa_max_result fa_max(const fa_tensor *x, int64_t dim, const fa_max_options *options);

/** The results of fa_min(). */
typedef struct fa_min_result {
    fa_tensor *values;  /**< see fa_min() */
    fa_tensor *indices; /**< see fa_min() */
} fa_min_result;

/** Options of fa_min(). */
typedef struct fa_min_options {
    size_t size;  /**< set by the macro */
    bool keepdim; /**< keep dim with size 1 */
    char fa__end; /**< the end of what this version knows */
} fa_min_options;

/** The smallest elements along a dimension, and where they are. NaN is smaller than everything; of equal elements the
 *  first is chosen, and gets the whole gradient. PyTorch's min() of all is fa_amin().
 *
 *      fa_min(x, dim, .keepdim = false)
 *
 *  @param x at least one element along dim
 *  @param dim the dimension to search; negative counts from the end
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the results; NULLs after an error */
FA_API fa_min_result fa_min(const fa_tensor *x, int64_t dim, const fa_min_options *options);

/** Options of fa_argmax(). */
typedef struct fa_argmax_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    fa_dims dim;    /**< one dimension; by default the place among all elements, row-major */
    bool keepdim;   /**< keep dim with size 1 */
    char fa__end;   /**< the end of what this version knows */
} fa_argmax_options;

/** Where the largest element is, along a dimension or among all. NaN is larger than everything; of equal elements the
 *  first is chosen.
 *
 *      fa_argmax(x, .dim = FA_ALL, .keepdim = false, .out = NULL)
 *
 *  @param x at least one element to choose from
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_argmax(const fa_tensor *x, const fa_argmax_options *options);

/** Options of fa_argmin(). */
typedef struct fa_argmin_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    fa_dims dim;    /**< one dimension; by default the place among all elements, row-major */
    bool keepdim;   /**< keep dim with size 1 */
    char fa__end;   /**< the end of what this version knows */
} fa_argmin_options;

/** Where the smallest element is, along a dimension or among all. NaN is smaller than everything; of equal elements the
 *  first is chosen.
 *
 *      fa_argmin(x, .dim = FA_ALL, .keepdim = false, .out = NULL)
 *
 *  @param x at least one element to choose from
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_argmin(const fa_tensor *x, const fa_argmin_options *options);

/** @} */

/** @name Counting by value
 *  how many elements are of each integer, or lie in each interval.
 *  @{ */

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

/** @} */

/** @name Variances and deviations over dimensions, alone and with means
 *  @{ */

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

/** @} */

/** @name Norms over dimensions, and logarithms of sums of exponentials
 *  @{ */

/** Options of fa_norm(). */
typedef struct fa_norm_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    double p;       /**< the order: any number; infinity and -infinity, too */
    fa_dims dim;    /**< one dimension, FA_DIMS(0, 2), or all of them */
    bool keepdim;   /**< keep what was reduced with size 1 */
    fa_dtype dtype; /**< of the result, floating */
    char fa__end;   /**< the end of what this version knows */
} fa_norm_options;

/** The p-norm of all elements over dimensions, as of a vector: the p-th root of the sum of |x| to the power of p. With
 *  p = infinity it is the largest |x|, with -infinity the smallest, with 0 how many elements are not 0. What stands at
 *  0, and everything where the norm is 0, has no gradient; where several elements are the largest they share it evenly.
 *
 *      fa_norm(x, .p = 2, .dim = FA_ALL, .keepdim = false, .dtype = FA_SAME, .out = NULL)
 *
 *  @param x floating
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_norm(const fa_tensor *x, const fa_norm_options *options);

/** Options of fa_logsumexp(). */
typedef struct fa_logsumexp_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    fa_dims dim;    /**< one dimension, FA_DIMS(0, 2), or all of them */
    bool keepdim;   /**< keep what was reduced with size 1 */
    char fa__end;   /**< the end of what this version knows */
} fa_logsumexp_options;

/** The logarithm of the sum of exp(x) over dimensions, computed from differences to the largest element. Of nothing,
 *  and of nothing but -infinity, it is -infinity, without a gradient.
 *
 *      fa_logsumexp(x, .dim = FA_ALL, .keepdim = false, .out = NULL)
 *
 *  @param x any dtype; of integers and bool the result is f32
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_logsumexp(const fa_tensor *x, const fa_logsumexp_options *options);

/** @} */

/** @name Elements by their rank along a dimension or among all
 *  medians, quantiles, and the most frequent ones. Lines are
 *  sorted, NaN behind everything.
 *  @{ */

/** The results of fa_median(). */
typedef struct fa_median_result {
    fa_tensor *values;  /**< see fa_median() */
    fa_tensor *indices; /**< see fa_median() */
} fa_median_result;

/** Options of fa_median(). */
typedef struct fa_median_options {
    size_t size;  /**< set by the macro */
    fa_dims dim;  /**< one dimension; by default the median of all elements, and its place row-major */
    bool keepdim; /**< keep dim with size 1 */
    char fa__end; /**< the end of what this version knows */
} fa_median_options;

/** The median along a dimension or of all elements, and where it is: of an even number the lower one of the two in the
 *  middle. With a NaN it is NaN, the first one. Of equal elements the place is that of the one which fa_sort() puts
 *  there; PyTorch leaves it open. That element gets the gradient.
 *
 *      fa_median(x, .dim = FA_ALL, .keepdim = false)
 *
 *  @param x at least one element to choose from; of none PyTorch gives NaN
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the results; NULLs after an error */
FA_API fa_median_result fa_median(const fa_tensor *x, const fa_median_options *options);

/** The results of fa_nanmedian(). */
typedef struct fa_nanmedian_result {
    fa_tensor *values;  /**< see fa_nanmedian() */
    fa_tensor *indices; /**< see fa_nanmedian() */
} fa_nanmedian_result;

/** Options of fa_nanmedian(). */
typedef struct fa_nanmedian_options {
    size_t size;  /**< set by the macro */
    fa_dims dim;  /**< one dimension; by default the median of all elements, and its place row-major */
    bool keepdim; /**< keep dim with size 1 */
    char fa__end; /**< the end of what this version knows */
} fa_nanmedian_options;

/** The median of the elements that are not NaN, and where it is; of none it is NaN. Otherwise as fa_median().
 *
 *      fa_nanmedian(x, .dim = FA_ALL, .keepdim = false)
 *
 *  @param x at least one element to choose from; of none PyTorch gives NaN
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the results; NULLs after an error */
FA_API fa_nanmedian_result fa_nanmedian(const fa_tensor *x, const fa_nanmedian_options *options);

/** The results of fa_mode(). */
typedef struct fa_mode_result {
    fa_tensor *values;  /**< see fa_mode() */
    fa_tensor *indices; /**< see fa_mode() */
} fa_mode_result;

/** Options of fa_mode(). */
typedef struct fa_mode_options {
    size_t size;  /**< set by the macro */
    int64_t dim;  /**< the dimension to search; negative counts from the end */
    bool keepdim; /**< keep dim with size 1 */
    char fa__end; /**< the end of what this version knows */
} fa_mode_options;

/** The element that is most frequent along a dimension, the smallest of those that are, and where it stands last. No
 *  NaN is equal to another. That element gets the gradient.
 *
 *      fa_mode(x, .dim = -1, .keepdim = false)
 *
 *  @param x at least one element along dim
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the results; NULLs after an error */
FA_API fa_mode_result fa_mode(const fa_tensor *x, const fa_mode_options *options);

/** Options of fa_quantile(). */
typedef struct fa_quantile_options {
    size_t size;               /**< set by the macro */
    fa_tensor *out;            /**< where to write, instead of into new memory */
    fa_dims dim;               /**< one dimension; by default the quantile of all elements */
    bool keepdim;              /**< keep dim with size 1 */
    const char *interpolation; /**< between two elements: "linear", "lower", "higher", "midpoint", "nearest" */
    char fa__end;              /**< the end of what this version knows */
} fa_quantile_options;

/** The element, or what lies between two, below which the share q of a line stands: along a dimension or among all.
 *  With a NaN it is NaN. Several q are a dimension in front of the others. A number beyond 0 and 1 is an error at once,
 *  one in a tensor an index out of range, which surfaces at the next wait. Places in lines of more than 2^24 elements
 *  are computed in f64, which the device has to have then.
 *
 *      fa_quantile(x, q, .dim = FA_ALL, .keepdim = false, .interpolation = "linear", .out = NULL)
 *
 *  @param x f32 or f64, at least one element to choose from
 *  @param q from 0 to 1: a number, or a tensor of none or one dimension
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_quantile(const fa_tensor *x, fa_arg q, const fa_quantile_options *options);

/** Options of fa_nanquantile(). */
typedef struct fa_nanquantile_options {
    size_t size;               /**< set by the macro */
    fa_tensor *out;            /**< where to write, instead of into new memory */
    fa_dims dim;               /**< one dimension; by default the quantile of all elements */
    bool keepdim;              /**< keep dim with size 1 */
    const char *interpolation; /**< between two elements: "linear", "lower", "higher", "midpoint", "nearest" */
    char fa__end;              /**< the end of what this version knows */
} fa_nanquantile_options;

/** Quantiles of the elements that are not NaN; of none it is NaN. Otherwise as fa_quantile().
 *
 *      fa_nanquantile(x, q, .dim = FA_ALL, .keepdim = false, .interpolation = "linear", .out = NULL)
 *
 *  @param x f32 or f64, at least one element to choose from
 *  @param q from 0 to 1: a number, or a tensor of none or one dimension
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_nanquantile(const fa_tensor *x, fa_arg q, const fa_nanquantile_options *options);

/** @} */

/** @name Sums, products and truth over dimensions, which are left out of the result's shape, or have size 1 there (keepdim)
 *  One fixed tree: the same bits on every device and for any number of threads.
 *  @{ */

/** Options of fa_sum(). */
typedef struct fa_sum_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    fa_dims dim;    /**< one dimension, FA_DIMS(0, 2), or all of them */
    bool keepdim;   /**< keep what was reduced with size 1 */
    fa_dtype dtype; /**< of the result; elements are converted before they are put together, for halves to f32 */
    char fa__end;   /**< the end of what this version knows */
} fa_sum_options;

/** Sum over dimensions. Integers and bool are summed in i64; an empty sum is 0. With dtype bool it is whether any
 *  element is not 0.
 *
 *      fa_sum(x, .dim = FA_ALL, .keepdim = false, .dtype = FA_SAME, .out = NULL)
 *
 *  @param x any dtype
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_sum(const fa_tensor *x, const fa_sum_options *options);

/** Options of fa_nansum(). */
typedef struct fa_nansum_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    fa_dims dim;    /**< one dimension, FA_DIMS(0, 2), or all of them */
    bool keepdim;   /**< keep what was reduced with size 1 */
    fa_dtype dtype; /**< of the result; elements are converted before they are put together, for halves to f32 */
    char fa__end;   /**< the end of what this version knows */
} fa_nansum_options;

/** Sum over dimensions of the elements that are not NaN; of none it is 0. Integers and bool are summed in i64.
 *
 *      fa_nansum(x, .dim = FA_ALL, .keepdim = false, .dtype = FA_SAME, .out = NULL)
 *
 *  @param x any dtype
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_nansum(const fa_tensor *x, const fa_nansum_options *options);

/** Options of fa_mean(). */
typedef struct fa_mean_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    fa_dims dim;    /**< one dimension, FA_DIMS(0, 2), or all of them */
    bool keepdim;   /**< keep what was reduced with size 1 */
    fa_dtype dtype; /**< of the result; elements are converted before they are put together, for halves to f32 */
    char fa__end;   /**< the end of what this version knows */
} fa_mean_options;

/** Mean over dimensions, computed in f32 or f64; of nothing it is NaN. Integers are an error.
 *
 *      fa_mean(x, .dim = FA_ALL, .keepdim = false, .dtype = FA_SAME, .out = NULL)
 *
 *  @param x any dtype
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_mean(const fa_tensor *x, const fa_mean_options *options);

/** Options of fa_nanmean(). */
typedef struct fa_nanmean_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    fa_dims dim;    /**< one dimension, FA_DIMS(0, 2), or all of them */
    bool keepdim;   /**< keep what was reduced with size 1 */
    fa_dtype dtype; /**< of the result; elements are converted before they are put together, for halves to f32 */
    char fa__end;   /**< the end of what this version knows */
} fa_nanmean_options;

/** Mean over dimensions of the elements that are not NaN; of none it is NaN. Integers are an error.
 *
 *      fa_nanmean(x, .dim = FA_ALL, .keepdim = false, .dtype = FA_SAME, .out = NULL)
 *
 *  @param x any dtype
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_nanmean(const fa_tensor *x, const fa_nanmean_options *options);

/** Options of fa_prod(). */
typedef struct fa_prod_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    fa_dims dim;    /**< one dimension, FA_DIMS(0, 2), or all of them */
    bool keepdim;   /**< keep what was reduced with size 1 */
    fa_dtype dtype; /**< of the result; elements are converted before they are put together, for halves to f32 */
    char fa__end;   /**< the end of what this version knows */
} fa_prod_options;

/** Product over dimensions. Integers and bool are multiplied in i64; an empty product is 1. The gradient is right with
 *  zeros among the elements, too, one or several.
 *
 *      fa_prod(x, .dim = FA_ALL, .keepdim = false, .dtype = FA_SAME, .out = NULL)
 *
 *  @param x any dtype
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_prod(const fa_tensor *x, const fa_prod_options *options);

/** Options of fa_all(). */
typedef struct fa_all_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    fa_dims dim;    /**< one dimension, FA_DIMS(0, 2), or all of them */
    bool keepdim;   /**< keep what was reduced with size 1 */
    char fa__end;   /**< the end of what this version knows */
} fa_all_options;

/** Whether all elements over dimensions are true, as bool; of none they are. PyTorch gives u8 for u8.
 *
 *      fa_all(x, .dim = FA_ALL, .keepdim = false, .out = NULL)
 *
 *  @param x any dtype: what is not 0 is true, NaN too
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_all(const fa_tensor *x, const fa_all_options *options);

/** Options of fa_any(). */
typedef struct fa_any_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    fa_dims dim;    /**< one dimension, FA_DIMS(0, 2), or all of them */
    bool keepdim;   /**< keep what was reduced with size 1 */
    char fa__end;   /**< the end of what this version knows */
} fa_any_options;

/** Whether any element over dimensions is true, as bool; of none none is. PyTorch gives u8 for u8.
 *
 *      fa_any(x, .dim = FA_ALL, .keepdim = false, .out = NULL)
 *
 *  @param x any dtype: what is not 0 is true, NaN too
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_any(const fa_tensor *x, const fa_any_options *options);

/** Options of fa_count_nonzero(). */
typedef struct fa_count_nonzero_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    fa_dims dim;    /**< one dimension, FA_DIMS(0, 2), or all of them */
    bool keepdim;   /**< keep what was reduced with size 1 */
    char fa__end;   /**< the end of what this version knows */
} fa_count_nonzero_options;

/** How many elements over dimensions are not 0, as i64; NaN is not.
 *
 *      fa_count_nonzero(x, .dim = FA_ALL, .keepdim = false, .out = NULL)
 *
 *  @param x any dtype: what is not 0 is true, NaN too
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_count_nonzero(const fa_tensor *x, const fa_count_nonzero_options *options);

/** Options of fa_sum_to(). */
typedef struct fa_sum_to_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_sum_to_options;

/** Undoes a broadcast: sums x down to the shape of another tensor. Integers and bool are summed in i64.
 *
 *      fa_sum_to(x, like, .out = NULL)
 *
 *  @param x to be made larger or smaller
 *  @param like gives the shape, nothing else
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_sum_to(const fa_tensor *x, const fa_tensor *like, const fa_sum_to_options *options);

/** @} */

/** @name Scans along a dimension
 *  each element of the result combines all elements up to its own. They are combined in one
 *  fixed order (backend/scan.h): the same bits on every device and for any number of threads.
 *  @{ */

/** Options of fa_cumsum(). */
typedef struct fa_cumsum_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    fa_dtype dtype; /**< of the result, and what elements are converted to before; not bool */
    char fa__end;   /**< the end of what this version knows */
} fa_cumsum_options;

/** Sums of all elements up to each one, along a dimension. Integers and bool are summed in i64.
 *
 *      fa_cumsum(x, dim, .dtype = FA_SAME, .out = NULL)
 *
 *  @param x any dtype
 *  @param dim the dimension to go along; negative counts from the end
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_cumsum(const fa_tensor *x, int64_t dim, const fa_cumsum_options *options);

/** Options of fa_cumprod(). */
typedef struct fa_cumprod_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    fa_dtype dtype; /**< of the result, and what elements are converted to before; not bool */
    char fa__end;   /**< the end of what this version knows */
} fa_cumprod_options;

/** Products of all elements up to each one, along a dimension. Integers and bool are multiplied in i64. The gradient
 *  divides by nothing: it is right with zeros among the elements.
 *
 *      fa_cumprod(x, dim, .dtype = FA_SAME, .out = NULL)
 *
 *  @param x any dtype
 *  @param dim the dimension to go along; negative counts from the end
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_cumprod(const fa_tensor *x, int64_t dim, const fa_cumprod_options *options);

/** The results of fa_cummax(). */
typedef struct fa_cummax_result {
    fa_tensor *values;  /**< see fa_cummax() */
    fa_tensor *indices; /**< see fa_cummax() */
} fa_cummax_result;

/** The largest of all elements up to each one, along a dimension, and where it is: of equal ones the last. From the
 *  first NaN on all are NaN. The chosen element gets the gradient.
 *
 *      fa_cummax(x, dim)
 *
 *  @param x a tensor
 *  @param dim the dimension to go along; negative counts from the end
 *  @return the results; NULLs after an error */
FA_API fa_cummax_result fa_cummax(const fa_tensor *x, int64_t dim);

/** The results of fa_cummin(). */
typedef struct fa_cummin_result {
    fa_tensor *values;  /**< see fa_cummin() */
    fa_tensor *indices; /**< see fa_cummin() */
} fa_cummin_result;

/** The smallest of all elements up to each one, along a dimension, and where it is: of equal ones the last. From the
 *  first NaN on all are NaN. The chosen element gets the gradient.
 *
 *      fa_cummin(x, dim)
 *
 *  @param x a tensor
 *  @param dim the dimension to go along; negative counts from the end
 *  @return the results; NULLs after an error */
FA_API fa_cummin_result fa_cummin(const fa_tensor *x, int64_t dim);

/** Options of fa_logcumsumexp(). */
typedef struct fa_logcumsumexp_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_logcumsumexp_options;

/** Logarithms of the sums of exp(x) up to each element, along a dimension, computed from differences to the largest
 *  element so far. Elements that follow nothing but -infinity give -infinity, and get no gradient.
 *
 *      fa_logcumsumexp(x, dim, .out = NULL)
 *
 *  @param x a tensor
 *  @param dim the dimension to go along; negative counts from the end
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_logcumsumexp(const fa_tensor *x, int64_t dim, const fa_logcumsumexp_options *options);

/** @} */

/** @name Searching in what is sorted
 *  @{ */

/** Options of fa_searchsorted(). */
typedef struct fa_searchsorted_options {
    size_t size;             /**< set by the macro */
    fa_tensor *out;          /**< where to write, instead of into new memory */
    const fa_tensor *sorter; /**< of the sequence's shape, what fa_argsort() gives where that is not sorted */
    bool right;              /**< behind elements that are equal, instead of before them: PyTorch's side */
    bool out_int32;          /**< i32 instead of i64 */
    char fa__end;            /**< the end of what this version knows */
} fa_searchsorted_options;

/** Where each value would be put into a sorted sequence so that it stays sorted: before all elements that are equal,
 *  so that elements below it stand in front; or behind them. Dtypes promote. NaN is above all numbers, as fa_sort()
 *  puts it (PyTorch's places are wrong then), and as a value belongs at the end. A sequence that is not sorted gives
 *  places without meaning.
 *
 *      fa_searchsorted(sorted_sequence, values, .sorter = NULL, .right = false, .out_int32 = false, .out = NULL)
 *
 *  @param sorted_sequence (n), or (..., n): in ascending order along the last dimension
 *  @param values any shape for a sequence of one dimension, (..., m) for others; or a number
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_searchsorted(const fa_tensor *sorted_sequence, fa_arg values, const fa_searchsorted_options *options);

/** Options of fa_bucketize(). */
typedef struct fa_bucketize_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    bool right;     /**< an element that is a boundary belongs above it, instead of below */
    bool out_int32; /**< i32 instead of i64 */
    char fa__end;   /**< the end of what this version knows */
} fa_bucketize_options;

/** For each element the number of the bucket that it is in: number i is above boundary i - 1 and up to boundary i,
 *  which belongs to it; or, with .right, to the next one. As fa_searchsorted() with the operands exchanged.
 *
 *      fa_bucketize(x, boundaries, .right = false, .out_int32 = false, .out = NULL)
 *
 *  @param x any shape, or a number
 *  @param boundaries (n), in ascending order
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_bucketize(fa_arg x, const fa_tensor *boundaries, const fa_bucketize_options *options);

/** Options of fa_isin(). */
typedef struct fa_isin_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    bool invert;    /**< whether it is none of them */
    char fa__end;   /**< the end of what this version knows */
} fa_isin_options;

/** For each element whether it is one of the test elements: bool, of the elements' shape. NaN is none of them.
 *
 *      fa_isin(elements, test_elements, .invert = false, .out = NULL)
 *
 *  @param elements any shape, or a number
 *  @param test_elements any shape, or a number
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_isin(fa_arg elements, fa_arg test_elements, const fa_isin_options *options);

/** @} */

/** @name Sorting, and what is found by it
 *  the largest elements, the k-th one.
 *  @{ */

/** The results of fa_sort(). */
typedef struct fa_sort_result {
    fa_tensor *values;  /**< see fa_sort() */
    fa_tensor *indices; /**< see fa_sort() */
} fa_sort_result;

/** Options of fa_sort(). */
typedef struct fa_sort_options {
    size_t size;     /**< set by the macro */
    int64_t dim;     /**< the dimension to sort along; negative counts from the end */
    bool descending; /**< the largest first */
    char fa__end;    /**< the end of what this version knows */
} fa_sort_options;

/** The elements in order along a dimension, and where each of them stood (i64). Equal elements keep their order, also
 *  when the largest come first. NaN is larger than everything, and equal to itself; -0 equals 0.
 *  PyTorch promises the order of equal elements only when asked for stable=True.
 *
 *      fa_sort(x, .dim = -1, .descending = false)
 *
 *  @param x a tensor
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the results; NULLs after an error */
FA_API fa_sort_result fa_sort(const fa_tensor *x, const fa_sort_options *options);

/** Options of fa_argsort(). */
typedef struct fa_argsort_options {
    size_t size;     /**< set by the macro */
    fa_tensor *out;  /**< where to write, instead of into new memory */
    int64_t dim;     /**< the dimension to sort along; negative counts from the end */
    bool descending; /**< the largest first */
    char fa__end;    /**< the end of what this version knows */
} fa_argsort_options;

/** Where the elements stand that fa_sort() puts in order along a dimension (i64).
 *
 *      fa_argsort(x, .dim = -1, .descending = false, .out = NULL)
 *
 *  @param x a tensor
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_argsort(const fa_tensor *x, const fa_argsort_options *options);

/** The results of fa_topk(). */
typedef struct fa_topk_result {
    fa_tensor *values;  /**< see fa_topk() */
    fa_tensor *indices; /**< see fa_topk() */
} fa_topk_result;

/** Options of fa_topk(). */
typedef struct fa_topk_options {
    size_t size;  /**< set by the macro */
    int64_t dim;  /**< the dimension to search; negative counts from the end */
    bool largest; /**< otherwise the smallest */
    char fa__end; /**< the end of what this version knows */
} fa_topk_options;

/** The k largest elements along a dimension, the largest first, or the k smallest, the smallest first, and where they
 *  are (i64). Of equal elements that with the lowest index comes first. NaN is larger than everything.
 *  PyTorch leaves the order of equal elements open, and with sorted=False that of all; of a 0-dim x it takes a k of 0
 *  as 1, which is an error here.
 *
 *      fa_topk(x, k, .dim = -1, .largest = true)
 *
 *  @param x a tensor
 *  @param k how many, at most the size of dim
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the results; NULLs after an error */
FA_API fa_topk_result fa_topk(const fa_tensor *x, int64_t k, const fa_topk_options *options);

/** The results of fa_kthvalue(). */
typedef struct fa_kthvalue_result {
    fa_tensor *values;  /**< see fa_kthvalue() */
    fa_tensor *indices; /**< see fa_kthvalue() */
} fa_kthvalue_result;

/** Options of fa_kthvalue(). */
typedef struct fa_kthvalue_options {
    size_t size;  /**< set by the macro */
    int64_t dim;  /**< the dimension to search; negative counts from the end */
    bool keepdim; /**< keep dim with size 1 */
    char fa__end; /**< the end of what this version knows */
} fa_kthvalue_options;

/** The k-th smallest element along a dimension, and where it is (i64); of equal ones it is the k-th of fa_sort().
 *  NaN is larger than everything.
 *
 *      fa_kthvalue(x, k, .dim = -1, .keepdim = false)
 *
 *  @param x at least one element along dim
 *  @param k which one, from 1: the smallest
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the results; NULLs after an error */
FA_API fa_kthvalue_result fa_kthvalue(const fa_tensor *x, int64_t k, const fa_kthvalue_options *options);

/** @} */

/** @name Differences, spreads, weighted means and covariances
 *  @{ */

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

/** @} */

/** @name Different elements, each once, where they went and how often there are
 *  in order of size, or of neighbours.
 *  @{ */

/** The results of fa_unique(). */
typedef struct fa_unique_result {
    fa_tensor *values;  /**< see fa_unique() */
    fa_tensor *inverse; /**< see fa_unique() */
    fa_tensor *counts;  /**< see fa_unique() */
} fa_unique_result;

/** Options of fa_unique(). */
typedef struct fa_unique_options {
    size_t size;         /**< set by the macro */
    int64_t dim;         /**< whose slices are compared, negative from the end; by default elements are */
    bool return_inverse; /**< also where each element went */
    bool return_counts;  /**< also how often there is each */
    char fa__end;        /**< the end of what this version knows */
} fa_unique_options;

/** The different elements in ascending order, each once; where each element of x went, of x's shape; and how often
 *  there is each (both i64). What is not asked for is NULL. Along a dimension it is the different slices, in the order
 *  of their first elements that differ. NaN is different from everything, itself too, and comes last; of -0 and 0 it is
 *  that which is first in x. How many there are is read, which waits for it. There is no gradient.
 *
 *      fa_unique(x, .dim = INT64_MIN, .return_inverse = false, .return_counts = false)
 *
 *  @param x a tensor
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the results; NULLs after an error */
FA_API fa_unique_result fa_unique(const fa_tensor *x, const fa_unique_options *options);

/** The results of fa_unique_consecutive(). */
typedef struct fa_unique_consecutive_result {
    fa_tensor *values;  /**< see fa_unique_consecutive() */
    fa_tensor *inverse; /**< see fa_unique_consecutive() */
    fa_tensor *counts;  /**< see fa_unique_consecutive() */
} fa_unique_consecutive_result;

/** Options of fa_unique_consecutive(). */
typedef struct fa_unique_consecutive_options {
    size_t size;         /**< set by the macro */
    int64_t dim;         /**< whose slices are compared, negative from the end; by default elements are */
    bool return_inverse; /**< also where each element went */
    bool return_counts;  /**< also how often there is each */
    char fa__end;        /**< the end of what this version knows */
} fa_unique_consecutive_options;

/** The elements, or the slices along a dimension, without those that equal the one right before; else as
 *  fa_unique().
 *
 *      fa_unique_consecutive(x, .dim = INT64_MIN, .return_inverse = false, .return_counts = false)
 *
 *  @param x a tensor
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the results; NULLs after an error */
FA_API fa_unique_consecutive_result fa_unique_consecutive(const fa_tensor *x, const fa_unique_consecutive_options *options);

/** @} */

/** @} */

/** @cond */
/* How named options, and numbers in the place of tensors, reach the functions above. */
#define FA__DEFAULT_fa_amax {offsetof(fa_amax_options, fa__end), NULL, FA_ALL, false, 0}
#define fa_amax(...) FA__CALL1(fa_amax, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_amin {offsetof(fa_amin_options, fa__end), NULL, FA_ALL, false, 0}
#define fa_amin(...) FA__CALL1(fa_amin, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_aminmax {offsetof(fa_aminmax_options, fa__end), FA_ALL, false, 0}
#define fa_aminmax(...) FA__CALL1(fa_aminmax, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_max {offsetof(fa_max_options, fa__end), false, 0}
#define fa_max(...) FA__CALL2(fa_max, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_min {offsetof(fa_min_options, fa__end), false, 0}
#define fa_min(...) FA__CALL2(fa_min, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_argmax {offsetof(fa_argmax_options, fa__end), NULL, FA_ALL, false, 0}
#define fa_argmax(...) FA__CALL1(fa_argmax, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_argmin {offsetof(fa_argmin_options, fa__end), NULL, FA_ALL, false, 0}
#define fa_argmin(...) FA__CALL1(fa_argmin, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_bincount {offsetof(fa_bincount_options, fa__end), NULL, NULL, 0, 0}
#define fa_bincount(...) FA__CALL1(fa_bincount, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_histogram {offsetof(fa_histogram_options, fa__end), 100, 0, 0, NULL, NULL, false, 0}
#define fa_histogram(...) FA__CALL1(fa_histogram, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_var {offsetof(fa_var_options, fa__end), NULL, FA_ALL, 1, false, 0}
#define fa_var(...) FA__CALL1(fa_var, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_std {offsetof(fa_std_options, fa__end), NULL, FA_ALL, 1, false, 0}
#define fa_std(...) FA__CALL1(fa_std, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_var_mean {offsetof(fa_var_mean_options, fa__end), FA_ALL, 1, false, 0}
#define fa_var_mean(...) FA__CALL1(fa_var_mean, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_std_mean {offsetof(fa_std_mean_options, fa__end), FA_ALL, 1, false, 0}
#define fa_std_mean(...) FA__CALL1(fa_std_mean, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_norm {offsetof(fa_norm_options, fa__end), NULL, 2, FA_ALL, false, FA_SAME, 0}
#define fa_norm(...) FA__CALL1(fa_norm, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_logsumexp {offsetof(fa_logsumexp_options, fa__end), NULL, FA_ALL, false, 0}
#define fa_logsumexp(...) FA__CALL1(fa_logsumexp, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_median {offsetof(fa_median_options, fa__end), FA_ALL, false, 0}
#define fa_median(...) FA__CALL1(fa_median, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_nanmedian {offsetof(fa_nanmedian_options, fa__end), FA_ALL, false, 0}
#define fa_nanmedian(...) FA__CALL1(fa_nanmedian, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_mode {offsetof(fa_mode_options, fa__end), -1, false, 0}
#define fa_mode(...) FA__CALL1(fa_mode, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_quantile {offsetof(fa_quantile_options, fa__end), NULL, FA_ALL, false, "linear", 0}
#define fa_quantile(...) FA__CALL2(fa_quantile, FA__SAME, FA__ARG, __VA_ARGS__)
#define FA__DEFAULT_fa_nanquantile {offsetof(fa_nanquantile_options, fa__end), NULL, FA_ALL, false, "linear", 0}
#define fa_nanquantile(...) FA__CALL2(fa_nanquantile, FA__SAME, FA__ARG, __VA_ARGS__)
#define FA__DEFAULT_fa_sum {offsetof(fa_sum_options, fa__end), NULL, FA_ALL, false, FA_SAME, 0}
#define fa_sum(...) FA__CALL1(fa_sum, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_nansum {offsetof(fa_nansum_options, fa__end), NULL, FA_ALL, false, FA_SAME, 0}
#define fa_nansum(...) FA__CALL1(fa_nansum, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_mean {offsetof(fa_mean_options, fa__end), NULL, FA_ALL, false, FA_SAME, 0}
#define fa_mean(...) FA__CALL1(fa_mean, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_nanmean {offsetof(fa_nanmean_options, fa__end), NULL, FA_ALL, false, FA_SAME, 0}
#define fa_nanmean(...) FA__CALL1(fa_nanmean, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_prod {offsetof(fa_prod_options, fa__end), NULL, FA_ALL, false, FA_SAME, 0}
#define fa_prod(...) FA__CALL1(fa_prod, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_all {offsetof(fa_all_options, fa__end), NULL, FA_ALL, false, 0}
#define fa_all(...) FA__CALL1(fa_all, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_any {offsetof(fa_any_options, fa__end), NULL, FA_ALL, false, 0}
#define fa_any(...) FA__CALL1(fa_any, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_count_nonzero {offsetof(fa_count_nonzero_options, fa__end), NULL, FA_ALL, false, 0}
#define fa_count_nonzero(...) FA__CALL1(fa_count_nonzero, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_sum_to {offsetof(fa_sum_to_options, fa__end), NULL, 0}
#define fa_sum_to(...) FA__CALL2(fa_sum_to, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_cumsum {offsetof(fa_cumsum_options, fa__end), NULL, FA_SAME, 0}
#define fa_cumsum(...) FA__CALL2(fa_cumsum, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_cumprod {offsetof(fa_cumprod_options, fa__end), NULL, FA_SAME, 0}
#define fa_cumprod(...) FA__CALL2(fa_cumprod, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_logcumsumexp {offsetof(fa_logcumsumexp_options, fa__end), NULL, 0}
#define fa_logcumsumexp(...) FA__CALL2(fa_logcumsumexp, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_searchsorted {offsetof(fa_searchsorted_options, fa__end), NULL, NULL, false, false, 0}
#define fa_searchsorted(...) FA__CALL2(fa_searchsorted, FA__SAME, FA__ARG, __VA_ARGS__)
#define FA__DEFAULT_fa_bucketize {offsetof(fa_bucketize_options, fa__end), NULL, false, false, 0}
#define fa_bucketize(...) FA__CALL2(fa_bucketize, FA__ARG, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_isin {offsetof(fa_isin_options, fa__end), NULL, false, 0}
#define fa_isin(...) FA__CALL2(fa_isin, FA__ARG, FA__ARG, __VA_ARGS__)
#define FA__DEFAULT_fa_sort {offsetof(fa_sort_options, fa__end), -1, false, 0}
#define fa_sort(...) FA__CALL1(fa_sort, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_argsort {offsetof(fa_argsort_options, fa__end), NULL, -1, false, 0}
#define fa_argsort(...) FA__CALL1(fa_argsort, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_topk {offsetof(fa_topk_options, fa__end), -1, true, 0}
#define fa_topk(...) FA__CALL2(fa_topk, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_kthvalue {offsetof(fa_kthvalue_options, fa__end), -1, false, 0}
#define fa_kthvalue(...) FA__CALL2(fa_kthvalue, FA__SAME, FA__SAME, __VA_ARGS__)
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
#define FA__DEFAULT_fa_unique {offsetof(fa_unique_options, fa__end), INT64_MIN, false, false, 0}
#define fa_unique(...) FA__CALL1(fa_unique, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_unique_consecutive {offsetof(fa_unique_consecutive_options, fa__end), INT64_MIN, false, false, 0}
#define fa_unique_consecutive(...) FA__CALL1(fa_unique_consecutive, FA__SAME, __VA_ARGS__)
/** @endcond */

FA__END
#endif
