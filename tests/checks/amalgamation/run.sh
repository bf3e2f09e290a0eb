#!/bin/sh
# run.sh SOURCE BUILD: writes facula.c and facula.h, compiles them with each compiler that is here, and compares the weights
# of a short training with those of the library, on the CPU and, where there is one, on an OpenCL device.
source=$1 build=$2
here=$source/tests/checks/amalgamation
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
flags='-std=gnu11 -ffp-contract=off -fno-math-errno -fno-trapping-math -fwrapv'
libs='-lm -ldl -lpthread'
status=0
try() { # name of the case, command...
    name=$1
    shift
    if "$@" >log 2>&1; then
        echo "[       OK ] $name"
    else
        echo "$name: $*"
        cat log
        status=1
    fi
}
same() { # program, device, file with what the library printed
    "./$1" ${2:+"$2"} >said && cat said && diff "$3" said
}

try 'facula.c and facula.h are written' python3 "$source/scripts/amalgamate.py" "$source" "$build" "$work"
# shellcheck disable=SC2086 # lists of words
try 'library: builds' cc -std=gnu11 -I "$source/include/facula" -I "$source/include" "$here/user.c" -L "$build" -lfacula \
    -Wl,-rpath,"$build" $libs -o library
case $(uname -m) in x86_64) export FACULA_CPU=base ;; esac # facula.o is compiled for the baseline
./library >cpu.txt || status=1
devices=
if ./library opencl:0 >opencl.txt 2>/dev/null; then devices=opencl:0; fi
for cc in ${FACULA_TEST_COMPILERS-gcc clang}; do
    command -v "$cc" >/dev/null || continue
    # shellcheck disable=SC2086 # lists of words
    try "$cc: compiles facula.c" $cc $flags -O2 -w -c facula.c -o facula.o
    # shellcheck disable=SC2086 # lists of words
    try "$cc: links" $cc -std=c11 -Wall -Wextra -Werror -I . "$here/user.c" facula.o $libs -o "user-$(basename "$cc")"
    try "$cc: the library's weights" same "user-$(basename "$cc")" "" cpu.txt
    [ -z "$devices" ] || try "$cc: the library's weights, on OpenCL" same "user-$(basename "$cc")" opencl:0 opencl.txt
done
exit $status
