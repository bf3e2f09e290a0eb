/* Pooling: planes of rows. Rows of other dtypes or strides are loaded into scratch memory; then all are windows over
 * rows of the class (simd/pool.inc), whole ones side by side, and those at the edges one by one. */
#include "backend/pool.h"
#include "backend/cpu/kernel.h"
#include "backend/cpu/scratch.h"
#include "base/parallel.h"
#include <string.h>

/* An operand as planes: (n, c, h, w) or (c, h, w). */
typedef struct planes {
    const fa__operand *of;
    int64_t size, n_step, c_step, h_step, w_step; /* in bytes, but for w_step */
} planes;

typedef struct pool {
    planes small, index, large; /* with a result for each window; of the elements. index.of may be NULL */
    fa__windows h, w;
    const fa__simd_class *k;
    int64_t channels, count; /* planes */
    int64_t inner, outer;    /* windows that lie inside of rows, from and to */
    bool mean, pad;          /* means; of padding, too */
    int64_t divisor;         /* 0: the number of elements */
    _Atomic bool failed;
} pool;

static planes planes_of(const fa__operand *x)
{
    int d = x->rank;
    int64_t size = (int64_t)fa__dtype_size(x->dtype);
    if (!x->data) /* strides of what has no elements may be of any size */
        return (planes){.of = x, .size = size};
    return (planes){.of = x,
                    .size = size,
                    .n_step = d == 4 ? x->stride[0] * size : 0,
                    .c_step = x->stride[d - 3] * size,
                    .h_step = x->stride[d - 2] * size,
                    .w_step = x->stride[d - 1]};
}

static char *row_at(const pool *p, const planes *t, int64_t plane, int64_t row)
{
    int64_t n = plane / p->channels, c = plane - n * p->channels;
    char *first = t->of->data; /* NULL: without elements */
    return first ? first + n * t->n_step + c * t->c_step + row * t->h_step : NULL;
}

static size_t padded(size_t bytes)
{
    return (bytes + 63) & ~(size_t)63;
}

static fa__windows windows_of(fa_pair kernel, fa_pair stride, fa_pair padding, fa_pair dilation, int which)
{
    return (fa__windows){.size = fa_pair_at(kernel, which),
                         .stride = fa_pair_at(stride ? stride : kernel, which),
                         .padding = fa_pair_at(padding, which),
                         .dilation = fa_pair_at(dilation, which)};
}

/* Which windows are inside of a row as a whole: they are neighbours. */
static void find_inner(pool *p)
{
    const fa__windows *w = &p->w;
    if (w->adaptive) {
        p->inner = p->outer = w->out;
        return;
    }
    int64_t reach = (w->size - 1) * w->dilation;
    p->inner = (w->padding + w->stride - 1) / w->stride;
    p->outer = w->in + w->padding > reach ? (w->in + w->padding - reach - 1) / w->stride + 1 : 0;
    p->outer = p->outer < w->out ? p->outer : w->out;
    if (p->inner >= p->outer)
        p->inner = p->outer = w->out;
}

/* Adaptive windows that are of one size lie side by side. */
static void set_even(fa__windows *w)
{
    if (!w->adaptive || !w->out || w->in % w->out)
        return;
    w->size = w->stride = w->in / w->out;
    w->dilation = 1;
    w->adaptive = false;
}

static void set_sizes(pool *p)
{
    const fa__operand *y = p->small.of, *x = p->large.of;
    int d = x->rank;
    p->k = fa__cpu_class(x->dtype);
    p->channels = x->shape[d - 3];
    p->count = p->channels * (d == 4 ? x->shape[0] : 1);
    p->h.in = x->shape[d - 2];
    p->w.in = x->shape[d - 1];
    p->h.out = y->shape[d - 2];
    p->w.out = y->shape[d - 1];
    set_even(&p->h);
    set_even(&p->w);
    find_inner(p);
}

/* ---- windows along a row ---- */

typedef void along(const pool *p, fa__pool_row *r, int64_t o, void *context);

/* Calls `each` for the windows of a row of results: r has its rows. */
static void each_run(const pool *p, fa__pool_row r, along *each, void *context)
{
    const fa__windows *w = &p->w;
    int64_t first = r.first;
    for (int64_t o = 0; o < w->out;) {
        bool whole = o == p->inner && p->inner < p->outer;
        fa__window here = fa__window_at(w, o);
        r.columns = here.count;
        r.from = here.from;
        r.first = first + here.from;
        r.n = whole ? p->outer - p->inner : 1;
        r.step = w->adaptive ? 1 : w->dilation;
        r.stride = whole ? w->stride : 1;
        each(p, &r, o, context);
        o += r.n;
    }
}

/* ---- forward ---- */

/* A row of results, and the rows of elements that it is made of. */
typedef struct work {
    char *y, *divisors, *loaded;
    int64_t *at, *counts;
    const void **row;
} work;

static void run_max(const pool *p, fa__pool_row *r, int64_t o, void *context)
{
    const work *w = context;
    p->k->pool_max(w->y + o * p->k->size, w->at ? w->at + o : NULL, w->row, r);
}

static void run_sum(const pool *p, fa__pool_row *r, int64_t o, void *context)
{
    const work *w = context;
    p->k->pool_sum(w->y + o * p->k->size, w->row, r);
}

/* What the sums of row o of windows are divided by. */
static void set_divisors(const pool *p, const work *w, int64_t o)
{
    int64_t high = p->pad ? fa__window_padded(&p->h, o) : fa__window_at(&p->h, o).count;
    for (int64_t i = 0; i < p->w.out; i++) {
        int64_t wide = p->pad ? fa__window_padded(&p->w, i) : fa__window_at(&p->w, i).count;
        w->counts[i] = p->divisor ? p->divisor : high * wide;
    }
    p->k->load[FA_I64](w->divisors, w->counts, 1, p->w.out);
}

/* The rows of window o, as the class has them. */
static void load_rows(const pool *p, const work *w, int64_t plane, fa__window rows)
{
    const planes *x = &p->large;
    int64_t apart = p->h.adaptive ? 1 : p->h.dilation, pitch = (int64_t)padded((size_t)p->w.in * p->k->size);
    bool direct = x->of->dtype == p->k->dtype && x->w_step == 1;
    for (int64_t i = 0; i < rows.count; i++) {
        const char *from = row_at(p, x, plane, rows.from + i * apart);
        w->row[i] = direct ? from : w->loaded + i * pitch;
        if (!direct)
            p->k->load[x->of->dtype](w->loaded + i * pitch, from, x->w_step, p->w.in);
    }
}

static void one_row(const pool *p, work *w, int64_t plane, int64_t o)
{
    const planes *y = &p->small;
    fa__window rows = fa__window_at(&p->h, o);
    int64_t apart = p->h.adaptive ? 1 : p->h.dilation;
    char *to = row_at(p, y, plane, o), *own = w->y;
    if (y->of->dtype == p->k->dtype && y->w_step == 1)
        w->y = to;
    load_rows(p, w, plane, rows);
    fa__pool_row r = {.rows = rows.count, .first = rows.from * p->w.in, .down = apart * p->w.in};
    each_run(p, r, p->mean ? run_sum : run_max, w);
    if (p->mean) {
        set_divisors(p, w, o);
        p->k->prim[FA__PRIM_div](w->y, w->y, w->divisors, NULL, p->w.out);
    }
    if (w->y != to)
        p->k->store[y->of->dtype](to, y->w_step, w->y, p->w.out);
    w->y = own;
    if (w->at)
        fa__cpu_simd->of[FA__CLASS_I64]->store[FA_I64](row_at(p, &p->index, plane, o), p->index.w_step, w->at,
                                                       p->w.out);
}

static int64_t most_rows(const pool *p)
{
    return p->h.adaptive ? p->h.in / p->h.out + 2 : p->h.size < p->h.in ? p->h.size : p->h.in;
}

static void some_rows(void *context, int64_t begin, int64_t end)
{
    pool *p = context;
    int64_t rows = most_rows(p);
    size_t line = padded((size_t)p->w.out * 8), lines = padded((size_t)p->w.in * p->k->size) * (size_t)rows;
    char *memory = fa__cpu_scratch(4 * line + padded((size_t)rows * sizeof(void *)) + lines);
    if (!memory) {
        atomic_store(&p->failed, true);
        return;
    }
    work w = {.y = memory,
              .divisors = memory + line,
              .at = p->index.of ? (int64_t *)(memory + 2 * line) : NULL,
              .counts = (int64_t *)(memory + 3 * line),
              .row = (const void **)(memory + 4 * line)};
    w.loaded = memory + 4 * line + padded((size_t)rows * sizeof(void *));
    for (int64_t i = begin; i < end; i++)
        one_row(p, &w, i / p->h.out, i % p->h.out);
}

/* ---- windows of 2 x 2 side by side, all of which have four elements ---- */

static bool plain_f32(const planes *t)
{
    return t->of->dtype == FA_F32 && t->w_step == 1;
}

static bool is_2x2(const fa__windows *w)
{
    return !w->adaptive && w->size == 2 && w->stride == 2 && !w->padding && w->dilation == 1 && 2 * w->out <= w->in;
}

static bool by_2x2(const pool *p)
{
    bool places = !p->index.of || (p->index.of->dtype == FA_I64 && p->index.w_step == 1);
    return !p->mean && is_2x2(&p->h) && is_2x2(&p->w) && plain_f32(&p->small) && plain_f32(&p->large) && places
           && p->w.in < 1 << 30;
}

static void some_rows_2x2(void *context, int64_t begin, int64_t end)
{
    const pool *p = context;
    for (int64_t i = begin; i < end; i++) {
        const int64_t plane = i / p->h.out, o = i - plane * p->h.out;
        const char *x = row_at(p, &p->large, plane, 2 * o);
        int64_t *at = p->index.of ? (void *)row_at(p, &p->index, plane, o) : NULL;
        fa__cpu_simd->pool_2x2((void *)row_at(p, &p->small, plane, o), at, (const void *)x,
                               (const void *)(x + p->large.h_step), p->w.out, 2 * o * p->w.in, p->w.in);
    }
}

static bool run_forward(pool *p)
{
    set_sizes(p);
    if (by_2x2(p))
        fa__parallel_for(p->count * p->h.out, 1 + 32768 / (2 * p->w.in), some_rows_2x2, p);
    else if (p->count && p->h.out && p->w.out)
        fa__parallel_for(p->count * p->h.out, 1 + 16384 / (p->w.in * most_rows(p)), some_rows, p);
    return !atomic_load(&p->failed);
}

/* ---- backward: a plane at a time ---- */

typedef struct plane {
    char *x, *g, *divisors;
    int64_t *counts; /* of elements; or places */
    char *row;       /* of x, that is added to */
} plane;

static void spread_row(const pool *p, fa__pool_row *r, int64_t o, void *context)
{
    const plane *w = context;
    p->k->pool_spread(w->row, w->g + o * p->k->size, r);
}

static void spread_mean(const pool *p, plane *w, int64_t o)
{
    const fa__window rows = fa__window_at(&p->h, o);
    const work divisors = {.divisors = w->divisors, .counts = w->counts};
    set_divisors(p, &divisors, o);
    p->k->prim[FA__PRIM_div](w->g, w->g, w->divisors, NULL, p->w.out);
    for (int64_t i = 0; i < rows.count; i++) {
        w->row = w->x + (rows.from + i) * p->w.in * p->k->size;
        each_run(p, (fa__pool_row){.rows = 1}, spread_row, w);
    }
}

#define PLACE(T)                                                                                                       \
    static void place_##T(void *to, int64_t size, const void *g, const int64_t *at, int64_t n)                         \
    {                                                                                                                  \
        T *x = to;                                                                                                     \
        for (int64_t i = 0; i < n; i++)                                                                                \
            if ((uint64_t)at[i] < (uint64_t)size)                                                                      \
                x[at[i]] = x[at[i]] + ((const T *)g)[i];                                                               \
    }
PLACE(float)
PLACE(double)

static void place_row(const pool *p, const plane *w, int64_t number, int64_t o)
{
    const fa__simd_class *whole = fa__cpu_simd->of[FA__CLASS_I64];
    whole->load[p->index.of->dtype](w->counts, row_at(p, &p->index, number, o), p->index.w_step, p->w.out);
    (p->k->dtype == FA_F64 ? place_double : place_float)(w->x, p->h.in * p->w.in, w->g, w->counts, p->w.out);
}

static void one_plane(const pool *p, plane *w, int64_t number)
{
    const planes *x = &p->large, *y = &p->small;
    int64_t bytes = p->w.in * p->k->size;
    char *own = w->x, *to = row_at(p, x, number, 0);
    bool direct = x->of->dtype == p->k->dtype && x->w_step == 1 && x->h_step == bytes;
    if (direct)
        w->x = to;
    memset(w->x, 0, (size_t)(p->h.in * bytes));
    for (int64_t o = 0; o < p->h.out; o++) {
        p->k->load[y->of->dtype](w->g, row_at(p, y, number, o), y->w_step, p->w.out);
        if (p->mean)
            spread_mean(p, w, o);
        else
            place_row(p, w, number, o);
    }
    for (int64_t i = 0; !direct && i < p->h.in; i++)
        p->k->store[x->of->dtype](to + i * x->h_step, x->w_step, w->x + i * bytes, p->w.in);
    w->x = own;
}

static void some_planes(void *context, int64_t begin, int64_t end)
{
    pool *p = context;
    size_t line = padded((size_t)p->w.out * 8);
    char *memory = fa__cpu_scratch(3 * line + (size_t)(p->h.in * p->w.in * p->k->size));
    if (!memory) {
        atomic_store(&p->failed, true);
        return;
    }
    plane w = {
        .g = memory, .divisors = memory + line, .counts = (int64_t *)(memory + 2 * line), .x = memory + 3 * line};
    for (int64_t i = begin; i < end; i++)
        one_plane(p, &w, i);
}

static void some_planes_2x2(void *context, int64_t begin, int64_t end)
{
    const pool *p = context;
    const size_t bytes = (size_t)p->w.in * sizeof(float);
    for (int64_t i = begin; i < end; i++) {
        for (int64_t o = 0; o < p->h.out; o++) {
            char *x = row_at(p, &p->large, i, 2 * o), *below = x + p->large.h_step;
            if (2 * p->w.out < p->w.in) /* a column that is in no window */
                ((float *)(void *)x)[p->w.in - 1] = ((float *)(void *)below)[p->w.in - 1] = 0;
            fa__cpu_simd->pool_2x2_back((void *)x, (void *)below, (const void *)row_at(p, &p->small, i, o),
                                        (const void *)row_at(p, &p->index, i, o), p->w.out, 2 * o * p->w.in, p->w.in);
        }
        for (int64_t r = 2 * p->h.out; r < p->h.in; r++)
            memset(row_at(p, &p->large, i, r), 0, bytes);
    }
}

static bool run_backward(pool *p)
{
    set_sizes(p);
    if (p->index.of && by_2x2(p))
        fa__parallel_for(p->count, 1 + 32768 / (p->h.in * p->w.in), some_planes_2x2, p);
    else if (p->count && p->h.in && p->w.in)
        fa__parallel_for(p->count, 1 + 16384 / (p->h.in * p->w.in), some_planes, p);
    return !atomic_load(&p->failed);
}

/* ---- kernels ---- */

static bool largest(const fa__launch *l, bool places)
{
    const max_pool2d_args *a = l->args;
    pool p = {.small = planes_of(&l->operand[0]), .large = planes_of(&l->operand[1 + places])};
    p.h = windows_of(a->kernel, a->stride, a->padding, a->dilation, 0);
    p.w = windows_of(a->kernel, a->stride, a->padding, a->dilation, 1);
    if (places)
        p.index = planes_of(&l->operand[1]);
    return run_forward(&p);
}

KERNEL(max_pool2d)
{
    return largest(l, false);
}

KERNEL(max_pool2d_with_indices)
{
    return largest(l, true);
}

KERNEL(adaptive_max_pool2d_with_indices)
{
    pool p = {.small = planes_of(&l->operand[0]),
              .index = planes_of(&l->operand[1]),
              .large = planes_of(&l->operand[2]),
              .h.adaptive = true,
              .w.adaptive = true};
    return run_forward(&p);
}

/* Indices say where to; the windows that they come from, whether rows can be written as a whole. */
KERNEL(max_pool2d_back)
{
    const max_pool2d_back_args *a = l->args;
    const bool adaptive = fa_pair_at(a->kernel, 0) == 0;
    pool p = {.large = planes_of(&l->operand[0]),
              .small = planes_of(&l->operand[1]),
              .index = planes_of(&l->operand[2]),
              .h.adaptive = true,
              .w.adaptive = true};
    if (!adaptive) {
        p.h = windows_of(a->kernel, a->stride, a->padding, a->dilation, 0);
        p.w = windows_of(a->kernel, a->stride, a->padding, a->dilation, 1);
    }
    return run_backward(&p);
}

KERNEL(avg_pool2d)
{
    const avg_pool2d_args *a = l->args;
    pool p = {.small = planes_of(&l->operand[0]),
              .large = planes_of(&l->operand[1]),
              .mean = true,
              .pad = a->count_include_pad,
              .divisor = a->divisor_override};
    p.h = windows_of(a->kernel, a->stride, a->padding, 1, 0);
    p.w = windows_of(a->kernel, a->stride, a->padding, 1, 1);
    return run_forward(&p);
}

KERNEL(avg_pool2d_back)
{
    const avg_pool2d_back_args *a = l->args;
    pool p = {.large = planes_of(&l->operand[0]),
              .small = planes_of(&l->operand[1]),
              .mean = true,
              .pad = a->count_include_pad,
              .divisor = a->divisor_override};
    p.h = windows_of(a->kernel, a->stride, a->padding, 1, 0);
    p.w = windows_of(a->kernel, a->stride, a->padding, 1, 1);
    return run_backward(&p);
}

KERNEL(adaptive_mean)
{
    pool p = {.small = planes_of(&l->operand[0]),
              .large = planes_of(&l->operand[1]),
              .mean = true,
              .h.adaptive = true,
              .w.adaptive = true};
    return run_forward(&p);
}

KERNEL(adaptive_mean_back)
{
    pool p = {.large = planes_of(&l->operand[0]),
              .small = planes_of(&l->operand[1]),
              .mean = true,
              .h.adaptive = true,
              .w.adaptive = true};
    return run_backward(&p);
}
