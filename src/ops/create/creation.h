/* What families of new tensors share. */
#ifndef FA__OPS_CREATION_H
#define FA__OPS_CREATION_H
#include "dispatch/row.h"

/* spec[0] for a shape that the caller gave; FA_SAME: f32. */
bool fa__infer_new(fa__call *, fa_shape, fa_dtype);
/* The same for one value: a number that fits the dtype, or a 0-dim tensor. */
bool fa__infer_filled(fa__call *, fa_shape, fa_dtype, const fa_arg *value);
bool fa__run_filled(fa__call *, const fa_arg *value);
/* Uniform in [0, 1), and normal, into the result. */
bool fa__run_uniform(fa__call *, const fa__key *);
bool fa__run_normal(fa__call *, const fa__key *);
#endif
