/* What the levels of a scan (scan.c) and the strips that it is done in (scan_strip.c) share. */
#ifndef FA__BACKEND_CPU_SCAN_STRIP_H
#define FA__BACKEND_CPU_SCAN_STRIP_H
#include "backend/cpu/kernel.h"
#include "backend/scan.h"

enum { FA__SCAN_STRIP = 64, FA__SCAN_DIMS = FA_MAX_DIMS + 1 };

/* Elements over lanes: in memory of the program, or of a level. */
typedef struct fa__scan_side {
    char *data;
    uint8_t dtype, size;
    int64_t step, stride[FA__SCAN_DIMS]; /* in elements: along a run; from lane to lane */
} fa__scan_side;

/* The lines of one length. The last dimension of the lanes is that of which strips are made. */
typedef struct fa__scan_level {
    const fa__simd_class *k;
    fa__scan_kind kind;
    int parts;             /* numbers of a state */
    bool first;            /* elements are operands, not states */
    bool write;            /* what the pass does: results, or else the ends of runs */
    int64_t lines, length; /* along the dimension */
    int64_t runs;          /* of a line */
    int rank, run_dim;     /* of the lanes; which of them counts runs */
    int64_t shape[FA__SCAN_DIMS], strips;
    fa__scan_side in[2], out[2], end[2]; /* end: of each run but the last; scanned, what stands before the next run */
} fa__scan_level;

/* The body of a parallel loop over the strips of a level, which is the context: its pass for some of them. */
void fa__scan_strips(void *context, int64_t begin, int64_t end);
#endif
