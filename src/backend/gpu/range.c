/* Ranges of addresses: the pieces of memory that are mapped into them. */
#include "backend/gpu/range.h"

fa__gpu_range *fa__gpu_range_of(fa__gpu_range *r, const void *memory)
{
    while (r && ((uintptr_t)memory < r->begin || (uintptr_t)memory >= fa__gpu_range_at(r, r->count)))
        r = r->next;
    return r;
}

fa__gpu_range *fa__gpu_range_with_room(fa__gpu_range *r, bool small, const void *end, size_t count)
{
    while (r
           && (r->stuck || r->small != small || r->count - r->top < count
               || (end && (uintptr_t)end != fa__gpu_range_at(r, r->top))))
        r = r->next;
    return r;
}

void fa__gpu_range_add(fa__gpu_range *r, size_t granules)
{
    r->piece[r->top] = (uint8_t)granules;
    r->top += granules;
}

size_t fa__gpu_range_remove(fa__gpu_range *r, size_t granule)
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

size_t fa__gpu_range_part(const fa__gpu_range *r, void **memory, size_t size)
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
