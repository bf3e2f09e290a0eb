/* Vectors of the level this file is compiled for: f32v and f64v, and the few things that plain C has no word for (a
 * fused multiply-add, the first n lanes). A level needs a width here, the rows of a tile (two vectors of sums for each,
 * two of b and one of a fill the registers), and its multiply-add; parts of vectors have a portable form. */
#ifndef FA__SIMD_GEMM_VECTOR_H
#define FA__SIMD_GEMM_VECTOR_H
#include "backend/cpu/simd/shuffle.h"
#include <stdint.h>

#if defined FA__LEVEL_avx512
#include <immintrin.h>
enum { VECTOR_BYTES = 64, TILE_ROWS_TWICE = 8 };
#define TILE_ROWS 14
#define TILE_STEPS 1
#elif defined FA__LEVEL_avx2
#include <immintrin.h>
enum { VECTOR_BYTES = 32, TILE_ROWS_TWICE = 0 };
#define TILE_ROWS 6
#define TILE_STEPS 4
#elif defined FA__LEVEL_neon
#include <arm_neon.h>
enum { VECTOR_BYTES = 16, TILE_ROWS_TWICE = 0 };
#define TILE_ROWS 14
#define TILE_STEPS 1
#else
enum { VECTOR_BYTES = 16, TILE_ROWS_TWICE = 0 };
#define TILE_ROWS 6
#define TILE_STEPS 1
#endif

#define INLINE static inline __attribute__((__always_inline__))

/* Before a loop with a constant count that must leave no loop behind. */
#ifdef __clang__
#define UNROLL _Pragma("clang loop unroll(full)")
#else
#define UNROLL _Pragma("GCC unroll 16")
#endif

/* Types, and what is written alike for all of them: real is the element, bits an integer of its size. */
#define VECTOR(name, real, bits)                                                                                       \
    enum { name##_lanes = VECTOR_BYTES / sizeof(real) };                                                               \
    typedef real name##v __attribute__((__vector_size__(VECTOR_BYTES)));                                               \
    typedef bits name##m __attribute__((__vector_size__(VECTOR_BYTES)));                                               \
    typedef real name##u __attribute__((__vector_size__(VECTOR_BYTES), __aligned__(sizeof(real)), __may_alias__));     \
    INLINE name##v name##_load(const real *p)                                                                          \
    {                                                                                                                  \
        return *(const name##u *)p;                                                                                    \
    }                                                                                                                  \
    INLINE void name##_store(real *p, name##v v)                                                                       \
    {                                                                                                                  \
        *(name##u *)p = v;                                                                                             \
    }                                                                                                                  \
    INLINE name##v name##_splat(real x)                                                                                \
    {                                                                                                                  \
        return x - (name##v){0};                                                                                       \
    }                                                                                                                  \
    INLINE name##v name##_relu(name##v v)                                                                              \
    {                                                                                                                  \
        return (name##v)((name##m)v & ~(v <= (name##v){0}));                                                           \
    }
VECTOR(f32, float, int32_t)
VECTOR(f64, double, int64_t)

/* Where the vector behind the one at `at` begins, of n elements: the last whole one ends where they do. */
INLINE int64_t f32_next(int64_t at, int64_t n)
{
    return at + f32_lanes < n && at + 2 * f32_lanes > n ? n - f32_lanes : at + f32_lanes;
}

/* a * b + c, rounded once; at the base level, which has no such instruction, twice */
#if defined FA__LEVEL_avx512
#define FMA(type, a, b, c) _mm512_fmadd_p##type(a, b, c)
#elif defined FA__LEVEL_avx2
#define FMA(type, a, b, c) _mm256_fmadd_p##type(a, b, c)
#elif defined FA__LEVEL_neon
#define FMA(type, a, b, c) NEON_FMA_##type(a, b, c)
#define NEON_FMA_s(a, b, c) vfmaq_f32(c, a, b)
#define NEON_FMA_d(a, b, c) vfmaq_f64(c, a, b)
#else
#define FMA(type, a, b, c) ((a) * (b) + (c))
#endif

INLINE f32v f32_fma(f32v a, f32v b, f32v c)
{
    return FMA(s, a, b, c);
}

INLINE f64v f64_fma(f64v a, f64v b, f64v c)
{
    return FMA(d, a, b, c);
}

/* sum += a * b, with operands in registers. With AVX2 the very instruction: left to itself, gcc reads an operand from
 * memory each time that it is multiplied, and moves sums from register to register. */
#if defined FA__LEVEL_avx2
#define ADD_PRODUCT(type, sum, a, b) __asm__("vfmadd231p" #type " %2, %1, %0" : "+x"(*(sum)) : "x"(a), "x"(b))
#else
#define ADD_PRODUCT(type, sum, a, b) (*(sum) = FMA(type, a, b, *(sum)))
#endif
INLINE void f32_add_product(f32v *sum, f32v a, f32v b)
{
    ADD_PRODUCT(s, sum, a, b);
}

INLINE void f64_add_product(f64v *sum, f64v a, f64v b)
{
    ADD_PRODUCT(d, sum, a, b);
}

/* The same for one element */
#if defined FA__LEVEL_avx512 || defined FA__LEVEL_avx2 || defined FA__LEVEL_neon
#define f32_fma1 __builtin_fmaf
#define f64_fma1 __builtin_fma
#else
#define f32_fma1(a, b, c) ((a) * (b) + (c))
#define f64_fma1(a, b, c) ((a) * (b) + (c))
#endif

/* Vectors of f32 from 16 bits, where there are instructions for it */
#if defined FA__LEVEL_avx512 || defined FA__LEVEL_avx2
#define HALF_VECTORS 1
#if defined FA__LEVEL_avx512
typedef __m256i halves;
#define HALVES(p) _mm256_loadu_si256((const __m256i *)(const void *)(p))
INLINE f32v f32v_of_f16(halves h)
{
    return _mm512_cvtph_ps(h);
}
INLINE f32v f32v_of_bf16(halves h)
{
    return (f32v)_mm512_slli_epi32(_mm512_cvtepu16_epi32(h), 16);
}
#else
typedef __m128i halves;
#define HALVES(p) _mm_loadu_si128((const __m128i *)(const void *)(p))
INLINE f32v f32v_of_f16(halves h)
{
    return _mm256_cvtph_ps(h);
}
INLINE f32v f32v_of_bf16(halves h)
{
    return (f32v)_mm256_slli_epi32(_mm256_cvtepu16_epi32(h), 16);
}
#endif
INLINE f32v f32_load_f16(const uint16_t *p)
{
    return f32v_of_f16(HALVES(p));
}
INLINE f32v f32_load_bf16(const uint16_t *p)
{
    return f32v_of_bf16(HALVES(p));
}
#endif

/* The first n lanes, 1 <= n <= lanes: nothing behind them is touched; the others are loaded as 0. */
#if defined FA__LEVEL_avx512
INLINE f32v f32_load_part(const float *p, int64_t n)
{
    return _mm512_maskz_loadu_ps((__mmask16)_bzhi_u32(0xffff, (uint32_t)n), p);
}
INLINE void f32_store_part(float *p, f32v v, int64_t n)
{
    _mm512_mask_storeu_ps(p, (__mmask16)_bzhi_u32(0xffff, (uint32_t)n), v);
}
INLINE f64v f64_load_part(const double *p, int64_t n)
{
    return _mm512_maskz_loadu_pd((__mmask8)_bzhi_u32(0xff, (uint32_t)n), p);
}
INLINE void f64_store_part(double *p, f64v v, int64_t n)
{
    _mm512_mask_storeu_pd(p, (__mmask8)_bzhi_u32(0xff, (uint32_t)n), v);
}
#elif defined FA__LEVEL_avx2
INLINE __m256i f32_mask(int64_t n)
{
    return _mm256_cmpgt_epi32(_mm256_set1_epi32((int)n), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}
INLINE __m256i f64_mask(int64_t n)
{
    return _mm256_cmpgt_epi64(_mm256_set1_epi64x(n), _mm256_setr_epi64x(0, 1, 2, 3));
}
INLINE f32v f32_load_part(const float *p, int64_t n)
{
    return _mm256_maskload_ps(p, f32_mask(n));
}
/* In pieces: AMD's processors take masked stores apart into far more. */
INLINE void f32_store_part(float *p, f32v v, int64_t n)
{
    if (n >= f32_lanes) {
        f32_store(p, v);
        return;
    }
    __m128 rest = _mm256_castps256_ps128(v);
    if (n & 4) {
        _mm_storeu_ps(p, rest);
        rest = _mm256_extractf128_ps(v, 1);
        p += 4;
    }
    if (n & 2) {
        _mm_storel_pi((__m64 *)(void *)p, rest);
        rest = _mm_movehl_ps(rest, rest);
        p += 2;
    }
    const float last = _mm_cvtss_f32(rest);
    if (n & 1)
        __builtin_memcpy(p, &last, sizeof last);
}
INLINE f64v f64_load_part(const double *p, int64_t n)
{
    return _mm256_maskload_pd(p, f64_mask(n));
}
INLINE void f64_store_part(double *p, f64v v, int64_t n)
{
    __m128d rest = _mm256_castpd256_pd128(v);
    if (n >= f64_lanes) {
        f64_store(p, v);
        return;
    }
    if (n & 2) {
        _mm_storeu_pd(p, rest);
        rest = _mm256_extractf128_pd(v, 1);
        p += 2;
    }
    const double last = _mm_cvtsd_f64(rest);
    if (n & 1)
        __builtin_memcpy(p, &last, sizeof last);
}
#else
#define PART(name, real)                                                                                               \
    INLINE name##v name##_load_part(const real *p, int64_t n)                                                          \
    {                                                                                                                  \
        name##v v = {0};                                                                                               \
        for (int64_t i = 0; i < n; i++)                                                                                \
            v[i] = p[i];                                                                                               \
        return v;                                                                                                      \
    }                                                                                                                  \
    INLINE void name##_store_part(real *p, name##v v, int64_t n)                                                       \
    {                                                                                                                  \
        for (int64_t i = 0; i < n; i++)                                                                                \
            p[i] = v[i];                                                                                               \
    }
PART(f32, float)
PART(f64, double)
#endif
#endif
