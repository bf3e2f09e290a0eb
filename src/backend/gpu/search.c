/* The largest or smallest elements and where they are, along a dimension or among all. Long runs are searched in parts.
 */
#include "backend/gpu/dialect/arguments.h"
#include "backend/gpu/gpu.h"

/* Elements that are not worth a further part. */
enum { PART = 4096 };

typedef struct search {
    fa__gpu_issue *issue;
    const fa__gpu_kernel *kernel;
    const fa__operand *x, *values, *indices; /* values: NULL if nobody asks */
    bool smallest;
    search_arguments a;
    void *list; /* the best place of each part */
} search;

/* ---- dimensions ---- */

/* A result may lack the dimension that is searched: the dimension of y that is x's d. */
static int dim_in(const fa__operand *y, const fa__operand *x, int d, int dim)
{
    return y->rank < x->rank && d > dim ? d - 1 : d;
}

/* The dimensions that results lie over. */
static void set_results(search *s, int dim)
{
    search_arguments *a = &s->a;
    a->results = 1;
    for (int d = 0; d < s->x->rank; d++) {
        if (d == dim || s->x->shape[d] == 1)
            continue;
        int k = a->rank++;
        a->results *= s->x->shape[d];
        a->shape[k] = s->x->shape[d];
        a->x_stride[k] = s->x->stride[d];
        a->index_stride[k] = s->indices->stride[dim_in(s->indices, s->x, d, dim)];
        if (s->values)
            a->value_stride[k] = s->values->stride[dim_in(s->values, s->x, d, dim)];
    }
    a->kept = a->rank;
    if (a->results == 0)
        a->rank = a->kept = 0;
}

/* One dimension more to search, which is one with that before it if its elements go on where those end. */
static void add_searched(search_arguments *a, int64_t size, int64_t stride)
{
    a->length *= size;
    if (size == 1)
        return;
    int last = a->rank - 1;
    if (last >= a->kept && a->x_stride[last] == stride * size) {
        a->shape[last] *= size;
        a->x_stride[last] = stride;
        return;
    }
    a->shape[a->rank] = size;
    a->x_stride[a->rank++] = stride;
}

/* ---- work ---- */

static void set_width(search_arguments *a, int32_t group)
{
    bool single = a->rank - a->kept == 1;
    a->across = !a->listed && a->kept > 0 && a->x_stride[a->kept - 1] == 1 && !(single && a->x_stride[a->kept] == 1);
    int32_t most = a->across ? 16 : group;
    for (a->width = 1; a->width < most && a->width < a->part_length;)
        a->width *= 2;
}

/* `length` elements, or numbers in the list, in so many parts. */
static uint64_t run_level(search *s, int64_t length, int64_t parts, bool listed)
{
    search_arguments *a = &s->a;
    a->length = length;
    a->parts = parts;
    a->part_length = (length + parts - 1) / parts;
    a->listed = listed;
    set_width(a, (int32_t)s->kernel->group[0]);
    return FA__GPU_LAUNCH(s->issue, s->kernel, a->results * parts * a->width, *a, s->values ? s->values->data : NULL,
                          s->indices->data, s->x->data, s->list);
}

/* As many parts as keep the device busy, when they are long. None is empty, as there are fewer than each has elements.
 */
static int64_t parts_for(const search *s)
{
    const fa__gpu_device *g = s->issue->device->own;
    int64_t most = s->a.length / PART, wanted = s->a.results ? (int64_t)g->groups / s->a.results : 1;
    int64_t parts = wanted < most ? wanted : most;
    return parts < 1 ? 1 : parts > PART ? PART : parts;
}

static uint64_t run(search *s)
{
    int64_t length = s->a.length, parts = parts_for(s);
    s->a.dtype = s->x->dtype;
    s->a.valued = s->values != NULL;
    s->kernel = fa__gpu_fixed(s->issue, FA__GPU_SEARCH, s->smallest, fa__class_of(s->x->dtype));
    if (!s->kernel)
        return 0;
    if (parts == 1)
        return run_level(s, length, 1, false);
    s->list = fa__gpu_scratch(s->issue, (size_t)(s->a.results * parts) * sizeof(int64_t));
    return s->list && run_level(s, length, parts, false) ? run_level(s, parts, 1, true) : 0;
}

static uint64_t run_along(search *s, int dim)
{
    set_results(s, dim);
    s->a.length = 1;
    if (s->x->rank)
        add_searched(&s->a, s->x->shape[dim], s->x->stride[dim]);
    return run(s);
}

static uint64_t search_along(fa__gpu_issue *issue, const fa__launch *l, bool smallest)
{
    search s = {
        .issue = issue, .x = &l->operand[2], .values = &l->operand[0], .indices = &l->operand[1], .smallest = smallest};
    return run_along(&s, fa__gpu_dim(s.x, ((const max_args *)l->args)->dim));
}

KERNEL(max)
{
    return search_along(issue, l, false);
}

KERNEL(min)
{
    return search_along(issue, l, true);
}

static uint64_t search_place(fa__gpu_issue *issue, const fa__launch *l, bool smallest)
{
    const argmax_args *a = l->args;
    search s = {.issue = issue, .x = &l->operand[1], .indices = &l->operand[0], .smallest = smallest};
    if (a->dim != FA_ALL && s.x->rank) {
        int64_t dim = fa__dims_named(a->dim) ? __builtin_ctzll((uint64_t)a->dim) - 8 : a->dim;
        return run_along(&s, fa__gpu_dim(s.x, dim));
    }
    s.a.results = s.a.length = 1;
    for (int d = 0; d < s.x->rank; d++)
        add_searched(&s.a, s.x->shape[d], s.x->stride[d]);
    return run(&s);
}

KERNEL(argmax)
{
    return search_place(issue, l, false);
}

KERNEL(argmin)
{
    return search_place(issue, l, true);
}
