/* The expression language: precedence, constants, statements, what texts say about promotion, limits and errors. */
#include "pointwise/expression_test.h"
#include <locale.h>
#include <stdlib.h>

/* Text, and its value for x = 2, y = 3, z = 5, c = 0. */
static const struct {
    const char *text;
    double value;
} values[] = {
    {"x + y * z", 17},
    {"(x + y) * z", 25},
    {"z - y - x", 0},
    {"60 / z / y", 4},
    {"z - y + x", 4},
    {"-x * y", -6},
    {"x - -y", 5},
    {"x--y", 5},
    {"- - -x", -2},
    {"+x", 2},
    {"x-+y", -1},
    {"!x + 1", 1},
    {"!c + 1", 2},
    {"!!x", 1},
    {"-!c", -1},
    {"x < y == y < z", 1},
    {"x + 1 < y * 1", 0},
    {"x + 1 <= y", 1},
    {"x >= y", 0},
    {"y > x", 1},
    {"x == 2 && y != 2", 1},
    {"c || x && c", 0},
    {"x || y && c", 1},
    {"(x || y) && c", 0},
    {"1 == 1 | 1 == 2 & 1 == 2", 1},
    {"x == 3 | y == 3", 1},
    {"x == 3 & y == 3", 0},
    {"x > y || y > x && z > y", 1},
    {"c ? x : y", 3},
    {"x ? y : z", 3},
    {"c ? x : x ? y : z", 3},
    {"x ? c ? 1 : 2 : 3", 2},
    {"x < y ? x + 1 : y + 1", 3},
    {"c || x ? 1 : 2", 1},
    {"(x)", 2},
    {"((((x))))", 2},
    {" \t\r\n x\n+\ty ", 5},
    {"x+y", 5},
    {"exp(0)", 1},
    {"fma(x, y, z)", 11},
    {"maximum(x, y) - minimum(x, y)", 1},
    {"select(c, x, y)", 3},
    {"abs(-x)", 2},
    {"sign(-x)", -1},
    {"floor(x / y)", 0},
    {"floor(-x / y)", -1},
    {"trunc(-x / y)", 0},
    {"pow(x, y)", 8},
    {"sqrt(x * 8)", 4},
    {"log(exp(x))", 2},
    {"add(x, mul(y, z))", 17},
    {"lt(x, y)", 1},
    {"i32(z / x)", 2},
    {"bool(x)", 1},
    {"f64(x)", 2},
    {"u8(x + 256)", 2},
    {"i8(x + 254)", 0},
    {"index() + x", 9},
    {"uniform(k)", 0.375},
    {"normal(k)", -1.25},
    {"3", 3},
    {"0x1F", 31},
    {"0XfF", 255},
    {"1.5", 1.5},
    {".5", 0.5},
    {"5.", 5},
    {"1e3", 1000},
    {"1E-3", 0.001},
    {"2.5e+2", 250},
    {"0.1", 0.1},
    {"9223372036854775807", 9223372036854775807.0},
    {"inf", INFINITY},
    {"-inf", -INFINITY},
    {"nan", NAN},
    {"pi", 3.141592653589793},
    {"true + true", 2},
    {"false", 0},
    {"r = x + 1", 3},
    {"anything = x + 1", 3},
    {"x + 1;", 3},
    {"t = x * x; t + t", 8},
    {"t = x * x; u = t * t; u - t;", 12},
    {"t = x; t = t * y; t = t * z; t", 30},
    {"pi = x; pi", 2},
};

static void test_values(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(values); i++) {
        double value = value_of(values[i].text, 2, 3, 5, 0);
        if (!same_number(value, values[i].value) && !(value == 0 && values[i].value == 0))
            fail_msg("'%s' is %.17g, not %.17g", values[i].text, value, values[i].value);
    }
}

#define READ_ONLY(name) "'" name "' is an operand, which is only read: == compares, other names may be assigned"

/* Text, the error's message and position. */
static const struct {
    const char *text, *message;
    int position;
} errors[] = {
    {"", "expected an operand, found the end", 0},
    {"   ", "expected an operand, found the end", 3},
    {";", "expected an operand, found ';'", 0},
    {"x +", "expected an operand, found the end", 3},
    {"x + * y", "expected an operand, found '*'", 4},
    {"(x", "expected ')', found the end", 2},
    {"(x + y", "expected ')', found the end", 6},
    {"(x; y", "expected ')', found ';'", 2},
    {"x)", "expected an operator or the end, found ')'", 1},
    {"()", "expected an operand, found ')'", 1},
    {"x y", "expected an operator or the end, found 'y'", 2},
    {"2x", "expected an operator or the end, found 'x'", 1},
    {"1.5f", "expected an operator or the end, found 'f'", 3},
    {"1.2.3", "expected an operator or the end, found '.3'", 3},
    {"x ? y", "expected ':', found the end", 5},
    {"x ? y : ", "expected an operand, found the end", 8},
    {"x ? : y", "expected an operand, found ':'", 4},
    {"exp(x", "expected ',' or ')', found the end", 5},
    {"exp(x y)", "expected ',' or ')', found 'y'", 6},
    {"exp(x,)", "expected an operand, found ')'", 6},
    {"exp(,x)", "expected an operand, found ','", 4},
    {"x, y", "expected an operator or the end, found ','", 1},
    {"foo(x)", "no function 'foo'; did you mean 'floor'?", 0},
    {"1 + sigmod(x)", "no function 'sigmod'; did you mean 'sigmoid'?", 4},
    {"sigmiod(x)", "no function 'sigmiod'; did you mean 'sigmoid'?", 0},
    {"1 + bit_and(x, y) * 0.5", "'bit_and' is of integers, and the rest computes in floats", 0},
    {"exp(gcd(x, 2))", "'gcd' is of integers, and the rest computes in floats", 0},
    {"max(x, y)", "no function 'max'; did you mean 'maximum'?", 0},
    {"where(c, x, y)", "no function 'where'; did you mean 'select'?", 0},
    {"float(x)", "no function 'float'; did you mean 'f32'?", 0},
    {"frobnicate(x)", "no function 'frobnicate'", 0},
    {"mad(x, y, z)", "no function 'mad'; did you mean 'add'?", 0},
    {"nmad(x, y, z)", "no function 'nmad'", 0},
    {"to_f32(x)", "no function 'to_f32'", 0},
    {"input(x)", "no function 'input'", 0},
    {"constant(x)", "no function 'constant'", 0},
    {"x(y)", "'x' is an operand, not a function", 0},
    {"exp + 1", "'exp' is a function: expected '(' after it", 0},
    {"exp(x, y)", "'exp' takes 1 operand, 2 given", 0},
    {"exp()", "'exp' takes 1 operand, 0 given", 0},
    {"fma(x, y)", "'fma' takes 3 operands, 2 given", 0},
    {"index(x)", "'index' takes 0 operands, 1 given", 0},
    {"fma(x, y, z, x, y)", "'fma' takes 3 operands, 5 given", 0},
    {"x + q", "no operand 'q': there are x, y, z, c, k", 4},
    {"e", "no operand 'e': there are x, y, z, c, k", 0},
    {"t = x; t + u", "no operand 'u': there are x, y, z, c, k, t", 11},
    {"x < y < z", "comparisons do not chain: write a < b && b < c", 6},
    {"x <= y > z", "comparisons do not chain: write a < b && b < c", 7},
    {"x == y == z", "comparisons do not chain: write a < b && b < c", 7},
    {"x ** 2", "no operator '**': powers are written pow(x, y)", 2},
    {"x ^ 2", "no operator '^': powers are written pow(x, y)", 2},
    {"x % 2", "no operator '%': a remainder is written remainder(x, y) or fmod(x, y)", 2},
    {"x << 2", "no operator '<<': shifts are written shift_left(x, y)", 2},
    {"x += 2", "no operator '+=': write 'x = x + y'", 2},
    {"~x", "no operator '~': 'not' is written !, and of bits bit_not(x)", 0},
    {"x[0]", "no operator '[': operands are not indexed: each element is computed by itself", 1},
    {"x & 3", "'&' joins tests: comparisons and bools", 2},
    {"x + y | z", "'|' joins tests: comparisons and bools", 6},
    {"x @ y", "unexpected '@'", 2},
    {"x .y", "unexpected '.'", 2},
    {"x \xc3\x97 y", "unexpected character: byte 0xC3", 2},
    {"x \x01", "unexpected character: byte 0x01", 2},
    {"0x", "expected hexadecimal digits after '0x'", 2},
    {"1e", "expected the digits of the exponent", 2},
    {"1e+x", "expected the digits of the exponent", 3},
    {"9223372036854775808", "the integer does not fit in 64 bits; with a point it is not one", 0},
    {"0xFFFFFFFFFFFFFFFF", "the integer does not fit in 64 bits; with a point it is not one", 0},
    {"1e999", "the constant is too large for an f64", 0},
    {"t = ", "expected an operand, found the end", 4},
    {"x = 2", READ_ONLY("x"), 0},
    {"x = 2; x + 1", READ_ONLY("x"), 0},
    {"x = x + 1; x * x", READ_ONLY("x"), 0},
    {"t = x; y = t", READ_ONLY("y"), 7},
    {"t = x; y = t; t", READ_ONLY("y"), 7},
    {"y = x z", READ_ONLY("y"), 0},
    {"(x = y)", "expected ')', found '='", 3},
    {"a = b = x", "no operand 'b': there are x, y, z, c, k", 4},
    {"t = x z", "expected an operator or ';', found 'z'", 6},
    {"x; y", "expected an operator or the end, found 'y'", 3},
    {"t = exp(x); x + 1", "'t' is neither a result nor used later", 0},
    {"t = x; t = y; t", "'t' is neither a result nor used later", 0},
    {"uniform(x + 1)", "the operand of 'uniform' is a key, by its name", 8},
    {"uniform(3)", "the operand of 'uniform' is a key, by its name", 8},
    {"uniform(k) + k", "'k' is a key: only uniform() and normal() take it", 13},
    {"uniform(k) + (k ? 1 : 2)", "'k' is a key: only uniform() and normal() take it", 14},
    {"uniform(k) + maximum(x, k)", "'k' is a key: only uniform() and normal() take it", 24},
    {"normal(k) ? k : x", "'k' is a key: only uniform() and normal() take it", 12},
};

static void test_errors(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(errors); i++) {
        fa__parse_error error;
        fa__expression *e = fa__expression_parse(errors[i].text, &operands, &error);
        if (e)
            fail_msg("'%s' was taken", errors[i].text);
        if (strcmp(error.message, errors[i].message) != 0 || error.position != errors[i].position)
            fail_msg("'%s': \"%s\" at %d, not \"%s\" at %d", errors[i].text, error.message, error.position,
                     errors[i].message, errors[i].position);
    }
    assert_false(fa__failed());
}

static void test_render(void **state)
{
    (void)state;
    static const struct {
        const char *text, *rendered;
    } cases[] = {
        {"x +", "in \"x +\" at 3: expected an operand, found the end"},
        {"y y", "in \"y y\" at 2, before \"y\": expected an operator or the end, found 'y'"},
        {"x +\n\t) y", "in \"x +  ) y\" at 5, before \") y\": expected an operand, found ')'"},
        {"x \xc3\x97 y", "in \"x \xc3\x97 y\" at 2, before \"\xc3\x97 y\": unexpected character: byte 0xC3"},
        {")", "in \")\" at 0: expected an operand, found ')'"},
        {"x + x + x + x + x + x + x + x + x + x + x + x + x + x + y % x + x + x + x + x + x + x + x",
         "in \"...+ x + x + x + x + x + x + x + x + x + x + x + y % x + x + x + x + x + x ...\" at 58, before "
         "\"% x + x + x + x + x + x ...\": no operator '%': a remainder is written remainder(x, y) or fmod(x, y)"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        fa__parse_error error;
        char buffer[512];
        assert_null(fa__expression_parse(cases[i].text, &operands, &error));
        assert_string_equal(fa__parse_error_render(cases[i].text, &error, buffer, sizeof buffer), cases[i].rendered);
    }
    char tiny[8];
    fa__parse_error error = {.position = 1000, .message = "a long message"};
    assert_string_equal(fa__parse_error_render("x", &error, tiny, sizeof tiny), "in \"x\" ");
}

static fa__expression *parse_update(const char *text, const char *const *outputs, int count, fa__parse_error *error)
{
    static const char *const names[] = {"p", "g", "m", "v", "lr"};
    return fa__expression_parse(
        text, &(fa__signature){.inputs = names, .ninputs = 5, .outputs = outputs, .noutputs = count}, error);
}

static void test_updates(void **state)
{
    (void)state;
    fa__parse_error error;
    const char *sgd[] = {"p", "m"}, *adam[] = {"p", "m", "v"};
    fa__expression *e = parse_update("m = 0.5 * m + g; p = p - lr * m", sgd, 2, &error);
    assert_non_null(e);
    assert_int_equal(e->ssa.outputs, 2);
    double in[] = {10, 4, 2, 0, 0.25}; /* p, g, m, v, lr */
    assert_true(fa__ssa_eval(&e->ssa, in, 1) == 5);
    assert_true(fa__ssa_eval(&e->ssa, in, 0) == 8.75);
    assert_int_equal(e->used, 0x17);
    fa__expression_free(e);

    e = parse_update("m = 0.9*m + 0.1*g; v = 0.99*v + 0.01*g*g; p = p - lr * m / (sqrt(v) + 1e-8)", adam, 3, &error);
    assert_non_null(e);
    assert_int_equal(e->ssa.outputs, 3);
    double m = 0.9 * 2 + 0.1 * 4, v = 0.01 * 4 * 4;
    assert_true(fabs(fa__ssa_eval(&e->ssa, in, 0) - (10 - 0.25 * m / (sqrt(v) + 1e-8))) < 1e-12);
    assert_true(fabs(fa__ssa_eval(&e->ssa, in, 2) - v) < 1e-12);
    fa__expression_free(e);

    /* results that are no operands, one not assigned by its name, and one twice */
    const char *q[] = {"q"}, *qr[] = {"q", "r"};
    e = parse_update("q = p; q = q + q", q, 1, &error);
    assert_true(e && fa__ssa_eval(&e->ssa, in, 0) == 20);
    fa__expression_free(e);
    e = parse_update("t = p + g; t * t", q, 1, &error);
    assert_true(e && fa__ssa_eval(&e->ssa, in, 0) == 196);
    fa__expression_free(e);
    e = parse_update("r = p; q = p", qr, 2, &error);
    assert_true(e && e->ssa.output[0] == e->ssa.output[1]);
    fa__expression_free(e);
}

static void test_update_errors(void **state)
{
    (void)state;
    static const char *const p[] = {"p", "m"}, *const q[] = {"q", "r"}, *const twice[] = {"p", "p"};
    static const char *const many[] = {"a", "b", "c", "d", "e", "f"};
    static const struct {
        const char *text;
        const char *const *outputs;
        int count;
        const char *message;
        int position;
    } cases[] = {
        {"q = p - lr * g", p, 2, "'q' is neither a result nor used later", 0},
        {"p = p - lr * g", p, 2, "no statement gives 'm' a value", 14},
        {"q = p", q, 2, "no statement gives 'r' a value", 5},
        {"p = p - lr * g; m + 1", p, 2, "expected a result's name and '=': there are 2 results", 16},
        {"t = q + 1; q = t", q, 1, "'q' has no value yet", 4},
        {"t = p + 1; p + 1", q, 1, "'t' is neither a result nor used later", 0},
        {"lr = lr * 2; p = p - lr * g; m = g", p, 2, READ_ONLY("lr"), 0},
        {"p + 1", twice, 2, "two results are named 'p'", 0},
        {"p", many, 6, "5 operands and 6 results, and at most 16 and 5", 0},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        fa__parse_error error;
        assert_null(parse_update(cases[i].text, cases[i].outputs, cases[i].count, &error));
        assert_string_equal(error.message, cases[i].message);
        assert_int_equal(error.position, cases[i].position);
    }
}

/* Text, and what it says: inputs used, those that are not promoted, keys, floating, boolean. */
static const struct {
    const char *text;
    unsigned used, silent, random;
    bool floating, boolean;
} flags[] = {
    {"x + y", 3, 0, 0, false, false},
    {"x / y", 3, 0, 0, true, false},
    {"x * 1.0", 1, 0, 0, true, false},
    {"x * 1", 1, 0, 0, false, false},
    {"x + 2 * 3", 1, 0, 0, false, false},
    {"exp(2)", 0, 0, 0, true, false},
    {"x < y", 3, 0, 0, false, true},
    {"x < inf", 1, 0, 0, true, true},
    {"!x", 1, 0, 0, false, true},
    {"bool(x)", 1, 0, 0, false, true},
    {"x && y", 3, 0, 0, false, true},
    {"1 < 2", 0, 0, 0, false, true},
    {"true", 0, 0, 0, false, true},
    {"c ? x < y : x < z", 15, 8, 0, false, true},
    {"c ? true : x < y", 11, 8, 0, false, true},
    {"c ? x : y < z", 15, 8, 0, false, false},
    {"(x < y) + 1", 3, 0, 0, false, false},
    {"c ? x : y", 11, 8, 0, false, false},
    {"select((c), x, y)", 11, 8, 0, false, false},
    {"t = c; t ? x : y", 11, 8, 0, false, false},
    {"c ? x : c", 9, 0, 0, false, false},
    {"t = c; t ? x : t", 9, 0, 0, false, false},
    {"c ? c : c", 8, 0, 0, false, false},
    {"!c ? x : y", 11, 0, 0, false, false},
    {"c > 0 ? x : y", 11, 0, 0, false, false},
    {"bool(c) ? x : y", 11, 0, 0, false, false},
    {"c && z ? x : y", 15, 0, 0, false, false},
    {"c ? x : x", 1, 8, 0, false, false},
    {"c * 1 ? x : y", 11, 0, 0, false, false},
    {"true ? x : exp(y)", 1, 0, 0, true, false},
    {"uniform(k) < 0.5 ? 0 : x", 17, 16, 16, true, false},
    {"x + normal(k) + uniform(k)", 17, 16, 16, true, false},
    {"f32(x)", 1, 1, 0, true, false},
    {"f64(x)", 1, 0, 0, true, false}, /* what f64 promotes to is f64 */
    {"i32(x)", 1, 1, 0, false, false},
    {"i32(x) + x", 1, 0, 0, false, false},
    {"i32(x) + (x ? 1 : 2)", 1, 1, 0, false, false},
    {"pow(x, 2)", 1, 0, 0, false, false},
    {"pow(x, 2.0)", 1, 0, 0, true, false},
    {"x - x", 1, 0, 0, false, false},
    {"x / 1", 1, 0, 0, true, false},
    {"index()", 0, 0, 0, false, false},
};

static void test_flags(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(flags); i++) {
        fa__expression *e = parse(flags[i].text);
        if (e->used != flags[i].used || e->silent != flags[i].silent || e->random != flags[i].random
            || e->floating != flags[i].floating || e->boolean != flags[i].boolean)
            fail_msg("'%s': used %x, silent %x, random %x, floating %d, boolean %x", flags[i].text, e->used, e->silent,
                     e->random, e->floating, e->boolean);
        assert_string_equal(e->text, flags[i].text);
        assert_string_equal(e->names[Y], "y");
        assert_int_equal(e->ninputs, OPERANDS);
        assert_int_equal(e->ssa.inputs, OPERANDS);
        fa__expression_free(e);
    }
}

/* Text, and the inputs that are mentioned as bounds only. */
static const struct {
    const char *text;
    unsigned bound_only;
} bounds[] = {
    {"maximum(x, y)", 3},
    {"minimum(maximum(x, y), z)", 7},
    {"maximum(x + 1, y)", 2},
    {"maximum(x, y) + y", 1},
    {"c ? maximum(x, c) : y", 1},
    {"maximum(x, y) > 5", 3},
    {"t = y; maximum(x, t)", 3},
    {"x + y", 0},
    {"x", 0},
};

static void test_bounds(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(bounds); i++) {
        fa__expression *e = parse(bounds[i].text);
        if (e->bound_only != bounds[i].bound_only)
            fail_msg("'%s': bounds %x, not %x", bounds[i].text, e->bound_only, bounds[i].bound_only);
        fa__expression_free(e);
    }
    fa__expression *e = parse("c ? maximum(x, c) : y");
    assert_int_equal(e->silent, 0);
    fa__expression_free(e);
}

static const char *message_of(const char *text, const fa__signature *signature)
{
    static fa__parse_error error;
    fa__expression *e = fa__expression_parse(text, signature, &error);
    fa__expression_free(e);
    return e ? "" : error.message;
}

static char *repeated(const char *begin, const char *part, int count, const char *end)
{
    size_t length = strlen(part);
    char *text = malloc(strlen(begin) + length * (size_t)count + strlen(end) + 1), *at = text;
    at = stpcpy(at, begin);
    for (int i = 0; i < count; i++)
        at = stpcpy(at, part);
    stpcpy(at, end);
    return text;
}

static void check_limit(const char *begin, const char *part, int count, const char *end, const char *message)
{
    char *text = repeated(begin, part, count, end);
    assert_string_equal(message_of(text, &operands), message);
    free(text);
}

static void test_limits(void **state)
{
    (void)state;
    const char *deep = "nested more than 200 deep", *many = "more than 512 values";
    check_limit("", "(", 100000, "", "longer than 65536 bytes");
    check_limit("", "(", 60000, "", deep);
    check_limit("", "-", 60000, "x", deep);
    check_limit("", "x?y:", 10000, "z", deep);
    check_limit("", "exp(", 10000, "", deep);
    check_limit("", "!", 198, "x", "");
    check_limit("", "x + ", 10000, "x", "more than 512 values"); /* (x + x) + x and so on are all different */
    check_limit("x", " * x", 500, "", "");
    check_limit("x", " * x", 511, "", "");
    check_limit("x", " * x", 512, "", many);
    check_limit("t = x; ", "t = t + 1; ", 2000, "t", many);
    check_limit("t = x; ", "t = t * 1; ", 2000, "t", "");
    check_limit("", "x * y + ", 4000, "0.5", many);
    check_limit("", " ", 60000, "x", "");
    check_limit("1", "0", 60000, "", "the integer does not fit in 64 bits; with a point it is not one");
    check_limit("0.", "0", 60000, "1", "");
    check_limit("", "q", 60000, "(x)", "no function 'qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq'");

    char text[4096] = "";
    for (int i = 0; i < 65; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "t%d = x + %d; ", i, i);
    assert_string_equal(message_of(text, &operands), "'t0' is neither a result nor used later");
    char locals[8192] = "a0 = x; ";
    for (int i = 1; i < 90; i++)
        snprintf(locals + strlen(locals), sizeof locals - strlen(locals), "a%d = a%d + 1; ", i, i - 1);
    assert_string_equal(message_of(locals, &operands), "more than 64 locals");

    const char *seventeen[17], *twice[] = {"x", "y", "x"};
    for (int i = 0; i < 17; i++)
        seventeen[i] = "x";
    assert_string_equal(message_of("x", &(fa__signature){.inputs = seventeen, .ninputs = 17}),
                        "17 operands and 0 results, and at most 16 and 5");
    assert_string_equal(message_of("x", &(fa__signature){.inputs = twice, .ninputs = 3}), "two operands are named 'x'");
    assert_string_equal(message_of("x", &(fa__signature){0}), "no operand 'x': there are none");
    assert_string_equal(message_of("y", &(fa__signature){.inputs = twice, .ninputs = 1}), "no operand 'y': there is x");
    assert_string_equal(message_of("3 * index()", &(fa__signature){0}), "");
}

static void test_locale(void **state)
{
    (void)state;
    const char *commas[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE", "C.UTF-8"};
    for (size_t i = 0; i < COUNT(commas); i++)
        if (setlocale(LC_ALL, commas[i]))
            break;
    assert_true(value_of("1.5 + 2.25e1", 0, 0, 0, 0) == 24);
    setlocale(LC_ALL, "C");
}

static void test_no_memory(void **state)
{
    (void)state;
    fa__parse_error error;
    for (int64_t nth = 1; nth < 10; nth++) {
        fa__inject(nth);
        fa__expression *e = fa__expression_parse("x * y + 1", &operands, &error);
        fa__inject(0);
        if (e) {
            assert_true(nth > 1);
            fa__expression_free(e);
            assert_false(fa__failed());
            return;
        }
        assert_string_equal(error.message, "out of memory");
        assert_true(fa__failed());
        fa_error_clear();
    }
    fail_msg("never succeeded");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),    cmocka_unit_test(test_errors),        cmocka_unit_test(test_render),
        cmocka_unit_test(test_updates),   cmocka_unit_test(test_update_errors), cmocka_unit_test(test_flags),
        cmocka_unit_test(test_bounds),    cmocka_unit_test(test_limits),        cmocka_unit_test(test_locale),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
