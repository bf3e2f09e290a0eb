/* Log messages, to the program's function (fa_set_log) or to standard error. */
#ifndef FA__BASE_LOG_H
#define FA__BASE_LOG_H
#include "base/types.h"
#include <facula/host.h>

/* Logs one line, without a newline. */
void fa__log(fa_log_level level, const char *format, ...) FA__PRINTF(2, 3);

/* True if FACULA_LOG enables a topic. It is a comma-separated list such as "placement,memory", or "all", and is read
 * once. */
bool fa__log_wants(const char *topic);
#endif
