/* Writes ids.h, args.h, internal.h, ops.c and samples.c/.h: what the library and its tests know of all operations at
 * once. */
#include "rows.h"
#include <string.h>

static const char by[] = "/* Written by facula-rows from src/ops: edit there. */\n";

static void write_ids(const rows *r, const char *folder)
{
    text t = {0};
    put(&t, "%s#ifndef FA__GEN_IDS_H\n#define FA__GEN_IDS_H\nstruct fa__op;\n\nenum {\n", by);
    for (const op *o = r->ops; o; o = o->next)
        put(&t, "    FA__OP_%s,\n", o->name);
    put(&t, "    FA__OP_expression, /* derivatives, and what users give */\n    FA__OPS\n};\n\n");
    for (const op *o = r->ops; o; o = o->next)
        put(&t, "extern const struct fa__op fa__op_%s;\n", o->name);
    put(&t, "extern const struct fa__op *const fa__ops[FA__OPS]; /* NULL at FA__OP_expression */\n#endif\n");
    file_write(rows_format("%s/ids.h", folder), &t);
}

/* The struct, each field on the line where the file has it. */
static void put_schema(text *t, const schema *s)
{
    put(t, "#line %d \"%s\"\ntypedef struct {", s->line, s->source->path);
    for (int i = 0, line = s->line; i < s->nfields; i++) {
        for (; line < s->field[i].line; line++)
            put(t, "\n");
        put(t, " %s;", declare(s->field[i].kind->type, s->field[i].name));
    }
    put(t, "\n} %s;\n", s->name);
}

static void write_args(const rows *r, const char *folder)
{
    text t = {0};
    put(&t, "%s#ifndef FA__GEN_ARGS_H\n#define FA__GEN_ARGS_H\n#include \"core/op.h\"\n\n", by);
    for (const schema *s = r->schemas; s; s = s->next)
        put_schema(&t, s);
    put(&t, "#endif\n");
    file_write(rows_format("%s/args.h", folder), &t);
}

static void put_internal_result(text *t, const op *o)
{
    put(t, "typedef struct {\n");
    for (int i = 0; i < o->nresults; i++)
        put(t, "    fa_tensor *%s;\n", o->result[i]);
    put(t, "} %s_result;\n", function_name(o));
}

/* What users are not meant to call has no public header. */
static void write_internal(const rows *r, const char *folder)
{
    text t = {0};
    put(&t, "%s#ifndef FA__GEN_INTERNAL_H\n#define FA__GEN_INTERNAL_H\n#include \"core/op.h\"\n\n", by);
    for (const op *o = r->ops; o; o = o->next)
        if (o->internal) {
            if (o->nresults > 1)
                put_internal_result(&t, o);
            put_prototype(&t, o, function_name(o), false);
            put(&t, ";\n");
            if (o->inplace >= 0) {
                put_prototype(&t, o, rows_format("%s_", function_name(o)), true);
                put(&t, ";\n");
            }
        }
    put(&t, "#endif\n");
    file_write(rows_format("%s/internal.h", folder), &t);
}

static void write_ops(const rows *r, const char *folder)
{
    text t = {0};
    put(&t, "%s#include \"core/op.h\"\n#include \"ids.h\"\n\nconst fa__op *const fa__ops[FA__OPS] = {\n", by);
    for (const op *o = r->ops; o; o = o->next)
        put(&t, "    [FA__OP_%s] = &fa__op_%s,\n", o->name, o->name);
    put(&t, "    [FA__OP_expression] = NULL,\n};\n");
    file_write(rows_format("%s/ops.c", folder), &t);
}

static void write_samples(const rows *r, const char *folder)
{
    text t = {0};
    put(&t,
        "%s#ifndef FA__GEN_SAMPLES_H\n#define FA__GEN_SAMPLES_H\n\n"
        "typedef struct fa__samples {\n    const char *op, *place; /* \"sum\", \"src/ops/reduce.c:43\" */\n"
        "    const char *samples;    /* what SAMPLES says */\n    const char *torch;      /* what PyTorch is asked */\n"
        "    const char *differs;    /* what DIFFERS says, or nothing */\n"
        "} fa__samples;\n\n/* One entry for each operation, by its number; ends with one whose op is NULL. */\n"
        "extern const fa__samples fa__all_samples[];\n#endif\n",
        by);
    file_write(rows_format("%s/samples.h", folder), &t);
    put(&t, "%s#include \"samples.h\"\n#include <stddef.h>\n\nconst fa__samples fa__all_samples[] = {\n", by);
    for (const op *o = r->ops; o; o = o->next)
        put(&t, "    {\"%s\", \"%s:%d\",\n     %s,\n     %s,\n     %s},\n", o->name, o->source->place, o->line,
            o->samples, o->torch, o->differs);
    put(&t, "    {NULL, NULL, NULL, NULL, NULL},\n};\n");
    file_write(rows_format("%s/samples.c", folder), &t);
}

void write_tables(const rows *r, const char *folder)
{
    write_ids(r, folder);
    write_args(r, folder);
    write_internal(r, folder);
    write_ops(r, folder);
    write_samples(r, folder);
}
