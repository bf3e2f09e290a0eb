/* The order of work: behind that of other queues, and before the host reads. */
#include "backend/gpu/queue.h"
#include "backend/movement.h"
#include "base/clock.h"
#include "core/ledger.h"

typedef fa__gpu_queue queue;
typedef fa__gpu_work work;

/* Whether the host has a part in the order: the work writes its memory, and either it does that itself at the end, or
 * what comes behind is read when it is issued. */
static bool host_takes_part(queue *q, queue *other, uint64_t ticket)
{
    bool part = false;
    pthread_mutex_lock(&other->lock);
    for (uint64_t i = other->work_first; i < other->work_next; i++) {
        const work *w = &other->work[i % FA__GPU_OPEN];
        part |= w->ticket == ticket && w->target && (w->staged || q->gpu->pinned);
    }
    pthread_mutex_unlock(&other->lock);
    return part;
}

/* With the other queue's lock, so that the event is there until the driver knows of it. */
static bool follow(queue *q, queue *other, uint64_t ticket)
{
    pthread_mutex_lock(&other->lock);
    const fa__gpu_mark *m = fa__gpu_mark_behind(other, ticket);
    bool good = !m || q->gpu->driver->follow(q->base.device, q->handle, m->event);
    pthread_mutex_unlock(&other->lock);
    if (!m)
        fa__gpu_wait_quietly(other, ticket); /* it is done, or there are no events any more */
    return good;
}

/* Drivers order the queues of connected devices. For others the host waits. */
bool fa__gpu_after(fa__queue *base, fa__sync_point stamp)
{
    queue *q = (queue *)base, *other = (queue *)stamp.queue;
    if (!other || other == q || fa__gpu_gone)
        return true;
    const fa__device *d = stamp.queue->device;
    if (d->backend != base->device->backend)
        return fa__wait_for_kind(stamp);
    if (fa__gpu_done(other) < stamp.ticket)
        fa__gpu_advance(other);
    if (fa__gpu_connected(base->device, d) && !host_takes_part(q, other, stamp.ticket)) {
        if (!follow(q, other, stamp.ticket))
            return false;
    } else {
        fa__gpu_wait_inside(other, stamp.ticket, NULL);
    }
    return fa__gpu_inherit(q, other, stamp.ticket);
}

/* The last work of the queue that writes these bytes of the host; 0: none that is not done. */
static uint64_t last_writer(queue *q, const char *from, size_t bytes)
{
    uint64_t found = 0;
    pthread_mutex_lock(&q->lock);
    for (uint64_t i = q->work_next; !found && i > q->work_first; i--) {
        const work *w = &q->work[(i - 1) % FA__GPU_OPEN];
        if (w->target && w->target < from + bytes && from < w->target + w->bytes)
            found = w->ticket;
    }
    pthread_mutex_unlock(&q->lock);
    return found;
}

void fa__gpu_before_host_read(queue *q, const fa__op *op, const void *from, size_t bytes)
{
    uint64_t ticket = fa__gpu_done(q) < q->last_read ? last_writer(q, from, bytes) : 0;
    if (ticket)
        fa__gpu_wait_inside(q, ticket, op);
}
