/* Cumulative maxima and minima with their places: one pass, over lines side by side. Lines along memory are turned over
 * in tiles on their way in and out. */
#include "backend/cpu/kernel.h"
#include "base/integer.h"
#include "base/parallel.h"

enum { LANES = 64, DOWN = 32, FEW = 4 };

typedef struct running {
    const fa__operand *x, *y, *at;
    const fa__simd_class *k;
    fa__running_loop *loop;
    fa__cpu_walk walk;
    int64_t n, step[3];  /* of a line: elements, and how far they are apart in x, y and at */
    int64_t apart[3];    /* the lines */
    bool own, direct[3]; /* lines side by side in memory are worked on there */
} running;

typedef struct tiles {
    _Alignas(64) char x[DOWN * LANES * 8], y[DOWN * LANES * 8];
    int64_t at[DOWN * LANES];
} tiles;

static void load(const running *s, char *tile, const char *from, int64_t lanes, int64_t count)
{
    const int64_t size = (int64_t)fa__dtype_size(s->x->dtype);
    if (s->own && s->step[0] == 1)
        s->k->transpose(tile, LANES, from, s->apart[0], count, lanes);
    else
        for (int64_t i = 0; i < count; i++)
            s->k->load[s->x->dtype](tile + i * LANES * s->k->size, from + i * s->step[0] * size, s->apart[0], lanes);
}

static void store(const running *s, char *to, const char *tile, int64_t lanes, int64_t count)
{
    const int64_t size = (int64_t)fa__dtype_size(s->y->dtype);
    if (s->own && s->step[1] == 1)
        s->k->transpose(to, s->apart[1], tile, LANES, lanes, count);
    else
        for (int64_t i = 0; i < count; i++)
            s->k->store[s->y->dtype](to + i * s->step[1] * size, s->apart[1], tile + i * LANES * s->k->size, lanes);
}

static void store_places(const running *s, int64_t *to, const int64_t *tile, int64_t lanes, int64_t count)
{
    const fa__simd_class *k = fa__cpu_simd->of[FA__CLASS_I64];
    if (s->step[2] == 1)
        k->transpose(to, s->apart[2], tile, LANES, lanes, count);
    else
        for (int64_t i = 0; i < count; i++)
            k->store[FA_I64](to + i * s->step[2], s->apart[2], tile + i * LANES, lanes);
}

/* The lines from offsets o on. */
static void some_lanes(const running *s, const int64_t o[3], int64_t lanes)
{
    const int64_t size = (int64_t)fa__dtype_size(s->x->dtype);
    const char *x = (const char *)s->x->data + o[0] * size;
    char *y = (char *)s->y->data + o[1] * size;
    int64_t *at = (int64_t *)s->at->data + o[2], found[FA__BEST_LANES] = {0};
    _Alignas(64) char top[FA__BEST_LANES * 8];
    tiles t;
    const bool all = s->direct[0] && s->direct[1] && s->direct[2];
    for (int64_t i = 0, count; i < s->n; i += count) {
        count = fa__min(s->n - i, all ? s->n : DOWN);
        const char *from = x + i * s->step[0] * size;
        char *to = y + i * s->step[1] * size;
        int64_t *places = at + i * s->step[2];
        const fa__running r = {.x = s->direct[0] ? from : t.x,
                               .y = s->direct[1] ? to : t.y,
                               .at = s->direct[2] ? places : t.at,
                               .x_pace = s->direct[0] ? s->step[0] : LANES,
                               .y_pace = s->direct[1] ? s->step[1] : LANES,
                               .at_pace = s->direct[2] ? s->step[2] : LANES};
        if (!s->direct[0])
            load(s, t.x, from, lanes, count);
        s->loop(&r, top, found, i, count, lanes);
        if (!s->direct[1])
            store(s, to, t.y, lanes, count);
        if (!s->direct[2])
            store_places(s, places, t.at, lanes, count);
    }
}

static void some_lines(void *context, int64_t begin, int64_t end)
{
    const running *s = context;
    const int64_t row = s->walk.rank ? s->walk.shape[s->walk.rank - 1] : 1;
    const bool alone = s->own && row < FEW;
    for (int64_t i = begin, lanes; i < end; i += lanes) {
        int64_t o[3];
        lanes = fa__cpu_tile(i, end, row, alone ? 1 : LANES);
        fa__cpu_place(&s->walk, i, o);
        some_lanes(s, o, lanes);
    }
}

static bool run(const fa__launch *l, bool largest)
{
    const running_args *a = l->args;
    const fa__operand *y = &l->operand[0], *at = &l->operand[1], *x = &l->operand[2], *of[3] = {x, y, at};
    const int dim = fa__cpu_dim(x, a->dim);
    running s = {.x = x, .y = y, .at = at, .k = fa__cpu_class(x->dtype), .n = x->rank ? x->shape[dim] : 1};
    s.loop = s.k->running[largest];
    s.own = s.k->dtype == x->dtype;
    s.walk = fa__cpu_joined(fa__cpu_others(x->shape, x->rank, dim, x, y, at));
    const int last = s.walk.rank - 1;
    const bool alone = s.own && (last < 0 || s.walk.shape[last] < FEW);
    for (int k = 0; k < 3; k++) {
        s.step[k] = x->rank ? of[k]->stride[dim] : 0;
        s.apart[k] = last < 0 ? 0 : s.walk.stride[k][last];
        s.direct[k] = alone || (s.apart[k] == 1 && (s.own || k == 2));
    }
    if (s.n)
        fa__parallel_for(s.walk.count, 1 + 16384 / s.n, some_lines, &s);
    return true;
}

KERNEL(cummax)
{
    return run(l, true);
}

KERNEL(cummin)
{
    return run(l, false);
}
