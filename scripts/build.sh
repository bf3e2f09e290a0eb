#!/bin/sh
# build.sh FOLDER TARGET [CMake argument...]: configures the folder and builds the target (`all`: tests and everything).
set -eu
folder=$1
target=$2
shift 2
log=$folder/configure.log
mkdir -p "$folder"
cmake -S . -B "$folder" -G Ninja "$@" >"$log" 2>&1 || { cat "$log"; exit 1; }
exec cmake --build "$folder" --target "$target"
