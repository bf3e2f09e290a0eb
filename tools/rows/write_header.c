/* Writes the public headers: for each group the manual pages, option structs and declarations of its families, and
 * below them the macros through which options and numbers are passed; operations.h includes all of them. */
#include "rows.h"
#include <ctype.h>
#include <string.h>
#include <sys/stat.h>

static char *upper(const char *s)
{
    char *u = rows_copy(s, strlen(s));
    for (char *p = u; *p; p++)
        *p = (char)toupper((unsigned char)*p);
    return u;
}

/* A comment's lines, each behind " *  ". */
static void put_lines(text *t, const char *lines)
{
    for (const char *end; *lines; lines = end + (*end != 0)) {
        end = lines + strcspn(lines, "\n");
        put(t, lines == end ? " *\n" : " *  %.*s\n", (int)(end - lines), lines);
    }
}

/* What a default looks like to the reader. */
static const char *shown(const field *f)
{
    return strchr(f->fallback, '{') || strstr(f->fallback, "FA__") ? "..." : f->fallback;
}

/* Adds an item of the usage line, on a new line when it would be too long. */
static void put_item(text *t, size_t *line, const char *item, bool first)
{
    if (first)
        put(t, "%s", item);
    else if (t->length - *line + strlen(item) > 110) {
        put(t, ",\n");
        *line = t->length;
        put(t, " *          %s", item);
    } else
        put(t, ", %s", item);
}

static void put_usage(text *t, const op *o)
{
    size_t line = t->length;
    bool first = true;
    put(t, " *      fa_%s(", o->name);
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < o->args->nfields; i++) {
            const field *f = &o->args->field[i];
            if (pass ? !is_option(f) : !is_operand(f))
                continue;
            put_item(t, &line, pass ? rows_format(".%s = %s", f->name, shown(f)) : f->name, first);
            first = false;
        }
    if (o->out)
        put_item(t, &line, ".out = NULL", first);
    put(t, ")\n");
}

static const char *described(const field *f)
{
    return *f->doc ? f->doc : !strcmp(f->kind->name, "NUMBER") ? "a tensor or a number" : "a tensor";
}

static void put_manual(text *t, const op *o)
{
    put(t, "/** %.*s\n", (int)strcspn(o->doc, "\n"), o->doc);
    const char *more = strchr(o->doc, '\n');
    put_lines(t, more ? more + 1 : "");
    put(t, " *\n");
    put_usage(t, o);
    put(t, " *\n");
    for (int i = 0; i < o->args->nfields; i++)
        if (is_operand(&o->args->field[i]))
            put(t, " *  @param %s %s\n", o->args->field[i].name, described(&o->args->field[i]));
    if (o->options)
        put(t, " *  @param options the named options, packed by the macro; NULL: the defaults\n");
    const char *result = o->list            ? o->view ? "an array of views, owned by the scope; empty"
                                                      : "an array of tensors, owned by the scope; empty"
                         : o->nresults > 1  ? "the results; NULLs"
                         : o->result_doc[0] ? rows_format("%s; NULL", o->result_doc[0])
                         : o->view          ? "a view; NULL"
                         : o->fills         ? rows_format("%s; NULL", o->args->field[o->inplace].name)
                                            : "the result; NULL";
    put(t, " *  @return %s after an error */\n", result);
}

typedef struct member {
    const char *declared, *doc;
} member;

/* Members of a struct, their comments one below the other. */
static void put_members(text *t, const member *m, int count)
{
    size_t width = 0;
    for (int i = 0; i < count; i++)
        width = strlen(m[i].declared) > width ? strlen(m[i].declared) : width;
    for (int i = 0; i < count; i++)
        put(t, "    %s;%*s /**< %s */\n", m[i].declared, (int)(width - strlen(m[i].declared)), "", m[i].doc);
}

static void put_options(text *t, const op *o)
{
    member m[MOST_FIELDS + 3];
    int n = 0;
    m[n++] = (member){"size_t size", "set by the macro"};
    if (o->out)
        m[n++] = (member){"fa_tensor *out", "the tensor to write the result into; NULL: a new one"};
    for (int i = 0; i < o->args->nfields; i++) {
        const field *f = &o->args->field[i];
        if (is_option(f))
            m[n++] = (member){declare(f->kind->passed, f->name), f->doc};
    }
    m[n++] = (member){"char fa__end", "marks the end of this version's options"};
    put(t, "/** Options of fa_%s(). */\ntypedef struct fa_%s_options {\n", o->name, o->name);
    put_members(t, m, n);
    put(t, "} fa_%s_options;\n\n", o->name);
}

static void put_result(text *t, const op *o)
{
    member m[MOST_RESULTS];
    for (int i = 0; i < o->nresults; i++)
        m[i] = (member){declare("fa_tensor *", o->result[i]),
                        o->result_doc[i] ? o->result_doc[i] : rows_format("see fa_%s()", o->name)};
    put(t, "/** The results of fa_%s(). */\ntypedef struct fa_%s_result {\n", o->name, o->name);
    put_members(t, m, o->nresults);
    put(t, "} fa_%s_result;\n\n", o->name);
}

static int line_of(const text *t)
{
    int line = 1;
    for (size_t i = 0; i < t->length; i++)
        line += t->bytes[i] == '\n';
    return line;
}

static void put_functions(text *t, op *o)
{
    if (o->nresults > 1)
        put_result(t, o);
    if (o->options)
        put_options(t, o);
    o->header_line = line_of(t);
    put_manual(t, o);
    put(t, "FA_API ");
    put_prototype(t, o, rows_format("fa_%s", o->name), o->fills);
    put(t, ";\n\n");
    if (o->inplace < 0 || o->fills)
        return;
    put(t, "/** fa_%s() in place: writes the result into %s, and returns it. */\nFA_API ", o->name,
        o->args->field[o->inplace].name);
    put_prototype(t, o, rows_format("fa_%s_", o->name), true);
    put(t, ";\n\n");
}

static bool ends_with(const char *name, const char *end)
{
    size_t length = strlen(name), n = strlen(end);
    return length >= n && !strcmp(name + length - n, end);
}

/* How the macro of a call passes an operand (types.h). A tensor that is written to is never a number. */
static const char *conversion(const op *o, int i, bool inplace)
{
    const field *f = &o->args->field[i];
    const char *type = f->kind->name;
    if (!strcmp(type, "NUMBER"))
        return inplace && i == o->inplace ? "FA__SAME" : !strcmp(f->name, "condition") ? "FA__CONDITION" : "FA__ARG";
    if (!strcmp(type, "SHAPE"))
        return ends_with(f->name, "dims") || !strcmp(f->name, "source") || !strcmp(f->name, "destination")
                   ? "FA__ORDER"
                   : "FA__SHAPE";
    if (!strcmp(type, "TENSORS"))
        return "FA__TENSOR_LIST";
    if (!strcmp(type, "LIST"))
        return "FA__NUMBER_LIST";
    if (!strcmp(o->name, "split") && !strcmp(f->name, "size"))
        return "FA__ONE_SIZE";
    return !strcmp(type, "INT") && !strcmp(f->name, "dim") ? "FA__DIMENSION" : "FA__SAME";
}

static void put_call_macro(text *t, const op *o, const char *name, bool inplace)
{
    int operands = 0;
    for (int i = 0; i < o->args->nfields; i++)
        operands += is_operand(&o->args->field[i]);
    put(t, "#define %s(...) FA__CALL%d(%s, FA__NAMED%d(, ##__VA_ARGS__, .", name, operands, name, operands);
    for (int i = 0; i < (operands ? operands : 1); i++)
        put(t, ", .");
    put(t, ")");
    for (int i = 0; i < o->args->nfields; i++)
        if (is_operand(&o->args->field[i]))
            put(t, ", %s", conversion(o, i, inplace));
    put(t, ", __VA_ARGS__)\n");
}

/* fa_view(x, shape) and fa_permute(x, dims) of operands that are checked, where there are no options. */
static void put_checked_macro(text *t, const op *o)
{
    put(t, "#define fa_%s(...) FA__CALLED%d(fa_%s", o->name, o->args->nfields, o->name);
    for (int i = 0; i < o->args->nfields; i++)
        put(t, ", %s", conversion(o, i, false));
    put(t, ", __VA_ARGS__)\n");
}

static bool is_checked(const op *o)
{
    bool checked = false;
    for (int i = 0; i < o->args->nfields; i++)
        checked |= !strcmp(conversion(o, i, false), "FA__SHAPE") || !strcmp(conversion(o, i, false), "FA__ORDER");
    return checked;
}

/* fa_divmod(x, y) of operands that are converted, where there are no options. */
static void put_plain_macro(text *t, const op *o)
{
    put(t, "#define fa_%s(", o->name);
    for (int i = 0; i < o->args->nfields; i++)
        put(t, "%s%s", i ? ", " : "", o->args->field[i].name);
    put(t, ") FA__CALLED((fa_%s)(", o->name);
    for (int i = 0; i < o->args->nfields; i++) {
        const field *f = &o->args->field[i];
        put(t, strcmp(conversion(o, i, false), "FA__ARG") ? "%s%s" : "%sFA__ARG(%s)", i ? ", " : "", f->name);
    }
    put(t, "))\n");
}

static bool is_converted(const op *o)
{
    bool converted = false;
    for (int i = 0; i < o->args->nfields; i++)
        converted |= !strcmp(conversion(o, i, false), "FA__ARG");
    return converted;
}

/* Functions without options are called with the line alone, unless they take numbers. */
static void put_macros(text *t, const op *o)
{
    bool inplace = o->inplace >= 0 && !o->fills;
    if (!o->options) {
        if (is_converted(o))
            put_plain_macro(t, o);
        else if (is_checked(o))
            put_checked_macro(t, o);
        else
            put(t, "#define fa_%s(...) FA__CALLED(fa_%s(__VA_ARGS__))\n", o->name, o->name);
        if (inplace)
            put(t, "#define fa_%s_(...) FA__CALLED(fa_%s_(__VA_ARGS__))\n", o->name, o->name);
        return;
    }
    put(t, "#define FA__DEFAULT_fa_%s {offsetof(fa_%s_options, fa__end)%s", o->name, o->name, o->out ? ", NULL" : "");
    for (int i = 0; i < o->args->nfields; i++)
        if (is_option(&o->args->field[i]))
            put(t, ", %s", o->args->field[i].fallback);
    put(t, ", 0}\n");
    for (int i = 0; i < o->args->nfields; i++)
        if (is_option(&o->args->field[i]) && !strcmp(o->args->field[i].kind->type, "fa_device"))
            put(t, "#define FA__DEVICE_fa_%s ,\n", o->name);
    put_call_macro(t, o, rows_format("fa_%s", o->name), o->fills);
    if (!inplace)
        return;
    put(t, "typedef fa_%s_options fa_%s__options;\n#define FA__DEFAULT_fa_%s_ FA__DEFAULT_fa_%s\n", o->name, o->name,
        o->name, o->name);
    put_call_macro(t, o, rows_format("fa_%s_", o->name), true);
}

static bool is_shown(const op *o, const group *g)
{
    return o->source->group == g && !o->internal;
}

static bool group_mentions(const rows *r, const group *g, const char *word)
{
    for (const op *o = r->ops; o; o = o->next)
        for (int i = 0; is_shown(o, g) && i < o->args->nfields; i++)
            if (o->args->field[i].fallback && strstr(o->args->field[i].fallback, word))
                return true;
    return false;
}

/* The operations of a family, under its title in the manual. */
static void put_family(text *t, const rows *r, const source *f)
{
    size_t title = strcspn(f->about, ":.\n");
    put(t, "/** @name %.*s\n", (int)title, f->about);
    const char *more = f->about + title + (f->about[title] != 0);
    put_lines(t, more + strspn(more, " \n"));
    put(t, " *  @{ */\n\n");
    for (op *o = r->ops; o; o = o->next)
        if (o->source == f && !o->internal)
            put_functions(t, o);
    put(t, "/** @} */\n\n");
}

static void write_header(const rows *r, const group *g, const char *folder)
{
    text t = {0};
    const char *name = upper(g->name);
    put(&t,
        "/** @file\n *  %s.\n *\n *  Written by facula-rows from src/ops/%s: edit there. */\n"
        "/* clang-format off */\n",
        g->title, g->name);
    put(&t, "#ifndef FACULA_OPS_%s_H\n#define FACULA_OPS_%s_H\n#include <facula/types.h>\n", name, name);
    if (group_mentions(r, g, "INFINITY") || group_mentions(r, g, "NAN"))
        put(&t, "#include <math.h>\n");
    put(&t, "\nFA__BEGIN\n\n/** @defgroup ops_%s %s\n *  @ingroup ops\n *  @{ */\n\n", g->name, g->title);
    for (const source *f = r->sources; f; f = f->next)
        if (f->group == g && f->listed)
            put_family(&t, r, f);
    put(&t, "/** @} */\n\n");
    put(&t, "/** @cond */\n/* Macros through which the functions above take named options, and numbers instead of "
            "tensors. */\n");
    for (const op *o = r->ops; o; o = o->next)
        if (is_shown(o, g))
            put_macros(&t, o);
    put(&t, "/** @endcond */\n\nFA__END\n#endif\n");
    file_write(rows_format("%s/ops/%s.h", folder, g->name), &t);
}

void write_headers(const rows *r, const char *folder)
{
    text all = {0};
    mkdir(rows_format("%s/ops", folder), 0777);
    put(&all, "/** @file\n *  All operations.\n *\n *  Written by facula-rows from src/ops: edit there. */\n"
              "/* clang-format off */\n#ifndef FACULA_OPERATIONS_H\n#define FACULA_OPERATIONS_H\n\n"
              "/** @defgroup ops Operations\n *  Functions of tensors, by subject. docs/operations.md lists them with "
              "their counterparts "
              "in PyTorch and NumPy. */\n\n");
    for (const group *g = r->groups; g; g = g->next) {
        if (!g->listed)
            continue;
        write_header(r, g, folder);
        put(&all, "#include <facula/ops/%s.h>\n", g->name);
    }
    put(&all, "#endif\n");
    file_write(rows_format("%s/operations.h", folder), &all);
}
