/* Variances and deviations over dimensions, alone and with means. */
#include "ops/reduce.h"
#include <math.h>

typedef struct {
    const fa_tensor *x;       /* floating */
    fa_dims dim OPT(FA_ALL);  /* one dimension, FA_DIMS(0, 2), or all of them */
    double correction OPT(1); /* the sum of squares is divided by the number of elements less this */
    bool keepdim OPT(false);  /* keep what was reduced with size 1 */
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

/* What the sum of squares is divided by; 0 at least. */
static double degrees(const var_args *a, unsigned set)
{
    double n = (double)fa__reduced_count(a->x, set) - a->correction;
    return n > 0 ? n : 0;
}

/* The sum of squares of deviations, kept apart from the result, as is the mean: halves are too narrow for them. */
static fa_tensor *squares(fa__call *c, unsigned set)
{
    const var_args *a = c->args;
    fa_tensor *y = c->out[0];
    fa_tensor *mean = fa__between_kept(c, y, a->x, set), *sum = fa__between(c, y);
    if (!mean || !sum || !fa__run_mean(c, mean, a->x, a->dim))
        return NULL;
    fa__bound bound[] = {{.name = "x", .value = fa__arg_t(a->x)}, {.name = "m", .value = fa__arg_t(mean)}};
    return fa__run_reduce(c, sum, FA__COMBINE_SUM, "(x - m) * (x - m)", set, 2, bound) ? sum : NULL;
}

static bool var_run(fa__call *c)
{
    const var_args *a = c->args;
    unsigned set;
    fa_tensor *sum = fa__dim_set(c, a->x, a->dim, &set) ? squares(c, set) : NULL;
    return sum
           && fa__run_expression(c, c->out[0], "s / n", 2,
                                 (fa__bound[]){{.name = "s", .value = fa__arg_t(sum)},
                                               {.name = "n", .value = fa__arg_f(degrees(a, set))}});
}

static bool std_run(fa__call *c)
{
    const var_args *a = c->args;
    unsigned set;
    fa_tensor *sum = fa__dim_set(c, a->x, a->dim, &set) ? squares(c, set) : NULL;
    return sum
           && fa__run_expression(c, c->out[0], "sqrt(s / n)", 2,
                                 (fa__bound[]){{.name = "s", .value = fa__arg_t(sum)},
                                               {.name = "n", .value = fa__arg_f(degrees(a, set))}});
}

/* That of the variance, of which `g` is the gradient. */
static void give_variance(fa__back *b, fa_tensor *g)
{
    const var_args *a = b->args;
    unsigned set;
    if (!fa__dim_set(NULL, a->x, a->dim, &set))
        return;
    fa_tensor *deviation = fa_sub(a->x, fa_mean(a->x, .dim = a->dim, .keepdim = true));
    g = fa__undo_reduced(g, a->x, a->dim, a->keepdim);
    fa__give(b, &a->x, fa_mul(fa_mul(deviation, g), 2 / degrees(a, set)));
}

static void var_grad(fa__back *b)
{
    give_variance(b, b->gy[0]);
}

/** Variance over dimensions, in two passes; with correction 1 that of one element is NaN. */
OP(var, var_args, (y), .infer = var_infer, .run = var_run, .grad = var_grad, .keep = KEEP(x),
   TORCH("var(x, dim, correction=correction, keepdim=keepdim)"),
   SAMPLES("(3,4); (3,4) dim=1; (2,3) dim=0 keepdim=true; (2,3,4) dim={0,-1} correction=0; (1,3) dim=0"))

static void std_grad(fa__back *b)
{
    give_variance(b, fa_pointwise("y == 0 ? 0 : x / (2 * y)", b->gy[0], b->y[0]));
}

/** Standard deviation over dimensions: the root of the variance. Where it is 0, so is its gradient. */
OP(std, var_args, (y), .infer = var_infer, .run = std_run, .grad = std_grad, .keep = KEEP(x, y),
   TORCH("std(x, dim, correction=correction, keepdim=keepdim)"),
   SAMPLES("(3,4); (3,4) dim=1; (2,3) dim=0 keepdim=true; (2,3,4) dim={0,-1} correction=0; (1,3) dim=0; (1,3) dim=0 "
           "correction=0; n(9)"))

static bool var_mean_list(fa__call *c)
{
    const var_args *a = c->args;
    c->out[0] = fa_var(a->x, .dim = a->dim, .correction = a->correction, .keepdim = a->keepdim);
    c->out[1] = fa_mean(a->x, .dim = a->dim, .keepdim = a->keepdim);
    return c->out[0] && c->out[1];
}

static bool std_mean_list(fa__call *c)
{
    const var_args *a = c->args;
    c->out[0] = fa_std(a->x, .dim = a->dim, .correction = a->correction, .keepdim = a->keepdim);
    c->out[1] = fa_mean(a->x, .dim = a->dim, .keepdim = a->keepdim);
    return c->out[0] && c->out[1];
}

/** Variance over dimensions, as fa_var() has it, and the mean. */
OP(var_mean, var_args, (variance, mean), .compose_list = var_mean_list,
   TORCH("var_mean(x, dim, correction=correction, keepdim=keepdim)"),
   SAMPLES("(3,4); (3,4) dim=1; (2,3) dim=0 keepdim=true; (2,3,4) dim={0,-1} correction=0"))

/** Standard deviation over dimensions, as fa_std() has it, and the mean. */
OP(std_mean, var_args, (deviation, mean), .compose_list = std_mean_list,
   TORCH("std_mean(x, dim, correction=correction, keepdim=keepdim)"),
   SAMPLES("(3,4); (3,4) dim=1; (2,3) dim=0 keepdim=true; (2,3,4) dim={0,-1} correction=0"))

#include "moments.rows"
