/* Messages between ranks that share memory: the socket carries only bytes of 0 that wake the other rank, notes, and the
 * reason at the end. */
#include "dist/wire_parts.h"
#include <errno.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/socket.h>

enum { SPIN = 30000 /* ns */, FIRST = 1000, NEXT = 20 /* looks before the CPU is given away */ };

/* Where the rest of a transfer goes: a frame, and data that is put with it, through the short ring. */
static fa__near_ring ring_of(const fa__transfer *t)
{
    return t->done < sizeof t->frame || t->bytes <= FA__NEAR_SHORT ? FA__NEAR_SHORT_RING : FA__NEAR_LONG_RING;
}

static void wake(const fa__wire *w, int peer)
{
    (void)!send(w->socket[peer], &(char){FA__WIRE_WAKES}, 1, MSG_NOSIGNAL | MSG_DONTWAIT);
}

/* Moves what can be moved now; as recvmsg() and sendmsg(), 0 when the other one has ended. */
ssize_t fa__wire_move_near(fa__wire *w, const fa__transfer *t, const struct iovec *part, int parts)
{
    const int side = fa__wire_side(w, t->peer);
    const fa__near_ring which = ring_of(t);
    fa__near *n = w->near[t->peer];
    bool wakes = false;
    if (t->done == 0 && t->bytes > FA__NEAR_SHORT)
        parts = 1;
    size_t moved = t->receives ? fa__near_take(n, side, which, part->iov_base, part->iov_len, &wakes)
                               : fa__near_put(n, side, which, part, parts, &wakes);
    if (wakes)
        wake(w, t->peer);
    if (moved || w->ended[t->peer])
        return (ssize_t)moved;
    errno = EAGAIN;
    return -1;
}

static bool waits_near(const fa__wire *w, const fa__transfer *t)
{
    return w->near[t->peer] && !fa__wire_finished(t);
}

/* What has to be free for a transfer to go on. */
static size_t room_of(const fa__transfer *t)
{
    return ring_of(t) == FA__NEAR_LONG_RING ? 1
                                            : fa__near_room(sizeof t->frame, t->bytes <= FA__NEAR_SHORT ? t->bytes : 0);
}

bool fa__wire_near_ready(const fa__wire *w, const fa__transfer *t, size_t count)
{
    for (size_t k = 0; k < count; k++)
        if (waits_near(w, &t[k])
            && fa__near_ready(w->near[t[k].peer], fa__wire_side(w, t[k].peer), ring_of(&t[k]), t[k].receives,
                              room_of(&t[k])))
            return true;
    return false;
}

void fa__wire_wake_near(const fa__wire *w, const fa__transfer *t, size_t count)
{
    atomic_thread_fence(memory_order_seq_cst);
    for (size_t k = 0; k < count; k++)
        if (w->near[t[k].peer] && fa__near_wakes(w->near[t[k].peer], fa__wire_side(w, t[k].peer), t[k].receives))
            wake(w, t[k].peer);
}

static bool look(const fa__wire *w, const fa__transfer *t, size_t count, int times)
{
    for (int i = 0; i < times; i++)
        if (fa__wire_near_ready(w, t, count))
            return true;
    return false;
}

bool fa__wire_look(const fa__wire *w, const fa__transfer *t, size_t count)
{
    return look(w, t, count, FIRST / (int)count + 1);
}

/* The other rank may be waiting for this CPU. */
bool fa__wire_spin(const fa__wire *w, const fa__transfer *t, size_t count)
{
    const int64_t until = fa__dist_clock() + SPIN;
    do {
        sched_yield();
        if (look(w, t, count, NEXT))
            return true;
    } while (fa__dist_clock() < until);
    return false;
}

void fa__wire_say_sleeping(const fa__wire *w, const fa__transfer *t, size_t count, bool sleeps)
{
    for (size_t k = 0; k < count; k++)
        if (waits_near(w, &t[k]))
            fa__near_sleep(w->near[t[k].peer], fa__wire_side(w, t[k].peer), t[k].receives, sleeps);
}
