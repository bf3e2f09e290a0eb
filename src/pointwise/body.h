/* What an expression is inside src/pointwise: one block of memory, counted, with its derivatives. */
#ifndef FA__POINTWISE_BODY_H
#define FA__POINTWISE_BODY_H
#include "pointwise/builder.h"
#include "pointwise/expression.h"
#include <stdatomic.h>

typedef struct fa__body {
    fa__expression expression; /* first: a pointer to one is a pointer to the other */
    atomic_int references;
    _Atomic(fa__expression *) derivative[FA__MAX_INPUTS];
} fa__body;

/* What an expression is made from. */
typedef struct fa__draft {
    const fa__builder *builder;
    const fa__node_id *output;
    int outputs;
    const char *text;
    fa__signature signature;
} fa__draft;

/* How many nodes the outputs need; they are marked in the builder's map. */
uint32_t fa__draft_count(const fa__draft *);

/* Copies the nodes that the outputs need, at most FA__MAX_NODES, and the texts. Sets ssa, text, names, ninputs and
 * used; the rest is 0. NULL without memory. */
fa__expression *fa__draft_finish(const fa__draft *);
#endif
