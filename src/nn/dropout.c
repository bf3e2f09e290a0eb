/* Dropout layers, which are active in training mode only. */
#include "nn/layer.h"
#include <facula/ops/math.h>
#include <facula/ops/random.h>
#include <facula/scope.h>

static fa_tensor *dropout_forward(fa_module *self, fa_tensor *x)
{
    const double *p = fa_module_data(self);
    return *p > 0 && fa__layer_trains(self) ? fa_dropout(x, .p = *p) : x;
}

static fa_tensor *dropout2d_forward(fa_module *self, fa_tensor *x)
{
    const double *p = fa_module_data(self);
    return *p > 0 && fa__layer_trains(self) ? fa_feature_dropout(x, .p = *p) : x;
}

static fa_tensor *alpha_dropout_forward(fa_module *self, fa_tensor *x)
{
    const double *p = fa_module_data(self);
    return *p > 0 && fa__layer_trains(self) ? fa_alpha_dropout(x, .p = *p) : x;
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

fa_module *(fa_nn_alpha_dropout)(const fa_nn_alpha_dropout_options *options)
{
    return dropout_new("alpha_dropout", alpha_dropout_forward, options);
}
