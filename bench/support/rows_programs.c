/* Rows of whole programs: the time and the memory of one that adds two tensors and exits. The driver runs them. */
#include "row.h"
#include <stddef.h>

const bench_row bench_programs[] = {
    {"startup", BENCH_SECONDS, 300, BENCH_NO_LIMIT, NULL, NULL},
    {"startup_memory", BENCH_MEGABYTES, 40, BENCH_NO_LIMIT, NULL, NULL},
    {0},
};
