/* The order in which einsum makes its products. */
#ifndef FA__OPS_EINSUM_H
#define FA__OPS_EINSUM_H
#include "ops/linalg/contract.h"

typedef struct fa__einsum {
    const fa__call *call;
    size_t count;     /* of operands, 1 or more */
    fa__labelled *x;  /* these; a label that only one has is in the result */
    int64_t size[64]; /* of each label */
    uint64_t result;  /* the labels that are not summed */
} fa__einsum;

/* The product of all operands, summed: with the fewest multiplications for up to 8 operands; for more a pair at a time,
 * always the one whose product is smallest against what it replaces. x does not outlive that. */
bool fa__einsum_product(fa__einsum *, fa__labelled *product);
#endif
