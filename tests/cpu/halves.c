/* Conversions between f32, f16 and bf16, against a definition by arithmetic: round to nearest even, subnormal numbers,
 * infinities, NaN stays NaN.
 *
 *     halves [--all]    converts each f32 that there is; without it, one in 4093 and those next to each tie */
#include "support/api_test.h"
#include <math.h>

enum { BLOCK = 1 << 22, STRIDE = 4093 };

/* A format of 16 bits: bits of the fraction, exponent of the smallest normal number, and the largest number. */
static const struct format {
    fa_dtype dtype;
    int fraction, least;
    float largest;
} formats[] = {{FA_F16, 10, -14, 65504.F}, {FA_BF16, 7, -126, 0x1.fep127F}};

static bool all_numbers;

static uint32_t bits_of(float v)
{
    uint32_t bits;
    memcpy(&bits, &v, sizeof bits);
    return bits;
}

static float number_of(uint32_t bits)
{
    float v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

/* The value of the bits. */
static double value_of(const struct format *f, uint16_t bits)
{
    const int fraction = bits & ((1 << f->fraction) - 1), exponent = (bits & 0x7fff) >> f->fraction;
    const int most = 0x7fff >> f->fraction;
    double size = exponent ? ldexp((1 << f->fraction) + fraction, f->least + exponent - 1 - f->fraction)
                           : ldexp(fraction, f->least - f->fraction);
    if (exponent == most)
        size = fraction ? (double)NAN : (double)INFINITY;
    return bits & 0x8000 ? -size : size;
}

/* The nearest number of the format, in f64, where all steps are exact: a whole number of units in the last place,
 * rounded to even by the default rounding of nearbyint(). */
static double rounded(const struct format *f, float v)
{
    int exponent = 0;
    if (isnan(v) || isinf(v) || v == 0)
        return v;
    frexp((double)v, &exponent);
    const int normal = exponent - 1 > f->least ? exponent - 1 : f->least;
    double near = ldexp(nearbyint(ldexp((double)v, f->fraction - normal)), normal - f->fraction);
    return fabs(near) > (double)f->largest ? copysign((double)INFINITY, v) : near;
}

static bool same(double a, double b)
{
    return isnan(a) ? isnan(b) : a == b && signbit(a) == signbit(b);
}

/* ---- to 16 bits ---- */
static void block_is_rounded(const struct format *f, const float *x, uint16_t *got, int64_t count)
{
    FA_SCOPE;
    fa_tensor *t = fa_to(fa_tensor_from(x, FA_SHAPE(count), .device = DEVICE(0)), f->dtype);
    assert_true(fa_read(t, got, f->dtype, count));
    for (int64_t i = 0; i < count; i++)
        if (!same(value_of(f, got[i]), rounded(f, x[i])) || (isnan(x[i]) && !signbit(x[i]) != !(got[i] & 0x8000)))
            fail_msg("%a (%#x) to %s: %#x", (double)x[i], bits_of(x[i]), fa_dtype_name(f->dtype), got[i]);
}

static void numbers_are_rounded(void **state)
{
    (void)state;
    float *x = malloc(BLOCK * sizeof *x);
    uint16_t *got = malloc(BLOCK * sizeof *got);
    assert_true(x && got);
    const uint64_t end = UINT64_C(1) << 32, step = all_numbers ? 1 : STRIDE;
    for (uint64_t bits = 0; bits < end;) {
        int64_t count = 0;
        for (; count < BLOCK && bits < end; bits += step)
            x[count++] = number_of((uint32_t)bits);
        for (int k = 0; k < 2; k++)
            block_is_rounded(&formats[k], x, got, count);
    }
    free(x);
    free(got);
}

/* Each number of 16 bits, the middle between it and the next one, and the neighbours of both in f32. */
static void ties_are_rounded_to_even(void **state)
{
    (void)state;
    enum { EACH = 6 };
    static float x[65536 * EACH];
    static uint16_t got[65536 * EACH];
    for (int k = 0; k < 2; k++) {
        const struct format *f = &formats[k];
        int64_t count = 0;
        for (uint32_t i = 0; i < 65536; i++) {
            const double v = value_of(f, (uint16_t)i), next = value_of(f, (uint16_t)(i + 1));
            const float middle[] = {(float)v, (float)((v + next) / 2)};
            if (isnan(v) || isinf(v) || isnan(next))
                continue;
            for (int m = 0; m < 2; m++)
                for (int around = -1; around < 2; around++)
                    x[count++] = around ? nextafterf(middle[m], around < 0 ? -INFINITY : INFINITY) : middle[m];
        }
        block_is_rounded(f, x, got, count);
    }
}

/* ---- whole numbers ---- */

/* 2^e + 2^(e - digits) is halfway to the next number of so many digits: rounded to even, and up where there is one
 * more, however far down. (fa_to() goes through f32, as in PyTorch.) */
static void whole_numbers_are_rounded_once(void **state)
{
    (void)state;
    static const struct {
        fa_dtype dtype;
        int digits, highest;
    } rows[] = {{FA_BF16, 8, 62}, {FA_F16, 11, 15}};
    for (int k = 0; k < 2; k++) {
        FA_SCOPE;
        const int digits = rows[k].digits;
        int64_t x[400];
        double want[400], got[400];
        int n = 0;
        for (int e = digits; e <= rows[k].highest; e++)
            for (int more = -1; more < 2; more++)
                for (int sign = -1; sign < 2; sign += 2) {
                    x[n] = sign * (((int64_t)1 << e) + ((int64_t)1 << (e - digits)) + more);
                    want[n++] = sign * (ldexp(1, e) + (more > 0 ? ldexp(1, e - digits + 1) : 0));
                    if (e == digits && more < 0) /* below the middle is the number itself */
                        want[n - 1] = (double)x[n - 1];
                    if (e == digits && more > 0)
                        want[n - 1] = sign * (ldexp(1, e) + 2);
                }
        fa_tensor *y = fa_zeros(FA_SHAPE(n), .dtype = rows[k].dtype, .device = DEVICE(0));
        fa_add(fa_tensor_from(x, FA_SHAPE(n), .device = DEVICE(0)), 0, .out = y);
        assert_true(fa_read(fa_to(y, FA_F32), got, FA_F64, n));
        for (int i = 0; i < n; i++)
            if (got[i] != want[i])
                fail_msg("%lld to %s: %.17g, not %.17g", (long long)x[i], fa_dtype_name(rows[k].dtype), got[i],
                         want[i]);
    }
}

/* ---- from 16 bits ---- */
static void numbers_of_16_bits_keep_their_value(void **state)
{
    (void)state;
    static uint16_t bits[65536], back[65536];
    static float got[65536];
    for (int i = 0; i < 65536; i++)
        bits[i] = (uint16_t)i;
    for (int k = 0; k < 2; k++) {
        FA_SCOPE;
        const struct format *f = &formats[k];
        fa_tensor *x = fa_tensor_from(bits, FA_SHAPE(65536), .dtype = f->dtype, .device = DEVICE(0));
        fa_tensor *y = fa_to(x, FA_F32);
        assert_true(fa_read(y, got, FA_F32, 65536) && fa_read(fa_to(y, f->dtype), back, f->dtype, 65536));
        for (int i = 0; i < 65536; i++) {
            assert_true(same((double)got[i], value_of(f, (uint16_t)i)));
            assert_true(back[i] == i || isnan(got[i]));
            assert_true(!signbit(got[i]) == !(i & 0x8000) && !(back[i] & 0x8000) == !(i & 0x8000));
        }
    }
}

int main(int count, char **words)
{
    const struct CMUnitTest tests[] = {
        TEST(whole_numbers_are_rounded_once),
        TEST(numbers_of_16_bits_keep_their_value),
        TEST(ties_are_rounded_to_even),
        TEST(numbers_are_rounded),
    };
    all_numbers = count > 1 && !strcmp(words[1], "--all");
    return RUN("cpu_halves");
}
