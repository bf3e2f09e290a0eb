/* JSON on a file, member by member. */
#include "json.h"
#include <inttypes.h>
#include <math.h>

static void put_text(json *j, const char *text)
{
    putc('"', j->file);
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\')
            fprintf(j->file, "\\%c", c);
        else if (c < ' ')
            fprintf(j->file, "\\u%04x", c);
        else
            putc(c, j->file);
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

/* What stands before a value. */
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
