/* Slicing: select, narrow and slice, which are views; and flip, which copies. */
#include "dispatch/row.h"
#include "dispatch/views.h"

typedef struct {
    const fa_tensor *x;
    fa_dims dim; /* which dimensions */
} reversed_args;

static bool reversed_infer(fa__call *c)
{
    const reversed_args *a = c->args;
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

static void reversed_grad(fa__back *b)
{
    const reversed_args *a = b->args;
    fa__set_input_grad(b, &a->x, fa__reversed(b->gy[0], a->dim));
}

/** x reversed along dimensions: a view, with negative strides. */
OP(reversed, reversed_args, (y), .infer = reversed_infer, .view = true, .grad = reversed_grad, INTERNAL, TORCH(""),
   SAMPLES("(3,4) all; (2,3,4) {0,-1}; () all; (0,2) 0"))

typedef struct {
    const fa_tensor *x;
    fa_dims dim OPT(FA_ALL); /* one dimension, several as FA_DIMS(0, 2), or all: FA_ALL */
} flip_args;

static fa_tensor *flip_compose(fa__call *c)
{
    const flip_args *a = c->args;
    return fa_clone(fa__reversed(a->x, a->dim));
}

/** Reverses x along dimensions: a copy. */
OP(flip, flip_args, (y), .compose = flip_compose,
   TORCH("flip(x, tuple(range(x.dim())) if dim is None else dim if isinstance(dim, tuple) else (dim,))"),
   SAMPLES("(3,4); (3,4) dim=1; (2,3,4) dim={0,-1}; (); (0,2) dim=0"))

typedef struct {
    const fa_tensor *x;
    int64_t dim;   /* the dimension to index, which is removed; negative counts from the end */
    int64_t index; /* which index to select; negative counts from the end */
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
    fa__set_input_grad(
        b, &a->x,
        fa__slice_back(fa_unsqueeze(b->gy[0], a->dim < 0 ? a->dim + a->x->rank : a->dim), a->x, a->dim, i, 1));
}

/** The slice of x at one index of a dimension, without that dimension: a view. */
OP(select, select_args, (y), .infer = select_infer, .view = true, .grad = select_grad, TORCH("select(x, dim, index)"),
   SAMPLES("(3,4) 0 1; (3,4) -1 -1; (2,3,4) 1 2; (3) 0 2"))

typedef struct {
    const fa_tensor *x;
    int64_t dim;    /* negative counts from the end */
    int64_t start;  /* first index; negative counts from the end */
    int64_t length; /* number of elements */
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
    fa__set_input_grad(b, &a->x, fa__slice_back(b->gy[0], a->x, a->dim, i, 1));
}

/** The slice of x with indices start to start + length - 1 of a dimension: a view. */
OP(narrow, narrow_args, (y), .infer = narrow_infer, .view = true, .grad = narrow_grad,
   TORCH("narrow(x, dim, start, length)"), SAMPLES("(3,4) 0 1 2; (3,4) -1 -2 1; (5) 0 0 5; (5) 0 5 0; (0,2) 0 0 0"))

typedef struct {
    const fa_tensor *x;
    int64_t dim;                  /* negative counts from the end */
    int64_t start OPT(INT64_MIN); /* first index, as in NumPy; INT64_MIN: the first (last if step < 0) */
    int64_t end OPT(INT64_MAX);   /* exclusive end, as in NumPy; INT64_MAX: no bound */
    int64_t step OPT(1);          /* step between indices; may be negative, not 0 */
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
    fa__set_input_grad(b, &a->x, fa__slice_back(b->gy[0], a->x, a->dim, r.first, a->step));
}

/** The slice of x with every step-th index of a dimension from start to end (exclusive), as NumPy's x[start:end:step]:
 *  a view, also for negative steps. */
OP(slice, slice_args, (y), .infer = slice_infer, .view = true, .grad = slice_grad,
   TORCH("get(x.movedim(dim, 0), f'{start}:{end}:{step}').movedim(0, dim)"),
   SAMPLES("(6,4) 0 start=1 end=5 step=2; (6) 0 start=4 end=-6 step=-1; (6) 0 start=-2 end=6; (3,5) 1 start=0 end=9 "
           "step=3; (5) 0 start=4 end=1"))

typedef struct {
    const fa_tensor *gy; /* the gradient of a slice */
    fa_like like;        /* the tensor that was sliced */
    int64_t dim;         /* the sliced dimension */
    int64_t first;       /* the index of gy's first element; not negative */
    int64_t step;        /* step between indices */
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

/* Fills the result with zeros, then writes the slice. */
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
    return fa__run_copy(c, part, a->gy);
}

static void slice_back_grad(fa__back *b)
{
    const slice_back_args *a = b->args;
    /* for a single element the step does not matter */
    int64_t n = fa_size(a->gy, a->dim), step = n > 1 ? a->step : 1, end = a->first + n * step;
    fa__set_input_grad(b, &a->gy,
                       fa_slice(b->gy[0], a->dim, .start = a->first, .end = end < 0 ? INT64_MAX : end, .step = step));
}

/** Zeros in the shape of `like`, with gy at every step-th index from `first` on: the gradient of slice. */
OP(slice_back, slice_back_args, (y), .infer = slice_back_infer, .exact = true, .run = slice_back_run,
   .grad = slice_back_grad, INTERNAL, TORCH(""), SAMPLES("(2,4) (6,4) 0 1 2; (3) (6) 0 4 -2; (0) (3) 0 0 1"))

#include "slice.rows"
