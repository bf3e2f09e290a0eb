/* Storage: bytes on one device, with what last wrote them and what still reads them. Tensors are views of storages.
 * Moving, spilling and compaction act here, so that views and holders follow. */
#ifndef FA__CORE_STORAGE_H
#define FA__CORE_STORAGE_H
#include "core/device.h"
#include "core/object.h"
#include "core/op.h"

/* Work that has not been waited for: only storages that asynchronous work has touched have one. */
typedef struct fa__pending {
    fa__sync_point write;
    int reads, room; /* how many reads of it are noted, for each queue the last one; how many fit */
    fa__sync_point read[];
} fa__pending;

typedef struct fa__storage {
    fa__object object;
    void *data; /* NULL: empty, or shapes only */
    size_t bytes;
    fa__device *device;
    fa__block *block;         /* of the device's cache; NULL: inline, borrowed or none */
    fa__pending *pending;     /* NULL: nothing ever ran late on it */
    const fa__op *changed_by; /* the operation that last changed it in place */
    _Atomic uint64_t version; /* counts changes in place */
    _Atomic int32_t pins;     /* raw pointers and exports; while there is one, it may not move, nor late work use it */
    _Atomic int32_t inner;    /* how many of its tensors are views that only nodes know */
    void (*release)(void *context, void *data); /* of borrowed memory; may be NULL */
    void *context;
    void *handed; /* what release is called with */
    bool borrowed;
    _Alignas(16) unsigned char bytes_inline[];
} fa__storage;

/* Drops a reference. The short way for a storage whose bytes stand in itself, and that nobody else has and no late work
 * uses: its memory is given back at once. */
void fa__storage_drop(fa__storage *);

/* Whether late work was ever issued on it. If not, new work has nothing to come behind. */
static inline bool fa__has_pending(const fa__storage *s)
{
    return __atomic_load_n(&s->pending, __ATOMIC_ACQUIRE) != NULL;
}

/* Uninitialised memory on a device, with one reference. NULL and an error when there is none. */
fa__storage *fa__storage_new(fa__device *, size_t bytes, fa__queue *queue);
/* Memory of the caller's. `release` is called when the last reference goes, and not when this call fails. */
fa__storage *fa__storage_borrow(fa__device *, void *data, size_t bytes, void (*release)(void *, void *), void *context);

/* Moving is in two steps, the first of which can fail: a copy on another device, and giving that to the storage, so
 * that views and holders follow. What is pinned or borrowed does not move: NULL and an error. */
typedef bool fa__copier(const fa__op *op, fa__storage *to, size_t to_byte, fa__storage *from, size_t from_byte,
                        size_t bytes, bool changes);
bool fa__storage_can_move(const fa__storage *, const fa__device *to, const fa__op *op);
fa__storage *fa__storage_copied(fa__storage *, fa__device *to, const fa__op *op, fa__copier *copy);
/* Takes over the reference to what fa__storage_copied returned. */
void fa__storage_take(fa__storage *, fa__storage *fresh);

/* Orders work of `queue` (NULL: the host, now) behind what it must not overtake. A wait of the host is counted and may
 * be forbidden: then false. `op` is on whose behalf. */
bool fa__before_read(fa__storage *, fa__queue *queue, const fa__op *op);
bool fa__before_write(fa__storage *, fa__queue *queue, const fa__op *op);
/* Remembers work that was issued. False when memory for the note is lacking; then the work has been waited for. */
bool fa__after_read(fa__storage *, fa__sync_point, const fa__op *op);
bool fa__after_write(fa__storage *, fa__sync_point, const fa__op *op);
#endif
