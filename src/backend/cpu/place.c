/* Kernels that fetch and place elements by indices and masks: indices are checked, and what is wrong is a fault. */
#include "backend/cpu/indexed.h"
#include "backend/cpu/rows.h"
#include "backend/cpu/scratch.h"
#include <string.h>

static int64_t size_along(const fa__operand *x, int dim)
{
    return x->rank ? x->shape[dim] : 1;
}

/* ---- the check ---- */

static bool check_all(const fa__launch *l, const fa__operand *index, int dim, int64_t size)
{
    return fa__cpu_check_index(l, index, dim, 0, size);
}

/* What the operation's expression then does with them is not done behind a fault. */
KERNEL(index_at)
{
    const index_at_args *a = l->args;
    return fa__cpu_check_index(l, &l->operand[1], (int)a->dim, -a->size, a->size);
}

/* ---- by an index along a dimension ---- */

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

static void fetch_along(const fa__operand *x, const fa__operand *y, const fa__operand *list, int dim)
{
    const fa__operand chosen = fa__as_line(x), moved = fa__as_line(y), index = spread(list, &moved, dim);
    fa__cpu_fetch(&(fa__by_index){&chosen, &moved, &index, dim});
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
    fetch_along(x, y, list, dim);
    return true;
}

KERNEL(embedding_rows)
{
    const fa__operand *y = &l->operand[0], *list = &l->operand[1], *x = &l->operand[2];
    if (!check_all(l, list, 0, x->shape[0]))
        return false;
    if (fa__cpu_fetch_rows(y, x, list))
        return true;
    fetch_along(x, y, list, 0);
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
    fa__cpu_fetch(&(fa__by_index){&x, &y, &index, dim});
    return true;
}

KERNEL(index_sum)
{
    const index_sum_args *a = l->args;
    const fa__operand *y = &l->operand[0], *x = &l->operand[1], *list = &l->operand[2];
    int dim = fa__cpu_dim(x, a->dim);
    if (!check_all(l, list, dim, a->size))
        return false;
    fa__cpu_clear(y);
    const fa__operand chosen = fa__as_line(y), moved = fa__as_line(x), index = spread(list, &moved, dim);
    fa__cpu_place_into(&(fa__by_index){&chosen, &moved, &index, dim}, FA__INDEXED_ADD);
    return true;
}

/* The part of src that the index covers */
static fa__operand part_like(const fa__operand *src, const fa__operand *index)
{
    fa__operand part = *src;
    memcpy(part.shape, index->shape, sizeof part.shape);
    return part;
}

/* The operands of scatter_add and its like: y, x, index, src. */
static bool scatter(const fa__launch *l, int64_t along, int how)
{
    const fa__operand y = fa__as_line(&l->operand[0]), x = fa__as_line(&l->operand[1]);
    const fa__operand index = fa__as_line(&l->operand[2]), src = fa__as_line(&l->operand[3]);
    int dim = fa__cpu_dim(&x, along);
    if (!check_all(l, &index, dim, size_along(&x, dim)))
        return false;
    if (y.data != x.data)
        fa__cpu_copy(&y, &x);
    const fa__operand moved = part_like(&src, &index);
    fa__cpu_place_into(&(fa__by_index){&y, &moved, &index, dim}, how);
    return true;
}

KERNEL(scatter_add)
{
    return scatter(l, ((const scatter_add_args *)l->args)->dim, FA__INDEXED_ADD);
}

KERNEL(scatter_set)
{
    return scatter(l, ((const scatter_set_args *)l->args)->dim, FA__INDEXED_SET);
}

KERNEL(scatter_by)
{
    const scatter_by_args *a = l->args;
    return scatter(l, a->dim, (int)a->how);
}

/* ---- by an index over the first dimensions ---- */

/* The number of positions of the first `lead` dimensions */
static int64_t positions(const fa__operand *x, int lead)
{
    int64_t count = 1;
    for (int i = 0; i < lead; i++)
        count *= x->shape[i];
    return count;
}

/* Whether the first dimensions can be stepped through as one, with the stride that is then their own. */
static bool lead_joins(const fa__operand *x, int lead, int64_t *stride)
{
    int64_t size = 1;
    *stride = 0;
    for (int d = lead; d-- > 0; size *= x->shape[d]) {
        if (x->shape[d] == 1)
            continue;
        if (size == 1)
            *stride = x->stride[d];
        else if (x->stride[d] != *stride * size)
            return false;
    }
    return true;
}

/* Where position i of the first dimensions is, counted in row-major order. */
static int64_t offset_of(const fa__operand *x, int lead, int64_t i)
{
    int64_t offset = 0;
    for (int d = lead - 1; d > 0; i /= x->shape[d--])
        offset += i % x->shape[d] * x->stride[d];
    return lead ? offset + i * x->stride[0] : 0;
}

/* x with its first dimensions as one; index then counts along it. */
typedef struct by_lead {
    fa__operand chosen, index;
} by_lead;

/* Dimensions that do not join become memory as a whole, in which the index says how far something is. */
static bool read_offsets(by_lead *b, const fa__operand *x, int lead, const fa__operand *index)
{
    int64_t low, high, n = index->shape[0], *at = fa__cpu_scratch((size_t)n * sizeof *at);
    if (!at)
        return false;
    fa__extent(lead, x->shape, x->stride, &low, &high);
    for (int64_t i = 0; i < n; i++)
        at[i] = offset_of(x, lead, fa__cpu_integer(index, i * index->stride[0])) - low;
    b->chosen.data = (char *)x->data + low * (int64_t)fa__dtype_size(x->dtype);
    b->chosen.shape[0] = high - low;
    b->chosen.stride[0] = 1;
    b->index.data = at;
    b->index.dtype = FA_I64;
    b->index.stride[0] = 1;
    return true;
}

static bool lead_as_one(by_lead *b, const fa__operand *x, int lead, const fa__operand *index)
{
    *b = (by_lead){*x, *index};
    b->chosen.rank = (uint8_t)(1 + x->rank - lead);
    for (int d = lead; d < x->rank; d++) {
        b->chosen.shape[1 + d - lead] = x->shape[d];
        b->chosen.stride[1 + d - lead] = x->stride[d];
    }
    b->chosen.shape[0] = positions(x, lead);
    return lead_joins(x, lead, &b->chosen.stride[0]) || !index->shape[0] || read_offsets(b, x, lead, index);
}

KERNEL(fetch_at)
{
    const fetch_at_args *a = l->args;
    const fa__operand *y = &l->operand[0], *x = &l->operand[1], *index = &l->operand[2];
    by_lead b;
    if (!check_all(l, index, 0, positions(x, (int)a->lead)) || !lead_as_one(&b, x, (int)a->lead, index))
        return false;
    const fa__operand each = spread(&b.index, y, 0);
    fa__cpu_fetch(&(fa__by_index){&b.chosen, y, &each, 0});
    return true;
}

/* Into y, which has x's elements. */
KERNEL(place_at)
{
    const place_at_args *a = l->args;
    const fa__operand *y = &l->operand[0], *index = &l->operand[2], *src = &l->operand[3];
    by_lead b;
    if (!check_all(l, index, 0, positions(y, (int)a->lead)) || !lead_as_one(&b, y, (int)a->lead, index))
        return false;
    const fa__operand each = spread(&b.index, src, 0);
    fa__cpu_place_into(&(fa__by_index){&b.chosen, src, &each, 0}, a->add ? FA__INDEXED_ADD : FA__INDEXED_SET);
    return true;
}

/* ---- masks ---- */

/* Sums go up by one at each element that is true: to the number before that goes the element's own number. */
KERNEL(true_places)
{
    const fa__operand *y = &l->operand[0], *sums = &l->operand[1];
    const int64_t *sum = sums->data, n = sums->shape[0], count = n ? sum[(n - 1) * sums->stride[0]] : 0;
    int64_t *to = y->data;
    for (int64_t i = 0, before = 0; before < count; i++) {
        to[before * y->stride[0]] = i; /* stays if this is a true element: no branch that cannot be foreseen */
        before = sum[i * sums->stride[0]];
    }
    return true;
}
