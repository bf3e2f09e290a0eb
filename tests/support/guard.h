/* Memory whose borders are watched: every block of the library's host memory stands between sentinels. */
#ifndef FA__TESTS_GUARD_H
#define FA__TESTS_GUARD_H
#include <stdbool.h>
#include <stddef.h>

/* Makes the library take its memory from here, each piece by itself. To be called first in main. */
bool guard_start(void);
/* How many blocks were freed with a broken border since the last call. */
int guard_broken(void);

/* Fills bytes with the pattern of sentinels; tells whether they still have it. */
void guard_fill(void *at, size_t bytes);
bool guard_intact(const void *at, size_t bytes);
#endif
