/* Scattering by index. An index out of range is an error that names the index, on every device. */
#include "base/text.h"
#include "ops/index/index.h"
#include <math.h>

/* ---- an index for each element ---- */

typedef struct {
    const fa_tensor *x;     /* the tensor to write into */
    int64_t dim;            /* the dimension to write along; negative counts from the end */
    const fa_tensor *index; /* integers; as many dimensions as x, and no larger than x except along dim */
    fa_arg src;             /* values to write: x's dtype, no smaller than index in any dimension; or a number */
} scatter_args;

static fa_tensor *scatter_compose(fa__call *c)
{
    const scatter_args *a = c->args;
    const fa_tensor *src =
        a->src.kind == FA__ARG_TENSOR ? fa__tensor_in(a->src) : fa__number_as(a->src, a->x, fa_tensor_shape(a->index));
    return fa__scatter_set_(fa__written(c, a->x), a->dim, a->index, src);
}

/** Writes the elements of src into x along a dimension: for dim = 0, y[index[i][j]][j] = src[i][j], starting from y =
 *  x. If a position is written more than once, the last write in row-major order of index is kept, on every device. The
 *  gradient of src is the gradient at its position, also for elements that were overwritten. */
OP(scatter, scatter_args, (y), .compose = scatter_compose, .index = FIELDS(index), .inplace = INPLACE(x),
   TORCH("scatter(x, dim, index, src)"), ALSO("NumPy's `put_along_axis`"),
   SAMPLES("(3,6) 1 r(2,3) (2,3); (6,4) 0 r(3,2) (4,5); (5) -1 i(7)<5 2.5; (3,4) 1 i(3,0)<4 (3,0); t(3,4) 1 i(3,9)<4 "
           "t(3,9); (3,4) 0 i(2,2)<3 1; () 0 i()<1 (); () 0 i(1)<1 (2); (3) 0 i()<3 (); () 0 i(3)<1 t(4); (4) -1 i()<4 "
           "(3); () 0 i(0)<1 (); () -1 i(2)<1 2; (3) 0 i(1)<3 ()"))

typedef struct {
    const fa_tensor *x;          /* the tensor to write into */
    int64_t dim;                 /* the dimension to write along; negative counts from the end */
    const fa_tensor *index;      /* integers; as many dimensions as x, and no larger than x except along dim */
    const fa_tensor *src;        /* x's dtype; no smaller than index in any dimension */
    const char *reduce;          /* "sum", "prod", "mean", "amax" or "amin" */
    bool include_self OPT(true); /* false: x's own value is left out at positions that src is written to */
} scatter_reduce_args;

typedef struct reducing {
    const char *name;
    int how;
    double first; /* the neutral element */
} reducing;

static const reducing *reducing_find(const fa__call *c, const char *name)
{
    static const reducing all[] = {{"sum", FA__PLACE_ADD, 0},
                                   {"prod", FA__PLACE_MUL, 1},
                                   {"mean", FA__PLACE_ADD, 0},
                                   {"amax", FA__PLACE_MAX, -INFINITY},
                                   {"amin", FA__PLACE_MIN, INFINITY}};
    for (size_t i = 0; name && i < sizeof all / sizeof *all; i++)
        if (!strcmp(all[i].name, name))
            return &all[i];
    fa__call_fail(c, FA_ERROR_ARGUMENT, "reduce is sum, prod, mean, amax or amin");
    return NULL;
}

/* The reduction's neutral element in a dtype (integers have no infinities). */
static fa_arg first_of(const reducing *r, fa_dtype dtype)
{
    if (!isinf(r->first) || fa__dtype_is_float(dtype))
        return fa__arg_f(r->first);
    return fa__arg_i(r->first > 0 ? (int64_t)fa__dtype_whole(dtype) : (int64_t)fa__dtypes[dtype].info.lowest);
}

/* Sums divided by counts; the counts are kept in a dtype that can hold them. */
static fa_tensor *divided(fa_tensor *y, const scatter_reduce_args *a)
{
    bool floating = fa__dtype_is_float(y->dtype);
    const fa_dtype dtype = !floating ? FA_I64 : y->dtype == FA_F64 ? FA_F64 : FA_F32;
    const fa_device device = fa_tensor_device(y);
    fa_tensor *count = fa_full(fa_tensor_shape(y), a->include_self, .dtype = dtype, .device = device);
    fa_tensor *one = fa_ones(FA_SCALAR, .dtype = dtype, .device = device);
    fa_scatter_add_(count, a->dim, a->index, fa_expand_as(one, a->index));
    count = fa_maximum(count, 1);
    return floating ? fa_div_(y, count) : fa_copy_(y, fa_floor_divide(y, count));
}

/* Reductions in several steps write into x only at the end, so that a failure leaves x unchanged. */
static fa_tensor *scatter_reduce_compose(fa__call *c)
{
    const scatter_reduce_args *a = c->args;
    const reducing *r = reducing_find(c, a->reduce);
    bool steps = !a->include_self || (r && !strcmp(r->name, "mean"));
    fa_tensor *y = !r ? NULL : steps ? fa_clone(a->x) : fa__written(c, a->x);
    if (y && !a->include_self) {
        fa_tensor *first = fa__number_as(first_of(r, (fa_dtype)y->dtype), y, fa_tensor_shape(a->index));
        y = fa__scatter_set_(y, a->dim, a->index, first);
    }
    if (!y)
        return NULL;
    y = r->how == FA__PLACE_ADD ? fa_scatter_add_(y, a->dim, a->index, a->src)
                                : fa__scatter_by_(y, a->dim, a->index, a->src, r->how);
    if (y && !strcmp(a->reduce, "mean"))
        y = divided(y, a);
    return y && steps && c->inplace ? fa_copy_(c->given, y) : y;
}

/** Reduces the elements of src into x along a dimension, at the positions given by index, with sum, prod, mean, amax or
 *  amin. Values are combined in row-major order of index, so every device gives the same bits. The mean of integers is
 *  rounded down. NaN propagates through amax and amin; equal maxima share the gradient evenly. */
OP(scatter_reduce, scatter_reduce_args, (y), .compose = scatter_reduce_compose, .index = FIELDS(index),
   .inplace = INPLACE(x), TORCH("scatter_reduce(x, dim, index, src, reduce, include_self=include_self)"),
   SAMPLES(
       "(3,4) 1 i(3,6)<4 (3,6) 'sum'; (3,4) 0 i(2,4)<3 (3,5) 'prod'; (5) -1 i(7)<5 (7) 'mean'; (3,4) 1 i(3,6)<4 "
       "(3,6) 'amax'; (3,4) 1 i(3,6)<4 (3,6) 'amin'; (3,4) 1 i(3,2)<4 (3,2) 'sum' include_self=false; (3,4) 1 "
       "i(3,2)<4 (3,2) 'prod' include_self=false; (3,4) 1 i(3,6)<4 (3,6) 'mean' include_self=false; (3,4) 1 i(3,2)<4 "
       "(3,2) 'amax' include_self=false; (3,4) 1 i(3,2)<4 (3,2) 'amin' include_self=false; t(3,4) 1 i(3,9)<4 t(3,9) "
       "'amax'; n(3,4) 1 i(3,5)<4 n(3,5) 'amin'; (3,4) 1 i(3,0)<4 (3,0) 'mean'; t(3,4) 1 i(3,5)<4 t(3,5) 'prod'; () 0 "
       "i()<1 () 'sum'; () 0 i(2)<1 (3) 'prod'; (3) 0 i()<3 () 'mean' include_self=false; (3) 0 i(1)<3 () 'amin'; () 0 "
       "i()<1 (2) 'amax'"))

/* ---- an index for each slice ---- */

/* The indices along dim expanded to one index for each element of x's shape with the index's length along dim. A 0-dim
 * x counts as shape (1). */
static fa_tensor *spread(const fa__call *c, const fa_tensor *index, const fa_tensor *x, int dim)
{
    fa_shape whole = x->rank ? fa_tensor_shape(x) : FA_SHAPE(1), list = {.rank = whole.rank};
    int64_t n = fa__numel(index);
    for (int i = 0; i < list.rank; i++)
        list.dim[i] = i == dim ? n : 1;
    if (index->rank > 1) {
        fa__call_fail(c, FA_ERROR_SHAPE, "index has to be a list");
        return NULL;
    }
    whole.dim[dim] = n;
    return fa_expand(fa_reshape(fa__index_beside(c, index, x), list), whole);
}

/* The same for an index that must have the shape of src; a 1-dimensional index of one element and a 0-dim index are
 * equivalent. */
static fa_tensor *spread_for(const fa__call *c, const fa_tensor *index, const fa_tensor *x, int64_t dim,
                             const fa_tensor *src)
{
    int d = fa__wrap_dim(c, x, dim);
    fa_tensor *whole = d < 0 ? NULL : spread(c, index, x, d);
    if (!whole || fa__same_shape(whole, src) || (!src->rank && whole->rank == 1 && whole->shape[0] == 1))
        return whole;
    fa__call_fail(c, FA_ERROR_SHAPE, "the source has to be of x's shape, with a slice for each index along dim");
    return NULL;
}

typedef struct {
    const fa_tensor *x;      /* the tensor that is added to */
    int64_t dim;             /* the dimension to write along; negative counts from the end */
    const fa_tensor *index;  /* (k) or (), integers */
    const fa_tensor *source; /* x's shape with size k in dimension dim; x's dtype */
    double alpha OPT(1);     /* source is multiplied by alpha; a whole number for integer tensors */
} index_add_args;

/* source * alpha in source's dtype; for bool, alpha only decides between source and false. */
static fa_tensor *multiplied(const fa_tensor *source, double alpha)
{
    bool whole = alpha == floor(alpha) && fabs(alpha) < 0x1p62;
    if (alpha == 1 || (source->dtype == FA_BOOL && alpha != 0))
        return (fa_tensor *)(uintptr_t)source;
    return source->dtype == FA_BOOL ? fa_zeros_like(source)
           : whole                  ? fa_mul(source, (int64_t)alpha)
                                    : fa_mul(source, alpha);
}

static fa_tensor *index_add_compose(fa__call *c)
{
    const index_add_args *a = c->args;
    fa_tensor *index = spread_for(c, a->index, a->x, a->dim, a->source);
    if (!fa__dtype_is_float(a->source->dtype) && a->alpha != floor(a->alpha)) {
        fa__call_fail(c, FA_ERROR_DTYPE, "alpha is no whole number, and source of integers");
        return NULL;
    }
    return index ? fa_scatter_add_(fa__written(c, a->x), a->dim, index, multiplied(a->source, a->alpha)) : NULL;
}

/** Adds alpha times the slices of source to x along dim, at the positions in index. The additions are done in the order
 *  of index, so every device gives the same bits. */
OP(index_add, index_add_args, (y), .compose = index_add_compose, .index = FIELDS(index), .inplace = INPLACE(x),
   TORCH("index_add(x, dim, index, source, alpha=alpha)"), ALSO("NumPy's `add.at`"),
   SAMPLES(
       "(3,4) 1 i(6)<4 (3,6); (3,4) 0 i(2)<3 (2,4) alpha=2; (5) -1 i(7)<5 (7) alpha=-1; (3,4) 1 i(0)<4 (3,0); (3) 0 "
       "i(4)<3 (4) alpha=-3; () 0 i()<1 () alpha=2; () -1 i(1)<1 ()"))

typedef struct {
    const fa_tensor *x;      /* the tensor to write into */
    int64_t dim;             /* the dimension to write along; negative counts from the end */
    const fa_tensor *index;  /* (k) or (), integers */
    const fa_tensor *source; /* the slices to write: x's shape with size k in dimension dim; x's dtype */
} index_copy_args;

static fa_tensor *index_copy_compose(fa__call *c)
{
    const index_copy_args *a = c->args;
    fa_tensor *index = spread_for(c, a->index, a->x, a->dim, a->source);
    return index ? fa__scatter_set_(fa__written(c, a->x), a->dim, index, a->source) : NULL;
}

/** Writes the slices of source into x along dim, at the positions in index. If a position occurs more than once, the
 *  last slice is kept. */
OP(index_copy, index_copy_args, (y), .compose = index_copy_compose, .index = FIELDS(index), .inplace = INPLACE(x),
   .autocast_cpu = FA__CAST_WIDEST, TORCH("index_copy(x, dim, index, source)"),
   SAMPLES("(3,6) 1 r(4) (3,4); (5,2) -2 r(3) (3,2); (5) 0 r(5) (5); t(3,4) 0 i(9)<3 t(9,4); (3,4) 1 i(0)<4 (3,0); "
           "() 0 i()<1 (); () 0 i(1)<1 (1); () 0 i()<1 (1); (3) 0 i()<3 (); (3) 0 i(1)<3 (); () 0 i(2)<1 t(2); () 0 "
           "i(0)<1 (0)"))

typedef struct {
    const fa_tensor *x;     /* the tensor to write into */
    int64_t dim;            /* the dimension to write along; negative counts from the end */
    const fa_tensor *index; /* (k) or (), integers */
    fa_arg value;           /* a number in the range of x's dtype, or a 0-dim tensor, which is converted to it */
} index_fill_args;

/* Which slices along dim the index selects: bool, in a shape that broadcasts with x. */
static fa_tensor *named_slices(const fa__call *c, const fa_tensor *index, const fa_tensor *x, int dim)
{
    fa_shape shape = {.rank = x->rank};
    for (int i = 0; i < shape.rank; i++)
        shape.dim[i] = i == dim ? x->shape[i] : 1;
    fa_tensor *none =
        fa_zeros(x->rank ? FA_SHAPE(x->shape[dim]) : FA_SHAPE(1), .dtype = FA_BOOL, .device = fa_tensor_device(x));
    fa_tensor *list = none ? spread(c, index, none, 0) : NULL;
    return list ? fa_reshape(fa_scatter_(none, 0, list, true), shape) : NULL;
}

/* A tensor value goes through a mask, so that its gradient counts a slice once even if index selects it twice. */
static fa_tensor *index_fill_compose(fa__call *c)
{
    const index_fill_args *a = c->args;
    int d = fa__wrap_dim(c, a->x, a->dim);
    if (d < 0)
        return NULL;
    fa_tensor *list = fa__index_at(fa__index_beside(c, a->index, a->x), d, a->x->rank ? a->x->shape[d] : 1);
    if (list && a->value.kind == FA__ARG_TENSOR) {
        fa_tensor *mask = named_slices(c, list, a->x, d);
        return c->inplace ? fa_masked_fill_(c->given, mask, a->value) : fa_masked_fill(a->x, mask, a->value);
    }
    fa_tensor *index = list ? spread(c, list, a->x, d) : NULL;
    fa_tensor *value = index ? fa__number_as(a->value, a->x, fa_tensor_shape(index)) : NULL;
    return value ? fa__scatter_set_(fa__written(c, a->x), d, index, value) : NULL;
}

/** A copy of x in which the slices along dim at the positions in index are filled with value. Negative indices count
 * from the end. */
OP(index_fill, index_fill_args, (y), .compose = index_fill_compose, .index = FIELDS(index), .inplace = INPLACE(x),
   TORCH("index_fill(x, dim, index, value)"),
   SAMPLES("(3,4) 1 i(2)<4 2.5; (3,4) -2 i(6)<3 3; (5) 0 i()<5 1; (3,4) 0 i(0)<3 1; (3,4) 1 r(2) (); (3,4) 1 r(2) i(); "
           "() 0 i()<1 2; () "
           "-1 i(2)<1 (); () 0 i(0)<1 3; (3) 0 i()<3 (); (3,4) 1 i(9)<4 (); i(5) 0 "
           "i(2)<5 2.5; (2,5) 1 i(4) 2.5; (5,2) 0 i(3) ()"))

typedef struct {
    const fa_tensor *x;          /* the tensor to write into */
    int64_t dim;                 /* the dimension to write along; negative counts from the end */
    const fa_tensor *index;      /* (k) or (), integers */
    const fa_tensor *source;     /* x's shape with size k in dimension dim */
    const char *reduce;          /* "sum", "prod", "mean", "amax" or "amin" */
    bool include_self OPT(true); /* false: x's own slice is left out at positions that source is written to */
} index_reduce_args;

static fa_tensor *index_reduce_compose(fa__call *c)
{
    const index_reduce_args *a = c->args;
    fa_tensor *index = spread_for(c, a->index, a->x, a->dim, a->source), *y = NULL;
    if (!index)
        return NULL;
    y = fa__written(c, a->x);
    return fa_scatter_reduce_(y, a->dim, index, a->source, a->reduce, .include_self = a->include_self);
}

/** Reduces the slices of source into x along dim, at the positions in index; the reductions are those of
 *  fa_scatter_reduce(). */
OP(index_reduce, index_reduce_args, (y), .compose = index_reduce_compose, .index = FIELDS(index), .inplace = INPLACE(x),
   TORCH("index_reduce(x, dim, index, source, reduce, include_self=include_self)"),
   SAMPLES("(3,4) 1 i(6)<4 (3,6) 'prod'; (3,4) 0 i(2)<3 (2,4) 'mean'; (5) -1 i(7)<5 (7) 'amax'; (3,4) 1 i(6)<4 (3,6) "
           "'amin' include_self=false; (3,4) 1 i(0)<4 (3,0) 'prod'; (5) 0 i(3)<5 (3) 'mean' include_self=false; () 0 "
           "i()<1 () "
           "'prod'; () 0 i(1)<1 () 'amax'"))

#include "scatter.rows"
