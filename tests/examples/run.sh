#!/bin/sh
# run.sh PROGRAMS FACULA: each example prints what NAME.txt beside this script says, on the CPU and, where it takes a
# device, on one that runs late and on those of OpenCL, of which FACULA, the command, tells whether they are here. Where
# there is no NAME.txt, it only has to succeed. They run in a folder of their own, with two batches of black images as
# CIFAR-10's; if its records are in shared/data beside the repository, with those too.
programs=$(cd "$1" && pwd) facula=$2
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
mkdir -p data/cifar-10-batches-bin
head -c $((3073 * 100)) /dev/zero > data/cifar-10-batches-bin/data_batch_1.bin
status=0
skipped=0
check() { # name, then the program and its arguments
    name=$1
    shift
    if said=$("$@" 2>&1) && { [ ! -f "$here/$name.txt" ] || [ "$said" = "$(cat "$here/$name.txt")" ]; }; then
        echo "[       OK ] $*" | sed "s| $programs/| |"
    else
        printf '[  FAILED  ] %s\n%s\n' "$*" "$said"
        status=1
    fi
}
there=$("$facula" devices | grep -v 'not available' | cut -d ' ' -f 1)
check_on() { # program and its devices
    name=$(basename "$1")
    for device in $(shift && echo "$@"); do
        echo "$there" | grep -qx "$device" || {
            echo "$name $(shift && echo "$@"): there is no $device here"
            skipped=$((skipped + 1))
            return
        }
    done
    check "$name" "$@"
}
check_on_data() { # program and device: the folder of its data comes first
    if echo "$there" | grep -qx "$2"; then
        check "$(basename "$1")" "$1" data "$2"
    else
        echo "$(basename "$1") $2: there is no $2 here"
        skipped=$((skipped + 1))
    fi
}
for program in "$programs"/*; do
    [ -x "$program" ] && [ -f "$program" ] || continue
    name=$(basename "$program")
    check "$name" "$program"
    case $name in
    between_devices | characters | classifier | custom_dataset | custom_layer | custom_network | custom_operation | \
        custom_optimizer | gradients_across | graph | memory_and_copies | mixed_precision | placement | resume | transfer_learning | two_devices)
        for device in cpu late:0 late:1 opencl:0 opencl:1; do check_on "$program" $device; done
        check "$name" env FACULA_DEVICE=late:1 "$program"
        ;;
    cifar10)
        for device in late:0 opencl:0; do check_on_data "$program" $device; done
        if [ -f "$here/../../../shared/data/cifar-10-batches-bin/data_batch_1.bin" ]; then
            check "$name" "$program" "$here/../../../shared/data" cpu
        else
            echo "$name: there are no records of CIFAR-10 here"
            skipped=$((skipped + 1))
        fi
        ;;
    esac
    [ "$name" != two_devices ] || for devices in 'late:0 late:1' 'opencl:0 opencl:1' 'opencl:0 cpu' 'cpu late:0'; do
        # shellcheck disable=SC2086 # two words
        check_on "$program" $devices
    done
done
says_where() { FACULA_DEVICE=late:1 "$programs/memory_and_copies" | grep '^late:1: '; }
check 'FACULA_DEVICE says where' says_where
[ $skipped = 0 ] || echo "[  SKIPPED ] $skipped test(s)"
exit $status
