/** @file
 *  The largest and smallest elements over dimensions, and where they are.
 *
 *  Written by facula-rows from src/ops/extremes.c: edit there. */
/* clang-format off */
#ifndef FACULA_EXTREMES_H
#define FACULA_EXTREMES_H
#include <facula/types.h>

FA__BEGIN

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
/** @endcond */

FA__END
#endif
