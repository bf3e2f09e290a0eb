/* A bar on a terminal, that is drawn over itself. */
#ifndef PROGRESS_H
#define PROGRESS_H
#include <stdbool.h>
#include <stdint.h>

typedef struct progress {
    const char *label;
    int64_t steps, done;
    int width; /* of the bar in characters; 0: it is not shown */
    int room;  /* for what is told behind it */
    int part;  /* how much of it is full */
    bool shown;
    double when; /* it was drawn last, in seconds */
} progress;

/* steps: ticks until the end; `done` of them are over; `label` stands before the bar, and lives as long. Not shown when
 * quiet, or when standard output is no terminal, or one that cannot clear a line or has no room for it. */
progress progress_begin(int64_t steps, int64_t done, const char *label, bool quiet);
/* One step is done. Whether there is something new to show: some forty times, and on a terminal twice a second. */
bool progress_tick(progress *bar);
/* Draws it, and a text behind it as far as there is room. */
void progress_draw(progress *bar, const char *text);
/* Removes the bar, so that a line can be printed. */
void progress_clear(progress *bar);
/* How wide the terminal is that is standard output; 80 where there is none, or it does not tell. */
int progress_columns(void);
/* Seconds of a clock that only goes forward. */
double progress_now(void);
/* "1:05", "2:00:09": a time in seconds. */
const char *progress_time(double seconds, char *text, int room);
#endif
