/** @file
 *  Creating and copying tensors.
 *
 *  Written by facula-rows from src/ops/create: edit there. */
/* clang-format off */
#ifndef FACULA_OPS_CREATE_H
#define FACULA_OPS_CREATE_H
#include <facula/types.h>

FA__BEGIN

/** @defgroup ops_create Creating and copying tensors
 *  @ingroup ops
 *  @{ */

/** @name Creating tensors
 *  zeros, ones, constants, arange and random numbers.
 *  @{ */

/** Options of fa_zeros(). */
typedef struct fa_zeros_options {
    size_t size;        /**< set by the macro */
    fa_tensor *out;     /**< the tensor to write the result into; NULL: a new one */
    fa_dtype dtype;     /**< FA_SAME means f32 */
    fa_device device;   /**< the device of the result; default: the current default device */
    bool requires_grad; /**< true: the result is a leaf that accumulates a gradient */
    char fa__end;       /**< marks the end of this version's options */
} fa_zeros_options;

/** A tensor filled with 0, as torch.zeros.
 *
 *      fa_zeros(shape, .dtype = FA_SAME, .device = ..., .requires_grad = false, .out = NULL)
 *
 *  @param shape FA_SHAPE(3, 4), or FA_SCALAR for a 0-dim tensor
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_zeros(fa_shape shape, const fa_zeros_options *options);

/** Options of fa_ones(). */
typedef struct fa_ones_options {
    size_t size;        /**< set by the macro */
    fa_tensor *out;     /**< the tensor to write the result into; NULL: a new one */
    fa_dtype dtype;     /**< FA_SAME means f32 */
    fa_device device;   /**< the device of the result; default: the current default device */
    bool requires_grad; /**< true: the result is a leaf that accumulates a gradient */
    char fa__end;       /**< marks the end of this version's options */
} fa_ones_options;

/** A tensor filled with 1, as torch.ones.
 *
 *      fa_ones(shape, .dtype = FA_SAME, .device = ..., .requires_grad = false, .out = NULL)
 *
 *  @param shape FA_SHAPE(3, 4), or FA_SCALAR for a 0-dim tensor
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_ones(fa_shape shape, const fa_ones_options *options);

/** Options of fa_zeros_like(). */
typedef struct fa_zeros_like_options {
    size_t size;        /**< set by the macro */
    fa_tensor *out;     /**< the tensor to write the result into; NULL: a new one */
    fa_dtype dtype;     /**< FA_SAME means x's dtype */
    bool requires_grad; /**< true: the result is a leaf that accumulates a gradient */
    char fa__end;       /**< marks the end of this version's options */
} fa_zeros_like_options;

/** A tensor of zeros with the shape, dtype and device of x.
 *
 *      fa_zeros_like(x, .dtype = FA_SAME, .requires_grad = false, .out = NULL)
 *
 *  @param x gives the shape and device, and the dtype unless it is given
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_zeros_like(const fa_tensor *x, const fa_zeros_like_options *options);

/** Options of fa_ones_like(). */
typedef struct fa_ones_like_options {
    size_t size;        /**< set by the macro */
    fa_tensor *out;     /**< the tensor to write the result into; NULL: a new one */
    fa_dtype dtype;     /**< FA_SAME means x's dtype */
    bool requires_grad; /**< true: the result is a leaf that accumulates a gradient */
    char fa__end;       /**< marks the end of this version's options */
} fa_ones_like_options;

/** A tensor of ones with the shape, dtype and device of x.
 *
 *      fa_ones_like(x, .dtype = FA_SAME, .requires_grad = false, .out = NULL)
 *
 *  @param x gives the shape and device, and the dtype unless it is given
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_ones_like(const fa_tensor *x, const fa_ones_like_options *options);

/** Options of fa_full(). */
typedef struct fa_full_options {
    size_t size;        /**< set by the macro */
    fa_tensor *out;     /**< the tensor to write the result into; NULL: a new one */
    fa_dtype dtype;     /**< FA_SAME: bool, i64 or f32, depending on the type of value */
    fa_device device;   /**< the device of the result; default: the current default device */
    bool requires_grad; /**< true: the result is a leaf that accumulates a gradient */
    char fa__end;       /**< marks the end of this version's options */
} fa_full_options;

/** A tensor with every element set to value. A number outside the range of the dtype is an error.
 *
 *      fa_full(shape, value, .dtype = FA_SAME, .device = ..., .requires_grad = false, .out = NULL)
 *
 *  @param shape FA_SHAPE(3, 4), or FA_SCALAR for a 0-dim tensor
 *  @param value the value of every element: a number or a 0-dim tensor
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_full(fa_shape shape, fa_arg value, const fa_full_options *options);

/** Options of fa_arange(). */
typedef struct fa_arange_options {
    size_t size;        /**< set by the macro */
    fa_tensor *out;     /**< the tensor to write the result into; NULL: a new one */
    double step;        /**< difference between neighbouring values; not 0 */
    fa_dtype dtype;     /**< FA_SAME: i64 if start, end and step are whole numbers, else f32 */
    fa_device device;   /**< the device of the result; default: the current default device */
    bool requires_grad; /**< true: the result is a leaf that accumulates a gradient */
    char fa__end;       /**< marks the end of this version's options */
} fa_arange_options;

/** The values start, start + step, start + 2 * step, ... below end (above end if step is negative); the result has
 *  shape (ceil((end - start) / step)).
 *
 *      fa_arange(start, end, .step = 1, .dtype = FA_SAME, .device = ..., .requires_grad = false, .out = NULL)
 *
 *  @param start the first value
 *  @param end exclusive bound: values stay below it (above it if step is negative)
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_arange(double start, double end, const fa_arange_options *options);

/** Options of fa_rand(). */
typedef struct fa_rand_options {
    size_t size;        /**< set by the macro */
    fa_tensor *out;     /**< the tensor to write the result into; NULL: a new one */
    fa_dtype dtype;     /**< a floating dtype; FA_SAME means f32 */
    fa_device device;   /**< the device of the result; default: the current default device */
    bool requires_grad; /**< true: the result is a leaf that accumulates a gradient */
    char fa__end;       /**< marks the end of this version's options */
} fa_rand_options;

/** Random numbers, uniformly distributed in [0, 1), from the default generator. Every device gives the same numbers for
 *  the same seed.
 *
 *      fa_rand(shape, .dtype = FA_SAME, .device = ..., .requires_grad = false, .out = NULL)
 *
 *  @param shape FA_SHAPE(3, 4), or FA_SCALAR for a 0-dim tensor
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_rand(fa_shape shape, const fa_rand_options *options);

/** Options of fa_randn(). */
typedef struct fa_randn_options {
    size_t size;        /**< set by the macro */
    fa_tensor *out;     /**< the tensor to write the result into; NULL: a new one */
    fa_dtype dtype;     /**< a floating dtype; FA_SAME means f32 */
    fa_device device;   /**< the device of the result; default: the current default device */
    bool requires_grad; /**< true: the result is a leaf that accumulates a gradient */
    char fa__end;       /**< marks the end of this version's options */
} fa_randn_options;

/** Random numbers from the standard normal distribution (mean 0, standard deviation 1), from the default generator.
 *  Every device gives the same numbers for the same seed.
 *
 *      fa_randn(shape, .dtype = FA_SAME, .device = ..., .requires_grad = false, .out = NULL)
 *
 *  @param shape FA_SHAPE(3, 4), or FA_SCALAR for a 0-dim tensor
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_randn(fa_shape shape, const fa_randn_options *options);

/** Options of fa_randperm(). */
typedef struct fa_randperm_options {
    size_t size;      /**< set by the macro */
    fa_tensor *out;   /**< the tensor to write the result into; NULL: a new one */
    fa_dtype dtype;   /**< FA_SAME means i64 */
    fa_device device; /**< the device of the result; default: the current default device */
    char fa__end;     /**< marks the end of this version's options */
} fa_randperm_options;

/** A random permutation of the integers 0 to n - 1, from the default generator. Every device gives the same permutation
 *  for the same seed.
 *
 *      fa_randperm(n, .dtype = FA_SAME, .device = ..., .out = NULL)
 *
 *  @param n number of elements, 0 or more
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_randperm(int64_t n, const fa_randperm_options *options);

/** @} */

/** @name Uninitialized tensors, and new tensors like an existing one
 *  @{ */

/** Options of fa_empty(). */
typedef struct fa_empty_options {
    size_t size;        /**< set by the macro */
    fa_tensor *out;     /**< the tensor to write the result into; NULL: a new one */
    fa_dtype dtype;     /**< FA_SAME means f32 */
    fa_device device;   /**< the device of the result; default: the current default device */
    bool requires_grad; /**< true: the result is a leaf that accumulates a gradient */
    char fa__end;       /**< marks the end of this version's options */
} fa_empty_options;

/** A tensor whose elements are uninitialized: their values are unspecified until they are written.
 *
 *      fa_empty(shape, .dtype = FA_SAME, .device = ..., .requires_grad = false, .out = NULL)
 *
 *  @param shape FA_SHAPE(3, 4), or FA_SCALAR for a 0-dim tensor
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_empty(fa_shape shape, const fa_empty_options *options);

/** Options of fa_empty_like(). */
typedef struct fa_empty_like_options {
    size_t size;        /**< set by the macro */
    fa_tensor *out;     /**< the tensor to write the result into; NULL: a new one */
    fa_dtype dtype;     /**< FA_SAME means x's dtype */
    bool requires_grad; /**< true: the result is a leaf that accumulates a gradient */
    char fa__end;       /**< marks the end of this version's options */
} fa_empty_like_options;

/** An uninitialized tensor with the shape, dtype and device of x.
 *
 *      fa_empty_like(x, .dtype = FA_SAME, .requires_grad = false, .out = NULL)
 *
 *  @param x gives the shape and device, and the dtype unless it is given
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_empty_like(const fa_tensor *x, const fa_empty_like_options *options);

/** Options of fa_full_like(). */
typedef struct fa_full_like_options {
    size_t size;        /**< set by the macro */
    fa_tensor *out;     /**< the tensor to write the result into; NULL: a new one */
    fa_dtype dtype;     /**< FA_SAME means x's dtype */
    bool requires_grad; /**< true: the result is a leaf that accumulates a gradient */
    char fa__end;       /**< marks the end of this version's options */
} fa_full_like_options;

/** A tensor with every element set to value, with the shape, dtype and device of x. A number outside the range of the
 *  dtype is an error.
 *
 *      fa_full_like(x, value, .dtype = FA_SAME, .requires_grad = false, .out = NULL)
 *
 *  @param x gives the shape and device, and the dtype unless it is given
 *  @param value the value of every element: a number or a 0-dim tensor
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_full_like(const fa_tensor *x, fa_arg value, const fa_full_like_options *options);

/** Options of fa_rand_like(). */
typedef struct fa_rand_like_options {
    size_t size;        /**< set by the macro */
    fa_tensor *out;     /**< the tensor to write the result into; NULL: a new one */
    fa_dtype dtype;     /**< a floating dtype; FA_SAME means x's dtype */
    bool requires_grad; /**< true: the result is a leaf that accumulates a gradient */
    char fa__end;       /**< marks the end of this version's options */
} fa_rand_like_options;

/** Random numbers, uniformly distributed in [0, 1), with the shape, dtype and device of x.
 *
 *      fa_rand_like(x, .dtype = FA_SAME, .requires_grad = false, .out = NULL)
 *
 *  @param x gives the shape and device, and the dtype unless it is given
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_rand_like(const fa_tensor *x, const fa_rand_like_options *options);

/** Options of fa_randn_like(). */
typedef struct fa_randn_like_options {
    size_t size;        /**< set by the macro */
    fa_tensor *out;     /**< the tensor to write the result into; NULL: a new one */
    fa_dtype dtype;     /**< a floating dtype; FA_SAME means x's dtype */
    bool requires_grad; /**< true: the result is a leaf that accumulates a gradient */
    char fa__end;       /**< marks the end of this version's options */
} fa_randn_like_options;

/** Random numbers from the standard normal distribution, with the shape, dtype and device of x.
 *
 *      fa_randn_like(x, .dtype = FA_SAME, .requires_grad = false, .out = NULL)
 *
 *  @param x gives the shape and device, and the dtype unless it is given
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_randn_like(const fa_tensor *x, const fa_randn_like_options *options);

/** Options of fa_new_empty(). */
typedef struct fa_new_empty_options {
    size_t size;        /**< set by the macro */
    fa_tensor *out;     /**< the tensor to write the result into; NULL: a new one */
    fa_dtype dtype;     /**< FA_SAME means x's dtype */
    bool requires_grad; /**< true: the result is a leaf that accumulates a gradient */
    char fa__end;       /**< marks the end of this version's options */
} fa_new_empty_options;

/** An uninitialized tensor of the given shape with the dtype and device of x.
 *
 *      fa_new_empty(x, shape, .dtype = FA_SAME, .requires_grad = false, .out = NULL)
 *
 *  @param x gives the device, and the dtype unless it is given
 *  @param shape FA_SHAPE(3, 4), or FA_SCALAR for a 0-dim tensor
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_new_empty(const fa_tensor *x, fa_shape shape, const fa_new_empty_options *options);

/** Options of fa_new_zeros(). */
typedef struct fa_new_zeros_options {
    size_t size;        /**< set by the macro */
    fa_tensor *out;     /**< the tensor to write the result into; NULL: a new one */
    fa_dtype dtype;     /**< FA_SAME means x's dtype */
    bool requires_grad; /**< true: the result is a leaf that accumulates a gradient */
    char fa__end;       /**< marks the end of this version's options */
} fa_new_zeros_options;

/** A tensor of zeros of the given shape with the dtype and device of x.
 *
 *      fa_new_zeros(x, shape, .dtype = FA_SAME, .requires_grad = false, .out = NULL)
 *
 *  @param x gives the device, and the dtype unless it is given
 *  @param shape FA_SHAPE(3, 4), or FA_SCALAR for a 0-dim tensor
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_new_zeros(const fa_tensor *x, fa_shape shape, const fa_new_zeros_options *options);

/** Options of fa_new_ones(). */
typedef struct fa_new_ones_options {
    size_t size;        /**< set by the macro */
    fa_tensor *out;     /**< the tensor to write the result into; NULL: a new one */
    fa_dtype dtype;     /**< FA_SAME means x's dtype */
    bool requires_grad; /**< true: the result is a leaf that accumulates a gradient */
    char fa__end;       /**< marks the end of this version's options */
} fa_new_ones_options;

/** A tensor of ones of the given shape with the dtype and device of x.
 *
 *      fa_new_ones(x, shape, .dtype = FA_SAME, .requires_grad = false, .out = NULL)
 *
 *  @param x gives the device, and the dtype unless it is given
 *  @param shape FA_SHAPE(3, 4), or FA_SCALAR for a 0-dim tensor
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_new_ones(const fa_tensor *x, fa_shape shape, const fa_new_ones_options *options);

/** Options of fa_new_full(). */
typedef struct fa_new_full_options {
    size_t size;        /**< set by the macro */
    fa_tensor *out;     /**< the tensor to write the result into; NULL: a new one */
    fa_dtype dtype;     /**< FA_SAME means x's dtype */
    bool requires_grad; /**< true: the result is a leaf that accumulates a gradient */
    char fa__end;       /**< marks the end of this version's options */
} fa_new_full_options;

/** A tensor of the given shape with every element set to value, with the dtype and device of x. A number outside the
 *  range of the dtype is an error.
 *
 *      fa_new_full(x, shape, value, .dtype = FA_SAME, .requires_grad = false, .out = NULL)
 *
 *  @param x gives the device, and the dtype unless it is given
 *  @param shape FA_SHAPE(3, 4), or FA_SCALAR for a 0-dim tensor
 *  @param value the value of every element: a number or a 0-dim tensor
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_new_full(const fa_tensor *x, fa_shape shape, fa_arg value, const fa_new_full_options *options);

/** @} */

/** @name Copies, detach, and moves between devices and dtypes
 *  @{ */

/** Options of fa_move(). */
typedef struct fa_move_options {
    size_t size;       /**< set by the macro */
    fa_tensor *out;    /**< the tensor to write the result into; NULL: a new one */
    fa_device device;  /**< the target device; default: x's device */
    fa_dtype dtype;    /**< the target dtype; FA_SAME means x's dtype */
    bool non_blocking; /**< true: return before the copy is complete; reading the result waits for it */
    char fa__end;      /**< marks the end of this version's options */
} fa_move_options;

/** A copy of x on another device, in another dtype, or both. fa_to() is the short form; it returns x itself if nothing
 *  changes. Differentiable: the gradient is moved back to x's device and dtype,
 *  f32 if that is f8.
 *
 *      fa_move(x, .device = ..., .dtype = FA_SAME, .non_blocking = true, .out = NULL)
 *
 *  @param x a tensor
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_move(const fa_tensor *x, const fa_move_options *options);

/** Options of fa_clone(). */
typedef struct fa_clone_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_clone_options;

/** A copy of x in new memory without gaps. The order of x's dimensions in memory is preserved (PyTorch's
 *  preserve_format); for a row-major copy use fa_contiguous().
 *
 *      fa_clone(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_clone(const fa_tensor *x, const fa_clone_options *options);

/** Options of fa_contiguous(). */
typedef struct fa_contiguous_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_contiguous_options;

/** Returns x if it is contiguous (row-major without gaps), otherwise a contiguous copy.
 *
 *      fa_contiguous(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_contiguous(const fa_tensor *x, const fa_contiguous_options *options);

/** A view of x that is cut from the autograd graph: it shares x's memory, and no gradient flows through it. In-place
 *  changes of either are seen by both, and by backward.
 *
 *      fa_detach(x)
 *
 *  @param x a tensor
 *  @return a view; NULL after an error */
FA_API fa_tensor *fa_detach(const fa_tensor *x);

/** Options of fa_copy(). */
typedef struct fa_copy_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_copy_options;

/** x with its elements replaced by those of source; fa_copy_(x, source) overwrites x in place, across devices and
 *  dtypes. Values are converted as by fa_to(): 2.7 becomes 2 in i32.
 *
 *      fa_copy(x, source, .out = NULL)
 *
 *  @param x the tensor that is overwritten
 *  @param source broadcasts to x's shape; any dtype, any device
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_copy(const fa_tensor *x, fa_arg source, const fa_copy_options *options);

/** fa_copy() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_copy_(fa_tensor *x, fa_arg source, const fa_copy_options *options);

/** @} */

/** @name Ranges, identity, triangular indices
 *  @{ */

/** Options of fa_linspace(). */
typedef struct fa_linspace_options {
    size_t size;        /**< set by the macro */
    fa_tensor *out;     /**< the tensor to write the result into; NULL: a new one */
    fa_dtype dtype;     /**< FA_SAME means f32 */
    fa_device device;   /**< the device of the result; default: the current default device */
    bool requires_grad; /**< true: the result is a leaf that accumulates a gradient */
    char fa__end;       /**< marks the end of this version's options */
} fa_linspace_options;

/** `steps` evenly spaced values from start to end, both included: shape (steps).
 *
 *      fa_linspace(start, end, steps, .dtype = FA_SAME, .device = ..., .requires_grad = false, .out = NULL)
 *
 *  @param start the first value
 *  @param end the last value
 *  @param steps number of values
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_linspace(double start, double end, int64_t steps, const fa_linspace_options *options);

/** Options of fa_logspace(). */
typedef struct fa_logspace_options {
    size_t size;        /**< set by the macro */
    fa_tensor *out;     /**< the tensor to write the result into; NULL: a new one */
    double base;        /**< the base of the powers */
    fa_dtype dtype;     /**< FA_SAME means f32 */
    fa_device device;   /**< the device of the result; default: the current default device */
    bool requires_grad; /**< true: the result is a leaf that accumulates a gradient */
    char fa__end;       /**< marks the end of this version's options */
} fa_logspace_options;

/** base raised to `steps` evenly spaced exponents from start to end, both included: shape (steps).
 *
 *      fa_logspace(start, end, steps, .base = 10, .dtype = FA_SAME, .device = ..., .requires_grad = false,
 *          .out = NULL)
 *
 *  @param start the first exponent
 *  @param end the last value
 *  @param steps number of values
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_logspace(double start, double end, int64_t steps, const fa_logspace_options *options);

/** Options of fa_eye(). */
typedef struct fa_eye_options {
    size_t size;        /**< set by the macro */
    fa_tensor *out;     /**< the tensor to write the result into; NULL: a new one */
    int64_t m;          /**< number of columns; -1 means n */
    fa_dtype dtype;     /**< FA_SAME means f32 */
    fa_device device;   /**< the device of the result; default: the current default device */
    bool requires_grad; /**< true: the result is a leaf that accumulates a gradient */
    char fa__end;       /**< marks the end of this version's options */
} fa_eye_options;

/** An n x m matrix with ones on the main diagonal and zeros elsewhere.
 *
 *      fa_eye(n, .m = -1, .dtype = FA_SAME, .device = ..., .requires_grad = false, .out = NULL)
 *
 *  @param n number of rows
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_eye(int64_t n, const fa_eye_options *options);

/** Options of fa_tril_indices(). */
typedef struct fa_tril_indices_options {
    size_t size;      /**< set by the macro */
    fa_tensor *out;   /**< the tensor to write the result into; NULL: a new one */
    int64_t offset;   /**< which diagonal bounds the triangle: 0 the main one, positive above it */
    fa_dtype dtype;   /**< FA_SAME means i64 */
    fa_device device; /**< the device of the result; default: the current default device */
    char fa__end;     /**< marks the end of this version's options */
} fa_tril_indices_options;

/** The indices of the lower triangle of a row x col matrix, in row-major order: (2, k), row indices in the first row,
 *  column indices in the second.
 *
 *      fa_tril_indices(row, col, .offset = 0, .dtype = FA_SAME, .device = ..., .out = NULL)
 *
 *  @param row number of rows of the matrix
 *  @param col number of columns of the matrix
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_tril_indices(int64_t row, int64_t col, const fa_tril_indices_options *options);

/** Options of fa_triu_indices(). */
typedef struct fa_triu_indices_options {
    size_t size;      /**< set by the macro */
    fa_tensor *out;   /**< the tensor to write the result into; NULL: a new one */
    int64_t offset;   /**< which diagonal bounds the triangle: 0 the main one, positive above it */
    fa_dtype dtype;   /**< FA_SAME means i64 */
    fa_device device; /**< the device of the result; default: the current default device */
    char fa__end;     /**< marks the end of this version's options */
} fa_triu_indices_options;

/** The indices of the upper triangle of a row x col matrix, in row-major order: (2, k), row indices in the first row,
 *  column indices in the second.
 *
 *      fa_triu_indices(row, col, .offset = 0, .dtype = FA_SAME, .device = ..., .out = NULL)
 *
 *  @param row number of rows of the matrix
 *  @param col number of columns of the matrix
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_triu_indices(int64_t row, int64_t col, const fa_triu_indices_options *options);

/** @} */

/** @} */

/** @cond */
/* Macros through which the functions above take named options, and numbers instead of tensors. */
#define FA__DEFAULT_fa_zeros {offsetof(fa_zeros_options, fa__end), NULL, FA_SAME, {0, 0}, false, 0}
#define FA__DEVICE_fa_zeros ,
#define fa_zeros(...) FA__CALL1(fa_zeros, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SHAPE, __VA_ARGS__)
#define FA__DEFAULT_fa_ones {offsetof(fa_ones_options, fa__end), NULL, FA_SAME, {0, 0}, false, 0}
#define FA__DEVICE_fa_ones ,
#define fa_ones(...) FA__CALL1(fa_ones, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SHAPE, __VA_ARGS__)
#define FA__DEFAULT_fa_zeros_like {offsetof(fa_zeros_like_options, fa__end), NULL, FA_SAME, false, 0}
#define fa_zeros_like(...) FA__CALL1(fa_zeros_like, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_ones_like {offsetof(fa_ones_like_options, fa__end), NULL, FA_SAME, false, 0}
#define fa_ones_like(...) FA__CALL1(fa_ones_like, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_full {offsetof(fa_full_options, fa__end), NULL, FA_SAME, {0, 0}, false, 0}
#define FA__DEVICE_fa_full ,
#define fa_full(...) FA__CALL2(fa_full, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SHAPE, FA__ARG, __VA_ARGS__)
#define FA__DEFAULT_fa_arange {offsetof(fa_arange_options, fa__end), NULL, 1, FA_SAME, {0, 0}, false, 0}
#define FA__DEVICE_fa_arange ,
#define fa_arange(...) FA__CALL2(fa_arange, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_rand {offsetof(fa_rand_options, fa__end), NULL, FA_SAME, {0, 0}, false, 0}
#define FA__DEVICE_fa_rand ,
#define fa_rand(...) FA__CALL1(fa_rand, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SHAPE, __VA_ARGS__)
#define FA__DEFAULT_fa_randn {offsetof(fa_randn_options, fa__end), NULL, FA_SAME, {0, 0}, false, 0}
#define FA__DEVICE_fa_randn ,
#define fa_randn(...) FA__CALL1(fa_randn, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SHAPE, __VA_ARGS__)
#define FA__DEFAULT_fa_randperm {offsetof(fa_randperm_options, fa__end), NULL, FA_SAME, {0, 0}, 0}
#define FA__DEVICE_fa_randperm ,
#define fa_randperm(...) FA__CALL1(fa_randperm, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_empty {offsetof(fa_empty_options, fa__end), NULL, FA_SAME, {0, 0}, false, 0}
#define FA__DEVICE_fa_empty ,
#define fa_empty(...) FA__CALL1(fa_empty, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SHAPE, __VA_ARGS__)
#define FA__DEFAULT_fa_empty_like {offsetof(fa_empty_like_options, fa__end), NULL, FA_SAME, false, 0}
#define fa_empty_like(...) FA__CALL1(fa_empty_like, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_full_like {offsetof(fa_full_like_options, fa__end), NULL, FA_SAME, false, 0}
#define fa_full_like(...) FA__CALL2(fa_full_like, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__ARG, __VA_ARGS__)
#define FA__DEFAULT_fa_rand_like {offsetof(fa_rand_like_options, fa__end), NULL, FA_SAME, false, 0}
#define fa_rand_like(...) FA__CALL1(fa_rand_like, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_randn_like {offsetof(fa_randn_like_options, fa__end), NULL, FA_SAME, false, 0}
#define fa_randn_like(...) FA__CALL1(fa_randn_like, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_new_empty {offsetof(fa_new_empty_options, fa__end), NULL, FA_SAME, false, 0}
#define fa_new_empty(...) FA__CALL2(fa_new_empty, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__SHAPE, __VA_ARGS__)
#define FA__DEFAULT_fa_new_zeros {offsetof(fa_new_zeros_options, fa__end), NULL, FA_SAME, false, 0}
#define fa_new_zeros(...) FA__CALL2(fa_new_zeros, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__SHAPE, __VA_ARGS__)
#define FA__DEFAULT_fa_new_ones {offsetof(fa_new_ones_options, fa__end), NULL, FA_SAME, false, 0}
#define fa_new_ones(...) FA__CALL2(fa_new_ones, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__SHAPE, __VA_ARGS__)
#define FA__DEFAULT_fa_new_full {offsetof(fa_new_full_options, fa__end), NULL, FA_SAME, false, 0}
#define fa_new_full(...) FA__CALL3(fa_new_full, FA__NAMED3(, ##__VA_ARGS__, ., ., ., .), FA__SAME, FA__SHAPE, FA__ARG, __VA_ARGS__)
#define FA__DEFAULT_fa_move {offsetof(fa_move_options, fa__end), NULL, {0, 0}, FA_SAME, true, 0}
#define FA__DEVICE_fa_move ,
#define fa_move(...) FA__CALL1(fa_move, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_clone {offsetof(fa_clone_options, fa__end), NULL, 0}
#define fa_clone(...) FA__CALL1(fa_clone, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_contiguous {offsetof(fa_contiguous_options, fa__end), NULL, 0}
#define fa_contiguous(...) FA__CALL1(fa_contiguous, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define fa_detach(...) FA__CALLED(fa_detach(__VA_ARGS__))
#define FA__DEFAULT_fa_copy {offsetof(fa_copy_options, fa__end), NULL, 0}
#define fa_copy(...) FA__CALL2(fa_copy, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__ARG, __VA_ARGS__)
typedef fa_copy_options fa_copy__options;
#define FA__DEFAULT_fa_copy_ FA__DEFAULT_fa_copy
#define fa_copy_(...) FA__CALL2(fa_copy_, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__ARG, __VA_ARGS__)
#define FA__DEFAULT_fa_linspace {offsetof(fa_linspace_options, fa__end), NULL, FA_SAME, {0, 0}, false, 0}
#define FA__DEVICE_fa_linspace ,
#define fa_linspace(...) FA__CALL3(fa_linspace, FA__NAMED3(, ##__VA_ARGS__, ., ., ., .), FA__SAME, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_logspace {offsetof(fa_logspace_options, fa__end), NULL, 10, FA_SAME, {0, 0}, false, 0}
#define FA__DEVICE_fa_logspace ,
#define fa_logspace(...) FA__CALL3(fa_logspace, FA__NAMED3(, ##__VA_ARGS__, ., ., ., .), FA__SAME, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_eye {offsetof(fa_eye_options, fa__end), NULL, -1, FA_SAME, {0, 0}, false, 0}
#define FA__DEVICE_fa_eye ,
#define fa_eye(...) FA__CALL1(fa_eye, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_tril_indices {offsetof(fa_tril_indices_options, fa__end), NULL, 0, FA_SAME, {0, 0}, 0}
#define FA__DEVICE_fa_tril_indices ,
#define fa_tril_indices(...) FA__CALL2(fa_tril_indices, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_triu_indices {offsetof(fa_triu_indices_options, fa__end), NULL, 0, FA_SAME, {0, 0}, 0}
#define FA__DEVICE_fa_triu_indices ,
#define fa_triu_indices(...) FA__CALL2(fa_triu_indices, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__SAME, __VA_ARGS__)
/** @endcond */

FA__END
#endif
