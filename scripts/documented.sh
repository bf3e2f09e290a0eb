#!/bin/sh
# documented.sh [HEADER...]: each public function, macro and type has a comment of its own right before it, each member
# of a struct has one, and each parameter but the first (what the comment is about) is named in it. All public headers
# when none is named: then a fa_function() that a comment speaks of has to be there, too.
cd "$(dirname "$0")/.." || exit 2
some=$#
[ $# -gt 0 ] || set -- $(ls include/facula/*.h include/facula/ops/*.h | grep -v /lines.h) # which only has macros of the others' functions
awk -v some="$some" '
function complain(what) { printf "%s:%d: %s\n", FILENAME, FNR, what; bad = 1 }
function names(text, word) { return (" " text " ") ~ ("[^A-Za-z0-9_]" word "[^A-Za-z0-9_]") }
# the name of one parameter or member: of a pointer to a function, or the last word
function name_of(text) {
    if (match(text, /\(\*[a-z_]+/)) return substr(text, RSTART + 2, RLENGTH - 2)
    sub(/\[[^]]*\]/, "", text); sub(/[ ;]+$/, "", text); sub(/.*[ *]/, "", text)
    return text
}
function parameters(text, name,   inside, depth, i, c, part, count) {
    inside = substr(text, index(text, name "(") + length(name) + 1)
    depth = 1
    for (i = 1; i <= length(inside) && depth > 0; i++) {
        c = substr(inside, i, 1)
        depth += (c == "(") - (c == ")")
        if (depth == 0 || (depth == 1 && c == ",")) {
            part = name_of(part)
            if (count++ && part != "options" && part != "..." && !names(doc, part))
                complain(name ": its comment does not name the parameter " part)
            part = ""
        } else part = part c
    }
}
function function_is_good(text,   name) {
    if (!match(text, /fa_[a-z0-9][a-z0-9_]*\(/)) return
    name = substr(text, RSTART, RLENGTH - 1)
    if (text ~ ("fa__[a-z_0-9]*\\(") && index(text, name) > match(text, /fa__[a-z_0-9]*\(/)) return
    known[name] = 1
    if (!doc) complain(name ": there is no comment before it")
    else if (doc !~ /^fa_[a-z_0-9]+\(\) in place:/) parameters(text, name)
}
{
    for (text = $0; match(text, /fa_[a-z0-9][a-z0-9_]*(\(\))?/); text = substr(text, RSTART + RLENGTH)) {
        word = substr(text, RSTART, RLENGTH)
        if (!sub(/\(\)/, "", word)) declared[word] = 1
        else if (!(word in spoken_of)) spoken_of[word] = FILENAME ":" FNR
    }
}
FNR == 1 { doc = group = declaration = struct = ""; hidden = cplusplus = 0; delete known; delete once }
/@cond/ { hidden = 1 }
/@endcond/ { hidden = 0; doc = ""; next }
hidden { next }
# only what a C program sees
/^#if.*__cplusplus/ { cplusplus = 1; next }
cplusplus && /^#if/ { cplusplus++; next }
cplusplus && /^#(else|endif)/ { if (cplusplus > 1 && /^#else/) next; cplusplus -= 1; next }
cplusplus { next }
# comments
comment { doc = doc " " $0; if (/\*\//) comment = 0; next }
/^[ ]*\/\*\*( |$)/ {
    doc = $0; group = ""
    if (!/\*\//) comment = 1
    sub(/^[ ]*\/\*\* */, "", doc)
    next
}
/^[ ]*\/\*/ { while (!/\*\//) if ((getline) <= 0) break; doc = ""; next }
# structs, member by member
struct {
    if (/^}/) { struct = doc = ""; next }
    member = member $0
    if ($0 !~ /;/) next
    name = name_of(substr(member, 1, index(member, ";")))
    if (name !~ /^fa__/ && member !~ /\/\*\*</ && !doc) complain(struct ": there is no comment for " name)
    member = ""
    while (/\/\*/ && !/\*\//) if ((getline) <= 0) break
    doc = ""
    next
}
/^typedef (struct|enum|union) fa_[a-z].*{/ {
    if (!doc) complain($3 ": there is no comment before it")
    if (/^typedef (struct|union)/ && !/}/) struct = $3
    else doc = ""
    member = ""
    if (/^typedef struct/) doc = ""
    next
}
/^typedef / && !/fa__/ && !/\/\*\*</ && !declaration { if (!doc) complain($0 ": there is no comment before it") }
/^(enum \{|#define) FA_[A-Z]/ || /^#define fa_[a-z]/ {
    name = /^enum/ ? $3 : $2
    sub(/\(.*/, "", name)
    if (name ~ /^FA__/ || name == "FA_API" || known[name] || once[name]) { once[name] = 1; next }
    once[name] = 1
    if (!doc && !group && !/\/\*\*</) complain(name ": there is no comment before it")
    group = "yes"; doc = ""
    while (/\\$/) if ((getline) <= 0) break
    next
}
/^(FA_API|static inline) / || declaration {
    declaration = declaration " " $0
    if ($0 !~ /[;{]/) next
    function_is_good(declaration)
    declaration = doc = ""
    next
}
/^#/ { if (/^#define/) while (/\\$/) if ((getline) <= 0) break; next }
{ group = ""; if (!/^(extern "C" \{|\})$/) doc = "" }
END {
    for (word in spoken_of)
        if (!some && !(word in declared)) {
            print spoken_of[word] ": there is no " word "()"
            bad = 1
        }
    exit bad
}
' "$@"
