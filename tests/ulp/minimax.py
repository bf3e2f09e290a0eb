#!/usr/bin/env python3
"""Prints the polynomials of src/backend/cpu/simd/math*.inc: minimax.py [name...].

Each is the best one in the sense of Remez: it minimises the largest weighted error over an interval, by exchange on a
fine grid of Chebyshev points. Coefficients are then rounded to the format one by one, lowest power first, and those
that are left are fitted again after each, so that they make up for the rounding. Needs mpmath."""
import struct
import sys

from mpmath import mp, mpf

mp.prec = 180


def thin(peaks, e, n):
    """n of the alternating peaks, the smallest pairs left out."""
    peaks = list(peaks)
    while len(peaks) > n:
        if len(peaks) == n + 1:
            peaks.pop(0 if abs(e[peaks[0]]) < abs(e[peaks[-1]]) else -1)
        else:
            i = min(range(len(peaks) - 1), key=lambda j: max(abs(e[peaks[j]]), abs(e[peaks[j + 1]])))
            del peaks[i:i + 2]
    return peaks


def window(peaks, e, n):
    """n neighbouring peaks: among those with the largest one, where the smallest is largest."""
    top = max(range(len(peaks)), key=lambda j: abs(e[peaks[j]]))
    starts = [j for j in range(len(peaks) - n + 1) if j <= top < j + n]
    j = max(starts, key=lambda j: min(abs(e[p]) for p in peaks[j:j + n]))
    return peaks[j:j + n]


def exchange(f, w, basis, grid):
    """Coefficients c with max |(sum c_k basis_k - f) w| smallest on the grid, and that maximum."""
    n = len(basis)
    rows = [[b(x) for b in basis] for x in grid]
    fs, ws = [f(x) for x in grid], [w(x) for x in grid]
    best = None
    for choose in thin, window:
        at = [(2 * k + 1) * len(grid) // (2 * (n + 1)) for k in range(n + 1)]
        for _ in range(25):
            a, b = mp.matrix(n + 1, n + 1), mp.matrix(n + 1, 1)
            for i, p in enumerate(at):
                for k in range(n):
                    a[i, k] = rows[p][k]
                a[i, n] = (-1) ** i / ws[p]
                b[i] = fs[p]
            c = mp.lu_solve(a, b)
            e = [(sum(c[k] * r[k] for k in range(n)) - v) * u for r, v, u in zip(rows, fs, ws)]
            worst = max(abs(v) for v in e)
            if not best or worst < best[1]:
                best = [c[k] for k in range(n)], worst
            peaks = [0]
            for i in range(1, len(e)):
                if (e[i] > 0) != (e[peaks[-1]] > 0):
                    peaks.append(i)
                elif abs(e[i]) > abs(e[peaks[-1]]):
                    peaks[-1] = i
            if len(peaks) <= n or peaks == at or worst < abs(c[n]) * mpf("1.0005"):
                break
            at = choose(peaks, e, n + 1)
    return best


def to_f32(x):
    return mpf(struct.unpack("f", struct.pack("f", nearest(x, 24)))[0])


def nearest(x, bits):
    with mp.workprec(bits):
        return float(+x)


def to_f64(x):
    return mpf(nearest(x, 53))


def fit(f, w, powers, lo, hi, form):
    """The coefficients in the format, and the largest weighted error that is left."""
    count = 50 * (len(powers) + 1)
    mid, half = (mpf(lo) + hi) / 2, (mpf(hi) - lo) / 2
    grid = [mid - half * mp.cos(mp.pi * (i + mpf(1) / 2) / count) for i in range(count)]
    done = []
    for _ in powers:
        left = powers[len(done):]
        rest = lambda x: f(x) - sum(c * x ** p for c, p in zip(done, powers))
        c, worst = exchange(rest, w, [lambda x, p=p: x ** p for p in left], grid)
        done.append(form(c[0]))
    error = max(abs((sum(c * x ** p for c, p in zip(done, powers)) - f(x)) * w(x)) for x in grid)
    return done, error


one = lambda x: mpf(1)
ln2 = mp.log(2)


def atanh_tail(z):
    """(atanh(s) / s - 1) / z for z = s * s"""
    return sum(z ** k / (2 * k + 3) for k in range(60))


def log_tail(x):
    return mp.log1p(x) - x + x * x / 2


def exp_tail(x):
    return sum(x ** k / mp.factorial(k) for k in range(2, 40))


def odd(f):
    """f(x) / x - 1 as a function of z = x * x"""
    return lambda z: f(mp.sqrt(z)) / mp.sqrt(z) - 1


def cos_tail(z):
    return mp.cos(mp.sqrt(z)) - 1 + z / 2


def by_value(f):
    return lambda z: mp.sqrt(z) / f(mp.sqrt(z))


def log_erfc(x):
    return mp.log(mp.erfc(x))


def erfc_weight(x):
    return mp.erfc(x) / mp.erf(x)


def turn(f):
    """f(2 pi x) / x as a function of z = x * x"""
    return lambda z: f(2 * mp.pi * mp.sqrt(z)) / mp.sqrt(z)


def turn_weight(z):
    return 1 / turn(mp.sin)(z)


def cos_turn(z):
    return mp.cos(2 * mp.pi * mp.sqrt(z)) - 1


def scaled_erfc(q):
    """(1 + 2 x) exp(x^2) erfc(x) as a function of q = (x - 4) / (x + 4)"""
    x = 4 * (1 + q) / (1 - q)
    return (1 + 2 * x) * mp.exp(x * x) * mp.erfc(x)


def lgamma_middle(t):
    """lgamma(x) / ((x - 1) (x - 2)) as a function of t = x - 3/2"""
    return mp.log(mp.gamma(t + mpf(3) / 2)) / (t * t - mpf(1) / 4)


def by_half(n, f):
    """f(n, x) / (x / 2)^n as a function of (x / 2)^2"""
    return lambda z: f(n, 2 * mp.sqrt(z)) / mp.sqrt(z) ** n


def far(f, scale):
    """f(x) sqrt(x) as a function of q = scale / x - 1"""
    return lambda q: f(scale / (1 + q)) * mp.sqrt(scale / (1 + q))


def k0_rest(z):
    """K0(x) + log(x / 2) I0(x) as a function of (x / 2)^2"""
    x = 2 * mp.sqrt(z)
    return mp.besselk(0, x) + mp.log(x / 2) * mp.besseli(0, x)


def k1_rest(z):
    """(K1(x) - 1 / x - log(x / 2) I1(x)) / (x / 2) as a function of (x / 2)^2"""
    x = 2 * mp.sqrt(z)
    return (mp.besselk(1, x) - 1 / x - mp.log(x / 2) * mp.besseli(1, x)) / (x / 2)


def of_square(f):
    """f(x) as a function of t = x^2 / 32 - 1"""
    return lambda t: f(mp.sqrt(32 * (1 + t)))


def y0_rest(x):
    return mp.bessely(0, x) - 2 / mp.pi * mp.log(x) * mp.besselj(0, x)


def y1_rest(x):
    return (mp.bessely(1, x) - 2 / mp.pi * (mp.log(x) * mp.besselj(1, x) - 1 / x)) / x


def waves(n, part):
    """What stands before cos and sin of x - (2 n + 1) pi / 4 in J_n(x) sqrt(pi x / 2); of t = 128 / x^2 - 1."""
    def f(t):
        x = mp.sqrt(128 / (1 + t))
        a, j, y = x - (2 * n + 1) * mp.pi / 4, mp.besselj(n, x), mp.bessely(n, x)
        p, q = j * mp.cos(a) + y * mp.sin(a), y * mp.cos(a) - j * mp.sin(a)
        return mp.sqrt(mp.pi * x / 2) * (q * x if part else p)
    return f


half_ln2, s2 = mpf("0.34661"), mp.sqrt(2)
quarter = (mp.pi / 4 + mpf("1e-9")) ** 2
eighth = mpf(1) / 64
zlog = ((s2 - 1) / (s2 + 1)) ** 2
upto = lambda a, n: list(range(a, a + n))

# name: function, weight, powers, interval, format
FITS = {
    "exp_f32": (exp_tail, lambda x: mp.exp(-x), upto(2, 5), -half_ln2, half_ln2, to_f32),
    "expm1_f32": (exp_tail, lambda x: 1 / abs(mp.expm1(x)), upto(2, 6), -half_ln2, half_ln2, to_f32),
    "exp2_f32": (lambda x: mpf(2) ** x - 1, lambda x: mpf(2) ** -x, upto(1, 6), mpf("-0.5001"), mpf("0.5001"), to_f32),
    "log_f32": (log_tail, lambda x: 1 / abs(mp.log1p(x)), upto(3, 9), 1 / s2 - 1, s2 - 1, to_f32),
    "tanh_f32": (odd(mp.tanh), by_value(mp.tanh), upto(1, 5), mpf("1e-12"), mpf("0.625") ** 2, to_f32),
    "erf_small_f32": (odd(mp.erf), by_value(mp.erf), upto(0, 7), mpf("1e-12"), 1, to_f32),
    "erf_large_f32": (lambda x: log_erfc(x) + 1.125 * x, erfc_weight, upto(0, 7), 1, 4, to_f32),
    "atan_f32": (odd(mp.atan), by_value(mp.atan), upto(1, 5), mpf("1e-12"), mpf("0.4143") ** 2, to_f32),
    "exp_f64": (exp_tail, lambda x: mp.exp(-x), upto(2, 10), -half_ln2, half_ln2, to_f64),
    "log_f64": (lambda z: 2 * z * atanh_tail(z), one, upto(1, 7), mpf("1e-12"), zlog, to_f64),
    "tanh_f64": (odd(mp.tanh), by_value(mp.tanh), upto(1, 11), mpf("1e-12"), mpf("0.625") ** 2, to_f64),
    "erf_small_f64": (odd(mp.erf), by_value(mp.erf), upto(0, 13), mpf("1e-12"), mpf("0.9375") ** 2, to_f64),
    "erf_large_f64": (log_erfc, erfc_weight, upto(0, 19), mpf("0.9375"), 6, to_f64),
    "sin_f64": (odd(mp.sin), by_value(mp.sin), upto(1, 6), mpf("1e-12"), quarter, to_f64),
    "cos_f64": (cos_tail, lambda z: 1 / mp.cos(mp.sqrt(z)), upto(2, 6), mpf("1e-12"), quarter, to_f64),
    "sin_wide": (odd(mp.sin), by_value(mp.sin), upto(1, 4), mpf("1e-12"), quarter, to_f64),
    "cos_wide": (lambda z: mp.cos(mp.sqrt(z)) - 1, one, upto(1, 4), mpf("1e-12"), quarter, to_f64),
    "sin_turn_f32": (turn(mp.sin), turn_weight, upto(0, 4), mpf("1e-12"), eighth, to_f32),
    "cos_turn_f32": (cos_turn, one, upto(1, 4), mpf("1e-12"), eighth, to_f32),
    "sin_turn_f64": (turn(mp.sin), turn_weight, upto(0, 8), mpf("1e-12"), eighth, to_f64),
    "cos_turn_f64": (cos_turn, one, upto(1, 8), mpf("1e-12"), eighth, to_f64),
    "atan_f64": (odd(mp.atan), by_value(mp.atan), upto(1, 11), mpf("1e-12"), mpf("0.4143") ** 2, to_f64),
    "asin_f64": (odd(mp.asin), by_value(mp.asin), upto(1, 13), mpf("1e-12"), mpf("0.25"), to_f64),
    "sinh_f64": (odd(mp.sinh), by_value(mp.sinh), upto(1, 8), mpf("1e-12"), 1, to_f64),
    "log_wide": (lambda z: 2 * z * atanh_tail(z) / ln2, one, upto(1, 5), mpf("1e-12"), zlog, to_f64),
    "exp2_wide": (lambda x: mp.mpf(2) ** x, lambda x: mpf(2) ** -x, upto(0, 9), mpf("-0.5001"), mpf("0.5001"), to_f64),
    "pow_log": (lambda z: atanh_tail(z) - mpf(1) / 3, lambda z: z, upto(1, 9), mpf("1e-12"), zlog, to_f64),
}


# Long polynomials over intervals with 0 inside, for which the rounding one by one does not work: taken through the
# Chebyshev points instead. name: function, powers, interval
THROUGH = {
    "erfc_f64": (scaled_erfc, upto(0, 24), mpf("-0.8"), mpf("0.76")),
    "lgamma_f64": (lgamma_middle, upto(0, 22), mpf("-0.5"), mpf("0.5")),
    "i0_near": (by_half(0, mp.besseli), upto(0, 21), mpf(0), mpf(16)),
    "i1_near": (by_half(1, mp.besseli), upto(0, 20), mpf("1e-30"), mpf(16)),
    "i0_far": (far(lambda x: mp.besseli(0, x) * mp.exp(-x), 8 * 2), upto(0, 24), mpf(-1), mpf(1)),
    "i1_far": (far(lambda x: mp.besseli(1, x) * mp.exp(-x), 8 * 2), upto(0, 24), mpf(-1), mpf(1)),
    "k0_near": (k0_rest, upto(0, 13), mpf("1e-30"), mpf(1)),
    "k1_near": (k1_rest, upto(0, 13), mpf("1e-30"), mpf(1)),
    "k0_far": (far(lambda x: mp.besselk(0, x) * mp.exp(x), 4), upto(0, 26), mpf(-1), mpf(1)),
    "k1_far": (far(lambda x: mp.besselk(1, x) * mp.exp(x), 4), upto(0, 26), mpf(-1), mpf(1)),
    "j0_near": (of_square(lambda x: mp.besselj(0, x)), upto(0, 22), mpf(-1), mpf(1)),
    "j1_near": (of_square(lambda x: mp.besselj(1, x) / x), upto(0, 22), mpf(-1), mpf(1)),
    "y0_near": (of_square(y0_rest), upto(0, 22), mpf(-1), mpf(1)),
    "y1_near": (of_square(y1_rest), upto(0, 22), mpf(-1), mpf(1)),
    "p0_far": (waves(0, 0), upto(0, 14), mpf(-1), mpf(1)),
    "q0_far": (waves(0, 1), upto(0, 15), mpf(-1), mpf(1)),
    "p1_far": (waves(1, 0), upto(0, 14), mpf(-1), mpf(1)),
    "q1_far": (waves(1, 1), upto(0, 15), mpf(-1), mpf(1)),
}


def through(f, powers, lo, hi):
    n = len(powers)
    points = [(lo + hi) / 2 + (hi - lo) / 2 * mp.cos(mp.pi * (2 * i + 1) / (2 * n)) for i in range(n)]
    c = mp.lu_solve(mp.matrix([[x ** p for p in powers] for x in points]), mp.matrix([f(x) for x in points]))
    c = [to_f64(k) for k in c]
    grid = [lo + (hi - lo) * (i + mpf(1) / 3) / 700 for i in range(700)]
    return c, max(abs(sum(k * x ** p for k, p in zip(c, powers)) / f(x) - 1) for x in grid)


def temme(orders, most):
    """Coefficients by powers of eta of what stands before a^-k in the uniform expansion of the incomplete gamma
    function (dlmf.nist.gov/8.12), with eta^2 / 2 = m - log(1 + m)."""
    n = most + 2 * orders + 4
    m = [mpf(0), mpf(1)]  # m by powers of eta: m m' = eta (1 + m)
    for k in range(2, n + 2):
        known = sum(m[i] * (k + 1 - i) * m[k + 1 - i] for i in range(2, k))
        m.append((m[k - 1] - known) / (k + 1))
    over = [mpf(1)]  # eta / m
    for k in range(1, n):
        over.append(-sum(m[i + 1] * over[k - i] for i in range(1, k + 1)))
    first = [over[k + 1] for k in range(n - 1)]
    bernoulli = [mp.bernoulli(2 * k) / (2 * k * (2 * k - 1)) for k in range(1, orders + 1)]
    exponent = [mpf(0)] * (2 * orders)  # log of gamma over Stirling's formula, by powers of 1 / a
    for k, b in enumerate(bernoulli):
        if 2 * k + 1 < len(exponent):
            exponent[2 * k + 1] = b
    series = [mpf(1)]
    for k in range(1, orders + 1):
        series.append(sum(i * exponent[i] * series[k - i] for i in range(1, k + 1)) / k)
    rows = [first]
    for k in range(1, orders):
        before, sign = rows[-1], (-1) ** k
        rows.append([(j + 2) * before[j + 2] + sign * series[k] * first[j] for j in range(len(before) - 2)])
    return rows


def print_temme():
    for k, (row, count) in enumerate(zip(temme(6, 18), (18, 15, 12, 10, 8, 6))):
        print(f"temme_{k}: by powers of eta")
        for j in range(count):
            print(f"    x^{j}: {mp.nstr(to_f64(row[j]), 17)}  {float(row[j]).hex()}")


def main():
    for name in sys.argv[1:] or [*FITS, *THROUGH, "temme"]:
        if name == "temme":
            print_temme()
            continue
        if name in THROUGH:
            powers, form = THROUGH[name][1], to_f64
            c, error = through(*THROUGH[name])
        else:
            f, w, powers, lo, hi, form = FITS[name]
            c, error = fit(f, w, powers, lo, hi, form)
        print(f"{name}: error 2^{float(mp.log(error, 2)):.2f}")
        for p, k in zip(powers, c):
            print(f"    x^{p}: {mp.nstr(k, 17 if form is to_f64 else 9)}  {float(k).hex()}", flush=True)


main()
