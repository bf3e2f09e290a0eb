/* Elementwise arithmetic, comparisons and common functions. Each operation is one expression, from which shapes, dtype
 * promotion, in-place and .out forms and gradients follow. Operands broadcast as in PyTorch and NumPy.
 *
 * Integer arithmetic wraps around in u8, i8 and i16. Comparisons compare the values themselves, within 32 bits: every
 * u8 is greater than the number -1, which PyTorch converts to 255 first. Numbers that serve as bounds, as in
 * fa_clamp(x, -3, 300), become the nearest value of the dtype. */
#include "dispatch/row.h"

/** x + alpha * y. For integer operands alpha must be a whole number. */
POINTWISE(add, (x, y, alpha = 1), y = x + alpha * y, TORCH("add(x, y, alpha=alpha)"), HOT,
          SAMPLES("(3,4) (3,4); (3,4) (4) alpha=2; (2,1) 3; 2 (3,4); () (); (0,3) (3); b(3) b(3); i(3) 1.5"))

/** x - alpha * y. Bool operands are an error. */
POINTWISE(sub, (x, y, alpha = 1), y = x - alpha * y, .no_bool = true, TORCH("sub(x, y, alpha=alpha)"),
          ALSO("`subtract`"), HOT, SAMPLES("(3,4) (4); (3) 2; 1 (2,2) alpha=3; () (2); (0,2) ()"))

/** x * y. */
POINTWISE(mul, (x, y), y = x * y, TORCH("mul(x, y)"), ALSO("`multiply`"), HOT,
          SAMPLES("(3,4) (4); (3,4) 2; () (); (3,1) (1,4); (0,2) 2; b(3) b(3)"))

/** x / y, true division: integers give f32. Division by zero gives infinity or NaN. For PyTorch's rounding_mode use
 *  fa_floor_divide() or fa_trunc_divide(). */
POINTWISE(div, (x, y), y = x / y, TORCH("div(x, y)"), ALSO("`divide`, `true_divide`"), HOT,
          SAMPLES("(3,4) (4); (3,4) 2; 1 (5); () (); (0,2) (2)"))

/** x to the power y; 0 to the power 0 is 1. Integers stay integers: with a negative exponent the result is 0 unless x
 *  is 1 or -1. (PyTorch rejects a negative number as the exponent of integers.) */
POINTWISE(pow, (x, y), y = pow(x, y), .autocast = FA__CAST_F32, TORCH("pow(x, y)"), ALSO("`power`"),
          SAMPLES("p(3,4) (3,4); (3,4) 2; (4) 3; p(2,1) (3); 2 (3); p() (); (0,2) 2.5"))

/** -x. Bool is an error. */
POINTWISE(neg, (x), y = -x, .no_bool = true, TORCH("neg(x)"), ALSO("`negative`"), SAMPLES("(3,4); (); (0,2)"))

/** The absolute value of x. */
POINTWISE(abs, (x), y = abs(x), TORCH("abs(x)"), ALSO("`absolute`, `fabs`"), SAMPLES("(3,4); (); (0,2); n(9); t(5)"))

/** The exponential function, e to the power x. */
POINTWISE(exp, (x), y = exp(x), .autocast = FA__CAST_F32, TORCH("exp(x)"), HOT, SAMPLES("(3,4); (); (0,2); n(9)"))

/** The natural logarithm of x. */
POINTWISE(log, (x), y = log(x), .autocast = FA__CAST_F32, TORCH("log(x)"), HOT, SAMPLES("p(3,4); p(); (0,2); n(9)"))

/** The square root of x. */
POINTWISE(sqrt, (x), y = sqrt(x), TORCH("sqrt(x)"), HOT, SAMPLES("p(3,4); p(); (0,2); n(9)"))

/** 1 / x; integers give f32. */
POINTWISE(reciprocal, (x), y = 1 / x, .autocast = FA__CAST_F32, TORCH("reciprocal(x)"),
          SAMPLES("(3,4); (); (0,2); n(9)"))

/** The sine of x (radians). */
POINTWISE(sin, (x), y = sin(x), TORCH("sin(x)"), SAMPLES("(3,4); (); (0,2); n(9)"))

/** The cosine of x (radians). */
POINTWISE(cos, (x), y = cos(x), TORCH("cos(x)"), SAMPLES("(3,4); (); (0,2); n(9)"))

/** The hyperbolic tangent of x. */
POINTWISE(tanh, (x), y = tanh(x), TORCH("tanh(x)"), HOT, SAMPLES("(3,4); (); (0,2); n(9)"))

/** The error function of x. */
POINTWISE(erf, (x), y = erf(x), TORCH("erf(x)"), SAMPLES("(3,4); (); (0,2); n(9)"))

/** The logistic function 1 / (1 + exp(-x)). */
POINTWISE(sigmoid, (x), y = sigmoid(x), TORCH("sigmoid(x)"), ALSO("`expit`"), HOT, SAMPLES("(3,4); (); (0,2); n(9)"))

/** max(x, 0); NaN stays NaN. The gradient is 0 at 0. Bool is an error. */
POINTWISE(relu, (x), y = x <= 0 ? 0 : x, .no_bool = true, DIFFERS("bool: no element is below 0: they stay"),
          TORCH("relu(x)"), HOT, SAMPLES("(3,4); (); (0,2); n(9); t(5)"))

/** Gaussian error linear unit: x * (1 + erf(x / sqrt(2))) / 2 (arXiv:1606.08415). */
POINTWISE(gelu, (x), y = x * (0.5 + 0.5 * erf(x * 0.7071067811865476)), TORCH("nn.functional.gelu(x)"), HOT,
          SAMPLES("(3,4); (); (0,2)"))

/** x * sigmoid(x), also called swish (arXiv:1702.03118). */
POINTWISE(silu, (x), y = x * sigmoid(x), TORCH("nn.functional.silu(x)"), HOT, SAMPLES("(3,4); (); (0,2)"))

/** The larger of x and y; NaN if one of them is NaN. Where they are equal both get half of the gradient. */
POINTWISE(maximum, (x, y), y = maximum(x, y), TORCH("maximum(x, y)"),
          SAMPLES("(3,4) (4); () (3); (0,2) (2); n(9) n(9); t(5) t(5)"))

/** The smaller of x and y; NaN if one of them is NaN. Where they are equal both get half of the gradient. */
POINTWISE(minimum, (x, y), y = minimum(x, y), TORCH("minimum(x, y)"),
          SAMPLES("(3,4) (4); () (3); (0,2) (2); n(9) n(9); t(5) t(5)"))

/* Where x equals one of two tensor bounds, both get half of the gradient; where it equals both, x gets all of it; where
 * low is above high, high gets it. */
static void clamp_to_tensors_grad(fa__back *b)
{
    static const char *const text[] = {"x < y || x > z ? 0 : y < z && (x == y || x == z) ? w / 2 : w",
                                       "x < y && y <= z ? w : x == y && y < z ? w / 2 : 0",
                                       "z < y || (x > z && y <= z) ? w : x == z && y < z ? w / 2 : 0"};
    const fa_arg *operand = b->args; /* x, low, high */
    for (int i = 0; i < 3; i++) {
        if (!fa__wants(b, &operand[i]))
            continue;
        fa_tensor *g = fa_pointwise(text[i], operand[0], operand[1], operand[2], b->gy[0]);
        fa__set_input_grad(b, &operand[i], fa__summed_to(g, fa__tensor_in(operand[i])));
    }
}

static void clamp_grad(fa__back *b)
{
    const fa_arg *operand = b->args;
    if (operand[1].kind == FA__ARG_TENSOR || operand[2].kind == FA__ARG_TENSOR)
        clamp_to_tensors_grad(b);
    else
        fa__set_input_grad(b, &operand[0],
                           fa_pointwise("x > y && x < z ? w : 0", operand[0], operand[1], operand[2], b->gy[0]));
}

/** x clamped to [low, high]: min(max(x, low), high), so high where low > high; NaN stays NaN. The gradient of x is 0 at
 *  bounds that are numbers. Where x equals a tensor bound, both get half of the gradient; where it equals both bounds,
 *  x gets all of it. */
POINTWISE(
    clamp, (x, low, high), y = minimum(maximum(x, low), high), .grad = clamp_grad, .keep = KEEP(x, low, high),
    DIFFERS("u8: numbers wrap into the dtype, as in arithmetic"), TORCH("clamp(x, low, high)"), ALSO("`clip`"),
    SAMPLES("(3,4) -1 0.5; (3,4) 1 -1; (4) (4) 1.5; () -1 1; (0,2) 0 1; n(9) -1 1; t(90) t(90) t(90); (3,1) (5) (3,1)"))

/** x where condition is nonzero, y elsewhere. An element that is not selected gets the gradient 0, even if it is NaN or
 *  infinite. */
POINTWISE(where, (condition, x, y), y = condition ? x : y, .inplace = INPLACE(x), TORCH("where(condition, x, y)"),
          SAMPLES("b(3,4) (3,4) (4); b(3,1) (3,4) 0; b() (2) (2); b(0,2) (2) 1; b(3) 2 3.5"))

/** true where x equals y. */
POINTWISE(eq, (x, y), y = x == y, TORCH("eq(x, y)"), ALSO("NumPy's `equal`"),
          SAMPLES("i(3,4) i(4); (3,4) 0.5; () (); (0,2) 1; n(9) n(9)"))

/** true where x is not equal to y. */
POINTWISE(ne, (x, y), y = x != y, TORCH("ne(x, y)"), ALSO("`not_equal`"),
          SAMPLES("i(3,4) i(4); (3,4) 0.5; () (); (0,2) 1; n(9) n(9)"))

/** true where x < y. */
POINTWISE(lt, (x, y), y = x < y, TORCH("lt(x, y)"), ALSO("`less`"),
          SAMPLES("i(3,4) i(4); (3,4) 0.5; () (); (0,2) 1; n(9) n(9)"))

/** true where x <= y. */
POINTWISE(le, (x, y), y = x <= y, TORCH("le(x, y)"), ALSO("`less_equal`"),
          SAMPLES("i(3,4) i(4); (3,4) 0.5; () (); (0,2) 1; n(9) n(9)"))

/** true where x > y. */
POINTWISE(gt, (x, y), y = x > y, TORCH("gt(x, y)"), ALSO("`greater`"),
          SAMPLES("i(3,4) i(4); (3,4) 0.5; () (); (0,2) 1; n(9) n(9)"))

/** true where x >= y. */
POINTWISE(ge, (x, y), y = x >= y, TORCH("ge(x, y)"), ALSO("`greater_equal`"),
          SAMPLES("i(3,4) i(4); (3,4) 0.5; () (); (0,2) 1; n(9) n(9)"))

/** Dropout: in training each element becomes 0 with probability p, and the others are scaled by 1 / (1 - p); otherwise
 *  x is returned. The mask comes from the default generator and is not stored: backward draws it again
 *  (arXiv:1207.0580). */
POINTWISE(dropout, (x, p = 0.5, training = true, key = draw), y = training ? (uniform(key) >= p ? x / (1 - p) : 0) : x,
          .require = REQUIRE(p >= 0 && p <= 1), TORCH(""), SAMPLES("(30,4); (3,4) p=0.25; (3,4) training=false; (0,2)"))

#include "pointwise.rows"
