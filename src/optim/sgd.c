/* Stochastic gradient descent, with momentum. */
#include "optim/optim.h"
#include <facula/error.h>
#include <facula/scope.h>

static double rate(const fa_optim *o, int64_t step)
{
    (void)step;
    return o->lr;
}

/* How much of the gradient goes into the direction: it begins as the gradient itself. */
static double keep(const fa_optim *o, int64_t step)
{
    return step == 1 ? 1 : 1 - o->options.sgd.dampening;
}

static bool options_are_good(const fa_optim_sgd_options *s)
{
    if (!(s->momentum >= 0))
        return fa_fail(FA_ERROR_ARGUMENT, "fa_optim_sgd: .momentum is 0 or more, not %g", s->momentum);
    if (s->nesterov && !(s->momentum > 0 && s->dampening == 0))
        return fa_fail(FA_ERROR_ARGUMENT, "fa_optim_sgd: .nesterov needs momentum, and no dampening");
    return true;
}

/* Writes the program: p is the parameter, d its gradient, b the direction. */
static void method(fa_optim *o, const fa_optim_sgd_options *s)
{
    fa__optim_gradient(o, s->maximize, s->weight_decay);
    fa__optim_number(o, "lr", rate);
    if (s->momentum == 0) {
        fa__optim_text(o, "p = p - lr * d");
        return;
    }
    fa__optim_text(o, "b = momentum * b + %sd; p = p - lr * %s", s->dampening != 0 ? "keep * " : "",
                   s->nesterov ? "(d + momentum * b)" : "b");
    fa__optim_state(o, "momentum_buffer", "b");
    fa__optim_constant(o, "momentum", s->momentum);
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
