#!/bin/sh
# python.sh SOURCE BUILD: the tests of the package for Python, against the library of the build; its installation by pip;
# and the programs in Python of the pages about it. The first Python that has NumPy is taken: FACULA_PYTHON, that of
# build/venv (which has PyTorch), or the system's.
source=$(cd "$1" && pwd) build=$(cd "$2" && pwd)
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
python=
for p in ${FACULA_PYTHON-} "$source/build/venv/bin/python" python3 /usr/bin/python3; do
    command -v "$p" >/dev/null || continue
    "$p" -c 'import sys; sys.exit(sys.version_info < (3, 9))' || continue
    [ -n "$python" ] || python=$p
    "$p" -c 'import numpy' 2>/dev/null && python=$p && break
done
[ -n "$python" ] || { echo 'there is no Python 3.9'; exit 77; }
export PYTHONDONTWRITEBYTECODE=1
status=0
skipped=0
# pip writes into the folder that it installs: a copy
mkdir -p "$work/tree/include/facula" "$work/tree/bindings" "$work/plain"
cp "$source/include/facula/version.h" "$work/tree/include/facula"
cp -r "$source/bindings/python" "$work/tree/bindings"
cp -r "$source/bindings/python/src/facula" "$work/plain"
"$python" "$source/bindings/python/generate.py" "$build/gen/api.json" "$work/plain/facula" || exit 1

FACULA_LIBRARY="$build/libfacula.so" PYTHONPATH="$work/plain" "$python" -m unittest discover -v \
    -s "$source/bindings/python/tests" >"$work/log" 2>&1 || status=1
[ $status = 0 ] || cat "$work/log"
sed -n 's/^\(test_[a-z_0-9]*\) (.*\.\.\. ok$/[       OK ] python: \1/p' "$work/log"
grep '\.\.\. skipped' "$work/log"
skipped=$(grep -c '\.\.\. skipped' "$work/log")

for page in README.md docs/languages.md docs/guide/python.md bindings/python/README.md; do
    # README has PyTorch's program, too.
    awk -v any="$([ "$page" = README.md ] || echo 1)" '
        /^```/ { on = any && $0 == "```python"; print ""; next }
        /^import facula/ { on = 1 }
        { print on ? $0 : "" }' "$source/$page" >"$work/program.py"
    if (cd "$work" && FACULA_LIBRARY="$build/libfacula.so" PYTHONPATH="$work/plain" "$python" program.py) >"$work/log" 2>&1; then
        echo "[       OK ] python: $page"
    elif grep -q "No module named 'numpy'" "$work/log"; then
        echo "$page: skipped, there is no NumPy"
        skipped=$((skipped + 1))
    else
        cat "$work/log"
        status=1
    fi
done

if "$python" -c 'import setuptools, pip' 2>/dev/null; then
    if FACULA_BUILD="$build" "$python" -m pip install -q --no-index --no-deps --no-build-isolation --target "$work/site" \
        "$work/tree/bindings/python" >"$work/log" 2>&1 &&
        (cd "$work" && PYTHONPATH="$work/site" "$python" -c 'import facula as fa
assert fa.relu(fa.tensor([-1.0, 2.0])).tolist() == [0, 2], "relu"
assert "site" in fa.__file__') >>"$work/log" 2>&1; then
        echo '[       OK ] python: pip install'
    else
        cat "$work/log"
        status=1
    fi
    for plugin in "$build"/facula-plugins/*.so; do
        [ -e "$plugin" ] || continue
        if (cd "$work" && PYTHONPATH="$work/site" "$python" - "$plugin") >"$work/log" 2>&1 <<'END'; then
import ctypes, pathlib, sys
from facula import _library
name, available = pathlib.Path(sys.argv[1]).stem.partition('-')[2], _library.lib.fa_plugin_available
available.restype, available.argtypes = ctypes.c_bool, [ctypes.c_char_p]
assert available(name.encode()), f'the plugin {name} is not found'
assert (pathlib.Path(_library.__file__).parent / 'facula-plugins' / f'facula-{name}.so').exists(), f'{name} is not in the package'
END
            echo "[       OK ] python: the plugin $(basename "$plugin" .so) of the package"
        else
            cat "$work/log"
            status=1
        fi
    done

    # a library for another processor: the wheel says so
    mkdir -p "$work/arm/gen"
    cp "$build/gen/api.json" "$work/arm/gen"
    "$python" -c 'import sys
head = bytearray(open(sys.argv[1], "rb").read(64))
head[18:20] = bytes([183, 0])
open(sys.argv[2], "wb").write(head)' "$build/libfacula.so" "$work/arm/libfacula.so"
    if FACULA_BUILD="$work/arm" "$python" -m pip wheel -q --no-index --no-deps --no-build-isolation -w "$work/wheels" \
        "$work/tree/bindings/python" >"$work/log" 2>&1 && ls "$work/wheels" | grep -q 'py3-none-linux_aarch64\.whl$'; then
        echo '[       OK ] python: the wheel of an aarch64 library'
    else
        cat "$work/log"
        ls "$work/wheels"
        status=1
    fi
else
    echo 'pip install: skipped, there is no pip with setuptools'
    skipped=$((skipped + 1))
fi
[ "$skipped" = 0 ] || echo "[  SKIPPED ] $skipped test(s)"
exit $status
