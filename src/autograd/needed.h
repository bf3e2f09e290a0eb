/* Which nodes lie between outputs and the inputs that gradients are asked for. */
#ifndef FA__AUTOGRAD_NEEDED_H
#define FA__AUTOGRAD_NEEDED_H
#include "graph/node.h"

typedef struct fa__needed fa__needed;

/* Looks from the nodes of the outputs on. `input` are the nodes or leaves whose gradients are asked for. NULL and an
 * error without memory. */
fa__needed *fa__needed_new(size_t outputs, fa__node *const *output, size_t inputs, fa__object *const *input);
/* Whether a gradient that goes there is of use. */
bool fa__is_needed(const fa__needed *, const fa__object *to);
void fa__needed_free(fa__needed *);
#endif
