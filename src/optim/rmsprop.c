/* RMSprop: divides gradients by the root of a running mean of their squares. */
#include "optim/optim.h"

enum { LR, ALPHA, EPS, WEIGHT_DECAY, MOMENTUM, CENTERED, MAXIMIZE, COMMON };

static double rate(const double *option, int64_t step, bool fresh)
{
    (void)step;
    (void)fresh;
    return option[LR];
}

/* Generates the program: p is the parameter, d its gradient, v the mean of squares, m the mean of gradients, b the
 * momentum buffer. */
static void write(fa__group *g)
{
    const double *o = g->option;
    bool centered = o[CENTERED] != 0, momentum = o[MOMENTUM] != 0;
    fa__optim_gradient(g, o[MAXIMIZE], o[WEIGHT_DECAY]);
    fa__optim_rate(g, rate);
    fa__optim_text(g, "v = alpha * v + rest * d * d; ");
    if (centered)
        fa__optim_mean(g, o[ALPHA]);
    fa__optim_text(g, "s = d / (sqrt(%s) + eps); ", centered ? "v - m * m" : "v");
    fa__optim_text(g, momentum ? "b = momentum * b + s; p = p - rate * b" : "p = p - rate * s");
    fa__optim_constant(g, "alpha", o[ALPHA]);
    fa__optim_constant(g, "rest", 1 - o[ALPHA]);
    fa__optim_constant(g, "eps", o[EPS]);
    if (momentum)
        fa__optim_constant(g, "momentum", o[MOMENTUM]);
}

#define AT(name) offsetof(fa_optim_rmsprop_options, name)
static const fa__method rmsprop = {
    .name = "fa_optim_rmsprop",
    .option = {[LR] = {"lr", AT(lr), FA__NOT_NEGATIVE},
               [ALPHA] = {"alpha", AT(alpha), FA__NOT_NEGATIVE},
               [EPS] = {"eps", AT(eps), FA__NOT_NEGATIVE},
               [WEIGHT_DECAY] = {"weight_decay", AT(weight_decay), FA__NOT_NEGATIVE},
               [MOMENTUM] = {"momentum", AT(momentum), FA__NOT_NEGATIVE},
               [CENTERED] = {"centered", AT(centered), FA__YES_OR_NO},
               [MAXIMIZE] = {"maximize", AT(maximize), FA__YES_OR_NO},
               [COMMON] = FA__COMMON_OPTIONS(fa_optim_rmsprop_options)},
    .state = {{"square_avg", "v", 0, 0},
              {"grad_avg", "m", .when = CENTERED},
              {"momentum_buffer", "b", .when = MOMENTUM}},
    .write = write,
};

fa_optim *(fa_optim_rmsprop)(fa_parameters parameters, const fa_optim_rmsprop_options *options)
{
    fa_optim_rmsprop_options r = FA__DEFAULT_fa_optim_rmsprop;
    fa__options_read(&r, r.size, options);
    return fa__optim_new(&rmsprop, parameters, &r);
}
