/* Type promotion: categories bool < integer < float; tensors with dimensions first, then 0-dim tensors, then numbers.
 */
#ifndef FA__OPS_PROMOTE_H
#define FA__OPS_PROMOTE_H
#include <facula/types.h>

typedef struct fa__promotion {
    uint8_t dims, zero,
        number; /* of tensors with dimensions, of 0-dim tensors, of numbers: FA_SAME when there are none */
} fa__promotion;

/* The smaller dtype that holds both, FA_SAME being nothing. */
fa_dtype fa__promote(fa_dtype a, fa_dtype b);
fa_dtype fa__promoted_mixed(fa__promotion);
static inline fa_dtype fa__promoted(fa__promotion p)
{
    return p.zero == FA_SAME && p.number == FA_SAME ? (fa_dtype)p.dims : fa__promoted_mixed(p);
}
/* Whether values may be stored where `to` is: not into a lower category. */
bool fa__can_store(fa_dtype from, fa_dtype to);
#endif
