/* Take and put by flat indices, take_along_dim. */
#include "ops/index/index.h"

typedef struct {
    const fa_tensor *x;
    const fa_tensor *index; /* integers: row-major positions among the elements of x; negative counts from the end */
} take_args;

/* Flat indices, checked and wrapped: (n) i64. */
static fa_tensor *flat_index(const fa__call *c, const fa_tensor *x, const fa_tensor *index)
{
    return fa__index_at(fa_flatten(fa__index_beside(c, index, x)), 0, fa__numel(x));
}

static fa_tensor *take_compose(fa__call *c)
{
    const take_args *a = c->args;
    fa_tensor *y = fa__fetch_at(a->x, a->x->rank, flat_index(c, a->x, a->index), false);
    return fa_reshape(y, fa_tensor_shape(a->index));
}

/** The elements of x at row-major positions, as if x were flattened: y has the shape of index. An index out of range is
 *  an error that names the index, on every device. */
OP(take, take_args, (y), .compose = take_compose, .index = FIELDS(index), TORCH("take(x, index)"),
   SAMPLES("(3,4) i(5)<12; (3,4) i(2,3); (5) i()<5; () i(3)<1; (2,3) i(0)<6; (2,3,4) i(2,1,2)<24"))

typedef struct {
    const fa_tensor *x;         /* the tensor to write into */
    const fa_tensor *index;     /* integers: row-major positions, as for fa_take() */
    const fa_tensor *source;    /* as many elements as index; x's dtype */
    bool accumulate OPT(false); /* true: add to the elements of x instead of overwriting them */
} put_args;

static fa_tensor *put_compose(fa__call *c)
{
    const put_args *a = c->args;
    fa_tensor *index = flat_index(c, a->x, a->index), *y = index ? fa__written(c, a->x) : NULL;
    if (index && fa__numel(index) != fa__numel(a->source)) {
        fa__call_fail(c, FA_ERROR_SHAPE, "there have to be as many elements in source as in index");
        return NULL;
    }
    return fa__place_at_(y, a->x->rank, index, fa_flatten(a->source), a->accumulate, false);
}

/** x with the elements of source written (or added) at row-major positions, as if x were flattened. If a position
 *  occurs more than once, the last element is kept, or all are added in order: the same bits on every device. */
OP(put, put_args, (y), .compose = put_compose, .index = FIELDS(index), .inplace = INPLACE(x),
   TORCH("put(x, index, source, accumulate)"),
   SAMPLES("(3,4) r(2,3) (2,3); (3,4) i(5) (5) accumulate=true; (5) r(3) (3); t(2,3) i(9)<6 t(9); (2,3) i(0)<6 (0); () "
           "i()<1 ()"))

typedef struct {
    const fa_tensor *x;
    const fa_tensor *index;     /* integers, negative counts from the end; broadcasts with x except along dim */
    int64_t dim OPT(INT64_MIN); /* the dimension, negative counts from the end; default: x and index are flattened */
} take_along_dim_args;

/* The shape that two shapes broadcast to, with index's own size along dim. */
static bool broadcast_but(const fa__call *c, const fa_tensor *x, const fa_tensor *index, int dim, fa_shape *of_x,
                          fa_shape *of_index)
{
    *of_x = fa_tensor_shape(x);
    *of_index = fa_tensor_shape(index);
    if (x->rank != index->rank)
        return fa__call_fail(c, FA_ERROR_SHAPE, "index has %d dimensions and not %d", index->rank, x->rank);
    for (int i = 0; i < x->rank; i++) {
        if (i == dim)
            continue;
        if (x->shape[i] != index->shape[i] && x->shape[i] != 1 && index->shape[i] != 1)
            return fa__call_fail(c, FA_ERROR_SHAPE, "sizes of dimension %d do not broadcast", i);
        of_x->dim[i] = of_index->dim[i] = x->shape[i] == 1 ? index->shape[i] : x->shape[i];
    }
    return true;
}

static fa_tensor *take_along_dim_compose(fa__call *c)
{
    const take_along_dim_args *a = c->args;
    fa_shape of_x, of_index;
    if (a->dim == INT64_MIN)
        return fa_gather(fa_flatten(a->x), 0, flat_index(c, a->x, a->index));
    int d = fa__wrap_dim(c, a->x, a->dim);
    if (d < 0 || !broadcast_but(c, a->x, a->index, d, &of_x, &of_index))
        return NULL;
    fa_tensor *index = fa__index_at(fa__index_beside(c, a->index, a->x), d, a->x->rank ? a->x->shape[d] : 1);
    return fa_gather(fa_expand(a->x, of_x), d, fa_expand(index, of_index));
}

/** Like fa_gather(), but x and index broadcast in the other dimensions, and negative indices count from the end. With
 *  the result of fa_argmax() or fa_argsort() as index it gives the elements those indices refer to. An index out of
 *  range is an error; PyTorch wraps it around. */
OP(take_along_dim, take_along_dim_args, (y), .compose = take_along_dim_compose, .index = FIELDS(index),
   TORCH("take_along_dim(x, index, dim)"), ALSO("NumPy's `take_along_axis`"),
   SAMPLES("(3,4) i(3,2)<4 dim=1; (3,4) i(1,4)<3 dim=0; (1,4) i(3,2)<4 dim=-1; (3,4) i(2,3)<12; (3,4) i(3,0)<4 dim=1; "
           "(3,5) "
           "i(3,2) dim=1; (2,5) i(1,3) dim=-1"))

#include "take.rows"
