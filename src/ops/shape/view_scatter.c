/* Writing into a slice or diagonal without changing x: select_scatter, slice_scatter, diagonal_scatter. */
#include "ops/index/index.h"

/* A copy of x with src written into a view of the copy, whose shape src must have. */
static fa_tensor *written_through(const fa__call *c, fa_tensor *y, fa_tensor *view, const fa_tensor *src)
{
    if (!view || !src)
        return NULL;
    if (!fa__same_shape(view, src)) {
        fa__call_fail(c, FA_ERROR_SHAPE, "src has to be of the shape of the part that it replaces");
        return NULL;
    }
    return fa_copy_(view, src) ? y : NULL;
}

typedef struct {
    const fa_tensor *x;
    const fa_tensor *src; /* x's shape without dim; converted to x's dtype */
    int64_t dim;          /* negative counts from the end */
    int64_t index;        /* the index that is replaced; negative counts from the end */
} select_scatter_args;

static fa_tensor *select_scatter_compose(fa__call *c)
{
    const select_scatter_args *a = c->args;
    fa_tensor *y = fa_clone(a->x);
    return written_through(c, y, fa_select(y, a->dim, a->index), a->src);
}

/** A copy of x with fa_select(x, dim, index) replaced by src. */
OP(select_scatter, select_scatter_args, (y), .compose = select_scatter_compose,
   TORCH("select_scatter(x, src, dim, index)"), SAMPLES("(3,4) (4) 0 1; (3,4) (3) -1 -1; (5) () 0 2; (0,2) (0) 1 0"))

typedef struct {
    const fa_tensor *x;
    const fa_tensor *src;         /* the slice's shape; converted to x's dtype */
    int64_t dim OPT(0);           /* negative counts from the end */
    int64_t start OPT(INT64_MIN); /* first index, see fa_slice() */
    int64_t end OPT(INT64_MAX);   /* exclusive end */
    int64_t step OPT(1);          /* step between indices; may be negative, not 0 */
} slice_scatter_args;

static fa_tensor *slice_scatter_compose(fa__call *c)
{
    const slice_scatter_args *a = c->args;
    fa_tensor *y = fa_clone(a->x);
    return written_through(c, y, fa_slice(y, a->dim, .start = a->start, .end = a->end, .step = a->step), a->src);
}

/** A copy of x with fa_slice(x, dim, ...) replaced by src. */
OP(slice_scatter, slice_scatter_args, (y), .compose = slice_scatter_compose,
   TORCH("slice_scatter(x, src, dim, start, end, step)"),
   SAMPLES("(6,4) (2,4) start=1 end=5 step=2; (3,4) (3,2) dim=-1 start=-2; (5) (5); (3,4) (0,4) start=2 end=1"))

typedef struct {
    const fa_tensor *x;
    const fa_tensor *src;  /* the diagonal's shape; converted to x's dtype */
    int64_t offset OPT(0); /* 0: main diagonal; positive: above it; negative: below it */
    int64_t dim1 OPT(0);   /* dimension of the rows */
    int64_t dim2 OPT(1);   /* dimension of the columns */
} diagonal_scatter_args;

static fa_tensor *diagonal_scatter_compose(fa__call *c)
{
    const diagonal_scatter_args *a = c->args;
    fa_tensor *y = fa_clone(a->x);
    fa_tensor *view = fa_diagonal(y, .offset = a->offset, .dim1 = a->dim1, .dim2 = a->dim2);
    return written_through(c, y, view, a->src);
}

/** A copy of x with fa_diagonal(x, ...) replaced by src. */
OP(diagonal_scatter, diagonal_scatter_args, (y), .compose = diagonal_scatter_compose,
   TORCH("diagonal_scatter(x, src, offset, dim1, dim2)"),
   SAMPLES("(3,3) (3); (3,4) (3) offset=1; (2,3,4) (2,2) offset=-1 dim1=1 dim2=2; (2,3,4) (3,2) dim1=2 dim2=0"))

#include "view_scatter.rows"
