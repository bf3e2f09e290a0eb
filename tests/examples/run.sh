#!/bin/sh
# run.sh PROGRAMS: each example prints what NAME.txt beside this script says, on the CPU and, where it takes a device, on
# one that runs late. Where there is no NAME.txt, it only has to succeed.
programs=$1
here=$(dirname "$0")
status=0
check() { # name, then the program and its arguments
    name=$1
    shift
    if said=$("$@" 2>&1) && { [ ! -f "$here/$name.txt" ] || [ "$said" = "$(cat "$here/$name.txt")" ]; }; then
        echo "[       OK ] $name ${2:-}"
    else
        printf '[  FAILED  ] %s\n%s\n' "$*" "$said"
        status=1
    fi
}
for program in "$programs"/*; do
    [ -x "$program" ] && [ -f "$program" ] || continue
    name=$(basename "$program")
    check "$name" "$program"
    case $name in
    between_devices | gradients_across | classifier)
        for device in cpu late:0 late:1; do check "$name" "$program" $device; done
        ;;
    esac
done
exit $status
