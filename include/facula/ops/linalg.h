/** @file
 *  Matrix products and distances.
 *
 *  Written by facula-rows from src/ops/linalg: edit there. */
/* clang-format off */
#ifndef FACULA_OPS_LINALG_H
#define FACULA_OPS_LINALG_H
#include <facula/types.h>

FA__BEGIN

/** @defgroup ops_linalg Matrix products and distances
 *  @{ */

/** @name Matrix products that are added to something
 *  beta * input + alpha * product. Where beta is 0 input does not count,
 *  NaN in it neither. Operands have one dtype, which is not bool, but addr promotes; for integers alpha and beta are
 *  integers.
 *  @{ */

/** Options of fa_addmm(). */
typedef struct fa_addmm_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    double beta;    /**< what input is multiplied by; 0: it does not count */
    double alpha;   /**< what the product is multiplied by */
    char fa__end;   /**< the end of what this version knows */
} fa_addmm_options;

/** beta * input + alpha * the product of two matrices: (n, m).
 *
 *      fa_addmm(input, a, b, .beta = 1, .alpha = 1, .out = NULL)
 *
 *  @param input broadcasts to (n, m)
 *  @param a (n, k)
 *  @param b (k, m)
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_addmm(const fa_tensor *input, const fa_tensor *a, const fa_tensor *b, const fa_addmm_options *options);

/** Options of fa_addmv(). */
typedef struct fa_addmv_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    double beta;    /**< what input is multiplied by; 0: it does not count */
    double alpha;   /**< what the product is multiplied by */
    char fa__end;   /**< the end of what this version knows */
} fa_addmv_options;

/** beta * input + alpha * the product of a matrix and a vector: (n).
 *
 *      fa_addmv(input, x, vec, .beta = 1, .alpha = 1, .out = NULL)
 *
 *  @param input broadcasts to (n)
 *  @param x (n, m)
 *  @param vec (m)
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_addmv(const fa_tensor *input, const fa_tensor *x, const fa_tensor *vec, const fa_addmv_options *options);

/** Options of fa_addr(). */
typedef struct fa_addr_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    double beta;    /**< what input is multiplied by; 0: it does not count */
    double alpha;   /**< what the product is multiplied by */
    char fa__end;   /**< the end of what this version knows */
} fa_addr_options;

/** beta * input + alpha * each element of vec1 times each of vec2: (n, m). Made element by element: dtypes promote.
 *
 *      fa_addr(input, vec1, vec2, .beta = 1, .alpha = 1, .out = NULL)
 *
 *  @param input broadcasts to (n, m)
 *  @param vec1 (n)
 *  @param vec2 (m)
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_addr(const fa_tensor *input, const fa_tensor *vec1, const fa_tensor *vec2, const fa_addr_options *options);

/** Options of fa_baddbmm(). */
typedef struct fa_baddbmm_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    double beta;    /**< what input is multiplied by; 0: it does not count */
    double alpha;   /**< what the products are multiplied by */
    char fa__end;   /**< the end of what this version knows */
} fa_baddbmm_options;

/** beta * input + alpha * the product of each matrix of a with that of b: (batch, n, m).
 *
 *      fa_baddbmm(input, a, b, .beta = 1, .alpha = 1, .out = NULL)
 *
 *  @param input broadcasts to (batch, n, m)
 *  @param a (batch, n, k)
 *  @param b (batch, k, m)
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_baddbmm(const fa_tensor *input, const fa_tensor *a, const fa_tensor *b, const fa_baddbmm_options *options);

/** Options of fa_addbmm(). */
typedef struct fa_addbmm_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    double beta;    /**< what input is multiplied by; 0: it does not count */
    double alpha;   /**< what the sum of the products is multiplied by */
    char fa__end;   /**< the end of what this version knows */
} fa_addbmm_options;

/** beta * input + alpha * the sum of the products of each matrix of a with that of b: (n, m).
 *
 *      fa_addbmm(input, a, b, .beta = 1, .alpha = 1, .out = NULL)
 *
 *  @param input broadcasts to (n, m)
 *  @param a (batch, n, k)
 *  @param b (batch, k, m)
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_addbmm(const fa_tensor *input, const fa_tensor *a, const fa_tensor *b, const fa_addbmm_options *options);

/** @} */

/** @name Tensors made of vectors and matrices
 *  blocks on a diagonal, all combinations, and powers in columns.
 *  @{ */

/** Options of fa_block_diag(). */
typedef struct fa_block_diag_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_block_diag_options;

/** A matrix with the given ones as blocks from its upper left to its lower right corner, and zeros. Dtypes promote.
 *
 *      fa_block_diag(x, .out = NULL)
 *
 *  @param x of at most two dimensions: a vector is a row, a number a matrix of one element
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_block_diag(fa_tensors x, const fa_block_diag_options *options);

/** Options of fa_cartesian_prod(). */
typedef struct fa_cartesian_prod_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_cartesian_prod_options;

/** All ways to take an element of each vector, the last one's changing fastest: (n1 * n2 * ..., how many vectors). Of
 *  one vector it is that.
 *
 *      fa_cartesian_prod(x, .out = NULL)
 *
 *  @param x vectors, at most 8, of one dtype
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_cartesian_prod(fa_tensors x, const fa_cartesian_prod_options *options);

/** Options of fa_vander(). */
typedef struct fa_vander_options {
    size_t size;     /**< set by the macro */
    fa_tensor *out;  /**< where to write, instead of into new memory */
    int64_t n;       /**< how many columns; -1: as many as x has elements */
    bool increasing; /**< the powers rise from 0; by default they fall to it */
    char fa__end;    /**< the end of what this version knows */
} fa_vander_options;

/** Vandermonde's matrix: each column is a power of x, (m, n).
 *
 *      fa_vander(x, .n = -1, .increasing = false, .out = NULL)
 *
 *  @param x (m)
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_vander(const fa_tensor *x, const fa_vander_options *options);

/** Options of fa_combinations(). */
typedef struct fa_combinations_options {
    size_t size;           /**< set by the macro */
    fa_tensor *out;        /**< where to write, instead of into new memory */
    int64_t r;             /**< how many elements are taken */
    bool with_replacement; /**< each may be taken again */
    char fa__end;          /**< the end of what this version knows */
} fa_combinations_options;

/** All ways to take r elements of a vector, in its order and each row in the order of the elements: (count, r). Their
 *  places are found on the CPU and copied to x's device; more than 16 MiB of them are waited for.
 *
 *      fa_combinations(x, .r = 2, .with_replacement = false, .out = NULL)
 *
 *  @param x a vector
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_combinations(const fa_tensor *x, const fa_combinations_options *options);

/** @} */

/** @name Distances of vectors, and the cosine of the angle between them
 *  A distance of 0 has the gradient 0. f16 and bf16 are
 *  computed in f32.
 *  @{ */

/** Options of fa_pairwise_distance(). */
typedef struct fa_pairwise_distance_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    double p;       /**< the distances are of this norm; infinity: the largest difference */
    double eps;     /**< is added to differences, so that no distance is 0 */
    bool keepdim;   /**< keep the last dimension with size 1 */
    char fa__end;   /**< the end of what this version knows */
} fa_pairwise_distance_options;

/** The distance of vectors that stand at the same place: the p-norm of x1 - x2 + eps along the last dimension.
 *
 *      fa_pairwise_distance(x1, x2, .p = 2, .eps = 1e-6, .keepdim = false, .out = NULL)
 *
 *  @param x1 (..., d)
 *  @param x2 (..., d): broadcasts with x1
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_pairwise_distance(const fa_tensor *x1, const fa_tensor *x2, const fa_pairwise_distance_options *options);

/** Options of fa_cdist(). */
typedef struct fa_cdist_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    double p;       /**< the distances are of this norm; infinity: the largest difference */
    char fa__end;   /**< the end of what this version knows */
} fa_cdist_options;

/** The distances of each vector of x1 to each of x2: (..., n, m). They come from differences, which are added up as
 *  they are computed; Euclidean ones (p = 2) of more than 25 vectors from a matrix product, as PyTorch does it where its
 *  compute_mode is not given: much faster, but small distances of large vectors lose digits.
 *
 *      fa_cdist(x1, x2, .p = 2, .out = NULL)
 *
 *  @param x1 (..., n, d), floating
 *  @param x2 (..., m, d): leading dimensions broadcast
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_cdist(const fa_tensor *x1, const fa_tensor *x2, const fa_cdist_options *options);

/** Options of fa_pdist(). */
typedef struct fa_pdist_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    double p;       /**< the distances are of this norm; infinity: the largest difference */
    char fa__end;   /**< the end of what this version knows */
} fa_pdist_options;

/** The distances of all pairs of rows: of the first to each behind it, then of the second, and so on: (n * (n - 1) /
 *  2).
 *
 *      fa_pdist(x, .p = 2, .out = NULL)
 *
 *  @param x (n, d), floating
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_pdist(const fa_tensor *x, const fa_pdist_options *options);

/** Options of fa_cosine_similarity(). */
typedef struct fa_cosine_similarity_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    int64_t dim;    /**< along which the vectors lie; negative counts from the end */
    double eps;     /**< smaller lengths count as this */
    char fa__end;   /**< the end of what this version knows */
} fa_cosine_similarity_options;

/** The cosine of the angle between vectors: the sum of x1 * x2 along a dimension, divided by both lengths. A length
 *  that counts as eps is a constant to the gradient; PyTorch goes on with the derivative of the length there.
 *
 *      fa_cosine_similarity(x1, x2, .dim = 1, .eps = 1e-8, .out = NULL)
 *
 *  @param x1 a tensor
 *  @param x2 broadcasts with x1
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_cosine_similarity(const fa_tensor *x1, const fa_tensor *x2, const fa_cosine_similarity_options *options);

/** @} */

/** @name Einstein's summation
 *  any sum of products of tensors, written down as "ij,jk->ik".
 *  @{ */

/** Options of fa_einsum(). */
typedef struct fa_einsum_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_einsum_options;

/** A sum of products: dimensions that have one label, a letter, go together, and what is not in the result is summed.
 *  "ij,jk->ik" is the matrix product, "bij,bjk->bik" that of batches, "ii" a trace, "ii->i" a diagonal, "i,j->ij" an
 *  outer product, "ij->ji" a transpose. "..." stands for the dimensions without labels, which broadcast and are summed
 *  when they are not in the result; a dimension of size 1 broadcasts, too. Without an arrow the result has what "..."
 *  covers, and then the labels that stand there once, A to Z before a to z. Blanks do not count.
 *
 *  Several tensors are multiplied two at a time, by matrix products: in the order that takes the fewest multiplications
 *  for up to 8 of them, in one that is found step by step for more. The result may be a view, under automatic placement
 *  one of a copy. Sums of integers keep the dtype of the operands.
 *
 *      fa_einsum(equation, x, .out = NULL)
 *
 *  @param equation the labels of each tensor's dimensions, and of the result's: "ij,jk->ik"
 *  @param x as many as it has terms in front of the arrow, of one dtype, not bool
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_einsum(const char *equation, fa_tensors x, const fa_einsum_options *options);

/** @} */

/** @name Matrix products
 *  @{ */

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

/** @} */

/** @name Products of several matrices, and of a matrix with itself
 *  @{ */

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

/** @} */

/** @name Products of vectors, matrices and tensors of given ranks
 *  matmul, which takes any, is in linalg.h; einsum has a file
 *  of its own. Operands have one dtype and are not bool, unless a product says that it is made element by element: then
 *  dtypes promote.
 *  @{ */

/** Options of fa_mm(). */
typedef struct fa_mm_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_mm_options;

/** The product of two matrices: (n, m). What is no matrix is an error.
 *
 *      fa_mm(a, b, .out = NULL)
 *
 *  @param a (n, k)
 *  @param b (k, m)
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_mm(const fa_tensor *a, const fa_tensor *b, const fa_mm_options *options);

/** Options of fa_bmm(). */
typedef struct fa_bmm_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_bmm_options;

/** The product of each matrix of a batch with that of another: (batch, n, m). Nothing is broadcast.
 *
 *      fa_bmm(a, b, .out = NULL)
 *
 *  @param a (batch, n, k)
 *  @param b (batch, k, m)
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_bmm(const fa_tensor *a, const fa_tensor *b, const fa_bmm_options *options);

/** Options of fa_mv(). */
typedef struct fa_mv_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_mv_options;

/** The product of a matrix and a vector: (n).
 *
 *      fa_mv(x, vec, .out = NULL)
 *
 *  @param x (n, m)
 *  @param vec (m)
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_mv(const fa_tensor *x, const fa_tensor *vec, const fa_mv_options *options);

/** Options of fa_dot(). */
typedef struct fa_dot_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_dot_options;

/** The sum of the products of two vectors' elements: a number. Added by the tree of fa_sum(), so that long vectors lose
 *  little; as a product of matrices it would be one chain.
 *
 *      fa_dot(a, b, .out = NULL)
 *
 *  @param a (n)
 *  @param b (n)
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_dot(const fa_tensor *a, const fa_tensor *b, const fa_dot_options *options);

/** Options of fa_vecdot(). */
typedef struct fa_vecdot_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    int64_t dim;    /**< the dimension that is summed over */
    char fa__end;   /**< the end of what this version knows */
} fa_vecdot_options;

/** The sums of products of the elements along a dimension, after broadcasting; of floating dtypes.
 *
 *      fa_vecdot(x, y, .dim = -1, .out = NULL)
 *
 *  @param x a tensor
 *  @param y a tensor
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_vecdot(const fa_tensor *x, const fa_tensor *y, const fa_vecdot_options *options);

/** Options of fa_outer(). */
typedef struct fa_outer_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_outer_options;

/** Each element of a times each of b: (n, m). Made element by element.
 *
 *      fa_outer(a, b, .out = NULL)
 *
 *  @param a (n)
 *  @param b (m)
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_outer(const fa_tensor *a, const fa_tensor *b, const fa_outer_options *options);

/** Options of fa_inner(). */
typedef struct fa_inner_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_inner_options;

/** The dot products of a's vectors with b's, which lie along their last dimensions: a's other dimensions, then b's.
 *  With a number it is the product with that; of one dtype all the same, where PyTorch promotes. Under autocast it is as
 *  fa_mul(), fa_dot() or fa_tensordot(), as in PyTorch.
 *
 *      fa_inner(a, b, .out = NULL)
 *
 *  @param a (..., k), or ()
 *  @param b (..., k), or ()
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_inner(const fa_tensor *a, const fa_tensor *b, const fa_inner_options *options);

/** Options of fa_tensordot(). */
typedef struct fa_tensordot_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    int64_t dims;   /**< how many: a's last ones go with b's first ones */
    char fa__end;   /**< the end of what this version knows */
} fa_tensordot_options;

/** The sum of products over a's last dimensions together with b's first ones: the dimensions that a has left, then
 *  those of b. .dims = 0 is each element with each. A size of 1 goes with any other.
 *
 *      fa_tensordot(a, b, .dims = 2, .out = NULL)
 *
 *  @param a a tensor
 *  @param b a tensor
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_tensordot(const fa_tensor *a, const fa_tensor *b, const fa_tensordot_options *options);

/** Options of fa_tensordot_at(). */
typedef struct fa_tensordot_at_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_tensordot_at_options;

/** The sum of products over dimensions of a together with dimensions of b: the dimensions that a has left, then those
 *  of b. A size of 1 goes with any other.
 *
 *      fa_tensordot_at(a, b, a_dims, b_dims, .out = NULL)
 *
 *  @param a a tensor
 *  @param b a tensor
 *  @param a_dims FA_SHAPE(1, 0): these dimensions of a are summed, each together with
 *  @param b_dims the one of b that stands here at its place; negative ones count from the end
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_tensordot_at(const fa_tensor *a, const fa_tensor *b, fa_shape a_dims, fa_shape b_dims, const fa_tensordot_at_options *options);

/** Options of fa_kron(). */
typedef struct fa_kron_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_kron_options;

/** The Kronecker product: a with each element multiplied by all of b, as a block in its place. The sizes are those of a
 *  times those of b; missing dimensions in front are 1. Made element by element.
 *
 *      fa_kron(a, b, .out = NULL)
 *
 *  @param a of at most 4 dimensions that are not of size 1 in both
 *  @param b a tensor
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_kron(const fa_tensor *a, const fa_tensor *b, const fa_kron_options *options);

/** Options of fa_trace(). */
typedef struct fa_trace_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_trace_options;

/** The sum of a matrix's diagonal. Integers and bool are summed in i64.
 *
 *      fa_trace(x, .out = NULL)
 *
 *  @param x (n, m)
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_trace(const fa_tensor *x, const fa_trace_options *options);

/** Options of fa_cross(). */
typedef struct fa_cross_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    int64_t dim;    /**< negative counts from the end */
    char fa__end;   /**< the end of what this version knows */
} fa_cross_options;

/** The cross product of vectors of three, which lie along a dimension: by default the last one, as in PyTorch's
 *  linalg.cross. Made element by element.
 *
 *      fa_cross(a, b, .dim = -1, .out = NULL)
 *
 *  @param a of size 3 along dim
 *  @param b of as many dimensions; the others broadcast
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_cross(const fa_tensor *a, const fa_tensor *b, const fa_cross_options *options);

/** @} */

/** @} */

/** @cond */
/* How named options, and numbers in the place of tensors, reach the functions above. */
#define FA__DEFAULT_fa_addmm {offsetof(fa_addmm_options, fa__end), NULL, 1, 1, 0}
#define fa_addmm(...) FA__CALL3(fa_addmm, FA__SAME, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_addmv {offsetof(fa_addmv_options, fa__end), NULL, 1, 1, 0}
#define fa_addmv(...) FA__CALL3(fa_addmv, FA__SAME, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_addr {offsetof(fa_addr_options, fa__end), NULL, 1, 1, 0}
#define fa_addr(...) FA__CALL3(fa_addr, FA__SAME, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_baddbmm {offsetof(fa_baddbmm_options, fa__end), NULL, 1, 1, 0}
#define fa_baddbmm(...) FA__CALL3(fa_baddbmm, FA__SAME, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_addbmm {offsetof(fa_addbmm_options, fa__end), NULL, 1, 1, 0}
#define fa_addbmm(...) FA__CALL3(fa_addbmm, FA__SAME, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_block_diag {offsetof(fa_block_diag_options, fa__end), NULL, 0}
#define fa_block_diag(...) FA__CALL1(fa_block_diag, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_cartesian_prod {offsetof(fa_cartesian_prod_options, fa__end), NULL, 0}
#define fa_cartesian_prod(...) FA__CALL1(fa_cartesian_prod, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_vander {offsetof(fa_vander_options, fa__end), NULL, -1, false, 0}
#define fa_vander(...) FA__CALL1(fa_vander, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_combinations {offsetof(fa_combinations_options, fa__end), NULL, 2, false, 0}
#define fa_combinations(...) FA__CALL1(fa_combinations, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_pairwise_distance {offsetof(fa_pairwise_distance_options, fa__end), NULL, 2, 1e-6, false, 0}
#define fa_pairwise_distance(...) FA__CALL2(fa_pairwise_distance, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_cdist {offsetof(fa_cdist_options, fa__end), NULL, 2, 0}
#define fa_cdist(...) FA__CALL2(fa_cdist, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_pdist {offsetof(fa_pdist_options, fa__end), NULL, 2, 0}
#define fa_pdist(...) FA__CALL1(fa_pdist, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_cosine_similarity {offsetof(fa_cosine_similarity_options, fa__end), NULL, 1, 1e-8, 0}
#define fa_cosine_similarity(...) FA__CALL2(fa_cosine_similarity, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_einsum {offsetof(fa_einsum_options, fa__end), NULL, 0}
#define fa_einsum(...) FA__CALL2(fa_einsum, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_matmul {offsetof(fa_matmul_options, fa__end), NULL, 0}
#define fa_matmul(...) FA__CALL2(fa_matmul, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_linear {offsetof(fa_linear_options, fa__end), NULL, NULL, 0}
#define fa_linear(...) FA__CALL2(fa_linear, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_multi_dot {offsetof(fa_multi_dot_options, fa__end), NULL, 0}
#define fa_multi_dot(...) FA__CALL1(fa_multi_dot, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_matrix_power {offsetof(fa_matrix_power_options, fa__end), NULL, 0}
#define fa_matrix_power(...) FA__CALL2(fa_matrix_power, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_mm {offsetof(fa_mm_options, fa__end), NULL, 0}
#define fa_mm(...) FA__CALL2(fa_mm, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_bmm {offsetof(fa_bmm_options, fa__end), NULL, 0}
#define fa_bmm(...) FA__CALL2(fa_bmm, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_mv {offsetof(fa_mv_options, fa__end), NULL, 0}
#define fa_mv(...) FA__CALL2(fa_mv, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_dot {offsetof(fa_dot_options, fa__end), NULL, 0}
#define fa_dot(...) FA__CALL2(fa_dot, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_vecdot {offsetof(fa_vecdot_options, fa__end), NULL, -1, 0}
#define fa_vecdot(...) FA__CALL2(fa_vecdot, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_outer {offsetof(fa_outer_options, fa__end), NULL, 0}
#define fa_outer(...) FA__CALL2(fa_outer, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_inner {offsetof(fa_inner_options, fa__end), NULL, 0}
#define fa_inner(...) FA__CALL2(fa_inner, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_tensordot {offsetof(fa_tensordot_options, fa__end), NULL, 2, 0}
#define fa_tensordot(...) FA__CALL2(fa_tensordot, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_tensordot_at {offsetof(fa_tensordot_at_options, fa__end), NULL, 0}
#define fa_tensordot_at(...) FA__CALL4(fa_tensordot_at, FA__SAME, FA__SAME, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_kron {offsetof(fa_kron_options, fa__end), NULL, 0}
#define fa_kron(...) FA__CALL2(fa_kron, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_trace {offsetof(fa_trace_options, fa__end), NULL, 0}
#define fa_trace(...) FA__CALL1(fa_trace, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_cross {offsetof(fa_cross_options, fa__end), NULL, -1, 0}
#define fa_cross(...) FA__CALL2(fa_cross, FA__SAME, FA__SAME, __VA_ARGS__)
/** @endcond */

FA__END
#endif
