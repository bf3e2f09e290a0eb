/* Random programs over random shapes, strides and dtypes, as launches on the host's memory. */
#ifndef FA__TESTS_TRIAL_H
#define FA__TESTS_TRIAL_H
#include "backend/cpu/level.h"
#include "backend/cpu/program.h"

enum { TRIAL_MOST = 60000 /* elements */, TRIAL_OPERANDS = 8 };

/* One operand's memory. */
typedef struct trial_array {
    char *memory, *data;
    size_t bytes;
} trial_array;

typedef struct trial {
    fa__ssa_node node[64];
    fa__ssa ssa;
    fa__program program;
    fa__launch *launch;
    trial_array array[TRIAL_OPERANDS]; /* none: a value, or the memory of another operand */
    int64_t n;
    bool placed; /* it draws: its last input is a key */
} trial;

uint64_t trial_draw(void);
int64_t trial_below(int64_t n);
bool trial_chance(int percent);

/* kind: FA__LAUNCH_PROGRAM or FA__LAUNCH_REDUCE. plain: of one step or none. */
void trial_begin(trial *t, int kind, bool plain);
/* The same program over other operands. */
void trial_again(trial *t);
/* A program of one primitive, in a class that has it. */
void trial_begin_with(trial *t, fa__class class, fa__prim prim);
/* Nobody may have prepared the program for other devices than the CPU. */
void trial_end(trial *t);

/* The class that it computes in. */
const fa__simd_class *trial_class(const trial *t);
/* Where an element of an operand is, by its number over the first `dims` dimensions. */
char *trial_element(const fa__launch *l, const fa__operand *o, int dims, int64_t number);
/* The results of the program for one element, each in 8 bytes. */
void trial_evaluate(const trial *t, int64_t number, char results[][8]);

/* Copies of the outputs' memory, to be written as is wanted; */
void trial_copy_outputs(const trial *t, trial_array *want);
/* the outputs' memory is that, but for payloads of NaN; */
void trial_compare(const trial *t, trial_array *want, int dims, int64_t count);
void trial_free_outputs(const trial *t, trial_array *want);
#endif
