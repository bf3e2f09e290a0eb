/* All host memory: from the C library or the embedding program, with errors, checked sizes and injected failures. */
#ifndef FA__BASE_ALLOC_H
#define FA__BASE_ALLOC_H
#include "base/types.h"
#include <facula/host.h>
#include <stdatomic.h>

/* Each returns NULL and raises FA_ERROR_MEMORY with the size when there is none. Memory is aligned to 16 bytes. A size
 * of 0 gives a pointer of its own. */
void *fa__malloc(size_t size) __attribute__((__malloc__));
void *fa__calloc(size_t count, size_t size) __attribute__((__malloc__)); /* an overflow is no memory */
void *fa__realloc(void *memory, size_t size);                            /* on failure, memory stays as it was */
void fa__free(void *memory);                                             /* NULL is fine; errno is kept */

/* The same with a wider alignment, a power of two. */
void *fa__aligned(size_t alignment, size_t size) __attribute__((__malloc__));
void fa__aligned_free(void *memory);

/* The same without raising an error and without injection: for what stands below both, and for pools that have already
 * asked fa__inject_now. Freed with fa__aligned_free. */
void *fa__raw(size_t alignment, size_t size) __attribute__((__malloc__));

/* Makes the nth allocation from now on (process wide, from 1) fail, once; 0 turns it off, INT64_MAX only counts. */
void fa__inject(int64_t nth);
/* How many allocations there were since the last fa__inject that was not 0. */
int64_t fa__inject_count(void);

extern _Atomic bool fa__inject_on;
bool fa__inject_step(void);

/* Stands at the front of whatever hands out memory: true, once, when this is the allocation that has to fail. Raises no
 * error: the caller does that, as for any other failure. */
static inline bool fa__inject_now(size_t size)
{
    (void)size;
    return FA__UNLIKELY(atomic_load_explicit(&fa__inject_on, memory_order_relaxed)) && fa__inject_step();
}

/* FACULA_POOL=off in the environment: free lists and caches are to be gone round, so that tools see every object. */
bool fa__pools_off(void);

/* *out = a * b; false, raising nothing, when it does not fit. out may be an operand. */
static inline bool fa__mul_size(size_t a, size_t b, size_t *out)
{
    return !__builtin_mul_overflow(a, b, out);
}

static inline bool fa__add_size(size_t a, size_t b, size_t *out)
{
    return !__builtin_add_overflow(a, b, out);
}

static inline bool fa__mul_i64(int64_t a, int64_t b, int64_t *out)
{
    return !__builtin_mul_overflow(a, b, out);
}

static inline bool fa__add_i64(int64_t a, int64_t b, int64_t *out)
{
    return !__builtin_add_overflow(a, b, out);
}
#endif
