/* Matrix product and linear layer. */
#include "dispatch/row.h"
#include "ops/linalg/contract.h"

typedef struct {
    const fa_tensor *a; /* (..., n, k), or (k) */
    const fa_tensor *b; /* (..., k, m), or (k); of a's dtype */
} matmul_args;

bool fa__check_product(const fa__call *c, const fa_tensor *a, const fa_tensor *b)
{
    if (a->dtype != b->dtype)
        return fa__call_fail(c, FA_ERROR_DTYPE,
                             "%s and %s: matrix products do not promote, both have to be of one dtype, fa_to converts",
                             fa_dtype_name((fa_dtype)a->dtype), fa_dtype_name((fa_dtype)b->dtype));
    if (a->dtype == FA_BOOL)
        return fa__call_fail(c, FA_ERROR_DTYPE, "there is no product of bool");
    return true;
}

/* The batch dimensions of the result: those of both operands, broadcast. */
static bool batch_shape(fa__call *c, const fa_tensor *a, const fa_tensor *b, fa__spec *s)
{
    int an = a->rank > 2 ? a->rank - 2 : 0, bn = b->rank > 2 ? b->rank - 2 : 0;
    s->rank = an > bn ? an : bn;
    for (int i = 0; i < s->rank; i++) {
        int ai = i - (s->rank - an), bi = i - (s->rank - bn);
        int64_t x = ai < 0 ? 1 : a->shape[ai], y = bi < 0 ? 1 : b->shape[bi];
        if (x != y && x != 1 && y != 1)
            return fa__call_fail(c, FA_ERROR_SHAPE, "the batch dimensions do not broadcast");
        s->shape[i] = x == 1 ? y : x;
    }
    return true;
}

static bool matmul_infer(fa__call *c)
{
    const matmul_args *m = c->args;
    const fa_tensor *a = m->a, *b = m->b;
    fa__spec *s = &c->spec[0];
    if (!a->rank || !b->rank)
        return fa__call_fail(c, FA_ERROR_SHAPE, "operands need at least one dimension");
    if (a->shape[a->rank - 1] != b->shape[b->rank > 1 ? b->rank - 2 : 0])
        return fa__call_fail(c, FA_ERROR_SHAPE, "the last dimension of a and the %s of b have to agree",
                             b->rank > 1 ? "last but one" : "only one");
    if (!fa__check_product(c, a, b) || !batch_shape(c, a, b, s))
        return false;
    if (a->rank > 1)
        s->shape[s->rank++] = a->shape[a->rank - 2];
    if (b->rank > 1)
        s->shape[s->rank++] = b->shape[b->rank - 1];
    s->dtype = (fa_dtype)a->dtype;
    return true;
}

/* The product of (..., n, k) and (k, m); an outer product (k = 1) elementwise. */
static fa_tensor *product_of(const fa_tensor *a, const fa_tensor *b, bool outer)
{
    return outer ? fa_mul(a, b) : fa_matmul(a, b);
}

static void matmul_grad(fa__back *b)
{
    const matmul_args *m = b->args;
    bool row = m->a->rank == 1, column = m->b->rank == 1;
    fa_tensor *g = b->gy[0];
    if (column)
        g = fa_unsqueeze(g, -1);
    if (row)
        g = fa_unsqueeze(g, -2);
    if (fa__wants(b, &m->a)) {
        const fa_tensor *right = column ? fa_unsqueeze(m->b, 0) : fa_transpose(m->b, -1, -2);
        fa_tensor *ga = product_of(g, right, column);
        fa__set_input_grad(b, &m->a, fa__summed_to(row ? fa_squeeze(ga, .dim = -2) : ga, m->a));
    }
    if (fa__wants(b, &m->b)) {
        const fa_tensor *left = row ? fa_unsqueeze(m->a, 1) : fa_transpose(m->a, -1, -2);
        fa_tensor *gb = product_of(left, g, row);
        fa__set_input_grad(b, &m->b, fa__summed_to(column ? fa_squeeze(gb, .dim = -1) : gb, m->b));
    }
}

/** The matrix product of a and b: two vectors give a 0-dim tensor; a matrix and a vector give a vector; two matrices
 *  (n, k) and (k, m) give (n, m). With more dimensions both are batches of matrices, whose leading dimensions
 *  broadcast: (..., n, m). A vector lacks its dimension in the result. Each element is accumulated sequentially; for
 *  long vectors fa_dot() is more accurate. */
OP(matmul, matmul_args, (y), .infer = matmul_infer, .grad = matmul_grad, .keep = KEEP(b for a, a for b), .autocast = FA__CAST_LOW,
   .autocast_cpu = FA__CAST_LOW, DIFFERS("bool: there is no product of bool, of nothing neither"), TORCH("matmul(a, b)"),
   SAMPLES("(2,3) (3,4); (3) (3); (2,3) (3); (3) (3,2); (2,0) (0,3); (2,2,3) (2,3,2); (2,1,2,3) (3,3,2); (2,2,3) (3); "
           "(3) (2,3,2); (0,3) (3,2); i(2,3) i(3,2)"))

typedef struct {
    const fa_tensor *x;              /* (..., in) */
    const fa_tensor *weight;         /* (out, in) */
    const fa_tensor *bias OPT(NULL); /* (out); NULL: none */
} linear_args;

static bool linear_infer(fa__call *c)
{
    const linear_args *a = c->args;
    if (!a->x->rank || a->weight->rank != 2)
        return fa__call_fail(c, FA_ERROR_SHAPE, "weight must have the shape (out, in), where in is the last size of x");
    if (a->x->shape[a->x->rank - 1] != a->weight->shape[1])
        return fa__call_fail(c, FA_ERROR_SHAPE,
                             "x has %lld features, its last size, and weight takes %lld, its second size",
                             (long long)a->x->shape[a->x->rank - 1], (long long)a->weight->shape[1]);
    if (!fa__check_product(c, a->x, a->weight) || (a->bias && !fa__check_product(c, a->x, a->bias)))
        return false;
    if (a->bias && (a->bias->rank != 1 || a->bias->shape[0] != a->weight->shape[0]))
        return fa__call_fail(c, FA_ERROR_SHAPE, "bias has to be (out)");
    return fa__infer_resized(c, a->x, -1, a->weight->shape[0]);
}

/* Merges all dimensions of x except the last. */
static fa_tensor *as_rows(const fa_tensor *x)
{
    int64_t rows = 1;
    for (int i = 0; i < x->rank - 1; i++)
        rows *= x->shape[i];
    return fa_reshape(x, FA_SHAPE(rows, x->shape[x->rank - 1]));
}

static void linear_grad(fa__back *b)
{
    const linear_args *a = b->args;
    fa_tensor *g = b->gy[0];
    if (fa__wants(b, &a->x))
        fa__set_input_grad(b, &a->x, fa_matmul(g, a->weight));
    if (fa__wants(b, &a->weight)) {
        bool rows = a->x->rank == 2;
        fa__set_input_grad(b, &a->weight, fa_matmul(fa_t(rows ? g : as_rows(g)), rows ? a->x : as_rows(a->x)));
    }
    if (a->bias && fa__wants(b, &a->bias))
        fa__set_input_grad(b, &a->bias, fa__summed_to(g, a->bias));
}

/** A linear layer: y = x @ weight^T + bias. x is (..., in_features), weight (out_features, in_features), y (...,
 *  out_features). */
OP(linear, linear_args, (y), .infer = linear_infer, .grad = linear_grad, .keep = KEEP(weight for x, x for weight),
   .autocast = FA__CAST_LOW, .autocast_cpu = FA__CAST_LOW, DIFFERS("bool: as matmul"), TORCH("nn.functional.linear(x, weight, bias)"),
   SAMPLES("(2,3) (4,3); (2,3) (4,3) bias=(4); (3) (4,3) bias=(4); (2,2,3) (2,3) bias=(2); (0,3) (4,3) bias=(4); (2,0) "
           "(3,0) bias=(3); (0) (2,0); (4) (0,4); (2,3,0) (2,0)"))

#include "linalg.rows"
