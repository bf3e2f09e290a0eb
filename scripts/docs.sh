#!/bin/sh
# docs.sh FOLDER: the site of guide and reference, in FOLDER/html; a warning is an error.
set -eu
mkdir -p "$1"
rm -rf "$1/html"
FACULA_DOCS=$1
FACULA_VERSION=$(sed -n 's/^#define FA_VERSION_[A-Z]* \([0-9]*\)$/\1/p' include/facula/version.h | paste -sd.)
export FACULA_DOCS FACULA_VERSION
exec doxygen docs/Doxyfile
