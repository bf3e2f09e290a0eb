/** @file
 *  Sums, products and truth over dimensions, which are left out of the result's shape, or have size 1 there (keepdim).
 *  One fixed tree: the same bits on every device and for any number of threads.
 *
 *  Written by facula-rows from src/ops/reduce.c: edit there. */
/* clang-format off */
#ifndef FACULA_REDUCE_H
#define FACULA_REDUCE_H
#include <facula/types.h>

FA__BEGIN

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

/** @cond */
/* How named options, and numbers in the place of tensors, reach the functions above. */
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
/** @endcond */

FA__END
#endif
