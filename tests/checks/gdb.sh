#!/bin/sh
# gdb.sh SOURCE BUILD COMPILER: what gdb prints of tensors with tools/gdb/facula.py, while a program runs and in what it
# leaves when it crashes. Skipped where there is no gdb, or where it may not run programs.
command -v gdb > /dev/null || exit 77
source=$1 build=$2
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
cat > program.c <<'C'
#include <facula/facula.h>
static void stop(const fa_tensor *x, fa_tensor *turned, fa_tensor *many, fa_tensor *shape, fa_tensor *wild)
{
    (void)x, (void)turned, (void)many, (void)shape, (void)wild;
}
int main(void)
{
    FA_SCOPE;
    fa_tensor *x = fa_tensor_parse("[[1, 2.5], [3, -4]]"), *half = fa_to(x, FA_BF16), *turned, *many, *shape, *freed;
    turned = fa_get(fa_arange(0, 6), "::-2");
    many = fa_zeros(FA_SHAPE(100, 2));
    shape = fa_zeros(FA_SHAPE(2), .device = FA_META);
    {
        FA_SCOPE;
        freed = fa_add(x, 1);
    }
    (void)freed;
    stop(half, turned, many, shape, (fa_tensor *)8);
    return 0;
}
C
"$3" -g -O0 -I "$source/include" program.c -o program "$build/libfacula.so" -Wl,-rpath,"$build" || exit 1
gdb -nx -batch -ex "source $source/tools/gdb/facula.py" -ex 'break stop' -ex run -ex 'info args' -ex up -ex 'print x' \
    -ex 'print freed' ./program > log 2>&1 < /dev/null
grep -q '^Breakpoint 1, ' log || { cat log; exit 77; }
status=0
said() { # name, pattern
    if grep -qE -- "$2" log; then
        echo "[       OK ] $1"
    else
        echo "[  FAILED  ] $1: no $2"
        status=1
    fi
}
said 'shape, dtype, device, elements' '^\$1 = 0x[0-9a-f]+ \(2, 2\) f32 cpu \[\[1, 2\.5\], \[3, -4\]\]$'
said 'bf16' '^x = 0x[0-9a-f]+ \(2, 2\) bf16 cpu \[\[1, 2\.5\], \[3, -4\]\]$'
said 'a view' '^turned = 0x[0-9a-f]+ \(3,\) i64 cpu \[5, 3, 1\]$'
said 'many elements' '^many = 0x[0-9a-f]+ \(100, 2\) f32 cpu$'
said 'no elements' '^shape = 0x[0-9a-f]+ \(2,\) f32 meta$'
said 'no tensor' '^wild = 0x8$'
said 'a freed tensor' '^\$2 = 0x[0-9a-f]+ no tensor, or one that was freed$'
[ $status = 0 ] || cat log
exit $status
