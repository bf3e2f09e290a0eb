/* Products of several matrices, matrix powers. */
#include "dispatch/row.h"
#include <math.h>

typedef struct {
    fa_tensors x; /* two or more matrices with matching shapes; the first and the last may be vectors */
} multi_dot_args;

/* The best order to multiply matrices i to j: its cost, and after which matrix the product is split. */
typedef struct way {
    double cost;
    size_t cut;
} way;

typedef struct chain {
    size_t count;
    fa_tensor **x;
    way *way; /* a count x count table */
} chain;

static double rows_of(const chain *h, size_t i)
{
    return (double)h->x[i]->shape[0];
}

static void find_way(chain *h, size_t i, size_t j)
{
    way *best = &h->way[i * h->count + j];
    *best = (way){.cost = INFINITY};
    for (size_t cut = i; cut < j; cut++) {
        double product = rows_of(h, i) * (double)h->x[cut]->shape[1] * (double)h->x[j]->shape[1];
        double cost = h->way[i * h->count + cut].cost + h->way[(cut + 1) * h->count + j].cost + product;
        if (cut == i || cost < best->cost)
            *best = (way){cost, cut};
    }
}

static fa_tensor *multiply(const chain *h, size_t i, size_t j)
{
    if (i == j)
        return h->x[i];
    size_t cut = h->way[i * h->count + j].cut;
    fa_tensor *left = multiply(h, i, cut), *right = multiply(h, cut + 1, j);
    return fa_matmul(left, right);
}

static fa_tensor *multiply_best(chain *h)
{
    for (size_t i = 0; i < h->count; i++)
        h->way[i * h->count + i].cost = 0;
    for (size_t length = 1; length < h->count; length++)
        for (size_t i = 0; i + length < h->count; i++)
            find_way(h, i, i + length);
    return multiply(h, 0, h->count - 1);
}

/* Makes all operands matrices: a vector at the front becomes a row, one at the end a column. */
static bool take_matrices(const fa__call *c, fa_tensors x, fa_tensor **matrix)
{
    for (size_t k = 0; k < x.count; k++) {
        fa_tensor *t = x.item[k];
        bool outer = k == 0 || k + 1 == x.count;
        if (t->rank != 2 && !(t->rank == 1 && outer))
            return fa__call_fail(c, FA_ERROR_SHAPE, "x[%zu] has to be a matrix%s", k, outer ? ", or a vector" : "");
        matrix[k] = t->rank == 2 ? t : fa_unsqueeze(t, k ? 1 : 0);
        if (!matrix[k])
            return false;
        if (k && matrix[k]->shape[0] != matrix[k - 1]->shape[1])
            return fa__call_fail(c, FA_ERROR_SHAPE, "the columns of x[%zu] and the rows of x[%zu] are not as many",
                                 k - 1, k);
    }
    return true;
}

static fa_tensor *multi_dot_compose(fa__call *c)
{
    const multi_dot_args *a = c->args;
    chain h = {.count = a->x.count};
    int64_t bytes;
    if (h.count < 2 || !fa__mul_i64((int64_t)h.count, (int64_t)(h.count * sizeof *h.way), &bytes)) {
        fa__call_fail(c, FA_ERROR_ARGUMENT, "there are %zu matrices to multiply", h.count);
        return NULL;
    }
    h.x = fa__malloc(h.count * sizeof *h.x);
    h.way = fa__malloc((size_t)bytes);
    fa_tensor *y = h.x && h.way && take_matrices(c, a->x, h.x) ? multiply_best(&h) : NULL;
    fa__free(h.x);
    fa__free(h.way);
    if (y && a->x.item[a->x.count - 1]->rank == 1)
        y = fa_squeeze(y, .dim = 1);
    return y && a->x.item[0]->rank == 1 ? fa_squeeze(y, .dim = 0) : y;
}

/** The product of several matrices, in the order with the fewest multiplications. A vector at the front counts as a
 *  row, one at the end as a column; the result lacks that dimension. */
OP(multi_dot, multi_dot_args, (y), .compose = multi_dot_compose, .autocast = FA__CAST_LOW, .autocast_cpu = FA__CAST_LOW,
   DIFFERS("bool: as matmul"), TORCH("linalg.multi_dot(x)"), ALSO("`chain_matmul`"),
   SAMPLES(
       "[(2,3) (3,4)]; [(2,3) (3,1) (1,4)]; [(3) (3,2) (2,4) (4)]; [(3) (3)]; [(2,5) (5,3) (3,4) (4,2)]; [(2,3) (3,0) "
       "(0,2)]; [(2,3) (3)]; [(4,1) (1,5) (5,2) (2,3) (3,2)]"))

typedef struct {
    const fa_tensor *x; /* (..., n, n) */
    int64_t n;          /* the exponent, 0 or more */
} matrix_power_args;

static fa_tensor *identity_like(const fa_tensor *x)
{
    fa_tensor *one = fa_eye(x->shape[x->rank - 1], .dtype = (fa_dtype)x->dtype, .device = fa_tensor_device(x));
    return fa_contiguous(fa_expand_as(one, x));
}

static fa_tensor *matrix_power_compose(fa__call *c)
{
    const matrix_power_args *a = c->args;
    int64_t n = a->n;
    if (a->x->rank < 2 || a->x->shape[a->x->rank - 1] != a->x->shape[a->x->rank - 2]) {
        fa__call_fail(c, FA_ERROR_SHAPE, "x has to have as many rows as columns");
        return NULL;
    }
    if (n < 0) {
        fa__call_fail(c, FA_ERROR_ARGUMENT, "n is %lld: there are no inverse matrices yet", (long long)n);
        return NULL;
    }
    if (n < 2)
        return n ? fa_clone(a->x) : identity_like(a->x);
    fa_tensor *square = (fa_tensor *)(uintptr_t)a->x, *y = NULL;
    for (; n && square; n >>= 1) {
        if (n & 1)
            y = y ? fa_matmul(y, square) : square;
        if (n > 1)
            square = fa_matmul(square, square);
    }
    return square ? y : NULL;
}

/** A matrix, or each matrix of a batch, raised to the power n by repeated squaring. n = 0 gives the identity; a
 *  negative n is an error. Under autocast the products run in the low dtype, while n = 0 and n = 1 keep x's dtype, as
 *  in PyTorch. */
OP(matrix_power, matrix_power_args, (y), .compose = matrix_power_compose, DIFFERS("bool: as matmul"),
   TORCH("matrix_power(x, n)"), SAMPLES("(3,3) 2; (2,2) 1; (2,2,2) 3; (2,2) 5; (0,2,2) 2; (0,0) 3; i(3,3) 0; (2,2) 4"))

#include "matrix_chain.rows"
