/* Histograms: bincount for integers, histogram for intervals. */
#include "dispatch/call.h"
#include <math.h>

typedef struct {
    const fa_tensor *x;                 /* (n) integers, 0 or larger */
    const fa_tensor *weights OPT(NULL); /* (n): weights to sum; NULL: elements are counted */
    int64_t minlength OPT(0);           /* minimum size of the result */
} bincount_args;

/* The larger of minlength and the largest element + 1, which the host reads from x. -1 and an error. */
static int64_t count_bins(const fa__call *c, const bincount_args *a)
{
    int64_t ends[2] = {0, -1};
    FA__WORK_FOR(fa__asked_for(c));
    if (a->x->shape[0]) {
        fa_aminmax_result found = fa_aminmax(fa_to(a->x, FA_I64));
        if (!found.min || !fa_read(fa_stack(FA_TENSORS(found.min, found.max)), ends, FA_I64, 2))
            return -1;
    }
    if (ends[0] < 0 || ends[1] == INT64_MAX) {
        fa__call_fail(c, FA_ERROR_ARGUMENT, "x has the element %lld", (long long)(ends[0] < 0 ? ends[0] : ends[1]));
        return -1;
    }
    return ends[1] + 1 > a->minlength ? ends[1] + 1 : a->minlength;
}

static bool bincount_fits(const fa__call *c, const bincount_args *a)
{
    if (fa__dtype_is_float(a->x->dtype) || a->x->dtype == FA_BOOL)
        return fa__call_fail(c, FA_ERROR_DTYPE, "x has to be of integers");
    if (a->x->rank != 1 || (a->weights && !fa__same_shape(a->x, a->weights)))
        return fa__call_fail(c, FA_ERROR_SHAPE, "x has to be a vector, and weights one of the same size");
    if (a->minlength < 0)
        return fa__call_fail(c, FA_ERROR_ARGUMENT, "minlength is negative");
    return !fa__tensor_device(a->x)->shapes_only
           || fa__call_fail(c, FA_ERROR_DEVICE, "on meta x has no values, which decide the shape");
}

static fa_tensor *bincount_compose(fa__call *c)
{
    const bincount_args *a = c->args;
    int64_t bins = bincount_fits(c, a) ? count_bins(c, a) : -1;
    if (bins < 0)
        return NULL;
    const fa_tensor *w = a->weights;
    if (!w)
        w = fa_ones(FA_SHAPE(a->x->shape[0]), .dtype = FA_I64, .device = fa_tensor_device(a->x));
    else if (w->dtype != FA_F32)
        w = fa_to(w, FA_F64);
    return w ? fa__index_sum(w, 0, a->x, bins) : NULL;
}

/** Counts how often each integer occurs in x: y[i] is the number of elements equal to i, as i64, or the sum of their
 *  weights (f32 for f32 weights, else f64; added in order). The size is the largest element + 1, at least minlength,
 *  which the host reads from x: it waits for it. */
OP(bincount, bincount_args, (y), .compose = bincount_compose, .by_values = true,
   TORCH("bincount(x, weights, minlength)"),
   SAMPLES("i(9)<5; i(9)<5 weights=p(9); i(9)<5 minlength=8; i(0)<5; i(0)<5 minlength=3; i(9)<5 weights=i(9)"))

typedef struct {
    const fa_tensor *x;                /* floating, any shape */
    int64_t bins OPT(100);             /* number of intervals of equal width */
    double min OPT(0);                 /* lower end of the range; min = max = 0: x's smallest element */
    double max OPT(0);                 /* upper end of the range; min = max = 0: x's largest element */
    const fa_tensor *edges OPT(NULL);  /* (k + 1), ascending: edges of k intervals; NULL: bins of equal width */
    const fa_tensor *weight OPT(NULL); /* weights to sum, in x's shape; NULL: elements are counted */
    bool density OPT(false);           /* true: normalize so that the integral over the range is 1 */
} histogram_args;

static bool histogram_fits(const fa__call *c, const histogram_args *a)
{
    if (!fa__dtype_is_float(a->x->dtype) || (a->edges && a->edges->dtype != a->x->dtype)
        || (a->weight && a->weight->dtype != a->x->dtype))
        return fa__call_fail(c, FA_ERROR_DTYPE, "x, edges and weight have to be of one floating dtype");
    if (a->edges && (a->edges->rank != 1 || a->edges->shape[0] < 2))
        return fa__call_fail(c, FA_ERROR_SHAPE, "edges have to be a vector of two or more");
    if (a->weight && !fa__same_shape(a->weight, a->x))
        return fa__call_fail(c, FA_ERROR_SHAPE, "weight has to be of x's shape");
    if (a->edges)
        return true;
    if (a->bins < 1 || !isfinite(a->min) || !isfinite(a->max) || a->min > a->max)
        return fa__call_fail(c, FA_ERROR_ARGUMENT,
                             "bins have to be 1 or more, and min and max finite and in this order");
    return true;
}

/* Whether x has neither infinities nor NaN; the host reads it, which waits for x. */
static bool range_is_finite(const fa__call *c, const fa_aminmax_result *found)
{
    double ends[2] = {0};
    FA__WORK_FOR(fa__asked_for(c));
    if (!found->min || !fa_read(fa_stack(FA_TENSORS(found->min, found->max)), ends, FA_F64, 2))
        return false;
    return (isfinite(ends[0]) && isfinite(ends[1]))
           || fa__call_fail(c, FA_ERROR_ARGUMENT, "x goes from %g to %g: without min and max it has to be finite",
                            ends[0], ends[1]);
}

/* Equally spaced edges over the range; a range of width 0 is widened by half on each side. */
static fa_tensor *even_edges(const fa__call *c, const histogram_args *a)
{
    fa_dtype own = (fa_dtype)a->x->dtype, dtype = own == FA_F64 ? FA_F64 : FA_F32;
    fa_device device = fa_tensor_device(a->x);
    const fa_tensor *low, *high;
    bool of_x = a->min == 0 && a->max == 0;
    if (of_x && fa__numel(a->x)) {
        fa_aminmax_result found = fa_aminmax(fa_to(a->x, dtype));
        if (!range_is_finite(c, &found))
            return NULL;
        low = found.min;
        high = found.max;
    } else {
        low = fa_full(FA_SCALAR, a->min, .dtype = dtype, .device = device);
        high = fa_full(FA_SCALAR, of_x ? 1 : a->max, .dtype = dtype, .device = device);
    }
    fa_tensor *first = fa_pointwise("x == y ? x - 0.5 : x", low, high);
    fa_tensor *last = fa_pointwise("x == y ? y + 0.5 : y", low, high);
    fa_tensor *step = fa_div(fa_sub(last, first), a->bins);
    fa_tensor *number = fa_arange(0, (double)a->bins + 1, .dtype = dtype, .device = device);
    int64_t half = a->bins / 2 + a->bins % 2;
    return fa_to(fa_pointwise("x < w ? y + z * x : a - z * (b - x)", number, first, step, half, last, a->bins), own);
}

/* The interval of each element; 0 for elements outside the range, for which `inside` is false. The last interval
 * includes its upper edge. */
static fa_tensor *intervals(const fa_tensor *x, const fa_tensor *edges, int64_t bins, fa_tensor **inside)
{
    *inside = fa_logical_and(fa_ge(x, fa_select(edges, 0, 0)), fa_le(x, fa_select(edges, 0, bins)));
    fa_tensor *place = fa_sub(fa_searchsorted(edges, x, .right = true), 1);
    return fa_where(*inside, fa_minimum(place, bins - 1), 0);
}

static fa_tensor *histogram_compose(fa__call *c)
{
    const histogram_args *a = c->args;
    FA_USE(.no_grad = true);
    if (!histogram_fits(c, a))
        return NULL;
    const fa_tensor *x = fa_flatten(a->x);
    fa_tensor *edges = a->edges ? fa_clone(a->edges) : even_edges(c, a), *inside = NULL;
    if (!x || !edges)
        return NULL;
    int64_t bins = edges->shape[0] - 1;
    fa_tensor *index = intervals(x, edges, bins, &inside);
    fa_tensor *each = a->weight ? fa_where(inside, fa_flatten(a->weight), 0) : fa_to(inside, FA_I64);
    fa_tensor *hist = fa_to(fa__index_sum(each, 0, index, bins), (fa_dtype)x->dtype);
    c->out[1] = edges;
    return a->density ? fa_div(hist, fa_mul(fa_sum(hist), fa_diff(edges))) : hist;
}

/** A histogram: the number of elements in each interval, and the edges of the intervals. Each interval includes its
 *  lower edge, the last one both. Elements outside the range and NaN are ignored. If the range comes from x, the host
 *  waits for x, and NaN or infinity in it is an error. Counts are exact integers, converted to x's dtype. */
OP(histogram, histogram_args, (hist, bin_edges), .compose = histogram_compose, .no_grad = "a count", .by_values = true,
   TORCH(
       "histogram(x, edges, weight=weight, density=density) if edges is not None else histogram(x, bins, "
       "weight=weight, "
       "density=density) if min == max == 0 else histogram(x, bins, range=(min, max), weight=weight, density=density)"),
   ALSO("`histc` (the first result)"),
   SAMPLES("(3,4) bins=4; (3,4) bins=5 min=-1 max=1; (9) bins=3 weight=(9); (9) bins=4 density=true; t(9) bins=2; (9) "
           "edges=d(4); (5) bins=3 min=0.5 max=0.5; (0) bins=3; () bins=2; (40) bins=7; (3)"))

#include "histogram.rows"
