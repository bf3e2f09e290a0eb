/* CSV files (RFC 4180): rows of fields between delimiters; a field between double quotes may have any bytes, and two
 * quotes for one. Fields are unquoted in place. */
#define _GNU_SOURCE /* strtod_l */
#include "data/csv.h"
#include <facula/error.h>
#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { LONGEST_NUMBER = 400 };

static void csv_destroy(void *object)
{
    free(((fa__csv *)object)->field);
    free(((fa__csv *)object)->line);
}

static const fa_object_type csv_type = {"csv", csv_destroy};

/* What is being parsed. */
typedef struct parser {
    fa__csv *csv;
    const char *name;
    char *at, *end;
    int64_t line, column; /* of the current row, and of its current field, from 1 */
} parser;

static bool wrong(const parser *p, const char *what)
{
    return fa_fail(FA_ERROR_FILE, "%s:%" PRId64 ":%" PRId64 ": %s", p->name, p->line, p->column, what);
}

/* ---- room ---- */

/* A list with twice the room; NULL and an error if memory ran out: then the old one is still there. */
static void *grow(void *list, int64_t *room, size_t size)
{
    int64_t larger = *room ? 2 * *room : 256;
    void *there = realloc(list, (size_t)larger * size);
    if (there)
        *room = larger;
    else
        fa_fail(FA_ERROR_MEMORY, "fa_data_csv: out of memory for %" PRId64 " fields", larger);
    return there;
}

/* Adds a field, and the line of its row. */
static bool add_field(const parser *p, fa__csv_field field)
{
    fa__csv *c = p->csv;
    int64_t fields = c->rows * c->columns + p->column - 1;
    if (fields == c->room) {
        fa__csv_field *more = grow(c->field, &c->room, sizeof *c->field);
        if (!more)
            return false;
        c->field = more;
    }
    if (c->rows == c->lines) {
        int64_t *more = grow(c->line, &c->lines, sizeof *c->line);
        if (!more)
            return false;
        c->line = more;
    }
    c->field[fields] = field;
    c->line[c->rows] = p->line;
    return true;
}

/* ---- fields ---- */

static bool ends_field(const parser *p, const char *at)
{
    return at == p->end || *at == p->csv->delimiter || *at == '\n'
           || (*at == '\r' && (at + 1 == p->end || at[1] == '\n'));
}

/* Reads a field between quotes, the first of which is at p->at; *newlines counts its line ends. */
static bool read_quoted(parser *p, int64_t *length, int64_t *newlines)
{
    char *from = p->at + 1, *to = p->at;
    for (; from < p->end && (*from != '"' || (from + 1 < p->end && from[1] == '"')); from++) {
        from += *from == '"';
        *newlines += *from == '\n';
        *to++ = *from;
    }
    if (from == p->end)
        return wrong(p, "a quote begins here that does not end");
    *length = to - p->at;
    p->at = from + 1;
    return ends_field(p, p->at) || wrong(p, "there is something between the end of a quote and the delimiter");
}

/* Reads a field, and puts a zero byte behind it. p->at is then the byte that ended it. */
static bool read_field(parser *p, int64_t *newlines)
{
    char *text = p->at;
    int64_t length = 0;
    if (p->at < p->end && *p->at == '"') {
        if (!read_quoted(p, &length, newlines))
            return false;
    } else {
        while (!ends_field(p, p->at))
            p->at++;
        length = p->at - text;
    }
    return add_field(p, (fa__csv_field){text, length});
}

static bool wrong_count(const parser *p)
{
    char text[128];
    bool more = p->column > p->csv->columns;
    snprintf(text, sizeof text, "the line has %s%" PRId64 " fields, and the first one %" PRId64,
             more ? "more than " : "", more ? p->csv->columns : p->column, p->csv->columns);
    return wrong(p, text);
}

/* Reads a row and its line end. The first one gives the number of columns. */
static bool read_row(parser *p)
{
    int64_t newlines = 1;
    for (p->column = 1;; p->column++) {
        if (p->csv->columns && p->column > p->csv->columns)
            return wrong_count(p);
        if (!read_field(p, &newlines))
            return false;
        if (p->at == p->end || *p->at != p->csv->delimiter)
            break;
        p->at++;
    }
    if (p->csv->rows && p->column != p->csv->columns)
        return wrong_count(p);
    p->csv->columns = p->column;
    p->csv->rows++;
    p->at += p->at < p->end && *p->at == '\r';
    p->at += p->at < p->end;
    p->line += newlines;
    return true;
}

static bool skip_empty_line(parser *p)
{
    int64_t length = p->at < p->end && *p->at == '\r' && p->at + 1 < p->end ? 2 : 1;
    if (p->at == p->end || p->at[length - 1] != '\n')
        return false;
    p->at += length;
    p->line++;
    return true;
}

static char delimiter_of(const char *at, const char *end)
{
    static const char choice[] = {',', ';', '\t'};
    int64_t count[sizeof choice] = {0};
    size_t best = 0;
    bool quoted = false;
    for (; at < end && (quoted || *at != '\n'); at++) {
        quoted ^= *at == '"';
        for (size_t i = 0; !quoted && i < sizeof choice; i++)
            count[i] += *at == choice[i];
    }
    for (size_t i = 1; i < sizeof choice; i++)
        best = count[i] > count[best] ? i : best;
    return choice[best];
}

/* Lines that end by CR alone, as old programs for the Mac write them. */
static void mend_line_ends(char *text, int64_t size)
{
    for (int64_t i = memchr(text, '\n', (size_t)size) ? size : 0; i < size; i++)
        text[i] = text[i] == '\r' ? '\n' : text[i];
}

/* Zero bytes behind the fields: written at the end, as they stand where delimiters and line ends were. */
static void end_fields(const fa__csv *c)
{
    for (int64_t i = 0; i < c->rows * c->columns; i++)
        c->field[i].text[c->field[i].length] = 0;
}

fa__csv *fa__csv_parse(const char *name, char *text, int64_t size, char delimiter)
{
    FA_SCOPE;
    fa__csv *c = fa_object_new(&csv_type, sizeof *c);
    if (!c)
        return NULL;
    parser p = {c, name, text, text + size, 1, 1};
    if (size >= 2 && (!memcmp(text, "\xff\xfe", 2) || !memcmp(text, "\xfe\xff", 2))) {
        fa_fail(FA_ERROR_FILE, "%s is in UTF-16, and a CSV file is read in UTF-8", name);
        return NULL;
    }
    mend_line_ends(text, size);
    p.at += size >= 3 && !memcmp(text, "\xef\xbb\xbf", 3) ? 3 : 0; /* byte order mark */
    c->delimiter = delimiter ? delimiter : delimiter_of(p.at, p.end);
    while (p.at < p.end)
        if (!skip_empty_line(&p) && !read_row(&p))
            return NULL;
    if (!c->rows) {
        fa_fail(FA_ERROR_FILE, "%s has no lines", name);
        return NULL;
    }
    end_fields(c);
    return fa_escape(c);
}

/* ---- values ---- */

/* A field without the blanks around it. */
static fa__csv_field trimmed(fa__csv_field f)
{
    size_t before = strspn(f.text, " \t");
    f.text += before;
    f.length -= (int64_t)before;
    while (f.length > 0 && strchr(" \t", f.text[f.length - 1]))
        f.length--;
    return f;
}

static bool is_word(fa__csv_field f, const char *word)
{
    return (int64_t)strlen(word) == f.length && !memcmp(f.text, word, (size_t)f.length);
}

bool fa__csv_missing(const fa__csv_field *field)
{
    static const char *const words[] = {"",    "NA",   "N/A",  "n/a",  "#N/A", "<NA>", "NaN",
                                        "nan", "-nan", "-NaN", "NULL", "null", "None", "?"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (is_word(trimmed(*field), words[i]))
            return true;
    return false;
}

/* inf and infinity in any case, with or without a sign. */
static bool read_infinite(fa__csv_field f, double *number)
{
    bool negative = f.length && *f.text == '-';
    size_t sign = f.length && (negative || *f.text == '+'), left = (size_t)f.length - sign;
    if (!(left == 3 && !strncasecmp(f.text + sign, "inf", left))
        && !(left == 8 && !strncasecmp(f.text + sign, "infinity", left)))
        return false;
    *number = negative ? -INFINITY : INFINITY;
    return true;
}

static locale_t c_locale;

static void open_locale(void)
{
    c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

bool fa__csv_number(const fa__csv_field *field, double *number)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    static const char allowed[] = "0123456789+-.eE \t";
    const char *begin = field->text;
    pthread_once(&once, open_locale);
    if (read_infinite(trimmed(*field), number))
        return true;
    if (field->length > LONGEST_NUMBER || (int64_t)strspn(begin, allowed) != field->length
        || !strpbrk(begin, "0123456789"))
        return false;
    char *end;
    *number = strtod_l(begin, &end, c_locale);
    end += strspn(end, " \t");
    return end > begin && !*end && end == begin + field->length;
}
