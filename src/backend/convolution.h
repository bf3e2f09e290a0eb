/* Convolutions in two dimensions as matrix products, for every backend: sizes, and which elements meet.
 *
 * There are three of them, each the gradient of the others: y from x and weight, x from y and weight, weight from x and
 * y. All are sums over a matrix that lies nowhere, of the patches of an image: its rows are taps (a channel, a row and
 * a column of the kernel), its columns pixels (an image, a row and a column of the result). For each group
 *     y (out x pixels)     = weight (out x taps) patches (taps x pixels) of x
 *     weight (taps x out)  = patches (taps x pixels) of x, times y (pixels x out)
 *     x (in x pixels)      = weight (in x taps) patches (taps x pixels) of y
 * The last one divides the pixels of x into classes, by what is left of their row and column when divided by the
 * stride: the pixels of a class meet the same taps.
 *
 * An element is one chain, as in a matrix product: 0, then for each tap in order (channel, row, column) a fused
 * multiply-add, then the bias. Entries of the padding are zeros like others; they may be left out where all weights are
 * finite, which changes no more than the sign of a sum that has underflowed to zero. A gradient of the weight has a
 * chain for each of fa__convolution_parts() stretches of pixels, in order (image, row, column). These sums are added in
 * order, first those of each FA__CONVOLUTION_ADDED neighbouring stretches, then the results. */
#ifndef FA__BACKEND_CONVOLUTION_H
#define FA__BACKEND_CONVOLUTION_H
#include "backend/device.h"

/* As many as the narrowest vectors have lanes */
enum { FA__CONVOLUTION_ADDED = 4 };

/* Of arrays of two the first is of rows, the second of columns. Strides count elements. */
typedef struct fa__convolution {
    int64_t images, groups, in, out;          /* in, out: channels of one group, of x and of y */
    int64_t size[2], result[2], kernel[2];    /* of x, y and weight */
    int64_t stride[2], dilation[2], front[2]; /* front: what the padding has before the first entry */
    int64_t x[4], y[4];                       /* strides of images, channels, rows, columns */
    int64_t weight[4];                        /* strides by y's channels, x's channels, rows, columns */
} fa__convolution;

/* Patches of an image (size, strides of images, channels, rows, columns): pixel (n, i, j) and tap (c, t, u) meet at
 * row start[0] + i * step[0] + t * tap[0] and column start[1] + j * step[1] + u * tap[1] of channel c. */
typedef struct fa__patches {
    int64_t size[2], stride[4];
    int64_t images, pixels[2];
    int64_t channels, taps[2];
    int64_t start[2], step[2], tap[2];
} fa__patches;

/* Of x, for y and for the weight */
static inline fa__patches fa__convolution_patches(const fa__convolution *v)
{
    fa__patches p = {.images = v->images, .channels = v->in};
    for (int i = 0; i < 4; i++)
        p.stride[i] = v->x[i];
    for (int d = 0; d < 2; d++) {
        p.size[d] = v->size[d];
        p.pixels[d] = v->result[d];
        p.taps[d] = v->kernel[d];
        p.start[d] = -v->front[d];
        p.step[d] = v->stride[d];
        p.tap[d] = v->dilation[d];
    }
    return p;
}

/* How many classes of rows (0) or columns (1) x has. */
static inline int64_t fa__convolution_classes(const fa__convolution *v, int d)
{
    return v->stride[d] < v->size[d] ? v->stride[d] : v->size[d];
}

/* Of y, for the pixels of x in a class: those of row class[0] + i * stride[0], and so on. Their taps are the kernel's
 * rows first[0] + t * every[0], and so on. */
static inline fa__patches fa__convolution_patches_back(const fa__convolution *v, const int64_t class[2],
                                                       int64_t first[2], int64_t every[2])
{
    fa__patches p = {.images = v->images, .channels = v->out};
    for (int i = 0; i < 4; i++)
        p.stride[i] = v->y[i];
    for (int d = 0; d < 2; d++) {
        int64_t a = v->stride[d], b = v->dilation[d];
        while (b) {
            int64_t rest = a % b;
            a = b;
            b = rest;
        }
        every[d] = v->stride[d] / a;
        first[d] = 0;
        while (first[d] < every[d] && first[d] < v->kernel[d]
               && (class[d] + v->front[d] - first[d] * v->dilation[d]) % v->stride[d] != 0)
            first[d]++;
        bool none = first[d] == every[d] || first[d] >= v->kernel[d];
        p.size[d] = v->result[d];
        p.pixels[d] = (v->size[d] - class[d] + v->stride[d] - 1) / v->stride[d];
        p.taps[d] = none ? 0 : (v->kernel[d] - first[d] + every[d] - 1) / every[d];
        p.start[d] = none ? 0 : (class[d] + v->front[d] - first[d] * v->dilation[d]) / v->stride[d];
        p.step[d] = 1;
        p.tap[d] = -(v->dilation[d] / a);
    }
    return p;
}

/* For a gradient of the weight, the number of pixels of a stretch: so there is work for many, and sums are more
 * precise. Stretches are whole images where there are enough of them, else bands of rows that divide an image evenly.
 * The last one may be shorter. One stretch has all pixels where sums of several would take too much room. */
static inline int64_t fa__convolution_part(const fa__convolution *v)
{
    enum { ROOM = 1 << 20, MOST = 64, SHORTEST = 16 };
    const int64_t image = v->result[0] * v->result[1], pixels = v->images * image;
    const int64_t weights = v->groups * v->in * v->out * v->kernel[0] * v->kernel[1];
    int64_t parts = weights > ROOM / 2 ? 1 : ROOM / (weights ? weights : 1), bands = 1;
    parts = parts > MOST ? MOST : parts;
    if (parts < 2 || !image)
        return pixels;
    for (int64_t i = 2; v->images * i <= parts && i <= v->result[0] && v->images < MOST / 4; i++)
        if (v->result[0] % i == 0 && image / i >= SHORTEST)
            bands = i;
    if (bands > 1)
        return image / bands;
    int64_t images = (v->images + parts - 1) / parts, least = (SHORTEST + image - 1) / image;
    images = images < least ? least : images;
    return images < v->images ? images * image : pixels;
}

static inline int64_t fa__convolution_parts(const fa__convolution *v)
{
    int64_t pixels = v->images * v->result[0] * v->result[1], part = fa__convolution_part(v);
    return part ? (pixels + part - 1) / part : 1;
}

/* From the operands of any of the three: x and y of rank 3 (one image) or 4, weight of rank 4. */
fa__convolution fa__convolution_of(const fa__operand *x, const fa__operand *weight, const fa__operand *y,
                                   fa_pair stride, fa_pair padding, fa_pair dilation, int64_t groups);
#endif
