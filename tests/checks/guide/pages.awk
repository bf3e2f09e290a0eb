# Divides a page of the guide into programs. A block of C with a main() is a program of its own; one that begins with a
# declaration of a type or function stands outside of functions; all others are the statements of one program, in their
# order. `OUT`-LINE.c are the programs and `OUT`.c the statements; `OUT`-LINE.said and `OUT`.said are what they print
# according to the page: the block without a language (or "text") right behind each. Each piece of the statements prints
# "@ LINE" first. A line <!-- environment: NAME=VALUE --> before a program sets a variable for it.
function flush_c() {
    if (text ~ /(^|\n)int main\(/) {
        last = OUT "-" begin
        printf "#line 1 \"program.c\"\n%s", text > (last ".c")
        printf "" > (last ".said")
        printf "%s", environment > (last ".env")
        environment = ""
        close(last ".c")
        return
    }
    last = OUT
    if (text ~ /^(static|typedef|enum|struct|#)/) {
        outside = outside sprintf("#line 1 \"program.c\"\n%s", text)
        return
    }
    statements = statements sprintf("fa__at(%d);\n#line 1 \"program.c\"\n%s;fa__ends();\n", begin, text)
    print "@ " begin > (OUT ".said")
}
/^<!-- environment: .* -->$/ { environment = $3; next }
/^ *```/ && !inside {
    language = $0
    sub(/^ *```/, "", language)
    inside = 1; text = ""; begin = NR + 1
    if (language !~ /^(c|text|)$/) language = "other"
    if (language == "" || language == "text") { if (last && NR - end <= 2) language = "said"; else language = "other" }
    next
}
/^ *```$/ {
    inside = 0
    if (language == "c") { flush_c(); end = NR }
    else { if (language == "said") printf "%s", text > (last ".said"); last = "" }
    next
}
inside { text = text $0 "\n"; next }
# words between a block and the next one: that is no output, unless they are one line such as "prints"
NF && NR - end > 2 { last = "" }
END {
    if (!statements) exit
    file = OUT ".c"
    print "#include <facula/facula.h>\n#include <math.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>" > file
    print "static void fa__at(int line) { printf(\"@ %d\\n\", line); }" > file
    print "static void fa__ends(void) { if (fa_failed()) { puts(fa_error_message()); fa_error_clear(); } }" > file
    printf "%sint main(void)\n{\n%sreturn 0;\n}\n", outside, statements > file
}
