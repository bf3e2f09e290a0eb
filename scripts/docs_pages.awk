# For Doxygen: a page of Markdown whose headings have the anchors that links name, as on the web: `{#page-heading}` behind
# each heading, and `[text](page.md#heading)` leads there. The pages that the guide's index lists become its subpages, in
# its order, and links of docs/operations.md to lines of headers become links to the functions.
function label(path) { # of a page: guide-tensors, operations
    if (path !~ /\.\.\// && inside_guide && path !~ /^docs\//) path = "guide/" path
    sub(/\.md$/, "", path)
    sub(/.*guide\//, "guide-", path)
    sub(/.*\//, "", path)
    return tolower(path)
}
function slug(heading) {
    gsub(/`|\*\*/, "", heading)
    heading = tolower(heading)
    gsub(/[^a-z0-9_ -]/, "", heading)
    gsub(/ /, "-", heading)
    return heading
}
function linked(line,   out, target, path) {
    while (match(line, /\]\([^()]*#[A-Za-z0-9_-]+\)/)) {
        target = substr(line, RSTART + 2, RLENGTH - 3)
        path = target
        sub(/#.*/, "", path)
        sub(/.*#/, "", target)
        if (path ~ /:/ || path !~ /^$|\.md$/) # of the web, or of a source
            out = out substr(line, 1, RSTART + RLENGTH - 1)
        else
            out = out substr(line, 1, RSTART) "(@ref " (path == "" ? page : label(path)) "-" target ")"
        line = substr(line, RSTART + RLENGTH)
    }
    return out line
}
BEGIN { inside_guide = ARGV[1] ~ /docs\/guide\//; page = label(ARGV[1]) }
/^ *```/ { code = !code }
!code && /^##+ / && !/\{#/ {
    name = $0
    sub(/^#+ /, "", name)
    name = slug(name)
    if (seen[name]++) name = name "-" (seen[name] - 1)
    print $0 " {#" page "-" name "}"
    next
}
code { print; next }
page == "guide-index" && /^- \[[^]]*\]\([a-z-]*\.md\)/ {
    match($0, /\[[^]]*\]/)
    title = substr($0, RSTART + 1, RLENGTH - 2)
    match($0, /\([a-z-]*\.md\)/)
    file = substr($0, RSTART + 1, RLENGTH - 5)
    rest = substr($0, RSTART + RLENGTH)
    gsub(/-/, "_", file)
    print "- @subpage md_docs_guide_" file " \"" title "\"" rest
    next
}
{
    line = $0
    while (match(line, /\[`fa_[a-z0-9_]*`\]\([^)]*#L[0-9]+\)/)) {
        name = substr(line, RSTART + 2)
        sub(/`.*/, "", name)
        line = substr(line, 1, RSTART - 1) "@ref " name " \"" name "\"" substr(line, RSTART + RLENGTH)
    }
    print linked(line)
}
