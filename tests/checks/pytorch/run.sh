#!/bin/sh
# run.sh SOURCE BUILD: every piece of C and C++ in the tables of docs/from-pytorch.md compiles without a warning and runs
# without an error, and the tables have not lost their rows; the README's program gives the classes that PyTorch gave for a
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
# Those of C++ are in a section of their own.
pieces() { # file, how many rows it has at least, whether they are C++
    awk -F ' [|] ' -v wanted="$3" '/^## / { cpp = /^## C[+][+]/ } /^[|] `/ && cpp == wanted {
        n = split($2, part, "`")
        for (i = 2; i <= n; i += 2) code = code part[i] ";"
        printf "ROW(%d, %s)\n", NR, code
        code = ""
    }' "$source/docs/from-pytorch.md" >"$folder/$1"
    rows=$(wc -l <"$folder/$1")
    if [ "$rows" -lt "$2" ]; then
        echo "docs/from-pytorch.md has $rows rows, not $2"
        status=1
    fi
}
pieces rows.inc 120 0
compile "$here/rows.c" rows -Wno-unused-value -I "$folder" && run rows || status=1
pieces rows.cpp.inc 50 1
if ! command -v g++ >/dev/null; then
    echo "C++: there is no g++"
elif g++ -std=c++20 -Wall -Wextra -Werror -Wno-unused-result -Wno-unused-value -Wno-unused-variable -I "$source/include" \
    -I "$folder" "$here/rows.cpp" -L "$build" -lfacula -o "$folder/rows-cpp"; then
    run rows-cpp || status=1
else
    status=1
fi

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
