/* A device and its queues, as far as memory and ordering need them. What a device can do is the vtable of
 * backend/device.h. */
#ifndef FA__CORE_DEVICE_H
#define FA__CORE_DEVICE_H
#include "core/cache.h"
#include <facula/types.h>
#include <pthread.h>
#include <stdatomic.h>

struct fa__backend;

typedef struct fa__device {
    fa_device id;
    char name[16]; /* "late:1" */
    const struct fa__backend *backend;
    bool host;               /* memory is the host's and work is done when a call returns: the CPU */
    bool shapes_only;        /* tensors have no memory: meta */
    struct fa__queue *queue; /* the default queue; NULL on the host and on meta */
    fa__cache cache;
    pthread_mutex_t lock;                 /* pointers are resolved and launched under it */
    void *own;                            /* the backend's */
    struct fa_stream *spare, *spare_last; /* streams that were freed, the first one the oldest: their queues live on */
} fa__device;

/* Work of a device in the order it was issued. A ticket is the number of a piece of work; it is done when `done` has
 * reached it. Backends embed this struct at the start of theirs. */
typedef struct fa__queue {
    fa__device *device;
    struct fa_stream *stream; /* whose queue it is, and lives as long as it; NULL: the device's default queue */
    _Atomic uint64_t issued;  /* the last ticket given out; changed under the device's lock or the queue's own */
    _Atomic uint64_t done;    /* all work up to this ticket is finished */
    uint32_t serial;          /* names the queue in reports */
} fa__queue;

/* One piece of work: what last wrote a storage, or still reads it. */
typedef struct fa__sync_point {
    fa__queue *queue;
    uint64_t ticket;
} fa__sync_point;

/* A moment of a queue. The backend writes the time before the moment's ticket counts as done. */
typedef struct fa__timestamp {
    _Atomic int32_t references; /* the event's, and that of the work that is to write the time */
    _Atomic int64_t ns;         /* by the device's clock; 0: not written yet, or the device cannot tell */
} fa__timestamp;

static inline bool fa__sync_point_done(const fa__sync_point *s)
{
    return !s->queue || atomic_load_explicit(&s->queue->done, memory_order_acquire) >= s->ticket;
}
#endif
