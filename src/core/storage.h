/* Storage: bytes on one device, with the work that last wrote them and the work that still reads them. Tensors are
 * views of storages. A storage is moved as a whole, so that all its views and holders follow. */
#ifndef FA__CORE_STORAGE_H
#define FA__CORE_STORAGE_H
#include "core/device.h"
#include "core/faults.h"
#include "core/object.h"
#include "core/op.h"

/* Work that has not been waited for. Only storages used by asynchronous work have one. */
typedef struct fa__pending {
    fa__sync_point write;
    fa__sync_point
        born; /* the work that made its first values; nobody's: they were there before it was used by late work */
    fa__sync_point changed; /* the work that wrote over them last, or the first that was given up */
    int reads, room;        /* how many reads of it are noted, for each queue the last one; how many fit */
    fa__sync_point read[];
} fa__pending;

typedef struct fa__storage {
    fa__object object;
    void *data; /* NULL: empty, or a shapes-only device */
    size_t bytes;
    fa__device *device;
    fa__block *block;         /* block of the device's cache; NULL: inline, borrowed or none */
    fa__pending *pending;     /* NULL: never used by asynchronous work */
    const fa__op *changed_by; /* the operation that last modified it in place */
    _Atomic uint64_t version; /* number of in-place modifications */
    _Atomic int32_t pins;     /* raw pointers and exports; while there is one, the storage must not move, and no
                                 asynchronous work may use it */
    _Atomic int32_t inner;    /* number of its tensors that are views known to graph nodes only */
    void (*release)(void *context, void *data); /* for borrowed memory; may be NULL */
    void *context;
    void *handed; /* the argument for release */
    bool borrowed;
    bool blank;    /* made by fa_empty and its like: what is written first makes its first values */
    bool making;   /* a composed operation is still making its first values: what it writes in place is part of that */
    uint8_t away;  /* atomic: it is being moved, or its bytes are in the host's memory (core/room.h) */
    int32_t holds; /* atomic: calls and graphs that use its address; while there is one, it is not moved to make room */
    uint64_t touched; /* atomic: when a call used it last, counted in calls; only set while a device may spill */
    _Alignas(16) unsigned char bytes_inline[];
} fa__storage;

/* Drops a reference. Fast path for a storage whose bytes are inline, with no other reference and no asynchronous
 * work: its memory is freed at once. */
void fa__storage_drop(fa__storage *);

/* True as long as what is written in place makes the first values. */
static inline bool fa__is_unmade(const fa__storage *s)
{
    return s->making || (s->blank && !atomic_load_explicit(&s->version, memory_order_relaxed));
}

/* True if asynchronous work was ever issued on it. If not, new work needs no ordering. */
static inline bool fa__has_pending(const fa__storage *s)
{
    return __atomic_load_n(&s->pending, __ATOMIC_ACQUIRE) != NULL;
}

/* Uninitialized memory on a device, with one reference. NULL and an error if memory runs out. */
fa__storage *fa__storage_new(fa__device *, size_t bytes, fa__queue *queue);
/* Memory of the caller. `release` is called when the last reference is dropped, but not if this call fails. */
fa__storage *fa__storage_borrow(fa__device *, void *data, size_t bytes, void (*release)(void *, void *), void *context);

/* Moving has two steps, of which only the first can fail: making a copy on another device, and giving it to the
 * storage, so that views and holders follow. Pinned or borrowed memory cannot move: NULL and an error. */
typedef bool fa__copier(const fa__op *op, fa__storage *to, size_t to_byte, fa__storage *from, size_t from_byte,
                        size_t bytes, bool changes);
bool fa__storage_can_move(const fa__storage *, const fa__device *to, const fa__op *op);
fa__storage *fa__storage_copied(fa__storage *, fa__device *to, const fa__op *op, fa__copier *copy);
/* Takes over the reference to the result of fa__storage_copied. */
void fa__storage_take(fa__storage *, fa__storage *fresh);
/* Exchanges memory, device and pending work of two storages, neither of which has its bytes inline, pinned or borrowed.
 * Versions stay. */
void fa__storage_swap(fa__storage *, fa__storage *);
/* The same for memory and pending work alone: each stays a storage of its device. Between fa__moves_lock and
 * fa__moves_unlock. */
void fa__storage_exchange(fa__storage *, fa__storage *);
/* A storage over a block, which it takes over; NULL: without memory. NULL and an error if memory runs out. */
fa__storage *fa__storage_over(fa__device *, fa__block *, size_t bytes);

/* Orders work of `queue` (NULL: the host, now) behind what it must not overtake. A wait of the host is counted and may
 * be forbidden: then false. False, and the fault as an error, also when the storage's values were made behind a fault
 * that is known. `op` is on whose behalf. */
bool fa__before_read(fa__storage *, fa__queue *queue, const fa__op *op);
bool fa__before_write(fa__storage *, fa__queue *queue, const fa__op *op);
/* The same for work that makes all values anew: those that are there may be faulty. */
bool fa__before_overwrite(fa__storage *, fa__queue *queue, const fa__op *op);
/* Records work that was issued. If there is no memory for the record: waits for the work and returns false. */
bool fa__after_read(fa__storage *, fa__sync_point, const fa__op *op);
bool fa__after_write(fa__storage *, fa__sync_point, const fa__op *op);
/* The same for work that does not replace values but makes the first ones: behind a fault they are an error to use. */
bool fa__after_creation(fa__storage *, fa__sync_point, const fa__op *op);
/* The same for work after fa__before_overwrite(): only this work decides whether the values are faulty. */
bool fa__after_overwrite(fa__storage *, fa__sync_point, const fa__op *op);
/* Whether the values were made behind a fault that is known; fa__storage_fails raises it then. */
bool fa__storage_is_faulty(fa__storage *);
bool fa__storage_fails(fa__storage *);
static inline bool fa__storage_sound(fa__storage *s)
{
    return FA__LIKELY(!fa__any_faults()) || !fa__has_pending(s) || !fa__storage_fails(s);
}

/* ---- memory that moves (room.h) ---- */
extern _Atomic int fa__spilling; /* how many devices may spill */
/* Notes that a call uses a storage now. */
void fa__storage_touch(fa__storage *);
/* Waits for its move, or brings it back. */
FA__COLD bool fa__storage_return(fa__storage *);

/* Until fa__storage_let_go, the storage's bytes are on its device and stay where they are. False and an error if there
 * is no room for them; then it is not held. */
static inline bool fa__storage_hold(fa__storage *s)
{
    __atomic_fetch_add(&s->holds, 1, __ATOMIC_SEQ_CST);
    if (FA__UNLIKELY(atomic_load_explicit(&fa__spilling, memory_order_relaxed)))
        fa__storage_touch(s);
    return FA__LIKELY(!__atomic_load_n(&s->away, __ATOMIC_SEQ_CST)) || fa__storage_return(s);
}

static inline void fa__storage_let_go(fa__storage *s)
{
    __atomic_fetch_sub(&s->holds, 1, __ATOMIC_RELEASE);
}
#endif
