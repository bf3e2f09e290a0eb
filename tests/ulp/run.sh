#!/bin/sh
# run.sh BUILD [ulp's arguments]: compiles ulp.c against the static library of a build folder, and runs it.
set -e
here=$(cd "$(dirname "$0")" && pwd)
root=$here/../..
build=$1
shift
"${CC:-cc}" -std=gnu11 -O2 -I"$root/include" -I"$root/src" -I"$root/tests" -I"$build/gen" "$here/ulp.c" \
    "$build/libfacula.a" -o "$build/ulp" -lm -ldl -pthread
exec "$build/ulp" "$@"
