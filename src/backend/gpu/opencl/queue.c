/* Queues: made, freed, and what becomes of them in a fork. */
#include "backend/gpu/opencl/opencl.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/fork.h"
#include <sched.h>

typedef fa__opencl_queue queue;

fa__opencl_queue fa__opencl_queues[FA__OPENCL_QUEUES];
const char *_Atomic fa__opencl_gone;
static pthread_mutex_t queues_lock = PTHREAD_MUTEX_INITIALIZER;
static bool begun; /* the queues have locks */

static bool is_of(queue *q, const fa__device *d)
{
    pthread_mutex_lock(&queues_lock);
    bool its = q->used && q->base.device == d;
    pthread_mutex_unlock(&queues_lock);
    return its;
}

void fa__opencl_finish(void *device)
{
    for (int i = 0; i < FA__OPENCL_QUEUES && !fa__opencl_gone; i++)
        if (is_of(&fa__opencl_queues[i], device))
            fa__opencl_wait(&fa__opencl_queues[i].base, fa__opencl_issued(&fa__opencl_queues[i]));
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

static void around_fork(fa__fork_moment moment)
{
    if (moment == FA__FORK_BEFORE)
        pthread_mutex_lock(&queues_lock);
    if (begun && moment == FA__FORK_CHILD)
        fa__opencl_gone = "the process was forked: OpenCL is the parent's";
    for (int i = 0; begun && i < FA__OPENCL_QUEUES; i++)
        if (moment == FA__FORK_CHILD)
            orphan(&fa__opencl_queues[i]);
        else if (moment == FA__FORK_PARENT)
            fa__opencl_leave(&fa__opencl_queues[i]);
        else
            pthread_mutex_lock(&fa__opencl_queues[i].lock);
    fa__opencl_memory_at_fork((int)moment);
    if (moment != FA__FORK_BEFORE)
        pthread_mutex_unlock(&queues_lock);
}

FA__AROUND_FORK(OPENCL, around_fork)

/* ---- queues ---- */
/* A queue that was freed goes on counting where it was, so that old stamps stay true. */
static queue *find_free(fa__device *d)
{
    queue *found = NULL;
    pthread_mutex_lock(&queues_lock);
    for (int i = 0; i < FA__OPENCL_QUEUES && !begun; i++)
        begin_lock(&fa__opencl_queues[i]);
    begun = true;
    for (int i = 0; i < FA__OPENCL_QUEUES && !found; i++) {
        queue *q = &fa__opencl_queues[i];
        if (!q->used && (!q->base.device || q->base.device == d))
            found = q;
    }
    if (found) {
        found->used = true;
        found->base.device = d;
        found->base.serial = (uint32_t)(found - fa__opencl_queues);
    }
    pthread_mutex_unlock(&queues_lock);
    if (!found)
        fa__fail(FA_ERROR_DEVICE, "%s: there are no more than %d queues of OpenCL", d->name, FA__OPENCL_QUEUES);
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
        q->fault = fa__opencl.clCreateBuffer(q->device->platform->context, CL_MEM_READ_WRITE, sizeof(fa__fault), NULL,
                                             &status);
    if (!fa__opencl_good(d, status, "clCreateBuffer"))
        return false;
    q->fault_host = fa__opencl_pinned(d, q->queue, FA__OPENCL_OPEN * sizeof(fa__fault), &q->fault_copies);
    return q->fault_host
           && FA__OPENCL_TRY(d, clEnqueueFillBuffer, q->queue, q->fault, &zero, sizeof zero, 0, sizeof(fa__fault), 0,
                             NULL, NULL);
}

static bool make(queue *q, fa__device *d)
{
    cl_int status = CL_SUCCESS;
    q->device = fa__opencl_own(d);
    q->work = fa__calloc(FA__OPENCL_OPEN, sizeof *q->work);
    if (!q->work)
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
    fa__opencl_disown(q->guilty);
    fa__free(q->work);
    q->guilty = NULL;
    q->work = NULL;
    q->queue = NULL;
    q->staging = q->fault = q->fault_copies = NULL;
    q->staging_host = NULL;
    q->fault_host = NULL;
    q->staging_first = q->staging_next = 0;
    q->fault_epoch = 0;
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
    for (int i = 0; i < FA__OPENCL_QUEUES; i++)
        if (is_of(&fa__opencl_queues[i], d)) {
            unmake(&fa__opencl_queues[i]);
            give_up(&fa__opencl_queues[i]);
        }
}
