/* A bar on a terminal, that is drawn over itself. */
#include "progress.h"
#include <stdio.h>
#include <unistd.h>

enum { WIDTH = 40 };

progress progress_begin(int64_t steps, bool quiet)
{
    return (progress){.steps = steps > 0 ? steps : 1, .shown = !quiet && isatty(STDOUT_FILENO), .last = -1};
}

void progress_tick(progress *bar, const char *label)
{
    static const char full[] = "########################################";
    int part = (int)(++bar->done * WIDTH / bar->steps);
    if (!bar->shown || part == bar->last || part > WIDTH)
        return;
    bar->last = part;
    printf("\r%s [%-*.*s] %3d%%", label, (int)WIDTH, part, full, part * 100 / WIDTH);
    fflush(stdout);
}

void progress_clear(progress *bar)
{
    if (bar->shown)
        printf("\r\033[K");
    bar->last = -1;
}
