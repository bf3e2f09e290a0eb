/* Helpers shared by the reductions. */
#ifndef FA__OPS_REDUCE_H
#define FA__OPS_REDUCE_H
#include "dispatch/row.h"

/* The number of elements of x over the dimensions in `set`. */
static inline int64_t fa__reduced_count(const fa_tensor *x, unsigned set)
{
    int64_t n = 1;
    for (int i = 0; i < x->rank; i++)
        n *= set >> i & 1 ? x->shape[i] : 1;
    return n;
}

/* A temporary tensor for intermediate results, in the dtype that the result is computed in. */
static inline fa_tensor *fa__between(const fa__call *c, const fa_tensor *like)
{
    fa_dtype dtype = like->dtype == FA_F64 ? FA_F64 : FA_F32;
    return fa__own(fa__tensor_empty(c->plan.device, dtype, like->rank, like->shape, c->plan.queue));
}

/* The same for a reduction of x to `like` that keeps the dimensions with size 1. */
static inline fa_tensor *fa__between_kept(const fa__call *c, const fa_tensor *like, const fa_tensor *x, unsigned set)
{
    fa_dtype dtype = like->dtype == FA_F64 ? FA_F64 : FA_F32;
    int64_t kept[FA_MAX_DIMS];
    for (int i = 0; i < x->rank; i++)
        kept[i] = set >> i & 1 ? 1 : x->shape[i];
    return fa__own(fa__tensor_empty(c->plan.device, dtype, x->rank, kept, c->plan.queue));
}

/* Compute the sum and the mean of x over dimensions. */
bool fa__run_sum(fa__call *, fa_tensor *out, const fa_tensor *x, fa_dims dim);
bool fa__run_mean(fa__call *, fa_tensor *out, const fa_tensor *x, fa_dims dim);

/* ---- mean and sum of squares ---- */

/* The two-pass algorithm with correction (Chan, Golub, LeVeque 1983), in f32 or f64: the sum of the deviations, which
 * would be 0 without rounding, corrects the sum of squares. */
typedef struct fa__squares {
    fa_tensor *mean;      /* with the reduced dimensions kept */
    fa_tensor *deviation; /* the sum of x - mean, which is 0 except for rounding */
    fa_tensor *square;    /* the sum of (x - mean)^2 */
    double n;
} fa__squares;

/* Computes .mean and .square into the given tensors, and creates .deviation. */
bool fa__run_squares(fa__call *, fa__squares *, const fa_tensor *x, fa_dims dim);

/* The corrected sum of squares: an expression over the operands of FA__SQUARES_BOUND. */
#define FA__SQUARES "(s * s / n < q ? q - s * s / n : q)"
#define FA__SQUARES_BOUND(t)                                                                                           \
    {.name = "q", .value = fa__arg_t((t).square)}, {.name = "s", .value = fa__arg_t((t).deviation)},                   \
    {                                                                                                                  \
        .name = "n", .value = fa__arg_f((t).n)                                                                         \
    }
#endif
