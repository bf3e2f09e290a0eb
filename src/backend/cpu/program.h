/* Scalar programs on the CPU: elementwise, and combined over dimensions. */
#ifndef FA__CPU_PROGRAM_H
#define FA__CPU_PROGRAM_H
#include "backend/device.h"

/* Lowers a program for a compute type, once; any thread may do it. False with an error when there is no memory. */
bool fa__cpu_prepare(fa__program *program, fa__class class);
/* Frees what was prepared; nobody may be running the program. */
void fa__cpu_release_program(fa__program *program);

/* FA__LAUNCH_PROGRAM. Outputs may be inputs (same address, strides and dtype) and otherwise overlap nothing. The
 * program is prepared. Results depend neither on strides nor on the number of threads. */
bool fa__cpu_run_program(const fa__launch *launch);
/* FA__LAUNCH_REDUCE: the fixed tree over the dimensions from `kept` on, in logical order. No elements give 0 or 1, and
 * for the largest and smallest an error. */
bool fa__cpu_run_reduce(const fa__launch *launch);
#endif
