/** @file
 *  New tensors that take after others, and memory that nobody has filled.
 *
 *  Written by facula-rows from src/ops/like.c: edit there. */
/* clang-format off */
#ifndef FACULA_LIKE_H
#define FACULA_LIKE_H
#include <facula/types.h>

FA__BEGIN

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

/** @cond */
/* How named options, and numbers in the place of tensors, reach the functions above. */
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
/** @endcond */

FA__END
#endif
