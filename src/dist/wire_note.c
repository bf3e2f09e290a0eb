/* Notes between ranks that wait for each other by other means than messages: a note is a byte in front of a frame, of
 * which none begins with such a byte. With MPI it is a message of a communicator for notes. */
#include "dist/mpi.h"
#include "dist/wire_parts.h"
#include <errno.h>
#include <facula/error.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

enum { WAITS = 1, GOES_ON = 2 };

/* The number of bytes in front of a frame; the last note of them holds. */
static size_t hear_notes(fa__wire *w, int peer, const unsigned char *text, size_t length)
{
    size_t at = 0;
    for (; at < length && text[at] <= GOES_ON; at++)
        if (text[at] != FA__WIRE_WAKES)
            w->waits[peer] = text[at] == WAITS;
    return at;
}

/* The rank leaves, and says why. */
static void hear_reason(fa__wire *w, int peer, const void *text, size_t length)
{
    w->ended[peer] = true;
    if (w->teller >= 0)
        return;
    w->teller = peer;
    length = length < FA__WIRE_REASON ? length : FA__WIRE_REASON;
    memcpy(w->reason, text, length);
    fa__wire_cut_reason(w->reason, length);
}

/* The rank ends the connection, if that is what this begins with. */
static void hear_farewell(fa__wire *w, int peer, const unsigned char *text, size_t length)
{
    struct fa__wire_frame f;
    if (length < sizeof f)
        return;
    memcpy(&f, text, sizeof f);
    if (f.magic != FA__WIRE_FAREWELL)
        return;
    hear_reason(w, peer, text + sizeof f, length - sizeof f);
}

/* Reads what the socket of a rank has that shares memory; of another one, whose messages come that way, too, only the
 * notes. */
void fa__wire_listen_to(fa__wire *w, int peer)
{
    unsigned char text[sizeof(struct fa__wire_frame) + FA__WIRE_REASON + 100], notes[sizeof text];
    ssize_t got = recv(w->socket[peer], text, sizeof text, w->near[peer] ? MSG_DONTWAIT : MSG_DONTWAIT | MSG_PEEK);
    if (got == 0 || (got < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR))
        w->ended[peer] = true;
    if (got <= 0)
        return;
    const size_t at = hear_notes(w, peer, text, (size_t)got);
    hear_farewell(w, peer, text + at, (size_t)got - at);
    if (at && !w->near[peer])
        (void)!recv(w->socket[peer], notes, at, MSG_DONTWAIT);
}

/* Takes the notes from the front of what was received. */
void fa__wire_take_notes(fa__wire *w, fa__transfer *t)
{
    const size_t notes = hear_notes(w, t->peer, (const unsigned char *)&t->frame, t->done);
    t->done -= notes;
    memmove(&t->frame, (const char *)&t->frame + notes, t->done);
}

static void listen_by_mpi(fa__wire *w, int peer)
{
    fa__mpi_note note;
    while (fa__mpi_hear(w, peer, &note))
        if (note.what == FA__MPI_LEAVES)
            hear_reason(w, peer, note.reason, strlen(note.reason));
        else
            w->waits[peer] = note.what == FA__MPI_WAITS;
}

void fa__wire_note(fa__wire *w, bool waits)
{
    for (int i = 0; i < w->size; i++)
        if (w->mpi && i != w->rank && !*w->failure)
            fa__mpi_say(w, i, &(fa__mpi_note){.what = waits ? FA__MPI_WAITS : FA__MPI_GOES_ON});
        else if (w->socket[i] >= 0 && !*w->failure)
            (void)!send(w->socket[i], &(char){waits ? WAITS : GOES_ON}, 1, MSG_NOSIGNAL | MSG_DONTWAIT);
}

bool fa__wire_listen(fa__wire *w, bool gone)
{
    if (*w->failure || atomic_load(&w->interrupted))
        return !*w->failure;
    for (int i = 0; i < w->size; i++)
        if (w->mpi && i != w->rank)
            listen_by_mpi(w, i);
        else if (w->socket[i] >= 0)
            fa__wire_listen_to(w, i);
    for (int i = 0; i < w->size; i++)
        if (w->teller == i || (gone && w->ended[i] && w->teller < 0))
            return fa__wire_peer_left(w, NULL, 0, &(fa__transfer){.peer = i}, w->teller == i ? w->reason : "");
    return true;
}

/* Whether a rank waits in an exchange that this one has not come to. */
static bool has_sent(const fa__wire *w, int peer)
{
    char first;
    if (w->mpi)
        return fa__mpi_has_sent(w, peer);
    if (w->near[peer])
        return fa__near_ready(w->near[peer], fa__wire_side(w, peer), FA__NEAR_SHORT_RING, true, 0);
    return w->socket[peer] >= 0 && recv(w->socket[peer], &first, 1, MSG_DONTWAIT | MSG_PEEK) > 0;
}

bool fa__wire_missed(fa__wire *w, const char *name)
{
    size_t count = 0;
    fa__transfer *t = calloc((size_t)w->size, sizeof *t);
    if (!t)
        return fa__wire_fail_with(w, NULL, 0, FA_ERROR_MEMORY, "fa_dist: out of memory");
    for (int i = 0; i < w->size; i++)
        if (i != w->rank) {
            t[count++] = (fa__transfer){.peer = i, .receives = true};
            w->waits[i] |= has_sent(w, i);
        }
    fa__wire_timed_out(w, t, count, name);
    free(t);
    return false;
}
