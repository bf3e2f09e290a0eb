/* Sums over all pairs of vectors of |x - y|^p and its derivatives. Terms are accumulated as they are computed, so no
 * memory is needed for the differences of all pairs. */
#include "ops/linalg/pairs.h"
#include <math.h>

typedef struct {
    const fa_tensor *x; /* floating; same rank and dtype as all other tensors, with which it broadcasts */
    const fa_tensor *y; /* subtracted from x */
    fa_arg top;         /* for infinite p the largest |x - y|; else a number */
    fa_arg u;           /* first factor of the terms: a tensor, or 1 */
    fa_arg v;           /* second factor of the terms: a tensor, or 1 */
    fa_arg w;           /* third factor of the terms: a tensor, or 1 */
    double p;           /* the power; infinite: the term is 1 where |x - y| is top, else 0 */
    int64_t order;      /* of the derivative by x - y; infinite p has none above 1 */
    fa_shape shape;     /* of the result: 1 in the dimensions that are summed */
} pair_sum_args;

static const fa_tensor *tensor_of(fa_arg a)
{
    return a.kind == FA__ARG_TENSOR ? fa__tensor_in(a) : NULL;
}

/* Broadcasts another operand into the shape of the previous ones; false if they do not broadcast. */
static bool widen(fa_shape *whole, const fa_tensor *x, const fa_tensor *t)
{
    if (t->rank != whole->rank || t->dtype != x->dtype)
        return false;
    for (int i = 0; i < whole->rank; i++) {
        if (whole->dim[i] != t->shape[i] && whole->dim[i] != 1 && t->shape[i] != 1)
            return false;
        whole->dim[i] = whole->dim[i] == 1 ? t->shape[i] : whole->dim[i];
    }
    return true;
}

/* The shape that all operands broadcast to; false if they do not. */
static bool whole_shape(const pair_sum_args *a, fa_shape *whole)
{
    const fa_tensor *others[] = {a->y, tensor_of(a->top), tensor_of(a->u), tensor_of(a->v), tensor_of(a->w)};
    bool fits = true;
    *whole = fa_tensor_shape(a->x);
    for (size_t k = 0; fits && k < sizeof others / sizeof *others; k++)
        fits = !others[k] || widen(whole, a->x, others[k]);
    return fits;
}

static bool pair_sum_infer(fa__call *c)
{
    const pair_sum_args *a = c->args;
    fa_shape whole;
    bool fits = fa__dtype_is_float(a->x->dtype) && whole_shape(a, &whole) && a->shape.rank == whole.rank;
    for (int i = 0; fits && i < whole.rank; i++)
        fits = a->shape.dim[i] == 1 || a->shape.dim[i] == whole.dim[i];
    if (!fits || isinf(a->p) != (tensor_of(a->top) != NULL))
        return fa__call_fail(c, FA_ERROR_SHAPE, "the operands do not go together");
    return fa__infer_shape(c, (fa_dtype)a->x->dtype, a->shape.rank, a->shape.dim);
}

/* The derivative of |d|^p is `factor` * |d|^rest, with the sign of d if the order is odd. */
static double factor_of(const pair_sum_args *a, double *rest)
{
    double factor = 1;
    for (int64_t k = 0; k < a->order; k++)
        factor *= a->p - (double)k;
    *rest = a->p - (double)a->order;
    return isinf(a->p) ? a->order < 2 : factor;
}

/* x expanded to the common shape. */
static fa_tensor *spread_out(const fa_tensor *x, const fa_shape *whole)
{
    fa_tensor *t = fa__own(fa__tensor_alias(x));
    for (int i = 0; t && i < whole->rank; i++)
        if (t->shape[i] != whole->dim[i]) {
            t->shape[i] = whole->dim[i];
            t->stride[i] = 0;
        }
    if (t)
        t->dense = false;
    return t;
}

static fa__bound bound_of(const char *name, fa_arg a)
{
    return (fa__bound){.name = name, .value = a};
}

/* Where x equals y, derivatives that do not exist count as 0. */
#define TERM "d = x - y; u * v * w * f * "
#define SUM(text, count) fa__run_reduce(c, c->out[0], FA__COMBINE_SUM, TERM text, set, count, bound)

static bool run_term(fa__call *c, const pair_sum_args *a, fa__bound *bound, unsigned set, double rest)
{
    bool odd = a->order % 2;
    bound[6] = isinf(a->p) ? bound_of("t", a->top) : bound_of("q", fa__arg_f(rest));
    if (isinf(a->p))
        return odd ? SUM("(abs(d) == t ? sign(d) : 0)", 7) : SUM("(abs(d) == t ? 1.0 : 0.0)", 7);
    if (a->p == 0)
        return SUM("(d == 0 ? 0.0 : 1.0)", 6);
    if (rest == 0)
        return odd ? SUM("sign(d)", 6) : SUM("(d == d ? 1.0 : d)", 6);
    if (rest == 1)
        return odd ? SUM("d", 6) : SUM("abs(d)", 6);
    if (rest == 2)
        return odd ? SUM("(d * abs(d))", 6) : SUM("(d * d)", 6);
    return odd ? SUM("(d == 0 ? 0 : sign(d) * pow(abs(d), q))", 7) : SUM("(d == 0 ? 0 : pow(abs(d), q))", 7);
}

static bool pair_sum_run(fa__call *c)
{
    const pair_sum_args *a = c->args;
    fa_shape whole;
    unsigned set = 0;
    double rest, factor = factor_of(a, &rest);
    if (factor == 0)
        return fa__run_expression(c, c->out[0], "z", 1, (fa__bound[]){bound_of("z", fa__arg_f(0))});
    whole_shape(a, &whole);
    for (int i = 0; i < whole.rank; i++)
        set |= a->shape.dim[i] != whole.dim[i] ? 1U << i : 0;
    fa_tensor *x = spread_out(a->x, &whole);
    fa__bound bound[7] = {bound_of("x", fa__arg_t(x)), bound_of("y", fa__arg_t(a->y)),
                          bound_of("u", a->u),         bound_of("v", a->v),
                          bound_of("w", a->w),         bound_of("f", fa__arg_f(factor))};
    return x && run_term(c, a, bound, set, rest);
}

/* The sum of the derivative of an order, times gy and all factors but one, reduced to the shape of `like`. */
static fa_tensor *times(const fa__back *b, int64_t order, const fa_arg *without, const fa_tensor *like)
{
    const pair_sum_args *a = b->args;
    const fa_arg *own[] = {&a->u, &a->v, &a->w};
    fa_arg factor[4] = {fa__arg_t(b->gy[0]), fa__arg_f(1), fa__arg_f(1), fa__arg_f(1)};
    int count = 1;
    for (int k = 0; k < 3; k++)
        if (own[k] != without && tensor_of(*own[k]))
            factor[count++] = *own[k];
    if (count > 3) {
        fa__fail(FA_ERROR_GRADIENT, "gradients of this order are not there");
        return NULL;
    }
    return fa__pair_sum(a->x, a->y, a->top, factor[0], factor[1], factor[2], a->p, order, fa_tensor_shape(like));
}

static void pair_sum_grad(fa__back *b)
{
    const pair_sum_args *a = b->args;
    const fa_arg *factor[] = {&a->u, &a->v, &a->w};
    for (int k = 0; k < 3; k++)
        if (fa__wants(b, factor[k]))
            fa__set_input_grad(b, factor[k], times(b, a->order, factor[k], tensor_of(*factor[k])));
    int64_t next = isinf(a->p) ? 2 : a->order + 1;
    if (fa__wants(b, &a->x))
        fa__set_input_grad(b, &a->x, times(b, next, NULL, a->x));
    if (fa__wants(b, &a->y))
        fa__set_input_grad(b, &a->y, fa_neg(times(b, next, NULL, a->y)));
}

/** Sums over pairs of a derivative of |x - y|^p, times the factors u, v and w. */
OP(pair_sum, pair_sum_args, (sum), .infer = pair_sum_infer, .run = pair_sum_run, .grad = pair_sum_grad,
   .keep = KEEP(x, y, top, u, v, w), INTERNAL, TORCH(""),
   SAMPLES("(3,1,4) (1,2,4) 0 1 1 1 2 0 s(3,2,1); (3,1,4) (1,2,4) 0 (3,2,1) 1 1 1 0 s(3,2,1); (2,1,3) (1,2,3) 0 "
           "(2,2,1) 1 1 3 1 s(2,1,3); (2,1,3) (1,2,3) 0 (2,2,1) 1 1 2.5 1 s(1,2,3); t(3,1,4) t(1,2,4) 0 1 1 1 0 0 "
           "s(3,2,1); (0,1,2) (1,3,2) 0 1 1 1 2 0 s(0,3,1); (2,1,0) (1,3,0) 0 1 1 1 2 0 s(2,3,1); (2,1,3) (1,2,3) 0 "
           "(2,1,3) 1 1 1.5 2 s(2,2,3); n(3,1,3) n(1,3,3) 0 1 1 1 3 0 s(3,3,1)"))

typedef struct {
    const fa_tensor *x; /* floating; broadcasts with y */
    const fa_tensor *y; /* of x's dtype, and of as many dimensions */
} pair_top_args;

static bool pair_top_infer(fa__call *c)
{
    const pair_top_args *a = c->args;
    fa_shape whole = fa_tensor_shape(a->x);
    if (!fa__dtype_is_float(a->x->dtype) || !a->x->rank || !widen(&whole, a->x, a->y) || !whole.dim[whole.rank - 1])
        return fa__call_fail(c, FA_ERROR_SHAPE, "x and y do not go together");
    whole.dim[whole.rank - 1] = 1;
    return fa__infer_shape(c, (fa_dtype)a->x->dtype, whole.rank, whole.dim);
}

static bool pair_top_run(fa__call *c)
{
    const pair_top_args *a = c->args;
    fa_shape whole = fa_tensor_shape(a->x);
    widen(&whole, a->x, a->y);
    fa_tensor *x = spread_out(a->x, &whole);
    const fa__bound bound[] = {bound_of("x", fa__arg_t(x)), bound_of("y", fa__arg_t(a->y))};
    return x && fa__run_reduce(c, c->out[0], FA__COMBINE_MAX, "abs(x - y)", 1U << (whole.rank - 1), 2, bound);
}

/* The case of infinite p: for order 0 the number of differences as large as `top`, for order 1 their signs, times u. */
static fa_tensor *at_top(const fa_tensor *x, const fa_tensor *y, fa_tensor *top, fa_arg u, int order,
                         const fa_tensor *like)
{
    const fa_arg one = fa__arg_f(1);
    return fa__pair_sum(x, y, fa__arg_t(top), u, one, one, INFINITY, order, fa_tensor_shape(like));
}

/* Equally large differences share the gradient evenly. */
static void pair_top_grad(fa__back *b)
{
    const pair_top_args *a = b->args;
    fa_tensor *top = b->y[0], *count = at_top(a->x, a->y, top, fa__arg_f(1), 0, top);
    fa_tensor *share = count ? fa_div(b->gy[0], count) : NULL;
    if (share && fa__wants(b, &a->x))
        fa__set_input_grad(b, &a->x, at_top(a->x, a->y, top, fa__arg_t(share), 1, a->x));
    if (share && fa__wants(b, &a->y))
        fa__set_input_grad(b, &a->y, fa_neg(at_top(a->x, a->y, top, fa__arg_t(share), 1, a->y)));
}

/** The largest |x - y| along the last dimension, which is kept with size 1. */
OP(pair_top, pair_top_args, (largest), .infer = pair_top_infer, .run = pair_top_run, .grad = pair_top_grad,
   .keep = KEEP(x, y, largest), INTERNAL, TORCH(""),
   SAMPLES("(3,1,4) (1,2,4); (2,3) (2,3); (0,1,2) (1,3,2); t(3,1,4) t(1,2,4); n(3,1,3) n(1,3,3)"))

/* t with a dimension of size 1 inserted at `dim`, and with leading dimensions of size 1 up to a rank. */
static fa_tensor *beside(const fa_tensor *t, int dim, int rank)
{
    fa_tensor *wide = fa_unsqueeze(t, dim);
    while (wide && wide->rank < rank)
        wide = fa_unsqueeze(wide, 0);
    return wide;
}

static fa_tensor *root_of(fa_tensor *sum, double p)
{
    if (p == 0 || p == 1)
        return sum;
    return p == 2 ? fa_pointwise("x <= 0 ? 0 : sqrt(x)", sum) : fa_pointwise("x <= 0 ? 0 : pow(x, y)", sum, 1 / p);
}

fa_tensor *fa__pair_distances(const fa_tensor *x, const fa_tensor *y, double p)
{
    if (!x || !y)
        return NULL;
    int rank = 1 + (x->rank > y->rank ? x->rank : y->rank);
    fa_tensor *a = beside(x, -2, rank), *b = beside(y, -3, rank);
    if (!a || !b)
        return NULL;
    const fa_arg one = fa__arg_f(1);
    fa_shape shape = fa_tensor_shape(a);
    if (!widen(&shape, a, b)) {
        fa__fail(FA_ERROR_SHAPE, "the leading dimensions do not broadcast");
        return NULL;
    }
    if (!shape.dim[rank - 1]) /* all distances are 0 */
        p = 0;
    shape.dim[rank - 1] = 1;
    fa_tensor *z = isinf(p) ? fa__pair_top(a, b) : root_of(fa__pair_sum(a, b, one, one, one, one, p, 0, shape), p);
    return z ? fa_squeeze(z, .dim = -1) : NULL;
}

#include "pairs.rows"
