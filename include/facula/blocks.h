/** @file
 *  Tensors made of vectors and matrices: blocks on a diagonal, all combinations, and powers in columns.
 *
 *  Written by facula-rows from src/ops/blocks.c: edit there. */
/* clang-format off */
#ifndef FACULA_BLOCKS_H
#define FACULA_BLOCKS_H
#include <facula/types.h>

FA__BEGIN

/** Options of fa_block_diag(). */
typedef struct fa_block_diag_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_block_diag_options;

/** A matrix with the given ones as blocks from its upper left to its lower right corner, and zeros. Dtypes promote.
 *
 *      fa_block_diag(x, .out = NULL)
 *
 *  @param x of at most two dimensions: a vector is a row, a number a matrix of one element
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_block_diag(fa_tensors x, const fa_block_diag_options *options);

/** Options of fa_cartesian_prod(). */
typedef struct fa_cartesian_prod_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_cartesian_prod_options;

/** All ways to take an element of each vector, the last one's changing fastest: (n1 * n2 * ..., how many vectors). Of
 *  one vector it is that.
 *
 *      fa_cartesian_prod(x, .out = NULL)
 *
 *  @param x vectors, at most 8, of one dtype
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_cartesian_prod(fa_tensors x, const fa_cartesian_prod_options *options);

/** Options of fa_vander(). */
typedef struct fa_vander_options {
    size_t size;     /**< set by the macro */
    fa_tensor *out;  /**< where to write, instead of into new memory */
    int64_t n;       /**< how many columns; -1: as many as x has elements */
    bool increasing; /**< the powers rise from 0; by default they fall to it */
    char fa__end;    /**< the end of what this version knows */
} fa_vander_options;

/** Vandermonde's matrix: each column is a power of x, (m, n).
 *
 *      fa_vander(x, .n = -1, .increasing = false, .out = NULL)
 *
 *  @param x (m)
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_vander(const fa_tensor *x, const fa_vander_options *options);

/** Options of fa_combinations(). */
typedef struct fa_combinations_options {
    size_t size;           /**< set by the macro */
    fa_tensor *out;        /**< where to write, instead of into new memory */
    int64_t r;             /**< how many elements are taken */
    bool with_replacement; /**< each may be taken again */
    char fa__end;          /**< the end of what this version knows */
} fa_combinations_options;

/** All ways to take r elements of a vector, in its order and each row in the order of the elements: (count, r). Their
 *  places are found on the CPU and copied to x's device; more than 16 MiB of them are waited for.
 *
 *      fa_combinations(x, .r = 2, .with_replacement = false, .out = NULL)
 *
 *  @param x a vector
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_combinations(const fa_tensor *x, const fa_combinations_options *options);

/** @cond */
/* How named options, and numbers in the place of tensors, reach the functions above. */
#define FA__DEFAULT_fa_block_diag {offsetof(fa_block_diag_options, fa__end), NULL, 0}
#define fa_block_diag(...) FA__CALL1(fa_block_diag, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_cartesian_prod {offsetof(fa_cartesian_prod_options, fa__end), NULL, 0}
#define fa_cartesian_prod(...) FA__CALL1(fa_cartesian_prod, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_vander {offsetof(fa_vander_options, fa__end), NULL, -1, false, 0}
#define fa_vander(...) FA__CALL1(fa_vander, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_combinations {offsetof(fa_combinations_options, fa__end), NULL, 2, false, 0}
#define fa_combinations(...) FA__CALL1(fa_combinations, FA__SAME, __VA_ARGS__)
/** @endcond */

FA__END
#endif
