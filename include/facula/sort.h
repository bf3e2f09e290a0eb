/** @file
 *  Sorting, and what is found by it: the largest elements, the k-th one.
 *
 *  Written by facula-rows from src/ops/sort.c: edit there. */
/* clang-format off */
#ifndef FACULA_SORT_H
#define FACULA_SORT_H
#include <facula/types.h>

FA__BEGIN

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

/** @cond */
/* How named options, and numbers in the place of tensors, reach the functions above. */
#define FA__DEFAULT_fa_sort {offsetof(fa_sort_options, fa__end), -1, false, 0}
#define fa_sort(...) FA__CALL1(fa_sort, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_argsort {offsetof(fa_argsort_options, fa__end), NULL, -1, false, 0}
#define fa_argsort(...) FA__CALL1(fa_argsort, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_topk {offsetof(fa_topk_options, fa__end), -1, true, 0}
#define fa_topk(...) FA__CALL2(fa_topk, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_kthvalue {offsetof(fa_kthvalue_options, fa__end), -1, false, 0}
#define fa_kthvalue(...) FA__CALL2(fa_kthvalue, FA__SAME, FA__SAME, __VA_ARGS__)
/** @endcond */

FA__END
#endif
