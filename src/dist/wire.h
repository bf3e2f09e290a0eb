/* Messages between the ranks of a group: over one socket for each pair, memory that the pair shares, or MPI. */
#ifndef FA__DIST_WIRE_H
#define FA__DIST_WIRE_H
#include "dist/near.h"
#include <facula/error.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct fa__wire {
    int rank, size;
    double timeout;    /* seconds without any progress */
    uint64_t number;   /* of the present collective */
    double *waited;    /* seconds in which something from each rank was missing */
    char failure[400]; /* why the group cannot be used any more; "": it can */
    fa__near **near;   /* memory shared with each rank; NULL: all goes through the socket, which else only wakes */
    bool *ended;       /* the rank has ended the connection; without shared memory, it was heard of by a listener */
    bool *waits;       /* what each rank has said last by fa__wire_note() */
    char reason[301];  /* why rank `teller` did */
    int teller;        /* -1: nobody has said it */
    bool mpi;          /* all goes through MPI; there are no sockets */
    int mpi_tag;       /* of the messages of this group */
    char *mpi_room;    /* for the first messages of an exchange, and its size */
    size_t mpi_bytes;
    int *mpi_rank;                 /* MPI's number of each rank; NULL: they are the same */
    bool threads;                  /* the ranks are threads of this process */
    bool shares;                   /* ranks of one machine may share memory */
    int nccl;                      /* what tensors of CUDA devices go through: fa__nccl_use */
    struct fa__transfer *transfer; /* for the transfers of a call; NULL: not needed yet */
    char *room;                    /* for what small calls receive: fa__wire_room() */
    size_t room_bytes;
    _Atomic bool interrupted;
    int socket[]; /* to each rank; -1: this rank itself */
} fa__wire;

/* What a message is: both sides have to agree. */
typedef struct fa__message {
    const char *name; /* of the call, up to 15 characters: "all_reduce" */
    uint32_t dtype;
    uint32_t phase; /* of a collective; FA__DIRECT: it is not one */
} fa__message;
enum { FA__DIRECT = 1000 };

/* A communicator, request, ... of MPI. */
typedef union fa__mpi_handle {
    void *pointer;
    int number;
} fa__mpi_handle;

/* Bytes to send to, or to receive from, one rank. */
typedef struct fa__transfer {
    int peer;
    bool receives;
    const void *data; /* to be sent */
    void *into;       /* to be received */
    size_t bytes;
    /* used by fa__exchange */
    size_t done;
    struct fa__wire_frame {
        uint32_t magic, dtype, phase, rank;
        uint64_t number, bytes;
        char name[16];
    } frame;
    /* used by MPI: messages on their way; how many bytes those have that were begun, 0: none were; the first message,
     * with its frame */
    fa__mpi_handle request[2];
    int requests;
    size_t moving;
    char *first;
} fa__transfer;

fa__wire *fa__wire_new(int rank, int size, double timeout);
/* Closes the sockets. */
void fa__wire_free(fa__wire *w);
/* Ends all connections, also while another thread uses them: its call fails. */
void fa__wire_interrupt(fa__wire *w);
/* Makes a connected socket that of a rank. */
void fa__wire_set(fa__wire *w, int rank, int socket);
/* Gives the wire memory that it shares with a rank. */
void fa__wire_share(fa__wire *w, int rank, fa__near *n);
/* Memory for `bytes` bytes that the wire keeps for the next call; NULL: there is none. */
char *fa__wire_room(fa__wire *w, size_t bytes);
/* Does all transfers at the same time: at most one to and one from each rank. Fails if a rank is gone, calls something
 * else, or if nothing moves for the timeout; the error names it, the other ranks fail too, and the group cannot be used
 * any more. */
bool fa__exchange(fa__wire *w, fa__message what, fa__transfer *transfer, size_t count);
/* Each rank sends `bytes` bytes, its place in `all`, to all others, and gets theirs. */
bool fa__wire_tell(fa__wire *w, fa__message what, void *all, size_t bytes);
/* The group cannot be used any more, as `what` has happened, of which the other ranks hear. False, and the error. */
bool fa__wire_fail(fa__wire *w, fa_code code, const char *what);
/* For ranks that wait for each other by other means than messages; all between two exchanges. */
/* Says to all ranks that this one waits, or that it goes on. */
void fa__wire_note(fa__wire *w, bool waits);
/* Hears what others have said. False, and the group has failed, if one of them has; `gone`: or if one is gone. */
bool fa__wire_listen(fa__wire *w, bool gone);
/* The timeout is over: fails as an exchange would, with an error that names the ranks that do not wait. False. */
bool fa__wire_missed(fa__wire *w, const char *name);
/* Nanoseconds of a monotonic clock. */
int64_t fa__dist_clock(void);
#endif
