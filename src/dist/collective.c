/* Collective calls that move tensors. Each rank gets its data directly from the rank that has it, so a rank that is
 * missing is known by number. */
#include "dist/call.h"
#include "dist/nccl.h"
#include <facula/device.h>
#include <facula/error.h>
#include <facula/ops/create.h>
#include <facula/ops/shape.h>
#include <facula/tensor.h>
#include <stdlib.h>
#include <string.h>

bool fa_dist_broadcast(fa_tensor *t, int root, fa_group *group)
{
    if (!fa__dist_check(group, t, "fa_dist_broadcast") || !fa__dist_check_rank(group, root, "fa_dist_broadcast"))
        return false;
    FA_SCOPE;
    FA__DIST_TURN(group);
    fa__dist_call c;
    fa__nccl *n;
    bool here = group->wire->rank == root;
    if (!fa__nccl_find(group, t, false, &n))
        return false;
    if (n)
        return fa__nccl_broadcast(n, t, root);
    if (!fa__dist_begin(&c, group->wire, t, "broadcast", !here))
        return fa__dist_end(&c, false);
    for (int i = 0; here && i < c.w->size; i++)
        fa__dist_to(&c, i, c.bytes, c.size);
    if (!here)
        fa__dist_from(&c, root, c.bytes, c.size);
    return fa__dist_end(&c, fa__dist_exchange(&c));
}

/* The parts of all ranks come to `into` on the rank `root`, root < 0: on all; it is NULL on the others. */
static bool exchange_parts(fa__dist_call *c, int root, char *into)
{
    bool here = into != NULL;
    for (int i = 0; i < c->w->size; i++) {
        if (root < 0 || i == root)
            fa__dist_to(c, i, c->bytes, c->size);
        if (here)
            fa__dist_from(c, i, into + (size_t)i * c->size, c->size);
    }
    char *own = here ? into + (size_t)c->w->rank * c->size : c->bytes;
    if (own != c->bytes && c->size)
        memcpy(own, c->bytes, c->size);
    return fa__dist_exchange(c);
}

static fa_tensor *gather(const fa_tensor *t, int root, fa_group *group, const char *name)
{
    fa__dist_call c;
    bool here = root < 0 || group->wire->rank == root;
    fa_tensor *y = here ? fa__dist_result(t, group->wire->size) : (fa_tensor *)(uintptr_t)t;
    char *into = here ? fa__dist_bytes(y, true) : NULL;
    if ((here && !into) || !fa__dist_begin(&c, group->wire, t, name, false))
        return NULL;
    if (!fa__dist_end(&c, exchange_parts(&c, root, into)))
        return NULL;
    return here ? fa__dist_hand_out(y, t) : y;
}

bool fa__dist_gather_into(fa_tensor *all, const fa_tensor *part, fa_group *group)
{
    if (!fa__dist_check(group, part, "fa_dist_shard"))
        return false;
    FA_SCOPE;
    FA__DIST_TURN(group);
    fa__dist_call c;
    fa__nccl *n;
    if (!fa__nccl_find(group, part, false, &n))
        return false;
    if (n && fa_device_equal(fa_tensor_device(all), fa_tensor_device(part)))
        return fa__nccl_gather_into(n, all, part);
    bool here = fa_device_equal(fa_tensor_device(all), FA_CPU);
    fa_tensor *host = here ? all : fa_empty(fa_tensor_shape(all), .dtype = fa_tensor_dtype(all), .device = FA_CPU);
    char *into = fa__dist_bytes(host, true);
    if (!into || !fa__dist_begin(&c, group->wire, part, "all_gather", false))
        return false;
    return fa__dist_end(&c, exchange_parts(&c, -1, into)) && (here || fa_copy_(all, host));
}

fa_tensor *fa_dist_all_gather(const fa_tensor *t, fa_group *group)
{
    if (!fa__dist_check(group, t, "fa_dist_all_gather"))
        return NULL;
    FA_SCOPE;
    FA__DIST_TURN(group);
    fa__nccl *n;
    if (!fa__nccl_find(group, t, false, &n))
        return NULL;
    return fa_escape(n ? fa__nccl_all_gather(n, t) : gather(t, -1, group, "all_gather"));
}

fa_tensor *fa_dist_gather(const fa_tensor *t, int root, fa_group *group)
{
    if (!fa__dist_check(group, t, "fa_dist_gather") || !fa__dist_check_rank(group, root, "fa_dist_gather"))
        return NULL;
    FA_SCOPE;
    FA__DIST_TURN(group);
    fa__nccl *n;
    if (!fa__nccl_find(group, t, false, &n))
        return NULL;
    return fa_escape(n ? fa__nccl_gather(n, t, root) : gather(t, root, group, "gather"));
}

bool fa_dist_scatter(fa_tensor *t, const fa_tensor *all, int root, fa_group *group)
{
    if (!fa__dist_check(group, t, "fa_dist_scatter") || !fa__dist_check_rank(group, root, "fa_dist_scatter"))
        return false;
    FA_SCOPE;
    bool here = group->wire->rank == root;
    if (here
        && (fa_dim(all) < 1 || fa_size(all, 0) != group->wire->size || fa_numel(all) != fa_numel(t) * fa_size(all, 0)))
        return fa_fail(FA_ERROR_SHAPE, "fa_dist_scatter: `all` has a part in the shape of t for each rank");
    if (here && fa_tensor_dtype(all) != fa_tensor_dtype(t))
        return fa_fail(FA_ERROR_DTYPE, "fa_dist_scatter: t is %s, `all` is %s", fa_dtype_name(fa_tensor_dtype(t)),
                       fa_dtype_name(fa_tensor_dtype(all)));
    FA__DIST_TURN(group);
    fa__dist_call c;
    fa__nccl *n;
    if (!fa__nccl_find(group, t, false, &n))
        return false;
    if (n)
        return fa__nccl_scatter(n, t, all, root);
    fa_tensor *host = here ? fa_contiguous(fa_cpu(all)) : NULL;
    const char *parts = fa__dist_bytes(host, false);
    if ((here && !parts) || !fa__dist_begin(&c, group->wire, t, "scatter", true))
        return false;
    for (int i = 0; here && i < c.w->size; i++)
        fa__dist_to(&c, i, parts + (size_t)i * c.size, c.size);
    if (!here)
        fa__dist_from(&c, root, c.bytes, c.size);
    else if (c.size)
        memcpy(c.bytes, parts + (size_t)root * c.size, c.size);
    return fa__dist_end(&c, fa__dist_exchange(&c));
}

static fa_tensor *all_to_all(const fa_tensor *t, fa_group *group)
{
    fa__dist_call c;
    fa_tensor *y = fa__dist_result(t, -1);
    char *into = fa__dist_bytes(y, true);
    if (!into || !fa__dist_begin(&c, group->wire, t, "all_to_all", false))
        return NULL;
    size_t part = c.size / (size_t)c.w->size;
    for (int i = 0; i < c.w->size; i++) {
        fa__dist_to(&c, i, c.bytes + (size_t)i * part, part);
        fa__dist_from(&c, i, into + (size_t)i * part, part);
    }
    if (part)
        memcpy(into + (size_t)c.w->rank * part, c.bytes + (size_t)c.w->rank * part, part);
    return fa__dist_end(&c, fa__dist_exchange(&c)) ? fa__dist_hand_out(y, t) : NULL;
}

fa_tensor *fa_dist_all_to_all(const fa_tensor *t, fa_group *group)
{
    if (!fa__dist_check(group, t, "fa_dist_all_to_all") || !fa__dist_check_parts(t, group, "fa_dist_all_to_all"))
        return NULL;
    FA_SCOPE;
    FA__DIST_TURN(group);
    fa__nccl *n;
    if (!fa__nccl_find(group, t, false, &n))
        return NULL;
    return fa_escape(n ? fa__nccl_all_to_all(n, t) : all_to_all(t, group));
}

/* A message to or from another rank, which does not count as a call of all. */
static bool direct(const fa_tensor *t, int rank, fa_group *group, const char *name, bool receives)
{
    if (!fa__dist_check(group, t, name) || !fa__dist_check_rank(group, rank, name))
        return false;
    if (rank == group->wire->rank)
        return fa_fail(FA_ERROR_ARGUMENT, "%s: rank %d is this one", name, rank);
    FA_SCOPE;
    FA__DIST_TURN(group);
    fa__nccl *n = fa__nccl_ready(group, t);
    if (n)
        return fa__nccl_direct(n, t, rank, receives);
    fa__dist_call c;
    if (!fa__dist_begin(&c, group->wire, t, "send", receives))
        return fa__dist_end(&c, false);
    c.w->number--;
    c.what.phase = FA__DIRECT;
    if (receives)
        fa__dist_from(&c, rank, c.bytes, c.size);
    else
        fa__dist_to(&c, rank, c.bytes, c.size);
    return fa__dist_end(&c, fa__dist_exchange(&c));
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
    FA__DIST_TURN(group);
    fa__dist_call c;
    const fa_tensor *nothing = fa_empty(FA_SHAPE(0), .device = FA_CPU);
    if (!nothing || !fa__dist_begin(&c, group->wire, nothing, "barrier", false))
        return false;
    for (int i = 0; i < c.w->size; i++) {
        fa__dist_to(&c, i, NULL, 0);
        fa__dist_from(&c, i, NULL, 0);
    }
    return fa__dist_end(&c, fa__dist_exchange(&c));
}
