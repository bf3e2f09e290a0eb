/* Sharded data parallel: which parameters belong together, and the module that runs the network. */
#include "dist/shard.h"
#include "dist/state.h"
#include <facula/autograd.h>
#include <facula/device.h>
#include <facula/error.h>
#include <facula/operations.h>
#include <facula/scope.h>
#include <facula/tensor.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char kind[] = "dist_shard";

/* ---- which parameters belong together ---- */

static bool is_container(const fa_module *m)
{
    const char *k = fa_module_kind(m);
    return !strcmp(k, "sequential") || !strcmp(k, "list") || !strcmp(k, "dict");
}

/* The layer below `within` whose forward needs the parameter; *found counts such layers. */
static fa_module *layer_of(const fa_module *within, const fa_tensor *parameter, size_t *found)
{
    fa_module *layer = NULL;
    fa_modules children = fa_module_children(within);
    for (size_t i = 0; i < children.count; i++) {
        fa_module *child = children.item[i];
        if (is_container(child)) {
            fa_module *inner = layer_of(child, parameter, found);
            layer = inner ? inner : layer;
            continue;
        }
        fa_parameters p = fa_module_parameters(child);
        for (size_t k = 0; k < p.count; k++)
            if (p.item[k] == parameter) {
                layer = child;
                ++*found;
            }
    }
    return layer;
}

static bool goes_along(const fa__flat *f, const fa_module *layer, const fa_tensor *t)
{
    const fa_tensor *first = f->piece[0].tensor;
    return f->module == layer && f->trains == fa_requires_grad(t) && fa_tensor_dtype(first) == fa_tensor_dtype(t)
           && fa_device_equal(fa_tensor_device(first), fa_tensor_device(t));
}

/* Room for the pieces of a flat is that of its first parameter and of those behind it that belong to none. */
static void collect(fa__sharded *s, fa_parameters all, fa_module **layer, bool *taken, size_t first, size_t *pieces)
{
    fa__flat *f = &s->flat[s->count++];
    *f = (fa__flat){.owner = s, .group = s->group, .level = s->level, .piece = s->piece + *pieces};
    f->module = fa__hold(layer[first]);
    f->trains = fa_requires_grad(all.item[first]);
    for (size_t i = first; i < all.count; i++)
        if (!taken[i] && (i == first || goes_along(f, layer[i], all.item[i]))) {
            taken[i] = true;
            f->piece[f->count++] = (fa__piece){.flat = f, .tensor = fa__hold(all.item[i])};
        }
    *pieces += f->count;
}

static bool group_parameters(fa__sharded *s, fa_parameters all)
{
    fa_module **layer = calloc(all.count + 1, sizeof(fa_module *));
    bool *taken = calloc(all.count + 1, sizeof *taken);
    s->flat = calloc(all.count + 1, sizeof *s->flat);
    s->piece = calloc(all.count + 1, sizeof *s->piece);
    bool good = layer && taken && s->flat && s->piece;
    if (!good)
        fa_fail(FA_ERROR_MEMORY, "fa_dist_shard: out of memory");
    for (size_t i = 0; good && i < all.count; i++) {
        size_t found = 0;
        layer[i] = layer_of(s->net, all.item[i], &found);
        if (found > 1)
            layer[i] = NULL; /* shared */
    }
    size_t pieces = 0;
    for (size_t i = 0; good && i < all.count; i++)
        if (!taken[i])
            collect(s, all, layer, taken, i, &pieces);
    free(layer);
    free(taken);
    return good;
}

/* ---- the module ---- */

/* Whether the shard of any rank has changed since the parameters were gathered. */
static bool any_changed(const fa__sharded *s, bool *changed)
{
    int64_t here = 0;
    for (size_t i = 0; i < s->count; i++)
        here += fa_tensor_version(s->flat[i].shard) != s->flat[i].version;
    fa_tensor *all = fa_tensor_from(&here, FA_SCALAR, .dtype = FA_I64, .device = FA_CPU);
    if (!all || !fa_dist_all_reduce(all, s->group, .op = FA_DIST_MAX))
        return false;
    *changed = fa_item_int(all);
    return true;
}

static bool gather_for_all(const fa__sharded *s)
{
    FA_SCOPE;
    bool needed = true, good = s->level == 3 || any_changed(s, &needed);
    for (size_t i = 0; good && needed && i < s->count; i++) {
        fa__flat *f = &s->flat[i];
        if (s->level < 3 || !f->module)
            good = fa__flat_gather(f);
    }
    return good;
}

/* After the optimizer has set the gradients of shards to zero, level 1 has no more use for those of the parameters. */
static bool clear_old(const fa__sharded *s)
{
    bool good = true;
    for (size_t i = 0; s->level == 1 && s->sync && i < s->count; i++)
        if (s->flat[i].reduced && !fa_grad(s->flat[i].shard)) {
            s->flat[i].reduced = false;
            good = fa__flat_clear(&s->flat[i]) && good;
        }
    return good;
}

static fa_tensor *forward(fa_module *self, fa_tensors inputs)
{
    const fa__sharded *s = *(fa__sharded **)fa_module_data(self);
    bool training = fa_module_training(self);
    if (training != fa_module_training(s->net))
        fa_module_train(s->net, training);
    if ((training && s->broadcast_buffers && s->sync && !fa__dist_share_buffers(s->net, s->group, 0)) || !clear_old(s)
        || !gather_for_all(s))
        return NULL;
    fa_tensor *y = fa__forward(s->net, inputs);
    if (!y || !fa_requires_grad(y)) /* no backward pass will release it */
        for (size_t i = 0; i < s->count; i++)
            fa__shard_release(s, &s->flat[i]);
    return y;
}

static void shard_free(fa__sharded *s)
{
    fa__hooks_early(-1);
    for (size_t i = 0; i < s->count; i++) {
        fa__shard_unwatch(&s->flat[i]);
        fa__flat_free(&s->flat[i]);
    }
    fa__unhold(s->net);
    fa__unhold(s->group);
    free(s->flat);
    free(s->piece);
    free(s);
}

static void destroy(void *data)
{
    shard_free(*(fa__sharded **)data);
}

static fa__sharded *shard_new(fa_module *module, fa_group *group, const fa_dist_shard_options *o)
{
    fa__sharded *s = calloc(1, sizeof *s);
    if (!s) {
        fa_fail(FA_ERROR_MEMORY, "fa_dist_shard: out of memory");
        return NULL;
    }
    fa__hooks_early(1);
    *s = (fa__sharded){.net = fa__hold(module),
                       .group = fa__hold(group),
                       .level = o->level,
                       .sync = true,
                       .broadcast_buffers = o->broadcast_buffers};
    bool good = group_parameters(s, fa_module_parameters(module));
    for (size_t i = 0; good && i < s->count; i++)
        good = fa__flat_make(&s->flat[i]) && fa__shard_watch(&s->flat[i]);
    if (good && !fa_error_stands())
        return s;
    shard_free(s);
    return NULL;
}

/* The shards become the parameters of the module; those of frozen parameters become buffers. */
static bool add_shards(fa_module *m, const fa__sharded *s)
{
    char name[32];
    for (size_t i = 0; i < s->count; i++) {
        const fa__flat *f = &s->flat[i];
        snprintf(name, sizeof name, "shard%zu", i);
        if (!(f->trains ? fa_module_parameter(m, name, f->shard) : fa_module_buffer(m, name, f->shard)))
            return false;
    }
    return true;
}

fa_module *(fa_dist_shard)(fa_module *module, fa_group *group, const fa_dist_shard_options *options)
{
    fa_dist_shard_options o = FA__DEFAULT_fa_dist_shard;
    fa__options_read(&o, o.size, options);
    FA_SCOPE;
    if (o.level < 1 || o.level > 3)
        fa_fail(FA_ERROR_ARGUMENT, "fa_dist_shard: .level is 1, 2 or 3: %d", o.level);
    if (fa_error_stands() || fa_dist_rank(group) < 0 || !fa__dist_share_state(module, group, "fa_dist_shard"))
        return NULL;
    fa__sharded *s = shard_new(module, group, &o);
    if (!s)
        return NULL;
    fa_module *m = fa_nn_custom(kind, sizeof s, forward, .data = &s, .destroy = destroy);
    if (!m) {
        shard_free(s);
        return NULL;
    }
    return add_shards(m, s) && fa__module_runs_inside(module) ? fa_escape(m) : NULL;
}

/* ---- what programs ask of it ---- */

fa__sharded *fa__sharded_of(const fa_module *m)
{
    fa__sharded **s = m && !strcmp(fa_module_kind(m), kind) ? fa_module_data(m) : NULL;
    return s ? *s : NULL;
}

static fa__sharded *expect(const fa_module *m, const char *who)
{
    fa__sharded *s = fa__sharded_of(m);
    if (!s)
        fa_fail(FA_ERROR_ARGUMENT, "%s: the module is none of fa_dist_shard()", who);
    return s;
}

bool fa_dist_shard_gather(fa_module *module, bool whole)
{
    fa__sharded *s = expect(module, "fa_dist_shard_gather");
    bool good = s && !fa_error_stands();
    for (size_t i = 0; good && i < s->count; i++)
        good = whole ? fa__flat_gather(&s->flat[i]) : !s->whole || fa__flat_cut(&s->flat[i]);
    if (!good)
        return false;
    s->whole = whole;
    for (size_t i = 0; i < s->count; i++)
        good = fa__shard_release(s, &s->flat[i]) && good;
    return good;
}

/* The sum of the squares of all gradients of this rank. */
static double square_sum(const fa__sharded *s)
{
    double sum = 0;
    for (size_t i = 0; i < s->count; i++) {
        FA_SCOPE;
        const fa_tensor *grad = fa_grad(s->flat[i].shard);
        double norm = grad ? fa_item(fa_norm(grad)) : 0;
        sum += norm * norm;
    }
    return sum;
}

double fa_dist_shard_clip_norm(fa_module *module, double max_norm)
{
    const fa__sharded *s = expect(module, "fa_dist_shard_clip_norm");
    if (!s || fa_error_stands())
        return (double)NAN;
    FA_SCOPE;
    FA_USE(.no_grad = true);
    double sum = square_sum(s);
    fa_tensor *all = fa_tensor_from(&sum, FA_SCALAR, .dtype = FA_F64, .device = FA_CPU);
    if (!all || !fa_dist_all_reduce(all, s->group))
        return (double)NAN;
    double norm = sqrt(fa_item(all)), scale = max_norm / (norm + 1e-6);
    for (size_t i = 0; scale < 1 && i < s->count; i++) {
        fa_tensor *grad = fa_grad(s->flat[i].shard);
        if (grad && !fa_mul_(grad, scale))
            return (double)NAN;
    }
    return norm;
}
