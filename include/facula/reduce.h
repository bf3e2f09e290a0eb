/** @file
 *  Reductions over dimensions, which are left out of the result's shape, or have size 1 there (keepdim). One fixed
 *  tree: the same bits on every device and for any number of threads.
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
    fa_dtype dtype; /**< of the result; elements are converted before they are added */
    char fa__end;   /**< the end of what this version knows */
} fa_sum_options;

/** Sum over dimensions. Integers and bool are summed in i64; an empty sum is 0.
 *
 *      fa_sum(x, .dim = FA_ALL, .keepdim = false, .dtype = FA_SAME, .out = NULL)
 *
 *  @param x any dtype
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_sum(const fa_tensor *x, const fa_sum_options *options);

/** Options of fa_mean(). */
typedef struct fa_mean_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    fa_dims dim;    /**< one dimension, FA_DIMS(0, 2), or all of them */
    bool keepdim;   /**< keep what was reduced with size 1 */
    fa_dtype dtype; /**< of the result; elements are converted before they are added */
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
 *  first is chosen, and gets the whole gradient.
 *
 *      fa_max(x, dim, .keepdim = false)
 *
 *  @param x at least one element along dim
 *  @param dim the dimension to search; negative counts from the end
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the results; NULLs after an error */
FA_API fa_max_result fa_max(const fa_tensor *x, int64_t dim, const fa_max_options *options);

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
#define FA__DEFAULT_fa_mean {offsetof(fa_mean_options, fa__end), NULL, FA_ALL, false, FA_SAME, 0}
#define fa_mean(...) FA__CALL1(fa_mean, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_var {offsetof(fa_var_options, fa__end), NULL, FA_ALL, 1, false, 0}
#define fa_var(...) FA__CALL1(fa_var, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_amax {offsetof(fa_amax_options, fa__end), NULL, FA_ALL, false, 0}
#define fa_amax(...) FA__CALL1(fa_amax, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_max {offsetof(fa_max_options, fa__end), false, 0}
#define fa_max(...) FA__CALL2(fa_max, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_argmax {offsetof(fa_argmax_options, fa__end), NULL, FA_ALL, false, 0}
#define fa_argmax(...) FA__CALL1(fa_argmax, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_sum_to {offsetof(fa_sum_to_options, fa__end), NULL, 0}
#define fa_sum_to(...) FA__CALL2(fa_sum_to, FA__SAME, FA__SAME, __VA_ARGS__)
/** @endcond */

FA__END
#endif
