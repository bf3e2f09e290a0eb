/* Whole rows by an index along the first dimension, whose numbers were checked. */
#ifndef FA__BACKEND_CPU_ROWS_H
#define FA__BACKEND_CPU_ROWS_H
#include "backend/cpu/kernel.h"

/* y[i] = x[index[i]]. False, and nothing done, where rows are no runs of memory. */
bool fa__cpu_fetch_rows(const fa__operand *y, const fa__operand *x, const fa__operand *index);
#endif
