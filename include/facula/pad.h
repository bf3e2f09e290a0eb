/** @file
 *  Padding: more entries at both ends of dimensions, of one value or as the tensor's own go on.
 *
 *  Written by facula-rows from src/ops/pad.c: edit there. */
/* clang-format off */
#ifndef FACULA_PAD_H
#define FACULA_PAD_H
#include <facula/types.h>

FA__BEGIN

/** Options of fa_pad(). */
typedef struct fa_pad_options {
    size_t size;      /**< set by the macro */
    fa_tensor *out;   /**< where to write, instead of into new memory */
    const char *mode; /**< "constant"; "reflect": mirrored at the edge, which is not repeated; "replicate": the edge repeated; "circular": from the other end */
    double value;     /**< of new entries in mode "constant" */
    char fa__end;     /**< the end of what this version knows */
} fa_pad_options;

/** x with more entries at the ends of its dimensions.
 *
 *      fa_pad(x, pads, .mode = "constant", .value = 0, .out = NULL)
 *
 *  @param x a tensor
 *  @param pads FA_LIST(1, 2): entries before and behind those of the last dimension; then of the one before it, and so on. Negative ones take away
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_pad(const fa_tensor *x, fa_list pads, const fa_pad_options *options);

/** @cond */
/* How named options, and numbers in the place of tensors, reach the functions above. */
#define FA__DEFAULT_fa_pad {offsetof(fa_pad_options, fa__end), NULL, "constant", 0, 0}
#define fa_pad(...) FA__CALL2(fa_pad, FA__SAME, FA__SAME, __VA_ARGS__)
/** @endcond */

FA__END
#endif
