/* f16 to f32 and back by instructions, where there are any: the same numbers as convert.h gives, but for the digits of
 * NaN. */
#ifndef FA__CPU_HALF_H
#define FA__CPU_HALF_H
#include "dialect.h"
#if defined __F16C__ && defined __AVX__
#include <immintrin.h>

/* How many of the n elements were converted: whole vectors. */
FN i64 f32_from_halves(f32 *to, const u16 *from, i64 n)
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

FN i64 halves_from_f32(u16 *to, const f32 *from, i64 n)
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
#else
FN i64 f32_from_halves(f32 *to, const u16 *from, i64 n) /* NOLINT(readability-non-const-parameter): as above */
{
    (void)to, (void)from, (void)n;
    return 0;
}

FN i64 halves_from_f32(u16 *to, const f32 *from, i64 n) /* NOLINT(readability-non-const-parameter): as above */
{
    (void)to, (void)from, (void)n;
    return 0;
}
#endif
#endif
