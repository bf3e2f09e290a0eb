/* Counting cases. */
#include "support/check.h"
#include <facula/error.h>
#include <stdarg.h>
#include <stdio.h>

enum { MOST_LINES = 12 /* for each thing that cases are about */ };
static char about[1024];
static int passed, failed, lines;

static void more(void)
{
    if (lines > MOST_LINES)
        printf("%s: and %d more\n", about, lines - MOST_LINES);
    lines = 0;
}

void check_about(const char *format, ...)
{
    more();
    va_list list;
    va_start(list, format);
    vsnprintf(about, sizeof about, format, list);
    va_end(list);
}

bool check(bool ok, const char *format, ...)
{
    const char *error = fa_error_message();
    if (ok) {
        passed++;
    } else if (failed++, ++lines <= MOST_LINES) {
        va_list list;
        va_start(list, format);
        printf("%s: ", about);
        vprintf(format, list);
        printf("%s%s\n", *error ? ": " : "", error);
        va_end(list);
    }
    if (*error)
        fa_error_clear();
    return ok;
}

int check_failures(void)
{
    return failed;
}

int check_end(void)
{
    more();
    printf("%d passed, %d failed\n", passed, failed);
    return failed != 0;
}
