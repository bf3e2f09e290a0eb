/* Exponentials, logarithms, trigonometry, rounding and division. Each is one expression, element by element. Integers
 * and bool give f32 unless the operation says that they stay integers. */
#include "dispatch/row.h"

/* ---- exponentials and logarithms ---- */

/** 2 to the power x. */
POINTWISE(exp2, (x), y = exp2(x), TORCH("exp2(x)"), SAMPLES("(3,4); (); (0,2); n(9)"))

/* From the result alone, as in PyTorch, so that x may be changed, also by the in-place form. */
static void expm1_grad(fa__back *b)
{
    fa__set_input_grad(b, b->args, fa_pointwise("x * (y + 1)", b->gy[0], b->y[0]));
}

/** exp(x) - 1, accurate near 0. */
POINTWISE(expm1, (x), y = expm1(x), .grad = expm1_grad, .keep = KEEP(y), .autocast = FA__CAST_F32, TORCH("expm1(x)"),
          SAMPLES("(3,4); (); (0,2); n(9)"))

/** The base-2 logarithm of x. */
POINTWISE(log2, (x), y = log2(x), .autocast = FA__CAST_F32, TORCH("log2(x)"), SAMPLES("p(3,4); p(); (0,2); n(9)"))

/** The base-10 logarithm of x. */
POINTWISE(log10, (x), y = log10(x), .autocast = FA__CAST_F32, TORCH("log10(x)"), SAMPLES("p(3,4); p(); (0,2); n(9)"))

/** log(1 + x), the natural logarithm, accurate near 0. */
POINTWISE(log1p, (x), y = log1p(x), .autocast = FA__CAST_F32, TORCH("log1p(x)"), SAMPLES("p(3,4); p(); (0,2); n(9)"))

/** log(exp(x) + exp(y)), computed without overflow. */
POINTWISE(logaddexp, (x, y), y = abs(x) == inf && x == y ? x : (x >= y ? x : y) + softplus(x >= y ? y - x : x - y),
          TORCH("logaddexp(x, y)"), SAMPLES("(3,4) (4); () (3); (0,2) (2); n(9) n(9)"))

/** log2(2^x + 2^y), computed without overflow. */
POINTWISE(logaddexp2, (x, y),
          y = abs(x) == inf && x == y
                  ? x
                  : (x >= y ? x : y) + softplus((x >= y ? y - x : x - y) * 0.6931471805599453) * 1.4426950408889634,
          TORCH("logaddexp2(x, y)"), SAMPLES("(3,4) (4); () (3); (0,2) (2); n(9) n(9)"))

/** x * log(y); 0 where x is 0, unless y is NaN. */
POINTWISE(xlogy, (x, y), y = x == 0 && (y <= 0 || y == inf) ? 0 : x * log(y), TORCH("xlogy(x, y)"),
          SAMPLES("(3,4) p(4); 2 p(3); p() p(); (0,2) p(2); n(9) n(9)"))

/** The inverse of sigmoid: log(x / (1 - x)). With eps >= 0, x is first clamped to [eps, 1 - eps]. Without eps the
 *  gradient at exactly 0 and 1 is NaN. */
POINTWISE(logit, (x, eps = -1),
          y = (eps < 0 ? x : minimum(maximum(x, eps), 1 - eps))
              / (1 - (eps < 0 ? x : minimum(maximum(x, eps), 1 - eps)));
          y = log(y), TORCH("logit(x, eps if eps >= 0 else None)"),
          SAMPLES("u(3,4) eps=0.25; (3,4) eps=0.1; (0,2); n(9)"))

/* ---- powers ---- */

/** x * x. Integers stay integers. */
POINTWISE(square, (x), y = x * x, DIFFERS("bool: a product of bool is bool"), TORCH("square(x)"),
          SAMPLES("(3,4); (); (0,2); n(9)"))

/* From the result alone, so that x may be changed, also by the in-place form. */
static void rsqrt_grad(fa__back *b)
{
    fa__set_input_grad(b, b->args, fa_pointwise("-0.5 * x * y * y * y", b->gy[0], b->y[0]));
}

/** 1 / sqrt(x). */
POINTWISE(rsqrt, (x), y = 1 / sqrt(x), .grad = rsqrt_grad, .keep = KEEP(y), .autocast = FA__CAST_F32, TORCH("rsqrt(x)"),
          SAMPLES("p(3,4); p(); (0,2); n(9)"))

/** sqrt(x * x + y * y), computed without overflow. */
POINTWISE(hypot, (x, y), y = hypot(x, y), TORCH("hypot(x, y)"), SAMPLES("(3,4) (4); () (3); (0,2) (2); n(9) n(9)"))

/** x * 2^y. */
POINTWISE(ldexp, (x, y), y = x * exp2(y), TORCH("ldexp(x, y)"), SAMPLES("(3,4) (4); () (3); (0,2) (2); n(9) n(9)"))

/* ---- trigonometry ---- */

/** The tangent of x (radians). */
POINTWISE(tan, (x), y = tan(x), .autocast = FA__CAST_F32, TORCH("tan(x)"), SAMPLES("u(3,4); (); (0,2); n(9)"))

/** The inverse sine of x, from -pi/2 to pi/2; NaN where |x| > 1. */
POINTWISE(asin, (x), y = asin(x), .autocast = FA__CAST_F32, TORCH("asin(x)"), ALSO("`arcsin`"),
          SAMPLES("u(3,4); u(); (0,2); n(9)"))

/** The inverse cosine of x, from 0 to pi; NaN where |x| > 1. */
POINTWISE(acos, (x), y = acos(x), .autocast = FA__CAST_F32, TORCH("acos(x)"), ALSO("`arccos`"),
          SAMPLES("u(3,4); u(); (0,2); n(9)"))

/** The inverse tangent of x, from -pi/2 to pi/2. */
POINTWISE(atan, (x), y = atan(x), TORCH("atan(x)"), ALSO("`arctan`"), SAMPLES("(3,4); (); (0,2); n(9)"))

/** The angle of the point with abscissa y and ordinate x, from -pi to pi: the inverse tangent of x / y in the right
 *  quadrant. The gradient is 0 at the origin. */
POINTWISE(atan2, (x, y), y = atan2(x, y), .autocast = FA__CAST_WIDEST, TORCH("atan2(x, y)"), ALSO("`arctan2`"),
          SAMPLES("(3,4) (4); 1 (3); (0,2) (2); n(9) n(9)"))

/** sin(pi x) / (pi x); 1 at 0. */
POINTWISE(sinc, (x), y = x == 0 ? 1 : sin(pi * x) / (pi * x), TORCH("sinc(x)"), SAMPLES("(3,4); (); (0,2); n(9)"))

/** Converts degrees to radians. */
POINTWISE(deg2rad, (x), y = x * 0.017453292519943295, TORCH("deg2rad(x)"), ALSO("`radians`"),
          SAMPLES("(3,4); (); (0,2); n(9)"))

/** Converts radians to degrees. */
POINTWISE(rad2deg, (x), y = x * 57.29577951308232, TORCH("rad2deg(x)"), ALSO("`degrees`"),
          SAMPLES("(3,4); (); (0,2); n(9)"))

/* ---- hyperbolic functions ---- */

/** The hyperbolic sine of x. */
POINTWISE(sinh, (x), y = sinh(x), .autocast = FA__CAST_F32, TORCH("sinh(x)"), SAMPLES("(3,4); (); (0,2); n(9)"))

/** The hyperbolic cosine of x. */
POINTWISE(cosh, (x), y = cosh(x), .autocast = FA__CAST_F32, TORCH("cosh(x)"), SAMPLES("(3,4); (); (0,2); n(9)"))

/** The inverse of the hyperbolic sine. */
POINTWISE(asinh, (x), y = asinh(x), TORCH("asinh(x)"), ALSO("`arcsinh`"), SAMPLES("(3,4); (); (0,2); n(9)"))

/** The inverse of the hyperbolic cosine, 0 or positive; NaN for x < 1. */
POINTWISE(acosh, (x), y = acosh(x), TORCH("acosh(x)"), ALSO("`arccosh`"), SAMPLES("a(3,4); a(); (0,2); n(9)"))

/** The inverse of the hyperbolic tangent; infinite at -1 and 1, NaN beyond. */
POINTWISE(atanh, (x), y = atanh(x), TORCH("atanh(x)"), ALSO("`arctanh`"), SAMPLES("u(3,4); u(); (0,2); n(9)"))

/* ---- the error function and gamma ---- */

/** The complementary error function 1 - erf(x), accurate for large x. */
POINTWISE(erfc, (x), y = erfc(x), TORCH("erfc(x)"), SAMPLES("(3,4); (); (0,2); n(9)"))

/** The inverse of the error function; infinite at -1 and 1, NaN beyond. */
POINTWISE(erfinv, (x), y = erfinv(x), .autocast = FA__CAST_F32, TORCH("erfinv(x)"), SAMPLES("u(3,4); u(); (0,2); n(9)"))

/** The logarithm of |gamma(x)|. */
POINTWISE(lgamma, (x), y = lgamma(x), TORCH("lgamma(x)"), ALSO("`gammaln`"), SAMPLES("p(3,4); p(); (0,2); n(9)"))

/** The derivative of fa_lgamma(). -infinity or infinity at 0, NaN at negative integers. */
POINTWISE(digamma, (x), y = digamma(x),
          DIFFERS("coarse: PyTorch computes f64 by coefficients of f32, or by short series"), TORCH("digamma(x)"),
          ALSO("`psi`"), SAMPLES("p(3,4); p(); (0,2); n(9)"))

/** The n-th derivative of fa_digamma() at x, for an integer n >= 0. For x < 0 it is NaN if n > 4. */
POINTWISE(polygamma, (n, x), y = polygamma(n, x), .inplace = INPLACE(x),
          DIFFERS("coarse: PyTorch computes f64 by coefficients of f32, or by short series"), TORCH("polygamma(n, x)"),
          SAMPLES("1 p(3,4); 2 p(4); 0 p(3); 3 p(); 1 (0,2)"))

/* ---- rounding and division; integers stay integers, and the gradient of rounding is 0 ---- */

/** The largest integer <= x. */
POINTWISE(floor, (x), y = floor(x), TORCH("floor(x)"), SAMPLES("(3,4); (); (0,2); n(9)"))

/** The smallest integer >= x. */
POINTWISE(ceil, (x), y = ceil(x), TORCH("ceil(x)"), SAMPLES("(3,4); (); (0,2); n(9)"))

/** x rounded towards 0. */
POINTWISE(trunc, (x), y = trunc(x), TORCH("trunc(x)"), ALSO("`fix`"), SAMPLES("(3,4); (); (0,2); n(9)"))

/** x rounded to `decimals` digits after the decimal point, or before it if decimals is negative; ties go to the even
 *  digit. */
POINTWISE(round, (x, decimals = 0), y = round_to(x, decimals), .require = REQUIRE(decimals == floor(decimals)),
          TORCH("round(x, decimals=int(decimals)) if decimals else round(x)"), ALSO("`around`, `rint`"),
          SAMPLES("(3,4); (3,4) decimals=1; (4) decimals=-1; (); (0,2); n(9); n(9) decimals=2"))

/** The fractional part of x, x - trunc(x), with the sign of x. */
POINTWISE(frac, (x), y = x - trunc(x), TORCH("frac(x)"), SAMPLES("(3,4); (); (0,2); n(9)"))

/** The quotient x / y rounded down; fa_remainder() is the matching remainder. Integers stay integers, and division by 0
 *  is an error, which a GPU reports when the host next waits for it. Floating-point division by 0 gives infinity or
 *  NaN. */
POINTWISE(floor_divide, (x, y), y = floor_divide(x, y), DIFFERS("bool: bool computes as integers do"),
          TORCH("floor_divide(x, y)"), ALSO("`div` with `rounding_mode='floor'`"),
          SAMPLES("(3,4) p(4); (3) 2; 7 p(3); () p(); (0,2) p(2); n(9) p(9)"))

/** The floating-point quotient rounded towards 0. The quotient itself is rounded once, before that. */
POINTWISE(cut_quotient, (x, y), y = trunc(x / y), INTERNAL, .inplace = INPLACE(x),
          TORCH("div(x, y, rounding_mode='trunc') if (x / y).dtype == (x * y).dtype else trunc(x / y)"),
          SAMPLES("(3,4) p(4); (3) 2; 7 p(3); () p(); (0,2) p(2); n(9) p(9)"))

/** The quotient of integers, rounded towards 0. */
POINTWISE(whole_quotient, (x, y), y = floor_divide(x - fmod(x, y), y), INTERNAL, .inplace = INPLACE(x), TORCH(""),
          SAMPLES("(3,4) p(4); (3) 2; 7 p(3); () p(); (0,2) p(2); i(40) p(40)"))

typedef struct {
    fa_arg x; /* the dividend */
    fa_arg y; /* the divisor; broadcasts with x, and dtypes are promoted */
} trunc_divide_args;

static bool is_floating(fa_arg a)
{
    return a.kind == FA__ARG_TENSOR ? fa__dtype_is_float(fa__tensor_in(a)->dtype) : a.kind == FA__ARG_FLOAT;
}

static bool is_bool(fa_arg a)
{
    return a.kind == FA__ARG_TENSOR ? fa__tensor_in(a)->dtype == FA_BOOL : a.kind == FA__ARG_BOOL;
}

static fa_tensor *trunc_divide_compose(fa__call *c)
{
    const trunc_divide_args *a = c->args;
    if (is_bool(a->x) && is_bool(a->y)) {
        fa__call_fail(c, FA_ERROR_DTYPE, "bools are not divided: fa_to converts them");
        return NULL;
    }
    if (is_floating(a->x) || is_floating(a->y))
        return c->inplace ? fa__cut_quotient_(c->given, a->y) : fa__cut_quotient(a->x, a->y);
    return c->inplace ? fa__whole_quotient_(c->given, a->y) : fa__whole_quotient(a->x, a->y);
}

/** The quotient x / y rounded towards 0, as in C; fa_fmod() is the matching remainder. Integers stay integers, and
 *  division by 0 is an error, which a GPU reports when the host next waits for it. Floating-point division by 0 gives
 *  infinity or NaN. The gradient is 0. */
OP(trunc_divide, trunc_divide_args, (y), .compose = trunc_divide_compose, .inplace = INPLACE(x),
   TORCH("div(x, y, rounding_mode='trunc')"), ALSO("`div` with `rounding_mode='trunc'`"),
   SAMPLES(
       "(3,4) p(4); (3) 2; 7 p(3); () p(); (0,2) p(2); n(9) p(9); i(40) p(40); i(40) 3; i(40) -2.5; (40) 0.1; i(9) 2; "
       "(40) p(40)"))

/** The remainder with the sign of y, as Python's %: x - y * fa_floor_divide(x, y). Integers stay integers, and division
 *  by 0 is an error as for fa_floor_divide(). */
POINTWISE(remainder, (x, y), y = remainder(x, y), TORCH("remainder(x, y)"), ALSO("`mod`"),
          SAMPLES("(3,4) p(4); (3) 2; 7 p(3); () p(); (0,2) p(2); n(9) p(9)"))

/** The remainder with the sign of x, as C's fmod: x - y * fa_trunc_divide(x, y). Integers stay integers, and division
 *  by 0 is an error as for fa_floor_divide(). */
POINTWISE(fmod, (x, y), y = fmod(x, y), TORCH("fmod(x, y)"),
          SAMPLES("(4,3) p(3); (3) 2; 7 p(3); () p(); (0,2) p(2); n(9) p(9)"))

/* ---- signs ---- */

/** The sign of x: 1, -1 or 0; 0 for NaN, as in PyTorch. */
POINTWISE(sign, (x), y = sign(x), TORCH("sign(x)"), ALSO("`sgn`"), SAMPLES("(3,4); (); (0,2); n(9); t(5)"))

/** true where the sign bit is set: x < 0 or x is -0. */
POINTWISE(signbit, (x), y = signbit(x), TORCH("signbit(x)"), SAMPLES("(3,4); (); (0,2); n(9)"))

/** |x| with the sign of y. */
POINTWISE(copysign, (x, y), y = copysign(x, y), TORCH("copysign(x, y)"),
          SAMPLES("(3,4) (4); (3) -1; () (); (0,2) (2); n(9) n(9); t(5) t(5)"))

/** The Heaviside step function: 0 where x < 0, `values` where x is 0, 1 where x > 0; 0 for NaN. */
POINTWISE(heaviside, (x, values), y = x == 0 ? values : x > 0, TORCH("heaviside(x, values)"),
          SAMPLES("t(3,4) (4); (3,4) (); () (); (0,2) (2); n(9) n(9)"))

/* ---- maximum, minimum, clamping ---- */

/** The larger of x and y, ignoring NaN: if one is NaN, the other one. Where they are equal both get half of the
 *  gradient. */
POINTWISE(fmax, (x, y),
          y = y != y   ? x
              : x != x ? y
                       : maximum(x, y),
          TORCH("fmax(x, y)"), SAMPLES("(3,4) (4); () (3); (0,2) (2); n(9) n(9); t(5) t(5)"))

/** The smaller of x and y, ignoring NaN: if one is NaN, the other one. Where they are equal both get half of the
 *  gradient. */
POINTWISE(fmin, (x, y),
          y = y != y   ? x
              : x != x ? y
                       : minimum(x, y),
          TORCH("fmin(x, y)"), SAMPLES("(3,4) (4); () (3); (0,2) (2); n(9) n(9); t(5) t(5)"))

/** max(x, low); NaN stays NaN. */
POINTWISE(clamp_min, (x, low), y = maximum(x, low), TORCH("clamp(x, min=low)"),
          SAMPLES("(3,4) (4); () (3); (0,2) (2); n(9) n(9)"))

/** min(x, high); NaN stays NaN. */
POINTWISE(clamp_max, (x, high), y = minimum(x, high), TORCH("clamp(x, max=high)"),
          SAMPLES("(3,4) (4); () (3); (0,2) (2); n(9) n(9)"))

/* ---- ternary operations ---- */

/** Linear interpolation: x + weight * (end - x), which is x for weight 0 and end for weight 1. */
POINTWISE(lerp, (x, end, weight), y = abs(weight) < 0.5 ? x + weight * (end - x) : end - (end - x) * (1 - weight),
          TORCH("lerp(x, end, weight)"),
          SAMPLES("(3,4) (4) 0.25; (3,4) (4) 0.75; (3) (3) u(3); () () 0.5; (0,2) (2) 0.5"))

/** x + value * a * b. For integer operands value must be a whole number. */
POINTWISE(addcmul, (x, a, b, value = 1), y = x + value * a * b, .autocast = FA__CAST_WIDEST,
          TORCH("addcmul(x, a, b, value=value)"),
          SAMPLES("(3,4) (4) (3,1); (3) (3) (3) value=2; () () (); (0,2) (2) ()"))

/** x + value * a / b. */
POINTWISE(addcdiv, (x, a, b, value = 1), y = x + value * a / b, .autocast = FA__CAST_WIDEST,
          DIFFERS("i64 i32 u8 bool: true division, as in div"), TORCH("addcdiv(x, a, b, value=value)"),
          SAMPLES("(3,4) (4) p(3,1); (3) (3) p(3) value=2; () () p(); (0,2) (2) p()"))

#include "math.rows"
