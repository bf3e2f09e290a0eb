/* A bar on a terminal, that is drawn over itself. */
#ifndef PROGRESS_H
#define PROGRESS_H
#include <stdbool.h>
#include <stdint.h>

typedef struct progress {
    const char *label;
    int64_t steps, done;
    int width; /* of the bar in characters; 0: it is not shown */
    int last;  /* how many of them were full when it was drawn last; -1: it is not there */
} progress;

/* steps: ticks until the end; `label` stands before the bar, and lives as long. Not shown when quiet, or when standard
 * output is no terminal, or one that cannot clear a line or has no room for it. */
progress progress_begin(int64_t steps, const char *label, bool quiet);
/* One step is done. */
void progress_tick(progress *bar);
/* Removes the bar, so that a line can be printed. */
void progress_clear(progress *bar);
#endif
