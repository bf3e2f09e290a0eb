#!/bin/sh
# run.sh BUILD [NAME]: runs the benchmark of a build, beside PyTorch when build/venv has it; BENCH_PEER=1 puts it there
# (5.4 GB, 2 minutes). The table goes to standard output, the figures to build/bench.json.
set -eu
build=$1
only=${2-}
venv=build/venv
python=$venv/bin/python
has_torch() { [ -x "$python" ] && "$python" -c 'import torch' 2>/dev/null; }

if [ "${BENCH_PEER-0}" = 1 ] && ! has_torch; then
    python3 -m venv "$venv"
    "$python" -m pip install --quiet torch==2.15.0 numpy
fi
set --
if has_torch; then
    set -- --peer "$python" bench/peer.py
fi
# MPI's own side of the rows of all_reduce.
if command -v mpicc >/dev/null && command -v mpirun >/dev/null \
    && mpicc -O2 -o "$build/bench/mpi_all_reduce" bench/mpi/all_reduce.c; then
    set -- "$@" --mpi "$build/bench/mpi_all_reduce"
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
fi
# A lower level of instructions is for both sides.
if [ "${FACULA_CPU-}" = avx2 ]; then
    export ATEN_CPU_CAPABILITY=avx2 ONEDNN_MAX_CPU_ISA=AVX2 MKL_ENABLE_INSTRUCTIONS=AVX2
fi
# Two threads a side: one goes on while the other sleeps.
export FACULA_NUM_THREADS=2 OMP_NUM_THREADS=2
exec "$build/bench/compare" "$@" --json build/bench.json "$only"
