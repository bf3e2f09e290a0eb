/* Threads that compile kernels (jobs.h). */
#include "backend/gpu/jobs.h"
#include "backend/gpu/queue.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/fork.h"
#include "base/log.h"
#include "base/parallel_pool.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

typedef fa__gpu_job job;

enum { MOST_THREADS = 16 };

static struct {
    pthread_mutex_t lock;
    pthread_cond_t asked, done;
    job *first, *last; /* waiting to be compiled */
    bool stops;
} jobs = {.lock = PTHREAD_MUTEX_INITIALIZER, .asked = PTHREAD_COND_INITIALIZER, .done = PTHREAD_COND_INITIALIZER};

FA__LOCKED_AT_FORK(COMPILERS, &jobs.lock)

/* ---- the queue; the lock is held ---- */
static void append(job *j)
{
    j->next = NULL;
    if (jobs.first)
        jobs.last->next = j;
    else
        jobs.first = j;
    jobs.last = j;
    atomic_store(&j->state, FA__GPU_JOB_QUEUED);
}

static void take_out(const job *j)
{
    job *before = NULL, *at = jobs.first;
    for (; at != j; at = at->next)
        before = at;
    *(before ? &before->next : &jobs.first) = j->next;
    if (jobs.last == j)
        jobs.last = before;
}

/* ---- compiling ---- */
static void keep_error(job *j, const fa_error *error)
{
    j->code = error->code;
    j->why = fa__raw(16, sizeof error->message);
    if (j->why)
        memcpy(j->why, error->message, sizeof error->message);
}

static void compile(job *j)
{
    fa_error error = {.code = FA_OK}, *before = fa__error_use(&error);
    j->kernel->handle = fa__gpu_compile(j->device, j->source, j->kernel->name);
    fa__error_use(before);
    if (!j->kernel->handle)
        keep_error(j, &error);
    fa__free(j->source);
    j->source = NULL;
}

/* The lock is held, and let go of meanwhile. */
static void run(job *j)
{
    take_out(j);
    atomic_store(&j->state, FA__GPU_JOB_RUNS);
    pthread_mutex_unlock(&jobs.lock);
    compile(j);
    pthread_mutex_lock(&jobs.lock);
    atomic_store_explicit(&j->state, FA__GPU_JOB_DONE, memory_order_release);
    pthread_cond_broadcast(&jobs.done);
}

/* ---- the threads ---- */
static _Atomic int threads; /* 0: there are none, or none any more */

static void work(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&jobs.lock);
    while (!jobs.stops)
        if (jobs.first)
            run(jobs.first);
        else
            pthread_cond_wait(&jobs.asked, &jobs.lock);
    pthread_mutex_unlock(&jobs.lock);
}

static void wake(void *unused)
{
    (void)unused;
    atomic_store(&threads, 0);
    pthread_mutex_lock(&jobs.lock);
    jobs.stops = true;
    pthread_cond_broadcast(&jobs.asked);
    pthread_mutex_unlock(&jobs.lock);
}

static int threads_wanted(void)
{
    const char *setting = getenv("FACULA_COMPILE_THREADS");
    char *end = NULL;
    const int usual = fa__host_cpus() > 2 ? fa__host_cpus() - 1 : 1;
    const long set = setting ? strtol(setting, &end, 10) : 0,
               wanted = end != setting && !*end && set >= 0 ? set : usual;
    if (setting && *setting && wanted != set)
        fa__log(FA_LOG_WARNING, "FACULA_COMPILE_THREADS=%s is no number of threads: %d are used", setting, usual);
    return wanted < MOST_THREADS ? (int)wanted : MOST_THREADS;
}

/* They run until the process ends. */
static void start(void)
{
    const int count = threads_wanted();
    fa_error error = {.code = FA_OK}, *before = fa__error_use(&error);
    atomic_store(&threads, count && fa__crew_start(count, work, wake, NULL) ? count : 0);
    fa__error_use(before);
}

int fa__gpu_job_threads(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, start);
    return atomic_load(&threads);
}

/* ---- jobs ---- */
void fa__gpu_job_start(job *j, char *source)
{
    fa__free(j->source);
    fa__aligned_free(j->why);
    j->source = source;
    j->why = NULL;
    j->code = FA_OK;
    pthread_mutex_lock(&jobs.lock);
    append(j);
    pthread_cond_signal(&jobs.asked);
    pthread_mutex_unlock(&jobs.lock);
}

int64_t fa__gpu_job_finish(job *j)
{
    const int64_t start = fa__clock_ns();
    const bool done = fa__gpu_job_is_done(j);
    pthread_mutex_lock(&jobs.lock);
    while (!fa__gpu_job_is_done(j))
        if (atomic_load(&j->state) == FA__GPU_JOB_QUEUED)
            run(j);
        else if (jobs.first)
            run(jobs.first);
        else
            pthread_cond_wait(&jobs.done, &jobs.lock);
    atomic_fetch_sub(&j->users, 1);
    pthread_cond_broadcast(&jobs.done);
    pthread_mutex_unlock(&jobs.lock);
    return done ? 0 : fa__clock_ns() - start;
}

bool fa__gpu_job_fails(const job *j)
{
    fa__fail(j->code, "%s", j->why ? j->why : "out of memory");
    fa__error_within("compiling '%s' for %s", j->what, j->device->name);
    return false;
}

void fa__gpu_job_end(job *j)
{
    pthread_mutex_lock(&jobs.lock);
    if (atomic_load(&j->state) == FA__GPU_JOB_QUEUED)
        take_out(j);
    while (atomic_load(&j->state) == FA__GPU_JOB_RUNS || atomic_load(&j->users))
        pthread_cond_wait(&jobs.done, &jobs.lock);
    pthread_mutex_unlock(&jobs.lock);
    fa__free(j->source);
    fa__aligned_free(j->why);
}
