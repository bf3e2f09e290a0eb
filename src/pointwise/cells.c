/* The derivative of each primitive, and of a program by them: forward, symbolic, with structural zeros. What does not
 * depend on the input has no derivative at all rather than a 0 that meets an infinity, and a derivative that chooses
 * keeps its choice outside of products, so that what is not chosen stays zero: x > 0 ? sqrt(x) : 0 has 0 at 0. */
#include "pointwise/cells.h"

enum { ZERO = FA__NO_NODE };

/* A node, its operands, and their derivatives (or ZERO), for the cells. */
typedef struct fa__chain {
    fa__builder *b;
    fa__node_id self, x, y, z, dx, dy, dz;
} chain;

typedef fa__node_id (*cell)(const chain *c);

static fa__node_id make1(const chain *c, fa__prim prim, fa__node_id x)
{
    return fa__build(c->b, prim, x, 0, 0);
}

static fa__node_id make2(const chain *c, fa__prim prim, fa__node_id x, fa__node_id y)
{
    return fa__build(c->b, prim, x, y, 0);
}

static fa__node_id choose(const chain *c, fa__node_id condition, fa__node_id yes, fa__node_id no)
{
    return fa__build(c->b, FA__PRIM_select, condition, yes, no);
}

static fa__node_id integer(const chain *c, int64_t value)
{
    return fa__build_integer(c->b, value);
}

static bool is_zero(const fa__builder *b, fa__node_id id)
{
    return fa__is_number(b, id, 0.0) || fa__is_number(b, id, -0.0);
}

enum { DEEPEST = 8 };

/* Whether something may be zero by choice: a choice with an arm that is zero, or that may be; a sum of such choices. */
static bool is_guarded(const fa__builder *b, fa__node_id id, int depth)
{
    const fa__ssa_node *n = &b->node[id];
    if (depth == DEEPEST)
        return false;
    if (n->prim == FA__PRIM_add || n->prim == FA__PRIM_sub)
        return is_guarded(b, n->a, depth + 1) && is_guarded(b, n->b, depth + 1);
    return n->prim == FA__PRIM_select
           && (is_zero(b, n->b) || is_zero(b, n->c) || is_guarded(b, n->b, depth + 1)
               || is_guarded(b, n->c, depth + 1));
}

/* prim(d, by); of a guarded d inside its arms, of which the zero one stays. At most DEEPEST choices deep. A product
 * with a reciprocal is a quotient. */
static fa__node_id inside(const chain *c, fa__prim prim, fa__node_id d, fa__node_id by, int depth)
{
    const fa__ssa_node n = c->b->node[d];
    if (is_zero(c->b, d))
        return d;
    if (prim == FA__PRIM_mul && n.prim == FA__PRIM_div && fa__is_number(c->b, n.a, 1))
        return make2(c, FA__PRIM_div, by, n.b);
    if (!is_guarded(c->b, d, depth))
        return fa__build(c->b, prim, d, by, 0);
    bool sum = n.prim != FA__PRIM_select;
    fa__node_id first = inside(c, prim, sum ? n.a : n.b, by, depth + 1);
    fa__node_id second = inside(c, prim, sum ? n.b : n.c, by, depth + 1);
    return sum ? make2(c, (fa__prim)n.prim, first, second) : choose(c, n.a, first, second);
}

static fa__node_id times(const chain *c, fa__node_id d, fa__node_id factor)
{
    return d == ZERO ? ZERO : inside(c, FA__PRIM_mul, d, factor, 0);
}

static fa__node_id over(const chain *c, fa__node_id d, fa__node_id divisor)
{
    return d == ZERO ? ZERO : inside(c, FA__PRIM_div, d, divisor, 0);
}

static fa__node_id negative(const chain *c, fa__node_id d)
{
    return d == ZERO ? ZERO : inside(c, FA__PRIM_neg, d, 0, 0);
}

static fa__node_id plus(const chain *c, fa__node_id d, fa__node_id e)
{
    if (d == ZERO || e == ZERO)
        return d == ZERO ? e : d;
    return make2(c, FA__PRIM_add, d, e);
}

static fa__node_id or_zero(const chain *c, fa__node_id d)
{
    return d == ZERO ? integer(c, 0) : d;
}

static fa__node_id none(const chain *c)
{
    (void)c;
    return ZERO;
}

static fa__node_id passes(const chain *c)
{
    return c->dx;
}

static fa__node_id neg(const chain *c)
{
    return negative(c, c->dx);
}

static fa__node_id add(const chain *c)
{
    return plus(c, c->dx, c->dy);
}

static fa__node_id sub(const chain *c)
{
    return plus(c, c->dx, negative(c, c->dy));
}

static fa__node_id mul(const chain *c)
{
    return plus(c, times(c, c->dx, c->y), times(c, c->dy, c->x));
}

static fa__node_id mul_add(const chain *c)
{
    return plus(c, mul(c), c->dz);
}

static fa__node_id mul_subtracted(const chain *c)
{
    return plus(c, c->dz, negative(c, mul(c)));
}

/* (dx - dy * (x / y)) / y. Of 1 / y it is -dy * (1 / y)^2, which needs the result, and no operand. */
static fa__node_id divide(const chain *c)
{
    if (c->dx == ZERO && fa__is_number(c->b, c->x, 1))
        return negative(c, times(c, c->dy, make2(c, FA__PRIM_mul, c->self, c->self)));
    return over(c, plus(c, c->dx, negative(c, times(c, c->dy, c->self))), c->y);
}

static fa__node_id absolute(const chain *c)
{
    return times(c, c->dx, make1(c, FA__PRIM_sign, c->x));
}

/* What operand d of a maximum or minimum is given: half where they are equal, nothing where it is not taken, all where
 * it is, or where either is NaN. */
static fa__node_id share(const chain *c, fa__node_id d, fa__node_id not_taken)
{
    if (d == ZERO)
        return ZERO;
    fa__node_id half = times(c, d, fa__build_number(c->b, 0.5));
    return choose(c, make2(c, FA__PRIM_eq, c->x, c->y), half, choose(c, not_taken, integer(c, 0), d));
}

static fa__node_id maximum(const chain *c)
{
    fa__node_id x_less = make2(c, FA__PRIM_lt, c->x, c->y), y_less = make2(c, FA__PRIM_lt, c->y, c->x);
    return plus(c, share(c, c->dx, x_less), share(c, c->dy, y_less));
}

static fa__node_id minimum(const chain *c)
{
    fa__node_id x_less = make2(c, FA__PRIM_lt, c->x, c->y), y_less = make2(c, FA__PRIM_lt, c->y, c->x);
    return plus(c, share(c, c->dx, y_less), share(c, c->dy, x_less));
}

/* 0 where both operands are equal, as in PyTorch; elsewhere what comes by x. */
static fa__node_id next_after(const chain *c)
{
    return c->dx == ZERO ? ZERO : choose(c, make2(c, FA__PRIM_eq, c->x, c->y), integer(c, 0), c->dx);
}

static fa__node_id root(const chain *c)
{
    return over(c, times(c, c->dx, fa__build_number(c->b, 0.5)), c->self);
}

static fa__node_id exponential(const chain *c)
{
    return times(c, c->dx, c->self);
}

static fa__node_id logarithm(const chain *c)
{
    return over(c, c->dx, c->x);
}

static fa__node_id tangent(const chain *c)
{
    fa__node_id square = make2(c, FA__PRIM_mul, c->self, c->self);
    return times(c, c->dx, make2(c, FA__PRIM_sub, integer(c, 1), square));
}

static fa__node_id sigmoid(const chain *c)
{
    fa__node_id rest = make2(c, FA__PRIM_sub, integer(c, 1), c->self);
    return times(c, c->dx, make2(c, FA__PRIM_mul, c->self, rest));
}

/* 2 / sqrt(pi) * exp(-x * x) */
static fa__node_id error_function(const chain *c)
{
    fa__node_id square = make2(c, FA__PRIM_mul, c->x, c->x);
    fa__node_id bell = make1(c, FA__PRIM_exp, make1(c, FA__PRIM_neg, square));
    return times(c, c->dx, make2(c, FA__PRIM_mul, fa__build_number(c->b, 1.1283791670955126), bell));
}

static fa__node_id sine(const chain *c)
{
    return times(c, c->dx, make1(c, FA__PRIM_cos, c->x));
}

static fa__node_id cosine(const chain *c)
{
    return negative(c, times(c, c->dx, make1(c, FA__PRIM_sin, c->x)));
}

static fa__node_id number(const chain *c, double value)
{
    return fa__build_number(c->b, value);
}

static fa__node_id square(const chain *c, fa__node_id x)
{
    return make2(c, FA__PRIM_mul, x, x);
}

/* d / (1 + x * x) and its like: one plus, or minus, a square */
static fa__node_id one_and(const chain *c, fa__prim prim, fa__node_id x)
{
    return make2(c, prim, integer(c, 1), square(c, x));
}

/* 2^x log(2) */
static fa__node_id exponential2(const chain *c)
{
    return times(c, c->dx, make2(c, FA__PRIM_mul, c->self, number(c, 0.6931471805599453)));
}

/* exp(x), of which the result lacks digits where it is near -1 */
static fa__node_id exponential_less_1(const chain *c)
{
    return times(c, c->dx, make1(c, FA__PRIM_exp, c->x));
}

static fa__node_id logarithm2(const chain *c)
{
    return over(c, c->dx, make2(c, FA__PRIM_mul, c->x, number(c, 0.6931471805599453)));
}

static fa__node_id logarithm10(const chain *c)
{
    return over(c, c->dx, make2(c, FA__PRIM_mul, c->x, number(c, 2.302585092994046)));
}

static fa__node_id logarithm_of_more(const chain *c)
{
    return over(c, c->dx, make2(c, FA__PRIM_add, integer(c, 1), c->x));
}

static fa__node_id softplus(const chain *c)
{
    return times(c, c->dx, make1(c, FA__PRIM_sigmoid, c->x));
}

static fa__node_id error_complement(const chain *c)
{
    return negative(c, error_function(c));
}

/* sqrt(pi) / 2 * exp(y * y) */
static fa__node_id error_inverse(const chain *c)
{
    fa__node_id bell = make1(c, FA__PRIM_exp, square(c, c->self));
    return times(c, c->dx, make2(c, FA__PRIM_mul, number(c, 0.886226925452758), bell));
}

static fa__node_id log_gamma(const chain *c)
{
    return times(c, c->dx, make1(c, FA__PRIM_digamma, c->x));
}

static fa__node_id digamma(const chain *c)
{
    return times(c, c->dx, make2(c, FA__PRIM_polygamma, integer(c, 1), c->x));
}

/* polygamma(n, y): n is the number of the derivative, so only y has one, and that is polygamma(n + 1, y). */
static fa__node_id polygamma(const chain *c)
{
    fa__node_id next = make2(c, FA__PRIM_add, c->x, integer(c, 1));
    return c->dy == ZERO ? ZERO : times(c, c->dy, make2(c, FA__PRIM_polygamma, next, c->y));
}

/* 1 / (3 y^2) */
static fa__node_id cube_root(const chain *c)
{
    return over(c, c->dx, make2(c, FA__PRIM_mul, integer(c, 3), square(c, c->self)));
}

/* 2 x y - 2 / sqrt(pi) */
static fa__node_id scaled_complement(const chain *c)
{
    fa__node_id grows = make2(c, FA__PRIM_mul, make2(c, FA__PRIM_mul, integer(c, 2), c->x), c->self);
    return times(c, c->dx, make2(c, FA__PRIM_sub, grows, number(c, 1.1283791670955126)));
}

/* exp(-x * x / 2) / sqrt(2 pi) */
static fa__node_id normal_part(const chain *c)
{
    fa__node_id bell = make1(c, FA__PRIM_exp, make2(c, FA__PRIM_mul, number(c, -0.5), square(c, c->x)));
    return times(c, c->dx, make2(c, FA__PRIM_mul, number(c, 0.3989422804014327), bell));
}

/* sqrt(2 / pi) / erfcx(-x / sqrt(2)) */
static fa__node_id log_normal_part(const chain *c)
{
    fa__node_id turned = make2(c, FA__PRIM_mul, number(c, -0.7071067811865476), c->x);
    fa__node_id d = times(c, c->dx, number(c, 0.7978845608028654));
    return over(c, d, make1(c, FA__PRIM_erfcx, turned));
}

/* sqrt(2 pi) exp(y * y / 2) */
static fa__node_id normal_inverse(const chain *c)
{
    fa__node_id bell = make1(c, FA__PRIM_exp, make2(c, FA__PRIM_mul, number(c, 0.5), square(c, c->self)));
    return times(c, c->dx, make2(c, FA__PRIM_mul, number(c, 2.5066282746310002), bell));
}

/* By the second operand: -s zeta(s + 1, q). The first one counts. */
static fa__node_id hurwitz(const chain *c)
{
    if (c->dy == ZERO)
        return ZERO;
    fa__node_id next = make2(c, FA__PRIM_zeta, make2(c, FA__PRIM_add, c->x, integer(c, 1)), c->y);
    return negative(c, times(c, c->dy, make2(c, FA__PRIM_mul, c->x, next)));
}

/* By the second operand: x^(a - 1) exp(-x) / gamma(a). */
static fa__node_id gamma_lower(const chain *c)
{
    if (c->dy == ZERO)
        return ZERO;
    fa__node_id power = make2(c, FA__PRIM_sub, c->x, integer(c, 1));
    fa__node_id large = make2(c, FA__PRIM_mul, power, make1(c, FA__PRIM_log, c->y));
    fa__node_id small = make2(c, FA__PRIM_add, c->y, make1(c, FA__PRIM_lgamma, c->x));
    return times(c, c->dy, make1(c, FA__PRIM_exp, make2(c, FA__PRIM_sub, large, small)));
}

static fa__node_id gamma_upper(const chain *c)
{
    return negative(c, gamma_lower(c));
}

/* y / x for functions that are odd, and 1/2 at 0 */
static fa__node_id by_x(const chain *c)
{
    fa__node_id quotient = make2(c, FA__PRIM_div, c->self, c->x);
    return choose(c, make2(c, FA__PRIM_eq, c->x, integer(c, 0)), number(c, 0.5), quotient);
}

static fa__node_id bessel_i0(const chain *c)
{
    return times(c, c->dx, make1(c, FA__PRIM_i1, c->x));
}

/* i0 - i1 / x */
static fa__node_id bessel_i1(const chain *c)
{
    return times(c, c->dx, make2(c, FA__PRIM_sub, make1(c, FA__PRIM_i0, c->x), by_x(c)));
}

/* i1e - sign(x) i0e */
static fa__node_id bessel_i0e(const chain *c)
{
    fa__node_id falls = make2(c, FA__PRIM_mul, make1(c, FA__PRIM_sign, c->x), c->self);
    return times(c, c->dx, make2(c, FA__PRIM_sub, make1(c, FA__PRIM_i1e, c->x), falls));
}

/* i0e - i1e / x - sign(x) i1e */
static fa__node_id bessel_i1e(const chain *c)
{
    fa__node_id grows = make2(c, FA__PRIM_sub, make1(c, FA__PRIM_i0e, c->x), by_x(c));
    fa__node_id falls = make2(c, FA__PRIM_mul, make1(c, FA__PRIM_sign, c->x), c->self);
    return times(c, c->dx, make2(c, FA__PRIM_sub, grows, falls));
}

/* d times minus the function of order 1 */
static fa__node_id falls_by(const chain *c, fa__prim next)
{
    return negative(c, times(c, c->dx, make1(c, next, c->x)));
}

static fa__node_id bessel_j0(const chain *c)
{
    return falls_by(c, FA__PRIM_bessel_j1);
}

static fa__node_id bessel_y0(const chain *c)
{
    return falls_by(c, FA__PRIM_bessel_y1);
}

static fa__node_id bessel_k0(const chain *c)
{
    return falls_by(c, FA__PRIM_modified_bessel_k1);
}

/* j0 - j1 / x */
static fa__node_id bessel_j1(const chain *c)
{
    return times(c, c->dx, make2(c, FA__PRIM_sub, make1(c, FA__PRIM_bessel_j0, c->x), by_x(c)));
}

static fa__node_id over_x(const chain *c)
{
    return make2(c, FA__PRIM_div, c->self, c->x);
}

static fa__node_id bessel_y1(const chain *c)
{
    return times(c, c->dx, make2(c, FA__PRIM_sub, make1(c, FA__PRIM_bessel_y0, c->x), over_x(c)));
}

/* -(k0 + k1 / x) */
static fa__node_id bessel_k1(const chain *c)
{
    fa__node_id sum = make2(c, FA__PRIM_add, make1(c, FA__PRIM_modified_bessel_k0, c->x), over_x(c));
    return negative(c, times(c, c->dx, sum));
}

/* k0e - k1e */
static fa__node_id bessel_k0e(const chain *c)
{
    fa__node_id next = make1(c, FA__PRIM_scaled_modified_bessel_k1, c->x);
    return times(c, c->dx, make2(c, FA__PRIM_sub, c->self, next));
}

/* k1e - k0e - k1e / x */
static fa__node_id bessel_k1e(const chain *c)
{
    fa__node_id sum = make2(c, FA__PRIM_add, make1(c, FA__PRIM_scaled_modified_bessel_k0, c->x), over_x(c));
    return times(c, c->dx, make2(c, FA__PRIM_sub, c->self, sum));
}

static fa__node_id tan_x(const chain *c)
{
    return times(c, c->dx, one_and(c, FA__PRIM_add, c->self));
}

static fa__node_id arcsine(const chain *c)
{
    return over(c, c->dx, make1(c, FA__PRIM_sqrt, one_and(c, FA__PRIM_sub, c->x)));
}

static fa__node_id arccosine(const chain *c)
{
    return negative(c, arcsine(c));
}

static fa__node_id arctangent(const chain *c)
{
    return over(c, c->dx, one_and(c, FA__PRIM_add, c->x));
}

/* Of the point (y, x): (x dy - y dx) / (x^2 + y^2), and 0 at the origin. Here the operands are in the order y, x. */
static fa__node_id angle(const chain *c)
{
    fa__node_id r = make2(c, FA__PRIM_add, square(c, c->x), square(c, c->y));
    fa__node_id not_zero = choose(c, r, r, integer(c, 1));
    return over(c, plus(c, times(c, c->dx, c->y), negative(c, times(c, c->dy, c->x))), not_zero);
}

static fa__node_id hyperbolic_sine(const chain *c)
{
    return times(c, c->dx, make1(c, FA__PRIM_cosh, c->x));
}

static fa__node_id hyperbolic_cosine(const chain *c)
{
    return times(c, c->dx, make1(c, FA__PRIM_sinh, c->x));
}

static fa__node_id area_sine(const chain *c)
{
    return over(c, c->dx, make1(c, FA__PRIM_sqrt, one_and(c, FA__PRIM_add, c->x)));
}

/* sqrt(x - 1) sqrt(x + 1), so that x * x need not be a number */
static fa__node_id area_cosine(const chain *c)
{
    fa__node_id less = make1(c, FA__PRIM_sqrt, make2(c, FA__PRIM_sub, c->x, integer(c, 1)));
    fa__node_id more = make1(c, FA__PRIM_sqrt, make2(c, FA__PRIM_add, c->x, integer(c, 1)));
    return over(c, c->dx, make2(c, FA__PRIM_mul, less, more));
}

static fa__node_id area_tangent(const chain *c)
{
    return over(c, c->dx, one_and(c, FA__PRIM_sub, c->x));
}

static fa__node_id hypotenuse(const chain *c)
{
    return over(c, plus(c, times(c, c->dx, c->x), times(c, c->dy, c->y)), c->self);
}

/* 1 where the sign is kept, -1 where it is changed, 0 at 0; the second operand gives no more than its sign. */
static fa__node_id copied_sign(const chain *c)
{
    if (c->dx == ZERO)
        return ZERO;
    fa__node_id sign = make2(c, FA__PRIM_copysign, make1(c, FA__PRIM_sign, c->x), c->y);
    fa__node_id kept = make2(c, FA__PRIM_mul, make1(c, FA__PRIM_sign, c->x), sign);
    return times(c, c->dx, kept);
}

/* x - y q, where the quotient q is an integer */
static fa__node_id left_of(const chain *c, fa__node_id quotient)
{
    return plus(c, c->dx, negative(c, times(c, c->dy, quotient)));
}

static fa__node_id remainder_down(const chain *c)
{
    return left_of(c, make2(c, FA__PRIM_floor_divide, c->x, c->y));
}

static fa__node_id remainder_cut(const chain *c)
{
    return left_of(c, make1(c, FA__PRIM_trunc, make2(c, FA__PRIM_div, c->x, c->y)));
}

/* The same where `factor` may be the guarded one. */
static fa__node_id times_guarded(const chain *c, fa__node_id d, fa__node_id factor)
{
    return is_guarded(c->b, d, 0) ? times(c, d, factor) : times(c, factor, d);
}

/* d where the node is not 0, or the node is 0 and `also` is not true; zero where they are. Constants decide here. */
static fa__node_id unless_zero(const chain *c, fa__node_id node, fa__node_id also, fa__node_id d)
{
    if (fa__prim_of(c->b, node) == FA__PRIM_constant && !is_zero(c->b, node))
        return d;
    fa__node_id is = make2(c, FA__PRIM_eq, node, integer(c, 0));
    return choose(c, make2(c, FA__PRIM_and, is, also), integer(c, 0), d);
}

/* x^y: y * x^(y-1), zero for y = 0; and x^y * log(x), zero for x = 0 with y >= 0. As PyTorch 2.15. */
static fa__node_id power(const chain *c)
{
    fa__node_id by_x = ZERO, by_y = ZERO, yes = integer(c, 1);
    if (c->dx != ZERO) {
        fa__node_id less = make2(c, FA__PRIM_sub, c->y, yes);
        by_x = make2(c, FA__PRIM_mul, c->y, make2(c, FA__PRIM_pow, c->x, less));
        by_x = times_guarded(c, c->dx, unless_zero(c, c->y, yes, by_x));
    }
    if (c->dy != ZERO) {
        by_y = make2(c, FA__PRIM_mul, c->self, make1(c, FA__PRIM_log, c->x));
        fa__node_id not_negative = make2(c, FA__PRIM_le, integer(c, 0), c->y);
        by_y = times_guarded(c, c->dy, unless_zero(c, c->x, not_negative, by_y));
    }
    return plus(c, by_x, by_y);
}

static fa__node_id chosen(const chain *c)
{
    return c->dy == ZERO && c->dz == ZERO ? ZERO : choose(c, c->x, or_zero(c, c->dy), or_zero(c, c->dz));
}

/* Every primitive has a cell. */
static const cell cells[FA__PRIM_count] = {
    [FA__PRIM_constant] = none,
    [FA__PRIM_neg] = neg,
    [FA__PRIM_add] = add,
    [FA__PRIM_sub] = sub,
    [FA__PRIM_mul] = mul,
    [FA__PRIM_div] = divide,
    [FA__PRIM_mad] = mul_add,
    [FA__PRIM_nmad] = mul_subtracted,
    [FA__PRIM_fma] = mul_add,
    [FA__PRIM_abs] = absolute,
    [FA__PRIM_sign] = none,
    [FA__PRIM_maximum] = maximum,
    [FA__PRIM_minimum] = minimum,
    [FA__PRIM_floor] = none,
    [FA__PRIM_ceil] = none,
    [FA__PRIM_round] = none,
    [FA__PRIM_round_to] = none,
    [FA__PRIM_trunc] = none,
    [FA__PRIM_floor_divide] = none,
    [FA__PRIM_remainder] = remainder_down,
    [FA__PRIM_fmod] = remainder_cut,
    [FA__PRIM_copysign] = copied_sign,
    [FA__PRIM_signbit] = none,
    [FA__PRIM_nextafter] = next_after,
    [FA__PRIM_gcd] = none,
    [FA__PRIM_lcm] = none,
    [FA__PRIM_bit_and] = none,
    [FA__PRIM_bit_or] = none,
    [FA__PRIM_bit_xor] = none,
    [FA__PRIM_bit_not] = none,
    [FA__PRIM_shift_left] = none,
    [FA__PRIM_shift_right] = none,
    [FA__PRIM_sqrt] = root,
    [FA__PRIM_exp] = exponential,
    [FA__PRIM_exp2] = exponential2,
    [FA__PRIM_expm1] = exponential_less_1,
    [FA__PRIM_log] = logarithm,
    [FA__PRIM_log2] = logarithm2,
    [FA__PRIM_log10] = logarithm10,
    [FA__PRIM_log1p] = logarithm_of_more,
    [FA__PRIM_tanh] = tangent,
    [FA__PRIM_sigmoid] = sigmoid,
    [FA__PRIM_softplus] = softplus,
    [FA__PRIM_erf] = error_function,
    [FA__PRIM_erfc] = error_complement,
    [FA__PRIM_erfinv] = error_inverse,
    [FA__PRIM_lgamma] = log_gamma,
    [FA__PRIM_digamma] = digamma,
    [FA__PRIM_polygamma] = polygamma,
    [FA__PRIM_cbrt] = cube_root,
    [FA__PRIM_exponent] = none,
    [FA__PRIM_zeta] = hurwitz,
    [FA__PRIM_igamma] = gamma_lower,
    [FA__PRIM_igammac] = gamma_upper,
    [FA__PRIM_erfcx] = scaled_complement,
    [FA__PRIM_ndtr] = normal_part,
    [FA__PRIM_log_ndtr] = log_normal_part,
    [FA__PRIM_ndtri] = normal_inverse,
    [FA__PRIM_i0] = bessel_i0,
    [FA__PRIM_i1] = bessel_i1,
    [FA__PRIM_i0e] = bessel_i0e,
    [FA__PRIM_i1e] = bessel_i1e,
    [FA__PRIM_bessel_j0] = bessel_j0,
    [FA__PRIM_bessel_j1] = bessel_j1,
    [FA__PRIM_bessel_y0] = bessel_y0,
    [FA__PRIM_bessel_y1] = bessel_y1,
    [FA__PRIM_modified_bessel_k0] = bessel_k0,
    [FA__PRIM_modified_bessel_k1] = bessel_k1,
    [FA__PRIM_scaled_modified_bessel_k0] = bessel_k0e,
    [FA__PRIM_scaled_modified_bessel_k1] = bessel_k1e,
    [FA__PRIM_sin] = sine,
    [FA__PRIM_cos] = cosine,
    [FA__PRIM_tan] = tan_x,
    [FA__PRIM_asin] = arcsine,
    [FA__PRIM_acos] = arccosine,
    [FA__PRIM_atan] = arctangent,
    [FA__PRIM_atan2] = angle,
    [FA__PRIM_sinh] = hyperbolic_sine,
    [FA__PRIM_cosh] = hyperbolic_cosine,
    [FA__PRIM_asinh] = area_sine,
    [FA__PRIM_acosh] = area_cosine,
    [FA__PRIM_atanh] = area_tangent,
    [FA__PRIM_hypot] = hypotenuse,
    [FA__PRIM_pow] = power,
    [FA__PRIM_lt] = none,
    [FA__PRIM_le] = none,
    [FA__PRIM_eq] = none,
    [FA__PRIM_ne] = none,
    [FA__PRIM_and] = none,
    [FA__PRIM_or] = none,
    [FA__PRIM_not] = none,
    [FA__PRIM_select] = chosen,
#define BOOL none
#define UNSIGNED none
#define SIGNED none
#define FLOAT passes
#define DTYPE(tag, name, cell, kind, ...) [FA__PRIM_to_##name] = kind,
#include "core/dtypes.def"
#undef DTYPE
    [FA__PRIM_index] = none,
    [FA__PRIM_uniform] = none,
    [FA__PRIM_normal] = none,
};

fa__node_id fa__differentiate(fa__builder *b, const fa__ssa *ssa, int wrt, fa__node_id *d)
{
    for (fa__node_id i = 0; i < ssa->count; i++) {
        const fa__ssa_node n = ssa->node[i];
        chain c = {.b = b, .self = i, .x = n.a, .y = n.b, .z = n.c, .dx = ZERO, .dy = ZERO, .dz = ZERO};
        if (n.prim == FA__PRIM_input) {
            d[i] = n.a == wrt ? integer(&c, 1) : ZERO;
            continue;
        }
        int arity = fa__prims[n.prim].arity;
        c.dx = arity > 0 ? d[n.a] : ZERO;
        c.dy = arity > 1 ? d[n.b] : ZERO;
        c.dz = arity > 2 ? d[n.c] : ZERO;
        bool varies = c.dx != ZERO || c.dy != ZERO || c.dz != ZERO;
        d[i] = varies ? cells[n.prim](&c) : ZERO;
    }
    fa__node_id result = d[ssa->output[0]];
    return result != ZERO && is_zero(b, result) ? ZERO : result;
}

fa__node_id fa__times_gradient(fa__builder *b, fa__node_id derivative, fa__node_id gradient)
{
    return times(&(chain){.b = b}, derivative, gradient);
}
