/** @file
 *  Normalisation of channels: over batches, groups and instances. Statistics are taken in f32 or f64, in two passes, by
 *  the reductions' fixed tree: the same bits on every device.
 *
 *  Written by facula-rows from src/ops/normalization.c: edit there. */
/* clang-format off */
#ifndef FACULA_NORMALIZATION_H
#define FACULA_NORMALIZATION_H
#include <facula/types.h>

FA__BEGIN

/** Options of fa_batch_norm(). */
typedef struct fa_batch_norm_options {
    size_t size;                   /**< set by the macro */
    fa_tensor *out;                /**< where to write, instead of into new memory */
    const fa_tensor *running_mean; /**< (c): changed in place in training */
    const fa_tensor *running_var;  /**< (c): the same */
    const fa_tensor *weight;       /**< (c): NULL: 1 */
    const fa_tensor *bias;         /**< (c): NULL: 0 */
    bool training;                 /**< take the batch's statistics, and not the running ones */
    double momentum;               /**< how much of the running ones each batch replaces */
    double eps;                    /**< is added to variances */
    char fa__end;                  /**< the end of what this version knows */
} fa_batch_norm_options;

/** (x - mean) / sqrt(variance + eps) * weight + bias for each channel, dimension 1 (arXiv:1502.03167). In training mean
 *  and variance are those of the batch, over all other dimensions; the running ones, where given, are changed in place
 *  to (1 - momentum) * running + momentum * the batch's, of the variance that divides by one element less: a
 *  cumulative average is momentum = 1 / the number of batches so far. Otherwise the running ones are taken, which get
 *  no gradients. Weight and bias may be f32 where x is f16 or bf16; an empty batch changes nothing.
 *
 *      fa_batch_norm(x, .running_mean = NULL, .running_var = NULL, .weight = NULL, .bias = NULL,
 *          .training = false, .momentum = 0.1, .eps = 1e-5, .out = NULL)
 *
 *  @param x (n, c) or (n, c, ...), floating
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_batch_norm(const fa_tensor *x, const fa_batch_norm_options *options);

/** Options of fa_instance_norm(). */
typedef struct fa_instance_norm_options {
    size_t size;                   /**< set by the macro */
    fa_tensor *out;                /**< where to write, instead of into new memory */
    const fa_tensor *running_mean; /**< (c): changed in place where the input's own statistics are used */
    const fa_tensor *running_var;  /**< (c): the same */
    const fa_tensor *weight;       /**< (c): NULL: 1 */
    const fa_tensor *bias;         /**< (c): NULL: 0 */
    bool use_input_stats;          /**< and not the running ones */
    double momentum;               /**< how much of the running ones each batch replaces */
    double eps;                    /**< is added to variances */
    char fa__end;                  /**< the end of what this version knows */
} fa_instance_norm_options;

/** batch_norm() with statistics of each sample alone, over all dimensions but the first two (arXiv:1607.08022). The
 *  running ones get the mean of the samples'.
 *
 *      fa_instance_norm(x, .running_mean = NULL, .running_var = NULL, .weight = NULL, .bias = NULL,
 *          .use_input_stats = true, .momentum = 0.1, .eps = 1e-5, .out = NULL)
 *
 *  @param x (n, c, ...), floating
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_instance_norm(const fa_tensor *x, const fa_instance_norm_options *options);

/** Options of fa_group_norm(). */
typedef struct fa_group_norm_options {
    size_t size;             /**< set by the macro */
    fa_tensor *out;          /**< where to write, instead of into new memory */
    const fa_tensor *weight; /**< (c): NULL: 1 */
    const fa_tensor *bias;   /**< (c): NULL: 0 */
    double eps;              /**< is added to variances */
    char fa__end;            /**< the end of what this version knows */
} fa_group_norm_options;

/** (x - mean) / sqrt(variance + eps) * weight + bias, with statistics of each sample over groups of neighbouring
 *  channels and all dimensions behind them (arXiv:1803.08494). Weight and bias may be f32 where x is f16 or bf16.
 *
 *      fa_group_norm(x, num_groups, .weight = NULL, .bias = NULL, .eps = 1e-5, .out = NULL)
 *
 *  @param x (n, c) or (n, c, ...), floating
 *  @param num_groups of channels, all of one size
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_group_norm(const fa_tensor *x, int64_t num_groups, const fa_group_norm_options *options);

/** @cond */
/* How named options, and numbers in the place of tensors, reach the functions above. */
#define FA__DEFAULT_fa_batch_norm {offsetof(fa_batch_norm_options, fa__end), NULL, NULL, NULL, NULL, NULL, false, 0.1, 1e-5, 0}
#define fa_batch_norm(...) FA__CALL1(fa_batch_norm, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_instance_norm {offsetof(fa_instance_norm_options, fa__end), NULL, NULL, NULL, NULL, NULL, true, 0.1, 1e-5, 0}
#define fa_instance_norm(...) FA__CALL1(fa_instance_norm, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_group_norm {offsetof(fa_group_norm_options, fa__end), NULL, NULL, NULL, 1e-5, 0}
#define fa_group_norm(...) FA__CALL2(fa_group_norm, FA__SAME, FA__SAME, __VA_ARGS__)
/** @endcond */

FA__END
#endif
