/* Gradient clipping, by norm and by value. */
#include <facula/autograd.h>
#include <facula/error.h>
#include <facula/expression.h>
#include <facula/operations.h>
#include <facula/optim.h>
#include <facula/scope.h>
#include <facula/tensor.h>
#include <math.h>

/* A list with one tensor for each gradient, in the innermost scope. */
typedef struct tensors {
    fa_object base;
    size_t count;
    fa_tensor *item[];
} tensors;

static const fa_object_type tensors_type = {"list", NULL};

static tensors *tensors_new(size_t most)
{
    return fa_object_new(&tensors_type, sizeof(tensors) + most * sizeof(fa_tensor *));
}

static fa_tensors listed(const tensors *t)
{
    return (fa_tensors){t->count, t->item};
}

/* The existing gradients; NULL and an error on failure. */
static tensors *grads_of(const char *who, fa_parameters p)
{
    tensors *grads = fa_error_stands() ? NULL : tensors_new(p.count);
    for (size_t i = 0; grads && i < p.count; i++) {
        if (!p.item || !p.item[i]) {
            fa_fail(FA_ERROR_ARGUMENT, "%s: parameter %zu is NULL", who, i);
            return NULL;
        }
        fa_tensor *grad = fa_grad(p.item[i]);
        if (grad)
            grads->item[grads->count++] = grad;
    }
    return fa_error_stands() ? NULL : grads;
}

/* The norm of all gradients, computed from their single norms. */
static fa_tensor *total_norm(const tensors *grads, double order)
{
    tensors *norms = tensors_new(grads->count);
    if (!norms || !grads->count)
        return norms ? fa_zeros(FA_SCALAR, .device = FA_CPU) : NULL;
    fa_device first = fa_tensor_device(grads->item[0]);
    for (; norms->count < grads->count; norms->count++) {
        fa_tensor *norm = fa_norm(grads->item[norms->count], .p = order);
        norms->item[norms->count] = fa_to(norm, first);
    }
    return fa_norm(fa_stack(listed(norms)), .p = order);
}

/* The factor of each gradient, on its device and in its dtype and shape; NULL and an error on failure. */
static tensors *scales_of(const tensors *grads, const fa_tensor *norm, double max_norm)
{
    tensors *scales = tensors_new(grads->count);
    fa_tensor *scale = scales ? fa_pointwise("minimum(y / (x + 1e-6), 1)", norm, max_norm) : NULL;
    for (; scale && scales->count < grads->count; scales->count++) {
        const fa_tensor *grad = grads->item[scales->count];
        fa_tensor *there = fa_to(scale, fa_tensor_device(grad));
        scales->item[scales->count] = fa_expand_as(fa_to(there, fa_tensor_dtype(grad)), grad);
    }
    return fa_error_stands() ? NULL : scales;
}

static bool norm_is_finite(const char *who, const fa_tensor *norm)
{
    double v = fa_item(norm);
    if (fa_error_stands())
        return false;
    return isfinite(v) || fa_fail(FA_ERROR_ARGUMENT, "%s: the norm of the gradients is %g", who, v);
}

fa_tensor *(fa_clip_grad_norm)(fa_parameters parameters, double max_norm, const fa_clip_grad_norm_options *options)
{
    const char *who = "fa_clip_grad_norm";
    fa_clip_grad_norm_options given = FA__DEFAULT_fa_clip_grad_norm;
    fa__options_read(&given, given.size, options);
    if (!(max_norm >= 0)) {
        fa_fail(FA_ERROR_ARGUMENT, "%s: max_norm is 0 or more, not %g", who, max_norm);
        return NULL;
    }
    if (isnan(given.norm_type)) {
        fa_fail(FA_ERROR_ARGUMENT, "%s: .norm_type is a number, not %g", who, given.norm_type);
        return NULL;
    }
    FA_SCOPE;
    FA_USE(.no_grad = true, .placement = FA_PLACE_STRICT); /* gradients stay on their devices */
    tensors *grads = grads_of(who, parameters);
    fa_tensor *norm = grads ? total_norm(grads, given.norm_type) : NULL;
    if (!norm || (given.error_if_nonfinite && !norm_is_finite(who, norm)))
        return NULL;
    tensors *scales = scales_of(grads, norm, max_norm);
    if (!scales)
        return NULL;
    const fa_binding names[] = {{.name = "g", .tensors = listed(grads)}, {.name = "s", .tensors = listed(scales)}};
    return fa_update("g = g * s", 2, names) ? fa_escape(norm) : NULL;
}

bool(fa_clip_grad_value)(fa_parameters parameters, double clip_value)
{
    if (!(clip_value >= 0))
        return fa_fail(FA_ERROR_ARGUMENT, "fa_clip_grad_value: clip_value is 0 or more, not %g", clip_value);
    FA_SCOPE;
    tensors *grads = grads_of("fa_clip_grad_value", parameters);
    if (!grads)
        return false;
    const fa_binding names[] = {{.name = "g", .tensors = listed(grads)},
                                {.name = "v", .number = fa__arg_f(clip_value)}};
    return fa_update("g = minimum(maximum(g, -v), v)", 2, names);
}
