/* Derivatives: each partial derivative, to third order, against central differences; values where limits matter; what
 * they read; what is zero; and limits. */
#include "pointwise/expression_test.h"
#include <stdlib.h>

/* ---- against differences ---- */

static double along(const fa__expression *e, const double *at, int input, double step)
{
    double in[FA__MAX_INPUTS];
    memcpy(in, at, sizeof in);
    in[input] += step;
    return fa__ssa_eval(&e->ssa, in, 0);
}

/* Fourth order: the error is about 1e-10 of the value. */
static double difference(const fa__expression *e, const double *at, int input)
{
    double h = 1e-3 * fmax(1e-2, fabs(at[input]));
    double near = along(e, at, input, h) - along(e, at, input, -h);
    double far = along(e, at, input, 2 * h) - along(e, at, input, -2 * h);
    return (8 * near - far) / (12 * h);
}

/* Checks the derivatives of e by each input, and theirs, at a point. They are functions of the gradient and, where they
 * read it, of the result, like of any input. */
static void check_at(const fa__expression *e, const double *at, int orders)
{
    for (int i = 0; i < e->ninputs; i++) {
        fa__underived why;
        const fa__expression *d = fa__expression_derivative(e, i, &why);
        double expected = difference(e, at, i);
        assert_int_equal(!d, why == FA__UNDERIVED_ZERO);
        if (!d) {
            if (expected != 0)
                fail_msg("'%s' by %s: %g, and structurally zero", e->text, e->names[i], expected);
            continue;
        }
        double in[FA__MAX_INPUTS];
        memcpy(in, at, sizeof in);
        in[e->ninputs] = 1.25;
        in[e->ninputs + 1] = fa__ssa_eval(&e->ssa, at, 0);
        double is = fa__ssa_eval(&d->ssa, in, 0);
        expected *= 1.25;
        if (!(fabs(is - expected) <= 1e-6 * (1 + fabs(expected))))
            fail_msg("%s is %.12g, not %.12g", d->text, is, expected);
        assert_int_equal(d->ninputs, e->ninputs + 2);
        assert_int_equal(d->order, e->order + 1);
        if (orders > 1)
            check_at(d, in, orders - 1);
    }
}

/* Every primitive that has a derivative or is locally constant, and combinations. */
static const char *const texts[] = {
    "-x",
    "x + y",
    "x - y",
    "x * y",
    "x / y",
    "1 / x",
    "fma(x, y, z)",
    "abs(x)",
    "sign(x)",
    "maximum(x, y)",
    "minimum(x, y)",
    "floor(x * 1.37)",
    "trunc(x * 1.37)",
    "sqrt(x)",
    "exp(x)",
    "log(x)",
    "tanh(x)",
    "sigmoid(x)",
    "erf(x)",
    "sin(x)",
    "cos(x)",
    "exp2(x)",
    "expm1(x)",
    "log2(x)",
    "log10(x)",
    "log1p(x)",
    "softplus(x - 1)",
    "erfc(x)",
    "erfinv(x / 3)",
    "lgamma(x)",
    "digamma(x)",
    "polygamma(2, x)",
    "cbrt(x)",
    "exponent(x) * y",
    "zeta(2.5, x)",
    "igamma(1.5, x)",
    "igammac(2.5, x)",
    "erfcx(x)",
    "erfcx(-x)",
    "ndtr(x)",
    "log_ndtr(-x)",
    "ndtri(x / 3)",
    "i0(x)",
    "i0e(-x)",
    "i1(x)",
    "i1e(-x)",
    "bessel_j0(x)",
    "bessel_j1(x)",
    "bessel_y0(x)",
    "bessel_y1(x)",
    "modified_bessel_k0(x)",
    "modified_bessel_k1(x)",
    "scaled_modified_bessel_k0(x)",
    "scaled_modified_bessel_k1(x)",
    "tan(x / 2)",
    "asin(x / 3)",
    "acos(x / 3)",
    "atan(x)",
    "atan2(x, y)",
    "atan2(-x, y - 1)",
    "sinh(x)",
    "cosh(x)",
    "asinh(x)",
    "acosh(x + 1)",
    "atanh(x / 3)",
    "hypot(x, y)",
    "ceil(x * 1.37)",
    "round(x * 1.37)",
    "round_to(x * 1.37, 1)",
    "floor_divide(x * 1.37, y)",
    "remainder(x * 1.37, y)",
    "fmod(-x * 1.37, y)",
    "copysign(x, y)",
    "copysign(x, -y)",
    "signbit(x - y)",
    "pow(x, y)",
    "pow(x, 2)",
    "pow(x, 3)",
    "pow(x, 2.5)",
    "pow(x, -1.1)",
    "pow(1.7, x)",
    "x < y",
    "x <= y",
    "x == y",
    "x != y",
    "x && y",
    "x || y",
    "!x",
    "c ? x : y",
    "bool(x)",
    "u8(x)",
    "i8(x)",
    "i16(x)",
    "i32(x)",
    "i64(x)",
    "f64(x)",
    "index() * x",
    "uniform(k) * x + normal(k) * y",
    /* combinations */
    "x * sigmoid(x)",
    "x * sigmoid(1.702 * x) + y",
    "0.5 * x * (1 + erf(x * 0.7071067811865476))",
    "0.5 * x * (1 + tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)))",
    "maximum(x, 0) + log(1 + exp(-abs(x)))",
    "x * tanh(log(1 + exp(x)))",
    "x > 0 ? x : exp(x) - 1",
    "x > 1 ? x - 0.5 : 0.5 * x * x",
    "x > y ? x * y : x - y",
    "x / (1 + abs(x))",
    "exp(-x * x / 2) / sqrt(2 * pi)",
    "sin(x) * cos(y) - cos(x) * sin(y)",
    "log(x * x + y * y)",
    "1 / (1 + exp(-x))",
    "exp(x) / (exp(x) + exp(y) + exp(z))",
    "(x - y) / sqrt(z + 1e-5)",
    "pow(abs(x) + 1, y) / z",
    "-(z * log(sigmoid(x)) + (1 - z) * log(1 - sigmoid(x)))",
    "maximum(minimum(x, 1), -1) * y",
    "x * x * x - 3 * x * y + 2 / y",
    "t = exp(-abs(x)); x > 0 ? 1 / (1 + t) : t / (1 + t)",
    "exp(sin(x * y) * z)",
    "tanh(x * y) * tanh(x * y)",
    "a = x * y; b = a + z; a * b / (b * b + 1)",
    "(x > 0 ? sqrt(x) : 0) * y",
    "uniform(k) < 0.5 ? 0 : x * exp(y)",
    "sqrt(x > 0 ? x : 0) + log(x > 0 ? x : 1)",
    "erf(x) * exp(x * x)",
    "exp(x) * 2",
    "exp(x * y) + 1",
};

static const double points[][OPERANDS] = {
    {0.7, 1.3, 0.4, 1},
    {1.9, 0.8, 2.1, 0},
    {2.6, 2.2, 0.9, 0.5},
    {0.31, 0.57, 1.7, -1},
};

static void test_differences(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(texts); i++) {
        fa__expression *e = parse(texts[i]);
        for (size_t p = 0; p < COUNT(points); p++) {
            double at[FA__MAX_INPUTS] = {0};
            memcpy(at, points[p], sizeof points[p]);
            check_at(e, at, p < 2 ? 3 : 2);
        }
        fa__expression_free(e);
    }
}

/* ---- where limits matter ---- */

/* Text, by x or y, x and y, the incoming gradient, the derivative times it. */
static const struct {
    const char *text;
    int by;
    double x, y, gradient, value;
} limits[] = {
    {"x > 0 ? sqrt(x) : 0", X, 0, 0, 1, 0},
    {"x > 0 ? sqrt(x) : 0", X, 4, 0, 1, 0.25},
    {"sqrt(x > 0 ? x : 0)", X, -1, 0, 1, 0},
    {"x <= 0 ? 0 : x", X, 0, 0, 1, 0},
    {"x <= 0 ? 0 : x", X, -1, 0, INFINITY, 0},
    {"x <= 0 ? 0 : x", X, -1, 0, NAN, 0},
    {"x <= 0 ? 0 : x", X, NAN, 0, 3, 3},
    {"y * (x <= 0 ? 0 : x)", X, -1, INFINITY, 1, 0},
    {"x > 0 ? exp(x * x) : -x", X, 1e30, 0, 1, INFINITY},
    {"x > 0 ? -x : exp(x * x)", X, 1e30, 0, 1, -1},
    {"abs(x)", X, 0, 0, 1, 0},
    {"abs(x)", X, -3, 0, 2, -2},
    {"abs(x)", X, NAN, 0, 1, 0},
    {"maximum(x, y)", X, 2, 2, 1, 0.5},
    {"maximum(x, y)", Y, 2, 2, 1, 0.5},
    {"maximum(x, y)", X, 2, 3, 1, 0},
    {"maximum(x, y)", Y, 2, 3, 1, 1},
    {"maximum(x, y)", X, NAN, 3, 1, 1},
    {"maximum(x, y)", Y, NAN, 3, 1, 1},
    {"minimum(x, y)", X, 2, NAN, 1, 1},
    {"minimum(x, y)", Y, 2, NAN, 1, 1},
    {"minimum(x, y)", X, 2, 3, 1, 1},
    {"minimum(x, y)", Y, 2, 3, 1, 0},
    {"maximum(x, 0)", X, 0, 0, 1, 0.5},
    {"sqrt(x)", X, 0, 0, 1, INFINITY},
    {"log(x)", X, 0, 0, 1, INFINITY},
    {"1 / x", X, 0, 0, 1, -INFINITY},
    {"pow(x, y)", X, 0, 0, 1, 0},
    {"pow(x, y)", X, 0, 2, 1, 0},
    {"pow(x, y)", X, 0, 1, 1, 1},
    {"pow(x, y)", Y, 0, 2, 1, 0},
    {"pow(x, y)", Y, 0, 0, 1, 0},
    {"pow(x, y)", Y, 0, -1, 1, -INFINITY},
    {"pow(x, y)", Y, 2, 3, 1, 5.545177444479562},
    {"pow(x, y)", Y, -2, 3, 1, NAN},
    {"pow(x, 2)", X, 0, 0, 1, 0},
    {"pow(x, 3)", X, -2, 0, 1, 12},
    {"pow(x, 0.5)", X, 0, 0, 1, INFINITY},
    {"f16(x * x)", X, 1.0001, 0, 1, 2.0002},
    {"f32(x) * bf16(x)", X, 0.5, 0, 1, 1},
    {"erf(x)", X, 1e200, 0, 1, 0},
    /* what is not chosen stays 0, whatever comes from outside */
    {"maximum(x, y)", X, 2, 3, INFINITY, 0},
    {"maximum(x, y)", X, 2, 3, NAN, 0},
    {"minimum(x, y)", Y, 2, 3, -INFINITY, 0},
    {"maximum(x, y)", X, 2, 2, INFINITY, INFINITY},
    {"log(maximum(x, 0))", X, -1, 0, 1, 0},
    {"sqrt(maximum(x, 0))", X, -1, 0, 1, 0},
    {"1 / maximum(x, 0)", X, -1, 0, 1, 0},
    {"minimum(maximum(x, y), 1)", X, -1, 0, NAN, 0},
    {"sqrt(x > 0 ? (x < 9 ? x : 0) : 0)", X, 10, 0, 1, 0},
    {"log(x > 0 ? (x < 9 ? x : 0) : (x < -9 ? -x : 0))", X, -1, 0, 1, 0},
    {"log(maximum(x - 1, 0) + maximum(-1 - x, 0))", X, 0, 0, 1, 0},
    {"log(maximum(x - 1, 0) - minimum(1 + x, 0))", X, 0, 0, 1, 0},
};

static double slope(const char *text, int by, double x, double y, double gradient)
{
    fa__underived why;
    fa__expression *e = parse(text);
    const fa__expression *d = fa__expression_derivative(e, by, &why);
    assert_non_null(d);
    double in[FA__MAX_INPUTS] = {x, y};
    in[OPERANDS] = gradient;
    in[OPERANDS + 1] = fa__ssa_eval(&e->ssa, in, 0);
    double value = fa__ssa_eval(&d->ssa, in, 0);
    fa__expression_free(e);
    return value;
}

static void test_limits(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(limits); i++) {
        double value = slope(limits[i].text, limits[i].by, limits[i].x, limits[i].y, limits[i].gradient);
        double expected = limits[i].value;
        bool right = isnan(expected) || isinf(expected) ? same_number(value, expected)
                                                        : fabs(value - expected) <= 1e-12 * fabs(expected);
        if (!right)
            fail_msg("'%s' at %g, %g: %.17g, not %.17g", limits[i].text, limits[i].x, limits[i].y, value, expected);
    }
}

static void check_finite(const fa__expression *e, const double *at, int orders)
{
    fa__underived why;
    float narrow[FA__MAX_INPUTS];
    double in[FA__MAX_INPUTS];
    const fa__expression *d = fa__expression_derivative(e, X, &why);
    if (why == FA__UNDERIVED_ZERO)
        return;
    memcpy(in, at, sizeof in);
    in[e->ninputs] = 1;
    in[e->ninputs + 1] = fa__ssa_eval(&e->ssa, at, 0);
    for (int i = 0; i < FA__MAX_INPUTS; i++)
        narrow[i] = (float)in[i];
    if (!isfinite(fa__ssa_eval(&d->ssa, in, 0)) || !isfinite(fa__ssa_eval_f32(&d->ssa, narrow, 0)))
        fail_msg("%s at %g is %g, in f32 %g", d->text, at[X], fa__ssa_eval(&d->ssa, in, 0),
                 (double)fa__ssa_eval_f32(&d->ssa, narrow, 0));
    if (orders > 1)
        check_finite(d, in, orders - 1);
}

static void test_finite(void **state)
{
    (void)state;
    static const char *const activations[] = {
        "sigmoid(x)",
        "tanh(x)",
        "erf(x)",
        "x * sigmoid(x)",
        "x * sigmoid(1.702 * x)",
        "0.5 * x * (1 + erf(x * 0.7071067811865476))",
        "x > 0 ? x : exp(x) - 1",
        "x / (1 + abs(x))",
        "log(sigmoid(abs(x)))",
    };
    static const double far[] = {0, -0.0, 1, -1, 20, -20, 88, -88, 100, -100, 1000, -1000, 1e30, -1e30};
    for (size_t i = 0; i < COUNT(activations); i++)
        for (size_t p = 0; p < COUNT(far); p++) {
            fa__expression *e = parse(activations[i]);
            double at[FA__MAX_INPUTS] = {far[p]};
            bool overflows = fabs(far[p]) > 1e19 && strchr(activations[i], '/'); /* its denominator's square, in f32 */
            check_finite(e, at, overflows || strstr(activations[i], "erf(x *") ? 1 : 2);
            fa__expression_free(e);
        }
}

/* ---- what derivatives read ---- */

enum { GY = OPERANDS, RESULT = OPERANDS + 1 };
#define BIT(input) (1u << (input))

static const struct {
    const char *text;
    int by;
    unsigned used; /* 0: zero */
} reads[] = {
    {"x + y", X, BIT(GY)},
    {"x - y", Y, BIT(GY)},
    {"x * 3", X, BIT(GY)},
    {"x", X, BIT(GY)},
    {"x * y", X, BIT(GY) | BIT(Y)},
    {"x * y", Y, BIT(GY) | BIT(X)},
    {"x * x", X, BIT(GY) | BIT(X)},
    {"x / y", X, BIT(GY) | BIT(Y)},
    {"x / y", Y, BIT(GY) | BIT(X) | BIT(Y)},
    {"1 / x", X, BIT(GY) | BIT(RESULT)},
    {"exp(x)", X, BIT(GY) | BIT(RESULT)},
    {"exp(x * y)", X, BIT(GY) | BIT(Y) | BIT(RESULT)},
    {"exp(x) * 2", X, BIT(GY) | BIT(RESULT)},
    {"y * exp(x)", X, BIT(GY) | BIT(RESULT)},
    {"x * exp(x)", X, BIT(GY) | BIT(X)},
    {"sqrt(x)", X, BIT(GY) | BIT(RESULT)},
    {"tanh(x)", X, BIT(GY) | BIT(RESULT)},
    {"sigmoid(x)", X, BIT(GY) | BIT(RESULT)},
    {"log(x)", X, BIT(GY) | BIT(X)},
    {"sin(x)", X, BIT(GY) | BIT(X)},
    {"x * sigmoid(x)", X, BIT(GY) | BIT(X)},
    {"abs(x)", X, BIT(GY) | BIT(X)},
    {"c ? x : y", X, BIT(GY) | BIT(C)},
    {"c ? x : y", Y, BIT(GY) | BIT(C)},
    {"uniform(k) < 0.5 ? 0 : 2 * x", X, BIT(GY) | BIT(K)},
    {"maximum(x, y)", X, BIT(GY) | BIT(X) | BIT(Y)},
    {"f16(x)", X, BIT(GY)},
    /* zero */
    {"x + y", Z, 0},
    {"floor(x)", X, 0},
    {"trunc(x)", X, 0},
    {"sign(x)", X, 0},
    {"x < y", X, 0},
    {"c ? x : y", C, 0},
    {"i32(x)", X, 0},
    {"bool(x) + y", X, 0},
    {"uniform(k)", K, 0},
    {"index() * 2", X, 0},
    {"t = x + y; t - x", Z, 0},
    {"x - x", X, 0},
    {"3", X, 0},
};

static void test_reads(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(reads); i++) {
        fa__underived why;
        fa__expression *e = parse(reads[i].text);
        fa__expression *d = fa__expression_derive(e, reads[i].by, &why);
        assert_int_equal(why == FA__UNDERIVED_ZERO, !d);
        if ((d ? d->used : 0) != reads[i].used)
            fail_msg("'%s' by %s reads %x", reads[i].text, operand_names[reads[i].by], d ? d->used : 0);
        fa__expression_free(d);
        fa__expression_free(e);
    }
}

static void test_flags(void **state)
{
    (void)state;
    fa__underived why;
    fa__expression *e = parse("c ? uniform(k) * x : y");
    const fa__expression *d = fa__expression_derivative(e, X, &why);
    assert_int_equal(d->silent, BIT(C) | BIT(K));
    assert_int_equal(d->random, BIT(K));
    assert_true(d->floating);
    assert_int_equal(d->boolean, 0);
    assert_string_equal(d->text, "d(c ? uniform(k) * x : y)/d(x)");
    assert_string_equal(d->names[GY], "gy");
    assert_string_equal(d->names[RESULT], "y");
    const fa__expression *second = fa__expression_derivative(d, GY, &why);
    assert_string_equal(second->names[GY + 2], "gy2");
    assert_ptr_equal(fa__expression_derivative(e, X, &why), d);
    fa__expression_free(e);
}

/* ---- limits ---- */

static void test_too_much(void **state)
{
    (void)state;
    fa__underived why;
    const char *names[15];
    char name[15][16];
    for (int i = 0; i < 15; i++) {
        snprintf(name[i], sizeof name[i], "a%d", i);
        names[i] = name[i];
    }
    fa__parse_error error;
    fa__expression *e = fa__expression_parse("a0 * a14", &(fa__signature){.inputs = names, .ninputs = 15}, &error);
    assert_null(fa__expression_derive(e, 0, &why));
    assert_int_equal(why, FA__UNDERIVED_LARGE);
    assert_false(fa_failed());
    assert_null(fa__expression_derivative(e, 15, &why));
    assert_int_equal(why, FA__UNDERIVED_ERROR);
    assert_int_equal(fa_error_code(), FA_ERROR_INTERNAL);
    fa_error_clear();
    assert_null(fa__expression_derive(e, 3, &why));
    assert_int_equal(why, FA__UNDERIVED_ZERO);
    fa__expression_free(e);

    /* as often as there is room for inputs */
    fa__expression *first = fa__expression_parse("exp(a0)", &(fa__signature){.inputs = names, .ninputs = 1}, &error);
    const fa__expression *d = first;
    int orders = 0;
    for (const fa__expression *next = d; next; orders++) {
        d = next;
        next = fa__expression_derivative(d, d->ninputs > 1 ? d->ninputs - 2 : 0, &why);
    }
    assert_int_equal(orders, 8);
    assert_int_equal(why, FA__UNDERIVED_LARGE);
    fa__expression_free(first);

    /* as long as there is room for values */
    char text[8192] = "x";
    for (int i = 0; i < 240; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), " * sin(x + %d)", i);
    fa__expression *many = fa__expression_parse(text, &operands, &error);
    assert_string_equal(error.message, "more than 512 values");
    text[0] = 0;
    for (int i = 0; i < 120; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "sin(x + %d) * ", i);
    strcat(text, "x");
    many = fa__expression_parse(text, &operands, &error);
    assert_non_null(many);
    assert_null(fa__expression_derive(many, X, &why));
    assert_int_equal(why, FA__UNDERIVED_LARGE);
    assert_false(fa_failed());
    fa__expression_free(many);
}

/* Choices within choices: what stays outside of products does not multiply them without end. */
static void test_nested_choices(void **state)
{
    (void)state;
    fa__underived why;
    char text[8192] = "t = x; ";
    for (int i = 0; i < 40; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "t = t > %d ? t * y : 0; ", i);
    strcat(text, "t");
    fa__expression *e = parse(text);
    fa__expression *d = fa__expression_derive(e, X, &why);
    assert_non_null(d);
    double in[FA__MAX_INPUTS] = {3, 2};
    in[GY] = 1;
    assert_true(fa__ssa_eval(&d->ssa, in, 0) == fa__ssa_eval(&e->ssa, in, 0) / 3);
    fa__expression_free(d);
    fa__expression_free(e);
}

static void test_no_memory(void **state)
{
    (void)state;
    for (int64_t nth = 1; nth < 20; nth++) {
        fa__underived why;
        fa__expression *e = parse("exp(x) / y");
        fa__inject(nth);
        const fa__expression *d = fa__expression_derivative(e, X, &why);
        fa__inject(0);
        assert_int_equal(why, FA__UNDERIVED_ERROR);
        assert_int_equal(!d, fa__failed());
        fa__expression_free(e);
        if (d) {
            assert_true(nth > 2);
            return;
        }
        assert_int_equal(fa_error_code(), FA_ERROR_MEMORY);
        fa_error_clear();
    }
    fail_msg("never succeeded");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_differences),    cmocka_unit_test(test_limits),    cmocka_unit_test(test_finite),
        cmocka_unit_test(test_reads),          cmocka_unit_test(test_flags),     cmocka_unit_test(test_too_much),
        cmocka_unit_test(test_nested_choices), cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
