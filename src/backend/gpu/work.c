/* Tickets, and how the library learns that work is done. Drivers tell it by events, which are made where somebody asks:
 * one that waits or polls, a copy that is timed, and else behind each FA__GPU_STRIDE tickets. Queues are in order, so
 * an event is behind all work before it. */
#include "backend/gpu/queue.h"
#include "base/clock.h"
#include "base/error.h"
#include "core/faults.h"
#include "core/ledger.h"
#include <sched.h>
#include <string.h>

typedef fa__gpu_queue queue;
typedef fa__gpu_work work;
typedef fa__gpu_mark mark;

static mark *mark_at(const queue *q, uint64_t number)
{
    return &q->mark[number % FA__GPU_MARKS];
}

static work *work_at(const queue *q, uint64_t number)
{
    return &q->work[number % FA__GPU_OPEN];
}

/* ---- events; the queue's lock is held ---- */
static void free_marks(queue *q)
{
    for (; q->mark_freed < q->mark_first && !mark_at(q, q->mark_freed)->users; q->mark_freed++)
        q->gpu->driver->event_free(mark_at(q, q->mark_freed)->event);
}

static mark *add_mark(queue *q, uint64_t ticket, void *event, const char *call)
{
    while (q->mark_next - q->mark_freed == FA__GPU_MARKS) { /* a thread that waited for an old one has yet to wake up */
        pthread_mutex_unlock(&q->lock);
        sched_yield();
        pthread_mutex_lock(&q->lock);
        free_marks(q);
    }
    mark *m = mark_at(q, q->mark_next++);
    *m = (mark){.ticket = ticket, .event = event, .call = call};
    q->marked = ticket;
    return m;
}

/* Behind all work that was issued. A driver that fails here has lost the device. */
static mark *record(queue *q)
{
    fa_error error = {.code = FA_OK}, *before = fa__error_use(&error);
    fa__gpu_catch_up_locked(q, true); /* lets go of the lock: other threads may record meanwhile */
    uint64_t ticket = atomic_load(&q->base.issued);
    void *event = q->gpu->driver->record(q->base.device, q->handle);
    fa__error_use(before);
    return event ? add_mark(q, ticket, event, "a launch") : NULL;
}

mark *fa__gpu_mark_behind(queue *q, uint64_t ticket)
{
    if (fa__gpu_done(q) >= ticket)
        return NULL;
    for (uint64_t i = q->mark_first; i < q->mark_next && q->marked >= ticket; i++)
        if (mark_at(q, i)->ticket >= ticket)
            return mark_at(q, i);
    return record(q);
}

/* ---- work that is over ---- */
static int64_t time_of(const queue *q, void *event)
{
    int64_t start = 0, end = 0;
    return event && q->gpu->driver->times(event, &start, &end) && end > start ? end - start : 0;
}

static void put_time(const queue *q, const work *w)
{
    int64_t start = 0, end = 0;
    if (q->gpu->driver->times(w->event, &start, &end))
        atomic_store(&w->timestamp->ns, end);
    fa__timestamp_drop(w->timestamp);
}

static void put_away(queue *q, work *w, bool good)
{
    if (w->target && w->staged && good && !(w->overwrites && fa__faults_at(&q->base, w->ticket))) {
        fa__gpu_host_access(q->gpu->driver, w->staged, w->bytes, false);
        memcpy(w->target, w->staged, w->bytes);
    }
    if (w->timed && good)
        fa__ledger_copy_time(w->age, w->op, w->from, w->to, time_of(q, w->event) + time_of(q, w->other));
    if (w->timestamp)
        put_time(q, w);
    if (w->check)
        fa__gpu_judge(q, w, good);
    if (w->staging_end)
        q->staging_first = w->staging_end;
    if (w->other)
        q->gpu->driver->event_free(w->other);
}

/* Work that another device's failure stopped: that one is lost, not this queue's. */
static bool is_others_failure(const queue *q, uint64_t ticket)
{
    bool others = false;
    for (uint64_t i = q->work_first; i < q->work_next && work_at(q, i)->ticket <= ticket; i++) {
        const work *w = work_at(q, i);
        int status = w->other ? q->gpu->driver->poll(w->other) : FA__GPU_DONE;
        if (status < 0)
            atomic_store(&fa__gpu_own(w->from == q->base.device ? w->to : w->from)->lost, status);
        others |= status < 0;
    }
    return others;
}

/* The driver could not do work in front of an event: all that is not known to be done before is behind a fault, and the
 * device is lost. */
static void note_failure(queue *q, const mark *m, int status)
{
    fa_error error = {.code = FA_OK}, *before = fa__error_use(&error);
    const fa__gpu_driver *driver = q->gpu->driver;
    fa__fail(FA_ERROR_DEVICE, "%s: work of %s failed: %s (%d)", q->base.device->name, m->call,
             driver->error_name(status), status);
    fa__error_use(before);
    fa__faults_open(&q->base, fa__gpu_done(q) + 1, fa__fault_note_new(&error));
    if (!is_others_failure(q, m->ticket) && status != driver->behind)
        atomic_store(&q->gpu->lost, status);
}

/* How far a mark is. The driver may say that what was waited for still runs: it will never end. */
static int status_of(const queue *q, const mark *m)
{
    int status = q->gpu->driver->poll(m->event);
    return status > 0 && m->waited ? q->gpu->driver->stuck : status;
}

/* Puts away, in order, the work in front of a mark that is over. False when a check comes up that takes over the fault
 * of another queue, of which is not known yet what it found: *need is to come first. */
static bool put_away_to(queue *q, const mark *m, int status, fa__sync_point *need)
{
    for (; q->work_first < q->work_next && work_at(q, q->work_first)->ticket <= m->ticket; q->work_first++) {
        work *w = work_at(q, q->work_first);
        const fa__gpu_check *source = w->check ? w->check->source : NULL;
        if (source && fa__gpu_done(source->queue) < source->ticket) {
            *need = (fa__sync_point){&source->queue->base, source->ticket};
            return false;
        }
        fa__gpu_open_broken(q, w->ticket);
        put_away(q, w, status == FA__GPU_DONE);
    }
    fa__gpu_open_broken(q, m->ticket);
    return true;
}

/* The queue's lock is held. Returns what is to come first; of no queue: nothing. */
static fa__sync_point drain(queue *q)
{
    fa__sync_point need = {NULL, 0};
    for (; q->mark_first < q->mark_next; q->mark_first++) {
        const mark *m = mark_at(q, q->mark_first);
        int status = status_of(q, m);
        if (status > 0)
            break;
        if (status < 0)
            note_failure(q, m, status);
        if (!put_away_to(q, m, status, &need))
            break;
        atomic_store_explicit(&q->base.done, m->ticket, memory_order_release);
    }
    free_marks(q);
    return need;
}

void fa__gpu_advance(queue *q)
{
    for (fa__sync_point need = {&q->base, 0}; need.queue && !fa__gpu_gone;) {
        pthread_mutex_lock(&q->lock);
        need = q->mark ? drain(q) : (fa__sync_point){NULL, 0};
        pthread_mutex_unlock(&q->lock);
        if (need.queue) /* the driver has done it already */
            fa__gpu_wait_quietly((queue *)need.queue, need.ticket);
    }
}

/* ---- waiting and polling ---- */
/* One event is under way at a time for all who poll. */
void fa__gpu_poll(fa__queue *base, uint64_t ticket)
{
    queue *q = (queue *)base;
    fa__gpu_advance(q);
    if (fa__gpu_gone || fa__gpu_done(q) >= ticket)
        return;
    pthread_mutex_lock(&q->lock);
    if (q->mark && q->mark_first == q->mark_next && fa__gpu_catch_up_locked(q, false))
        record(q);
    pthread_mutex_unlock(&q->lock);
}

/* Without an event: the host waits for the whole queue, and nothing is asked any more. */
static void finish(queue *q)
{
    uint64_t ticket = atomic_load(&q->base.issued);
    pthread_mutex_lock(&q->lock);
    fa__gpu_catch_up_locked(q, true);
    pthread_mutex_unlock(&q->lock);
    int status = q->gpu->driver->finish(q->handle);
    pthread_mutex_lock(&q->lock);
    drain(q);
    const mark m = {.ticket = ticket, .call = "the queue"};
    fa__sync_point need = {NULL, 0};
    if (fa__gpu_done(q) < ticket && status < 0)
        note_failure(q, &m, status);
    if (fa__gpu_done(q) < ticket && put_away_to(q, &m, status, &need))
        atomic_store_explicit(&q->base.done, ticket, memory_order_release);
    pthread_mutex_unlock(&q->lock);
    if (need.queue)
        fa__gpu_wait_quietly((queue *)need.queue, need.ticket);
}

/* The mark behind a ticket, or the first one when that was waited for already: the event of a copy may be over before
 * that of a mark which another thread recorded between the copy and its commit, and which stands in front of it. */
static mark *mark_to_wait_for(queue *q, uint64_t ticket)
{
    mark *m = fa__gpu_mark_behind(q, ticket);
    return m && m->waited ? mark_at(q, q->mark_first) : m;
}

void fa__gpu_wait_quietly(queue *q, uint64_t ticket)
{
    while (fa__gpu_done(q) < ticket && !fa__gpu_gone) {
        pthread_mutex_lock(&q->lock);
        mark *m = mark_to_wait_for(q, ticket);
        if (m)
            m->users++;
        pthread_mutex_unlock(&q->lock);
        if (!m && fa__gpu_done(q) < ticket)
            finish(q);
        if (!m)
            continue;
        q->gpu->driver->wait(m->event); /* failures are found when the work is put away */
        pthread_mutex_lock(&q->lock);
        m->users--;
        m->waited = true;
        pthread_mutex_unlock(&q->lock);
        fa__gpu_advance(q);
    }
}

void fa__gpu_wait_inside(queue *q, uint64_t ticket, const fa__op *op)
{
    if (fa__gpu_done(q) < ticket)
        fa__gpu_advance(q);
    if (fa__gpu_done(q) >= ticket)
        return;
    int64_t start = fa__clock_ns();
    fa__gpu_wait_quietly(q, ticket);
    fa__ledger_implicit(op, q->base.device, fa__clock_ns() - start);
}

void fa__gpu_wait(fa__queue *base, uint64_t ticket)
{
    fa__gpu_wait_quietly((queue *)base, ticket);
    if (!fa__gpu_gone)
        fa__faults_surface(base, ticket);
}

/* ---- issuing ---- */
bool fa__gpu_well(const fa__device *d)
{
    const fa__gpu_device *g = d->own;
    int lost = atomic_load(&g->lost);
    if (fa__gpu_gone)
        return fa__fail(FA_ERROR_STATE, "%s: %s", d->name, fa__gpu_gone);
    return !lost || fa__fail(FA_ERROR_DEVICE, "%s is lost: %s (%d)", d->name, g->driver->error_name(lost), lost);
}

bool fa__gpu_begin(queue *q, const fa__op *op)
{
    if (FA__UNLIKELY(fa__gpu_gone || atomic_load(&q->gpu->lost)))
        return fa__gpu_well(q->base.device);
    fa__gpu_register_end();
    uint64_t ticket = q->base.issued + 1;
    if (ticket - fa__gpu_done(q) > FA__GPU_OPEN)
        fa__gpu_wait_inside(q, ticket - FA__GPU_OPEN, op);
    return true;
}

/* What nobody asks for: an event from time to time, and a driver that begins. */
static void keep_going(queue *q, uint64_t ticket)
{
    if (atomic_load_explicit(&q->holds, memory_order_relaxed))
        return;
    if (ticket - q->marked >= FA__GPU_STRIDE) {
        pthread_mutex_lock(&q->lock);
        record(q);
        pthread_mutex_unlock(&q->lock);
        fa__gpu_advance(q);
    } else if (ticket % FA__GPU_FLUSH == 0 || fa__gpu_done(q) == ticket - 1) {
        q->gpu->driver->flush(q->handle);
    }
}

uint64_t fa__gpu_commit(queue *q, const work *w, void *event, const char *call)
{
    if (FA__UNLIKELY(q->capture != NULL))
        return fa__gpu_capture_commit(q, w);
    uint64_t ticket = q->base.issued + 1;
    if (w || event) {
        pthread_mutex_lock(&q->lock);
        if (w) {
            *work_at(q, q->work_next) = *w;
            work_at(q, q->work_next)->ticket = ticket;
            work_at(q, q->work_next++)->event = event;
            q->last_read = w->target ? ticket : q->last_read;
            q->last_staged = w->target && w->staged ? ticket : q->last_staged;
        }
        if (event)
            add_mark(q, ticket, event, call);
        atomic_store_explicit(&q->base.issued, ticket, memory_order_release);
        pthread_mutex_unlock(&q->lock);
    } else {
        atomic_store_explicit(&q->base.issued, ticket, memory_order_release);
    }
    if (event)
        q->gpu->driver->flush(q->handle);
    else
        keep_going(q, ticket);
    return ticket;
}

uint64_t fa__gpu_mark_time(fa__queue *base, fa__timestamp *timestamp)
{
    queue *q = (queue *)base;
    if (!fa__gpu_begin(q, NULL))
        return 0;
    fa__gpu_catch_up(q);
    void *event = q->gpu->driver->record(base->device, q->handle);
    if (!event)
        return 0;
    const work w = {.timestamp = timestamp};
    atomic_fetch_add(&timestamp->references, 1);
    return fa__gpu_commit(q, &w, event, "an event");
}
