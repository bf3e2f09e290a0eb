/* Division with remainder, floating-point parts, powers and bit counts. Most of these split a number: into quotient and
 * remainder, mantissa and exponent, fraction and whole. */
#include "dispatch/promote.h"
#include "dispatch/row.h"

/* ---- powers and roots ---- */

/** x to the power y, computed in f64 for all dtypes; the result is f64. */
POINTWISE(float_power, (x, y), y = pow(f64(x), f64(y)), TORCH("float_power(x, y)"),
          SAMPLES("p(3,4) (4); p(3) 2; 3 (4); () (); (0,2) p(2); n(9) n(9); i(5) i(5)"))

/** The cube root of x, negative for negative x. Its gradient is infinite at 0. */
POINTWISE(cbrt, (x), y = cbrt(x), TORCH("(copysign(abs(x) ** (1 / 3), x))"), SAMPLES("(3,4); p(3); (); (0,2); n(9)"))

/* ---- quotient and remainder ---- */

typedef struct {
    fa_arg x; /* the dividend */
    fa_arg y; /* the divisor; broadcasts with x */
} divmod_args;

static fa_tensor *divmod_compose(fa__call *c)
{
    const divmod_args *a = c->args;
    c->out[1] = fa_remainder(a->x, a->y);
    return c->out[1] ? fa_floor_divide(a->x, a->y) : NULL;
}

/** The pair fa_floor_divide(x, y) and fa_remainder(x, y): the quotient rounded down and the remainder. See there for
 *  signs and division by 0. */
OP(divmod, divmod_args, (quotient, remainder), .compose = divmod_compose,
   TORCH("(floor_divide(x, y), remainder(x, y))"),
   SAMPLES("(3,4) p(4); (3) 2; 7 p(3); () p(); (0,2) p(2); n(9) p(9); i(5) -3"))

/* ---- mantissa, exponent, fraction ---- */

typedef struct {
    const fa_tensor *x; /* floating */
} frexp_args;

static fa_tensor *frexp_compose(fa__call *c)
{
    const frexp_args *a = c->args;
    if (!fa__dtype_is_float(a->x->dtype)) {
        fa__call_fail(c, FA_ERROR_DTYPE, "x has to be floating");
        return NULL;
    }
    c->out[1] = fa_pointwise("i32(exponent(x))", a->x);
    if (!c->out[1])
        return NULL;
    return fa_pointwise("e = exponent(x); h = floor(e * 0.5); x * exp2(-h) * exp2(h - e)", a->x);
}

/** Splits x into mantissa and exponent, x = mantissa * 2^exponent, with 1/2 <= |mantissa| < 1 and an i32 exponent.
 *  Zeros, infinities and NaN are returned as mantissa with exponent 0. */
OP(frexp, frexp_args, (mantissa, exponent), .compose = frexp_compose, TORCH("frexp(x)"),
   SAMPLES("a(3,3); p(3,2); (); (0,2); t(5)"))

typedef struct {
    const fa_tensor *x; /* any dtype; integers and bool give f32 */
} modf_args;

static fa_tensor *modf_compose(fa__call *c)
{
    const modf_args *a = c->args;
    c->out[1] = fa_pointwise("trunc(x * 1.0)", a->x);
    return c->out[1] ? fa_pointwise("abs(x) == inf ? copysign(0, x) : fmod(x, 1.0)", a->x) : NULL;
}

/** Splits x into its fractional and its whole part, both with the sign of x. The fraction of an infinity is 0. */
OP(modf, modf_args, (fraction, whole), .compose = modf_compose,
   TORCH("(lambda v: (where(isinf(v), copysign(zeros_like(v), v), fmod(v, 1)), trunc(v)))(x * 1.0)"),
   SAMPLES("(3,4); (); (0,2); n(9); t(5)"))

typedef struct {
    const fa_tensor *x; /* floating */
} spacing_args;

static fa_tensor *spacing_compose(fa__call *c)
{
    const spacing_args *a = c->args;
    const fa_dtype_info *d = &fa__dtypes[a->x->dtype].info;
    if (!fa__dtype_is_float(a->x->dtype)) {
        fa__call_fail(c, FA_ERROR_DTYPE, "x has to be floating");
        return NULL;
    }
    return fa_pointwise("e = exp2(x == 0 ? z : maximum(exponent(x) - y, z)); abs(x) < inf ? (x < 0 ? -e : e) : nan",
                        a->x, d->digits, ilogb(d->smallest));
}

/** The distance from x to the next representable number away from 0, with the sign of x. It is NaN for infinities; at
 *  the largest finite number it is that number's distance to its neighbour towards 0, where NumPy gives infinity. */
OP(spacing, spacing_args, (y), .compose = spacing_compose, .inplace = INPLACE(none), TORCH(""),
   SAMPLES("(3,4); (); (0,2); n(9); t(5)"))

/** The next representable f32 or f64 after x towards y. */
POINTWISE(next_wide, (x, y), y = nextafter(x, y), INTERNAL, .inplace = INPLACE(x), TORCH("nextafter(x, y)"),
          SAMPLES("(3,4) (4); () (3); (0,2) (2); n(9) n(9); t(5) t(5)"))

/** The next representable number of a narrow dtype (stored as f32) with the given number of digits and exponents from
 *  `least` to `most`. Below a power of two the spacing is smaller. */
POINTWISE(next_low, (x, y, digits, least, most), e = maximum(exponent(x) - digits, least);
          half = (y > x) != (x > 0) && e > least && abs(x) == exp2(exponent(x) - 1); step = exp2(half ? e - 1 : e);
          beside = abs(x) + ((y > x) == (x > 0) ? step : -step);
          r = x == 0 ? exp2(least) : (abs(x) == inf ? most : beside); r = copysign(r, x == 0 ? y : x);
          y = x != x || y != y ? nan : (x == y ? y : r), INTERNAL, .inplace = INPLACE(x),
          .no_grad = "f16 and bf16 have none here", TORCH(""),
          SAMPLES("(3,4) (4) 11 -24 65504; () (3) 8 -133 3e38; (0,2) (2) 11 -24 65504; n(9) n(9) 11 -24 65504"))

typedef struct {
    fa_arg x; /* the start */
    fa_arg y; /* the direction; broadcasts with x, and dtypes are promoted */
} nextafter_args;

/* The promoted dtype of both; FA_SAME if both are numbers. */
static fa_dtype dtype_of_both(const nextafter_args *a)
{
    fa__promotion p = {FA_SAME, FA_SAME, FA_SAME};
    const fa_arg *both[] = {&a->x, &a->y};
    for (int i = 0; i < 2; i++) {
        const fa_tensor *t = both[i]->kind == FA__ARG_TENSOR ? fa__tensor_in(*both[i]) : NULL;
        uint8_t *of = t ? t->rank ? &p.dims : &p.zero : &p.number, dtype = t ? t->dtype : FA_F32;
        *of = (uint8_t)fa__promote((fa_dtype)*of, (fa_dtype)dtype);
    }
    return fa__promoted(p);
}

static fa_tensor *next_low(const fa__call *c, const fa_dtype_info *of)
{
    const nextafter_args *a = c->args;
    const fa_arg d = fa__arg_i(of->digits), l = fa__arg_i(ilogb(of->smallest)), m = fa__arg_f(of->largest);
    return c->inplace ? fa__next_low_(c->given, a->y, d, l, m) : fa__next_low(a->x, a->y, d, l, m);
}

static fa_tensor *nextafter_compose(fa__call *c)
{
    const nextafter_args *a = c->args;
    fa_dtype dtype = dtype_of_both(a);
    if (fa__dtype_is_half(dtype))
        return next_low(c, &fa__dtypes[dtype].info);
    return c->inplace ? fa__next_wide_(c->given, a->y) : fa__next_wide(a->x, a->y);
}

/** The next representable number after x towards y, in the promoted floating dtype of both. The gradient passes to x,
 *  except where x equals y; f16 and bf16 have no gradient. */
OP(nextafter, nextafter_args, (y), .compose = nextafter_compose, .inplace = INPLACE(x), TORCH("nextafter(x, y)"),
   SAMPLES("(3,4) (4); () (3); (0,2) (2); n(9) n(9); t(5) t(5)"))

/* ---- bits ---- */

/** The number of 1 bits in |x| (population count), as u8. Floating dtypes are an error. */
POINTWISE(bitwise_count, (x), v = abs(i64(bit_or(x, 0))); v = v - bit_and(shift_right(v, 1), 6148914691236517205);
          v = bit_and(v, 3689348814741910323) + bit_and(shift_right(v, 2), 3689348814741910323);
          v = bit_and(v + shift_right(v, 4), 1085102592571150095); v = v + shift_right(v, 8);
          v = v + shift_right(v, 16);
          y = u8(bit_and(v + shift_right(v, 32), 127)), TORCH(""), SAMPLES("(3,4); i(3,4); b(3); i(); i(0,2)"))

#include "decompose.rows"
