/* What the families of indexing share. */
#ifndef FA__OPS_INDEX_H
#define FA__OPS_INDEX_H
#include "dispatch/row.h"

/* How elements come together at one place: the numbers that kernels know (backend/gpu/dialect/arguments.h). */
typedef enum { FA__PLACE_SET, FA__PLACE_ADD, FA__PLACE_MUL, FA__PLACE_MAX, FA__PLACE_MIN } fa__placing;

/* False and an error when indices are no integers. */
bool fa__check_index(const fa__call *, const fa_tensor *index, const char *name);
/* Whether index has as many dimensions as x and is nowhere longer but along dim; an error when not. A 0-dim tensor is
 * as one of one element. */
bool fa__fits_index(const fa__call *, const fa_tensor *x, const fa_tensor *index, int dim);
/* Fills spec[0] for x changed by src at the places of index along dim; false and an error when they do not fit. */
bool fa__infer_scattered(fa__call *, const fa_tensor *x, int64_t dim, const fa_tensor *index, const fa_tensor *src);
/* The gradient of what index reaches of src as that of src: with zeros where src is longer. */
fa_tensor *fa__padded_for(fa_tensor *g, const fa_tensor *src);
/* What index reaches of src, in the shape of index. */
fa_tensor *fa__part_for(const fa_tensor *src, const fa_tensor *index);
/* What a composed operation writes into: x itself in place, else a copy of it. */
fa_tensor *fa__written(fa__call *, const fa_tensor *x);
/* An index where x is: one on the CPU is copied, any under automatic placement. NULL and an error when it is elsewhere.
 */
fa_tensor *fa__index_beside(const fa__call *, const fa_tensor *index, const fa_tensor *x);
/* A number in x's dtype, on its device, as a tensor of a shape. */
fa_tensor *fa__number_as(fa_arg number, const fa_tensor *x, fa_shape shape);
/* Zeros in x's dtype, on its device, in the shape of another tensor. */
fa_tensor *fa__zeros_as(const fa_tensor *x, const fa_tensor *shape);
/* Where a mask is true, in row-major order of its elements: (n) i64. The host reads n, which is one wait. */
fa_tensor *fa__places_of_mask(const fa__call *, const fa_tensor *mask);
#endif
