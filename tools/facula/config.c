/* Files of options: a line `name = value` for each, and comments that begin with #. */
#include "network.h"
#include "style.h"
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A line without what surrounds it, in place. */
static char *trimmed(char *text)
{
    while (isspace((unsigned char)*text))
        text++;
    size_t length = strlen(text);
    while (length && isspace((unsigned char)text[length - 1]))
        text[--length] = 0;
    return text;
}

/* A value without the quotes around it, in place: as in TOML, quotes make no difference here. */
static char *unquoted(char *text)
{
    size_t length = strlen(text);
    if (length < 2 || (*text != '"' && *text != '\'') || text[length - 1] != *text)
        return text;
    text[length - 1] = 0;
    return text + 1;
}

static int unknown(const char *path, int line, const char *name)
{
    const char *names[SETTINGS] = {NULL};
    char hint[100];
    int count = 0;
    for (const setting *row = setting_rows; row->name; row++)
        if (row->commands & TRAIN || row == setting_rows)
            names[count++] = row->name;
    const char *like = style_hint(name, names, hint, sizeof hint);
    return command_wrong("%s:%d: there is no option \"%s\"%s", path, line, name,
                         *like ? like : ": `facula train --help` lists them");
}

/* A flag is `true` or `false`, in a file. */
static bool read_value(settings *s, const setting *row, const char *value)
{
    bool off = !strcmp(value, "false") || !strcmp(value, "0"), on = !strcmp(value, "true") || !strcmp(value, "1");
    if (row->kind == FLAG)
        return (off || on) && setting_read(s, row, on ? "1" : "0");
    return *value && setting_read(s, row, value);
}

/* Ends a line where a comment begins: at a # that begins a word. */
static void cut_comment(char *text)
{
    char *c = text;
    while (*c && (*c != '#' || (c > text && !isspace((unsigned char)c[-1]))))
        c++;
    *c = 0;
}

/* Takes one line; what was given before stays. Values belong to the scope. */
static int read_line(settings *s, const char *path, int line, char *text)
{
    cut_comment(text);
    text = trimmed(text);
    char *equals = strchr(text, '=');
    if (!*text)
        return 0;
    if (!equals)
        return command_wrong(
            "%s:%d: \"%s\" is not of the form `name = value` (`name = true` for an option without a value)", path, line,
            text);
    *equals = 0;
    const char *name = trimmed(text), *value = unquoted(trimmed(equals + 1));
    const setting *row = setting_named(name);
    if (!row->name || (row != setting_rows && !(row->commands & TRAIN)) || row == setting_named("config"))
        return unknown(path, line, name);
    if (setting_given(s, name) || (row == setting_rows && s->arguments))
        return 0;
    char *kept = scratch(strlen(value) + 1);
    if (!kept)
        return command_failed();
    if (!read_value(s, row, strcpy(kept, value)))
        return command_wrong("%s:%d: %s cannot be \"%s\"", path, line, name, value);
    s->given |= UINT64_C(1) << (row - setting_rows);
    return 0;
}

int config_read(settings *s)
{
    FILE *file = fopen(s->config, "r");
    char *line = NULL;
    size_t room = 0;
    int wrong = 0, number = 0;
    if (!file)
        return command_wrong("--config: %s: %s", s->config, strerror(errno));
    errno = 0;
    while (!wrong && getline(&line, &room, file) > 0)
        wrong = read_line(s, s->config, ++number, line);
    if (!wrong && ferror(file))
        wrong = command_wrong("--config: %s: %s", s->config, strerror(errno));
    free(line);
    fclose(file);
    return wrong;
}
