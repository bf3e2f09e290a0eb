/* One element from one dtype to another, branch-free. Floats round to nearest, ties to even, once; NaN stays NaN.
 * Floats become integers by truncation to 64 bits, then modulo 2^n; what does not fit 64 bits, and NaN, becomes
 * INT64_MIN first. */
#ifndef FA__CPU_CONVERT_H
#define FA__CPU_CONVERT_H
#ifndef DIALECT
#include "dialect.h"
#endif

FN f32 f32_of_bf16(u16 h)
{
    return AS_F32((u32)h << 16);
}

FN u16 bf16_of_f32(f32 x)
{
    u32 u = AS_U32(x);
    u32 rounded = (u + 0x7fffu + ((u >> 16) & 1u)) >> 16;
    return (u16)SELECT((u & 0x7fffffffu) > 0x7f800000u, (u >> 16) | 0x40u, rounded);
}

FN f32 f32_of_f16(u16 h)
{
    u32 magnitude = h & 0x7fffu, sign = (u32)(h & 0x8000u) << 16;
    u32 normal = (magnitude << 13) + (112u << 23);
    normal = SELECT(magnitude >= 0x7c00u, normal + (112u << 23), normal);
    u32 subnormal = AS_U32((f32)(i32)magnitude * 5.9604644775390625e-8f); /* 2^-24 */
    return AS_F32(SELECT(magnitude < 0x400u, subnormal, normal) | sign);
}

FN u16 f16_of_f32(f32 x)
{
    u32 u = AS_U32(x), magnitude = u & 0x7fffffffu;
    u32 normal = (magnitude - (112u << 23) + 0xfffu + ((magnitude >> 13) & 1u)) >> 13;
    u32 subnormal = AS_U32(AS_F32(magnitude) + 0.5f) - AS_U32(0.5f); /* the last bit of a sum near 0.5 is 2^-24 */
    u32 r = SELECT(magnitude < 0x38800000u, subnormal, normal);
    r = SELECT(magnitude >= 0x47800000u, 0x7c00u, r);
    r = SELECT(magnitude > 0x7f800000u, 0x7e00u | ((magnitude >> 13) & 0x3ffu), r);
    return (u16)(r | ((u >> 16) & 0x8000u));
}

/* The 8-bit floats of the Open Compute Project. E4M3FN has no infinities: what rounds to 480 or more is NaN. */
FN f32 f32_of_f8_e4m3fn(u8 h)
{
    u32 magnitude = h & 0x7fu;
    u32 r = SELECT(magnitude == 0x7fu, 0x7fc00000u, (magnitude << 20) + (120u << 23));
    r = SELECT(magnitude < 8u, AS_U32((f32)(i32)magnitude * 0.001953125f), r); /* 2^-9 */
    return AS_F32(r | ((u32)(h & 0x80u) << 24));
}

FN u8 f8_e4m3fn_of_f32(f32 x)
{
    u32 u = AS_U32(x), magnitude = u & 0x7fffffffu;
    u32 normal = (magnitude - (120u << 23) + 0x7ffffu + ((magnitude >> 20) & 1u)) >> 20;
    u32 subnormal = AS_U32(AS_F32(magnitude) + 16384.0f) - AS_U32(16384.0f); /* the last bit of the sum is 2^-9 */
    u32 r = SELECT(magnitude < 0x3c800000u, subnormal, normal);
    r = SELECT(magnitude > 0x43e80000u, 0x7fu, r); /* 464 */
    return (u8)(r | ((u >> 24) & 0x80u));
}

FN f32 f32_of_f8_e5m2(u8 h)
{
    return f32_of_f16((u16)((u32)h << 8));
}

FN u8 f8_e5m2_of_f32(f32 x)
{
    u32 u = AS_U32(x), magnitude = u & 0x7fffffffu;
    u32 normal = (magnitude - (112u << 23) + 0xfffffu + ((magnitude >> 21) & 1u)) >> 21;
    u32 subnormal = AS_U32(AS_F32(magnitude) + 128.0f) - AS_U32(128.0f); /* the last bit of the sum is 2^-16 */
    u32 r = SELECT(magnitude < 0x38800000u, subnormal, normal);
    r = SELECT(magnitude >= 0x47800000u, 0x7cu, r); /* 65536 */
    r = SELECT(magnitude > 0x7f800000u, 0x7fu, r);
    return (u8)(r | ((u >> 24) & 0x80u));
}

#if HAS_F64
/* To f32 rounded to odd: an inexact result has a last bit of 1, so that a further rounding is as good as one. */
FN f32 odd_f32_of_f64(f64 x)
{
    f32 y = (f32)x;
    u32 u = AS_U32(y);
    u32 away = (AS_U64((f64)y) & U64(0x7fffffffffffffff)) > (AS_U64(x) & U64(0x7fffffffffffffff)) ? 1u : 0u;
    u32 inexact = (u32)((f64)y < x) | (u32)((f64)y > x);
    u32 change = (inexact & ~u) != 0u ? 1u - 2u * away : 0u;
    return AS_F32(u + change);
}

/* To f64 so that a further rounding to 24 bits or less is as good as one. */
FN f64 odd_f64_of_i64(i64 x)
{
    u64 large = (u64)((x >= (i64)1 << 53) | (x <= -((i64)1 << 53)));
    i64 sticky = (x & ~(i64)0xfff) | ((x & 0xfff) != 0 ? 0x800 : 0);
    return (f64)SELECT(large != 0u, sticky, x);
}

FN i64 i64_of_f64(f64 x)
{
    u64 u = AS_U64(x), magnitude = u & U64(0x7fffffffffffffff);
    f64 a = AS_F64(magnitude);
    /* below 2^51: truncated, by what the sum with 2^52 has in its significand, less one if it was rounded up */
    f64 sum = a + 4503599627370496.0, whole = sum - 4503599627370496.0;
    u64 small = (AS_U64(sum) & U64(0xfffffffffffff)) - (whole > a ? U64(1) : U64(0));
    u64 shift = ((magnitude >> 52) - 1074u) & 15u;
    u64 large = (((magnitude & U64(0xfffffffffffff)) | U64(0x10000000000000)) << shift) >> 1;
    u64 r = SELECT(a < 2251799813685248.0, small, large);
    r = SELECT((u >> 63) != 0u, U64(0) - r, r);
    return (i64)SELECT(a < 9223372036854775808.0, r, U64(0x8000000000000000));
}

FN i64 i64_of_f32(f32 x)
{
    return i64_of_f64((f64)x);
}

FN f32 odd_f32_of_i64(i64 x)
{
    return odd_f32_of_f64(odd_f64_of_i64(x));
}
#else
FN i64 i64_of_f32(f32 x)
{
    u32 u = AS_U32(x), magnitude = u & 0x7fffffffu, exponent = magnitude >> 23;
    u64 m = (u64)((u & 0x7fffffu) | 0x800000u);
    u64 r = SELECT(exponent < 150u, m >> SELECT(exponent < 120u, 30u, (150u - exponent) & 31u),
                   m << ((exponent - 150u) & 63u));
    r = SELECT((u >> 31) != 0u, U64(0) - r, r);
    return (i64)SELECT(magnitude < 0x5f000000u, r, U64(0x8000000000000000));
}

/* To f32 so that a further rounding to 12 bits or less is as good as one: what is cut off leaves a last bit of 1. */
FN f32 odd_f32_of_i64(i64 x)
{
    u64 a = SELECT(x < 0, U64(0) - (u64)x, (u64)x);
    f32 scale = 1.0f;
    while (a >= U64(0x1000000)) {
        a = (a >> 8) | SELECT((a & 0xffu) != 0u, U64(1), U64(0));
        scale = scale * 256.0f;
    }
    f32 y = (f32)(i32)(u32)a * scale;
    return SELECT(x < 0, -y, y);
}
#endif

/* The low 32 bits of x as i64. The magnitude is converted and the sign put on after: GCC makes one rounding of a
 * conversion to i32 and back, which leaves -0. */
FN i32 i32_of_f32(f32 x)
{
    u32 u = AS_U32(x), magnitude = u & 0x7fffffffu;
    u32 small = (u32)(i32)AS_F32(SELECT(magnitude < 0x4f000000u, magnitude, 0u));
    u32 shift = (magnitude >> 23) - 150u;
    u32 large = SELECT(shift < 32u, ((u & 0x7fffffu) | 0x800000u) << (shift & 31u), 0u);
    large = SELECT(magnitude < 0x5f000000u, large, 0u);
    u32 r = SELECT(magnitude < 0x4f000000u, small, large);
    return (i32)SELECT((u >> 31) != 0u, 0u - r, r);
}

#if !HAS_FLOOR
/* |x| to the nearest integer, by the sum with 2^23 or 2^52; then one less where that was too much. The sign comes back
 * last, for zeros. */
FN f32 trunc_f32(f32 x)
{
    f32 a = AS_F32(AS_U32(x) & 0x7fffffffu), n = (a + 8388608.0f) - 8388608.0f;
    n = n - SELECT(n > a, 1.0f, 0.0f);
    return AS_F32(AS_U32(SELECT(a < 8388608.0f, n, a)) | (AS_U32(x) & 0x80000000u));
}

FN f32 floor_f32(f32 x)
{
    f32 t = trunc_f32(x);
    return SELECT(t > x, t - 1.0f, t);
}

FN f64 trunc_f64(f64 x)
{
    f64 a = AS_F64(AS_U64(x) & U64(0x7fffffffffffffff)), n = (a + 4503599627370496.0) - 4503599627370496.0;
    n = n - SELECT(n > a, 1.0, 0.0);
    return AS_F64(AS_U64(SELECT(a < 4503599627370496.0, n, a)) | (AS_U64(x) & U64(0x8000000000000000)));
}

FN f64 floor_f64(f64 x)
{
    f64 t = trunc_f64(x);
    return SELECT(t > x, t - 1.0, t);
}
#endif
#endif
