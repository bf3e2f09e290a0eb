/* A schedule: its kind and its counters. The kinds are tables in schedule_*.c, each with a struct that starts with an
 * fa_schedule; shared code is in schedule.c. */
#ifndef FA__OPTIM_SCHEDULE_H
#define FA__OPTIM_SCHEDULE_H
#include "optim/dict.h"
#include <facula/schedule.h>
#include <facula/scope.h>

/* A kind of schedule. Functions that are NULL have a default. */
typedef struct fa__schedule_kind {
    const char *name; /* "fa_schedule_cosine" */
    /* Computes the rate of a group at s->epoch from the current one; `first`: the schedule is starting at epoch 0.
     * NaN after an error. */
    double (*rate)(const fa_schedule *s, int group, double now, bool first);
    double (*momentum)(const fa_schedule *);      /* the momentum at s->epoch, if s->momentum names its option */
    bool (*begin)(fa_schedule *);                 /* sets the rates of epoch 0 */
    bool (*step)(fa_schedule *);                  /* advances to the next epoch */
    bool (*metric)(fa_schedule *, double metric); /* advances by a metric; `step` is NULL then */
    bool (*visit)(fa__dict *, fa_schedule *);     /* state in addition to epoch and base rates */
    void (*release)(fa_schedule *);               /* releases what it holds in addition to its optimizer */
} fa__schedule_kind;

struct fa_schedule {
    fa_object base;
    const fa__schedule_kind *kind;
    fa_optim *optim;
    int64_t epoch;
    int groups;
    double *base_rate;    /* base rate of each group */
    double *next;         /* space for the rates of a step */
    const char *momentum; /* the option that is cycled with the rates; NULL: none */
};

/* Creates a schedule with base rates in the innermost scope: an object of `size` bytes, plus the rates of the groups.
 * It has to be started by fa__schedule_begin. */
void *fa__schedule_new(const fa__schedule_kind *, size_t size, fa_optim *);
/* Checks that it is a schedule; sets an error if not. */
bool fa__schedule_check(const fa_schedule *, const char *who);
/* Sets the rates of epoch 0, from the current rates; fa__schedule_restart uses the base rates. Returns s; NULL and an
 * error on failure. */
fa_schedule *fa__schedule_begin(fa_schedule *s);
bool fa__schedule_restart(fa_schedule *s);
bool fa__schedule_next(fa_schedule *s);
/* The visitor for the state of a schedule. */
bool fa__schedule_visit(fa__dict *, void *schedule);
/* Sets the rates of all groups to s->next, or of none. */
bool fa__schedule_set(fa_schedule *s, const char *who);
/* The current rate of a group. */
double fa__schedule_rate(const fa_schedule *s, int group);

/* The option of an optimizer that is cycled, momentum or beta1; NULL and an error if it has none. */
const char *fa__schedule_momentum(const fa_optim *o, const char *who);

/* Checks of options; errors contain the kind and the option. */
bool fa__whole_is_good(const char *who, const char *option, int64_t value, int64_t least);
bool fa__number_is_good(const char *who, const char *option, double value, double least, double most);
/* Checks a list with one number for each group, or an empty one. */
bool fa__groups_are_good(const char *who, const char *option, fa_list list, int groups);
#endif
