/* Products of vectors, matrices and tensors of a given rank. fa_matmul() takes any rank. All operands have the same
 * dtype, which is not bool; products that are computed elementwise promote dtypes, and say so. */
#include "dispatch/promote.h"
#include "dispatch/row.h"
#include "ops/linalg/contract.h"

static bool check_ranks(const fa__call *c, const fa_tensor *a, int a_rank, const fa_tensor *b, int b_rank)
{
    static const char *const names[] = {"a number", "a vector", "a matrix", "a batch of matrices"};
    return (a->rank == a_rank && b->rank == b_rank)
           || fa__call_fail(c, FA_ERROR_SHAPE, "the first operand has to be %s, the second %s", names[a_rank],
                            names[b_rank]);
}

typedef struct {
    const fa_tensor *a; /* (n, k) */
    const fa_tensor *b; /* (k, m) */
} mm_args;

static fa_tensor *mm_compose(fa__call *c)
{
    const mm_args *a = c->args;
    return check_ranks(c, a->a, 2, a->b, 2) ? fa_matmul(a->a, a->b) : NULL;
}

/** The product of two matrices (n, k) and (k, m): (n, m). Other ranks are an error. */
OP(mm, mm_args, (y), .compose = mm_compose, .autocast = FA__CAST_LOW, .autocast_cpu = FA__CAST_LOW,
   DIFFERS("bool: as matmul"), TORCH("mm(a, b)"),
   SAMPLES("(2,3) (3,4); (2,0) (0,3); (0,3) (3,2); (1,1) (1,1); n(3,3) n(3,3)"))

typedef struct {
    const fa_tensor *a; /* (batch, n, k) */
    const fa_tensor *b; /* (batch, k, m) */
} bmm_args;

static fa_tensor *bmm_compose(fa__call *c)
{
    const bmm_args *a = c->args;
    if (!check_ranks(c, a->a, 3, a->b, 3))
        return NULL;
    if (a->a->shape[0] != a->b->shape[0]) {
        fa__call_fail(c, FA_ERROR_SHAPE, "there are %lld matrices in a and %lld in b: batches do not broadcast here",
                      (long long)a->a->shape[0], (long long)a->b->shape[0]);
        return NULL;
    }
    return fa_matmul(a->a, a->b);
}

/** The batched product of (batch, n, k) and (batch, k, m): (batch, n, m). Nothing is broadcast. */
OP(bmm, bmm_args, (y), .compose = bmm_compose, .autocast = FA__CAST_LOW, .autocast_cpu = FA__CAST_LOW,
   DIFFERS("bool: as matmul"), TORCH("bmm(a, b)"),
   SAMPLES("(2,3,4) (2,4,2); (1,2,3) (1,3,2); (0,2,3) (0,3,2); (2,2,0) (2,0,3); (3,1,2) (3,2,1)"))

typedef struct {
    const fa_tensor *x;   /* (n, m) */
    const fa_tensor *vec; /* (m) */
} mv_args;

static fa_tensor *mv_compose(fa__call *c)
{
    const mv_args *a = c->args;
    return check_ranks(c, a->x, 2, a->vec, 1) ? fa_matmul(a->x, a->vec) : NULL;
}

/** The product of a matrix (n, m) and a vector (m): (n). */
OP(mv, mv_args, (y), .compose = mv_compose, .autocast = FA__CAST_LOW, .autocast_cpu = FA__CAST_WIDEST,
   DIFFERS("bool: as matmul"), TORCH("mv(x, vec)"), SAMPLES("(2,3) (3); (2,0) (0); (0,3) (3); (1,1) (1)"))

typedef struct {
    const fa_tensor *a; /* (n) */
    const fa_tensor *b; /* (n) */
} dot_args;

static bool dot_infer(fa__call *c)
{
    const dot_args *a = c->args;
    if (!check_ranks(c, a->a, 1, a->b, 1) || !fa__check_product(c, a->a, a->b))
        return false;
    if (a->a->shape[0] != a->b->shape[0])
        return fa__call_fail(c, FA_ERROR_SHAPE, "the vectors are of different sizes");
    return fa__infer_shape(c, (fa_dtype)a->a->dtype, 0, NULL);
}

static bool dot_run(fa__call *c)
{
    const dot_args *a = c->args;
    fa__bound bound[] = {{.name = "x", .value = fa__arg_t(a->a)}, {.name = "y", .value = fa__arg_t(a->b)}};
    return fa__run_reduce(c, c->out[0], FA__COMBINE_SUM, "x * y", 1, 2, bound);
}

static void dot_grad(fa__back *b)
{
    const dot_args *a = b->args;
    if (fa__wants(b, &a->a))
        fa__set_input_grad(b, &a->a, fa_mul(a->b, b->gy[0]));
    if (fa__wants(b, &a->b))
        fa__set_input_grad(b, &a->b, fa_mul(a->a, b->gy[0]));
}

/** The dot product of two vectors, a 0-dim tensor. It is summed pairwise like fa_sum(), which keeps more digits for
 *  long vectors than the sequential sums of fa_matmul(). */
OP(dot, dot_args, (y), .infer = dot_infer, .run = dot_run, .grad = dot_grad, .keep = KEEP(b for a, a for b),
   .autocast = FA__CAST_WIDEST, .autocast_cpu = FA__CAST_WIDEST, DIFFERS("bool: as matmul"), TORCH("dot(a, b)"),
   ALSO("`vdot`"), SAMPLES("(3) (3); (0) (0); (1) (1); (40) (40); n(9) n(9)"))

typedef struct {
    const fa_tensor *x; /* any shape */
    const fa_tensor *y; /* x's shape and dtype */
    int64_t dim;        /* the dimension that is summed over and keeps size 1 */
} sum_of_products_args;

static bool sum_of_products_infer(fa__call *c)
{
    const sum_of_products_args *a = c->args;
    if (!fa__same_shape(a->x, a->y) || a->x->dtype != a->y->dtype)
        return fa__call_fail(c, FA_ERROR_SHAPE, "the operands have to be of one shape and dtype");
    return fa__infer_reduced(c, a->x, a->dim, true, (fa_dtype)a->x->dtype);
}

static bool sum_of_products_run(fa__call *c)
{
    const sum_of_products_args *a = c->args;
    fa__bound bound[] = {{.name = "x", .value = fa__arg_t(a->x)}, {.name = "y", .value = fa__arg_t(a->y)}};
    unsigned set;
    return fa__dim_set(c, a->x, a->dim, &set) && fa__run_reduce(c, c->out[0], FA__COMBINE_SUM, "x * y", set, 2, bound);
}

static void sum_of_products_grad(fa__back *b)
{
    const sum_of_products_args *a = b->args;
    if (fa__wants(b, &a->x))
        fa__set_input_grad(b, &a->x, fa_mul(a->y, b->gy[0]));
    if (fa__wants(b, &a->y))
        fa__set_input_grad(b, &a->y, fa_mul(a->x, b->gy[0]));
}

/** The sum of x * y along a dimension, in one pass. */
OP(sum_of_products, sum_of_products_args, (z), .infer = sum_of_products_infer, .run = sum_of_products_run,
   .grad = sum_of_products_grad, .keep = KEEP(y for x, x for y), INTERNAL, TORCH(""),
   SAMPLES("(3,4) (3,4) 1; (3,4) (3,4) 0; (2,70) t(2,70) -1; () () 0; (0,3) (0,3) 0; (3,0) (3,0) 1; n(9) n(9) 0"))

typedef struct {
    const fa_tensor *x;
    const fa_tensor *y;
    int64_t dim OPT(-1); /* the dimension that is summed over */
} vecdot_args;

static fa_tensor *vecdot_compose(fa__call *c)
{
    const vecdot_args *a = c->args;
    if (!fa__dtype_is_float(fa__promote((fa_dtype)a->x->dtype, (fa_dtype)a->y->dtype))) {
        fa__call_fail(c, FA_ERROR_DTYPE, "the operands have to be floating");
        return NULL;
    }
    return fa_sum(fa_mul(a->x, a->y), .dim = a->dim);
}

/** The dot product along a dimension: the sum over dim of x * y, after broadcasting. Floating dtypes only. */
OP(vecdot, vecdot_args, (z), .compose = vecdot_compose, .autocast = FA__CAST_LOW, .autocast_cpu = FA__CAST_LOW,
   TORCH("linalg.vecdot(x, y, dim=dim)"),
   SAMPLES("(3,4) (3,4); (3,4) (3,4) dim=0; (2,1,3) (4,3); (3) (3); (2,0) (2,0)"))

typedef struct {
    const fa_tensor *a; /* (n) */
    const fa_tensor *b; /* (m) */
} outer_args;

static fa_tensor *outer_compose(fa__call *c)
{
    const outer_args *a = c->args;
    return check_ranks(c, a->a, 1, a->b, 1) ? fa_mul(fa_unsqueeze(a->a, 1), a->b) : NULL;
}

/** The outer product of two vectors: y[i][j] = a[i] * b[j], shape (n, m). Computed elementwise, so dtypes are
 *  promoted. */
OP(outer, outer_args, (y), .compose = outer_compose, TORCH("outer(a, b)"), ALSO("`ger`"),
   SAMPLES("(3) (4); (0) (2); (2) (0); (1) (1); n(9) (2)"))

/* Sums x over those of the dimensions dim[0] to dim[count - 1] in which the other operand has size 1, and keeps them
 * with size 1. */
static const fa_tensor *summed_beside_one(const fa_tensor *x, int count, const int *dim, const fa_tensor *other,
                                          const int *other_dim)
{
    for (int i = 0; x && i < count; i++)
        if (other->shape[other_dim[i]] == 1 && x->shape[dim[i]] != 1)
            x = fa_sum(x, .dim = dim[i], .keepdim = true, .dtype = (fa_dtype)x->dtype);
    return x;
}

static bool check_summed(const fa__call *c, const fa_tensor *a, const fa_tensor *b, int count, const int *a_dim,
                         const int *b_dim)
{
    for (int i = 0; i < count; i++) {
        int64_t n = a->shape[a_dim[i]], m = b->shape[b_dim[i]];
        if (n != m && n != 1 && m != 1)
            return fa__call_fail(c, FA_ERROR_SHAPE, "dimension %d of a and dimension %d of b are of different sizes",
                                 a_dim[i], b_dim[i]);
    }
    return true;
}

/* Labels the dimensions of a with 0, 1, ... and those of b with further numbers; dimensions that are summed together
 * share a label. */
static fa_tensor *summed_product(const fa__call *c, const fa_tensor *a, const fa_tensor *b, int count, const int *a_dim,
                                 const int *b_dim)
{
    fa__labelled x = {.t = (fa_tensor *)(uintptr_t)a}, y = {.t = (fa_tensor *)(uintptr_t)b}, product = {.t = NULL};
    for (int i = 0; i < a->rank; i++)
        x.label[i] = (uint8_t)i;
    for (int i = 0; i < b->rank; i++)
        y.label[i] = (uint8_t)(FA_MAX_DIMS + i);
    for (int i = 0; i < count; i++)
        y.label[b_dim[i]] = x.label[a_dim[i]];
    return fa__contract(c, &x, &y, 0, &product) ? product.t : NULL;
}

/* The same with sizes of 1 broadcast. */
static fa_tensor *tensor_product(const fa__call *c, const fa_tensor *a, const fa_tensor *b, int count, const int *a_dim,
                                 const int *b_dim)
{
    if (!fa__check_product(c, a, b) || !check_summed(c, a, b, count, a_dim, b_dim))
        return NULL;
    const fa_tensor *x = summed_beside_one(a, count, a_dim, b, b_dim);
    const fa_tensor *y = x ? summed_beside_one(b, count, b_dim, a, a_dim) : NULL;
    return y ? summed_product(c, x, y, count, a_dim, b_dim) : NULL;
}

typedef struct {
    const fa_tensor *a; /* (..., k), or () */
    const fa_tensor *b; /* (..., k), or () */
} inner_args;

static fa_tensor *inner_compose(fa__call *c)
{
    const inner_args *a = c->args;
    int a_rank = a->a->rank, b_rank = a->b->rank;
    if (!fa__check_product(c, a->a, a->b))
        return NULL;
    if (!a_rank || !b_rank)
        return fa_mul(a->a, a->b);
    if (a->a->shape[a_rank - 1] != a->b->shape[b_rank - 1]) {
        fa__call_fail(c, FA_ERROR_SHAPE, "the last dimensions of a and b are of different sizes");
        return NULL;
    }
    return a_rank == 1 && b_rank == 1 ? fa_dot(a->a, a->b) : fa_tensordot_at(a->a, a->b, FA_SHAPE(-1), FA_SHAPE(-1));
}

/** The dot products of all vectors of a with all vectors of b, along their last dimensions: the shape is a's other
 *  dimensions followed by b's. If a or b is 0-dim, the result is the elementwise product. Both need the same dtype,
 *  while PyTorch promotes. Under autocast it behaves as fa_mul(), fa_dot() or fa_tensordot(), as in PyTorch. */
OP(inner, inner_args, (y), .compose = inner_compose, DIFFERS("bool: as matmul"), TORCH("inner(a, b)"),
   SAMPLES("(3) (3); (2,3) (4,3); (2,2,3) (3); (3) (2,3); () (2,3); (2) (); (2,0) (3,0); (0,3) (2,3)"))

typedef struct {
    const fa_tensor *a;
    const fa_tensor *b;
    int64_t dims OPT(2); /* number of dimensions to contract: the last ones of a with the first ones of b */
} tensordot_args;

static fa_tensor *tensordot_compose(fa__call *c)
{
    const tensordot_args *a = c->args;
    int a_dim[FA_MAX_DIMS], b_dim[FA_MAX_DIMS];
    if (a->dims < 0 || a->dims > a->a->rank || a->dims > a->b->rank) {
        fa__call_fail(c, FA_ERROR_ARGUMENT, "there are no %lld dimensions to sum over", (long long)a->dims);
        return NULL;
    }
    for (int i = 0; i < a->dims; i++) {
        a_dim[i] = a->a->rank - (int)a->dims + i;
        b_dim[i] = i;
    }
    return tensor_product(c, a->a, a->b, (int)a->dims, a_dim, b_dim);
}

/* As in PyTorch on the CPU, a sum over all dimensions is no product of matrices. */
static fa__cast contraction_cast(const fa_tensor *a, const fa_tensor *b, int64_t summed)
{
    return a->rank == summed && b->rank == summed ? FA__CAST_WIDEST : FA__CAST_LOW;
}

static fa__cast tensordot_cast(const fa__call *c)
{
    const tensordot_args *a = c->args;
    return contraction_cast(a->a, a->b, a->dims);
}

/** Contracts the last `dims` dimensions of a with the first `dims` of b (sum of products): the shape is a's remaining
 *  dimensions followed by b's. dims = 0 is the outer product. A contracted dimension of size 1 broadcasts. */
OP(tensordot, tensordot_args, (y), .compose = tensordot_compose, .autocast = FA__CAST_WIDEST,
   .autocast_cpu = FA__CAST_LOW, .autocast_by = tensordot_cast, DIFFERS("bool: as matmul"),
   TORCH("tensordot(a, b, dims)"),
   SAMPLES(
       "(2,3,4) (3,4,2); (2,3) (3,4) dims=1; (2,3) (2) dims=0; (3,4) (3,4); (2,0,3) (0,3,2); () () dims=0; (0,3) (3) "
       "dims=1; (2,1) (3,4) dims=1; (2,3) (1,2) dims=1; (2,3,1) (1,4,2); (2,1) (0,3) dims=1"))

typedef struct {
    const fa_tensor *a;
    const fa_tensor *b;
    fa_shape a_dims; /* dimensions of a to sum over, such as FA_SHAPE(1, 0) */
    fa_shape b_dims; /* the matching dimensions of b, in the same order; negative counts from the end */
} tensordot_at_args;

/* Reads the dimensions to contract, each of which may occur once. */
static bool read_summed(const fa__call *c, const char *name, const fa_tensor *x, fa_shape dims, int *at)
{
    unsigned seen = 0;
    for (int i = 0; i < dims.rank; i++) {
        at[i] = x->rank ? fa__wrap_dim(c, x, dims.dim[i]) : -1;
        if (at[i] < 0 || seen >> at[i] & 1)
            return fa__call_fail(c, at[i] < 0 ? FA_ERROR_INDEX : FA_ERROR_ARGUMENT,
                                 "%s names a dimension that is not there, or one twice", name);
        seen |= 1U << at[i];
    }
    return true;
}

static fa_tensor *tensordot_at_compose(fa__call *c)
{
    const tensordot_at_args *a = c->args;
    int a_dim[FA_MAX_DIMS], b_dim[FA_MAX_DIMS], count = a->a_dims.rank;
    if (count != a->b_dims.rank || count < 0 || count > FA_MAX_DIMS) {
        fa__call_fail(c, FA_ERROR_ARGUMENT, "%d dimensions of a and %d of b: there have to be as many", count,
                      a->b_dims.rank);
        return NULL;
    }
    bool good = read_summed(c, "a_dims", a->a, a->a_dims, a_dim) && read_summed(c, "b_dims", a->b, a->b_dims, b_dim);
    return good ? tensor_product(c, a->a, a->b, count, a_dim, b_dim) : NULL;
}

static fa__cast tensordot_at_cast(const fa__call *c)
{
    const tensordot_at_args *a = c->args;
    return contraction_cast(a->a, a->b, a->a_dims.rank);
}

/** Contracts given dimensions of a with given dimensions of b (sum of products): the shape is a's remaining dimensions
 *  followed by b's. A contracted dimension of size 1 broadcasts. */
OP(tensordot_at, tensordot_at_args, (y), .compose = tensordot_at_compose, .autocast = FA__CAST_WIDEST,
   .autocast_cpu = FA__CAST_LOW, .autocast_by = tensordot_at_cast, DIFFERS("bool: as matmul"),
   TORCH("tensordot(a, b, (list(a_dims), list(b_dims)))"), ALSO("`tensordot` with lists of dimensions"),
   SAMPLES(
       "(2,3,4) (4,2,2) s(0,2) s(1,0); (2,3) (4,3) s(-1) s(1); (2,3) (2) s() s(); (3,4) (4,3) s(0,1) s(-1,-2); (2,0) "
       "(0,3) s(1) s(0); (2,3,4) (4,1,2) s(2,1) s(0,1)"))

typedef struct {
    const fa_tensor *a; /* at most 4 dimensions, not counting those of size 1 in both */
    const fa_tensor *b;
} kron_args;

static int64_t size_at(const fa_tensor *x, int rank, int i)
{
    int d = i - (rank - x->rank);
    return d < 0 ? 1 : x->shape[d];
}

/* Interleaves the dimensions of a and b, leaving out those where both have size 1, multiplies, and merges each pair. */
static fa_tensor *kron_compose(fa__call *c)
{
    const kron_args *k = c->args;
    int rank = k->a->rank > k->b->rank ? k->a->rank : k->b->rank;
    fa_shape as = {.rank = 0}, bs = {.rank = 0}, ys = {.rank = rank};
    for (int i = 0; i < rank; i++) {
        int64_t n = size_at(k->a, rank, i), m = size_at(k->b, rank, i);
        int needed = (n != 1) + (m != 1);
        if (as.rank + needed > FA_MAX_DIMS || !fa__mul_i64(n, m, &ys.dim[i])) {
            fa__call_fail(c, FA_ERROR_SHAPE,
                          "the product needs more than %d dimensions, or elements than can be counted", FA_MAX_DIMS);
            return NULL;
        }
        if (n != 1) {
            as.dim[as.rank++] = n;
            bs.dim[bs.rank++] = 1;
        }
        if (m != 1) {
            as.dim[as.rank++] = 1;
            bs.dim[bs.rank++] = m;
        }
    }
    const fa_tensor *apart = fa_reshape(k->a, as), *b = fa_reshape(k->b, bs);
    return fa_reshape(fa_mul(apart, b), ys);
}

/** The Kronecker product: each element of a is replaced by the block a[i][j] * b. The sizes are the products of the
 *  sizes; missing leading dimensions count as 1. Computed elementwise, so dtypes are promoted. */
OP(kron, kron_args, (y), .compose = kron_compose, TORCH("kron(a, b)"),
   SAMPLES("(2,3) (3,2); (3) (2); (2,3) (2); (2) (2,1,3); () (2,2); () (); (0,2) (2,3); (2,1,2) (1,3,2)"))

typedef struct {
    const fa_tensor *x; /* (n, m) */
} trace_args;

static fa_tensor *trace_compose(fa__call *c)
{
    const trace_args *a = c->args;
    if (a->x->rank == 2)
        return fa_sum(fa_diagonal(a->x));
    fa__call_fail(c, FA_ERROR_SHAPE, "x has to be a matrix");
    return NULL;
}

/** The trace of a matrix: the sum of its diagonal. Integers and bool are summed in i64. */
OP(trace, trace_args, (y), .compose = trace_compose, .autocast_cpu = FA__CAST_F32, TORCH("trace(x)"),
   SAMPLES("(3,3); (2,4); (4,2); (0,3); (1,1)"))

typedef struct {
    const fa_tensor *a;  /* size 3 along dim */
    const fa_tensor *b;  /* the same rank as a; the other dimensions broadcast */
    int64_t dim OPT(-1); /* negative counts from the end */
} cross_args;

static fa_tensor *cross_compose(fa__call *c)
{
    const cross_args *a = c->args;
    int d = fa__wrap_dim(c, a->a, a->dim);
    if (d < 0)
        return NULL;
    if (!a->a->rank || a->a->rank != a->b->rank || a->a->shape[d] != 3 || a->b->shape[d] != 3) {
        fa__call_fail(c, FA_ERROR_SHAPE, "a and b have to have as many dimensions, and 3 entries along dimension %d",
                      d);
        return NULL;
    }
    const fa_shape next = FA_SHAPE(-1), last = FA_SHAPE(-2);
    const fa_tensor *a_next = fa_roll(a->a, next, .dims = d), *a_last = fa_roll(a->a, last, .dims = d);
    const fa_tensor *b_next = fa_roll(a->b, next, .dims = d), *b_last = fa_roll(a->b, last, .dims = d);
    return fa_pointwise("x * y - z * w", a_next, b_last, a_last, b_next);
}

/** The cross product of 3-dimensional vectors along dim, by default the last one as in torch.linalg.cross. Computed
 *  elementwise, so dtypes are promoted. */
OP(cross, cross_args, (y), .compose = cross_compose, .autocast = FA__CAST_WIDEST, TORCH("linalg.cross(a, b, dim=dim)"),
   SAMPLES("(3) (3); (2,3) (2,3); (3,4) (3,1) dim=0; (2,1,3) (1,4,3); (0,3) (0,3); (2,3,2) (2,3,2) dim=1"))

#include "products.rows"
