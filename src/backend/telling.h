/* Tellings: which threads were told of a fault, and when. A thread is told of a fault once, on whatever queues it meets
 * what came of it; of what the fault spoils after that it is told again. */
#ifndef FA__BACKEND_TELLING_H
#define FA__BACKEND_TELLING_H
#include <stdbool.h>
#include <stdint.h>

/* The number of this thread, from 1 on; and the last one that a thread was given. */
uint32_t fa__thread_number(void);
uint32_t fa__thread_last(void);

/* Those of one fault; NULL: there are none. All threads may use them. */
typedef struct fa__telling *fa__tellings;

/* How many there were so far, of all faults: the number of the last one. */
uint64_t fa__tellings_count(void);
/* This thread is told: the telling's number. Without memory nobody remembers it: it may be told once more. */
uint64_t fa__tellings_add(fa__tellings *);
/* Whether a thread, 0: any, was told behind number `since` and up to `until`. */
bool fa__tellings_have(const fa__tellings *, uint32_t thread, uint64_t since, uint64_t until);
/* Forgets all of them. */
void fa__tellings_end(fa__tellings *);
#endif
