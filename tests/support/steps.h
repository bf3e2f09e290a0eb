/* Trainings that are held against PyTorch's, step by step: files of tests/reference with lines "run step what:
 * numbers".
 */
#ifndef FA__TESTS_STEPS_H
#define FA__TESTS_STEPS_H
#include "support/tensors.h"

/* Where a run is, and in which dtype and place. */
typedef struct steps {
    const char *name;
    int step;
    fa_dtype dtype;
    double tolerance;        /* 0: that of the dtype */
    fa_device where, second; /* where its second half is, if it has two */
} steps;

/* Reads a file of tests/reference: false, as a case that failed, when that cannot be. */
bool steps_load(const char *name);
void steps_free(void);

/* The tensor that training.py makes of the same text at the same place; NULL and an error. */
fa_tensor *steps_made_on(const steps *, fa_device where, const char *text, int place, double scale);
fa_tensor *steps_made(const steps *, const char *text, int place, double scale);

/* The loss of a step as it is there; NaN when it is not. */
double steps_known_loss(const steps *);

/* Cases: the loss of a step; a tensor of the step's lines "KIND NAME", by its norm and every k-th element. */
void steps_loss(const steps *, const fa_tensor *loss);
void steps_tensor(const steps *, const char *kind, const char *name, const fa_tensor *t);
#endif
