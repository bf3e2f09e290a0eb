/* Searching in what is sorted. */
#include "dispatch/promote.h"
#include "dispatch/row.h"

/* ---- places ---- */

typedef struct {
    const fa_tensor *lines;  /* sorted along the last dimension */
    const fa_tensor *values; /* of the same dtype; of the same shape but along the last dimension, if lines are many */
    bool right;              /* behind equal ones */
    bool out_int32;          /* places are i32 */
} sorted_places_args;

static bool sorted_places_infer(fa__call *c)
{
    const sorted_places_args *a = c->args;
    bool fits = a->lines->rank == 1 || (a->lines->rank && a->lines->rank == a->values->rank);
    for (int d = 0; fits && d < a->lines->rank - 1; d++)
        fits = a->lines->shape[d] == a->values->shape[d];
    if (!fits || a->lines->dtype != a->values->dtype)
        return fa__call_fail(c, FA_ERROR_SHAPE, "lines and values do not go together");
    return fa__infer_like(c, a->values, a->out_int32 ? FA_I32 : FA_I64);
}

/** How many elements of its sorted line are below each value, or not above it. */
OP(sorted_places, sorted_places_args, (y), .infer = sorted_places_infer, .no_grad = "a place", INTERNAL, TORCH(""),
   SAMPLES("t(5) (3,4) true false; t(2,6) (2,3) false true; i(4) i(0,2) true true; b(4) b(2) false false; (0) (3) "
           "false false; t(2,1,3) t(2,1,0) true false; n(9) n(9) false false"))

typedef struct {
    const fa_tensor *sorted_sequence;  /* (n), or (..., n): in ascending order along the last dimension */
    fa_arg values;                     /* any shape for a sequence of one dimension, (..., m) for others; or a number */
    const fa_tensor *sorter OPT(NULL); /* of the sequence's shape, what fa_argsort() gives where that is not sorted */
    bool right OPT(false);             /* behind elements that are equal, instead of before them: PyTorch's side */
    bool out_int32 OPT(false);         /* i32 instead of i64 */
} searchsorted_args;

static bool lines_fit(const fa__call *c, const fa_tensor *lines, const fa_tensor *values)
{
    if (!lines->rank)
        return fa__call_fail(c, FA_ERROR_SHAPE, "the sequence is 0-dim");
    bool fits = lines->rank == 1 || lines->rank == values->rank;
    for (int d = 0; fits && d < lines->rank - 1; d++)
        fits = lines->shape[d] == values->shape[d];
    return fits
           || fa__call_fail(c, FA_ERROR_SHAPE,
                            "the sequence has to have one dimension, or all but the last one as the values have them");
}

/* Places as i32 have to be enough. */
static bool places_fit(const fa__call *c, const fa_tensor *lines, bool narrow)
{
    return !narrow || lines->shape[lines->rank - 1] <= INT32_MAX
           || fa__call_fail(c, FA_ERROR_ARGUMENT, "i32 does not hold all places");
}

static bool sorter_fits(const fa__call *c, const fa_tensor *lines, const fa_tensor *sorter)
{
    return !sorter || fa__same_shape(lines, sorter)
           || fa__call_fail(c, FA_ERROR_SHAPE, "the sorter has another shape than the sequence");
}

/* The dtype in which a number is compared with elements of t: that of t if it has such numbers. */
static fa_dtype dtype_with(const fa_tensor *t, const fa_arg *number)
{
    bool whole = number->kind != FA__ARG_FLOAT, floating = fa__dtype_is_float(t->dtype);
    double v = whole ? (double)number->as.i : number->as.f;
    if ((whole || floating) && t->dtype != FA_BOOL && fa__dtype_holds((fa_dtype)t->dtype, v))
        return (fa_dtype)t->dtype;
    return whole && !floating ? FA_I64 : fa__dtype_holds(FA_F32, v) ? FA_F32 : FA_F64;
}

/* A value as a tensor of the dtype in which it is compared with elements of t. */
static fa_tensor *as_tensor(const fa_tensor *t, const fa_arg *value)
{
    if (value->kind == FA__ARG_TENSOR)
        return fa_to(value->as.t, fa__promote((fa_dtype)t->dtype, (fa_dtype)value->as.t->dtype));
    return fa_full(FA_SCALAR, *value, .dtype = dtype_with(t, value), .device = fa_tensor_device(t));
}

static fa_tensor *places_of(const fa__call *c, const fa_tensor *lines, const fa_arg *value, bool right, bool narrow)
{
    FA_USE(.no_grad = true);
    const fa_tensor *values = lines->rank ? as_tensor(lines, value) : lines;
    if (!values || !lines_fit(c, lines, values) || !places_fit(c, lines, narrow))
        return NULL;
    return fa__sorted_places(fa_to(lines, (fa_dtype)values->dtype), values, right, narrow);
}

static fa_tensor *searchsorted_compose(fa__call *c)
{
    const searchsorted_args *a = c->args;
    const fa_tensor *lines = a->sorted_sequence;
    if (!sorter_fits(c, lines, a->sorter))
        return NULL;
    if (a->sorter && lines->rank)
        lines = fa_gather(lines, -1, a->sorter);
    return lines ? places_of(c, lines, &a->values, a->right, a->out_int32) : NULL;
}

/** Where each value would be put into a sorted sequence so that it stays sorted: before all elements that are equal,
 *  so that elements below it stand in front; or behind them. Dtypes promote. NaN is above all numbers, as fa_sort()
 *  puts it (PyTorch's places are wrong then), and as a value belongs at the end. A sequence that is not sorted gives
 *  places without meaning. */
OP(searchsorted, searchsorted_args, (y), .compose = searchsorted_compose,
   TORCH("searchsorted(sorted_sequence, values, sorter=sorter, right=right, out_int32=out_int32)"),
   SAMPLES(
       "d(5) (3,4); d(5) (3,4) right=true; t(6) t(4) right=true; d(2,5) (2,3); d(5) (2,2) sorter=r(5); i(6) 1; i(6) "
       "0.5; d(5) 0.5 out_int32=true; (0) (3); d(5) (0,2); d(5) n(9); d(5) n(9) right=true; t(2,3,4) t(2,3,1)"))

typedef struct {
    fa_arg x;                    /* any shape, or a number */
    const fa_tensor *boundaries; /* (n), in ascending order */
    bool right OPT(false);       /* an element that is a boundary belongs above it, instead of below */
    bool out_int32 OPT(false);   /* i32 instead of i64 */
} bucketize_args;

static fa_tensor *bucketize_compose(fa__call *c)
{
    const bucketize_args *a = c->args;
    if (a->boundaries->rank != 1) {
        fa__call_fail(c, FA_ERROR_SHAPE, "boundaries have to have one dimension");
        return NULL;
    }
    return places_of(c, a->boundaries, &a->x, a->right, a->out_int32);
}

/** For each element the number of the bucket that it is in: number i is above boundary i - 1 and up to boundary i,
 * which belongs to it; or, with .right, to the next one. As fa_searchsorted() with the operands exchanged. */
OP(bucketize, bucketize_args, (y), .compose = bucketize_compose,
   TORCH("bucketize(x, boundaries, right=right, out_int32=out_int32)"), ALSO("`digitize`"),
   SAMPLES("(3,4) d(5); (3,4) d(5) right=true; t(4) t(6) right=true; i(3) i(4) out_int32=true; 0.5 d(5); (3) (0); (0) "
           "d(5); n(9) d(5)"))

/* ---- being one of several ---- */

typedef struct {
    fa_arg elements;        /* any shape, or a number */
    fa_arg test_elements;   /* any shape, or a number */
    bool invert OPT(false); /* whether it is none of them */
} isin_args;

/* An operand as a tensor, where the other one is. */
static const fa_tensor *operand(const fa_arg *a, const fa_arg *other)
{
    if (a->kind == FA__ARG_TENSOR)
        return a->as.t;
    return other->kind == FA__ARG_TENSOR ? as_tensor(other->as.t, a) : fa_full(FA_SCALAR, *a);
}

/* The element of the sorted list that stands where each belongs is the same, or none is. */
static fa_tensor *found_in(const fa_tensor *x, const fa_tensor *test, bool invert)
{
    int64_t n = fa__numel(test);
    fa_tensor *sorted = fa_sort(fa_flatten(test)).values, *flat = fa_flatten(x);
    if (!sorted || !flat)
        return NULL;
    fa_tensor *place = fa_minimum(fa__sorted_places(sorted, flat, false, false), n - 1);
    fa_tensor *there = fa_index_select(sorted, 0, place);
    return fa_reshape(invert ? fa_ne(there, flat) : fa_eq(there, flat), fa_tensor_shape(x));
}

static fa_tensor *isin_compose(fa__call *c)
{
    const isin_args *a = c->args;
    (void)c;
    FA_USE(.no_grad = true);
    const fa_tensor *x = operand(&a->elements, &a->test_elements), *test = operand(&a->test_elements, &a->elements);
    if (!x || !test)
        return NULL;
    if (!fa__numel(test))
        return fa_full(fa_tensor_shape(x), a->invert, .dtype = FA_BOOL, .device = fa_tensor_device(x));
    fa_dtype dtype = fa__promote((fa_dtype)x->dtype, (fa_dtype)test->dtype);
    x = fa_to(x, dtype);
    test = fa_to(test, dtype);
    return x && test ? found_in(x, test, a->invert) : NULL;
}

/** For each element whether it is one of the test elements: bool, of the elements' shape. NaN is none of them. */
OP(isin, isin_args, (y), .compose = isin_compose, DIFFERS("bool: bool can be compared"),
   TORCH("isin(elements, test_elements, invert=invert)"), ALSO("NumPy's `in1d`"),
   SAMPLES(
       "i(3,4) i(3); t(5) t(2); i(3,4) i(3) invert=true; i(4) 2; i(4) 0.5; 2 i(9); (0,2) i(3); i(3) i(0); i(3) i(0) "
       "invert=true; n(9) n(4); () ()"))

#include "searchsorted.rows"
