/* Streams: a queue of a device for the program, made or taken from those that were freed. */
#include "core/stream.h"
#include "backend/device.h"
#include "backend/movement.h"
#include "base/error.h"
#include "core/order.h"
#include <facula/device.h>

/* ---- those that were freed ---- */
static void give_spare(fa_stream *s)
{
    fa__device *d = s->device;
    s->next = NULL;
    pthread_mutex_lock(&d->lock);
    if (d->spare)
        d->spare_last->next = s;
    else
        d->spare = s;
    d->spare_last = s;
    pthread_mutex_unlock(&d->lock);
}

static fa__sync_point all_work(const fa_stream *s)
{
    return (fa__sync_point){s->queue, s->queue ? atomic_load(&s->queue->issued) : 0};
}

static bool is_idle(const fa_stream *s)
{
    fa__sync_point work = all_work(s);
    return fa__sync_point_done(&work);
}

/* The oldest whose work is done, or the oldest at all; NULL: there is none. */
static fa_stream *take_spare(fa__device *d, bool busy)
{
    fa_stream *before = NULL, *s;
    pthread_mutex_lock(&d->lock);
    for (s = d->spare; s && !busy && !is_idle(s); s = s->next)
        before = s;
    if (s && before)
        before->next = s->next;
    else if (s)
        d->spare = s->next;
    if (s && s == d->spare_last)
        d->spare_last = before;
    pthread_mutex_unlock(&d->lock);
    return s;
}

void fa__streams_close(fa__device *d)
{
    for (fa_stream *s; (s = take_spare(d, true));) {
        if (s->queue) {
            s->queue->stream = NULL;
            d->backend->queue_free(s->queue);
        }
        fa__object_release(&s->object);
    }
}

static void stream_destroy(fa__object *o)
{
    const fa__context *c = fa__self->core;
    o->type = FA__TYPE_DEAD;
    o->link = c ? (void *)(uintptr_t)c->closing : NULL;
    fa_stream *s = (fa_stream *)o;
    if (!s->end || s->end(s))
        give_spare(s);
}

__attribute__((__constructor__)) static void stream_type(void)
{
    fa__object_type(FA__TYPE_STREAM, "stream", stream_destroy);
}

/* ---- new ones ---- */
static bool fail_within(const char *who, bool stood)
{
    if (!stood)
        fa__error_within("%s", who);
    return false;
}

static fa_stream *make(fa__device *d)
{
    fa_stream *s = fa__object_new(FA__TYPE_STREAM, sizeof *s);
    if (!s)
        return NULL;
    s->device = d;
    s->next = NULL;
    s->end = NULL;
    s->queue = d->queue ? d->backend->queue_new(d) : NULL;
    if (s->queue)
        s->queue->stream = s;
    if (s->queue || !d->queue)
        return s;
    fa__object_release(&s->object);
    return NULL;
}

/* When the device has no more queues, one that still works for a stream that was freed. */
static fa_stream *make_or_share(fa__device *d)
{
    fa_error error = {0}, *before = fa__error_use(&error);
    fa_stream *s = make(d);
    fa__error_use(before);
    if (!s)
        s = take_spare(d, true);
    if (!s)
        fa__error_hand_over(&error);
    return s;
}

/* What went wrong in the work of a stream that was freed comes up before the queue begins anew: behind it, nothing
 * would be changed. */
static fa_stream *cleared(fa_stream *s)
{
    bool stood = fa__failed();
    if (s->queue)
        s->device->backend->wait(s->queue, all_work(s).ticket);
    if (stood || !fa__failed())
        return s;
    give_spare(s);
    return NULL;
}

static fa_stream *stream_of(fa__device *d)
{
    fa_stream *s = take_spare(d, false);
    s = s ? cleared(s) : make_or_share(d);
    if (!s)
        return NULL;
    atomic_store(&s->object.references, 1);
    s->object.type = FA__TYPE_STREAM;
    s->object.link = NULL;
    return fa__own(s);
}

fa_stream *fa_stream_new(fa_device device)
{
    bool stood = fa__failed();
    fa__device *d = fa__device_get(device);
    fa_stream *s = d ? stream_of(d) : NULL;
    if (!s)
        fail_within("fa_stream_new", stood);
    return s;
}

/* ---- using them ---- */
static bool check(const fa_stream *s, const char *who)
{
    if (FA__LIKELY(s && s->object.type == FA__TYPE_STREAM))
        return true;
    if (!s)
        return fa__fail(FA_ERROR_ARGUMENT, "%s: the stream is NULL", who);
    if (s->object.type == FA__TYPE_DEAD)
        return fa__fail(FA_ERROR_STATE, "%s: the stream was freed: fa_escape or fa_keep let it live on", who);
    return fa__fail(FA_ERROR_ARGUMENT, "%s: it is a %s, not a stream", who, fa__object_name(&s->object));
}

bool fa__stream_queue(const fa_stream *s, const char *who, fa__device **device, fa__queue **queue)
{
    const fa__context *c = fa__ctx();
    if (s ? !check(s, who) : !c)
        return false;
    if (!s)
        s = c->settings->stream;
    bool stood = fa__failed();
    *device = s ? s->device : fa__device_get(fa_device_current());
    if (!*device)
        return fail_within(who, stood);
    *queue = s ? s->queue : (*device)->queue;
    return true;
}

fa_device fa_stream_device(const fa_stream *s)
{
    return check(s, "fa_stream_device") ? s->device->id : (fa_device){0, 0};
}

bool fa_stream_synchronize(fa_stream *s)
{
    static const fa__op synchronize = {.name = "stream_synchronize", .id = -1};
    if (!check(s, "fa_stream_synchronize"))
        return false;
    bool stood = fa__failed();
    if (!fa__device_get(s->device->id)) /* it is the parent process's */
        return fail_within("fa_stream_synchronize", stood);
    if (!fa__wait_stamp(&synchronize, all_work(s)))
        return false;
    fa__order_reap(false); /* what waited for this work is freed */
    return stood || !fa__failed();
}

bool fa_stream_done(const fa_stream *s)
{
    return check(s, "fa_stream_done") && is_idle(s);
}
