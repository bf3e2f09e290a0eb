/* Adam, with amsgrad, and AdamW, which differs in weight decay. */
#include "optim/optim.h"
#include <math.h>

enum { LR, BETA1, BETA2, EPS, WEIGHT_DECAY, AMSGRAD, MAXIMIZE, COMMON };

/* The learning rate with bias correction: the means start at 0 and are too small by these factors. */
static double rate(const double *option, int64_t step, bool fresh)
{
    (void)fresh;
    return option[LR] / (1 - pow(option[BETA1], (double)step));
}

/* The inverse of the second mean's correction. */
static double root(const double *option, int64_t step, bool fresh)
{
    (void)fresh;
    return 1 / sqrt(1 - pow(option[BETA2], (double)step));
}

/* The factor by which AdamW's weight decay multiplies a parameter. */
static double left(const double *option, int64_t step, bool fresh)
{
    (void)step;
    (void)fresh;
    return 1 - option[LR] * option[WEIGHT_DECAY];
}

/* Generates the rest of the program: p is the parameter, d its gradient, m and v the running means of gradients and
 * of their squares, x the maximum of v; `parameter` is the parameter before the step. */
static void write_means(fa__group *g, const char *parameter)
{
    const double *o = g->option;
    bool amsgrad = o[AMSGRAD] != 0;
    fa__optim_rate(g, rate);
    fa__optim_mean(g, o[BETA1]);
    fa__optim_text(g, "v = beta2 * v + rest * d * d; ");
    fa__optim_text(g, "%sp = %s - rate * (m / (sqrt(%s) * root + eps))", amsgrad ? "x = maximum(x, v); " : "",
                   parameter, amsgrad ? "x" : "v");
    fa__optim_constant(g, "beta2", o[BETA2]);
    fa__optim_constant(g, "rest", 1 - o[BETA2]);
    fa__optim_constant(g, "eps", o[EPS]);
    fa__optim_number(g, "root", root);
}

/* 1 - beta^t by expm1, which is exact to the last bits where beta^t is near 1. */
static const char count[] =
    "t = t + 1; rate_of_one = -1 / expm1(t * log_beta1); root = 1 / sqrt(-expm1(t * log_beta2))";

static void write_count(fa__group *g)
{
    fa__optim_count_constant(g, "log_beta1", log(g->option[BETA1]));
    fa__optim_count_constant(g, "log_beta2", log(g->option[BETA2]));
}

static void write_adam(fa__group *g)
{
    fa__optim_gradient(g, g->option[MAXIMIZE], g->option[WEIGHT_DECAY]);
    write_means(g, "p");
}

static void write_adamw(fa__group *g)
{
    bool decays = g->option[WEIGHT_DECAY] != 0;
    fa__optim_gradient(g, g->option[MAXIMIZE], 0);
    bool by_tensor = g->lr || fa__group_counts(g); /* lr is a name in the program */
    if (decays && by_tensor)
        fa__optim_text(g, "left = 1 - lr * decay; ");
    write_means(g, decays ? "left * p" : "p");
    if (decays && by_tensor)
        fa__optim_constant(g, "decay", g->option[WEIGHT_DECAY]);
    else if (decays)
        fa__optim_number(g, "left", left);
}

#define AT(name) offsetof(fa_optim_adam_options, name)
#define OPTIONS                                                                                                        \
    {                                                                                                                  \
        [LR] = {"lr", AT(lr), FA__NOT_NEGATIVE}, [BETA1] = {"beta1", AT(beta1), FA__BELOW_ONE},                        \
        [BETA2] = {"beta2", AT(beta2), FA__BELOW_ONE}, [EPS] = {"eps", AT(eps), FA__NOT_NEGATIVE},                     \
        [WEIGHT_DECAY] = {"weight_decay", AT(weight_decay), FA__NOT_NEGATIVE},                                         \
        [AMSGRAD] = {"amsgrad", AT(amsgrad), FA__YES_OR_NO}, [MAXIMIZE] = {"maximize", AT(maximize), FA__YES_OR_NO},   \
        [COMMON] = FA__COMMON_OPTIONS(fa_optim_adam_options),                                                          \
    }
#define STATES                                                                                                         \
    {                                                                                                                  \
        {"exp_avg", "m", 0, 0}, {"exp_avg_sq", "v", 0, 0},                                                             \
        {                                                                                                              \
            "max_exp_avg_sq", "x", .when = AMSGRAD                                                                     \
        }                                                                                                              \
    }
#define COUNTERS                                                                                                       \
    {                                                                                                                  \
        "t", "rate_of_one", "root"                                                                                     \
    }
static const fa__method adam = {.name = "fa_optim_adam",
                                .option = OPTIONS,
                                .state = STATES,
                                .write = write_adam,
                                .count = count,
                                .counter = COUNTERS,
                                .write_count = write_count};
static const fa__method adamw = {.name = "fa_optim_adamw",
                                 .option = OPTIONS,
                                 .state = STATES,
                                 .write = write_adamw,
                                 .count = count,
                                 .counter = COUNTERS,
                                 .write_count = write_count};

fa_optim *(fa_optim_adam)(fa_parameters parameters, const fa_optim_adam_options *options)
{
    fa_optim_adam_options a = FA__DEFAULT_fa_optim_adam;
    fa__options_read(&a, a.size, options);
    return fa__optim_new(&adam, parameters, &a);
}

fa_optim *(fa_optim_adamw)(fa_parameters parameters, const fa_optim_adamw_options *options)
{
    fa_optim_adamw_options a = FA__DEFAULT_fa_optim_adamw;
    fa__options_read(&a, a.size, options);
    return fa__optim_new(&adamw, parameters, &a);
}
