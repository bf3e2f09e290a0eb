/* A progress bar that is redrawn in place on a terminal. */
#ifndef PROGRESS_H
#define PROGRESS_H
#include <stdbool.h>
#include <stdint.h>

typedef struct progress {
    const char *label;
    int64_t steps, done;
    int width; /* width of the bar in characters; 0: not shown */
    int room;  /* width of the text after the bar */
    int part;  /* how much of it is filled */
    bool shown;
    double when; /* time of the last drawing, in seconds */
} progress;

/* steps: total number of ticks, of which `done` are complete; `label` is shown before the bar, and must stay valid.
 * The bar is not shown if quiet is set, or if standard output is not a terminal, cannot clear a line, or is too
 * narrow. */
progress progress_begin(int64_t steps, int64_t done, const char *label, bool quiet);
/* Reports a complete step. True if there is something new to show: about forty times in all, and on a terminal twice
 * a second. */
bool progress_tick(progress *bar);
/* Draws the bar, followed by as much of a text as fits. */
void progress_draw(progress *bar, const char *text);
/* Erases the bar, so that a line can be printed. */
void progress_clear(progress *bar);
/* The width of the terminal on standard output; 80 if there is none or it is unknown. */
int progress_columns(void);
/* A monotonic clock, in seconds. */
double progress_now(void);
/* Formats a duration in seconds: "1:05", "2:00:09". */
const char *progress_time(double seconds, char *text, int room);
#endif
