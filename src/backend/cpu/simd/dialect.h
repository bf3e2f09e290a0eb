/* What the shared text of the math functions (math.inc, math64.inc) is written in, as C. (HAS_F64: a device may have no
 * f64. HAS_FLOOR: floor and trunc are instructions.) Devices define the same names
 * in their own language. No <math.h>: in each unit, exp or pow is a static function of the unit's type. */
#ifndef FA__CPU_DIALECT_H
#define FA__CPU_DIALECT_H
#include "shuffle.h"
#include <stdbool.h>
#include <stdint.h>

typedef float f32;
typedef double f64;
typedef uint8_t u8;
typedef int8_t i8;
typedef uint16_t u16;
typedef int16_t i16;
typedef uint32_t u32;
typedef int32_t i32;
typedef uint64_t u64;
typedef int64_t i64;

#define HAS_F64 1
#define FN static inline __attribute__((__always_inline__, __unused__))
#define CONSTANT_TABLE static const
#define U64(k) ((u64)k)
/* Both arms are computed. */
#define SELECT(condition, a, b) ((condition) ? (a) : (b))

/* The iterations of the loop behind it do not depend on one another, whatever the pointers are. */
#ifdef __clang__
#define VECTOR_LOOP _Pragma("clang loop vectorize(assume_safety) interleave(enable)")
#else
#define VECTOR_LOOP _Pragma("GCC ivdep")
#endif

FN u32 AS_U32(f32 x)
{
    union {
        f32 f;
        u32 u;
    } v = {.f = x};
    return v.u;
}

FN f32 AS_F32(u32 x)
{
    union {
        u32 u;
        f32 f;
    } v = {.u = x};
    return v.f;
}

FN u64 AS_U64(f64 x)
{
    union {
        f64 f;
        u64 u;
    } v = {.f = x};
    return v.u;
}

FN f64 AS_F64(u64 x)
{
    union {
        u64 u;
        f64 f;
    } v = {.u = x};
    return v.f;
}

#if defined __FMA__ || defined __ARM_FEATURE_FMA
#define FMA32(a, b, c) __builtin_fmaf(a, b, c)
#else
/* a * b is exact in f64. Its sum with c is rounded to odd (an inexact one gets a last bit of 1, towards what is
 * missing), so that the rounding to f32 sees on which side of a tie it was. */
FN f32 FMA32(f32 a, f32 b, f32 c)
{
    f64 p = (f64)a * (f64)b, z = (f64)c, s = p + z;
    f64 t = s - p, error = (p - (s - t)) + (z - t);
    u64 bits = AS_U64(s), odd = bits & 1u;
    u64 up = (u64)((error > 0.0) == (s > 0.0));
    u64 inexact = (u64)((error < 0.0) | (error > 0.0));
    bits = bits + ((inexact & (odd ^ 1u)) != 0u ? up * 2u - 1u : 0u);
    return (f32)AS_F64(bits);
}
#endif
/* Without the instruction this is libm's. */
#define FMA64(a, b, c) __builtin_fma(a, b, c)

FN f32 sqrt_f32(f32 x)
{
    return __builtin_sqrtf(x);
}

FN f64 sqrt_f64(f64 x)
{
    return __builtin_sqrt(x);
}

#if defined __SSE4_1__ || defined __aarch64__
#define HAS_FLOOR 1
FN f32 floor_f32(f32 x)
{
    return __builtin_floorf(x);
}

FN f32 trunc_f32(f32 x)
{
    return __builtin_truncf(x);
}

FN f64 floor_f64(f64 x)
{
    return __builtin_floor(x);
}

FN f64 trunc_f64(f64 x)
{
    return __builtin_trunc(x);
}
#else
#define HAS_FLOOR 0
#endif
#endif
