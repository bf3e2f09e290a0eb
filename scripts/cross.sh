#!/usr/bin/env bash
# cross.sh FOLDER: builds the library for other machines and another C library. The tests of numbers run on a simulated
# 64-bit ARM processor, and a training saves the same bytes on all of them. Nothing is written into the source tree.
cd "$(dirname "$0")/.." || exit 2
folder=$1
status=0
mkdir -p "$folder"
folder=$(realpath "$folder")
check() { # name of the case, command...
    local name=$1
    shift
    if "$@" >"$folder/log" 2>&1; then
        echo "[       OK ] $name"
    else
        cat "$folder/log"
        echo "[  FAILED  ] $name"
        status=1
    fi
}
sources() { find . -path ./build -prune -o -path ./.git -prune -o -type f -printf '%P %T@\n' | LC_ALL=C sort; }
build() { # folder, targets separated by spaces, CMake argument...
    local name=$1 targets=$2
    shift 2
    cmake -S . -B "$folder/$name" -G Ninja -DFACULA_WERROR=ON "$@" || return
    # shellcheck disable=SC2086 # words
    cmake --build "$folder/$name" --target $targets
}
# train NAME [COMMAND...]: what a training saves; the command runs programs of that build.
train() {
    local name=$1
    shift
    "$@" "$folder/$name/facula" train cnn --data digits --device cpu --epochs 2 --quiet --force --save "$folder/$name.safetensors"
}
same() { cmp "$folder/$1.safetensors" "$folder/$2.safetensors"; }
# A static program with the minimal library, and the same program with the whole one
minimal() {
    musl-gcc -O2 -static -Wl,--gc-sections -Iinclude tests/checks/minimal.c "$folder/minimal/libfacula.a" -lm \
        -o "$folder/minimal/program" && strip "$folder/minimal/program" &&
        gcc -O2 -Iinclude tests/checks/minimal.c "$folder/x86_64/libfacula.a" -lm -ldl -lpthread \
            -o "$folder/x86_64/program" || return
    [ "$(stat -c %s "$folder/minimal/program")" -lt 1000000 ] &&
        FACULA_CPU=base "$folder/x86_64/program" "$folder/net.safetensors" save >"$folder/expected" &&
        "$folder/minimal/program" "$folder/net.safetensors" >"$folder/minimal/output" 2>"$folder/minimal/errors" &&
        cmp "$folder/expected" "$folder/minimal/output" && [ "$(grep -c 'FACULA_OPS=minimal' "$folder/minimal/errors")" = 2 ]
}
toolchain() { echo "-DCMAKE_TOOLCHAIN_FILE=$PWD/cmake/toolchains/$1.cmake"; }

sources >"$folder/before"
# Those of the CPU's kernels and of the operations, and whole trainings against PyTorch's.
tests='^(cpu|ops)_|^(nn|optim)_reference$|^nn_(cnn|training)$'
targets=$(cd tests && for test in cpu/*.c ops/*.c nn/{reference,cnn,training}.c optim/reference.c; do
    test=${test%.c}
    echo "test_${test/\//_}"
done | xargs)

plain=(-DFACULA_TESTS=OFF -DFACULA_EXAMPLES=OFF -DFACULA_BENCH=OFF)
check 'x86-64 builds' build x86_64 product "${plain[@]}"
check 'aarch64 builds' build aarch64 "product $targets" "$(toolchain aarch64)" -DFACULA_EXAMPLES=OFF -DFACULA_BENCH=OFF
check '32-bit ARM builds' build armhf product "$(toolchain armhf)" "${plain[@]}"
check 'musl builds' build musl product -DCMAKE_C_COMPILER=musl-gcc "${plain[@]}"
check 'gcc 11 builds' build gcc11 product -DCMAKE_C_COMPILER=gcc-11 "${plain[@]}"
check 'a minimal library builds' build minimal facula_static -DCMAKE_C_COMPILER=musl-gcc -DFACULA_OPS=minimal \
    "${plain[@]}" -DFACULA_COMMAND=OFF
sources >"$folder/after"
check 'builds for other machines write nothing into the source tree' cmp "$folder/before" "$folder/after"

# The C library is the compiler's: that of an installed libc6:armhf does not fit its dynamic linker.
arm=(qemu-arm-static -L /usr/arm-linux-gnueabihf -E LD_LIBRARY_PATH=/usr/arm-linux-gnueabihf/lib)
# Without fused multiply-add, matrix products round twice (the base level of x86, and 32-bit ARM).
check 'x86-64 trains' train x86_64
check 'aarch64 trains' train aarch64 qemu-aarch64-static
check 'musl trains' train musl
check 'musl and glibc save the same bytes' same musl x86_64
check 'gcc 11 trains' train gcc11
check 'gcc 11 and gcc 12 save the same bytes' same gcc11 x86_64
if grep -qw avx2 /proc/cpuinfo; then
    check 'aarch64 and x86-64 save the same bytes' same aarch64 x86_64
fi
check 'x86-64 without AVX trains' train x86_64 env FACULA_CPU=base
check 'a program with the minimal library is below 1 MB and computes the same bits' minimal
check '32-bit ARM trains' train armhf "${arm[@]}"
check '32-bit ARM and x86-64 without AVX save the same bytes' same armhf x86_64

ctest --test-dir "$folder/aarch64" -j "$(nproc)" --timeout 3000 --output-on-failure -R "$tests" \
    -LE 'full|levels|opencl|kernels|plain' --no-tests=error || status=1
grep -a '^\[       OK \]' "$folder/aarch64/Testing/Temporary/LastTest.log"
exit $status
