#!/bin/sh
# lint.sh BUILD [--changed]: clang-format, comments of public headers, words of documentation, pyflakes, cppcheck and clang-tidy
# over all sources or those that have changed; the build gives the compile commands, and must be complete, since generated
# headers are read.
set -u
build=$1
here=$(dirname "$0")
out=$build/lint
mkdir -p "$out"
status=0
report() { # name of the case, exit status
    if [ "$2" = 0 ]; then echo "[       OK ] $1"; else echo "not right: $1" && status=1; fi
}
# The compile commands of the files whose path has a text in it. Kernels are compiled once for each level of
# instructions; one of them is enough to read.
commands() {
    awk -v part="$1" 'BEGIN { RS = "},?\n"; printf "[\n" }
        /"file"/ && !/FA__LEVEL=avx/ && index($0, part) { sub(/^\[\n/, ""); printf "%s%s}", comma, $0; comma = ",\n" }
        END { print "\n]" }' "$build/compile_commands.json"
}

"$here/sources.sh" | xargs clang-format --dry-run -Werror >"$out/format" 2>&1
formatted=$?
sed -n 's/^\([^ :]*\):[0-9].*clang-format-violations.*/\1: see make format/p' "$out/format" | uniq -c
report clang-format $formatted

"$here/documented.sh" >"$out/documented"
documented=$?
cat "$out/documented"
report documented $documented

"$here/words.sh" >"$out/words"
words=$?
cat "$out/words"
report words $words

"$here/python.sh" >"$out/python"
python=$?
cat "$out/python"
report python $python

# The sources that are read, all or those that have changed: those of them that are in compile commands
"$here/sources.sh" "${2---all}" | grep -E '\.c$' >"$out/sources"
read_of() {
    grep -Ff "$out/sources" "$1" | sed -n 's/.*"file": "\(.*\)".*/\1/p' | LC_ALL=C sort -u
}

# cppcheck cannot read the macros that named options are made of: it looks after the library, which seldom uses them.
commands " -c $PWD/src/" >"$out/library.json"
read_of "$out/library.json" >"$out/library"
sed "s|^$PWD/|--file-filter=*|" "$out/library" | xargs -r cppcheck --quiet --error-exitcode=1 \
    --enable=warning,performance,portability --inline-suppr --std=c11 --suppressions-list="$here/cppcheck.txt" \
    -D__GNUC__=12 -j "$(nproc)" --project="$out/library.json"
report "cppcheck: $(wc -l <"$out/library") files" $?

# what only gcc takes is nothing to clang-tidy
commands '' | sed 's/ -mmem[a-z]*-strategy=[^ "]*//g; s/ -flto=auto//g; s/ -fno-fat-lto-objects//g; s/ --param=[^ "]*//g' >"$out/compile_commands.json"
read_of "$out/compile_commands.json" >"$out/files"
xargs -r -P "$(nproc)" -n 1 "$here/tidy.sh" "$out" <"$out/files"
tidy=$?
report "clang-tidy: $(wc -l <"$out/files") files" $tidy
exit $status
