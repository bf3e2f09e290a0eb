/* The structs of arguments: what a field may be, and how it is read. */
#include "rows.h"
#include <string.h>

/* What a field may be. Enumerations are told by a table, so that a misspelt type is an error. */
static const kind kinds[] = {
    {"const fa_tensor *", "TENSOR", "const fa_tensor *"},
    {"fa_like", "LIKE", "const fa_tensor *"},
    {"fa_tensors", "TENSORS", "fa_tensors"},
    {"fa_list", "LIST", "fa_list"},
    {"fa_arg", "NUMBER", "fa_arg"},
    {"int64_t", "INT", "int64_t"},
    {"double", "DOUBLE", "double"},
    {"bool", "BOOL", "bool"},
    {"fa_dims", "DIMS", "fa_dims"},
    {"fa_pair", "PAIR_", "fa_pair"},
    {"fa_shape", "SHAPE", "fa_shape"},
    {"fa_dtype", "DTYPE", "fa_dtype"},
    {"fa_device", "DEVICE_", "fa_device"},
    {"const char *", "STRING", "const char *"},
    {"fa__key", "KEY", NULL},
    {"fa_reduction", "ENUM", "fa_reduction"},
};

static const kind *kind_find(const char *type)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (!strcmp(kinds[i].type, type))
            return &kinds[i];
    return NULL;
}

bool is_option(const field *f)
{
    return f->fallback && f->kind->passed;
}

bool is_operand(const field *f)
{
    return !f->fallback && f->kind->passed;
}

bool is_tensor(const field *f)
{
    return !strcmp(f->kind->name, "TENSOR") || !strcmp(f->kind->name, "NUMBER");
}

bool is_number(const field *f)
{
    return !strcmp(f->kind->name, "INT") || !strcmp(f->kind->name, "DOUBLE") || !strcmp(f->kind->name, "BOOL");
}

field *field_add(schema *s, const source *f, const char *type, const token *name)
{
    const kind *k = kind_find(type);
    if (!k)
        return fail(f->path, name->line, "%s: %s: no field can be of type \"%s\"", s->name, token_text(name), type),
               NULL;
    if (s->nfields == MOST_FIELDS)
        return fail(f->path, name->line, "%s: more than %d fields", s->name, MOST_FIELDS), NULL;
    for (int i = 0; i < s->nfields; i++)
        if (token_is(name, s->field[i].name))
            fail(f->path, name->line, "%s: two fields are called %s", s->name, s->field[i].name);
    field *x = &s->field[s->nfields++];
    *x = (field){.name = token_text(name), .doc = "", .kind = k, .line = name->line};
    if (!k->passed)
        x->fallback = "{0, 0}";
    return x;
}

/* Comments from token i on, as documentation of a field. Returns the token behind them. */
int field_comments(const source *f, int i, field *x)
{
    for (; f->token[i].kind == T_COMMENT || f->token[i].kind == T_DOC; i++)
        if (x)
            x->doc = rows_format("%s%s%s", x->doc, *x->doc ? " " : "", comment_text(&f->token[i], false));
    return i;
}

/* "TYPE name OPT(default);" and the comments behind it, from token i on. Returns the token behind them. */
static int read_field(const source *f, schema *s, int i)
{
    const token *t = f->token;
    int end = i, opt = 0;
    for (; !token_is(&t[end], ";"); end++) {
        if (token_is(&t[end], "OPT") && token_is(&t[end + 1], "("))
            opt = end;
        if (token_is(&t[end], "}"))
            return fail(f->path, t[i].line, "%s: cannot read \"%s\"", s->name, tokens_text(f, i, end - 1)), end;
        if (strchr("({[", *t[end].at) && t[end].kind == T_PUNCTUATION)
            end = t[end].mate;
    }
    int name = (opt ? opt : end) - 1;
    while (name > i && (t[name].kind == T_COMMENT || t[name].kind == T_DOC))
        name--;
    field *x = NULL;
    if (name <= i || t[name].kind != T_NAME || strchr(tokens_text(f, i, name), ','))
        fail(f->path, t[i].line, "%s: cannot read \"%s\"", s->name, tokens_text(f, i, end));
    else
        x = field_add(s, f, tokens_text(f, i, name - 1), &t[name]);
    if (x && opt && x->kind->passed)
        x->fallback = tokens_text(f, opt + 2, t[opt + 1].mate - 1);
    for (int k = name; k < end; k++)
        field_comments(f, k, x);
    return field_comments(f, end + 1, x);
}

schema *schema_add(rows *r, const source *f, const char *name, int line)
{
    schema **at = &r->schemas;
    for (; *at; at = &(*at)->next)
        if (!strcmp((*at)->name, name))
            fail(f->path, line, "%s: also in %s:%d", name, (*at)->source->path, (*at)->line);
    schema *s = *at = rows_get(sizeof *s);
    *s = (schema){.name = name, .source = f, .line = line};
    return s;
}

/* "typedef struct { ... } name_args;" from token i on. Returns the token behind it. */
int read_schema(rows *r, source *f, int i)
{
    const token *t = f->token;
    int open = i + 2 + (t[i + 2].kind == T_NAME), close = t[open].mate, name = close + 1;
    if (!token_is(&t[open], "{") || t[name].kind != T_NAME)
        return i + 1;
    if (t[name].length < 5 || memcmp(t[name].at + t[name].length - 5, "_args", 5))
        return name;
    schema *s = schema_add(r, f, token_text(&t[name]), t[i].line);
    for (int k = token_next(f, open + 1); k < close;)
        k = read_field(f, s, k);
    if (!s->nfields)
        fail(f->path, s->line, "%s: no fields", s->name);
    return name;
}

schema *schema_find(const rows *r, const char *name)
{
    schema *s = r->schemas;
    while (s && strcmp(s->name, name))
        s = s->next;
    return s;
}
