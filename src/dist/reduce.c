/* Collective calls that combine tensors: sums and the like are computed in the order of ranks, so that all ranks get
 * the same bits. */
#include "dist/call.h"
#include "dist/nccl.h"
#include <facula/device.h>
#include <facula/error.h>
#include <facula/ops/create.h>
#include <facula/ops/math.h>
#include <facula/ops/shape.h>
#include <facula/tensor.h>
#include <stdlib.h>
#include <string.h>

/* Up to so many bytes, each rank gets all data of all others; above, a sum is computed in parts, one on each rank, of
 * segments of the other size. */
enum { SMALL = 32 << 10, SEGMENT = 2 << 20 };
enum { FEW = 8 << 10, MOST_KEPT = 1 << 20 }; /* bytes that loops here add; of what is received, that the wire keeps */

/* ---- combining ---- */

static bool can_combine(const fa_tensor *t, fa_dist_op op, const char *name)
{
    fa_dtype d = fa_tensor_dtype(t);
    bool floats = fa_dtype_is_floating(d);
    if (op < FA_DIST_SUM || op > FA_DIST_MAX)
        return fa_fail(FA_ERROR_ARGUMENT, "%s: .op is none of the values of fa_dist_op: %d", name, (int)op);
    if (op == FA_DIST_MEAN && !floats)
        return fa_fail(FA_ERROR_DTYPE, "%s: FA_DIST_MEAN is for floating point, not for %s", name, fa_dtype_name(d));
    return true;
}

static fa_tensor *view(const fa__dist_call *c, void *bytes, size_t size)
{
    return fa_tensor_borrow(bytes, FA_SHAPE((int64_t)(size / c->width)), .dtype = (fa_dtype)c->what.dtype,
                            .device = FA_CPU);
}

static bool combine_one(fa_tensor *sum, const fa_tensor *x, fa_dist_op op)
{
    switch (op) {
    case FA_DIST_PRODUCT:
        return fa_mul_(sum, x);
    case FA_DIST_MIN:
        return fa_copy_(sum, fa_minimum(sum, x));
    case FA_DIST_MAX:
        return fa_copy_(sum, fa_maximum(sum, x));
    default:
        return fa_add_(sum, x);
    }
}

/* x[i] += y[i]; the inner loop is one that compilers make into vector instructions. */
#define ADD(type)                                                                                                      \
    static void add_##type(type *restrict x, const type *restrict y, size_t count)                                     \
    {                                                                                                                  \
        size_t i = 0;                                                                                                  \
        for (; i + BLOCK <= count; i += BLOCK)                                                                         \
            for (size_t k = 0; k < BLOCK; k++)                                                                         \
                x[i + k] += y[i + k];                                                                                  \
        for (; i < count; i++)                                                                                         \
            x[i] += y[i];                                                                                              \
    }
enum { BLOCK = 16 };
ADD(float)
ADD(double)
#undef ADD

static bool can_add_few(fa_dtype d, size_t size, fa_dist_op op)
{
    return size <= FEW && op == FA_DIST_SUM && (d == FA_F32 || d == FA_F64);
}

/* Whether an all_reduce makes no tensors. */
static bool is_few(const fa_tensor *t, fa_dist_op op)
{
    return can_add_few(fa_tensor_dtype(t), fa_nbytes(t), op) && fa_device_equal(fa_tensor_device(t), FA_CPU)
           && fa_is_contiguous(t);
}

/* Sums of a few numbers, by loops: calls of operations would take longer. False: they are others. */
static bool add_few(const fa__dist_call *c, char **part, size_t size, fa_dist_op op)
{
    const fa_dtype d = (fa_dtype)c->what.dtype;
    if (!can_add_few(d, size, op))
        return false;
    for (int k = 1; k < c->w->size; k++)
        if (d == FA_F32)
            add_float((void *)part[0], (const void *)part[k], size / sizeof(float));
        else
            add_double((void *)part[0], (const void *)part[k], size / sizeof(double));
    return true;
}

/* part[0] becomes the combination of all parts, in their order. Halves are added in f32, and rounded once. */
static bool combine(const fa__dist_call *c, char **part, size_t size, fa_dist_op op)
{
    if (!size || add_few(c, part, size, op))
        return true;
    FA_SCOPE;
    bool halves = c->width < 4 && fa_dtype_is_floating((fa_dtype)c->what.dtype);
    fa_tensor *first = view(c, part[0], size), *sum = halves && first ? fa_to(first, FA_F32) : first;
    for (int i = 1; sum && i < c->w->size; i++) {
        fa_tensor *x = view(c, part[i], size);
        if (!x || !combine_one(sum, x, op))
            return false;
    }
    if (!sum || (op == FA_DIST_MEAN && !fa_div_(sum, c->w->size)))
        return false;
    return (sum == first || fa_copy_(first, sum)) && !fa_error_stands();
}

/* Combines `size` bytes at `mine` with those of all ranks, on this rank alone. What others send comes to `room`, which
 * is for as many bytes from each rank. */
static bool combine_received(fa__dist_call *c, char *mine, char *room, char **part, size_t size, fa_dist_op op)
{
    char *sum = c->w->rank ? room : mine;
    part[0] = sum;
    for (int i = 1; i < c->w->size; i++)
        part[i] = i == c->w->rank ? mine : room + (size_t)i * size;
    if (!combine(c, part, size, op))
        return false;
    if (sum != mine && size)
        memcpy(mine, sum, size);
    return true;
}

static bool have(const char *room, char *const *part, const char *name)
{
    if (room && part)
        return true;
    fa_fail(FA_ERROR_MEMORY, "%s: out of memory", name);
    return false;
}

/* All ranks get everything and compute the same. */
static bool reduce_small(fa__dist_call *c, char *room, char **part, fa_dist_op op)
{
    for (int i = 0; i < c->w->size; i++) {
        fa__dist_to(c, i, c->bytes, c->size);
        fa__dist_from(c, i, room + (size_t)i * c->size, c->size);
    }
    return fa__dist_exchange(c) && combine_received(c, c->bytes, room, part, c->size, op);
}

/* The part of a rank in a segment. */
static size_t part_of(const fa__dist_call *c, size_t size, int rank, size_t *start)
{
    size_t count = size / c->width, each = count / (size_t)c->w->size, more = count % (size_t)c->w->size,
           r = (size_t)rank;
    *start = (r * each + (r < more ? r : more)) * c->width;
    return (each + (r < more)) * c->width;
}

/* Each rank computes a part, and all get all parts. */
static bool reduce_segment(fa__dist_call *c, char *bytes, size_t size, char *room, char **part, fa_dist_op op)
{
    size_t start, at, own = part_of(c, size, c->w->rank, &start);
    for (int i = 0; i < c->w->size; i++) {
        size_t theirs = part_of(c, size, i, &at);
        fa__dist_to(c, i, bytes + at, theirs);
        fa__dist_from(c, i, room + (size_t)i * own, own);
    }
    if (!fa__dist_exchange(c) || !combine_received(c, bytes + start, room, part, own, op))
        return false;
    for (int i = 0; i < c->w->size; i++) {
        size_t theirs = part_of(c, size, i, &at);
        fa__dist_to(c, i, bytes + start, own);
        fa__dist_from(c, i, bytes + at, theirs);
    }
    return fa__dist_exchange(c);
}

static bool reduce_all(fa__dist_call *c, fa_dist_op op)
{
    const size_t ranks = (size_t)c->w->size, segment = SEGMENT / c->width * c->width;
    bool small = c->size <= SMALL;
    size_t once = c->size < segment ? c->size : segment;
    const size_t bytes = small ? ranks * c->size + 1 : once + 2 * ranks * c->width;
    const bool kept = small && bytes <= MOST_KEPT;
    char *room = kept ? fa__wire_room(c->w, bytes) : malloc(bytes), *few[16];
    char **part = ranks <= 16 ? few : calloc(ranks, sizeof *part);
    bool good = have(room, part, c->what.name);
    if (good && small)
        good = reduce_small(c, room, part, op);
    for (size_t at = 0; good && !small && at < c->size; at += segment)
        good = reduce_segment(c, c->bytes + at, c->size - at < segment ? c->size - at : segment, room, part, op);
    if (!kept)
        free(room);
    if (part != few)
        free(part);
    return good;
}

static bool reduce_by_wire(fa_group *g, fa_tensor *t, fa_dist_op op)
{
    fa__dist_call c;
    return fa__dist_begin(&c, g->wire, t, "all_reduce", true) && fa__dist_end(&c, reduce_all(&c, op));
}

bool fa__all_reduce(fa_group *g, fa_tensor *t, fa_dist_op op)
{
    fa__nccl *n;
    if (!can_combine(t, op, "fa_dist_all_reduce") || !fa__nccl_find(g, t, true, &n))
        return false;
    return n ? fa__nccl_all_reduce(n, t, op) : reduce_by_wire(g, t, op);
}

bool(fa_dist_all_reduce)(fa_tensor *t, fa_group *group, const fa_dist_all_reduce_options *options)
{
    fa_dist_all_reduce_options o = FA__DEFAULT_fa_dist_all_reduce;
    fa__options_read(&o, o.size, options);
    if (!fa__dist_check(group, t, "fa_dist_all_reduce"))
        return false;
    if (is_few(t, o.op)) { /* a scope and settings would take as long as the sum */
        fa__group_begin(group);
        const bool good = reduce_by_wire(group, t, o.op);
        fa__group_end(group);
        return good;
    }
    FA_SCOPE;
    FA__DIST_TURN(group);
    return fa__all_reduce(group, t, o.op);
}

static bool reduce_to(fa__dist_call *c, int root, fa_dist_op op)
{
    size_t ranks = (size_t)c->w->size;
    bool here = c->w->rank == root;
    char *room = malloc(here ? ranks * c->size + 1 : 1), **part = calloc(ranks, sizeof *part);
    bool good = have(room, part, "fa_dist_reduce");
    for (int i = 0; good && here && i < c->w->size; i++)
        fa__dist_from(c, i, room + (size_t)i * c->size, c->size);
    if (!here)
        fa__dist_to(c, root, c->bytes, c->size);
    good = good && fa__dist_exchange(c) && (!here || combine_received(c, c->bytes, room, part, c->size, op));
    free(room);
    free(part);
    return good;
}

bool(fa_dist_reduce)(fa_tensor *t, int root, fa_group *group, const fa_dist_reduce_options *options)
{
    fa_dist_reduce_options o = FA__DEFAULT_fa_dist_reduce;
    fa__options_read(&o, o.size, options);
    if (!fa__dist_check(group, t, "fa_dist_reduce") || !fa__dist_check_rank(group, root, "fa_dist_reduce")
        || !can_combine(t, o.op, "fa_dist_reduce"))
        return false;
    FA_SCOPE;
    FA__DIST_TURN(group);
    fa__dist_call c;
    fa__nccl *n;
    if (!fa__nccl_find(group, t, true, &n))
        return false;
    if (n)
        return fa__nccl_reduce(n, t, root, o.op);
    return fa__dist_begin(&c, group->wire, t, "reduce", group->wire->rank == root)
           && fa__dist_end(&c, reduce_to(&c, root, o.op));
}

static fa_tensor *reduce_scatter(const fa_tensor *t, fa_group *group, fa_dist_op op)
{
    fa__dist_call c;
    fa_tensor *y = fa__dist_result(t, -group->wire->size);
    char *into = fa__dist_bytes(y, true);
    if (!into || !fa__dist_begin(&c, group->wire, t, "reduce_scatter", false))
        return NULL;
    size_t ranks = (size_t)c.w->size, part = c.size / ranks;
    char *room = malloc(c.size + 1), **parts = calloc(ranks, sizeof *parts);
    bool good = have(room, parts, "fa_dist_reduce_scatter");
    for (int i = 0; good && i < c.w->size; i++) {
        fa__dist_to(&c, i, c.bytes + (size_t)i * part, part);
        fa__dist_from(&c, i, room + (size_t)i * part, part);
    }
    if (good && part)
        memcpy(into, c.bytes + (size_t)c.w->rank * part, part);
    good = good && fa__dist_exchange(&c) && combine_received(&c, into, room, parts, part, op);
    free(room);
    free(parts);
    return fa__dist_end(&c, good) ? fa__dist_hand_out(y, t) : NULL;
}

fa_tensor *(fa_dist_reduce_scatter)(const fa_tensor *t, fa_group *group, const fa_dist_reduce_scatter_options *options)
{
    fa_dist_reduce_scatter_options o = FA__DEFAULT_fa_dist_reduce_scatter;
    fa__options_read(&o, o.size, options);
    if (!fa__dist_check(group, t, "fa_dist_reduce_scatter") || !fa__dist_check_parts(t, group, "fa_dist_reduce_scatter")
        || !can_combine(t, o.op, "fa_dist_reduce_scatter"))
        return NULL;
    FA_SCOPE;
    FA__DIST_TURN(group);
    fa__nccl *n;
    if (!fa__nccl_find(group, t, true, &n))
        return NULL;
    return fa_escape(n ? fa__nccl_reduce_scatter(n, t, o.op) : reduce_scatter(t, group, o.op));
}
