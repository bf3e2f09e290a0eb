/* One-cycle schedule: up to a maximum rate and down to almost 0, with the momentum in the opposite direction. */
#include "optim/optim.h"
#include "optim/schedule.h"
#include <facula/error.h>
#include <math.h>
#include <string.h>

/* The rate at which a phase starts or ends. */
typedef enum corner { INITIAL, HIGHEST, LOWEST } corner;

typedef struct phase {
    double end; /* the epoch in which the phase ends */
    corner rate[2];
    bool low_momentum[2];
} phase;

typedef struct one_cycle {
    fa_schedule base; /* its base rates are the initial rates */
    phase phase[3];
    int phases;
    int64_t steps;
    bool linear;
    double base_momentum, max_momentum, div_factor, final_div_factor;
} one_cycle;

static double corner_rate(const one_cycle *t, corner c, int group)
{
    double initial = t->base.base_rate[group];
    return c == INITIAL ? initial : c == HIGHEST ? initial * t->div_factor : initial / t->final_div_factor;
}

static double between(const one_cycle *t, double start, double end, double part)
{
    const double pi = 3.14159265358979323846;
    return t->linear ? (end - start) * part + start : end + (start - end) / 2 * (cos(pi * part) + 1);
}

/* The phase that contains an epoch, and the completed fraction of it. One epoch may follow the last step. A line that
 * continued would be below 0 there, so it stays at its end; the cosine turns back, as in PyTorch. */
static const phase *phase_at(const one_cycle *t, double epoch, double *part)
{
    double start = 0;
    int i = 0;
    for (; i < t->phases - 1 && epoch > t->phase[i].end; i++)
        start = t->phase[i].end;
    double length = t->phase[i].end - start;
    *part = length != 0 ? (epoch - start) / length : 1;
    if (t->linear && *part > 1)
        *part = 1;
    return &t->phase[i];
}

static double rate(const fa_schedule *s, int group, double now, bool first)
{
    const one_cycle *t = (const one_cycle *)s;
    double part;
    (void)now;
    (void)first;
    if (s->epoch > t->steps) {
        fa_fail(FA_ERROR_STATE, "%s: all %lld steps were made", s->kind->name, (long long)t->steps);
        return (double)NAN;
    }
    const phase *p = phase_at(t, (double)s->epoch, &part);
    return between(t, corner_rate(t, p->rate[0], group), corner_rate(t, p->rate[1], group), part);
}

static double momentum(const fa_schedule *s)
{
    const one_cycle *t = (const one_cycle *)s;
    double part, at[2];
    const phase *p = phase_at(t, (double)s->epoch, &part);
    for (int i = 0; i < 2; i++)
        at[i] = p->low_momentum[i] ? t->base_momentum : t->max_momentum;
    return between(t, at[0], at[1], part);
}

static const fa__schedule_kind kind = {.name = "fa_schedule_one_cycle", .rate = rate, .momentum = momentum};

/* ---- creation ---- */

static void phases_set(one_cycle *t, double pct_start, bool three_phase)
{
    double up = pct_start * (double)t->steps, last = (double)t->steps - 1;
    phase rise = {up - 1, {INITIAL, HIGHEST}, {false, true}}, fall = {last, {HIGHEST, LOWEST}, {true, false}};
    phase back = {2 * up - 2, {HIGHEST, INITIAL}, {true, false}}, end = {last, {INITIAL, LOWEST}, {false, false}};
    t->phases = three_phase ? 3 : 2;
    t->phase[0] = rise;
    t->phase[1] = three_phase ? back : fall;
    t->phase[2] = end;
}

static bool positive(const char *option, double value)
{
    return (value > 0 && isfinite(value))
           || fa_fail(FA_ERROR_ARGUMENT, "%s: %s is more than 0, and finite, not %g", kind.name, option, value);
}

static bool options_are_good(double max_lr, int64_t total_steps, const fa_schedule_one_cycle_options *g)
{
    const char *anneal = g->anneal_strategy ? g->anneal_strategy : "NULL";
    if (strcmp(anneal, "cos") && strcmp(anneal, "linear"))
        return fa_fail(FA_ERROR_ARGUMENT, "%s: .anneal_strategy is \"cos\" or \"linear\", not \"%s\"", kind.name,
                       anneal);
    return fa__number_is_good(kind.name, "max_lr", max_lr, 0, INFINITY)
           && fa__whole_is_good(kind.name, "total_steps", total_steps, 1)
           && fa__number_is_good(kind.name, ".pct_start", g->pct_start, 0, 1)
           && fa__number_is_good(kind.name, ".base_momentum", g->base_momentum, 0, INFINITY)
           && fa__number_is_good(kind.name, ".max_momentum", g->max_momentum, 0, INFINITY)
           && positive(".div_factor", g->div_factor) && positive(".final_div_factor", g->final_div_factor);
}

fa_schedule *(fa_schedule_one_cycle)(fa_optim *o, double max_lr, int64_t total_steps,
                                     const fa_schedule_one_cycle_options *options)
{
    fa_schedule_one_cycle_options given = FA__DEFAULT_fa_schedule_one_cycle;
    fa__options_read(&given, given.size, options);
    if (!fa__optim_check(o, kind.name) || !options_are_good(max_lr, total_steps, &given)
        || !fa__groups_are_good(kind.name, ".max_lrs", given.max_lrs, (int)o->groups))
        return NULL;
    const char *cycled = given.cycle_momentum ? fa__schedule_momentum(o, kind.name) : NULL;
    one_cycle *t = given.cycle_momentum && !cycled ? NULL : fa__schedule_new(&kind, sizeof *t, o);
    if (!t)
        return NULL;
    t->base.momentum = cycled;
    t->steps = total_steps;
    t->linear = !strcmp(given.anneal_strategy, "linear");
    t->base_momentum = given.base_momentum;
    t->max_momentum = given.max_momentum;
    t->div_factor = given.div_factor;
    t->final_div_factor = given.final_div_factor;
    phases_set(t, given.pct_start, given.three_phase);
    int i = 0;
    FA__EACH_GROUP(g, o)
    {
        double highest = given.max_lrs.count ? given.max_lrs.item[i] : max_lr;
        g->initial_lr = t->base.base_rate[i++] = highest / given.div_factor;
    }
    return fa__schedule_begin(&t->base);
}
