/* Memory that two ranks of one machine share: a file without a name, which both map. Each direction has two rings of
 * bytes, with the number of bytes written and read so far; in the short one each part begins with a cache line. Who has
 * nothing to do sleeps in poll(), and has said so beside the rings: the other one then wakes it through their socket. */
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
    SHORT_RING = 16 << 10,
    MOST_RING = 1 << 20,
    LEAST_RING = 64 << 10,
    ALL_RINGS = 8 << 20
};

/* Written by one side each, so that they do not take the cache line from each other. */
typedef struct counters {
    _Alignas(LINE) _Atomic uint64_t written;
    _Alignas(LINE) _Atomic uint64_t read;
} counters;

typedef struct direction {
    counters of[2]; /* rings */
    _Alignas(LINE) _Atomic uint32_t writer_sleeps, reader_sleeps;
} direction;

struct fa__near {
    struct {
        direction from[2]; /* of a side to the other */
    } * shared;            /* the bytes of the rings follow */
    size_t bytes;          /* of a long ring */
    int file;              /* -1: closed */
    atomic_int users;      /* in this process */
    struct {
        _Alignas(LINE) uint64_t read[2]; /* of the rings that a side writes to, when it last looked */
    } known[2];
};

static size_t mapped(const fa__near *n)
{
    return sizeof *n->shared + 2 * (SHORT_RING + n->bytes);
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
    if (offer->file < 0 || offer->ring < LEAST_RING || offer->ring > MOST_RING
        || (offer->ring & (offer->ring - 1)))
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

/* ---- moving bytes ---- */

/* One ring, as one side sees it. */
typedef struct ring {
    counters *counters;
    char *memory;
    size_t bytes;
} ring;

static ring ring_from(const fa__near *n, int side, fa__near_ring which)
{
    char *memory = (char *)(n->shared + 1) + (size_t)side * (SHORT_RING + n->bytes);
    const bool is_long = which == FA__NEAR_LONG_RING;
    return (ring){&n->shared->from[side].of[which], is_long ? memory + SHORT_RING : memory,
                  is_long ? n->bytes : SHORT_RING};
}

/* What a part takes up in the ring. */
static size_t step_of(fa__near_ring which, size_t bytes)
{
    return which == FA__NEAR_LONG_RING ? bytes : (bytes + LINE - 1) / LINE * LINE;
}

/* Copies between the ring, at a number of bytes counted from its beginning, and memory outside of it. */
static void copy_ring(ring r, uint64_t at, char *outside, size_t bytes, bool out)
{
    size_t start = (size_t)at & (r.bytes - 1), first = bytes < r.bytes - start ? bytes : r.bytes - start;
    memcpy(out ? outside : r.memory + start, out ? r.memory + start : outside, first);
    if (bytes > first)
        memcpy(out ? outside + first : r.memory, out ? r.memory : outside + first, bytes - first);
}

static size_t least(size_t a, size_t b, size_t c)
{
    size_t ab = a < b ? a : b;
    return ab < c ? ab : c;
}

/* Room for `wanted` bytes, or for fewer. The other side's counter is looked at only if what was known of it does not
 * tell: its line comes from the other core. */
static size_t room_for(ring r, uint64_t *known_read, uint64_t written, size_t wanted)
{
    if (r.bytes - (size_t)(written - *known_read) < wanted)
        *known_read = atomic_load_explicit(&r.counters->read, memory_order_acquire);
    return least(wanted, r.bytes - (size_t)(written - *known_read), STEP);
}

/* Whether it has to be woken, which is asked for by one. */
static bool is_asleep(_Atomic uint32_t *sleeps)
{
    return atomic_load_explicit(sleeps, memory_order_relaxed) && atomic_exchange(sleeps, 0);
}

size_t fa__near_put(fa__near *n, int side, fa__near_ring which, const struct iovec *part, int parts, bool *wakes)
{
    const ring r = ring_from(n, side, which);
    uint64_t at = atomic_load_explicit(&r.counters->written, memory_order_relaxed);
    size_t wanted = 0, moved = 0;
    for (int i = 0; i < parts; i++)
        wanted += step_of(which, part[i].iov_len);
    size_t room = room_for(r, &n->known[side].read[which], at, wanted < STEP ? wanted : STEP);
    if (!room || (which == FA__NEAR_SHORT_RING && room < wanted))
        return 0;
    for (int i = 0; i < parts && room; i++) {
        size_t now = least(part[i].iov_len, room, STEP), step = step_of(which, now);
        copy_ring(r, at, part[i].iov_base, now, false);
        at += step;
        room -= step;
        moved += now;
    }
    atomic_store_explicit(&r.counters->written, at, memory_order_release);
    *wakes = is_asleep(&n->shared->from[side].reader_sleeps);
    return moved;
}

size_t fa__near_take(fa__near *n, int side, fa__near_ring which, void *into, size_t bytes, bool *wakes)
{
    const ring r = ring_from(n, !side, which);
    uint64_t read = atomic_load_explicit(&r.counters->read, memory_order_relaxed);
    size_t full = (size_t)(atomic_load_explicit(&r.counters->written, memory_order_acquire) - read),
           moved = least(bytes, full, STEP);
    if (!moved || (which == FA__NEAR_SHORT_RING && moved < bytes))
        return 0;
    copy_ring(r, read, into, moved, true);
    atomic_store_explicit(&r.counters->read, read + step_of(which, moved), memory_order_release);
    *wakes = is_asleep(&n->shared->from[!side].writer_sleeps);
    return moved;
}

size_t fa__near_room(size_t frame, size_t bytes)
{
    return step_of(FA__NEAR_SHORT_RING, frame) + step_of(FA__NEAR_SHORT_RING, bytes);
}

bool fa__near_ready(const fa__near *n, int side, fa__near_ring which, bool takes, size_t room)
{
    const ring r = ring_from(n, takes ? !side : side, which);
    size_t full = (size_t)(atomic_load(&r.counters->written) - atomic_load(&r.counters->read));
    return takes ? full > 0 : r.bytes - full >= room;
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
