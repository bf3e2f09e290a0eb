/* Transpose, permute, reshape and expand. All are views of the same storage, except that fa_reshape() copies where it
 * has to. */
#include "dispatch/row.h"
#include "dispatch/views.h"

typedef struct {
    const fa_tensor *x;
    int64_t dim0; /* the first dimension; negative counts from the end */
    int64_t dim1; /* the second dimension */
} transpose_args;

static bool transpose_infer(fa__call *c)
{
    const transpose_args *a = c->args;
    int i = fa__wrap_dim(c, a->x, a->dim0), j = fa__wrap_dim(c, a->x, a->dim1);
    if (i < 0 || j < 0)
        return false;
    fa__spec *s = fa__view_same(c, a->x);
    if (a->x->rank)
        fa__spec_swap(s, i, j);
    return true;
}

static void transpose_grad(fa__back *b)
{
    const transpose_args *a = b->args;
    fa__set_input_grad(b, &a->x, fa_transpose(b->gy[0], a->dim0, a->dim1));
}

/** Swaps two dimensions of x: a view. */
OP(transpose, transpose_args, (y), .infer = transpose_infer, .view = true, .grad = transpose_grad,
   TORCH("transpose(x, dim0, dim1)"), ALSO("`swapaxes`, `swapdims`"),
   SAMPLES("(3,4) 0 1; (2,3,4) -1 0; () 0 -1; (0,2) 0 1"))

typedef struct {
    const fa_tensor *x; /* at most 2-dimensional */
} t_args;

static bool t_infer(fa__call *c)
{
    const t_args *a = c->args;
    if (a->x->rank > 2)
        return fa__call_fail(c, FA_ERROR_SHAPE, "at most two dimensions can be swapped without naming them");
    fa__spec *s = fa__view_same(c, a->x);
    if (a->x->rank == 2)
        fa__spec_swap(s, 0, 1);
    return true;
}

static void t_grad(fa__back *b)
{
    const t_args *a = b->args;
    fa__set_input_grad(b, &a->x, fa_t(b->gy[0]));
}

/** The transpose of a matrix: a view. 0- and 1-dimensional tensors are returned as they are. */
OP(t, t_args, (y), .infer = t_infer, .view = true, .grad = t_grad, TORCH("t(x)"), SAMPLES("(3,4); (3); (); (0,2)"))

typedef struct {
    const fa_tensor *x;
    fa_shape dims; /* for each dimension of the result its dimension in x, such as FA_SHAPE(2, 0, 1) */
} permute_args;

static bool permute_infer(fa__call *c)
{
    const permute_args *a = c->args;
    unsigned seen = 0;
    if (a->dims.rank == 1 && fa__wrap_dim(c, a->x, a->dims.dim[0]) < 0)
        return false;
    if (a->dims.rank != a->x->rank)
        return fa__call_fail(c, FA_ERROR_SHAPE, "dims names %d dimensions of %d", a->dims.rank, a->x->rank);
    fa__spec *s = fa__view_same(c, a->x);
    for (int i = 0; i < a->x->rank; i++) {
        int d = fa__wrap_dim(c, a->x, a->dims.dim[i]);
        if (d < 0)
            return false;
        if (seen >> d & 1)
            return fa__call_fail(c, FA_ERROR_ARGUMENT, "dims names dimension %d twice", d);
        seen |= 1U << d;
        s->shape[i] = a->x->shape[d];
        s->stride[i] = a->x->stride[d];
    }
    return true;
}

static void permute_grad(fa__back *b)
{
    const permute_args *a = b->args;
    fa_shape back = {.rank = a->dims.rank};
    for (int i = 0; i < back.rank; i++)
        back.dim[a->dims.dim[i] < 0 ? a->dims.dim[i] + back.rank : a->dims.dim[i]] = i;
    fa__set_input_grad(b, &a->x, fa_permute(b->gy[0], back));
}

/** Permutes the dimensions of x: a view. */
OP(permute, permute_args, (y), .infer = permute_infer, .view = true, .grad = permute_grad, TORCH("permute(x, dims)"),
   ALSO("NumPy's `transpose`, `permute_dims`"), SAMPLES("(2,3,4) s(2,0,1); (3,4) s(-1,0); () s(); (0,2) s(1,0)"))

typedef struct {
    const fa_tensor *x;
    fa_shape shape; /* the new shape; one size may be -1, which is inferred */
} shape_of_args;

static bool view_infer(fa__call *c)
{
    const shape_of_args *a = c->args;
    fa_shape shape;
    if (!fa__complete_shape(c, a->x, a->shape, &shape))
        return false;
    if (!fa__view_as(c, a->x, shape))
        return fa__call_fail(c, FA_ERROR_SHAPE, "the strides do not allow that without a copy: fa_reshape makes one");
    return true;
}

static void view_grad(fa__back *b)
{
    const shape_of_args *a = b->args;
    fa__set_input_grad(b, &a->x, fa_reshape(b->gy[0], fa_tensor_shape(a->x)));
}

/** A view of x with another shape and the same elements in row-major order. An error if x's strides would require a
 *  copy. */
OP(view, shape_of_args, (y), .infer = view_infer, .view = true, .grad = view_grad, .by_layout = true,
   TORCH("x.view(shape)"), SAMPLES("(3,4) s(4,3); (3,4) s(2,-1); (2,3,4) s(6,4); () s(1,1); (1) s(); (0,3) s(3,0)"))

static fa_tensor *reshape_compose(fa__call *c)
{
    const shape_of_args *a = c->args;
    fa_shape shape;
    if (!fa__complete_shape(c, a->x, a->shape, &shape))
        return NULL;
    return fa_view(fa__view_as(c, a->x, shape) ? a->x : fa__row_major(a->x), shape);
}

/** x with another shape and the same elements in row-major order: a view if the strides allow it, otherwise a copy. */
OP(reshape, shape_of_args, (y), .compose = reshape_compose, .may_view = true, TORCH("reshape(x, shape)"),
   SAMPLES("(3,4) s(4,3); (3,4) s(2,-1); (2,3,4) s(6,4); () s(1,1); (0,3) s(3,0)"))

typedef struct {
    const fa_tensor *x;
    int64_t start_dim OPT(0); /* the first dimension to merge; negative counts from the end */
    int64_t end_dim OPT(-1);  /* the last dimension to merge, inclusive; negative counts from the end */
} flatten_args;

static fa_tensor *flatten_compose(fa__call *c)
{
    const flatten_args *a = c->args;
    int first = fa__wrap_dim(c, a->x, a->start_dim), last = fa__wrap_dim(c, a->x, a->end_dim);
    fa_shape shape = {.rank = 0};
    if (first < 0 || last < 0)
        return NULL;
    if (first > last) {
        fa__call_fail(c, FA_ERROR_ARGUMENT, "start_dim stands behind end_dim");
        return NULL;
    }
    int64_t joined = 1;
    for (int i = 0; i < a->x->rank; i++) {
        joined = i == first ? a->x->shape[i] : joined * a->x->shape[i];
        if (i < first || i >= last)
            shape.dim[shape.rank++] = i < first || i > last ? a->x->shape[i] : joined;
    }
    return fa_reshape(a->x, a->x->rank ? shape : FA_SHAPE(1));
}

/** Merges the dimensions start_dim to end_dim of x into one: a view if the strides allow it, otherwise a copy. */
OP(flatten, flatten_args, (y), .compose = flatten_compose, .may_view = true, TORCH("flatten(x, start_dim, end_dim)"),
   ALSO("`ravel`"), SAMPLES("(2,3,4); (2,3,4) start_dim=1; (2,3,4) end_dim=-2; (); (3,0)"))

static bool expand_infer(fa__call *c)
{
    const shape_of_args *a = c->args;
    return fa__view_expand(c, a->x, a->shape);
}

static void expand_grad(fa__back *b)
{
    const shape_of_args *a = b->args;
    fa__set_input_grad(b, &a->x, fa__summed_to(b->gy[0], a->x));
}

/** Broadcasts x to a larger shape: a view in which dimensions of size 1 are repeated (stride 0) and leading ones are
 *  added. A size of -1 keeps x's. */
OP(expand, shape_of_args, (y), .infer = expand_infer, .view = true, .grad = expand_grad, TORCH("x.expand(shape)"),
   ALSO("`broadcast_to`"), SAMPLES("(3,1) s(3,4); (3) s(2,-1); () s(2,2); (1) s(0); (3,1) s(2,3,5)"))

typedef struct {
    const fa_tensor *x; /* the tensor to expand */
    fa_like like;       /* only its shape is used */
} expand_as_args;

static bool expand_as_infer(fa__call *c)
{
    const expand_as_args *a = c->args;
    fa_shape shape = {.rank = a->like->rank};
    memcpy(shape.dim, a->like->shape, sizeof shape.dim);
    return fa__view_expand(c, a->x, shape);
}

static void expand_as_grad(fa__back *b)
{
    const expand_as_args *a = b->args;
    fa__set_input_grad(b, &a->x, fa__summed_to(b->gy[0], a->x));
}

/** Broadcasts x to the shape of `like`: a view, as fa_expand(). */
OP(expand_as, expand_as_args, (y), .infer = expand_as_infer, .view = true, .grad = expand_as_grad,
   TORCH("x.expand_as(like)"), SAMPLES("(3,1) (3,4); () (2,2); (3) (2,3); (1) (0)"))

typedef struct {
    const fa_tensor *x;
    int64_t dim; /* position of the new dimension, 0 to rank; negative counts from the end */
} unsqueeze_args;

static bool unsqueeze_infer(fa__call *c)
{
    const unsqueeze_args *a = c->args;
    int64_t d = a->dim < 0 ? a->dim + a->x->rank + 1 : a->dim;
    if (d < 0 || d > a->x->rank)
        return fa__no_place(c, a->dim);
    if (a->x->rank == FA_MAX_DIMS)
        return fa__call_fail(c, FA_ERROR_SHAPE, "a tensor has at most %d dimensions", FA_MAX_DIMS);
    fa__spec_insert(fa__view_same(c, a->x), (int)d);
    return true;
}

static void unsqueeze_grad(fa__back *b)
{
    const unsqueeze_args *a = b->args;
    fa__set_input_grad(b, &a->x, fa_squeeze(b->gy[0], .dim = a->dim));
}

/** Inserts a dimension of size 1: a view. */
OP(unsqueeze, unsqueeze_args, (y), .infer = unsqueeze_infer, .view = true, .grad = unsqueeze_grad,
   TORCH("unsqueeze(x, dim)"), ALSO("`expand_dims`"), SAMPLES("(3,4) 0; (3,4) -1; (3,4) 1; () 0; (0,2) 2"))

typedef struct {
    const fa_tensor *x;
    fa_dims dim OPT(FA_ALL); /* the dimensions to remove if their size is 1; by default all */
} squeeze_args;

static bool squeeze_infer(fa__call *c)
{
    const squeeze_args *a = c->args;
    unsigned set;
    if (!fa__dim_set(c, a->x, a->dim, &set))
        return false;
    fa__spec *s = fa__view_same(c, a->x);
    for (int i = a->x->rank; i-- > 0;)
        if (set >> i & 1 && a->x->shape[i] == 1)
            fa__spec_remove(s, i);
    return true;
}

static void squeeze_grad(fa__back *b)
{
    const squeeze_args *a = b->args;
    fa__set_input_grad(b, &a->x, fa_view(b->gy[0], fa_tensor_shape(a->x)));
}

/** Removes dimensions of size 1: a view. */
OP(squeeze, squeeze_args, (y), .infer = squeeze_infer, .view = true, .grad = squeeze_grad,
   TORCH("squeeze(x) if dim is None else squeeze(x, dim)"),
   SAMPLES("(1,3,1); (1,3,1) dim=0; (2,3) dim=1; (1,1) dim={0,1}; (); (1,0); (0,1,2) dim=1"))

#include "view.rows"
