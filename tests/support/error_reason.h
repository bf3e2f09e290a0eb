/* For tests that compare messages of errors in full. */
#ifndef ERROR_REASON_H
#define ERROR_REASON_H
#include <facula/error.h>
#include <string.h>

/* The error's message without the line of the call in front. */
static inline const char *error_reason(void)
{
    const char *message = fa_error_message(), *line = strstr(message, ".c:");
    size_t digits = line ? strspn(line + 3, "0123456789") : 0;
    return digits && !strncmp(line + 3 + digits, ": ", 2) ? line + 3 + digits + 2 : message;
}
#endif
