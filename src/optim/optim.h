/* An optimizer: a method and groups of parameters, with what the method keeps for each. The methods are tables in
 * sgd.c, adam.c, rmsprop.c and adagrad.c; what groups hold is in optim.c and option.c, the step over all of them in
 * step.c. */
#ifndef FA__OPTIM_OPTIM_H
#define FA__OPTIM_OPTIM_H
#include <facula/expression.h>
#include <facula/optim.h>
#include <facula/scope.h>

enum {
    FA__MOST_STATES = 3,
    FA__MOST_NUMBERS = 8,
    FA__MOST_OPTIONS = 8, /* the last of a table has no name */
    FA__MOST_BINDINGS = 2 + FA__MOST_STATES + FA__MOST_NUMBERS,
    FA__PROGRAM_ROOM = 256
};

typedef struct fa__group fa__group;

/* A number of a method's program. */
typedef struct fa__number {
    const char *name; /* in the program */
    /* by the options, by how many steps a parameter has had with this one, and by whether a state of it is new in this
     * step; NULL: always the same */
    double (*value)(const double *option, int64_t step, bool fresh);
    double constant;
} fa__number;

/* What an option may be, beside finite. */
typedef enum fa__limit { FA__NOT_NEGATIVE, FA__BELOW_ONE, FA__ANY_NUMBER, FA__YES_OR_NO } fa__limit;

/* An option of a method. */
typedef struct fa__option {
    const char *name;
    size_t offset; /* in the method's options: of a bool for FA__YES_OR_NO, else of a double */
    fa__limit limit;
} fa__option;

/* A state of a method, by numbers of options. */
typedef struct fa__state {
    const char *name, *symbol; /* as users know it, and in the program */
    int when;                  /* it is kept while this option is not 0; 0: always */
    int begin;                 /* the option that it begins as; 0: as 0 */
} fa__state;

/* A way to change parameters. Options are numbered by their place in the table; number 0 is lr. */
typedef struct fa__method {
    const char *name; /* "fa_optim_sgd" */
    fa__option option[FA__MOST_OPTIONS];
    fa__state state[FA__MOST_STATES];
    bool (*check)(const char *who, const double *option); /* whether options go together; NULL: any do */
    void (*write)(fa__group *);                           /* the program, and its numbers */
} fa__method;

/* One parameter: what belongs to it is held. */
typedef struct fa__slot {
    fa_tensor *parameter, *state[FA__MOST_STATES];
    fa_tensor *loaded[FA__MOST_STATES]; /* what becomes its state, while a state is loaded */
    int64_t step;                       /* steps that it has had */
    bool fresh;                         /* a state was made that no step has been through */
} fa__slot;

struct fa__group {
    fa_object base;
    fa__group *next;
    const fa__method *method;
    double option[FA__MOST_OPTIONS];
    double initial_lr;           /* the rate that schedules begin from; NaN: there was none yet */
    char text[FA__PROGRAM_ROOM]; /* assigns p and the states, from them, g and the numbers */
    fa__number number[FA__MOST_NUMBERS];
    int numbers;
    size_t count, first; /* parameters; and how many there are in the groups before */
    fa__slot *slot;
    /* rooms for a step: those that take part, lists of p, g and states of `count` each, and so of numbers */
    size_t actives;
    fa__slot **active;
    fa_tensor **list;
    double *values;
    fa_binding binding[FA__MOST_BINDINGS];
};

struct fa_optim {
    fa_object base;
    const fa__method *method;
    double option[FA__MOST_OPTIONS]; /* of a group that names none */
    fa__group *group, *last;
    size_t groups, count;
};

#define FA__EACH_GROUP(g, o) for (fa__group *g = (o)->group; g; g = g->next)

/* ---- optim.c ---- */

/* Makes an optimizer with one group, in the innermost scope. `options` are the method's, complete. */
fa_optim *fa__optim_new(const fa__method *, fa_parameters parameters, const void *options);
/* Whether it is one; else an error. */
bool fa__optim_check(const fa_optim *, const char *who);
/* The group of a number; NULL and an error when there is none. */
fa__group *fa__optim_group(const fa_optim *, const char *who, int group);

/* ---- option.c ---- */

int fa__option_count(const fa__method *);
/* The number of the option of a name; -1: there is none. */
int fa__option_find(const fa__method *, const char *name);
/* Reads a method's options into numbers. */
void fa__options_take(const fa__method *, const void *options, double *option);
/* Whether they can be used together; else an error. */
bool fa__options_check(const fa__method *, const char *who, const double *option);
/* Gives a group options that were checked, and writes its program. */
void fa__group_set(fa__group *, const double *option);

/* What a method's `write` says. */
void fa__optim_number(fa__group *, const char *name, double (*value)(const double *option, int64_t step, bool fresh));
void fa__optim_constant(fa__group *, const char *name, double value);
void fa__optim_text(fa__group *, const char *format, ...) __attribute__((__format__(__printf__, 2, 3)));
/* Begins the program: d is the gradient, or its opposite, with weight decay. */
void fa__optim_gradient(fa__group *, double maximize, double weight_decay);
/* m becomes the mean of gradients, of which `keep` is the part that stays: from the nearer end, as PyTorch's lerp. */
void fa__optim_mean(fa__group *, double keep);

/* ---- step.c ---- */

/* Takes a state away from its parameter. NULL is nothing. */
void fa__state_drop(fa_tensor **state, fa_tensor *parameter);
#endif
