/* Host memory allocation, from the C library or the host program's allocator: sets errors, checks sizes, and can
 * inject failures for tests. */
#ifndef FA__BASE_ALLOC_H
#define FA__BASE_ALLOC_H
#include "base/types.h"
#include <facula/host.h>
#include <stdatomic.h>

/* These functions return NULL and set FA_ERROR_MEMORY, with the size, if memory runs out. Memory is aligned to 16
 * bytes. For size 0 they return a unique pointer. */
void *fa__malloc(size_t size) __attribute__((__malloc__));
void *fa__calloc(size_t count, size_t size) __attribute__((__malloc__)); /* an overflow counts as out of memory */
void *fa__realloc(void *memory, size_t size);                            /* on failure, memory is unchanged */
void fa__free(void *memory);                                             /* NULL is allowed; preserves errno */

/* The same with a larger alignment, which is a power of two. */
void *fa__aligned(size_t alignment, size_t size) __attribute__((__malloc__));
void fa__aligned_free(void *memory);

/* The same without setting an error and without injected failures: used by the functions above, and by pools that
 * have called fa__inject_now themselves. Freed with fa__aligned_free. */
void *fa__raw(size_t alignment, size_t size) __attribute__((__malloc__));

/* Makes the nth allocation of the process from now on (counted from 1) fail, once. 0 disables this; INT64_MAX only
 * counts. */
void fa__inject(int64_t nth);
/* The number of allocations since the last call of fa__inject with a value other than 0. */
int64_t fa__inject_count(void);

extern _Atomic bool fa__inject_on;
bool fa__inject_step(void);

/* Called first by every function that allocates memory: true, once, if this allocation has to fail. Sets no error;
 * the caller does, as for a real failure. */
static inline bool fa__inject_now(size_t size)
{
    (void)size;
    return FA__UNLIKELY(atomic_load_explicit(&fa__inject_on, memory_order_relaxed)) && fa__inject_step();
}

/* True with FACULA_POOL=off in the environment: free lists and caches are bypassed, so that memory checkers see every
 * object. */
bool fa__pools_off(void);

/* *out = a * b; false, without an error, on overflow. out may be the address of an operand. */
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
