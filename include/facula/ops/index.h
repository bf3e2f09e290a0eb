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
 *  @{ */

/** @name Selecting and adding by tensors of integers, and joining
 *  Out of range is an error with the index, on every device.
 *  @{ */

/** Options of fa_index_select(). */
typedef struct fa_index_select_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_index_select_options;

/** The slices of x along dim that index names, in that order: x's shape with k for the size of dim, or 1 when
 *  index is ().
 *
 *      fa_index_select(x, dim, index, .out = NULL)
 *
 *  @param x a tensor
 *  @param dim the dimension to index; negative counts from the end
 *  @param index (k) or (), integers; each at least 0 and below the size of dim
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_index_select(const fa_tensor *x, int64_t dim, const fa_tensor *index, const fa_index_select_options *options);

/** Options of fa_gather(). */
typedef struct fa_gather_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_gather_options;

/** For each element of index, the element of x that stands at the same place but for dim, where index says. The
 *  result has the shape of index. What is 0-dim is as if it had one dimension of one element, here and in the
 *  scatters.
 *
 *      fa_gather(x, dim, index, .out = NULL)
 *
 *  @param x a tensor
 *  @param dim the dimension that index picks from; negative counts from the end
 *  @param index integers, of as many dimensions as x and nowhere longer, but along dim
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_gather(const fa_tensor *x, int64_t dim, const fa_tensor *index, const fa_gather_options *options);

/** Options of fa_scatter_add(). */
typedef struct fa_scatter_add_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_scatter_add_options;

/** x with each element of src added at the place of its index: along dim where index says, elsewhere where it stands.
 *  Added in row-major order of index, so the bits are the same on every device; halves in f32, rounded once.
 *
 *      fa_scatter_add(x, dim, index, src, .out = NULL)
 *
 *  @param x what is added to
 *  @param dim the dimension that index picks from; negative counts from the end
 *  @param index integers, of as many dimensions as x and nowhere longer, but along dim
 *  @param src what is added: nowhere shorter than index, of x's dtype
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_scatter_add(const fa_tensor *x, int64_t dim, const fa_tensor *index, const fa_tensor *src, const fa_scatter_add_options *options);

/** fa_scatter_add() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_scatter_add_(fa_tensor *x, int64_t dim, const fa_tensor *index, const fa_tensor *src, const fa_scatter_add_options *options);

/** Options of fa_cat(). */
typedef struct fa_cat_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    int64_t dim;    /**< the dimension that is joined; negative counts from the end */
    char fa__end;   /**< the end of what this version knows */
} fa_cat_options;

/** Tensors joined along a dimension that they have; their dtypes promote. One-dimensional empty tensors are skipped.
 *
 *      fa_cat(x, .dim = 0, .out = NULL)
 *
 *  @param x one or more, of the same shape but along dim
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_cat(fa_tensors x, const fa_cat_options *options);

/** @} */

/** @name Masks
 *  what is true decides what is written, taken, and where. Shapes that depend on values make the host read how
 *  many there are: one wait, which fa_transfers_report() shows when the device was not done by then, and which
 *  FA_USE(.forbid = FA_SYNC) turns into an error in any case, but on the CPU.
 *  @{ */

/** Options of fa_nonzero(). */
typedef struct fa_nonzero_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_nonzero_options;

/** Where x is not 0: for each such element, in row-major order, a row with its place along each dimension, (n, dims)
 *  i64. The host reads n, which waits for x; NaN counts. As vectors: fa_nonzero_tuple(); of fa_flatten(x) they are the
 *  places of NumPy's flatnonzero.
 *
 *      fa_nonzero(x, .out = NULL)
 *
 *  @param x any dtype: what is not 0 counts
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_nonzero(const fa_tensor *x, const fa_nonzero_options *options);

/** Where x is not 0: for each dimension a vector of the places along it, (n) i64, as fa_index() takes them. Of a 0-dim
 *  x there is one, as if it had one dimension. The host reads n, which waits for x.
 *
 *      fa_nonzero_tuple(x)
 *
 *  @param x any dtype: what is not 0 counts
 *  @return tensors in an array that the scope owns; none after an error */
FA_API fa_tensors fa_nonzero_tuple(const fa_tensor *x);

/** Options of fa_masked_fill(). */
typedef struct fa_masked_fill_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_masked_fill_options;

/** x with a value where mask is true. A tensor's value is converted as by fa_to(), without waiting for it; PyTorch
 *  refuses one that x's dtype does not hold.
 *
 *      fa_masked_fill(x, mask, value, .out = NULL)
 *
 *  @param x what is written to
 *  @param mask bool; broadcasts with x
 *  @param value a number that x's dtype holds, or a 0-dim tensor: converted to that dtype
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_masked_fill(const fa_tensor *x, const fa_tensor *mask, fa_arg value, const fa_masked_fill_options *options);

/** fa_masked_fill() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_masked_fill_(fa_tensor *x, const fa_tensor *mask, fa_arg value, const fa_masked_fill_options *options);

/** Options of fa_masked_select(). */
typedef struct fa_masked_select_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_masked_select_options;

/** The elements of x where mask is true, in row-major order: (n). The host reads n, which waits for mask.
 *
 *      fa_masked_select(x, mask, .out = NULL)
 *
 *  @param x what is taken from
 *  @param mask bool; broadcasts with x
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_masked_select(const fa_tensor *x, const fa_tensor *mask, const fa_masked_select_options *options);

/** Options of fa_masked_scatter(). */
typedef struct fa_masked_scatter_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_masked_scatter_options;

/** x with the elements of source, in their order, where mask is true. Too few of them are an error with the number of
 *  the first that is missing, on every device; the host reads nothing, unless source is empty.
 *
 *      fa_masked_scatter(x, mask, source, .out = NULL)
 *
 *  @param x what is written to
 *  @param mask bool; broadcasts to x
 *  @param source of x's dtype, with at least as many elements as mask has true ones for x
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_masked_scatter(const fa_tensor *x, const fa_tensor *mask, const fa_tensor *source, const fa_masked_scatter_options *options);

/** fa_masked_scatter() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_masked_scatter_(fa_tensor *x, const fa_tensor *mask, const fa_tensor *source, const fa_masked_scatter_options *options);

/** @} */

/** @name Classes as vectors
 *  @{ */

/** Options of fa_one_hot(). */
typedef struct fa_one_hot_options {
    size_t size;         /**< set by the macro */
    fa_tensor *out;      /**< where to write, instead of into new memory */
    int64_t num_classes; /**< how many there are; -1: one more than the largest in x, which is read for that */
    char fa__end;        /**< the end of what this version knows */
} fa_one_hot_options;

/** For each class a vector with 1 in its place and 0 elsewhere, as i64: one more dimension, the last one.
 *
 *      fa_one_hot(x, .num_classes = -1, .out = NULL)
 *
 *  @param x integers, at least 0
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_one_hot(const fa_tensor *x, const fa_one_hot_options *options);

/** @} */

/** @name Writing by an index along a dimension
 *  Out of range is an error with the index, on every device.
 *  @{ */

/** Options of fa_scatter(). */
typedef struct fa_scatter_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_scatter_options;

/** x with each element of src at the place of its index: along dim where index says, elsewhere where it stands. Where
 *  several come to one place the last one stays, in row-major order of index, on every device; the gradient of src is
 *  what stands where index says, whichever stayed.
 *
 *      fa_scatter(x, dim, index, src, .out = NULL)
 *
 *  @param x what is written to
 *  @param dim the dimension that index picks from; negative counts from the end
 *  @param index integers, of as many dimensions as x and nowhere longer, but along dim
 *  @param src what is written: nowhere shorter than index, of x's dtype; or a number
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_scatter(const fa_tensor *x, int64_t dim, const fa_tensor *index, fa_arg src, const fa_scatter_options *options);

/** fa_scatter() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_scatter_(fa_tensor *x, int64_t dim, const fa_tensor *index, fa_arg src, const fa_scatter_options *options);

/** Options of fa_scatter_reduce(). */
typedef struct fa_scatter_reduce_options {
    size_t size;       /**< set by the macro */
    fa_tensor *out;    /**< where to write, instead of into new memory */
    bool include_self; /**< what stands in x counts too; false: not where src comes */
    char fa__end;      /**< the end of what this version knows */
} fa_scatter_reduce_options;

/** x with what src brings to each place combined, along dim where index says: sum, prod, mean, amax or amin, in
 *  row-major order of index, so the bits are the same on every device. Means of integers are rounded down. NaN is the
 *  largest and the smallest; the largest that are equal share the gradient evenly.
 *
 *      fa_scatter_reduce(x, dim, index, src, reduce, .include_self = true, .out = NULL)
 *
 *  @param x what is written to
 *  @param dim the dimension that index picks from; negative counts from the end
 *  @param index integers, of as many dimensions as x and nowhere longer, but along dim
 *  @param src nowhere shorter than index, of x's dtype
 *  @param reduce "sum", "prod", "mean", "amax" or "amin"
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_scatter_reduce(const fa_tensor *x, int64_t dim, const fa_tensor *index, const fa_tensor *src, const char *reduce, const fa_scatter_reduce_options *options);

/** fa_scatter_reduce() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_scatter_reduce_(fa_tensor *x, int64_t dim, const fa_tensor *index, const fa_tensor *src, const char *reduce, const fa_scatter_reduce_options *options);

/** Options of fa_index_add(). */
typedef struct fa_index_add_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    double alpha;   /**< source is multiplied by it; a whole number for integers */
    char fa__end;   /**< the end of what this version knows */
} fa_index_add_options;

/** x with the slices of source, times alpha, added where index says along dim: in the order of index, so the bits are
 *  the same on every device.
 *
 *      fa_index_add(x, dim, index, source, .alpha = 1, .out = NULL)
 *
 *  @param x what is added to
 *  @param dim the dimension that index picks from; negative counts from the end
 *  @param index (k) or (), integers
 *  @param source what is added: of x's shape with k for the size of dim, and of its dtype
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_index_add(const fa_tensor *x, int64_t dim, const fa_tensor *index, const fa_tensor *source, const fa_index_add_options *options);

/** fa_index_add() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_index_add_(fa_tensor *x, int64_t dim, const fa_tensor *index, const fa_tensor *source, const fa_index_add_options *options);

/** Options of fa_index_copy(). */
typedef struct fa_index_copy_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_index_copy_options;

/** x with the slices of source where index says along dim; the last of several for one place stays.
 *
 *      fa_index_copy(x, dim, index, source, .out = NULL)
 *
 *  @param x what is written to
 *  @param dim the dimension that index picks from; negative counts from the end
 *  @param index (k) or (), integers
 *  @param source what is written: of x's shape with k for the size of dim, and of its dtype
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_index_copy(const fa_tensor *x, int64_t dim, const fa_tensor *index, const fa_tensor *source, const fa_index_copy_options *options);

/** fa_index_copy() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_index_copy_(fa_tensor *x, int64_t dim, const fa_tensor *index, const fa_tensor *source, const fa_index_copy_options *options);

/** Options of fa_index_fill(). */
typedef struct fa_index_fill_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_index_fill_options;

/** x with a value in the slices that index names along dim; negative ones count from the end.
 *
 *      fa_index_fill(x, dim, index, value, .out = NULL)
 *
 *  @param x what is written to
 *  @param dim the dimension that index picks from; negative counts from the end
 *  @param index (k) or (), integers
 *  @param value a number that x's dtype holds, or a 0-dim tensor: converted to that dtype
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_index_fill(const fa_tensor *x, int64_t dim, const fa_tensor *index, fa_arg value, const fa_index_fill_options *options);

/** fa_index_fill() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_index_fill_(fa_tensor *x, int64_t dim, const fa_tensor *index, fa_arg value, const fa_index_fill_options *options);

/** Options of fa_index_reduce(). */
typedef struct fa_index_reduce_options {
    size_t size;       /**< set by the macro */
    fa_tensor *out;    /**< where to write, instead of into new memory */
    bool include_self; /**< what stands in x counts too; false: not where source comes */
    char fa__end;      /**< the end of what this version knows */
} fa_index_reduce_options;

/** x with the slices that source brings to each place along dim combined, as fa_scatter_reduce() does.
 *
 *      fa_index_reduce(x, dim, index, source, reduce, .include_self = true, .out = NULL)
 *
 *  @param x what is written to
 *  @param dim the dimension that index picks from; negative counts from the end
 *  @param index (k) or (), integers
 *  @param source of x's shape with k for the size of dim, and of its dtype
 *  @param reduce "sum", "prod", "mean", "amax" or "amin"
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_index_reduce(const fa_tensor *x, int64_t dim, const fa_tensor *index, const fa_tensor *source, const char *reduce, const fa_index_reduce_options *options);

/** fa_index_reduce() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_index_reduce_(fa_tensor *x, int64_t dim, const fa_tensor *index, const fa_tensor *source, const char *reduce, const fa_index_reduce_options *options);

/** @} */

/** @name Taking and putting by flat indices, and along a dimension with broadcasting
 *  @{ */

/** Options of fa_take(). */
typedef struct fa_take_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_take_options;

/** The elements of x, as if it had one dimension, that index names: in the shape of index. Out of range is an error
 *  with the index, on every device.
 *
 *      fa_take(x, index, .out = NULL)
 *
 *  @param x a tensor
 *  @param index integers: places among the elements of x in row-major order; negative from the end
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_take(const fa_tensor *x, const fa_tensor *index, const fa_take_options *options);

/** Options of fa_put(). */
typedef struct fa_put_options {
    size_t size;     /**< set by the macro */
    fa_tensor *out;  /**< where to write, instead of into new memory */
    bool accumulate; /**< adds to what is there */
    char fa__end;    /**< the end of what this version knows */
} fa_put_options;

/** x with the elements of source at the places that index names, as if x had one dimension. The last of several at one
 *  place stays, or all are added, in their order: the same bits on every device.
 *
 *      fa_put(x, index, source, .accumulate = false, .out = NULL)
 *
 *  @param x what is written to
 *  @param index integers, as fa_take() has them
 *  @param source as many elements as index, of x's dtype
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_put(const fa_tensor *x, const fa_tensor *index, const fa_tensor *source, const fa_put_options *options);

/** fa_put() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_put_(fa_tensor *x, const fa_tensor *index, const fa_tensor *source, const fa_put_options *options);

/** Options of fa_take_along_dim(). */
typedef struct fa_take_along_dim_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    int64_t dim;    /**< along which, negative from the end; by default x and index are vectors */
    char fa__end;   /**< the end of what this version knows */
} fa_take_along_dim_options;

/** As fa_gather(), but x and index broadcast in the other dimensions: what fa_argmax() and fa_argsort() gave takes the
 *  elements that it stands for. Negative indices count from the end; out of range is an error, where PyTorch takes the
 *  remainder along a dimension.
 *
 *      fa_take_along_dim(x, index, .dim = INT64_MIN, .out = NULL)
 *
 *  @param x a tensor
 *  @param index integers, negative from the end; it broadcasts with x but along dim
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_take_along_dim(const fa_tensor *x, const fa_tensor *index, const fa_take_along_dim_options *options);

/** @} */

/** @} */

/** @cond */
/* How named options, and numbers in the place of tensors, reach the functions above. */
#define FA__DEFAULT_fa_index_select {offsetof(fa_index_select_options, fa__end), NULL, 0}
#define fa_index_select(...) FA__CALL3(fa_index_select, FA__SAME, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_gather {offsetof(fa_gather_options, fa__end), NULL, 0}
#define fa_gather(...) FA__CALL3(fa_gather, FA__SAME, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_scatter_add {offsetof(fa_scatter_add_options, fa__end), NULL, 0}
#define fa_scatter_add(...) FA__CALL4(fa_scatter_add, FA__SAME, FA__SAME, FA__SAME, FA__SAME, __VA_ARGS__)
typedef fa_scatter_add_options fa_scatter_add__options;
#define FA__DEFAULT_fa_scatter_add_ FA__DEFAULT_fa_scatter_add
#define fa_scatter_add_(...) FA__CALL4(fa_scatter_add_, FA__SAME, FA__SAME, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_cat {offsetof(fa_cat_options, fa__end), NULL, 0, 0}
#define fa_cat(...) FA__CALL1(fa_cat, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_nonzero {offsetof(fa_nonzero_options, fa__end), NULL, 0}
#define fa_nonzero(...) FA__CALL1(fa_nonzero, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_masked_fill {offsetof(fa_masked_fill_options, fa__end), NULL, 0}
#define fa_masked_fill(...) FA__CALL3(fa_masked_fill, FA__SAME, FA__SAME, FA__ARG, __VA_ARGS__)
typedef fa_masked_fill_options fa_masked_fill__options;
#define FA__DEFAULT_fa_masked_fill_ FA__DEFAULT_fa_masked_fill
#define fa_masked_fill_(...) FA__CALL3(fa_masked_fill_, FA__SAME, FA__SAME, FA__ARG, __VA_ARGS__)
#define FA__DEFAULT_fa_masked_select {offsetof(fa_masked_select_options, fa__end), NULL, 0}
#define fa_masked_select(...) FA__CALL2(fa_masked_select, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_masked_scatter {offsetof(fa_masked_scatter_options, fa__end), NULL, 0}
#define fa_masked_scatter(...) FA__CALL3(fa_masked_scatter, FA__SAME, FA__SAME, FA__SAME, __VA_ARGS__)
typedef fa_masked_scatter_options fa_masked_scatter__options;
#define FA__DEFAULT_fa_masked_scatter_ FA__DEFAULT_fa_masked_scatter
#define fa_masked_scatter_(...) FA__CALL3(fa_masked_scatter_, FA__SAME, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_one_hot {offsetof(fa_one_hot_options, fa__end), NULL, -1, 0}
#define fa_one_hot(...) FA__CALL1(fa_one_hot, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_scatter {offsetof(fa_scatter_options, fa__end), NULL, 0}
#define fa_scatter(...) FA__CALL4(fa_scatter, FA__SAME, FA__SAME, FA__SAME, FA__ARG, __VA_ARGS__)
typedef fa_scatter_options fa_scatter__options;
#define FA__DEFAULT_fa_scatter_ FA__DEFAULT_fa_scatter
#define fa_scatter_(...) FA__CALL4(fa_scatter_, FA__SAME, FA__SAME, FA__SAME, FA__ARG, __VA_ARGS__)
#define FA__DEFAULT_fa_scatter_reduce {offsetof(fa_scatter_reduce_options, fa__end), NULL, true, 0}
#define fa_scatter_reduce(...) FA__CALL5(fa_scatter_reduce, FA__SAME, FA__SAME, FA__SAME, FA__SAME, FA__SAME, __VA_ARGS__)
typedef fa_scatter_reduce_options fa_scatter_reduce__options;
#define FA__DEFAULT_fa_scatter_reduce_ FA__DEFAULT_fa_scatter_reduce
#define fa_scatter_reduce_(...) FA__CALL5(fa_scatter_reduce_, FA__SAME, FA__SAME, FA__SAME, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_index_add {offsetof(fa_index_add_options, fa__end), NULL, 1, 0}
#define fa_index_add(...) FA__CALL4(fa_index_add, FA__SAME, FA__SAME, FA__SAME, FA__SAME, __VA_ARGS__)
typedef fa_index_add_options fa_index_add__options;
#define FA__DEFAULT_fa_index_add_ FA__DEFAULT_fa_index_add
#define fa_index_add_(...) FA__CALL4(fa_index_add_, FA__SAME, FA__SAME, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_index_copy {offsetof(fa_index_copy_options, fa__end), NULL, 0}
#define fa_index_copy(...) FA__CALL4(fa_index_copy, FA__SAME, FA__SAME, FA__SAME, FA__SAME, __VA_ARGS__)
typedef fa_index_copy_options fa_index_copy__options;
#define FA__DEFAULT_fa_index_copy_ FA__DEFAULT_fa_index_copy
#define fa_index_copy_(...) FA__CALL4(fa_index_copy_, FA__SAME, FA__SAME, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_index_fill {offsetof(fa_index_fill_options, fa__end), NULL, 0}
#define fa_index_fill(...) FA__CALL4(fa_index_fill, FA__SAME, FA__SAME, FA__SAME, FA__ARG, __VA_ARGS__)
typedef fa_index_fill_options fa_index_fill__options;
#define FA__DEFAULT_fa_index_fill_ FA__DEFAULT_fa_index_fill
#define fa_index_fill_(...) FA__CALL4(fa_index_fill_, FA__SAME, FA__SAME, FA__SAME, FA__ARG, __VA_ARGS__)
#define FA__DEFAULT_fa_index_reduce {offsetof(fa_index_reduce_options, fa__end), NULL, true, 0}
#define fa_index_reduce(...) FA__CALL5(fa_index_reduce, FA__SAME, FA__SAME, FA__SAME, FA__SAME, FA__SAME, __VA_ARGS__)
typedef fa_index_reduce_options fa_index_reduce__options;
#define FA__DEFAULT_fa_index_reduce_ FA__DEFAULT_fa_index_reduce
#define fa_index_reduce_(...) FA__CALL5(fa_index_reduce_, FA__SAME, FA__SAME, FA__SAME, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_take {offsetof(fa_take_options, fa__end), NULL, 0}
#define fa_take(...) FA__CALL2(fa_take, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_put {offsetof(fa_put_options, fa__end), NULL, false, 0}
#define fa_put(...) FA__CALL3(fa_put, FA__SAME, FA__SAME, FA__SAME, __VA_ARGS__)
typedef fa_put_options fa_put__options;
#define FA__DEFAULT_fa_put_ FA__DEFAULT_fa_put
#define fa_put_(...) FA__CALL3(fa_put_, FA__SAME, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_take_along_dim {offsetof(fa_take_along_dim_options, fa__end), NULL, INT64_MIN, 0}
#define fa_take_along_dim(...) FA__CALL2(fa_take_along_dim, FA__SAME, FA__SAME, __VA_ARGS__)
/** @endcond */

FA__END
#endif
