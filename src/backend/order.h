/* The order that sorting and searching put elements in, the same on every device: a key of each element as an unsigned
 * number. -0 and 0 have the same key, and so have all NaN, which is the largest. */
#ifndef FA__BACKEND_ORDER_H
#define FA__BACKEND_ORDER_H
#include "core/dtype.h"

typedef enum { FA__ORDER_UNSIGNED, FA__ORDER_SIGNED, FA__ORDER_FLOAT } fa__order_kind;

/* What the key is made of: the element's bytes, and for floats the bits that only NaN exceeds. */
typedef struct fa__sort_key {
    uint64_t top;
    uint8_t bytes, kind; /* fa__order_kind */
} fa__sort_key;

static inline fa__sort_key fa__order_of(unsigned dtype)
{
    const fa__dtype *d = &fa__dtypes[dtype];
    return (fa__sort_key){.top = d->top,
                          .bytes = d->info.size,
                          .kind = d->info.kind == 'f'   ? FA__ORDER_FLOAT
                                  : d->info.kind == 'i' ? FA__ORDER_SIGNED
                                                        : FA__ORDER_UNSIGNED};
}
#endif
