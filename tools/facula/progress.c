/* A bar on a terminal, that is drawn over itself. */
#include "progress.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { WIDEST = 40, NARROWEST = 5, AROUND = 9 /* " [", "] 100%", the cursor */ };

/* What is left of a line of the terminal: a bar that wraps round could not be drawn over. */
static int width_of(const char *label)
{
    const char *kind = getenv("TERM");
    struct winsize size = {0};
    if (!isatty(STDOUT_FILENO) || (kind && !strcmp(kind, "dumb")))
        return 0;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) || !size.ws_col)
        size.ws_col = 80;
    int left = (int)size.ws_col - (int)strlen(label) - AROUND;
    return left < NARROWEST ? 0 : left < WIDEST ? left : WIDEST;
}

progress progress_begin(int64_t steps, const char *label, bool quiet)
{
    return (progress){.label = label, .steps = steps > 0 ? steps : 1, .width = quiet ? 0 : width_of(label), .last = -1};
}

void progress_tick(progress *bar)
{
    static const char full[WIDEST + 1] = "########################################";
    int part = (int)(++bar->done * bar->width / bar->steps);
    if (!bar->width || part == bar->last || part > bar->width)
        return;
    bar->last = part;
    printf("\r%s [%-*.*s] %3d%%", bar->label, bar->width, part, full, part * 100 / bar->width);
    fflush(stdout);
}

void progress_clear(progress *bar)
{
    if (bar->last >= 0) {
        printf("\r\033[K");
        fflush(stdout); /* what goes to standard error next must not stand on the bar's line */
    }
    bar->last = -1;
}
