/* Convolutions of 3 x 3 taps by Winograd's minimal filtering F(4 x 4, 3 x 3) (Lavin and Gray 2016, arXiv:1509.09308):
 * tiles of 4 x 4 pixels of the result take 36 products for each pair of channels instead of 144.
 *
 *     y = A' [(G w G') * (B' x B)] A          x: 6 x 6, w: 3 x 3, y: 4 x 4; ' is transposed, * by elements
 *
 * Summed over channels, the products by elements are 36 matrix products. The gradient of the weight is the transposed
 * formula, G' [(A dy A') * (B' x B)] G, summed over tiles. Results are not the chains of convolution.h, and differ from
 * them by a few more roundings (docs/math.md); they are the same at every level that has a fused multiply-add, and for
 * any number of threads. */
#ifndef FA__BACKEND_CPU_WINOGRAD_H
#define FA__BACKEND_CPU_WINOGRAD_H
#include "backend/convolution.h"
#include <string.h>

enum {
    FA__WINOGRAD_OUT = 4,       /* rows and columns of a tile of the result, */
    FA__WINOGRAD_IN = 6,        /* of the patch of x that it needs, */
    FA__WINOGRAD_PRODUCTS = 36, /* and the products for each pair of channels */
    FA__WINOGRAD_ROW = 8,       /* floats from row to row of a patch in memory: two more than it has */
    FA__WINOGRAD_PATCH = FA__WINOGRAD_IN * FA__WINOGRAD_ROW,
};

/* Where a patch or a tile lies, and the floats from row to row. Of rows of patches eight floats are read, two more than
 * are used. */
typedef struct fa__winograd_square {
    float *at;
    int64_t row;
} fa__winograd_square;

/* The transforms, of as many squares at once as a vector has lanes. The 36 results, or operands, are vectors with one
 * lane for each square, `step` floats from one to the next. */
typedef struct fa__winograd_kernels {
    int lanes;
    void (*image)(float *to, int64_t step, const fa__winograd_square *patches);                   /* B' x B */
    void (*tiles)(const fa__winograd_square *tiles, const float *from, int64_t step, float bias); /* A' m A + bias */
    void (*tiles_back)(float *to, int64_t step, const fa__winograd_square *tiles);                /* A y A' */
    /* Of weights the 9 taps are vectors, one after the other. */
    void (*weights)(float *to, int64_t step, const float *taps);        /* G w G' */
    void (*weights_back)(float *taps, const float *from, int64_t step); /* G' m G */
} fa__winograd_kernels;

#if defined __x86_64__
extern const fa__winograd_kernels fa__winograd_base, fa__winograd_avx2, fa__winograd_avx512;
#elif defined __aarch64__
extern const fa__winograd_kernels fa__winograd_neon;
#else
extern const fa__winograd_kernels fa__winograd_base;
#endif

struct fa__lanes_image;

/* The convolution, or the gradient of its input, where this is the faster way and the setting `deterministic` does not
 * ask for the chains: false otherwise. *ok becomes false, with the error set, when memory runs out. */
bool fa__winograd_image_run(const struct fa__lanes_image *, bool *ok);

/* The gradient of the weight: the same. The operands are those of the first group. */
bool fa__winograd_weight_run(const fa__convolution *, const float *x, const float *y, float *weight, bool *ok);

/* ---- what both share ---- */

/* How the tiles of a result lie in its images, and their patches in those of x. Strides are of images, channels, rows
 * and columns. */
typedef struct fa__winograd_grid {
    int64_t images, tiles[2];
    int64_t size[2], result[2], start[2]; /* of x, of y; the first patch's row and column */
    int64_t x[4], y[4];
} fa__winograd_grid;

static inline int64_t fa__winograd_count(const fa__winograd_grid *g)
{
    return g->images * g->tiles[0] * g->tiles[1];
}

/* A tile of one channel, and its patch: where they are, and what of them exists (from, to before). */
typedef struct fa__winograd_tile {
    int64_t x, y;            /* elements behind the first of the channel in the first image */
    int rows[2], columns[2]; /* of the patch; others are 0 */
    bool patch_here, here;   /* the patch, and the tile, can be used where they lie */
    int height, width;       /* of the tile; 0: there is none of this number */
} fa__winograd_tile;

fa__winograd_grid fa__winograd_grid_of(int64_t images, const int64_t size[2], const int64_t result[2],
                                       const int64_t start[2], const int64_t x[4], const int64_t y[4]);

/* The patch of a tile in a channel, that begins at `x` in the first image: where it lies, or a copy in `room` (of
 * FA__WINOGRAD_PATCH floats) with zeros around what is in the image. */
fa__winograd_square fa__winograd_patch(const fa__winograd_grid *, const fa__winograd_tile *, const float *x,
                                       float *room);

/* to[i * to_step] = from[i * from_step] for i < n, at most 7 */
static inline void fa__winograd_copy(float *to, int64_t to_step, const float *from, int64_t from_step, int n)
{
    if (to_step != 1 || from_step != 1) {
        for (int i = 0; i < n; i++)
            to[i * to_step] = from[i * from_step];
        return;
    }
    if (n & 4)
        memcpy(to, from, 4 * sizeof *to);
    if (n & 2)
        memcpy(to + (n & 4), from + (n & 4), 2 * sizeof *to);
    if (n & 1)
        to[n - 1] = from[n - 1];
}

/* `count` tiles from number `first` on, counted by images, rows and columns. */
void fa__winograd_find(const fa__winograd_grid *, fa__winograd_tile *to, int64_t first, int64_t count);

/* Whether products are so many that the transforms are small beside them. */
bool fa__winograd_pays(int64_t in, int64_t out, int64_t tiles);
#endif
