/* Stochastic gradient descent, with momentum. */
#include "optim/optim.h"
#include <facula/error.h>

enum { LR, MOMENTUM, DAMPENING, WEIGHT_DECAY, NESTEROV, MAXIMIZE, COMMON };

static double rate(const double *option, int64_t step, bool fresh)
{
    (void)step;
    (void)fresh;
    return option[LR];
}

/* The factor of the gradient in the momentum buffer: 1 in the first step with momentum, which may be any step of the
 * parameter. */
static double keep(const double *option, int64_t step, bool fresh)
{
    (void)step;
    return fresh ? 1 : 1 - option[DAMPENING];
}

static bool options_are_good(const char *who, const double *o)
{
    bool good = o[NESTEROV] == 0 || (o[MOMENTUM] > 0 && o[DAMPENING] == 0);
    return good
           || fa_fail(FA_ERROR_ARGUMENT, "%s: .nesterov needs .momentum, which is %g, and no .dampening, which is %g",
                      who, o[MOMENTUM], o[DAMPENING]);
}

/* Generates the program: p is the parameter, d its gradient, b the momentum buffer. */
static void write(fa__group *g)
{
    const double *o = g->option;
    fa__optim_gradient(g, o[MAXIMIZE], o[WEIGHT_DECAY]);
    fa__optim_rate(g, rate);
    if (o[MOMENTUM] == 0) {
        fa__optim_text(g, "p = p - rate * d");
        return;
    }
    fa__optim_text(g, "b = momentum * b + %sd; p = p - rate * %s", o[DAMPENING] != 0 ? "keep * " : "",
                   o[NESTEROV] != 0 ? "(d + momentum * b)" : "b");
    fa__optim_constant(g, "momentum", o[MOMENTUM]);
    if (o[DAMPENING] != 0)
        fa__optim_number(g, "keep", keep);
}

static void write_count(fa__group *g)
{
    fa__optim_count_constant(g, "kept", 1 - g->option[DAMPENING]);
}

#define AT(name) offsetof(fa_optim_sgd_options, name)
static const fa__method sgd = {
    .name = "fa_optim_sgd",
    .option = {[LR] = {"lr", AT(lr), FA__NOT_NEGATIVE},
               [MOMENTUM] = {"momentum", AT(momentum), FA__NOT_NEGATIVE},
               [DAMPENING] = {"dampening", AT(dampening), FA__ANY_NUMBER},
               [WEIGHT_DECAY] = {"weight_decay", AT(weight_decay), FA__NOT_NEGATIVE},
               [NESTEROV] = {"nesterov", AT(nesterov), FA__YES_OR_NO},
               [MAXIMIZE] = {"maximize", AT(maximize), FA__YES_OR_NO},
               [COMMON] = FA__COMMON_OPTIONS(fa_optim_sgd_options)},
    .state = {{"momentum_buffer", "b", .when = MOMENTUM}},
    .check = options_are_good,
    .write = write,
    .count = "keep = t < 1 ? 1 : kept; t = t + 1",
    .counter = {"t", "keep"},
    .count_when = DAMPENING,
    .write_count = write_count,
};

fa_optim *(fa_optim_sgd)(fa_parameters parameters, const fa_optim_sgd_options *options)
{
    fa_optim_sgd_options s = FA__DEFAULT_fa_optim_sgd;
    fa__options_read(&s, s.size, options);
    return fa__optim_new(&sgd, parameters, &s);
}
