/* Messages between ranks that share memory: the socket carries only bytes of 0 that wake the other rank, notes, and the
 * reason at the end. */
#include "dist/wire_parts.h"
#include <errno.h>
#include <sched.h>
#include <sys/socket.h>

enum { SPIN = 30000 /* ns */, FIRST = 200, NEXT = 20 /* looks before the CPU is given away */ };

/* Moves what can be moved now; as recvmsg() and sendmsg(), 0 when the other one has ended. */
ssize_t fa__wire_move_near(fa__wire *w, const fa__transfer *t, const struct iovec *part, int parts)
{
    const int side = fa__wire_side(w, t->peer);
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
        (void)!send(w->socket[t->peer], &(char){FA__WIRE_WAKES}, 1, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (moved || w->ended[t->peer])
        return (ssize_t)moved;
    errno = EAGAIN;
    return -1;
}

static bool waits_near(const fa__wire *w, const fa__transfer *t)
{
    return w->near[t->peer] && !fa__wire_finished(t);
}

bool fa__wire_near_ready(const fa__wire *w, const fa__transfer *t, size_t count)
{
    for (size_t k = 0; k < count; k++)
        if (waits_near(w, &t[k]) && fa__near_ready(w->near[t[k].peer], fa__wire_side(w, t[k].peer), t[k].receives))
            return true;
    return false;
}

/* Looks again for a moment, which is shorter than being woken takes. The other rank may be waiting for this CPU. */
bool fa__wire_spin(const fa__wire *w, const fa__transfer *t, size_t count)
{
    int looks = FIRST;
    int64_t until = 0;
    for (;;) {
        for (int i = 0; i < looks; i++)
            if (fa__wire_near_ready(w, t, count))
                return true;
        const int64_t now = fa__dist_clock();
        until = until ? until : now + SPIN;
        if (now > until)
            return false;
        sched_yield();
        looks = NEXT;
    }
}

void fa__wire_say_sleeping(const fa__wire *w, const fa__transfer *t, size_t count, bool sleeps)
{
    for (size_t k = 0; k < count; k++)
        if (waits_near(w, &t[k]))
            fa__near_sleep(w->near[t[k].peer], fa__wire_side(w, t[k].peer), t[k].receives, sleeps);
}
