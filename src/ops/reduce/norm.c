/* Vector norms, logsumexp. */
#include "ops/reduce/reduce.h"
#include <math.h>

typedef struct {
    const fa_tensor *x;          /* floating */
    double p OPT(2);             /* the p of the p-norm: any number, infinity or -infinity */
    fa_dims dim OPT(FA_ALL);     /* one dimension, several as FA_DIMS(0, 2), or all: FA_ALL */
    bool keepdim OPT(false);     /* true: keep the reduced dimensions with size 1 */
    fa_dtype dtype OPT(FA_SAME); /* the floating dtype of the result */
} norm_args;

static bool norm_infer(fa__call *c)
{
    const norm_args *a = c->args;
    fa_dtype dtype = a->dtype ? a->dtype : (fa_dtype)a->x->dtype;
    unsigned set;
    if (!fa__dtype_is_float(dtype) || !fa__dtype_is_float(a->x->dtype))
        return fa__call_fail(c, FA_ERROR_DTYPE, "the norm of %s in %s is not defined: fa_to converts",
                             fa_dtype_name((fa_dtype)a->x->dtype), fa_dtype_name(dtype));
    if (isnan(a->p))
        return fa__call_fail(c, FA_ERROR_ARGUMENT, "the order is NaN");
    if (!fa__dim_set(c, a->x, a->dim, &set) || !fa__infer_reduced(c, a->x, a->dim, a->keepdim, dtype))
        return false;
    return fa__reduced_count(a->x, set) || (a->p >= 0 && !isinf(a->p))
           || fa__call_fail(c, FA_ERROR_SHAPE, "a norm of order %g of no elements is not defined", a->p);
}

/* Computes a norm that is a single reduction (p = 0, 1 or infinite). */
static bool run_plain(fa__call *c, unsigned set)
{
    const norm_args *a = c->args;
    fa__bound bound[] = {{.name = "x", .value = fa__arg_t(a->x)}};
    if (a->p == INFINITY)
        return fa__run_reduce(c, c->out[0], FA__COMBINE_MAX, "abs(x)", set, 1, bound);
    if (a->p == -INFINITY)
        return fa__run_reduce(c, c->out[0], FA__COMBINE_MIN, "abs(x)", set, 1, bound);
    return a->p == 0 ? fa__run_reduce(c, c->out[0], FA__COMBINE_SUM, "x != 0", set, 1, bound)
                     : fa__run_reduce(c, c->out[0], FA__COMBINE_SUM, "abs(x)", set, 1, bound);
}

/* Computes the sum of |x|^p and its p-th root. */
static bool run_rooted(fa__call *c, unsigned set)
{
    const norm_args *a = c->args;
    fa_tensor *sum = fa__between(c, c->out[0]);
    fa__bound power[] = {{.name = "x", .value = fa__arg_t(a->x)}, {.name = "p", .value = fa__arg_f(a->p)}};
    fa__bound root[] = {{.name = "s", .value = fa__arg_t(sum)}, {.name = "p", .value = fa__arg_f(1 / a->p)}};
    if (!sum)
        return false;
    if (a->p == 2)
        return fa__run_reduce(c, sum, FA__COMBINE_SUM, "x * x", set, 1, power)
               && fa__run_expression(c, c->out[0], "sqrt(s)", 1, root);
    return fa__run_reduce(c, sum, FA__COMBINE_SUM, "pow(abs(x), p)", set, 2, power)
           && fa__run_expression(c, c->out[0], "pow(s, p)", 2, root);
}

static bool norm_run(fa__call *c)
{
    const norm_args *a = c->args;
    unsigned set;
    if (!fa__dim_set(c, a->x, a->dim, &set))
        return false;
    return isinf(a->p) || a->p == 0 || a->p == 1 ? run_plain(c, set) : run_rooted(c, set);
}

/* Elements equal to the extreme magnitude share the gradient evenly. */
static fa_tensor *extreme_grad(const norm_args *a, fa_tensor *y, fa_tensor *g)
{
    fa_tensor *size = fa_abs(a->x), *top = fa_to(fa_eq(size, y), (fa_dtype)g->dtype);
    fa_tensor *count = fa_sum(top, .dim = a->dim, .keepdim = a->dim != FA_ALL);
    fa_tensor *slope = fa_mul(fa_sign(a->x), top), *share = fa_div(g, count);
    return fa_mul(slope, share);
}

static void norm_grad(fa__back *b)
{
    const norm_args *a = b->args;
    fa_tensor *y = fa__undo_reduced(b->y[0], a->x, a->dim, a->keepdim);
    fa_tensor *g = fa__undo_reduced(b->gy[0], a->x, a->dim, a->keepdim);
    fa_tensor *gx = NULL;
    if (!y || !g)
        return;
    if (isinf(a->p))
        gx = extreme_grad(a, y, g);
    else if (a->p == 0)
        gx = fa_zeros_like(a->x);
    else if (a->p == 1)
        gx = fa_mul(fa_sign(a->x), g);
    else if (a->p == 2)
        gx = fa_pointwise("y == 0 ? 0 : z * x / y", a->x, y, g);
    else
        gx = fa_pointwise("x == 0 || y == 0 ? 0 : z * sign(x) * pow(abs(x) / y, w - 1)", a->x, y, g, a->p);
    fa__set_input_grad(b, &a->x, gx);
}

/** The p-norm of vectors over dimensions: sum(|x|^p)^(1/p). p = infinity gives the largest |x|, p = -infinity the
 *  smallest, p = 0 the number of nonzero elements. The gradient is 0 at elements that are 0 and where the norm is 0;
 *  with infinite p, elements of equal magnitude share it evenly. */
OP(norm, norm_args, (y), .infer = norm_infer, .run = norm_run, .grad = norm_grad, .keep = KEEP(x, y),
   .autocast = FA__CAST_F32, TORCH("linalg.vector_norm(x, p, dim, keepdim, dtype=dtype)"),
   ALSO("`frobenius_norm`, `linalg.vector_norm`, `linalg.norm` of vectors"),
   SAMPLES(
       "(3,4); (3,4) dim=1; (2,3,4) dim={0,-1} keepdim=true; (3,4) p=1 dim=0; (3,4) p=3 dim=1; (3,4) p=0.5 dim=0; "
       "(3,4) p=-1 dim=1; (3,4) p=0 dim=0; d(3,4) p=inf; d(3,4) p=inf dim=1; d(3,4) p=-inf dim=0 keepdim=true; t(5,3) "
       "p=inf dim=0; t(5,3) dim=1; t(5,3) p=3 dim=0; (0,3) dim=0; (0,3) p=inf dim=1; () ; n(9); "
       "n(9) "
       "p=inf; n(9) p=1; (3,4) dtype=f64"))

typedef struct {
    const fa_tensor *x;      /* any dtype; integers and bool give f32 */
    fa_dims dim OPT(FA_ALL); /* one dimension, several as FA_DIMS(0, 2), or all: FA_ALL */
    bool keepdim OPT(false); /* true: keep the reduced dimensions with size 1 */
} logsumexp_args;

static bool logsumexp_infer(fa__call *c)
{
    const logsumexp_args *a = c->args;
    fa_dtype dtype = fa__dtype_is_float(a->x->dtype) ? (fa_dtype)a->x->dtype : FA_F32;
    return fa__infer_reduced(c, a->x, a->dim, a->keepdim, dtype);
}

/* A tensor that kept the dimensions of `set` with size 1, reshaped to a result that may not have them. */
static fa_tensor *like_result(fa_tensor *kept, const fa_tensor *y, unsigned set)
{
    fa_tensor *t = fa__own(fa__tensor_alias(kept));
    if (!t || y->rank == kept->rank)
        return t;
    t->rank = 0;
    for (int i = 0; i < kept->rank; i++)
        if (!(set >> i & 1)) {
            t->shape[t->rank] = kept->shape[i];
            t->stride[t->rank++] = kept->stride[i];
        }
    return t;
}

/* An infinite maximum is not subtracted, since it decides the result already. */
static bool logsumexp_run(fa__call *c)
{
    const logsumexp_args *a = c->args;
    fa_tensor *y = c->out[0];
    unsigned set;
    if (!fa__dim_set(c, a->x, a->dim, &set))
        return false;
    if (!fa__reduced_count(a->x, set))
        return fa__run_expression(c, y, "-inf", 0, NULL);
    fa_tensor *top = fa__between_kept(c, y, a->x, set), *sum = fa__between(c, y);
    fa_tensor *shaped = top ? like_result(top, y, set) : NULL;
    if (!sum || !shaped)
        return false;
    fa__bound bound[] = {{.name = "x", .value = fa__arg_t(a->x)}, {.name = "m", .value = fa__arg_t(top)}};
    fa__bound ends[] = {{.name = "m", .value = fa__arg_t(shaped)}, {.name = "s", .value = fa__arg_t(sum)}};
    return fa__run_reduce(c, top, FA__COMBINE_MAX, "x", set, 1, bound)
           && fa__run_reduce(c, sum, FA__COMBINE_SUM, "exp(abs(m) == inf ? x : x - m)", set, 2, bound)
           && fa__run_expression(c, y, "log(s) + m", 2, ends);
}

static void logsumexp_grad(fa__back *b)
{
    const logsumexp_args *a = b->args;
    fa_tensor *y = fa__undo_reduced(b->y[0], a->x, a->dim, a->keepdim);
    fa_tensor *g = fa__undo_reduced(b->gy[0], a->x, a->dim, a->keepdim);
    fa__set_input_grad(b, &a->x, fa_pointwise("y == -inf ? 0 : z * exp(x - y)", a->x, y, g));
}

/** log(sum(exp(x))) over dimensions, computed after subtracting the maximum. For no elements, or only -infinity, the
 *  result is -infinity and the gradient 0. */
OP(logsumexp, logsumexp_args, (y), .infer = logsumexp_infer, .run = logsumexp_run, .grad = logsumexp_grad,
   .keep = KEEP(x, y), .autocast = FA__CAST_F32,
   TORCH("logsumexp(x, tuple(range(x.dim())) if dim is None else dim, keepdim)"),
   SAMPLES(
       "(3,4); (3,4) dim=1; (2,3,4) dim={0,-1} keepdim=true; (2,3,4) dim={0,-1}; (0,3) dim=0; (0,3) dim=1; (); n(9); "
       "n(3,9) dim=0"))

#include "norm.rows"
