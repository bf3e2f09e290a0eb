/* Filling tensors with random numbers, in place. Element i depends only on the generator's state and on i, so every
 * device gives the same numbers. */
#include "dispatch/row.h"
#include <math.h>

/* The previous contents get no gradient. */
static void fill_grad(fa__back *b)
{
    fa__set_input_grad(b, b->args, fa_zeros_like(b->gy[0]));
}

/* Every argument struct starts with the tensor to fill. */
static const fa_tensor *filled(const fa__call *c)
{
    return *(const fa_tensor *const *)c->args;
}

static bool floating_infer(fa__call *c)
{
    const fa_tensor *x = filled(c);
    if (!fa__dtype_is_float(x->dtype))
        return fa__call_fail(c, FA_ERROR_DTYPE, "random numbers of this kind are floating");
    return fa__infer_like(c, x, (fa_dtype)x->dtype);
}

typedef struct {
    const fa_tensor *x; /* the tensor to fill; floating */
    double from OPT(0); /* lower bound */
    double to OPT(1);   /* exclusive upper bound */
    fa__key key;        /* identifies the random draw */
} uniform__args;

static bool uniform__infer(fa__call *c)
{
    const uniform__args *a = c->args;
    const fa_arg from = fa__arg_f(a->from), to = fa__arg_f(a->to), range = fa__arg_f(a->to - a->from);
    fa_dtype dtype = (fa_dtype)a->x->dtype;
    if (!(a->from <= a->to))
        return fa__call_fail(c, FA_ERROR_ARGUMENT, "from has to be at most as large as to");
    return floating_infer(c) && fa__check_holds(c, dtype, &from) && fa__check_holds(c, dtype, &to)
           && fa__check_holds(c, dtype, &range);
}

static bool uniform__run(fa__call *c)
{
    const uniform__args *a = c->args;
    fa_tensor *y = c->out[0];
    fa__bound bound[] = {{.name = "a", .value = fa__arg_f(a->from)},
                         {.name = "b", .value = fa__arg_f(a->to)},
                         {.name = "r", .value = fa__arg_f(a->to - a->from)},
                         {.name = "key", .key = &a->key}};
    static fa__source rounded[FA__DTYPES] = {
#define DTYPE(tag, name, ...) [FA_##tag] = {"v = " #name "(a + r * uniform(key)); v < b ? v : a", NULL, NULL},
#include "core/dtypes.def"
#undef DTYPE
    };
    if (fa__dtype_is_half(y->dtype))
        return fa__run_source(c, y, &rounded[y->dtype], 4, bound);
    return fa__run_expression(c, y, "v = a + r * uniform(key); v < b ? v : a", 4, bound);
}

/** Fills x with random numbers, uniformly distributed in [from, to). A number that rounds to `to` in x's dtype becomes
 *  `from`. */
OP(uniform_, uniform__args, (y), .infer = uniform__infer, .run = uniform__run, .grad = fill_grad, .inplace = INPLACE(x),
   TORCH(""), SAMPLES("(3,4); () from=-2 to=3; (0,2)"))

typedef struct {
    const fa_tensor *x; /* the tensor to fill; floating */
    double mean OPT(0); /* mean of the normal distribution */
    double std OPT(1);  /* its standard deviation, at least 0 */
    fa__key key;        /* identifies the random draw */
} normal__args;

static int bind_normal(const normal__args *a, fa__bound bound[3])
{
    bound[0] = (fa__bound){.name = "m", .value = fa__arg_f(a->mean)};
    bound[1] = (fa__bound){.name = "s", .value = fa__arg_f(a->std)};
    bound[2] = (fa__bound){.name = "key", .key = &a->key};
    return 3;
}

static bool normal__run(fa__call *c)
{
    fa__bound bound[3];
    return fa__run_expression(c, c->out[0], "m + s * normal(key)", bind_normal(c->args, bound), bound);
}

/** Fills x with random numbers from a normal distribution. */
OP(normal_, normal__args, (y), .infer = floating_infer, .run = normal__run, .grad = fill_grad, .inplace = INPLACE(x),
   .require = REQUIRE(std >= 0), TORCH(""), SAMPLES("(3,4); () mean=-2 std=3; (0,2); (5) std=0"))

typedef struct {
    const fa_tensor *x; /* the tensor to fill; floating */
    double mean OPT(1); /* mean of the logarithm */
    double std OPT(2);  /* standard deviation of the logarithm, at least 0 */
    fa__key key;        /* identifies the random draw */
} log_normal__args;

static bool log_normal__run(fa__call *c)
{
    const log_normal__args *a = c->args;
    const normal__args n = {.mean = a->mean, .std = a->std, .key = a->key};
    fa__bound bound[3];
    return fa__run_expression(c, c->out[0], "exp(m + s * normal(key))", bind_normal(&n, bound), bound);
}

/** Fills x with random numbers from a log-normal distribution: their logarithms are normally distributed. */
OP(log_normal_, log_normal__args, (y), .infer = floating_infer, .run = log_normal__run, .grad = fill_grad,
   .inplace = INPLACE(x), .require = REQUIRE(std >= 0), TORCH(""), SAMPLES("(3,4); () mean=-2 std=0.5; (0,2)"))

typedef struct {
    const fa_tensor *x;  /* the tensor to fill; floating */
    double lambd OPT(1); /* the rate, 1 / mean; above 0 */
    fa__key key;         /* identifies the random draw */
} exponential__args;

/* A uniform number of 0 is replaced by half of the smallest positive one, which is the middle of the interval it stands
 * for. */
static bool exponential__run(fa__call *c)
{
    const exponential__args *a = c->args;
    fa__bound bound[] = {{.name = "rate", .value = fa__arg_f(a->lambd)}, {.name = "key", .key = &a->key}};
    if (c->out[0]->dtype == FA_F64)
        return fa__run_expression(c, c->out[0], "maximum(-log1p(-uniform(key)), 5.551115123125783e-17) / rate", 2,
                                  bound);
    return fa__run_expression(c, c->out[0], "maximum(-log1p(-uniform(key)), 2.9802322387695312e-08) / rate", 2, bound);
}

/** Fills x with random numbers from an exponential distribution: -log(u) / lambd with uniform u. They are never 0
 *  unless they underflow in x's dtype. */
OP(exponential_, exponential__args, (y), .infer = floating_infer, .run = exponential__run, .grad = fill_grad,
   .inplace = INPLACE(x), .require = REQUIRE(lambd > 0), TORCH(""), SAMPLES("(3,4); () lambd=0.5; (0,2)"))

typedef struct {
    const fa_tensor *x;   /* the tensor to fill; floating */
    double median OPT(0); /* the median */
    double sigma OPT(1);  /* half the distance between the quartiles; above 0 */
    fa__key key;          /* identifies the random draw */
} cauchy__args;

static bool cauchy__run(fa__call *c)
{
    const cauchy__args *a = c->args;
    fa__bound bound[] = {{.name = "m", .value = fa__arg_f(a->median)},
                         {.name = "s", .value = fa__arg_f(a->sigma)},
                         {.name = "key", .key = &a->key}};
    return fa__run_expression(c, c->out[0], "m + s * tan(3.141592653589793 * (uniform(key) - 0.5))", 3, bound);
}

/** Fills x with random numbers from a Cauchy distribution: median + sigma * tan(pi * (u - 0.5)) with uniform u. */
OP(cauchy_, cauchy__args, (y), .infer = floating_infer, .run = cauchy__run, .grad = fill_grad, .inplace = INPLACE(x),
   .require = REQUIRE(sigma > 0), TORCH(""), SAMPLES("(3,4); () median=-2 sigma=0.5; (0,2)"))

/* ---- any dtype ---- */

typedef struct {
    const fa_tensor *x; /* the tensor to fill */
    double p;           /* probability of success of each trial: above 0, at most 1 */
    fa__key key;        /* identifies the random draw */
} geometric__args;

static bool any_infer(fa__call *c)
{
    return fa__infer_like(c, filled(c), (fa_dtype)filled(c)->dtype);
}

static bool geometric__run(fa__call *c)
{
    const geometric__args *a = c->args;
    fa__bound bound[] = {{.name = "q", .value = fa__arg_f(log1p(-a->p))}, {.name = "key", .key = &a->key}};
    return fa__run_expression(c, c->out[0], "maximum(ceil(log1p(-uniform(key)) / q), 1)", 2, bound);
}

/** Fills x with random numbers from a geometric distribution: the number of trials up to the first success, 1 or more,
 *  computed as log(u) / log(1 - p) rounded up, with uniform u. */
OP(geometric_, geometric__args, (y), .infer = any_infer, .run = geometric__run, .grad = fill_grad,
   .inplace = INPLACE(x), .require = REQUIRE(p > 0 && p <= 1), TORCH(""),
   SAMPLES("(3,4) 0.5; () 1; (0,2) 0.25; i(7) 0.125"))

typedef struct {
    const fa_tensor *x; /* the tensor to fill */
    fa_arg p;           /* probability of 1: a number from 0 to 1, or a tensor that broadcasts to x */
    fa__key key;        /* identifies the random draw */
} bernoulli__args;

static bool broadcasts_to(const fa_tensor *t, const fa_tensor *x)
{
    int more = x->rank - t->rank;
    bool fits = more >= 0;
    for (int i = 0; fits && i < t->rank; i++)
        fits = t->shape[i] == 1 || t->shape[i] == x->shape[more + i];
    return fits;
}

static bool bernoulli__infer(fa__call *c)
{
    const bernoulli__args *a = c->args;
    bool tensor = a->p.kind == FA__ARG_TENSOR;
    double p = a->p.kind == FA__ARG_FLOAT ? fa__double_in(a->p) : tensor ? 0 : (double)fa__int_in(a->p);
    if (!(p >= 0 && p <= 1))
        return fa__call_fail(c, FA_ERROR_ARGUMENT, "p has to be 0 to 1");
    if (tensor && !fa__dtype_is_float(fa__tensor_in(a->p)->dtype))
        return fa__call_fail(c, FA_ERROR_DTYPE, "probabilities are floating");
    if (tensor && !broadcasts_to(fa__tensor_in(a->p), a->x))
        return fa__call_fail(c, FA_ERROR_SHAPE, "p does not broadcast to x");
    return any_infer(c);
}

static bool bernoulli__run(fa__call *c)
{
    const bernoulli__args *a = c->args;
    fa__bound bound[] = {{.name = "p", .value = a->p}, {.name = "key", .key = &a->key}};
    return fa__run_expression(c, c->out[0], "uniform(key) < p", 2, bound);
}

/** Fills x with 1 with probability p, and with 0 otherwise. In a tensor p, NaN counts as 0, and elements above 1 as
 *  1. */
OP(bernoulli_, bernoulli__args, (y), .infer = bernoulli__infer, .run = bernoulli__run, .grad = fill_grad,
   .inplace = INPLACE(x), TORCH(""), SAMPLES("(3,4) 0.5; (3,4) u(4); () u(); (0,2) 1; i(7) 0; b(3,4) u(3,1)"))

#include "fillers.rows"
