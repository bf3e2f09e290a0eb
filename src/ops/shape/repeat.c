/* Roll, repeat, tile, repeat_interleave. */
#include "dispatch/call.h"
#include "dispatch/row.h"
#include "dispatch/views.h"
#include "ops/index/index.h"

/* ---- roll ---- */

typedef struct {
    const fa_tensor *x;
    fa_shape shifts; /* for each dimension a shift from 0 to its size - 1 */
} rolled_args;

static bool rolled_infer(fa__call *c)
{
    const rolled_args *a = c->args;
    bool good = a->shifts.rank == a->x->rank;
    for (int i = 0; good && i < a->x->rank; i++)
        good = a->shifts.dim[i] >= 0 && (a->shifts.dim[i] < a->x->shape[i] || !a->shifts.dim[i]);
    if (!good)
        return fa__call_fail(c, FA_ERROR_ARGUMENT, "the shifts do not belong to the shape");
    return fa__infer_like(c, a->x, (fa_dtype)a->x->dtype);
}

/* Copies one of the contiguous blocks: in the dimensions in `back` the part that moves to the front, in the others the
 * rest. */
static bool roll_block(fa__call *c, const rolled_args *a, unsigned back)
{
    fa_tensor *from = fa__own(fa__tensor_alias(a->x)), *to = fa__own(fa__tensor_alias(c->out[0]));
    if (!from || !to)
        return false;
    for (int i = 0; i < a->x->rank; i++) {
        int64_t shift = a->shifts.dim[i], rest = a->x->shape[i] - shift;
        bool wraps = back >> i & 1;
        from->offset += wraps ? rest * from->stride[i] : 0;
        to->offset += wraps ? 0 : shift * to->stride[i];
        from->shape[i] = to->shape[i] = wraps ? shift : rest;
    }
    from->dense = to->dense = false;
    return fa__run_copy(c, to, from);
}

static bool rolled_run(fa__call *c)
{
    const rolled_args *a = c->args;
    unsigned moved = 0, back = 0;
    for (int i = 0; i < a->x->rank; i++)
        moved |= a->shifts.dim[i] ? 1U << i : 0;
    if (!fa__numel(a->x))
        return true;
    do {
        if (!roll_block(c, a, back))
            return false;
        back = (back - moved) & moved; /* the next subset */
    } while (back);
    return true;
}

static void rolled_grad(fa__back *b)
{
    const rolled_args *a = b->args;
    fa_shape opposite = a->shifts;
    for (int i = 0; i < opposite.rank; i++)
        opposite.dim[i] = opposite.dim[i] ? a->x->shape[i] - opposite.dim[i] : 0;
    fa__set_input_grad(b, &a->x, fa__rolled(b->gy[0], opposite));
}

/** x rolled along every dimension. */
OP(rolled, rolled_args, (y), .infer = rolled_infer, .exact = true, .run = rolled_run, .grad = rolled_grad, INTERNAL,
   TORCH("roll(x, shifts, tuple(range(x.dim())))"), SAMPLES("(3,4) s(1,3); (2,3,2) s(1,0,1); (5) s(0); (0,2) s(0,1)"))

typedef struct {
    const fa_tensor *x;
    fa_shape shifts;          /* how far to shift each of dims, such as FA_SHAPE(1, -2); negative: to the front */
    fa_dims dims OPT(FA_ALL); /* one dimension, or several as FA_DIMS(0, 2); by default x is flattened, and restored */
} roll_args;

/* The total shift of each dimension of x, since a dimension may be given more than once. */
static bool add_shifts(const fa__call *c, fa_shape *shifts)
{
    const roll_args *a = c->args;
    const fa_shape dims = fa__dims_in_order(a->dims);
    *shifts = (fa_shape){.rank = a->x->rank};
    if (a->dims == FA_ALL)
        return fa__call_fail(c, FA_ERROR_ARGUMENT, "%d shifts, and .dims does not say of which dimensions",
                             a->shifts.rank);
    if (a->shifts.rank != dims.rank || dims.rank < 1 || dims.rank > FA_MAX_DIMS)
        return fa__call_fail(c, FA_ERROR_ARGUMENT, "%d shifts for %d dimensions", a->shifts.rank, dims.rank);
    for (int i = 0; i < dims.rank; i++) {
        int d = fa__wrap_dim(c, a->x, dims.dim[i]);
        if (d < 0)
            return false;
        int64_t n = a->x->rank ? a->x->shape[d] : 0, s = n ? a->shifts.dim[i] % n : 0;
        if (n)
            shifts->dim[d] = (shifts->dim[d] + (s < 0 ? s + n : s)) % n;
    }
    return true;
}

static fa_tensor *roll_compose(fa__call *c)
{
    const roll_args *a = c->args;
    fa_shape shifts;
    if (a->dims == FA_ALL && a->shifts.rank == 1) {
        fa_tensor *flat = fa_roll(fa_flatten(a->x), a->shifts, .dims = 0);
        return flat ? fa_view(flat, fa_tensor_shape(a->x)) : NULL;
    }
    return add_shifts(c, &shifts) ? fa__rolled(a->x, shifts) : NULL;
}

/** Shifts the elements of x along dimensions, cyclically: elements shifted beyond the end come in at the front. */
OP(roll, roll_args, (y), .compose = roll_compose, TORCH("roll(x, shifts, dims)"),
   SAMPLES("(3,4) s(1); (3,4) s(1) dims=0; (3,4) s(-1,2) dims={0,-1}; (3,4) s(1,2) dims={1,0}; (2,3,2) s(1,1,1) "
           "dims={0,1,2}; (5) s(7) dims=0; (4) s(1,2) dims={0,0}; (0,3) s(1) dims=1; () s(3)"))

/* ---- repeat and tile ---- */

typedef struct {
    const fa_tensor *x;
    fa_shape repeats; /* repetitions for each dimension, such as FA_SHAPE(2, 1); aligned with x's last dimensions */
} repeat_args;

/* A copy of x viewed as `seen`, expanded to `wide` and reshaped to `joined`. */
static fa_tensor *copied(const fa_tensor *x, fa_shape seen, fa_shape wide, fa_shape joined)
{
    fa_tensor *y = fa_expand(fa_reshape(x, seen), wide);
    return y ? fa_view(fa__row_major(y), joined) : NULL;
}

static bool check_repeats(const fa__call *c, const fa_tensor *x, fa_shape repeats)
{
    int64_t count, size[FA_MAX_DIMS];
    if (repeats.rank < x->rank || repeats.rank > FA_MAX_DIMS)
        return fa__call_fail(c, FA_ERROR_SHAPE, "%d repeats for %d dimensions", repeats.rank, x->rank);
    for (int i = 0; i < repeats.rank; i++) {
        int old = i - (repeats.rank - x->rank);
        if (repeats.dim[i] < 0)
            return fa__call_fail(c, FA_ERROR_ARGUMENT, "repeats are not negative");
        if (!fa__mul_i64(repeats.dim[i], old < 0 ? 1 : x->shape[old], &size[i]))
            return fa__call_fail(c, FA_ERROR_SHAPE, "dimension %d would be larger than can be counted", i);
    }
    return fa__checked_numel(repeats.rank, size, &count)
           || fa__call_fail(c, FA_ERROR_SHAPE, "there would be more elements than can be counted");
}

/* Inserts a dimension for the repetitions before each repeated dimension. */
static fa_tensor *repeat_at_once(const fa_tensor *x, fa_shape repeats)
{
    fa_shape seen = {.rank = 0}, wide = seen, joined = seen;
    for (int i = 0; i < x->rank; i++) {
        int64_t n = x->shape[i], r = repeats.dim[i];
        if (r != 1) {
            seen.dim[seen.rank++] = 1;
            wide.dim[wide.rank++] = r;
        }
        seen.dim[seen.rank++] = wide.dim[wide.rank++] = n;
        joined.dim[joined.rank++] = n * r;
    }
    return copied(x, seen, wide, joined);
}

/* The product of the sizes before dim, and of the rest. */
static void divide(const fa_tensor *x, int dim, int64_t *outer, int64_t *inner)
{
    *outer = *inner = 1;
    for (int i = 0; i < x->rank; i++)
        *(i < dim ? outer : inner) *= x->shape[i];
}

static fa_tensor *repeat_one(const fa_tensor *x, int dim, int64_t repeats)
{
    int64_t outer, inner;
    fa_shape joined = fa_tensor_shape(x);
    joined.dim[dim] *= repeats;
    divide(x, dim, &outer, &inner);
    return copied(x, FA_SHAPE(outer, 1, inner), FA_SHAPE(outer, repeats, inner), joined);
}

static fa_tensor *repeated(const fa__call *c, const fa_tensor *x, fa_shape repeats)
{
    if (!check_repeats(c, x, repeats))
        return NULL;
    fa_shape full = {.rank = repeats.rank};
    int more = repeats.rank - x->rank, needed = repeats.rank;
    for (int i = 0; i < full.rank; i++) {
        full.dim[i] = i < more ? 1 : x->shape[i - more];
        needed += repeats.dim[i] != 1;
    }
    fa_tensor *y = fa_view(x, full);
    if (!y || needed <= FA_MAX_DIMS)
        return y ? repeat_at_once(y, repeats) : NULL;
    for (int i = full.rank; y && i-- > 0;)
        y = repeats.dim[i] == 1 ? y : repeat_one(y, i, repeats.dim[i]);
    return y;
}

static fa_tensor *repeat_compose(fa__call *c)
{
    const repeat_args *a = c->args;
    return repeated(c, a->x, a->repeats);
}

/** Repeats x along each dimension, as torch.Tensor.repeat. More repetitions than x has dimensions add leading
 *  dimensions. */
OP(repeat, repeat_args, (y), .compose = repeat_compose, TORCH("x.repeat(repeats)"),
   SAMPLES("(3) s(2); (2,3) s(2,3); (3) s(2,1); () s(3); () s(); (2,3) s(0,1); (1,3) s(4,1); (2,1,2,1,2) s(2,3,2,2,2); "
           "(0,2) s(2,2)"))

static fa_tensor *tile_compose(fa__call *c)
{
    const repeat_args *a = c->args;
    fa_shape repeats = a->repeats;
    for (; repeats.rank >= 0 && repeats.rank < a->x->rank; repeats.rank++) {
        memmove(repeats.dim + 1, repeats.dim, sizeof repeats.dim[0] * (size_t)repeats.rank);
        repeats.dim[0] = 1;
    }
    return repeated(c, a->x, repeats);
}

/** Repeats x along each dimension, as fa_repeat(), but with fewer repetitions than dimensions the leading ones are not
 *  repeated. */
OP(tile, repeat_args, (y), .compose = tile_compose, TORCH("tile(x, repeats)"),
   SAMPLES("(3) s(2); (2,3) s(2); (3) s(2,1); (2,3) s(2,0); () s(); (2,3) s()"))

/* ---- repeat_interleave ---- */

typedef struct {
    const fa_tensor *x;
    fa_arg repeats; /* repetitions of each element: a number, or an integer tensor with 1 or dim's size elements */
    int64_t dim OPT(INT64_MIN);  /* the dimension, negative counts from the end; by default x is flattened */
    int64_t output_size OPT(-1); /* size of dim in the result, the sum of the repeats; -1: the host computes it */
} repeat_interleave_args;

static fa_tensor *interleave_number(const fa__call *c, const fa_tensor *x, int d, int64_t repeats, int64_t expected)
{
    int64_t outer, inner, n = x->shape[d], size;
    fa_shape joined = fa_tensor_shape(x);
    if (repeats < 0 || !fa__mul_i64(n, repeats, &joined.dim[d]) || !fa__checked_numel(joined.rank, joined.dim, &size)) {
        fa__call_fail(c, FA_ERROR_ARGUMENT, "repeats is %lld", (long long)repeats);
        return NULL;
    }
    if (expected >= 0 && expected != joined.dim[d]) {
        fa__call_fail(c, FA_ERROR_ARGUMENT, "%lld times %lld entries are not output_size", (long long)repeats,
                      (long long)n);
        return NULL;
    }
    divide(x, d + 1, &outer, &inner);
    return copied(x, FA_SHAPE(outer, 1, inner), FA_SHAPE(outer, repeats, inner), joined);
}

/* Reads the repeats, one for each of n elements; the caller frees the array. */
static int64_t *read_repeats(const fa__call *c, const fa_tensor *t, int64_t n)
{
    int64_t count = fa__numel(t), *r = fa__malloc((size_t)n * sizeof *r + sizeof *r);
    FA__WORK_FOR(fa__asked_for(c));
    if (!r || !fa_read(t, r, FA_I64, count)) {
        fa__free(r);
        return NULL;
    }
    for (int64_t i = 1; i < n && count == 1; i++)
        r[i] = r[0];
    return r;
}

/* The index that selects each element as often as its repeat count; NULL and an error. */
static fa_tensor *interleaved_index(const fa__call *c, const int64_t *repeats, int64_t n, fa_device device)
{
    int64_t count = 0, at = 0;
    for (int64_t i = 0; i < n; i++)
        if (repeats[i] < 0 || !fa__add_i64(count, repeats[i], &count) || count > INT64_MAX / 8) {
            fa__call_fail(c, FA_ERROR_ARGUMENT, "repeats[%lld] is %lld", (long long)i, (long long)repeats[i]);
            return NULL;
        }
    int64_t *index = fa__malloc((size_t)count * sizeof *index + 1);
    for (int64_t i = 0; index && i < n; i++)
        for (int64_t k = 0; k < repeats[i]; k++)
            index[at++] = i;
    FA__WORK_FOR(fa__asked_for(c));
    fa_tensor *t = index ? fa_tensor_from(index, FA_SHAPE(count), .dtype = FA_I64, .device = device) : NULL;
    fa__free(index);
    return t;
}

/* The index if its length is known: position k comes from the first element whose running sum of repeats exceeds k. If
 * the sum differs from the length or a count is negative, every index is out of range. */
static fa_tensor *index_of_size(const fa_tensor *repeats, int64_t n, int64_t size)
{
    FA_USE(.no_grad = true);
    if (!n)
        return fa_zeros(FA_SHAPE(size), .dtype = FA_I64, .device = fa_tensor_device(repeats));
    fa_tensor *each = fa_expand(fa_to(repeats, FA_I64), FA_SHAPE(n)), *sum = each ? fa_cumsum(each, 0) : NULL;
    fa_tensor *total = sum ? fa_select(sum, 0, -1) : NULL;
    if (!total)
        return NULL;
    fa_tensor *wrong = fa_logical_or(fa_ne(total, size), fa_lt(fa_amin(each), 0));
    if (!size) /* an empty index would hide the error */
        return fa__index_at(fa_reshape(fa_to(wrong, FA_I64), FA_SHAPE(1)), 0, 1)
                   ? fa_zeros(FA_SHAPE(0), .dtype = FA_I64, .device = fa_tensor_device(repeats))
                   : NULL;
    fa_tensor *place = fa_arange(0, (double)size, .dtype = FA_I64, .device = fa_tensor_device(repeats));
    return fa_where(wrong, n, fa_searchsorted(sum, place, .right = true));
}

static fa_tensor *read_index(const fa__call *c, const fa_tensor *x, const fa_tensor *repeats, int64_t n)
{
    int64_t *r = read_repeats(c, repeats, n);
    fa_tensor *index = r ? interleaved_index(c, r, n, fa_tensor_device(x)) : NULL;
    fa__free(r);
    return index;
}

static fa_tensor *interleave_each(const fa__call *c, const fa_tensor *x, int d, const fa_tensor *repeats, int64_t size)
{
    int64_t n = x->shape[d], count = fa__numel(repeats);
    const fa__device *place = fa__tensor_device(repeats);
    fa_tensor *index = NULL;
    if (fa__dtype_is_float(repeats->dtype))
        fa__call_fail(c, FA_ERROR_DTYPE, "repeats are integers");
    else if (repeats->rank > 1 || (count != 1 && count != n))
        fa__call_fail(c, FA_ERROR_SHAPE, "repeats have to be one number, or %lld", (long long)n);
    else if (size >= 0)
        index = index_of_size(fa__index_beside(c, repeats, x), n, size);
    else if (place->shapes_only)
        fa__call_fail(c, FA_ERROR_DEVICE, "on meta repeats have no values, which decide the shape: .output_size does");
    else
        index = read_index(c, x, repeats, n);
    return index ? fa_index_select(x, d, index) : NULL;
}

static fa_tensor *repeat_interleave_compose(fa__call *c)
{
    const repeat_interleave_args *a = c->args;
    const fa_tensor *x = a->dim == INT64_MIN || !a->x->rank ? fa_flatten(a->x) : a->x;
    int d = a->dim == INT64_MIN ? 0 : fa__wrap_dim(c, a->x, a->dim);
    if (!x || d < 0)
        return NULL;
    if (a->repeats.kind == FA__ARG_TENSOR)
        return interleave_each(c, x, d, fa__tensor_in(a->repeats), a->output_size);
    if (a->repeats.kind == FA__ARG_INT)
        return interleave_number(c, x, d, fa__int_in(a->repeats), a->output_size);
    fa__call_fail(c, FA_ERROR_DTYPE, "repeats are integers");
    return NULL;
}

/** Repeats each element (or slice along dim) consecutively: [a, b] with repeats 2 gives [a, a, b, b]. The result's size
 *  along dim is the sum of repeats. If repeats is a tensor the host reads it, which waits for it, and copies the index
 *  to x's device, unless output_size is given. A negative count or a wrong output_size is reported as an index out of
 *  range, by a GPU when the host next waits for it. */
OP(repeat_interleave, repeat_interleave_args, (y), .compose = repeat_interleave_compose, .by_values = true,
   TORCH("repeat_interleave(x, repeats, dim, output_size=output_size if output_size >= 0 else None)"),
   ALSO("NumPy's `repeat`"),
   SAMPLES(
       "(3,4) 2; (3,4) 2 dim=1; (3,2) 3 dim=0; (3) i(3)<4; (3,4) i(4)<3 dim=-1; (2,2) i(1)<3 dim=0; (3) 0; () 3; (0,2) "
       "2 dim=0; (3) i()<4; (3,4) r(4) dim=-1 output_size=6; (5) r(5) output_size=10; (2,3) r(2) dim=0 "
       "output_size=1; (0,2) i(0)<3 dim=0 output_size=0; (2) 3 output_size=6"))

#include "repeat.rows"
