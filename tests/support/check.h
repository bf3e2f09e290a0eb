/* Counting cases that are too many for a function each: a line for each that fails, and `N passed, N failed` at the
 * end. */
#ifndef FA__TESTS_CHECK_H
#define FA__TESTS_CHECK_H
#include <stdbool.h>

/* Names what the next cases are about, as "src/ops/reduce.c:43: fa_sum [(3,4) dim=1]". */
void check_about(const char *format, ...) __attribute__((__format__(__printf__, 1, 2)));
/* Counts a case. When it is not ok, prints it with the standing error. Clears the error. Returns ok. */
bool check(bool ok, const char *format, ...) __attribute__((__format__(__printf__, 2, 3)));
/* The number of cases that failed so far. */
int check_failures(void);
/* Prints the counts; what main returns. */
int check_end(void);
#endif
