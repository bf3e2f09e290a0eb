/* relu and maxima of windows of 2 x 2, and their gradient, of f16 and bf16 as they lie: those above 0 have the order of
 * integers. A lane of 32 bits holds the two elements of a window that are neighbours in memory. */
#include "backend/cpu/simd/bytes.h"
#include "backend/cpu/simd/gemm_vector.h"
#include "backend/cpu/simd/simd.h"

enum { L = f32_lanes, NONE = 255 };

typedef int16_t halfm __attribute__((__vector_size__(VECTOR_BYTES)));

/* A mask has lanes of -1 and 0. */
INLINE f32m pick(f32m mask, f32m yes, f32m no)
{
    return (mask & yes) | (~mask & no);
}

/* Pairs of neighbours, wherever they lie; the first n of them, and zeros */
typedef int32_t neighbours __attribute__((__vector_size__(VECTOR_BYTES), __aligned__(sizeof(uint16_t)), __may_alias__));

INLINE f32m load_part(const uint16_t *p, int64_t n)
{
#if defined FA__LEVEL_avx512
    return (f32m)_mm512_maskz_loadu_epi32(first_of(n), p);
#elif defined FA__LEVEL_avx2
    return (f32m)_mm256_maskload_epi32((const int *)(const void *)p, f32_mask(n));
#else
    f32m v = {0};
    __builtin_memcpy(&v, p, (size_t)n * sizeof v[0]);
    return v;
#endif
}

INLINE void store_part(uint16_t *p, f32m v, int64_t n)
{
#if defined FA__LEVEL_avx512
    _mm512_mask_storeu_epi32(p, first_of(n), (__m512i)v);
#elif defined FA__LEVEL_avx2
    f32_store_part((float *)(void *)p, (f32v)v, n);
#else
    __builtin_memcpy(p, &v, (size_t)n * sizeof v[0]);
#endif
}

INLINE f32m load_windows(const uint16_t *p, int64_t n)
{
    return n < L ? load_part(p, n) : (f32m) * (const neighbours *)(const void *)p;
}

INLINE void store_windows(uint16_t *p, f32m v, int64_t n)
{
    if (n < L)
        store_part(p, v, n);
    else
        *(neighbours *)(void *)p = (neighbours)v;
}

/* The larger magnitude of each of both elements, seen as integers */
INLINE halfm larger(halfm most, f32m pair)
{
    halfm x = (halfm)pair & 0x7fff, more = x > most;
    return (more & x) | (~more & most);
}

/* ---- rows, as in pool_2x2.c: what the last vector of a short row writes behind its end is written again ---- */

/* Of `left` windows, those of a row of `columns` that are taken at once */
INLINE int64_t taken(int64_t columns, int64_t left)
{
    return columns >= L || left >= L ? L : columns;
}

/* n <= L windows, complete. Of equal elements the first stays. */
INLINE void pool(uint16_t *y, uint8_t *at, f32m high, f32m low, int64_t n)
{
    const f32m upper = (f32m){0} - 0x10000;
    f32m left = high << 16, right = high & upper, left_below = low << 16, right_below = low & upper;
    f32m takes = right > left, below = right_below > left_below;
    f32m best = pick(takes, right, left), best_below = pick(below, right_below, left_below);
    f32m offset = pick(best_below > best, 2 - below, -takes);
    best = pick(best_below > best, best_below, best);
    store_halves(y, (best & (best > 0)) >> 16, n);
    store_bytes(at, pick(best > 0, offset, NONE - (f32m){0}), n);
}

bool FA__SIMD(fa__relu_pool_halves)(uint16_t *y, uint8_t *at, const uint16_t *x, int64_t pairs, int64_t w, uint16_t inf)
{
    const int64_t columns = w / 2;
    halfm most = {0};
    for (int64_t r = 0; r < pairs; r++, x += 2 * w, y += columns, at += columns) {
        const int64_t n = taken(columns, (pairs - r) * columns);
        for (int64_t i = 0; i < columns; i = f32_next(i, columns)) {
            const f32m high = load_windows(x + 2 * i, n), low = load_windows(x + w + 2 * i, n);
            most = larger(larger(most, high), low);
            pool(y + i, at + i, high, low, n);
        }
    }
    int16_t all = 0;
    for (int i = 0; i < 2 * L; i++)
        all |= (int16_t)(most[i] > (int16_t)inf);
    return !all;
}

/* What adding 0 to a number does: -0 becomes 0, and NaN quiet */
INLINE f32m plus_zero(f32m g, int32_t inf)
{
    const f32m magnitude = g & 0x7fff;
    return (g & (magnitude > 0)) | ((magnitude > inf) & (inf & -inf) >> 1);
}

void FA__SIMD(fa__relu_pool_halves_back)(uint16_t *x, const uint16_t *g, const uint8_t *at, int64_t pairs, int64_t w,
                                         uint16_t inf)
{
    const int64_t columns = w / 2;
    for (int64_t r = 0; r < pairs; r++, x += 2 * w, g += columns, at += columns) {
        const int64_t n = taken(columns, (pairs - r) * columns);
        for (int64_t i = 0; i < columns; i = f32_next(i, columns)) {
            const f32m v = plus_zero(load_halves(g + i, n), inf), offset = load_bytes(at + i, n);
            store_windows(x + 2 * i, ((offset == 0) & v) | ((offset == 1) & v << 16), n);
            store_windows(x + w + 2 * i, ((offset == 2) & v) | ((offset == 3) & v << 16), n);
        }
        if (w & 1) /* a column that is in no window */
            x[w - 1] = x[2 * w - 1] = 0;
    }
}
