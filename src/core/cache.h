/* The caching allocator of a device: best fit with splitting and merging over segments that the device gives. Freed
 * blocks stay here until fa_empty_cache or until the device has no more; then the cache is freed and the device asked
 * again before the allocation fails. Any thread may call any function here. */
#ifndef FA__CORE_CACHE_H
#define FA__CORE_CACHE_H
#include "base/types.h"
#include <facula/device.h>
#include <pthread.h>

struct fa__queue;
struct fa__sync_point;

typedef struct fa__block fa__block;

/* Where segments come from. The functions must not use the cache. */
typedef struct fa__cache_source {
    void *(*allocate)(void *context, size_t size); /* NULL: the device has none left; sets no error */
    void (*release)(void *context, void *memory, size_t size);
    void (*finish)(void *context);             /* waits for all work of the device; NULL: there is none that is late */
    void (*waited)(void *context, int64_t ns); /* the cache had to, for so long; NULL: nobody counts */
    /* Called for each block that is handed out or comes back, with the work that may still use it; they may add to that
     * work. NULL: nobody wants to know. */
    void (*taken)(void *context, fa__block *, struct fa__queue *queue);
    void (*given)(void *context, fa__block *);
    void *context;
    const char *name; /* "late:0", for messages; lives as long as the cache */
    bool host;        /* the host may touch the memory: sanitizers are told which bytes are in use */
} fa__cache_source;

typedef struct fa__cache {
    fa__cache_source source;
    pthread_mutex_t lock;
    struct fa__bins *bins; /* free blocks by size; NULL before the first block */
    size_t used_late;      /* free blocks that work may still use */
    size_t limit;          /* of reserved bytes; 0: none */
    bool direct;           /* FACULA_POOL=off: each block is an allocation of the source */
    fa_memory stats;
} fa__cache;

/* Allocates nothing. */
void fa__cache_init(fa__cache *, fa__cache_source source);
/* Returns what is free. Blocks that are still in use stay what they are and may be given back; the cache stays usable.
 */
void fa__cache_destroy(fa__cache *);

/* Memory of at least `requested` bytes, 64-byte aligned, that work on `queue` (NULL: the host) may use at once. NULL
 * and FA_ERROR_MEMORY, which tells requested, allocated, reserved and the largest free block, when there is none. A
 * size of 0 gives a block without memory. */
fa__block *fa__cache_take(fa__cache *, size_t requested, struct fa__queue *queue);
void *fa__block_memory(const fa__block *);
/* Bytes that the block has, `size` of fa__cache_take rounded up. */
size_t fa__block_size(const fa__block *);

/* The work that may still use a block that was taken, all of it of the queue that it was taken for: what comes before
 * it in another queue or on the host has to wait for that. Writes at most FA__BLOCK_USES; returns how many. */
int fa__block_work(const fa__block *, struct fa__sync_point *work);

/* Gives a block back; NULL is nothing. `queue` and `ticket` name the last work that uses it (NULL: none): the same
 * queue may have it at once, another one and the host when that is done. The queue has to live as long as the cache. */
void fa__cache_give(fa__cache *, fa__block *, struct fa__queue *queue, uint64_t ticket);
/* The same when work of several queues may still use it, fewer of them than FA__BLOCK_USES. */
void fa__cache_give_after(fa__cache *, fa__block *, const struct fa__sync_point *work, int count);
enum { FA__BLOCK_USES = 6 };

/* Counts memory that is not there: bytes of a shapes-only device, or (negative) bytes that are gone. */
void fa__cache_count(fa__cache *, int64_t bytes);

/* Returns the segments that nobody uses to the device. */
void fa__cache_trim(fa__cache *);
void fa__cache_set_limit(fa__cache *, size_t bytes);
fa_memory fa__cache_stats(fa__cache *);
void fa__cache_reset_peak(fa__cache *);
#endif
