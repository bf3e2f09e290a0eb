/* Image transforms: modules that map batches (batch, channels, height, width). */
#include "data/transform.h"
#include "data/draw.h"
#include <facula/error.h>
#include <facula/indexing.h>
#include <facula/ops/create.h>
#include <facula/ops/math.h>
#include <facula/ops/reduce.h>
#include <facula/ops/shape.h>
#include <facula/scope.h>
#include <facula/tensor.h>
#include <inttypes.h>
#include <string.h>

static bool is_image(const fa_module *self, const fa_tensor *x)
{
    return fa_dim(x) == 4
           || fa_fail(FA_ERROR_SHAPE, "fa_transform_%s: images are (samples, channels, height, width), not of %d dims",
                      fa_module_kind(self), fa_dim(x));
}

/* ---- values ---- */

fa_tensor *fa__to_tensor_forward(fa_module *self, fa_tensor *x)
{
    (void)self;
    return fa_tensor_dtype(x) == FA_U8 ? fa_div(x, 255) : x;
}

fa_transform *fa_transform_to_tensor(void)
{
    return fa_nn_custom("to_tensor", 0, fa__to_tensor_forward);
}

typedef struct normalize {
    int64_t channels;
    double number[]; /* the means, followed by the standard deviations */
} normalize;

/* One number for each channel, as (channels, 1, 1), on the CPU and in a dtype. */
static fa_tensor *for_channels(const double *number, int64_t channels, fa_dtype dtype)
{
    return fa_to(fa_tensor_from(number, FA_SHAPE(channels, 1, 1), .dtype = FA_F64, .device = FA_CPU), dtype);
}

/* Checks that no standard deviation became 0 in this dtype. */
static bool can_divide(const fa_tensor *std)
{
    FA_USE(.placement = FA_PLACE_STRICT);
    bool good = fa_item(fa_all(fa_ne(std, 0))) != 0;
    return !fa_error_stands()
           && (good
               || fa_fail(FA_ERROR_ARGUMENT, "fa_transform_normalize: a deviation is 0 in %s, the dtype of the images",
                          fa_dtype_name(fa_tensor_dtype(std))));
}

fa_tensor *fa__normalize_forward(fa_module *self, fa_tensor *x)
{
    const normalize *n = fa_module_data(self);
    fa_device there = fa_tensor_device(x);
    fa_dtype dtype = fa_dtype_is_floating(fa_tensor_dtype(x)) ? fa_tensor_dtype(x) : FA_F32;
    if (!is_image(self, x))
        return NULL;
    if (fa_tensor_dtype(x) == FA_U8) {
        fa_fail(FA_ERROR_DTYPE, "fa_transform_normalize: the images are u8: fa_transform_to_tensor() comes before it");
        return NULL;
    }
    if (n->channels != 1 && n->channels != fa_size(x, 1)) {
        fa_fail(FA_ERROR_SHAPE, "fa_transform_normalize: %" PRId64 " means for images of %" PRId64 " channels",
                n->channels, fa_size(x, 1));
        return NULL;
    }
    const fa_tensor *mean = for_channels(n->number, n->channels, dtype);
    const fa_tensor *std = for_channels(n->number + n->channels, n->channels, dtype);
    return can_divide(std) ? fa_div(fa_sub(x, fa_to(mean, there)), fa_to(std, there)) : NULL;
}

fa_transform *(fa_transform_normalize)(fa_list mean, fa_list std)
{
    bool good = mean.count >= 1 && mean.count == std.count && mean.item && std.item;
    if (!good)
        fa_fail(FA_ERROR_ARGUMENT, "fa_transform_normalize: %zu means and %zu deviations: each channel has one of both",
                mean.count, std.count);
    for (size_t i = 0; good && i < std.count; i++)
        good = std.item[i] != 0 || fa_fail(FA_ERROR_ARGUMENT, "fa_transform_normalize: deviation %zu is 0", i);
    if (!good)
        return NULL;
    size_t size = mean.count * sizeof(double);
    fa_module *m = fa_nn_custom("normalize", sizeof(normalize) + 2 * size, fa__normalize_forward);
    if (!m)
        return NULL;
    normalize *n = fa_module_data(m);
    n->channels = (int64_t)mean.count;
    memcpy(n->number, mean.item, size);
    memcpy(n->number + mean.count, std.item, size);
    return m;
}

/* ---- crops ---- */

fa_tensor *fa__crop_begins(const fa_module *self, const fa_tensor *x, int64_t room)
{
    fa_shape each = FA_SHAPE(fa_size(x, 0), 1, 1, 1);
    if (fa_module_training(self))
        return fa__draw_below(x, room + 1);
    return fa_full(each, room / 2, .dtype = FA_I64, .device = fa_tensor_device(x));
}

/* The numbers 0 to n - 1 along one of four dimensions. */
static fa_tensor *along(int dim, int64_t n, const fa_tensor *x)
{
    fa_shape shape = FA_SHAPE(1, 1, 1, 1);
    shape.dim[dim] = n;
    return fa_reshape(fa_arange(0, (double)n, .dtype = FA_I64, .device = fa_tensor_device(x)), shape);
}

fa_tensor *fa__crop_forward(fa_module *self, fa_tensor *x)
{
    const fa__crop *c = fa_module_data(self);
    if (!is_image(self, x))
        return NULL;
    double h = (double)c->padding[0], w = (double)c->padding[1];
    if (h > 0 || w > 0)
        x = fa_pad(x, FA_LIST(w, w, h, h), .value = c->fill);
    int64_t height = fa_size(x, 2) - c->size[0], width = fa_size(x, 3) - c->size[1];
    if (x && (height < 0 || width < 0))
        fa_fail(FA_ERROR_SHAPE,
                "fa_transform_random_crop: images of %" PRId64 " x %" PRId64 " have no part of %" PRId64 " x %" PRId64,
                fa_size(x, 2), fa_size(x, 3), c->size[0], c->size[1]);
    if (!x || height < 0 || width < 0)
        return NULL;
    fa_tensor *row = fa_add(fa__crop_begins(self, x, height), along(2, c->size[0], x));
    fa_tensor *column = fa_add(fa__crop_begins(self, x, width), along(3, c->size[1], x));
    return fa_index(x, along(0, fa_size(x, 0), x), along(1, fa_size(x, 1), x), row, column);
}

static bool pair_read(fa_pair pair, int64_t *size, int64_t least, const char *what)
{
    size[0] = fa_pair_at(pair, 0);
    size[1] = fa_pair_at(pair, 1);
    const char *mistake = fa__pair_mistake(pair);
    if (mistake)
        return fa_fail(FA_ERROR_ARGUMENT, "fa_transform_random_crop: %s %s", what, mistake);
    return (size[0] >= least && size[1] >= least)
           || fa_fail(FA_ERROR_ARGUMENT,
                      "fa_transform_random_crop: %s is %" PRId64 " or more, not %" PRId64 ", %" PRId64, what, least,
                      size[0], size[1]);
}

fa_transform *(fa_transform_random_crop)(fa_pair size, const fa_transform_random_crop_options *options)
{
    fa_transform_random_crop_options o = FA__DEFAULT_fa_transform_random_crop;
    fa__options_read(&o, o.size, options);
    fa__crop c = {.fill = o.fill};
    if (!pair_read(size, c.size, 1, "size") || !pair_read(o.padding, c.padding, 0, ".padding"))
        return NULL;
    fa_module *m = fa_nn_custom("random_crop", sizeof c, fa__crop_forward);
    if (m)
        *(fa__crop *)fa_module_data(m) = c;
    return m;
}

/* ---- flips ---- */

fa_tensor *fa__flip_drawn(const fa_module *self, const fa_tensor *x)
{
    const fa__flip *t = fa_module_data(self);
    return fa_lt(fa__draw_uniform(x), t->p);
}

fa_tensor *fa__flip_forward(fa_module *self, fa_tensor *x)
{
    const fa__flip *t = fa_module_data(self);
    if (!is_image(self, x) || !fa_module_training(self))
        return fa_error_stands() ? NULL : x;
    return fa_where(fa__flip_drawn(self, x), fa_slice(x, t->dim, .step = -1), x);
}

static fa_transform *flip_new(const char *kind, double p, int dim)
{
    if (!(p >= 0 && p <= 1)) {
        fa_fail(FA_ERROR_ARGUMENT, "fa_transform_%s: p is a probability, 0 to 1, not %g", kind, p);
        return NULL;
    }
    fa_module *m = fa_nn_custom(kind, sizeof(fa__flip), fa__flip_forward);
    if (m)
        *(fa__flip *)fa_module_data(m) = (fa__flip){p, dim};
    return m;
}

fa_transform *(fa_transform_random_horizontal_flip)(const fa_transform_random_horizontal_flip_options *options)
{
    fa_transform_random_horizontal_flip_options o = FA__DEFAULT_fa_transform_random_horizontal_flip;
    fa__options_read(&o, o.size, options);
    return flip_new("random_horizontal_flip", o.p, 3);
}

fa_transform *(fa_transform_random_vertical_flip)(const fa_transform_random_vertical_flip_options *options)
{
    fa_transform_random_vertical_flip_options o = FA__DEFAULT_fa_transform_random_vertical_flip;
    fa__options_read(&o, o.size, options);
    return flip_new("random_vertical_flip", o.p, 2);
}
