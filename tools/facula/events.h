/* Event files for TensorBoard. */
#ifndef EVENTS_H
#define EVENTS_H
#include "log.h"

/* Creates a file for the results of epochs in a folder, which is created if it is not there. NULL and an error on
 * failure. */
FILE *events_open(const char *folder);
/* Appends the results of an epoch, as scalars. False and an error on failure. */
bool events_write(FILE *file, int64_t epoch, const epoch_facts *facts);
#endif
