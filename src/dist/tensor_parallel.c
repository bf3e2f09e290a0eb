/* Layers of which each rank has a part of the weight. What ranks exchange is recorded as functions whose gradients are
 * exchanged the other way. */
#include "dist/group.h"
#include <facula/autograd.h>
#include <facula/error.h>
#include <facula/layer.h>
#include <facula/operations.h>
#include <facula/parallel.h>
#include <facula/scope.h>
#include <facula/tensor.h>
#include <string.h>

/* ---- exchanges with gradients ----
 * Tensors are either whole, and the same on all ranks, or parts: of the last dimension, or of a sum. */

static fa_tensor *own_part(const fa_tensor *t, int64_t dim, fa_group *group)
{
    int64_t part = fa_size(t, dim) / fa_dist_size(group);
    return fa_narrow(t, dim, part * fa_dist_rank(group), part);
}

static fa_tensor *take_forward(void *group, fa_tensors in)
{
    return fa_clone(own_part(in.item[0], -1, group));
}

/* The parts of the last dimension of all ranks side by side. */
static fa_tensor *gather_forward(void *group, fa_tensors in)
{
    const fa_tensor *all = fa_dist_all_gather(in.item[0], group);
    fa_shape shape = fa_tensor_shape(in.item[0]);
    shape.dim[shape.rank - 1] *= fa_dist_size(group);
    return fa_reshape(fa_movedim(all, 0, -2), shape);
}

static fa_tensor *add_forward(void *group, fa_tensors in)
{
    fa_tensor *y = fa_clone(in.item[0]);
    return y && fa_dist_all_reduce(y, group) ? y : NULL;
}

static fa_tensor *same_forward(void *group, fa_tensors in)
{
    (void)group;
    return fa_clone(in.item[0]);
}

static void release(void *group)
{
    fa__unhold(group);
}

static bool take_backward(void *group, fa_tensors saved, fa_tensor *grad, fa_tensor **gx);
static bool gather_backward(void *group, fa_tensors saved, fa_tensor *grad, fa_tensor **gx);
static bool add_backward(void *group, fa_tensors saved, fa_tensor *grad, fa_tensor **gx);
static bool same_backward(void *group, fa_tensors saved, fa_tensor *grad, fa_tensor **gx);

/* From whole to part and back, and from summands to the sum and back: each is the gradient of the other. */
static const fa_function take = {"take_part", take_forward, take_backward, .release = release},
                         gather = {"gather_parts", gather_forward, gather_backward, .release = release},
                         add = {"add_parts", add_forward, add_backward, .release = release},
                         same = {"hand_to_parts", same_forward, same_backward, .release = release};

static fa_tensor *apply(const fa_function *function, fa_group *group, fa_tensor *t)
{
    return fa_apply(function, fa__hold(group), FA_TENSORS(t));
}

static bool take_backward(void *group, fa_tensors saved, fa_tensor *grad, fa_tensor **gx)
{
    (void)saved;
    return (*gx = apply(&gather, group, grad));
}

static bool gather_backward(void *group, fa_tensors saved, fa_tensor *grad, fa_tensor **gx)
{
    (void)saved;
    return (*gx = apply(&take, group, grad));
}

static bool add_backward(void *group, fa_tensors saved, fa_tensor *grad, fa_tensor **gx)
{
    (void)saved;
    return (*gx = apply(&same, group, grad));
}

static bool same_backward(void *group, fa_tensors saved, fa_tensor *grad, fa_tensor **gx)
{
    (void)saved;
    return (*gx = apply(&add, group, grad));
}

/* ---- the layers ---- */

typedef struct part {
    fa_tensor *weight, *bias;
    fa_group *group; /* a reference */
    fa_nn_embedding_options lookup;
    int64_t first; /* row of an embedding's weight */
    bool exchanges;
} part;

static fa_tensor *linear_columns(fa_module *self, fa_tensor *x)
{
    const part *p = fa_module_data(self);
    fa_tensor *y = fa_linear(apply(&same, p->group, x), p->weight, .bias = p->bias);
    return p->exchanges ? apply(&gather, p->group, y) : y;
}

static fa_tensor *linear_rows(fa_module *self, fa_tensor *x)
{
    const part *p = fa_module_data(self);
    fa_tensor *y = fa_linear(p->exchanges ? apply(&take, p->group, x) : x, p->weight);
    y = apply(&add, p->group, y);
    return p->bias ? fa_add(y, p->bias) : y;
}

static fa_tensor *embedding_columns(fa_module *self, fa_tensor *x)
{
    const part *p = fa_module_data(self);
    fa_tensor *y = fa_embedding(x, p->weight, .padding_idx = p->lookup.padding_idx,
                                .scale_grad_by_freq = p->lookup.scale_grad_by_freq);
    return p->exchanges ? apply(&gather, p->group, y) : y;
}

/* Indices of other ranks' rows look up row 0, which is multiplied by 0. Those of no rank stay wrong. */
static fa_tensor *embedding_rows(fa_module *self, fa_tensor *x)
{
    const part *p = fa_module_data(self);
    int64_t rows = fa_size(p->weight, 0), all = rows * fa_dist_size(p->group);
    fa_tensor *at = fa_sub(x, p->first), *here = fa_logical_and(fa_ge(at, 0), fa_lt(at, rows));
    fa_tensor *there = fa_logical_and(fa_logical_and(fa_ge(x, 0), fa_lt(x, all)), fa_logical_not(here));
    fa_tensor *y =
        fa_embedding(fa_where(there, fa_zeros_like(at), at), p->weight, .padding_idx = p->lookup.padding_idx);
    return apply(&add, p->group, fa_mul(y, fa_unsqueeze(fa_to(here, fa_tensor_dtype(p->weight)), -1)));
}

static void part_destroy(void *data)
{
    fa__unhold(((part *)data)->group);
}

/* Which functions a kind of layer has, and the dimension of its weight that is cut. */
static const struct kind {
    const char *name;
    bool is_lookup;
    fa_tensor *(*columns)(fa_module *, fa_tensor *), *(*rows)(fa_module *, fa_tensor *);
    int64_t cut_for_columns, cut_for_rows;
} kinds[] = {{"linear", false, linear_columns, linear_rows, 0, 1},
             {"embedding", true, embedding_columns, embedding_rows, 1, 0}};

static const struct kind *kind_of(const fa_module *layer, const char *who)
{
    const char *name = fa_module_kind(layer);
    for (int i = 0; name && i < 2; i++)
        if (!strcmp(name, kinds[i].name))
            return &kinds[i];
    fa_fail(FA_ERROR_ARGUMENT, "%s: a layer of fa_nn_linear() or fa_nn_embedding(), not %s", who,
            name ? name : "no module");
    return NULL;
}

/* The parameter of rank 0, or this rank's part of it, as one of the new layer. */
static fa_tensor *add_part(fa_module *m, const char *name, fa_tensor *of, int64_t dim, fa_group *group)
{
    FA_USE(.no_grad = true);
    fa_tensor *whole = fa_detach(fa_clone(of));
    if (!whole || !fa_dist_broadcast(whole, 0, group))
        return NULL;
    fa_tensor *t = fa_module_parameter(m, name, dim < 0 ? whole : fa_clone(own_part(whole, dim, group)));
    return t && fa_set_requires_grad(t, fa_requires_grad(of)) ? t : NULL;
}

static bool can_cut(const fa_tensor *weight, int64_t dim, const fa_group *group, const char *who)
{
    int64_t size = fa_size(weight, dim);
    return size % fa_dist_size(group) == 0
           || fa_fail(FA_ERROR_SHAPE, "%s: %lld features or rows for %d ranks", who, (long long)size,
                      fa_dist_size(group));
}

/* The part of an embedding's padding row: its number in the rows from `first` on. */
static void place_padding(part *p, int64_t rows)
{
    int64_t *padding = &p->lookup.padding_idx;
    if (*padding == INT64_MIN)
        return;
    *padding += *padding < 0 ? rows : 0;
    *padding -= p->first;
    if (*padding < 0 || *padding >= fa_size(p->weight, 0))
        *padding = INT64_MIN;
}

static fa_tensor *bias_of(const fa_module *linear)
{
    fa_parameters p = fa_module_parameters(linear);
    return p.count > 1 ? fa_module_tensor(linear, "bias") : NULL;
}

static bool fill(fa_module *m, fa_module *layer, const struct kind *kind, bool columns, fa_group *group)
{
    part *p = fa_module_data(m);
    fa_tensor *weight = fa_module_tensor(layer, "weight"), *bias = kind->is_lookup ? NULL : bias_of(layer);
    p->group = fa__hold(group);
    p->weight = add_part(m, "weight", weight, columns ? kind->cut_for_columns : kind->cut_for_rows, group);
    if (!p->weight)
        return false;
    if (kind->is_lookup) {
        p->lookup = *fa__embedding_options(layer);
        p->first = columns ? 0 : fa_size(p->weight, 0) * fa_dist_rank(group);
        place_padding(p, fa_size(weight, 0));
    } else if (bias) {
        p->bias = add_part(m, "bias", bias, columns ? 0 : -1, group);
    }
    return !fa_error_stands();
}

static fa_module *make(fa_module *layer, fa_group *group, bool columns, bool exchanges, const char *who)
{
    const struct kind *kind = fa__group_check(group, who) ? kind_of(layer, who) : NULL;
    if (!kind || fa_error_stands())
        return NULL;
    if (!can_cut(fa_module_tensor(layer, "weight"), columns ? kind->cut_for_columns : kind->cut_for_rows, group, who))
        return NULL;
    if (kind->is_lookup && !columns && fa__embedding_options(layer)->scale_grad_by_freq) {
        fa_fail(FA_ERROR_ARGUMENT, "%s: an embedding with .scale_grad_by_freq", who);
        return NULL;
    }
    const part data = {.exchanges = exchanges};
    fa_tensor *(*forward)(fa_module *, fa_tensor *) = columns ? kind->columns : kind->rows;
    fa_module *m = fa_nn_custom(columns ? "column_parallel" : "row_parallel", sizeof data, forward, .data = &data,
                                .destroy = part_destroy);
    return m && fill(m, layer, kind, columns, group) ? m : NULL;
}

fa_module *(fa_dist_column_parallel)(fa_module *layer, fa_group *group, const fa_dist_column_parallel_options *options)
{
    fa_dist_column_parallel_options o = FA__DEFAULT_fa_dist_column_parallel;
    fa__options_read(&o, o.size, options);
    FA_SCOPE;
    return fa_escape(make(layer, group, true, o.gather, "fa_dist_column_parallel"));
}

fa_module *(fa_dist_row_parallel)(fa_module *layer, fa_group *group, const fa_dist_row_parallel_options *options)
{
    fa_dist_row_parallel_options o = FA__DEFAULT_fa_dist_row_parallel;
    fa__options_read(&o, o.size, options);
    FA_SCOPE;
    return fa_escape(make(layer, group, false, o.whole, "fa_dist_row_parallel"));
}
