/* Norms forward and backward, where the elements of each mean lie in whole runs of memory: rows over the last
 * dimensions (layer and group norm), or planes of a channel in all images (batch norm). The statistics of a row are
 * computed, and used, while the caches hold it; sums are those of the reductions' tree. */
#include "backend/cpu/kernel.h"
#include "backend/cpu/scratch.h"
#include "base/integer.h"
#include "base/parallel.h"
#include <string.h>

enum { GROUP = 4 * FA__BLOCK }; /* elements of rows that are computed together */

/* A weight or a bias for the elements of a row. */
typedef struct factor {
    const fa__operand *x;
    bool even;   /* one number for a row */
    bool shared; /* the same for all rows */
} factor;

/* x is (outer, rows, run); each mean is over outer and run. */
typedef struct norm {
    const fa__operand *x, *gy;
    char *y, *mean, *variance, *scale, *sum, *product;
    const fa__simd_class *k;
    int first, last; /* the dimensions of rows */
    int64_t outer, rows, run, n, blocks, together;
    factor weight, bias;
    double eps;
    bool stream; /* y goes past the caches */
    _Atomic bool failed;
} norm;

/* Working memory of a thread. */
typedef struct room {
    char *weight, *bias;    /* of a row: `run` elements, or a tile if they are equal */
    char *tile, *tile_of_g; /* FA__BLOCK elements */
    char *a, *b, *c;        /* a number for each row, or for each block of one */
} room;

/* ---- weights ---- */

static factor factor_of(const norm *s, const fa__operand *x)
{
    factor f = {.x = x, .even = true, .shared = true};
    for (int d = 0; d < x->rank && x->kind == FA__MEMORY; d++) {
        bool varies = x->shape[d] != 1;
        f.even &= !varies || d < s->last;
        f.shared &= !varies || d >= s->last;
    }
    return f;
}

/* Where the numbers of a row begin. */
static const char *factor_at(const norm *s, const fa__operand *x, int64_t row)
{
    int64_t at = 0;
    for (int d = s->last - 1; d >= s->first; row /= s->x->shape[d--])
        at += x->shape[d] == 1 ? 0 : row % s->x->shape[d] * x->stride[d];
    return (const char *)x->data + at * (int64_t)fa__dtype_size(x->dtype);
}

/* The numbers of a row, line by line of the last dimension. */
static void fill_factor(const norm *s, const factor *f, int64_t row, char *to)
{
    const fa__operand *x = f->x, *of = s->x;
    if (x->kind != FA__MEMORY) {
        s->k->load[x->dtype](to, &x->value, 0, fa__min(s->run, FA__BLOCK));
        return;
    }
    const char *from = factor_at(s, x, row);
    int inner = of->rank - 1;
    if (f->even || inner < s->last) {
        s->k->load[x->dtype](to, from, 0, fa__min(s->run, FA__BLOCK));
        return;
    }
    int64_t line = of->shape[inner], step = x->shape[inner] == 1 ? 0 : x->stride[inner];
    for (int64_t i = 0; i < s->run / line; i++) {
        int64_t at = 0, rest = i;
        for (int d = inner - 1; d >= s->last; rest /= of->shape[d--])
            at += x->shape[d] == 1 ? 0 : rest % of->shape[d] * x->stride[d];
        s->k->load[x->dtype](to + i * line * s->k->size, from + at * (int64_t)fa__dtype_size(x->dtype), step, line);
    }
}

static void fill_factors(const norm *s, int64_t row, bool first, const room *m)
{
    if (first || !s->weight.shared)
        fill_factor(s, &s->weight, row, m->weight);
    if (s->bias.x && (first || !s->bias.shared))
        fill_factor(s, &s->bias, row, m->bias);
}

/* ---- elements ---- */

static const char *run_at(const norm *s, const fa__operand *x, int64_t row, int64_t outer)
{
    return (const char *)x->data + (outer * s->rows + row) * s->run * s->k->size;
}

/* `count` elements of a row from number `first` on, where they lie or else copied to `tile`. */
static const char *part(const norm *s, const fa__operand *x, int64_t row, int64_t first, int64_t count, char *tile)
{
    int64_t outer = first / s->run, at = first % s->run, size = s->k->size;
    if (at + count <= s->run)
        return run_at(s, x, row, outer) + at * size;
    for (int64_t done = 0, n; done < count; done += n, at = 0, outer++) {
        n = fa__min(s->run - at, count - done);
        memcpy(tile + done * size, run_at(s, x, row, outer) + at * size, (size_t)(n * size));
    }
    return tile;
}

/* The numbers of a row's blocks become one, in place. */
static void fold(const norm *s, char *numbers)
{
    for (int64_t left = s->blocks; left > 1; left = (left + FA__BLOCK - 1) / FA__BLOCK)
        s->k->blocks[FA__COMBINE_SUM](numbers, numbers, left);
}

/* ---- forward ---- */

/* Of one row that is longer than a block. */
static void long_sums(const norm *s, int64_t row, const void *mean, const room *m)
{
    const fa__simd_class *k = s->k;
    for (int64_t b = 0; b < s->blocks; b++) {
        int64_t count = fa__min(FA__BLOCK, s->n - b * FA__BLOCK);
        const char *x = part(s, s->x, row, b * FA__BLOCK, count, m->tile);
        if (mean)
            k->squares(m->b + b * k->size, m->c + b * k->size, x, mean, 1, count);
        else
            k->short_rows[FA__COMBINE_SUM](m->a + b * k->size, x, 1, count);
    }
    fold(s, mean ? m->b : m->a);
    if (mean)
        fold(s, m->c);
}

/* Mean and variance of `count` rows, which are several only if they are short; m->a gets 1 / deviation. */
static void statistics(const norm *s, int64_t row, int64_t count, const room *m)
{
    const fa__simd_class *k = s->k;
    char *mean = s->mean + row * k->size;
    bool is_short = s->blocks == 1 && s->outer == 1;
    if (is_short)
        k->short_rows[FA__COMBINE_SUM](m->a, run_at(s, s->x, row, 0), count, s->n);
    else
        long_sums(s, row, NULL, m);
    k->mean(mean, m->a, s->n, count);
    if (is_short)
        k->squares(m->b, m->c, run_at(s, s->x, row, 0), mean, count, s->n);
    else
        long_sums(s, row, mean, m);
    k->variance(s->variance + row * k->size, mean, m->b, m->c, s->n, count);
    k->deviation(m->a, s->variance + row * k->size, s->eps, count);
}

static void standardize_rows(void *context, const room *m, int64_t row, int64_t count)
{
    const norm *s = context;
    const int64_t size = s->k->size;
    statistics(s, row, count, m);
    for (int64_t i = 0; i < count; i++) {
        fill_factors(s, row + i, false, m);
        if (s->together > 1 && row + i + s->together < s->rows)
            fa__cpu_prefetch(run_at(s, s->x, row + i + s->together, 0), s->n * size);
        for (int64_t o = 0; o < s->outer; o++)
            for (int64_t at = 0; at < s->run; at += FA__BLOCK) {
                int64_t offset = ((o * s->rows + row + i) * s->run + at) * size;
                int64_t some = fa__min(FA__BLOCK, s->run - at);
                s->k->standardize_row(s->stream ? m->tile : s->y + offset, (const char *)s->x->data + offset,
                                      s->mean + (row + i) * size, m->a + i * size,
                                      m->weight + (s->weight.even ? 0 : at * size),
                                      m->bias + (s->bias.even ? 0 : at * size), some);
                if (s->stream)
                    fa__cpu_simd->stream(s->y + offset, m->tile, some * size);
            }
    }
}

/* ---- backward ---- */

/* The sums over a row of h and of h times the normalized x; h is gy, times the weight if that differs within the row.
 */
static void sums_of_gradients(const norm *s, int64_t row, const room *m)
{
    const fa__simd_class *k = s->k;
    const int64_t size = k->size;
    for (int64_t b = 0; b < s->blocks; b++) {
        int64_t first = b * FA__BLOCK, count = fa__min(FA__BLOCK, s->n - first);
        const char *x = part(s, s->x, row, first, count, m->tile);
        const char *g = part(s, s->gy, row, first, count, m->tile_of_g);
        k->products(m->b + b * size, m->c + b * size, g, x, s->mean + row * size, s->scale + row * size,
                    s->weight.even ? NULL : m->weight + first * size, count);
    }
    fold(s, m->b);
    fold(s, m->c);
    memcpy(s->sum + row * size, m->b, (size_t)size);
    memcpy(s->product + row * size, m->c, (size_t)size);
}

static void backward_rows(void *context, const room *m, int64_t row, int64_t count)
{
    const norm *s = context;
    const int64_t size = s->k->size;
    s->k->deviation(s->scale + row * size, s->variance + row * size, s->eps, count);
    for (int64_t i = row; i < row + count; i++) {
        fill_factors(s, i, false, m);
        sums_of_gradients(s, i, m);
        const void *numbers[] = {s->mean + i * size, s->scale + i * size, s->sum + i * size, s->product + i * size};
        for (int64_t o = 0; o < s->outer; o++)
            for (int64_t at = 0; at < s->run; at += FA__BLOCK) {
                int64_t offset = ((o * s->rows + i) * s->run + at) * size;
                int64_t some = fa__min(FA__BLOCK, s->run - at);
                s->k->standardize_back(s->stream ? m->tile : s->y + offset, (const char *)s->gy->data + offset,
                                       (const char *)s->x->data + offset, numbers,
                                       m->weight + (s->weight.even ? 0 : at * size), s->weight.even, s->n, some);
                if (s->stream)
                    fa__cpu_simd->stream(s->y + offset, m->tile, some * size);
            }
    }
}

/* ---- dividing ---- */

static void describe(norm *s, int64_t set)
{
    const fa__operand *x = s->x;
    while (s->first < x->rank && set >> s->first & 1)
        s->first++;
    for (s->last = x->rank; s->last > s->first && set >> (s->last - 1) & 1;)
        s->last--;
    s->outer = s->rows = s->run = 1;
    for (int d = 0; d < x->rank; d++)
        *(d < s->first ? &s->outer : d < s->last ? &s->rows : &s->run) *= x->shape[d];
    if (s->first == x->rank) { /* all dimensions are the row's */
        s->run = s->outer;
        s->outer = 1;
        s->last = s->first = 0;
    }
    s->n = s->outer * s->run;
    s->blocks = (s->n + FA__BLOCK - 1) / FA__BLOCK;
    s->together = s->outer == 1 && s->n <= FA__BLOCK ? GROUP / (s->n + !s->n) : 1;
    s->k = fa__cpu_class(x->dtype);
    int64_t bytes = (s->gy ? 3 : 2) * s->rows * s->n * s->k->size;
    s->stream = fa__cpu_streams(bytes + bytes / 3); /* what nearly fills the caches would not stay there */
}

typedef struct task {
    norm *s;
    void (*rows)(void *, const room *, int64_t row, int64_t count);
} task;

static bool make_room(const norm *s, room *m)
{
    const int64_t size = s->k->size, numbers = (s->blocks > s->together ? s->blocks : s->together) * size;
    const int64_t weight = (s->weight.even ? FA__BLOCK : s->run) * size;
    const int64_t bias = (!s->bias.x || s->bias.even ? FA__BLOCK : s->run) * size;
    char *at = fa__cpu_scratch((size_t)(weight + bias + 2 * FA__BLOCK * size + 3 * numbers));
    if (!at)
        return false;
    m->weight = at;
    m->bias = at += weight;
    m->tile = at += bias;
    m->tile_of_g = at += FA__BLOCK * size;
    m->a = at += FA__BLOCK * size;
    m->b = at += numbers;
    m->c = at + numbers;
    return true;
}

static void some_rows(void *context, int64_t begin, int64_t end)
{
    const task *t = context;
    room m;
    if (!make_room(t->s, &m)) {
        atomic_store(&t->s->failed, true);
        return;
    }
    fill_factors(t->s, begin, true, &m);
    for (int64_t row = begin, count; row < end; row += count) {
        count = fa__min(t->s->together, end - row);
        t->rows(t->s, &m, row, count);
    }
    if (t->s->stream)
        fa__cpu_simd->stream_end();
}

static bool run(norm *s, void (*rows)(void *, const room *, int64_t, int64_t))
{
    task t = {s, rows};
    if (s->rows && s->n)
        fa__parallel_for(s->rows, 1 + 8 * FA__BLOCK / s->n, some_rows, &t);
    return !atomic_load(&s->failed);
}

KERNEL(standardize)
{
    const standardize_args *a = l->args;
    const fa__operand *o = l->operand;
    norm s = {.y = o[0].data, .mean = o[1].data, .variance = o[2].data, .x = &o[3], .eps = a->eps};
    describe(&s, a->set);
    s.weight = factor_of(&s, &o[4]);
    s.bias = factor_of(&s, &o[5]);
    return run(&s, standardize_rows);
}

KERNEL(standardize_back)
{
    const standardize_back_args *a = l->args;
    const fa__operand *o = l->operand;
    norm s = {.y = o[0].data, .scale = o[1].data, .sum = o[2].data, .product = o[3].data, .eps = a->eps};
    s.gy = &o[4];
    s.x = &o[5];
    s.mean = o[6].data;
    s.variance = o[7].data;
    describe(&s, a->set);
    s.weight = factor_of(&s, &o[8]);
    return run(&s, backward_rows);
}
