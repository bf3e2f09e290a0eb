/* What the walker does with each sample of each operation row. */
#ifndef FA__TESTS_WALK_H
#define FA__TESTS_WALK_H
#include "support/attempt.h"
#include "support/check.h"

/* Every dtype in every layout on cpu, late and meta, against the dense call on the CPU. */
void walk_values(const sample *);
/* `.out =` and in-place forms, into memory between sentinels, against the ordinary form. */
void walk_written(const sample *);
/* Gradients of first and second order in f64, against central differences. */
void walk_gradients(const sample *);
/* NULL operands and operands on two devices are refused by name. */
void walk_errors(const sample *);
#endif
