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
