/* Finds KERNEL(operation) and OVERRIDE(kind, operation) in each backend's folder and writes its tables,
 * kernels_<backend>.h: one of its kernels, and one of overrides for each kind of device, which is a folder. */
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
    b->op = rows_get(n * sizeof *b->op), b->kernel = rows_get(n);
    const char **to = b->op;
    for (const op *o = r->ops; o; o = o->next)
        *to++ = o->name;
    *to = "expression";
    return b;
}

static int number_of(const backend *b, const char *name)
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
    return b && b->kernel[number_of(b, o->name)];
}

/* The number of the operation that token i names; -1 and an error when there is none. */
static int operation_at(const backend *b, const source *f, int i, const char *definition)
{
    int k = number_of(b, token_text(&f->token[i]));
    if (k < b->count)
        return k;
    fail(f->path, f->token[i].line, "%s: there is no such operation", definition);
    return -1;
}

/* KERNEL(operation) at token i. */
static void note_kernel(backend *b, const source *f, int i)
{
    const char *definition = rows_format("KERNEL(%s)", token_text(&f->token[i + 2]));
    int k = operation_at(b, f, i + 2, definition);
    if (k >= 0 && b->kernel[k])
        fail(f->path, f->token[i].line, "%s: there are two", definition);
    else if (k >= 0)
        b->kernel[k] = true;
}

/* OVERRIDE(kind, operation) at token i. */
static void note_override(const backend *b, const device_kind *of, const source *f, int i)
{
    const char *named = token_text(&f->token[i + 2]);
    const char *definition = rows_format("OVERRIDE(%s, %s)", named, token_text(&f->token[i + 4]));
    int k = operation_at(b, f, i + 4, definition);
    if (strcmp(named, of->name))
        fail(f->path, f->token[i].line, "%s: this folder is that of %s", definition, of->name);
    else if (k >= 0 && of->override[k].path)
        fail(f->path, f->token[i].line, "%s: there are two", definition);
    else if (k >= 0)
        of->override[k] = (definition_place){f->path, f->token[i].line};
}

static bool opens(const token *t, const char *word)
{
    return token_is(&t[0], word) && token_is(&t[1], "(") && t[2].kind == T_NAME;
}

/* Definitions stand at the begin of a line and outside of brackets. */
static void scan_file(backend *b, const device_kind *of, const char *path)
{
    const source *f = source_read(path, path);
    const token *t = f ? f->token : NULL;
    for (int i = 0; t && t[i].kind != T_END; i++) {
        if (opens(&t[i], "KERNEL") && t[i + 1].mate == i + 3)
            note_kernel(b, f, i);
        if (opens(&t[i], "OVERRIDE") && t[i + 1].mate == i + 5 && t[i + 4].kind == T_NAME)
            note_override(b, of, f, i);
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

/* The kind of that name, which is new when its folder's first file is found. */
static device_kind *kind_of(backend *b, const char *name)
{
    device_kind **k = &b->kinds;
    while (*k && strcmp((*k)->name, name))
        k = &(*k)->next;
    if (*k)
        return *k;
    *k = rows_get(sizeof **k);
    (*k)->name = name;
    (*k)->override = rows_get((size_t)b->count * sizeof *(*k)->override);
    return *k;
}

static void scan_folder(backend *b, const char *folder, const char *named)
{
    char **name;
    int n = list(folder, &name);
    for (int i = 0; i < n; i++) {
        const char *path = rows_format("%s/%s", folder, name[i]), *dot = strrchr(name[i], '.');
        if (is_folder(path) && strcmp(name[i], "simd"))
            scan_folder(b, path, name[i]);
        else if (dot && !strcmp(dot, ".c"))
            scan_file(b, kind_of(b, named), path);
    }
}

/* An override may decline a call, which is then the kernel's. */
static void check_overrides(const backend *b)
{
    for (const device_kind *k = b->kinds; k; k = k->next)
        for (int i = 0; i < b->count; i++)
            if (k->override[i].path && !b->kernel[i])
                fail(k->override[i].path, k->override[i].line,
                     "OVERRIDE(%s, %s): there is no KERNEL(%s) for the calls that it declines", k->name, b->op[i],
                     b->op[i]);
}

/* Declarations, and a table of the functions by the operations' numbers. */
static void put_kernels(text *t, const backend *b)
{
    bool any = false;
    put(t, "\n");
    for (int i = 0; i < b->count; i++)
        if (b->kernel[i])
            put(t, "FA__KERNEL(fa__%s_%s);\n", b->name, b->op[i]), any = true;
    if (!strcmp(b->name, "cpu")) /* whose kernels stand in the operations (write_rows.c) */
        return;
    put(t, "static FA__KERNEL((*const fa__%s_kernels[FA__OPS])) __attribute__((__unused__)) = {\n", b->name);
    for (int i = 0; i < b->count; i++)
        if (b->kernel[i])
            put(t, "    [FA__OP_%s] = fa__%s_%s,\n", b->op[i], b->name, b->op[i]);
    put(t, "%s};\n", any ? "" : "    NULL\n");
}

static void put_overrides(text *t, const backend *b, const device_kind *k)
{
    bool any = false;
    put(t, "\n");
    for (int i = 0; i < b->count; i++)
        if (k->override[i].path)
            put(t, "fa__override fa__%s_over_%s;\n", k->name, b->op[i]), any = true;
    put(t, "static fa__override *const fa__%s_overrides[FA__OPS] __attribute__((__unused__)) = {\n", k->name);
    for (int i = 0; i < b->count; i++)
        if (k->override[i].path)
            put(t, "    [FA__OP_%s] = fa__%s_over_%s,\n", b->op[i], k->name, b->op[i]);
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
    put_kernels(&t, b);
    for (const device_kind *k = b->kinds; k; k = k->next)
        put_overrides(&t, b, k);
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
        scan_folder(*end, path, name[i]);
        check_overrides(*end);
        end = &(*end)->next;
    }
}
