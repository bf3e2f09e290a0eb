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
 *  @ingroup ops
 *  @{ */

/** @name Maximum and minimum over dimensions, argmax and argmin
 *  @{ */

/** Options of fa_amax(). */
typedef struct fa_amax_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    fa_dims dim;    /**< one dimension, several as FA_DIMS(0, 2), or all: FA_ALL */
    bool keepdim;   /**< true: keep the reduced dimensions with size 1 */
    char fa__end;   /**< marks the end of this version's options */
} fa_amax_options;

/** The largest elements over dimensions. NaN counts as the largest; equal maxima share the gradient evenly.
 *
 *      fa_amax(x, .dim = FA_ALL, .keepdim = false, .out = NULL)
 *
 *  @param x at least one element along the reduced dimensions
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_amax(const fa_tensor *x, const fa_amax_options *options);

/** Options of fa_amin(). */
typedef struct fa_amin_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    fa_dims dim;    /**< one dimension, several as FA_DIMS(0, 2), or all: FA_ALL */
    bool keepdim;   /**< true: keep the reduced dimensions with size 1 */
    char fa__end;   /**< marks the end of this version's options */
} fa_amin_options;

/** The smallest elements over dimensions. NaN counts as the smallest; equal minima share the gradient evenly.
 *
 *      fa_amin(x, .dim = FA_ALL, .keepdim = false, .out = NULL)
 *
 *  @param x at least one element along the reduced dimensions
 *  @param options the named options, packed by the macro; NULL: the defaults
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
    fa_dims dim;  /**< one dimension, several as FA_DIMS(0, 2), or all: FA_ALL */
    bool keepdim; /**< true: keep the reduced dimensions with size 1 */
    char fa__end; /**< marks the end of this version's options */
} fa_aminmax_options;

/** The smallest and the largest elements over dimensions. NaN gives NaN for both; equal elements share the gradients
 *  evenly.
 *
 *      fa_aminmax(x, .dim = FA_ALL, .keepdim = false)
 *
 *  @param x at least one element along the reduced dimensions
 *  @param options the named options, packed by the macro; NULL: the defaults
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
    bool keepdim; /**< true: keep dim with size 1 */
    char fa__end; /**< marks the end of this version's options */
} fa_max_options;

/** The largest elements along a dimension and their indices (i64). NaN counts as the largest. Of equal elements the
 *  first is selected, and gets the whole gradient. For the maximum of all elements use fa_amax().
 *
 *      fa_max(x, dim, .keepdim = false)
 *
 *  @param x at least one element along dim
 *  @param dim the dimension to reduce; negative counts from the end
 *  @param options the named options, packed by the macro; NULL: the defaults
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
    bool keepdim; /**< true: keep dim with size 1 */
    char fa__end; /**< marks the end of this version's options */
} fa_min_options;

/** The smallest elements along a dimension and their indices (i64). NaN counts as the smallest. Of equal elements the
 *  first is selected, and gets the whole gradient. For the minimum of all elements use fa_amin().
 *
 *      fa_min(x, dim, .keepdim = false)
 *
 *  @param x at least one element along dim
 *  @param dim the dimension to reduce; negative counts from the end
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the results; NULLs after an error */
FA_API fa_min_result fa_min(const fa_tensor *x, int64_t dim, const fa_min_options *options);

/** Options of fa_argmax(). */
typedef struct fa_argmax_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    fa_dims dim;    /**< one dimension; by default x is flattened */
    bool keepdim;   /**< true: keep dim with size 1 */
    char fa__end;   /**< marks the end of this version's options */
} fa_argmax_options;

/** The index (i64) of the largest element along a dimension, or in the flattened x. NaN counts as the largest; of equal
 *  elements the first is selected.
 *
 *      fa_argmax(x, .dim = FA_ALL, .keepdim = false, .out = NULL)
 *
 *  @param x at least one element along the reduced dimensions
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_argmax(const fa_tensor *x, const fa_argmax_options *options);

/** Options of fa_argmin(). */
typedef struct fa_argmin_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    fa_dims dim;    /**< one dimension; by default x is flattened */
    bool keepdim;   /**< true: keep dim with size 1 */
    char fa__end;   /**< marks the end of this version's options */
} fa_argmin_options;

/** The index (i64) of the smallest element along a dimension, or in the flattened x. NaN counts as the smallest; of
 *  equal elements the first is selected.
 *
 *      fa_argmin(x, .dim = FA_ALL, .keepdim = false, .out = NULL)
 *
 *  @param x at least one element along the reduced dimensions
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_argmin(const fa_tensor *x, const fa_argmin_options *options);

/** @} */

/** @name Histograms
 *  bincount for integers, histogram for intervals.
 *  @{ */

/** Options of fa_bincount(). */
typedef struct fa_bincount_options {
    size_t size;              /**< set by the macro */
    fa_tensor *out;           /**< the tensor to write the result into; NULL: a new one */
    const fa_tensor *weights; /**< (n): weights to sum; NULL: elements are counted */
    int64_t minlength;        /**< minimum size of the result */
    char fa__end;             /**< marks the end of this version's options */
} fa_bincount_options;

/** Counts how often each integer occurs in x: y[i] is the number of elements equal to i, as i64, or the sum of their
 *  weights (f32 for f32 weights, else f64; added in order). The size is the largest element + 1, at least minlength,
 *  which the host reads from x: it waits for it.
 *
 *      fa_bincount(x, .weights = NULL, .minlength = 0, .out = NULL)
 *
 *  @param x (n) integers, 0 or larger
 *  @param options the named options, packed by the macro; NULL: the defaults
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
    int64_t bins;            /**< number of intervals of equal width */
    double min;              /**< lower end of the range; min = max = 0: x's smallest element */
    double max;              /**< upper end of the range; min = max = 0: x's largest element */
    const fa_tensor *edges;  /**< (k + 1), ascending: edges of k intervals; NULL: bins of equal width */
    const fa_tensor *weight; /**< weights to sum, in x's shape; NULL: elements are counted */
    bool density;            /**< true: normalize so that the integral over the range is 1 */
    char fa__end;            /**< marks the end of this version's options */
} fa_histogram_options;

/** A histogram: the number of elements in each interval, and the edges of the intervals. Each interval includes its
 *  lower edge, the last one both. Elements outside the range and NaN are ignored. If the range comes from x, the host
 *  waits for x, and NaN or infinity in it is an error. Counts are exact integers, converted to x's dtype.
 *
 *      fa_histogram(x, .bins = 100, .min = 0, .max = 0, .edges = NULL, .weight = NULL, .density = false)
 *
 *  @param x floating, any shape
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the results; NULLs after an error */
FA_API fa_histogram_result fa_histogram(const fa_tensor *x, const fa_histogram_options *options);

/** @} */

/** @name Variance and standard deviation over dimensions
 *  @{ */

/** Options of fa_var(). */
typedef struct fa_var_options {
    size_t size;       /**< set by the macro */
    fa_tensor *out;    /**< the tensor to write the result into; NULL: a new one */
    fa_dims dim;       /**< one dimension, several as FA_DIMS(0, 2), or all: FA_ALL */
    double correction; /**< the sum of squared differences is divided by (number of elements - correction) */
    bool keepdim;      /**< true: keep the reduced dimensions with size 1 */
    char fa__end;      /**< marks the end of this version's options */
} fa_var_options;

/** The variance over dimensions: sum((x - mean)^2) / (n - correction), computed in two passes. With correction 1 the
 *  variance of a single element is NaN.
 *
 *      fa_var(x, .dim = FA_ALL, .correction = 1, .keepdim = false, .out = NULL)
 *
 *  @param x floating
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_var(const fa_tensor *x, const fa_var_options *options);

/** Options of fa_std(). */
typedef struct fa_std_options {
    size_t size;       /**< set by the macro */
    fa_tensor *out;    /**< the tensor to write the result into; NULL: a new one */
    fa_dims dim;       /**< one dimension, several as FA_DIMS(0, 2), or all: FA_ALL */
    double correction; /**< the sum of squared differences is divided by (number of elements - correction) */
    bool keepdim;      /**< true: keep the reduced dimensions with size 1 */
    char fa__end;      /**< marks the end of this version's options */
} fa_std_options;

/** The standard deviation over dimensions: the square root of fa_var(). Where it is 0, its gradient is 0.
 *
 *      fa_std(x, .dim = FA_ALL, .correction = 1, .keepdim = false, .out = NULL)
 *
 *  @param x floating
 *  @param options the named options, packed by the macro; NULL: the defaults
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
    fa_dims dim;       /**< one dimension, several as FA_DIMS(0, 2), or all: FA_ALL */
    double correction; /**< the sum of squared differences is divided by (number of elements - correction) */
    bool keepdim;      /**< true: keep the reduced dimensions with size 1 */
    char fa__end;      /**< marks the end of this version's options */
} fa_var_mean_options;

/** The variance, as fa_var(), and the mean.
 *
 *      fa_var_mean(x, .dim = FA_ALL, .correction = 1, .keepdim = false)
 *
 *  @param x floating
 *  @param options the named options, packed by the macro; NULL: the defaults
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
    fa_dims dim;       /**< one dimension, several as FA_DIMS(0, 2), or all: FA_ALL */
    double correction; /**< the sum of squared differences is divided by (number of elements - correction) */
    bool keepdim;      /**< true: keep the reduced dimensions with size 1 */
    char fa__end;      /**< marks the end of this version's options */
} fa_std_mean_options;

/** The standard deviation, as fa_std(), and the mean.
 *
 *      fa_std_mean(x, .dim = FA_ALL, .correction = 1, .keepdim = false)
 *
 *  @param x floating
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the results; NULLs after an error */
FA_API fa_std_mean_result fa_std_mean(const fa_tensor *x, const fa_std_mean_options *options);

/** @} */

/** @name Vector norms, logsumexp
 *  @{ */

/** Options of fa_norm(). */
typedef struct fa_norm_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    double p;       /**< the p of the p-norm: any number, infinity or -infinity */
    fa_dims dim;    /**< one dimension, several as FA_DIMS(0, 2), or all: FA_ALL */
    bool keepdim;   /**< true: keep the reduced dimensions with size 1 */
    fa_dtype dtype; /**< the floating dtype of the result */
    char fa__end;   /**< marks the end of this version's options */
} fa_norm_options;

/** The p-norm of vectors over dimensions: sum(|x|^p)^(1/p). p = infinity gives the largest |x|, p = -infinity the
 *  smallest, p = 0 the number of nonzero elements. The gradient is 0 at elements that are 0 and where the norm is 0;
 *  with infinite p, elements of equal magnitude share it evenly.
 *
 *      fa_norm(x, .p = 2, .dim = FA_ALL, .keepdim = false, .dtype = FA_SAME, .out = NULL)
 *
 *  @param x floating
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_norm(const fa_tensor *x, const fa_norm_options *options);

/** Options of fa_logsumexp(). */
typedef struct fa_logsumexp_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    fa_dims dim;    /**< one dimension, several as FA_DIMS(0, 2), or all: FA_ALL */
    bool keepdim;   /**< true: keep the reduced dimensions with size 1 */
    char fa__end;   /**< marks the end of this version's options */
} fa_logsumexp_options;

/** log(sum(exp(x))) over dimensions, computed after subtracting the maximum. For no elements, or only -infinity, the
 *  result is -infinity and the gradient 0.
 *
 *      fa_logsumexp(x, .dim = FA_ALL, .keepdim = false, .out = NULL)
 *
 *  @param x any dtype; integers and bool give f32
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_logsumexp(const fa_tensor *x, const fa_logsumexp_options *options);

/** @} */

/** @name Median, mode and quantiles
 *  Elements are sorted along a dimension or over the flattened tensor, with NaN last.
 *  @{ */

/** The results of fa_median(). */
typedef struct fa_median_result {
    fa_tensor *values;  /**< see fa_median() */
    fa_tensor *indices; /**< see fa_median() */
} fa_median_result;

/** Options of fa_median(). */
typedef struct fa_median_options {
    size_t size;  /**< set by the macro */
    fa_dims dim;  /**< one dimension; by default x is flattened */
    bool keepdim; /**< true: keep dim with size 1 */
    char fa__end; /**< marks the end of this version's options */
} fa_median_options;

/** The median along a dimension or of the flattened x, and its index (i64). For an even number of elements it is the
 *  lower of the two middle ones. If there is a NaN, the result is the first NaN. Of equal elements the index is the one
 *  that fa_sort() puts there (unspecified in PyTorch); that element gets the gradient.
 *
 *      fa_median(x, .dim = FA_ALL, .keepdim = false)
 *
 *  @param x at least one element along the reduced dimension (PyTorch gives NaN for none)
 *  @param options the named options, packed by the macro; NULL: the defaults
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
    fa_dims dim;  /**< one dimension; by default x is flattened */
    bool keepdim; /**< true: keep dim with size 1 */
    char fa__end; /**< marks the end of this version's options */
} fa_nanmedian_options;

/** Like fa_median(), ignoring NaN; if all elements are NaN the result is NaN.
 *
 *      fa_nanmedian(x, .dim = FA_ALL, .keepdim = false)
 *
 *  @param x at least one element along the reduced dimension (PyTorch gives NaN for none)
 *  @param options the named options, packed by the macro; NULL: the defaults
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
    int64_t dim;  /**< the dimension to reduce; negative counts from the end */
    bool keepdim; /**< true: keep dim with size 1 */
    char fa__end; /**< marks the end of this version's options */
} fa_mode_options;

/** The most frequent element along a dimension (the smallest of several), and the index of its last occurrence (i64). A
 *  NaN is not equal to any other. The selected element gets the gradient.
 *
 *      fa_mode(x, .dim = -1, .keepdim = false)
 *
 *  @param x at least one element along dim
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the results; NULLs after an error */
FA_API fa_mode_result fa_mode(const fa_tensor *x, const fa_mode_options *options);

/** Options of fa_quantile(). */
typedef struct fa_quantile_options {
    size_t size;               /**< set by the macro */
    fa_tensor *out;            /**< the tensor to write the result into; NULL: a new one */
    fa_dims dim;               /**< one dimension; by default x is flattened */
    bool keepdim;              /**< true: keep dim with size 1 */
    const char *interpolation; /**< "linear", "lower", "higher", "midpoint" or "nearest" */
    char fa__end;              /**< marks the end of this version's options */
} fa_quantile_options;

/** The q-quantile along a dimension or of the flattened x, interpolated between two elements. With a NaN the result is
 *  NaN. If q is 1-dimensional, its dimension comes first in the result. A number q outside 0 to 1 is an error at once;
 *  an element of a tensor q outside of it is an FA_ERROR_INDEX, which a GPU reports at the next wait. Ranks in lines of
 *  more than 2^24 elements are computed in f64, which the device then has to support.
 *
 *      fa_quantile(x, q, .dim = FA_ALL, .keepdim = false, .interpolation = "linear", .out = NULL)
 *
 *  @param x f32 or f64; at least one element along the reduced dimension
 *  @param q from 0 to 1: a number, a 0-dim or a 1-dimensional tensor
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_quantile(const fa_tensor *x, fa_arg q, const fa_quantile_options *options);

/** Options of fa_nanquantile(). */
typedef struct fa_nanquantile_options {
    size_t size;               /**< set by the macro */
    fa_tensor *out;            /**< the tensor to write the result into; NULL: a new one */
    fa_dims dim;               /**< one dimension; by default x is flattened */
    bool keepdim;              /**< true: keep dim with size 1 */
    const char *interpolation; /**< "linear", "lower", "higher", "midpoint" or "nearest" */
    char fa__end;              /**< marks the end of this version's options */
} fa_nanquantile_options;

/** Like fa_quantile(), ignoring NaN; if all elements are NaN the result is NaN.
 *
 *      fa_nanquantile(x, q, .dim = FA_ALL, .keepdim = false, .interpolation = "linear", .out = NULL)
 *
 *  @param x f32 or f64; at least one element along the reduced dimension
 *  @param q from 0 to 1: a number, a 0-dim or a 1-dimensional tensor
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_nanquantile(const fa_tensor *x, fa_arg q, const fa_nanquantile_options *options);

/** @} */

/** @name Sum, mean, product, all and any
 *  Reduced dimensions are removed from the result's shape, or kept with size 1
 *  (keepdim). The summation order is fixed, a pairwise tree: the same bits on every device and for any number of
 *  threads.
 *  @{ */

/** Options of fa_sum(). */
typedef struct fa_sum_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    fa_dims dim;    /**< one dimension, several as FA_DIMS(0, 2), or all: FA_ALL */
    bool keepdim;   /**< true: keep the reduced dimensions with size 1 */
    fa_dtype dtype; /**< dtype of the result; elements are converted first (f16 and bf16 accumulate in f32) */
    char fa__end;   /**< marks the end of this version's options */
} fa_sum_options;

/** The sum over dimensions. Integers and bool are summed in i64; an empty sum is 0. With dtype bool the result is
 *  whether any element is nonzero.
 *
 *      fa_sum(x, .dim = FA_ALL, .keepdim = false, .dtype = FA_SAME, .out = NULL)
 *
 *  @param x any dtype
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_sum(const fa_tensor *x, const fa_sum_options *options);

/** Options of fa_nansum(). */
typedef struct fa_nansum_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    fa_dims dim;    /**< one dimension, several as FA_DIMS(0, 2), or all: FA_ALL */
    bool keepdim;   /**< true: keep the reduced dimensions with size 1 */
    fa_dtype dtype; /**< dtype of the result; elements are converted first (f16 and bf16 accumulate in f32) */
    char fa__end;   /**< marks the end of this version's options */
} fa_nansum_options;

/** The sum over dimensions, counting NaN as 0. Integers and bool are summed in i64; an empty sum is 0.
 *
 *      fa_nansum(x, .dim = FA_ALL, .keepdim = false, .dtype = FA_SAME, .out = NULL)
 *
 *  @param x any dtype
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_nansum(const fa_tensor *x, const fa_nansum_options *options);

/** Options of fa_mean(). */
typedef struct fa_mean_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    fa_dims dim;    /**< one dimension, several as FA_DIMS(0, 2), or all: FA_ALL */
    bool keepdim;   /**< true: keep the reduced dimensions with size 1 */
    fa_dtype dtype; /**< dtype of the result; elements are converted first (f16 and bf16 accumulate in f32) */
    char fa__end;   /**< marks the end of this version's options */
} fa_mean_options;

/** The mean over dimensions, accumulated in f32 or f64. The mean of no elements is NaN. Integers are an error.
 *
 *      fa_mean(x, .dim = FA_ALL, .keepdim = false, .dtype = FA_SAME, .out = NULL)
 *
 *  @param x any dtype
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_mean(const fa_tensor *x, const fa_mean_options *options);

/** Options of fa_nanmean(). */
typedef struct fa_nanmean_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    fa_dims dim;    /**< one dimension, several as FA_DIMS(0, 2), or all: FA_ALL */
    bool keepdim;   /**< true: keep the reduced dimensions with size 1 */
    fa_dtype dtype; /**< dtype of the result; elements are converted first (f16 and bf16 accumulate in f32) */
    char fa__end;   /**< marks the end of this version's options */
} fa_nanmean_options;

/** The mean over dimensions, ignoring NaN; if all elements are NaN the result is NaN. Integers are an error.
 *
 *      fa_nanmean(x, .dim = FA_ALL, .keepdim = false, .dtype = FA_SAME, .out = NULL)
 *
 *  @param x any dtype
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_nanmean(const fa_tensor *x, const fa_nanmean_options *options);

/** Options of fa_prod(). */
typedef struct fa_prod_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    fa_dims dim;    /**< one dimension, several as FA_DIMS(0, 2), or all: FA_ALL */
    bool keepdim;   /**< true: keep the reduced dimensions with size 1 */
    fa_dtype dtype; /**< dtype of the result; elements are converted first (f16 and bf16 accumulate in f32) */
    char fa__end;   /**< marks the end of this version's options */
} fa_prod_options;

/** The product over dimensions. Integers and bool are multiplied in i64; an empty product is 1. The gradient is exact
 *  also if elements are 0.
 *
 *      fa_prod(x, .dim = FA_ALL, .keepdim = false, .dtype = FA_SAME, .out = NULL)
 *
 *  @param x any dtype
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_prod(const fa_tensor *x, const fa_prod_options *options);

/** Options of fa_all(). */
typedef struct fa_all_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    fa_dims dim;    /**< one dimension, several as FA_DIMS(0, 2), or all: FA_ALL */
    bool keepdim;   /**< true: keep the reduced dimensions with size 1 */
    char fa__end;   /**< marks the end of this version's options */
} fa_all_options;

/** Whether all elements over dimensions are true (nonzero), as bool. An empty input gives true. PyTorch returns u8 for
 *  u8.
 *
 *      fa_all(x, .dim = FA_ALL, .keepdim = false, .out = NULL)
 *
 *  @param x any dtype; nonzero elements are true, including NaN
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_all(const fa_tensor *x, const fa_all_options *options);

/** Options of fa_any(). */
typedef struct fa_any_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    fa_dims dim;    /**< one dimension, several as FA_DIMS(0, 2), or all: FA_ALL */
    bool keepdim;   /**< true: keep the reduced dimensions with size 1 */
    char fa__end;   /**< marks the end of this version's options */
} fa_any_options;

/** Whether any element over dimensions is true (nonzero), as bool. An empty input gives false. PyTorch returns u8 for
 *  u8.
 *
 *      fa_any(x, .dim = FA_ALL, .keepdim = false, .out = NULL)
 *
 *  @param x any dtype; nonzero elements are true, including NaN
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_any(const fa_tensor *x, const fa_any_options *options);

/** Options of fa_count_nonzero(). */
typedef struct fa_count_nonzero_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    fa_dims dim;    /**< one dimension, several as FA_DIMS(0, 2), or all: FA_ALL */
    bool keepdim;   /**< true: keep the reduced dimensions with size 1 */
    char fa__end;   /**< marks the end of this version's options */
} fa_count_nonzero_options;

/** The number of nonzero elements over dimensions, as i64; NaN counts as nonzero.
 *
 *      fa_count_nonzero(x, .dim = FA_ALL, .keepdim = false, .out = NULL)
 *
 *  @param x any dtype; nonzero elements are true, including NaN
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_count_nonzero(const fa_tensor *x, const fa_count_nonzero_options *options);

/** Options of fa_sum_to(). */
typedef struct fa_sum_to_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_sum_to_options;

/** Sums x over the dimensions in which `like` was broadcast to x's shape: the gradient of broadcasting. The result has
 *  like's shape. Integers and bool are summed in i64.
 *
 *      fa_sum_to(x, like, .out = NULL)
 *
 *  @param x the tensor to reduce
 *  @param like only its shape is used
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_sum_to(const fa_tensor *x, const fa_tensor *like, const fa_sum_to_options *options);

/** @} */

/** @name Cumulative sums, products, maxima and logsumexp
 *  Each element of the result combines all elements up to its own
 *  position. The order is fixed (backend/scan.h): the same bits on every device and for any number of threads.
 *  @{ */

/** Options of fa_cumsum(). */
typedef struct fa_cumsum_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    fa_dtype dtype; /**< dtype of the result; elements are converted first; not bool */
    char fa__end;   /**< marks the end of this version's options */
} fa_cumsum_options;

/** The cumulative sum along a dimension: y[i] = x[0] + ... + x[i]. Integers and bool are summed in i64.
 *
 *      fa_cumsum(x, dim, .dtype = FA_SAME, .out = NULL)
 *
 *  @param x any dtype
 *  @param dim the dimension of the scan; negative counts from the end
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_cumsum(const fa_tensor *x, int64_t dim, const fa_cumsum_options *options);

/** Options of fa_cumprod(). */
typedef struct fa_cumprod_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    fa_dtype dtype; /**< dtype of the result; elements are converted first; not bool */
    char fa__end;   /**< marks the end of this version's options */
} fa_cumprod_options;

/** The cumulative product along a dimension: y[i] = x[0] * ... * x[i]. Integers and bool are multiplied in i64. The
 *  gradient is exact also if elements are 0.
 *
 *      fa_cumprod(x, dim, .dtype = FA_SAME, .out = NULL)
 *
 *  @param x any dtype
 *  @param dim the dimension of the scan; negative counts from the end
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_cumprod(const fa_tensor *x, int64_t dim, const fa_cumprod_options *options);

/** The results of fa_cummax(). */
typedef struct fa_cummax_result {
    fa_tensor *values;  /**< see fa_cummax() */
    fa_tensor *indices; /**< see fa_cummax() */
} fa_cummax_result;

/** The cumulative maximum along a dimension and its indices (i64); of equal elements, the last index. From the first
 *  NaN on, all values are NaN. The selected element gets the gradient.
 *
 *      fa_cummax(x, dim)
 *
 *  @param x a tensor
 *  @param dim the dimension of the scan; negative counts from the end
 *  @return the results; NULLs after an error */
FA_API fa_cummax_result fa_cummax(const fa_tensor *x, int64_t dim);

/** The results of fa_cummin(). */
typedef struct fa_cummin_result {
    fa_tensor *values;  /**< see fa_cummin() */
    fa_tensor *indices; /**< see fa_cummin() */
} fa_cummin_result;

/** The cumulative minimum along a dimension and its indices (i64); of equal elements, the last index. From the first
 *  NaN on, all values are NaN. The selected element gets the gradient.
 *
 *      fa_cummin(x, dim)
 *
 *  @param x a tensor
 *  @param dim the dimension of the scan; negative counts from the end
 *  @return the results; NULLs after an error */
FA_API fa_cummin_result fa_cummin(const fa_tensor *x, int64_t dim);

/** Options of fa_logcumsumexp(). */
typedef struct fa_logcumsumexp_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_logcumsumexp_options;

/** The cumulative logsumexp along a dimension: y[i] = log(exp(x[0]) + ... + exp(x[i])), computed with the running
 *  maximum subtracted. As long as all elements are -infinity, the result is -infinity and the gradient 0.
 *
 *      fa_logcumsumexp(x, dim, .out = NULL)
 *
 *  @param x a tensor
 *  @param dim the dimension of the scan; negative counts from the end
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_logcumsumexp(const fa_tensor *x, int64_t dim, const fa_logcumsumexp_options *options);

/** @} */

/** @name Binary search
 *  searchsorted, bucketize and isin.
 *  @{ */

/** Options of fa_searchsorted(). */
typedef struct fa_searchsorted_options {
    size_t size;             /**< set by the macro */
    fa_tensor *out;          /**< the tensor to write the result into; NULL: a new one */
    const fa_tensor *sorter; /**< if sorted_sequence is not sorted: its fa_argsort(), in its shape */
    bool right;              /**< true: insert after equal elements instead of before them (PyTorch's side="right") */
    bool out_int32;          /**< true: the result is i32 instead of i64 */
    char fa__end;            /**< marks the end of this version's options */
} fa_searchsorted_options;

/** The index at which each value would be inserted into a sorted sequence to keep it sorted: before equal elements, or
 *  after them with .right. The result has the shape of values. Dtypes are promoted. NaN sorts after all numbers, in the
 *  sequence as well as among the values (PyTorch's results are wrong for NaN in the sequence). For a sequence that is
 *  not sorted the result is unspecified.
 *
 *      fa_searchsorted(sorted_sequence, values, .sorter = NULL, .right = false, .out_int32 = false, .out = NULL)
 *
 *  @param sorted_sequence (n) or (..., n), ascending along the last dimension
 *  @param values any shape if sorted_sequence is 1-dimensional, else (..., m); or a number
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_searchsorted(const fa_tensor *sorted_sequence, fa_arg values, const fa_searchsorted_options *options);

/** Options of fa_bucketize(). */
typedef struct fa_bucketize_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    bool right;     /**< false: an element equal to boundary i is in bucket i; true: in bucket i + 1 */
    bool out_int32; /**< true: the result is i32 instead of i64 */
    char fa__end;   /**< marks the end of this version's options */
} fa_bucketize_options;

/** The number of the bucket that each element falls into: i with boundaries[i - 1] < x <= boundaries[i], or with .right
 *  boundaries[i - 1] <= x < boundaries[i]. It is fa_searchsorted() with the operands exchanged.
 *
 *      fa_bucketize(x, boundaries, .right = false, .out_int32 = false, .out = NULL)
 *
 *  @param x any shape, or a number
 *  @param boundaries (n), ascending
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_bucketize(fa_arg x, const fa_tensor *boundaries, const fa_bucketize_options *options);

/** Options of fa_isin(). */
typedef struct fa_isin_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    bool invert;    /**< true: the result is negated */
    char fa__end;   /**< marks the end of this version's options */
} fa_isin_options;

/** Whether each element is equal to one of the test elements: bool, in the shape of elements. NaN equals nothing.
 *
 *      fa_isin(elements, test_elements, .invert = false, .out = NULL)
 *
 *  @param elements any shape, or a number
 *  @param test_elements any shape, or a number
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_isin(fa_arg elements, fa_arg test_elements, const fa_isin_options *options);

/** @} */

/** @name Sorting, top-k and k-th value
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
    bool descending; /**< true: the largest element first */
    char fa__end;    /**< marks the end of this version's options */
} fa_sort_options;

/** Sorts x along a dimension: the sorted values, and their indices in x (i64). The sort is stable, also in descending
 *  order (PyTorch guarantees this only with stable=True). NaN counts as the largest and equal to itself; -0 equals
 *  0.
 *
 *      fa_sort(x, .dim = -1, .descending = false)
 *
 *  @param x a tensor
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the results; NULLs after an error */
FA_API fa_sort_result fa_sort(const fa_tensor *x, const fa_sort_options *options);

/** Options of fa_argsort(). */
typedef struct fa_argsort_options {
    size_t size;     /**< set by the macro */
    fa_tensor *out;  /**< the tensor to write the result into; NULL: a new one */
    int64_t dim;     /**< the dimension to sort along; negative counts from the end */
    bool descending; /**< true: the largest element first */
    char fa__end;    /**< marks the end of this version's options */
} fa_argsort_options;

/** The indices (i64) that sort x along a dimension, as fa_sort() returns them.
 *
 *      fa_argsort(x, .dim = -1, .descending = false, .out = NULL)
 *
 *  @param x a tensor
 *  @param options the named options, packed by the macro; NULL: the defaults
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
    int64_t dim;  /**< the dimension to reduce; negative counts from the end */
    bool largest; /**< false: the smallest elements */
    char fa__end; /**< marks the end of this version's options */
} fa_topk_options;

/** The k largest elements along a dimension in descending order, or the k smallest in ascending order, and their
 *  indices (i64). Of equal elements the one with the lower index comes first (PyTorch does not specify this). NaN
 *  counts as the largest. Results are always sorted; for a 0-dim x, k = 0 is an error, where PyTorch uses 1.
 *
 *      fa_topk(x, k, .dim = -1, .largest = true)
 *
 *  @param x a tensor
 *  @param k number of elements, at most the size of dim
 *  @param options the named options, packed by the macro; NULL: the defaults
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
    int64_t dim;  /**< the dimension to reduce; negative counts from the end */
    bool keepdim; /**< true: keep dim with size 1 */
    char fa__end; /**< marks the end of this version's options */
} fa_kthvalue_options;

/** The k-th smallest element along a dimension and its index (i64), as at position k - 1 of fa_sort(). NaN counts as
 *  the largest.
 *
 *      fa_kthvalue(x, k, .dim = -1, .keepdim = false)
 *
 *  @param x at least one element along dim
 *  @param k which element, from 1 (the smallest)
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the results; NULLs after an error */
FA_API fa_kthvalue_result fa_kthvalue(const fa_tensor *x, int64_t k, const fa_kthvalue_options *options);

/** @} */

/** @name Differences, peak-to-peak, weighted mean, covariance and correlation
 *  @{ */

/** Options of fa_diff(). */
typedef struct fa_diff_options {
    size_t size;              /**< set by the macro */
    fa_tensor *out;           /**< the tensor to write the result into; NULL: a new one */
    int64_t n;                /**< number of times differences are taken */
    int64_t dim;              /**< the dimension of the scan; negative counts from the end */
    const fa_tensor *prepend; /**< concatenated before x along dim; NULL: nothing */
    const fa_tensor *append;  /**< concatenated after x along dim; NULL: nothing */
    char fa__end;             /**< marks the end of this version's options */
} fa_diff_options;

/** The n-th difference along a dimension: for n = 1 y[i] = x[i + 1] - x[i], so the size shrinks by 1; repeated n times.
 *  For bool it is whether neighbours differ. With n = 0 the result is a copy of x, and prepend and append are
 *  ignored.
 *
 *      fa_diff(x, .n = 1, .dim = -1, .prepend = NULL, .append = NULL, .out = NULL)
 *
 *  @param x at least one dimension
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_diff(const fa_tensor *x, const fa_diff_options *options);

/** Options of fa_ptp(). */
typedef struct fa_ptp_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    fa_dims dim;    /**< one dimension, several as FA_DIMS(0, 2), or all: FA_ALL */
    bool keepdim;   /**< true: keep the reduced dimensions with size 1 */
    char fa__end;   /**< marks the end of this version's options */
} fa_ptp_options;

/** Peak-to-peak: maximum - minimum over dimensions. Integers wrap around in their dtype; bool is an error.
 *
 *      fa_ptp(x, .dim = FA_ALL, .keepdim = false, .out = NULL)
 *
 *  @param x at least one element along the reduced dimensions
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_ptp(const fa_tensor *x, const fa_ptp_options *options);

/** Options of fa_average(). */
typedef struct fa_average_options {
    size_t size;              /**< set by the macro */
    fa_tensor *out;           /**< the tensor to write the result into; NULL: a new one */
    fa_dims dim;              /**< one dimension, several as FA_DIMS(0, 2), or all: FA_ALL */
    const fa_tensor *weights; /**< x's shape, or 1-dimensional with the size of dim; NULL: equal weights */
    bool keepdim;             /**< true: keep the reduced dimensions with size 1 */
    char fa__end;             /**< marks the end of this version's options */
} fa_average_options;

/** The weighted mean over dimensions: sum(x * weights) / sum(weights). A sum of weights of 0 is an error. Integers give
 *  f32; without weights they are an error, as for fa_mean().
 *
 *      fa_average(x, .dim = FA_ALL, .weights = NULL, .keepdim = false, .out = NULL)
 *
 *  @param x floating; any dtype if weights are given
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_average(const fa_tensor *x, const fa_average_options *options);

/** Options of fa_cov(). */
typedef struct fa_cov_options {
    size_t size;               /**< set by the macro */
    fa_tensor *out;            /**< the tensor to write the result into; NULL: a new one */
    int64_t correction;        /**< the sum of products is divided by (number of observations - correction) */
    const fa_tensor *fweights; /**< (observations), integers: how often each occurs; NULL: once */
    const fa_tensor *aweights; /**< (observations), floating: weight of each; NULL: equal weights */
    char fa__end;              /**< marks the end of this version's options */
} fa_cov_options;

/** The covariance matrix of variables: (variables, variables); of a single variable its variance, 0-dim. Integers give
 *  f32. A negative or NaN weight and weights whose sum is 0 are errors, which a GPU reports when the host next waits
 *  for it.
 *
 *      fa_cov(x, .correction = 1, .fweights = NULL, .aweights = NULL, .out = NULL)
 *
 *  @param x (variables, observations), or (observations) of a single variable
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_cov(const fa_tensor *x, const fa_cov_options *options);

/** Options of fa_corrcoef(). */
typedef struct fa_corrcoef_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_corrcoef_options;

/** The matrix of Pearson correlation coefficients of variables: covariances divided by the product of the standard
 *  deviations, clamped to [-1, 1].
 *
 *      fa_corrcoef(x, .out = NULL)
 *
 *  @param x (variables, observations), or (observations) of a single variable
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_corrcoef(const fa_tensor *x, const fa_corrcoef_options *options);

/** @} */

/** @name Unique elements or slices
 *  With their inverse indices and counts, sorted or in the order of x.
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
    int64_t dim;         /**< compare slices along dim, negative counts from the end; default: elements */
    bool return_inverse; /**< true: also return the index in values of each element of x */
    bool return_counts;  /**< true: also return how often each value occurs */
    char fa__end;        /**< marks the end of this version's options */
} fa_unique_options;

/** The unique elements in ascending order; for each element of x its index among them, in x's shape; and their counts
 *  (both i64). Results that are not requested are NULL. With dim, the unique slices along that dimension in
 *  lexicographic order. Each NaN is unique and comes last; of -0 and 0 the one that is first in x is kept. The host
 *  reads the number of unique elements, which waits for x. There is no gradient.
 *
 *      fa_unique(x, .dim = INT64_MIN, .return_inverse = false, .return_counts = false)
 *
 *  @param x a tensor
 *  @param options the named options, packed by the macro; NULL: the defaults
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
    int64_t dim;         /**< compare slices along dim, negative counts from the end; default: elements */
    bool return_inverse; /**< true: also return the index in values of each element of x */
    bool return_counts;  /**< true: also return how often each value occurs */
    char fa__end;        /**< marks the end of this version's options */
} fa_unique_consecutive_options;

/** x without elements (or slices along dim) that are equal to their predecessor. Results and options as for
 *  fa_unique().
 *
 *      fa_unique_consecutive(x, .dim = INT64_MIN, .return_inverse = false, .return_counts = false)
 *
 *  @param x a tensor
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the results; NULLs after an error */
FA_API fa_unique_consecutive_result fa_unique_consecutive(const fa_tensor *x, const fa_unique_consecutive_options *options);

/** @} */

/** @} */

/** @cond */
/* Macros through which the functions above take named options, and numbers instead of tensors. */
#define FA__DEFAULT_fa_amax {offsetof(fa_amax_options, fa__end), NULL, FA_ALL, false, 0}
#define fa_amax(...) FA__CALL1(fa_amax, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_amin {offsetof(fa_amin_options, fa__end), NULL, FA_ALL, false, 0}
#define fa_amin(...) FA__CALL1(fa_amin, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_aminmax {offsetof(fa_aminmax_options, fa__end), FA_ALL, false, 0}
#define fa_aminmax(...) FA__CALL1(fa_aminmax, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_max {offsetof(fa_max_options, fa__end), false, 0}
#define fa_max(...) FA__CALL2(fa_max, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__DIMENSION, __VA_ARGS__)
#define FA__DEFAULT_fa_min {offsetof(fa_min_options, fa__end), false, 0}
#define fa_min(...) FA__CALL2(fa_min, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__DIMENSION, __VA_ARGS__)
#define FA__DEFAULT_fa_argmax {offsetof(fa_argmax_options, fa__end), NULL, FA_ALL, false, 0}
#define fa_argmax(...) FA__CALL1(fa_argmax, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_argmin {offsetof(fa_argmin_options, fa__end), NULL, FA_ALL, false, 0}
#define fa_argmin(...) FA__CALL1(fa_argmin, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_bincount {offsetof(fa_bincount_options, fa__end), NULL, NULL, 0, 0}
#define fa_bincount(...) FA__CALL1(fa_bincount, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_histogram {offsetof(fa_histogram_options, fa__end), 100, 0, 0, NULL, NULL, false, 0}
#define fa_histogram(...) FA__CALL1(fa_histogram, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_var {offsetof(fa_var_options, fa__end), NULL, FA_ALL, 1, false, 0}
#define fa_var(...) FA__CALL1(fa_var, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_std {offsetof(fa_std_options, fa__end), NULL, FA_ALL, 1, false, 0}
#define fa_std(...) FA__CALL1(fa_std, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_var_mean {offsetof(fa_var_mean_options, fa__end), FA_ALL, 1, false, 0}
#define fa_var_mean(...) FA__CALL1(fa_var_mean, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_std_mean {offsetof(fa_std_mean_options, fa__end), FA_ALL, 1, false, 0}
#define fa_std_mean(...) FA__CALL1(fa_std_mean, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_norm {offsetof(fa_norm_options, fa__end), NULL, 2, FA_ALL, false, FA_SAME, 0}
#define fa_norm(...) FA__CALL1(fa_norm, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_logsumexp {offsetof(fa_logsumexp_options, fa__end), NULL, FA_ALL, false, 0}
#define fa_logsumexp(...) FA__CALL1(fa_logsumexp, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_median {offsetof(fa_median_options, fa__end), FA_ALL, false, 0}
#define fa_median(...) FA__CALL1(fa_median, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_nanmedian {offsetof(fa_nanmedian_options, fa__end), FA_ALL, false, 0}
#define fa_nanmedian(...) FA__CALL1(fa_nanmedian, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_mode {offsetof(fa_mode_options, fa__end), -1, false, 0}
#define fa_mode(...) FA__CALL1(fa_mode, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_quantile {offsetof(fa_quantile_options, fa__end), NULL, FA_ALL, false, "linear", 0}
#define fa_quantile(...) FA__CALL2(fa_quantile, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__ARG, __VA_ARGS__)
#define FA__DEFAULT_fa_nanquantile {offsetof(fa_nanquantile_options, fa__end), NULL, FA_ALL, false, "linear", 0}
#define fa_nanquantile(...) FA__CALL2(fa_nanquantile, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__ARG, __VA_ARGS__)
#define FA__DEFAULT_fa_sum {offsetof(fa_sum_options, fa__end), NULL, FA_ALL, false, FA_SAME, 0}
#define fa_sum(...) FA__CALL1(fa_sum, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_nansum {offsetof(fa_nansum_options, fa__end), NULL, FA_ALL, false, FA_SAME, 0}
#define fa_nansum(...) FA__CALL1(fa_nansum, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_mean {offsetof(fa_mean_options, fa__end), NULL, FA_ALL, false, FA_SAME, 0}
#define fa_mean(...) FA__CALL1(fa_mean, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_nanmean {offsetof(fa_nanmean_options, fa__end), NULL, FA_ALL, false, FA_SAME, 0}
#define fa_nanmean(...) FA__CALL1(fa_nanmean, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_prod {offsetof(fa_prod_options, fa__end), NULL, FA_ALL, false, FA_SAME, 0}
#define fa_prod(...) FA__CALL1(fa_prod, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_all {offsetof(fa_all_options, fa__end), NULL, FA_ALL, false, 0}
#define fa_all(...) FA__CALL1(fa_all, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_any {offsetof(fa_any_options, fa__end), NULL, FA_ALL, false, 0}
#define fa_any(...) FA__CALL1(fa_any, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_count_nonzero {offsetof(fa_count_nonzero_options, fa__end), NULL, FA_ALL, false, 0}
#define fa_count_nonzero(...) FA__CALL1(fa_count_nonzero, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_sum_to {offsetof(fa_sum_to_options, fa__end), NULL, 0}
#define fa_sum_to(...) FA__CALL2(fa_sum_to, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_cumsum {offsetof(fa_cumsum_options, fa__end), NULL, FA_SAME, 0}
#define fa_cumsum(...) FA__CALL2(fa_cumsum, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__DIMENSION, __VA_ARGS__)
#define FA__DEFAULT_fa_cumprod {offsetof(fa_cumprod_options, fa__end), NULL, FA_SAME, 0}
#define fa_cumprod(...) FA__CALL2(fa_cumprod, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__DIMENSION, __VA_ARGS__)
#define fa_cummax(...) FA__CALLED(fa_cummax(__VA_ARGS__))
#define fa_cummin(...) FA__CALLED(fa_cummin(__VA_ARGS__))
#define FA__DEFAULT_fa_logcumsumexp {offsetof(fa_logcumsumexp_options, fa__end), NULL, 0}
#define fa_logcumsumexp(...) FA__CALL2(fa_logcumsumexp, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__DIMENSION, __VA_ARGS__)
#define FA__DEFAULT_fa_searchsorted {offsetof(fa_searchsorted_options, fa__end), NULL, NULL, false, false, 0}
#define fa_searchsorted(...) FA__CALL2(fa_searchsorted, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__ARG, __VA_ARGS__)
#define FA__DEFAULT_fa_bucketize {offsetof(fa_bucketize_options, fa__end), NULL, false, false, 0}
#define fa_bucketize(...) FA__CALL2(fa_bucketize, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__ARG, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_isin {offsetof(fa_isin_options, fa__end), NULL, false, 0}
#define fa_isin(...) FA__CALL2(fa_isin, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__ARG, FA__ARG, __VA_ARGS__)
#define FA__DEFAULT_fa_sort {offsetof(fa_sort_options, fa__end), -1, false, 0}
#define fa_sort(...) FA__CALL1(fa_sort, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_argsort {offsetof(fa_argsort_options, fa__end), NULL, -1, false, 0}
#define fa_argsort(...) FA__CALL1(fa_argsort, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_topk {offsetof(fa_topk_options, fa__end), -1, true, 0}
#define fa_topk(...) FA__CALL2(fa_topk, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_kthvalue {offsetof(fa_kthvalue_options, fa__end), -1, false, 0}
#define fa_kthvalue(...) FA__CALL2(fa_kthvalue, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_diff {offsetof(fa_diff_options, fa__end), NULL, 1, -1, NULL, NULL, 0}
#define fa_diff(...) FA__CALL1(fa_diff, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_ptp {offsetof(fa_ptp_options, fa__end), NULL, FA_ALL, false, 0}
#define fa_ptp(...) FA__CALL1(fa_ptp, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_average {offsetof(fa_average_options, fa__end), NULL, FA_ALL, NULL, false, 0}
#define fa_average(...) FA__CALL1(fa_average, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_cov {offsetof(fa_cov_options, fa__end), NULL, 1, NULL, NULL, 0}
#define fa_cov(...) FA__CALL1(fa_cov, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_corrcoef {offsetof(fa_corrcoef_options, fa__end), NULL, 0}
#define fa_corrcoef(...) FA__CALL1(fa_corrcoef, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_unique {offsetof(fa_unique_options, fa__end), INT64_MIN, false, false, 0}
#define fa_unique(...) FA__CALL1(fa_unique, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_unique_consecutive {offsetof(fa_unique_consecutive_options, fa__end), INT64_MIN, false, false, 0}
#define fa_unique_consecutive(...) FA__CALL1(fa_unique_consecutive, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
/** @endcond */

FA__END
#endif
