/* Differentiating a program inside a builder. Inside src/pointwise only. */
#ifndef FA__POINTWISE_CELLS_H
#define FA__POINTWISE_CELLS_H
#include "pointwise/builder.h"

/* d output 0 / d input `wrt`, or FA__NO_NODE: zero. The builder has the program's nodes under the same numbers; d is
 * space for as many. */
fa__node_id fa__differentiate(fa__builder *, const fa__ssa *, int wrt, fa__node_id *d);

/* derivative * gradient, where what a derivative does not choose stays zero, for an infinite gradient too. */
fa__node_id fa__times_gradient(fa__builder *, fa__node_id derivative, fa__node_id gradient);
#endif
