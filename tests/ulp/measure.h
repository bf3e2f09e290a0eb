/* How far the math functions are from the truth, in units in the last place: shared by tests/math.c (a sample) and
 * tests/ulp/ulp.c (all of f32). f32 is held against libm's f64, f64 against libm's long double. */
#ifndef FA__TESTS_MEASURE_H
#define FA__TESTS_MEASURE_H
#include "backend/cpu/level.h"
#include <math.h>
#include <string.h>

typedef struct function {
    const char *name;
    fa__prim prim;
    int arity;
    double most[2]; /* what is allowed, in f32 and f64 */
    double (*f64)(double, double);
    long double (*longer)(long double, long double);
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

static const function functions[] = {
    {"exp", FA__PRIM_exp, 1, {0.90, 1.04}, exp_d, exp_l},
    {"log", FA__PRIM_log, 1, {0.80, 0.85}, log_d, log_l},
    {"sqrt", FA__PRIM_sqrt, 1, {0.501, 0.501}, sqrt_d, sqrt_l},
    {"tanh", FA__PRIM_tanh, 1, {1.35, 1.35}, tanh_d, tanh_l},
    {"sigmoid", FA__PRIM_sigmoid, 1, {2.5, 2.5}, sigmoid_d, sigmoid_l},
    {"erf", FA__PRIM_erf, 1, {1.0, 1.5}, erf_d, erf_l},
    {"sin", FA__PRIM_sin, 1, {0.51, 1.0}, sin_d, sin_l},
    {"cos", FA__PRIM_cos, 1, {0.51, 1.0}, cos_d, cos_l},
    {"pow", FA__PRIM_pow, 2, {0.51, 1.0}, pow, powl},
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
static inline void note(worst *w, double x, double y, double got, long double exact, bool single)
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
    long double ulp = fabsl((long double)got - exact) / (single ? unit(exact, 24, -149) : unit(exact, 53, -1074));
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
        note(w, (double)x[i], (double)y[i], (double)got[i], (long double)f->f64((double)x[i], (double)y[i]), true);
}

static inline void measure_f64(worst *w, const function *f, const double *x, const double *y, int n)
{
    double got[4096];
    fa__cpu_simd->of[FA__CLASS_F64]->prim[f->prim](got, x, y, NULL, n);
    for (int i = 0; i < n; i++)
        note(w, x[i], y[i], got[i], f->longer((long double)x[i], (long double)y[i]), false);
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
