#!/bin/sh
# languages.sh SOURCE BUILD: the programs of docs/languages.md compile, run, and print what their comments say; and the loop in C++
# of docs/mixed-precision.md trains.
source=$1 build=$2
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
status=0
skipped=0
export LD_LIBRARY_PATH="$build"
block() { # language, page: its first program
    awk -v wanted="$1" '/^```/ { on = $0 == "```" wanted && !n++; next } on' "$source/docs/${2:-languages.md}"
}
check() { # name, what it prints, command...
    name=$1 said=$2
    shift 2
    if "$@" >"$work/out" 2>&1 && grep -qF "$said" "$work/out"; then
        echo "[       OK ] docs/languages.md: $name"
    else
        echo "[  FAILED  ] docs/languages.md: $name"
        cat "$work/out"
        status=1
    fi
}
skip() {
    echo "docs/languages.md: $1"
    skipped=$((skipped + 1))
}
block c >"$work/main.c"
check 'C without macros' 'tensor([3.0000, 7.5000])' sh -c 'gcc -std=c11 -Wall -Wextra -Werror "-I$1" "$2/main.c" "$3/libfacula.so" \
    -o "$2/c" && "$2/c"' - "$source/include" "$work" "$build"
if command -v g++ >/dev/null; then
    block cpp >"$work/main.cpp"
    check 'C++' 'main.cpp:12: fa_matmul(a=(64, 4) f32 cpu' sh -c 'g++ -std=c++20 -Wall -Wextra -Wno-unused-result "-I$1" "$2/main.cpp" \
        "$3/libfacula.so" -o "$2/cpp" && "$2/cpp"' - "$source/include" "$work" "$build"
    {
        echo '#include <facula/facula.hpp>
int main() {
    fa::module net = fa::nn::linear(64, 10);
    fa::optimizer opt = fa::optim::adam(net, {.lr = 0.01});
    fa::loader loader = fa::data::loader(fa::data::digits(), {.batch_size = 500, .drop_last = true});'
        block cpp mixed-precision.md
        echo 'std::printf("scale %g after %d", scaler.get_scale(), static_cast<int>(loader.length())); }'
    } >"$work/scaler.cpp"
    check 'C++ in mixed precision' 'scale 65536 after 2' sh -c 'g++ -std=c++20 -Wall -Wextra "-I$1" "$2/scaler.cpp" \
        "$3/libfacula.so" -o "$2/scaler" && "$2/scaler"' - "$source/include" "$work" "$build"
else
    skip 'C++: there is no g++'
fi
if command -v bindgen >/dev/null && command -v rustc >/dev/null; then
    awk '/^```/ { on = $0 == "```rust" && ++n == 2; next } on' "$source/docs/languages.md" >"$work/main.rs" # behind build.rs
    echo '#include <facula/facula.h>' >"$work/all.h"
    check 'Rust' 'tensor([3.0000, 7.5000])' sh -c 'bindgen "$2/all.h" --allowlist-function "fa_.*" --allowlist-type "fa_.*" \
        --allowlist-var "FA_.*" -o "$2/facula.rs" -- "-I$1" &&
        OUT_DIR=$2 rustc --edition 2021 "$2/main.rs" -L "$3" -l facula -o "$2/rust" && "$2/rust"' - \
        "$source/include" "$work" "$build"
else
    skip 'Rust: there is no bindgen, or no rustc'
fi
[ $skipped = 0 ] || echo "[  SKIPPED ] $skipped test(s)"
exit $status
