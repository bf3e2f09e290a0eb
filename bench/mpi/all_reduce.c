/* MPI's own all_reduce of BYTES bytes of floats, for peer.py: answers numbers of calls with the seconds they took. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static double timed(float *x, int elements, long calls)
{
    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    for (long i = 0; i < calls; i++)
        MPI_Allreduce(MPI_IN_PLACE, x, elements, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
    return MPI_Wtime() - start;
}

int main(int argc, char **argv)
{
    int rank, elements = argc > 1 ? atoi(argv[1]) / (int)sizeof(float) : 0;
    float *x = calloc((size_t)elements + 1, sizeof *x);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (;;) {
        long calls = 0;
        if (rank == 0 && (scanf("%ld", &calls) != 1 || calls < 0))
            calls = 0;
        MPI_Bcast(&calls, 1, MPI_LONG, 0, MPI_COMM_WORLD);
        if (!calls)
            break;
        double seconds = timed(x, elements, calls);
        if (rank == 0) {
            printf("%.9g\n", seconds);
            fflush(stdout);
        }
    }
    MPI_Finalize();
    free(x);
    return 0;
}
