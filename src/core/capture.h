/* Whether this thread is recording a graph (backend/capture/), and what the core has to do for it: new storages of the
 * graph's device come from the graph's memory, and keys of random numbers are reported. */
#ifndef FA__CORE_CAPTURE_H
#define FA__CORE_CAPTURE_H
#include "core/cache.h"
#include "core/context.h"
#include "core/device.h"
#include <stdatomic.h>

typedef struct fa__capture {
    fa__device *device;
    fa__cache *pool; /* for new storages of the device */
    /* A key was drawn from a generator (NULL: the default one). False and an error if there is no memory for that. */
    bool (*drawn)(struct fa__capture *, void *generator, fa__key);
    void (*abandon)(struct fa__capture *); /* the thread ends while it records */
} fa__capture;

extern _Atomic int fa__captures; /* how many threads are recording */

FA__COLD fa__capture *fa__capture_of_thread(void);

/* What this thread records into; NULL: it does not record. */
static inline fa__capture *fa__capturing(void)
{
    return FA__LIKELY(!atomic_load_explicit(&fa__captures, memory_order_relaxed)) ? NULL : fa__capture_of_thread();
}

/* Where new storages of the device get their memory. */
static inline fa__cache *fa__cache_for(fa__device *device)
{
    const fa__capture *c = fa__capturing();
    return FA__UNLIKELY(c && c->device == device) ? c->pool : &device->cache;
}

/* False and an error if this thread is recording: `what` ("fa_item") cannot be part of a graph, because of `why`. */
FA__COLD bool fa__capture_refuses(const char *what, const char *why);
static inline bool fa__capture_allows(const char *what, const char *why)
{
    return FA__LIKELY(!fa__capturing()) || fa__capture_refuses(what, why);
}

/* Starts and ends recording in this thread, which has a context. */
void fa__capture_begin(fa__capture *);
void fa__capture_end(void);
#endif
