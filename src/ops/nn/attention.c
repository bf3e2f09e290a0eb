/* Scaled dot product attention. Kernels never hold all scores. With dropout, for few queries on a GPU, and where
 * backward is recorded, it calls matrix products and softmax, which give the same bits. */
#include "dispatch/call.h"
#include "ids.h"
#include <math.h>

typedef struct {
    const fa_tensor *q;              /* (..., l, e): queries, floating */
    const fa_tensor *k;              /* (..., s, e): keys */
    const fa_tensor *v;              /* (..., s, ev): values */
    const fa_tensor *mask OPT(NULL); /* broadcasts to (..., l, s): true where a query sees a key, or numbers to add */
    bool causal OPT(false);          /* true: query i sees the keys 0 to i only; not together with mask */
    double scale OPT(0.0);           /* factor of the scores; 0: 1 / sqrt(e) */
    double dropout OPT(0.0);         /* probability that a weight becomes 0; the others are divided by 1 - dropout */
    bool enable_gqa OPT(false);      /* true: k and v have fewer heads (dimension -3), each for several of q's heads */
} scaled_dot_product_attention_args;

/* ---- as products and softmax ---- */

/* The weights of the values, (..., l, s): softmax of the scores, but 0 for a query that sees no key. */
static fa_tensor *weights(const fa_tensor *q, const fa_tensor *k, const fa_tensor *mask, bool causal, double scale)
{
    fa_tensor *scores = fa_mul(fa_matmul(q, fa_transpose(k, -2, -1)), scale);
    if (mask && mask->dtype == FA_BOOL)
        scores = fa_where(mask, scores, -(double)INFINITY);
    else if (mask)
        scores = fa_to(fa_add(scores, mask), (fa_dtype)q->dtype);
    if (!scores)
        return NULL;
    if (causal) {
        fa_shape shape = FA_SHAPE(scores->shape[scores->rank - 2], scores->shape[scores->rank - 1]);
        fa_tensor *sees = fa_tril(fa_ones(shape, .dtype = FA_BOOL, .device = fa_tensor_device(q)));
        scores = fa_where(sees, scores, -(double)INFINITY);
    }
    if (!scores || !scores->shape[scores->rank - 1])
        return scores;
    fa_tensor *none = fa_eq(fa_amax(fa_detach(scores), .dim = -1, .keepdim = true), -(double)INFINITY);
    return fa_where(none, 0.0, fa_softmax(fa_where(none, 0.0, scores), -1));
}

/* ---- the operation with a kernel ---- */

typedef struct {
    const fa_tensor *q; /* (..., l, e), floating */
    const fa_tensor *k; /* (..., s, e), with q's leading dimensions */
    const fa_tensor *v; /* (..., s, ev), likewise */
    fa_arg mask;        /* (..., l, s), likewise: bool or q's dtype, of f16 and bf16 only bool; any number: none */
    bool causal;        /* true: query i sees the keys 0 to i only */
    double scale;       /* factor of the scores */
} attention_args;

static const fa_tensor *tensor_of(const fa_arg *a)
{
    return a->kind == FA__ARG_TENSOR ? fa__tensor_in(*a) : NULL;
}

/* Whether b has a's leading dimensions, and a last but one of that size. */
static bool agrees(const fa_tensor *a, const fa_tensor *b, int64_t rows)
{
    bool same = a->rank == b->rank && b->shape[b->rank - 2] == rows;
    for (int i = 0; same && i < a->rank - 2; i++)
        same = a->shape[i] == b->shape[i];
    return same;
}

static bool check_operands(const fa__call *c, const fa_tensor *q, const fa_tensor *k, const fa_tensor *v,
                           const fa_tensor *mask)
{
    int r = q->rank;
    bool half = fa__dtype_is_half(q->dtype);
    if ((q->dtype != FA_F32 && q->dtype != FA_F64 && !half) || k->dtype != q->dtype || v->dtype != q->dtype
        || (mask && mask->dtype != FA_BOOL && (half || mask->dtype != q->dtype)))
        return fa__call_fail(
            c, FA_ERROR_DTYPE,
            "q, k and v have to be of one dtype, f64, f32, f16 or bf16; mask bool, or f32 or f64 as they");
    if (r < 2 || k->rank != r || v->rank != r || !agrees(q, k, v->shape[r - 2]) || !agrees(q, v, k->shape[r - 2])
        || q->shape[r - 1] != k->shape[r - 1]
        || (mask && (!agrees(q, mask, q->shape[r - 2]) || mask->shape[r - 1] != k->shape[r - 2])))
        return fa__call_fail(c, FA_ERROR_SHAPE, "the shapes of q, k, v and mask do not go together");
    return true;
}

static bool attention_infer(fa__call *c)
{
    const attention_args *a = c->args;
    int64_t shape[FA_MAX_DIMS];
    if (!check_operands(c, a->q, a->k, a->v, tensor_of(&a->mask)))
        return false;
    for (int i = 0; i < a->q->rank; i++)
        shape[i] = a->q->shape[i];
    shape[a->q->rank - 1] = a->v->shape[a->v->rank - 1];
    return fa__infer_shape(c, (fa_dtype)a->q->dtype, a->q->rank, shape);
}

/* GPUs work on tiles of many queries: for a few of them other operations, which give the same bits, are faster. */
enum { FEW_QUERIES = 8 };

/* A device with a library for attention takes f16 and bf16 as they are, also by its kernel. */
static bool takes_halves(const fa__device *d)
{
    return d->backend->overrides && d->backend->overrides[fa__op_attention.id];
}

static bool wants_kernel(const fa__call *c, const fa_tensor *q)
{
    const fa__device *d = c->plan.device;
    return d->backend->has_kernel(c->op) && (d->host || q->shape[q->rank - 2] >= FEW_QUERIES)
           && (!fa__dtype_is_half(q->dtype) || takes_halves(d));
}

static fa_tensor *widened(const fa_tensor *x)
{
    return fa_to(x, fa__dtype_is_half(x->dtype) ? FA_F32 : (fa_dtype)x->dtype);
}

static attention_args in_f32(const attention_args *a)
{
    return (attention_args){widened(a->q), widened(a->k), widened(a->v), a->mask, a->causal, a->scale};
}

static bool attention_run(fa__call *c)
{
    const attention_args *a = c->args;
    if (wants_kernel(c, a->q))
        return fa__run_kernel(c);
    FA_SCOPE;
    FA_USE(.no_grad = true, .autocast = FA_SAME);
    const attention_args w = in_f32(a);
    if (fa__dtype_is_half(a->q->dtype))
        return fa__run_copy(c, c->out[0], fa__attention(w.q, w.k, w.v, w.mask, w.causal, w.scale));
    return fa__run_copy(c, c->out[0], fa_matmul(weights(w.q, w.k, tensor_of(&w.mask), w.causal, w.scale), w.v));
}

/* Gradients of q, k, v, and of what was added to the scores. */
typedef struct {
    fa_tensor *q, *k, *v, *added;
} gradients;

static gradients composed(const fa_tensor *gy, const attention_args *a)
{
    gradients r;
    fa_tensor *p = weights(a->q, a->k, tensor_of(&a->mask), a->causal, a->scale);
    fa_tensor *g = fa_mul(fa_matmul(gy, fa_transpose(a->v, -2, -1)), p);
    r.added = fa_sub(g, fa_mul(p, fa_sum(g, .dim = -1, .keepdim = true)));
    fa_tensor *scores = fa_mul(r.added, a->scale);
    r.q = fa_matmul(scores, a->k);
    r.k = fa_matmul(fa_transpose(scores, -2, -1), a->q);
    r.v = fa_matmul(fa_transpose(p, -2, -1), gy);
    return r;
}

/* Where backward is recorded, or the mask gets a gradient. */
static void composed_grad(fa__back *b)
{
    const attention_args *a = b->args, w = in_f32(a);
    const fa_dtype dtype = (fa_dtype)a->q->dtype;
    gradients r = composed(widened(b->gy[0]), &w);
    fa__set_input_grad(b, &a->q, fa_to(r.q, dtype));
    fa__set_input_grad(b, &a->k, fa_to(r.k, dtype));
    fa__set_input_grad(b, &a->v, fa_to(r.v, dtype));
    if (tensor_of(&a->mask) && fa__wants(b, &a->mask))
        fa__set_input_grad(b, &a->mask, r.added);
}

static void attention_grad(fa__back *b)
{
    const attention_args *a = b->args;
    if (fa__recording() || (tensor_of(&a->mask) && fa__wants(b, &a->mask))) {
        composed_grad(b);
        return;
    }
    fa__attention_back_result r = fa__attention_back(b->gy[0], a->q, a->k, a->v, a->mask, a->causal, a->scale);
    fa__set_input_grad(b, &a->q, r.gq);
    fa__set_input_grad(b, &a->k, r.gk);
    fa__set_input_grad(b, &a->v, r.gv);
}

/** Attention of leading dimensions that agree. */
OP(attention, attention_args, (y), .infer = attention_infer, .run = attention_run, .grad = attention_grad,
   .keep = KEEP(q, k, v, mask), INTERNAL, TORCH(""),
   SAMPLES(
       "(3,4) (5,4) (5,2) 0 false 0.5; (2,3,4) (2,5,4) (2,5,3) 0 true 0.5; (2,3,4) (2,5,4) (2,5,4) (2,3,5) false "
       "1.0; (0,3,4) (0,5,4) (0,5,4) 0 false 1.0; (2,3,0) (2,5,0) (2,5,4) 0 false 1.0; (2,9,4) (2,7,4) (2,7,3) 0 true "
       "0.5; (2,9,4) (2,7,4) (2,7,3) (2,9,7) false 0.5"))

typedef struct {
    const fa_tensor *gy; /* (..., l, ev): the gradient of the result */
    const fa_tensor *q;  /* as in attention */
    const fa_tensor *k;  /* as in attention */
    const fa_tensor *v;  /* as in attention */
    fa_arg mask;         /* as in attention */
    bool causal;         /* as in attention */
    double scale;        /* as in attention */
} attention_back_args;

static bool attention_back_infer(fa__call *c)
{
    const attention_back_args *a = c->args;
    if (!check_operands(c, a->q, a->k, a->v, tensor_of(&a->mask)))
        return false;
    if (!fa__infer_like(c, a->k, (fa_dtype)a->k->dtype))
        return false;
    c->spec[1] = c->spec[0];
    if (!fa__infer_like(c, a->v, (fa_dtype)a->v->dtype))
        return false;
    c->spec[2] = c->spec[0];
    return fa__infer_like(c, a->q, (fa_dtype)a->q->dtype);
}

static bool attention_back_run(fa__call *c)
{
    const attention_back_args *a = c->args;
    const attention_args forward = {a->q, a->k, a->v, a->mask, a->causal, a->scale};
    if (wants_kernel(c, a->q))
        return fa__run_kernel(c);
    FA_SCOPE;
    FA_USE(.no_grad = true, .autocast = FA_SAME);
    const attention_args w = in_f32(&forward);
    if (fa__dtype_is_half(a->q->dtype)) {
        fa__attention_back_result g = fa__attention_back(widened(a->gy), w.q, w.k, w.v, w.mask, w.causal, w.scale);
        return fa__run_copy(c, c->out[0], g.gq) && fa__run_copy(c, c->out[1], g.gk) && fa__run_copy(c, c->out[2], g.gv);
    }
    gradients r = composed(a->gy, &forward);
    return fa__run_copy(c, c->out[0], r.q) && fa__run_copy(c, c->out[1], r.k) && fa__run_copy(c, c->out[2], r.v);
}

/** The gradients of attention's q, k and v. */
OP(attention_back, attention_back_args, (gq, gk, gv), .infer = attention_back_infer, .run = attention_back_run,
   .no_grad = "backward that is recorded is made of other operations", INTERNAL, TORCH(""),
   SAMPLES("(3,2) (3,4) (5,4) (5,2) 0 false 0.5; (2,3,3) (2,3,4) (2,5,4) (2,5,3) 0 true 0.5; (2,3,4) (2,3,4) (2,5,4) "
           "(2,5,4) (2,3,5) false 1.0; (2,9,3) (2,9,4) (2,7,4) (2,7,3) 0 true 0.5"))

/* ---- the public operation ---- */

static bool may_be(const fa_tensor *t, int from_end, int64_t size)
{
    return t->rank < from_end || t->shape[t->rank - from_end] == size || t->shape[t->rank - from_end] == 1;
}

static bool check_attention(const fa__call *c, const scaled_dot_product_attention_args *a)
{
    if (a->q->rank < 2 || a->k->rank < 2 || a->v->rank < 2)
        return fa__call_fail(c, FA_ERROR_SHAPE, "q, k and v need at least two dimensions");
    if (!fa__dtype_is_float(a->q->dtype) || a->k->dtype != a->q->dtype || a->v->dtype != a->q->dtype)
        return fa__call_fail(c, FA_ERROR_DTYPE, "q, k and v have to be floating, and of one dtype: fa_to converts");
    if (a->q->shape[a->q->rank - 1] != a->k->shape[a->k->rank - 1]
        || a->k->shape[a->k->rank - 2] != a->v->shape[a->v->rank - 2])
        return fa__call_fail(c, FA_ERROR_SHAPE, "q is (..., l, e), k (..., s, e) and v (..., s, ev)");
    if (a->mask && a->mask->dtype != FA_BOOL && !fa__dtype_is_float(a->mask->dtype))
        return fa__call_fail(c, FA_ERROR_DTYPE, "mask has to be bool or floating");
    if (a->mask && a->causal)
        return fa__call_fail(c, FA_ERROR_ARGUMENT, "mask and causal do not go together");
    int64_t l = a->q->shape[a->q->rank - 2], s = a->k->shape[a->k->rank - 2];
    if (a->mask && !(may_be(a->mask, 2, l) && may_be(a->mask, 1, s)))
        return fa__call_fail(c, FA_ERROR_SHAPE, "mask has to broadcast to (..., %lld, %lld), queries and keys",
                             (long long)l, (long long)s);
    return true;
}

/* A tensor with heads (dimension -3) that each serve `times` heads of q: (..., heads * times, s, e). */
static fa_tensor *repeated_heads(const fa_tensor *t, int64_t times)
{
    fa_shape shape = fa_tensor_shape(t);
    int64_t heads = shape.dim[shape.rank - 3];
    fa_tensor *apart = fa_unsqueeze(t, -3);
    fa_shape wide = fa_tensor_shape(apart);
    wide.dim[wide.rank - 3] = times;
    shape.dim[shape.rank - 3] = heads * times;
    return fa_reshape(fa_expand(apart, wide), shape);
}

static bool share_heads(const fa__call *c, scaled_dot_product_attention_args *a)
{
    int64_t heads = a->q->rank > 2 ? a->q->shape[a->q->rank - 3] : 0;
    int64_t of_k = a->k->rank > 2 ? a->k->shape[a->k->rank - 3] : 0;
    int64_t of_v = a->v->rank > 2 ? a->v->shape[a->v->rank - 3] : 0;
    if (!of_k || !of_v || heads % of_k || heads % of_v)
        return fa__call_fail(c, FA_ERROR_SHAPE, "with enable_gqa the heads of k and v divide those of q");
    if (of_k != heads)
        a->k = repeated_heads(a->k, heads / of_k);
    if (of_v != heads)
        a->v = repeated_heads(a->v, heads / of_v);
    return a->k && a->v;
}

/* Leading dimensions of both, broadcast; false if they do not go together. */
static bool widen(fa_shape *lead, const fa_tensor *t)
{
    int rank = t->rank - 2;
    fa_shape s = {.rank = rank > lead->rank ? rank : lead->rank};
    for (int i = 0; i < s.rank; i++) {
        int own = i - (s.rank - rank), other = i - (s.rank - lead->rank);
        int64_t x = own < 0 ? 1 : t->shape[own], y = other < 0 ? 1 : lead->dim[other];
        if (x != y && x != 1 && y != 1)
            return false;
        s.dim[i] = x == 1 ? y : x;
    }
    *lead = s;
    return true;
}

static fa_tensor *with_lead(const fa_tensor *t, fa_shape lead, int64_t rows, int64_t columns)
{
    lead.dim[lead.rank++] = rows;
    lead.dim[lead.rank++] = columns;
    return fa_expand(t, lead);
}

static fa_tensor *by_kernel(const fa__call *c, const scaled_dot_product_attention_args *a)
{
    const fa_tensor *q = a->q, *k = a->k, *v = a->v, *mask = a->mask;
    fa_shape lead = {0};
    if (!widen(&lead, q) || !widen(&lead, k) || !widen(&lead, v) || (mask && mask->rank > 2 && !widen(&lead, mask))) {
        fa__call_fail(c, FA_ERROR_SHAPE, "the leading dimensions do not broadcast");
        return NULL;
    }
    int64_t l = q->shape[q->rank - 2], e = q->shape[q->rank - 1], s = k->shape[k->rank - 2];
    if (mask && mask->dtype != FA_BOOL)
        mask = fa_to(mask, (fa_dtype)q->dtype);
    return fa__attention(with_lead(q, lead, l, e), with_lead(k, lead, s, e),
                         with_lead(v, lead, s, v->shape[v->rank - 1]),
                         mask ? fa__arg_t(with_lead(mask, lead, l, s)) : fa__arg_f(0), a->causal, a->scale);
}

static fa_tensor *by_products(const scaled_dot_product_attention_args *a)
{
    fa_tensor *p = weights(a->q, a->k, a->mask, a->causal, a->scale);
    if (a->dropout > 0)
        p = fa_dropout(p, .p = a->dropout);
    return fa_matmul(p, a->v);
}

static bool has_kernel(const fa_tensor *t)
{
    return t->storage && t->storage->device->backend->has_kernel(&fa__op_attention);
}

static bool goes_as_halves(const scaled_dot_product_attention_args *a)
{
    return a->dropout == 0 && has_kernel(a->q) && takes_halves(a->q->storage->device)
           && (!a->mask || a->mask->dtype == FA_BOOL);
}

static fa_tensor *scaled_dot_product_attention_compose(fa__call *c)
{
    scaled_dot_product_attention_args a = *(const scaled_dot_product_attention_args *)c->args;
    fa_dtype dtype = (fa_dtype)a.q->dtype;
    if (!check_attention(c, &a) || (a.enable_gqa && !share_heads(c, &a)))
        return NULL;
    int64_t width = a.q->shape[a.q->rank - 1];
    a.scale = a.scale != 0 ? a.scale : width ? 1 / sqrt((double)width) : 1;
    if (fa__dtype_is_half(dtype) && !goes_as_halves(&a)) {
        a.q = fa_to(a.q, FA_F32);
        a.k = fa_to(a.k, FA_F32);
        a.v = fa_to(a.v, FA_F32);
        if (!a.q || !a.k || !a.v)
            return NULL;
    }
    return fa_to(a.dropout == 0 && has_kernel(a.q) ? by_kernel(c, &a) : by_products(&a), dtype);
}

/** Attention (arXiv:1706.03762): softmax(q k^T * scale + mask) v over the keys that each query sees. Leading dimensions
 *  broadcast, and usually are (batch, heads); the result is (..., l, ev). A query that sees no key gets 0. f16 and bf16
 *  are computed in f32, except by cuDNN, which rounds weights before it multiplies them with values. Without dropout,
 * memory is taken for some rows of the scores at a time, forward and backward (arXiv:2205.14135 has the idea); with
 * dropout, and where backward is recorded, for all of them. The gradients of all operands, mask included, are
 * differentiable. Dropout is applied whenever it is above 0: pass 0 in evaluation. In PyTorch the options are called
 * attn_mask, is_causal and dropout_p. */
OP(scaled_dot_product_attention, scaled_dot_product_attention_args, (y),
   .compose = scaled_dot_product_attention_compose, .require = REQUIRE(dropout >= 0 && dropout <= 1),
   .autocast = FA__CAST_LOW, .autocast_cpu = FA__CAST_LOW,
   DIFFERS("i64 i32 u8 bool: integers are refused, empty ones too"),
   TORCH("nn.functional.scaled_dot_product_attention(q, k, v, mask, dropout, causal, scale=scale if scale else None, "
         "enable_gqa=enable_gqa)"),
   SAMPLES("(3,4) (5,4) (5,2); (2,3,4) (2,5,4) (2,5,3) causal=true; (2,2,3,4) (2,2,5,4) (2,2,5,4) mask=(3,5); (2,3,4) "
           "(2,5,4) (2,5,4) mask=b(2,3,5) scale=0.3; (1,4,3,2) (1,2,5,2) (1,2,5,2) enable_gqa=true; (0,3,4) (0,5,4) "
           "(0,5,4); n(3,9) n(3,9) n(3,9); (2,9,8) (2,7,8) (2,7,8)"))

#include "attention.rows"
