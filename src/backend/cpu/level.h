/* Which level of instructions the kernels use: the best one that the machine has, chosen when the library loads, or the
 * one that the environment's FACULA_CPU names. */
#ifndef FA__CPU_LEVEL_H
#define FA__CPU_LEVEL_H
#include "backend/cpu/gemm.h"
#include "backend/cpu/lanes.h"
#include "backend/cpu/simd/simd.h"
#include "backend/cpu/winograd.h"

/* X(level) for each level that is compiled for this architecture, from the plainest to the best. */
#if defined FA__ONE_LEVEL /* the build chose one (FACULA_LEVELS) */
#define FA__CPU_LEVELS(X) FA__LEVEL_OF(X, FA__ONE_LEVEL)
#define FA__LEVEL_OF(X, level) X(level)
#elif defined __x86_64__
#define FA__CPU_LEVELS(X) X(base) X(avx2) X(avx512)
#elif defined __aarch64__
#define FA__CPU_LEVELS(X) X(neon)
#else
#define FA__CPU_LEVELS(X) X(base)
#endif

extern const fa__simd *fa__cpu_simd;           /* loops over tiles */
extern const fa__gemm_kernels *fa__cpu_gemm;   /* matrix products by chains of multiply-adds */
extern const fa__lanes_kernels *fa__cpu_lanes; /* convolutions of many images */
extern const fa__winograd_kernels *fa__cpu_winograd;

/* The matrix products of a dtype under the current settings. At the levels avx512_bf16 and amx those of bf16 are not
 * chains of multiply-adds (docs/math.md), except where the setting `deterministic` asks for them. */
const fa__gemm_kernels *fa__cpu_gemm_of(int dtype);

/* "avx2" */
const char *fa__cpu_level_name(void);

/* For tests: the levels that this machine can run and that have loops of their own (simd.h, lanes.h): not avx512_bf16
 * and amx, which have those of avx512. Their number goes to *count. */
const char *const *fa__cpu_level_names(int *count);
/* For tests: uses the level of that name from now on; false when the machine has not got it. */
bool fa__cpu_level_use(const char *name);
#endif
