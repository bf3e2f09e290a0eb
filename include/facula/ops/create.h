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
 *  @{ */

/** @name Making tensors
 *  filled, counted, and random.
 *  @{ */

/** Options of fa_zeros(). */
typedef struct fa_zeros_options {
    size_t size;        /**< set by the macro */
    fa_tensor *out;     /**< where to write, instead of into new memory */
    fa_dtype dtype;     /**< FA_SAME: f32 */
    fa_device device;   /**< where it is made; by default the settings' device */
    bool requires_grad; /**< it is a leaf that collects a gradient */
    char fa__end;       /**< the end of what this version knows */
} fa_zeros_options;

/** A tensor of zeros.
 *
 *      fa_zeros(shape, .dtype = FA_SAME, .device = ..., .requires_grad = false, .out = NULL)
 *
 *  @param shape FA_SHAPE(3, 4) or FA_SCALAR
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_zeros(fa_shape shape, const fa_zeros_options *options);

/** Options of fa_ones(). */
typedef struct fa_ones_options {
    size_t size;        /**< set by the macro */
    fa_tensor *out;     /**< where to write, instead of into new memory */
    fa_dtype dtype;     /**< FA_SAME: f32 */
    fa_device device;   /**< where it is made; by default the settings' device */
    bool requires_grad; /**< it is a leaf that collects a gradient */
    char fa__end;       /**< the end of what this version knows */
} fa_ones_options;

/** A tensor of ones.
 *
 *      fa_ones(shape, .dtype = FA_SAME, .device = ..., .requires_grad = false, .out = NULL)
 *
 *  @param shape FA_SHAPE(3, 4) or FA_SCALAR
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_ones(fa_shape shape, const fa_ones_options *options);

/** Options of fa_zeros_like(). */
typedef struct fa_zeros_like_options {
    size_t size;        /**< set by the macro */
    fa_tensor *out;     /**< where to write, instead of into new memory */
    fa_dtype dtype;     /**< FA_SAME: that of x */
    bool requires_grad; /**< it is a leaf that collects a gradient */
    char fa__end;       /**< the end of what this version knows */
} fa_zeros_like_options;

/** Zeros with the shape, dtype and device of another tensor.
 *
 *      fa_zeros_like(x, .dtype = FA_SAME, .requires_grad = false, .out = NULL)
 *
 *  @param x gives the shape, and what the options leave open
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_zeros_like(const fa_tensor *x, const fa_zeros_like_options *options);

/** Options of fa_ones_like(). */
typedef struct fa_ones_like_options {
    size_t size;        /**< set by the macro */
    fa_tensor *out;     /**< where to write, instead of into new memory */
    fa_dtype dtype;     /**< FA_SAME: that of x */
    bool requires_grad; /**< it is a leaf that collects a gradient */
    char fa__end;       /**< the end of what this version knows */
} fa_ones_like_options;

/** Ones with the shape, dtype and device of another tensor.
 *
 *      fa_ones_like(x, .dtype = FA_SAME, .requires_grad = false, .out = NULL)
 *
 *  @param x gives the shape, and what the options leave open
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_ones_like(const fa_tensor *x, const fa_ones_like_options *options);

/** Options of fa_full(). */
typedef struct fa_full_options {
    size_t size;        /**< set by the macro */
    fa_tensor *out;     /**< where to write, instead of into new memory */
    fa_dtype dtype;     /**< FA_SAME: bool, i64 or f32, as the value is */
    fa_device device;   /**< where it is made; by default the settings' device */
    bool requires_grad; /**< it is a leaf that collects a gradient */
    char fa__end;       /**< the end of what this version knows */
} fa_full_options;

/** A tensor of one value. A number that the dtype does not hold is an error.
 *
 *      fa_full(shape, value, .dtype = FA_SAME, .device = ..., .requires_grad = false, .out = NULL)
 *
 *  @param shape FA_SHAPE(3, 4) or FA_SCALAR
 *  @param value of every element: a number, or a 0-dim tensor
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_full(fa_shape shape, fa_arg value, const fa_full_options *options);

/** Options of fa_arange(). */
typedef struct fa_arange_options {
    size_t size;        /**< set by the macro */
    fa_tensor *out;     /**< where to write, instead of into new memory */
    double step;        /**< between neighbours; not 0 */
    fa_dtype dtype;     /**< FA_SAME: i64 when all three are whole numbers, else f32 */
    fa_device device;   /**< where it is made; by default the settings' device */
    bool requires_grad; /**< it is a leaf that collects a gradient */
    char fa__end;       /**< the end of what this version knows */
} fa_arange_options;

/** start, start + step, and so on, as long as it is below end.
 *
 *      fa_arange(start, end, .step = 1, .dtype = FA_SAME, .device = ..., .requires_grad = false, .out = NULL)
 *
 *  @param start the first value
 *  @param end values stay below it (above it when step is negative)
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_arange(double start, double end, const fa_arange_options *options);

/** Options of fa_rand(). */
typedef struct fa_rand_options {
    size_t size;        /**< set by the macro */
    fa_tensor *out;     /**< where to write, instead of into new memory */
    fa_dtype dtype;     /**< a floating one; FA_SAME: f32 */
    fa_device device;   /**< where it is made; by default the settings' device */
    bool requires_grad; /**< it is a leaf that collects a gradient */
    char fa__end;       /**< the end of what this version knows */
} fa_rand_options;

/** Random numbers, uniform in [0, 1), of the default generator: the same on every device.
 *
 *      fa_rand(shape, .dtype = FA_SAME, .device = ..., .requires_grad = false, .out = NULL)
 *
 *  @param shape FA_SHAPE(3, 4) or FA_SCALAR
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_rand(fa_shape shape, const fa_rand_options *options);

/** Options of fa_randn(). */
typedef struct fa_randn_options {
    size_t size;        /**< set by the macro */
    fa_tensor *out;     /**< where to write, instead of into new memory */
    fa_dtype dtype;     /**< a floating one; FA_SAME: f32 */
    fa_device device;   /**< where it is made; by default the settings' device */
    bool requires_grad; /**< it is a leaf that collects a gradient */
    char fa__end;       /**< the end of what this version knows */
} fa_randn_options;

/** Random numbers, normal with mean 0 and deviation 1, of the default generator: the same on every device.
 *
 *      fa_randn(shape, .dtype = FA_SAME, .device = ..., .requires_grad = false, .out = NULL)
 *
 *  @param shape FA_SHAPE(3, 4) or FA_SCALAR
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_randn(fa_shape shape, const fa_randn_options *options);

/** Options of fa_randperm(). */
typedef struct fa_randperm_options {
    size_t size;      /**< set by the macro */
    fa_tensor *out;   /**< where to write, instead of into new memory */
    fa_dtype dtype;   /**< FA_SAME: i64 */
    fa_device device; /**< where it is made; by default the settings' device */
    char fa__end;     /**< the end of what this version knows */
} fa_randperm_options;

/** The numbers 0 to n - 1 in a random order of the default generator: the same on every device.
 *
 *      fa_randperm(n, .dtype = FA_SAME, .device = ..., .out = NULL)
 *
 *  @param n how many, 0 or more
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_randperm(int64_t n, const fa_randperm_options *options);

/** @} */

/** @name New tensors that take after others, and memory that nobody has filled
 *  @{ */

/** Options of fa_empty(). */
typedef struct fa_empty_options {
    size_t size;        /**< set by the macro */
    fa_tensor *out;     /**< where to write, instead of into new memory */
    fa_dtype dtype;     /**< FA_SAME: f32 */
    fa_device device;   /**< where it is made; by default the settings' device */
    bool requires_grad; /**< it is a leaf that collects a gradient */
    char fa__end;       /**< the end of what this version knows */
} fa_empty_options;

/** A tensor whose elements are whatever its memory held.
 *
 *      fa_empty(shape, .dtype = FA_SAME, .device = ..., .requires_grad = false, .out = NULL)
 *
 *  @param shape FA_SHAPE(3, 4) or FA_SCALAR
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_empty(fa_shape shape, const fa_empty_options *options);

/** Options of fa_empty_like(). */
typedef struct fa_empty_like_options {
    size_t size;        /**< set by the macro */
    fa_tensor *out;     /**< where to write, instead of into new memory */
    fa_dtype dtype;     /**< FA_SAME: that of x */
    bool requires_grad; /**< it is a leaf that collects a gradient */
    char fa__end;       /**< the end of what this version knows */
} fa_empty_like_options;

/** A tensor with the shape, dtype and device of another, whose elements are whatever its memory held.
 *
 *      fa_empty_like(x, .dtype = FA_SAME, .requires_grad = false, .out = NULL)
 *
 *  @param x gives the shape, and what the options leave open
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_empty_like(const fa_tensor *x, const fa_empty_like_options *options);

/** Options of fa_full_like(). */
typedef struct fa_full_like_options {
    size_t size;        /**< set by the macro */
    fa_tensor *out;     /**< where to write, instead of into new memory */
    fa_dtype dtype;     /**< FA_SAME: that of x */
    bool requires_grad; /**< it is a leaf that collects a gradient */
    char fa__end;       /**< the end of what this version knows */
} fa_full_like_options;

/** A tensor of one value with the shape, dtype and device of another. A number that the dtype does not hold is an
 *  error.
 *
 *      fa_full_like(x, value, .dtype = FA_SAME, .requires_grad = false, .out = NULL)
 *
 *  @param x gives the shape, and what the options leave open
 *  @param value of every element: a number, or a 0-dim tensor
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_full_like(const fa_tensor *x, fa_arg value, const fa_full_like_options *options);

/** Options of fa_rand_like(). */
typedef struct fa_rand_like_options {
    size_t size;        /**< set by the macro */
    fa_tensor *out;     /**< where to write, instead of into new memory */
    fa_dtype dtype;     /**< a floating one; FA_SAME: that of x */
    bool requires_grad; /**< it is a leaf that collects a gradient */
    char fa__end;       /**< the end of what this version knows */
} fa_rand_like_options;

/** Random numbers, uniform in [0, 1), with the shape, dtype and device of another tensor.
 *
 *      fa_rand_like(x, .dtype = FA_SAME, .requires_grad = false, .out = NULL)
 *
 *  @param x gives the shape, and what the options leave open
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_rand_like(const fa_tensor *x, const fa_rand_like_options *options);

/** Options of fa_randn_like(). */
typedef struct fa_randn_like_options {
    size_t size;        /**< set by the macro */
    fa_tensor *out;     /**< where to write, instead of into new memory */
    fa_dtype dtype;     /**< a floating one; FA_SAME: that of x */
    bool requires_grad; /**< it is a leaf that collects a gradient */
    char fa__end;       /**< the end of what this version knows */
} fa_randn_like_options;

/** Random numbers, normal with mean 0 and deviation 1, with the shape, dtype and device of another tensor.
 *
 *      fa_randn_like(x, .dtype = FA_SAME, .requires_grad = false, .out = NULL)
 *
 *  @param x gives the shape, and what the options leave open
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_randn_like(const fa_tensor *x, const fa_randn_like_options *options);

/** Options of fa_new_empty(). */
typedef struct fa_new_empty_options {
    size_t size;        /**< set by the macro */
    fa_tensor *out;     /**< where to write, instead of into new memory */
    fa_dtype dtype;     /**< FA_SAME: that of x */
    bool requires_grad; /**< it is a leaf that collects a gradient */
    char fa__end;       /**< the end of what this version knows */
} fa_new_empty_options;

/** A tensor with the dtype and device of another, whose elements are whatever its memory held.
 *
 *      fa_new_empty(x, shape, .dtype = FA_SAME, .requires_grad = false, .out = NULL)
 *
 *  @param x gives the device, and the dtype when that is left open
 *  @param shape FA_SHAPE(3, 4) or FA_SCALAR
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_new_empty(const fa_tensor *x, fa_shape shape, const fa_new_empty_options *options);

/** Options of fa_new_zeros(). */
typedef struct fa_new_zeros_options {
    size_t size;        /**< set by the macro */
    fa_tensor *out;     /**< where to write, instead of into new memory */
    fa_dtype dtype;     /**< FA_SAME: that of x */
    bool requires_grad; /**< it is a leaf that collects a gradient */
    char fa__end;       /**< the end of what this version knows */
} fa_new_zeros_options;

/** Zeros with the dtype and device of another tensor.
 *
 *      fa_new_zeros(x, shape, .dtype = FA_SAME, .requires_grad = false, .out = NULL)
 *
 *  @param x gives the device, and the dtype when that is left open
 *  @param shape FA_SHAPE(3, 4) or FA_SCALAR
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_new_zeros(const fa_tensor *x, fa_shape shape, const fa_new_zeros_options *options);

/** Options of fa_new_ones(). */
typedef struct fa_new_ones_options {
    size_t size;        /**< set by the macro */
    fa_tensor *out;     /**< where to write, instead of into new memory */
    fa_dtype dtype;     /**< FA_SAME: that of x */
    bool requires_grad; /**< it is a leaf that collects a gradient */
    char fa__end;       /**< the end of what this version knows */
} fa_new_ones_options;

/** Ones with the dtype and device of another tensor.
 *
 *      fa_new_ones(x, shape, .dtype = FA_SAME, .requires_grad = false, .out = NULL)
 *
 *  @param x gives the device, and the dtype when that is left open
 *  @param shape FA_SHAPE(3, 4) or FA_SCALAR
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_new_ones(const fa_tensor *x, fa_shape shape, const fa_new_ones_options *options);

/** Options of fa_new_full(). */
typedef struct fa_new_full_options {
    size_t size;        /**< set by the macro */
    fa_tensor *out;     /**< where to write, instead of into new memory */
    fa_dtype dtype;     /**< FA_SAME: that of x */
    bool requires_grad; /**< it is a leaf that collects a gradient */
    char fa__end;       /**< the end of what this version knows */
} fa_new_full_options;

/** A tensor of one value with the dtype and device of another. A number that the dtype does not hold is an error.
 *
 *      fa_new_full(x, shape, value, .dtype = FA_SAME, .requires_grad = false, .out = NULL)
 *
 *  @param x gives the device, and the dtype when that is left open
 *  @param shape FA_SHAPE(3, 4) or FA_SCALAR
 *  @param value of every element: a number, or a 0-dim tensor
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_new_full(const fa_tensor *x, fa_shape shape, fa_arg value, const fa_new_full_options *options);

/** @} */

/** @name Copies
 *  to another device or dtype, into what is there, and fresh.
 *  @{ */

/** Options of fa_move(). */
typedef struct fa_move_options {
    size_t size;       /**< set by the macro */
    fa_tensor *out;    /**< where to write, instead of into new memory */
    fa_device device;  /**< where to; by default where x is */
    fa_dtype dtype;    /**< of the result; FA_SAME: that of x */
    bool non_blocking; /**< the host goes on at once; it waits when it reads */
    char fa__end;      /**< the end of what this version knows */
} fa_move_options;

/** A copy of x: on another device, as another dtype, or as it is. fa_to is the short form, which returns x itself where
 *  nothing changes. Differentiable: the gradient comes back to where x is, in x's dtype.
 *
 *      fa_move(x, .device = ..., .dtype = FA_SAME, .non_blocking = true, .out = NULL)
 *
 *  @param x a tensor
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_move(const fa_tensor *x, const fa_move_options *options);

/** Options of fa_clone(). */
typedef struct fa_clone_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_clone_options;

/** A copy in new memory, without gaps: the order of x's dimensions in memory is kept. fa_contiguous is row-major.
 *
 *      fa_clone(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_clone(const fa_tensor *x, const fa_clone_options *options);

/** Options of fa_contiguous(). */
typedef struct fa_contiguous_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_contiguous_options;

/** x if its elements lie row-major without gaps, else a copy of which that holds.
 *
 *      fa_contiguous(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_contiguous(const fa_tensor *x, const fa_contiguous_options *options);

/** x without history: the same memory, and no gradient flows through. Changes in place are seen by both, and by
 *  backward.
 *
 *      fa_detach(x)
 *
 *  @param x a tensor
 *  @return a view; NULL after an error */
FA_API fa_tensor *fa_detach(const fa_tensor *x);

/** Options of fa_copy(). */
typedef struct fa_copy_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_copy_options;

/** x with its elements replaced by those of the source; fa_copy_(x, source) does that in place, across devices and
 *  dtypes. Values are converted as fa_to does: 2.7 into i32 gives 2.
 *
 *      fa_copy(x, source, .out = NULL)
 *
 *  @param x what is overwritten
 *  @param source broadcasts to x; of any dtype, on any device
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_copy(const fa_tensor *x, fa_arg source, const fa_copy_options *options);

/** fa_copy() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_copy_(fa_tensor *x, fa_arg source, const fa_copy_options *options);

/** @} */

/** @name Numbers in a row, on a diagonal, and the places of triangles
 *  @{ */

/** Options of fa_linspace(). */
typedef struct fa_linspace_options {
    size_t size;        /**< set by the macro */
    fa_tensor *out;     /**< where to write, instead of into new memory */
    fa_dtype dtype;     /**< FA_SAME: f32 */
    fa_device device;   /**< where it is made; by default the settings' device */
    bool requires_grad; /**< it is a leaf that collects a gradient */
    char fa__end;       /**< the end of what this version knows */
} fa_linspace_options;

/** So many values from start to end, equally far apart.
 *
 *      fa_linspace(start, end, steps, .dtype = FA_SAME, .device = ..., .requires_grad = false, .out = NULL)
 *
 *  @param start the first value
 *  @param end the last one
 *  @param steps how many values
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_linspace(double start, double end, int64_t steps, const fa_linspace_options *options);

/** Options of fa_logspace(). */
typedef struct fa_logspace_options {
    size_t size;        /**< set by the macro */
    fa_tensor *out;     /**< where to write, instead of into new memory */
    double base;        /**< whose powers they are */
    fa_dtype dtype;     /**< FA_SAME: f32 */
    fa_device device;   /**< where it is made; by default the settings' device */
    bool requires_grad; /**< it is a leaf that collects a gradient */
    char fa__end;       /**< the end of what this version knows */
} fa_logspace_options;

/** So many powers of base, whose exponents are equally far apart from start to end.
 *
 *      fa_logspace(start, end, steps, .base = 10, .dtype = FA_SAME, .device = ..., .requires_grad = false,
 *          .out = NULL)
 *
 *  @param start the first exponent
 *  @param end the last one
 *  @param steps how many values
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_logspace(double start, double end, int64_t steps, const fa_logspace_options *options);

/** Options of fa_eye(). */
typedef struct fa_eye_options {
    size_t size;        /**< set by the macro */
    fa_tensor *out;     /**< where to write, instead of into new memory */
    int64_t m;          /**< columns; -1: as many */
    fa_dtype dtype;     /**< FA_SAME: f32 */
    fa_device device;   /**< where it is made; by default the settings' device */
    bool requires_grad; /**< it is a leaf that collects a gradient */
    char fa__end;       /**< the end of what this version knows */
} fa_eye_options;

/** A matrix with ones on its diagonal, and zeros.
 *
 *      fa_eye(n, .m = -1, .dtype = FA_SAME, .device = ..., .requires_grad = false, .out = NULL)
 *
 *  @param n rows
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_eye(int64_t n, const fa_eye_options *options);

/** Options of fa_tril_indices(). */
typedef struct fa_tril_indices_options {
    size_t size;      /**< set by the macro */
    fa_tensor *out;   /**< where to write, instead of into new memory */
    int64_t offset;   /**< of the diagonal that bounds the triangle, above the main one */
    fa_dtype dtype;   /**< FA_SAME: i64 */
    fa_device device; /**< where it is made; by default the settings' device */
    char fa__end;     /**< the end of what this version knows */
} fa_tril_indices_options;

/** The places of a matrix's lower triangle, row by row: (2, k), rows above columns.
 *
 *      fa_tril_indices(row, col, .offset = 0, .dtype = FA_SAME, .device = ..., .out = NULL)
 *
 *  @param row of the matrix: how many rows,
 *  @param col and how many columns
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_tril_indices(int64_t row, int64_t col, const fa_tril_indices_options *options);

/** Options of fa_triu_indices(). */
typedef struct fa_triu_indices_options {
    size_t size;      /**< set by the macro */
    fa_tensor *out;   /**< where to write, instead of into new memory */
    int64_t offset;   /**< of the diagonal that bounds the triangle, above the main one */
    fa_dtype dtype;   /**< FA_SAME: i64 */
    fa_device device; /**< where it is made; by default the settings' device */
    char fa__end;     /**< the end of what this version knows */
} fa_triu_indices_options;

/** The places of a matrix's upper triangle, row by row: (2, k), rows above columns.
 *
 *      fa_triu_indices(row, col, .offset = 0, .dtype = FA_SAME, .device = ..., .out = NULL)
 *
 *  @param row of the matrix: how many rows,
 *  @param col and how many columns
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_triu_indices(int64_t row, int64_t col, const fa_triu_indices_options *options);

/** @} */

/** @} */

/** @cond */
/* How named options, and numbers in the place of tensors, reach the functions above. */
#define FA__DEFAULT_fa_zeros {offsetof(fa_zeros_options, fa__end), NULL, FA_SAME, {0, 0}, false, 0}
#define fa_zeros(...) FA__CALL1(fa_zeros, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_ones {offsetof(fa_ones_options, fa__end), NULL, FA_SAME, {0, 0}, false, 0}
#define fa_ones(...) FA__CALL1(fa_ones, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_zeros_like {offsetof(fa_zeros_like_options, fa__end), NULL, FA_SAME, false, 0}
#define fa_zeros_like(...) FA__CALL1(fa_zeros_like, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_ones_like {offsetof(fa_ones_like_options, fa__end), NULL, FA_SAME, false, 0}
#define fa_ones_like(...) FA__CALL1(fa_ones_like, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_full {offsetof(fa_full_options, fa__end), NULL, FA_SAME, {0, 0}, false, 0}
#define fa_full(...) FA__CALL2(fa_full, FA__SAME, FA__ARG, __VA_ARGS__)
#define FA__DEFAULT_fa_arange {offsetof(fa_arange_options, fa__end), NULL, 1, FA_SAME, {0, 0}, false, 0}
#define fa_arange(...) FA__CALL2(fa_arange, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_rand {offsetof(fa_rand_options, fa__end), NULL, FA_SAME, {0, 0}, false, 0}
#define fa_rand(...) FA__CALL1(fa_rand, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_randn {offsetof(fa_randn_options, fa__end), NULL, FA_SAME, {0, 0}, false, 0}
#define fa_randn(...) FA__CALL1(fa_randn, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_randperm {offsetof(fa_randperm_options, fa__end), NULL, FA_SAME, {0, 0}, 0}
#define fa_randperm(...) FA__CALL1(fa_randperm, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_empty {offsetof(fa_empty_options, fa__end), NULL, FA_SAME, {0, 0}, false, 0}
#define fa_empty(...) FA__CALL1(fa_empty, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_empty_like {offsetof(fa_empty_like_options, fa__end), NULL, FA_SAME, false, 0}
#define fa_empty_like(...) FA__CALL1(fa_empty_like, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_full_like {offsetof(fa_full_like_options, fa__end), NULL, FA_SAME, false, 0}
#define fa_full_like(...) FA__CALL2(fa_full_like, FA__SAME, FA__ARG, __VA_ARGS__)
#define FA__DEFAULT_fa_rand_like {offsetof(fa_rand_like_options, fa__end), NULL, FA_SAME, false, 0}
#define fa_rand_like(...) FA__CALL1(fa_rand_like, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_randn_like {offsetof(fa_randn_like_options, fa__end), NULL, FA_SAME, false, 0}
#define fa_randn_like(...) FA__CALL1(fa_randn_like, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_new_empty {offsetof(fa_new_empty_options, fa__end), NULL, FA_SAME, false, 0}
#define fa_new_empty(...) FA__CALL2(fa_new_empty, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_new_zeros {offsetof(fa_new_zeros_options, fa__end), NULL, FA_SAME, false, 0}
#define fa_new_zeros(...) FA__CALL2(fa_new_zeros, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_new_ones {offsetof(fa_new_ones_options, fa__end), NULL, FA_SAME, false, 0}
#define fa_new_ones(...) FA__CALL2(fa_new_ones, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_new_full {offsetof(fa_new_full_options, fa__end), NULL, FA_SAME, false, 0}
#define fa_new_full(...) FA__CALL3(fa_new_full, FA__SAME, FA__SAME, FA__ARG, __VA_ARGS__)
#define FA__DEFAULT_fa_move {offsetof(fa_move_options, fa__end), NULL, {0, 0}, FA_SAME, true, 0}
#define fa_move(...) FA__CALL1(fa_move, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_clone {offsetof(fa_clone_options, fa__end), NULL, 0}
#define fa_clone(...) FA__CALL1(fa_clone, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_contiguous {offsetof(fa_contiguous_options, fa__end), NULL, 0}
#define fa_contiguous(...) FA__CALL1(fa_contiguous, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_copy {offsetof(fa_copy_options, fa__end), NULL, 0}
#define fa_copy(...) FA__CALL2(fa_copy, FA__SAME, FA__ARG, __VA_ARGS__)
typedef fa_copy_options fa_copy__options;
#define FA__DEFAULT_fa_copy_ FA__DEFAULT_fa_copy
#define fa_copy_(...) FA__CALL2(fa_copy_, FA__SAME, FA__ARG, __VA_ARGS__)
#define FA__DEFAULT_fa_linspace {offsetof(fa_linspace_options, fa__end), NULL, FA_SAME, {0, 0}, false, 0}
#define fa_linspace(...) FA__CALL3(fa_linspace, FA__SAME, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_logspace {offsetof(fa_logspace_options, fa__end), NULL, 10, FA_SAME, {0, 0}, false, 0}
#define fa_logspace(...) FA__CALL3(fa_logspace, FA__SAME, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_eye {offsetof(fa_eye_options, fa__end), NULL, -1, FA_SAME, {0, 0}, false, 0}
#define fa_eye(...) FA__CALL1(fa_eye, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_tril_indices {offsetof(fa_tril_indices_options, fa__end), NULL, 0, FA_SAME, {0, 0}, 0}
#define fa_tril_indices(...) FA__CALL2(fa_tril_indices, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_triu_indices {offsetof(fa_triu_indices_options, fa__end), NULL, 0, FA_SAME, {0, 0}, 0}
#define fa_triu_indices(...) FA__CALL2(fa_triu_indices, FA__SAME, FA__SAME, __VA_ARGS__)
/** @endcond */

FA__END
#endif
