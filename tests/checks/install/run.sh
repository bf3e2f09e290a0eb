#!/bin/sh
# run.sh SOURCE BUILD: installs the build under a folder of its own, and builds and runs outside programs against what is
# there: C and C++ through pkg-config, shared and static, with each compiler that is here, through CMake, and by dlopen.
here=$1/tests/checks/install
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
status=0
try() { # name of the case, command...
    name=$1
    shift
    if "$@" >"$root/log" 2>&1; then
        echo "[       OK ] $name"
    else
        echo "$name: $*"
        cat "$root/log"
        status=1
    fi
}
through() { # name of the case, compile command up to the output; then runs the program
    name=$1
    shift
    try "$name: builds" "$@" -o "$root/user"
    try "$name: runs" "$root/user"
}

try 'install' env DESTDIR="$root/dest" cmake --install "$2" --prefix /opt/facula
prefix=$root/dest/opt/facula
libdir=$(dirname "$(find "$prefix" -name libfacula.so)")
export PKG_CONFIG_PATH="$libdir/pkgconfig" LD_LIBRARY_PATH="$libdir"
cflags=$(pkg-config --cflags facula)
libs=$(pkg-config --libs facula)
static="$libdir/libfacula.a $(pkg-config --libs --static facula | sed 's/-lfacula//')"
case " $cflags " in
*' -fexceptions '*) ;;
*) echo "pkg-config gives no -fexceptions: $cflags" && status=1 ;;
esac
# shellcheck disable=SC2086 # lists of words
for cc in gcc gcc-11 gcc-13 gcc-14 clang clang-13 clang-15 clang-16 clang-19; do
    command -v $cc >/dev/null || continue
    through "pkg-config, $cc" $cc -std=c11 -Wall -Wextra -Werror $cflags "$here/user.c" $libs
    through "pkg-config, $cc, static" $cc -std=c11 $cflags "$here/user.c" $static
    cxx=$(echo $cc | sed 's/gcc/g++/; s/clang/clang++/')
    command -v $cxx >/dev/null || continue
    try "pkg-config, $cxx: a frame in C" $cc -std=c11 $cflags -c "$here/frame.c" -o "$root/frame.o"
    through "pkg-config, $cxx" $cxx -std=c++17 -Wall -Wextra -Werror $cflags "$here/user.cpp" "$root/frame.o" $libs
done
# Outside of /usr the headers are a system's, and messages about wrong arguments begin with the program's line.
printf '#include <facula/facula.h>\nfa_tensor *f(fa_tensor *x)\n{\n    return fa_sum(x, 1);\n}\n' >"$root/wrong.c"
# shellcheck disable=SC2016 # the inner shell's
try 'pkg-config: the first error is at the line of the program' sh -c \
    'gcc -std=c11 $(pkg-config --cflags facula) -fsyntax-only "$1/wrong.c" 2>&1 | grep -m 1 error: | grep "wrong.c:4:12: .*fa_sum: options have names"' - "$root"
try 'install below /usr' env DESTDIR="$root/usr" cmake --install "$2" --prefix /usr
try 'install below /usr: its folder is the system'"'"'s already' sh -c 'grep "^Cflags: -I" "$(find "$1" -name facula.pc)"' - "$root/usr"
# shellcheck disable=SC2086 # a list of words
try 'dlopen: builds' gcc -std=gnu11 -Wall -Wextra -Werror $cflags "$here/loaded.c" -ldl -lpthread -o "$root/loaded"
try 'dlopen: runs' "$root/loaded" "$libdir/libfacula.so"
for n in 1 2; do
    awk '/^```/ { on = /c$/; n += on; next } on && n == '$n "$1/README.md" |
        sed "s@digits.safetensors@$root/&@" >"$root/readme.c"
    # shellcheck disable=SC2086 # lists of words
    through "the README's program $n" gcc -std=c11 -Wall -Wextra -Werror $cflags "$root/readme.c" $libs
done
if command -v g++ >/dev/null; then
    awk '/^```/ { on = $0 == "```cpp"; next } on' "$1/README.md" >"$root/readme.cpp"
    # shellcheck disable=SC2086 # lists of words
    through "the README's program in C++" g++ -std=c++20 -Wall -Wextra -Werror $cflags "$root/readme.cpp" $libs
fi
try 'find_package: configures' cmake -S "$here" -B "$root/build" -DCMAKE_PREFIX_PATH="$prefix"
try 'find_package: builds' cmake --build "$root/build"
try 'find_package: runs' "$root/build/user"
try 'find_package, static: runs' "$root/build/user_static"
# shellcheck disable=SC2016 # the inner shell's
try 'make install: the library is built for the place where its plugins go' sh -c \
    'make -n -C "$1" install PREFIX=/opt/facula FLAGS=-DANY=1 | grep -F -e "-DANY=1 -DCMAKE_INSTALL_PREFIX=\"/opt/facula\""' - "$1"
# Of a subdirectory there are the libraries, by the names of the package, and no tests.
mkdir "$root/whole"
cat >"$root/whole/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.18)
project(whole C)
add_subdirectory("$(realpath "$1")" facula)
add_executable(user "$(realpath "$here")/user.c")
target_link_libraries(user PRIVATE facula::facula)
END
try 'add_subdirectory: configures' cmake -G Ninja -S "$root/whole" -B "$root/whole/build"
try 'add_subdirectory: no tests, examples or command' sh -c \
    'ninja -C "$1" -t targets all | grep -q "^user:" && ! ninja -C "$1" -t targets all | grep -E "^facula/(tests|examples|bench)/|facula-command|^install"' - \
    "$root/whole/build"
try 'the interface as data' grep -q '"name": "fa_sum"' "$prefix/share/facula/api.json"
try 'the header of C++' test -f "$prefix/include/facula/facula.hpp" -a -f "$prefix/include/facula/ops.hpp"
try 'the command' "$prefix/bin/facula" --version
try 'the manual' grep -q 'facula train' "$prefix/share/man/man1/facula.1"
try 'the completion' bash -n "$prefix/share/bash-completion/completions/facula"
try 'the completion of zsh' test -s "$prefix/share/zsh/site-functions/_facula"
try 'the completion of fish' test -s "$prefix/share/fish/vendor_completions.d/facula.fish"
exit $status
