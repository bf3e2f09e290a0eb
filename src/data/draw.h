/* The random numbers of samples. In a loader, each sample of an epoch has a key, which depends on the seed, the epoch
 * and the index of the sample; with samplers that repeat samples, also on its position in the epoch. Transforms draw
 * from it, so that augmentation depends neither on the batch size nor on which thread makes a batch. */
#ifndef FA__DATA_DRAW_H
#define FA__DATA_DRAW_H
#include "data/data.h"

/* The batch that a loader is making on this thread. */
typedef struct fa__making {
    uint64_t seed, epoch;
    const int64_t *position;         /* of each row in the epoch */
    int64_t count;                   /* of rows */
    uint64_t depth;                  /* number of transformed datasets around the current one */
    bool repeats;                    /* a sample may have several positions */
    int64_t failed;                  /* the position of a sample that could not be read; -1: none */
    const struct fa__pulled *pulled; /* the samples, if they come from a stream; NULL: they do not */
} fa__making;

/* The keys of the images that a transform is applied to. */
typedef struct fa__rows {
    const uint64_t *key;
    int64_t count;
    uint64_t step; /* draws so far */
} fa__rows;

/* NULL outside of loaders, and outside of transforms that datasets apply. */
extern _Thread_local fa__making *fa__making_now;
extern _Thread_local fa__rows *fa__rows_now;

/* The key of sample `index` in row `row` of the batch that is being made. */
uint64_t fa__sample_key(int64_t index, int64_t row);
/* Streams of random numbers, one for each of `count` images, in the innermost scope: other ones at each call. Outside
 * of loaders they depend on a number of the current generator. NULL after an error. */
uint64_t *fa__streams(int64_t count);

/* For each image of a batch, as (batch, 1, 1, 1) on its device: whole numbers from 0 to bound - 1, i64; or numbers from
 * 0 to less than 1. */
fa_tensor *fa__draw_below(const fa_tensor *x, int64_t bound);
fa_tensor *fa__draw_uniform(const fa_tensor *x);
#endif
