/* Loops shared between threads: one pool for the whole process, of at most 256 threads, made when first needed. A warm
 * region costs about a microsecond; its threads spin for some tens of microseconds before they go to sleep. They
 * end when the process does: one whose main thread leaves by pthread_exit has to call exit in another. */
#ifndef FA__BASE_PARALLEL_H
#define FA__BASE_PARALLEL_H
#include "base/types.h"
#include <facula/host.h>

/* Calls body(context, begin, end) for ranges that cover 0 to count once each, in any order and on several threads, the
 * caller's among them; returns when all are done. No range but the only one is much shorter than grain. Runs inline
 * when count <= grain, when already inside such a loop, in a forked child, and when another thread has the pool. An
 * error raised in body by any thread stands in the caller afterwards; the other ranges still run. */
void fa__parallel_for(int64_t count, int64_t grain, void (*body)(void *context, int64_t begin, int64_t end),
                      void *context);

/* How many threads may take part, the caller's counted in: fa_num_threads without the call. */
int fa__parallel_threads(void);

/* Ends and joins the pool's threads; they are made again when needed. The process ends. */
void fa__parallel_stop(void);
/* In the child of a fork: there are no threads any more, and none will be made. */
void fa__parallel_forked(void);
#endif
