/* The header of all objects: a type and an atomic reference count. Destruction is iterative: an object that loses its
 * last reference while another one is being destroyed is queued. */
#ifndef FA__CORE_OBJECT_H
#define FA__CORE_OBJECT_H
#include "base/small.h"
#include "base/types.h"
#include <stdatomic.h>

typedef enum {
    FA__TYPE_DEAD, /* freed, and kept for a while so that using it is an error that names its scope */
    FA__TYPE_GONE, /* freed: the memory waits for the next object of its size */
    FA__TYPE_TENSOR,
    FA__TYPE_STORAGE,
    FA__TYPE_NODE,
    FA__TYPE_AUTOGRAD,
    FA__TYPE_LIST,
    FA__TYPE_FUNCTION,
    FA__TYPE_MODULE,
    FA__TYPE_OPTIM,
    FA__TYPE_DATASET,
    FA__TYPE_LOADER,
    FA__TYPE_GENERATOR,
    FA__TYPE_STREAM,
    FA__TYPE_EVENT,
    FA__TYPE_GRAPH,
    FA__TYPE_EXPRESSION,
    FA__TYPE_OTHER,
    FA__TYPES
} fa__type;

typedef struct fa__object {
    _Atomic int32_t references;
    uint8_t type; /* fa__type */
    uint8_t flags;
    uint16_t size; /* size of the allocation, if it is a small one */
    union {
        _Atomic uintptr_t kept; /* how often fa_keep took a reference that was not given back */
        void *link;             /* later: the next object to destroy, or the scope of a freed one */
    };
} fa__object;

/* Creates an object of `size` bytes with one reference, which no scope owns yet. Only the header is initialized. */
static inline void *fa__object_new(fa__type type, size_t size)
{
    fa__object *o = fa__small_alloc(size);
    if (FA__UNLIKELY(!o))
        return NULL;
    atomic_init(&o->references, 1);
    o->type = (uint8_t)type;
    o->flags = 0;
    o->size = (uint16_t)(size <= FA__SMALL_MOST ? size : 0);
    atomic_init(&o->kept, 0);
    return o;
}

/* Frees the memory of an object whose contents have been released. */
void fa__object_free(fa__object *);
/* The same at once, also for a tensor. */
static inline void fa__object_release(fa__object *o)
{
    fa__small_free(o, o->size ? o->size : FA__SMALL_MOST + 1);
}
/* Registers the destructor of a type: it releases what the object owns, then calls fa__object_free. */
void fa__object_type(fa__type, const char *name, void (*destroy)(fa__object *));
const char *fa__object_name(const fa__object *);
void fa__object_destroy(fa__object *);

/* False for an object that was freed, until its memory is used again. */
static inline bool fa__object_lives(const void *object)
{
    return ((const fa__object *)object)->type > FA__TYPE_GONE;
}

static inline void *fa__ref(const void *object)
{
    fa__object *o = (fa__object *)(uintptr_t)object;
    atomic_fetch_add_explicit(&o->references, 1, memory_order_relaxed);
    return o;
}

/* Drops a reference; NULL is allowed. The last owner needs no atomic read-modify-write. */
static inline void fa__unref(const void *object)
{
    fa__object *o = (fa__object *)(uintptr_t)object;
    if (!o)
        return;
    if (atomic_load_explicit(&o->references, memory_order_acquire) == 1
        || atomic_fetch_sub_explicit(&o->references, 1, memory_order_acq_rel) == 1)
        fa__object_destroy(o);
}
#endif
