/* Setting errors, and moving them between threads and user-supplied structs. The public functions are declared in
 * facula/error.h. */
#ifndef FA__BASE_ERROR_H
#define FA__BASE_ERROR_H
#include "base/thread.h"
#include <facula/error.h>

/* Sets an error, unless one is set already. Needs no memory. Always false: `return fa__fail(...)`. */
bool fa__fail(fa_code code, const char *format, ...) FA__PRINTF(2, 3) __attribute__((__cold__));

/* The same for an error to which the call in progress will append its operands: `unfinished` is set until something
 * is appended to the message. */
bool fa__fail_unfinished(fa_code code, const char *format, ...) FA__PRINTF(2, 3) __attribute__((__cold__));

/* True if an error is set; does not mark it as seen. */
static inline bool fa__failed(void)
{
    return fa__self->error->code != FA_OK;
}

/* Prepends text and ": " to the message of the current error, such as "fa_zeros(shape=(3,))"; does nothing if there
 * is none. If the result is too long, the text is truncated first, then the start of the message, as its end contains
 * the reason. */
void fa__error_within(const char *format, ...) FA__PRINTF(1, 2) __attribute__((__cold__));

/* The same with "fa_" and a name, unless the message already starts with a function name. */
void fa__error_named(const char *name) __attribute__((__cold__));

/* True if the message begins with the function of `call`, such as "fa_add(x=...)", already, and for a fault on a
 * device, which an earlier call caused. */
bool fa__error_names(const char *call) __attribute__((__cold__));

/* Where the program called, for an error that was raised without a line. */
void fa__error_at(const void *site) __attribute__((__cold__));

/* Makes *slot the error of this thread (NULL: the thread's own), and returns the previous one in the same form, for
 * restoring it. slot must stay valid until then. */
fa_error *fa__error_use(fa_error *slot);

/* Logs an error that the program never looked at, and marks it as seen. */
void fa__error_report(fa_error *error);
#endif
