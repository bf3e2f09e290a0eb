/* The first n of a vector's lanes as bytes and as 16 bits in memory; n > 0. Kernels are compiled with -fno-builtin:
 * only
 * __builtin_memcpy becomes an instruction. */
#ifndef FA__SIMD_BYTES_H
#define FA__SIMD_BYTES_H
#include "backend/cpu/simd/gemm_vector.h"
#include <stddef.h>

#if defined FA__LEVEL_avx512
/* The compiler makes one instruction of a conversion and a masked store, which AMD's processors take apart slowly. */
#define APART(v) __asm__("" : "+v"(v))

INLINE __mmask16 first_of(int64_t n)
{
    return (__mmask16)_bzhi_u32(0xffff, n < f32_lanes ? (uint32_t)n : f32_lanes);
}

INLINE f32m load_bytes(const uint8_t *p, int64_t n)
{
    return (f32m)_mm512_cvtepu8_epi32(_mm_maskz_loadu_epi8(first_of(n), p));
}

INLINE void store_bytes(uint8_t *p, f32m v, int64_t n)
{
    __m128i narrow = _mm512_cvtepi32_epi8((__m512i)v);
    APART(narrow);
    _mm_mask_storeu_epi8(p, first_of(n), narrow);
}
#else
typedef uint16_t uint16h __attribute__((__vector_size__(VECTOR_BYTES / 2)));

/* Fewer than 8 numbers of 16 bits, in pieces of 4, 2 and 1 */
INLINE void copy_halves(void *to, const void *from, int64_t n)
{
    uint16_t *out = to;
    const uint16_t *in = from;
#define COPY_PIECE(piece)                                                                                              \
    if (n & (piece)) {                                                                                                 \
        __builtin_memcpy(out, in, (piece) * sizeof *in);                                                               \
        out += piece;                                                                                                  \
        in += piece;                                                                                                   \
    }
    COPY_PIECE(4) COPY_PIECE(2) COPY_PIECE(1)
}

/* Pieces of 4, 2 and 1 */
INLINE uint64_t load_pieces(const uint8_t *p, int64_t n)
{
    uint64_t all = 0;
    uint32_t four = 0;
    uint16_t two = 0;
    if (n & 1)
        all = p[n - 1];
    if (n & 2) {
        __builtin_memcpy(&two, p + (n & 4), 2);
        all = all << 16 | two;
    }
    if (n & 4) {
        __builtin_memcpy(&four, p, 4);
        all = all << 32 | four;
    }
    return all;
}

INLINE void store_pieces(uint8_t *p, uint64_t all, int64_t n)
{
    const uint32_t four = (uint32_t)all;
    if (n & 4) {
        __builtin_memcpy(p, &four, 4);
        all >>= 32;
    }
    const uint16_t two = (uint16_t)all;
    if (n & 2) {
        __builtin_memcpy(p + (n & 4), &two, 2);
        all >>= 16;
    }
    if (n & 1)
        p[n - 1] = (uint8_t)all;
}

INLINE f32m load_bytes(const uint8_t *p, int64_t n)
{
    uint64_t all = 0;
    if (n >= f32_lanes)
        __builtin_memcpy(&all, p, f32_lanes);
    else
        all = load_pieces(p, n);
#if defined FA__LEVEL_avx2
    return (f32m)_mm256_cvtepu8_epi32(_mm_cvtsi64_si128((long long)all));
#else
    return (f32m){(int32_t)(all & 255), (int32_t)(all >> 8 & 255), (int32_t)(all >> 16 & 255), (int32_t)(all >> 24)};
#endif
}

INLINE void store_bytes(uint8_t *p, f32m v, int64_t n)
{
#if defined FA__LEVEL_avx2
    const __m128i words = _mm_packus_epi32(_mm256_castsi256_si128((__m256i)v), _mm256_extracti128_si256((__m256i)v, 1));
    const uint64_t all = (uint64_t)_mm_cvtsi128_si64(_mm_packus_epi16(words, words));
#else
    const uint64_t all = (uint64_t)v[0] | (uint64_t)v[1] << 8 | (uint64_t)v[2] << 16 | (uint64_t)v[3] << 24;
#endif
    if (n >= f32_lanes)
        __builtin_memcpy(p, &all, f32_lanes);
    else
        store_pieces(p, all, n);
}
#endif

/* Numbers of 16 bits in lanes of 32, of which storing takes the low half */
INLINE f32m load_halves(const uint16_t *p, int64_t n)
{
#if defined FA__LEVEL_avx512
    return (f32m)_mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(first_of(n), p));
#else
    uint16h v = {0};
    if (n < f32_lanes)
        copy_halves(&v, p, n);
    else
        __builtin_memcpy(&v, p, sizeof v);
    return __builtin_convertvector(v, f32m);
#endif
}

INLINE void store_halves(uint16_t *p, f32m v, int64_t n)
{
#if defined FA__LEVEL_avx512
    __m256i narrow = _mm512_cvtepi32_epi16((__m512i)v);
    APART(narrow);
    _mm256_mask_storeu_epi16(p, first_of(n), narrow);
#else
    const uint16h narrow = __builtin_convertvector(v, uint16h);
    if (n < f32_lanes)
        copy_halves(p, &narrow, n);
    else
        __builtin_memcpy(p, &narrow, sizeof narrow);
#endif
}
#endif
