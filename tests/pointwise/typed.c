/* Expressions whose operands are computed in several types, and those with casts: each value has a type of its own.
 * Against C that mixes the same types, over several layouts; against the same operations of the library called one by
 * one; their gradients; and that all is one launch, with no memory but the result's. */
#include "backend/device.h"
#include "core/tensor.h"
#include "support/autograd_test.h"
#include <facula/dtype.h>
#include <stdint.h>
#include <stdio.h>

enum { ROWS = 40, COLUMNS = 24, MOST = ROWS * COLUMNS, OPERANDS = 8 };

/* x, y, z, w, a, b, c, d */
static const fa_dtype dtypes[OPERANDS] = {FA_F32, FA_F64, FA_I32, FA_I64, FA_BOOL, FA_F16, FA_U8, FA_I16};
static const fa_dtype read_as[OPERANDS] = {FA_F32, FA_F64, FA_I32, FA_I64, FA_U8, FA_F32, FA_U8, FA_I16};

/* One element of each operand. */
typedef struct element {
    float x;
    double y;
    int32_t z;
    int64_t w;
    bool a;
    float b;
    uint8_t c;
    int16_t d;
} element;

/* ---- what C computes ---- */

typedef union number {
    double real;
    int64_t whole;
} number;

typedef struct expression {
    const char *text;
    fa_dtype dtype;
    number (*value)(element);
} expression;

#define REAL(name, result)                                                                                             \
    static number name(element e)                                                                                      \
    {                                                                                                                  \
        const float x = e.x, b = e.b;                                                                                  \
        const double y = e.y;                                                                                          \
        const int64_t z = e.z, w = e.w, cc = e.c, d = e.d;                                                             \
        const bool a = e.a;                                                                                            \
        (void)x, (void)y, (void)z, (void)w, (void)a, (void)b, (void)cc, (void)d;                                       \
        return (number){.real = (double)(result)};                                                                     \
    }
#define WHOLE(name, result)                                                                                            \
    static number name(element e)                                                                                      \
    {                                                                                                                  \
        const float x = e.x, b = e.b;                                                                                  \
        const double y = e.y;                                                                                          \
        const int64_t z = e.z, w = e.w, cc = e.c, d = e.d;                                                             \
        const bool a = e.a;                                                                                            \
        (void)x, (void)y, (void)z, (void)w, (void)a, (void)b, (void)cc, (void)d;                                       \
        return (number){.whole = (int64_t)(result)};                                                                   \
    }

static int64_t wrapped(int64_t v, int bits)
{
    return (int64_t)((uint64_t)v << (64 - bits)) >> (64 - bits);
}

static int64_t floor_quotient(int64_t p, int64_t q)
{
    return p / q - (p % q != 0 && (p < 0) != (q < 0));
}

/* What the condition is in does not matter to what is chosen. */
WHOLE(chosen, x > 0 ? w : w - 1)
WHOLE(chosen_by_fraction, x != 0 ? w : z)
WHOLE(chosen_by_large, w != 0 ? z : d)
REAL(chosen_real, a ? y : (double)x)
WHOLE(chosen_small, b *x > (float)z ? cc : d)
/* Each operation is in what its own operands promote to. */
REAL(float_then_double, (double)(x *(float)z) + y)
WHOLE(int_then_long, w + wrapped(z * z, 32))
WHOLE(byte_then_long, (int64_t)((uint64_t)((cc + cc) & 255) * (uint64_t)w))
REAL(long_then_float, (float)(w & 255) * x)
REAL(double_of_float, (double)x *y - (double)z)
REAL(half_with_long, b *(float)d + (float)wrapped(w, 8))
/* Integers keep all their bits beside floats. */
WHOLE(compared, w > INT64_C(9007199254740993))
WHOLE(summed, (int64_t)(x * 2) + w)
WHOLE(divided, floor_quotient(w, 3) * 2 + (y > 1))
WHOLE(bounded, (cc > 255 ? 255 : cc) + w)
WHOLE(negated, (w + 1 > w && a) ? w + 1 : -(w + 1) + (x > 0))
/* Comparisons take the type of what they meet. */
WHOLE(signs, (x > 0) - (x < 0) + z)
REAL(sign_with_float, (float)((y > 0) - (y < 0)) * x)
/* Casts. */
REAL(cast_double, (double)x / 3)
WHOLE(cast_byte, (int64_t)y & 255)
REAL(cast_and_half, (float)wrapped(w, 32) * 1.5f)
WHOLE(cast_of_sum, (int64_t)(x + (float)z))
REAL(cast_then_double, (double)(float)y *x)
WHOLE(cast_bool, (x != 0) + w)

static const expression expressions[] = {
    {"x > 0 ? w : w - 1", FA_I64, chosen},
    {"x ? w : z", FA_I64, chosen_by_fraction},
    {"w ? z : d", FA_I32, chosen_by_large},
    {"a ? y : x", FA_F64, chosen_real},
    {"b * x > z ? c : d", FA_I16, chosen_small},
    {"x * z + y", FA_F64, float_then_double},
    {"w + z * z", FA_I64, int_then_long},
    {"(c + c) * w", FA_I64, byte_then_long},
    {"bit_and(w, 255) * x", FA_F32, long_then_float},
    {"x * y - z", FA_F64, double_of_float},
    {"f32(b) * d + i8(w)", FA_F32, half_with_long},
    {"w > 9007199254740993 && x == x", FA_BOOL, compared},
    {"i64(x * 2) + w", FA_I64, summed},
    {"floor_divide(w, 3) * 2 + (y > 1)", FA_I64, divided},
    {"minimum(c, 1000) + w + 0 * z", FA_I64, bounded},
    {"t = w + 1; t > w && a ? t : -t + (x > 0)", FA_I64, negated},
    {"(x > 0) - (x < 0) + z", FA_I32, signs},
    {"((y > 0) - (y < 0)) * x", FA_F32, sign_with_float},
    {"f64(x) / 3", FA_F64, cast_double},
    {"u8(y)", FA_U8, cast_byte},
    {"i32(w) * 1.5", FA_F32, cast_and_half},
    {"i64(x + z)", FA_I64, cast_of_sum},
    {"f32(y) * f64(x)", FA_F64, cast_then_double},
    {"bool(x) + w", FA_I64, cast_bool},
};

/* ---- operands, in several layouts ---- */

typedef enum { DENSE, ACROSS, PART, BROADCAST, EMPTY, ZERO_DIM, LAYOUTS } layout;

static uint64_t drawn = 1;

static uint64_t draw(void)
{
    drawn ^= drawn << 13, drawn ^= drawn >> 7, drawn ^= drawn << 17;
    return drawn;
}

/* Numbers that f16 holds; integers with more bits than any float has. */
static fa_tensor *operand(int k, int64_t rows, int64_t columns)
{
    static double real[MOST * 2];
    static int64_t whole[MOST * 2];
    static const int64_t near[] = {0, INT64_C(9007199254740993), INT64_C(9007199254740994), -7, INT64_C(1) << 40};
    for (int64_t i = 0; i < rows * columns; i++) {
        real[i] = (double)((int64_t)(draw() >> 40) % 257 - 128) / 8;
        whole[i] = draw() % 4 == 0 ? near[draw() % 5] : (int64_t)(draw() >> 2) - (INT64_C(1) << 60);
    }
    bool is_real = fa_dtype_is_floating(dtypes[k]);
    fa_tensor *t = is_real ? fa_tensor_from(real, FA_SHAPE(rows, columns), .dtype = FA_F64)
                           : fa_tensor_from(whole, FA_SHAPE(rows, columns), .dtype = FA_I64);
    if (dtypes[k] == FA_BOOL) /* as often as not */
        t = fa_ne(fa_bitwise_and(t, 1), 0);
    return fa_to(fa_to(t, dtypes[k]), DEVICE(0));
}

static fa_tensor *laid_out(int k, layout l)
{
    if (l == ACROSS && k % 2)
        return fa_transpose(operand(k, COLUMNS, ROWS), 0, 1);
    if (l == PART && k % 3)
        return fa_narrow(operand(k, ROWS, COLUMNS + 9), 1, k, COLUMNS);
    if (l == BROADCAST && k % 3)
        return k % 3 == 1 ? operand(k, 1, COLUMNS) : operand(k, ROWS, 1);
    if (l == EMPTY)
        return operand(k, 0, COLUMNS);
    return l == ZERO_DIM ? fa_select(fa_select(operand(k, 1, 1), 0, 0), 0, 0) : operand(k, ROWS, COLUMNS);
}

/* The elements of an operand, as often as the result's shape needs them. */
static void read_operand(int k, const fa_tensor *t, void *to)
{
    const bool stretched = t->rank && t->shape[0] != 0;
    const fa_tensor *all = stretched ? fa_expand(t, FA_SHAPE(ROWS, COLUMNS)) : t;
    assert_true(fa_read(fa_to(all, FA_CPU), to, read_as[k], fa_numel(all)));
}

static int64_t read_elements(fa_tensor *const *t, element *e)
{
    static float x[MOST], b[MOST];
    static double y[MOST];
    static int32_t z[MOST];
    static int64_t w[MOST];
    static uint8_t a[MOST], c[MOST];
    static int16_t d[MOST];
    void *to[OPERANDS] = {x, y, z, w, a, b, c, d};
    for (int k = 0; k < OPERANDS; k++)
        read_operand(k, t[k], to[k]);
    int64_t n = t[0]->rank ? t[0]->shape[0] * COLUMNS : 1;
    for (int64_t i = 0; i < n; i++)
        e[i] = (element){x[i], y[i], z[i], w[i], a[i] != 0, b[i], c[i], d[i]};
    return n;
}

static void hold_expression(const expression *p, layout l, const fa_tensor *y, const element *e, int64_t n)
{
    static double real[MOST];
    static int64_t whole[MOST];
    bool is_real = fa_dtype_is_floating(p->dtype);
    if (!y)
        fail_msg("%s: %s", p->text, fa_error_message());
    if (fa_tensor_dtype(y) != p->dtype || fa_numel(y) != n)
        fail_msg("%s: %s, %lld elements", p->text, fa_dtype_name(fa_tensor_dtype(y)), (long long)fa_numel(y));
    assert_true(fa_read(y, is_real ? (void *)real : whole, is_real ? FA_F64 : FA_I64, n));
    for (int64_t i = 0; i < n; i++) {
        number want = p->value(e[i]);
        double had = is_real ? real[i] : (double)whole[i];
        if (is_real ? memcmp(&real[i], &want.real, sizeof want.real) != 0 && real[i] != want.real
                    : whole[i] != want.whole)
            fail_msg("%s, layout %d, element %d: %.17g instead of %.17g", p->text, (int)l, (int)i, had,
                     is_real ? want.real : (double)want.whole);
    }
}

static void typed_programs_are_c(void **state)
{
    (void)state;
    static element e[MOST];
    const size_t step = test_device_is_late(0) ? 1 : 3; /* drivers compile for a second each */
    for (int l = 0; l < LAYOUTS; l++) {
        FA_SCOPE;
        fa_tensor *t[OPERANDS];
        for (int k = 0; k < OPERANDS; k++)
            t[k] = laid_out(k, (layout)l);
        int64_t n = read_elements(t, e);
        for (size_t i = 0; i < sizeof expressions / sizeof *expressions; i += step) {
            fa_tensor *y = fa_pointwise(expressions[i].text, t[0], t[1], t[2], t[3], t[4], t[5], t[6], t[7]);
            hold_expression(&expressions[i], (layout)l, y, e, n);
        }
    }
}

/* ---- one launch, no copies ---- */

static int launches;
static uint64_t (*real_run)(fa__queue *, const fa__launch *);
static uint64_t (*real_copy)(fa__queue *, const fa__copy *);

static uint64_t counted_run(fa__queue *queue, const fa__launch *l)
{
    launches++;
    return real_run(queue, l);
}

static uint64_t counted_copy(fa__queue *queue, const fa__copy *c)
{
    launches++;
    return real_copy(queue, c);
}

static void one_launch_on(fa_device where)
{
    FA_SCOPE;
    fa__device *d = fa__device_get(where);
    fa_tensor *x = fa_to(fa_full(FA_SHAPE(1000), 1.5, .dtype = FA_F32), where);
    fa_tensor *y = fa_to(fa_full(FA_SHAPE(1000), 3, .dtype = FA_I64), where), *mask = fa_gt(x, 1), *r;
    fa_tensor *z = fa_to(fa_full(FA_SHAPE(1000), 0.25, .dtype = FA_F64), where);
    for (int again = 0; again < 2; again++) { /* the first compiles */
        const fa__backend *real = d->backend;
        fa__backend counting = *real;
        real_run = real->run;
        real_copy = real->copy;
        counting.run = counted_run;
        counting.copy = real_copy ? counted_copy : NULL;
        launches = 0;
        uint64_t blocks = fa_memory_stats(where).blocks.total;
        d->backend = &counting;
        r = fa_pointwise("w && y > 2 ? x * y + z : i32(z) - f64(x)", x, y, z, mask);
        d->backend = real;
        assert_non_null(r);
        assert_int_equal(launches, 1);
        assert_int_equal(fa_memory_stats(where).blocks.total - blocks, 1);
    }
    assert_true(fa_item(fa_sum(r)) == 4750);
}

static void mixed_operands_are_one_launch(void **state)
{
    (void)state;
    one_launch_on(FA_CPU);
    one_launch_on(DEVICE(0));
}

/* ---- against single operations ---- */

enum { LEAVES = 6, PICKS = 9 };
static const fa_dtype leaf_dtypes[LEAVES] = {FA_F32, FA_F64, FA_I32, FA_I64, FA_U8, FA_I16};
static fa_tensor *leaf[LEAVES];

/* A text, and the same by operations of the library. */
typedef struct random_value {
    char text[2000];
    fa_tensor *value;
} random_value;

static void random_expression(random_value *v, int depth);

static void random_leaf(random_value *v)
{
    static const char *const names[LEAVES] = {"x", "y", "z", "w", "a", "b"};
    int k = (int)(draw() % LEAVES);
    snprintf(v->text, sizeof v->text, "%s", names[k]);
    v->value = leaf[k];
}

static void random_cast(random_value *v, const random_value *p)
{
    static const fa_dtype to[] = {FA_F32, FA_F64, FA_I64, FA_I32, FA_U8};
    fa_dtype d = to[draw() % 5];
    bool loses = fa_dtype_is_floating(fa_tensor_dtype(p->value)) && !fa__dtype_is_float(d);
    d = loses ? FA_F64 : d; /* beyond 64 bits conversions are the type's own */
    snprintf(v->text, sizeof v->text, "%s(%.1900s)", fa_dtype_name(d), p->text);
    v->value = fa_to(p->value, d);
}

static void random_expression(random_value *v, int depth)
{
    random_value *p = test_malloc(2 * sizeof *p), *q = p + 1;
    int pick = depth ? (int)(draw() % PICKS) : PICKS;
    if (pick == PICKS) {
        random_leaf(v);
        test_free(p);
        return;
    }
    random_expression(p, depth - 1);
    random_expression(q, pick >= 7 ? 0 : depth - 1);
    static const char *const forms[] = {"(%.900s + %.900s)", "(%.900s - %.900s)", "(%.900s * %.900s)",
                                        "maximum(%.900s, %.900s)", "minimum(%.900s, %.900s)"};
    if (pick < 5)
        snprintf(v->text, sizeof v->text, forms[pick], p->text, q->text);
    if (pick == 0)
        v->value = fa_add(p->value, q->value);
    else if (pick == 1)
        v->value = fa_sub(p->value, q->value);
    else if (pick == 2)
        v->value = fa_mul(p->value, q->value);
    else if (pick == 3)
        v->value = fa_maximum(p->value, q->value);
    else if (pick == 4)
        v->value = fa_minimum(p->value, q->value);
    else if (pick < 7) {
        random_value *c = test_malloc(2 * sizeof *c), *d = c + 1;
        random_leaf(c);
        random_leaf(d);
        snprintf(v->text, sizeof v->text, "(%.20s < %.20s ? %.900s : %.900s)", c->text, d->text, p->text, q->text);
        v->value = fa_where(fa_lt(c->value, d->value), p->value, q->value);
        test_free(c);
    } else if (pick == 7)
        random_cast(v, p);
    else {
        snprintf(v->text, sizeof v->text, "(-%.1900s + 2)", p->text);
        v->value = fa_add(fa_neg(p->value), 2);
    }
    test_free(p);
}

static void hold_same(const char *text, fa_tensor *have, fa_tensor *want)
{
    enum { BYTES = 8 * MOST };
    static char p[BYTES], q[BYTES];
    if (!have || !want)
        fail_msg("%s: %s", text, fa_error_message());
    fa_dtype d = fa_tensor_dtype(want);
    if (fa_tensor_dtype(have) != d)
        fail_msg("%s: %s instead of %s", text, fa_dtype_name(fa_tensor_dtype(have)), fa_dtype_name(d));
    int64_t n = fa_numel(want);
    assert_true(fa_read(have, p, d, n) && fa_read(want, q, d, n));
    for (int64_t i = 0; i < n; i++) {
        size_t size = fa_dtype_size(d);
        bool nan = false;
        if (d == FA_F32)
            nan = isnan(((float *)(void *)p)[i]) && isnan(((float *)(void *)q)[i]);
        if (d == FA_F64)
            nan = isnan(((double *)(void *)p)[i]) && isnan(((double *)(void *)q)[i]);
        if (!nan && memcmp(p + (size_t)i * size, q + (size_t)i * size, size) != 0)
            fail_msg("%s, element %d differs in %s", text, (int)i, fa_dtype_name(d));
    }
}

static void typed_programs_are_their_operations(void **state)
{
    (void)state;
    int count = test_device_is_late(0) ? 600 : 6, tried = 0, deep = 0;
    for (int i = 0; i < count; i++) {
        FA_SCOPE;
        for (int k = 0; k < LEAVES; k++) {
            int of = k < 4 ? k : k + 2;
            assert_int_equal(dtypes[of], leaf_dtypes[k]);
            leaf[k] = operand(of, 5, 7);
        }
        random_value *v = test_malloc(sizeof *v);
        random_expression(v, 1 + i % 4);
        if (strlen(v->text) < 800) { /* nothing was cut off */
            tried++;
            deep += strlen(v->text) > 40;
            fa_tensor *y = fa_pointwise(v->text, leaf[0], leaf[1], leaf[2], leaf[3], leaf[4], leaf[5]);
            hold_same(v->text, y, v->value);
        }
        test_free(v);
    }
    assert_true(tried > count / 2 && deep > count / 4);
}

/* ---- promotion ---- */

#define GIVES(t, is, ...)                                                                                              \
    do {                                                                                                               \
        fa_tensor *given = t;                                                                                          \
        HOLD(given, __VA_ARGS__);                                                                                      \
        assert_string_equal(fa_dtype_name(fa_tensor_dtype(given)), fa_dtype_name(is));                                 \
    } while (0)

static fa_tensor *of(fa_dtype dtype, double v)
{
    return fa_full(FA_SHAPE(1), v, .dtype = dtype, .device = DEVICE(0));
}

static fa_tensor *scalar(fa_dtype dtype, double v)
{
    return fa_full(FA_SCALAR, v, .dtype = dtype, .device = DEVICE(0));
}

static void numbers_and_scalars_promote_as_ever(void **state)
{
    (void)state;
    fa_tensor *f = of(FA_F32, 2.5), *i = of(FA_I64, 7), *small = of(FA_I16, 4), *m = of(FA_BOOL, 1);
    GIVES(fa_pointwise("x * y", f, scalar(FA_F64, 2)), FA_F32, 5);
    GIVES(fa_pointwise("x * y", small, scalar(FA_I64, 2)), FA_I16, 8);
    GIVES(fa_pointwise("x * y", small, scalar(FA_F64, 0.5)), FA_F64, 2);
    GIVES(fa_pointwise("x * y + z", i, 2, f), FA_F32, 16.5);
    GIVES(fa_pointwise("x * y > z ? x : 0", i, 0.5, f), FA_I64, 7);
    GIVES(fa_pointwise("x * 1.0 > y ? 1 : 0", i, f), FA_F32, 1);
    GIVES(fa_pointwise("x * 1.0", i, f), FA_F32, 7);
    GIVES(fa_pointwise("select(true, x, y)", i, f), FA_F32, 7);
    GIVES(fa_pointwise("pow(x, 1.0) + 0 * z", i, f, small), FA_F32, 7);
    GIVES(fa_pointwise("x ? y : 3", m, f), FA_F32, 2.5);
    GIVES(fa_pointwise("x ? true : y > 2", m, f), FA_BOOL, 1);
    GIVES(fa_pointwise("x ? y : 300", m, of(FA_U8, 9)), FA_U8, 9);
    GIVES(fa_pointwise("maximum(x, y) + 0 * z", small, 100000, i), FA_I64, 32767);
    GIVES(fa_pointwise("maximum(x, y) * z", small, INT64_C(1) << 40, scalar(FA_F32, 1)), FA_F32, 32767);
    /* a 0-dim tensor of the CPU goes with any device */
    GIVES(fa_pointwise("x > y ? z : 0", f, fa_full(FA_SCALAR, 2.25, .dtype = FA_F64), i), FA_I64, 7);
    GIVES(fa_pointwise("x + y", i, fa_full(FA_SCALAR, 2.25, .dtype = FA_F64)), FA_F64, 9.25);
}

static void errors_are_of_the_values_dtypes(void **state)
{
    (void)state;
    fa_tensor *f = of(FA_F32, 2), *i = of(FA_I64, 7), *m = of(FA_BOOL, 1);
    assert_null(fa_pointwise("x > 0 ? -y : y", f, m));
    FAILS(FA_ERROR_DTYPE, "fa_pointwise", "'-' is not defined for bools");
    assert_null(fa_pointwise("bit_and(x, 1) + y", f, i));
    FAILS(FA_ERROR_DTYPE, "this is of integers and bool, and the operands are f32");
    GIVES(fa_pointwise("bit_and(y, 3) + x", f, i), FA_F32, 5);
    assert_null(fa_pointwise("x * x + y", fa_to(f, FA_F8_E5M2), i));
    FAILS(FA_ERROR_DTYPE, "f8_e5m2 only holds values");
    GIVES(fa_pointwise("x * x + y", fa_to(f, FA_F8_E5M2), of(FA_F64, 1)), FA_F64, 5);
    assert_true(isnan(fa_item(fa_pointwise("floor_divide(y, z) * x", f, i, of(FA_I64, 0)))));
    FAILS(FA_ERROR_ARGUMENT, "division by zero");
    assert_null(fa_pointwise("floor_divide(y, z) * x", f, i, 0));
    FAILS(FA_ERROR_ARGUMENT, "division by zero");
    GIVES(fa_pointwise("floor_divide(x, z) + y", f, i, 0), FA_F32, INFINITY);
}

/* ---- gradients ---- */

static fa_tensor *gradient(fa_tensor *y, fa_tensor *x)
{
    fa_tensors g = fa_grad_of(FA_TENSORS(fa_sum(y)), FA_TENSORS(x), .create_graph = true);
    return g.count ? g.item[0] : NULL;
}

static fa_tensor *parameter(fa_dtype dtype, double a, double b, double c)
{
    fa_tensor *x = fa_to(fa_to(fa_tensor_of(a, b, c), dtype), DEVICE(0));
    fa_set_requires_grad(x, true);
    return x;
}

static void gradients_have_the_operands_dtypes(void **state)
{
    (void)state;
    fa_tensor *x = parameter(FA_F32, 0.5, -1, 2), *y = parameter(FA_F64, 3, 4, -5);
    fa_tensor *k = fa_to(fa_to(fa_tensor_of(1, 2, 3), FA_I64), DEVICE(0));
    fa_tensor *large = fa_add(fa_mul(fa_minimum(k, 1), INT64_C(1) << 53), fa_sub(k, 1)); /* 2^53 + 0, 1, 2 */
    fa_tensor *r = fa_pointwise("z > 9007199254740992 ? x * x * w * y : y * y", x, y, large, k);
    GIVES(r, FA_F64, 9, 8, -60);
    GIVES(gradient(r, x), FA_F32, 0, -16, -60);
    GIVES(gradient(r, y), FA_F64, 6, 2, 12);
    GIVES(gradient(gradient(r, x), x), FA_F32, 0, 16, -30);
    GIVES(gradient(gradient(r, x), y), FA_F64, 0, -4, 12);
    GIVES(gradient(gradient(gradient(r, y), x), x), FA_F32, 0, 4, 6);
    GIVES(gradient(fa_pointwise("f64(x) * y + i64(x) * x", x, y), x), FA_F32, 3, 3, -3);
    GIVES(gradient(fa_pointwise("f16(x) * z", x, y, k), x), FA_F32, 1, 2, 3);
    assert_false(fa_requires_grad(fa_pointwise("x > y ? z : -z", x, y, k)));
    /* exp keeps its result, which is read */
    GIVES(gradient(fa_pointwise("exp(x * z) * f64(1)", x, y, k), x), FA_F32, exp(0.5), 2 * exp(-2), 3 * exp(6));
}

static void gradients_of_broadcast_operands_are_summed(void **state)
{
    (void)state;
    fa_tensor *x = fa_full(FA_SHAPE(2, 1), 1.5, .dtype = FA_F32, .device = DEVICE(0)), *y = parameter(FA_F64, 1, 2, 3);
    fa_set_requires_grad(x, true);
    fa_tensor *m = fa_to(fa_to(fa_tensor_of(1, 0, 1), FA_BOOL), DEVICE(0));
    fa_tensor *r = fa_pointwise("z ? x * y : y", x, y, m);
    GIVES(gradient(r, x), FA_F32, 4, 4);
    GIVES(gradient(r, y), FA_F64, 3, 2, 3);
}

/* Of an order whose derivative is too large for one expression: it is computed step by step. */
static void gradients_of_high_order(void **state)
{
    (void)state;
    fa_tensor *v[8], *r;
    for (int i = 0; i < 7; i++)
        v[i] = parameter(i == 1 ? FA_F64 : FA_F32, 1 + i, 2 + i, 3 + i);
    v[7] = fa_to(fa_to(fa_tensor_of(0, 1, 2), FA_I64), DEVICE(0));
    v[7] = fa_add(v[7], INT64_C(1) << 53);
    r = fa_pointwise("bit_and(d, 1) == 0 && d > 9007199254740992 ? x * y * z * w * a * b * c : x * b * c", v[0], v[1],
                     v[2], v[3], v[4], v[5], v[6], v[7]);
    GIVES(r, FA_F64, 1 * 6 * 7, 2 * 7 * 8, 3 * 4 * 5 * 6 * 7 * 8 * 9);
    for (int i = 0; i < 5; i++)
        r = gradient(r, v[i]);
    GIVES(r, FA_F32, 0, 0, 8 * 9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(typed_programs_are_c),
        TEST(mixed_operands_are_one_launch),
        TEST(typed_programs_are_their_operations),
        TEST(numbers_and_scalars_promote_as_ever),
        TEST(errors_are_of_the_values_dtypes),
        TEST(gradients_have_the_operands_dtypes),
        TEST(gradients_of_broadcast_operands_are_summed),
        TEST(gradients_of_high_order),
    };
    return RUN("typed");
}
