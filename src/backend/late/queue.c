/* Queues: work is copied, put in a list, and done later by the queue's thread. */
#define _GNU_SOURCE
#include "backend/late/late.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/dynamic.h"
#include "base/error.h"
#include "base/fork.h"
#include "core/ledger.h"
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

typedef fa__late_job job;

fa__late_queue fa__late_queues[FA__LATE_QUEUES];
bool fa__late_forked;
static pthread_mutex_t queues_lock = PTHREAD_MUTEX_INITIALIZER;
static bool begun;                        /* the queues have locks */
static _Atomic int64_t delay = INT64_MIN; /* INT64_MIN: not read yet */

void fa__late_delay(int64_t microseconds)
{
    atomic_store(&delay, microseconds);
}

static int64_t delay_ns(void)
{
    int64_t d = atomic_load(&delay);
    if (d == INT64_MIN) {
        const char *text = getenv("FACULA_LATE_DELAY_US");
        d = text && *text ? atoll(text) : 20;
        atomic_store(&delay, d);
    }
    return d * 1000;
}

/* ---- the queue's thread ---- */
/* Lets time pass; the lock is held. */
static void dawdle(fa__late_queue *q)
{
    int64_t ns = delay_ns(), end = fa__clock_ns() + ns;
    while (ns < 0 && !q->waiting && !q->stop)
        pthread_cond_wait(&q->more, &q->lock);
    struct timespec until = {(time_t)(end / 1000000000), (long)(end % 1000000000)};
    while (ns > 0 && !q->waiting && !q->stop)
        if (pthread_cond_timedwait(&q->more, &q->lock, &until) == ETIMEDOUT)
            break;
}

/* What goes wrong is kept; the host is told when it waits. */
static void do_job(fa__late_queue *q, job *j)
{
    fa_error error = {0};
    fa_error *before = fa__error_use(&error);
    fa__line = j->line;
    j->work(q, j);
    fa__error_use(before);
    if (error.code != FA_OK)
        fa__faults_open(&q->base, j->ticket, fa__fault_note_new(&error));
    pthread_mutex_lock(&q->lock);
    if (!j->event)
        atomic_store_explicit(&q->base.done, j->ticket, memory_order_release);
    q->events -= j->event;
    pthread_cond_broadcast(&q->finished);
    pthread_mutex_unlock(&q->lock);
    fa__aligned_free(j);
}

/* The next job, when its time has come; NULL: the queue ends. */
static job *next_job(fa__late_queue *q)
{
    pthread_mutex_lock(&q->lock);
    while (!q->first && !q->stop)
        pthread_cond_wait(&q->more, &q->lock);
    job *j = q->first;
    if (j) {
        dawdle(q);
        q->first = j->next;
    }
    pthread_mutex_unlock(&q->lock);
    return j;
}

static void *run_queue(void *context)
{
    fa__late_queue *q = context;
    for (job *j; (j = next_job(q));)
        do_job(q, j);
    return NULL;
}

/* ---- issuing ---- */
typedef struct spare {
    struct spare *next;
    size_t size;
} spare;

static FA__TLS spare *spares; /* what fa__late_keep put aside for this thread */

static void *allocate(size_t size)
{
    return fa__inject_now(size) ? NULL : fa__raw(16, size);
}

bool fa__late_keep(size_t size)
{
    spare *s = allocate(size + sizeof(job));
    if (!s)
        return false;
    *s = (spare){spares, size + sizeof(job)};
    spares = s;
    return true;
}

static void *take_spare(size_t size)
{
    spare *s = spares;
    if (!s || s->size < size)
        return NULL;
    spares = s->next;
    return s;
}

void fa__late_keep_none(void)
{
    while (spares)
        fa__aligned_free(take_spare(0));
}

/* NULL without memory; raises no error. */
job *fa__late_job_new(void (*work)(fa__late_queue *, job *), size_t more)
{
    size_t size = sizeof(job) + more;
    job *j = take_spare(size);
    if (!j)
        j = allocate(size);
    if (j) {
        memset(j, 0, sizeof *j);
        j->work = work;
        j->line = fa__line;
    }
    return j;
}

/* Signals are for the program's own threads. The queue's runs on when the library is closed while others live. */
static bool start(fa__late_queue *q)
{
    fa__library_stay();
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool started = pthread_create(&q->thread, NULL, run_queue, q) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return started;
}

uint64_t fa__late_append(fa__late_queue *q, job *j)
{
    uint64_t ticket = j->ticket = q->base.issued + 1;
    if (!j->event)
        atomic_store_explicit(&q->base.issued, ticket, memory_order_release);
    q->events += j->event;
    if (!q->running)
        q->running = start(q);
    if (!q->running) {
        pthread_mutex_unlock(&q->lock);
        do_job(q, j);
        return ticket;
    }
    j->next = NULL;
    if (q->first)
        q->last->next = j;
    else
        q->first = j;
    q->last = j;
    pthread_cond_broadcast(&q->more);
    pthread_mutex_unlock(&q->lock);
    return ticket;
}

uint64_t fa__late_issue(fa__queue *queue, job *j, const fa__op *op, const fa__late_access *access, int count)
{
    fa__late_queue *q = (fa__late_queue *)queue;
    if (fa__late_forked) {
        fa__fail(FA_ERROR_STATE, "%s: %s", queue->device->name, FA__LATE_FORKED);
        fa__aligned_free(j);
        return 0;
    }
    pthread_mutex_lock(&q->lock);
    fa__late_check(q, q->base.issued + 1, op, access, count);
    return fa__late_append(q, j);
}

/* ---- waiting ---- */
bool fa__late_wait_for_events(fa__late_queue *q)
{
    pthread_mutex_lock(&q->lock);
    bool waits = q->events > 0;
    q->waiting++;
    pthread_cond_broadcast(&q->more);
    while (q->events > 0)
        pthread_cond_wait(&q->finished, &q->lock);
    q->waiting--;
    pthread_mutex_unlock(&q->lock);
    return waits;
}

void fa__late_wait_quietly(fa__late_queue *q, uint64_t ticket)
{
    pthread_mutex_lock(&q->lock);
    q->waiting++;
    pthread_cond_broadcast(&q->more);
    while (atomic_load_explicit(&q->base.done, memory_order_acquire) < ticket)
        pthread_cond_wait(&q->finished, &q->lock);
    q->waiting--;
    pthread_mutex_unlock(&q->lock);
}

void fa__late_wait(fa__queue *queue, uint64_t ticket)
{
    fa__late_queue *q = (fa__late_queue *)queue;
    fa__late_wait_quietly(q, ticket);
    fa__late_check_waited(q, ticket);
    fa__faults_surface(queue, ticket);
}

static uint64_t issued(fa__late_queue *q)
{
    pthread_mutex_lock(&q->lock);
    uint64_t ticket = q->base.issued;
    pthread_mutex_unlock(&q->lock);
    return ticket;
}

void fa__late_finish(void *device)
{
    for (int i = 0; i < FA__LATE_QUEUES; i++) {
        pthread_mutex_lock(&queues_lock);
        bool its = fa__late_queues[i].used && fa__late_queues[i].base.device == device;
        pthread_mutex_unlock(&queues_lock);
        if (its)
            fa__late_wait(&fa__late_queues[i].base, issued(&fa__late_queues[i]));
    }
}

/* ---- queues ---- */
static void queue_locks(fa__late_queue *q)
{
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_mutex_init(&q->lock, NULL);
    pthread_cond_init(&q->more, &monotonic);
    pthread_cond_init(&q->finished, &monotonic);
    pthread_condattr_destroy(&monotonic);
}

/* The child of a fork has no threads that could do work: what was issued counts as done, and nothing more is. */
static void orphan(fa__late_queue *q)
{
    queue_locks(q); /* conditions too: the parent's threads wait on them */
    q->first = q->last = NULL;
    q->running = false;
    q->waiting = q->events = 0;
    atomic_store(&q->base.done, q->base.issued);
}

/* What is on its way to the host's memory has to have arrived: the child has that memory, and nobody to write it. The
 * devices' locks are held, so that nothing more is issued. All queues run meanwhile: they wait for each other. */
static void arrive(void)
{
    for (int i = 0; i < FA__LATE_QUEUES; i++) {
        fa__late_queue *q = &fa__late_queues[i];
        if (atomic_load_explicit(&q->base.done, memory_order_acquire) >= q->last_to_host)
            continue;
        int64_t start = fa__clock_ns();
        fa__late_wait_quietly(q, q->last_to_host);
        fa__ledger_wait(&fa__ledger_fork, q->base.device, fa__clock_ns() - start);
    }
}

static void queues_around_fork(fa__fork_moment moment)
{
    fa__late_forked |= begun && moment == FA__FORK_CHILD;
    if (begun && moment == FA__FORK_BEFORE)
        arrive();
    for (int i = 0; begun && i < FA__LATE_QUEUES; i++)
        if (moment == FA__FORK_CHILD)
            orphan(&fa__late_queues[i]);
        else
            fa__fork_mutex(&fa__late_queues[i].lock, moment);
}

FA__LOCKED_AT_FORK(LATE, &queues_lock)
FA__AROUND_FORK(QUEUES, queues_around_fork)

static void queue_begin(fa__late_queue *q, int number)
{
    queue_locks(q);
    q->number = number;
    q->base.serial = (uint32_t)number;
}

/* A queue that was freed goes on counting where it was, so that old stamps stay true. */
fa__queue *fa__late_queue_new(fa__device *d)
{
    fa__late_queue *found = NULL;
    pthread_mutex_lock(&queues_lock);
    for (int i = 0; i < FA__LATE_QUEUES && !begun; i++)
        queue_begin(&fa__late_queues[i], i);
    begun = true;
    for (int i = 0; i < FA__LATE_QUEUES && !found; i++) {
        fa__late_queue *q = &fa__late_queues[i];
        if (!q->used && (!q->base.device || q->base.device == d))
            found = q;
    }
    if (found) {
        found->used = true;
        found->base.device = d;
    }
    pthread_mutex_unlock(&queues_lock);
    if (!found)
        fa__fail(FA_ERROR_DEVICE, "%s has no more than %d queues", d->name, FA__LATE_QUEUES);
    return found ? &found->base : NULL;
}

void fa__late_queue_free(fa__queue *queue)
{
    fa__late_queue *q = (fa__late_queue *)queue;
    fa__late_wait(queue, issued(q));
    fa__faults_close(queue, issued(q));
    pthread_mutex_lock(&queues_lock);
    q->used = false;
    pthread_mutex_unlock(&queues_lock);
}

static void stop(fa__late_queue *q)
{
    pthread_mutex_lock(&q->lock);
    bool running = q->running;
    q->stop = true;
    pthread_cond_broadcast(&q->more);
    pthread_mutex_unlock(&q->lock);
    if (running)
        pthread_join(q->thread, NULL);
    pthread_mutex_lock(&q->lock);
    q->running = q->stop = false;
    pthread_mutex_unlock(&q->lock);
}

void fa__late_stop(fa__device *d)
{
    for (int i = 0; i < FA__LATE_QUEUES; i++) {
        if (fa__late_queues[i].base.device != d)
            continue;
        stop(&fa__late_queues[i]);
        fa__faults_end(&fa__late_queues[i].base);
        pthread_mutex_lock(&queues_lock);
        fa__late_queues[i].used = false;
        pthread_mutex_unlock(&queues_lock);
    }
}
