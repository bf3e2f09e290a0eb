/* Kernels that look for, fetch and place elements: indices are checked, and what is wrong is a fault. */
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

/* ---- fetching and placing ---- */

static bool check_all(const fa__launch *l, const fa__operand *index, int dim, int64_t size)
{
    fa__cpu_walk w = fa__cpu_others(index->shape, index->rank, -1, index, NULL, NULL);
    for (int64_t i = 0; i < w.count; i++) {
        int64_t o[3];
        fa__cpu_place(&w, i, o);
        int64_t at = fa__cpu_integer(index, o[0]);
        if (at < 0 || at >= size)
            return fa__cpu_fault(l, FA_ERROR_INDEX, (fa__fault){.dim = dim, .value = at, .size = size, .position = i});
    }
    return true;
}

/* For each element of index, in row-major order: its place in `moved`, which is where it stands itself, and that in
 * `chosen`, which is the same but along dim, where it says. */
static void by_index(const fa__operand *chosen, const fa__operand *moved, const fa__operand *index, int dim,
                     void (*each)(const fa__operand *chosen, int64_t from, const fa__operand *moved, int64_t to))
{
    int last = index->rank - 1;
    int64_t pace = stride_along(chosen, dim), n = size_along(index, last);
    fa__operand still = *chosen;
    if (still.rank)
        still.stride[dim] = 0;
    fa__cpu_walk w = fa__cpu_others(index->shape, index->rank, last, &still, moved, index);
    for (int64_t i = 0; i < w.count; i++) {
        int64_t o[3];
        fa__cpu_place(&w, i, o);
        for (int64_t k = 0; k < n; k++) {
            int64_t at = fa__cpu_integer(index, o[2] + k * stride_along(index, last));
            each(chosen, o[0] + k * stride_along(&still, last) + at * pace, moved,
                 o[1] + k * stride_along(moved, last));
        }
    }
}

static void fetch(const fa__operand *x, int64_t from, const fa__operand *y, int64_t to)
{
    size_t size = size_of(x);
    memcpy((char *)y->data + to * (int64_t)size, (const char *)x->data + from * (int64_t)size, size);
}

/* In the class of the dtype: halves are added in f32 and rounded each time. */
static void add(const fa__operand *y, int64_t to, const fa__operand *x, int64_t from)
{
    const fa__simd_class *k = fa__cpu_class(x->dtype);
    int64_t size = (int64_t)size_of(y);
    _Alignas(8) char sum[8], term[8];
    k->load[y->dtype](sum, (char *)y->data + to * size, 1, 1);
    k->load[x->dtype](term, (const char *)x->data + from * size, 1, 1);
    k->prim[FA__PRIM_add](sum, sum, term, NULL, 1);
    k->store[y->dtype]((char *)y->data + to * size, 1, sum, 1);
}

/* A list of indices as one for each element of `like`: the same for all that stand at one place along dim. */
static fa__operand spread(const fa__operand *index, const fa__operand *like, int dim)
{
    fa__operand s = *like;
    s.data = index->data;
    s.dtype = index->dtype;
    for (int i = 0; i < s.rank; i++)
        s.stride[i] = i == dim && index->rank ? index->stride[0] : 0;
    return s;
}

KERNEL(index_select)
{
    const index_select_args *a = l->args;
    const fa__operand *y = &l->operand[0], *x = &l->operand[1], *list = &l->operand[2];
    int dim = fa__cpu_dim(x, a->dim);
    if (!check_all(l, list, dim, size_along(x, dim)))
        return false;
    fa__operand index = spread(list, y, dim);
    by_index(x, y, &index, dim, fetch);
    return true;
}

KERNEL(gather)
{
    const gather_args *a = l->args;
    const fa__operand *y = &l->operand[0], *x = &l->operand[1], *index = &l->operand[2];
    int dim = fa__cpu_dim(x, a->dim);
    if (!check_all(l, index, dim, size_along(x, dim)))
        return false;
    by_index(x, y, index, dim, fetch);
    return true;
}

static void clear(const fa__operand *y)
{
    fa__cpu_walk w = fa__cpu_others(y->shape, y->rank, -1, y, NULL, NULL);
    size_t size = size_of(y);
    for (int64_t i = 0; i < w.count; i++) {
        int64_t o[3];
        fa__cpu_place(&w, i, o);
        memset((char *)y->data + o[0] * (int64_t)size, 0, size);
    }
}

KERNEL(index_sum)
{
    const index_sum_args *a = l->args;
    const fa__operand *y = &l->operand[0], *x = &l->operand[1], *list = &l->operand[2];
    int dim = fa__cpu_dim(x, a->dim);
    if (!check_all(l, list, dim, a->size))
        return false;
    clear(y);
    fa__operand index = spread(list, x, dim);
    by_index(y, x, &index, dim, add);
    return true;
}

static void copy_all(const fa__operand *y, const fa__operand *x)
{
    fa__cpu_walk w = fa__cpu_others(x->shape, x->rank, -1, x, y, NULL);
    for (int64_t i = 0; i < w.count; i++) {
        int64_t o[3];
        fa__cpu_place(&w, i, o);
        fetch(x, o[0], y, o[1]);
    }
}

KERNEL(scatter_add)
{
    const scatter_add_args *a = l->args;
    const fa__operand *y = &l->operand[0], *x = &l->operand[1], *index = &l->operand[2], *src = &l->operand[3];
    int dim = fa__cpu_dim(x, a->dim);
    if (!check_all(l, index, dim, size_along(x, dim)))
        return false;
    if (y->data != x->data)
        copy_all(y, x);
    by_index(y, src, index, dim, add);
    return true;
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
