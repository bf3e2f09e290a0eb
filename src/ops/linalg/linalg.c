/* Matrix product and linear layer. */
#include "dispatch/call.h"
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

static bool matmul_f32_infer(fa__call *c)
{
    const matmul_args *m = c->args;
    const bool fits = matmul_infer(c);
    if (fa__dtype_is_half(m->a->dtype))
        c->spec[0].dtype = FA_F32;
    return fits;
}

static bool matmul_f32_run(fa__call *c)
{
    const matmul_args *m = c->args;
    if (c->plan.device->backend->has_kernel(c->op))
        return fa__run_kernel(c);
    FA_SCOPE;
    FA_USE(.no_grad = true, .autocast = FA_SAME);
    return fa__run_copy(c, c->out[0], fa_matmul(m->a, m->b));
}

/** fa_matmul(), whose result is f32 where the operands have 16 bits: rounded to their dtype nevertheless. For gradients
 *  whose next stop is a conversion. */
OP(matmul_f32, matmul_args, (y), .infer = matmul_f32_infer, .run = matmul_f32_run,
   .no_grad = "it is for backward passes that need none", INTERNAL, TORCH(""),
   SAMPLES("(2,3) (3,4); (3) (3); (2,3) (3); (3) (3,2); (2,0) (0,3); (2,2,3) (2,3,2); (2,2,3) (3); (0,3) (3,2)"))

/* The product that is the gradient of a field, in the dtype that it is wanted in; an outer product (k = 1) elementwise.
 */
static fa_tensor *product_for(const fa__back *b, const void *field, const fa_tensor *x, const fa_tensor *y, bool outer)
{
    if (outer)
        return fa_mul(x, y);
    bool wide = fa__dtype_is_half(x->dtype) && fa__wanted_dtype(b, field) == FA_F32 && !fa__recording();
    return wide ? fa__matmul_f32(x, y) : fa_matmul(x, y);
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
        fa_tensor *ga = product_for(b, &m->a, g, right, column);
        fa__set_input_grad(b, &m->a, fa__summed_to(row ? fa_squeeze(ga, .dim = -2) : ga, m->a));
    }
    if (fa__wants(b, &m->b)) {
        const fa_tensor *left = row ? fa_unsqueeze(m->a, 1) : fa_transpose(m->a, -1, -2);
        fa_tensor *gb = product_for(b, &m->b, left, g, row);
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

/* Whether samples that are no vectors have as many elements as the weight takes features. */
static bool fits_flattened(const fa_tensor *x, int64_t features)
{
    return x->rank > 2 && x->shape[0] > 0 && fa__numel(x) / x->shape[0] == features;
}

#define HINT ", as many as a sample of x has in all: put fa_nn_flatten() before it"

static bool infer_linear(fa__call *c, const fa_tensor *x, const fa_tensor *weight, const fa_tensor *bias)
{
    if (!x->rank || weight->rank != 2)
        return fa__call_fail(c, FA_ERROR_SHAPE, "weight must have the shape (out, in), where in is the last size of x");
    if (x->shape[x->rank - 1] != weight->shape[1])
        return fa__call_fail(c, FA_ERROR_SHAPE,
                             "x has %lld features, its last size, and weight takes %lld, its second size%s",
                             (long long)x->shape[x->rank - 1], (long long)weight->shape[1],
                             fits_flattened(x, weight->shape[1]) ? HINT : "");
    if (!fa__check_product(c, x, weight) || (bias && !fa__check_product(c, x, bias)))
        return false;
    if (bias && (bias->rank != 1 || bias->shape[0] != weight->shape[0]))
        return fa__call_fail(c, FA_ERROR_SHAPE, "bias has to be (out)");
    return fa__infer_resized(c, x, -1, weight->shape[0]);
}

static bool linear_infer(fa__call *c)
{
    const linear_args *a = c->args;
    return infer_linear(c, a->x, a->weight, a->bias);
}

/* Merges all dimensions of x except the last. */
static fa_tensor *as_rows(const fa_tensor *x)
{
    int64_t rows = 1;
    for (int i = 0; i < x->rank - 1; i++)
        rows *= x->shape[i];
    return fa_reshape(x, FA_SHAPE(rows, x->shape[x->rank - 1]));
}

/* The gradients of x and weight, which are fields of the arguments, from that of x @ weight^T */
static void set_product_grads(fa__back *b, const fa_tensor *const *x, const fa_tensor *const *weight,
                              const fa_tensor *g)
{
    if (fa__wants(b, x))
        fa__set_input_grad(b, x, product_for(b, x, g, *weight, false));
    if (fa__wants(b, weight)) {
        bool rows = (*x)->rank == 2;
        const fa_tensor *left = fa_t(rows ? g : as_rows(g)), *right = rows ? *x : as_rows(*x);
        fa__set_input_grad(b, weight, left && right ? product_for(b, weight, left, right, false) : NULL);
    }
}

static void linear_grad(fa__back *b)
{
    const linear_args *a = b->args;
    fa_tensor *g = b->gy[0];
    set_product_grads(b, &a->x, &a->weight, g);
    if (a->bias && fa__wants(b, &a->bias))
        fa__set_input_grad(b, &a->bias, fa__summed_to(g, a->bias));
}

/** A linear layer: y = x @ weight^T + bias. x is (..., in_features), weight (out_features, in_features), y (...,
 *  out_features). */
OP(linear, linear_args, (y), .infer = linear_infer, .grad = linear_grad, .keep = KEEP(weight for x, x for weight),
   .autocast = FA__CAST_LOW, .autocast_cpu = FA__CAST_LOW, DIFFERS("bool: as matmul"), TORCH("nn.functional.linear(x, weight, bias)"),
   SAMPLES("(2,3) (4,3); (2,3) (4,3) bias=(4); (3) (4,3) bias=(4); (2,2,3) (2,3) bias=(2); (0,3) (4,3) bias=(4); (2,0) "
           "(3,0) bias=(3); (0) (2,0); (4) (0,4); (2,3,0) (2,0)"))

/** The gradient of relu, from its result. */
POINTWISE(relu_back, (gy, result), y = result <= 0 ? 0 : gy, INTERNAL, TORCH("where(result <= 0, 0, gy)"),
          SAMPLES("(3,4) (3,4); (0,2) (0,2)"))

typedef struct {
    const fa_tensor *x;      /* (..., in), floating */
    const fa_tensor *weight; /* (out, in) */
    fa_arg bias;             /* (out); any number: none */
} linear_relu_args;

static const fa_tensor *bias_of(const linear_relu_args *a)
{
    return a->bias.kind == FA__ARG_TENSOR ? fa__tensor_in(a->bias) : NULL;
}

static bool linear_relu_infer(fa__call *c)
{
    const linear_relu_args *a = c->args;
    return fa__dtype_is_float(a->x->dtype) ? infer_linear(c, a->x, a->weight, bias_of(a))
                                           : fa__call_fail(c, FA_ERROR_DTYPE, "x has to be floating");
}

static void linear_relu_grad(fa__back *b)
{
    const linear_relu_args *a = b->args;
    fa_tensor *g = fa__relu_back(FA__ARG(b->gy[0]), FA__ARG(b->y[0]));
    set_product_grads(b, &a->x, &a->weight, g);
    if (bias_of(a) && fa__wants(b, &a->bias))
        fa__set_input_grad(b, &a->bias, fa__summed_to(g, bias_of(a)));
}

static bool linear_relu_run(fa__call *c)
{
    const linear_relu_args *a = c->args;
    if (c->plan.device->backend->has_kernel(c->op))
        return fa__run_kernel(c);
    FA_SCOPE;
    FA_USE(.no_grad = true, .autocast = FA_SAME);
    return fa__run_copy(c, c->out[0], fa_relu(fa_linear(a->x, a->weight, .bias = bias_of(a))));
}

/** relu of a linear layer, for fa_nn_sequential(): the bits are those of the two operations. */
OP(linear_relu, linear_relu_args, (y), .infer = linear_relu_infer, .run = linear_relu_run, .grad = linear_relu_grad,
   .keep = KEEP(y, weight for x, x for weight), .autocast = FA__CAST_LOW, .autocast_cpu = FA__CAST_LOW, INTERNAL,
   TORCH(""),
   SAMPLES("(2,3) (4,3) 0; (2,3) (4,3) (4); (3) (4,3) (4); (2,2,3) (2,3) (2); (0,3) (4,3) (4); (2,0) (3,0) (3); (4) "
           "(0,4) 0; (2,3,0) (2,0) 0; (70,35) (66,35) (66)"))

static bool linear_gelu_run(fa__call *c)
{
    const linear_relu_args *a = c->args;
    if (c->plan.device->backend->has_kernel(c->op))
        return fa__run_kernel_then(c, &fa__op_gelu_tanh);
    FA_SCOPE;
    FA_USE(.no_grad = true, .autocast = FA_SAME);
    return fa__run_copy(c, c->out[0], fa_gelu_tanh(fa_linear(a->x, a->weight, .bias = bias_of(a))));
}

/** fa_gelu_tanh() of a linear layer, for fa_nn_sequential() without gradients: the bits are those of the two
 * operations, unless a library computes both (CUDA). */
OP(linear_gelu, linear_relu_args, (y), .infer = linear_relu_infer, .run = linear_gelu_run,
   .no_grad = "it is for forward passes that need none", .autocast = FA__CAST_LOW, .autocast_cpu = FA__CAST_LOW,
   INTERNAL, TORCH(""),
   SAMPLES("(2,3) (4,3) 0; (2,3) (4,3) (4); (3) (4,3) (4); (2,2,3) (2,3) (2); (0,3) (4,3) (4); (2,0) (3,0) (3); (4) "
           "(0,4) 0; (2,3,0) (2,0) 0; (70,35) (66,35) (66)"))

/* Whether both are on one device, and of one dtype, or of what autocast makes it. */
static bool goes_with(const fa_tensor *x, const fa_tensor *t)
{
    bool cast = fa__ctx()->settings->autocast != FA_SAME && fa__autocasts(x) && fa__autocasts(t);
    return t->storage && t->storage->device == x->storage->device && (t->dtype == x->dtype || cast);
}

static bool is_bias(const fa_tensor *bias, const fa_tensor *x, const fa_tensor *weight)
{
    return goes_with(x, bias) && bias->rank == 1 && bias->shape[0] == weight->shape[0];
}

static bool records_gradients(const fa_tensor *x, const fa_tensor *weight, const fa_tensor *bias)
{
    return fa__recording() && (fa__needs_grad(x) || fa__needs_grad(weight) || (bias && fa__needs_grad(bias)));
}

fa_tensor *fa__linear_then(const fa_tensor *x, const fa_tensor *weight, const fa_tensor *bias,
                           fa__activation activation)
{
    const bool relu = activation == FA__RELU;
    const fa__op *op = relu ? &fa__op_linear_relu : &fa__op_linear_gelu;
    bool fits = x && weight && weight->rank == 2 && x->storage && x->rank && fa__dtype_is_float(x->dtype)
                && !fa__dtype_is_storage(x->dtype) && x->shape[x->rank - 1] == weight->shape[1] && goes_with(x, weight)
                && (!bias || is_bias(bias, x, weight)) && x->storage->device->backend->has_kernel(op)
                && (relu || !records_gradients(x, weight, bias));
    const fa_arg with = bias ? fa__arg_t(bias) : fa__arg_f(0);
    return !fits ? NULL : relu ? fa__linear_relu(x, weight, with) : fa__linear_gelu(x, weight, with);
}

#include "linalg.rows"
