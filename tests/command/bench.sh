#!/bin/sh
# bench.sh FACULA: `facula bench` measures each operation, and on the CPU says which share of the limits that is; as a table
# and as JSON. How large the figures are is not tested.
json=$("$1" bench --device cpu --threads 1 --json) || { echo "bench failed"; exit 1; }
status=0
for name in matmul conv2d attention memory sum gelu softmax layer_norm transpose training; do
    figures=$(echo "$json" | tr -d '\n' | sed -n "s/.*\"$name\": {\([^}]*\)}.*/\1/p")
    share='"share": [0-9.]*[1-9]'
    [ $name = training ] && share='"unit": "samples\/s"'
    if echo "$figures" | grep -q '"value": [0-9.]*[1-9]' && echo "$figures" | grep -q "$share"; then
        echo "[       OK ] $name"
    else
        echo "$name: $figures"
        status=1
    fi
done
limits=$(echo "$json" | tr -d '\n' | sed -n 's/.*"limits": {\([^}]*\)}.*/\1/p' | grep -o '[a-z]*": [1-9]' | tr -cd 'a-z\n' | xargs)
if [ "$limits" = 'flop read write copy add' ]; then
    echo '[       OK ] limits'
else
    echo "limits: $limits"
    status=1
fi
rows=$("$1" bench --device cpu --threads 1 | grep -cE '^[a-z_0-9]+ +[0-9.]+ [A-Za-z]+/s +([0-9]+%|-)  ')
if [ "$rows" = 10 ]; then
    echo '[       OK ] the table'
else
    echo "the table has $rows rows of figures"
    status=1
fi
exit $status
