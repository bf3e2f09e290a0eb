# For Doxygen: a page of Markdown whose headings have the anchors that links name, as on the web: `{#page-heading}` behind
# each heading, and `[text](page.md#heading)` leads there. The pages that the guide's index lists become its subpages, in
# its order, and links of docs/operations.md to lines of headers become links to the functions. Links to examples and
# public headers lead to their pages; other files of the tree are not on the site: their links become plain text.
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
function sources(line,   out, text, path) {
    while (match(line, /\[[^][]*\]\([^()#: ]*\)/)) {
        text = substr(line, RSTART + 1, RLENGTH - 2)
        path = text
        sub(/\]\(.*/, "", text)
        sub(/.*\]\(/, "", path)
        out = out substr(line, 1, RSTART - 1)
        if (path ~ /\.md$/ || path == "") {
            out = out substr(line, RSTART, RLENGTH)
        } else if (path ~ /(^|\/)(examples|include\/facula)\/.*\.(c|cpp|h)$/) {
            sub(/.*\//, "", path)
            gsub(/`/, "", text)
            out = out "@ref " path " \"" text "\""
        } else {
            out = out text
        }
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
    print linked(sources(line))
}
