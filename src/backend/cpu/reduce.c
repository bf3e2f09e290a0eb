/* Reductions: the value of a program for each element, combined over the last dimensions by the fixed tree. Elements
 * are numbered in logical order over those dimensions; blocks of FA__BLOCK of them give the partial results, which are
 * reduced the same way until one is left.
 *
 * Two orders of work give the same tree. Rows: the values of a block one after the other. Columns: where neighbours in
 * memory belong to different results, many results at a time. */
#include "backend/cpu/program.h"
#include "backend/cpu/walk.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/integer.h"
#include "base/parallel.h"
#include "core/tensor.h"
#include <string.h>

enum {
    GROUP = 4 * FA__BLOCK, /* elements of one unit of work in rows */
    SHORT = 128            /* fewer elements of a result are not looked up in memory, but copied together */
};

typedef struct reduction {
    fa__walk walk; /* dimensions: rows: kept, reduced; columns: outer kept, reduced, the last kept one */
    int combine;
    int64_t results;                       /* kept elements */
    int64_t length;                        /* elements of a result */
    int64_t blocks;                        /* partial results of a result */
    int64_t outer, columns, strip, strips; /* columns: results = outer * columns */
    int64_t group;                         /* rows: results (blocks == 1) or blocks of one unit of work */
    bool outside;                          /* rows: what is reduced is outside, in memory, of what is kept */
    char *partial[FA__MAX_OUTPUTS];        /* rows: [result][block]; columns: [outer][block][column] */
} reduction;

/* Where the values of an output are in memory already; NULL if they have to be computed. */
static const char *values_in_memory(const reduction *r, int output)
{
    int same = r->walk.code->same_as[output];
    const fa__lane *a = &r->walk.lane[same < 0 ? 0 : same];
    return same >= 0 && a->memory && a->own && a->linear ? a->data : NULL;
}

/* `count` values from number `first` on, of each output to its part of `values`. */
static void compute_values(fa__worker *k, int64_t first, int64_t count, char *const *values)
{
    const fa__walk *w = k->walk;
    int inputs = w->code->inputs;
    fa__worker_seek(k, first);
    for (int64_t done = 0; done < count;) {
        int64_t n = fa__worker_next(k, count - done);
        fa__worker_load(k, n);
        for (int o = 0; o < w->code->outputs; o++)
            k->slot[inputs + o] = values[o] + done * w->simd->size;
        fa__worker_steps(k, n);
        fa__worker_advance(k, n);
        done += n;
    }
}

typedef struct row_work {
    const reduction *r;
    fa__worker *k;
    char *values[FA__MAX_OUTPUTS];
} row_work;

/* From `count` values become partial results from number `to` on, `length` values each. */
static void combine_values(const reduction *r, int output, const char *x, int64_t count, int64_t length, int64_t to)
{
    const fa__simd_class *c = r->walk.simd;
    char *out = r->partial[output] + to * c->size;
    if (length < FA__BLOCK)
        c->short_rows[r->combine](out, x, count / length, length);
    else
        c->blocks[r->combine](out, x, count);
}

/* How many of `left` values from `first` on are a partial result, or several, that lie in memory side by side: `*x` is
 * where. 0: the next partial result has to be computed, or copied together. */
static int64_t values_of_line(const row_work *j, int output, int64_t first, int64_t left, int64_t length,
                              const char **x)
{
    const fa__walk *w = &j->r->walk;
    int same = w->code->same_as[output];
    if (same < 0 || !w->lane[same].memory || !w->lane[same].line)
        return 0;
    int64_t column = first % w->inner, here = fa__min(left, w->inner - column);
    here = here == left ? left : here - here % length;
    if (here > 0) {
        fa__worker_seek(j->k, first);
        *x = j->k->at.line[same] + column * w->lane[same].size;
    }
    return here;
}

/* The same, where the values are not one array in memory. */
static void reduce_lines(const row_work *j, int output, int64_t first, int64_t count, int64_t length, int64_t to)
{
    for (int64_t done = 0, n; done < count; done += n) {
        const char *x = NULL;
        n = values_of_line(j, output, first + done, count - done, length, &x);
        if (n == 0) {
            n = fa__min(length, count - done);
            compute_values(j->k, first + done, n, j->values);
            x = j->values[output];
        }
        combine_values(j->r, output, x, n, length, to + done / length);
    }
}

/* `count` values from `first` on become partial results from number `to` on, `length` values each. */
static void reduce_values(const row_work *j, int64_t first, int64_t count, int64_t length, int64_t to)
{
    const reduction *r = j->r;
    bool computed = false, lines = r->walk.code->outputs == 1 && length >= SHORT;
    for (int o = 0; o < r->walk.code->outputs; o++) {
        const char *x = values_in_memory(r, o);
        if (x) {
            combine_values(r, o, x + first * r->walk.simd->size, count, length, to);
        } else if (lines) {
            reduce_lines(j, o, first, count, length, to);
        } else {
            if (!computed)
                compute_values(j->k, first, count, j->values);
            computed = true;
            combine_values(r, o, j->values[o], count, length, to);
        }
    }
}

/* Units: groups of whole results, or of blocks of one result, so numbered that a thread stays in one part of memory. */
static void rows_units(void *context, int64_t begin, int64_t end)
{
    const reduction *r = context;
    fa__worker k;
    _Alignas(64) char values[r->walk.code->outputs][GROUP * 8];
    row_work j = {.r = r, .k = &k};
    for (int o = 0; o < r->walk.code->outputs; o++)
        j.values[o] = values[o];
    fa__worker_begin(&k, &r->walk, fa__min(r->walk.tile, r->walk.n));
    for (int64_t u = begin; u < end; u++) {
        if (r->blocks == 1) {
            int64_t count = fa__min(r->group, r->results - u * r->group);
            reduce_values(&j, u * r->group * r->length, count * r->length, r->length, u * r->group);
        } else {
            int64_t units = fa__ceil_div(r->blocks, r->group);
            int64_t result = r->outside ? u % r->results : u / units;
            int64_t block = (r->outside ? u / r->results : u % units) * r->group;
            int64_t first = block * FA__BLOCK, count = fa__min(r->group * FA__BLOCK, r->length - first);
            reduce_values(&j, result * r->length + first, count, FA__BLOCK, result * r->blocks + block);
        }
    }
}

/* One strip of columns of one block. */
typedef struct strip_work {
    const reduction *r;
    fa__worker *k;
    int64_t first; /* position of its first element */
    int64_t rows, columns;
    char *out[FA__MAX_OUTPUTS];
    char *chains[FA__MAX_OUTPUTS]; /* FA__CHAINS rows of `columns` */
} strip_work;

static void compute_strip(const strip_work *s, const bool *wanted)
{
    const reduction *r = s->r;
    const fa__walk *w = &r->walk;
    fa__worker *k = s->k;
    int inputs = w->code->inputs;
    int64_t row = s->columns * w->simd->size;
    fa__worker_seek(k, s->first);
    for (int64_t i = 0; i < s->rows; i++) {
        fa__worker_load(k, s->columns);
        fa__worker_aim(k, s->columns);
        fa__worker_steps(k, s->columns);
        for (int o = 0; o < w->code->outputs; o++) {
            char *chain = s->chains[o] + i % FA__CHAINS * row;
            const void *x = k->slot[inputs + o];
            if (wanted[o] && i < FA__CHAINS)
                memcpy(chain, x, (size_t)row);
            else if (wanted[o])
                w->simd->combine[r->combine](chain, chain, x, NULL, s->columns);
        }
        if (i + 1 < s->rows)
            fa__worker_next_line(k);
    }
    /* what remains is a block of as many rows as there are chains */
    for (int o = 0; o < w->code->outputs; o++)
        if (wanted[o])
            w->simd->columns[r->combine](s->out[o], s->chains[o], s->columns, fa__min(s->rows, FA__CHAINS), s->columns,
                                         s->chains[o]);
}

/* Rows of a single value in memory that all have one distance: the loop over them is a compiled one. */
static bool reduce_strip_in_memory(const strip_work *s, int output)
{
    const reduction *r = s->r;
    const fa__walk *w = &r->walk;
    int same = w->code->same_as[output];
    if (same < 0 || !w->lane[same].line || w->rank > 2 + (r->outer > 1))
        return false;
    const fa__lane *a = &w->lane[same];
    int64_t stride = w->rank >= 2 ? a->stride[w->rank - 2] : 0;
    if (stride % a->size != 0)
        return false;
    fa__worker_seek(s->k, s->first);
    w->simd->columns[r->combine](s->out[output], s->k->at.line[same] + s->k->at.column * a->size, stride / a->size,
                                 s->rows, s->columns, s->chains[output]);
    return true;
}

static void columns_units(void *context, int64_t begin, int64_t end)
{
    const reduction *r = context;
    const fa__walk *w = &r->walk;
    enum { STRIP_BYTES = FA__CHAINS * FA__TILE * 8 };
    fa__worker k;
    _Alignas(64) char chains[w->code->outputs][STRIP_BYTES];
    strip_work s = {.r = r, .k = &k};
    fa__worker_begin(&k, w, fa__min(w->tile, w->n));
    for (int64_t u = begin; u < end; u++) {
        int64_t column = u % r->strips * r->strip, part = u / r->strips;
        int64_t block = part % r->blocks, outer = part / r->blocks;
        bool computed[FA__MAX_OUTPUTS] = {false}, any = false;
        s.first = (outer * r->length + block * FA__BLOCK) * r->columns + column;
        s.rows = fa__min(FA__BLOCK, r->length - block * FA__BLOCK);
        s.columns = fa__min(r->strip, r->columns - column);
        for (int o = 0; o < w->code->outputs; o++) {
            s.chains[o] = chains[o];
            s.out[o] = r->partial[o] + (part * r->columns + column) * w->simd->size;
            computed[o] = !reduce_strip_in_memory(&s, o);
            any |= computed[o];
        }
        if (any)
            compute_strip(&s, computed);
    }
}

/* Partial results become results: the same tree, on what is a thousandth of the elements. */
static void finish_rows(const reduction *r)
{
    const fa__simd_class *c = r->walk.simd;
    for (int o = 0; o < r->walk.code->outputs; o++)
        for (int64_t i = 0; i < r->results; i++) {
            char *row = r->partial[o] + i * r->blocks * c->size, *to = r->partial[o] + i * c->size;
            int64_t n = r->blocks;
            for (; n > FA__BLOCK; n = fa__ceil_div(n, FA__BLOCK))
                c->blocks[r->combine](row, row, n);
            c->blocks[r->combine](to, row, n);
        }
}

static void finish_columns(const reduction *r)
{
    const fa__simd_class *c = r->walk.simd;
    char chains[FA__CHAINS * FA__TILE * 8];
    for (int o = 0; o < r->walk.code->outputs; o++)
        for (int64_t i = 0; i < r->outer; i++) {
            char *from = r->partial[o] + i * r->blocks * r->columns * c->size;
            char *to = r->partial[o] + i * r->columns * c->size;
            for (int64_t n = r->blocks; n > 1; n = fa__ceil_div(n, FA__BLOCK), from = to)
                for (int64_t b = 0; b < fa__ceil_div(n, FA__BLOCK); b++)
                    for (int64_t at = 0; at < r->columns; at += FA__TILE)
                        c->columns[r->combine](to + (b * r->columns + at) * c->size,
                                               from + (b * FA__BLOCK * r->columns + at) * c->size, r->columns,
                                               fa__min(FA__BLOCK, n - b * FA__BLOCK),
                                               fa__min(FA__TILE, r->columns - at), chains);
        }
}

/* Whether the results of an output are a contiguous array of the class's dtype. */
static bool plain_output(const fa__launch *l, const fa__operand *out, const fa__simd_class *c)
{
    int64_t expected = 1;
    bool plain = out->dtype == c->dtype;
    for (int d = l->kept - 1; d >= 0; expected *= l->shape[d--])
        plain &= out->stride[d] == expected || l->shape[d] == 1;
    return plain;
}

/* The results, in logical order, to an output of any strides and dtype. */
static void store_results(const fa__launch *l, const fa__operand *out, const fa__simd_class *c, const char *results,
                          int64_t count)
{
    int last = l->kept - 1;
    int64_t inner = last >= 0 ? l->shape[last] : 1, stride = last >= 0 ? out->stride[last] : 1;
    for (int64_t i = 0; i < count; i += inner) {
        int64_t offset = 0, line = i / inner;
        for (int d = last - 1; d >= 0; line /= l->shape[d--])
            offset += line % l->shape[d] * out->stride[d];
        char *target = (char *)out->data + offset * (int64_t)fa__dtype_size(out->dtype);
        c->store[out->dtype](target, stride, results + i * c->size, inner);
    }
}

/* Whether neighbours in memory belong to different results, for most of what is read: inputs that are broadcast over
 * some dimension are little of it. */
static bool by_columns(const fa__walk *w)
{
    enum { WHOLE = 2 * FA__MAX_INPUTS };
    int votes = 0;
    if (w->code->placed || w->kept == 0 || w->kept == w->rank)
        return false;
    for (int i = 0; i < w->code->inputs; i++) {
        const fa__lane *a = &w->lane[i];
        int vote = (a->stride[w->kept - 1] == a->size) - (a->stride[w->rank - 1] == a->size);
        if (a->memory)
            votes += a->stride[w->kept - 1] && a->stride[w->rank - 1] ? vote * WHOLE : vote;
    }
    return votes > 0;
}

/* Whether the first dimension that is reduced is outside of the first one that is kept: its neighbours are further
 * apart in memory. So are the images of a batch, for a sum of each channel. */
static bool is_outside(const fa__walk *w)
{
    for (int i = 0; i < w->code->inputs && w->kept > 0 && w->kept < w->rank; i++)
        if (w->lane[i].memory)
            return w->lane[i].stride[w->kept] > w->lane[i].stride[0];
    return false;
}

static void plan_rows(reduction *r)
{
    fa__walk_join(&r->walk, r->walk.kept, r->walk.rank);
    fa__walk_join(&r->walk, 0, r->walk.kept);
    fa__walk_classify(&r->walk);
    r->outside = is_outside(&r->walk);
    r->group = GROUP / (r->blocks == 1 ? r->length : FA__BLOCK);
}

static void plan_columns(reduction *r)
{
    fa__walk *w = &r->walk;
    fa__walk_join(w, w->kept, w->rank);
    w->kept -= fa__walk_join(w, 0, w->kept);
    r->columns = w->shape[w->kept - 1];
    r->outer = r->results / r->columns;
    fa__walk_move_last(w, w->kept - 1);
    fa__walk_classify_lines(w);
    r->strip = fa__min(fa__min(w->tile, FA__TILE), r->columns);
    r->strips = fa__ceil_div(r->columns, r->strip);
}

/* Room for partial results: an output's own memory where they are its elements already. */
static bool make_room(reduction *r, const fa__launch *l, char **room)
{
    const fa__simd_class *c = r->walk.simd;
    size_t each = (size_t)(r->results * r->blocks * c->size);
    bool own = r->blocks == 1;
    for (int o = 0; o < l->outputs; o++)
        own &= plain_output(l, &l->operand[o], c);
    *room = own ? NULL : fa__malloc(each * l->outputs);
    if (!own && !*room)
        return false;
    for (int o = 0; o < l->outputs; o++)
        r->partial[o] = own ? l->operand[o].data : *room + (size_t)o * each;
    return true;
}

static void reduce_elements(reduction *r, bool columns)
{
    int64_t units = columns          ? r->outer * r->blocks * r->strips
                    : r->blocks == 1 ? fa__ceil_div(r->results, r->group)
                                     : r->results * fa__ceil_div(r->blocks, r->group);
    int64_t elements = r->walk.n / units;
    int64_t grain = elements >= FA__SERIAL ? 1 : FA__SERIAL / (elements + 1) + 1;
    void (*body)(void *, int64_t, int64_t) = columns ? columns_units : rows_units;
    if (r->walk.n <= FA__SERIAL)
        body(r, 0, units);
    else
        fa__parallel_for(units, grain, body, r);
    if (r->blocks > 1)
        (columns ? finish_columns : finish_rows)(r);
}

/* What no elements give: the value that combining begins with. */
static bool fill_nothing(const reduction *r, const fa__launch *l)
{
    if (l->combine >= FA__COMBINE_MAX)
        return fa__fail(FA_ERROR_INTERNAL, "the largest or smallest of no elements");
    const fa__simd_class *c = r->walk.simd;
    int64_t start = l->combine == FA__COMBINE_PROD;
    char value[8];
    c->load[FA_I64](value, &start, 0, 1);
    for (int o = 0; o < l->outputs; o++)
        c->fill(r->partial[o], value, r->results);
    return true;
}

static bool run_planned(reduction *r, const fa__launch *l)
{
    r->blocks = r->length > FA__BLOCK ? fa__ceil_div(r->length, FA__BLOCK) : 1;
    bool columns = r->length > 0 && by_columns(&r->walk), done = true;
    if (r->length > 0)
        (columns ? plan_columns : plan_rows)(r);
    char *room;
    if (!make_room(r, l, &room))
        return false;
    if (r->length == 0)
        done = fill_nothing(r, l);
    else
        reduce_elements(r, columns);
    for (int o = 0; o < l->outputs && done && room; o++)
        store_results(l, &l->operand[o], r->walk.simd, r->partial[o], r->results);
    fa__free(room);
    return done;
}

/* Small sums and the like over what lies in memory as one array: no walk. False for all others. */
static bool reduce_at_once(const fa__launch *l, const fa__code *code, int64_t results, int64_t length)
{
    const fa__simd_class *c = fa__cpu_simd->of[l->compute];
    if (l->outputs != 1 || code->same_as[0] < 0 || length > FA__BLOCK || length == 0 || results * length > FA__SERIAL)
        return false;
    const fa__operand *in = &l->operand[1 + code->same_as[0]], *out = &l->operand[0];
    if (in->kind != FA__MEMORY || in->dtype != c->dtype || !plain_output(l, out, c))
        return false;
    int64_t expected = 1;
    for (int d = l->rank - 1; d >= 0; expected *= l->shape[d--])
        if (in->stride[d] != expected && l->shape[d] != 1)
            return false;
    c->short_rows[l->combine](out->data, in->data, results, length);
    return true;
}

FA__HOT bool fa__cpu_run_reduce(const fa__launch *l)
{
    const fa__code *code = atomic_load_explicit(&l->program->compiled[FA__CPU][l->compute], memory_order_acquire);
    reduction r;
    r.combine = l->combine;
    r.results = r.length = 1;
    for (int d = 0; d < l->rank; d++)
        *(d < l->kept ? &r.results : &r.length) *= l->shape[d];
    if (r.results == 0 || reduce_at_once(l, code, r.results, r.length))
        return true;
    fa__walk_begin(&r.walk, l, code, false);
    return run_planned(&r, l);
}
