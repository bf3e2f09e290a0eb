#!/bin/sh
# run.sh PROGRAMS FACULA: each example prints what NAME.txt beside this script says, on the CPU and, where it takes a
# device, on one that runs late and on those of OpenCL, of which FACULA, the command, tells whether they are here. Where
# there is no NAME.txt, it only has to succeed. They run in a folder of their own, with two batches of black images as
# CIFAR-10's; if its records are in shared/data beside the repository, with those too.
#
# run.sh PROGRAMS FACULA A B [NAME...]: those that take a device, or those of them that are named, on the two devices A
# and B alone, such as cuda:0 and cuda:1, which have to be here.
programs=$(cd "$1" && pwd) facula=$(cd "$(dirname "$2")" && pwd)/$(basename "$2")
shift 2
devices='cpu late:0 late:1 opencl:0 opencl:1' data_devices='late:0 opencl:0' apart=
pairs='late:0,late:1 opencl:0,opencl:1 opencl:0,cpu cpu,late:0'
if [ $# -ge 2 ]; then
    devices="$1 $2" data_devices=$1 pairs="$1,$2 $1,cpu cpu,$2" apart=yes
    shift 2
fi
chosen=" $* "
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
lacks() { # what, and the device that is not here: an error if it was named
    echo "$1: there is no $2 here"
    skipped=$((skipped + 1))
    [ ! "$apart" ] || status=1
}
check_on() { # program and its devices
    name=$(basename "$1")
    for device in $(shift && echo "$@"); do
        echo "$there" | grep -qx "$device" || {
            lacks "$name $(shift && echo "$@")" "$device"
            return
        }
    done
    check "$name" "$@"
}
check_on_data() { # program and device: the folder of its data comes first
    if echo "$there" | grep -qx "$2"; then
        check "$(basename "$1")" "$1" data "$2"
    else
        lacks "$(basename "$1") $2" "$2"
    fi
}
takes_device() { # name
    case $1 in
    between_devices | characters | classifier | custom_dataset | custom_layer | custom_network | custom_operation | \
        custom_optimizer | gradients_across | graph | memory_and_copies | mixed_precision | placement | resume | transfer_learning | two_devices) ;;
    *) return 1 ;;
    esac
}
on_devices() { # program
    name=$(basename "$1")
    ! takes_device "$name" || for device in $devices; do check_on "$1" "$device"; done
    [ "$name" != cifar10 ] || for device in $data_devices; do check_on_data "$1" "$device"; done
    [ "$name" != two_devices ] || for pair in $pairs; do check_on "$1" "${pair%,*}" "${pair#*,}"; done
}
on_the_usual_device() { # program
    name=$(basename "$1")
    check "$name" "$1"
    ! takes_device "$name" || check "$name" env FACULA_DEVICE=late:1 "$1"
    [ "$name" = cifar10 ] || return
    if [ -f "$here/../../../shared/data/cifar-10-batches-bin/data_batch_1.bin" ]; then
        check "$name" "$1" "$here/../../../shared/data" cpu
    else
        echo "$name: there are no records of CIFAR-10 here"
        skipped=$((skipped + 1))
    fi
}
says_where() { FACULA_DEVICE=$1 "$programs/memory_and_copies" | grep "^$1: "; }
for program in "$programs"/*; do
    [ -x "$program" ] && [ -f "$program" ] || continue
    [ "$chosen" = '  ' ] || [ "${chosen#* "$(basename "$program")" }" != "$chosen" ] || continue
    [ "$apart" ] || on_the_usual_device "$program"
    on_devices "$program"
done
[ "$apart" ] || check 'FACULA_DEVICE says where' says_where late:1
[ $skipped = 0 ] || echo "[  SKIPPED ] $skipped test(s)"
exit $status
