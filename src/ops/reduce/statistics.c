/* Differences, peak-to-peak, weighted mean, covariance and correlation. */
#include "ops/reduce/reduce.h"

typedef struct {
    const fa_tensor *x;                 /* at least one dimension */
    int64_t n OPT(1);                   /* number of times differences are taken */
    int64_t dim OPT(-1);                /* the dimension of the scan; negative counts from the end */
    const fa_tensor *prepend OPT(NULL); /* concatenated before x along dim; NULL: nothing */
    const fa_tensor *append OPT(NULL);  /* concatenated after x along dim; NULL: nothing */
} diff_args;

/* x with prepend and append concatenated; x itself if n = 0. */
static const fa_tensor *joined(const diff_args *a, int dim)
{
    fa_tensor *item[3];
    const fa_tensor *of[] = {a->prepend, a->x, a->append};
    size_t count = 0;
    for (int k = 0; k < 3; k++)
        if (of[k] && (a->n || k == 1))
            item[count++] = (fa_tensor *)(uintptr_t)of[k];
    return count == 1 ? a->x : fa_cat(((fa_tensors){count, item}), .dim = dim);
}

static fa_tensor *diff_compose(fa__call *c)
{
    const diff_args *a = c->args;
    int d = fa__wrap_dim(c, a->x, a->dim);
    if (d < 0)
        return NULL;
    if (!a->x->rank || a->n < 0) {
        fa__call_fail(c, a->x->rank ? FA_ERROR_ARGUMENT : FA_ERROR_SHAPE,
                      "x needs a dimension, and n cannot be negative");
        return NULL;
    }
    const fa_tensor *x = joined(a, d);
    fa_tensor *y = x && !a->n ? fa_clone(x) : NULL;
    for (int64_t k = 0; k < a->n && x && (k == 0 || x->shape[d]); k++) {
        int64_t size = x->shape[d] ? x->shape[d] - 1 : 0;
        fa_tensor *above = fa_narrow(x, d, x->shape[d] - size, size), *below = fa_narrow(x, d, 0, size);
        x = y = x->dtype == FA_BOOL ? fa_logical_xor(above, below) : fa_sub(above, below);
    }
    return y;
}

/** The n-th difference along a dimension: for n = 1 y[i] = x[i + 1] - x[i], so the size shrinks by 1; repeated n times.
 *  For bool it is whether neighbours differ. With n = 0 the result is a copy of x, and prepend and append are
 *  ignored. */
OP(diff, diff_args, (y), .compose = diff_compose, TORCH("diff(x, n, dim, prepend, append)"), ALSO("`ediff1d`"),
   SAMPLES("(3,4); (3,4) dim=0; (2,5) n=2; (5) n=0; (2,3) n=0 prepend=(2,1); (3) n=5; (2,3) prepend=(2,1); (2,3) "
           "append=(2,2); (2,3) prepend=(1,3) "
           "append=(1,3) dim=0; b(5); (0,3); (3,0); n(9)"))

typedef struct {
    const fa_tensor *x;      /* at least one element along the reduced dimensions */
    fa_dims dim OPT(FA_ALL); /* one dimension, several as FA_DIMS(0, 2), or all: FA_ALL */
    bool keepdim OPT(false); /* true: keep the reduced dimensions with size 1 */
} ptp_args;

static fa_tensor *ptp_compose(fa__call *c)
{
    const ptp_args *a = c->args;
    fa_tensor *top = fa_amax(a->x, .dim = a->dim, .keepdim = a->keepdim);
    return top ? fa_sub(top, fa_amin(a->x, .dim = a->dim, .keepdim = a->keepdim)) : NULL;
}

/** Peak-to-peak: maximum - minimum over dimensions. Integers wrap around in their dtype; bool is an error. */
OP(ptp, ptp_args, (y), .compose = ptp_compose,
   TORCH("amax(x, () if dim is None else dim, keepdim) - amin(x, () if dim is None else dim, keepdim)"),
   SAMPLES("d(3,4); d(3,4) dim=1; d(2,3,4) dim={0,-1} keepdim=true; t(5,3) dim=0; n(9); ()"))

typedef struct {
    const fa_tensor *x;                 /* floating; any dtype if weights are given */
    fa_dims dim OPT(FA_ALL);            /* one dimension, several as FA_DIMS(0, 2), or all: FA_ALL */
    const fa_tensor *weights OPT(NULL); /* x's shape, or 1-dimensional with the size of dim; NULL: equal weights */
    bool keepdim OPT(false);            /* true: keep the reduced dimensions with size 1 */
} average_args;

/* The weights reshaped to broadcast with x; NULL and an error. */
static const fa_tensor *weights_for(const fa__call *c, const average_args *a, unsigned set)
{
    const fa_tensor *w = a->weights;
    fa_shape along = {.rank = a->x->rank};
    if (fa__same_shape(w, a->x))
        return w;
    bool line = set && !(set & (set - 1)) && w->rank == 1 && w->shape[0] == fa__reduced_count(a->x, set);
    for (int i = 0; i < along.rank; i++)
        along.dim[i] = set >> i & 1 ? -1 : 1;
    if (line)
        return fa_expand_as(fa_reshape(w, along), a->x);
    fa__call_fail(c, FA_ERROR_SHAPE, "weights have to be of x's shape, or a number for each place along one dimension");
    return NULL;
}

static fa_tensor *average_compose(fa__call *c)
{
    const average_args *a = c->args;
    unsigned set;
    if (!a->weights)
        return fa_mean(a->x, .dim = a->dim, .keepdim = a->keepdim);
    const fa_tensor *w = fa__dim_set(c, a->x, a->dim, &set) ? weights_for(c, a, set) : NULL;
    if (!w)
        return NULL;
    fa_tensor *sum = fa_sum(fa_mul(a->x, w), .dim = a->dim, .keepdim = a->keepdim);
    return fa_div(sum, fa_sum(w, .dim = a->dim, .keepdim = a->keepdim));
}

/** The weighted mean over dimensions: sum(x * weights) / sum(weights). A sum of weights of 0 is an error. Integers give
 *  f32; without weights they are an error, as for fa_mean(). */
OP(average, average_args, (y), .compose = average_compose, ALSO("NumPy's `average`"),
   TORCH("mean(x, dim, keepdim) if weights is None else (x * weights).sum(dim, keepdim) / weights.sum(dim, keepdim) if "
         "weights.dim() == x.dim() else (x * (weights if dim else weights.reshape(-1, 1))).sum(dim, keepdim) / "
         "weights.sum()"),
   SAMPLES("(3,4); (3,4) weights=p(3,4); (3,4) dim=1 weights=p(4); (3,4) dim=0 weights=p(3) keepdim=true; (2,3,4) "
           "dim={0,2} weights=p(2,3,4); (3,4) dim=1 weights=p(3,4)"))

typedef struct {
    const fa_tensor *x;                  /* (variables, observations), or (observations) of a single variable */
    int64_t correction OPT(1);           /* the sum of products is divided by (number of observations - correction) */
    const fa_tensor *fweights OPT(NULL); /* (observations), integers: how often each occurs; NULL: once */
    const fa_tensor *aweights OPT(NULL); /* (observations), floating: weight of each; NULL: equal weights */
} cov_args;

static bool cov_fits(const fa__call *c, const cov_args *a, int64_t observations)
{
    const fa_tensor *w[] = {a->fweights, a->aweights};
    if (a->x->rank > 2 || a->x->dtype == FA_BOOL)
        return fa__call_fail(c, a->x->rank > 2 ? FA_ERROR_SHAPE : FA_ERROR_DTYPE,
                             "x has to be a matrix or a vector of numbers");
    for (int k = 0; k < 2; k++) {
        if (w[k] && (w[k]->rank != 1 || w[k]->shape[0] != observations))
            return fa__call_fail(c, FA_ERROR_SHAPE, "weights have to be a vector of %lld", (long long)observations);
        if (w[k] && fa__dtype_is_float(w[k]->dtype) != (k == 1))
            return fa__call_fail(c, FA_ERROR_DTYPE, "%s", k ? "aweights are floating" : "fweights are integers");
    }
    return true;
}

/* Checks the weights; false and an error, at once or when the host next waits for the device. */
static bool cov_weights_are_good(const cov_args *a, const fa_tensor *sum)
{
    return (!a->fweights || fa__check_zeros(fa_ge(a->fweights, 0), FA__ZERO_NEGATIVE))
           && (!a->aweights || fa__check_zeros(fa_ge(a->aweights, 0), FA__ZERO_NEGATIVE))
           && (!sum || fa__check_zeros(fa_ne(sum, 0), FA__ZERO_WEIGHTS));
}

/* The divisor of the sums of weighted products, at least 0. */
static fa_tensor *cov_divisor(const cov_args *a, fa_tensor *w, fa_tensor *sum)
{
    fa_tensor *less = a->aweights ? fa_div(fa_sum(fa_mul(w, a->aweights)), sum) : NULL;
    fa_tensor *n = !a->correction ? sum : less ? fa_sub(sum, fa_mul(less, a->correction)) : fa_sub(sum, a->correction);
    return fa_maximum(n, 0);
}

static fa_tensor *cov_compose(fa__call *c)
{
    const cov_args *a = c->args;
    const fa_tensor *x = a->x->rank < 2 ? fa_reshape(a->x, FA_SHAPE(1, -1)) : a->x;
    if (!x || !cov_fits(c, a, x->shape[1]))
        return NULL;
    double n = (double)x->shape[1], free = n - (double)a->correction;
    const fa_tensor *both[] = {a->fweights, a->aweights};
    fa_tensor *w = both[0] && both[1]   ? fa_mul(both[0], both[1])
                   : both[0] || both[1] ? fa_mul(both[0] ? both[0] : both[1], 1)
                                        : NULL;
    fa_tensor *sum = w ? fa_sum(w) : NULL;
    if (!cov_weights_are_good(a, sum))
        return NULL;
    fa_tensor *total = fa_sum(w ? fa_mul(x, w) : x, .dim = 1, .keepdim = true);
    fa_tensor *off = fa_sub(x, w ? fa_div(total, sum) : fa_div(total, n));
    fa_tensor *products = fa_matmul(off, fa_t(w ? fa_mul(off, w) : off));
    return fa_squeeze(w ? fa_div(products, cov_divisor(a, w, sum)) : fa_div(products, free > 0 ? free : 0));
}

/** The covariance matrix of variables: (variables, variables); of a single variable its variance, 0-dim. Integers give
 *  f32. A negative or NaN weight and weights whose sum is 0 are errors, which a GPU reports when the host next waits
 *  for it. */
OP(cov, cov_args, (y), .compose = cov_compose,
   TORCH("cov(x, correction=correction, fweights=fweights, aweights=aweights)"),
   SAMPLES("(3,5); (5); (1,5); (3,5) correction=0; (3,5) fweights=i(5)<4; (3,5) aweights=p(5); (3,5) fweights=i(5)<4 "
           "aweights=p(5) correction=2; (3,5) aweights=p(5) correction=0; ()"))

typedef struct {
    const fa_tensor *x; /* (variables, observations), or (observations) of a single variable */
} corrcoef_args;

static fa_tensor *corrcoef_compose(fa__call *c)
{
    const corrcoef_args *a = c->args;
    fa_tensor *products = fa_cov(a->x);
    if (!products || !products->rank)
        return products ? fa_div(products, products) : NULL;
    fa_tensor *deviation = fa_sqrt(fa_diagonal(products));
    fa_tensor *y = fa_div(fa_div(products, fa_unsqueeze(deviation, 1)), fa_unsqueeze(deviation, 0));
    return fa_clamp(y, -1, 1);
}

/** The matrix of Pearson correlation coefficients of variables: covariances divided by the product of the standard
 *  deviations, clamped to [-1, 1]. */
OP(corrcoef, corrcoef_args, (y), .compose = corrcoef_compose, TORCH("corrcoef(x)"), SAMPLES("(3,5); (5); (2,4)"))

#include "statistics.rows"
