#!/bin/sh
# cudasim.sh FACULA SIMULATOR: what `facula devices` says when CUDA is not there or cannot be used, and why, for each
# function of the driver and of NVRTC that is absent or fails; where NVRTC is found; and a network that is trained on the
# simulator, by machine code and by PTX.
# cudasim.sh FACULA SIMULATOR full: a convolutional network that is trained there, and a network with each function of the
# driver and of NVRTC failing, or absent.
set -u
facula=$1
simulator=$2
failed=0
unset FACULA_DEVICE CUDA_HOME CUDA_PATH VIRTUAL_ENV CONDA_PREFIX
export FACULA_CUDA_LIBRARY="$simulator" FACULA_NVRTC_LIBRARY="$simulator" FACULA_OPENCL_LIBRARY=none

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

train() { # model, and options
    model=$1
    shift
    "$facula" train "$model" --data digits --epochs 1 --quiet "$@"
}

api=$(dirname "$0")/../../src/backend/gpu/cuda/api.h
names() { # of the lists of functions in api.h whose names match
    sed -n "/define FA__$1_FUNCTIONS/,/^\$/s/^ *FUNCTION(\([A-Za-z0-9_]*\),.*/\1/p" "$api"
}
required=$(names CUDA && names NVRTC && echo nvrtcGetErrorString)
optional=$(names CUDA_GRAPH && names CUDA_VIRTUAL)
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
wrong() { # name, and what was said
    printf '%s:\n%s\n' "$1" "$2"
    failed=1
}
without() { # function, command: with a copy of the simulator that does not have it
    sed -z "s/^$1\$/${1%?}-/" "$simulator" >"$work/without"
    shift
    FACULA_CUDA_LIBRARY=$work/without FACULA_NVRTC_LIBRARY=$work/without "$@" 2>&1
}
none='^cuda  *not available: '
there='^cuda:0  *simulator (no GPU)'

if [ "${3-}" = full ]; then
    expected=$(train cnn --device cpu)
    check 'training a CNN gives the network of the CPU' "^$expected\$" train cnn --device cuda:1
    expected=$(train linear --device cpu)
    for call in $required $optional; do # the first call fails
        said=$(CUDASIM_FAIL=$call:1:999 train linear --device cuda:0 2>&1)
        case $?,$said in
        0,"$expected" | [12],'facula: '?*) ;;
        *) wrong "training, and $call fails" "$said" ;;
        esac
    done
    for call in $optional; do
        said=$(without "$call" train linear --device cuda:0)
        [ "$said" = "$expected" ] || wrong "training without $call" "$said"
    done
    exit $failed
fi

check 'no driver' "${none}there is no CUDA driver: none: cannot open" env FACULA_CUDA_LIBRARY=none "$facula" devices
check 'another library' "${none}there is no CUDA driver: libm.so.6 has no cuInit" \
    env FACULA_CUDA_LIBRARY=libm.so.6 "$facula" devices
check 'no compiler' "${none}there is no compiler (NVRTC): libm.so.6 has no nvrtcVersion" \
    env FACULA_NVRTC_LIBRARY=libm.so.6 "$facula" devices
check 'no GPU' "${none}the CUDA driver finds no GPU: CUDA_ERROR_NO_DEVICE" env CUDASIM_DEVICES=0 "$facula" devices
check 'a driver that fails' "${none}the CUDA driver finds no GPU: CUDA_ERROR_UNKNOWN" \
    env CUDASIM_FAIL=cuInit:1:999 "$facula" devices
check 'an old GPU' "${none}GPU 0 (simulator (no GPU)) has compute capability 5.0, for which NVRTC 13.0 does not compile" \
    env CUDASIM_CAPABILITY=50 "$facula" devices
check 'a GPU that does not answer' '^cuda  *not available: GPU 1 does not answer' \
    env CUDASIM_FAIL=cuDeviceGet:2:46 "$facula" devices
check 'a GPU that does not say what it can' '^cuda  *not available: GPU 0 does not answer' \
    env CUDASIM_FAIL=cuDeviceGetAttribute:2:999 "$facula" devices
check 'eight devices' '^cuda:7  *simulator (no GPU)  *CUDA 13.0  *1.0 GiB' env CUDASIM_DEVICES=8 "$facula" devices
check 'a device that does not open' '^cuda:0  *not available: .*cuStreamSynchronize failed: CUDA_ERROR_UNKNOWN' \
    env CUDASIM_FAIL=cuStreamSynchronize:1:999 CUDASIM_DELAY_US=-1 "$facula" devices
check 'a device that does not open to train' 'CUDA_ERROR_DEVICE_UNAVAILABLE' \
    env CUDASIM_FAIL=cuDevicePrimaryCtxRetain:1:46 "$facula" train mlp --device cuda:0 --epochs 1

expected=$(train mlp --device cpu)
check 'training gives the network of the CPU' "^$expected\$" train mlp --device cuda:1
check 'PTX for a newer GPU' "^$expected\$" env CUDASIM_CAPABILITY=130 \
    "$facula" train mlp --data digits --epochs 1 --quiet --device cuda:0 # later than what NVRTC knows

# ---- each function fails, or is absent ----
[ "$(echo "$required" "$optional" | wc -w)" -gt 60 ] || wrong 'the functions' "$required"
for call in $required $optional; do
    said=$(CUDASIM_FAIL=$call:1:999 "$facula" devices 2>&1) &&
        printf '%s\n' "$said" | grep -q "$there\|^cuda\(:0\)*  *not available: ." || wrong "$call fails" "$said"
done
for call in $required; do
    said=$(without "$call" "$facula" devices) &&
        printf '%s\n' "$said" | grep -q "${none}.*has no $call\$" || wrong "$call is absent" "$said"
done
for call in $optional; do
    said=$(without "$call" "$facula" devices) &&
        printf '%s\n' "$said" | grep -q "$there" || wrong "$call is absent" "$said"
done

# ---- where NVRTC is found: it is the simulator, and not another one of this system, if its failure is noticed ----
unset FACULA_NVRTC_LIBRARY
mkdir "$work/other"
for version in 12 13; do # what the dynamic linker would find has no functions
    ln -s "$(ldd "$facula" | awk '/libm\.so/ {print $3}')" "$work/other/libnvrtc.so.$version"
done
export LD_LIBRARY_PATH="$work/other" HOME="$work/none"
places='CUDA_HOME=/lib64 CUDA_PATH=/lib64 CONDA_PREFIX=/lib
    VIRTUAL_ENV=/lib/python3.12/site-packages/nvidia/cuda_nvrtc/lib
    CONDA_PREFIX=/lib/python3.11/site-packages/nvidia/cu13/lib'
versions=13
if "$facula" devices | grep -q "$none"; then
    versions='12 13'
    places="$places HOME=/.local/lib/python3.13/site-packages/nvidia/cuda_nvrtc/lib"
else
    echo '[  SKIPPED ] 1 test(s): this system has an NVRTC, which comes before one of a home, or an older one'
fi
for place in $places; do
    for version in $versions; do
        folder=$work/root${place#*=}
        mkdir -p "$folder" && ln -s "$simulator" "$folder/libnvrtc.so.$version"
        check "NVRTC $version in $place" "${none}GPU 0 .*, for which NVRTC 13.0 does not compile" \
            env "${place%%=*}=$work/root" CUDASIM_FAIL=nvrtcGetNumSupportedArchs:1:5 CUDASIM_DEVICES=1 "$facula" devices
        rm "$folder/libnvrtc.so.$version"
    done
done
exit $failed
