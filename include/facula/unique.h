/** @file
 *  Different elements, each once, where they went and how often there are: in order of size, or of neighbours.
 *
 *  Written by facula-rows from src/ops/unique.c: edit there. */
/* clang-format off */
#ifndef FACULA_UNIQUE_H
#define FACULA_UNIQUE_H
#include <facula/types.h>

FA__BEGIN

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

/** @cond */
/* How named options, and numbers in the place of tensors, reach the functions above. */
#define FA__DEFAULT_fa_unique {offsetof(fa_unique_options, fa__end), INT64_MIN, false, false, 0}
#define fa_unique(...) FA__CALL1(fa_unique, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_unique_consecutive {offsetof(fa_unique_consecutive_options, fa__end), INT64_MIN, false, false, 0}
#define fa_unique_consecutive(...) FA__CALL1(fa_unique_consecutive, FA__SAME, __VA_ARGS__)
/** @endcond */

FA__END
#endif
