/** @file
 *  Cutting: a tensor's parts along a dimension, as a list of views. split, chunk and unbind leave one node behind, so
 *  that backward joins the parts' gradients once, however many there are.
 *
 *  Written by facula-rows from src/ops/split.c: edit there. */
/* clang-format off */
#ifndef FACULA_SPLIT_H
#define FACULA_SPLIT_H
#include <facula/types.h>

FA__BEGIN

/** Options of fa_split(). */
typedef struct fa_split_options {
    size_t size;  /**< set by the macro */
    int64_t dim;  /**< negative counts from the end */
    char fa__end; /**< the end of what this version knows */
} fa_split_options;

/** x in parts of one size along a dimension. The parts may not be changed in place while gradients flow into them.
 *
 *      fa_split(x, size, .dim = 0)
 *
 *  @param x a tensor
 *  @param size of each part along dim; the last one may be smaller
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return views, in an array that the scope owns; none after an error */
FA_API fa_tensors fa_split(const fa_tensor *x, int64_t size, const fa_split_options *options);

/** Options of fa_split_sizes(). */
typedef struct fa_split_sizes_options {
    size_t size;  /**< set by the macro */
    int64_t dim;  /**< negative counts from the end */
    char fa__end; /**< the end of what this version knows */
} fa_split_sizes_options;

/** x in parts of the given sizes along a dimension. The parts may not be changed in place while gradients flow into
 *  them.
 *
 *      fa_split_sizes(x, sizes, .dim = 0)
 *
 *  @param x a tensor
 *  @param sizes of the parts along dim: FA_LIST(2, 3); whole numbers whose sum is dim's size
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return views, in an array that the scope owns; none after an error */
FA_API fa_tensors fa_split_sizes(const fa_tensor *x, fa_list sizes, const fa_split_sizes_options *options);

/** Options of fa_chunk(). */
typedef struct fa_chunk_options {
    size_t size;  /**< set by the macro */
    int64_t dim;  /**< negative counts from the end */
    char fa__end; /**< the end of what this version knows */
} fa_chunk_options;

/** x in so many parts along a dimension, all of one size but the last; in fewer when that is how the sizes fall. The
 *  parts may not be changed in place while gradients flow into them.
 *
 *      fa_chunk(x, chunks, .dim = 0)
 *
 *  @param x a tensor
 *  @param chunks how many, at most
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return views, in an array that the scope owns; none after an error */
FA_API fa_tensors fa_chunk(const fa_tensor *x, int64_t chunks, const fa_chunk_options *options);

/** Options of fa_unbind(). */
typedef struct fa_unbind_options {
    size_t size;  /**< set by the macro */
    int64_t dim;  /**< the dimension that goes; negative counts from the end */
    char fa__end; /**< the end of what this version knows */
} fa_unbind_options;

/** The entries of a dimension, which goes. They may not be changed in place while gradients flow into them.
 *
 *      fa_unbind(x, .dim = 0)
 *
 *  @param x a tensor
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return views, in an array that the scope owns; none after an error */
FA_API fa_tensors fa_unbind(const fa_tensor *x, const fa_unbind_options *options);

/** Options of fa_tensor_split(). */
typedef struct fa_tensor_split_options {
    size_t size;  /**< set by the macro */
    int64_t dim;  /**< negative counts from the end */
    char fa__end; /**< the end of what this version knows */
} fa_tensor_split_options;

/** x in just so many parts along a dimension; the first ones are larger by one where the size does not divide.
 *
 *      fa_tensor_split(x, sections, .dim = 0)
 *
 *  @param x a tensor
 *  @param sections how many parts
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return tensors in an array that the scope owns; none after an error */
FA_API fa_tensors fa_tensor_split(const fa_tensor *x, int64_t sections, const fa_tensor_split_options *options);

/** Options of fa_tensor_split_at(). */
typedef struct fa_tensor_split_at_options {
    size_t size;  /**< set by the macro */
    int64_t dim;  /**< negative counts from the end */
    char fa__end; /**< the end of what this version knows */
} fa_tensor_split_at_options;

/** x in parts along a dimension: up to the first index, from there to the second, and so on; from the last one to the
 *  end.
 *
 *      fa_tensor_split_at(x, indices, .dim = 0)
 *
 *  @param x a tensor
 *  @param indices where a new part begins: FA_LIST(1, 3); as in slices, negative ones count from the end
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return tensors in an array that the scope owns; none after an error */
FA_API fa_tensors fa_tensor_split_at(const fa_tensor *x, fa_list indices, const fa_tensor_split_at_options *options);

/** @cond */
/* How named options, and numbers in the place of tensors, reach the functions above. */
#define FA__DEFAULT_fa_split {offsetof(fa_split_options, fa__end), 0, 0}
#define fa_split(...) FA__CALL2(fa_split, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_split_sizes {offsetof(fa_split_sizes_options, fa__end), 0, 0}
#define fa_split_sizes(...) FA__CALL2(fa_split_sizes, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_chunk {offsetof(fa_chunk_options, fa__end), 0, 0}
#define fa_chunk(...) FA__CALL2(fa_chunk, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_unbind {offsetof(fa_unbind_options, fa__end), 0, 0}
#define fa_unbind(...) FA__CALL1(fa_unbind, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_tensor_split {offsetof(fa_tensor_split_options, fa__end), 0, 0}
#define fa_tensor_split(...) FA__CALL2(fa_tensor_split, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_tensor_split_at {offsetof(fa_tensor_split_at_options, fa__end), 0, 0}
#define fa_tensor_split_at(...) FA__CALL2(fa_tensor_split_at, FA__SAME, FA__SAME, __VA_ARGS__)
/** @endcond */

FA__END
#endif
