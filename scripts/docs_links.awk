# docs_links.awk HTML...: fails where a page of the site links to a file, or an anchor, that the site does not have. The
# pages are all in one folder, and all are given.
BEGIN {
    FS = "\""
    RS = "[ <>\n]" # a word is an attribute
    for (i = 1; i < ARGC; i++) {
        name = ARGV[i]
        sub(/.*\//, "", name)
        page[name] = 1
    }
}
FNR == 1 { folder = name = FILENAME; sub(/[^\/]*$/, "", folder); sub(/.*\//, "", name) }
/^(id|name)="/ { anchor[name "#" $2] = 1; next }
/^(href|src)="/ && $2 !~ /^([a-z]+:|\/\/|$)/ { sub(/^#/, name "#", $2); if (!($2 in link)) link[$2] = name }
END {
    for (l in link) {
        target = l
        sub(/[#?].*/, "", target)
        if (!(target in page) && (getline line < (folder target)) < 0)
            wrong = wrong link[l] ": there is no file " l "\n"
        else if (target in page && l ~ /#./ && !(l in anchor))
            wrong = wrong link[l] ": there is no place " l "\n"
        close(folder target)
    }
    printf "%s", wrong
    exit wrong != ""
}
