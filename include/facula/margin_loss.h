/** @file
 *  Losses that are content with a margin: of scores, of similarities, of distances. Input is floating. Operands that
 *  stand for the same samples have one shape: nothing is broadcast. Where a margin is just reached the gradient is 0.
 *
 *  Written by facula-rows from src/ops/margin_loss.c: edit there. */
/* clang-format off */
#ifndef FACULA_MARGIN_LOSS_H
#define FACULA_MARGIN_LOSS_H
#include <facula/types.h>

FA__BEGIN

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

/** @cond */
/* How named options, and numbers in the place of tensors, reach the functions above. */
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
/** @endcond */

FA__END
#endif
