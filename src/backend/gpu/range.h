/* Memory that grows: ranges of addresses, into which a driver maps memory in pieces, each behind the last one. Any
 * piece can be given back; only those at the end leave addresses that are used again. What fails is no error: memory is
 * allocated instead. */
#ifndef FA__BACKEND_GPU_RANGE_H
#define FA__BACKEND_GPU_RANGE_H
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fa__device;

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

typedef struct fa__gpu_ranges {
    pthread_mutex_t lock;
    fa__gpu_range *first;
    size_t granule; /* of all; 0: memory does not grow */
    size_t size;    /* bytes of a range, at least */
} fa__gpu_ranges;

/* For the device's cache, as fa__cache_growth has them. */
void *fa__gpu_ranges_extend(struct fa__device *, bool small, void *end, size_t size);
size_t fa__gpu_ranges_part(struct fa__device *, void **memory, size_t size);
/* Gives memory back. False: it is none that grows. */
bool fa__gpu_ranges_release(struct fa__device *, void *memory, size_t size);
#endif
