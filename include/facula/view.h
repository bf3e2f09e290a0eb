/** @file
 *  Views: x in another shape, or with its dimensions in another order, over the same memory.
 *
 *  Written by facula-rows from src/ops/view.c: edit there. */
/* clang-format off */
#ifndef FACULA_VIEW_H
#define FACULA_VIEW_H
#include <facula/types.h>

FA__BEGIN

/** x with two dimensions swapped.
 *
 *      fa_transpose(x, dim0, dim1)
 *
 *  @param x a tensor
 *  @param dim0 these two dimensions change places;
 *  @param dim1 negative ones count from the end
 *  @return a view; NULL after an error */
FA_API fa_tensor *fa_transpose(const fa_tensor *x, int64_t dim0, int64_t dim1);

/** The transpose of a matrix; vectors and numbers stay as they are.
 *
 *      fa_t(x)
 *
 *  @param x of at most two dimensions
 *  @return a view; NULL after an error */
FA_API fa_tensor *fa_t(const fa_tensor *x);

/** x with its dimensions in another order.
 *
 *      fa_permute(x, dims)
 *
 *  @param x a tensor
 *  @param dims FA_SHAPE(2, 0, 1): where each dimension of the result comes from
 *  @return a view; NULL after an error */
FA_API fa_tensor *fa_permute(const fa_tensor *x, fa_shape dims);

/** x in another shape, its elements in the same row-major order. An error where that needs a copy.
 *
 *      fa_view(x, shape)
 *
 *  @param x a tensor
 *  @param shape of the result; one size may be -1, which is found from the others
 *  @return a view; NULL after an error */
FA_API fa_tensor *fa_view(const fa_tensor *x, fa_shape shape);

/** Options of fa_reshape(). */
typedef struct fa_reshape_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_reshape_options;

/** x in another shape, its elements in the same row-major order: a view where the strides allow it, a copy elsewhere.
 *
 *      fa_reshape(x, shape, .out = NULL)
 *
 *  @param x a tensor
 *  @param shape of the result; one size may be -1, which is found from the others
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_reshape(const fa_tensor *x, fa_shape shape, const fa_reshape_options *options);

/** Options of fa_flatten(). */
typedef struct fa_flatten_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    int64_t start;  /**< the first dimension that is joined; negative counts from the end */
    int64_t end;    /**< the last one */
    char fa__end;   /**< the end of what this version knows */
} fa_flatten_options;

/** x with dimensions start to end joined to one.
 *
 *      fa_flatten(x, .start = 0, .end = -1, .out = NULL)
 *
 *  @param x a tensor
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_flatten(const fa_tensor *x, const fa_flatten_options *options);

/** x with dimensions of size 1 repeated, and new ones in front; -1 keeps a size.
 *
 *      fa_expand(x, shape)
 *
 *  @param x a tensor
 *  @param shape of the result; one size may be -1, which is found from the others
 *  @return a view; NULL after an error */
FA_API fa_tensor *fa_expand(const fa_tensor *x, fa_shape shape);

/** x with the shape of another tensor, dimensions of size 1 repeated.
 *
 *      fa_expand_as(x, like)
 *
 *  @param x to be made larger
 *  @param like gives the shape, nothing else
 *  @return a view; NULL after an error */
FA_API fa_tensor *fa_expand_as(const fa_tensor *x, const fa_tensor *like);

/** x with one more dimension, of size 1.
 *
 *      fa_unsqueeze(x, dim)
 *
 *  @param x a tensor
 *  @param dim where the new dimension stands, 0 to rank; negative counts from the end
 *  @return a view; NULL after an error */
FA_API fa_tensor *fa_unsqueeze(const fa_tensor *x, int64_t dim);

/** Options of fa_squeeze(). */
typedef struct fa_squeeze_options {
    size_t size;  /**< set by the macro */
    fa_dims dim;  /**< dimensions that go if their size is 1; by default all such */
    char fa__end; /**< the end of what this version knows */
} fa_squeeze_options;

/** x without dimensions of size 1.
 *
 *      fa_squeeze(x, .dim = FA_ALL)
 *
 *  @param x a tensor
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return a view; NULL after an error */
FA_API fa_tensor *fa_squeeze(const fa_tensor *x, const fa_squeeze_options *options);

/** @cond */
/* How named options, and numbers in the place of tensors, reach the functions above. */
#define FA__DEFAULT_fa_reshape {offsetof(fa_reshape_options, fa__end), NULL, 0}
#define fa_reshape(...) FA__CALL2(fa_reshape, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_flatten {offsetof(fa_flatten_options, fa__end), NULL, 0, -1, 0}
#define fa_flatten(...) FA__CALL1(fa_flatten, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_squeeze {offsetof(fa_squeeze_options, fa__end), FA_ALL, 0}
#define fa_squeeze(...) FA__CALL1(fa_squeeze, FA__SAME, __VA_ARGS__)
/** @endcond */

FA__END
#endif
