/* Special functions. Entropy, normal distribution, gamma and zeta; erf, lgamma, digamma and polygamma are listed under
 * "Exponentials, logarithms". Each is one expression; integers and bool give f32. */
#include "dispatch/row.h"

/* ---- entropy ---- */

/** x * log(1 + y), accurate for small y; 0 where x is 0, unless y is NaN. */
POINTWISE(xlog1py, (x, y), y = x == 0 && (y <= -1 || y == inf) ? 0 : x * log1p(y), TORCH("special.xlog1py(x, y)"),
          SAMPLES("(3,4) p(4); 2 p(3); p() p(); (0,2) p(2); n(9) n(9)"))

/** Entropy: -x * log(x); 0 at 0, -infinity for negative x. The gradient is 0 where x is not positive. */
POINTWISE(entr, (x),
          y = x > 0    ? -x * log(x)
              : x == 0 ? 0
              : x < 0  ? -inf
                       : x,
          TORCH("special.entr(x)"), SAMPLES("p(3,4); p(); (0,2); n(9)"))

/* ---- the normal distribution ---- */

/** The scaled complementary error function exp(x * x) * erfc(x), which does not underflow for large x. */
POINTWISE(erfcx, (x), y = erfcx(x), TORCH("special.erfcx(x)"), SAMPLES("(3,4); (); (0,2); n(9)"))

/** The cumulative distribution function of the standard normal distribution, accurate for large negative x. */
POINTWISE(ndtr, (x), y = ndtr(x), TORCH("special.ndtr(x)"), SAMPLES("(3,4); (); (0,2); n(9)"))

/** The logarithm of fa_ndtr(), accurate also where fa_ndtr() underflows to 0. */
POINTWISE(log_ndtr, (x), y = log_ndtr(x), TORCH("special.log_ndtr(x)"), SAMPLES("(3,4); (); (0,2); n(9)"))

/** The quantile function of the standard normal distribution, the inverse of fa_ndtr(). Infinite at 0 and 1, NaN
 *  outside. */
POINTWISE(ndtri, (x), y = ndtri(x), TORCH("special.ndtri(x)"), SAMPLES("u(5); u(3,2); u(); (0,2); n(9)"))

/* ---- zeta and gamma ---- */

/* As in PyTorch the first operand has no gradient: requesting it is an error. */
static void first_counts_grad(fa__back *b)
{
    const fa_arg *operand = b->args;
    const char *name = b->node->op->name;
    if (fa__wants(b, &operand[0]))
        fa__fail(FA_ERROR_GRADIENT, "%s has no gradient for its first operand: detach it", name);
    else
        fa__set_derived_grads(b);
}

/** The Hurwitz zeta function: the sum of (q + k)^-x over all integers k >= 0, for x > 1. It is NaN for x < 1, infinite
 *  for x = 1 and for q = 0 or a negative integer; for other negative q it is NaN unless x is an integer. x has no
 *  gradient: requesting it is an error. */
POINTWISE(zeta, (x, q), y = zeta(x, q), .grad = first_counts_grad, .keep = KEEP(x, q), .inplace = INPLACE(q),
          TORCH("special.zeta(x, q)"), SAMPLES("2 p(3,4); 3.5 p(4); 2 p(); 3 (0,2); 2 (3,4)"))

/** The regularized lower incomplete gamma function P(a, x): the cumulative distribution function at x of the gamma
 *  distribution with shape a. NaN for negative operands, and where both are 0 or both are infinite. a has no gradient:
 *  requesting it is an error. */
POINTWISE(igamma, (a, x), y = igamma(a, x), .grad = first_counts_grad, .keep = KEEP(a, x), .inplace = INPLACE(x),
          TORCH("igamma(a if is_tensor(a) else tensor(a, dtype=x.dtype), x)"), ALSO("`gammainc`"),
          SAMPLES("2.5 p(3,4); 0.5 p(4); 1.25 p(); 3.5 (0,2)"))

/** The regularized upper incomplete gamma function 1 - P(a, x), accurate where it is small; see fa_igamma(). */
POINTWISE(igammac, (a, x), y = igammac(a, x), .grad = first_counts_grad, .keep = KEEP(a, x), .inplace = INPLACE(x),
          TORCH("igammac(a if is_tensor(a) else tensor(a, dtype=x.dtype), x)"), ALSO("`gammaincc`"),
          SAMPLES("2.5 p(3,4); 0.5 p(4); 1.25 p(); 3.5 (0,2)"))

typedef struct {
    const fa_tensor *x; /* any dtype but bool */
    int64_t p;          /* the dimension, 1 to 100000 */
} multigammaln_args;

enum { MOST_GAMMAS = 100000 /* one pass over x each */ };

/* p (p - 1) / 4 log(pi) + the sum of lgamma(x - j / 2) over j = 0 to p - 1 */
static fa_tensor *multigammaln_compose(fa__call *c)
{
    const multigammaln_args *a = c->args;
    bool good = a->p >= 1 && a->p <= MOST_GAMMAS;
    if (!good)
        fa__call_fail(c, FA_ERROR_ARGUMENT, "p has to be 1 to %d", (int)MOST_GAMMAS);
    else if (a->x->dtype == FA_BOOL)
        fa__call_fail(c, FA_ERROR_DTYPE, "x is bool, for which this is not defined");
    if (!good || a->x->dtype == FA_BOOL)
        return NULL;
    double p = (double)a->p;
    fa_tensor *sum = fa_pointwise("lgamma(x) + y", a->x, 0.25 * p * (p - 1) * 1.1447298858494002);
    for (int64_t j = 1; sum && j < a->p; j++)
        sum = fa_pointwise("x + lgamma(y - z)", sum, a->x, 0.5 * (double)j);
    return sum;
}

/** The logarithm of the multivariate gamma function of dimension p: p (p - 1) / 4 * log(pi) + the sum of lgamma(x - j /
 *  2) over j = 0 to p - 1, for x > (p - 1) / 2. */
OP(multigammaln, multigammaln_args, (y), .compose = multigammaln_compose, .inplace = INPLACE(none),
   TORCH("special.multigammaln(x, p)"), ALSO("`mvlgamma`"), SAMPLES("a(3,4) 2; a(4) 1; a() 3; (0,2) 2"))

#include "special.rows"
