/* Stochastic gradient descent, with momentum. */
#include "optim/optim.h"
#include <facula/error.h>
#include <facula/scope.h>
#include <stdio.h>

static double momentum(const fa_optim *o, int64_t step)
{
    (void)step;
    return o->options.sgd.momentum;
}

/* How much of the gradient goes into the direction: it begins as the gradient itself. */
static double keep(const fa_optim *o, int64_t step)
{
    return step == 1 ? 1 : 1 - o->options.sgd.dampening;
}

static double decay(const fa_optim *o, int64_t step)
{
    (void)step;
    return o->options.sgd.weight_decay;
}

static bool options_are_good(const fa_optim_sgd_options *s)
{
    if (!(s->momentum >= 0))
        return fa_fail(FA_ERROR_ARGUMENT, "fa_optim_sgd: .momentum is 0 or more, not %g", s->momentum);
    if (s->nesterov && !(s->momentum > 0 && s->dampening == 0))
        return fa_fail(FA_ERROR_ARGUMENT, "fa_optim_sgd: .nesterov needs momentum, and no dampening");
    return true;
}

/* Writes the program: p is the parameter, g its gradient, b the direction. */
static void method(fa_optim *o, const fa_optim_sgd_options *s)
{
    const char *sign = s->maximize ? "-" : "", *add = s->weight_decay != 0 ? " + decay * p" : "";
    fa__optim_number(o, "lr", fa__optim_rate);
    if (s->weight_decay != 0)
        fa__optim_number(o, "decay", decay);
    if (s->momentum == 0) {
        snprintf(o->text, sizeof o->text, "p = p - lr * (%sg%s)", sign, add);
        return;
    }
    snprintf(o->text, sizeof o->text, "d = %sg%s; b = momentum * b + %sd; p = p - lr * %s", sign, add,
             s->dampening != 0 ? "keep * " : "", s->nesterov ? "(d + momentum * b)" : "b");
    fa__optim_state(o, "momentum_buffer", "b");
    fa__optim_number(o, "momentum", momentum);
    if (s->dampening != 0)
        fa__optim_number(o, "keep", keep);
}

fa_optim *(fa_optim_sgd)(fa_parameters parameters, const fa_optim_sgd_options *options)
{
    fa_optim_sgd_options s = FA__DEFAULT_fa_optim_sgd;
    fa__options_read(&s, s.size, options);
    if (!options_are_good(&s))
        return NULL;
    fa_optim *o = fa__optim_new("fa_optim_sgd", parameters, s.lr, s.weight_decay);
    if (!o)
        return NULL;
    o->options.sgd = s;
    method(o, &s);
    return o;
}
