/* Parallel loops: one pool for the process, with at most 256 threads, created on first use. Starting a loop costs
 * about a microsecond; threads spin for some tens of microseconds before they sleep. They end when the process exits.
 * If the main thread ends with pthread_exit, another thread must call exit. */
#ifndef FA__BASE_PARALLEL_H
#define FA__BASE_PARALLEL_H
#include "base/types.h"
#include <facula/host.h>

/* Calls body(context, begin, end) for ranges that together cover 0 to count exactly once, in any order and on several
 * threads, including the caller's; returns when all calls have returned. If there is more than one range, none is
 * much shorter than grain. Runs on the calling thread alone if count <= grain, inside another parallel loop, in a
 * forked child, and while another thread uses the pool. An error set in body by any thread is the caller's error
 * afterwards; the other ranges still run. */
void fa__parallel_for(int64_t count, int64_t grain, void (*body)(void *context, int64_t begin, int64_t end),
                      void *context);

/* Maximum number of threads, including the caller's: fa_num_threads without checks. */
int fa__parallel_threads(void);

/* Ends and joins the threads of the pool; they are created again when needed. Called when the process ends. */
void fa__parallel_stop(void);
/* Called in the child after fork(): there are no threads any more, and none are created. */
void fa__parallel_forked(void);
#endif
