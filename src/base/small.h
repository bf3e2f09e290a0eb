/* Small objects (to 1024 bytes) from free lists of each thread: a few nanoseconds where malloc takes tens. An object
 * may be freed by another thread than made it. Lists are capped; what is over goes to a depot that all threads refill
 * from. */
#ifndef FA__BASE_SMALL_H
#define FA__BASE_SMALL_H
#include "base/alloc.h"
#include "base/mark.h"
#include "base/thread.h"

FA__COLD void *fa__small_refill(size_t size);
FA__COLD void fa__small_spill(void *object, size_t size);

/* `size` bytes (1 or more), aligned to 32 (above 1024: to 16), not cleared. NULL, with FA_ERROR_MEMORY raised, when
 * there are none. */
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

/* Takes back what fa__small_alloc(size) gave, with the same size. NULL is fine. */
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

/* Sends everything on a thread's lists to the depot: the thread ends. */
void fa__small_end(fa__thread *thread);
/* Frees the memory behind all lists if no object is out; otherwise leaves it. The process ends. */
void fa__small_stop(void);
#endif
