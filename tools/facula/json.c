/* Writes JSON to a file, member by member. */
#include "json.h"
#include <inttypes.h>
#include <math.h>

/* The number of bytes of the UTF-8 character at the start of the text; 0 if it is invalid. */
static int character(const unsigned char *text)
{
    static const struct {
        unsigned char from, to, second_from, second_to;
        int length;
    } forms[] = {{0x01, 0x7F, 0, 0, 1},       {0xC2, 0xDF, 0x80, 0xBF, 2}, {0xE0, 0xE0, 0xA0, 0xBF, 3},
                 {0xE1, 0xEC, 0x80, 0xBF, 3}, {0xED, 0xED, 0x80, 0x9F, 3}, {0xEE, 0xEF, 0x80, 0xBF, 3},
                 {0xF0, 0xF0, 0x90, 0xBF, 4}, {0xF1, 0xF3, 0x80, 0xBF, 4}, {0xF4, 0xF4, 0x80, 0x8F, 4}};
    size_t i = 0, forms_count = sizeof forms / sizeof *forms;
    while (i < forms_count && (text[0] < forms[i].from || text[0] > forms[i].to))
        i++;
    if (i == forms_count)
        return 0;
    bool good = forms[i].length == 1 || (text[1] >= forms[i].second_from && text[1] <= forms[i].second_to);
    for (int k = 2; good && k < forms[i].length; k++)
        good = text[k] >= 0x80 && text[k] <= 0xBF;
    return good ? forms[i].length : 0;
}

bool json_is_text(const char *text)
{
    int length;
    while (*text && (length = character((const unsigned char *)text)))
        text += length;
    return !*text;
}

/* Bytes that are not valid UTF-8, which file names may contain, become the replacement character. */
static void put_text(json *j, const char *text)
{
    int length;
    putc('"', j->file);
    for (; *text; text += length ? length : 1) {
        length = character((const unsigned char *)text);
        if (!length)
            fputs("\\ufffd", j->file);
        else if (*text == '"' || *text == '\\')
            fprintf(j->file, "\\%c", *text);
        else if (length == 1 && *text < ' ')
            fprintf(j->file, "\\u%04x", (unsigned)*text);
        else
            fwrite(text, 1, (size_t)length, j->file);
    }
    putc('"', j->file);
}

static void new_line(json *j)
{
    if (j->line)
        fputs(j->first ? "" : " ", j->file);
    else
        fprintf(j->file, "\n%*s", 2 * j->depth, "");
}

/* Writes what precedes a value. */
static void begin(json *j, const char *name)
{
    if (j->depth) {
        fputs(j->first ? "" : ",", j->file);
        new_line(j);
    }
    if (name) {
        put_text(j, name);
        fputs(": ", j->file);
    }
    j->first = false;
}

void json_open(json *j, const char *name, char bracket)
{
    begin(j, name);
    putc(bracket, j->file);
    j->depth++;
    j->first = true;
}

void json_close(json *j, char bracket)
{
    j->depth--;
    if (!j->line && !j->first)
        new_line(j);
    putc(bracket, j->file);
    j->first = false;
    if (!j->depth)
        putc('\n', j->file);
}

void json_text(json *j, const char *name, const char *text)
{
    begin(j, name);
    put_text(j, text);
}

void json_whole(json *j, const char *name, int64_t value)
{
    begin(j, name);
    fprintf(j->file, "%" PRId64, value);
}

void json_number(json *j, const char *name, double value)
{
    begin(j, name);
    if (isfinite(value))
        fprintf(j->file, "%.10g", value);
    else
        fputs("null", j->file);
}
