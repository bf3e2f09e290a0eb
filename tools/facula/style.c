/* Colors, width, and names that were mistyped. */
#include "style.h"
#include "progress.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- colors ---- */

static bool colored(FILE *file)
{
    const char *none = getenv("NO_COLOR"), *kind = getenv("TERM");
    return !(none && *none) && kind && strcmp(kind, "dumb") != 0 && isatty(fileno(file));
}

const char *style_bold(FILE *file)
{
    return colored(file) ? "\033[1m" : "";
}

const char *style_red(FILE *file)
{
    return colored(file) ? "\033[1;31m" : "";
}

const char *style_end(FILE *file)
{
    return colored(file) ? "\033[0m" : "";
}

bool style_narrow(int columns)
{
    return isatty(STDOUT_FILENO) && progress_columns() < columns;
}

/* ---- names ---- */

enum { LONGEST = 32 };

static int least(int a, int b)
{
    return a < b ? a : b;
}

/* Insertions, deletions, substitutions and swaps of neighbours that make one word of the other. */
static int distance(const char *a, const char *b)
{
    int n = (int)strlen(a), m = (int)strlen(b), row[3][LONGEST + 1];
    if (n > LONGEST || m > LONGEST)
        return LONGEST;
    for (int k = 0; k <= m; k++)
        row[0][k] = k;
    for (int i = 1; i <= n; i++) {
        int *now = row[i % 3], *before = row[(i + 2) % 3], *earlier = row[(i + 1) % 3];
        now[0] = i;
        for (int k = 1; k <= m; k++) {
            now[k] = least(least(now[k - 1], before[k]) + 1, before[k - 1] + (a[i - 1] != b[k - 1]));
            if (i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1])
                now[k] = least(now[k], earlier[k - 2] + 1);
        }
    }
    return row[n % 3][m];
}

const char *style_nearest(const char *word, const char *const *names)
{
    const char *best = NULL;
    int most = 1 + (int)strlen(word) / 4;
    for (; *names; names++) {
        int d = distance(word, *names);
        if (d <= most && d < (int)strlen(*names)) {
            best = *names;
            most = d - 1;
        }
    }
    return best;
}

const char *style_hint(const char *word, const char *const *names, char *text, size_t room)
{
    const char *near = style_nearest(word, names);
    *text = 0;
    if (near)
        snprintf(text, room, " (did you mean \"%s\"?)", near);
    return text;
}
