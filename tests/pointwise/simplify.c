/* Simplification: how many operations are left, what is folded and what may not be, and that nothing changes a bit in
 * any compute class: on random expressions, against their trees. */
#include "pointwise/expression_test.h"
#include <float.h>
#include <stdlib.h>

static int operations(const fa__expression *e)
{
    int count = 0;
    for (int i = 0; i < e->ssa.count; i++)
        count += e->ssa.node[i].prim > FA__PRIM_constant;
    return count;
}

/* Text, and the operations that are left. */
static const struct {
    const char *text;
    int operations;
} counts[] = {
    {"x", 0},
    {"x + y", 1},
    {"(x + y) * (x + y)", 2},
    {"(x + y) * (y + x)", 2},
    {"x * y + y * x", 2},
    {"exp(x) * sigmoid(exp(x)) + exp(x)", 4},
    {"fma(x, y, z) + fma(y, x, z)", 2},
    {"(x == y) + (y == x)", 2},
    {"(x < y) + (y > x)", 2},
    {"maximum(x, y) - maximum(y, x)", 3}, /* of +0 and -0 they choose differently */
    {"t = x * x; u = x * x; t + u", 2},
    {"x * 1", 0},
    {"1.0 * x", 0},
    {"x / 1", 0},
    {"x * -1", 1},
    {"x / -1", 1},
    {"x + 0", 1}, /* x may be -0 */
    {"x + 0.0", 1},
    {"x + -0.0", 0},
    {"x - 0", 0},
    {"x - -0.0", 1},
    {"0 - x", 1}, /* 0 for 0 */
    {"x * 0", 1},
    {"x - x", 1},
    {"x / x", 1},
    {"--x", 0},
    {"x + -y", 1},
    {"-x + y", 1},
    {"x - -y", 1},
    {"-x * -y", 1},
    {"-x / -y", 1},
    {"-x * y", 2},
    {"z - x * -y", 2},
    {"-(3 * x)", 1},
    {"-(0 * x)", 2}, /* -0 in floats */
    {"-(x - y)", 2}, /* -0 for x = y */
    {"x / 2", 1},
    {"x / 2 - x * 0.5", 2},
    {"x / 3 - x * (1 / 3)", 4},
    {"abs(-x)", 2}, /* 56 for a u8 of 200 */
    {"abs(abs(x))", 1},
    {"abs(x < y)", 1},
    {"cos(-x)", 1},
    {"sin(-x)", 2},
    {"floor(floor(x))", 1},
    {"i8(i8(x))", 1},
    {"f64(x)", 0},
    {"pow(x, 0)", 0},
    {"pow(x, 1)", 0},
    {"pow(x, 2)", 1},
    {"pow(x, 2) - x * x", 2},
    {"pow(x, 3)", 1},
    {"c ? x : x", 0},
    {"true ? x : y", 0},
    {"false ? exp(x) : y", 0},
    {"1 < 2 ? x : y", 0},
    {"!c ? x : y", 1},
    {"bool(c) ? x : y", 1},
    {"c != 0 ? x : y", 1},
    {"0 != c ? x : y", 1},
    {"c ? c ? x : y : z", 1},
    {"c ? x : c ? y : z", 1},
    {"!!(x < y)", 1},
    {"!!x", 1},
    {"!(x < y)", 2}, /* not y <= x: NaN */
    {"!(x == y)", 1},
    {"bool(x < y)", 1},
    {"bool(x)", 1},
    {"x && x", 1},
    {"x < y && true", 1},
    {"x < y && false", 0},
    {"x < y || false", 1},
    {"x < y || true", 0},
    {"4294967296 ? x : y", 1}, /* 0 in i32 */
};

static void test_counts(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(counts); i++) {
        fa__expression *e = parse(counts[i].text);
        if (operations(e) != counts[i].operations)
            fail_msg("'%s' has %d operations", counts[i].text, operations(e));
        fa__expression_free(e);
    }
}

/* Text, and the constant it becomes. */
static const struct {
    const char *text;
    bool integer;
    double value;
} folded[] = {
    {"1 + 2", true, 3},
    {"3 * -5", true, -15},
    {"-3", true, -3},
    {"-3000000000", true, -3000000000.0},
    {"7 - 7", true, 0},
    {"1 / 2", false, 0.5},
    {"6 / 3", false, 2},
    {"1.5 + 2", false, 3.5},
    {"0.1 * 0", false, 0}, /* not: see below */
    {"-0.0", false, -0.0},
    {"-0.1", false, -0.1},
    {"-inf", false, -INFINITY},
    {"-pi", false, -3.141592653589793},
    {"abs(-3)", true, 3},
    {"abs(-0.0)", false, 0},
    {"16777215 + 1", true, 16777216},
    {"1 < 2", true, 1},
    {"0.5 < 0.25", true, 0},
    {"1.0 == 1", true, 1},
    {"!3", true, 0},
    {"2 && 0", true, 0},
    {"1 < inf", true, 1},
    {"bool(7)", true, 1},
    {"1.5 * 2 + 3 / 4", false, 3.75},
};

static void test_folded(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(folded); i++) {
        fa__expression *e = parse(folded[i].text);
        const fa__ssa_node *n = &e->ssa.node[0];
        bool is_constant = e->ssa.count == 1 && n->prim == FA__PRIM_constant;
        double value = n->integer ? (double)n->number.i : n->number.f;
        bool right = is_constant && n->integer == folded[i].integer && same_number(value, folded[i].value);
        if (right == !strcmp(folded[i].text, "0.1 * 0"))
            fail_msg("'%s' became %.17g, with %d nodes", folded[i].text, value, e->ssa.count);
        fa__expression_free(e);
    }
}

/* What differs between f32 and f64, i32 and i64, or integers and floats stays for run time. */
static const char *const not_folded[] = {
    "0.1 + 0.2",
    "1 / 3",
    "0.1 * 1.5",
    "16777216 + 1",
    "16777217 + 1",
    "65536 * 65536",
    "-0",
    "0 * -5",
    "1 / 0",
    "0 / 0",
    "1e30 * 1e30",
    "nan + 1",
    "nan == nan",
    "inf - inf",
    "exp(0)",
    "sqrt(4)",
    "2147483647 + 1",
    "1e-40 * 1e-40",
    "16777217 == 16777216",
    "0.1 < 0.2",
    "9223372036854775807 + 1",
    "-(-9223372036854775807 - 1)",
};

static void test_not_folded(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(not_folded); i++) {
        fa__expression *e = parse(not_folded[i]);
        if (operations(e) == 0)
            fail_msg("'%s' was folded", not_folded[i]);
        fa__expression_free(e);
    }
}

/* Operands stand before their users, nothing is unused, no node is there twice. */
static void check_program(const fa__ssa *ssa)
{
    bool used[FA__MAX_NODES] = {false};
    for (int o = 0; o < ssa->outputs; o++)
        used[ssa->output[o]] = true;
    for (int i = ssa->count - 1; i >= 0; i--) {
        const fa__ssa_node *n = &ssa->node[i];
        const uint16_t operand[] = {n->a, n->b, n->c};
        assert_true(used[i]);
        for (int k = 0; k < 3 && k < fa__prims[n->prim].arity; k++) {
            assert_true(operand[k] < i);
            used[operand[k]] = true;
        }
        for (int j = 0; j < i; j++)
            assert_memory_not_equal(n, &ssa->node[j], sizeof *n);
    }
}

/* ---- random expressions ---- */

typedef struct tree {
    fa__prim prim;
    int input;     /* of an input */
    double number; /* of a constant */
    bool integer;
    struct tree *child[3];
} tree;

static uint64_t seed = 1;

static int draw(int below)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (int)(seed >> 33) % below;
}

static const fa__prim float_prims[] = {
    FA__PRIM_neg,    FA__PRIM_add,    FA__PRIM_sub,     FA__PRIM_mul,  FA__PRIM_div,     FA__PRIM_neg,
    FA__PRIM_mul,    FA__PRIM_fma,    FA__PRIM_abs,     FA__PRIM_sign, FA__PRIM_maximum, FA__PRIM_lt,
    FA__PRIM_le,     FA__PRIM_eq,     FA__PRIM_ne,      FA__PRIM_and,  FA__PRIM_or,      FA__PRIM_not,
    FA__PRIM_select, FA__PRIM_select, FA__PRIM_to_bool, FA__PRIM_exp,  FA__PRIM_sigmoid, FA__PRIM_minimum,
    FA__PRIM_floor,  FA__PRIM_cos,    FA__PRIM_pow,
};
static const fa__prim integer_prims[] = {
    FA__PRIM_neg, FA__PRIM_add,     FA__PRIM_sub,     FA__PRIM_mul,     FA__PRIM_neg, FA__PRIM_sub,
    FA__PRIM_abs, FA__PRIM_sign,    FA__PRIM_lt,      FA__PRIM_le,      FA__PRIM_eq,  FA__PRIM_ne,
    FA__PRIM_and, FA__PRIM_or,      FA__PRIM_not,     FA__PRIM_select,  FA__PRIM_mul, FA__PRIM_add,
    FA__PRIM_not, FA__PRIM_to_bool, FA__PRIM_maximum, FA__PRIM_minimum,
};
static const double float_constants[] = {0.0, 1.0, 0.5, 2.0, 0.1, 3.25, 1e30, 1e-30, 16777216.0, 1e300};
static const double integer_constants[] = {0, 1, 2, 3, 7, 255, 65536, 16777216, 16777217, 2147483647, 4294967296};

static tree *grow(tree **pool, int depth, bool floats)
{
    tree *t = (*pool)++;
    *t = (tree){0};
    int kind = depth == 0 ? draw(2) : draw(8);
    if (kind == 0) {
        t->prim = FA__PRIM_input;
        t->input = draw(4);
    } else if (kind == 1) {
        t->prim = FA__PRIM_constant;
        t->integer = !floats || draw(2);
        t->number = t->integer ? integer_constants[draw(COUNT(integer_constants))]
                               : float_constants[draw(COUNT(float_constants))];
    } else {
        t->prim = floats ? float_prims[draw(COUNT(float_prims))] : integer_prims[draw(COUNT(integer_prims))];
        for (int k = 0; k < fa__prims[t->prim].arity; k++)
            t->child[k] = grow(pool, depth - 1, floats);
    }
    return t;
}

/* The tree's text: operators where there are some, and calls. */
static void print(const tree *t, FILE *out)
{
    static const char *const signs[FA__PRIM_count] = {
        [FA__PRIM_add] = "+", [FA__PRIM_sub] = "-", [FA__PRIM_mul] = "*", [FA__PRIM_div] = "/",  [FA__PRIM_lt] = "<",
        [FA__PRIM_le] = "<=", [FA__PRIM_eq] = "==", [FA__PRIM_ne] = "!=", [FA__PRIM_and] = "&&", [FA__PRIM_or] = "||",
    };
    if (!t)
        return;
    if (t->prim == FA__PRIM_input) {
        fputs(operand_names[t->input], out);
    } else if (t->prim == FA__PRIM_constant) {
        fprintf(out, t->integer ? "%.0f" : "%.17e", t->number);
    } else if (signs[t->prim]) {
        fputc('(', out);
        print(t->child[0], out);
        fprintf(out, " %s ", signs[t->prim]);
        print(t->child[1], out);
        fputc(')', out);
    } else {
        const char *name = fa__prims[t->prim].name;
        fprintf(out, "%s(", strncmp(name, "to_", 3) ? name : name + 3);
        for (int k = 0; k < 3 && t->child[k]; k++) {
            fputs(k ? ", " : "", out);
            print(t->child[k], out);
        }
        fputc(')', out);
    }
}

#define TREE_VALUE(T, name, prim_eval)                                                                                 \
    static T name(const tree *t, const T *in)                                                                          \
    {                                                                                                                  \
        if (!t)                                                                                                        \
            return 0;                                                                                                  \
        if (t->prim == FA__PRIM_input)                                                                                 \
            return in[t->input];                                                                                       \
        if (t->prim == FA__PRIM_constant)                                                                              \
            return t->integer ? (T)(int64_t)t->number : (T)t->number;                                                  \
        T x = name(t->child[0], in), y = name(t->child[1], in);                                                        \
        return prim_eval(t->prim, x, y, name(t->child[2], in));                                                        \
    }
TREE_VALUE(double, tree_f64, fa__prim_eval)
TREE_VALUE(float, tree_f32, fa__prim_eval_f32)
TREE_VALUE(int64_t, tree_i64, fa__prim_eval_i64)
TREE_VALUE(int32_t, tree_i32, fa__prim_eval_i32)

static const double interesting[] = {0.0,   -0.0, 1,     -1,       0.5,       2,   -3.75,
                                     1e-45, 1e30, -1e30, INFINITY, -INFINITY, NAN, 100};

static void check_floats(const tree *t, const fa__expression *e)
{
    for (int round = 0; round < 12; round++) {
        double in[OPERANDS] = {0};
        float narrow[OPERANDS] = {0};
        for (int i = 0; i < 4; i++) {
            in[i] = interesting[draw(COUNT(interesting))];
            narrow[i] = (float)in[i];
        }
        double a = tree_f64(t, in), b = fa__ssa_eval(&e->ssa, in, 0);
        float c = tree_f32(t, narrow), d = fa__ssa_eval_f32(&e->ssa, narrow, 0);
        if (!same_number(a, b) || !same_number((double)c, (double)d))
            fail_msg("'%s' of %g %g %g %g: %g %g, simplified %g %g", e->text, in[0], in[1], in[2], in[3], a, (double)c,
                     b, (double)d);
    }
}

static void check_integers(const tree *t, const fa__expression *e)
{
    static const int64_t values[] = {0, 1, -1, 2, 7, -128, 65536, INT32_MAX, INT32_MIN, INT64_MAX, INT64_MIN};
    for (int round = 0; round < 12; round++) {
        int64_t in[OPERANDS] = {0};
        int32_t narrow[OPERANDS] = {0};
        for (int i = 0; i < 4; i++) {
            in[i] = values[draw(COUNT(values))];
            narrow[i] = (int32_t)in[i];
        }
        assert_int_equal(tree_i64(t, in), fa__ssa_eval_i64(&e->ssa, in, 0));
        assert_int_equal(tree_i32(t, narrow), fa__ssa_eval_i32(&e->ssa, narrow, 0));
    }
}

static void check_random(bool floats, int rounds)
{
    static tree pool[4096];
    char text[65536];
    for (int i = 0; i < rounds; i++) {
        tree *next = pool, *t = grow(&next, 1 + draw(5), floats);
        FILE *out = fmemopen(text, sizeof text, "w");
        print(t, out);
        fclose(out);
        fa__expression *e = parse(text);
        check_program(&e->ssa);
        check_floats(t, e);
        if (!floats)
            check_integers(t, e);
        fa__expression_free(e);
    }
}

static void test_random_floats(void **state)
{
    (void)state;
    check_random(true, 20000);
}

static void test_random_integers(void **state)
{
    (void)state;
    check_random(false, 20000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counts),        cmocka_unit_test(test_folded),          cmocka_unit_test(test_not_folded),
        cmocka_unit_test(test_random_floats), cmocka_unit_test(test_random_integers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
