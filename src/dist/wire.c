/* Messages between ranks: each has a frame in front that says what it belongs to, so that ranks that call different
 * things, are gone, or do not come are found and named. Between ranks that share memory, the socket carries only bytes
 * of 0 that wake the other one, and the reason at the end. A note (fa__wire_note()) is a byte in front of a frame, of
 * which none begins with such a byte. */
#include "dist/wire.h"
#include "dist/mpi.h"
#include <errno.h>
#include <facula/dtype.h>
#include <facula/error.h>
#include <fcntl.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum { MAGIC = 0x66616431, FAREWELL = 0x66616430, MOST_REASON = 300, SPIN = 30000, NAP_AFTER = 1000000 /* ns */ };
enum { WAKES = 0, WAITS = 1, GOES_ON = 2 }; /* bytes between frames */

int64_t fa__dist_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

fa__wire *fa__wire_new(int rank, int size, double timeout)
{
    fa__wire *w = calloc(1, sizeof *w + (size_t)size * sizeof *w->socket);
    if (w) {
        w->waited = calloc((size_t)size, sizeof *w->waited);
        w->near = calloc((size_t)size, sizeof *w->near);
        w->ended = calloc((size_t)size, sizeof *w->ended);
        w->waits = calloc((size_t)size, sizeof *w->waits);
        w->rank = rank;
        w->size = size;
        w->timeout = timeout;
        w->teller = -1;
        for (int i = 0; i < size; i++)
            w->socket[i] = -1;
        if (w->waited && w->near && w->ended && w->waits)
            return w;
        w->size = 0;
        fa__wire_free(w);
    }
    fa_fail(FA_ERROR_MEMORY, "fa_dist: out of memory for a group of %d ranks", size);
    return NULL;
}

void fa__wire_free(fa__wire *w)
{
    if (!w)
        return;
    for (int i = 0; i < w->size; i++) {
        if (w->socket[i] >= 0)
            close(w->socket[i]);
        fa__near_free(w->near[i]);
    }
    free(w->waited);
    free(w->near);
    free(w->ended);
    free(w->waits);
    free(w->mpi_rank);
    free(w);
}

void fa__wire_share(fa__wire *w, int rank, fa__near *n)
{
    w->near[rank] = n;
}

void fa__wire_interrupt(fa__wire *w)
{
    atomic_store(&w->interrupted, true);
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

/* What goes to the others at the end, before the reason. */
static struct fa__wire_frame last_frame(const fa__wire *w)
{
    return (struct fa__wire_frame){.magic = FAREWELL, .rank = (uint32_t)w->rank, .bytes = strlen(w->failure)};
}

static void leave_mpi(fa__wire *w, fa__transfer *t, size_t count)
{
    struct fa__wire_frame f = last_frame(w);
    for (size_t k = 0; k < count; k++)
        fa__mpi_cancel(&t[k]);
    for (int i = 0; i < w->size; i++)
        if (i != w->rank)
            fa__mpi_leave(w, i, &f, sizeof f, w->failure);
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

static bool fail_with(fa__wire *w, fa__transfer *t, size_t count, fa_code code, const char *what)
{
    snprintf(w->failure, sizeof w->failure, "%.*s", MOST_REASON, what);
    leave(w, t, count);
    return fa_fail(code, "%s", w->failure);
}

bool fa__wire_fail(fa__wire *w, fa_code code, const char *what)
{
    return fail_with(w, NULL, 0, code, what);
}

/* A rank that left said why, unless it was killed. */
static bool peer_left(fa__wire *w, fa__transfer *t, size_t count, const fa__transfer *with, const char *reason)
{
    char text[MOST_REASON + 40]; /* which is cut again */
    if (*reason)
        snprintf(text, sizeof text, "%s (rank %d reports)", reason, with->peer);
    else
        snprintf(text, sizeof text, "rank %d is gone: its process has ended, or its group was freed", with->peer);
    return fail_with(w, t, count, FA_ERROR_STATE, text);
}

/* Ends the reason where it says who reported it to that rank. */
static void cut_reason(char *reason, size_t length)
{
    reason[length] = 0;
    char *nested = strstr(reason, " (rank ");
    if (nested)
        *nested = 0;
}

/* Reads the reason behind a frame of farewell; what is there at once. */
static bool farewell(fa__wire *w, fa__transfer *t, size_t count, const fa__transfer *with)
{
    char reason[MOST_REASON + 1];
    ssize_t got = w->mpi ? fa__mpi_last(w, with->peer, reason, (size_t)with->frame.bytes)
                         : recv(w->socket[with->peer], reason, MOST_REASON, MSG_DONTWAIT);
    cut_reason(reason, got > 0 ? (size_t)got : 0);
    return peer_left(w, t, count, with, reason);
}

static void describe(const struct fa__wire_frame *f, char *text, size_t room)
{
    snprintf(text, room, "%.15s of %" PRIu64 " bytes of %s", f->name, f->bytes, fa_dtype_name((fa_dtype)f->dtype));
    if (f->phase != FA__DIRECT)
        snprintf(text + strlen(text), room - strlen(text), " as call %" PRIu64, f->number);
}

static bool check_frame(fa__wire *w, fa__transfer *t, size_t count, const fa__transfer *with,
                        const struct fa__wire_frame *expected)
{
    const struct fa__wire_frame *f = &with->frame;
    if (f->magic == FAREWELL)
        return farewell(w, t, count, with);
    if (f->magic == MAGIC && f->dtype == expected->dtype && f->phase == expected->phase && f->number == expected->number
        && f->bytes == with->bytes && !strncmp(f->name, expected->name, sizeof f->name))
        return true;
    char theirs[100], ours[100], text[MOST_REASON];
    struct fa__wire_frame mine = *expected;
    mine.bytes = with->bytes;
    describe(f, theirs, sizeof theirs);
    describe(&mine, ours, sizeof ours);
    snprintf(text, sizeof text, "ranks call different things: rank %d %s, rank %d %s", with->peer, theirs, w->rank,
             ours);
    return fail_with(w, t, count, FA_ERROR_STATE, text);
}

/* Whether a rank that has not come is one to blame: not if it waits itself for one that has said nothing. */
static bool is_missing(const fa__wire *w, int peer)
{
    bool others = false;
    for (int i = 0; i < w->size; i++)
        others |= i != w->rank && !w->waits[i];
    return !w->waits[peer] || !others;
}

static bool timed_out(fa__wire *w, fa__transfer *t, size_t count, const char *name)
{
    char text[MOST_REASON];
    int length = snprintf(text, sizeof text, "%s: nothing came within %g s from", name, w->timeout);
    const char *between = " rank ";
    for (int receives = 1; receives >= 0; receives--)
        for (size_t k = 0; k < count && length < MOST_REASON - 20; k++)
            if (t[k].receives == receives && t[k].done < sizeof t->frame + t[k].bytes && is_missing(w, t[k].peer)
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

/* ---- ranks that share memory ---- */

static int side_to(const fa__wire *w, int peer)
{
    return w->rank > peer;
}

/* Moves what can be moved now; as recvmsg() and sendmsg(), 0 when the other one has ended. */
static ssize_t move_near(fa__wire *w, const fa__transfer *t, const struct iovec *part, int parts)
{
    const int side = side_to(w, t->peer);
    fa__near *n = w->near[t->peer];
    size_t moved = 0;
    bool wakes = false;
    for (int i = 0; i < parts; i++) {
        bool sleeping = false;
        size_t now = t->receives ? fa__near_take(n, side, part[i].iov_base, part[i].iov_len, &sleeping)
                                 : fa__near_put(n, side, part[i].iov_base, part[i].iov_len, &sleeping);
        moved += now;
        wakes |= sleeping;
        if (now < part[i].iov_len)
            break;
    }
    if (wakes)
        (void)!send(w->socket[t->peer], &(char){WAKES}, 1, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (moved || w->ended[t->peer])
        return (ssize_t)moved;
    errno = EAGAIN;
    return -1;
}

/* The number of bytes in front of a frame; the last note of them holds. */
static size_t hear_notes(fa__wire *w, int peer, const unsigned char *text, size_t length)
{
    size_t at = 0;
    for (; at < length && text[at] <= GOES_ON; at++)
        if (text[at] != WAKES)
            w->waits[peer] = text[at] == WAITS;
    return at;
}

/* The rank ends the connection, if that is what this begins with. */
static void hear_farewell(fa__wire *w, int peer, const unsigned char *text, size_t length)
{
    struct fa__wire_frame f;
    if (length < sizeof f)
        return;
    memcpy(&f, text, sizeof f);
    if (f.magic != FAREWELL)
        return;
    w->ended[peer] = true;
    if (w->teller >= 0)
        return;
    length -= sizeof f;
    w->teller = peer;
    memcpy(w->reason, text + sizeof f, length < MOST_REASON ? length : MOST_REASON);
    cut_reason(w->reason, length < MOST_REASON ? length : MOST_REASON);
}

/* Reads what the socket of a rank has that shares memory; of another one, whose messages come that way, too, only the
 * notes. */
static void listen_to(fa__wire *w, int peer)
{
    unsigned char text[sizeof(struct fa__wire_frame) + MOST_REASON + 100], notes[sizeof text];
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

static bool waits_near(const fa__wire *w, const fa__transfer *t)
{
    return w->near[t->peer] && !finished(t);
}

static bool any_ready(const fa__wire *w, const fa__transfer *t, size_t count)
{
    for (size_t k = 0; k < count; k++)
        if (waits_near(w, &t[k]) && fa__near_ready(w->near[t[k].peer], side_to(w, t[k].peer), t[k].receives))
            return true;
    return false;
}

/* Looks again for a moment, which is shorter than being woken takes. The other rank may be waiting for this CPU. */
static bool spin(const fa__wire *w, const fa__transfer *t, size_t count)
{
    int64_t until = fa__dist_clock() + SPIN;
    do {
        for (int i = 0; i < 20; i++)
            if (any_ready(w, t, count))
                return true;
        sched_yield();
    } while (fa__dist_clock() < until);
    return false;
}

static void say_sleeping(const fa__wire *w, const fa__transfer *t, size_t count, bool sleeps)
{
    for (size_t k = 0; k < count; k++)
        if (waits_near(w, &t[k]))
            fa__near_sleep(w->near[t[k].peer], side_to(w, t[k].peer), t[k].receives, sleeps);
}

/* ---- all ranks ---- */

static bool receives_from(const fa__transfer *t, size_t count, int peer)
{
    for (size_t k = 0; k < count; k++)
        if (t[k].peer == peer && t[k].receives && !finished(&t[k]))
            return true;
    return false;
}

/* Takes the notes from the front of what was received. */
static void take_notes(fa__wire *w, fa__transfer *t)
{
    const size_t notes = hear_notes(w, t->peer, (const unsigned char *)&t->frame, t->done);
    t->done -= notes;
    memmove(&t->frame, (const char *)&t->frame + notes, t->done);
}

/* Moves what can be moved now. False after a failure. */
static bool advance(fa__wire *w, fa__transfer *all, size_t count, fa__transfer *t,
                    const struct fa__wire_frame *expected)
{
    while (!finished(t)) {
        struct iovec part[2];
        struct msghdr message = {.msg_iov = part, .msg_iovlen = (size_t)parts_left(t, part)};
        bool in_frame = t->done < sizeof t->frame;
        ssize_t moved = w->mpi             ? fa__mpi_move(w, t, part, (int)message.msg_iovlen)
                        : w->near[t->peer] ? move_near(w, t, part, (int)message.msg_iovlen)
                        : t->receives      ? recvmsg(w->socket[t->peer], &message, MSG_DONTWAIT)
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
            return peer_left(w, all, count, t, w->teller == t->peer ? w->reason : "");
        t->done += (size_t)moved;
        if (t->receives && in_frame)
            take_notes(w, t);
        if (t->receives && in_frame && t->done == sizeof t->frame && !check_frame(w, all, count, t, expected))
            return false;
    }
    return true;
}

/* Sleeps until a socket has something, or for a second. */
static void sleep_for(fa__wire *w, const fa__transfer *t, size_t count, struct pollfd *polled, int64_t until)
{
    for (size_t k = 0; k < count; k++)
        polled[k] = (struct pollfd){.fd = finished(&t[k]) ? -1 : w->socket[t[k].peer],
                                    .events = t[k].receives || w->near[t[k].peer] ? POLLIN : POLLOUT};
    int64_t left = (until - fa__dist_clock()) / 1000000 + 1;
    if (poll(polled, count, left < 0 ? 0 : left > 1000 ? 1000 : (int)left) <= 0)
        return;
    for (size_t k = 0; k < count; k++)
        if (polled[k].revents && w->near[t[k].peer])
            listen_to(w, t[k].peer);
}

/* MPI moves its messages when it is asked about them. */
static void nap(int64_t since)
{
    if (fa__dist_clock() - since < NAP_AFTER)
        sched_yield();
    else
        nanosleep(&(struct timespec){0, 50000}, NULL);
}

/* Waits until a transfer can go on, or for a second. */
static void wait_for(fa__wire *w, const fa__transfer *t, size_t count, struct pollfd *polled, int64_t since,
                     int64_t until)
{
    int64_t begin = fa__dist_clock();
    if (w->mpi) {
        nap(since);
    } else if (!spin(w, t, count)) {
        say_sleeping(w, t, count, true);
        if (!any_ready(w, t, count))
            sleep_for(w, t, count, polled, until);
        say_sleeping(w, t, count, false);
    }
    double waited = (double)(fa__dist_clock() - begin) * 1e-9;
    for (size_t k = 0; k < count; k++)
        if (t[k].receives && !finished(&t[k]))
            w->waited[t[k].peer] += waited;
}

static bool move_all(fa__wire *w, fa__transfer *t, size_t count, struct pollfd *polled,
                     const struct fa__wire_frame *frame)
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
        wait_for(w, t, count, polled, last, last + patience);
    }
}

bool fa__exchange(fa__wire *w, fa__message what, fa__transfer *t, size_t count)
{
    if (*w->failure)
        return fa_fail(FA_ERROR_STATE, "%s: the group has failed before: %s", what.name, w->failure);
    struct fa__wire_frame frame = {.magic = MAGIC,
                                   .dtype = what.dtype,
                                   .phase = what.phase,
                                   .rank = (uint32_t)w->rank,
                                   .number = what.phase == FA__DIRECT ? 0 : w->number};
    snprintf(frame.name, sizeof frame.name, "%s", what.name);
    for (size_t k = 0; k < count; k++) {
        t[k].done = 0;
        t[k].requests = 0;
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

bool fa__wire_tell(fa__wire *w, fa__message what, void *all, size_t bytes)
{
    fa__transfer *t = calloc(2 * (size_t)w->size, sizeof *t);
    char *of = all;
    size_t count = 0;
    if (!t)
        return fa_fail(FA_ERROR_MEMORY, "%s: out of memory", what.name);
    for (int i = 0; i < w->size; i++)
        if (i != w->rank) {
            t[count++] = (fa__transfer){.peer = i, .data = of + (size_t)w->rank * bytes, .bytes = bytes};
            t[count++] = (fa__transfer){.peer = i, .receives = true, .into = of + (size_t)i * bytes, .bytes = bytes};
        }
    bool good = fa__exchange(w, what, t, count);
    free(t);
    return good;
}

/* ---- ranks that wait for each other by other means ---- */

void fa__wire_note(fa__wire *w, bool waits)
{
    for (int i = 0; i < w->size; i++)
        if (w->socket[i] >= 0 && !*w->failure)
            (void)!send(w->socket[i], &(char){waits ? WAITS : GOES_ON}, 1, MSG_NOSIGNAL | MSG_DONTWAIT);
}

bool fa__wire_listen(fa__wire *w, bool gone)
{
    if (*w->failure || atomic_load(&w->interrupted))
        return !*w->failure;
    for (int i = 0; i < w->size; i++)
        if (w->socket[i] >= 0)
            listen_to(w, i);
    for (int i = 0; i < w->size; i++)
        if (w->teller == i || (gone && w->ended[i] && w->teller < 0))
            return peer_left(w, NULL, 0, &(fa__transfer){.peer = i}, w->teller == i ? w->reason : "");
    return true;
}

/* Whether a rank waits in an exchange that this one has not come to. */
static bool has_sent(const fa__wire *w, int peer)
{
    char first;
    if (w->near[peer])
        return fa__near_ready(w->near[peer], side_to(w, peer), true);
    return w->socket[peer] >= 0 && recv(w->socket[peer], &first, 1, MSG_DONTWAIT | MSG_PEEK) > 0;
}

bool fa__wire_missed(fa__wire *w, const char *name)
{
    size_t count = 0;
    fa__transfer *t = calloc((size_t)w->size, sizeof *t);
    if (!t)
        return fail_with(w, NULL, 0, FA_ERROR_MEMORY, "fa_dist: out of memory");
    for (int i = 0; i < w->size; i++)
        if (i != w->rank) {
            t[count++] = (fa__transfer){.peer = i, .receives = true};
            w->waits[i] |= has_sent(w, i);
        }
    timed_out(w, t, count, name);
    free(t);
    return false;
}
