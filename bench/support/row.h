/* Rows of the benchmark. A row is one entry of a table of its subject's file here, and one function of the same name in
 * peer.py; nothing else knows of it. */
#ifndef BENCH_ROW_H
#define BENCH_ROW_H
#include <stdbool.h>
#include <stdint.h>

/* How the figure of a row is shown. */
typedef enum {
    BENCH_MICROSECONDS,
    BENCH_MILLISECONDS,
    BENCH_GFLOPS,
    BENCH_GIGABYTES, /* a second, of all that is read and written */
    BENCH_SECONDS,
    BENCH_MEGABYTES
} bench_unit;

/* What a call has to do at least, for the limit that the machine sets; BENCH_NO_LIMIT. */
typedef struct bench_work {
    double flop;  /* multiplications and additions */
    double read;  /* bytes that are only read */
    double write; /* bytes that are only written */
    double add;   /* bytes of a pass that reads two streams and writes one */
    double copy;  /* bytes of a pass that reads one stream and writes one */
} bench_work;

#define BENCH_NO_LIMIT                                                                                                 \
    {                                                                                                                  \
        .flop = 0                                                                                                      \
    }

typedef struct bench_row {
    const char *name;
    bench_unit unit;
    double goal; /* of the ratio: how many times as fast as the peer */
    bench_work work;
    void (*open)(void);         /* makes the operands, in a scope that lives as long as the row */
    void (*run)(int64_t count); /* makes `count` calls */
} bench_row;

/* One table for each subject, ended by a row without a name. */
extern const bench_row bench_tiny[], bench_training[], bench_pointwise[], bench_layers[], bench_gemm[],
    bench_convolution[], bench_cnn[], bench_resnet[], bench_gpt[], bench_opencl[], bench_data[], bench_dist[],
    bench_programs[];

/* All rows in their order; NULL behind the last. */
const bench_row *bench_row_at(int i);
const bench_row *bench_row_named(const char *name);

/* Answers lines on standard input until it ends: "limits", "open NAME", "check", "peak" (bytes that the process took
 * since it was opened, at most at once), "go" (seconds a call), "close". peer.py speaks the same. */
int bench_worker(void);
/* Makes `count` calls of a row and nothing else: for counting instructions. */
int bench_count(const char *name, int64_t count);

/* For a row's open(): the row. */
const bench_row *bench_row_now(void);
/* The second process of a row of bench_dist, which connects to the first at a port of this machine. */
int bench_second_rank(const char *name, int port);
/* One of two processes that mpirun has started: the first is a worker for a row whose name ends with "_by_mpi". */
int bench_ranks(void);

/* For a row's open(): a figure that the peer must get, too, such as the loss after some steps from the same weights. */
void bench_check_by(double (*figure)(void));

/* Seconds of a clock. */
double bench_now(void);
/* What a row does between the two is not in its time. */
void bench_pause(void);
void bench_resume(void);
#endif
