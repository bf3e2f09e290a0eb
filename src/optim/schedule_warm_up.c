/* Warm-up schedules, which start with a fraction of the base rate: linear, and constant. */
#include "optim/schedule.h"
#include <facula/error.h>
#include <math.h>

typedef struct warm_up {
    fa_schedule base;
    double start, end;
    int64_t iters;
} warm_up;

/* Multiplies the rate by the quotient of the factors of the two epochs. */
static double linear_rate(const fa_schedule *s, int group, double now, bool first)
{
    const warm_up *t = (const warm_up *)s;
    double rise = t->end - t->start;
    (void)group;
    if (first)
        return now * t->start;
    if (s->epoch > t->iters)
        return now;
    double next = now * (1 + rise / ((double)t->iters * t->start + (double)(s->epoch - 1) * rise));
    return next < 0 ? 0 : next; /* a negative result is only rounding error on the way to 0 */
}

static double constant_rate(const fa_schedule *s, int group, double now, bool first)
{
    const warm_up *t = (const warm_up *)s;
    (void)group;
    if (first)
        return now * t->start;
    return s->epoch == t->iters ? now * (1 / t->start) : now;
}

static const fa__schedule_kind linear_kind = {.name = "fa_schedule_linear", .rate = linear_rate};
static const fa__schedule_kind constant_kind = {.name = "fa_schedule_constant", .rate = constant_rate};

static fa_schedule *warm_up_new(const fa__schedule_kind *kind, fa_optim *o, double start, double end, int64_t iters)
{
    warm_up *t = fa__schedule_new(kind, sizeof *t, o);
    if (!t)
        return NULL;
    t->start = start;
    t->end = end;
    t->iters = iters;
    return fa__schedule_begin(&t->base);
}

/* Checks the factor at epoch 0, by which later steps divide. */
static bool first_part_is_good(const char *who, const char *option, double part)
{
    return (part > 0 && part <= 1)
           || fa_fail(FA_ERROR_ARGUMENT, "%s: %s is more than 0 and at most 1, not %g", who, option, part);
}

fa_schedule *(fa_schedule_linear)(fa_optim *o, const fa_schedule_linear_options *options)
{
    const char *who = linear_kind.name;
    fa_schedule_linear_options given = FA__DEFAULT_fa_schedule_linear;
    fa__options_read(&given, given.size, options);
    bool good = first_part_is_good(who, ".start_factor", given.start_factor)
                && fa__number_is_good(who, ".end_factor", given.end_factor, 0, 1)
                && fa__whole_is_good(who, ".total_iters", given.total_iters, 0);
    return good ? warm_up_new(&linear_kind, o, given.start_factor, given.end_factor, given.total_iters) : NULL;
}

fa_schedule *(fa_schedule_constant)(fa_optim *o, const fa_schedule_constant_options *options)
{
    const char *who = constant_kind.name;
    fa_schedule_constant_options given = FA__DEFAULT_fa_schedule_constant;
    fa__options_read(&given, given.size, options);
    bool good = first_part_is_good(who, ".factor", given.factor)
                && fa__whole_is_good(who, ".total_iters", given.total_iters, 0);
    return good ? warm_up_new(&constant_kind, o, given.factor, 1, given.total_iters) : NULL;
}
