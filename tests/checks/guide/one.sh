#!/bin/sh
# one.sh SOURCE BUILD PROGRAM: compiles PROGRAM.c, runs it in a folder of its own, and compares with PROGRAM.said.
source=$1 build=$2 program=$3
here=$source/tests/checks/guide
name=$(basename "$program")
fails() { # why, and the file that says more
    echo "[  FAILED  ] $name: $1"
    head -n 40 "$2"
    exit 1
}
mkdir "$program.d"
gcc -std=c11 -Wall -Wextra -Werror -Wno-unused -fexceptions -ftrack-macro-expansion=0 -include "$here/unbuffered.h" \
    -I "$source/include" "$program.c" -L "$build" -lfacula -lm -o "$program" >"$program.log" 2>&1 ||
    fails 'does not compile' "$program.log"
variables=$(cat "$program.env" 2>/dev/null)
# shellcheck disable=SC2086 # none or one
(cd "$program.d" && FACULA_NUM_THREADS=2 FACULA_DEVICE=cpu LD_LIBRARY_PATH=$build env $variables "$program") >"$program.out" 2>&1 </dev/null
status=$?
[ -z "$VERBOSE" ] || cat "$program.out"
[ $status -lt 100 ] || fails "status $status" "$program.out"
awk -f "$here/compare.awk" "$program.said" "$program.out" >"$program.log" || fails 'prints something else' "$program.log"
echo "[       OK ] $name"
