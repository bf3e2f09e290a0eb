/* A device and its queues, as far as memory and ordering need them. The functions of a device are in the vtable of
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
    char name[16]; /* name, such as "late:1" */
    const struct fa__backend *backend;
    bool host;               /* memory is host memory and work is complete when a call returns: the CPU */
    bool shapes_only;        /* tensors have no memory: meta */
    struct fa__queue *queue; /* the default queue; NULL on the host and on meta */
    fa__cache cache;
    pthread_mutex_t lock;                 /* held while addresses are resolved and work is launched */
    void *own;                            /* private data of the backend */
    struct fa_stream *spare, *spare_last; /* freed streams, oldest first: their queues live on */
} fa__device;

/* Work of a device in the order in which it was issued. A ticket is the number of a piece of work, which is complete
 * when `done` has reached it. Backends embed this struct at the start of theirs. */
typedef struct fa__queue {
    fa__device *device;
    struct fa_stream *stream; /* whose queue it is, and lives as long as it; NULL: the device's default queue */
    _Atomic uint64_t issued;  /* the last ticket given out; changed under the device's lock or the queue's own */
    _Atomic uint64_t done;    /* all work up to this ticket is known to be finished */
    uint32_t serial;          /* names the queue in reports */
    _Atomic uint32_t faults;  /* how many spans of tickets were behind a fault: core/faults.h */
    struct fa__fault_spans *spans;
    /* Asks the driver how far the queue has come; does not wait. NULL: `done` is always up to date. */
    void (*poll)(struct fa__queue *, uint64_t ticket);
} fa__queue;

/* A piece of work: the last one that wrote a storage, or one that may still read it. */
typedef struct fa__sync_point {
    fa__queue *queue;
    uint64_t ticket;
} fa__sync_point;

/* A point in the work of a queue. The backend stores the time before the point's ticket is done. */
typedef struct fa__timestamp {
    _Atomic int32_t references; /* held by the event, and by the work that will store the time */
    _Atomic int64_t ns;         /* by the clock of the device; 0: not stored yet, or not supported */
} fa__timestamp;

/* Whether work is known to be done; nobody is asked. */
static inline bool fa__sync_point_known(const fa__sync_point *s)
{
    return !s->queue || atomic_load_explicit(&s->queue->done, memory_order_acquire) >= s->ticket;
}

/* Whether work is done; asks the driver where that is not known. */
static inline bool fa__sync_point_done(const fa__sync_point *s)
{
    if (fa__sync_point_known(s) || !s->queue->poll)
        return fa__sync_point_known(s);
    s->queue->poll(s->queue, s->ticket);
    return fa__sync_point_known(s);
}
#endif
