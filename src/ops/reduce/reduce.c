/* Sum, mean, product, all and any. Reduced dimensions are removed from the result's shape, or kept with size 1
 * (keepdim). The summation order is fixed, a pairwise tree: the same bits on every device and for any number of
 * threads. */
#include "ops/reduce/reduce.h"
#include "dispatch/views.h"

/* The arguments of a reduction. */
typedef struct {
    const fa_tensor *x;      /* any dtype */
    fa_dims dim OPT(FA_ALL); /* one dimension, several as FA_DIMS(0, 2), or all: FA_ALL */
    bool keepdim OPT(false); /* true: keep the reduced dimensions with size 1 */
    fa_dtype
        dtype OPT(FA_SAME); /* dtype of the result; elements are converted first (f16 and bf16 accumulate in f32) */
} reduce_args;

static FA__HOT bool sum_infer(fa__call *c)
{
    const reduce_args *a = c->args;
    fa_dtype own = fa__dtype_is_float(a->x->dtype) ? (fa_dtype)a->x->dtype : FA_I64;
    return fa__infer_reduced(c, a->x, a->dim, a->keepdim, a->dtype ? a->dtype : own);
}

bool fa__run_sum(fa__call *c, fa_tensor *out, const fa_tensor *x, fa_dims dim)
{
    unsigned set;
    return fa__dim_set(c, x, dim, &set)
           && fa__run_reduce(c, out, FA__COMBINE_SUM, "x", set, 1, (fa__bound[]){{.name = "x", .value = fa__arg_t(x)}});
}

/* The reduction computed the negation of the result: negate it. */
static bool turn_round(fa__call *c)
{
    fa_tensor *y = c->out[0];
    return fa__run_expression(c, y, "y == 0", 1, (fa__bound[]){{.name = "y", .value = fa__arg_t(y)}});
}

static bool run_any(fa__call *c, const fa_tensor *x, fa_dims dim)
{
    unsigned set;
    return fa__dim_set(c, x, dim, &set)
           && fa__run_reduce(c, c->out[0], FA__COMBINE_PROD, "x == 0", set, 1,
                             (fa__bound[]){{.name = "x", .value = fa__arg_t(x)}})
           && turn_round(c);
}

/* A sum in bool is whether any element is nonzero: adding could cancel, or truncate fractions. */
static FA__HOT bool sum_run(fa__call *c)
{
    const reduce_args *a = c->args;
    fa_tensor *y = c->out[0];
    return y->dtype == FA_BOOL ? run_any(c, a->x, a->dim) : fa__run_sum(c, y, a->x, a->dim);
}

static FA__HOT void sum_grad(fa__back *b)
{
    const reduce_args *a = b->args;
    fa__set_input_grad(b, &a->x, fa__expanded(fa__undo_reduced(b->gy[0], a->x, a->dim, a->keepdim), a->x));
}

/** The sum over dimensions. Integers and bool are summed in i64; an empty sum is 0. With dtype bool the result is
 *  whether any element is nonzero. */
OP(sum, reduce_args, (y), .infer = sum_infer, .run = sum_run, .grad = sum_grad, .autocast = FA__CAST_F32,
   TORCH("sum(x, dim, keepdim, dtype=dtype)"),
   SAMPLES("(3,4); (3,4) dim=1; (2,3) dim=0 keepdim=true; (2,3,4) dim={0,2}; (0,3) dim=0; (); i(3,4) dim=0; (3,4) "
           "dtype=f64; b(7); i(9) dtype=bool; i(3,9) dim=1 dtype=bool; b(0) dtype=bool; b(7) dtype=u8"))

/* The gradient of elements that are not NaN; NaN gets 0. */
static void nansum_grad(fa__back *b)
{
    const reduce_args *a = b->args;
    fa_tensor *g = fa__undo_reduced(b->gy[0], a->x, a->dim, a->keepdim);
    fa__set_input_grad(b, &a->x, fa_where(fa_isnan(a->x), 0, g));
}

static bool nansum_run(fa__call *c)
{
    const reduce_args *a = c->args;
    fa_tensor *y = c->out[0];
    fa__bound bound[] = {{.name = "x", .value = fa__arg_t(a->x)}};
    unsigned set;
    if (!fa__dim_set(c, a->x, a->dim, &set))
        return false;
    if (y->dtype == FA_BOOL)
        return fa__run_reduce(c, y, FA__COMBINE_PROD, "x == 0 || x != x", set, 1, bound) && turn_round(c);
    return fa__run_reduce(c, y, FA__COMBINE_SUM, "x == x ? x : 0", set, 1, bound);
}

/** The sum over dimensions, counting NaN as 0. Integers and bool are summed in i64; an empty sum is 0. */
OP(nansum, reduce_args, (y), .infer = sum_infer, .run = nansum_run, .grad = nansum_grad, .keep = KEEP(x),
   .autocast = FA__CAST_F32, TORCH("nansum(x, dim, keepdim, dtype=dtype)"),
   SAMPLES("(3,4); (3,4) dim=1; (2,3,4) dim={0,2} keepdim=true; n(9); n(3,9) dim=0; (0,3) dim=0; (); i(3,4) dim=0; "
           "(3,4) dtype=f64; b(7); i(9) dtype=bool; i(3,9) dim=1 dtype=bool"))

static bool mean_infer(fa__call *c)
{
    const reduce_args *a = c->args;
    fa_dtype dtype = a->dtype ? a->dtype : (fa_dtype)a->x->dtype;
    if (!fa__dtype_is_float(dtype))
        return fa__call_fail(c, FA_ERROR_DTYPE, "the mean of %s is not defined: give .dtype a floating one",
                             fa_dtype_name(dtype));
    return fa__infer_reduced(c, a->x, a->dim, a->keepdim, dtype);
}

bool fa__run_mean(fa__call *c, fa_tensor *out, const fa_tensor *x, fa_dims dim)
{
    unsigned set;
    fa_tensor *sum = !fa__dtype_is_half(out->dtype) ? out : fa__between(c, out);
    if (!sum || !fa__dim_set(c, x, dim, &set) || !fa__run_sum(c, sum, x, dim))
        return false;
    fa__bound bound[] = {{.name = "s", .value = fa__arg_t(sum)},
                         {.name = "n", .value = fa__arg_f((double)fa__reduced_count(x, set))}};
    return fa__run_expression(c, out, "s / n", 2, bound);
}

static bool mean_run(fa__call *c)
{
    const reduce_args *a = c->args;
    return fa__run_mean(c, c->out[0], a->x, a->dim);
}

static void mean_grad(fa__back *b)
{
    const reduce_args *a = b->args;
    unsigned set;
    if (!fa__dim_set(NULL, a->x, a->dim, &set))
        return;
    fa_tensor *g = fa_div(fa__undo_reduced(b->gy[0], a->x, a->dim, a->keepdim), (double)fa__reduced_count(a->x, set));
    fa__set_input_grad(b, &a->x, fa__expanded(g, a->x));
}

/** The mean over dimensions, accumulated in f32 or f64. The mean of no elements is NaN. Integers are an error. */
OP(mean, reduce_args, (y), .infer = mean_infer, .run = mean_run, .grad = mean_grad,
   TORCH("mean(x, dim, keepdim, dtype=dtype)"),
   SAMPLES("(3,4); (3,4) dim=1; (2,3) dim=0 keepdim=true; (2,3,4) dim={0,-1}; (0,3) dim=0; (); i(3) dtype=f32"))

/* At least f32: the sum of f16 or bf16 elements may overflow although the mean does not. */
static fa_tensor *nanmean_compose(fa__call *c)
{
    const reduce_args *a = c->args;
    fa_dtype dtype = a->dtype ? a->dtype : (fa_dtype)a->x->dtype, wide = dtype == FA_F64 ? FA_F64 : FA_F32;
    if (!fa__dtype_is_float(dtype) || !fa__dtype_is_float(a->x->dtype)) {
        fa__call_fail(c, FA_ERROR_DTYPE, "the mean of %s in %s is not defined: fa_to converts",
                      fa_dtype_name((fa_dtype)a->x->dtype), fa_dtype_name(dtype));
        return NULL;
    }
    fa_tensor *sum = fa_nansum(a->x, .dim = a->dim, .keepdim = a->keepdim, .dtype = wide);
    fa_tensor *count = fa_sum(fa_eq(a->x, a->x), .dim = a->dim, .keepdim = a->keepdim);
    return fa_to(fa_div(sum, count), dtype);
}

/** The mean over dimensions, ignoring NaN; if all elements are NaN the result is NaN. Integers are an error. */
OP(nanmean, reduce_args, (y), .compose = nanmean_compose, TORCH("nanmean(x, dim, keepdim, dtype=dtype)"),
   SAMPLES("(3,4); (3,4) dim=1; (2,3,4) dim={0,2} keepdim=true; n(9); n(3,9) dim=0; (0,3) dim=0; (); (3,4) dtype=f64"))

static bool prod_run(fa__call *c)
{
    const reduce_args *a = c->args;
    fa_tensor *y = c->out[0];
    fa__bound bound[] = {{.name = "x", .value = fa__arg_t(a->x)}};
    unsigned set;
    if (!fa__dim_set(c, a->x, a->dim, &set))
        return false;
    return y->dtype == FA_BOOL ? fa__run_reduce(c, y, FA__COMBINE_PROD, "x != 0", set, 1, bound)
                               : fa__run_reduce(c, y, FA__COMBINE_PROD, "x", set, 1, bound);
}

/* One dimension after the other: an element's gradient is the product of the others. Nothing is divided, so zeros are
 * handled exactly. */
static void prod_grad(fa__back *b)
{
    const reduce_args *a = b->args;
    fa_tensor *part[FA_MAX_DIMS] = {fa_to(a->x, (fa_dtype)b->gy[0]->dtype)};
    fa_tensor *g = fa__undo_reduced(b->gy[0], a->x, a->dim, a->keepdim);
    int along[FA_MAX_DIMS], n = 0;
    unsigned set;
    if (!fa__dim_set(NULL, a->x, a->dim, &set))
        return;
    FA__EACH_BIT (d, set) {
        along[n++] = (int)d;
        if (n < FA_MAX_DIMS)
            part[n] = fa_prod(part[n - 1], .dim = d, .keepdim = true);
    }
    while (n-- > 0)
        g = fa_mul(g, fa__product_of_others(part[n], along[n]));
    fa__set_input_grad(b, &a->x, g);
}

/** The product over dimensions. Integers and bool are multiplied in i64; an empty product is 1. The gradient is exact
 *  also if elements are 0. */
OP(prod, reduce_args, (y), .infer = sum_infer, .run = prod_run, .grad = prod_grad, .keep = KEEP(x),
   .autocast = FA__CAST_F32, .autocast_cpu = FA__CAST_F32,
   TORCH("prod(x, dtype=dtype) if dim is None else prod(x, dim, keepdim, dtype=dtype) if isinstance(dim, int) else "
         "prod(prod(x, dim[1], True, dtype=dtype), dim[0], True).squeeze(dim)"),
   SAMPLES("(3,4); (3,4) dim=1; (2,3) dim=0 keepdim=true; (2,3,2) dim={0,2}; t(5,3) dim=0; t(5,3) dim=1; t(3); (0,3) "
           "dim=0; "
           "(); i(3,4) dim=0; (3,4) dtype=f64; b(7); n(9); i(9) dtype=bool; b(0) dtype=bool"))

/* ---- logical reductions ---- */

typedef struct {
    const fa_tensor *x;      /* any dtype; nonzero elements are true, including NaN */
    fa_dims dim OPT(FA_ALL); /* one dimension, several as FA_DIMS(0, 2), or all: FA_ALL */
    bool keepdim OPT(false); /* true: keep the reduced dimensions with size 1 */
} truth_args;

static bool truth_infer(fa__call *c)
{
    const truth_args *a = c->args;
    return fa__infer_reduced(c, a->x, a->dim, a->keepdim, FA_BOOL);
}

static bool all_run(fa__call *c)
{
    const truth_args *a = c->args;
    unsigned set;
    return fa__dim_set(c, a->x, a->dim, &set)
           && fa__run_reduce(c, c->out[0], FA__COMBINE_PROD, "x != 0", set, 1,
                             (fa__bound[]){{.name = "x", .value = fa__arg_t(a->x)}});
}

static bool any_run(fa__call *c)
{
    const truth_args *a = c->args;
    return run_any(c, a->x, a->dim);
}

/** Whether all elements over dimensions are true (nonzero), as bool. An empty input gives true. PyTorch returns u8 for
 *  u8. */
OP(all, truth_args, (y), .infer = truth_infer, .exact = true, .run = all_run, .no_grad = "a comparison",
   TORCH("all(x, dim, keepdim).bool()"),
   SAMPLES("(3,4); t(3,4) dim=1; b(2,3) dim=0 keepdim=true; t(2,3,2) dim={0,-1}; b(2000); i(5); (0,3) dim=0; (); n(9)"))

/** Whether any element over dimensions is true (nonzero), as bool. An empty input gives false. PyTorch returns u8 for
 *  u8. */
OP(any, truth_args, (y), .infer = truth_infer, .exact = true, .run = any_run, .no_grad = "a comparison",
   TORCH("any(x, dim, keepdim).bool()"),
   SAMPLES("(3,4); t(3,4) dim=1; b(2,3) dim=0 keepdim=true; t(2,3,2) dim={0,-1}; b(2000); i(5); (0,3) dim=0; (); n(9)"))

static fa_tensor *count_nonzero_compose(fa__call *c)
{
    const truth_args *a = c->args;
    return fa_sum(fa_ne(a->x, 0), .dim = a->dim, .keepdim = a->keepdim);
}

/** The number of nonzero elements over dimensions, as i64; NaN counts as nonzero. */
OP(count_nonzero, truth_args, (y), .compose = count_nonzero_compose, TORCH("(x != 0).sum(dim, keepdim)"),
   SAMPLES("(3,4); t(3,4) dim=1; b(2,3) dim=0 keepdim=true; t(2,3,2) dim={0,-1}; (0,3) dim=0; (); n(9)"))

/* ---- undoing a broadcast ---- */

typedef struct {
    const fa_tensor *x; /* the tensor to reduce */
    fa_like like;       /* only its shape is used */
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
    /* the result with leading dimensions of size 1, so that every dimension is kept */
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
    fa__set_input_grad(b, &a->x, fa__expanded(b->gy[0], a->x));
}

/** Sums x over the dimensions in which `like` was broadcast to x's shape: the gradient of broadcasting. The result has
 *  like's shape. Integers and bool are summed in i64. */
OP(sum_to, like_args, (y), .infer = sum_to_infer, .run = sum_to_run, .grad = sum_to_grad, TORCH("sum_to(x, like)"),
   ALSO("`sum_to_size`"), SAMPLES("(3,4) (4); (3,4) (3,1); (3,4) (); (2,3,4) (3,1); (3) (3)"))

#include "reduce.rows"
