/* The loops of matrix products for one instruction set: the micro-kernel and packing for f32 and f64, the same with
 * conversion for f16 and bf16, products with a vector, and integers. How they are divided: backend/cpu/gemm.c. */
#include "backend/cpu/gemm.h"
#include "backend/cpu/gemm_kind.h"
#include "backend/cpu/simd/convert.h"
#include "backend/cpu/simd/gemm_transpose.h"
#include "backend/cpu/simd/gemm_vector.h"
#include "backend/cpu/simd/half.h"
#include "backend/cpu/simd/simd.h"
#include "base/parallel.h"
#include <string.h>

#define EACH_HEIGHT_TO_6(X) X(1) X(2) X(3) X(4) X(5) X(6)
#if TILE_ROWS == 14
#define EACH_TILE_HEIGHT(X) EACH_HEIGHT_TO_6(X) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14)
#else
#define EACH_TILE_HEIGHT(X) EACH_HEIGHT_TO_6(X)
#endif

#define REAL f32
#define REAL_TYPE float
#include "backend/cpu/simd/gemm_real.inc"
#define REAL f64
#define REAL_TYPE double
#include "backend/cpu/simd/gemm_real.inc"

/* ---- operands of 16 bits ---- */
/* to[i * to_row + j] = from[i + j * from_col] for j < cols, and i below the number that is returned, at most `rows` */
static int64_t bf16_turn_squares(float *to, int64_t to_row, const uint16_t *from, int64_t from_col, int64_t rows,
                                 int64_t cols)
{
    enum { SIDE = 2 * f32_lanes };
    for (int64_t j = 0; j < cols; j += f32_lanes) {
        const int64_t count = cols - j < f32_lanes ? cols - j : f32_lanes;
        for (int64_t i = 0; i + SIDE <= rows; i += SIDE) {
            f32v in[f32_lanes], out[f32_lanes];
            UNROLL
            for (int q = 0; q < f32_lanes; q++)
                in[q] = bf16_load_pairs(from + i + (j + (q < count ? q : count - 1)) * from_col);
            f32_turn(out, in);
            UNROLL
            for (int q = 0; q < f32_lanes; q++) {
                f32_store_part(to + (i + 2 * q) * to_row + j, bf16_first(out[q]), count);
                f32_store_part(to + (i + 2 * q + 1) * to_row + j, bf16_second(out[q]), count);
            }
        }
    }
    return rows / SIDE * SIDE;
}

#define f16_turn_squares(...) 0 /* none */

#define HALF f16
#include "backend/cpu/simd/gemm_half.inc"
#define HALF bf16
#include "backend/cpu/simd/gemm_half.inc"

#define WHOLE u8
#define WHOLE_TYPE uint8_t
#define WHOLE_SIGNED 0
#include "backend/cpu/simd/gemm_int.inc"
#define WHOLE i8
#define WHOLE_TYPE uint8_t
#define WHOLE_SIGNED 1
#include "backend/cpu/simd/gemm_int.inc"
#define WHOLE i16
#define WHOLE_TYPE uint16_t
#define WHOLE_SIGNED 1
#include "backend/cpu/simd/gemm_int.inc"
#define WHOLE i32
#define WHOLE_TYPE uint32_t
#define WHOLE_SIGNED 1
#include "backend/cpu/simd/gemm_int.inc"
#define WHOLE i64
#define WHOLE_TYPE uint64_t
#define WHOLE_SIGNED 1
#include "backend/cpu/simd/gemm_int.inc"

const fa__gemm_kernels FA__SIMD(fa__gemm) = {.run = {[FA_U8] = u8_run,
                                                     [FA_I8] = i8_run,
                                                     [FA_I16] = i16_run,
                                                     [FA_I32] = i32_run,
                                                     [FA_I64] = i64_run,
                                                     [FA_F16] = f16_run,
                                                     [FA_BF16] = bf16_run,
                                                     [FA_F32] = f32_run,
                                                     [FA_F64] = f64_run},
                                             .kind = {[FA_U8] = &u8_kind,
                                                      [FA_I8] = &i8_kind,
                                                      [FA_I16] = &i16_kind,
                                                      [FA_I32] = &i32_kind,
                                                      [FA_I64] = &i64_kind,
                                                      [FA_F16] = &f16_kind,
                                                      [FA_BF16] = &bf16_kind,
                                                      [FA_F32] = &f32_kind,
                                                      [FA_F64] = &f64_kind}};
