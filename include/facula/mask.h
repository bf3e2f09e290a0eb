/** @file
 *  Masks: what is true decides what is written, taken, and where. Shapes that depend on values make the host read how
 *  many there are: one wait, which fa_transfers_report() shows when the device was not done by then, and which
 *  FA_USE(.forbid = FA_SYNC) turns into an error in any case, but on the CPU.
 *
 *  Written by facula-rows from src/ops/mask.c: edit there. */
/* clang-format off */
#ifndef FACULA_MASK_H
#define FACULA_MASK_H
#include <facula/types.h>

FA__BEGIN

/** Options of fa_nonzero(). */
typedef struct fa_nonzero_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_nonzero_options;

/** Where x is not 0: for each such element, in row-major order, a row with its place along each dimension, (n, dims)
 *  i64. The host reads n, which waits for x; NaN counts. As vectors: fa_nonzero_tuple(); of fa_flatten(x) they are the
 *  places of NumPy's flatnonzero.
 *
 *      fa_nonzero(x, .out = NULL)
 *
 *  @param x any dtype: what is not 0 counts
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_nonzero(const fa_tensor *x, const fa_nonzero_options *options);

/** Where x is not 0: for each dimension a vector of the places along it, (n) i64, as fa_index() takes them. Of a 0-dim
 *  x there is one, as if it had one dimension. The host reads n, which waits for x.
 *
 *      fa_nonzero_tuple(x)
 *
 *  @param x any dtype: what is not 0 counts
 *  @return tensors in an array that the scope owns; none after an error */
FA_API fa_tensors fa_nonzero_tuple(const fa_tensor *x);

/** Options of fa_masked_fill(). */
typedef struct fa_masked_fill_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_masked_fill_options;

/** x with a value where mask is true. A tensor's value is converted as by fa_to(), without waiting for it; PyTorch
 *  refuses one that x's dtype does not hold.
 *
 *      fa_masked_fill(x, mask, value, .out = NULL)
 *
 *  @param x what is written to
 *  @param mask bool; broadcasts with x
 *  @param value a number that x's dtype holds, or a 0-dim tensor: converted to that dtype
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_masked_fill(const fa_tensor *x, const fa_tensor *mask, fa_arg value, const fa_masked_fill_options *options);

/** fa_masked_fill() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_masked_fill_(fa_tensor *x, const fa_tensor *mask, fa_arg value, const fa_masked_fill_options *options);

/** Options of fa_masked_select(). */
typedef struct fa_masked_select_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_masked_select_options;

/** The elements of x where mask is true, in row-major order: (n). The host reads n, which waits for mask.
 *
 *      fa_masked_select(x, mask, .out = NULL)
 *
 *  @param x what is taken from
 *  @param mask bool; broadcasts with x
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_masked_select(const fa_tensor *x, const fa_tensor *mask, const fa_masked_select_options *options);

/** Options of fa_masked_scatter(). */
typedef struct fa_masked_scatter_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_masked_scatter_options;

/** x with the elements of source, in their order, where mask is true. Too few of them are an error with the number of
 *  the first that is missing, on every device; the host reads nothing, unless source is empty.
 *
 *      fa_masked_scatter(x, mask, source, .out = NULL)
 *
 *  @param x what is written to
 *  @param mask bool; broadcasts to x
 *  @param source of x's dtype, with at least as many elements as mask has true ones for x
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_masked_scatter(const fa_tensor *x, const fa_tensor *mask, const fa_tensor *source, const fa_masked_scatter_options *options);

/** fa_masked_scatter() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_masked_scatter_(fa_tensor *x, const fa_tensor *mask, const fa_tensor *source, const fa_masked_scatter_options *options);

/** @cond */
/* How named options, and numbers in the place of tensors, reach the functions above. */
#define FA__DEFAULT_fa_nonzero {offsetof(fa_nonzero_options, fa__end), NULL, 0}
#define fa_nonzero(...) FA__CALL1(fa_nonzero, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_masked_fill {offsetof(fa_masked_fill_options, fa__end), NULL, 0}
#define fa_masked_fill(...) FA__CALL3(fa_masked_fill, FA__SAME, FA__SAME, FA__ARG, __VA_ARGS__)
typedef fa_masked_fill_options fa_masked_fill__options;
#define FA__DEFAULT_fa_masked_fill_ FA__DEFAULT_fa_masked_fill
#define fa_masked_fill_(...) FA__CALL3(fa_masked_fill_, FA__SAME, FA__SAME, FA__ARG, __VA_ARGS__)
#define FA__DEFAULT_fa_masked_select {offsetof(fa_masked_select_options, fa__end), NULL, 0}
#define fa_masked_select(...) FA__CALL2(fa_masked_select, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_masked_scatter {offsetof(fa_masked_scatter_options, fa__end), NULL, 0}
#define fa_masked_scatter(...) FA__CALL3(fa_masked_scatter, FA__SAME, FA__SAME, FA__SAME, __VA_ARGS__)
typedef fa_masked_scatter_options fa_masked_scatter__options;
#define FA__DEFAULT_fa_masked_scatter_ FA__DEFAULT_fa_masked_scatter
#define fa_masked_scatter_(...) FA__CALL3(fa_masked_scatter_, FA__SAME, FA__SAME, FA__SAME, __VA_ARGS__)
/** @endcond */

FA__END
#endif
