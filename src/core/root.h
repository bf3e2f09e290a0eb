/* Reports of a root scope that only grows. */
#ifndef FA__CORE_ROOT_H
#define FA__CORE_ROOT_H
#include "core/context.h"

/* Logs a warning if the root scope holds much; called when the list of what scopes hold has grown. */
void fa__root_check(fa__context *);
/* Says in the error of a failed allocation that the root scope holds much of the `allocated` bytes. */
void fa__root_out_of_memory(size_t allocated) __attribute__((__cold__));
#endif
