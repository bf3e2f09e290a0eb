/* The order of multiplication in einsum. */
#ifndef FA__OPS_EINSUM_H
#define FA__OPS_EINSUM_H
#include "ops/linalg/contract.h"

typedef struct fa__einsum {
    const fa__call *call;
    size_t count;     /* number of operands, 1 or more */
    fa__labelled *x;  /* the operands; a label that only one has is in the result */
    int64_t size[64]; /* the size of each label */
    uint64_t result;  /* the labels of the result, which are not summed */
} fa__einsum;

/* The product of all operands, summed over the labels that are not in the result: the order with the fewest
 * multiplications for up to 8 operands; greedy for more (the pair whose product grows memory least). Uses up the array
 * x. */
bool fa__einsum_product(fa__einsum *, fa__labelled *product);
#endif
