/* Kernels that fetch and place elements by indices and masks: indices are checked, and what is wrong is a fault. */
#include "backend/cpu/kernel.h"
#include "backend/cpu/rows.h"
#include "base/parallel.h"
#include <string.h>

static int64_t size_of(const fa__operand *x)
{
    return (int64_t)fa__dtype_size(x->dtype);
}

static int64_t size_along(const fa__operand *x, int dim)
{
    return x->rank ? x->shape[dim] : 1;
}

static int64_t stride_along(const fa__operand *x, int dim)
{
    return x->rank ? x->stride[dim] : 0;
}

/* ---- the check ---- */

/* Element by element, in logical order: the first that is wrong is told of. */
static bool check_from(const fa__launch *l, const fa__operand *index, int dim, int64_t low, int64_t size)
{
    int last = index->rank - 1;
    int64_t n = size_along(index, last), pace = stride_along(index, last);
    fa__cpu_walk w = fa__cpu_others(index->shape, index->rank, last, index, NULL, NULL);
    for (int64_t i = 0; i < w.count; i++) {
        int64_t o[3];
        fa__cpu_place(&w, i, o);
        for (int64_t k = 0; k < n; k++) {
            int64_t at = fa__cpu_integer(index, o[0] + k * pace);
            if (at < low || at >= size) {
                const fa__fault what = {.dim = dim, .value = at, .size = size, .position = i * n + k};
                return fa__cpu_fault(l, FA_ERROR_INDEX, what);
            }
        }
    }
    return true;
}

static bool check_all(const fa__launch *l, const fa__operand *index, int dim, int64_t size)
{
    return check_from(l, index, dim, 0, size);
}

/* What the operation's expression then does with them is not done behind a fault. */
KERNEL(index_at)
{
    const index_at_args *a = l->args;
    return check_from(l, &l->operand[1], (int)a->dim, -a->size, a->size);
}

/* ---- what is done with two elements ---- */

static void fetch(const fa__operand *y, int64_t to, const fa__operand *x, int64_t from)
{
    int64_t size = size_of(x);
    memcpy((char *)y->data + to * size, (const char *)x->data + from * size, (size_t)size);
}

/* In the class of the dtype; y may be wider than x. */
static void combine(const fa__operand *y, int64_t to, const fa__operand *x, int64_t from, int prim)
{
    const fa__simd_class *k = fa__cpu_class(x->dtype);
    char *at = (char *)y->data + to * size_of(y);
    _Alignas(8) char here[8], comes[8];
    k->load[y->dtype](here, at, 1, 1);
    k->load[x->dtype](comes, (const char *)x->data + from * size_of(x), 1, 1);
    k->prim[prim](here, here, comes, NULL, 1);
    k->store[y->dtype](at, 1, here, 1);
}

static void add(const fa__operand *y, int64_t to, const fa__operand *x, int64_t from)
{
    combine(y, to, x, from, FA__PRIM_add);
}

static void multiply(const fa__operand *y, int64_t to, const fa__operand *x, int64_t from)
{
    combine(y, to, x, from, FA__PRIM_mul);
}

static void raise(const fa__operand *y, int64_t to, const fa__operand *x, int64_t from)
{
    combine(y, to, x, from, FA__PRIM_maximum);
}

static void lower(const fa__operand *y, int64_t to, const fa__operand *x, int64_t from)
{
    combine(y, to, x, from, FA__PRIM_minimum);
}

typedef void way(const fa__operand *y, int64_t to, const fa__operand *x, int64_t from);

/* by fa__placing */
static way *const ways[] = {fetch, add, multiply, raise, lower};

static void copy_all(const fa__operand *y, const fa__operand *x)
{
    fa__cpu_walk w = fa__cpu_others(x->shape, x->rank, -1, x, y, NULL);
    for (int64_t i = 0; i < w.count; i++) {
        int64_t o[3];
        fa__cpu_place(&w, i, o);
        fetch(y, o[1], x, o[0]);
    }
}

static void clear(const fa__operand *y)
{
    fa__cpu_walk w = fa__cpu_others(y->shape, y->rank, -1, y, NULL, NULL);
    int64_t size = size_of(y);
    for (int64_t i = 0; i < w.count; i++) {
        int64_t o[3];
        fa__cpu_place(&w, i, o);
        memset((char *)y->data + o[0] * size, 0, (size_t)size);
    }
}

/* ---- by an index along a dimension ---- */

/* For each element of index, in row-major order: its place in `moved`, which is where it stands itself, and that in
 * `chosen`, which is the same but along dim, where it says. */
static void by_index(const fa__operand *chosen, const fa__operand *moved, const fa__operand *index, int dim, way *each,
                     bool to_chosen)
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
            int64_t there = o[0] + k * stride_along(&still, last) + at * pace;
            int64_t here = o[1] + k * stride_along(moved, last);
            if (to_chosen)
                each(chosen, there, moved, here);
            else
                each(moved, here, chosen, there);
        }
    }
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
    if (dim == 0 && fa__cpu_fetch_rows(y, x, list))
        return true;
    fa__operand index = spread(list, y, dim);
    by_index(x, y, &index, dim, fetch, false);
    return true;
}

KERNEL(embedding_rows)
{
    const fa__operand *y = &l->operand[0], *list = &l->operand[1], *x = &l->operand[2];
    if (!check_all(l, list, 0, x->shape[0]))
        return false;
    if (fa__cpu_fetch_rows(y, x, list))
        return true;
    fa__operand index = spread(list, y, 0);
    by_index(x, y, &index, 0, fetch, false);
    return true;
}

KERNEL(gather)
{
    const gather_args *a = l->args;
    const fa__operand y = fa__as_line(&l->operand[0]), x = fa__as_line(&l->operand[1]);
    const fa__operand index = fa__as_line(&l->operand[2]);
    int dim = fa__cpu_dim(&x, a->dim);
    if (!check_all(l, &index, dim, size_along(&x, dim)))
        return false;
    by_index(&x, &y, &index, dim, fetch, false);
    return true;
}

KERNEL(index_sum)
{
    const index_sum_args *a = l->args;
    const fa__operand *y = &l->operand[0], *x = &l->operand[1], *list = &l->operand[2];
    int dim = fa__cpu_dim(x, a->dim);
    if (!check_all(l, list, dim, a->size))
        return false;
    if (dim == 0 && fa__cpu_sum_rows(y, x, list))
        return true;
    clear(y);
    fa__operand index = spread(list, x, dim);
    by_index(y, x, &index, dim, add, true);
    return true;
}

/* The operands of scatter_add and its like: y, x, index, src. */
static bool scatter(const fa__launch *l, int64_t along, way *how)
{
    const fa__operand y = fa__as_line(&l->operand[0]), x = fa__as_line(&l->operand[1]);
    const fa__operand index = fa__as_line(&l->operand[2]), src = fa__as_line(&l->operand[3]);
    int dim = fa__cpu_dim(&x, along);
    if (!check_all(l, &index, dim, size_along(&x, dim)))
        return false;
    if (y.data != x.data)
        copy_all(&y, &x);
    by_index(&y, &src, &index, dim, how, true);
    return true;
}

KERNEL(scatter_add)
{
    return scatter(l, ((const scatter_add_args *)l->args)->dim, add);
}

KERNEL(scatter_set)
{
    return scatter(l, ((const scatter_set_args *)l->args)->dim, fetch);
}

KERNEL(scatter_by)
{
    const scatter_by_args *a = l->args;
    return scatter(l, a->dim, ways[a->how]);
}

/* ---- by an index over the first dimensions ---- */

static int64_t places(const fa__operand *x, int lead)
{
    int64_t count = 1;
    for (int i = 0; i < lead; i++)
        count *= x->shape[i];
    return count;
}

/* Where place i of the first dimensions is, counted in row-major order. */
static int64_t spot(const fa__operand *x, int lead, int64_t i)
{
    int64_t place = 0;
    for (int d = lead - 1; d > 0; i /= x->shape[d--])
        place += i % x->shape[d] * x->stride[d];
    return lead ? place + i * x->stride[0] : 0;
}

/* The slices of `chosen` behind its first `lead` dimensions, at the places that index says, and those of `moved` behind
 * its first, at those where index stands itself. */
typedef struct slices {
    const fa__operand *chosen, *moved, *index;
    int lead;
    bool rows;         /* slices are runs of memory in both */
    fa__cpu_walk walk; /* over one slice: chosen, moved */
} slices;

static slices slices_of(const fa__operand *chosen, int lead, const fa__operand *moved, const fa__operand *index)
{
    slices s = {.chosen = chosen, .moved = moved, .index = index, .lead = lead};
    s.walk.rank = chosen->rank - lead;
    s.walk.count = 1;
    for (int i = 0; i < s.walk.rank; i++) {
        s.walk.count *= s.walk.shape[i] = chosen->shape[lead + i];
        s.walk.stride[0][i] = chosen->stride[lead + i];
        s.walk.stride[1][i] = moved->stride[1 + i];
    }
    s.rows = fa__is_dense(s.walk.rank, s.walk.shape, s.walk.stride[0])
             && fa__is_dense(s.walk.rank, s.walk.shape, s.walk.stride[1]);
    return s;
}

static void fetch_some(void *context, int64_t begin, int64_t end)
{
    const slices *s = context;
    int64_t size = size_of(s->moved);
    for (int64_t i = begin; i < end; i++) {
        int64_t from = spot(s->chosen, s->lead, fa__cpu_integer(s->index, i * s->index->stride[0]));
        int64_t to = i * s->moved->stride[0], o[3];
        if (s->rows) {
            memcpy((char *)s->moved->data + to * size, (const char *)s->chosen->data + from * size,
                   (size_t)(s->walk.count * size));
            continue;
        }
        for (int64_t k = 0; k < s->walk.count; k++) {
            fa__cpu_place(&s->walk, k, o);
            fetch(s->moved, to + o[1], s->chosen, from + o[0]);
        }
    }
}

KERNEL(fetch_at)
{
    const fetch_at_args *a = l->args;
    const fa__operand *y = &l->operand[0], *x = &l->operand[1], *index = &l->operand[2];
    int lead = (int)a->lead;
    if (!check_all(l, index, 0, places(x, lead)))
        return false;
    slices s = slices_of(x, lead, y, index);
    if (s.walk.count)
        fa__parallel_for(index->shape[0], 1 + 16384 / s.walk.count, fetch_some, &s);
    return true;
}

/* Into y, which has x's elements. */
KERNEL(place_at)
{
    const place_at_args *a = l->args;
    const fa__operand *y = &l->operand[0], *index = &l->operand[2], *src = &l->operand[3];
    int lead = (int)a->lead;
    if (!check_all(l, index, 0, places(y, lead)))
        return false;
    slices s = slices_of(y, lead, src, index);
    for (int64_t i = 0; i < index->shape[0]; i++) {
        int64_t to = spot(y, lead, fa__cpu_integer(index, i * index->stride[0])), o[3];
        for (int64_t k = 0; k < s.walk.count; k++) {
            fa__cpu_place(&s.walk, k, o);
            (a->add ? add : fetch)(y, to + o[0], src, i * src->stride[0] + o[1]);
        }
    }
    return true;
}

/* ---- masks ---- */

/* Sums go up by one at each element that is true: to the number before that goes the element's own number. */
KERNEL(true_places)
{
    const fa__operand *y = &l->operand[0], *sums = &l->operand[1];
    const int64_t *sum = sums->data;
    int64_t *to = y->data, before = 0;
    for (int64_t i = 0; i < sums->shape[0]; i++) {
        int64_t now = sum[i * sums->stride[0]];
        if (now > before)
            to[before * y->stride[0]] = i;
        before = now;
    }
    return true;
}
