/* Devices of all kinds of GPU: opening, closing, and the end of threads and of the process. */
#define _GNU_SOURCE
#include "backend/gpu/gpu.h"
#include "backend/gpu/queue.h"
#include "backend/movement.h"
#include "base/dynamic.h"
#include "base/error.h"
#include "base/thread.h"
#include <stdlib.h>
#include <unistd.h>

/* ---- ends ---- */
static const fa__gpu_driver *_Atomic drivers[FA__BACKENDS]; /* by the kind of device: those that were used */

/* Drivers, and the compilers in them, take themselves apart when the process ends: by functions that they register when
 * something of theirs is first used, which may be later than ours and is then called earlier. So all work is awaited
 * before any of these: what the main thread registered for its own end comes first. Behind them no driver is called. */
static void finish(void)
{
    if (fa__gpu_gone)
        return;
    fa__devices_finish();
    for (int kind = 0; kind < FA__BACKENDS; kind++)
        if (drivers[kind] && drivers[kind]->library && drivers[kind]->library->end)
            drivers[kind]->library->end();
}

static void finish_at_exit(void)
{
    finish();
    fa__gpu_gone = "the process is ending: its GPUs are no longer there";
}

/* of the C library (glibc) */
extern int __cxa_thread_atexit_impl(void (*)(void *), void *, void *) __attribute__((__weak__));
extern void *__dso_handle;

/* The main thread's end may be the process's. That of others is, too, where they call exit(), which none can tell: what
 * may still be compiling is awaited, with what was queued in front of it, and no error is raised. */
static void end_thread(void *unused)
{
    (void)unused;
    if (gettid() == getpid())
        finish();
    else
        fa__gpu_finish_all(true);
}

void fa__gpu_register_end(void)
{
    static FA__TLS bool registered;
    if (FA__UNLIKELY(!registered) && __cxa_thread_atexit_impl)
        registered = __cxa_thread_atexit_impl(end_thread, NULL, &__dso_handle) == 0;
}

/* ---- memory ---- */
void *fa__gpu_allocate(fa__device *d, size_t size)
{
    return fa__gpu_gone ? NULL : fa__gpu_own(d)->driver->allocate(d, size);
}

/* Where the driver is gone, memory stays in its tables, where leak checkers see it. */
void fa__gpu_release(fa__device *d, void *memory, size_t size)
{
    const fa__gpu_driver *driver = fa__gpu_own(d)->driver;
    if (!fa__gpu_gone && !(driver->map && fa__gpu_ranges_release(d, memory, size)))
        driver->release(d, memory, size);
}

static void *extend(void *context, bool small, void *end, size_t size)
{
    fa__device *d = context;
    return fa__gpu_gone ? NULL : fa__gpu_ranges_extend(d, small, end, size);
}

static size_t part(void *context, void **memory, size_t size)
{
    fa__device *d = context;
    return fa__gpu_gone ? 0 : fa__gpu_ranges_part(d, memory, size);
}

static const fa__cache_growth growth = {extend, part};

/* ---- opening and closing; the registry's lock is held ---- */
static void note_use(const fa__device *d, const fa__gpu_driver *driver)
{
    bool used = drivers[d->id.kind] != NULL;
    drivers[d->id.kind] = driver;
    if (!used) {
        atexit(finish_at_exit);
        fa__library_stay(); /* the driver's threads may be about to call at any time */
    }
    fa__gpu_register_end();
}

static bool open_queues(fa__device *d, const fa__gpu_driver *driver)
{
    fa__gpu_device *g = d->own;
    g->transfers = driver->queue_new(d);
    d->queue = g->transfers ? fa__gpu_queue_new(d) : NULL;
    if (g->transfers && !d->queue)
        driver->queue_free(d, g->transfers);
    return d->queue != NULL;
}

bool fa__gpu_open(fa__device *d, const fa__gpu_driver *driver)
{
    if (fa__gpu_gone)
        return fa__fail(FA_ERROR_STATE, "%s: %s", d->name, fa__gpu_gone);
    if (!driver->open(d))
        return false;
    fa__gpu_device *g = d->own;
    g->driver = driver;
    fa__gpu_library_begin(g);
    atomic_store(&g->lost, 0);
    pthread_mutex_init(&g->launching, NULL);
    d->cache.source.finish = fa__gpu_finish;
    note_use(d, driver);
    bool grows = !driver->map || fa__cache_grows(&d->cache, &growth);
    if (grows && fa__gpu_enroll(d) && open_queues(d, driver))
        return true;
    driver->close(d);
    return false;
}

void fa__gpu_close(fa__device *d)
{
    const fa__gpu_device *g = d->own;
    fa__gpu_queues_end(d);
    d->queue = NULL;
    fa__gpu_forget(d);
    if (fa__gpu_gone)
        return;
    g->driver->finish(g->transfers);
    g->driver->queue_free(d, g->transfers);
    g->driver->close(d);
}
