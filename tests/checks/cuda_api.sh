#!/bin/sh
# cuda_api.sh SOURCE CC: what src/backend/gpu/cuda/api.h declares is what NVIDIA's headers have, where they are installed:
# each function's parameters, each number.
set -u
source=$1
cc=$2
folder=
for candidate in "${CUDA_HOME:-/usr/local/cuda}/include" /usr/include /usr/local/cuda/include; do
    [ -z "$folder" ] && [ -e "$candidate/cuda.h" ] && [ -e "$candidate/nvrtc.h" ] && folder=$candidate
done
if [ -z "$folder" ]; then
    echo 'skipped: the headers cuda.h and nvrtc.h are not installed'
    exit 77
fi
api=$source/src/backend/gpu/cuda/api.h
test=$(mktemp -d) || exit 1
trap 'rm -rf "$test"' EXIT
{
    # __CUDA_API_VERSION_INTERNAL: the plain names are functions of their own then, and so are those with _v2
    printf '#include <stddef.h>\n#include <cuda.h>\n#include <nvrtc.h>\n#undef cuEventElapsedTime\n'
    echo 'CUresult CUDAAPI cuEventElapsedTime(float *, CUevent, CUevent);'
    sed -n '/^#define FA__CUDA_FUNCTIONS/,/^$/p; /^#define FA__CUDA_GRAPH_FUNCTIONS/,/^$/p; /^#define FA__NVRTC_FUNCTIONS/,/^$/p' "$api"
    echo '#define CUDA(name, parameters) CUresult (*check_##name) parameters = name;'
    echo '#define NVRTC(name, parameters) nvrtcResult (*check_##name) parameters = name;'
    echo 'FA__CUDA_FUNCTIONS(CUDA)'
    echo 'FA__CUDA_GRAPH_FUNCTIONS(CUDA)'
    echo 'FA__NVRTC_FUNCTIONS(NVRTC)'
    sed -n 's/^    \([A-Z_]* = [0-9]*\),\{0,1\}\( .*\)\{0,1\}$/\1/p' "$api" | sed 's/\(.*\) = \(.*\)/_Static_assert((int)\1 == \2, "\1");/'
} >"$test/api.c"
numbers=$(grep -c _Static_assert "$test/api.c")
if [ "$numbers" -lt 12 ]; then
    echo "only $numbers numbers were found in api.h"
    exit 1
fi
if "$cc" -std=c11 -Werror -I"$folder" -c "$test/api.c" -o "$test/api.o"; then
    echo "[       OK ] the declarations of api.h are those of $folder/cuda.h and nvrtc.h"
else
    echo '[  FAILED  ] api.h differs from the headers'
    exit 1
fi
