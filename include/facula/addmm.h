/** @file
 *  Matrix products that are added to something: beta * input + alpha * product. Where beta is 0 input does not count,
 *  NaN in it neither. Operands have one dtype, which is not bool, but addr promotes; for integers alpha and beta are
 *  integers.
 *
 *  Written by facula-rows from src/ops/addmm.c: edit there. */
/* clang-format off */
#ifndef FACULA_ADDMM_H
#define FACULA_ADDMM_H
#include <facula/types.h>

FA__BEGIN

/** Options of fa_addmm(). */
typedef struct fa_addmm_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    double beta;    /**< what input is multiplied by; 0: it does not count */
    double alpha;   /**< what the product is multiplied by */
    char fa__end;   /**< the end of what this version knows */
} fa_addmm_options;

/** beta * input + alpha * the product of two matrices: (n, m).
 *
 *      fa_addmm(input, a, b, .beta = 1, .alpha = 1, .out = NULL)
 *
 *  @param input broadcasts to (n, m)
 *  @param a (n, k)
 *  @param b (k, m)
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_addmm(const fa_tensor *input, const fa_tensor *a, const fa_tensor *b, const fa_addmm_options *options);

/** Options of fa_addmv(). */
typedef struct fa_addmv_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    double beta;    /**< what input is multiplied by; 0: it does not count */
    double alpha;   /**< what the product is multiplied by */
    char fa__end;   /**< the end of what this version knows */
} fa_addmv_options;

/** beta * input + alpha * the product of a matrix and a vector: (n).
 *
 *      fa_addmv(input, x, vec, .beta = 1, .alpha = 1, .out = NULL)
 *
 *  @param input broadcasts to (n)
 *  @param x (n, m)
 *  @param vec (m)
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_addmv(const fa_tensor *input, const fa_tensor *x, const fa_tensor *vec, const fa_addmv_options *options);

/** Options of fa_addr(). */
typedef struct fa_addr_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    double beta;    /**< what input is multiplied by; 0: it does not count */
    double alpha;   /**< what the product is multiplied by */
    char fa__end;   /**< the end of what this version knows */
} fa_addr_options;

/** beta * input + alpha * each element of vec1 times each of vec2: (n, m). Made element by element: dtypes promote.
 *
 *      fa_addr(input, vec1, vec2, .beta = 1, .alpha = 1, .out = NULL)
 *
 *  @param input broadcasts to (n, m)
 *  @param vec1 (n)
 *  @param vec2 (m)
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_addr(const fa_tensor *input, const fa_tensor *vec1, const fa_tensor *vec2, const fa_addr_options *options);

/** Options of fa_baddbmm(). */
typedef struct fa_baddbmm_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    double beta;    /**< what input is multiplied by; 0: it does not count */
    double alpha;   /**< what the products are multiplied by */
    char fa__end;   /**< the end of what this version knows */
} fa_baddbmm_options;

/** beta * input + alpha * the product of each matrix of a with that of b: (batch, n, m).
 *
 *      fa_baddbmm(input, a, b, .beta = 1, .alpha = 1, .out = NULL)
 *
 *  @param input broadcasts to (batch, n, m)
 *  @param a (batch, n, k)
 *  @param b (batch, k, m)
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_baddbmm(const fa_tensor *input, const fa_tensor *a, const fa_tensor *b, const fa_baddbmm_options *options);

/** Options of fa_addbmm(). */
typedef struct fa_addbmm_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    double beta;    /**< what input is multiplied by; 0: it does not count */
    double alpha;   /**< what the sum of the products is multiplied by */
    char fa__end;   /**< the end of what this version knows */
} fa_addbmm_options;

/** beta * input + alpha * the sum of the products of each matrix of a with that of b: (n, m).
 *
 *      fa_addbmm(input, a, b, .beta = 1, .alpha = 1, .out = NULL)
 *
 *  @param input broadcasts to (n, m)
 *  @param a (batch, n, k)
 *  @param b (batch, k, m)
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_addbmm(const fa_tensor *input, const fa_tensor *a, const fa_tensor *b, const fa_addbmm_options *options);

/** @cond */
/* How named options, and numbers in the place of tensors, reach the functions above. */
#define FA__DEFAULT_fa_addmm {offsetof(fa_addmm_options, fa__end), NULL, 1, 1, 0}
#define fa_addmm(...) FA__CALL3(fa_addmm, FA__SAME, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_addmv {offsetof(fa_addmv_options, fa__end), NULL, 1, 1, 0}
#define fa_addmv(...) FA__CALL3(fa_addmv, FA__SAME, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_addr {offsetof(fa_addr_options, fa__end), NULL, 1, 1, 0}
#define fa_addr(...) FA__CALL3(fa_addr, FA__SAME, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_baddbmm {offsetof(fa_baddbmm_options, fa__end), NULL, 1, 1, 0}
#define fa_baddbmm(...) FA__CALL3(fa_baddbmm, FA__SAME, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_addbmm {offsetof(fa_addbmm_options, fa__end), NULL, 1, 1, 0}
#define fa_addbmm(...) FA__CALL3(fa_addbmm, FA__SAME, FA__SAME, FA__SAME, __VA_ARGS__)
/** @endcond */

FA__END
#endif
