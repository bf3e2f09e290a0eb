/* Cropping and resizing images. A resized row is made of weighted sums of pixels; columns are resized alike. */
#include "data/frame.h"
#include <facula/error.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_TAPS = 4, MOST_BITS = 22, WEIGHT_BITS = 15 };

void fa__frame_crop(fa__frame frame[2], fa__box box, float fill)
{
    const fa__frame *from = &frame[0];
    fa__frame *to = &frame[1];
    *to = fa__frame_of(to->at, from, box.height, box.width);
    for (int64_t c = 0; c < to->channels; c++)
        for (int64_t y = 0; y < to->height; y++) {
            bool inside = y + box.top >= 0 && y + box.top < from->height;
            const float *row = inside ? fa__frame_row(from, c, y + box.top) : NULL;
            float *out = fa__frame_row(to, c, y);
            for (int64_t x = 0; x < to->width; x++) {
                int64_t at = x + box.left;
                out[x] = inside && at >= 0 && at < from->width ? row[at] : fill;
            }
        }
    fa__frames_swap(frame);
}

/* ---- weights ---- */

static double triangle(double x)
{
    return fmax(0, 1 - fabs(x));
}

/* Keys's cubic convolution (1981), with the parameter a. */
static double cubic(double x, double a)
{
    x = fabs(x);
    if (x < 1)
        return ((a + 2) * x - (a + 3)) * x * x + 1;
    return x < 2 ? (((x - 5) * x + 8) * x - 4) * a : 0;
}

static int64_t clamp(int64_t i, int64_t least, int64_t most)
{
    return i < least ? least : i > most ? most : i;
}

/* The weight of a pixel for a result. */
static double filter(fa_interpolation how, double x)
{
    return how == FA_BICUBIC ? cubic(x, -0.5) : triangle(x);
}

/* The filter is widened by the scale when the line shrinks, as in Pillow and torch.nn.functional.interpolate with
 * antialias=True. */
static void wide_taps(fa__taps *t, double center, double scale, int64_t in, fa_interpolation how)
{
    double wide = fmax(scale, 1), support = (how == FA_BICUBIC ? 2 : 1) * wide, sum = 0;
    t->first = clamp((int64_t)(center - support + 0.5), 0, in - 1);
    t->count = clamp((int64_t)(center + support + 0.5), t->first + 1, in) - t->first;
    for (int64_t k = 0; k < t->count; k++)
        sum += filter(how, ((double)(t->first + k) - center + 0.5) / wide);
    for (int64_t k = 0; k < t->count; k++)
        t->weight[k] = (float)(filter(how, ((double)(t->first + k) - center + 0.5) / wide) / sum);
}

/* Two or four neighbours, whose positions are clamped at the edges; as interpolate with antialias=False. */
static void narrow_taps(fa__taps *t, double center, int64_t in, fa_interpolation how)
{
    double at = center - 0.5;
    if (how == FA_BILINEAR && at < 0)
        at = 0;
    int64_t low = (int64_t)floor(at), from = how == FA_BICUBIC ? -1 : 0, to = how == FA_BICUBIC ? 2 : 1;
    t->first = clamp(low + from, 0, in - 1);
    t->count = clamp(low + to, 0, in - 1) - t->first + 1;
    for (int64_t k = 0; k < t->count; k++)
        t->weight[k] = 0;
    for (int64_t k = from; k <= to; k++) {
        double x = at - (double)(low + k);
        t->weight[clamp(low + k, 0, in - 1) - t->first] += (float)(how == FA_BICUBIC ? cubic(x, -0.75) : triangle(x));
    }
}

static void nearest_taps(fa__taps *t, int64_t i, double scale, int64_t in)
{
    t->first = clamp((int64_t)floor((double)i * scale), 0, in - 1);
    t->count = 1;
    t->weight[0] = 1;
}

/* Rounds the weights of a line of bytes to as many binary places as leave the largest one below 2^15: PyTorch computes
 * with whole numbers of 16 bits. */
static void round_weights(fa__taps *t, int64_t out)
{
    double most = 0;
    int bits = 0;
    for (int64_t i = 0; i < out; i++)
        for (int64_t k = 0; k < t[i].count; k++)
            most = fmax(most, (double)t[i].weight[k]);
    while (bits < MOST_BITS && 0.5 + ldexp(most, bits + 1) < ldexp(1, WEIGHT_BITS))
        bits++;
    for (int64_t i = 0; i < out; i++)
        for (int64_t k = 0; k < t[i].count; k++)
            t[i].weight[k] = (float)ldexp(round(ldexp((double)t[i].weight[k], bits)), -bits);
}

fa__taps *fa__taps_of(int64_t in, int64_t out, fa_interpolation how, bool antialias, bool bytes)
{
    double scale = (double)in / (double)out;
    int64_t most = how == FA_NEAREST || !antialias ? MOST_TAPS : 2 * (int64_t)ceil(2 * fmax(scale, 1)) + 2;
    fa__taps *t = malloc((size_t)out * sizeof *t + (size_t)(out * most) * sizeof(float));
    float *weight = t ? (float *)(void *)(t + out) : NULL;
    if (!t)
        fa_fail(FA_ERROR_MEMORY, "a transform has no memory to resize a line of %lld pixels to %lld", (long long)in,
                (long long)out);
    for (int64_t i = 0; t && i < out; i++, weight += most) {
        double center = ((double)i + 0.5) * scale;
        t[i].weight = weight;
        if (how == FA_NEAREST)
            nearest_taps(&t[i], i, scale, in);
        else if (antialias)
            wide_taps(&t[i], center, scale, in, how);
        else
            narrow_taps(&t[i], center, in, how);
    }
    if (t && bytes)
        round_weights(t, out);
    return t;
}

/* ---- lines ---- */

static void resize_rows(fa__frame frame[2], int64_t width, const fa__taps *t)
{
    const fa__frame *from = &frame[0];
    fa__frame *to = &frame[1];
    *to = fa__frame_of(to->at, from, from->height, width);
    for (int64_t r = 0; r < from->channels * from->height; r++) {
        const float *row = from->at + r * from->width;
        float *out = to->at + r * width;
        for (int64_t x = 0; x < width; x++) {
            float sum = 0;
            for (int64_t k = 0; k < t[x].count; k++)
                sum += row[t[x].first + k] * t[x].weight[k];
            out[x] = sum;
        }
    }
    fa__frames_swap(frame);
}

static void resize_columns(fa__frame frame[2], int64_t height, const fa__taps *t)
{
    const fa__frame *from = &frame[0];
    fa__frame *to = &frame[1];
    *to = fa__frame_of(to->at, from, height, from->width);
    for (int64_t c = 0; c < from->channels; c++)
        for (int64_t y = 0; y < height; y++) {
            float *out = fa__frame_row(to, c, y);
            memset(out, 0, (size_t)to->width * sizeof *out);
            for (int64_t k = 0; k < t[y].count; k++) {
                const float *row = fa__frame_row(from, c, t[y].first + k);
                for (int64_t x = 0; x < to->width; x++)
                    out[x] += row[x] * t[y].weight[k];
            }
        }
    fa__frames_swap(frame);
}

/* Rounds values of bytes after each of the two passes, halves up, as torchvision and Pillow do. */
static void round_bytes(const fa__frame *f)
{
    for (int64_t i = 0; f->bound > 1 && i < fa__frame_count(f); i++)
        f->at[i] = floorf(fmaxf(0, fminf(f->at[i], f->bound)) + 0.5F);
}

void fa__frame_resize(fa__frame frame[2], int64_t height, int64_t width, fa_interpolation how, bool antialias)
{
    bool bytes = frame[0].bound > 1;
    fa__taps *columns = fa__taps_of(frame[0].width, width, how, antialias, bytes);
    fa__taps *rows = columns ? fa__taps_of(frame[0].height, height, how, antialias, bytes) : NULL;
    if (rows) {
        if (width != frame[0].width)
            resize_rows(frame, width, columns);
        round_bytes(&frame[0]);
        if (height != frame[0].height)
            resize_columns(frame, height, rows);
        round_bytes(&frame[0]);
    }
    free(columns);
    free(rows);
}
