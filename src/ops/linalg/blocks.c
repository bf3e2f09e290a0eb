/* Tensors made of vectors and matrices: blocks on a diagonal, all combinations, and powers in columns. */
#include "dispatch/row.h"

typedef struct {
    fa_tensors x; /* of at most two dimensions: a vector is a row, a number a matrix of one element */
} block_diag_args;

/* A matrix with so many zeros on its left and right. */
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

/* Matrices in `block`; the number of their columns. -1 after an error. */
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

/** A matrix with the given ones as blocks from its upper left to its lower right corner, and zeros. Dtypes promote. */
OP(block_diag, block_diag_args, (y), .compose = block_diag_compose, TORCH("block_diag(*x)"),
   SAMPLES("[(2,3) (1,2)]; [(2) () (2,2)]; [(3,2)]; [()]; [(0,2) (2,0) (2,1)]"))

typedef struct {
    fa_tensors x; /* vectors, at most 8, of one dtype */
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

/** All ways to take an element of each vector, the last one's changing fastest: (n1 * n2 * ..., how many vectors). Of
 *  one vector it is that. */
OP(cartesian_prod, cartesian_prod_args, (y), .compose = cartesian_prod_compose, TORCH("cartesian_prod(*x)"),
   SAMPLES("[(2) (3)]; [(2) (1) (3)]; [(4)]; [(0) (2)]"))

typedef struct {
    const fa_tensor *x;         /* (m) */
    int64_t n OPT(-1);          /* how many columns; -1: as many as x has elements */
    bool increasing OPT(false); /* the powers rise from 0; by default they fall to it */
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
    return fa_pow(fa_unsqueeze(a->x, 1), a->increasing ? power : fa_flip(power));
}

/** Vandermonde's matrix: each column is a power of x, (m, n). */
OP(vander, vander_args, (y), .compose = vander_compose, TORCH("vander(x, None if n < 0 else n, increasing)"),
   SAMPLES("(3); (3) increasing=true; (4) n=2; (2) n=0; (0); t(5) n=3; (2) n=5 increasing=true"))

typedef struct {
    const fa_tensor *x;               /* a vector */
    int64_t r OPT(2);                 /* how many elements are taken */
    bool with_replacement OPT(false); /* each may be taken again */
} combinations_args;

/* How many ways there are to take r of n; -1: too many to be counted. */
static int64_t ways(int64_t n, int64_t r)
{
    int64_t count = 1;
    if (r > n - r)
        r = n - r; /* as many as there are to leave the others out */
    for (int64_t i = 1; i <= r && count > 0; i++) {
        if (!fa__mul_i64(count, n - r + i, &count))
            return -1;
        count /= i; /* without a remainder: it is the number of ways to take i of n - r + i */
    }
    return r < 0 ? 0 : count;
}

/* The next row of places behind one: the last that can grow does, and those behind it start again from there. */
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

/* Places in a vector of n elements, (count, r) on the CPU. */
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

/** All ways to take r elements of a vector, in its order and each row in the order of the elements: (count, r). Their
 *  places are found on the CPU and copied to x's device; more than 16 MiB of them are waited for. */
OP(combinations, combinations_args, (y), .compose = combinations_compose, TORCH("combinations(x, r, with_replacement)"),
   SAMPLES("(4); (4) r=3; (3) with_replacement=true; (3) r=3 with_replacement=true; (2) r=3; (4) r=1; (0); (3) r=0; "
           "(0) r=2 with_replacement=true"))

#include "blocks.rows"
