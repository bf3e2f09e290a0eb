/* The four classes of the reference. */
#include "support/ssa_eval.h"
#include "support/gamma.h"
#include "support/special.h"
#include <math.h>
#include <stdbool.h>
#include <stddef.h>

/* To an integer of that many bits, as C converts what fits and others wrap. */
static double wrap(double x, int bits, bool is_signed)
{
    double modulus = ldexp(1, bits), low = fmod(trunc(x), modulus);
    low = low < 0 ? low + modulus : low;
    return is_signed && low >= modulus / 2 ? low - modulus : low;
}

/* To that many bits of mantissa, half to even; exponents are not limited. */
static double round_to(double x, int bits)
{
    int exponent;
    double mantissa = frexp(x, &exponent);
    return isfinite(x) ? ldexp(nearbyint(ldexp(mantissa, bits)), exponent - bits) : x;
}

/* As frexp has it, and 0 where there is none. */
static int exponent(double x)
{
    int e = 0;
    if (isfinite(x))
        (void)frexp(x, &e);
    return e;
}

/* To a multiple of `of`, half to the even one. */
static int64_t nearest_multiple(int64_t x, int64_t of)
{
    int64_t q = x / of, r = x - q * of, size = r < 0 ? -r : r;
    if (size > of - size || (size == of - size && q % 2 != 0))
        q += x < 0 ? -1 : 1;
    return (int64_t)((uint64_t)q * (uint64_t)of); /* wraps */
}

/* What is the same function in all classes; 0: none of these. */
static double of_reals(fa__prim prim, double x, double y)
{
    switch (prim) {
#define IS(prim, value)                                                                                                \
    case FA__PRIM_##prim:                                                                                              \
        return value;
        IS(sqrt, sqrt(x))
        IS(exp, exp(x))
        IS(log, log(x))
        IS(exp2, exp2(x))
        IS(expm1, expm1(x))
        IS(log2, log2(x))
        IS(log10, log10(x))
        IS(log1p, log1p(x))
        IS(tanh, tanh(x))
        IS(sigmoid, x < 0 ? exp(x) / (1 + exp(x)) : 1 / (1 + exp(-x)))
        IS(softplus, (x > 0 ? x : 0) + log1p(exp(-fabs(x))))
        IS(erf, erf(x))
        IS(erfc, erfc(x))
        IS(erfinv, (double)inverse_erf(x))
        IS(lgamma, lgamma(x))
        IS(digamma, (double)psi(0, x))
        IS(polygamma, (double)psi(x, y))
        IS(cbrt, cbrt(x))
        IS(exponent, exponent(x))
        IS(zeta, (double)zetal((long double)x, (long double)y))
        IS(igamma, (double)gamma_part((long double)x, (long double)y, 0))
        IS(igammac, (double)gamma_part((long double)x, (long double)y, 1))
        IS(erfcx, erfcx(x))
        IS(ndtr, (double)ndtrl((long double)x))
        IS(log_ndtr, (double)log_ndtrl((long double)x))
        IS(ndtri, (double)ndtril((long double)x))
        IS(i0, (double)(bessel_i(0, (long double)x) * expl(fabsl((long double)x))))
        IS(i0e, (double)bessel_i(0, (long double)x))
        IS(i1, (double)(bessel_i(1, (long double)x) * expl(fabsl((long double)x))))
        IS(i1e, (double)bessel_i(1, (long double)x))
        IS(bessel_j0, (double)bessel_j(0, (long double)x))
        IS(bessel_j1, (double)bessel_j(1, (long double)x))
        IS(bessel_y0, (double)bessel_y(0, (long double)x))
        IS(bessel_y1, (double)bessel_y(1, (long double)x))
        IS(modified_bessel_k0, (double)(bessel_k(0, (long double)x) * expl(-(long double)x)))
        IS(modified_bessel_k1, (double)(bessel_k(1, (long double)x) * expl(-(long double)x)))
        IS(scaled_modified_bessel_k0, (double)bessel_k(0, (long double)x))
        IS(scaled_modified_bessel_k1, (double)bessel_k(1, (long double)x))
        IS(sin, sin(x))
        IS(cos, cos(x))
        IS(tan, tan(x))
        IS(asin, asin(x))
        IS(acos, acos(x))
        IS(atan, atan(x))
        IS(atan2, atan2(x, y))
        IS(sinh, sinh(x))
        IS(cosh, cosh(x))
        IS(asinh, asinh(x))
        IS(acosh, acosh(x))
        IS(atanh, atanh(x))
        IS(hypot, hypot(x, y))
#undef IS
    default:
        return 0;
    }
}

#define NAME(name) name
#define T double
#define U double
#include "support/ssa_class.inc"
#undef NAME
#undef T
#undef U

#define NAME(name) name##_f32
#define T float
#define U float
#include "support/ssa_class.inc"
#undef NAME
#undef T
#undef U

#define NAME(name) name##_i32
#define T int32_t
#define U uint32_t
#include "support/ssa_class.inc"
#undef NAME
#undef T
#undef U

#define NAME(name) name##_i64
#define T int64_t
#define U uint64_t
#include "support/ssa_class.inc"
