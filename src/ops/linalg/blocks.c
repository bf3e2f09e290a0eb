/* Block-diagonal matrices, combinations, Cartesian products and Vandermonde matrices. */
#include "dispatch/row.h"

typedef struct {
    fa_tensors x; /* at most 2-dimensional: a vector counts as a row, a 0-dim tensor as a 1 x 1 matrix */
} block_diag_args;

/* A matrix padded with columns of zeros on its left and right. */
static fa_tensor *widened(const fa_tensor *x, int64_t before, int64_t behind)
{
    return fa_pad(x, FA_LIST((double)before, (double)behind));
}

static fa_tensor *as_matrix(const fa_tensor *x)
{
    if (x->rank == 2)
        return (fa_tensor *)(uintptr_t)x;
    return fa_reshape(x, FA_SHAPE(1, fa_numel(x)));
}

/* Makes each tensor a matrix, in `block`; returns the total number of columns, or -1 and an error. */
static int64_t take_blocks(const fa__call *c, fa_tensors x, fa_tensor **block)
{
    int64_t columns = 0;
    for (size_t k = 0; k < x.count; k++) {
        if (x.item[k]->rank > 2) {
            fa__call_fail(c, FA_ERROR_SHAPE, "x[%zu] has more than two dimensions", k);
            return -1;
        }
        block[k] = as_matrix(x.item[k]);
        if (!block[k])
            return -1;
        if (!fa__add_i64(columns, block[k]->shape[1], &columns) || columns > INT64_C(1) << 53) {
            fa__call_fail(c, FA_ERROR_SHAPE, "there are more columns than can be counted");
            return -1;
        }
    }
    return columns;
}

static fa_tensor *join_blocks(fa_tensor **block, size_t count, int64_t columns)
{
    int64_t before = 0;
    for (size_t k = 0; k < count; k++) {
        int64_t own = block[k]->shape[1];
        block[k] = widened(block[k], before, columns - before - own);
        if (!block[k])
            return NULL;
        before += own;
    }
    return fa_cat(((fa_tensors){count, block}));
}

static fa_tensor *block_diag_compose(fa__call *c)
{
    const block_diag_args *a = c->args;
    if (!a->x.count) {
        fa__call_fail(c, FA_ERROR_ARGUMENT, "there are no blocks");
        return NULL;
    }
    fa_tensor **block = fa__malloc(a->x.count * sizeof *block);
    int64_t columns = block ? take_blocks(c, a->x, block) : -1;
    fa_tensor *y = columns < 0 ? NULL : join_blocks(block, a->x.count, columns);
    fa__free(block);
    return y;
}

/** A block-diagonal matrix: the given matrices from the top left to the bottom right corner, zeros elsewhere. Dtypes
 *  are promoted. */
OP(block_diag, block_diag_args, (y), .compose = block_diag_compose, TORCH("block_diag(*x)"),
   SAMPLES("[(2,3) (1,2)]; [(2) () (2,2)]; [(3,2)]; [()]; [(0,2) (2,0) (2,1)]"))

typedef struct {
    fa_tensors x; /* vectors of one dtype, at most 8 */
} cartesian_prod_args;

static fa_tensor *cartesian_prod_compose(fa__call *c)
{
    const cartesian_prod_args *a = c->args;
    for (size_t k = 0; k < a->x.count; k++)
        if (a->x.item[k]->rank != 1) {
            fa__call_fail(c, FA_ERROR_SHAPE, "x[%zu] is no vector", k);
            return NULL;
        }
    if (a->x.count == 1)
        return fa_clone(a->x.item[0]);
    fa_tensors grid = fa_meshgrid(a->x);
    fa_tensor *item[FA_MAX_DIMS];
    for (size_t k = 0; k < grid.count; k++)
        item[k] = fa_flatten(grid.item[k]);
    return grid.count ? fa_stack(((fa_tensors){grid.count, item}), .dim = 1) : NULL;
}

/** The Cartesian product of vectors: all combinations of one element of each, the last one varying fastest, as rows of
 *  a (n1 * n2 * ..., number of vectors) matrix. For a single vector the result is that vector. */
OP(cartesian_prod, cartesian_prod_args, (y), .compose = cartesian_prod_compose, TORCH("cartesian_prod(*x)"),
   SAMPLES("[(2) (3)]; [(2) (1) (3)]; [(4)]; [(0) (2)]"))

typedef struct {
    const fa_tensor *x;         /* (m) */
    int64_t n OPT(-1);          /* number of columns; -1 means the number of elements of x */
    bool increasing OPT(false); /* true: powers increase from 0; false: they decrease to 0 */
} vander_args;

static fa_tensor *vander_compose(fa__call *c)
{
    const vander_args *a = c->args;
    if (a->x->rank != 1 || a->n < -1) {
        fa__call_fail(c, a->n < -1 ? FA_ERROR_ARGUMENT : FA_ERROR_SHAPE, "x has to be a vector, and n at least 0");
        return NULL;
    }
    int64_t n = a->n < 0 ? a->x->shape[0] : a->n;
    fa_tensor *power = fa_arange(0, (double)n, .device = fa_tensor_device(a->x));
    return fa_pow(fa_unsqueeze(a->x, 1), a->increasing ? power : fa__reversed(power, FA_ALL));
}

/** The Vandermonde matrix of a vector x (m): each column is a power of x, giving (m, n). */
OP(vander, vander_args, (y), .compose = vander_compose, TORCH("vander(x, None if n < 0 else n, increasing)"),
   SAMPLES("(3); (3) increasing=true; (4) n=2; (2) n=0; (0); t(5) n=3; (2) n=5 increasing=true"))

typedef struct {
    const fa_tensor *x;               /* 1-dimensional */
    int64_t r OPT(2);                 /* number of elements in each combination */
    bool with_replacement OPT(false); /* true: an element may be chosen more than once */
} combinations_args;

/* The number of combinations of r out of n elements; -1 if it does not fit into 64 bits. */
static int64_t ways(int64_t n, int64_t r)
{
    int64_t count = 1;
    if (r > n - r)
        r = n - r; /* choosing r elements is the same as leaving out n - r */
    for (int64_t i = 1; i <= r && count > 0; i++) {
        if (!fa__mul_i64(count, n - r + i, &count))
            return -1;
        count /= i; /* always divisible: count is the number of combinations of i out of n - r + i */
    }
    return r < 0 ? 0 : count;
}

/* The next combination in lexicographic order: the last position that can increase does, and the following ones restart
 * from it. */
static void next_row(int64_t *row, const int64_t *before, int64_t n, int64_t r, bool again)
{
    int64_t k = r - 1;
    memcpy(row, before, (size_t)r * sizeof *row);
    while (k > 0 && row[k] == (again ? n - 1 : n - r + k))
        k--;
    row[k]++;
    for (int64_t i = k + 1; i < r; i++)
        row[i] = row[i - 1] + !again;
}

/* All combinations as positions in a vector of n elements: (count, r) on the CPU. */
static fa_tensor *chosen_places(int64_t n, int64_t r, int64_t count, bool again)
{
    fa_tensor *places = fa_empty(FA_SHAPE(count, r), .dtype = FA_I64, .device = FA_CPU);
    int64_t *row = places ? fa_ptr_i64(places) : NULL;
    for (int64_t k = 0; row && count && k < r; k++)
        row[k] = again ? 0 : k;
    for (int64_t i = 1; row && i < count; i++)
        next_row(row + i * r, row + (i - 1) * r, n, r, again);
    return row || !count ? places : NULL;
}

static fa_tensor *combinations_compose(fa__call *c)
{
    const combinations_args *a = c->args;
    int64_t n = a->x->rank == 1 ? a->x->shape[0] : 0, count = -1, all;
    if (a->x->rank != 1 || a->r < 0) {
        fa__call_fail(c, a->r < 0 ? FA_ERROR_ARGUMENT : FA_ERROR_SHAPE, "x has to be a vector, and r at least 0");
        return NULL;
    }
    if (a->r == 0)
        return fa_clone(fa_narrow(a->x, 0, 0, 0));
    if (!a->with_replacement || fa__add_i64(n, a->r - 1, &all))
        count = !a->with_replacement ? ways(n, a->r) : n ? ways(all, a->r) : 0;
    if (count < 0) {
        fa__call_fail(c, FA_ERROR_SHAPE, "there are more combinations than can be counted");
        return NULL;
    }
    fa_tensor *places = chosen_places(n, a->r, count, a->with_replacement);
    return places ? fa_reshape(fa_index_select(a->x, 0, fa_flatten(places)), FA_SHAPE(count, a->r)) : NULL;
}

/** All combinations of r elements of a vector, in lexicographic order of their positions: (count, r). The positions are
 *  computed on the CPU and copied to x's device; the call waits for the copy if they take more than 16 MiB. */
OP(combinations, combinations_args, (y), .compose = combinations_compose, TORCH("combinations(x, r, with_replacement)"),
   SAMPLES("(4); (4) r=3; (3) with_replacement=true; (3) r=3 with_replacement=true; (2) r=3; (4) r=1; (0); (3) r=0; "
           "(0) r=2 with_replacement=true"))

#include "blocks.rows"
