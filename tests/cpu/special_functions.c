/* Special functions: errors in units in the last place over where they are used, the same bits at each level of
 * instructions, ends, and numbers in parts. What they are held against is in support/special.h. */
#include "core/ssa.h"
#include "support/autograd_test.h"
#include "support/special.h"
#include "ulp/measure.h"
#include <float.h>

/* Exact values are computed in long double; where it has 113 bits it is software, and each 32nd number has to do. */
enum { AT_ONCE = 1024, HELD_EACH = LDBL_MANT_DIG > 64 ? 32 : 1 };

static long double plain_zeta(long double s, long double q)
{
    return zetal(s, q);
}

#define OF_X(name, value)                                                                                              \
    static long double name(long double x, long double y)                                                              \
    {                                                                                                                  \
        (void)y;                                                                                                       \
        return value;                                                                                                  \
    }
OF_X(of_cbrt, cbrtl(x))
OF_X(of_erfcx, erfcxl(x))
OF_X(of_ndtr, ndtrl(x))
OF_X(of_log_ndtr, log_ndtrl(x))
OF_X(of_ndtri, ndtril(x))
OF_X(of_i0, bessel_i(0, x) * expl(fabsl(x)))
OF_X(of_i1, bessel_i(1, x) * expl(fabsl(x)))
OF_X(of_i0e, bessel_i(0, x))
OF_X(of_i1e, bessel_i(1, x))
OF_X(of_k0, bessel_k(0, x) * expl(-x))
OF_X(of_k1, bessel_k(1, x) * expl(-x))
OF_X(of_k0e, bessel_k(0, x))
OF_X(of_k1e, bessel_k(1, x))
OF_X(of_j0, bessel_j(0, x))
OF_X(of_j1, bessel_j(1, x))
OF_X(of_y0, bessel_y(0, x))
OF_X(of_y1, bessel_y(1, x))

static long double of_igamma(long double a, long double x)
{
    return gamma_part(a, x, 0);
}

static long double of_igammac(long double a, long double x)
{
    return gamma_part(a, x, 1);
}

/* x and y are drawn from low to high; the logarithm of x evenly where both are positive. */
static const struct {
    const char *name;
    fa__prim prim;
    double low, high, y_low, y_high, most; /* in f64; in f32 all are within 0.51 */
    long double (*exact)(long double, long double);
    double scale; /* results below it are held as if they were of this size: where the function is 0 between numbers */
} table[] = {
    {"cbrt", FA__PRIM_cbrt, 1e-320, 1e308, 0, 0, 0.51, of_cbrt, 0},
    {"cbrt", FA__PRIM_cbrt, -8, 8, 0, 0, 0.51, of_cbrt, 0},
    {"erfcx", FA__PRIM_erfcx, -26, 0, 0, 0, 2, of_erfcx, 0},
    {"erfcx", FA__PRIM_erfcx, 1e-10, 1e10, 0, 0, 2, of_erfcx, 0},
    {"ndtr", FA__PRIM_ndtr, -38, 9, 0, 0, 3, of_ndtr, 0},
    {"log_ndtr", FA__PRIM_log_ndtr, -60, 30, 0, 0, 3, of_log_ndtr, 0},
    {"ndtri", FA__PRIM_ndtri, 1e-300, 0.4, 0, 0, 4, of_ndtri, 0},
    {"ndtri", FA__PRIM_ndtri, 0, 1, 0, 0, 4, of_ndtri, 0},
    {"i0", FA__PRIM_i0, -40, 700, 0, 0, 3, of_i0, 0},
    {"i1", FA__PRIM_i1, -40, 700, 0, 0, 3, of_i1, 0},
    {"i0e", FA__PRIM_i0e, 1e-10, 1e4, 0, 0, 3, of_i0e, 0},
    {"i1e", FA__PRIM_i1e, 1e-10, 1e4, 0, 0, 3, of_i1e, 0},
    {"modified_bessel_k0", FA__PRIM_modified_bessel_k0, 1e-5, 700, 0, 0, 4, of_k0, 0},
    {"modified_bessel_k1", FA__PRIM_modified_bessel_k1, 1e-5, 700, 0, 0, 4, of_k1, 0},
    {"scaled_modified_bessel_k0", FA__PRIM_scaled_modified_bessel_k0, 1e-5, 1e3, 0, 0, 5, of_k0e, 0},
    {"scaled_modified_bessel_k1", FA__PRIM_scaled_modified_bessel_k1, 1e-5, 1e3, 0, 0, 4, of_k1e, 0},
    {"bessel_j0", FA__PRIM_bessel_j0, -30, 60, 0, 0, 3, of_j0, 1},
    {"bessel_j1", FA__PRIM_bessel_j1, -30, 60, 0, 0, 2, of_j1, 1},
    {"bessel_y0", FA__PRIM_bessel_y0, 1e-5, 30, 0, 0, 5, of_y0, 1},
    {"bessel_y1", FA__PRIM_bessel_y1, 1e-5, 30, 0, 0, 2, of_y1, 1},
    {"zeta", FA__PRIM_zeta, 1.001, 60, 0.01, 50, 9, plain_zeta, 0},
    {"igamma", FA__PRIM_igamma, 0.01, 30, 0.01, 40, 14, of_igamma, 0},
    {"igammac", FA__PRIM_igammac, 0.01, 30, 0.01, 40, 9, of_igammac, 0},
    {"igamma", FA__PRIM_igamma, 900, 3000, 800, 3200, 14, of_igamma, 0},
    {"igammac", FA__PRIM_igammac, 900, 3000, 800, 3200, 9, of_igammac, 0},
};
enum { FUNCTIONS_HERE = sizeof table / sizeof *table };

static double between(uint64_t *random, double low, double high)
{
    double u = ldexp((double)(draw(random) >> 11), -53);
    return low > 0 ? exp(log(low) + u * (log(high) - log(low))) : low + u * (high - low);
}

static void fill(int i, double *x, double *y)
{
    uint64_t random = 88172645463325252U + (uint64_t)i;
    for (int k = 0; k < AT_ONCE; k++) {
        x[k] = between(&random, table[i].low, table[i].high);
        y[k] = table[i].y_high > 0 ? between(&random, table[i].y_low, table[i].y_high) : 0;
    }
}

static void hold(int i, const worst *w, double most, const char *class)
{
    if (w->wrong)
        fail_msg("%s %s: %lld wrong, as at %.17g, %.17g", class, table[i].name, (long long)w->wrong, w->wrong_x,
                 w->wrong_y);
    if (!(w->ulp <= most))
        fail_msg("%s %s: %.2f ulp at %.17g, %.17g", class, table[i].name, w->ulp, w->x, w->y);
}

static void errors(void **state)
{
    (void)state;
    for (int i = 0; i < FUNCTIONS_HERE; i++) {
        static double x[AT_ONCE], y[AT_ONCE], got[AT_ONCE];
        static float u[AT_ONCE], v[AT_ONCE], single[AT_ONCE];
        worst wide = {0}, narrow = {0};
        fill(i, x, y);
        for (int k = 0; k < AT_ONCE; k++)
            u[k] = (float)x[k], v[k] = (float)y[k];
        fa__cpu_simd->of[FA__CLASS_F64]->prim[table[i].prim](got, x, y, NULL, AT_ONCE);
        fa__cpu_simd->of[FA__CLASS_F32]->prim[table[i].prim](single, u, v, NULL, AT_ONCE);
        for (int k = 0; k < AT_ONCE; k += HELD_EACH) {
            note(&wide, x[k], y[k], got[k], table[i].exact((long double)x[k], (long double)y[k]), table[i].scale,
                 false);
            note(&narrow, (double)u[k], (double)v[k], (double)single[k],
                 table[i].exact((long double)u[k], (long double)v[k]), table[i].scale, true);
        }
        hold(i, &wide, table[i].most, "f64");
        hold(i, &narrow, 0.51, "f32");
    }
}

/* Numbers of every size as well, whatever they give. */
static void fill_any(int i, double *x, double *y)
{
    uint64_t random = 362436069U + (uint64_t)i;
    fill(i, x, y);
    for (int k = 0; k < AT_ONCE; k += 2) {
        x[k] = draw_number(&random, false);
        y[k] = draw_number(&random, false);
    }
}

static void levels_agree(void **state)
{
    (void)state;
    int count;
    const char *const *level = fa__cpu_level_names(&count), *first = fa__cpu_level_name();
    for (int i = 0; i < FUNCTIONS_HERE; i++) {
        static double x[AT_ONCE], y[AT_ONCE], wide[2][AT_ONCE];
        static float u[AT_ONCE], v[AT_ONCE], narrow[2][AT_ONCE];
        fill_any(i, x, y);
        for (int k = 0; k < AT_ONCE; k++)
            u[k] = (float)x[k], v[k] = (float)y[k];
        for (int l = 0; l < count; l++) {
            assert_true(fa__cpu_level_use(level[l]));
            fa__cpu_simd->of[FA__CLASS_F64]->prim[table[i].prim](wide[l > 0], x, y, NULL, AT_ONCE);
            fa__cpu_simd->of[FA__CLASS_F32]->prim[table[i].prim](narrow[l > 0], u, v, NULL, AT_ONCE);
            for (int k = 0; k < AT_ONCE && l > 0; k++) {
                bool same = isnan(wide[0][k]) ? isnan(wide[1][k]) : !memcmp(&wide[0][k], &wide[1][k], sizeof(double));
                same &=
                    isnan(narrow[0][k]) ? isnan(narrow[1][k]) : !memcmp(&narrow[0][k], &narrow[1][k], sizeof(float));
                if (!same)
                    fail_msg("%s of %a, %a differs at level %s", table[i].name, x[k], y[k], level[l]);
            }
        }
    }
    assert_true(fa__cpu_level_use(first));
}

static fa_tensor *as(fa_dtype d, fa_tensor *t)
{
    return fa_to(t, d);
}

/* Whether the elements are those numbers, NaN and the signs of zeros too. */
static void exactly(const fa_tensor *t, const double *want, int n, int line)
{
    double have[16];
    assert_non_null(t);
    assert_true(fa_read(t, have, FA_F64, n));
    for (int i = 0; i < n; i++)
        if (isnan(have[i]) != isnan(want[i])
            || (!isnan(want[i]) && (have[i] != want[i] || signbit(have[i]) != signbit(want[i]))))
            fail_msg("line %d: element %d is %.17g, not %.17g", line, i, have[i], want[i]);
}
#define EXACTLY(t, ...)                                                                                                \
    exactly(t, (const double[]){__VA_ARGS__}, sizeof((const double[]){__VA_ARGS__}) / sizeof(double), __LINE__)

static void ends(void **state)
{
    (void)state;
    for (int d = FA_F32; d <= FA_F64; d++) {
        fa_dtype t = (fa_dtype)d;
        fa_tensor *x = as(t, fa_tensor_of(0.0, -0.0, INFINITY, -INFINITY, NAN));
        EXACTLY(fa_cbrt(x), 0, -0.0, INFINITY, -INFINITY, NAN);
        EXACTLY(fa_erfcx(x), 1, 1, 0, INFINITY, NAN);
        EXACTLY(fa_ndtr(x), 0.5, 0.5, 1, 0, NAN);
        EXACTLY(fa_ndtri(x), -INFINITY, -INFINITY, NAN, NAN, NAN);
        EXACTLY(fa_ndtri(as(t, fa_tensor_of(1.0, 0.5, 1.5))), INFINITY, 0, NAN);
        EXACTLY(fa_entr(x), 0, 0, -INFINITY, -INFINITY, NAN);
        EXACTLY(fa_i0(x), 1, 1, INFINITY, INFINITY, NAN);
        EXACTLY(fa_i1(x), 0, -0.0, INFINITY, -INFINITY, NAN);
        EXACTLY(fa_i0e(x), 1, 1, 0, 0, NAN);
        EXACTLY(fa_i1e(x), 0, -0.0, 0, -0.0, NAN);
        EXACTLY(fa_modified_bessel_k0(x), INFINITY, INFINITY, 0, NAN, NAN);
        EXACTLY(fa_modified_bessel_k1(x), INFINITY, INFINITY, 0, NAN, NAN);
        EXACTLY(fa_scaled_modified_bessel_k0(x), INFINITY, INFINITY, 0, NAN, NAN);
        EXACTLY(fa_scaled_modified_bessel_k1(x), INFINITY, INFINITY, 0, NAN, NAN);
        EXACTLY(fa_bessel_j0(x), 1, 1, 0, 0, NAN);
        EXACTLY(fa_bessel_j1(x), 0, -0.0, 0, -0.0, NAN);
        EXACTLY(fa_bessel_y0(x), -INFINITY, -INFINITY, 0, NAN, NAN);
        EXACTLY(fa_bessel_y1(x), -INFINITY, -INFINITY, 0, NAN, NAN);
        EXACTLY(fa_spherical_bessel_j0(x), 1, 1, 0, 0, NAN);
        EXACTLY(fa_zeta(as(t, fa_tensor_of(1.0, 0.5, 2.0, 2.0, 2.5, NAN)), as(t, fa_tensor_of(2, 2, 0, -3, -0.5, 1))),
                INFINITY, NAN, INFINITY, INFINITY, NAN, NAN);
        fa_tensor *a = as(t, fa_tensor_of(0, 0, 2, 2, INFINITY, INFINITY, -1, 2));
        fa_tensor *b = as(t, fa_tensor_of(0, 1, 0, INFINITY, 3, INFINITY, 1, -1));
        EXACTLY(fa_igamma(a, b), NAN, 1, 0, 1, 0, NAN, NAN, NAN);
        EXACTLY(fa_igammac(a, b), NAN, 0, 1, 0, 1, NAN, NAN, NAN);
    }
    EXACTLY(fa_log_ndtr(as(FA_F64, fa_tensor_of(-INFINITY, INFINITY, NAN))), -INFINITY, -0.0, NAN);
}

/* Of negative numbers: 2.5 more of them than the sum from 1/2 on has, and for odd powers they are negative. */
static void zeta_of_negative_numbers(void **state)
{
    (void)state;
    for (int s = 2; s < 6; s++) {
        double got = fa_item(fa_zeta(as(FA_F64, fa_tensor_of((double)s)), as(FA_F64, fa_tensor_of(-2.3125))));
        double want = pow(-2.3125, -s) + pow(-1.3125, -s) + pow(-0.3125, -s) + (double)zetal(s, 0.6875L);
        assert_true(fabs(got - want) <= 1e-13 * fabs(want));
    }
}

static void no_gradient_for_the_first(void **state)
{
    (void)state;
    fa_tensor *a = fa_full(FA_SHAPE(2), 2.5, .requires_grad = true), *x = fa_full(FA_SHAPE(2), 1.5);
    assert_false(fa_backward(fa_sum(fa_igamma(a, x))));
    FAILS(FA_ERROR_GRADIENT, "fa_igamma", "first operand");
    assert_false(fa_backward(fa_sum(fa_zeta(a, x))));
    FAILS(FA_ERROR_GRADIENT, "fa_zeta");
    fa_set_requires_grad(x, true);
    assert_true(fa_backward(fa_sum(fa_igammac(fa_detach(a), x))));
    assert_true(fabs(fa_item(fa_amax(fa_grad(x))) + 0.30836) < 1e-4);
}

/* ---- numbers in parts ---- */

static void significands(void **state)
{
    (void)state;
    static const double wide[] = {0.0, -0.0, INFINITY, 5e-324, -3.0, 0.5, 1.7976931348623157e308};
    fa_frexp_result r = fa_frexp(fa_tensor_from(wide, FA_SHAPE(7), .dtype = FA_F64));
    EXACTLY(r.mantissa, 0, -0.0, INFINITY, 0.5, -0.75, 0.5, 0x1.fffffffffffffp-1);
    EXACTLY(r.exponent, 0, 0, 0, -1073, 2, 0, 1024);
    assert_int_equal(fa_tensor_dtype(r.exponent), FA_I32);
    r = fa_frexp(fa_tensor_of(0x1p-149f, 0x1.fffffep127f));
    EXACTLY(r.mantissa, 0.5, 0x1.fffffep-1);
    EXACTLY(r.exponent, -148, 128);
    assert_null(fa_frexp(as(FA_I32, fa_tensor_of(3))).mantissa);
    FAILS(FA_ERROR_DTYPE, "fa_frexp", "floating");
}

static void fractions(void **state)
{
    (void)state;
    fa_modf_result r = fa_modf(fa_tensor_of(-2.0f, INFINITY, -INFINITY, -0.0f, 1.5f, -1.5f, NAN));
    EXACTLY(r.fraction, -0.0, 0, -0.0, -0.0, 0.5, -0.5, NAN);
    EXACTLY(r.whole, -2, INFINITY, -INFINITY, -0.0, 1, -1, NAN);
    r = fa_modf(as(FA_I32, fa_tensor_of(-3)));
    assert_int_equal(fa_tensor_dtype(r.fraction), FA_F32);
    EXACTLY(r.whole, -3);
}

/* NumPy's, but for the sign of -0 and the largest number. */
static void spacings(void **state)
{
    (void)state;
    static const double wide[] = {0.0, 1.0, -1.0, 5e-324, -3.0, INFINITY, NAN};
    EXACTLY(fa_spacing(fa_tensor_from(wide, FA_SHAPE(7), .dtype = FA_F64)), 0x1p-1074, 0x1p-52, -0x1p-52, 0x1p-1074,
            -0x1p-51, NAN, NAN);
    EXACTLY(fa_spacing(fa_tensor_of(0.0f, 1.0f, 1e-40f, 0x1p-126f)), 0x1p-149, 0x1p-23, 0x1p-149, 0x1p-149);
    EXACTLY(fa_spacing(as(FA_F16, fa_tensor_of(1.0, 0.0, 65504.0))), 0x1p-10, 0x1p-24, 32);
    EXACTLY(fa_spacing(as(FA_BF16, fa_tensor_of(1.0, 0.0))), 0x1p-7, 0x1p-133);
}

static void bits_that_are_1(void **state)
{
    (void)state;
    EXACTLY(fa_bitwise_count(as(FA_I8, fa_tensor_of(-128, 127, -1, 0))), 1, 7, 1, 0);
    EXACTLY(fa_bitwise_count(as(FA_U8, fa_tensor_of(255, 200))), 8, 3);
    EXACTLY(fa_bitwise_count(fa_tensor_of(INT64_MIN, INT64_MAX, -3)), 1, 63, 2);
    EXACTLY(fa_bitwise_count(as(FA_I32, fa_tensor_of(INT32_MIN, INT32_MAX))), 1, 31);
    assert_int_equal(fa_tensor_dtype(fa_bitwise_count(as(FA_BOOL, fa_tensor_of(1)))), FA_U8);
    assert_null(fa_bitwise_count(fa_tensor_of(1.5)));
    FAILS(FA_ERROR_DTYPE, "fa_bitwise_count");
}

/* Whole numbers cannot hold what is next to them; what was overwritten is not asked for by the gradient. */
static void neighbours_in_place(void **state)
{
    (void)state;
    fa_tensor *whole = fa_tensor_of(1, 2);
    assert_null(fa_nextafter_(whole, fa_tensor_of(1.5, 0.0)));
    FAILS(FA_ERROR_DTYPE, "fa_nextafter_(", "f32", "cannot be stored as i64");
    HOLD(whole, 1, 2);
    fa_tensor *x = LEAF(1, 2), *y = fa_mul(x, 3), *half = as(FA_F16, fa_tensor_of(1.0, 2.0));
    assert_non_null(fa_nextafter_(y, fa_tensor_of(4.0, 6.0)));
    assert_true(fa_item(fa_narrow(y, 0, 0, 1)) > 3);
    assert_true(fa_backward(fa_sum(y)));
    HOLD(fa_grad(x), 3, 0);
    EXACTLY(fa_nextafter_(half, as(FA_F16, fa_tensor_of(0.0, 4.0))), 1 - 0x1p-11, 2 + 0x1p-9);
}

static void ends_of_logit(void **state)
{
    (void)state;
    fa_tensor *x = LEAF(0, 1, 0.5), *held = LEAF(0, 1, 0.5);
    assert_true(fa_backward(fa_sum(fa_logit(x))) && fa_backward(fa_sum(fa_logit(held, .eps = 0.25))));
    HOLD(fa_grad(x), NAN, NAN, 4);
    HOLD(fa_grad(held), 0, 0, 4);
}

static void powers_are_wide(void **state)
{
    (void)state;
    fa_tensor *y = fa_float_power(as(FA_I32, fa_tensor_of(2, -3)), as(FA_I32, fa_tensor_of(-1, 3)));
    EXACTLY(y, 0.5, -27);
    assert_int_equal(fa_tensor_dtype(y), FA_F64);
    fa_divmod_result r = fa_divmod(fa_tensor_of(-7, 7), 3);
    EXACTLY(r.quotient, -3, 2);
    EXACTLY(r.remainder, 2, 1);
}

/* What follows a number of 16 bits upwards; those of NaN are not asked for. */
static uint16_t above(uint16_t bits, uint16_t infinity)
{
    if (bits == infinity)
        return bits;
    if (bits == 0x8000)
        return 1;
    return (uint16_t)(bits & 0x8000 ? bits - 1 : bits + 1);
}

/* Every f16 and bf16 has its neighbours. */
static void neighbours_of_16_bits(void **state)
{
    (void)state;
    enum { ALL = 1 << 16 };
    static uint16_t bits[ALL], up[ALL], down[ALL], inward[ALL];
    for (int i = 0; i < ALL; i++)
        bits[i] = (uint16_t)i;
    for (int d = 0; d < 2; d++) {
        FA_SCOPE;
        const fa_dtype dtype = d ? FA_BF16 : FA_F16;
        const uint16_t infinity = d ? 0x7f80 : 0x7c00;
        fa_tensor *x = fa_tensor_from(bits, FA_SHAPE(ALL), .dtype = dtype);
        assert_true(fa_read(fa_nextafter(x, INFINITY), up, dtype, ALL));
        assert_true(fa_read(fa_nextafter(x, fa_full(FA_SCALAR, -INFINITY, .dtype = dtype)), down, dtype, ALL));
        assert_true(fa_read(fa_nextafter_(fa_clone(x), fa_zeros_like(x)), inward, dtype, ALL));
        for (int i = 0; i < ALL; i++) {
            uint16_t size = bits[i] & 0x7fff;
            if (size > infinity)
                continue;
            assert_int_equal(up[i], above(bits[i], infinity));
            assert_int_equal(down[i], above(bits[i] ^ 0x8000, infinity) ^ 0x8000);
            assert_int_equal(inward[i], size ? bits[i] - 1 : 0);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(errors),
        TEST(levels_agree),
        TEST(ends),
        TEST(zeta_of_negative_numbers),
        TEST(significands),
        TEST(fractions),
        TEST(spacings),
        TEST(no_gradient_for_the_first),
        TEST(bits_that_are_1),
        TEST(neighbours_in_place),
        TEST(ends_of_logit),
        TEST(powers_are_wide),
        TEST(neighbours_of_16_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
