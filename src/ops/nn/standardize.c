/* Standardization, the building block of normalization.c: (x - mean) / deviation over some dimensions. Two passes over
 * x compute the statistics, in f32 or f64 with the fixed summation order of reductions, and one the result; a gradient
 * takes three. These are internal operations that only the normalization functions call. */
#include "dispatch/call.h"
#include "dispatch/views.h"
#include "ops/reduce/reduce.h"

/* ---- the operation ---- */

typedef struct {
    const fa_tensor *x; /* floating */
    fa_arg weight;      /* a number, or a tensor that broadcasts to x; x's dtype, or f32 for f16 and bf16 */
    fa_arg bias;        /* likewise */
    int64_t set;        /* the dimensions of the statistics, as a bit mask */
    double eps;         /* added to the variance */
} standardize_args;

static fa_dtype wide_dtype(const fa_tensor *x)
{
    return x->dtype == FA_F64 ? FA_F64 : FA_F32;
}

/* Dimensions given as a nonempty bit mask, as a reduction's argument. */
static fa_dims dims_of(int64_t set)
{
    return FA__DIMS(__builtin_popcountll((uint64_t)set)) | set << 8;
}

static bool check_factor(const fa__call *c, const fa_tensor *x, const fa_arg *factor, const char *name)
{
    const fa_tensor *t = factor->kind == FA__ARG_TENSOR ? fa__tensor_in(*factor) : NULL;
    if (!t)
        return true;
    if (t->dtype != x->dtype && t->dtype != wide_dtype(x))
        return fa__call_fail(c, FA_ERROR_DTYPE, "%s is %s: it has to be %s%s", name, fa_dtype_name((fa_dtype)t->dtype),
                             fa_dtype_name((fa_dtype)x->dtype), fa__dtype_is_half(x->dtype) ? ", or f32" : "");
    bool fits = t->rank == x->rank;
    for (int i = 0; fits && i < x->rank; i++)
        fits = t->shape[i] == 1 || t->shape[i] == x->shape[i];
    return fits || fa__call_fail(c, FA_ERROR_SHAPE, "%s does not broadcast to x", name);
}

static bool check_x(const fa__call *c, const fa_tensor *x)
{
    return fa__dtype_is_float(x->dtype)
           || fa__call_fail(c, FA_ERROR_DTYPE, "x is %s, which is not floating: fa_to converts",
                            fa_dtype_name((fa_dtype)x->dtype));
}

static bool standardize_infer(fa__call *c)
{
    const standardize_args *a = c->args;
    if (!check_x(c, a->x) || !check_factor(c, a->x, &a->weight, "weight") || !check_factor(c, a->x, &a->bias, "bias"))
        return false;
    if (!fa__infer_reduced(c, a->x, dims_of(a->set), true, wide_dtype(a->x)))
        return false;
    c->spec[1] = c->spec[2] = c->spec[0];
    return fa__infer_like(c, a->x, (fa_dtype)a->x->dtype);
}

/* Whether a factor differs between some elements of the dimensions from..to. */
static bool varies(const fa_arg *factor, int from, int to)
{
    const fa_tensor *t = factor->kind == FA__ARG_TENSOR ? fa__tensor_in(*factor) : NULL;
    for (int i = from; t && i < to; i++)
        if (t->shape[i] != 1)
            return true;
    return false;
}

/* Whether the device has a kernel, and each mean is over whole runs of memory: the last dimensions, and perhaps the
 * first. There have to be enough means for all threads. */
static bool kernel_does(const fa__call *c, const fa_tensor *x, int64_t set, const fa_arg *weight, const fa_arg *bias)
{
    enum { SHORT = 16, LONG = 1 << 16 };
    int first = 0, last = x->rank;
    if (!c->plan.device->backend->has_kernel(c->op) || fa__dtype_is_half(x->dtype) || !fa_is_contiguous(x))
        return false;
    while (first < x->rank && set >> first & 1)
        first++;
    while (last > first && set >> (last - 1) & 1)
        last--;
    int64_t rows = 1, run = 1;
    for (int i = first; i < x->rank; i++)
        *(i < last ? &rows : &run) *= x->shape[i];
    for (int i = first; i < last; i++)
        if (set >> i & 1)
            return false;
    if (first == x->rank || (first > 0 && run < SHORT) || varies(weight, 0, first) || varies(bias, 0, first))
        return false;
    bool within = varies(weight, last, x->rank) || varies(bias, last, x->rank);
    return (!within || (first == 0 && run <= LONG)) && (2 * rows >= fa_num_threads() || rows * run < LONG);
}

static bool standardize_run(fa__call *c)
{
    const standardize_args *a = c->args;
    if (kernel_does(c, a->x, a->set, &a->weight, &a->bias))
        return fa__run_kernel(c);
    fa_tensor *y = c->out[0], *mean = c->out[1], *variance = c->out[2], *scale = fa__between(c, variance);
    fa__squares t = {.mean = mean, .square = variance};
    if (!scale || !fa__run_squares(c, &t, a->x, dims_of(a->set)))
        return false;
    const fa__bound x = {.name = "x", .value = fa__arg_t(a->x)}, m = {.name = "m", .value = fa__arg_t(mean)},
                    v = {.name = "v", .value = fa__arg_t(variance)}, e = {.name = "e", .value = fa__arg_f(a->eps)},
                    s = {.name = "s", .value = fa__arg_t(t.deviation)}, n = {.name = "n", .value = fa__arg_f(t.n)};
    return fa__run_expression(c, variance, FA__SQUARES " / n", 3, (fa__bound[]){FA__SQUARES_BOUND(t)})
           && fa__run_expression(c, mean, "s == s ? m + s / n : m", 3, (fa__bound[]){m, s, n})
           && fa__run_expression(c, scale, "1 / sqrt(v + e)", 2, (fa__bound[]){v, e})
           && fa__run_expression(c, y, "(x - m) * r * w + b", 5,
                                 (fa__bound[]){x,
                                               m,
                                               {.name = "r", .value = fa__arg_t(scale)},
                                               {.name = "w", .value = a->weight},
                                               {.name = "b", .value = a->bias}});
}

/* The dimensions in which a factor broadcasts to x, as a bit mask. */
static int64_t spread_over(const fa_tensor *factor, const fa_tensor *x)
{
    int64_t set = 0;
    for (int i = 0; i < x->rank; i++)
        set |= factor->shape[i] == 1 && x->shape[i] != 1 ? 1 << i : 0;
    return set;
}

/* Whether a factor is constant over the elements of each mean. */
static bool is_even(const fa_tensor *factor, int64_t set)
{
    for (int i = 0; factor && i < factor->rank; i++)
        if (set >> i & 1 && factor->shape[i] != 1)
            return false;
    return true;
}

static const fa_tensor *tensor_of(const fa_arg *a)
{
    return a->kind == FA__ARG_TENSOR ? fa__tensor_in(*a) : NULL;
}

/* The intermediate results of the gradients: 1 / deviation, and sums over each mean's elements of h and of h times the
 * normalized x. h is gy, multiplied by weight unless weight is constant over each mean. */
typedef struct sums {
    fa_tensor *mean, *scale, *h, *sum, *product;
    bool even;
} sums;

static sums sums_of(const fa__back *b)
{
    const standardize_args *a = b->args;
    const fa_tensor *weight = tensor_of(&a->weight);
    sums s = {.mean = b->y[1], .even = is_even(weight, a->set)};
    s.scale = fa_pointwise("1 / sqrt(x + y)", b->y[2], a->eps);
    if (b->gy[0]) {
        s.h = s.even ? b->gy[0] : fa_mul(b->gy[0], weight);
        s.sum = fa_sum(s.h, .dim = dims_of(a->set), .keepdim = true, .dtype = wide_dtype(a->x));
        s.product = fa__standard_sum(s.h, a->x, s.mean, s.scale, a->set);
    }
    return s;
}

static void give_factors(fa__back *b, const sums *s)
{
    const standardize_args *a = b->args;
    const fa_tensor *weight = tensor_of(&a->weight), *bias = tensor_of(&a->bias);
    if (weight && fa__wants(b, &a->weight)) {
        fa_tensor *g = s->even ? fa__summed_to(s->product, weight)
                               : fa__standard_sum(b->gy[0], a->x, s->mean, s->scale, spread_over(weight, a->x));
        fa__set_input_grad(b, &a->weight, fa_to(g, (fa_dtype)weight->dtype));
    }
    if (bias && fa__wants(b, &a->bias)) {
        bool summed = s->even && is_even(bias, a->set);
        fa__set_input_grad(b, &a->bias, fa_to(fa__summed_to(summed ? s->sum : b->gy[0], bias), (fa_dtype)bias->dtype));
    }
}

/* The gradient of x: factor * h + shift + slope * (x - mean), with coefficients for each mean. Mean and variance have
 * gradients of their own when backward is differentiated. */
static fa_tensor *gradient_of_x(const fa__back *b, const sums *s)
{
    const standardize_args *a = b->args;
    double n = (double)fa__reduced_count(a->x, (unsigned)a->set);
    const fa_tensor *g = b->gy[0], *of_mean = b->gy[1], *of_variance = b->gy[2];
    fa_tensor *shift = of_mean ? fa_div(of_mean, n) : NULL;
    fa_tensor *slope = of_variance ? fa_mul(of_variance, 2 / n) : NULL;
    if (!g) {
        fa_tensor *x = slope ? fa_pointwise("x * (y - z)", slope, a->x, s->mean) : NULL;
        return fa__expanded(x && shift ? fa_add(x, shift) : x ? x : shift, a->x);
    }
    fa_tensor *factor = s->even ? fa_mul(s->scale, a->weight) : s->scale;
    fa_tensor *down = fa_pointwise("-x * y / z", factor, s->sum, n);
    fa_tensor *turn = fa_pointwise("-x * y * z / w", factor, s->scale, s->product, n);
    shift = shift ? fa_add(shift, down) : down;
    slope = slope ? fa_add(slope, turn) : turn;
    return fa_pointwise("x * y + z + w * (a - b)", factor, s->h, shift, slope, a->x, s->mean);
}

/* Where the gradient is not differentiated itself: h, the sums and the gradient of x in one operation. */
static fa_tensor *gradients_at_once(const fa__back *b, sums *s)
{
    const standardize_args *a = b->args;
    fa__standardize_back_result r = fa__standardize_back(b->gy[0], a->x, b->y[1], b->y[2], a->weight, a->set, a->eps);
    *s = (sums){.mean = b->y[1], .scale = r.scale, .sum = r.sum, .product = r.product};
    s->even = is_even(tensor_of(&a->weight), a->set);
    return r.gx;
}

/* Whether weight and bias differ within each mean, and the gradients of both are wanted. */
static bool wants_wide_factors(const fa__back *b)
{
    const standardize_args *a = b->args;
    const fa_tensor *weight = tensor_of(&a->weight), *bias = tensor_of(&a->bias);
    return weight && bias && fa__wants(b, &a->weight) && fa__wants(b, &a->bias) && !is_even(weight, a->set)
           && fa__same_shape(weight, bias);
}

/* Then these and that of x in one operation. */
static void give_wide_gradients(fa__back *b)
{
    const standardize_args *a = b->args;
    const fa_tensor *weight = tensor_of(&a->weight), *bias = tensor_of(&a->bias);
    fa__standardize_gradients_result r =
        fa__standardize_gradients(b->gy[0], a->x, b->y[1], b->y[2], weight, a->set, a->eps);
    fa__set_input_grad(b, &a->weight, fa_to(r.product, (fa_dtype)weight->dtype));
    fa__set_input_grad(b, &a->bias, fa_to(r.sum, (fa_dtype)bias->dtype));
    fa__set_input_grad(b, &a->x, r.gx);
}

static void standardize_grad(fa__back *b)
{
    const standardize_args *a = b->args;
    bool at_once = !fa__recording() && fa__wants(b, &a->x) && b->gy[0] && !b->gy[1] && !b->gy[2];
    if (at_once && wants_wide_factors(b)) {
        give_wide_gradients(b);
        return;
    }
    sums s;
    fa_tensor *gx = at_once ? gradients_at_once(b, &s) : NULL;
    if (!at_once)
        s = sums_of(b);
    if (b->gy[0])
        give_factors(b, &s);
    if (fa__wants(b, &a->x))
        fa__set_input_grad(b, &a->x, at_once ? gx : fa_to(gradient_of_x(b, &s), (fa_dtype)a->x->dtype));
}

/** (x - mean) / sqrt(variance + eps) * weight + bias, with mean and biased variance (division by n) over some
 *  dimensions. All three are returned; mean and variance keep these dimensions with size 1. */
OP(standardize, standardize_args, (y, mean, variance), .infer = standardize_infer, .run = standardize_run,
   .grad = standardize_grad, .keep = KEEP(x, weight, mean, variance), .null_gy = true, INTERNAL, TORCH(""),
   SAMPLES(
       "(4,3,5) (1,3,1) (1,3,1) 5 0.01; (3,7) (1,7) (1,7) 2 0.01; (2,3,4) 1 0 6 0.01; (2,2,3,4) (1,2,3,1) (1,2,3,1) 12 "
       "0.01; (3,5) (3,1) 0.5 2 0.01; (2,3,5) (1,3,1) (1,3,1) 4 0.01; n(3,9) 1 0 2 0.01; (0,3) (1,3) (1,3) 2 0.01"))

typedef struct {
    const fa_tensor *g;        /* x's shape and dtype */
    const fa_tensor *x;        /* floating */
    const fa_tensor *mean;     /* x's shape, but 1 in the dimensions of the statistics */
    const fa_tensor *variance; /* mean's shape */
    fa_arg weight;             /* as that of standardize */
    int64_t set;               /* the dimensions of the statistics, as a bit mask */
    double eps;                /* added to the variance */
} standardize_back_args;

static bool check_back(const fa__call *c, const standardize_back_args *a)
{
    const fa_arg mean = fa__arg_t(a->mean), variance = fa__arg_t(a->variance);
    if (!fa__same_shape(a->g, a->x) || a->g->dtype != a->x->dtype)
        return fa__call_fail(c, FA_ERROR_SHAPE, "g and x are of different shapes or dtypes");
    return check_x(c, a->x) && check_factor(c, a->x, &mean, "mean") && check_factor(c, a->x, &variance, "variance")
           && check_factor(c, a->x, &a->weight, "weight");
}

static bool standardize_back_infer(fa__call *c)
{
    const standardize_back_args *a = c->args;
    if (!check_back(c, a) || !fa__infer_reduced(c, a->x, dims_of(a->set), true, wide_dtype(a->x)))
        return false;
    c->spec[1] = c->spec[2] = c->spec[3] = c->spec[0];
    return fa__infer_like(c, a->x, (fa_dtype)a->x->dtype);
}

/* The results of standardize_back, by expressions. */
static bool run_back(fa__call *c, const standardize_back_args *a, fa_tensor *gx, fa_tensor *scale, fa_tensor *sum,
                     fa_tensor *product)
{
    static const char *const names[] = {"s", "p"};
    bool even = is_even(tensor_of(&a->weight), a->set);
    const fa_arg one = fa__arg_f(1);
    const fa__bound g = {.name = "g", .value = fa__arg_t(a->g)}, x = {.name = "x", .value = fa__arg_t(a->x)},
                    m = {.name = "m", .value = fa__arg_t(a->mean)}, v = {.name = "v", .value = fa__arg_t(a->variance)},
                    r = {.name = "r", .value = fa__arg_t(scale)}, e = {.name = "e", .value = fa__arg_f(a->eps)},
                    w = {.name = "w", .value = even ? one : a->weight},
                    f = {.name = "f", .value = even ? a->weight : one}, s = {.name = "s", .value = fa__arg_t(sum)},
                    p = {.name = "p", .value = fa__arg_t(product)},
                    n = {.name = "n", .value = fa__arg_f((double)fa__reduced_count(a->x, (unsigned)a->set))};
    return fa__run_expression(c, scale, "1 / sqrt(v + e)", 2, (fa__bound[]){v, e})
           && fa__run_reduce_to(c, 2, ((fa_tensor *[]){sum, product}), names, "s = g * w; p = s * ((x - m) * r)",
                                (unsigned)a->set, 5, ((fa__bound[]){g, w, x, m, r}))
           && fa__run_expression(c, gx, "r * f * (g * w) + -(r * f) * s / n + -(r * f) * r * p / n * (x - m)", 9,
                                 (fa__bound[]){r, f, g, w, s, p, n, x, m});
}

/* Whether the device has a kernel of the operation that does this. */
static bool kernel_goes_back(const fa__call *c, const standardize_back_args *a)
{
    const fa_arg none = fa__arg_f(0);
    return fa_is_contiguous(a->g) && fa_is_contiguous(a->mean) && fa_is_contiguous(a->variance)
           && kernel_does(c, a->x, a->set, &a->weight, &none);
}

static bool standardize_back_run(fa__call *c)
{
    const standardize_back_args *a = c->args;
    return kernel_goes_back(c, a) ? fa__run_kernel(c) : run_back(c, a, c->out[0], c->out[1], c->out[2], c->out[3]);
}

/** The gradient of standardize's x, given that of y; 1 / deviation; and the sums over the elements of each mean of h
 *  and of h times the normalized x, where h is g, multiplied by the weight unless that is constant over each mean. */
OP(standardize_back, standardize_back_args, (gx, scale, sum, product), .infer = standardize_back_infer,
   .run = standardize_back_run, .no_grad = "backward that is recorded is made of other operations", INTERNAL, TORCH(""),
   SAMPLES("(4,3,5) (4,3,5) (1,3,1) p(1,3,1) (1,3,1) 5 0.01; (3,7) (3,7) (3,1) p(3,1) (1,7) 2 0.01; (2,3,4) (2,3,4) "
           "(2,1,1) p(2,1,1) 1 6 0.01; (2,2,3,4) (2,2,3,4) (2,2,1,1) p(2,2,1,1) (1,2,3,1) 12 0.01"))

/* The same, and the gradients of weight and bias. */
typedef struct {
    const fa_tensor *g;        /* x's shape and dtype */
    const fa_tensor *x;        /* floating */
    const fa_tensor *mean;     /* x's shape, but 1 in the dimensions of the statistics */
    const fa_tensor *variance; /* mean's shape */
    const fa_tensor *weight;   /* as that of standardize */
    int64_t set;               /* the dimensions of the statistics, as a bit mask */
    double eps;                /* added to the variance */
} standardize_gradients_args;

static standardize_back_args back_of(const standardize_gradients_args *a)
{
    return (standardize_back_args){a->g, a->x, a->mean, a->variance, fa__arg_t(a->weight), a->set, a->eps};
}

static bool standardize_gradients_infer(fa__call *c)
{
    const standardize_gradients_args *a = c->args;
    const standardize_back_args back = back_of(a);
    if (!check_back(c, &back) || !fa__infer_shape(c, wide_dtype(a->x), a->weight->rank, a->weight->shape))
        return false;
    c->spec[1] = c->spec[2] = c->spec[0];
    return fa__infer_like(c, a->x, (fa_dtype)a->x->dtype);
}

/* Whether the weight has a number of its own for each element of a mean, the same for all means. */
static bool is_of_columns(const standardize_gradients_args *a)
{
    for (int i = 0; i < a->x->rank; i++)
        if (a->weight->shape[i] != (a->set >> i & 1 ? a->x->shape[i] : 1))
            return false;
    return a->weight->dtype == a->x->dtype && fa_is_contiguous(a->weight) && fa__numel(a->x);
}

static bool standardize_gradients_run(fa__call *c)
{
    static const char *const names[] = {"p", "s"};
    const standardize_gradients_args *a = c->args;
    const standardize_back_args back = back_of(a);
    if (!(a->set & 1) && is_of_columns(a) && kernel_goes_back(c, &back))
        return fa__run_kernel(c);
    fa_tensor *scale = fa__between(c, a->variance), *sum = fa__between(c, a->variance);
    fa_tensor *product = fa__between(c, a->variance);
    if (!scale || !sum || !product || !run_back(c, &back, c->out[0], scale, sum, product))
        return false;
    return fa__run_reduce_to(c, 2, c->out + 1, names, "p = g * ((x - m) * r); s = g",
                             (unsigned)spread_over(a->weight, a->x), 4,
                             ((fa__bound[]){{.name = "g", .value = fa__arg_t(a->g)},
                                            {.name = "x", .value = fa__arg_t(a->x)},
                                            {.name = "m", .value = fa__arg_t(a->mean)},
                                            {.name = "r", .value = fa__arg_t(scale)}}));
}

/** The gradients of standardize's x, weight and bias, given that of y: the last two have weight's shape, in f32 or f64.
 */
OP(standardize_gradients, standardize_gradients_args, (gx, product, sum), .infer = standardize_gradients_infer,
   .run = standardize_gradients_run, .no_grad = "backward that is recorded is made of other operations", INTERNAL,
   TORCH(""),
   SAMPLES("(3,7) (3,7) (3,1) p(3,1) (1,7) 2 0.01; (4,3,5) (4,3,5) (4,1,1) p(4,1,1) (1,3,5) 6 0.01; (4,3,5) (4,3,5) "
           "(4,3,1) p(4,3,1) (1,1,5) 4 0.01; (4,3,5) (4,3,5) (1,3,1) p(1,3,1) (1,3,5) 5 0.01; (2,2,3,4) (2,2,3,4) "
           "(2,2,1,1) p(2,2,1,1) (1,2,3,1) 12 0.01; (0,3) (0,3) (0,1) p(0,1) (1,3) 2 0.01"))

typedef struct {
    const fa_tensor *g;     /* floating */
    const fa_tensor *x;     /* g's shape */
    const fa_tensor *mean;  /* broadcasts to g */
    const fa_tensor *scale; /* broadcasts to g */
    int64_t set;            /* the dimensions to sum over, as a bit mask */
} standard_sum_args;

static bool standard_sum_infer(fa__call *c)
{
    const standard_sum_args *a = c->args;
    const fa_arg mean = fa__arg_t(a->mean), scale = fa__arg_t(a->scale);
    int64_t shape[FA_MAX_DIMS];
    if (!fa__same_shape(a->g, a->x))
        return fa__call_fail(c, FA_ERROR_SHAPE, "g and x are of different shapes");
    if (!check_x(c, a->x) || !check_factor(c, a->x, &mean, "mean") || !check_factor(c, a->x, &scale, "scale"))
        return false;
    for (int i = 0; i < a->x->rank; i++)
        shape[i] = a->set >> i & 1 ? 1 : a->x->shape[i];
    return fa__infer_shape(c, wide_dtype(a->x), a->x->rank, shape);
}

static bool standard_sum_run(fa__call *c)
{
    const standard_sum_args *a = c->args;
    return fa__run_reduce(c, c->out[0], FA__COMBINE_SUM, "g * ((x - m) * r)", (unsigned)a->set, 4,
                          (fa__bound[]){{.name = "g", .value = fa__arg_t(a->g)},
                                        {.name = "x", .value = fa__arg_t(a->x)},
                                        {.name = "m", .value = fa__arg_t(a->mean)},
                                        {.name = "r", .value = fa__arg_t(a->scale)}});
}

static void standard_sum_grad(fa__back *b)
{
    const standard_sum_args *a = b->args;
    const fa_tensor *s = b->gy[0];
    if (fa__wants(b, &a->g))
        fa__set_input_grad(b, &a->g,
                           fa_to(fa_pointwise("x * (y - z) * w", s, a->x, a->mean, a->scale), (fa_dtype)a->g->dtype));
    if (fa__wants(b, &a->scale))
        fa__set_input_grad(b, &a->scale,
                           fa_to(fa__summed_to(fa_pointwise("x * y * (z - w)", s, a->g, a->x, a->mean), a->scale),
                                 (fa_dtype)a->scale->dtype));
    if (!fa__wants(b, &a->x) && !fa__wants(b, &a->mean))
        return;
    fa_tensor *each = fa_pointwise("x * y * z", s, a->g, a->scale);
    fa__set_input_grad(b, &a->x, fa_to(each, (fa_dtype)a->x->dtype));
    fa__set_input_grad(b, &a->mean, fa_to(fa__summed_to(fa_neg(each), a->mean), (fa_dtype)a->mean->dtype));
}

/** The sum of g * (x - mean) * scale over some dimensions, which are kept with size 1: in f32, or f64 for f64. */
OP(standard_sum, standard_sum_args, (y), .infer = standard_sum_infer, .run = standard_sum_run,
   .grad = standard_sum_grad, .keep = KEEP(g, x, mean, scale), INTERNAL, TORCH(""),
   SAMPLES("(4,3,5) (4,3,5) (1,3,1) (1,3,1) 5; (3,7) (3,7) (3,1) (3,1) 1; (3,7) (3,7) (3,1) (3,1) 0; (0,3) (0,3) (0,1) "
           "(0,1) 1"))

#include "standardize.rows"
