/** @file
 *  Draws of classes that gradients flow through.
 *
 *  Written by facula-rows from src/ops/gumbel.c: edit there. */
/* clang-format off */
#ifndef FACULA_GUMBEL_H
#define FACULA_GUMBEL_H
#include <facula/types.h>

FA__BEGIN

/** Options of fa_gumbel_softmax(). */
typedef struct fa_gumbel_softmax_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    double tau;     /**< the temperature, above 0: the lower it is, the nearer is one element to 1 */
    bool hard;      /**< 1 for the largest element and 0 for the others */
    int64_t dim;    /**< along which the results add up to 1; negative counts from the end */
    char fa__end;   /**< the end of what this version knows */
} fa_gumbel_softmax_options;

/** softmax() of the logits and of Gumbel numbers added to them, over the temperature: a draw of a class that gradients
 *  flow through (arXiv:1611.01144). Class i has the largest element as often as softmax() of x says. With `hard` the
 *  draw is exactly 0 and 1, with the gradient of the soft one; PyTorch's 1 may be rounded.
 *
 *      fa_gumbel_softmax(x, .tau = 1, .hard = false, .dim = -1, .out = NULL)
 *
 *  @param x floating: logits
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_gumbel_softmax(const fa_tensor *x, const fa_gumbel_softmax_options *options);

/** @cond */
/* How named options, and numbers in the place of tensors, reach the functions above. */
#define FA__DEFAULT_fa_gumbel_softmax {offsetof(fa_gumbel_softmax_options, fa__end), NULL, 1, false, -1, 0}
#define fa_gumbel_softmax(...) FA__CALL1(fa_gumbel_softmax, FA__SAME, __VA_ARGS__)
/** @endcond */

FA__END
#endif
