/* The backends, in one array, and their devices: found by name, opened when first used, closed when the process ends.
 */
#include "backend/device.h"
#include "backend/movement.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/fork.h"
#include "base/log.h"
#include "base/parallel.h"
#include "base/text.h"
#include "core/context.h"
#include "core/ledger.h"
#include "core/order.h"
#include <stdlib.h>
#include <string.h>

extern const fa__backend fa__backend_cpu, fa__backend_opencl, fa__backend_meta, fa__backend_late;

const fa__backend *const fa__backends[FA__BACKENDS] = {
    [FA__CPU] = &fa__backend_cpu,
    [FA__OPENCL] = &fa__backend_opencl,
    [FA__META] = &fa__backend_meta,
    [FA__LATE] = &fa__backend_late,
};

/* Kinds of devices. Those without a backend say why. */
static const struct {
    const char *name, *missing;
    bool numbered, best; /* best: may be chosen by fa_device_best */
} kinds[FA__BACKENDS] = {
    [FA__CPU] = {"cpu", "", false, true},      [FA__CUDA] = {"cuda", "this build has no CUDA backend", true, true},
    [FA__OPENCL] = {"opencl", "", true, true}, [FA__META] = {"meta", "", false, false},
    [FA__LATE] = {"late", "", true, false},
};

enum { MOST = 16 /* devices of a kind */ };

fa__device fa__cpu_device;
static fa__device devices[FA__BACKENDS][MOST]; /* all but the CPU */
static _Atomic bool is_open[FA__BACKENDS][MOST];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char names[FA__BACKENDS][MOST][16];

/* ---- names ---- */
/* Why the devices of a kind that were there are so no more; NULL: they are. */
static const char *gone(int kind)
{
    return fa__backends[kind] && fa__backends[kind]->gone ? fa__backends[kind]->gone() : NULL;
}

static int count_of(int kind)
{
    int count = fa__backends[kind] && !gone(kind) ? fa__backends[kind]->count() : 0;
    return count < MOST ? count : MOST;
}

static const char *why_none(int kind)
{
    const char *why = gone(kind);
    return why ? why : fa__backends[kind] ? fa__backends[kind]->why() : kinds[kind].missing;
}

/* GPUs are the first of a kind's devices: OpenCL has others, too. */
static int gpus_of(int kind)
{
    return count_of(kind) && fa__backends[kind]->gpus ? fa__backends[kind]->gpus() : 0;
}

/* Why others of a kind of which there are some cannot be used; "": there are no others. */
static const char *why_not_others(int kind)
{
    return count_of(kind) ? fa__backends[kind]->why() : "";
}

/* "cpu, late:0, late:1, meta"; and what is there besides and cannot be used */
static void describe_devices(fa__text *text)
{
    const char *between = "";
    for (int kind = FA__CPU; kind < FA__BACKENDS; kind++)
        for (int i = 0; i < count_of(kind); i++, between = ", ")
            fa__text_add(text, "%s%s", between, names[kind][i]);
    for (int kind = FA__CPU; kind < FA__BACKENDS; kind++)
        if (*why_not_others(kind))
            fa__text_add(text, "; %s, not available: %s", kinds[kind].name, why_not_others(kind));
}

static bool fail_with_devices(fa_code code, const char *what, const char *why)
{
    char buffer[800];
    fa__text text = fa__text_in(buffer, sizeof buffer);
    describe_devices(&text);
    return fa__fail(code, "%s: %s; there are: %s", what, why, buffer);
}

/* Kind and index in range; an index of -1 becomes 0. Sets no error. */
static bool is_known(fa_device *d)
{
    if (d->index == -1)
        d->index = 0;
    return d->kind >= FA__CPU && d->kind < FA__BACKENDS && d->index >= 0 && d->index < MOST;
}

const char *fa_device_name(fa_device d)
{
    return is_known(&d) ? names[d.kind][d.index] : "unknown";
}

enum { NO_GPU = -2 /* the number that no device has */ };

/* The device that a text names, whether it is there or not. "opencl:gpu" is the first GPU. */
static bool parse(const char *text, fa_device *out)
{
    size_t length = text ? strcspn(text, ":") : 0;
    for (int kind = FA__CPU; length && kind < FA__BACKENDS; kind++) {
        if (strlen(kinds[kind].name) != length || memcmp(kinds[kind].name, text, length) != 0)
            continue;
        const char *number = text + length + 1;
        char *end = NULL;
        if (text[length] && !strcmp(number, "gpu")) {
            *out = (fa_device){kind, gpus_of(kind) > 0 ? 0 : NO_GPU};
            return true;
        }
        long index = text[length] ? strtol(number, &end, 10) : 0;
        if (end && (end == number || *end || *number < '0' || *number > '9' || index > INT32_MAX))
            return false;
        *out = (fa_device){kind, (int32_t)index};
        return true;
    }
    return false;
}

static bool is_there(fa_device d)
{
    return is_known(&d) && d.index < count_of(d.kind);
}

static bool fail_missing(fa_device d)
{
    if (d.kind < FA__CPU || d.kind >= FA__BACKENDS)
        return fail_with_devices(FA_ERROR_DEVICE, "device", "there is no device of that kind");
    if (count_of(d.kind) == 0)
        return fail_with_devices(gone(d.kind) ? FA_ERROR_STATE : FA_ERROR_UNAVAILABLE, kinds[d.kind].name,
                                 why_none(d.kind));
    char what[32];
    snprintf(what, sizeof what, "%s:%d", kinds[d.kind].name, (int)d.index);
    return fail_with_devices(FA_ERROR_DEVICE, what, "there is no device of that number");
}

static bool fail_text(const char *text, const char *why)
{
    char what[80];
    snprintf(what, sizeof what, text ? "fa_device_of(\"%.40s\")" : "fa_device_of(%.40s)", text ? text : "NULL");
    return fail_with_devices(FA_ERROR_DEVICE, what, why);
}

fa_device fa_device_of(const char *text)
{
    const fa_device none = {-1, -1};
    fa_device d = none;
    bool good = parse(text, &d) ? is_there(d) : fail_text(text, "that names no device");
    if (!good && d.index == NO_GPU && count_of(d.kind))
        fail_text(text, "none of the devices of that kind is a GPU");
    else if (!good && d.kind != none.kind)
        fail_missing(d);
    return good ? d : none;
}

fa_device fa_device_best(void)
{
    fa_device best = {FA__CPU, 0};
    const char *wanted = getenv("FACULA_DEVICE");
    if (wanted && *wanted) {
        if (parse(wanted, &best) && is_there(best))
            return best;
        char buffer[800];
        fa__text text = fa__text_in(buffer, sizeof buffer);
        describe_devices(&text);
        fa__log(FA_LOG_WARNING, "FACULA_DEVICE=%s is not there; there are: %s", wanted, buffer);
    }
    static const int32_t order[] = {FA__CUDA, FA__OPENCL, FA__CPU};
    for (size_t i = 0; i < sizeof order / sizeof *order; i++)
        if (order[i] == FA__CPU || gpus_of(order[i]) > 0)
            return (fa_device){order[i], 0};
    return (fa_device){FA__CPU, 0};
}

bool fa_is_available(fa_device d)
{
    return is_there(d.kind == FA__DEFAULT_DEVICE ? fa_device_current() : d);
}

int fa_device_count(const char *kind, const char **why)
{
    static const char unknown[] = "there are the kinds cpu, cuda, opencl, meta and late";
    const char *reason = unknown;
    int count = 0;
    for (int k = FA__CPU; kind && k < FA__BACKENDS; k++)
        if (!strcmp(kind, kinds[k].name)) {
            count = count_of(k);
            reason = count ? why_not_others(k) : why_none(k);
        }
    if (why)
        *why = reason;
    return count;
}

/* Soft placement: another device of the kind, or the best that there is. */
static fa_device instead(fa_device wanted)
{
    bool kind = wanted.kind >= FA__CPU && wanted.kind < FA__BACKENDS;
    fa_device found = kind && count_of(wanted.kind) > 0 ? (fa_device){wanted.kind, 0} : fa_device_best();
    if (fa__log_wants("placement") || fa__log_wants("fallback"))
        fa__log(FA_LOG_INFO, "placement: %s:%d is not there: %s takes its place", kind ? kinds[wanted.kind].name : "?",
                (int)wanted.index, fa_device_name(found));
    return found;
}

fa_device fa_device_current(void)
{
    fa__context *c = fa__self->core;
    if (!c || c->settings->device.kind == FA__DEFAULT_DEVICE)
        return (fa_device){FA__CPU, 0};
    fa_device d = c->settings->device;
    if (d.index == -1)
        d.index = 0;
    bool soft = c->settings->placement == FA_PLACE_AUTO && c->settings->fallback;
    return FA__UNLIKELY(soft) && !is_there(d) ? instead(d) : d;
}

/* ---- opening and closing ---- */
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
    memcpy(d->name, names[id.kind][id.index], sizeof d->name);
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
    for (int kind = FA__CPU; kind < FA__BACKENDS; kind++)
        for (int i = 0; i < MOST; i++)
            snprintf(names[kind][i], sizeof names[kind][i], kinds[kind].numbered ? "%s:%d" : "%s", kinds[kind].name, i);
    open_device((fa_device){FA__CPU, 0});
    fa__at_exit(fa__devices_close);
}

fa__device *fa__device_get(fa_device d)
{
    if (d.kind == FA__DEFAULT_DEVICE)
        d = fa_device_current();
    if (FA__LIKELY(is_known(&d)) && atomic_load_explicit(&is_open[d.kind][d.index], memory_order_acquire))
        return slot(d);
    if (is_there(d))
        return open_device(d);
    fail_missing(d);
    return NULL;
}

static void finish(fa__device *d)
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
        for (int i = 0; i < MOST; i++)
            if (atomic_load_explicit(&is_open[kind][i], memory_order_acquire))
                call(slot((fa_device){kind, i}));
}

void fa__devices_finish(void)
{
    each_open(finish);
}

/* Work first, then the storages that wait for it, then memory that was freed with work still on it, then the devices.
 * What borrowed storages call may have made tensors: this is called again when they are gone. */
void fa__devices_close(void)
{
    each_open(finish);
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
        for (int i = 0; i < MOST && gone(kind); i++)
            atomic_store(&is_open[kind][i], false);
    fa__fork_mutex(&lock, moment);
}

FA__AROUND_FORK(REGISTRY, registry_around_fork)

/* Those of all devices that were ever open; the registry's lock is held. */
static void each_lock(fa__fork_moment moment, pthread_mutex_t *(*lock_of)(fa__device *))
{
    for (int kind = FA__CPU; kind < FA__BACKENDS; kind++)
        for (int i = 0; i < MOST; i++) {
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

/* ---- questions to a device ---- */
bool fa_device_info(fa_device device, fa_device_properties *properties)
{
    if (!properties)
        return fa__fail(FA_ERROR_ARGUMENT, "fa_device_info: there is no place for the properties");
    fa__device *d = fa__device_get(device);
    memset(properties, 0, sizeof *properties);
    if (d)
        d->backend->properties(d, properties);
    return d != NULL;
}

bool fa_synchronize(fa_device device)
{
    static const fa__op synchronize = {.name = "synchronize", .id = -1};
    bool stood = fa__failed();
    fa__device *d = fa__device_get(device);
    if (!d && !stood)
        fa__error_named(synchronize.name);
    if (!d || !d->queue)
        return d != NULL;
    if (!fa__allow_sync(&synchronize, d))
        return false;
    int64_t start = fa__clock_ns();
    finish(d);
    fa__ledger_wait(&synchronize, d, fa__clock_ns() - start);
    fa__order_reap(false); /* what waited for this work is freed */
    return stood || !fa__failed();
}
