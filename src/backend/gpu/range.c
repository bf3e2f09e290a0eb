/* Memory that grows: ranges of addresses, and the pieces of memory that are mapped into them. */
#include "backend/gpu/range.h"
#include "backend/gpu/queue.h"
#include "base/alloc.h"
#include <string.h>

enum { PIECE = 10 /* granules of a piece, at most */ };

typedef fa__gpu_range range;

/* ---- which of a range is mapped ---- */
/* The range that has this address; NULL: none has. */
static range *range_of(range *r, const void *memory)
{
    while (r && ((uintptr_t)memory < r->begin || (uintptr_t)memory >= fa__gpu_range_at(r, r->count)))
        r = r->next;
    return r;
}

/* One with room for so many granules behind its last piece: where `end` is, if that is not NULL. */
static range *range_with_room(range *r, bool small, const void *end, size_t count)
{
    while (r
           && (r->stuck || r->small != small || r->count - r->top < count
               || (end && (uintptr_t)end != fa__gpu_range_at(r, r->top))))
        r = r->next;
    return r;
}

static void note_piece(range *r, size_t granules)
{
    r->piece[r->top] = (uint8_t)granules;
    r->top += granules;
}

/* The piece that begins there is not mapped any more. Returns its granules. */
static size_t forget_piece(range *r, size_t granule)
{
    size_t count = r->piece[granule];
    r->piece[granule] = 0;
    if (granule + count < r->top)
        return count;
    r->top = granule;
    while (r->top && !r->piece[r->top - 1])
        r->top--;
    if (r->top)
        r->top += r->piece[r->top - 1] - (size_t)1;
    return count;
}

/* The pieces within these bytes, all of which are mapped: writes where they begin, returns their bytes. */
static size_t part_of(const range *r, void **memory, size_t size)
{
    uintptr_t begin = (uintptr_t)*memory - r->begin, end = (begin + size) / r->granule;
    size_t from = (begin + r->granule - 1) / r->granule;
    while (from < end && !r->piece[from])
        from++;
    size_t to = from;
    while (to < end && to + r->piece[to] <= end)
        to += r->piece[to];
    *memory = (void *)fa__gpu_range_at(r, from);
    return (to - from) * r->granule;
}

/* ---- mapping ---- */
static void *address(const range *r, size_t granule)
{
    return (void *)fa__gpu_range_at(r, granule);
}

static range *range_new(fa__device *d, bool small, size_t least)
{
    fa__gpu_ranges *all = &fa__gpu_own(d)->ranges;
    size_t count = all->size / all->granule > least ? all->size / all->granule : least;
    size_t bytes = sizeof(range) + count;
    range *r = fa__inject_now(bytes) ? NULL : fa__raw(sizeof(void *), bytes);
    void *begin = r ? fa__gpu_own(d)->driver->reserve(d, count * all->granule) : NULL;
    if (!begin) {
        fa__aligned_free(r);
        return NULL;
    }
    memset(r, 0, bytes);
    *r = (range){all->first, .begin = (uintptr_t)begin, .granule = all->granule, .count = count, .small = small};
    return all->first = r;
}

static void remove_pieces(fa__device *d, range *r, size_t from, size_t to)
{
    while (from < to) {
        void *begin = address(r, from);
        size_t count = forget_piece(r, from);
        r->stuck |= !fa__gpu_own(d)->driver->unmap(d, begin, count * r->granule);
        from += count;
    }
}

static bool add_pieces(fa__device *d, range *r, size_t count)
{
    const size_t from = r->top, end = from + count;
    while (r->top < end) {
        const size_t piece = end - r->top < PIECE ? end - r->top : PIECE;
        if (!fa__gpu_own(d)->driver->map(d, address(r, r->top), piece * r->granule)) {
            remove_pieces(d, r, from, r->top);
            return false;
        }
        note_piece(r, piece);
    }
    return true;
}

void *fa__gpu_ranges_extend(fa__device *d, bool small, void *end, size_t size)
{
    fa__gpu_ranges *all = &fa__gpu_own(d)->ranges;
    pthread_mutex_lock(&all->lock);
    bool possible = all->granule && size % all->granule == 0;
    size_t count = possible ? size / all->granule : 0;
    range *r = possible ? range_with_room(all->first, small, end, count) : NULL;
    if (possible && !r && !end)
        r = range_new(d, small, count);
    void *begin = r ? address(r, r->top) : NULL;
    bool good = r && add_pieces(d, r, count);
    pthread_mutex_unlock(&all->lock);
    return good ? begin : NULL;
}

size_t fa__gpu_ranges_part(fa__device *d, void **memory, size_t size)
{
    fa__gpu_ranges *all = &fa__gpu_own(d)->ranges;
    pthread_mutex_lock(&all->lock);
    const range *r = range_of(all->first, *memory);
    size_t bytes = r ? part_of(r, memory, size) : 0;
    pthread_mutex_unlock(&all->lock);
    return bytes;
}

bool fa__gpu_ranges_release(fa__device *d, void *memory, size_t size)
{
    fa__gpu_ranges *all = &fa__gpu_own(d)->ranges;
    pthread_mutex_lock(&all->lock);
    range *r = range_of(all->first, memory);
    size_t from = r ? ((uintptr_t)memory - r->begin) / r->granule : 0;
    if (r)
        remove_pieces(d, r, from, from + size / r->granule);
    pthread_mutex_unlock(&all->lock);
    return r != NULL;
}
