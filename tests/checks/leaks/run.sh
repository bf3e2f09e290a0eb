#!/bin/sh
# run.sh sanitizer|valgrind LOST COMMAND PROGRAM...: no program loses memory, on the CPU and, where it takes a device, on
# one that runs late and on opencl:0; nor does the command COMMAND. `sanitizer` is for programs built with
# AddressSanitizer, whose LeakSanitizer looks when they end; only it looks at OpenCL, whose compilers take minutes under
# valgrind. LOST is a program that loses some: it shows that we would see it.
tool=$1 lost=$2 command=$3
shift 3
# what lies in a pool is reachable from it, lost or not
FACULA_POOL=off
export FACULA_POOL
found=23
case $tool in
sanitizer)
    ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=1:exitcode=$found
    export ASAN_OPTIONS
    look() { "$@"; }
    ;;
valgrind)
    command -v valgrind >/dev/null || { echo 'skipped: there is no valgrind'; exit 77; }
    # no OpenCL driver is opened: what it and the dynamic loader do there is not ours
    FACULA_OPENCL_LIBRARY=none
    export FACULA_OPENCL_LIBRARY
    # valgrind 3.19 has no AVX-512
    FACULA_CPU=base
    if grep -qw avx2 /proc/cpuinfo && grep -qw fma /proc/cpuinfo; then FACULA_CPU=avx2; fi
    export FACULA_CPU
    look() {
        valgrind -q --error-exitcode=$found --leak-check=full \
            --errors-for-leak-kinds=definite,indirect,possible "$@"
    }
    ;;
*) exit 2 ;;
esac

# What programs read and write is in a folder of their own, with two batches of black images as CIFAR-10's.
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
mkdir -p data/cifar-10-batches-bin
head -c $((3073 * 100)) /dev/zero > data/cifar-10-batches-bin/data_batch_1.bin

status=0
check() { # the exit status that is wanted, program and its arguments
    want=$1
    shift
    said=$(look "$@" 2>&1)
    is=$?
    # LeakSanitizer stops all threads to look; one that ends just then, as a driver's may, makes it fail: it looks again
    for turn in 1 2 3; do
        echo "$said" | grep -q 'LeakSanitizer has encountered a fatal error' || break
        echo "$1: LeakSanitizer failed, time $turn"
        said=$(look "$@" 2>&1)
        is=$?
    done
    name="$(basename "$1")$(shift && printf ' %s' "$@")"
    if [ $is = "$want" ] && { [ $is = 0 ] || echo "$said" | grep -qE 'LeakSanitizer: detected|definitely lost'; }; then
        echo "[       OK ] $name under $tool: $is"
    else
        printf '[  FAILED  ] %s under %s: exit status %s, not %s\n%s\n' "$name" "$tool" $is "$want" "$said"
        status=1
    fi
}
on_opencl() {
    [ $tool = sanitizer ] && "$command" devices | grep -q '^opencl:0 '
}
check $found "$lost"
if on_opencl; then check $found "$lost" opencl:0; fi
for program in "$@"; do
    case $tool:$program in
    # those that train convolutions take minutes under valgrind
    valgrind:*/custom_network | valgrind:*/cifar10 | valgrind:*/resume | valgrind:*/transfer_learning) continue ;;
    esac
    check 0 "$program"
    case $program in
    */between_devices | */gradients_across | */classifier | */custom_dataset | */custom_layer | \
        */custom_network | */custom_optimizer | */resume | */transfer_learning | */memory_and_copies | */placement | */two_devices)
        check 0 "$program" late:0
        case $program in
        */custom_network | */resume | */transfer_learning) ;; # kernels are compiled for minutes
        *) if on_opencl; then check 0 "$program" opencl:0; fi ;;
        esac
        ;;
    esac
done
check 0 "$command" train mlp --data digits --epochs 1
if on_opencl; then
    check 0 "$command" train mlp --data digits --epochs 1 --device opencl:0
elif [ $tool = sanitizer ]; then
    echo 'there is no opencl:0 here: nothing was looked at there'
    echo '[  SKIPPED ] 1 test(s)'
fi
check 0 "$command" devices
exit $status
