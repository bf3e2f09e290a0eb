/* 1D and 2D pooling layers: names, data and calls. */
#include "nn/layer.h"
#include "nn/module.h"
#include <facula/ops/nn.h>
#include <facula/scope.h>

static bool sizes_are_good(const char *who, fa_pair kernel, fa_pair stride, fa_pair padding, fa_pair dilation)
{
    return fa__pair_check(who, "the kernel", kernel, 1) && (!stride || fa__pair_check(who, ".stride", stride, 1))
           && fa__pair_check(who, ".padding", padding, 0) && fa__pair_check(who, ".dilation", dilation, 1);
}

/* Layers with a kernel k and options o; their dilation, and the call. */
#define WINDOWS(ROW)                                                                                                   \
    ROW(max_pool2d, p.o.dilation,                                                                                      \
        fa_max_pool2d(x, p->k, .stride = p->o.stride, .padding = p->o.padding, .dilation = p->o.dilation,              \
                      .ceil_mode = p->o.ceil_mode))                                                                    \
    ROW(max_pool1d, p.o.dilation,                                                                                      \
        fa_max_pool1d(x, p->k, .stride = p->o.stride, .padding = p->o.padding, .dilation = p->o.dilation,              \
                      .ceil_mode = p->o.ceil_mode))                                                                    \
    ROW(avg_pool2d, 1,                                                                                                 \
        fa_avg_pool2d(x, p->k, .stride = p->o.stride, .padding = p->o.padding, .ceil_mode = p->o.ceil_mode,            \
                      .count_include_pad = p->o.count_include_pad, .divisor_override = p->o.divisor_override))         \
    ROW(avg_pool1d, 1,                                                                                                 \
        fa_avg_pool1d(x, p->k, .stride = p->o.stride, .padding = p->o.padding, .ceil_mode = p->o.ceil_mode,            \
                      .count_include_pad = p->o.count_include_pad))
#define WINDOW_MODULE(name, dilation, call)                                                                            \
    typedef struct name {                                                                                              \
        fa_pair k;                                                                                                     \
        fa_nn_##name##_options o;                                                                                      \
    } name;                                                                                                            \
    static fa_tensor *name##_forward(fa_module *self, fa_tensor *x)                                                    \
    {                                                                                                                  \
        const name *p = fa_module_data(self);                                                                          \
        return call;                                                                                                   \
    }                                                                                                                  \
    fa_module *(fa_nn_##name)(fa_pair kernel, const fa_nn_##name##_options *options)                                   \
    {                                                                                                                  \
        name p = {kernel, FA__DEFAULT_fa_nn_##name};                                                                   \
        fa__options_read(&p.o, p.o.size, options);                                                                     \
        return sizes_are_good("fa_nn_" #name, kernel, p.o.stride, p.o.padding, dilation)                               \
                   ? fa_nn_custom(#name, sizeof p, name##_forward, .data = &p)                                         \
                   : NULL;                                                                                             \
    }
WINDOWS(WINDOW_MODULE)

static bool is_pair(fa_pair pair, int64_t value)
{
    return fa_pair_at(pair, 0) == value && fa_pair_at(pair, 1) == value;
}

bool fa__is_max_pool_2x2(const fa_module *module)
{
    const max_pool2d *p = module->data;
    return module->forward.one == max_pool2d_forward && is_pair(p->k, 2)
           && (is_pair(p->o.stride, 0) || is_pair(p->o.stride, 2)) && is_pair(p->o.padding, 0)
           && is_pair(p->o.dilation, 1) && !p->o.ceil_mode;
}

/* Layers with an output size. */
#define ADAPTIVE(ROW)                                                                                                  \
    ROW(adaptive_avg_pool2d) ROW(adaptive_max_pool2d) ROW(adaptive_avg_pool1d) ROW(adaptive_max_pool1d)
#define ADAPTIVE_MODULE(name)                                                                                          \
    static fa_tensor *name##_forward(fa_module *self, fa_tensor *x)                                                    \
    {                                                                                                                  \
        const fa_pair *size = fa_module_data(self);                                                                    \
        return fa_##name(x, *size);                                                                                    \
    }                                                                                                                  \
    fa_module *fa_nn_##name(fa_pair size)                                                                              \
    {                                                                                                                  \
        return fa__pair_check("fa_nn_" #name, "the size", size, -1)                                                    \
                   ? fa_nn_custom(#name, sizeof size, name##_forward, .data = &size)                                   \
                   : NULL;                                                                                             \
    }
ADAPTIVE(ADAPTIVE_MODULE)
