/* Filling tensors with random numbers: element i is a function of the generator's state and of i alone, on every
 * device. */
#include "dispatch/row.h"
#include <math.h>

/* What was there does not matter any more. */
static void fill_grad(fa__back *b)
{
    fa__set_input_grad(b, b->args, fa_zeros_like(b->gy[0]));
}

/* All structs of arguments begin with the tensor. */
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
    const fa_tensor *x; /* is filled; floating */
    double from OPT(0); /* the smallest number */
    double to OPT(1);   /* numbers are below it */
    fa__key key;        /* names the draw */
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

/** Fills x with numbers that are as likely anywhere from `from` up to below `to`; what the dtype rounds to `to` becomes
 * `from`. */
OP(uniform_, uniform__args, (y), .infer = uniform__infer, .run = uniform__run, .grad = fill_grad, .inplace = INPLACE(x),
   TORCH(""), SAMPLES("(3,4); () from=-2 to=3; (0,2)"))

typedef struct {
    const fa_tensor *x; /* is filled; floating */
    double mean OPT(0); /* of the numbers, */
    double std OPT(1);  /* and their deviation, at least 0; of log_normal_ those of their logarithms */
    fa__key key;        /* names the draw */
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

/** Fills x with normal numbers. */
OP(normal_, normal__args, (y), .infer = floating_infer, .run = normal__run, .grad = fill_grad, .inplace = INPLACE(x),
   .require = REQUIRE(std >= 0), TORCH(""), SAMPLES("(3,4); () mean=-2 std=3; (0,2); (5) std=0"))

typedef struct {
    const fa_tensor *x; /* is filled; floating */
    double mean OPT(1); /* of the numbers' logarithms, */
    double std OPT(2);  /* and their deviation, at least 0 */
    fa__key key;        /* names the draw */
} log_normal__args;

static bool log_normal__run(fa__call *c)
{
    const log_normal__args *a = c->args;
    const normal__args n = {.mean = a->mean, .std = a->std, .key = a->key};
    fa__bound bound[3];
    return fa__run_expression(c, c->out[0], "exp(m + s * normal(key))", bind_normal(&n, bound), bound);
}

/** Fills x with numbers whose logarithms are normal. */
OP(log_normal_, log_normal__args, (y), .infer = floating_infer, .run = log_normal__run, .grad = fill_grad,
   .inplace = INPLACE(x), .require = REQUIRE(std >= 0), TORCH(""), SAMPLES("(3,4); () mean=-2 std=0.5; (0,2)"))

typedef struct {
    const fa_tensor *x;  /* is filled; floating */
    double lambd OPT(1); /* the rate: one over the mean; above 0 */
    fa__key key;         /* names the draw */
} exponential__args;

/* A uniform of 0 stands for the numbers up to its neighbour: for half a unit in the mean. */
static bool exponential__run(fa__call *c)
{
    const exponential__args *a = c->args;
    fa__bound bound[] = {{.name = "rate", .value = fa__arg_f(a->lambd)}, {.name = "key", .key = &a->key}};
    if (c->out[0]->dtype == FA_F64)
        return fa__run_expression(c, c->out[0], "maximum(-log1p(-uniform(key)), 5.551115123125783e-17) / rate", 2,
                                  bound);
    return fa__run_expression(c, c->out[0], "maximum(-log1p(-uniform(key)), 2.9802322387695312e-08) / rate", 2, bound);
}

/** Fills x with exponential numbers: -log(u) / lambd for a uniform u. Never 0, where the dtype has so small ones. */
OP(exponential_, exponential__args, (y), .infer = floating_infer, .run = exponential__run, .grad = fill_grad,
   .inplace = INPLACE(x), .require = REQUIRE(lambd > 0), TORCH(""), SAMPLES("(3,4); () lambd=0.5; (0,2)"))

typedef struct {
    const fa_tensor *x;   /* is filled; floating */
    double median OPT(0); /* of the numbers */
    double sigma OPT(1);  /* half of them are nearer to it than this; above 0 */
    fa__key key;          /* names the draw */
} cauchy__args;

static bool cauchy__run(fa__call *c)
{
    const cauchy__args *a = c->args;
    fa__bound bound[] = {{.name = "m", .value = fa__arg_f(a->median)},
                         {.name = "s", .value = fa__arg_f(a->sigma)},
                         {.name = "key", .key = &a->key}};
    return fa__run_expression(c, c->out[0], "m + s * tan(3.141592653589793 * (uniform(key) - 0.5))", 3, bound);
}

/** Fills x with Cauchy numbers: median + sigma * tan(pi * (u - 0.5)) for a uniform u. */
OP(cauchy_, cauchy__args, (y), .infer = floating_infer, .run = cauchy__run, .grad = fill_grad, .inplace = INPLACE(x),
   .require = REQUIRE(sigma > 0), TORCH(""), SAMPLES("(3,4); () median=-2 sigma=0.5; (0,2)"))

/* ---- of any dtype ---- */

typedef struct {
    const fa_tensor *x; /* is filled */
    double p;           /* how likely a trial succeeds: above 0, at most 1 */
    fa__key key;        /* names the draw */
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

/** Fills x with the numbers of trials that it takes to succeed once, 1 at least: log(u) / log(1 - p) for a uniform u,
 *  rounded up. */
OP(geometric_, geometric__args, (y), .infer = any_infer, .run = geometric__run, .grad = fill_grad,
   .inplace = INPLACE(x), .require = REQUIRE(p > 0 && p <= 1), TORCH(""),
   SAMPLES("(3,4) 0.5; () 1; (0,2) 0.25; i(7) 0.125"))

typedef struct {
    const fa_tensor *x; /* is filled */
    fa_arg p;           /* how likely 1 is: a number from 0 to 1, or a tensor that broadcasts to x */
    fa__key key;        /* names the draw */
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
    double p = a->p.kind == FA__ARG_FLOAT ? a->p.as.f : tensor ? 0 : (double)a->p.as.i;
    if (!(p >= 0 && p <= 1))
        return fa__call_fail(c, FA_ERROR_ARGUMENT, "p has to be 0 to 1");
    if (tensor && !fa__dtype_is_float(a->p.as.t->dtype))
        return fa__call_fail(c, FA_ERROR_DTYPE, "probabilities are floating");
    if (tensor && !broadcasts_to(a->p.as.t, a->x))
        return fa__call_fail(c, FA_ERROR_SHAPE, "p does not broadcast to x");
    return any_infer(c);
}

static bool bernoulli__run(fa__call *c)
{
    const bernoulli__args *a = c->args;
    fa__bound bound[] = {{.name = "p", .value = a->p}, {.name = "key", .key = &a->key}};
    return fa__run_expression(c, c->out[0], "uniform(key) < p", 2, bound);
}

/** Fills x with 1 where a uniform number is below p, and with 0 elsewhere. Of a tensor's elements NaN is as 0, and what
 * is above 1 as 1. */
OP(bernoulli_, bernoulli__args, (y), .infer = bernoulli__infer, .run = bernoulli__run, .grad = fill_grad,
   .inplace = INPLACE(x), TORCH(""), SAMPLES("(3,4) 0.5; (3,4) u(4); () u(); (0,2) 1; i(7) 0; b(3,4) u(3,1)"))

#include "fillers.rows"
