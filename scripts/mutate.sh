#!/bin/sh
# mutate.sh [--count N] [--seed N] [--site FILE:LINE:COLUMN] FOLDER...: mutation testing. Makes one small mistake at a time
# in the C files of src/FOLDER, rebuilds, and runs the tests of tests/FOLDER: a mistake that no test notices has survived.
# It works on a copy of HEAD under build/mutate. At most N sites of each folder, drawn by the seed (default: all, 1).
#
# Mistakes: a check that raises an error is disabled (`return fa__fail(...)`, `ok || fa__fail(...)`), or a comparison is
# flipped (< and <=, > and >=, == and !=).
set -eu
cd "$(dirname "$0")/.."
count=1000000 seed=1 site=
while [ $# -gt 0 ]; do
    case $1 in
    --count) count=$2; shift 2 ;;
    --seed) seed=$2; shift 2 ;;
    --site) site=$2; shift 2 ;;
    *) break ;;
    esac
done
[ $# -gt 0 ] || { sed -n '2,4p' "$0" >&2; exit 2; }

work=build/mutate
rm -rf "$work/source"
mkdir -p "$work/source"
git archive HEAD | tar -x -C "$work/source"
cmake -S "$work/source" -B "$work/build" -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo -DFACULA_BENCH=OFF \
    -DFACULA_EXAMPLES=OFF >"$work/configure.log"

# FILE:LINE:COLUMN and the text to put there, for each possible mistake; tabs between.
sites() {
    awk '
    function emit(column, width, by) { printf "%s:%d:%d\t%d\t%s\n", FILENAME, FNR, column, width, by }
    BEGIN { flip["<"] = "<="; flip["<="] = "<"; flip[">"] = ">="; flip[">="] = ">"; flip["=="] = "!="; flip["!="] = "==" }
    /^[ \t]*(\/\*|\*|#|for )/ { next }
    {
        line = $0
        if (index(line, "\"")) line = substr(line, 1, index(line, "\"")) # what is in strings is no code
        if (match(line, /\|\| fa_[a-z_]*fail\(/)) emit(RSTART, 2, "|| true ||")
        if (match(line, /return fa_[a-z_]*fail\(/)) emit(RSTART, 6, "if (0) return")
        for (from = 1; match(substr(line, from), / (<=?|>=?|==|!=) /); from += RSTART + RLENGTH - 2) {
            sign = substr(line, from + RSTART, RLENGTH - 2)
            emit(from + RSTART, RLENGTH - 2, flip[sign])
        }
        }' "$@"
}

mutate() { # FILE LINE COLUMN LENGTH TEXT
    sed -i "$2s@^\(.\{$(($3 - 1))\}\).\{$4\}@\1$5@" "$1"
}

# A mistake at a site: is it noticed? Prints killed, SURVIVED or invalid (it does not compile).
try() { # FOLDER SITE LENGTH TEXT
    file=${2%%:*} rest=${2#*:}
    line=${rest%%:*} column=${rest#*:}
    cp "$work/source/$file" "$work/kept.c"
    mutate "$work/source/$file" "$line" "$column" "$3" "$4"
    if ! cmake --build "$work/build" --target $targets >"$work/build.log" 2>&1; then
        result=invalid
    elif ctest --test-dir "$work/build" -R "^$1_" -LE 'full|opencl|levels' --timeout 60 --stop-on-failure \
        -j "$(nproc)" >"$work/test.log" 2>&1; then
        result=SURVIVED
    else
        result=killed
    fi
    printf '%-8s %s  %s\n' "$result" "$2" "$(sed -n "${line}s/^ *//p" "$work/source/$file")"
    cp "$work/kept.c" "$work/source/$file"
}

for folder; do
    targets=$(cd "$work/source" && ls tests/"$folder"/*.c | sed "s@tests/\(.*\)/\(.*\)\.c@test_\1_\2@")
    # shellcheck disable=SC2086 # a list of words
    cmake --build "$work/build" --target $targets >"$work/build.log" 2>&1 || { tail "$work/build.log"; exit 1; }
    (cd "$work/source" && sites src/"$folder"/*.c) | grep "^$site" >"$work/all"
    awk -v seed="$seed" 'BEGIN { srand(seed) } { print rand() "\t" $0 }' "$work/all" | sort -n | cut -f 2- |
        awk -v count="$count" 'NR <= count' >"$work/sites"
    while IFS="$(printf '\t')" read -r at length text; do
        try "$folder" "$at" "$length" "$text" </dev/null
    done <"$work/sites" | tee "$work/$folder.txt"
    echo "$folder: $(grep -c ^killed "$work/$folder.txt") killed, $(grep -c ^SURVIVED "$work/$folder.txt") survived," \
        "$(grep -c ^invalid "$work/$folder.txt") invalid"
done
