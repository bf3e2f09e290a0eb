/* f16 and bf16 to f32 and back by instructions, where there are any: the same numbers as convert.h gives, but for the
 * digits of NaN of f16. */
#ifndef FA__CPU_HALF_H
#define FA__CPU_HALF_H
#include "dialect.h"
#if defined __F16C__ && defined __AVX__
#include <immintrin.h>

/* How many of the n elements were converted: whole vectors. */
FN i64 f32_from_f16(f32 *to, const u16 *from, i64 n)
{
    i64 i = 0;
#ifdef __AVX512F__
    for (; i + 16 <= n; i += 16)
        _mm512_storeu_ps(to + i, _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)(const void *)(from + i))));
#endif
    for (; i + 8 <= n; i += 8)
        _mm256_storeu_ps(to + i, _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(const void *)(from + i))));
    return i;
}

FN i64 f16_from_f32(u16 *to, const f32 *from, i64 n)
{
    enum { NEAREST_EVEN = 0 };
    i64 i = 0;
#ifdef __AVX512F__
    for (; i + 16 <= n; i += 16)
        _mm256_storeu_si256((__m256i *)(void *)(to + i), _mm512_cvtps_ph(_mm512_loadu_ps(from + i), NEAREST_EVEN));
#endif
    for (; i + 8 <= n; i += 8)
        _mm_storeu_si128((__m128i *)(void *)(to + i), _mm256_cvtps_ph(_mm256_loadu_ps(from + i), NEAREST_EVEN));
    return i;
}

/* What f16_from_f32 and f32_from_f16 leave */
FN i64 round_to_f16(f32 *to, const f32 *from, i64 n)
{
    enum { NEAREST_EVEN = 0 };
    i64 i = 0;
#ifdef __AVX512F__
    for (; i + 16 <= n; i += 16)
        _mm512_storeu_ps(to + i, _mm512_cvtph_ps(_mm512_cvtps_ph(_mm512_loadu_ps(from + i), NEAREST_EVEN)));
#endif
    for (; i + 8 <= n; i += 8)
        _mm256_storeu_ps(to + i, _mm256_cvtph_ps(_mm256_cvtps_ph(_mm256_loadu_ps(from + i), NEAREST_EVEN)));
    return i;
}
#else
FN i64 f32_from_f16(f32 *to, const u16 *from, i64 n) /* NOLINT(readability-non-const-parameter): as above */
{
    (void)to, (void)from, (void)n;
    return 0;
}

FN i64 f16_from_f32(u16 *to, const f32 *from, i64 n) /* NOLINT(readability-non-const-parameter): as above */
{
    (void)to, (void)from, (void)n;
    return 0;
}

FN i64 round_to_f16(f32 *to, const f32 *from, i64 n) /* NOLINT(readability-non-const-parameter): as above */
{
    (void)to, (void)from, (void)n;
    return 0;
}
#endif

#if defined __AVX512BW__ && defined __BMI2__
#include <immintrin.h>

/* All n elements: vectors, and the rest as a part of one. */
FN i64 f32_from_bf16(f32 *to, const u16 *from, i64 n)
{
    i64 i = 0;
    for (; i + 16 <= n; i += 16) {
        const __m512i wide = _mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i *)(const void *)(from + i)));
        _mm512_storeu_si512(to + i, _mm512_slli_epi32(wide, 16));
    }
    if (i < n) {
        const __mmask16 mask = (__mmask16)_bzhi_u32(0xffff, (u32)(n - i));
        const __m512i wide = _mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(mask, from + i));
        _mm512_mask_storeu_epi32(to + i, mask, _mm512_slli_epi32(wide, 16));
    }
    return n;
}

/* Rounded, in the upper half: any but NaN */
FN __m512i near_bf16_number(__m512 x)
{
    const __m512i u = _mm512_castps_si512(x), near = _mm512_add_epi32(u, _mm512_set1_epi32(0x7fff));
    const __mmask16 odd = _mm512_test_epi32_mask(u, _mm512_set1_epi32(0x10000));
    return _mm512_mask_add_epi32(near, odd, near, _mm512_set1_epi32(1));
}

/* Any */
FN __m512i near_bf16(__m512 x)
{
    return _mm512_mask_or_epi32(near_bf16_number(x), _mm512_cmp_ps_mask(x, x, _CMP_UNORD_Q), _mm512_castps_si512(x),
                                _mm512_set1_epi32(0x400000));
}

/* Of two vectors. There is hardly ever a NaN, so one question for both is enough. */
FN void two_near_bf16(__m512i *first, __m512i *second, __m512 x, __m512 y)
{
    *first = near_bf16_number(x);
    *second = near_bf16_number(y);
    if (__builtin_expect(_mm512_cmp_ps_mask(x, y, _CMP_UNORD_Q) != 0, 0)) {
        *first = near_bf16(x);
        *second = near_bf16(y);
    }
}

/* One behind the other */
FN __m512i two_to_bf16(__m512 x, __m512 y)
{
    const __m512i upper =
        _mm512_set_epi32(0x3f003d, 0x3b0039, 0x370035, 0x330031, 0x2f002d, 0x2b0029, 0x270025, 0x230021, 0x1f001d,
                         0x1b0019, 0x170015, 0x130011, 0xf000d, 0xb0009, 0x70005, 0x30001);
    __m512i first, second;
    two_near_bf16(&first, &second, x, y);
    return _mm512_permutex2var_epi16(first, upper, second);
}

FN i64 bf16_from_f32(u16 *to, const f32 *from, i64 n)
{
    i64 i = 0;
    for (; i + 32 <= n; i += 32)
        _mm512_storeu_si512(to + i, two_to_bf16(_mm512_loadu_ps(from + i), _mm512_loadu_ps(from + i + 16)));
    if (i < n) {
        const __mmask32 mask = _bzhi_u32(0xffffffff, (u32)(n - i));
        const __m512 first = _mm512_maskz_loadu_ps((__mmask16)mask, from + i);
        const __m512 second = _mm512_maskz_loadu_ps((__mmask16)(mask >> 16), from + i + 16);
        _mm512_mask_storeu_epi16(to + i, mask, two_to_bf16(first, second));
    }
    return n;
}

/* What bf16_from_f32 and f32_from_bf16 leave */
FN i64 round_to_bf16(f32 *to, const f32 *from, i64 n)
{
    const __m512i upper = _mm512_set1_epi32(-0x10000);
    i64 i = 0;
    for (; i + 32 <= n; i += 32) {
        __m512i first, second;
        two_near_bf16(&first, &second, _mm512_loadu_ps(from + i), _mm512_loadu_ps(from + i + 16));
        _mm512_storeu_si512(to + i, _mm512_and_si512(first, upper));
        _mm512_storeu_si512(to + i + 16, _mm512_and_si512(second, upper));
    }
    for (; i < n; i += 16) {
        const __mmask16 mask = (__mmask16)_bzhi_u32(0xffff, n - i < 16 ? (u32)(n - i) : 16);
        const __m512i near = near_bf16(_mm512_maskz_loadu_ps(mask, from + i));
        _mm512_mask_storeu_epi32(to + i, mask, _mm512_and_si512(near, upper));
    }
    return n;
}
#elif defined __AVX2__
#include <immintrin.h>

/* How many of the n elements were converted: whole vectors. */
FN i64 f32_from_bf16(f32 *to, const u16 *from, i64 n)
{
    i64 i = 0;
    for (; i + 8 <= n; i += 8) {
        const __m256i wide = _mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i *)(const void *)(from + i)));
        _mm256_storeu_si256((__m256i *)(void *)(to + i), _mm256_slli_epi32(wide, 16));
    }
    return i;
}

/* Rounded, in the upper half: any but NaN */
FN __m256i near_bf16_number(__m256 x)
{
    const __m256i u = _mm256_castps_si256(x), last = _mm256_and_si256(_mm256_srli_epi32(u, 16), _mm256_set1_epi32(1));
    return _mm256_add_epi32(_mm256_add_epi32(u, _mm256_set1_epi32(0x7fff)), last);
}

/* Any */
FN __m256i near_bf16(__m256 x)
{
    const __m256i u = _mm256_castps_si256(x), nan = _mm256_castps_si256(_mm256_cmp_ps(x, x, _CMP_UNORD_Q));
    return _mm256_blendv_epi8(near_bf16_number(x), _mm256_or_si256(u, _mm256_set1_epi32(0x400000)), nan);
}

/* Of two vectors. There is hardly ever a NaN, so one question for both is enough. */
FN void two_near_bf16(__m256i *first, __m256i *second, __m256 x, __m256 y)
{
    *first = near_bf16_number(x);
    *second = near_bf16_number(y);
    if (__builtin_expect(_mm256_movemask_ps(_mm256_cmp_ps(x, y, _CMP_UNORD_Q)) != 0, 0)) {
        *first = near_bf16(x);
        *second = near_bf16(y);
    }
}

FN i64 bf16_from_f32(u16 *to, const f32 *from, i64 n)
{
    enum { QUARTERS_IN_ORDER = 0xd8 }; /* packing takes four of each vector in turn */
    i64 i = 0;
    for (; i + 16 <= n; i += 16) {
        __m256i first, second;
        two_near_bf16(&first, &second, _mm256_loadu_ps(from + i), _mm256_loadu_ps(from + i + 8));
        const __m256i both = _mm256_packus_epi32(_mm256_srli_epi32(first, 16), _mm256_srli_epi32(second, 16));
        _mm256_storeu_si256((__m256i *)(void *)(to + i), _mm256_permute4x64_epi64(both, QUARTERS_IN_ORDER));
    }
    for (; i + 8 <= n; i += 8) {
        const __m256i x = _mm256_srli_epi32(near_bf16(_mm256_loadu_ps(from + i)), 16);
        const __m128i both = _mm_packus_epi32(_mm256_castsi256_si128(x), _mm256_extracti128_si256(x, 1));
        _mm_storeu_si128((__m128i *)(void *)(to + i), both);
    }
    return i;
}

/* What bf16_from_f32 and f32_from_bf16 leave */
FN i64 round_to_bf16(f32 *to, const f32 *from, i64 n)
{
    const __m256i upper = _mm256_set1_epi32(-0x10000);
    i64 i = 0;
    for (; i + 16 <= n; i += 16) {
        __m256i first, second;
        two_near_bf16(&first, &second, _mm256_loadu_ps(from + i), _mm256_loadu_ps(from + i + 8));
        _mm256_storeu_si256((__m256i *)(void *)(to + i), _mm256_and_si256(first, upper));
        _mm256_storeu_si256((__m256i *)(void *)(to + i + 8), _mm256_and_si256(second, upper));
    }
    for (; i + 8 <= n; i += 8) {
        const __m256i near = near_bf16(_mm256_loadu_ps(from + i));
        _mm256_storeu_si256((__m256i *)(void *)(to + i), _mm256_and_si256(near, upper));
    }
    return i;
}
#else
FN i64 f32_from_bf16(f32 *to, const u16 *from, i64 n) /* NOLINT(readability-non-const-parameter): as above */
{
    (void)to, (void)from, (void)n;
    return 0;
}

FN i64 bf16_from_f32(u16 *to, const f32 *from, i64 n) /* NOLINT(readability-non-const-parameter): as above */
{
    (void)to, (void)from, (void)n;
    return 0;
}

FN i64 round_to_bf16(f32 *to, const f32 *from, i64 n) /* NOLINT(readability-non-const-parameter): as above */
{
    (void)to, (void)from, (void)n;
    return 0;
}
#endif
#endif
