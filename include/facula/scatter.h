/** @file
 *  Writing by an index along a dimension. Out of range is an error with the index, on every device.
 *
 *  Written by facula-rows from src/ops/scatter.c: edit there. */
/* clang-format off */
#ifndef FACULA_SCATTER_H
#define FACULA_SCATTER_H
#include <facula/types.h>

FA__BEGIN

/** Options of fa_scatter(). */
typedef struct fa_scatter_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_scatter_options;

/** x with each element of src at the place of its index: along dim where index says, elsewhere where it stands. Where
 *  several come to one place the last one stays, in row-major order of index, on every device; the gradient of src is
 *  what stands where index says, whichever stayed.
 *
 *      fa_scatter(x, dim, index, src, .out = NULL)
 *
 *  @param x what is written to
 *  @param dim the dimension that index picks from; negative counts from the end
 *  @param index integers, of as many dimensions as x and nowhere longer, but along dim
 *  @param src what is written: nowhere shorter than index, of x's dtype; or a number
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_scatter(const fa_tensor *x, int64_t dim, const fa_tensor *index, fa_arg src, const fa_scatter_options *options);

/** fa_scatter() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_scatter_(fa_tensor *x, int64_t dim, const fa_tensor *index, fa_arg src, const fa_scatter_options *options);

/** Options of fa_scatter_reduce(). */
typedef struct fa_scatter_reduce_options {
    size_t size;       /**< set by the macro */
    fa_tensor *out;    /**< where to write, instead of into new memory */
    bool include_self; /**< what stands in x counts too; false: not where src comes */
    char fa__end;      /**< the end of what this version knows */
} fa_scatter_reduce_options;

/** x with what src brings to each place combined, along dim where index says: sum, prod, mean, amax or amin, in
 *  row-major order of index, so the bits are the same on every device. Means of integers are rounded down. NaN is the
 *  largest and the smallest; the largest that are equal share the gradient evenly.
 *
 *      fa_scatter_reduce(x, dim, index, src, reduce, .include_self = true, .out = NULL)
 *
 *  @param x what is written to
 *  @param dim the dimension that index picks from; negative counts from the end
 *  @param index integers, of as many dimensions as x and nowhere longer, but along dim
 *  @param src nowhere shorter than index, of x's dtype
 *  @param reduce "sum", "prod", "mean", "amax" or "amin"
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_scatter_reduce(const fa_tensor *x, int64_t dim, const fa_tensor *index, const fa_tensor *src, const char *reduce, const fa_scatter_reduce_options *options);

/** fa_scatter_reduce() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_scatter_reduce_(fa_tensor *x, int64_t dim, const fa_tensor *index, const fa_tensor *src, const char *reduce, const fa_scatter_reduce_options *options);

/** Options of fa_index_add(). */
typedef struct fa_index_add_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    double alpha;   /**< source is multiplied by it; a whole number for integers */
    char fa__end;   /**< the end of what this version knows */
} fa_index_add_options;

/** x with the slices of source, times alpha, added where index says along dim: in the order of index, so the bits are
 *  the same on every device.
 *
 *      fa_index_add(x, dim, index, source, .alpha = 1, .out = NULL)
 *
 *  @param x what is added to
 *  @param dim the dimension that index picks from; negative counts from the end
 *  @param index (k) or (), integers
 *  @param source what is added: of x's shape with k for the size of dim, and of its dtype
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_index_add(const fa_tensor *x, int64_t dim, const fa_tensor *index, const fa_tensor *source, const fa_index_add_options *options);

/** fa_index_add() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_index_add_(fa_tensor *x, int64_t dim, const fa_tensor *index, const fa_tensor *source, const fa_index_add_options *options);

/** Options of fa_index_copy(). */
typedef struct fa_index_copy_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_index_copy_options;

/** x with the slices of source where index says along dim; the last of several for one place stays.
 *
 *      fa_index_copy(x, dim, index, source, .out = NULL)
 *
 *  @param x what is written to
 *  @param dim the dimension that index picks from; negative counts from the end
 *  @param index (k) or (), integers
 *  @param source what is written: of x's shape with k for the size of dim, and of its dtype
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_index_copy(const fa_tensor *x, int64_t dim, const fa_tensor *index, const fa_tensor *source, const fa_index_copy_options *options);

/** fa_index_copy() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_index_copy_(fa_tensor *x, int64_t dim, const fa_tensor *index, const fa_tensor *source, const fa_index_copy_options *options);

/** Options of fa_index_fill(). */
typedef struct fa_index_fill_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_index_fill_options;

/** x with a value in the slices that index names along dim; negative ones count from the end.
 *
 *      fa_index_fill(x, dim, index, value, .out = NULL)
 *
 *  @param x what is written to
 *  @param dim the dimension that index picks from; negative counts from the end
 *  @param index (k) or (), integers
 *  @param value a number that x's dtype holds, or a 0-dim tensor: converted to that dtype
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_index_fill(const fa_tensor *x, int64_t dim, const fa_tensor *index, fa_arg value, const fa_index_fill_options *options);

/** fa_index_fill() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_index_fill_(fa_tensor *x, int64_t dim, const fa_tensor *index, fa_arg value, const fa_index_fill_options *options);

/** Options of fa_index_reduce(). */
typedef struct fa_index_reduce_options {
    size_t size;       /**< set by the macro */
    fa_tensor *out;    /**< where to write, instead of into new memory */
    bool include_self; /**< what stands in x counts too; false: not where source comes */
    char fa__end;      /**< the end of what this version knows */
} fa_index_reduce_options;

/** x with the slices that source brings to each place along dim combined, as fa_scatter_reduce() does.
 *
 *      fa_index_reduce(x, dim, index, source, reduce, .include_self = true, .out = NULL)
 *
 *  @param x what is written to
 *  @param dim the dimension that index picks from; negative counts from the end
 *  @param index (k) or (), integers
 *  @param source of x's shape with k for the size of dim, and of its dtype
 *  @param reduce "sum", "prod", "mean", "amax" or "amin"
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_index_reduce(const fa_tensor *x, int64_t dim, const fa_tensor *index, const fa_tensor *source, const char *reduce, const fa_index_reduce_options *options);

/** fa_index_reduce() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_index_reduce_(fa_tensor *x, int64_t dim, const fa_tensor *index, const fa_tensor *source, const char *reduce, const fa_index_reduce_options *options);

/** @cond */
/* How named options, and numbers in the place of tensors, reach the functions above. */
#define FA__DEFAULT_fa_scatter {offsetof(fa_scatter_options, fa__end), NULL, 0}
#define fa_scatter(...) FA__CALL4(fa_scatter, FA__SAME, FA__SAME, FA__SAME, FA__ARG, __VA_ARGS__)
typedef fa_scatter_options fa_scatter__options;
#define FA__DEFAULT_fa_scatter_ FA__DEFAULT_fa_scatter
#define fa_scatter_(...) FA__CALL4(fa_scatter_, FA__SAME, FA__SAME, FA__SAME, FA__ARG, __VA_ARGS__)
#define FA__DEFAULT_fa_scatter_reduce {offsetof(fa_scatter_reduce_options, fa__end), NULL, true, 0}
#define fa_scatter_reduce(...) FA__CALL5(fa_scatter_reduce, FA__SAME, FA__SAME, FA__SAME, FA__SAME, FA__SAME, __VA_ARGS__)
typedef fa_scatter_reduce_options fa_scatter_reduce__options;
#define FA__DEFAULT_fa_scatter_reduce_ FA__DEFAULT_fa_scatter_reduce
#define fa_scatter_reduce_(...) FA__CALL5(fa_scatter_reduce_, FA__SAME, FA__SAME, FA__SAME, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_index_add {offsetof(fa_index_add_options, fa__end), NULL, 1, 0}
#define fa_index_add(...) FA__CALL4(fa_index_add, FA__SAME, FA__SAME, FA__SAME, FA__SAME, __VA_ARGS__)
typedef fa_index_add_options fa_index_add__options;
#define FA__DEFAULT_fa_index_add_ FA__DEFAULT_fa_index_add
#define fa_index_add_(...) FA__CALL4(fa_index_add_, FA__SAME, FA__SAME, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_index_copy {offsetof(fa_index_copy_options, fa__end), NULL, 0}
#define fa_index_copy(...) FA__CALL4(fa_index_copy, FA__SAME, FA__SAME, FA__SAME, FA__SAME, __VA_ARGS__)
typedef fa_index_copy_options fa_index_copy__options;
#define FA__DEFAULT_fa_index_copy_ FA__DEFAULT_fa_index_copy
#define fa_index_copy_(...) FA__CALL4(fa_index_copy_, FA__SAME, FA__SAME, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_index_fill {offsetof(fa_index_fill_options, fa__end), NULL, 0}
#define fa_index_fill(...) FA__CALL4(fa_index_fill, FA__SAME, FA__SAME, FA__SAME, FA__ARG, __VA_ARGS__)
typedef fa_index_fill_options fa_index_fill__options;
#define FA__DEFAULT_fa_index_fill_ FA__DEFAULT_fa_index_fill
#define fa_index_fill_(...) FA__CALL4(fa_index_fill_, FA__SAME, FA__SAME, FA__SAME, FA__ARG, __VA_ARGS__)
#define FA__DEFAULT_fa_index_reduce {offsetof(fa_index_reduce_options, fa__end), NULL, true, 0}
#define fa_index_reduce(...) FA__CALL5(fa_index_reduce, FA__SAME, FA__SAME, FA__SAME, FA__SAME, FA__SAME, __VA_ARGS__)
typedef fa_index_reduce_options fa_index_reduce__options;
#define FA__DEFAULT_fa_index_reduce_ FA__DEFAULT_fa_index_reduce
#define fa_index_reduce_(...) FA__CALL5(fa_index_reduce_, FA__SAME, FA__SAME, FA__SAME, FA__SAME, FA__SAME, __VA_ARGS__)
/** @endcond */

FA__END
#endif
