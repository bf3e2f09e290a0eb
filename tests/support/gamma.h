/* What the C library lacks, in long double and by other ways than the library's: the inverse of erf, and digamma with
 * its derivatives. */
#ifndef FA__TESTS_GAMMA_H
#define FA__TESTS_GAMMA_H
#include <math.h>
#include <stdbool.h>

/* By halving, then Newton: erfc where erf is near 1. */
static inline long double inverse_erf(long double x)
{
    long double a = fabsl(x), low = 0, high = 7;
    if (!(a < 1))
        return a == 1 ? copysignl(INFINITY, x) : NAN;
    for (int i = 0; i < 30; i++) {
        long double middle = (low + high) / 2;
        bool below = a > 0.5L ? erfcl(middle) > 1 - a : erfl(middle) < a;
        *(below ? &low : &high) = middle;
    }
    long double y = a < 1e-6L ? a * 0.886226925452758013649083741670572591L : (low + high) / 2;
    for (int i = 0; i < 6 && a >= 1e-6L; i++) {
        long double over = a > 0.5L ? (1 - a) - erfcl(y) : erfl(y) - a;
        y -= over / (1.128379167095512573896158903121545172L * expl(-y * y));
    }
    return copysignl(a < 1e-6L ? y * (1 + a * a * 0.2617993877991494365L) : y, x);
}

/* The n-th derivative of digamma: by recurrence up to 40, then the asymptotic series; of negative numbers too. */
static inline long double psi(double n, long double x)
{
    static const long double bernoulli[] = {1 / 6.0L,       -1 / 30.0L,      1 / 42.0L, -1 / 30.0L,
                                            5 / 66.0L,      -691 / 2730.0L,  7 / 6.0L,  -3617 / 510.0L,
                                            43867 / 798.0L, -174611 / 330.0L};
    long double sum = 0, factorial = 1, s = (long double)n;
    if (isnan(x) || n < 0 || n != floor(n) || (x <= 0 && x == floorl(x)) || (n > 0 && x < -10000))
        return x == 0 && n == 0 ? (signbit(x) ? INFINITY : -INFINITY) : NAN;
    if (isinf(x))
        return n > 0 ? 0 : x;
    for (int k = 2; k <= n; k++)
        factorial *= k;
    if (n == 0 && x < -100) { /* reflected */
        long double pi = 3.141592653589793238462643383279502884L, f = pi * (x - roundl(x));
        return psi(0, 1 - x) - pi * cosl(f) / sinl(f);
    }
    while (x < 40) {
        sum += powl(x, -s - 1);
        x += 1;
    }
    if (n == 0) {
        long double y = logl(x) - 1 / (2 * x) - sum;
        for (int k = 0; k < 10; k++)
            y -= bernoulli[k] / ((2 * k + 2) * powl(x, 2 * k + 2));
        return y;
    }
    long double tail = powl(x, -s) / s + powl(x, -s - 1) / 2, rising = s + 1, twice = 2;
    for (int k = 0; k < 10; k++) {
        tail += bernoulli[k] / twice * rising * powl(x, -s - 2 - 2 * k);
        rising *= (s + 2 + 2 * k) * (s + 3 + 2 * k);
        twice *= (2 * k + 3) * (2 * k + 4);
    }
    return (fmod(n, 2) == 0 ? -1 : 1) * factorial * (sum + tail);
}
#endif
