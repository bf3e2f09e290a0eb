/** @file
 *  Views, shapes and joining.
 *
 *  Written by facula-rows from src/ops/shape: edit there. */
/* clang-format off */
#ifndef FACULA_OPS_SHAPE_H
#define FACULA_OPS_SHAPE_H
#include <facula/types.h>

FA__BEGIN

/** @defgroup ops_shape Views, shapes and joining
 *  @{ */

/** @name Diagonals
 *  as views, written into zeros, and what stands on one side of them.
 *  @{ */

/** Options of fa_diagonal(). */
typedef struct fa_diagonal_options {
    size_t size;    /**< set by the macro */
    int64_t offset; /**< above the main diagonal; below it when negative */
    int64_t dim1;   /**< rows: negative counts from the end */
    int64_t dim2;   /**< columns: negative counts from the end */
    char fa__end;   /**< the end of what this version knows */
} fa_diagonal_options;

/** The diagonal of two dimensions, which go; it stands in a new last one: a view.
 *
 *      fa_diagonal(x, .offset = 0, .dim1 = 0, .dim2 = 1)
 *
 *  @param x a tensor
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return a view; NULL after an error */
FA_API fa_tensor *fa_diagonal(const fa_tensor *x, const fa_diagonal_options *options);

/** Options of fa_diag_embed(). */
typedef struct fa_diag_embed_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    int64_t offset; /**< above the main diagonal; below it when negative */
    int64_t dim1;   /**< of the result: rows; negative counts from the end */
    int64_t dim2;   /**< of the result: columns */
    char fa__end;   /**< the end of what this version knows */
} fa_diag_embed_options;

/** Zeros with the last dimension of x on a diagonal of two dimensions.
 *
 *      fa_diag_embed(x, .offset = 0, .dim1 = -2, .dim2 = -1, .out = NULL)
 *
 *  @param x a tensor
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_diag_embed(const fa_tensor *x, const fa_diag_embed_options *options);

/** Options of fa_diag(). */
typedef struct fa_diag_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    int64_t offset; /**< above the main diagonal; below it when negative */
    char fa__end;   /**< the end of what this version knows */
} fa_diag_options;

/** A matrix with the vector x on its diagonal; of a matrix the diagonal, a view.
 *
 *      fa_diag(x, .offset = 0, .out = NULL)
 *
 *  @param x a vector or a matrix
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_diag(const fa_tensor *x, const fa_diag_options *options);

/** Options of fa_tril(). */
typedef struct fa_tril_options {
    size_t size;      /**< set by the macro */
    fa_tensor *out;   /**< where to write, instead of into new memory */
    int64_t diagonal; /**< the last one that stays, above the main diagonal; below it when negative */
    char fa__end;     /**< the end of what this version knows */
} fa_tril_options;

/** The lower triangle of matrices: what stands above a diagonal becomes 0.
 *
 *      fa_tril(x, .diagonal = 0, .out = NULL)
 *
 *  @param x matrices: the last two dimensions
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_tril(const fa_tensor *x, const fa_tril_options *options);

/** fa_tril() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_tril_(fa_tensor *x, const fa_tril_options *options);

/** Options of fa_triu(). */
typedef struct fa_triu_options {
    size_t size;      /**< set by the macro */
    fa_tensor *out;   /**< where to write, instead of into new memory */
    int64_t diagonal; /**< the last one that stays, above the main diagonal; below it when negative */
    char fa__end;     /**< the end of what this version knows */
} fa_triu_options;

/** The upper triangle of matrices: what stands below a diagonal becomes 0.
 *
 *      fa_triu(x, .diagonal = 0, .out = NULL)
 *
 *  @param x matrices: the last two dimensions
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_triu(const fa_tensor *x, const fa_triu_options *options);

/** fa_triu() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_triu_(fa_tensor *x, const fa_triu_options *options);

/** @} */

/** @name Tensors brought to a common shape, each a view
 *  by broadcasting, and as coordinates of a grid.
 *  @{ */

/** Each tensor with the shape that all of them broadcast to. Under automatic placement they may be on several devices,
 *  and are brought to one.
 *
 *      fa_broadcast_tensors(x)
 *
 *  @param x of shapes that broadcast
 *  @return tensors in an array that the scope owns; none after an error */
FA_API fa_tensors fa_broadcast_tensors(fa_tensors x);

/** Options of fa_meshgrid(). */
typedef struct fa_meshgrid_options {
    size_t size;          /**< set by the macro */
    const char *indexing; /**< "ij": the first is the first dimension; "xy": the second is, as in images */
    char fa__end;         /**< the end of what this version knows */
} fa_meshgrid_options;

/** For each axis the coordinate of every point of the grid that the axes span.
 *
 *      fa_meshgrid(x, .indexing = "ij")
 *
 *  @param x coordinates along each axis: (n) or (), of one dtype
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return tensors in an array that the scope owns; none after an error */
FA_API fa_tensors fa_meshgrid(fa_tensors x, const fa_meshgrid_options *options);

/** @} */

/** @name Joining tensors along a new dimension, or along one that they are given
 *  cat itself is in index.h.
 *  @{ */

/** Options of fa_stack(). */
typedef struct fa_stack_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    int64_t dim;    /**< where the new dimension stands; negative counts from the end */
    char fa__end;   /**< the end of what this version knows */
} fa_stack_options;

/** Tensors of one shape, joined along a new dimension; their dtypes promote.
 *
 *      fa_stack(x, .dim = 0, .out = NULL)
 *
 *  @param x one or more, all of one shape
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_stack(fa_tensors x, const fa_stack_options *options);

/** Options of fa_hstack(). */
typedef struct fa_hstack_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_hstack_options;

/** Tensors joined side by side: along dimension 1, vectors along dimension 0.
 *
 *      fa_hstack(x, .out = NULL)
 *
 *  @param x one or more
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_hstack(fa_tensors x, const fa_hstack_options *options);

/** Options of fa_vstack(). */
typedef struct fa_vstack_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_vstack_options;

/** Tensors joined one below the other: along dimension 0; a vector is a row.
 *
 *      fa_vstack(x, .out = NULL)
 *
 *  @param x one or more
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_vstack(fa_tensors x, const fa_vstack_options *options);

/** Options of fa_dstack(). */
typedef struct fa_dstack_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_dstack_options;

/** Tensors joined one behind the other: along dimension 2; a vector of n is (1, n, 1), a matrix (m, n, 1).
 *
 *      fa_dstack(x, .out = NULL)
 *
 *  @param x one or more
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_dstack(fa_tensors x, const fa_dstack_options *options);

/** Options of fa_column_stack(). */
typedef struct fa_column_stack_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_column_stack_options;

/** Tensors joined along dimension 1; a vector is a column.
 *
 *      fa_column_stack(x, .out = NULL)
 *
 *  @param x one or more
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_column_stack(fa_tensors x, const fa_column_stack_options *options);

/** @} */

/** @name Padding
 *  more entries at both ends of dimensions, of one value or as the tensor's own go on.
 *  @{ */

/** Options of fa_pad(). */
typedef struct fa_pad_options {
    size_t size;      /**< set by the macro */
    fa_tensor *out;   /**< where to write, instead of into new memory */
    const char *mode; /**< "constant"; "reflect": mirrored at the edge, which is not repeated; "replicate": the edge repeated; "circular": from the other end */
    double value;     /**< of new entries in mode "constant" */
    char fa__end;     /**< the end of what this version knows */
} fa_pad_options;

/** x with more entries at the ends of its dimensions.
 *
 *      fa_pad(x, pads, .mode = "constant", .value = 0, .out = NULL)
 *
 *  @param x a tensor
 *  @param pads FA_LIST(1, 2): entries before and behind those of the last dimension; then of the one before it, and so on. Negative ones take away
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_pad(const fa_tensor *x, fa_list pads, const fa_pad_options *options);

/** @} */

/** @name Elements in turn, and more than once
 *  rolled, repeated as a whole, repeated one by one.
 *  @{ */

/** Options of fa_roll(). */
typedef struct fa_roll_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    fa_shape dims;  /**< along which; none: as if x were a vector */
    char fa__end;   /**< the end of what this version knows */
} fa_roll_options;

/** x with its entries moved on along dimensions; what leaves at the end comes in again at the front.
 *
 *      fa_roll(x, shifts, .dims = ..., .out = NULL)
 *
 *  @param x a tensor
 *  @param shifts by how many places: FA_SHAPE(1, -2), one for each of dims; negative: to the front
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_roll(const fa_tensor *x, fa_shape shifts, const fa_roll_options *options);

/** Options of fa_repeat(). */
typedef struct fa_repeat_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_repeat_options;

/** x so often along each dimension; new ones stand in front.
 *
 *      fa_repeat(x, repeats, .out = NULL)
 *
 *  @param x a tensor
 *  @param repeats how often along each dimension: FA_SHAPE(2, 1); the last ones are those of x
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_repeat(const fa_tensor *x, fa_shape repeats, const fa_repeat_options *options);

/** Options of fa_tile(). */
typedef struct fa_tile_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_tile_options;

/** x so often along each dimension, as fa_repeat() does; dimensions for which no repeats are given stay.
 *
 *      fa_tile(x, repeats, .out = NULL)
 *
 *  @param x a tensor
 *  @param repeats how often along each dimension: FA_SHAPE(2, 1); the last ones are those of x
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_tile(const fa_tensor *x, fa_shape repeats, const fa_tile_options *options);

/** Options of fa_repeat_interleave(). */
typedef struct fa_repeat_interleave_options {
    size_t size;         /**< set by the macro */
    fa_tensor *out;      /**< where to write, instead of into new memory */
    int64_t dim;         /**< along which, negative from the end; by default of x as a vector */
    int64_t output_size; /**< of dim in the result: what the repeats add up to; -1: they are added up */
    char fa__end;        /**< the end of what this version knows */
} fa_repeat_interleave_options;

/** Each entry of x so often, one behind the other. The size of the result is the sum of the repeats: those of a tensor
 *  are read for it, which waits for them, unless output_size tells; the places that
 *  follow are then copied to x's device. Where it is not their sum, or one is negative, comes an error of an index that
 *  is out of range, from a device when it is waited for.
 *
 *      fa_repeat_interleave(x, repeats, .dim = INT64_MIN, .output_size = -1, .out = NULL)
 *
 *  @param x a tensor
 *  @param repeats how often each: a number, or integers, one or as many as dim has entries
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_repeat_interleave(const fa_tensor *x, fa_arg repeats, const fa_repeat_interleave_options *options);

/** @} */

/** @name Views for less common needs
 *  dimensions moved and divided, halves and quarters turned, windows, strides of the
 *  caller's own.
 *  @{ */

/** Options of fa_unflatten(). */
typedef struct fa_unflatten_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_unflatten_options;

/** x with one dimension divided into several: a view.
 *
 *      fa_unflatten(x, dim, shape, .out = NULL)
 *
 *  @param x a tensor
 *  @param dim the dimension that is divided; negative counts from the end
 *  @param shape of what it becomes; one size may be -1, which is found from the others
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_unflatten(const fa_tensor *x, int64_t dim, fa_shape shape, const fa_unflatten_options *options);

/** Options of fa_movedim(). */
typedef struct fa_movedim_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_movedim_options;

/** x with dimensions moved to other places: a view.
 *
 *      fa_movedim(x, source, destination, .out = NULL)
 *
 *  @param x a tensor
 *  @param source FA_SHAPE(0, 1): these dimensions move; negative ones count from the end
 *  @param destination where each of them stands then; the others stay in their order
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_movedim(const fa_tensor *x, fa_shape source, fa_shape destination, const fa_movedim_options *options);

/** Options of fa_rot90(). */
typedef struct fa_rot90_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    int64_t k;      /**< quarters: from the first of dims towards the second; may be negative */
    fa_shape dims;  /**< the plane, by default FA_SHAPE(0, 1); negative ones count from the end */
    char fa__end;   /**< the end of what this version knows */
} fa_rot90_options;

/** x turned by quarters in a plane: a view.
 *
 *      fa_rot90(x, .k = 1, .dims = ..., .out = NULL)
 *
 *  @param x a tensor
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_rot90(const fa_tensor *x, const fa_rot90_options *options);

/** Options of fa_fliplr(). */
typedef struct fa_fliplr_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_fliplr_options;

/** x with its columns in the opposite order: a view.
 *
 *      fa_fliplr(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_fliplr(const fa_tensor *x, const fa_fliplr_options *options);

/** Options of fa_flipud(). */
typedef struct fa_flipud_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_flipud_options;

/** x with its rows in the opposite order: a view.
 *
 *      fa_flipud(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_flipud(const fa_tensor *x, const fa_flipud_options *options);

/** Windows of a dimension, each of which becomes an entry; what is in them stands in a new last dimension: a view.
 *
 *      fa_unfold(x, dim, size, step)
 *
 *  @param x a tensor
 *  @param dim along which windows lie; negative counts from the end
 *  @param size of each window
 *  @param step from the beginning of one to that of the next
 *  @return a view; NULL after an error */
FA_API fa_tensor *fa_unfold(const fa_tensor *x, int64_t dim, int64_t size, int64_t step);

/** Options of fa_as_strided(). */
typedef struct fa_as_strided_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    int64_t offset; /**< of the first element, in elements of that memory; by default where x begins */
    char fa__end;   /**< the end of what this version knows */
} fa_as_strided_options;

/** A view of the memory that x lies in, by its strides: elements may coincide, and lie outside of x, but not of its
 *  memory.
 *
 *      fa_as_strided(x, shape, strides, .offset = INT64_MIN, .out = NULL)
 *
 *  @param x a tensor
 *  @param shape of the result
 *  @param strides in elements of the memory that x lies in, of any sign
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_as_strided(const fa_tensor *x, fa_shape shape, fa_shape strides, const fa_as_strided_options *options);

/** @} */

/** @name Parts of a tensor
 *  some entries of a dimension, or all in the opposite order. Views, nothing is copied.
 *  @{ */

/** Options of fa_flip(). */
typedef struct fa_flip_options {
    size_t size;  /**< set by the macro */
    fa_dims dim;  /**< one dimension, FA_DIMS(0, 2), or all of them */
    char fa__end; /**< the end of what this version knows */
} fa_flip_options;

/** x in the opposite order along dimensions: a view, with negative strides.
 *
 *      fa_flip(x, .dim = FA_ALL)
 *
 *  @param x a tensor
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return a view; NULL after an error */
FA_API fa_tensor *fa_flip(const fa_tensor *x, const fa_flip_options *options);

/** One entry of a dimension, which goes.
 *
 *      fa_select(x, dim, index)
 *
 *  @param x a tensor
 *  @param dim the dimension that goes; negative counts from the end
 *  @param index which of its entries stays; negative counts from the end
 *  @return a view; NULL after an error */
FA_API fa_tensor *fa_select(const fa_tensor *x, int64_t dim, int64_t index);

/** Some neighbouring entries of a dimension.
 *
 *      fa_narrow(x, dim, start, length)
 *
 *  @param x a tensor
 *  @param dim negative counts from the end
 *  @param start the first entry that stays; negative counts from the end
 *  @param length how many stay
 *  @return a view; NULL after an error */
FA_API fa_tensor *fa_narrow(const fa_tensor *x, int64_t dim, int64_t start, int64_t length);

/** Options of fa_slice(). */
typedef struct fa_slice_options {
    size_t size;   /**< set by the macro */
    int64_t start; /**< the first entry, as in NumPy; INT64_MIN: from the end that step comes from */
    int64_t end;   /**< where it stops, as in NumPy; INT64_MAX: at the other end */
    int64_t step;  /**< between entries; may be negative, not 0 */
    char fa__end;  /**< the end of what this version knows */
} fa_slice_options;

/** Every step-th entry of a dimension from start to before end, as NumPy's x[start:end:step]; negative steps are views
 *  too.
 *
 *      fa_slice(x, dim, .start = INT64_MIN, .end = INT64_MAX, .step = 1)
 *
 *  @param x a tensor
 *  @param dim negative counts from the end
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return a view; NULL after an error */
FA_API fa_tensor *fa_slice(const fa_tensor *x, int64_t dim, const fa_slice_options *options);

/** @} */

/** @name Cutting
 *  a tensor's parts along a dimension, as a list of views. split, chunk and unbind leave one node behind, so
 *  that backward joins the parts' gradients once, however many there are.
 *  @{ */

/** Options of fa_split(). */
typedef struct fa_split_options {
    size_t size;  /**< set by the macro */
    int64_t dim;  /**< negative counts from the end */
    char fa__end; /**< the end of what this version knows */
} fa_split_options;

/** x in parts of one size along a dimension. The parts may not be changed in place while gradients flow into them.
 *
 *      fa_split(x, size, .dim = 0)
 *
 *  @param x a tensor
 *  @param size of each part along dim; the last one may be smaller
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return views, in an array that the scope owns; none after an error */
FA_API fa_tensors fa_split(const fa_tensor *x, int64_t size, const fa_split_options *options);

/** Options of fa_split_sizes(). */
typedef struct fa_split_sizes_options {
    size_t size;  /**< set by the macro */
    int64_t dim;  /**< negative counts from the end */
    char fa__end; /**< the end of what this version knows */
} fa_split_sizes_options;

/** x in parts of the given sizes along a dimension. The parts may not be changed in place while gradients flow into
 *  them.
 *
 *      fa_split_sizes(x, sizes, .dim = 0)
 *
 *  @param x a tensor
 *  @param sizes of the parts along dim: FA_LIST(2, 3); whole numbers whose sum is dim's size
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return views, in an array that the scope owns; none after an error */
FA_API fa_tensors fa_split_sizes(const fa_tensor *x, fa_list sizes, const fa_split_sizes_options *options);

/** Options of fa_chunk(). */
typedef struct fa_chunk_options {
    size_t size;  /**< set by the macro */
    int64_t dim;  /**< negative counts from the end */
    char fa__end; /**< the end of what this version knows */
} fa_chunk_options;

/** x in so many parts along a dimension, all of one size but the last; in fewer when that is how the sizes fall. The
 *  parts may not be changed in place while gradients flow into them.
 *
 *      fa_chunk(x, chunks, .dim = 0)
 *
 *  @param x a tensor
 *  @param chunks how many, at most
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return views, in an array that the scope owns; none after an error */
FA_API fa_tensors fa_chunk(const fa_tensor *x, int64_t chunks, const fa_chunk_options *options);

/** Options of fa_unbind(). */
typedef struct fa_unbind_options {
    size_t size;  /**< set by the macro */
    int64_t dim;  /**< the dimension that goes; negative counts from the end */
    char fa__end; /**< the end of what this version knows */
} fa_unbind_options;

/** The entries of a dimension, which goes. They may not be changed in place while gradients flow into them.
 *
 *      fa_unbind(x, .dim = 0)
 *
 *  @param x a tensor
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return views, in an array that the scope owns; none after an error */
FA_API fa_tensors fa_unbind(const fa_tensor *x, const fa_unbind_options *options);

/** Options of fa_tensor_split(). */
typedef struct fa_tensor_split_options {
    size_t size;  /**< set by the macro */
    int64_t dim;  /**< negative counts from the end */
    char fa__end; /**< the end of what this version knows */
} fa_tensor_split_options;

/** x in just so many parts along a dimension; the first ones are larger by one where the size does not divide.
 *
 *      fa_tensor_split(x, sections, .dim = 0)
 *
 *  @param x a tensor
 *  @param sections how many parts
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return tensors in an array that the scope owns; none after an error */
FA_API fa_tensors fa_tensor_split(const fa_tensor *x, int64_t sections, const fa_tensor_split_options *options);

/** Options of fa_tensor_split_at(). */
typedef struct fa_tensor_split_at_options {
    size_t size;  /**< set by the macro */
    int64_t dim;  /**< negative counts from the end */
    char fa__end; /**< the end of what this version knows */
} fa_tensor_split_at_options;

/** x in parts along a dimension: up to the first index, from there to the second, and so on; from the last one to the
 *  end.
 *
 *      fa_tensor_split_at(x, indices, .dim = 0)
 *
 *  @param x a tensor
 *  @param indices where a new part begins: FA_LIST(1, 3); as in slices, negative ones count from the end
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return tensors in an array that the scope owns; none after an error */
FA_API fa_tensors fa_tensor_split_at(const fa_tensor *x, fa_list indices, const fa_tensor_split_at_options *options);

/** @} */

/** @name Views
 *  x in another shape, or with its dimensions in another order, over the same memory.
 *  @{ */

/** x with two dimensions swapped.
 *
 *      fa_transpose(x, dim0, dim1)
 *
 *  @param x a tensor
 *  @param dim0 these two dimensions change places;
 *  @param dim1 negative ones count from the end
 *  @return a view; NULL after an error */
FA_API fa_tensor *fa_transpose(const fa_tensor *x, int64_t dim0, int64_t dim1);

/** The transpose of a matrix; vectors and numbers stay as they are.
 *
 *      fa_t(x)
 *
 *  @param x of at most two dimensions
 *  @return a view; NULL after an error */
FA_API fa_tensor *fa_t(const fa_tensor *x);

/** x with its dimensions in another order.
 *
 *      fa_permute(x, dims)
 *
 *  @param x a tensor
 *  @param dims FA_SHAPE(2, 0, 1): where each dimension of the result comes from
 *  @return a view; NULL after an error */
FA_API fa_tensor *fa_permute(const fa_tensor *x, fa_shape dims);

/** x in another shape, its elements in the same row-major order. An error where that needs a copy.
 *
 *      fa_view(x, shape)
 *
 *  @param x a tensor
 *  @param shape of the result; one size may be -1, which is found from the others
 *  @return a view; NULL after an error */
FA_API fa_tensor *fa_view(const fa_tensor *x, fa_shape shape);

/** Options of fa_reshape(). */
typedef struct fa_reshape_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_reshape_options;

/** x in another shape, its elements in the same row-major order: a view where the strides allow it, a copy elsewhere.
 *
 *      fa_reshape(x, shape, .out = NULL)
 *
 *  @param x a tensor
 *  @param shape of the result; one size may be -1, which is found from the others
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_reshape(const fa_tensor *x, fa_shape shape, const fa_reshape_options *options);

/** Options of fa_flatten(). */
typedef struct fa_flatten_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    int64_t start;  /**< the first dimension that is joined; negative counts from the end */
    int64_t end;    /**< the last one */
    char fa__end;   /**< the end of what this version knows */
} fa_flatten_options;

/** x with dimensions start to end joined to one.
 *
 *      fa_flatten(x, .start = 0, .end = -1, .out = NULL)
 *
 *  @param x a tensor
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_flatten(const fa_tensor *x, const fa_flatten_options *options);

/** x with dimensions of size 1 repeated, and new ones in front; -1 keeps a size.
 *
 *      fa_expand(x, shape)
 *
 *  @param x a tensor
 *  @param shape of the result; one size may be -1, which is found from the others
 *  @return a view; NULL after an error */
FA_API fa_tensor *fa_expand(const fa_tensor *x, fa_shape shape);

/** x with the shape of another tensor, dimensions of size 1 repeated.
 *
 *      fa_expand_as(x, like)
 *
 *  @param x to be made larger
 *  @param like gives the shape, nothing else
 *  @return a view; NULL after an error */
FA_API fa_tensor *fa_expand_as(const fa_tensor *x, const fa_tensor *like);

/** x with one more dimension, of size 1.
 *
 *      fa_unsqueeze(x, dim)
 *
 *  @param x a tensor
 *  @param dim where the new dimension stands, 0 to rank; negative counts from the end
 *  @return a view; NULL after an error */
FA_API fa_tensor *fa_unsqueeze(const fa_tensor *x, int64_t dim);

/** Options of fa_squeeze(). */
typedef struct fa_squeeze_options {
    size_t size;  /**< set by the macro */
    fa_dims dim;  /**< dimensions that go if their size is 1; by default all such */
    char fa__end; /**< the end of what this version knows */
} fa_squeeze_options;

/** x without dimensions of size 1.
 *
 *      fa_squeeze(x, .dim = FA_ALL)
 *
 *  @param x a tensor
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return a view; NULL after an error */
FA_API fa_tensor *fa_squeeze(const fa_tensor *x, const fa_squeeze_options *options);

/** @} */

/** @name What a view of x would be after a write through it, without changing x
 *  @{ */

/** Options of fa_select_scatter(). */
typedef struct fa_select_scatter_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_select_scatter_options;

/** x with src in the place of fa_select(x, dim, index).
 *
 *      fa_select_scatter(x, src, dim, index, .out = NULL)
 *
 *  @param x a tensor
 *  @param src of x's shape without dim; converted to x's dtype
 *  @param dim negative counts from the end
 *  @param index which entry of dim is replaced; negative counts from the end
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_select_scatter(const fa_tensor *x, const fa_tensor *src, int64_t dim, int64_t index, const fa_select_scatter_options *options);

/** Options of fa_slice_scatter(). */
typedef struct fa_slice_scatter_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    int64_t dim;    /**< negative counts from the end */
    int64_t start;  /**< the first entry that is replaced, as fa_slice() has it */
    int64_t end;    /**< where it stops */
    int64_t step;   /**< between entries; may be negative, not 0 */
    char fa__end;   /**< the end of what this version knows */
} fa_slice_scatter_options;

/** x with src in the place of fa_slice(x, dim, ...).
 *
 *      fa_slice_scatter(x, src, .dim = 0, .start = INT64_MIN, .end = INT64_MAX, .step = 1, .out = NULL)
 *
 *  @param x a tensor
 *  @param src of the slice's shape; converted to x's dtype
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_slice_scatter(const fa_tensor *x, const fa_tensor *src, const fa_slice_scatter_options *options);

/** Options of fa_diagonal_scatter(). */
typedef struct fa_diagonal_scatter_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    int64_t offset; /**< above the main diagonal; below it when negative */
    int64_t dim1;   /**< rows */
    int64_t dim2;   /**< columns */
    char fa__end;   /**< the end of what this version knows */
} fa_diagonal_scatter_options;

/** x with src in the place of fa_diagonal(x, ...).
 *
 *      fa_diagonal_scatter(x, src, .offset = 0, .dim1 = 0, .dim2 = 1, .out = NULL)
 *
 *  @param x a tensor
 *  @param src of the diagonal's shape; converted to x's dtype
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_diagonal_scatter(const fa_tensor *x, const fa_tensor *src, const fa_diagonal_scatter_options *options);

/** @} */

/** @} */

/** @cond */
/* How named options, and numbers in the place of tensors, reach the functions above. */
#define FA__DEFAULT_fa_diagonal {offsetof(fa_diagonal_options, fa__end), 0, 0, 1, 0}
#define fa_diagonal(...) FA__CALL1(fa_diagonal, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_diag_embed {offsetof(fa_diag_embed_options, fa__end), NULL, 0, -2, -1, 0}
#define fa_diag_embed(...) FA__CALL1(fa_diag_embed, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_diag {offsetof(fa_diag_options, fa__end), NULL, 0, 0}
#define fa_diag(...) FA__CALL1(fa_diag, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_tril {offsetof(fa_tril_options, fa__end), NULL, 0, 0}
#define fa_tril(...) FA__CALL1(fa_tril, FA__SAME, __VA_ARGS__)
typedef fa_tril_options fa_tril__options;
#define FA__DEFAULT_fa_tril_ FA__DEFAULT_fa_tril
#define fa_tril_(...) FA__CALL1(fa_tril_, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_triu {offsetof(fa_triu_options, fa__end), NULL, 0, 0}
#define fa_triu(...) FA__CALL1(fa_triu, FA__SAME, __VA_ARGS__)
typedef fa_triu_options fa_triu__options;
#define FA__DEFAULT_fa_triu_ FA__DEFAULT_fa_triu
#define fa_triu_(...) FA__CALL1(fa_triu_, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_meshgrid {offsetof(fa_meshgrid_options, fa__end), "ij", 0}
#define fa_meshgrid(...) FA__CALL1(fa_meshgrid, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_stack {offsetof(fa_stack_options, fa__end), NULL, 0, 0}
#define fa_stack(...) FA__CALL1(fa_stack, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_hstack {offsetof(fa_hstack_options, fa__end), NULL, 0}
#define fa_hstack(...) FA__CALL1(fa_hstack, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_vstack {offsetof(fa_vstack_options, fa__end), NULL, 0}
#define fa_vstack(...) FA__CALL1(fa_vstack, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_dstack {offsetof(fa_dstack_options, fa__end), NULL, 0}
#define fa_dstack(...) FA__CALL1(fa_dstack, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_column_stack {offsetof(fa_column_stack_options, fa__end), NULL, 0}
#define fa_column_stack(...) FA__CALL1(fa_column_stack, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_pad {offsetof(fa_pad_options, fa__end), NULL, "constant", 0, 0}
#define fa_pad(...) FA__CALL2(fa_pad, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_roll {offsetof(fa_roll_options, fa__end), NULL, {0, {0}}, 0}
#define fa_roll(...) FA__CALL2(fa_roll, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_repeat {offsetof(fa_repeat_options, fa__end), NULL, 0}
#define fa_repeat(...) FA__CALL2(fa_repeat, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_tile {offsetof(fa_tile_options, fa__end), NULL, 0}
#define fa_tile(...) FA__CALL2(fa_tile, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_repeat_interleave {offsetof(fa_repeat_interleave_options, fa__end), NULL, INT64_MIN, -1, 0}
#define fa_repeat_interleave(...) FA__CALL2(fa_repeat_interleave, FA__SAME, FA__ARG, __VA_ARGS__)
#define FA__DEFAULT_fa_unflatten {offsetof(fa_unflatten_options, fa__end), NULL, 0}
#define fa_unflatten(...) FA__CALL3(fa_unflatten, FA__SAME, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_movedim {offsetof(fa_movedim_options, fa__end), NULL, 0}
#define fa_movedim(...) FA__CALL3(fa_movedim, FA__SAME, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_rot90 {offsetof(fa_rot90_options, fa__end), NULL, 1, {2, {0, 1}}, 0}
#define fa_rot90(...) FA__CALL1(fa_rot90, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_fliplr {offsetof(fa_fliplr_options, fa__end), NULL, 0}
#define fa_fliplr(...) FA__CALL1(fa_fliplr, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_flipud {offsetof(fa_flipud_options, fa__end), NULL, 0}
#define fa_flipud(...) FA__CALL1(fa_flipud, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_as_strided {offsetof(fa_as_strided_options, fa__end), NULL, INT64_MIN, 0}
#define fa_as_strided(...) FA__CALL3(fa_as_strided, FA__SAME, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_flip {offsetof(fa_flip_options, fa__end), FA_ALL, 0}
#define fa_flip(...) FA__CALL1(fa_flip, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_slice {offsetof(fa_slice_options, fa__end), INT64_MIN, INT64_MAX, 1, 0}
#define fa_slice(...) FA__CALL2(fa_slice, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_split {offsetof(fa_split_options, fa__end), 0, 0}
#define fa_split(...) FA__CALL2(fa_split, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_split_sizes {offsetof(fa_split_sizes_options, fa__end), 0, 0}
#define fa_split_sizes(...) FA__CALL2(fa_split_sizes, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_chunk {offsetof(fa_chunk_options, fa__end), 0, 0}
#define fa_chunk(...) FA__CALL2(fa_chunk, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_unbind {offsetof(fa_unbind_options, fa__end), 0, 0}
#define fa_unbind(...) FA__CALL1(fa_unbind, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_tensor_split {offsetof(fa_tensor_split_options, fa__end), 0, 0}
#define fa_tensor_split(...) FA__CALL2(fa_tensor_split, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_tensor_split_at {offsetof(fa_tensor_split_at_options, fa__end), 0, 0}
#define fa_tensor_split_at(...) FA__CALL2(fa_tensor_split_at, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_reshape {offsetof(fa_reshape_options, fa__end), NULL, 0}
#define fa_reshape(...) FA__CALL2(fa_reshape, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_flatten {offsetof(fa_flatten_options, fa__end), NULL, 0, -1, 0}
#define fa_flatten(...) FA__CALL1(fa_flatten, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_squeeze {offsetof(fa_squeeze_options, fa__end), FA_ALL, 0}
#define fa_squeeze(...) FA__CALL1(fa_squeeze, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_select_scatter {offsetof(fa_select_scatter_options, fa__end), NULL, 0}
#define fa_select_scatter(...) FA__CALL4(fa_select_scatter, FA__SAME, FA__SAME, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_slice_scatter {offsetof(fa_slice_scatter_options, fa__end), NULL, 0, INT64_MIN, INT64_MAX, 1, 0}
#define fa_slice_scatter(...) FA__CALL2(fa_slice_scatter, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_diagonal_scatter {offsetof(fa_diagonal_scatter_options, fa__end), NULL, 0, 0, 1, 0}
#define fa_diagonal_scatter(...) FA__CALL2(fa_diagonal_scatter, FA__SAME, FA__SAME, __VA_ARGS__)
/** @endcond */

FA__END
#endif
