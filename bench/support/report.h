/* What the benchmark found: a table on standard output, and a file of JSON. */
#ifndef BENCH_REPORT_H
#define BENCH_REPORT_H
#include "limits.h"
#include "row.h"

/* A row's figures: seconds, or bytes; 0: there is none. */
typedef struct bench_result {
    const bench_row *row;
    double facula, peer, limit;
    double spread; /* of Facula's rounds: the quarters' distance by the median */
    char failure[200];
} bench_result;

void bench_report_begin(const bench_limits *, const char *peer);
void bench_report_row(const bench_result *);
/* False when the file cannot be written. */
bool bench_report_json(const char *path, const bench_result *results, int count);
#endif
