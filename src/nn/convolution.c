/* 1D and 2D convolution layers, and their transposes. */
#include "nn/layer.h"
#include <facula/ops/nn.h>
#include <facula/ops/shape.h>
#include <facula/scope.h>
#include <facula/tensor.h>
#include <string.h>

/* A 2D convolution; also a 1D one, whose pairs then hold one number each. */
typedef struct conv {
    fa__weights w;
    fa_nn_conv2d_options o;
    char mode[16]; /* padding mode; "": zeros */
} conv;

typedef struct conv_transpose {
    fa__weights w;
    fa_nn_conv_transpose2d_options o;
} conv_transpose;

/* Pads x with its own values, for a convolution without padding. fa_pad takes the last dimension first. */
static fa_tensor *padded(const conv *c, fa_tensor *x)
{
    double pads[4];
    int dims = fa_dim(c->w.weight) - 2;
    for (int i = 0; i < dims; i++) {
        int d = dims - 1 - i;
        int64_t front = fa_pair_at(c->o.padding, d), behind = front;
        if (c->o.padding == FA_PADDING_SAME) {
            int64_t whole = fa_pair_at(c->o.dilation, d) * (fa_size(c->w.weight, 2 + d) - 1);
            front = whole / 2, behind = whole - front;
        }
        pads[2 * i] = (double)front, pads[2 * i + 1] = (double)behind;
    }
    return fa_pad(x, ((fa_list){2 * (size_t)dims, pads}), .mode = c->mode);
}

static fa_tensor *conv2d_forward(fa_module *self, fa_tensor *x)
{
    const conv *c = fa_module_data(self);
    bool own = *c->mode;
    return fa_conv2d(own ? padded(c, x) : x, c->w.weight, .bias = c->w.bias, .stride = c->o.stride,
                     .padding = own ? 0 : c->o.padding, .dilation = c->o.dilation, .groups = c->o.groups);
}

static fa_tensor *conv1d_forward(fa_module *self, fa_tensor *x)
{
    const conv *c = fa_module_data(self);
    bool own = *c->mode;
    return fa_conv1d(own ? padded(c, x) : x, c->w.weight, .bias = c->w.bias, .stride = c->o.stride,
                     .padding = own ? 0 : c->o.padding, .dilation = c->o.dilation, .groups = c->o.groups);
}

static fa_tensor *conv_transpose2d_forward(fa_module *self, fa_tensor *x)
{
    const conv_transpose *c = fa_module_data(self);
    return fa_conv_transpose2d(x, c->w.weight, .bias = c->w.bias, .stride = c->o.stride, .padding = c->o.padding,
                               .output_padding = c->o.output_padding, .groups = c->o.groups, .dilation = c->o.dilation);
}

static fa_tensor *conv_transpose1d_forward(fa_module *self, fa_tensor *x)
{
    const conv_transpose *c = fa_module_data(self);
    return fa_conv_transpose1d(x, c->w.weight, .bias = c->w.bias, .stride = c->o.stride, .padding = c->o.padding,
                               .output_padding = c->o.output_padding, .groups = c->o.groups, .dilation = c->o.dilation);
}

static bool mode_read(const char *who, conv *c)
{
    static const char *const modes[] = {"zeros", "reflect", "replicate", "circular"};
    for (size_t i = 0; c->o.padding_mode && i < sizeof modes / sizeof *modes; i++)
        if (!strcmp(modes[i], c->o.padding_mode)) {
            strcpy(c->mode, i ? modes[i] : "");
            c->o.padding_mode = NULL; /* the string belongs to the caller */
            return true;
        }
    return fa_fail(FA_ERROR_ARGUMENT,
                   "%s: padding_mode is \"zeros\", \"reflect\", \"replicate\" or \"circular\", not \"%s\"", who,
                   c->o.padding_mode ? c->o.padding_mode : "NULL");
}

typedef fa_tensor *forward_function(fa_module *self, fa_tensor *x);

/* With both sizes of a kernel, or the single one of a 1D convolution. */
static fa_shape weight_shape(int64_t out, int64_t in, fa_pair kernel, bool line)
{
    return line ? FA_SHAPE(out, in, kernel) : FA_SHAPE(out, in, fa_pair_at(kernel, 0), fa_pair_at(kernel, 1));
}

static bool steps_are_good(const char *who, fa_pair kernel, fa_pair stride, fa_pair dilation)
{
    return fa__pair_check(who, "the kernel", kernel, 1) && fa__pair_check(who, ".stride", stride, 1)
           && fa__pair_check(who, ".dilation", dilation, 1);
}

static bool padding_is_good(const char *who, const fa_nn_conv2d_options *o)
{
    bool steps = fa_pair_at(o->stride, 0) != 1 || fa_pair_at(o->stride, 1) != 1;
    if (o->padding != FA_PADDING_SAME)
        return fa__pair_check(who, ".padding", o->padding, 0);
    return !steps || fa_fail(FA_ERROR_ARGUMENT, "%s: FA_PADDING_SAME goes with a stride of 1", who);
}

static fa_module *conv_new(const char *who, forward_function *forward, int64_t in, int64_t out, fa_pair kernel, conv *c,
                           bool line)
{
    const fa_nn_conv2d_options *o = &c->o;
    if (!fa__channels_check(who, in, out, o->groups) || !steps_are_good(who, kernel, o->stride, o->dilation)
        || !padding_is_good(who, o) || !mode_read(who, c))
        return NULL;
    FA_SCOPE;
    fa_module *m = fa_nn_custom(who + strlen("fa_nn_"), sizeof *c, forward, .data = c);
    fa_shape shape = weight_shape(out, in / o->groups, kernel, line);
    return fa_escape(fa__weights_add(m, &(fa__begin){shape, o->bias ? out : -1, o->dtype, o->device}));
}

static fa_module *transpose_new(const char *who, forward_function *forward, int64_t in, int64_t out, fa_pair kernel,
                                conv_transpose *c, bool line)
{
    const fa_nn_conv_transpose2d_options *o = &c->o;
    if (!fa__channels_check(who, in, out, o->groups) || !steps_are_good(who, kernel, o->stride, o->dilation)
        || !fa__pair_check(who, ".padding", o->padding, 0)
        || !fa__pair_check(who, ".output_padding", o->output_padding, 0))
        return NULL;
    FA_SCOPE;
    fa_module *m = fa_nn_custom(who + strlen("fa_nn_"), sizeof *c, forward, .data = c);
    fa_shape shape = weight_shape(in, out / o->groups, kernel, line);
    return fa_escape(fa__weights_add(m, &(fa__begin){shape, o->bias ? out : -1, o->dtype, o->device}));
}

fa_module *(fa_nn_conv2d)(int64_t in, int64_t out, fa_pair kernel, const fa_nn_conv2d_options *options)
{
    conv c = {.o = FA__DEFAULT_fa_nn_conv2d};
    fa__options_read(&c.o, c.o.size, options);
    return conv_new("fa_nn_conv2d", conv2d_forward, in, out, kernel, &c, false);
}

fa_module *(fa_nn_conv1d)(int64_t in, int64_t out, int64_t kernel, const fa_nn_conv1d_options *options)
{
    conv c = {.o = FA__DEFAULT_fa_nn_conv2d};
    fa__options_read(&c.o, c.o.size, options);
    return conv_new("fa_nn_conv1d", conv1d_forward, in, out, kernel, &c, true);
}

fa_module *(fa_nn_conv_transpose2d)(int64_t in, int64_t out, fa_pair kernel,
                                    const fa_nn_conv_transpose2d_options *options)
{
    conv_transpose c = {.o = FA__DEFAULT_fa_nn_conv_transpose2d};
    fa__options_read(&c.o, c.o.size, options);
    return transpose_new("fa_nn_conv_transpose2d", conv_transpose2d_forward, in, out, kernel, &c, false);
}

fa_module *(fa_nn_conv_transpose1d)(int64_t in, int64_t out, int64_t kernel,
                                    const fa_nn_conv_transpose1d_options *options)
{
    conv_transpose c = {.o = FA__DEFAULT_fa_nn_conv_transpose2d};
    fa__options_read(&c.o, c.o.size, options);
    return transpose_new("fa_nn_conv_transpose1d", conv_transpose1d_forward, in, out, kernel, &c, true);
}
