/* Stores past the caches, of one vector. */
#ifndef FA__SIMD_STREAM_H
#define FA__SIMD_STREAM_H
#include "dialect.h"
#if !defined __clang__ && defined __SSE2__
#include <immintrin.h>
#endif

#if defined __AVX512F__
enum { LANE = 64 };
#define STREAM(to, value) _mm512_stream_si512((void *)(to), (__m512i)(value))
#elif defined __AVX__
enum { LANE = 32 };
#define STREAM(to, value) _mm256_stream_si256((void *)(to), (__m256i)(value))
#else
enum { LANE = 16 };
#define STREAM(to, value) _mm_stream_si128((void *)(to), (__m128i)(value))
#endif
typedef u64 lane __attribute__((__vector_size__(LANE), __may_alias__));
typedef u64 lane_anywhere __attribute__((__vector_size__(LANE), __aligned__(1), __may_alias__));

/* `to` is aligned to its size. */
FN void stream_lane(lane *to, lane value)
{
#if defined __clang__
    __builtin_nontemporal_store(value, to);
#elif defined __SSE2__
    STREAM(to, value);
#else
    *to = value;
#endif
}
#endif
