/* Kernels that look for the largest elements, and permutations. */
#include "backend/cpu/kernel.h"
#include "backend/cpu/scratch.h"
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

enum { TILE = 256 };

#define BEST(name, T, before, is_nan)                                                                                  \
    static int64_t name##_##T(const void *tile, int64_t n, void *top, int64_t first)                                   \
    {                                                                                                                  \
        const T *x = tile;                                                                                             \
        T *best = top;                                                                                                 \
        int64_t at = -1;                                                                                               \
        for (int64_t i = 0; i < n; i++) {                                                                              \
            bool better = first + i == 0 || x[i] before * best || ((is_nan(x[i])) && !(is_nan(*best)));                \
            if (better && (first + i == 0 || !(is_nan(*best)))) {                                                      \
                *best = x[i];                                                                                          \
                at = first + i;                                                                                        \
            }                                                                                                          \
        }                                                                                                              \
        return at;                                                                                                     \
    }
#define NAN_TEST(v) ((v) != (v))
#define NO_NAN(v) false
BEST(largest, float, >, NAN_TEST)
BEST(largest, double, >, NAN_TEST)
BEST(largest, int32_t, >, NO_NAN)
BEST(largest, int64_t, >, NO_NAN)
BEST(smallest, float, <, NAN_TEST)
BEST(smallest, double, <, NAN_TEST)
BEST(smallest, int32_t, <, NO_NAN)
BEST(smallest, int64_t, <, NO_NAN)

/* Where the largest, or else the smallest, of n elements is; the first of equal ones, the first NaN. */
static int64_t find_best(const fa__operand *x, bool largest, int64_t offset, int64_t stride, int64_t n)
{
    static int64_t (*const best[2][FA__CLASSES])(const void *, int64_t, void *, int64_t) = {
        {smallest_float, smallest_double, smallest_int32_t, smallest_int64_t},
        {largest_float, largest_double, largest_int32_t, largest_int64_t}};
    const fa__simd_class *k = fa__cpu_class(x->dtype);
    int class = k->dtype == FA_F32   ? FA__CLASS_F32
                : k->dtype == FA_F64 ? FA__CLASS_F64
                : k->dtype == FA_I32 ? FA__CLASS_I32
                                     : FA__CLASS_I64;
    _Alignas(64) char tile[TILE * 8];
    int64_t top = 0, found = 0;
    for (int64_t i = 0; i < n; i += TILE) {
        int64_t some = n - i < TILE ? n - i : TILE;
        k->load[x->dtype](tile, (const char *)x->data + (offset + i * stride) * (int64_t)size_of(x), stride, some);
        int64_t at = best[largest][class](tile, some, &top, i);
        found = at < 0 ? found : at;
    }
    return found;
}

typedef struct search {
    const fa__operand *x, *values, *indices;
    int dim;
    fa__cpu_walk walk;
    bool largest;
} search;

static void search_some(void *context, int64_t begin, int64_t end)
{
    const search *s = context;
    size_t size = size_of(s->x);
    for (int64_t i = begin; i < end; i++) {
        int64_t o[3], stride = stride_along(s->x, s->dim);
        fa__cpu_place(&s->walk, i, o);
        int64_t at = find_best(s->x, s->largest, o[0], stride, size_along(s->x, s->dim));
        ((int64_t *)s->indices->data)[o[2]] = at;
        if (s->values)
            memcpy((char *)s->values->data + o[1] * (int64_t)size,
                   (const char *)s->x->data + (o[0] + at * stride) * (int64_t)size, size);
    }
}

static bool run_search(const fa__operand *x, bool largest, const fa__operand *values, const fa__operand *indices,
                       int dim)
{
    fa__operand v = {0}, i = fa__cpu_with_dim(indices, x->rank, dim);
    if (values)
        v = fa__cpu_with_dim(values, x->rank, dim);
    search s = {.x = x, .values = values ? &v : NULL, .indices = &i, .dim = dim, .largest = largest};
    s.walk = fa__cpu_others(x->shape, x->rank, dim, x, s.values, s.indices);
    fa__parallel_for(s.walk.count, 1 + 16384 / (size_along(x, dim) + 1), search_some, &s);
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
KERNEL(randperm)
{
    const randperm_args *a = l->args;
    const fa__operand *y = &l->operand[0];
    const fa__simd_class *k = fa__cpu_simd->of[FA__CLASS_F64], *whole = fa__cpu_class(FA_I64);
    int64_t n = a->n, stride = y->stride[0], size = (int64_t)size_of(y);
    double draw[TILE];
    for (int64_t i = 0; i < n; i++)
        whole->store[y->dtype]((char *)y->data + i * stride * size, 1, &i, 1);
    for (int64_t i = 0; i < n; i++) {
        if (i % TILE == 0)
            k->uniform(draw, a->key, i, TILE);
        int64_t j = (int64_t)(draw[i % TILE] * (double)(i + 1));
        char *p = (char *)y->data + i * stride * size, *q = (char *)y->data + j * stride * size, keep[8];
        memcpy(keep, p, (size_t)size);
        memcpy(p, q, (size_t)size);
        memcpy(q, keep, (size_t)size);
    }
    return true;
}
