/* One side of the comparison: opens rows, and runs rounds of them when it is told to. */
#include "limits.h"
#include "row.h"
#include <facula/facula.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CALLS = 1 << 24 };
static const double round_seconds = 0.03;

static double pause_began, paused;
static double (*check)(void); /* of the open row; NULL: there is nothing to compare */

static const bench_row *now;

const bench_row *bench_row_now(void)
{
    return now;
}

void bench_check_by(double (*figure)(void))
{
    check = figure;
}

void bench_pause(void)
{
    pause_began = bench_now();
}

void bench_resume(void)
{
    paused += bench_now() - pause_began;
}

static double timed(const bench_row *r, int64_t count)
{
    double start = bench_now();
    paused = 0;
    r->run(count);
    return bench_now() - start - paused;
}

/* How many calls fill a round. Warms caches and threads up. */
static int64_t calls_of_a_round(const bench_row *r)
{
    int64_t count = 1;
    timed(r, 1);
    for (double taken; (taken = timed(r, count)) < round_seconds && count < MOST_CALLS && !fa_failed();)
        count = taken < round_seconds / 10 ? 4 * count : (int64_t)((double)count * round_seconds / taken) + 1;
    return count;
}

static void answer(double value)
{
    if (fa_failed())
        printf("failed %s\n", fa_error_message());
    else
        printf("%.9g\n", value);
    fa_error_clear();
    fflush(stdout);
}

/* ---- memory of the process, in bytes: what /proc/self/status says ---- */

static double status_bytes(const char *field)
{
    char line[200];
    double kilobytes = 0;
    FILE *f = fopen("/proc/self/status", "r");
    while (f && fgets(line, sizeof line, f))
        if (!strncmp(line, field, strlen(field)))
            kilobytes = strtod(line + strlen(field), NULL);
    if (f)
        fclose(f);
    return kilobytes * 1024;
}

/* The peak begins anew at what is resident now. */
static double begin_peak(void)
{
    FILE *f = fopen("/proc/self/clear_refs", "w");
    if (f) {
        fputs("5", f);
        fclose(f);
    }
    return status_bytes("VmRSS:");
}

/* ---- answers ---- */

/* What the other side did in between has the caches: some calls go first that are not timed. */
static void go(const bench_row *r, int64_t count)
{
    r->run(count / 8 + 1);
    answer(timed(r, count) / (double)count);
}

static bool next_line(char *line, size_t size)
{
    if (!fgets(line, (int)size, stdin))
        return false;
    line[strcspn(line, "\n")] = 0;
    return true;
}

static void serve_row(const bench_row *r)
{
    char line[200];
    FA_SCOPE;
    fa_manual_seed(0);
    fa_set_num_threads(0); /* a row may have set it */
    now = r;
    check = NULL;
    double before = begin_peak();
    r->open();
    fa_empty_cache(FA_CPU);
    begin_peak(); /* what only making the operands took is not the row's */
    int64_t count = fa_failed() ? 1 : calls_of_a_round(r);
    answer((double)count);
    while (next_line(line, sizeof line) && strcmp(line, "close") != 0)
        if (!strcmp(line, "check"))
            answer(check ? check() : 0);
        else if (!strcmp(line, "peak"))
            answer(status_bytes("VmHWM:") - before);
        else
            go(r, count);
    answer(0);
}

int bench_worker(void)
{
    char line[200];
    while (next_line(line, sizeof line)) {
        const bench_row *r = strncmp(line, "open ", 5) != 0 ? NULL : bench_row_named(line + 5);
        if (r && r->run)
            serve_row(r);
        else if (!strcmp(line, "limits"))
            bench_limits_print();
        else
            printf("failed there is no such row\n");
        fflush(stdout);
    }
    return 0;
}

int bench_count(const char *name, int64_t count)
{
    const bench_row *r = bench_row_named(name);
    if (!r || !r->run) {
        fprintf(stderr, "there is no row %s\n", name);
        return 2;
    }
    now = r;
    r->open();
    r->run(count);
    if (fa_failed())
        fprintf(stderr, "%s: %s\n", name, fa_error_message());
    return fa_failed();
}
