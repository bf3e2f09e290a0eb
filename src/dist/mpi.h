/* MPI as the transport of a group: the library is opened when it is first used. */
#ifndef FA__DIST_MPI_H
#define FA__DIST_MPI_H
#include "dist/wire.h"
#include <sys/types.h>
#include <sys/uio.h>

/* The wire of this process among all of MPI's, which joins them; it is the group's number `rank` of `size`. NULL and an
 * error if there is no MPI. */
fa__wire *fa__mpi_wire(double timeout);
/* Begins the messages of an exchange. False and an error if memory runs out. */
bool fa__mpi_begin(fa__wire *w, fa__transfer *t, size_t count);
/* Moves what can be moved now: as sendmsg() and recvmsg() that do not wait, -1 and EAGAIN until a whole part has been
 * moved. */
ssize_t fa__mpi_move(fa__wire *w, fa__transfer *t, const struct iovec *part, int parts);
/* Tests the messages for a fraction of a microsecond. True when one of them is complete, or has failed: fa__mpi_move()
 * then returns how many bytes it had, or the error. */
bool fa__mpi_look(const fa__wire *w, fa__transfer *t, size_t count);
/* A tag that no group of this process has. */
int fa__mpi_new_tag(void);
/* The tag is taken. */
void fa__mpi_take_tag(int tag);
/* The buffers of a transfer are not used any more. */
void fa__mpi_cancel(fa__transfer *t);
/* Sends what a group that has failed says last, without waiting. */
void fa__mpi_leave(const fa__wire *w, int peer, const void *frame, size_t bytes, const char *reason);
/* Receives `bytes` bytes of such a reason, of at most 300; how many have come within a second. */
ssize_t fa__mpi_last(const fa__wire *w, int peer, void *reason, size_t bytes);

/* What ranks say beside the messages of their group. */
typedef struct fa__mpi_note {
    enum { FA__MPI_WAITS, FA__MPI_GOES_ON, FA__MPI_LEAVES, FA__MPI_NOTES } what;
    char reason[301]; /* of leaving; "" */
} fa__mpi_note;
/* Says it to a rank. */
void fa__mpi_say(const fa__wire *w, int peer, const fa__mpi_note *note);
/* What a rank has said next. False: nothing; it does not wait. */
bool fa__mpi_hear(const fa__wire *w, int peer, fa__mpi_note *note);
/* Whether the rank has sent a message that this one has not begun to receive. */
bool fa__mpi_has_sent(const fa__wire *w, int peer);
#endif
