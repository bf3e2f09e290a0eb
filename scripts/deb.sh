#!/usr/bin/env bash
# deb.sh FOLDER [test]: builds the Debian packages into FOLDER/packages. With `test`, as root: installs them in a bare
# Debian (debootstrap), where the command trains a network and a program is compiled and runs.
set -eu
cd "$(dirname "$0")/.."
mkdir -p "$1"
folder=$(realpath "$1")
libraries=lib/$(dpkg-architecture -qDEB_HOST_MULTIARCH)

cmake -S . -B "$folder" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX=/usr \
    -DCMAKE_INSTALL_LIBDIR="$libraries" -DFACULA_TESTS=OFF -DFACULA_EXAMPLES=OFF -DFACULA_BENCH=OFF \
    -DFACULA_UPDATE_SOURCES=OFF >"$folder/configure.log"
cmake --build "$folder" --target product
rm -rf "$folder/packages"
(cd "$folder" && cpack -G DEB -B "$folder/packages" >"$folder/cpack.log")
rm -rf "$folder/packages/_CPack_Packages"
ls "$folder"/packages/{facula,libfacula*}-dbgsym_*.ddeb >/dev/null
ls -l "$folder"/packages/*.*deb
[ "${2-}" = test ] || exit 0

root=$folder/root
rm -rf --one-file-system "$root"
inside() { chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/tmp LC_ALL=C "$@"; }
debootstrap --variant=minbase "$(. /etc/os-release && echo "$VERSION_CODENAME")" "$root" >"$folder/debootstrap.log"
cp "$folder"/packages/*.deb "$root/tmp"
rm -f "$root"/tmp/*-dev_*
inside apt-get -q -y --no-install-recommends install $(cd "$root" && ls ./tmp/*.deb | sed 's/^\.//')
inside facula train mlp --data digits --epochs 3 --quiet --save /tmp/digits.safetensors
inside facula eval /tmp/digits.safetensors
echo '[       OK ] the command trains and evaluates a network in a bare Debian'
cp "$folder"/packages/libfacula-dev_*.deb "$root/tmp/dev.deb"
inside apt-get -q -y --no-install-recommends install /tmp/dev.deb gcc libc6-dev pkg-config
cat >"$root/tmp/sum.c" <<'C'
#include <facula/facula.h>
int main(void)
{
    FA_SCOPE;
    return fa_item(fa_sum(fa_ones(FA_SHAPE(3, 4)))) == 12 ? 0 : 1;
}
C
inside sh -c 'cd /tmp && gcc sum.c $(pkg-config --cflags --libs facula) -o sum && ./sum &&
    gcc sum.c $(pkg-config --cflags --libs --static facula) -static -o alone 2>static.log && ./alone'
echo '[       OK ] a program is compiled with the packages, linked with the shared and the static library, and runs'
