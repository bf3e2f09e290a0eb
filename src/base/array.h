/* Arrays that grow at their end. */
#ifndef FA__BASE_ARRAY_H
#define FA__BASE_ARRAY_H
#include "base/alloc.h"

#define FA__ARRAY(type)                                                                                                \
    struct {                                                                                                           \
        type *item;                                                                                                    \
        size_t count, room;                                                                                            \
    }

/* Room for one more item; false and an error if there is no memory. */
static inline bool fa__array_grow(void **items, size_t *room, size_t count, size_t size)
{
    if (count < *room)
        return true;
    size_t more = *room ? 2 * *room : 32;
    void *larger = fa__realloc(*items, more * size);
    if (larger) {
        *items = larger;
        *room = more;
    }
    return larger != NULL;
}

/* The address of a new item at the end; NULL and an error if there is no memory. */
#define FA__ADD(array)                                                                                                 \
    (fa__array_grow((void **)&(array).item, &(array).room, (array).count, sizeof *(array).item)                        \
         ? &(array).item[(array).count++]                                                                              \
         : NULL)
/* Frees an array; it is empty then. */
#define FA__ARRAY_FREE(array) (fa__free((array).item), (array).item = NULL, (array).count = (array).room = 0)
#endif
