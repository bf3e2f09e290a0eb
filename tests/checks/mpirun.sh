#!/bin/sh
# mpirun.sh TEST_DIST_GROUPS FACULA: all collective calls, by the MPI backend, under each mpirun that is here; a rank that
# does not come is named; one that is killed ends the others; `facula train` trains one network, by MPI and without it; a
# program may be linked with MPI itself.
test=$1 facula=$2
here=$(dirname "$0") build=$(dirname "$2")
scratch=$(mktemp -d)
trap 'rm -r "$scratch"' EXIT
found=0 status=0
export FACULA_DIST_BACKEND=mpi FACULA_NUM_THREADS=1
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1

complain() {
    echo "$1"
    status=1
}

for mpirun in mpirun.openmpi mpirun.mpich; do
    command -v $mpirun >/dev/null || continue
    found=1
    for ranks in 2 3; do
        RANK=0 timeout 300 $mpirun -n $ranks "$test" all || complain "$mpirun -n $ranks: the calls failed"
    done
    [ "$(RANK=0 timeout 60 $mpirun -n 4 "$test" missed 2>/dev/null | grep -c 'names rank 2')" = 4 ] \
        || complain "$mpirun -n 4: a rank that did not come was not named"
    for backend in mpi auto; do
        text=$(FACULA_DIST_BACKEND=$backend timeout 60 $mpirun -n 2 "$facula" train linear --epochs 1 2>&1)
        echo "$text" | grep -q ', 2 processes$' \
            || complain "$mpirun -n 2: facula train did not join its processes by $backend: $text"
    done
    # this program's ranks say "rank 1" when it is gone; mpirun ends them before or after that
    RANK=0 timeout 60 $mpirun -n 3 "$test" killed >/dev/null 2>&1
    case $? in
    0) complain "$mpirun: a killed rank went unnoticed" ;;
    124) complain "$mpirun: a killed rank left the others waiting" ;;
    esac
    mpicc=mpicc.${mpirun#mpirun.}
    command -v "$mpicc" >/dev/null && [ -e "$build/libfacula.so" ] || continue
    "$mpicc" -I"$here/../../include" -o "$scratch/linked" "$here/linked_with_mpi.c" -L"$build" -lfacula \
        -Wl,-rpath,"$build" && timeout 60 $mpirun -n 2 "$scratch/linked" >/dev/null 2>&1 \
        || complain "$mpirun: a program that is linked with MPI failed"
done
[ $found = 1 ] || { echo 'skipped: there is no mpirun'; exit 77; }
exit $status
