/** @file
 *  Classes as vectors.
 *
 *  Written by facula-rows from src/ops/one_hot.c: edit there. */
/* clang-format off */
#ifndef FACULA_ONE_HOT_H
#define FACULA_ONE_HOT_H
#include <facula/types.h>

FA__BEGIN

/** Options of fa_one_hot(). */
typedef struct fa_one_hot_options {
    size_t size;         /**< set by the macro */
    fa_tensor *out;      /**< where to write, instead of into new memory */
    int64_t num_classes; /**< how many there are; -1: one more than the largest in x, which is read for that */
    char fa__end;        /**< the end of what this version knows */
} fa_one_hot_options;

/** For each class a vector with 1 in its place and 0 elsewhere, as i64: one more dimension, the last one.
 *
 *      fa_one_hot(x, .num_classes = -1, .out = NULL)
 *
 *  @param x integers, at least 0
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_one_hot(const fa_tensor *x, const fa_one_hot_options *options);

/** @cond */
/* How named options, and numbers in the place of tensors, reach the functions above. */
#define FA__DEFAULT_fa_one_hot {offsetof(fa_one_hot_options, fa__end), NULL, -1, 0}
#define fa_one_hot(...) FA__CALL1(fa_one_hot, FA__SAME, __VA_ARGS__)
/** @endcond */

FA__END
#endif
