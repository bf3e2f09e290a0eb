/* Poisson numbers. */
#include "convert.h"
#include "dialect.h"
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

#include "philox.inc"
#include "poisson.inc"

/* The tile has the rates, and gets the numbers. */
void FA__SIMD(fa__poisson)(void *tile, fa__key key, int64_t first, int64_t n)
{
    f64 *x = tile;
    for (int64_t i = 0; i < n; i++)
        x[i] = poisson_at(x[i], key.seed, key.call, (u64)(first + i));
}
