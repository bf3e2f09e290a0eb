/* Batch norm, instance norm and group norm. Statistics are computed in f32 or f64, in two passes, with the fixed
 * summation order of reductions: the same bits on every device. */
#include "dispatch/call.h"
#include "ops/reduce/reduce.h"

/* ---- shared helpers ---- */

static bool check_floating(const fa__call *c, const fa_tensor *x)
{
    return fa__dtype_is_float(x->dtype)
           || fa__call_fail(c, FA_ERROR_DTYPE, "x is %s, which is not floating: fa_to converts",
                            fa_dtype_name((fa_dtype)x->dtype));
}

/* Checks that an argument is NULL or has shape (channels). */
static bool check_vector(const fa__call *c, const char *name, const fa_tensor *t, int64_t channels)
{
    return !t || (t->rank == 1 && t->shape[0] == channels)
           || fa__call_fail(c, FA_ERROR_SHAPE, "%s has to be (%lld): a number for each channel", name,
                            (long long)channels);
}

/* A (channels) tensor reshaped to broadcast along dimension 1 of x. NULL and an error. */
static fa_tensor *along_channels(const fa_tensor *t, const fa_tensor *x)
{
    fa_shape shape = {.rank = x->rank};
    for (int i = 0; i < x->rank; i++)
        shape.dim[i] = i == 1 ? x->shape[1] : 1;
    return t ? fa_reshape(t, shape) : NULL;
}

/* The same for an optional tensor: the number `otherwise` for NULL. */
static fa_arg channels_or(const fa_tensor *t, const fa_tensor *x, double otherwise)
{
    return t ? fa__arg_t(along_channels(t, x)) : fa__arg_f(otherwise);
}

/* running = (1 - momentum) * running + momentum * found. Not recorded for backward; an in-place change of `running` on
 * whatever device it is. */
static bool update(const fa__call *c, const fa_tensor *running, const fa_tensor *found, double momentum)
{
    FA_USE(.no_grad = true);
    FA__WORK_FOR(fa__asked_for(c));
    fa_tensor *r = (fa_tensor *)(uintptr_t)running;
    if (!r)
        return true;
    fa_place there = {fa_tensor_device(r), (fa_dtype)r->dtype};
    return fa_lerp_(r, (fa_to)(fa_reshape(found, FA_SHAPE(-1)), there, NULL), momentum);
}

/* Automatic placement does not move running statistics. */
static fa_tensor *running_beside(const fa__call *c, const fa_tensor *running, const fa_tensor *x)
{
    FA__WORK_FOR(fa__asked_for(c));
    return along_channels(fa_to(fa_detach(running), fa_tensor_device(x)), x);
}

/* ---- over the batch ---- */

typedef struct {
    const fa_tensor *x;                      /* (n, channels) or (n, channels, ...), floating */
    const fa_tensor *running_mean OPT(NULL); /* (channels); updated in place in training */
    const fa_tensor *running_var OPT(NULL);  /* (channels); updated in place in training */
    const fa_tensor *weight OPT(NULL);       /* (channels); NULL means 1 */
    const fa_tensor *bias OPT(NULL);         /* (channels); NULL means 0 */
    bool training OPT(false);                /* true: use the statistics of the batch instead of the running ones */
    double momentum OPT(0.1);                /* weight of the batch in the running statistics */
    double eps OPT(1e-5);                    /* added to the variance */
} batch_norm_args;

static bool check_channels(const fa__call *c, const batch_norm_args *a)
{
    if (a->x->rank < 2)
        return fa__call_fail(c, FA_ERROR_SHAPE, "x has %d dimensions: it has to be (n, c) or (n, c, ...)", a->x->rank);
    int64_t channels = a->x->shape[1];
    if (!check_vector(c, "running_mean", a->running_mean, channels)
        || !check_vector(c, "running_var", a->running_var, channels) || !check_vector(c, "weight", a->weight, channels)
        || !check_vector(c, "bias", a->bias, channels))
        return false;
    return !a->running_mean == !a->running_var
           || fa__call_fail(c, FA_ERROR_ARGUMENT, "running_mean and running_var come together");
}

/* The normalized result in x's dtype, whatever the dtypes of the others. */
static fa_tensor *scaled(const fa_tensor *x, fa_arg mean, fa_arg scale, fa_arg bias)
{
    static const char *const rounded[FA__DTYPES] = {
#define DTYPE(tag, name, ...) [FA_##tag] = #name "((x - y) * z + w)",
#include "core/dtypes.def"
#undef DTYPE
    };
    const char *text = fa__dtype_is_half(x->dtype) ? rounded[x->dtype] : "(x - y) * z + w";
    return fa_to(fa_pointwise(text, x, mean, scale, bias), (fa_dtype)x->dtype);
}

/* Normalizes with the batch's own statistics over the dimensions in `set`, then updates the running ones. */
static fa_tensor *norm_of_batch(const fa__call *c, const batch_norm_args *a, int64_t set)
{
    const fa_tensor *x = a->x;
    if (!fa__numel(x)) /* An empty x: weight and bias get gradients of 0, not NaN. */
        return scaled(x, fa__arg_f(0), channels_or(a->weight, x, 1), channels_or(a->bias, x, 0));
    fa__standardize_result r =
        fa__standardize(x, channels_or(a->weight, x, 1), channels_or(a->bias, x, 0), set, a->eps);
    double n = (double)fa__reduced_count(x, (unsigned)set);
    if (!r.y || !a->running_mean)
        return r.y;
    FA_USE(.no_grad = true);
    fa_tensor *mean = set & 1 ? r.mean : fa_mean(r.mean, .dim = 0);
    fa_tensor *variance = fa_mul(set & 1 ? r.variance : fa_mean(r.variance, .dim = 0), n / (n - 1));
    bool updated = update(c, a->running_mean, mean, a->momentum) && update(c, a->running_var, variance, a->momentum);
    return updated ? r.y : NULL;
}

/* Normalizes with the running statistics. */
static fa_tensor *norm_by_running(const fa__call *c, const batch_norm_args *a)
{
    const fa_tensor *x = a->x;
    fa_tensor *mean = running_beside(c, a->running_mean, x), *variance = running_beside(c, a->running_var, x);
    fa_tensor *scale = fa_pointwise("1 / sqrt(x + y)", variance, a->eps);
    if (a->weight)
        scale = fa_mul(scale, along_channels(a->weight, x));
    if (scale && fa__needs_grad(scale))
        mean = fa_clone(mean); /* backward reads it, and training could change the running mean before that */
    return scaled(x, fa__arg_t(mean), fa__arg_t(scale), channels_or(a->bias, x, 0));
}

/* All dimensions but the channels, as a bit mask; dimension 0 only if `batch`. */
static int64_t places(const fa_tensor *x, bool batch)
{
    return (((INT64_C(1) << x->rank) - 1) & ~INT64_C(3)) | batch;
}

static bool check_batch(const fa__call *c, const batch_norm_args *a)
{
    int64_t count = fa__numel(a->x);
    if (!a->training)
        return fa__call_fail(c, FA_ERROR_ARGUMENT, "without .training it needs .running_mean and .running_var");
    return !count || count != a->x->shape[1]
           || fa__call_fail(c, FA_ERROR_SHAPE,
                            "one value a channel has no variance: training needs more, and after fa_module_train(net, "
                            "false) one is enough");
}

static fa_tensor *batch_norm_compose(fa__call *c)
{
    const batch_norm_args *a = c->args;
    if (!check_floating(c, a->x) || !check_channels(c, a))
        return NULL;
    if (!a->training && a->running_mean)
        return norm_by_running(c, a);
    if (check_batch(c, a))
        return norm_of_batch(c, a, places(a->x, true));
    return NULL;
}

/** Batch normalization of each channel, dimension 1: (x - mean) / sqrt(variance + eps) * weight + bias
 *  (arXiv:1502.03167). In training, mean and variance are computed over all other dimensions; running_mean and
 *  running_var, if given, are updated in place to (1 - momentum) * running + momentum * batch, with the unbiased
 *  variance. For a cumulative average pass momentum = 1 / (number of batches so far). Otherwise the running statistics
 *  are used, and get no gradients. The result has x's shape. Weight and bias may be f32 if x is f16 or bf16. An empty
 *  batch leaves the running statistics unchanged. */
OP(batch_norm, batch_norm_args, (y), .compose = batch_norm_compose, .constant = FIELDS(running_mean, running_var),
   DIFFERS("i64 i32 u8 bool: means of integers are refused, empty ones too"),
   TORCH("nn.functional.batch_norm(x, running_mean, running_var, weight, bias, training, momentum, eps)"),
   SAMPLES("(4,3,5) training=true; (3,2,4,3) weight=p(2) bias=(2) training=true eps=0.01; (5,3) weight=p(3) "
           "training=true; (4,2,3,2,2) bias=(2) training=true; (4,3,2) running_mean=(3) running_var=p(3) weight=(3) "
           "bias=(3); (4,3) running_mean=(3) running_var=p(3) eps=0.5; (0,3,4) running_mean=(3) "
           "running_var=p(3) bias=(3); n(3,1,9) training=true"))

/* ---- over each instance ---- */

typedef struct {
    const fa_tensor *x;                      /* (n, channels, ...), floating */
    const fa_tensor *running_mean OPT(NULL); /* (channels); updated in place if use_input_stats is true */
    const fa_tensor *running_var OPT(NULL);  /* (channels); updated in place in training */
    const fa_tensor *weight OPT(NULL);       /* (channels); NULL means 1 */
    const fa_tensor *bias OPT(NULL);         /* (channels); NULL means 0 */
    bool use_input_stats OPT(true);          /* false: use the running statistics */
    double momentum OPT(0.1);                /* weight of the batch in the running statistics */
    double eps OPT(1e-5);                    /* added to the variance */
} instance_norm_args;

static fa_tensor *instance_norm_compose(fa__call *c)
{
    const instance_norm_args *a = c->args;
    const batch_norm_args same = {.x = a->x,
                                  .running_mean = a->running_mean,
                                  .running_var = a->running_var,
                                  .weight = a->weight,
                                  .bias = a->bias,
                                  .momentum = a->momentum,
                                  .eps = a->eps};
    if (!check_floating(c, a->x) || !check_channels(c, &same))
        return NULL;
    if (!a->use_input_stats && a->running_mean)
        return norm_by_running(c, &same);
    int64_t set = places(a->x, false);
    if (!a->use_input_stats)
        fa__call_fail(c, FA_ERROR_ARGUMENT, "without .use_input_stats it needs .running_mean and .running_var");
    else if (!set || (fa__numel(a->x) && fa__reduced_count(a->x, (unsigned)set) == 1))
        fa__call_fail(c, FA_ERROR_SHAPE, "one value an instance has no variance");
    else
        return norm_of_batch(c, &same, set);
    return NULL;
}

/** Instance normalization: like fa_batch_norm(), but with statistics of each sample and channel alone
 *  (arXiv:1607.08022). The running statistics are updated with the mean over the samples. */
OP(instance_norm, instance_norm_args, (y), .compose = instance_norm_compose,
   .constant = FIELDS(running_mean, running_var),
   TORCH("nn.functional.instance_norm(x, running_mean, running_var, weight, bias, use_input_stats, momentum, eps)"),
   SAMPLES("(4,3,5); (3,2,4,3) weight=p(2) bias=(2) eps=0.01; (4,3,2) running_mean=(3) running_var=p(3) weight=(3) "
           "bias=(3) use_input_stats=false; n(1,1,9)"))

/* ---- over groups of channels ---- */

typedef struct {
    const fa_tensor *x;                /* (n, channels) or (n, channels, ...), floating */
    int64_t num_groups;                /* number of groups the channels are split into; divides their number */
    const fa_tensor *weight OPT(NULL); /* (channels); NULL means 1 */
    const fa_tensor *bias OPT(NULL);   /* (channels); NULL means 0 */
    double eps OPT(1e-5);              /* added to the variance */
} group_norm_args;

static bool check_groups(const fa__call *c, const group_norm_args *a)
{
    if (a->x->rank < 2)
        return fa__call_fail(c, FA_ERROR_SHAPE, "x has %d dimensions: it has to be (n, c) or (n, c, ...)", a->x->rank);
    int64_t channels = a->x->shape[1];
    if (a->num_groups < 1 || channels % a->num_groups)
        return fa__call_fail(c, FA_ERROR_ARGUMENT, "%lld channels cannot be %lld groups of one size",
                             (long long)channels, (long long)a->num_groups);
    if (fa__numel(a->x) == a->num_groups)
        return fa__call_fail(c, FA_ERROR_SHAPE, "one value a group has no variance");
    return check_vector(c, "weight", a->weight, channels) && check_vector(c, "bias", a->bias, channels);
}

/* A (channels) tensor reshaped to broadcast with x, whose channels are split into groups. */
static fa_arg grouped_or(const fa_tensor *t, fa_shape groups, double otherwise)
{
    return t ? fa__arg_t(fa_reshape(t, FA_SHAPE(1, groups.dim[1], groups.dim[2], 1))) : fa__arg_f(otherwise);
}

static fa_tensor *group_norm_compose(fa__call *c)
{
    const group_norm_args *a = c->args;
    if (!check_floating(c, a->x) || !check_groups(c, a))
        return NULL;
    int64_t area = 1;
    for (int i = 2; i < a->x->rank; i++)
        area *= a->x->shape[i];
    fa_shape groups = FA_SHAPE(a->x->shape[0], a->num_groups, a->x->shape[1] / a->num_groups, area);
    fa_tensor *y = fa__standardize(fa_reshape(a->x, groups), grouped_or(a->weight, groups, 1),
                                   grouped_or(a->bias, groups, 0), 12, a->eps)
                       .y;
    return fa_reshape(y, fa_tensor_shape(a->x));
}

/** Group normalization: (x - mean) / sqrt(variance + eps) * weight + bias, with statistics of each sample over each
 *  group of channels and all dimensions after them (arXiv:1803.08494). The result has x's shape. Weight and bias may be
 *  f32 if x is f16 or bf16. */
OP(group_norm, group_norm_args, (y), .compose = group_norm_compose, .autocast = FA__CAST_F32,
   DIFFERS("i64 i32 u8 bool: as batch_norm"), TORCH("nn.functional.group_norm(x, num_groups, weight, bias, eps)"),
   SAMPLES("(2,4,3) 2; (2,4,3,2) 2 weight=p(4) bias=(4) eps=0.01; (3,4) 1 weight=p(4); (2,3,5) 3 weight=p(3) bias=(3); "
           "(0,4,3) 2 weight=(4); n(1,2,9) 2"))

#include "normalization.rows"
