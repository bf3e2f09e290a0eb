/* Small matrices turned over: squares of a vector's elements in registers, what is left by element. */
#include "backend/cpu/simd/gemm_transpose.h"
#include "dialect.h"
#include "simd.h"
#include "stream.h"

#define BY_ELEMENT(T, row_begin, row_end, column_begin, column_end)                                                    \
    for (int64_t c = column_begin; c < column_end; c++)                                                                \
        for (int64_t r = row_begin; r < row_end; r++)                                                                  \
            ((T *)target)[r * target_stride + c] = ((const T *)source)[c * source_stride + r];

/* The same with the target's rows written one after the other: for few rows of many columns. */
#define FEW_ROWS(T, row_begin, row_end, columns)                                                                       \
    for (int64_t r = row_begin; r < row_end; r++) {                                                                    \
        VECTOR_LOOP                                                                                                    \
        for (int64_t c = 0; c < columns; c++)                                                                          \
            ((T *)target)[r * target_stride + c] = ((const T *)source)[c * source_stride + r];                         \
    }

#define PLAIN(bits)                                                                                                    \
    void FA__SIMD(fa__transpose_##bits)(void *target, int64_t target_stride, const void *source,                       \
                                        int64_t source_stride, int64_t rows, int64_t columns)                          \
    {                                                                                                                  \
        BY_ELEMENT(u##bits, 0, rows, 0, columns)                                                                       \
    }
PLAIN(8)
PLAIN(16)

/* A square of `lanes` rows and columns; elements are moved as they are, whatever they mean. */
#define SQUARE_OF(name, real)                                                                                          \
    FN void name##_square(real *t, int64_t ts, const real *s, int64_t ss)                                              \
    {                                                                                                                  \
        name##v v[name##_lanes];                                                                                       \
        name##_load_square(v, s, ss, name##_lanes - 1);                                                                \
        UNROLL                                                                                                         \
        for (int q = 0; q < name##_lanes; q++)                                                                         \
            name##_store(t + q * ts, v[q]);                                                                            \
    }
SQUARE_OF(f32, float)
SQUARE_OF(f64, double)

/* Squares side by side, as wide as a line of the caches: each line is written past the caches at once, since the
 * processor gathers only a few unfinished ones. */
#define LINE_OF(name, real)                                                                                            \
    FN void name##_line_past(real *t, int64_t ts, const real *s, int64_t ss)                                           \
    {                                                                                                                  \
        enum { L = name##_lanes, SQUARES = 64 / sizeof(real) / L };                                                    \
        name##v v[SQUARES][L];                                                                                         \
        UNROLL                                                                                                         \
        for (int i = 0; i < SQUARES; i++)                                                                              \
            name##_load_square(v[i], s + i * L * ss, ss, L - 1);                                                       \
        UNROLL                                                                                                         \
        for (int q = 0; q < L; q++)                                                                                    \
            for (int i = 0; i < SQUARES; i++)                                                                          \
                stream_lane((lane *)(void *)(t + q * ts + i * L), (lane)v[i][q]);                                      \
    }
LINE_OF(f32, float)
LINE_OF(f64, double)

/* Rows of the target that are too few for a square, `name##_columns` of them or more, some twice. */
#define STRIP_OF(name, real)                                                                                           \
    FN void name##_strips(real *t, int64_t ts, const real *s, int64_t ss, int64_t first, int64_t rows,                 \
                          int64_t columns)                                                                             \
    {                                                                                                                  \
        for (int64_t r = first; r < rows; r += name##_columns) {                                                       \
            int64_t at = r + name##_columns <= rows ? r : rows - name##_columns;                                       \
            for (int64_t c = 0; c < columns; c += name##_lanes) {                                                      \
                name##v v[name##_columns];                                                                             \
                name##_load_columns(v, s + c * ss + at, ss, name##_lanes - 1);                                         \
                UNROLL                                                                                                 \
                for (int q = 0; q < name##_columns; q++)                                                               \
                    name##_store(t + (at + q) * ts + c, v[q]);                                                         \
            }                                                                                                          \
        }                                                                                                              \
    }
STRIP_OF(f32, float)
STRIP_OF(f64, double)

/* What is left of a matrix of which the first whole_rows x whole_columns are done */
#define REST_OF(bits, name, real)                                                                                      \
    FN void name##_rest(void *target, int64_t target_stride, const void *source, int64_t source_stride, int64_t rows,  \
                        int64_t whole_rows, int64_t columns, int64_t whole_columns)                                    \
    {                                                                                                                  \
        if (rows >= name##_columns)                                                                                    \
            name##_strips(target, target_stride, source, source_stride, whole_rows, rows, whole_columns);              \
        else                                                                                                           \
            FEW_ROWS(u##bits, whole_rows, rows, whole_columns)                                                         \
        BY_ELEMENT(u##bits, 0, rows, whole_columns, columns)                                                           \
    }
REST_OF(32, f32, float)
REST_OF(64, f64, double)

/* Rows of the source are far from one another, often by a multiple of what a cache's sets are apart: so each line of it
 * is read once and at once, and each line of the target is written by neighbouring stores. */
#define BLOCKED(transpose, bits, name, real, past)                                                                     \
    void FA__SIMD(transpose)(void *target, int64_t target_stride, const void *source, int64_t source_stride,           \
                             int64_t rows, int64_t columns)                                                            \
    {                                                                                                                  \
        enum { L = name##_lanes, LINE = 64 / sizeof(real) };                                                           \
        int64_t whole_rows = rows - rows % L, whole_columns = columns - columns % L;                                   \
        for (int64_t line = 0; line < whole_columns; line += LINE)                                                     \
            for (int64_t r = 0; r < whole_rows; r += L) {                                                              \
                real *t = (real *)target + r * target_stride;                                                          \
                const real *s = (const real *)source + r;                                                              \
                if (past && line + LINE <= whole_columns) {                                                            \
                    name##_line_past(t + line, target_stride, s + line * source_stride, source_stride);                \
                    continue;                                                                                          \
                }                                                                                                      \
                for (int64_t c = line; c < line + LINE && c < whole_columns; c += L)                                   \
                    name##_square(t + c, target_stride, s + c * source_stride, source_stride);                         \
            }                                                                                                          \
        name##_rest(target, target_stride, source, source_stride, rows, whole_rows, columns, whole_columns);           \
    }
BLOCKED(fa__transpose_32, 32, f32, float, false)
BLOCKED(fa__transpose_64, 64, f64, double, false)
BLOCKED(fa__transpose_past_32, 32, f32, float, true)
BLOCKED(fa__transpose_past_64, 64, f64, double, true)
