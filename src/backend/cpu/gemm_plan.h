/* How a matrix product is divided among threads, and into blocks that fit the caches. Nothing of it changes a result.
 */
#ifndef FA__BACKEND_CPU_GEMM_PLAN_H
#define FA__BACKEND_CPU_GEMM_PLAN_H
#include "backend/cpu/gemm_kind.h"
#include "base/integer.h"

typedef struct fa__gemm_plan {
    const fa__gemm *g;
    const fa__gemm_kind *kind;
    bool pack_a, pack_b;
    bool a_by_tiles; /* packed a: the rows of each tile side by side; otherwise row after row */
    bool staged;     /* sums are kept apart until they are complete */
    bool at_once;    /* they are complete after one run of k: those of a tile are kept, not those of a block */
    bool keeps_a;    /* all rows of a task are packed at once, for all its blocks of columns */
    bool together;   /* threads pack each block of b together, then take rows of c; otherwise each has its tasks */
    int64_t row_tasks, col_tasks;    /* c is divided into row_tasks x col_tasks */
    int64_t depth, rows, cols;       /* of a block: of k and of c */
    int64_t pack_rows, a_packed_row; /* rows of a packed at a time, and their distance */
    size_t a_bytes, b_bytes, sum_bytes, room_bytes;
} fa__gemm_plan;

enum { FA__GEMM_SUMS_PADDING = 16 }; /* elements between rows of sums, so that they do not share a cache set */

fa__gemm_plan fa__gemm_plan_of(const fa__gemm *g, const fa__gemm_kind *kind);

static inline int64_t fa__gemm_round_up(int64_t a, int64_t b)
{
    return fa__ceil_div(a, b) * b;
}
#endif
