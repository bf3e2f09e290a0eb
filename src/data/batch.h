/* Making a loader's batches, in the thread that runs the loop or in workers. */
#ifndef FA__DATA_BATCH_H
#define FA__DATA_BATCH_H
#include "data/data.h"
#include "data/sampler.h"
#include "data/stream.h"
#include <stdatomic.h>

/* Nanoseconds; several threads add to them. */
typedef struct fa__times {
    _Atomic int64_t reading, transforming, copying;
} fa__times;

/* What the batches of a loader are made of. Holds no references. */
typedef struct fa__batch_plan {
    fa_dataset *dataset;
    const fa_sampler *sampler;
    fa_data_loader_options options;
    int64_t samples, batches; /* in an epoch */
    fa__times *times;
} fa__batch_plan;

/* A batch, and the indices of its samples. */
typedef struct fa__made {
    fa_sample sample;   /* without an input: all samples were left out */
    fa__numbers *which; /* NULL: there is no batch, as a stream has ended */
    bool last;          /* a stream has ended behind it */
    int64_t skipped;    /* samples that were left out */
} fa__made;

/* Makes a batch, which belongs to the innermost scope; the same for every thread. False after an error.
 * @param order  the samples of the epoch; unused if they were pulled
 * @param pulled the samples of this batch, at least one, from a stream; NULL: there is no stream */
bool fa__batch_make(const fa__batch_plan *plan, const fa__order *order, const fa__pulled *pulled, fa_loader_place at,
                    fa__made *made);
/* Takes the samples of a batch from a stream; see fa__pass_pull(). */
fa__pulled *fa__batch_pull(const fa__batch_plan *plan, fa__stream_pass *pass, fa_loader_place at);

/* The position after a batch, which is the last one if a stream has ended. */
fa_loader_place fa__place_after(const fa__batch_plan *plan, fa_loader_place at, bool last);

/* Threads that make batches ahead of the loop. */
typedef struct fa__workers fa__workers;
/* Starts the plan's number of workers, with the settings of the loader's creation. NULL, without an error, if there are
 * no threads to be had; NULL and an error if memory runs out, or the device has no more streams. */
fa__workers *fa__workers_start(const fa__batch_plan *plan, const fa_settings *settings);
void fa__workers_end(fa__workers *workers);
/* False in a forked child, and once the process ends: then the loop makes its batches itself. */
bool fa__workers_work(const fa__workers *workers);
/* Waits for the batch at this position, and gives it to the innermost scope. The workers go on behind it; after another
 * position than the next one, what they have made is dropped.
 * @param where the line of the loop, for errors
 * @return false after an error, after fa_stop(), and at the end of a stream */
bool fa__workers_take(fa__workers *workers, fa_loader_place at, const char *where, fa__made *made);
#endif
