/* Calls whose operands need gradients: the gradients of a fixed weighted sum of the results, and those of a weighted
 * sum of these. */
#ifndef FA__TESTS_GRADIENT_H
#define FA__TESTS_GRADIENT_H
#include "support/attempt.h"
#include <facula/autograd.h>

/* A sum of tensors times weights. */
typedef struct terms {
    int count;
    fa_tensor *y[MOST_TENSORS], *w[MOST_TENSORS];
} terms;

/* The gradients of the terms for the tensors x; entries are NULL where there is none. False and an error. */
bool gradients_of(const terms *, fa_tensor *const *x, int count, bool create, fa_tensor **g);

/* A call and the operands x that gradients go to. The terms are the results (order 1), or the gradients g (order 2). */
typedef struct chain {
    attempt a;
    int count, which[MOST_TENSORS]; /* operand numbers of x */
    fa_tensor *x[MOST_TENSORS], *g[MOST_TENSORS];
    terms terms;
} chain;

/* `gradients` false: only the values of the terms are wanted. */
bool chain_run(chain *, const inputs *, int order, bool gradients);
/* Whether a tensor has a gradient function or is a leaf that collects. */
bool has_history(const fa_tensor *);
#endif
