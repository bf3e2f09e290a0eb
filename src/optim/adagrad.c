/* Adagrad: divides gradients by the root of the sum of their squares. */
#include "optim/optim.h"

enum { LR, LR_DECAY, WEIGHT_DECAY, INITIAL_ACCUMULATOR_VALUE, EPS, MAXIMIZE, COMMON };

static double rate(const double *option, int64_t step, bool fresh)
{
    (void)fresh;
    return option[LR] / (1 + (double)(step - 1) * option[LR_DECAY]);
}

/* Generates the program: p is the parameter, d its gradient, s the sum of squares. */
static void write(fa__group *g)
{
    const double *o = g->option;
    fa__optim_gradient(g, o[MAXIMIZE], o[WEIGHT_DECAY]);
    fa__optim_rate(g, rate);
    fa__optim_text(g, "s = s + d * d; p = p - rate * (d / (sqrt(s) + eps))");
    fa__optim_constant(g, "eps", o[EPS]);
}

static void write_count(fa__group *g)
{
    fa__optim_count_constant(g, "lr_decay", g->option[LR_DECAY]);
}

#define AT(name) offsetof(fa_optim_adagrad_options, name)
static const fa__method adagrad = {
    .name = "fa_optim_adagrad",
    .option = {[LR] = {"lr", AT(lr), FA__NOT_NEGATIVE},
               [LR_DECAY] = {"lr_decay", AT(lr_decay), FA__NOT_NEGATIVE},
               [WEIGHT_DECAY] = {"weight_decay", AT(weight_decay), FA__NOT_NEGATIVE},
               [INITIAL_ACCUMULATOR_VALUE] = {"initial_accumulator_value", AT(initial_accumulator_value),
                                              FA__NOT_NEGATIVE},
               [EPS] = {"eps", AT(eps), FA__NOT_NEGATIVE},
               [MAXIMIZE] = {"maximize", AT(maximize), FA__YES_OR_NO},
               [COMMON] = FA__COMMON_OPTIONS(fa_optim_adagrad_options)},
    .state = {{"sum", "s", .begin = INITIAL_ACCUMULATOR_VALUE}},
    .write = write,
    .count = "rate_of_one = 1 / (1 + t * lr_decay); t = t + 1",
    .counter = {"t", "rate_of_one"},
    .write_count = write_count,
};

fa_optim *(fa_optim_adagrad)(fa_parameters parameters, const fa_optim_adagrad_options *options)
{
    fa_optim_adagrad_options a = FA__DEFAULT_fa_optim_adagrad;
    fa__options_read(&a, a.size, options);
    return fa__optim_new(&adagrad, parameters, &a);
}
