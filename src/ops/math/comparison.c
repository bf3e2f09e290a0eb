/* Comparison, logic and bitwise operations. These work element by element; comparisons and tests give bool. The
 * comparison operators (fa_eq, fa_lt, ...) are listed under "Elementwise arithmetic". */
#include "dispatch/row.h"
#include <math.h>

/* ---- tests of floating-point values ---- */

/** true where x is NaN. */
POINTWISE(isnan, (x), y = x != x, TORCH("isnan(x)"), SAMPLES("(3,4); (); (0,2); n(9)"))

/** true where x is infinity or -infinity. */
POINTWISE(isinf, (x), y = abs(x) == inf, TORCH("isinf(x)"), SAMPLES("(3,4); (); (0,2); n(9)"))

/** true where x is finite: neither infinite nor NaN. */
POINTWISE(isfinite, (x), y = abs(x) < inf, TORCH("isfinite(x)"), SAMPLES("(3,4); (); (0,2); n(9)"))

/** true where x is positive infinity. */
POINTWISE(isposinf, (x), y = x == inf, TORCH("isposinf(x)"), SAMPLES("(3,4); (); (0,2); n(9)"))

/** true where x is negative infinity. */
POINTWISE(isneginf, (x), y = x == -inf, TORCH("isneginf(x)"), SAMPLES("(3,4); (); (0,2); n(9)"))

/** true where |x - y| <= atol + rtol * |y|. Equal infinities are close; NaN is close to NaN only with equal_nan. */
POINTWISE(
    isclose, (x, y, rtol = 1e-5, atol = 1e-8, equal_nan = false),
    y = x == y || (equal_nan && x != x && y != y) || (abs(x - y) < inf && abs(x - y) <= atol + rtol * abs(y)),
    TORCH("isclose(x, y, rtol=rtol, atol=atol, equal_nan=equal_nan)"),
    SAMPLES("(3,4) (3,4); (3,4) (4) rtol=0.5; t(9) t(9); n(9) n(9); n(9) n(9) equal_nan=true; () () atol=2; (0,2) (2)"))

typedef struct {
    const fa_tensor *x;           /* any dtype; integers and bool are returned unchanged */
    double nan OPT(0.0);          /* replaces NaN */
    double posinf OPT(INFINITY);  /* replaces infinity; the default is the largest finite number of the dtype */
    double neginf OPT(-INFINITY); /* replaces -infinity; the default is the lowest finite number of the dtype */
} nan_to_num_args;

/** x with NaN, infinity and -infinity replaced by given numbers. */
POINTWISE(nan_to_num_each, (x, nan, posinf, neginf),
          y = x != x      ? nan
              : x == inf  ? posinf
              : x == -inf ? neginf
                          : x,
          INTERNAL, TORCH("where(isnan(x), nan, where(isposinf(x), posinf, where(isneginf(x), neginf, x)))"),
          SAMPLES("(3,4) 1.0 2.0 3.0; n(9) 0.0 1.0 2.0; (0,2) 0.0 0.0 0.0; () 1.0 1.0 1.0"))

static fa_tensor *nan_to_num_compose(fa__call *c)
{
    const nan_to_num_args *a = c->args;
    double most = fa__dtypes[a->x->dtype].info.largest;
    if (!fa__dtype_is_float(a->x->dtype))
        return fa_clone(a->x);
    double high = a->posinf == (double)INFINITY ? most : a->posinf,
           low = a->neginf == (double)-INFINITY ? -most : a->neginf;
    return fa__nan_to_num_each(FA__ARG(a->x), FA__ARG(a->nan), FA__ARG(high), FA__ARG(low));
}

/** x with NaN, infinity and -infinity replaced by given numbers: by default by 0 and the largest and lowest finite
 *  number of the dtype. */
OP(nan_to_num, nan_to_num_args, (y), .compose = nan_to_num_compose,
   TORCH("nan_to_num(x, nan, posinf if posinf < float('inf') else None, neginf if neginf > -float('inf') else None)"),
   SAMPLES("(3,4); n(9); n(9) nan=2.5 posinf=3.0 neginf=-3.0; (); (0,2)"))

/* ---- logic ---- */

/** true where x and y are both nonzero. */
POINTWISE(logical_and, (x, y), y = x && y, TORCH("logical_and(x, y)"),
          SAMPLES("t(3,4) t(4); b(3) b(3); () (3); (0,2) (2); n(9) n(9)"))

/** true where x or y is nonzero. */
POINTWISE(logical_or, (x, y), y = x || y, TORCH("logical_or(x, y)"),
          SAMPLES("t(3,4) t(4); b(3) b(3); () (3); (0,2) (2); n(9) n(9)"))

/** true where exactly one of x and y is nonzero. */
POINTWISE(logical_xor, (x, y), y = (x != 0) != (y != 0), TORCH("logical_xor(x, y)"),
          SAMPLES("t(3,4) t(4); b(3) b(3); () (3); (0,2) (2); n(9) n(9)"))

/** true where x is 0. */
POINTWISE(logical_not, (x), y = !x, TORCH("logical_not(x)"), SAMPLES("t(3,4); b(3); (); (0,2); n(9)"))

/* ---- bitwise operations on integers and bool ---- */

/** Bitwise and of integers, logical and of bool. Floating dtypes are an error. */
POINTWISE(bitwise_and, (x, y), y = bit_and(x, y), TORCH("bitwise_and(x, y)"),
          SAMPLES("i(3,4) i(4); b(3) b(3); (3,4) (4); i() 3; i(0,2) i(2)"))

/** Bitwise or of integers, logical or of bool. Floating dtypes are an error. */
POINTWISE(bitwise_or, (x, y), y = bit_or(x, y), TORCH("bitwise_or(x, y)"),
          SAMPLES("i(3,4) i(4); b(3) b(3); (3,4) (4); i() 3; i(0,2) i(2)"))

/** Bitwise exclusive or of integers, logical exclusive or of bool. Floating dtypes are an error. */
POINTWISE(bitwise_xor, (x, y), y = bit_xor(x, y), TORCH("bitwise_xor(x, y)"),
          SAMPLES("i(3,4) i(4); b(3) b(3); (3,4) (4); i() 3; i(0,2) i(2)"))

/** Bitwise complement of integers, logical not of bool. Floating dtypes are an error. */
POINTWISE(bitwise_not, (x), y = bit_not(x), TORCH("bitwise_not(x)"), ALSO("`bitwise_invert`, `invert`"),
          SAMPLES("i(3,4); b(3); (3,4); i(); i(0,2)"))

/** x << y: x shifted left by y bits, x * 2^y. The result is 0 where y is negative or at least the number of bits.
 *  Floating dtypes are an error. */
POINTWISE(bitwise_left_shift, (x, y), y = shift_left(x, y), TORCH("bitwise_left_shift(x, y)"), ALSO("`left_shift`"),
          SAMPLES("i(3,4) i(4); (3,4) p(4); i() 3; i(3) 70; i(0,2) i(2)"))

/** x >> y: x shifted right by y bits, x / 2^y rounded down. Where y is negative or at least the number of bits, the
 *  result is 0, or -1 for negative x. Floating dtypes are an error. */
POINTWISE(bitwise_right_shift, (x, y), y = shift_right(x, y), TORCH("bitwise_right_shift(x, y)"), ALSO("`right_shift`"),
          SAMPLES("i(3,4) i(4); (3,4) p(4); i() 3; i(3) 70; i(0,2) i(2)"))

/** The greatest common divisor of x and y, not negative. Floating dtypes are an error. */
POINTWISE(gcd, (x, y), y = gcd(x, y), TORCH("gcd(x, y)"), SAMPLES("i(3,4) i(4); (3,4) (4); i() 3; i(0,2) i(2)"))

/** The least common multiple of x and y, not negative; 0 where one of them is 0. Floating dtypes are an error. */
POINTWISE(lcm, (x, y), y = lcm(x, y), TORCH("lcm(x, y)"), SAMPLES("i(3,4) i(4); (3,4) (4); i() 3; i(0,2) i(2)"))

#include "comparison.rows"
