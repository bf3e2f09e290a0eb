/* Products of tensors with labelled dimensions, which inner, tensordot and einsum are built on. */
#ifndef FA__OPS_CONTRACT_H
#define FA__OPS_CONTRACT_H
#include "dispatch/row.h"

/* A tensor with a label (a number below 64, used once) for each of its dimensions. Sets of labels are bit masks. */
typedef struct fa__labelled {
    fa_tensor *t;
    uint8_t label[FA_MAX_DIMS];
} fa__labelled;

uint64_t fa__labels_of(const fa__labelled *);
/* The dimension with a label, which must exist. */
int fa__labelled_dim(const fa__labelled *, unsigned label);
/* The tensor with its dimensions permuted into the order of these labels, which are all of its own. */
fa_tensor *fa__label_order(const fa__labelled *, const uint8_t *label);
/* The product of a and b, summed over the labels that both have and that are not in `keep`. Dimensions with the same
 * label have the same size. The dimensions of the result are the shared ones in a's order, then those of a alone, then
 * those of b alone. False and an error if there are too many dimensions, or if memory or the product fails. */
bool fa__contract(const fa__call *, const fa__labelled *a, const fa__labelled *b, uint64_t keep, fa__labelled *product);
/* Whether two operands have one dtype that matrix products accept (not bool); an error if not. */
bool fa__check_product(const fa__call *, const fa_tensor *a, const fa_tensor *b);
#endif
