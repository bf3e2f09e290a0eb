#!/bin/sh
# run.sh SOURCE BUILD [PAGE...]: the C in the pages of docs/guide compiles without a warning and prints what the page says.
# pages.awk describes how blocks become programs. With VERBOSE=1, what they print is shown.
source=$(realpath "$1") build=$(realpath "$2")
shift 2
[ $# -gt 0 ] || set -- "$source"/docs/guide/*.md
here=$source/tests/checks/guide
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
for page; do
    awk -v OUT="$work/$(basename "$page" .md)" -f "$here/pages.awk" "$page" || exit 1
done
programs=$(find "$work" -name '*.c' | sed 's/\.c$//' | LC_ALL=C sort)
if [ "$(echo "$programs" | wc -l)" -lt $# ]; then
    echo 'there are more pages than programs in them'
    exit 1
fi
echo "$programs" | xargs -P "$(nproc)" -n 1 sh "$here/one.sh" "$source" "$build"
