/* Scans along a dimension, in the order of backend/scan.h. A lane is one run of one line; lanes that lie beside each
 * other, runs of a line or lines, are worked on together, a strip of them at a time, by the class's loops. */
#include "backend/scan.h"
#include "backend/cpu/kernel.h"
#include "base/alloc.h"
#include "base/parallel.h"
#include <string.h>

enum { STRIP = 64, DIMS = FA_MAX_DIMS + 1 };

/* One number of each lane's state. */
typedef struct part {
    _Alignas(64) char at[STRIP * 8];
} part;
typedef struct state {
    part p[2];
} state;

/* Elements over lanes: in memory of the program, or of a level. */
typedef struct side {
    char *data;
    uint8_t dtype, size;
    int64_t step, stride[DIMS]; /* in elements: along a run; from lane to lane */
} side;

/* The lines of one length. The last dimension of the lanes is that of which strips are made. */
typedef struct level {
    const fa__simd_class *k;
    fa__scan_kind kind;
    int parts;             /* numbers of a state */
    bool first;            /* elements are operands, not states */
    bool write;            /* what the pass does: results, or else the ends of runs */
    int64_t lines, length; /* along the dimension */
    int64_t runs;          /* of a line */
    int rank, run_dim;     /* of the lanes; which of them counts runs */
    int64_t shape[DIMS], strips;
    side in[2], out[2], end[2]; /* end: of each run but the last; scanned, what stands before the next run */
} level;

/* ---- states ---- */

/* factor = exp(a - m), and 1 where they are equal, as infinities may be; times s. */
static void scaled(const fa__simd_class *k, part *to, const part *a, const part *s, const part *m, int64_t n)
{
    part same, factor, one;
    if (k->dtype == FA_F64)
        k->fill(&one, &(double){1}, n);
    else
        k->fill(&one, &(float){1}, n);
    k->prim[FA__PRIM_eq](&same, a, m, NULL, n);
    k->prim[FA__PRIM_sub](&factor, a, m, NULL, n);
    k->prim[FA__PRIM_exp](&factor, &factor, NULL, NULL, n);
    k->prim[FA__PRIM_select](&factor, &same, &one, &factor, n);
    k->prim[FA__PRIM_mul](to, s, &factor, NULL, n);
}

static void join_log_sums(const fa__simd_class *k, state *to, const state *a, const state *b, int64_t n)
{
    part m, left, right;
    k->prim[FA__PRIM_maximum](&m, &a->p[0], &b->p[0], NULL, n);
    scaled(k, &left, &a->p[0], &a->p[1], &m, n);
    scaled(k, &right, &b->p[0], &b->p[1], &m, n);
    k->prim[FA__PRIM_add](&to->p[1], &left, &right, NULL, n);
    to->p[0] = m;
}

static void join_linear(const fa__simd_class *k, state *to, const state *a, const state *b, int64_t n)
{
    part product;
    k->prim[FA__PRIM_mul](&product, &b->p[0], &a->p[1], NULL, n);
    k->prim[FA__PRIM_add](&to->p[1], &product, &b->p[1], NULL, n);
    k->prim[FA__PRIM_mul](&to->p[0], &a->p[0], &b->p[0], NULL, n);
}

/* to = a, then b; it may be a. */
static void join(const level *l, state *to, const state *a, const state *b, int64_t n)
{
    if (l->kind == FA__SCAN_LOG_SUM)
        join_log_sums(l->k, to, a, b, n);
    else if (l->kind == FA__SCAN_LINEAR)
        join_linear(l->k, to, a, b, n);
    else
        l->k->combine[l->kind](&to->p[0], &a->p[0], &b->p[0], NULL, n);
}

/* ---- strips of lanes ---- */

typedef struct strip {
    const level *l;
    int64_t at[DIMS];    /* of its first lane */
    int64_t lanes, bare; /* the first ones, in a line's first run: nothing stands before them */
} strip;

static int64_t offset(const strip *s, const side *e)
{
    int64_t o = 0;
    for (int d = 0; d < s->l->rank; d++)
        o += s->at[d] * e->stride[d];
    return o;
}

static void load(const strip *s, state *to, const side *e, int parts, int64_t i, int64_t n)
{
    for (int p = 0; p < parts; p++)
        s->l->k->load[e[p].dtype](&to->p[p], e[p].data + (offset(s, &e[p]) + i * e[p].step) * e[p].size,
                                  e[p].stride[s->l->rank - 1], n);
}

static void store(const strip *s, const side *e, const state *from, int parts, int64_t i, int64_t n)
{
    for (int p = 0; p < parts; p++)
        s->l->k->store[e[p].dtype](e[p].data + (offset(s, &e[p]) + i * e[p].step) * e[p].size,
                                   e[p].stride[s->l->rank - 1], &from->p[p], n);
}

/* Element i of each lane as a state. */
static void load_elements(const strip *s, state *to, int64_t i, int64_t n)
{
    const level *l = s->l;
    bool alone = l->first && l->kind == FA__SCAN_LOG_SUM;
    load(s, to, l->in, alone ? 1 : l->parts, i, n);
    if (alone && l->k->dtype == FA_F64)
        l->k->fill(&to->p[1], &(double){1}, n);
    else if (alone)
        l->k->fill(&to->p[1], &(float){1}, n);
}

/* What the program sees of a state. */
static void store_results(const strip *s, state *from, int64_t i, int64_t n)
{
    const level *l = s->l;
    if (!l->first) {
        store(s, l->out, from, l->parts, i, n);
        return;
    }
    if (l->kind == FA__SCAN_LOG_SUM) {
        l->k->prim[FA__PRIM_log](&from->p[1], &from->p[1], NULL, NULL, n);
        l->k->prim[FA__PRIM_add](&from->p[0], &from->p[0], &from->p[1], NULL, n);
    } else if (l->kind == FA__SCAN_LINEAR)
        from->p[0] = from->p[1];
    store(s, l->out, from, 1, i, n);
}

/* Behind the states that stand before the lanes: those of a bare lane have nothing before them. */
static void join_start(const strip *s, state *to, const state *start, const state *own, int64_t n)
{
    size_t size = s->l->k->size;
    *to = *own;
    if (n <= s->bare)
        return;
    if (!s->bare) {
        join(s->l, to, start, own, n);
        return;
    }
    state left = *start, right = *own;
    join(s->l, &left, &left, &right, n);
    for (int p = 0; p < s->l->parts; p++)
        memcpy(to->p[p].at + (size_t)s->bare * size, left.p[p].at + (size_t)s->bare * size,
               (size_t)(n - s->bare) * size);
}

/* Of the lanes those whose run has an element i: the last run may be short, and is the last lane then. */
static int64_t lanes_with(const strip *s, int64_t i)
{
    const level *l = s->l;
    int64_t last = l->rank - 1 == l->run_dim ? s->at[l->run_dim] + s->lanes - 1 : s->at[l->run_dim];
    if (last < l->runs - 1 || (l->runs - 1) * FA__SCAN_RUN + i < l->length)
        return s->lanes;
    return l->rank - 1 == l->run_dim ? s->lanes - 1 : 0;
}

/* The ends of the runs before each lane. A bare lane has none, and is not read. */
static void load_starts(strip *s, state *to)
{
    const level *l = s->l;
    int64_t lanes = s->lanes - s->bare, from = s->bare;
    state some;
    if (l->runs == 1 || lanes == 0)
        return;
    bool shifts = l->rank - 1 == l->run_dim && from;
    s->at[l->run_dim] -= shifts ? 0 : 1;
    load(s, &some, l->end, l->parts, 0, lanes);
    s->at[l->run_dim] += shifts ? 0 : 1;
    memset(to, 0, sizeof *to);
    for (int p = 0; p < l->parts; p++)
        memcpy(to->p[p].at + (size_t)from * l->k->size, &some.p[p], (size_t)lanes * l->k->size);
}

static void run_strip(strip *s)
{
    const level *l = s->l;
    state start, own, x, y;
    if (l->write)
        load_starts(s, &start);
    for (int64_t i = 0; i < FA__SCAN_RUN; i++) {
        int64_t n = lanes_with(s, i);
        if (n == 0)
            break;
        load_elements(s, i ? &x : &own, i, n);
        if (i)
            join(l, &own, &own, &x, n);
        if (!l->write)
            continue;
        join_start(s, &y, &start, &own, n);
        store_results(s, &y, i, n);
    }
    if (!l->write)
        store(s, l->end, &own, l->parts, 0, s->lanes);
}

static void some_strips(void *context, int64_t begin, int64_t end)
{
    const level *l = context;
    for (int64_t u = begin; u < end; u++) {
        strip s = {.l = l};
        int last = l->rank - 1;
        int64_t per_row = (l->shape[last] + STRIP - 1) / STRIP, rest = u / per_row;
        s.at[last] = u % per_row * STRIP;
        s.lanes = l->shape[last] - s.at[last] < STRIP ? l->shape[last] - s.at[last] : STRIP;
        for (int d = last; d-- > 0; rest /= l->shape[d])
            s.at[d] = rest % l->shape[d];
        if (s.at[l->run_dim] == 0)
            s.bare = last == l->run_dim ? 1 : s.lanes;
        run_strip(&s);
    }
}

/* ---- levels ---- */

/* A pass over all runs, or over all but the last ones. */
static void pass(level *l, bool write)
{
    int64_t runs = l->shape[l->run_dim];
    l->write = write;
    l->shape[l->run_dim] = write ? l->runs : l->runs - 1;
    l->strips = (l->shape[l->rank - 1] + STRIP - 1) / STRIP;
    for (int d = 0; d < l->rank - 1; d++)
        l->strips *= l->shape[d];
    fa__parallel_for(l->strips, 8, some_strips, l);
    l->shape[l->run_dim] = runs;
}

/* Lanes from the lines' dimensions, in which sides have their strides already. `across`: strips are made of lines. */
static void set_lanes(level *l, bool across)
{
    l->run_dim = across ? l->rank - 1 : l->rank;
    side *of[] = {&l->in[0], &l->in[1], &l->out[0], &l->out[1], &l->end[0], &l->end[1]};
    for (size_t k = 0; k < sizeof of / sizeof *of; k++) {
        of[k]->stride[l->rank] = across ? of[k]->stride[l->rank - 1] : 0;
        of[k]->stride[l->run_dim] = k < 4 ? FA__SCAN_RUN * of[k]->step : 1;
    }
    l->shape[l->rank] = across ? l->shape[l->rank - 1] : 0;
    l->shape[l->run_dim] = l->runs;
    l->rank++;
}

static void set_ends(level *l, char *memory)
{
    size_t size = l->k->size;
    for (int p = 0; p < l->parts; p++) {
        side *e = &l->end[p];
        *e = (side){.data = memory + (size_t)(p * l->lines * (l->runs - 1)) * size,
                    .dtype = l->k->dtype,
                    .size = (uint8_t)size};
        int64_t step = l->runs - 1;
        for (int d = l->rank - 1; d >= 0; step *= l->shape[d--])
            e->stride[d] = step;
    }
}

/* The lines that the ends of the runs make: they are results and elements. */
static level above(const level *l)
{
    level a = {.k = l->k, .kind = l->kind, .parts = l->parts, .lines = l->lines, .length = l->runs - 1, .rank = 1};
    a.shape[0] = l->lines;
    for (int p = 0; p < l->parts; p++) {
        a.in[p] = (side){.data = l->end[p].data, .dtype = l->k->dtype, .size = l->k->size, .step = 1};
        a.in[p].stride[0] = l->runs - 1;
        a.out[p] = a.in[p];
    }
    return a;
}

/* Whether strips of lines read memory better than strips of runs. */
static bool is_across(const level *l)
{
    if (l->rank == 0)
        return false;
    int64_t apart = l->in[0].stride[l->rank - 1], run = FA__SCAN_RUN * l->in[0].step;
    if (l->runs < STRIP / 4)
        return l->shape[l->rank - 1] > l->runs;
    return (apart < 0 ? -apart : apart) < (run < 0 ? -run : run);
}

/* `l` has lines, length, and the sides in and out over the lines. */
static bool scan(level *l)
{
    char *memory = NULL;
    bool good = true;
    l->runs = (l->length + FA__SCAN_RUN - 1) / FA__SCAN_RUN;
    if (l->runs > 1) {
        memory = fa__malloc((size_t)(l->lines * (l->runs - 1) * l->parts) * l->k->size);
        if (!memory)
            return false;
        set_ends(l, memory);
    }
    level a = above(l);
    set_lanes(l, is_across(l));
    if (l->runs > 1) {
        pass(l, false);
        good = scan(&a);
    }
    if (good)
        pass(l, true);
    fa__free(memory);
    return good;
}

static side side_of(const fa__operand *x, int dim)
{
    side s = {.data = x->data, .dtype = x->dtype, .size = (uint8_t)fa__dtype_size(x->dtype)};
    int n = 0;
    for (int d = 0; d < x->rank; d++)
        if (d != dim)
            s.stride[n++] = x->stride[d];
    s.step = x->rank ? x->stride[dim] : 0;
    return s;
}

/* Operands: y, x, and b for a linear scan, of which x is a. */
static bool run(const fa__launch *l, int64_t dim, fa__scan_kind kind)
{
    const fa__operand *y = &l->operand[0], *x = &l->operand[1];
    int d = fa__cpu_dim(x, dim);
    level first = {.k = fa__cpu_class(y->dtype),
                   .kind = kind,
                   .parts = kind >= FA__SCAN_LOG_SUM ? 2 : 1,
                   .first = true,
                   .lines = 1,
                   .length = x->rank ? x->shape[d] : 1};
    for (int i = 0; i < x->rank; i++)
        if (i != d) {
            first.shape[first.rank++] = x->shape[i];
            first.lines *= x->shape[i];
        }
    first.in[0] = side_of(x, d);
    first.out[0] = side_of(y, d);
    if (kind == FA__SCAN_LINEAR)
        first.in[1] = side_of(&l->operand[2], d);
    return first.lines == 0 || first.length == 0 || scan(&first);
}

KERNEL(cumsum)
{
    return run(l, ((const cumulative_args *)l->args)->dim, FA__SCAN_SUM);
}

KERNEL(cumprod)
{
    return run(l, ((const cumulative_args *)l->args)->dim, FA__SCAN_PROD);
}

KERNEL(running_max)
{
    return run(l, ((const running_args *)l->args)->dim, FA__SCAN_MAX);
}

KERNEL(running_min)
{
    return run(l, ((const running_args *)l->args)->dim, FA__SCAN_MIN);
}

KERNEL(logcumsumexp)
{
    return run(l, ((const running_args *)l->args)->dim, FA__SCAN_LOG_SUM);
}

KERNEL(linear_scan)
{
    return run(l, ((const linear_scan_args *)l->args)->dim, FA__SCAN_LINEAR);
}
