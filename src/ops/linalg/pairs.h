/* Distances of all pairs of vectors. */
#ifndef FA__OPS_PAIRS_H
#define FA__OPS_PAIRS_H
#include "dispatch/row.h"

/* The p-norms of the differences of all vectors of x (..., n, d) and y (..., m, d): (..., n, m). Memory is needed only
 * for the result, also in backward. Both have the same floating dtype. */
fa_tensor *fa__pair_distances(const fa_tensor *x, const fa_tensor *y, double p);
#endif
