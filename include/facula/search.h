/** @file
 *  Searching in what is sorted.
 *
 *  Written by facula-rows from src/ops/search.c: edit there. */
/* clang-format off */
#ifndef FACULA_SEARCH_H
#define FACULA_SEARCH_H
#include <facula/types.h>

FA__BEGIN

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

/** @cond */
/* How named options, and numbers in the place of tensors, reach the functions above. */
#define FA__DEFAULT_fa_searchsorted {offsetof(fa_searchsorted_options, fa__end), NULL, NULL, false, false, 0}
#define fa_searchsorted(...) FA__CALL2(fa_searchsorted, FA__SAME, FA__ARG, __VA_ARGS__)
#define FA__DEFAULT_fa_bucketize {offsetof(fa_bucketize_options, fa__end), NULL, false, false, 0}
#define fa_bucketize(...) FA__CALL2(fa_bucketize, FA__ARG, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_isin {offsetof(fa_isin_options, fa__end), NULL, false, 0}
#define fa_isin(...) FA__CALL2(fa_isin, FA__ARG, FA__ARG, __VA_ARGS__)
/** @endcond */

FA__END
#endif
