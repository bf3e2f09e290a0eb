/* Compares gradients with finite differences, (f(x + eps) - f(x - eps)) / (2 eps) for each element x of each input. */
#include "base/alloc.h"
#include <facula/autograd.h>
#include <facula/device.h>
#include <facula/error.h>
#include <facula/operations.h>
#include <facula/scope.h>
#include <facula/tensor.h>
#include <math.h>
#include <string.h>

static const char who[] = "fa_gradcheck";

typedef struct check {
    fa_gradcheck_function *function;
    fa_tensors inputs;
    const fa_gradcheck_options *options;
    int64_t outputs;    /* elements of the result */
    double *difference; /* of each element of the checked inputs: those of the result's elements */
    double *less;       /* space for as many numbers as the result has */
} check;

/* ---- differences ---- */

static fa_tensor *result_of(const check *c)
{
    fa_tensor *y = c->function(c->options->context, c->inputs);
    if (!y)
        fa_fail(FA_ERROR_USER, "%s: the function returned NULL", who);
    return y;
}

/* Reads the elements of the result for the inputs as they are now. */
static bool values_read(const check *c, double *to)
{
    FA_SCOPE;
    fa_tensor *y = result_of(c);
    if (y && fa_numel(y) != c->outputs)
        return fa_fail(FA_ERROR_SHAPE, "%s: the function returned %lld elements, and %lld before", who,
                       (long long)fa_numel(y), (long long)c->outputs);
    return y && fa_read(y, to, FA_F64, c->outputs);
}

static bool elements_set(fa_tensor *x, const double *to)
{
    FA_SCOPE;
    return fa_copy_(x, fa_tensor_from(to, fa_tensor_shape(x), .dtype = FA_F64)) != NULL;
}

/* The differences of the result for element k of x, which holds `at`, and again does afterwards, also after an error.
 */
static bool differ(const check *c, fa_tensor *x, double *at, int64_t k, double *difference)
{
    const double was = at[k], eps = c->options->eps;
    fa_error caught = {0};
    {
        FA_USE(.catch_errors = &caught);
        at[k] = was + eps;
        bool good = elements_set(x, at) && values_read(c, difference);
        at[k] = was - eps;
        if (good && elements_set(x, at) && values_read(c, c->less))
            for (int64_t j = 0; j < c->outputs; j++)
                difference[j] = (difference[j] - c->less[j]) / (2 * eps);
    }
    at[k] = was;
    const bool restored = elements_set(x, at);
    fa__error_hand_over(&caught);
    return restored && !fa_error_stands();
}

static bool differ_all(const check *c, fa_tensor *x, double *difference)
{
    const int64_t n = fa_numel(x);
    double *at = fa__malloc((size_t)n * sizeof *at);
    bool good = at && fa_read(x, at, FA_F64, n);
    for (int64_t k = 0; good && k < n; k++)
        good = differ(c, x, at, k, difference + k * c->outputs);
    fa__free(at);
    return good;
}

/* ---- gradients ---- */

/* Compares the gradient of element j of the result, of which NULL is zeros, with the differences. */
static bool gradient_holds(const check *c, size_t input, const fa_tensor *gradient, int64_t j, const double *difference)
{
    const fa_gradcheck_options *o = c->options;
    const int64_t n = fa_numel(c->inputs.item[input]);
    double *ours = fa__calloc((size_t)n, sizeof *ours);
    bool good = ours && (!gradient || fa_read(gradient, ours, FA_F64, n));
    for (int64_t k = 0; good && k < n; k++) {
        const double theirs = difference[k * c->outputs + j];
        if (!(fabs(ours[k] - theirs) <= o->atol + o->rtol * fabs(theirs)))
            good =
                fa_fail(FA_ERROR_GRADIENT,
                        "%s: the gradient of element %lld of the result with respect to element %lld of input %zu is "
                        "%g, and finite differences give %g",
                        who, (long long)j, (long long)k, input, ours[k], theirs);
    }
    fa__free(ours);
    return good;
}

static bool row_holds(const check *c, const fa_tensor *y, int64_t j)
{
    FA_SCOPE;
    memset(c->less, 0, (size_t)c->outputs * sizeof *c->less);
    c->less[j] = 1;
    fa_tensor *one = fa_copy_(fa_zeros_like(y), fa_tensor_from(c->less, fa_tensor_shape(y), .dtype = FA_F64));
    const fa_tensors asked = {1, (fa_tensor *const[]){(fa_tensor *)(uintptr_t)y}};
    const double *difference = c->difference;
    for (size_t i = 0; i < c->inputs.count; i++) {
        fa_tensor *x = c->inputs.item[i];
        if (!fa_requires_grad(x))
            continue;
        fa_tensors g = fa_grad_of(asked, FA_TENSORS(x), .grad_outputs = FA_TENSORS(one), .retain_graph = true,
                                  .allow_unused = true);
        if (!g.count || !gradient_holds(c, i, g.item[0], j, difference))
            return false;
        difference += fa_numel(x) * c->outputs;
    }
    return true;
}

static bool gradients_hold(const check *c)
{
    FA_USE(.no_grad = false);
    fa_tensor *y = result_of(c);
    bool good = y != NULL;
    for (int64_t j = 0; good && j < c->outputs; j++)
        good = row_holds(c, y, j);
    return good;
}

/* ---- the whole ---- */

static bool inputs_are_good(fa_tensors inputs)
{
    bool any = false;
    for (size_t i = 0; i < inputs.count; i++) {
        const fa_tensor *x = inputs.item[i];
        if (!x)
            return fa_fail(FA_ERROR_ARGUMENT, "%s: input %zu is NULL", who, i);
        if (fa_requires_grad(x) && fa_tensor_dtype(x) != FA_F64)
            return fa_fail(FA_ERROR_DTYPE, "%s: input %zu is %s, in which differences are not exact: fa_to(x, FA_F64)",
                           who, i, fa_dtype_name(fa_tensor_dtype(x)));
        any = any || fa_requires_grad(x);
    }
    return any || fa_fail(FA_ERROR_GRADIENT, "%s: no input requires a gradient", who);
}

static bool options_are_good(const fa_gradcheck_options *o)
{
    return (o->eps > 0 && isfinite(o->eps) && o->atol >= 0 && o->rtol >= 0)
           || fa_fail(FA_ERROR_ARGUMENT, "%s: .eps is more than 0, and .atol and .rtol are 0 or more", who);
}

static bool count_outputs(check *c)
{
    FA_SCOPE;
    fa_tensor *y = result_of(c);
    c->outputs = y ? fa_numel(y) : 0;
    return y != NULL && !fa_error_stands();
}

/* Computes the differences of all inputs that are checked. */
static bool differences(check *c)
{
    FA_USE(.no_grad = true);
    size_t elements = 0;
    for (size_t i = 0; i < c->inputs.count; i++)
        elements += fa_requires_grad(c->inputs.item[i]) ? (size_t)fa_numel(c->inputs.item[i]) : 0;
    if (!count_outputs(c))
        return false;
    c->less = fa__calloc((size_t)c->outputs, sizeof *c->less);
    c->difference = c->less ? fa__calloc(elements * sizeof *c->less, (size_t)c->outputs) : NULL;
    double *at = c->difference;
    bool good = at != NULL;
    for (size_t i = 0; good && i < c->inputs.count; i++)
        if (fa_requires_grad(c->inputs.item[i])) {
            good = differ_all(c, c->inputs.item[i], at);
            at += fa_numel(c->inputs.item[i]) * c->outputs;
        }
    return good;
}

bool(fa_gradcheck)(fa_gradcheck_function *function, fa_tensors inputs, const fa_gradcheck_options *options)
{
    fa_gradcheck_options o = FA__DEFAULT_fa_gradcheck;
    fa__options_read(&o, o.size, options);
    if (fa_error_stands())
        return false;
    if (!function)
        return fa_fail(FA_ERROR_ARGUMENT, "%s: the function is NULL", who);
    if (!inputs_are_good(inputs) || !options_are_good(&o))
        return false;
    FA_SCOPE;
    check c = {.function = function, .inputs = inputs, .options = &o};
    const bool good = differences(&c) && gradients_hold(&c);
    fa__free(c.difference);
    fa__free(c.less);
    return good;
}
