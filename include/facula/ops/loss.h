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
 *  @ingroup ops
 *  @{ */

/** @name Softmax, cross entropy and negative log likelihood
 *  The targets of cross entropy are class numbers or class
 *  probabilities.
 *  @{ */

/** Options of fa_softmax(). */
typedef struct fa_softmax_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    fa_dtype dtype; /**< the floating dtype to compute in; FA_SAME means x's dtype */
    char fa__end;   /**< marks the end of this version's options */
} fa_softmax_options;

/** Softmax along a dimension: exp(x) / sum(exp(x)), computed after subtracting the maximum. The result has x's shape. A
 *  row that is -infinity everywhere gives NaN. With .dtype, x is converted while it is read, without a temporary
 *  tensor; PyTorch converts it first, which differs if that dtype is narrower than x's.
 *
 *      fa_softmax(x, dim, .dtype = FA_SAME, .out = NULL)
 *
 *  @param x floating; any dtype if .dtype is given
 *  @param dim the dimension along which the results sum to 1; negative counts from the end
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_softmax(const fa_tensor *x, int64_t dim, const fa_softmax_options *options);

/** Options of fa_log_softmax(). */
typedef struct fa_log_softmax_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    fa_dtype dtype; /**< the floating dtype to compute in; FA_SAME means x's dtype */
    char fa__end;   /**< marks the end of this version's options */
} fa_log_softmax_options;

/** The logarithm of softmax: x - log(sum(exp(x))) along a dimension. It is accurate where softmax itself underflows to
 *  0. The result has x's shape.
 *
 *      fa_log_softmax(x, dim, .dtype = FA_SAME, .out = NULL)
 *
 *  @param x floating; any dtype if .dtype is given
 *  @param dim the dimension along which the results sum to 1; negative counts from the end
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_log_softmax(const fa_tensor *x, int64_t dim, const fa_log_softmax_options *options);

/** Options of fa_softmin(). */
typedef struct fa_softmin_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    fa_dtype dtype; /**< the floating dtype to compute in; FA_SAME means x's dtype */
    char fa__end;   /**< marks the end of this version's options */
} fa_softmin_options;

/** Softmax of -x: smaller elements get larger probabilities. The result has x's shape.
 *
 *      fa_softmin(x, dim, .dtype = FA_SAME, .out = NULL)
 *
 *  @param x floating; any dtype if .dtype is given
 *  @param dim the dimension along which the results sum to 1; negative counts from the end
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_softmin(const fa_tensor *x, int64_t dim, const fa_softmin_options *options);

/** Options of fa_cross_entropy(). */
typedef struct fa_cross_entropy_options {
    size_t size;             /**< set by the macro */
    fa_tensor *out;          /**< the tensor to write the result into; NULL: a new one */
    const fa_tensor *weight; /**< (classes): weight of each class; NULL means 1 */
    int64_t ignore_index;    /**< targets with this class number are ignored */
    double label_smoothing;  /**< part of each target that is spread evenly over all classes, 0 to 1 */
    fa_reduction reduction;  /**< FA_MEAN, FA_SUM or FA_NONE */
    char fa__end;            /**< marks the end of this version's options */
} fa_cross_entropy_options;

/** Cross entropy between logits and class numbers or class probabilities: -log_softmax(input) at the target class, or
 *  its sum weighted by the target probabilities. The mean divides by the sum of the weights of the targets that are not
 *  ignored; if all are ignored it is NaN. The result is 0-dim, or with FA_NONE one loss for each target. Label
 *  smoothing is that of Szegedy et al., arXiv:1512.00567.
 *
 *      fa_cross_entropy(input, target, .weight = NULL, .ignore_index = -100, .label_smoothing = 0.0,
 *          .reduction = FA_MEAN, .out = NULL)
 *
 *  @param input logits: (classes), (n, classes) or (n, classes, ...)
 *  @param target class numbers (), (n) or (n, ...); or class probabilities in input's shape
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_cross_entropy(const fa_tensor *input, const fa_tensor *target, const fa_cross_entropy_options *options);

/** Options of fa_nll_loss(). */
typedef struct fa_nll_loss_options {
    size_t size;             /**< set by the macro */
    fa_tensor *out;          /**< the tensor to write the result into; NULL: a new one */
    const fa_tensor *weight; /**< (classes): weight of each class; NULL means 1 */
    int64_t ignore_index;    /**< targets with this class number are ignored */
    fa_reduction reduction;  /**< FA_MEAN, FA_SUM or FA_NONE */
    char fa__end;            /**< marks the end of this version's options */
} fa_nll_loss_options;

/** Negative log likelihood: -input at the target class, times the weight of the class; input is the result of
 *  fa_log_softmax(). The mean divides by the sum of the weights of the targets that are not ignored; if all are ignored
 *  it is NaN. The result is 0-dim, or with FA_NONE one loss for each target.
 *
 *      fa_nll_loss(input, target, .weight = NULL, .ignore_index = -100, .reduction = FA_MEAN, .out = NULL)
 *
 *  @param input log probabilities: (classes), (n, classes) or (n, classes, ...)
 *  @param target class numbers: (), (n) or (n, ...)
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_nll_loss(const fa_tensor *input, const fa_tensor *target, const fa_nll_loss_options *options);

/** @} */

/** @name Margin losses
 *  Hinge, ranking, multi-class margin, cosine embedding and triplet losses: they are 0 once a score,
 *  similarity or distance is beyond the margin. Input is floating; operands that describe the same samples must have the
 *  same shape, nothing is broadcast. The gradient is 0 where the margin is reached exactly.
 *  @{ */

/** Options of fa_hinge_embedding_loss(). */
typedef struct fa_hinge_embedding_loss_options {
    size_t size;            /**< set by the macro */
    fa_tensor *out;         /**< the tensor to write the result into; NULL: a new one */
    double margin;          /**< the score that dissimilar pairs should reach */
    fa_reduction reduction; /**< FA_MEAN, FA_SUM or FA_NONE */
    char fa__end;           /**< marks the end of this version's options */
} fa_hinge_embedding_loss_options;

/** Hinge embedding loss: input where target is 1, max(0, margin - input) where target is -1.
 *
 *      fa_hinge_embedding_loss(input, target, .margin = 1, .reduction = FA_MEAN, .out = NULL)
 *
 *  @param input scores, for instance distances
 *  @param target 1 for similar, -1 for dissimilar pairs; input's shape
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_hinge_embedding_loss(const fa_tensor *input, const fa_tensor *target, const fa_hinge_embedding_loss_options *options);

/** Options of fa_margin_ranking_loss(). */
typedef struct fa_margin_ranking_loss_options {
    size_t size;            /**< set by the macro */
    fa_tensor *out;         /**< the tensor to write the result into; NULL: a new one */
    double margin;          /**< by how much the higher one should be larger */
    fa_reduction reduction; /**< FA_MEAN, FA_SUM or FA_NONE */
    char fa__end;           /**< marks the end of this version's options */
} fa_margin_ranking_loss_options;

/** Margin ranking loss: max(0, -target * (input1 - input2) + margin).
 *
 *      fa_margin_ranking_loss(input1, input2, target, .margin = 0, .reduction = FA_MEAN, .out = NULL)
 *
 *  @param input1 scores
 *  @param input2 scores, in input1's shape
 *  @param target 1 if input1 should be ranked higher, -1 if input2; input1's shape
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_margin_ranking_loss(const fa_tensor *input1, const fa_tensor *input2, const fa_tensor *target, const fa_margin_ranking_loss_options *options);

/** Options of fa_soft_margin_loss(). */
typedef struct fa_soft_margin_loss_options {
    size_t size;            /**< set by the macro */
    fa_tensor *out;         /**< the tensor to write the result into; NULL: a new one */
    fa_reduction reduction; /**< FA_MEAN, FA_SUM or FA_NONE */
    char fa__end;           /**< marks the end of this version's options */
} fa_soft_margin_loss_options;

/** Soft margin loss (logistic loss): log(1 + exp(-target * input)), computed without overflow.
 *
 *      fa_soft_margin_loss(input, target, .reduction = FA_MEAN, .out = NULL)
 *
 *  @param input scores
 *  @param target 1 or -1; input's shape
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_soft_margin_loss(const fa_tensor *input, const fa_tensor *target, const fa_soft_margin_loss_options *options);

/** Options of fa_multi_margin_loss(). */
typedef struct fa_multi_margin_loss_options {
    size_t size;             /**< set by the macro */
    fa_tensor *out;          /**< the tensor to write the result into; NULL: a new one */
    int64_t p;               /**< exponent of each term, 1 or 2 */
    double margin;           /**< by how much the target's score should exceed the others */
    const fa_tensor *weight; /**< (classes): weight of each class; NULL means 1 */
    fa_reduction reduction;  /**< FA_MEAN, FA_SUM or FA_NONE */
    char fa__end;            /**< marks the end of this version's options */
} fa_multi_margin_loss_options;

/** Multi-class margin loss: for each sample the sum over all classes i except the target class of max(0, margin -
 *  input[target] + input[i])^p, times the weight of the target class, divided by the number of classes. The result is
 *  0-dim, or with FA_NONE one loss for each sample.
 *
 *      fa_multi_margin_loss(input, target, .p = 1, .margin = 1, .weight = NULL, .reduction = FA_MEAN,
 *          .out = NULL)
 *
 *  @param input scores: (classes) or (n, classes)
 *  @param target class numbers: () or (n)
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_multi_margin_loss(const fa_tensor *input, const fa_tensor *target, const fa_multi_margin_loss_options *options);

/** Options of fa_multilabel_margin_loss(). */
typedef struct fa_multilabel_margin_loss_options {
    size_t size;            /**< set by the macro */
    fa_tensor *out;         /**< the tensor to write the result into; NULL: a new one */
    fa_reduction reduction; /**< FA_MEAN, FA_SUM or FA_NONE */
    char fa__end;           /**< marks the end of this version's options */
} fa_multilabel_margin_loss_options;

/** Multi-label margin loss, for samples with several classes each: the sum of max(0, 1 - input[j] + input[i]) over all
 *  target classes j and all other classes i, divided by the number of classes. The result is 0-dim, or with FA_NONE one
 *  loss for each sample. Needs temporary memory for n * classes^2 numbers.
 *
 *      fa_multilabel_margin_loss(input, target, .reduction = FA_MEAN, .out = NULL)
 *
 *  @param input scores: (classes) or (n, classes)
 *  @param target class numbers, ended by the first negative one; input's shape
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_multilabel_margin_loss(const fa_tensor *input, const fa_tensor *target, const fa_multilabel_margin_loss_options *options);

/** Options of fa_multilabel_soft_margin_loss(). */
typedef struct fa_multilabel_soft_margin_loss_options {
    size_t size;             /**< set by the macro */
    fa_tensor *out;          /**< the tensor to write the result into; NULL: a new one */
    const fa_tensor *weight; /**< usually (classes): broadcasts to input's shape; NULL means 1 */
    fa_reduction reduction;  /**< FA_MEAN, FA_SUM or FA_NONE */
    char fa__end;            /**< marks the end of this version's options */
} fa_multilabel_soft_margin_loss_options;

/** Multi-label soft margin loss: the mean of fa_binary_cross_entropy_with_logits() over the classes, the last
 *  dimension. The result is 0-dim, or with FA_NONE one loss for each sample.
 *
 *      fa_multilabel_soft_margin_loss(input, target, .weight = NULL, .reduction = FA_MEAN, .out = NULL)
 *
 *  @param input logits: (..., classes)
 *  @param target 1 if the sample has the class, 0 if not; input's shape
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_multilabel_soft_margin_loss(const fa_tensor *input, const fa_tensor *target, const fa_multilabel_soft_margin_loss_options *options);

/** Options of fa_cosine_embedding_loss(). */
typedef struct fa_cosine_embedding_loss_options {
    size_t size;            /**< set by the macro */
    fa_tensor *out;         /**< the tensor to write the result into; NULL: a new one */
    double margin;          /**< the largest cosine that dissimilar pairs should have */
    fa_reduction reduction; /**< FA_MEAN, FA_SUM or FA_NONE */
    char fa__end;           /**< marks the end of this version's options */
} fa_cosine_embedding_loss_options;

/** Cosine embedding loss: 1 - cos(input1, input2) where target is 1, max(0, cos(input1, input2) - margin) where it is
 *  -1.
 *
 *      fa_cosine_embedding_loss(input1, input2, target, .margin = 0, .reduction = FA_MEAN, .out = NULL)
 *
 *  @param input1 (d) or (n, d)
 *  @param input2 input1's shape
 *  @param target 1 for similar, -1 for dissimilar pairs; () or (n)
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_cosine_embedding_loss(const fa_tensor *input1, const fa_tensor *input2, const fa_tensor *target, const fa_cosine_embedding_loss_options *options);

/** Options of fa_triplet_margin_loss(). */
typedef struct fa_triplet_margin_loss_options {
    size_t size;            /**< set by the macro */
    fa_tensor *out;         /**< the tensor to write the result into; NULL: a new one */
    double margin;          /**< by how much the negative should be farther than the positive */
    double p;               /**< the p of the distance's p-norm */
    double eps;             /**< added to each difference, see fa_pairwise_distance() */
    bool swap;              /**< true: use d(positive, negative) if it is the smaller distance */
    fa_reduction reduction; /**< FA_MEAN, FA_SUM or FA_NONE */
    char fa__end;           /**< marks the end of this version's options */
} fa_triplet_margin_loss_options;

/** Triplet margin loss: max(0, d(anchor, positive) - d(anchor, negative) + margin), with d = fa_pairwise_distance().
 *  The result is 0-dim, or with FA_NONE a loss for each triplet. `swap` is the distance swap of Balntas et al. 2016.
 *
 *      fa_triplet_margin_loss(anchor, positive, negative, .margin = 1, .p = 2, .eps = 1e-6, .swap = false,
 *          .reduction = FA_MEAN, .out = NULL)
 *
 *  @param anchor (..., d)
 *  @param positive samples that should be near to anchor; anchor's shape
 *  @param negative samples that should be far from anchor; anchor's shape
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_triplet_margin_loss(const fa_tensor *anchor, const fa_tensor *positive, const fa_tensor *negative, const fa_triplet_margin_loss_options *options);

/** @} */

/** @name Binary cross entropy and Kullback-Leibler divergence
 *  Input is floating; input and target have the same shape; only
 *  weights broadcast.
 *  @{ */

/** Options of fa_binary_cross_entropy(). */
typedef struct fa_binary_cross_entropy_options {
    size_t size;             /**< set by the macro */
    fa_tensor *out;          /**< the tensor to write the result into; NULL: a new one */
    const fa_tensor *weight; /**< weight of each element: broadcasts to input's shape; NULL means 1 */
    fa_reduction reduction;  /**< FA_MEAN, FA_SUM or FA_NONE */
    char fa__end;            /**< marks the end of this version's options */
} fa_binary_cross_entropy_options;

/** Binary cross entropy of probabilities: -target * log(input) - (1 - target) * log(1 - input). Logarithms are at least
 *  -100, so the loss is finite. An input outside 0 to 1 is an error on the CPU, and gives NaN on other devices and in a
 *  graph. An error under autocast, except on the CPU: fa_binary_cross_entropy_with_logits() is safe there.
 *
 *      fa_binary_cross_entropy(input, target, .weight = NULL, .reduction = FA_MEAN, .out = NULL)
 *
 *  @param input probabilities, 0 to 1
 *  @param target probabilities, usually 0 or 1; input's shape
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_binary_cross_entropy(const fa_tensor *input, const fa_tensor *target, const fa_binary_cross_entropy_options *options);

/** Options of fa_binary_cross_entropy_with_logits(). */
typedef struct fa_binary_cross_entropy_with_logits_options {
    size_t size;                 /**< set by the macro */
    fa_tensor *out;              /**< the tensor to write the result into; NULL: a new one */
    const fa_tensor *weight;     /**< weight of each element: broadcasts to input's shape; NULL means 1 */
    const fa_tensor *pos_weight; /**< weight of positive targets, usually (classes); broadcasts likewise */
    fa_reduction reduction;      /**< FA_MEAN, FA_SUM or FA_NONE */
    char fa__end;                /**< marks the end of this version's options */
} fa_binary_cross_entropy_with_logits_options;

/** Binary cross entropy of logits: fa_binary_cross_entropy() of sigmoid(input), accurate for logits of any size: (1 -
 *  target) * input + softplus(-input). pos_weight multiplies the loss of positive targets.
 *
 *      fa_binary_cross_entropy_with_logits(input, target, .weight = NULL, .pos_weight = NULL,
 *          .reduction = FA_MEAN, .out = NULL)
 *
 *  @param input logits
 *  @param target probabilities, usually 0 or 1; input's shape
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_binary_cross_entropy_with_logits(const fa_tensor *input, const fa_tensor *target, const fa_binary_cross_entropy_with_logits_options *options);

/** Options of fa_kl_div(). */
typedef struct fa_kl_div_options {
    size_t size;            /**< set by the macro */
    fa_tensor *out;         /**< the tensor to write the result into; NULL: a new one */
    bool log_target;        /**< true: target holds log probabilities */
    fa_reduction reduction; /**< FA_MEAN, FA_SUM, FA_NONE or FA_BATCHMEAN */
    char fa__end;           /**< marks the end of this version's options */
} fa_kl_div_options;

/** Kullback-Leibler divergence, elementwise: target * (log(target) - input). FA_BATCHMEAN, the sum divided by the size
 *  of dimension 0, is the mathematical divergence of a batch of distributions; FA_MEAN divides by the number of
 *  elements and is not.
 *
 *      fa_kl_div(input, target, .log_target = false, .reduction = FA_MEAN, .out = NULL)
 *
 *  @param input log probabilities
 *  @param target probabilities, or log probabilities with .log_target; input's shape
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_kl_div(const fa_tensor *input, const fa_tensor *target, const fa_kl_div_options *options);

/** @} */

/** @name Regression losses
 *  Mean squared error, L1, smooth L1, Huber, Poisson and Gaussian likelihoods. Input is floating,
 *  except for mse_loss and l1_loss. Input and target have the same shape: nothing is broadcast.
 *  @{ */

/** Options of fa_mse_loss(). */
typedef struct fa_mse_loss_options {
    size_t size;             /**< set by the macro */
    fa_tensor *out;          /**< the tensor to write the result into; NULL: a new one */
    fa_reduction reduction;  /**< FA_MEAN, FA_SUM or FA_NONE */
    const fa_tensor *weight; /**< weight of each element, in input's shape; NULL means 1 */
    char fa__end;            /**< marks the end of this version's options */
} fa_mse_loss_options;

/** Mean squared error: (input - target)^2, reduced to its mean or sum, or with FA_NONE in input's shape. With weights,
 *  the mean is the weighted sum divided by the sum of the weights.
 *
 *      fa_mse_loss(input, target, .reduction = FA_MEAN, .weight = NULL, .out = NULL)
 *
 *  @param input a tensor
 *  @param target input's shape
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_mse_loss(const fa_tensor *input, const fa_tensor *target, const fa_mse_loss_options *options);

/** Options of fa_l1_loss(). */
typedef struct fa_l1_loss_options {
    size_t size;             /**< set by the macro */
    fa_tensor *out;          /**< the tensor to write the result into; NULL: a new one */
    fa_reduction reduction;  /**< FA_MEAN, FA_SUM or FA_NONE */
    const fa_tensor *weight; /**< weight of each element, in input's shape; NULL means 1 */
    char fa__end;            /**< marks the end of this version's options */
} fa_l1_loss_options;

/** L1 loss (mean absolute error): |input - target|, reduced to its mean or sum, or with FA_NONE in input's shape. The
 *  gradient is 0 where the two are equal. With weights, the mean is the weighted sum divided by the sum of the
 *  weights.
 *
 *      fa_l1_loss(input, target, .reduction = FA_MEAN, .weight = NULL, .out = NULL)
 *
 *  @param input a tensor
 *  @param target input's shape
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_l1_loss(const fa_tensor *input, const fa_tensor *target, const fa_l1_loss_options *options);

/** Options of fa_smooth_l1_loss(). */
typedef struct fa_smooth_l1_loss_options {
    size_t size;            /**< set by the macro */
    fa_tensor *out;         /**< the tensor to write the result into; NULL: a new one */
    double beta;            /**< distance at which the loss becomes linear; 0: linear everywhere, as l1_loss */
    fa_reduction reduction; /**< FA_MEAN, FA_SUM or FA_NONE */
    char fa__end;           /**< marks the end of this version's options */
} fa_smooth_l1_loss_options;

/** Smooth L1 loss: with d = input - target, d^2 / (2 beta) where |d| < beta, and |d| - beta / 2 elsewhere.
 *
 *      fa_smooth_l1_loss(input, target, .beta = 1, .reduction = FA_MEAN, .out = NULL)
 *
 *  @param input a tensor
 *  @param target input's shape
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_smooth_l1_loss(const fa_tensor *input, const fa_tensor *target, const fa_smooth_l1_loss_options *options);

/** Options of fa_huber_loss(). */
typedef struct fa_huber_loss_options {
    size_t size;             /**< set by the macro */
    fa_tensor *out;          /**< the tensor to write the result into; NULL: a new one */
    double delta;            /**< distance at which the loss becomes linear */
    fa_reduction reduction;  /**< FA_MEAN, FA_SUM or FA_NONE */
    const fa_tensor *weight; /**< weight of each element, in input's shape; NULL means 1 */
    char fa__end;            /**< marks the end of this version's options */
} fa_huber_loss_options;

/** Huber loss: with d = input - target, d^2 / 2 where |d| < delta, and delta * (|d| - delta / 2) elsewhere. With
 *  weights the mean still divides by the number of elements, as in PyTorch.
 *
 *      fa_huber_loss(input, target, .delta = 1, .reduction = FA_MEAN, .weight = NULL, .out = NULL)
 *
 *  @param input a tensor
 *  @param target input's shape
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_huber_loss(const fa_tensor *input, const fa_tensor *target, const fa_huber_loss_options *options);

/** Options of fa_poisson_nll_loss(). */
typedef struct fa_poisson_nll_loss_options {
    size_t size;            /**< set by the macro */
    fa_tensor *out;         /**< the tensor to write the result into; NULL: a new one */
    bool log_input;         /**< true: input is the logarithm of the expected count */
    bool full;              /**< true: add Stirling's approximation of log(target!) where target > 1 */
    double eps;             /**< added to input before its logarithm, if log_input is false */
    fa_reduction reduction; /**< FA_MEAN, FA_SUM or FA_NONE */
    char fa__end;           /**< marks the end of this version's options */
} fa_poisson_nll_loss_options;

/** Negative log likelihood of a Poisson distribution: exp(input) - target * input if log_input, else input - target *
 *  log(input + eps). The constant log(target!) is left out unless .full is true.
 *
 *      fa_poisson_nll_loss(input, target, .log_input = true, .full = false, .eps = 1e-8, .reduction = FA_MEAN,
 *          .out = NULL)
 *
 *  @param input the expected count, or its logarithm
 *  @param target the observed count; input's shape
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_poisson_nll_loss(const fa_tensor *input, const fa_tensor *target, const fa_poisson_nll_loss_options *options);

/** Options of fa_gaussian_nll_loss(). */
typedef struct fa_gaussian_nll_loss_options {
    size_t size;            /**< set by the macro */
    fa_tensor *out;         /**< the tensor to write the result into; NULL: a new one */
    bool full;              /**< true: add the constant log(2 pi) / 2 */
    double eps;             /**< lower bound of var */
    fa_reduction reduction; /**< FA_MEAN, FA_SUM or FA_NONE */
    char fa__end;           /**< marks the end of this version's options */
} fa_gaussian_nll_loss_options;

/** Negative log likelihood of a normal distribution: (log(var) + (input - target)^2 / var) / 2. Variances below eps
 *  count as eps, and get the gradient at eps. A negative variance given as a number is an error; the elements of a
 *  tensor are not checked.
 *
 *      fa_gaussian_nll_loss(input, target, var, .full = false, .eps = 1e-6, .reduction = FA_MEAN, .out = NULL)
 *
 *  @param input the expected value
 *  @param target input's shape
 *  @param var the variance: a number, or a tensor in input's shape, with the last dimension missing or of size 1
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_gaussian_nll_loss(const fa_tensor *input, const fa_tensor *target, fa_arg var, const fa_gaussian_nll_loss_options *options);

/** @} */

/** @} */

/** @cond */
/* Macros through which the functions above take named options, and numbers instead of tensors. */
#define FA__DEFAULT_fa_softmax {offsetof(fa_softmax_options, fa__end), NULL, FA_SAME, 0}
#define fa_softmax(...) FA__CALL2(fa_softmax, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__DIMENSION, __VA_ARGS__)
#define FA__DEFAULT_fa_log_softmax {offsetof(fa_log_softmax_options, fa__end), NULL, FA_SAME, 0}
#define fa_log_softmax(...) FA__CALL2(fa_log_softmax, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__DIMENSION, __VA_ARGS__)
#define FA__DEFAULT_fa_softmin {offsetof(fa_softmin_options, fa__end), NULL, FA_SAME, 0}
#define fa_softmin(...) FA__CALL2(fa_softmin, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__DIMENSION, __VA_ARGS__)
#define FA__DEFAULT_fa_cross_entropy {offsetof(fa_cross_entropy_options, fa__end), NULL, NULL, -100, 0.0, FA_MEAN, 0}
#define fa_cross_entropy(...) FA__CALL2(fa_cross_entropy, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_nll_loss {offsetof(fa_nll_loss_options, fa__end), NULL, NULL, -100, FA_MEAN, 0}
#define fa_nll_loss(...) FA__CALL2(fa_nll_loss, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_hinge_embedding_loss {offsetof(fa_hinge_embedding_loss_options, fa__end), NULL, 1, FA_MEAN, 0}
#define fa_hinge_embedding_loss(...) FA__CALL2(fa_hinge_embedding_loss, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_margin_ranking_loss {offsetof(fa_margin_ranking_loss_options, fa__end), NULL, 0, FA_MEAN, 0}
#define fa_margin_ranking_loss(...) FA__CALL3(fa_margin_ranking_loss, FA__NAMED3(, ##__VA_ARGS__, ., ., ., .), FA__SAME, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_soft_margin_loss {offsetof(fa_soft_margin_loss_options, fa__end), NULL, FA_MEAN, 0}
#define fa_soft_margin_loss(...) FA__CALL2(fa_soft_margin_loss, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_multi_margin_loss {offsetof(fa_multi_margin_loss_options, fa__end), NULL, 1, 1, NULL, FA_MEAN, 0}
#define fa_multi_margin_loss(...) FA__CALL2(fa_multi_margin_loss, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_multilabel_margin_loss {offsetof(fa_multilabel_margin_loss_options, fa__end), NULL, FA_MEAN, 0}
#define fa_multilabel_margin_loss(...) FA__CALL2(fa_multilabel_margin_loss, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_multilabel_soft_margin_loss {offsetof(fa_multilabel_soft_margin_loss_options, fa__end), NULL, NULL, FA_MEAN, 0}
#define fa_multilabel_soft_margin_loss(...) FA__CALL2(fa_multilabel_soft_margin_loss, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_cosine_embedding_loss {offsetof(fa_cosine_embedding_loss_options, fa__end), NULL, 0, FA_MEAN, 0}
#define fa_cosine_embedding_loss(...) FA__CALL3(fa_cosine_embedding_loss, FA__NAMED3(, ##__VA_ARGS__, ., ., ., .), FA__SAME, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_triplet_margin_loss {offsetof(fa_triplet_margin_loss_options, fa__end), NULL, 1, 2, 1e-6, false, FA_MEAN, 0}
#define fa_triplet_margin_loss(...) FA__CALL3(fa_triplet_margin_loss, FA__NAMED3(, ##__VA_ARGS__, ., ., ., .), FA__SAME, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_binary_cross_entropy {offsetof(fa_binary_cross_entropy_options, fa__end), NULL, NULL, FA_MEAN, 0}
#define fa_binary_cross_entropy(...) FA__CALL2(fa_binary_cross_entropy, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_binary_cross_entropy_with_logits {offsetof(fa_binary_cross_entropy_with_logits_options, fa__end), NULL, NULL, NULL, FA_MEAN, 0}
#define fa_binary_cross_entropy_with_logits(...) FA__CALL2(fa_binary_cross_entropy_with_logits, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_kl_div {offsetof(fa_kl_div_options, fa__end), NULL, false, FA_MEAN, 0}
#define fa_kl_div(...) FA__CALL2(fa_kl_div, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_mse_loss {offsetof(fa_mse_loss_options, fa__end), NULL, FA_MEAN, NULL, 0}
#define fa_mse_loss(...) FA__CALL2(fa_mse_loss, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_l1_loss {offsetof(fa_l1_loss_options, fa__end), NULL, FA_MEAN, NULL, 0}
#define fa_l1_loss(...) FA__CALL2(fa_l1_loss, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_smooth_l1_loss {offsetof(fa_smooth_l1_loss_options, fa__end), NULL, 1, FA_MEAN, 0}
#define fa_smooth_l1_loss(...) FA__CALL2(fa_smooth_l1_loss, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_huber_loss {offsetof(fa_huber_loss_options, fa__end), NULL, 1, FA_MEAN, NULL, 0}
#define fa_huber_loss(...) FA__CALL2(fa_huber_loss, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_poisson_nll_loss {offsetof(fa_poisson_nll_loss_options, fa__end), NULL, true, false, 1e-8, FA_MEAN, 0}
#define fa_poisson_nll_loss(...) FA__CALL2(fa_poisson_nll_loss, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_gaussian_nll_loss {offsetof(fa_gaussian_nll_loss_options, fa__end), NULL, false, 1e-6, FA_MEAN, 0}
#define fa_gaussian_nll_loss(...) FA__CALL3(fa_gaussian_nll_loss, FA__NAMED3(, ##__VA_ARGS__, ., ., ., .), FA__SAME, FA__SAME, FA__ARG, __VA_ARGS__)
/** @endcond */

FA__END
#endif
