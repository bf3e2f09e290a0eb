#!/bin/sh
# test-gpu.sh BUILD [TEST...]: the tests of devices, or those that are named, on this machine's CUDA devices: on the first
# two, or on the only one and a late device; then a table of figures (gpu-figures.sh). Nothing else in the repository runs on
# a real GPU. With the simulator's libraries (tests/cudasim/run) all of it runs there, with small sizes for the figures. The
# last line is `N passed, N failed, N skipped`.
set -u
build=$1
shift
"$build/facula" devices | grep '^cuda' | tee "$build/tests/gpu.txt"
if ! grep -q '^cuda:0' "$build/tests/gpu.txt"; then
    echo '0 passed, 0 failed, 1 skipped'
    exit 0
fi
devices='cuda:0 late:0'
grep -q '^cuda:1' "$build/tests/gpu.txt" && devices='cuda:0 cuda:1'
passed=0 failed=0 skipped=0
# Bits are compared with the CPU's, which cuBLASLt, cuDNN and tensor cores have not; their own tests come last.
# shellcheck disable=SC2046
[ $# -gt 0 ] || set -- $(tr ';' ' ' <"$build/tests/device_tests.txt") cuda_tensor cuda_tensor_convolution cuda_cublaslt \
    cuda_cudnn cuda_cudnn_attention
for name; do
    log=$build/tests/$name@gpu.log
    FACULA_CUBLASLT=0 FACULA_CUDNN=0 FACULA_TENSOR_CORES=0 FACULA_TEST_DEVICES=$devices FACULA_CACHE_DIR=$build/kernels FACULA_PLUGINS=$build/facula-plugins \
        timeout 1800 "$build/tests/$name" >"$log" 2>&1
    case $? in
    0) passed=$((passed + 1)) result=passed ;;
    77) skipped=$((skipped + 1)) result=skipped ;;
    *) failed=$((failed + 1)) result="FAILED: $log" ;;
    esac
    echo "$name on $devices: $result"
    [ "${result#FAILED}" = "$result" ] || tail -n 20 "$log"
done
size=
grep -q '^cuda:0  *simulator' "$build/tests/gpu.txt" && size=small
if "$(dirname "$0")/gpu-figures.sh" "$build" $size; then
    passed=$((passed + 1))
else
    failed=$((failed + 1))
    echo 'gpu-figures: FAILED'
fi
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ]
