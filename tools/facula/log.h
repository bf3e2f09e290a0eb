/* The log file of a run, with a line for each epoch. */
#ifndef LOG_H
#define LOG_H
#include "json.h"

/* The results of an epoch; rate and seconds are NaN for epochs of an earlier process. */
typedef struct epoch_facts {
    double loss, accuracy; /* accuracy: 0 to 1 */
    double lr;             /* learning rate at the end of the epoch */
    double rate, seconds;  /* samples per second, and duration */
} epoch_facts;

/* Writes the results as members of a JSON object. */
void epoch_json(json *j, int64_t epoch, const epoch_facts *facts);
/* True if the format is known from the file's extension: ".csv" or ".jsonl". */
bool log_knows(const char *path);
/* Opens the log: a new one (done is -1), or for appending after the given number of epochs. Lines of later epochs,
 * from a process that ended before it saved them, are removed. NULL and an error on failure. */
FILE *log_open(const char *path, int64_t done);
/* Appends a line and flushes it. False and an error on failure. */
bool log_write(FILE *file, const char *path, int64_t epoch, const epoch_facts *facts);
#endif
