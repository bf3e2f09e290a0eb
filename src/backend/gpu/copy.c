/* Copies. Those from and to memory of the host are the driver's when the device shares that memory. Otherwise they go
 * in chunks through pinned memory, which the host fills when they are issued, or empties when they are done: with other
 * memory of the host, drivers make the caller wait. */
#include "backend/gpu/dialect/arguments.h"
#include "backend/gpu/gpu.h"
#include "backend/gpu/queue.h"
#include "base/clock.h"
#include "base/error.h"
#include "core/faults.h"
#include "core/ledger.h"
#include <string.h>

typedef fa__gpu_queue queue;
typedef fa__gpu_work work;

/* One command, or one chunk, of a copy. */
typedef struct piece {
    queue *queue;
    const fa__gpu_driver *driver;
    const fa__copy *copy;
    char *to; /* of this piece */
    const char *from;
    size_t begin, bytes; /* of the copy */
    bool uncounted;      /* its time is not in the ledger: as when it has to wait for kernels */
} piece;

static bool is_connected(const queue *q, const fa__device *d)
{
    return !d || fa__gpu_connected(q->base.device, d);
}

/* ---- pinned memory ---- */
/* Where `bytes` fit behind what is given out; a piece never goes over the end. */
static uint64_t stage_at(const queue *q, size_t bytes)
{
    uint64_t at = q->staging_next, in = at % FA__GPU_STAGING;
    return in + bytes > FA__GPU_STAGING ? at - in + FA__GPU_STAGING : at;
}

static bool stage_fits(queue *q, size_t bytes)
{
    pthread_mutex_lock(&q->lock);
    bool fits = stage_at(q, bytes) + bytes - q->staging_first <= FA__GPU_STAGING;
    pthread_mutex_unlock(&q->lock);
    return fits;
}

/* Room in the queue's pinned memory, at most FA__GPU_CHUNK bytes, which `w` gives back when it is done. NULL after an
 * error. */
static char *stage(queue *q, work *w, size_t bytes)
{
    bytes = (bytes + 63) / 64 * 64;
    if (!q->staging)
        q->staging = fa__gpu_pinned(q, FA__GPU_STAGING, &q->staging_handle);
    if (!q->staging)
        return NULL;
    if (!stage_fits(q, bytes))
        fa__gpu_advance(q);
    while (!stage_fits(q, bytes))
        fa__gpu_wait_inside(q, fa__gpu_done(q) + 1, w->op);
    uint64_t at = stage_at(q, bytes);
    q->staging_next = w->staging_end = at + bytes;
    return q->staging + at % FA__GPU_STAGING;
}

/* ---- one piece ---- */
typedef bool sender(const piece *, work *, void **event);

static bool by_driver(const piece *p, void *to, const fa__device *to_device, const void *from,
                      const fa__device *from_device, void **event)
{
    const fa__gpu_copy c = {
        .to = to, .from = from, .bytes = p->bytes, .to_device = to_device, .from_device = from_device};
    return fa__gpu_send(p->queue, &c, event);
}

static bool write_directly(const piece *p, work *w, void **event)
{
    (void)w;
    if (fa__gpu_done(p->queue) < p->queue->last_staged) /* what the host writes, the driver's order does not know */
        fa__gpu_before_host_read(p->queue, p->copy->op, p->from, p->bytes);
    return by_driver(p, p->to, p->copy->to_device, p->from, NULL, event);
}

static bool read_directly(const piece *p, work *w, void **event)
{
    w->target = p->to;
    w->bytes = p->bytes;
    return by_driver(p, p->to, NULL, p->from, p->copy->from_device, event);
}

static bool copy_directly(const piece *p, work *w, void **event)
{
    (void)w;
    return by_driver(p, p->to, p->copy->to_device, p->from, p->copy->from_device, event);
}

static bool write_staged(const piece *p, work *w, void **event)
{
    char *between = stage(p->queue, w, p->bytes);
    if (!between)
        return false;
    fa__gpu_before_host_read(p->queue, p->copy->op, p->from, p->bytes);
    fa__gpu_host_access(p->driver, between, p->bytes, true);
    memcpy(between, p->from, p->bytes);
    return by_driver(p, p->to, p->copy->to_device, between, NULL, event);
}

static bool read_staged(const piece *p, work *w, void **event)
{
    char *between = stage(p->queue, w, p->bytes);
    if (!between)
        return false;
    w->target = p->to;
    w->staged = between;
    w->bytes = p->bytes;
    return by_driver(p, between, NULL, p->from, p->copy->from_device, event);
}

/* The other device reads for us: behind what this queue has come to, when the driver can order the two; the host has
 * waited for it otherwise, and waits for the read. */
static bool read_by_other(const piece *p, void *between, void **event)
{
    fa__device *d = (fa__device *)(uintptr_t)p->copy->from_device;
    bool ordered = is_connected(p->queue, d);
    fa__gpu_copy c = {.to = between, .from = p->from, .bytes = p->bytes, .from_device = d, .wait = !ordered};
    fa__gpu_catch_up(p->queue);
    int64_t start = fa__clock_ns();
    if (ordered && !(c.after = p->driver->record(p->queue->base.device, p->queue->handle)))
        return false;
    bool good = p->driver->copy(d, fa__gpu_own(d)->transfers, &c, event);
    if (ordered) {
        p->driver->event_free(c.after);
        p->driver->flush(fa__gpu_own(d)->transfers);
    } else {
        fa__ledger_implicit(p->copy->op, d, fa__clock_ns() - start);
    }
    return good;
}

static bool copy_staged(const piece *p, work *w, void **event)
{
    queue *q = p->queue;
    char *between = stage(q, w, p->bytes);
    if (!between || !read_by_other(p, between, &w->other))
        return false;
    const fa__gpu_copy c = {.to = p->to,
                            .from = between,
                            .bytes = p->bytes,
                            .to_device = p->copy->to_device,
                            .after = is_connected(q, p->copy->from_device) ? w->other : NULL};
    return fa__gpu_send(q, &c, event);
}

/* To a device that the driver cannot order, by the source's queue. The host has waited for the target, and waits for
 * both halves of the copy. */
static bool copy_out(const piece *p, work *w, void **event)
{
    fa__device *to = p->copy->to_device, *from = p->copy->from_device;
    char *between = stage(p->queue, w, p->bytes);
    if (!between)
        return false;
    int64_t start = fa__clock_ns();
    const fa__gpu_copy read = {.to = between, .from = p->from, .bytes = p->bytes, .from_device = from, .wait = true};
    const fa__gpu_copy write = {.to = p->to, .from = between, .bytes = p->bytes, .to_device = to, .wait = true};
    if (!fa__gpu_send(p->queue, &read, event))
        return false;
    bool good = p->driver->copy(to, fa__gpu_own(to)->transfers, &write, &w->other);
    fa__ledger_implicit(p->copy->op, to, fa__clock_ns() - start);
    if (!good && event)
        p->driver->event_free(*event);
    return good;
}

/* ---- the whole ---- */
/* What is not issued leaves nothing behind: another device's half is waited for, since it uses what is given back. */
static void undo(const piece *p, const work *w, uint64_t staged_before)
{
    if (w->other) {
        p->driver->wait(w->other);
        p->driver->event_free(w->other);
    }
    p->queue->staging_next = staged_before;
}

static uint64_t send_piece(const piece *p, sender *send)
{
    const fa__copy *c = p->copy;
    if (!fa__gpu_begin(p->queue, c->op))
        return 0;
    work w = {.op = c->op,
              .from = c->from_device,
              .to = c->to_device,
              .timed = c->from_device != c->to_device && !p->uncounted,
              .age = c->age,
              .overwrites = c->overwrites};
    void *event = NULL;
    uint64_t staged_before = p->queue->staging_next;
    const bool waits = atomic_load_explicit(&p->queue->holds, memory_order_acquire);
    if (send(p, &w, p->uncounted || waits ? NULL : &event))
        return fa__gpu_commit(p->queue, &w, event, "a copy");
    undo(p, &w, staged_before);
    return 0;
}

/* What goes to the host is staged, too, as long as it is not known whether it may be changed; and what comes behind
 * such a copy, which the host is to write before. */
static sender *sender_for(queue *q, const fa__copy *c, bool unsure, bool *staged)
{
    bool pinned = q->gpu->pinned;
    *staged = pinned && c->to_device != c->from_device;
    if (!c->from_device)
        return pinned ? write_staged : write_directly;
    if (!c->to_device) {
        *staged = pinned || unsure || fa__gpu_done(q) < q->last_staged;
        return *staged ? read_staged : read_directly;
    }
    if (c->to_device == c->from_device)
        return copy_directly;
    /* Without copies between memories: two devices that share the host's memory share buffers. Others would move whole
     * buffers to and fro, under the work that runs on their other parts. */
    *staged = (!q->gpu->driver->peers && (pinned || fa__gpu_own(c->from_device)->pinned))
              || !is_connected(q, c->from_device) || !is_connected(q, c->to_device);
    return !is_connected(q, c->to_device) ? copy_out : *staged ? copy_staged : copy_directly;
}

/* ---- over what was there, behind work that may have gone wrong ---- */
/* A kernel that looks at the fault word first. The queue may be that of another device than the target is of. */
static uint64_t put(const piece *p, const void *from)
{
    fa__gpu_issue issue = fa__gpu_issue_begin(&p->queue->base, NULL);
    bool words = (uintptr_t)p->to % 4 == 0 && (uintptr_t)from % 4 == 0 && p->bytes % 4 == 0;
    const put_arguments a = {.count = (int64_t)(words ? p->bytes / 4 : p->bytes), .words = words};
    const fa__gpu_kernel *k = fa__gpu_fixed(&issue, FA__GPU_PUT, 0, FA__CLASS_I32);
    return FA__GPU_LAUNCH(&issue, k, a.count, a, p->to, from);
}

/* What comes from elsewhere waits in memory that is nobody's until the kernel has looked. */
static uint64_t send_and_put(const piece *p, sender *send)
{
    fa__gpu_issue issue = fa__gpu_issue_begin(&p->queue->base, NULL);
    piece first = *p;
    if (p->copy->from_device == p->copy->to_device)
        return put(p, p->from);
    if (!(first.to = fa__gpu_scratch(&issue, p->bytes)))
        return 0;
    uint64_t sent = send_piece(&first, send), ticket = sent ? put(p, first.to) : 0;
    if (sent && !ticket)
        fa__gpu_wait_quietly(p->queue, sent);
    fa__gpu_issue_end(&issue);
    return ticket;
}

/* Whether a kernel of the queue can write the device's memory, when the copy comes to it. */
static bool is_reached(const queue *q, const fa__device *d)
{
    return !d || d == q->base.device || (is_connected(q, d) && !q->gpu->driver->peers);
}

/* Whether what stands behind earlier work may be changed. Where no kernel of the queue can look and write, the host
 * waits until it is known. */
static fa__gpu_health health_for(queue *q, const fa__copy *c)
{
    fa__gpu_health health = c->overwrites ? fa__gpu_health_of(q) : FA__GPU_SOUND;
    if (health != FA__GPU_UNSURE || is_reached(q, c->to_device))
        return health;
    fa__gpu_wait_inside(q, q->base.issued, c->op);
    return fa__gpu_health_of(q);
}

/* Piece by piece, of up to `most` bytes each. With `puts` a kernel writes them, which looks first whether it may. */
static uint64_t send_all(piece *p, sender *send, bool puts, size_t most)
{
    uint64_t ticket = 0;
    for (; p->begin < p->copy->bytes; p->begin += p->bytes) {
        size_t left = p->copy->bytes - p->begin;
        p->bytes = left < most ? left : most;
        p->to = (char *)p->copy->to + p->begin;
        p->from = (const char *)p->copy->from + p->begin;
        uint64_t before = ticket;
        ticket = puts ? send_and_put(p, send) : send_piece(p, send);
        if (!ticket) { /* nobody will know of what was issued already */
            fa__gpu_wait_quietly(p->queue, before);
            return 0;
        }
    }
    return ticket;
}

uint64_t fa__gpu_copy_bytes(fa__queue *base, const fa__copy *c)
{
    queue *q = (queue *)base;
    piece p = {.queue = q, .driver = q->gpu->driver, .copy = c};
    if ((c->to_device && !fa__gpu_well(c->to_device)) || (c->from_device && !fa__gpu_well(c->from_device)))
        return 0;
    fa__gpu_health health = health_for(q, c);
    if (!c->bytes || health == FA__GPU_FAULTY)
        return fa__gpu_begin(q, c->op) ? fa__gpu_commit(q, NULL, NULL, NULL) : 0;
    bool staged, unsure = health == FA__GPU_UNSURE, puts = unsure && c->to_device;
    sender *send = sender_for(q, c, unsure, &staged);
    size_t most = staged || (puts && c->to_device != c->from_device) ? FA__GPU_CHUNK : SIZE_MAX;
    return send_all(&p, send, puts, most);
}

/* Through pinned memory, whatever the device: the bytes may be changed when this returns. Those of a graph's launches
 * are in its own memory before it is launched. */
void *fa__gpu_upload(fa__gpu_issue *issue, const void *bytes, size_t size)
{
    queue *q = issue->queue;
    const struct fa__gpu_capture *graph = q->capture;
    void *there = graph ? fa__gpu_capture_memory(issue, size, true) : fa__gpu_scratch(issue, size);
    const fa__copy c = {.op = issue->op, .to = there, .from = bytes, .bytes = size, .to_device = issue->device};
    const piece p = {.queue = graph ? fa__gpu_capture_real(graph) : q,
                     .driver = q->gpu->driver,
                     .copy = &c,
                     .to = there,
                     .from = bytes,
                     .bytes = size,
                     .uncounted = true};
    return there && send_piece(&p, write_staged) ? there : NULL;
}
