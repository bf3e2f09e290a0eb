/* Queues of GPUs: made, freed, and what becomes of them in a fork. */
#include "backend/gpu/queue.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/fork.h"
#include "core/faults.h"
#include "core/ledger.h"
#include <string.h>

typedef fa__gpu_queue queue;

fa__gpu_queue fa__gpu_queues[FA__GPU_DEVICES][FA__GPU_QUEUES];
const char *_Atomic fa__gpu_gone;
static pthread_mutex_t queues_lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic bool begun[FA__GPU_DEVICES]; /* the device's queues have locks */

queue *fa__gpu_next_queue(const fa__device *d, int *i)
{
    queue *found = NULL;
    pthread_mutex_lock(&queues_lock);
    while (!found && *i < FA__GPU_QUEUES) {
        queue *q = &fa__gpu_queues[fa__gpu_own(d)->number][(*i)++];
        found = q->used ? q : NULL;
    }
    pthread_mutex_unlock(&queues_lock);
    return found;
}

void fa__gpu_finish(void *device)
{
    int i = 0;
    for (queue *q; !fa__gpu_gone && (q = fa__gpu_next_queue(device, &i));)
        fa__gpu_wait(&q->base, fa__gpu_issued(q));
}

void fa__gpu_finish_all(bool only_new)
{
    for (int d = 0; d < FA__GPU_DEVICES; d++)
        for (int i = 0; i < FA__GPU_QUEUES && begun[d]; i++) {
            queue *q = &fa__gpu_queues[d][i];
            if (only_new)
                fa__gpu_catch_up(q);
            fa__gpu_wait_quietly(q, atomic_load(only_new ? &q->last_new : &q->base.issued));
        }
}

void fa__gpu_fail_pending(const fa__device *d, fa__fault_note *note)
{
    int i = 0;
    for (queue *q; (q = fa__gpu_next_queue(d, &i));) {
        pthread_mutex_lock(&q->lock);
        if (fa__gpu_done(q) < fa__gpu_issued(q))
            fa__faults_open(&q->base, fa__gpu_done(q) + 1, note);
        pthread_mutex_unlock(&q->lock);
    }
}

uint64_t fa__gpu_issued(queue *q)
{
    return atomic_load_explicit(&q->base.issued, memory_order_acquire);
}

/* ---- fork ---- */
const char *fa__gpu_gone_why(void)
{
    return fa__gpu_gone;
}

static void begin_locks(queue *q)
{
    pthread_mutex_init(&q->lock, NULL);
    pthread_cond_init(&q->compiled, NULL);
}

/* The child has no driver: what was issued counts as done, and nothing more is. */
static void orphan(queue *q)
{
    begin_locks(q);
    q->compiling = 0;
    fa__gpu_forget_held(q);
    atomic_store(&q->base.done, q->base.issued);
}

/* What is on its way to the host's memory has to have arrived: the child has that memory, and nobody to write it. The
 * devices' locks are held, so that nothing more is issued. */
static void arrive(queue *q)
{
    if (fa__gpu_done(q) < q->last_read)
        fa__gpu_advance(q);
    if (fa__gpu_done(q) >= q->last_read || fa__gpu_gone)
        return;
    int64_t start = fa__clock_ns();
    fa__gpu_wait_quietly(q, q->last_read);
    fa__ledger_wait(&fa__ledger_fork, q->base.device, fa__clock_ns() - start);
}

static void each_queue(void (*call)(queue *))
{
    for (int d = 0; d < FA__GPU_DEVICES; d++)
        for (int i = 0; begun[d] && i < FA__GPU_QUEUES; i++)
            call(&fa__gpu_queues[d][i]);
}

static void lock_queue(queue *q)
{
    pthread_mutex_lock(&q->lock);
}

static void unlock_queue(queue *q)
{
    pthread_mutex_unlock(&q->lock);
}

/* All have arrived before the first one is locked: queues wait for each other. */
static void around_fork(fa__fork_moment moment)
{
    if (moment == FA__FORK_BEFORE) {
        pthread_mutex_lock(&queues_lock);
        each_queue(arrive);
        each_queue(lock_queue);
        return;
    }
    for (int d = 0; d < FA__GPU_DEVICES && moment == FA__FORK_CHILD; d++)
        if (begun[d])
            fa__gpu_gone = "the process was forked: its GPUs are the parent's";
    each_queue(moment == FA__FORK_CHILD ? orphan : unlock_queue);
    pthread_mutex_unlock(&queues_lock);
}

FA__AROUND_FORK(GPU, around_fork)

/* ---- queues ---- */
/* A queue that was freed goes on counting where it was, and stays with its device, so that old stamps stay true. */
static queue *find_free(fa__device *d)
{
    int number = fa__gpu_own(d)->number;
    queue *its = fa__gpu_queues[number], *found = NULL;
    pthread_mutex_lock(&queues_lock);
    for (int i = 0; i < FA__GPU_QUEUES && !begun[number]; i++)
        begin_locks(&its[i]);
    begun[number] = true;
    for (int i = 0; i < FA__GPU_QUEUES && !found; i++)
        found = its[i].used ? NULL : &its[i];
    if (found) {
        found->used = true;
        found->base.device = d;
        found->base.poll = fa__gpu_poll;
        found->base.serial = (uint32_t)(found - fa__gpu_queues[0]);
    }
    pthread_mutex_unlock(&queues_lock);
    if (!found)
        fa__fail(FA_ERROR_DEVICE, "%s has no more than %d queues", d->name, FA__GPU_QUEUES);
    return found;
}

static void give_up(queue *q)
{
    pthread_mutex_lock(&queues_lock);
    q->used = false;
    pthread_mutex_unlock(&queues_lock);
}

/* The driver may wait for the queue. */
void *fa__gpu_pinned(queue *q, size_t size, void **handle)
{
    fa__device *d = q->base.device;
    if (fa__inject_now(size)) {
        fa__fail(FA_ERROR_MEMORY, "out of memory on %s: no pinned memory is left", d->name);
        return NULL;
    }
    int64_t start = fa__clock_ns();
    void *host = q->gpu->driver->pinned(d, q->handle, size, handle);
    fa__ledger_implicit(NULL, d, fa__clock_ns() - start);
    return host;
}

/* The fault word, cleared, and its copies. */
static bool make_faults(queue *q)
{
    fa__device *d = q->base.device;
    const fa__gpu_driver *driver = q->gpu->driver;
    size_t size = FA__GPU_COPIES * sizeof(fa__fault);
    if (fa__inject_now(FA__GPU_WORD) || !(q->word = driver->allocate(d, FA__GPU_WORD)))
        return fa__fail(FA_ERROR_MEMORY, "out of memory on %s: none is left for a queue", d->name);
    q->copies = fa__gpu_pinned(q, size, &q->copies_handle);
    if (!q->copies)
        return false;
    memset(q->copies, 0, size);
    atomic_init(&q->copies[FA__GPU_BROKEN].code, FA_ERROR_DEVICE);
    const fa__gpu_copy clear = {
        .to = q->word, .from = q->copies, .bytes = 2 * sizeof(fa__fault), .to_device = d, .wait = true};
    return driver->copy(d, q->handle, &clear, NULL);
}

static bool make(queue *q, fa__device *d)
{
    q->gpu = fa__gpu_own(d);
    q->work = fa__calloc(FA__GPU_OPEN, sizeof *q->work);
    q->mark = fa__calloc(FA__GPU_MARKS, sizeof *q->mark);
    q->taken = fa__calloc(FA__GPU_CHECKS, sizeof *q->taken);
    q->marked = q->base.issued;
    q->handle = q->work && q->mark && q->taken ? q->gpu->driver->queue_new(d) : NULL;
    return q->handle && make_faults(q);
}

/* Other queues' work may still look at copies of this one's fault word. */
static void settle(queue *q)
{
    fa__gpu_wait_quietly(q, fa__gpu_issued(q));
    bool looked_at = false;
    for (int i = 0; q->taken && i < FA__GPU_CHECKS; i++)
        looked_at |= atomic_load(&q->taken[i]);
    if (looked_at)
        fa__gpu_finish_all(false);
}

static void unmake(queue *q)
{
    fa__device *d = q->base.device;
    const fa__gpu_driver *driver = q->gpu->driver;
    if (fa__gpu_gone)
        return;
    if (q->handle) {
        settle(q);
        if (q->staging)
            driver->pinned_free(d, q->handle, q->staging, q->staging_handle);
        if (q->copies)
            driver->pinned_free(d, q->handle, q->copies, q->copies_handle);
        driver->finish(q->handle);
        driver->queue_free(d, q->handle);
    }
    if (q->word)
        driver->release(d, q->word, FA__GPU_WORD);
    pthread_mutex_lock(&q->lock);
    fa__free(q->work);
    fa__free(q->mark);
    fa__free((void *)q->taken);
    q->work = NULL;
    q->mark = NULL;
    q->taken = NULL;
    q->handle = q->word = NULL;
    q->staging = NULL;
    q->copies = NULL;
    q->staging_first = q->staging_next = 0;
    q->work_first = q->work_next = q->mark_freed = q->mark_first = q->mark_next = 0;
    q->shared = false;
    q->broken.note = NULL;
    memset(q->seen, 0, sizeof q->seen);
    fa__faults_close(&q->base, q->base.issued);
    pthread_mutex_unlock(&q->lock);
}

fa__queue *fa__gpu_queue_new(fa__device *d)
{
    queue *q = find_free(d);
    if (!q)
        return NULL;
    if (make(q, d))
        return &q->base;
    unmake(q);
    give_up(q);
    return NULL;
}

void fa__gpu_queue_free(fa__queue *base)
{
    queue *q = (queue *)base;
    fa__gpu_wait(base, fa__gpu_issued(q));
    unmake(q);
    give_up(q);
}

void fa__gpu_queues_end(fa__device *d)
{
    int i = 0;
    for (queue *q; (q = fa__gpu_next_queue(d, &i));) {
        unmake(q);
        give_up(q);
    }
    for (i = 0; i < FA__GPU_QUEUES; i++)
        fa__faults_end(&fa__gpu_queues[fa__gpu_own(d)->number][i].base);
}
