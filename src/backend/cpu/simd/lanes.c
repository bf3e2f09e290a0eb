/* The loops of convolutions with one image in each lane (backend/cpu/lanes.h): tiles of sums in registers. */
#include "backend/cpu/lanes.h"
#include "backend/cpu/simd/gemm_transpose.h"
#include "backend/cpu/simd/gemm_vector.h"
#include "backend/cpu/simd/simd.h"

/* Sums, a vector of one operand for each column, and one of the other fill the registers. */
#if TILE_ROWS == 14
enum { CHANNELS = 6, ACROSS = 4 };
#define EACH_WIDTH(X, channels) X(channels, 1) X(channels, 2) X(channels, 3) X(channels, 4)
#else
enum { CHANNELS = 6, ACROSS = 2 };
#define EACH_WIDTH(X, channels) X(channels, 1) X(channels, 2)
#endif
#define EACH_TILE(X)                                                                                                   \
    EACH_WIDTH(X, 1) EACH_WIDTH(X, 2) EACH_WIDTH(X, 3) EACH_WIDTH(X, 4) EACH_WIDTH(X, 5) EACH_WIDTH(X, 6)

enum { L = f32_lanes };

/* ---- images ---- */

INLINE void add_tap(f32v sum[CHANNELS][ACROSS], const float *x, int64_t next, const float *weight, int channels,
                    int pixels)
{
    f32v xv[ACROSS];
    UNROLL
    for (int j = 0; j < pixels; j++)
        xv[j] = f32_load(x + j * next);
    UNROLL
    for (int i = 0; i < channels; i++) {
        f32v w = f32_splat(weight[i]);
        UNROLL
        for (int j = 0; j < pixels; j++)
            sum[i][j] = f32_fma(w, xv[j], sum[i][j]);
    }
}

INLINE void sums_of_tile(const fa__lanes_sums *t, const float *first, float *y, int channels, int pixels)
{
    f32v sum[CHANNELS][ACROSS];
    UNROLL
    for (int i = 0; i < channels; i++) {
        UNROLL
        for (int j = 0; j < pixels; j++)
            sum[i][j] = (f32v){0};
    }
    const int64_t next = t->x_next, columns = t->taps[2];
    for (int64_t c = 0; c < t->taps[0]; c++)
        for (int64_t r = 0; r < t->taps[1]; r++) {
            const float *x = first + c * t->x_tap[0] + r * t->x_tap[1];
            const float *weight = t->weight + c * t->weight_tap[0] + r * t->weight_tap[1];
            for (int64_t k = columns; k > 0; k--, x += t->x_tap[2], weight += channels)
                add_tap(sum, x, next, weight, channels, pixels);
        }
    UNROLL
    for (int i = 0; i < channels; i++) {
        UNROLL
        for (int j = 0; j < pixels; j++)
            f32_store(y + i * t->y_channel + j * L, t->bias ? sum[i][j] + f32_splat(t->bias[i]) : sum[i][j]);
    }
}

INLINE void sums_of(const fa__lanes_sums *t, int channels, int pixels)
{
    for (int64_t n = 0; n < t->tiles; n++)
        sums_of_tile(t, t->x + n * pixels * t->x_next, t->y + n * pixels * L, channels, pixels);
}

#define SUMS(channels, pixels)                                                                                         \
    static void sums_##channels##_##pixels(const fa__lanes_sums *t)                                                    \
    {                                                                                                                  \
        sums_of(t, channels, pixels);                                                                                  \
    }
EACH_TILE(SUMS)

static void sums(const fa__lanes_sums *t)
{
#define SUMS_ENTRY(channels, pixels) [channels - 1][pixels - 1] = sums_##channels##_##pixels,
    static void (*const table[CHANNELS][ACROSS])(const fa__lanes_sums *) = {EACH_TILE(SUMS_ENTRY)};
    table[t->channels - 1][t->pixels - 1](t);
}

/* ---- weights ---- */

INLINE void products_of(const fa__lanes_products *t, int channels, int taps)
{
    f32v sum[ACROSS][CHANNELS];
    UNROLL
    for (int j = 0; j < taps; j++) {
        UNROLL
        for (int i = 0; i < channels; i++)
            sum[j][i] = f32_load(t->sum + j * t->sum_tap + i * L);
    }
    for (int64_t row = 0; row < t->rows; row++) {
        const float *y = t->y + row * t->y_row, *x = t->x + row * t->x_row;
        for (int64_t k = t->columns; k > 0; k--, y += L, x += t->x_next) {
            f32v xv[ACROSS];
            UNROLL
            for (int j = 0; j < taps; j++)
                xv[j] = f32_load(x + t->x_tap[j]);
            UNROLL
            for (int i = 0; i < channels; i++) {
                f32v g = f32_load(y + i * t->y_channel);
                UNROLL
                for (int j = 0; j < taps; j++)
                    sum[j][i] = f32_fma(xv[j], g, sum[j][i]);
            }
        }
    }
    UNROLL
    for (int j = 0; j < taps; j++) {
        UNROLL
        for (int i = 0; i < channels; i++)
            f32_store(t->sum + j * t->sum_tap + i * L, sum[j][i]);
    }
}

#define PRODUCTS(channels, taps)                                                                                       \
    static void products_##channels##_##taps(const fa__lanes_products *t)                                              \
    {                                                                                                                  \
        products_of(t, channels, taps);                                                                                \
    }
EACH_TILE(PRODUCTS)

static void products(const fa__lanes_products *t)
{
#define PRODUCTS_ENTRY(channels, taps) [channels - 1][taps - 1] = products_##channels##_##taps,
    static void (*const table[CHANNELS][ACROSS])(const fa__lanes_products *) = {EACH_TILE(PRODUCTS_ENTRY)};
    table[t->channels - 1][t->taps - 1](t);
}

/* ---- blocks ---- */

/* The next vector of n >= L elements: the last one ends where they do. */
INLINE int64_t next_of(int64_t at, int64_t n)
{
    return at + L < n && at + 2 * L > n ? n - L : at + L;
}

static void gather(float *block, const float *const *row, int64_t n)
{
    f32v in[L], out[L];
    if (n < L) {
        UNROLL
        for (int j = 0; j < L; j++)
            in[j] = f32_load_part(row[j], n);
        f32_turn(out, in);
        for (int64_t i = 0; i < n; i++)
            f32_store(block + i * L, out[i]);
        return;
    }
    for (int64_t at = 0; at < n; at = next_of(at, n)) {
        UNROLL
        for (int j = 0; j < L; j++)
            in[j] = f32_load(row[j] + at);
        f32_turn(out, in);
        UNROLL
        for (int i = 0; i < L; i++)
            f32_store(block + (at + i) * L, out[i]);
    }
}

#ifdef HALF_VECTORS
/* The first n lanes from 16 bits each, 1 <= n <= L; nothing behind them is touched. */
#ifdef FA__LEVEL_avx512
#define PART(p, n) _mm256_maskz_loadu_epi16((__mmask16)_bzhi_u32(0xffff, (uint32_t)(n)), p)
#else
INLINE __m128i load_halves(const uint16_t *p, int64_t n)
{
    uint16_t part[L] = {0};
    for (int64_t i = 0; i < n; i++)
        part[i] = p[i];
    return _mm_loadu_si128((const __m128i *)(const void *)part);
}
#define PART(p, n) load_halves(p, n)
#endif
#define GATHER_HALVES(dtype)                                                                                           \
    static void gather_##dtype(float *block, const float *const *row, int64_t n)                                       \
    {                                                                                                                  \
        for (int64_t at = 0; at < n; at += L) {                                                                        \
            f32v in[L], out[L];                                                                                        \
            const int64_t left = n - at < L ? n - at : L;                                                              \
            UNROLL                                                                                                     \
            for (int j = 0; j < L; j++) {                                                                              \
                const uint16_t *p = (const uint16_t *)(const void *)row[j] + at;                                       \
                in[j] = left == L ? f32_load_##dtype(p) : f32v_of_##dtype(PART(p, left));                              \
            }                                                                                                          \
            f32_turn(out, in);                                                                                         \
            for (int64_t i = 0; i < left; i++)                                                                         \
                f32_store(block + (at + i) * L, out[i]);                                                               \
        }                                                                                                              \
    }
GATHER_HALVES(f16)
GATHER_HALVES(bf16)
#else
#define gather_f16 NULL
#define gather_bf16 NULL
#endif

static void scatter(float *const *row, const float *block, int64_t n)
{
    f32v in[L], out[L];
    if (n < L) {
        for (int64_t i = 0; i < L; i++)
            in[i] = f32_load(block + (i < n ? i : 0) * L);
        f32_turn(out, in);
        UNROLL
        for (int j = 0; j < L; j++)
            if (row[j])
                f32_store_part(row[j], out[j], n);
        return;
    }
    for (int64_t at = 0; at < n; at = next_of(at, n)) {
        UNROLL
        for (int i = 0; i < L; i++)
            in[i] = f32_load(block + (at + i) * L);
        f32_turn(out, in);
        UNROLL
        for (int j = 0; j < L; j++)
            if (row[j])
                f32_store(row[j] + at, out[j]);
    }
}

/* Some neighbouring ones of L entries: the sum of lanes `from` to `to` of each */
INLINE void add_lanes(float *row, const f32v out[L], int from, int to, int64_t left)
{
    f32v sum = out[from];
    for (int j = from + 1; j < to; j++)
        sum = sum + out[j];
    if (left == L)
        f32_store(row, sum);
    else
        f32_store_part(row, sum, left);
}

INLINE void add_lines(float *const *row, const float *block, int64_t n, int count)
{
    for (int64_t at = 0; at < n; at += L) {
        f32v in[L], out[L];
        const int64_t left = n - at < L ? n - at : L;
        UNROLL
        for (int i = 0; i < L; i++)
            in[i] = f32_load(block + (at + (i < left ? i : 0)) * L);
        f32_turn(out, in);
        UNROLL
        for (int k = 0; k < L / FA__CONVOLUTION_ADDED; k++) {
            const int from = k * FA__CONVOLUTION_ADDED, to = from + FA__CONVOLUTION_ADDED;
            if (from < count)
                add_lanes(row[k] + at, out, from, to < count ? to : count, left);
        }
    }
}

static void add(float *const *row, const float *block, int64_t n, int count)
{
    if (count == L)
        add_lines(row, block, n, L);
    else
        add_lines(row, block, n, count);
}

const fa__lanes_kernels FA__SIMD(fa__lanes) = {L,      CHANNELS,   ACROSS,      sums,    products,
                                               gather, gather_f16, gather_bf16, scatter, add};
