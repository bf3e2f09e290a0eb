/* Reductions over dimensions, which are left out of the result's shape, or have size 1 there (keepdim). One fixed
 * tree: the same bits on every device and for any number of threads. */
#include "ops/promote.h"
#include "ops/row.h"
#include "ops/views.h"
#include <math.h>

/* What a reduction takes. */
typedef struct {
    const fa_tensor *x;          /* any dtype */
    fa_dims dim OPT(FA_ALL);     /* one dimension, FA_DIMS(0, 2), or all of them */
    bool keepdim OPT(false);     /* keep what was reduced with size 1 */
    fa_dtype dtype OPT(FA_SAME); /* of the result; elements are converted before they are added */
} reduce_args;

static FA__HOT bool sum_infer(fa__call *c)
{
    const reduce_args *a = c->args;
    fa_dtype own = fa__dtype_is_float(a->x->dtype) ? (fa_dtype)a->x->dtype : FA_I64;
    return fa__infer_reduced(c, a->x, a->dim, a->keepdim, a->dtype ? a->dtype : own);
}

static bool sum_into(fa__call *c, fa_tensor *out, const fa_tensor *x, fa_dims dim)
{
    unsigned set;
    return fa__dim_set(c, x, dim, &set)
           && fa__run_reduce(c, out, FA__COMBINE_SUM, "x", set, 1, (fa__bound[]){{.name = "x", .value = fa__arg_t(x)}});
}

static FA__HOT bool sum_run(fa__call *c)
{
    const reduce_args *a = c->args;
    return sum_into(c, c->out[0], a->x, a->dim);
}

static FA__HOT void sum_grad(fa__back *b)
{
    const reduce_args *a = b->args;
    fa__give(b, &a->x, fa__expanded(fa__undo_reduced(b->gy[0], a->x, a->dim, a->keepdim), a->x));
}

/** Sum over dimensions. Integers and bool are summed in i64; an empty sum is 0. */
OP(sum, reduce_args, (y), .infer = sum_infer, .run = sum_run, .grad = sum_grad, .autocast = FA__CAST_F32,
   TORCH("sum(x, dim, keepdim, dtype=dtype)"),
   SAMPLES("(3,4); (3,4) dim=1; (2,3) dim=0 keepdim=true; (2,3,4) dim={0,2}; (0,3) dim=0; (); i(3,4) dim=0; (3,4) "
           "dtype=f64; b(7)"))

/* A tensor for what comes in between, in the dtype that the result computes in. */
static fa_tensor *between(fa__call *c, const fa_tensor *like)
{
    fa_dtype dtype = like->dtype == FA_F64 ? FA_F64 : FA_F32;
    return fa__own(fa__tensor_empty(c->device, dtype, like->rank, like->shape, c->queue));
}

static int64_t reduced_count(const fa_tensor *x, unsigned set)
{
    int64_t n = 1;
    for (int i = 0; i < x->rank; i++)
        n *= set >> i & 1 ? x->shape[i] : 1;
    return n;
}

static bool mean_infer(fa__call *c)
{
    const reduce_args *a = c->args;
    fa_dtype dtype = a->dtype ? a->dtype : (fa_dtype)a->x->dtype;
    if (!fa__dtype_is_float(dtype))
        return fa__call_fail(c, FA_ERROR_DTYPE, "the mean of %s is not defined: give .dtype a floating one",
                             fa_dtype_name(dtype));
    return fa__infer_reduced(c, a->x, a->dim, a->keepdim, dtype);
}

static bool mean_into(fa__call *c, fa_tensor *out, const fa_tensor *x, fa_dims dim)
{
    unsigned set;
    fa_tensor *sum = out->dtype >= FA_F32 ? out : between(c, out);
    if (!sum || !fa__dim_set(c, x, dim, &set) || !sum_into(c, sum, x, dim))
        return false;
    fa__bound bound[] = {{.name = "s", .value = fa__arg_t(sum)},
                         {.name = "n", .value = fa__arg_f((double)reduced_count(x, set))}};
    return fa__run_expression(c, out, "s / n", 2, bound);
}

static bool mean_run(fa__call *c)
{
    const reduce_args *a = c->args;
    return mean_into(c, c->out[0], a->x, a->dim);
}

static void mean_grad(fa__back *b)
{
    const reduce_args *a = b->args;
    unsigned set;
    if (!fa__dim_set(NULL, a->x, a->dim, &set))
        return;
    fa_tensor *g = fa_div(fa__undo_reduced(b->gy[0], a->x, a->dim, a->keepdim), (double)reduced_count(a->x, set));
    fa__give(b, &a->x, fa__expanded(g, a->x));
}

/** Mean over dimensions, computed in f32 or f64; of nothing it is NaN. Integers are an error. */
OP(mean, reduce_args, (y), .infer = mean_infer, .run = mean_run, .grad = mean_grad,
   TORCH("mean(x, dim, keepdim, dtype=dtype)"),
   SAMPLES("(3,4); (3,4) dim=1; (2,3) dim=0 keepdim=true; (2,3,4) dim={0,-1}; (0,3) dim=0; (); i(3) dtype=f32"))

typedef struct {
    const fa_tensor *x;       /* floating */
    fa_dims dim OPT(FA_ALL);  /* one dimension, FA_DIMS(0, 2), or all of them */
    double correction OPT(1); /* the sum of squares is divided by the number of elements less this */
    bool keepdim OPT(false);  /* keep what was reduced with size 1 */
} var_args;

static bool var_infer(fa__call *c)
{
    const var_args *a = c->args;
    if (!fa__dtype_is_float(a->x->dtype))
        return fa__call_fail(c, FA_ERROR_DTYPE, "the variance of %s is not defined",
                             fa_dtype_name((fa_dtype)a->x->dtype));
    if (isnan(a->correction))
        return fa__call_fail(c, FA_ERROR_ARGUMENT, "the correction is NaN");
    return fa__infer_reduced(c, a->x, a->dim, a->keepdim, (fa_dtype)a->x->dtype);
}

/* What the sum of squares is divided by; 0 at least. */
static double degrees(const var_args *a, unsigned set)
{
    double n = (double)reduced_count(a->x, set) - a->correction;
    return n > 0 ? n : 0;
}

static bool var_run(fa__call *c)
{
    const var_args *a = c->args;
    fa_tensor *y = c->out[0];
    unsigned set;
    if (!fa__dim_set(c, a->x, a->dim, &set))
        return false;
    int64_t kept[FA_MAX_DIMS];
    for (int i = 0; i < a->x->rank; i++)
        kept[i] = set >> i & 1 ? 1 : a->x->shape[i];
    fa_dtype dtype = y->dtype == FA_F64 ? FA_F64 : FA_F32;
    fa_tensor *mean = fa__own(fa__tensor_empty(c->device, dtype, a->x->rank, kept, c->queue));
    fa_tensor *sum = between(c, y);
    if (!mean || !sum || !mean_into(c, mean, a->x, a->dim))
        return false;
    fa__bound squares[] = {{.name = "x", .value = fa__arg_t(a->x)}, {.name = "m", .value = fa__arg_t(mean)}};
    fa__bound quotient[] = {{.name = "s", .value = fa__arg_t(sum)}, {.name = "n", .value = fa__arg_f(degrees(a, set))}};
    return fa__run_reduce(c, sum, FA__COMBINE_SUM, "(x - m) * (x - m)", set, 2, squares)
           && fa__run_expression(c, y, "s / n", 2, quotient);
}

static void var_grad(fa__back *b)
{
    const var_args *a = b->args;
    unsigned set;
    if (!fa__dim_set(NULL, a->x, a->dim, &set))
        return;
    fa_tensor *deviation = fa_sub(a->x, fa_mean(a->x, .dim = a->dim, .keepdim = true));
    fa_tensor *g = fa__undo_reduced(b->gy[0], a->x, a->dim, a->keepdim);
    fa__give(b, &a->x, fa_mul(fa_mul(deviation, g), 2 / degrees(a, set)));
}

/** Variance over dimensions, in two passes; with correction 1 that of one element is NaN. */
OP(var, var_args, (y), .infer = var_infer, .run = var_run, .grad = var_grad, .keep = KEEP(x),
   TORCH("var(x, dim, correction=correction, keepdim=keepdim)"),
   SAMPLES("(3,4); (3,4) dim=1; (2,3) dim=0 keepdim=true; (2,3,4) dim={0,-1} correction=0; (1,3) dim=0"))

typedef struct {
    const fa_tensor *x;      /* at least one element to choose from */
    fa_dims dim OPT(FA_ALL); /* one dimension, FA_DIMS(0, 2), or all of them */
    bool keepdim OPT(false); /* keep what was reduced with size 1 */
} amax_args;

static bool amax_infer(fa__call *c)
{
    const amax_args *a = c->args;
    unsigned set;
    if (!fa__dim_set(c, a->x, a->dim, &set) || !fa__infer_reduced(c, a->x, a->dim, a->keepdim, (fa_dtype)a->x->dtype))
        return false;
    return reduced_count(a->x, set) || fa__call_fail(c, FA_ERROR_SHAPE, "there is nothing to choose from");
}

static bool amax_run(fa__call *c)
{
    const amax_args *a = c->args;
    unsigned set;
    return fa__dim_set(c, a->x, a->dim, &set)
           && fa__run_reduce(c, c->out[0], FA__COMBINE_MAX, "x", set, 1,
                             (fa__bound[]){{.name = "x", .value = fa__arg_t(a->x)}});
}

static void amax_grad(fa__back *b)
{
    const amax_args *a = b->args;
    fa_tensor *y = fa__undo_reduced(b->y[0], a->x, a->dim, a->keepdim);
    fa_tensor *g = fa__undo_reduced(b->gy[0], a->x, a->dim, a->keepdim);
    fa_tensor *top = fa_to(fa_eq(a->x, y), (fa_dtype)a->x->dtype);
    fa__give(b, &a->x, fa_mul(top, fa_div(g, fa_sum(top, .dim = a->dim, .keepdim = a->dim != FA_ALL))));
}

/** The largest elements over dimensions. NaN is larger than everything; equal ones share the gradient evenly. */
OP(amax, amax_args, (y), .infer = amax_infer, .run = amax_run, .grad = amax_grad, .keep = KEEP(x, y),
   TORCH("amax(x, () if dim is None else dim, keepdim)"),
   SAMPLES("d(3,4); d(3,4) dim=1; d(2,3,4) dim={0,-1} keepdim=true; t(5,3) dim=0; n(9); (); (0,3) dim=1"))

typedef struct {
    const fa_tensor *x;      /* at least one element along dim */
    int64_t dim;             /* the dimension to search; negative counts from the end */
    bool keepdim OPT(false); /* keep dim with size 1 */
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
        fa__give(b, &a->x, b->gy[0]);
        return;
    }
    fa_tensor *g = fa__undo_reduced(b->gy[0], a->x, a->dim, a->keepdim);
    fa_tensor *i = fa__undo_reduced(b->y[1], a->x, a->dim, a->keepdim);
    fa__give(b, &a->x, fa_scatter_add(fa_zeros_like(a->x), a->dim, i, g));
}

/** The largest elements along a dimension, and where they are. NaN is larger than everything; of equal elements the
 *  first is chosen, and gets the whole gradient. */
OP(max, max_args, (values, indices), .infer = max_infer, .grad = max_grad, .keep = KEEP(indices),
   TORCH("max(x, dim, keepdim)"),
   SAMPLES("d(3,4) 1; d(3,4) 0 keepdim=true; d(2,3,4) -2; t(5,3) 0; n(9) 0; () 0; (0,3) 1"))

typedef struct {
    const fa_tensor *x;      /* at least one element to choose from */
    fa_dims dim OPT(FA_ALL); /* one dimension; by default the place among all elements, row-major */
    bool keepdim OPT(false); /* keep dim with size 1 */
} argmax_args;

static bool argmax_infer(fa__call *c)
{
    const argmax_args *a = c->args;
    unsigned set;
    if (!fa__dim_set(c, a->x, a->dim, &set) || !fa__infer_reduced(c, a->x, a->dim, a->keepdim, FA_I64))
        return false;
    if (a->dim != FA_ALL && set & (set - 1))
        return fa__call_fail(c, FA_ERROR_ARGUMENT, "argmax searches one dimension, or all of them");
    return reduced_count(a->x, set) || fa__call_fail(c, FA_ERROR_SHAPE, "there is nothing to choose from");
}

/** Where the largest element is, along a dimension or among all. NaN is larger than everything; of equal elements the
 *  first is chosen. */
OP(argmax, argmax_args, (y), .infer = argmax_infer, .no_grad = "an index", TORCH("argmax(x, dim, keepdim)"),
   SAMPLES("d(3,4); d(3,4) dim=1; d(3,4) dim=0 keepdim=true; t(5,3) dim=0; n(9); (); (0,3) dim=1"))

typedef struct {
    const fa_tensor *x; /* to be made larger or smaller */
    fa_like like;       /* gives the shape, nothing else */
} like_args;

static bool sum_to_infer(fa__call *c)
{
    const like_args *a = c->args;
    for (int i = 0; i < a->like->rank; i++) {
        int d = a->x->rank - a->like->rank + i;
        if (d < 0 || (a->like->shape[i] != a->x->shape[d] && a->like->shape[i] != 1))
            return fa__call_fail(c, FA_ERROR_SHAPE, "the first shape is no broadcast of the second");
    }
    return fa__infer_like(c, a->like, fa__dtype_is_float(a->x->dtype) ? (fa_dtype)a->x->dtype : FA_I64);
}

static bool sum_to_run(fa__call *c)
{
    const like_args *a = c->args;
    fa_tensor *y = c->out[0];
    int more = a->x->rank - y->rank;
    unsigned set = 0;
    for (int i = 0; i < a->x->rank; i++)
        if (i < more || y->shape[i - more] != a->x->shape[i])
            set |= 1U << i;
    /* the result with the leading dimensions that it lacks: all of size 1, so that all dimensions are kept */
    fa_tensor *wide = fa__own(fa__tensor_alias(y));
    if (!wide)
        return false;
    wide->rank = a->x->rank;
    for (int i = 0; i < a->x->rank; i++) {
        wide->shape[i] = i < more ? 1 : y->shape[i - more];
        wide->stride[i] = i < more ? 0 : y->stride[i - more];
    }
    return fa__run_reduce(c, wide, FA__COMBINE_SUM, "x", set, 1,
                          (fa__bound[]){{.name = "x", .value = fa__arg_t(a->x)}});
}

static void sum_to_grad(fa__back *b)
{
    const like_args *a = b->args;
    fa__give(b, &a->x, fa__expanded(b->gy[0], a->x));
}

/** Undoes a broadcast: sums x down to the shape of another tensor. Integers and bool are summed in i64. */
OP(sum_to, like_args, (y), .infer = sum_to_infer, .run = sum_to_run, .grad = sum_to_grad, TORCH("sum_to(x, like)"),
   SAMPLES("(3,4) (4); (3,4) (3,1); (3,4) (); (2,3,4) (3,1); (3) (3)"))

#include "reduce.rows"
