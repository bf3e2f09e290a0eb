/* Unflatten, movedim, rot90, flips, unfold and as_strided. All are views. */
#include "dispatch/row.h"
#include "dispatch/views.h"

typedef struct {
    const fa_tensor *x;
    int64_t dim;    /* the dimension to split; negative counts from the end */
    fa_shape shape; /* the sizes it is split into; one may be -1, which is inferred */
} unflatten_args;

/* Infers the -1 among sizes whose product has to be `size`. */
static bool complete_sizes(const fa__call *c, fa_shape *shape, int64_t size)
{
    int64_t known = 1;
    int open = -1;
    for (int i = 0; i < shape->rank; i++) {
        if (shape->dim[i] == -1 && open < 0)
            open = i;
        else if (shape->dim[i] < 0 || !fa__mul_i64(known, shape->dim[i], &known))
            return fa__call_fail(c, FA_ERROR_SHAPE, "sizes are not negative, but one may be -1");
    }
    if (open >= 0 && known && size % known == 0) {
        shape->dim[open] = size / known;
        return true;
    }
    return (open < 0 && known == size)
           || fa__call_fail(c, FA_ERROR_SHAPE, "the sizes do not make %lld, the size of the dimension",
                            (long long)size);
}

static fa_tensor *unflatten_compose(fa__call *c)
{
    const unflatten_args *a = c->args;
    const fa_tensor *x = a->x;
    int d = fa__wrap_dim(c, x, a->dim);
    fa_shape inner = a->shape, shape = {.rank = 0};
    if (d < 0)
        return NULL;
    if (inner.rank < 1 || inner.rank > FA_MAX_DIMS || x->rank - 1 + inner.rank > FA_MAX_DIMS) {
        fa__call_fail(c, FA_ERROR_SHAPE, "%d sizes: there has to be one, and at most %d dimensions in all", inner.rank,
                      FA_MAX_DIMS);
        return NULL;
    }
    if (!complete_sizes(c, &inner, x->rank ? x->shape[d] : 1))
        return NULL;
    for (int i = 0; i < d; i++)
        shape.dim[shape.rank++] = x->shape[i];
    for (int i = 0; i < inner.rank; i++)
        shape.dim[shape.rank++] = inner.dim[i];
    for (int i = d + 1; i < x->rank; i++)
        shape.dim[shape.rank++] = x->shape[i];
    return fa_view(x, shape);
}

/** Splits one dimension of x into several: a view, the inverse of fa_flatten(). */
OP(unflatten, unflatten_args, (y), .compose = unflatten_compose, .may_view = true, TORCH("unflatten(x, dim, shape)"),
   SAMPLES("(6,4) 0 s(2,3); (2,6) -1 s(-1,2); (3,4) 1 s(4); (0,3) 0 s(0,5); (2,6,2) 1 s(1,3,-1)"))

typedef struct {
    const fa_tensor *x;
    fa_shape source;      /* the dimensions to move, such as FA_SHAPE(0, 1); negative counts from the end */
    fa_shape destination; /* their positions in the result; the others keep their order */
} movedim_args;

/* Reads a list of dimensions, each of which may occur once. */
static bool read_dims(const fa__call *c, const fa_tensor *x, const char *name, fa_shape dims, int *at)
{
    unsigned seen = 0;
    for (int i = 0; i < dims.rank; i++) {
        at[i] = fa__wrap_dim(c, x, dims.dim[i]);
        if (at[i] < 0)
            return false;
        if (seen >> at[i] & 1)
            return fa__call_fail(c, FA_ERROR_ARGUMENT, "%s names dimension %d twice", name, at[i]);
        seen |= 1U << at[i];
    }
    return true;
}

static fa_tensor *movedim_compose(fa__call *c)
{
    const movedim_args *a = c->args;
    int from[FA_MAX_DIMS] = {0}, to[FA_MAX_DIMS] = {0};
    fa_shape order = {.rank = a->x->rank};
    unsigned moved = 0;
    int count = a->source.rank;
    if (count != a->destination.rank || count < 0 || count > FA_MAX_DIMS) {
        fa__call_fail(c, FA_ERROR_ARGUMENT, "%d dimensions move to %d places", count, a->destination.rank);
        return NULL;
    }
    if (!read_dims(c, a->x, "source", a->source, from) || !read_dims(c, a->x, "destination", a->destination, to))
        return NULL;
    for (int i = 0; i < order.rank; i++)
        order.dim[i] = -1;
    for (int i = 0; i < count && order.rank; i++) {
        order.dim[to[i]] = from[i];
        moved |= 1U << from[i];
    }
    for (int i = 0, next = 0; i < order.rank; i++) {
        while (moved >> next & 1)
            next++;
        if (order.dim[i] < 0)
            order.dim[i] = next++;
    }
    return fa_permute(a->x, order);
}

/** Moves dimensions of x to other positions: a view. */
OP(movedim, movedim_args, (y), .compose = movedim_compose, .may_view = true, TORCH("movedim(x, source, destination)"),
   ALSO("`moveaxis`"),
   SAMPLES("(2,3,4) s(0) s(2); (2,3,4) s(0,1) s(-1,0); (2,3,4,2) s(3,0) s(1,2); (3,4) s() s(); () s() s(); (0,2) s(1) "
           "s(0)"))

/* ---- rotation and mirroring ---- */

typedef struct {
    const fa_tensor *x;
    int64_t k OPT(1);                /* number of 90 degree rotations, from dims[0] towards dims[1]; may be negative */
    fa_dims dims OPT(FA_DIMS(0, 1)); /* the two dimensions of the plane; negative counts from the end */
} rot90_args;

static fa_tensor *rot90_compose(fa__call *c)
{
    const rot90_args *a = c->args;
    const fa_shape dims = fa__dims_in_order(a->dims);
    int at[FA_MAX_DIMS];
    if (dims.rank != 2 || a->x->rank < 2) {
        fa__call_fail(c, FA_ERROR_SHAPE, "a plane has two dimensions: dims names %d, the tensor has %d", dims.rank,
                      a->x->rank);
        return NULL;
    }
    if (!read_dims(c, a->x, "dims", dims, at))
        return NULL;
    switch (((a->k % 4) + 4) % 4) {
    case 1:
        return fa_transpose(fa_flip(a->x, .dim = at[1]), at[0], at[1]);
    case 2:
        return fa_flip(a->x, .dim = FA_DIMS(at[0], at[1]));
    case 3:
        return fa_transpose(fa_flip(a->x, .dim = at[0]), at[0], at[1]);
    default:
        return fa_clone(a->x);
    }
}

/** Rotates x by multiples of 90 degrees in the plane of two dimensions: a copy. */
OP(rot90, rot90_args, (y), .compose = rot90_compose, TORCH("rot90(x, k, dims)"),
   SAMPLES("(3,4); (3,4) k=2; (3,4) k=3; (3,4) k=4; (2,3,4) k=-1 dims={-1,0}; (0,2)"))

typedef struct {
    const fa_tensor *x;
} mirrored_args;

static fa_tensor *mirrored(const fa__call *c, const fa_tensor *x, int dim)
{
    if (x->rank > dim)
        return fa_flip(x, .dim = dim);
    fa__call_fail(c, FA_ERROR_SHAPE, "there is no dimension %d to be mirrored", dim);
    return NULL;
}

static fa_tensor *fliplr_compose(fa__call *c)
{
    const mirrored_args *a = c->args;
    return mirrored(c, a->x, 1);
}

static fa_tensor *flipud_compose(fa__call *c)
{
    const mirrored_args *a = c->args;
    return mirrored(c, a->x, 0);
}

/** Reverses the order of columns (dimension 1): a copy. */
OP(fliplr, mirrored_args, (y), .compose = fliplr_compose, TORCH("fliplr(x)"), SAMPLES("(3,4); (2,3,2); (2,0)"))

/** Reverses the order of rows (dimension 0): a copy. */
OP(flipud, mirrored_args, (y), .compose = flipud_compose, TORCH("flipud(x)"), SAMPLES("(3,4); (5); (0,2)"))

/* ---- sliding windows ---- */

typedef struct {
    const fa_tensor *x;
    int64_t dim;  /* the dimension the windows slide along; negative counts from the end */
    int64_t size; /* size of the windows */
    int64_t step; /* step between the starts of neighbouring windows */
} unfold_args;

static bool unfold_infer(fa__call *c)
{
    const unfold_args *a = c->args;
    int d = fa__wrap_dim(c, a->x, a->dim);
    if (d < 0)
        return false;
    int64_t n = a->x->rank ? a->x->shape[d] : 1, stride = a->x->rank ? a->x->stride[d] : 1;
    if (a->size < 0 || a->size > n)
        return fa__call_fail(c, FA_ERROR_ARGUMENT, "windows of %lld do not fit into %lld entries", (long long)a->size,
                             (long long)n);
    if (a->step < 1)
        return fa__call_fail(c, FA_ERROR_ARGUMENT, "step is %lld: it has to be above 0", (long long)a->step);
    if (a->x->rank == FA_MAX_DIMS)
        return fa__call_fail(c, FA_ERROR_SHAPE, "a tensor has at most %d dimensions", FA_MAX_DIMS);
    fa__spec *s = fa__view_same(c, a->x);
    if (s->rank) {
        s->shape[d] = (n - a->size) / a->step + 1;
        s->stride[d] = s->shape[d] > 1 ? stride * a->step : stride;
    }
    s->shape[s->rank] = a->size;
    s->stride[s->rank++] = stride;
    return true;
}

/* The source position of each element of the windows: (windows * size) indices on a device. */
static fa_tensor *window_places(int64_t windows, int64_t size, int64_t step, fa_device device)
{
    fa_tensor *first = fa_mul(fa_arange(0, (double)windows, .device = device), step);
    fa_tensor *within = fa_arange(0, (double)size, .device = device);
    return fa_flatten(fa_add(fa_unsqueeze(first, 1), within));
}

/* Windows may overlap, so their gradients are added. */
static void unfold_grad(fa__back *b)
{
    const unfold_args *a = b->args;
    fa_tensor *gy = b->gy[0];
    if (!a->x->rank) {
        fa__set_input_grad(b, &a->x, fa_sum(gy));
        return;
    }
    int d = fa__wrap_dim(NULL, a->x, a->dim);
    int64_t windows = fa_size(gy, d);
    fa_tensor *places = window_places(windows, a->size, a->step, fa_tensor_device(gy));
    fa_tensor *rows = fa_flatten(fa_movedim(gy, FA_SHAPE(-1), FA_SHAPE(d + 1)), .start_dim = d, .end_dim = d + 1);
    fa__set_input_grad(b, &a->x, fa__index_sum(rows, d, places, a->x->shape[d]));
}

/** Sliding windows along a dimension, as a view: dim's size becomes the number of windows, and a new last dimension has
 *  the elements of each. */
OP(unfold, unfold_args, (y), .infer = unfold_infer, .view = true, .grad = unfold_grad,
   TORCH("x.unfold(dim, size, step)"), ALSO("`sliding_window_view`"),
   SAMPLES("(7) 0 3 1; (7) 0 2 3; (3,5) -1 5 1; (4,3) 0 2 2; (2,5,2) 1 3 2; (4) 0 0 1; () 0 1 1; (0,3) 1 2 1"))

/* ---- arbitrary strides ---- */

typedef struct {
    const fa_tensor *x;
    fa_shape shape;                /* shape of the result */
    fa_shape strides;              /* strides in elements of x's storage; any sign */
    int64_t offset OPT(INT64_MIN); /* of the first element in x's storage, in elements; default: where x starts */
} as_strided_args;

static fa_shape layout_of(const fa_tensor *x)
{
    fa_shape s = {.rank = x->rank};
    memcpy(s.dim, x->stride, sizeof s.dim[0] * x->rank);
    return s;
}

static fa_tensor *as_strided_compose(fa__call *c)
{
    const as_strided_args *a = c->args;
    int64_t offset = 0;
    if (a->offset != INT64_MIN && (a->offset < 0 || !fa__add_i64(a->offset, -a->x->offset, &offset))) {
        fa__call_fail(c, FA_ERROR_ARGUMENT, "offset is %lld", (long long)a->offset);
        return NULL;
    }
    return fa__strided_part(a->x, layout_of(a->x), a->shape, a->strides, offset);
}

/** A view of x's storage with any shape, strides and offset. Elements may share memory, and may be outside of x but not
 *  outside of its storage. */
OP(as_strided, as_strided_args, (y), .compose = as_strided_compose, .by_layout = true, .may_view = true,
   TORCH("as_strided(x, shape, strides, offset)"),
   SAMPLES("(3,4) s(2,2) s(8,1) offset=1; (6) s(3) s(2); (4) s(3,4) s(0,1); (2,3) s() s() offset=4; (6) s(4,3) s(1,1); "
           "(5) s(0) s(1); (0) s(0,2) s(1,1); () s(2) s(0)"))

#include "shape.rows"
