/* Finds the rows in a file of tokens, and the structs of arguments (fields.c). What it cannot read it names; whether
 * what it has read makes sense is for check.c. */
#include "rows.h"
#include <string.h>

/* The last token of the argument that begins at i: before a comma or the bracket `close`. */
static int argument_end(const source *f, int i, int close)
{
    for (; i < close && !token_is(&f->token[i], ","); i++)
        if (f->token[i].kind == T_PUNCTUATION && strchr("({[", *f->token[i].at))
            i = f->token[i].mate;
    return i - 1;
}

static bool names_false_or_true(const char *value)
{
    return !strcmp(value, "true") || !strcmp(value, "false");
}

/* (x, y, alpha = 1, key = draw): operands, options and keys of a POINTWISE row; comments behind them are theirs. */
static void read_signature(rows *r, op *o, int open)
{
    const source *f = o->source;
    const token *t = f->token;
    int close = t[open].mate, operands = 0;
    schema *s = o->args = schema_add(r, f, rows_format("%s_args", o->name), o->line);
    for (int i = token_next(f, open + 1), end; i < close; i = end + 2) {
        end = argument_end(f, i, close);
        operands += token_next(f, i + 1) > end;
    }
    for (int i = token_next(f, open + 1), end; i < close; i = token_next(f, i)) {
        end = argument_end(f, i, close);
        int sign = token_next(f, i + 1);
        const char *value = sign < end ? tokens_text(f, sign + 1, end) : NULL;
        const char *type = !value                       ? operands > 1 ? "fa_arg" : "const fa_tensor *"
                           : !strcmp(value, "draw")     ? "fa__key"
                           : names_false_or_true(value) ? "bool"
                                                        : "double";
        field *x = field_add(s, f, type, &t[i]);
        if (x && value && x->kind->passed)
            x->fallback = value;
        for (int k = i; k <= end; k++)
            k = field_comments(f, k, x);
        i = end + 1 < close ? field_comments(f, end + 2, x) : close;
    }
}

/* (values, indices): the names of the results; comments behind them are theirs. [parts]: a list. */
static void read_results(op *o, int open)
{
    const token *t = o->source->token;
    o->list = token_is(&t[open], "[");
    for (int i = open + 1; i < t[open].mate; i++) {
        bool name = t[i].kind == T_NAME;
        if ((t[i].kind == T_COMMENT || t[i].kind == T_DOC) && o->nresults)
            o->result_doc[o->nresults - 1] = comment_text(&t[i], false);
        else if (name && o->nresults == MOST_RESULTS)
            fail(o->source->path, t[i].line, "%s: more than %d results", o->name, MOST_RESULTS);
        else if (name)
            o->result[o->nresults++] = token_text(&t[i]);
    }
    if (!o->nresults)
        fail(o->source->path, o->line, "%s: no results", o->name);
    if (o->list && o->nresults > 1)
        fail(o->source->path, o->line, "%s: a list has one name", o->name);
}

/* ".name = value", HOT or SAMPLES(...). */
static void read_cell(op *o, int first, int last)
{
    const source *f = o->source;
    const token *t = f->token;
    first = token_next(f, first);
    while (last > first && (t[last].kind == T_COMMENT || t[last].kind == T_DOC))
        last--;
    cell c = {.line = t[first].line, .value = ""};
    if (token_is(&t[first], ".") && t[first + 1].kind == T_NAME && token_is(&t[first + 2], "=") && last > first + 2)
        c.name = token_text(&t[first + 1]), c.first = first + 3, c.last = last;
    else if (t[first].kind == T_NAME && first == last)
        c.name = token_text(&t[first]), c.first = 1;
    else if (t[first].kind == T_NAME && token_is(&t[first + 1], "(") && t[first + 1].mate == last)
        c.name = token_text(&t[first]), c.first = first + 2, c.last = last - 1;
    if (!c.name) {
        fail(f->path, c.line, "%s: cannot read the cell \"%s\"", o->name, tokens_text(f, first, last));
        return;
    }
    if (o->ncells == MOST_CELLS) {
        fail(f->path, c.line, "%s: more than %d cells", o->name, MOST_CELLS);
        return;
    }
    if (cell_find(o, c.name))
        fail(f->path, c.line, "%s: two cells are called %s", o->name, c.name);
    if (c.last >= c.first)
        c.value = tokens_text(f, c.first, c.last);
    o->cell[o->ncells++] = c;
}

const cell *cell_find(const op *o, const char *name)
{
    for (int i = 0; i < o->ncells; i++)
        if (!strcmp(o->cell[i].name, name))
            return &o->cell[i];
    return NULL;
}

const op *op_find(const rows *r, const char *name)
{
    const op *o = r->ops;
    while (o && strcmp(o->name, name))
        o = o->next;
    return o;
}

static op *op_add(rows *r, source *f, int i)
{
    const token *t = &f->token[token_next(f, i + 2)];
    const op *twin = op_find(r, token_text(t));
    if (twin)
        fail(f->path, t->line, "%s: also in %s:%d", twin->name, twin->source->path, twin->line);
    op **at = &r->ops;
    while (*at)
        at = &(*at)->next;
    op *o = *at = rows_get(sizeof *o);
    *o = (op){.name = token_text(t), .source = f, .line = f->token[i].line, .inplace = -1};
    o->pointwise = token_is(&f->token[i], "POINTWISE");
    if (i && f->token[i - 1].kind == T_DOC)
        o->doc = comment_text(&f->token[i - 1], true);
    f->ops++;
    return o;
}

/* What POINTWISE says of itself: (signature) and expression. */
static void read_pointwise(rows *r, op *o, int signature, int expression, int expression_last)
{
    read_signature(r, o, signature);
    o->expression = expression, o->expression_last = expression_last;
    o->result[o->nresults++] = "y";
}

/* What OP says of itself: args_type, a struct of the same file, and (results). */
static void read_op(rows *r, op *o, const source *f, int type, int results)
{
    const char *name = token_text(&f->token[type]);
    read_results(o, results);
    o->args = schema_find(r, name);
    if (!o->args || o->args->source != f)
        fail(f->path, o->line, "%s: no \"typedef struct { ... } %s;\" above", o->name, name);
}

/* OP(name, args_type, (results), cells...) or POINTWISE(name, (signature), expression, cells...) from token i on. */
static int read_row(rows *r, source *f, int i)
{
    enum { NAME, SECOND, THIRD, BEFORE_CELLS };
    const token *t = f->token;
    int close = t[i + 1].mate, at[BEFORE_CELLS], end[BEFORE_CELLS], k = i + 2;
    op *o = op_add(r, f, i);
    for (int n = NAME; n < BEFORE_CELLS; n++, k = end[n - 1] + 2) {
        at[n] = token_next(f, k), end[n] = argument_end(f, at[n], close);
        if (at[n] >= close)
            return fail(f->path, o->line, "%s: a row begins with three arguments", o->name), close + 1;
    }
    int list = at[o->pointwise ? SECOND : THIRD];
    if (!token_is(&t[list], "(") && (o->pointwise || !token_is(&t[list], "[")))
        return fail(f->path, t[list].line, "%s: %s stand in parentheses", o->name,
                    o->pointwise ? "operands" : "results"),
               close + 1;
    if (o->pointwise)
        read_pointwise(r, o, list, at[THIRD], end[THIRD]);
    else
        read_op(r, o, f, at[SECOND], list);
    for (int last; k < close; k = last + 2) {
        last = argument_end(f, k, close);
        read_cell(o, k, last);
    }
    return close + 1;
}

static void read_about(source *f)
{
    const token *t = &f->token[0];
    f->about = t->kind == T_COMMENT || t->kind == T_DOC ? comment_text(t, true) : "";
}

void source_rows(rows *r, source *f)
{
    const token *t = f->token;
    read_about(f);
    for (int i = 0; t[i].kind != T_END;) {
        if (token_is(&t[i], "typedef") && token_is(&t[i + 1], "struct"))
            i = read_schema(r, f, i);
        else if ((token_is(&t[i], "OP") || token_is(&t[i], "POINTWISE")) && token_is(&t[i + 1], "("))
            i = read_row(r, f, i);
        else if (t[i].kind == T_PUNCTUATION && strchr("({[", *t[i].at))
            i = t[i].mate + 1;
        else
            i++;
    }
    source **at = &r->sources;
    while (*at)
        at = &(*at)->next;
    *at = f;
}
