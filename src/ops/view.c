/* Views: other shapes and strides over the same memory, nothing copied. And what undoes them in backward. */
#include "ops/history.h"
#include "ops/row.h"
#include "ops/views.h"

typedef struct {
    const fa_tensor *x;
    int64_t dim0; /* these two dimensions change places; */
    int64_t dim1; /* negative ones count from the end */
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
    fa__give(b, &a->x, fa_transpose(b->gy[0], a->dim0, a->dim1));
}

/** x with two dimensions swapped. */
OP(transpose, transpose_args, (y), .infer = transpose_infer, .view = true, .grad = transpose_grad,
   TORCH("transpose(x, dim0, dim1)"), SAMPLES("(3,4) 0 1; (2,3,4) -1 0; () 0 -1; (0,2) 0 1"))

typedef struct {
    const fa_tensor *x; /* of at most two dimensions */
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
    fa__give(b, &a->x, fa_t(b->gy[0]));
}

/** The transpose of a matrix; vectors and numbers stay as they are. */
OP(t, t_args, (y), .infer = t_infer, .view = true, .grad = t_grad, TORCH("t(x)"), SAMPLES("(3,4); (3); (); (0,2)"))

typedef struct {
    const fa_tensor *x;
    fa_shape dims; /* FA_SHAPE(2, 0, 1): where each dimension of the result comes from */
} permute_args;

static bool permute_infer(fa__call *c)
{
    const permute_args *a = c->args;
    unsigned seen = 0;
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
    fa__give(b, &a->x, fa_permute(b->gy[0], back));
}

/** x with its dimensions in another order. */
OP(permute, permute_args, (y), .infer = permute_infer, .view = true, .grad = permute_grad, TORCH("permute(x, dims)"),
   SAMPLES("(2,3,4) s(2,0,1); (3,4) s(-1,0); () s(); (0,2) s(1,0)"))

typedef struct {
    const fa_tensor *x;
    fa_shape shape; /* of the result; one size may be -1, which is found from the others */
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
    fa__give(b, &a->x, fa_reshape(b->gy[0], fa_tensor_shape(a->x)));
}

/** x in another shape, its elements in the same row-major order. An error where that needs a copy. */
OP(view, shape_of_args, (y), .infer = view_infer, .view = true, .grad = view_grad, TORCH("x.view(shape)"),
   SAMPLES("(3,4) s(4,3); (3,4) s(2,-1); (2,3,4) s(6,4); () s(1,1); (1) s(); (0,3) s(3,0)"))

static fa_tensor *reshape_compose(fa__call *c)
{
    const shape_of_args *a = c->args;
    fa_shape shape;
    if (!fa__complete_shape(c, a->x, a->shape, &shape))
        return NULL;
    return fa_view(fa__view_as(c, a->x, shape) ? a->x : fa_clone(a->x), shape);
}

/** x in another shape, its elements in the same row-major order: a view where the strides allow it, a copy elsewhere.
 */
OP(reshape, shape_of_args, (y), .compose = reshape_compose, TORCH("reshape(x, shape)"),
   SAMPLES("(3,4) s(4,3); (3,4) s(2,-1); (2,3,4) s(6,4); () s(1,1); (0,3) s(3,0)"))

typedef struct {
    const fa_tensor *x;
    int64_t start OPT(0); /* the first dimension that is joined; negative counts from the end */
    int64_t end OPT(-1);  /* the last one */
} flatten_args;

static fa_tensor *flatten_compose(fa__call *c)
{
    const flatten_args *a = c->args;
    int first = fa__wrap_dim(c, a->x, a->start), last = fa__wrap_dim(c, a->x, a->end);
    fa_shape shape = {.rank = 0};
    if (first < 0 || last < 0)
        return NULL;
    if (first > last) {
        fa__call_fail(c, FA_ERROR_ARGUMENT, "start stands behind end");
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

/** x with dimensions start to end joined to one. */
OP(flatten, flatten_args, (y), .compose = flatten_compose, TORCH("flatten(x, start, end)"),
   SAMPLES("(2,3,4); (2,3,4) start=1; (2,3,4) end=-2; (); (3,0)"))

static bool expand_infer(fa__call *c)
{
    const shape_of_args *a = c->args;
    return fa__view_expand(c, a->x, a->shape);
}

static void expand_grad(fa__back *b)
{
    const shape_of_args *a = b->args;
    fa__give(b, &a->x, fa_sum_to(b->gy[0], a->x));
}

/** x with dimensions of size 1 repeated, and new ones in front; -1 keeps a size. */
OP(expand, shape_of_args, (y), .infer = expand_infer, .view = true, .grad = expand_grad, TORCH("x.expand(shape)"),
   SAMPLES("(3,1) s(3,4); (3) s(2,-1); () s(2,2); (1) s(0); (3,1) s(2,3,5)"))

typedef struct {
    const fa_tensor *x; /* to be made larger */
    fa_like like;       /* gives the shape, nothing else */
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
    fa__give(b, &a->x, fa_sum_to(b->gy[0], a->x));
}

/** x with the shape of another tensor, dimensions of size 1 repeated. */
OP(expand_as, expand_as_args, (y), .infer = expand_as_infer, .view = true, .grad = expand_as_grad,
   TORCH("x.expand_as(like)"), SAMPLES("(3,1) (3,4); () (2,2); (3) (2,3); (1) (0)"))

typedef struct {
    const fa_tensor *x;
    fa_dims dim OPT(FA_ALL); /* one dimension, FA_DIMS(0, 2), or all of them */
} flip_args;

static bool flip_infer(fa__call *c)
{
    const flip_args *a = c->args;
    unsigned set;
    if (!fa__dim_set(c, a->x, a->dim, &set))
        return false;
    fa__spec *s = fa__view_same(c, a->x);
    for (int i = 0; i < s->rank; i++)
        if (set >> i & 1 && s->shape[i] > 1) {
            s->offset += (s->shape[i] - 1) * s->stride[i];
            s->stride[i] = -s->stride[i];
        }
    return true;
}

static void flip_grad(fa__back *b)
{
    const flip_args *a = b->args;
    fa__give(b, &a->x, fa_flip(b->gy[0], .dim = a->dim));
}

/** x in the opposite order along dimensions: a view, with negative strides. */
OP(flip, flip_args, (y), .infer = flip_infer, .view = true, .grad = flip_grad,
   TORCH("flip(x, tuple(range(x.dim())) if dim is None else dim if isinstance(dim, tuple) else (dim,))"),
   SAMPLES("(3,4); (3,4) dim=1; (2,3,4) dim={0,-1}; (); (0,2) dim=0"))

typedef struct {
    const fa_tensor *x;
    int64_t dim; /* where the new dimension stands, 0 to rank; negative counts from the end */
} unsqueeze_args;

static bool unsqueeze_infer(fa__call *c)
{
    const unsqueeze_args *a = c->args;
    int64_t d = a->dim < 0 ? a->dim + a->x->rank + 1 : a->dim;
    if (d < 0 || d > a->x->rank)
        return fa__call_fail(c, FA_ERROR_INDEX, "there is no place %lld for a dimension", (long long)a->dim);
    if (a->x->rank == FA_MAX_DIMS)
        return fa__call_fail(c, FA_ERROR_SHAPE, "a tensor has at most %d dimensions", FA_MAX_DIMS);
    fa__spec_insert(fa__view_same(c, a->x), (int)d);
    return true;
}

static void unsqueeze_grad(fa__back *b)
{
    const unsqueeze_args *a = b->args;
    fa__give(b, &a->x, fa_squeeze(b->gy[0], .dim = a->dim));
}

/** x with one more dimension, of size 1. */
OP(unsqueeze, unsqueeze_args, (y), .infer = unsqueeze_infer, .view = true, .grad = unsqueeze_grad,
   TORCH("unsqueeze(x, dim)"), SAMPLES("(3,4) 0; (3,4) -1; (3,4) 1; () 0; (0,2) 2"))

typedef struct {
    const fa_tensor *x;
    fa_dims dim OPT(FA_ALL); /* dimensions that go if their size is 1; by default all such */
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
    fa__give(b, &a->x, fa_view(b->gy[0], fa_tensor_shape(a->x)));
}

/** x without dimensions of size 1. */
OP(squeeze, squeeze_args, (y), .infer = squeeze_infer, .view = true, .grad = squeeze_grad,
   TORCH("squeeze(x) if dim is None else squeeze(x, dim)"),
   SAMPLES("(1,3,1); (1,3,1) dim=0; (2,3) dim=1; (1,1) dim={0,1}; (); (1,0)"))

typedef struct {
    const fa_tensor *x;
    int64_t dim;   /* the dimension that goes; negative counts from the end */
    int64_t index; /* which of its entries stays; negative counts from the end */
} select_args;

static bool select_infer(fa__call *c)
{
    const select_args *a = c->args;
    int d = fa__wrap_dim(c, a->x, a->dim);
    if (d < 0)
        return false;
    if (!a->x->rank)
        return fa__call_fail(c, FA_ERROR_INDEX, "a 0-dim tensor has no entries to select");
    int64_t n = a->x->shape[d], i = a->index < 0 ? a->index + n : a->index;
    if (i < 0 || i >= n)
        return fa__call_fail(c, FA_ERROR_INDEX, "index %lld is out of range for dimension %d of size %lld",
                             (long long)a->index, d, (long long)n);
    fa__spec *s = fa__view_same(c, a->x);
    s->offset += i * s->stride[d];
    fa__spec_remove(s, d);
    return true;
}

static void select_grad(fa__back *b)
{
    const select_args *a = b->args;
    int64_t n = fa_size(a->x, a->dim), i = a->index < 0 ? a->index + n : a->index;
    fa__give(b, &a->x,
             fa_slice_back(fa_unsqueeze(b->gy[0], a->dim < 0 ? a->dim + a->x->rank : a->dim), a->x, a->dim, i, 1));
}

/** One entry of a dimension, which goes. */
OP(select, select_args, (y), .infer = select_infer, .view = true, .grad = select_grad, TORCH("select(x, dim, index)"),
   SAMPLES("(3,4) 0 1; (3,4) -1 -1; (2,3,4) 1 2; (3) 0 2"))

typedef struct {
    const fa_tensor *x;
    int64_t dim;    /* negative counts from the end */
    int64_t start;  /* the first entry that stays; negative counts from the end */
    int64_t length; /* how many stay */
} narrow_args;

static bool narrow_infer(fa__call *c)
{
    const narrow_args *a = c->args;
    int d = fa__wrap_dim(c, a->x, a->dim);
    if (d < 0)
        return false;
    int64_t n = a->x->rank ? a->x->shape[d] : 0, i = a->start < 0 ? a->start + n : a->start;
    if (!a->x->rank || i < 0 || a->length < 0 || i > n || a->length > n - i)
        return fa__call_fail(c, FA_ERROR_INDEX,
                             "%lld entries from %lld on are out of range for dimension %d of size %lld",
                             (long long)a->length, (long long)a->start, d, (long long)n);
    fa__spec *s = fa__view_same(c, a->x);
    s->offset += a->length ? i * s->stride[d] : 0;
    s->shape[d] = a->length;
    return true;
}

static void narrow_grad(fa__back *b)
{
    const narrow_args *a = b->args;
    int64_t i = a->start < 0 ? a->start + fa_size(a->x, a->dim) : a->start;
    fa__give(b, &a->x, fa_slice_back(b->gy[0], a->x, a->dim, i, 1));
}

/** Some neighbouring entries of a dimension. */
OP(narrow, narrow_args, (y), .infer = narrow_infer, .view = true, .grad = narrow_grad,
   TORCH("narrow(x, dim, start, length)"), SAMPLES("(3,4) 0 1 2; (3,4) -1 -2 1; (5) 0 0 5; (5) 0 5 0; (0,2) 0 0 0"))

typedef struct {
    const fa_tensor *x;
    int64_t dim;                  /* negative counts from the end */
    int64_t start OPT(INT64_MIN); /* the first entry, as in NumPy; INT64_MIN: from the end that step comes from */
    int64_t end OPT(INT64_MAX);   /* where it stops, as in NumPy; INT64_MAX: at the other end */
    int64_t step OPT(1);          /* between entries; may be negative, not 0 */
} slice_args;

static bool slice_infer(fa__call *c)
{
    const slice_args *a = c->args;
    int d = fa__wrap_dim(c, a->x, a->dim);
    if (d < 0)
        return false;
    if (!a->x->rank)
        return fa__call_fail(c, FA_ERROR_INDEX, "a 0-dim tensor cannot be sliced");
    if (!a->step)
        return fa__call_fail(c, FA_ERROR_ARGUMENT, "step is 0");
    fa__range r = fa__slice_range(a->x->shape[d], a->start, a->end, a->step);
    fa__spec *s = fa__view_same(c, a->x);
    s->offset += r.count ? r.first * s->stride[d] : 0;
    s->shape[d] = r.count;
    if (r.count > 1)
        s->stride[d] *= a->step;
    return true;
}

static void slice_grad(fa__back *b)
{
    const slice_args *a = b->args;
    fa__range r = fa__slice_range(fa_size(a->x, a->dim), a->start, a->end, a->step);
    fa__give(b, &a->x, fa_slice_back(b->gy[0], a->x, a->dim, r.first, a->step));
}

/** Every step-th entry of a dimension from start to before end, as NumPy's x[start:end:step]; negative steps are views
 *  too. */
OP(slice, slice_args, (y), .infer = slice_infer, .view = true, .grad = slice_grad,
   TORCH("get(x.movedim(dim, 0), f'{start}:{end}:{step}').movedim(0, dim)"),
   SAMPLES("(6,4) 0 start=1 end=5 step=2; (6) 0 start=4 end=-6 step=-1; (6) 0 start=-2 end=6; (3,5) 1 start=0 end=9 "
           "step=3; (5) 0 start=4 end=1"))

typedef struct {
    const fa_tensor *gy; /* the gradient of a slice */
    fa_like like;        /* the tensor that was sliced */
    int64_t dim;         /* along which */
    int64_t first;       /* where entry 0 of gy belongs; not negative */
    int64_t step;        /* between entries */
} slice_back_args;

static bool slice_back_infer(fa__call *c)
{
    const slice_back_args *a = c->args;
    int d = fa__wrap_dim(c, a->like, a->dim);
    if (d < 0)
        return false;
    bool fits = a->gy->rank == a->like->rank && a->like->rank;
    for (int i = 0; fits && i < a->gy->rank; i++)
        fits = i == d || a->gy->shape[i] == a->like->shape[i];
    if (!fits)
        return fa__call_fail(c, FA_ERROR_SHAPE, "gy has to be of like's shape but along dim");
    int64_t n = a->gy->shape[d], size = a->like->shape[d], last;
    bool inside = n == 0 || (a->first >= 0 && a->first < size);
    if (n > 1)
        inside = inside && a->step && fa__mul_i64(n - 1, a->step, &last) && fa__add_i64(last, a->first, &last)
                 && last >= 0 && last < size;
    if (!inside)
        return fa__call_fail(c, FA_ERROR_INDEX, "%lld entries from %lld on, %lld apart, are out of range for size %lld",
                             (long long)n, (long long)a->first, (long long)a->step, (long long)size);
    return fa__infer_like(c, a->like, (fa_dtype)a->gy->dtype);
}

/* Zeros, then the slice of the result is written. */
static bool slice_back_run(fa__call *c)
{
    const slice_back_args *a = c->args;
    int d = fa__wrap_dim(c, a->like, a->dim);
    fa_tensor *y = c->out[0], *part = fa__own(fa__tensor_alias(y));
    if (!part || !fa__run_expression(c, y, "0", 0, NULL))
        return false;
    part->shape[d] = a->gy->shape[d];
    part->offset += part->shape[d] ? a->first * part->stride[d] : 0;
    if (part->shape[d] > 1)
        part->stride[d] *= a->step;
    return fa__run_expression(c, part, "x", 1, (fa__bound[]){{.name = "x", .value = fa__arg_t(a->gy)}});
}

static void slice_back_grad(fa__back *b)
{
    const slice_back_args *a = b->args;
    int64_t n = fa_size(a->gy, a->dim), end = a->first + n * a->step;
    fa__give(b, &a->gy,
             fa_slice(b->gy[0], a->dim, .start = a->first, .end = end < 0 ? INT64_MAX : end, .step = a->step));
}

/** Undoes a slice: zeros in the shape of another tensor, with gy at every step-th entry from first on. */
OP(slice_back, slice_back_args, (y), .infer = slice_back_infer, .run = slice_back_run, .grad = slice_back_grad,
   TORCH(""), SAMPLES("(2,4) (6,4) 0 1 2; (3) (6) 0 4 -2; (0) (3) 0 0 1"))

/* ---- views in general, for views of tensors that were changed in place ---- */

typedef struct {
    const fa_tensor *x; /* whose elements lie as `layout` says */
    fa_shape layout;    /* the strides of x */
    fa_shape shape;     /* of the result */
    fa_shape strides;   /* of the result, in elements of x's memory */
    int64_t offset;     /* of the result's first element behind that of x */
} as_strided_args;

#define FARTHEST (INT64_C(1) << 58) /* elements that strides may reach */

static bool layout_fits(const fa__call *c, const fa_tensor *x, fa_shape layout)
{
    return fa__part_within(c, fa_tensor_shape(x), layout, 0, -FARTHEST, FARTHEST);
}

static bool as_strided_infer(fa__call *c)
{
    const as_strided_args *a = c->args;
    fa__spec *s = fa__view_same(c, a->x);
    const fa__storage *memory = a->x->storage;
    int64_t elements = memory ? (int64_t)(memory->bytes / fa__dtype_size(a->x->dtype)) : FARTHEST;
    if (!fa__part_within(c, a->shape, a->strides, a->offset, -a->x->offset, elements - a->x->offset))
        return false;
    s->rank = a->shape.rank;
    memcpy(s->shape, a->shape.dim, sizeof s->shape);
    memcpy(s->stride, a->strides.dim, sizeof s->stride);
    s->offset += a->offset;
    return true;
}

static void as_strided_grad(fa__back *b)
{
    const as_strided_args *a = b->args;
    fa_tensor *zeros = fa_zeros_like(a->x);
    fa__give(b, &a->x, fa_write_strided(zeros, b->gy[0], a->layout, a->shape, a->strides, a->offset, true));
}

/** The view of x that another tensor over the same memory is. */
OP(as_strided, as_strided_args, (y), .infer = as_strided_infer, .view = true, .grad = as_strided_grad,
   TORCH("as_strided(x, shape, strides, offset)"),
   SAMPLES("(3,4) s(4,1) s(2,2) s(8,1) 1; (6) s(1) s(3) s(2) 0; (4) s(1) s(3,4) s(0,1) 0; (2,3) s(3,1) s() s() 4"))

typedef struct {
    const fa_tensor *x;     /* the tensor as it was */
    const fa_tensor *value; /* what its part becomes, or what is added to it */
    fa_shape layout;        /* the strides of x */
    fa_shape shape;         /* of the part */
    fa_shape strides;       /* of the part, in elements of x's memory */
    int64_t offset;         /* of the part's first element behind that of x */
    bool add;               /* add to what is there, where elements of the part coincide too */
} write_strided_args;

/* The result is laid out as x was, so that the part's strides hold in it. */
static bool write_strided_infer(fa__call *c)
{
    const write_strided_args *a = c->args;
    int64_t low, high;
    if (!layout_fits(c, a->x, a->layout))
        return false;
    fa__extent(a->x->rank, a->x->shape, a->layout.dim, &low, &high);
    if (!fa__part_within(c, a->shape, a->strides, a->offset, low, high))
        return false;
    return fa__infer_like(c, a->x, (fa_dtype)a->x->dtype);
}

static bool write_strided_run(fa__call *c)
{
    const write_strided_args *a = c->args;
    fa__bound bound[] = {{.name = "x", .value = fa__arg_t(a->x)}};
    fa_tensor *work = fa__laid_out(c, c->out[0], a->layout),
              *part = work ? fa__part_of(work, a->shape, a->strides, a->offset) : NULL;
    if (!part || !fa__run_expression(c, work, "x", 1, bound))
        return false;
    const fa_tensor *value = a->add ? fa__summed_for(c, part, a->value) : a->value;
    fa__bound parts[] = {{.name = "v", .value = fa__arg_t(value)}, {.name = "p", .value = fa__arg_t(part)}};
    if (!value
        || !(a->add ? fa__run_expression(c, part, "p + v", 2, parts) : fa__run_expression(c, part, "v", 1, parts)))
        return false;
    bound[0].value = fa__arg_t(work);
    return work == c->out[0] || fa__run_expression(c, c->out[0], "x", 1, bound);
}

static void write_strided_grad(fa__back *b)
{
    const write_strided_args *a = b->args;
    fa_tensor *gy = fa__with_layout(b->gy[0], a->layout);
    fa_tensor *part = gy ? fa_as_strided(gy, a->layout, a->shape, a->strides, a->offset) : NULL;
    fa__give(b, &a->value, part);
    if (a->add)
        fa__give(b, &a->x, b->gy[0]);
    else if (fa__wants(b, &a->x))
        fa__give(
            b, &a->x,
            fa_write_strided(b->gy[0], fa_zeros_like(a->value), a->layout, a->shape, a->strides, a->offset, false));
}

/** x with the part that a view of it is replaced, or added to. */
OP(write_strided, write_strided_args, (y), .infer = write_strided_infer, .run = write_strided_run,
   .grad = write_strided_grad, TORCH(""),
   SAMPLES(
       "(3,4) (2,2) s(4,1) s(2,2) s(8,1) 1 false; (6) (3) s(1) s(3) s(2) 0 true; (4) (3,4) s(1) s(3,4) s(0,1) 0 true"))

typedef struct {
    const fa_tensor *x;
    fa_shape layout; /* the strides of the result */
} relaid_args;

static bool relaid_infer(fa__call *c)
{
    const relaid_args *a = c->args;
    if (!layout_fits(c, a->x, a->layout))
        return false;
    memcpy(c->spec[0].stride, a->layout.dim, sizeof c->spec[0].stride);
    return fa__infer_like(c, a->x, (fa_dtype)a->x->dtype);
}

static bool relaid_run(fa__call *c)
{
    const relaid_args *a = c->args;
    return fa__run_expression(c, c->out[0], "x", 1, (fa__bound[]){{.name = "x", .value = fa__arg_t(a->x)}});
}

static void relaid_grad(fa__back *b)
{
    const relaid_args *a = b->args;
    fa__give(b, &a->x, b->gy[0]);
}

/** A copy of x whose elements lie in memory by given strides. */
OP(relaid, relaid_args, (y), .infer = relaid_infer, .run = relaid_run, .laid = true, .grad = relaid_grad,
   TORCH("clone(x)"), SAMPLES("(3,4) s(1,3); (3,4) s(8,2); (2,2) s(-1,2); () s()"))

#include "view.rows"
