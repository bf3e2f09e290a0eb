/* One call of a sample's operation: values for its tensors, tensors, arguments, results. */
#ifndef FA__TESTS_ATTEMPT_H
#define FA__TESTS_ATTEMPT_H
#include "support/sample.h"
#include "support/tensors.h"

/* The values of a sample's tensors in one dtype. */
typedef struct inputs {
    const sample *s;
    fa_dtype dtype[MOST_TENSORS];
    double *values[MOST_TENSORS];
    fa_device where; /* of calls with gradients (gradient.h); at first the CPU */
} inputs;

bool inputs_make(inputs *, const sample *, fa_dtype dtype);
void inputs_free(inputs *);

typedef struct attempt {
    const sample *s;
    fa_tensor *tensor[MOST_TENSORS];
    fa_tensor *result[MOST_RESULTS]; /* NULL: the call failed */
    int results;                     /* how many: a list may have any number */
    _Alignas(16) unsigned char args[MOST_ARGS];
} attempt;

/* Makes the tensors, each in its layout (NULL: all dense), on a device. */
bool attempt_make(attempt *, const inputs *, const layout *how, fa_device where);
/* Fills the arguments from the tensors. */
void attempt_fill(attempt *);
/* Runs the call; `given` as fa__call has it, or NULL. True when it gave all results and no error stands. */
bool attempt_run(attempt *, fa_tensor *given, bool inplace);
/* Makes and runs, all on a device. */
bool attempt_all(attempt *, const inputs *, const layout *how, fa_device where);

/* Whether an operand is a tensor that gradients go to. */
bool operand_differentiable(const sample *, int operand);
/* Whether a sample has tensors whose dtype may be chosen. */
bool sample_varies(const sample *);
/* Whether the standing error is a clean one: of the caller's making, and it names the operation. */
bool error_is_clean(const fa__op *);
#endif
