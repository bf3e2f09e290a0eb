#!/bin/sh
# cudasim.sh FACULA SIMULATOR: what `facula devices` says when CUDA is not there or cannot be used, and why; and a network
# that is trained on the simulator, by machine code and by PTX.
set -u
facula=$1
simulator=$2
failed=0
unset FACULA_DEVICE CUDA_HOME CUDA_PATH VIRTUAL_ENV CONDA_PREFIX
export FACULA_CUDA_LIBRARY="$simulator" FACULA_NVRTC_LIBRARY="$simulator"

# check NAME PATTERN COMMAND...: a line of its output matches
check() {
    name=$1 pattern=$2
    shift 2
    output=$("$@" 2>&1)
    if printf '%s\n' "$output" | grep -q -- "$pattern"; then
        echo "[       OK ] $name"
    else
        printf '%s: "%s" is not in\n%s\n' "$name" "$pattern" "$output"
        failed=1
    fi
}

none='^cuda  *not available: '
check 'no driver' "${none}there is no CUDA driver: none: cannot open" env FACULA_CUDA_LIBRARY=none "$facula" devices
check 'another library' "${none}there is no CUDA driver: libm.so.6 has no cuInit" \
    env FACULA_CUDA_LIBRARY=libm.so.6 "$facula" devices
check 'no compiler' "${none}there is no compiler (NVRTC): libm.so.6 has no nvrtcVersion" \
    env FACULA_NVRTC_LIBRARY=libm.so.6 "$facula" devices
check 'no GPU' "${none}the CUDA driver finds no GPU: CUDA_ERROR_NO_DEVICE" env CUDASIM_DEVICES=0 "$facula" devices
check 'a driver that fails' "${none}the CUDA driver finds no GPU: CUDA_ERROR_UNKNOWN" \
    env CUDASIM_FAIL=cuInit:1:999 "$facula" devices
check 'an old GPU' "${none}GPU 0 (simulator 0 (no GPU)) has compute capability 5.0, for which NVRTC 13.0 does not compile" \
    env CUDASIM_CAPABILITY=50 "$facula" devices
check 'a GPU that does not answer' '^cuda  *not available: GPU 1 does not answer' \
    env CUDASIM_FAIL=cuDeviceGet:2:46 "$facula" devices
check 'eight devices' '^cuda:7  *simulator 7 (no GPU)  *CUDA 13.0  *1.0 GiB' env CUDASIM_DEVICES=8 "$facula" devices
check 'a device that does not open' 'CUDA_ERROR_DEVICE_UNAVAILABLE' \
    env CUDASIM_FAIL=cuDevicePrimaryCtxRetain:1:46 "$facula" train mlp --device cuda:0 --epochs 1

train() {
    "$facula" train mlp --data digits --epochs 1 --quiet "$@"
}
expected=$(train --device cpu)
check 'training gives the network of the CPU' "^$expected\$" train --device cuda:1
export CUDASIM_CAPABILITY=130 # later than what NVRTC knows
check 'PTX for a newer GPU' "^$expected\$" train --device cuda:0
exit $failed
