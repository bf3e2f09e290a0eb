/* Adam, with amsgrad. */
#include "optim/optim.h"
#include <facula/error.h>
#include <math.h>

/* The means begin at 0, and are too small by these factors at first. */
static double rate(const fa_optim *o, int64_t step)
{
    return o->lr / (1 - pow(o->options.adam.beta1, (double)step));
}

static double root(const fa_optim *o, int64_t step)
{
    return sqrt(1 - pow(o->options.adam.beta2, (double)step));
}

static bool options_are_good(const fa_optim_adam_options *a)
{
    if (!(a->beta1 >= 0 && a->beta1 < 1 && a->beta2 >= 0 && a->beta2 < 1))
        return fa_fail(FA_ERROR_ARGUMENT, "fa_optim_adam: .beta1 and .beta2 are 0 or more and below 1, not %g and %g",
                       a->beta1, a->beta2);
    return a->eps >= 0 || fa_fail(FA_ERROR_ARGUMENT, "fa_optim_adam: .eps is 0 or more, not %g", a->eps);
}

/* Writes the program: p is the parameter, d its gradient, m and v the means of gradients and of their squares, x the
 * largest v so far. */
static void method(fa_optim *o, const fa_optim_adam_options *a)
{
    fa__optim_gradient(o, a->maximize, a->weight_decay);
    fa__optim_text(o, "m = m + rest1 * (d - m); v = beta2 * v + rest2 * d * d; ");
    fa__optim_text(o, "%sp = p - rate * (m / (sqrt(%s) / root + eps))", a->amsgrad ? "x = maximum(x, v); " : "",
                   a->amsgrad ? "x" : "v");
    fa__optim_constant(o, "rest1", 1 - a->beta1);
    fa__optim_constant(o, "beta2", a->beta2);
    fa__optim_constant(o, "rest2", 1 - a->beta2);
    fa__optim_constant(o, "eps", a->eps);
    fa__optim_number(o, "rate", rate);
    fa__optim_number(o, "root", root);
    fa__optim_state(o, "exp_avg", "m");
    fa__optim_state(o, "exp_avg_sq", "v");
    if (a->amsgrad)
        fa__optim_state(o, "max_exp_avg_sq", "x");
}

fa_optim *(fa_optim_adam)(fa_parameters parameters, const fa_optim_adam_options *options)
{
    fa_optim_adam_options a = FA__DEFAULT_fa_optim_adam;
    fa__options_read(&a, a.size, options);
    if (!options_are_good(&a))
        return NULL;
    fa_optim *o = fa__optim_new("fa_optim_adam", parameters, a.lr, a.weight_decay);
    if (!o)
        return NULL;
    o->options.adam = a;
    method(o, &a);
    return o;
}
