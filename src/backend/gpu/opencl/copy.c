/* Copies. Those from and to memory of the host are the driver's when the device shares that memory. Otherwise they go
 * in chunks through pinned memory, which the host fills when they are issued, or empties when they are done: with other
 * memory of the host, drivers make the caller wait. */
#include "backend/gpu/dialect/arguments.h"
#include "backend/gpu/gpu.h"
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
    bool uncounted;      /* the ledger is told nothing */
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

/* ---- one piece; they return CL_SUCCESS, or an error of the call they name; NULL: the error is set ---- */
typedef cl_int sender(const piece *, work *, cl_event *, const char **call);

static cl_int write_directly(const piece *p, work *w, cl_event *e, const char **call)
{
    (void)w;
    if (fa__opencl_done(p->queue) < p->queue->last_staged) /* what the host writes, the driver's order does not know */
        fa__opencl_before_host_read(p->queue, p->copy->op, host_source(p), p->bytes);
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

/* The other device's read, behind an event, or waited for with NULL. It is that device's error. */
static cl_int read_by_other(const piece *p, char *between, cl_event *before, cl_event *read, const char **call)
{
    fa__opencl_device *other = fa__opencl_own(p->copy->from_device);
    cl_int status =
        fa__opencl.clEnqueueReadBuffer(other->transfers, p->from, before ? CL_FALSE : CL_TRUE, p->from_at + p->begin,
                                       p->bytes, between, before ? 1 : 0, before, read);
    *call = NULL;
    fa__opencl_good(p->copy->from_device, status, "clEnqueueReadBuffer");
    return status;
}

/* The other device reads for us: behind what this queue has come to, when the driver can order the two; the host has
 * waited for it otherwise, and waits for the read. */
static cl_int read_other(const piece *p, char *between, cl_event *read, const char **call)
{
    fa__opencl_device *other = fa__opencl_own(p->copy->from_device);
    cl_event before = NULL;
    if (other->platform != p->queue->device->platform) {
        int64_t start = fa__clock_ns();
        cl_int status = read_by_other(p, between, NULL, read, call);
        fa__ledger_implicit(p->copy->op, p->copy->from_device, fa__clock_ns() - start);
        return status;
    }
    *call = "clEnqueueMarkerWithWaitList";
    cl_int status = fa__opencl.clEnqueueMarkerWithWaitList(p->queue->queue, 0, NULL, &before);
    if (status != CL_SUCCESS)
        return status;
    fa__opencl.clFlush(p->queue->queue);
    status = read_by_other(p, between, &before, read, call);
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
    cl_int status = read_other(p, between, &w->other, call);
    if (status != CL_SUCCESS)
        return status;
    *call = "clEnqueueWriteBuffer";
    return fa__opencl.clEnqueueWriteBuffer(p->queue->queue, p->to, CL_FALSE, p->to_at + p->begin, p->bytes, between,
                                           ordered ? 1 : 0, ordered ? &w->other : NULL, e);
}

/* To a device of another platform, by the source's queue: the driver orders nothing between the two. The host has
 * waited for the target, and waits for both halves of the copy. */
static cl_int copy_out(const piece *p, work *w, cl_event *e, const char **call)
{
    const fa__device *to = p->copy->to_device;
    char *between = stage(w, p->bytes);
    *call = NULL;
    if (!between)
        return CL_OUT_OF_HOST_MEMORY;
    int64_t start = fa__clock_ns();
    *call = "clEnqueueReadBuffer";
    cl_int status = fa__opencl.clEnqueueReadBuffer(p->queue->queue, p->from, CL_TRUE, p->from_at + p->begin, p->bytes,
                                                   between, 0, NULL, e);
    if (status != CL_SUCCESS)
        return status;
    *call = NULL;
    status = fa__opencl.clEnqueueWriteBuffer(fa__opencl_own(to)->transfers, p->to, CL_TRUE, p->to_at + p->begin,
                                             p->bytes, between, 0, NULL, &w->other);
    fa__ledger_implicit(p->copy->op, to, fa__clock_ns() - start);
    if (!fa__opencl_good(to, status, "clEnqueueWriteBuffer"))
        fa__opencl.clReleaseEvent(*e);
    return status;
}

/* ---- the whole ---- */
/* What is not issued leaves nothing behind: another device's half is waited for, since it uses what is given back.
 */
static void undo(work *w, uint64_t staged_before)
{
    if (w->other) {
        fa__opencl.clWaitForEvents(1, &w->other);
        fa__opencl.clReleaseEvent(w->other);
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
    w->timed = c->from_device != c->to_device && !p->uncounted;
    w->age = c->age;
    w->overwrites = c->overwrites;
    return fa__opencl_commit(w, event, call);
}

static bool is_foreign(const queue *q, const fa__device *d)
{
    return d && fa__opencl_own(d)->platform != q->device->platform;
}

/* What goes to the host is staged, too, as long as it is not known whether it may be changed; and what comes behind
 * such a copy, which the host is to write before. */
static sender *sender_for(queue *q, const fa__copy *c, bool unsure, bool *staged)
{
    bool pinned = q->device->pinned;
    *staged = pinned && c->to_device != c->from_device;
    if (!c->from_device)
        return pinned ? write_staged : write_directly;
    if (!c->to_device) {
        *staged = pinned || unsure || fa__opencl_done(q) < q->last_staged;
        return *staged ? read_staged : read_directly;
    }
    if (c->to_device == c->from_device)
        return copy_directly;
    /* Two devices that share the host's memory share buffers. Others would move whole buffers to and fro, under the
     * work that runs on their other parts. */
    *staged = pinned || fa__opencl_own(c->from_device)->pinned || is_foreign(q, c->from_device)
              || is_foreign(q, c->to_device);
    return is_foreign(q, c->to_device) ? copy_out : *staged ? copy_staged : copy_directly;
}

/* ---- over what was there, behind work that may have gone wrong ---- */
/* To the place of the piece, unless there is a fault. The queue may be that of another device than the place is of. */
static uint64_t put(const piece *p, cl_mem from, size_t from_at)
{
    const int64_t at[2] = {(int64_t)(p->to_at + p->begin), (int64_t)from_at};
    bool words = (p->to_at + p->begin) % 4 == 0 && from_at % 4 == 0 && p->bytes % 4 == 0;
    const put_arguments a = {.count = (int64_t)(words ? p->bytes / 4 : p->bytes), .words = words};
    fa__gpu_args args = {.count = 0};
    const fa__gpu_kernel *k = fa__gpu_fixed(p->queue->base.device, FA__GPU_PUT, 0, FA__CLASS_I32);
    fa__gpu_value(&args, &p->to, sizeof p->to);
    fa__gpu_value(&args, &at[0], sizeof at[0]);
    fa__gpu_value(&args, &from, sizeof from);
    fa__gpu_value(&args, &at[1], sizeof at[1]);
    fa__gpu_value(&args, &a, sizeof a);
    return k ? fa__gpu_launch_items(&p->queue->base, k, a.count, &args) : 0;
}

/* What comes from elsewhere waits in memory that is nobody's until the kernel has looked. */
static uint64_t send_and_put(const piece *p, sender *send)
{
    if (p->copy->from_device == p->copy->to_device)
        return put(p, p->from, p->from_at + p->begin);
    piece first = *p;
    size_t at = 0;
    void *between = fa__opencl_scratch(&p->queue->base, p->bytes);
    if (!between || !(first.to = fa__opencl_find(p->queue->base.device, between, &at)))
        return 0;
    first.to_at = at - p->begin; /* senders add that */
    uint64_t sent = send_piece(&first, send), ticket = sent ? put(p, first.to, at) : 0;
    if (sent && !ticket)
        fa__opencl_wait_quietly(p->queue, sent);
    fa__opencl_scratch(&p->queue->base, 0);
    return ticket;
}

/* Whether what stands behind earlier work may be changed. No kernel of the queue can look on another platform's behalf:
 * the host waits until it is known. */
static fa__opencl_health health_for(queue *q, const fa__copy *c)
{
    fa__opencl_health health = c->overwrites ? fa__opencl_health_of(q) : FA__OPENCL_SOUND;
    if (health != FA__OPENCL_UNSURE || !is_foreign(q, c->to_device))
        return health;
    int64_t start = fa__clock_ns();
    fa__opencl_wait_quietly(q, q->base.issued);
    fa__ledger_implicit(c->op, q->base.device, fa__clock_ns() - start);
    return fa__opencl_health_of(q);
}

/* Where the bytes go to and come from; false and an error when memory is not the device's. */
static bool find_places(piece *p)
{
    const fa__copy *c = p->copy;
    return (!c->to_device || (p->to = fa__opencl_find(c->to_device, c->to, &p->to_at)))
           && (!c->from_device || (p->from = fa__opencl_find(c->from_device, c->from, &p->from_at)));
}

/* Piece by piece, of up to `most` bytes each. With `puts` a kernel writes them, which looks first whether it may. */
static uint64_t send_all(piece *p, sender *send, bool puts, size_t most)
{
    uint64_t ticket = 0;
    for (; p->begin < p->copy->bytes; p->begin += p->bytes) {
        size_t left = p->copy->bytes - p->begin;
        p->bytes = left < most ? left : most;
        uint64_t before = ticket;
        ticket = puts ? send_and_put(p, send) : send_piece(p, send);
        if (!ticket) { /* nobody will know of what was issued already */
            fa__opencl_wait_quietly(p->queue, before);
            return 0;
        }
    }
    return ticket;
}

uint64_t fa__opencl_copy(fa__queue *base, const fa__copy *c)
{
    queue *q = (queue *)base;
    piece p = {.queue = q, .copy = c};
    if ((c->to_device && !fa__opencl_well(c->to_device)) || (c->from_device && !fa__opencl_well(c->from_device)))
        return 0;
    if (c->overwrites && !fa__opencl_forgive(q))
        return 0;
    fa__opencl_health health = health_for(q, c);
    if (!c->bytes || health == FA__OPENCL_FAULTY)
        return fa__opencl_nothing(q);
    bool staged, unsure = health == FA__OPENCL_UNSURE, puts = unsure && c->to_device;
    sender *send = sender_for(q, c, unsure, &staged);
    size_t most = staged || (puts && c->to_device != c->from_device) ? FA__OPENCL_CHUNK : SIZE_MAX;
    return find_places(&p) ? send_all(&p, send, puts, most) : 0;
}

/* Through pinned memory, whatever the device: the bytes may be changed when this returns. */
void *fa__opencl_upload(fa__queue *base, const void *bytes, size_t size)
{
    queue *q = (queue *)base;
    void *there = fa__opencl_scratch(base, size);
    const fa__copy c = {
        .op = q->launch ? q->launch->op : NULL, .to = there, .from = bytes, .bytes = size, .to_device = base->device};
    piece p = {.queue = q, .copy = &c, .bytes = size, .uncounted = true};
    return there && find_places(&p) && send_piece(&p, write_staged) ? there : NULL;
}
