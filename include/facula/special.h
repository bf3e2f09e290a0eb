/** @file
 *  Special functions around entropy, the normal distribution, gamma and zeta: others are in math.h. One expression
 *  each; integers and bool give f32.
 *
 *  Written by facula-rows from src/ops/special.c: edit there. */
/* clang-format off */
#ifndef FACULA_SPECIAL_H
#define FACULA_SPECIAL_H
#include <facula/types.h>

FA__BEGIN

/** Options of fa_xlog1py(). */
typedef struct fa_xlog1py_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_xlog1py_options;

/** x * log(1 + y), exact for small y too; 0 where x is 0, unless y is NaN.
 *
 *      fa_xlog1py(x, y, .out = NULL)
 *
 *  @param x a tensor or a number
 *  @param y a tensor or a number
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_xlog1py(fa_arg x, fa_arg y, const fa_xlog1py_options *options);

/** fa_xlog1py() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_xlog1py_(fa_tensor *x, fa_arg y, const fa_xlog1py_options *options);

/** Options of fa_entr(). */
typedef struct fa_entr_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_entr_options;

/** -x * log(x); 0 at 0, -infinity for negative x. The gradient is 0 where x is not positive.
 *
 *      fa_entr(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_entr(const fa_tensor *x, const fa_entr_options *options);

/** fa_entr() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_entr_(fa_tensor *x, const fa_entr_options *options);

/** Options of fa_erfcx(). */
typedef struct fa_erfcx_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_erfcx_options;

/** exp(x * x) * erfc(x), which does not vanish for large x.
 *
 *      fa_erfcx(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_erfcx(const fa_tensor *x, const fa_erfcx_options *options);

/** fa_erfcx() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_erfcx_(fa_tensor *x, const fa_erfcx_options *options);

/** Options of fa_ndtr(). */
typedef struct fa_ndtr_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_ndtr_options;

/** The part of the standard normal distribution that is below x, with all its digits for large negative x.
 *
 *      fa_ndtr(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_ndtr(const fa_tensor *x, const fa_ndtr_options *options);

/** fa_ndtr() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_ndtr_(fa_tensor *x, const fa_ndtr_options *options);

/** Options of fa_log_ndtr(). */
typedef struct fa_log_ndtr_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_log_ndtr_options;

/** The logarithm of fa_ndtr(), also where that is too small to be a number.
 *
 *      fa_log_ndtr(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_log_ndtr(const fa_tensor *x, const fa_log_ndtr_options *options);

/** fa_log_ndtr() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_log_ndtr_(fa_tensor *x, const fa_log_ndtr_options *options);

/** Options of fa_ndtri(). */
typedef struct fa_ndtri_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_ndtri_options;

/** The inverse of fa_ndtr(): the quantiles of the standard normal distribution. Infinite at 0 and 1, NaN beyond.
 *
 *      fa_ndtri(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_ndtri(const fa_tensor *x, const fa_ndtri_options *options);

/** fa_ndtri() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_ndtri_(fa_tensor *x, const fa_ndtri_options *options);

/** Options of fa_zeta(). */
typedef struct fa_zeta_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_zeta_options;

/** Hurwitz's zeta function: the sum of (q + k)^-x over all integers k >= 0, for x > 1. NaN for smaller x, infinite
 *  where x is 1 and where q is 0 or a negative integer; for other negative q x has to be an integer. There is no
 *  gradient for x: asking for it is an error.
 *
 *      fa_zeta(x, q, .out = NULL)
 *
 *  @param x a tensor or a number
 *  @param q a tensor or a number
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_zeta(fa_arg x, fa_arg q, const fa_zeta_options *options);

/** fa_zeta() in place: writes the result into q, and returns it. */
FA_API fa_tensor *fa_zeta_(fa_arg x, fa_tensor *q, const fa_zeta_options *options);

/** Options of fa_igamma(). */
typedef struct fa_igamma_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_igamma_options;

/** The regularized lower incomplete gamma function: the part of the gamma distribution of shape a that is below x. From
 *  0 to 1; NaN for negative operands, and where both are 0 or both are infinite. There is no gradient for a: asking for
 *  it is an error.
 *
 *      fa_igamma(a, x, .out = NULL)
 *
 *  @param a a tensor or a number
 *  @param x a tensor or a number
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_igamma(fa_arg a, fa_arg x, const fa_igamma_options *options);

/** fa_igamma() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_igamma_(fa_arg a, fa_tensor *x, const fa_igamma_options *options);

/** Options of fa_igammac(). */
typedef struct fa_igammac_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_igammac_options;

/** The regularized upper incomplete gamma function, 1 - fa_igamma(a, x) with all its digits where that is small.
 *
 *      fa_igammac(a, x, .out = NULL)
 *
 *  @param a a tensor or a number
 *  @param x a tensor or a number
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_igammac(fa_arg a, fa_arg x, const fa_igammac_options *options);

/** fa_igammac() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_igammac_(fa_arg a, fa_tensor *x, const fa_igammac_options *options);

/** Options of fa_multigammaln(). */
typedef struct fa_multigammaln_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_multigammaln_options;

/** The logarithm of the multivariate gamma function of dimension p, for x > (p - 1) / 2: the sum of lgamma(x - j / 2)
 *  over j from 0 to p - 1, and p (p - 1) / 4 log(pi).
 *
 *      fa_multigammaln(x, p, .out = NULL)
 *
 *  @param x any dtype but bool
 *  @param p the dimension: at least 1
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_multigammaln(const fa_tensor *x, int64_t p, const fa_multigammaln_options *options);

/** @cond */
/* How named options, and numbers in the place of tensors, reach the functions above. */
#define FA__DEFAULT_fa_xlog1py {offsetof(fa_xlog1py_options, fa__end), NULL, 0}
#define fa_xlog1py(...) FA__CALL2(fa_xlog1py, FA__ARG, FA__ARG, __VA_ARGS__)
typedef fa_xlog1py_options fa_xlog1py__options;
#define FA__DEFAULT_fa_xlog1py_ FA__DEFAULT_fa_xlog1py
#define fa_xlog1py_(...) FA__CALL2(fa_xlog1py_, FA__SAME, FA__ARG, __VA_ARGS__)
#define FA__DEFAULT_fa_entr {offsetof(fa_entr_options, fa__end), NULL, 0}
#define fa_entr(...) FA__CALL1(fa_entr, FA__SAME, __VA_ARGS__)
typedef fa_entr_options fa_entr__options;
#define FA__DEFAULT_fa_entr_ FA__DEFAULT_fa_entr
#define fa_entr_(...) FA__CALL1(fa_entr_, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_erfcx {offsetof(fa_erfcx_options, fa__end), NULL, 0}
#define fa_erfcx(...) FA__CALL1(fa_erfcx, FA__SAME, __VA_ARGS__)
typedef fa_erfcx_options fa_erfcx__options;
#define FA__DEFAULT_fa_erfcx_ FA__DEFAULT_fa_erfcx
#define fa_erfcx_(...) FA__CALL1(fa_erfcx_, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_ndtr {offsetof(fa_ndtr_options, fa__end), NULL, 0}
#define fa_ndtr(...) FA__CALL1(fa_ndtr, FA__SAME, __VA_ARGS__)
typedef fa_ndtr_options fa_ndtr__options;
#define FA__DEFAULT_fa_ndtr_ FA__DEFAULT_fa_ndtr
#define fa_ndtr_(...) FA__CALL1(fa_ndtr_, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_log_ndtr {offsetof(fa_log_ndtr_options, fa__end), NULL, 0}
#define fa_log_ndtr(...) FA__CALL1(fa_log_ndtr, FA__SAME, __VA_ARGS__)
typedef fa_log_ndtr_options fa_log_ndtr__options;
#define FA__DEFAULT_fa_log_ndtr_ FA__DEFAULT_fa_log_ndtr
#define fa_log_ndtr_(...) FA__CALL1(fa_log_ndtr_, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_ndtri {offsetof(fa_ndtri_options, fa__end), NULL, 0}
#define fa_ndtri(...) FA__CALL1(fa_ndtri, FA__SAME, __VA_ARGS__)
typedef fa_ndtri_options fa_ndtri__options;
#define FA__DEFAULT_fa_ndtri_ FA__DEFAULT_fa_ndtri
#define fa_ndtri_(...) FA__CALL1(fa_ndtri_, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_zeta {offsetof(fa_zeta_options, fa__end), NULL, 0}
#define fa_zeta(...) FA__CALL2(fa_zeta, FA__ARG, FA__ARG, __VA_ARGS__)
typedef fa_zeta_options fa_zeta__options;
#define FA__DEFAULT_fa_zeta_ FA__DEFAULT_fa_zeta
#define fa_zeta_(...) FA__CALL2(fa_zeta_, FA__ARG, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_igamma {offsetof(fa_igamma_options, fa__end), NULL, 0}
#define fa_igamma(...) FA__CALL2(fa_igamma, FA__ARG, FA__ARG, __VA_ARGS__)
typedef fa_igamma_options fa_igamma__options;
#define FA__DEFAULT_fa_igamma_ FA__DEFAULT_fa_igamma
#define fa_igamma_(...) FA__CALL2(fa_igamma_, FA__ARG, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_igammac {offsetof(fa_igammac_options, fa__end), NULL, 0}
#define fa_igammac(...) FA__CALL2(fa_igammac, FA__ARG, FA__ARG, __VA_ARGS__)
typedef fa_igammac_options fa_igammac__options;
#define FA__DEFAULT_fa_igammac_ FA__DEFAULT_fa_igammac
#define fa_igammac_(...) FA__CALL2(fa_igammac_, FA__ARG, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_multigammaln {offsetof(fa_multigammaln_options, fa__end), NULL, 0}
#define fa_multigammaln(...) FA__CALL2(fa_multigammaln, FA__SAME, FA__SAME, __VA_ARGS__)
/** @endcond */

FA__END
#endif
