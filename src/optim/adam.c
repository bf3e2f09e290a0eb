/* Adam, with amsgrad. */
#include "optim/optim.h"
#include <facula/error.h>
#include <math.h>
#include <stdio.h>

/* A number that is the same in every step. */
#define CONSTANT(name, value)                                                                                          \
    static double name(const fa_optim *o, int64_t step)                                                                \
    {                                                                                                                  \
        const fa_optim_adam_options *a = &o->options.adam;                                                             \
        (void)step;                                                                                                    \
        return value;                                                                                                  \
    }

CONSTANT(rest1, 1 - a->beta1)
CONSTANT(beta2, a->beta2)
CONSTANT(rest2, 1 - a->beta2)
CONSTANT(eps, a->eps)
CONSTANT(decay, a->weight_decay)

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

/* Writes the program: p is the parameter, g its gradient, m and v the means of gradients and of their squares, x the
 * largest v so far. */
static void method(fa_optim *o, const fa_optim_adam_options *a)
{
    snprintf(o->text, sizeof o->text,
             "d = %sg%s; m = m + rest1 * (d - m); v = beta2 * v + rest2 * d * d; %s"
             "p = p - rate * (m / (sqrt(%s) / root + eps))",
             a->maximize ? "-" : "", a->weight_decay != 0 ? " + decay * p" : "",
             a->amsgrad ? "x = maximum(x, v); " : "", a->amsgrad ? "x" : "v");
    static const fa__number numbers[] = {{"rest1", rest1}, {"beta2", beta2}, {"rest2", rest2},
                                         {"eps", eps},     {"rate", rate},   {"root", root}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        fa__optim_number(o, numbers[i].name, numbers[i].value);
    if (a->weight_decay != 0)
        fa__optim_number(o, "decay", decay);
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
