/* Basic types, and attributes that the library uses. */
#ifndef FA__BASE_TYPES_H
#define FA__BASE_TYPES_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FA__LIKELY(c) __builtin_expect(!!(c), 1)
#define FA__UNLIKELY(c) __builtin_expect(!!(c), 0)
#define FA__PRINTF(format, first) __attribute__((__format__(__printf__, format, first)))
#define FA__NOINLINE __attribute__((__noinline__))
/* Executed in every call: the linker places these functions together, so that they do not evict each other from the
 * cache. */
#define FA__HOT __attribute__((__hot__))
/* Rarely called: placed away from frequently executed code, like the branches that call it. */
#define FA__COLD __attribute__((__noinline__, __cold__))
#define FA__TLS _Thread_local __attribute__((__tls_model__("initial-exec")))
#endif
