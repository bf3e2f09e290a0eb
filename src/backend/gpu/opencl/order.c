/* The order of work: behind that of other queues, and before the host reads. */
#include "backend/gpu/opencl/opencl.h"
#include "backend/movement.h"
#include "base/clock.h"
#include "core/ledger.h"

typedef fa__opencl_queue queue;
typedef fa__opencl_work work;

/* Whether the host has a part in the order: the work writes its memory, and either it does that itself at the end, or
 * what comes behind is read when it is issued. */
static bool host_takes_part(queue *q, queue *other, uint64_t ticket)
{
    pthread_mutex_lock(&other->lock);
    const work *w = fa__opencl_work_of(other, ticket);
    bool part = fa__opencl_done(other) < ticket && w->target && (w->staged || q->device->pinned);
    fa__opencl_leave(other);
    return part;
}

static bool follow(queue *q, queue *other, uint64_t ticket)
{
    cl_event e = fa__opencl_event_of(other, ticket);
    if (!e)
        return true;
    cl_int status = fa__opencl.clEnqueueBarrierWithWaitList(q->queue, 1, &e, NULL);
    fa__opencl.clReleaseEvent(e);
    return fa__opencl_good(q->base.device, status, "clEnqueueBarrierWithWaitList");
}

/* The driver can order queues of one context. For others the host waits. */
bool fa__opencl_after(fa__queue *base, fa__sync_point stamp)
{
    queue *q = (queue *)base, *other = (queue *)stamp.queue;
    if (!other || other == q || fa__opencl_gone)
        return true;
    const fa__device *d = stamp.queue->device;
    if (d->backend != &fa__backend_opencl)
        return fa__wait_for_kind(stamp);
    if (other->device->platform == q->device->platform && !host_takes_part(q, other, stamp.ticket)) {
        if (!follow(q, other, stamp.ticket))
            return false;
    } else if (!fa__sync_point_done(&stamp)) {
        int64_t start = fa__clock_ns();
        fa__opencl_wait_quietly(other, stamp.ticket);
        fa__ledger_implicit(NULL, d, fa__clock_ns() - start);
    }
    return fa__opencl_hand_over(q, other, stamp.ticket);
}

/* The last work of the queue that writes these bytes of the host; 0: none that is not done. */
static uint64_t last_writer(queue *q, const char *from, size_t bytes)
{
    uint64_t found = 0;
    pthread_mutex_lock(&q->lock);
    for (uint64_t ticket = q->last_read; !found && ticket > fa__opencl_done(q); ticket--) {
        const work *w = fa__opencl_work_of(q, ticket);
        if (w->target && w->target < from + bytes && from < w->target + w->bytes)
            found = ticket;
    }
    fa__opencl_leave(q);
    return found;
}

void fa__opencl_before_host_read(queue *q, const fa__op *op, const void *from, size_t bytes)
{
    uint64_t ticket = fa__opencl_done(q) < q->last_read ? last_writer(q, from, bytes) : 0;
    if (!ticket)
        return;
    int64_t start = fa__clock_ns();
    fa__opencl_wait_quietly(q, ticket);
    fa__ledger_implicit(op, q->base.device, fa__clock_ns() - start);
}
