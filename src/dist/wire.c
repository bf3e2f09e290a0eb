/* Messages between ranks: each has a frame in front that says what it belongs to, so that ranks that call different
 * things, are gone, or do not come are found and named. */
#include "dist/mpi.h"
#include "dist/wire_parts.h"
#include <errno.h>
#include <facula/error.h>
#include <fcntl.h>
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

enum { YIELD_AFTER = 5000, NAP_AFTER = 1000000 /* ns */ };

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
    free(w->mpi_room);
    free(w->transfer);
    free(w->room);
    free(w);
}

void fa__wire_share(fa__wire *w, int rank, fa__near *n)
{
    w->near[rank] = n;
}

char *fa__wire_room(fa__wire *w, size_t bytes)
{
    if (bytes > w->room_bytes) {
        free(w->room);
        w->room = malloc(bytes);
        w->room_bytes = w->room ? bytes : 0;
    }
    return w->room;
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

static bool receives_from(const fa__transfer *t, size_t count, int peer)
{
    for (size_t k = 0; k < count; k++)
        if (t[k].peer == peer && t[k].receives && !fa__wire_finished(&t[k]))
            return true;
    return false;
}

/* Moves what can be moved now. False after a failure. */
static bool advance(fa__wire *w, fa__transfer *all, size_t count, fa__transfer *t,
                    const struct fa__wire_frame *expected)
{
    while (!fa__wire_finished(t)) {
        struct iovec part[2];
        struct msghdr message = {.msg_iov = part, .msg_iovlen = (size_t)parts_left(t, part)};
        bool in_frame = t->done < sizeof t->frame;
        ssize_t moved = w->mpi             ? fa__mpi_move(w, t, part, (int)message.msg_iovlen)
                        : w->near[t->peer] ? fa__wire_move_near(w, t, part, (int)message.msg_iovlen)
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
            return fa__wire_peer_left(w, all, count, t, w->teller == t->peer ? w->reason : "");
        t->done += (size_t)moved;
        if (t->receives && in_frame)
            fa__wire_take_notes(w, t);
        if (t->receives && in_frame && t->done == sizeof t->frame && !fa__wire_check_frame(w, all, count, t, expected))
            return false;
    }
    return true;
}

/* Sleeps until a socket has something, or for a second. */
static void sleep_for(fa__wire *w, const fa__transfer *t, size_t count, struct pollfd *polled, int64_t until)
{
    for (size_t k = 0; k < count; k++)
        polled[k] = (struct pollfd){.fd = fa__wire_finished(&t[k]) ? -1 : w->socket[t[k].peer],
                                    .events = t[k].receives || w->near[t[k].peer] ? POLLIN : POLLOUT};
    int64_t left = (until - fa__dist_clock()) / 1000000 + 1;
    if (poll(polled, count, left < 0 ? 0 : left > 1000 ? 1000 : (int)left) <= 0)
        return;
    for (size_t k = 0; k < count; k++)
        if (polled[k].revents && w->near[t[k].peer])
            fa__wire_listen_to(w, t[k].peer);
}

/* MPI moves its messages when it is asked about them. */
static void nap(int64_t since)
{
    const int64_t waited = fa__dist_clock() - since;
    if (waited >= NAP_AFTER)
        nanosleep(&(struct timespec){0, 50000}, NULL);
    else if (waited >= YIELD_AFTER)
        sched_yield();
}

/* Waits until a transfer can go on, or for a second. */
static void wait_for(fa__wire *w, const fa__transfer *t, size_t count, struct pollfd *polled, int64_t since,
                     int64_t until)
{
    int64_t begin = fa__dist_clock();
    if (!w->mpi)
        fa__wire_wake_near(w, t, count);
    if (w->mpi) {
        nap(since);
    } else if (!fa__wire_spin(w, t, count)) {
        fa__wire_say_sleeping(w, t, count, true);
        if (!fa__wire_near_ready(w, t, count))
            sleep_for(w, t, count, polled, until);
        fa__wire_say_sleeping(w, t, count, false);
    }
    double waited = (double)(fa__dist_clock() - begin) * 1e-9;
    for (size_t k = 0; k < count; k++)
        if (t[k].receives && !fa__wire_finished(&t[k]))
            w->waited[t[k].peer] += waited;
}

static bool move_all(fa__wire *w, fa__transfer *t, size_t count, struct pollfd *polled,
                     const struct fa__wire_frame *frame)
{
    const int64_t patience = (int64_t)(w->timeout * 1e9);
    for (int64_t last = 0;;) {
        size_t before = 0, after = 0, open = 0;
        for (size_t k = 0; k < count; k++) {
            before += t[k].done;
            if (!fa__wire_finished(&t[k]) && !advance(w, t, count, &t[k], frame))
                return false;
            after += t[k].done;
            open += !fa__wire_finished(&t[k]);
        }
        if (!open)
            break;
        if ((after != before || !last) && (w->mpi ? fa__mpi_look(w, t, count) : fa__wire_look(w, t, count)))
            continue; /* what comes at once is not worth reading the clock */
        const int64_t now = fa__dist_clock();
        if (after != before || !last)
            last = now;
        else if (now - last > patience)
            return fa__wire_timed_out(w, t, count, frame->name);
        wait_for(w, t, count, polled, last, last + patience);
    }
    if (!w->mpi)
        fa__wire_wake_near(w, t, count);
    return true;
}

bool fa__exchange(fa__wire *w, fa__message what, fa__transfer *t, size_t count)
{
    if (*w->failure)
        return fa_fail(FA_ERROR_STATE, "%s: the group has failed before: %s", what.name, w->failure);
    struct fa__wire_frame frame = {.magic = FA__WIRE_MAGIC,
                                   .dtype = what.dtype,
                                   .phase = what.phase,
                                   .rank = (uint32_t)w->rank,
                                   .number = what.phase == FA__DIRECT ? 0 : w->number};
    memcpy(frame.name, what.name, strnlen(what.name, sizeof frame.name - 1));
    for (size_t k = 0; k < count; k++) {
        t[k].done = 0;
        t[k].requests = 0;
        t[k].moving = 0;
        t[k].frame = frame;
        t[k].frame.bytes = t[k].bytes;
    }
    struct pollfd few[32], *polled = count <= 32 ? few : malloc(count * sizeof *polled);
    if (!polled)
        return fa_fail(FA_ERROR_MEMORY, "%s: out of memory", what.name);
    bool good = (!w->mpi || fa__mpi_begin(w, t, count)) && move_all(w, t, count, polled, &frame);
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
