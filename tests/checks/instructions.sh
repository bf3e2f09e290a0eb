#!/bin/sh
# instructions.sh COMPARE: how many instructions a call of the rows below takes, by callgrind: nothing is timed, so that
# any machine can tell. Fails above the bounds. A change that earns more instructions raises a bound, one that saves some
# lowers it: to a twentieth above what is printed, for the compiler that needs more (gcc or clang, Release).
compare=$1
bounds='
tiny_add 1820
tiny_add_recorded 2580
tiny_backward 9610
'
few=500
many=1500

command -v valgrind >/dev/null || { echo 'skipped: there is no valgrind'; exit 77; }
# valgrind 3.19 has no AVX-512; the kernels' level makes no difference to the calls
FACULA_CPU=base
if grep -qw avx2 /proc/cpuinfo && grep -qw fma /proc/cpuinfo; then FACULA_CPU=avx2; fi
export FACULA_CPU FACULA_NUM_THREADS=1

# all instructions of a process that makes so many calls
count() {
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "$compare" --count "$1" "$2" 2>&1 |
        sed -n 's/.*Collected *: *\([0-9]*\).*/\1/p'
}

status=0
for row in $(echo "$bounds" | awk 'NF { print $1 ":" $2 }'); do
    name=${row%:*} bound=${row#*:}
    from=$(count "$name" $few) to=$(count "$name" $many)
    if [ -z "$from" ] || [ -z "$to" ]; then
        echo "not right: $name: callgrind counted nothing"
        status=1
        continue
    fi
    each=$(((to - from) / (many - few)))
    if [ $each -gt "$bound" ]; then
        echo "not right: $name takes $each instructions, more than $bound"
        status=1
    else
        echo "[       OK ] $name: $each instructions of $bound"
    fi
done
exit $status
