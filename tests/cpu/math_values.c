/* Mathematics where it is defined by words: integers divided by 0, shifts out of range, zeros with signs, ends of
 * functions, and what is refused. Numbers that are not plain are PyTorch 2.15's. */
#include "core/ssa.h"
#include "support/autograd_test.h"
#include "ulp/measure.h"

static fa_tensor *as(fa_dtype d, fa_tensor *t)
{
    return fa_to(t, d);
}

/* ---- integers ---- */

static const fa_dtype integers[] = {FA_I8, FA_I16, FA_I32, FA_I64};

static void integers_divide_downwards(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        fa_tensor *x = as(integers[i], fa_tensor_of(7, -7, 7, -7, 6)),
                  *y = as(integers[i], fa_tensor_of(2, 2, -2, -2, -3));
        HOLD(fa_floor_divide(x, y), 3, -4, -4, 3, -2);
        HOLD(fa_remainder(x, y), 1, 1, -1, -1, 0);
        HOLD(fa_fmod(x, y), 1, -1, 1, -1, 0);
        assert_int_equal(fa_tensor_dtype(fa_floor_divide(x, y)), integers[i]);
    }
    HOLD(fa_floor_divide(as(FA_I8, fa_tensor_of(-128)), -1), -128);
    HOLD(fa_trunc_divide(as(FA_I8, fa_tensor_of(-128)), -1), -128);
    HOLD(fa_trunc_divide(fa_tensor_of(INT64_MIN), -1), (double)INT64_MIN);
    HOLD(fa_trunc_divide(fa_tensor_of(INT64_MIN, INT64_MAX), 10), -922337203685477580.0, 922337203685477580.0);
    HOLD(fa_trunc_divide(as(FA_U8, fa_tensor_of(200, 255)), 7), 28, 36);
    HOLD(fa_trunc_divide(fa_tensor_of(7, -7, 7, -7), fa_tensor_of(2, 2, -2, -2)), 3, -3, -3, 3);
    HOLD(fa_trunc_divide(as(FA_F64, fa_tensor_of(1.0)), 0.1), 10);
    HOLD(fa_remainder(as(FA_I32, fa_tensor_of(INT32_MIN)), -1), 0);
    HOLD(fa_floor_divide(fa_tensor_of(INT64_MIN), -1), (double)INT64_MIN);
    HOLD(fa_floor_divide(as(FA_U8, fa_tensor_of(200, 255)), 7), 28, 36);
    HOLD(fa_pointwise("remainder(x + y, 100)", as(FA_U8, fa_tensor_of(200)), as(FA_U8, fa_tensor_of(100))), 44);
}

static void shifts_out_of_range(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        int bits = 8 << i;
        fa_tensor *x = as(integers[i], fa_tensor_of(100, -100, 1, -1)),
                  *y = as(integers[i], fa_tensor_of(bits, bits, -1, -1));
        HOLD(fa_bitwise_left_shift(x, y), 0, 0, 0, 0);
        HOLD(fa_bitwise_right_shift(x, y), 0, -1, 0, -1);
        HOLD(fa_bitwise_right_shift(x, as(integers[i], fa_tensor_of(2, 2, 0, 1))), 25, -25, 1, -1);
    }
    HOLD(fa_bitwise_left_shift(as(FA_I8, fa_tensor_of(100, -128, 1)), as(FA_I8, fa_tensor_of(1, 1, 7))), -56, 0, -128);
    HOLD(fa_bitwise_right_shift(as(FA_U8, fa_tensor_of(200, 200)), as(FA_U8, fa_tensor_of(3, 8))), 25, 0);
    HOLD(fa_pointwise("shift_right(x + y, 1)", as(FA_U8, fa_tensor_of(200)), as(FA_U8, fa_tensor_of(100))), 22);
}

static void bits_and_divisors(void **state)
{
    (void)state;
    fa_tensor *b = as(FA_BOOL, fa_tensor_of(0, 1));
    HOLD(fa_bitwise_not(b), 1, 0);
    assert_int_equal(fa_tensor_dtype(fa_bitwise_not(b)), FA_BOOL);
    HOLD(fa_bitwise_not_(fa_clone(b)), 1, 0);
    HOLD(fa_bitwise_xor(b, true), 1, 0);
    HOLD(fa_bitwise_not(as(FA_U8, fa_tensor_of(200, 0))), 55, 255);
    HOLD(fa_gcd(as(FA_I8, fa_tensor_of(-128, 12, 0, -18)), as(FA_I8, fa_tensor_of(0, -18, 0, 12))), -128, 6, 0, 6);
    HOLD(fa_lcm(as(FA_I8, fa_tensor_of(-4, 0, 100)), as(FA_I8, fa_tensor_of(6, 3, 3))), 12, 0, 44);
    HOLD(fa_gcd(fa_tensor_of(INT64_MAX - 1), fa_tensor_of(INT64_C(6))), 6);
}

static void floats_have_no_bits(void **state)
{
    (void)state;
    fa_tensor *x = fa_tensor_of(1.0, 2.0), *i = fa_tensor_of(1, 2);
    assert_null(fa_bitwise_and(x, i));
    FAILS(FA_ERROR_DTYPE, "fa_bitwise_and", "integers and bool", "f32");
    assert_null(fa_bitwise_left_shift(i, 1.5));
    FAILS(FA_ERROR_DTYPE, "fa_bitwise_left_shift", "f32");
    assert_null(fa_pointwise("bit_or(x, 1)", x));
    FAILS(FA_ERROR_DTYPE, "integers and bool");
    fa_binding both[] = {{.name = "x", .tensors = FA_TENSORS(x)}};
    assert_false(fa_update("x = bit_or(x, 1)", 1, both));
    FAILS(FA_ERROR_DTYPE, "fa_update", "is of integers");
    assert_null(fa_pointwise("bit_or(x, 1) / 2", i));
    FAILS(FA_ERROR_ARGUMENT, "'bit_or' is of integers");
}

static void rounding_to_digits(void **state)
{
    (void)state;
    HOLD(fa_round(fa_tensor_of(0.5, 1.5, -2.5, 3.49)), 0, 2, -2, 3);
    HOLD(fa_round(fa_tensor_of(1.25, -1.35), .decimals = 1), 1.2f, -1.4f);
    HOLD(fa_round(fa_tensor_of(125.0, 175.0), .decimals = -1), 120, 180);
    HOLD(fa_round(fa_tensor_of(125, -135, 149, 5), .decimals = -1), 120, -140, 150, 0);
    HOLD(fa_round(fa_tensor_of(125, 5), .decimals = 3), 125, 5);
    HOLD(fa_round(fa_tensor_of(51, 49, -51), .decimals = -2), 100, 0, -100);
    HOLD(fa_round(as(FA_I32, fa_tensor_of(INT32_MAX)), .decimals = -10), 0);
    HOLD(fa_round(fa_tensor_of(INT64_MAX), .decimals = -30), 0);
    HOLD(fa_floor(as(FA_I16, fa_tensor_of(-3, 3))), -3, 3);
    assert_int_equal(fa_tensor_dtype(fa_ceil(as(FA_I16, fa_tensor_of(1)))), FA_I16);
    assert_null(fa_round(fa_tensor_of(1.0), .decimals = 0.5));
    FAILS(FA_ERROR_ARGUMENT, "decimals");
}

/* ---- floats ---- */

/* Whether the elements are those numbers, NaN and the signs of zeros too. */
static void exactly(const fa_tensor *t, const double *want, int n)
{
    double have[16];
    assert_non_null(t);
    assert_true(fa_read(t, have, FA_F64, n));
    for (int i = 0; i < n; i++)
        if (isnan(have[i]) != isnan(want[i])
            || (!isnan(want[i]) && (have[i] != want[i] || signbit(have[i]) != signbit(want[i]))))
            fail_msg("element %d is %g, not %g", i, have[i], want[i]);
}
#define EXACTLY(t, ...)                                                                                                \
    exactly(t, (const double[]){__VA_ARGS__}, sizeof((const double[]){__VA_ARGS__}) / sizeof(double))

static void quotients_at_their_ends(void **state)
{
    (void)state;
    for (int d = FA_F32; d <= FA_F64; d++) {
        fa_tensor *x = as((fa_dtype)d, fa_tensor_of(1.0, -1.0, 0.0, INFINITY, -1.0, -0.0, 4.0, -4.0, NAN));
        fa_tensor *y = as((fa_dtype)d, fa_tensor_of(0.0, 0.0, 0.0, 2.0, INFINITY, 2.0, -2.0, 2.0, 1.0));
        EXACTLY(fa_floor_divide(x, y), INFINITY, -INFINITY, NAN, NAN, -1, -0.0, -2, -2, NAN);
        EXACTLY(fa_remainder(x, y), NAN, NAN, NAN, NAN, INFINITY, -0.0, 0, -0.0, NAN);
        EXACTLY(fa_fmod(x, y), NAN, NAN, NAN, NAN, -1, -0.0, 0, -0.0, NAN);
    }
    HOLD(fa_floor_divide(as(FA_F64, fa_tensor_of(1.0)), 0.1), 9);
    static const double large[] = {0x1p1023, 5e-324, 0x1.8p700}, small[] = {3, 3, 5e-324};
    fa_tensor *x = fa_tensor_from(large, FA_SHAPE(3), .dtype = FA_F64);
    EXACTLY(fa_fmod(x, fa_tensor_from(small, FA_SHAPE(3), .dtype = FA_F64)), 2, 5e-324, 0);
    EXACTLY(fa_remainder(fa_tensor_of(-1e30f, 1e30f), fa_tensor_of(11.0f, -7.0f)), 11 + fmod(-(double)1e30f, 11),
            fmod((double)1e30f, 7) - 7);
}

static void ends_of_functions(void **state)
{
    (void)state;
    for (int d = FA_F32; d <= FA_F64; d++) {
        fa_dtype t = (fa_dtype)d;
        fa_tensor *zeros = as(t, fa_tensor_of(0.0, -0.0)), *ends = as(t, fa_tensor_of(1.0, -1.0, 1.5, NAN));
        fa_tensor *infinite = as(t, fa_tensor_of(INFINITY, -INFINITY));
        EXACTLY(fa_expm1(zeros), 0, -0.0);
        EXACTLY(fa_log1p(zeros), 0, -0.0);
        EXACTLY(fa_sinh(zeros), 0, -0.0);
        EXACTLY(fa_asinh(zeros), 0, -0.0);
        EXACTLY(fa_atanh(zeros), 0, -0.0);
        EXACTLY(fa_tan(zeros), 0, -0.0);
        EXACTLY(fa_asin(zeros), 0, -0.0);
        EXACTLY(fa_atan(zeros), 0, -0.0);
        EXACTLY(fa_erfinv(zeros), 0, -0.0);
        EXACTLY(fa_digamma(zeros), -INFINITY, INFINITY);
        EXACTLY(fa_lgamma(zeros), INFINITY, INFINITY);
        EXACTLY(fa_erfinv(ends), INFINITY, -INFINITY, NAN, NAN);
        EXACTLY(fa_atanh(ends), INFINITY, -INFINITY, NAN, NAN);
        EXACTLY(fa_digamma(as(t, fa_tensor_of(-1.0, -7.0, -INFINITY, INFINITY))), NAN, NAN, NAN, INFINITY);
        EXACTLY(fa_lgamma(as(t, fa_tensor_of(-1.0, 1.0, 2.0, -INFINITY))), INFINITY, 0, 0, INFINITY);
        EXACTLY(fa_expm1(infinite), INFINITY, -1);
        EXACTLY(fa_exp2(infinite), INFINITY, 0);
        EXACTLY(fa_asinh(infinite), INFINITY, -INFINITY);
        EXACTLY(fa_acosh(as(t, fa_tensor_of(1.0, 0.5, -1e8, INFINITY))), 0, NAN, NAN, INFINITY);
        EXACTLY(fa_erfc(infinite), 0, 2);
        EXACTLY(fa_hypot(infinite, as(t, fa_tensor_of(NAN, NAN))), INFINITY, INFINITY);
        EXACTLY(fa_exp2(as(t, fa_tensor_of(-3.0, 10.0))), 0.125, 1024);
        EXACTLY(fa_log2(as(t, fa_tensor_of(0.125, 1024.0, 0.0, -1.0))), -3, 10, -INFINITY, NAN);
        EXACTLY(fa_log10(as(t, fa_tensor_of(1000.0, 0.0, 1.0))), 3, -INFINITY, 0);
        EXACTLY(fa_atan2(zeros, as(t, fa_tensor_of(1.0, 1.0))), 0, -0.0);
        EXACTLY(fa_copysign(ends, -0.0), -1, -1, -1.5, NAN);
        EXACTLY(fa_signbit(zeros), 0, 1);
        EXACTLY(fa_sign(ends), 1, -1, 1, 0);
        EXACTLY(fa_logaddexp(infinite, infinite), INFINITY, -INFINITY);
        EXACTLY(fa_xlogy(zeros, as(t, fa_tensor_of(INFINITY, NAN))), 0, NAN);
        EXACTLY(fa_heaviside(as(t, fa_tensor_of(-2.0, 0.0, 2.0, NAN)), 0.5), 0, 0.5, 1, 0);
        EXACTLY(fa_nextafter(as(t, fa_tensor_of(1.0, 0.0)), as(t, fa_tensor_of(1.0, -0.0))), 1, -0.0);
    }
    EXACTLY(fa_nextafter(fa_tensor_of(1.0f, 0.0f), fa_tensor_of(2.0f, -1.0f)), 1 + 0x1p-23, -0x1p-149);
    EXACTLY(fa_nan_to_num(as(FA_F16, fa_tensor_of(NAN, INFINITY, -INFINITY))), 0, 65504, -65504);
}

/* Relative to the result where it crosses 0 at a number, and polygamma, of which ulp/measure.h has no table. */
static void gamma_near_its_zeros(void **state)
{
    (void)state;
    static double x[4096], got[4096];
    uint64_t random = 4242;
    for (int i = 0; i < 4096; i++)
        x[i] = (i & 1 ? 1 : 2) * (1 + ldexp((double)(int64_t)draw(&random), -64 - (int)(draw(&random) % 40)));
    fa__cpu_simd->of[FA__CLASS_F64]->prim[FA__PRIM_lgamma](got, x, NULL, NULL, 4096);
    for (int i = 0; i < 4096; i++) {
        long double want = log_gammal((long double)x[i]);
        if (!(fabsl((long double)got[i] - want) <= 8 * unit(want, 53, -1074)))
            fail_msg("lgamma(%.17g) is %.17g, not %.17Lg", x[i], got[i], want);
    }
}

static void polygamma_by_its_sum(void **state)
{
    (void)state;
    static double n[4096], x[4096], got[4096];
    uint64_t random = 777;
    for (int i = 0; i < 4096; i++) {
        n[i] = i % 5;
        x[i] = ldexp((double)(int64_t)draw(&random), -62 + (int)(draw(&random) % 6));
        x[i] = i % 3 ? fabs(x[i]) : x[i];
    }
    fa__cpu_simd->of[FA__CLASS_F64]->prim[FA__PRIM_polygamma](got, n, x, NULL, 4096);
    for (int i = 0; i < 4096; i++) {
        long double want = psi(n[i], (long double)x[i]), size = fabsl(want);
        if (x[i] < 0) /* what is added may cancel */
            size += powl(3.14159L / fabsl(sinl(3.141592653589793238L * (x[i] - roundl(x[i])))), n[i] + 1) * 6;
        if (!(fabsl((long double)got[i] - want) <= 1e-13L * (1e-2L + size)))
            fail_msg("polygamma(%g, %.17g) is %.17g, not %.17Lg", n[i], x[i], got[i], want);
    }
    double far = -1.5, five = 5, whole = 0.5, y;
    fa__cpu_simd->of[FA__CLASS_F64]->prim[FA__PRIM_polygamma](&y, &five, &far, NULL, 1);
    assert_true(isnan(y));
    fa__cpu_simd->of[FA__CLASS_F64]->prim[FA__PRIM_polygamma](&y, &whole, &five, NULL, 1);
    assert_true(isnan(y));
}

/* ---- tests of whole tensors, and activations ---- */

static void infinities_are_close(void **state)
{
    (void)state;
    HOLD(fa_isclose(fa_tensor_of(INFINITY, INFINITY, -INFINITY), fa_tensor_of(INFINITY, 1e30, INFINITY)), 1, 0, 0);
}

static void random_slopes(void **state)
{
    (void)state;
    fa_tensor *x = fa_full(FA_SHAPE(1000), -1.0, .requires_grad = true);
    fa_manual_seed(7);
    fa_tensor *y = fa_rrelu(x, .lower = 0.25, .upper = 0.5, .training = true);
    fa_backward(fa_sum(y));
    double low = fa_item(fa_amax(y)), high = fa_item(fa_neg(fa_amax(fa_neg(y))));
    assert_true(low <= -0.25 && low > -0.27 && high > -0.5 && high < -0.48);
    assert_true(fa_equal(fa_neg(fa_grad(x)), fa_detach(y))); /* backward draws the same numbers */
    HOLD(fa_rrelu(fa_tensor_of(-1.0, 0.0, 2.0), .lower = 0.25, .upper = 0.5), -0.375, 0, 2);
}

static void what_activations_refuse(void **state)
{
    (void)state;
    assert_null(fa_glu(fa_zeros(FA_SHAPE(2, 3))));
    FAILS(FA_ERROR_SHAPE, "fa_glu", "cannot be halved");
    assert_null(fa_prelu(fa_zeros(FA_SHAPE(2, 3)), fa_zeros(FA_SHAPE(2))));
    FAILS(FA_ERROR_SHAPE, "fa_prelu", "channels");
    assert_null(fa_softshrink(fa_zeros(FA_SHAPE(2)), .lambd = -1));
    FAILS(FA_ERROR_ARGUMENT, "fa_softshrink");
}

/* Far from 0, where forms that overflow give NaN: values and gradients. */
static void activations_far_away(void **state)
{
    (void)state;
    static const float far[] = {1e30f, -1e30f};
    fa_tensor *x = fa_tensor_from(far, FA_SHAPE(2), .requires_grad = true);
    fa_tensor *y[] = {fa_mish(x), fa_gelu_tanh(x), fa_softplus(x), fa_elu(x), fa_neg(fa_logsigmoid(fa_neg(x)))};
    const double want[][4] = {{1e30, 0, 1, 0}, {1e30, 0, 1, 0}, {1e30, 0, 1, 0}, {1e30, -1, 1, 0}, {1e30, 0, 1, 0}};
    for (int i = 0; i < 5; i++) {
        float v[4];
        fa_tensors found = fa_grad_of(FA_TENSORS(fa_sum(y[i])), FA_TENSORS(x));
        fa_tensor *g = found.count ? found.item[0] : NULL;
        assert_true(fa_read(fa_detach(y[i]), v, FA_F32, 2) && fa_read(g, v + 2, FA_F32, 2));
        for (int k = 0; k < 4; k++)
            if (v[k] != (float)want[i][k])
                fail_msg("activation %d, number %d: %g, not %g", i, k, (double)v[k], want[i][k]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(integers_divide_downwards), TEST(shifts_out_of_range),  TEST(bits_and_divisors),
        TEST(floats_have_no_bits),       TEST(rounding_to_digits),   TEST(quotients_at_their_ends),
        TEST(ends_of_functions),         TEST(gamma_near_its_zeros), TEST(polygamma_by_its_sum),
        TEST(infinities_are_close),      TEST(random_slopes),        TEST(what_activations_refuse),
        TEST(activations_far_away),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
