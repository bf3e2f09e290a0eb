/* How processes find each other: all connect to rank 0, which sends each the addresses of the others; then each pair is
 * connected. */
#define _GNU_SOURCE
#include "dist/rendezvous.h"
#include "dist/group.h"
#include "dist/launcher.h"
#include "dist/mpi.h"
#include "dist/nccl.h"
#include "dist/neighbors.h"
#include <arpa/inet.h>
#include <errno.h>
#include <facula/error.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/* What a process says first on each connection. */
typedef struct hello {
    uint32_t magic, rank, ranks;
    uint32_t port;  /* where it waits for ranks above its own */
    uint64_t group; /* a number that all processes of a group get from rank 0 */
} hello;

/* Where a rank waits, as rank 0 sees it. */
typedef struct place {
    struct sockaddr_storage address;
    uint32_t length;
} place;

/* What rank 0 sends to each rank before the places. */
typedef struct welcome {
    uint64_t group;
} welcome;

typedef struct meeting {
    fa__wire *wire;
    place *place; /* of each rank */
    int listener;
    uint64_t group;
    int64_t until; /* on the clock */
} meeting;

enum { HELLO = 0x66616468 };

static int left_ms(const meeting *m)
{
    int64_t left = (m->until - fa__dist_clock()) / 1000000;
    return left < 0 ? 0 : left > 1000 ? 1000 : (int)left + 1;
}

static bool is_late(const meeting *m)
{
    return fa__dist_clock() > m->until;
}

/* Sends or receives all bytes; false if the connection ended, or the time is over. */
static bool move(const meeting *m, int s, void *data, size_t size, bool receives)
{
    for (size_t done = 0; done < size;) {
        struct pollfd p = {s, receives ? POLLIN : POLLOUT, 0};
        if (poll(&p, 1, left_ms(m)) < 0 && errno != EINTR)
            return false;
        ssize_t n = receives ? recv(s, (char *)data + done, size - done, MSG_DONTWAIT)
                             : send(s, (char *)data + done, size - done, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (n == 0 || (n < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR) || (n < 0 && is_late(m)))
            return false;
        done += n > 0 ? (size_t)n : 0;
    }
    return true;
}

/* ---- sockets ---- */

static void set_port(struct sockaddr_storage *a, uint16_t port)
{
    if (a->ss_family == AF_INET6)
        ((struct sockaddr_in6 *)a)->sin6_port = htons(port);
    else
        ((struct sockaddr_in *)a)->sin_port = htons(port);
}

static uint32_t port_of(int s)
{
    struct sockaddr_storage a = {0};
    socklen_t length = sizeof a;
    if (getsockname(s, (struct sockaddr *)&a, &length) < 0)
        return 0;
    uint16_t port; /* sin6_port is in the same place */
    memcpy(&port, (const char *)&a + offsetof(struct sockaddr_in, sin_port), sizeof port);
    return ntohs(port);
}

/* A socket that waits for connections at an address; port 0: any that is free. -1 on failure. */
static int listen_at(const struct sockaddr_storage *at, socklen_t length)
{
    const int one = 1;
    int s = socket(at->ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (s < 0)
        return -1;
    setsockopt(s, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (bind(s, (const struct sockaddr *)at, length) == 0 && listen(s, 1024) == 0)
        return s;
    int why = errno;
    close(s);
    errno = why;
    return -1;
}

/* Connects to an address, and tries again until the timeout. -1 if nothing listened there in time. */
static int connect_to(const meeting *m, const place *to)
{
    while (!is_late(m)) {
        int s = socket(to->address.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
        if (s < 0)
            return -1;
        if (connect(s, (const struct sockaddr *)&to->address, to->length) == 0)
            return s;
        close(s);
        nanosleep(&(struct timespec){0, 20 * 1000000}, NULL);
    }
    errno = ETIMEDOUT;
    return -1;
}

/* The next connection to the listener that says hello for this group; others are closed. -1: the time is over. */
static int accept_one(const meeting *m, hello *h)
{
    while (!is_late(m)) {
        struct pollfd p = {m->listener, POLLIN, 0};
        if (poll(&p, 1, left_ms(m)) <= 0)
            continue;
        int s = accept4(m->listener, NULL, NULL, SOCK_CLOEXEC);
        if (s < 0)
            continue;
        if (move(m, s, h, sizeof *h, true) && h->magic == HELLO && h->ranks == (uint32_t)m->wire->size
            && h->rank < h->ranks && m->wire->socket[h->rank] < 0 && h->rank != (uint32_t)m->wire->rank
            && h->group == m->group)
            return s;
        close(s);
    }
    return -1;
}

static bool missing(const meeting *m)
{
    char list[200] = "";
    size_t at = 0;
    for (int i = 0; i < m->wire->size && at < sizeof list - 20; i++)
        if (i != m->wire->rank && m->wire->socket[i] < 0)
            at += (size_t)snprintf(list + at, sizeof list - at, "%s%d", at ? ", " : "", i);
    return fa_fail(FA_ERROR_STATE, "fa_dist_init: rank %d of %d has waited %g s for rank %s", m->wire->rank,
                   m->wire->size, m->wire->timeout, list);
}

/* ---- rank 0 ---- */

static bool welcome_all(meeting *m)
{
    welcome w = {m->group};
    for (int i = 1; i < m->wire->size; i++)
        if (!move(m, m->wire->socket[i], &w, sizeof w, false)
            || !move(m, m->wire->socket[i], m->place, (size_t)m->wire->size * sizeof *m->place, false))
            return fa_fail(FA_ERROR_STATE, "fa_dist_init: rank %d is gone", i);
    return true;
}

static bool meet_as_first(meeting *m)
{
    hello h;
    for (int count = 1; count < m->wire->size; count++) {
        int s = accept_one(m, &h);
        if (s < 0)
            return missing(m);
        place *p = &m->place[h.rank];
        p->length = sizeof p->address;
        if (getpeername(s, (struct sockaddr *)&p->address, &p->length) < 0)
            p->length = 0;
        set_port(&p->address, (uint16_t)h.port);
        fa__wire_set(m->wire, (int)h.rank, s);
    }
    uint64_t number = (uint64_t)fa__dist_clock() << 16 ^ (uint64_t)getpid();
    m->group = number ? number : 1;
    return welcome_all(m);
}

/* ---- the other ranks ---- */

static bool say_hello(const meeting *m, int s)
{
    hello h = {HELLO, (uint32_t)m->wire->rank, (uint32_t)m->wire->size, port_of(m->listener), m->group};
    return move(m, s, &h, sizeof h, false);
}

static bool meet_first(meeting *m, const place *first)
{
    welcome w;
    int s = connect_to(m, first);
    if (s < 0)
        return missing(m);
    struct sockaddr_storage here = {0};
    socklen_t length = sizeof here;
    fa__wire_set(m->wire, 0, s);
    if (getsockname(s, (struct sockaddr *)&here, &length) == 0) {
        set_port(&here, 0);
        m->listener = listen_at(&here, length);
    }
    if (m->listener < 0)
        return fa_fail(FA_ERROR_STATE, "fa_dist_init: rank %d cannot wait for connections: %s", m->wire->rank,
                       strerror(errno));
    if (!say_hello(m, s) || !move(m, s, &w, sizeof w, true)
        || !move(m, s, m->place, (size_t)m->wire->size * sizeof *m->place, true))
        return fa_fail(
            FA_ERROR_STATE,
            "fa_dist_init: rank 0 did not accept rank %d of %d: it is of another group, has ended, or waits for "
            "other ranks",
            m->wire->rank, m->wire->size);
    m->group = w.group;
    return true;
}

/* Connects to the ranks below this one, and waits for those above. */
static bool meet_others(meeting *m)
{
    hello h;
    for (int i = 1; i < m->wire->rank; i++) {
        int s = connect_to(m, &m->place[i]);
        if (s < 0 || !say_hello(m, s)) {
            if (s >= 0)
                close(s);
            return fa_fail(FA_ERROR_STATE, "fa_dist_init: rank %d cannot connect to rank %d: %s", m->wire->rank, i,
                           strerror(errno));
        }
        fa__wire_set(m->wire, i, s);
    }
    for (int i = m->wire->rank + 1; i < m->wire->size; i++) {
        int s = accept_one(m, &h);
        if (s < 0)
            return missing(m);
        fa__wire_set(m->wire, (int)h.rank, s);
    }
    return true;
}

/* ---- where rank 0 is ---- */

static bool find_address(const char *host, int port, place *p)
{
    char number[16];
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *found = NULL;
    snprintf(number, sizeof number, "%d", port);
    int wrong = getaddrinfo(host, number, &hints, &found);
    if (wrong)
        return fa_fail(FA_ERROR_ARGUMENT, "fa_dist_init: %s: %s", host, gai_strerror(wrong));
    memcpy(&p->address, found->ai_addr, found->ai_addrlen);
    p->length = found->ai_addrlen;
    freeaddrinfo(found);
    return true;
}

/* The socket that `facula run` opened for rank 0, so that no other program can take the port; -1: none. */
static int inherited_listener(void)
{
    const char *text = getenv("FACULA_DIST_LISTENER");
    int s = text ? atoi(text) : -1;
    unsetenv("FACULA_DIST_LISTENER"); /* it is taken */
    if (s >= 0)
        fcntl(s, F_SETFD, FD_CLOEXEC);
    return s;
}

static bool meet(meeting *m, const char *host, int port)
{
    if (!find_address(host, port, &m->place[0]))
        return false;
    if (m->wire->rank)
        return meet_first(m, &m->place[0]) && meet_others(m);
    m->listener = inherited_listener();
    if (m->listener < 0)
        m->listener = listen_at(&m->place[0].address, m->place[0].length);
    if (m->listener < 0)
        return fa_fail(FA_ERROR_STATE, "fa_dist_init: rank 0 cannot wait at %s, port %d: %s", host, port,
                       strerror(errno));
    return meet_as_first(m);
}

static bool begin(meeting *m, fa__wire *w, int listener)
{
    *m = (meeting){.wire = w, .listener = listener, .until = fa__dist_clock() + (int64_t)(w->timeout * 1e9)};
    m->place = calloc((size_t)w->size, sizeof *m->place);
    return m->place || fa_fail(FA_ERROR_MEMORY, "fa_dist_init: out of memory");
}

static void end(meeting *m)
{
    if (m->listener >= 0)
        close(m->listener);
    free(m->place);
}

static bool join(fa__wire *w, const char *host, int port)
{
    meeting m;
    bool good = begin(&m, w, -1) && meet(&m, host, port);
    end(&m);
    return good;
}

/* ---- groups of some ranks ---- */

int fa__meeting_open(int connected, int *port)
{
    struct sockaddr_storage here = {0}, any = {0};
    socklen_t length = sizeof here;
    if (getsockname(connected, (struct sockaddr *)&here, &length) < 0)
        return -1;
    any.ss_family = here.ss_family; /* all zeros: any address */
    int s = listen_at(&any, length);
    *port = s < 0 ? 0 : (int)port_of(s);
    return s;
}

bool fa__meeting_join(fa__wire *w, int connected, int port, int listener)
{
    meeting m;
    bool good = begin(&m, w, listener);
    if (good && w->rank) {
        m.place[0].length = sizeof m.place[0].address;
        good = getpeername(connected, (struct sockaddr *)&m.place[0].address, &m.place[0].length) == 0
               || fa_fail(FA_ERROR_STATE, "fa_dist_split: %s", strerror(errno));
        set_port(&m.place[0].address, (uint16_t)port);
    }
    good = good && (w->rank ? meet_first(&m, &m.place[0]) && meet_others(&m) : meet_as_first(&m));
    end(&m);
    return good;
}

fa_group *(fa_dist_init)(const fa_dist_init_options *options)
{
    fa_dist_init_options o = FA__DEFAULT_fa_dist_init;
    fa__options_read(&o, o.size, options);
    if (fa_error_stands() || !fa__launch_complete(&o))
        return NULL;
    bool mpi = !strcmp(o.backend, "mpi"), shares = strcmp(o.backend, "tcp") != 0;
    fa__wire *w = mpi ? fa__mpi_wire(o.timeout) : fa__wire_new(o.rank, o.ranks, o.timeout);
    if (!w)
        return NULL;
    w->nccl = (int)fa__nccl_use_of(o.backend);
    w->shares = shares;
    if (mpi || o.ranks == 1 || (join(w, o.address, o.port) && fa__neighbors_meet(w, shares)))
        return fa__group_new(w);
    fa__wire_free(w);
    return NULL;
}
