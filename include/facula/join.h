/** @file
 *  Joining tensors along a new dimension, or along one that they are given: cat itself is in index.h.
 *
 *  Written by facula-rows from src/ops/join.c: edit there. */
/* clang-format off */
#ifndef FACULA_JOIN_H
#define FACULA_JOIN_H
#include <facula/types.h>

FA__BEGIN

/** Options of fa_stack(). */
typedef struct fa_stack_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    int64_t dim;    /**< where the new dimension stands; negative counts from the end */
    char fa__end;   /**< the end of what this version knows */
} fa_stack_options;

/** Tensors of one shape, joined along a new dimension; their dtypes promote.
 *
 *      fa_stack(x, .dim = 0, .out = NULL)
 *
 *  @param x one or more, all of one shape
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_stack(fa_tensors x, const fa_stack_options *options);

/** Options of fa_hstack(). */
typedef struct fa_hstack_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_hstack_options;

/** Tensors joined side by side: along dimension 1, vectors along dimension 0.
 *
 *      fa_hstack(x, .out = NULL)
 *
 *  @param x one or more
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_hstack(fa_tensors x, const fa_hstack_options *options);

/** Options of fa_vstack(). */
typedef struct fa_vstack_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_vstack_options;

/** Tensors joined one below the other: along dimension 0; a vector is a row.
 *
 *      fa_vstack(x, .out = NULL)
 *
 *  @param x one or more
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_vstack(fa_tensors x, const fa_vstack_options *options);

/** Options of fa_dstack(). */
typedef struct fa_dstack_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_dstack_options;

/** Tensors joined one behind the other: along dimension 2; a vector of n is (1, n, 1), a matrix (m, n, 1).
 *
 *      fa_dstack(x, .out = NULL)
 *
 *  @param x one or more
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_dstack(fa_tensors x, const fa_dstack_options *options);

/** Options of fa_column_stack(). */
typedef struct fa_column_stack_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_column_stack_options;

/** Tensors joined along dimension 1; a vector is a column.
 *
 *      fa_column_stack(x, .out = NULL)
 *
 *  @param x one or more
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_column_stack(fa_tensors x, const fa_column_stack_options *options);

/** @cond */
/* How named options, and numbers in the place of tensors, reach the functions above. */
#define FA__DEFAULT_fa_stack {offsetof(fa_stack_options, fa__end), NULL, 0, 0}
#define fa_stack(...) FA__CALL1(fa_stack, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_hstack {offsetof(fa_hstack_options, fa__end), NULL, 0}
#define fa_hstack(...) FA__CALL1(fa_hstack, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_vstack {offsetof(fa_vstack_options, fa__end), NULL, 0}
#define fa_vstack(...) FA__CALL1(fa_vstack, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_dstack {offsetof(fa_dstack_options, fa__end), NULL, 0}
#define fa_dstack(...) FA__CALL1(fa_dstack, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_column_stack {offsetof(fa_column_stack_options, fa__end), NULL, 0}
#define fa_column_stack(...) FA__CALL1(fa_column_stack, FA__SAME, __VA_ARGS__)
/** @endcond */

FA__END
#endif
