/* How far the math functions are from the truth, in units in the last place: shared by tests/cpu/math.c (a sample) and
 * tests/ulp/ulp.c (all of f32). f32 is held against libm's f64, f64 against libm's long double. */
#ifndef FA__TESTS_MEASURE_H
#define FA__TESTS_MEASURE_H
#include "backend/cpu/level.h"
#include "support/gamma.h"
#include <string.h>

typedef struct function {
    const char *name;
    fa__prim prim;
    int arity;
    double most[2]; /* what is allowed, in f32 and f64 */
    double (*f64)(double, double);
    long double (*longer)(long double, long double);
    double scale; /* results below it are held as if they were of this size: where the function is 0 between numbers */
} function;

#define UNARY(name)                                                                                                    \
    static double name##_d(double x, double y)                                                                         \
    {                                                                                                                  \
        (void)y;                                                                                                       \
        return name(x);                                                                                                \
    }                                                                                                                  \
    static long double name##_l(long double x, long double y)                                                          \
    {                                                                                                                  \
        (void)y;                                                                                                       \
        return name##l(x);                                                                                             \
    }
static inline double sigmoid(double x)
{
    return 1 / (1 + exp(-x));
}
static inline long double sigmoidl(long double x)
{
    return 1 / (1 + expl(-x));
}
UNARY(exp)
UNARY(log)
UNARY(sqrt)
UNARY(tanh)
UNARY(sigmoid)
UNARY(erf)
UNARY(sin)
UNARY(cos)
UNARY(exp2)
UNARY(expm1)
UNARY(log2)
UNARY(log10)
UNARY(log1p)
UNARY(erfc)
UNARY(tan)
UNARY(asin)
UNARY(acos)
UNARY(atan)
UNARY(sinh)
UNARY(cosh)
UNARY(asinh)
UNARY(acosh)
UNARY(atanh)
static inline double softplus(double x)
{
    return (x > 0 ? x : 0) + log1p(exp(-fabs(x)));
}
static inline long double softplusl(long double x)
{
    return (x > 0 ? x : 0) + log1pl(expl(-fabsl(x)));
}
static inline double erfinv(double x)
{
    return (double)inverse_erf(x);
}
static inline long double erfinvl(long double x)
{
    return inverse_erf(x);
}
/* Without the sign of gamma that some C libraries keep aside, and threads share. */
static inline double log_gamma(double x)
{
    int sign;
    return lgamma_r(x, &sign);
}
static inline long double log_gammal(long double x)
{
    int sign;
    return lgammal_r(x, &sign);
}
static inline double digamma(double x)
{
    return (double)psi(0, x);
}
static inline long double digammal(long double x)
{
    return psi(0, x);
}
UNARY(softplus)
UNARY(erfinv)
UNARY(log_gamma)
UNARY(digamma)
/* The order is the first operand, an integer from 0 to 4; where x is negative there is a test of its own. */
static inline double polygamma_d(double n, double x)
{
    return (double)psi(n, x);
}
static inline long double polygamma_l(long double n, long double x)
{
    return psi((double)n, x);
}

static const function functions[] = {
    {"exp", FA__PRIM_exp, 1, {0.90, 1.04}, exp_d, exp_l, 0},
    {"log", FA__PRIM_log, 1, {0.80, 0.85}, log_d, log_l, 0},
    {"sqrt", FA__PRIM_sqrt, 1, {0.501, 0.501}, sqrt_d, sqrt_l, 0},
    {"tanh", FA__PRIM_tanh, 1, {1.35, 1.35}, tanh_d, tanh_l, 0},
    {"sigmoid", FA__PRIM_sigmoid, 1, {2.5, 2.5}, sigmoid_d, sigmoid_l, 0},
    {"erf", FA__PRIM_erf, 1, {1.0, 1.5}, erf_d, erf_l, 0},
    {"sin", FA__PRIM_sin, 1, {0.51, 1.0}, sin_d, sin_l, 0},
    {"cos", FA__PRIM_cos, 1, {0.51, 1.0}, cos_d, cos_l, 0},
    {"pow", FA__PRIM_pow, 2, {0.51, 1.0}, pow, powl, 0},
    {"exp2", FA__PRIM_exp2, 1, {0.9, 0.9}, exp2_d, exp2_l, 0},
    {"expm1", FA__PRIM_expm1, 1, {1.2, 1.2}, expm1_d, expm1_l, 0},
    {"log2", FA__PRIM_log2, 1, {0.8, 0.85}, log2_d, log2_l, 0},
    {"log10", FA__PRIM_log10, 1, {0.8, 0.75}, log10_d, log10_l, 0},
    {"log1p", FA__PRIM_log1p, 1, {0.9, 0.9}, log1p_d, log1p_l, 0},
    {"softplus", FA__PRIM_softplus, 1, {1.7, 1.7}, softplus_d, softplus_l, 0},
    {"erfc", FA__PRIM_erfc, 1, {0.51, 4}, erfc_d, erfc_l, 0},
    {"erfinv", FA__PRIM_erfinv, 1, {0.51, 2.5}, erfinv_d, erfinv_l, 0},
    {"tan", FA__PRIM_tan, 1, {0.51, 2.2}, tan_d, tan_l, 0},
    {"asin", FA__PRIM_asin, 1, {0.51, 0.65}, asin_d, asin_l, 0},
    {"acos", FA__PRIM_acos, 1, {0.51, 0.65}, acos_d, acos_l, 0},
    {"atan", FA__PRIM_atan, 1, {0.85, 0.8}, atan_d, atan_l, 0},
    {"sinh", FA__PRIM_sinh, 1, {0.51, 1.6}, sinh_d, sinh_l, 0},
    {"cosh", FA__PRIM_cosh, 1, {0.51, 1.5}, cosh_d, cosh_l, 0},
    {"asinh", FA__PRIM_asinh, 1, {0.51, 1.7}, asinh_d, asinh_l, 0},
    {"acosh", FA__PRIM_acosh, 1, {0.51, 2.0}, acosh_d, acosh_l, 0},
    {"atanh", FA__PRIM_atanh, 1, {0.51, 2.1}, atanh_d, atanh_l, 0},
    {"lgamma", FA__PRIM_lgamma, 1, {0.51, 6.0}, log_gamma_d, log_gamma_l, 1},
    {"digamma", FA__PRIM_digamma, 1, {0.51, 40}, digamma_d, digamma_l, 1},
    {"atan2", FA__PRIM_atan2, 2, {0.85, 0.8}, atan2, atan2l, 0},
    {"hypot", FA__PRIM_hypot, 2, {0.6, 0.51}, hypot, hypotl, 0},
    {"fmod", FA__PRIM_fmod, 2, {0.0, 0.0}, fmod, fmodl, 0},
};
enum { FUNCTIONS = sizeof functions / sizeof functions[0] };

typedef struct worst {
    double ulp, x, y;
    int64_t wrong; /* NaN, infinity or sign of zero where it should not be, or not where it should */
    double wrong_x, wrong_y;
} worst;

static inline float float_of(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static inline double double_of(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* The distance between neighbours of the format around a number: bits of significand, smallest exponent. */
static inline long double unit(long double x, int bits, int least)
{
    int e;
    if (x == 0)
        return ldexpl(1, least);
    (void)frexpl(x, &e);
    return ldexpl(1, e - bits > least ? e - bits : least);
}

/* Notes one result against the exact one. */
static inline void note(worst *w, double x, double y, double got, long double exact, double scale, bool single)
{
    double rounded = single ? (double)(float)exact : (double)exact;
    bool right = isnan(got) == isnan(rounded);
    if (right && !isnan(got) && (isinf(rounded) || isinf(got) || rounded == 0))
        right = got == rounded ? !signbit(got) == !signbit(rounded)
                               : !isnan(nextafter(got, rounded)) && fabsl(exact) > 0 && !isinf((double)exact);
    if (!right) {
        w->wrong_x = x, w->wrong_y = y;
        w->wrong++;
        return;
    }
    if (isnan(got) || isinf(got) || isinf(rounded))
        return;
    long double size = fabsl(exact) < (long double)scale ? (long double)scale : exact;
    long double ulp = fabsl((long double)got - exact) / (single ? unit(size, 24, -149) : unit(size, 53, -1074));
    if (!((double)ulp <= w->ulp)) {
        w->ulp = (double)ulp;
        w->x = x, w->y = y;
    }
}

static inline void merge(worst *a, const worst *b)
{
    if (b->ulp > a->ulp)
        a->ulp = b->ulp, a->x = b->x, a->y = b->y;
    if (b->wrong)
        a->wrong_x = b->wrong_x, a->wrong_y = b->wrong_y;
    a->wrong += b->wrong;
}

/* n inputs of f32 through a function. */
static inline void measure_f32(worst *w, const function *f, const float *x, const float *y, int n)
{
    float got[4096];
    fa__cpu_simd->of[FA__CLASS_F32]->prim[f->prim](got, x, y, NULL, n);
    for (int i = 0; i < n; i++)
        note(w, (double)x[i], (double)y[i], (double)got[i], (long double)f->f64((double)x[i], (double)y[i]), f->scale,
             true);
}

static inline void measure_f64(worst *w, const function *f, const double *x, const double *y, int n)
{
    double got[4096];
    fa__cpu_simd->of[FA__CLASS_F64]->prim[f->prim](got, x, y, NULL, n);
    for (int i = 0; i < n; i++)
        note(w, x[i], y[i], got[i], f->longer((long double)x[i], (long double)y[i]), f->scale, false);
}

/* A sequence of numbers that are random enough (xorshift). */
static inline uint64_t draw(uint64_t *state)
{
    uint64_t x = *state;
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    return *state = x;
}

/* Numbers of every size, half of them near 1, where functions do what they are for. */
static inline double draw_number(uint64_t *state, bool single)
{
    uint64_t r = draw(state), s = draw(state);
    if (s & 1)
        return single ? (double)float_of((uint32_t)r) : double_of(r);
    double u = ldexp((double)(int64_t)r, -63);
    u = u * ldexp(1, (int)(s >> 8 & 15) - 5);
    return single ? (double)(float)u : u;
}
#endif
