#!/usr/bin/env bash
# mutate.sh [--count N] [--seed N] [--again REPORT] [--slowest SECONDS] FOLDER...: mutation testing of src/FOLDER. Makes one
# mistake at a time, rebuilds its file and the library, and runs tests until one fails; a mistake that no test notices has
# survived. At most N of the possible mistakes in each folder are tried, drawn by the seed (default: all, 1), or of those
# that survived in an earlier report, build/mutate/FOLDER.txt.
#
# Mistakes: an `if` whose body raises an error is never taken; `ok || fail(...)` never fails; a comparison is flipped (< and
# <=, > and >=, == and !=), except in the head of a loop, where it would read past the end, which sanitizers look after.
#
# A mistake in a folder is held against the tests of these folders, except those that take longer than 10 s (--slowest). A
# test that a mistake keeps from ending has failed. Mistakes that do not compile are neither killed nor survived.
tests_of() {
    case $1 in
    core) echo core late dispatch autograd ;;
    dispatch) echo dispatch ops nn pointwise autograd ;;
    autograd) echo autograd optim nn ;;
    optim) echo optim train dispatch ;;
    io) echo io data ;;
    *) echo "$1" ;;
    esac
}
set -eu
export LC_ALL=C
cd "$(dirname "$0")/.."
count=1000000 seed=1 again='' slowest=10
while [ $# -gt 0 ]; do
    case $1 in
    --count) count=$2; shift 2 ;;
    --seed) seed=$2; shift 2 ;;
    --again) again=$2; shift 2 ;;
    --slowest) slowest=$2; shift 2 ;;
    *) break ;;
    esac
done
[ $# -gt 0 ] || { sed -n '2,6s/^# //p' "$0" >&2; exit 2; }

work=$PWD/build/mutate
source=$work/source build=$work/build
mkdir -p "$source"
exec 9>"$work/lock"
flock -w 20 9 || { echo "mutate.sh runs already" >&2; exit 1; }
[ -z "$again" ] || awk '$1 == "SURVIVED" { print $2 }' "$again" >"$work/again"

# Mistakes are made in a copy of the tree. What differs is copied, and is newer then than what was made of it: also the
# file that had a mistake when an earlier run was ended.
git ls-files --cached --others --exclude-standard | LC_ALL=C sort >"$work/files"
(cd "$source" && find . -type f | sed 's@^\./@@' | LC_ALL=C sort) | comm -23 - "$work/files" |
    while read -r file; do rm "$source/$file"; done
while read -r file; do
    if [ -f "$file" ] && ! cmp -s "$file" "$source/$file"; then
        mkdir -p "$source/$(dirname "$file")"
        cp "$file" "$source/$file"
    fi
done <"$work/files"
# One shared library, linked fast; the programs stay as they are. Without debug information and optimisation over files.
cmake -S "$source" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=None -DCMAKE_C_FLAGS=-O1 -DFACULA_WERROR=OFF \
    -DFACULA_TESTS_SHARED=ON -DCMAKE_LINK_DEPENDS_NO_SHARED=ON -DFACULA_BENCH=OFF -DFACULA_EXAMPLES=OFF \
    >"$work/configure.log" 2>&1 || { cat "$work/configure.log" >&2; exit 1; }

# The possible mistakes in files: FILE:LINE:COLUMN, how many characters go, and what is put there; tabs between.
sites() {
    awk -v fails='[a-z_]*(fail|fails|refuse[a-z_]*|damaged|cannot)[(]' '
    function emit(line, column, width, by) { printf "%s:%d:%d\t%d\t%s\n", FILENAME, line, column, width, by }
    function blank(from, width) { # what is in strings and comments is no code
        line = substr(line, 1, from - 1) sprintf("%" width "s", "") substr(line, from + width)
    }
    BEGIN { flip["<"] = "<="; flip["<="] = "<"; flip[">"] = ">="; flip[">="] = ">"; flip["=="] = "!="; flip["!="] = "==" }
    FNR == 1 { if_line = 0 }
    /^ *(\/\*|\*|#|for |_Static_assert)/ { next }
    {
        line = $0
        while (match(line, /\047\\?.\047|"([^"\\]|\\.)*"/)) blank(RSTART, RLENGTH)
        if (match(line, /\/[*\/]/)) blank(RSTART, length(line) - RSTART + 1)
        match(line, /[^ ]/)
        indent = RSTART
        if (if_line && FNR - if_line <= 3 && indent > if_indent && match(line, fails)) {
            emit(if_line, if_column, 2, "if MUTATE_NEVER")
            if_line = 0
        }
        if (match(line, /(^|[ }])if [(]/)) {
            if_line = FNR
            if_indent = indent
            if_column = RSTART + RLENGTH - 4
        }
        if (match(line, "[|][|] " fails)) emit(FNR, RSTART, 2, "|| true ||")
        for (from = 1; match(substr(line, from), / (<=?|>=?|==|!=) /); from += RSTART + RLENGTH - 2)
            emit(FNR, from + RSTART, RLENGTH - 2, flip[substr(line, from + RSTART, RLENGTH - 2)])
    }' "$@"
}

# Runs tests, two at a time, until one fails; prints which, and its exit status. Its input: milliseconds and programs.
run_tests() {
    (
        cd "$build"
        export FACULA_PLUGINS="$build/facula-plugins" FACULA_CACHE_DIR=off
        ulimit -c 0 -v 16000000 -f 2000000000
        # shellcheck disable=SC2016 # expanded in the shell that xargs starts
        xargs -P 2 -L 1 sh -c 'timeout -k 1 $((10 + $0 / 100)) "$1" >/dev/null 2>&1 9>&- </dev/null
            status=$?; [ $status = 0 ] || [ $status = 77 ] || { echo "${1##*/} $status"; exit 255; }' 2>/dev/null
    )
}

# Makes a mistake; prints what came of it.
try() { # LIST SITE WIDTH TEXT
    file=${2%%:*} rest=${2#*:}
    line=${rest%%:*} column=${rest#*:}
    cp "$source/$file" "$work/kept.c"
    { echo '#define MUTATE_NEVER(...) (0 && (__VA_ARGS__))' &&
        sed "$line"'s@^\(.\{'$((column - 1))'\}\).\{'"$3"'\}@\1'"$4@" "$work/kept.c"; } >"$source/$file"
    by=
    if ! cmake --build "$build" --target facula >"$work/build.log" 2>&1; then
        result=invalid
    elif by=$(run_tests <"$1"); then
        result=SURVIVED
    else
        result=killed
    fi
    by=${by%%$'\n'*}
    printf '%-8s %s %s -> %s [%s]\n' "$result" "$2" "$(sed -n "${line}s/^ *//p" "$work/kept.c")" "$4" "$by"
    cp "$work/kept.c" "$source/$file"
}

for plugin in plugins/*.c; do # tests skip what needs those whose libraries are not here
    cmake --build "$build" --target "facula-$(basename "$plugin" .c)" >"$work/build.log" 2>&1 || true
done
for folder; do
    [ "$folder" != base ] || { echo "mutate.sh: the tests of src/base link the static library" >&2; exit 2; }
    list=$work/tests report=$work/$folder.txt
    : >"$list.all"
    : >"$report"
    for tested in $(tests_of "$folder"); do
        (cd "$source" && ls tests/"$tested"/*.c) | sed 's@tests/\(.*\)/\(.*\)\.c@\1_\2@' >>"$list.all"
    done
    sed 's/^/test_/' "$list.all" | xargs cmake --build "$build" --target facula >"$work/build.log" 2>&1 ||
        { tail "$work/build.log" >&2; exit 1; }
    # How long each takes, the quickest first; without a mistake all have to pass.
    while read -r name; do
        start=$(date +%s%N)
        by=$(echo "30000 $build/tests/$name" | run_tests) || { echo "fails without a mistake: $by" >&2; exit 1; }
        echo "$((($(date +%s%N) - start) / 1000000)) $build/tests/$name"
    done <"$list.all" >"$list.timed"
    awk -v most="$slowest" '$1 > 1000 * most { print "left out: " $2 >"/dev/stderr"; next } 1' "$list.timed" | sort -n >"$list"
    (cd "$source" && sites src/"$folder"/*.c) >"$work/sites.all"
    [ -z "$again" ] || { grep -wFf "$work/again" "$work/sites.all" >"$work/sites" && mv "$work/sites" "$work/sites.all"; }
    awk -v seed="$seed" 'BEGIN { srand(seed) } { print rand() "\t" $0 }' "$work/sites.all" | sort -n | cut -f 2- |
        head -n "$count" | sort -t : -k 1,1 -k 2,2n -k 3,3n >"$work/sites"
    while IFS=$'\t' read -r site width text; do
        try "$list" "$site" "$width" "$text" </dev/null | tee -a "$report"
    done <"$work/sites"
    awk -v folder="$folder" '{ n[$1]++; slow += / 124\]$/ } END { printf "%s: %d mistakes: %d killed (%d by time), " \
        "%d survived, %d do not compile\n", folder, NR, n["killed"], slow, n["SURVIVED"], n["invalid"] }' "$report"
done
