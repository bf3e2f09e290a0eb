#!/bin/sh
# exports.sh SOURCE BUILD: what libfacula.so exports begins with fa_ and carries the version of its interface, what it needs is the C library and the
# compiler's own, its soname is the version's; and the static library defines no other global name either.
version=$(sed -n 's/^#define FA_VERSION_M[AI][JN]OR //p' "$1/include/facula/version.h" | paste -sd .)
cd "$2" || exit 2
status=0
none() { # name of the case; offenders on standard input
    if found=$(grep -v '^$'); then
        echo "$1:" "$found"
        status=1
    else
        echo "[       OK ] $1"
    fi
}
# what readelf finds where there has to be something: else it would be no wonder that nothing is wrong
same() { # name of the case, what has to be, what is
    if [ "$2" = "$3" ]; then
        echo "[       OK ] $1"
    else
        echo "$1: $3, not $2"
        status=1
    fi
}
exports=$(readelf -W --dyn-syms libfacula.so | awk '$7 ~ /^[0-9]+$/ && $5 != "LOCAL" {print $8}' | sed 's/@@.*//' |
    grep -v '^FACULA_[0-9.]*$')
needs=$(readelf -W -d libfacula.so | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
same 'shared: exports the calls' fa_version "$(echo "$exports" | grep -x fa_version)"
none 'shared: exports only fa_' <<X
$(echo "$exports" | grep -v '^fa_')
X
none 'shared: every name has the version' <<X
$(readelf -W --dyn-syms libfacula.so | awk '$7 ~ /^[0-9]+$/ && $5 != "LOCAL" && $4 != "OBJECT" || $8 ~ /^fa_/ {print $8}' |
    grep -v "@@FACULA_$version\$")
X
same 'shared: needs libc' libc.so.6 "$(echo "$needs" | grep '^libc\.so')"
none 'shared: needs libc, libm, libgcc_s alone' <<X
$(echo "$needs" | grep -vE '^(libc|libm|libpthread|libgcc_s)\.so\.[0-9]+$|^ld-linux-')
X
same 'shared: soname' "libfacula.so.$version" "$(readelf -W -d libfacula.so | sed -n 's/.*(SONAME).*\[\(.*\)\]/\1/p')"
none 'shared: stack is not executable, no text relocations' <<X
$(readelf -W -l -d libfacula.so | grep -E 'GNU_STACK.*E|TEXTREL')
X
# A library that is loaded late, behind PyTorch for one, finds little room for variables of threads.
none 'shared: at most 1280 bytes for each thread' <<X
$(readelf -W -l libfacula.so | awk '$1 == "TLS" {print $6}' | while read -r bytes; do
    [ $((bytes)) -le 1280 ] || echo "$((bytes)) bytes"
done)
X
none 'static: defines only fa_' <<X
$(nm -g --defined-only libfacula.a 2>/dev/null | awk 'NF == 3 && $3 !~ /^(fa_|DW\.ref\.)/ {print $3}')
X
exit $status
