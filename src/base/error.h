/* Raising errors, and moving them: into a slot of the caller's, between threads. The public half is facula/error.h. */
#ifndef FA__BASE_ERROR_H
#define FA__BASE_ERROR_H
#include "base/thread.h"
#include <facula/error.h>

/* Raises an error unless one stands. Works without memory. Always false: `return fa__fail(...)`. */
bool fa__fail(fa_code code, const char *format, ...) FA__PRINTF(2, 3) __attribute__((__cold__));

/* The same for an error whose message is to be finished by the call that it happened in, which knows its operands:
 * until something is added to the message, `unfinished` is set. */
bool fa__fail_unfinished(fa_code code, const char *format, ...) FA__PRINTF(2, 3) __attribute__((__cold__));

/* Whether an error stands; does not count as looking at it. */
static inline bool fa__failed(void)
{
    return fa__self->error->code != FA_OK;
}

/* Puts text and ": " in front of the message of the standing error, as "fa_zeros(shape=(3,))"; nothing if none stands.
 * Where both are too long the text is cut, and then the beginning of the message: its end tells the reason. */
void fa__error_within(const char *format, ...) FA__PRINTF(1, 2) __attribute__((__cold__));

/* The same with "fa_" and a name, unless the message begins with a function already. */
void fa__error_named(const char *name) __attribute__((__cold__));

/* Makes *slot the place of this thread's errors (NULL: the thread's own) and returns the previous place (NULL: the
 * thread's own), to be put back later. slot has to outlive its use. */
fa_error *fa__error_use(fa_error *slot);

/* Moves an error here, such as one of another thread: raises it unless one stands, and leaves *from without one. */
void fa__error_hand_over(fa_error *from);

/* Tells the log about an error that nobody looked at, and marks it as looked at. */
void fa__error_report(fa_error *error);
#endif
