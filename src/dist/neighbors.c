/* Ranks of one machine share memory: the lower one of a pair makes it, the other one opens it, and says whether it
 * could. What they say goes through their sockets. */
#include "dist/neighbors.h"
#include <errno.h>
#include <facula/error.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

/* What this rank knows of another one. */
typedef struct neighbor {
    uint64_t here, there; /* numbers of the machines, equal if they are the same; 0: it shares no memory */
    fa__near_offer made, offered;
    fa__near *memory;
    uint8_t opened;
} neighbor;

/* A number of this machine since it was started; 0: unknown. */
static uint64_t machine(void)
{
    uint64_t number = 14695981039346656037u;
    FILE *f = fopen("/proc/sys/kernel/random/boot_id", "r");
    if (!f)
        return 0;
    for (int c; (c = fgetc(f)) != EOF;)
        number = (number ^ (uint64_t)c) * 1099511628211u;
    fclose(f);
    return number;
}

/* ---- three exchanges: of the machines' numbers, of the offers, and whether they could be used ---- */

typedef struct meeting {
    fa__wire *w;
    neighbor *of;
    fa__transfer *transfer;
    size_t transfers;
    uint32_t phase;
} meeting;

static bool is_here(const neighbor *n)
{
    return n->here && n->here == n->there;
}

static void add(meeting *m, int peer, const void *data, void *into, size_t bytes)
{
    m->transfer[m->transfers++] =
        (fa__transfer){.peer = peer, .receives = into != NULL, .data = data, .into = into, .bytes = bytes};
}

static bool exchange(meeting *m)
{
    bool good =
        fa__exchange(m->w, (fa__message){.name = "fa_dist_init", .phase = m->phase++}, m->transfer, m->transfers);
    m->transfers = 0;
    return good;
}

static bool tell_machines(meeting *m, bool shares)
{
    uint64_t number = shares ? machine() : 0;
    for (int i = 0; i < m->w->size; i++)
        if (i != m->w->rank) {
            m->of[i].here = number;
            add(m, i, &m->of[i].here, NULL, sizeof number);
            add(m, i, NULL, &m->of[i].there, sizeof number);
        }
    return exchange(m);
}

static bool make_offers(meeting *m)
{
    for (int i = 0; i < m->w->size; i++) {
        neighbor *n = &m->of[i];
        if (i == m->w->rank || !is_here(n))
            continue;
        if (i > m->w->rank) {
            n->memory = fa__near_new(m->w->size, &n->made);
            add(m, i, &n->made, NULL, sizeof n->made);
        } else
            add(m, i, NULL, &n->offered, sizeof n->offered);
    }
    return exchange(m);
}

static bool answer_offers(meeting *m)
{
    for (int i = 0; i < m->w->size; i++) {
        neighbor *n = &m->of[i];
        if (i == m->w->rank || !is_here(n))
            continue;
        if (i < m->w->rank) {
            n->memory = fa__near_open(&n->offered);
            n->opened = n->memory != NULL;
            add(m, i, &n->opened, NULL, 1);
        } else
            add(m, i, NULL, &n->opened, 1);
    }
    return exchange(m);
}

/* The memory belongs to the wire, or is not needed. */
static void use(const meeting *m, bool good)
{
    for (int i = 0; i < m->w->size; i++) {
        neighbor *n = &m->of[i];
        if (n->memory)
            fa__near_opened(n->memory);
        if (good && n->memory && n->opened)
            fa__wire_share(m->w, i, n->memory);
        else
            fa__near_free(n->memory);
    }
}

bool fa__neighbors_meet(fa__wire *w, bool shares)
{
    meeting m = {.w = w, .of = calloc((size_t)w->size, sizeof *m.of)};
    m.transfer = calloc(2 * (size_t)w->size, sizeof *m.transfer);
    bool good = m.of && m.transfer;
    if (good) {
        good = tell_machines(&m, shares) && make_offers(&m) && answer_offers(&m);
        use(&m, good);
    } else {
        fa_fail(FA_ERROR_MEMORY, "fa_dist_init: out of memory");
    }
    free(m.of);
    free(m.transfer);
    return good;
}

bool fa__neighbors_threads(fa__wire *a, fa__wire *b)
{
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
        return fa_fail(FA_ERROR_STATE, "fa_dist: no connection for %d ranks: %s", a->size, strerror(errno));
    fa__wire_set(a, b->rank, pair[0]);
    fa__wire_set(b, a->rank, pair[1]);
    fa__near_offer unused;
    const char *backend = getenv("FACULA_DIST_BACKEND");
    fa__near *memory = backend && !strcmp(backend, "tcp") ? NULL : fa__near_new(a->size, &unused);
    if (memory) {
        fa__near_opened(memory);
        fa__wire_share(a, b->rank, memory);
        fa__wire_share(b, a->rank, fa__near_share(memory));
    }
    return true;
}
