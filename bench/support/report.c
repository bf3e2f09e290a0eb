/* The table and the JSON of the benchmark. */
#include "report.h"
#include <stdio.h>

static const struct {
    const char *name;
    double factor; /* from seconds or bytes; 0: operations or bytes a second */
} units[] = {[BENCH_MICROSECONDS] = {"us", 1e6}, [BENCH_MILLISECONDS] = {"ms", 1e3}, [BENCH_GFLOPS] = {"GFLOP/s", 0},
             [BENCH_GIGABYTES] = {"GB/s", 0},    [BENCH_SECONDS] = {"s", 1},         [BENCH_MEGABYTES] = {"MB", 1e-6}};

static double in_unit(const bench_row *r, double value)
{
    double factor = units[r->unit].factor;
    const bench_work *w = &r->work;
    double amount = r->unit == BENCH_GFLOPS ? w->flop : w->read + w->write + w->copy + w->add;
    return factor > 0 ? value * factor : amount / value * 1e-9;
}

static double ratio(const bench_result *r)
{
    return r->facula > 0 && r->peer > 0 ? r->peer / r->facula : 0;
}

static double share(const bench_result *r)
{
    return r->facula > 0 ? r->limit / r->facula : 0;
}

/* ---- the table ---- */

static void column(int width, double value, const char *format)
{
    char text[40] = "-";
    if (value > 0)
        snprintf(text, sizeof text, format, value);
    printf(" %*s", width, text);
}

static void figure(const bench_result *r, double value)
{
    double shown = value > 0 ? in_unit(r->row, value) : 0;
    column(10, shown, shown < 10 ? "%.3f" : shown < 100 ? "%.2f" : "%.1f");
}

void bench_report_begin(const bench_limits *l, const char *peer)
{
    printf("limits, %d threads: multiply-add %.0f GFLOP/s; read %.1f, write %.1f, copy %.1f, add %.1f GB/s\n",
           BENCH_THREADS, l->flop * 1e-9, l->read * 1e-9, l->write * 1e-9, l->copy * 1e-9, l->add * 1e-9);
    printf("peer: %s\n", peer);
    printf(
        "ratio: how many times as fast as the peer, or as small; share: of the limit; spread: of Facula's rounds\n\n");
    printf("%-20s %10s %10s %-8s %8s %6s %10s %6s %6s\n", "row", "Facula", "peer", "unit", "ratio", "goal", "limit",
           "share", "spread");
}

void bench_report_row(const bench_result *r)
{
    printf("%-20s", r->row->name);
    figure(r, r->facula);
    figure(r, r->peer);
    printf(" %-8s", units[r->row->unit].name);
    column(8, ratio(r), ratio(r) < 10 ? "%.2f" : "%.1f");
    column(6, r->row->goal, "%g");
    figure(r, r->limit);
    column(6, share(r), "%.2f");
    column(5, 100 * r->spread, "%.0f%%");
    printf("%s%s\n", r->failure[0] ? "  " : "", r->failure);
    fflush(stdout);
}

/* ---- JSON ---- */

static void json_number(FILE *f, const char *name, double value)
{
    fprintf(f, ", \"%s\": ", name);
    fprintf(f, value > 0 ? "%.6g" : "null", value);
}

static void json_figure(FILE *f, const char *name, const bench_result *r, double value)
{
    json_number(f, name, value > 0 ? in_unit(r->row, value) : 0);
}

bool bench_report_json(const char *path, const bench_result *results, int count)
{
    FILE *f = fopen(path, "w");
    if (!f)
        return false;
    fprintf(f, "[");
    for (int i = 0; i < count; i++) {
        const bench_result *r = &results[i];
        fprintf(f, "%s\n  {\"name\": \"%s\"", i ? "," : "", r->row->name);
        json_figure(f, "facula", r, r->facula);
        json_figure(f, "peer", r, r->peer);
        fprintf(f, ", \"unit\": \"%s\"", units[r->row->unit].name);
        json_number(f, "ratio", ratio(r));
        json_figure(f, "limit", r, r->limit);
        json_number(f, "share", share(r));
        fprintf(f, "}");
    }
    fprintf(f, "\n]\n");
    return fclose(f) == 0;
}
