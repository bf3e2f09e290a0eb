/* Collective calls: what is exchanged between ranks, and how it is combined. Each rank gets its data directly from the
 * rank that has it, so a rank that is missing is known by number, and sums are added in the order of ranks. */
#include "dist/group.h"
#include <facula/device.h>
#include <facula/error.h>
#include <facula/ops/create.h>
#include <facula/ops/math.h>
#include <facula/ops/shape.h>
#include <facula/tensor.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Up to so many bytes, each rank gets all data of all others; above, a sum is computed in parts, one on each rank, of
 * segments of the other size. */
enum { SMALL = 32 << 10, SEGMENT = 8 << 20 };

/* One call: the tensor as contiguous bytes on the host. */
typedef struct call {
    fa__wire *w;
    fa__message what;
    fa_tensor *given; /* NULL, or to be updated from `host` at the end */
    fa_tensor *host;
    char *bytes;
    size_t size, width; /* in bytes: all of it, one element */
    fa__transfer *transfer;
    size_t transfers;
} call;

/* ---- beginning and end ---- */

static bool check(fa_group *g, const fa_tensor *t, const char *name)
{
    if (fa_error_stands() || !fa__group_check(g, name))
        return false;
    return fa_dim(t) >= 0 || fa_fail(FA_ERROR_ARGUMENT, "%s: the tensor is NULL", name);
}

/* The bytes of a contiguous tensor on the CPU; somewhere else if it has no elements. NULL and an error on failure. */
static char *bytes_of(fa_tensor *t, bool writes)
{
    static char none;
    char *bytes = t ? fa__host_bytes(t, writes) : NULL;
    return bytes || fa_error_stands() || !t ? bytes : &none;
}

/* Begins a call on t; `writes`: t becomes what the bytes are at the end. */
static bool begin(call *c, fa__wire *w, const fa_tensor *t, const char *name, bool writes)
{
    *c = (call){.w = w, .what = {.name = name, .dtype = (uint32_t)fa_tensor_dtype(t)}};
    bool here = fa_device_equal(fa_tensor_device(t), FA_CPU) && fa_is_contiguous(t);
    c->host = here ? (fa_tensor *)(uintptr_t)t : fa_contiguous(fa_cpu(t));
    c->given = writes && !here ? (fa_tensor *)(uintptr_t)t : NULL;
    c->bytes = bytes_of(c->host, writes && here);
    if (!c->bytes)
        return false;
    c->size = fa_nbytes(t);
    c->width = fa_element_size(t);
    c->transfer = calloc(2 * (size_t)w->size, sizeof *c->transfer);
    w->number++;
    return c->transfer || fa_fail(FA_ERROR_MEMORY, "%s: out of memory", name);
}

static bool end(call *c, bool good)
{
    free(c->transfer);
    return good && (!c->given || fa_copy_(c->given, c->host)) && !fa_error_stands();
}

/* ---- what is exchanged ---- */

static void to(call *c, int rank, const void *data, size_t bytes)
{
    if (rank != c->w->rank)
        c->transfer[c->transfers++] = (fa__transfer){.peer = rank, .data = data, .bytes = bytes};
}

static void from(call *c, int rank, void *into, size_t bytes)
{
    if (rank != c->w->rank)
        c->transfer[c->transfers++] = (fa__transfer){.peer = rank, .receives = true, .into = into, .bytes = bytes};
}

static bool exchange(call *c)
{
    bool good = fa__exchange(c->w, c->what, c->transfer, c->transfers);
    c->transfers = 0;
    c->what.phase++;
    return good;
}

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

static fa_tensor *view(const call *c, void *bytes, size_t size)
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

/* part[0] becomes the combination of all parts, in their order. */
static bool combine(const call *c, char **part, size_t size, fa_dist_op op)
{
    FA_SCOPE;
    if (!size)
        return true;
    fa_tensor *sum = view(c, part[0], size);
    for (int i = 1; sum && i < c->w->size; i++) {
        fa_tensor *x = view(c, part[i], size);
        if (!x || !combine_one(sum, x, op))
            return false;
    }
    return sum && (op != FA_DIST_MEAN || fa_div_(sum, c->w->size)) && !fa_error_stands();
}

/* Combines `size` bytes at `mine` with those of all ranks, on this rank alone. What others send comes to `room`, which
 * is for as many bytes from each rank. */
static bool combine_received(call *c, char *mine, char *room, char **part, size_t size, fa_dist_op op)
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
static bool reduce_small(call *c, char *room, char **part, fa_dist_op op)
{
    for (int i = 0; i < c->w->size; i++) {
        to(c, i, c->bytes, c->size);
        from(c, i, room + (size_t)i * c->size, c->size);
    }
    return exchange(c) && combine_received(c, c->bytes, room, part, c->size, op);
}

/* The part of a rank in a segment. */
static size_t part_of(const call *c, size_t size, int rank, size_t *start)
{
    size_t count = size / c->width, each = count / (size_t)c->w->size, more = count % (size_t)c->w->size,
           r = (size_t)rank;
    *start = (r * each + (r < more ? r : more)) * c->width;
    return (each + (r < more)) * c->width;
}

/* Each rank computes a part, and all get all parts. */
static bool reduce_segment(call *c, char *bytes, size_t size, char *room, char **part, fa_dist_op op)
{
    size_t start, at, own = part_of(c, size, c->w->rank, &start);
    for (int i = 0; i < c->w->size; i++) {
        size_t theirs = part_of(c, size, i, &at);
        to(c, i, bytes + at, theirs);
        from(c, i, room + (size_t)i * own, own);
    }
    if (!exchange(c) || !combine_received(c, bytes + start, room, part, own, op))
        return false;
    for (int i = 0; i < c->w->size; i++) {
        size_t theirs = part_of(c, size, i, &at);
        to(c, i, bytes + start, own);
        from(c, i, bytes + at, theirs);
    }
    return exchange(c);
}

static bool reduce_all(call *c, fa_dist_op op)
{
    const size_t ranks = (size_t)c->w->size, segment = SEGMENT / c->width * c->width;
    bool small = c->size <= SMALL;
    size_t once = c->size < segment ? c->size : segment;
    char *room = malloc(small ? ranks * c->size + 1 : once + 2 * ranks * c->width);
    char **part = calloc(ranks, sizeof *part);
    bool good = have(room, part, c->what.name);
    if (good && small)
        good = reduce_small(c, room, part, op);
    for (size_t at = 0; good && !small && at < c->size; at += segment)
        good = reduce_segment(c, c->bytes + at, c->size - at < segment ? c->size - at : segment, room, part, op);
    free(room);
    free(part);
    return good;
}

bool fa__all_reduce(fa__wire *w, fa_tensor *t, fa_dist_op op)
{
    call c;
    return can_combine(t, op, "fa_dist_all_reduce") && begin(&c, w, t, "all_reduce", true)
           && end(&c, reduce_all(&c, op));
}

/* ---- the calls ---- */

/* The group is this thread's until the block ends, nothing is recorded, and what is made for the call goes. */
static void give_back(fa_group **g)
{
    if (*g)
        fa__group_end(*g);
}
#define TURN(group)                                                                                                    \
    FA_USE(.no_grad = true);                                                                                           \
    fa_group *FA__UNIQUE(turn) FA__CLEANUP(give_back) = (fa__group_begin(group), group)

bool(fa_dist_all_reduce)(fa_tensor *t, fa_group *group, const fa_dist_all_reduce_options *options)
{
    fa_dist_all_reduce_options o = FA__DEFAULT_fa_dist_all_reduce;
    fa__options_read(&o, o.size, options);
    if (!check(group, t, "fa_dist_all_reduce"))
        return false;
    FA_SCOPE;
    TURN(group);
    return fa__all_reduce(group->wire, t, o.op);
}

static bool check_rank(const fa_group *g, int rank, const char *name)
{
    return (rank >= 0 && rank < g->wire->size)
           || fa_fail(FA_ERROR_ARGUMENT, "%s: rank %d of a group of %d", name, rank, g->wire->size);
}

static bool reduce_to(call *c, int root, fa_dist_op op)
{
    size_t ranks = (size_t)c->w->size;
    bool here = c->w->rank == root;
    char *room = malloc(here ? ranks * c->size + 1 : 1), **part = calloc(ranks, sizeof *part);
    bool good = have(room, part, "fa_dist_reduce");
    for (int i = 0; good && here && i < c->w->size; i++)
        from(c, i, room + (size_t)i * c->size, c->size);
    if (!here)
        to(c, root, c->bytes, c->size);
    good = good && exchange(c) && (!here || combine_received(c, c->bytes, room, part, c->size, op));
    free(room);
    free(part);
    return good;
}

bool(fa_dist_reduce)(fa_tensor *t, int root, fa_group *group, const fa_dist_reduce_options *options)
{
    fa_dist_reduce_options o = FA__DEFAULT_fa_dist_reduce;
    fa__options_read(&o, o.size, options);
    if (!check(group, t, "fa_dist_reduce") || !check_rank(group, root, "fa_dist_reduce")
        || !can_combine(t, o.op, "fa_dist_reduce"))
        return false;
    FA_SCOPE;
    TURN(group);
    call c;
    return begin(&c, group->wire, t, "reduce", group->wire->rank == root) && end(&c, reduce_to(&c, root, o.op));
}

bool fa_dist_broadcast(fa_tensor *t, int root, fa_group *group)
{
    if (!check(group, t, "fa_dist_broadcast") || !check_rank(group, root, "fa_dist_broadcast"))
        return false;
    FA_SCOPE;
    TURN(group);
    call c;
    bool here = group->wire->rank == root;
    if (!begin(&c, group->wire, t, "broadcast", !here))
        return end(&c, false);
    for (int i = 0; here && i < c.w->size; i++)
        to(&c, i, c.bytes, c.size);
    if (!here)
        from(&c, root, c.bytes, c.size);
    return end(&c, exchange(&c));
}

/* A contiguous tensor (more, ...) on the CPU, like t behind it; more < 0: in place of its dimension 0, divided by
 * -more.
 */
static fa_tensor *result_like(const fa_tensor *t, int more)
{
    fa_shape shape = fa_tensor_shape(t);
    if (more > 0) {
        if (shape.rank == FA_MAX_DIMS) {
            fa_fail(FA_ERROR_SHAPE, "fa_dist_all_gather: the result has more than %d dimensions", FA_MAX_DIMS);
            return NULL;
        }
        memmove(shape.dim + 1, shape.dim, (size_t)shape.rank++ * sizeof *shape.dim);
        shape.dim[0] = more;
    } else {
        shape.dim[0] /= -more;
    }
    return fa_empty(shape, .dtype = fa_tensor_dtype(t), .device = FA_CPU);
}

/* The result on the device of t, in the scope outside. */
static fa_tensor *hand_out(fa_tensor *y, const fa_tensor *t)
{
    return y ? fa_to(y, fa_tensor_device(t)) : NULL;
}

static fa_tensor *gather(const fa_tensor *t, int root, fa_group *group, const char *name)
{
    call c;
    bool here = root < 0 || group->wire->rank == root;
    fa_tensor *y = here ? result_like(t, group->wire->size) : (fa_tensor *)(uintptr_t)t;
    char *into = here ? bytes_of(y, true) : NULL;
    if ((here && !into) || !begin(&c, group->wire, t, name, false))
        return NULL;
    for (int i = 0; i < c.w->size; i++) {
        if (root < 0 || i == root)
            to(&c, i, c.bytes, c.size);
        if (here)
            from(&c, i, into + (size_t)i * c.size, c.size);
    }
    if (here && c.size)
        memcpy(into + (size_t)c.w->rank * c.size, c.bytes, c.size);
    if (!end(&c, exchange(&c)))
        return NULL;
    return here ? hand_out(y, t) : y;
}

fa_tensor *fa_dist_all_gather(const fa_tensor *t, fa_group *group)
{
    if (!check(group, t, "fa_dist_all_gather"))
        return NULL;
    FA_SCOPE;
    TURN(group);
    return fa_escape(gather(t, -1, group, "all_gather"));
}

fa_tensor *fa_dist_gather(const fa_tensor *t, int root, fa_group *group)
{
    if (!check(group, t, "fa_dist_gather") || !check_rank(group, root, "fa_dist_gather"))
        return NULL;
    FA_SCOPE;
    TURN(group);
    return fa_escape(gather(t, root, group, "gather"));
}

bool fa_dist_scatter(fa_tensor *t, const fa_tensor *all, int root, fa_group *group)
{
    if (!check(group, t, "fa_dist_scatter") || !check_rank(group, root, "fa_dist_scatter"))
        return false;
    FA_SCOPE;
    bool here = group->wire->rank == root;
    if (here
        && (fa_dim(all) < 1 || fa_size(all, 0) != group->wire->size || fa_numel(all) != fa_numel(t) * fa_size(all, 0)))
        return fa_fail(FA_ERROR_SHAPE, "fa_dist_scatter: `all` has a part in the shape of t for each rank");
    if (here && fa_tensor_dtype(all) != fa_tensor_dtype(t))
        return fa_fail(FA_ERROR_DTYPE, "fa_dist_scatter: t is %s, `all` is %s", fa_dtype_name(fa_tensor_dtype(t)),
                       fa_dtype_name(fa_tensor_dtype(all)));
    fa_tensor *host = here ? fa_contiguous(fa_cpu(all)) : NULL;
    const char *parts = bytes_of(host, false);
    TURN(group);
    call c;
    if ((here && !parts) || !begin(&c, group->wire, t, "scatter", true))
        return false;
    for (int i = 0; here && i < c.w->size; i++)
        to(&c, i, parts + (size_t)i * c.size, c.size);
    if (!here)
        from(&c, root, c.bytes, c.size);
    else if (c.size)
        memcpy(c.bytes, parts + (size_t)root * c.size, c.size);
    return end(&c, exchange(&c));
}

static bool check_parts(const fa_tensor *t, const fa_group *g, const char *name)
{
    return (fa_dim(t) > 0 && fa_size(t, 0) % g->wire->size == 0)
           || fa_fail(FA_ERROR_SHAPE, "%s: dimension 0 is a multiple of the %d ranks", name, g->wire->size);
}

static fa_tensor *reduce_scatter(const fa_tensor *t, fa_group *group, fa_dist_op op)
{
    call c;
    fa_tensor *y = result_like(t, -group->wire->size);
    char *into = bytes_of(y, true);
    if (!into || !begin(&c, group->wire, t, "reduce_scatter", false))
        return NULL;
    size_t ranks = (size_t)c.w->size, part = c.size / ranks;
    char *room = malloc(c.size + 1), **parts = calloc(ranks, sizeof *parts);
    bool good = have(room, parts, "fa_dist_reduce_scatter");
    for (int i = 0; good && i < c.w->size; i++) {
        to(&c, i, c.bytes + (size_t)i * part, part);
        from(&c, i, room + (size_t)i * part, part);
    }
    if (good && part)
        memcpy(into, c.bytes + (size_t)c.w->rank * part, part);
    good = good && exchange(&c) && combine_received(&c, into, room, parts, part, op);
    free(room);
    free(parts);
    return end(&c, good) ? hand_out(y, t) : NULL;
}

fa_tensor *(fa_dist_reduce_scatter)(const fa_tensor *t, fa_group *group, const fa_dist_reduce_scatter_options *options)
{
    fa_dist_reduce_scatter_options o = FA__DEFAULT_fa_dist_reduce_scatter;
    fa__options_read(&o, o.size, options);
    if (!check(group, t, "fa_dist_reduce_scatter") || !check_parts(t, group, "fa_dist_reduce_scatter")
        || !can_combine(t, o.op, "fa_dist_reduce_scatter"))
        return NULL;
    FA_SCOPE;
    TURN(group);
    return fa_escape(reduce_scatter(t, group, o.op));
}

static fa_tensor *all_to_all(const fa_tensor *t, fa_group *group)
{
    call c;
    fa_tensor *y = result_like(t, -1);
    char *into = bytes_of(y, true);
    if (!into || !begin(&c, group->wire, t, "all_to_all", false))
        return NULL;
    size_t part = c.size / (size_t)c.w->size;
    for (int i = 0; i < c.w->size; i++) {
        to(&c, i, c.bytes + (size_t)i * part, part);
        from(&c, i, into + (size_t)i * part, part);
    }
    if (part)
        memcpy(into + (size_t)c.w->rank * part, c.bytes + (size_t)c.w->rank * part, part);
    return end(&c, exchange(&c)) ? hand_out(y, t) : NULL;
}

fa_tensor *fa_dist_all_to_all(const fa_tensor *t, fa_group *group)
{
    if (!check(group, t, "fa_dist_all_to_all") || !check_parts(t, group, "fa_dist_all_to_all"))
        return NULL;
    FA_SCOPE;
    TURN(group);
    return fa_escape(all_to_all(t, group));
}

/* A message to or from another rank, which does not count as a call of all. */
static bool direct(const fa_tensor *t, int rank, fa_group *group, const char *name, bool receives)
{
    if (!check(group, t, name) || !check_rank(group, rank, name))
        return false;
    if (rank == group->wire->rank)
        return fa_fail(FA_ERROR_ARGUMENT, "%s: rank %d is this one", name, rank);
    FA_SCOPE;
    TURN(group);
    call c;
    if (!begin(&c, group->wire, t, "send", receives))
        return end(&c, false);
    c.w->number--;
    c.what.phase = FA__DIRECT;
    if (receives)
        from(&c, rank, c.bytes, c.size);
    else
        to(&c, rank, c.bytes, c.size);
    return end(&c, exchange(&c));
}

bool fa_dist_send(const fa_tensor *t, int to, fa_group *group)
{
    return direct(t, to, group, "fa_dist_send", false);
}

bool fa_dist_recv(fa_tensor *t, int from, fa_group *group)
{
    return direct(t, from, group, "fa_dist_recv", true);
}

bool fa_dist_barrier(fa_group *group)
{
    if (fa_error_stands() || !fa__group_check(group, "fa_dist_barrier"))
        return false;
    FA_SCOPE;
    TURN(group);
    call c;
    const fa_tensor *nothing = fa_empty(FA_SHAPE(0), .device = FA_CPU);
    if (!nothing || !begin(&c, group->wire, nothing, "barrier", false))
        return false;
    for (int i = 0; i < c.w->size; i++) {
        to(&c, i, NULL, 0);
        from(&c, i, NULL, 0);
    }
    return end(&c, exchange(&c));
}
