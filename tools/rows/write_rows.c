/* Writes <family>.rows, which the family's file includes at its end: for each row the field table, the defaults, the
 * fa__op and the entry functions. #line sends compile errors to the row. */
#include "rows.h"
#include <string.h>

char *declare(const char *type, const char *name)
{
    return rows_format("%s%s%s", type, type[strlen(type) - 1] == '*' ? "" : " ", name);
}

const char *function_name(const op *o)
{
    return rows_format("%s%s", o->internal ? "fa__" : "fa_", o->name);
}

const char *result_type(const op *o)
{
    return o->list ? "fa_tensors " : o->nresults > 1 ? rows_format("%s_result ", function_name(o)) : "fa_tensor *";
}

void put_prototype(text *t, const op *o, const char *name, bool inplace)
{
    put(t, "%s%s(", result_type(o), name);
    const char *comma = "";
    for (int i = 0; i < o->args->nfields; i++) {
        const field *f = &o->args->field[i];
        if (!is_operand(f))
            continue;
        const char *type = inplace && i == o->inplace ? "fa_tensor *" : f->kind->passed;
        put(t, "%s%s", comma, declare(type, f->name));
        comma = ", ";
    }
    if (o->options)
        put(t, "%sconst fa_%s_options *options", comma, o->name);
    put(t, ")");
}

static void put_struct(text *t, const op *o)
{
    put(t, "#line %d \"%s\"\ntypedef struct {\n", o->line, o->source->path);
    for (int i = 0; i < o->args->nfields; i++)
        put(t, "    %s;\n", declare(o->args->field[i].kind->type, o->args->field[i].name));
    put(t, "} %s;\n", o->args->name);
}

/* The tables of a struct of arguments, which all its operations share. */
static void put_schema(text *t, schema *s)
{
    const char *path = s->source->path;
    put(t, "#line %d \"%s\"\nstatic const fa__field %s_fields[] = {\n", s->line, path, s->name);
    for (int i = 0; i < s->nfields; i++) {
        const field *f = &s->field[i];
        put(t, "    {\"%s\", FA__%s, %s, offsetof(%s, %s)},\n", f->name, f->kind->name, f->fallback ? "true" : "false",
            s->name, f->name);
    }
    put(t, "};\nstatic const %s %s_defaults = {\n", s->name, s->name);
    bool any = false;
    for (int i = 0; i < s->nfields; i++) {
        const field *f = &s->field[i];
        if (f->fallback)
            put(t, "#line %d \"%s\"\n    .%s = %s,\n", f->line, path, f->name, f->fallback), any = true;
    }
    put(t, "%s};\n", any ? "" : "    0\n");
    s->written = true;
}

/* For each kind the fields that are of it, as bits. */
static void put_kinds(text *t, const schema *s)
{
    put(t, "    .of = {");
    for (int i = 0; i < s->nfields; i++) {
        unsigned bits = 0;
        bool first = true;
        for (int k = 0; k < s->nfields; k++)
            if (s->field[k].kind == s->field[i].kind)
                bits |= 1U << k, first &= k >= i;
        if (first)
            put(t, "[FA__%s] = %#x, ", s->field[i].kind->name, bits);
    }
    put(t, "},\n");
}

/* For each of what is kept the fields whose gradients need it; nothing where all do. Whether it was written. */
static bool put_keep_for(text *t, const op *o)
{
    bool some = false;
    for (int i = 0; i < MOST_FIELDS + MOST_RESULTS; i++)
        some |= o->keep_for[i] && o->keep_for[i] != (1u << o->args->nfields) - 1;
    if (!some)
        return false;
    put(t, "static const uint16_t %s_keep_for[] = {", o->name);
    for (int i = 0; i < o->args->nfields + o->nresults; i++)
        put(t, "%s%#x", i ? ", " : "", o->keep_for[i]);
    put(t, "};\n");
    return true;
}

static void put_op(text *t, const rows *r, const op *o)
{
    bool some = put_keep_for(t, o);
    if (has_kernel(r, "cpu", o))
        put(t, "bool fa__cpu_%s(const fa__launch *);\n", o->name);
    put(t, "const fa__op fa__op_%s = {\n", o->name);
    put(t, "    .name = \"%s\", .id = FA__OP_%s, .traits = &%s_traits, .fields = %s_fields,\n", o->name, o->name,
        o->name, o->args->name);
    put(t,
        "    .nfields = %d, .nresults = %d, .args_size = sizeof(%s), .keep = %#xu, .constant = %#xu, .index = %#xu,\n",
        o->args->nfields, o->list ? 0 : o->nresults, o->args->name, o->keep, o->constant, o->index);
    put(t, "    .inplace = %d,\n", o->inplace);
    if (has_kernel(r, "cpu", o))
        put(t, "    .cpu_kernel = fa__cpu_%s,\n", o->name);
    if (some)
        put(t, "    .keep_for = %s_keep_for,\n", o->name);
    put_kinds(t, o->args);
    put(t, "    .defaults = &%s_defaults, .results = {", o->args->name);
    for (int i = 0; i < o->nresults; i++)
        put(t, "%s\"%s\"", i ? ", " : "", o->result[i]);
    put(t, "},\n};\n");
}

static const char *argument(const op *o, int i, bool inplace)
{
    const field *f = &o->args->field[i];
    if (!f->kind->passed)
        return "fa__draw_key()";
    if (f->fallback)
        return rows_format("options->%s", f->name);
    bool number = !strcmp(f->kind->name, "NUMBER");
    return inplace && i == o->inplace && number ? rows_format("fa__arg_t(%s)", f->name) : f->name;
}

static bool asks_gradient(const op *o)
{
    for (int i = 0; i < o->args->nfields; i++)
        if (is_option(&o->args->field[i]) && !strcmp(o->args->field[i].name, "requires_grad"))
            return true;
    return false;
}

static void put_call(text *t, const op *o, bool inplace)
{
    put(t, "    const %s args = {", o->args->name);
    for (int i = 0; i < o->args->nfields; i++)
        put(t, "%s.%s = %s", i ? ", " : "", o->args->field[i].name, argument(o, i, inplace));
    put(t, "};\n    fa__call c = {.op = &fa__op_%s, .args = &args, .site = FA__SITE", o->name);
    if (inplace)
        put(t, ", .given = %s, .inplace = true", o->args->field[o->inplace].name);
    else if (o->out)
        put(t, ", .given = options->out");
    if (asks_gradient(o))
        put(t, ", .requires_grad = options->requires_grad");
    put(t, "};\n");
}

/* Whether the options of a function are more than their size: what only works in place may have none. */
static bool reads_options(const op *o)
{
    bool any = o->out;
    for (int i = 0; i < o->args->nfields; i++)
        any |= is_option(&o->args->field[i]);
    return any;
}

/* An in-place form shares the options of the other; .out has no sense there. */
static void put_entry(text *t, const op *o, bool inplace)
{
    put(t, "\n");
    put_prototype(t, o, rows_format("(%s%s)", function_name(o), inplace && !o->fills ? "_" : ""), inplace);
    put(t, "\n{\n");
    if (o->options)
        put(t, reads_options(o) ? "    FA__COMPLETE(fa_%s)\n" : "    (void)options;\n", o->name);
    put_call(t, o, inplace);
    if (inplace && o->out)
        put(t,
            "    if (!options->out || fa__call_fail(&c, FA_ERROR_ARGUMENT, \"an in-place form takes no .out\"))\n    ");
    if (o->list) {
        put(t, "    return fa__invoke(&c) ? (fa_tensors){c.list->count, c.list->item} : FA__NO_TENSORS;\n}\n");
        return;
    }
    put(t, "    fa__invoke(&c);\n");
    if (o->nresults == 1) {
        put(t, "    return c.out[0];\n}\n");
        return;
    }
    put(t, "    return (%s_result){", function_name(o));
    for (int i = 0; i < o->nresults; i++)
        put(t, "%sc.out[%d]", i ? ", " : "", i);
    put(t, "};\n}\n");
}

static void put_row(text *t, const rows *r, op *o)
{
    put(t, "\n");
    if (o->pointwise)
        put_struct(t, o);
    if (!o->args->written)
        put_schema(t, o->args);
    put(t, "#line %d \"%s\"\n", o->line, o->source->path);
    put_op(t, r, o);
    if (!o->fills)
        put_entry(t, o, false);
    if (o->inplace >= 0)
        put_entry(t, o, true);
}

void write_rows(const rows *r, const char *folder)
{
    for (const source *f = r->sources; f; f = f->next) {
        text t = {0};
        if (!f->ops)
            continue;
        put(&t, "/* Written by facula-rows from %s: edit there. */\n", f->place);
        for (op *o = r->ops; o; o = o->next)
            if (o->source == f)
                put_row(&t, r, o);
        file_write(rows_format("%s/%s.rows", folder, f->family), &t);
    }
}
