/* Dropout as a module: it knows whether it is training. */
#include "nn/layer.h"
#include <facula/creation.h>
#include <facula/object.h>
#include <facula/pointwise.h>
#include <facula/tensor.h>

static fa_tensor *dropout_forward(fa_module *self, fa_tensor *x)
{
    const double *p = fa_module_data(self);
    return fa_module_training(self) ? fa_dropout(x, .p = *p) : x;
}

/* One number for each channel, which stands before height and width. */
static fa_tensor *dropout2d_forward(fa_module *self, fa_tensor *x)
{
    const double *p = fa_module_data(self);
    fa_shape s = fa_tensor_shape(x);
    if (s.rank != 3 && s.rank != 4) {
        fa_fail(FA_ERROR_SHAPE, "dropout2d: the input is %s: it has to be (n, c, h, w) or (c, h, w)",
                fa__shape_write(s).text);
        return NULL;
    }
    if (!fa_module_training(self))
        return x;
    s.dim[s.rank - 1] = s.dim[s.rank - 2] = 1;
    fa_tensor *ones = fa_ones(s, .dtype = fa_tensor_dtype(x), .device = fa_tensor_device(x));
    return fa_mul(x, fa_dropout(ones, .p = *p));
}

static fa_module *dropout_new(const char *kind, fa_tensor *(*forward)(fa_module *, fa_tensor *),
                              const fa_nn_dropout_options *options)
{
    fa_nn_dropout_options o = FA__DEFAULT_fa_nn_dropout;
    fa__options_read(&o, o.size, options);
    if (!(o.p >= 0 && o.p <= 1)) {
        fa_fail(FA_ERROR_ARGUMENT, "fa_nn_%s: p is a probability, 0 to 1, not %g", kind, o.p);
        return NULL;
    }
    return fa_nn_custom(kind, sizeof o.p, forward, .data = &o.p);
}

fa_module *(fa_nn_dropout)(const fa_nn_dropout_options *options)
{
    return dropout_new("dropout", dropout_forward, options);
}

fa_module *(fa_nn_dropout2d)(const fa_nn_dropout2d_options *options)
{
    return dropout_new("dropout2d", dropout2d_forward, options);
}
