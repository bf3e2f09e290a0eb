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
run() { # name, command
    name=$1 log=$build/tests/$1@gpu.log
    shift
    FACULA_TEST_DEVICES=$devices FACULA_CACHE_DIR=$build/kernels FACULA_PLUGINS=$build/facula-plugins \
        timeout 1800 "$@" >"$log" 2>&1
    case $? in
    0) passed=$((passed + 1)) result=passed ;;
    77) skipped=$((skipped + 1)) result=skipped ;;
    *) failed=$((failed + 1)) result="FAILED: $log" ;;
    esac
    echo "$name on $devices: $result"
    [ "${result#FAILED}" = "$result" ] || tail -n 20 "$log"
}
# Bits are compared with the CPU's, which cuBLASLt, cuDNN and tensor cores have not.
exact() { # name, command
    name=$1
    shift
    run "$name" env FACULA_CUBLASLT=0 FACULA_CUDNN=0 FACULA_TENSOR_CORES=0 "$@"
}
if [ $# = 0 ]; then
    # First cuBLASLt and cuDNN, whose results are compared by tolerances; then the examples; then the tests, of which those
    # of tensor cores and of the two libraries come last.
    run ops_conformance-libraries env FACULA_CUBLASLT=1 FACULA_CUDNN=1 FACULA_TENSOR_CORES=0 \
        "$build/tests/ops_conformance" --close matmul linear conv2d scaled_dot_product_attention
    # shellcheck disable=SC2086 # two words
    exact examples "$(dirname "$0")/../tests/examples/run.sh" "$build/examples" "$build/facula" $devices
    # shellcheck disable=SC2046
    set -- $(tr ';' ' ' <"$build/tests/device_tests.txt") cuda_ledger cuda_tensor cuda_tensor_convolution cuda_cublaslt \
        cuda_cudnn cuda_cudnn_attention
fi
for name; do
    exact "$name" "$build/tests/$name"
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
