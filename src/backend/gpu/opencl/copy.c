/* Copies. Those from and to memory of the host are the driver's when the device shares that memory. Otherwise they go
 * in chunks through pinned memory, which the host fills when they are issued, or empties when they are done: with other
 * memory of the host, drivers make the caller wait. */
#include "backend/gpu/opencl/opencl.h"
#include "base/clock.h"
#include "base/error.h"
#include "core/ledger.h"
#include <string.h>

typedef fa__opencl_queue queue;
typedef fa__opencl_work work;

/* One command, or one chunk, of a copy. */
typedef struct piece {
    queue *queue;
    const fa__copy *copy;
    cl_mem to, from; /* NULL: the host */
    size_t to_at, from_at;
    size_t begin, bytes; /* of the copy */
} piece;

static char *host_target(const piece *p)
{
    return (char *)p->copy->to + p->begin;
}

static const char *host_source(const piece *p)
{
    return (const char *)p->copy->from + p->begin;
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

/* Room in the queue's pinned memory, at most FA__OPENCL_CHUNK bytes, which `w` gives back when it is done. NULL
 * after an error. */
static void *stage(work *w, size_t bytes)
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
        fa__opencl_wait_quietly(q, fa__opencl_done(q) + 1);
    }
    if (waited)
        fa__ledger_implicit(w->op, q->base.device, fa__clock_ns() - start);
    uint64_t at = stage_at(q, bytes);
    q->staging_next = w->staging_end = at + bytes;
    return q->staging_host + at % FA__OPENCL_STAGING;
}

/* ---- one piece; they return CL_SUCCESS, or an error of the call they name ---- */
typedef cl_int sender(const piece *, work *, cl_event *, const char **call);

static cl_int write_directly(const piece *p, work *w, cl_event *e, const char **call)
{
    (void)w;
    *call = "clEnqueueWriteBuffer";
    return fa__opencl.clEnqueueWriteBuffer(p->queue->queue, p->to, CL_FALSE, p->to_at + p->begin, p->bytes,
                                           host_source(p), 0, NULL, e);
}

static cl_int read_directly(const piece *p, work *w, cl_event *e, const char **call)
{
    w->target = host_target(p);
    w->bytes = p->bytes;
    *call = "clEnqueueReadBuffer";
    return fa__opencl.clEnqueueReadBuffer(p->queue->queue, p->from, CL_FALSE, p->from_at + p->begin, p->bytes,
                                          host_target(p), 0, NULL, e);
}

static cl_int copy_directly(const piece *p, work *w, cl_event *e, const char **call)
{
    (void)w;
    *call = "clEnqueueCopyBuffer";
    return fa__opencl.clEnqueueCopyBuffer(p->queue->queue, p->from, p->to, p->from_at + p->begin, p->to_at + p->begin,
                                          p->bytes, 0, NULL, e);
}

static cl_int write_staged(const piece *p, work *w, cl_event *e, const char **call)
{
    char *between = stage(w, p->bytes);
    *call = NULL;
    if (!between)
        return CL_OUT_OF_HOST_MEMORY;
    fa__opencl_before_host_read(p->queue, p->copy->op, host_source(p), p->bytes);
    memcpy(between, host_source(p), p->bytes);
    *call = "clEnqueueWriteBuffer";
    return fa__opencl.clEnqueueWriteBuffer(p->queue->queue, p->to, CL_FALSE, p->to_at + p->begin, p->bytes, between, 0,
                                           NULL, e);
}

static cl_int read_staged(const piece *p, work *w, cl_event *e, const char **call)
{
    char *between = stage(w, p->bytes);
    *call = NULL;
    if (!between)
        return CL_OUT_OF_HOST_MEMORY;
    w->target = host_target(p);
    w->staged = between;
    w->bytes = p->bytes;
    *call = "clEnqueueReadBuffer";
    return fa__opencl.clEnqueueReadBuffer(p->queue->queue, p->from, CL_FALSE, p->from_at + p->begin, p->bytes, between,
                                          0, NULL, e);
}

/* The other device reads for us: behind what this queue has come to, when the driver can order the two; the host has
 * waited for it otherwise, and waits for the read. */
static cl_int read_other(const piece *p, char *between, cl_event *read, const char **call)
{
    fa__opencl_device *other = fa__opencl_own(p->copy->from_device);
    cl_event before = NULL;
    if (other->platform != p->queue->device->platform) {
        int64_t start = fa__clock_ns();
        *call = "clEnqueueReadBuffer";
        cl_int status = fa__opencl.clEnqueueReadBuffer(other->transfers, p->from, CL_TRUE, p->from_at + p->begin,
                                                       p->bytes, between, 0, NULL, read);
        fa__ledger_implicit(p->copy->op, p->copy->from_device, fa__clock_ns() - start);
        return status;
    }
    *call = "clEnqueueMarkerWithWaitList";
    cl_int status = fa__opencl.clEnqueueMarkerWithWaitList(p->queue->queue, 0, NULL, &before);
    if (status != CL_SUCCESS)
        return status;
    fa__opencl.clFlush(p->queue->queue);
    *call = "clEnqueueReadBuffer";
    status = fa__opencl.clEnqueueReadBuffer(other->transfers, p->from, CL_FALSE, p->from_at + p->begin, p->bytes,
                                            between, 1, &before, read);
    fa__opencl.clReleaseEvent(before);
    if (status == CL_SUCCESS)
        fa__opencl.clFlush(other->transfers);
    return status;
}

static cl_int copy_staged(const piece *p, work *w, cl_event *e, const char **call)
{
    char *between = stage(w, p->bytes);
    bool ordered = fa__opencl_own(p->copy->from_device)->platform == p->queue->device->platform;
    *call = NULL;
    if (!between)
        return CL_OUT_OF_HOST_MEMORY;
    cl_int status = read_other(p, between, &w->read, call);
    if (status != CL_SUCCESS)
        return status;
    *call = "clEnqueueWriteBuffer";
    return fa__opencl.clEnqueueWriteBuffer(p->queue->queue, p->to, CL_FALSE, p->to_at + p->begin, p->bytes, between,
                                           ordered ? 1 : 0, ordered ? &w->read : NULL, e);
}

/* ---- the whole ---- */
/* What is not issued leaves nothing behind: a read of another device is waited for, since it writes what is given back.
 */
static void undo(work *w, uint64_t staged_before)
{
    if (w->read) {
        fa__opencl.clWaitForEvents(1, &w->read);
        fa__opencl.clReleaseEvent(w->read);
    }
    w->queue->staging_next = staged_before;
}

static uint64_t send_piece(const piece *p, sender *send)
{
    const fa__copy *c = p->copy;
    work *w = fa__opencl_begin(p->queue, c->op);
    if (!w)
        return 0;
    cl_event event = NULL;
    const char *call = NULL;
    uint64_t staged_before = p->queue->staging_next;
    cl_int status = send(p, w, &event, &call);
    if (status != CL_SUCCESS) {
        if (call)
            fa__opencl_good(p->queue->base.device, status, call);
        undo(w, staged_before);
        return 0;
    }
    w->from = c->from_device;
    w->to = c->to_device;
    w->timed = c->from_device != c->to_device;
    return fa__opencl_commit(w, event, call);
}

static sender *sender_for(const queue *q, const fa__copy *c, bool *staged)
{
    bool pinned = q->device->pinned;
    *staged = pinned && c->to_device != c->from_device;
    if (!c->from_device)
        return pinned ? write_staged : write_directly;
    if (!c->to_device)
        return pinned ? read_staged : read_directly;
    if (c->to_device == c->from_device)
        return copy_directly;
    /* Two devices that share the host's memory share buffers. Others would move whole buffers to and fro, under the
     * work that runs on their other parts. */
    const fa__opencl_device *from = fa__opencl_own(c->from_device);
    *staged = pinned || from->pinned || from->platform != q->device->platform;
    return *staged ? copy_staged : copy_directly;
}

uint64_t fa__opencl_copy(fa__queue *base, const fa__copy *c)
{
    queue *q = (queue *)base;
    piece p = {.queue = q, .copy = c};
    bool staged;
    sender *send = sender_for(q, c, &staged);
    if (!c->bytes || (c->changes && fa__opencl_faulty(q, q->base.issued + 1, c->op)))
        return fa__opencl_nothing(q);
    if ((c->to_device && !(p.to = fa__opencl_find(c->to_device, c->to, &p.to_at)))
        || (c->from_device && !(p.from = fa__opencl_find(c->from_device, c->from, &p.from_at))))
        return 0;
    uint64_t ticket = 0;
    for (; p.begin < c->bytes; p.begin += p.bytes) {
        size_t left = c->bytes - p.begin;
        p.bytes = staged && left > FA__OPENCL_CHUNK ? FA__OPENCL_CHUNK : left;
        uint64_t before = ticket;
        ticket = send_piece(&p, send);
        if (!ticket) { /* nobody will know of what was issued already */
            fa__opencl_wait_quietly(q, before);
            return 0;
        }
    }
    return ticket;
}
