/* Softmax and its logarithm: some rows at a time are computed on in the cache, and of long rows some elements. */
#include "backend/cpu/kernel.h"
#include "backend/cpu/scratch.h"
#include "backend/cpu/walk.h"
#include "base/parallel.h"
#include <string.h>

enum {
    STRIP = 4 * FA__BLOCK, /* elements at a time, or one row, unless it is longer than LONG */
    LONG = 1 << 18,
    ABREAST = 16, /* rows at a time whose elements lie side by side in memory: a line of the cache has one of each */
    PIECE = 64    /* elements of such rows that are converted at a time */
};

typedef struct rows {
    const fa__operand *x, *y;
    const fa__simd_class *k;
    fa__cpu_walk walk;
    int64_t n, together, x_step, y_step; /* in elements, */
    int64_t x_pace, y_pace;              /* and in bytes */
    size_t x_size, y_size;
    bool log, stream, x_plain, y_plain, x_abreast, y_abreast;
    _Atomic bool failed;
} rows;

/* Room for the elements of a strip, three times, and for three numbers of each row, or for one of each block
 * of a long one. */
typedef struct room {
    char *row, *a, *b, *each;
} room;

void fa__cpu_combine_rows(const fa__simd_class *k, int how, char *out, const char *x, int64_t count, int64_t n,
                          char *work)
{
    if (n <= FA__BLOCK) {
        k->short_rows[how](out, x, count, n);
        return;
    }
    for (int64_t i = 0; i < count; i++, out += k->size) {
        int64_t left = n;
        const char *from = x + i * n * k->size;
        for (; left > 1; left = (left + FA__BLOCK - 1) / FA__BLOCK, from = work)
            k->blocks[how](work, from, left);
        memcpy(out, work, k->size);
    }
}

/* x becomes 1 / x. */
static void invert(const fa__simd_class *k, char *x, char *work, int64_t count)
{
    int64_t one = 1;
    k->load[FA_I64](work, &one, 0, count);
    k->prim[FA__PRIM_div](x, work, x, NULL, count);
}

/* The largest and the smallest element of each of `count` rows. */
static void ranges(const rows *r, char *most, char *least, const char *x, int64_t count, char *work)
{
    const fa__simd_class *k = r->k;
    const int64_t all = r->n < FA__CHAINS ? count : 1, row = all * r->n * k->size;
    for (int64_t i = 0; i < count; i += all, x += row, most += all * k->size, least += all * k->size)
        if (r->n < FA__CHAINS || !k->range(most, least, x, r->n)) {
            fa__cpu_combine_rows(k, FA__COMBINE_MAX, most, x, all, r->n, work);
            fa__cpu_combine_rows(k, FA__COMBINE_MIN, least, x, all, r->n, work);
        }
}

/* `count` rows, one behind the other; x, if `more`, is followed by the rows that come next. */
static void compute(const rows *r, char *y, const char *x, int64_t count, bool more, const room *m)
{
    const fa__simd_class *k = r->k;
    const int64_t numbers = count * k->size, row = r->n * k->size;
    char *most = m->each, *least = most + numbers, *sum = least + numbers, *powers = r->log || r->stream ? m->a : y;
    char *target = r->stream ? m->a : y;
    ranges(r, most, least, x, count, m->b);
    for (int64_t i = 0; i < count; i++) {
        if (more)
            fa__cpu_prefetch(x + (count + i) * row, row);
        k->powers(powers + i * row, x + i * row, most + i * k->size, least + i * k->size, r->n);
    }
    fa__cpu_combine_rows(k, FA__COMBINE_SUM, sum, powers, count, r->n, m->b);
    if (r->log)
        k->prim[FA__PRIM_log](sum, sum, NULL, NULL, count);
    else
        invert(k, sum, least, count);
    for (int64_t i = 0; i < count; i++)
        if (r->log)
            k->shift_row(target + i * row, x + i * row, most + i * k->size, sum + i * k->size, r->n);
        else
            k->scale_row(target + i * row, powers + i * row, sum + i * k->size, r->n);
    if (r->stream)
        fa__cpu_simd->stream(y, m->a, count * row);
}

/* Whether rows lie one behind the other, in the dtype that is computed in. */
static bool is_plain(const rows *r, const fa__operand *x, int dim)
{
    return x->dtype == r->k->dtype && dim + 1 >= x->rank && fa__is_dense(x->rank, x->shape, x->stride);
}

/* Whether neighbours in memory belong to neighbouring rows: `side` is the number of the operand in the walk. */
static bool is_abreast(const rows *r, int side, int64_t step)
{
    int last = r->walk.rank - 1;
    return r->n <= LONG / ABREAST && last >= 0 && r->walk.stride[side][last] == 1 && step != 1
           && r->walk.shape[last] > 1;
}

/* Rows abreast, from offset o on, to rows one behind the other. */
static void load_abreast(const rows *r, char *to, int64_t offset, int64_t count)
{
    const fa__simd_class *k = r->k;
    const char *from = (const char *)r->x->data + offset * (int64_t)r->x_size;
    _Alignas(64) char piece[PIECE * PIECE * 8];
    if (r->x->dtype == k->dtype) {
        k->transpose(to, r->n, from, r->x_step, count, r->n);
        return;
    }
    for (int64_t row = 0, wide; row < count; row += wide) {
        wide = fa__min(PIECE, count - row);
        for (int64_t i = 0, some; i < r->n; i += some) {
            some = fa__min(PIECE, r->n - i);
            for (int64_t e = 0; e < some; e++)
                k->load[r->x->dtype](piece + e * PIECE * k->size, from + (i + e) * r->x_pace + row * (int64_t)r->x_size,
                                     1, wide);
            k->transpose(to + (row * r->n + i) * k->size, r->n, piece, PIECE, wide, some);
        }
    }
}

static void store_abreast(const rows *r, const char *from, int64_t offset, int64_t count)
{
    const fa__simd_class *k = r->k;
    char *to = (char *)r->y->data + offset * (int64_t)r->y_size;
    _Alignas(64) char piece[PIECE * PIECE * 8];
    if (r->y->dtype == k->dtype) {
        k->transpose(to, r->y_step, from, r->n, r->n, count);
        return;
    }
    for (int64_t row = 0, wide; row < count; row += wide) {
        wide = fa__min(PIECE, count - row);
        for (int64_t i = 0, some; i < r->n; i += some) {
            some = fa__min(PIECE, r->n - i);
            k->transpose(piece, PIECE, from + (row * r->n + i) * k->size, r->n, some, wide);
            for (int64_t e = 0; e < some; e++)
                k->store[r->y->dtype](to + (i + e) * r->y_pace + row * (int64_t)r->y_size, 1,
                                      piece + e * PIECE * k->size, wide);
        }
    }
}

static void load(const rows *r, char *to, int64_t first, int64_t count)
{
    int64_t at[3];
    fa__cpu_place(&r->walk, first, at);
    if (r->x_abreast) {
        load_abreast(r, to, at[0], count);
        return;
    }
    for (int64_t i = 0; i < count; i++) {
        int64_t o[3];
        fa__cpu_place(&r->walk, first + i, o);
        r->k->load[r->x->dtype](to + i * r->n * r->k->size, (const char *)r->x->data + o[0] * (int64_t)r->x_size,
                                r->x_step, r->n);
    }
}

static void store(const rows *r, const char *from, int64_t first, int64_t count)
{
    int64_t at[3];
    fa__cpu_place(&r->walk, first, at);
    if (r->y_abreast) {
        store_abreast(r, from, at[1], count);
        return;
    }
    for (int64_t i = 0; i < count; i++) {
        int64_t o[3];
        fa__cpu_place(&r->walk, first + i, o);
        r->k->store[r->y->dtype]((char *)r->y->data + o[1] * (int64_t)r->y_size, r->y_step,
                                 from + i * r->n * r->k->size, r->n);
    }
}

/* ---- long rows ---- */

/* Elements as they are; less the largest one, which m->b has; e to the power of these. */
typedef enum { ELEMENTS, LESS, POWERS } step;

static void load_strip(const rows *r, const char *x, int64_t count, step to, const room *m)
{
    const fa__simd_class *k = r->k;
    k->load[r->x->dtype](m->a, x, r->x_step, count);
    if (to >= LESS)
        k->prim[FA__PRIM_sub](m->a, m->a, m->b, NULL, count);
    if (to >= POWERS)
        k->prim[FA__PRIM_exp](m->a, m->a, NULL, NULL, count);
}

/* Combines the strips of a row. Powers are kept in y, unless it is NULL. */
static void combine_strips(const rows *r, int how, const char *x, char *y, step to, const room *m)
{
    const fa__simd_class *k = r->k;
    char *part = m->each;
    for (int64_t i = 0, count; i < r->n; i += count) {
        count = fa__min(STRIP, r->n - i);
        load_strip(r, x + i * r->x_pace, count, to, m);
        if (y)
            k->store[r->y->dtype](y + i * r->y_pace, r->y_step, m->a, count);
        k->blocks[how](part, m->a, count);
        part += STRIP / FA__BLOCK * k->size;
    }
    fa__cpu_combine_rows(k, how, m->each, m->each, 1, (r->n + FA__BLOCK - 1) / FA__BLOCK, m->each);
}

/* Elements are read and computed again rather than kept, but for powers of which y loses nothing. */
static void long_row(const rows *r, int64_t number, const room *m)
{
    const fa__simd_class *k = r->k;
    bool kept = !r->log && r->y->dtype == k->dtype;
    int64_t o[3];
    fa__cpu_place(&r->walk, number, o);
    const char *x = (const char *)r->x->data + o[0] * (int64_t)r->x_size;
    char *y = (char *)r->y->data + o[1] * (int64_t)r->y_size;
    combine_strips(r, FA__COMBINE_MAX, x, NULL, ELEMENTS, m);
    k->fill(m->b, m->each, STRIP);
    combine_strips(r, FA__COMBINE_SUM, x, kept ? y : NULL, POWERS, m);
    if (r->log)
        k->prim[FA__PRIM_log](m->each, m->each, NULL, NULL, 1);
    else
        invert(k, m->each, m->row, 1);
    k->fill(m->row, m->each, STRIP);
    for (int64_t i = 0, count; i < r->n; i += count) {
        count = fa__min(STRIP, r->n - i);
        if (kept)
            k->load[r->y->dtype](m->a, y + i * r->y_pace, r->y_step, count);
        else
            load_strip(r, x + i * r->x_pace, count, r->log ? LESS : POWERS, m);
        k->prim[r->log ? FA__PRIM_sub : FA__PRIM_mul](m->a, m->a, m->row, NULL, count);
        k->store[r->y->dtype](y + i * r->y_pace, r->y_step, m->a, count);
    }
}

static void some_rows(void *context, int64_t begin, int64_t end)
{
    rows *r = context;
    bool is_long = r->n > LONG;
    int64_t strip = is_long ? STRIP : r->together * r->n, each = is_long ? r->n / FA__BLOCK + 1 : 3 * r->together;
    size_t bytes = ((size_t)strip * r->k->size + 63) & ~(size_t)63;
    char *at = fa__cpu_scratch(3 * bytes + (size_t)each * r->k->size);
    if (!at) {
        atomic_store(&r->failed, true);
        return;
    }
    const room m = {.row = at, .a = at + bytes, .b = at + 2 * bytes, .each = at + 3 * bytes};
    for (int64_t i = begin, count; i < end; i += count) {
        int64_t offset = i * r->n * r->k->size;
        bool abreast = r->x_abreast || r->y_abreast;
        count = fa__min(r->together, end - i);
        count = abreast ? fa__cpu_tile(i, end, r->walk.shape[r->walk.rank - 1], count) : count;
        if (is_long) {
            long_row(r, i, &m);
            continue;
        }
        if (!r->x_plain)
            load(r, m.row, i, count);
        compute(r, r->y_plain ? (char *)r->y->data + offset : m.row,
                r->x_plain ? (const char *)r->x->data + offset : m.row, count, r->x_plain && i + 2 * count <= end, &m);
        if (!r->y_plain)
            store(r, m.row, i, count);
    }
    if (r->stream)
        fa__cpu_simd->stream_end();
}

static bool run(const fa__launch *l, int64_t dim, bool log)
{
    const fa__operand *y = &l->operand[0], *x = &l->operand[1];
    int d = fa__cpu_dim(x, dim);
    rows r = {.x = x,
              .y = y,
              .k = fa__cpu_class(y->dtype),
              .n = x->rank ? x->shape[d] : 1,
              .log = log,
              .x_size = fa__dtype_size(x->dtype),
              .y_size = fa__dtype_size(y->dtype)};
    r.x_step = x->rank ? x->stride[d] : 0;
    r.y_step = y->rank ? y->stride[d] : 0;
    r.x_pace = r.x_step * (int64_t)r.x_size;
    r.y_pace = r.y_step * (int64_t)r.y_size;
    r.x_plain = is_plain(&r, x, d);
    r.y_plain = is_plain(&r, y, d);
    r.walk = fa__cpu_others(x->shape, x->rank, d, x, y, NULL);
    if (!r.n)
        return true;
    r.stream = r.y_plain && r.n <= LONG && fa__cpu_streams(r.walk.count * r.n * (int64_t)(r.x_size + r.y_size));
    r.x_abreast = is_abreast(&r, 0, r.x_step);
    r.y_abreast = is_abreast(&r, 1, r.y_step);
    r.together = r.n < STRIP ? STRIP / r.n : 1;
    if ((r.x_abreast || r.y_abreast) && r.together < ABREAST)
        r.together = ABREAST;
    fa__parallel_for(r.walk.count, 1 + r.together, some_rows, &r);
    return !atomic_load(&r.failed);
}

KERNEL(softmax)
{
    return run(l, ((const softmax_args *)l->args)->dim, false);
}

KERNEL(log_softmax)
{
    return run(l, ((const softmax_args *)l->args)->dim, true);
}
