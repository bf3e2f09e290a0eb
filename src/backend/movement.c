/* Copies between devices and waits of the host, counted, forbidden and ordered. */
#include "backend/movement.h"
#include "backend/device.h"
#include "base/clock.h"
#include "base/error.h"
#include "core/attribution.h"
#include "core/capture.h"
#include "core/ledger.h"
#include "core/order.h"
#include "core/room.h"
#include "core/stream.h"
#include <string.h>

/* ---- waits ---- */
static void wait_counted(const fa__op *op, fa__sync_point work)
{
    bool done = fa__sync_point_done(&work);
    int64_t start = done ? 0 : fa__clock_ns();
    work.queue->device->backend->wait(work.queue, work.ticket);
    if (!done)
        fa__ledger_wait(op, work.queue->device, fa__clock_ns() - start);
}

bool fa__wait_stamp(const fa__op *op, fa__sync_point work)
{
    if (!work.queue)
        return true;
    if (!fa__sync_point_done(&work) && !fa__allow_sync(op, work.queue->device))
        return false;
    wait_counted(op, work);
    return true;
}

static void must_wait(const fa__op *op, fa__sync_point work)
{
    if (work.queue)
        wait_counted(op, work);
}

bool fa__wait_for_kind(fa__sync_point work)
{
    const fa__device *d = work.queue->device;
    bool stood = fa__failed(), done = fa__sync_point_done(&work);
    int64_t start = fa__clock_ns();
    d->backend->wait(work.queue, work.ticket);
    if (!done)
        fa__ledger_implicit(NULL, d, fa__clock_ns() - start);
    return stood || !fa__failed();
}

static bool follow(fa__queue *queue, fa__sync_point work)
{
    return queue->device->backend->after(queue, work);
}

__attribute__((__constructor__)) static void fill_in(void)
{
    fa__host_waits = fa__wait_stamp;
    fa__host_must_wait = must_wait;
    fa__queue_follows = follow;
    fa__room_mover_used = &fa__room_moves;
}

/* ---- copies ---- */
enum { PUT_ASIDE = 16 << 20 /* bytes of the program's that are copied first; the host waits where there are more */ };

typedef struct move {
    const fa__op *op;
    fa__storage *to, *from;
    size_t to_byte, from_byte, bytes;
    bool overwrites;
} move;

static char *target(const move *m)
{
    return (char *)m->to->data + m->to_byte;
}

static const char *source(const move *m)
{
    return (const char *)m->from->data + m->from_byte;
}

static bool move_on_host(const move *m)
{
    if (!fa__before_read(m->from, NULL, m->op) || !fa__before_write(m->to, NULL, m->op))
        return false;
    memcpy(target(m), source(m), m->bytes);
    return fa__after_write(m->to, (fa__sync_point){0}, m->op);
}

fa__queue *fa__queue_between(fa__device *to, const fa__device *from)
{
    fa__queue *source = from->host ? NULL : fa__queue_of(from);
    return to->host || (source && source != from->queue) ? source : fa__queue_of(to);
}

/* Issues the copy on a queue of one of the two devices, and waits for it or not. */
static bool move_by(fa__queue *queue, const move *m, bool wait)
{
    fa__device *device = queue->device;
    if (wait && !fa__allow_sync(m->op, device))
        return false;
    if (!fa__before_read(m->from, queue, m->op) || !fa__before_write(m->to, queue, m->op))
        return false;
    if (m->overwrites && !(fa__order_room(m->from) && fa__order_room(m->to)))
        return false; /* later, what is there would be gone */
    fa__device *to = m->to->device, *from = m->from->device;
    pthread_mutex_lock(&device->lock);
    bool ready = device->backend->ready(queue) && fa__storage_sound(m->from) && fa__storage_sound(m->to);
    fa__copy copy = {.op = m->op,
                     .to = target(m),
                     .from = source(m),
                     .bytes = m->bytes,
                     .to_device = to->host ? NULL : to,
                     .from_device = from->host ? NULL : from,
                     .overwrites = m->overwrites,
                     .age = fa__ledger_age()};
    fa__sync_point work = {queue, ready ? device->backend->copy(queue, &copy) : 0};
    pthread_mutex_unlock(&device->lock);
    if (!work.ticket)
        return false;
    if (to != from)
        fa__ledger_copy(m->op, from, to, m->bytes);
    bool noted = fa__after_read(m->from, work, m->op);
    noted &= m->overwrites && !fa__is_unmade(m->to) ? fa__after_write(m->to, work, m->op)
                                                    : fa__after_creation(m->to, work, m->op);
    return noted && (!wait || fa__wait_stamp(m->op, work));
}

/* By memory of the host that nobody else touches: between devices of two kinds, and from the program's memory. */
static bool move_by_host(const move *m)
{
    fa__device *host = fa__device_get((fa_device){FA__CPU, 0});
    fa__storage *between = host ? fa__storage_new(host, m->bytes, NULL) : NULL;
    if (!between)
        return false;
    bool moved = fa__move_held_bytes(m->op, between, 0, m->from, m->from_byte, m->bytes, false)
                 && fa__move_held_bytes(m->op, m->to, m->to_byte, between, 0, m->bytes, m->overwrites);
    fa__unref(between);
    return moved;
}

/* The program may touch it whenever no call is running: it lent the memory, or has a pointer into it. */
static bool is_programs(const fa__storage *s)
{
    return s->device->host && (s->borrowed || atomic_load(&s->pins));
}

static FA__COLD bool refuse_in_graph(const move *m)
{
    char name[80], why[120];
    snprintf(name, sizeof name, "%s%s", fa__op_prefix(m->op), m->op->name);
    snprintf(why, sizeof why, "it copies from %s to %s", m->from->device->name, m->to->device->name);
    return fa__capture_refuses(name, why);
}

bool fa__move_held_bytes(const fa__op *op, fa__storage *to, size_t to_byte, fa__storage *from, size_t from_byte,
                         size_t bytes, bool changes)
{
    FA__WORK_FOR(op); /* what waits inside the driver is counted for it */
    const move m = {op, to, from, to_byte, from_byte, bytes, changes};
    fa__device *t = to->device, *f = from->device;
    if (!bytes || t->shapes_only || f->shapes_only)
        return true;
    if (FA__UNLIKELY(fa__capturing()))
        return refuse_in_graph(&m);
    if (t->host && f->host)
        return move_on_host(&m);
    if (t != f && !fa__allow_transfer(op, f, t))
        return false;
    bool kinds = !t->host && !f->host && t->backend != f->backend;
    if (kinds || (is_programs(from) && bytes <= PUT_ASIDE))
        return move_by_host(&m);
    return move_by(fa__queue_between(t, f), &m, is_programs(from) || is_programs(to));
}

bool fa__move_bytes(const fa__op *op, fa__storage *to, size_t to_byte, fa__storage *from, size_t from_byte,
                    size_t bytes, bool changes)
{
    if (to->device->host && from->device->host)
        return fa__move_held_bytes(op, to, to_byte, from, from_byte, bytes, changes);
    bool spills = fa__moves_begin(), good = false;
    if (fa__storage_hold(to)) {
        if (fa__storage_hold(from)) {
            good = fa__move_held_bytes(op, to, to_byte, from, from_byte, bytes, changes);
            fa__storage_let_go(from);
        }
        fa__storage_let_go(to);
    }
    fa__moves_end(spills);
    return good;
}
