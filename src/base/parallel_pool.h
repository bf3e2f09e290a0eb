/* Internal interface between the thread pool (parallel.c) and parallel_host.c. */
#ifndef FA__BASE_PARALLEL_POOL_H
#define FA__BASE_PARALLEL_POOL_H
#include "base/parallel.h"
#include <facula/error.h>
#include <pthread.h>

enum { FA__MOST_THREADS = 256 };

typedef void fa__loop_body(void *context, int64_t begin, int64_t end);

/* The error of a loop: that of the lowest range that failed, in whatever order the threads ran. */
typedef struct fa__loop_error {
    pthread_mutex_t lock;
    int64_t where;
    fa_error error;
} fa__loop_error;

/* Moves the error of this thread there, unless an error of a lower range is stored. */
void fa__loop_error_keep(fa__loop_error *kept, int64_t where);

/* Runs a loop on the pool. False, with nothing done, if the pool is in use. grain is at least 1. */
bool fa__pool_run(int64_t count, int64_t grain, int threads, fa__loop_body *body, void *context);

/* CPUs that this process may use. */
int fa__host_cpus(void);

/* True if threads should spin before they sleep, that is, if there is a CPU for each. */
bool fa__threads_spin(void);
#endif
