#!/bin/sh
# sources.sh: the C and C++ sources and headers that the project's authors write. sources.sh --changed: those of them that differ
# from where the branch left main (on main itself: from the commit before), or all of them where that cannot be told.
all() {
    find include src plugins tools tests examples bench -name '*.[ch]' -o -name '*.[ch]pp' | LC_ALL=C sort
}
base() {
    head=$(git rev-parse HEAD) || return
    fork=$(git merge-base HEAD origin/main || git merge-base HEAD main) || return
    if [ "$fork" = "$head" ]; then git rev-parse --verify -q 'HEAD^'; else echo "$fork"; fi
}
if [ "${1-}" = --changed ] && from=$(base 2>/dev/null); then
    { git diff --name-only "$from"; git ls-files --others --exclude-standard; } | LC_ALL=C sort -u >"${TMPDIR:-/tmp}/changed.$$"
    all | LC_ALL=C comm -12 - "${TMPDIR:-/tmp}/changed.$$"
    rm -f "${TMPDIR:-/tmp}/changed.$$"
else
    all
fi
