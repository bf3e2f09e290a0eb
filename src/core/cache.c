/* The caching allocator: segments, splitting and merging of blocks. The best free block is found in bins.c, segments
 * grow in cache_grow.c, statistics are in cache_stats.c. */
#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/mark.h"
#include "base/small.h"
#include "core/bins.h"
#include "core/root.h"
#include <string.h>

#define MIB ((size_t)1 << 20)

/* Requests up to `most` bytes are served from segments of `segment` bytes, larger ones from segments of a multiple of
 * `step`, which are smaller where a segment costs little. A block is split if more than `rest` bytes would be left
 * over. */
static const size_t small_most = MIB, small_segment = 2 * MIB, large_rest = MIB;
typedef struct sizes {
    size_t middle_most, middle_segment, large_step;
} sizes;
static const sizes on_host = {5 * MIB, 10 * MIB, MIB}, on_device = {10 * MIB, 20 * MIB, 2 * MIB};

static fa__block nothing; /* a block of size 0 */

/* ---- free blocks ---- */
/* A block that asynchronous work still uses is not marked until that work is complete. */
static void mark_unused(fa__cache *c, fa__block *b)
{
    if (c->source.host && !b->uses)
        fa__mark_free(b->memory, b->size);
}

void fa__free_put(fa__cache *c, fa__block *b)
{
    b->free = true;
    c->used_late += b->uses > 0;
    fa__bins_put(c->bins, b);
}

void fa__free_remove(fa__cache *c, fa__block *b)
{
    b->free = false;
    c->used_late -= b->uses > 0;
    fa__bins_remove(c->bins, b);
}

/* True if two blocks can be merged: no work uses them, or only work of the same queue. */
static bool merges(const fa__block *a, const fa__block *b)
{
    return b && b->free && a->uses == b->uses && (a->uses == 0 || (a->uses == 1 && a->use[0].queue == b->use[0].queue));
}

/* Merges b, which is in no list, with the adjacent free block `other`. */
static void absorb(fa__cache *c, fa__block *b, fa__block *other)
{
    fa__free_remove(c, other);
    if (other == c->bins->end[b->small])
        c->bins->end[b->small] = b;
    if (other == b->after) {
        b->after = other->after;
        if (b->after)
            b->after->before = b;
    } else {
        b->memory = other->memory;
        b->before = other->before;
        if (b->before)
            b->before->after = b;
    }
    b->size += other->size;
    if (b->uses && other->use[0].ticket > b->use[0].ticket)
        b->use[0].ticket = other->use[0].ticket;
    fa__small_free(other, sizeof *other);
}

static void put_merged(fa__cache *c, fa__block *b)
{
    if (b->after && merges(b, b->after))
        absorb(c, b, b->after);
    if (b->before && merges(b, b->before))
        absorb(c, b, b->before);
    fa__free_put(c, b);
}

/* Splits b, which is in no list, to `size`; the rest becomes a free block. False if there is no memory for its
 * descriptor. */
static bool split(fa__cache *c, fa__block *b, size_t size)
{
    size_t rest = b->size - size;
    if (b->small ? rest == 0 : rest <= large_rest)
        return true;
    fa__block *r = fa__small_alloc(sizeof *r);
    if (!r)
        return false;
    r->memory = b->memory + size;
    r->size = rest;
    r->before = b;
    r->after = b->after;
    r->small = b->small;
    r->uses = b->uses;
    for (int i = 0; i < b->uses; i++)
        r->use[i] = b->use[i];
    if (r->after)
        r->after->before = r;
    b->after = r;
    b->size = size;
    if (c->bins->end[b->small] == b)
        c->bins->end[b->small] = r;
    put_merged(c, r);
    return true;
}

/* Removes all blocks used by asynchronous work from the lists, as a chain, and drops the work that is complete. */
static fa__block *take_out_late(fa__cache *c)
{
    fa__block *chain = NULL;
    int list = 0;
    for (fa__block *b, *next; c->used_late && (b = fa__bins_from(c->bins, &list)); list++)
        for (; b; b = next) {
            next = b->next;
            if (!b->uses)
                continue;
            fa__free_remove(c, b);
            fa__block_settle(b);
            mark_unused(c, b);
            b->next = chain;
            chain = b;
        }
    return chain;
}

/* Merges blocks that could not be merged while work used them. */
static void settle(fa__cache *c)
{
    for (fa__block *b = take_out_late(c), *next; b; b = next) {
        next = b->next;
        put_merged(c, b);
    }
}

/* A free block for the queue, from a small or a large segment; none if pools are disabled. */
static fa__block *cached(fa__cache *c, size_t size, bool small, const fa__queue *queue)
{
    if (c->direct)
        return NULL;
    fa__block *b = fa__bins_best(c->bins, size, small, queue);
    if (!b && c->used_late) {
        settle(c);
        b = fa__bins_best(c->bins, size, small, queue);
    }
    if (b)
        fa__free_remove(c, b);
    return b;
}

/* ---- segments ---- */
bool fa__cache_is_beyond(const fa__cache *c, size_t size)
{
    return c->limit && (size > c->limit || c->stats.segments.current > c->limit - size);
}

static void release_segment(fa__cache *c, fa__block *b)
{
    c->stats.segments.current -= b->size;
    if (c->bins->end[b->small] == b)
        c->bins->end[b->small] = NULL;
    if (c->source.host)
        fa__mark_used(b->memory, b->size);
    c->source.release(c->source.context, b->memory, b->size);
    fa__small_free(b, sizeof *b);
}

/* All of a segment that is free, or the parts of it that the source takes back. */
static void release_free(fa__cache *c, fa__block *b)
{
    const fa__cache_growth *g = c->bins->growth;
    void *memory = b->memory;
    size_t size = g ? g->part(c->source.context, &memory, b->size) : 0;
    if (size)
        fa__block_cut(c, b, memory, size);
    else if (!b->before && !b->after)
        release_segment(c, b);
    else
        fa__free_put(c, b);
}

static void trim(fa__cache *c)
{
    settle(c);
    fa__block *chain = NULL;
    int list = 0;
    for (fa__block *b, *next; (b = fa__bins_from(c->bins, &list)); list++)
        for (; b; b = next) {
            next = b->next;
            if (b->uses || ((b->before || b->after) && !c->bins->growth))
                continue;
            fa__free_remove(c, b);
            b->next = chain;
            chain = b;
        }
    for (fa__block *b = chain; b; b = chain) {
        chain = b->next;
        release_free(c, b);
    }
}

void fa__cache_trim(fa__cache *c)
{
    pthread_mutex_lock(&c->lock);
    if (c->bins)
        trim(c);
    pthread_mutex_unlock(&c->lock);
}

static void *ask(fa__cache *c, size_t size)
{
    return fa__cache_is_beyond(c, size) ? NULL : c->source.allocate(c->source.context, size);
}

/* Waits for pending work, after which the free blocks that it uses are available. */
static void finish(fa__cache *c)
{
    int64_t start = fa__clock_ns();
    c->source.finish(c->source.context);
    if (c->source.waited)
        c->source.waited(c->source.context, fa__clock_ns() - start);
}

/* Releases what is free; a private cache keeps what it has. */
static void empty(fa__cache *c)
{
    if (c->parent)
        return;
    c->stats.retries++;
    settle(c);
    if (c->used_late && c->source.finish)
        finish(c);
    trim(c);
}

static void no_memory(fa__cache *c, size_t requested)
{
    c->stats.failures++;
    c->lacking = requested;
    if (fa__failed()) /* the first error stays as it is */
        return;
    size_t reserved = c->stats.segments.current, allocated = c->stats.active.current;
    fa__fail(FA_ERROR_MEMORY,
             "out of memory on %s: %zu bytes were asked for; allocated %zu, reserved %zu, free %zu of these, largest "
             "free block %zu, limit %zu (0: none)",
             c->source.name ? c->source.name : "the device", requested, allocated, reserved,
             reserved > allocated ? reserved - allocated : 0, fa__largest_free(c), c->limit);
    if (c->spill)
        fa_error_append("; spilled to the host %zu of at most %zu", c->stats.spilled.current, c->spill);
    fa__cache_append_largest(c);
    fa__root_out_of_memory(allocated);
}

/* A block of at least `size` bytes, by a segment that grows or else one of `bytes`, for which `fresh` is used. */
static fa__block *segment(fa__cache *c, fa__block *fresh, size_t size, size_t bytes, const fa__queue *queue)
{
    bool small = size <= small_most;
    fa__block *b = c->bins->growth && !c->direct ? fa__block_grow(c, fresh, bytes, small, queue) : NULL;
    void *memory = b ? NULL : ask(c, bytes);
    if (!memory)
        return b;
    *fresh = (fa__block){.memory = memory, .size = bytes, .small = small};
    fa__count_up(&c->stats.segments, bytes);
    if (c->source.host)
        fa__mark_free(memory, bytes);
    return fresh;
}

/* The same; on failure, empties the cache and tries again, and then with no more bytes than are needed. */
static fa__block *segment_twice(fa__cache *c, fa__block *fresh, size_t size, size_t bytes, const fa__queue *queue)
{
    fa__block *b = segment(c, fresh, size, bytes, queue);
    if (!b && !c->parent) {
        empty(c);
        b = segment(c, fresh, size, bytes, queue);
    }
    return b || bytes == size ? b : segment(c, fresh, size, size, queue);
}

/* A new segment; or, if the device is out of memory, a free block that became available in the meantime, even a large
 * one. Sets `full` if there is none. */
static fa__block *new_segment(fa__cache *c, size_t size, const fa__queue *queue, bool *full)
{
    const sizes *s = c->source.host ? &on_host : &on_device;
    size_t most = size <= small_most      ? small_segment
                  : size < s->middle_most ? s->middle_segment
                                          : (size + s->large_step - 1) / s->large_step * s->large_step;
    fa__block *fresh = fa__small_alloc(sizeof *fresh);
    if (!fresh)
        return NULL;
    fa__block *b = segment_twice(c, fresh, size, c->direct ? size : most, queue);
    if (b != fresh)
        fa__small_free(fresh, sizeof *fresh);
    if (b)
        return b;
    b = cached(c, size, size <= small_most, queue);
    if (!b && size <= small_most)
        b = cached(c, small_most, false, queue);
    *full = !b;
    return b;
}

/* ---- allocating and freeing ---- */
static bool has_bins(fa__cache *c)
{
    return c->bins || (c->bins = fa__calloc(1, sizeof *c->bins));
}

/* The list of blocks in use. */
static void put_live(fa__cache *c, fa__block *b)
{
    b->previous = NULL;
    b->next = c->live;
    if (c->live)
        c->live->previous = b;
    c->live = b;
}

static void remove_live(fa__cache *c, const fa__block *b)
{
    *(b->previous ? &b->previous->next : &c->live) = b->next;
    if (b->next)
        b->next->previous = b->previous;
}

/* Makes a block that is in no list one in use, of `size` bytes. */
static fa__block *use(fa__cache *c, fa__block *b, size_t size, size_t requested, fa__queue *queue)
{
    if (b->uses) { /* complete work is dropped before the block is split, so that the rest does not wait for it */
        fa__block_settle(b);
        mark_unused(c, b);
    }
    if (!split(c, b, b->small || size > small_most ? size : small_most)) {
        put_merged(c, b);
        return NULL;
    }
    b->requested = requested;
    b->cache = c;
    fa__block_set_owner(b, NULL);
    b->made_by = NULL;
    put_live(c, b);
    fa__count_taken(c, b->size, requested);
    if (c->source.host)
        fa__mark_used(b->memory, requested);
    if (c->source.taken)
        c->source.taken(c->source.context, b, queue);
    return b;
}

/* NULL and an error if it fails; without an error, and with `full`, if there is no memory on the device. */
static fa__block *take(fa__cache *c, size_t size, size_t requested, fa__queue *queue, bool *full)
{
    if (!has_bins(c))
        return NULL;
    if (c->direct)
        trim(c);
    fa__block *b = cached(c, size, size <= small_most, queue);
    if (!b)
        b = new_segment(c, size, queue, full);
    return b ? use(c, b, size, requested, queue) : NULL;
}

static inline size_t rounded(size_t requested)
{
    return (requested + FA__BLOCK_STEP - 1) / FA__BLOCK_STEP * FA__BLOCK_STEP;
}

fa__block *fa__cache_take_or(fa__cache *c, size_t requested, struct fa__queue *queue, fa__room_maker *make,
                             void *context)
{
    if (!requested)
        return &nothing;
    bool possible = requested <= PTRDIFF_MAX - on_device.large_step && !fa__inject_now(requested), full = !possible;
    size_t size = possible ? rounded(requested) : 0;
    fa__block *b = NULL;
    while (possible) {
        full = false;
        pthread_mutex_lock(&c->lock);
        b = take(c, size, requested, queue, &full);
        pthread_mutex_unlock(&c->lock);
        if (FA__LIKELY(!full) || !make || !make(context, size))
            break;
    }
    if (FA__UNLIKELY(full)) {
        pthread_mutex_lock(&c->lock);
        no_memory(c, requested);
        pthread_mutex_unlock(&c->lock);
    }
    return b;
}

fa__block *fa__cache_take(fa__cache *c, size_t requested, struct fa__queue *queue)
{
    return fa__cache_take_or(c, requested, queue, NULL, NULL);
}

fa__block *fa__cache_take_free(fa__cache *c, size_t requested, struct fa__queue *queue)
{
    size_t size = rounded(requested);
    pthread_mutex_lock(&c->lock);
    fa__block *b = c->bins ? cached(c, size, size <= small_most, queue) : NULL;
    if (b)
        b = use(c, b, size, requested, queue);
    pthread_mutex_unlock(&c->lock);
    return b;
}

void *fa__block_memory(const fa__block *b)
{
    return b->memory;
}

size_t fa__block_size(const fa__block *b)
{
    return b->size;
}

fa__cache *fa__block_cache(const fa__block *b)
{
    return b->cache;
}

void fa__block_set_owner(fa__block *b, struct fa__storage *owner)
{
    __atomic_store_n(&b->owner, owner, __ATOMIC_RELEASE);
}

int fa__block_work(const fa__block *b, struct fa__sync_point *work)
{
    for (int i = 0; i < b->uses; i++)
        work[i] = b->use[i];
    return b->uses;
}

void fa__cache_give_after(fa__cache *c, fa__block *b, const struct fa__sync_point *work, int count)
{
    if (!b || b == &nothing)
        return;
    pthread_mutex_lock(&c->lock);
    fa__count_given(c, b->size, b->requested);
    remove_live(c, b);
    for (int i = 0; i < count; i++)
        fa__block_use(b, work[i]);
    fa__block_settle(b);
    if (c->source.given)
        c->source.given(c->source.context, b);
    mark_unused(c, b);
    if (c->direct && !b->uses)
        release_segment(c, b);
    else
        put_merged(c, b);
    bool over = c->abandoned && !c->live;
    pthread_mutex_unlock(&c->lock);
    if (FA__UNLIKELY(over))
        fa__cache_dispose(c);
}

void fa__cache_give(fa__cache *c, fa__block *b, struct fa__queue *queue, uint64_t ticket)
{
    fa__sync_point work = {queue, ticket};
    fa__cache_give_after(c, b, &work, queue ? 1 : 0);
}

/* ---- segments of private caches ---- */
void *fa__cache_lend(fa__cache *c, size_t size)
{
    pthread_mutex_lock(&c->lock);
    void *memory = has_bins(c) ? ask(c, size) : NULL;
    if (!memory && c->bins) {
        empty(c);
        memory = ask(c, size);
    }
    if (memory) {
        fa__count_up(&c->stats.segments, size);
        fa__count_taken(c, size, size);
    }
    pthread_mutex_unlock(&c->lock);
    return memory;
}

void fa__cache_take_back(fa__cache *c, void *memory, size_t size)
{
    pthread_mutex_lock(&c->lock);
    c->stats.segments.current -= size;
    fa__count_given(c, size, size);
    c->source.release(c->source.context, memory, size);
    pthread_mutex_unlock(&c->lock);
}

/* ---- the cache ---- */
void fa__cache_init(fa__cache *c, fa__cache_source source)
{
    *c = (fa__cache){.source = source, .direct = fa__pools_off()};
    pthread_mutex_init(&c->lock, NULL);
}

bool fa__cache_grows(fa__cache *c, const fa__cache_growth *growth)
{
    pthread_mutex_lock(&c->lock);
    bool good = has_bins(c);
    if (good)
        c->bins->growth = growth;
    pthread_mutex_unlock(&c->lock);
    return good;
}

void fa__cache_destroy(fa__cache *c)
{
    fa__cache_trim(c);
    if (c->stats.segments.current)
        return;
    fa__free(c->bins);
    c->bins = NULL;
}
