/* Pooling of planes as modules. */
#include "nn/layer.h"
#include <facula/object.h>
#include <facula/pooling.h>

typedef struct max_pool2d {
    fa_pair kernel;
    fa_nn_max_pool2d_options o;
} max_pool2d;

static fa_tensor *max_pool2d_forward(fa_module *self, fa_tensor *x)
{
    const max_pool2d *p = fa_module_data(self);
    return fa_max_pool2d(x, p->kernel, .stride = p->o.stride, .padding = p->o.padding, .dilation = p->o.dilation,
                         .ceil_mode = p->o.ceil_mode);
}

fa_module *(fa_nn_max_pool2d)(fa_pair kernel, const fa_nn_max_pool2d_options *options)
{
    max_pool2d p = {kernel, FA__DEFAULT_fa_nn_max_pool2d};
    fa__options_read(&p.o, p.o.size, options);
    return fa_nn_custom("max_pool2d", sizeof p, max_pool2d_forward, .data = &p);
}

typedef struct avg_pool2d {
    fa_pair kernel;
    fa_nn_avg_pool2d_options o;
} avg_pool2d;

static fa_tensor *avg_pool2d_forward(fa_module *self, fa_tensor *x)
{
    const avg_pool2d *p = fa_module_data(self);
    return fa_avg_pool2d(x, p->kernel, .stride = p->o.stride, .padding = p->o.padding, .ceil_mode = p->o.ceil_mode,
                         .count_include_pad = p->o.count_include_pad, .divisor_override = p->o.divisor_override);
}

fa_module *(fa_nn_avg_pool2d)(fa_pair kernel, const fa_nn_avg_pool2d_options *options)
{
    avg_pool2d p = {kernel, FA__DEFAULT_fa_nn_avg_pool2d};
    fa__options_read(&p.o, p.o.size, options);
    return fa_nn_custom("avg_pool2d", sizeof p, avg_pool2d_forward, .data = &p);
}

static fa_tensor *adaptive_avg_pool2d_forward(fa_module *self, fa_tensor *x)
{
    const fa_pair *size = fa_module_data(self);
    return fa_adaptive_avg_pool2d(x, *size);
}

fa_module *fa_nn_adaptive_avg_pool2d(fa_pair size)
{
    return fa_nn_custom("adaptive_avg_pool2d", sizeof size, adaptive_avg_pool2d_forward, .data = &size);
}

static fa_tensor *adaptive_max_pool2d_forward(fa_module *self, fa_tensor *x)
{
    const fa_pair *size = fa_module_data(self);
    return fa_adaptive_max_pool2d(x, *size);
}

fa_module *fa_nn_adaptive_max_pool2d(fa_pair size)
{
    return fa_nn_custom("adaptive_max_pool2d", sizeof size, adaptive_max_pool2d_forward, .data = &size);
}
