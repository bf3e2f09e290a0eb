/* Sums over all ranks that gradients go through, batch normalization by them, and scalers that skip steps together. */
#include "dist/group.h"
#include <facula/autograd.h>
#include <facula/error.h>
#include <facula/layer.h>
#include <facula/operations.h>
#include <facula/scope.h>
#include <facula/tensor.h>

/* ---- the sum ---- */

static fa_tensor *sum_forward(void *context, fa_tensors inputs)
{
    fa_tensor *y = fa_clone(inputs.item[0]);
    return y && fa_dist_all_reduce(y, context) ? y : NULL;
}

static bool sum_backward(void *context, fa_tensors saved, fa_tensor *grad, fa_tensor **gx)
{
    (void)saved;
    *gx = fa_dist_sum(grad, context);
    return *gx;
}

static void sum_release(void *context)
{
    fa__unhold(context);
}

fa_tensor *fa_dist_sum(const fa_tensor *t, fa_group *group)
{
    static const fa_function function = {
        .name = "dist_sum", .forward = sum_forward, .backward = sum_backward, .release = sum_release};
    if (fa_error_stands() || !fa__group_check(group, "fa_dist_sum"))
        return NULL;
    return fa_apply(&function, fa__hold(group), FA_TENSORS((fa_tensor *)(uintptr_t)t));
}

/* ---- batch normalization ---- */

/* The sum of each channel, (1, features, 1, ...). */
static fa_tensor *batch_sum(const fa_tensor *x)
{
    switch (fa_dim(x)) {
    case 2:
        return fa_sum(x, .dim = 0, .keepdim = true);
    case 3:
        return fa_sum(x, .dim = FA_DIMS(0, 2), .keepdim = true);
    default:
        return fa_sum(x, .dim = FA_DIMS(0, 2, 3), .keepdim = true);
    }
}

/* What all have together: sums of channels, divided by the number of samples, in the shape of `sum`. *samples is that
 * number; NULL: it has to be found. */
static fa_tensor *mean_of_all(fa_group *group, fa_tensor *sum, int64_t here, fa_tensor **samples)
{
    fa_tensor *flat = fa_reshape(sum, FA_SHAPE(-1)), *all = NULL;
    if (*samples) {
        all = fa_dist_sum(flat, group);
    } else {
        fa_tensor *count =
            fa_full(FA_SHAPE(1), (double)here, .dtype = fa_tensor_dtype(sum), .device = fa_tensor_device(sum));
        all = fa_dist_sum(fa_cat(FA_TENSORS(flat, count)), group);
        *samples = fa_detach(fa_narrow(all, 0, fa_numel(flat), 1));
        all = fa_narrow(all, 0, 0, fa_numel(flat));
    }
    return fa_reshape(fa_div(all, *samples), fa_tensor_shape(sum));
}

static bool move_towards(fa_tensor *running, const fa_tensor *now, double momentum)
{
    fa_tensor *flat = fa_reshape(fa_detach(now), FA_SHAPE(-1));
    return fa_lerp_(running, fa_to(flat, fa_tensor_dtype(running)), momentum);
}

static bool track(const fa__batch_norm_parts *b, const fa_tensor *mean, const fa_tensor *variance,
                  const fa_tensor *samples)
{
    FA_USE(.no_grad = true);
    fa_tensor *unbiased = fa_mul(variance, fa_div(samples, fa_sub(samples, 1)));
    return move_towards(b->mean, mean, b->momentum) && move_towards(b->variance, unbiased, b->momentum)
           && fa_add_(b->count, 1);
}

/* The formula of fa_batch_norm(), recorded step by step; halves are computed in f32. */
static fa_tensor *train_together(fa__batch_norm_parts b, fa_tensor *x, void *context)
{
    fa_tensor *samples = NULL, *wide = fa_element_size(x) < 4 ? fa_to(x, FA_F32) : x;
    int64_t here = fa_size(x, 1) ? fa_numel(x) / fa_size(x, 1) : 0;
    fa_tensor *mean = mean_of_all(context, batch_sum(wide), here, &samples), *centered = fa_sub(wide, mean);
    fa_tensor *variance = mean_of_all(context, batch_sum(fa_mul(centered, centered)), here, &samples);
    fa_tensor *y = fa_mul(centered, fa_rsqrt(fa_add(variance, b.eps)));
    if (b.weight)
        y = fa_add(fa_mul(y, fa_reshape(b.weight, fa_tensor_shape(mean))), fa_reshape(b.bias, fa_tensor_shape(mean)));
    if (!y || (b.count && !track(&b, mean, variance, samples)))
        return NULL;
    return fa_to(y, fa_tensor_dtype(x));
}

fa_module *fa_dist_sync_batch_norm(fa_module *module, fa_group *group)
{
    if (fa_error_stands() || (group && !fa__group_check(group, "fa_dist_sync_batch_norm")))
        return NULL;
    FA_SCOPE;
    fa_modules all = fa_module_modules(module);
    for (size_t i = 0; i < all.count; i++)
        fa__batch_norm_together(all.item[i], group ? train_together : NULL, group);
    return fa_error_stands() ? NULL : module;
}

/* ---- scalers ---- */

static bool any_rank(void *context, fa_tensor *found)
{
    return fa_dist_all_reduce(found, context, .op = FA_DIST_MAX);
}

bool fa_dist_sync_scaler(fa_scaler *scaler, fa_group *group)
{
    if (fa_error_stands() || (group && !fa__group_check(group, "fa_dist_sync_scaler")))
        return false;
    return fa__scaler_agree(scaler, group ? any_rank : NULL, group);
}
