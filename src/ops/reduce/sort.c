/* Sorting, top-k and k-th value. */
#include "dispatch/row.h"

static int64_t size_along(const fa_tensor *x, int d)
{
    return x->rank ? x->shape[d] : 1;
}

/* Sets the spec of the indices to the shape of the values' spec. */
static bool infer_indices(fa__call *c)
{
    c->spec[1] = c->spec[0];
    c->spec[1].dtype = FA_I64;
    return true;
}

/* The gradient of elements selected by `indices` along dim: gy is scattered there, other elements get 0. */
static void give_placed(fa__back *b, const fa_tensor *const *x, int64_t dim, fa_tensor *gy, fa_tensor *indices)
{
    fa__set_input_grad(b, x, (*x)->rank ? fa_scatter_add(fa_zeros_like(*x), dim, indices, gy) : gy);
}

typedef struct {
    const fa_tensor *x;
    int64_t dim OPT(-1);        /* the dimension to sort along; negative counts from the end */
    bool descending OPT(false); /* true: the largest element first */
} sort_args;

static bool sort_infer(fa__call *c)
{
    const sort_args *a = c->args;
    return fa__wrap_dim(c, a->x, a->dim) >= 0 && fa__infer_like(c, a->x, (fa_dtype)a->x->dtype) && infer_indices(c);
}

static void sort_grad(fa__back *b)
{
    const sort_args *a = b->args;
    give_placed(b, &a->x, a->dim, b->gy[0], b->y[1]);
}

/** Sorts x along a dimension: the sorted values, and their indices in x (i64). The sort is stable, also in descending
 *  order (PyTorch guarantees this only with stable=True). NaN counts as the largest and equal to itself; -0 equals
 *  0. */
OP(sort, sort_args, (values, indices), .infer = sort_infer, .grad = sort_grad, .keep = KEEP(indices),
   TORCH("sort(x, dim=dim, descending=descending, stable=True)"), ALSO("`msort` along dim 0"),
   SAMPLES("d(3,4); d(3,4) dim=0; d(3,4) descending=true; d(2,3,4) dim=-2 descending=true; t(5,7); t(5,7) dim=0 "
           "descending=true; n(9); n(9) descending=true; (); (0,3); (3,0) dim=1; (1030,0) dim=0; d(2,70); i(9); b(9) "
           "descending=true"))

static fa_tensor *argsort_compose(fa__call *c)
{
    const sort_args *a = c->args;
    return fa_sort(a->x, .dim = a->dim, .descending = a->descending).indices;
}

/** The indices (i64) that sort x along a dimension, as fa_sort() returns them. */
OP(argsort, sort_args, (y), .compose = argsort_compose,
   TORCH("argsort(x, dim=dim, descending=descending, stable=True)"),
   SAMPLES("d(3,4); d(3,4) dim=0; t(5,7) descending=true; n(9); (); (0,3); (0,1030)"))

typedef struct {
    const fa_tensor *x;
    int64_t k;              /* number of elements, at most the size of dim */
    int64_t dim OPT(-1);    /* the dimension to reduce; negative counts from the end */
    bool largest OPT(true); /* false: the smallest elements */
} topk_args;

static bool topk_infer(fa__call *c)
{
    const topk_args *a = c->args;
    int d = fa__wrap_dim(c, a->x, a->dim);
    if (d < 0 || !fa__infer_like(c, a->x, (fa_dtype)a->x->dtype))
        return false;
    if (a->k < 0 || a->k > size_along(a->x, d))
        return fa__call_fail(c, FA_ERROR_ARGUMENT, "k has to be 0 to %lld, the size of dimension %d",
                             (long long)size_along(a->x, d), d);
    if (!a->x->rank && !a->k)
        return fa__call_fail(c, FA_ERROR_ARGUMENT, "x is 0-dim: k can only be 1");
    if (a->x->rank)
        c->spec[0].shape[d] = a->k;
    return infer_indices(c);
}

static void topk_grad(fa__back *b)
{
    const topk_args *a = b->args;
    give_placed(b, &a->x, a->dim, b->gy[0], b->y[1]);
}

/** The k largest elements along a dimension in descending order, or the k smallest in ascending order, and their
 *  indices (i64). Of equal elements the one with the lower index comes first (PyTorch does not specify this). NaN
 *  counts as the largest. Results are always sorted; for a 0-dim x, k = 0 is an error, where PyTorch uses 1. */
OP(topk, topk_args, (values, indices), .infer = topk_infer, .grad = topk_grad, .keep = KEEP(indices),
   DIFFERS("bool: false and true have an order: sort has them"), TORCH("topk(x, k, dim, largest)"),
   SAMPLES("d(3,4) 2; d(3,4) 2 dim=0; d(3,4) 3 largest=false; d(2,3,4) 1 dim=1; d(5) 0; () 1; () 1 dim=0 "
           "largest=false; (0,3) 2; (1030,0) 2 dim=0; d(2,70) 5"))

typedef struct {
    const fa_tensor *x;      /* at least one element along dim */
    int64_t k;               /* which element, from 1 (the smallest) */
    int64_t dim OPT(-1);     /* the dimension to reduce; negative counts from the end */
    bool keepdim OPT(false); /* true: keep dim with size 1 */
} kthvalue_args;

static bool kthvalue_infer(fa__call *c)
{
    const kthvalue_args *a = c->args;
    int d = fa__wrap_dim(c, a->x, a->dim);
    if (d < 0 || !fa__infer_reduced(c, a->x, a->dim, a->keepdim, (fa_dtype)a->x->dtype))
        return false;
    if (a->k < 1 || a->k > size_along(a->x, d))
        return fa__call_fail(c, FA_ERROR_ARGUMENT, "k has to be 1 to %lld, the size of dimension %d",
                             (long long)size_along(a->x, d), d);
    return infer_indices(c);
}

static void kthvalue_grad(fa__back *b)
{
    const kthvalue_args *a = b->args;
    fa_tensor *g = fa__undo_reduced(b->gy[0], a->x, a->dim, a->keepdim);
    give_placed(b, &a->x, a->dim, g, fa__undo_reduced(b->y[1], a->x, a->dim, a->keepdim));
}

/** The k-th smallest element along a dimension and its index (i64), as at position k - 1 of fa_sort(). NaN counts as
 *  the largest. */
OP(kthvalue, kthvalue_args, (values, indices), .infer = kthvalue_infer, .grad = kthvalue_grad, .keep = KEEP(indices),
   TORCH("kthvalue(x, k, dim, keepdim)"),
   SAMPLES("d(3,4) 2; d(3,4) 3 dim=0; d(2,3,4) 1 dim=1 keepdim=true; () 1; () 1 dim=0 keepdim=true; d(2,70) 35; (0,3) "
           "1; (0,1030) 7"))

#include "sort.rows"
