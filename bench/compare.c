/* The benchmark: Facula and a peer on the same work in one run, in short rounds that alternate, two threads each. Both
 * are programs that answer lines (support/row.h); so one that fails or is not there takes nothing from the other.
 *
 *     compare [--peer COMMAND SCRIPT] [--mpi PROGRAM] [--json FILE] [NAME]    rows whose name has NAME in it; all
 *     compare --count ROW CALLS                               makes the calls and nothing else
 *     compare --worker                                        Facula's side
 *     compare --rank ROW PORT                                 the second process of a row that has two
 *     compare --ranks                                         Facula's side, as two processes that mpirun has started
 *
 * PROGRAM is bench/mpi/all_reduce.c: the peer of rows whose name ends with "_mpi". */
#define _GNU_SOURCE
#include "support/child.h"
#include "support/limits.h"
#include "support/report.h"
#include "support/row.h"
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 21, PROGRAM_ROUNDS = 15, MEMORY_ROUNDS = 3, MOST_ROWS = 100 };

static const char peer_program[] = "import torch; print((torch.tensor([1.0, 2.0, 3.0, 4.0]) + 1.0).sum().item())";

/* Facula's side, or the peer's. */
typedef struct side {
    bench_child child;
    const char *command[6]; /* that answers lines; NULL: there is no such side */
    const char *program[4]; /* that adds two tensors and exits */
    double sample[ROUNDS];
    int samples;
    char failure[200];
} side;

typedef struct options {
    const char *peer[2], *mpi, *json, *only, *self;
} options;

/* ---- samples ---- */

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(side *s)
{
    qsort(s->sample, (size_t)s->samples, sizeof(double), by_size);
    return s->samples ? s->sample[s->samples / 2] : 0;
}

/* After median(). */
static double spread(const side *s)
{
    int n = s->samples;
    return n > 3 ? (s->sample[n - 1 - n / 4] - s->sample[n / 4]) / s->sample[n / 2] : 0;
}

/* Keeps an answer's number; one that is none is a failure. */
static bool take(side *s, const char *answer, double *number)
{
    char *end;
    *number = strtod(answer, &end);
    if (end != answer)
        return true;
    snprintf(s->failure, sizeof s->failure, "%.199s", answer);
    return false;
}

static bool ask(side *s, const char *line, double *number)
{
    char answer[400];
    if (bench_child_ask(&s->child, line, answer, sizeof answer))
        return take(s, answer, number);
    snprintf(s->failure, sizeof s->failure, "failed its program ended");
    bench_child_end(&s->child);
    return bench_child_start(&s->child, s->command) && false;
}

/* ---- rows ---- */

static bool open_row(side *s, const char *name)
{
    char line[100];
    double calls;
    s->samples = 0;
    s->failure[0] = 0;
    snprintf(line, sizeof line, "open %s", name);
    return s->command[0] && ask(s, line, &calls);
}

/* Rows that have a figure for it compute the same on both sides; others answer 0. */
static void check_row(side *sides)
{
    double ours, theirs;
    if (ask(&sides[0], "check", &ours) && ask(&sides[1], "check", &theirs)
        && !(fabs(ours - theirs) <= 1e-4 * fabs(theirs)))
        snprintf(sides[0].failure, sizeof sides[0].failure, "failed: %.7g, but %.7g by the peer", ours, theirs);
}

static void measure_calls(side *sides, const bench_row *row)
{
    bool open[2];
    double number;
    for (int i = 0; i < 2; i++)
        open[i] = open_row(&sides[i], row->name);
    if (open[0] && open[1])
        check_row(sides);
    for (int round = 0; round < ROUNDS; round++)
        for (int i = 0; i < 2; i++)
            if (open[i] && (open[i] = ask(&sides[i], "go", &number)))
                sides[i].sample[sides[i].samples++] = number;
    for (int i = 0; i < 2; i++)
        if (open[i])
            ask(&sides[i], "close", &number);
}

/* Memory of a row, by processes that did nothing before. */
static void measure_peaks(side *sides, const bench_row *row)
{
    double number;
    for (int i = 0; i < 2; i++) {
        if (!sides[i].command[0])
            continue;
        bench_child_end(&sides[i].child);
        if (bench_child_start(&sides[i].child, sides[i].command) && open_row(&sides[i], row->name)
            && ask(&sides[i], "peak", &sides[i].sample[0])) {
            sides[i].samples = 1;
            ask(&sides[i], "close", &number);
        }
    }
}

static void measure_programs(side *sides, const bench_row *row)
{
    bool memory = row->unit == BENCH_MEGABYTES;
    double seconds, bytes;
    sides[0].samples = sides[1].samples = 0;
    sides[0].failure[0] = sides[1].failure[0] = 0;
    for (int round = 0; round < (memory ? MEMORY_ROUNDS : PROGRAM_ROUNDS); round++)
        for (int i = 0; i < 2; i++)
            if (sides[i].program[0] && bench_child_run(sides[i].program, &seconds, &bytes))
                sides[i].sample[sides[i].samples++] = memory ? bytes : seconds;
}

static bool ends_with(const char *name, const char *end)
{
    size_t all = strlen(name), last = strlen(end);
    return all >= last && !strcmp(name + all - last, end);
}

/* MPI's processes would wait for work on a core that the others need: they are there while such a row is measured. */
static void measure_mpi(side *pair, const bench_row *row, const options *o)
{
    const side ours = {.command = {o->self, "--worker"}}, theirs = {.command = {"mpirun", "-n", "2", o->mpi}},
               by_mpi = {.command = {"mpirun", "-n", "2", o->self, "--ranks"}}, none = {.samples = 0};
    pair[0] = !ends_with(row->name, "_by_mpi") ? ours : o->mpi ? by_mpi : none;
    pair[1] = o->mpi ? theirs : none;
    for (int i = 0; i < 2; i++)
        if (pair[i].command[0] && !bench_child_start(&pair[i].child, pair[i].command))
            pair[i].command[0] = NULL;
    measure_calls(pair, row);
    for (int i = 0; i < 2; i++)
        bench_child_end(&pair[i].child);
}

static bench_result measure(side *sides, const bench_row *row, const bench_limits *limits, const options *o)
{
    bool peak = row->run && row->unit == BENCH_MEGABYTES;
    side pair[2];
    if (ends_with(row->name, "_mpi")) {
        measure_mpi(pair, row, o);
        sides = pair;
    } else
        (peak ? measure_peaks : row->run ? measure_calls : measure_programs)(sides, row);
    bench_result r = {.row = row, .limit = bench_least_seconds(limits, &row->work)};
    r.facula = median(&sides[0]);
    r.peer = median(&sides[1]);
    r.spread = spread(&sides[0]);
    const char *failure = sides[0].failure[0] ? sides[0].failure : sides[1].failure;
    snprintf(r.failure, sizeof r.failure, "%s", failure);
    return r;
}

/* The limits are measured by a process of their own: the rows' has no threads before a row needs them. */
static bool start(side *sides, bench_limits *limits)
{
    char line[200];
    bench_child first = {0};
    bool good = bench_child_start(&first, sides[0].command) && bench_child_ask(&first, "limits", line, sizeof line)
                && bench_limits_read(line, limits);
    if (first.pid)
        bench_child_end(&first);
    if (!good || !bench_child_start(&sides[0].child, sides[0].command)) {
        fprintf(stderr, "compare: Facula's side does not answer\n");
        return false;
    }
    if (sides[1].command[0] && !bench_child_start(&sides[1].child, sides[1].command))
        sides[1].command[0] = NULL;
    return true;
}

static void name_peer(side *s, char *name, size_t size)
{
    if (s->command[0] && bench_child_ask(&s->child, "version", name, size))
        return;
    if (s->command[0])
        bench_child_end(&s->child);
    s->command[0] = s->program[0] = NULL;
    snprintf(name, size, "none; BENCH_PEER=1 make bench installs it");
}

/* A line that says which MPI there is. */
static void name_mpi(const options *o)
{
    const char *const command[] = {"mpirun", "-n", "1", o->mpi, NULL};
    char name[200];
    bench_child child;
    if (o->mpi && bench_child_start(&child, command)) {
        if (bench_child_ask(&child, "version", name, sizeof name))
            printf("MPI: %s\n", name);
        bench_child_end(&child);
    } else {
        printf("MPI: none, so rows of MPI have no figures of it; make bench takes it from mpicc and mpirun\n");
    }
}

/* Other programs on the cores fall on the two sides in different measure. */
static void warn_of_load(void)
{
    double load;
    if (getloadavg(&load, 1) == 1 && load > 1)
        printf("note: other programs were busy in the last minute (load %.1f): these figures are no claims\n", load);
}

static int compare(const options *o)
{
    const char *self = o->self;
    static bench_result results[MOST_ROWS];
    char startup[4096], peer[200];
    bench_limits limits;
    int count = 0;
    snprintf(startup, sizeof startup, "%.*sstartup", (int)(strrchr(self, '/') ? strrchr(self, '/') - self + 1 : 0),
             self);
    side sides[2] = {{.command = {self, "--worker"}, .program = {startup}},
                     {.command = {o->peer[0], o->peer[1]}, .program = {o->peer[0], "-c", peer_program}}};
    if (!start(sides, &limits))
        return 1;
    name_peer(&sides[1], peer, sizeof peer);
    warn_of_load();
    name_mpi(o);
    bench_report_begin(&limits, peer);
    const bench_row *row;
    for (int i = 0; (row = bench_row_at(i)) && count < MOST_ROWS; i++)
        if (strstr(row->name, o->only)) {
            results[count] = measure(sides, row, &limits, o);
            bench_report_row(&results[count++]);
        }
    bench_child_end(&sides[0].child);
    bench_child_end(&sides[1].child);
    if (!count)
        fprintf(stderr, "compare: no row has \"%s\" in its name\n", o->only);
    else if (!bench_report_json(o->json, results, count))
        fprintf(stderr, "compare: %s cannot be written\n", o->json);
    else
        return 0;
    return 1;
}

int main(int argc, char **argv)
{
    options o = {.json = "bench.json", .only = "", .self = argv[0]};
    signal(SIGPIPE, SIG_IGN);
    if (argc == 2 && !strcmp(argv[1], "--worker"))
        return bench_worker();
    if (argc == 2 && !strcmp(argv[1], "--ranks"))
        return bench_ranks();
    if (argc == 4 && !strcmp(argv[1], "--count"))
        return bench_count(argv[2], strtoll(argv[3], NULL, 10));
    if (argc == 4 && !strcmp(argv[1], "--rank"))
        return bench_second_rank(argv[2], atoi(argv[3]));
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--peer") && i + 2 < argc) {
            o.peer[0] = argv[++i];
            o.peer[1] = argv[++i];
        } else if (!strcmp(argv[i], "--mpi") && i + 1 < argc) {
            o.mpi = argv[++i];
        } else if (!strcmp(argv[i], "--json") && i + 1 < argc) {
            o.json = argv[++i];
        } else {
            o.only = argv[i];
        }
    }
    return compare(&o);
}
