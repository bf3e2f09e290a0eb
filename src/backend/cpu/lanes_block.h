/* Blocks of images or bands of images that lie side by side, one in each lane (lanes.h): which ones, how they are
 * loaded, and how results are stored. */
#ifndef FA__BACKEND_CPU_LANES_BLOCK_H
#define FA__BACKEND_CPU_LANES_BLOCK_H
#include "backend/cpu/lanes.h"
#include "backend/cpu/lanes_plan.h"
#include "core/dtype.h"

/* Which image each lane of a block has. Lanes from `count` on have none of their own: they compute the first lane's
 * again, and their results are not stored. */
typedef struct fa__lanes_share {
    int count;
    int64_t image[FA__LANES_MOST], first[FA__LANES_MOST]; /* and the first row of its pixels */
    bool level;                                           /* all have the same rows */
} fa__lanes_share;

fa__lanes_share fa__lanes_share_of(const fa__lanes_plan *, int64_t block);

/* Element `at` of x, which is of half precision unless dtype is f32; it is only dereferenced if it is f32. */
static inline float *fa__lanes_element(const float *x, int64_t at, fa_dtype dtype)
{
    return (float *)(void *)((char *)(uintptr_t)x + at * (int64_t)fa__dtype_sizes[dtype]);
}

/* Where the rows of the lanes of a block are in memory */
typedef struct fa__lanes_rows {
    int64_t at[FA__LANES_MOST], first[FA__LANES_MOST]; /* row 0: the element, and the number of the row of the image */
    int64_t channel, row, step;                        /* elements to the next channel, row, element */
    int64_t rows, columns;                             /* that the image has; that a row of the block has of it */
    int64_t skip, behind;                              /* zeros before and behind these */
    fa_dtype dtype;
    bool join;          /* what a block has of a channel is one run of memory in all lanes */
    const float *zeros; /* for rows outside of the image; as many as the plan says */
} fa__lanes_rows;

fa__lanes_rows fa__lanes_rows_of_x(const fa__patches *, const fa__lanes_plan *, const fa__lanes_share *, fa_dtype,
                                   const float *zeros);
fa__lanes_rows fa__lanes_rows_of_y(const fa__lanes_image *, const fa__lanes_share *);

/* All channels of a group of what the pixels of a block meet, by channels, rows and columns. */
void fa__lanes_load(const fa__lanes_rows *, const fa__lanes_plan *, int64_t channels, const float *x, float *block);

/* The same for row r of one channel */
void fa__lanes_load_row(const fa__lanes_rows *, const float *x, int64_t r, float *block);

/* The pixels of a group from a block to the images that have them. */
void fa__lanes_store(const fa__lanes_rows *, const fa__lanes_plan *, int64_t channels, float *y, const float *block);

/* The same for some rows from r on of one channel; more than one only if they are neighbours in memory */
void fa__lanes_store_row(const fa__lanes_rows *, float *y, int64_t r, int64_t count, const float *block);
#endif
