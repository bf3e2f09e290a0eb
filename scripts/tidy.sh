#!/bin/sh
# tidy.sh COMMANDS FILE: clang-tidy over one file, silent but for what it finds.
if found=$(clang-tidy --quiet -p "$1" "$2" 2>/dev/null); then
    exit 0
fi
[ -n "$found" ] || found=$(clang-tidy -p "$1" "$2" 2>&1)
echo "$found"
exit 1
