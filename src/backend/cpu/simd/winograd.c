/* The transforms of Winograd's filtering (backend/cpu/winograd.h), one patch in each lane. The points are 0, 1, -1, 2,
 * -2 and infinity; lines of the matrices that differ in signs only share their sums. */
#include "backend/cpu/winograd.h"
#include "backend/cpu/simd/gemm_transpose.h"
#include "backend/cpu/simd/simd.h"

enum { L = f32_lanes, IN = FA__WINOGRAD_IN, OUT = FA__WINOGRAD_OUT, ROW = FA__WINOGRAD_ROW, TAPS = 3 };

/* ---- one dimension: `t` and `s` are the distances of results and operands ---- */

/* B': 6 to 6 */
INLINE void image_line(f32v *to, int t, const f32v *x, int s)
{
    f32v even = x[4 * s] - 4 * x[2 * s], odd = x[3 * s] - 4 * x[s];
    f32v even2 = x[4 * s] - x[2 * s], odd2 = 2 * (x[3 * s] - x[s]);
    to[0] = 4 * x[0] - 5 * x[2 * s] + x[4 * s];
    to[t] = even + odd;
    to[2 * t] = even - odd;
    to[3 * t] = even2 + odd2;
    to[4 * t] = even2 - odd2;
    to[5 * t] = 4 * x[s] - 5 * x[3 * s] + x[5 * s];
}

/* A': 6 to 4 */
INLINE void tile_line(f32v *to, int t, const f32v *m, int s)
{
    f32v sum = m[s] + m[2 * s], difference = m[s] - m[2 * s];
    f32v sum2 = m[3 * s] + m[4 * s], difference2 = m[3 * s] - m[4 * s];
    to[0] = m[0] + sum + sum2;
    to[t] = difference + 2 * difference2;
    to[2 * t] = sum + 4 * sum2;
    to[3 * t] = difference + 8 * difference2 + m[5 * s];
}

/* A: 4 to 6 */
INLINE void tile_back_line(f32v *to, int t, const f32v *y, int s)
{
    f32v even = y[0] + y[2 * s], odd = y[s] + y[3 * s];
    f32v even2 = y[0] + 4 * y[2 * s], odd2 = 2 * y[s] + 8 * y[3 * s];
    to[0] = y[0];
    to[t] = even + odd;
    to[2 * t] = even - odd;
    to[3 * t] = even2 + odd2;
    to[4 * t] = even2 - odd2;
    to[5 * t] = y[3 * s];
}

/* G: 3 to 6 */
INLINE void weight_line(f32v *to, int t, const f32v *w, int s)
{
    f32v even = (w[0] + w[2 * s]) * (-1.0F / 6), odd = w[s] * (1.0F / 6);
    f32v even2 = w[0] * (1.0F / 24) + w[2 * s] * (1.0F / 6), odd2 = w[s] * (1.0F / 12);
    to[0] = w[0] * 0.25F;
    to[t] = even - odd;
    to[2 * t] = even + odd;
    to[3 * t] = even2 + odd2;
    to[4 * t] = even2 - odd2;
    to[5 * t] = w[2 * s];
}

/* G': 6 to 3 */
INLINE void weight_back_line(f32v *to, int t, const f32v *m, int s)
{
    f32v sum = m[s] + m[2 * s], sum2 = m[3 * s] + m[4 * s];
    to[0] = m[0] * 0.25F - sum * (1.0F / 6) + sum2 * (1.0F / 24);
    to[t] = (m[2 * s] - m[s]) * (1.0F / 6) + (m[3 * s] - m[4 * s]) * (1.0F / 12);
    to[2 * t] = (sum2 - sum) * (1.0F / 6) + m[5 * s];
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
    for (int b = 0; b < IN * ROW / L; b++) {
        f32v parts[L];
        UNROLL
        for (int i = 0; i < L; i++)
            parts[i] = PART_OF_PATCH(patches[i], b);
        f32_turn(wide + b * L, parts);
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
    for (int b = 0; b < OUT / PIECES; b++) {
        f32v in[L], out[L];
        UNROLL
        for (int i = 0; i < L; i++)
            in[i] = y[b * L + i] + f32_splat(bias);
        f32_turn(out, in);
        UNROLL
        for (int i = 0; i < L; i++) {
            UNROLL
            for (int p = 0; p < PIECES; p++)
                *(f32_piece *)(tiles[i].at + (b * PIECES + p) * tiles[i].row) = ((const f32_piece *)&out[i])[p];
        }
    }
}

static void tiles_back(float *to, int64_t step, const fa__winograd_square *tiles)
{
    f32v y[OUT * OUT], out[IN * IN];
    UNROLL
    for (int b = 0; b < OUT / PIECES; b++) {
        f32v in[L];
        UNROLL
        for (int i = 0; i < L; i++)
            in[i] = ROWS_OF_TILE(tiles[i], b);
        f32_turn(y + b * L, in);
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
