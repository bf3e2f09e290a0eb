/* Finds KERNEL(name) and OVERRIDE(name) in each backend's folder and writes its tables, kernels_<backend>.h. */
#include "rows.h"
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static backend *nothing_found(const rows *r, const char *name)
{
    backend *b = rows_get(sizeof *b);
    b->name = name;
    b->count = 1;
    for (const op *o = r->ops; o; o = o->next)
        b->count++;
    size_t n = (size_t)b->count;
    b->op = rows_get(n * sizeof *b->op), b->kernel = rows_get(n), b->override = rows_get(n);
    const char **to = b->op;
    for (const op *o = r->ops; o; o = o->next)
        *to++ = o->name;
    *to = "expression";
    return b;
}

static int place_of(const backend *b, const char *name)
{
    int k = 0;
    while (k < b->count && strcmp(b->op[k], name))
        k++;
    return k;
}

bool has_kernel(const rows *r, const char *name, const op *o)
{
    const backend *b = r->backends;
    while (b && strcmp(b->name, name))
        b = b->next;
    return b && b->kernel[place_of(b, o->name)];
}

/* Notes the definition whose name is token i + 2. */
static void note(backend *b, const source *f, int i)
{
    const char *which = token_text(&f->token[i]), *name = token_text(&f->token[i + 2]);
    bool *there = strcmp(which, "KERNEL") ? b->override : b->kernel;
    int k = place_of(b, name);
    if (k == b->count)
        fail(f->path, f->token[i].line, "%s(%s): there is no such operation", which, name);
    else if (there[k])
        fail(f->path, f->token[i].line, "%s(%s): there are two", which, name);
    else
        there[k] = true;
}

/* Definitions stand at the begin of a line and outside of brackets. */
static void scan_file(backend *b, const char *path)
{
    const source *f = source_read(path, path);
    const token *t = f ? f->token : NULL;
    for (int i = 0; t && t[i].kind != T_END; i++) {
        bool word = token_is(&t[i], "KERNEL") || token_is(&t[i], "OVERRIDE");
        if (word && token_is(&t[i + 1], "(") && t[i + 2].kind == T_NAME && t[i + 1].mate == i + 3)
            note(b, f, i);
        if (t[i].kind == T_PUNCTUATION && strchr("({[", *t[i].at))
            i = t[i].mate;
    }
}

/* The names in a folder, in order, so that the same files give the same tables and the same errors. */
static int list(const char *folder, char ***names)
{
    struct dirent **entry;
    int n = scandir(folder, &entry, NULL, alphasort), kept = 0;
    *names = rows_get(sizeof **names * (size_t)(n > 0 ? n : 1));
    for (int i = 0; i < n; i++) {
        if (entry[i]->d_name[0] != '.')
            (*names)[kept++] = rows_copy(entry[i]->d_name, strlen(entry[i]->d_name));
        free(entry[i]);
    }
    if (n >= 0)
        free(entry);
    return kept;
}

static bool is_folder(const char *path)
{
    struct stat s;
    return !stat(path, &s) && S_ISDIR(s.st_mode);
}

static void scan_folder(backend *b, const char *folder)
{
    char **name;
    int n = list(folder, &name);
    for (int i = 0; i < n; i++) {
        const char *path = rows_format("%s/%s", folder, name[i]), *dot = strrchr(name[i], '.');
        if (is_folder(path) && strcmp(name[i], "simd"))
            scan_folder(b, path);
        else if (dot && !strcmp(dot, ".c"))
            scan_file(b, path);
    }
}

/* Declares the functions and puts them into a table by the operations' numbers. */
static void put_table(text *t, const backend *b, const bool *there, const char *table, const char *prefix)
{
    bool any = false;
    put(t, "\n");
    for (int i = 0; i < b->count; i++)
        if (there[i])
            put(t, "FA__KERNEL(%s%s);\n", prefix, b->op[i]), any = true;
    put(t, "static FA__KERNEL((*const %s[FA__OPS])) __attribute__((__unused__)) = {\n", table);
    for (int i = 0; i < b->count; i++)
        if (there[i])
            put(t, "    [FA__OP_%s] = %s%s,\n", b->op[i], prefix, b->op[i]);
    put(t, "%s};\n", any ? "" : "    NULL\n");
}

static void write_backend(const backend *b, const char *folder)
{
    text t = {0};
    put(&t,
        "/* Written by facula-rows from src/backend/%s: edit there. */\n"
        "#include \"backend/device.h\"\n#include \"ids.h\"\n"
        "#ifndef FA__KERNEL /* what a kernel's function is like; backends may have said otherwise */\n"
        "#define FA__KERNEL(name) bool name(const fa__launch *l)\n#endif\n",
        b->name);
    put_table(&t, b, b->kernel, rows_format("fa__%s_kernels", b->name), rows_format("fa__%s_", b->name));
    put_table(&t, b, b->override, rows_format("fa__%s_overrides", b->name), rows_format("fa__%s_over_", b->name));
    file_write(rows_format("%s/kernels_%s.h", folder, b->name), &t);
}

void write_kernels(const rows *r, const char *folder)
{
    for (const backend *b = r->backends; b; b = b->next)
        write_backend(b, folder);
}

void read_kernels(rows *r, const char *folder)
{
    char **name;
    int n = list(folder, &name);
    backend **end = &r->backends;
    for (int i = 0; i < n; i++) {
        const char *path = rows_format("%s/%s", folder, name[i]);
        if (!is_folder(path))
            continue;
        *end = nothing_found(r, name[i]);
        scan_folder(*end, path);
        end = &(*end)->next;
    }
}
