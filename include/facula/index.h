/** @file
 *  Selecting and adding by tensors of integers, and joining. Out of range is an error with the index, on every device.
 *
 *  Written by facula-rows from src/ops/index.c: edit there. */
/* clang-format off */
#ifndef FACULA_INDEX_H
#define FACULA_INDEX_H
#include <facula/types.h>

FA__BEGIN

/** Options of fa_index_select(). */
typedef struct fa_index_select_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_index_select_options;

/** The slices of x along dim that index names, in that order: x's shape with k for the size of dim, or 1 when
 *  index is ().
 *
 *      fa_index_select(x, dim, index, .out = NULL)
 *
 *  @param x a tensor
 *  @param dim the dimension to index; negative counts from the end
 *  @param index (k) or (), integers; each at least 0 and below the size of dim
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_index_select(const fa_tensor *x, int64_t dim, const fa_tensor *index, const fa_index_select_options *options);

/** Options of fa_gather(). */
typedef struct fa_gather_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_gather_options;

/** For each element of index, the element of x that stands at the same place but for dim, where index says. The
 *  result has the shape of index. What is 0-dim is as if it had one dimension of one element, here and in the
 *  scatters.
 *
 *      fa_gather(x, dim, index, .out = NULL)
 *
 *  @param x a tensor
 *  @param dim the dimension that index picks from; negative counts from the end
 *  @param index integers, of as many dimensions as x and nowhere longer, but along dim
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_gather(const fa_tensor *x, int64_t dim, const fa_tensor *index, const fa_gather_options *options);

/** Options of fa_scatter_add(). */
typedef struct fa_scatter_add_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_scatter_add_options;

/** x with each element of src added at the place of its index: along dim where index says, elsewhere where it stands.
 *  Added in row-major order of index, so the bits are the same on every device; halves in f32, rounded once.
 *
 *      fa_scatter_add(x, dim, index, src, .out = NULL)
 *
 *  @param x what is added to
 *  @param dim the dimension that index picks from; negative counts from the end
 *  @param index integers, of as many dimensions as x and nowhere longer, but along dim
 *  @param src what is added: nowhere shorter than index, of x's dtype
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_scatter_add(const fa_tensor *x, int64_t dim, const fa_tensor *index, const fa_tensor *src, const fa_scatter_add_options *options);

/** fa_scatter_add() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_scatter_add_(fa_tensor *x, int64_t dim, const fa_tensor *index, const fa_tensor *src, const fa_scatter_add_options *options);

/** Options of fa_cat(). */
typedef struct fa_cat_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    int64_t dim;    /**< the dimension that is joined; negative counts from the end */
    char fa__end;   /**< the end of what this version knows */
} fa_cat_options;

/** Tensors joined along a dimension that they have; their dtypes promote. One-dimensional empty tensors are skipped.
 *
 *      fa_cat(x, .dim = 0, .out = NULL)
 *
 *  @param x one or more, of the same shape but along dim
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_cat(fa_tensors x, const fa_cat_options *options);

/** @cond */
/* How named options, and numbers in the place of tensors, reach the functions above. */
#define FA__DEFAULT_fa_index_select {offsetof(fa_index_select_options, fa__end), NULL, 0}
#define fa_index_select(...) FA__CALL3(fa_index_select, FA__SAME, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_gather {offsetof(fa_gather_options, fa__end), NULL, 0}
#define fa_gather(...) FA__CALL3(fa_gather, FA__SAME, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_scatter_add {offsetof(fa_scatter_add_options, fa__end), NULL, 0}
#define fa_scatter_add(...) FA__CALL4(fa_scatter_add, FA__SAME, FA__SAME, FA__SAME, FA__SAME, __VA_ARGS__)
typedef fa_scatter_add_options fa_scatter_add__options;
#define FA__DEFAULT_fa_scatter_add_ FA__DEFAULT_fa_scatter_add
#define fa_scatter_add_(...) FA__CALL4(fa_scatter_add_, FA__SAME, FA__SAME, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_cat {offsetof(fa_cat_options, fa__end), NULL, 0, 0}
#define fa_cat(...) FA__CALL1(fa_cat, FA__SAME, __VA_ARGS__)
/** @endcond */

FA__END
#endif
