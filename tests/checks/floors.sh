#!/bin/sh
# floors.sh SOURCE [BUILD]: draws the include graph, and fails on an upward or sideways include: a floor sees itself
# and what lies below it; nn, optim, train, amp, data, dist, io, the command, examples and benchmarks see the public headers alone.
# With a build's folder it also draws the graph of calls, from the objects' symbols: a public header shared by floors
# names functions of several, of which a floor may call only those of itself and below.
cd "$1" || exit 2
find include src plugins tools/facula examples bench -name '*.[chi]*' -o -name '*.def' 2>/dev/null | LC_ALL=C sort | awk '
BEGIN {
    floors = split("base core backend pointwise graph dispatch ops tensor autograd", names)
    for (i = 1; i <= floors; i++) rank[names[i]] = i
    n = split("nn optim train amp data dist io", names)
    for (i = 1; i <= n; i++) { rank[names[i]] = floors + 1; public_only[names[i]] = 1 }
    rank["public"] = rank["plugins"] = 0
    rank["user"] = floors + 2
    public_only["user"] = public_only["public"] = 1
    n = split("ids args", names)
    for (i = 1; i <= n; i++) generated[names[i] ".h"] = rank["core"]
    generated["internal.h"] = rank["dispatch"]
    generated["hot.h"] = generated["hot.inc"] = rank["backend"]
}
# the floor of a file: "ops" of src/ops/reduce.c
function floor_of(path,   part) {
    split(path, part, "/")
    return part[1] == "src" ? part[2] : part[1] == "include" ? "public" : part[1] == "plugins" ? "plugins" : "user"
}
function folder(path) { sub(/\/[^\/]*$/, "", path); return path }
function tidy(path) {
    while (sub(/[^\/]+\/\.\.\//, "", path)) ;
    return path
}
function rank_of_generated(name) {
    if (name in generated) return generated[name]
    if (name ~ /\.rows$/) return rank["ops"]
    if (name ~ /^kernels_/) return rank["backend"]
    return -1
}
# the lowest floor that may know a public header: those of operations, and of what is written against public headers,
# stand above the others, which are types and calls that floors share
function rank_of_public(name) {
    sub(/^facula\//, "", name); sub(/\.h$/, "", name)
    if (name in public_only) return rank[name]
    return name == "facula" || name == "operations" || name ~ /^ops\// ? rank["dispatch"] : 0
}
function complain(why) { printf "%s:%d: %s %s\n", path, line, text, why; bad[floor] = 1; status = 1 }
function check(path, text, line,   name, target) {
    name = text
    sub(/^[ \t]*#[ \t]*include[ \t]*[<"]/, "", name); sub(/[>"].*/, "", name)
    if (text ~ /<facula\//) {
        if (!(("include/" name) in file)) complain("is not there")
        else if (floor != "user" && floor != "public" && rank_of_public(name) > rank[floor]) complain("looks upward")
        return
    }
    if (text ~ /</) return
    target = tidy(folder(path) "/" name)
    if (!(target in file)) target = "src/" name
    if (target in file && floor_of(target) == floor && (floor != "user" || folder(target) ~ "^" top(path))) return
    if (name ~ /^plugins\// && name in file) return # a table of functions, as a public header is
    if (floor == "user" && name ~ /^bench\/support\// && name in file) return # `facula bench`
    if (floor in public_only) complain("is not a public header: <facula/...>")
    else if (target in file) {
        if (!(floor_of(target) in rank)) complain("is on no floor")
        else if (rank[floor_of(target)] >= rank[floor]) complain("looks upward")
    } else if (rank_of_generated(name) < 0) complain("is not there, nor made by the generator")
    else if (rank_of_generated(name) > rank[floor]) complain("looks upward")
}
function top(path,   part) { split(path, part, "/"); return part[1] }
{ file[$0] = 1; order[++count] = $0 }
END {
    for (k = 1; k <= count; k++) {
        path = order[k]; floor = floor_of(path)
        if (!(floor in rank)) { printf "%s: %s is no floor\n", path, floor; status = 1; continue }
        seen[floor] = 1; line = 0
        while ((getline text < path) > 0) {
            line++
            if (text ~ /^[ \t]*#[ \t]*include[ \t]*[<"]/) check(path, text, line)
        }
        close(path)
    }
    for (floor in seen) printf "%s floor %s\n", floor in bad ? "not right:" : "[       OK ]", floor
    exit status
}' || status=1
[ -n "${2-}" ] || exit "${status-0}"
cd "$2/CMakeFiles" || exit 2
# Objects of link-time optimisation are the same sources once more, and slow to read.
find . -path './facula_*/src/*.o' ! -path './facula_shared_objects.dir/*' -exec nm -gA {} + | awk '
{ object = $1; sub(/:.*/, "", object); sub(/.*\.dir\/src\//, "", object); sub(/\/.*/, "", object)
  print object, $(NF - 1), $NF }' | awk '
BEGIN { n = split("base core backend pointwise graph dispatch ops tensor autograd", names); for (i = 1; i <= n; i++) rank[names[i]] = i }
$2 != "U" { defined[$3] = $1 }
$2 == "U" { used[$1 " " $3] }
END {
    for (pair in used) {
        split(pair, part, " ")
        of = defined[part[2]]
        # gradients, .out and placement call operations, as the row.h floor allows
        if (part[1] == "dispatch" && (of == "ops" || of == "tensor")) continue
        if (part[1] == "ops" && of == "tensor") continue
        if (!(part[1] in rank) || !of || (of in rank && rank[of] <= rank[part[1]])) continue
        printf "%s calls %s of %s\n", part[1], part[2], of
        bad = 1
    }
    if (!bad) print "[       OK ] no floor calls upward"
    exit bad
}' || status=1
exit "${status-0}"
