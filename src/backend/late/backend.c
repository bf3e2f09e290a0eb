/* The vtable of the late devices, and their memory. */
#include "backend/late/late.h"
#include "base/alloc.h"
#include "core/bins.h"
#include <string.h>

extern const fa__backend fa__backend_cpu, fa__backend_late;

static int late_count(void)
{
    return FA__LATE_DEVICES;
}

static const char *late_why(void)
{
    return "";
}

static const char *late_gone(void)
{
    return fa__late_forked ? FA__LATE_FORKED : NULL;
}

/* ---- memory ---- */
static void *late_allocate(fa__device *d, size_t size)
{
    void *memory = fa__raw(64, size);
    if (memory && !fa__late_check_memory(d, memory, size)) {
        fa__aligned_free(memory);
        return NULL;
    }
    return memory;
}

static void late_release(fa__device *d, void *memory, size_t size)
{
    (void)d;
    memset(memory, FA__LATE_GARBAGE, size);
    fa__late_check_memory_gone(memory);
    fa__aligned_free(memory);
}

/* Garbage comes in behind the work of `queue` (NULL: nobody's) on the block; other work on it has to be done. */
static void spoil(fa__device *d, fa__block *b, fa__queue *queue)
{
    fa__late_check_taken((const fa__late_queue *)queue, b->memory, b->size);
    uint64_t ticket = queue ? fa__late_fill(queue, d, b->memory, b->requested) : 0;
    if (ticket)
        fa__block_use(b, (fa__sync_point){queue, ticket});
    else if (!b->uses)
        memset(b->memory, FA__LATE_GARBAGE, b->requested);
}

static void block_taken(void *device, fa__block *b, fa__queue *queue)
{
    spoil(device, b, queue);
}

/* What several queues still use keeps what it holds. */
static void block_given(void *device, fa__block *b)
{
    if (b->uses <= 1)
        spoil(device, b, b->uses ? b->use[0].queue : NULL);
}

/* ---- the device ---- */
static bool late_open(fa__device *d)
{
    d->queue = fa__late_queue_new(d);
    d->cache.source.host = true;
    d->cache.source.finish = fa__late_finish;
    d->cache.source.taken = block_taken;
    d->cache.source.given = block_given;
    return d->queue != NULL;
}

static void late_close(fa__device *d)
{
    fa__late_stop(d);
    d->queue = NULL;
    if (d->id.index == 0)
        fa__late_check_forget();
}

static void late_properties(fa__device *d, fa_device_properties *p)
{
    (void)d;
    snprintf(p->name, sizeof p->name, "the CPU behind a queue that runs late, for tests");
    p->units = 1;
    p->bit_equal = true;
}

static const char *_Atomic lacking;

void fa__late_lacks(const char *name)
{
    atomic_store(&lacking, name);
}

static bool late_has_kernel(const fa__op *op)
{
    const char *name = atomic_load(&lacking);
    return (!name || strcmp(name, op->name) != 0) && fa__backend_cpu.has_kernel(op);
}

static bool late_prepare(fa__device *d, fa__program *p, fa__class class)
{
    (void)d;
    return fa__backend_cpu.prepare(&fa__cpu_device, p, class);
}

const fa__backend fa__backend_late = {
    .name = "late",
    .kind = FA__LATE,
    .count = late_count,
    .why = late_why,
    .gone = late_gone,
    .open = late_open,
    .close = late_close,
    .properties = late_properties,
    .allocate = late_allocate,
    .release = late_release,
    .queue_new = fa__late_queue_new,
    .queue_free = fa__late_queue_free,
    .wait = fa__late_wait,
    .after = fa__late_after,
    .copy = fa__late_copy,
    .mark = fa__late_mark,
    .has_kernel = late_has_kernel,
    .prepare = late_prepare,
    .run = fa__late_run,
    .reserve = fa__late_reserve,
};
