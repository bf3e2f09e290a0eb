/* Work and its tickets: how it is issued, and how the library learns that it is done. Each piece of work has an event.
 * The driver calls back when it is over, on a thread of its own; whoever waits learns it, too. Either way the work at
 * the front of the queue is then put away in order, and `done` follows. */
#include "backend/gpu/opencl/opencl.h"
#include "base/clock.h"
#include "base/error.h"
#include "core/ledger.h"
#include <sched.h>
#include <string.h>

typedef fa__opencl_queue queue;
typedef fa__opencl_work work;

/* ---- work that is over ---- */
static int64_t event_ns(cl_event e)
{
    cl_ulong start = 0, end = 0;
    if (!e || fa__opencl.clGetEventProfilingInfo(e, CL_PROFILING_COMMAND_START, sizeof start, &start, NULL)
        || fa__opencl.clGetEventProfilingInfo(e, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL))
        return 0;
    return end > start ? (int64_t)(end - start) : 0;
}

static cl_int event_status(cl_event e)
{
    cl_int status = CL_COMPLETE;
    cl_int asked = fa__opencl.clGetEventInfo(e, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL);
    return asked != CL_SUCCESS ? asked : status;
}

/* The first failure that nobody was told of is kept, and the first one of a lost device. Work behind another device's
 * failure fails, too, but its own device is well: of a copy, it is the other half that tells whether the other device
 * is. */
static void note_failure(work *w, uint64_t ticket, cl_int status)
{
    queue *q = w->queue;
    cl_int other = w->other ? event_status(w->other) : CL_COMPLETE;
    if (other < 0 && other != CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST)
        atomic_store(&fa__opencl_own(w->from == q->base.device ? w->to : w->from)->lost, other);
    if (!q->failed || (q->failed_told && !atomic_load(&q->device->lost))) {
        q->failed = status;
        q->failed_call = w->call;
        q->failed_ticket = ticket;
        fa__tellings_end(&q->failed_told);
    }
    if (status != CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST)
        atomic_store(&q->device->lost, status);
}

/* The driver is asked about work that somebody waited for, and that it has not called back for yet. What still runs
 * then will never end. */
static cl_int status_of(work *w)
{
    if (atomic_load(&w->called))
        return atomic_load(&w->status);
    cl_int status = event_status(w->event);
    return status > CL_COMPLETE ? CL_OUT_OF_RESOURCES : status;
}

static void put_away(work *w, uint64_t ticket)
{
    cl_int status = status_of(w);
    if (status < 0)
        note_failure(w, ticket, status);
    if (w->target && w->staged && status == CL_COMPLETE && !(w->overwrites && fa__opencl_stands(w)))
        memcpy(w->target, w->staged, w->bytes);
    if (w->timed && status == CL_COMPLETE)
        fa__ledger_copy_time(w->age, w->op, w->from, w->to, event_ns(w->event) + event_ns(w->other));
    if (w->timestamp) {
        cl_ulong end = 0;
        if (!fa__opencl.clGetEventProfilingInfo(w->event, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL))
            atomic_store(&w->timestamp->ns, (int64_t)end);
        fa__timestamp_drop(w->timestamp);
    }
    if (w->suspect)
        fa__opencl_judge(w, ticket, status == CL_COMPLETE);
    if (w->staging_end)
        w->queue->staging_first = w->staging_end;
    fa__opencl.clReleaseEvent(w->event);
    if (w->other)
        fa__opencl.clReleaseEvent(w->other);
}

/* Whether the first piece of work that is not put away is over. */
static bool front_is_over(queue *q)
{
    uint64_t next = fa__opencl_done(q) + 1;
    return next <= atomic_load_explicit(&q->base.issued, memory_order_acquire)
           && (next <= __atomic_load_n(&q->known, __ATOMIC_ACQUIRE)
               || atomic_load(&fa__opencl_work_of(q, next)->called));
}

/* The lock is held. */
static void drain(queue *q)
{
    while (front_is_over(q)) {
        uint64_t ticket = fa__opencl_done(q) + 1;
        put_away(fa__opencl_work_of(q, ticket), ticket);
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
    if (!fa__opencl_gone)
        drain_if_free(q);
}

/* ---- waiting ---- */
cl_event fa__opencl_event_of(queue *q, uint64_t ticket)
{
    cl_event e = NULL;
    pthread_mutex_lock(&q->lock);
    if (fa__opencl_done(q) < ticket && ticket <= q->base.issued)
        e = fa__opencl_work_of(q, ticket)->event;
    if (e)
        fa__opencl.clRetainEvent(e);
    fa__opencl_leave(q);
    return e;
}

void fa__opencl_wait_quietly(queue *q, uint64_t ticket)
{
    cl_event e = fa__opencl_done(q) < ticket && !fa__opencl_gone ? fa__opencl_event_of(q, ticket) : NULL;
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
    if (!fa__opencl_gone)
        fa__opencl_surface(q, ticket);
}

uint64_t fa__opencl_issued(queue *q)
{
    pthread_mutex_lock(&q->lock);
    uint64_t ticket = q->base.issued;
    fa__opencl_leave(q);
    return ticket;
}

/* ---- issuing ---- */
bool fa__opencl_well(const fa__device *d)
{
    cl_int lost = atomic_load(&fa__opencl_own(d)->lost);
    if (fa__opencl_gone)
        return fa__fail(FA_ERROR_STATE, "%s: %s", d->name, fa__opencl_gone);
    return !lost || fa__fail(FA_ERROR_DEVICE, "%s is lost: %s (%d)", d->name, fa__opencl_error_name(lost), (int)lost);
}

work *fa__opencl_begin(queue *q, const fa__op *op)
{
    if (!fa__opencl_well(q->base.device))
        return NULL;
    fa__opencl_register_end();
    uint64_t ticket = q->base.issued + 1;
    work *w = fa__opencl_work_of(q, ticket);
    if (ticket > FA__OPENCL_OPEN && fa__opencl_done(q) < ticket - FA__OPENCL_OPEN) {
        int64_t start = fa__clock_ns();
        fa__opencl_wait_quietly(q, ticket - FA__OPENCL_OPEN);
        fa__ledger_implicit(op, q->base.device, fa__clock_ns() - start);
    }
    while (!atomic_load(&w->called)) /* it is done: the callback is under way */
        sched_yield();
    w->event = w->other = NULL;
    w->op = op;
    w->from = w->to = NULL;
    w->timed = false;
    w->target = NULL;
    w->staged = NULL;
    w->staging_end = 0;
    w->suspect = NULL;
    w->epoch = q->epoch;
    w->thread = fa__thread_number();
    w->overwrites = false;
    w->timestamp = NULL;
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
    if (w->target && w->staged)
        q->last_staged = ticket;
    atomic_store_explicit(&q->base.issued, ticket, memory_order_release);
    fa__opencl_owe(q, ticket);
    fa__opencl_leave(q);
    return ticket;
}

static uint64_t issue_marker(queue *q, fa__timestamp *timestamp, bool changes)
{
    cl_event event;
    work *w = fa__opencl_begin(q, NULL);
    if (!w || !FA__OPENCL_TRY(q->base.device, clEnqueueMarkerWithWaitList, q->queue, 0, NULL, &event))
        return 0;
    w->timestamp = timestamp;
    w->overwrites = changes;
    if (timestamp)
        atomic_fetch_add(&timestamp->references, 1);
    return fa__opencl_commit(w, event, "clEnqueueMarkerWithWaitList");
}

uint64_t fa__opencl_nothing(queue *q)
{
    return issue_marker(q, NULL, true);
}

uint64_t fa__opencl_mark(fa__queue *q, fa__timestamp *timestamp)
{
    return issue_marker((queue *)q, timestamp, false);
}
