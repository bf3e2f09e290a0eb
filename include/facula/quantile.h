/** @file
 *  Elements by their rank along a dimension or among all: medians, quantiles, and the most frequent ones. Lines are
 *  sorted, NaN behind everything.
 *
 *  Written by facula-rows from src/ops/quantile.c: edit there. */
/* clang-format off */
#ifndef FACULA_QUANTILE_H
#define FACULA_QUANTILE_H
#include <facula/types.h>

FA__BEGIN

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

/** @cond */
/* How named options, and numbers in the place of tensors, reach the functions above. */
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
/** @endcond */

FA__END
#endif
