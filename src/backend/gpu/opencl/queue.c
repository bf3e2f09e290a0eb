/* Queues: made, freed, and what becomes of them in a fork. */
#include "backend/gpu/opencl/opencl.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/fork.h"
#include "core/ledger.h"
#include <sched.h>
#include <string.h>

typedef fa__opencl_queue queue;

fa__opencl_queue fa__opencl_queues[FA__OPENCL_DEVICES][FA__OPENCL_QUEUES];
const char *_Atomic fa__opencl_gone;
static pthread_mutex_t queues_lock = PTHREAD_MUTEX_INITIALIZER;
static bool begun[FA__OPENCL_DEVICES]; /* the device's queues have locks */

/* The next queue of a device that is in use, from number `*i` on; NULL: there is none. */
static queue *next_of(const fa__device *d, int *i)
{
    queue *found = NULL;
    pthread_mutex_lock(&queues_lock);
    while (!found && *i < FA__OPENCL_QUEUES) {
        queue *q = &fa__opencl_queues[d->id.index][(*i)++];
        found = q->used ? q : NULL;
    }
    pthread_mutex_unlock(&queues_lock);
    return found;
}

void fa__opencl_finish(void *device)
{
    int i = 0;
    for (queue *q; !fa__opencl_gone && (q = next_of(device, &i));)
        fa__opencl_wait(&q->base, fa__opencl_issued(q));
}

void fa__opencl_finish_all(void)
{
    for (int d = 0; d < FA__OPENCL_DEVICES; d++)
        for (int i = 0; i < FA__OPENCL_QUEUES; i++) {
            queue *q = &fa__opencl_queues[d][i];
            fa__opencl_wait_quietly(q, atomic_load(&q->base.issued));
        }
}

void fa__opencl_finish_new(void)
{
    for (int d = 0; d < FA__OPENCL_DEVICES; d++)
        for (int i = 0; i < FA__OPENCL_QUEUES; i++) {
            queue *q = &fa__opencl_queues[d][i];
            fa__opencl_wait_quietly(q, atomic_load(&q->last_new));
        }
}

/* ---- fork ---- */
static void begin_lock(queue *q)
{
    pthread_mutex_init(&q->lock, NULL);
}

/* The child has no driver: what was issued counts as done, and nothing more is. */
static void orphan(queue *q)
{
    begin_lock(q);
    q->launch = NULL;
    atomic_store(&q->base.done, q->base.issued);
}

/* What is on its way to the host's memory has to have arrived: the child has that memory, and nobody to write it. The
 * devices' locks are held, so that nothing more is issued. */
static void arrive(queue *q)
{
    if (fa__opencl_done(q) >= q->last_read || fa__opencl_gone)
        return;
    int64_t start = fa__clock_ns();
    fa__opencl_wait_quietly(q, q->last_read);
    fa__ledger_wait(&fa__ledger_fork, q->base.device, fa__clock_ns() - start);
}

static void queue_around_fork(queue *q, fa__fork_moment moment)
{
    if (moment == FA__FORK_CHILD) {
        orphan(q);
    } else if (moment == FA__FORK_PARENT) {
        fa__opencl_leave(q);
    } else {
        arrive(q);
        pthread_mutex_lock(&q->lock);
    }
}

static void around_fork(fa__fork_moment moment)
{
    if (moment == FA__FORK_BEFORE)
        pthread_mutex_lock(&queues_lock);
    for (int d = 0; d < FA__OPENCL_DEVICES; d++) {
        if (begun[d] && moment == FA__FORK_CHILD)
            fa__opencl_gone = "the process was forked: OpenCL is the parent's";
        for (int i = 0; begun[d] && i < FA__OPENCL_QUEUES; i++)
            queue_around_fork(&fa__opencl_queues[d][i], moment);
    }
    fa__opencl_memory_at_fork((int)moment);
    if (moment != FA__FORK_BEFORE)
        pthread_mutex_unlock(&queues_lock);
}

FA__AROUND_FORK(OPENCL, around_fork)

/* ---- queues ---- */
/* A queue that was freed goes on counting where it was, and stays with its device, so that old stamps stay true. */
static queue *find_free(fa__device *d)
{
    queue *its = fa__opencl_queues[d->id.index], *found = NULL;
    pthread_mutex_lock(&queues_lock);
    for (int i = 0; i < FA__OPENCL_QUEUES && !begun[d->id.index]; i++)
        begin_lock(&its[i]);
    begun[d->id.index] = true;
    for (int i = 0; i < FA__OPENCL_QUEUES && !found; i++)
        found = its[i].used ? NULL : &its[i];
    if (found) {
        found->used = true;
        found->base.device = d;
        found->base.serial = (uint32_t)(found - fa__opencl_queues[0]);
    }
    pthread_mutex_unlock(&queues_lock);
    if (!found)
        fa__fail(FA_ERROR_DEVICE, "%s has no more than %d queues", d->name, FA__OPENCL_QUEUES);
    return found;
}

static void give_up(queue *q)
{
    pthread_mutex_lock(&queues_lock);
    q->used = false;
    pthread_mutex_unlock(&queues_lock);
}

/* The fault word, cleared, and its copies. */
static bool make_faults(queue *q)
{
    static const cl_int zero;
    const fa__device *d = q->base.device;
    cl_int status = CL_OUT_OF_HOST_MEMORY;
    if (!fa__inject_now(sizeof(fa__fault)))
        q->fault = fa__opencl.clCreateBuffer(q->device->platform->context, CL_MEM_READ_WRITE, 2 * sizeof(fa__fault),
                                             NULL, &status);
    if (!fa__opencl_good(d, status, "clCreateBuffer"))
        return false;
    q->fault_host = fa__opencl_pinned(d, q->queue, FA__OPENCL_LOOKS * sizeof(fa__fault), &q->fault_copies);
    return q->fault_host
           && FA__OPENCL_TRY(d, clEnqueueFillBuffer, q->queue, q->fault, &zero, sizeof zero, 0, 2 * sizeof(fa__fault),
                             0, NULL, NULL);
}

static bool make(queue *q, fa__device *d)
{
    cl_int status = CL_SUCCESS;
    q->device = fa__opencl_own(d);
    q->work = fa__calloc(FA__OPENCL_OPEN, sizeof *q->work);
    q->taken = fa__calloc(FA__OPENCL_LOOKS, sizeof *q->taken);
    if (!q->work || !q->taken)
        return false;
    for (int i = 0; i < FA__OPENCL_OPEN; i++) {
        q->work[i].queue = q;
        atomic_store(&q->work[i].called, true);
    }
    q->queue = fa__opencl.clCreateCommandQueue(q->device->platform->context, q->device->id, CL_QUEUE_PROFILING_ENABLE,
                                               &status);
    return fa__opencl_good(d, status, "clCreateCommandQueue") && make_faults(q);
}

/* Waits for callbacks, too. A lost device may owe some for ever: then they keep their memory. */
static void settle(queue *q)
{
    fa__opencl_wait_quietly(q, fa__opencl_issued(q));
    for (int i = 0; q->work && i < FA__OPENCL_OPEN; i++)
        while (q->work && !atomic_load(&q->work[i].called)) {
            if (atomic_load(&q->device->lost))
                q->work = NULL;
            sched_yield();
        }
    pthread_mutex_lock(&q->lock); /* whoever was called back has gone */
    fa__opencl_leave(q);
    bool looked_at = false; /* by other queues' work */
    for (int i = 0; q->taken && i < FA__OPENCL_LOOKS; i++)
        looked_at |= atomic_load(&q->taken[i]);
    if (looked_at)
        fa__opencl_finish_all();
}

/* In the child of a fork all of it stays as it is: it is the parent's driver's. */
static void unmake(queue *q)
{
    if (fa__opencl_gone)
        return;
    if (q->queue) {
        settle(q);
        fa__opencl_pinned_free(q->queue, q->staging, q->staging_host);
        fa__opencl_pinned_free(q->queue, q->fault_copies, q->fault_host);
        fa__opencl.clFinish(q->queue);
        fa__opencl.clReleaseCommandQueue(q->queue);
    }
    if (q->fault)
        fa__opencl.clReleaseMemObject(q->fault);
    fa__opencl_stains_end(q);
    fa__tellings_end(&q->failed_told);
    fa__free(q->work);
    fa__free((void *)q->taken);
    memset(q->seen, 0, sizeof q->seen);
    q->work = NULL;
    q->taken = NULL;
    q->queue = NULL;
    q->staging = q->fault = q->fault_copies = NULL;
    q->staging_host = NULL;
    q->fault_host = NULL;
    q->staging_first = q->staging_next = 0;
    q->forgive = false;
    q->failed = 0;
}

fa__queue *fa__opencl_queue_new(fa__device *d)
{
    queue *q = find_free(d);
    if (!q)
        return NULL;
    q->epoch = 1;
    if (make(q, d))
        return &q->base;
    unmake(q);
    give_up(q);
    return NULL;
}

void fa__opencl_queue_free(fa__queue *base)
{
    queue *q = (queue *)base;
    fa__opencl_wait(base, fa__opencl_issued(q));
    fa__opencl_scratch(base, 0);
    unmake(q);
    give_up(q);
}

void fa__opencl_queues_end(fa__device *d)
{
    int i = 0;
    for (queue *q; (q = next_of(d, &i));) {
        unmake(q);
        give_up(q);
    }
}
