# For Doxygen: a header in which each function's comment has a table of its options, with types and defaults, in place of
# a page for the struct of the options. The defaults are those of the comment's line `fa_name(..., .option = value)`, or
# else of the macro FA__DEFAULT_fa_name.

# The name of a member's first declarator, and in `type` what stands before it.
function member(text, out,   name, k, kind, n, each) {
    gsub(/[ \t\n]+/, " ", text)
    n = split(text, each, / ?, ?/)
    kind = each[1]
    if (kind ~ /\(\*/) { # a pointer to a function
        name = text; sub(/.*\(\*/, "", name); sub(/\).*/, "", name)
        out[1] = name; sub(/^ /, "", text); type = text
        return 1
    }
    for (k = 1; k <= n; k++) {
        name = each[k]; sub(/ $/, "", name); sub(/.*[ *]/, "", name)
        out[k] = name
    }
    sub(/[A-Za-z_0-9]+ ?$/, "", kind); gsub(/^ | $/, "", kind)
    type = kind
    return n
}
function keep(options, name, meaning) {
    if (name ~ /^(size|fa__end|pointed|room)$/) { number[options]++; return }
    position[options, name] = number[options]++
    count[options]++
    names[options, count[options]] = name
    types[options, name] = type
    meanings[options, name] = meaning
}
# A struct's members, from its first line to its last.
function read_struct(line,   options, text, comment, out, n, k) {
    options = $3
    while ((getline line < FILENAME_) > 0) {
        if (line ~ /^}/) return
        text = text "\n" line
        if (text !~ /;/ || (text ~ /\/\*/ && text !~ /\*\/[ ]*$/)) continue
        # a declaration may have its comment on the next line
        comment = text
        if (sub(/.*\/\*\*<? */, "", comment)) { sub(/ *\*\/.*/, "", comment); gsub(/\n *\*? */, " ", comment) } else comment = ""
        sub(/\/\*.*\*\//, "", text); sub(/;.*/, "", text)
        n = member(text, out)
        for (k = 1; k <= n; k++) keep(options, out[k], comment)
        text = ""
    }
}
function value_of(options, name,   k, depth, c, field, n, text) {
    text = defaults[options]
    n = position[options, name]
    for (k = 1; k <= length(text); k++) {
        c = substr(text, k, 1)
        if (c ~ /[({]/) depth++
        if (c ~ /[)}]/) depth--
        if (c == "," && !depth) { if (n == 0) break; n--; field = "" } else field = field c
    }
    gsub(/^ +| +$/, "", field)
    return field
}
function first_pass(   line, of, to) {
    while ((getline line < FILENAME_) > 0) {
        $0 = line
        if (line ~ /^typedef struct fa_[a-z_0-9]+_options \{/) read_struct()
        else if (line ~ /^typedef fa_[a-z_0-9]+_options fa_[a-z_0-9]+_options;/) { to = $3; sub(/;/, "", to); same[to] = $2 }
        else if (line ~ /^#define FA__DEFAULT_fa_/) {
            of = $2; sub(/FA__DEFAULT_/, "", of); of = of "_options"
            while (line ~ /\\$/) { sub(/\\$/, "", line); if ((getline to < FILENAME_) <= 0) break; line = line to }
            if (line !~ /{/) continue
            sub(/^[^{]*{/, "", line); sub(/}[^}]*$/, "", line)
            gsub(/[ \t]+/, " ", line)
            defaults[of] = line
        }
    }
    close(FILENAME_)
}
# The defaults that the comment shows.
function shown(comment, name,   at, k, depth, c, text) {
    at = match(comment, "[( ]\\." name " = ")
    if (!at) return ""
    comment = substr(comment, RSTART + RLENGTH)
    for (k = 1; k <= length(comment); k++) {
        c = substr(comment, k, 1)
        if (c ~ /[({]/) depth++
        if (c ~ /[)}]/ && depth-- <= 0) break
        if (c == "," && !depth) break
        text = text c
    }
    gsub(/\n *\*? */, " ", text)
    return text
}
function table(options, comment,   j, k, name, value, text) {
    text = "\n *\n *  | option | default | meaning |\n *  |---|---|---|\n"
    for (j = 1; j <= count[options]; j++) {
        k = names[options, 1] == "out" ? j % count[options] + 1 : j # the result's place comes last
        name = names[options, k]
        value = shown(comment, name)
        if (value == "") value = value_of(options, name)
        if (value == "..." || value ~ /^[{]0,/) value = types[options, name] == "fa_device" && value == "..." ? "current device" : "-"
        gsub(/\|/, "\\|", value)
        gsub(/\|/, "\\|", meanings[options, name])
        text = text " *  | `" types[options, name] "` <b>." name "</b> | " (value ~ /^(-|current device)$/ ? value : "`" value "`") " | " meanings[options, name] " |\n"
    }
    return text
}
BEGIN {
    FILENAME_ = ARGV[1]
    first_pass()
    while ((getline line < FILENAME_) > 0) {
        if (line ~ /^\/\*\* Options of fa_[a-z_0-9]+(\(\))?\. ?\*\/$/ || line ~ /^\/\*\* Options of fa_[a-z_0-9]+/) {
            # the struct's own comment: with the struct, if it is one of a function
            held = line
            while (held !~ /\*\/[ ]*$/ && (getline line < FILENAME_) > 0) held = held "\n" line
            continue
        }
        if (line ~ /^typedef struct fa_[a-z_0-9]+_options \{/) {
            held = ""
            while (line !~ /^}/ && (getline line < FILENAME_) > 0) {}
            continue
        }
        if (line ~ /^typedef fa_[a-z_0-9]+_options fa_/) { held = ""; continue }
        if (held != "") { print held; held = "" }
        if (line ~ /^\/\*\*( |$)/) {
            comment = line
            while (comment !~ /\*\/[ ]*$/ && (getline line < FILENAME_) > 0) comment = comment "\n" line
            continue
        }
        if (comment != "") {
            if (line ~ /^FA_API / && match(line, /fa_[a-z0-9_]+\(/)) {
                options = substr(line, RSTART, RLENGTH - 1) "_options"
                while (options in same) options = same[options]
                if (count[options]) sub(/ *\*\/[ ]*$/, "", comment) && comment = comment table(options, comment) " */"
            }
            print comment
            comment = ""
        }
        print line
    }
    if (comment != "") print comment
}
