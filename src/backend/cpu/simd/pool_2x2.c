/* Maxima of windows of 2 x 2 that lie side by side, of f32, and their gradient: a vector of results at once. */
#include "backend/cpu/simd/bytes.h"
#include "backend/cpu/simd/gemm_vector.h"
#include "backend/cpu/simd/simd.h"

enum { L = f32_lanes, HALF = L / 2 };

typedef int64_t i64v __attribute__((__vector_size__(VECTOR_BYTES)));
typedef int32_t halfm __attribute__((__vector_size__(VECTOR_BYTES / 2)));

#if defined FA__LEVEL_avx512
#define EVERY_SECOND(from)                                                                                             \
    from, from + 2, from + 4, from + 6, from + 8, from + 10, from + 12, from + 14, from + 16, from + 18, from + 20,    \
        from + 22, from + 24, from + 26, from + 28, from + 30
#define IN_TURN(from)                                                                                                  \
    from, from + 16, from + 1, from + 17, from + 2, from + 18, from + 3, from + 19, from + 4, from + 20, from + 5,     \
        from + 21, from + 6, from + 22, from + 7, from + 23
#define NUMBERS 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
#define LOW 0, 1, 2, 3, 4, 5, 6, 7
#define HIGH 8, 9, 10, 11, 12, 13, 14, 15
#elif defined FA__LEVEL_avx2
#define EVERY_SECOND(from) from, from + 2, from + 4, from + 6, from + 8, from + 10, from + 12, from + 14
#define IN_TURN(from) from, from + 8, from + 1, from + 9, from + 2, from + 10, from + 3, from + 11
#define NUMBERS 0, 1, 2, 3, 4, 5, 6, 7
#define LOW 0, 1, 2, 3
#define HIGH 4, 5, 6, 7
#else
#define EVERY_SECOND(from) from, from + 2, from + 4, from + 6
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
        f32v high[2], low[2];
        load_two(high, a + 2 * i, 2 * (n - i));
        load_two(low, b + 2 * i, 2 * (n - i));
        f32v best = __builtin_shufflevector(high[0], high[1], EVERY_SECOND(0));
        f32m offset = {0};
        raise(&best, &offset, __builtin_shufflevector(high[0], high[1], EVERY_SECOND(1)), 1);
        raise(&best, &offset, __builtin_shufflevector(low[0], low[1], EVERY_SECOND(0)), (int32_t)down);
        raise(&best, &offset, __builtin_shufflevector(low[0], low[1], EVERY_SECOND(1)), (int32_t)down + 1);
        store_up_to(y + i, best, n - i);
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

INLINE f32v where(f32m offset, int32_t is, f32v g)
{
    return (f32v)((offset == is) & (f32m)g);
}

INLINE void store_turns(float *p, f32v even, f32v odd, int64_t n)
{
    store_up_to(p, __builtin_shufflevector(even, odd, IN_TURN(0)), n);
    store_up_to(p + L, __builtin_shufflevector(even, odd, IN_TURN(HALF)), n - L);
}

void FA__SIMD(fa__pool_2x2_back)(float *a, float *b, const float *g, const int64_t *at, int64_t n, int64_t first,
                                 int64_t down)
{
    for (int64_t i = 0; i < n; i += L) {
        const int64_t left = n - i;
        f32m offset = offsets(at + i, left, first + 2 * i);
        f32v v = (left >= L ? f32_load(g + i) : f32_load_part(g + i, left)) + (f32v){0}; /* as a sum: -0 becomes 0 */
        store_turns(a + 2 * i, where(offset, 0, v), where(offset, 1, v), 2 * left);
        store_turns(b + 2 * i, where(offset, (int32_t)down, v), where(offset, (int32_t)down + 1, v), 2 * left);
    }
}

/* ---- with relu: a byte for each window, of which NONE is for those without an element above 0 ----
 * Rows lie without gaps, so that the last vector of a row may go beyond its end: what it writes there is written again
 * with the rows behind it. A row of L windows or more ends with a vector that lies before its end instead. */

enum { NONE = 255 };

/* Up to L windows of a pair of rows */
INLINE void relu_pool(float *y, uint8_t *at, const float *a, const float *b, int64_t n)
{
    f32v high[2], low[2], best = {0};
    f32m offset = NONE - (f32m){0};
    load_two(high, a, 2 * n);
    load_two(low, b, 2 * n);
    raise(&best, &offset, __builtin_shufflevector(high[0], high[1], EVERY_SECOND(0)), 0);
    raise(&best, &offset, __builtin_shufflevector(high[0], high[1], EVERY_SECOND(1)), 1);
    raise(&best, &offset, __builtin_shufflevector(low[0], low[1], EVERY_SECOND(0)), 2);
    raise(&best, &offset, __builtin_shufflevector(low[0], low[1], EVERY_SECOND(1)), 3);
    store_up_to(y, best, n);
    store_bytes(at, offset, n);
}

/* The next windows of a row of n >= L */
INLINE int64_t next_of(int64_t i, int64_t n)
{
    return i + L < n && i + 2 * L > n ? n - L : i + L;
}

void FA__SIMD(fa__relu_pool_2x2)(float *y, uint8_t *at, const float *x, int64_t pairs, int64_t w)
{
    const int64_t n = w / 2;
    for (int64_t k = 0; k < pairs; k++, y += n, at += n, x += 2 * w)
        if (n >= L)
            for (int64_t i = 0; i < n; i = next_of(i, n))
                relu_pool(y + i, at + i, x + 2 * i, x + w + 2 * i, L);
        else if ((pairs - k) * n >= L)
            relu_pool(y, at, x, x + w, L);
        else if (n > 0)
            relu_pool(y, at, x, x + w, n);
}

INLINE void relu_pool_back(float *a, float *b, const float *g, const uint8_t *at, int64_t n)
{
    f32m offset = load_bytes(at, n);
    f32v v = (n >= L ? f32_load(g) : f32_load_part(g, n)) + (f32v){0}; /* as a sum: -0 becomes 0 */
    store_turns(a, where(offset, 0, v), where(offset, 1, v), 2 * n);
    store_turns(b, where(offset, 2, v), where(offset, 3, v), 2 * n);
}

void FA__SIMD(fa__relu_pool_2x2_back)(float *x, const float *g, const uint8_t *at, int64_t pairs, int64_t w)
{
    const int64_t n = w / 2;
    for (int64_t k = 0; k < pairs; k++, g += n, at += n, x += 2 * w) {
        if (n >= L)
            for (int64_t i = 0; i < n; i = next_of(i, n))
                relu_pool_back(x + 2 * i, x + w + 2 * i, g + i, at + i, L);
        else if ((pairs - k) * n >= L)
            relu_pool_back(x, x + w, g, at, L);
        else if (n > 0)
            relu_pool_back(x, x + w, g, at, n);
        if (w & 1) /* a column that is in no window */
            x[w - 1] = x[2 * w - 1] = 0;
    }
}
