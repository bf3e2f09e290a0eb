#!/bin/sh
# oclgrind.sh PROGRAM [ARGUMENT...]: a test on Oclgrind's simulated device, which sees accesses outside of buffers, races
# between work-items, barriers that not all items come to. It only writes them to its log, which has to be empty.
program=$1
shift
command -v oclgrind >/dev/null || { echo 'skipped: there is no oclgrind'; exit 77; }
log=$(mktemp) || exit 1
trap 'rm -f "$log"' EXIT
FACULA_CACHE_DIR=off oclgrind --data-races --log "$log" "$program" "$@"
status=$?
cat "$log"
[ $status = 77 ] && { echo 'not right: Oclgrind shows no device'; exit 1; }
[ $status = 0 ] && [ ! -s "$log" ] && exit 0
echo "not right: exit status $status, $(wc -l <"$log") lines in Oclgrind's log"
exit 1
