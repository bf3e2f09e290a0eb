/* Lines whose elements have up to 4 bytes: an element's key (backend/order.h) and its place along the line are one
 * number, the key in the upper half. These numbers all differ, so any way of sorting them is a stable sort of the keys;
 * and where only some of the sorted elements are wanted, the others are left out before. */
#include "backend/cpu/sort_line.h"
#include "core/op.h"
#include <string.h>

enum {
    FEW = 24,  /* numbers that are sorted by insertion */
    BEST = 32, /* wanted ones that are kept in order while all others pass by */
    KEY = 32   /* the lowest bit of the key */
};

/* An element's bits, whatever it is. */
typedef uint32_t bits32 __attribute__((__may_alias__));
typedef uint16_t bits16 __attribute__((__may_alias__));
typedef uint8_t bits8;

/* ---- keys ---- */

static inline uint32_t key_of(uint32_t bits, uint32_t sign, uint32_t top, int kind, uint32_t flip)
{
    uint32_t all = sign | (sign - 1), size = bits & ~sign;
    if (kind == FA__ORDER_SIGNED)
        bits ^= sign;
    else if (kind == FA__ORDER_FLOAT)
        bits = size > top ? all : size == 0 ? sign : bits & sign ? ~bits & all : bits | sign;
    return bits ^ flip;
}

/* The numbers of n elements, of which the first has place `from`. A loop for each size and kind, and for neighbours. */
#define READ(T, kind, pace)                                                                                            \
    for (int64_t i = 0; i < n; i++)                                                                                    \
        to[i] = (uint64_t)key_of(((const T *)x)[i * (pace)], sign, top, kind, flip) << KEY | (uint64_t)(from + i);
#define READ_KINDS(T)                                                                                                  \
    if (s->order.kind == FA__ORDER_FLOAT && s->step == 1) {                                                            \
        READ(T, FA__ORDER_FLOAT, 1)                                                                                    \
    } else if (s->order.kind == FA__ORDER_FLOAT) {                                                                     \
        READ(T, FA__ORDER_FLOAT, s->step)                                                                              \
    } else {                                                                                                           \
        READ(T, s->order.kind, s->step)                                                                                \
    }

static void read_numbers(const fa__sort_line *s, const void *x, uint64_t *to, int64_t from, int64_t n)
{
    const uint32_t sign = (uint32_t)1 << (8 * s->order.bytes - 1), top = (uint32_t)s->order.top;
    const uint32_t flip = s->descending ? sign | (sign - 1) : 0;
    x = (const char *)x + from * s->step * s->order.bytes;
    if (s->order.bytes == 4) {
        READ_KINDS(bits32)
    } else if (s->order.bytes == 2) {
        READ_KINDS(bits16)
    } else {
        READ_KINDS(bits8)
    }
}

/* ---- sorting ---- */

static void insert_all(uint64_t *a, int64_t n)
{
    for (int64_t i = 1; i < n; i++) {
        uint64_t e = a[i];
        int64_t k = i;
        for (; k > 0 && a[k - 1] > e; k--)
            a[k] = a[k - 1];
        a[k] = e;
    }
}

/* By exchanges of neighbours whose order does not depend on the numbers: nothing that a processor would guess wrong. */
static void exchange_all(uint64_t *a, int64_t n)
{
    for (int64_t last = n - 1; last > 0; last--)
        for (int64_t i = 0; i < last; i++) {
            uint64_t x = a[i], y = a[i + 1];
            a[i] = x < y ? x : y;
            a[i + 1] = x < y ? y : x;
        }
}

/* Sorts a by the key's bytes, from the lowest; room is as long. A byte that all share is passed over. */
static void sort_by_bytes(uint64_t *a, uint64_t *room, int64_t n, int bytes)
{
    int64_t count[4][256];
    uint64_t *from = a, *to = room;
    memset(count, 0, (size_t)bytes * sizeof count[0]);
    for (int64_t i = 0; i < n; i++)
        for (int b = 0; b < bytes; b++)
            count[b][a[i] >> (KEY + 8 * b) & 255]++;
    for (int b = 0; b < bytes; b++) {
        int shift = KEY + 8 * b;
        if (count[b][a[0] >> shift & 255] == n)
            continue;
        for (int64_t v = 0, at = 0, some; v < 256; v++, at += some) {
            some = count[b][v];
            count[b][v] = at;
        }
        for (int64_t i = 0; i < n; i++)
            to[count[b][from[i] >> shift & 255]++] = from[i];
        uint64_t *other = from;
        from = to;
        to = other;
    }
    if (from != a)
        memcpy(a, from, (size_t)n * sizeof *a);
}

static void sort_numbers(uint64_t *a, uint64_t *room, int64_t n, int bytes)
{
    if (n <= 10)
        exchange_all(a, n);
    else if (n <= FEW)
        insert_all(a, n);
    else
        sort_by_bytes(a, room, n, bytes);
}

/* ---- some of the sorted numbers ---- */

/* Number `rank` of the sorted ones, found byte by byte from the highest among those that share the bytes above. */
static uint64_t number_at(const uint64_t *a, uint64_t *room, int64_t n, int bytes, int64_t rank)
{
    for (int shift = KEY + 8 * (bytes - 1); n > FEW && shift >= 0; shift -= 8) {
        int64_t count[256] = {0}, kept = 0;
        for (int64_t i = 0; i < n; i++)
            count[a[i] >> shift & 255]++;
        uint64_t byte = 0;
        for (; rank >= count[byte]; byte++)
            rank -= count[byte];
        for (int64_t i = 0; i < n; i++) {
            room[kept] = a[i];
            kept += (a[i] >> shift & 255) == byte;
        }
        a = room;
        n = kept;
    }
    if (a != room)
        memcpy(room, a, (size_t)n * sizeof *a);
    insert_all(room, n);
    return room[rank];
}

/* Leaves those from `least` to `most`; how many there are. */
static int64_t keep(uint64_t *a, int64_t n, uint64_t least, uint64_t most)
{
    int64_t kept = 0;
    for (int64_t i = 0; i < n; i++) {
        uint64_t e = a[i];
        a[kept] = e;
        kept += e >= least && e <= most;
    }
    return kept;
}

/* The wanted numbers in order, at the beginning of a. */
static void sort_wanted(const fa__sort_line *s, uint64_t *a, uint64_t *room)
{
    int bytes = s->order.bytes;
    int64_t n = s->n, end = s->first + s->count;
    if (s->count <= n / 2) {
        uint64_t most = number_at(a, room, n, bytes, end - 1);
        uint64_t least = s->count == 1 ? most : s->first ? number_at(a, room, n, bytes, s->first) : 0;
        n = keep(a, n, least, most);
        sort_numbers(a, room, n, bytes);
        return;
    }
    sort_numbers(a, room, n, bytes);
    if (s->first)
        memmove(a, a + s->first, (size_t)s->count * sizeof *a);
}

/* The first few: they are kept in order at the beginning of a, while the others pass by, a piece at a time. */
static void pass_by(const fa__sort_line *s, const void *x, uint64_t *a)
{
    enum { SOME = 256 };
    uint64_t piece[SOME];
    int64_t count = s->count;
    read_numbers(s, x, a, 0, count);
    insert_all(a, count);
    for (int64_t from = count, n; from < s->n; from += n) {
        n = s->n - from < SOME ? s->n - from : SOME;
        read_numbers(s, x, piece, from, n);
        for (int64_t i = 0; i < n; i++) {
            if (piece[i] > a[count - 1])
                continue;
            int64_t k = count - 1;
            for (; k > 0 && a[k - 1] > piece[i]; k--)
                a[k] = a[k - 1];
            a[k] = piece[i];
        }
    }
}

/* ---- results ---- */

#define WRITE(T)                                                                                                       \
    for (int64_t i = 0; i < s->count; i++) {                                                                           \
        int64_t at = (int64_t)(a[i] & 0xffffffffu);                                                                    \
        ((T *)values)[i * value_step] = ((const T *)x)[at * s->step];                                                  \
        indices[i * index_step] = at;                                                                                  \
    }

void fa__sort_line_run(const fa__sort_line *s, const void *x, void *values, int64_t value_step, int64_t *indices,
                       int64_t index_step, void *room)
{
    uint64_t *a = room;
    if (s->first == 0 && s->count <= BEST && s->count * 16 <= s->n) {
        pass_by(s, x, a);
    } else {
        read_numbers(s, x, a, 0, s->n);
        sort_wanted(s, a, a + s->n);
    }
    if (s->order.bytes == 4) {
        WRITE(bits32)
    } else if (s->order.bytes == 2) {
        WRITE(bits16)
    } else {
        WRITE(bits8)
    }
}
