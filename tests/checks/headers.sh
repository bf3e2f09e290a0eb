#!/bin/sh
# headers.sh SOURCE: each public header compiles alone, as strict C11 and as C++17, with the compilers that are here.
cd "$1/include" || exit 2
status=0
one() { # compiler, language, standard, header
    printf '#include <%s>\ntypedef int unit;\n' "$4" |
        "$1" -x "$2" -std="$3" -pedantic -Wall -Wextra -Wshadow -Werror -fsyntax-only -I. - || return 1
    echo "[       OK ] $4 with $1 as $3"
}
for header in facula/*.h facula/ops/*.h; do
    for how in 'gcc c c11' 'clang c c11' 'g++ c++ c++17' 'clang++ c++ c++17'; do
        # shellcheck disable=SC2086 # three words
        set -- $how
        command -v "$1" >/dev/null || continue
        one "$1" "$2" "$3" "$header" || status=1
    done
done
for cxx in g++ clang++; do
    command -v $cxx >/dev/null || continue
    one $cxx c++ c++17 facula/facula.hpp || status=1
    one $cxx c++ c++20 facula/facula.hpp || status=1
done
exit $status
