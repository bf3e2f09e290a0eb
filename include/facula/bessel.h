/** @file
 *  Bessel functions of the orders 0 and 1. One expression each; integers and bool give f32.
 *
 *  Written by facula-rows from src/ops/bessel.c: edit there. */
/* clang-format off */
#ifndef FACULA_BESSEL_H
#define FACULA_BESSEL_H
#include <facula/types.h>

FA__BEGIN

/** Options of fa_i0(). */
typedef struct fa_i0_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_i0_options;

/** The modified Bessel function of the first kind of order 0. At infinities it is infinite, where PyTorch has NaN.
 *
 *      fa_i0(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_i0(const fa_tensor *x, const fa_i0_options *options);

/** fa_i0() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_i0_(fa_tensor *x, const fa_i0_options *options);

/** Options of fa_i0e(). */
typedef struct fa_i0e_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_i0e_options;

/** exp(-|x|) * fa_i0(x), which does not overflow.
 *
 *      fa_i0e(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_i0e(const fa_tensor *x, const fa_i0e_options *options);

/** fa_i0e() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_i0e_(fa_tensor *x, const fa_i0e_options *options);

/** Options of fa_i1(). */
typedef struct fa_i1_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_i1_options;

/** The modified Bessel function of the first kind of order 1. At infinities it is infinite, where PyTorch has NaN.
 *
 *      fa_i1(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_i1(const fa_tensor *x, const fa_i1_options *options);

/** fa_i1() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_i1_(fa_tensor *x, const fa_i1_options *options);

/** Options of fa_i1e(). */
typedef struct fa_i1e_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_i1e_options;

/** exp(-|x|) * fa_i1(x), which does not overflow.
 *
 *      fa_i1e(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_i1e(const fa_tensor *x, const fa_i1e_options *options);

/** fa_i1e() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_i1e_(fa_tensor *x, const fa_i1e_options *options);

/** Options of fa_modified_bessel_k0(). */
typedef struct fa_modified_bessel_k0_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_modified_bessel_k0_options;

/** The modified Bessel function of the second kind of order 0. Infinite at 0, NaN below.
 *
 *      fa_modified_bessel_k0(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_modified_bessel_k0(const fa_tensor *x, const fa_modified_bessel_k0_options *options);

/** fa_modified_bessel_k0() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_modified_bessel_k0_(fa_tensor *x, const fa_modified_bessel_k0_options *options);

/** Options of fa_modified_bessel_k1(). */
typedef struct fa_modified_bessel_k1_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_modified_bessel_k1_options;

/** The modified Bessel function of the second kind of order 1. Infinite at 0, NaN below.
 *
 *      fa_modified_bessel_k1(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_modified_bessel_k1(const fa_tensor *x, const fa_modified_bessel_k1_options *options);

/** fa_modified_bessel_k1() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_modified_bessel_k1_(fa_tensor *x, const fa_modified_bessel_k1_options *options);

/** Options of fa_scaled_modified_bessel_k0(). */
typedef struct fa_scaled_modified_bessel_k0_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_scaled_modified_bessel_k0_options;

/** exp(x) * fa_modified_bessel_k0(x), which does not vanish for large x.
 *
 *      fa_scaled_modified_bessel_k0(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_scaled_modified_bessel_k0(const fa_tensor *x, const fa_scaled_modified_bessel_k0_options *options);

/** fa_scaled_modified_bessel_k0() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_scaled_modified_bessel_k0_(fa_tensor *x, const fa_scaled_modified_bessel_k0_options *options);

/** Options of fa_scaled_modified_bessel_k1(). */
typedef struct fa_scaled_modified_bessel_k1_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_scaled_modified_bessel_k1_options;

/** exp(x) * fa_modified_bessel_k1(x), which does not vanish for large x.
 *
 *      fa_scaled_modified_bessel_k1(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_scaled_modified_bessel_k1(const fa_tensor *x, const fa_scaled_modified_bessel_k1_options *options);

/** fa_scaled_modified_bessel_k1() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_scaled_modified_bessel_k1_(fa_tensor *x, const fa_scaled_modified_bessel_k1_options *options);

/** Options of fa_bessel_j0(). */
typedef struct fa_bessel_j0_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_bessel_j0_options;

/** The Bessel function of the first kind of order 0. At infinities it is 0, where PyTorch has NaN.
 *
 *      fa_bessel_j0(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_bessel_j0(const fa_tensor *x, const fa_bessel_j0_options *options);

/** fa_bessel_j0() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_bessel_j0_(fa_tensor *x, const fa_bessel_j0_options *options);

/** Options of fa_bessel_j1(). */
typedef struct fa_bessel_j1_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_bessel_j1_options;

/** The Bessel function of the first kind of order 1. At infinities it is 0, where PyTorch has NaN.
 *
 *      fa_bessel_j1(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_bessel_j1(const fa_tensor *x, const fa_bessel_j1_options *options);

/** fa_bessel_j1() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_bessel_j1_(fa_tensor *x, const fa_bessel_j1_options *options);

/** Options of fa_bessel_y0(). */
typedef struct fa_bessel_y0_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_bessel_y0_options;

/** The Bessel function of the second kind of order 0. -infinity at 0, NaN below; 0 at infinity, where
 *  PyTorch has NaN.
 *
 *      fa_bessel_y0(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_bessel_y0(const fa_tensor *x, const fa_bessel_y0_options *options);

/** fa_bessel_y0() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_bessel_y0_(fa_tensor *x, const fa_bessel_y0_options *options);

/** Options of fa_bessel_y1(). */
typedef struct fa_bessel_y1_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_bessel_y1_options;

/** The Bessel function of the second kind of order 1. -infinity at 0, NaN below; 0 at infinity, where
 *  PyTorch has NaN.
 *
 *      fa_bessel_y1(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_bessel_y1(const fa_tensor *x, const fa_bessel_y1_options *options);

/** fa_bessel_y1() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_bessel_y1_(fa_tensor *x, const fa_bessel_y1_options *options);

/** Options of fa_spherical_bessel_j0(). */
typedef struct fa_spherical_bessel_j0_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_spherical_bessel_j0_options;

/** The spherical Bessel function of the first kind of order 0: sin(x) / x, 1 at 0, 0 at infinities.
 *
 *      fa_spherical_bessel_j0(x, .out = NULL)
 *
 *  @param x a tensor
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_spherical_bessel_j0(const fa_tensor *x, const fa_spherical_bessel_j0_options *options);

/** fa_spherical_bessel_j0() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_spherical_bessel_j0_(fa_tensor *x, const fa_spherical_bessel_j0_options *options);

/** @cond */
/* How named options, and numbers in the place of tensors, reach the functions above. */
#define FA__DEFAULT_fa_i0 {offsetof(fa_i0_options, fa__end), NULL, 0}
#define fa_i0(...) FA__CALL1(fa_i0, FA__SAME, __VA_ARGS__)
typedef fa_i0_options fa_i0__options;
#define FA__DEFAULT_fa_i0_ FA__DEFAULT_fa_i0
#define fa_i0_(...) FA__CALL1(fa_i0_, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_i0e {offsetof(fa_i0e_options, fa__end), NULL, 0}
#define fa_i0e(...) FA__CALL1(fa_i0e, FA__SAME, __VA_ARGS__)
typedef fa_i0e_options fa_i0e__options;
#define FA__DEFAULT_fa_i0e_ FA__DEFAULT_fa_i0e
#define fa_i0e_(...) FA__CALL1(fa_i0e_, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_i1 {offsetof(fa_i1_options, fa__end), NULL, 0}
#define fa_i1(...) FA__CALL1(fa_i1, FA__SAME, __VA_ARGS__)
typedef fa_i1_options fa_i1__options;
#define FA__DEFAULT_fa_i1_ FA__DEFAULT_fa_i1
#define fa_i1_(...) FA__CALL1(fa_i1_, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_i1e {offsetof(fa_i1e_options, fa__end), NULL, 0}
#define fa_i1e(...) FA__CALL1(fa_i1e, FA__SAME, __VA_ARGS__)
typedef fa_i1e_options fa_i1e__options;
#define FA__DEFAULT_fa_i1e_ FA__DEFAULT_fa_i1e
#define fa_i1e_(...) FA__CALL1(fa_i1e_, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_modified_bessel_k0 {offsetof(fa_modified_bessel_k0_options, fa__end), NULL, 0}
#define fa_modified_bessel_k0(...) FA__CALL1(fa_modified_bessel_k0, FA__SAME, __VA_ARGS__)
typedef fa_modified_bessel_k0_options fa_modified_bessel_k0__options;
#define FA__DEFAULT_fa_modified_bessel_k0_ FA__DEFAULT_fa_modified_bessel_k0
#define fa_modified_bessel_k0_(...) FA__CALL1(fa_modified_bessel_k0_, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_modified_bessel_k1 {offsetof(fa_modified_bessel_k1_options, fa__end), NULL, 0}
#define fa_modified_bessel_k1(...) FA__CALL1(fa_modified_bessel_k1, FA__SAME, __VA_ARGS__)
typedef fa_modified_bessel_k1_options fa_modified_bessel_k1__options;
#define FA__DEFAULT_fa_modified_bessel_k1_ FA__DEFAULT_fa_modified_bessel_k1
#define fa_modified_bessel_k1_(...) FA__CALL1(fa_modified_bessel_k1_, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_scaled_modified_bessel_k0 {offsetof(fa_scaled_modified_bessel_k0_options, fa__end), NULL, 0}
#define fa_scaled_modified_bessel_k0(...) FA__CALL1(fa_scaled_modified_bessel_k0, FA__SAME, __VA_ARGS__)
typedef fa_scaled_modified_bessel_k0_options fa_scaled_modified_bessel_k0__options;
#define FA__DEFAULT_fa_scaled_modified_bessel_k0_ FA__DEFAULT_fa_scaled_modified_bessel_k0
#define fa_scaled_modified_bessel_k0_(...) FA__CALL1(fa_scaled_modified_bessel_k0_, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_scaled_modified_bessel_k1 {offsetof(fa_scaled_modified_bessel_k1_options, fa__end), NULL, 0}
#define fa_scaled_modified_bessel_k1(...) FA__CALL1(fa_scaled_modified_bessel_k1, FA__SAME, __VA_ARGS__)
typedef fa_scaled_modified_bessel_k1_options fa_scaled_modified_bessel_k1__options;
#define FA__DEFAULT_fa_scaled_modified_bessel_k1_ FA__DEFAULT_fa_scaled_modified_bessel_k1
#define fa_scaled_modified_bessel_k1_(...) FA__CALL1(fa_scaled_modified_bessel_k1_, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_bessel_j0 {offsetof(fa_bessel_j0_options, fa__end), NULL, 0}
#define fa_bessel_j0(...) FA__CALL1(fa_bessel_j0, FA__SAME, __VA_ARGS__)
typedef fa_bessel_j0_options fa_bessel_j0__options;
#define FA__DEFAULT_fa_bessel_j0_ FA__DEFAULT_fa_bessel_j0
#define fa_bessel_j0_(...) FA__CALL1(fa_bessel_j0_, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_bessel_j1 {offsetof(fa_bessel_j1_options, fa__end), NULL, 0}
#define fa_bessel_j1(...) FA__CALL1(fa_bessel_j1, FA__SAME, __VA_ARGS__)
typedef fa_bessel_j1_options fa_bessel_j1__options;
#define FA__DEFAULT_fa_bessel_j1_ FA__DEFAULT_fa_bessel_j1
#define fa_bessel_j1_(...) FA__CALL1(fa_bessel_j1_, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_bessel_y0 {offsetof(fa_bessel_y0_options, fa__end), NULL, 0}
#define fa_bessel_y0(...) FA__CALL1(fa_bessel_y0, FA__SAME, __VA_ARGS__)
typedef fa_bessel_y0_options fa_bessel_y0__options;
#define FA__DEFAULT_fa_bessel_y0_ FA__DEFAULT_fa_bessel_y0
#define fa_bessel_y0_(...) FA__CALL1(fa_bessel_y0_, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_bessel_y1 {offsetof(fa_bessel_y1_options, fa__end), NULL, 0}
#define fa_bessel_y1(...) FA__CALL1(fa_bessel_y1, FA__SAME, __VA_ARGS__)
typedef fa_bessel_y1_options fa_bessel_y1__options;
#define FA__DEFAULT_fa_bessel_y1_ FA__DEFAULT_fa_bessel_y1
#define fa_bessel_y1_(...) FA__CALL1(fa_bessel_y1_, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_spherical_bessel_j0 {offsetof(fa_spherical_bessel_j0_options, fa__end), NULL, 0}
#define fa_spherical_bessel_j0(...) FA__CALL1(fa_spherical_bessel_j0, FA__SAME, __VA_ARGS__)
typedef fa_spherical_bessel_j0_options fa_spherical_bessel_j0__options;
#define FA__DEFAULT_fa_spherical_bessel_j0_ FA__DEFAULT_fa_spherical_bessel_j0
#define fa_spherical_bessel_j0_(...) FA__CALL1(fa_spherical_bessel_j0_, FA__SAME, __VA_ARGS__)
/** @endcond */

FA__END
#endif
