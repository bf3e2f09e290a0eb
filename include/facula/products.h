/** @file
 *  Products of vectors, matrices and tensors of given ranks. matmul, which takes any, is in linalg.h; einsum has a file
 *  of its own. Operands have one dtype and are not bool, unless a product says that it is made element by element: then
 *  dtypes promote.
 *
 *  Written by facula-rows from src/ops/products.c: edit there. */
/* clang-format off */
#ifndef FACULA_PRODUCTS_H
#define FACULA_PRODUCTS_H
#include <facula/types.h>

FA__BEGIN

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

/** @cond */
/* How named options, and numbers in the place of tensors, reach the functions above. */
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
