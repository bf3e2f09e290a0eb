/* The loops over tiles, at each level of instructions that this machine has: primitives, conversions, random numbers,
 * blocks of reductions, small transposes; against plain references, and with the same bits at each level. */
#include "backend/cpu/level.h"
#include "core/tensor.h"
#include "support/ssa_eval.h"
#include "ulp/measure.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

enum { N = 1000, LEVELS = 3 };
static const char *const *levels;
static int level_count;
static const char *chosen;

static const uint8_t class_size[FA__CLASSES] = {4, 8, 4, 8};

/* Whether two elements are the same, all NaN alike. */
static bool same(fa__class class, const void *a, const void *b)
{
    if (class == FA__CLASS_F32 && isnan(*(const float *)a))
        return isnan(*(const float *)b);
    if (class == FA__CLASS_F64 && isnan(*(const double *)a))
        return isnan(*(const double *)b);
    return memcmp(a, b, class_size[class]) == 0;
}

static const double special[] = {0.0,
                                 -0.0,
                                 1,
                                 -1,
                                 2,
                                 -2,
                                 0.5,
                                 -0.5,
                                 1.5,
                                 -1.5,
                                 2.5,
                                 1e-40,
                                 -1e-45,
                                 8388607.5,
                                 8388608,
                                 -8388609,
                                 4503599627370495.5,
                                 4503599627370496,
                                 -4503599627370497,
                                 2147483647,
                                 2147483648,
                                 -2147483648.0,
                                 -2147483649.0,
                                 4294967296.0,
                                 9223372036854775807.0,
                                 -9223372036854775808.0,
                                 1e19,
                                 3e38,
                                 1e300,
                                 5e-324,
                                 65504,
                                 65519.9,
                                 65520,
                                 255,
                                 256,
                                 300,
                                 -129,
                                 32768,
                                 INFINITY,
                                 -INFINITY,
                                 NAN};
enum { SPECIALS = sizeof special / sizeof special[0] };
static const int64_t whole[] = {0,
                                1,
                                -1,
                                2,
                                -2,
                                3,
                                7,
                                63,
                                64,
                                127,
                                128,
                                255,
                                256,
                                -128,
                                -129,
                                32767,
                                32768,
                                65535,
                                2147483647,
                                -2147483648,
                                2147483648,
                                4294967296,
                                16777217,
                                9007199254740993,
                                INT64_MAX,
                                INT64_MIN,
                                INT64_MIN + 1,
                                0x4000000000000001};
enum { WHOLES = sizeof whole / sizeof whole[0] };

static void fill(fa__class class, void *out, int seed)
{
    uint64_t state = 88172645463325252u + (uint64_t)seed * 7919;
    for (int i = 0; i < N; i++) {
        int at = seed == 0 ? i % SPECIALS : seed == 1 ? i / SPECIALS : i * 7;
        bool edge = i % 4 != 3;
        double f = edge ? special[at % SPECIALS] : draw_number(&state, class == FA__CLASS_F32);
        int64_t n = edge ? whole[(seed == 0 ? i : i / WHOLES + seed * 5) % WHOLES] : (int64_t)draw(&state);
        if (class == FA__CLASS_F32)
            ((float *)out)[i] = (float)f;
        else if (class == FA__CLASS_F64)
            ((double *)out)[i] = f;
        else if (class == FA__CLASS_I32)
            ((int32_t *)out)[i] = (int32_t)n;
        else
            ((int64_t *)out)[i] = n;
    }
}

static void expected_value(fa__class class, fa__prim p, const char *a, const char *b, const char *c, void *out)
{
    if (class == FA__CLASS_F32)
        *(float *)out = fa__prim_eval_f32(p, *(const float *)a, *(const float *)b, *(const float *)c);
    else if (class == FA__CLASS_F64)
        *(double *)out = fa__prim_eval(p, *(const double *)a, *(const double *)b, *(const double *)c);
    else if (class == FA__CLASS_I32)
        *(int32_t *)out = fa__prim_eval_i32(p, *(const int32_t *)a, *(const int32_t *)b, *(const int32_t *)c);
    else
        *(int64_t *)out = fa__prim_eval_i64(p, *(const int64_t *)a, *(const int64_t *)b, *(const int64_t *)c);
}

/* What C computes the same way; the rest is in math.c and in the conversions below. */
static bool plain(fa__prim p, fa__class class)
{
    static const fa__prim prims[] = {
        FA__PRIM_neg,     FA__PRIM_add,        FA__PRIM_sub,         FA__PRIM_mul,         FA__PRIM_div,
        FA__PRIM_mad,     FA__PRIM_nmad,       FA__PRIM_fma,         FA__PRIM_abs,         FA__PRIM_sign,
        FA__PRIM_maximum, FA__PRIM_minimum,    FA__PRIM_floor,       FA__PRIM_trunc,       FA__PRIM_lt,
        FA__PRIM_le,      FA__PRIM_eq,         FA__PRIM_ne,          FA__PRIM_and,         FA__PRIM_or,
        FA__PRIM_not,     FA__PRIM_select,     FA__PRIM_to_bool,     FA__PRIM_ceil,        FA__PRIM_round,
        FA__PRIM_fmod,    FA__PRIM_remainder,  FA__PRIM_copysign,    FA__PRIM_signbit,     FA__PRIM_nextafter,
        FA__PRIM_gcd,     FA__PRIM_lcm,        FA__PRIM_bit_and,     FA__PRIM_bit_or,      FA__PRIM_bit_xor,
        FA__PRIM_bit_not, FA__PRIM_shift_left, FA__PRIM_shift_right, FA__PRIM_floor_divide};
    static const fa__prim integers[] = {FA__PRIM_round_to};
    for (size_t i = 0; class >= FA__CLASS_I32 && i < sizeof integers / sizeof integers[0]; i++)
        if (integers[i] == p)
            return true;
    for (size_t i = 0; i < sizeof prims / sizeof prims[0]; i++)
        if (prims[i] == p)
            return true;
    return false;
}

static void check_prim(fa__class class, fa__prim p)
{
    static char a[N * 8], b[N * 8], c[N * 8], out[LEVELS][N * 8];
    size_t size = class_size[class];
    fill(class, a, 0);
    fill(class, b, 1);
    fill(class, c, 2);
    for (int l = 0; l < level_count; l++) {
        assert_true(fa__cpu_level_use(levels[l]));
        fa__cpu_simd->of[class]->prim[p](out[l], a, b, c, N);
        for (size_t i = 0; i < N; i++) {
            char want[8];
            if (plain(p, class)) {
                expected_value(class, p, a + i * size, b + i * size, c + i * size, want);
                if (!same(class, want, out[l] + i * size))
                    fail_msg("class %d, %s, element %zu at level %s", class, fa__prims[p].name, i, levels[l]);
            }
            if (!same(class, out[0] + i * size, out[l] + i * size))
                fail_msg("class %d, %s, element %zu: %s is not as %s", class, fa__prims[p].name, i, levels[l],
                         levels[0]);
        }
        static char place[N * 8]; /* the same in place */
        memcpy(place, a, sizeof place);
        fa__cpu_simd->of[class]->prim[p](place, place, b, c, N);
        for (size_t i = 0; i < N; i++)
            assert_true(same(class, place + i * size, out[l] + i * size));
    }
}

static void test_primitives(void **test)
{
    (void)test;
    for (int class = 0; class < FA__CLASSES; class ++)
        for (int p = FA__PRIM_neg; p < FA__PRIM_index; p++) {
            bool integer = class == FA__CLASS_I32 || class == FA__CLASS_I64;
            bool there = fa__prims[p].domain != (integer ? FA__DOMAIN_FLOAT : FA__DOMAIN_WHOLE);
            assert_true((fa__cpu_simd->of[class]->prim[p] != NULL) == there);
            if (there)
                check_prim((fa__class) class, (fa__prim)p);
        }
}

static void test_integer_powers(void **test)
{
    (void)test;
    int64_t x[] = {2, 3, -2, 0, 0, 1, -1, -1, 2, 7, 10, 3}, y[] = {10, 5, 3, 0, 5, -3, -3, -4, -1, 0, 30, 41};
    int64_t want[] = {1024, 243, -8, 1, 0, 1, -1, 1, 0, 1, 0, 0}, got[12];
    want[10] = (int64_t)(1000000000000000000u * (uint64_t)1000000000000u);
    uint64_t p = 1;
    for (int i = 0; i < 41; i++)
        p *= 3;
    want[11] = (int64_t)p;
    fa__cpu_simd->of[FA__CLASS_I64]->prim[FA__PRIM_pow](got, x, y, NULL, 12);
    assert_memory_equal(got, want, sizeof want);
}

/* Exponents 0, 1 and 2 give 1, x and x * x to the bit, in a tile of them alone and among others. */
static void test_small_powers(void **test)
{
    (void)test;
    static const double bases[] = {0, -0.0, 1, -1.1, 3.7, 1e-30, 1e-310, -1e20, 1e200, INFINITY, -INFINITY, NAN};
    enum { COUNT = sizeof bases / sizeof *bases };
    for (int others = 0; others < 2; others++)
        for (int power = 0; power < 3; power++) {
            double x[COUNT + 1], y[COUNT + 1], got[COUNT + 1];
            float fx[COUNT + 1], fy[COUNT + 1], fgot[COUNT + 1];
            for (int i = 0; i <= COUNT; i++) {
                x[i] = i < COUNT ? bases[i] : 2;
                y[i] = i < COUNT ? power : others ? 3 : 2;
                fx[i] = (float)x[i];
                fy[i] = (float)y[i];
            }
            fa__cpu_simd->of[FA__CLASS_F64]->prim[FA__PRIM_pow](got, x, y, NULL, COUNT + 1);
            fa__cpu_simd->of[FA__CLASS_F32]->prim[FA__PRIM_pow](fgot, fx, fy, NULL, COUNT + 1);
            for (int i = 0; i < COUNT; i++) {
                double want = power == 0 ? 1 : power == 1 ? x[i] : x[i] * x[i];
                float fwant = power == 0 ? 1 : power == 1 ? fx[i] : fx[i] * fx[i];
                assert_true(isnan(want) ? isnan(got[i]) : !memcmp(&want, &got[i], sizeof want));
                assert_true(isnan(fwant) ? isnan(fgot[i]) : !memcmp(&fwant, &fgot[i], sizeof fwant));
            }
            assert_true(got[COUNT] == (others ? 8 : 4) && fgot[COUNT] == (others ? 8.0F : 4.0F));
        }
}

/* The float nearest to x with that many bits and that smallest exponent; ties to even. */
static double nearest_float(double x, int bits, int least, double most)
{
    if (!(fabs(x) < INFINITY) || x == 0)
        return x;
    int e = ilogb(x) - bits + 1 < least ? least : ilogb(x) - bits + 1;
    double r = ldexp(nearbyint(ldexp(x, -e)), e);
    return fabs(r) > most ? copysign(INFINITY, x) : r;
}

static double f16_value(uint16_t h)
{
    int e = h >> 10 & 31, m = h & 1023;
    double v = e == 31 ? (m ? NAN : INFINITY) : e == 0 ? ldexp(m, -24) : ldexp(1024 + m, e - 25);
    return h >> 15 ? -v : v;
}

static double bf16_value(uint16_t h)
{
    return (double)float_of((uint32_t)h << 16);
}

static void test_halves(void **test)
{
    (void)test;
    static uint16_t h[65536], back[65536];
    static float f[65536];
    for (int i = 0; i < 65536; i++)
        h[i] = (uint16_t)i;
    for (int l = 0; l < level_count; l++)
        for (int d = 0; d < 2; d++) {
            assert_true(fa__cpu_level_use(levels[l]));
            const fa__simd_class *c = fa__cpu_simd->of[FA__CLASS_F32];
            c->load[d ? FA_BF16 : FA_F16](f, h, 1, 65536);
            c->store[d ? FA_BF16 : FA_F16](back, 1, f, 65536);
            for (int i = 0; i < 65536; i++) {
                double want = d ? bf16_value(h[i]) : f16_value(h[i]);
                assert_true(isnan(want) ? isnan(f[i]) : (double)f[i] == want && !signbit(f[i]) == !signbit(want));
                double again = d ? bf16_value(back[i]) : f16_value(back[i]);
                assert_true(isnan(want) ? isnan(again) : back[i] == h[i]);
            }
        }
}

/* From every class, random values and those beside ties: rounded once. */
static void check_half_stores(fa__class class, const void *x, const double *value)
{
    uint16_t got[N];
    for (int d = 0; d < 2; d++) {
        fa__cpu_simd->of[class]->store[d ? FA_BF16 : FA_F16](got, 1, x, N);
        for (int i = 0; i < N; i++) {
            double want =
                d ? nearest_float(value[i], 8, -133, 3.3895313892515355e38) : nearest_float(value[i], 11, -24, 65504);
            double g = d ? bf16_value(got[i]) : f16_value(got[i]);
            if (!(isnan(want) ? isnan(g) : g == want && !signbit(g) == !signbit(want)))
                fail_msg("class %d to %s: %a became %a, not %a", class, d ? "bf16" : "f16", value[i], g, want);
        }
    }
}

static void test_half_stores(void **test)
{
    (void)test;
    uint64_t state = 521288629u;
    for (int l = 0; l < level_count; l++)
        for (int r = 0; r < 200; r++) {
            static double f64[N], value[N];
            static float f32[N];
            static int64_t i64[N];
            static int32_t i32[N];
            assert_true(fa__cpu_level_use(levels[l]));
            for (int i = 0; i < N; i++) {
                uint16_t h = (uint16_t)draw(&state);
                double at = i % 2 ? bf16_value(h) : f16_value(h),
                       next = i % 2 ? bf16_value((uint16_t)(h + 1)) : f16_value((uint16_t)(h + 1));
                double tie = (at + next) / 2;
                uint64_t how = draw(&state) % 4;
                f64[i] = how == 0   ? tie
                         : how == 1 ? nextafter(tie, at)
                         : how == 2 ? nextafter(tie, next)
                                    : draw_number(&state, false);
                f32[i] = how == 0 ? (float)tie : how == 1 ? nextafterf((float)tie, (float)at) : (float)f64[i];
                i64[i] = (int64_t)draw(&state) >> (draw(&state) % 64);
                i32[i] = (int32_t)(draw(&state) >> (32 + draw(&state) % 32));
            }
            check_half_stores(FA__CLASS_F64, f64, f64);
            for (int i = 0; i < N; i++)
                value[i] = (double)f32[i];
            check_half_stores(FA__CLASS_F32, f32, value);
            for (int i = 0; i < N; i++)
                value[i] = (double)i32[i];
            check_half_stores(FA__CLASS_I32, i32, value);
            for (int i = 0; i < N; i++)
                value[i] = (double)(i64[i] / 2048 * 2048); /* what f64 holds; ties are above */
            for (int i = 0; i < N; i++)
                i64[i] = (int64_t)value[i];
            check_half_stores(FA__CLASS_I64, i64, value);
        }
}

/* As x86 converts to 64 bits, and then modulo 2^n. */
static int64_t truncated(double x)
{
    return x >= -9223372036854775808.0 && x < 9223372036854775808.0 ? (int64_t)x : INT64_MIN;
}

static void test_floats_to_integers(void **test)
{
    (void)test;
    static float f32[N];
    static double f64[N];
    for (int l = 0; l < level_count; l++)
        for (int seed = 0; seed < 20; seed++) {
            assert_true(fa__cpu_level_use(levels[l]));
            fill(FA__CLASS_F32, f32, seed);
            fill(FA__CLASS_F64, f64, seed);
            for (int wide = 0; wide < 2; wide++) {
                const fa__simd_class *c = fa__cpu_simd->of[wide ? FA__CLASS_F64 : FA__CLASS_F32];
                const void *x = wide ? (const void *)f64 : f32;
                static uint8_t u8[N], b[N];
                static int8_t i8[N];
                static int16_t i16[N];
                static int32_t i32[N], in_i32[N];
                static int64_t i64[N], in_i64[N];
                c->store[FA_U8](u8, 1, x, N);
                c->store[FA_BOOL](b, 1, x, N);
                c->store[FA_I8](i8, 1, x, N);
                c->store[FA_I16](i16, 1, x, N);
                c->store[FA_I32](i32, 1, x, N);
                c->store[FA_I64](i64, 1, x, N);
                fa__cpu_simd->of[FA__CLASS_I32]->load[wide ? FA_F64 : FA_F32](in_i32, x, 1, N);
                fa__cpu_simd->of[FA__CLASS_I64]->load[wide ? FA_F64 : FA_F32](in_i64, x, 1, N);
                for (int i = 0; i < N; i++) {
                    double v = wide ? f64[i] : (double)f32[i];
                    int64_t want = truncated(v);
                    assert_int_equal(u8[i], (uint8_t)want);
                    assert_int_equal(i8[i], (int8_t)want);
                    assert_int_equal(i16[i], (int16_t)want);
                    assert_int_equal(i32[i], (int32_t)want);
                    assert_true(i64[i] == want);
                    assert_int_equal(b[i], v != 0);
                    assert_int_equal(in_i32[i], (int32_t)want);
                    assert_true(in_i64[i] == want);
                }
            }
        }
}

/* Integers to all, by strides: what a load gives, a store gives back. */
static void test_strides(void **test)
{
    (void)test;
    for (int class = 0; class < FA__CLASSES; class ++)
        for (int d = FA_BOOL; d < FA__DTYPES; d++)
            for (int stride = -3; stride <= 3; stride++) {
                const fa__simd_class *c = fa__cpu_simd->of[class];
                size_t size = fa__dtype_sizes[d];
                static char tile[64 * 8], dense[64 * 8], raw[400 * 8], guard[400 * 8];
                for (int i = 0; i < 64; i++) {
                    int64_t v = d == FA_BOOL ? i % 2 : i;
                    fa__cpu_simd->of[FA__CLASS_I64]->store[d](dense + (size_t)i * size, 1, &v, 1);
                }
                memset(raw, 0x5a, sizeof raw);
                memset(guard, 0x5a, sizeof guard);
                char *at = raw + 200 * size;
                c->load[d](tile, dense, 1, 64);
                if (stride != 0)
                    c->store[d](at, stride, tile, 64);
                for (int i = 0; i < 64 && stride != 0; i++) {
                    assert_memory_equal(at + (int64_t)size * stride * i, dense + (size_t)i * size, size);
                    memset(at + (int64_t)size * stride * i, 0x5a, size);
                }
                assert_memory_equal(raw, guard, sizeof raw);
                if (stride == 0)
                    memcpy(at, dense + 9 * size, size);
                for (int i = 0; i < 64 && stride != 0; i++)
                    memcpy(at + (int64_t)size * stride * i, dense + (size_t)i * size, size);
                static char again[64 * 8];
                c->load[d](again, at, stride, 64);
                for (int i = 0; i < 64; i++)
                    assert_memory_equal(again + (size_t)i * c->size, tile + (size_t)(stride ? i : 9) * c->size,
                                        c->size);
            }
}

/* Philox by the paper, one block; its known answers are below. */
static void philox(const uint32_t *counter, const uint32_t *key, uint32_t *out)
{
    uint32_t c[4], k[2] = {key[0], key[1]};
    memcpy(c, counter, sizeof c);
    for (int r = 0; r < 10; r++) {
        uint64_t p = (uint64_t)c[0] * 0xD2511F53u, q = (uint64_t)c[2] * 0xCD9E8D57u;
        uint32_t next[4] = {(uint32_t)(q >> 32) ^ c[1] ^ k[0], (uint32_t)q, (uint32_t)(p >> 32) ^ c[3] ^ k[1],
                            (uint32_t)p};
        memcpy(c, next, sizeof c);
        k[0] += 0x9E3779B9u;
        k[1] += 0xBB67AE85u;
    }
    memcpy(out, c, sizeof c);
}

static void lanes_at(fa__key key, int64_t block, uint32_t *lanes)
{
    uint32_t counter[4] = {(uint32_t)block, (uint32_t)((uint64_t)block >> 32), (uint32_t)key.call,
                           (uint32_t)(key.call >> 32)};
    uint32_t k[2] = {(uint32_t)key.seed, (uint32_t)(key.seed >> 32)};
    philox(counter, k, lanes);
}

static void test_philox_is_philox(void **test)
{
    (void)test;
    uint32_t zero[4] = {0}, ones[4] = {~0u, ~0u, ~0u, ~0u}, out[4];
    uint32_t pi[4] = {0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, pi_key[2] = {0xa4093822, 0x299f31d0};
    const uint32_t want[3][4] = {{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8},
                                 {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd},
                                 {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}};
    philox(zero, zero, out);
    assert_memory_equal(out, want[0], sizeof out);
    philox(ones, ones, out);
    assert_memory_equal(out, want[1], sizeof out);
    philox(pi, pi_key, out);
    assert_memory_equal(out, want[2], sizeof out);
}

static void test_random(void **test)
{
    (void)test;
    const fa__key key = {0x123456789abcdef0u, 0xfedcba9876543210u};
    const int64_t starts[] = {0, 1, 2, 3, 5, 127, 4294967295 * 4 - 3, 1000000007};
    for (int l = 0; l < level_count; l++)
        for (size_t s = 0; s < sizeof starts / sizeof starts[0]; s++)
            for (int n = 0; n < 300; n += 1 + n / 3) {
                float u[300], g[300];
                double v[300], h[300];
                assert_true(fa__cpu_level_use(levels[l]));
                fa__cpu_simd->of[FA__CLASS_F32]->uniform(u, key, starts[s], n);
                fa__cpu_simd->of[FA__CLASS_F32]->normal(g, key, starts[s], n);
                fa__cpu_simd->of[FA__CLASS_F64]->uniform(v, key, starts[s], n);
                fa__cpu_simd->of[FA__CLASS_F64]->normal(h, key, starts[s], n);
                for (int i = 0; i < n; i++) {
                    int64_t at = starts[s] + i;
                    uint32_t a[4], b[4];
                    lanes_at(key, at / 4, a);
                    lanes_at(key, at / 2, b);
                    float want = (float)(a[at % 4] >> 8) * 0x1p-24f;
                    const uint32_t *p = &b[at % 2 * 2];
                    double want64 = (double)((uint64_t)(p[0] >> 5) << 26 | p[1] >> 6) * 0x1p-53;
                    assert_true(u[i] == want);
                    assert_true(v[i] == want64);
                    double x = (double)((a[at % 4 & 2] >> 8) + 1) * 0x1p-24, y = (a[(at % 4 & 2) + 1] >> 8) * 0x1p-24;
                    double normal = sqrt(-2 * log(x)) * (at % 2 ? sin(2 * M_PI * y) : cos(2 * M_PI * y));
                    assert_true(fabs((double)g[i] - normal) <= 2e-6);
                    double x64 = (double)(((uint64_t)(b[0] >> 5) << 26 | b[1] >> 6) + 1) * 0x1p-53;
                    double y64 = (double)((uint64_t)(b[2] >> 5) << 26 | b[3] >> 6) * 0x1p-53;
                    double normal64 = sqrt(-2 * log(x64)) * (at % 2 ? sin(2 * M_PI * y64) : cos(2 * M_PI * y64));
                    assert_true(fabs(h[i] - normal64) <= 4e-15);
                }
            }
}

static void test_random_levels(void **test)
{
    (void)test;
    float f[LEVELS][N];
    double d[LEVELS][N];
    fa__key key = {42, 7};
    for (int l = 0; l < level_count; l++) {
        assert_true(fa__cpu_level_use(levels[l]));
        fa__cpu_simd->of[FA__CLASS_F32]->normal(f[l], key, 3, N);
        fa__cpu_simd->of[FA__CLASS_F64]->normal(d[l], key, 3, N);
        assert_memory_equal(f[0], f[l], sizeof f[0]);
        assert_memory_equal(d[0], d[l], sizeof d[0]);
    }
}

static void test_transposes(void **test)
{
    (void)test;
    for (int l = 0; l < level_count; l++)
        for (int log = 0; log < 4; log++)
            for (int rows = 0; rows < 20; rows++)
                for (int columns = 0; columns < 20; columns++) {
                    size_t size = (size_t)1 << log;
                    static unsigned char from[24 * 24 * 8], to[24 * 24 * 8], want[24 * 24 * 8];
                    assert_true(fa__cpu_level_use(levels[l]));
                    for (size_t i = 0; i < sizeof from; i++)
                        from[i] = (unsigned char)(i * 131 >> 3);
                    memset(to, 1, sizeof to);
                    memset(want, 1, sizeof want);
                    for (int r = 0; r < rows; r++)
                        for (int c = 0; c < columns; c++)
                            memcpy(want + (size_t)(r * 23 + c) * size, from + (size_t)(c * 21 + r) * size, size);
                    fa__cpu_simd->transpose[log](to, 23, from, 21, rows, columns);
                    assert_memory_equal(to, want, sizeof to);
                }
}

static void test_streams(void **test)
{
    (void)test;
    static char from[1000], to[1100], want[1100];
    for (int i = 0; i < 1000; i++)
        from[i] = (char)i;
    for (int l = 0; l < level_count; l++)
        for (int start = 0; start < 40; start += 3)
            for (int n = 0; n < 900; n += 1 + n / 5) {
                assert_true(fa__cpu_level_use(levels[l]));
                memset(to, 9, sizeof to);
                memset(want, 9, sizeof want);
                memcpy(want + start, from + 1, (size_t)n);
                fa__cpu_simd->stream(to + start, from + 1, n);
                fa__cpu_simd->stream_end();
                assert_memory_equal(to, want, sizeof to);
            }
}

static int setup(void **test)
{
    (void)test;
    levels = fa__cpu_level_names(&level_count);
    chosen = fa__cpu_level_name();
    return 0;
}

static int back(void **test)
{
    (void)test;
    return fa__cpu_level_use(chosen) ? 0 : -1;
}

#define TEST(name) cmocka_unit_test_teardown(name, back)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_primitives),  TEST(test_integer_powers),     TEST(test_small_powers), TEST(test_halves),
        TEST(test_half_stores), TEST(test_floats_to_integers), TEST(test_strides),      TEST(test_philox_is_philox),
        TEST(test_random),      TEST(test_random_levels),      TEST(test_transposes),   TEST(test_streams),
    };
    return cmocka_run_group_tests(tests, setup, NULL);
}
