/* Code shared by all kinds of schedules. */
#include "optim/schedule.h"
#include "optim/optim.h"
#include <facula/error.h>
#include <facula/scope.h>
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

static void schedule_destroy(void *object)
{
    fa_schedule *s = object;
    if (s->kind->release)
        s->kind->release(s);
    fa__unhold(s->optim);
}

static const fa_object_type schedule_type = {"schedule", schedule_destroy};

bool fa__schedule_check(const fa_schedule *s, const char *who)
{
    return fa__object_check(s, &schedule_type, who);
}

/* ---- options ---- */

bool fa__whole_is_good(const char *who, const char *option, int64_t value, int64_t least)
{
    return value >= least
           || fa_fail(FA_ERROR_ARGUMENT, "%s: %s is %lld or more, not %lld", who, option, (long long)least,
                      (long long)value);
}

bool fa__number_is_good(const char *who, const char *option, double value, double least, double most)
{
    if (isfinite(value) && value >= least && value <= most)
        return true;
    if (isfinite(most))
        return fa_fail(FA_ERROR_ARGUMENT, "%s: %s is %g to %g, not %g", who, option, least, most, value);
    return fa_fail(FA_ERROR_ARGUMENT, "%s: %s is %g or more, and finite, not %g", who, option, least, value);
}

bool fa__groups_are_good(const char *who, const char *option, fa_list list, int groups)
{
    if (list.count && (list.count != (size_t)groups || !list.item))
        return fa_fail(FA_ERROR_ARGUMENT, "%s: %s has %zu numbers, and the optimizer %d groups", who, option,
                       list.count, groups);
    for (size_t i = 0; i < list.count; i++)
        if (!fa__number_is_good(who, option, list.item[i], 0, INFINITY))
            return false;
    return true;
}

const char *fa__schedule_momentum(const fa_optim *o, const char *who)
{
    static const char *const names[] = {"momentum", "beta1"};
    for (int i = 0; i < 2; i++)
        if (fa__option_find(o->method, names[i]) >= 0)
            return names[i];
    fa_fail(FA_ERROR_ARGUMENT, "%s: %s has no momentum: .cycle_momentum = false", who, o->method->name);
    return NULL;
}

/* ---- rates ---- */

double fa__schedule_rate(const fa_schedule *s, int group)
{
    const fa__group *g = fa__optim_group(s->optim, s->kind->name, group);
    return g ? g->option[0] : (double)NAN;
}

bool fa__schedule_set(fa_schedule *s, const char *who)
{
    for (int i = 0; i < s->groups; i++)
        if (!(isfinite(s->next[i]) && s->next[i] >= 0))
            return fa_fail(FA_ERROR_ARGUMENT, "%s: the rate of group %d would be %g", who, i, s->next[i]);
    bool good = true;
    for (int i = 0; good && i < s->groups; i++)
        good = fa_optim_set_option(s->optim, i, "lr", s->next[i]);
    return good;
}

static bool momentum_set(fa_schedule *s)
{
    bool good = true;
    for (int i = 0; good && s->momentum && i < s->groups; i++)
        good = fa_optim_set_option(s->optim, i, s->momentum, s->kind->momentum(s));
    return good;
}

/* Computes the rates at `epoch`, and the momentum. */
static bool rates_at(fa_schedule *s, int64_t epoch, bool first)
{
    int64_t was = s->epoch;
    s->epoch = epoch;
    for (int i = 0; i < s->groups; i++)
        s->next[i] = s->kind->rate(s, i, fa__schedule_rate(s, i), first);
    bool good = !fa_error_stands() && fa__schedule_set(s, s->kind->name) && momentum_set(s);
    if (!good)
        s->epoch = was;
    return good;
}

void *fa__schedule_new(const fa__schedule_kind *kind, size_t size, fa_optim *o)
{
    if (fa_error_stands() || !fa__optim_check(o, kind->name))
        return NULL;
    size = (size + 15) & ~(size_t)15;
    fa_schedule *s = fa_object_new(&schedule_type, size + o->groups * 2 * sizeof(double));
    if (!s)
        return NULL;
    s->kind = kind;
    s->optim = fa__hold(o);
    s->groups = (int)o->groups;
    s->base_rate = (double *)(void *)((char *)s + size);
    s->next = s->base_rate + s->groups;
    int i = 0;
    FA__EACH_GROUP(g, o)
    {
        if (isnan(g->initial_lr) && kind->rate)
            g->initial_lr = g->option[0];
        s->base_rate[i++] = g->initial_lr;
    }
    return s;
}

fa_schedule *fa__schedule_begin(fa_schedule *s)
{
    bool good = s->kind->begin ? s->kind->begin(s) : rates_at(s, 0, true);
    return good ? s : NULL;
}

bool fa__schedule_restart(fa_schedule *s)
{
    memcpy(s->next, s->base_rate, (size_t)s->groups * sizeof *s->next);
    return fa__schedule_set(s, s->kind->name) && fa__schedule_begin(s);
}

bool fa__schedule_next(fa_schedule *s)
{
    return s->kind->step ? s->kind->step(s) : rates_at(s, s->epoch + 1, false);
}

/* ---- steps ---- */

/* True if a step can be made. */
static bool can_step(const fa_schedule *s, const char *who)
{
    if (!fa__schedule_check(s, who) || fa_error_stands())
        return false;
    if (fa_optim_groups(s->optim) != s->groups)
        return fa_fail(FA_ERROR_STATE, "%s: the optimizer has %d groups, and had %d when the %s schedule was made", who,
                       fa_optim_groups(s->optim), s->groups, fa_schedule_kind(s));
    return true;
}

/* The rate of epoch 0 is then never used. */
static void warn_of_order(void)
{
    static atomic_flag warned = ATOMIC_FLAG_INIT;
    if (!atomic_flag_test_and_set(&warned))
        fa__warn(
            "fa_schedule_step: it comes before the first fa_optim_step, and so the schedule's first rate is skipped: "
            "fa_optim_step first, then fa_schedule_step");
}

bool fa_schedule_step(fa_schedule *s)
{
    if (can_step(s, "fa_schedule_step") && !s->kind->metric && s->epoch == 0 && !s->optim->stepped)
        warn_of_order();
    return fa__schedule_step(s);
}

bool fa__schedule_step(fa_schedule *s)
{
    if (!can_step(s, "fa_schedule_step"))
        return false;
    if (s->kind->metric)
        return fa_fail(FA_ERROR_ARGUMENT, "fa_schedule_step: %s steps by a metric: fa_schedule_step_metric()",
                       s->kind->name);
    return fa__schedule_next(s);
}

bool fa_schedule_step_metric(fa_schedule *s, double metric)
{
    if (!can_step(s, "fa_schedule_step_metric"))
        return false;
    if (!s->kind->metric)
        return fa_fail(FA_ERROR_ARGUMENT, "fa_schedule_step_metric: %s takes no metric: fa_schedule_step()",
                       s->kind->name);
    return s->kind->metric(s, metric);
}

/* ---- queries, saving and restoring ---- */

int64_t fa_schedule_epoch(const fa_schedule *s)
{
    return fa__schedule_check(s, "fa_schedule_epoch") ? s->epoch : -1;
}

const char *fa_schedule_kind(const fa_schedule *s)
{
    return fa__schedule_check(s, "fa_schedule_kind") ? s->kind->name + strlen("fa_schedule_") : "";
}

bool fa__schedule_visit(fa__dict *a, void *object)
{
    fa_schedule *s = object;
    if (!fa__dict_same(a, (size_t)s->groups, "groups", "groups") || !fa__dict_whole(a, &s->epoch, 0, "epoch"))
        return false;
    for (int i = 0; s->kind->rate && i < s->groups; i++) {
        double base = s->base_rate[i];
        if (!fa__dict_number(a, &base, "base_rate.%d", i))
            return false;
        if (a->from && !fa__number_is_good(a->who, "base_rate", base, 0, INFINITY))
            return false;
        if (a->commit)
            s->base_rate[i] = base;
    }
    return !s->kind->visit || s->kind->visit(a, s);
}

fa_state_dict fa_schedule_state_dict(const fa_schedule *s)
{
    const char *who = "fa_schedule_state_dict";
    fa_state_dict none = fa__dict_none();
    if (!fa__schedule_check(s, who))
        return none;
    return fa__dict_write(who, fa_schedule_kind(s), fa__schedule_visit, (void *)(uintptr_t)s);
}

bool fa_schedule_load_state_dict(fa_schedule *s, const fa_state_dict *state)
{
    const char *who = "fa_schedule_load_state_dict";
    return fa__schedule_check(s, who) && fa__dict_read(who, fa_schedule_kind(s), state, fa__schedule_visit, s);
}
