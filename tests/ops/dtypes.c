/* Which dtypes each operation takes, as tools/rows/dtypes.txt says and docs/operations.md shows: a dtype counts when
 * some sample of the row works on the CPU with all plain tensors of that dtype.
 *
 *     dtypes            compares the file with what is found
 *     dtypes --write    writes it */
#include "support/attempt.h"
#include "support/check.h"
#include "support/reference.h"
#include <facula/error.h>
#include <facula/scope.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PLACE "../../tools/rows/dtypes.txt" /* from tests/reference */
enum { MOST_LINE = 128 };

static bool works(const sample *s, fa_dtype dtype)
{
    FA_SCOPE;
    inputs in;
    attempt a;
    bool ok = inputs_make(&in, s, dtype) && attempt_all(&a, &in, NULL, FA_CPU);
    inputs_free(&in);
    fa_error_clear();
    return ok;
}

/* A bit for each dtype; *varies: whether there is a tensor whose dtype may be chosen. */
static unsigned found(const fa__op *op, const fa__samples *row, bool *varies)
{
    sample s;
    const char *wrong = NULL;
    unsigned set = 0;
    *varies = false;
    for (int n = 0; sample_read(&s, op, row, n, &wrong); n++) {
        if (!sample_varies(&s))
            continue;
        *varies = true;
        for (int d = FA_BOOL; d < FA__DTYPES; d++)
            if (!(set >> d & 1) && works(&s, (fa_dtype)d))
                set |= 1U << d;
    }
    return set;
}

/* Words for several dtypes, in the order in which a line has them: the kinds that they stand for, and whether these are
 * dtypes that only store values. */
static const struct {
    const char *word, *kinds;
    bool storage;
} words[] = {{"all", "buif", false},    {"numbers", "uif", false}, {"bool", "b", false},
             {"integers", "ui", false}, {"floating", "f", false},  {"storage", "f", true}};

static unsigned dtypes_of(const char *kinds, bool storage)
{
    unsigned set = 0;
    for (int d = FA_BOOL; d < FA__DTYPES; d++) {
        const fa_dtype_info *info = fa_dtype_describe((fa_dtype)d);
        set |= strchr(kinds, info->kind) && info->storage == storage ? 1U << d : 0;
    }
    return set;
}

/* "bool, integers": words as far as they go, then single dtypes. */
static void describe(unsigned set, char *line)
{
    const char *comma = "";
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        unsigned mask = dtypes_of(words[i].kinds, words[i].storage);
        if ((set & mask) != mask)
            continue;
        line += sprintf(line, "%s%s", comma, words[i].word);
        comma = ", ";
        set &= ~mask;
    }
    for (int d = FA_BOOL; d < FA__DTYPES; d++)
        if (set >> d & 1) {
            line += sprintf(line, "%s%s", comma, fa_dtype_name((fa_dtype)d));
            comma = ", ";
        }
}

static void row_line(const fa__samples *row, char *line)
{
    bool varies;
    unsigned set = found(sample_op(row->op), row, &varies);
    int n = sprintf(line, "%s: ", row->op);
    if (varies)
        describe(set, line + n);
    else
        strcpy(line + n, "by option");
}

static int write_file(void)
{
    FILE *f = fopen(FA_TEST_DATA "/reference/" PLACE, "w");
    if (!f) {
        perror(PLACE);
        return 1;
    }
    fputs("# The dtypes that each operation takes; written by `tests/ops_dtypes --write`, and held by the same test.\n",
          f);
    for (const fa__samples *row = fa__all_samples; row->op; row++) {
        char line[MOST_LINE];
        row_line(row, line);
        fprintf(f, "%s\n", line);
    }
    return fclose(f) ? 1 : 0;
}

static bool has_line(const char *text, const char *line)
{
    size_t n = strlen(line);
    for (const char *at = text; (at = strstr(at, line)); at++)
        if ((at == text || at[-1] == '\n') && at[n] == '\n')
            return true;
    return false;
}

int main(int argc, char **argv)
{
    if (argc > 1 && !strcmp(argv[1], "--write"))
        return write_file();
    char *text = reference_load(PLACE);
    if (!check(text != NULL, "tools/rows/dtypes.txt cannot be read"))
        return check_end();
    for (const fa__samples *row = fa__all_samples; row->op; row++) {
        char line[MOST_LINE];
        check_about("%s: fa_%s", row->place, row->op);
        row_line(row, line);
        check(has_line(text, line), "tools/rows/dtypes.txt has not \"%s\": run `dtypes --write`, then build", line);
    }
    free(text);
    return check_end();
}
