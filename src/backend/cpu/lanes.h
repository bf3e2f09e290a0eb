/* Convolutions with one image in each lane of the vectors: entries of as many images as a vector has lanes are copied
 * side by side, into a block in which a kernel then finds whole vectors, whatever the sizes of images and kernels are.
 * What such loops are asked to do; the loops are simd/lanes.c, how a convolution is divided is lanes.c. All distances
 * count elements, of which those of the lanes of one vector are neighbours. */
#ifndef FA__BACKEND_CPU_LANES_H
#define FA__BACKEND_CPU_LANES_H
#include "backend/convolution.h"

/* Sums of neighbouring pixels of a few channels of a result: y = sum of weight x over taps, + bias */
typedef struct fa__lanes_sums {
    int channels, pixels;     /* of a tile */
    int64_t tiles;            /* one behind the other */
    int64_t taps[3];          /* channels of x, rows and columns of the kernel */
    const float *x;           /* for the first pixel and tap */
    int64_t x_tap[3], x_next; /* from tap to tap, and from pixel to pixel */
    const float *weight;      /* those of one tap for all channels of y are neighbours, and so are columns of taps */
    int64_t weight_tap[2];    /* from channel to channel of x, and from row to row of the kernel */
    float *y;
    int64_t y_channel; /* pixels are neighbours */
    const float *bias; /* NULL: none */
} fa__lanes_sums;

/* Sums over pixels for a few channels of y and a few taps: sum += y x */
typedef struct fa__lanes_products {
    int channels, taps;
    int64_t rows, columns; /* of pixels */
    const float *y;
    int64_t y_channel, y_row; /* columns are neighbours */
    const float *x;           /* for the first pixel */
    const int64_t *x_tap;     /* of each tap: how far from x */
    int64_t x_row, x_next;
    float *sum;
    int64_t sum_tap; /* channels are neighbours */
} fa__lanes_products;

struct fa__lanes_lines;
typedef void (*const fa__lanes_transforms[])(const struct fa__lanes_lines *); /* lanes_winograd.h */

typedef struct fa__lanes_kernels {
    int lanes, channels, across; /* of a vector; at most, of a tile: channels, and pixels or taps */
    int fewer, wider;            /* the same of another tile for `sums`; fewer = 0: there is none */
    void (*sums)(const fa__lanes_sums *);
    void (*products)(const fa__lanes_products *);
    /* block[i * lanes + j] = row[j][i], for i < n */
    void (*gather)(float *block, const float *const *row, int64_t n);
    /* The same for rows of f16 and of bf16. NULL: there are no instructions for it. */
    void (*gather_f16)(float *block, const float *const *row, int64_t n);
    void (*gather_bf16)(float *block, const float *const *row, int64_t n);
    /* row[j][i] = block[i * lanes + j], for i < n, except for rows that are NULL */
    void (*scatter)(float *const *row, const float *block, int64_t n);
    /* The same for rows of bf16; or NULL, too */
    void (*scatter_bf16)(float *const *row, const float *block, int64_t n);
    /* row[k][i] = the sum of block[i * lanes + j] over j from k * FA__CONVOLUTION_ADDED on, so many of them, for i < n
     * and j < count, in order */
    void (*add)(float *const *row, const float *block, int64_t n, int count);
    void (*const *transform)(const struct fa__lanes_lines *);
} fa__lanes_kernels;

#if defined __x86_64__
extern const fa__lanes_kernels fa__lanes_base, fa__lanes_avx2, fa__lanes_avx512;
extern fa__lanes_transforms fa__lanes_transforms_base, fa__lanes_transforms_avx2, fa__lanes_transforms_avx512;
#elif defined __aarch64__
extern const fa__lanes_kernels fa__lanes_neon;
extern fa__lanes_transforms fa__lanes_transforms_neon;
#else
extern const fa__lanes_kernels fa__lanes_base;
extern fa__lanes_transforms fa__lanes_transforms_base;
#endif
enum { FA__LANES_MOST = 16 };

/* A result that is an image: y (channels x pixels) = weight (channels x taps) patches, for each group. */
typedef struct fa__lanes_image {
    fa__patches p; /* of x */
    int64_t groups, channels;
    fa_dtype dtype; /* of x and y: f32, or f16 or bf16, which then are no float; weight and bias are f32 */
    const float *x, *weight, *bias; /* of the first group; bias may be NULL */
    float *y;
    int64_t weight_group, weight_channel,
        weight_tap[3]; /* strides: by groups, y's channels; x's channels, rows, columns */
    int64_t bias_channel;
    int64_t stride[4]; /* of y: images, channels, rows, columns */
} fa__lanes_image;

/* By lanes where that is the faster way: false otherwise. *ok becomes false, with the error set, when memory runs out.
 */
bool fa__lanes_image_run(const fa__lanes_image *, bool *ok);

/* Sums of a gradient of the weight: those of each FA__CONVOLUTION_ADDED neighbouring stretches, added. A group has a
 * row for each of them, of as many sums as it has weights, with channels of y as neighbours. */
typedef struct fa__lanes_weight {
    const fa__convolution *v;
    fa_dtype dtype;     /* of x and y, as above */
    const float *x, *y; /* of the first group */
    float *sums;
} fa__lanes_weight;

/* The same for these. */
bool fa__lanes_weight_run(const fa__lanes_weight *, bool *ok);
#endif
