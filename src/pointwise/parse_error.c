/* What error texts about expressions are made of: the message, the name that was probably meant, the excerpt. */
#include "base/text.h"
#include "pointwise/lexer.h"
#include <string.h>

void fa__parse_error_set(fa__parse_error *error, int position, const char *format, ...)
{
    fa__text text = fa__text_in(error->message, sizeof error->message);
    va_list list;
    error->position = position;
    va_start(list, format);
    fa__text_add_list(&text, format, list);
    va_end(list);
}

enum { LONGEST = 15 }; /* no name in the language is longer */

/* What it takes to make b of a: 2 for each letter that is added or dropped, 3 for one that is changed. */
static int distance(const char *a, int na, const char *b)
{
    int nb = (int)strlen(b), row[LONGEST + 1];
    if (na > LONGEST || nb > LONGEST)
        return 2 * LONGEST;
    for (int j = 0; j <= nb; j++)
        row[j] = 2 * j;
    for (int i = 1; i <= na; i++) {
        int diagonal = row[0];
        row[0] = 2 * i;
        for (int j = 1; j <= nb; j++) {
            int changed = diagonal + (a[i - 1] != b[j - 1] ? 3 : 0),
                shorter = row[j] < row[j - 1] ? row[j] : row[j - 1];
            diagonal = row[j];
            row[j] = changed < shorter + 2 ? changed : shorter + 2;
        }
    }
    return row[nb];
}

/* What other languages call it. */
static const char *const other_names[][2] = {
    {"max", "maximum"},  {"fmax", "maximum"},     {"min", "minimum"},    {"fmin", "minimum"}, {"where", "select"},
    {"if", "select"},    {"fabs", "abs"},         {"ln", "log"},         {"power", "pow"},    {"float", "f32"},
    {"double", "f64"},   {"half", "f16"},         {"int", "i32"},        {"long", "i64"},     {"rand", "uniform"},
    {"randn", "normal"}, {"logistic", "sigmoid"}, {"truncate", "trunc"},
};

const char *fa__suggest(const char *word, int length, const char *const *known, int count)
{
    for (size_t i = 0; i < sizeof other_names / sizeof *other_names; i++)
        if ((int)strlen(other_names[i][0]) == length && !strncmp(word, other_names[i][0], (size_t)length))
            return other_names[i][1];
    const char *best = NULL;
    int least = 6; /* anything further is a different word */
    for (int i = 0; i < count; i++) {
        int cost = distance(word, length, known[i]) + (word[0] != known[i][0]);
        if (cost < least && cost < 2 * length)
            best = known[i], least = cost;
    }
    return best;
}

enum { BEFORE = 48, AFTER = 24 }; /* bytes of the excerpt around the position */

static bool continues_character(char c)
{
    return ((unsigned char)c & 0xc0) == 0x80;
}

/* Bytes of an expression in quotes, on one line. */
static void add_quoted(fa__text *out, const char *text, const char *from, const char *to)
{
    fa__text_add(out, "\"%s", from > text ? "..." : "");
    for (; from < to; from++)
        fa__text_add(out, "%c", (unsigned char)*from < ' ' ? ' ' : *from);
    fa__text_add(out, "%s\"", *to ? "..." : "");
}

char *fa__parse_error_render(const char *text, const fa__parse_error *error, char *buffer, size_t size)
{
    size_t length = strlen(text), at = error->position < 0 ? 0 : (size_t)error->position;
    at = at < length ? at : length;
    const char *begin = at > BEFORE ? text + at - BEFORE : text;
    const char *end = length - at > AFTER ? text + at + AFTER : text + length;
    while (begin < text + at && continues_character(*begin))
        begin++;
    while (end < text + length && continues_character(*end))
        end++;

    fa__text out = fa__text_in(buffer, size);
    fa__text_add(&out, "in ");
    add_quoted(&out, text, begin, end);
    fa__text_add(&out, " at %zu", at);
    if (at && at < length) {
        fa__text_add(&out, ", before ");
        add_quoted(&out, text + at, text + at, end);
    }
    fa__text_add(&out, ": %s", error->message);
    return buffer;
}
