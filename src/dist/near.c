/* Memory that two ranks of one machine share: a file without a name, which both map. Each direction has a ring of
 * bytes, with the number of bytes written and read so far. Who has nothing to do sleeps in poll(), and has said so in
 * the ring: the other one then wakes it through their socket. */
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

/* STEP: so many bytes at once, so that the other side can begin before all are there. */
enum { LINE = 64, STEP = 128 << 10, MOST_RING = 1 << 20, LEAST_RING = 64 << 10, ALL_RINGS = 8 << 20 };

/* Written by one side each, so that they do not take the cache line from each other. */
typedef struct ring {
    _Alignas(LINE) _Atomic uint64_t written;
    _Alignas(LINE) _Atomic uint64_t read;
    _Alignas(LINE) _Atomic uint32_t writer_sleeps, reader_sleeps;
} ring;

struct fa__near {
    struct {
        ring ring[2]; /* ring[s]: from side s to the other */
    } * shared;       /* the bytes of the rings follow */
    size_t bytes;     /* of a ring */
    int file;         /* -1: closed */
    atomic_int users; /* in this process */
    struct {
        _Alignas(LINE) uint64_t read; /* of the ring that a side writes to, when it last looked */
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
    if (offer->file < 0 || offer->ring < LEAST_RING || offer->ring > MOST_RING)
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

static char *bytes_of(const fa__near *n, int direction)
{
    return (char *)(n->shared + 1) + (size_t)direction * n->bytes;
}

/* Copies between the ring, at a number of bytes counted from its beginning, and memory outside of it. */
static void copy_ring(const fa__near *n, int direction, uint64_t at, char *outside, size_t bytes, bool out)
{
    size_t start = (size_t)(at % n->bytes), first = bytes < n->bytes - start ? bytes : n->bytes - start;
    char *memory = bytes_of(n, direction);
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
static size_t room_for(fa__near *n, int side, size_t wanted)
{
    const ring *r = &n->shared->ring[side];
    const uint64_t written = atomic_load_explicit(&r->written, memory_order_relaxed);
    if (n->bytes - (size_t)(written - n->known[side].read) < wanted)
        n->known[side].read = atomic_load(&r->read);
    return least(wanted, n->bytes - (size_t)(written - n->known[side].read), STEP);
}

size_t fa__near_put(fa__near *n, int side, const struct iovec *part, int parts, bool *wakes)
{
    ring *r = &n->shared->ring[side];
    const uint64_t written = atomic_load_explicit(&r->written, memory_order_relaxed);
    size_t wanted = 0, moved = 0;
    for (int i = 0; i < parts; i++)
        wanted += part[i].iov_len;
    const size_t room = room_for(n, side, wanted < STEP ? wanted : STEP);
    for (int i = 0; i < parts && moved < room; i++) {
        size_t now = least(part[i].iov_len, room - moved, STEP);
        copy_ring(n, side, written + moved, part[i].iov_base, now, false);
        moved += now;
    }
    if (!moved)
        return 0;
    atomic_store(&r->written, written + moved);
    *wakes = atomic_load(&r->reader_sleeps) && atomic_exchange(&r->reader_sleeps, 0);
    return moved;
}

size_t fa__near_take(fa__near *n, int side, void *into, size_t bytes, bool *wakes)
{
    ring *r = &n->shared->ring[!side];
    uint64_t read = atomic_load_explicit(&r->read, memory_order_relaxed);
    size_t moved = least(bytes, (size_t)(atomic_load(&r->written) - read), STEP);
    if (!moved)
        return 0;
    copy_ring(n, !side, read, into, moved, true);
    atomic_store(&r->read, read + moved);
    *wakes = atomic_load(&r->writer_sleeps) && atomic_exchange(&r->writer_sleeps, 0);
    return moved;
}

bool fa__near_ready(const fa__near *n, int side, bool takes)
{
    const ring *r = &n->shared->ring[takes ? !side : side];
    uint64_t full = atomic_load(&r->written) - atomic_load(&r->read);
    return takes ? full > 0 : full < n->bytes;
}

void fa__near_sleep(fa__near *n, int side, bool takes, bool sleeps)
{
    ring *r = &n->shared->ring[takes ? !side : side];
    atomic_store(takes ? &r->reader_sleeps : &r->writer_sleeps, sleeps);
}
