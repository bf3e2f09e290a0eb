#!/bin/sh
# run.sh BUILD [ulp's arguments]: builds ulp in a build folder, and runs it.
set -e
build=$1
shift
cmake --build "$build" --target ulp
exec "$build/tests/ulp" "$@"
