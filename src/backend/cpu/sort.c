/* Sorting lines: entries of key and place, ordered by the key's bytes from the lowest (radix sort, stable). A long line
 * is sorted in parts, which are then merged two by two, each merge by many threads. What a stable sort gives is
 * unique, so it does not matter how a line was divided. */
#include "backend/cpu/kernel.h"
#include "backend/cpu/scratch.h"
#include "backend/cpu/sort_line.h"
#include "backend/order.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/integer.h"
#include "base/parallel.h"
#include <string.h>

enum {
    FEW = 48,       /* entries that are sorted by insertion */
    PART = 1 << 15, /* entries that are worth a thread */
    PIECE = 1 << 14 /* entries of a merge that one thread writes */
};

typedef struct entry {
    uint64_t key;
    int64_t at; /* its place along the line */
} entry;

typedef struct lines {
    const fa__operand *x;
    fa__operand values, indices;
    fa__sort_key order;
    bool descending;
    int64_t n, first, count; /* elements of a line; those of the sorted line that are wanted */
    int64_t x_step, value_step, index_step;
    size_t room; /* bytes that a line is sorted in */
    fa__cpu_walk walk;
    _Atomic bool failed;
} lines;

/* ---- keys ---- */

static uint64_t bits_at(const char *p, int bytes)
{
    uint64_t bits = 0;
    if (bytes == 8)
        memcpy(&bits, p, 8);
    else
        memcpy(&bits, p, (size_t)bytes); /* as numbers lie on all machines that we run on: the lowest byte first */
    return bits;
}

static uint64_t key_of(const fa__sort_key *o, uint64_t bits, bool descending)
{
    uint64_t sign = (uint64_t)1 << (8 * o->bytes - 1), all = sign | (sign - 1), size = bits & ~sign;
    if (o->kind == FA__ORDER_SIGNED)
        bits ^= sign;
    else if (o->kind == FA__ORDER_FLOAT)
        bits = size > o->top ? all : size == 0 ? sign : bits & sign ? ~bits & all : bits | sign;
    return descending ? ~bits & all : bits;
}

static void read_entries(const lines *s, const char *x, entry *to, int64_t begin, int64_t end)
{
    int64_t pace = s->x_step * s->order.bytes;
    for (int64_t i = begin; i < end; i++)
        to[i] = (entry){key_of(&s->order, bits_at(x + i * pace, s->order.bytes), s->descending), i};
}

/* ---- sorting ---- */

static void insert_all(entry *a, int64_t n)
{
    for (int64_t i = 1; i < n; i++) {
        entry e = a[i];
        int64_t k = i;
        for (; k > 0 && a[k - 1].key > e.key; k--)
            a[k] = a[k - 1];
        a[k] = e;
    }
}

/* How often each byte of the keys has each value. */
static void count_bytes(const entry *a, int64_t n, int bytes, int64_t count[][256])
{
    memset(count, 0, (size_t)bytes * sizeof count[0]);
    for (int64_t i = 0; i < n; i++)
        for (int b = 0; b < bytes; b++)
            count[b][a[i].key >> 8 * b & 255]++;
}

static void place_by_byte(const entry *a, entry *to, int64_t n, int byte, int64_t count[256])
{
    int64_t at = 0;
    for (int v = 0; v < 256; v++) {
        int64_t some = count[v];
        count[v] = at;
        at += some;
    }
    for (int64_t i = 0; i < n; i++)
        to[count[a[i].key >> 8 * byte & 255]++] = a[i];
}

/* Sorts a; room is as long. A byte that all keys share is passed over. */
static void sort_entries(entry *a, entry *room, int64_t n, int bytes)
{
    int64_t count[8][256];
    entry *from = a, *to = room;
    if (n <= FEW) {
        insert_all(a, n);
        return;
    }
    count_bytes(a, n, bytes, count);
    for (int b = 0; b < bytes; b++) {
        if (count[b][a[0].key >> 8 * b & 255] == n)
            continue;
        place_by_byte(from, to, n, b, count[b]);
        entry *other = from;
        from = to;
        to = other;
    }
    if (from != a)
        memcpy(a, from, (size_t)n * sizeof *a);
}

/* ---- lines that a thread sorts alone ---- */

static void write_line(const lines *s, const char *x, const int64_t o[3], const entry *e, int64_t begin, int64_t end)
{
    int64_t bytes = s->order.bytes;
    char *value = (char *)s->values.data + o[1] * bytes;
    int64_t *index = (int64_t *)s->indices.data + o[2];
    for (int64_t i = begin; i < end; i++) {
        int64_t at = e[s->first + i].at;
        if (bytes == 8)
            memcpy(value + i * s->value_step * 8, x + at * s->x_step * 8, 8);
        else
            memcpy(value + i * s->value_step * bytes, x + at * s->x_step * bytes, (size_t)bytes);
        index[i * s->index_step] = at;
    }
}

static const char *line_at(const lines *s, int64_t i, int64_t o[3])
{
    fa__cpu_place(&s->walk, i, o);
    return (const char *)s->x->data + o[0] * s->order.bytes;
}

static void some_lines(void *context, int64_t begin, int64_t end)
{
    lines *s = context;
    entry *e = fa__cpu_scratch(s->room);
    const fa__sort_line line = {.order = s->order,
                                .descending = s->descending,
                                .n = s->n,
                                .step = s->x_step,
                                .first = s->first,
                                .count = s->count};
    if (!e)
        atomic_store(&s->failed, true);
    for (int64_t i = begin; e && i < end; i++) {
        int64_t o[3];
        const char *x = line_at(s, i, o);
        if (s->order.bytes <= 4 && s->n <= UINT32_MAX) {
            fa__sort_line_run(&line, x, (char *)s->values.data + o[1] * s->order.bytes, s->value_step,
                              (int64_t *)s->indices.data + o[2], s->index_step, e);
            continue;
        }
        read_entries(s, x, e, 0, s->n);
        sort_entries(e, e + s->n, s->n, s->order.bytes);
        write_line(s, x, o, e, 0, s->count);
    }
}

/* ---- a line that all threads sort ---- */

typedef struct long_line {
    const lines *s;
    const char *x;
    const int64_t *offset;
    entry *from, *to;
    int64_t run; /* entries that are in order */
} long_line;

static void sort_parts(void *context, int64_t begin, int64_t end)
{
    const long_line *g = context;
    for (int64_t p = begin; p < end; p++) {
        int64_t first = p * g->run, last = fa__min(first + g->run, g->s->n);
        read_entries(g->s, g->x, g->from, first, last);
        sort_entries(g->from + first, g->to + first, last - first, g->s->order.bytes);
    }
}

/* How many of the first `some` entries of a merge come from a: of equal ones those of a are first. */
static int64_t from_first(const entry *a, int64_t a_count, const entry *b, int64_t b_count, int64_t some)
{
    int64_t low = some > b_count ? some - b_count : 0, high = fa__min(some, a_count);
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (a[middle].key <= b[some - 1 - middle].key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void merge(const entry *a, const entry *a_end, const entry *b, const entry *b_end, entry *to)
{
    while (a < a_end && b < b_end)
        *to++ = a->key <= b->key ? *a++ : *b++;
    memcpy(to, a, (size_t)(a_end - a) * sizeof *to);
    memcpy(to + (a_end - a), b, (size_t)(b_end - b) * sizeof *to);
}

/* A piece lies within one pair of runs, as both are whole numbers of pieces. */
static void merge_pieces(void *context, int64_t begin, int64_t end)
{
    const long_line *g = context;
    int64_t n = g->s->n;
    for (int64_t p = begin; p < end; p++) {
        int64_t first = p * PIECE, pair = first / (2 * g->run) * (2 * g->run);
        const entry *a = g->from + pair, *b = g->from + fa__min(pair + g->run, n);
        int64_t a_count = b - a, b_count = fa__min(pair + 2 * g->run, n) - pair - a_count;
        int64_t some = first - pair, more = fa__min(some + PIECE, a_count + b_count);
        int64_t i = from_first(a, a_count, b, b_count, some), k = from_first(a, a_count, b, b_count, more);
        merge(a + i, a + k, b + (some - i), b + (more - k), g->to + first);
    }
}

static void write_some(void *context, int64_t begin, int64_t end)
{
    const long_line *g = context;
    write_line(g->s, g->x, g->offset, g->from, begin, end);
}

/* Parts of a long line, as many as there are threads, each a whole number of pieces. */
static int64_t part_of(int64_t n)
{
    int64_t part = PART;
    while ((n + part - 1) / part > fa__parallel_threads())
        part *= 2;
    return part;
}

static bool sort_long(const lines *s, int64_t i)
{
    int64_t o[3];
    const char *x = line_at(s, i, o);
    entry *room = fa__malloc(s->room);
    if (!room)
        return false;
    long_line g = {.s = s, .x = x, .offset = o, .from = room, .to = room + s->n, .run = part_of(s->n)};
    fa__parallel_for((s->n + g.run - 1) / g.run, 1, sort_parts, &g);
    for (; g.run < s->n; g.run *= 2) {
        fa__parallel_for((s->n + PIECE - 1) / PIECE, 1, merge_pieces, &g);
        entry *other = g.from;
        g.from = g.to;
        g.to = other;
    }
    fa__parallel_for(s->count, PIECE, write_some, &g);
    fa__free(room);
    return true;
}

/* ---- kernels ---- */

/* Of each line of x along dim, sorted, the elements from `first` on, as many as results have room for. */
static bool run(const fa__launch *l, int64_t along, bool descending, int64_t first, int64_t count)
{
    const fa__operand *x = &l->operand[2];
    int dim = fa__cpu_dim(x, along);
    lines s = {.x = x,
               .values = fa__cpu_with_dim(&l->operand[0], x->rank, dim),
               .indices = fa__cpu_with_dim(&l->operand[1], x->rank, dim),
               .order = fa__order_of(x->dtype),
               .descending = descending,
               .n = x->rank ? x->shape[dim] : 1,
               .first = first,
               .count = count};
    s.x_step = x->rank ? x->stride[dim] : 0;
    s.value_step = x->rank ? s.values.stride[dim] : 0;
    s.index_step = x->rank ? s.indices.stride[dim] : 0;
    s.walk = fa__cpu_others(x->shape, x->rank, dim, x, &s.values, &s.indices);
    bool good = true;
    if (!s.n || !count)
        return true; /* results have no elements */
    if (!fa__mul_size((size_t)s.n, 2 * sizeof(entry), &s.room))
        return fa__fail(FA_ERROR_MEMORY, "%lld elements are too many to be sorted", (long long)s.n);
    bool few = s.order.bytes <= 4 && count <= s.n / 2; /* whose finding costs less than sorting, on many threads too */
    if (s.n < 2 * PART || few || s.walk.count >= fa__parallel_threads())
        fa__parallel_for(s.walk.count, 1 + 2048 / (s.n + 1), some_lines, &s);
    else
        for (int64_t i = 0; good && i < s.walk.count; i++)
            good = sort_long(&s, i);
    return good && !atomic_load(&s.failed);
}

KERNEL(sort)
{
    const sort_args *a = l->args;
    const fa__operand *x = &l->operand[2];
    return run(l, a->dim, a->descending, 0, x->rank ? x->shape[fa__cpu_dim(x, a->dim)] : 1);
}

KERNEL(topk)
{
    const topk_args *a = l->args;
    return run(l, a->dim, a->largest, 0, a->k);
}

KERNEL(kthvalue)
{
    const kthvalue_args *a = l->args;
    return run(l, a->dim, false, a->k - 1, 1);
}
