/* lines.h: macros that give calls of the functions in hand-written headers the line they are made from. */
#include "rows.h"
#include <ctype.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

/* Headers whose functions raise no errors, or are no calls of a program's own. */
static const char *const without[] = {"dtype.h",      "error.h", "facula.h", "lines.h",  "macros.h",
                                      "operations.h", "plain.h", "types.h",  "version.h"};

static bool is_without(const char *name)
{
    for (size_t i = 0; i < sizeof without / sizeof *without; i++)
        if (!strcmp(name, without[i]))
            return true;
    return false;
}

static bool is_of_name(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* The name of the function that a declaration behind FA_API declares: the word before the first parenthesis. */
static char *declared(const char *p)
{
    const char *end = p + strcspn(p, "(;"), *begin = end;
    while (*end == '(' && begin > p && is_of_name(begin[-1]))
        begin--;
    return rows_copy(begin, (size_t)(end - begin));
}

static bool has_macro(const char *header, const char *name)
{
    const char *wanted = rows_format("#define %s(", name);
    return strstr(header, wanted) != NULL;
}

static void put_lines(text *t, const char *folder, const char *name)
{
    size_t length;
    const char *header = file_read(rows_format("%s/%s", folder, name), &length), *last = "";
    for (const char *p = header; p && (p = strstr(p, "\nFA_API "));) {
        const char *function = declared(p += strlen("\nFA_API "));
        if (strncmp(function, "fa_", 3) != 0 || !strncmp(function, "fa__", 4) || has_macro(header, function)
            || !strcmp(function, last))
            continue;
        put(t, "#define %s(...) FA__CALLED(%s(__VA_ARGS__))\n", function, function);
        last = function;
    }
}

void write_lines(const char *folder)
{
    text t = {0}, body = {0};
    struct dirent **entry = NULL;
    int n = scandir(folder, &entry, NULL, alphasort);
    put(&t, "/* Calls of functions that need no other macro record their file and line (macros.h).\n *\n"
            " *  Written by facula-rows from the other headers. */\n"
            "#ifndef FACULA_LINES_H\n#define FACULA_LINES_H\n");
    for (int i = 0; i < n; i++) {
        const char *name = entry[i]->d_name;
        size_t length = strlen(name);
        if (length > 2 && !strcmp(name + length - 2, ".h") && !is_without(name)) {
            put(&t, "#include <facula/%s>\n", name);
            put_lines(&body, folder, name);
        }
        free(entry[i]);
    }
    free(entry);
    put(&t, "\n/* clang-format off */\n%s/* clang-format on */\n#endif\n", text_take(&body));
    file_write(rows_format("%s/lines.h", folder), &t);
}
