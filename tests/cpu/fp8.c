/* The 8-bit floats: conversions against their definition (quarter_value() and quarter_bits() of the tests' own), and
 * what works with dtypes that only store values.
 *
 *     fp8 [--all]    converts each f32 that there is, too: minutes */
#include "support/api_test.h"
#include "support/tensors.h"
#include <facula/save.h>
#include <math.h>
#include <unistd.h>

static const fa_dtype dtypes[] = {FA_F8_E4M3FN, FA_F8_E5M2};
#define EACH_DTYPE(d) for (int d = 0; d < 2; d++)

static bool all_numbers;

static bool same(double a, double b)
{
    return isnan(a) ? isnan(b) : a == b && signbit(a) == signbit(b);
}

static fa_tensor *all_codes(fa_dtype dtype, uint8_t codes[256])
{
    for (int i = 0; i < 256; i++)
        codes[i] = (uint8_t)i;
    return fa_tensor_from(codes, FA_SHAPE(256), .dtype = dtype, .device = DEVICE(0));
}

static void each_code_has_its_value(void **state)
{
    (void)state;
    EACH_DTYPE(d)
    {
        FA_SCOPE;
        uint8_t codes[256], back[256];
        double value[256];
        fa_tensor *x = all_codes(dtypes[d], codes);
        assert_true(fa_read(x, value, FA_F64, 256));
        for (int i = 0; i < 256; i++)
            assert_true(same(value[i], quarter_value((uint8_t)i, dtypes[d])));
        const fa_dtype through[] = {FA_F16, FA_F32, FA_F64}; /* which have all of them */
        for (int t = 0; t < 3; t++) {
            assert_true(fa_read(fa_to(fa_to(x, through[t]), dtypes[d]), back, dtypes[d], 256));
            for (int i = 0; i < 256; i++)
                assert_true(back[i] == i || isnan(value[i]));
        }
        fa_tensor *one = fa_select(x, 0, 0x39);
        assert_true(fa_item(one) == quarter_value(0x39, dtypes[d]));
    }
}

/* Converts numbers of a dtype and holds each against the reference. */
static void converts(const void *numbers, const double *value, int64_t count, fa_dtype from)
{
    EACH_DTYPE(d)
    {
        FA_SCOPE;
        uint8_t *got = malloc((size_t)count);
        fa_tensor *x = fa_tensor_from(numbers, FA_SHAPE(count), .dtype = from, .device = DEVICE(0));
        assert_true(got && fa_read(fa_to(x, dtypes[d]), got, dtypes[d], count));
        for (int64_t i = 0; i < count; i++)
            if (got[i] != quarter_bits(value[i], dtypes[d]))
                fail_msg("%s %a to %s: %#x, not %#x", fa_dtype_name(from), value[i], fa_dtype_name(dtypes[d]), got[i],
                         quarter_bits(value[i], dtypes[d]));
        free(got);
    }
}

static void all_halves_are_rounded_once(void **state)
{
    (void)state;
    static uint16_t bits[65536];
    static double value[65536];
    const fa_dtype halves[] = {FA_F16, FA_BF16};
    for (int h = 0; h < 2; h++) {
        for (int i = 0; i < 65536; i++) {
            bits[i] = (uint16_t)i;
            value[i] = get_element(&bits[i], halves[h]);
        }
        converts(bits, value, 65536, halves[h]);
    }
}

/* Where a conversion changes: halfway between neighbours, beyond the largest, at 0 and infinity. */
static int64_t borders(double *at)
{
    int64_t n = 0;
    EACH_DTYPE(d)
    for (int i = 0; i < 0x7F; i++) {
        double v = quarter_value((uint8_t)i, dtypes[d]), next = quarter_value((uint8_t)(i + 1), dtypes[d]);
        at[n++] = v;
        if (isfinite(v) && isfinite(next))
            at[n++] = (v + next) / 2;
    }
    for (int e = -160; e < 128; e++)
        at[n++] = ldexp(1, e);
    const double beyond[] = {464, 480, 61440, 65536, 0x1.fffffep127, INFINITY, NAN};
    for (int i = 0; i < 7; i++)
        at[n++] = beyond[i];
    return n;
}

/* The numbers beside borders, in f32 and in f64, where a second rounding would show; both signs. */
static void numbers_beside_borders_go_to_the_nearer_side(void **state)
{
    (void)state;
    static double at[2000], f64[12000], value[12000];
    static float f32[12000];
    int64_t count = borders(at), n = 0, m = 0;
    for (int64_t i = 0; i < count; i++)
        for (int sign = -1; sign <= 1; sign += 2)
            for (int k = -1; k <= 1; k++) {
                double v = k ? nextafter(at[i], k < 0 ? -(double)INFINITY : (double)INFINITY) : at[i];
                f64[m++] = sign * v;
                float near = (float)at[i];
                f32[n] = (float)sign * (k ? nextafterf(near, k < 0 ? -INFINITY : INFINITY) : near);
                value[n] = (double)f32[n];
                n++;
            }
    converts(f32, value, n, FA_F32);
    converts(f64, f64, m, FA_F64);
}

static void integers_are_rounded(void **state)
{
    (void)state;
    static int64_t i64[4096];
    static int32_t i32[4096];
    static double value[4096];
    for (int i = 0; i < 4096; i++) {
        i32[i] = (i - 2048) * (i % 3 == 0 ? 1 : i % 3 == 1 ? 37 : 1000003);
        i64[i] = i32[i];
        value[i] = i32[i];
    }
    converts(i32, value, 4096, FA_I32);
    converts(i64, value, 4096, FA_I64);
}

/* ---- each f32 ---- */

/* Bits of the largest f32 that goes to a code or below it. */
static uint32_t last_of(int code, fa_dtype dtype)
{
    uint32_t low = 0, high = 0x7F800000;
    while (low < high) {
        uint32_t middle = low + (high - low + 1) / 2;
        float f;
        memcpy(&f, &middle, sizeof f);
        if (quarter_bits((double)f, dtype) <= code)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

static void check_all(fa_dtype dtype)
{
    enum { PART = 1 << 22 };
    uint32_t *bits = malloc(PART * sizeof *bits), last[128];
    uint8_t *got = malloc(PART);
    assert_true(bits && got);
    for (int code = 0; code < 128; code++)
        last[code] = last_of(code, dtype);
    for (uint64_t first = 0; first < UINT64_C(1) << 32; first += PART) {
        FA_SCOPE;
        int code = 0;
        for (uint32_t i = 0; i < PART; i++)
            bits[i] = (uint32_t)first + i;
        fa_tensor *x = fa_tensor_from(bits, FA_SHAPE(PART), .dtype = FA_F32);
        assert_true(fa_read(fa_to(x, dtype), got, dtype, PART));
        for (uint32_t i = 0; i < PART; i++) {
            uint32_t magnitude = bits[i] & 0x7FFFFFFF;
            while (code < 127 && magnitude > last[code])
                code++;
            int want = (magnitude > 0x7F800000 ? 0x7F : code) | (int)(bits[i] >> 31 << 7);
            if (got[i] != want)
                fail_msg("%#x to %s: %#x, not %#x", bits[i], fa_dtype_name(dtype), got[i], want);
        }
    }
    free(bits);
    free(got);
}

static void each_f32_is_rounded(void **state)
{
    (void)state;
    for (int d = 0; d < 2 && all_numbers; d++)
        check_all(dtypes[d]);
}

/* ---- a dtype that only stores values ---- */

#define ON(t) fa_to(t, DEVICE(0))
#define GIVES(t, dtype, ...)                                                                                           \
    do {                                                                                                               \
        const double want[] = {__VA_ARGS__};                                                                           \
        gives(t, dtype, sizeof want / sizeof *want, want, __LINE__);                                                   \
    } while (0)

static void gives(const fa_tensor *t, fa_dtype dtype, int64_t count, const double *want, int line)
{
    double got[16];
    if (!t || fa_tensor_dtype(t) != dtype || fa_numel(t) != count || !fa_read(t, got, FA_F64, count))
        fail_msg("line %d: %s", line, fa_failed() ? fa_error_message() : "another dtype or shape");
    for (int64_t i = 0; i < count; i++)
        if (!same(got[i], want[i]))
            fail_msg("line %d: element %d is %g, not %g", line, (int)i, got[i], want[i]);
}

static void values_are_moved_selected_and_joined(void **state)
{
    (void)state;
    FA_SCOPE;
    const fa_dtype d = FA_F8_E4M3FN;
    fa_tensor *x = fa_to(ON(fa_tensor_of(1.0, 2.5, -300.0, 1000.0)), d); /* -300 is between -288 and -320 */
    GIVES(x, d, 1, 2.5, -288, NAN);
    GIVES(fa_flip(x), d, NAN, -288, 2.5, 1);
    GIVES(fa_clone(fa_narrow(x, 0, 1, 2)), d, 2.5, -288);
    GIVES(fa_index_select(x, 0, ON(fa_tensor_of(2, 0))), d, -288, 1);
    GIVES(fa_cat(FA_TENSORS(fa_narrow(x, 0, 0, 1), fa_narrow(x, 0, 0, 2))), d, 1, 1, 2.5);
    GIVES(fa_where(fa_gt(x, 2), x, 0.0), d, 0, 2.5, 0, 0);
    GIVES(fa_isnan(x), FA_BOOL, 0, 0, 0, 1);
    GIVES(fa_contiguous(fa_transpose(fa_reshape(x, FA_SHAPE(2, 2)), 0, 1)), d, 1, -288, 2.5, NAN);
    GIVES(fa_full(FA_SHAPE(2), 0.3, .dtype = d, .device = DEVICE(0)), d, 0.3125, 0.3125);
    GIVES(fa_copy_(fa_zeros(FA_SHAPE(2), .dtype = d, .device = DEVICE(0)), 7.25), d, 7, 7); /* between 7 and 7.5 */
    GIVES(fa_masked_fill(x, fa_isnan(x), 0), d, 1, 2.5, -288, 0);
}

static void what_would_be_rounded_is_refused(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *x = fa_to(ON(fa_tensor_of(1.0, 2.5)), FA_F8_E5M2), *two = fa_reshape(x, FA_SHAPE(1, 2));
    fa_tensor *const refused[] = {fa_add(x, x), fa_mul(x, 2), fa_exp(x)};
    for (int i = 0; i < 3; i++)
        assert_null(refused[i]);
    assert_error(FA_ERROR_DTYPE, "fa_add(", "f8_e5m2 only holds values: fa_to() converts");
    assert_null(fa_sum(x));
    assert_error(FA_ERROR_DTYPE, "fa_sum(", "only holds values");
    assert_null(fa_matmul(two, x));
    assert_error(FA_ERROR_DTYPE, "only holds values");
    assert_null(fa_sort(x).values);
    assert_error(FA_ERROR_DTYPE, "only holds values");
    assert_null(fa_full(FA_SHAPE(2), INFINITY, .dtype = FA_F8_E4M3FN));
    assert_error(FA_ERROR_ARGUMENT, "inf does not fit into f8_e4m3fn");
    assert_null(fa_full(FA_SHAPE(2), 465, .dtype = FA_F8_E4M3FN));
    assert_error(FA_ERROR_ARGUMENT, "465 does not fit into f8_e4m3fn");
    assert_non_null(fa_full(FA_SHAPE(2), 464, .dtype = FA_F8_E4M3FN));
}

/* With other dtypes they promote to one that has all values of both, and are computed in that. */
static void other_operands_decide_what_is_computed_in(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *x = fa_to(ON(fa_tensor_of(1.0, 2.5)), FA_F8_E4M3FN), *z = fa_to(x, FA_F8_E5M2);
    GIVES(fa_mul(x, ON(fa_tensor_of(0.1, 3.0))), FA_F32, (double)0.1f, 7.5);
    GIVES(fa_add(x, fa_to(x, FA_BF16)), FA_BF16, 2, 5);
    GIVES(fa_add(x, z), FA_F16, 2, 5);
    GIVES(fa_pointwise("f32(x) * 2", x), FA_F32, 2, 5);
    GIVES(fa_pointwise("f8_e4m3fn(x * 100)", fa_to(x, FA_F32)), FA_F8_E4M3FN, 96, 256); /* 250 is nearer to 256 */
    GIVES(fa_pointwise("f8_e5m2(f8_e4m3fn(x)) * 1.0", ON(fa_tensor_of(1.1, 1.0))), FA_F16, 1, 1);
}

/* ---- products ---- */

/* Numbers that both dtypes have, in a matrix that lies as its transpose would for `turned`. */
static fa_tensor *matrix(int64_t rows, int64_t columns, fa_dtype dtype, bool turned)
{
    fa_shape shape = turned ? FA_SHAPE(columns, rows) : FA_SHAPE(rows, columns);
    fa_tensor *x = ON(fa_to(fa_mul(fa_randint(-4, 5, shape), 0.5), dtype));
    return turned ? fa_t(x) : x;
}

/* Sums of few bits are exact in f32: whatever order they are made in, they are those of f64. */
static void products_are_those_of_f64(void **state)
{
    (void)state;
    static const int64_t sizes[][3] = {{1, 1, 1}, {3, 5, 7}, {64, 64, 16}, {70, 130, 33}, {0, 3, 4}, {3, 4, 0}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int how = 0; how < 16; how++) {
            FA_SCOPE;
            const int64_t *n = sizes[i];
            fa_tensor *a = matrix(n[0], n[2], dtypes[how & 1], how & 4),
                      *b = matrix(n[2], n[1], dtypes[how >> 1 & 1], how & 8);
            fa_tensor *rows = ON(fa_exp2(fa_to(fa_randint(-3, 4, FA_SHAPE(n[0], 1)), FA_F32)));
            fa_tensor *columns = ON(fa_exp2(fa_to(fa_randint(-3, 4, FA_SHAPE(1, n[1])), FA_F32)));
            fa_tensor *bias = ON(fa_to(fa_randint(-4, 5, FA_SHAPE(n[1])), FA_BF16));
            fa_tensor *x = fa_to(fa_cpu(a), FA_F64), *y = fa_to(fa_cpu(b), FA_F64);
            fa_tensor *want = fa_mul(fa_mul(fa_matmul(x, y), fa_cpu(rows)), fa_cpu(columns));
            fa_tensor *got = fa_scaled_mm(a, b, rows, columns, .dtype = FA_F32);
            assert_true(same_tensors(fa_cpu(got), fa_to(want, FA_F32)));
            got = fa_scaled_mm(a, b, rows, columns, .bias = bias);
            assert_int_equal(fa_tensor_dtype(got), FA_BF16);
            assert_true(same_tensors(fa_cpu(got), fa_to(fa_add(want, fa_to(fa_cpu(bias), FA_F64)), FA_BF16)));
            got = fa_scaled_mm(a, b, ON(fa_full(FA_SCALAR, 2)), 0.25, .dtype = FA_F32);
            assert_true(same_tensors(fa_cpu(got), fa_to(fa_mul(fa_matmul(x, y), 0.5), FA_F32)));
            assert_no_error();
        }
}

static void wrong_products_are_refused(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *a = matrix(2, 3, FA_F8_E4M3FN, false), *b = matrix(3, 4, FA_F8_E5M2, false);
    assert_null(fa_scaled_mm(a, a, 1.0, 1.0));
    assert_error(FA_ERROR_SHAPE, "a has to be (n, k), and b (k, m)");
    assert_null(fa_scaled_mm(a, fa_to(b, FA_F32), 1.0, 1.0));
    assert_error(FA_ERROR_DTYPE, "a and b have to be f8, or of one floating dtype");
    assert_null(fa_scaled_mm(a, b, ON(fa_ones(FA_SHAPE(3, 1))), 1.0));
    assert_error(FA_ERROR_SHAPE, "scale_a has to be a number, a 0-dim tensor, or of shape (2, 1)");
    assert_null(fa_scaled_mm(a, b, 1.0, 1.0, .dtype = FA_F8_E5M2));
    assert_error(FA_ERROR_DTYPE, "dtype is f8_e5m2, and has to be f16, bf16, f32 or f64");
    assert_null(fa_scaled_mm(a, b, 1.0, 1.0, .bias = ON(fa_ones(FA_SHAPE(3)))));
    assert_error(FA_ERROR_SHAPE, "bias has to be (m)");
}

static void gradients_go_through_conversions(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *x = fa_tensor_from(((float[]){1, 2}), FA_SHAPE(2), .device = DEVICE(0), .requires_grad = true);
    assert_true(fa_backward(fa_sum(fa_mul(fa_to(fa_to(x, FA_F8_E4M3FN), FA_F32), 3))));
    GIVES(fa_grad(x), FA_F32, 3, 3);
}

/* Gradients are f32: they are summed, and may be smaller and larger than what f8 has. */
static void gradients_are_not_rounded(void **state)
{
    (void)state;
    EACH_DTYPE(d)
    {
        FA_SCOPE;
        fa_tensor *x = fa_full(FA_SHAPE(1, 2), 1.5, .device = DEVICE(0), .requires_grad = true);
        fa_tensor *w = ON(fa_to(fa_full(FA_SHAPE(2, 1), 0.75), dtypes[d])), *x8 = fa_to(x, dtypes[d]);
        assert_true(fa_set_requires_grad(w, true));
        fa_tensor *few = fa_mul(fa_scaled_mm(x8, w, 1.0, 1.0, .dtype = FA_F32), 0x1p-30);
        fa_tensor *many = fa_mul(fa_to(fa_flatten(x8), FA_F32), 0x1p20);
        for (int times = 1; times < 3; times++) {
            assert_true(fa_backward(fa_sum(few), .retain_graph = true));
            GIVES(fa_grad(w), FA_F32, times * 0x1.8p-30, times * 0x1.8p-30);
            GIVES(fa_grad(x), FA_F32, times * 0x1.8p-31, times * 0x1.8p-31);
        }
        assert_true(fa_set_grad(x, NULL) && fa_backward(fa_add(fa_sum(many), fa_sum(few))));
        GIVES(fa_grad(x), FA_F32, 0x1p20, 0x1p20);
        assert_true(fa_set_grad(w, ON(fa_ones(FA_SHAPE(2, 1)))));
        assert_false(fa_set_grad(w, fa_to(fa_grad(w), dtypes[d])));
        assert_error(FA_ERROR_GRADIENT, "have to be the tensor's (for f8, f32)");
        assert_true(fa_move_(w, DEVICE(1)));
        GIVES(fa_grad(w), FA_F32, 1, 1);
    }
}

static void texts_and_files_have_them(void **state)
{
    (void)state;
    char path[] = "/tmp/facula-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    EACH_DTYPE(d)
    {
        FA_SCOPE;
        uint8_t codes[256], back[256];
        static const char *const stored[] = {"F8_E4M3", "F8_E5M2"}, *const shown[] = {"f8_e4m3fn", "f8_e5m2"};
        fa_tensor *t = all_codes(dtypes[d], codes);
        const char *name = "codes";
        assert_true(fa_save(((fa_parameters){1, &t, &name}), path));
        fa_saved_head head = fa_load_header(path);
        assert_true(head.count == 1);
        assert_string_equal(head.entry[0].dtype_name, stored[d]);
        fa_parameters loaded = fa_load_file(path).tensors;
        assert_true(loaded.count == 1);
        assert_int_equal(fa_tensor_dtype(loaded.item[0]), dtypes[d]);
        assert_true(fa_read(loaded.item[0], back, dtypes[d], 256));
        assert_memory_equal(codes, back, 256);
        char *text = fa_text(fa_narrow(t, 0, 0x38, 2)), want[100];
        snprintf(want, sizeof want, "dtype=%s)", shown[d]);
        assert_non_null(strstr(text, want));
        fa_free_text(text);
        assert_string_equal(fa_dtype_name(dtypes[d]), shown[d]);
        assert_true(fa_dtype_describe(dtypes[d])->storage && fa_dtype_is_floating(dtypes[d]));
    }
    unlink(path);
}

int main(int argc, char **argv)
{
    all_numbers = argc > 1 && !strcmp(argv[1], "--all");
    const struct CMUnitTest tests[] = {
        TEST(each_code_has_its_value),
        TEST(all_halves_are_rounded_once),
        TEST(numbers_beside_borders_go_to_the_nearer_side),
        TEST(integers_are_rounded),
        TEST(each_f32_is_rounded),
        TEST(values_are_moved_selected_and_joined),
        TEST(what_would_be_rounded_is_refused),
        TEST(other_operands_decide_what_is_computed_in),
        TEST(products_are_those_of_f64),
        TEST(wrong_products_are_refused),
        TEST(gradients_go_through_conversions),
        TEST(gradients_are_not_rounded),
        TEST(texts_and_files_have_them),
    };
    return RUN("fp8");
}
