/* Combinations of schedules of one optimizer: chained, and sequential. */
#include "optim/schedule.h"
#include <facula/error.h>
#include <facula/scope.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct several {
    fa_schedule base;
    size_t count;
    fa_schedule **part; /* references */
    double *milestone;  /* count - 1 numbers: the epoch at which part i + 1 starts */
} several;

static void release(fa_schedule *s)
{
    several *t = (several *)s;
    for (size_t i = 0; i < t->count; i++)
        fa__unhold(t->part[i]);
}

static bool visit(fa__dict *a, fa_schedule *s)
{
    several *t = (several *)s;
    size_t length = strlen(a->prefix);
    bool good = true;
    for (size_t i = 0; good && i < t->count; i++) {
        int more = snprintf(a->prefix + length, sizeof a->prefix - length, "%zu.%s.", i, fa_schedule_kind(t->part[i]));
        good = (size_t)more < sizeof a->prefix - length
               || fa_fail(FA_ERROR_ARGUMENT, "%s: schedules are nested too deeply", a->who);
        good = good && fa__schedule_visit(a, t->part[i]);
        a->prefix[length] = 0;
    }
    return good;
}

/* ---- chained ---- */

static bool chain_begin(fa_schedule *s)
{
    several *t = (several *)s;
    bool good = true;
    s->epoch = 0;
    for (size_t i = 0; good && i < t->count; i++)
        good = fa__schedule_begin(t->part[i]);
    return good;
}

static bool chain_step(fa_schedule *s)
{
    several *t = (several *)s;
    bool good = true;
    for (size_t i = 0; good && i < t->count; i++)
        good = fa__schedule_next(t->part[i]);
    s->epoch += good;
    return good;
}

static double no_rate(const fa_schedule *s, int group, double now, bool first)
{
    (void)s;
    (void)group;
    (void)first;
    return now;
}

static const fa__schedule_kind chained = {.name = "fa_schedule_chained",
                                          .rate = no_rate,
                                          .begin = chain_begin,
                                          .step = chain_step,
                                          .visit = visit,
                                          .release = release};

/* ---- sequential ---- */

/* The part that is active at an epoch. */
static fa_schedule *part_at(const several *t, int64_t epoch)
{
    size_t i = 0;
    while (i + 1 < t->count && t->milestone[i] <= (double)epoch)
        i++;
    return t->part[i];
}

static bool sequence_begin(fa_schedule *s)
{
    s->epoch = 0;
    return fa__schedule_restart(part_at((several *)s, 0));
}

static bool sequence_step(fa_schedule *s)
{
    const several *t = (several *)s;
    fa_schedule *part = part_at(t, s->epoch + 1);
    bool good = part == part_at(t, s->epoch) ? fa__schedule_next(part) : fa__schedule_restart(part);
    s->epoch += good;
    return good;
}

static const fa__schedule_kind sequential = {.name = "fa_schedule_sequential",
                                             .rate = no_rate,
                                             .begin = sequence_begin,
                                             .step = sequence_step,
                                             .visit = visit,
                                             .release = release};

/* ---- creation ---- */

static bool parts_are_good(const char *who, size_t count, fa_schedule *const *part)
{
    if (!count)
        return fa_fail(FA_ERROR_ARGUMENT, "%s: there are no schedules", who);
    for (size_t i = 0; i < count; i++) {
        if (!fa__schedule_check(part[i], who))
            return false;
        if (part[i]->kind->metric)
            return fa_fail(FA_ERROR_ARGUMENT, "%s: schedule %zu steps by a metric", who, i);
        if (part[i]->optim != part[0]->optim)
            return fa_fail(FA_ERROR_ARGUMENT, "%s: schedules 0 and %zu are of different optimizers", who, i);
        for (size_t k = 0; k < i; k++)
            if (part[k] == part[i])
                return fa_fail(FA_ERROR_ARGUMENT, "%s: schedules %zu and %zu are the same", who, k, i);
    }
    return true;
}

static several *several_new(const fa__schedule_kind *kind, size_t count, fa_schedule *const *part)
{
    if (fa_error_stands() || !parts_are_good(kind->name, count, part))
        return NULL;
    several *t = fa__schedule_new(kind, sizeof *t + count * (sizeof *t->part + sizeof *t->milestone), part[0]->optim);
    if (!t)
        return NULL;
    t->milestone = (double *)(void *)(t + 1);
    t->part = (fa_schedule **)(void *)(t->milestone + count);
    for (; t->count < count; t->count++)
        t->part[t->count] = fa__hold(part[t->count]);
    return t;
}

/* Epoch 0 needs nothing: each part set its rates when it was created. */
fa_schedule *fa__schedule_chained(size_t count, fa_schedule *const *schedules)
{
    several *t = several_new(&chained, count, schedules);
    return t ? &t->base : NULL;
}

static bool milestones_are_good(fa_list m, size_t count)
{
    const char *who = sequential.name;
    if (m.count + 1 != count || (m.count && !m.item))
        return fa_fail(FA_ERROR_ARGUMENT, "%s: %zu schedules have %zu milestones between them, not %zu", who, count,
                       count ? count - 1 : 0, m.count);
    for (size_t i = 0; i < m.count; i++)
        if (!(m.item[i] >= (i ? m.item[i - 1] : 0)) || m.item[i] != floor(m.item[i]))
            return fa_fail(FA_ERROR_ARGUMENT,
                           "%s: milestones are whole numbers of 0 or more, ascending: number %zu is %g", who, i,
                           m.item[i]);
    return true;
}

fa_schedule *fa__schedule_sequential(fa_list milestones, size_t count, fa_schedule *const *schedules)
{
    if (fa_error_stands() || !milestones_are_good(milestones, count))
        return NULL;
    several *t = several_new(&sequential, count, schedules);
    if (!t)
        return NULL;
    if (milestones.count)
        memcpy(t->milestone, milestones.item, milestones.count * sizeof *milestones.item);
    return fa__schedule_begin(&t->base);
}
