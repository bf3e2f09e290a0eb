/* Winograd's minimal filtering (Winograd 1980, Arithmetic Complexity of Computations; Lavin and Gray 2016,
 * arXiv:1509.09308) along the rows of convolutions of few channels, with one image in each lane (lanes.h):
 *
 *     y = A' [(G w) * (B' x)]          x: 8 pixels, w: 3, 5 or 7 taps, y: 6, 4 or 2 pixels; * by elements
 *
 * The eight products by elements are summed over channels and over the rows of the kernel, before A' makes pixels of
 * them: 8 instead of 18, 20 or 14 products for a row of a kernel. The gradient of the weight is the transposed formula,
 * G' [(A dy) * (B' x)], summed over pixels, too. The points are 0, 1, -1, 1/2, -1/2, 2, -2 and infinity. Results are not
 * the chains of convolution.h (docs/math.md); they are the same at every level that has a fused multiply-add, and for
 * any number of threads. */
#ifndef FA__BACKEND_CPU_LANES_WINOGRAD_H
#define FA__BACKEND_CPU_LANES_WINOGRAD_H
#include "backend/cpu/lanes_plan.h"

enum { FA__LANES_POINTS = 8 };

/* The transforms. The taps of a kernel are 3, 5 or 7, as the last index of each. */
typedef enum fa__lanes_transform {
    FA__LANES_IMAGE,                           /* B': 8 pixels to 8 points */
    FA__LANES_TILE,                            /* A': 8 to 6, 4 or 2 */
    FA__LANES_TILE_BACK = FA__LANES_TILE + 3,  /* A: 6, 4 or 2 to 8 */
    FA__LANES_KERNEL = FA__LANES_TILE_BACK + 3, /* G: 3, 5 or 7 to 8 */
    FA__LANES_KERNEL_BACK = FA__LANES_KERNEL + 3, /* G': 8 to 3, 5 or 7 */
    FA__LANES_TRANSFORMS = FA__LANES_KERNEL_BACK + 3
} fa__lanes_transform;

/* One of them, for rows of `count` vectors: floats from point to point, from vector to vector, from row to row */
typedef struct fa__lanes_lines {
    int64_t rows, count;
    float *to;
    int64_t to_point, to_next, to_row;
    const float *from;
    int64_t from_point, from_next, from_row;
    const float *bias; /* of a tile's pixels, for each row; NULL: none */
} fa__lanes_lines;

/* A convolution, or the gradient of its input, as such a plan says. False, with the error set: no memory. */
bool fa__lanes_winograd_image(const fa__lanes_image *, const fa__lanes_plan *);
#endif
