/* Writes api.json, the public interface for generators of bindings (docs/languages.md), and options.c, the table of
 * fa_options_default(). */
#include "rows.h"
#include <ctype.h>
#include <string.h>

/* ---- JSON ---- */

static void put_string(text *t, const char *s)
{
    put(t, "\"");
    for (; *s; s++)
        if (*s == '\n')
            put(t, "\\n");
        else
            put(t, *s == '"' || *s == '\\' ? "\\%c" : "%c", *s);
    put(t, "\"");
}

static void put_pair(text *t, const char *key, const char *value, const char *separator)
{
    put(t, "%s\"%s\": ", separator, key);
    if (value)
        put_string(t, value);
    else
        put(t, "null");
}

static void put_bool(text *t, const char *key, bool value)
{
    put(t, ", \"%s\": %s", key, value ? "true" : "false");
}

static void put_items(text *t, const char *key, const public_item *item, int count, bool with_defaults)
{
    put(t, ", \"%s\": [", key);
    for (int i = 0; i < count; i++) {
        put_pair(t, "name", item[i].name, i ? ", {" : "{");
        put_pair(t, "type", item[i].type, ", ");
        if (with_defaults)
            put_pair(t, "default", item[i].fallback, ", ");
        if (*item[i].doc)
            put_pair(t, "doc", item[i].doc, ", ");
        put(t, "}");
    }
    put(t, "]");
}

static void put_function(text *t, const public_function *f)
{
    put_pair(t, "name", f->name, "{");
    put_pair(t, "symbol", f->symbol, ", ");
    put_pair(t, "header", f->header, ", ");
    put_pair(t, "result", f->result, ", ");
    put_items(t, "parameters", f->parameter, f->parameters, false);
    if (f->options)
        put_pair(t, "struct", f->options, ", ");
    if (f->options)
        put_items(t, "options", f->option, f->noptions, true);
    put_pair(t, "doc", f->doc, ", ");
    put(t, "}");
}

static const char *lower(const char *s)
{
    char *copy = rows_copy(s, strcspn(s, "_"));
    for (char *p = copy; *p; p++)
        *p = (char)tolower((unsigned char)*p);
    return copy;
}

static void put_arguments(text *t, const op *o)
{
    bool first = true;
    put(t, ", \"arguments\": [");
    for (int i = 0; i < o->args->nfields; i++) {
        const field *f = &o->args->field[i];
        if (!f->kind->passed)
            continue;
        put_pair(t, "name", f->name, first ? "{" : ", {");
        put_pair(t, "kind", lower(f->kind->name), ", ");
        put_pair(t, "type", f->kind->passed, ", ");
        if (is_option(f))
            put_pair(t, "default", f->fallback, ", ");
        put_pair(t, "doc", f->doc, ", ");
        put(t, "}");
        first = false;
    }
    put(t, "], \"results\": [");
    for (int i = 0; i < o->nresults; i++) {
        put(t, i ? ", " : "");
        put_string(t, o->result[i]);
    }
    put(t, "]");
}

static void put_operation(text *t, const op *o)
{
    put_pair(t, "name", o->name, "{");
    put_pair(t, "group", o->source->group->name, ", ");
    put_pair(t, "doc", o->doc, ", ");
    put_arguments(t, o);
    put_bool(t, "list", o->list);
    put_bool(t, "pointwise", o->pointwise);
    put_bool(t, "view", o->view);
    put_bool(t, "out", o->out);
    put_bool(t, "functional", !o->fills);
    put_pair(t, "inplace", o->inplace >= 0 ? o->args->field[o->inplace].name : NULL, ", ");
    put_pair(t, "torch", o->torch, ", ");
    put(t, "}");
}

static void put_version(text *t, const public_api *api)
{
    const char *number[3] = {"0", "0", "0"}, *word[3] = {"MAJOR", "MINOR", "PATCH"};
    for (const public_header *h = api->headers; h; h = h->next)
        for (int i = 0; i < 3 && !strcmp(h->name, "version.h"); i++) {
            const char *p = strstr(h->text, rows_format("#define FA_VERSION_%s ", word[i]));
            if (p)
                p += strlen(rows_format("#define FA_VERSION_%s ", word[i])),
                    number[i] = rows_copy(p, strcspn(p, "\n "));
        }
    put(t, "{\"version\": \"%s.%s.%s\"", number[0], number[1], number[2]);
}

void write_api(const rows *r, const public_api *api, const char *folder)
{
    text t = {0};
    const char *next = "\n";
    put_version(&t, api);
    put(&t, ",\n\"operations\": [");
    for (const op *o = r->ops; o; o = o->next)
        if (!o->internal)
            put(&t, "%s", next), put_operation(&t, o), next = ",\n";
    put(&t, "],\n\"functions\": [");
    next = "\n";
    for (const public_function *f = api->functions; f; f = f->next)
        put(&t, "%s", next), put_function(&t, f), next = ",\n";
    put(&t, "],\n\"structs\": [");
    next = "\n";
    for (const public_struct *s = api->structs; s; s = s->next) {
        if (s->alias && strstr(s->name, "__")) /* a name for macros */
            continue;
        put_pair(&t, "name", s->name, rows_format("%s{", next));
        put_items(&t, "members", s->member, s->members, false);
        put(&t, "}");
        next = ",\n";
    }
    put(&t, "],\n\"constants\": [");
    next = "\n";
    for (const public_constant *c = api->constants; c; c = c->next) {
        put_pair(&t, "name", c->name, rows_format("%s{", next));
        put(&t, ", \"value\": %s", c->value);
        put_pair(&t, "type", c->type, ", ");
        put(&t, "}");
        next = ",\n";
    }
    put(&t, "]}\n");
    file_write(rows_format("%s/api.json", folder), &t);
}

/* ---- defaults ---- */

/* Whether it is an in-place form with the options of the other form, which stand for both. */
static bool is_second_form(const public_api *api, const public_function *f)
{
    size_t n = strlen(f->name);
    for (const public_function *g = api->functions; g; g = g->next)
        if (f->name[n - 1] == '_' && strlen(g->name) == n - 1 && !strncmp(g->name, f->name, n - 1))
            return g->options && !strcmp(g->options, f->options);
    return false;
}

void write_options(const public_api *api, const char *folder)
{
    text t = {0}, table = {0};
    put(&t, "/* Written by facula-rows from the public headers. */\n#include \"core/options.h\"\n"
            "#include <facula/facula.h>\n\n");
    for (const public_function *f = api->functions; f; f = f->next) {
        if (!f->options || is_second_form(api, f))
            continue;
        put(&t, "static const %s default_of_%s = FA__DEFAULT_%s;\n", f->options, f->name, f->name);
        put(&table, "    {\"%s\", &default_of_%s, sizeof(%s)},\n", f->name, f->name, f->options);
    }
    put(&t, "\nconst fa__options_of fa__options_table[] = {\n%s    {NULL, NULL, 0},\n};\n", text_take(&table));
    file_write(rows_format("%s/options.c", folder), &t);
}
