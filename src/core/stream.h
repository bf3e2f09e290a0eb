/* Streams: additional queues of a device. A freed stream is kept with its queue until its device is closed, as
 * settings, sync points and graph nodes may still refer to it; new streams of the device reuse the queue. */
#ifndef FA__CORE_STREAM_H
#define FA__CORE_STREAM_H
#include "core/context.h"
#include "core/device.h"

struct fa_stream {
    fa__object object;
    fa__device *device;
    fa__queue *queue; /* NULL: the device has no queues, and its work is complete at once */
    fa_stream *next;  /* links freed streams */
    /* Called when it is freed, before others may have its queue; false: they may not. NULL: nothing is to be done. */
    bool (*end)(fa_stream *);
};

/* The queue that work on a device is issued to: that of the settings' stream, or the default queue. */
static inline fa__queue *fa__queue_of(const fa__device *device)
{
    if (FA__LIKELY(device->host))
        return NULL;
    const fa__context *c = fa__self->core;
    const fa_stream *s = FA__LIKELY(c != NULL) ? c->settings->stream : NULL;
    return FA__LIKELY(!s || s->device != device) ? device->queue : s->queue;
}
#endif
