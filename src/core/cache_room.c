/* Which blocks of a cache could be emptied to make room: runs of neighbours, free or of storages that can be moved. */
#include "base/alloc.h"
#include "core/bins.h"
#include "core/room.h"

#define MIB ((size_t)1 << 20)

/* ---- what can be moved ---- */
static bool is_movable(const fa__block *b)
{
    const fa__storage *s = fa__block_owner(b);
    return s && !s->borrowed && atomic_load(&s->object.references) > 0 && !atomic_load(&s->pins)
           && !__atomic_load_n(&s->holds, __ATOMIC_RELAXED) && !__atomic_load_n(&s->away, __ATOMIC_RELAXED);
}

/* A reference, unless the storage is being freed. */
static bool keep(fa__storage *s)
{
    int32_t n = atomic_load(&s->object.references);
    while (n > 0 && !atomic_compare_exchange_weak(&s->object.references, &n, n + 1))
        ;
    return n > 0;
}

/* ---- runs ---- */
typedef struct span {
    fa__block *first, *last;
    size_t bytes, live, count;
    uint64_t touched;
} span;

/* Adds a block; false if it has to stay where it is. */
static bool add(span *r, fa__block *b)
{
    if (!b->free && !is_movable(b))
        return false;
    r->last = b;
    r->bytes += b->size;
    if (b->free)
        return true;
    uint64_t touched = __atomic_load_n(&fa__block_owner(b)->touched, __ATOMIC_RELAXED);
    r->live += b->size;
    r->count++;
    r->touched = touched > r->touched ? touched : r->touched;
    return true;
}

/* From a block in use, or the free one before it, on: as many neighbours as make up `size` bytes. */
static bool span_from(span *r, fa__block *b, size_t size)
{
    fa__block *first = b->before && b->before->free ? b->before : b;
    *r = (span){.first = first};
    while (first && r->bytes < size && add(r, first))
        first = first->after;
    return r->bytes >= size;
}

/* The whole segment of a block. */
static bool segment_of(span *r, fa__block *b)
{
    while (b->before)
        b = b->before;
    *r = (span){.first = b};
    while (b && add(r, b))
        b = b->after;
    return !b;
}

typedef struct search {
    fa__run_order order;
    size_t above, free;
    span best;
} search;

static bool is_better(const search *s, const span *r)
{
    if (s->order == FA__RUN_OLDEST)
        return !s->best.first || r->touched < s->best.touched;
    bool fits = r->live <= s->free - (r->bytes - r->live);
    return fits && r->live > s->above && (!s->best.first || r->live < s->best.live);
}

/* Small requests are served from large blocks only if these have 1 MiB at least; others never from small segments. */
static void search_spans(search *s, const fa__cache *c, size_t size)
{
    for (fa__block *b = c->live; b; b = b->next) {
        if (b->small && size > MIB)
            continue;
        span r;
        if (span_from(&r, b, b->small || size > MIB ? size : MIB) && is_better(s, &r))
            s->best = r;
    }
}

static void search_segments(search *s, const fa__cache *c)
{
    for (fa__block *b = c->live; b; b = b->next) {
        span r;
        if (segment_of(&r, b) && is_better(s, &r))
            s->best = r;
    }
}

/* ---- lists of storages ---- */
static bool collect(fa__room_run *out, const span *r)
{
    *out = (fa__room_run){.begin = r->first->memory,
                          .end = r->last->memory + r->last->size,
                          .live = r->live,
                          .touched = r->touched,
                          .storage = fa__malloc(r->count * sizeof *out->storage)};
    for (fa__block *b = r->first; out->storage && b != r->last->after; b = b->after)
        if (!b->free && keep(fa__block_owner(b)))
            out->storage[out->count++] = fa__block_owner(b);
    return out->storage != NULL;
}

void fa__run_drop(fa__room_run *r)
{
    for (size_t i = 0; i < r->count; i++)
        fa__unref(r->storage[i]);
    fa__free(r->storage);
}

bool fa__cache_find_run(fa__cache *c, size_t size, fa__run_order order, size_t above, fa__room_run *out)
{
    pthread_mutex_lock(&c->lock);
    search s = {.order = order, .above = above, .free = c->stats.segments.current - c->stats.active.current};
    search_spans(&s, c, size);
    if (!s.best.first)
        search_segments(&s, c);
    bool found = s.best.first && collect(out, &s.best);
    pthread_mutex_unlock(&c->lock);
    return found;
}
