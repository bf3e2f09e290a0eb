/* An optimizer: a method and groups of parameters with their state. The methods are tables in sgd.c, adam.c,
 * rmsprop.c and adagrad.c; the data of groups is in optim.c and option.c, the step over all groups in step.c. */
#ifndef FA__OPTIM_OPTIM_H
#define FA__OPTIM_OPTIM_H
#include <facula/autograd.h>
#include <facula/expression.h>
#include <facula/optim.h>
#include <facula/scope.h>

enum {
    FA__METHOD_STATES = 3,
    FA__MASTER = FA__METHOD_STATES, /* the number of the state that holds the master weight */
    FA__MOST_STATES,
    FA__MOST_NUMBERS = 10,
    FA__MOST_OPTIONS = 10, /* tables end with an entry without a name */
    FA__MOST_COUNTERS = 3,
    FA__WATCHED_STEPS = 10, /* a parameter without a gradient in so many steps is warned of */
    FA__MOST_BOUND = 5 + FA__MOST_STATES + FA__MOST_COUNTERS + FA__MOST_NUMBERS, /* p, g, lr, key, found */
    FA__PROGRAM_ROOM = 256,
    FA__LOW_ROOM = 3 * FA__PROGRAM_ROOM,
    FA__GUARDED_ROOM = 5 * FA__PROGRAM_ROOM
};

typedef struct fa__group fa__group;

/* A number used in a method's program. */
typedef struct fa__number {
    const char *name; /* its name in the program */
    /* computes the value from the options, the step number of a parameter (including this step), and whether a state
     * of the parameter is new in this step; NULL: constant */
    double (*value)(const double *option, int64_t step, bool fresh);
    double constant;
    bool of_one;   /* computed for a learning rate of 1: the program multiplies it by `lr` */
    bool counting; /* used in the program that counts steps, not in that of the step */
} fa__number;

/* The valid range of an option, which must also be finite. */
typedef enum fa__limit { FA__NOT_NEGATIVE, FA__BELOW_ONE, FA__ANY_NUMBER, FA__YES_OR_NO } fa__limit;

/* An option of a method. */
typedef struct fa__option {
    const char *name;
    size_t offset; /* its offset in the method's options: of a bool for FA__YES_OR_NO, otherwise of a double */
    fa__limit limit;
} fa__option;

/* The options that all methods have: rows of `option` for the options' type. */
#define FA__COMMON_OPTIONS(type)                                                                                       \
    {"master_weights", offsetof(type, master_weights), FA__YES_OR_NO},                                                 \
    {                                                                                                                  \
        "stochastic_rounding", offsetof(type, stochastic_rounding), FA__YES_OR_NO                                      \
    }

/* A state of a method; `when` and `begin` are numbers of options. */
typedef struct fa__state {
    const char *name, *symbol; /* its public name, and its name in the program */
    int when;                  /* it exists only if this option is not 0; 0: always */
    int begin;                 /* its initial value is this option; 0: zero */
} fa__state;

/* An optimization method. Options are numbered by their position in the table; number 0 is lr. */
typedef struct fa__method {
    const char *name; /* "fa_optim_sgd" */
    fa__option option[FA__MOST_OPTIONS];
    fa__state state[FA__METHOD_STATES];
    bool (*check)(const char *who, const double *option); /* checks combinations of options; NULL: all are valid */
    void (*write)(fa__group *);                           /* generates the program and its numbers */
    /* For capturable optimizers: a program that advances the step count `t` of a parameter and computes from it the
     * other counters, which replace the numbers of these names. NULL: nothing depends on the step count. */
    const char *count, *counter[FA__MOST_COUNTERS];
    int count_when;                   /* only if this option is not 0; 0: always */
    void (*write_count)(fa__group *); /* adds the numbers of that program */
} fa__method;

/* One parameter with its state, to which it holds references. */
typedef struct fa__slot {
    fa_tensor *parameter, *state[FA__MOST_STATES];
    fa_tensor *loaded[FA__MOST_STATES];    /* the new state while a state dict is loaded */
    fa_tensor *counter[FA__MOST_COUNTERS]; /* of a capturable optimizer: 0-dimensional, on its device */
    int64_t step;                          /* number of its steps */
    fa__grad_use use;                      /* the gradient that the last step used */
    bool fresh;                            /* a state was created that has not been through a step */
    /* Steps modify the parameter and its master weight equally often. So the difference of their versions after a step
     * stays the same until somebody else modifies the parameter. */
    bool synced;
    int64_t ahead;
} fa__slot;

struct fa__group {
    fa_object base;
    fa__group *next;
    const fa__method *method;
    double option[FA__MOST_OPTIONS];
    fa_tensor *lr;               /* holds the learning rate, instead of option 0; NULL: option 0 is used */
    bool capturable;             /* step counts are on the device */
    bool master;                 /* parameters in f16 and bf16 have f32 master weights and states */
    bool stochastic;             /* parameters and states in bf16 are rounded stochastically */
    double initial_lr;           /* the base rate of schedules; NaN: no schedule so far */
    char text[FA__PROGRAM_ROOM]; /* assigns to p and the states, computed from them, g and the numbers */
    fa__number number[FA__MOST_NUMBERS];
    int numbers;
    size_t count, first; /* number of parameters, and of those in earlier groups */
    fa__slot *slot;
    /* The same for low parameters: with a master weight p, and the parameter q; or rounded stochastically. */
    char low_text[FA__LOW_ROOM];
    /* space for a step: the parameters that take part, the low ones last; lists of p, g, states (in
     * place of master weights, which are p then: of the parameters) and counters with `count` entries each, and of
     * numbers */
    size_t actives, plain;
    fa__slot **active;
    fa_tensor **list;
    double *values;
    fa_binding binding[2][FA__MOST_BOUND], count_binding[FA__MOST_BOUND];
    char guarded[2][FA__GUARDED_ROOM], count_guarded[FA__GUARDED_ROOM]; /* programs of a step that may be skipped */
};

struct fa_optim {
    fa_object base;
    const fa__method *method;
    double option[FA__MOST_OPTIONS]; /* defaults for groups that do not set an option */
    fa__group *group, *last;
    size_t groups, count;
    bool capturable;
    bool stepped;      /* a step was made or skipped, or a state loaded: then a schedule may go on */
    int idle_steps;    /* steps without any gradient; -1: there were gradients once */
    int watched_steps; /* steps with gradients, up to FA__WATCHED_STEPS, when parameters without any are looked for */
};

#define FA__EACH_GROUP(g, o) for (fa__group *g = (o)->group; g; g = g->next)

/* ---- optim.c ---- */

/* Creates an optimizer with one group, in the innermost scope. `options` are those of the method, complete. */
fa_optim *fa__optim_new(const fa__method *, fa_parameters parameters, const void *options);
/* Checks that it is an optimizer; sets an error if not. */
bool fa__optim_check(const fa_optim *, const char *who);
/* The group with a number; NULL and an error if there is none. */
fa__group *fa__optim_group(const fa_optim *, const char *who, int group);
/* A state by its number, from 0 to FA__MOST_STATES - 1; the name is NULL if the method does not have it. */
const fa__state *fa__state_row(const fa__method *, int k);
/* Whether the parameter of a slot is f16 or bf16, and has a master weight if `master` is set. */
bool fa__has_master(bool master, const fa__slot *);

/* ---- option.c ---- */

int fa__option_count(const fa__method *);
/* The number of the option with a name; -1: none. */
int fa__option_find(const fa__method *, const char *name);
/* Converts a method's options to an array of numbers. */
void fa__options_take(const fa__method *, const void *options, double *option);
/* Checks options and their combination; sets an error if invalid. */
bool fa__options_check(const fa__method *, const char *who, const double *option);
/* Sets the options of a group, which were checked, and generates its program. */
void fa__group_set(fa__group *, const double *option);

/* The functions below are called by a method's `write`. */
void fa__optim_number(fa__group *, const char *name, double (*value)(const double *option, int64_t step, bool fresh));
void fa__optim_constant(fa__group *, const char *name, double value);
/* Adds a number to the program that counts steps. */
void fa__optim_count_constant(fa__group *, const char *name, double value);
/* Adds the number `rate`, which is proportional to the learning rate; call it before the text that uses it. */
void fa__optim_rate(fa__group *, double (*value)(const double *option, int64_t step, bool fresh));
void fa__optim_text(fa__group *, const char *format, ...) __attribute__((__format__(__printf__, 2, 3)));
/* Starts the program: d is the gradient, negated if maximizing, with weight decay added. */
void fa__optim_gradient(fa__group *, double maximize, double weight_decay);
/* Updates the running mean m of gradients, with decay `keep`: computed from the nearer end, like PyTorch's lerp. */
void fa__optim_mean(fa__group *, double keep);

/* Whether the group's method keeps a state for the parameters. */
bool fa__state_is_used(const fa__group *, int k);

/* ---- step.c ---- */

/* fa_optim_step(), which changes nothing if `found`, a 0-dimensional tensor, is not 0; NULL: never skipped. The host
 * looks at it if it is on the CPU, otherwise the step's programs do. */
bool fa__optim_step_unless(fa_optim *, fa_tensor *found);
/* Whether the step counts of a group's parameters are on the device. */
bool fa__group_counts(const fa__group *);
/* Copies step counts from the device, which waits for it. False and an error if that fails. */
bool fa__optim_read_counts(fa_optim *);
/* Drops the counters of a parameter: the next step makes them from its step count. */
void fa__counters_drop(fa__slot *);
/* Drops a state and its connection to the parameter. NULL is allowed. */
void fa__state_drop(fa_tensor **state, fa_tensor *parameter);
#endif
