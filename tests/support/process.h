/* Other processes of a test. */
#ifndef FA__TESTS_PROCESS_H
#define FA__TESTS_PROCESS_H
#include <sys/types.h>

/* Waits for a child: its exit status, or 1000 and the signal that ended it; -1 when there is none. */
int status_of(pid_t child);
/* Runs this program again with something else in its environment, and a word that names what it has to do there.
 * Returns its status. */
int run_again(const char *variable, const char *value, const char *word);
#endif
