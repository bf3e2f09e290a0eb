/* Shape inference and fills shared by the operations that create tensors. */
#ifndef FA__OPS_CREATION_H
#define FA__OPS_CREATION_H
#include "dispatch/row.h"

/* Sets spec[0] to a shape given by the caller and a dtype; FA_SAME means f32. */
bool fa__infer_new(fa__call *, fa_shape, fa_dtype);
/* The same for a constant fill; fails if the value is neither a 0-dim tensor nor a number in the dtype's range. */
bool fa__infer_filled(fa__call *, fa_shape, fa_dtype, const fa_arg *value);
bool fa__run_filled(fa__call *, const fa_arg *value);
/* Fill the result with uniform numbers in [0, 1), or with standard normal ones. */
bool fa__run_uniform(fa__call *, const fa__key *);
bool fa__run_normal(fa__call *, const fa__key *);
#endif
