/* Broadcasting tensors together, coordinate grids (meshgrid). The results are views. */
#include "dispatch/row.h"

typedef struct {
    fa_tensors x; /* shapes that broadcast together */
} broadcast_tensors_args;

/* Broadcasts `shape` with t's; false if they do not fit. */
static bool widen(fa_shape *shape, const fa_tensor *t)
{
    for (; shape->rank < t->rank; shape->rank++) {
        memmove(shape->dim + 1, shape->dim, sizeof shape->dim[0] * (size_t)shape->rank);
        shape->dim[0] = 1;
    }
    for (int i = 0; i < t->rank; i++) {
        int64_t *n = &shape->dim[shape->rank - t->rank + i];
        if (t->shape[i] != *n && t->shape[i] != 1 && *n != 1)
            return false;
        *n = *n == 1 ? t->shape[i] : *n;
    }
    return true;
}

/* Returns the list of views that `view` makes, one for each tensor. */
static bool list_views(fa__call *c, fa_tensors x, fa_shape shape,
                       fa_tensor *(*view)(const fa_tensor *, size_t k, fa_shape shape))
{
    fa_tensor **item = fa__malloc(x.count * sizeof *item + 1);
    bool good = item != NULL;
    for (size_t k = 0; good && k < x.count; k++) {
        item[k] = view(x.item[k], k, shape);
        good = item[k] != NULL;
    }
    good = good && fa__listed(c, x.count, item);
    fa__free(item);
    return good;
}

static fa_tensor *expanded(const fa_tensor *x, size_t k, fa_shape shape)
{
    (void)k;
    return fa_expand(x, shape);
}

static bool broadcast_tensors_list(fa__call *c)
{
    const broadcast_tensors_args *a = c->args;
    fa_shape shape = {.rank = 0};
    for (size_t k = 0; k < a->x.count; k++)
        if (!widen(&shape, a->x.item[k]))
            return fa__call_fail(c, FA_ERROR_SHAPE, "the shape of x[%zu] does not broadcast with those before it", k);
    return list_views(c, a->x, shape, expanded);
}

/** Expands all tensors to the shape that they broadcast to: views. Under automatic placement, tensors on different
 *  devices are moved to one. */
OP(broadcast_tensors, broadcast_tensors_args, [views], .compose_list = broadcast_tensors_list, .may_view = true,
   TORCH("broadcast_tensors(*x)"), ALSO("`broadcast_arrays`"),
   SAMPLES("[(3,1) (4)]; [() (2,2)]; [(3)]; [(0,1) (1,4) ()]"))

typedef struct {
    fa_tensors x;                   /* coordinates along each axis: (n) or (), all of one dtype */
    const char *indexing OPT("ij"); /* "ij": the first input varies along dimension 0; "xy": along dimension 1 */
} meshgrid_args;

/* The coordinates along dimension k. */
static fa_tensor *along(const fa_tensor *x, size_t k, fa_shape shape)
{
    fa_shape own = {.rank = shape.rank};
    for (int i = 0; i < own.rank; i++)
        own.dim[i] = i == (int)k ? fa_numel(x) : 1;
    return fa_expand(fa_view(x, own), shape);
}

static fa_tensor *along_swapped(const fa_tensor *x, size_t k, fa_shape shape)
{
    return along(x, k < 2 ? 1 - k : k, shape);
}

static bool check_axes(const fa__call *c, const meshgrid_args *a)
{
    if (!a->x.count || a->x.count > FA_MAX_DIMS)
        return fa__call_fail(c, FA_ERROR_ARGUMENT, "a grid has 1 to %d axes, not %zu", FA_MAX_DIMS, a->x.count);
    for (size_t k = 0; k < a->x.count; k++) {
        if (a->x.item[k]->rank > 1)
            return fa__call_fail(c, FA_ERROR_SHAPE, "x[%zu] has more than one dimension", k);
        if (a->x.item[k]->dtype != a->x.item[0]->dtype)
            return fa__call_fail(c, FA_ERROR_DTYPE, "x[%zu] is of another dtype than x[0]", k);
    }
    return true;
}

static bool meshgrid_list(fa__call *c)
{
    const meshgrid_args *a = c->args;
    if (!a->indexing || (strcmp(a->indexing, "ij") != 0 && strcmp(a->indexing, "xy") != 0))
        return fa__call_fail(c, FA_ERROR_ARGUMENT, "indexing is \"ij\" or \"xy\"");
    if (!check_axes(c, a))
        return false;
    bool swap = a->indexing[0] == 'x' && a->x.count > 1;
    fa_shape shape = {.rank = (int)a->x.count};
    for (int i = 0; i < shape.rank; i++)
        shape.dim[swap && i < 2 ? 1 - i : i] = fa_numel(a->x.item[i]);
    return list_views(c, a->x, shape, swap ? along_swapped : along);
}

/** Coordinate grids: for inputs of sizes n1, n2, ... one tensor of shape (n1, n2, ...) for each, with its coordinate at
 *  every grid point. */
OP(meshgrid, meshgrid_args, [coordinates], .compose_list = meshgrid_list, .may_view = true,
   TORCH("meshgrid(*x, indexing=indexing)"),
   SAMPLES("[(2) (3)]; [(2) (3)] indexing='xy'; [(4)] indexing='xy'; [() (2) (3)] indexing='xy'; [(0) (3)]"))

#include "grid.rows"
