/* Regression losses. Mean squared error, L1, smooth L1, Huber, Poisson and Gaussian likelihoods. Input is floating,
 * except for mse_loss and l1_loss. Input and target have the same shape: nothing is broadcast. */
#include "ops/loss/losses.h"

typedef struct {
    const fa_tensor *input;
    const fa_tensor *target;             /* input's shape */
    fa_reduction reduction OPT(FA_MEAN); /* FA_MEAN, FA_SUM or FA_NONE */
    const fa_tensor *weight OPT(NULL);   /* weight of each element, in input's shape; NULL means 1 */
} pair_loss_args;

static bool check_pair(const fa__call *c, const fa_tensor *input, const fa_tensor *target, fa_reduction reduction)
{
    return fa__check_reduction(c, reduction) && fa__check_one_shape(c, "input", input, "target", target);
}

/* The mean divides by the sum of the weights. */
static fa_tensor *weighted(const fa__call *c, fa_tensor *each, const fa_tensor *weight, fa_reduction reduction)
{
    if (!weight || !each)
        return fa__reduced_loss(c, each, reduction);
    if (!fa__check_one_shape(c, "weight", weight, "input", each))
        return NULL;
    fa_tensor *terms = fa_mul(each, weight);
    return reduction == FA_MEAN ? fa_div(fa_sum(terms), fa_sum(weight)) : fa__reduced_loss(c, terms, reduction);
}

static fa_tensor *mse_loss_compose(fa__call *c)
{
    const pair_loss_args *a = c->args;
    if (!check_pair(c, a->input, a->target, a->reduction))
        return NULL;
    return weighted(c, fa_pointwise("(x - y) * (x - y)", a->input, a->target), a->weight, a->reduction);
}

/** Mean squared error: (input - target)^2, reduced to its mean or sum, or with FA_NONE in input's shape. With weights,
 *  the mean is the weighted sum divided by the sum of the weights. */
OP(mse_loss, pair_loss_args, (loss), .compose = mse_loss_compose, .autocast = FA__CAST_F32,
   .autocast_cpu = FA__CAST_F32, TORCH("nn.functional.mse_loss(input, target, reduction=reduction, weight=weight)"),
   SAMPLES("(3,4) (3,4); (3) (3) reduction=sum; (2,2) (2,2) reduction=none; () (); (0) (0); (2,3) (2,3) weight=p(2,3); "
           "(2,3) (2,3) reduction=none weight=p(2,3); (3) (3) reduction=sum weight=(3)"))

static fa_tensor *l1_loss_compose(fa__call *c)
{
    const pair_loss_args *a = c->args;
    if (!check_pair(c, a->input, a->target, a->reduction))
        return NULL;
    return weighted(c, fa_pointwise("abs(x - y)", a->input, a->target), a->weight, a->reduction);
}

/** L1 loss (mean absolute error): |input - target|, reduced to its mean or sum, or with FA_NONE in input's shape. The
 *  gradient is 0 where the two are equal. With weights, the mean is the weighted sum divided by the sum of the
 *  weights. */
OP(l1_loss, pair_loss_args, (loss), .compose = l1_loss_compose, .autocast = FA__CAST_F32, .autocast_cpu = FA__CAST_F32,
   TORCH("nn.functional.l1_loss(input, target, reduction=reduction, weight=weight)"),
   SAMPLES("(3,4) (3,4); (3) (3) reduction=sum; (2,2) (2,2) reduction=none; () (); (0) (0); (2,3) (2,3) weight=p(2,3); "
           "(2,3) (2,3) reduction=none weight=p(2,3); (3) (3) reduction=sum weight=(3); t(9) t(9) reduction=sum; "
           "n(9) n(9) reduction=none"))

typedef struct {
    const fa_tensor *input;
    const fa_tensor *target; /* input's shape */
    double beta OPT(1);      /* distance at which the loss becomes linear; 0: linear everywhere, as l1_loss */
    fa_reduction reduction OPT(FA_MEAN); /* FA_MEAN, FA_SUM or FA_NONE */
} smooth_l1_loss_args;

static fa_tensor *smooth_l1_loss_compose(fa__call *c)
{
    const smooth_l1_loss_args *a = c->args;
    if (!fa__check_floating(c, "input", a->input) || !check_pair(c, a->input, a->target, a->reduction))
        return NULL;
    return fa__reduced_loss(
        c,
        fa_pointwise("r = abs(x - y); r < z ? 0.5 * (x - y) * (x - y) / z : r - 0.5 * z", a->input, a->target, a->beta),
        a->reduction);
}

/** Smooth L1 loss: with d = input - target, d^2 / (2 beta) where |d| < beta, and |d| - beta / 2 elsewhere. */
OP(smooth_l1_loss, smooth_l1_loss_args, (loss), .compose = smooth_l1_loss_compose, .require = REQUIRE(beta >= 0),
   .autocast = FA__CAST_F32, .autocast_cpu = FA__CAST_F32,
   DIFFERS("i64 i32 u8 bool: losses are of floats, but for distances and their squares"),
   TORCH("nn.functional.smooth_l1_loss(input, target, reduction=reduction, beta=beta)"),
   SAMPLES("(3,4) (3,4); (3) (3) reduction=sum beta=2; (3,3) (3,3) reduction=none beta=0.3; (3) (3) beta=0; () (); (0) "
           "(0); t(9) t(9) reduction=sum; t(9) t(9) reduction=sum beta=0; n(9) n(9) reduction=none"))

typedef struct {
    const fa_tensor *input;
    const fa_tensor *target;             /* input's shape */
    double delta OPT(1);                 /* distance at which the loss becomes linear */
    fa_reduction reduction OPT(FA_MEAN); /* FA_MEAN, FA_SUM or FA_NONE */
    const fa_tensor *weight OPT(NULL);   /* weight of each element, in input's shape; NULL means 1 */
} huber_loss_args;

static fa_tensor *huber_loss_compose(fa__call *c)
{
    const huber_loss_args *a = c->args;
    if (!fa__check_floating(c, "input", a->input) || !check_pair(c, a->input, a->target, a->reduction))
        return NULL;
    if (a->weight && !fa__check_one_shape(c, "weight", a->weight, "input", a->input))
        return NULL;
    fa_tensor *each = fa_pointwise("r = abs(x - y); r < z ? 0.5 * (x - y) * (x - y) : z * (r - 0.5 * z)", a->input,
                                   a->target, a->delta);
    return each ? fa__weighted_loss(c, each, a->weight, a->reduction) : NULL;
}

/** Huber loss: with d = input - target, d^2 / 2 where |d| < delta, and delta * (|d| - delta / 2) elsewhere. With
 *  weights the mean still divides by the number of elements, as in PyTorch. */
OP(huber_loss, huber_loss_args, (loss), .compose = huber_loss_compose, .require = REQUIRE(delta > 0),
   .autocast = FA__CAST_F32, .autocast_cpu = FA__CAST_F32,
   TORCH("nn.functional.huber_loss(input, target, reduction=reduction, delta=delta, weight=weight)"),
   SAMPLES("(3,4) (3,4); (3) (3) reduction=sum delta=2; (3,3) (3,3) reduction=none delta=0.3; () (); (0) (0); (2,3) "
           "(2,3) weight=p(2,3) delta=0.3; (3) (3) reduction=sum weight=(3); t(9) t(9) "
           "reduction=sum; n(9) n(9) reduction=none"))

/* ---- negative log likelihoods ---- */

typedef struct {
    const fa_tensor *input;              /* the expected count, or its logarithm */
    const fa_tensor *target;             /* the observed count; input's shape */
    bool log_input OPT(true);            /* true: input is the logarithm of the expected count */
    bool full OPT(false);                /* true: add Stirling's approximation of log(target!) where target > 1 */
    double eps OPT(1e-8);                /* added to input before its logarithm, if log_input is false */
    fa_reduction reduction OPT(FA_MEAN); /* FA_MEAN, FA_SUM or FA_NONE */
} poisson_nll_loss_args;

#define STIRLING "(y <= 1 ? 0 : y * log(y) - y + 0.5 * log(6.283185307179586 * y))"

static fa_tensor *poisson_nll_loss_compose(fa__call *c)
{
    static const char *const text[2][2] = {{"x - y * log(x + z)", "x - y * log(x + z) + " STIRLING},
                                           {"exp(x) - y * x", "exp(x) - y * x + " STIRLING}};
    const poisson_nll_loss_args *a = c->args;
    if (!fa__check_floating(c, "input", a->input) || !check_pair(c, a->input, a->target, a->reduction))
        return NULL;
    const char *one = text[a->log_input][a->full];
    fa_tensor *each =
        a->log_input ? fa_pointwise(one, a->input, a->target) : fa_pointwise(one, a->input, a->target, a->eps);
    return fa__reduced_loss(c, each, a->reduction);
}

/** Negative log likelihood of a Poisson distribution: exp(input) - target * input if log_input, else input - target *
 *  log(input + eps). The constant log(target!) is left out unless .full is true. */
OP(poisson_nll_loss, poisson_nll_loss_args, (loss), .compose = poisson_nll_loss_compose, .autocast = FA__CAST_F32,
   .autocast_cpu = FA__CAST_F32, DIFFERS("i64 i32 u8 bool: as smooth_l1_loss"),
   TORCH("nn.functional.poisson_nll_loss(input, target, log_input, full, eps=eps, reduction=reduction)"),
   SAMPLES(
       "(3,4) p(3,4); (3,4) p(3,4) full=true reduction=sum; p(3,4) p(3,4) log_input=false full=true reduction=none; "
       "p(3) p(3) log_input=false eps=0.5; () (); (0) (0); u(9) t(9) log_input=false "
       "reduction=none"))

typedef struct {
    const fa_tensor *input;  /* the expected value */
    const fa_tensor *target; /* input's shape */
    fa_arg var; /* the variance: a number, or a tensor in input's shape, with the last dimension missing or of size 1 */
    bool full OPT(false);                /* true: add the constant log(2 pi) / 2 */
    double eps OPT(1e-6);                /* lower bound of var */
    fa_reduction reduction OPT(FA_MEAN); /* FA_MEAN, FA_SUM or FA_NONE */
} gaussian_nll_loss_args;

/* var as a tensor with input's rank; NULL and an error if its shape does not fit. */
static const fa_tensor *variance_for(const fa__call *c, const fa_tensor *input, fa_arg given)
{
    if (given.kind != FA__ARG_TENSOR
        && !((given.kind == FA__ARG_FLOAT ? fa__double_in(given) : (double)fa__int_in(given)) >= 0)) {
        fa__call_fail(c, FA_ERROR_ARGUMENT, "var is a negative number");
        return NULL;
    }
    if (given.kind != FA__ARG_TENSOR)
        return fa_full(FA_SCALAR, given, .dtype = (fa_dtype)input->dtype, .device = fa_tensor_device(input));
    const fa_tensor *var = fa__tensor_in(given);
    bool lacks_last = var->rank == input->rank - 1, fits = lacks_last || var->rank == input->rank;
    for (int i = 0; fits && i < var->rank; i++)
        fits = var->shape[i] == input->shape[i] || (!lacks_last && var->shape[i] == 1);
    if (fits)
        return lacks_last ? fa_unsqueeze(var, -1) : var;
    fa__call_fail(c, FA_ERROR_SHAPE, "var has to be of input's shape, without its last dimension, or with 1s in it");
    return NULL;
}

/* The amount that raises a small variance to eps is a constant for the gradient, so that such a variance gets the
 * gradient at eps, which makes it grow. */
static fa_tensor *missing_to(const fa_tensor *var, double eps)
{
    FA_USE(.no_grad = true);
    return fa_pointwise("x < y ? y - x : 0", var, eps);
}

static fa_tensor *gaussian_nll_loss_compose(fa__call *c)
{
    const gaussian_nll_loss_args *a = c->args;
    if (!fa__check_floating(c, "input", a->input) || !check_pair(c, a->input, a->target, a->reduction))
        return NULL;
    const fa_tensor *var = variance_for(c, a->input, a->var);
    if (!var)
        return NULL;
    fa_tensor *each = fa_pointwise("v = z + w; 0.5 * (log(v) + (x - y) * (x - y) / v) + a", a->input, a->target, var,
                                   missing_to(var, a->eps), a->full ? 0.9189385332046727 : 0.0);
    return fa__reduced_loss(c, each, a->reduction);
}

/** Negative log likelihood of a normal distribution: (log(var) + (input - target)^2 / var) / 2. Variances below eps
 *  count as eps, and get the gradient at eps. A negative variance given as a number is an error; the elements of a
 *  tensor are not checked. */
OP(gaussian_nll_loss, gaussian_nll_loss_args, (loss), .compose = gaussian_nll_loss_compose, .require = REQUIRE(eps > 0),
   .autocast = FA__CAST_F32, DIFFERS("i64 i32 u8 bool: as smooth_l1_loss"),
   TORCH("nn.functional.gaussian_nll_loss(input, target, var, full, eps, reduction)"),
   SAMPLES(
       "(3,4) (3,4) p(3,4); (3,4) (3,4) p(3,1) full=true reduction=sum; (3,4) (3,4) p(3) reduction=none; (3,4) (3,4) "
       "p(1,4); () () p(); (0) (0) p(0); t(3,4) (3,4) p(3,4) eps=1.0; (3,4) (3,4) 0.75 full=true; (3) (3) 0.0 "
       "reduction=none"))

#include "regression_loss.rows"
