/** @file
 *  Parts of a tensor: some entries of a dimension, or all in the opposite order. Views, nothing is copied.
 *
 *  Written by facula-rows from src/ops/slice.c: edit there. */
/* clang-format off */
#ifndef FACULA_SLICE_H
#define FACULA_SLICE_H
#include <facula/types.h>

FA__BEGIN

/** Options of fa_flip(). */
typedef struct fa_flip_options {
    size_t size;  /**< set by the macro */
    fa_dims dim;  /**< one dimension, FA_DIMS(0, 2), or all of them */
    char fa__end; /**< the end of what this version knows */
} fa_flip_options;

/** x in the opposite order along dimensions: a view, with negative strides.
 *
 *      fa_flip(x, .dim = FA_ALL)
 *
 *  @param x a tensor
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return a view; NULL after an error */
FA_API fa_tensor *fa_flip(const fa_tensor *x, const fa_flip_options *options);

/** One entry of a dimension, which goes.
 *
 *      fa_select(x, dim, index)
 *
 *  @param x a tensor
 *  @param dim the dimension that goes; negative counts from the end
 *  @param index which of its entries stays; negative counts from the end
 *  @return a view; NULL after an error */
FA_API fa_tensor *fa_select(const fa_tensor *x, int64_t dim, int64_t index);

/** Some neighbouring entries of a dimension.
 *
 *      fa_narrow(x, dim, start, length)
 *
 *  @param x a tensor
 *  @param dim negative counts from the end
 *  @param start the first entry that stays; negative counts from the end
 *  @param length how many stay
 *  @return a view; NULL after an error */
FA_API fa_tensor *fa_narrow(const fa_tensor *x, int64_t dim, int64_t start, int64_t length);

/** Options of fa_slice(). */
typedef struct fa_slice_options {
    size_t size;   /**< set by the macro */
    int64_t start; /**< the first entry, as in NumPy; INT64_MIN: from the end that step comes from */
    int64_t end;   /**< where it stops, as in NumPy; INT64_MAX: at the other end */
    int64_t step;  /**< between entries; may be negative, not 0 */
    char fa__end;  /**< the end of what this version knows */
} fa_slice_options;

/** Every step-th entry of a dimension from start to before end, as NumPy's x[start:end:step]; negative steps are views
 *  too.
 *
 *      fa_slice(x, dim, .start = INT64_MIN, .end = INT64_MAX, .step = 1)
 *
 *  @param x a tensor
 *  @param dim negative counts from the end
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return a view; NULL after an error */
FA_API fa_tensor *fa_slice(const fa_tensor *x, int64_t dim, const fa_slice_options *options);

/** @cond */
/* How named options, and numbers in the place of tensors, reach the functions above. */
#define FA__DEFAULT_fa_flip {offsetof(fa_flip_options, fa__end), FA_ALL, 0}
#define fa_flip(...) FA__CALL1(fa_flip, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_slice {offsetof(fa_slice_options, fa__end), INT64_MIN, INT64_MAX, 1, 0}
#define fa_slice(...) FA__CALL2(fa_slice, FA__SAME, FA__SAME, __VA_ARGS__)
/** @endcond */

FA__END
#endif
