/* Binary search: searchsorted, bucketize and isin. */
#include "dispatch/promote.h"
#include "dispatch/row.h"

/* ---- positions in sorted lines ---- */

typedef struct {
    const fa_tensor *lines;  /* sorted along the last dimension */
    const fa_tensor *values; /* the same dtype; the shape of lines except for its last dimension */
    bool right;              /* insert after equal elements */
    bool out_int32;          /* the result is i32 */
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

/** For each value the number of elements of its sorted line that are less than it (or, with right, not greater). */
OP(sorted_places, sorted_places_args, (y), .infer = sorted_places_infer, .no_grad = "an index", INTERNAL, TORCH(""),
   SAMPLES("t(5) (3,4) true false; t(2,6) (2,3) false true; i(4) i(0,2) true true; b(4) b(2) false false; (0) (3) "
           "false false; t(2,1,3) t(2,1,0) true false; n(9) n(9) false false"))

typedef struct {
    const fa_tensor *sorted_sequence;  /* (n) or (..., n), ascending along the last dimension */
    fa_arg values;                     /* any shape if sorted_sequence is 1-dimensional, else (..., m); or a number */
    const fa_tensor *sorter OPT(NULL); /* if sorted_sequence is not sorted: its fa_argsort(), in its shape */
    bool right OPT(false);     /* true: insert after equal elements instead of before them (PyTorch's side="right") */
    bool out_int32 OPT(false); /* true: the result is i32 instead of i64 */
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

/* Whether every position fits into i32, if out_int32 is set; an error if not. */
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

/* The dtype in which a number is compared with elements of t: t's, if it represents the number. */
static fa_dtype dtype_with(const fa_tensor *t, const fa_arg *number)
{
    bool whole = number->kind != FA__ARG_FLOAT, floating = fa__dtype_is_float(t->dtype);
    double v = whole ? (double)fa__int_in(*number) : fa__double_in(*number);
    if ((whole || floating) && t->dtype != FA_BOOL && fa__dtype_holds((fa_dtype)t->dtype, v))
        return (fa_dtype)t->dtype;
    return whole && !floating ? FA_I64 : fa__dtype_holds(FA_F32, v) ? FA_F32 : FA_F64;
}

/* A value as a tensor in the dtype of the comparison with t. */
static fa_tensor *as_tensor(const fa_tensor *t, const fa_arg *value)
{
    if (value->kind == FA__ARG_TENSOR)
        return fa_to(fa__tensor_in(*value), fa__promote((fa_dtype)t->dtype, (fa_dtype)fa__tensor_in(*value)->dtype));
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

/** The index at which each value would be inserted into a sorted sequence to keep it sorted: before equal elements, or
 *  after them with .right. The result has the shape of values. Dtypes are promoted. NaN sorts after all numbers, in the
 *  sequence as well as among the values (PyTorch's results are wrong for NaN in the sequence). For a sequence that is
 *  not sorted the result is unspecified. */
OP(searchsorted, searchsorted_args, (y), .compose = searchsorted_compose,
   TORCH("searchsorted(sorted_sequence, values, sorter=sorter, right=right, out_int32=out_int32)"),
   SAMPLES(
       "d(5) (3,4); d(5) (3,4) right=true; t(6) t(4) right=true; d(2,5) (2,3); d(5) (2,2) sorter=r(5); i(6) 1; i(6) "
       "0.5; d(5) 0.5 out_int32=true; (0) (3); d(5) (0,2); d(5) n(9); d(5) n(9) right=true; t(2,3,4) t(2,3,1)"))

typedef struct {
    fa_arg x;                    /* any shape, or a number */
    const fa_tensor *boundaries; /* (n), ascending */
    bool right OPT(false);       /* false: an element equal to boundary i is in bucket i; true: in bucket i + 1 */
    bool out_int32 OPT(false);   /* true: the result is i32 instead of i64 */
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

/** The number of the bucket that each element falls into: i with boundaries[i - 1] < x <= boundaries[i], or with .right
 *  boundaries[i - 1] <= x < boundaries[i]. It is fa_searchsorted() with the operands exchanged. */
OP(bucketize, bucketize_args, (y), .compose = bucketize_compose,
   TORCH("bucketize(x, boundaries, right=right, out_int32=out_int32)"), ALSO("`digitize`"),
   SAMPLES("(3,4) d(5); (3,4) d(5) right=true; t(4) t(6) right=true; i(3) i(4) out_int32=true; 0.5 d(5); (3) (0); (0) "
           "d(5); n(9) d(5)"))

/* ---- membership ---- */

typedef struct {
    fa_arg elements;        /* any shape, or a number */
    fa_arg test_elements;   /* any shape, or a number */
    bool invert OPT(false); /* true: the result is negated */
} isin_args;

/* An operand as a tensor on the device of the other one. */
static const fa_tensor *operand(const fa_arg *a, const fa_arg *other)
{
    if (a->kind == FA__ARG_TENSOR)
        return fa__tensor_in(*a);
    return other->kind == FA__ARG_TENSOR ? as_tensor(fa__tensor_in(*other), a) : fa_full(FA_SCALAR, *a);
}

/* Binary search in the sorted list: an element is in it if the element at its insertion index is equal. */
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

/** Whether each element is equal to one of the test elements: bool, in the shape of elements. NaN equals nothing. */
OP(isin, isin_args, (y), .compose = isin_compose, DIFFERS("bool: bool can be compared"),
   TORCH("isin(elements, test_elements, invert=invert)"), ALSO("NumPy's `in1d`"),
   SAMPLES(
       "i(3,4) i(3); t(5) t(2); i(3,4) i(3) invert=true; i(4) 2; i(4) 0.5; 2 i(9); (0,2) i(3); i(3) i(0); i(3) i(0) "
       "invert=true; n(9) n(4); () ()"))

#include "searchsorted.rows"
