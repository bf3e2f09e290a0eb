#!/bin/sh
# docs.sh FOLDER: the site of guide and reference, in FOLDER/html; a warning is an error, and so is a link to a page that
# the site does not have.
set -eu
mkdir -p "$1"
rm -rf "$1/html"
FACULA_DOCS=$1
FACULA_VERSION=$(sed -n 's/^#define FA_VERSION_[A-Z]* \([0-9]*\)$/\1/p' include/facula/version.h | paste -sd.)
export FACULA_DOCS FACULA_VERSION
# Each example is a page: its source behind its opening comment.
awk 'FNR == 1 { name = FILENAME; sub(/^examples\//, "", name); print "/** @example " name; opening = 1 }
     opening && !/^(\/\*| \*|\/\/)/ { opening = 0; print "*/" }
     opening { sub(/^(\/\*| \*|\/\/)/, ""); sub(/ *\*\/$/, ""); print }' examples/*.c examples/cpp/*.cpp >"$1/examples.dox"
doxygen docs/Doxyfile
awk -f scripts/docs_links.awk "$1"/html/*.html
