#!/bin/sh
# Each case of broken.txt through facula-rows: its errors have to be exactly those that the case names, and nothing is
# written when there are any. Usage: run.sh FACULA-ROWS
tool=$(realpath "$1")
cases=$(realpath "$(dirname "$0")")/broken.txt
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failed=0

# Divides the cases into folders 1, 2, ...: name, expected, and the files under src.
awk '
function file(path, folder) {
    path = n "/" path
    folder = path
    sub("/[^/]*$", "", folder)
    system("mkdir -p " folder)
    to = path
}
function end_family() {
    if (family && !bare)
        print "#include \"case.rows\"" > (n "/ops/group/case.c")
}
/^=== / { end_family(); n++; bare = 0; family = 1; file("ops/group/case.c"); print substr($0, 5) > (n "/name"); next }
!n { next }
/^> / { print substr($0, 3) > (n "/expected"); next }
/^-- none/ { bare = 1; next }
/^@@ / { end_family(); family = 0; file(substr($0, 4)); next }
{ print > to }
END { end_family(); print n > "count" }
' "$cases"

check() { # name condition...
    name=$1
    shift
    if "$@"; then
        echo "[       OK ] rows: $name"
    else
        echo "[  FAILED  ] rows: $name"
        failed=1
    fi
}

says_what_it_should() {
    mkdir -p gen
    touch expected
    "$tool" --source . --out gen --headers gen --docs gen/docs.md 2> said
    code=$?
    sed -i 's/^\.\///; s/ in \.\// in /' said
    awk 'NR == FNR { e[NR] = $0; next }
         e[FNR] ~ / \.\.\.$/ && index($0, substr(e[FNR], 1, length(e[FNR]) - 3)) == 1 { $0 = e[FNR] }
         { print }' expected said > compared
    diff -u expected compared || return 1
    if [ -s expected ]; then
        [ $code = 1 ] && [ -z "$(ls gen)" ]
    else
        [ $code = 0 ] && [ -n "$(ls gen)" ]
    fi
}

count=$(cat count)
i=1
while [ $i -le "$count" ]; do
    cd "$work/$i" || exit 1
    check "$(cat name)" says_what_it_should
    i=$((i + 1))
done

leaves_alone() { # what does not change keeps its time
    find good/gen -type f -exec touch -d '2000-01-01' {} +
    "$tool" --source good --out good/gen --headers good/gen --docs good/gen/docs.md || return 1
    [ -z "$(find good/gen -type f -newermt '2000-01-02')" ] || return 1
    sed -i 's/neg(x)/negative(x)/' good/ops/group/case.c
    "$tool" --source good --out good/gen --headers good/gen --docs good/gen/docs.md || return 1
    [ "$(find good/gen -type f -newermt '2000-01-02' | sort | tr '\n' ' ')" = 'good/gen/docs.md good/gen/samples.c ' ]
}

hides() { # an INTERNAL row is in the tables, and in no header and no manual; without others its group has none
    "$tool" --source hidden --out hidden/gen --headers hidden/include --docs hidden/docs.md || return 1
    grep -q '^fa_tensor \*fa__neg(const fa_tensor \*x);' hidden/gen/internal.h || return 1
    grep -q 'FA__OP_neg' hidden/gen/ops.c && grep -q '"neg"' hidden/gen/samples.c || return 1
    grep -q 'fa_half' hidden/include/ops/group.h && grep -q 'fa_half' hidden/docs.md || return 1
    [ "$(ls hidden/include hidden/include/ops | xargs)" = 'hidden/include: lines.h operations.h ops hidden/include/ops: group.h' ] || return 1
    ! grep -rE 'neg|twice' hidden/include hidden/docs.md
}

tells_devices() { # an operation without a kernel on a device shows it
    "$tool" --source devices --out devices/gen --docs devices/docs.md || return 1
    ways() { sed -n "s/^| \[\`fa_$1\`\].*\(\( | [^|]*\)\{4\}\) |\$/\1/p" devices/docs.md; }
    grep -q '| autocast | tested | cpu | opencl | late | meta |$' devices/docs.md || return 1
    [ "$(ways neg)" = ' | program | program | program | shapes' ] || return 1
    [ "$(ways turn)" = ' | kernel | kernel | kernel | shapes' ] || return 1
    [ "$(ways sort)" = ' | kernel | **no** | kernel | shapes' ] || return 1
    [ "$(ways solve)" = ' | **no** | kernel | **no** | shapes' ] || return 1
    [ "$(ways same)" = ' | view | view | view | view' ] || return 1
    [ "$(ways both)" = ' | composed | composed | composed | composed' ] || return 1
    [ "$(ways add_up)" = ' | program | program | program | shapes' ]
}

overrides() { # several kinds of one backend override an operation, each in a table of its own
    tables=devices/gen/kernels_gpu.h
    for kind in this that; do
        sed -n "/fa__${kind}_overrides/,/^}/p" $tables | grep -q "\[FA__OP_turn\] = fa__${kind}_over_turn," || return 1
    done
    ! sed -n '/fa__gpu_overrides/,/^}/p' $tables | grep -q turn
}

cd "$work" || exit 1
mkdir -p devices/ops/group devices/gen devices/backend/cpu devices/backend/gpu/this devices/backend/gpu/that
cat > devices/ops/group/case.c << 'END'
/* Devices. */
typedef struct {
    const fa_tensor *x; /* any */
} one_args;
/** -x. */
POINTWISE(neg, (x), y = -x, TORCH("neg(x)"), SAMPLES("(3)"))
/** Turned. */
OP(turn, one_args, (y), .infer = i, .grad = g, TORCH("turn(x)"), SAMPLES("(3)"))
/** Sorted. */
OP(sort, one_args, (y), .infer = i, .grad = g, TORCH("sort(x)"), SAMPLES("(3)"))
/** Solved. */
OP(solve, one_args, (y), .infer = i, .grad = g, TORCH("solve(x)"), SAMPLES("(3)"))
/** x. */
OP(same, one_args, (y), .infer = i, .view = true, .grad = g, TORCH("x"), SAMPLES("(3)"))
/** Both. */
OP(both, one_args, (y), .compose = c, TORCH("both(x)"), SAMPLES("(3)"))
/** The sum. */
OP(add_up, one_args, (y), .infer = i, .run = r, .grad = g, TORCH("sum(x)"), SAMPLES("(3)"))
#include "case.rows"
END
printf 'KERNEL(turn) { }\nKERNEL(sort) { }\n' > devices/backend/cpu/a.c
printf 'KERNEL(turn) { }\nKERNEL(solve) { }\n' > devices/backend/gpu/a.c
printf 'OVERRIDE(this, turn) { }\n' > devices/backend/gpu/this/a.c
printf 'OVERRIDE(that, turn) { }\n' > devices/backend/gpu/that/a.c
check "the manual tells where an operation runs" tells_devices
check "several kinds of device override one operation" overrides

mkdir -p hidden/ops/group hidden/ops/hidden hidden/gen hidden/include
cat > hidden/ops/hidden/hidden.c << 'END'
/* Hidden. */
/** -x. */
POINTWISE(neg, (x), y = -x, INTERNAL, TORCH("neg(x)"), SAMPLES("(3)"))
#include "hidden.rows"
END
cat > hidden/ops/group/mixed.c << 'END'
/* Mixed. */
/** 2 * x. */
POINTWISE(twice, (x), y = 2 * x, INTERNAL, TORCH("2 * x"), SAMPLES("(3)"))
/** x / 2. */
POINTWISE(half, (x), y = x / 2, TORCH("x / 2"), SAMPLES("(3)"))
#include "mixed.rows"
END
check "what is internal has no header" hides

mkdir -p good/ops/group good/gen
cat > good/ops/group/case.c << 'END'
/** -x. */
POINTWISE(neg, (x), y = -x, TORCH("neg(x)"), SAMPLES("(3)"))
#include "case.rows"
END
"$tool" --source good --out good/gen --headers good/gen --docs good/gen/docs.md || failed=1
check "touches only what changes" leaves_alone
exit $failed
