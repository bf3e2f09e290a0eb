/* A range of addresses into which a driver maps memory in pieces, each behind the last one: which of it is mapped. */
#ifndef FA__BACKEND_GPU_RANGE_H
#define FA__BACKEND_GPU_RANGE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct fa__gpu_range {
    struct fa__gpu_range *next;
    uintptr_t begin;
    size_t granule;    /* bytes, of which sizes and addresses are multiples */
    size_t count, top; /* granules: of the range, and up to the end of the last piece */
    bool small;        /* for small blocks */
    bool stuck;        /* a piece could not be unmapped, so that the range grows no more */
    uint8_t piece[];   /* granules of the piece that begins with this one; 0: none does */
} fa__gpu_range;

static inline uintptr_t fa__gpu_range_at(const fa__gpu_range *r, size_t granule)
{
    return r->begin + granule * r->granule;
}

/* Of a list: the range that has this address; NULL: none has. */
fa__gpu_range *fa__gpu_range_of(fa__gpu_range *first, const void *memory);
/* Of a list: one with room for so many granules behind its last piece: where `end` is, if that is not NULL. */
fa__gpu_range *fa__gpu_range_with_room(fa__gpu_range *first, bool small, const void *end, size_t count);
void fa__gpu_range_add(fa__gpu_range *, size_t granules);
/* The piece that begins there is not mapped any more. Returns its granules. */
size_t fa__gpu_range_remove(fa__gpu_range *, size_t granule);
/* The pieces within these bytes, all of which are mapped: writes where they begin, returns their bytes. */
size_t fa__gpu_range_part(const fa__gpu_range *, void **memory, size_t size);
#endif
