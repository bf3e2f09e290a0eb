/** @file
 *  Numbers in a row, on a diagonal, and the places of triangles.
 *
 *  Written by facula-rows from src/ops/series.c: edit there. */
/* clang-format off */
#ifndef FACULA_SERIES_H
#define FACULA_SERIES_H
#include <facula/types.h>

FA__BEGIN

/** Options of fa_linspace(). */
typedef struct fa_linspace_options {
    size_t size;        /**< set by the macro */
    fa_tensor *out;     /**< where to write, instead of into new memory */
    fa_dtype dtype;     /**< FA_SAME: f32 */
    fa_device device;   /**< where it is made; by default the settings' device */
    bool requires_grad; /**< it is a leaf that collects a gradient */
    char fa__end;       /**< the end of what this version knows */
} fa_linspace_options;

/** So many values from start to end, equally far apart.
 *
 *      fa_linspace(start, end, steps, .dtype = FA_SAME, .device = ..., .requires_grad = false, .out = NULL)
 *
 *  @param start the first value
 *  @param end the last one
 *  @param steps how many values
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_linspace(double start, double end, int64_t steps, const fa_linspace_options *options);

/** Options of fa_logspace(). */
typedef struct fa_logspace_options {
    size_t size;        /**< set by the macro */
    fa_tensor *out;     /**< where to write, instead of into new memory */
    double base;        /**< whose powers they are */
    fa_dtype dtype;     /**< FA_SAME: f32 */
    fa_device device;   /**< where it is made; by default the settings' device */
    bool requires_grad; /**< it is a leaf that collects a gradient */
    char fa__end;       /**< the end of what this version knows */
} fa_logspace_options;

/** So many powers of base, whose exponents are equally far apart from start to end.
 *
 *      fa_logspace(start, end, steps, .base = 10, .dtype = FA_SAME, .device = ..., .requires_grad = false,
 *          .out = NULL)
 *
 *  @param start the first exponent
 *  @param end the last one
 *  @param steps how many values
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_logspace(double start, double end, int64_t steps, const fa_logspace_options *options);

/** Options of fa_eye(). */
typedef struct fa_eye_options {
    size_t size;        /**< set by the macro */
    fa_tensor *out;     /**< where to write, instead of into new memory */
    int64_t m;          /**< columns; -1: as many */
    fa_dtype dtype;     /**< FA_SAME: f32 */
    fa_device device;   /**< where it is made; by default the settings' device */
    bool requires_grad; /**< it is a leaf that collects a gradient */
    char fa__end;       /**< the end of what this version knows */
} fa_eye_options;

/** A matrix with ones on its diagonal, and zeros.
 *
 *      fa_eye(n, .m = -1, .dtype = FA_SAME, .device = ..., .requires_grad = false, .out = NULL)
 *
 *  @param n rows
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_eye(int64_t n, const fa_eye_options *options);

/** Options of fa_tril_indices(). */
typedef struct fa_tril_indices_options {
    size_t size;      /**< set by the macro */
    fa_tensor *out;   /**< where to write, instead of into new memory */
    int64_t offset;   /**< of the diagonal that bounds the triangle, above the main one */
    fa_dtype dtype;   /**< FA_SAME: i64 */
    fa_device device; /**< where it is made; by default the settings' device */
    char fa__end;     /**< the end of what this version knows */
} fa_tril_indices_options;

/** The places of a matrix's lower triangle, row by row: (2, k), rows above columns.
 *
 *      fa_tril_indices(row, col, .offset = 0, .dtype = FA_SAME, .device = ..., .out = NULL)
 *
 *  @param row of the matrix: how many rows,
 *  @param col and how many columns
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_tril_indices(int64_t row, int64_t col, const fa_tril_indices_options *options);

/** Options of fa_triu_indices(). */
typedef struct fa_triu_indices_options {
    size_t size;      /**< set by the macro */
    fa_tensor *out;   /**< where to write, instead of into new memory */
    int64_t offset;   /**< of the diagonal that bounds the triangle, above the main one */
    fa_dtype dtype;   /**< FA_SAME: i64 */
    fa_device device; /**< where it is made; by default the settings' device */
    char fa__end;     /**< the end of what this version knows */
} fa_triu_indices_options;

/** The places of a matrix's upper triangle, row by row: (2, k), rows above columns.
 *
 *      fa_triu_indices(row, col, .offset = 0, .dtype = FA_SAME, .device = ..., .out = NULL)
 *
 *  @param row of the matrix: how many rows,
 *  @param col and how many columns
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_triu_indices(int64_t row, int64_t col, const fa_triu_indices_options *options);

/** @cond */
/* How named options, and numbers in the place of tensors, reach the functions above. */
#define FA__DEFAULT_fa_linspace {offsetof(fa_linspace_options, fa__end), NULL, FA_SAME, {0, 0}, false, 0}
#define fa_linspace(...) FA__CALL3(fa_linspace, FA__SAME, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_logspace {offsetof(fa_logspace_options, fa__end), NULL, 10, FA_SAME, {0, 0}, false, 0}
#define fa_logspace(...) FA__CALL3(fa_logspace, FA__SAME, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_eye {offsetof(fa_eye_options, fa__end), NULL, -1, FA_SAME, {0, 0}, false, 0}
#define fa_eye(...) FA__CALL1(fa_eye, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_tril_indices {offsetof(fa_tril_indices_options, fa__end), NULL, 0, FA_SAME, {0, 0}, 0}
#define fa_tril_indices(...) FA__CALL2(fa_tril_indices, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_triu_indices {offsetof(fa_triu_indices_options, fa__end), NULL, 0, FA_SAME, {0, 0}, 0}
#define fa_triu_indices(...) FA__CALL2(fa_triu_indices, FA__SAME, FA__SAME, __VA_ARGS__)
/** @endcond */

FA__END
#endif
