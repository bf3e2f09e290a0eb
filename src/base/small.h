/* An allocator for small objects (up to 1024 bytes) with free lists per thread, which takes a few nanoseconds where
 * malloc takes tens. An object may be freed by another thread. Lists have a maximum length; surplus objects go to a
 * pool from which all threads refill their lists. */
#ifndef FA__BASE_SMALL_H
#define FA__BASE_SMALL_H
#include "base/alloc.h"
#include "base/mark.h"
#include "base/thread.h"

FA__COLD void *fa__small_refill(size_t size);
FA__COLD void fa__small_spill(void *object, size_t size);

/* Allocates `size` bytes (at least 1), aligned to 32 (if larger than 1024: to 16), not cleared. NULL and
 * FA_ERROR_MEMORY if memory runs out. */
static inline void *fa__small_alloc(size_t size)
{
    size_t class = (size - 1) / FA__SMALL_STEP;
    if (FA__UNLIKELY(class >= FA__SMALL_CLASSES || atomic_load_explicit(&fa__inject_on, memory_order_relaxed)))
        return fa__small_refill(size);
    fa__small_list *list = &fa__self->small[class];
    void *object = list->head;
    if (FA__UNLIKELY(!object))
        return fa__small_refill(size);
    list->head = fa__mark_taken(object, size);
    list->room++;
    return object;
}

/* Frees memory from fa__small_alloc, with the same size. NULL is allowed. */
static inline void fa__small_free(void *object, size_t size)
{
    size_t class = (size - 1) / FA__SMALL_STEP;
    if (FA__UNLIKELY(class >= FA__SMALL_CLASSES || !object)) {
        fa__small_spill(object, size);
        return;
    }
    fa__small_list *list = &fa__self->small[class];
    if (FA__UNLIKELY(!list->room)) {
        fa__small_spill(object, size);
        return;
    }
    list->room--;
    fa__mark_linked(object, size, list->head);
    list->head = object;
}

/* Moves all objects of a thread's lists to the shared pool when the thread ends. */
void fa__small_end(fa__thread *thread);
/* Frees the memory of all lists, unless objects are still in use. Called when the process ends. */
void fa__small_stop(void);
#endif
