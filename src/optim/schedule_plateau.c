/* Reduces the rate when a metric stops improving. */
#include "optim/schedule.h"
#include <facula/error.h>
#include <float.h>
#include <math.h>
#include <string.h>

typedef struct plateau {
    fa_schedule base;
    bool max, absolute;
    double factor, threshold, eps, best;
    int64_t patience, cooldown, bad, cooling; /* bad: epochs without improvement; cooling: remaining cooldown epochs */
    double lowest[];
} plateau;

static bool is_better(const plateau *t, double metric)
{
    double margin = t->max ? t->threshold : -t->threshold;
    double bar = t->absolute ? t->best + margin : t->best * (1 + margin);
    return t->max ? metric > bar : metric < bar;
}

/* Lowers the rates, except for changes that are too small. */
static bool reduce(plateau *t)
{
    fa_schedule *s = &t->base;
    for (int i = 0; i < s->groups; i++) {
        double now = fa__schedule_rate(s, i), lower = fmax(now * t->factor, t->lowest[i]);
        s->next[i] = now - lower > t->eps ? lower : now;
    }
    return fa__schedule_set(s, s->kind->name);
}

static bool metric(fa_schedule *s, double value)
{
    plateau *t = (plateau *)s;
    bool better = is_better(t, value);
    int64_t bad = better || t->cooling > 0 ? 0 : t->bad + 1;
    bool lower = bad > t->patience;
    if (lower && !reduce(t))
        return false;
    s->epoch++;
    t->best = better ? value : t->best;
    t->bad = lower ? 0 : bad;
    t->cooling = lower ? t->cooldown : t->cooling - (t->cooling > 0);
    return true;
}

/* Numbers in a state dict must be finite. The initial best metric is infinite, and is therefore not stored; an
 * infinitely good one is stored as the best finite number. */
static bool visit(fa__dict *a, fa_schedule *s)
{
    plateau *t = (plateau *)s;
    const double worst = t->max ? -INFINITY : INFINITY, next = copysign(DBL_MAX, -worst);
    double best = t->best == -worst ? next : t->best;
    if (!fa__dict_whole(a, &t->bad, 0, "num_bad_epochs") || !fa__dict_whole(a, &t->cooling, 0, "cooldown_counter")
        || !fa__dict_optional(a, &best, worst, "best"))
        return false;
    if (a->commit)
        t->best = best == next ? -worst : best;
    return true;
}

static const fa__schedule_kind kind = {.name = "fa_schedule_reduce_on_plateau", .metric = metric, .visit = visit};

/* Checks that an option is one of two words; sets an error if not. */
static bool word_is_good(const char *option, const char *word, const char *a, const char *b)
{
    bool good = word && (!strcmp(word, a) || !strcmp(word, b));
    return good
           || fa_fail(FA_ERROR_ARGUMENT, "%s: %s is \"%s\" or \"%s\", not \"%s\"", kind.name, option, a, b,
                      word ? word : "NULL");
}

static bool options_are_good(const fa_schedule_reduce_on_plateau_options *g)
{
    if (!(g->factor >= 0 && g->factor < 1))
        return fa_fail(FA_ERROR_ARGUMENT, "%s: .factor is 0 or more, and below 1, not %g", kind.name, g->factor);
    return word_is_good(".mode", g->mode, "min", "max")
           && word_is_good(".threshold_mode", g->threshold_mode, "rel", "abs")
           && fa__whole_is_good(kind.name, ".patience", g->patience, 0)
           && fa__whole_is_good(kind.name, ".cooldown", g->cooldown, 0)
           && fa__number_is_good(kind.name, ".threshold", g->threshold, 0, INFINITY)
           && fa__number_is_good(kind.name, ".min_lr", g->min_lr, 0, INFINITY)
           && fa__number_is_good(kind.name, ".eps", g->eps, 0, INFINITY);
}

fa_schedule *(fa_schedule_reduce_on_plateau)(fa_optim *o, const fa_schedule_reduce_on_plateau_options *options)
{
    fa_schedule_reduce_on_plateau_options given = FA__DEFAULT_fa_schedule_reduce_on_plateau;
    fa__options_read(&given, given.size, options);
    int groups = fa_optim_groups(o);
    if (groups < 0 || !options_are_good(&given) || !fa__groups_are_good(kind.name, ".min_lrs", given.min_lrs, groups))
        return NULL;
    plateau *t = fa__schedule_new(&kind, sizeof *t + (size_t)groups * sizeof *t->lowest, o);
    if (!t)
        return NULL;
    t->max = !strcmp(given.mode, "max");
    t->absolute = !strcmp(given.threshold_mode, "abs");
    t->factor = given.factor;
    t->threshold = given.threshold;
    t->eps = given.eps;
    t->best = t->max ? -INFINITY : INFINITY;
    t->patience = given.patience;
    t->cooldown = given.cooldown;
    for (int i = 0; i < groups; i++)
        t->lowest[i] = given.min_lrs.count ? given.min_lrs.item[i] : given.min_lr;
    return &t->base;
}
