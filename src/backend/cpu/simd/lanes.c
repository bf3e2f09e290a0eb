/* The loops of convolutions with one image in each lane (backend/cpu/lanes.h): tiles of sums in registers. */
#include "backend/cpu/lanes.h"
#include "backend/cpu/simd/bytes.h"
#include "backend/cpu/simd/gemm_transpose.h"
#include "backend/cpu/simd/gemm_vector.h"
#include "backend/cpu/simd/half.h"
#include "backend/cpu/simd/simd.h"

/* Sums, a vector of one operand for each column, and one of the other fill the registers. */
#if TILE_ROWS == 14
enum { CHANNELS = 6, ACROSS = 4, FEWER = 0, WIDER = 4 };
#define EACH_WIDTH(X, channels) X(channels, 1) X(channels, 2) X(channels, 3) X(channels, 4)
#define EACH_WIDER(X)
#else
enum { CHANNELS = 6, ACROSS = 2, FEWER = 4, WIDER = 3 };
#define EACH_WIDTH(X, channels) X(channels, 1) X(channels, 2)
#define EACH_WIDER(X) X(1, 3) X(2, 3) X(3, 3) X(4, 3)
#endif
#define EACH_TILE(X)                                                                                                   \
    EACH_WIDTH(X, 1) EACH_WIDTH(X, 2) EACH_WIDTH(X, 3) EACH_WIDTH(X, 4) EACH_WIDTH(X, 5) EACH_WIDTH(X, 6)

enum { L = f32_lanes };

/* ---- images ---- */

INLINE void add_tap(f32v sum[CHANNELS][WIDER], const f32v x[WIDER], const float *weight, int channels, int pixels)
{
    UNROLL
    for (int i = 0; i < channels; i++) {
        f32v w = f32_splat(weight[i]);
        UNROLL
        for (int j = 0; j < pixels; j++)
            f32_add_product(&sum[i][j], w, x[j]);
    }
}

INLINE void add_row(f32v sum[CHANNELS][WIDER], const fa__lanes_sums *t, const float *x, const float *weight,
                    int channels, int pixels)
{
    for (int64_t k = t->taps[2]; k > 0; k--, x += t->x_tap[2], weight += channels) {
        f32v xv[WIDER];
        UNROLL
        for (int j = 0; j < pixels; j++)
            xv[j] = f32_load(x + j * t->x_next);
        add_tap(sum, xv, weight, channels, pixels);
    }
}

/* The same for so many taps, which like the pixels are neighbours, in that order (step 1) or the other (-1): what one
 * of them reads of x the next has in registers. Fewer instructions are what counts where a core is shared. */
INLINE void add_known_row(f32v sum[CHANNELS][WIDER], const float *x, const float *weight, int channels, int pixels,
                          int taps, int step)
{
    UNROLL
    for (int k = 0; k < taps; k++) {
        f32v xv[WIDER];
        UNROLL
        for (int j = 0; j < pixels; j++)
            xv[j] = f32_load(x + (j + step * k) * L);
        add_tap(sum, xv, weight + k * channels, channels, pixels);
    }
}

INLINE void sums_of_tile(const fa__lanes_sums *t, const float *first, float *y, int channels, int pixels, int taps,
                         int step)
{
    f32v sum[CHANNELS][WIDER];
    UNROLL
    for (int i = 0; i < channels; i++) {
        UNROLL
        for (int j = 0; j < pixels; j++)
            sum[i][j] = (f32v){0};
    }
    for (int64_t c = 0; c < t->taps[0]; c++)
        for (int64_t r = 0; r < t->taps[1]; r++) {
            const float *x = first + c * t->x_tap[0] + r * t->x_tap[1];
            const float *weight = t->weight + c * t->weight_tap[0] + r * t->weight_tap[1];
            if (taps)
                add_known_row(sum, x, weight, channels, pixels, taps, step);
            else
                add_row(sum, t, x, weight, channels, pixels);
        }
    const float *bias = t->bias;
    const int64_t y_channel = t->y_channel;
    if (bias) {
        UNROLL
        for (int i = 0; i < channels; i++) {
            f32v more = f32_splat(bias[i]);
            UNROLL
            for (int j = 0; j < pixels; j++)
                sum[i][j] = sum[i][j] + more;
        }
    }
    UNROLL
    for (int i = 0; i < channels; i++, y += y_channel) {
        UNROLL
        for (int j = 0; j < pixels; j++)
            f32_store(y + j * L, sum[i][j]);
    }
}

INLINE void sums_of(const fa__lanes_sums *t, int channels, int pixels, int taps, int step)
{
    for (int64_t n = 0; n < t->tiles; n++)
        sums_of_tile(t, t->x + n * pixels * t->x_next, t->y + n * pixels * L, channels, pixels, taps, step);
}

#define TAPS(n)                                                                                                        \
    case n:                                                                                                            \
        sums_of(t, channels, pixels, n, step);                                                                         \
        return true;
INLINE bool sums_of_known(const fa__lanes_sums *t, int channels, int pixels, int step)
{
    switch (t->taps[2]) {
        TAPS(1)
        TAPS(2)
        TAPS(3)
        TAPS(4)
        TAPS(5)
    default:
        return false;
    }
}

INLINE void sums_with(const fa__lanes_sums *t, int channels, int pixels)
{
    enum { MANY = 4 }; /* tiles of fewer channels are rare: one loop is enough */
    const int64_t tap = channels >= MANY && t->x_next == L ? t->x_tap[2] : 0;
    if (tap == L && sums_of_known(t, channels, pixels, 1))
        return;
    if (tap == -L && sums_of_known(t, channels, pixels, -1))
        return;
    sums_of(t, channels, pixels, 0, 0);
}

#define SUMS(channels, pixels)                                                                                         \
    static void sums_##channels##_##pixels(const fa__lanes_sums *t)                                                    \
    {                                                                                                                  \
        sums_with(t, channels, pixels);                                                                                \
    }
EACH_TILE(SUMS)
EACH_WIDER(SUMS)

static void sums(const fa__lanes_sums *t)
{
#define SUMS_ENTRY(channels, pixels) [channels - 1][pixels - 1] = sums_##channels##_##pixels,
    static void (*const table[CHANNELS][WIDER])(const fa__lanes_sums *) = {EACH_TILE(SUMS_ENTRY)
                                                                               EACH_WIDER(SUMS_ENTRY)};
    table[t->channels - 1][t->pixels - 1](t);
}

/* ---- weights ---- */

/* The pixels of a row: a pointer for each channel and each tap, which stay in registers beside one place for all of y
 * and one for all of x. */
INLINE void products_of_row(f32v sum[ACROSS][CHANNELS], const fa__lanes_products *t, int64_t row, int channels,
                            int taps)
{
    const float *y[CHANNELS], *x[ACROSS];
    UNROLL
    for (int i = 0; i < channels; i++) {
        y[i] = t->y + row * t->y_row + i * t->y_channel + t->columns * L;
        __asm__("" : "+r"(y[i]));
    }
    UNROLL
    for (int j = 0; j < taps; j++) {
        x[j] = t->x + row * t->x_row + t->x_tap[j];
        __asm__("" : "+r"(x[j]));
    }
    const int64_t x_next = t->x_next;
    for (int64_t at = -t->columns * L, x_at = 0; at < 0; at += L, x_at += x_next) {
        f32v xv[ACROSS];
        UNROLL
        for (int j = 0; j < taps; j++)
            xv[j] = f32_load(x[j] + x_at);
        UNROLL
        for (int i = 0; i < channels; i++) {
            f32v g = f32_load(y[i] + at);
            UNROLL
            for (int j = 0; j < taps; j++)
                f32_add_product(&sum[j][i], xv[j], g);
        }
    }
}

INLINE void products_of(const fa__lanes_products *t, int channels, int taps)
{
    f32v sum[ACROSS][CHANNELS];
    float *const to = t->sum;
    const int64_t tap = t->sum_tap;
    UNROLL
    for (int j = 0; j < taps; j++) {
        UNROLL
        for (int i = 0; i < channels; i++)
            sum[j][i] = f32_load(to + j * tap + i * L);
    }
    for (int64_t row = 0; row < t->rows; row++)
        products_of_row(sum, t, row, channels, taps);
    UNROLL
    for (int j = 0; j < taps; j++) {
        UNROLL
        for (int i = 0; i < channels; i++)
            f32_store(to + j * tap + i * L, sum[j][i]);
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
    for (int64_t at = 0; at < n; at = f32_next(at, n)) {
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
INLINE __m128i first_halves(const uint16_t *p, int64_t n)
{
    uint16_t part[L] = {0};
    copy_halves(part, p, n);
    return _mm_loadu_si128((const __m128i *)(const void *)part);
}
#define PART(p, n) first_halves(p, n)
#endif
/* From entry `at` on; the last vector of L entries or more ends where they do. */
#define GATHER_HALVES(dtype)                                                                                           \
    static void gather_##dtype##_from(float *block, const float *const *row, int64_t at, int64_t n)                    \
    {                                                                                                                  \
        for (at = n >= L && at > n - L ? n - L : at; at < n; at = f32_next(at, n)) {                                   \
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

static void gather_f16(float *block, const float *const *row, int64_t n)
{
    gather_f16_from(block, row, 0, n);
}

static void gather_bf16(float *block, const float *const *row, int64_t n)
{
    int64_t at = 0;
    for (; at + 2 * L <= n; at += 2 * L) {
        f32v in[L], out[L];
        UNROLL
        for (int j = 0; j < L; j++)
            in[j] = bf16_load_pairs((const uint16_t *)(const void *)row[j] + at);
        f32_turn(out, in);
        UNROLL
        for (int i = 0; i < L; i++) {
            f32_store(block + (at + 2 * i) * L, bf16_first(out[i]));
            f32_store(block + (at + 2 * i + 1) * L, bf16_second(out[i]));
        }
    }
    if (at < n)
        gather_bf16_from(block, row, at, n);
}
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
    for (int64_t at = 0; at < n; at = f32_next(at, n)) {
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

#ifdef HALF_VECTORS
typedef uint32_t wordv __attribute__((__vector_size__(VECTOR_BYTES)));

/* Lanes rounded to bf16, in the lower half */
INLINE wordv bf16_near(const float *p)
{
    return (wordv)near_bf16(f32_load(p)) >> 16;
}

static void scatter_bf16(float *const *row, const float *block, int64_t n)
{
    int64_t at = 0;
    for (; at + 2 * L <= n; at += 2 * L) {
        f32v in[L], out[L];
        UNROLL
        for (int i = 0; i < L; i++) {
            const float *p = block + (at + 2 * i) * L;
            in[i] = (f32v)(bf16_near(p) | ((wordv)near_bf16(f32_load(p + L)) & 0xffff0000));
        }
        f32_turn(out, in);
        UNROLL
        for (int j = 0; j < L; j++)
            if (row[j])
                *(f32_pairs *)(void *)((uint16_t *)(void *)row[j] + at) = out[j];
    }
    for (; at < n; at += L) {
        f32v in[L], out[L];
        const int64_t left = n - at < L ? n - at : L;
        for (int64_t i = 0; i < L; i++)
            in[i] = (f32v)bf16_near(block + (at + (i < left ? i : 0)) * L);
        f32_turn(out, in);
        UNROLL
        for (int j = 0; j < L; j++)
            if (row[j])
                store_halves((uint16_t *)(void *)row[j] + at, (f32m)out[j], left);
    }
}
#else
#define scatter_bf16 NULL
#endif

_Static_assert(FA__CONVOLUTION_ADDED == 4, "neighbouring lanes that are added are a piece of 16 bytes");

/* Four entries, of which `left` exist: their lanes become four vectors, of first, second, third and fourth ones. */
INLINE void add_entries(float *const *row, const float *block, int64_t at, int64_t left, int count)
{
    f32v in[4], sum[4];
    UNROLL
    for (int i = 0; i < 4; i++)
        in[i] = f32_load(block + (at + (i < left ? i : 0)) * L);
    f32_interleave(sum, in);
    UNROLL
    for (int j = 1; j < 4; j++)
        sum[j] = sum[j - 1] + sum[j];
    UNROLL
    for (int k = 0; k < L / 4; k++) {
        if (k * 4 >= count)
            continue;
        const f32_piece piece = ((const f32_piece *)&sum[count - k * 4 < 4 ? count - k * 4 - 1 : 3])[k];
        if (left == 4)
            *(f32_piece *)(row[k] + at) = piece;
        else
            for (int64_t i = 0; i < left; i++)
                row[k][at + i] = piece[i];
    }
}

static void add(float *const *row, const float *block, int64_t n, int count)
{
    int64_t at = 0;
    for (; count == L && at + 4 <= n; at += 4)
        add_entries(row, block, at, 4, L);
    for (; at < n; at += 4)
        add_entries(row, block, at, n - at < 4 ? n - at : 4, count);
}

const fa__lanes_kernels FA__SIMD(fa__lanes) = {
    L,      CHANNELS,   ACROSS,      FEWER,   WIDER,        sums, products,
    gather, gather_f16, gather_bf16, scatter, scatter_bf16, add,  FA__SIMD(fa__lanes_transforms)};
