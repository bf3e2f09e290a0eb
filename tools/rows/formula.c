/* The expressions of POINTWISE rows: parsed and derived by the library's own parser, so that a typo fails the build
 * with its place in the file, and what backward needs is found, not declared. */
#include "rows.h"
#include <stdlib.h>
#include <string.h>

/* The text of tokens with comments and line ends blanked: places in it are places in the file. */
static char *blanked(const source *f, int begin, int end)
{
    const token *first = &f->token[begin], *last = &f->token[end];
    char *s = rows_copy(first->at, (size_t)(last->at + last->length - first->at));
    for (const token *k = first; k <= last; k++)
        if (k->kind == T_COMMENT || k->kind == T_DOC)
            memset(s + (k->at - first->at), ' ', k->length);
    for (char *p = s; *p; p++)
        if (*p == '\n' || *p == '\t')
            *p = ' ';
    return s;
}

static void fail_at(const op *o, const char *at, const char *message)
{
    const char *file = o->source->bytes, *begin = file;
    int line = 1;
    for (const char *p = file; p < at; p++)
        if (*p == '\n')
            line++, begin = p + 1;
    fail(rows_format("%s:%d:%d", o->source->path, line, (int)(at - begin) + 1), 0, "%s: %s", o->name, message);
}

static const fa__expression *parse(const op *o, int first, int last, fa__signature *signature)
{
    fa__parse_error error = {0};
    const fa__expression *e = fa__expression_parse(blanked(o->source, first, last), signature, &error);
    if (!e)
        fail_at(o, o->source->token[first].at + error.position, error.message);
    return e;
}

static void derive(op *o)
{
    uint32_t used = 0, operands = 0;
    for (int i = 0; i < o->args->nfields; i++) {
        fa__underived why;
        if (!is_operand(&o->args->field[i]))
            continue;
        operands |= 1u << i;
        o->derivative[i] = fa__expression_derive(o->formula, i, &why);
        if (o->derivative[i])
            used |= o->derivative[i]->used;
        else if (why != FA__UNDERIVED_ZERO)
            fail(o->source->path, o->line, "%s: cannot derive by %s", o->name, o->args->field[i].name);
    }
    o->keep = used & operands;
    if (used >> (o->args->nfields + 1) & 1)
        o->keep |= 1u << o->args->nfields;
}

void formula_make(op *o)
{
    static const char *const result[] = {"y"};
    const char *inputs[MOST_FIELDS];
    for (int i = 0; i < o->args->nfields; i++)
        inputs[i] = o->args->field[i].name;
    fa__signature signature = {.inputs = inputs, .ninputs = o->args->nfields, .outputs = result, .noutputs = 1};
    o->formula = parse(o, o->expression, o->expression_last, &signature);
    if (o->formula)
        derive(o);
}

void formula_check(const op *o, int first, int last)
{
    const char *inputs[MOST_FIELDS];
    fa__signature signature = {.inputs = inputs};
    for (int i = 0; i < o->args->nfields; i++)
        if (is_number(&o->args->field[i]))
            inputs[signature.ninputs++] = o->args->field[i].name;
    fa__expression_free(parse(o, first, last, &signature));
}

void formula_free(op *o)
{
    for (int i = 0; i < MOST_FIELDS; i++)
        fa__expression_free(o->derivative[i]);
    fa__expression_free(o->formula);
}
