/* Memory that two ranks of one machine share: a file without a name, which both map. Each direction has two rings of
 * bytes, with the number of bytes written and read so far. The lines of the short one are numbered: as a line comes
 * together with its number, a message takes one transfer between the cores, not a second one for a counter. Who has
 * nothing to do sleeps in poll(), and has said so beside the rings: the other one then wakes it through their socket.
 */
#define _GNU_SOURCE
#include "dist/near.h"
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <unistd.h>

/* STEP: so many bytes at once, so that the other side can begin before all are there. The sizes of rings are powers of
 * two. */
enum {
    LINE = 64,
    STEP = 128 << 10,
    LINES = 256, /* of a short ring */
    LINE_DATA = LINE - sizeof(uint64_t),
    PATIENCE = 200, /* looks for the next line of a message, which is being written */
    MOST_RING = 1 << 20,
    LEAST_RING = 64 << 10,
    ALL_RINGS = 8 << 20
};

typedef struct line {
    _Alignas(LINE) char data[LINE_DATA];
    _Atomic uint64_t number; /* from 1, over all rounds; written last */
} line;

/* Counters are written by one side each, so that they do not take the cache line from each other. */
typedef struct direction {
    line line[LINES];
    _Alignas(LINE) _Atomic uint64_t lines_read;
    _Alignas(LINE) _Atomic uint64_t written; /* bytes of the long ring */
    _Alignas(LINE) _Atomic uint64_t read;
    _Alignas(LINE) _Atomic uint32_t writer_sleeps, reader_sleeps;
} direction;

struct fa__near {
    struct {
        direction from[2]; /* of a side to the other */
    } * shared;            /* the bytes of the long rings follow */
    size_t bytes;          /* of a long ring */
    int file;              /* -1: closed */
    atomic_int users;      /* in this process */
    struct {
        _Alignas(LINE) uint64_t lines_put, lines_taken;
        uint64_t lines_read, read; /* of the rings that a side writes to, when it last looked */
    } known[2];
};

static size_t mapped(const fa__near *n)
{
    return sizeof *n->shared + 2 * n->bytes;
}

static void name_of(uint64_t number, char *name, size_t room)
{
    snprintf(name, room, "facula-%016llx", (unsigned long long)number);
}

/* Maps the file, which it owns. */
static fa__near *map(int file, size_t ring_bytes)
{
    fa__near *n = aligned_alloc(LINE, sizeof *n);
    if (n) {
        memset(n, 0, sizeof *n);
        n->bytes = ring_bytes;
        n->file = file;
        n->users = 1;
        void *memory = mmap(NULL, mapped(n), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        if (memory != MAP_FAILED) {
            n->shared = memory;
            return n;
        }
    }
    free(n);
    close(file);
    return NULL;
}

fa__near *fa__near_new(int ranks, fa__near_offer *offer)
{
    size_t ring_bytes = MOST_RING;
    while (ring_bytes > LEAST_RING && ring_bytes * (size_t)ranks > ALL_RINGS)
        ring_bytes /= 2;
    char name[40];
    *offer = (fa__near_offer){.process = getpid(), .file = -1, .ring = (int32_t)ring_bytes};
    if (getrandom(&offer->number, sizeof offer->number, 0) != sizeof offer->number)
        return NULL;
    name_of(offer->number, name, sizeof name);
    int file = memfd_create(name, MFD_CLOEXEC);
    if (file < 0)
        return NULL;
    fa__near size = {.bytes = ring_bytes};
    if (ftruncate(file, (off_t)mapped(&size)) < 0) {
        close(file);
        return NULL;
    }
    offer->file = file;
    return map(file, ring_bytes);
}

fa__near *fa__near_open(const fa__near_offer *offer)
{
    char path[60], name[60], expected[60], random_name[40];
    if (offer->file < 0 || offer->ring < LEAST_RING || offer->ring > MOST_RING || (offer->ring & (offer->ring - 1)))
        return NULL;
    snprintf(path, sizeof path, "/proc/%lld/fd/%d", (long long)offer->process, (int)offer->file);
    name_of(offer->number, random_name, sizeof random_name);
    int length = snprintf(expected, sizeof expected, "/memfd:%s (deleted)", random_name);
    if (readlink(path, name, sizeof name) != length || memcmp(name, expected, (size_t)length) != 0)
        return NULL;
    int file = open(path, O_RDWR | O_CLOEXEC);
    fa__near *n = file >= 0 ? map(file, (size_t)offer->ring) : NULL;
    if (n)
        fa__near_opened(n);
    return n;
}

void fa__near_opened(fa__near *n)
{
    if (n->file >= 0)
        close(n->file);
    n->file = -1;
}

fa__near *fa__near_share(fa__near *n)
{
    atomic_fetch_add(&n->users, 1);
    return n;
}

void fa__near_free(fa__near *n)
{
    if (!n || atomic_fetch_sub(&n->users, 1) > 1)
        return;
    fa__near_opened(n);
    munmap(n->shared, mapped(n));
    free(n);
}

/* ---- the short ring ---- */

static size_t lines_of(size_t bytes)
{
    return (bytes + LINE_DATA - 1) / LINE_DATA;
}

size_t fa__near_room(size_t frame, size_t bytes)
{
    return lines_of(frame) + lines_of(bytes);
}

static bool has_come(const line *l, uint64_t before)
{
    return atomic_load_explicit(&l->number, memory_order_acquire) == before + 1;
}

/* Each part begins with a line. */
static size_t put_lines(fa__near *n, int side, const struct iovec *part, int parts)
{
    direction *d = &n->shared->from[side];
    uint64_t at = n->known[side].lines_put, *read = &n->known[side].lines_read;
    size_t wanted = 0, moved = 0;
    for (int i = 0; i < parts; i++)
        wanted += lines_of(part[i].iov_len);
    if (LINES - (at - *read) < wanted)
        *read = atomic_load_explicit(&d->lines_read, memory_order_acquire); /* which comes from the other core */
    if (LINES - (at - *read) < wanted)
        return 0;
    for (int i = 0; i < parts; i++) {
        const char *from = part[i].iov_base;
        size_t left = part[i].iov_len;
        moved += left;
        for (; left; at++) {
            line *l = &d->line[at % LINES];
            const size_t now = left < LINE_DATA ? left : LINE_DATA;
            if (now == LINE_DATA)
                memcpy(l->data, from, LINE_DATA);
            else
                memcpy(l->data, from, now);
            atomic_store_explicit(&l->number, at + 1, memory_order_release);
            from += now;
            left -= now;
        }
    }
    n->known[side].lines_put = at;
    return moved;
}

/* The lines that have come; up to the end of a part. */
static size_t take_lines(fa__near *n, int side, char *into, size_t bytes)
{
    direction *d = &n->shared->from[!side];
    uint64_t at = n->known[side].lines_taken;
    size_t moved = 0;
    while (moved < bytes) {
        const line *l = &d->line[at % LINES];
        bool here = has_come(l, at);
        for (int i = 0; !here && moved && i < PATIENCE; i++)
            here = has_come(l, at);
        if (!here)
            break;
        if (bytes - moved >= LINE_DATA)
            memcpy(into + moved, l->data, LINE_DATA);
        else
            memcpy(into + moved, l->data, bytes - moved);
        moved += bytes - moved < LINE_DATA ? bytes - moved : LINE_DATA;
        at++;
    }
    if (moved) {
        n->known[side].lines_taken = at;
        atomic_store_explicit(&d->lines_read, at, memory_order_release);
    }
    return moved;
}

/* ---- the long ring ---- */

static char *bytes_from(const fa__near *n, int side)
{
    return (char *)(n->shared + 1) + (size_t)side * n->bytes;
}

/* Copies between the ring, at a number of bytes counted from its beginning, and memory outside of it. */
static void copy_ring(const fa__near *n, int side, uint64_t at, char *outside, size_t bytes, bool out)
{
    size_t start = (size_t)at & (n->bytes - 1), first = bytes < n->bytes - start ? bytes : n->bytes - start;
    char *memory = bytes_from(n, side);
    memcpy(out ? outside : memory + start, out ? memory + start : outside, first);
    if (bytes > first)
        memcpy(out ? outside + first : memory, out ? memory : outside + first, bytes - first);
}

static size_t least(size_t a, size_t b, size_t c)
{
    size_t ab = a < b ? a : b;
    return ab < c ? ab : c;
}

/* Room for `wanted` bytes in the ring of a side, or for fewer. The other side's counter is looked at only if what was
 * known of it does not tell: its line comes from the other core. */
static size_t room_for(fa__near *n, int side, uint64_t written, size_t wanted)
{
    uint64_t *read = &n->known[side].read;
    if (n->bytes - (size_t)(written - *read) < wanted)
        *read = atomic_load_explicit(&n->shared->from[side].read, memory_order_acquire);
    return least(wanted, n->bytes - (size_t)(written - *read), STEP);
}

static size_t put_bytes(fa__near *n, int side, const struct iovec *part, int parts)
{
    direction *d = &n->shared->from[side];
    const uint64_t written = atomic_load_explicit(&d->written, memory_order_relaxed);
    size_t wanted = 0, moved = 0;
    for (int i = 0; i < parts; i++)
        wanted += part[i].iov_len;
    const size_t room = room_for(n, side, written, wanted < STEP ? wanted : STEP);
    for (int i = 0; i < parts && moved < room; i++) {
        size_t now = least(part[i].iov_len, room - moved, STEP);
        copy_ring(n, side, written + moved, part[i].iov_base, now, false);
        moved += now;
    }
    if (moved)
        atomic_store_explicit(&d->written, written + moved, memory_order_release);
    return moved;
}

static size_t take_bytes(fa__near *n, int side, char *into, size_t bytes)
{
    direction *d = &n->shared->from[!side];
    const uint64_t read = atomic_load_explicit(&d->read, memory_order_relaxed);
    size_t full = (size_t)(atomic_load_explicit(&d->written, memory_order_acquire) - read),
           moved = least(bytes, full, STEP);
    if (!moved)
        return 0;
    copy_ring(n, !side, read, into, moved, true);
    atomic_store_explicit(&d->read, read + moved, memory_order_release);
    return moved;
}

/* ---- both ---- */

/* Whether it has to be woken, which is asked for by one. */
static bool is_asleep(_Atomic uint32_t *sleeps)
{
    return atomic_load_explicit(sleeps, memory_order_relaxed) && atomic_exchange(sleeps, 0);
}

size_t fa__near_put(fa__near *n, int side, fa__near_ring which, const struct iovec *part, int parts, bool *wakes)
{
    size_t moved = which == FA__NEAR_LONG_RING ? put_bytes(n, side, part, parts) : put_lines(n, side, part, parts);
    *wakes = moved && is_asleep(&n->shared->from[side].reader_sleeps);
    return moved;
}

size_t fa__near_take(fa__near *n, int side, fa__near_ring which, void *into, size_t bytes, bool *wakes)
{
    size_t moved = which == FA__NEAR_LONG_RING ? take_bytes(n, side, into, bytes) : take_lines(n, side, into, bytes);
    *wakes = moved && is_asleep(&n->shared->from[!side].writer_sleeps);
    return moved;
}

bool fa__near_ready(const fa__near *n, int side, fa__near_ring which, bool takes, size_t room)
{
    const direction *d = &n->shared->from[takes ? !side : side];
    const uint64_t put = n->known[side].lines_put, taken = n->known[side].lines_taken;
    if (which == FA__NEAR_SHORT_RING)
        return takes ? atomic_load(&d->line[taken % LINES].number) == taken + 1
                     : LINES - (put - atomic_load(&d->lines_read)) >= room;
    const size_t full = (size_t)(atomic_load(&d->written) - atomic_load(&d->read));
    return takes ? full > 0 : n->bytes - full >= room;
}

bool fa__near_wakes(fa__near *n, int side, bool takes)
{
    direction *d = &n->shared->from[takes ? !side : side];
    return is_asleep(takes ? &d->writer_sleeps : &d->reader_sleeps);
}

void fa__near_sleep(fa__near *n, int side, bool takes, bool sleeps)
{
    direction *d = &n->shared->from[takes ? !side : side];
    atomic_store(takes ? &d->reader_sleeps : &d->writer_sleeps, sleeps);
}
