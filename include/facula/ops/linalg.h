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
 *  @ingroup ops
 *  @{ */

/** @name Matrix products with addition, beta * input + alpha * product
 *  If beta is 0, input is ignored, including NaN in it.
 *  All operands have the same dtype, which is not bool; only addr promotes dtypes. For integer tensors alpha and beta
 *  are whole numbers.
 *  @{ */

/** Options of fa_addmm(). */
typedef struct fa_addmm_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    double beta;    /**< factor for input; 0: input is ignored */
    double alpha;   /**< factor for the product */
    char fa__end;   /**< marks the end of this version's options */
} fa_addmm_options;

/** beta * input + alpha * (a @ b) for matrices a (n, k) and b (k, m): the result is (n, m).
 *
 *      fa_addmm(input, a, b, .beta = 1, .alpha = 1, .out = NULL)
 *
 *  @param input broadcasts to (n, m)
 *  @param a (n, k)
 *  @param b (k, m)
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_addmm(const fa_tensor *input, const fa_tensor *a, const fa_tensor *b, const fa_addmm_options *options);

/** Options of fa_addmv(). */
typedef struct fa_addmv_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    double beta;    /**< factor for input; 0: input is ignored */
    double alpha;   /**< factor for the product */
    char fa__end;   /**< marks the end of this version's options */
} fa_addmv_options;

/** beta * input + alpha * (x @ vec) for a matrix x (n, m) and a vector vec (m): the result is (n).
 *
 *      fa_addmv(input, x, vec, .beta = 1, .alpha = 1, .out = NULL)
 *
 *  @param input broadcasts to (n)
 *  @param x (n, m)
 *  @param vec (m)
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_addmv(const fa_tensor *input, const fa_tensor *x, const fa_tensor *vec, const fa_addmv_options *options);

/** Options of fa_addr(). */
typedef struct fa_addr_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    double beta;    /**< factor for input; 0: input is ignored */
    double alpha;   /**< factor for the product */
    char fa__end;   /**< marks the end of this version's options */
} fa_addr_options;

/** beta * input + alpha * the outer product of vec1 (n) and vec2 (m): the result is (n, m). Computed elementwise, so
 *  dtypes are promoted.
 *
 *      fa_addr(input, vec1, vec2, .beta = 1, .alpha = 1, .out = NULL)
 *
 *  @param input broadcasts to (n, m)
 *  @param vec1 (n)
 *  @param vec2 (m)
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_addr(const fa_tensor *input, const fa_tensor *vec1, const fa_tensor *vec2, const fa_addr_options *options);

/** Options of fa_baddbmm(). */
typedef struct fa_baddbmm_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    double beta;    /**< factor for input; 0: input is ignored */
    double alpha;   /**< factor for the products */
    char fa__end;   /**< marks the end of this version's options */
} fa_baddbmm_options;

/** beta * input + alpha * (a @ b) for batches of matrices a (batch, n, k) and b (batch, k, m): the result is (batch, n,
 *  m).
 *
 *      fa_baddbmm(input, a, b, .beta = 1, .alpha = 1, .out = NULL)
 *
 *  @param input broadcasts to (batch, n, m)
 *  @param a (batch, n, k)
 *  @param b (batch, k, m)
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_baddbmm(const fa_tensor *input, const fa_tensor *a, const fa_tensor *b, const fa_baddbmm_options *options);

/** Options of fa_addbmm(). */
typedef struct fa_addbmm_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    double beta;    /**< factor for input; 0: input is ignored */
    double alpha;   /**< factor for the sum of the products */
    char fa__end;   /**< marks the end of this version's options */
} fa_addbmm_options;

/** beta * input + alpha * the sum over the batch of a[i] @ b[i], for a (batch, n, k) and b (batch, k, m): the result is
 *  (n, m).
 *
 *      fa_addbmm(input, a, b, .beta = 1, .alpha = 1, .out = NULL)
 *
 *  @param input broadcasts to (n, m)
 *  @param a (batch, n, k)
 *  @param b (batch, k, m)
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_addbmm(const fa_tensor *input, const fa_tensor *a, const fa_tensor *b, const fa_addbmm_options *options);

/** @} */

/** @name Block-diagonal matrices, combinations, Cartesian products and Vandermonde matrices
 *  @{ */

/** Options of fa_block_diag(). */
typedef struct fa_block_diag_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_block_diag_options;

/** A block-diagonal matrix: the given matrices from the top left to the bottom right corner, zeros elsewhere. Dtypes
 *  are promoted.
 *
 *      fa_block_diag(x, .out = NULL)
 *
 *  @param x at most 2-dimensional: a vector counts as a row, a 0-dim tensor as a 1 x 1 matrix
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_block_diag(fa_tensors x, const fa_block_diag_options *options);

/** Options of fa_cartesian_prod(). */
typedef struct fa_cartesian_prod_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_cartesian_prod_options;

/** The Cartesian product of vectors: all combinations of one element of each, the last one varying fastest, as rows of
 *  a (n1 * n2 * ..., number of vectors) matrix. For a single vector the result is that vector.
 *
 *      fa_cartesian_prod(x, .out = NULL)
 *
 *  @param x vectors of one dtype, at most 8
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_cartesian_prod(fa_tensors x, const fa_cartesian_prod_options *options);

/** Options of fa_vander(). */
typedef struct fa_vander_options {
    size_t size;     /**< set by the macro */
    fa_tensor *out;  /**< the tensor to write the result into; NULL: a new one */
    int64_t n;       /**< number of columns; -1 means the number of elements of x */
    bool increasing; /**< true: powers increase from 0; false: they decrease to 0 */
    char fa__end;    /**< marks the end of this version's options */
} fa_vander_options;

/** The Vandermonde matrix of a vector x (m): each column is a power of x, giving (m, n).
 *
 *      fa_vander(x, .n = -1, .increasing = false, .out = NULL)
 *
 *  @param x (m)
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_vander(const fa_tensor *x, const fa_vander_options *options);

/** Options of fa_combinations(). */
typedef struct fa_combinations_options {
    size_t size;           /**< set by the macro */
    fa_tensor *out;        /**< the tensor to write the result into; NULL: a new one */
    int64_t r;             /**< number of elements in each combination */
    bool with_replacement; /**< true: an element may be chosen more than once */
    char fa__end;          /**< marks the end of this version's options */
} fa_combinations_options;

/** All combinations of r elements of a vector, in lexicographic order of their positions: (count, r). The positions are
 *  computed on the CPU and copied to x's device; the call waits for the copy if they take more than 16 MiB.
 *
 *      fa_combinations(x, .r = 2, .with_replacement = false, .out = NULL)
 *
 *  @param x 1-dimensional
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_combinations(const fa_tensor *x, const fa_combinations_options *options);

/** @} */

/** @name Pairwise distances and cosine similarity
 *  At a distance of 0 the gradient is 0. f16 and bf16 are computed in f32.
 *  @{ */

/** Options of fa_pairwise_distance(). */
typedef struct fa_pairwise_distance_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    double p;       /**< the p of the p-norm, 0 or larger; infinity: the largest difference */
    double eps;     /**< added to each difference, which keeps the gradient finite */
    bool keepdim;   /**< true: keep the last dimension with size 1 */
    char fa__end;   /**< marks the end of this version's options */
} fa_pairwise_distance_options;

/** The distance of corresponding vectors: the p-norm of x1 - x2 + eps along the last dimension. x1 and x2 broadcast;
 *  the result is (...).
 *
 *      fa_pairwise_distance(x1, x2, .p = 2, .eps = 1e-6, .keepdim = false, .out = NULL)
 *
 *  @param x1 (..., d)
 *  @param x2 (..., d): broadcasts with x1
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_pairwise_distance(const fa_tensor *x1, const fa_tensor *x2, const fa_pairwise_distance_options *options);

/** Options of fa_cdist(). */
typedef struct fa_cdist_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    double p;       /**< the p of the p-norm, 0 or larger; infinity: the largest difference */
    char fa__end;   /**< marks the end of this version's options */
} fa_cdist_options;

/** The distances of all vectors of x1 (..., n, d) to all vectors of x2 (..., m, d): (..., n, m). The p-norm is
 *  accumulated from the differences without storing them. Euclidean distances (p = 2) of more than 25 vectors come from
 *  a matrix product, as in PyTorch's default compute_mode: much faster, but small distances of large vectors lose
 *  digits.
 *
 *      fa_cdist(x1, x2, .p = 2, .out = NULL)
 *
 *  @param x1 (..., n, d), floating
 *  @param x2 (..., m, d); leading dimensions broadcast with x1's
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_cdist(const fa_tensor *x1, const fa_tensor *x2, const fa_cdist_options *options);

/** Options of fa_pdist(). */
typedef struct fa_pdist_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    double p;       /**< the p of the p-norm, 0 or larger; infinity: the largest difference */
    char fa__end;   /**< marks the end of this version's options */
} fa_pdist_options;

/** The distances of all pairs of rows of x (n, d): row 0 to rows 1, 2, ..., then row 1 to rows 2, 3, ..., as a vector
 *  of n * (n - 1) / 2 elements.
 *
 *      fa_pdist(x, .p = 2, .out = NULL)
 *
 *  @param x (n, d), floating
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_pdist(const fa_tensor *x, const fa_pdist_options *options);

/** Options of fa_cosine_similarity(). */
typedef struct fa_cosine_similarity_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    int64_t dim;    /**< the dimension of the vectors; negative counts from the end */
    double eps;     /**< smaller vector lengths are replaced by eps */
    char fa__end;   /**< marks the end of this version's options */
} fa_cosine_similarity_options;

/** The cosine of the angle between vectors: the sum of x1 * x2 along dim, divided by the product of both lengths. A
 *  length replaced by eps is a constant for the gradient; PyTorch uses the derivative of the length there.
 *
 *      fa_cosine_similarity(x1, x2, .dim = 1, .eps = 1e-8, .out = NULL)
 *
 *  @param x1 a tensor
 *  @param x2 broadcasts with x1
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_cosine_similarity(const fa_tensor *x1, const fa_tensor *x2, const fa_cosine_similarity_options *options);

/** @} */

/** @name Einstein summation
 *  einsum("ij,jk->ik", a, b) writes any sum of products of tensors by naming their dimensions.
 *  @{ */

/** Options of fa_einsum(). */
typedef struct fa_einsum_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_einsum_options;

/** Einstein summation: a sum of products over named dimensions. Each dimension of each operand has a letter; dimensions
 *  with the same letter are multiplied elementwise, and letters missing in the result are summed. Examples: "ij,jk->ik"
 *  is the matrix product, "bij,bjk->bik" the batched one, "ii->" the trace, "ii->i" the diagonal, "i,j->ij" the outer
 *  product, "ij->ji" the transpose. "..." stands for any number of further dimensions, which broadcast, and which are
 *  summed if the result has no "...". Dimensions of size 1 broadcast. Without an arrow the result has the dimensions of
 *  "...", then the letters that occur once in alphabetical order (A to Z before a to z). Spaces are ignored.
 *
 *  Several operands are multiplied two at a time with matrix products: in the order with the fewest multiplications for
 *  up to 8 operands, in an order chosen greedily for more. The result may be a view of an operand. Sums of integers
 *  keep the operands' dtype. Under autocast on the CPU, what sums no products of several tensors keeps its dtype.
 *
 *      fa_einsum(equation, x, .out = NULL)
 *
 *  @param equation a letter for each dimension of each tensor, and of the result: "ij,jk->ik"
 *  @param x one tensor for each term before the arrow; all of one dtype, not bool
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_einsum(const char *equation, fa_tensors x, const fa_einsum_options *options);

/** @} */

/** @name Matrix product and linear layer
 *  @{ */

/** Options of fa_matmul(). */
typedef struct fa_matmul_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_matmul_options;

/** The matrix product of a and b: two vectors give a 0-dim tensor; a matrix and a vector give a vector; two matrices
 *  (n, k) and (k, m) give (n, m). With more dimensions both are batches of matrices, whose leading dimensions
 *  broadcast: (..., n, m). A vector lacks its dimension in the result. Each element is accumulated sequentially; for
 *  long vectors fa_dot() is more accurate.
 *
 *      fa_matmul(a, b, .out = NULL)
 *
 *  @param a (..., n, k), or (k)
 *  @param b (..., k, m), or (k); of a's dtype
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_matmul(const fa_tensor *a, const fa_tensor *b, const fa_matmul_options *options);

/** Options of fa_linear(). */
typedef struct fa_linear_options {
    size_t size;           /**< set by the macro */
    fa_tensor *out;        /**< the tensor to write the result into; NULL: a new one */
    const fa_tensor *bias; /**< (out); NULL: none */
    char fa__end;          /**< marks the end of this version's options */
} fa_linear_options;

/** A linear layer: y = x @ weight^T + bias. x is (..., in_features), weight (out_features, in_features), y (...,
 *  out_features).
 *
 *      fa_linear(x, weight, .bias = NULL, .out = NULL)
 *
 *  @param x (..., in)
 *  @param weight (out, in)
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_linear(const fa_tensor *x, const fa_tensor *weight, const fa_linear_options *options);

/** @} */

/** @name Products of several matrices, matrix powers
 *  @{ */

/** Options of fa_multi_dot(). */
typedef struct fa_multi_dot_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_multi_dot_options;

/** The product of several matrices, in the order with the fewest multiplications. A vector at the front counts as a
 *  row, one at the end as a column; the result lacks that dimension.
 *
 *      fa_multi_dot(x, .out = NULL)
 *
 *  @param x two or more matrices with matching shapes; the first and the last may be vectors
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_multi_dot(fa_tensors x, const fa_multi_dot_options *options);

/** Options of fa_matrix_power(). */
typedef struct fa_matrix_power_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_matrix_power_options;

/** A matrix, or each matrix of a batch, raised to the power n by repeated squaring. n = 0 gives the identity; a
 *  negative n is an error. Under autocast the products run in the low dtype, while n = 0 and n = 1 keep x's dtype, as
 *  in PyTorch.
 *
 *      fa_matrix_power(x, n, .out = NULL)
 *
 *  @param x (..., n, n)
 *  @param n the exponent, 0 or more
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_matrix_power(const fa_tensor *x, int64_t n, const fa_matrix_power_options *options);

/** @} */

/** @name Products of vectors, matrices and tensors of a given rank
 *  fa_matmul() takes any rank. All operands have the same
 *  dtype, which is not bool; products that are computed elementwise promote dtypes, and say so.
 *  @{ */

/** Options of fa_mm(). */
typedef struct fa_mm_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_mm_options;

/** The product of two matrices (n, k) and (k, m): (n, m). Other ranks are an error.
 *
 *      fa_mm(a, b, .out = NULL)
 *
 *  @param a (n, k)
 *  @param b (k, m)
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_mm(const fa_tensor *a, const fa_tensor *b, const fa_mm_options *options);

/** Options of fa_bmm(). */
typedef struct fa_bmm_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_bmm_options;

/** The batched product of (batch, n, k) and (batch, k, m): (batch, n, m). Nothing is broadcast.
 *
 *      fa_bmm(a, b, .out = NULL)
 *
 *  @param a (batch, n, k)
 *  @param b (batch, k, m)
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_bmm(const fa_tensor *a, const fa_tensor *b, const fa_bmm_options *options);

/** Options of fa_mv(). */
typedef struct fa_mv_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_mv_options;

/** The product of a matrix (n, m) and a vector (m): (n).
 *
 *      fa_mv(x, vec, .out = NULL)
 *
 *  @param x (n, m)
 *  @param vec (m)
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_mv(const fa_tensor *x, const fa_tensor *vec, const fa_mv_options *options);

/** Options of fa_dot(). */
typedef struct fa_dot_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_dot_options;

/** The dot product of two vectors, a 0-dim tensor. It is summed pairwise like fa_sum(), which keeps more digits for
 *  long vectors than the sequential sums of fa_matmul().
 *
 *      fa_dot(a, b, .out = NULL)
 *
 *  @param a (n)
 *  @param b (n)
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_dot(const fa_tensor *a, const fa_tensor *b, const fa_dot_options *options);

/** Options of fa_vecdot(). */
typedef struct fa_vecdot_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    int64_t dim;    /**< the dimension that is summed over */
    char fa__end;   /**< marks the end of this version's options */
} fa_vecdot_options;

/** The dot product along a dimension: the sum over dim of x * y, after broadcasting. Floating dtypes only.
 *
 *      fa_vecdot(x, y, .dim = -1, .out = NULL)
 *
 *  @param x a tensor
 *  @param y a tensor
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_vecdot(const fa_tensor *x, const fa_tensor *y, const fa_vecdot_options *options);

/** Options of fa_outer(). */
typedef struct fa_outer_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_outer_options;

/** The outer product of two vectors: y[i][j] = a[i] * b[j], shape (n, m). Computed elementwise, so dtypes are
 *  promoted.
 *
 *      fa_outer(a, b, .out = NULL)
 *
 *  @param a (n)
 *  @param b (m)
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_outer(const fa_tensor *a, const fa_tensor *b, const fa_outer_options *options);

/** Options of fa_inner(). */
typedef struct fa_inner_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_inner_options;

/** The dot products of all vectors of a with all vectors of b, along their last dimensions: the shape is a's other
 *  dimensions followed by b's. If a or b is 0-dim, the result is the elementwise product. Both need the same dtype,
 *  while PyTorch promotes. Under autocast it behaves as fa_mul(), fa_dot() or fa_tensordot(), as in PyTorch.
 *
 *      fa_inner(a, b, .out = NULL)
 *
 *  @param a (..., k), or ()
 *  @param b (..., k), or ()
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_inner(const fa_tensor *a, const fa_tensor *b, const fa_inner_options *options);

/** Options of fa_tensordot(). */
typedef struct fa_tensordot_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    int64_t dims;   /**< number of dimensions to contract: the last ones of a with the first ones of b */
    char fa__end;   /**< marks the end of this version's options */
} fa_tensordot_options;

/** Contracts the last `dims` dimensions of a with the first `dims` of b (sum of products): the shape is a's remaining
 *  dimensions followed by b's. dims = 0 is the outer product. A contracted dimension of size 1 broadcasts.
 *
 *      fa_tensordot(a, b, .dims = 2, .out = NULL)
 *
 *  @param a a tensor
 *  @param b a tensor
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_tensordot(const fa_tensor *a, const fa_tensor *b, const fa_tensordot_options *options);

/** Options of fa_tensordot_at(). */
typedef struct fa_tensordot_at_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_tensordot_at_options;

/** Contracts given dimensions of a with given dimensions of b (sum of products): the shape is a's remaining dimensions
 *  followed by b's. A contracted dimension of size 1 broadcasts.
 *
 *      fa_tensordot_at(a, b, a_dims, b_dims, .out = NULL)
 *
 *  @param a a tensor
 *  @param b a tensor
 *  @param a_dims dimensions of a to sum over, such as FA_SHAPE(1, 0)
 *  @param b_dims the matching dimensions of b, in the same order; negative counts from the end
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_tensordot_at(const fa_tensor *a, const fa_tensor *b, fa_shape a_dims, fa_shape b_dims, const fa_tensordot_at_options *options);

/** Options of fa_kron(). */
typedef struct fa_kron_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_kron_options;

/** The Kronecker product: each element of a is replaced by the block a[i][j] * b. The sizes are the products of the
 *  sizes; missing leading dimensions count as 1. Computed elementwise, so dtypes are promoted.
 *
 *      fa_kron(a, b, .out = NULL)
 *
 *  @param a at most 4 dimensions, not counting those of size 1 in both
 *  @param b a tensor
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_kron(const fa_tensor *a, const fa_tensor *b, const fa_kron_options *options);

/** Options of fa_trace(). */
typedef struct fa_trace_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_trace_options;

/** The trace of a matrix: the sum of its diagonal. Integers and bool are summed in i64.
 *
 *      fa_trace(x, .out = NULL)
 *
 *  @param x (n, m)
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_trace(const fa_tensor *x, const fa_trace_options *options);

/** Options of fa_cross(). */
typedef struct fa_cross_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    int64_t dim;    /**< negative counts from the end */
    char fa__end;   /**< marks the end of this version's options */
} fa_cross_options;

/** The cross product of 3-dimensional vectors along dim, by default the last one as in torch.linalg.cross. Computed
 *  elementwise, so dtypes are promoted.
 *
 *      fa_cross(a, b, .dim = -1, .out = NULL)
 *
 *  @param a size 3 along dim
 *  @param b the same rank as a; the other dimensions broadcast
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_cross(const fa_tensor *a, const fa_tensor *b, const fa_cross_options *options);

/** @} */

/** @name Matrix products of numbers in f8, which stand for more than they hold by scale factors
 *  @{ */

/** Options of fa_scaled_mm(). */
typedef struct fa_scaled_mm_options {
    size_t size;           /**< set by the macro */
    fa_tensor *out;        /**< the tensor to write the result into; NULL: a new one */
    const fa_tensor *bias; /**< (m), floating: is added to each row of the result; NULL: none */
    fa_dtype dtype;        /**< the result's floating dtype; FA_SAME means a's, and bf16 if that is f8 */
    char fa__end;          /**< marks the end of this version's options */
} fa_scaled_mm_options;

/** The product of matrices that hold scaled numbers: (scale_a * a) @ (scale_b * b) + bias. It is computed in f32 (f64
 *  for f64), also where a and b are f8, which saves memory and, with cuBLASLt on GPUs that multiply f8, time. There b is
 *  read fastest in the order of a transposed matrix: fa_t(weight). A usual scale is the largest magnitude of a tensor
 *  divided by the largest number of its dtype, 448 for FA_F8_E4M3FN:
 *
 *      fa_tensor *scale = fa_div(fa_amax(fa_abs(x)), 448.0);
 *      fa_tensor *x8 = fa_to(fa_div(x, scale), FA_F8_E4M3FN);
 *      fa_tensor *y = fa_scaled_mm(x8, w8, scale, w_scale);
 *
 *  Source: Micikevicius et al. 2022, "FP8 formats for deep learning".
 *
 *      fa_scaled_mm(a, b, scale_a, scale_b, .bias = NULL, .dtype = FA_SAME, .out = NULL)
 *
 *  @param a (n, k): floating, also f8
 *  @param b (k, m): of a's dtype; if a is f8, of the same or the other f8 dtype
 *  @param scale_a a number, a 0-dim tensor, or (n, 1): a's elements stand for scale_a times them
 *  @param scale_b a number, a 0-dim tensor, or (1, m): the same for b
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_scaled_mm(const fa_tensor *a, const fa_tensor *b, fa_arg scale_a, fa_arg scale_b, const fa_scaled_mm_options *options);

/** @} */

/** @} */

/** @cond */
/* Macros through which the functions above take named options, and numbers instead of tensors. */
#define FA__DEFAULT_fa_addmm {offsetof(fa_addmm_options, fa__end), NULL, 1, 1, 0}
#define fa_addmm(...) FA__CALL3(fa_addmm, FA__NAMED3(, ##__VA_ARGS__, ., ., ., .), FA__SAME, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_addmv {offsetof(fa_addmv_options, fa__end), NULL, 1, 1, 0}
#define fa_addmv(...) FA__CALL3(fa_addmv, FA__NAMED3(, ##__VA_ARGS__, ., ., ., .), FA__SAME, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_addr {offsetof(fa_addr_options, fa__end), NULL, 1, 1, 0}
#define fa_addr(...) FA__CALL3(fa_addr, FA__NAMED3(, ##__VA_ARGS__, ., ., ., .), FA__SAME, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_baddbmm {offsetof(fa_baddbmm_options, fa__end), NULL, 1, 1, 0}
#define fa_baddbmm(...) FA__CALL3(fa_baddbmm, FA__NAMED3(, ##__VA_ARGS__, ., ., ., .), FA__SAME, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_addbmm {offsetof(fa_addbmm_options, fa__end), NULL, 1, 1, 0}
#define fa_addbmm(...) FA__CALL3(fa_addbmm, FA__NAMED3(, ##__VA_ARGS__, ., ., ., .), FA__SAME, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_block_diag {offsetof(fa_block_diag_options, fa__end), NULL, 0}
#define fa_block_diag(...) FA__CALL1(fa_block_diag, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__TENSOR_LIST, __VA_ARGS__)
#define FA__DEFAULT_fa_cartesian_prod {offsetof(fa_cartesian_prod_options, fa__end), NULL, 0}
#define fa_cartesian_prod(...) FA__CALL1(fa_cartesian_prod, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__TENSOR_LIST, __VA_ARGS__)
#define FA__DEFAULT_fa_vander {offsetof(fa_vander_options, fa__end), NULL, -1, false, 0}
#define fa_vander(...) FA__CALL1(fa_vander, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_combinations {offsetof(fa_combinations_options, fa__end), NULL, 2, false, 0}
#define fa_combinations(...) FA__CALL1(fa_combinations, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_pairwise_distance {offsetof(fa_pairwise_distance_options, fa__end), NULL, 2, 1e-6, false, 0}
#define fa_pairwise_distance(...) FA__CALL2(fa_pairwise_distance, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_cdist {offsetof(fa_cdist_options, fa__end), NULL, 2, 0}
#define fa_cdist(...) FA__CALL2(fa_cdist, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_pdist {offsetof(fa_pdist_options, fa__end), NULL, 2, 0}
#define fa_pdist(...) FA__CALL1(fa_pdist, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_cosine_similarity {offsetof(fa_cosine_similarity_options, fa__end), NULL, 1, 1e-8, 0}
#define fa_cosine_similarity(...) FA__CALL2(fa_cosine_similarity, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_einsum {offsetof(fa_einsum_options, fa__end), NULL, 0}
#define fa_einsum(...) FA__CALL2(fa_einsum, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__TENSOR_LIST, __VA_ARGS__)
#define FA__DEFAULT_fa_matmul {offsetof(fa_matmul_options, fa__end), NULL, 0}
#define fa_matmul(...) FA__CALL2(fa_matmul, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_linear {offsetof(fa_linear_options, fa__end), NULL, NULL, 0}
#define fa_linear(...) FA__CALL2(fa_linear, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_multi_dot {offsetof(fa_multi_dot_options, fa__end), NULL, 0}
#define fa_multi_dot(...) FA__CALL1(fa_multi_dot, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__TENSOR_LIST, __VA_ARGS__)
#define FA__DEFAULT_fa_matrix_power {offsetof(fa_matrix_power_options, fa__end), NULL, 0}
#define fa_matrix_power(...) FA__CALL2(fa_matrix_power, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_mm {offsetof(fa_mm_options, fa__end), NULL, 0}
#define fa_mm(...) FA__CALL2(fa_mm, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_bmm {offsetof(fa_bmm_options, fa__end), NULL, 0}
#define fa_bmm(...) FA__CALL2(fa_bmm, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_mv {offsetof(fa_mv_options, fa__end), NULL, 0}
#define fa_mv(...) FA__CALL2(fa_mv, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_dot {offsetof(fa_dot_options, fa__end), NULL, 0}
#define fa_dot(...) FA__CALL2(fa_dot, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_vecdot {offsetof(fa_vecdot_options, fa__end), NULL, -1, 0}
#define fa_vecdot(...) FA__CALL2(fa_vecdot, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_outer {offsetof(fa_outer_options, fa__end), NULL, 0}
#define fa_outer(...) FA__CALL2(fa_outer, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_inner {offsetof(fa_inner_options, fa__end), NULL, 0}
#define fa_inner(...) FA__CALL2(fa_inner, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_tensordot {offsetof(fa_tensordot_options, fa__end), NULL, 2, 0}
#define fa_tensordot(...) FA__CALL2(fa_tensordot, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_tensordot_at {offsetof(fa_tensordot_at_options, fa__end), NULL, 0}
#define fa_tensordot_at(...) FA__CALL4(fa_tensordot_at, FA__NAMED4(, ##__VA_ARGS__, ., ., ., ., .), FA__SAME, FA__SAME, FA__ORDER, FA__ORDER, __VA_ARGS__)
#define FA__DEFAULT_fa_kron {offsetof(fa_kron_options, fa__end), NULL, 0}
#define fa_kron(...) FA__CALL2(fa_kron, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_trace {offsetof(fa_trace_options, fa__end), NULL, 0}
#define fa_trace(...) FA__CALL1(fa_trace, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_cross {offsetof(fa_cross_options, fa__end), NULL, -1, 0}
#define fa_cross(...) FA__CALL2(fa_cross, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_scaled_mm {offsetof(fa_scaled_mm_options, fa__end), NULL, NULL, FA_SAME, 0}
#define fa_scaled_mm(...) FA__CALL4(fa_scaled_mm, FA__NAMED4(, ##__VA_ARGS__, ., ., ., ., .), FA__SAME, FA__SAME, FA__ARG, FA__ARG, __VA_ARGS__)
/** @endcond */

FA__END
#endif
