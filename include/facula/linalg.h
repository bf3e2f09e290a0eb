/** @file
 *  Matrix products.
 *
 *  Written by facula-rows from src/ops/linalg.c: edit there. */
/* clang-format off */
#ifndef FACULA_LINALG_H
#define FACULA_LINALG_H
#include <facula/types.h>

FA__BEGIN

/** Options of fa_matmul(). */
typedef struct fa_matmul_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_matmul_options;

/** The matrix product: of two matrices, of a matrix and a vector, of two vectors (a number), or of batches of matrices,
 *  whose leading dimensions broadcast. The result is (..., n, m), without the dimension that a vector lacks. Each
 *  element is one chain of sums, in which long vectors lose digits: fa_dot() adds them by a tree.
 *
 *      fa_matmul(a, b, .out = NULL)
 *
 *  @param a (..., n, k), or (k)
 *  @param b (..., k, m), or (k); of a's dtype
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_matmul(const fa_tensor *a, const fa_tensor *b, const fa_matmul_options *options);

/** Options of fa_linear(). */
typedef struct fa_linear_options {
    size_t size;           /**< set by the macro */
    fa_tensor *out;        /**< where to write, instead of into new memory */
    const fa_tensor *bias; /**< (out); NULL: none */
    char fa__end;          /**< the end of what this version knows */
} fa_linear_options;

/** x times the transpose of weight, plus bias: a linear layer. The result is (..., out).
 *
 *      fa_linear(x, weight, .bias = NULL, .out = NULL)
 *
 *  @param x (..., in)
 *  @param weight (out, in)
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_linear(const fa_tensor *x, const fa_tensor *weight, const fa_linear_options *options);

/** @cond */
/* How named options, and numbers in the place of tensors, reach the functions above. */
#define FA__DEFAULT_fa_matmul {offsetof(fa_matmul_options, fa__end), NULL, 0}
#define fa_matmul(...) FA__CALL2(fa_matmul, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_linear {offsetof(fa_linear_options, fa__end), NULL, NULL, 0}
#define fa_linear(...) FA__CALL2(fa_linear, FA__SAME, FA__SAME, __VA_ARGS__)
/** @endcond */

FA__END
#endif
