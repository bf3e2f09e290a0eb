/* The reference for scalar programs: one element at a time, with the C library's functions in double. */
#ifndef TEST_SSA_EVAL_H
#define TEST_SSA_EVAL_H
#include "core/ssa.h"

double fa__ssa_eval(const fa__ssa *, const double *inputs, int output);

/* The same in each compute class, where arithmetic is rounded or wraps as there. */
float fa__ssa_eval_f32(const fa__ssa *, const float *inputs, int output);
int32_t fa__ssa_eval_i32(const fa__ssa *, const int32_t *inputs, int output);
int64_t fa__ssa_eval_i64(const fa__ssa *, const int64_t *inputs, int output);

/* One primitive by itself. */
double fa__prim_eval(fa__prim, double x, double y, double z);
float fa__prim_eval_f32(fa__prim, float x, float y, float z);
int32_t fa__prim_eval_i32(fa__prim, int32_t x, int32_t y, int32_t z);
int64_t fa__prim_eval_i64(fa__prim, int64_t x, int64_t y, int64_t z);

/* What index(), uniform() and normal() are, whatever the key. */
#define SSA_EVAL_INDEX 7
#define SSA_EVAL_UNIFORM 0.375
#define SSA_EVAL_NORMAL -1.25
#endif
