/* Stacking and concatenation. fa_cat() is listed under "Selecting, gathering and joining". */
#include "dispatch/row.h"

typedef struct {
    fa_tensors x;       /* one or more, all of one shape */
    int64_t dim OPT(0); /* position of the new dimension; negative counts from the end */
} stack_args;

typedef struct {
    fa_tensors x; /* one or more */
} tensors_args;

/* Concatenates what `change` makes of each tensor. */
static fa_tensor *cat_changed(const fa__call *c, fa_tensors x, int64_t dim,
                              fa_tensor *(*change)(const fa_tensor *, int64_t), int64_t how)
{
    if (!x.count) {
        fa__call_fail(c, FA_ERROR_ARGUMENT, "there is nothing to join");
        return NULL;
    }
    fa_tensor **item = fa__malloc(x.count * sizeof *item), *y = NULL;
    bool good = item != NULL;
    for (size_t k = 0; good && k < x.count; k++) {
        item[k] = change(x.item[k], how);
        good = item[k] != NULL;
    }
    const fa_tensors changed = {x.count, item};
    if (good)
        y = fa_cat(changed, .dim = dim);
    fa__free(item);
    return y;
}

static fa_tensor *with_dim(const fa_tensor *x, int64_t dim)
{
    return fa_unsqueeze(x, dim);
}

static fa_tensor *stack_compose(fa__call *c)
{
    const stack_args *a = c->args;
    for (size_t k = 1; k < a->x.count; k++)
        if (!fa__same_shape(a->x.item[k], a->x.item[0])) {
            fa__call_fail(c, FA_ERROR_SHAPE, "x[%zu] is of another shape than x[0]", k);
            return NULL;
        }
    int64_t dim = a->x.count && a->dim < 0 ? a->dim + a->x.item[0]->rank + 1 : a->dim;
    if (a->x.count && (dim < 0 || dim > a->x.item[0]->rank)) {
        fa__no_place(c, a->dim);
        return NULL;
    }
    return cat_changed(c, a->x, dim, with_dim, dim);
}

/** Stacks tensors of the same shape along a new dimension; their dtypes are promoted. */
OP(stack, stack_args, (y), .compose = stack_compose, TORCH("stack(x, dim)"),
   SAMPLES("[(2,3) (2,3)]; [(2,3) (2,3) (2,3)] dim=1; [(2) (2)] dim=-1; [()]; [() ()]; [(0,2) (0,2)] dim=2"))

/* Adds dimensions of size 1 up to `rank`: before a vector, else at the end. */
static fa_tensor *at_least(const fa_tensor *x, int64_t rank)
{
    fa_tensor *y = (fa_tensor *)(uintptr_t)x;
    if (x->rank == 0)
        y = fa_unsqueeze(y, 0);
    if (y && x->rank < 2 && rank > 1)
        y = fa_unsqueeze(y, 0);
    return y && rank > 2 && x->rank < 3 ? fa_unsqueeze(y, 2) : y;
}

static fa_tensor *hstack_compose(fa__call *c)
{
    const tensors_args *a = c->args;
    int64_t dim = a->x.count && a->x.item[0]->rank > 1;
    return cat_changed(c, a->x, dim, at_least, 1);
}

/** Concatenates tensors horizontally: along dimension 1, or dimension 0 if they are vectors. */
OP(hstack, tensors_args, (y), .compose = hstack_compose, TORCH("hstack(x)"),
   SAMPLES("[(2,3) (2,1)]; [(2) (3)]; [() ()]; [(0) (2)]; [(2,1,3) (2,2,3)]"))

static fa_tensor *vstack_compose(fa__call *c)
{
    const tensors_args *a = c->args;
    return cat_changed(c, a->x, 0, at_least, 2);
}

/** Stacks tensors vertically, along dimension 0; a vector counts as a row. */
OP(vstack, tensors_args, (y), .compose = vstack_compose, TORCH("vstack(x)"), ALSO("`row_stack`"),
   SAMPLES("[(2,3) (1,3)]; [(3) (2,3)]; [() ()]; [(0,2) (1,2)]"))

static fa_tensor *dstack_compose(fa__call *c)
{
    const tensors_args *a = c->args;
    return cat_changed(c, a->x, 2, at_least, 3);
}

/** Stacks tensors along dimension 2; a vector (n) counts as (1, n, 1), a matrix (m, n) as (m, n, 1). */
OP(dstack, tensors_args, (y), .compose = dstack_compose, TORCH("dstack(x)"),
   SAMPLES("[(2,3) (2,3)]; [(3) (3)]; [() ()]; [(2,3,1) (2,3,2)]; [(0,2) (0,2)]"))

static fa_tensor *as_column(const fa_tensor *x, int64_t rank)
{
    return x->rank < 2 ? fa_reshape(x, FA_SHAPE(fa_numel(x), 1)) : at_least(x, rank);
}

static fa_tensor *column_stack_compose(fa__call *c)
{
    const tensors_args *a = c->args;
    return cat_changed(c, a->x, 1, as_column, 2);
}

/** Concatenates along dimension 1; a vector counts as a column. */
OP(column_stack, tensors_args, (y), .compose = column_stack_compose, TORCH("column_stack(x)"),
   SAMPLES("[(3) (3)]; [(3) (3,2)]; [() ()]; [(0) (0)]"))

#include "join.rows"
