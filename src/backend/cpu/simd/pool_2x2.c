/* Maxima of windows of 2 x 2 that lie side by side, of f32, and their gradient: a vector of results at once. */
#include "backend/cpu/simd/bytes.h"
#include "backend/cpu/simd/gemm_vector.h"
#include "backend/cpu/simd/larger.h"
#include "backend/cpu/simd/simd.h"

enum { L = f32_lanes, HALF = L / 2 };

typedef int64_t i64v __attribute__((__vector_size__(VECTOR_BYTES)));
typedef int32_t halfm __attribute__((__vector_size__(VECTOR_BYTES / 2)));

/* Shuffles stay within 16 bytes where they can: groups of two lanes are put in order before or after them.
 * EVERY_SECOND: of two vectors, from lane 0 or 1 on; GATHERED: puts its groups in order
 * SPREAD: puts groups so that IN_TURN, of the first or of the last lanes of 16 bytes, has them in order */
#if defined FA__LEVEL_avx512
#define EVERY_SECOND(from)                                                                                             \
    from, from + 2, from + 16, from + 18, from + 4, from + 6, from + 20, from + 22, from + 8, from + 10, from + 24,    \
        from + 26, from + 12, from + 14, from + 28, from + 30
#define GATHERED 0, 1, 4, 5, 8, 9, 12, 13, 2, 3, 6, 7, 10, 11, 14, 15
#define SPREAD 0, 1, 8, 9, 2, 3, 10, 11, 4, 5, 12, 13, 6, 7, 14, 15
#define IN_TURN(from)                                                                                                  \
    from, from + 16, from + 1, from + 17, from + 4, from + 20, from + 5, from + 21, from + 8, from + 24, from + 9,     \
        from + 25, from + 12, from + 28, from + 13, from + 29
#define NUMBERS 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
#define LOW 0, 1, 2, 3, 4, 5, 6, 7
#define HIGH 8, 9, 10, 11, 12, 13, 14, 15
#elif defined FA__LEVEL_avx2
#define EVERY_SECOND(from) from, from + 2, from + 8, from + 10, from + 4, from + 6, from + 12, from + 14
#define GATHERED 0, 1, 4, 5, 2, 3, 6, 7
#define SPREAD GATHERED
#define IN_TURN(from) from, from + 8, from + 1, from + 9, from + 4, from + 12, from + 5, from + 13
#define NUMBERS 0, 1, 2, 3, 4, 5, 6, 7
#define LOW 0, 1, 2, 3
#define HIGH 4, 5, 6, 7
#else
#define EVERY_SECOND(from) from, from + 2, from + 4, from + 6
#define GATHERED 0, 1, 2, 3
#define SPREAD GATHERED
#define IN_TURN(from) from, from + 4, from + 1, from + 5
#define NUMBERS 0, 1, 2, 3
#define LOW 0, 1
#define HIGH 2, 3
#endif

/* The first n of 2 L numbers; 1 <= n */
INLINE void load_two(f32v v[2], const float *p, int64_t n)
{
    v[0] = n < L ? f32_load_part(p, n) : f32_load(p);
    v[1] = n <= L ? v[0] : n < 2 * L ? f32_load_part(p + L, n - L) : f32_load(p + L);
}

/* The elements of up to L windows of a pair of rows, by their number in a window; windows in the order of EVERY_SECOND
 */
INLINE void load_windows(f32v x[4], const float *a, const float *b, int64_t n)
{
    f32v high[2], low[2];
    load_two(high, a, 2 * n);
    load_two(low, b, 2 * n);
    x[0] = __builtin_shufflevector(high[0], high[1], EVERY_SECOND(0));
    x[1] = __builtin_shufflevector(high[0], high[1], EVERY_SECOND(1));
    x[2] = __builtin_shufflevector(low[0], low[1], EVERY_SECOND(0));
    x[3] = __builtin_shufflevector(low[0], low[1], EVERY_SECOND(1));
}

INLINE void store_up_to(float *p, f32v v, int64_t n)
{
    if (n >= L)
        f32_store(p, v);
    else if (n > 0)
        f32_store_part(p, v, n);
}

INLINE void store_places(int64_t *p, i64v v, int64_t n)
{
    if (n >= HALF)
        *(f64u *)(void *)p = (f64v)v;
    else if (n > 0)
        f64_store_part((double *)(void *)p, (f64v)v, n);
}

INLINE f32v pick(f32m mask, f32v yes, f32v no)
{
    return (f32v)((mask & (f32m)yes) | (~mask & (f32m)no));
}

/* Takes x where it is larger, or not a number: of equal ones the first stays. */
INLINE void raise(f32v *best, f32m *offset, f32v x, int32_t at)
{
    f32m takes = (x > *best) | ~(x <= __builtin_inff());
    *best = pick(takes, x, *best);
    *offset = (takes & (at - (f32m){0})) | (~takes & *offset);
}

void FA__SIMD(fa__pool_2x2)(float *y, int64_t *at, const float *a, const float *b, int64_t n, int64_t first,
                            int64_t down)
{
    const f32m twice = 2 * (f32m){NUMBERS};
    for (int64_t i = 0; i < n; i += L) {
        f32v x[4], best;
        f32m offset = {0};
        load_windows(x, a + 2 * i, b + 2 * i, n - i);
        best = x[0];
        raise(&best, &offset, x[1], 1);
        raise(&best, &offset, x[2], (int32_t)down);
        raise(&best, &offset, x[3], (int32_t)down + 1);
        offset = __builtin_shufflevector(offset, offset, GATHERED);
        store_up_to(y + i, __builtin_shufflevector(best, best, GATHERED), n - i);
        if (!at)
            continue;
        offset += twice;
        const int64_t here = first + 2 * i;
        halfm left = __builtin_shufflevector(offset, offset, LOW),
              right = __builtin_shufflevector(offset, offset, HIGH);
        store_places(at + i, __builtin_convertvector(left, i64v) + here, n - i);
        store_places(at + i + HALF, __builtin_convertvector(right, i64v) + here, n - i - HALF);
    }
}

/* The lanes' places in a window; those behind n are in none. */
INLINE f32m offsets(const int64_t *at, int64_t n, int64_t here)
{
    f32m offset = {0};
    if (n >= L) {
        const f64u *p = (const void *)at;
        halfm left = __builtin_convertvector((i64v)(f64v)p[0] - here, halfm);
        halfm right = __builtin_convertvector((i64v)(f64v)p[1] - here, halfm);
        offset = __builtin_shufflevector(left, right, NUMBERS);
    } else {
        for (int i = 0; i < L; i++)
            offset[i] = i < n ? (int32_t)(at[i] - here) : -1;
    }
    return offset - 2 * (f32m){NUMBERS};
}

/* g where the offset is what it is for the even lanes, and for the odd ones: two vectors, up to 2 n elements */
INLINE void store_turns(float *p, f32m offset, f32v g, int32_t even_is, int32_t odd_is, int64_t n)
{
    const f32v even = (f32v)((offset == even_is) & (f32m)g), odd = (f32v)((offset == odd_is) & (f32m)g);
    store_up_to(p, __builtin_shufflevector(even, odd, IN_TURN(0)), 2 * n);
    store_up_to(p + L, __builtin_shufflevector(even, odd, IN_TURN(2)), 2 * n - L);
}

/* Gradients of up to L windows of a pair of rows, from those of the results, which are as if added to 0: -0 becomes 0
 */
INLINE void store_gradients(float *a, float *b, const float *g, f32m offset, int32_t down, int64_t n)
{
    f32v v = (n >= L ? f32_load(g) : f32_load_part(g, n)) + (f32v){0};
    v = __builtin_shufflevector(v, v, SPREAD);
    offset = __builtin_shufflevector(offset, offset, SPREAD);
    store_turns(a, offset, v, 0, 1, n);
    store_turns(b, offset, v, down, down + 1, n);
}

void FA__SIMD(fa__pool_2x2_back)(float *a, float *b, const float *g, const int64_t *at, int64_t n, int64_t first,
                                 int64_t down)
{
    for (int64_t i = 0; i < n; i += L) {
        const int64_t left = n - i;
        store_gradients(a + 2 * i, b + 2 * i, g + i, offsets(at + i, left, first + 2 * i), (int32_t)down, left);
    }
}

/* ---- with relu: a byte for each window, of which NONE is for those without an element above 0 ----
 * Rows lie without gaps, so that the last vector of a row may go beyond its end: what it writes there is written again
 * with the rows behind it. A row of L windows or more ends with a vector that lies before its end instead. */

enum { NONE = 255 };

INLINE f32v larger(f32v a, f32v b)
{
#ifdef MAX_32
    return MAX_32(a, b);
#else
    return pick(a > b, a, b);
#endif
}

/* Up to L windows of a pair of rows without NaN. Lanes of the result are NaN if an element is (or two infinities are).
 */
INLINE f32v relu_pool(float *y, uint8_t *at, const float *a, const float *b, int64_t n)
{
    f32v x[4];
    load_windows(x, a, b, n);
    f32v best = larger(larger(x[0], x[1]), larger(x[2], x[3]));
    const f32m not_0 = x[0] != best, not_1 = not_0 & (x[1] != best), not_2 = not_1 & (x[2] != best);
    const f32m above = best > 0, offset = (above & -(not_0 + not_1 + not_2)) | (~above & NONE);
    best = (f32v)(above & (f32m)best);
    store_up_to(y, __builtin_shufflevector(best, best, GATHERED), n);
    store_bytes(at, __builtin_shufflevector(offset, offset, GATHERED), n);
    return (x[0] + x[1]) + (x[2] + x[3]);
}

/* The same where some are NaN, which are larger than all numbers; the result means nothing. */
INLINE f32v relu_pool_nan(float *y, uint8_t *at, const float *a, const float *b, int64_t n)
{
    f32v x[4], best = {0};
    f32m offset = NONE - (f32m){0};
    load_windows(x, a, b, n);
    for (int i = 0; i < 4; i++)
        raise(&best, &offset, x[i], i);
    store_up_to(y, __builtin_shufflevector(best, best, GATHERED), n);
    store_bytes(at, __builtin_shufflevector(offset, offset, GATHERED), n);
    return best;
}

typedef f32v pool_windows(float *y, uint8_t *at, const float *a, const float *b, int64_t n);

/* Returns whether a lane of what `pool` returned is NaN. */
INLINE bool pool_rows(float *y, uint8_t *at, const float *x, int64_t pairs, int64_t w, pool_windows *pool)
{
    const int64_t n = w / 2;
    f32m nan = {0};
    for (int64_t k = 0; k < pairs && n > 0; k++, y += n, at += n, x += 2 * w)
        for (int64_t i = 0; i < n; i = n >= L ? f32_next(i, n) : n) {
            const bool whole = n >= L || (pairs - k) * n >= L;
            const f32v sum = whole ? pool(y + i, at + i, x + 2 * i, x + w + 2 * i, L) : pool(y, at, x, x + w, n);
            nan |= ~(sum <= __builtin_inff());
        }
    int32_t any = 0;
    for (int i = 0; i < L; i++)
        any |= nan[i];
    return any;
}

void FA__SIMD(fa__relu_pool_2x2)(float *y, uint8_t *at, const float *x, int64_t pairs, int64_t w)
{
    if (pool_rows(y, at, x, pairs, w, relu_pool))
        pool_rows(y, at, x, pairs, w, relu_pool_nan);
}

INLINE void relu_pool_back(float *a, float *b, const float *g, const uint8_t *at, int64_t n)
{
    store_gradients(a, b, g, load_bytes(at, n), 2, n);
}

void FA__SIMD(fa__relu_pool_2x2_back)(float *x, const float *g, const uint8_t *at, int64_t pairs, int64_t w)
{
    const int64_t n = w / 2;
    for (int64_t k = 0; k < pairs; k++, g += n, at += n, x += 2 * w) {
        if (n >= L)
            for (int64_t i = 0; i < n; i = f32_next(i, n))
                relu_pool_back(x + 2 * i, x + w + 2 * i, g + i, at + i, L);
        else if ((pairs - k) * n >= L)
            relu_pool_back(x, x + w, g, at, L);
        else if (n > 0)
            relu_pool_back(x, x + w, g, at, n);
        if (w & 1) /* a column that is in no window */
            x[w - 1] = x[2 * w - 1] = 0;
    }
}
