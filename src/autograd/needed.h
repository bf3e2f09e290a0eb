/* Determines the nodes between outputs and the inputs whose gradients are requested. */
#ifndef FA__AUTOGRAD_NEEDED_H
#define FA__AUTOGRAD_NEEDED_H
#include "graph/node.h"

typedef struct fa__needed fa__needed;

/* Searches from the nodes of the outputs. `input` holds the nodes or leaves whose gradients are requested. NULL and
 * an error if memory runs out. */
fa__needed *fa__needed_new(size_t outputs, fa__node *const *output, size_t inputs, fa__object *const *input);
/* True if a gradient delivered to this object is needed. */
bool fa__is_needed(const fa__needed *, const fa__object *to);
void fa__needed_free(fa__needed *);
#endif
