/* The linear layer. */
#include <facula/creation.h>
#include <facula/error.h>
#include <facula/linalg.h>
#include <facula/nn.h>
#include <facula/object.h>
#include <facula/pointwise.h>
#include <facula/scope.h>
#include <inttypes.h>
#include <math.h>

typedef struct linear {
    fa_tensor *weight, *bias;
} linear;

static fa_tensor *linear_forward(fa_module *self, fa_tensor *x)
{
    const linear *l = fa_module_data(self);
    return fa_linear(x, l->weight, .bias = l->bias);
}

/* Uniform in -bound to bound. */
static fa_tensor *uniform(fa_shape shape, double bound, const fa_nn_linear_options *o)
{
    FA_SCOPE;
    FA_USE(.no_grad = true);
    fa_tensor *t = fa_rand(shape, .dtype = o->dtype, .device = o->device);
    return fa_escape(fa_sub_(fa_mul_(t, 2 * bound), bound));
}

fa_module *(fa_nn_linear)(int64_t in, int64_t out, const fa_nn_linear_options *options)
{
    fa_nn_linear_options o = FA__DEFAULT_fa_nn_linear;
    fa__options_read(&o, o.size, options);
    if (in < 0 || out < 0) {
        fa_fail(FA_ERROR_SHAPE, "fa_nn_linear: in and out are 0 or more: %" PRId64 ", %" PRId64, in, out);
        return NULL;
    }
    FA_SCOPE;
    fa_module *m = fa_nn_custom("linear", sizeof(linear), linear_forward);
    linear *l = fa_module_data(m);
    double bound = in ? 1 / sqrt((double)in) : 0;
    if (!l || !(l->weight = fa_module_parameter(m, "weight", uniform(FA_SHAPE(out, in), bound, &o))))
        return NULL;
    if (o.bias && !(l->bias = fa_module_parameter(m, "bias", uniform(FA_SHAPE(out), bound, &o))))
        return NULL;
    return fa_escape(m);
}
