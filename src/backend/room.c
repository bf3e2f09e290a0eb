/* Making room in a device's memory: storages are moved within it, or to the host's memory and back. The device's queue
 * does it behind the work that uses them: the host waits for nothing, and memory that came free is used behind it. */
#include "core/room.h"
#include "backend/device.h"
#include "backend/movement.h"
#include "base/alloc.h"
#include "base/error.h"
#include "core/capture.h"
#include "core/order.h"
#include "core/stream.h"
#include <facula/graph.h>

/* As what moves count in transfer statistics, and in errors. */
static const fa__op spill_op = {.name = "memory_limit(.spill)", .id = -1},
                    compact_op = {.name = "memory_limit", .id = -1};

/* ---- one storage ---- */
/* From here to the end of the move whoever wants to hold it waits. */
static bool begin(fa__storage *s)
{
    __atomic_store_n(&s->away, 1, __ATOMIC_SEQ_CST);
    bool good = !__atomic_load_n(&s->holds, __ATOMIC_SEQ_CST) && !atomic_load(&s->pins) && !fa__storage_is_faulty(s);
    if (!good)
        __atomic_store_n(&s->away, 0, __ATOMIC_SEQ_CST);
    return good;
}

/* Copies its bytes to a new storage, whose memory it gets. The old memory becomes free behind that. */
static bool move_to(fa__storage *s, fa__storage *fresh, const fa__op *op)
{
    bool good = fresh && fa__move_held_bytes(op, fresh, 0, s, 0, s->bytes, false);
    if (good) {
        fa__block_sign_as(fresh->block, s->block);
        fa__storage_exchange(s, fresh);
    }
    fa__unref(fresh);
    return good;
}

/* ---- within the device ---- */
/* Free blocks outside of a run, one for each of its storages. Those inside are taken as well until there are enough. */
typedef struct places {
    fa__block **block; /* for the storages */
    size_t count;
    fa__block **aside; /* inside of the run */
    size_t asides, room;
} places;

static bool set_aside(places *p, fa__block *b)
{
    if (p->asides == p->room) {
        size_t more = p->room ? 2 * p->room : 16;
        fa__block **larger = fa__realloc(p->aside, more * sizeof *larger);
        if (!larger)
            return false;
        p->aside = larger;
        p->room = more;
    }
    p->aside[p->asides++] = b;
    return true;
}

static fa__block *block_outside(places *p, fa__cache *c, const fa__room_run *r, size_t bytes, fa__queue *queue)
{
    fa__block *b;
    while ((b = fa__cache_take_free(c, bytes, queue))) {
        const char *memory = fa__block_memory(b);
        if (memory < r->begin || memory >= r->end)
            return b;
        if (!set_aside(p, b)) {
            fa__cache_give(c, b, NULL, 0);
            return NULL;
        }
    }
    return NULL;
}

static bool find_places(places *p, fa__cache *c, const fa__room_run *r, fa__queue *queue)
{
    *p = (places){.block = fa__malloc(r->count * sizeof *p->block)};
    for (; p->block && p->count < r->count; p->count++)
        if (!(p->block[p->count] = block_outside(p, c, r, r->storage[p->count]->bytes, queue)))
            return false;
    return p->block != NULL;
}

static void give_back(places *p, size_t from, fa__cache *c)
{
    for (size_t i = from; i < p->count; i++)
        fa__cache_give(c, p->block[i], NULL, 0);
    for (size_t i = 0; i < p->asides; i++)
        fa__cache_give(c, p->aside[i], NULL, 0);
    fa__free(p->block);
    fa__free(p->aside);
}

static bool relocate(fa__storage *s, fa__device *d, fa__block *b)
{
    fa__storage *fresh = fa__storage_over(d, b, s->bytes);
    if (!fresh || !begin(s)) {
        fa__unref(fresh);
        return false;
    }
    bool good = move_to(s, fresh, &compact_op);
    __atomic_store_n(&s->away, 0, __ATOMIC_SEQ_CST);
    if (good)
        fa__cache_count_moved(&d->cache, s->bytes);
    return good;
}

static bool empty_run(fa__device *d, const fa__room_run *r)
{
    places p;
    size_t moved = 0;
    bool good = find_places(&p, &d->cache, r, fa__queue_of(d));
    for (; good && moved < r->count; moved++)
        good = relocate(r->storage[moved], d, p.block[moved]);
    give_back(&p, moved, &d->cache);
    return good;
}

enum { TRIES = 8 /* runs that are tried */ };

static bool compact(fa__device *d, size_t bytes)
{
    bool good = false;
    size_t above = 0;
    for (int i = 0; i < TRIES && !good && !fa__failed(); i++) {
        fa__room_run r;
        if (!fa__cache_find_run(&d->cache, bytes, FA__RUN_FEWEST_BYTES, above, &r))
            return false;
        above = r.live;
        good = empty_run(d, &r);
        fa__run_drop(&r);
    }
    return good;
}

/* ---- to the host's memory, and back ---- */
static fa__storage *host_storage(size_t bytes)
{
    fa__block *b = fa__cache_take(&fa__cpu_device.cache, bytes, NULL);
    return b ? fa__storage_over(&fa__cpu_device, b, bytes) : NULL;
}

static bool spill_one(fa__storage *s)
{
    fa__cache *c = &s->device->cache;
    if (!fa__cache_may_spill(c, s->bytes) || !begin(s))
        return false;
    bool good = move_to(s, host_storage(s->bytes), &spill_op);
    if (good)
        fa__cache_count_spilled(c, (int64_t)s->bytes);
    else
        __atomic_store_n(&s->away, 0, __ATOMIC_SEQ_CST);
    return good;
}

static bool spill(fa__device *d, size_t bytes)
{
    fa__room_run r;
    if (!fa__cache_find_run(&d->cache, bytes, FA__RUN_OLDEST, 0, &r))
        return false;
    bool good = true;
    for (size_t i = 0; i < r.count && good; i++)
        good = spill_one(r.storage[i]);
    fa__run_drop(&r);
    return good;
}

/* Its bytes belong to a storage of the host while they are copied. */
static bool bring_back(fa__storage *s)
{
    fa__storage *fresh = fa__storage_new(s->device, s->bytes, fa__queue_of(s->device));
    fa__storage *host = fresh ? fa__storage_over(&fa__cpu_device, NULL, s->bytes) : NULL;
    bool good = false;
    if (host) {
        fa__storage_exchange(s, host);
        good = fa__move_held_bytes(&spill_op, fresh, 0, host, 0, s->bytes, false);
        if (good)
            fa__block_sign_as(fresh->block, host->block);
        fa__storage_exchange(s, good ? fresh : host);
    }
    fa__unref(fresh);
    fa__unref(host);
    return good;
}

static bool come_back(fa__storage *s)
{
    FA_UNRECORDED;
    bool good = bring_back(s);
    if (good) {
        fa__cache_count_spilled(&s->device->cache, -(int64_t)s->bytes);
        __atomic_store_n(&s->away, 0, __ATOMIC_SEQ_CST);
    }
    return good;
}

/* ---- entries ---- */
static bool make(fa__device *d, size_t bytes)
{
    return !fa__failed() && (compact(d, bytes) || (d->cache.spill && spill(d, bytes)));
}

const fa__room_mover fa__room_moves = {make, come_back};
