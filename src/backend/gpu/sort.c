/* Sorting lines: tiles, and then merges, from one part of the working memory into the other and back. */
#include "backend/gpu/dialect/arguments.h"
#include "backend/gpu/gpu.h"
#include "backend/order.h"
#include "base/alloc.h"
#include "base/error.h"

_Static_assert(FA__ORDER_SIGNED == SORT_SIGNED && FA__ORDER_FLOAT == SORT_FLOAT, "arguments.h");

typedef struct sorting {
    fa__gpu_issue *issue;
    const fa__operand *values, *indices, *x;
    fa__class class;
    sort_arguments a;
    size_t half; /* bytes of the entries of all lines */
    char *room;  /* twice as much; NULL where a line is one tile */
} sorting;

static void set_dims(sorting *s, int dim)
{
    sort_arguments *a = &s->a;
    bool lacks = s->values->rank < s->x->rank;
    a->lines = 1;
    for (int d = 0; d < s->x->rank; d++) {
        int r = lacks && d > dim ? d - 1 : d; /* the dimension of the results that this is */
        if (d == dim) {
            a->x_step = s->x->stride[d];
            a->value_step = lacks ? 0 : s->values->stride[d];
            a->index_step = lacks ? 0 : s->indices->stride[d];
            continue;
        }
        a->shape[a->rank] = s->x->shape[d];
        a->x[a->rank] = s->x->stride[d];
        a->value[a->rank] = s->values->stride[r];
        a->index[a->rank++] = s->indices->stride[r];
        a->lines *= s->x->shape[d];
    }
}

/* Where there are no lines, nothing is merged. */
static void set_tiles(sort_arguments *a)
{
    for (a->slots = 1; a->slots < SORT_TILE && a->slots < a->length;)
        a->slots *= 2;
    a->parts = a->lines && a->length > SORT_TILE ? (a->length + SORT_TILE - 1) / SORT_TILE : 1;
}

static bool make_room(sorting *s)
{
    size_t entry = (s->class == FA__CLASS_I64 ? 8 : 4) + sizeof(int32_t), all;
    if (!fa__mul_size((size_t)s->a.lines, (size_t)s->a.length, &s->half) || !fa__mul_size(s->half, entry, &s->half)
        || !fa__add_size(s->half, 63, &s->half) || !fa__mul_size(s->half &= ~(size_t)63, 2, &all))
        return fa__fail(FA_ERROR_MEMORY, "%lld elements are too many to be sorted", (long long)s->a.length);
    s->room = fa__gpu_scratch(s->issue, all);
    return s->room != NULL;
}

static uint64_t launch(sorting *s, fa__gpu_family family, int64_t groups, int from)
{
    const fa__gpu_kernel *kernel = fa__gpu_fixed(s->issue, family, 0, s->class);
    fa__gpu_args args = {.count = 0};
    fa__gpu_memory(&args, s->values->data);
    fa__gpu_memory(&args, s->indices->data);
    fa__gpu_memory(&args, s->x->data);
    fa__gpu_memory(&args, s->room ? s->room + (size_t)from * s->half : NULL);
    fa__gpu_memory(&args, s->room ? s->room + (size_t)(1 - from) * s->half : NULL);
    fa__gpu_value(&args, &s->a, sizeof s->a);
    return kernel ? fa__gpu_launch_groups(s->issue, kernel, (uint64_t[3]){(uint64_t)(groups > 0 ? groups : 1), 1, 1},
                                          &args)
                  : 0;
}

static uint64_t sort_lines(sorting *s)
{
    sort_arguments *a = &s->a;
    int64_t tiles = a->lines * a->parts, units = SORT_TILE / a->slots;
    int from = 1;
    a->last = a->parts == 1;
    if (!a->last && !make_room(s))
        return 0;
    uint64_t ticket = launch(s, FA__GPU_SORT_TILE, (tiles + units - 1) / units, from);
    for (a->run = SORT_TILE; ticket && !a->last; a->run *= 2) {
        from = 1 - from;
        a->last = 2 * a->run >= a->length;
        ticket = launch(s, FA__GPU_SORT_MERGE, tiles, from);
    }
    return ticket;
}

/* Of each line of x along dim, sorted, `count` elements from `first` on. */
static uint64_t run(fa__gpu_issue *issue, const fa__launch *l, int64_t along, bool descending, int64_t first,
                    int64_t count)
{
    const fa__operand *x = &l->operand[2];
    const fa__sort_key order = fa__order_of(x->dtype);
    int dim = fa__gpu_dim(x, along);
    sorting s = {.issue = issue,
                 .values = &l->operand[0],
                 .indices = &l->operand[1],
                 .x = x,
                 .class = order.bytes == 8 ? FA__CLASS_I64 : FA__CLASS_I32};
    s.a = (sort_arguments){.length = x->rank ? x->shape[dim] : 1,
                           .first = first,
                           .count = count,
                           .infinity = order.top,
                           .bytes = order.bytes,
                           .kind = order.kind,
                           .descending = descending};
    if (s.a.length > INT32_MAX)
        return fa__fail(FA_ERROR_UNAVAILABLE, "lines of %lld elements are longer than %s sorts: 2^31 - 1 at most",
                        (long long)s.a.length, issue->device->name);
    set_dims(&s, dim);
    set_tiles(&s.a);
    return sort_lines(&s);
}

KERNEL(sort)
{
    const sort_args *a = l->args;
    const fa__operand *x = &l->operand[2];
    return run(issue, l, a->dim, a->descending, 0, x->rank ? x->shape[fa__gpu_dim(x, a->dim)] : 1);
}

KERNEL(topk)
{
    const topk_args *a = l->args;
    return run(issue, l, a->dim, a->largest, 0, a->k);
}

KERNEL(kthvalue)
{
    const kthvalue_args *a = l->args;
    return run(issue, l, a->dim, false, a->k - 1, 1);
}
