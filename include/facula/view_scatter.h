/** @file
 *  What a view of x would be after a write through it, without changing x.
 *
 *  Written by facula-rows from src/ops/view_scatter.c: edit there. */
/* clang-format off */
#ifndef FACULA_VIEW_SCATTER_H
#define FACULA_VIEW_SCATTER_H
#include <facula/types.h>

FA__BEGIN

/** Options of fa_select_scatter(). */
typedef struct fa_select_scatter_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_select_scatter_options;

/** x with src in the place of fa_select(x, dim, index).
 *
 *      fa_select_scatter(x, src, dim, index, .out = NULL)
 *
 *  @param x a tensor
 *  @param src of x's shape without dim; converted to x's dtype
 *  @param dim negative counts from the end
 *  @param index which entry of dim is replaced; negative counts from the end
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_select_scatter(const fa_tensor *x, const fa_tensor *src, int64_t dim, int64_t index, const fa_select_scatter_options *options);

/** Options of fa_slice_scatter(). */
typedef struct fa_slice_scatter_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    int64_t dim;    /**< negative counts from the end */
    int64_t start;  /**< the first entry that is replaced, as fa_slice() has it */
    int64_t end;    /**< where it stops */
    int64_t step;   /**< between entries; may be negative, not 0 */
    char fa__end;   /**< the end of what this version knows */
} fa_slice_scatter_options;

/** x with src in the place of fa_slice(x, dim, ...).
 *
 *      fa_slice_scatter(x, src, .dim = 0, .start = INT64_MIN, .end = INT64_MAX, .step = 1, .out = NULL)
 *
 *  @param x a tensor
 *  @param src of the slice's shape; converted to x's dtype
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_slice_scatter(const fa_tensor *x, const fa_tensor *src, const fa_slice_scatter_options *options);

/** Options of fa_diagonal_scatter(). */
typedef struct fa_diagonal_scatter_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    int64_t offset; /**< above the main diagonal; below it when negative */
    int64_t dim1;   /**< rows */
    int64_t dim2;   /**< columns */
    char fa__end;   /**< the end of what this version knows */
} fa_diagonal_scatter_options;

/** x with src in the place of fa_diagonal(x, ...).
 *
 *      fa_diagonal_scatter(x, src, .offset = 0, .dim1 = 0, .dim2 = 1, .out = NULL)
 *
 *  @param x a tensor
 *  @param src of the diagonal's shape; converted to x's dtype
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_diagonal_scatter(const fa_tensor *x, const fa_tensor *src, const fa_diagonal_scatter_options *options);

/** @cond */
/* How named options, and numbers in the place of tensors, reach the functions above. */
#define FA__DEFAULT_fa_select_scatter {offsetof(fa_select_scatter_options, fa__end), NULL, 0}
#define fa_select_scatter(...) FA__CALL4(fa_select_scatter, FA__SAME, FA__SAME, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_slice_scatter {offsetof(fa_slice_scatter_options, fa__end), NULL, 0, INT64_MIN, INT64_MAX, 1, 0}
#define fa_slice_scatter(...) FA__CALL2(fa_slice_scatter, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_diagonal_scatter {offsetof(fa_diagonal_scatter_options, fa__end), NULL, 0, 0, 1, 0}
#define fa_diagonal_scatter(...) FA__CALL2(fa_diagonal_scatter, FA__SAME, FA__SAME, __VA_ARGS__)
/** @endcond */

FA__END
#endif
