/* An optimizer: parameters, a method, and what the method keeps for each parameter. The methods are tables in sgd.c and
 * adam.c; the step over all parameters is in optim.c. */
#ifndef FA__OPTIM_OPTIM_H
#define FA__OPTIM_OPTIM_H
#include <facula/expression.h>
#include <facula/object.h>
#include <facula/optim.h>

enum { FA__MOST_STATES = 3, FA__MOST_NUMBERS = 10, FA__PROGRAM_ROOM = 256 };

/* A number of a method's program. */
typedef struct fa__number {
    const char *name;                                /* in the program */
    double (*value)(const fa_optim *, int64_t step); /* by how many steps a parameter has had; NULL: always the same */
    double constant;
} fa__number;

/* A state of a method: begins as zeros. */
typedef struct fa__state {
    const char *name, *symbol; /* as users know it, and in the program */
} fa__state;

/* One parameter: what belongs to it is held. */
typedef struct fa__slot {
    fa_tensor *parameter, *state[FA__MOST_STATES];
    int64_t step; /* steps that it has had */
} fa__slot;

struct fa_optim {
    fa_object base;
    const char *name;            /* "fa_optim_sgd" */
    char text[FA__PROGRAM_ROOM]; /* assigns p and the states, from them, g and the numbers */
    fa__number number[FA__MOST_NUMBERS];
    fa__state state[FA__MOST_STATES];
    int numbers, states;
    double lr;
    union {
        fa_optim_sgd_options sgd;
        fa_optim_adam_options adam;
    } options;
    size_t count;
    fa__slot *slot;
    fa__slot **active; /* room for those that take part in a step */
    fa_tensor **list;  /* room for lists of p, g and states, of `count` each */
};

/* Makes an optimizer without a method for these parameters, in the innermost scope. */
fa_optim *fa__optim_new(const char *name, fa_parameters parameters, double lr, double weight_decay);
/* Add to a method. */
void fa__optim_state(fa_optim *, const char *name, const char *symbol);
void fa__optim_number(fa_optim *, const char *name, double (*value)(const fa_optim *, int64_t step));
void fa__optim_constant(fa_optim *, const char *name, double value);
void fa__optim_text(fa_optim *, const char *format, ...) __attribute__((__format__(__printf__, 2, 3)));
/* Begins the program: d is the gradient, or its opposite, with weight decay. */
void fa__optim_gradient(fa_optim *, bool maximize, double weight_decay);
#endif
