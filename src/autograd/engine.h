/* The engine: walks the graph from outputs to leaves, without recursion. */
#ifndef FA__AUTOGRAD_ENGINE_H
#define FA__AUTOGRAD_ENGINE_H
#include "autograd/needed.h"
#include "autograd/pending.h"
#include "ops/call.h"

/* What one backward is asked for. */
typedef struct fa__walk {
    fa__pending_work work;
    bool retain, create, anomaly;
    fa__needed *needed;    /* NULL: everything */
    size_t captures;       /* fa_grad_of: gradients that are caught instead of added to leaves */
    fa__object *const *at; /* a node or a leaf for each, */
    const uint32_t *slot;  /* and the node's result */
    fa_tensor **caught;    /* references */
} fa__walk;

/* A gradient on its way to where an edge points; waits in a node, is caught, or added to a leaf. Does not take over the
 * reference. */
bool fa__deliver(fa__walk *, fa__object *to, uint32_t slot, fa_tensor *g);
/* Runs everything that waits. False and an error on failure. */
bool fa__walk_on(fa__walk *);
/* Drops what is left. */
void fa__walk_end(fa__walk *);
/* Adds a gradient to a leaf's, after its hooks. */
bool fa__accumulate(const fa__walk *, fa_tensor *leaf, fa_tensor *g);
#endif
