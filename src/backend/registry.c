/* The backends, in one array, and their devices: opened when first used, closed when the process ends. */
#include "backend/registry.h"
#include "backend/movement.h"
#include "base/error.h"
#include "base/fork.h"
#include "base/parallel.h"
#include "core/context.h"
#include "core/ledger.h"
#include "core/order.h"
#include <string.h>

extern const fa__backend fa__backend_cpu, fa__backend_cuda, fa__backend_opencl, fa__backend_meta, fa__backend_late;

const fa__backend *const fa__backends[FA__BACKENDS] = {
    [FA__CPU] = &fa__backend_cpu,
#ifndef FA__MINIMAL
    [FA__CUDA] = &fa__backend_cuda, [FA__OPENCL] = &fa__backend_opencl,
    [FA__META] = &fa__backend_meta, [FA__LATE] = &fa__backend_late,
#endif
};

fa__device fa__cpu_device;
static fa__device devices[FA__BACKENDS][FA__DEVICES_OF_A_KIND]; /* all but the CPU */
static _Atomic bool is_open[FA__BACKENDS][FA__DEVICES_OF_A_KIND];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static fa__device *slot(fa_device d)
{
    return d.kind == FA__CPU ? &fa__cpu_device : &devices[d.kind][d.index];
}

static void *source_allocate(void *context, size_t size)
{
    fa__device *d = context;
    return d->backend->allocate(d, size);
}

static void source_release(void *context, void *memory, size_t size)
{
    fa__device *d = context;
    d->backend->release(d, memory, size);
}

static void source_waited(void *context, int64_t ns)
{
    fa__ledger_implicit(NULL, context, ns);
}

static void prepare(fa__device *d, fa_device id)
{
    d->id = id;
    d->backend = fa__backends[id.kind];
    snprintf(d->name, sizeof d->name, "%s", fa_device_name(id));
    pthread_mutex_init(&d->lock, NULL);
    fa__cache_init(&d->cache, (fa__cache_source){.allocate = source_allocate,
                                                 .release = source_release,
                                                 .waited = source_waited,
                                                 .context = d,
                                                 .name = d->name,
                                                 .host = id.kind == FA__CPU});
}

static fa__device *open_device(fa_device id)
{
    fa__device *d = slot(id);
    pthread_mutex_lock(&lock);
    bool opened = atomic_load(&is_open[id.kind][id.index]);
    if (!opened) {
        if (!d->backend)
            prepare(d, id);
        opened = d->backend->open(d);
        atomic_store_explicit(&is_open[id.kind][id.index], opened, memory_order_release);
    }
    pthread_mutex_unlock(&lock);
    return opened ? d : NULL;
}

/* The CPU is always there, and opening it takes no memory. It is the last thing to be closed. */
__attribute__((__constructor__)) static void begin(void)
{
    fa__device_names_begin();
    open_device((fa_device){FA__CPU, 0});
    fa__at_exit(fa__devices_close);
}

fa__device *fa__device_get(fa_device d)
{
    if (d.kind == FA__DEFAULT_DEVICE)
        d = fa_device_current();
    if (FA__LIKELY(fa__device_known(&d)) && atomic_load_explicit(&is_open[d.kind][d.index], memory_order_acquire))
        return slot(d);
    if (fa__device_is_there(d))
        return open_device(d);
    fa__device_missing(d);
    return NULL;
}

void fa__device_finish(fa__device *d)
{
    if (d->cache.source.finish)
        d->cache.source.finish(d->cache.source.context);
}

/* Work that one queue did on another device's memory is asked about until all memory is back. */
static void close_memory(fa__device *d)
{
    fa__cache_destroy(&d->cache);
}

static void close_device(fa__device *d)
{
    fa__streams_close(d);
    if (d->host)
        return;
    d->backend->close(d);
    atomic_store(&is_open[d->id.kind][d->id.index], false);
}

static void each_open(void (*call)(fa__device *))
{
    for (int kind = FA__BACKENDS; kind-- > FA__CPU;)
        for (int i = 0; i < FA__DEVICES_OF_A_KIND; i++)
            if (atomic_load_explicit(&is_open[kind][i], memory_order_acquire))
                call(slot((fa_device){kind, i}));
}

void fa__devices_finish(void)
{
    each_open(fa__device_finish);
}

/* Work first, then the storages that wait for it, then memory that was freed with work still on it, then the devices.
 * What borrowed storages call may have made tensors: this is called again when they are gone. */
void fa__devices_close(void)
{
    each_open(fa__device_finish);
    fa__order_reap(true);
    if (fa__self->core)
        return;
    fa__cache_trim(&fa__cpu_device.cache);
    each_open(close_memory);
    each_open(close_device);
    fa__parallel_stop();
}

/* ---- fork ---- */
/* The child has no devices whose driver stayed behind. What they have is kept, where leak checkers see it. */
static void registry_around_fork(fa__fork_moment moment)
{
    for (int kind = FA__CPU; kind < FA__BACKENDS && moment == FA__FORK_CHILD; kind++)
        for (int i = 0; i < FA__DEVICES_OF_A_KIND && fa__backend_gone(kind); i++)
            atomic_store(&is_open[kind][i], false);
    fa__fork_mutex(&lock, moment);
}

FA__AROUND_FORK(REGISTRY, registry_around_fork)

/* Those of all devices that were ever open; the registry's lock is held. */
static void each_lock(fa__fork_moment moment, pthread_mutex_t *(*lock_of)(fa__device *))
{
    for (int kind = FA__CPU; kind < FA__BACKENDS; kind++)
        for (int i = 0; i < FA__DEVICES_OF_A_KIND; i++) {
            fa__device *d = slot((fa_device){kind, i});
            if (d->backend && (kind != FA__CPU || i == 0))
                fa__fork_mutex(lock_of(d), moment);
        }
}

static pthread_mutex_t *device_lock(fa__device *d)
{
    return &d->lock;
}

static pthread_mutex_t *cache_lock(fa__device *d)
{
    return &d->cache.lock;
}

static void devices_around_fork(fa__fork_moment moment)
{
    each_lock(moment, device_lock);
}

static void caches_around_fork(fa__fork_moment moment)
{
    each_lock(moment, cache_lock);
}

FA__AROUND_FORK(DEVICES, devices_around_fork)
FA__AROUND_FORK(CACHES, caches_around_fork)
