/** @file
 *  Losses of probabilities: binary cross entropy, of logits too, and the divergence of distributions. Input is
 *  floating. Input and target have one shape; only weights are broadcast.
 *
 *  Written by facula-rows from src/ops/probability_loss.c: edit there. */
/* clang-format off */
#ifndef FACULA_PROBABILITY_LOSS_H
#define FACULA_PROBABILITY_LOSS_H
#include <facula/types.h>

FA__BEGIN

/** Options of fa_binary_cross_entropy(). */
typedef struct fa_binary_cross_entropy_options {
    size_t size;             /**< set by the macro */
    fa_tensor *out;          /**< where to write, instead of into new memory */
    const fa_tensor *weight; /**< of each element: broadcasts to that shape; NULL: all 1 */
    fa_reduction reduction;  /**< FA_MEAN, FA_SUM or FA_NONE */
    char fa__end;            /**< the end of what this version knows */
} fa_binary_cross_entropy_options;

/** -log(input) where the target is 1, -log(1 - input) where it is 0, in proportion between. Logarithms are at least
 *  -100, so that the loss is finite; an input outside of 0 to 1 gives NaN. An error where autocast is on, but for the
 *  CPU: fa_binary_cross_entropy_with_logits() is exact everywhere.
 *
 *      fa_binary_cross_entropy(input, target, .weight = NULL, .reduction = FA_MEAN, .out = NULL)
 *
 *  @param input probabilities, 0 to 1
 *  @param target probabilities of the same shape, mostly 0 or 1
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_binary_cross_entropy(const fa_tensor *input, const fa_tensor *target, const fa_binary_cross_entropy_options *options);

/** Options of fa_binary_cross_entropy_with_logits(). */
typedef struct fa_binary_cross_entropy_with_logits_options {
    size_t size;                 /**< set by the macro */
    fa_tensor *out;              /**< where to write, instead of into new memory */
    const fa_tensor *weight;     /**< of each element: broadcasts to that shape; NULL: all 1 */
    const fa_tensor *pos_weight; /**< of what the target is 1 of, mostly one a class; broadcasts likewise */
    fa_reduction reduction;      /**< FA_MEAN, FA_SUM or FA_NONE */
    char fa__end;                /**< the end of what this version knows */
} fa_binary_cross_entropy_with_logits_options;

/** binary_cross_entropy() of sigmoid(input), exact for logits of every size: (1 - target) * input + softplus(-input),
 *  where pos_weight multiplies what the target is 1 of.
 *
 *      fa_binary_cross_entropy_with_logits(input, target, .weight = NULL, .pos_weight = NULL,
 *          .reduction = FA_MEAN, .out = NULL)
 *
 *  @param input logits
 *  @param target probabilities of the same shape, mostly 0 or 1
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_binary_cross_entropy_with_logits(const fa_tensor *input, const fa_tensor *target, const fa_binary_cross_entropy_with_logits_options *options);

/** Options of fa_kl_div(). */
typedef struct fa_kl_div_options {
    size_t size;            /**< set by the macro */
    fa_tensor *out;         /**< where to write, instead of into new memory */
    bool log_target;        /**< target has logarithms */
    fa_reduction reduction; /**< FA_MEAN, FA_SUM, FA_NONE or FA_BATCHMEAN */
    char fa__end;           /**< the end of what this version knows */
} fa_kl_div_options;

/** The divergence of Kullback and Leibler, by elements: target * (log(target) - input). Its mean over all elements is
 *  no divergence of distributions; FA_BATCHMEAN, the sum divided by the size of dimension 0, is that of a batch of them.
 *
 *      fa_kl_div(input, target, .log_target = false, .reduction = FA_MEAN, .out = NULL)
 *
 *  @param input logarithms of probabilities
 *  @param target probabilities of the same shape, or their logarithms
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_kl_div(const fa_tensor *input, const fa_tensor *target, const fa_kl_div_options *options);

/** @cond */
/* How named options, and numbers in the place of tensors, reach the functions above. */
#define FA__DEFAULT_fa_binary_cross_entropy {offsetof(fa_binary_cross_entropy_options, fa__end), NULL, NULL, FA_MEAN, 0}
#define fa_binary_cross_entropy(...) FA__CALL2(fa_binary_cross_entropy, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_binary_cross_entropy_with_logits {offsetof(fa_binary_cross_entropy_with_logits_options, fa__end), NULL, NULL, NULL, FA_MEAN, 0}
#define fa_binary_cross_entropy_with_logits(...) FA__CALL2(fa_binary_cross_entropy_with_logits, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_kl_div {offsetof(fa_kl_div_options, fa__end), NULL, false, FA_MEAN, 0}
#define fa_kl_div(...) FA__CALL2(fa_kl_div, FA__SAME, FA__SAME, __VA_ARGS__)
/** @endcond */

FA__END
#endif
