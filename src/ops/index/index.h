/* Helpers shared by the indexing operations. */
#ifndef FA__OPS_INDEX_H
#define FA__OPS_INDEX_H
#include "dispatch/row.h"

/* How values are combined at a position; the kernels use the same numbers (backend/gpu/dialect/arguments.h). */
typedef enum { FA__PLACE_SET, FA__PLACE_ADD, FA__PLACE_MUL, FA__PLACE_MAX, FA__PLACE_MIN } fa__placing;

/* Fails unless the indices are integers. */
bool fa__check_index(const fa__call *, const fa_tensor *index, const char *name);
/* Fails unless index has as many dimensions as x and is no larger than x except along dim. A 0-dim tensor counts as
 * shape (1). */
bool fa__fits_index(const fa__call *, const fa_tensor *x, const fa_tensor *index, int dim);
/* Sets spec[0] for x with src scattered to index along dim; false and an error if the shapes or dtypes do not fit. */
bool fa__infer_scattered(fa__call *, const fa_tensor *x, int64_t dim, const fa_tensor *index, const fa_tensor *src);
/* Pads the gradient of the part of src that index covers with zeros, to src's shape. */
fa_tensor *fa__padded_for(fa_tensor *g, const fa_tensor *src);
/* The part of src that index covers, in the shape of index. */
fa_tensor *fa__part_for(const fa_tensor *src, const fa_tensor *index);
/* The tensor that a composed operation writes into: x for the in-place form, else a copy of x. */
fa_tensor *fa__written(fa__call *, const fa_tensor *x);
/* index on x's device: an index on the CPU is copied there, and any index under automatic placement. NULL and an error
 * otherwise. */
fa_tensor *fa__index_beside(const fa__call *, const fa_tensor *index, const fa_tensor *x);
/* A number converted to x's dtype, as a tensor of the given shape on x's device. */
fa_tensor *fa__number_as(fa_arg number, const fa_tensor *x, fa_shape shape);
/* Zeros in x's dtype on x's device, in the shape of another tensor. */
fa_tensor *fa__zeros_as(const fa_tensor *x, const fa_tensor *shape);
/* The row-major positions of a mask's true elements: (n) i64. The host reads n, which waits for the device once. */
fa_tensor *fa__places_of_mask(const fa__call *, const fa_tensor *mask);
#endif
