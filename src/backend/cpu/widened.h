/* Kernels that do half precision by f32. */
#ifndef FA__BACKEND_CPU_WIDENED_H
#define FA__BACKEND_CPU_WIDENED_H
#include "backend/cpu/kernel.h"

/* Runs a kernel, whose results are its first operands, with f32 in the place of f16 and bf16: each
 * element of a result is rounded once. The kernel must not look at more of the launch than operands and arguments. */
bool fa__cpu_run_widened(const fa__launch *l, bool (*kernel)(const fa__launch *));
/* The same, but only for the operands whose bits are set: for kernels that convert the others on their way. */
bool fa__cpu_run_widened_some(const fa__launch *l, unsigned operands, bool (*kernel)(const fa__launch *));
#endif
