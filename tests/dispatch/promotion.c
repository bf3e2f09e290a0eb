/* The dtype of results for all pairs of operands, as tensors, 0-dim tensors and numbers, and in place: against what
 * PyTorch answered (tests/reference/promotion.txt; promotion.py says what its lines are). */
#include "support/attempt.h"
#include "support/check.h"
#include "support/reference.h"
#include <stdlib.h>

/* Where Facula differs on purpose. */
static const struct {
    const char *op, *form, *why;
} differences[] = {
    {"", "", ""},
};

/* An operand: t a tensor of ones, 0 the same without dimensions, b i f the numbers true, 1 and 1.5. */
static fa_arg make_operand(char form, fa_dtype dtype, int rank)
{
    static const int64_t shape[] = {2, 2};
    static const double ones[] = {1, 1, 1, 1};
    switch (form) {
    case 'b':
        return fa__arg_b(true);
    case 'i':
        return fa__arg_i(1);
    case 'f':
        return fa__arg_f(1.5);
    default:
        return fa__arg_t(make_tensor(ones, dtype, form == 't' ? rank : 0, shape, LAYOUT_DENSE, FA_CPU));
    }
}

static void set_field(unsigned char *args, const fa__field *f, fa_arg a)
{
    void *at = args + f->offset;
    if (f->kind == FA__NUMBER)
        *(fa_arg *)at = a;
    else
        *(const fa_tensor **)at = fa__tensor_in(a);
}

/* Calls an operation with two operands and returns its result, or NULL. */
static fa_tensor *call_pair(const fa__op *op, bool inplace, fa_arg left, fa_arg right)
{
    _Alignas(16) unsigned char args[MOST_ARGS];
    fa_tensor *list[2] = {(fa_tensor *)(uintptr_t)fa__tensor_in(left), (fa_tensor *)(uintptr_t)fa__tensor_in(right)};
    fa__call c = {.op = op, .args = args, .inplace = inplace, .given = inplace ? list[0] : NULL};
    if (op->defaults)
        memcpy(args, op->defaults, op->args_size);
    else
        memset(args, 0, op->args_size);
    if (op->fields[0].kind == FA__TENSORS) {
        *(fa_tensors *)(void *)(args + op->fields[0].offset) = (fa_tensors){2, list};
        return fa__invoke(&c) ? c.out[0] : NULL;
    }
    int first = 0;
    if (!strcmp(op->name, "where")) {
        static const int64_t two[] = {2};
        static const double choice[] = {1, 0};
        set_field(args, &op->fields[first++], fa__arg_t(make_tensor(choice, FA_BOOL, 1, two, LAYOUT_DENSE, FA_CPU)));
    }
    set_field(args, &op->fields[first], left);
    set_field(args, &op->fields[first + 1], right);
    return fa__invoke(&c) ? c.out[0] : NULL;
}

static bool differs_on_purpose(const char *op, const char *form)
{
    for (size_t i = 0; i < sizeof differences / sizeof *differences; i++)
        if (!strcmp(differences[i].op, op) && strstr(differences[i].form, form))
            return true;
    return false;
}

static void hold_pair(const fa__op *op, bool inplace, const char *form, fa_dtype left, fa_dtype right, const char *want)
{
    FA_SCOPE;
    int rank = strcmp(op->name, "matmul") ? 1 : 2;
    fa_tensor *y = call_pair(op, inplace, make_operand(form[0], left, rank), make_operand(form[1], right, rank));
    const char *have = y && !fa_failed() ? fa_dtype_name(fa_tensor_dtype(y)) : "error";
    bool ok = !strcmp(have, want) && (y || error_is_clean(op));
    check(ok, "%s with %s: is %s, not %s", left ? fa_dtype_name(left) : "number",
          right ? fa_dtype_name(right) : "number", have, want);
}

/* "add_ tt f32: bool u8 ..." */
static void hold_line(char *line)
{
    char *name = strtok(line, " "), *form = strtok(NULL, " "), *left = strtok(NULL, " ");
    if (!left || *name == '#')
        return;
    size_t length = strlen(name);
    bool inplace = name[length - 1] == '_';
    name[length - inplace] = 0;
    check_about("fa_%s%s %s", name, inplace ? "_" : "", form);
    const fa__op *op = sample_op(name);
    if (!check(op != NULL, "no such operation") || differs_on_purpose(name, form))
        return;
    fa_dtype a = *left == '-' ? FA_SAME : reference_dtype(left, strlen(left) - 1);
    bool number = strchr("bif", form[1]);
    int right = FA_BOOL;
    for (char *want; (want = strtok(NULL, " ")); right++)
        if (strcmp(want, "missing"))
            hold_pair(op, inplace, form, a, number ? FA_SAME : (fa_dtype)right, want);
}

int main(void)
{
    char *text = reference_load("promotion.txt");
    if (!check(text != NULL, "tests/reference/promotion.txt cannot be read"))
        return check_end();
    for (char *line = text, *end; *line; line = end) {
        end = line + strcspn(line, "\n");
        if (*end)
            *end++ = 0;
        hold_line(line);
    }
    free(text);
    return check_end();
}
