/* Products of bf16 by AVX-512 BF16: the micro-kernel of f32 (simd/gemm_tile.inc), whose elements are pairs of bf16 and
 * whose multiply-add is that of a pair. */
#include "backend/cpu/bf16/bf16.h"
#include "backend/cpu/simd/dialect.h"
#include "backend/cpu/simd/gemm_vector.h"

#define EACH_TILE_HEIGHT(X) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14)

/* Pairs travel as f32, as whose bits they are never looked at; sums are f32. */
typedef float pair __attribute__((__may_alias__));
typedef f32v pairv;
enum { pair_lanes = f32_lanes };
#define pair_load f32_load
#define pair_store f32_store
#define pair_load_part f32_load_part
#define pair_store_part f32_store_part
#define pair_relu f32_relu

INLINE pairv pair_splat(pair x)
{
    return _mm512_broadcastss_ps(_mm_set_ss(x));
}

INLINE void pair_add_product(f32v *sum, pairv a, pairv b)
{
    *sum = _mm512_dpbf16_ps(*sum, (__m512bh)a, (__m512bh)b);
}

#define REAL pair
#define REAL_TYPE pair
#define PER_REAL 2
#include "backend/cpu/simd/gemm_tile.inc"

const fa__gemm_kind fa__bf16_dot_kind = {
    .element = sizeof(uint16_t),
    .packed = sizeof(uint16_t),
    .sum = sizeof(float),
    .rows = TILE_ROWS,
    .cols = FA__BF16_COLS,
    .group = 2,
    .tile = pair_tile,
    .pack = fa__bf16_pack,
    .gather = fa__bf16_gather,
    .join = fa__bf16_join,
    .pack_joined = fa__bf16_pack_joined,
    .finish = fa__bf16_finish,
    .add = fa__bf16_add,
};

bool fa__bf16_dot_run(const fa__gemm *g)
{
    return fa__gemm_by_tiles(g, &fa__bf16_dot_kind);
}
