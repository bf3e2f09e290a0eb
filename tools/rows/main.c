/* facula-rows --source src --out build/gen [--headers include/facula] [--docs docs/operations.md]
 *
 * Reads the rows of src/ops and the kernels of src/backend, and writes tables and entry functions into the --out
 * folder, public headers into the --headers folder, and the list of operations. A file is only touched when it
 * changes. All errors are told before it exits with 1; then nothing has been written. */
#include "rows.h"
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct command {
    const char *source, *out, *headers, *docs;
} command;

static bool read_command(command *c, int count, char **word)
{
    const struct {
        const char *name, **value;
    } options[] = {{"--source", &c->source}, {"--out", &c->out}, {"--headers", &c->headers}, {"--docs", &c->docs}};
    for (int i = 1; i < count; i += 2) {
        size_t k = 0;
        while (k < 4 && strcmp(word[i], options[k].name))
            k++;
        if (k == 4 || i + 1 == count)
            return false;
        *options[k].value = word[i + 1];
    }
    return c->source && c->out;
}

static int is_c(const struct dirent *entry)
{
    const char *dot = strrchr(entry->d_name, '.');
    return dot && !strcmp(dot, ".c") && entry->d_name[0] != '.';
}

static void read_families(rows *r, const char *folder)
{
    struct dirent **entry;
    int n = scandir(folder, &entry, is_c, alphasort);
    if (n < 0) {
        fail(folder, 0, "cannot be read");
        return;
    }
    for (int i = 0; i < n; i++) {
        const char *name = entry[i]->d_name;
        source *f = source_read(rows_format("%s/%s", folder, name), rows_format("src/ops/%s", name));
        if (f)
            source_rows(r, f);
        free(entry[i]);
    }
    free(entry);
}

static void write_all(const rows *r, const command *c)
{
    write_rows(r, c->out);
    write_tables(r, c->out);
    write_hot(r, c->out);
    write_kernels(r, c->out);
    if (c->headers)
        write_headers(r, c->headers);
    if (c->docs)
        write_docs(r, c->docs);
}

int main(int count, char **word)
{
    command c = {0};
    rows r = {0};
    if (!read_command(&c, count, word)) {
        fputs("usage: facula-rows --source FOLDER --out FOLDER [--headers FOLDER] [--docs FILE]\n", stderr);
        return 2;
    }
    read_families(&r, rows_format("%s/ops", c.source));
    check_rows(&r);
    read_names(&r, rows_format("%s/ops", c.source));
    read_dtypes(&r, rows_format("%s/ops/dtypes.txt", c.source));
    read_kernels(&r, rows_format("%s/backend", c.source));
    if (!rows_errors)
        write_all(&r, &c);
    for (op *o = r.ops; o; o = o->next)
        formula_free(o);
    rows_end();
    return rows_errors ? 1 : 0;
}
