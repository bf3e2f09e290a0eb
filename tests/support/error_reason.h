/* For tests that compare messages of errors in full. */
#ifndef ERROR_REASON_H
#define ERROR_REASON_H
#include <facula/error.h>
#include <string.h>

/* The message without the line of the call in front ("tests/core/scope.c:41: "), or its address ("core_scope+0x12ab:
 * "). */
static inline const char *error_reason(void)
{
    const char *message = fa_error_message(), *end = strstr(message, ": "), *line = strstr(message, ".c:"),
               *address = strstr(message, "+0x");
    bool starts = end
                  && ((line && line < end && line + 3 + strspn(line + 3, "0123456789") == end)
                      || (address && address < end && address + 3 + strspn(address + 3, "0123456789abcdef") == end));
    return starts ? end + 2 : message;
}
#endif
