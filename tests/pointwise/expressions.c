/* Expressions of the program's own and the rows made of them, run on devices: what they compute in and give, and their
 * gradients: of any order, where an operand is not taken, and where they are zero. */
#include "support/autograd_test.h"

static fa_tensor *bools(bool a, bool b)
{
    return fa_to(fa_to(fa_tensor_of(a, b), FA_BOOL), DEVICE(0));
}

static fa_tensor *of(fa_dtype dtype, double v)
{
    return fa_full(FA_SHAPE(1), v, .dtype = dtype, .device = DEVICE(0));
}

#define GIVES(t, is, ...)                                                                                              \
    do {                                                                                                               \
        fa_tensor *given = t;                                                                                          \
        HOLD(given, __VA_ARGS__);                                                                                      \
        assert_string_equal(fa_dtype_name(fa_tensor_dtype(given)), fa_dtype_name(is));                                 \
    } while (0)

/* ---- bools ---- */

static void integers_stand_for_themselves_among_bools(void **state)
{
    (void)state;
    fa_tensor *x = bools(true, false), *y = bools(true, true);
    GIVES(fa_pointwise("x > 0 ? 3 : 5", x), FA_I64, 3, 5);
    GIVES(fa_pointwise("x ? 3 : 5", x), FA_I64, 3, 5);
    GIVES(fa_pointwise("x ? 3 : y", x, y), FA_I64, 3, 1);
    GIVES(fa_pointwise("x * 3", x), FA_I64, 3, 0);
    GIVES(fa_pointwise("x + 1", x), FA_I64, 2, 1);
    GIVES(fa_pointwise("t = 2 * 3; x + t", x), FA_I64, 7, 6);
    GIVES(fa_pointwise("1 - x", x), FA_I64, 0, 1);
    GIVES(fa_pointwise("x * 3 > 2", x), FA_BOOL, 1, 0);
    GIVES(fa_pointwise("x * 3.0", x), FA_F32, 3, 0);
    GIVES(fa_pointwise("3", x), FA_I64, 3, 3);
    /* in tests they are only compared with, and true and false are bools */
    GIVES(fa_pointwise("x > 0", x), FA_BOOL, 1, 0);
    GIVES(fa_pointwise("x + y", x, y), FA_BOOL, 1, 1);
    GIVES(fa_pointwise("x > 0 ? y : x", x, y), FA_BOOL, 1, 0);
    GIVES(fa_pointwise("x ? true : false", x), FA_BOOL, 1, 0);
    /* others decide for themselves */
    GIVES(fa_pointwise("x > 0 ? 3 : 5", of(FA_I16, 1)), FA_I16, 3);
    GIVES(fa_pointwise("x ? 3 : y", of(FA_BOOL, 0), of(FA_U8, 4)), FA_U8, 4);
}

static void bools_are_0_or_1_in_between(void **state)
{
    (void)state;
    fa_tensor *x = bools(true, false), *y = bools(true, true);
    GIVES(fa_pointwise("x + y > 1", x, y), FA_BOOL, 0, 0);
    GIVES(fa_pointwise("(x + y) * y == y", x, y), FA_BOOL, 1, 1);
    GIVES(fa_pointwise("x + y + y != x", x, y), FA_BOOL, 0, 1);
    GIVES(fa_pointwise("maximum(x + y, x) == true", x, y), FA_BOOL, 1, 1);
}

static void minus_means_nothing_for_bools(void **state)
{
    (void)state;
    static const char *const texts[] = {"-x", "x - y", "x > y ? -x : y", "t = -x; t > y", "-(x > y)"};
    fa_tensor *x = bools(true, false), *y = bools(true, true);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        assert_null(fa_pointwise(texts[i], x, y));
        FAILS(FA_ERROR_DTYPE, "'-' is not defined for bools");
    }
    GIVES(fa_pointwise("-x", of(FA_U8, 1)), FA_U8, 255);
    GIVES(fa_pointwise("x > -1", x), FA_BOOL, 1, 1);
    GIVES(fa_pointwise("(x > y) - (x < y)", of(FA_F32, 1), of(FA_F32, 2)), FA_F32, -1);
}

/* ---- casts ---- */

static void casts_decide_dtypes(void **state)
{
    (void)state;
    fa_tensor *i = of(FA_I32, 2000000000), *h = of(FA_F16, 1.5), *f = of(FA_F32, 2.7), *u = of(FA_U8, 200);
    /* they promote, in place of what they cast */
    GIVES(fa_pointwise("i64(x) * 3", i), FA_I64, 6000000000.0);
    GIVES(fa_pointwise("f64(x) / 3", of(FA_I64, 1)), FA_F64, 1.0 / 3);
    assert_true(fa_item(fa_pointwise("f64(x) / 3", of(FA_I64, 1))) == 1.0 / 3);
    GIVES(fa_pointwise("f16(x) * y", f, h), FA_F16, 4.046875);
    GIVES(fa_pointwise("f32(x) * y", h, h), FA_F32, 2.25);
    GIVES(fa_pointwise("i8(x) + y", f, of(FA_I8, 3)), FA_I8, 5);
    GIVES(fa_pointwise("i32(x) + 1", f), FA_I32, 3);
    GIVES(fa_pointwise("i32(x) + 0.5", f), FA_F32, 2.5);
    GIVES(fa_pointwise("i32(x) + x", f), FA_F32, 4.7);
    GIVES(fa_pointwise("x > 2 ? f64(x) : y", f, h), FA_F64, (double)2.7f);
    /* the outermost is the result's */
    GIVES(fa_pointwise("i32(x)", f), FA_I32, 2);
    GIVES(fa_pointwise("i8(x)", u), FA_I8, -56);
    GIVES(fa_pointwise("i8(x * y)", f, h), FA_I8, 4);
    GIVES(fa_pointwise("f16(x * y)", f, f), FA_F16, 7.2890625);
    GIVES(fa_pointwise("f64(x)", u), FA_F64, 200);
    GIVES(fa_pointwise("u8(x > 2)", f), FA_U8, 1);
    GIVES(fa_pointwise("t = x * 2; i64(t)", f), FA_I64, 5);
    GIVES(fa_pointwise("i32(f64(x))", f), FA_I32, 2);
    GIVES(fa_pointwise("bool(x)", of(FA_F32, 0.25)), FA_BOOL, 1);
    /* what is narrower rounds */
    GIVES(fa_pointwise("f16(x) - x", of(FA_F64, 2.7)), FA_F64, 2.69921875 - 2.7);
    GIVES(fa_pointwise("u8(x) + 0", of(FA_I32, 300)), FA_U8, 44);
}

static void casts_are_those_of_fa_to(void **state)
{
    (void)state;
    static const char *const texts[] = {"u8(x)",  "i8(x)",   "i16(x)", "i32(x)", "i64(x)",
                                        "f16(x)", "bf16(x)", "f32(x)", "f64(x)"};
    static const fa_dtype to[] = {FA_U8, FA_I8, FA_I16, FA_I32, FA_I64, FA_F16, FA_BF16, FA_F32, FA_F64};
    static const double values[] = {0,     1.9,   -1.9,   127.5,        200.25, -129, 300.7,
                                    65504, 70000, -40000, 2147483520.0, 3e9,    -3e9};
    for (int from = FA_BOOL; from <= FA_F64; from++)
        for (size_t v = 0; v < sizeof values / sizeof *values; v++)
            for (size_t i = 0; i < sizeof to / sizeof *to; i++) {
                FA_SCOPE;
                fa_tensor *x = fa_to(of(FA_F64, values[v]), (fa_dtype)from);
                bool fits = from < FA_F16 || to[i] >= FA_F16 || fabs(fa_item(x)) < 0x1p31;
                if (fits)
                    GIVES(fa_pointwise(texts[i], x), to[i], fa_item(fa_to(x, to[i])));
            }
}

static void casts_widen_updates(void **state)
{
    (void)state;
    fa_tensor *p = of(FA_F32, 0);
    fa_binding b[] = {{.name = "p", .tensors = FA_TENSORS(p)}};
    assert_true(fa_update("p = f64(1) + 1e-9 - 1", 1, b));
    assert_true(fabs(fa_item(p) * 1e9 - 1) < 1e-3);
}

/* ---- narrow integers ---- */

static void simplification_knows_narrow_integers(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "abs(-x)",          "abs(0 - x)",     "-(-x)",     "abs(-(x * 3))", "x - -x",
        "maximum(-x, x)",   "-x > x ? 1 : 0", "-x * -x",   "abs(abs(-x))",  "x + -1 * x",
        "-(x * 2) + x > 0", "x * -1",         "pow(x, 2)", "!(-x > 100)",   "sign(-x)"};
    static const double value[][3] = {{56, 56, 100},  {56, 56, 100},  {200, -56, 100}, {168, 88, 300}, {144, -112, 200},
                                      {200, 56, 100}, {0, 1, 0},      {64, 64, 10000}, {56, 56, 100},  {0, 0, 0},
                                      {1, 1, 0},      {56, 56, -100}, {64, 64, 10000}, {1, 1, 1},      {1, 1, -1}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        HOLD(fa_pointwise(texts[i], fa_full(FA_SHAPE(1), 200, .dtype = FA_U8)), value[i][0]);
        HOLD(fa_pointwise(texts[i], fa_full(FA_SHAPE(1), -56, .dtype = FA_I8)), value[i][1]);
        HOLD(fa_pointwise(texts[i], fa_full(FA_SHAPE(1), 100, .dtype = FA_I16)), value[i][2]);
    }
}

/* ---- gradients: what is not taken ---- */

static fa_tensor *leaf_on(fa_device device, double a, double b, double c)
{
    fa_tensor *x = fa_to(fa_to(fa_tensor_of(a, b, c), FA_F64), device);
    fa_set_requires_grad(x, true);
    return x;
}

static fa_tensor *leaf(double a, double b, double c)
{
    return leaf_on(DEVICE(0), a, b, c);
}

static fa_tensor *gradient(fa_tensor *y, fa_tensor *x)
{
    fa_tensors g = fa_grad_of(FA_TENSORS(fa_sum(y)), FA_TENSORS(x), .create_graph = true);
    return g.count ? g.item[0] : NULL;
}

static void what_is_not_taken_gets_nothing(void **state)
{
    (void)state;
    fa_tensor *x = leaf(-1, 0, 4), *z = fa_zeros_like(x), *high = fa_full(FA_SHAPE(3), 9.0, .device = DEVICE(0));
    HOLD(gradient(fa_log(fa_maximum(x, 0)), x), 0, INFINITY, 0.25);
    HOLD(gradient(fa_log(fa_maximum(x, z)), x), 0, INFINITY, 0.25);
    HOLD(gradient(fa_sqrt(fa_maximum(z, x)), x), 0, INFINITY, 0.25);
    HOLD(gradient(fa_div(1, fa_maximum(x, 0)), x), 0, -INFINITY, -0.0625);
    HOLD(gradient(fa_sqrt(fa_sub(0, fa_minimum(fa_neg(x), 0))), x), 0, INFINITY, 0.25);
    HOLD(gradient(fa_log(fa_clamp(x, z, high)), x), 0, INFINITY, 0.25);
    HOLD(gradient(fa_log(fa_sub(high, fa_clamp(x, z, 4.0))), x), 0, -1.0 / 18, -0.1);
    HOLD(gradient(fa_pointwise("log(maximum(x, 0))", x), x), 0, INFINITY, 0.25);
    HOLD(gradient(fa_pointwise("sqrt(maximum(x, 0))", x), x), 0, INFINITY, 0.25);
    HOLD(gradient(fa_pointwise("1 / maximum(x, 0)", x), x), 0, -INFINITY, -0.0625);
    HOLD(gradient(fa_pointwise("log(minimum(maximum(x, 0), y))", x, high), x), 0, INFINITY, 0.25);
    HOLD(gradient(fa_log(fa_pointwise("x > 0 ? (x < 3 ? x : 0) : 0", x)), x), 0, 0, 0);
    x = leaf(0.5, 0, 3);
    HOLD(gradient(fa_log(fa_pointwise("maximum(x - 1, 0) + maximum(-1 - x, 0)", x)), x), 0, 0, 0.5);
}

/* ---- gradients: zero ---- */

static void zero_is_a_gradient(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "floor(x)",          "x - x",     "x * 0",       "pow(x, 0)", "sign(x)", "trunc(x) * 2", "t = x; pow(t, 0)",
        "x > 0 ? 2.5 : 1.5", "x * 0 + y", "i32(x) * 1.5"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        FA_SCOPE;
        fa_tensor *x = leaf(1.5, -2, 3), *y = fa_zeros_like(x), *r = fa_pointwise(texts[i], x, y);
        if (!fa_backward(fa_sum(r)) || !fa_grad(x))
            fail_msg("%s: %s", texts[i], fa_failed() ? fa_error_message() : "no gradient");
        HOLD(fa_grad(x), 0, 0, 0);
        assert_int_equal(fa_tensor_dtype(fa_grad(x)), FA_F64);
    }
    fa_tensor *x = leaf(1.5, -2, 3), *wide = fa_ones(FA_SHAPE(2, 3), .device = DEVICE(0));
    assert_true(fa_backward(fa_sum(fa_pointwise("floor(x) + y", x, wide))));
    HOLD(fa_grad(x), 0, 0, 0);
    assert_true(fa_backward(fa_sum(fa_pow(x, 0))));
    fa_tensor *g = fa_pow(x, 3);
    for (int order = 0; order < 4; order++)
        g = gradient(g, x);
    HOLD(g, 0, 0, 0);
}

static void what_has_no_value_from_an_operand_needs_no_gradients(void **state)
{
    (void)state;
    fa_tensor *x = leaf(1.5, -2, 3), *y = fa_zeros_like(x);
    assert_false(fa_requires_grad(fa_pointwise("y", x, y)));
    assert_false(fa_requires_grad(fa_pointwise("x > 1", x)));
    assert_false(fa_requires_grad(fa_pointwise("x ? y : 1", x, y)));
    assert_false(fa_requires_grad(fa_pointwise("i32(x)", x)));
    assert_false(fa_requires_grad(fa_pointwise("bool(x)", x)));
    assert_false(fa_requires_grad(fa_gt(x, 0)));
}

/* ---- gradients: of any order ---- */

static fa_tensor *nth(fa_tensor *y, fa_tensor *x, int order)
{
    for (int i = 0; y && i < order; i++)
        y = gradient(y, x);
    return y;
}

/* Derivatives of tanh by its own: polynomials in t = tanh(x), each the last one's slope times 1 - t^2. */
static double tanh_derivative(double x, int order)
{
    double p[40] = {0, 1}, t = tanh(x), sum = 0;
    for (int n = 0; n < order; n++) {
        double slope[40] = {0};
        for (int k = 1; k < 38; k++) {
            slope[k - 1] += k * p[k];
            slope[k + 1] -= k * p[k];
        }
        memcpy(p, slope, sizeof p);
    }
    for (int k = 40; k-- > 0;)
        sum = sum * t + p[k];
    return sum;
}

static void derivatives_of_any_order(void **state)
{
    (void)state;
    enum { ORDER = 12 };
    const double a = 0.3, b = -1.2, c = 2, factorial = 479001600;
    fa_tensor *x = leaf_on(FA_CPU, a, b, c), *y = leaf_on(FA_CPU, 0.7, 1.3, -0.9);
    HOLD(nth(fa_sin(x), x, ORDER), sin(a), sin(b), sin(c));
    HOLD(nth(fa_sin(x), x, ORDER + 5), cos(a), cos(b), cos(c));
    HOLD(nth(fa_pow(x, 12), x, ORDER), factorial, factorial, factorial);
    HOLD(nth(fa_tanh(x), x, 9), tanh_derivative(a, 9), tanh_derivative(b, 9), tanh_derivative(c, 9));
    HOLD(nth(fa_div(y, x), x, ORDER), 0.7 * factorial / pow(a, 13), 1.3 * factorial / pow(b, 13),
         -0.9 * factorial / pow(c, 13));
    HOLD(nth(fa_pointwise("exp(x * y)", x, y), x, ORDER), pow(0.7, 12) * exp(0.7 * a), pow(1.3, 12) * exp(1.3 * b),
         pow(0.9, 12) * exp(-0.9 * c));
    HOLD(nth(nth(fa_mul(x, fa_exp(y)), y, ORDER), x, 1), exp(0.7), exp(1.3), exp(-0.9));
    HOLD(nth(fa_pointwise("x > 0 ? sin(x) : x * x", x), x, ORDER), sin(a), 0, sin(c));
}

static void derivatives_of_many_operands(void **state)
{
    (void)state;
    static const char *const texts[] = {"sin(x + y + z + w + a + b + c + d)", "x * y * z * w * a * b * c * d",
                                        "exp(x * y + z * w + a * b + c * d)"};
    for (int t = 0; t < 3; t++) {
        FA_SCOPE;
        fa_tensor *v[8], *y;
        double e = exp(0.5 * 0.6 + 0.7 * 0.8 + 0.9 * 1.0 + 1.1 * 1.2);
        for (int i = 0; i < 8; i++) {
            v[i] = of(FA_F64, 0.5 + 0.1 * i);
            fa_set_requires_grad(v[i], true);
        }
        y = fa_pointwise(texts[t], v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7]);
        for (int i = 0; i < 5; i++)
            y = gradient(y, v[i]);
        HOLD(y, t == 0 ? cos(6.8) : t == 1 ? 1.0 * 1.1 * 1.2 : (1 + 0.5 * 0.6) * (1 + 0.7 * 0.8) * 1.0 * e);
    }
}

/* Broadcast operands and lower dtypes, where an order has no expression of its own any more. */
static void derivatives_of_high_order_broadcast(void **state)
{
    (void)state;
    enum { ORDER = 9 };
    fa_tensor *x = leaf(0.3, -0.2, 0.5), *y = of(FA_F64, 0.8), *by_x, *by_y;
    fa_set_requires_grad(y, true);
    by_x = nth(fa_pointwise("tanh(x) * y", x, y), x, ORDER);
    HOLD(by_x, 0.8 * tanh_derivative(0.3, ORDER), 0.8 * tanh_derivative(-0.2, ORDER),
         0.8 * tanh_derivative(0.5, ORDER));
    HOLD(gradient(by_x, y), tanh_derivative(0.3, ORDER) + tanh_derivative(-0.2, ORDER) + tanh_derivative(0.5, ORDER));
    by_y = nth(fa_pointwise("exp(x) * sin(y)", x, y), y, ORDER);
    HOLD(by_y, cos(0.8) * (exp(0.3) + exp(-0.2) + exp(0.5)));
    fa_tensor *low = fa_to(of(FA_F64, 0.5), FA_F16);
    fa_set_requires_grad(low, true);
    GIVES(nth(fa_exp(low), low, ORDER), FA_F16, 1.6484375);
}

/* y = 2 x where it is kept, and so is the gradient of the sum of y^2 / 4, again and again: each is of an order more in
 * the gradient that comes in. */
static void derivatives_of_high_order_draw_again(void **state)
{
    (void)state;
    fa_tensor *x = leaf(0.25, 3, -1), *y = fa_dropout(x, .p = 0.5), *g = y;
    for (int order = 0; order < 8; order++)
        g = gradient(fa_mul(fa_mul(g, g), 0.25), x);
    double want[3];
    assert_true(fa_read(y, want, FA_F64, 3));
    HOLD(g, want[0], want[1], want[2]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(integers_stand_for_themselves_among_bools),
        TEST(bools_are_0_or_1_in_between),
        TEST(minus_means_nothing_for_bools),
        TEST(casts_decide_dtypes),
        TEST(casts_are_those_of_fa_to),
        TEST(casts_widen_updates),
        TEST(simplification_knows_narrow_integers),
        TEST(what_is_not_taken_gets_nothing),
        TEST(zero_is_a_gradient),
        TEST(what_has_no_value_from_an_operand_needs_no_gradients),
        TEST(derivatives_of_any_order),
        TEST(derivatives_of_many_operands),
        TEST(derivatives_of_high_order_broadcast),
        TEST(derivatives_of_high_order_draw_again),
    };
    return RUN("expressions");
}
