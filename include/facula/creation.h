/** @file
 *  Making tensors: filled, counted, and random.
 *
 *  Written by facula-rows from src/ops/creation.c: edit there. */
/* clang-format off */
#ifndef FACULA_CREATION_H
#define FACULA_CREATION_H
#include <facula/types.h>

FA__BEGIN

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
/** @endcond */

FA__END
#endif
