#!/bin/sh
# deps.sh GROUP... (or `all`: all but `cross` and `deb`): installs the packages of packages.txt that are missing, as root or through
# sudo. When nothing is missing it asks for neither, and needs no network.
set -eu
list=$(dirname "$0")/packages.txt
wanted=$(awk -v groups="$*" '
    BEGIN { n = split(groups, g); for (i = 1; i <= n; i++) want[g[i]] = 1 }
    { sub(/#.*/, "") }
    NF { for (i = 2; i <= NF; i++) if ((want["all"] && $i != "cross" && $i != "deb") || want[$i]) { print $1; next } }' "$list")
if ! command -v dpkg-query >/dev/null; then
    echo "deps: not a Debian system; needed are: $(echo "$wanted" | xargs)" >&2
    exit 0
fi
missing=
for package in $wanted; do
    status=$(dpkg-query -W -f '${Status}' "$package" 2>/dev/null) || true
    case $status in *" installed") ;; *) missing="$missing $package" ;; esac
done
[ -n "$missing" ] || exit 0
echo "deps: installing$missing"
if [ "$(id -u)" = 0 ]; then
    root="env"
elif command -v sudo >/dev/null; then
    root="sudo env"
else
    echo "deps: needs root or sudo for: apt-get install$missing" >&2
    exit 1
fi
apt() {
    $root DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=300 "$@" </dev/null
}
for architecture in $(echo "$missing" | tr ' ' '\n' | sed -n 's/.*://p' | sort -u); do
    $root dpkg --add-architecture "$architecture"
done
# An index that cannot be had may be one that is not needed: the installation says what is missing.
apt update || echo "deps: apt-get update failed; trying with what is known"
# shellcheck disable=SC2086 # a list of words
apt install --no-install-recommends $missing
