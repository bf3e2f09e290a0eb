/* Colors of batches of images on a device, by its operations: what frame_color.c does for one image. */
#include "data/frame.h"
#include <facula/device.h>
#include <facula/error.h>
#include <facula/expression.h>
#include <facula/operations.h>
#include <facula/tensor.h>
#include <stdlib.h>

static fa_tensor *gray_of(const fa__images *b)
{
    if (b->channels != 3)
        return b->x;
    return fa_pointwise("0.2989 * x + 0.587 * y + 0.114 * z", fa_narrow(b->x, 1, 0, 1), fa_narrow(b->x, 1, 1, 1),
                        fa_narrow(b->x, 1, 2, 1));
}

/* Between the image and something else, where it is wanted. */
static const char blend[] = "w ? minimum(maximum(y * x + (1 - y) * z, 0), a) : x";

fa_tensor *fa__images_brightness(const fa__images *b, fa_tensor *factor, fa_tensor *wanted)
{
    return fa_pointwise("z ? minimum(maximum(y * x, 0), w) : x", b->x, factor, wanted, (double)b->bound);
}

fa_tensor *fa__images_contrast(const fa__images *b, fa_tensor *factor, fa_tensor *wanted)
{
    fa_tensor *gray = gray_of(b);
    gray = gray && b->bound > 1 ? fa_floor(gray) : gray;
    fa_tensor *mean = gray ? fa_mean(gray, .dim = FA_DIMS(1, 2, 3), .keepdim = true) : NULL;
    return mean ? fa_pointwise(blend, b->x, factor, mean, wanted, (double)b->bound) : NULL;
}

fa_tensor *fa__images_saturation(const fa__images *b, fa_tensor *factor, fa_tensor *wanted)
{
    fa_tensor *gray = b->channels == 3 ? gray_of(b) : NULL;
    return gray ? fa_pointwise(blend, b->x, factor, gray, wanted, (double)b->bound) : fa_error_stands() ? NULL : b->x;
}

fa_tensor *fa__images_grayscale(const fa__images *b)
{
    fa_tensor *gray = gray_of(b);
    return gray ? fa_expand(gray, fa_tensor_shape(b->x)) : NULL;
}

/* Red, green and blue of a hue are the same function of it, moved: `c` is the color's number. */
fa_tensor *fa__images_hue(const fa__images *b, fa_tensor *turn, fa_tensor *wanted)
{
    static const char channel[] =
        "most = maximum(x, maximum(y, z)); least = minimum(x, minimum(y, z)); range = most - least;"
        "safe = range > 0 ? range : 1;"
        "hue = most == x ? (y - z) / safe : (most == y ? 2 + (z - x) / safe : 4 + (x - y) / safe);"
        "t = hue / 6 + w; h = 6 * (t - floor(t));"
        "at = b == 0 ? abs(h - 3) - 1 : (b == 1 ? 2 - abs(h - 2) : 2 - abs(h - 4));"
        "value = least + range * minimum(maximum(at, 0), 1);"
        "own = b == 0 ? x : (b == 1 ? y : z);"
        "a && range > 0 ? value : own";
    fa_tensor *part[3], *turned[3];
    if (b->channels != 3)
        return b->x;
    for (int64_t c = 0; c < 3; c++)
        part[c] = fa_narrow(b->x, 1, c, 1);
    for (int c = 0; c < 3; c++)
        turned[c] = fa_pointwise(channel, part[0], part[1], part[2], turn, wanted, (double)c);
    return fa_error_stands() ? NULL : fa_cat(((fa_tensors){3, turned}), .dim = 1);
}

fa_tensor *fa__images_autocontrast(const fa__images *b)
{
    fa_tensor *least = fa_amin(b->x, .dim = FA_DIMS(2, 3), .keepdim = true),
              *most = fa_amax(b->x, .dim = FA_DIMS(2, 3), .keepdim = true);
    if (!least || !most)
        return NULL;
    return fa_pointwise("z > y ? minimum(maximum((x - y) * (w / (z - y)), 0), w) : x", b->x, least, most,
                        (double)b->bound);
}

/* How often each of 256 levels occurs: (count, channels, 256); `level` is those of the pixels. */
static fa_tensor *histogram_of(const fa__images *b, fa_tensor *level)
{
    const fa_device device = fa_tensor_device(b->x);
    fa_tensor *none = fa_zeros(FA_SHAPE(b->count, b->channels, 256), .device = device);
    fa_tensor *one = fa_expand(fa_ones(FA_SHAPE(1, 1, 1), .device = device), fa_tensor_shape(level));
    return none && one ? fa_scatter_add(none, 2, level, one) : NULL;
}

/* The sums are whole numbers, to which a half is added, so that a quotient is never just below the next whole number.
 * Levels below 0 are those of images with too few of them. */
fa_tensor *fa__images_equalize(const fa__images *b)
{
    static const char levels[] = "step = floor((y + 0.5) / 255); t = floor((x + floor(step / 2) + 0.5) / step);"
                                 "step > 0 ? minimum(t, 255) : -1";
    const double unit = (double)(b->bound / 255);
    const fa_shape flat = FA_SHAPE(b->count, b->channels, b->height * b->width);
    fa_tensor *level = fa_pointwise("i64(round(minimum(maximum(x, 0), y) / z))", b->x, (double)b->bound, unit);
    level = level ? fa_reshape(level, flat) : NULL;
    fa_tensor *count = level ? histogram_of(b, level) : NULL, *sum = count ? fa_cumsum(count, 2) : NULL;
    fa_tensor *below = sum ? fa_pointwise("x < y ? x : 0", sum, (double)(b->height * b->width)) : NULL;
    below = below ? fa_amax(below, .dim = FA_DIMS(2), .keepdim = true) : NULL;
    fa_tensor *to = below ? fa_pointwise(levels, fa_sub(sum, count), below) : NULL;
    fa_tensor *value = to ? fa_gather(to, 2, level) : NULL;
    return value ? fa_pointwise("y >= 0 ? y * z : x", b->x, fa_reshape(value, fa_tensor_shape(b->x)), unit) : NULL;
}

fa_tensor *fa__images_posterize(const fa__images *b, int bits)
{
    const double levels = (double)(1 << bits), unit = b->bound > 1 ? 256 : 1;
    return fa_pointwise("minimum(maximum(floor(x / z * y), 0), y - 1) / y * z", b->x, levels, unit);
}

fa_tensor *fa__images_solarize(const fa__images *b, double threshold)
{
    return fa_pointwise("x >= y ? z - x : x", b->x, (double)((float)threshold * b->bound), (double)b->bound);
}

/* ---- neighbourhoods ---- */

/* The indices 0 to n - 1 moved by `by`, reflected at the edges. */
static fa_tensor *moved(const fa__images *b, int64_t n, int64_t by)
{
    fa_tensor *t = fa_empty(FA_SHAPE(n), .dtype = FA_I64, .device = FA_CPU);
    int64_t *item = t ? fa_ptr(t, FA_I64) : NULL;
    for (int64_t i = 0; item && i < n; i++) {
        int64_t at = llabs(i + by);
        item[i] = at >= n ? 2 * (n - 1) - at : at;
    }
    return t ? fa_to(t, fa_tensor_device(b->x)) : NULL;
}

/* The pixels at (y, x) from those that have neighbours on all sides. */
static fa_tensor *inner(const fa__images *b, fa_tensor *x, int64_t row, int64_t column)
{
    return fa_narrow(fa_narrow(x, 2, 1 + row, b->height - 2), 3, 1 + column, b->width - 2);
}

/* Pixels at the edges stay as they are. */
fa_tensor *fa__images_sharpness(const fa__images *b, fa_tensor *factor)
{
    if (b->height < 3 || b->width < 3)
        return b->x;
    fa_tensor *own = inner(b, b->x, 0, 0), *sum = own ? fa_mul(own, 4) : NULL;
    for (int64_t k = 0; sum && k < 9; k++)
        sum = fa_add(sum, inner(b, b->x, k / 3 - 1, k % 3 - 1));
    fa_tensor *soft = sum ? fa_pointwise("y > 1 ? round(x / 13) : x / 13", sum, (double)b->bound) : NULL;
    fa_tensor *sharp =
        soft ? fa_pointwise("minimum(maximum(y * x + (1 - y) * z, 0), w)", own, factor, soft, (double)b->bound) : NULL;
    fa_tensor *y = sharp ? fa_clone(b->x) : NULL;
    return y && fa_copy_(inner(b, y, 0, 0), sharp) ? y : NULL;
}

/* The weights of all images: (count, size). */
static fa_tensor *weights(const fa__images *b, int64_t size, const double *sigma)
{
    fa_tensor *t = fa_empty(FA_SHAPE(b->count, size), .dtype = FA_F32, .device = FA_CPU);
    float *item = t ? fa_ptr(t, FA_F32) : NULL;
    for (int64_t i = 0; item && i < b->count; i++)
        fa__gaussian(item + i * size, size, sigma[i]);
    return t ? fa_to(t, fa_tensor_device(b->x)) : NULL;
}

fa_tensor *fa__images_blur(const fa__images *b, const int64_t kernel[2], const double *sigma)
{
    fa_tensor *x = b->x;
    for (int dim = 3; x && dim >= 2; dim--) {
        const int64_t size = kernel[dim - 2];
        fa_tensor *weight = weights(b, size, sigma), *sum = NULL;
        for (int64_t k = 0; weight && k < size; k++) {
            fa_tensor *index = moved(b, fa_size(x, dim), k - size / 2);
            fa_tensor *there = index ? fa_index_select(x, dim, index) : NULL, *w = fa__number_of(weight, k);
            if (!there || !w)
                return NULL;
            sum = sum ? fa_pointwise("x + y * z", sum, there, w) : fa_mul(there, w);
        }
        x = sum;
    }
    return x;
}

fa_tensor *fa__images_fill(const fa__images *b, const fa__box *box, double value)
{
    double *edge = malloc((size_t)b->count * 4 * sizeof *edge);
    if (!edge) {
        fa_fail(FA_ERROR_MEMORY, "a transform has no memory for %lld boxes", (long long)b->count);
        return NULL;
    }
    for (int64_t i = 0; i < b->count; i++) {
        edge[4 * i] = (double)box[i].top;
        edge[4 * i + 1] = (double)(box[i].top + box[i].height);
        edge[4 * i + 2] = (double)box[i].left;
        edge[4 * i + 3] = (double)(box[i].left + box[i].width);
    }
    fa_tensor *t = fa__numbers_of(b, edge, 4);
    free(edge);
    const fa_device device = fa_tensor_device(b->x);
    fa_tensor *row =
        fa_reshape(fa_arange(0, (double)b->height, .dtype = FA_F32, .device = device), FA_SHAPE(1, 1, b->height, 1));
    fa_tensor *column =
        fa_reshape(fa_arange(0, (double)b->width, .dtype = FA_F32, .device = device), FA_SHAPE(1, 1, 1, b->width));
    if (!t || !row || !column)
        return NULL;
    fa_tensor *rows = fa_pointwise("x >= y && x < z", row, fa__number_of(t, 0), fa__number_of(t, 1));
    fa_tensor *columns = fa_pointwise("x >= y && x < z", column, fa__number_of(t, 2), fa__number_of(t, 3));
    return fa_error_stands() ? NULL : fa_pointwise("y && z ? w : x", b->x, rows, columns, value);
}
