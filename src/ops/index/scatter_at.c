/* Building blocks of the scatter functions: elements written at positions given by an index along a dimension. These
 * are internal operations that only scatter.c calls. */
#include "ops/index/index.h"

typedef struct {
    const fa_tensor *x;     /* the tensor to write into */
    int64_t dim;            /* the dimension to write along; negative counts from the end */
    const fa_tensor *index; /* integers; as many dimensions as x, and no larger than x except along dim */
    const fa_tensor *src;   /* x's dtype; no smaller than index in any dimension */
} scatter_set_args;

static bool scatter_set_infer(fa__call *c)
{
    const scatter_set_args *a = c->args;
    return fa__infer_scattered(c, a->x, a->dim, a->index, a->src);
}

static void scatter_set_grad(fa__back *b)
{
    const scatter_set_args *a = b->args;
    fa_tensor *gy = b->gy[0];
    if (fa__wants(b, &a->x))
        fa__set_input_grad(b, &a->x, fa__scatter_set(gy, a->dim, a->index, fa__zeros_as(gy, a->index)));
    if (fa__wants(b, &a->src))
        fa__set_input_grad(b, &a->src, fa__padded_for(fa_gather(gy, a->dim, a->index), a->src));
}

/** x with each element of src written at the position its index gives. If a position is written more than once, the
 *  last write in row-major order of index is kept. */
OP(scatter_set, scatter_set_args, (y), .infer = scatter_set_infer, .exact = true, .grad = scatter_set_grad,
   .keep = KEEP(index), .index = FIELDS(index), .inplace = INPLACE(x), INTERNAL, TORCH("scatter(x, dim, index, src)"),
   SAMPLES("(3,6) 1 r(2,3) (2,3); (6,4) 0 r(3,2) (4,5); (5) -1 r(4) (4); (3,4) 1 i(3,0)<4 (3,0); () 0 i()<1 ()"))

typedef struct {
    const fa_tensor *x;     /* the tensor to write into */
    int64_t dim;            /* the dimension to write along; negative counts from the end */
    const fa_tensor *index; /* integers; as many dimensions as x, and no larger than x except along dim */
    const fa_tensor *src;   /* x's dtype; no smaller than index in any dimension */
    int64_t how;            /* FA__PLACE_MUL (product), FA__PLACE_MAX or FA__PLACE_MIN */
} scatter_by_args;

static bool scatter_by_infer(fa__call *c)
{
    const scatter_by_args *a = c->args;
    if (a->how < FA__PLACE_MUL || a->how > FA__PLACE_MIN)
        return fa__call_fail(c, FA_ERROR_ARGUMENT, "how is none of 2, 3, 4");
    return scatter_set_infer(c);
}

/* The factor that other zeros at the same position contribute to the gradient of a zero in src: 1 if it is the only
 * zero; if there are two, the other one (computed as the sum of both minus itself, so that second derivatives are
 * right); 0 if there are more. */
static fa_tensor *other_zeros(const scatter_by_args *a, fa_tensor *src, fa_tensor *zero)
{
    fa_tensor *none = fa_zeros_like(a->x), *ones = fa_to(zero, (fa_dtype)a->x->dtype);
    fa_tensor *count = fa_gather(fa_scatter_add(none, a->dim, a->index, ones), a->dim, a->index);
    fa_tensor *both = fa_scatter_add(none, a->dim, a->index, fa_where(zero, src, 0));
    fa_tensor *other = fa_sub(fa_gather(both, a->dim, a->index), src);
    return fa_where(fa_eq(count, 2), other, fa_to(fa_eq(count, 1), (fa_dtype)a->x->dtype));
}

/* The gradient of x is gy times the product of the elements written to it; that of a nonzero element of src is gy * y
 * divided by the element. */
static void product_grad(fa__back *b)
{
    const scatter_by_args *a = b->args;
    fa_tensor *gy = b->gy[0], *y = b->y[0];
    if (fa__wants(b, &a->x))
        fa__set_input_grad(b, &a->x,
                           fa_mul(gy, fa__scatter_by(fa_ones_like(a->x), a->dim, a->index, a->src, FA__PLACE_MUL)));
    if (!fa__wants(b, &a->src))
        return;
    fa_tensor *src = fa__part_for(a->src, a->index), *zero = fa_eq(src, 0);
    fa_tensor *others = fa__scatter_by(a->x, a->dim, a->index, fa_where(zero, 1, src), FA__PLACE_MUL);
    fa_tensor *of_zero = fa_mul(fa_gather(fa_mul(gy, others), a->dim, a->index), other_zeros(a, src, zero));
    fa_tensor *of_rest = fa_div(fa_gather(fa_mul(gy, y), a->dim, a->index), fa_where(zero, 1, src));
    fa__set_input_grad(b, &a->src, fa__padded_for(fa_where(zero, of_zero, of_rest), a->src));
}

/* Elements equal to the result share its gradient evenly. */
static void extreme_grad(fa__back *b)
{
    const scatter_by_args *a = b->args;
    fa_tensor *y = b->y[0], *src = fa__part_for(a->src, a->index);
    const fa_dtype dtype = (fa_dtype)a->x->dtype;
    fa_tensor *own = fa_to(fa_eq(a->x, y), dtype), *hits = fa_to(fa_eq(src, fa_gather(y, a->dim, a->index)), dtype);
    fa_tensor *share = fa_div(b->gy[0], fa_scatter_add(own, a->dim, a->index, hits));
    if (fa__wants(b, &a->x))
        fa__set_input_grad(b, &a->x, fa_mul(share, own));
    if (fa__wants(b, &a->src))
        fa__set_input_grad(b, &a->src, fa__padded_for(fa_mul(fa_gather(share, a->dim, a->index), hits), a->src));
}

static void scatter_by_grad(fa__back *b)
{
    const scatter_by_args *a = b->args;
    (a->how == FA__PLACE_MUL ? product_grad : extreme_grad)(b);
}

/** x with each element of src combined (product, maximum or minimum) with the value at the position its index gives, in
 *  row-major order of index. NaN propagates. */
OP(scatter_by, scatter_by_args, (y), .infer = scatter_by_infer, .accumulate_f32 = true, .grad = scatter_by_grad,
   .keep = KEEP(x, index, src, y), .index = FIELDS(index), .inplace = INPLACE(x), INTERNAL,
   TORCH("scatter_reduce(x, dim, index, src, ['prod', 'amax', 'amin'][how - 2])"),
   SAMPLES(
       "(3,4) 1 i(3,2)<4 (3,2) 2; (3,4) 0 i(2,4)<3 (3,5) 3; (5) -1 i(7)<5 (7) 4; (3,4) 1 i(3,0)<4 (3,0) 2; t(3,4) 1 "
       "i(3,9)<4 t(3,9) 3; t(3,4) 1 i(3,9)<4 t(3,9) 4; n(3,4) 1 i(3,5)<4 n(3,5) 3; t(3,4) 1 i(3,5)<4 t(3,5) 2; () 0 "
       "i()<1 () 4"))

#include "scatter_at.rows"
