/** @file
 *  Views: other shapes and strides over the same memory, nothing copied. And what undoes them in backward.
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

/** Undoes a slice: zeros in the shape of another tensor, with gy at every step-th entry from first on.
 *
 *      fa_slice_back(gy, like, dim, first, step)
 *
 *  @param gy the gradient of a slice
 *  @param like the tensor that was sliced
 *  @param dim along which
 *  @param first where entry 0 of gy belongs; not negative
 *  @param step between entries
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_slice_back(const fa_tensor *gy, const fa_tensor *like, int64_t dim, int64_t first, int64_t step);

/** The view of x that another tensor over the same memory is.
 *
 *      fa_as_strided(x, layout, shape, strides, offset)
 *
 *  @param x whose elements lie as `layout` says
 *  @param layout the strides of x
 *  @param shape of the result
 *  @param strides of the result, in elements of x's memory
 *  @param offset of the result's first element behind that of x
 *  @return a view; NULL after an error */
FA_API fa_tensor *fa_as_strided(const fa_tensor *x, fa_shape layout, fa_shape shape, fa_shape strides, int64_t offset);

/** x with the part that a view of it is replaced, or added to.
 *
 *      fa_write_strided(x, value, layout, shape, strides, offset, add)
 *
 *  @param x the tensor as it was
 *  @param value what its part becomes, or what is added to it
 *  @param layout the strides of x
 *  @param shape of the part
 *  @param strides of the part, in elements of x's memory
 *  @param offset of the part's first element behind that of x
 *  @param add add to what is there, where elements of the part coincide too
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_write_strided(const fa_tensor *x, const fa_tensor *value, fa_shape layout, fa_shape shape, fa_shape strides, int64_t offset, bool add);

/** Options of fa_relaid(). */
typedef struct fa_relaid_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_relaid_options;

/** A copy of x whose elements lie in memory by given strides.
 *
 *      fa_relaid(x, layout, .out = NULL)
 *
 *  @param x a tensor
 *  @param layout the strides of the result
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_relaid(const fa_tensor *x, fa_shape layout, const fa_relaid_options *options);

/** @cond */
/* How named options, and numbers in the place of tensors, reach the functions above. */
#define FA__DEFAULT_fa_reshape {offsetof(fa_reshape_options, fa__end), NULL, 0}
#define fa_reshape(...) FA__CALL2(fa_reshape, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_flatten {offsetof(fa_flatten_options, fa__end), NULL, 0, -1, 0}
#define fa_flatten(...) FA__CALL1(fa_flatten, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_flip {offsetof(fa_flip_options, fa__end), FA_ALL, 0}
#define fa_flip(...) FA__CALL1(fa_flip, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_squeeze {offsetof(fa_squeeze_options, fa__end), FA_ALL, 0}
#define fa_squeeze(...) FA__CALL1(fa_squeeze, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_slice {offsetof(fa_slice_options, fa__end), INT64_MIN, INT64_MAX, 1, 0}
#define fa_slice(...) FA__CALL2(fa_slice, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_relaid {offsetof(fa_relaid_options, fa__end), NULL, 0}
#define fa_relaid(...) FA__CALL2(fa_relaid, FA__SAME, FA__SAME, __VA_ARGS__)
/** @endcond */

FA__END
#endif
