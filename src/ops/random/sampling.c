/* Sampling from distributions given by tensors. Element i depends only on the generator's state, on i and on the
 * operands' element i: the same numbers on every device. */
#include "dispatch/call.h"
#include "dispatch/row.h"

static bool floating_infer(fa__call *c)
{
    const fa_tensor *x = *(const fa_tensor *const *)c->args;
    if (!fa__dtype_is_float(x->dtype))
        return fa__call_fail(c, FA_ERROR_DTYPE, "it has to be floating");
    return fa__infer_like(c, x, (fa_dtype)x->dtype);
}

typedef struct {
    const fa_tensor *p; /* probability of 1: floating, from 0 to 1 */
    fa__key key;        /* identifies the random draw */
} bernoulli_args;

static bool bernoulli_run(fa__call *c)
{
    const bernoulli_args *a = c->args;
    fa__bound bound[] = {{.name = "p", .value = fa__arg_t(a->p)}, {.name = "key", .key = &a->key}};
    return fa__run_expression(c, c->out[0], "uniform(key) < p", 2, bound);
}

/** 1 with probability p, 0 otherwise, elementwise, in p's shape and dtype. NaN counts as 0, and elements above 1 as
 *  1. */
OP(bernoulli, bernoulli_args, (y), .infer = floating_infer, .run = bernoulli_run, .no_grad = "random numbers",
   TORCH(""), SAMPLES("u(3,4); u(); (0,2); u(40); n(9)"))

/** Random numbers from normal distributions: mean + std * z with z from the standard normal distribution. At least one
 *  of mean and std is a tensor; they broadcast. The sign of std has no effect on the distribution. Both get gradients,
 *  for which backward draws the same numbers again (in PyTorch they are 0). fa_normal_() fills a tensor from one
 *  distribution. */
POINTWISE(normal, (mean, std, key = draw), y = mean + std * normal(key), .inplace = INPLACE(none), TORCH(""),
          SAMPLES("(3,4) p(4); () p(3); (0,2) 1; (3,1) 0.5; 2 p(3)"))

typedef struct {
    const fa_tensor *rate; /* the means: floating, at least 0 */
    fa__key key;           /* identifies the random draw */
} poisson_args;

/** Random numbers from Poisson distributions with the given means, in rate's shape and dtype. Computed in f64, which
 *  the device has to support. A negative or NaN rate gives NaN, where PyTorch raises an error. Below a rate of 10 the
 *  distribution function is inverted; from 10 on the method is Hoermann's transformed rejection (PTRS, 1993). */
OP(poisson, poisson_args, (y), .infer = floating_infer, .no_grad = "random numbers", TORCH(""),
   SAMPLES("p(3,4); p(); (0,2); a(40); n(9)"))

/* ---- multinomial ---- */

typedef struct {
    const fa_tensor *weight; /* f64, at least 0 */
    fa__key key;             /* identifies the random draw */
} race_args;

static bool race_run(fa__call *c)
{
    const race_args *a = c->args;
    fa__bound bound[] = {{.name = "w", .value = fa__arg_t(a->weight)}, {.name = "key", .key = &a->key}};
    return fa__run_expression(c, c->out[0], "log(w) - log(maximum(-log1p(-uniform(key)), 5.551115123125783e-17))", 2,
                              bound);
}

/** Random numbers whose maximum is at position i with a probability proportional to weight i. */
OP(race, race_args, (y), .infer = floating_infer, .run = race_run, .no_grad = "random numbers", INTERNAL, TORCH(""),
   SAMPLES("p(3,4); p(); (0,2)"))

typedef struct {
    const fa_tensor *whole; /* floating; size 1 along the last dimension */
    int64_t count;          /* number of values for each */
    fa__key key;            /* identifies the random draw */
} uniform_parts_args;

static bool uniform_parts_infer(fa__call *c)
{
    const uniform_parts_args *a = c->args;
    return fa__infer_resized(c, a->whole, -1, a->count);
}

static bool uniform_parts_run(fa__call *c)
{
    const uniform_parts_args *a = c->args;
    fa__bound bound[] = {{.name = "w", .value = fa__arg_t(a->whole)}, {.name = "key", .key = &a->key}};
    return fa__run_expression(c, c->out[0], "w * uniform(key)", 2, bound);
}

/** Uniform random numbers between 0 and each element. */
OP(uniform_parts, uniform_parts_args, (y), .infer = uniform_parts_infer, .run = uniform_parts_run,
   .no_grad = "random numbers", INTERNAL, TORCH(""), SAMPLES("p(3,1) 5; p(1) 0; (0,1) 2"))

/* Calls an operation with a random key that is already drawn; its public function would draw another one. */
static fa_tensor *call(const fa__op *op, const void *args)
{
    fa__call c = {.op = op, .args = args};
    fa__invoke(&c);
    return c.out[0];
}

typedef struct {
    const fa_tensor *x;          /* weights, not necessarily normalized: (n) or (m, n), at least 0 */
    int64_t num_samples;         /* number of samples for each row */
    bool replacement OPT(false); /* true: a category may be drawn more than once */
    fa__key key;                 /* identifies the random draw */
} multinomial_args;

static bool check_form(const fa__call *c)
{
    const multinomial_args *a = c->args;
    int64_t n = a->x->rank ? a->x->shape[a->x->rank - 1] : 0;
    if (!fa__dtype_is_float(a->x->dtype))
        return fa__call_fail(c, FA_ERROR_DTYPE, "weights are floating");
    if (a->x->rank < 1 || a->x->rank > 2)
        return fa__call_fail(c, FA_ERROR_SHAPE, "weights have one dimension, or two");
    if (a->num_samples < 1)
        return fa__call_fail(c, FA_ERROR_ARGUMENT, "num_samples has to be 1 at least");
    if (n == 0 || (!a->replacement && a->num_samples > n))
        return fa__call_fail(c, FA_ERROR_ARGUMENT, "there are %lld places to draw from", (long long)n);
    return true;
}

/* Counts, over all rows, the smallest number of nonzero weights and the invalid ones, and reads both; false and an
 * error. */
static bool count_weights(const fa__call *c, const fa_tensor *x, int64_t *places, int64_t *wrong)
{
    fa_tensor *none = fa_logical_not(fa_logical_and(fa_ge(x, 0), fa_isfinite(x)));
    fa_tensor *lacking = fa_sum(fa_le(x, 0), .dim = -1), *two[2];
    int64_t found[2];
    if (!none || !lacking)
        return false;
    two[0] = fa_reshape(fa_amax(lacking), FA_SHAPE(1));
    two[1] = fa_reshape(fa_sum(none), FA_SHAPE(1));
    FA__WORK_FOR(fa__asked_for(c));
    if (!two[0] || !two[1] || !fa_read(fa_cat(FA_TENSORS(two[0], two[1])), found, FA_I64, 2))
        return false;
    *places = x->shape[x->rank - 1] - found[0];
    *wrong = found[1];
    return true;
}

static bool check_weights(const fa__call *c, const fa_tensor *x)
{
    const multinomial_args *a = c->args;
    int64_t places = 0, wrong = 0, needed = a->replacement ? 1 : a->num_samples;
    if (!fa__numel(x) || fa__tensor_device(x)->shapes_only)
        return true;
    if (!count_weights(c, x, &places, &wrong))
        return false;
    if (wrong)
        return fa__call_fail(c, FA_ERROR_ARGUMENT,
                             "%lld weights are negative, infinite or NaN: fa_softmax makes weights of logits",
                             (long long)wrong);
    return places >= needed
           || fa__call_fail(c, FA_ERROR_ARGUMENT, "a line has %lld weights above 0, and %lld places have to be drawn",
                            (long long)places, (long long)needed);
}

/* The first position at which the running sum of the weights exceeds a uniform part of the total. A category with
 * weight 0 has the running sum of its predecessor, so it is never the first. */
static fa_tensor *draw_again(const fa_tensor *x, int64_t count, fa__key key)
{
    fa_tensor *w = fa_div(x, fa_amax(x, .dim = -1, .keepdim = true));
    fa_tensor *sum = w ? fa__running_max(fa_where(fa_gt(w, 0), fa_cumsum(w, -1), 0), -1) : NULL;
    fa_tensor *whole = sum ? fa_narrow(sum, -1, x->shape[x->rank - 1] - 1, 1) : NULL;
    const uniform_parts_args args = {.whole = whole, .count = count, .key = key};
    return whole ? fa__sorted_places(sum, call(&fa__op_uniform_parts, &args), true, false) : NULL;
}

static fa_tensor *draw_once(const fa_tensor *x, int64_t count, fa__key key)
{
    const race_args args = {.weight = x, .key = key};
    return fa_topk(call(&fa__op_race, &args), count).indices;
}

static fa_tensor *multinomial_compose(fa__call *c)
{
    const multinomial_args *a = c->args;
    FA_USE(.no_grad = true);
    fa_tensor *x = check_form(c) && check_weights(c, a->x) ? fa_to(a->x, FA_F64) : NULL;
    return !x ? NULL : (a->replacement ? draw_again : draw_once)(x, a->num_samples, a->key);
}

/** Samples category indices of each row, with probabilities proportional to the weights: (num_samples) or (m,
 *  num_samples), i64. Categories with weight 0 are never drawn; without replacement none is drawn twice, and the result
 *  is in the order of drawing. Computed in f64, which the device has to support. The host checks the weights, which
 *  waits for them. */
OP(multinomial, multinomial_args, (y), .compose = multinomial_compose, .no_grad = "random numbers", .by_values = true,
   TORCH(""), SAMPLES("p(5) 3; p(4,6) 6; p(5) 40 replacement=true; p(3,4) 2 replacement=true; p(0,3) 2; p(1) 1"))

#include "sampling.rows"
