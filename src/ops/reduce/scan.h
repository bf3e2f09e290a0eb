/* What scans share with what is made of them. */
#ifndef FA__OPS_SCAN_H
#define FA__OPS_SCAN_H
#include "dispatch/row.h"

/* x moved along dim by one place, to higher places or, by -1, to lower ones; `value` stands at the free one. */
fa_tensor *fa__shifted(const fa_tensor *x, int64_t dim, int by, double value);
/* 0, 1, 2 and so on along dim, i64: of size 1 in the other dimensions. */
fa_tensor *fa__numbers_along(const fa_tensor *x, int64_t dim);
#endif
