/** @file
 *  Normalisation over the last dimensions, by norms, and by neighbouring channels.
 *
 *  Written by facula-rows from src/ops/layer_norm.c: edit there. */
/* clang-format off */
#ifndef FACULA_LAYER_NORM_H
#define FACULA_LAYER_NORM_H
#include <facula/types.h>

FA__BEGIN

/** Options of fa_layer_norm(). */
typedef struct fa_layer_norm_options {
    size_t size;             /**< set by the macro */
    fa_tensor *out;          /**< where to write, instead of into new memory */
    const fa_tensor *weight; /**< of normalized_shape; NULL: 1 */
    const fa_tensor *bias;   /**< of normalized_shape; NULL: 0 */
    double eps;              /**< is added to variances */
    char fa__end;            /**< the end of what this version knows */
} fa_layer_norm_options;

/** (x - mean) / sqrt(variance + eps) * weight + bias, with statistics over the last dimensions (arXiv:1607.06450).
 *  Weight and bias may be f32 where x is f16 or bf16.
 *
 *      fa_layer_norm(x, normalized_shape, .weight = NULL, .bias = NULL, .eps = 1e-5, .out = NULL)
 *
 *  @param x (..., normalized_shape), floating
 *  @param normalized_shape the last dimensions of x: statistics are over these
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_layer_norm(const fa_tensor *x, fa_shape normalized_shape, const fa_layer_norm_options *options);

/** Options of fa_rms_norm(). */
typedef struct fa_rms_norm_options {
    size_t size;             /**< set by the macro */
    fa_tensor *out;          /**< where to write, instead of into new memory */
    const fa_tensor *weight; /**< of normalized_shape; NULL: 1 */
    double eps;              /**< is added to the mean; below 0: the distance of 1 to the next number, in f32 or f64 */
    char fa__end;            /**< the end of what this version knows */
} fa_rms_norm_options;

/** x / sqrt(mean of x * x + eps) * weight, with the mean over the last dimensions (arXiv:1910.07467). The weight may be
 *  f32 where x is f16 or bf16.
 *
 *      fa_rms_norm(x, normalized_shape, .weight = NULL, .eps = -1, .out = NULL)
 *
 *  @param x (..., normalized_shape), floating
 *  @param normalized_shape the last dimensions of x: the mean is over these
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_rms_norm(const fa_tensor *x, fa_shape normalized_shape, const fa_rms_norm_options *options);

/** Options of fa_normalize(). */
typedef struct fa_normalize_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    double p;       /**< the order of the norm */
    fa_dims dim;    /**< one dimension, FA_DIMS(0, 2), or all of them */
    double eps;     /**< the least that is divided by */
    char fa__end;   /**< the end of what this version knows */
} fa_normalize_options;

/** x divided by its norms over dimensions, or by eps where that is larger.
 *
 *      fa_normalize(x, .p = 2, .dim = 1, .eps = 1e-12, .out = NULL)
 *
 *  @param x floating
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_normalize(const fa_tensor *x, const fa_normalize_options *options);

/** Options of fa_local_response_norm(). */
typedef struct fa_local_response_norm_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    double alpha;   /**< of the mean of squares */
    double beta;    /**< the exponent */
    double k;       /**< is added */
    char fa__end;   /**< the end of what this version knows */
} fa_local_response_norm_options;

/** x / (k + alpha * mean)^beta, with the mean of squares over `size` channels around each, of which those that are not
 *  there count as 0 (Krizhevsky et al. 2012).
 *
 *      fa_local_response_norm(x, size, .alpha = 1e-4, .beta = 0.75, .k = 1, .out = NULL)
 *
 *  @param x (n, c, ...), floating
 *  @param size how many neighbouring channels
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_local_response_norm(const fa_tensor *x, int64_t size, const fa_local_response_norm_options *options);

/** @cond */
/* How named options, and numbers in the place of tensors, reach the functions above. */
#define FA__DEFAULT_fa_layer_norm {offsetof(fa_layer_norm_options, fa__end), NULL, NULL, NULL, 1e-5, 0}
#define fa_layer_norm(...) FA__CALL2(fa_layer_norm, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_rms_norm {offsetof(fa_rms_norm_options, fa__end), NULL, NULL, -1, 0}
#define fa_rms_norm(...) FA__CALL2(fa_rms_norm, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_normalize {offsetof(fa_normalize_options, fa__end), NULL, 2, 1, 1e-12, 0}
#define fa_normalize(...) FA__CALL1(fa_normalize, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_local_response_norm {offsetof(fa_local_response_norm_options, fa__end), NULL, 1e-4, 0.75, 1, 0}
#define fa_local_response_norm(...) FA__CALL2(fa_local_response_norm, FA__SAME, FA__SAME, __VA_ARGS__)
/** @endcond */

FA__END
#endif
