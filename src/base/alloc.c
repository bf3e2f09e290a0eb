/* Host memory. A block from the C library's allocator has no header; a block from the program's own allocator has one
 * before it, with the size and the start of the block. */
#include "base/alloc.h"
#include "base/error.h"
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

typedef struct header {
    size_t size;   /* of the whole block */
    size_t offset; /* from the start of the block to the memory */
} header;

enum { LEAST_ALIGNMENT = 16 };
_Static_assert(sizeof(header) <= LEAST_ALIGNMENT, "a header has to fit in front of the memory");

static fa_allocator custom;    /* allocate is NULL for the C library's allocator; constant after the first allocation */
static _Atomic bool allocated; /* the allocator can no longer be changed */

bool fa_set_allocator(const fa_allocator *allocator)
{
    if (atomic_load(&allocated))
        return fa__fail(FA_ERROR_STATE, "fa_set_allocator: memory has been allocated already; call it first");
    if (allocator && (!allocator->allocate || !allocator->release))
        return fa__fail(FA_ERROR_ARGUMENT, "fa_set_allocator: allocate and release are both needed");
    custom = allocator ? *allocator : (fa_allocator){0};
    return true;
}

static void *custom_allocate(size_t alignment, size_t size)
{
    size_t total;
    if (alignment < LEAST_ALIGNMENT)
        alignment = LEAST_ALIGNMENT;
    if (!fa__add_size(size, alignment, &total))
        return NULL;
    char *block = (char *)custom.allocate(custom.context, total, alignment);
    if (!block)
        return NULL;
    *(header *)(void *)(block + alignment - sizeof(header)) = (header){.size = total, .offset = alignment};
    return block + alignment;
}

static header *header_of(void *memory)
{
    return (header *)memory - 1;
}

static void custom_release(void *memory)
{
    header *h = header_of(memory);
    custom.release(custom.context, (char *)memory - h->offset, h->size);
}

static void *custom_resize(void *memory, size_t size)
{
    void *moved = custom_allocate(LEAST_ALIGNMENT, size);
    if (!moved)
        return NULL;
    size_t old = header_of(memory)->size - header_of(memory)->offset;
    memcpy(moved, memory, old < size ? old : size);
    custom_release(memory);
    return moved;
}

void *fa__raw(size_t alignment, size_t size)
{
    if (!atomic_load_explicit(&allocated, memory_order_relaxed))
        atomic_store(&allocated, true);
    if (!size)
        size = 1;
    if (size > PTRDIFF_MAX)
        return NULL;
    if (custom.allocate)
        return custom_allocate(alignment, size);
    if (alignment <= LEAST_ALIGNMENT)
        return malloc(size);
    void *memory;
    return posix_memalign(&memory, alignment, size) ? NULL : memory;
}

static void *no_memory(size_t size)
{
    fa__fail(FA_ERROR_MEMORY, "out of memory: %zu bytes were asked for", size);
    return NULL;
}

void *fa__aligned(size_t alignment, size_t size)
{
    void *memory = fa__inject_now(size) ? NULL : fa__raw(alignment, size);
    return FA__LIKELY(memory != NULL) ? memory : no_memory(size);
}

void *fa__malloc(size_t size)
{
    return fa__aligned(LEAST_ALIGNMENT, size);
}

/* glibc's calloc() before 2.41 always locks: malloc() has small blocks in lists of the thread. */
enum { SMALL = 512 };

void *fa__calloc(size_t count, size_t size)
{
    size_t total;
    if (!fa__mul_size(count, size, &total)) {
        fa__fail(FA_ERROR_MEMORY, "out of memory: %zu times %zu bytes were asked for", count, size);
        return NULL;
    }
    if (custom.allocate || total <= SMALL || total > PTRDIFF_MAX) {
        void *memory = fa__malloc(total);
        return memory ? memset(memory, 0, total) : NULL;
    }
    if (!atomic_load_explicit(&allocated, memory_order_relaxed))
        atomic_store(&allocated, true);
    void *memory = fa__inject_now(total) ? NULL : calloc(1, total);
    return memory ? memory : no_memory(total);
}

void *fa__realloc(void *memory, size_t size)
{
    if (!memory)
        return fa__malloc(size);
    if (!size)
        size = 1;
    void *moved = NULL;
    if (!fa__inject_now(size) && size <= PTRDIFF_MAX)
        moved = custom.allocate ? custom_resize(memory, size) : realloc(memory, size);
    return moved ? moved : no_memory(size);
}

void fa__free(void *memory)
{
    if (!memory)
        return;
    int kept = errno;
    if (custom.allocate)
        custom_release(memory);
    else
        free(memory);
    errno = kept;
}

void fa__aligned_free(void *memory)
{
    fa__free(memory);
}

_Atomic bool fa__inject_on;
static _Atomic int64_t inject_seen, inject_at;

void fa__inject(int64_t nth)
{
    atomic_store(&fa__inject_on, false);
    if (nth > 0) {
        atomic_store(&inject_seen, 0);
        atomic_store(&inject_at, nth);
        atomic_store(&fa__inject_on, true);
    }
}

bool fa__inject_step(void)
{
    return atomic_fetch_add(&inject_seen, 1) + 1 == atomic_load(&inject_at);
}

int64_t fa__inject_count(void)
{
    return atomic_load(&inject_seen);
}

static bool pools_off;
static pthread_once_t pools_once = PTHREAD_ONCE_INIT;

static void read_pools(void)
{
    const char *value = getenv("FACULA_POOL");
    pools_off = value && strcmp(value, "off") == 0;
}

bool fa__pools_off(void)
{
    pthread_once(&pools_once, read_pools);
    return pools_off;
}
