/* Tensors from and to the program's data: every dtype and layout, reading, printing, options of other versions. */
#define _GNU_SOURCE
#include "support/api_test.h"
#include <float.h>
#include <math.h>

/* ---- making ---- */

static void numbers_become_tensors(void **state)
{
    (void)state;
    FA_SCOPE;
    size_t n = 3;
    const struct {
        fa_tensor *t;
        fa_dtype dtype;
        int64_t count;
        double last;
    } rows[] = {
        {fa_tensor_of(1, 2, 3), FA_I64, 3, 3},
        {fa_tensor_of(1, 2.5), FA_F32, 2, 2.5},
        {fa_tensor_of(2.5f), FA_F32, 1, 2.5},
        {fa_tensor_of(2000000000, 2000000000, 3.5f), FA_F32, 3, 3.5},
        {fa_tensor_of(1, 2.5L), FA_F32, 2, 2.5},
        {fa_tensor_of((char)1, (short)-2), FA_I64, 2, -2},
        {fa_tensor_of(n, n), FA_I64, 2, 3},
        {fa_tensor_of((_Bool)1), FA_BOOL, 1, 1},
        {fa_tensor_of(false, true), FA_BOOL, 2, 1},
        {fa_tensor_of(true, 2), FA_I64, 2, 2},
        {fa_tensor_of(-1, INT64_C(4294967295)), FA_I64, 2, 4294967295.0},
        {fa_tensor_of(1e300), FA_F32, 1, INFINITY},
        {fa_tensor_of(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27,
                      28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51,
                      52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63, 64.5),
         FA_F32, 64, 64.5},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(fa_tensor_dtype(rows[i].t), rows[i].dtype);
        assert_int_equal(fa_dim(rows[i].t), 1);
        assert_int_equal(fa_numel(rows[i].t), rows[i].count);
        assert_true(fa_item(fa_get(rows[i].t, "-1")) == rows[i].last);
    }
    assert_true(fa_item_int(fa_tensor_of(INT64_MAX)) == INT64_MAX);
    assert_true(fa_item_int(fa_tensor_of(INT64_MIN)) == INT64_MIN);
    assert_int_equal(fa_item_int(fa_tensor_of((signed char)-5)), -5);
    assert_int_equal(fa_item_int(fa_tensor_of((unsigned char)250)), 250);
    assert_int_equal(fa_item_int(fa_tensor_of((unsigned short)65000)), 65000);
    int calls = 0;
    fa_tensor_of((calls++, 1), 2);
    assert_int_equal(calls, 1);
    assert_no_error();
}

/* Whole numbers of several types keep their values; what i64 does not hold is an error, or rounded beside a point. */
static void numbers_of_several_types_keep_their_values(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *t = fa_tensor_of(1U, -1, (signed char)-2, UINT64_C(3), INT64_MIN, true);
    static const int64_t values[] = {1, -1, -2, 3, INT64_MIN, 1};
    for (int i = 0; i < 6; i++)
        assert_true(fa_item_int(fa_select(t, 0, i)) == values[i]);
    assert_true(fa_item(fa_select(fa_tensor_of(-1, UINT64_MAX, 0.5), 0, 1)) == 0x1p64);
    assert_null(fa_tensor_of(-1, UINT64_C(1) << 63));
    assert_error(FA_ERROR_ARGUMENT, "fa_tensor_of: 9223372036854775808 does not fit into i64");
}

/* Lists of none, of one that begins with parentheses, and of as many as there may be. */
static void lists_are_as_long_as_they_look(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *x = fa_ones(FA_SHAPE(2));
    assert_int_equal(FA_TENSORS().count, 0);
    assert_int_equal(FA_LIST().count, 0);
    assert_int_equal(FA_TENSORS((fa_tensor *)x).count, 1);
    assert_int_equal(FA_TENSORS((x), (x)).count, 2);
    assert_int_equal(FA_TENSORS(fa_cat(FA_TENSORS(x, x)), fa_cat(FA_TENSORS(fa_add(x, 1)))).count, 2);
    assert_int_equal(FA_LIST(1).count, 1);
    assert_int_equal(FA_LIST(-1).count, 1);
    assert_int_equal(FA_LIST((1), 2).count, 2);
    assert_int_equal(FA_SHAPE().rank, 0);
    assert_int_equal(FA_SHAPE((2)).rank, 1);
    assert_int_equal(fa_dim(fa_zeros(FA_SHAPE())), 0);
    assert_int_equal(FA_LIST(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25,
                             26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48,
                             49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63, 64)
                         .count,
                     64);
    assert_null(fa_cat(FA_TENSORS()));
    assert_error(FA_ERROR_ARGUMENT, "fa_cat(");
    assert_no_error();
}

static const struct dtype_row {
    fa_dtype dtype;
    const char *name;
    size_t size;
    int64_t exact; /* whole numbers up to here are exact */
} dtypes[] = {
    {FA_BOOL, "bool", 1, 1},       {FA_U8, "u8", 1, 255},
    {FA_I8, "i8", 1, 127},         {FA_I16, "i16", 2, 32767},
    {FA_I32, "i32", 4, INT32_MAX}, {FA_I64, "i64", 8, INT64_MAX},
    {FA_F16, "f16", 2, 2048},      {FA_BF16, "bf16", 2, 256},
    {FA_F32, "f32", 4, 1 << 24},   {FA_F64, "f64", 8, INT64_C(1) << 53},
};
enum { DTYPES = sizeof dtypes / sizeof *dtypes };

static void every_dtype_goes_in_and_comes_out(void **state)
{
    (void)state;
    for (int d = 0; d < DTYPES; d++) {
        FA_SCOPE;
        const struct dtype_row *row = &dtypes[d];
        assert_string_equal(fa_dtype_name(row->dtype), row->name);
        assert_int_equal(fa_dtype_size(row->dtype), row->size);
        unsigned char bytes[48 * 8], back[48 * 8];
        for (size_t i = 0; i < sizeof bytes; i++)
            bytes[i] = (unsigned char)(row->dtype == FA_BOOL ? i % 3 == 0 : i * 37 % 120); /* no NaN among them */
        for (int p = 0; p < 2; p++) {
            fa_tensor *t =
                fa_tensor_from(bytes, FA_SHAPE(4, 3, 4), .dtype = row->dtype, .device = p ? DEVICE(0) : FA_CPU);
            assert_int_equal(fa_tensor_dtype(t), row->dtype);
            assert_int_equal(fa_element_size(t), row->size);
            assert_int_equal(fa_nbytes(t), 48 * row->size);
            assert_true(fa_is_contiguous(t));
            assert_true(fa_read(t, back, row->dtype, 48));
            assert_memory_equal(bytes, back, 48 * row->size);
            /* views come out row-major */
            fa_tensor *v = fa_transpose(fa_get(t, "::-1, :, ::2"), 0, 2);
            assert_false(fa_is_contiguous(v));
            assert_true(fa_read(v, back, row->dtype, 24));
            for (int i = 0, k = 0; i < 2; i++)
                for (int j = 0; j < 3; j++)
                    for (int l = 0; l < 4; l++, k++)
                        assert_memory_equal(back + (size_t)k * row->size,
                                            bytes + (size_t)((3 - l) * 12 + j * 4 + i * 2) * row->size, row->size);
        }
        fa_tensor *whole = fa_full(FA_SCALAR, row->exact, .dtype = row->dtype);
        assert_int_equal(fa_item_int(whole), row->exact);
        assert_true(fa_item(whole) == (double)row->exact);
        assert_true(same_tensors(fa_to(fa_to(whole, DEVICE(0)), FA_CPU), whole));
    }
    assert_int_equal(fa_dtype_size(FA_SAME), 0);
    assert_int_equal(fa_dtype_size((fa_dtype)99), 0);
    assert_non_null(fa_dtype_name((fa_dtype)99));
    assert_no_error();
}

/* Every half-precision number goes to f32 and back unchanged, and is what it should be. */
static void every_half_number_is_itself(void **state)
{
    (void)state;
    static uint16_t all[65536], back[65536];
    static float wide[65536];
    for (int i = 0; i < 65536; i++)
        all[i] = (uint16_t)i;
    for (int k = 0; k < 2; k++) {
        FA_SCOPE;
        fa_dtype dtype = k ? FA_BF16 : FA_F16;
        fa_tensor *t = fa_tensor_from(all, FA_SHAPE(65536), .dtype = dtype), *f = fa_to(t, FA_F32);
        assert_true(fa_read(f, wide, FA_F32, 65536));
        assert_true(fa_read(fa_to(f, dtype), back, dtype, 65536));
        for (int i = 0; i < 65536; i++) {
            int sign = i >> 15, exponent = k ? i >> 7 & 255 : i >> 10 & 31, bits = k ? i & 127 : i & 1023;
            int most = k ? 255 : 31, width = k ? 7 : 10, bias = k ? 127 : 15;
            double want = exponent == most ? (bits ? (double)NAN : (double)INFINITY)
                          : exponent       ? ldexp(1 + ldexp(bits, -width), exponent - bias)
                                           : ldexp(bits, 1 - bias - width);
            if (isnan(want)) {
                assert_true(isnan(wide[i]));
                continue;
            }
            assert_true((double)wide[i] == (sign ? -want : want) && !signbit(wide[i]) == !sign);
            assert_int_equal(back[i], i);
        }
    }
}

/* Rounding is to the nearest, ties to even, with overflow to infinity. */
static void narrowing_rounds_to_even(void **state)
{
    (void)state;
    FA_SCOPE;
    static const struct {
        double from, f16, bf16;
    } rows[] = {
        {2049, 2048, 2048},
        {2051, 2052, 2048},
        {65519, 65504, 65536},
        {65520, INFINITY, 65536},
        {257, 257, 256},
        {259, 259, 260},
        {1e-8, 0, 1.0011717677116394e-08},
        {5.960464477539063e-08, 5.960464477539063e-08, 5.960464477539063e-08},
        {2.98023223876953125e-08, 0, 2.98023223876953125e-08},
        {3.4e38, INFINITY, INFINITY},
        {-65520, -INFINITY, -65536},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        fa_tensor *t = fa_full(FA_SCALAR, rows[i].from, .dtype = FA_F32);
        double f16 = fa_item(fa_to(t, FA_F16)), bf16 = fa_item(fa_to(t, FA_BF16));
        if (f16 != rows[i].f16 || bf16 != rows[i].bf16)
            print_error("%.10g: f16 %.17g, bf16 %.17g\n", rows[i].from, f16, bf16);
        assert_true(f16 == rows[i].f16 && bf16 == rows[i].bf16);
    }
}

static void reading_converts(void **state)
{
    (void)state;
    for (int p = 0; p < 2; p++) {
        FA_SCOPE;
        const double from[] = {0, 1, -1.75, 2.5, 100, -0.0};
        fa_tensor *t = fa_tensor_from(from, FA_SHAPE(6), .dtype = FA_F64, .device = p ? DEVICE(1) : FA_CPU);
        int64_t i64[6];
        int32_t i32[6];
        int8_t i8[6];
        float f32[6];
        bool yes[6];
        assert_true(fa_read(t, i64, FA_I64, 6) && fa_read(t, i32, FA_I32, 6) && fa_read(t, i8, FA_I8, 6));
        assert_true(fa_read(t, f32, FA_F32, 6) && fa_read(t, yes, FA_BOOL, 6));
        for (int i = 0; i < 6; i++) {
            assert_int_equal(i64[i], (int64_t)from[i]);
            assert_int_equal(i32[i], (int32_t)from[i]);
            assert_int_equal(i8[i], (int8_t)from[i]);
            assert_true((double)f32[i] == from[i]);
            assert_int_equal(yes[i], from[i] != 0);
        }
        assert_false(fa_read(t, f32, FA_F32, 5));
        assert_error(FA_ERROR_ARGUMENT, "6 elements", "room for 5");
        assert_false(fa_read(t, f32, (fa_dtype)77, 6));
        assert_error(FA_ERROR_DTYPE, "fa_read: 77 is no dtype");
    }
}

static void integers_are_exact(void **state)
{
    (void)state;
    FA_SCOPE;
    static const int64_t rows[] = {INT64_MAX, INT64_MIN, INT64_MAX - 1, (INT64_C(1) << 53) + 1, -(INT64_C(1) << 53) - 1,
                                   0};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        fa_tensor *t = fa_tensor_of(rows[i]);
        assert_true(fa_item_int(t) == rows[i]);
        assert_true(fa_item_int(fa_to(t, DEVICE(0))) == rows[i]);
        assert_true(fa_item_int(fa_reshape(fa_get(t, "::-1"), FA_SCALAR)) == rows[i]);
        int64_t back;
        assert_true(fa_read(t, &back, FA_I64, 1) && back == rows[i]);
    }
    assert_int_equal(fa_item_int(fa_tensor_of(-2.7)), -2);
    assert_int_equal(fa_item_int(fa_full(FA_SCALAR, true)), 1);
    assert_no_error();
}

/* A number that a dtype does not hold is an error, or, above i64, a floating number: never another number. */
static void numbers_that_are_too_large(void **state)
{
    (void)state;
    FA_SCOPE;
    assert_true(fa_item(fa_mul(fa_full(FA_SCALAR, 2.0), UINT64_MAX)) == 0x1p65);
    assert_true(fa_item(fa_add(fa_full(FA_SCALAR, 1), (unsigned long)INT64_MAX - 1)) == 0x1p63);
    assert_int_equal(fa_tensor_dtype(fa_full(FA_SHAPE(1), UINT64_MAX)), FA_F32);
    assert_null(fa_tensor_of(UINT64_MAX));
    assert_error(FA_ERROR_ARGUMENT, "18446744073709551615", "i64");
    const struct {
        double value;
        fa_dtype dtype;
        bool fits;
    } rows[] = {{65519, FA_F16, true},     {65520, FA_F16, false},       {-1e10, FA_F16, false},
                {1e38, FA_BF16, true},     {3.4e38, FA_BF16, false},     {FLT_MAX, FA_F32, true},
                {1e300, FA_F32, false},    {1e300, FA_F64, true},        {INFINITY, FA_F16, true},
                {-INFINITY, FA_F32, true}, {(double)NAN, FA_BF16, true}, {256, FA_U8, false},
                {0x1p63, FA_I64, false},   {-0x1p63, FA_I64, true},      {0x1p63 - 1024, FA_I64, true}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(fa_full(FA_SHAPE(2), rows[i].value, .dtype = rows[i].dtype) != NULL, rows[i].fits);
        if (!rows[i].fits)
            assert_error(FA_ERROR_ARGUMENT, "does not fit", fa_dtype_name(rows[i].dtype));
        fa_tensor *x = fa_zeros(FA_SHAPE(2), .dtype = rows[i].dtype);
        assert_int_equal(fa_copy_(x, rows[i].value) != NULL, rows[i].fits);
        fa_error_clear();
    }
    assert_true(fa_item_int(fa_full(FA_SCALAR, INT64_MAX)) == INT64_MAX);
    assert_true(fa_item_int(fa_copy_(fa_zeros(FA_SCALAR, .dtype = FA_I64), INT64_MAX)) == INT64_MAX);
    assert_null(fa_full(FA_SCALAR, 0x1p63, .dtype = FA_I64));
    assert_error(FA_ERROR_ARGUMENT, "9.223372036854776e+18 does not fit into i64");
    assert_non_null(fa_randperm(256, .dtype = FA_U8));
    assert_null(fa_randperm(257, .dtype = FA_U8));
    assert_error(FA_ERROR_ARGUMENT, "randperm", "u8");
    assert_null(fa_randperm(3000, .dtype = FA_F16));
    assert_error(FA_ERROR_ARGUMENT, "randperm", "f16");
    assert_no_error();
}

static void shapes_of_all_kinds(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *scalar = fa_full(FA_SCALAR, 3), *empty = fa_zeros(FA_SHAPE(2, 0, 3)),
              *one = fa_ones(FA_SHAPE(1, 1, 1, 1, 1, 1, 1, 1));
    assert_int_equal(fa_dim(scalar), 0);
    assert_int_equal(fa_numel(scalar), 1);
    assert_int_equal(fa_tensor_shape(scalar).rank, 0);
    assert_int_equal(fa_item_int(scalar), 3);
    assert_true(fa_is_contiguous(scalar) && fa_is_contiguous(empty));
    assert_int_equal(fa_numel(empty), 0);
    assert_int_equal(fa_nbytes(empty), 0);
    assert_int_equal(fa_size(empty, -1), 3);
    assert_true(fa_read(empty, NULL, FA_F32, 0));
    assert_non_null(fa_tensor_from(NULL, FA_SHAPE(0, 4)));
    assert_non_null(fa_tensor_from(NULL, FA_SHAPE(0, 4), .device = DEVICE(0)));
    assert_non_null(fa_tensor_borrow(NULL, FA_SHAPE(0)));
    assert_int_equal(fa_dim(one), 8);
    assert_true(fa_item(one) == 1);
    fa_tensor *wide = fa_expand(fa_tensor_of(1.0, 2.0), FA_SHAPE(3, 2));
    assert_int_equal(fa_stride(wide, 0), 0);
    assert_int_equal(fa_nbytes(wide), 24);
    float values[6];
    assert_true(fa_read(wide, values, FA_F32, 6) && values[4] == 1 && values[5] == 2);
    fa_tensor *back = fa_get(fa_arange(0, 6), "::-2");
    assert_int_equal(fa_stride(back, 0), -2);
    int64_t whole[3];
    assert_true(fa_read(back, whole, FA_I64, 3) && whole[0] == 5 && whole[2] == 1);
    assert_true(fa_ptr_i64(back)[0] == 5 && fa_ptr_i64(back)[-2] == 3);
    assert_true(isnan(fa_item(empty)));
    assert_error(FA_ERROR_SHAPE, "(2, 0, 3)");
}

/* ---- the rest ---- */

static void equal_tensors(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *a = fa_tensor_of(1.0, -0.0), *nan = fa_tensor_of(1.0, NAN);
    assert_true(fa_equal(a, fa_tensor_of(1.0, 0.0)) && fa_equal(a, fa_to(a, FA_F64)));
    assert_false(fa_equal(nan, nan) || fa_equal(a, fa_reshape(a, FA_SHAPE(2, 1))) || fa_equal(a, nan));
    fa_tensor *there = fa_to(a, DEVICE(0));
    assert_true(fa_equal(there, fa_mul(there, 1))
                && fa_equal(fa_ones(FA_SHAPE(1), .requires_grad = true), fa_ones(FA_SHAPE(1))));
    assert_true(fa_equal(fa_tensor_of(1, 2, 3), fa_get(fa_tensor_of(3, 2, 1), "::-1")));
    assert_false(fa_equal(fa_tensor_of(1, 2, 3), fa_tensor_of(1, 2, 4)) || fa_equal(there, fa_mul(there, 2)));
    assert_true(fa_equal(fa_zeros(FA_SHAPE(0, 3)), fa_zeros(FA_SHAPE(0, 3))));
    assert_false(fa_equal(fa_zeros(FA_SHAPE(0, 3)), fa_zeros(FA_SHAPE(0, 2))));
    assert_true(fa_equal(fa_full(FA_SCALAR, true), fa_full(FA_SCALAR, true)));
    assert_no_error();
    assert_false(fa_equal(there, a));
    assert_error(FA_ERROR_DEVICE, "fa_equal: the tensors are on different devices, x on late:0 and y on cpu");
    assert_false(fa_equal(fa_tensor_of(1.0), there));
    assert_error(FA_ERROR_DEVICE, "fa_equal: the tensors are on different devices, x on cpu and y on late:0");
    {
        FA_USE(.placement = FA_PLACE_AUTO);
        assert_true(fa_equal(there, a) && fa_allclose(a, there));
        assert_no_error();
    }
    fa_tensor *meta = fa_zeros(FA_SHAPE(2), .device = FA_META);
    assert_false(fa_equal(meta, meta));
    assert_error(FA_ERROR_DEVICE, "fa_equal: ", "meta");
}

static void close_tensors(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *x = fa_tensor_of(1.0, NAN), *y = fa_tensor_of(1.0, 2.0), *there = fa_to(y, DEVICE(0));
    assert_false(fa_allclose(x, x) || fa_allclose(y, fa_add(y, 1e-3)) || fa_allclose(there, fa_add(there, 1e-3)));
    assert_true(fa_allclose(x, x, .equal_nan = true) && fa_allclose(y, fa_add(y, 1e-6)));
    assert_true(fa_allclose(y, fa_add(y, 0.5), .atol = 0.5, .rtol = 0) && fa_allclose(there, fa_add(there, 1e-6)));
    assert_true(fa_allclose(fa_ones(FA_SHAPE(2, 3)), fa_ones(FA_SHAPE(3), .dtype = FA_F64)));
    assert_true(fa_allclose(fa_zeros(FA_SHAPE(0, 2)), fa_zeros(FA_SHAPE(2))) && (fa_allclose)(y, y, NULL));
    assert_no_error();
    assert_false(fa_allclose(y, fa_ones(FA_SHAPE(3))));
    assert_error(FA_ERROR_SHAPE, "fa_isclose(x=(2,) f32 cpu, y=(3,) f32 cpu): shapes do not broadcast");
    assert_false(fa_allclose(y, there));
    assert_error(FA_ERROR_DEVICE, "fa_isclose(", "operands are on different devices, x on cpu and y on late:0");
}

static void printing_works_on_anything(void **state)
{
    (void)state;
    FA_SCOPE;
    FILE *null = fopen("/dev/null", "w");
    assert_non_null(null);
    for (int d = 0; d < DTYPES; d++) {
        fa_tensor *t[] = {fa_zeros(FA_SCALAR, .dtype = dtypes[d].dtype),
                          fa_zeros(FA_SHAPE(0, 3), .dtype = dtypes[d].dtype),
                          fa_get(fa_ones(FA_SHAPE(3, 4, 5), .dtype = dtypes[d].dtype), "::-1, ..., ::2"),
                          fa_expand(fa_ones(FA_SCALAR, .dtype = dtypes[d].dtype), FA_SHAPE(1000, 1000, 1000)),
                          fa_ones(FA_SHAPE(4), .dtype = dtypes[d].dtype, .device = DEVICE(0)),
                          fa_ones(FA_SHAPE(4), .dtype = dtypes[d].dtype, .device = FA_META)};
        for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
            assert_true(fa_fprint(null, t[i]));
            char *text = fa_text(t[i]);
            assert_non_null(text);
            fa_free_text(text);
        }
    }
    fclose(null);
    fa_free_text(NULL);
    assert_no_error();
    FILE *full = fopen("/dev/full", "w");
    if (full) {
        setvbuf(full, NULL, _IONBF, 0);
        assert_false(fa_fprint(full, fa_ones(FA_SHAPE(3))));
        assert_error(FA_ERROR_FILE, "");
        fclose(full);
    }
}

static void options_of_an_older_version_are_enough(void **state)
{
    (void)state;
    FA_SCOPE;
    float data[2] = {1, 2};
    /* a program that knows .dtype, and nothing behind it: what its struct ends with is not read */
    struct {
        size_t size;
        fa_dtype dtype;
        unsigned char behind[60];
    } old;
    memset(&old, 0xEE, sizeof old);
    old.size = offsetof(fa_tensor_from_options, device);
    old.dtype = FA_F32;
    fa_tensor *t = (fa_tensor_from)(data, FA_SHAPE(2), (const fa_tensor_from_options *)(const void *)&old);
    assert_non_null(t);
    assert_true(fa_device_equal(fa_tensor_device(t), FA_CPU));
    assert_false(fa_requires_grad(t));
    assert_null((fa_tensor_from)(data, FA_SHAPE(2), NULL)); /* nothing tells the dtype */
    assert_error(FA_ERROR_DTYPE, "name .dtype");
    struct {
        size_t size;
        fa_tensor *out;
        unsigned char behind[60];
    } sum;
    memset(&sum, 0xEE, sizeof sum);
    sum.size = offsetof(fa_sum_options, out) + sizeof sum.out;
    sum.out = NULL;
    fa_tensor *s = (fa_sum)(t, (const fa_sum_options *)(const void *)&sum);
    assert_non_null(s);
    assert_int_equal(fa_dim(s), 0);
    assert_true(fa_item(s) == 3);
    assert_true(fa_item((fa_sum)(t, NULL)) == 3);
    /* one of a newer version: what this one does not know is not read */
    struct {
        fa_sum_options known;
        unsigned char behind[100];
    } next = {.known = FA__DEFAULT_fa_sum};
    memset(next.behind, 0xEE, sizeof next.behind);
    next.known.size = sizeof next;
    next.known.keepdim = true;
    s = (fa_sum)(t, &next.known);
    assert_int_equal(fa_dim(s), 1);
    /* settings */
    struct {
        size_t size;
        fa_device device;
        unsigned char behind[100];
    } settings;
    memset(&settings, 0xEE, sizeof settings);
    settings.size = offsetof(fa_settings, no_grad);
    settings.device = DEVICE(0);
    fa__scope scope = fa__use_open((const fa_settings *)(const void *)&settings);
    assert_false(fa__settings().no_grad);
    assert_int_equal(fa__settings().forbid, 0);
    assert_true(fa_device_equal(fa_tensor_device(fa_zeros(FA_SHAPE(2))), DEVICE(0)));
    fa__use_close(&scope);
    assert_no_error();
}

static void operands_are_evaluated_once(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *x = fa_ones(FA_SHAPE(2)), *const fixed = x;
    const fa_tensor *read_only = x;
    short two = 2;
    int calls = 0;
    fa_add((calls++, x), 2, .alpha = (calls++, 3.0));
    assert_int_equal(calls, 2);
    int more = 0;
    fa_set((calls++, x), "0", (more++, 4));
    fa_to((calls++, x), (more++, FA_F64));
    fa_to((calls++, x), (more++, FA_CPU), .copy = (calls++, true));
    assert_int_equal(calls, 6);
    assert_int_equal(more, 3);
    assert_non_null(fa_add(fixed, fixed));
    assert_non_null(fa_add(read_only, 1));
    assert_true(fa_item(fa_sum(fa_add(x, (_Bool)1))) == 7);
    assert_true(fa_item(fa_sum(fa_mul(two, x))) == 10);
    assert_no_error();
}

static void what_is_no_dtype_has_no_properties(void **state)
{
    (void)state;
    const fa_dtype none[] = {(fa_dtype)(FA_SAME - 1), FA_SAME, (fa_dtype)FA__DTYPES};
    for (int i = 0; i < 3; i++) {
        assert_null(fa_dtype_describe(none[i]));
        assert_string_equal(fa_dtype_name(none[i]), "unknown");
        assert_int_equal(fa_dtype_size(none[i]), 0);
        assert_false(fa_dtype_is_floating(none[i]));
    }
    assert_no_error();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(numbers_become_tensors),
        TEST(numbers_of_several_types_keep_their_values),
        TEST(lists_are_as_long_as_they_look),
        TEST(every_dtype_goes_in_and_comes_out),
        TEST(every_half_number_is_itself),
        TEST(narrowing_rounds_to_even),
        TEST(reading_converts),
        TEST(integers_are_exact),
        TEST(numbers_that_are_too_large),
        TEST(shapes_of_all_kinds),
        TEST(equal_tensors),
        TEST(close_tensors),
        TEST(printing_works_on_anything),
        TEST(options_of_an_older_version_are_enough),
        TEST(operands_are_evaluated_once),
        TEST(what_is_no_dtype_has_no_properties),
    };
    return RUN("api_tensors");
}
