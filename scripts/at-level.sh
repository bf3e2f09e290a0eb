#!/bin/sh
# at-level.sh LEVEL COMMAND...: runs the command with the kernels of that level of instructions (FACULA_CPU); exits with
# 77 (skipped) on a machine that has not got it, or that has no higher one: there the command alone does the same.
level=$1
shift
higher=
case $level in
avx2) needed='avx2 fma bmi2 f16c movbe' higher=avx512f ;;
avx512) needed='avx512f avx512bw avx512cd avx512dq avx512vl' higher=avx512_bf16 ;;
avx512_bf16) needed=avx512_bf16 higher=amx_bf16 ;;
amx) needed='avx512_bf16 amx_tile amx_bf16' ;;
*) needed= ;;
esac
for flag in $needed; do
    if ! grep -qw "$flag" /proc/cpuinfo; then
        echo "skipped: this machine has no $flag"
        exit 77
    fi
done
if [ -n "$higher" ] && ! grep -qw "$higher" /proc/cpuinfo; then
    echo "skipped: $level is the highest level of this machine"
    exit 77
fi
FACULA_CPU=$level exec "$@"
