# What the tests of the command share: a folder for each, cases, and what was printed. Sourced with $facula set.
folder=$(mktemp -d) || exit 2
trap 'rm -rf "$folder"' EXIT
out=$folder/out
err=$folder/err
status=0

# check NAME CONDITION...: counts a case.
check() {
    name=$1
    shift
    if "$@"; then
        echo "[       OK ] $name"
    else
        echo "[  FAILED  ] $name: $*"
        sed 's/^/    /' "$out" "$err"
        status=1
    fi
}
skip() { printf '%s\n[  SKIPPED ] 1 test(s)\n' "$1"; }
# run STATUS ARGUMENTS...: whether the command exits with that status.
run() {
    want=$1
    shift
    "$facula" "$@" >"$out" 2>"$err"
    [ $? -eq "$want" ]
}
says() { grep -q -e "$1" "$out"; }
complains() { grep -q -e "$1" "$err"; }
silent() { [ ! -s "$out" ]; }
last_line() { tail -n 1 "$out"; }
# What was said, without the times in it, and without the head.
timeless() { sed 's/  [0-9]*\/s  [0-9:]* left$//' "$out" | sed 1d; }
