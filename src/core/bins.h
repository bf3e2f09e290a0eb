/* Shared by the files of the cache. Free blocks of memory by size: lists, and a bitmap of the lists that
 * are not empty. Small blocks, up to 2 MiB, have one list for each size; large ones 16 lists for each power of two. */
#ifndef FA__CORE_BINS_H
#define FA__CORE_BINS_H
#include "core/device.h"

enum {
    FA__BLOCK_STEP = 512,
    FA__SMALL_LISTS = 4096,
    FA__LARGE_LISTS = 512,
    FA__LISTS = FA__SMALL_LISTS + FA__LARGE_LISTS
};

struct fa__block {
    char *memory;
    size_t size, requested;
    fa__block *before, *after;  /* its neighbours in memory; if both are NULL, the block is a whole segment */
    fa__block *previous, *next; /* neighbours in its list: of free blocks, or of blocks in use */
    fa__cache *cache;
    struct fa__storage *owner; /* the storage whose memory it is; NULL: other memory */
    /* For reports, of the tensor that it was allocated for: as in the tensor. made_by NULL: working memory */
    const struct fa__op *made_by;
    const void *made_at;
    int64_t shape[FA_MAX_DIMS];
    uint8_t dtype, rank;
    bool free, small; /* small: in a segment for small blocks */
    uint8_t uses;     /* work that may still use it, issued before it was allocated or freed */
    fa__sync_point use[FA__BLOCK_USES];
};

typedef struct fa__bins {
    uint64_t some[2];              /* bit i: full[i] is not 0 */
    uint64_t full[FA__LISTS / 64]; /* bit i: list i is not empty */
    fa__block *list[FA__LISTS];
    const fa__cache_growth *growth; /* NULL: segments do not grow */
    fa__block *end[2]; /* the last block of the segment that grows, of others and of small ones; NULL: none does */
} fa__bins;

void fa__bins_put(fa__bins *, fa__block *);
void fa__bins_remove(fa__bins *, fa__block *);

/* The smallest free block of at least `size` bytes that `queue` may use at once; NULL: none. */
fa__block *fa__bins_best(const fa__bins *, size_t size, bool small, const fa__queue *queue);

/* The first block of the first non-empty list from number *list on, and the number of that list; NULL: none. */
fa__block *fa__bins_from(const fa__bins *, int *list);

/* Other threads set the owner of a block in use, when the storage is complete. */
static inline struct fa__storage *fa__block_owner(const fa__block *b)
{
    return __atomic_load_n(&b->owner, __ATOMIC_ACQUIRE);
}

/* Adds work that may still use a block. */
static inline void fa__block_use(fa__block *b, fa__sync_point work)
{
    int i = 0;
    while (i < b->uses && b->use[i].queue != work.queue)
        i++;
    if (i == FA__BLOCK_USES || !work.queue)
        return;
    b->use[i].ticket = i < b->uses && b->use[i].ticket > work.ticket ? b->use[i].ticket : work.ticket;
    b->use[i].queue = work.queue;
    b->uses = (uint8_t)(i < b->uses ? b->uses : i + 1);
}

/* Forgets work that is known to be done. */
static inline void fa__block_settle(fa__block *b)
{
    int left = 0;
    for (int i = 0; i < b->uses; i++)
        if (!fa__sync_point_known(&b->use[i]))
            b->use[left++] = b->use[i];
    b->uses = (uint8_t)left;
}

/* ---- blocks of a cache, in cache.c; the cache's lock is held ---- */
void fa__free_put(fa__cache *, fa__block *);
void fa__free_remove(fa__cache *, fa__block *);
/* Whether so many bytes more would be more than the limit. */
bool fa__cache_is_beyond(const fa__cache *, size_t size);

/* ---- segments that grow, in cache_grow.c; the cache's lock is held ---- */
/* A block in no list that `queue` may use at once: the last one of the segment that grows, of `bytes` and maybe more;
 * or `fresh`, behind it or in a new segment. NULL: the source has no more. */
fa__block *fa__block_grow(fa__cache *, fa__block *fresh, size_t bytes, bool small, const fa__queue *queue);
/* Gives this part of a block, which is in no list, back to the source. The rest becomes free blocks, of two segments.
 */
void fa__block_cut(fa__cache *, fa__block *, char *memory, size_t size);

/* ---- statistics, in cache_stats.c; the cache's lock is held ---- */
void fa__count_up(fa_memory_count *, size_t n);
void fa__count_taken(fa__cache *, size_t size, size_t requested);
void fa__count_given(fa__cache *, size_t size, size_t requested);
size_t fa__largest_free(const fa__cache *);
#endif
