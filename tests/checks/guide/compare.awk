# compare.awk EXPECTED PRINTED: equal line by line. `...` in an expected line is any text, and a line that is `...` any
# number of lines.
function matches(said, line,   part, n, i, at) {
    n = split(said, part, /\.\.\./)
    if (n < 2) return said == line
    if (index(line, part[1]) != 1) return 0
    line = substr(line, length(part[1]) + 1)
    for (i = 2; i <= n; i++) {
        if (i == n) return length(line) >= length(part[n]) && substr(line, length(line) - length(part[n]) + 1) == part[n]
        if (!(at = index(line, part[i]))) return 0
        line = substr(line, at + length(part[i]))
    }
}
NR == FNR { expected[++count] = $0; next }
{ printed[++lines] = $0 }
END {
    i = 1
    for (j = 1; j <= lines; j++) {
        if (i <= count && expected[i] == "...") {
            if (i < count && matches(expected[i + 1], printed[j])) i += 2
        } else if (i <= count && matches(expected[i], printed[j])) i++
        else break
    }
    if (i <= count && expected[i] == "...") i++
    if (j <= lines || i <= count) {
        print "expected: " (i <= count ? expected[i] : "nothing more")
        print "printed:  " (j <= lines ? printed[j] : "nothing more")
        exit 1
    }
}
