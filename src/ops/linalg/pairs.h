/* Distances of all pairs of vectors. */
#ifndef FA__OPS_PAIRS_H
#define FA__OPS_PAIRS_H
#include "dispatch/row.h"

/* The p-norms of all differences of a vector of x (..., n, d) and one of y (..., m, d): (..., n, m), with memory for
 * that alone, backward too. Of one floating dtype. */
fa_tensor *fa__pair_distances(const fa_tensor *x, const fa_tensor *y, double p);
#endif
