/* semantics.md, "Promotion", "Views, in-place", "Indexing", "Reductions, NaN, division", "Losses". Each test opens with
 * the line that it holds. Numbers that are not plain are PyTorch 2.15's. */
#include "support/autograd_test.h"

static fa_tensor *u8_of(int64_t a, int64_t b)
{
    return fa_to(fa_tensor_of(a, b), FA_U8);
}

/* ---- promotion ---- */

/* In-place arithmetic into a lower category is an error */
static void in_place_into_a_lower_category(void **state)
{
    (void)state;
    fa_tensor *i = fa_to(fa_tensor_of(1, 2), FA_I32), *b = fa_ones(FA_SHAPE(2), .dtype = FA_BOOL);
    assert_null(fa_add_(i, 1.5));
    FAILS(FA_ERROR_DTYPE, "f32", "i32");
    assert_null(fa_mul_(i, fa_ones(FA_SHAPE(2), .dtype = FA_F16)));
    FAILS(FA_ERROR_DTYPE, "f16", "i32");
    assert_null(fa_div_(i, 2));
    FAILS(FA_ERROR_DTYPE, "f32", "i32");
    assert_null(fa_add_(b, 1));
    FAILS(FA_ERROR_DTYPE, "i64", "bool");
    HOLD(i, 1, 2);
    assert_non_null(fa_add_(u8_of(1, 2), fa_tensor_of(1000, 2000)));
    assert_non_null(fa_add_(fa_ones(FA_SHAPE(2), .dtype = FA_F16), fa_ones(FA_SHAPE(2), .dtype = FA_F64)));
}

static fa_tensor *narrow_of(int64_t v, fa_dtype d)
{
    return fa_full(FA_SHAPE(1), v, .dtype = d);
}

/* Narrow integers compute in i32 and narrow at the store, also between fused operations. */
static void narrow_integers_wrap_between_operations(void **state)
{
    (void)state;
    fa_tensor *x = narrow_of(200, FA_U8), *y = narrow_of(100, FA_U8), *i = narrow_of(100, FA_I8);
    HOLD(fa_maximum(fa_to(fa_tensor_of(3, 100), FA_I8), fa_full(FA_SCALAR, 300)), 44, 100);
    HOLD(fa_maximum(narrow_of(-30000, FA_I16), fa_full(FA_SCALAR, 40000)), -25536);
    HOLD(fa_minimum(narrow_of(5, FA_U8), fa_full(FA_SCALAR, -18)), 5);
    /* numbers are bounds, whatever the dtype holds */
    HOLD(fa_maximum(narrow_of(100, FA_I8), 300), 127);
    HOLD(fa_clamp(fa_to(fa_tensor_of(5, 200), FA_U8), -3, 300), 5, 200);
    HOLD(fa_clamp(fa_to(fa_tensor_of(100, 3, -100), FA_I8), -200, 50), 50, 3, -100);
    HOLD(fa_add(narrow_of(5, FA_U8), 300), 49);
    HOLD(fa_maximum(i, fa_full(FA_SCALAR, 300)), 100);
    HOLD(fa_clamp(i, -200, 50), 50);
    HOLD(fa_clamp(fa_to(fa_tensor_of(5, -5), FA_I32), 0, INT64_C(1) << 40), 5, 0);
    HOLD(fa_clamp(fa_tensor_of(5, -5), 0, INT64_C(1) << 40), 5, 0);
    HOLD(fa_clamp(fa_tensor_of(5.0, 2e9), 0, INT64_C(1) << 40), 5, 2e9);
    HOLD(fa_pointwise("maximum(x, 300)", i), 127);
    HOLD(fa_pointwise("minimum(maximum(x, -300), 255)", i), 100);
    HOLD(fa_pointwise("maximum(x, y) == 127", i, 300), 1);
    HOLD(fa_pointwise("maximum(x, y) + y", i, 300), (int8_t)(100 + 44));
    for (int k = 0; k < 2; k++) { /* tensors wrap, wherever they are */
        fa_tensor *there = fa_to(i, DEVICE(k));
        HOLD(fa_maximum(there, fa_full(FA_SCALAR, 300)), 100);
        HOLD(fa_maximum(there, 300), 127);
    }
    HOLD(fa_add(i, fa_full(FA_SCALAR, 300)), -112);
    HOLD(fa_abs(narrow_of(-128, FA_I8)), -128);
    HOLD(fa_pow(narrow_of(3, FA_U8), 260), 81); /* 260 is 4 */
    assert_true(fa_item(fa_pointwise("(x + y) > 255", x, y)) == 0);
    assert_true(fa_item(fa_pointwise("x + y == 44", x, y)) == 1);
    assert_true(fa_item(fa_pointwise("maximum(x + y, 43) * 2 - x", x, y)) == ((88 - 200) & 255));
    assert_true(fa_item(fa_pointwise("abs(x * y) + (x > y ? x + 56 : y)", i, i)) == 16 + 100);
    assert_true(fa_item(fa_pointwise("(x ? x + y : y) < x", x, y)) == 1);
    assert_true(fa_item(fa_pointwise("x * y - y * x + 1000", x, y)) == (1000 & 255));
    assert_int_equal(fa_tensor_dtype(fa_pointwise("x ? 1 : 2", i)), FA_I64);
    assert_int_equal(fa_tensor_dtype(fa_pointwise("x ? 1 : 2.5", i)), FA_F32);
    /* what is compared is so as it is */
    HOLD(fa_gt(narrow_of(5, FA_U8), -1), 1);
    HOLD(fa_lt(x, 300), 1);
    HOLD(fa_gt(x, fa_full(FA_SCALAR, -1)), 1);
    HOLD(fa_eq(x, -56), 0);
}

/* .out of another dtype holds what the result without it would be: it has wrapped, or was rounded */
static void out_of_another_dtype(void **state)
{
    (void)state;
    FA_USE(.device = DEVICE(0));
    const fa_dtype wide[] = {FA_I16, FA_I32, FA_I64, FA_F32, FA_F64};
    fa_tensor *u = fa_to(fa_tensor_of(200, 100), FA_U8), *b = fa_ones(FA_SHAPE(2), .dtype = FA_BOOL);
    fa_tensor *h = fa_to(fa_tensor_of(3, 300), FA_F16);
    for (int k = 0; k < 5; k++) {
        fa_tensor *out = fa_zeros(FA_SHAPE(2), .dtype = wide[k]);
        HOLD(fa_add(u, u, .out = out), 144, 200);
        HOLD(fa_neg(u, .out = out), 56, 156);
        HOLD(fa_bitwise_not(u, .out = out), 55, 155);
        HOLD(fa_add(u, 100, .out = fa_get(out, "::-1")), 44, 200);
        HOLD(fa_add(b, b, .out = out), 1, 1);
        HOLD(fa_eq(u, 100, .out = out), 0, 1);
    }
    fa_tensor *out = fa_zeros(FA_SHAPE(2)), *root = fa_to(fa_sqrt(h), FA_F32);
    assert_true(same_tensors(fa_sqrt(h, .out = out), root));
    HOLD(fa_mul(h, h, .out = out), 9, INFINITY);
}

/* fill_, copy_, fa_set of a number cast (2.7 into i32 gives 2) */
static void numbers_are_cast_when_stored(void **state)
{
    (void)state;
    fa_tensor *i = fa_zeros(FA_SHAPE(3), .dtype = FA_I32);
    assert_non_null(fa_copy_(i, 2.7));
    HOLD(i, 2, 2, 2);
    assert_non_null(fa_set(i, "0", -2.7));
    assert_non_null(fa_set(i, "1:", fa_tensor_of(3.9, -3.9)));
    HOLD(i, -2, 3, -3);
    HOLD(fa_full(FA_SHAPE(1), 2.7, .dtype = FA_I32), 2);
    HOLD(fa_full(FA_SHAPE(1), 2, .dtype = FA_BOOL), 1);
}

/* matmul, linear, addmm do not promote (bias included). */
static void products_do_not_promote(void **state)
{
    (void)state;
    fa_tensor *a = fa_ones(FA_SHAPE(2, 2)), *b = fa_ones(FA_SHAPE(2, 2), .dtype = FA_F64);
    assert_null(fa_matmul(a, b));
    FAILS(FA_ERROR_DTYPE, "f32", "f64");
    assert_null(fa_linear(a, b));
    FAILS(FA_ERROR_DTYPE, "f32", "f64");
    assert_null(fa_linear(a, a, .bias = fa_ones(FA_SHAPE(2), .dtype = FA_F64)));
    FAILS(FA_ERROR_DTYPE, "f32", "f64");
    assert_null(fa_matmul(fa_ones(FA_SHAPE(2, 2), .dtype = FA_I32), a));
    FAILS(FA_ERROR_DTYPE, "i32", "f32");
    fa_tensor *image = fa_ones(FA_SHAPE(1, 1, 4, 4), .dtype = FA_U8);
    assert_null(fa_conv2d(image, fa_ones(FA_SHAPE(1, 1, 2, 2))));
    FAILS(FA_ERROR_DTYPE, "u8 and f32", "fa_transform_to_tensor");
    assert_null(fa_conv2d(fa_to(image, FA_F32), fa_ones(FA_SHAPE(1, 1, 2, 2), .dtype = FA_F64)));
    FAILS(FA_ERROR_DTYPE, "f32 and f64", "fa_to converts");
}

/* Any bool operand of `-`, and negating bool, is an error. */
static void minus_of_bool(void **state)
{
    (void)state;
    fa_tensor *b = fa_ones(FA_SHAPE(2), .dtype = FA_BOOL);
    assert_null(fa_sub(b, b));
    FAILS(FA_ERROR_DTYPE, "bool");
    assert_null(fa_sub(1, b));
    FAILS(FA_ERROR_DTYPE, "bool");
    assert_null(fa_sub(fa_ones(FA_SHAPE(2)), b));
    FAILS(FA_ERROR_DTYPE, "bool");
    assert_null(fa_neg(b));
    FAILS(FA_ERROR_DTYPE, "bool");
    assert_null(fa_sub_(fa_ones(FA_SHAPE(2)), b));
    FAILS(FA_ERROR_DTYPE, "bool");
}

/* i32 with a 0-dim f64 tensor gives f64, with the number 1.5 f32. */
static void values_of_a_higher_category(void **state)
{
    (void)state;
    fa_tensor *i = fa_to(fa_tensor_of(1, 2), FA_I32);
    assert_int_equal(fa_tensor_dtype(fa_add(i, fa_full(FA_SCALAR, 1.0, .dtype = FA_F64))), FA_F64);
    assert_int_equal(fa_tensor_dtype(fa_add(i, 1.5)), FA_F32);
    assert_int_equal(
        fa_tensor_dtype(fa_add(fa_ones(FA_SHAPE(1), .dtype = FA_F16), fa_full(FA_SCALAR, 1.0, .dtype = FA_F64))),
        FA_F16);
    assert_int_equal(fa_tensor_dtype(fa_div(i, i)), FA_F32);
}

/* u8 + 300 wraps silently to u8; fill, full, masked_fill of 300 into u8 are errors. */
static void numbers_beyond_the_dtype(void **state)
{
    (void)state;
    fa_tensor *u = u8_of(10, 250);
    HOLD(fa_add(u, 300), 54, 38);
    HOLD(fa_add(u, 10), 20, 4);
    assert_null(fa_full(FA_SHAPE(2), 300, .dtype = FA_U8));
    FAILS(FA_ERROR_ARGUMENT, "300", "u8");
    assert_null(fa_copy_(u, 300));
    FAILS(FA_ERROR_ARGUMENT, "300", "u8");
    assert_null(fa_set(u, "0", 300));
    FAILS(FA_ERROR_ARGUMENT, "300", "u8");
    HOLD(u, 10, 250);
    assert_non_null(fa_copy_(u, fa_tensor_of(300)));
    HOLD(u, 44, 44);
}

/* What masked_fill, index_fill, fill and full write is converted: fractions are cut off, whole numbers below 0 wrap
 * into u8, and anything but 0 is true. A tensor's value of any dtype is converted, too. */
static void numbers_that_are_written(void **state)
{
    (void)state;
    fa_tensor *u = u8_of(10, 250), *mask = fa_to(fa_tensor_of(1, 0), FA_BOOL), *first = fa_tensor_of(0);
    HOLD(fa_masked_fill(u, mask, -1), 255, 250);
    HOLD(fa_masked_fill(u, mask, -255), 1, 250);
    HOLD(fa_masked_fill(u, mask, 2.7), 2, 250);
    HOLD(fa_masked_fill(u, mask, 255.5), 255, 250);
    HOLD(fa_index_fill(u, 0, first, -1), 255, 250);
    HOLD(fa_index_fill(u, 0, first, 2.7), 2, 250);
    HOLD(fa_full(FA_SHAPE(2), -1, .dtype = FA_U8), 255, 255);
    HOLD(fa_masked_fill(fa_to(u, FA_BOOL), mask, -0.5), 1, 1);
    HOLD(fa_index_fill(fa_zeros(FA_SHAPE(2), .dtype = FA_BOOL), 0, first, 300), 1, 0);
    HOLD(fa_masked_fill(u, mask, fa_full(FA_SCALAR, 2.75)), 2, 250);
    HOLD(fa_index_fill(u, 0, first, fa_full(FA_SCALAR, 2.75, .dtype = FA_F64)), 2, 250);
    HOLD(fa_masked_fill_(fa_to(u, FA_I64), mask, fa_full(FA_SCALAR, 2.75, .dtype = FA_F16)), 2, 250);
    HOLD(fa_masked_fill(fa_to(u, FA_F16), mask, fa_full(FA_SCALAR, 3, .dtype = FA_I64)), 3, 250);
    const double wrong[] = {-1.0, -0.5, 256.0, NAN, INFINITY};
    for (int i = 0; i < 5; i++) {
        assert_null(fa_masked_fill(u, mask, wrong[i]));
        FAILS(FA_ERROR_ARGUMENT, "fa_masked_fill(", "does not fit into u8");
        assert_null(fa_index_fill(u, 0, first, wrong[i]));
        FAILS(FA_ERROR_ARGUMENT, "fa_index_fill(", "does not fit into u8");
    }
    assert_null(fa_masked_fill(u, mask, -256));
    FAILS(FA_ERROR_ARGUMENT, "-256 does not fit into u8");
    assert_null(fa_masked_fill(u, mask, fa_ones(FA_SHAPE(1))));
    FAILS(FA_ERROR_SHAPE, "fa_masked_fill(", "value has 1 dimensions: it has to be a number or 0-dim");
    assert_null(fa_index_fill(u, 0, first, fa_ones(FA_SHAPE(1))));
    FAILS(FA_ERROR_SHAPE, "fa_index_fill(", "value has 1 dimensions: it has to be a number or 0-dim");
    assert_null(fa_masked_fill(u, u, 1));
    FAILS(FA_ERROR_DTYPE, "mask has to be bool");
}

/* Float to integer truncates. */
static void floats_to_integers(void **state)
{
    (void)state;
    HOLD(fa_to(fa_tensor_of(2.9, -2.9, 0.5, -0.5), FA_I64), 2, -2, 0, 0);
    HOLD(fa_to(fa_tensor_of(2.9, 200.7, 0.0, 0.5), FA_U8), 2, 200, 0, 0);
    HOLD(fa_to(fa_tensor_of(0.5, 0.0, -0.0, NAN), FA_BOOL), 1, 0, 0, 1);
}

/* ---- views and broadcasting ---- */

/* Basic indexing gives views. fa_view refuses what needs a copy; fa_reshape copies. 0 broadcasts with 1. */
static void views_and_copies(void **state)
{
    (void)state;
    fa_tensor *x = fa_reshape(fa_arange(0, 6), FA_SHAPE(2, 3)), *t = fa_t(x);
    fa_set(fa_get(x, "1, ::-1"), "0", 50);
    HOLD(x, 0, 1, 2, 3, 4, 50);
    assert_null(fa_view(t, FA_SHAPE(6)));
    FAILS(FA_ERROR_SHAPE, "fa_reshape");
    fa_tensor *r = fa_reshape(t, FA_SHAPE(6));
    fa_mul_(r, 0);
    HOLD(x, 0, 1, 2, 3, 4, 50);
    fa_mul_(fa_reshape(x, FA_SHAPE(6)), 0);
    HOLD(x, 0, 0, 0, 0, 0, 0);
    fa_tensor *e = fa_add(fa_zeros(FA_SHAPE(0, 3)), fa_zeros(FA_SHAPE(1, 3)));
    assert_true(fa_size(e, 0) == 0 && fa_size(e, 1) == 3);
    assert_null(fa_add(fa_zeros(FA_SHAPE(0)), fa_zeros(FA_SHAPE(2))));
    FAILS(FA_ERROR_SHAPE, "(0,)", "(2,)");
    assert_null(fa_view(fa_zeros(FA_SHAPE(0, 3)), FA_SHAPE(-1, 0)));
    FAILS(FA_ERROR_SHAPE, "-1");
}

/* ---- indexing ---- */

/* Slices as NumPy's, negative steps included, as views. */
static void slices_are_numpys(void **state)
{
    (void)state;
    fa_tensor *x = fa_arange(0, 6);
    HOLD(fa_get(x, "1:5:2"), 1, 3);
    HOLD(fa_get(x, "::-2"), 5, 3, 1);
    HOLD(fa_get(x, "-2:"), 4, 5);
    HOLD(fa_get(x, "4:1:-1"), 4, 3, 2);
    HOLD(fa_get(x, "-100:100"), 0, 1, 2, 3, 4, 5);
    HOLD(fa_get(x, "100:-100:-1"), 5, 4, 3, 2, 1, 0);
    assert_int_equal(fa_numel(fa_get(x, "4:1")), 0);
    assert_int_equal(fa_numel(fa_get(x, "1:4:-1")), 0);
    assert_int_equal(fa_stride(fa_get(x, "::-2"), 0), -2);
    HOLD(fa_get(x, "-1"), 5);
    assert_int_equal(fa_dim(fa_get(x, "..., None")), 2);
    assert_null(fa_get(x, "::0"));
    FAILS(FA_ERROR_INDEX, "step of 0");
    assert_null(fa_get(x, "0, 0"));
    FAILS(FA_ERROR_INDEX, "more entries");
    assert_null(fa_get(fa_full(FA_SCALAR, 1.0), "0"));
    FAILS(FA_ERROR_INDEX, "more entries");
    HOLD(x, 0, 1, 2, 3, 4, 5);
}

/* Index dtypes: all integers and bool, everywhere. */
static void index_dtypes(void **state)
{
    (void)state;
    const fa_dtype all[] = {FA_U8, FA_I8, FA_I16, FA_I32, FA_I64};
    fa_tensor *x = fa_tensor_of(5.0, 6.0, 7.0);
    for (int i = 0; i < 5; i++) {
        fa_tensor *index = fa_to(fa_tensor_of(2, 0), all[i]);
        HOLD(fa_index_select(x, 0, index), 7, 5);
        HOLD(fa_gather(x, 0, index), 7, 5);
        HOLD(fa_scatter_add(x, 0, index, x), 11, 6, 12);
        HOLD(fa_cross_entropy(fa_zeros(FA_SHAPE(2, 3)), index), log(3));
    }
    assert_null(fa_index_select(x, 0, x));
    FAILS(FA_ERROR_DTYPE, "f32");
}

/* Negative indices wrap in x[idx] ..., and are errors in gather, index_select, ... scatter. */
static void negative_indices(void **state)
{
    (void)state;
    fa_tensor *x = fa_tensor_of(5.0, 6.0, 7.0), *i = fa_tensor_of(-1);
    assert_null(fa_index_select(x, 0, i));
    FAILS(FA_ERROR_INDEX, "index_select", "-1", "3");
    assert_null(fa_gather(x, 0, i));
    FAILS(FA_ERROR_INDEX, "gather", "-1", "3");
    assert_null(fa_scatter_add(x, 0, i, x));
    FAILS(FA_ERROR_INDEX, "scatter_add", "-1", "3");
    HOLD(fa_get(x, "-1"), 7);
    assert_null(fa_cross_entropy(fa_zeros(FA_SHAPE(2, 3)), fa_tensor_of(-1, 0)));
    FAILS(FA_ERROR_INDEX, "-1", "3");
}

/* ---- reductions, NaN ---- */

/* Sums of bool or integers give i64; mean ... of integers are errors. */
static void sums_of_integers(void **state)
{
    (void)state;
    fa_tensor *u = u8_of(250, 250), *b = fa_ones(FA_SHAPE(3), .dtype = FA_BOOL);
    assert_int_equal(fa_tensor_dtype(fa_sum(u)), FA_I64);
    assert_int_equal(fa_item_int(fa_sum(u)), 500);
    assert_int_equal(fa_tensor_dtype(fa_sum(b)), FA_I64);
    assert_int_equal(fa_item_int(fa_sum(b)), 3);
    assert_null(fa_mean(u));
    FAILS(FA_ERROR_DTYPE, "fa_mean", "u8");
    assert_null(fa_var(u));
    FAILS(FA_ERROR_DTYPE, "u8");
    HOLD(fa_mean(u, .dtype = FA_F32), 250);
}

/* Empty: sum 0, ..., mean NaN, ...; max is an error only when the dimension it reduces is empty. */
static void of_nothing(void **state)
{
    (void)state;
    fa_tensor *e = fa_zeros(FA_SHAPE(0, 3));
    HOLD(fa_sum(e), 0);
    HOLD(fa_sum(e, .dim = 0), 0, 0, 0);
    assert_int_equal(fa_numel(fa_sum(e, .dim = 1)), 0);
    HOLD(fa_mean(e), NAN);
    HOLD(fa_mean(e, .dim = 0), NAN, NAN, NAN);
    assert_null(fa_max(e, 0).values);
    FAILS(FA_ERROR_SHAPE, "fa_max", "empty");
    assert_int_equal(fa_numel(fa_max(e, 1).values), 0);
    assert_null(fa_argmax(e));
    FAILS(FA_ERROR_SHAPE, "fa_argmax");
    assert_null(fa_argmax(e, .dim = 0));
    FAILS(FA_ERROR_SHAPE, "fa_argmax");
    assert_int_equal(fa_numel(fa_argmax(e, .dim = 1)), 0);
    HOLD(fa_sum(fa_softmax(e, 0)), 0);
}

/* the sum of f16 is f16 (70,000 ones give inf), its mean is computed in f32. */
static void sums_of_f16(void **state)
{
    (void)state;
    fa_tensor *x = fa_ones(FA_SHAPE(70000), .dtype = FA_F16);
    assert_int_equal(fa_tensor_dtype(fa_sum(x)), FA_F16);
    HOLD(fa_sum(x), INFINITY);
    HOLD(fa_sum(x, .dtype = FA_F32), 70000);
    assert_int_equal(fa_tensor_dtype(fa_mean(x)), FA_F16);
    HOLD(fa_mean(x), 1);
}

/* std and var use correction 1; one element gives NaN. */
static void variance(void **state)
{
    (void)state;
    HOLD(fa_var(fa_tensor_of(1.0, 2.0, 4.0)), 7.0 / 3);
    HOLD(fa_var(fa_tensor_of(1.0, 2.0, 4.0), .correction = 0), 14.0 / 9);
    HOLD(fa_var(fa_tensor_of(1.0)), NAN);
    HOLD(fa_var(fa_tensor_of(1.0), .correction = 0), 0);
}

static fa_tensor *gradient_of_std(fa_tensor *values, fa_dtype dtype)
{
    fa_tensor *x = fa_clone(fa_to(values, dtype));
    fa_set_requires_grad(x, true);
    return fa_to(fa_grad_of(FA_TENSORS(fa_std(x)), FA_TENSORS(x)).item[0], FA_F64);
}

/* One element far from all others, the first even, is no reason to be coarse, nor is a large mean. The gradient of
 * halves is made in f32: distances may be beyond them. */
static void gradients_of_deviations(void **state)
{
    (void)state;
    const fa_dtype halves[] = {FA_F16, FA_BF16};
    for (int k = 0; k < 2; k++) {
        FA_USE(.device = DEVICE(k));
        HOLD(gradient_of_std(fa_tensor_of(40000, -40000), FA_F16), 0.70703125, -0.70703125);
        fa_tensor *values = fa_tile(fa_tensor_of(0.5, 1.5), FA_SHAPE(500));
        fa_set(values, "0", 1024);
        fa_tensor *have = gradient_of_std(values, halves[k]), *want = gradient_of_std(values, FA_F64);
        assert_true(fa_allclose(have, want, .rtol = 0x1p-7, .atol = 0));
        values = fa_tile(fa_tensor_of(0.3, 1.7), FA_SHAPE(500));
        fa_set(values, "0", 1e6);
        have = gradient_of_std(values, FA_F32), want = gradient_of_std(values, FA_F64);
        assert_true(fa_allclose(have, want, .rtol = 0x1p-18, .atol = 0));
        fa_add_(values, 1e6);
        have = gradient_of_std(values, FA_F32), want = gradient_of_std(values, FA_F64);
        assert_true(fa_allclose(have, want, .rtol = 0x1p-16, .atol = 0));
    }
}

/* max, ..., argmax, ..., maximum, relu, ... pass NaN on. Ties: argmax, max(dim) give the first index (or the first
 * NaN). */
static void nan_and_ties(void **state)
{
    (void)state;
    fa_tensor *x = fa_tensor_of(1.0, NAN, 3.0, NAN), *t = fa_tensor_of(1.0, 3.0, 3.0);
    HOLD(fa_max(x, 0).values, NAN);
    HOLD(fa_max(x, 0).indices, 1);
    HOLD(fa_argmax(x), 1);
    HOLD(fa_maximum(x, fa_tensor_of(NAN, 1.0, 4.0, NAN)), NAN, NAN, 4, NAN);
    HOLD(fa_minimum(x, 0.0), 0, NAN, 0, NAN);
    HOLD(fa_relu(x), 1, NAN, 3, NAN);
    HOLD(fa_clamp(x, 2, 2.5), 2, NAN, 2.5, NAN);
    HOLD(fa_max(t, 0).indices, 1);
    HOLD(fa_argmax(t), 1);
    HOLD(fa_argmax(fa_get(t, "::-1")), 0);
    fa_tensor *many = fa_zeros(FA_SHAPE(5000));
    fa_set(many, "2049", 1);
    fa_set(many, "4098", 1);
    HOLD(fa_argmax(many), 2049);
    fa_set(many, "3333", NAN);
    HOLD(fa_argmax(many), 3333);
    HOLD(fa_max(many, 0).indices, 3333);
}

/* Gradients of ties: ... max(dim) gives it to one index; clamp gives 0 at scalar bounds and for NaN, one half at tensor
 * bounds; relu gives 0 at 0 and passes NaN. */
static void gradients_of_ties(void **state)
{
    (void)state;
    fa_tensor *x = LEAF(1, 3, 3), *y = LEAF(-1, 0, 1, NAN), *a = LEAF(1, 3), *b = LEAF(1, 2);
    assert_true(fa_backward(fa_max(x, 0).values));
    HOLD(fa_grad(x), 0, 1, 0);
    assert_true(fa_backward(fa_sum(fa_clamp(y, 0, 1))));
    HOLD(fa_grad(y), 0, 0, 0, 0);
    fa_set_grad(y, NULL);
    fa_tensor *low = LEAF(0, 0, 0, 0), *high = LEAF(1, 1, 1, 1);
    assert_true(fa_backward(fa_sum(fa_clamp(fa_get(y, ":3"), fa_get(low, ":3"), fa_get(high, ":3")))));
    HOLD(fa_grad(y), 0, 0.5, 0.5, 0);
    HOLD(fa_grad(low), 1, 0.5, 0, 0);
    HOLD(fa_grad(high), 0, 0, 0.5, 0);
    fa_set_grad(y, NULL);
    assert_true(fa_backward(fa_sum(fa_relu(y))));
    HOLD(fa_grad(y), 0, 0, 1, 1);
    assert_true(fa_backward(fa_sum(fa_maximum(a, b))));
    HOLD(fa_grad(a), 0.5, 1);
    HOLD(fa_grad(b), 0.5, 0);
}

/* The gradient of what the gradients of y add up to, each element with a weight of its own. */
static fa_tensor *second_gradient(fa_tensor *y, fa_tensor *x)
{
    fa_tensor *g = fa_grad_of(FA_TENSORS(y), FA_TENSORS(x), .create_graph = true).item[0];
    fa_tensor *sum = fa_sum(fa_mul(g, fa_arange(1, (double)fa_numel(g) + 1)));
    return fa_grad_of(FA_TENSORS(sum), FA_TENSORS(x)).item[0];
}

/* [better: PyTorch refuses] a product by an index has second gradients wherever zeros are */
static void second_gradients_of_products(void **state)
{
    (void)state;
    const double values[][4] = {{5, 0, 0, 3}, {0, 0, 2, 3}, {0, 0, 0, 3}, {5, 0, 0, 0},
                                {0, 0, 0, 0}, {5, 2, 3, 4}, {2, 0, 3, 4}};
    for (size_t k = 0; k < sizeof values / sizeof *values; k++) {
        FA_SCOPE;
        FA_USE(.device = DEVICE(0));
        fa_tensor *x = fa_tensor_from(values[k], FA_SHAPE(4), .dtype = FA_F64, .requires_grad = true);
        fa_tensor *at = fa_zeros(FA_SHAPE(3), .dtype = FA_I64);
        fa_tensor *y = fa_scatter_reduce(fa_narrow(x, 0, 0, 1), 0, at, fa_narrow(x, 0, 1, 3), "prod");
        fa_tensor *have = second_gradient(y, x), *want = second_gradient(fa_prod(x), x);
        assert_true(have && want && fa_item(fa_amax(fa_abs(fa_sub(have, want)))) < 1e-9);
    }
}

/* clamp with min > max gives max. */
static void clamp_with_crossed_bounds(void **state)
{
    (void)state;
    HOLD(fa_clamp(fa_tensor_of(1.0, 2.5, 5.0), 3, 2), 2, 2, 2);
}

/* As PyTorch's: a tie with one of two bounds is halved, with two equal bounds x has the whole gradient; below equal
 * bounds the lower one has it; where something is NaN, what compares as true. */
static void gradients_of_clamp(void **state)
{
    (void)state;
    static const struct {
        double x, low, high, gx, glow, ghigh;
    } rows[] = {
        {1, 0, 2, 1, 0, 0},         {0, 1, 2, 0, 1, 0},
        {3, 1, 2, 0, 0, 1},         {1, 1, 2, 0.5, 0.5, 0},
        {2, 1, 2, 0.5, 0, 0.5},     {1, 1, 1, 1, 0, 0},
        {0, 1, 1, 0, 1, 0},         {2, 1, 1, 0, 0, 1},
        {1, 2, 0, 0, 0, 1},         {2, 2, 0, 0, 0, 1},
        {0, 2, 0, 0, 0, 1},         {NAN, 0, 1, 1, 0, 0},
        {0.5, NAN, 1, 1, 0, 0},     {0.5, 0, NAN, 1, 0, 0},
        {1, NAN, 1, 1, 0, 0},       {0, 1, NAN, 0, 0, 0},
        {2, NAN, 1, 0, 0, 0},       {NAN, 1, 0, 1, 0, 1},
        {NAN, NAN, NAN, 1, 0, 0},   {INFINITY, 0, 1, 0, 0, 1},
        {-INFINITY, 0, 1, 0, 1, 0}, {0, 0, INFINITY, 0.5, 0.5, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        FA_SCOPE;
        fa_tensor *x = LEAF(rows[i].x), *low = LEAF(rows[i].low), *high = LEAF(rows[i].high);
        fa_tensor *y = fa_clamp(x, low, high), *seed = LEAF(3);
        fa_tensors g =
            fa_grad_of(FA_TENSORS(y), FA_TENSORS(x, low, high), .grad_outputs = FA_TENSORS(seed), .create_graph = true);
        HOLD(g.item[0], 3 * rows[i].gx);
        HOLD(g.item[1], 3 * rows[i].glow);
        HOLD(g.item[2], 3 * rows[i].ghigh);
        for (int k = 0; k < 3; k++)
            HOLD(fa_grad_of(FA_TENSORS(g.item[k]), FA_TENSORS(seed), .retain_graph = true).item[0],
                 k == 0   ? rows[i].gx
                 : k == 1 ? rows[i].glow
                          : rows[i].ghigh);
        assert_true(fa_backward(fa_sum(fa_clamp(fa_add(x, fa_zeros(FA_SHAPE(2, 2))), low, 100))));
        HOLD(fa_grad(low), !(rows[i].x <= rows[i].low) ? 0 : rows[i].x < rows[i].low ? 4 : 2);
    }
}

/* Softmax of a row of -inf is NaN */
static void softmax_of_nothing(void **state)
{
    (void)state;
    fa_tensor *x = fa_full(FA_SHAPE(2, 2), -INFINITY);
    fa_set(x, "1", fa_tensor_of(0.0, -INFINITY));
    HOLD(fa_softmax(x, 1), NAN, NAN, 1, 0);
    HOLD(fa_softmax(fa_tensor_of(1000.0, 1000.0), 0), 0.5, 0.5);
    HOLD(fa_log_softmax(fa_tensor_of(0.0, -INFINITY), 0), 0, -INFINITY);
}

/* (true division gives inf or NaN) */
static void division_by_zero(void **state)
{
    (void)state;
    HOLD(fa_div(fa_tensor_of(1, -1, 0), 0), INFINITY, -INFINITY, NAN);
    HOLD(fa_div(fa_tensor_of(1.0, -1.0, 0.0), 0), INFINITY, -INFINITY, NAN);
}

/* ---- losses ---- */

static fa_tensor *logits(void)
{
    const float v[] = {1, 2, 3, 1, 0, 1, 2, 2, 0};
    return fa_tensor_from(v, FA_SHAPE(3, 3));
}

/* cross_entropy's mean divides by the sum of the weights of the targets that count; ignore_index is -100 */
static void means_of_cross_entropy(void **state)
{
    (void)state;
    fa_tensor *w = fa_tensor_of(1.0, 2.0, 4.0);
    double l[3] = {2 + log(1 + exp(-1) + exp(-2)) + 1 - 1, log(2 + exp(-1)), 0};
    HOLD(fa_cross_entropy(logits(), fa_tensor_of(0, 2, -100), .weight = w), (1 * l[0] + 4 * l[1]) / 5);
    HOLD(fa_cross_entropy(logits(), fa_tensor_of(0, 2, -100)), (l[0] + l[1]) / 2);
    HOLD(fa_cross_entropy(logits(), fa_tensor_of(0, 2, -100), .reduction = FA_SUM), l[0] + l[1]);
    HOLD(fa_cross_entropy(logits(), fa_tensor_of(0, 2, -100), .reduction = FA_NONE), l[0], l[1], 0);
    HOLD(fa_cross_entropy(fa_get(logits(), ":2"), fa_tensor_of(1, 2), .ignore_index = 1), l[1]);
}

/* The loss of what is ignored is 0 whatever the logits are, and weights or not. */
static void cross_entropy_ignores_nan(void **state)
{
    (void)state;
    for (int weighted = 0; weighted < 2; weighted++)
        for (int smooth = 0; smooth < 2; smooth++) {
            const double v[] = {1, 2, NAN, 0}, loss = log(1 + exp(-1)) + (smooth ? 0.25 : 0);
            fa_tensor *x = fa_tensor_from(v, FA_SHAPE(2, 2), .dtype = FA_F64), *target = fa_tensor_of(1, -100);
            fa_tensor *w = weighted ? fa_ones(FA_SHAPE(2), .dtype = FA_F64) : NULL;
            double s = smooth ? 0.5 : 0;
            HOLD(fa_cross_entropy(x, target, .weight = w, .label_smoothing = s), loss);
            HOLD(fa_cross_entropy(x, target, .weight = w, .label_smoothing = s, .reduction = FA_SUM), loss);
            HOLD(fa_cross_entropy(x, target, .weight = w, .label_smoothing = s, .reduction = FA_NONE), loss, 0);
            fa_tensor *finite = LEAF(1, 2), *none = fa_tensor_of(-100);
            assert_true(fa_backward(
                fa_cross_entropy(fa_reshape(finite, FA_SHAPE(1, 2)), none, .weight = w, .label_smoothing = s)));
            HOLD(fa_grad(finite), 0, 0);
        }
}

/* all ignored, or empty, is NaN */
static void cross_entropy_of_nothing(void **state)
{
    (void)state;
    HOLD(fa_cross_entropy(logits(), fa_tensor_of(-100, -100, -100)), NAN);
    HOLD(fa_cross_entropy(fa_zeros(FA_SHAPE(0, 3)), fa_zeros(FA_SHAPE(0), .dtype = FA_I64)), NAN);
    HOLD(fa_cross_entropy(logits(), fa_tensor_of(-100, -100, -100), .reduction = FA_SUM), 0);
}

/* probability targets divide by N */
static void cross_entropy_of_probabilities(void **state)
{
    (void)state;
    const float p[] = {0.2f, 0.3f, 0.5f, 1, 0, 0};
    fa_tensor *x = fa_get(logits(), ":2"), *q = fa_tensor_from(p, FA_SHAPE(2, 3)), *w = fa_tensor_of(1.0, 2.0, 4.0);
    double wanted = 1.5016;
    assert_true(fabs(fa_item(fa_cross_entropy(x, q, .weight = w)) - wanted) < 1e-4);
    assert_null(fa_cross_entropy(x, fa_get(q, ":, :2")));
    FAILS(FA_ERROR_SHAPE, "probabilities");
    assert_null(fa_cross_entropy(x, fa_tensor_of(0, 1, 2)));
    FAILS(FA_ERROR_SHAPE, "target");
}

/* The gradient of what is ignored is 0, also where the logits are infinite. */
static void the_gradient_of_what_is_ignored(void **state)
{
    (void)state;
    fa_tensor *x = fa_zeros(FA_SHAPE(2, 2), .requires_grad = true);
    assert_true(fa_backward(fa_cross_entropy(x, fa_tensor_of(-100, 1))));
    HOLD(fa_grad(x), 0, 0, 0.5, -0.5);
}

/* mse_loss broadcasts [better: an error]. */
static void mse_loss_does_not_broadcast(void **state)
{
    (void)state;
    assert_null(fa_mse_loss(fa_ones(FA_SHAPE(3)), fa_zeros(FA_SHAPE(1))));
    FAILS(FA_ERROR_SHAPE, "fa_mse_loss", "(3,)", "(1,)");
    HOLD(fa_mse_loss(fa_tensor_of(1.0, 3.0), fa_tensor_of(0.0, 0.0)), 5);
    HOLD(fa_mse_loss(fa_zeros(FA_SHAPE(0)), fa_zeros(FA_SHAPE(0))), NAN);
}

/* As PyTorch's: sign is 0 at NaN and at both zeros, and so is abs's gradient. */
static void the_sign_of_nan_is_0(void **state)
{
    (void)state;
    static const fa_dtype dtypes[] = {FA_F32, FA_F64, FA_F16, FA_BF16};
    for (size_t i = 0; i < sizeof dtypes / sizeof *dtypes; i++)
        for (int late = 0; late < 2; late++) {
            FA_SCOPE;
            fa_tensor *x = fa_to(fa_tensor_of((double)NAN, -0.0, 0.0, -2.0, 3.0, -INFINITY), dtypes[i]);
            x = late ? fa_to(x, DEVICE(0)) : x;
            fa_set_requires_grad(x, true);
            fa_tensor *s = fa_pointwise("sign(x)", x);
            HOLD(s, 0, 0, 0, -1, 1, -1);
            HOLD(fa_pointwise("1 / x", s), INFINITY, INFINITY, INFINITY, -1, 1, -1);
            assert_true(fa_backward(fa_sum(fa_abs(x))));
            HOLD(fa_grad(x), 0, 0, 0, -1, 1, -1);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(in_place_into_a_lower_category),
        TEST(narrow_integers_wrap_between_operations),
        TEST(out_of_another_dtype),
        TEST(numbers_are_cast_when_stored),
        TEST(products_do_not_promote),
        TEST(minus_of_bool),
        TEST(values_of_a_higher_category),
        TEST(numbers_beyond_the_dtype),
        TEST(numbers_that_are_written),
        TEST(floats_to_integers),
        TEST(the_sign_of_nan_is_0),
        TEST(views_and_copies),
        TEST(slices_are_numpys),
        TEST(index_dtypes),
        TEST(negative_indices),
        TEST(sums_of_integers),
        TEST(of_nothing),
        TEST(sums_of_f16),
        TEST(variance),
        TEST(gradients_of_deviations),
        TEST(nan_and_ties),
        TEST(gradients_of_ties),
        TEST(second_gradients_of_products),
        TEST(clamp_with_crossed_bounds),
        TEST(gradients_of_clamp),
        TEST(softmax_of_nothing),
        TEST(division_by_zero),
        TEST(means_of_cross_entropy),
        TEST(cross_entropy_ignores_nan),
        TEST(cross_entropy_of_nothing),
        TEST(cross_entropy_of_probabilities),
        TEST(the_gradient_of_what_is_ignored),
        TEST(mse_loss_does_not_broadcast),
    };
    return cmocka_run_group_tests_name("semantics_values", tests, NULL, NULL);
}
