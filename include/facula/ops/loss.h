/** @file
 *  Softmax and loss functions.
 *
 *  Written by facula-rows from src/ops/loss: edit there. */
/* clang-format off */
#ifndef FACULA_OPS_LOSS_H
#define FACULA_OPS_LOSS_H
#include <facula/types.h>

FA__BEGIN

/** @defgroup ops_loss Softmax and loss functions
 *  @{ */

/** @name Softmax, and losses against classes
 *  class numbers or probabilities.
 *  @{ */

/** Options of fa_softmax(). */
typedef struct fa_softmax_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    fa_dtype dtype; /**< in which it is computed, a floating one; FA_SAME: that of x */
    char fa__end;   /**< the end of what this version knows */
} fa_softmax_options;

/** exp(x) divided by its sum along a dimension, computed from differences to the largest element. A row of -infinity
 *  gives NaN. The result has the shape of x. With `dtype` x is converted as it is read, without memory for that;
 *  PyTorch converts it before, which differs where dtype is narrower than that of x.
 *
 *      fa_softmax(x, dim, .dtype = FA_SAME, .out = NULL)
 *
 *  @param x floating; any dtype when another is asked for
 *  @param dim along which the results add up to 1; negative counts from the end
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_softmax(const fa_tensor *x, int64_t dim, const fa_softmax_options *options);

/** Options of fa_log_softmax(). */
typedef struct fa_log_softmax_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    fa_dtype dtype; /**< in which it is computed, a floating one; FA_SAME: that of x */
    char fa__end;   /**< the end of what this version knows */
} fa_log_softmax_options;

/** The logarithm of softmax, computed without its exponential: exact where softmax is 0. In the shape of x.
 *
 *      fa_log_softmax(x, dim, .dtype = FA_SAME, .out = NULL)
 *
 *  @param x floating; any dtype when another is asked for
 *  @param dim along which the results add up to 1; negative counts from the end
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_log_softmax(const fa_tensor *x, int64_t dim, const fa_log_softmax_options *options);

/** Options of fa_softmin(). */
typedef struct fa_softmin_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    fa_dtype dtype; /**< in which it is computed, a floating one; FA_SAME: that of x */
    char fa__end;   /**< the end of what this version knows */
} fa_softmin_options;

/** softmax() of -x: the smaller an element, the more of the 1 is its part.
 *
 *      fa_softmin(x, dim, .dtype = FA_SAME, .out = NULL)
 *
 *  @param x floating; any dtype when another is asked for
 *  @param dim along which the results add up to 1; negative counts from the end
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_softmin(const fa_tensor *x, int64_t dim, const fa_softmin_options *options);

/** Options of fa_cross_entropy(). */
typedef struct fa_cross_entropy_options {
    size_t size;             /**< set by the macro */
    fa_tensor *out;          /**< where to write, instead of into new memory */
    const fa_tensor *weight; /**< (classes): of each class; NULL: all 1 */
    int64_t ignore_index;    /**< targets with this number do not count */
    double label_smoothing;  /**< how much of each target is spread over all classes, 0 to 1 */
    fa_reduction reduction;  /**< FA_MEAN, FA_SUM or FA_NONE */
    char fa__end;            /**< the end of what this version knows */
} fa_cross_entropy_options;

/** Cross entropy of logits against class numbers or probabilities. The mean is over the weights of the targets that
 *  count; with none it is NaN. A number, or with FA_NONE a loss for each target. Logits are natural logarithms; label
 *  smoothing is that of Szegedy et al. 2016.
 *
 *      fa_cross_entropy(input, target, .weight = NULL, .ignore_index = -100, .label_smoothing = 0.0,
 *          .reduction = FA_MEAN, .out = NULL)
 *
 *  @param input (classes), (n, classes) or (n, classes, ...): logits
 *  @param target class numbers: (), (n) or (n, ...); or probabilities in input's shape
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_cross_entropy(const fa_tensor *input, const fa_tensor *target, const fa_cross_entropy_options *options);

/** Options of fa_nll_loss(). */
typedef struct fa_nll_loss_options {
    size_t size;             /**< set by the macro */
    fa_tensor *out;          /**< where to write, instead of into new memory */
    const fa_tensor *weight; /**< (classes): of each class; NULL: all 1 */
    int64_t ignore_index;    /**< targets with this number do not count */
    fa_reduction reduction;  /**< FA_MEAN, FA_SUM or FA_NONE */
    char fa__end;            /**< the end of what this version knows */
} fa_nll_loss_options;

/** What cross_entropy makes of class numbers, where input already has the logarithms that log_softmax gives: -input at
 *  each target's class, times its weight. The mean is over the weights of the targets that count; with none it is NaN.
 *
 *      fa_nll_loss(input, target, .weight = NULL, .ignore_index = -100, .reduction = FA_MEAN, .out = NULL)
 *
 *  @param input (classes), (n, classes) or (n, classes, ...): logarithms of probabilities
 *  @param target class numbers: (), (n) or (n, ...)
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_nll_loss(const fa_tensor *input, const fa_tensor *target, const fa_nll_loss_options *options);

/** @} */

/** @name Losses that are content with a margin
 *  of scores, of similarities, of distances. Input is floating. Operands that
 *  stand for the same samples have one shape: nothing is broadcast. Where a margin is just reached the gradient is 0.
 *  @{ */

/** Options of fa_hinge_embedding_loss(). */
typedef struct fa_hinge_embedding_loss_options {
    size_t size;            /**< set by the macro */
    fa_tensor *out;         /**< where to write, instead of into new memory */
    double margin;          /**< how large scores of what is not alike have to be */
    fa_reduction reduction; /**< FA_MEAN, FA_SUM or FA_NONE */
    char fa__end;           /**< the end of what this version knows */
} fa_hinge_embedding_loss_options;

/** The input where the target is 1, and what it lacks to the margin where it is -1.
 *
 *      fa_hinge_embedding_loss(input, target, .margin = 1, .reduction = FA_MEAN, .out = NULL)
 *
 *  @param input scores, such as distances
 *  @param target 1: alike, -1: not; of the same shape
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_hinge_embedding_loss(const fa_tensor *input, const fa_tensor *target, const fa_hinge_embedding_loss_options *options);

/** Options of fa_margin_ranking_loss(). */
typedef struct fa_margin_ranking_loss_options {
    size_t size;            /**< set by the macro */
    fa_tensor *out;         /**< where to write, instead of into new memory */
    double margin;          /**< by how much */
    fa_reduction reduction; /**< FA_MEAN, FA_SUM or FA_NONE */
    char fa__end;           /**< the end of what this version knows */
} fa_margin_ranking_loss_options;

/** What -target * (input1 - input2) + margin is above 0.
 *
 *      fa_margin_ranking_loss(input1, input2, target, .margin = 0, .reduction = FA_MEAN, .out = NULL)
 *
 *  @param input1 scores
 *  @param input2 scores, of the same shape
 *  @param target 1: input1 is to be larger, -1: input2 is; of the same shape
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_margin_ranking_loss(const fa_tensor *input1, const fa_tensor *input2, const fa_tensor *target, const fa_margin_ranking_loss_options *options);

/** Options of fa_soft_margin_loss(). */
typedef struct fa_soft_margin_loss_options {
    size_t size;            /**< set by the macro */
    fa_tensor *out;         /**< where to write, instead of into new memory */
    fa_reduction reduction; /**< FA_MEAN, FA_SUM or FA_NONE */
    char fa__end;           /**< the end of what this version knows */
} fa_soft_margin_loss_options;

/** log(1 + exp(-target * input)), without overflow.
 *
 *      fa_soft_margin_loss(input, target, .reduction = FA_MEAN, .out = NULL)
 *
 *  @param input scores
 *  @param target 1 or -1; of the same shape
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_soft_margin_loss(const fa_tensor *input, const fa_tensor *target, const fa_soft_margin_loss_options *options);

/** Options of fa_multi_margin_loss(). */
typedef struct fa_multi_margin_loss_options {
    size_t size;             /**< set by the macro */
    fa_tensor *out;          /**< where to write, instead of into new memory */
    int64_t p;               /**< what is missing counts as it is, 1, or squared, 2 */
    double margin;           /**< by how much the target's score is to be above the others */
    const fa_tensor *weight; /**< (classes): of each class; NULL: all 1 */
    fa_reduction reduction;  /**< FA_MEAN, FA_SUM or FA_NONE */
    char fa__end;            /**< the end of what this version knows */
} fa_multi_margin_loss_options;

/** By how much the scores of other classes come too near to that of the target: max(0, margin - input[target] +
 *  input[i])^p, times the weight of the target's class, summed over the other classes i and divided by the number of
 *  classes. A number, or with FA_NONE one for each sample.
 *
 *      fa_multi_margin_loss(input, target, .p = 1, .margin = 1, .weight = NULL, .reduction = FA_MEAN,
 *          .out = NULL)
 *
 *  @param input (classes) or (n, classes): scores
 *  @param target class numbers: () or (n)
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_multi_margin_loss(const fa_tensor *input, const fa_tensor *target, const fa_multi_margin_loss_options *options);

/** Options of fa_multilabel_margin_loss(). */
typedef struct fa_multilabel_margin_loss_options {
    size_t size;            /**< set by the macro */
    fa_tensor *out;         /**< where to write, instead of into new memory */
    fa_reduction reduction; /**< FA_MEAN, FA_SUM or FA_NONE */
    char fa__end;           /**< the end of what this version knows */
} fa_multilabel_margin_loss_options;

/** The sum of max(0, 1 - input[j] + input[i]) over the classes j that the target names and the classes i that it does
 *  not, divided by the number of classes: for samples of several classes each. A number, or with FA_NONE one for each
 *  sample. Takes memory for a number for each pair of
 *  classes of each sample: n * classes^2.
 *
 *      fa_multilabel_margin_loss(input, target, .reduction = FA_MEAN, .out = NULL)
 *
 *  @param input (classes) or (n, classes): scores
 *  @param target of the same shape: class numbers, up to the first negative one
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_multilabel_margin_loss(const fa_tensor *input, const fa_tensor *target, const fa_multilabel_margin_loss_options *options);

/** Options of fa_multilabel_soft_margin_loss(). */
typedef struct fa_multilabel_soft_margin_loss_options {
    size_t size;             /**< set by the macro */
    fa_tensor *out;          /**< where to write, instead of into new memory */
    const fa_tensor *weight; /**< mostly (classes): broadcasts to that shape; NULL: all 1 */
    fa_reduction reduction;  /**< FA_MEAN, FA_SUM or FA_NONE */
    char fa__end;            /**< the end of what this version knows */
} fa_multilabel_soft_margin_loss_options;

/** binary_cross_entropy_with_logits() of each class, and its mean over the classes, the last dimension. A number, or
 *  with FA_NONE one for each sample.
 *
 *      fa_multilabel_soft_margin_loss(input, target, .weight = NULL, .reduction = FA_MEAN, .out = NULL)
 *
 *  @param input (..., classes): logits
 *  @param target 1: the sample is of the class, 0: it is not; of the same shape
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_multilabel_soft_margin_loss(const fa_tensor *input, const fa_tensor *target, const fa_multilabel_soft_margin_loss_options *options);

/** Options of fa_cosine_embedding_loss(). */
typedef struct fa_cosine_embedding_loss_options {
    size_t size;            /**< set by the macro */
    fa_tensor *out;         /**< where to write, instead of into new memory */
    double margin;          /**< how similar those may be that are not alike */
    fa_reduction reduction; /**< FA_MEAN, FA_SUM or FA_NONE */
    char fa__end;           /**< the end of what this version knows */
} fa_cosine_embedding_loss_options;

/** With the cosine of the angle between input1 and input2: 1 - cosine where the target is 1, what the cosine is above
 *  the margin where it is -1.
 *
 *      fa_cosine_embedding_loss(input1, input2, target, .margin = 0, .reduction = FA_MEAN, .out = NULL)
 *
 *  @param input1 (d) or (n, d)
 *  @param input2 of the same shape
 *  @param target 1: alike, -1: not; () or (n)
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_cosine_embedding_loss(const fa_tensor *input1, const fa_tensor *input2, const fa_tensor *target, const fa_cosine_embedding_loss_options *options);

/** Options of fa_triplet_margin_loss(). */
typedef struct fa_triplet_margin_loss_options {
    size_t size;            /**< set by the macro */
    fa_tensor *out;         /**< where to write, instead of into new memory */
    double margin;          /**< how much farther it is to be */
    double p;               /**< distances are of this norm */
    double eps;             /**< is added to differences */
    bool swap;              /**< the distance from positive to negative counts where it is the smaller one */
    fa_reduction reduction; /**< FA_MEAN, FA_SUM or FA_NONE */
    char fa__end;           /**< the end of what this version knows */
} fa_triplet_margin_loss_options;

/** What the distance from anchor to positive lacks to be smaller by the margin than that from anchor to negative; of
 *  pairwise_distance(). A number, or with FA_NONE (...) of them. The swap is that of Balntas et al. 2016.
 *
 *      fa_triplet_margin_loss(anchor, positive, negative, .margin = 1, .p = 2, .eps = 1e-6, .swap = false,
 *          .reduction = FA_MEAN, .out = NULL)
 *
 *  @param anchor (..., d)
 *  @param positive what is to be near to it; of the same shape
 *  @param negative what is not; of the same shape
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_triplet_margin_loss(const fa_tensor *anchor, const fa_tensor *positive, const fa_tensor *negative, const fa_triplet_margin_loss_options *options);

/** @} */

/** @name Losses of probabilities
 *  binary cross entropy, of logits too, and the divergence of distributions. Input is
 *  floating. Input and target have one shape; only weights are broadcast.
 *  @{ */

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

/** @} */

/** @name Losses of numbers against numbers
 *  differences, and likelihoods. Input is floating, but for mse_loss and l1_loss.
 *  Input and target have one shape: nothing is broadcast.
 *  @{ */

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

/** @} */

/** @} */

/** @cond */
/* How named options, and numbers in the place of tensors, reach the functions above. */
#define FA__DEFAULT_fa_softmax {offsetof(fa_softmax_options, fa__end), NULL, FA_SAME, 0}
#define fa_softmax(...) FA__CALL2(fa_softmax, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_log_softmax {offsetof(fa_log_softmax_options, fa__end), NULL, FA_SAME, 0}
#define fa_log_softmax(...) FA__CALL2(fa_log_softmax, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_softmin {offsetof(fa_softmin_options, fa__end), NULL, FA_SAME, 0}
#define fa_softmin(...) FA__CALL2(fa_softmin, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_cross_entropy {offsetof(fa_cross_entropy_options, fa__end), NULL, NULL, -100, 0.0, FA_MEAN, 0}
#define fa_cross_entropy(...) FA__CALL2(fa_cross_entropy, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_nll_loss {offsetof(fa_nll_loss_options, fa__end), NULL, NULL, -100, FA_MEAN, 0}
#define fa_nll_loss(...) FA__CALL2(fa_nll_loss, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_hinge_embedding_loss {offsetof(fa_hinge_embedding_loss_options, fa__end), NULL, 1, FA_MEAN, 0}
#define fa_hinge_embedding_loss(...) FA__CALL2(fa_hinge_embedding_loss, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_margin_ranking_loss {offsetof(fa_margin_ranking_loss_options, fa__end), NULL, 0, FA_MEAN, 0}
#define fa_margin_ranking_loss(...) FA__CALL3(fa_margin_ranking_loss, FA__SAME, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_soft_margin_loss {offsetof(fa_soft_margin_loss_options, fa__end), NULL, FA_MEAN, 0}
#define fa_soft_margin_loss(...) FA__CALL2(fa_soft_margin_loss, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_multi_margin_loss {offsetof(fa_multi_margin_loss_options, fa__end), NULL, 1, 1, NULL, FA_MEAN, 0}
#define fa_multi_margin_loss(...) FA__CALL2(fa_multi_margin_loss, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_multilabel_margin_loss {offsetof(fa_multilabel_margin_loss_options, fa__end), NULL, FA_MEAN, 0}
#define fa_multilabel_margin_loss(...) FA__CALL2(fa_multilabel_margin_loss, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_multilabel_soft_margin_loss {offsetof(fa_multilabel_soft_margin_loss_options, fa__end), NULL, NULL, FA_MEAN, 0}
#define fa_multilabel_soft_margin_loss(...) FA__CALL2(fa_multilabel_soft_margin_loss, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_cosine_embedding_loss {offsetof(fa_cosine_embedding_loss_options, fa__end), NULL, 0, FA_MEAN, 0}
#define fa_cosine_embedding_loss(...) FA__CALL3(fa_cosine_embedding_loss, FA__SAME, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_triplet_margin_loss {offsetof(fa_triplet_margin_loss_options, fa__end), NULL, 1, 2, 1e-6, false, FA_MEAN, 0}
#define fa_triplet_margin_loss(...) FA__CALL3(fa_triplet_margin_loss, FA__SAME, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_binary_cross_entropy {offsetof(fa_binary_cross_entropy_options, fa__end), NULL, NULL, FA_MEAN, 0}
#define fa_binary_cross_entropy(...) FA__CALL2(fa_binary_cross_entropy, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_binary_cross_entropy_with_logits {offsetof(fa_binary_cross_entropy_with_logits_options, fa__end), NULL, NULL, NULL, FA_MEAN, 0}
#define fa_binary_cross_entropy_with_logits(...) FA__CALL2(fa_binary_cross_entropy_with_logits, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_kl_div {offsetof(fa_kl_div_options, fa__end), NULL, false, FA_MEAN, 0}
#define fa_kl_div(...) FA__CALL2(fa_kl_div, FA__SAME, FA__SAME, __VA_ARGS__)
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
