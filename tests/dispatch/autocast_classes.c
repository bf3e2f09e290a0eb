/* Autocast on the CPU, operation by operation: the dtypes of results are PyTorch's (tests/reference/autocast.txt). */
#include "support/attempt.h"
#include "support/check.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

/* Operations that differ from PyTorch in operands of a form, or in one sample: those that docs/mixed-precision.md
 * lists, each with its reason. */
static const struct {
    const char *row, *form, *of;
} different[] = {{"lstm_cell", "both", NULL},     {"gru_cell", "both", NULL},
                 {"gru", "both", NULL},           {"inner", "both", NULL},
                 {"scaled_mm", "both", NULL},     {"l1_loss", "bf16", "weight="},
                 {"mse_loss", "bf16", "weight="}, {"pdist", "bf16", "(0,3)"},
                 {"einsum", "f32", "'Ba,aB,b'"},  {"local_response_norm", "bf16", NULL}};

/* What PyTorch refuses may be done here. */
static bool differs(const char *row, const char *form, const char *answer, const char *text)
{
    bool named = !strcmp(answer, "error");
    for (size_t i = 0; i < sizeof different / sizeof *different; i++)
        named |= !strcmp(row, different[i].row) && (!*different[i].form || !strcmp(form, different[i].form))
                 && (!different[i].of || strstr(text, different[i].of));
    return named;
}

/* Sample of that text; false if there is none. */
static bool find_sample(sample *s, const fa__op *op, const char *text)
{
    const char *wrong;
    const fa__samples *row = fa__all_samples;
    while (row->op && strcmp(row->op, op->name) != 0)
        row++;
    for (int n = 0; sample_read(s, op, row, n, &wrong); n++)
        if (!strcmp(s->text, text))
            return true;
    return false;
}

/* The results' dtypes, separated by spaces. */
static void dtypes_of(const sample *s, const char *form, char *text, size_t room)
{
    FA_SCOPE;
    inputs in;
    attempt a;
    int seen = 0;
    size_t used = 0;
    if (!inputs_make(&in, s, FA_F32) || !attempt_make(&a, &in, NULL, FA_CPU)) {
        inputs_free(&in);
        return;
    }
    for (int i = 0; i < s->operands; i++)
        if (a.tensor[i]->dtype == FA_F32 && (seen++ || !strcmp(form, "bf16")) && strcmp(form, "f32") != 0)
            a.tensor[i] = fa_to(a.tensor[i], FA_BF16);
    attempt_fill(&a);
    FA_USE(.autocast = FA_BF16);
    bool good = attempt_run(&a, NULL, false);
    snprintf(text, room, good ? "" : "error");
    for (int i = 0; good && i < a.results; i++)
        used += (size_t)snprintf(text + used, room - used, i ? " %s" : "%s", fa_dtype_name(a.result[i]->dtype));
    fa_error_clear();
    inputs_free(&in);
}

static void check_line(char *line)
{
    char row[64], form[8], found[256];
    int at = 0;
    char *text = strstr(line, ": ");
    if (!text || sscanf(line, "%63s %7s %n", row, form, &at) != 2) {
        check(false, "no line of the reference");
        return;
    }
    *text = 0;
    text += 2;
    const fa__op *op = sample_op(row);
    sample s;
    check_about("fa_%s [%s] of %s", row, text, form);
    if (!op || !find_sample(&s, op, text)) {
        check(false, "there is no such sample: run tests/reference/generate.py autocast");
        return;
    }
    dtypes_of(&s, form, found, sizeof found);
    if (!differs(row, form, line + at, text))
        check(!strcmp(found, line + at), "%s, and PyTorch gives %s", found, line + at);
}

int main(void)
{
    FILE *file = fopen(FA_TEST_DATA "/reference/autocast.txt", "r");
    char line[1024];
    while (file && fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = 0;
        if (*line != '#')
            check_line(line);
    }
    if (!file)
        check(false, "no tests/reference/autocast.txt");
    else
        fclose(file);
    return check_end();
}
