/* The order that sorting and searching put elements in, the same on every device: a key of each element as an unsigned
 * number. -0 and 0 have the same key, and so have all NaN, which is the largest. */
#ifndef FA__BACKEND_ORDER_H
#define FA__BACKEND_ORDER_H
#include <facula/types.h>

typedef enum { FA__ORDER_UNSIGNED, FA__ORDER_SIGNED, FA__ORDER_FLOAT } fa__order_kind;

/* What the key is made of: the element's bytes, and the bits of infinity for floats. */
typedef struct fa__order {
    uint64_t infinity;
    uint8_t bytes, kind; /* fa__order_kind */
} fa__order;

static inline fa__order fa__order_of(unsigned dtype)
{
    static const fa__order order[] = {
        [FA_BOOL] = {0, 1, FA__ORDER_UNSIGNED},      [FA_U8] = {0, 1, FA__ORDER_UNSIGNED},
        [FA_I8] = {0, 1, FA__ORDER_SIGNED},          [FA_I16] = {0, 2, FA__ORDER_SIGNED},
        [FA_I32] = {0, 4, FA__ORDER_SIGNED},         [FA_I64] = {0, 8, FA__ORDER_SIGNED},
        [FA_F16] = {0x7c00, 2, FA__ORDER_FLOAT},     [FA_BF16] = {0x7f80, 2, FA__ORDER_FLOAT},
        [FA_F32] = {0x7f800000, 4, FA__ORDER_FLOAT}, [FA_F64] = {0x7ff0000000000000, 8, FA__ORDER_FLOAT}};
    return order[dtype];
}
#endif
