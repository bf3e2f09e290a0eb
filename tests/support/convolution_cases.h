/* Convolutions that the walker's samples are too small for: several tiles and blocks, many stretches of pixels, bands
 * of one row and of many, every way in which stride, padding and dilation meet. */
#ifndef CONVOLUTION_CASES_H
#define CONVOLUTION_CASES_H
#include "internal.h"
#include <facula/operations.h>

typedef struct convolution_case {
    int64_t images, in, out, groups; /* channels of all groups */
    int64_t size[2], kernel[2], stride[2], padding[2], dilation[2];
} convolution_case;

static const convolution_case convolution_cases[] = {
    {4, 3, 6, 1, {32, 32}, {5, 5}, {1, 1}, {0, 0}, {1, 1}},
    {5, 6, 16, 1, {14, 14}, {5, 5}, {1, 1}, {0, 0}, {1, 1}},
    {2, 16, 17, 1, {28, 28}, {3, 3}, {1, 1}, {1, 1}, {1, 1}},
    {1, 3, 20, 1, {41, 37}, {7, 7}, {2, 2}, {3, 3}, {1, 1}},
    {3, 16, 33, 1, {14, 15}, {1, 1}, {1, 1}, {0, 0}, {1, 1}},
    {3, 20, 16, 1, {15, 14}, {1, 1}, {2, 2}, {0, 0}, {1, 1}},
    {2, 24, 24, 24, {13, 19}, {3, 3}, {1, 1}, {1, 1}, {1, 1}},
    {2, 8, 16, 8, {12, 11}, {5, 3}, {2, 1}, {2, 1}, {1, 1}},
    {2, 12, 8, 4, {17, 16}, {3, 4}, {3, 2}, {1, 2}, {2, 3}},
    {2, 5, 7, 1, {9, 300}, {2, 3}, {1, 2}, {0, 1}, {1, 4}},
    {2, 3, 5, 1, {1, 2000}, {1, 9}, {1, 1}, {0, 4}, {1, 2}},
    {2, 3, 5, 1, {700, 1}, {9, 1}, {2, 1}, {4, 0}, {3, 1}},
    {70, 18, 19, 1, {3, 3}, {3, 3}, {1, 1}, {1, 1}, {1, 1}},
    {40, 2, 2, 2, {4, 5}, {4, 5}, {1, 1}, {0, 0}, {1, 1}},
    {1, 90, 20, 1, {6, 7}, {3, 3}, {1, 1}, {1, 1}, {1, 1}},
    {1, 20, 130, 1, {9, 8}, {3, 3}, {2, 3}, {4, 5}, {2, 2}},
    {2, 4, 4, 1, {10, 10}, {3, 3}, {5, 7}, {0, 0}, {1, 1}},
    {2, 4, 4, 2, {10, 12}, {2, 2}, {4, 6}, {1, 1}, {6, 4}},
    /* enough images for one in each lane of a vector, or bands of them */
    {32, 3, 7, 1, {9, 8}, {3, 3}, {1, 1}, {1, 1}, {1, 1}},
    {17, 2, 13, 1, {11, 10}, {5, 3}, {1, 1}, {2, 1}, {1, 1}},
    {33, 4, 6, 2, {8, 9}, {3, 3}, {2, 1}, {1, 1}, {1, 1}},
    {16, 3, 5, 1, {12, 13}, {3, 2}, {1, 2}, {0, 0}, {2, 3}},
    {128, 2, 3, 1, {5, 6}, {2, 2}, {1, 1}, {0, 0}, {1, 1}},
    {8, 3, 6, 1, {20, 21}, {5, 5}, {1, 1}, {4, 4}, {1, 1}},
    {20, 6, 6, 6, {9, 9}, {3, 3}, {1, 1}, {1, 1}, {1, 1}},
    {2, 3, 9, 1, {24, 37}, {3, 5}, {1, 1}, {1, 2}, {1, 1}},
    {1, 1, 8, 1, {30, 40}, {3, 3}, {1, 1}, {7, 7}, {1, 1}},
    {16, 6, 4, 1, {6, 1}, {3, 1}, {1, 1}, {1, 0}, {1, 1}},
    {64, 6, 16, 1, {6, 7}, {5, 5}, {1, 1}, {0, 0}, {1, 1}},
    {19, 9, 2, 1, {7, 6}, {2, 3}, {1, 1}, {1, 1}, {3, 2}},
};
enum { CONVOLUTION_CASES = sizeof convolution_cases / sizeof *convolution_cases };

static inline int64_t convolution_result(const convolution_case *v, int d)
{
    return (v->size[d] + 2 * v->padding[d] - v->dilation[d] * (v->kernel[d] - 1) - 1) / v->stride[d] + 1;
}

static inline int64_t convolution_more(const convolution_case *v, int d)
{
    return v->size[d] + 2 * v->padding[d] - v->dilation[d] * (v->kernel[d] - 1) - 1
           - (convolution_result(v, d) - 1) * v->stride[d];
}

#define CONVOLUTION_X(v) FA_SHAPE((v)->images, (v)->in, (v)->size[0], (v)->size[1])
#define CONVOLUTION_Y(v) FA_SHAPE((v)->images, (v)->out, convolution_result(v, 0), convolution_result(v, 1))
#define CONVOLUTION_WEIGHT(v) FA_SHAPE((v)->out, (v)->in / (v)->groups, (v)->kernel[0], (v)->kernel[1])
#define CONVOLUTION_PAIR(a) FA_PAIR((a)[0], (a)[1])

/* The three of them by the library */
static inline fa_tensor *convolved(const convolution_case *v, const fa_tensor *x, const fa_tensor *weight,
                                   const fa_tensor *bias)
{
    return fa_conv2d(x, weight, .bias = bias, .stride = CONVOLUTION_PAIR(v->stride),
                     .padding = CONVOLUTION_PAIR(v->padding), .dilation = CONVOLUTION_PAIR(v->dilation),
                     .groups = v->groups);
}

static inline fa_tensor *convolved_back(const convolution_case *v, const fa_tensor *y, const fa_tensor *weight,
                                        const fa_tensor *bias)
{
    return fa_conv_transpose2d(y, weight, .bias = bias, .stride = CONVOLUTION_PAIR(v->stride),
                               .padding = CONVOLUTION_PAIR(v->padding), .dilation = CONVOLUTION_PAIR(v->dilation),
                               .output_padding = FA_PAIR(convolution_more(v, 0), convolution_more(v, 1)),
                               .groups = v->groups);
}

static inline fa_tensor *convolved_weight(const convolution_case *v, const fa_tensor *x, const fa_tensor *y)
{
    return fa__conv2d_weight(x, y, v->kernel[0], v->kernel[1], CONVOLUTION_PAIR(v->stride),
                             CONVOLUTION_PAIR(v->padding), CONVOLUTION_PAIR(v->dilation), v->groups);
}
#endif
