/* Dropout as a module: it knows whether it is training. */
#include <facula/error.h>
#include <facula/nn.h>
#include <facula/object.h>
#include <facula/pointwise.h>

static fa_tensor *dropout_forward(fa_module *self, fa_tensor *x)
{
    const double *p = fa_module_data(self);
    return fa_module_training(self) ? fa_dropout(x, .p = *p) : x;
}

fa_module *(fa_nn_dropout)(const fa_nn_dropout_options *options)
{
    fa_nn_dropout_options o = FA__DEFAULT_fa_nn_dropout;
    fa__options_read(&o, o.size, options);
    if (!(o.p >= 0 && o.p <= 1)) {
        fa_fail(FA_ERROR_ARGUMENT, "fa_nn_dropout: p is a probability, 0 to 1, not %g", o.p);
        return NULL;
    }
    fa_module *m = fa_nn_custom("dropout", sizeof o.p, dropout_forward);
    double *p = fa_module_data(m);
    if (p)
        *p = o.p;
    return m;
}
