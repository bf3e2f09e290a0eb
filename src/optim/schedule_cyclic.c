/* Cyclical rates: up to a maximum and back again and again, with the momentum in the opposite direction. */
#include "optim/optim.h"
#include "optim/schedule.h"
#include <facula/error.h>
#include <math.h>
#include <string.h>

typedef enum mode { TRIANGULAR, TRIANGULAR2, EXP_RANGE, MODES } mode;

typedef struct cyclic {
    fa_schedule base; /* its base rates are the lowest rates */
    double max_lr, gamma, base_momentum, max_momentum;
    int64_t up, all; /* steps */
    mode mode;
} cyclic;

/* How far the rates are from the lowest ones, of 0 to 1. */
static double height(const cyclic *t)
{
    const int64_t cycle = t->base.epoch / t->all, step = t->base.epoch % t->all;
    const double part =
        step <= t->up ? (double)step / (double)t->up : (double)(t->all - step) / (double)(t->all - t->up);
    return part
           * (t->mode == EXP_RANGE     ? pow(t->gamma, (double)t->base.epoch)
              : t->mode == TRIANGULAR2 ? pow(0.5, (double)cycle)
                                       : 1);
}

static double rate(const fa_schedule *s, int group, double now, bool first)
{
    const cyclic *t = (const cyclic *)s;
    (void)now, (void)first;
    return s->base_rate[group] + (t->max_lr - s->base_rate[group]) * height(t);
}

static double momentum(const fa_schedule *s)
{
    const cyclic *t = (const cyclic *)s;
    return t->max_momentum - (t->max_momentum - t->base_momentum) * height(t);
}

static const fa__schedule_kind kind = {.name = "fa_schedule_cyclic", .rate = rate, .momentum = momentum};

/* ---- creation ---- */

static mode mode_of(const char *text)
{
    static const char *const names[MODES] = {"triangular", "triangular2", "exp_range"};
    for (int i = 0; text && i < MODES; i++)
        if (!strcmp(text, names[i]))
            return (mode)i;
    fa_fail(FA_ERROR_ARGUMENT, "%s: .mode is \"triangular\", \"triangular2\" or \"exp_range\", not \"%s\"", kind.name,
            text ? text : "NULL");
    return MODES;
}

static bool options_are_good(double base_lr, double max_lr, const fa_schedule_cyclic_options *g)
{
    return fa__number_is_good(kind.name, "base_lr", base_lr, 0, INFINITY)
           && fa__number_is_good(kind.name, "max_lr", max_lr, 0, INFINITY)
           && fa__whole_is_good(kind.name, ".step_size_up", g->step_size_up, 1)
           && fa__whole_is_good(kind.name, ".step_size_down", g->step_size_down, 0)
           && fa__number_is_good(kind.name, ".gamma", g->gamma, 0, INFINITY)
           && fa__number_is_good(kind.name, ".base_momentum", g->base_momentum, 0, INFINITY)
           && fa__number_is_good(kind.name, ".max_momentum", g->max_momentum, 0, INFINITY) && mode_of(g->mode) != MODES;
}

fa_schedule *(fa_schedule_cyclic)(fa_optim *o, double base_lr, double max_lr, const fa_schedule_cyclic_options *options)
{
    fa_schedule_cyclic_options given = FA__DEFAULT_fa_schedule_cyclic;
    fa__options_read(&given, given.size, options);
    if (!fa__optim_check(o, kind.name) || !options_are_good(base_lr, max_lr, &given))
        return NULL;
    const char *cycled = given.cycle_momentum ? fa__schedule_momentum(o, kind.name) : NULL;
    cyclic *t = given.cycle_momentum && !cycled ? NULL : fa__schedule_new(&kind, sizeof *t, o);
    if (!t)
        return NULL;
    t->base.momentum = cycled;
    t->max_lr = max_lr;
    t->gamma = given.gamma;
    t->mode = mode_of(given.mode);
    t->up = given.step_size_up;
    t->all = t->up + (given.step_size_down ? given.step_size_down : t->up);
    t->base_momentum = given.base_momentum;
    t->max_momentum = given.max_momentum;
    int i = 0;
    FA__EACH_GROUP(g, o)
    {
        g->initial_lr = t->base.base_rate[i++] = base_lr;
    }
    return fa__schedule_begin(&t->base);
}
