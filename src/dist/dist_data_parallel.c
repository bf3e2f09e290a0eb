/* Distributed data parallel: a module whose state is the same on all ranks of a group, and whose gradients are averaged
 * over them. */
#include "dist/buckets.h"
#include "dist/shard.h"
#include "dist/state.h"
#include <facula/error.h>
#include <facula/ops/create.h>
#include <facula/scope.h>
#include <facula/tensor.h>
#include <string.h>

typedef struct distributed {
    fa_module *net;
    fa_group *group; /* a reference */
    fa__buckets *buckets;
    bool sync, broadcast_buffers, uneven;
    int first; /* uneven: the first rank that had a batch in the last step */
} distributed;

/* ---- the module ---- */

static const char kind[] = "dist_data_parallel";

/* Finds the first rank that has a batch; `none`: this one has not. *any: whether there is one. */
static bool meet(distributed *d, bool none, bool *any)
{
    FA_SCOPE;
    const int64_t here = none ? fa_dist_size(d->group) : fa_dist_rank(d->group);
    fa_tensor *least = fa_tensor_from(&here, FA_SCALAR, .dtype = FA_I64, .device = FA_CPU);
    if (!least || !fa_dist_all_reduce(least, d->group, .op = FA_DIST_MIN))
        return false;
    int first = (int)fa_item_int(least);
    *any = first < fa_dist_size(d->group);
    d->first = *any ? first : d->first;
    return true;
}

static bool begin_step(distributed *d, bool none, bool *any)
{
    return (!d->uneven || meet(d, none, any))
           && (!*any || !d->broadcast_buffers || fa__dist_share_buffers(d->net, d->group, d->first));
}

static fa_tensor *forward(fa_module *self, fa_tensors inputs)
{
    distributed *d = fa_module_data(self);
    bool any = true;
    if (d->sync && fa_module_training(self) && !begin_step(d, false, &any))
        return NULL;
    return fa__forward(d->net, inputs);
}

static void destroy(void *data)
{
    distributed *d = data;
    fa__buckets_free(d->buckets);
    fa__unhold(d->group);
}

static distributed *distributed_of(fa_module *module)
{
    return module && !strcmp(fa_module_kind(module), kind) ? fa_module_data(module) : NULL;
}

bool fa_dist_join(fa_module *module)
{
    distributed *d = distributed_of(module);
    if (!d || !d->uneven)
        return fa_fail(FA_ERROR_ARGUMENT, "fa_dist_join: the module is none of fa_dist_data_parallel(.uneven = true)");
    bool any = true;
    while (any)
        if (fa_error_stands() || !begin_step(d, true, &any) || (any && !fa__buckets_without(d->buckets)))
            return false;
    FA_SCOPE;
    FA_USE(.no_grad = true);
    fa_parameters state = fa_module_state(d->net);
    bool good = true;
    for (size_t i = 0; good && i < state.count; i++)
        good = fa_dist_broadcast(state.item[i], d->first, d->group);
    return good;
}

bool fa_dist_set_sync(fa_module *module, bool sync)
{
    distributed *d = distributed_of(module);
    fa__sharded *s = d ? NULL : fa__sharded_of(module);
    if (s) {
        s->sync = sync;
        return true;
    }
    if (!d)
        return fa_fail(FA_ERROR_ARGUMENT,
                       "fa_dist_set_sync: the module is none of fa_dist_data_parallel() or fa_dist_shard()");
    d->sync = sync;
    fa__buckets_sync(d->buckets, sync);
    return true;
}

fa_module *(fa_dist_data_parallel)(fa_module *module, fa_group *group, const fa_dist_data_parallel_options *options)
{
    fa_dist_data_parallel_options o = FA__DEFAULT_fa_dist_data_parallel;
    fa__options_read(&o, o.size, options);
    FA_SCOPE;
    if (o.bucket_bytes < 1)
        fa_fail(FA_ERROR_ARGUMENT, "fa_dist_data_parallel: .bucket_bytes is 1 or more: %lld",
                (long long)o.bucket_bytes);
    if (o.gradient_dtype != FA_SAME && !fa_dtype_is_floating(o.gradient_dtype))
        fa_fail(FA_ERROR_DTYPE, "fa_dist_data_parallel: .gradient_dtype is floating point, not %s",
                fa_dtype_name(o.gradient_dtype));
    if (fa_error_stands() || fa_dist_rank(group) < 0 || !fa__dist_share_state(module, group, "fa_dist_data_parallel"))
        return NULL;
    distributed d = {
        module,   group, fa__buckets_new(module, group, o.bucket_bytes, o.gradient_dtype), true, o.broadcast_buffers,
        o.uneven, 0};
    if (!d.buckets)
        return NULL;
    fa_module *m = fa_nn_custom(kind, sizeof d, forward, .data = &d, .destroy = destroy);
    if (!m) {
        fa__buckets_free(d.buckets);
        return NULL;
    }
    fa__hold(group);
    return fa_module_add(m, "module", module) ? fa_escape(m) : NULL;
}
