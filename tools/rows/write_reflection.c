/* Writes texts.c, what reflection tells of each operation beside its fa__op, and for the tests defaults.c: the defaults
 * of every public options struct. */
#include "rows.h"
#include <stdlib.h>
#include <string.h>

static const char by[] = "/* Written by facula-rows from src/ops: edit there. */\n";

/* A C string with its final 0, which another string may follow. */
static void put_string(text *t, const char *s)
{
    put(t, "\n        \"");
    for (; s && *s; s++)
        if (*s == '\n')
            put(t, "\\n\"\n        \"");
        else
            put(t, *s == '"' || *s == '\\' ? "\\%c" : "%c", *s);
    put(t, "\\0\"");
}

static void put_texts(text *t, const op *o)
{
    if (o->internal) {
        put(t, "    [FA__OP_%s] = {\"\", 0},\n", o->name);
        return;
    }
    put(t, "    [FA__OP_%s] = {", o->name);
    put_string(t, o->source->group->name);
    put_string(t, o->doc);
    for (int i = 0; i < o->args->nfields; i++)
        put_string(t, o->args->field[i].doc);
    put(t, ",\n        %d},\n", (o->out ? 1 : 0) | (o->fills ? 2 : 0));
}

static int by_name(const void *a, const void *b)
{
    return strcmp((*(const op *const *)a)->name, (*(const op *const *)b)->name);
}

static void put_public(text *t, const rows *r)
{
    size_t n = 0;
    for (const op *o = r->ops; o; o = o->next)
        n += !o->internal;
    const op **sorted = rows_get((n + 1) * sizeof *sorted);
    n = 0;
    for (const op *o = r->ops; o; o = o->next)
        if (!o->internal)
            sorted[n++] = o;
    qsort(sorted, n, sizeof *sorted, by_name);
    put(t, "\nconst uint16_t fa__public_ids[] = {\n");
    for (size_t i = 0; i < n; i++)
        put(t, "    FA__OP_%s,\n", sorted[i]->name);
    put(t, "};\nconst size_t fa__public_count = sizeof fa__public_ids / sizeof *fa__public_ids;\n");
}

static void write_texts(const rows *r, const char *folder)
{
    text t = {0};
    put(&t, "%s#include \"dispatch/reflect.h\"\n#include \"ids.h\"\n\nconst fa__op_text fa__op_texts[FA__OPS] = {\n",
        by);
    for (const op *o = r->ops; o; o = o->next)
        put_texts(&t, o);
    put(&t, "    [FA__OP_expression] = {\"\", 0},\n};\n");
    put_public(&t, r);
    file_write(rows_format("%s/texts.c", folder), &t);
}

/* ---- for the tests ---- */

static bool has_options(const op *o)
{
    bool any = false;
    for (int i = 0; i < o->args->nfields; i++)
        any |= is_option(&o->args->field[i]);
    return any && !o->internal;
}

static void put_defaults(text *t, const op *o)
{
    for (int i = 0; i < o->args->nfields; i++) {
        const field *f = &o->args->field[i];
        if (is_option(f))
            put(t, "    {\"%s\", \"%s\", \"%s\", &fa__default_%s.%s, sizeof fa__default_%s.%s},\n", o->name, f->name,
                f->doc && *f->doc ? "documented" : "", o->name, f->name, o->name, f->name);
    }
}

static void write_defaults(const rows *r, const char *folder)
{
    text t = {0};
    put(&t,
        "%s#ifndef FA__GEN_DEFAULTS_H\n#define FA__GEN_DEFAULTS_H\n#include <stddef.h>\n\n"
        "/* One option of a public options struct, as its macro fills it. */\n"
        "typedef struct fa__default {\n    const char *op, *option, *doc;\n    const void *value;\n    size_t size;\n"
        "} fa__default;\n\n/* Ends with one whose op is NULL. */\nextern const fa__default "
        "fa__all_defaults[];\n#endif\n",
        by);
    file_write(rows_format("%s/defaults.h", folder), &t);
    put(&t, "%s#include \"defaults.h\"\n#include <facula/operations.h>\n\n", by);
    for (const op *o = r->ops; o; o = o->next)
        if (has_options(o))
            put(&t, "static const fa_%s_options fa__default_%s = FA__DEFAULT_fa_%s;\n", o->name, o->name, o->name);
    put(&t, "\nconst fa__default fa__all_defaults[] = {\n");
    for (const op *o = r->ops; o; o = o->next)
        if (has_options(o))
            put_defaults(&t, o);
    put(&t, "    {NULL, NULL, NULL, NULL, 0},\n};\n");
    file_write(rows_format("%s/defaults.c", folder), &t);
}

void write_reflection(const rows *r, const char *folder)
{
    write_texts(r, folder);
    write_defaults(r, folder);
}
