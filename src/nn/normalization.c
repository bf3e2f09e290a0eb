/* Layers that normalize within each sample: over the last dimensions, or over groups of channels. */
#include "nn/layer.h"
#include <facula/ops/nn.h>
#include <facula/scope.h>
#include <inttypes.h>

typedef struct norm {
    fa__weights w;
    fa_shape shape; /* shape of the normalized dimensions, or (channels) */
    int64_t groups;
    double eps;
} norm;

static fa_tensor *layer_norm_forward(fa_module *self, fa_tensor *x)
{
    const norm *n = fa_module_data(self);
    return fa_layer_norm(x, n->shape, .weight = n->w.weight, .bias = n->w.bias, .eps = n->eps);
}

static fa_tensor *rms_norm_forward(fa_module *self, fa_tensor *x)
{
    const norm *n = fa_module_data(self);
    return fa_rms_norm(x, n->shape, .weight = n->w.weight, .eps = n->eps);
}

static fa_tensor *group_norm_forward(fa_module *self, fa_tensor *x)
{
    const norm *n = fa_module_data(self);
    return fa_group_norm(x, n->groups, .weight = n->w.weight, .bias = n->w.bias, .eps = n->eps);
}

/* The learned parameters. */
typedef struct learned {
    bool weight, bias;
    fa_dtype dtype;
    fa_device device;
} learned;

static fa_module *norm_new(const char *kind, fa_tensor *(*forward)(fa_module *, fa_tensor *), const norm *made,
                           const learned *l)
{
    FA_SCOPE;
    fa_module *m = fa_nn_custom(kind, sizeof *made, forward, .data = made);
    norm *n = m ? fa_module_data(m) : NULL;
    if (!n)
        return NULL;
    if (l->weight) {
        fa_tensor *weight = fa__constant(n->shape, 1, l->dtype, l->device);
        if (!(n->w.weight = fa_module_parameter(m, "weight", weight)))
            return NULL;
    }
    if (l->weight && l->bias) {
        fa_tensor *bias = fa__constant(n->shape, 0, l->dtype, l->device);
        if (!(n->w.bias = fa_module_parameter(m, "bias", bias)))
            return NULL;
    }
    return fa_escape(m);
}

fa_module *(fa_nn_layer_norm)(fa_shape shape, const fa_nn_layer_norm_options *options)
{
    fa_nn_layer_norm_options o = FA__DEFAULT_fa_nn_layer_norm;
    fa__options_read(&o, o.size, options);
    return norm_new("layer_norm", layer_norm_forward, &(norm){.shape = shape, .eps = o.eps},
                    &(learned){o.elementwise_affine, o.bias, o.dtype, o.device});
}

fa_module *(fa_nn_rms_norm)(fa_shape shape, const fa_nn_rms_norm_options *options)
{
    fa_nn_rms_norm_options o = FA__DEFAULT_fa_nn_rms_norm;
    fa__options_read(&o, o.size, options);
    return norm_new("rms_norm", rms_norm_forward, &(norm){.shape = shape, .eps = o.eps},
                    &(learned){o.elementwise_affine, false, o.dtype, o.device});
}

fa_module *(fa_nn_group_norm)(int64_t groups, int64_t channels, const fa_nn_group_norm_options *options)
{
    fa_nn_group_norm_options o = FA__DEFAULT_fa_nn_group_norm;
    fa__options_read(&o, o.size, options);
    if (groups < 1 || channels < 0 || channels % groups) {
        fa_fail(FA_ERROR_SHAPE,
                "fa_nn_group_norm: channels are a multiple of groups, which are 1 or more: %" PRId64 ", %" PRId64,
                channels, groups);
        return NULL;
    }
    return norm_new("group_norm", group_norm_forward,
                    &(norm){.shape = FA_SHAPE(channels), .groups = groups, .eps = o.eps},
                    &(learned){o.affine, true, o.dtype, o.device});
}
