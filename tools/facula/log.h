/* A file with a line for each epoch. */
#ifndef LOG_H
#define LOG_H
#include "json.h"

/* What is known of an epoch, in the order of epochs; rate and seconds are NaN for those of an earlier process. */
typedef struct epoch_facts {
    double loss, accuracy; /* accuracy: 0 to 1 */
    double lr;             /* at its end */
    double rate, seconds;  /* samples a second, and how long it took */
} epoch_facts;

/* The members of an object that tells them. */
void epoch_json(json *j, int64_t epoch, const epoch_facts *facts);
/* How a file is written, by the ending of its name: ".csv" or ".jsonl"; false: by neither. */
bool log_knows(const char *path);
/* Opens it: anew (done is -1), or to write behind the lines of so many epochs: later ones are of a process that did not
 * live to save what they tell, and are cut off. NULL with an error. */
FILE *log_open(const char *path, int64_t done);
/* Adds a line, which is in the file when this returns. False and an error. */
bool log_write(FILE *file, const char *path, int64_t epoch, const epoch_facts *facts);
#endif
