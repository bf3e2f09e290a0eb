/** @file
 *  Scans along a dimension: each element of the result combines all elements up to its own. They are combined in one
 *  fixed order (backend/scan.h): the same bits on every device and for any number of threads.
 *
 *  Written by facula-rows from src/ops/scan.c: edit there. */
/* clang-format off */
#ifndef FACULA_SCAN_H
#define FACULA_SCAN_H
#include <facula/types.h>

FA__BEGIN

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

/** @cond */
/* How named options, and numbers in the place of tensors, reach the functions above. */
#define FA__DEFAULT_fa_cumsum {offsetof(fa_cumsum_options, fa__end), NULL, FA_SAME, 0}
#define fa_cumsum(...) FA__CALL2(fa_cumsum, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_cumprod {offsetof(fa_cumprod_options, fa__end), NULL, FA_SAME, 0}
#define fa_cumprod(...) FA__CALL2(fa_cumprod, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_logcumsumexp {offsetof(fa_logcumsumexp_options, fa__end), NULL, 0}
#define fa_logcumsumexp(...) FA__CALL2(fa_logcumsumexp, FA__SAME, FA__SAME, __VA_ARGS__)
/** @endcond */

FA__END
#endif
