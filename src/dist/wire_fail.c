/* Failures of messages between ranks: errors that name the rank that is the reason, which the other ranks hear of. */
#include "dist/mpi.h"
#include "dist/wire_parts.h"
#include <facula/dtype.h>
#include <facula/error.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

/* What goes to the others at the end, before the reason. */
static struct fa__wire_frame last_frame(const fa__wire *w)
{
    return (struct fa__wire_frame){.magic = FA__WIRE_FAREWELL, .rank = (uint32_t)w->rank, .bytes = strlen(w->failure)};
}

static void leave_mpi(fa__wire *w, fa__transfer *t, size_t count)
{
    struct fa__wire_frame f = last_frame(w);
    fa__mpi_note note = {.what = FA__MPI_LEAVES};
    snprintf(note.reason, sizeof note.reason, "%.*s", FA__WIRE_REASON, w->failure);
    for (size_t k = 0; k < count; k++)
        fa__mpi_cancel(&t[k]);
    for (int i = 0; i < w->size; i++)
        if (i != w->rank) {
            fa__mpi_leave(w, i, &f, sizeof f, w->failure);
            fa__mpi_say(w, i, &note);
        }
}

/* Sends the reason to all ranks that are between two messages, and ends all connections: the others stop waiting. */
static void leave(fa__wire *w, fa__transfer *t, size_t count)
{
    if (w->mpi) {
        leave_mpi(w, t, count);
        return;
    }
    for (int i = 0; i < w->size; i++) {
        bool within = false;
        for (size_t k = 0; k < count; k++)
            within |= t[k].peer == i && !w->near[i] && !t[k].receives && t[k].done > 0
                      && t[k].done < sizeof t->frame + t[k].bytes;
        if (w->socket[i] < 0)
            continue;
        struct fa__wire_frame f = last_frame(w);
        struct iovec parts[] = {{&f, sizeof f}, {w->failure, (size_t)f.bytes}};
        struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};
        if (!within)
            (void)!sendmsg(w->socket[i], &message, MSG_NOSIGNAL | MSG_DONTWAIT);
        shutdown(w->socket[i], SHUT_WR);
    }
}

bool fa__wire_fail_with(fa__wire *w, fa__transfer *t, size_t count, fa_code code, const char *what)
{
    snprintf(w->failure, sizeof w->failure, "%.*s", FA__WIRE_REASON, what);
    leave(w, t, count);
    return fa_fail(code, "%s", w->failure);
}

bool fa__wire_fail(fa__wire *w, fa_code code, const char *what)
{
    return fa__wire_fail_with(w, NULL, 0, code, what);
}

/* A rank that left said why, unless it was killed. */
bool fa__wire_peer_left(fa__wire *w, fa__transfer *t, size_t count, const fa__transfer *with, const char *reason)
{
    char text[FA__WIRE_REASON + 40]; /* which is cut again */
    if (*reason)
        snprintf(text, sizeof text, "%s (rank %d reports)", reason, with->peer);
    else
        snprintf(text, sizeof text, "rank %d is gone: its process has ended, or its group was freed", with->peer);
    return fa__wire_fail_with(w, t, count, FA_ERROR_STATE, text);
}

/* Ends the reason where it says who reported it to that rank. */
void fa__wire_cut_reason(char *reason, size_t length)
{
    reason[length] = 0;
    char *nested = strstr(reason, " (rank ");
    if (nested)
        *nested = 0;
}

/* Reads the reason behind a frame of farewell; what is there at once. */
static bool farewell(fa__wire *w, fa__transfer *t, size_t count, const fa__transfer *with)
{
    char reason[FA__WIRE_REASON + 1];
    ssize_t got = w->mpi ? fa__mpi_last(w, with->peer, reason, (size_t)with->frame.bytes)
                         : recv(w->socket[with->peer], reason, FA__WIRE_REASON, MSG_DONTWAIT);
    fa__wire_cut_reason(reason, got > 0 ? (size_t)got : 0);
    return fa__wire_peer_left(w, t, count, with, reason);
}

static void describe(const struct fa__wire_frame *f, char *text, size_t room)
{
    snprintf(text, room, "%.15s of %" PRIu64 " bytes of %s", f->name, f->bytes, fa_dtype_name((fa_dtype)f->dtype));
    if (f->phase != FA__DIRECT)
        snprintf(text + strlen(text), room - strlen(text), " as call %" PRIu64, f->number);
}

bool fa__wire_check_frame(fa__wire *w, fa__transfer *t, size_t count, const fa__transfer *with,
                          const struct fa__wire_frame *expected)
{
    const struct fa__wire_frame *f = &with->frame;
    if (f->magic == FA__WIRE_FAREWELL)
        return farewell(w, t, count, with);
    if (f->magic == FA__WIRE_MAGIC && f->dtype == expected->dtype && f->phase == expected->phase
        && f->number == expected->number && f->bytes == with->bytes && !memcmp(f->name, expected->name, sizeof f->name))
        return true;
    char theirs[100], ours[100], text[FA__WIRE_REASON];
    struct fa__wire_frame mine = *expected;
    mine.bytes = with->bytes;
    describe(f, theirs, sizeof theirs);
    describe(&mine, ours, sizeof ours);
    snprintf(text, sizeof text, "ranks call different things: rank %d %s, rank %d %s", with->peer, theirs, w->rank,
             ours);
    return fa__wire_fail_with(w, t, count, FA_ERROR_STATE, text);
}

/* Whether a rank that has not come is one to blame: not if it waits itself for one that has said nothing. */
static bool is_missing(const fa__wire *w, int peer)
{
    bool others = false;
    for (int i = 0; i < w->size; i++)
        others |= i != w->rank && !w->waits[i];
    return !w->waits[peer] || !others;
}

bool fa__wire_timed_out(fa__wire *w, fa__transfer *t, size_t count, const char *name)
{
    char text[FA__WIRE_REASON];
    int length = snprintf(text, sizeof text, "%s: nothing came within %g s from", name, w->timeout);
    const char *between = " rank ";
    for (int receives = 1; receives >= 0; receives--)
        for (size_t k = 0; k < count && length < FA__WIRE_REASON - 20; k++)
            if (t[k].receives == receives && t[k].done < sizeof t->frame + t[k].bytes && is_missing(w, t[k].peer)
                && (receives || *between == ' ')) {
                length += snprintf(text + length, sizeof text - (size_t)length, "%s%d", between, t[k].peer);
                between = ", ";
            }
    return fa__wire_fail_with(w, t, count, FA_ERROR_STATE, text);
}
