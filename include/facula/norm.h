/** @file
 *  Norms over dimensions, and logarithms of sums of exponentials.
 *
 *  Written by facula-rows from src/ops/norm.c: edit there. */
/* clang-format off */
#ifndef FACULA_NORM_H
#define FACULA_NORM_H
#include <facula/types.h>

FA__BEGIN

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

/** @cond */
/* How named options, and numbers in the place of tensors, reach the functions above. */
#define FA__DEFAULT_fa_norm {offsetof(fa_norm_options, fa__end), NULL, 2, FA_ALL, false, FA_SAME, 0}
#define fa_norm(...) FA__CALL1(fa_norm, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_logsumexp {offsetof(fa_logsumexp_options, fa__end), NULL, FA_ALL, false, 0}
#define fa_logsumexp(...) FA__CALL1(fa_logsumexp, FA__SAME, __VA_ARGS__)
/** @endcond */

FA__END
#endif
