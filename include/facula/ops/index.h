/** @file
 *  Indexing, gathering and scattering.
 *
 *  Written by facula-rows from src/ops/index: edit there. */
/* clang-format off */
#ifndef FACULA_OPS_INDEX_H
#define FACULA_OPS_INDEX_H
#include <facula/types.h>

FA__BEGIN

/** @defgroup ops_index Indexing, gathering and scattering
 *  @ingroup ops
 *  @{ */

/** @name Selecting, gathering and joining
 *  An index out of range is an error that names the index, on every device.
 *  @{ */

/** Options of fa_index_select(). */
typedef struct fa_index_select_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_index_select_options;

/** The slices of x along dim at the positions in index, in that order. The result has x's shape with size k in
 *  dimension dim (1 if index is 0-dim).
 *
 *      fa_index_select(x, dim, index, .out = NULL)
 *
 *  @param x a tensor
 *  @param dim the dimension to index; negative counts from the end
 *  @param index (k) or (), integers from 0 to the size of dim - 1
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_index_select(const fa_tensor *x, int64_t dim, const fa_tensor *index, const fa_index_select_options *options);

/** Options of fa_gather(). */
typedef struct fa_gather_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_gather_options;

/** Gathers elements along a dimension: for dim = 0, y[i][j] = x[index[i][j]][j]; for dim = 1, y[i][j] =
 *  x[i][index[i][j]]. The result has the shape of index. 0-dim tensors count as shape (1), here and in the scatter
 *  functions.
 *
 *      fa_gather(x, dim, index, .out = NULL)
 *
 *  @param x a tensor
 *  @param dim the dimension to gather along; negative counts from the end
 *  @param index integers; as many dimensions as x, and no larger than x except along dim
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_gather(const fa_tensor *x, int64_t dim, const fa_tensor *index, const fa_gather_options *options);

/** Options of fa_scatter_add(). */
typedef struct fa_scatter_add_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_scatter_add_options;

/** Adds the elements of src to x along a dimension: for dim = 0, y[index[i][j]][j] += src[i][j], starting from y = x.
 *  The additions are done in row-major order of index, so every device gives the same bits; f16 and bf16 are
 *  accumulated in f32 and rounded once.
 *
 *      fa_scatter_add(x, dim, index, src, .out = NULL)
 *
 *  @param x the tensor that is added to
 *  @param dim the dimension to write along; negative counts from the end
 *  @param index integers; as many dimensions as x, and no larger than x except along dim
 *  @param src values to add: x's dtype, no smaller than index in any dimension
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_scatter_add(const fa_tensor *x, int64_t dim, const fa_tensor *index, const fa_tensor *src, const fa_scatter_add_options *options);

/** fa_scatter_add() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_scatter_add_(fa_tensor *x, int64_t dim, const fa_tensor *index, const fa_tensor *src, const fa_scatter_add_options *options);

/** Options of fa_cat(). */
typedef struct fa_cat_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    int64_t dim;    /**< the dimension to concatenate along; negative counts from the end */
    char fa__end;   /**< marks the end of this version's options */
} fa_cat_options;

/** Concatenates tensors along an existing dimension; their dtypes are promoted. Empty 1-dimensional tensors are
 *  skipped.
 *
 *      fa_cat(x, .dim = 0, .out = NULL)
 *
 *  @param x one or more tensors, of the same shape except along dim
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_cat(fa_tensors x, const fa_cat_options *options);

/** @} */

/** @name Masks
 *  nonzero, masked fill, select and scatter. Results whose shape depends on values make the host read a count,
 *  which waits for the device once: fa_transfers_report() lists that wait, and FA_USE(.forbid = FA_SYNC) makes it an
 *  error (except on the CPU).
 *  @{ */

/** Options of fa_nonzero(). */
typedef struct fa_nonzero_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_nonzero_options;

/** The indices of all elements that are not 0 (NaN counts as not 0), in row-major order: (n, x's rank) i64, one row for
 *  each element. The host reads n, which waits for x. fa_nonzero_tuple() gives one vector for each dimension; on
 *  fa_flatten(x) it is NumPy's flatnonzero.
 *
 *      fa_nonzero(x, .out = NULL)
 *
 *  @param x any dtype
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_nonzero(const fa_tensor *x, const fa_nonzero_options *options);

/** The indices of all elements that are not 0, as one (n) i64 tensor for each dimension of x, which fa_index() accepts.
 *  A 0-dim x counts as shape (1). The host reads n, which waits for x.
 *
 *      fa_nonzero_tuple(x)
 *
 *  @param x any dtype
 *  @return an array of tensors, owned by the scope; empty after an error */
FA_API fa_tensors fa_nonzero_tuple(const fa_tensor *x);

/** Options of fa_masked_fill(). */
typedef struct fa_masked_fill_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_masked_fill_options;

/** x with value where mask is true. A 0-dim tensor value is converted as by fa_to() without waiting for it; PyTorch
 *  rejects a value outside the range of x's dtype.
 *
 *      fa_masked_fill(x, mask, value, .out = NULL)
 *
 *  @param x the tensor to write into
 *  @param mask bool; broadcasts with x
 *  @param value a number in the range of x's dtype, or a 0-dim tensor, which is converted to it
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_masked_fill(const fa_tensor *x, const fa_tensor *mask, fa_arg value, const fa_masked_fill_options *options);

/** fa_masked_fill() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_masked_fill_(fa_tensor *x, const fa_tensor *mask, fa_arg value, const fa_masked_fill_options *options);

/** Options of fa_masked_select(). */
typedef struct fa_masked_select_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_masked_select_options;

/** The elements of x where mask is true, in row-major order: shape (n). x and mask broadcast. The host reads n, which
 *  waits for mask.
 *
 *      fa_masked_select(x, mask, .out = NULL)
 *
 *  @param x the tensor to select from
 *  @param mask bool; broadcasts with x
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_masked_select(const fa_tensor *x, const fa_tensor *mask, const fa_masked_select_options *options);

/** Options of fa_masked_scatter(). */
typedef struct fa_masked_scatter_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_masked_scatter_options;

/** x with its elements where mask is true replaced by the elements of source, in row-major order. If source has too few
 *  elements, the error names the first missing one, on every device; the host reads nothing unless source is empty.
 *
 *      fa_masked_scatter(x, mask, source, .out = NULL)
 *
 *  @param x the tensor to write into
 *  @param mask bool; broadcasts to x's shape
 *  @param source x's dtype; at least as many elements as mask has true ones after broadcasting
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_masked_scatter(const fa_tensor *x, const fa_tensor *mask, const fa_tensor *source, const fa_masked_scatter_options *options);

/** fa_masked_scatter() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_masked_scatter_(fa_tensor *x, const fa_tensor *mask, const fa_tensor *source, const fa_masked_scatter_options *options);

/** @} */

/** @name One-hot encoding
 *  @{ */

/** Options of fa_one_hot(). */
typedef struct fa_one_hot_options {
    size_t size;         /**< set by the macro */
    fa_tensor *out;      /**< the tensor to write the result into; NULL: a new one */
    int64_t num_classes; /**< number of classes; -1: one more than the largest value in x, which the host reads */
    char fa__end;        /**< marks the end of this version's options */
} fa_one_hot_options;

/** One-hot encoding of class numbers: i64, with a new last dimension of size num_classes that is 1 at the position of
 *  the class and 0 elsewhere. A class number out of range is an error.
 *
 *      fa_one_hot(x, .num_classes = -1, .out = NULL)
 *
 *  @param x class numbers: integers, at least 0
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_one_hot(const fa_tensor *x, const fa_one_hot_options *options);

/** @} */

/** @name Scattering by index
 *  An index out of range is an error that names the index, on every device.
 *  @{ */

/** Options of fa_scatter(). */
typedef struct fa_scatter_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_scatter_options;

/** Writes the elements of src into x along a dimension: for dim = 0, y[index[i][j]][j] = src[i][j], starting from y =
 *  x. If a position is written more than once, the last write in row-major order of index is kept, on every device. The
 *  gradient of src is the gradient at its position, also for elements that were overwritten.
 *
 *      fa_scatter(x, dim, index, src, .out = NULL)
 *
 *  @param x the tensor to write into
 *  @param dim the dimension to write along; negative counts from the end
 *  @param index integers; as many dimensions as x, and no larger than x except along dim
 *  @param src values to write: x's dtype, no smaller than index in any dimension; or a number
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_scatter(const fa_tensor *x, int64_t dim, const fa_tensor *index, fa_arg src, const fa_scatter_options *options);

/** fa_scatter() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_scatter_(fa_tensor *x, int64_t dim, const fa_tensor *index, fa_arg src, const fa_scatter_options *options);

/** Options of fa_scatter_reduce(). */
typedef struct fa_scatter_reduce_options {
    size_t size;       /**< set by the macro */
    fa_tensor *out;    /**< the tensor to write the result into; NULL: a new one */
    bool include_self; /**< false: x's own value is left out at positions that src is written to */
    char fa__end;      /**< marks the end of this version's options */
} fa_scatter_reduce_options;

/** Reduces the elements of src into x along a dimension, at the positions given by index, with sum, prod, mean, amax or
 *  amin. Values are combined in row-major order of index, so every device gives the same bits. The mean of integers is
 *  rounded down. NaN propagates through amax and amin; equal maxima share the gradient evenly.
 *
 *      fa_scatter_reduce(x, dim, index, src, reduce, .include_self = true, .out = NULL)
 *
 *  @param x the tensor to write into
 *  @param dim the dimension to write along; negative counts from the end
 *  @param index integers; as many dimensions as x, and no larger than x except along dim
 *  @param src x's dtype; no smaller than index in any dimension
 *  @param reduce "sum", "prod", "mean", "amax" or "amin"
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_scatter_reduce(const fa_tensor *x, int64_t dim, const fa_tensor *index, const fa_tensor *src, const char *reduce, const fa_scatter_reduce_options *options);

/** fa_scatter_reduce() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_scatter_reduce_(fa_tensor *x, int64_t dim, const fa_tensor *index, const fa_tensor *src, const char *reduce, const fa_scatter_reduce_options *options);

/** Options of fa_index_add(). */
typedef struct fa_index_add_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    double alpha;   /**< source is multiplied by alpha; a whole number for integer tensors */
    char fa__end;   /**< marks the end of this version's options */
} fa_index_add_options;

/** Adds alpha times the slices of source to x along dim, at the positions in index. The additions are done in the order
 *  of index, so every device gives the same bits.
 *
 *      fa_index_add(x, dim, index, source, .alpha = 1, .out = NULL)
 *
 *  @param x the tensor that is added to
 *  @param dim the dimension to write along; negative counts from the end
 *  @param index (k) or (), integers
 *  @param source x's shape with size k in dimension dim; x's dtype
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_index_add(const fa_tensor *x, int64_t dim, const fa_tensor *index, const fa_tensor *source, const fa_index_add_options *options);

/** fa_index_add() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_index_add_(fa_tensor *x, int64_t dim, const fa_tensor *index, const fa_tensor *source, const fa_index_add_options *options);

/** Options of fa_index_copy(). */
typedef struct fa_index_copy_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_index_copy_options;

/** Writes the slices of source into x along dim, at the positions in index. If a position occurs more than once, the
 *  last slice is kept.
 *
 *      fa_index_copy(x, dim, index, source, .out = NULL)
 *
 *  @param x the tensor to write into
 *  @param dim the dimension to write along; negative counts from the end
 *  @param index (k) or (), integers
 *  @param source the slices to write: x's shape with size k in dimension dim; x's dtype
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_index_copy(const fa_tensor *x, int64_t dim, const fa_tensor *index, const fa_tensor *source, const fa_index_copy_options *options);

/** fa_index_copy() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_index_copy_(fa_tensor *x, int64_t dim, const fa_tensor *index, const fa_tensor *source, const fa_index_copy_options *options);

/** Options of fa_index_fill(). */
typedef struct fa_index_fill_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_index_fill_options;

/** A copy of x in which the slices along dim at the positions in index are filled with value. Negative indices count
 *  from the end.
 *
 *      fa_index_fill(x, dim, index, value, .out = NULL)
 *
 *  @param x the tensor to write into
 *  @param dim the dimension to write along; negative counts from the end
 *  @param index (k) or (), integers
 *  @param value a number in the range of x's dtype, or a 0-dim tensor, which is converted to it
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_index_fill(const fa_tensor *x, int64_t dim, const fa_tensor *index, fa_arg value, const fa_index_fill_options *options);

/** fa_index_fill() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_index_fill_(fa_tensor *x, int64_t dim, const fa_tensor *index, fa_arg value, const fa_index_fill_options *options);

/** Options of fa_index_reduce(). */
typedef struct fa_index_reduce_options {
    size_t size;       /**< set by the macro */
    fa_tensor *out;    /**< the tensor to write the result into; NULL: a new one */
    bool include_self; /**< false: x's own slice is left out at positions that source is written to */
    char fa__end;      /**< marks the end of this version's options */
} fa_index_reduce_options;

/** Reduces the slices of source into x along dim, at the positions in index; the reductions are those of
 *  fa_scatter_reduce().
 *
 *      fa_index_reduce(x, dim, index, source, reduce, .include_self = true, .out = NULL)
 *
 *  @param x the tensor to write into
 *  @param dim the dimension to write along; negative counts from the end
 *  @param index (k) or (), integers
 *  @param source x's shape with size k in dimension dim
 *  @param reduce "sum", "prod", "mean", "amax" or "amin"
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_index_reduce(const fa_tensor *x, int64_t dim, const fa_tensor *index, const fa_tensor *source, const char *reduce, const fa_index_reduce_options *options);

/** fa_index_reduce() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_index_reduce_(fa_tensor *x, int64_t dim, const fa_tensor *index, const fa_tensor *source, const char *reduce, const fa_index_reduce_options *options);

/** @} */

/** @name Take and put by flat indices, take_along_dim
 *  @{ */

/** Options of fa_take(). */
typedef struct fa_take_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_take_options;

/** The elements of x at row-major positions, as if x were flattened: y has the shape of index. An index out of range is
 *  an error that names the index, on every device.
 *
 *      fa_take(x, index, .out = NULL)
 *
 *  @param x a tensor
 *  @param index integers: row-major positions among the elements of x; negative counts from the end
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_take(const fa_tensor *x, const fa_tensor *index, const fa_take_options *options);

/** Options of fa_put(). */
typedef struct fa_put_options {
    size_t size;     /**< set by the macro */
    fa_tensor *out;  /**< the tensor to write the result into; NULL: a new one */
    bool accumulate; /**< true: add to the elements of x instead of overwriting them */
    char fa__end;    /**< marks the end of this version's options */
} fa_put_options;

/** x with the elements of source written (or added) at row-major positions, as if x were flattened. If a position
 *  occurs more than once, the last element is kept, or all are added in order: the same bits on every device.
 *
 *      fa_put(x, index, source, .accumulate = false, .out = NULL)
 *
 *  @param x the tensor to write into
 *  @param index integers: row-major positions, as for fa_take()
 *  @param source as many elements as index; x's dtype
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_put(const fa_tensor *x, const fa_tensor *index, const fa_tensor *source, const fa_put_options *options);

/** fa_put() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_put_(fa_tensor *x, const fa_tensor *index, const fa_tensor *source, const fa_put_options *options);

/** Options of fa_take_along_dim(). */
typedef struct fa_take_along_dim_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    int64_t dim;    /**< the dimension, negative counts from the end; default: x and index are flattened */
    char fa__end;   /**< marks the end of this version's options */
} fa_take_along_dim_options;

/** Like fa_gather(), but x and index broadcast in the other dimensions, and negative indices count from the end. With
 *  the result of fa_argmax() or fa_argsort() as index it gives the elements those indices refer to. An index out of
 *  range is an error; PyTorch wraps it around.
 *
 *      fa_take_along_dim(x, index, .dim = INT64_MIN, .out = NULL)
 *
 *  @param x a tensor
 *  @param index integers, negative counts from the end; broadcasts with x except along dim
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_take_along_dim(const fa_tensor *x, const fa_tensor *index, const fa_take_along_dim_options *options);

/** @} */

/** @} */

/** @cond */
/* Macros through which the functions above take named options, and numbers instead of tensors. */
#define FA__DEFAULT_fa_index_select {offsetof(fa_index_select_options, fa__end), NULL, 0}
#define fa_index_select(...) FA__CALL3(fa_index_select, FA__NAMED3(, ##__VA_ARGS__, ., ., ., .), FA__SAME, FA__DIMENSION, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_gather {offsetof(fa_gather_options, fa__end), NULL, 0}
#define fa_gather(...) FA__CALL3(fa_gather, FA__NAMED3(, ##__VA_ARGS__, ., ., ., .), FA__SAME, FA__DIMENSION, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_scatter_add {offsetof(fa_scatter_add_options, fa__end), NULL, 0}
#define fa_scatter_add(...) FA__CALL4(fa_scatter_add, FA__NAMED4(, ##__VA_ARGS__, ., ., ., ., .), FA__SAME, FA__DIMENSION, FA__SAME, FA__SAME, __VA_ARGS__)
typedef fa_scatter_add_options fa_scatter_add__options;
#define FA__DEFAULT_fa_scatter_add_ FA__DEFAULT_fa_scatter_add
#define fa_scatter_add_(...) FA__CALL4(fa_scatter_add_, FA__NAMED4(, ##__VA_ARGS__, ., ., ., ., .), FA__SAME, FA__DIMENSION, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_cat {offsetof(fa_cat_options, fa__end), NULL, 0, 0}
#define fa_cat(...) FA__CALL1(fa_cat, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__TENSOR_LIST, __VA_ARGS__)
#define FA__DEFAULT_fa_nonzero {offsetof(fa_nonzero_options, fa__end), NULL, 0}
#define fa_nonzero(...) FA__CALL1(fa_nonzero, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define fa_nonzero_tuple(...) FA__CALLED(fa_nonzero_tuple(__VA_ARGS__))
#define FA__DEFAULT_fa_masked_fill {offsetof(fa_masked_fill_options, fa__end), NULL, 0}
#define fa_masked_fill(...) FA__CALL3(fa_masked_fill, FA__NAMED3(, ##__VA_ARGS__, ., ., ., .), FA__SAME, FA__SAME, FA__ARG, __VA_ARGS__)
typedef fa_masked_fill_options fa_masked_fill__options;
#define FA__DEFAULT_fa_masked_fill_ FA__DEFAULT_fa_masked_fill
#define fa_masked_fill_(...) FA__CALL3(fa_masked_fill_, FA__NAMED3(, ##__VA_ARGS__, ., ., ., .), FA__SAME, FA__SAME, FA__ARG, __VA_ARGS__)
#define FA__DEFAULT_fa_masked_select {offsetof(fa_masked_select_options, fa__end), NULL, 0}
#define fa_masked_select(...) FA__CALL2(fa_masked_select, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_masked_scatter {offsetof(fa_masked_scatter_options, fa__end), NULL, 0}
#define fa_masked_scatter(...) FA__CALL3(fa_masked_scatter, FA__NAMED3(, ##__VA_ARGS__, ., ., ., .), FA__SAME, FA__SAME, FA__SAME, __VA_ARGS__)
typedef fa_masked_scatter_options fa_masked_scatter__options;
#define FA__DEFAULT_fa_masked_scatter_ FA__DEFAULT_fa_masked_scatter
#define fa_masked_scatter_(...) FA__CALL3(fa_masked_scatter_, FA__NAMED3(, ##__VA_ARGS__, ., ., ., .), FA__SAME, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_one_hot {offsetof(fa_one_hot_options, fa__end), NULL, -1, 0}
#define fa_one_hot(...) FA__CALL1(fa_one_hot, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_scatter {offsetof(fa_scatter_options, fa__end), NULL, 0}
#define fa_scatter(...) FA__CALL4(fa_scatter, FA__NAMED4(, ##__VA_ARGS__, ., ., ., ., .), FA__SAME, FA__DIMENSION, FA__SAME, FA__ARG, __VA_ARGS__)
typedef fa_scatter_options fa_scatter__options;
#define FA__DEFAULT_fa_scatter_ FA__DEFAULT_fa_scatter
#define fa_scatter_(...) FA__CALL4(fa_scatter_, FA__NAMED4(, ##__VA_ARGS__, ., ., ., ., .), FA__SAME, FA__DIMENSION, FA__SAME, FA__ARG, __VA_ARGS__)
#define FA__DEFAULT_fa_scatter_reduce {offsetof(fa_scatter_reduce_options, fa__end), NULL, true, 0}
#define fa_scatter_reduce(...) FA__CALL5(fa_scatter_reduce, FA__NAMED5(, ##__VA_ARGS__, ., ., ., ., ., .), FA__SAME, FA__DIMENSION, FA__SAME, FA__SAME, FA__SAME, __VA_ARGS__)
typedef fa_scatter_reduce_options fa_scatter_reduce__options;
#define FA__DEFAULT_fa_scatter_reduce_ FA__DEFAULT_fa_scatter_reduce
#define fa_scatter_reduce_(...) FA__CALL5(fa_scatter_reduce_, FA__NAMED5(, ##__VA_ARGS__, ., ., ., ., ., .), FA__SAME, FA__DIMENSION, FA__SAME, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_index_add {offsetof(fa_index_add_options, fa__end), NULL, 1, 0}
#define fa_index_add(...) FA__CALL4(fa_index_add, FA__NAMED4(, ##__VA_ARGS__, ., ., ., ., .), FA__SAME, FA__DIMENSION, FA__SAME, FA__SAME, __VA_ARGS__)
typedef fa_index_add_options fa_index_add__options;
#define FA__DEFAULT_fa_index_add_ FA__DEFAULT_fa_index_add
#define fa_index_add_(...) FA__CALL4(fa_index_add_, FA__NAMED4(, ##__VA_ARGS__, ., ., ., ., .), FA__SAME, FA__DIMENSION, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_index_copy {offsetof(fa_index_copy_options, fa__end), NULL, 0}
#define fa_index_copy(...) FA__CALL4(fa_index_copy, FA__NAMED4(, ##__VA_ARGS__, ., ., ., ., .), FA__SAME, FA__DIMENSION, FA__SAME, FA__SAME, __VA_ARGS__)
typedef fa_index_copy_options fa_index_copy__options;
#define FA__DEFAULT_fa_index_copy_ FA__DEFAULT_fa_index_copy
#define fa_index_copy_(...) FA__CALL4(fa_index_copy_, FA__NAMED4(, ##__VA_ARGS__, ., ., ., ., .), FA__SAME, FA__DIMENSION, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_index_fill {offsetof(fa_index_fill_options, fa__end), NULL, 0}
#define fa_index_fill(...) FA__CALL4(fa_index_fill, FA__NAMED4(, ##__VA_ARGS__, ., ., ., ., .), FA__SAME, FA__DIMENSION, FA__SAME, FA__ARG, __VA_ARGS__)
typedef fa_index_fill_options fa_index_fill__options;
#define FA__DEFAULT_fa_index_fill_ FA__DEFAULT_fa_index_fill
#define fa_index_fill_(...) FA__CALL4(fa_index_fill_, FA__NAMED4(, ##__VA_ARGS__, ., ., ., ., .), FA__SAME, FA__DIMENSION, FA__SAME, FA__ARG, __VA_ARGS__)
#define FA__DEFAULT_fa_index_reduce {offsetof(fa_index_reduce_options, fa__end), NULL, true, 0}
#define fa_index_reduce(...) FA__CALL5(fa_index_reduce, FA__NAMED5(, ##__VA_ARGS__, ., ., ., ., ., .), FA__SAME, FA__DIMENSION, FA__SAME, FA__SAME, FA__SAME, __VA_ARGS__)
typedef fa_index_reduce_options fa_index_reduce__options;
#define FA__DEFAULT_fa_index_reduce_ FA__DEFAULT_fa_index_reduce
#define fa_index_reduce_(...) FA__CALL5(fa_index_reduce_, FA__NAMED5(, ##__VA_ARGS__, ., ., ., ., ., .), FA__SAME, FA__DIMENSION, FA__SAME, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_take {offsetof(fa_take_options, fa__end), NULL, 0}
#define fa_take(...) FA__CALL2(fa_take, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_put {offsetof(fa_put_options, fa__end), NULL, false, 0}
#define fa_put(...) FA__CALL3(fa_put, FA__NAMED3(, ##__VA_ARGS__, ., ., ., .), FA__SAME, FA__SAME, FA__SAME, __VA_ARGS__)
typedef fa_put_options fa_put__options;
#define FA__DEFAULT_fa_put_ FA__DEFAULT_fa_put
#define fa_put_(...) FA__CALL3(fa_put_, FA__NAMED3(, ##__VA_ARGS__, ., ., ., .), FA__SAME, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_take_along_dim {offsetof(fa_take_along_dim_options, fa__end), NULL, INT64_MIN, 0}
#define fa_take_along_dim(...) FA__CALL2(fa_take_along_dim, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__SAME, __VA_ARGS__)
/** @endcond */

FA__END
#endif
