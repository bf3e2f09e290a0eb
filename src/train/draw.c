/* Drawing of progress bars: one line, as wide as the terminal. */
#include "train/progress.h"
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { WIDEST = 30, NARROWEST = 5, COLUMNS = 80, LINE = 512, UNTIL = 3600 * 100 };

bool fa__progress_is_terminal(FILE *file)
{
    const char *kind = getenv("TERM");
    int number = fileno(file);
    return number >= 0 && isatty(number) && !(kind && !strcmp(kind, "dumb"));
}

static int columns_of(FILE *file)
{
    struct winsize size = {0};
    if (ioctl(fileno(file), TIOCGWINSZ, &size) || !size.ws_col)
        size.ws_col = COLUMNS;
    return size.ws_col;
}

/* A line of text, truncated when it is full. */
typedef struct line {
    char text[LINE];
    size_t length;
} line;

static void put(line *l, const char *format, ...) __attribute__((__format__(__printf__, 2, 3)));
static void put(line *l, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int n = vsnprintf(l->text + l->length, sizeof l->text - l->length, format, arguments);
    va_end(arguments);
    l->length += n < 0 ? 0 : (size_t)n;
    if (l->length >= sizeof l->text)
        l->length = sizeof l->text - 1;
}

/* "1:02:03", "0:04" */
static void put_time(line *l, double seconds)
{
    int64_t s = seconds < UNTIL ? (int64_t)ceil(seconds) : UNTIL;
    if (s >= 3600)
        put(l, "%" PRId64 ":%02d:%02d", s / 3600, (int)(s / 60 % 60), (int)(s % 60));
    else
        put(l, "%d:%02d", (int)(s / 60), (int)(s % 60));
}

/* Writes the numbers after the bar. */
static void put_numbers(line *l, const fa_progress *bar, double time)
{
    double passed = time - bar->begun, rate = passed > 0 ? (double)bar->done / passed : 0;
    if (bar->total)
        put(l, "%3d%%  %" PRId64 "/%" PRId64, (int)(100 * (double)bar->done / (double)bar->total), bar->done,
            bar->total);
    else
        put(l, "%" PRId64, bar->done);
    put(l, rate >= 100 ? "  %.0f/s  " : "  %.3g/s  ", rate);
    bool left = bar->done < bar->total && rate > 0;
    put_time(l, left ? (double)(bar->total - bar->done) / rate : passed);
    put(l, "%s", left ? " left" : "");
    for (int i = 0; i < bar->values; i++)
        if (bar->value[i].known)
            put(l, "  %s %.4g", bar->value[i].name, bar->value[i].shown);
}

/* Writes the bar, [####      ], as wide as there is room. */
static void put_bar(line *l, const fa_progress *bar, int room)
{
    static const char full[WIDEST + 1] = "##############################";
    int width = room < WIDEST ? room : WIDEST;
    if (width < NARROWEST || !bar->total)
        return;
    double part = bar->done < bar->total ? (double)bar->done / (double)bar->total : 1;
    put(l, "[%-*.*s] ", width, (int)(part * width), full);
}

void fa__progress_draw(fa_progress *bar, double time)
{
    line head = {.length = 0}, numbers = {.length = 0};
    bool over = bar->done == bar->total;
    bool begun = bar->drawn > bar->begun; /* lines were written before this one */
    int columns = bar->terminal ? columns_of(bar->file) : LINE - 1;
    bar->drawn = time;
    if (!bar->terminal && over && !begun)
        return;
    put(&head, "%s%s", bar->label, *bar->label ? " " : "");
    put_numbers(&numbers, bar, time);
    if (bar->terminal)
        put_bar(&head, bar, columns - (int)(head.length + numbers.length) - (int)sizeof "[]  ");
    put(&head, "%s", numbers.text);
    if (bar->terminal)
        fprintf(bar->file, "\r%.*s\033[K", columns - 1, head.text);
    else
        fprintf(bar->file, "%s\n", head.text);
    bar->line = bar->terminal;
    if (over)
        fa__progress_end_line(bar);
    fflush(bar->file);
}

void fa__progress_end_line(fa_progress *bar)
{
    if (!bar->line)
        return;
    fprintf(bar->file, "\n");
    fflush(bar->file);
    bar->line = false;
}

void fa__progress_wipe(fa_progress *bar)
{
    if (!bar->line)
        return;
    fprintf(bar->file, "\r\033[K");
    fflush(bar->file); /* later output to another file must not continue the line of the bar */
    bar->line = false;
}
