/* Between the two halves of parallel loops: the pool (parallel.c), and who runs loops and on how many threads
 * (parallel_host.c). */
#ifndef FA__BASE_PARALLEL_POOL_H
#define FA__BASE_PARALLEL_POOL_H
#include "base/parallel.h"
#include <facula/error.h>
#include <pthread.h>

enum { FA__MOST_THREADS = 256 };

typedef void fa__loop_body(void *context, int64_t begin, int64_t end);

/* The error of a loop: that of the lowest range that failed, whichever thread was first. */
typedef struct fa__loop_error {
    pthread_mutex_t lock;
    int64_t where;
    fa_error error;
} fa__loop_error;

/* Moves this thread's standing error there, unless it has one of a lower place. */
void fa__loop_error_keep(fa__loop_error *kept, int64_t where);

/* Runs a loop on the pool; false if it cannot be had now, and nothing was done. grain is 1 or more. */
bool fa__pool_run(int64_t count, int64_t grain, int threads, fa__loop_body *body, void *context);

/* Whether threads should spin before they sleep: there is a CPU for each. */
bool fa__threads_spin(void);
#endif
