/* What the machine can do, measured: the peak of multiply-add, and the bandwidth of memory. */
#ifndef BENCH_LIMITS_H
#define BENCH_LIMITS_H
#include "row.h"

enum { BENCH_THREADS = 2 };

typedef struct bench_limits {
    double flop; /* a second: multiplications and additions of f32, in registers */
    double read; /* bytes a second, of each kind of pass that bench_work counts; writes go past the caches */
    double write;
    double copy;
    double add;
} bench_limits;

/* Measures what so many threads can do at once, at most 256; false without memory. Not from two threads at a time. */
bool bench_limits_measure(bench_limits *, int threads);
/* The same with BENCH_THREADS, printed as a line. */
void bench_limits_print(void);
/* Reads such a line. */
bool bench_limits_read(const char *line, bench_limits *);
/* The least time that work can take; 0: no limit. */
double bench_least_seconds(const bench_limits *, const bench_work *);
#endif
