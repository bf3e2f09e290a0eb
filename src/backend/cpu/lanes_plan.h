/* How a convolution is divided into lanes and blocks (lanes.h). */
#ifndef FA__BACKEND_CPU_LANES_PLAN_H
#define FA__BACKEND_CPU_LANES_PLAN_H
#include "backend/cpu/lanes.h"

typedef struct fa__lanes_plan {
    int64_t images, each;      /* in how many parts the images are divided, and how many a part has */
    int64_t bands, rows;       /* of an image: how many there are, rows of pixels of each (the last may lack some) */
    int64_t blocks;            /* of as many bands as there are lanes */
    int64_t low[2];            /* what the first row and column of a block are in x, for the first band */
    int64_t block_rows, pitch; /* rows of x that a band meets, and columns */
    int64_t columns;           /* of the result's pixels */
    int64_t across;            /* pixels of a tile, at most */
    int64_t tile;              /* pixels of a tile of Winograd's filtering; 0: chains */
    bool padded[2];            /* some taps meet padding above or below, left or right */
    int64_t x_floats, y_floats, zeros;
    double cost; /* cycles of a thread, about */
} fa__lanes_plan;

/* Makes a plan; false where this is not possible, or a matrix product of patches is faster. FACULA_LOG=convolution
 * tells which it is. */
bool fa__lanes_plan_image(fa__lanes_plan *, const fa__lanes_image *);
/* Whether the shape is one that lanes are for, whatever strides, threads and caches say. */
bool fa__lanes_suit_image(const fa__lanes_image *);
bool fa__lanes_suit_weight(const fa__convolution *);
bool fa__lanes_plan_weight(fa__lanes_plan *x, fa__lanes_plan *y, const fa__convolution *);

/* The taps of rows (d = 0) or columns (1) that may meet what is not padding, for some pixels: from taps[0] to taps[1]
 */
void fa__lanes_meet(const fa__patches *, int d, int64_t pixel, int64_t pixels, int64_t taps[2]);

/* In how many tiles, as equal as possible, so much is divided, and where a tile begins. */
static inline int64_t fa__lanes_tiles(int64_t count, int64_t most)
{
    return (count + most - 1) / most;
}

static inline int64_t fa__lanes_tile_at(int64_t count, int64_t tiles, int64_t i)
{
    return count * i / tiles;
}

/* y as an image whose patches are its own pixels */
fa__patches fa__lanes_patches_of_y(const fa__convolution *);
#endif
