/* Variance and standard deviation over dimensions. */
#include "ops/reduce/reduce.h"
#include <math.h>

typedef struct {
    const fa_tensor *x;       /* floating */
    fa_dims dim OPT(FA_ALL);  /* one dimension, several as FA_DIMS(0, 2), or all: FA_ALL */
    double correction OPT(1); /* the sum of squared differences is divided by (number of elements - correction) */
    bool keepdim OPT(false);  /* true: keep the reduced dimensions with size 1 */
} var_args;

static bool var_infer(fa__call *c)
{
    const var_args *a = c->args;
    if (!fa__dtype_is_float(a->x->dtype))
        return fa__call_fail(c, FA_ERROR_DTYPE, "the variance of %s is not defined",
                             fa_dtype_name((fa_dtype)a->x->dtype));
    if (isnan(a->correction))
        return fa__call_fail(c, FA_ERROR_ARGUMENT, "the correction is NaN");
    return fa__infer_reduced(c, a->x, a->dim, a->keepdim, (fa_dtype)a->x->dtype);
}

/* The divisor of the sum of squares, at least 0. */
static double degrees(const var_args *a, unsigned set)
{
    double n = (double)fa__reduced_count(a->x, set) - a->correction;
    return n > 0 ? n : 0;
}

bool fa__run_squares(fa__call *c, fa__squares *t, const fa_tensor *x, fa_dims dim)
{
    static const char *const names[] = {"s", "q"};
    unsigned set;
    t->deviation = fa__between(c, t->square);
    if (!t->deviation || !fa__dim_set(c, x, dim, &set) || !fa__run_mean(c, t->mean, x, dim))
        return false;
    fa__bound bound[] = {{.name = "x", .value = fa__arg_t(x)}, {.name = "m", .value = fa__arg_t(t->mean)}};
    t->n = (double)fa__reduced_count(x, set);
    return fa__run_reduce_to(c, 2, ((fa_tensor *[]){t->deviation, t->square}), names, "s = x - m; q = s * s", set, 2,
                             bound);
}

/* The mean is stored in a temporary of its own, wider than f16 and bf16. */
static bool squares(fa__call *c, fa__squares *t, double *degrees_of)
{
    const var_args *a = c->args;
    unsigned set;
    if (!fa__dim_set(c, a->x, a->dim, &set))
        return false;
    *degrees_of = degrees(a, set);
    t->mean = fa__between_kept(c, c->out[0], a->x, set);
    t->square = fa__between(c, c->out[0]);
    return t->mean && t->square && fa__run_squares(c, t, a->x, a->dim);
}

static bool var_run(fa__call *c)
{
    fa__squares t;
    double d;
    return squares(c, &t, &d)
           && fa__run_expression(c, c->out[0], FA__SQUARES " / d", 4,
                                 (fa__bound[]){FA__SQUARES_BOUND(t), {.name = "d", .value = fa__arg_f(d)}});
}

static bool std_run(fa__call *c)
{
    fa__squares t;
    double d;
    return squares(c, &t, &d)
           && fa__run_expression(c, c->out[0], "sqrt(" FA__SQUARES " / d)", 4,
                                 (fa__bound[]){FA__SQUARES_BOUND(t), {.name = "d", .value = fa__arg_f(d)}});
}

/* The tensor in the dtype that f16 and bf16 are computed in. */
static fa_tensor *widened(const fa_tensor *x)
{
    return fa_to(x, x->dtype == FA_F64 ? FA_F64 : FA_F32);
}

/* The gradient of x, given `g`, that of the variance. The differences are centered again to remove the rounding error
 * of the mean. For f16 and bf16 they are computed in f32, since they could overflow or lose digits. */
static void give_variance(fa__back *b, fa_tensor *g)
{
    const var_args *a = b->args;
    unsigned set;
    if (!fa__dim_set(NULL, a->x, a->dim, &set))
        return;
    fa_tensor *x = widened(a->x);
    fa_tensor *distance = fa_sub(x, fa_detach(fa_mean(x, .dim = a->dim, .keepdim = true)));
    fa_tensor *mean = fa_mean(distance, .dim = a->dim, .keepdim = true);
    g = fa__undo_reduced(g, a->x, a->dim, a->keepdim);
    fa__set_input_grad(
        b, &a->x,
        fa_to(fa_pointwise("(x - y) * z * w", distance, mean, g, 2 / degrees(a, set)), (fa_dtype)a->x->dtype));
}

static void var_grad(fa__back *b)
{
    give_variance(b, b->gy[0]);
}

/** The variance over dimensions: sum((x - mean)^2) / (n - correction), computed in two passes. With correction 1 the
 *  variance of a single element is NaN. */
OP(var, var_args, (y), .infer = var_infer, .run = var_run, .grad = var_grad, .keep = KEEP(x),
   TORCH("var(x, dim, correction=correction, keepdim=keepdim)"),
   SAMPLES("(3,4); (3,4) dim=1; (2,3) dim=0 keepdim=true; (2,3,4) dim={0,-1} correction=0; (1,3) dim=0"))

static void std_grad(fa__back *b)
{
    give_variance(b, fa_pointwise("y == 0 ? 0 : x / (2 * y)", widened(b->gy[0]), b->y[0]));
}

/** The standard deviation over dimensions: the square root of fa_var(). Where it is 0, its gradient is 0. */
OP(std, var_args, (y), .infer = var_infer, .run = std_run, .grad = std_grad, .keep = KEEP(x, y),
   TORCH("std(x, dim, correction=correction, keepdim=keepdim)"),
   SAMPLES("(3,4); (3,4) dim=1; (2,3) dim=0 keepdim=true; (2,3,4) dim={0,-1} correction=0; (1,3) dim=0; (1,3) dim=0 "
           "correction=0; n(9)"))

static fa_tensor *var_mean_compose(fa__call *c)
{
    const var_args *a = c->args;
    c->out[1] = fa_mean(a->x, .dim = a->dim, .keepdim = a->keepdim);
    return c->out[1] ? fa_var(a->x, .dim = a->dim, .correction = a->correction, .keepdim = a->keepdim) : NULL;
}

static fa_tensor *std_mean_compose(fa__call *c)
{
    const var_args *a = c->args;
    c->out[1] = fa_mean(a->x, .dim = a->dim, .keepdim = a->keepdim);
    return c->out[1] ? fa_std(a->x, .dim = a->dim, .correction = a->correction, .keepdim = a->keepdim) : NULL;
}

/** The variance, as fa_var(), and the mean. */
OP(var_mean, var_args, (variance, mean), .compose = var_mean_compose,
   TORCH("var_mean(x, dim, correction=correction, keepdim=keepdim)"),
   SAMPLES("(3,4); (3,4) dim=1; (2,3) dim=0 keepdim=true; (2,3,4) dim={0,-1} correction=0"))

/** The standard deviation, as fa_std(), and the mean. */
OP(std_mean, var_args, (deviation, mean), .compose = std_mean_compose,
   TORCH("std_mean(x, dim, correction=correction, keepdim=keepdim)"),
   SAMPLES("(3,4); (3,4) dim=1; (2,3) dim=0 keepdim=true; (2,3,4) dim={0,-1} correction=0"))

#include "moments.rows"
