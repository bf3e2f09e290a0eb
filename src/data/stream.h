/* Streams: datasets whose samples come one after the other. A loader takes the samples of a batch from a pass over the
 * stream, one thread at a time; what is computed from them (fa_data_map(), transforms) finds them by their number in
 * the pass, and runs in several threads. */
#ifndef FA__DATA_STREAM_H
#define FA__DATA_STREAM_H
#include "data/data.h"

/* Samples that were taken from a stream for one batch. */
typedef struct fa__pulled {
    fa_object base;
    int64_t first, count; /* the number of the first one in the pass, and how many there are */
    bool last;            /* the pass has no more samples behind them */
    fa_sample item[];     /* hold references */
} fa__pulled;

/* A pass over a stream: an epoch at a time. */
typedef struct fa__stream_pass fa__stream_pass;
/* In the innermost scope, for the stream that a dataset is or is made from; NULL and an error if memory runs out. */
fa__stream_pass *fa__pass_new(const fa_dataset *dataset);
/* The samples from number `first` of an epoch on, up to `count`, in the innermost scope. A pass that stands elsewhere
 * begins the epoch again, and drops samples up to there. NULL and an error if a sample cannot be had. */
fa__pulled *fa__pass_pull(fa__stream_pass *pass, fa_loader_place at, int64_t first, int64_t count, bool drop_last);
#endif
