/* Cumulative sums, products, maxima and logsumexp. Each element of the result combines all elements up to its own
 * position. The order is fixed (backend/scan.h): the same bits on every device and for any number of threads. */
#include "ops/reduce/scan.h"
#include <math.h>

/* The arguments of cumsum and cumprod. */
typedef struct {
    const fa_tensor *x;          /* any dtype */
    int64_t dim;                 /* the dimension of the scan; negative counts from the end */
    fa_dtype dtype OPT(FA_SAME); /* dtype of the result; elements are converted first; not bool */
} cumulative_args;

static bool cumulative_infer(fa__call *c)
{
    const cumulative_args *a = c->args;
    fa_dtype own = fa__dtype_is_float(a->x->dtype) ? (fa_dtype)a->x->dtype : FA_I64;
    if (a->dtype == FA_BOOL)
        return fa__call_fail(c, FA_ERROR_DTYPE, "there are no sums and products in bool");
    return fa__wrap_dim(c, a->x, a->dim) >= 0 && fa__infer_like(c, a->x, a->dtype ? a->dtype : own);
}

fa_tensor *fa__shifted(const fa_tensor *x, int64_t dim, int by, double value)
{
    double pads[2 * FA_MAX_DIMS] = {0};
    if (!x)
        return NULL;
    int d = fa__wrap_dim(NULL, x, dim), last = 2 * (x->rank - 1 - d);
    if (!x->rank)
        return fa_full_like(x, value);
    pads[last] = by;
    pads[last + 1] = -by;
    return fa_size(x, d) ? fa_pad(x, ((fa_list){(size_t)last + 2, pads}), .value = value) : fa_neg(x);
}

/* The recurrence s[i] = g[i] + a[i + 1] * s[i + 1]: a linear scan from the end. */
static fa_tensor *scanned_back(const fa_tensor *a, const fa_tensor *g, int64_t dim)
{
    fa_tensor *next = fa__reversed(fa__shifted(a, dim, -1, 0), dim);
    return fa__reversed(fa__linear_scan(next, fa__reversed(g, dim), dim), dim);
}

static void cumsum_grad(fa__back *b)
{
    const cumulative_args *a = b->args;
    fa_tensor *back = fa__reversed(b->gy[0], a->dim), *sums = fa_cumsum(back, a->dim);
    fa__set_input_grad(b, &a->x, fa__reversed(sums, a->dim));
}

/** The cumulative sum along a dimension: y[i] = x[0] + ... + x[i]. Integers and bool are summed in i64. */
OP(cumsum, cumulative_args, (y), .infer = cumulative_infer, .grad = cumsum_grad, .autocast = FA__CAST_F32,
   TORCH("cumsum(x, dim, dtype=dtype)"), ALSO("`cumulative_sum`"),
   SAMPLES(
       "(3,4) 1; (3,4) 0; (2,3,4) -2; (100) 0; (2,70) 1; (70,3) 0; () 0; (0,3) 1; (3,0) 1; n(9) 0; i(5) 0; b(40) 0; "
       "(3,4) 0 dtype=f64"))

static void cumprod_grad(fa__back *b)
{
    const cumulative_args *a = b->args;
    fa_tensor *x = fa_to(a->x, (fa_dtype)b->gy[0]->dtype), *before = fa__shifted(b->y[0], a->dim, 1, 1);
    fa__set_input_grad(b, &a->x, fa_mul(before, scanned_back(x, b->gy[0], a->dim)));
}

/** The cumulative product along a dimension: y[i] = x[0] * ... * x[i]. Integers and bool are multiplied in i64. The
 *  gradient is exact also if elements are 0. */
OP(cumprod, cumulative_args, (y), .infer = cumulative_infer, .grad = cumprod_grad, .keep = KEEP(x, y),
   .autocast = FA__CAST_F32, TORCH("cumprod(x, dim, dtype=dtype)"), ALSO("`cumulative_prod`"),
   SAMPLES(
       "(3,4) 1; (3,4) 0; (2,3,4) -2; a(40) 0; p(2,40) 1; t(5,3) 0; () 0; (0,3) 1; (3,0) 1; n(9) 0; i(5) 0; b(4) 0; "
       "(3,4) 0 dtype=f64"))

typedef struct {
    const fa_tensor *a; /* factor of the previous result */
    const fa_tensor *b; /* what is added: the same shape and dtype */
    int64_t dim;        /* the dimension of the scan; negative counts from the end */
} linear_scan_args;

static bool linear_scan_infer(fa__call *c)
{
    const linear_scan_args *a = c->args;
    if (!fa__same_shape(a->a, a->b) || a->a->dtype != a->b->dtype)
        return fa__call_fail(c, FA_ERROR_SHAPE, "both have to be of one shape and dtype");
    return fa__wrap_dim(c, a->a, a->dim) >= 0 && fa__infer_like(c, a->a, (fa_dtype)a->a->dtype);
}

static void linear_scan_grad(fa__back *b)
{
    const linear_scan_args *a = b->args;
    fa_tensor *g = scanned_back(a->a, b->gy[0], a->dim);
    fa__set_input_grad(b, &a->b, g);
    if (fa__wants(b, &a->a))
        fa__set_input_grad(b, &a->a, fa_mul(g, fa__shifted(b->y[0], a->dim, 1, 0)));
}

/** The linear recurrence y[i] = a[i] * y[i - 1] + b[i] along a dimension, with y[-1] = 0: used by the gradient of
 *  products. */
OP(linear_scan, linear_scan_args, (y), .infer = linear_scan_infer, .grad = linear_scan_grad,
   .keep = KEEP(a, y for a), INTERNAL, TORCH(""),
   SAMPLES("(3,4) (3,4) 1; (3,4) (3,4) 0; u(2,70) (2,70) 1; () () 0; (0,3) (0,3) 1; (3,0) (3,0) 1; n(9) n(9) 0"))

/* The arguments of scans that keep the dtype. */
typedef struct {
    const fa_tensor *x;
    int64_t dim; /* the dimension of the scan; negative counts from the end */
} running_args;

static fa_tensor *product_of_others_compose(fa__call *c)
{
    const running_args *a = c->args;
    fa_tensor *back = fa__reversed(a->x, a->dim);
    fa_tensor *before = fa_cumprod(a->x, a->dim), *after = fa_cumprod(back, a->dim);
    before = fa__shifted(before, a->dim, 1, 1);
    after = fa__shifted(after, a->dim, 1, 1);
    return fa_mul(before, fa__reversed(after, a->dim));
}

/** For each element the product of all others along a dimension, without division: used by the gradient of products. */
OP(product_of_others, running_args, (y), .compose = product_of_others_compose, INTERNAL, TORCH(""),
   SAMPLES("(3,4) 1; (2,3,4) -2; t(5,3) 0; (0,3) 0"))

static bool running_infer(fa__call *c)
{
    const running_args *a = c->args;
    return fa__wrap_dim(c, a->x, a->dim) >= 0 && fa__infer_like(c, a->x, (fa_dtype)a->x->dtype);
}

/** The cumulative maximum along a dimension, without indices. */
OP(running_max, running_args, (y), .infer = running_infer, .no_grad = "cummax has one", INTERNAL, TORCH(""),
   SAMPLES("(3,4) 1; (3,4) 0; (2,70) 1; t(5,3) 0; () 0; (0,3) 1; (3,0) 1; n(9) 0"))

/** The cumulative minimum along a dimension, without indices. */
OP(running_min, running_args, (y), .infer = running_infer, .no_grad = "cummin has one", INTERNAL, TORCH(""),
   SAMPLES("(3,4) 1; (3,4) 0; (2,70) 1; t(5,3) 0; () 0; (0,3) 1; (3,0) 1; n(9) 0"))

fa_tensor *fa__numbers_along(const fa_tensor *x, int64_t dim)
{
    fa_shape along = {.rank = x->rank};
    for (int i = 0; i < x->rank; i++)
        along.dim[i] = 1;
    if (x->rank)
        along.dim[fa__wrap_dim(NULL, x, dim)] = -1;
    fa_tensor *number = fa_arange(0, x->rank ? (double)fa_size(x, dim) : 1, .device = fa_tensor_device(x));
    return fa_reshape(number, along);
}

/* The index of the current maximum (or minimum) at each position, the last one of equals. */
static fa_tensor *last_places(const fa_tensor *x, const fa_tensor *best, int64_t dim)
{
    fa_tensor *new = fa_logical_or(fa_eq(x, best), fa_isnan(x));
    fa_tensor *number = fa__numbers_along(x, dim);
    return fa__running_max(fa_where(new, number, 0), dim);
}

static bool best_so_far_infer(fa__call *c)
{
    if (!running_infer(c))
        return false;
    c->spec[1] = c->spec[0];
    c->spec[1].dtype = FA_I64;
    return true;
}

/* By the kernel, or else by other scans; the values are then gathered from x. */
static bool best_so_far(fa__call *c, bool largest)
{
    const running_args *a = c->args;
    if (c->plan.device->backend->has_kernel(c->op))
        return fa__run_kernel(c);
    FA_SCOPE;
    FA_USE(.no_grad = true, .autocast = FA_SAME);
    const fa_tensor *best = largest ? fa__running_max(a->x, a->dim) : fa__running_min(a->x, a->dim);
    const fa_tensor *places = last_places(a->x, best, a->dim);
    return fa__run_copy(c, c->out[0], fa_gather(a->x, a->dim, places)) && fa__run_copy(c, c->out[1], places);
}

static bool cummax_run(fa__call *c)
{
    return best_so_far(c, true);
}

static bool cummin_run(fa__call *c)
{
    return best_so_far(c, false);
}

static void best_so_far_grad(fa__back *b)
{
    const running_args *a = b->args;
    fa__set_input_grad(b, &a->x, fa_scatter_add(fa_zeros_like(a->x), a->dim, b->y[1], b->gy[0]));
}

/** The cumulative maximum along a dimension and its indices (i64); of equal elements, the last index. From the first
 *  NaN on, all values are NaN. The selected element gets the gradient. */
OP(cummax, running_args, (values, indices), .infer = best_so_far_infer, .run = cummax_run, .grad = best_so_far_grad,
   .keep = KEEP(indices), TORCH("cummax(x, dim)"),
   SAMPLES("d(3,4) 1; d(3,4) 0; d(2,3,4) -2; d(2,70) 1; t(5,3) 0; b(5) 0; () 0; (0,3) 1; (3,0) 1; n(9) 0"))

/** The cumulative minimum along a dimension and its indices (i64); of equal elements, the last index. From the first
 *  NaN on, all values are NaN. The selected element gets the gradient. */
OP(cummin, running_args, (values, indices), .infer = best_so_far_infer, .run = cummin_run, .grad = best_so_far_grad,
   .keep = KEEP(indices), TORCH("cummin(x, dim)"),
   SAMPLES("d(3,4) 1; d(3,4) 0; d(2,3,4) -2; d(2,70) 1; t(5,3) 0; b(5) 0; () 0; (0,3) 1; (3,0) 1; n(9) 0"))

static bool logcumsumexp_infer(fa__call *c)
{
    const running_args *a = c->args;
    if (!fa__dtype_is_float(a->x->dtype))
        return fa__call_fail(c, FA_ERROR_DTYPE, "x is %s, which is not floating: fa_to converts",
                             fa_dtype_name((fa_dtype)a->x->dtype));
    return running_infer(c);
}

/* dy[i] / dx[j] = exp(x[j] - y[i]), computed by a linear scan with the factors exp(y[i] - y[i + 1]), which are at most
 * 1. */
static void logcumsumexp_grad(fa__back *b)
{
    const running_args *a = b->args;
    fa_tensor *y = b->y[0], *before = fa__shifted(y, a->dim, 1, -INFINITY);
    fa_tensor *step = fa_pointwise("y == -inf ? 0 : exp(x - y)", before, y);
    fa_tensor *own = fa_pointwise("y == -inf ? 0 : exp(x - y)", a->x, y);
    fa__set_input_grad(b, &a->x, fa_mul(own, scanned_back(step, b->gy[0], a->dim)));
}

/** The cumulative logsumexp along a dimension: y[i] = log(exp(x[0]) + ... + exp(x[i])), computed with the running
 *  maximum subtracted. As long as all elements are -infinity, the result is -infinity and the gradient 0. */
OP(logcumsumexp, running_args, (y), .infer = logcumsumexp_infer, .grad = logcumsumexp_grad, .keep = KEEP(x, y),
   TORCH("logcumsumexp(x, dim)"), SAMPLES("(3,4) 1; (3,4) 0; (2,3,4) -2; (2,70) 1; () 0; (0,3) 1; (3,0) 1; n(9) 0"))

#include "scan.rows"
