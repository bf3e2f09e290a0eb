/** @file
 *  Distances of vectors, and the cosine of the angle between them. A distance of 0 has the gradient 0. f16 and bf16 are
 *  computed in f32.
 *
 *  Written by facula-rows from src/ops/distances.c: edit there. */
/* clang-format off */
#ifndef FACULA_DISTANCES_H
#define FACULA_DISTANCES_H
#include <facula/types.h>

FA__BEGIN

/** Options of fa_pairwise_distance(). */
typedef struct fa_pairwise_distance_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    double p;       /**< the distances are of this norm; infinity: the largest difference */
    double eps;     /**< is added to differences, so that no distance is 0 */
    bool keepdim;   /**< keep the last dimension with size 1 */
    char fa__end;   /**< the end of what this version knows */
} fa_pairwise_distance_options;

/** The distance of vectors that stand at the same place: the p-norm of x1 - x2 + eps along the last dimension.
 *
 *      fa_pairwise_distance(x1, x2, .p = 2, .eps = 1e-6, .keepdim = false, .out = NULL)
 *
 *  @param x1 (..., d)
 *  @param x2 (..., d): broadcasts with x1
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_pairwise_distance(const fa_tensor *x1, const fa_tensor *x2, const fa_pairwise_distance_options *options);

/** Options of fa_cdist(). */
typedef struct fa_cdist_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    double p;       /**< the distances are of this norm; infinity: the largest difference */
    char fa__end;   /**< the end of what this version knows */
} fa_cdist_options;

/** The distances of each vector of x1 to each of x2: (..., n, m). They come from differences, which are added up as
 *  they are computed; Euclidean ones (p = 2) of more than 25 vectors from a matrix product, as PyTorch does it where its
 *  compute_mode is not given: much faster, but small distances of large vectors lose digits.
 *
 *      fa_cdist(x1, x2, .p = 2, .out = NULL)
 *
 *  @param x1 (..., n, d), floating
 *  @param x2 (..., m, d): leading dimensions broadcast
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_cdist(const fa_tensor *x1, const fa_tensor *x2, const fa_cdist_options *options);

/** Options of fa_pdist(). */
typedef struct fa_pdist_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    double p;       /**< the distances are of this norm; infinity: the largest difference */
    char fa__end;   /**< the end of what this version knows */
} fa_pdist_options;

/** The distances of all pairs of rows: of the first to each behind it, then of the second, and so on: (n * (n - 1) /
 *  2).
 *
 *      fa_pdist(x, .p = 2, .out = NULL)
 *
 *  @param x (n, d), floating
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_pdist(const fa_tensor *x, const fa_pdist_options *options);

/** Options of fa_cosine_similarity(). */
typedef struct fa_cosine_similarity_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    int64_t dim;    /**< along which the vectors lie; negative counts from the end */
    double eps;     /**< smaller lengths count as this */
    char fa__end;   /**< the end of what this version knows */
} fa_cosine_similarity_options;

/** The cosine of the angle between vectors: the sum of x1 * x2 along a dimension, divided by both lengths. A length
 *  that counts as eps is a constant to the gradient; PyTorch goes on with the derivative of the length there.
 *
 *      fa_cosine_similarity(x1, x2, .dim = 1, .eps = 1e-8, .out = NULL)
 *
 *  @param x1 a tensor
 *  @param x2 broadcasts with x1
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_cosine_similarity(const fa_tensor *x1, const fa_tensor *x2, const fa_cosine_similarity_options *options);

/** @cond */
/* How named options, and numbers in the place of tensors, reach the functions above. */
#define FA__DEFAULT_fa_pairwise_distance {offsetof(fa_pairwise_distance_options, fa__end), NULL, 2, 1e-6, false, 0}
#define fa_pairwise_distance(...) FA__CALL2(fa_pairwise_distance, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_cdist {offsetof(fa_cdist_options, fa__end), NULL, 2, 0}
#define fa_cdist(...) FA__CALL2(fa_cdist, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_pdist {offsetof(fa_pdist_options, fa__end), NULL, 2, 0}
#define fa_pdist(...) FA__CALL1(fa_pdist, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_cosine_similarity {offsetof(fa_cosine_similarity_options, fa__end), NULL, 1, 1e-8, 0}
#define fa_cosine_similarity(...) FA__CALL2(fa_cosine_similarity, FA__SAME, FA__SAME, __VA_ARGS__)
/** @endcond */

FA__END
#endif
