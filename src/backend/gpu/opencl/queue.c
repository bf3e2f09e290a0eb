/* Queues: tickets, and how the library learns that work is done. Each piece of work has an event. The driver calls back
 * when it is over, on a thread of its own; whoever waits learns it, too. Either way the work at the front of the queue
 * is then put away in order, and `done` follows. */
#include "backend/gpu/opencl/opencl.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/fork.h"
#include "core/ledger.h"
#include <sched.h>
#include <string.h>

typedef fa__opencl_queue queue;
typedef fa__opencl_work work;

fa__opencl_queue fa__opencl_queues[FA__OPENCL_QUEUES];
bool fa__opencl_forked;
static pthread_mutex_t queues_lock = PTHREAD_MUTEX_INITIALIZER;
static bool begun; /* the queues have locks */

static work *work_of(const queue *q, uint64_t ticket)
{
    return &q->work[ticket % FA__OPENCL_OPEN];
}

static uint64_t done(queue *q)
{
    return atomic_load_explicit(&q->base.done, memory_order_acquire);
}

/* ---- work that is over ---- */
static int64_t event_ns(cl_event e)
{
    cl_ulong start = 0, end = 0;
    if (!e || fa__opencl.clGetEventProfilingInfo(e, CL_PROFILING_COMMAND_START, sizeof start, &start, NULL)
        || fa__opencl.clGetEventProfilingInfo(e, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL))
        return 0;
    return end > start ? (int64_t)(end - start) : 0;
}

/* The first failure is kept. Work behind another device's failure fails, too, but its own device is well. */
static void note_failure(work *w, uint64_t ticket, cl_int status)
{
    queue *q = w->queue;
    if (!q->failed) {
        q->failed = status;
        q->failed_call = w->call;
        q->failed_ticket = ticket;
    }
    if (status != CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST)
        atomic_store(&q->device->lost, status);
}

/* The driver is asked about work that somebody waited for, and that it has not called back for yet. What still runs
 * then will never end. */
static cl_int status_of(work *w)
{
    cl_int status = CL_COMPLETE;
    if (atomic_load(&w->called))
        return atomic_load(&w->status);
    cl_int asked = fa__opencl.clGetEventInfo(w->event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL);
    return asked != CL_SUCCESS ? asked : status > CL_COMPLETE ? CL_OUT_OF_RESOURCES : status;
}

static void put_away(work *w, uint64_t ticket)
{
    cl_int status = status_of(w);
    if (status < 0)
        note_failure(w, ticket, status);
    if (w->target && w->staged && status == CL_COMPLETE)
        memcpy(w->target, w->staged, w->bytes);
    if (w->timed && status == CL_COMPLETE)
        fa__ledger_copy_time(w->op, w->from, w->to, event_ns(w->event) + event_ns(w->read));
    if (w->moment) {
        cl_ulong end = 0;
        if (!fa__opencl.clGetEventProfilingInfo(w->event, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL))
            atomic_store(&w->moment->ns, (int64_t)end);
        fa__moment_drop(w->moment);
    }
    if (w->suspect)
        fa__opencl_judge(w, ticket, status == CL_COMPLETE);
    if (w->staging_end)
        w->queue->staging_first = w->staging_end;
    fa__opencl.clReleaseEvent(w->event);
    if (w->read)
        fa__opencl.clReleaseEvent(w->read);
}

/* Whether the first piece of work that is not put away is over. */
static bool front_is_over(queue *q)
{
    uint64_t next = done(q) + 1;
    return next <= __atomic_load_n(&q->base.issued, __ATOMIC_ACQUIRE)
           && (next <= __atomic_load_n(&q->known, __ATOMIC_ACQUIRE) || atomic_load(&work_of(q, next)->called));
}

/* The lock is held. */
static void drain(queue *q)
{
    while (front_is_over(q)) {
        uint64_t ticket = done(q) + 1;
        put_away(work_of(q, ticket), ticket);
        atomic_store_explicit(&q->base.done, ticket, memory_order_release);
    }
}

/* The driver's threads call this, maybe with locks of its own: they never wait for ours. Who holds the lock looks again
 * after giving it back, so that nothing is forgotten. */
static void drain_if_free(queue *q)
{
    do {
        atomic_thread_fence(memory_order_seq_cst);
        if (pthread_mutex_trylock(&q->lock))
            return;
        drain(q);
        pthread_mutex_unlock(&q->lock);
        atomic_thread_fence(memory_order_seq_cst);
    } while (front_is_over(q));
}

void fa__opencl_leave(queue *q)
{
    pthread_mutex_unlock(&q->lock);
    atomic_thread_fence(memory_order_seq_cst);
    if (front_is_over(q))
        drain_if_free(q);
}

static void called_back(cl_event event, cl_int status, void *context)
{
    (void)event;
    work *w = context;
    queue *q = w->queue;
    atomic_store(&w->status, status);
    atomic_store(&w->called, true); /* from here on w may be other work's */
    if (!fa__opencl_forked)
        drain_if_free(q);
}

/* ---- waiting ---- */
/* The event of a piece of work that is not put away, to be released; NULL: it is done. */
static cl_event event_of(queue *q, uint64_t ticket)
{
    cl_event e = NULL;
    pthread_mutex_lock(&q->lock);
    if (done(q) < ticket && ticket <= q->base.issued)
        e = work_of(q, ticket)->event;
    if (e)
        fa__opencl.clRetainEvent(e);
    fa__opencl_leave(q);
    return e;
}

void fa__opencl_wait_quietly(queue *q, uint64_t ticket)
{
    cl_event e = done(q) < ticket && !fa__opencl_forked ? event_of(q, ticket) : NULL;
    if (!e)
        return;
    fa__opencl.clWaitForEvents(1, &e); /* failures are found when the work is put away */
    fa__opencl.clReleaseEvent(e);
    pthread_mutex_lock(&q->lock);
    if (q->known < ticket)
        __atomic_store_n(&q->known, ticket, __ATOMIC_RELEASE);
    drain(q);
    fa__opencl_leave(q);
}

void fa__opencl_wait(fa__queue *base, uint64_t ticket)
{
    queue *q = (queue *)base;
    fa__opencl_wait_quietly(q, ticket);
    if (!fa__opencl_forked)
        fa__opencl_surface(q, ticket);
}

static uint64_t issued(queue *q)
{
    pthread_mutex_lock(&q->lock);
    uint64_t ticket = q->base.issued;
    fa__opencl_leave(q);
    return ticket;
}

static bool is_of(queue *q, const fa__device *d)
{
    pthread_mutex_lock(&queues_lock);
    bool its = q->used && q->base.device == d;
    pthread_mutex_unlock(&queues_lock);
    return its;
}

void fa__opencl_finish(void *device)
{
    for (int i = 0; i < FA__OPENCL_QUEUES && !fa__opencl_forked; i++)
        if (is_of(&fa__opencl_queues[i], device))
            fa__opencl_wait(&fa__opencl_queues[i].base, issued(&fa__opencl_queues[i]));
}

/* ---- issuing ---- */
static bool may_issue(const queue *q)
{
    const char *name = q->base.device->name;
    cl_int lost = atomic_load(&q->device->lost);
    if (fa__opencl_forked)
        return fa__fail(FA_ERROR_STATE, "%s: the process was forked: its queue is the parent's", name);
    return !lost || fa__fail(FA_ERROR_DEVICE, "%s is lost: %s (%d)", name, fa__opencl_error_name(lost), (int)lost);
}

work *fa__opencl_begin(queue *q, const fa__op *op)
{
    if (!may_issue(q))
        return NULL;
    uint64_t ticket = q->base.issued + 1;
    work *w = work_of(q, ticket);
    if (ticket > FA__OPENCL_OPEN && done(q) < ticket - FA__OPENCL_OPEN) {
        int64_t start = fa__clock_ns();
        fa__opencl_wait_quietly(q, ticket - FA__OPENCL_OPEN);
        fa__ledger_implicit(op, q->base.device, fa__clock_ns() - start);
    }
    while (!atomic_load(&w->called)) /* it is done: the callback is under way */
        sched_yield();
    w->event = w->read = NULL;
    w->op = op;
    w->from = w->to = NULL;
    w->timed = false;
    w->target = NULL;
    w->staged = NULL;
    w->staging_end = 0;
    w->suspect = NULL;
    w->moment = NULL;
    return w;
}

/* Before others can see the work, so that it is not put away meanwhile. */
static void have_called(work *w)
{
    queue *q = w->queue;
    cl_int status = fa__opencl.clSetEventCallback(w->event, CL_COMPLETE, called_back, w);
    if (status != CL_SUCCESS) { /* then it is waited for */
        int64_t start = fa__clock_ns();
        status = fa__opencl.clWaitForEvents(1, &w->event);
        fa__ledger_implicit(w->op, q->base.device, fa__clock_ns() - start);
        called_back(w->event, status, w);
    }
    fa__opencl.clFlush(q->queue); /* drivers may keep work to themselves before that */
}

uint64_t fa__opencl_commit(work *w, cl_event event, const char *call)
{
    queue *q = w->queue;
    w->event = event;
    w->call = call;
    atomic_store(&w->status, CL_COMPLETE);
    atomic_store(&w->called, false);
    have_called(w);
    pthread_mutex_lock(&q->lock);
    uint64_t ticket = q->base.issued + 1;
    if (w->target)
        q->last_read = ticket;
    __atomic_store_n(&q->base.issued, ticket, __ATOMIC_RELEASE);
    fa__opencl_leave(q);
    return ticket;
}

static uint64_t issue_marker(queue *q, fa__moment *moment)
{
    cl_event event;
    work *w = fa__opencl_begin(q, NULL);
    if (!w || !FA__OPENCL_TRY(q->base.device, clEnqueueMarkerWithWaitList, q->queue, 0, NULL, &event))
        return 0;
    w->moment = moment;
    if (moment)
        atomic_fetch_add(&moment->references, 1);
    return fa__opencl_commit(w, event, "clEnqueueMarkerWithWaitList");
}

uint64_t fa__opencl_nothing(queue *q)
{
    return issue_marker(q, NULL);
}

uint64_t fa__opencl_mark(fa__queue *q, fa__moment *moment)
{
    return issue_marker((queue *)q, moment);
}

/* ---- order ---- */
/* Whether the host has a part in the order: the work writes its memory, and either it does that itself at the end, or
 * what comes behind is read when it is issued. */
static bool host_takes_part(queue *q, queue *other, uint64_t ticket)
{
    pthread_mutex_lock(&other->lock);
    const work *w = work_of(other, ticket);
    bool part = done(other) < ticket && w->target && (w->staged || q->device->pinned);
    fa__opencl_leave(other);
    return part;
}

static bool follow(queue *q, queue *other, uint64_t ticket)
{
    cl_event e = event_of(other, ticket);
    if (!e)
        return true;
    cl_int status = fa__opencl.clEnqueueBarrierWithWaitList(q->queue, 1, &e, NULL);
    fa__opencl.clReleaseEvent(e);
    return fa__opencl_good(q->base.device, status, "clEnqueueBarrierWithWaitList");
}

/* The driver can order queues of one context. For others the host waits. */
bool fa__opencl_after(fa__queue *base, fa__stamp stamp)
{
    queue *q = (queue *)base, *other = (queue *)stamp.queue;
    if (!other || other == q || fa__stamp_done(&stamp) || fa__opencl_forked)
        return true;
    const fa__device *d = stamp.queue->device;
    bool opencl = d->backend == &fa__backend_opencl;
    if (opencl && other->device->platform == q->device->platform && !host_takes_part(q, other, stamp.ticket))
        return follow(q, other, stamp.ticket);
    int64_t start = fa__clock_ns();
    if (opencl)
        fa__opencl_wait_quietly(other, stamp.ticket);
    else
        d->backend->wait(stamp.queue, stamp.ticket);
    fa__ledger_implicit(NULL, d, fa__clock_ns() - start);
    return true;
}

/* The last work of the queue that writes these bytes of the host; 0: none that is not done. */
static uint64_t last_writer(queue *q, const char *from, size_t bytes)
{
    uint64_t found = 0;
    pthread_mutex_lock(&q->lock);
    for (uint64_t ticket = q->last_read; !found && ticket > done(q); ticket--) {
        const work *w = work_of(q, ticket);
        if (w->target && w->target < from + bytes && from < w->target + w->bytes)
            found = ticket;
    }
    fa__opencl_leave(q);
    return found;
}

void fa__opencl_before_host_read(queue *q, const fa__op *op, const void *from, size_t bytes)
{
    uint64_t ticket = done(q) < q->last_read ? last_writer(q, from, bytes) : 0;
    if (!ticket)
        return;
    int64_t start = fa__clock_ns();
    fa__opencl_wait_quietly(q, ticket);
    fa__ledger_implicit(op, q->base.device, fa__clock_ns() - start);
}

/* ---- pinned memory ---- */
/* Where `bytes` fit behind what is given out; a piece never goes over the end. */
static uint64_t stage_at(const queue *q, size_t bytes)
{
    uint64_t at = q->staging_next, in = at % FA__OPENCL_STAGING;
    return in + bytes > FA__OPENCL_STAGING ? at - in + FA__OPENCL_STAGING : at;
}

static bool stage_fits(queue *q, size_t bytes)
{
    pthread_mutex_lock(&q->lock);
    bool fits = stage_at(q, bytes) + bytes - q->staging_first <= FA__OPENCL_STAGING;
    fa__opencl_leave(q);
    return fits;
}

void *fa__opencl_stage(work *w, size_t bytes)
{
    queue *q = w->queue;
    bytes = (bytes + 63) / 64 * 64;
    if (!q->staging_host)
        q->staging_host = fa__opencl_pinned(q->base.device, q->queue, FA__OPENCL_STAGING, &q->staging);
    if (!q->staging_host)
        return NULL;
    int64_t start = fa__clock_ns();
    bool waited = false;
    while (!stage_fits(q, bytes)) {
        waited = true;
        fa__opencl_wait_quietly(q, done(q) + 1);
    }
    if (waited)
        fa__ledger_implicit(w->op, q->base.device, fa__clock_ns() - start);
    uint64_t at = stage_at(q, bytes);
    q->staging_next = w->staging_end = at + bytes;
    return q->staging_host + at % FA__OPENCL_STAGING;
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
    fa__opencl_forked |= begun && moment == FA__FORK_CHILD;
    for (int i = 0; begun && i < FA__OPENCL_QUEUES; i++)
        if (moment == FA__FORK_CHILD)
            orphan(&fa__opencl_queues[i]);
        else if (moment == FA__FORK_PARENT)
            fa__opencl_leave(&fa__opencl_queues[i]);
        else
            pthread_mutex_lock(&fa__opencl_queues[i].lock);
    fa__opencl_memory_at_fork(moment);
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
    fa__opencl_wait_quietly(q, issued(q));
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
    if (fa__opencl_forked)
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
    fa__free(q->guilty);
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
    fa__opencl_wait(base, issued(q));
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
