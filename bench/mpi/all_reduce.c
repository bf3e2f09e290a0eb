/* MPI's own all_reduce of floats, two processes: answers the lines that rows are measured by (bench/support/row.h). The
 * second process sleeps while the first has nothing to do, and looks seldom: MPI would wait for it on a core that
 * another program needs, and each look interrupts Facula. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_CALLS = 1 << 24 };
static const double round_seconds = 0.03;

static float *x;
static int elements, rank;

/* ---- the two processes ---- */

/* What the first process says. */
static long hear(long word)
{
    MPI_Request request;
    int done = 0;
    MPI_Ibcast(&word, 1, MPI_LONG, 0, MPI_COMM_WORLD, &request);
    while (MPI_Test(&request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && !done)
        if (rank)
            nanosleep(&(struct timespec){0, 2000000}, NULL);
    return word;
}

static double timed(long calls)
{
    hear(calls);
    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    for (long i = 0; i < calls; i++)
        MPI_Allreduce(MPI_IN_PLACE, x, elements, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
    return MPI_Wtime() - start;
}

static void follow(void)
{
    for (long calls; (calls = hear(0)) != 0;) {
        MPI_Barrier(MPI_COMM_WORLD);
        for (long i = 0; i < calls; i++)
            MPI_Allreduce(MPI_IN_PLACE, x, elements, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
    }
}

/* ---- answers ---- */

/* "open all_reduce_1m_mpi": the bytes; 0: it is no such row. */
static long bytes_of(const char *line)
{
    char unit;
    long count;
    if (sscanf(line, "open all_reduce_%ld%c", &count, &unit) != 2)
        return 0;
    return count << (unit == 'k' ? 10 : 20);
}

static long calls_of_a_round(void)
{
    long count = 1;
    timed(1);
    for (double taken; (taken = timed(count)) < round_seconds && count < MOST_CALLS;)
        count = taken < round_seconds / 10 ? 4 * count : (long)((double)count * round_seconds / taken) + 1;
    return count;
}

static void make(long bytes)
{
    elements = (int)(bytes / (long)sizeof *x);
    x = calloc((size_t)elements + 1, sizeof *x);
}

static void print_version(void)
{
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;
    MPI_Get_library_version(text, &length);
    printf("%.*s\n", (int)strcspn(text, ",\n"), text);
}

static void answer_all(void)
{
    char line[200];
    long count = 1;
    while (fgets(line, sizeof line, stdin)) {
        long bytes = bytes_of(line);
        if (!strncmp(line, "version", 7)) {
            print_version();
        } else if (bytes && !x) {
            hear(bytes);
            make(bytes);
            count = calls_of_a_round();
            printf("%ld\n", count);
        } else if (!strncmp(line, "go", 2) && x) {
            timed(count / 8 + 1);
            printf("%.9g\n", timed(count) / (double)count);
        } else {
            printf("0\n");
        }
        fflush(stdout);
    }
    hear(0);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        answer_all();
    } else {
        long bytes = hear(0);
        if (bytes) {
            make(bytes);
            follow();
        }
    }
    MPI_Finalize();
    free(x);
    return 0;
}
