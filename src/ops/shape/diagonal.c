/* Diagonals and triangular matrices. */
#include "dispatch/row.h"
#include "dispatch/views.h"

/* ---- diagonals ---- */

/* A diagonal of dimensions d1 and d2: `length` elements, starting at (row, column). */
typedef struct diagonal_line {
    int d1, d2;
    int64_t row, column, length;
} diagonal_line;

static bool find_diagonal(const fa__call *c, const fa_tensor *x, int64_t offset, int64_t dim1, int64_t dim2,
                          diagonal_line *g)
{
    g->d1 = fa__wrap_dim(c, x, dim1);
    g->d2 = g->d1 < 0 ? -1 : fa__wrap_dim(c, x, dim2);
    if (g->d2 < 0)
        return false;
    if (x->rank < 2 || g->d1 == g->d2)
        return fa__call_fail(c, FA_ERROR_SHAPE, "a diagonal is of two different dimensions");
    int64_t rows = x->shape[g->d1], columns = x->shape[g->d2];
    g->row = offset < 0 ? (offset < -rows ? rows : -offset) : 0;
    g->column = offset > 0 ? (offset > columns ? columns : offset) : 0;
    rows -= g->row;
    columns -= g->column;
    g->length = rows < columns ? rows : columns;
    return true;
}

/* Replaces the geometry of x by that of its diagonal, which becomes the last dimension. */
static void to_diagonal(int *rank, int64_t *shape, int64_t *stride, int64_t *offset, const diagonal_line *g)
{
    int64_t step = stride[g->d1] + stride[g->d2];
    int n = 0;
    if (g->length)
        *offset += g->row * stride[g->d1] + g->column * stride[g->d2];
    for (int i = 0; i < *rank; i++)
        if (i != g->d1 && i != g->d2) {
            shape[n] = shape[i];
            stride[n++] = stride[i];
        }
    shape[n] = g->length;
    stride[n++] = step;
    *rank = n;
}

typedef struct {
    const fa_tensor *x;
    int64_t offset OPT(0); /* 0: main diagonal; positive: above it; negative: below it */
    int64_t dim1 OPT(0);   /* dimension of the rows; negative counts from the end */
    int64_t dim2 OPT(1);   /* dimension of the columns; negative counts from the end */
} diagonal_args;

static bool diagonal_infer(fa__call *c)
{
    const diagonal_args *a = c->args;
    diagonal_line g = {0};
    if (!find_diagonal(c, a->x, a->offset, a->dim1, a->dim2, &g))
        return false;
    fa__spec *s = fa__view_same(c, a->x);
    to_diagonal(&s->rank, s->shape, s->stride, &s->offset, &g);
    return true;
}

static void diagonal_grad(fa__back *b)
{
    const diagonal_args *a = b->args;
    fa__set_input_grad(b, &a->x, fa__diagonal_back(b->gy[0], a->x, a->offset, a->dim1, a->dim2));
}

/** The diagonal of two dimensions, as a view: these dimensions are removed, and the diagonal becomes the last
 *  dimension. */
OP(diagonal, diagonal_args, (y), .infer = diagonal_infer, .view = true, .grad = diagonal_grad,
   TORCH("diagonal(x, offset, dim1, dim2)"),
   SAMPLES("(3,4); (3,4) offset=1; (3,4) offset=-2; (3,4) offset=9; (2,3,4) dim1=-1 dim2=0; (0,2); (2,3,3) offset=1 "
           "dim1=1 dim2=2"))

/* Fills the result with zeros, then writes the diagonal. */
static bool write_diagonal(fa__call *c, const fa_tensor *x, int64_t offset, int64_t dim1, int64_t dim2)
{
    diagonal_line g = {0};
    fa_tensor *y = c->out[0], *part = fa__own(fa__tensor_alias(y));
    if (!part || !find_diagonal(c, y, offset, dim1, dim2, &g) || !fa__run_expression(c, y, "0", 0, NULL))
        return false;
    int rank = part->rank;
    to_diagonal(&rank, part->shape, part->stride, &part->offset, &g);
    part->rank = (uint8_t)rank;
    part->dense = false;
    return fa__run_copy(c, part, x);
}

typedef struct {
    const fa_tensor *gy; /* the gradient of a diagonal */
    fa_like like;        /* the tensor that the diagonal was taken from */
    int64_t offset;      /* which diagonal */
    int64_t dim1;        /* dimension of the rows */
    int64_t dim2;        /* dimension of the columns */
} diagonal_back_args;

static bool diagonal_back_infer(fa__call *c)
{
    const diagonal_back_args *a = c->args;
    diagonal_line g = {0};
    fa_shape s = fa_tensor_shape(a->like), unused = s;
    int64_t start = 0;
    if (!find_diagonal(c, a->like, a->offset, a->dim1, a->dim2, &g))
        return false;
    to_diagonal(&s.rank, s.dim, unused.dim, &start, &g);
    bool fits = s.rank == a->gy->rank;
    for (int i = 0; fits && i < s.rank; i++)
        fits = s.dim[i] == a->gy->shape[i];
    if (!fits)
        return fa__call_fail(c, FA_ERROR_SHAPE, "gy is not of the diagonal's shape");
    return fa__infer_like(c, a->like, (fa_dtype)a->gy->dtype);
}

static bool diagonal_back_run(fa__call *c)
{
    const diagonal_back_args *a = c->args;
    return write_diagonal(c, a->gy, a->offset, a->dim1, a->dim2);
}

static void diagonal_back_grad(fa__back *b)
{
    const diagonal_back_args *a = b->args;
    fa__set_input_grad(b, &a->gy, fa_diagonal(b->gy[0], .offset = a->offset, .dim1 = a->dim1, .dim2 = a->dim2));
}

/** Zeros in the shape of `like`, with gy on a diagonal: the gradient of diagonal. */
OP(diagonal_back, diagonal_back_args, (y), .infer = diagonal_back_infer, .exact = true, .run = diagonal_back_run,
   .grad = diagonal_back_grad, INTERNAL, TORCH(""), SAMPLES("(3) (3,4) 0 0 1; (4,2) (2,4,5) -3 2 0; (0) (2,2) 5 0 1"))

typedef struct {
    const fa_tensor *x;
    int64_t offset OPT(0); /* 0: main diagonal; positive: above it; negative: below it */
    int64_t dim1 OPT(-2);  /* dimension of the rows in the result; negative counts from the end */
    int64_t dim2 OPT(-1);  /* dimension of the columns in the result */
} diag_embed_args;

static bool diag_embed_infer(fa__call *c)
{
    const diag_embed_args *a = c->args;
    fa__spec *s = &c->spec[0];
    const fa_tensor *x = a->x;
    int rank = x->rank + 1, d1 = (int)(a->dim1 < 0 ? a->dim1 + rank : a->dim1),
        d2 = (int)(a->dim2 < 0 ? a->dim2 + rank : a->dim2);
    if (!x->rank || x->rank == FA_MAX_DIMS)
        return fa__call_fail(c, FA_ERROR_SHAPE, "x has to have 1 to %d dimensions", FA_MAX_DIMS - 1);
    if (a->dim1 < -rank || a->dim1 >= rank || a->dim2 < -rank || a->dim2 >= rank)
        return fa__call_fail(c, FA_ERROR_INDEX, "the result has %d dimensions", rank);
    if (d1 == d2)
        return fa__call_fail(c, FA_ERROR_SHAPE, "a diagonal is of two different dimensions");
    int64_t n = x->shape[x->rank - 1], shift = a->offset;
    if (shift == INT64_MIN || !fa__add_i64(n, shift < 0 ? -shift : shift, &n))
        return fa__call_fail(c, FA_ERROR_SHAPE, "the result would be larger than can be addressed");
    s->dtype = (fa_dtype)x->dtype;
    s->rank = rank;
    for (int i = 0, k = 0; i < rank; i++)
        s->shape[i] = i == d1 || i == d2 ? n : x->shape[k++];
    return true;
}

static bool diag_embed_run(fa__call *c)
{
    const diag_embed_args *a = c->args;
    return write_diagonal(c, a->x, a->offset, a->dim1, a->dim2);
}

static void diag_embed_grad(fa__back *b)
{
    const diag_embed_args *a = b->args;
    fa__set_input_grad(b, &a->x, fa_diagonal(b->gy[0], .offset = a->offset, .dim1 = a->dim1, .dim2 = a->dim2));
}

/** Embeds the last dimension of x as a diagonal of two dimensions of a tensor of zeros, with one dimension more than
 *  x. */
OP(diag_embed, diag_embed_args, (y), .infer = diag_embed_infer, .exact = true, .run = diag_embed_run,
   .grad = diag_embed_grad, TORCH("diag_embed(x, offset, dim1, dim2)"),
   SAMPLES("(3); (2,3); (2,3) offset=1; (2,3) offset=-2 dim1=0 dim2=2; (2,3) dim1=1 dim2=0; (0); (2,0) offset=1"))

typedef struct {
    const fa_tensor *x;    /* 1- or 2-dimensional */
    int64_t offset OPT(0); /* 0: main diagonal; positive: above it; negative: below it */
} diag_args;

static fa_tensor *diag_compose(fa__call *c)
{
    const diag_args *a = c->args;
    if (a->x->rank == 1)
        return fa_diag_embed(a->x, .offset = a->offset);
    if (a->x->rank == 2)
        return fa_clone(fa_diagonal(a->x, .offset = a->offset));
    fa__call_fail(c, FA_ERROR_SHAPE, "x has to be a vector or a matrix");
    return NULL;
}

/** For a vector, the matrix with it on a diagonal; for a matrix, a copy of its diagonal; fa_diagonal() is a view of it.
 */
OP(diag, diag_args, (y), .compose = diag_compose, TORCH("diag(x, offset)"),
   SAMPLES("(3); (3) offset=1; (3,4); (3,4) offset=-1; (0)"))

/* ---- triangular matrices ---- */

typedef struct {
    const fa_tensor *x;      /* a matrix, or a batch of them: the last two dimensions */
    int64_t diagonal OPT(0); /* the last diagonal that is kept: 0 the main one, positive above, negative below */
} triangle_args;

static bool triangle_infer(fa__call *c)
{
    const triangle_args *a = c->args;
    if (a->x->rank < 2)
        return fa__call_fail(c, FA_ERROR_SHAPE, "x has to have two dimensions");
    return fa__infer_like(c, a->x, (fa_dtype)a->x->dtype);
}

static int64_t held(int64_t v, int64_t low, int64_t high)
{
    return v < low ? low : v > high ? high : v;
}

/* The numbers 0, 1, ... along the rows or columns of a matrix. */
static fa_tensor *numbers(fa__call *c, int64_t rows, int64_t columns)
{
    fa_tensor *n = fa__own(fa__tensor_empty(c->plan.device, FA_I64, 2, (int64_t[]){rows, columns}, c->plan.queue));
    return n && fa__run_expression(c, n, "index()", 0, NULL) ? n : NULL;
}

/* Which elements of a matrix are kept. A mask, because x's dtype may not be able to represent the row and column
 * numbers. */
static fa_tensor *mask_of(fa__call *c, const fa_tensor *x, int64_t shift, bool upper)
{
    int64_t rows = x->shape[x->rank - 2], columns = x->shape[x->rank - 1];
    fa_tensor *r = numbers(c, rows, 1), *k = numbers(c, 1, columns);
    fa_tensor *mask = fa__own(fa__tensor_empty(c->plan.device, FA_BOOL, 2, (int64_t[]){rows, columns}, c->plan.queue));
    if (!r || !k || !mask)
        return NULL;
    fa__bound bound[] = {{.name = "r", .value = fa__arg_t(r)},
                         {.name = "c", .value = fa__arg_t(k)},
                         {.name = "d", .value = fa__arg_i(held(shift, -rows - 1, columns + 1))}};
    bool good = upper ? fa__run_expression(c, mask, "c - r >= d", 3, bound)
                      : fa__run_expression(c, mask, "c - r <= d", 3, bound);
    return good ? mask : NULL;
}

static bool run_triangle(fa__call *c, bool upper)
{
    const triangle_args *a = c->args;
    fa_tensor *mask = mask_of(c, a->x, a->diagonal, upper);
    fa__bound bound[] = {{.name = "x", .value = fa__arg_t(a->x)}, {.name = "m", .value = fa__arg_t(mask)}};
    return mask && fa__run_expression(c, c->out[0], "m ? x : 0", 2, bound);
}

static bool tril_run(fa__call *c)
{
    return run_triangle(c, false);
}

static bool triu_run(fa__call *c)
{
    return run_triangle(c, true);
}

static void tril_grad(fa__back *b)
{
    const triangle_args *a = b->args;
    fa__set_input_grad(b, &a->x, fa_tril(b->gy[0], .diagonal = a->diagonal));
}

static void triu_grad(fa__back *b)
{
    const triangle_args *a = b->args;
    fa__set_input_grad(b, &a->x, fa_triu(b->gy[0], .diagonal = a->diagonal));
}

/** The lower triangle of matrices: elements above a diagonal become 0. */
OP(tril, triangle_args, (y), .infer = triangle_infer, .exact = true, .run = tril_run, .grad = tril_grad,
   .inplace = INPLACE(x), TORCH("tril(x, diagonal)"),
   SAMPLES("(3,4); (3,4) diagonal=1; (2,3,3) diagonal=-1; (0,2); n(3,3); (3,2) diagonal=-9"))

/** The upper triangle of matrices: elements below a diagonal become 0. */
OP(triu, triangle_args, (y), .infer = triangle_infer, .exact = true, .run = triu_run, .grad = triu_grad,
   .inplace = INPLACE(x), TORCH("triu(x, diagonal)"),
   SAMPLES("(3,4); (3,4) diagonal=1; (2,3,3) diagonal=-1; (2,0); n(3,3); (3,2) diagonal=9"))

#include "diagonal.rows"
