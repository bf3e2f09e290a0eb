#!/bin/sh
# test.sh FOLDER [CTest argument...]: runs the tests of a build, shows what failed, ends with the line of counts.
set -u
folder=$1
shift
jobs=$(nproc)
ctest --test-dir "$folder" --no-label-summary --output-on-failure -j "$jobs" "$@"
status=$?
awk -f "$(dirname "$0")/count.awk" "$folder/Testing/Temporary/LastTest.log"
exit $status
