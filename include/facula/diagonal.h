/** @file
 *  Diagonals: as views, written into zeros, and what stands on one side of them.
 *
 *  Written by facula-rows from src/ops/diagonal.c: edit there. */
/* clang-format off */
#ifndef FACULA_DIAGONAL_H
#define FACULA_DIAGONAL_H
#include <facula/types.h>

FA__BEGIN

/** Options of fa_diagonal(). */
typedef struct fa_diagonal_options {
    size_t size;    /**< set by the macro */
    int64_t offset; /**< above the main diagonal; below it when negative */
    int64_t dim1;   /**< rows: negative counts from the end */
    int64_t dim2;   /**< columns: negative counts from the end */
    char fa__end;   /**< the end of what this version knows */
} fa_diagonal_options;

/** The diagonal of two dimensions, which go; it stands in a new last one: a view.
 *
 *      fa_diagonal(x, .offset = 0, .dim1 = 0, .dim2 = 1)
 *
 *  @param x a tensor
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return a view; NULL after an error */
FA_API fa_tensor *fa_diagonal(const fa_tensor *x, const fa_diagonal_options *options);

/** Options of fa_diag_embed(). */
typedef struct fa_diag_embed_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    int64_t offset; /**< above the main diagonal; below it when negative */
    int64_t dim1;   /**< of the result: rows; negative counts from the end */
    int64_t dim2;   /**< of the result: columns */
    char fa__end;   /**< the end of what this version knows */
} fa_diag_embed_options;

/** Zeros with the last dimension of x on a diagonal of two dimensions.
 *
 *      fa_diag_embed(x, .offset = 0, .dim1 = -2, .dim2 = -1, .out = NULL)
 *
 *  @param x a tensor
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_diag_embed(const fa_tensor *x, const fa_diag_embed_options *options);

/** Options of fa_diag(). */
typedef struct fa_diag_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    int64_t offset; /**< above the main diagonal; below it when negative */
    char fa__end;   /**< the end of what this version knows */
} fa_diag_options;

/** A matrix with the vector x on its diagonal; of a matrix the diagonal, a view.
 *
 *      fa_diag(x, .offset = 0, .out = NULL)
 *
 *  @param x a vector or a matrix
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_diag(const fa_tensor *x, const fa_diag_options *options);

/** Options of fa_tril(). */
typedef struct fa_tril_options {
    size_t size;      /**< set by the macro */
    fa_tensor *out;   /**< where to write, instead of into new memory */
    int64_t diagonal; /**< the last one that stays, above the main diagonal; below it when negative */
    char fa__end;     /**< the end of what this version knows */
} fa_tril_options;

/** The lower triangle of matrices: what stands above a diagonal becomes 0.
 *
 *      fa_tril(x, .diagonal = 0, .out = NULL)
 *
 *  @param x matrices: the last two dimensions
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_tril(const fa_tensor *x, const fa_tril_options *options);

/** fa_tril() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_tril_(fa_tensor *x, const fa_tril_options *options);

/** Options of fa_triu(). */
typedef struct fa_triu_options {
    size_t size;      /**< set by the macro */
    fa_tensor *out;   /**< where to write, instead of into new memory */
    int64_t diagonal; /**< the last one that stays, above the main diagonal; below it when negative */
    char fa__end;     /**< the end of what this version knows */
} fa_triu_options;

/** The upper triangle of matrices: what stands below a diagonal becomes 0.
 *
 *      fa_triu(x, .diagonal = 0, .out = NULL)
 *
 *  @param x matrices: the last two dimensions
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_triu(const fa_tensor *x, const fa_triu_options *options);

/** fa_triu() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_triu_(fa_tensor *x, const fa_triu_options *options);

/** @cond */
/* How named options, and numbers in the place of tensors, reach the functions above. */
#define FA__DEFAULT_fa_diagonal {offsetof(fa_diagonal_options, fa__end), 0, 0, 1, 0}
#define fa_diagonal(...) FA__CALL1(fa_diagonal, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_diag_embed {offsetof(fa_diag_embed_options, fa__end), NULL, 0, -2, -1, 0}
#define fa_diag_embed(...) FA__CALL1(fa_diag_embed, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_diag {offsetof(fa_diag_options, fa__end), NULL, 0, 0}
#define fa_diag(...) FA__CALL1(fa_diag, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_tril {offsetof(fa_tril_options, fa__end), NULL, 0, 0}
#define fa_tril(...) FA__CALL1(fa_tril, FA__SAME, __VA_ARGS__)
typedef fa_tril_options fa_tril__options;
#define FA__DEFAULT_fa_tril_ FA__DEFAULT_fa_tril
#define fa_tril_(...) FA__CALL1(fa_tril_, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_triu {offsetof(fa_triu_options, fa__end), NULL, 0, 0}
#define fa_triu(...) FA__CALL1(fa_triu, FA__SAME, __VA_ARGS__)
typedef fa_triu_options fa_triu__options;
#define FA__DEFAULT_fa_triu_ FA__DEFAULT_fa_triu
#define fa_triu_(...) FA__CALL1(fa_triu_, FA__SAME, __VA_ARGS__)
/** @endcond */

FA__END
#endif
