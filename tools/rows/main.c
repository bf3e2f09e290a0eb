/* facula-rows --source src --out build/gen [--lists tools/rows] [--headers include/facula] [--docs docs/operations.md]
 *             [--public include/facula]
 *
 * Reads the rows of src/ops and the kernels of src/backend, and writes tables and entry functions into the --out
 * folder, public headers into the --headers folder, and the list of operations. Of the headers in the --public folder,
 * these and the others, it writes the interface for other languages. --lists has groups.txt, dtypes.txt,
 * names.txt, missing.txt and signatures.txt. A file is only written when it changes. All errors are printed before it
 * exits with 1; then nothing has been written. */
#include "rows.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct command {
    const char *source, *out, *lists, *headers, *docs, *public;
} command;

static bool read_command(command *c, int count, char **word)
{
    const struct {
        const char *name, **value;
    } options[] = {{"--source", &c->source},   {"--out", &c->out},   {"--lists", &c->lists},
                   {"--headers", &c->headers}, {"--docs", &c->docs}, {"--public", &c->public}};
    const size_t most = sizeof options / sizeof options[0];
    for (int i = 1; i < count; i += 2) {
        size_t k = 0;
        while (k < most && strcmp(word[i], options[k].name))
            k++;
        if (k == most || i + 1 == count)
            return false;
        *options[k].value = word[i + 1];
    }
    return c->source && c->out;
}

/* From the headers, which have just been written where they are to be. */
static void write_interface(const rows *r, const command *c)
{
    public_api api;
    read_public(&api, c->public);
    write_api(r, &api, c->out);
    write_options(&api, c->out);
    if (c->headers)
        write_cpp(&api, c->headers);
}

static void write_all(const rows *r, const command *c)
{
    write_rows(r, c->out);
    write_tables(r, c->out);
    write_reflection(r, c->out);
    write_hot(r, c->out);
    write_kernels(r, c->out);
    if (c->headers)
        write_headers(r, c->headers), write_lines(c->headers);
    if (c->docs)
        write_docs(r, c->docs);
    if (c->public)
        write_interface(r, c);
}

int main(int count, char **word)
{
    command c = {.lists = "."};
    rows r = {0};
    if (!read_command(&c, count, word)) {
        fputs("usage: facula-rows --source FOLDER --out FOLDER [--lists FOLDER] [--headers FOLDER] [--docs FILE] "
              "[--public FOLDER]\n",
              stderr);
        return 2;
    }
    read_groups(&r, rows_format("%s/ops", c.source), rows_format("%s/groups.txt", c.lists));
    check_rows(&r);
    read_names(&r, c.lists);
    read_dtypes(&r, rows_format("%s/dtypes.txt", c.lists));
    read_kernels(&r, rows_format("%s/backend", c.source));
    if (!rows_errors)
        write_all(&r, &c);
    for (op *o = r.ops; o; o = o->next)
        formula_free(o);
    rows_end();
    return rows_errors ? 1 : 0;
}
