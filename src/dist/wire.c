/* Messages between ranks: each has a frame in front that says what it belongs to, so that ranks that call different
 * things, are gone, or do not come are found and named. */
#include "dist/wire.h"
#include <errno.h>
#include <facula/dtype.h>
#include <facula/error.h>
#include <fcntl.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum { MAGIC = 0x66616431, FAREWELL = 0x66616430, MOST_REASON = 300 };

int64_t fa__dist_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

fa__wire *fa__wire_new(int rank, int size, double timeout)
{
    fa__wire *w = calloc(1, sizeof *w + (size_t)size * sizeof *w->socket);
    if (!w) {
        fa_fail(FA_ERROR_MEMORY, "fa_dist: out of memory for a group of %d ranks", size);
        return NULL;
    }
    w->rank = rank;
    w->size = size;
    w->timeout = timeout;
    for (int i = 0; i < size; i++)
        w->socket[i] = -1;
    return w;
}

void fa__wire_free(fa__wire *w)
{
    for (int i = 0; w && i < w->size; i++)
        if (w->socket[i] >= 0)
            close(w->socket[i]);
    free(w);
}

void fa__wire_interrupt(const fa__wire *w)
{
    for (int i = 0; i < w->size; i++)
        if (w->socket[i] >= 0)
            shutdown(w->socket[i], SHUT_RDWR);
}

void fa__wire_set(fa__wire *w, int rank, int socket)
{
    const int one = 1;
    fcntl(socket, F_SETFL, fcntl(socket, F_GETFL) | O_NONBLOCK);
    setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one); /* fails for other sockets, which do not wait */
    w->socket[rank] = socket;
}

/* ---- failures ---- */

/* Sends the reason to all ranks that are between two messages, and ends all connections: the others stop waiting. */
static void leave(fa__wire *w, const fa__transfer *t, size_t count)
{
    for (int i = 0; i < w->size; i++) {
        bool within = false;
        for (size_t k = 0; k < count; k++)
            within |= t[k].peer == i && !t[k].receives && t[k].done > 0 && t[k].done < sizeof t->frame + t[k].bytes;
        if (w->socket[i] < 0)
            continue;
        struct fa__frame f = {.magic = FAREWELL, .rank = (uint32_t)w->rank, .bytes = strlen(w->failure)};
        struct iovec parts[] = {{&f, sizeof f}, {w->failure, f.bytes}};
        struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};
        if (!within)
            (void)!sendmsg(w->socket[i], &message, MSG_NOSIGNAL | MSG_DONTWAIT);
        shutdown(w->socket[i], SHUT_WR);
    }
}

static bool fail_with(fa__wire *w, const fa__transfer *t, size_t count, fa_code code, const char *what)
{
    snprintf(w->failure, sizeof w->failure, "%.*s", MOST_REASON, what);
    leave(w, t, count);
    return fa_fail(code, "%s", w->failure);
}

/* A rank that left said why, unless it was killed. */
static bool peer_left(fa__wire *w, const fa__transfer *t, size_t count, const fa__transfer *with, const char *reason)
{
    char text[MOST_REASON + 1];
    if (*reason)
        snprintf(text, sizeof text, "%s (rank %d reports)", reason, with->peer);
    else
        snprintf(text, sizeof text, "rank %d is gone: its process has ended, or its group was freed", with->peer);
    return fail_with(w, t, count, FA_ERROR_STATE, text);
}

/* Reads the reason behind a frame of farewell; what is there at once. */
static bool farewell(fa__wire *w, const fa__transfer *t, size_t count, const fa__transfer *with)
{
    char reason[MOST_REASON + 1] = "";
    ssize_t got = recv(w->socket[with->peer], reason, MOST_REASON, MSG_DONTWAIT);
    reason[got > 0 ? got : 0] = 0;
    char *nested = strstr(reason, " (rank "); /* who reported it to that rank */
    if (nested)
        *nested = 0;
    return peer_left(w, t, count, with, reason);
}

static void describe(const struct fa__frame *f, char *text, size_t room)
{
    snprintf(text, room, "%.15s of %" PRIu64 " bytes of %s", f->name, f->bytes, fa_dtype_name((fa_dtype)f->dtype));
    if (f->phase != FA__DIRECT)
        snprintf(text + strlen(text), room - strlen(text), " as call %" PRIu64, f->number);
}

static bool check_frame(fa__wire *w, const fa__transfer *t, size_t count, const fa__transfer *with,
                        const struct fa__frame *expected)
{
    const struct fa__frame *f = &with->frame;
    if (f->magic == FAREWELL)
        return farewell(w, t, count, with);
    if (f->magic == MAGIC && f->dtype == expected->dtype && f->phase == expected->phase && f->number == expected->number
        && f->bytes == with->bytes && !strncmp(f->name, expected->name, sizeof f->name))
        return true;
    char theirs[100], ours[100], text[MOST_REASON];
    struct fa__frame mine = *expected;
    mine.bytes = with->bytes;
    describe(f, theirs, sizeof theirs);
    describe(&mine, ours, sizeof ours);
    snprintf(text, sizeof text, "ranks call different things: rank %d %s, rank %d %s", with->peer, theirs, w->rank,
             ours);
    return fail_with(w, t, count, FA_ERROR_STATE, text);
}

static bool timed_out(fa__wire *w, const fa__transfer *t, size_t count, const char *name)
{
    char text[MOST_REASON];
    int length = snprintf(text, sizeof text, "%s: nothing came within %g s from", name, w->timeout);
    const char *between = " rank ";
    for (int receives = 1; receives >= 0; receives--)
        for (size_t k = 0; k < count && length < MOST_REASON - 20; k++)
            if (t[k].receives == receives && t[k].done < sizeof t->frame + t[k].bytes
                && (receives || *between == ' ')) {
                length += snprintf(text + length, sizeof text - (size_t)length, "%s%d", between, t[k].peer);
                between = ", ";
            }
    return fail_with(w, t, count, FA_ERROR_STATE, text);
}

/* ---- moving bytes ---- */

/* What is left of a transfer: of its frame, and of its data. Up to 2 parts. */
static int parts_left(fa__transfer *t, struct iovec *part)
{
    int n = 0;
    size_t head = sizeof t->frame, at = t->done > head ? t->done - head : 0;
    if (t->done < head)
        part[n++] = (struct iovec){(char *)&t->frame + t->done, head - t->done};
    if (t->bytes > at && (t->done >= head || !t->receives)) /* a frame is checked before data is received */
        part[n++] = (struct iovec){(char *)(t->receives ? t->into : (void *)(uintptr_t)t->data) + at, t->bytes - at};
    return n;
}

static bool finished(const fa__transfer *t)
{
    return t->done == sizeof t->frame + t->bytes;
}

static bool receives_from(const fa__transfer *t, size_t count, int peer)
{
    for (size_t k = 0; k < count; k++)
        if (t[k].peer == peer && t[k].receives && !finished(&t[k]))
            return true;
    return false;
}

/* Moves what can be moved now. False after a failure. */
static bool advance(fa__wire *w, fa__transfer *all, size_t count, fa__transfer *t, const struct fa__frame *expected)
{
    while (!finished(t)) {
        struct iovec part[2];
        struct msghdr message = {.msg_iov = part, .msg_iovlen = (size_t)parts_left(t, part)};
        bool in_frame = t->done < sizeof t->frame;
        ssize_t moved = t->receives ? recvmsg(w->socket[t->peer], &message, MSG_DONTWAIT)
                                    : sendmsg(w->socket[t->peer], &message, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (moved < 0 && errno == EINTR)
            continue;
        if (moved < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
            return true;
        if (moved < 0 && !t->receives && receives_from(all, count, t->peer)) { /* that says why */
            t->done = sizeof t->frame + t->bytes;
            return true;
        }
        if (moved <= 0)
            return peer_left(w, all, count, t, "");
        t->done += (size_t)moved;
        if (t->receives && in_frame && t->done == sizeof t->frame && !check_frame(w, all, count, t, expected))
            return false;
    }
    return true;
}

/* Waits until a transfer can go on, or for a second. */
static void wait_for(const fa__wire *w, const fa__transfer *t, size_t count, struct pollfd *polled, int64_t until)
{
    for (size_t k = 0; k < count; k++)
        polled[k] = (struct pollfd){.fd = finished(&t[k]) ? -1 : w->socket[t[k].peer],
                                    .events = t[k].receives ? POLLIN : POLLOUT};
    int64_t left = (until - fa__dist_clock()) / 1000000 + 1;
    (void)!poll(polled, count, left < 0 ? 0 : left > 1000 ? 1000 : (int)left);
}

static bool move_all(fa__wire *w, fa__transfer *t, size_t count, struct pollfd *polled, const struct fa__frame *frame)
{
    const int64_t patience = (int64_t)(w->timeout * 1e9);
    int64_t last = fa__dist_clock();
    for (;;) {
        size_t before = 0, after = 0, open = 0;
        for (size_t k = 0; k < count; k++) {
            before += t[k].done;
            if (!finished(&t[k]) && !advance(w, t, count, &t[k], frame))
                return false;
            after += t[k].done;
            open += !finished(&t[k]);
        }
        if (!open)
            return true;
        if (after != before)
            last = fa__dist_clock();
        else if (fa__dist_clock() - last > patience)
            return timed_out(w, t, count, frame->name);
        wait_for(w, t, count, polled, last + patience);
    }
}

bool fa__exchange(fa__wire *w, fa__message what, fa__transfer *t, size_t count)
{
    if (*w->failure)
        return fa_fail(FA_ERROR_STATE, "%s: the group has failed before: %s", what.name, w->failure);
    struct fa__frame frame = {.magic = MAGIC,
                              .dtype = what.dtype,
                              .phase = what.phase,
                              .rank = (uint32_t)w->rank,
                              .number = what.phase == FA__DIRECT ? 0 : w->number};
    snprintf(frame.name, sizeof frame.name, "%s", what.name);
    for (size_t k = 0; k < count; k++) {
        t[k].done = 0;
        t[k].frame = frame;
        t[k].frame.bytes = t[k].bytes;
    }
    struct pollfd few[32], *polled = count <= 32 ? few : malloc(count * sizeof *polled);
    if (!polled)
        return fa_fail(FA_ERROR_MEMORY, "%s: out of memory", what.name);
    bool good = move_all(w, t, count, polled, &frame);
    if (polled != few)
        free(polled);
    return good;
}
