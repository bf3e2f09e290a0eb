#!/bin/sh
# check_exports.sh SOURCE BUILD: what libfacula.so exports begins with fa_, what it needs is the C library and the
# compiler's own, its soname is the version's; and the static library defines no other global name either.
version=$(sed -n 's/^#define FA_VERSION_MAJOR //p' "$1/include/facula/version.h")
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
none 'shared: exports only fa_' <<X
$(readelf -W --dyn-syms libfacula.so | awk '$7 ~ /^[0-9]+$/ && $5 != "LOCAL" && $8 !~ /^fa_/ {print $8}')
X
none 'shared: needs libc, libm, libgcc_s alone' <<X
$(readelf -W -d libfacula.so | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' |
    grep -vE '^(libc|libm|libpthread|libgcc_s)\.so\.[0-9]+$|^ld-linux-')
X
none 'shared: soname' <<X
$(readelf -W -d libfacula.so | sed -n 's/.*(SONAME).*\[\(.*\)\]/\1/p' | grep -vxF "libfacula.so.$version")
X
none 'shared: stack is not executable, no text relocations' <<X
$(readelf -W -l -d libfacula.so | grep -E 'GNU_STACK.*E|TEXTREL')
X
none 'static: defines only fa_' <<X
$(nm -g --defined-only libfacula.a 2>/dev/null | awk 'NF == 3 && $3 !~ /^(fa_|DW\.ref\.)/ {print $3}')
X
exit $status
