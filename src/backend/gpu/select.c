/* Kernels that fetch and place elements by indices and masks, and permutations. Indices are checked in a launch of its
 * own, which comes first: what follows writes nothing when one was wrong. */
#include "backend/gpu/dialect/arguments.h"
#include "backend/gpu/gpu.h"
#include "base/error.h"
#include <string.h>

_Static_assert(MOST_DIMS == FA_MAX_DIMS, "arguments.h");

static int64_t size_along(const fa__operand *x, int dim)
{
    return x->rank ? x->shape[dim] : 1;
}

static int64_t stride_along(const fa__operand *x, int dim)
{
    return x->rank ? x->stride[dim] : 0;
}

static int64_t count_of(const fa__operand *x)
{
    int64_t count = 1;
    for (int i = 0; i < x->rank; i++)
        count *= x->shape[i];
    return count;
}

/* ---- the check ---- */

enum { CHECKED = 2048 }; /* elements that a group looks at */

/* Many indices are looked at by many groups, and what they found by one. */
static uint64_t check_from(fa__gpu_issue *issue, const fa__operand *index, int dim, int64_t low, int64_t size)
{
    const fa__gpu_kernel *kernel = fa__gpu_fixed(issue, FA__GPU_CHECK_INDEX, 0, FA__CLASS_I32);
    check_arguments p = {.count = count_of(index),
                         .each = CHECKED,
                         .low = low,
                         .size = size,
                         .rank = index->rank,
                         .dtype = index->dtype,
                         .dim = dim};
    int64_t groups = (p.count + CHECKED - 1) / CHECKED;
    void *found = NULL;
    if (!kernel)
        return 0;
    memcpy(p.shape, index->shape, sizeof p.shape);
    memcpy(p.stride, index->stride, sizeof p.stride);
    if (groups > 1) {
        found = fa__gpu_scratch(issue, (size_t)groups * sizeof(int64_t));
        if (!found || !FA__GPU_LAUNCH(issue, kernel, groups * kernel->group[0], p, index->data, found))
            return 0;
        p.count = p.each = groups;
        p.again = 1;
    }
    return FA__GPU_LAUNCH(issue, kernel, 1, p, index->data, found);
}

KERNEL(check_zeros)
{
    const check_zeros_args *a = l->args;
    fa__operand x = l->operand[1];
    if (fa__dtype_is_float(x.dtype))
        x.rank = 1, x.shape[0] = 0;
    return check_from(issue, &x, (int)a->what, 0, CHECK_ZEROS);
}

static uint64_t check_all(fa__gpu_issue *issue, const fa__operand *index, int dim, int64_t size)
{
    return check_from(issue, index, dim, 0, size);
}

/* What the operation's expression then does with them is not done behind a fault. */
KERNEL(index_at)
{
    const index_at_args *a = l->args;
    return check_from(issue, &l->operand[1], (int)a->dim, -a->size, a->size);
}

/* ---- fetching ---- */

static bool joins(const fetch_arguments *p, int d)
{
    int64_t n = p->shape[d + 1];
    return p->to[d] == p->to[d + 1] * n && p->from[d] == p->from[d + 1] * n && p->index[d] == p->index[d + 1] * n;
}

static void copy_dim(fetch_arguments *p, int to, int from)
{
    p->shape[to] = p->shape[from];
    p->to[to] = p->to[from];
    p->from[to] = p->from[from];
    p->index[to] = p->index[from];
}

/* Leaves out dimensions of size 1, and makes one of neighbours that all step through as one. */
static void join_dims(fetch_arguments *p)
{
    int rank = 0;
    for (int d = 0; d < p->rank; d++)
        if (p->shape[d] != 1)
            copy_dim(p, rank++, d);
    for (int d = rank - 2; d >= 0; d--)
        if (joins(p, d)) {
            int64_t size = p->shape[d];
            rank--;
            for (int e = d; e < rank; e++)
                copy_dim(p, e, e + 1);
            p->shape[d] *= size;
        }
    p->rank = rank;
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

/* y from x, by an index of y's shape over `lead` dimensions of x from `dim` on. For the others x has y's shape. */
static uint64_t fetch(fa__gpu_issue *issue, const fa__operand *y, const fa__operand *from, const fa__operand *index,
                      const fa__operand *x, int dim, int lead)
{
    const fa__gpu_kernel *kernel = fa__gpu_fixed(issue, FA__GPU_FETCH, 0, FA__CLASS_I32);
    fetch_arguments p = {.count = count_of(y),
                         .rank = y->rank,
                         .lead = lead,
                         .bytes = (int32_t)fa__dtype_size(x->dtype),
                         .index_dtype = index->dtype};
    if (!kernel)
        return 0;
    for (int i = 0; i < y->rank; i++) {
        p.shape[i] = y->shape[i];
        p.to[i] = y->stride[i];
        p.from[i] = from->stride[i];
        p.index[i] = index->stride[i];
    }
    for (int i = 0; i < lead; i++) {
        p.lead_shape[i] = x->shape[dim + i];
        p.lead_from[i] = x->stride[dim + i];
    }
    join_dims(&p);
    return FA__GPU_LAUNCH(issue, kernel, p.count, p, y->data, x->data, index->data);
}

/* By an index along one dimension. */
static uint64_t fetch_along(fa__gpu_issue *issue, const fa__operand *y, const fa__operand *x, const fa__operand *index,
                            int dim)
{
    fa__operand from = *x;
    if (x->rank)
        from.stride[dim] = 0;
    return fetch(issue, y, &from, index, x, dim, x->rank ? 1 : 0);
}

/* x or src without some dimensions in front, or with one there that is not stepped along. */
static fa__operand behind(const fa__operand *x, int lead, const fa__operand *like)
{
    fa__operand s = *like;
    for (int i = 0; i < s.rank; i++)
        s.stride[i] = i ? x->stride[i - 1 + lead] : 0;
    return s;
}

KERNEL(index_select)
{
    const index_select_args *a = l->args;
    const fa__operand *y = &l->operand[0], *x = &l->operand[1], *list = &l->operand[2];
    int dim = fa__gpu_dim(x, a->dim);
    if (!check_all(issue, list, dim, size_along(x, dim)))
        return 0;
    fa__operand index = spread(list, y, dim);
    return fetch_along(issue, y, x, &index, dim);
}

KERNEL(embedding_rows)
{
    const fa__operand *y = &l->operand[0], *list = &l->operand[1], *x = &l->operand[2];
    if (!check_all(issue, list, 0, x->shape[0]))
        return 0;
    fa__operand index = spread(list, y, 0);
    return fetch_along(issue, y, x, &index, 0);
}

KERNEL(gather)
{
    const gather_args *a = l->args;
    const fa__operand y = fa__as_line(&l->operand[0]), x = fa__as_line(&l->operand[1]);
    const fa__operand index = fa__as_line(&l->operand[2]);
    int dim = fa__gpu_dim(&x, a->dim);
    return check_all(issue, &index, dim, size_along(&x, dim)) ? fetch_along(issue, &y, &x, &index, dim) : 0;
}

static int64_t places(const fa__operand *x, int lead)
{
    int64_t count = 1;
    for (int i = 0; i < lead; i++)
        count *= x->shape[i];
    return count;
}

KERNEL(fetch_at)
{
    const fetch_at_args *a = l->args;
    const fa__operand *y = &l->operand[0], *x = &l->operand[1], *list = &l->operand[2];
    int lead = (int)a->lead;
    if (!check_all(issue, list, 0, places(x, lead)))
        return 0;
    fa__operand index = spread(list, y, 0), from = behind(x, lead, y);
    return fetch(issue, y, &from, &index, x, 0, lead);
}

/* ---- placing ---- */

enum { MOST_RANGES = 32 };

/* Where there are few lines, each is divided: all parts go through the whole index, and place what falls to them. */
static int64_t ranges_of(fa__gpu_issue *issue, const fa__gpu_kernel *kernel, int64_t lines, int64_t size)
{
    const fa__gpu_device *g = issue->device->own;
    int64_t wanted = (int64_t)(g->groups * kernel->group[0]) / (lines > 0 ? lines : 1);
    int64_t most = size < MOST_RANGES ? size : MOST_RANGES;
    wanted = wanted < most ? wanted : most;
    return wanted > 1 ? wanted : 1;
}

static void add_lead(place_arguments *p, int64_t size, int64_t y, int64_t x)
{
    p->lead_shape[p->lead] = size;
    p->lead_y[p->lead] = y;
    p->lead_x[p->lead++] = x;
    p->size *= size;
}

static void add_other(place_arguments *p, int64_t size, int64_t inside, int64_t y, int64_t x, int64_t index,
                      int64_t src)
{
    p->shape[p->rank] = size;
    p->inside[p->rank] = inside;
    p->y[p->rank] = y;
    p->x[p->rank] = x;
    p->index[p->rank] = index;
    p->src[p->rank++] = src;
    p->lines *= size;
}

static uint64_t place(fa__gpu_issue *issue, place_arguments *p, const fa__operand *y, const fa__operand *x,
                      const fa__operand *index, const fa__operand *src)
{
    const fa__gpu_kernel *kernel = fa__gpu_fixed(issue, FA__GPU_PLACE_AT, 0, fa__class_of(y->dtype));
    if (!kernel)
        return 0;
    p->dtype = y->dtype;
    p->src_dtype = src->dtype;
    p->index_dtype = index->dtype;
    p->ranges = ranges_of(issue, kernel, p->lines, p->size);
    return FA__GPU_LAUNCH(issue, kernel, p->lines * p->ranges, *p, y->data, x->data, index->data, src->data);
}

/* y, which starts as said, with each element of src where index says along a dimension. */
static uint64_t place_along(fa__gpu_issue *issue, const fa__operand *y, const fa__operand *x, const fa__operand *index,
                            const fa__operand *src, int dim, int start, int how)
{
    place_arguments p = {.lines = 1,
                         .size = 1,
                         .n = size_along(index, dim),
                         .index_pace = stride_along(index, dim),
                         .src_pace = stride_along(src, dim),
                         .start = start,
                         .how = how};
    add_lead(&p, size_along(y, dim), stride_along(y, dim), stride_along(x, dim));
    for (int i = 0; i < y->rank; i++)
        if (i != dim)
            add_other(&p, y->shape[i], index->shape[i], y->stride[i], x->stride[i], index->stride[i], src->stride[i]);
    return place(issue, &p, y, x, index, src);
}

KERNEL(index_sum)
{
    const index_sum_args *a = l->args;
    const fa__operand *y = &l->operand[0], *x = &l->operand[1], *list = &l->operand[2];
    int dim = fa__gpu_dim(x, a->dim);
    if (!check_all(issue, list, dim, a->size))
        return 0;
    fa__operand index = spread(list, x, dim);
    return place_along(issue, y, y, &index, x, dim, START_ZERO, PLACE_ADD);
}

/* The operands of scatter_add and its like: y, x, index, src. */
static uint64_t scatter(fa__gpu_issue *issue, const fa__launch *l, int64_t along, int how)
{
    const fa__operand y = fa__as_line(&l->operand[0]), x = fa__as_line(&l->operand[1]);
    const fa__operand index = fa__as_line(&l->operand[2]), src = fa__as_line(&l->operand[3]);
    int dim = fa__gpu_dim(&x, along);
    if (!check_all(issue, &index, dim, size_along(&x, dim)))
        return 0;
    return place_along(issue, &y, &x, &index, &src, dim, y.data == x.data ? START_KEEP : START_COPY, how);
}

KERNEL(scatter_add)
{
    return scatter(issue, l, ((const scatter_add_args *)l->args)->dim, PLACE_ADD);
}

KERNEL(scatter_set)
{
    return scatter(issue, l, ((const scatter_set_args *)l->args)->dim, PLACE_SET);
}

KERNEL(scatter_by)
{
    const scatter_by_args *a = l->args;
    return scatter(issue, l, a->dim, (int)a->how);
}

static uint64_t place_each(fa__gpu_issue *issue, place_arguments *p, const fa__operand *y, const fa__operand *index,
                           const fa__operand *src)
{
    const fa__gpu_kernel *kernel = fa__gpu_fixed(issue, FA__GPU_PLACE_EACH, 0, fa__class_of(y->dtype));
    p->dtype = p->src_dtype = y->dtype;
    p->index_dtype = index->dtype;
    return FA__GPU_LAUNCH(issue, kernel, p->lines * p->n, *p, y->data, index->data, src->data);
}

/* Into y, which has x's elements. */
KERNEL(place_at)
{
    const place_at_args *a = l->args;
    const fa__operand *y = &l->operand[0], *index = &l->operand[2], *src = &l->operand[3];
    int lead = (int)a->lead;
    place_arguments p = {.lines = 1,
                         .size = 1,
                         .n = index->shape[0],
                         .index_pace = index->stride[0],
                         .src_pace = src->stride[0],
                         .start = START_KEEP,
                         .how = a->add ? PLACE_ADD : PLACE_SET};
    for (int i = 0; i < lead; i++)
        add_lead(&p, y->shape[i], y->stride[i], 0);
    for (int i = lead; i < y->rank; i++)
        add_other(&p, y->shape[i], y->shape[i], y->stride[i], 0, 0, src->stride[i - lead + 1]);
    if (!check_all(issue, index, 0, p.size))
        return 0;
    return a->distinct ? place_each(issue, &p, y, index, src) : place(issue, &p, y, y, index, src);
}

KERNEL(true_places)
{
    const fa__operand *y = &l->operand[0], *sums = &l->operand[1];
    const fa__gpu_kernel *kernel = fa__gpu_fixed(issue, FA__GPU_TRUE_PLACES, 0, FA__CLASS_I64);
    true_arguments p = {.count = sums->shape[0], .step = sums->stride[0], .to_step = y->stride[0]};
    return FA__GPU_LAUNCH(issue, kernel, p.count, p, y->data, sums->data);
}

/* ---- permutations ---- */

KERNEL(randperm)
{
    const randperm_args *a = l->args;
    const fa__operand *y = &l->operand[0];
    if (a->n > INT32_MAX)
        return fa__fail(FA_ERROR_UNAVAILABLE, "fa_randperm of %lld is more than %s makes: there are 2^31 - 1 at most",
                        (long long)a->n, issue->device->name);
    const fa__gpu_kernel *kernel = fa__gpu_fixed(issue, FA__GPU_RANDPERM, 0, FA__CLASS_F64);
    void *lists = kernel ? fa__gpu_scratch(issue, (size_t)(a->n + 1) * 2 * sizeof(int32_t)) : NULL;
    randperm_arguments p = {
        .n = a->n, .stride = y->stride[0], .seed = a->key.seed, .call = a->key.call, .dtype = y->dtype};
    uint64_t ticket = lists != NULL;
    for (p.step = RANDPERM_CLEAR; ticket && p.step <= RANDPERM_FOLLOW; p.step++)
        ticket = FA__GPU_LAUNCH(issue, kernel, p.n, p, y->data, lists);
    return ticket;
}
