/* Median, mode and quantiles. Elements are sorted along a dimension or over the flattened tensor, with NaN last. */
#include "ops/reduce/reduce.h"
#include "ops/reduce/scan.h"

/* What is sorted: one dimension, or all elements in row-major order. */
typedef struct line {
    const fa_tensor *x;
    int dim;
    bool all;
} line;

static bool as_line(const fa__call *c, const fa_tensor *x, fa_dims dim, line *l)
{
    unsigned set;
    if (!fa__dim_set(c, x, dim, &set))
        return false;
    l->all = dim == FA_ALL || !x->rank;
    if (!l->all && set & (set - 1)) {
        fa__call_fail(c, FA_ERROR_ARGUMENT, "%s takes one dimension, or all of them", c->op->name);
        return false;
    }
    if (!fa__reduced_count(x, set)) {
        fa__call_fail(c, FA_ERROR_SHAPE, "there is nothing to choose from");
        return false;
    }
    l->dim = l->all ? 0 : __builtin_ctz(set);
    l->x = l->all ? fa_reshape(x, FA_SHAPE(-1)) : x;
    return l->x != NULL;
}

/* A result of size 1 along the sorted dimension, reshaped as a reduction of x. */
static fa_tensor *reduced(const line *l, const fa_tensor *x, fa_tensor *y, bool keepdim)
{
    fa_shape ones = {.rank = keepdim ? x->rank : 0};
    for (int i = 0; i < ones.rank; i++)
        ones.dim[i] = 1;
    return l->all ? fa_reshape(y, ones) : keepdim ? y : fa_squeeze(y, .dim = l->dim);
}

/* The number of NaN in each sorted line. */
static fa_tensor *nans(const line *l)
{
    return fa_sum(fa_isnan(l->x), .dim = l->dim, .keepdim = true);
}

/* Sets the results to the values and indices of the elements that `index` selects, one in each line. */
static fa_tensor *give_chosen(fa__call *c, const line *l, const fa_tensor *x, fa_tensor *index, bool keepdim)
{
    c->out[1] = reduced(l, x, index, keepdim);
    return c->out[1] ? reduced(l, x, fa_gather(l->x, l->dim, index), keepdim) : NULL;
}

/* ---- median ---- */

typedef struct {
    const fa_tensor *x;      /* at least one element along the reduced dimension (PyTorch gives NaN for none) */
    fa_dims dim OPT(FA_ALL); /* one dimension; by default x is flattened */
    bool keepdim OPT(false); /* true: keep dim with size 1 */
} median_args;

/* Where the median of each line is: where its first NaN is, which is where its largest element is, if there is one. */
static fa_tensor *median_places(const line *l)
{
    fa_tensor *middle = fa_kthvalue(l->x, (fa_size(l->x, l->dim) + 1) / 2, .dim = l->dim, .keepdim = true).indices;
    if (!middle || !fa__dtype_is_float(l->x->dtype))
        return middle;
    fa_max_result top = fa_max(l->x, l->dim, .keepdim = true);
    return top.values ? fa_where(fa_isnan(top.values), top.indices, middle) : NULL;
}

/* The same among the elements that are not NaN. */
static fa_tensor *nanmedian_places(const line *l)
{
    int64_t n = fa_size(l->x, l->dim);
    fa_tensor *nan = nans(l), *places = fa_sort(l->x, .dim = l->dim).indices;
    return fa_gather(places, l->dim, fa_maximum(fa_floor_divide(fa_sub(n - 1, nan), 2), 0));
}

static fa_tensor *give_median(fa__call *c, fa_tensor *(*places)(const line *))
{
    const median_args *a = c->args;
    fa_tensor *index = NULL;
    line l;
    if (!as_line(c, a->x, a->dim, &l))
        return NULL;
    {
        FA_USE(.no_grad = true);
        index = places(&l);
    }
    return give_chosen(c, &l, a->x, index, a->keepdim);
}

static fa_tensor *median_compose(fa__call *c)
{
    return give_median(c, median_places);
}

static fa_tensor *nanmedian_compose(fa__call *c)
{
    return give_median(c, nanmedian_places);
}

/** The median along a dimension or of the flattened x, and its index (i64). For an even number of elements it is the
 *  lower of the two middle ones. If there is a NaN, the result is the first NaN. Of equal elements the index is the one
 *  that fa_sort() puts there (unspecified in PyTorch); that element gets the gradient. */
OP(median, median_args, (values, indices), .compose = median_compose,
   TORCH("(median(x), argmax((x.flatten() == median(x)).int())) if dim is None else median(x, dim, keepdim)"),
   SAMPLES("d(3,3); d(7); d(6); d(2,4) dim=1; d(3,2) dim=0 keepdim=true; d(2,2,2) dim=-2; (); (0,1030) dim=1"))

/** Like fa_median(), ignoring NaN; if all elements are NaN the result is NaN. */
OP(nanmedian, median_args, (values, indices), .compose = nanmedian_compose,
   TORCH("(nanmedian(x), argmax((x.flatten() == nanmedian(x)).int())) if dim is None else nanmedian(x, dim, keepdim)"),
   SAMPLES("d(3,3); d(7); d(6); d(2,4) dim=1; d(3,2) dim=0 keepdim=true; ()"))

/* ---- mode ---- */

typedef struct {
    const fa_tensor *x;      /* at least one element along dim */
    int64_t dim OPT(-1);     /* the dimension to reduce; negative counts from the end */
    bool keepdim OPT(false); /* true: keep dim with size 1 */
} mode_args;

/* The end of the longest run of equal elements in each sorted line; of equally long runs the first. */
static fa_tensor *longest_runs(const line *l, const fa_tensor *sorted)
{
    fa_tensor *number = fa__numbers_along(sorted, l->dim);
    fa_tensor *starts = fa_where(fa_ne(sorted, fa__shifted(sorted, l->dim, 1, 0)), number, 0);
    fa_tensor *length = fa_sub(number, fa__running_max(starts, l->dim));
    return fa_argmax(length, .dim = l->dim, .keepdim = true);
}

static fa_tensor *mode_compose(fa__call *c)
{
    const mode_args *a = c->args;
    fa_tensor *index = NULL;
    line l;
    if (fa__wrap_dim(c, a->x, a->dim) < 0 || !as_line(c, a->x, a->dim, &l))
        return NULL;
    {
        FA_USE(.no_grad = true);
        fa_sort_result s = fa_sort(l.x, .dim = l.dim);
        index = s.values ? fa_gather(s.indices, l.dim, longest_runs(&l, s.values)) : NULL;
    }
    return index ? give_chosen(c, &l, a->x, index, a->keepdim) : NULL;
}

/** The most frequent element along a dimension (the smallest of several), and the index of its last occurrence (i64). A
 *  NaN is not equal to any other. The selected element gets the gradient. */
OP(mode, mode_args, (values, indices), .compose = mode_compose, TORCH("mode(x, dim, keepdim)"),
   SAMPLES("t(3,7); t(7,3) dim=0; t(3,7) keepdim=true; d(2,4); i(9); b(5); (); (0,1030)"))

/* ---- quantiles ---- */

typedef struct {
    const fa_tensor *x;                      /* f32 or f64; at least one element along the reduced dimension */
    fa_arg q;                                /* from 0 to 1: a number, a 0-dim or a 1-dimensional tensor */
    fa_dims dim OPT(FA_ALL);                 /* one dimension; by default x is flattened */
    bool keepdim OPT(false);                 /* true: keep dim with size 1 */
    const char *interpolation OPT("linear"); /* "linear", "lower", "higher", "midpoint" or "nearest" */
} quantile_args;

static fa_tensor *above(fa_tensor *rank)
{
    return fa_ceil(rank);
}

static fa_tensor *below(fa_tensor *rank)
{
    return fa_floor(rank);
}

static fa_tensor *nearest(fa_tensor *rank)
{
    return fa_round(rank);
}

/* How a quantile is computed: from one element, or from two and the weight of the second; a negative weight stands for
 * the fractional part of the rank. */
typedef struct way {
    const char *name;
    fa_tensor *(*first)(fa_tensor *), *(*second)(fa_tensor *);
    double weight;
} way;
static const way ways[] = {
    {"linear", below, above, -1},    {"lower", below, NULL, 0},     {"higher", above, NULL, 0},
    {"midpoint", below, above, 0.5}, {"nearest", nearest, NULL, 0},
};

static const way *way_of(const fa__call *c, const char *name)
{
    for (size_t i = 0; name && i < sizeof ways / sizeof *ways; i++)
        if (!strcmp(ways[i].name, name))
            return &ways[i];
    fa__call_fail(c, FA_ERROR_ARGUMENT,
                  "interpolation is \"linear\", \"lower\", \"higher\", \"midpoint\" or \"nearest\"");
    return NULL;
}

static fa_tensor *at_rank(const line *l, const fa_tensor *sorted, fa_tensor *rank)
{
    return fa_gather(sorted, l->dim, fa_to(rank, FA_I64));
}

static fa_tensor *between_ranks(const line *l, const fa_tensor *sorted, fa_tensor *rank, const way *w)
{
    fa_tensor *first = at_rank(l, sorted, w->first(rank));
    if (!w->second)
        return first;
    fa_tensor *second = at_rank(l, sorted, w->second(rank));
    if (w->weight >= 0)
        return fa_lerp(first, second, w->weight);
    return fa_lerp(first, second, fa_to(fa_sub(rank, fa_floor(rank)), (fa_dtype)l->x->dtype));
}

/* q as a tensor of x's dtype along the sorted dimension; NULL and an error. */
static fa_tensor *along_line(const fa__call *c, const line *l, const fa_arg *q)
{
    fa_shape shape = {.rank = l->x->rank};
    for (int i = 0; i < shape.rank; i++)
        shape.dim[i] = i == l->dim ? -1 : 1;
    fa_dtype dtype = (fa_dtype)l->x->dtype;
    if (q->kind == FA__ARG_TENSOR) {
        if (fa__tensor_in(*q)->rank <= 1 && (fa_dtype)fa__tensor_in(*q)->dtype == dtype)
            return fa_reshape(fa__tensor_in(*q), shape);
        fa__call_fail(c, FA_ERROR_SHAPE, "q has to be a number, or a tensor of x's dtype of none or one dimension");
        return NULL;
    }
    double v = q->kind == FA__ARG_FLOAT ? fa__double_in(*q) : (double)fa__int_in(*q);
    if (v >= 0 && v <= 1)
        return fa_reshape(fa_full(FA_SCALAR, v, .dtype = dtype, .device = fa_tensor_device(l->x)), shape);
    fa__call_fail(c, FA_ERROR_ARGUMENT, "q is %g: it has to be from 0 to 1", v);
    return NULL;
}

/* The fractional rank of q in each sorted line. f32 is exact only up to 2^24, so for longer lines ranks are f64. */
static fa_tensor *ranks(const line *l, fa_tensor *q, bool skips)
{
    int64_t n = fa_size(l->x, l->dim);
    if (n > (int64_t)1 << 24)
        q = fa_to(q, FA_F64);
    if (skips)
        return fa_mul(q, fa_maximum(fa_sub(n - 1, nans(l)), 0));
    return fa_where(fa_gt(nans(l), 0), n - 1, fa_mul(q, n - 1));
}

/* Moves the dimension of q to the front. */
static fa_tensor *quantiles_first(const line *l, const fa_tensor *x, fa_tensor *y, bool keepdim)
{
    if (!l->all) {
        y = fa_movedim(y, FA_SHAPE(l->dim), FA_SHAPE(0));
        return keepdim ? fa_unsqueeze(y, l->dim + 1) : y;
    }
    fa_shape shape = {.rank = keepdim ? x->rank + 1 : 1};
    for (int i = 0; i < shape.rank; i++)
        shape.dim[i] = i ? 1 : -1;
    return keepdim ? fa_reshape(y, shape) : y;
}

static fa_tensor *make_quantile(fa__call *c, bool skips)
{
    const quantile_args *a = c->args;
    const way *w = way_of(c, a->interpolation);
    line l;
    if (!w || !as_line(c, a->x, a->dim, &l))
        return NULL;
    if (a->x->dtype != FA_F32 && a->x->dtype != FA_F64) {
        fa__call_fail(c, FA_ERROR_DTYPE, "quantiles are of f32 or f64: fa_to converts");
        return NULL;
    }
    fa_tensor *q = along_line(c, &l, &a->q);
    const fa_tensor *sorted = q ? fa_sort(l.x, .dim = l.dim).values : NULL;
    fa_tensor *y = sorted ? between_ranks(&l, sorted, ranks(&l, q, skips), w) : NULL;
    bool several = a->q.kind == FA__ARG_TENSOR && fa__tensor_in(a->q)->rank;
    if (!y)
        return NULL;
    return several ? quantiles_first(&l, a->x, y, a->keepdim) : reduced(&l, a->x, y, a->keepdim);
}

static fa_tensor *quantile_compose(fa__call *c)
{
    return make_quantile(c, false);
}

static fa_tensor *nanquantile_compose(fa__call *c)
{
    return make_quantile(c, true);
}

/** The q-quantile along a dimension or of the flattened x, interpolated between two elements. With a NaN the result is
 *  NaN. If q is 1-dimensional, its dimension comes first in the result. A number q outside 0 to 1 is an error at once;
 *  an element of a tensor q outside of it is an FA_ERROR_INDEX, which a GPU reports at the next wait. Ranks in lines of
 *  more than 2^24 elements are computed in f64, which the device then has to support. */
OP(quantile, quantile_args, (y), .compose = quantile_compose, .autocast_cpu = FA__CAST_F32,
   TORCH("quantile(x, q, dim, keepdim, interpolation=interpolation)"), ALSO("`percentile` with q in percent"),
   SAMPLES(
       "d(3,4) 0.3; d(3,4) 0.5 dim=1; d(3,4) u(3) dim=0; d(3,4) u(3) dim=1 keepdim=true; d(3,4) u(2) keepdim=true; "
       "d(3,4) u(2); d(3,4) u() dim=0 keepdim=true; d(7) 0.4 interpolation='lower'; d(7) 0.4 interpolation='higher'; "
       "d(7) 0.4 interpolation='midpoint'; d(7) 0.4 interpolation='nearest'; d(5) 1; d(5) 0; n(9) 0.5; () "
       "0.5; d(2,3,4) u(2) dim=1"))

/** Like fa_quantile(), ignoring NaN; if all elements are NaN the result is NaN. */
OP(nanquantile, quantile_args, (y), .compose = nanquantile_compose, .autocast_cpu = FA__CAST_F32,
   TORCH("nanquantile(x, q, dim, keepdim, interpolation=interpolation)"), ALSO("`nanpercentile` with q in percent"),
   SAMPLES(
       "d(3,4) 0.3; d(3,4) 0.5 dim=1; d(3,4) u(4) dim=0; d(3,4) u(3) dim=1 keepdim=true; n(9) 0.5; n(3,9) 0.25 dim=1; "
       "n(9,3) u(2) dim=0; () 0.5"))

#include "quantile.rows"
