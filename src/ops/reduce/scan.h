/* Helpers shared by the scans. */
#ifndef FA__OPS_SCAN_H
#define FA__OPS_SCAN_H
#include "dispatch/row.h"

/* x shifted along dim by one position (step 1: towards higher indices, -1: lower); `value` fills the free position. */
fa_tensor *fa__shifted(const fa_tensor *x, int64_t dim, int by, double value);
/* The numbers 0, 1, 2, ... along dim as i64, with size 1 in the other dimensions. */
fa_tensor *fa__numbers_along(const fa_tensor *x, int64_t dim);
#endif
