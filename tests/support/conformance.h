/* What the walker does with each sample of each operation row. */
#ifndef FA__TESTS_CONFORMANCE_H
#define FA__TESTS_CONFORMANCE_H
#include "support/attempt.h"
#include "support/check.h"

/* Where it walks: over the CPU and a late device, whose kernels are the CPU's; or over another device, whose kernels
 * are its own, in some dtypes unless `all`: the compute classes (with a share of the rows, half of them in turn), and
 * one of the others in turn. */
typedef struct conform_plan {
    bool all;
    bool close;   /* libraries of the device are used: results have to be close to the CPU's, not to have their bits */
    int share;    /* one in so many rows that are expressions or composed */
    int turn;     /* of rows */
    bool reduced; /* every row, in these two dtypes */
    fa_dtype first, second;
} conform_plan;
extern conform_plan walk;
/* The device whose results are looked at: the CPU in the first case. */
fa_device conform_place(void);
bool conform_has(int dtype);
/* An expression that floats are no operands of. */
bool conform_of_integers(const fa__op *);

/* Whether two tensors have the same form and bits; with `close`, values that are close for their dtype. */
bool conform_equal(const fa_tensor *have, const fa_tensor *want);
/* The same of two results, as far as the operation says what they are: uninitialised memory is not compared. */
bool conform_same(const fa__op *, const fa_tensor *have, const fa_tensor *want);
/* Every dtype in every layout on the devices there are, against the dense call on the CPU. */
void conform_values(const sample *);
/* `.out =` and in-place forms, into memory between sentinels, against the ordinary form. */
void conform_written(const sample *);
/* Gradients of first and second order: on the CPU in f64 against central differences, on another device against the
 * CPU's. */
void conform_gradients(const sample *);
/* NULL operands and operands on two devices are refused by name. */
void conform_errors(const sample *);
#endif
