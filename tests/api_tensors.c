/* Tensors from and to the program's data: every dtype and layout, borrowed memory, reading, indexing as NumPy does it,
 * options of other versions. */
#define _GNU_SOURCE
#include "api_test.h"
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
        {fa_tensor_of(1, 2, 3), FA_I64, 3, 3},       {fa_tensor_of(1, 2.5), FA_F32, 2, 2.5},
        {fa_tensor_of(2.5f), FA_F32, 1, 2.5},        {fa_tensor_of(2000000000, 2000000000, 3.5f), FA_F32, 3, 3.5},
        {fa_tensor_of(1, 2.5L), FA_F32, 2, 2.5},     {fa_tensor_of((char)1, (short)-2), FA_I64, 2, -2},
        {fa_tensor_of(n, n), FA_I64, 2, 3},          {fa_tensor_of((_Bool)1), FA_I64, 1, 1},
        {fa_tensor_of(-1, INT64_C(4294967295)), FA_I64, 2, 4294967295.0}, {fa_tensor_of(1e300), FA_F32, 1, INFINITY},
        {fa_tensor_of(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29,
                      30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56,
                      57, 58, 59, 60, 61, 62, 63, 64.5), FA_F32, 64, 64.5},
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

static const struct dtype_row {
    fa_dtype dtype;
    const char *name;
    size_t size;
    int64_t exact; /* whole numbers up to here are exact */
} dtypes[] = {
    {FA_BOOL, "bool", 1, 1},      {FA_U8, "u8", 1, 255},  {FA_I8, "i8", 1, 127},     {FA_I16, "i16", 2, 32767},
    {FA_I32, "i32", 4, INT32_MAX}, {FA_I64, "i64", 8, INT64_MAX}, {FA_F16, "f16", 2, 2048}, {FA_BF16, "bf16", 2, 256},
    {FA_F32, "f32", 4, 1 << 24},  {FA_F64, "f64", 8, INT64_C(1) << 53},
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
            fa_tensor *t = fa_tensor_from(bytes, FA_SHAPE(4, 3, 4), .dtype = row->dtype, .device = p ? FA_LATE(0) : FA_CPU);
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
        assert_true(fa_same(fa_to(fa_to(whole, FA_LATE(0)), FA_CPU), whole));
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
        {2049, 2048, 2048},   {2051, 2052, 2048},     {65519, 65504, 65536},      {65520, INFINITY, 65536},
        {257, 257, 256},      {259, 259, 260},        {1e-8, 0, 1.0011717677116394e-08}, {5.960464477539063e-08, 5.960464477539063e-08, 5.960464477539063e-08},
        {2.98023223876953125e-08, 0, 2.98023223876953125e-08}, {3.4e38, INFINITY, INFINITY}, {-65520, -INFINITY, -65536},
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
        fa_tensor *t = fa_tensor_from(from, FA_SHAPE(6), .dtype = FA_F64, .device = p ? FA_LATE(1) : FA_CPU);
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
        assert_error(FA_ERROR_ARGUMENT, "");
    }
}

static void integers_are_exact(void **state)
{
    (void)state;
    FA_SCOPE;
    static const int64_t rows[] = {INT64_MAX, INT64_MIN, INT64_MAX - 1, (INT64_C(1) << 53) + 1, -(INT64_C(1) << 53) - 1, 0};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        fa_tensor *t = fa_tensor_of(rows[i]);
        assert_true(fa_item_int(t) == rows[i]);
        assert_true(fa_item_int(fa_to(t, FA_LATE(0))) == rows[i]);
        assert_true(fa_item_int(fa_reshape(fa_get(t, "::-1"), FA_SCALAR)) == rows[i]);
        int64_t back;
        assert_true(fa_read(t, &back, FA_I64, 1) && back == rows[i]);
    }
    assert_int_equal(fa_item_int(fa_tensor_of(-2.7)), -2);
    assert_int_equal(fa_item_int(fa_full(FA_SCALAR, true)), 1);
    assert_no_error();
}

static void shapes_of_all_kinds(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *scalar = fa_full(FA_SCALAR, 3), *empty = fa_zeros(FA_SHAPE(2, 0, 3)), *one = fa_ones(FA_SHAPE(1, 1, 1, 1, 1, 1, 1, 1));
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
    assert_non_null(fa_tensor_from(NULL, FA_SHAPE(0, 4), .device = FA_LATE(0)));
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

static void pointers_are_typed(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *t = fa_zeros(FA_SHAPE(2, 2));
    float *p = fa_ptr_f32(t);
    p[3] = 7;
    assert_true(fa_item(fa_get(t, "1, 1")) == 7);
    assert_ptr_equal(fa_ptr_f32(fa_get(t, "1")), p + 2);
    /* it pins: neither device nor dtype can change below it */
    assert_false(fa_move_(t, FA_LATE(0)));
    assert_error(FA_ERROR_STATE, "a pointer was taken of");
    assert_false(fa_move_(t, FA_F64));
    assert_error(FA_ERROR_STATE, "");
    assert_true(p == fa_ptr_f32(t) && p[3] == 7);
    const struct {
        void *p;
        fa_dtype dtype;
    } rows[] = {{fa_ptr_bool(fa_zeros(FA_SCALAR, .dtype = FA_BOOL)), FA_BOOL}, {fa_ptr_u8(fa_zeros(FA_SCALAR, .dtype = FA_U8)), FA_U8},
                {fa_ptr_i8(fa_zeros(FA_SCALAR, .dtype = FA_I8)), FA_I8}, {fa_ptr_i16(fa_zeros(FA_SCALAR, .dtype = FA_I16)), FA_I16},
                {fa_ptr_i32(fa_zeros(FA_SCALAR, .dtype = FA_I32)), FA_I32}, {fa_ptr_i64(fa_zeros(FA_SCALAR, .dtype = FA_I64)), FA_I64},
                {fa_ptr_f16(fa_zeros(FA_SCALAR, .dtype = FA_F16)), FA_F16}, {fa_ptr_bf16(fa_zeros(FA_SCALAR, .dtype = FA_BF16)), FA_BF16},
                {fa_ptr_f64(fa_zeros(FA_SCALAR, .dtype = FA_F64)), FA_F64}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_non_null(rows[i].p);
    /* later asynchronous work is waited for */
    fa_tensor *h = fa_to(fa_full(FA_SHAPE(1000), 3.0, .device = FA_LATE(0)), FA_CPU);
    assert_true(fa_ptr_f32(h)[999] == 3);
    assert_no_error();
}

static void moving_in_place_takes_holders_along(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *w = fa_tensor_of(1.0, 2.0, 3.0, 4.0), *view;
    {
        FA_USE(.no_grad = true);
        view = fa_get(w, "1:3");
    }
    assert_true(fa_move_(w, FA_LATE(0)));
    assert_true(fa_device_equal(fa_tensor_device(view), FA_LATE(0)));
    assert_true(fa_item(fa_sum(view)) == 5);
    assert_false(fa_move_(w, FA_F64));
    assert_error(FA_ERROR_STATE, "other tensors view");
    fa_tensor *p = fa_tensor_of(1.0, 2.0);
    fa_set_requires_grad(p, true);
    assert_true(fa_backward(fa_sum(fa_mul(p, p))));
    assert_true(fa_move_(p, FA_LATE(1)));
    assert_true(fa_device_equal(fa_tensor_device(fa_grad(p)), FA_LATE(1)));
    assert_true(fa_move_(p, FA_F64));
    assert_int_equal(fa_tensor_dtype(fa_grad(p)), FA_F64);
    assert_true(fa_item(fa_get(fa_grad(p), "1")) == 4);
    assert_false(fa_move_(p, FA_I32));
    assert_error(FA_ERROR_DTYPE, "i32");
    assert_int_equal(fa_tensor_dtype(p), FA_F64);
    /* what was recorded before the move is not passed back through it */
    fa_tensor *loss = fa_sum(fa_mul(p, p));
    assert_false(fa_move_(p, FA_F32));
    assert_error(FA_ERROR_STATE, "");
    assert_true(fa_move_(p, FA_LATE(0)));
    assert_false(fa_backward(loss));
    assert_error(FA_ERROR_GRADIENT, "mul");
    fa_tensor *node = fa_mul(p, 2);
    assert_false(fa_move_(node, FA_CPU));
    assert_error(FA_ERROR_STATE, "not a leaf");
}

/* ---- borrowed memory ---- */

static int freed;
static void *freed_data;

static void count_free(void *context, void *data)
{
    assert_ptr_equal(context, &freed);
    freed_data = data;
    freed++;
}

static void borrowed_memory_is_used_in_place(void **state)
{
    (void)state;
    float data[12];
    for (int i = 0; i < 12; i++)
        data[i] = (float)i;
    static const struct {
        fa_shape shape;
        int64_t strides[2];
        int first;
        double at[4]; /* corners */
    } rows[] = {
        {{2, {3, 4}}, {4, 1}, 0, {0, 3, 8, 11}},  {{2, {4, 3}}, {1, 4}, 0, {0, 8, 3, 11}},
        {{2, {3, 4}}, {-4, -1}, 11, {11, 8, 3, 0}}, {{2, {3, 2}}, {4, -2}, 3, {3, 1, 11, 9}},
        {{2, {3, 4}}, {0, 1}, 4, {4, 7, 4, 7}},    {{2, {1, 1}}, {100, -100}, 5, {5, 5, 5, 5}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        freed = 0;
        fa_tensor *kept;
        {
            FA_SCOPE;
            fa_tensor *t = fa_tensor_borrow(data + rows[i].first, rows[i].shape, .strides = rows[i].strides, .free = count_free,
                                            .ctx = &freed);
            assert_non_null(t);
            assert_ptr_equal(fa_ptr_f32(t), data + rows[i].first);
            static const char *const corner[] = {"0, 0", "0, -1", "-1, 0", "-1, -1"};
            for (int k = 0; k < 4; k++)
                assert_true(fa_item(fa_get(t, corner[k])) == rows[i].at[k]);
            fa_tensor *same = fa_tensor_from(data, FA_SHAPE(1));
            assert_non_null(same);
            assert_true(fa_item(fa_sum(fa_to(t, FA_LATE(0)))) == fa_item(fa_sum(t)));
            kept = fa_keep(fa_get(t, "0"));
            assert_false(fa_move_(t, FA_LATE(0)));
            assert_error(FA_ERROR_STATE, "borrowed");
        }
        assert_int_equal(freed, 0); /* a view still uses it */
        fa_release(kept);
        assert_int_equal(freed, 1);
        assert_ptr_equal(freed_data, data + rows[i].first);
    }
    {
        FA_SCOPE;
        fa_tensor *t = fa_tensor_borrow(data, FA_SHAPE(3, 4));
        fa_add_(t, 100);
        fa_set(t, "::-1, 0", fa_tensor_of(1.0, 2.0, 3.0));
    }
    assert_true(data[11] == 111 && data[0] == 3 && data[8] == 1);
    assert_no_error();
}

static void what_is_refused_is_not_freed(void **state)
{
    (void)state;
    FA_SCOPE;
    float data[4];
    freed = 0;
    static const int64_t far = INT64_MAX / 2;
    assert_null(fa_tensor_borrow(data, FA_SHAPE(-4), .free = count_free, .ctx = &freed));
    fa_error_clear();
    assert_null(fa_tensor_borrow(data, FA_SHAPE(4), .strides = &far, .free = count_free, .ctx = &freed));
    fa_error_clear();
    assert_null(fa_tensor_borrow(data, FA_SHAPE(4), .dtype = (fa_dtype)50, .free = count_free, .ctx = &freed));
    fa_error_clear();
    assert_null(fa_tensor_borrow(data, FA_SHAPE(4), .device = FA_CUDA(0), .free = count_free, .ctx = &freed));
    fa_error_clear();
    assert_null(fa_tensor_borrow(NULL, FA_SHAPE(4), .free = count_free, .ctx = &freed));
    fa_error_clear();
    assert_int_equal(freed, 0);
}

static void borrowed_memory_of_late_work_is_freed_when_that_is_done(void **state)
{
    (void)state;
    float *data = malloc(1000 * sizeof *data);
    for (int i = 0; i < 1000; i++)
        data[i] = 2;
    fa_tensor *sum;
    freed = 0;
    FA_SCOPE;
    {
        FA_SCOPE;
        fa_tensor *t = fa_tensor_borrow(data, FA_SHAPE(1000), .free = count_free, .ctx = &freed);
        sum = fa_escape(fa_sum(fa_to(t, FA_LATE(0))));
    }
    assert_true(fa_item(sum) == 2000);
    for (int i = 0; i < 1000 && !freed; i++) {
        fa_synchronize(FA_LATE(0));
        FA_SCOPE;
        fa_to(fa_zeros(FA_SHAPE(1000)), FA_LATE(0));
    }
    assert_int_equal(freed, 1);
    free(data);
}

/* ---- indexing as NumPy writes it ---- */

static int parse_shape(const char *text, fa_shape *shape)
{
    *shape = (fa_shape){0};
    for (const char *at = text + 1; *at && *at != ')'; at += strspn(at, ", "))
        shape->dim[shape->rank++] = strtoll(at, (char **)&at, 10);
    return shape->rank;
}

/* Whether fa_get gives what the line says. */
static bool holds_line(char *line)
{
    char *text = strchr(line, '|'), *result = text ? strchr(text + 1, '|') : NULL, *numbers = result ? strchr(result + 1, '|') : NULL;
    if (!numbers)
        return false;
    *text++ = *result++ = *numbers++ = 0;
    fa_shape shape, want;
    parse_shape(line, &shape);
    int64_t count = 1;
    for (int i = 0; i < shape.rank; i++)
        count *= shape.dim[i];
    FA_SCOPE;
    fa_tensor *x = fa_reshape(fa_arange(0, (double)count), shape), *y = fa_get(x, text);
    if (strcmp(result, "error") == 0) {
        bool good = !y && fa_error_code() != FA_OK && fa_error_code() != FA_ERROR_INTERNAL;
        fa_error_clear();
        return good;
    }
    parse_shape(result, &want);
    if (!y || fa_dim(y) != want.rank)
        return false;
    for (int i = 0; i < want.rank; i++)
        if (fa_size(y, i) != want.dim[i])
            return false;
    int64_t values[64] = {0}, n = fa_numel(y);
    if (n > 64 || !fa_read(y, values, FA_I64, n))
        return false;
    for (int64_t i = 0; i < n; i++)
        if (values[i] != strtoll(numbers, &numbers, 10))
            return false;
    /* and an assignment goes to the same elements, and to no others */
    int64_t sum = fa_item_int(fa_sum(x)), part = fa_item_int(fa_sum(y));
    return fa_set(x, text, 1000) == x && fa_item_int(fa_sum(x)) == sum - part + 1000 * n;
}

static void indices_are_as_in_numpy(void **state)
{
    (void)state;
    FILE *file = fopen(FA_TEST_DATA "/reference/index.txt", "r");
    assert_non_null(file);
    char line[1000];
    int lines = 0, wrong = 0;
    while (fgets(line, sizeof line, file)) {
        if (line[0] == '#')
            continue;
        char copy[1000];
        strcpy(copy, line);
        lines++;
        if (!holds_line(line)) {
            print_error("%s  %s\n", copy, fa_error_message());
            wrong++;
        }
        fa_error_clear();
    }
    fclose(file);
    assert_true(lines > 500);
    assert_int_equal(wrong, 0);
}

static void wrong_indices_show_their_place(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *x = fa_zeros(FA_SHAPE(3, 4));
    static const struct {
        const char *text, *says;
    } rows[] = {
        {"", "in \"\" at 0: there is nothing"},
        {"  ", "at 2"},
        {"a", "in \"a\" at 0: a number, a slice, '...' or None was expected"},
        {"0, b", "at 3"},
        {"0 1", "at 2: ',' was expected"},
        {"1:2:3:4", "at 5: ',' was expected"},
        {"::0", "a step of 0"},
        {",", "at 0"},
        {"0,,1", "at 2"},
        {"0, 1, ", "more"},
        {"..., ...", "more than one '...'"},
        {"0, 0, 0", "more entries than the tensor has dimensions"},
        {"3", "3"},
        {"-4", "-4"},
        {"0, 4", "4"},
        {"1.5", "at 1"},
        {"99999999999999999999", "too large"},
        {":99999999999999999999", "too large"},
        {"Nonesense", "at 0"},
        {"....", "at 3"},
        {"1-", "at 1"},
        {"--1", "at 0"},
        {"None,None,None,None,None,None,None", "8"},
        {"0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0", "too many"},
    };
    int wrong = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        bool failed = !fa_get(x, rows[i].text) && strstr(fa_error_message(), rows[i].says);
        if (strcmp(rows[i].text, "0, 1, ") == 0)
            failed = !fa_failed(); /* a comma at the end is fine */
        if (!failed)
            print_error("\"%s\": %s; expected \"%s\"\n", rows[i].text, fa_error_message(), rows[i].says);
        wrong += !failed;
        fa_error_clear();
    }
    assert_int_equal(wrong, 0);
}

static void assignments_convert_and_broadcast(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *x = fa_zeros(FA_SHAPE(3, 4), .dtype = FA_I32);
    assert_ptr_equal(fa_set(x, "0", 2.7), x);
    assert_int_equal(fa_item_int(fa_sum(x)), 8);
    assert_non_null(fa_set(x, "1:, ::2", fa_tensor_of(1.5, -1.5)));
    assert_int_equal(fa_item_int(fa_sum(x)), 8);
    assert_non_null(fa_set(x, "...", fa_tensor_of(1, 2, 3, 4)));
    assert_int_equal(fa_item_int(fa_sum(x)), 30);
    assert_non_null(fa_set(x, ":, 0", true));
    assert_non_null(fa_set(x, "-1, -1", fa_to(fa_full(FA_SCALAR, 9), FA_LATE(0))));
    assert_int_equal(fa_item_int(fa_get(x, "2, 3")), 9);
    assert_null(fa_set(x, "0", fa_tensor_of(1, 2, 3)));
    assert_true(fa_failed());
    fa_error_clear();
    assert_null(fa_set(x, "7", 1));
    assert_true(fa_failed());
    fa_error_clear();
    assert_non_null(fa_set(x, "3:", 1)); /* nothing there: nothing to do */
    /* in one call, the value an assignment itself */
    fa_tensor *y = fa_zeros(FA_SHAPE(2));
    assert_non_null(fa_set(y, "0", fa_get(fa_set(y, "1", 5), "1")));
    assert_true(fa_item(fa_sum(y)) == 10);
    assert_no_error();
}

/* ---- the rest ---- */

static void same_means_same(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *a = fa_tensor_of(1.0, NAN, -0.0), *b = fa_tensor_of(1.0, NAN, 0.0);
    assert_true(fa_same(a, b));
    assert_true(fa_same(a, fa_to(a, FA_LATE(0))));
    assert_true(fa_same(fa_to(a, FA_LATE(0)), fa_to(b, FA_LATE(1))));
    assert_false(fa_same(a, fa_to(a, FA_F64)));
    assert_false(fa_same(a, fa_reshape(a, FA_SHAPE(3, 1))));
    assert_false(fa_same(a, fa_tensor_of(1.0, 2.0, 0.0)));
    assert_true(fa_same(fa_tensor_of(1, 2, 3), fa_get(fa_tensor_of(3, 2, 1), "::-1")));
    assert_false(fa_same(fa_tensor_of(1, 2, 3), fa_tensor_of(1, 2, 4)));
    assert_true(fa_same(fa_zeros(FA_SHAPE(0, 3)), fa_zeros(FA_SHAPE(0, 3))));
    assert_false(fa_same(fa_zeros(FA_SHAPE(0, 3)), fa_zeros(FA_SHAPE(0, 2))));
    assert_true(fa_same(fa_full(FA_SCALAR, true), fa_full(FA_SCALAR, true)));
    assert_no_error();
    assert_false(fa_same(a, fa_zeros(FA_SHAPE(3), .device = FA_META)));
    assert_error(FA_ERROR_DEVICE, "meta");
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
                          fa_ones(FA_SHAPE(4), .dtype = dtypes[d].dtype, .device = FA_LATE(0)),
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
    t = (fa_tensor_from)(data, FA_SHAPE(2), NULL);
    assert_non_null(t);
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
    settings.device = FA_LATE(0);
    fa__scope scope = fa__use_open((const fa_settings *)(const void *)&settings);
    assert_false(fa__settings().no_grad);
    assert_int_equal(fa__settings().forbid, 0);
    assert_true(fa_device_equal(fa_tensor_device(fa_zeros(FA_SHAPE(2))), FA_LATE(0)));
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(numbers_become_tensors),
        TEST(every_dtype_goes_in_and_comes_out),
        TEST(every_half_number_is_itself),
        TEST(narrowing_rounds_to_even),
        TEST(reading_converts),
        TEST(integers_are_exact),
        TEST(shapes_of_all_kinds),
        TEST(pointers_are_typed),
        TEST(moving_in_place_takes_holders_along),
        TEST(borrowed_memory_is_used_in_place),
        TEST(what_is_refused_is_not_freed),
        TEST(borrowed_memory_of_late_work_is_freed_when_that_is_done),
        TEST(indices_are_as_in_numpy),
        TEST(wrong_indices_show_their_place),
        TEST(assignments_convert_and_broadcast),
        TEST(same_means_same),
        TEST(printing_works_on_anything),
        TEST(options_of_an_older_version_are_enough),
        TEST(operands_are_evaluated_once),
    };
    return RUN("api_tensors");
}
