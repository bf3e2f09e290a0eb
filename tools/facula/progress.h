/* A bar on a terminal, that is drawn over itself. */
#ifndef PROGRESS_H
#define PROGRESS_H
#include <stdbool.h>
#include <stdint.h>

typedef struct progress {
    int64_t steps, done;
    bool shown; /* standard output is a terminal */
    int last;   /* the tick of the bar that was drawn last */
} progress;

/* steps: ticks until the end; not shown when quiet, or when standard output is not a terminal. */
progress progress_begin(int64_t steps, bool quiet);
/* One step is done; `label` stands before the bar. */
void progress_tick(progress *bar, const char *label);
/* Removes the bar, so that a line can be printed. */
void progress_clear(progress *bar);
#endif
