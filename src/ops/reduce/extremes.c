/* Maximum and minimum over dimensions, argmax and argmin. */
#include "ops/reduce/reduce.h"

typedef struct {
    const fa_tensor *x;      /* at least one element along the reduced dimensions */
    fa_dims dim OPT(FA_ALL); /* one dimension, several as FA_DIMS(0, 2), or all: FA_ALL */
    bool keepdim OPT(false); /* true: keep the reduced dimensions with size 1 */
} amax_args;

static bool amax_infer(fa__call *c)
{
    const amax_args *a = c->args;
    unsigned set;
    if (!fa__dim_set(c, a->x, a->dim, &set) || !fa__infer_reduced(c, a->x, a->dim, a->keepdim, (fa_dtype)a->x->dtype))
        return false;
    return fa__reduced_count(a->x, set) || fa__call_fail(c, FA_ERROR_SHAPE, "there is nothing to choose from");
}

static bool amax_run(fa__call *c)
{
    const amax_args *a = c->args;
    unsigned set;
    return fa__dim_set(c, a->x, a->dim, &set)
           && fa__run_reduce(c, c->out[0], FA__COMBINE_MAX, "x", set, 1,
                             (fa__bound[]){{.name = "x", .value = fa__arg_t(a->x)}});
}

static bool amin_run(fa__call *c)
{
    const amax_args *a = c->args;
    unsigned set;
    return fa__dim_set(c, a->x, a->dim, &set)
           && fa__run_reduce(c, c->out[0], FA__COMBINE_MIN, "x", set, 1,
                             (fa__bound[]){{.name = "x", .value = fa__arg_t(a->x)}});
}

static void amax_grad(fa__back *b)
{
    const amax_args *a = b->args;
    fa_tensor *y = fa__undo_reduced(b->y[0], a->x, a->dim, a->keepdim);
    fa_tensor *g = fa__undo_reduced(b->gy[0], a->x, a->dim, a->keepdim);
    fa_tensor *top = fa_to(fa_eq(a->x, y), (fa_dtype)a->x->dtype);
    fa__set_input_grad(b, &a->x, fa_mul(top, fa_div(g, fa_sum(top, .dim = a->dim, .keepdim = a->dim != FA_ALL))));
}

/** The largest elements over dimensions. NaN counts as the largest; equal maxima share the gradient evenly. */
OP(amax, amax_args, (y), .infer = amax_infer, .run = amax_run, .grad = amax_grad, .keep = KEEP(x, y),
   TORCH("amax(x, () if dim is None else dim, keepdim)"),
   SAMPLES("d(3,4); d(3,4) dim=1; d(2,3,4) dim={0,-1} keepdim=true; t(5,3) dim=0; n(9); (); (0,3) dim=1"))

/** The smallest elements over dimensions. NaN counts as the smallest; equal minima share the gradient evenly. */
OP(amin, amax_args, (y), .infer = amax_infer, .run = amin_run, .grad = amax_grad, .keep = KEEP(x, y),
   TORCH("amin(x, () if dim is None else dim, keepdim)"),
   SAMPLES("d(3,4); d(3,4) dim=1; d(2,3,4) dim={0,-1} keepdim=true; t(5,3) dim=0; n(9); b(5); (); (0,3) dim=1"))

static fa_tensor *aminmax_compose(fa__call *c)
{
    const amax_args *a = c->args;
    c->out[1] = fa_amax(a->x, .dim = a->dim, .keepdim = a->keepdim);
    return c->out[1] ? fa_amin(a->x, .dim = a->dim, .keepdim = a->keepdim) : NULL;
}

/** The smallest and the largest elements over dimensions. NaN gives NaN for both; equal elements share the gradients
 *  evenly. */
OP(aminmax, amax_args, (min, max), .compose = aminmax_compose,
   TORCH("(amin(x, () if dim is None else dim, keepdim), amax(x, () if dim is None else dim, keepdim))"),
   SAMPLES("d(3,4); d(3,4) dim=1; d(2,3,4) dim={0,-1} keepdim=true; t(5,3) dim=0; n(9); b(5); (); (0,3) dim=1"))

typedef struct {
    const fa_tensor *x;      /* at least one element along dim */
    int64_t dim;             /* the dimension to reduce; negative counts from the end */
    bool keepdim OPT(false); /* true: keep dim with size 1 */
} max_args;

static bool max_infer(fa__call *c)
{
    const max_args *a = c->args;
    int d = fa__wrap_dim(c, a->x, a->dim);
    if (d < 0 || !fa__infer_reduced(c, a->x, a->dim, a->keepdim, (fa_dtype)a->x->dtype))
        return false;
    if (a->x->rank && a->x->shape[d] == 0)
        return fa__call_fail(c, FA_ERROR_SHAPE, "dimension %d is empty: there is nothing to choose from", d);
    c->spec[1] = c->spec[0];
    c->spec[1].dtype = FA_I64;
    return true;
}

static void max_grad(fa__back *b)
{
    const max_args *a = b->args;
    if (!a->x->rank) {
        fa__set_input_grad(b, &a->x, b->gy[0]);
        return;
    }
    fa_tensor *g = fa__undo_reduced(b->gy[0], a->x, a->dim, a->keepdim);
    fa_tensor *i = fa__undo_reduced(b->y[1], a->x, a->dim, a->keepdim);
    fa__set_input_grad(b, &a->x, fa_scatter_add(fa_zeros_like(a->x), a->dim, i, g));
}

/** The largest elements along a dimension and their indices (i64). NaN counts as the largest. Of equal elements the
 *  first is selected, and gets the whole gradient. For the maximum of all elements use fa_amax(). */
OP(max, max_args, (values, indices), .infer = max_infer, .grad = max_grad, .keep = KEEP(indices),
   TORCH("max(x, dim, keepdim)"),
   SAMPLES("d(3,4) 1; d(3,4) 0 keepdim=true; d(2,3,4) -2; t(5,3) 0; n(9) 0; () 0; (0,3) 1"))

/** The smallest elements along a dimension and their indices (i64). NaN counts as the smallest. Of equal elements the
 *  first is selected, and gets the whole gradient. For the minimum of all elements use fa_amin(). */
OP(min, max_args, (values, indices), .infer = max_infer, .grad = max_grad, .keep = KEEP(indices),
   TORCH("min(x, dim, keepdim)"),
   SAMPLES("d(3,4) 1; d(3,4) 0 keepdim=true; d(2,3,4) -2; t(5,3) 0; b(5) 0; n(9) 0; () 0; (0,3) 1"))

typedef struct {
    const fa_tensor *x;      /* at least one element along the reduced dimensions */
    fa_dims dim OPT(FA_ALL); /* one dimension; by default x is flattened */
    bool keepdim OPT(false); /* true: keep dim with size 1 */
} argmax_args;

static bool argmax_infer(fa__call *c)
{
    const argmax_args *a = c->args;
    unsigned set;
    if (!fa__dim_set(c, a->x, a->dim, &set) || !fa__infer_reduced(c, a->x, a->dim, a->keepdim, FA_I64))
        return false;
    if (a->dim != FA_ALL && set & (set - 1))
        return fa__call_fail(c, FA_ERROR_ARGUMENT, "%s searches one dimension, or all of them", c->op->name);
    return fa__reduced_count(a->x, set) || fa__call_fail(c, FA_ERROR_SHAPE, "there is nothing to choose from");
}

/** The index (i64) of the largest element along a dimension, or in the flattened x. NaN counts as the largest; of equal
 *  elements the first is selected. */
OP(argmax, argmax_args, (y), .infer = argmax_infer, .no_grad = "an index", DIFFERS("bool: bool has an order"),
   TORCH("argmax(x, dim, keepdim)"),
   SAMPLES("d(3,4); d(3,4) dim=1; d(3,4) dim=0 keepdim=true; t(5,3) dim=0; n(9); (); (0,3) dim=1"))

/** The index (i64) of the smallest element along a dimension, or in the flattened x. NaN counts as the smallest; of
 *  equal elements the first is selected. */
OP(argmin, argmax_args, (y), .infer = argmax_infer, .no_grad = "an index", DIFFERS("bool: as argmax"),
   TORCH("argmin(x, dim, keepdim)"),
   SAMPLES("d(3,4); d(3,4) dim=1; d(3,4) dim=0 keepdim=true; t(5,3) dim=0; n(9); (); (0,3) dim=1"))

#include "extremes.rows"
