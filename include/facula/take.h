/** @file
 *  Taking and putting by flat indices, and along a dimension with broadcasting.
 *
 *  Written by facula-rows from src/ops/take.c: edit there. */
/* clang-format off */
#ifndef FACULA_TAKE_H
#define FACULA_TAKE_H
#include <facula/types.h>

FA__BEGIN

/** Options of fa_take(). */
typedef struct fa_take_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_take_options;

/** The elements of x, as if it had one dimension, that index names: in the shape of index. Out of range is an error
 *  with the index, on every device.
 *
 *      fa_take(x, index, .out = NULL)
 *
 *  @param x a tensor
 *  @param index integers: places among the elements of x in row-major order; negative from the end
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_take(const fa_tensor *x, const fa_tensor *index, const fa_take_options *options);

/** Options of fa_put(). */
typedef struct fa_put_options {
    size_t size;     /**< set by the macro */
    fa_tensor *out;  /**< where to write, instead of into new memory */
    bool accumulate; /**< adds to what is there */
    char fa__end;    /**< the end of what this version knows */
} fa_put_options;

/** x with the elements of source at the places that index names, as if x had one dimension. The last of several at one
 *  place stays, or all are added, in their order: the same bits on every device.
 *
 *      fa_put(x, index, source, .accumulate = false, .out = NULL)
 *
 *  @param x what is written to
 *  @param index integers, as fa_take() has them
 *  @param source as many elements as index, of x's dtype
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_put(const fa_tensor *x, const fa_tensor *index, const fa_tensor *source, const fa_put_options *options);

/** fa_put() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_put_(fa_tensor *x, const fa_tensor *index, const fa_tensor *source, const fa_put_options *options);

/** Options of fa_take_along_dim(). */
typedef struct fa_take_along_dim_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    int64_t dim;    /**< along which, negative from the end; by default x and index are vectors */
    char fa__end;   /**< the end of what this version knows */
} fa_take_along_dim_options;

/** As fa_gather(), but x and index broadcast in the other dimensions: what fa_argmax() and fa_argsort() gave takes the
 *  elements that it stands for. Negative indices count from the end; out of range is an error, where PyTorch takes the
 *  remainder along a dimension.
 *
 *      fa_take_along_dim(x, index, .dim = INT64_MIN, .out = NULL)
 *
 *  @param x a tensor
 *  @param index integers, negative from the end; it broadcasts with x but along dim
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_take_along_dim(const fa_tensor *x, const fa_tensor *index, const fa_take_along_dim_options *options);

/** @cond */
/* How named options, and numbers in the place of tensors, reach the functions above. */
#define FA__DEFAULT_fa_take {offsetof(fa_take_options, fa__end), NULL, 0}
#define fa_take(...) FA__CALL2(fa_take, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_put {offsetof(fa_put_options, fa__end), NULL, false, 0}
#define fa_put(...) FA__CALL3(fa_put, FA__SAME, FA__SAME, FA__SAME, __VA_ARGS__)
typedef fa_put_options fa_put__options;
#define FA__DEFAULT_fa_put_ FA__DEFAULT_fa_put
#define fa_put_(...) FA__CALL3(fa_put_, FA__SAME, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_take_along_dim {offsetof(fa_take_along_dim_options, fa__end), NULL, INT64_MIN, 0}
#define fa_take_along_dim(...) FA__CALL2(fa_take_along_dim, FA__SAME, FA__SAME, __VA_ARGS__)
/** @endcond */

FA__END
#endif
