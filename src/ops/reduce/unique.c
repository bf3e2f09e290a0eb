/* Unique elements or slices. With their inverse indices and counts, sorted or in the order of x. */
#include "dispatch/call.h"
#include "dispatch/row.h"

typedef struct {
    const fa_tensor *x;
    int64_t dim OPT(INT64_MIN);     /* compare slices along dim, negative counts from the end; default: elements */
    bool return_inverse OPT(false); /* true: also return the index in values of each element of x */
    bool return_counts OPT(false);  /* true: also return how often each value occurs */
} unique_args;

/* The entries of a list, with `first` true where a run of equal ones starts. `order` is the permutation that sorted
 * them; NULL if they are in their original order. */
typedef struct runs {
    const fa_tensor *entries, *first, *order;
    int64_t n;
} runs;

/* The position of each run's first entry. The host reads the number of runs, which waits for the device. */
static fa_tensor *starts_of(const fa__call *c, const runs *r)
{
    FA__WORK_FOR(fa__asked_for(c));
    fa_tensor *places = fa_argsort(r->first, .descending = true); /* a stable sort keeps their order */
    int64_t count = places ? fa_item_int(fa_sum(r->first)) : 0;
    return places && !fa_failed() ? fa_narrow(places, 0, 0, count) : NULL;
}

/* For each entry, in the original order, the number of its run. */
static fa_tensor *inverse_of(const runs *r, const fa_tensor *starts)
{
    fa_tensor *at = fa_arange(0, (double)r->n, .dtype = FA_I64, .device = fa_tensor_device(starts));
    fa_tensor *number = at ? fa_sub(fa__sorted_places(starts, at, true, false), 1) : NULL;
    return r->order && number ? fa_gather(number, 0, fa_argsort(r->order)) : number;
}

static fa_tensor *counts_of(const runs *r, const fa_tensor *starts)
{
    fa_tensor *end = fa_full(FA_SHAPE(1), r->n, .dtype = FA_I64, .device = fa_tensor_device(starts));
    int64_t count = fa__numel(starts);
    if (!count)
        return fa_zeros_like(starts);
    fa_tensor *next = fa_cat(FA_TENSORS(fa_narrow(starts, 0, 1, count - 1), end));
    return next ? fa_sub(next, starts) : NULL;
}

/* Sets the results of the call, for entries that are slices along dimension 0. */
static bool give_runs(fa__call *c, const runs *r)
{
    const unique_args *a = c->args;
    fa_tensor *starts = starts_of(c, r);
    if (!starts)
        return false;
    c->out[0] = fa_index_select(r->entries, 0, starts);
    c->out[1] = a->return_inverse ? inverse_of(r, starts) : NULL;
    c->out[2] = a->return_counts ? counts_of(r, starts) : NULL;
    return c->out[0] && (c->out[1] || !a->return_inverse) && (c->out[2] || !a->return_counts);
}

/* True for the first of n entries and for those that differ from their predecessor; `differs` has n - 1 elements. */
static fa_tensor *firsts(fa_tensor *differs, int64_t n, fa_device device)
{
    fa_tensor *one = fa_ones(FA_SHAPE(n > 0), .dtype = FA_BOOL, .device = device);
    return one && differs ? fa_cat(FA_TENSORS(one, differs)) : NULL;
}

/* Whether each entry along dimension 0, except the first, differs from its predecessor. */
static fa_tensor *neighbours_differ(const fa_tensor *x, int64_t n)
{
    fa_tensor *ahead = fa_narrow(x, 0, n > 0, n > 0 ? n - 1 : 0), *behind = fa_narrow(x, 0, 0, n > 0 ? n - 1 : 0);
    return ahead && behind ? fa_ne(ahead, behind) : NULL;
}

/* ---- elements ---- */

static bool unique_elements(fa__call *c, const fa_tensor *x, bool sorted)
{
    runs r = {.n = fa__numel(x)};
    r.entries = fa_flatten(x);
    if (sorted && r.entries) {
        fa_sort_result s = fa_sort(r.entries);
        r.entries = s.values;
        r.order = s.indices;
    }
    r.first = r.entries ? firsts(neighbours_differ(r.entries, r.n), r.n, fa_tensor_device(x)) : NULL;
    if (!r.first || !give_runs(c, &r))
        return false;
    c->out[1] = c->out[1] ? fa_reshape(c->out[1], fa_tensor_shape(x)) : NULL;
    return c->out[1] || !((const unique_args *)c->args)->return_inverse;
}

/* ---- slices ---- */

/* Sorts rows lexicographically: stable sorts by each column, from the last to the first. */
static fa_tensor *row_order(const fa_tensor *rows)
{
    fa_tensor *order = fa_arange(0, (double)rows->shape[0], .dtype = FA_I64, .device = fa_tensor_device(rows));
    for (int64_t k = rows->shape[1]; order && k-- > 0;) {
        FA_SCOPE;
        fa_tensor *column = fa_index_select(fa_select(rows, 1, k), 0, order);
        fa_tensor *next = column ? fa_index_select(order, 0, fa_argsort(column)) : NULL;
        order = next ? fa_escape(next) : NULL;
    }
    return order;
}

/* The slices flattened to rows; back: the shape to restore. */
static fa_tensor *as_rows(const fa__call *c, const fa_tensor *moved)
{
    int64_t n = moved->shape[0];
    if (n && !fa__numel(moved)) {
        fa__call_fail(c, FA_ERROR_SHAPE, "the slices have no elements");
        return NULL;
    }
    return fa_reshape(moved, FA_SHAPE(n, n ? fa__numel(moved) / n : 1));
}

static bool unique_slices(fa__call *c, const fa_tensor *x, int dim, bool sorted)
{
    fa_tensor *moved = fa_movedim(x, FA_SHAPE(dim), FA_SHAPE(0)), *rows = moved ? as_rows(c, moved) : NULL;
    if (!rows)
        return false;
    runs r = {.entries = moved, .n = moved->shape[0]};
    if (sorted) {
        r.order = row_order(rows);
        rows = r.order ? fa_index_select(rows, 0, r.order) : NULL;
        r.entries = rows ? fa_index_select(moved, 0, r.order) : NULL;
    }
    fa_tensor *differ = rows ? neighbours_differ(rows, r.n) : NULL;
    r.first = differ ? firsts(fa_amax(differ, .dim = 1), r.n, fa_tensor_device(x)) : NULL;
    if (!r.first || !give_runs(c, &r))
        return false;
    c->out[0] = fa_movedim(c->out[0], FA_SHAPE(0), FA_SHAPE(dim));
    return c->out[0] != NULL;
}

static bool unique_as(fa__call *c, bool sorted)
{
    const unique_args *a = c->args;
    if (fa__tensor_device(a->x)->shapes_only)
        return fa__call_fail(c, FA_ERROR_DEVICE, "on meta there are no values, which decide the shape");
    FA_USE(.no_grad = true);
    if (a->dim == INT64_MIN)
        return unique_elements(c, a->x, sorted);
    int dim = fa__wrap_dim(c, a->x, a->dim);
    if (dim < 0)
        return false;
    return a->x->rank ? unique_slices(c, a->x, dim, sorted) : unique_elements(c, a->x, sorted);
}

static fa_tensor *unique_compose(fa__call *c)
{
    return unique_as(c, true) ? c->out[0] : NULL;
}

/** The unique elements in ascending order; for each element of x its index among them, in x's shape; and their counts
 *  (both i64). Results that are not requested are NULL. With dim, the unique slices along that dimension in
 *  lexicographic order. Each NaN is unique and comes last; of -0 and 0 the one that is first in x is kept. The host
 *  reads the number of unique elements, which waits for x. There is no gradient. */
OP(unique, unique_args, (values, inverse, counts), .compose = unique_compose, .no_grad = "a step function",
   .by_values = true, TORCH("unique(x.detach(), return_inverse=return_inverse, return_counts=return_counts, dim=dim)"),
   ALSO("`unique_all`, `unique_counts`, `unique_inverse`, `unique_values`"),
   SAMPLES(
       "t(5,3); t(5,3) return_inverse=true; t(40) return_counts=true; d(3,4) return_inverse=true return_counts=true; "
       "i(3,20) return_inverse=true return_counts=true; t(30,2) dim=0 return_inverse=true return_counts=true; "
       "t(2,2,20) dim=-1 return_inverse=true return_counts=true; () return_inverse=true return_counts=true; (0,3) "
       "return_inverse=true return_counts=true; (0,3) dim=0 return_inverse=true return_counts=true; (1) dim=0; "
       "i(6,2)<2 dim=1"))

static fa_tensor *unique_consecutive_compose(fa__call *c)
{
    return unique_as(c, false) ? c->out[0] : NULL;
}

/** x without elements (or slices along dim) that are equal to their predecessor. Results and options as for
 *  fa_unique(). */
OP(unique_consecutive, unique_args, (values, inverse, counts), .compose = unique_consecutive_compose,
   .no_grad = "a step function", .by_values = true,
   TORCH("unique_consecutive(x.detach(), return_inverse=return_inverse, return_counts=return_counts, dim=dim)"),
   SAMPLES(
       "t(5,3); t(5,3) return_inverse=true; t(40) return_counts=true; d(3,4) return_inverse=true return_counts=true; "
       "i(3,20) return_inverse=true return_counts=true; t(30,2) dim=0 return_inverse=true return_counts=true; "
       "t(2,2,20) dim=-1 return_inverse=true return_counts=true; () return_inverse=true return_counts=true; (0,3) "
       "return_inverse=true return_counts=true; (0,3) dim=0 return_inverse=true return_counts=true; (1) dim=0; "
       "i(6,2)<2 dim=1"))

#include "unique.rows"
