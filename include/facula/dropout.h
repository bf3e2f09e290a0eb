/** @file
 *  Dropout of channels, and dropout that keeps mean and variance. That of elements is in pointwise.h.
 *
 *  Written by facula-rows from src/ops/dropout.c: edit there. */
/* clang-format off */
#ifndef FACULA_DROPOUT_H
#define FACULA_DROPOUT_H
#include <facula/types.h>

FA__BEGIN

/** Options of fa_alpha_dropout(). */
typedef struct fa_alpha_dropout_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    double p;       /**< see fa_alpha_dropout() */
    bool training;  /**< see fa_alpha_dropout() */
    char fa__end;   /**< the end of what this version knows */
} fa_alpha_dropout_options;

/** Dropout for selu(): sets each element to -1.7580993408473766, what selu gives for -infinity, with probability p, and
 *  scales and shifts all so that numbers of mean 0 and variance 1 keep both (arXiv:1706.02515); x itself when not
 *  training.
 *
 *      fa_alpha_dropout(x, .p = 0.5, .training = true, .out = NULL)
 *
 *  @param x a tensor
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_alpha_dropout(const fa_tensor *x, const fa_alpha_dropout_options *options);

/** fa_alpha_dropout() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_alpha_dropout_(fa_tensor *x, const fa_alpha_dropout_options *options);

/** Options of fa_feature_dropout(). */
typedef struct fa_feature_dropout_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    double p;       /**< how likely a channel is dropped: 0 to 1 */
    bool training;  /**< else the result is a copy of x */
    char fa__end;   /**< the end of what this version knows */
} fa_feature_dropout_options;

/** dropout() of whole channels: dimension 1 of each sample. What stays is divided by 1 - p. PyTorch's dropout1d,
 *  dropout2d and dropout3d, of x without a batch: fa_unsqueeze(x, 0) gives it one.
 *
 *      fa_feature_dropout(x, .p = 0.5, .training = true, .out = NULL)
 *
 *  @param x (n, c, ...), floating
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_feature_dropout(const fa_tensor *x, const fa_feature_dropout_options *options);

/** @cond */
/* How named options, and numbers in the place of tensors, reach the functions above. */
#define FA__DEFAULT_fa_alpha_dropout {offsetof(fa_alpha_dropout_options, fa__end), NULL, 0.5, true, 0}
#define fa_alpha_dropout(...) FA__CALL1(fa_alpha_dropout, FA__SAME, __VA_ARGS__)
typedef fa_alpha_dropout_options fa_alpha_dropout__options;
#define FA__DEFAULT_fa_alpha_dropout_ FA__DEFAULT_fa_alpha_dropout
#define fa_alpha_dropout_(...) FA__CALL1(fa_alpha_dropout_, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_feature_dropout {offsetof(fa_feature_dropout_options, fa__end), NULL, 0.5, true, 0}
#define fa_feature_dropout(...) FA__CALL1(fa_feature_dropout, FA__SAME, __VA_ARGS__)
/** @endcond */

FA__END
#endif
