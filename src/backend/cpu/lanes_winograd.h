/* Winograd's minimal filtering (Winograd 1980, Arithmetic Complexity of Computations; Lavin and Gray 2016,
 * arXiv:1509.09308) along the rows of convolutions of few channels, with one image in each lane (lanes.h):
 *
 *     y = A' [(G w) * (B' x)]          x: 8 pixels, w: 3, 5 or 7 taps, y: 6, 4 or 2 pixels; * by elements
 *
 * The eight products by elements are summed over channels and over the rows of the kernel, before A' makes pixels of
 * them: 8 instead of 18, 20 or 14 products for a row of a kernel. The gradient of the weight is the transposed formula,
 * G' [(A dy) * (B' x)], summed over pixels, too. The points are 0, 1, -1, 1/2, -1/2, 2, -2 and infinity. Results are
 * not the chains of convolution.h (docs/math.md); they are the same at every level that has a fused multiply-add, and
 * for any number of threads. */
#ifndef FA__BACKEND_CPU_LANES_WINOGRAD_H
#define FA__BACKEND_CPU_LANES_WINOGRAD_H
#include "backend/cpu/lanes_block.h"
#include "backend/cpu/lanes_plan.h"
#include "backend/cpu/level.h"
#include "base/integer.h"

enum { FA__LANES_POINTS = 8 };

/* The transforms. The taps of a kernel are 3, 5 or 7: so many numbers behind the first of each. Pairs of points are 0
 * and infinity, 1 and -1, 1/2 and -1/2, 2 and -2. */
enum {
    FA__LANES_IMAGE,                                /* B': 8 pixels to 8 points */
    FA__LANES_TILE,                                 /* A': 8 to 6, 4 or 2 */
    FA__LANES_TILE_BACK = FA__LANES_TILE + 3,       /* A: 6, 4 or 2 to two points, for each pair of them */
    FA__LANES_KERNEL = FA__LANES_TILE_BACK + 4 * 3, /* G: 3, 5 or 7 to 8 */
    FA__LANES_KERNEL_BACK = FA__LANES_KERNEL + 3,   /* G': 8 to 3, 5 or 7 */
    FA__LANES_TRANSFORMS = FA__LANES_KERNEL_BACK + 3
};

/* One of them, for rows of `count` vectors: floats from point to point, from vector to vector, from row to row */
typedef struct fa__lanes_lines {
    int64_t rows, count;
    float *to;
    int64_t to_point, to_next, to_row;
    const float *from;
    int64_t from_point, from_next, from_row;
    const float *bias; /* of a tile's pixels, for each row; NULL: none */
} fa__lanes_lines;

static inline void fa__lanes_transform(int which, fa__lanes_lines l)
{
    fa__cpu_lanes->transform[which](&l);
}

/* 0, 1 and 2 for kernels of 3, 5 and 7 columns */
static inline int fa__lanes_of_taps(int64_t columns)
{
    return (int)(columns - 3) / 2;
}

/* So many floats are whole vectors at every level. */
static inline int64_t fa__lanes_whole(int64_t floats)
{
    return fa__ceil_div(floats, FA__LANES_MOST) * FA__LANES_MOST;
}

/* How x becomes a block of points, by points, channels, rows and tiles */
typedef struct fa__lanes_points {
    int64_t channels, block_rows; /* of x */
    int64_t tiles, tile;          /* of a row, and the pixels of one */
    bool skip;                    /* rows that are padding for all lanes are left out */
    float *row;                   /* room for a row of the block */
} fa__lanes_points;

void fa__lanes_load_points(const fa__lanes_points *, const fa__lanes_rows *, const float *x, float *block);

/* A convolution, or the gradient of its input, as the plan says. False, with the error set: no memory. */
bool fa__lanes_winograd_image(const fa__lanes_image *, const fa__lanes_plan *);

/* The gradient of a weight, as the plans of x and y say: the same. */
bool fa__lanes_winograd_weight(const fa__lanes_weight *, const fa__lanes_plan *x, const fa__lanes_plan *y);
#endif
