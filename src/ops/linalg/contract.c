/* Products of tensors with labelled dimensions: operands are permuted and reshaped for one batched matrix product, or
 * multiplied elementwise if nothing is summed. See contract.h. */
#include "ops/linalg/contract.h"

/* The dimensions of both operands, sorted into batch, summed and free dimensions. */
typedef struct kinds {
    uint8_t batch[FA_MAX_DIMS], left[FA_MAX_DIMS], right[FA_MAX_DIMS], summed[FA_MAX_DIMS];
    int batches, lefts, rights, sums;
    int64_t size[64];
} kinds;

uint64_t fa__labels_of(const fa__labelled *x)
{
    uint64_t set = 0;
    for (int i = 0; i < x->t->rank; i++)
        set |= UINT64_C(1) << x->label[i];
    return set;
}

int fa__labelled_dim(const fa__labelled *x, unsigned label)
{
    int d = 0;
    while (d < x->t->rank - 1 && x->label[d] != label)
        d++;
    return d;
}

fa_tensor *fa__label_order(const fa__labelled *x, const uint8_t *label)
{
    fa_shape order = {.rank = x->t->rank};
    for (int i = 0; i < order.rank; i++)
        order.dim[i] = fa__labelled_dim(x, label[i]);
    return fa_permute(x->t, order);
}

/* The labels of x that are in a set, in x's order. */
static int pick(const fa__labelled *x, uint64_t set, uint8_t *label)
{
    int n = 0;
    for (int i = 0; i < x->t->rank; i++)
        if (set >> x->label[i] & 1)
            label[n++] = x->label[i];
    return n;
}

static void sort_out(kinds *k, const fa__labelled *a, const fa__labelled *b, uint64_t keep)
{
    uint64_t of_a = fa__labels_of(a), of_b = fa__labels_of(b), both = of_a & of_b;
    k->batches = pick(a, both & keep, k->batch);
    k->sums = pick(a, both & ~keep, k->summed);
    k->lefts = pick(a, of_a & ~of_b, k->left);
    k->rights = pick(b, of_b & ~of_a, k->right);
    for (int i = 0; i < a->t->rank; i++)
        k->size[a->label[i]] = a->t->shape[i];
    for (int i = 0; i < b->t->rank; i++)
        k->size[b->label[i]] = b->t->shape[i];
}

static void append(fa_shape *shape, const kinds *k, const uint8_t *label, int count)
{
    for (int i = 0; i < count; i++)
        shape->dim[shape->rank++] = k->size[label[i]];
}

/* Appends the product of several dimensions' sizes as one dimension. False if it overflows. */
static bool append_joined(fa_shape *shape, const kinds *k, const uint8_t *label, int count)
{
    int64_t size = 1;
    for (int i = 0; i < count; i++)
        if (!fa__mul_i64(size, k->size[label[i]], &size))
            return false;
    shape->dim[shape->rank++] = size;
    return true;
}

/* An operand permuted and reshaped into three groups of dimensions. */
static fa_tensor *arranged(const fa__labelled *x, const kinds *k, const uint8_t *second, int seconds,
                           const uint8_t *third, int thirds, fa_shape shape)
{
    uint8_t order[FA_MAX_DIMS] = {0};
    memcpy(order, k->batch, (size_t)k->batches);
    memcpy(order + k->batches, second, (size_t)seconds);
    memcpy(order + k->batches + seconds, third, (size_t)thirds);
    return fa_reshape(fa__label_order(x, order), shape);
}

/* Nothing is summed: an elementwise product, in which dimensions missing in an operand have size 1. */
static fa_tensor *product_of_each(const kinds *k, const fa__labelled *a, const fa__labelled *b)
{
    fa_shape as = {.rank = 0}, bs = {.rank = 0};
    append(&as, k, k->batch, k->batches);
    append(&as, k, k->left, k->lefts);
    for (int i = 0; i < k->rights; i++)
        as.dim[as.rank++] = 1;
    append(&bs, k, k->batch, k->batches);
    for (int i = 0; i < k->lefts; i++)
        bs.dim[bs.rank++] = 1;
    append(&bs, k, k->right, k->rights);
    return fa_mul(arranged(a, k, k->left, k->lefts, k->summed, 0, as),
                  arranged(b, k, k->right, k->rights, k->summed, 0, bs));
}

/* Batch dimensions are not merged, unless there are too many of them, so that only merged dimensions may need a
 * copy. */
static fa_tensor *matrix_product(const kinds *k, const fa__labelled *a, const fa__labelled *b)
{
    fa_shape as = {.rank = 0}, bs, ys = {.rank = 0};
    bool good = true;
    if (k->batches + 2 <= FA_MAX_DIMS)
        append(&as, k, k->batch, k->batches);
    else
        good = append_joined(&as, k, k->batch, k->batches);
    bs = as;
    good = good && append_joined(&as, k, k->left, k->lefts) && append_joined(&as, k, k->summed, k->sums)
           && append_joined(&bs, k, k->summed, k->sums) && append_joined(&bs, k, k->right, k->rights);
    if (!good) {
        fa__fail(FA_ERROR_SHAPE, "dimensions that are joined have more entries than can be counted");
        return NULL;
    }
    append(&ys, k, k->batch, k->batches);
    append(&ys, k, k->left, k->lefts);
    append(&ys, k, k->right, k->rights);
    return fa_reshape(fa_matmul(arranged(a, k, k->left, k->lefts, k->summed, k->sums, as),
                                arranged(b, k, k->summed, k->sums, k->right, k->rights, bs)),
                      ys);
}

/* Both operands have the same dimensions and all are summed: the result is 0-dim. */
static fa_tensor *sum_of_products(const fa__labelled *a, const fa__labelled *b)
{
    const fa_shape flat = FA_SHAPE(-1);
    return fa_dot(fa_reshape(a->t, flat), fa_reshape(fa__label_order(b, a->label), flat));
}

bool fa__contract(const fa__call *c, const fa__labelled *a, const fa__labelled *b, uint64_t keep, fa__labelled *product)
{
    kinds k;
    sort_out(&k, a, b, keep);
    int rank = k.batches + k.lefts + k.rights;
    if (rank > FA_MAX_DIMS)
        return fa__call_fail(c, FA_ERROR_SHAPE, "a product would have %d dimensions: a tensor has at most %d", rank,
                             FA_MAX_DIMS);
    memcpy(product->label, k.batch, (size_t)k.batches);
    memcpy(product->label + k.batches, k.left, (size_t)k.lefts);
    memcpy(product->label + k.batches + k.lefts, k.right, (size_t)k.rights);
    product->t = !k.sums ? product_of_each(&k, a, b) : !rank ? sum_of_products(a, b) : matrix_product(&k, a, b);
    return product->t != NULL;
}
