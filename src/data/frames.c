/* Applies functions of one image, in floats, to batches of images. */
#include "data/draw.h"
#include "data/frame.h"
#include <facula/device.h>
#include <facula/error.h>
#include <facula/expression.h>
#include <facula/ops/create.h>
#include <facula/tensor.h>
#include <math.h>

static bool check(const fa_module *self, const fa_tensor *x)
{
    const char *kind = fa_module_kind(self);
    if (!x)
        return false;
    if (fa_dim(x) != 4)
        return fa_fail(FA_ERROR_SHAPE, "fa_transform_%s: images are (samples, channels, height, width), not of %d dims",
                       kind, fa_dim(x));
    if (fa_tensor_dtype(x) != FA_U8 && fa_tensor_dtype(x) != FA_F32)
        return fa_fail(FA_ERROR_DTYPE, "fa_transform_%s: images are u8 or f32, not %s", kind,
                       fa_dtype_name(fa_tensor_dtype(x)));
    return (fa_size(x, 1) > 0 && fa_size(x, 2) > 0 && fa_size(x, 3) > 0)
           || fa_fail(FA_ERROR_SHAPE, "fa_transform_%s: the images have no pixels", kind);
}

static void load(fa__frame *f, fa_tensor *x, int64_t image)
{
    int64_t n = fa_size(x, 1) * fa_size(x, 2) * fa_size(x, 3);
    bool bytes = fa_tensor_dtype(x) == FA_U8;
    *f = (fa__frame){f->at, fa_size(x, 1), fa_size(x, 2), fa_size(x, 3), bytes ? 255 : 1, NULL};
    const uint8_t *u8 = bytes ? fa_ptr(x, FA_U8) : NULL;
    const float *f32 = bytes ? NULL : fa_ptr(x, FA_F32);
    for (int64_t i = 0; i < n; i++)
        f->at[i] = bytes ? u8[image * n + i] : f32[image * n + i];
}

static void store(const fa__frame *f, fa_tensor *y, int64_t image)
{
    int64_t n = fa__frame_count(f);
    bool bytes = fa_tensor_dtype(y) == FA_U8;
    uint8_t *u8 = bytes ? fa_ptr(y, FA_U8) : NULL;
    float *f32 = bytes ? NULL : fa_ptr(y, FA_F32);
    for (int64_t i = 0; i < n; i++)
        if (bytes)
            u8[image * n + i] = (uint8_t)rintf(f->at[i] > 0 ? fminf(f->at[i], 255) : 0);
        else
            f32[image * n + i] = f->at[i];
}

static fa_tensor *scratch(int64_t channels, int64_t height, int64_t width)
{
    return fa_empty(FA_SHAPE(channels, height, width), .dtype = FA_F32, .device = FA_CPU);
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static bool map_images(const fa_module *self, fa_tensor *x, fa_tensor *y, uint64_t *state, fa__frame_function *function)
{
    int64_t high = larger(fa_size(x, 2), fa_size(y, 2)), wide = larger(fa_size(x, 3), fa_size(y, 3));
    fa__frame frame[2] = {{.at = NULL}};
    for (int k = 0; k < 2; k++) {
        fa_tensor *room = scratch(fa_size(x, 1), high, wide);
        frame[k].at = room ? fa_ptr(room, FA_F32) : NULL;
    }
    for (int64_t i = 0; frame[0].at && frame[1].at && i < fa_size(x, 0); i++) {
        load(&frame[0], x, i);
        frame[0].state = state ? &state[i] : NULL;
        function(fa_module_data(self), frame);
        if (fa_error_stands())
            return false;
        store(&frame[0], y, i);
    }
    return frame[0].at && frame[1].at;
}

/* On the device of the batch. */
static fa_tensor *map_there(const fa_module *self, fa_tensor *x, bool draws, fa__images_function *there)
{
    const bool bytes = fa_tensor_dtype(x) == FA_U8;
    fa__images b = {fa_to(x, FA_F32), fa_size(x, 0),   fa_size(x, 1), fa_size(x, 2),
                    fa_size(x, 3),    bytes ? 255 : 1, NULL};
    b.state = draws ? fa__streams(b.count) : NULL;
    if (!b.x || fa_error_stands())
        return NULL;
    fa_tensor *y = there(fa_module_data(self), &b);
    return y && bytes ? fa_pointwise("u8(round(minimum(maximum(x, 0), 255)))", y) : y;
}

fa_tensor *fa__frames_map(const fa_module *self, fa_tensor *x, int64_t height, int64_t width, bool draws,
                          fa__frame_function *function, fa__images_function *there)
{
    if (!check(self, x))
        return NULL;
    FA_SCOPE;
    FA_USE(.no_grad = true, .placement = FA_PLACE_STRICT, .autocast = FA_SAME);
    fa_device device = fa_tensor_device(x);
    if (!fa_device_equal(device, FA_CPU) && fa_numel(x) > 0)
        return fa_escape(map_there(self, x, draws, there));
    fa_tensor *from = fa_contiguous(fa_cpu(x));
    fa_tensor *y = from ? fa_empty(FA_SHAPE(fa_size(x, 0), fa_size(x, 1), height, width), .dtype = fa_tensor_dtype(x),
                                   .device = FA_CPU)
                        : NULL;
    if (!y || fa_numel(y) == 0)
        return y ? fa_escape(fa_to(y, device)) : NULL;
    uint64_t *state = draws ? fa__streams(fa_size(x, 0)) : NULL;
    if ((draws && !state) || !map_images(self, from, y, state, function))
        return NULL;
    return fa_escape(fa_to(y, device));
}
