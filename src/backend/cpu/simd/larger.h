/* MAX_32(x, y): x > y ? x : y of vectors of f32, which is y where one of them is NaN; MAX_64 of f64; MIN_32 and MIN_64
 * with <. One instruction each, where gcc does not find it by itself; not defined elsewhere. */
#ifndef FA__SIMD_LARGER_H
#define FA__SIMD_LARGER_H
#if defined __SSE2__ && !defined __clang__
#include <immintrin.h>
#if defined __AVX512F__
#define OF_VECTORS(name) _mm512_##name
#elif defined __AVX2__
#define OF_VECTORS(name) _mm256_##name
#else
#define OF_VECTORS(name) _mm_##name
#endif
#define MAX_32 OF_VECTORS(max_ps)
#define MAX_64 OF_VECTORS(max_pd)
#define MIN_32 OF_VECTORS(min_ps)
#define MIN_64 OF_VECTORS(min_pd)
#endif
#endif
