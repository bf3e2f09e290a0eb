/* Kernels that look for the largest elements, and permutations. */
#include "backend/cpu/kernel.h"
#include "backend/cpu/scratch.h"
#include "base/alloc.h"
#include "base/parallel.h"
#include <string.h>

static size_t size_of(const fa__operand *x)
{
    return fa__dtype_size(x->dtype);
}

static int64_t size_along(const fa__operand *x, int dim)
{
    return x->rank ? x->shape[dim] : 1;
}

static int64_t stride_along(const fa__operand *x, int dim)
{
    return x->rank ? x->stride[dim] : 0;
}

/* ---- max, min and where they are ---- */

enum { TILE = 256, ROW_TILE = 4096, LANES = 64, DOWN = 32 };

/* Whether a class computes in the operand's dtype: its loops then read the operand's memory. */
static bool is_own(const fa__simd_class *k, const fa__operand *x)
{
    return k->dtype == x->dtype;
}

/* Where the largest, or else the smallest, of n elements is; the first of equal ones, the first NaN. */
static int64_t find_best(const fa__operand *x, bool largest, int64_t offset, int64_t stride, int64_t n)
{
    const fa__simd_class *k = fa__cpu_class(x->dtype);
    const char *from = (const char *)x->data + offset * (int64_t)size_of(x);
    if (stride == 1 && is_own(k, x))
        return k->best_place[largest](from, n);
    _Alignas(64) char tile[ROW_TILE * 8], pair[2 * 8];
    int64_t found = 0;
    for (int64_t i = 0; i < n; i += ROW_TILE) {
        int64_t some = n - i < ROW_TILE ? n - i : ROW_TILE;
        k->load[x->dtype](tile, from + i * stride * (int64_t)size_of(x), stride, some);
        int64_t at = k->best_place[largest](tile, some);
        memcpy(pair + (i ? k->size : 0), tile + at * k->size, k->size);
        if (i == 0 || k->best_place[largest](pair, 2) == 1) {
            memcpy(pair, tile + at * k->size, k->size);
            found = i + at;
        }
    }
    return found;
}

typedef struct search {
    const fa__operand *x, *values, *indices;
    int64_t n, step; /* elements of a line, and how far they are apart */
    fa__cpu_walk walk;
    bool largest;
} search;

static void search_lines(void *context, int64_t begin, int64_t end)
{
    const search *s = context;
    size_t size = size_of(s->x);
    for (int64_t i = begin; i < end; i++) {
        int64_t o[3];
        fa__cpu_place(&s->walk, i, o);
        int64_t at = find_best(s->x, s->largest, o[0], s->step, s->n);
        ((int64_t *)s->indices->data)[o[2]] = at;
        if (s->values)
            memcpy((char *)s->values->data + o[1] * (int64_t)size,
                   (const char *)s->x->data + (o[0] + at * s->step) * (int64_t)size, size);
    }
}

/* ---- lines side by side ---- */

/* The elements of up to DOWN lines of lanes, in `tile`, LANES apart. */
static void load_lanes(const search *s, const fa__simd_class *k, char *tile, const char *from, int64_t lanes,
                       int64_t count)
{
    int64_t apart = s->walk.stride[0][s->walk.rank - 1], size = (int64_t)size_of(s->x);
    if (s->step == 1 && is_own(k, s->x)) {
        k->transpose(tile, LANES, from, apart, count, lanes);
        return;
    }
    for (int64_t i = 0; i < count; i++)
        k->load[s->x->dtype](tile + i * LANES * k->size, from + i * s->step * size, apart, lanes);
}

/* The lines from offsets o on. */
static void search_lanes(const search *s, const fa__simd_class *k, const int64_t o[3], int64_t lanes)
{
    const int last = s->walk.rank - 1;
    const int64_t size = (int64_t)size_of(s->x), *stride[3] = {s->walk.stride[0], s->walk.stride[1], s->walk.stride[2]};
    const bool in_place = stride[0][last] == 1 && is_own(k, s->x);
    _Alignas(64) char top[FA__BEST_LANES * 8], tile[DOWN * LANES * 8];
    const char *x = (const char *)s->x->data + o[0] * size;
    int64_t at[FA__BEST_LANES] = {0};
    for (int64_t i = 0, count; i < s->n; i += count) {
        count = s->n - i < (in_place ? ROW_TILE : DOWN) ? s->n - i : in_place ? ROW_TILE : DOWN;
        if (!in_place)
            load_lanes(s, k, tile, x + i * s->step * size, lanes, count);
        k->best[s->largest](top, at, in_place ? x + i * s->step * size : tile, in_place ? s->step : LANES, i, count,
                            lanes);
    }
    for (int64_t l = 0; l < lanes; l++)
        ((int64_t *)s->indices->data)[o[2] + l * stride[2][last]] = at[l];
    if (!s->values)
        return;
    char *values = (char *)s->values->data + o[1] * size;
    if (is_own(k, s->x))
        k->store[s->x->dtype](values, stride[1][last], top, lanes);
    else
        for (int64_t l = 0; l < lanes; l++)
            memcpy(values + l * stride[1][last] * size, x + (l * stride[0][last] + at[l] * s->step) * size,
                   (size_t)size);
}

static void search_side_by_side(void *context, int64_t begin, int64_t end)
{
    const search *s = context;
    const fa__simd_class *k = fa__cpu_class(s->x->dtype);
    const int last = s->walk.rank - 1;
    const int64_t most = s->walk.stride[0][last] == 1 && is_own(k, s->x) ? FA__BEST_LANES : LANES;
    for (int64_t i = begin, lanes; i < end; i += lanes) {
        int64_t o[3];
        lanes = fa__cpu_tile(i, end, s->walk.shape[last], most);
        fa__cpu_place(&s->walk, i, o);
        search_lanes(s, k, o, lanes);
    }
}

static bool run_search(const fa__operand *x, bool largest, const fa__operand *values, const fa__operand *indices,
                       int dim)
{
    fa__operand v = {0}, i = fa__cpu_with_dim(indices, x->rank, dim);
    if (values)
        v = fa__cpu_with_dim(values, x->rank, dim);
    search s = {.x = x,
                .values = values ? &v : NULL,
                .indices = &i,
                .n = size_along(x, dim),
                .step = stride_along(x, dim),
                .largest = largest};
    s.walk = fa__cpu_joined(fa__cpu_others(x->shape, x->rank, dim, x, s.values, s.indices));
    bool is_row = s.step == 1 && is_own(fa__cpu_class(x->dtype), x) && s.n >= TILE;
    bool alone = is_row || s.walk.rank == 0 || s.walk.shape[s.walk.rank - 1] < 4;
    fa__parallel_for(s.walk.count, 1 + 16384 / (s.n + 1), alone ? search_lines : search_side_by_side, &s);
    return true;
}

static bool search_along(const fa__launch *l, bool largest)
{
    const max_args *a = l->args;
    const fa__operand *x = &l->operand[2];
    return run_search(x, largest, &l->operand[0], &l->operand[1], fa__cpu_dim(x, a->dim));
}

KERNEL(max)
{
    return search_along(l, true);
}

KERNEL(min)
{
    return search_along(l, false);
}

/* Among all elements: the best of each run along the last dimension, in logical order. */
static bool search_all(const fa__launch *l, const fa__operand *x, bool largest)
{
    int last = x->rank - 1;
    int64_t n = size_along(x, last), best_at = 0;
    if (fa__is_dense(x->rank, x->shape, x->stride)) {
        fa__cpu_walk all = fa__cpu_others(x->shape, x->rank, -1, x, NULL, NULL);
        *(int64_t *)l->operand[0].data = find_best(x, largest, 0, 1, all.count);
        return true;
    }
    fa__cpu_walk w = fa__cpu_others(x->shape, x->rank, last, x, NULL, NULL);
    int64_t best = 0;
    for (int64_t i = 0; i < w.count; i++) {
        int64_t o[3];
        fa__cpu_place(&w, i, o);
        int64_t at = find_best(x, largest, o[0], stride_along(x, last), n), here = o[0] + at * stride_along(x, last);
        /* two elements some distance apart are a run of two */
        if (i == 0 || find_best(x, largest, best, here - best, 2) == 1) {
            best = here;
            best_at = i * n + at;
        }
    }
    *(int64_t *)l->operand[0].data = best_at;
    return true;
}

static bool search_place(const fa__launch *l, bool largest)
{
    const argmax_args *a = l->args;
    const fa__operand *x = &l->operand[1];
    if (a->dim == FA_ALL || !x->rank)
        return search_all(l, x, largest);
    int64_t dim = fa__dims_named(a->dim) ? __builtin_ctzll((uint64_t)a->dim) - 8 : a->dim;
    return run_search(x, largest, NULL, &l->operand[0], fa__cpu_dim(x, dim));
}

KERNEL(argmax)
{
    return search_place(l, true);
}

KERNEL(argmin)
{
    return search_place(l, false);
}

/* ---- permutations ---- */

/* Fisher and Yates: place i changes with one of those up to it, by draw i. */
static void shuffle(int64_t *y, int64_t n, fa__key key)
{
    const fa__simd_class *k = fa__cpu_simd->of[FA__CLASS_F64];
    double draw[TILE];
    for (int64_t i = 0; i < n; i++) {
        if (i % TILE == 0)
            k->uniform(draw, key, i, TILE);
        int64_t j = (int64_t)(draw[i % TILE] * (double)(i + 1));
        y[i] = i;
        y[i] = y[j];
        y[j] = i;
    }
}

/* Numbers are exchanged as i64, in the result's own memory where that is what it holds. */
KERNEL(randperm)
{
    const randperm_args *a = l->args;
    const fa__operand *y = &l->operand[0];
    bool own = y->dtype == FA_I64 && y->stride[0] == 1;
    int64_t *order = own ? y->data : fa__malloc((size_t)a->n * sizeof *order);
    if (!order && a->n)
        return false;
    shuffle(order, a->n, a->key);
    if (!own) {
        fa__cpu_class(FA_I64)->store[y->dtype](y->data, y->stride[0], order, a->n);
        fa__free(order);
    }
    return true;
}
