/* Storages: memory of a device or of the caller, released when the last tensor is freed and the work on it is
 * complete. */
#include "core/storage.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/small.h"
#include "core/capture.h"
#include "core/order.h"
#include "core/room.h"
#include "core/stream.h"

enum { INLINE_BYTES = 512 /* host memory up to this size is part of the storage object */ };

/* Only this thread writes its count; others read it. */
static inline void count_small(int64_t bytes)
{
    fa__context *c = fa__self->core;
    if (FA__UNLIKELY(!c))
        return;
    int64_t before = atomic_load_explicit(&c->small, memory_order_relaxed);
    int64_t one = bytes > 0 ? FA__SMALL_ONE : -FA__SMALL_ONE;
    atomic_store_explicit(&c->small, before + bytes + one, memory_order_relaxed);
}

static bool is_inline(const fa__storage *s)
{
    return !s->block && !s->borrowed && s->data == (const void *)s->bytes_inline;
}

static void storage_free(fa__storage *s)
{
    if (is_inline(s))
        count_small(-(int64_t)s->bytes);
    if (s->borrowed && s->release)
        s->release(s->context, s->handed);
    if (s->device->shapes_only && !s->borrowed)
        fa__cache_count(&s->device->cache, -(int64_t)s->bytes);
    if (FA__UNLIKELY(s->away))
        fa__cache_count_spilled(&s->device->cache, -(int64_t)s->bytes);
    fa__free(s->pending);
    fa__object_free(&s->object);
}

static void storage_go(fa__storage *s)
{
    if (s->block)
        fa__order_release(s);
    storage_free(s);
}

/* The last owner comes here without having dropped its reference. Until it does, whoever makes room may take another
 * one: then that one is the last. */
static bool is_held_by_mover(fa__storage *s)
{
    return !s->device->host && atomic_load(&s->object.references) && atomic_fetch_sub(&s->object.references, 1) != 1;
}

/* A block returns to the cache with the tickets of the work that still uses it. Other memory has to wait for that
 * work. */
static void storage_destroy(fa__object *o)
{
    fa__storage *s = (fa__storage *)o;
    if (is_held_by_mover(s))
        return;
    if (s->pending && !fa__order_may_go(s))
        fa__order_defer(s, storage_go);
    else
        storage_go(s);
}

FA__HOT void fa__storage_drop(fa__storage *s)
{
    if (FA__LIKELY(s && is_inline(s) && !fa__has_pending(s)
                   && atomic_load_explicit(&s->object.references, memory_order_acquire) == 1)) {
        count_small(-(int64_t)s->bytes);
        fa__object_release(&s->object);
        return;
    }
    fa__unref(s);
}

__attribute__((__constructor__)) static void storage_type(void)
{
    fa__object_type(FA__TYPE_STORAGE, "storage", storage_destroy);
}

static FA__HOT fa__storage *storage_object(fa__device *device, size_t bytes, size_t inline_bytes)
{
    fa__storage *s = fa__object_new(FA__TYPE_STORAGE, sizeof *s + inline_bytes);
    if (FA__UNLIKELY(!s))
        return NULL;
    s->data = NULL;
    s->bytes = bytes;
    s->device = device;
    s->block = NULL;
    s->pending = NULL;
    s->changed_by = NULL;
    atomic_init(&s->version, 0);
    atomic_init(&s->pins, 0);
    atomic_init(&s->inner, 0);
    s->release = NULL;
    s->context = NULL;
    s->borrowed = false;
    s->blank = s->making = false;
    s->away = 0;
    s->holds = 0;
    return s;
}

/* Gives it a block, ordered after the work that may still use that. Only then it has an owner, which other threads may
 * move. */
static bool use_block(fa__storage *s, fa__block *block)
{
    s->block = block;
    s->data = fa__block_memory(block);
    s->touched = 0;
    if (FA__UNLIKELY(atomic_load_explicit(&fa__spilling, memory_order_relaxed)))
        fa__storage_touch(s);
    bool good = fa__order_take(s);
    fa__block_set_owner(block, s);
    return good;
}

/* Takes a block of the device's cache. If there is no memory, room is made in it. */
static bool take_block(fa__storage *s, fa__queue *queue)
{
    fa__cache *c = fa__cache_for(s->device);
    bool moves = !s->device->host && c == &s->device->cache;
    fa__block *b = fa__cache_take_or(c, s->bytes, queue, moves ? fa__room_make : NULL, s->device);
    return b && use_block(s, b);
}

fa__storage *fa__storage_over(fa__device *device, fa__block *block, size_t bytes)
{
    fa__storage *s = storage_object(device, bytes, 0);
    if (!s && block)
        fa__cache_give(fa__block_cache(block), block, NULL, 0);
    if (!s || !block || use_block(s, block))
        return s;
    fa__unref(s);
    return NULL;
}

FA__HOT fa__storage *fa__storage_new(fa__device *device, size_t bytes, fa__queue *queue)
{
    bool small = device->host && bytes && bytes <= INLINE_BYTES;
    fa__storage *s = storage_object(device, bytes, small ? bytes : 0);
    if (!s || !bytes)
        return s;
    if (small) {
        s->data = s->bytes_inline;
        count_small((int64_t)bytes);
    } else if (device->shapes_only) {
        fa__cache_count(&device->cache, (int64_t)bytes);
    } else if (!take_block(s, queue)) {
        fa__unref(s);
        return NULL;
    }
    return s;
}

fa__storage *fa__storage_borrow(fa__device *device, void *data, size_t bytes, void (*release)(void *, void *),
                                void *context)
{
    fa__storage *s = storage_object(device, bytes, 0);
    if (!s)
        return NULL;
    s->data = data;
    s->borrowed = true;
    s->handed = data;
    s->release = release;
    s->context = context;
    return s;
}

/* ---- moving ---- */
static void set_owner(fa__storage *s)
{
    if (s->block)
        fa__block_set_owner(s->block, s);
}

/* Other threads may read the address without holding the storage: they read it again when they do. */
static void set_data(fa__storage *s, void *data)
{
    __atomic_store_n(&s->data, data, __ATOMIC_RELAXED);
}

void fa__storage_exchange(fa__storage *a, fa__storage *b)
{
    void *data = a->data;
    fa__block *block = a->block;
    set_data(a, b->data);
    set_data(b, data);
    a->block = b->block;
    b->block = block;
    fa__order_exchange(a, b);
    set_owner(a);
    set_owner(b);
}

void fa__storage_swap(fa__storage *a, fa__storage *b)
{
    fa__moves_lock();
    fa__storage_exchange(a, b);
    fa__device *device = a->device;
    a->device = b->device;
    b->device = device;
    uint8_t away = a->away;
    __atomic_store_n(&a->away, b->away, __ATOMIC_SEQ_CST);
    __atomic_store_n(&b->away, away, __ATOMIC_SEQ_CST);
    fa__moves_unlock();
}

bool fa__storage_can_move(const fa__storage *s, const fa__device *to, const fa__op *op)
{
    const char *name = op->name;
    if (to->shapes_only || s->device->shapes_only)
        return fa__fail(FA_ERROR_DEVICE, "fa_%s: there are no elements to move between %s and %s", name,
                        s->device->name, to->name);
    return (!s->borrowed && !atomic_load(&s->pins))
           || fa__fail(FA_ERROR_STATE,
                       "fa_%s: memory that is borrowed, or that a pointer was taken of, cannot move to %s", name,
                       to->name);
}

fa__storage *fa__storage_copied(fa__storage *s, fa__device *to, const fa__op *op, fa__copier *copy)
{
    if (!fa__storage_can_move(s, to, op))
        return NULL;
    fa__storage *fresh = storage_object(to, s->bytes, 0);
    if (!fresh || !s->bytes)
        return fresh;
    bool good = take_block(fresh, fa__queue_of(to)) && copy(op, fresh, 0, s, 0, s->bytes, false);
    /* the copy reads memory inside the storage object as long as it runs */
    if (good && is_inline(s) && fa__has_pending(s))
        good = fa__before_write(s, NULL, op);
    if (good && s->block && fa__storage_hold(s)) {
        fa__block_sign_as(fresh->block, s->block);
        fa__storage_let_go(s);
    }
    if (good)
        return fresh;
    fa__unref(fresh);
    return NULL;
}

void fa__storage_take(fa__storage *s, fa__storage *fresh)
{
    if (is_inline(s)) {
        count_small(-(int64_t)s->bytes);
        s->data = NULL;
    }
    fa__storage_swap(s, fresh);
    atomic_fetch_add(&s->version, 1);
    fa__unref(fresh);
}
