/* Sizes and positions of batches of images on a device, by its operations. What images have of their own (boxes, maps)
 * is computed on the host, and copied there. */
#include "data/data.h"
#include "data/frame.h"
#include <facula/device.h>
#include <facula/error.h>
#include <facula/expression.h>
#include <facula/operations.h>
#include <facula/tensor.h>
#include <math.h>
#include <stdlib.h>

fa_tensor *fa__numbers_of(const fa__images *b, const double *item, int64_t each)
{
    fa_tensor *t = fa_to(fa_tensor_from(item, FA_SHAPE(b->count, each), .dtype = FA_F64, .device = FA_CPU), FA_F32);
    return t ? fa_to(t, fa_tensor_device(b->x)) : NULL;
}

fa_tensor *fa__number_of(const fa_tensor *t, int64_t k)
{
    fa_tensor *one = t ? fa_select(t, 1, k) : NULL;
    return one ? fa_reshape(one, FA_SHAPE(fa_size(t, 0), 1, 1, 1)) : NULL;
}

/* ---- crop ---- */

static double above(int64_t x)
{
    return x > 0 ? (double)x : 0;
}

fa_tensor *fa__images_crop(const fa__images *b, fa__box box, double fill)
{
    double top = above(-box.top), left = above(-box.left);
    double bottom = above(box.top + box.height - b->height), right = above(box.left + box.width - b->width);
    fa_tensor *x = b->x;
    if (top > 0 || left > 0 || bottom > 0 || right > 0)
        x = fa_pad(x, FA_LIST(left, right, top, bottom), .value = fill);
    x = x ? fa_narrow(x, 2, box.top > 0 ? box.top : 0, box.height) : NULL;
    return x ? fa_narrow(x, 3, box.left > 0 ? box.left : 0, box.width) : NULL;
}

/* ---- resize ---- */

/* The taps of a line of each image, or of one for all: tap t of result k is at (t, image, k). */
typedef struct lines {
    int64_t images, out, taps;
    bool bytes;
    fa_tensor *index, *weight;
} lines;

/* Where a line begins in its image, and how long it is. */
static int64_t start_of(fa__box box, int dim)
{
    return dim == 2 ? box.top : box.left;
}

static int64_t length_of(fa__box box, int dim)
{
    return dim == 2 ? box.height : box.width;
}

static void put_taps(lines *l, int64_t image, const fa__taps *t, int64_t start)
{
    int64_t *index = fa_ptr(l->index, FA_I64);
    float *weight = fa_ptr(l->weight, FA_F32);
    for (int64_t k = 0; k < l->out; k++)
        for (int64_t i = 0; i < l->taps; i++) {
            const bool there = i < t[k].count;
            const int64_t at = (i * l->images + image) * l->out + k;
            index[at] = start + t[k].first + (there ? i : 0);
            weight[at] = there ? t[k].weight[i] : 0;
        }
}

static bool make_room(lines *l)
{
    const fa_shape shape = FA_SHAPE(l->taps, l->images, l->out);
    l->index = fa_empty(shape, .dtype = FA_I64, .device = FA_CPU);
    l->weight = fa_empty(shape, .dtype = FA_F32, .device = FA_CPU);
    return l->index && l->weight;
}

/* Two rounds: how many taps there are at most, and the taps. */
static bool lines_of(lines *l, const fa__box *box, int dim, fa_interpolation how, bool antialias)
{
    for (int round = 0; round < 2; round++) {
        if (round && !make_room(l))
            return false;
        for (int64_t i = 0; i < l->images; i++) {
            fa__taps *t = fa__taps_of(length_of(box[i], dim), l->out, how, antialias, l->bytes);
            if (!t)
                return false;
            for (int64_t k = 0; !round && k < l->out; k++)
                l->taps = t[k].count > l->taps ? t[k].count : l->taps;
            if (round)
                put_taps(l, i, t, start_of(box[i], dim));
            free(t);
        }
    }
    return true;
}

/* Along rows (dim 3) or columns (dim 2): a sum of weighted pixels. */
static fa_tensor *resize_along(fa_tensor *x, int dim, const lines *l)
{
    const fa_device device = fa_tensor_device(x);
    fa_shape to = fa_tensor_shape(x), table = FA_SHAPE(l->images, 1, 1, 1);
    to.dim[dim] = table.dim[dim] = l->out;
    fa_tensor *index = fa_to(l->index, device), *weight = fa_to(l->weight, device), *sum = NULL;
    for (int64_t i = 0; index && weight && i < l->taps; i++) {
        fa_tensor *at = fa_expand(fa_reshape(fa_select(index, 0, i), table), to);
        fa_tensor *g = at ? fa_gather(x, dim, at) : NULL, *w = fa_reshape(fa_select(weight, 0, i), table);
        if (!g || !w)
            return NULL;
        sum = sum ? fa_pointwise("x + y * z", sum, g, w) : fa_mul(g, w);
    }
    return sum;
}

/* Values of bytes are rounded after each of the two passes, as on the CPU. */
fa_tensor *fa__images_resize(const fa__images *b, const fa__box *box, int64_t boxes, const int64_t to[2],
                             fa_interpolation how, bool antialias)
{
    fa_tensor *x = b->x;
    for (int dim = 3; x && dim >= 2; dim--) {
        lines l = {.images = boxes, .out = to[dim - 2], .bytes = b->bound > 1};
        x = lines_of(&l, box, dim, how, antialias) ? resize_along(x, dim, &l) : NULL;
        if (x && b->bound > 1)
            x = fa_pointwise("floor(minimum(maximum(x, 0), 255) + 0.5)", x);
    }
    return x;
}

/* ---- maps ---- */

/* The numbers 0 to n - 1 along a dimension. */
static fa_tensor *along(const fa__images *b, int dim)
{
    fa_shape shape = FA_SHAPE(1, 1, 1, 1);
    shape.dim[dim] = dim == 2 ? b->height : b->width;
    fa_tensor *t = fa_arange(0, (double)shape.dim[dim], .dtype = FA_F32, .device = fa_tensor_device(b->x));
    return t ? fa_reshape(t, shape) : NULL;
}

/* The pixels at whole positions (count, 1, height, width); `fill` outside of the image. */
static fa_tensor *pixels(const fa__images *b, fa_tensor *x, fa_tensor *y, double fill)
{
    const fa_shape all = fa_tensor_shape(b->x), flat = FA_SHAPE(b->count, b->channels, b->height * b->width);
    fa_tensor *at = fa_pointwise("i64(minimum(maximum(y, 0), z)) * w + i64(minimum(maximum(x, 0), a))", x, y,
                                 b->height - 1, b->width, b->width - 1);
    at = at ? fa_expand(fa_reshape(at, FA_SHAPE(b->count, 1, b->height * b->width)), flat) : NULL;
    fa_tensor *g = at ? fa_gather(fa_reshape(b->x, flat), 2, at) : NULL;
    return g ? fa_pointwise("x >= 0 && y >= 0 && x <= z && y <= w ? a : b", x, y, b->width - 1, b->height - 1,
                            fa_reshape(g, all), fill)
             : NULL;
}

static fa_tensor *bilinear(const fa__images *b, fa_tensor *x, fa_tensor *y, double fill)
{
    fa_tensor *left = fa_floor(x), *top = fa_floor(y), *right = fa_add(left, 1), *bottom = fa_add(top, 1);
    fa_tensor *part_x = fa_sub(x, left), *part_y = fa_sub(y, top);
    if (fa_error_stands())
        return NULL;
    static const char mix[] = "(1 - x) * y + x * z";
    fa_tensor *upper = fa_pointwise(mix, part_x, pixels(b, left, top, fill), pixels(b, right, top, fill));
    fa_tensor *lower = fa_pointwise(mix, part_x, pixels(b, left, bottom, fill), pixels(b, right, bottom, fill));
    return fa_error_stands() ? NULL : fa_pointwise(mix, part_y, upper, lower);
}

/* Positions in the images for those of the result: numerators and denominator are linear. Far ones are all alike. */
static bool positions(const fa__images *b, const fa__warp *w, fa_tensor **x, fa_tensor **y)
{
    fa_tensor *m = fa__numbers_of(b, (const double *)w, 8), *number[8];
    fa_tensor *column = fa_add(along(b, 3), 0.5 - (double)b->width / 2);
    fa_tensor *row = fa_add(along(b, 2), 0.5 - (double)b->height / 2);
    for (int i = 0; i < 8; i++)
        number[i] = fa__number_of(m, i);
    if (fa_error_stands())
        return false;
    static const char linear[] = "z * x + w * y + a", place[] = "t = x / y + z; t > -3 && t < w ? t : -3";
    fa_tensor *depth = fa_pointwise(linear, column, row, number[6], number[7], 1.0);
    *x = fa_pointwise(linear, column, row, number[0], number[1], number[2]);
    *y = fa_pointwise(linear, column, row, number[3], number[4], number[5]);
    *x = fa_pointwise(place, *x, depth, (double)b->width / 2 - 0.5, (double)b->width + 3);
    *y = fa_pointwise(place, *y, depth, (double)b->height / 2 - 0.5, (double)b->height + 3);
    return !fa_error_stands();
}

/* Which pixel is the nearest is decided in f64, and so on the host: in f32 it would often be another one. */
static bool nearest_positions(const fa__images *b, const fa__warp *w, fa_tensor **x, fa_tensor **y)
{
    const fa_shape shape = FA_SHAPE(b->count, 1, b->height, b->width);
    fa_tensor *t[2] = {fa_empty(shape, .dtype = FA_F32, .device = FA_CPU),
                       fa_empty(shape, .dtype = FA_F32, .device = FA_CPU)};
    if (!t[0] || !t[1])
        return false;
    float *to_x = fa_ptr(t[0], FA_F32), *to_y = fa_ptr(t[1], FA_F32);
    for (int64_t image = 0; image < b->count; image++)
        for (int64_t i = 0; i < b->height; i++)
            for (int64_t k = 0; k < b->width; k++, to_x++, to_y++) {
                double u, v;
                const bool near = fa__warp_source(&w[image], k, i, b->height, b->width, &u, &v);
                *to_x = near ? (float)rint(u) : -3;
                *to_y = near ? (float)rint(v) : -3;
            }
    *x = fa_to(t[0], fa_tensor_device(b->x));
    *y = fa_to(t[1], fa_tensor_device(b->x));
    return *x && *y;
}

fa_tensor *fa__images_warp(const fa__images *b, const fa__warp *w, fa_interpolation how, double fill)
{
    fa_tensor *x, *y;
    if (how == FA_NEAREST)
        return nearest_positions(b, w, &x, &y) ? pixels(b, x, y, fill) : NULL;
    return positions(b, w, &x, &y) ? bilinear(b, x, y, fill) : NULL;
}
