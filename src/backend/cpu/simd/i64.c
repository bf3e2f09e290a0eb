/* The loops of class i64. */
#include "convert.h"
#include "simd.h"

typedef i64 T;
typedef u64 U;
typedef i64 INTEGER;
#define CLASS i64
#define BITS 64
#define OWN_DTYPE FA_I64
#define LOW_OF_F32(x) i64_of_f32(x)
#include "integer.inc"
