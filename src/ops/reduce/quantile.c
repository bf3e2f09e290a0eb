/* Elements by their rank along a dimension or among all: medians, quantiles, and the most frequent ones. Lines are
 * sorted, NaN behind everything. */
#include "ops/reduce/reduce.h"
#include "ops/reduce/scan.h"

/* A line: the one dimension that is named, or all elements, row-major. */
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

/* A result of size 1 along the line as one of x. */
static fa_tensor *reduced(const line *l, const fa_tensor *x, fa_tensor *y, bool keepdim)
{
    fa_shape ones = {.rank = keepdim ? x->rank : 0};
    for (int i = 0; i < ones.rank; i++)
        ones.dim[i] = 1;
    return l->all ? fa_reshape(y, ones) : keepdim ? y : fa_squeeze(y, .dim = l->dim);
}

/* How many elements of each line are NaN. */
static fa_tensor *nans(const line *l)
{
    return fa_sum(fa_isnan(l->x), .dim = l->dim, .keepdim = true);
}

/* Values and indices of the elements that `index` names, in each line one. */
static fa_tensor *give_chosen(fa__call *c, const line *l, const fa_tensor *x, fa_tensor *index, bool keepdim)
{
    c->out[1] = reduced(l, x, index, keepdim);
    return c->out[1] ? reduced(l, x, fa_gather(l->x, l->dim, index), keepdim) : NULL;
}

/* ---- medians ---- */

typedef struct {
    const fa_tensor *x;      /* at least one element to choose from; of none PyTorch gives NaN */
    fa_dims dim OPT(FA_ALL); /* one dimension; by default the median of all elements, and its place row-major */
    bool keepdim OPT(false); /* keep dim with size 1 */
} median_args;

static fa_tensor *give_median(fa__call *c, bool skips)
{
    const median_args *a = c->args;
    fa_tensor *index = NULL;
    line l;
    if (!as_line(c, a->x, a->dim, &l))
        return NULL;
    {
        FA_USE(.no_grad = true);
        int64_t n = fa_size(l.x, l.dim);
        fa_tensor *nan = nans(&l), *places = fa_sort(l.x, .dim = l.dim).indices;
        fa_tensor *rank = skips ? fa_maximum(fa_floor_divide(fa_sub(n - 1, nan), 2), 0)
                                : fa_where(fa_gt(nan, 0), fa_sub(n, nan), (n - 1) / 2);
        index = fa_gather(places, l.dim, rank);
    }
    return give_chosen(c, &l, a->x, index, a->keepdim);
}

static fa_tensor *median_compose(fa__call *c)
{
    return give_median(c, false);
}

static fa_tensor *nanmedian_compose(fa__call *c)
{
    return give_median(c, true);
}

/** The median along a dimension or of all elements, and where it is: of an even number the lower one of the two in the
 *  middle. With a NaN it is NaN, the first one. Of equal elements the place is that of the one which fa_sort() puts
 *  there; PyTorch leaves it open. That element gets the gradient. */
OP(median, median_args, (values, indices), .compose = median_compose,
   TORCH("(median(x), argmax((x.flatten() == median(x)).int())) if dim is None else median(x, dim, keepdim)"),
   SAMPLES("d(3,3); d(7); d(6); d(2,4) dim=1; d(3,2) dim=0 keepdim=true; d(2,2,2) dim=-2; (); (0,1030) dim=1"))

/** The median of the elements that are not NaN, and where it is; of none it is NaN. Otherwise as fa_median(). */
OP(nanmedian, median_args, (values, indices), .compose = nanmedian_compose,
   TORCH("(nanmedian(x), argmax((x.flatten() == nanmedian(x)).int())) if dim is None else nanmedian(x, dim, keepdim)"),
   SAMPLES("d(3,3); d(7); d(6); d(2,4) dim=1; d(3,2) dim=0 keepdim=true; ()"))

/* ---- the most frequent ---- */

typedef struct {
    const fa_tensor *x;      /* at least one element along dim */
    int64_t dim OPT(-1);     /* the dimension to search; negative counts from the end */
    bool keepdim OPT(false); /* keep dim with size 1 */
} mode_args;

/* Where the longest run of equal elements of sorted lines ends, of equally long ones the first. */
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

/** The element that is most frequent along a dimension, the smallest of those that are, and where it stands last. No
 * NaN is equal to another. That element gets the gradient. */
OP(mode, mode_args, (values, indices), .compose = mode_compose, TORCH("mode(x, dim, keepdim)"),
   SAMPLES("t(3,7); t(7,3) dim=0; t(3,7) keepdim=true; d(2,4); i(9); b(5); (); (0,1030)"))

/* ---- quantiles ---- */

typedef struct {
    const fa_tensor *x;      /* f32 or f64, at least one element to choose from */
    fa_arg q;                /* from 0 to 1: a number, or a tensor of none or one dimension */
    fa_dims dim OPT(FA_ALL); /* one dimension; by default the quantile of all elements */
    bool keepdim OPT(false); /* keep dim with size 1 */
    const char *
        interpolation OPT("linear"); /* between two elements: "linear", "lower", "higher", "midpoint", "nearest" */
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

/* What is taken: one element, or two and the weight of the second; negative: what the rank is above the first. */
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

/* q as a tensor of x's dtype along the line's dimension; NULL after an error. */
static fa_tensor *along_line(const fa__call *c, const line *l, const fa_arg *q)
{
    fa_shape shape = {.rank = l->x->rank};
    for (int i = 0; i < shape.rank; i++)
        shape.dim[i] = i == l->dim ? -1 : 1;
    fa_dtype dtype = (fa_dtype)l->x->dtype;
    if (q->kind == FA__ARG_TENSOR) {
        if (q->as.t->rank <= 1 && (fa_dtype)q->as.t->dtype == dtype)
            return fa_reshape(q->as.t, shape);
        fa__call_fail(c, FA_ERROR_SHAPE, "q has to be a number, or a tensor of x's dtype of none or one dimension");
        return NULL;
    }
    double v = q->kind == FA__ARG_FLOAT ? q->as.f : (double)q->as.i;
    if (v >= 0 && v <= 1)
        return fa_reshape(fa_full(FA_SCALAR, v, .dtype = dtype, .device = fa_tensor_device(l->x)), shape);
    fa__call_fail(c, FA_ERROR_ARGUMENT, "q is %g: it has to be from 0 to 1", v);
    return NULL;
}

/* The places of q in each sorted line, which may lie between two elements. f32 has all numbers up to 2^24: places in
 * longer lines are f64. */
static fa_tensor *ranks(const line *l, fa_tensor *q, bool skips)
{
    int64_t n = fa_size(l->x, l->dim);
    if (n > (int64_t)1 << 24)
        q = fa_to(q, FA_F64);
    if (skips)
        return fa_mul(q, fa_maximum(fa_sub(n - 1, nans(l)), 0));
    return fa_where(fa_gt(nans(l), 0), n - 1, fa_mul(q, n - 1));
}

/* Of several q: a dimension in front of the others. */
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
    bool several = a->q.kind == FA__ARG_TENSOR && a->q.as.t->rank;
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

/** The element, or what lies between two, below which the share q of a line stands: along a dimension or among all.
 * With a NaN it is NaN. Several q are a dimension in front of the others. A number beyond 0 and 1 is an error at once,
 * one in a tensor an index out of range, which surfaces at the next wait. Places in lines of more than 2^24 elements
 * are computed in f64, which the device has to have then. */
OP(quantile, quantile_args, (y), .compose = quantile_compose,
   TORCH("quantile(x, q, dim, keepdim, interpolation=interpolation)"), ALSO("`percentile` by hundredths"),
   SAMPLES(
       "d(3,4) 0.3; d(3,4) 0.5 dim=1; d(3,4) u(3) dim=0; d(3,4) u(3) dim=1 keepdim=true; d(3,4) u(2) keepdim=true; "
       "d(3,4) u(2); d(3,4) u() dim=0 keepdim=true; d(7) 0.4 interpolation='lower'; d(7) 0.4 interpolation='higher'; "
       "d(7) 0.4 interpolation='midpoint'; d(7) 0.4 interpolation='nearest'; d(5) 1; d(5) 0; n(9) 0.5; () "
       "0.5; d(2,3,4) u(2) dim=1"))

/** Quantiles of the elements that are not NaN; of none it is NaN. Otherwise as fa_quantile(). */
OP(nanquantile, quantile_args, (y), .compose = nanquantile_compose,
   TORCH("nanquantile(x, q, dim, keepdim, interpolation=interpolation)"), ALSO("`nanpercentile` by hundredths"),
   SAMPLES(
       "d(3,4) 0.3; d(3,4) 0.5 dim=1; d(3,4) u(4) dim=0; d(3,4) u(3) dim=1 keepdim=true; n(9) 0.5; n(3,9) 0.25 dim=1; "
       "n(9,3) u(2) dim=0; () 0.5"))

#include "quantile.rows"
