#!/bin/sh
# python.sh: pyflakes over the Python in the repository. A line with `# noqa` is left out, as of what a module imports for
# others; so are names that come by `import *`, which the tests see.
status=0
found=$(mktemp) || exit 2
git ls-files -z '*.py' | xargs -0 pyflakes3 >"$found" 2>&1
while IFS=: read -r file line rest; do
    case $rest in *'unable to detect undefined names' | *'defined from star imports'*) continue ;; esac
    sed -n "${line}p" "$file" 2>/dev/null | grep -q '# noqa' && continue
    echo "$file:$line:$rest"
    status=1
done <"$found"
rm -f "$found"
exit $status
