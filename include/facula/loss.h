/** @file
 *  Softmax, and losses against classes: class numbers or probabilities.
 *
 *  Written by facula-rows from src/ops/loss.c: edit there. */
/* clang-format off */
#ifndef FACULA_LOSS_H
#define FACULA_LOSS_H
#include <facula/types.h>

FA__BEGIN

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
/** @endcond */

FA__END
#endif
