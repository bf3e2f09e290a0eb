/* A schedule: a kind, and what it has counted. The kinds are tables in schedule_*.c, each with a struct that begins
 * with an fa_schedule; what they share is in schedule.c. */
#ifndef FA__OPTIM_SCHEDULE_H
#define FA__OPTIM_SCHEDULE_H
#include "optim/dict.h"
#include <facula/schedule.h>
#include <facula/scope.h>

/* A kind of schedule. NULL where it does as most do. */
typedef struct fa__schedule_kind {
    const char *name; /* "fa_schedule_cosine" */
    /* The rate of a group at s->epoch, from that of now; `first`: the schedule begins, at epoch 0. NaN after an error.
     */
    double (*rate)(const fa_schedule *s, int group, double now, bool first);
    bool (*begin)(fa_schedule *);                 /* sets the rates of epoch 0 */
    bool (*step)(fa_schedule *);                  /* the next epoch */
    bool (*metric)(fa_schedule *, double metric); /* the same by a metric; then there is no `step` */
    bool (*visit)(fa__dict *, fa_schedule *);     /* what it holds beside epoch and base rates */
    void (*release)(fa_schedule *);               /* gives away what it holds beside its optimizer */
} fa__schedule_kind;

struct fa_schedule {
    fa_object base;
    const fa__schedule_kind *kind;
    fa_optim *optim;
    int64_t epoch;
    int groups;
    double *base_rate; /* of each group */
    double *next;      /* room for the rates of a step */
};

/* Makes a schedule in the innermost scope, with base rates, in an object of `size` bytes and more for the groups'
 * rates; it has still to begin. */
void *fa__schedule_new(const fa__schedule_kind *, size_t size, fa_optim *);
/* Whether it is one; else an error. */
bool fa__schedule_check(const fa_schedule *, const char *who);
/* Sets the rates of epoch 0: from those of now; or from the base rates. Returns s; NULL and an error. */
fa_schedule *fa__schedule_begin(fa_schedule *s);
bool fa__schedule_restart(fa_schedule *s);
bool fa__schedule_next(fa_schedule *s);
/* Goes over what a schedule holds. */
bool fa__schedule_visit(fa__dict *, void *schedule);
/* Sets the rates of all groups to s->next, or of none. */
bool fa__schedule_set(fa_schedule *s, const char *who);
/* The rate that a group has. */
double fa__schedule_rate(const fa_schedule *s, int group);

/* Checks of options: an error that names kind and option. */
bool fa__whole_is_good(const char *who, const char *option, int64_t value, int64_t least);
bool fa__number_is_good(const char *who, const char *option, double value, double least, double most);
/* A list of one number for each group, or nothing. */
bool fa__groups_are_good(const char *who, const char *option, fa_list list, int groups);
#endif
