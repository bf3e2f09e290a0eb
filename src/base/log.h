/* Messages: to the program's function (fa_set_log), or to standard error. */
#ifndef FA__BASE_LOG_H
#define FA__BASE_LOG_H
#include "base/types.h"
#include <facula/host.h>

/* Tells the log one line, without a newline. Messages over 1200 bytes are cut. */
void fa__log(fa_log_level level, const char *format, ...) FA__PRINTF(2, 3);

/* Whether FACULA_LOG asks for a topic: it is a list with commas, as "placement,memory", or "all". Read once. */
bool fa__log_wants(const char *topic);
#endif
