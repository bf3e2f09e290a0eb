/* Columns of a row-major matrix as vectors: 16 bytes of each row are loaded, joined, and interleaved in registers. */
#ifndef FA__SIMD_GEMM_TRANSPOSE_H
#define FA__SIMD_GEMM_TRANSPOSE_H
#include "backend/cpu/simd/gemm_vector.h"

enum { f32_columns = 4, f64_columns = 2 }; /* how many are taken at once: 16 bytes */

/* A vector of 16-byte pieces, each given by an expression; and the indices of a shuffle within every piece. */
#define FIRST_8 0, 1, 2, 3, 4, 5, 6, 7
#define FIRST_16 FIRST_8, 8, 9, 10, 11, 12, 13, 14, 15
#if defined FA__LEVEL_avx512
#define JOIN_F32(a, b, c, d)                                                                                           \
    __builtin_shufflevector(__builtin_shufflevector(a, b, FIRST_8), __builtin_shufflevector(c, d, FIRST_8), FIRST_16)
#define JOIN_F64(a, b, c, d)                                                                                           \
    __builtin_shufflevector(__builtin_shufflevector(a, b, 0, 1, 2, 3), __builtin_shufflevector(c, d, 0, 1, 2, 3),      \
                            FIRST_8)
#define FOURS(a, b, c, d)                                                                                              \
    a, b, c, d, a + 4, b + 4, c + 4, d + 4, a + 8, b + 8, c + 8, d + 8, a + 12, b + 12, c + 12, d + 12
#define TWOS(a, b) a, b, a + 2, b + 2, a + 4, b + 4, a + 6, b + 6
#elif defined FA__LEVEL_avx2
#define JOIN_F32(a, b, c, d) __builtin_shufflevector(a, b, FIRST_8)
#define JOIN_F64(a, b, c, d) __builtin_shufflevector(a, b, 0, 1, 2, 3)
#define FOURS(a, b, c, d) a, b, c, d, a + 4, b + 4, c + 4, d + 4
#define TWOS(a, b) a, b, a + 2, b + 2
#else
#define JOIN_F32(a, b, c, d) (a)
#define JOIN_F64(a, b, c, d) (a)
#define FOURS(a, b, c, d) a, b, c, d
#define TWOS(a, b) a, b
#endif

typedef float f32_piece __attribute__((__vector_size__(16), __aligned__(4), __may_alias__));
typedef double f64_piece __attribute__((__vector_size__(16), __aligned__(8), __may_alias__));

/* Rows behind `last` do not exist: the last stands for them. */
#define ROW(i) (p + ((i) < last ? (i) : last) * row)
#define PIECE(name, i) (*(const name##_piece *)ROW(i))

/* From pieces of rows 0, 4, 8, ..., of rows 1, 5, 9, ..., and so on, to their columns */
INLINE void f32_interleave(f32v out[4], const f32v r[4])
{
    enum { L = f32_lanes };
    f32v low01 = __builtin_shufflevector(r[0], r[1], FOURS(0, L, 1, L + 1));
    f32v low23 = __builtin_shufflevector(r[2], r[3], FOURS(0, L, 1, L + 1));
    f32v high01 = __builtin_shufflevector(r[0], r[1], FOURS(2, L + 2, 3, L + 3));
    f32v high23 = __builtin_shufflevector(r[2], r[3], FOURS(2, L + 2, 3, L + 3));
    out[0] = __builtin_shufflevector(low01, low23, FOURS(0, 1, L, L + 1));
    out[1] = __builtin_shufflevector(low01, low23, FOURS(2, 3, L + 2, L + 3));
    out[2] = __builtin_shufflevector(high01, high23, FOURS(0, 1, L, L + 1));
    out[3] = __builtin_shufflevector(high01, high23, FOURS(2, 3, L + 2, L + 3));
}

INLINE void f64_interleave(f64v out[2], const f64v r[2])
{
    enum { L = f64_lanes };
    out[0] = __builtin_shufflevector(r[0], r[1], TWOS(0, L));
    out[1] = __builtin_shufflevector(r[0], r[1], TWOS(1, L + 1));
}

/* out[j] = column j of the rows 0 to `last` (below `lanes`) at p, each `row` elements after the one before; further
 * lanes repeat the last row */
INLINE void f32_load_columns(f32v out[4], const float *p, int64_t row, int64_t last)
{
    f32v r[4];
    UNROLL
    for (int i = 0; i < 4; i++)
        r[i] = JOIN_F32(PIECE(f32, i), PIECE(f32, i + 4), PIECE(f32, i + 8), PIECE(f32, i + 12));
    f32_interleave(out, r);
}

INLINE void f64_load_columns(f64v out[2], const double *p, int64_t row, int64_t last)
{
    f64v r[2];
    UNROLL
    for (int i = 0; i < 2; i++)
        r[i] = JOIN_F64(PIECE(f64, i), PIECE(f64, i + 2), PIECE(f64, i + 4), PIECE(f64, i + 6));
    f64_interleave(out, r);
}

/* Rows of a square to its columns */
#if defined FA__LEVEL_avx512
/* A shuffle of whole pieces of two vectors, four of the eight */
#define TAKE_F32(x, y, a, b, c, d)                                                                                     \
    __builtin_shufflevector(x, y, 4 * a, 4 * a + 1, 4 * a + 2, 4 * a + 3, 4 * b, 4 * b + 1, 4 * b + 2, 4 * b + 3,      \
                            4 * c, 4 * c + 1, 4 * c + 2, 4 * c + 3, 4 * d, 4 * d + 1, 4 * d + 2, 4 * d + 3)
#define TAKE_F64(x, y, a, b, c, d)                                                                                     \
    __builtin_shufflevector(x, y, 2 * a, 2 * a + 1, 2 * b, 2 * b + 1, 2 * c, 2 * c + 1, 2 * d, 2 * d + 1)
#define TURN(name, TAKE, Q)                                                                                            \
    INLINE void name##_turn(name##v out[name##_lanes], const name##v in[name##_lanes])                                 \
    {                                                                                                                  \
        name##v r[4][Q];                                                                                               \
        UNROLL                                                                                                         \
        for (int i = 0; i < Q; i++) {                                                                                  \
            name##v w = in[i], x = in[i + Q], y = in[i + 2 * Q], z = in[i + 3 * Q];                                    \
            name##v wx = TAKE(w, x, 0, 1, 4, 5), yz = TAKE(y, z, 0, 1, 4, 5);                                          \
            r[0][i] = TAKE(wx, yz, 0, 2, 4, 6);                                                                        \
            r[1][i] = TAKE(wx, yz, 1, 3, 5, 7);                                                                        \
            wx = TAKE(w, x, 2, 3, 6, 7), yz = TAKE(y, z, 2, 3, 6, 7);                                                  \
            r[2][i] = TAKE(wx, yz, 0, 2, 4, 6);                                                                        \
            r[3][i] = TAKE(wx, yz, 1, 3, 5, 7);                                                                        \
        }                                                                                                              \
        UNROLL                                                                                                         \
        for (int q = 0; q < 4; q++)                                                                                    \
            name##_interleave(out + q * Q, r[q]);                                                                      \
    }
#elif defined FA__LEVEL_avx2
/* Two of the four pieces of two vectors */
#define TAKE_F32(x, y, a, b)                                                                                           \
    __builtin_shufflevector(x, y, 4 * a, 4 * a + 1, 4 * a + 2, 4 * a + 3, 4 * b, 4 * b + 1, 4 * b + 2, 4 * b + 3)
#define TAKE_F64(x, y, a, b) __builtin_shufflevector(x, y, 2 * a, 2 * a + 1, 2 * b, 2 * b + 1)
#define TURN(name, TAKE, Q)                                                                                            \
    INLINE void name##_turn(name##v out[name##_lanes], const name##v in[name##_lanes])                                 \
    {                                                                                                                  \
        name##v r[2][Q];                                                                                               \
        UNROLL                                                                                                         \
        for (int i = 0; i < Q; i++) {                                                                                  \
            r[0][i] = TAKE(in[i], in[i + Q], 0, 2);                                                                    \
            r[1][i] = TAKE(in[i], in[i + Q], 1, 3);                                                                    \
        }                                                                                                              \
        name##_interleave(out, r[0]);                                                                                  \
        name##_interleave(out + Q, r[1]);                                                                              \
    }
#else
#define TURN(name, TAKE, Q)                                                                                            \
    INLINE void name##_turn(name##v out[name##_lanes], const name##v in[name##_lanes])                                 \
    {                                                                                                                  \
        name##_interleave(out, in);                                                                                    \
    }
#endif
TURN(f32, TAKE_F32, 4)
TURN(f64, TAKE_F64, 2)

/* As load_columns, for `lanes` columns. Where a vector is a cache line, rows are read whole, once: their lines may
 * share one set of the cache, which would not hold them until the next column. */
#if defined FA__LEVEL_avx512
#define SQUARE(name, real, Q)                                                                                          \
    INLINE void name##_load_square(name##v out[name##_lanes], const real *p, int64_t row, int64_t last)                \
    {                                                                                                                  \
        name##v in[name##_lanes];                                                                                      \
        UNROLL                                                                                                         \
        for (int i = 0; i < name##_lanes; i++)                                                                         \
            in[i] = name##_load(ROW(i));                                                                               \
        name##_turn(out, in);                                                                                          \
    }
#else
#define SQUARE(name, real, Q)                                                                                          \
    INLINE void name##_load_square(name##v out[name##_lanes], const real *p, int64_t row, int64_t last)                \
    {                                                                                                                  \
        UNROLL                                                                                                         \
        for (int j = 0; j < name##_lanes; j += Q)                                                                      \
            name##_load_columns(out + j, p + j, row, last);                                                            \
    }
#endif
SQUARE(f32, float, 4)
SQUARE(f64, double, 2)

/* ---- 16 bits ---- */
/* Two neighbours, wherever they lie, as one f32, so that they are turned together */
typedef float f32_pairs __attribute__((__vector_size__(VECTOR_BYTES), __aligned__(sizeof(uint16_t)), __may_alias__));

INLINE f32v bf16_load_pairs(const uint16_t *p)
{
    return *(const f32_pairs *)(const void *)p;
}

INLINE f32v bf16_first(f32v pairs)
{
    return (f32v)((f32m)pairs << 16);
}

INLINE f32v bf16_second(f32v pairs)
{
    return (f32v)((f32m)pairs & ~0xffff);
}
#endif
