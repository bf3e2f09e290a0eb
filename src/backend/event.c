/* Events: a moment of a queue, that is a ticket, and the time when it was reached. */
#include "backend/device.h"
#include "backend/movement.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "core/attribution.h"
#include "core/capture.h"
#include "core/order.h"
#include <facula/device.h>
#include <math.h>

struct fa_event {
    fa__object object;
    fa__device *device; /* NULL: not recorded */
    fa__sync_point work;
    fa__timestamp *timestamp;
};

void fa__timestamp_drop(fa__timestamp *m)
{
    if (m && atomic_fetch_sub(&m->references, 1) == 1)
        fa__free(m);
}

static void event_destroy(fa__object *o)
{
    fa__timestamp_drop(((fa_event *)o)->timestamp);
    fa__object_free(o);
}

__attribute__((__constructor__)) static void event_type(void)
{
    fa__object_type(FA__TYPE_EVENT, "event", event_destroy);
}

fa_event *fa_event_new(void)
{
    fa_event *e = fa__object_new(FA__TYPE_EVENT, sizeof *e);
    if (!e)
        return NULL;
    e->device = NULL;
    e->work = (fa__sync_point){0};
    e->timestamp = NULL;
    return fa__own(e);
}

static bool check(const fa_event *e, const char *who)
{
    if (FA__LIKELY(e && e->object.type == FA__TYPE_EVENT))
        return true;
    if (!e)
        return fa__fail(FA_ERROR_ARGUMENT, "%s: the event is NULL", who);
    return fa__fail(FA_ERROR_ARGUMENT, "%s: it is a %s, not an event", who, fa__object_name(&e->object));
}

static bool check_recorded(const fa_event *e, const char *who)
{
    if (!check(e, who))
        return false;
    return e->device || fa__fail(FA_ERROR_STATE, "%s: the event marks nothing yet: fa_event_record comes first", who);
}

/* ---- recording ---- */
static const char not_replayed[] = "a graph is for the work of one stream";

/* A device that cannot tell the time has a ticket all the same: that of its last work. */
static bool mark(fa__device *d, fa__sync_point *work, fa__timestamp *m)
{
    if (!work->queue) {
        atomic_store(&m->ns, fa__clock_ns());
        return true;
    }
    pthread_mutex_lock(&d->lock);
    work->ticket = d->backend->mark ? d->backend->mark(work->queue, m) : atomic_load(&work->queue->issued);
    pthread_mutex_unlock(&d->lock);
    return work->ticket || !d->backend->mark;
}

bool fa_event_record(fa_event *e, const fa_stream *stream)
{
    fa__device *device;
    fa__sync_point work = {0};
    if (!check(e, "fa_event_record") || !fa__capture_allows("fa_event_record", not_replayed)
        || !fa__stream_queue(stream, "fa_event_record", &device, &work.queue))
        return false;
    fa__timestamp *m = fa__calloc(1, sizeof *m);
    if (!m)
        return false;
    atomic_init(&m->references, 1);
    bool stood = fa__failed();
    if (!mark(device, &work, m)) {
        fa__timestamp_drop(m);
        if (!stood)
            fa__error_named("event_record");
        return false;
    }
    fa__timestamp_drop(e->timestamp);
    e->timestamp = m;
    e->device = device;
    e->work = work;
    return true;
}

/* ---- waiting ---- */
bool fa_event_wait(const fa_event *e, const fa_stream *stream)
{
    static const fa__op wait = {.name = "event_wait", .id = -1};
    fa__device *device;
    fa__queue *queue;
    if (!check_recorded(e, "fa_event_wait") || !fa__capture_allows("fa_event_wait", not_replayed)
        || !fa__stream_queue(stream, "fa_event_wait", &device, &queue))
        return false;
    if (!e->work.queue || e->work.queue == queue || device->shapes_only)
        return true;
    FA__WORK_FOR(&wait); /* queues of two kinds know no other order than the host's */
    return queue ? fa__queue_follows(queue, e->work) : fa__wait_stamp(&wait, e->work);
}

bool fa_event_synchronize(const fa_event *e)
{
    static const fa__op synchronize = {.name = "event_synchronize", .id = -1};
    if (!check_recorded(e, "fa_event_synchronize"))
        return false;
    bool stood = fa__failed(), there = fa__device_get(e->device->id) != NULL; /* or it is the parent process's */
    if (!there && !stood)
        fa__error_within("fa_event_synchronize");
    return there && fa__wait_stamp(&synchronize, e->work) && (stood || !fa__failed());
}

bool fa_event_done(const fa_event *e)
{
    return check_recorded(e, "fa_event_done") && fa__sync_point_done(&e->work);
}

/* ---- time ---- */
static bool has_come(const fa_event *e)
{
    return fa__sync_point_done(&e->work)
           || fa__fail(FA_ERROR_STATE,
                       "fa_event_ms: the moment of an event has not come yet on %s: fa_event_synchronize "
                       "waits for it",
                       e->device->name);
}

double fa_event_ms(const fa_event *start, const fa_event *end)
{
    if (!check_recorded(start, "fa_event_ms") || !check_recorded(end, "fa_event_ms"))
        return NAN;
    if (start->device != end->device) {
        fa__fail(FA_ERROR_DEVICE, "fa_event_ms: one event is of %s, the other one of %s: their clocks differ",
                 start->device->name, end->device->name);
        return NAN;
    }
    if (!has_come(start) || !has_come(end))
        return NAN;
    int64_t from = atomic_load(&start->timestamp->ns), to = atomic_load(&end->timestamp->ns);
    if (!from || !to) {
        fa__fail(FA_ERROR_UNAVAILABLE, "fa_event_ms: %s cannot tell when its work was done", start->device->name);
        return NAN;
    }
    return (double)(to - from) / 1e6;
}
