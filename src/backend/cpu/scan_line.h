/* Scans whose state is one number, line after line (scan_line.c). */
#ifndef FA__BACKEND_CPU_SCAN_LINE_H
#define FA__BACKEND_CPU_SCAN_LINE_H
#include "backend/cpu/kernel.h"
#include "backend/scan.h"

/* y = the scan of x along dim, neither of which is empty; false and an error when there is no memory. */
bool fa__scan_lines(const fa__operand *y, const fa__operand *x, int dim, fa__scan_kind kind);
#endif
