/* Batch normalization: running statistics are buffers. */
#include "nn/layer.h"
#include <facula/ops/create.h>
#include <facula/ops/math.h>
#include <facula/ops/nn.h>
#include <facula/scope.h>
#include <facula/tensor.h>
#include <inttypes.h>

typedef struct batch_norm {
    fa__weights w;
    fa_tensor *mean, *variance, *count; /* NULL: not tracked */
    int64_t features;
    fa_nn_batch_norm2d_options o;
    int dims, or_dims;            /* accepted number of dimensions of an input */
    fa__batch_together *together; /* trains with other processes; NULL: with its own batch alone */
    void *context;
} batch_norm;

/* The weight of this batch in the running statistics, which decreases if they are the mean over all batches. */
static double momentum_of(const batch_norm *b)
{
    return b->o.momentum >= 0 ? b->o.momentum : 1 / (fa_item(b->count) + 1);
}

static fa_tensor *train(const batch_norm *b, fa_tensor *x)
{
    if (!b->count)
        return fa_batch_norm(x, .weight = b->w.weight, .bias = b->w.bias, .training = true, .eps = b->o.eps);
    fa_tensor *y = fa_batch_norm(x, .running_mean = b->mean, .running_var = b->variance, .weight = b->w.weight,
                                 .bias = b->w.bias, .training = true, .momentum = momentum_of(b), .eps = b->o.eps);
    return y && fa_add_(b->count, 1) ? y : NULL;
}

static fa_tensor *train_together(const batch_norm *b, fa_tensor *x)
{
    const fa__batch_norm_parts parts = {
        b->w.weight, b->w.bias, b->mean, b->variance, b->count, b->o.eps, b->count ? momentum_of(b) : 0};
    fa_tensor *y = b->together(parts, x, b->context);
    return y;
}

static fa_tensor *batch_norm_forward(fa_module *self, fa_tensor *x)
{
    const batch_norm *b = fa_module_data(self);
    if (!fa__input_check(fa_module_kind(self), x, b->features, b->dims, b->or_dims))
        return NULL;
    const bool trains = !b->count || fa__layer_trains(self);
    if (trains)
        return b->together && fa_module_training(self) ? train_together(b, x) : train(b, x);
    return fa_batch_norm(x, .running_mean = b->mean, .running_var = b->variance, .weight = b->w.weight,
                         .bias = b->w.bias, .eps = b->o.eps);
}

static bool learns(fa_module *m, batch_norm *b)
{
    fa_shape shape = FA_SHAPE(b->features);
    b->w.weight = fa_module_parameter(m, "weight", fa__constant(shape, 1, b->o.dtype, b->o.device));
    b->w.bias = fa_module_parameter(m, "bias", fa__constant(shape, 0, b->o.dtype, b->o.device));
    return b->w.weight && b->w.bias;
}

static bool tracks(fa_module *m, batch_norm *b)
{
    fa_shape shape = FA_SHAPE(b->features);
    b->mean = fa_module_buffer(m, "running_mean", fa__constant(shape, 0, b->o.dtype, b->o.device));
    b->variance = fa_module_buffer(m, "running_var", fa__constant(shape, 1, b->o.dtype, b->o.device));
    b->count = fa_module_buffer(m, "num_batches_tracked", fa__constant(FA_SCALAR, 0, FA_I64, b->o.device));
    return b->mean && b->variance && b->count;
}

static fa_module *batch_norm_new(const char *kind, int64_t features, const fa_nn_batch_norm2d_options *options,
                                 int dims, int or_dims)
{
    batch_norm made = {.o = FA__DEFAULT_fa_nn_batch_norm2d, .features = features, .dims = dims, .or_dims = or_dims};
    fa__options_read(&made.o, made.o.size, options);
    if (features < 0) {
        fa_fail(FA_ERROR_SHAPE, "fa_nn_%s: features are 0 or more: %" PRId64, kind, features);
        return NULL;
    }
    FA_SCOPE;
    fa_module *m = fa_nn_custom(kind, sizeof made, batch_norm_forward, .data = &made);
    batch_norm *b = m ? fa_module_data(m) : NULL;
    if (!b || (b->o.affine && !learns(m, b)) || (b->o.track_running_stats && !tracks(m, b)))
        return NULL;
    return fa_escape(m);
}

fa_module *(fa_nn_batch_norm2d)(int64_t features, const fa_nn_batch_norm2d_options *options)
{
    return batch_norm_new("batch_norm2d", features, options, 4, 4);
}

fa_module *(fa_nn_batch_norm1d)(int64_t features, const fa_nn_batch_norm1d_options *options)
{
    return batch_norm_new("batch_norm1d", features, options, 2, 3);
}

bool fa__batch_norm_together(fa_module *module, fa__batch_together *together, void *context)
{
    if (!fa__module_runs(module, batch_norm_forward))
        return false;
    batch_norm *b = fa_module_data(module);
    b->together = together;
    b->context = context;
    return true;
}
