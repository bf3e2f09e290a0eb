/* The memory of sharded parameters: one tensor for several parameters, which has memory only while it is needed. */
#include "dist/flat.h"
#include "dist/call.h"
#include <facula/autograd.h>
#include <facula/device.h>
#include <facula/error.h>
#include <facula/ops/create.h>
#include <facula/ops/math.h>
#include <facula/ops/shape.h>
#include <facula/tensor.h>

/* ---- creation ---- */

/* The place of a parameter in a tensor of all elements, in its shape. */
static fa_tensor *place_of(const fa__piece *p, fa_tensor *all)
{
    fa_tensor *part = fa_narrow(all, 0, p->start, fa_numel(p->tensor));
    return part ? fa_view(part, fa_tensor_shape(p->tensor)) : NULL;
}

static fa_tensor *own_part(const fa__flat *f, fa_tensor *all)
{
    int64_t part = fa_size(all, 0) / fa_dist_size(f->group);
    return fa_narrow(all, 0, part * fa_dist_rank(f->group), part);
}

static fa_tensor *zeros(const fa__flat *f)
{
    const fa_tensor *first = f->piece[0].tensor;
    int64_t ranks = fa_dist_size(f->group);
    return fa_zeros(FA_SHAPE(ranks * fa__flat_part(f->numel, ranks)), .dtype = fa_tensor_dtype(first),
                    .device = fa_tensor_device(first));
}

static bool lay_out(fa__flat *f)
{
    for (size_t i = 0; i < f->count; i++) {
        f->piece[i].start = f->numel;
        f->numel += fa_numel(f->piece[i].tensor);
    }
    f->whole = fa__hold(zeros(f));
    for (size_t i = 0; f->whole && i < f->count; i++) {
        fa_tensor *place = place_of(&f->piece[i], f->whole);
        if (!place || !fa_copy_(place, f->piece[i].tensor) || !fa__use_memory_of(f->piece[i].tensor, place))
            return false;
    }
    return f->whole;
}

bool fa__flat_make(fa__flat *f)
{
    FA_SCOPE;
    FA_USE(.no_grad = true);
    if (!lay_out(f))
        return false;
    fa_tensor *own = own_part(f, f->whole);
    f->shard = fa__hold(fa_detach(f->level == 3 ? fa_clone(own) : own));
    if (!f->shard || !fa_set_requires_grad(f->shard, f->trains))
        return false;
    f->present = true;
    f->version = fa_tensor_version(f->shard);
    return fa__flat_release(f);
}

void fa__flat_free(fa__flat *f)
{
    fa__unhold(f->whole);
    fa__unhold(f->shard);
}

/* ---- memory ---- */

/* What saved the parameters for backward finds the same values in the new memory. */
static bool give_memory(fa__flat *f, bool changes)
{
    fa_tensor *fresh =
        fa_empty(fa_tensor_shape(f->whole), .dtype = fa_tensor_dtype(f->whole), .device = fa_tensor_device(f->shard));
    return fresh && fa__dist_gather_into(fresh, f->shard, f->group) && fa__swap_memory(f->whole, fresh, changes);
}

bool fa__flat_gather(fa__flat *f)
{
    FA_SCOPE;
    FA_USE(.no_grad = true);
    bool changes = fa_tensor_version(f->shard) != f->version;
    if (f->level < 3 ? !fa__dist_gather_into(f->whole, f->shard, f->group)
                     : (!f->present || changes) && !give_memory(f, changes))
        return false;
    f->present = true;
    f->version = fa_tensor_version(f->shard);
    return true;
}

bool fa__flat_release(fa__flat *f)
{
    if (f->level < 3 || !f->present)
        return true;
    FA_SCOPE;
    f->present = false;
    fa_tensor *none = fa_empty(fa_tensor_shape(f->whole), .dtype = fa_tensor_dtype(f->whole), .device = FA_META);
    return none && fa__swap_memory(f->whole, none, false);
}

bool fa__flat_cut(fa__flat *f)
{
    if (f->level < 3)
        return true;
    FA_SCOPE;
    FA_USE(.no_grad = true);
    bool good = fa_copy_(f->shard, own_part(f, f->whole));
    f->version = fa_tensor_version(f->shard);
    return good;
}

/* ---- gradients ---- */

bool fa__flat_clear(const fa__flat *f)
{
    bool good = true;
    for (size_t i = 0; i < f->count; i++)
        good = fa_set_grad(f->piece[i].tensor, NULL) && good;
    return good;
}

/* All gradients, with zeros for those that there are none of. */
static fa_tensor *gradients(const fa__flat *f)
{
    fa_tensor *all = zeros(f);
    for (size_t i = 0; all && i < f->count; i++) {
        FA_SCOPE;
        fa_tensor *grad = fa_grad(f->piece[i].tensor), *place = grad ? place_of(&f->piece[i], all) : NULL;
        if (grad && (!place || !fa_copy_(place, grad)))
            return NULL;
    }
    return all;
}

bool fa__flat_reduce(fa__flat *f)
{
    FA_SCOPE;
    FA_USE(.no_grad = true);
    fa_tensor *all = gradients(f), *mean = NULL;
    if (!all || (f->level > 1 && !fa__flat_clear(f)))
        return false;
    mean = fa_dist_reduce_scatter(all, f->group, .op = FA_DIST_MEAN);
    f->reduced = true;
    fa_tensor *before = f->level > 1 && mean ? fa_grad(f->shard) : NULL;
    return mean && (before ? fa_add_(before, mean) != NULL : fa_set_grad(f->shard, mean));
}
