/* Normalisation of channels: over batches, groups and instances. Statistics are taken in f32 or f64, in two passes, by
 * the reductions' fixed tree: the same bits on every device. */
#include "dispatch/call.h"
#include "ops/reduce/reduce.h"

/* ---- what they share ---- */

static bool check_floating(const fa__call *c, const fa_tensor *x)
{
    return fa__dtype_is_float(x->dtype)
           || fa__call_fail(c, FA_ERROR_DTYPE, "x is %s, which is not floating: fa_to converts",
                            fa_dtype_name((fa_dtype)x->dtype));
}

/* NULL, or (channels). */
static bool check_vector(const fa__call *c, const char *name, const fa_tensor *t, int64_t channels)
{
    return !t || (t->rank == 1 && t->shape[0] == channels)
           || fa__call_fail(c, FA_ERROR_SHAPE, "%s has to be (%lld): a number for each channel", name,
                            (long long)channels);
}

/* A tensor of one number a channel, as it stands along dimension 1 of x. NULL after an error. */
static fa_tensor *along_channels(const fa_tensor *t, const fa_tensor *x)
{
    fa_shape shape = {.rank = x->rank};
    for (int i = 0; i < x->rank; i++)
        shape.dim[i] = i == 1 ? x->shape[1] : 1;
    return t ? fa_reshape(t, shape) : NULL;
}

/* The same for an operand that may be missing: then it is the number `otherwise`. */
static fa_arg channels_or(const fa_tensor *t, const fa_tensor *x, double otherwise)
{
    return t ? fa__arg_t(along_channels(t, x)) : fa__arg_f(otherwise);
}

/* running = (1 - momentum) * running + momentum * found; not recorded, and for `running` a change in place, wherever it
 * is. */
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

/* Automatic placement leaves running statistics where they are. */
static fa_tensor *running_beside(const fa__call *c, const fa_tensor *running, const fa_tensor *x)
{
    FA__WORK_FOR(fa__asked_for(c));
    return along_channels(fa_to(fa_detach(running), fa_tensor_device(x)), x);
}

/* ---- over the batch ---- */

typedef struct {
    const fa_tensor *x;                      /* (n, c) or (n, c, ...), floating */
    const fa_tensor *running_mean OPT(NULL); /* (c): changed in place in training */
    const fa_tensor *running_var OPT(NULL);  /* (c): the same */
    const fa_tensor *weight OPT(NULL);       /* (c): NULL: 1 */
    const fa_tensor *bias OPT(NULL);         /* (c): NULL: 0 */
    bool training OPT(false);                /* take the batch's statistics, and not the running ones */
    double momentum OPT(0.1);                /* how much of the running ones each batch replaces */
    double eps OPT(1e-5);                    /* is added to variances */
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

/* Of x's dtype, whatever the others' is. */
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

/* Statistics of the batch itself over the dimensions in `set`; then the running ones are updated. */
static fa_tensor *norm_of_batch(const fa__call *c, const batch_norm_args *a, int64_t set)
{
    const fa_tensor *x = a->x;
    if (!fa__numel(x)) /* which has none: what is given gets gradients of 0, and no NaN */
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

/* Statistics that were kept. */
static fa_tensor *norm_by_running(const fa__call *c, const batch_norm_args *a)
{
    const fa_tensor *x = a->x;
    fa_tensor *mean = running_beside(c, a->running_mean, x), *variance = running_beside(c, a->running_var, x);
    fa_tensor *scale = fa_pointwise("1 / sqrt(x + y)", variance, a->eps);
    if (a->weight)
        scale = fa_mul(scale, along_channels(a->weight, x));
    if (scale && fa__needs_grad(scale))
        mean = fa_clone(mean); /* backward will read it, and training may change the running one before */
    return scaled(x, fa__arg_t(mean), fa__arg_t(scale), channels_or(a->bias, x, 0));
}

/* All dimensions but the first two, as bits, and the first one if `batch`. */
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
           || fa__call_fail(c, FA_ERROR_SHAPE, "one value a channel has no variance: training needs more");
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

/** (x - mean) / sqrt(variance + eps) * weight + bias for each channel, dimension 1 (arXiv:1502.03167). In training mean
 *  and variance are those of the batch, over all other dimensions; the running ones, where given, are changed in place
 *  to (1 - momentum) * running + momentum * the batch's, of the variance that divides by one element less: a
 *  cumulative average is momentum = 1 / the number of batches so far. Otherwise the running ones are taken, which get
 * no gradients. Weight and bias may be f32 where x is f16 or bf16; an empty batch changes nothing. */
OP(batch_norm, batch_norm_args, (y), .compose = batch_norm_compose, .constant = FIELDS(running_mean, running_var),
   DIFFERS("i64 i32 u8 bool: means of integers are refused, empty ones too"),
   TORCH("nn.functional.batch_norm(x, running_mean, running_var, weight, bias, training, momentum, eps)"),
   SAMPLES("(4,3,5) training=true; (3,2,4,3) weight=p(2) bias=(2) training=true eps=0.01; (5,3) weight=p(3) "
           "training=true; (4,2,3,2,2) bias=(2) training=true; (4,3,2) running_mean=(3) running_var=p(3) weight=(3) "
           "bias=(3); (4,3) running_mean=(3) running_var=p(3) eps=0.5; (0,3,4) running_mean=(3) "
           "running_var=p(3) bias=(3); n(3,1,9) training=true"))

/* ---- over each instance ---- */

typedef struct {
    const fa_tensor *x;                      /* (n, c, ...), floating */
    const fa_tensor *running_mean OPT(NULL); /* (c): changed in place where the input's own statistics are used */
    const fa_tensor *running_var OPT(NULL);  /* (c): the same */
    const fa_tensor *weight OPT(NULL);       /* (c): NULL: 1 */
    const fa_tensor *bias OPT(NULL);         /* (c): NULL: 0 */
    bool use_input_stats OPT(true);          /* and not the running ones */
    double momentum OPT(0.1);                /* how much of the running ones each batch replaces */
    double eps OPT(1e-5);                    /* is added to variances */
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

/** batch_norm() with statistics of each sample alone, over all dimensions but the first two (arXiv:1607.08022). The
 *  running ones get the mean of the samples'. */
OP(instance_norm, instance_norm_args, (y), .compose = instance_norm_compose,
   .constant = FIELDS(running_mean, running_var),
   TORCH("nn.functional.instance_norm(x, running_mean, running_var, weight, bias, use_input_stats, momentum, eps)"),
   SAMPLES("(4,3,5); (3,2,4,3) weight=p(2) bias=(2) eps=0.01; (4,3,2) running_mean=(3) running_var=p(3) weight=(3) "
           "bias=(3) use_input_stats=false; n(1,1,9)"))

/* ---- over groups of channels ---- */

typedef struct {
    const fa_tensor *x;                /* (n, c) or (n, c, ...), floating */
    int64_t num_groups;                /* of channels, all of one size */
    const fa_tensor *weight OPT(NULL); /* (c): NULL: 1 */
    const fa_tensor *bias OPT(NULL);   /* (c): NULL: 0 */
    double eps OPT(1e-5);              /* is added to variances */
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

/* A number for each channel along the second and third dimension of x in groups. */
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

/** (x - mean) / sqrt(variance + eps) * weight + bias, with statistics of each sample over groups of neighbouring
 *  channels and all dimensions behind them (arXiv:1803.08494). Weight and bias may be f32 where x is f16 or bf16. */
OP(group_norm, group_norm_args, (y), .compose = group_norm_compose, .autocast = FA__CAST_F32,
   DIFFERS("i64 i32 u8 bool: as batch_norm"), TORCH("nn.functional.group_norm(x, num_groups, weight, bias, eps)"),
   SAMPLES("(2,4,3) 2; (2,4,3,2) 2 weight=p(4) bias=(4) eps=0.01; (3,4) 1 weight=p(4); (2,3,5) 3 weight=p(3) bias=(3); "
           "(0,4,3) 2 weight=(4); n(1,2,9) 2"))

#include "normalization.rows"
