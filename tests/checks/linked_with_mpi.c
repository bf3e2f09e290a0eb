/* A program that is linked with MPI and initializes it, as its part of mpirun.sh: it has a copy of MPI's variables. */
#include <facula/facula.h>
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    bool good;
    {
        FA_SCOPE;
        int size;
        MPI_Comm_size(MPI_COMM_WORLD, &size);
        fa_group *world = fa_dist_init(.backend = "mpi", .timeout = 60);
        fa_tensor *t = fa_ones(FA_SHAPE(3));
        good = fa_dist_all_reduce(t, world) && fa_item(fa_get(t, 1)) == size;
    }
    MPI_Finalize();
    return !good;
}
