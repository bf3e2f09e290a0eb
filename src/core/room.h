/* Making room in a device's memory when an allocation fails: storages are moved within the device, so that free memory
 * comes together (compaction), or to the host's memory, from which they come back when they are used (spilling).
 * Only storages that are not held are moved, by one thread at a time. */
#ifndef FA__CORE_ROOM_H
#define FA__CORE_ROOM_H
#include "core/storage.h"

/* One thread at a time moves storages; it may take the lock again. */
void fa__moves_lock(void);
void fa__moves_unlock(void);

/* Around calls that hold storages. If a device may spill, one thread at a time holds any: otherwise two that hold half
 * of the memory each would both find no room. */
static inline bool fa__moves_begin(void)
{
    bool spills = atomic_load_explicit(&fa__spilling, memory_order_relaxed);
    if (FA__UNLIKELY(spills))
        fa__moves_lock();
    return spills;
}
static inline void fa__moves_end(bool spills)
{
    if (FA__UNLIKELY(spills))
        fa__moves_unlock();
}

/* Moves storages of a device so that `bytes` may be found in its cache: true if anything was moved. Called without
 * locks. The context is the device. */
bool fa__room_make(void *device, size_t bytes);

/* How they are moved is implemented in backend/room.c. */
typedef struct fa__room_mover {
    bool (*make)(fa__device *, size_t bytes);
    bool (*come_back)(fa__storage *); /* of a held storage whose bytes are in the host's memory */
} fa__room_mover;
extern const fa__room_mover fa__room_moves, *fa__room_mover_used;

/* Neighbouring blocks in one segment, all of them free or of storages that can be moved. */
typedef struct fa__room_run {
    const char *begin, *end;
    fa__storage **storage; /* references */
    size_t count;
    size_t live;      /* bytes of the storages */
    uint64_t touched; /* when the last of them was used */
} fa__room_run;

typedef enum { FA__RUN_FEWEST_BYTES, FA__RUN_OLDEST } fa__run_order;
/* The first run, by this order, of at least `size` bytes; if no segment is large enough, a whole segment, so that it
 * can be released. With FEWEST_BYTES only runs of more than `above` bytes that fit into the free memory outside of
 * them. False if there is none, or no memory for the list. */
bool fa__cache_find_run(fa__cache *, size_t size, fa__run_order, size_t above, fa__room_run *);
void fa__run_drop(fa__room_run *);
#endif
