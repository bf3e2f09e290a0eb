/** @file
 *  Views for less common needs: dimensions moved and divided, halves and quarters turned, windows, strides of the
 *  caller's own.
 *
 *  Written by facula-rows from src/ops/shape.c: edit there. */
/* clang-format off */
#ifndef FACULA_SHAPE_H
#define FACULA_SHAPE_H
#include <facula/types.h>

FA__BEGIN

/** Options of fa_unflatten(). */
typedef struct fa_unflatten_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_unflatten_options;

/** x with one dimension divided into several: a view.
 *
 *      fa_unflatten(x, dim, shape, .out = NULL)
 *
 *  @param x a tensor
 *  @param dim the dimension that is divided; negative counts from the end
 *  @param shape of what it becomes; one size may be -1, which is found from the others
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_unflatten(const fa_tensor *x, int64_t dim, fa_shape shape, const fa_unflatten_options *options);

/** Options of fa_movedim(). */
typedef struct fa_movedim_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_movedim_options;

/** x with dimensions moved to other places: a view.
 *
 *      fa_movedim(x, source, destination, .out = NULL)
 *
 *  @param x a tensor
 *  @param source FA_SHAPE(0, 1): these dimensions move; negative ones count from the end
 *  @param destination where each of them stands then; the others stay in their order
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_movedim(const fa_tensor *x, fa_shape source, fa_shape destination, const fa_movedim_options *options);

/** Options of fa_rot90(). */
typedef struct fa_rot90_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    int64_t k;      /**< quarters: from the first of dims towards the second; may be negative */
    fa_shape dims;  /**< the plane, by default FA_SHAPE(0, 1); negative ones count from the end */
    char fa__end;   /**< the end of what this version knows */
} fa_rot90_options;

/** x turned by quarters in a plane: a view.
 *
 *      fa_rot90(x, .k = 1, .dims = ..., .out = NULL)
 *
 *  @param x a tensor
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_rot90(const fa_tensor *x, const fa_rot90_options *options);

/** Options of fa_fliplr(). */
typedef struct fa_fliplr_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_fliplr_options;

/** x with its columns in the opposite order: a view.
 *
 *      fa_fliplr(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_fliplr(const fa_tensor *x, const fa_fliplr_options *options);

/** Options of fa_flipud(). */
typedef struct fa_flipud_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_flipud_options;

/** x with its rows in the opposite order: a view.
 *
 *      fa_flipud(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_flipud(const fa_tensor *x, const fa_flipud_options *options);

/** Windows of a dimension, each of which becomes an entry; what is in them stands in a new last dimension: a view.
 *
 *      fa_unfold(x, dim, size, step)
 *
 *  @param x a tensor
 *  @param dim along which windows lie; negative counts from the end
 *  @param size of each window
 *  @param step from the beginning of one to that of the next
 *  @return a view; NULL after an error */
FA_API fa_tensor *fa_unfold(const fa_tensor *x, int64_t dim, int64_t size, int64_t step);

/** Options of fa_as_strided(). */
typedef struct fa_as_strided_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    int64_t offset; /**< of the first element, in elements of that memory; by default where x begins */
    char fa__end;   /**< the end of what this version knows */
} fa_as_strided_options;

/** A view of the memory that x lies in, by its strides: elements may coincide, and lie outside of x, but not of its
 *  memory.
 *
 *      fa_as_strided(x, shape, strides, .offset = INT64_MIN, .out = NULL)
 *
 *  @param x a tensor
 *  @param shape of the result
 *  @param strides in elements of the memory that x lies in, of any sign
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_as_strided(const fa_tensor *x, fa_shape shape, fa_shape strides, const fa_as_strided_options *options);

/** @cond */
/* How named options, and numbers in the place of tensors, reach the functions above. */
#define FA__DEFAULT_fa_unflatten {offsetof(fa_unflatten_options, fa__end), NULL, 0}
#define fa_unflatten(...) FA__CALL3(fa_unflatten, FA__SAME, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_movedim {offsetof(fa_movedim_options, fa__end), NULL, 0}
#define fa_movedim(...) FA__CALL3(fa_movedim, FA__SAME, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_rot90 {offsetof(fa_rot90_options, fa__end), NULL, 1, {2, {0, 1}}, 0}
#define fa_rot90(...) FA__CALL1(fa_rot90, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_fliplr {offsetof(fa_fliplr_options, fa__end), NULL, 0}
#define fa_fliplr(...) FA__CALL1(fa_fliplr, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_flipud {offsetof(fa_flipud_options, fa__end), NULL, 0}
#define fa_flipud(...) FA__CALL1(fa_flipud, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_as_strided {offsetof(fa_as_strided_options, fa__end), NULL, INT64_MIN, 0}
#define fa_as_strided(...) FA__CALL3(fa_as_strided, FA__SAME, FA__SAME, FA__SAME, __VA_ARGS__)
/** @endcond */

FA__END
#endif
