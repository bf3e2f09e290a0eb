/* Matrix products on the CPU: c = a b (+ bias, relu), any strides, one function for each dtype and instruction set.
 * What the sums are is fixed: see fa__gemm_run. How a product is divided is gemm.c here, what computes is simd/gemm*.
 */
#ifndef FA__BACKEND_CPU_GEMM_H
#define FA__BACKEND_CPU_GEMM_H
#include <facula/types.h>

/* c (m x n) = a (m x k) b (k x n). Strides count elements and may be zero or negative, except that no two elements of
 * c may coincide; c overlaps neither operand. All matrices and the bias are of one dtype. */
typedef struct fa__gemm {
    int64_t m, n, k;
    const void *a;
    int64_t a_row, a_col;
    const void *b;
    int64_t b_row, b_col;
    void *c;
    int64_t c_row, c_col;
    const void *bias; /* NULL, or what is added to each result after the last product */
    int64_t bias_row, bias_col;
    bool accumulate; /* c holds the sums so far, and the chains go on from there: f32 and f64, c_col is 1 */
    bool relu;       /* results that are not above 0 become 0, after the bias; NaN stays */
    bool wide;       /* f16 and bf16: c is f32, and holds the rounded results nevertheless; no bias, no relu */
    /* For products by tiles (gemm_kind.h) only: what takes the place of a, b and c where it is there. */
    const struct fa__gemm_source *a_source, *b_source;
    const struct fa__gemm_sink *sink;
} fa__gemm;

/* An element of the result is one chain: 0, then for k = 0, 1, 2 ... a fused multiply-add, then the bias. So its bits
 * depend neither on the number of threads, nor on strides, nor on the instruction set, with one exception: the base
 * level of x86 has no fused multiply-add and rounds twice. f16 and bf16 are summed in f32 and rounded once, at the end.
 * Integers wrap around. False, with the error set, when memory for packing runs out; c is then unspecified. */
typedef bool fa__gemm_run(const fa__gemm *g);

/* By dtype; NULL where there is no product (bool). */
typedef struct fa__gemm_kernels {
    fa__gemm_run *run[FA__DTYPES];
    const struct fa__gemm_kind *kind[FA__DTYPES]; /* the loops by themselves */
} fa__gemm_kernels;

/* One table for each level of instructions: a machine runs those it has. */
#if defined __x86_64__
extern const fa__gemm_kernels fa__gemm_base, fa__gemm_avx2, fa__gemm_avx512;
#elif defined __aarch64__
extern const fa__gemm_kernels fa__gemm_neon;
#else
extern const fa__gemm_kernels fa__gemm_base;
#endif
#endif
