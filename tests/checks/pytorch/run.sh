#!/bin/sh
# run.sh SOURCE BUILD: every piece of C in the tables of docs/from-pytorch.md compiles without a warning and runs without
# an error, and the tables have not lost their rows; the README's program gives the classes that PyTorch gave for a
# network that PyTorch saved.
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
source=$(realpath "$1") build=$(realpath "$2") here=$(dirname "$(realpath "$0")")
status=0
compile() { # source, program, flags...
    from=$1 to=$2
    shift 2
    gcc -std=c11 -Wall -Wextra -Werror -Wno-unused-result -fexceptions "$@" -I "$source/include" "$from" -L "$build" -lfacula -o "$folder/$to"
}
run() {
    (cd "$folder" && LD_LIBRARY_PATH=$build "./$1")
}

# The second cell of a table's row has pieces of code between backquotes; the rows of a file are ROW(line, code;).
awk -F ' [|] ' '/^[|] `/ {
    n = split($2, part, "`")
    for (i = 2; i <= n; i += 2) code = code part[i] ";"
    printf "ROW(%d, %s)\n", NR, code
    code = ""
}' "$source/docs/from-pytorch.md" >"$folder/rows.inc"
rows=$(wc -l <"$folder/rows.inc")
if [ "$rows" -lt 120 ]; then
    echo "docs/from-pytorch.md has $rows rows, not 120"
    status=1
fi
compile "$here/rows.c" rows -Wno-unused-value -I "$folder" && run rows || status=1

# Classes and their chances, from the logits that PyTorch gave.
cp "$source/tests/reference/cnn.safetensors" "$folder/net.safetensors"
sed -n 's/^cnn 2 y: //p' "$source/tests/reference/nn.txt" | awk '{
    for (image = 0; image < 2; image++) {
        best = sum = 0
        for (i = 0; i < 5; i++) {
            sum += exp($(5 * image + i + 1))
            if ($(5 * image + i + 1) > $(5 * image + best + 1)) best = i
        }
        printf "image %d: class %d, %.1f%%\n", image, best, 100 * exp($(5 * image + best + 1)) / sum
    }
}' >"$folder/expected"
awk '/^```/ { on = /c$/; n += on; next } on && n == 3' "$source/README.md" >"$folder/readme.c"
if compile "$here/images.c" images && compile "$folder/readme.c" readme && run images && run readme >"$folder/printed" &&
    [ -s "$folder/expected" ] && diff "$folder/expected" "$folder/printed"; then
    echo "[       OK ] the README's program classifies as PyTorch does"
else
    status=1
fi
exit $status
