/* Rows of matrix products. */
#include "row.h"
#include <facula/facula.h>

static fa_tensor *a, *b;

static void product(int64_t count)
{
    FA_REPEAT (count)
        fa_matmul(a, b);
}

/* GEMM(m, k, n, dtype): a function that makes the operands. */
#define GEMM(m, k, n, dtype)                                                                                           \
    static void open_##m##x##k##x##n##_##dtype(void)                                                                   \
    {                                                                                                                  \
        a = fa_to(fa_randn(FA_SHAPE(m, k)), dtype);                                                                    \
        b = fa_to(fa_randn(FA_SHAPE(k, n)), dtype);                                                                    \
    }
GEMM(512, 512, 512, FA_F32)
GEMM(1024, 1024, 1024, FA_F32)
GEMM(2048, 2048, 2048, FA_F32)
GEMM(1024, 1024, 1024, FA_BF16)
GEMM(1024, 1024, 1024, FA_F16)
GEMM(64, 784, 128, FA_F32)
GEMM(128, 64, 784, FA_F32)
GEMM(64, 128, 10, FA_F32)

#define FLOP(m, k, n)                                                                                                  \
    {                                                                                                                  \
        .flop = 2.0 * (m) * (k) * (n)                                                                                  \
    }
const bench_row bench_gemm[] = {
    {"gemm_512", BENCH_GFLOPS, 1.05, FLOP(512, 512, 512), open_512x512x512_FA_F32, product},
    {"gemm_1024", BENCH_GFLOPS, 1.05, FLOP(1024, 1024, 1024), open_1024x1024x1024_FA_F32, product},
    {"gemm_2048", BENCH_GFLOPS, 1.05, FLOP(2048, 2048, 2048), open_2048x2048x2048_FA_F32, product},
    {"gemm_64x128x784", BENCH_MICROSECONDS, 1.3, FLOP(64, 784, 128), open_64x784x128_FA_F32, product},
    {"gemm_128x784x64", BENCH_MICROSECONDS, 1.3, FLOP(128, 64, 784), open_128x64x784_FA_F32, product},
    {"gemm_64x10x128", BENCH_MICROSECONDS, 1.5, FLOP(64, 128, 10), open_64x128x10_FA_F32, product},
    {"gemm_bf16_1024", BENCH_GFLOPS, 1, FLOP(1024, 1024, 1024), open_1024x1024x1024_FA_BF16, product},
    {"gemm_f16_1024", BENCH_GFLOPS, 1, FLOP(1024, 1024, 1024), open_1024x1024x1024_FA_F16, product},
    {0},
};
