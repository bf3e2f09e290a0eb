/* Special functions that the C library lacks, in long double and by other ways than the library's: integrals by the
 * trapezoidal rule, which is exact for periodic functions, continued fractions, plain sums. */
#ifndef FA__TESTS_SPECIAL_H
#define FA__TESTS_SPECIAL_H
#include <math.h>
#include <stdbool.h>

#define SPECIAL_PI 3.141592653589793238462643383279502884L

/* exp(x^2) erfc(x) for x >= 0: far from 0 by its continued fraction. */
static inline long double scaled_erfc(long double x)
{
    if (x < 3)
        return expl(x * x) * erfcl(x);
    long double f = 0;
    for (int k = 200; k > 0; k--)
        f = (long double)k / 2 / (x + f);
    return 1 / (sqrtl(SPECIAL_PI) * (x + f));
}

static inline double erfcx(double x)
{
    return x < 0 ? (double)(2 * expl((long double)x * (long double)x) - scaled_erfc(-(long double)x))
                 : (double)scaled_erfc((long double)x);
}

static inline long double erfcxl(long double x)
{
    return x < 0 ? 2 * expl(x * x) - scaled_erfc(-x) : scaled_erfc(x);
}

/* The part of the normal distribution below x. */
static inline long double ndtrl(long double x)
{
    long double h = fabsl(x) * sqrtl(0.5L), far = 0.5L * scaled_erfc(h) * expl(-0.5L * x * x);
    return isnan(x) ? x : x < -1 ? far : x > 1 ? 1 - far : 0.5L * (1 + erfl(x * sqrtl(0.5L)));
}

static inline long double log_ndtrl(long double x)
{
    return x < -1 ? logl(0.5L * scaled_erfc(-x * sqrtl(0.5L))) - 0.5L * x * x : log1pl(-ndtrl(-x));
}

/* By halving; in the middle of what is above or below 1/2. */
static inline long double ndtril(long double p)
{
    long double low = -40, high = 0, q = p > 0.5L ? 1 - p : p;
    if (!(p > 0 && p < 1))
        return p == 0 ? -INFINITY : p == 1 ? INFINITY : NAN;
    for (int i = 0; i < 200; i++) {
        long double middle = (low + high) / 2;
        bool below = q > 0.25L ? erfl(middle * sqrtl(0.5L)) < 2 * q - 1 : ndtrl(middle) < q;
        *(below ? &low : &high) = middle;
    }
    return p > 0.5L ? -low : low;
}

/* J_n(x): the mean of cos(n t - x sin(t)). */
static inline long double bessel_j(int n, long double x)
{
    long double sum = 0;
    int points = 2 * (int)fabsl(x) + 80 + n;
    for (int k = 0; k < points; k++) {
        long double t = 2 * SPECIAL_PI * ((long double)k + 0.5L) / (long double)points;
        sum += cosl((long double)n * t - x * sinl(t));
    }
    return sum / (long double)points;
}

/* Y_0 and its derivative, which is -Y_1, by Neumann's series. */
static inline long double bessel_y(int n, long double x)
{
    long double l = logl(x / 2) + 0.577215664901532860606512090082402431L, sum = 0;
    if (!(x > 0))
        return x == 0 ? -INFINITY : NAN;
    for (int k = 1; 2 * k < 40 + 2 * (int)x; k++) {
        long double j = n ? (bessel_j(2 * k + 1, x) - bessel_j(2 * k - 1, x)) / 2 : bessel_j(2 * k, x);
        sum += (k % 2 ? j : -j) / (long double)k;
    }
    long double first = n ? l * bessel_j(1, x) - bessel_j(0, x) / x : l * bessel_j(0, x);
    return 2 / SPECIAL_PI * (first + 2 * sum);
}

/* I_n(x) exp(-|x|): the mean of exp(x cos(t) - |x|) cos(n t). */
static inline long double bessel_i(int n, long double x)
{
    long double sum = 0;
    int points = 100 + 20 * (int)sqrtl(fabsl(x));
    if (n == 1 && fabsl(x) < 0.1L) /* where that would cancel */
        return expl(-fabsl(x)) * x / 2 * (1 + x * x / 8 * (1 + x * x / 24 * (1 + x * x / 48 * (1 + x * x / 80))));
    for (int k = 0; k < points; k++) {
        long double t = 2 * SPECIAL_PI * ((long double)k + 0.5L) / (long double)points, s = sinl(t / 2),
                    c = cosl(t / 2);
        sum += expl(x < 0 ? 2 * x * c * c : -2 * x * s * s) * (n ? cosl(t) : 1);
    }
    return sum / (long double)points;
}

/* K_n(x) exp(x): the integral of exp(x - x cosh(t)) cosh(n t) over t > 0. */
static inline long double bessel_k(int n, long double x)
{
    long double sum = 0.5L, step = 0.1L / sqrtl(1 + fabsl(x));
    if (!(x > 0))
        return x == 0 ? INFINITY : NAN;
    for (int k = 1; k < 4000; k++) {
        long double t = step * (long double)k, s = sinhl(t / 2), term = expl(-2 * x * s * s) * (n ? coshl(t) : 1);
        sum += term;
        if (term < sum * 1e-22L)
            break;
    }
    return sum * step;
}

/* The sum of (q + k)^-s: up to q = 200, and the rest by Euler and Maclaurin. */
static inline long double zetal(long double s, long double q)
{
    static const long double bernoulli[] = {1 / 6.0L, -1 / 30.0L, 1 / 42.0L, -1 / 30.0L, 5 / 66.0L, -691 / 2730.0L};
    long double sum = 0, rising = s, factorial = 2;
    if (isnan(s) || isnan(q) || s < 1)
        return NAN;
    if (s == 1 || (q <= 0 && q == floorl(q)))
        return INFINITY;
    if (q < 0 && s != floorl(s))
        return NAN;
    while (q < 200) {
        sum += powl(q, -s);
        q += 1;
    }
    sum += powl(q, 1 - s) / (s - 1) + powl(q, -s) / 2;
    for (int k = 1; k <= 6; k++) {
        sum += bernoulli[k - 1] / factorial * rising * powl(q, -s - 2 * (long double)k + 1);
        rising *= (s + 2 * (long double)k - 1) * (s + 2 * (long double)k);
        factorial *= (2 * (long double)k + 1) * (2 * (long double)k + 2);
    }
    return sum;
}

/* The lower incomplete gamma function (upper: the upper one) by its series, or its continued fraction from the end. */
static inline long double gamma_part(long double a, long double x, int upper)
{
    long double density, sum = 1, term = 1;
    if (!(a >= 0 && x >= 0) || (a == 0 && x == 0) || (isinf(a) && isinf(x)))
        return NAN;
    if (a == 0 || x == 0 || isinf(a) || isinf(x))
        return (x > 0 && !isinf(a)) != (upper != 0);
    if (a < 50)
        density = expl(a * logl(x) - x - lgammal(a + 1));
    else { /* by Stirling, whose sums do not cancel */
        long double m = (x - a) / a, r = 1 / (a * a);
        long double rest = (1 / 12.0L - r * (1 / 360.0L - r * (1 / 1260.0L - r * (1 / 1680.0L - r / 1188)))) / a;
        density = expl(a * (log1pl(m) - m) - rest) / sqrtl(2 * SPECIAL_PI * a);
    }
    if (x < a + 1) {
        for (int k = 1; k < 100000 && term > sum * 1e-22L; k++) {
            term *= x / (a + (long double)k);
            sum += term;
        }
        return upper ? 1 - density * sum : density * sum;
    }
    long double f = 0;
    for (int k = 20000; k > 0; k--)
        f = (long double)k * (a - (long double)k) / (x + 2 * (long double)k + 1 - a + f);
    f = density * a / (x + 1 - a + f);
    return upper ? f : 1 - f;
}
#endif
