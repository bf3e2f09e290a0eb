/* The loops of class f32. */
#include "convert.h"
#include "half.h"
#include "larger.h"
#include "math.inc"
#include "math64.inc"
#include "rounding.inc"
#include "simd.h"
#include "wide.inc"
#include "wide64.inc"

ROUNDING_F32
ROUNDING_F64

/* Need what stands above. */
#include "elementary.inc"
#include "special.inc"

/* Need what stands above. */
#include "bessel.inc"
#include "normal.inc"

/* Needs normal.inc. */
#include "incomplete.inc"

typedef f32 T;
typedef i32 INTEGER;
#define CLASS f32
#define BITS 32
#define CAPITALS F32
#define OWN_DTYPE FA_F32
#define FLOATING 1
#define LOADED_AT_ONCE(tag, to, from, n)                                                                               \
    (FA_##tag == FA_F16    ? f32_from_f16(to, (const void *)(from), n)                                                 \
     : FA_##tag == FA_BF16 ? f32_from_bf16(to, (const void *)(from), n)                                                \
                           : 0)
#define STORED_AT_ONCE(tag, to, from, n)                                                                               \
    (FA_##tag == FA_F16    ? f16_from_f32((void *)(to), from, n)                                                       \
     : FA_##tag == FA_BF16 ? bf16_from_f32((void *)(to), from, n)                                                      \
                           : 0)

#include "class_f32.inc"

#include "power.inc"
#include "quotient.inc"
#include "sine.inc"

/* Uses what stands above. */
#include "class.inc"
