/** @file
 *  Losses of numbers against numbers: differences, and likelihoods. Input is floating, but for mse_loss and l1_loss.
 *  Input and target have one shape: nothing is broadcast.
 *
 *  Written by facula-rows from src/ops/regression_loss.c: edit there. */
/* clang-format off */
#ifndef FACULA_REGRESSION_LOSS_H
#define FACULA_REGRESSION_LOSS_H
#include <facula/types.h>

FA__BEGIN

/** Options of fa_mse_loss(). */
typedef struct fa_mse_loss_options {
    size_t size;             /**< set by the macro */
    fa_tensor *out;          /**< where to write, instead of into new memory */
    fa_reduction reduction;  /**< FA_MEAN, FA_SUM or FA_NONE */
    const fa_tensor *weight; /**< of each element, of the same shape; NULL: all 1 */
    char fa__end;            /**< the end of what this version knows */
} fa_mse_loss_options;

/** The squared difference: its mean or sum as a number, or with FA_NONE each, in the shape of input. With weights the
 *  mean is the sum of weighted differences divided by that of the weights.
 *
 *      fa_mse_loss(input, target, .reduction = FA_MEAN, .weight = NULL, .out = NULL)
 *
 *  @param input a tensor
 *  @param target of the same shape
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_mse_loss(const fa_tensor *input, const fa_tensor *target, const fa_mse_loss_options *options);

/** Options of fa_l1_loss(). */
typedef struct fa_l1_loss_options {
    size_t size;             /**< set by the macro */
    fa_tensor *out;          /**< where to write, instead of into new memory */
    fa_reduction reduction;  /**< FA_MEAN, FA_SUM or FA_NONE */
    const fa_tensor *weight; /**< of each element, of the same shape; NULL: all 1 */
    char fa__end;            /**< the end of what this version knows */
} fa_l1_loss_options;

/** The distance |input - target|: its mean or sum as a number, or with FA_NONE each. The gradient is 0 where the two
 *  are equal. With weights the mean is the sum of weighted distances divided by that of the weights.
 *
 *      fa_l1_loss(input, target, .reduction = FA_MEAN, .weight = NULL, .out = NULL)
 *
 *  @param input a tensor
 *  @param target of the same shape
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_l1_loss(const fa_tensor *input, const fa_tensor *target, const fa_l1_loss_options *options);

/** Options of fa_smooth_l1_loss(). */
typedef struct fa_smooth_l1_loss_options {
    size_t size;            /**< set by the macro */
    fa_tensor *out;         /**< where to write, instead of into new memory */
    double beta;            /**< from this distance on it is linear; 0: everywhere, as l1_loss */
    fa_reduction reduction; /**< FA_MEAN, FA_SUM or FA_NONE */
    char fa__end;           /**< the end of what this version knows */
} fa_smooth_l1_loss_options;

/** With d = input - target, d^2 / (2 beta) where |d| is below beta, and |d| - beta / 2 elsewhere.
 *
 *      fa_smooth_l1_loss(input, target, .beta = 1, .reduction = FA_MEAN, .out = NULL)
 *
 *  @param input a tensor
 *  @param target of the same shape
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_smooth_l1_loss(const fa_tensor *input, const fa_tensor *target, const fa_smooth_l1_loss_options *options);

/** Options of fa_huber_loss(). */
typedef struct fa_huber_loss_options {
    size_t size;             /**< set by the macro */
    fa_tensor *out;          /**< where to write, instead of into new memory */
    double delta;            /**< from this distance on it is linear */
    fa_reduction reduction;  /**< FA_MEAN, FA_SUM or FA_NONE */
    const fa_tensor *weight; /**< of each element, of the same shape; NULL: all 1 */
    char fa__end;            /**< the end of what this version knows */
} fa_huber_loss_options;

/** With d = input - target, d^2 / 2 where |d| is below delta, and delta (|d| - delta / 2) elsewhere. With weights the
 *  mean is still over the number of elements, as in PyTorch.
 *
 *      fa_huber_loss(input, target, .delta = 1, .reduction = FA_MEAN, .weight = NULL, .out = NULL)
 *
 *  @param input a tensor
 *  @param target of the same shape
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_huber_loss(const fa_tensor *input, const fa_tensor *target, const fa_huber_loss_options *options);

/** Options of fa_poisson_nll_loss(). */
typedef struct fa_poisson_nll_loss_options {
    size_t size;            /**< set by the macro */
    fa_tensor *out;         /**< where to write, instead of into new memory */
    bool log_input;         /**< input is the logarithm */
    bool full;              /**< with Stirling's approximation of log(target!), where target is above 1 */
    double eps;             /**< added to input before its logarithm is taken, where log_input is false */
    fa_reduction reduction; /**< FA_MEAN, FA_SUM or FA_NONE */
    char fa__end;           /**< the end of what this version knows */
} fa_poisson_nll_loss_options;

/** The negative logarithm of how likely the target is where numbers of events have a Poisson distribution: exp(input)
 *  - target * input, or input - target * log(input + eps), without log(target!) unless .full asks for it.
 *
 *      fa_poisson_nll_loss(input, target, .log_input = true, .full = false, .eps = 1e-8, .reduction = FA_MEAN,
 *          .out = NULL)
 *
 *  @param input the expected number, or its logarithm
 *  @param target the number that came, of the same shape
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_poisson_nll_loss(const fa_tensor *input, const fa_tensor *target, const fa_poisson_nll_loss_options *options);

/** Options of fa_gaussian_nll_loss(). */
typedef struct fa_gaussian_nll_loss_options {
    size_t size;            /**< set by the macro */
    fa_tensor *out;         /**< where to write, instead of into new memory */
    bool full;              /**< with the constant log(2 pi) / 2 */
    double eps;             /**< var counts as this where it is smaller */
    fa_reduction reduction; /**< FA_MEAN, FA_SUM or FA_NONE */
    char fa__end;           /**< the end of what this version knows */
} fa_gaussian_nll_loss_options;

/** The negative logarithm of how likely the target is under a normal distribution: (log(var) + (input - target)^2 /
 *  var) / 2. Variances below eps count as eps and have its gradient; negative ones are not looked for, but for a
 *  number: that is an error.
 *
 *      fa_gaussian_nll_loss(input, target, var, .full = false, .eps = 1e-6, .reduction = FA_MEAN, .out = NULL)
 *
 *  @param input the expected value
 *  @param target of the same shape
 *  @param var the variance: a number, or a tensor in that shape, without its last dimension, or with 1s in it
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_gaussian_nll_loss(const fa_tensor *input, const fa_tensor *target, fa_arg var, const fa_gaussian_nll_loss_options *options);

/** @cond */
/* How named options, and numbers in the place of tensors, reach the functions above. */
#define FA__DEFAULT_fa_mse_loss {offsetof(fa_mse_loss_options, fa__end), NULL, FA_MEAN, NULL, 0}
#define fa_mse_loss(...) FA__CALL2(fa_mse_loss, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_l1_loss {offsetof(fa_l1_loss_options, fa__end), NULL, FA_MEAN, NULL, 0}
#define fa_l1_loss(...) FA__CALL2(fa_l1_loss, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_smooth_l1_loss {offsetof(fa_smooth_l1_loss_options, fa__end), NULL, 1, FA_MEAN, 0}
#define fa_smooth_l1_loss(...) FA__CALL2(fa_smooth_l1_loss, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_huber_loss {offsetof(fa_huber_loss_options, fa__end), NULL, 1, FA_MEAN, NULL, 0}
#define fa_huber_loss(...) FA__CALL2(fa_huber_loss, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_poisson_nll_loss {offsetof(fa_poisson_nll_loss_options, fa__end), NULL, true, false, 1e-8, FA_MEAN, 0}
#define fa_poisson_nll_loss(...) FA__CALL2(fa_poisson_nll_loss, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_gaussian_nll_loss {offsetof(fa_gaussian_nll_loss_options, fa__end), NULL, false, 1e-6, FA_MEAN, 0}
#define fa_gaussian_nll_loss(...) FA__CALL3(fa_gaussian_nll_loss, FA__SAME, FA__SAME, FA__ARG, __VA_ARGS__)
/** @endcond */

FA__END
#endif
