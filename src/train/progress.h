/* What a progress bar knows, and how it is drawn. */
#ifndef FA__TRAIN_PROGRESS_H
#define FA__TRAIN_PROGRESS_H
#include <facula/scope.h>
#include <facula/train.h>

typedef struct fa__progress_value {
    char name[32];
    bool known;
    double shown;      /* what arrived last; NaN if not known */
    fa_tensor *copy;   /* what is on its way; NULL: nothing */
    fa_event *arrival; /* of the copy */
} fa__progress_value;

struct fa_progress {
    fa_object base;
    FILE *file; /* NULL: nothing is drawn */
    int64_t total, done;
    double begun, drawn, interval; /* in seconds */
    bool terminal, line;           /* there is an open line on the terminal */
    int values;
    char label[64];
    fa__progress_value value[FA_MAX_PROGRESS_VALUES];
};

/* Whether a file is a terminal that can be drawn over. */
bool fa__progress_is_terminal(FILE *file);
void fa__progress_draw(fa_progress *bar, double time);
/* Ends the line that is open, or removes it. */
void fa__progress_end_line(fa_progress *bar);
void fa__progress_wipe(fa_progress *bar);
#endif
