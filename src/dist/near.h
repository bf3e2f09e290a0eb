/* Memory that two ranks of one machine share: a ring of bytes in each direction. */
#ifndef FA__DIST_NEAR_H
#define FA__DIST_NEAR_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

typedef struct fa__near fa__near;

/* Where another process finds the memory. `number` is random, and part of the memory's name: a process on another
 * machine with the same process number is not mistaken for it. */
typedef struct fa__near_offer {
    uint64_t number;
    int64_t process;
    int32_t file, ring; /* file descriptor; bytes of a ring */
} fa__near_offer;

/* Memory for two of `ranks` ranks, and where it is. NULL if there is none, which is no error: sockets do as well. */
fa__near *fa__near_new(int ranks, fa__near_offer *offer);
/* The memory that another process made. NULL: it cannot be reached, as that process is on another machine or in another
 * container. */
fa__near *fa__near_open(const fa__near_offer *offer);
/* The other process has opened the memory, or cannot: its file descriptor is not needed any more. */
void fa__near_opened(fa__near *n);
/* For two threads of one process: both free it. */
fa__near *fa__near_share(fa__near *n);
void fa__near_free(fa__near *n);

/* Copies the parts, or as much of them as there is room for, into the ring that the rank `side` (0 or 1) writes to; how
 * many bytes, which the other one sees at once. `wakes`: it sleeps, and has to be woken. */
size_t fa__near_put(fa__near *n, int side, const struct iovec *part, int parts, bool *wakes);
/* Copies up to `bytes` from the ring that the other one writes to. */
size_t fa__near_take(fa__near *n, int side, void *into, size_t bytes, bool *wakes);
/* Whether something can be taken, or put. */
bool fa__near_ready(const fa__near *n, int side, bool takes);
/* From now on the other one is told that this one has to be woken, when there is something to take or room to put.
 * After `sleeps` was set, fa__near_ready() has to be asked again. */
void fa__near_sleep(fa__near *n, int side, bool takes, bool sleeps);
#endif
