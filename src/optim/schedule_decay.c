/* Decaying schedules: step, multi-step, exponential, cosine, and user-defined (lambda). */
#include "optim/schedule.h"
#include <facula/error.h>
#include <math.h>
#include <string.h>

/* ---- step ---- */

typedef struct step_schedule {
    fa_schedule base;
    int64_t size;
    double gamma;
} step_schedule;

static double step_rate(const fa_schedule *s, int group, double now, bool first)
{
    const step_schedule *t = (const step_schedule *)s;
    (void)group;
    return first || s->epoch % t->size ? now : now * t->gamma;
}

static const fa__schedule_kind step_kind = {.name = "fa_schedule_step_lr", .rate = step_rate};

fa_schedule *(fa_schedule_step_lr)(fa_optim *o, int64_t step_size, const fa_schedule_step_lr_options *options)
{
    fa_schedule_step_lr_options given = FA__DEFAULT_fa_schedule_step_lr;
    fa__options_read(&given, given.size, options);
    if (!fa__whole_is_good(step_kind.name, "step_size", step_size, 1)
        || !fa__number_is_good(step_kind.name, ".gamma", given.gamma, 0, INFINITY))
        return NULL;
    step_schedule *t = fa__schedule_new(&step_kind, sizeof *t, o);
    if (!t)
        return NULL;
    t->size = step_size;
    t->gamma = given.gamma;
    return fa__schedule_begin(&t->base);
}

/* ---- multi-step ---- */

typedef struct multi_step_schedule {
    fa_schedule base;
    double gamma;
    size_t count;
    double milestone[];
} multi_step_schedule;

static double multi_step_rate(const fa_schedule *s, int group, double now, bool first)
{
    const multi_step_schedule *t = (const multi_step_schedule *)s;
    int times = 0;
    (void)group;
    (void)first;
    for (size_t i = 0; i < t->count; i++)
        times += t->milestone[i] == (double)s->epoch;
    return times ? now * pow(t->gamma, times) : now;
}

static const fa__schedule_kind multi_step_kind = {.name = "fa_schedule_multi_step", .rate = multi_step_rate};

static bool milestones_are_good(fa_list list)
{
    if (list.count && !list.item)
        return fa_fail(FA_ERROR_ARGUMENT, "%s: the milestones are NULL", multi_step_kind.name);
    for (size_t i = 0; i < list.count; i++)
        if (!(list.item[i] >= 0) || list.item[i] != floor(list.item[i]))
            return fa_fail(FA_ERROR_ARGUMENT, "%s: milestone %zu is a whole number of 0 or more, not %g",
                           multi_step_kind.name, i, list.item[i]);
    return true;
}

fa_schedule *(fa_schedule_multi_step)(fa_optim *o, fa_list milestones, const fa_schedule_multi_step_options *options)
{
    fa_schedule_multi_step_options given = FA__DEFAULT_fa_schedule_multi_step;
    fa__options_read(&given, given.size, options);
    if (!milestones_are_good(milestones)
        || !fa__number_is_good(multi_step_kind.name, ".gamma", given.gamma, 0, INFINITY))
        return NULL;
    size_t bytes = milestones.count * sizeof *milestones.item;
    multi_step_schedule *t = fa__schedule_new(&multi_step_kind, sizeof *t + bytes, o);
    if (!t)
        return NULL;
    t->gamma = given.gamma;
    t->count = milestones.count;
    if (bytes)
        memcpy(t->milestone, milestones.item, bytes);
    return fa__schedule_begin(&t->base);
}

/* ---- exponential ---- */

typedef struct exponential_schedule {
    fa_schedule base;
    double gamma;
} exponential_schedule;

static double exponential_rate(const fa_schedule *s, int group, double now, bool first)
{
    (void)group;
    return first ? now : now * ((const exponential_schedule *)s)->gamma;
}

static const fa__schedule_kind exponential_kind = {.name = "fa_schedule_exponential", .rate = exponential_rate};

fa_schedule *fa_schedule_exponential(fa_optim *o, double gamma)
{
    if (!fa__number_is_good(exponential_kind.name, "gamma", gamma, 0, INFINITY))
        return NULL;
    exponential_schedule *t = fa__schedule_new(&exponential_kind, sizeof *t, o);
    if (!t)
        return NULL;
    t->gamma = gamma;
    return fa__schedule_begin(&t->base);
}

/* ---- cosine ---- */

typedef struct cosine_schedule {
    fa_schedule base;
    int64_t t_max;
    double eta_min;
} cosine_schedule;

/* Multiplies the rate by the quotient of the wave's values at the two epochs. At the lowest point, where the value is
 * 0, it adds the difference. */
static double cosine_rate(const fa_schedule *s, int group, double now, bool first)
{
    const cosine_schedule *t = (const cosine_schedule *)s;
    const double pi = 3.14159265358979323846, length = (double)t->t_max, epoch = (double)s->epoch;
    if (first)
        return now;
    const int64_t before = s->epoch - 1;
    if (before % t->t_max == 0 && before / t->t_max % 2 == 1)
        return now + (s->base_rate[group] - t->eta_min) * (1 - cos(pi / length)) / 2;
    return (1 + cos(pi * epoch / length)) / (1 + cos(pi * (epoch - 1) / length)) * (now - t->eta_min) + t->eta_min;
}

static const fa__schedule_kind cosine_kind = {.name = "fa_schedule_cosine", .rate = cosine_rate};

fa_schedule *(fa_schedule_cosine)(fa_optim *o, int64_t t_max, const fa_schedule_cosine_options *options)
{
    fa_schedule_cosine_options given = FA__DEFAULT_fa_schedule_cosine;
    fa__options_read(&given, given.size, options);
    if (!fa__whole_is_good(cosine_kind.name, "t_max", t_max, 1)
        || !fa__number_is_good(cosine_kind.name, ".eta_min", given.eta_min, 0, INFINITY))
        return NULL;
    cosine_schedule *t = fa__schedule_new(&cosine_kind, sizeof *t, o);
    if (!t)
        return NULL;
    t->t_max = t_max;
    t->eta_min = given.eta_min;
    return fa__schedule_begin(&t->base);
}

/* ---- user-defined ---- */

typedef struct lambda_schedule {
    fa_schedule base;
    fa_schedule_function function;
    void *context;
} lambda_schedule;

static double lambda_rate(const fa_schedule *s, int group, double now, bool first)
{
    const lambda_schedule *t = (const lambda_schedule *)s;
    (void)now;
    (void)first;
    return s->base_rate[group] * t->function(s->epoch, group, t->context);
}

static const fa__schedule_kind lambda_kind = {.name = "fa_schedule_lambda", .rate = lambda_rate};

fa_schedule *fa_schedule_lambda(fa_optim *o, fa_schedule_function function, void *context)
{
    if (!function) {
        fa_fail(FA_ERROR_ARGUMENT, "%s: the function is NULL", lambda_kind.name);
        return NULL;
    }
    lambda_schedule *t = fa__schedule_new(&lambda_kind, sizeof *t, o);
    if (!t)
        return NULL;
    t->function = function;
    t->context = context;
    return fa__schedule_begin(&t->base);
}
