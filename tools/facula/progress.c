/* A progress bar that is redrawn in place on a terminal. */
#include "progress.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

enum { WIDEST = 40, NARROWEST = 5, AROUND = 11 /* " [", "] 100%", the cursor, and "^C" */, TEXT = 42, PARTS = 40 };

static const double often = 0.5; /* seconds between redraws */

double progress_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

const char *progress_time(double seconds, char *text, int room)
{
    long s = seconds > 0 && seconds < 1e9 ? (long)(seconds + 0.5) : 0;
    if (s < 3600)
        snprintf(text, (size_t)room, "%ld:%02ld", s / 60, s % 60);
    else
        snprintf(text, (size_t)room, "%ld:%02ld:%02ld", s / 3600, s / 60 % 60, s % 60);
    return text;
}

int progress_columns(void)
{
    struct winsize size = {0};
    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) || !size.ws_col ? 80 : size.ws_col;
}

/* Columns that are left in a line of the terminal; a bar that wraps could not be redrawn. */
static int columns_behind(const char *label)
{
    const char *kind = getenv("TERM");
    if (!isatty(STDOUT_FILENO) || (kind && !strcmp(kind, "dumb")))
        return 0;
    return progress_columns() - (int)strlen(label) - AROUND;
}

progress progress_begin(int64_t steps, int64_t done, const char *label, bool quiet)
{
    int left = quiet ? 0 : columns_behind(label);
    progress bar = {.label = label, .steps = steps > 0 ? steps : 1, .done = done, .part = -1, .when = progress_now()};
    if (left >= NARROWEST + TEXT) {
        bar.room = TEXT;
        left -= TEXT;
    }
    bar.width = left < NARROWEST ? 0 : left < WIDEST ? left : WIDEST;
    return bar;
}

bool progress_tick(progress *bar)
{
    int parts = bar->width ? bar->width : PARTS;
    int part = (int)(++bar->done * parts / bar->steps);
    bool due = part != bar->part && part <= parts;
    bar->part = part;
    return due || (bar->width && progress_now() - bar->when > often);
}

void progress_draw(progress *bar, const char *text)
{
    static const char full[WIDEST + 1] = "########################################";
    if (!bar->width)
        return;
    printf("\r%s [%-*.*s] %3d%%%-*.*s", bar->label, bar->width, bar->part, full, bar->part * 100 / bar->width,
           bar->room, bar->room, text);
    fflush(stdout);
    bar->shown = true;
    bar->when = progress_now();
}

void progress_clear(progress *bar)
{
    if (bar->shown) {
        printf("\r\033[K");
        fflush(stdout); /* output to standard error must not continue the line of the bar */
    }
    bar->shown = false;
}
