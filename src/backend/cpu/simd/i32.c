/* The loops of class i32. */
#include "convert.h"
#include "simd.h"

typedef i32 T;
typedef u32 U;
typedef i32 INTEGER;
#define CLASS i32
#define BITS 32
#define OWN_DTYPE FA_I32
#define LOW_OF_F32(x) i32_of_f32(x)
#include "integer.inc"
