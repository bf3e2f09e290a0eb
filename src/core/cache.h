/* The caching allocator of a device: best fit with splitting and merging of blocks, in segments that the device
 * provides. Freed blocks stay here until fa_empty_cache, or until the device is out of memory; then the cache is
 * emptied and the allocation tried again before it fails. All functions may be called from any thread. */
#ifndef FA__CORE_CACHE_H
#define FA__CORE_CACHE_H
#include "base/types.h"
#include <facula/device.h>
#include <pthread.h>
#include <stdio.h>

struct fa__device;
struct fa_tensor;
struct fa__queue;
struct fa__storage;
struct fa__sync_point;

typedef struct fa__block fa__block;

/* The source of segments. The functions must not use the cache. */
typedef struct fa__cache_source {
    void *(*allocate)(void *context, size_t size); /* returns NULL if memory runs out; sets no error */
    void (*release)(void *context, void *memory, size_t size);
    void (*finish)(void *context); /* waits for all work of the device; NULL: its work is never asynchronous */
    void (*waited)(void *context,
                   int64_t ns); /* called after the cache had to wait, with the time; NULL: not counted */
    /* Called for each block that is allocated or freed, with the work that may still use it; they may add to that
     * work. May be NULL. */
    void (*taken)(void *context, fa__block *, struct fa__queue *queue);
    void (*given)(void *context, fa__block *);
    void *context;
    const char *name; /* name such as "late:0", for messages; lives as long as the cache */
    bool host;        /* the host can access the memory: sanitizers are informed which bytes are in use */
} fa__cache_source;

typedef struct fa__cache {
    fa__cache_source source;
    pthread_mutex_t lock;
    struct fa__bins *bins;    /* free blocks by size; NULL before the first block */
    size_t used_late;         /* bytes in free blocks that work may still use */
    size_t limit;             /* limit of reserved bytes; 0: none */
    size_t lacking;           /* the last request that failed, in bytes */
    size_t spill;             /* bytes of its storages that may be in the host's memory */
    bool direct;              /* FACULA_POOL=off: each block is an allocation of the source */
    struct fa__cache *parent; /* of a private cache: its segments are blocks of this one; NULL: it is a device's */
    fa__block *live;          /* its blocks in use, the newest first */
    bool abandoned;           /* a private cache is freed with its last block */
    fa_memory stats;
} fa__cache;

/* Does not allocate memory. */
void fa__cache_init(fa__cache *, fa__cache_source source);
/* Releases free memory. Blocks in use stay valid and may still be freed; the cache stays usable. */
void fa__cache_destroy(fa__cache *);

/* Segments that grow. The functions get the source's context. */
typedef struct fa__cache_growth {
    /* `size` bytes that begin at `end`, where such a segment ends, or (NULL) a new one; those for small blocks are
     * apart. Returns NULL, and sets no error, if there is none. */
    void *(*extend)(void *context, bool small, void *end, size_t size);
    /* The first part of these bytes that the source can release by itself, though it is within a segment: writes its
     * address, returns its size. 0: none. */
    size_t (*part)(void *context, void **memory, size_t size);
} fa__cache_growth;
/* From now on, until the cache is destroyed. What cannot be had this way is allocated. The table stays the caller's.
 * False and an error if memory runs out. */
bool fa__cache_grows(fa__cache *, const fa__cache_growth *);

/* Allocates at least `requested` bytes, aligned to 64, which work on `queue` (NULL: the host) may use at once. If
 * there is no memory: NULL and FA_ERROR_MEMORY, whose message has the requested, allocated and reserved bytes and the
 * largest free block. A size of 0 gives a block without memory. */
fa__block *fa__cache_take(fa__cache *, size_t requested, struct fa__queue *queue);
/* The same; if there is no memory, `make` may make room for a number of bytes. As long as it returns true, the
 * allocation is tried again. It is called without the cache's lock. */
typedef bool fa__room_maker(void *context, size_t bytes);
fa__block *fa__cache_take_or(fa__cache *, size_t requested, struct fa__queue *queue, fa__room_maker *make,
                             void *context);
/* The same from free blocks alone: NULL, and no error, if none is large enough. */
fa__block *fa__cache_take_free(fa__cache *, size_t requested, struct fa__queue *queue);
void *fa__block_memory(const fa__block *);
/* The size of the block in bytes: that of fa__cache_take, rounded up. */
size_t fa__block_size(const fa__block *);

/* The cache that an allocated block comes from. */
fa__cache *fa__block_cache(const fa__block *);
void fa__block_set_owner(fa__block *, struct fa__storage *);

/* Work that may still use an allocated block, all of it on the queue that the block was allocated for. Other queues
 * and the host must wait for it before they use the block. Writes at most FA__BLOCK_USES items; returns their number.
 */
int fa__block_work(const fa__block *, struct fa__sync_point *work);

/* Frees a block; NULL is allowed. `queue` and `ticket` are the last work that uses it (NULL: none): the same queue
 * may reuse it at once, other queues and the host when that work is complete. The queue must live as long as the
 * cache. */
void fa__cache_give(fa__cache *, fa__block *, struct fa__queue *queue, uint64_t ticket);
/* The same for a block that work of several queues may still use, fewer than FA__BLOCK_USES. */
void fa__cache_give_after(fa__cache *, fa__block *, const struct fa__sync_point *work, int count);
enum { FA__BLOCK_USES = 6 };

/* ---- private caches (cache_private.c) ---- */
/* A cache of its own for a graph: what it got from the device it keeps, so that addresses stay valid as long as it
 * exists, whatever is freed and allocated in it. The device's statistics count its segments as memory in use. NULL and
 * an error if memory runs out. */
fa__cache *fa__cache_private(struct fa__device *);
/* Gives the memory back to the device: now, or when the last of its blocks is freed. */
void fa__cache_abandon(fa__cache *);
/* The end of a private cache that was abandoned and has no blocks in use. */
void fa__cache_dispose(fa__cache *);
/* Calls a function, with the cache's lock held, for the owner of each block in use; ends when it returns false. */
bool fa__cache_each_owner(fa__cache *, bool (*call)(void *context, struct fa__storage *), void *context);
/* A segment of this cache's source, and its return. NULL, and no error, if there is no memory. */
void *fa__cache_lend(fa__cache *, size_t size);
void fa__cache_take_back(fa__cache *, void *memory, size_t size);

/* Counts memory that does not exist: bytes of a shapes-only device; negative when they are freed. */
void fa__cache_count(fa__cache *, int64_t bytes);

/* ---- reports (cache_report.c) ---- */
/* Keeps the shape, operation and line of the tensor that a block was allocated for: of the first tensor, as later ones
 * are views. */
void fa__block_sign(fa__block *, const struct fa_tensor *);
/* The same for the block of a storage, which another thread may be moving. */
void fa__storage_sign(struct fa__storage *, const struct fa_tensor *);
/* The same as for another block. */
void fa__block_sign_as(fa__block *, const fa__block *);
enum { FA__MOST_SHOWN = 5 };
/* The largest tensors as lines of text, "1.50 MiB (512, 768) f32, made by matmul at train.c:41", at most
 * FA__MOST_SHOWN of them; calls `line` for each, with the cache's lock held. */
void fa__cache_each_largest(fa__cache *, void (*line)(void *context, const char *text), void *context);
/* Appends them to the error; the lock is held by the caller. */
void fa__cache_append_largest(const fa__cache *);
/* All blocks as JSON. */
void fa__cache_write(fa__cache *, FILE *);
/* "1.50 MiB" */
void fa__write_bytes(char *out, size_t size, size_t bytes);

/* Counts bytes that went to the host's memory, or (negative) came back or were freed; and bytes that were moved within
 * the device. */
void fa__cache_count_spilled(fa__cache *, int64_t bytes);
void fa__cache_count_moved(fa__cache *, size_t bytes);
/* Whether so many bytes more may go to the host's memory. */
bool fa__cache_may_spill(fa__cache *, size_t bytes);

/* Releases unused segments to the device. */
void fa__cache_trim(fa__cache *);
/* Returns how many bytes might be spilled before. */
size_t fa__cache_set_limit(fa__cache *, size_t bytes, size_t spill);
fa_memory fa__cache_stats(fa__cache *);
void fa__cache_reset_peak(fa__cache *);
#endif
