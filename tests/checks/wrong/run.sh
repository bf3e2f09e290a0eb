#!/bin/sh
# run.sh SOURCE: each case of programs.txt has to be refused by each compiler that is here, in the words that the case
# names. And what is right compiles without a warning, however deep calls are nested, in little memory.
here=$1/tests/checks/wrong
include=$1/include
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export LC_ALL=C # plain quotation marks
failed=0

# Divides the cases into 1.name, 1.said and 1.c, 2.name ...
awk -v head='#include <facula/facula.h>\nvoid f(fa_tensor *x, fa_tensor *y);\nvoid f(fa_tensor *x, fa_tensor *y)\n{\n(void)x, (void)y;' '
function end() { if (n) { print "}" > to; close(to) } }
/^=== / { end(); n++; to = n ".c"; print substr($0, 5) > (n ".name"); print head > to; next }
!n { next }
/^> / { print substr($0, 3) > (n ".said"); next }
/^-- c\+\+/ { print "" > (n ".cxx"); next }
/^-- facula.hpp/ {
    print "" > (n ".cxx")
    print "}\n#include <facula/facula.hpp>\nvoid g(fa::tensor &t);\nvoid g(fa::tensor &t)\n{\n(void)t;" > to
    next
}
{ print > to }
END { end(); print n > "count" }
' "$here/programs.txt"

check() { # name condition...
    name=$1
    shift
    if "$@"; then
        echo "[       OK ] $name"
    else
        echo "[  FAILED  ] $name"
        failed=1
    fi
}

compile() { # compiler, file
    # shellcheck disable=SC2086 # a compiler and its options
    $1 -c -o /dev/null -Wall -Wextra -Wpedantic -Wshadow -Werror -fexceptions -I "$include" "$2"
}

is_refused() { # compiler, its kind, number of the case, language's options
    if compile "$1" "$3.c" > log 2>&1; then
        echo "$(cat "$3.name"): it compiles"
        return 1
    fi
    while read -r line; do
        case $line in
        gcc:*) [ "$2" = gcc ] || continue ;;
        clang:*) [ "$2" = clang ] || continue ;;
        esac
        line=${line#gcc: } line=${line#clang: }
        case $line in
        first:*) grep -m 1 error log ;;
        *) cat log ;;
        esac > where
        case $line in
        not:*) ! grep -qF -- "${line#not: }" where ;;
        *) grep -qF -- "${line#first: }" where ;;
        esac || {
            echo "not as it says: $line"
            cat log
            return 1
        }
    done < "$3.said"
}

nested() { # the call up to the nested one, what follows it: 20 deep
    awk -v open="$1" -v end="$2" 'BEGIN {
        print "#include <facula/facula.h>\nfa_tensor *f(fa_tensor *x);\nfa_tensor *f(fa_tensor *x)\n{\nreturn "
        for (i = 0; i < 20; i++) printf "%s", open
        printf "x"
        for (i = 0; i < 20; i++) printf "%s", end
        print ";\n}"
    }'
}

# An operand that a macro names twice makes a million of twenty calls, each in the other.
nested 'fa_add(2, ' ', .alpha = 2)' > add.c
nested 'fa_where(' ', x, 1)' > where.c
nested 'fa_sum(' ', .dim = FA_DIMS(0, 1))' > sum.c
nested 'fa_mul(x, x, .out = ' ')' > out.c
nested 'fa_pointwise("x + y", x, ' ')' > pointwise.c
nested 'fa_cat(FA_TENSORS(' ', x), .dim = 1)' > cat.c
nested 'fa_reshape(' ', FA_SHAPE(2, 3))' > reshape.c
nested 'fa_view(' ', FA_SHAPE(2, 3))' > view.c
nested 'fa_permute(' ', FA_DIMS(1, 0))' > permute.c
nested 'fa_softmax(' ', .dim = 1)' > softmax.c
# The commas of a compound literal separate arguments of macros: as the last of two operands it needs no parentheses.
nested 'fa_expand(' ', (fa_shape){.rank = 2, .dim = {2, 3}})' > literal.c
# Each option of type fa_device is marked as such: a name sets it.
awk '
/^typedef struct fa_.*_options \{/ { of = $3; sub(/_options$/, "", of) }
/^} fa_/ { of = "" }
/^ *fa_device device;/ && of { n++; if (of != "fa_settings") wanted[of] }
/^#define FA__DEVICE_/ { sub(/^FA__DEVICE_/, "", $2); marked[$2] }
END { if (n < 28) print "few options found: " n; for (f in wanted) if (!(f in marked)) print f " lacks FA__DEVICE_" f }
' "$include"/facula/*.h "$include"/facula/ops/*.h > unmarked
check "options of devices are marked" test ! -s unmarked
cat unmarked
echo '#include <facula/facula.h>
fa_module *f(void);
fa_module *f(void)
{
return fa_nn_dropout();
}' > none.c
echo '#define DEVICE .device = "cpu"' > device.c
nested 'fa_add(fa_zeros(FA_SHAPE(2), DEVICE, .requires_grad = true), ' ')' >> device.c
echo '#define OPTIONS .dim = FA_DIMS(0), .keepdim = true' > options.c
nested 'fa_sum(' ', OPTIONS)' >> options.c

compiles_in() { # MiB of address space, compiler, file
    (
        # shellcheck disable=SC3045 # dash and bash have it
        ulimit -v $(($1 * 1024)) && compile "$2" "$3" > log 2>&1 && return
        head -c 2000 log
        return 1
    )
}

for cc in gcc clang; do
    command -v $cc > /dev/null || continue
    cxx=$(echo $cc | sed 's/gcc/g++/; s/clang/clang++/')
    i=1
    while [ $i -le "$(cat count)" ]; do
        if [ ! -f $i.cxx ]; then
            check "$cc: $(cat $i.name)" is_refused "$cc -std=c11" $cc $i
        elif command -v "$cxx" > /dev/null; then
            check "$cxx: $(cat $i.name)" is_refused "$cxx -std=c++17 -x c++" $cc $i
        fi
        i=$((i + 1))
    done
    most=200
    [ $cc = gcc ] || most=600 # its libraries are mapped, too
    check "$cc: twenty calls with compound literals, nested" compiles_in $most "$cc -std=c11" literal.c
    for call in add where sum out pointwise cat reshape view permute softmax options none device; do
        check "$cc: twenty calls of $call, nested" compiles_in $most "$cc -std=c11" $call.c
        check "$cc: twenty calls of $call, nested, with extensions" compiles_in $most "$cc -std=gnu11" $call.c
        command -v "$cxx" > /dev/null || continue
        check "$cxx: twenty calls of $call, nested" compiles_in $most "$cxx -std=c++17 -x c++" $call.c
    done
done
exit $failed
