/* Products of tensors whose dimensions have labels: what inner, tensordot and einsum are made of. */
#ifndef FA__OPS_CONTRACT_H
#define FA__OPS_CONTRACT_H
#include "dispatch/row.h"

/* A tensor and the label of each of its dimensions: numbers below 64, each once. Sets of labels are bits. */
typedef struct fa__labelled {
    fa_tensor *t;
    uint8_t label[FA_MAX_DIMS];
} fa__labelled;

uint64_t fa__labels_of(const fa__labelled *);
/* The dimension that has the label, which is there. */
int fa__labelled_dim(const fa__labelled *, unsigned label);
/* With its dimensions in the order of these labels, which are all of its own. */
fa_tensor *fa__label_order(const fa__labelled *, const uint8_t *label);
/* a times b, summed over the labels that both have and `keep` has not. Dimensions that share a label have one size.
 * The result's dimensions are those that both have, as they stand in a, then a's own, then b's own. False and an error
 * when these are too many, or memory or the product fails. */
bool fa__contract(const fa__call *, const fa__labelled *a, const fa__labelled *b, uint64_t keep, fa__labelled *product);
/* Whether two operands have the one dtype that matrix products ask for, which is not bool; an error when not. */
bool fa__check_product(const fa__call *, const fa_tensor *a, const fa_tensor *b);
#endif
