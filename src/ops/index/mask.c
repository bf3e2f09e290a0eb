/* Masks: nonzero, masked fill, select and scatter. Results whose shape depends on values make the host read a count,
 * which waits for the device once: fa_transfers_report() lists that wait, and FA_USE(.forbid = FA_SYNC) makes it an
 * error (except on the CPU). */
#include "dispatch/call.h"
#include "dispatch/promote.h"
#include "ops/index/index.h"

/* ---- positions of nonzero elements ---- */

typedef struct {
    const fa_tensor *x; /* any dtype */
} nonzero_args;

/* The coordinates of row-major positions in a shape: one (n) i64 tensor for each dimension of x. */
static void coordinates_of(const fa_tensor *x, fa_tensor *places, fa_tensor **coordinate)
{
    for (int i = x->rank - 1; i >= 0; i--) {
        coordinate[i] = i ? fa_remainder(places, x->shape[i]) : places;
        places = i ? fa_floor_divide(places, x->shape[i]) : places;
    }
}

static fa_tensor *nonzero_compose(fa__call *c)
{
    const nonzero_args *a = c->args;
    fa_tensor *places = fa__places_of_mask(c, a->x), *coordinate[FA_MAX_DIMS];
    if (!places)
        return NULL;
    if (!a->x->rank)
        return fa_zeros(FA_SHAPE(fa__numel(places), 0), .dtype = FA_I64, .device = fa_tensor_device(places));
    coordinates_of(a->x, places, coordinate);
    const fa_tensors all = {(size_t)a->x->rank, coordinate};
    return fa_stack(all, .dim = 1);
}

/** The indices of all elements that are not 0 (NaN counts as not 0), in row-major order: (n, x's rank) i64, one row for
 *  each element. The host reads n, which waits for x. fa_nonzero_tuple() gives one vector for each dimension; on
 *  fa_flatten(x) it is NumPy's flatnonzero. */
OP(nonzero, nonzero_args, (y), .compose = nonzero_compose, .by_values = true, TORCH("nonzero(x)"),
   ALSO("`argwhere`, NumPy's `flatnonzero`"),
   SAMPLES("b(3,4); t(2,3,4); (5); b(7); (0,3); (3,0); n(9); i(2,3,2,2); t()"))

static bool nonzero_tuple_list(fa__call *c)
{
    const nonzero_args *a = c->args;
    fa_tensor *places = fa__places_of_mask(c, a->x), *coordinate[FA_MAX_DIMS];
    if (!places)
        return false;
    coordinates_of(a->x, places, coordinate);
    if (!a->x->rank)
        coordinate[0] = fa_mul(places, 0);
    return fa__listed(c, a->x->rank ? a->x->rank : 1, coordinate);
}

/** The indices of all elements that are not 0, as one (n) i64 tensor for each dimension of x, which fa_index() accepts.
 *  A 0-dim x counts as shape (1). The host reads n, which waits for x. */
OP(nonzero_tuple, nonzero_args, [places], .compose_list = nonzero_tuple_list, .by_values = true,
   TORCH("nonzero(x, as_tuple=True)"), ALSO("`where(x)`, NumPy's `nonzero`"),
   SAMPLES("b(3,4); t(2,3,4); (5); (0,3); n(9); t()"))

/* ---- writing and selecting by mask ---- */

static bool check_mask(const fa__call *c, const fa_tensor *mask)
{
    return mask->dtype == FA_BOOL || fa__call_fail(c, FA_ERROR_DTYPE, "mask has to be bool: fa_ne(mask, 0) is");
}

typedef struct {
    const fa_tensor *x;    /* the tensor to write into */
    const fa_tensor *mask; /* bool; broadcasts with x */
    fa_arg value;          /* a number in the range of x's dtype, or a 0-dim tensor, which is converted to it */
} masked_fill_args;

/* The value in x's dtype, as a 0-dim tensor. */
static fa_tensor *value_for(const fa__call *c, const fa_tensor *x, fa_arg value)
{
    if (value.kind != FA__ARG_TENSOR)
        return fa__number_as(value, x, FA_SCALAR);
    if (fa__tensor_in(value)->rank)
        fa__call_fail(c, FA_ERROR_SHAPE, "value has %d dimensions: it has to be a number or 0-dim",
                      fa__tensor_in(value)->rank);
    else
        return fa_to(fa__index_beside(c, fa__tensor_in(value), x), (fa_dtype)x->dtype);
    return NULL;
}

static fa_tensor *masked_fill_compose(fa__call *c)
{
    const masked_fill_args *a = c->args;
    fa_tensor *value = check_mask(c, a->mask) ? value_for(c, a->x, a->value) : NULL;
    fa_tensor *mask = value ? fa__index_beside(c, a->mask, a->x) : NULL;
    if (!mask)
        return NULL;
    return c->inplace ? fa_where_(fa_logical_not(mask), c->given, value) : fa_where(mask, value, a->x);
}

/** x with value where mask is true. A 0-dim tensor value is converted as by fa_to() without waiting for it; PyTorch
 *  rejects a value outside the range of x's dtype. */
OP(masked_fill, masked_fill_args, (y), .compose = masked_fill_compose, .index = FIELDS(mask), .inplace = INPLACE(x),
   TORCH("masked_fill(x, mask, value)"), ALSO("NumPy's `putmask` and `place` with one value"),
   SAMPLES("(3,4) b(3,4) 2.5; (3,4) b(4) 1; (3,4) b(3,1) 0; () b() 2; (0,2) b(2) 1; (3,4) b(3,4) (); (3,4) b() 1; "
           "(3,4) b(3,4) i(); "
           "b(5) b(5) 2.5; i(5) b(5) 2.5; i(5) b(5) -1"))

typedef struct {
    const fa_tensor *x;    /* the tensor to select from */
    const fa_tensor *mask; /* bool; broadcasts with x */
} masked_select_args;

static fa_tensor *masked_select_compose(fa__call *c)
{
    const masked_select_args *a = c->args;
    if (!check_mask(c, a->mask))
        return NULL;
    fa_tensor *given[] = {(fa_tensor *)(uintptr_t)a->x, fa__index_beside(c, a->mask, a->x)};
    fa_tensors both = fa_broadcast_tensors((fa_tensors){2, given});
    fa_tensor *places = both.count ? fa__places_of_mask(c, both.item[1]) : NULL;
    return places ? fa__fetch_at(both.item[0], both.item[0]->rank, places, true) : NULL;
}

/** The elements of x where mask is true, in row-major order: shape (n). x and mask broadcast. The host reads n, which
 *  waits for mask. */
OP(masked_select, masked_select_args, (y), .compose = masked_select_compose, .index = FIELDS(mask), .by_values = true,
   TORCH("masked_select(x, mask)"), ALSO("NumPy's `extract` and `compress`"),
   SAMPLES("(3,4) b(3,4); (3,4) b(4); (4) b(3,1); () b(); (0,2) b(2); (2,3) b()"))

typedef struct {
    const fa_tensor *x;      /* the tensor to write into */
    const fa_tensor *mask;   /* bool; broadcasts to x's shape */
    const fa_tensor *source; /* x's dtype; at least as many elements as mask has true ones after broadcasting */
} masked_scatter_args;

/* An empty source: an error if mask has a true element, which is read for that. */
static fa_tensor *scatter_nothing(fa__call *c, const fa_tensor *x, const fa_tensor *mask)
{
    bool some = false;
    if (c->inplace && !fa__same_shape(x, c->given)) {
        fa__call_fail(c, FA_ERROR_SHAPE, "mask makes the result larger than x, which is changed in place");
        return NULL;
    }
    if (!fa__tensor_device(mask)->shapes_only && fa__numel(mask)) {
        FA__WORK_FOR(fa__asked_for(c));
        some = fa_item(fa_amax(mask)) != 0;
    }
    if (some)
        fa__call_fail(c, FA_ERROR_INDEX, "source has no element for what is true in mask");
    if (fa__failed())
        return NULL;
    return c->inplace ? fa_where_(mask, c->given, c->given) : fa_where(mask, x, x);
}

static fa_tensor *masked_scatter_compose(fa__call *c)
{
    const masked_scatter_args *a = c->args;
    if (!check_mask(c, a->mask))
        return NULL;
    if (a->source->dtype != a->x->dtype) {
        fa__call_fail(c, FA_ERROR_DTYPE, "x and source have to be of one dtype");
        return NULL;
    }
    fa_tensor *given[] = {(fa_tensor *)(uintptr_t)a->x, fa__index_beside(c, a->mask, a->x)};
    fa_tensors both = fa_broadcast_tensors((fa_tensors){2, given});
    if (!both.count)
        return NULL;
    fa_tensor *x = both.item[0], *mask = both.item[1], *flat = fa_flatten(mask);
    if (!fa__numel(a->source))
        return scatter_nothing(c, x, mask);
    fa_tensor *number = fa_where(flat, fa_sub(fa_cumsum(flat, 0), 1), 0); /* position among the true elements */
    fa_tensor *taken = fa_reshape(fa__fetch_at(fa_flatten(a->source), 1, number, false), fa_tensor_shape(x));
    return c->inplace ? fa_where_(fa_logical_not(mask), c->given, taken) : fa_where(mask, taken, x);
}

/** x with its elements where mask is true replaced by the elements of source, in row-major order. If source has too few
 *  elements, the error names the first missing one, on every device; the host reads nothing unless source is empty. */
OP(masked_scatter, masked_scatter_args, (y), .compose = masked_scatter_compose, .index = FIELDS(mask),
   .inplace = INPLACE(x), TORCH("masked_scatter(x, mask, source)"), ALSO("NumPy's `place`"),
   SAMPLES("(3,4) b(3,4) (12); (3,4) b(4) (3,5); (4) b(3,1) (12); () b() (1); (0,2) b(2) (0); (3,4) b(3,4) (2,7)"))

#include "mask.rows"
