/* How parallel loops are run: on the calling thread, by the pool, or by the host program; with how many threads; and
 * how an error of another thread reaches the caller. */
#define _GNU_SOURCE
#include "base/error.h"
#include "base/log.h"
#include "base/parallel_pool.h"
#include <errno.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

static _Atomic int threads_wanted; /* 0: not determined yet */
static _Atomic int cpus_known;     /* 0: not determined yet */

static _Atomic(fa_parallel_for *) host_function;
static _Atomic(void *) host_context;

int fa__host_cpus(void)
{
    int known = atomic_load_explicit(&cpus_known, memory_order_relaxed);
    if (known)
        return known;
    cpu_set_t set;
    known = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
    atomic_store_explicit(&cpus_known, known, memory_order_relaxed);
    return known;
}

static int at_most(long threads)
{
    return threads < FA__MOST_THREADS ? (int)threads : FA__MOST_THREADS;
}

static int default_threads(void)
{
    const char *value = getenv("FACULA_NUM_THREADS");
    if (!value || !*value)
        return at_most(fa__host_cpus());
    char *end;
    long threads = strtol(value, &end, 10);
    if (!*end && threads > 0)
        return at_most(threads);
    fa__log(FA_LOG_WARNING, "FACULA_NUM_THREADS is \"%s\", not a number of threads; it is ignored", value);
    return at_most(fa__host_cpus());
}

int fa__parallel_threads(void)
{
    int threads = atomic_load_explicit(&threads_wanted, memory_order_relaxed);
    if (FA__LIKELY(threads > 0))
        return threads;
    threads = default_threads();
    atomic_store_explicit(&threads_wanted, threads, memory_order_relaxed);
    return threads;
}

bool fa__threads_spin(void)
{
    return fa__parallel_threads() <= fa__host_cpus();
}

int fa_num_threads(void)
{
    return fa__parallel_threads();
}

void fa_set_num_threads(int threads)
{
    if (threads < 0)
        fa__fail(FA_ERROR_ARGUMENT, "fa_set_num_threads: %d threads: 0 or more can be asked for", threads);
    else
        atomic_store_explicit(&threads_wanted, at_most(threads), memory_order_relaxed);
}

bool fa_set_parallel_for(fa_parallel_for *function, void *context)
{
    atomic_store_explicit(&host_context, context, memory_order_relaxed);
    atomic_store_explicit(&host_function, function, memory_order_release);
    return true;
}

void fa__loop_error_keep(fa__loop_error *kept, int64_t where)
{
    pthread_mutex_lock(&kept->lock);
    if (kept->error.code == FA_OK || where < kept->where) {
        kept->error = *fa__self->error;
        kept->where = where;
    }
    pthread_mutex_unlock(&kept->lock);
    fa_error_clear();
}

/* A loop run by the host program's function. */
typedef struct host_loop {
    fa__loop_body *body;
    void *context;
    fa__thread *caller;
    bool stood; /* the caller has had an error since before the loop */
    fa__loop_error error;
} host_loop;

/* With the error of the thread, which may be one of the host program's, put aside. */
static void run_aside(host_loop *l, int64_t begin, int64_t end)
{
    fa_error aside = {0};
    fa_error *previous = fa__error_use(&aside);
    l->body(l->context, begin, end);
    if (fa__failed())
        fa__loop_error_keep(&l->error, begin);
    fa__error_use(previous);
}

static void host_body(void *context, int64_t begin, int64_t end)
{
    host_loop *l = (host_loop *)context;
    fa__thread *t = fa__thread_here();
    bool before = t && t->in_parallel;
    if (t)
        t->in_parallel = true;
    if (t == l->caller && l->stood)
        l->body(l->context, begin, end);
    else
        run_aside(l, begin, end);
    if (t)
        t->in_parallel = before;
}

static void run_by_host(fa_parallel_for *function, int64_t count, int64_t grain, fa__loop_body *body, void *context)
{
    host_loop l = {.body = body, .context = context, .caller = fa__self, .stood = fa__failed()};
    pthread_mutex_init(&l.error.lock, NULL);
    function(atomic_load_explicit(&host_context, memory_order_relaxed), count, grain, host_body, &l);
    pthread_mutex_destroy(&l.error.lock);
    fa__error_hand_over(&l.error.error);
}

void fa__parallel_for(int64_t count, int64_t grain, void (*body)(void *, int64_t, int64_t), void *context)
{
    if (count <= 0)
        return;
    if (count <= grain || fa__self->in_parallel || !fa__thread_here()) {
        body(context, 0, count);
        return;
    }
    if (grain < 1)
        grain = 1;
    fa_parallel_for *function = atomic_load_explicit(&host_function, memory_order_acquire);
    int threads = fa__parallel_threads();
    if (function)
        run_by_host(function, count, grain, body, context);
    else if (threads == 1 || count <= grain || !fa__pool_run(count, grain, threads, body, context))
        body(context, 0, count);
}
