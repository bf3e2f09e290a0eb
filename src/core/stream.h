/* Streams: queues of the program's own. A freed one is kept with its queue until its device is closed: what still names
 * it (settings, stamps, nodes of the graph) finds memory that it may read, and the next stream of the device may have
 * the queue. */
#ifndef FA__CORE_STREAM_H
#define FA__CORE_STREAM_H
#include "core/context.h"
#include "core/device.h"

struct fa_stream {
    fa__object object;
    fa__device *device;
    fa__queue *queue; /* NULL: the device has none, and its work is done at once */
    fa_stream *next;  /* of those that were freed */
};

/* The queue that work on a device is issued to now: the settings' stream, or the device's own. */
static inline fa__queue *fa__queue_of(const fa__device *device)
{
    if (FA__LIKELY(device->host))
        return NULL;
    const fa__context *c = fa__self->core;
    const fa_stream *s = FA__LIKELY(c != NULL) ? c->settings->stream : NULL;
    return FA__LIKELY(!s || s->device != device) ? device->queue : s->queue;
}
#endif
