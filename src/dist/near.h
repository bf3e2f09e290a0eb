/* Memory that two ranks of one machine share: two rings of bytes in each direction. Messages of up to FA__NEAR_SHORT
 * bytes of data, and the frames of others, go through a short ring, which stays in the caches of both cores; the data
 * of others goes through a long one. */
#ifndef FA__DIST_NEAR_H
#define FA__DIST_NEAR_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

typedef struct fa__near fa__near;

typedef enum fa__near_ring { FA__NEAR_SHORT_RING, FA__NEAR_LONG_RING } fa__near_ring;
enum { FA__NEAR_SHORT = 4096 };

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

/* Copies the parts into a ring that the rank `side` (0 or 1) writes to: all or nothing into the short one, as much as
 * there is room for into the long one. How many bytes, which the other one sees at once. `wakes`: it sleeps, and has to
 * be woken. */
size_t fa__near_put(fa__near *n, int side, fa__near_ring which, const struct iovec *part, int parts, bool *wakes);
/* Copies up to `bytes` from a ring that the other one writes to; from the short one, `bytes` is what is left of a part
 * that was put. */
size_t fa__near_take(fa__near *n, int side, fa__near_ring which, void *into, size_t bytes, bool *wakes);
/* What a frame and data need in the short ring. */
size_t fa__near_room(size_t frame, size_t bytes);
/* Whether something can be taken, or put: fa__near_room() into the short ring, bytes into the long one. */
bool fa__near_ready(const fa__near *n, int side, fa__near_ring which, bool takes, size_t room);
/* Whether the other one has to be woken, as it fell asleep while this one put or took something. To be asked behind a
 * sequentially consistent fence before this one waits or turns to something else. */
bool fa__near_wakes(fa__near *n, int side, bool takes);
/* From now on the other one is told that this one has to be woken, when there is something to take or room to put.
 * After `sleeps` was set, fa__near_ready() has to be asked again. */
void fa__near_sleep(fa__near *n, int side, bool takes, bool sleeps);
#endif
