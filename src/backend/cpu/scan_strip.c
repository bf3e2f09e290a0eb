/* Strips of scans: the lanes of a strip are worked on together, by the class's loops, element by element. A lane is one
 * run of one line. Lanes of a strip lie beside each other: they are runs of a line, or lines. */
#include "backend/cpu/scan_strip.h"
#include <string.h>

/* One number of each lane's state. */
typedef struct part {
    _Alignas(64) char at[FA__SCAN_STRIP * 8];
} part;
typedef struct state {
    part p[2];
} state;

/* ---- states ---- */

static void fill_ones(const fa__simd_class *k, part *to, int64_t n)
{
    const double wide = 1;
    const float narrow = 1;
    k->fill(to, k->dtype == FA_F64 ? (const void *)&wide : &narrow, n);
}

/* factor = exp(a - m), and 1 where they are equal, as infinities may be; times s. */
static void scaled(const fa__simd_class *k, part *to, const part *a, const part *s, const part *m, int64_t n)
{
    part same, factor, one;
    fill_ones(k, &one, n);
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
static void join(const fa__scan_level *l, state *to, const state *a, const state *b, int64_t n)
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
    const fa__scan_level *l;
    int64_t at[FA__SCAN_DIMS]; /* of its first lane */
    int64_t lanes, bare;       /* the first ones, in a line's first run: nothing stands before them */
} strip;

static int64_t offset(const strip *s, const fa__scan_side *e)
{
    int64_t o = 0;
    for (int d = 0; d < s->l->rank; d++)
        o += s->at[d] * e->stride[d];
    return o;
}

static void load(const strip *s, state *to, const fa__scan_side *e, int parts, int64_t i, int64_t n)
{
    for (int p = 0; p < parts; p++)
        s->l->k->load[e[p].dtype](&to->p[p], e[p].data + (offset(s, &e[p]) + i * e[p].step) * e[p].size,
                                  e[p].stride[s->l->rank - 1], n);
}

static void store(const strip *s, const fa__scan_side *e, const state *from, int parts, int64_t i, int64_t n)
{
    for (int p = 0; p < parts; p++)
        s->l->k->store[e[p].dtype](e[p].data + (offset(s, &e[p]) + i * e[p].step) * e[p].size,
                                   e[p].stride[s->l->rank - 1], &from->p[p], n);
}

/* Element i of each lane as a state. */
static void load_elements(const strip *s, state *to, int64_t i, int64_t n)
{
    const fa__scan_level *l = s->l;
    bool alone = l->first && l->kind == FA__SCAN_LOG_SUM;
    load(s, to, l->in, alone ? 1 : l->parts, i, n);
    if (alone)
        fill_ones(l->k, &to->p[1], n);
}

/* What the program sees of a state. */
static void store_results(const strip *s, state *from, int64_t i, int64_t n)
{
    const fa__scan_level *l = s->l;
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
    const fa__scan_level *l = s->l;
    int64_t last = l->rank - 1 == l->run_dim ? s->at[l->run_dim] + s->lanes - 1 : s->at[l->run_dim];
    if (last < l->runs - 1 || (l->runs - 1) * FA__SCAN_RUN + i < l->length)
        return s->lanes;
    return l->rank - 1 == l->run_dim ? s->lanes - 1 : 0;
}

/* The ends of the runs before each lane. A bare lane has none, and is not read. */
static void load_starts(strip *s, state *to)
{
    const fa__scan_level *l = s->l;
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
    const fa__scan_level *l = s->l;
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

void fa__scan_strips(void *context, int64_t begin, int64_t end)
{
    const fa__scan_level *l = context;
    for (int64_t u = begin; u < end; u++) {
        strip s = {.l = l};
        int last = l->rank - 1;
        int64_t per_row = (l->shape[last] + FA__SCAN_STRIP - 1) / FA__SCAN_STRIP, rest = u / per_row;
        s.at[last] = u % per_row * FA__SCAN_STRIP;
        s.lanes = l->shape[last] - s.at[last] < FA__SCAN_STRIP ? l->shape[last] - s.at[last] : FA__SCAN_STRIP;
        for (int d = last; d-- > 0; rest /= l->shape[d])
            s.at[d] = rest % l->shape[d];
        if (s.at[l->run_dim] == 0)
            s.bare = last == l->run_dim ? 1 : s.lanes;
        run_strip(&s);
    }
}
