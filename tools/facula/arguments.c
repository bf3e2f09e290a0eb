/* Options from a table, read by getopt_long, and shown. */
#include "arguments.h"
#include "command.h"
#include "progress.h"
#include "style.h"
#include <facula/version.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    WIDTH = 79,
    COLUMN = 29,
    NARROW_COLUMN = 8,
    LEAST_WIDTH = 64,
    MOST = 64,
    HELP = 'h',
    VERSION = 'V',
    USAGE = 1000
};

static const arguments_option common[] = {{"help", HELP, NULL, "Give this help list"},
                                          {"usage", USAGE, NULL, "Give a short usage message"},
                                          {"version", VERSION, NULL, "Print program version"}};

enum { COMMON = sizeof common / sizeof *common };

/* ---- output ---- */

/* Columns of lines, and the one where descriptions of options begin: below the option, where there is little room. */
static int width(void)
{
    int columns = progress_columns() - 1;
    return columns < WIDTH ? columns : WIDTH;
}

static int doc_column(void)
{
    return width() < LEAST_WIDTH ? NARROW_COLUMN : COLUMN;
}

/* Prints words up to a '\v', starting at a column; lines after the first begin at `indent`. */
static void put_wrapped(const char *text, int column, int indent)
{
    for (int at = column; *text && *text != '\v';) {
        int gap = (int)strspn(text, " "), length = (int)strcspn(text + gap, " \n\v");
        const char *word = text + gap;
        text = word + length;
        if (at > indent && at + gap + length > width())
            printf("\n%*s", at = indent, ""), gap = 0;
        at += printf("%*s%.*s", gap, "", length, word);
        if (*text == '\n')
            printf("\n%*s", at = indent, ""), text++;
    }
    printf("\n");
}

static int is_letter(int key)
{
    return key > 0 && key < 256;
}

static void put_option(const arguments_option *o)
{
    int at = is_letter(o->key) ? printf("  -%c, --%s", o->key, o->name) : printf("      --%s", o->name);
    if (o->argument)
        at += printf("=%s", o->argument);
    int column = doc_column();
    if (at >= column)
        printf("\n"), at = 0;
    printf("%*s", column - at, "");
    put_wrapped(o->doc, column, column);
}

/* By letter or else by name, whatever the case; of the same letter the small one first. */
static int compare(const void *x, const void *y)
{
    const arguments_option *a = *(const arguments_option *const *)x, *b = *(const arguments_option *const *)y;
    int of_a = is_letter(a->key) ? a->key : *a->name, of_b = is_letter(b->key) ? b->key : *b->name;
    int folded = (of_a | 0x20) - (of_b | 0x20);
    return folded ? folded : of_b - of_a;
}

static void put_usage(const char *program, const arguments *a)
{
    int at = (int)strlen("Usage:");
    printf("%sUsage:%s", style_bold(stdout), style_end(stdout));
    at += printf(" %s [OPTION...]%s", program, a->words ? " " : "");
    put_wrapped(a->words ? a->words : "", at, 4);
}

static void put_help(const char *program, const arguments *a)
{
    const arguments_option *sorted[MOST];
    const char *behind = strchr(a->doc, '\v');
    int count = 0;
    put_usage(program, a);
    put_wrapped(a->doc, 0, 0);
    printf("\n");
    for (const arguments_option *o = a->options; o && o->name; o++)
        sorted[count++] = o;
    qsort(sorted, (size_t)count, sizeof *sorted, compare);
    for (int i = 0; i < count; i++)
        put_option(sorted[i]);
    for (int i = 0; i < COMMON; i++)
        put_option(&common[i]);
    if (behind)
        printf("\n"), put_wrapped(behind + 1, 0, 0);
}

void arguments_wrong(const char *program, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    fprintf(stderr, "%s%s:%s ", style_red(stderr), program, style_end(stderr));
    vfprintf(stderr, format, list);
    fprintf(stderr, "\nTry `%s --help' for more information.\n", program);
    va_end(list);
    exit(EXIT_USAGE);
}

/* ---- input ---- */

/* The options as getopt_long has them. */
typedef struct table {
    const arguments_option *row[MOST];
    struct option longs[MOST];
    char letters[3 * MOST + 2];
} table;

static void add(table *t, int *count, char **letter, const arguments_option *o)
{
    t->row[*count] = o;
    t->longs[(*count)++] = (struct option){o->name, o->argument ? required_argument : no_argument, NULL, o->key};
    if (!is_letter(o->key))
        return;
    *(*letter)++ = (char)o->key;
    if (o->argument)
        *(*letter)++ = ':';
}

static void make_table(table *t, const arguments *a)
{
    int count = 0;
    char *letter = t->letters;
    if (a->words_first)
        *letter++ = '+';
    *letter++ = ':'; /* a missing value is told from an unknown option */
    for (const arguments_option *o = a->options; o && o->name && count < MOST - COMMON - 1; o++)
        add(t, &count, &letter, o);
    for (int i = 0; i < COMMON; i++)
        add(t, &count, &letter, &common[i]);
}

static const arguments_option *row_of(const table *t, int key)
{
    int i = 0;
    while (t->row[i] && t->row[i]->key != key)
        i++;
    return t->row[i];
}

static void answer(int key, const char *program, const arguments *a)
{
    if (key == HELP)
        put_help(program, a);
    else if (key == USAGE)
        put_usage(program, a);
    else
        printf("facula %s\n", fa_version());
    exit(0);
}

/* An option that is not there: `word` is as it was given, "--epohcs=3". */
static void unknown(const table *t, const char *program, const char *word)
{
    const char *names[MOST + 1] = {NULL};
    char name[64], hint[100];
    int matches = 0;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(word + 2, "="), word + 2);
    for (int i = 0; t->row[i]; i++) {
        names[i] = t->row[i]->name;
        matches += !strncmp(names[i], name, strlen(name));
    }
    if (matches > 1)
        arguments_wrong(program, "--%s is the beginning of several options", name);
    arguments_wrong(program, "there is no option --%s%s", name, style_hint(name, names, hint, sizeof hint));
}

/* What getopt_long refused, which answered `key`. */
static void refused(const table *t, int key, char **argv)
{
    const arguments_option *o = optopt ? row_of(t, optopt) : NULL;
    if (key == ':' && o)
        arguments_wrong(argv[0], "--%s: its %s is missing", o->name, o->argument);
    if (o)
        arguments_wrong(argv[0], "--%s has no value", o->name);
    if (optopt)
        arguments_wrong(argv[0], "there is no option -%c", optopt);
    unknown(t, argv[0], argv[optind - 1]);
}

int arguments_read(int argc, char **argv, const arguments *a)
{
    table t = {0};
    make_table(&t, a);
    optind = 0; /* once more from the start */
    opterr = 0;
    for (int key; (key = getopt_long(argc, argv, t.letters, t.longs, NULL)) != -1;) {
        const arguments_option *o = row_of(&t, key);
        if (!o)
            refused(&t, key, argv);
        if (key == HELP || key == USAGE || key == VERSION)
            answer(key, argv[0], a);
        a->take(a->context, o, optarg);
    }
    return optind;
}
