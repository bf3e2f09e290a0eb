/* Elements moved by an index (indexed.h): how the loops are laid out. Dimensions that all operands step through as one
 * are joined, one becomes the line, whose loop runs without calls, and threads share the rest. Only elements that
 * differ along `dim` alone can come to one place: these stay in order, and with one thread. */
#include "backend/cpu/indexed.h"
#include "base/integer.h"
#include "base/parallel.h"
#include <string.h>

enum { CHOSEN, MOVED, INDEX, OPERANDS };
enum { SHORT = 8, POSITIONS = 1024, SERIAL = 16384 };

typedef struct axis {
    int64_t size, stride[OPERANDS]; /* in elements; of `chosen` without what the index says */
} axis;

typedef struct layout {
    const fa__by_index *x;
    fa__line_loops loops;
    bool fetch;
    bool plain;              /* all elements of a line have the same index */
    bool stream;             /* writes past the caches */
    bool ordered;            /* the line is dim: its elements may come to one place */
    axis line, along;        /* `along` is dim, of size 1 when that is the line itself */
    axis outer[FA_MAX_DIMS]; /* the others */
    int rank;                /* of outer */
    int64_t pace, places;    /* along dim, of chosen: from one to the next, and how many there are */
    int64_t units, parts;    /* what threads share: parts of each place of outer */
    int64_t chosen_size, moved_size;
} layout;

/* ---- dimensions ---- */

static int64_t magnitude(int64_t x)
{
    return x < 0 ? -x : x;
}

static bool joins(const axis *a, const axis *b)
{
    for (int k = 0; k < OPERANDS; k++)
        if (a->stride[k] != b->stride[k] * b->size)
            return false;
    return true;
}

/* In the order of what is written, which is only fixed along dim. */
static int insert(axis *all, int count, axis a, int written)
{
    int at = count;
    for (; at > 0 && magnitude(all[at - 1].stride[written]) < magnitude(a.stride[written]); at--)
        all[at] = all[at - 1];
    all[at] = a;
    return count + 1;
}

static int join_axes(axis *all, int count)
{
    int kept = 0;
    for (int i = 1; i < count; i++)
        if (joins(&all[kept], &all[i])) {
            all[i].size *= all[kept].size;
            all[kept] = all[i];
        } else {
            all[++kept] = all[i];
        }
    return count ? kept + 1 : 0;
}

/* The dimensions that have more than one element; dim goes to *along. */
static int read_axes(const fa__by_index *x, int written, axis *all, axis *along)
{
    int count = 0;
    *along = (axis){.size = 1};
    for (int d = 0; d < x->moved->rank; d++) {
        const axis a = {.size = x->moved->shape[d],
                        .stride = {x->chosen->stride[d], x->moved->stride[d], x->index ? x->index->stride[d] : 0}};
        if (d == x->dim && a.size > 1)
            *along = a;
        else if (a.size > 1)
            count = insert(all, count, a, written);
    }
    return join_axes(all, count);
}

/* Whether a makes a better line than b: neighbours in memory, but not few of them where there are many of others. */
static bool is_better(const axis *a, const axis *b, int written)
{
    if ((a->size < SHORT) != (b->size < SHORT))
        return a->size > b->size;
    return magnitude(a->stride[written]) < magnitude(b->stride[written]);
}

/* Runs of memory that are moved as a whole come first; else the line may be dim itself. Without dim, `along` is one of
 * the others. */
static void choose_line(layout *w, const axis *all, int count, axis along)
{
    const int written = w->fetch ? MOVED : CHOSEN;
    int best = -1;
    const axis *line = &along;
    for (int i = 0; i < count; i++) {
        const bool run = all[i].stride[INDEX] == 0 && all[i].stride[written] == 1 && all[i].size >= SHORT;
        if (line->size == 1 || run || is_better(&all[i], line, written)) {
            best = i;
            line = &all[i];
            if (run)
                break;
        }
    }
    along.stride[CHOSEN] = 0; /* the index says where */
    w->line = *line;
    w->along = best < 0 ? (axis){.size = 1} : along;
    w->ordered = best < 0 && w->line.size > 1;
    w->plain = w->line.stride[INDEX] == 0 && !w->ordered;
    for (int i = 0; i < count; i++)
        if (i != best)
            w->outer[w->rank++] = all[i];
    if (w->x->dim < 0 && w->rank)
        w->along = w->outer[--w->rank];
}

/* ---- threads ---- */

/* What of a unit a thread does: one of the three is divided. */
typedef struct part {
    int64_t step[2], column[2], place[2]; /* from, and before which: along dim, along the line, of chosen along dim */
} part;

static part whole_unit(const layout *w)
{
    return (part){{0, w->along.size}, {0, w->line.size}, {0, w->places}};
}

static void take_part(const layout *w, int64_t i, part *p)
{
    const bool steps = w->fetch && w->along.size >= w->parts, columns = w->fetch || !w->plain;
    const int64_t n = steps ? w->along.size : columns ? w->line.size : w->places;
    int64_t *divided = steps ? p->step : columns ? p->column : p->place;
    divided[0] = n * i / w->parts;
    divided[1] = n * (i + 1) / w->parts;
}

static void divide(layout *w)
{
    int64_t outer = 1, threads = fa__parallel_threads();
    for (int i = 0; i < w->rank; i++)
        outer *= w->outer[i].size;
    const int64_t unit = w->along.size * w->line.size;
    const bool whole = !w->fetch && w->ordered;
    w->parts = 1;
    if (threads > 1 && outer < 4 * threads && outer * unit > SERIAL && !whole)
        w->parts = fa__min(threads, 1 + unit / SERIAL);
    w->units = outer * w->parts;
}

/* ---- loops ---- */

/* `n` positions, from number i of a line of the index on */
static const int64_t *positions(const layout *w, int64_t offset, int64_t stride, int64_t n, int64_t *room)
{
    const fa__operand *index = w->x->index;
    const char *from = (const char *)index->data + offset * (int64_t)fa__dtype_size(index->dtype);
    if (index->dtype == FA_I64 && stride == 1)
        return (const void *)from;
    fa__cpu_simd->of[FA__CLASS_I64]->load[index->dtype](room, from, stride, n);
    return room;
}

static void move_indexed(const layout *w, const part *p, const int64_t offset[OPERANDS])
{
    int64_t room[POSITIONS];
    const axis *a = &w->line;
    for (int64_t i = p->column[0]; i < p->column[1]; i += POSITIONS) {
        fa__indexed_line l = {.n = fa__min(POSITIONS, p->column[1] - i)};
        l.chosen = (char *)w->x->chosen->data + (offset[CHOSEN] + i * a->stride[CHOSEN]) * w->chosen_size;
        l.moved = (char *)w->x->moved->data + (offset[MOVED] + i * a->stride[MOVED]) * w->moved_size;
        l.chosen_step = a->stride[CHOSEN];
        l.moved_step = a->stride[MOVED];
        l.pace = w->pace;
        l.at = positions(w, offset[INDEX] + i * a->stride[INDEX], a->stride[INDEX], l.n, room);
        fa__cpu_indexed_line(&w->loops, &l);
    }
}

static void move_plain(const layout *w, const part *p, const int64_t offset[OPERANDS])
{
    const axis *a = &w->line;
    const int64_t at = fa__cpu_integer(w->x->index, offset[INDEX]);
    if (at < p->place[0] || at >= p->place[1])
        return;
    fa__indexed_line l = {
        .n = p->column[1] - p->column[0], .chosen_step = a->stride[CHOSEN], .moved_step = a->stride[MOVED]};
    l.chosen = (char *)w->x->chosen->data
               + (offset[CHOSEN] + at * w->pace + p->column[0] * a->stride[CHOSEN]) * w->chosen_size;
    l.moved = (char *)w->x->moved->data + (offset[MOVED] + p->column[0] * a->stride[MOVED]) * w->moved_size;
    fa__cpu_plain_line(&w->loops, &l, w->fetch);
}

/* Without an index: rows as they are */
static void move_rows(const layout *w, const part *p, const int64_t offset[OPERANDS])
{
    const axis *a = &w->line, *rows = &w->along;
    const int64_t n = p->column[1] - p->column[0], count = p->step[1] - p->step[0], size = w->moved_size;
    const char *from = (const char *)w->x->chosen->data + (offset[CHOSEN] + p->column[0] * a->stride[CHOSEN]) * size;
    char *to = (char *)w->x->moved->data + (offset[MOVED] + p->column[0] * a->stride[MOVED]) * size;
    for (int64_t i = 0; i < count && w->stream; i++)
        fa__cpu_simd->stream(to + i * rows->stride[MOVED] * size, from + i * rows->stride[CHOSEN] * size, n * size);
    if (!w->stream)
        fa__cpu_simd->copy[__builtin_ctzll((uint64_t)size)](to, rows->stride[MOVED], a->stride[MOVED], from,
                                                            rows->stride[CHOSEN], a->stride[CHOSEN], count, n);
}

static void move_unit(const layout *w, const part *p, const int64_t origin[OPERANDS])
{
    int64_t offset[OPERANDS];
    for (int k = 0; k < OPERANDS; k++)
        offset[k] = origin[k] + p->step[0] * w->along.stride[k];
    if (!w->x->index) {
        move_rows(w, p, offset);
        return;
    }
    for (int64_t s = p->step[0]; s < p->step[1]; s++) {
        (w->plain ? move_plain : move_indexed)(w, p, offset);
        for (int k = 0; k < OPERANDS; k++)
            offset[k] += w->along.stride[k];
    }
}

/* Lines that lie across memory, as the columns of a matrix, are moved a few elements at a time, all of them: what is
 * read stays in the caches until its neighbours are wanted. */
static void move_blocks(const layout *w, const part *p, const int64_t origin[OPERANDS])
{
    enum { FEW = 16 };
    const bool across = w->plain && magnitude(w->line.stride[w->fetch ? CHOSEN : MOVED]) >= FEW;
    const int64_t most = across && w->x->index ? FEW : w->line.size;
    part some = *p;
    for (int64_t i = p->column[0]; i < p->column[1]; i += most) {
        some.column[0] = i;
        some.column[1] = fa__min(i + most, p->column[1]);
        move_unit(w, &some, origin);
    }
}

/* A place of the outer dimensions */
typedef struct cursor {
    int64_t at[FA_MAX_DIMS], offset[OPERANDS];
} cursor;

static void seek(const layout *w, cursor *c, int64_t i)
{
    *c = (cursor){.offset = {0}};
    for (int d = w->rank; d-- > 0; i /= w->outer[d].size) {
        c->at[d] = i % w->outer[d].size;
        for (int k = 0; k < OPERANDS; k++)
            c->offset[k] += c->at[d] * w->outer[d].stride[k];
    }
}

static void advance(const layout *w, cursor *c)
{
    for (int d = w->rank; d-- > 0;) {
        const axis *a = &w->outer[d];
        const bool more = ++c->at[d] < a->size;
        for (int k = 0; k < OPERANDS; k++)
            c->offset[k] += more ? a->stride[k] : -a->stride[k] * (a->size - 1);
        if (more)
            return;
        c->at[d] = 0;
    }
}

static void run_units(void *context, int64_t begin, int64_t end)
{
    const layout *w = context;
    part p = whole_unit(w);
    cursor c;
    seek(w, &c, begin / w->parts);
    for (int64_t u = begin, i = begin % w->parts; u < end; u++) {
        if (w->parts > 1)
            take_part(w, i, &p);
        move_blocks(w, &p, c.offset);
        if (++i == w->parts) {
            i = 0;
            advance(w, &c);
        }
    }
    if (w->stream)
        fa__cpu_simd->stream_end();
}

/* Whether long runs of a result that does not fit the caches are written. */
static bool streams(const layout *w)
{
    enum { LONG = 1024 };
    int64_t bytes = w->moved_size;
    for (int d = 0; d < w->x->moved->rank; d++)
        bytes *= w->x->moved->shape[d];
    return bytes > fa__cpu_cache_bytes() && w->line.size * w->moved_size >= LONG && w->line.stride[CHOSEN] == 1
           && w->line.stride[MOVED] == 1;
}

static void run(const fa__by_index *x, int how, bool fetch)
{
    axis all[FA_MAX_DIMS], along;
    layout w = {.x = x, .fetch = fetch, .loops = fa__cpu_line_loops(x, how, fetch)};
    for (int d = 0; d < x->moved->rank; d++)
        if (x->moved->shape[d] == 0)
            return;
    const int count = read_axes(x, fetch ? MOVED : CHOSEN, all, &along);
    choose_line(&w, all, count, along);
    w.pace = x->dim < 0 ? 0 : x->chosen->stride[x->dim];
    w.places = x->dim < 0 ? 1 : x->chosen->shape[x->dim];
    w.chosen_size = (int64_t)fa__dtype_size(x->chosen->dtype);
    w.moved_size = (int64_t)fa__dtype_size(x->moved->dtype);
    w.stream = !x->index && streams(&w);
    divide(&w);
    fa__parallel_for(w.units, 1 + SERIAL * w.parts / (w.along.size * w.line.size), run_units, &w);
}

void fa__cpu_fetch(const fa__by_index *x)
{
    run(x, FA__INDEXED_SET, true);
}

void fa__cpu_place_into(const fa__by_index *x, int how)
{
    run(x, how, false);
}

/* ---- without an index ---- */

void fa__cpu_copy(const fa__operand *y, const fa__operand *x)
{
    run(&(fa__by_index){.chosen = x, .moved = y, .dim = -1}, FA__INDEXED_SET, true);
}

typedef struct bytes {
    char *at;
    int64_t size;
} bytes;

enum { PIECE = 65536 };

static void clear_pieces(void *context, int64_t begin, int64_t end)
{
    const bytes *b = context;
    memset(b->at + begin * PIECE, 0, (size_t)(fa__min(end * PIECE, b->size) - begin * PIECE));
}

void fa__cpu_clear(const fa__operand *y)
{
    const uint64_t zero = 0;
    if (fa__is_dense(y->rank, y->shape, y->stride)) {
        bytes b = {.at = y->data, .size = (int64_t)fa__dtype_size(y->dtype)};
        for (int d = 0; d < y->rank; d++)
            b.size *= y->shape[d];
        fa__parallel_for(fa__ceil_div(b.size, PIECE), 1, clear_pieces, &b);
        return;
    }
    fa__operand x = *y;
    x.data = (void *)(uintptr_t)&zero;
    memset(x.stride, 0, sizeof x.stride);
    fa__cpu_copy(y, &x);
}
