/* Multi-head attention as a layer: projections around fa_scaled_dot_product_attention(). */
#include "nn/layer.h"
#include "nn/module.h"
#include <facula/autograd.h>
#include <facula/init.h>
#include <facula/ops/create.h>
#include <facula/ops/index.h>
#include <facula/ops/linalg.h>
#include <facula/ops/loss.h>
#include <facula/ops/math.h>
#include <facula/ops/nn.h>
#include <facula/ops/random.h>
#include <facula/ops/reduce.h>
#include <facula/ops/shape.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

static const char who[] = "fa_nn_multihead_attention";

enum { QUERY, KEY, VALUE, INPUTS };

typedef struct attention {
    fa_tensor *weight[INPUTS]; /* of the projections; weight[0] alone is that of all three */
    fa_tensor *bias;           /* of all three, or NULL */
    fa_tensor *more[INPUTS];   /* "bias_k" and "bias_v", or NULL */
    fa_module *out;
    int64_t width[INPUTS]; /* of the inputs */
    int64_t heads;
    double dropout;
    bool batch_first, add_zero;
} attention;

/* What fa_forward_attention() of this thread asks for besides the output. */
static _Thread_local struct asked {
    const fa_module *module;
    const fa_forward_attention_options *o;
    fa_tensor *weights; /* a reference */
} asked;

/* ---- shapes ---- */

/* The sizes of a call: n sequences of l queries and s keys. */
typedef struct sizes {
    int64_t n, l, s;
    bool batch; /* there is a dimension of sequences */
} sizes;

static bool sizes_read(const attention *a, fa_tensor *const *in, sizes *z)
{
    static const char *const name[] = {"query", "key", "value"};
    const int rank = fa_dim(in[QUERY]), along = a->batch_first ? 1 : 0;
    if (rank != 2 && rank != 3)
        return fa_fail(FA_ERROR_SHAPE, "query is (l, n, width), (n, l, width) with .batch_first, or (l, width), not %s",
                       fa__shape_write(fa_tensor_shape(in[QUERY])).text);
    for (int k = 0; k < INPUTS; k++)
        if (fa_dim(in[k]) != rank || fa_size(in[k], -1) != a->width[k])
            return fa_fail(FA_ERROR_SHAPE, "%s has %d dimensions, the last one of %" PRId64 " elements: it is %s",
                           name[k], rank, a->width[k], fa__shape_write(fa_tensor_shape(in[k])).text);
    *z = (sizes){.n = rank == 3 ? fa_size(in[QUERY], 1 - along) : 1,
                 .l = fa_size(in[QUERY], rank == 3 ? along : 0),
                 .s = fa_size(in[KEY], rank == 3 ? along : 0),
                 .batch = rank == 3};
    for (int k = KEY; k < INPUTS; k++)
        if ((rank == 3 && fa_size(in[k], 1 - along) != z->n) || fa_size(in[k], rank == 3 ? along : 0) != z->s)
            return fa_fail(FA_ERROR_SHAPE, "%s is of %" PRId64 " sequences of %" PRId64 " keys: it is %s", name[k],
                           z->n, z->s, fa__shape_write(fa_tensor_shape(in[k])).text);
    return true;
}

/* (..., heads, l, width of a head) of a projection (l, n, width), and back. */
static fa_tensor *heads_of(const attention *a, const fa_tensor *x)
{
    fa_tensor *y = fa_unflatten(x, -1, FA_SHAPE(a->heads, a->width[QUERY] / a->heads));
    if (fa_dim(x) == 2)
        return fa_transpose(y, 0, 1);
    return a->batch_first ? fa_transpose(y, 1, 2) : fa_permute(y, FA_SHAPE(1, 2, 0, 3));
}

static fa_tensor *joined(const attention *a, const fa_tensor *y)
{
    const fa_tensor *x = fa_dim(y) == 3   ? fa_transpose(y, 0, 1)
                         : a->batch_first ? fa_transpose(y, 1, 2)
                                          : fa_permute(y, FA_SHAPE(2, 0, 1, 3));
    return fa_flatten(x, .start_dim = -2);
}

/* ---- masks ---- */

static bool mask_check(const char *name, const fa_tensor *m, fa_shape one, fa_shape other)
{
    const fa_shape shape = fa_tensor_shape(m);
    const fa_dtype dtype = fa_tensor_dtype(m);
    const size_t bytes = sizeof *shape.dim;
    if (dtype != FA_BOOL && !fa__is_floating(m))
        return fa_fail(FA_ERROR_DTYPE, "%s is bool or floating, not %s", name, fa_dtype_name(dtype));
    if ((shape.rank == one.rank && !memcmp(shape.dim, one.dim, (size_t)one.rank * bytes))
        || (shape.rank == other.rank && !memcmp(shape.dim, other.dim, (size_t)other.rank * bytes)))
        return true;
    if (one.rank == other.rank)
        return fa_fail(FA_ERROR_SHAPE, "%s is %s, not %s", name, fa__shape_write(one).text,
                       fa__shape_write(shape).text);
    return fa_fail(FA_ERROR_SHAPE, "%s is %s or %s, where %" PRId64 " is the batch times the heads, not %s", name,
                   fa__shape_write(one).text, fa__shape_write(other).text, other.dim[0], fa__shape_write(shape).text);
}

static fa_tensor *as_numbers(const fa_tensor *mask, fa_dtype dtype)
{
    return fa_tensor_dtype(mask) == FA_BOOL ? fa_to(fa_where(mask, -(double)INFINITY, 0.0), dtype) : fa_to(mask, dtype);
}

/* What two masks hide together; either may be NULL. */
static fa_tensor *both(fa_tensor *a, fa_tensor *b, fa_dtype dtype)
{
    if (!a || !b)
        return a ? a : b;
    if (fa_tensor_dtype(a) == FA_BOOL && fa_tensor_dtype(b) == FA_BOOL)
        return fa_logical_or(a, b);
    return fa_add(as_numbers(a, dtype), as_numbers(b, dtype));
}

static bool masks_check(const attention *a, const fa_forward_attention_options *o, const sizes *z)
{
    const fa_shape flat = FA_SHAPE(z->l, z->s), deep = FA_SHAPE(z->n * a->heads, z->l, z->s);
    const fa_shape padding = z->batch ? FA_SHAPE(z->n, z->s) : FA_SHAPE(z->s);
    return (!o->attn_mask || mask_check("attn_mask", o->attn_mask, flat, deep))
           && (!o->key_padding_mask || mask_check("key_padding_mask", o->key_padding_mask, padding, padding));
}

/* How many keys there are behind those of the input. */
static int64_t keys_added(const attention *a)
{
    return (a->more[KEY] != NULL) + a->add_zero;
}

/* A mask that is true where something is seen, or numbers, for `count` more keys, which are seen. */
static fa_tensor *widened(fa_tensor *mask, int64_t count)
{
    fa_shape shape = fa_tensor_shape(mask);
    if (!count || !shape.rank)
        return mask;
    shape.dim[shape.rank - 1] = count;
    const double seen = fa_tensor_dtype(mask) == FA_BOOL;
    return fa_cat(
        FA_TENSORS(mask, fa_full(shape, seen, .dtype = fa_tensor_dtype(mask), .device = fa_tensor_device(mask))),
        .dim = -1);
}

/* All masks as fa_scaled_dot_product_attention() takes one beside these queries; NULL if nothing is hidden. */
static fa_tensor *mask_of(const attention *a, const fa_forward_attention_options *o, const sizes *z, bool causal,
                          const fa_tensor *q)
{
    const fa_dtype dtype = fa_tensor_dtype(q);
    fa_tensor *mask = NULL;
    if (o->attn_mask && fa_dim(o->attn_mask) == 2)
        mask = (fa_tensor *)(uintptr_t)o->attn_mask;
    else if (o->attn_mask)
        mask =
            fa_reshape(o->attn_mask, z->batch ? FA_SHAPE(z->n, a->heads, z->l, z->s) : FA_SHAPE(a->heads, z->l, z->s));
    if (o->key_padding_mask)
        mask = both(mask, fa_reshape(o->key_padding_mask, z->batch ? FA_SHAPE(z->n, 1, 1, z->s) : FA_SHAPE(1, z->s)),
                    dtype);
    if (causal) {
        fa_tensor *ones = fa_ones(FA_SHAPE(z->l, z->s), .dtype = FA_BOOL, .device = fa_tensor_device(q));
        mask = both(mask, fa_triu(ones, .diagonal = 1), dtype);
    }
    if (!mask)
        return NULL;
    return widened(fa_tensor_dtype(mask) == FA_BOOL ? fa_logical_not(mask) : fa_to(mask, dtype), keys_added(a));
}

/* ---- forward ---- */

/* The part of a weight or bias that belongs to one input. */
static fa_tensor *part(const attention *a, const fa_tensor *t, int input)
{
    return t ? fa_narrow(t, 0, input * a->width[QUERY], a->width[QUERY]) : NULL;
}

/* Keys or values (..., heads, s, width of a head) with those that the layer adds. */
static fa_tensor *with_more(const attention *a, fa_tensor *x, const fa_tensor *bias)
{
    fa_tensor *all[3] = {x};
    size_t count = 1;
    const fa_dtype dtype = fa_tensor_dtype(x);
    fa_shape one = fa_tensor_shape(x);
    one.dim[one.rank - 2] = 1;
    if (bias)
        all[count++] = fa_to(fa_expand(fa_reshape(bias, FA_SHAPE(a->heads, 1, one.dim[one.rank - 1])), one), dtype);
    if (a->add_zero)
        all[count++] = fa_zeros(one, .dtype = dtype, .device = fa_tensor_device(x));
    return count > 1 ? fa_cat(((fa_tensors){count, all}), .dim = -2) : x;
}

static bool project(const attention *a, fa_tensor *const *in, fa_tensor **out)
{
    if (!a->weight[KEY] && in[QUERY] == in[KEY] && in[KEY] == in[VALUE]) {
        fa_tensors y = fa_chunk(fa_linear(in[QUERY], a->weight[0], .bias = a->bias), 3, .dim = -1);
        for (size_t k = 0; k < INPUTS; k++)
            out[k] = y.count == INPUTS ? heads_of(a, y.item[k]) : NULL;
    } else {
        for (int k = 0; k < INPUTS; k++) {
            fa_tensor *weight = a->weight[KEY] ? a->weight[k] : part(a, a->weight[0], k);
            out[k] = heads_of(a, fa_linear(in[k], weight, .bias = part(a, a->bias, k)));
        }
    }
    for (int k = KEY; k < INPUTS && out[QUERY] && out[k]; k++)
        out[k] = with_more(a, out[k], a->more[k]);
    return out[QUERY] && out[KEY] && out[VALUE];
}

/* Softmax of the scores, but 0 for a query that sees no key. */
static fa_tensor *weights_of(const fa_tensor *q, const fa_tensor *k, const fa_tensor *mask)
{
    fa_tensor *scores = fa_matmul(fa_mul(q, 1 / sqrt((double)fa_size(q, -1))), fa_transpose(k, -2, -1));
    if (!mask || !scores || !fa_numel(scores))
        return fa_softmax(scores, -1);
    scores = fa_tensor_dtype(mask) == FA_BOOL ? fa_where(mask, scores, -(double)INFINITY) : fa_add(scores, mask);
    fa_tensor *none = fa_eq(fa_amax(fa_detach(scores), .dim = -1, .keepdim = true), -(double)INFINITY);
    return fa_where(none, 0.0, fa_softmax(fa_where(none, 0.0, scores), -1));
}

/* Keeps the weights for the caller of fa_forward_attention(). */
static bool keep_weights(fa_tensor *weights, bool average)
{
    if (average)
        weights = fa_mean(weights, .dim = -3);
    fa__unhold(asked.weights);
    return (asked.weights = fa__hold(weights));
}

static fa_tensor *attend(const attention *a, const fa_forward_attention_options *o, fa_tensor *const *p, const sizes *z,
                         double dropout)
{
    const bool alone = o->causal && !o->attn_mask && !o->key_padding_mask && !o->need_weights && !keys_added(a);
    fa_tensor *mask = mask_of(a, o, z, o->causal && !alone, p[QUERY]);
    if (fa_error_stands())
        return NULL;
    if (!o->need_weights)
        return fa_scaled_dot_product_attention(p[QUERY], p[KEY], p[VALUE], .mask = mask, .causal = alone,
                                               .dropout = dropout);
    fa_tensor *weights = weights_of(p[QUERY], p[KEY], mask);
    if (dropout > 0)
        weights = fa_dropout(weights, .p = dropout);
    return keep_weights(weights, o->average_attn_weights) ? fa_matmul(weights, p[VALUE]) : NULL;
}

static fa_tensor *attention_forward(fa_module *self, fa_tensors inputs)
{
    static const fa_forward_attention_options plain = {.need_weights = false};
    const attention *a = fa_module_data(self);
    const fa_forward_attention_options *o = asked.module == self ? asked.o : &plain;
    fa_tensor *const *in = inputs.item, *same[INPUTS], *p[INPUTS];
    sizes z = {0};
    if (inputs.count == 1) {
        same[QUERY] = same[KEY] = same[VALUE] = inputs.item[0];
        in = same;
    } else if (inputs.count != INPUTS) {
        fa_fail(FA_ERROR_ARGUMENT, "it takes query, key and value, or x, which is all three");
        return NULL;
    }
    if (!sizes_read(a, in, &z) || !masks_check(a, o, &z) || !project(a, in, p))
        return NULL;
    fa_tensor *y = attend(a, o, p, &z, a->dropout > 0 && fa__layer_trains(self) ? a->dropout : 0);
    return y ? fa_forward(a->out, joined(a, y)) : NULL;
}

fa_attention(fa_forward_attention)(fa_module *module, fa_tensor *query, fa_tensor *key, fa_tensor *value,
                                   const fa_forward_attention_options *options)
{
    fa_attention y = {NULL, NULL};
    fa_forward_attention_options o = FA__DEFAULT_fa_forward_attention;
    fa__options_read(&o, o.size, options);
    if (!fa__module_check(module, "fa_forward_attention"))
        return y;
    if (module->forward.many != attention_forward) {
        fa_fail(FA_ERROR_ARGUMENT, "fa_forward_attention: the module %s is no attention", fa_module_kind(module));
        return y;
    }
    fa_tensor *in[INPUTS] = {query, key, value};
    const struct asked outer = asked;
    asked = (struct asked){module, &o, NULL};
    y.output = fa__forward(module, (fa_tensors){INPUTS, in});
    if (y.output && asked.weights)
        y.weights = fa__own_held(asked.weights);
    else
        fa__unhold(asked.weights);
    asked = outer;
    return y;
}

bool fa__is_attention(const fa_module *module)
{
    return module->forward.many == attention_forward;
}

/* ---- constructor ---- */

static bool check_options(const attention *a)
{
    const int64_t width = a->width[QUERY];
    if (width < 1 || a->heads < 1 || width % a->heads)
        return fa_fail(FA_ERROR_SHAPE,
                       "%s: embed_dim is a multiple of num_heads, which are 1 or more: %" PRId64 ", %" PRId64, who,
                       width, a->heads);
    if (width > INT64_MAX / INPUTS)
        return fa_fail(FA_ERROR_SHAPE, "%s: 3 times an embed_dim of %" PRId64 " is more than 64 bits hold", who, width);
    if (a->width[KEY] < 1 || a->width[VALUE] < 1)
        return fa_fail(FA_ERROR_SHAPE, "%s: kdim and vdim are 0 or more: %" PRId64 ", %" PRId64, who, a->width[KEY],
                       a->width[VALUE]);
    return (a->dropout >= 0 && a->dropout <= 1)
           || fa_fail(FA_ERROR_ARGUMENT, "%s: dropout is a probability, 0 to 1, not %g", who, a->dropout);
}

static fa_tensor *add_weight(fa_module *m, const char *name, fa_shape shape, const fa_nn_multihead_attention_options *o)
{
    fa_tensor *t = fa_empty(shape, .dtype = o->dtype, .device = o->device);
    return fa_module_parameter(m, name, fa_init_xavier_uniform_(t));
}

static bool add_keys(fa_module *m, attention *a, const fa_nn_multihead_attention_options *o)
{
    static const char *const name[] = {NULL, "bias_k", "bias_v"};
    for (int k = KEY; o->add_bias_kv && k < INPUTS; k++) {
        fa_tensor *t = fa_empty(FA_SHAPE(1, 1, a->width[QUERY]), .dtype = o->dtype, .device = o->device);
        if (!(a->more[k] = fa_module_parameter(m, name[k], fa_init_xavier_normal_(t))))
            return false;
    }
    return true;
}

static bool add_parameters(fa_module *m, attention *a, const fa_nn_multihead_attention_options *o)
{
    static const char *const name[] = {"q_proj_weight", "k_proj_weight", "v_proj_weight"};
    const int64_t width = a->width[QUERY];
    const bool apart = a->width[KEY] != width || a->width[VALUE] != width;
    if (!apart && !(a->weight[0] = add_weight(m, "in_proj_weight", FA_SHAPE(INPUTS * width, width), o)))
        return false;
    for (int k = 0; apart && k < INPUTS; k++)
        if (!(a->weight[k] = add_weight(m, name[k], FA_SHAPE(width, a->width[k]), o)))
            return false;
    if (o->bias
        && !(a->bias = fa_module_parameter(m, "in_proj_bias",
                                           fa__constant(FA_SHAPE(INPUTS * width), 0, o->dtype, o->device))))
        return false;
    if (!add_keys(m, a, o))
        return false;
    a->out = fa_module_add(m, "out_proj",
                           fa_nn_linear(width, width, .bias = o->bias, .dtype = o->dtype, .device = o->device));
    return a->out && (!o->bias || fa_init_constant_(fa_module_tensor(a->out, "bias"), 0));
}

fa_module *(fa_nn_multihead_attention)(int64_t embed_dim, int64_t num_heads,
                                       const fa_nn_multihead_attention_options *options)
{
    fa_nn_multihead_attention_options o = FA__DEFAULT_fa_nn_multihead_attention;
    fa__options_read(&o, o.size, options);
    const attention made = {.width = {embed_dim, o.kdim ? o.kdim : embed_dim, o.vdim ? o.vdim : embed_dim},
                            .heads = num_heads,
                            .dropout = o.dropout,
                            .batch_first = o.batch_first,
                            .add_zero = o.add_zero_attn};
    if (!check_options(&made))
        return NULL;
    FA_SCOPE;
    fa_module *m = fa_nn_custom("multihead_attention", sizeof made, attention_forward, .data = &made);
    return m && add_parameters(m, fa_module_data(m), &o) ? fa_escape(m) : NULL;
}

/* ---- work ---- */

bool fa__attention_work(const fa_module *module, fa_tensors inputs, int64_t *projected, int64_t *times)
{
    const attention *a = fa_module_data(module);
    sizes z = {0};
    fa_tensor *const same[] = {inputs.item[0], inputs.item[0], inputs.item[0]};
    fa_tensor *const *x = inputs.count == INPUTS ? inputs.item : same;
    if (!sizes_read(a, x, &z))
        return false;
    *projected = fa_numel(x[QUERY]) + fa_numel(x[KEY]) + fa_numel(x[VALUE]);
    *times = 2 * (z.s + keys_added(a));
    return true;
}
