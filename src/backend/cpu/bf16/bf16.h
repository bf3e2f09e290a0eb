/* Matrix products of bf16 by instructions that multiply pairs of bf16 and add them in f32: AVX-512 BF16, and AMX where
 * the processor has it. Both read the same packed form: pairs of neighbours in k, in 32 bits. What is summed in which
 * order is the processor's: see docs/math.md. */
#ifndef FA__BACKEND_CPU_BF16_H
#define FA__BACKEND_CPU_BF16_H
#include "backend/cpu/gemm_kind.h"

extern const fa__gemm_kind fa__bf16_dot_kind, fa__bf16_amx_kind;
fa__gemm_run fa__bf16_dot_run, fa__bf16_amx_run;

enum { FA__BF16_COLS = 32 }; /* of a panel of b, for both */

/* What they have in common: the members of fa__gemm_kind of these names. */
void fa__bf16_pack(void *to, int64_t to_row, const void *from, int64_t from_row, int64_t from_col, int64_t rows,
                   int64_t cols);
void fa__bf16_gather(void *to, int64_t to_row, const void *from, const int64_t *offset, int64_t rows, int64_t cols);
void fa__bf16_join(void *panel, int64_t depth);
void fa__bf16_pack_joined(void *panel, const void *from, int64_t from_row, int64_t from_col, int64_t depth,
                          int64_t cols);
void fa__bf16_finish(const fa__gemm *g, const fa__gemm_block *at, const void *sums, int64_t sums_row);
void fa__bf16_add(void *sums, const void *more, int64_t count);

/* Asks the system once to let this process use AMX's registers; false: it does not. */
bool fa__bf16_amx_allowed(void);
#endif
