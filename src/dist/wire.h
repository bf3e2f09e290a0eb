/* Messages between the ranks of a group, over one socket for each pair. */
#ifndef FA__DIST_WIRE_H
#define FA__DIST_WIRE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct fa__wire {
    int rank, size;
    double timeout;    /* seconds without any progress */
    uint64_t number;   /* of the present collective */
    char failure[400]; /* why the group cannot be used any more; "": it can */
    int socket[];      /* to each rank; -1: this rank itself */
} fa__wire;

/* What a message is: both sides have to agree. */
typedef struct fa__message {
    const char *name; /* of the call, up to 15 characters: "all_reduce" */
    uint32_t dtype;
    uint32_t phase; /* of a collective; FA__DIRECT: it is not one */
} fa__message;
enum { FA__DIRECT = 1000 };

/* Bytes to send to, or to receive from, one rank. */
typedef struct fa__transfer {
    int peer;
    bool receives;
    const void *data; /* to be sent */
    void *into;       /* to be received */
    size_t bytes;
    /* used by fa__exchange */
    size_t done;
    struct fa__frame {
        uint32_t magic, dtype, phase, rank;
        uint64_t number, bytes;
        char name[16];
    } frame;
} fa__transfer;

fa__wire *fa__wire_new(int rank, int size, double timeout);
/* Closes the sockets. */
void fa__wire_free(fa__wire *w);
/* Ends all connections, also while another thread uses them: its call fails. */
void fa__wire_interrupt(const fa__wire *w);
/* Makes a connected socket that of a rank. */
void fa__wire_set(fa__wire *w, int rank, int socket);
/* Does all transfers at the same time: at most one to and one from each rank. Fails if a rank is gone, calls something
 * else, or if nothing moves for the timeout; the error names it, the other ranks fail too, and the group cannot be used
 * any more. */
bool fa__exchange(fa__wire *w, fa__message what, fa__transfer *transfer, size_t count);
/* Nanoseconds of a monotonic clock. */
int64_t fa__dist_clock(void);
#endif
