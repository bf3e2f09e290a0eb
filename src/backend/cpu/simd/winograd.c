/* The transforms of Winograd's filtering (backend/cpu/winograd.h), one patch in each lane. The points are 0, a, -a, b,
 * -b and infinity. With 5/8 and 3/2 rounding errors are less than half of those with the usual 1 and 2 (Barabasz et al.
 * 2020, arXiv:1803.10986, study such points), and the coefficients of x and y are exact. */
#include "backend/cpu/winograd.h"
#include "backend/cpu/simd/gemm_transpose.h"
#include "backend/cpu/simd/simd.h"

enum { L = f32_lanes, IN = FA__WINOGRAD_IN, OUT = FA__WINOGRAD_OUT, ROW = FA__WINOGRAD_ROW, TAPS = 3 };

/* The points a and b, their powers, and what divides the weights at 0, a and b. */
#define A 0.625
#define B 1.5
#define F32(x) ((float)(x))
static const float a = F32(A), a2 = F32(A * A), a3 = F32(A * A * A);
static const float b = F32(B), b2 = F32(B * B), b3 = F32(B * B * B);
static const float product = F32(A * A * B * B), sum = F32(A * A + B * B);
#define AT_A (1 / (2 * A * A * (A * A - B * B)))
#define AT_B (1 / (2 * B * B * (B * B - A * A)))
static const float at_0 = F32(1 / (A * A * B * B));
static const float at_a = F32(AT_A), at_a1 = F32(AT_A * A), at_a2 = F32(AT_A * A * A);
static const float at_b = F32(AT_B), at_b1 = F32(AT_B * B), at_b2 = F32(AT_B * B * B);

/* ---- one dimension: `t` and `s` are the distances of results and operands ---- */

/* B': 6 to 6 */
INLINE void image_line(f32v *to, int t, const f32v *x, int s)
{
    f32v even_a = x[4 * s] - b2 * x[2 * s], odd_a = a * (x[3 * s] - b2 * x[s]);
    f32v even_b = x[4 * s] - a2 * x[2 * s], odd_b = b * (x[3 * s] - a2 * x[s]);
    to[0] = product * x[0] - sum * x[2 * s] + x[4 * s];
    to[t] = even_a + odd_a;
    to[2 * t] = even_a - odd_a;
    to[3 * t] = even_b + odd_b;
    to[4 * t] = even_b - odd_b;
    to[5 * t] = product * x[s] - sum * x[3 * s] + x[5 * s];
}

/* A': 6 to 4 */
INLINE void tile_line(f32v *to, int t, const f32v *m, int s)
{
    f32v even_a = m[s] + m[2 * s], odd_a = m[s] - m[2 * s];
    f32v even_b = m[3 * s] + m[4 * s], odd_b = m[3 * s] - m[4 * s];
    to[0] = m[0] + even_a + even_b;
    to[t] = a * odd_a + b * odd_b;
    to[2 * t] = a2 * even_a + b2 * even_b;
    to[3 * t] = a3 * odd_a + b3 * odd_b + m[5 * s];
}

/* A: 4 to 6 */
INLINE void tile_back_line(f32v *to, int t, const f32v *y, int s)
{
    f32v even_a = y[0] + a2 * y[2 * s], odd_a = a * y[s] + a3 * y[3 * s];
    f32v even_b = y[0] + b2 * y[2 * s], odd_b = b * y[s] + b3 * y[3 * s];
    to[0] = y[0];
    to[t] = even_a + odd_a;
    to[2 * t] = even_a - odd_a;
    to[3 * t] = even_b + odd_b;
    to[4 * t] = even_b - odd_b;
    to[5 * t] = y[3 * s];
}

/* G: 3 to 6 */
INLINE void weight_line(f32v *to, int t, const f32v *w, int s)
{
    f32v even_a = at_a * w[0] + at_a2 * w[2 * s], odd_a = at_a1 * w[s];
    f32v even_b = at_b * w[0] + at_b2 * w[2 * s], odd_b = at_b1 * w[s];
    to[0] = at_0 * w[0];
    to[t] = even_a + odd_a;
    to[2 * t] = even_a - odd_a;
    to[3 * t] = even_b + odd_b;
    to[4 * t] = even_b - odd_b;
    to[5 * t] = w[2 * s];
}

/* G': 6 to 3 */
INLINE void weight_back_line(f32v *to, int t, const f32v *m, int s)
{
    f32v even_a = m[s] + m[2 * s], even_b = m[3 * s] + m[4 * s];
    to[0] = at_0 * m[0] + at_a * even_a + at_b * even_b;
    to[t] = at_a1 * (m[s] - m[2 * s]) + at_b1 * (m[3 * s] - m[4 * s]);
    to[2 * t] = at_a2 * even_a + at_b2 * even_b + m[5 * s];
}

/* ---- two dimensions: columns, then rows ---- */

#define IN_TWO_DIMENSIONS(name, line, from, to)                                                                        \
    INLINE void name(f32v out[(to) * (to)], const f32v in[(from) * (from)])                                            \
    {                                                                                                                  \
        f32v half[(to) * (from)];                                                                                      \
        UNROLL                                                                                                         \
        for (int j = 0; j < (from); j++)                                                                               \
            line(half + j, from, in + j, from);                                                                        \
        UNROLL                                                                                                         \
        for (int i = 0; i < (to); i++)                                                                                 \
            line(out + i * (to), 1, half + i * (from), 1);                                                             \
    }
IN_TWO_DIMENSIONS(image_of, image_line, IN, IN)
IN_TWO_DIMENSIONS(tile_of, tile_line, IN, OUT)
IN_TWO_DIMENSIONS(tile_back_of, tile_back_line, OUT, IN)
IN_TWO_DIMENSIONS(weight_of, weight_line, TAPS, IN)
IN_TWO_DIMENSIONS(weight_back_of, weight_back_line, IN, TAPS)

/* ---- operands from memory and back ---- */

INLINE void load_products(f32v m[IN * IN], const float *from, int64_t step)
{
    UNROLL
    for (int i = 0; i < IN; i++) {
        UNROLL
        for (int j = 0; j < IN; j++)
            m[i * IN + j] = f32_load(from + (i * IN + j) * step);
    }
}

INLINE void store_products(float *to, int64_t step, const f32v m[IN * IN])
{
    UNROLL
    for (int i = 0; i < IN; i++) {
        UNROLL
        for (int j = 0; j < IN; j++)
            f32_store(to + (i * IN + j) * step, m[i * IN + j]);
    }
}

/* Vectors of 16 floats have two rows of a patch, those of 4 half of one. */
typedef float eight __attribute__((__vector_size__(32), __aligned__(4), __may_alias__));
#if defined FA__LEVEL_avx512
#define PART_OF_PATCH(s, b)                                                                                            \
    __builtin_shufflevector(*(const eight *)((s).at + 2 * (b) * (s).row),                                              \
                            *(const eight *)((s).at + (2 * (b) + 1) * (s).row), FIRST_16)
#elif defined FA__LEVEL_avx2
#define PART_OF_PATCH(s, b) f32_load((s).at + (b) * (s).row)
#else
#define PART_OF_PATCH(s, b) f32_load((s).at + (b) / 2 * (s).row + (b) % 2 * L)
#endif

static void image(float *to, int64_t step, const fa__winograd_square *patches)
{
    f32v wide[IN * ROW], in[IN * IN], out[IN * IN];
    UNROLL
    for (int q = 0; q < IN * ROW / L; q++) {
        f32v parts[L];
        UNROLL
        for (int i = 0; i < L; i++)
            parts[i] = PART_OF_PATCH(patches[i], q);
        f32_turn(wide + q * L, parts);
    }
    UNROLL
    for (int i = 0; i < IN; i++) {
        UNROLL
        for (int j = 0; j < IN; j++)
            in[i * IN + j] = wide[i * ROW + j];
    }
    image_of(out, in);
    store_products(to, step, out);
}

/* Rows of tiles are 4 floats: vectors have one of them, two or four. */
enum { PIECE = 4, PIECES = L / PIECE };
#if defined FA__LEVEL_avx512
#define ROWS_OF_TILE(s, b)                                                                                             \
    JOIN_F32(ROW_OF(s, 4 * (b)), ROW_OF(s, 4 * (b) + 1), ROW_OF(s, 4 * (b) + 2), ROW_OF(s, 4 * (b) + 3))
#else
#define ROWS_OF_TILE(s, b) JOIN_F32(ROW_OF(s, PIECES *(b)), ROW_OF(s, PIECES *(b) + 1), , )
#endif
#define ROW_OF(s, i) (*(const f32_piece *)((s).at + (i) * (s).row))

static void tiles(const fa__winograd_square *tiles, const float *from, int64_t step, float bias)
{
    f32v m[IN * IN], y[OUT * OUT];
    load_products(m, from, step);
    tile_of(y, m);
    UNROLL
    for (int q = 0; q < OUT / PIECES; q++) {
        f32v in[L], out[L];
        UNROLL
        for (int i = 0; i < L; i++)
            in[i] = y[q * L + i] + f32_splat(bias);
        f32_turn(out, in);
        UNROLL
        for (int i = 0; i < L; i++) {
            UNROLL
            for (int p = 0; p < PIECES; p++)
                *(f32_piece *)(tiles[i].at + (q * PIECES + p) * tiles[i].row) = ((const f32_piece *)&out[i])[p];
        }
    }
}

static void tiles_back(float *to, int64_t step, const fa__winograd_square *tiles)
{
    f32v y[OUT * OUT], out[IN * IN];
    UNROLL
    for (int q = 0; q < OUT / PIECES; q++) {
        f32v in[L];
        UNROLL
        for (int i = 0; i < L; i++)
            in[i] = ROWS_OF_TILE(tiles[i], q);
        f32_turn(y + q * L, in);
    }
    tile_back_of(out, y);
    store_products(to, step, out);
}

static void weights(float *to, int64_t step, const float *taps)
{
    f32v w[TAPS * TAPS], out[IN * IN];
    UNROLL
    for (int i = 0; i < TAPS * TAPS; i++)
        w[i] = f32_load(taps + i * L);
    weight_of(out, w);
    store_products(to, step, out);
}

static void weights_back(float *taps, const float *from, int64_t step)
{
    f32v m[IN * IN], w[TAPS * TAPS];
    load_products(m, from, step);
    weight_back_of(w, m);
    UNROLL
    for (int i = 0; i < TAPS * TAPS; i++)
        f32_store(taps + i * L, w[i]);
}

const fa__winograd_kernels FA__SIMD(fa__winograd) = {L, image, tiles, tiles_back, weights, weights_back};
