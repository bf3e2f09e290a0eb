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
 *  @ingroup ops
 *  @{ */

/** @name Diagonals and triangular matrices
 *  @{ */

/** Options of fa_diagonal(). */
typedef struct fa_diagonal_options {
    size_t size;    /**< set by the macro */
    int64_t offset; /**< 0: main diagonal; positive: above it; negative: below it */
    int64_t dim1;   /**< dimension of the rows; negative counts from the end */
    int64_t dim2;   /**< dimension of the columns; negative counts from the end */
    char fa__end;   /**< marks the end of this version's options */
} fa_diagonal_options;

/** The diagonal of two dimensions, as a view: these dimensions are removed, and the diagonal becomes the last
 *  dimension.
 *
 *      fa_diagonal(x, .offset = 0, .dim1 = 0, .dim2 = 1)
 *
 *  @param x a tensor
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return a view; NULL after an error */
FA_API fa_tensor *fa_diagonal(const fa_tensor *x, const fa_diagonal_options *options);

/** Options of fa_diag_embed(). */
typedef struct fa_diag_embed_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    int64_t offset; /**< 0: main diagonal; positive: above it; negative: below it */
    int64_t dim1;   /**< dimension of the rows in the result; negative counts from the end */
    int64_t dim2;   /**< dimension of the columns in the result */
    char fa__end;   /**< marks the end of this version's options */
} fa_diag_embed_options;

/** Embeds the last dimension of x as a diagonal of two dimensions of a tensor of zeros, with one dimension more than
 *  x.
 *
 *      fa_diag_embed(x, .offset = 0, .dim1 = -2, .dim2 = -1, .out = NULL)
 *
 *  @param x a tensor
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_diag_embed(const fa_tensor *x, const fa_diag_embed_options *options);

/** Options of fa_diag(). */
typedef struct fa_diag_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    int64_t offset; /**< 0: main diagonal; positive: above it; negative: below it */
    char fa__end;   /**< marks the end of this version's options */
} fa_diag_options;

/** For a vector, the matrix with it on a diagonal; for a matrix, a copy of its diagonal; fa_diagonal() is a view of it.
 *
 *      fa_diag(x, .offset = 0, .out = NULL)
 *
 *  @param x 1- or 2-dimensional
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_diag(const fa_tensor *x, const fa_diag_options *options);

/** Options of fa_tril(). */
typedef struct fa_tril_options {
    size_t size;      /**< set by the macro */
    fa_tensor *out;   /**< the tensor to write the result into; NULL: a new one */
    int64_t diagonal; /**< the last diagonal that is kept: 0 the main one, positive above, negative below */
    char fa__end;     /**< marks the end of this version's options */
} fa_tril_options;

/** The lower triangle of matrices: elements above a diagonal become 0.
 *
 *      fa_tril(x, .diagonal = 0, .out = NULL)
 *
 *  @param x a matrix, or a batch of them: the last two dimensions
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_tril(const fa_tensor *x, const fa_tril_options *options);

/** fa_tril() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_tril_(fa_tensor *x, const fa_tril_options *options);

/** Options of fa_triu(). */
typedef struct fa_triu_options {
    size_t size;      /**< set by the macro */
    fa_tensor *out;   /**< the tensor to write the result into; NULL: a new one */
    int64_t diagonal; /**< the last diagonal that is kept: 0 the main one, positive above, negative below */
    char fa__end;     /**< marks the end of this version's options */
} fa_triu_options;

/** The upper triangle of matrices: elements below a diagonal become 0.
 *
 *      fa_triu(x, .diagonal = 0, .out = NULL)
 *
 *  @param x a matrix, or a batch of them: the last two dimensions
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_triu(const fa_tensor *x, const fa_triu_options *options);

/** fa_triu() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_triu_(fa_tensor *x, const fa_triu_options *options);

/** @} */

/** @name Broadcasting tensors together, coordinate grids (meshgrid)
 *  The results are views.
 *  @{ */

/** Expands all tensors to the shape that they broadcast to: views. Under automatic placement, tensors on different
 *  devices are moved to one.
 *
 *      fa_broadcast_tensors(x)
 *
 *  @param x shapes that broadcast together
 *  @return an array of tensors, owned by the scope; empty after an error */
FA_API fa_tensors fa_broadcast_tensors(fa_tensors x);

/** Options of fa_meshgrid(). */
typedef struct fa_meshgrid_options {
    size_t size;          /**< set by the macro */
    const char *indexing; /**< "ij": the first input varies along dimension 0; "xy": along dimension 1 */
    char fa__end;         /**< marks the end of this version's options */
} fa_meshgrid_options;

/** Coordinate grids: for inputs of sizes n1, n2, ... one tensor of shape (n1, n2, ...) for each, with its coordinate at
 *  every grid point.
 *
 *      fa_meshgrid(x, .indexing = "ij")
 *
 *  @param x coordinates along each axis: (n) or (), all of one dtype
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return an array of tensors, owned by the scope; empty after an error */
FA_API fa_tensors fa_meshgrid(fa_tensors x, const fa_meshgrid_options *options);

/** @} */

/** @name Stacking and concatenation
 *  fa_cat() is listed under "Selecting, gathering and joining".
 *  @{ */

/** Options of fa_stack(). */
typedef struct fa_stack_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    int64_t dim;    /**< position of the new dimension; negative counts from the end */
    char fa__end;   /**< marks the end of this version's options */
} fa_stack_options;

/** Stacks tensors of the same shape along a new dimension; their dtypes are promoted.
 *
 *      fa_stack(x, .dim = 0, .out = NULL)
 *
 *  @param x one or more, all of one shape
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_stack(fa_tensors x, const fa_stack_options *options);

/** Options of fa_hstack(). */
typedef struct fa_hstack_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_hstack_options;

/** Concatenates tensors horizontally: along dimension 1, or dimension 0 if they are vectors.
 *
 *      fa_hstack(x, .out = NULL)
 *
 *  @param x one or more
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_hstack(fa_tensors x, const fa_hstack_options *options);

/** Options of fa_vstack(). */
typedef struct fa_vstack_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_vstack_options;

/** Stacks tensors vertically, along dimension 0; a vector counts as a row.
 *
 *      fa_vstack(x, .out = NULL)
 *
 *  @param x one or more
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_vstack(fa_tensors x, const fa_vstack_options *options);

/** Options of fa_dstack(). */
typedef struct fa_dstack_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_dstack_options;

/** Stacks tensors along dimension 2; a vector (n) counts as (1, n, 1), a matrix (m, n) as (m, n, 1).
 *
 *      fa_dstack(x, .out = NULL)
 *
 *  @param x one or more
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_dstack(fa_tensors x, const fa_dstack_options *options);

/** Options of fa_column_stack(). */
typedef struct fa_column_stack_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_column_stack_options;

/** Concatenates along dimension 1; a vector counts as a column.
 *
 *      fa_column_stack(x, .out = NULL)
 *
 *  @param x one or more
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_column_stack(fa_tensors x, const fa_column_stack_options *options);

/** @} */

/** @name Padding
 *  Constant, reflect, replicate and circular.
 *  @{ */

/** Options of fa_pad(). */
typedef struct fa_pad_options {
    size_t size;      /**< set by the macro */
    fa_tensor *out;   /**< the tensor to write the result into; NULL: a new one */
    const char *mode; /**< "constant", "reflect", "replicate" or "circular" */
    double value;     /**< the value of mode "constant" */
    char fa__end;     /**< marks the end of this version's options */
} fa_pad_options;

/** Pads dimensions of x, starting from the last one: pads are the numbers of elements to add before and after the last
 *  dimension, then the one before it, and so on; negative numbers crop. In mode "constant" the new elements are
 *  `value`; "reflect" mirrors x at the edge without repeating it, "replicate" repeats the edge, "circular" wraps
 *  around. Under autocast on the CPU, "replicate", and "reflect" of one or two dimensions, give f32, as in PyTorch.
 *
 *      fa_pad(x, pads, .mode = "constant", .value = 0, .out = NULL)
 *
 *  @param x a tensor
 *  @param pads FA_LIST(before, after, ...), the last dimension first; negative: crop
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_pad(const fa_tensor *x, fa_list pads, const fa_pad_options *options);

/** @} */

/** @name Roll, repeat, tile, repeat_interleave
 *  @{ */

/** Options of fa_roll(). */
typedef struct fa_roll_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    fa_dims dims;   /**< one dimension, or several as FA_DIMS(0, 2); by default x is flattened, and restored */
    char fa__end;   /**< marks the end of this version's options */
} fa_roll_options;

/** Shifts the elements of x along dimensions, cyclically: elements shifted beyond the end come in at the front.
 *
 *      fa_roll(x, shifts, .dims = FA_ALL, .out = NULL)
 *
 *  @param x a tensor
 *  @param shifts how far to shift each of dims, such as FA_SHAPE(1, -2); negative: to the front
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_roll(const fa_tensor *x, fa_shape shifts, const fa_roll_options *options);

/** Options of fa_repeat(). */
typedef struct fa_repeat_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_repeat_options;

/** Repeats x along each dimension, as torch.Tensor.repeat. More repetitions than x has dimensions add leading
 *  dimensions.
 *
 *      fa_repeat(x, repeats, .out = NULL)
 *
 *  @param x a tensor
 *  @param repeats repetitions for each dimension, such as FA_SHAPE(2, 1); aligned with x's last dimensions
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_repeat(const fa_tensor *x, fa_shape repeats, const fa_repeat_options *options);

/** Options of fa_tile(). */
typedef struct fa_tile_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_tile_options;

/** Repeats x along each dimension, as fa_repeat(), but with fewer repetitions than dimensions the leading ones are not
 *  repeated.
 *
 *      fa_tile(x, repeats, .out = NULL)
 *
 *  @param x a tensor
 *  @param repeats repetitions for each dimension, such as FA_SHAPE(2, 1); aligned with x's last dimensions
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_tile(const fa_tensor *x, fa_shape repeats, const fa_tile_options *options);

/** Options of fa_repeat_interleave(). */
typedef struct fa_repeat_interleave_options {
    size_t size;         /**< set by the macro */
    fa_tensor *out;      /**< the tensor to write the result into; NULL: a new one */
    int64_t dim;         /**< the dimension, negative counts from the end; by default x is flattened */
    int64_t output_size; /**< size of dim in the result, the sum of the repeats; -1: the host computes it */
    char fa__end;        /**< marks the end of this version's options */
} fa_repeat_interleave_options;

/** Repeats each element (or slice along dim) consecutively: [a, b] with repeats 2 gives [a, a, b, b]. The result's size
 *  along dim is the sum of repeats. If repeats is a tensor the host reads it, which waits for it, and copies the index
 *  to x's device, unless output_size is given. A negative count or a wrong output_size is reported as an index out of
 *  range, by a GPU when the host next waits for it.
 *
 *      fa_repeat_interleave(x, repeats, .dim = INT64_MIN, .output_size = -1, .out = NULL)
 *
 *  @param x a tensor
 *  @param repeats repetitions of each element: a number, or an integer tensor with 1 or dim's size elements
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_repeat_interleave(const fa_tensor *x, fa_arg repeats, const fa_repeat_interleave_options *options);

/** @} */

/** @name Unflatten, movedim, rot90, flips, unfold and as_strided
 *  All are views.
 *  @{ */

/** Options of fa_unflatten(). */
typedef struct fa_unflatten_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_unflatten_options;

/** Splits one dimension of x into several: a view, the inverse of fa_flatten().
 *
 *      fa_unflatten(x, dim, shape, .out = NULL)
 *
 *  @param x a tensor
 *  @param dim the dimension to split; negative counts from the end
 *  @param shape the sizes it is split into; one may be -1, which is inferred
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_unflatten(const fa_tensor *x, int64_t dim, fa_shape shape, const fa_unflatten_options *options);

/** Options of fa_movedim(). */
typedef struct fa_movedim_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_movedim_options;

/** Moves dimensions of x to other positions: a view.
 *
 *      fa_movedim(x, source, destination, .out = NULL)
 *
 *  @param x a tensor
 *  @param source the dimensions to move, such as FA_SHAPE(0, 1); negative counts from the end
 *  @param destination their positions in the result; the others keep their order
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_movedim(const fa_tensor *x, fa_shape source, fa_shape destination, const fa_movedim_options *options);

/** Options of fa_rot90(). */
typedef struct fa_rot90_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    int64_t k;      /**< number of 90 degree rotations, from dims[0] towards dims[1]; may be negative */
    fa_dims dims;   /**< the two dimensions of the plane; negative counts from the end */
    char fa__end;   /**< marks the end of this version's options */
} fa_rot90_options;

/** Rotates x by multiples of 90 degrees in the plane of two dimensions: a copy.
 *
 *      fa_rot90(x, .k = 1, .dims = FA_DIMS(0, 1), .out = NULL)
 *
 *  @param x a tensor
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_rot90(const fa_tensor *x, const fa_rot90_options *options);

/** Options of fa_fliplr(). */
typedef struct fa_fliplr_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_fliplr_options;

/** Reverses the order of columns (dimension 1): a copy.
 *
 *      fa_fliplr(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_fliplr(const fa_tensor *x, const fa_fliplr_options *options);

/** Options of fa_flipud(). */
typedef struct fa_flipud_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_flipud_options;

/** Reverses the order of rows (dimension 0): a copy.
 *
 *      fa_flipud(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_flipud(const fa_tensor *x, const fa_flipud_options *options);

/** Sliding windows along a dimension, as a view: dim's size becomes the number of windows, and a new last dimension has
 *  the elements of each.
 *
 *      fa_unfold(x, dim, size, step)
 *
 *  @param x a tensor
 *  @param dim the dimension the windows slide along; negative counts from the end
 *  @param size size of the windows
 *  @param step step between the starts of neighbouring windows
 *  @return a view; NULL after an error */
FA_API fa_tensor *fa_unfold(const fa_tensor *x, int64_t dim, int64_t size, int64_t step);

/** Options of fa_as_strided(). */
typedef struct fa_as_strided_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    int64_t offset; /**< of the first element in x's storage, in elements; default: where x starts */
    char fa__end;   /**< marks the end of this version's options */
} fa_as_strided_options;

/** A view of x's storage with any shape, strides and offset. Elements may share memory, and may be outside of x but not
 *  outside of its storage.
 *
 *      fa_as_strided(x, shape, strides, .offset = INT64_MIN, .out = NULL)
 *
 *  @param x a tensor
 *  @param shape shape of the result
 *  @param strides strides in elements of x's storage; any sign
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_as_strided(const fa_tensor *x, fa_shape shape, fa_shape strides, const fa_as_strided_options *options);

/** @} */

/** @name Slicing
 *  select, narrow and slice, which are views; and flip, which copies.
 *  @{ */

/** Options of fa_flip(). */
typedef struct fa_flip_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    fa_dims dim;    /**< one dimension, several as FA_DIMS(0, 2), or all: FA_ALL */
    char fa__end;   /**< marks the end of this version's options */
} fa_flip_options;

/** Reverses x along dimensions: a copy.
 *
 *      fa_flip(x, .dim = FA_ALL, .out = NULL)
 *
 *  @param x a tensor
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_flip(const fa_tensor *x, const fa_flip_options *options);

/** The slice of x at one index of a dimension, without that dimension: a view.
 *
 *      fa_select(x, dim, index)
 *
 *  @param x a tensor
 *  @param dim the dimension to index, which is removed; negative counts from the end
 *  @param index which index to select; negative counts from the end
 *  @return a view; NULL after an error */
FA_API fa_tensor *fa_select(const fa_tensor *x, int64_t dim, int64_t index);

/** The slice of x with indices start to start + length - 1 of a dimension: a view.
 *
 *      fa_narrow(x, dim, start, length)
 *
 *  @param x a tensor
 *  @param dim negative counts from the end
 *  @param start first index; negative counts from the end
 *  @param length number of elements
 *  @return a view; NULL after an error */
FA_API fa_tensor *fa_narrow(const fa_tensor *x, int64_t dim, int64_t start, int64_t length);

/** Options of fa_slice(). */
typedef struct fa_slice_options {
    size_t size;   /**< set by the macro */
    int64_t start; /**< first index, as in NumPy; INT64_MIN: the first (last if step < 0) */
    int64_t end;   /**< exclusive end, as in NumPy; INT64_MAX: no bound */
    int64_t step;  /**< step between indices; may be negative, not 0 */
    char fa__end;  /**< marks the end of this version's options */
} fa_slice_options;

/** The slice of x with every step-th index of a dimension from start to end (exclusive), as NumPy's x[start:end:step]:
 *  a view, also for negative steps.
 *
 *      fa_slice(x, dim, .start = INT64_MIN, .end = INT64_MAX, .step = 1)
 *
 *  @param x a tensor
 *  @param dim negative counts from the end
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return a view; NULL after an error */
FA_API fa_tensor *fa_slice(const fa_tensor *x, int64_t dim, const fa_slice_options *options);

/** @} */

/** @name Split, chunk, unbind
 *  Cuts a tensor along a dimension into a list of views. split, chunk and unbind record one
 *  autograd node for all parts, so backward joins the parts' gradients once.
 *  @{ */

/** Options of fa_split(). */
typedef struct fa_split_options {
    size_t size;  /**< set by the macro */
    int64_t dim;  /**< negative counts from the end */
    char fa__end; /**< marks the end of this version's options */
} fa_split_options;

/** Splits x into parts of a given size along a dimension: a list of views. The parts must not be modified in place
 *  while gradients flow through them.
 *
 *      fa_split(x, size, .dim = 0)
 *
 *  @param x a tensor
 *  @param size size of each part along dim; the last one may be smaller
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return an array of views, owned by the scope; empty after an error */
FA_API fa_tensors fa_split(const fa_tensor *x, int64_t size, const fa_split_options *options);

/** Options of fa_split_sizes(). */
typedef struct fa_split_sizes_options {
    size_t size;  /**< set by the macro */
    int64_t dim;  /**< negative counts from the end */
    char fa__end; /**< marks the end of this version's options */
} fa_split_sizes_options;

/** Splits x into parts of the given sizes along a dimension: a list of views. The parts must not be modified in place
 *  while gradients flow through them.
 *
 *      fa_split_sizes(x, sizes, .dim = 0)
 *
 *  @param x a tensor
 *  @param sizes sizes of the parts along dim, such as FA_LIST(2, 3); their sum is dim's size
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return an array of views, owned by the scope; empty after an error */
FA_API fa_tensors fa_split_sizes(const fa_tensor *x, fa_list sizes, const fa_split_sizes_options *options);

/** Options of fa_chunk(). */
typedef struct fa_chunk_options {
    size_t size;  /**< set by the macro */
    int64_t dim;  /**< negative counts from the end */
    char fa__end; /**< marks the end of this version's options */
} fa_chunk_options;

/** Splits x into at most `chunks` parts along a dimension: a list of views of size ceil(size / chunks), the last one
 *  possibly smaller. The parts must not be modified in place while gradients flow through them.
 *
 *      fa_chunk(x, chunks, .dim = 0)
 *
 *  @param x a tensor
 *  @param chunks maximum number of parts
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return an array of views, owned by the scope; empty after an error */
FA_API fa_tensors fa_chunk(const fa_tensor *x, int64_t chunks, const fa_chunk_options *options);

/** Options of fa_unbind(). */
typedef struct fa_unbind_options {
    size_t size;  /**< set by the macro */
    int64_t dim;  /**< the dimension to index, which is removed; negative counts from the end */
    char fa__end; /**< marks the end of this version's options */
} fa_unbind_options;

/** The slices of x along a dimension, without that dimension: a list of views. They must not be modified in place while
 *  gradients flow through them.
 *
 *      fa_unbind(x, .dim = 0)
 *
 *  @param x a tensor
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return an array of views, owned by the scope; empty after an error */
FA_API fa_tensors fa_unbind(const fa_tensor *x, const fa_unbind_options *options);

/** Options of fa_tensor_split(). */
typedef struct fa_tensor_split_options {
    size_t size;  /**< set by the macro */
    int64_t dim;  /**< negative counts from the end */
    char fa__end; /**< marks the end of this version's options */
} fa_tensor_split_options;

/** Splits x into exactly `sections` parts along a dimension: a list of views. If the size is not divisible, the first
 *  parts are larger by one.
 *
 *      fa_tensor_split(x, sections, .dim = 0)
 *
 *  @param x a tensor
 *  @param sections number of parts
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return an array of tensors, owned by the scope; empty after an error */
FA_API fa_tensors fa_tensor_split(const fa_tensor *x, int64_t sections, const fa_tensor_split_options *options);

/** Options of fa_tensor_split_at(). */
typedef struct fa_tensor_split_at_options {
    size_t size;  /**< set by the macro */
    int64_t dim;  /**< negative counts from the end */
    char fa__end; /**< marks the end of this version's options */
} fa_tensor_split_at_options;

/** Splits x at given indices along a dimension: a list of views x[:i0], x[i0:i1], ..., x[last:].
 *
 *      fa_tensor_split_at(x, indices, .dim = 0)
 *
 *  @param x a tensor
 *  @param indices where parts begin, such as FA_LIST(1, 3); as in slices, negative counts from the end
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return an array of tensors, owned by the scope; empty after an error */
FA_API fa_tensors fa_tensor_split_at(const fa_tensor *x, fa_list indices, const fa_tensor_split_at_options *options);

/** @} */

/** @name Transpose, permute, reshape and expand
 *  All are views of the same storage, except that fa_reshape() copies where it
 *  has to.
 *  @{ */

/** Swaps two dimensions of x: a view.
 *
 *      fa_transpose(x, dim0, dim1)
 *
 *  @param x a tensor
 *  @param dim0 the first dimension; negative counts from the end
 *  @param dim1 the second dimension
 *  @return a view; NULL after an error */
FA_API fa_tensor *fa_transpose(const fa_tensor *x, int64_t dim0, int64_t dim1);

/** The transpose of a matrix: a view. 0- and 1-dimensional tensors are returned as they are.
 *
 *      fa_t(x)
 *
 *  @param x at most 2-dimensional
 *  @return a view; NULL after an error */
FA_API fa_tensor *fa_t(const fa_tensor *x);

/** Permutes the dimensions of x: a view.
 *
 *      fa_permute(x, dims)
 *
 *  @param x a tensor
 *  @param dims for each dimension of the result its dimension in x, such as FA_SHAPE(2, 0, 1)
 *  @return a view; NULL after an error */
FA_API fa_tensor *fa_permute(const fa_tensor *x, fa_shape dims);

/** A view of x with another shape and the same elements in row-major order. An error if x's strides would require a
 *  copy.
 *
 *      fa_view(x, shape)
 *
 *  @param x a tensor
 *  @param shape the new shape; one size may be -1, which is inferred
 *  @return a view; NULL after an error */
FA_API fa_tensor *fa_view(const fa_tensor *x, fa_shape shape);

/** Options of fa_reshape(). */
typedef struct fa_reshape_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_reshape_options;

/** x with another shape and the same elements in row-major order: a view if the strides allow it, otherwise a copy.
 *
 *      fa_reshape(x, shape, .out = NULL)
 *
 *  @param x a tensor
 *  @param shape the new shape; one size may be -1, which is inferred
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_reshape(const fa_tensor *x, fa_shape shape, const fa_reshape_options *options);

/** Options of fa_flatten(). */
typedef struct fa_flatten_options {
    size_t size;       /**< set by the macro */
    fa_tensor *out;    /**< the tensor to write the result into; NULL: a new one */
    int64_t start_dim; /**< the first dimension to merge; negative counts from the end */
    int64_t end_dim;   /**< the last dimension to merge, inclusive; negative counts from the end */
    char fa__end;      /**< marks the end of this version's options */
} fa_flatten_options;

/** Merges the dimensions start_dim to end_dim of x into one: a view if the strides allow it, otherwise a copy.
 *
 *      fa_flatten(x, .start_dim = 0, .end_dim = -1, .out = NULL)
 *
 *  @param x a tensor
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_flatten(const fa_tensor *x, const fa_flatten_options *options);

/** Broadcasts x to a larger shape: a view in which dimensions of size 1 are repeated (stride 0) and leading ones are
 *  added. A size of -1 keeps x's.
 *
 *      fa_expand(x, shape)
 *
 *  @param x a tensor
 *  @param shape the new shape; one size may be -1, which is inferred
 *  @return a view; NULL after an error */
FA_API fa_tensor *fa_expand(const fa_tensor *x, fa_shape shape);

/** Broadcasts x to the shape of `like`: a view, as fa_expand().
 *
 *      fa_expand_as(x, like)
 *
 *  @param x the tensor to expand
 *  @param like only its shape is used
 *  @return a view; NULL after an error */
FA_API fa_tensor *fa_expand_as(const fa_tensor *x, const fa_tensor *like);

/** Inserts a dimension of size 1: a view.
 *
 *      fa_unsqueeze(x, dim)
 *
 *  @param x a tensor
 *  @param dim position of the new dimension, 0 to rank; negative counts from the end
 *  @return a view; NULL after an error */
FA_API fa_tensor *fa_unsqueeze(const fa_tensor *x, int64_t dim);

/** Options of fa_squeeze(). */
typedef struct fa_squeeze_options {
    size_t size;  /**< set by the macro */
    fa_dims dim;  /**< the dimensions to remove if their size is 1; by default all */
    char fa__end; /**< marks the end of this version's options */
} fa_squeeze_options;

/** Removes dimensions of size 1: a view.
 *
 *      fa_squeeze(x, .dim = FA_ALL)
 *
 *  @param x a tensor
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return a view; NULL after an error */
FA_API fa_tensor *fa_squeeze(const fa_tensor *x, const fa_squeeze_options *options);

/** @} */

/** @name Writing into a slice or diagonal without changing x
 *  select_scatter, slice_scatter, diagonal_scatter.
 *  @{ */

/** Options of fa_select_scatter(). */
typedef struct fa_select_scatter_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_select_scatter_options;

/** A copy of x with fa_select(x, dim, index) replaced by src.
 *
 *      fa_select_scatter(x, src, dim, index, .out = NULL)
 *
 *  @param x a tensor
 *  @param src x's shape without dim; converted to x's dtype
 *  @param dim negative counts from the end
 *  @param index the index that is replaced; negative counts from the end
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_select_scatter(const fa_tensor *x, const fa_tensor *src, int64_t dim, int64_t index, const fa_select_scatter_options *options);

/** Options of fa_slice_scatter(). */
typedef struct fa_slice_scatter_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    int64_t dim;    /**< negative counts from the end */
    int64_t start;  /**< first index, see fa_slice() */
    int64_t end;    /**< exclusive end */
    int64_t step;   /**< step between indices; may be negative, not 0 */
    char fa__end;   /**< marks the end of this version's options */
} fa_slice_scatter_options;

/** A copy of x with fa_slice(x, dim, ...) replaced by src.
 *
 *      fa_slice_scatter(x, src, .dim = 0, .start = INT64_MIN, .end = INT64_MAX, .step = 1, .out = NULL)
 *
 *  @param x a tensor
 *  @param src the slice's shape; converted to x's dtype
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_slice_scatter(const fa_tensor *x, const fa_tensor *src, const fa_slice_scatter_options *options);

/** Options of fa_diagonal_scatter(). */
typedef struct fa_diagonal_scatter_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    int64_t offset; /**< 0: main diagonal; positive: above it; negative: below it */
    int64_t dim1;   /**< dimension of the rows */
    int64_t dim2;   /**< dimension of the columns */
    char fa__end;   /**< marks the end of this version's options */
} fa_diagonal_scatter_options;

/** A copy of x with fa_diagonal(x, ...) replaced by src.
 *
 *      fa_diagonal_scatter(x, src, .offset = 0, .dim1 = 0, .dim2 = 1, .out = NULL)
 *
 *  @param x a tensor
 *  @param src the diagonal's shape; converted to x's dtype
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_diagonal_scatter(const fa_tensor *x, const fa_tensor *src, const fa_diagonal_scatter_options *options);

/** @} */

/** @} */

/** @cond */
/* Macros through which the functions above take named options, and numbers instead of tensors. */
#define FA__DEFAULT_fa_diagonal {offsetof(fa_diagonal_options, fa__end), 0, 0, 1, 0}
#define fa_diagonal(...) FA__CALL1(fa_diagonal, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_diag_embed {offsetof(fa_diag_embed_options, fa__end), NULL, 0, -2, -1, 0}
#define fa_diag_embed(...) FA__CALL1(fa_diag_embed, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_diag {offsetof(fa_diag_options, fa__end), NULL, 0, 0}
#define fa_diag(...) FA__CALL1(fa_diag, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_tril {offsetof(fa_tril_options, fa__end), NULL, 0, 0}
#define fa_tril(...) FA__CALL1(fa_tril, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
typedef fa_tril_options fa_tril__options;
#define FA__DEFAULT_fa_tril_ FA__DEFAULT_fa_tril
#define fa_tril_(...) FA__CALL1(fa_tril_, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_triu {offsetof(fa_triu_options, fa__end), NULL, 0, 0}
#define fa_triu(...) FA__CALL1(fa_triu, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
typedef fa_triu_options fa_triu__options;
#define FA__DEFAULT_fa_triu_ FA__DEFAULT_fa_triu
#define fa_triu_(...) FA__CALL1(fa_triu_, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define fa_broadcast_tensors(...) FA__CALLED(fa_broadcast_tensors(__VA_ARGS__))
#define FA__DEFAULT_fa_meshgrid {offsetof(fa_meshgrid_options, fa__end), "ij", 0}
#define fa_meshgrid(...) FA__CALL1(fa_meshgrid, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__TENSOR_LIST, __VA_ARGS__)
#define FA__DEFAULT_fa_stack {offsetof(fa_stack_options, fa__end), NULL, 0, 0}
#define fa_stack(...) FA__CALL1(fa_stack, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__TENSOR_LIST, __VA_ARGS__)
#define FA__DEFAULT_fa_hstack {offsetof(fa_hstack_options, fa__end), NULL, 0}
#define fa_hstack(...) FA__CALL1(fa_hstack, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__TENSOR_LIST, __VA_ARGS__)
#define FA__DEFAULT_fa_vstack {offsetof(fa_vstack_options, fa__end), NULL, 0}
#define fa_vstack(...) FA__CALL1(fa_vstack, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__TENSOR_LIST, __VA_ARGS__)
#define FA__DEFAULT_fa_dstack {offsetof(fa_dstack_options, fa__end), NULL, 0}
#define fa_dstack(...) FA__CALL1(fa_dstack, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__TENSOR_LIST, __VA_ARGS__)
#define FA__DEFAULT_fa_column_stack {offsetof(fa_column_stack_options, fa__end), NULL, 0}
#define fa_column_stack(...) FA__CALL1(fa_column_stack, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__TENSOR_LIST, __VA_ARGS__)
#define FA__DEFAULT_fa_pad {offsetof(fa_pad_options, fa__end), NULL, "constant", 0, 0}
#define fa_pad(...) FA__CALL2(fa_pad, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__NUMBER_LIST, __VA_ARGS__)
#define FA__DEFAULT_fa_roll {offsetof(fa_roll_options, fa__end), NULL, FA_ALL, 0}
#define fa_roll(...) FA__CALL2(fa_roll, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__SHAPE, __VA_ARGS__)
#define FA__DEFAULT_fa_repeat {offsetof(fa_repeat_options, fa__end), NULL, 0}
#define fa_repeat(...) FA__CALL2(fa_repeat, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__SHAPE, __VA_ARGS__)
#define FA__DEFAULT_fa_tile {offsetof(fa_tile_options, fa__end), NULL, 0}
#define fa_tile(...) FA__CALL2(fa_tile, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__SHAPE, __VA_ARGS__)
#define FA__DEFAULT_fa_repeat_interleave {offsetof(fa_repeat_interleave_options, fa__end), NULL, INT64_MIN, -1, 0}
#define fa_repeat_interleave(...) FA__CALL2(fa_repeat_interleave, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__ARG, __VA_ARGS__)
#define FA__DEFAULT_fa_unflatten {offsetof(fa_unflatten_options, fa__end), NULL, 0}
#define fa_unflatten(...) FA__CALL3(fa_unflatten, FA__NAMED3(, ##__VA_ARGS__, ., ., ., .), FA__SAME, FA__DIMENSION, FA__SHAPE, __VA_ARGS__)
#define FA__DEFAULT_fa_movedim {offsetof(fa_movedim_options, fa__end), NULL, 0}
#define fa_movedim(...) FA__CALL3(fa_movedim, FA__NAMED3(, ##__VA_ARGS__, ., ., ., .), FA__SAME, FA__ORDER, FA__ORDER, __VA_ARGS__)
#define FA__DEFAULT_fa_rot90 {offsetof(fa_rot90_options, fa__end), NULL, 1, FA_DIMS(0, 1), 0}
#define fa_rot90(...) FA__CALL1(fa_rot90, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_fliplr {offsetof(fa_fliplr_options, fa__end), NULL, 0}
#define fa_fliplr(...) FA__CALL1(fa_fliplr, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_flipud {offsetof(fa_flipud_options, fa__end), NULL, 0}
#define fa_flipud(...) FA__CALL1(fa_flipud, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define fa_unfold(...) FA__CALLED(fa_unfold(__VA_ARGS__))
#define FA__DEFAULT_fa_as_strided {offsetof(fa_as_strided_options, fa__end), NULL, INT64_MIN, 0}
#define fa_as_strided(...) FA__CALL3(fa_as_strided, FA__NAMED3(, ##__VA_ARGS__, ., ., ., .), FA__SAME, FA__SHAPE, FA__SHAPE, __VA_ARGS__)
#define FA__DEFAULT_fa_flip {offsetof(fa_flip_options, fa__end), NULL, FA_ALL, 0}
#define fa_flip(...) FA__CALL1(fa_flip, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define fa_select(...) FA__CALLED(fa_select(__VA_ARGS__))
#define fa_narrow(...) FA__CALLED(fa_narrow(__VA_ARGS__))
#define FA__DEFAULT_fa_slice {offsetof(fa_slice_options, fa__end), INT64_MIN, INT64_MAX, 1, 0}
#define fa_slice(...) FA__CALL2(fa_slice, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__DIMENSION, __VA_ARGS__)
#define FA__DEFAULT_fa_split {offsetof(fa_split_options, fa__end), 0, 0}
#define fa_split(...) FA__CALL2(fa_split, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__ONE_SIZE, __VA_ARGS__)
#define FA__DEFAULT_fa_split_sizes {offsetof(fa_split_sizes_options, fa__end), 0, 0}
#define fa_split_sizes(...) FA__CALL2(fa_split_sizes, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__NUMBER_LIST, __VA_ARGS__)
#define FA__DEFAULT_fa_chunk {offsetof(fa_chunk_options, fa__end), 0, 0}
#define fa_chunk(...) FA__CALL2(fa_chunk, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_unbind {offsetof(fa_unbind_options, fa__end), 0, 0}
#define fa_unbind(...) FA__CALL1(fa_unbind, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_tensor_split {offsetof(fa_tensor_split_options, fa__end), 0, 0}
#define fa_tensor_split(...) FA__CALL2(fa_tensor_split, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_tensor_split_at {offsetof(fa_tensor_split_at_options, fa__end), 0, 0}
#define fa_tensor_split_at(...) FA__CALL2(fa_tensor_split_at, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__NUMBER_LIST, __VA_ARGS__)
#define fa_transpose(...) FA__CALLED(fa_transpose(__VA_ARGS__))
#define fa_t(...) FA__CALLED(fa_t(__VA_ARGS__))
#define fa_permute(...) FA__CALLED2(fa_permute, FA__SAME, FA__ORDER, __VA_ARGS__)
#define fa_view(...) FA__CALLED2(fa_view, FA__SAME, FA__SHAPE, __VA_ARGS__)
#define FA__DEFAULT_fa_reshape {offsetof(fa_reshape_options, fa__end), NULL, 0}
#define fa_reshape(...) FA__CALL2(fa_reshape, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__SHAPE, __VA_ARGS__)
#define FA__DEFAULT_fa_flatten {offsetof(fa_flatten_options, fa__end), NULL, 0, -1, 0}
#define fa_flatten(...) FA__CALL1(fa_flatten, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define fa_expand(...) FA__CALLED2(fa_expand, FA__SAME, FA__SHAPE, __VA_ARGS__)
#define fa_expand_as(...) FA__CALLED(fa_expand_as(__VA_ARGS__))
#define fa_unsqueeze(...) FA__CALLED(fa_unsqueeze(__VA_ARGS__))
#define FA__DEFAULT_fa_squeeze {offsetof(fa_squeeze_options, fa__end), FA_ALL, 0}
#define fa_squeeze(...) FA__CALL1(fa_squeeze, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_select_scatter {offsetof(fa_select_scatter_options, fa__end), NULL, 0}
#define fa_select_scatter(...) FA__CALL4(fa_select_scatter, FA__NAMED4(, ##__VA_ARGS__, ., ., ., ., .), FA__SAME, FA__SAME, FA__DIMENSION, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_slice_scatter {offsetof(fa_slice_scatter_options, fa__end), NULL, 0, INT64_MIN, INT64_MAX, 1, 0}
#define fa_slice_scatter(...) FA__CALL2(fa_slice_scatter, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_diagonal_scatter {offsetof(fa_diagonal_scatter_options, fa__end), NULL, 0, 0, 1, 0}
#define fa_diagonal_scatter(...) FA__CALL2(fa_diagonal_scatter, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__SAME, __VA_ARGS__)
/** @endcond */

FA__END
#endif
