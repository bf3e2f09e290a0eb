/** @file
 *  Products of several matrices, and of a matrix with itself.
 *
 *  Written by facula-rows from src/ops/matrix_chain.c: edit there. */
/* clang-format off */
#ifndef FACULA_MATRIX_CHAIN_H
#define FACULA_MATRIX_CHAIN_H
#include <facula/types.h>

FA__BEGIN

/** Options of fa_multi_dot(). */
typedef struct fa_multi_dot_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_multi_dot_options;

/** The product of several matrices, in the order that takes the fewest multiplications. A vector in front is a row, one
 *  at the end a column; the result lacks their dimension.
 *
 *      fa_multi_dot(x, .out = NULL)
 *
 *  @param x two or more: matrices that go together; the first and the last one may be vectors
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_multi_dot(fa_tensors x, const fa_multi_dot_options *options);

/** Options of fa_matrix_power(). */
typedef struct fa_matrix_power_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_matrix_power_options;

/** A matrix, or each of a batch, multiplied n times with itself, by squares. 0 gives the identity; negative powers are
 *  an error. Under autocast the products are of a low dtype, so powers 0 and 1 keep x's, as in PyTorch.
 *
 *      fa_matrix_power(x, n, .out = NULL)
 *
 *  @param x (..., n, n)
 *  @param n how often, 0 or more
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_matrix_power(const fa_tensor *x, int64_t n, const fa_matrix_power_options *options);

/** @cond */
/* How named options, and numbers in the place of tensors, reach the functions above. */
#define FA__DEFAULT_fa_multi_dot {offsetof(fa_multi_dot_options, fa__end), NULL, 0}
#define fa_multi_dot(...) FA__CALL1(fa_multi_dot, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_matrix_power {offsetof(fa_matrix_power_options, fa__end), NULL, 0}
#define fa_matrix_power(...) FA__CALL2(fa_matrix_power, FA__SAME, FA__SAME, __VA_ARGS__)
/** @endcond */

FA__END
#endif
