/** @file
 *  Copies: to another device or dtype, into what is there, and fresh.
 *
 *  Written by facula-rows from src/ops/move.c: edit there. */
/* clang-format off */
#ifndef FACULA_MOVE_H
#define FACULA_MOVE_H
#include <facula/types.h>

FA__BEGIN

/** Options of fa_move(). */
typedef struct fa_move_options {
    size_t size;       /**< set by the macro */
    fa_tensor *out;    /**< where to write, instead of into new memory */
    fa_device device;  /**< where to; by default where x is */
    fa_dtype dtype;    /**< of the result; FA_SAME: that of x */
    bool non_blocking; /**< the host goes on at once; it waits when it reads */
    char fa__end;      /**< the end of what this version knows */
} fa_move_options;

/** A copy of x: on another device, as another dtype, or as it is. fa_to is the short form, which returns x itself where
 *  nothing changes. Differentiable: the gradient comes back to where x is, in x's dtype.
 *
 *      fa_move(x, .device = ..., .dtype = FA_SAME, .non_blocking = true, .out = NULL)
 *
 *  @param x a tensor
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_move(const fa_tensor *x, const fa_move_options *options);

/** Options of fa_clone(). */
typedef struct fa_clone_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_clone_options;

/** A copy in new memory, without gaps: the order of x's dimensions in memory is kept. fa_contiguous is row-major.
 *
 *      fa_clone(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_clone(const fa_tensor *x, const fa_clone_options *options);

/** Options of fa_contiguous(). */
typedef struct fa_contiguous_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_contiguous_options;

/** x if its elements lie row-major without gaps, else a copy of which that holds.
 *
 *      fa_contiguous(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_contiguous(const fa_tensor *x, const fa_contiguous_options *options);

/** x without history: the same memory, and no gradient flows through. Changes in place are seen by both, and by
 *  backward.
 *
 *      fa_detach(x)
 *
 *  @param x a tensor
 *  @return a view; NULL after an error */
FA_API fa_tensor *fa_detach(const fa_tensor *x);

/** Options of fa_copy(). */
typedef struct fa_copy_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_copy_options;

/** x with its elements replaced by those of the source; fa_copy_(x, source) does that in place, across devices and
 *  dtypes. Values are converted as fa_to does: 2.7 into i32 gives 2.
 *
 *      fa_copy(x, source, .out = NULL)
 *
 *  @param x what is overwritten
 *  @param source broadcasts to x; of any dtype, on any device
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_copy(const fa_tensor *x, fa_arg source, const fa_copy_options *options);

/** fa_copy() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_copy_(fa_tensor *x, fa_arg source, const fa_copy_options *options);

/** @cond */
/* How named options, and numbers in the place of tensors, reach the functions above. */
#define FA__DEFAULT_fa_move {offsetof(fa_move_options, fa__end), NULL, {0, 0}, FA_SAME, true, 0}
#define fa_move(...) FA__CALL1(fa_move, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_clone {offsetof(fa_clone_options, fa__end), NULL, 0}
#define fa_clone(...) FA__CALL1(fa_clone, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_contiguous {offsetof(fa_contiguous_options, fa__end), NULL, 0}
#define fa_contiguous(...) FA__CALL1(fa_contiguous, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_copy {offsetof(fa_copy_options, fa__end), NULL, 0}
#define fa_copy(...) FA__CALL2(fa_copy, FA__SAME, FA__ARG, __VA_ARGS__)
typedef fa_copy_options fa_copy__options;
#define FA__DEFAULT_fa_copy_ FA__DEFAULT_fa_copy
#define fa_copy_(...) FA__CALL2(fa_copy_, FA__SAME, FA__ARG, __VA_ARGS__)
/** @endcond */

FA__END
#endif
