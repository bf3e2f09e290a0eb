/** @file
 *  Elements in turn, and more than once: rolled, repeated as a whole, repeated one by one.
 *
 *  Written by facula-rows from src/ops/repeat.c: edit there. */
/* clang-format off */
#ifndef FACULA_REPEAT_H
#define FACULA_REPEAT_H
#include <facula/types.h>

FA__BEGIN

/** Options of fa_roll(). */
typedef struct fa_roll_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    fa_shape dims;  /**< along which; none: as if x were a vector */
    char fa__end;   /**< the end of what this version knows */
} fa_roll_options;

/** x with its entries moved on along dimensions; what leaves at the end comes in again at the front.
 *
 *      fa_roll(x, shifts, .dims = ..., .out = NULL)
 *
 *  @param x a tensor
 *  @param shifts by how many places: FA_SHAPE(1, -2), one for each of dims; negative: to the front
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_roll(const fa_tensor *x, fa_shape shifts, const fa_roll_options *options);

/** Options of fa_repeat(). */
typedef struct fa_repeat_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_repeat_options;

/** x so often along each dimension; new ones stand in front.
 *
 *      fa_repeat(x, repeats, .out = NULL)
 *
 *  @param x a tensor
 *  @param repeats how often along each dimension: FA_SHAPE(2, 1); the last ones are those of x
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_repeat(const fa_tensor *x, fa_shape repeats, const fa_repeat_options *options);

/** Options of fa_tile(). */
typedef struct fa_tile_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_tile_options;

/** x so often along each dimension, as fa_repeat() does; dimensions for which no repeats are given stay.
 *
 *      fa_tile(x, repeats, .out = NULL)
 *
 *  @param x a tensor
 *  @param repeats how often along each dimension: FA_SHAPE(2, 1); the last ones are those of x
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_tile(const fa_tensor *x, fa_shape repeats, const fa_tile_options *options);

/** Options of fa_repeat_interleave(). */
typedef struct fa_repeat_interleave_options {
    size_t size;         /**< set by the macro */
    fa_tensor *out;      /**< where to write, instead of into new memory */
    int64_t dim;         /**< along which, negative from the end; by default of x as a vector */
    int64_t output_size; /**< of dim in the result: what the repeats add up to; -1: they are added up */
    char fa__end;        /**< the end of what this version knows */
} fa_repeat_interleave_options;

/** Each entry of x so often, one behind the other. The size of the result is the sum of the repeats: those of a tensor
 *  are read for it, which waits for them, unless output_size tells; the places that
 *  follow are then copied to x's device. Where it is not their sum, or one is negative, comes an error of an index that
 *  is out of range, from a device when it is waited for.
 *
 *      fa_repeat_interleave(x, repeats, .dim = INT64_MIN, .output_size = -1, .out = NULL)
 *
 *  @param x a tensor
 *  @param repeats how often each: a number, or integers, one or as many as dim has entries
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_repeat_interleave(const fa_tensor *x, fa_arg repeats, const fa_repeat_interleave_options *options);

/** @cond */
/* How named options, and numbers in the place of tensors, reach the functions above. */
#define FA__DEFAULT_fa_roll {offsetof(fa_roll_options, fa__end), NULL, {0, {0}}, 0}
#define fa_roll(...) FA__CALL2(fa_roll, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_repeat {offsetof(fa_repeat_options, fa__end), NULL, 0}
#define fa_repeat(...) FA__CALL2(fa_repeat, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_tile {offsetof(fa_tile_options, fa__end), NULL, 0}
#define fa_tile(...) FA__CALL2(fa_tile, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_repeat_interleave {offsetof(fa_repeat_interleave_options, fa__end), NULL, INT64_MIN, -1, 0}
#define fa_repeat_interleave(...) FA__CALL2(fa_repeat_interleave, FA__SAME, FA__ARG, __VA_ARGS__)
/** @endcond */

FA__END
#endif
