/* What the files of messages between ranks (wire*.c) have in common. */
#ifndef FA__DIST_WIRE_PARTS_H
#define FA__DIST_WIRE_PARTS_H
#include "dist/wire.h"
#include <sys/types.h>
#include <sys/uio.h>

enum { FA__WIRE_MAGIC = 0x66616431, FA__WIRE_FAREWELL = 0x66616430 }; /* of frames */
enum { FA__WIRE_REASON = 300 };                                       /* bytes of a reason, at most */
enum { FA__WIRE_WAKES = 0 }; /* the byte that wakes a rank; notes are bytes between frames, too */

static inline bool fa__wire_finished(const fa__transfer *t)
{
    return t->done == sizeof t->frame + t->bytes;
}

/* ---- failures; t[0] to t[count - 1] are the transfers that end with the error ---- */

bool fa__wire_fail_with(fa__wire *w, fa__transfer *t, size_t count, fa_code code, const char *what);
/* A rank that left said why, unless it was killed: then the reason is "". */
bool fa__wire_peer_left(fa__wire *w, fa__transfer *t, size_t count, const fa__transfer *with, const char *reason);
/* Ends the reason where it says who reported it to that rank. */
void fa__wire_cut_reason(char *reason, size_t length);
/* Whether what rank with->peer sends is what this one expects. */
bool fa__wire_check_frame(fa__wire *w, fa__transfer *t, size_t count, const fa__transfer *with,
                          const struct fa__wire_frame *expected);
/* Names the ranks of unfinished transfers. */
bool fa__wire_timed_out(fa__wire *w, fa__transfer *t, size_t count, const char *name);

/* ---- ranks that share memory ---- */

/* The side of this rank in the memory that it shares with another one. */
static inline int fa__wire_side(const fa__wire *w, int peer)
{
    return w->rank > peer;
}
/* Moves what can be moved now; as recvmsg() and sendmsg(), 0 when the other one has ended. */
ssize_t fa__wire_move_near(fa__wire *w, const fa__transfer *t, const struct iovec *part, int parts);
/* Whether an unfinished transfer can go on. */
bool fa__wire_near_ready(const fa__wire *w, const fa__transfer *t, size_t count);
/* Wakes ranks that fell asleep while this one moved bytes. */
void fa__wire_wake_near(const fa__wire *w, const fa__transfer *t, size_t count);
/* Whether an unfinished transfer can go on within a fraction of a microsecond. */
bool fa__wire_look(const fa__wire *w, const fa__transfer *t, size_t count);
/* The same, for a moment, which is shorter than being woken takes. */
bool fa__wire_spin(const fa__wire *w, const fa__transfer *t, size_t count);
void fa__wire_say_sleeping(const fa__wire *w, const fa__transfer *t, size_t count, bool sleeps);

/* ---- notes ---- */

/* Reads what the socket of a rank has that shares memory; of another one, whose messages come that way, too, only the
 * notes. */
void fa__wire_listen_to(fa__wire *w, int peer);
/* Takes the notes from the front of what was received. */
void fa__wire_take_notes(fa__wire *w, fa__transfer *t);
#endif
