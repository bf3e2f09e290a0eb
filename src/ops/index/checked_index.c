/* Building blocks of indexing: checking and wrapping indices, reading and writing slices by index, masks as indices.
 * These are internal operations that only the indexing functions call; each has its kernel, gradient and tests. */
#include "dispatch/call.h"
#include "ops/index/index.h"

/* ---- shared helpers ---- */

bool fa__check_index(const fa__call *c, const fa_tensor *index, const char *name)
{
    return (!fa__dtype_is_float(index->dtype) && index->dtype != FA_BOOL)
           || fa__call_fail(c, FA_ERROR_DTYPE, "%s is %s: indices are integers%s", name,
                            fa_dtype_name((fa_dtype)index->dtype),
                            index->dtype == FA_BOOL ? "; fa_index() takes masks" : "");
}

/* A 0-dim tensor is treated as one dimension of size 1, here and in the kernels. */
static bool is_short(const fa_tensor *x)
{
    return x->rank <= 1;
}

bool fa__fits_index(const fa__call *c, const fa_tensor *x, const fa_tensor *index, int dim)
{
    if (is_short(x) && is_short(index))
        return dim == 0 || fa__numel(index) <= fa__numel(x)
               || fa__call_fail(c, FA_ERROR_SHAPE, "index is longer along dimension 0");
    if (x->rank != index->rank)
        return fa__call_fail(c, FA_ERROR_SHAPE, "index has %d dimensions and not %d", index->rank, x->rank);
    for (int i = 0; i < x->rank; i++)
        if (i != dim && index->shape[i] > x->shape[i])
            return fa__call_fail(c, FA_ERROR_SHAPE, "index is longer along dimension %d", i);
    return true;
}

fa_tensor *fa__written(fa__call *c, const fa_tensor *x)
{
    return c->inplace ? c->given : fa_clone(x);
}

fa_tensor *fa__index_beside(const fa__call *c, const fa_tensor *index, const fa_tensor *x)
{
    const fa__device *place = fa__tensor_device(index);
    bool placing = fa__ctx()->settings->placement == FA_PLACE_AUTO;
    if (place == fa__tensor_device(x))
        return (fa_tensor *)(uintptr_t)index;
    if (!place->host && !placing) {
        fa__call_fail(c, FA_ERROR_DEVICE, "an index has to be where x is, or on the CPU");
        return NULL;
    }
    FA__WORK_FOR(fa__asked_for(c));
    return fa_to(index, fa_tensor_device(x));
}

fa_tensor *fa__number_as(fa_arg number, const fa_tensor *x, fa_shape shape)
{
    fa_tensor *one = fa_full(FA_SCALAR, number, .dtype = (fa_dtype)x->dtype, .device = fa_tensor_device(x));
    return one ? fa_expand(one, shape) : NULL;
}

/* The shape of g with another size in one dimension. */
static fa_tensor *resized(const fa_tensor *g, int dim, int64_t size)
{
    fa_tensor *shape_only = fa__own(fa__tensor_shape_only(g));
    if (shape_only)
        shape_only->shape[dim] = size;
    return shape_only;
}

/* x reshaped to 0 or 1 dimensions, whichever the other tensor has. */
static fa_tensor *as_short(fa_tensor *x, const fa_tensor *other)
{
    if (!x || x->rank == other->rank)
        return x;
    return other->rank ? fa_reshape(x, FA_SHAPE(1)) : fa_reshape(x, FA_SCALAR);
}

fa_tensor *fa__padded_for(fa_tensor *g, const fa_tensor *src)
{
    for (int i = 0; g && i < g->rank; i++) {
        int64_t size = src->rank ? src->shape[i] : 1;
        if (size != g->shape[i])
            g = fa__slice_back(g, resized(g, i, size), i, 0, 1);
    }
    if (g && !g->rank && fa__numel(src) > 1)
        return fa__padded_for(fa_reshape(g, FA_SHAPE(1)), src);
    return as_short(g, src);
}

fa_tensor *fa__part_for(const fa_tensor *src, const fa_tensor *index)
{
    fa_tensor *part = (fa_tensor *)(uintptr_t)src;
    if (!part->rank && index->rank)
        part = fa_reshape(part, FA_SHAPE(1));
    for (int i = 0; part && i < part->rank; i++) {
        int64_t size = index->rank ? index->shape[i] : 1;
        if (part->shape[i] != size)
            part = fa_narrow(part, i, 0, size);
    }
    return as_short(part, index);
}

fa_tensor *fa__zeros_as(const fa_tensor *x, const fa_tensor *shape)
{
    return fa__number_as(fa__arg_i(0), x, fa_tensor_shape(shape));
}

/* ---- indices ---- */

typedef struct {
    const fa_tensor *index; /* integers */
    int64_t dim;            /* the dimension that error messages name */
    int64_t size;           /* the size of that dimension */
} index_at_args;

static bool index_at_infer(fa__call *c)
{
    const index_at_args *a = c->args;
    return fa__check_index(c, a->index, "index") && fa__infer_like(c, a->index, FA_I64);
}

static bool index_at_run(fa__call *c)
{
    const index_at_args *a = c->args;
    const fa__bound bound[] = {{.name = "i", .value = fa__arg_t(a->index)}, {.name = "n", .value = fa__arg_i(a->size)}};
    if (fa__numel(a->index) && !fa__run_kernel(c))
        return false;
    return fa__run_expression(c, c->out[0], "i < 0 ? i + n : i", 2, bound);
}

/** Indices as i64, negative ones wrapped (index + size); an index out of range is an error. */
OP(index_at, index_at_args, (y), .infer = index_at_infer, .run = index_at_run, .no_grad = "an index", INTERNAL,
   TORCH("where(index < 0, index + size, index)"), SAMPLES("i(3,4) 0 5; i(3)<4 1 4; i() 0 6; i(0) 0 0"))

/* ---- slices by index ---- */

typedef struct {
    const fa_tensor *x;
    int64_t lead;           /* number of leading dimensions that index covers */
    const fa_tensor *index; /* (n) integers: row-major positions in the leading dimensions */
    bool distinct;          /* no position occurs twice (as from a mask), so gradients can be added in any order */
} fetch_at_args;

static bool check_lead(const fa__call *c, const fa_tensor *x, int64_t lead, const fa_tensor *index)
{
    if (lead < 0 || lead > x->rank || index->rank != 1)
        return fa__call_fail(c, FA_ERROR_SHAPE, "x lacks dimensions, or index has not one");
    if (x->rank - lead + 1 > FA_MAX_DIMS)
        return fa__call_fail(c, FA_ERROR_SHAPE, "the result would have more than %d dimensions", FA_MAX_DIMS);
    return fa__check_index(c, index, "index");
}

static bool fetch_at_infer(fa__call *c)
{
    const fetch_at_args *a = c->args;
    fa__spec *s = &c->spec[0];
    if (!check_lead(c, a->x, a->lead, a->index))
        return false;
    s->dtype = (fa_dtype)a->x->dtype;
    s->rank = 1;
    s->shape[0] = a->index->shape[0];
    for (int64_t i = a->lead; i < a->x->rank; i++)
        s->shape[s->rank++] = a->x->shape[i];
    return true;
}

static void fetch_at_grad(fa__back *b)
{
    const fetch_at_args *a = b->args;
    fa__set_input_grad(b, &a->x, fa__place_at(fa_zeros_like(a->x), a->lead, a->index, b->gy[0], true, a->distinct));
}

/** The slices of x at the positions in index. */
OP(fetch_at, fetch_at_args, (y), .infer = fetch_at_infer, .exact = true, .grad = fetch_at_grad, .keep = KEEP(index),
   .index = FIELDS(index), INTERNAL, TORCH("x.reshape((-1,) + x.shape[lead:])[index]"),
   SAMPLES("(3,4,2) 2 i(5)<12 false; (3,4) 1 i(2)<3 false; (5) 1 i(7)<5 false; () 0 i(3)<1 false; (2,3) 2 i(0)<6 true; "
           "(2,3,4) 1 r(2) true; (2,3) 2 r(4) true"))

typedef struct {
    const fa_tensor *x;     /* the tensor to write into */
    int64_t lead;           /* number of leading dimensions that index covers */
    const fa_tensor *index; /* (n) integers: row-major positions in the leading dimensions */
    const fa_tensor *src;   /* n slices, in x's dtype */
    bool add;               /* add to x instead of overwriting */
    bool distinct;          /* no position occurs twice, so the order of writes does not matter */
} place_at_args;

static bool place_at_infer(fa__call *c)
{
    const place_at_args *a = c->args;
    int64_t rest = a->x->rank - a->lead;
    if (!check_lead(c, a->x, a->lead, a->index))
        return false;
    bool fits = a->src->rank == 1 + rest && a->src->shape[0] == a->index->shape[0];
    for (int64_t i = 0; fits && i < rest; i++)
        fits = a->src->shape[1 + i] == a->x->shape[a->lead + i];
    if (!fits)
        return fa__call_fail(c, FA_ERROR_SHAPE, "src has to have a slice of x for each index");
    if (a->src->dtype != a->x->dtype)
        return fa__call_fail(c, FA_ERROR_DTYPE, "x and src have to be of one dtype");
    if (a->add && fa__dtype_is_storage(a->x->dtype))
        return fa__computes_in(c, (fa_dtype)a->x->dtype);
    return fa__infer_like(c, a->x, (fa_dtype)a->x->dtype);
}

static bool place_at_run(fa__call *c)
{
    const place_at_args *a = c->args;
    const fa__bound bound[] = {{.name = "x", .value = fa__arg_t(a->x)}};
    return (c->inplace || fa__run_expression(c, c->out[0], "x", 1, bound))
           && (a->add && !a->distinct ? fa__run_accumulated_f32(c) : fa__run_kernel(c));
}

static void place_at_grad(fa__back *b)
{
    const place_at_args *a = b->args;
    fa_tensor *gy = b->gy[0];
    if (fa__wants(b, &a->x))
        fa__set_input_grad(
            b, &a->x, a->add ? gy : fa__place_at(gy, a->lead, a->index, fa__zeros_as(gy, a->src), false, a->distinct));
    if (fa__wants(b, &a->src))
        fa__set_input_grad(b, &a->src, fa__fetch_at(gy, a->lead, a->index, a->distinct));
}

/** x with the slices of src written (or added) at the positions in index. If a position occurs more than once, the last
 *  slice is kept, or all are added in order: the same bits on every device. The gradient of src is the gradient at the
 *  positions in index, also for slices that were overwritten. */
OP(place_at, place_at_args, (y), .infer = place_at_infer, .exact = true, .run = place_at_run, .grad = place_at_grad,
   .keep = KEEP(index), .index = FIELDS(index), .inplace = INPLACE(x), INTERNAL,
   TORCH("x.reshape((-1,) + x.shape[lead:]).index_put((index,), src, accumulate=add).reshape(x.shape)"),
   SAMPLES("(3,4,2) 2 r(5) (5,2) false false; (3,4,2) 2 i(5)<12 (5,2) true false; (5) 1 r(3) (3) false true; (3,4) 1 "
           "i(6)<3 (6,4) true false; () 0 i(3)<1 (3) true false; (2,3) 2 i(0)<6 (0) false false; (3,4,2) 2 r(5) (5,2) "
           "true true; (2,3) 1 r(2) (2,3) false true"))

/* ---- masks ---- */

typedef struct {
    const fa_tensor *sums; /* (n) i64: the running count of true elements of a mask */
    int64_t count;         /* the last of them, the total */
} true_places_args;

static bool true_places_infer(fa__call *c)
{
    const true_places_args *a = c->args;
    if (a->sums->rank != 1 || a->sums->dtype != FA_I64 || a->count < 0)
        return fa__call_fail(c, FA_ERROR_ARGUMENT, "sums are one dimension of i64");
    return fa__infer_shape(c, FA_I64, 1, &a->count);
}

/** The positions of the true elements, that is, where the running count increases. */
OP(true_places, true_places_args, (y), .infer = true_places_infer, .exact = true, .no_grad = "an index", INTERNAL,
   TORCH(""), SAMPLES("i(0) 0"))

fa_tensor *fa__places_of_mask(const fa__call *c, const fa_tensor *mask)
{
    if (fa__tensor_device(mask)->shapes_only) {
        fa__call_fail(c, FA_ERROR_DEVICE, "on meta a mask has no values, which decide the shape");
        return NULL;
    }
    fa_tensor *flat = fa_flatten(mask), *sums = fa_cumsum(fa_ne(flat, 0), 0);
    if (!sums)
        return NULL;
    if (!fa__numel(sums))
        return fa__true_places(sums, 0);
    FA__WORK_FOR(fa__asked_for(c));
    int64_t count = fa_item_int(fa_select(sums, 0, -1));
    return fa__failed() ? NULL : fa__true_places(sums, count);
}

#include "checked_index.rows"
