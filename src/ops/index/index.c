/* Selecting, gathering and joining. An index out of range is an error that names the index, on every device. */
#include "ops/index/index.h"
#include "dispatch/promote.h"
#include "dispatch/row.h"

typedef struct {
    const fa_tensor *x;
    int64_t dim;            /* the dimension to index; negative counts from the end */
    const fa_tensor *index; /* (k) or (), integers from 0 to the size of dim - 1 */
} index_select_args;

static bool index_select_infer(fa__call *c)
{
    const index_select_args *a = c->args;
    if (a->index->rank > 1)
        return fa__call_fail(c, FA_ERROR_SHAPE, "index has %d dimensions, not one", a->index->rank);
    if (!a->x->rank && fa__numel(a->index) != 1)
        return fa__call_fail(c, FA_ERROR_SHAPE, "x is 0-dim: index can only be one 0");
    return fa__check_index(c, a->index, "index") && fa__infer_resized(c, a->x, a->dim, fa__numel(a->index));
}

static void index_select_grad(fa__back *b)
{
    const index_select_args *a = b->args;
    fa__set_input_grad(b, &a->x, fa__index_sum(b->gy[0], a->dim, a->index, a->x->rank ? fa_size(a->x, a->dim) : 1));
}

/** The slices of x along dim at the positions in index, in that order. The result has x's shape with size k in
 *  dimension dim (1 if index is 0-dim). */
OP(index_select, index_select_args, (y), .infer = index_select_infer, .exact = true, .grad = index_select_grad,
   .keep = KEEP(index), .index = FIELDS(index), TORCH("index_select(x, dim, index)"),
   SAMPLES("(3,4) 1 i(6)<4; (3,4) 0 i(2)<3; (3,4) -1 i(0)<4; (5) 0 i()<5; (2,3,4) 1 i(4)<3; () 0 i()<1; () -1 i(1)<1"))

typedef struct {
    const fa_tensor *x;
    int64_t dim;            /* the dimension that index refers to */
    const fa_tensor *index; /* (k) or (), integers: the position each slice is added to */
    int64_t size;           /* the size of dim in the result */
} index_sum_args;

static bool index_sum_infer(fa__call *c)
{
    const index_sum_args *a = c->args;
    int d = fa__wrap_dim(c, a->x, a->dim);
    if (d < 0 || !fa__check_index(c, a->index, "index"))
        return false;
    if (a->index->rank > 1 || (a->x->rank ? a->x->shape[d] : 1) != fa__numel(a->index))
        return fa__call_fail(c, FA_ERROR_SHAPE, "index has to name a place for each slice along dim");
    if (!a->x->rank && a->size == 1)
        return fa__infer_like(c, a->x, (fa_dtype)a->x->dtype);
    return fa__infer_resized(c, a->x, a->dim, a->size);
}

static void index_sum_grad(fa__back *b)
{
    const index_sum_args *a = b->args;
    fa__set_input_grad(b, &a->x, fa_index_select(b->gy[0], a->dim, a->index));
}

/** A tensor of zeros, with size `size` along dim, to which each slice of x is added at its position in index: the
 *  gradient of index_select with respect to its input. The additions are done in the order of index, so every device
 *  gives the same bits. */
OP(index_sum, index_sum_args, (y), .infer = index_sum_infer, .accumulate_f32 = true, .grad = index_sum_grad,
   .keep = KEEP(index), .index = FIELDS(index), INTERNAL, TORCH(""),
   SAMPLES("(2,4) 1 i(4)<3 3; (3,2) 0 i(3)<5 5; (2,0) 1 i(0)<3 3"))

typedef struct {
    const fa_tensor *x;
    int64_t dim;            /* the dimension to gather along; negative counts from the end */
    const fa_tensor *index; /* integers; as many dimensions as x, and no larger than x except along dim */
} gather_args;

static bool gather_infer(fa__call *c)
{
    const gather_args *a = c->args;
    int d = fa__wrap_dim(c, a->x, a->dim);
    return d >= 0 && fa__check_index(c, a->index, "index") && fa__fits_index(c, a->x, a->index, d)
           && fa__infer_like(c, a->index, (fa_dtype)a->x->dtype);
}

static void gather_grad(fa__back *b)
{
    const gather_args *a = b->args;
    fa__set_input_grad(b, &a->x, fa_scatter_add(fa_zeros_like(a->x), a->dim, a->index, b->gy[0]));
}

/** Gathers elements along a dimension: for dim = 0, y[i][j] = x[index[i][j]][j]; for dim = 1, y[i][j] =
 *  x[i][index[i][j]]. The result has the shape of index. 0-dim tensors count as shape (1), here and in the scatter
 *  functions. */
OP(gather, gather_args, (y), .infer = gather_infer, .exact = true, .grad = gather_grad, .keep = KEEP(index),
   .index = FIELDS(index), TORCH("gather(x, dim, index)"),
   SAMPLES("(3,4) 1 i(3,2)<4; (3,4) 0 i(2,4)<3; (5) -1 i(7)<5; (3,4) 1 i(3,0)<4; () 0 i()<1; () 0 "
           "i(3)<1; (4) -1 i()<4; () 0 i(0)<1"))

typedef struct {
    const fa_tensor *x;     /* the tensor that is added to */
    int64_t dim;            /* the dimension to write along; negative counts from the end */
    const fa_tensor *index; /* integers; as many dimensions as x, and no larger than x except along dim */
    const fa_tensor *src;   /* values to add: x's dtype, no smaller than index in any dimension */
} scatter_add_args;

bool fa__infer_scattered(fa__call *c, const fa_tensor *x, int64_t dim, const fa_tensor *index, const fa_tensor *src)
{
    int d = fa__wrap_dim(c, x, dim);
    if (d < 0 || !fa__check_index(c, index, "index") || !fa__fits_index(c, x, index, d)
        || !fa__fits_index(c, src, index, -1))
        return false;
    if (src->dtype != x->dtype)
        return fa__call_fail(c, FA_ERROR_DTYPE, "x and src have to be of one dtype");
    return fa__infer_like(c, x, (fa_dtype)x->dtype);
}

static bool scatter_add_infer(fa__call *c)
{
    const scatter_add_args *a = c->args;
    return fa__infer_scattered(c, a->x, a->dim, a->index, a->src);
}

static void scatter_add_grad(fa__back *b)
{
    const scatter_add_args *a = b->args;
    fa__set_input_grad(b, &a->x, b->gy[0]);
    if (fa__wants(b, &a->src))
        fa__set_input_grad(b, &a->src, fa__padded_for(fa_gather(b->gy[0], a->dim, a->index), a->src));
}

/** Adds the elements of src to x along a dimension: for dim = 0, y[index[i][j]][j] += src[i][j], starting from y = x.
 *  The additions are done in row-major order of index, so every device gives the same bits; f16 and bf16 are
 *  accumulated in f32 and rounded once. */
OP(scatter_add, scatter_add_args, (y), .infer = scatter_add_infer, .accumulate_f32 = true, .grad = scatter_add_grad,
   .autocast = FA__CAST_WIDEST,   .keep = KEEP(index for src), .index = FIELDS(index), .inplace = INPLACE(x), TORCH("scatter_add(x, dim, index, src)"),
   SAMPLES("(3,4) 1 i(3,2)<4 (3,2); (3,4) 0 i(2,4)<3 (2,4); (5) -1 i(7)<5 (7); (3,4) 1 i(2,2)<4 (3,5); (3,4) 1 "
           "i(3,0)<4 (3,0); () 0 i()<1 (); () 0 i(3)<1 (4); (3) 0 i()<3 (); (3) 0 i()<3 (2); () 0 i(0)<1 (); () 0 i(1)<1 ()"))

typedef struct {
    fa_tensors x;       /* one or more tensors, of the same shape except along dim */
    int64_t dim OPT(0); /* the dimension to concatenate along; negative counts from the end */
} cat_args;

/* Empty 1-dimensional tensors are skipped, whatever the shape of the others, as in PyTorch. */
static bool skipped(const fa_tensor *t)
{
    return t->rank == 1 && t->shape[0] == 0;
}

/* The tensor whose shape the others are compared with: the first that is not skipped, or the last one if all are. */
static const fa_tensor *first_joined(fa_tensors x)
{
    for (size_t k = 0; k < x.count; k++)
        if (!skipped(x.item[k]))
            return x.item[k];
    return x.item[x.count - 1];
}

static bool cat_infer(fa__call *c)
{
    const cat_args *a = c->args;
    fa__spec *s = &c->spec[0];
    fa_dtype dtype = FA_SAME;
    if (!a->x.count)
        return fa__call_fail(c, FA_ERROR_ARGUMENT, "there is nothing to join");
    const fa_tensor *first = first_joined(a->x);
    int d = fa__wrap_dim(c, first, a->dim);
    if (d < 0 || !fa__infer_like(c, first, (fa_dtype)first->dtype))
        return false;
    if (!first->rank)
        return fa__call_fail(c, FA_ERROR_SHAPE, "0-dim tensors cannot be joined");
    s->shape[d] = 0;
    for (size_t k = 0; k < a->x.count; k++) {
        const fa_tensor *t = a->x.item[k];
        dtype = fa__promote(dtype, (fa_dtype)t->dtype);
        if (skipped(t))
            continue;
        for (int i = 0; i < s->rank; i++)
            if (t->rank != s->rank || (i != d && t->shape[i] != s->shape[i]))
                return fa__call_fail(c, FA_ERROR_SHAPE,
                                     "x[%zu] differs from the others along another dimension than %d", k, d);
        s->shape[d] += t->shape[d];
    }
    s->dtype = dtype;
    return true;
}

/* Whether the device has a kernel for all parts at once: they are contiguous, of the result's dtype and long enough on
 * average. There are at most so many operands of a launch. */
static bool kernel_joins(fa__call *c)
{
    enum { MOST = 1 << 15, BYTES = 64 };
    const cat_args *a = c->args;
    const fa_tensor *y = c->out[0];
    if (!c->plan.device->backend->has_kernel(c->op) || a->x.count > MOST || !fa_is_contiguous(y))
        return false;
    int64_t rows = 1;
    for (int i = fa__wrap_dim(c, y, a->dim) - 1; i >= 0; i--)
        rows *= y->shape[i];
    for (size_t k = 0; k < a->x.count; k++)
        if (a->x.item[k]->dtype != y->dtype || !fa_is_contiguous(a->x.item[k]))
            return false;
    return fa__numel(y) * (int64_t)fa__dtype_size(y->dtype) >= rows * (int64_t)a->x.count * BYTES;
}

/* One compiled expression writes each part of the result. */
static bool cat_run(fa__call *c)
{
    const cat_args *a = c->args;
    int64_t at = 0;
    if (kernel_joins(c))
        return fa__run_kernel(c);
    for (size_t k = 0; k < a->x.count; k++) {
        const fa_tensor *t = a->x.item[k];
        fa_tensor *part = skipped(t) ? NULL : fa__own(fa__tensor_alias(c->out[0]));
        if (skipped(t))
            continue;
        if (!part)
            return false;
        int d = fa__wrap_dim(c, part, a->dim);
        part->offset += at * part->stride[d];
        part->shape[d] = t->shape[d];
        at += t->shape[d];
        if (!fa__run_copy(c, part, t))
            return false;
    }
    return true;
}

static void cat_grad(fa__back *b)
{
    const cat_args *a = b->args;
    int64_t at = 0;
    for (size_t k = 0; k < a->x.count; k++) {
        const fa_tensor *t = a->x.item[k];
        int64_t n = skipped(t) ? 0 : fa_size(t, a->dim);
        if (fa__wants_item(b, k))
            fa__set_item_grad(b, k, skipped(t) ? fa_zeros_like(t) : fa_narrow(b->gy[0], a->dim, at, n));
        at += n;
    }
}

/** Concatenates tensors along an existing dimension; their dtypes are promoted. Empty 1-dimensional tensors are
 *  skipped. */
OP(cat, cat_args, (y), .infer = cat_infer, .exact = true, .run = cat_run, .grad = cat_grad, .autocast = FA__CAST_WIDEST,
   TORCH("cat(x, dim)"), ALSO("`concat`, `concatenate`"),
   SAMPLES(
       "[(2,3) (4,3)]; [(2,3) (2,1) (2,2)] dim=1; [(3)] dim=-1; [(0) (2,3)]; [(2,0) (2,3)] dim=1; [(0) (20,9) (1,9)]; "
       "[(2,40) (2,70) (2,0)] dim=-1"))

#include "index.rows"
