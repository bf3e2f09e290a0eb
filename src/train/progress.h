/* The data of a progress bar, and functions that draw it. */
#ifndef FA__TRAIN_PROGRESS_H
#define FA__TRAIN_PROGRESS_H
#include <facula/scope.h>
#include <facula/train.h>

typedef struct fa__progress_value {
    char name[32];
    bool known;
    double shown;      /* last value that arrived; NaN: none */
    fa_tensor *copy;   /* pending copy; NULL: none */
    fa_event *arrival; /* marks the arrival of the copy */
} fa__progress_value;

struct fa_progress {
    fa_object base;
    FILE *file; /* NULL: draw nothing */
    int64_t total, done;
    double begun, drawn, interval; /* in seconds */
    bool terminal, line;           /* the terminal has an unfinished line */
    int values;
    char label[64];
    fa__progress_value value[FA_MAX_PROGRESS_VALUES];
};

/* True if a file is a terminal that supports redrawing. */
bool fa__progress_is_terminal(FILE *file);
void fa__progress_draw(fa_progress *bar, double time);
/* Ends the unfinished line, or erases it. */
void fa__progress_end_line(fa_progress *bar);
void fa__progress_wipe(fa_progress *bar);
#endif
