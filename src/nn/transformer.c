/* Layers of transformers, and stacks of them: arXiv:1706.03762, and arXiv:2002.04745 for .norm_first. */
#include "nn/layer.h"
#include "nn/module.h"
#include <facula/init.h>
#include <facula/ops/math.h>
#include <inttypes.h>
#include <string.h>

enum { SELF, CROSS, FEED, PARTS };

/* A layer is up to three parts, each beside a connection that adds its input to its result. */
typedef struct parts {
    fa_module *attention[2]; /* SELF; CROSS of a decoder, or NULL */
    fa_module *linear1, *dropout, *linear2;
    fa_module *norm[PARTS], *drop[PARTS]; /* those of an encoder have no CROSS */
    bool norm_first, gelu;
} parts;

typedef struct stack {
    fa_module *layers, *norm; /* norm may be NULL */
} stack;

/* That of fa_nn_transformer(). */
typedef struct whole {
    fa_module *encoder, *decoder;
} whole;

/* What fa_forward_transformer() of this thread asks for. */
static _Thread_local struct asked {
    const fa_module *module;
    const fa_forward_transformer_options *o;
} asked;

static const fa_forward_transformer_options *options_of(const fa_module *self)
{
    static const fa_forward_transformer_options plain = {.causal = false};
    return asked.module == self ? asked.o : &plain;
}

/* ---- forward ---- */

static fa_tensor *feed_forward(const parts *l, fa_tensor *x)
{
    fa_tensor *h = l->gelu ? NULL : fa__linear_forward_then(l->linear1, x, FA__RELU);
    if (!h) {
        h = fa_forward(l->linear1, x);
        h = l->gelu ? fa_gelu(h) : fa_relu(h);
    }
    return fa_forward(l->linear2, fa_forward(l->dropout, h));
}

static fa_tensor *part(const parts *l, int which, fa_tensor *x, fa_tensor *memory,
                       const fa_forward_transformer_options *o)
{
    if (which == FEED)
        return feed_forward(l, x);
    if (which == SELF)
        return fa_forward_attention(l->attention[SELF], x, x, x, .attn_mask = o->mask,
                                    .key_padding_mask = o->key_padding_mask, .causal = o->causal, .need_weights = false)
            .output;
    return fa_forward_attention(l->attention[CROSS], x, memory, memory, .attn_mask = o->memory_mask,
                                .key_padding_mask = o->memory_key_padding_mask, .causal = o->memory_causal,
                                .need_weights = false)
        .output;
}

static fa_tensor *layer_forward(fa_module *self, fa_tensors in)
{
    const parts *l = fa_module_data(self);
    const fa_forward_transformer_options *o = options_of(self);
    const bool decoder = l->attention[CROSS];
    if (in.count != (decoder ? 2 : 1)) {
        fa_fail(FA_ERROR_ARGUMENT, decoder ? "it takes x and memory" : "it takes x");
        return NULL;
    }
    FA_VAR(x, in.item[0]);
    for (int k = 0; k < PARTS; k++) {
        if (!l->norm[k])
            continue;
        fa_tensor *h = part(l, k, l->norm_first ? fa_forward(l->norm[k], x) : x, in.item[decoder], o);
        h = fa_add(x, fa_forward(l->drop[k], h));
        fa_assign(&x, l->norm_first ? h : fa_forward(l->norm[k], h));
    }
    return fa_escape(x);
}

static fa_tensor *stack_forward(fa_module *self, fa_tensors in)
{
    const stack *s = fa_module_data(self);
    fa_forward_transformer_options o = *options_of(self);
    const int64_t count = (int64_t)fa_module_count(s->layers);
    if (!in.count || in.count > 2) {
        fa_fail(FA_ERROR_ARGUMENT, "it takes x, or x and memory");
        return NULL;
    }
    FA_VAR(x, in.item[0]);
    o.size = offsetof(fa_forward_transformer_options, fa__end);
    o.memory = in.count > 1 ? in.item[1] : NULL;
    for (int64_t i = 0; i < count; i++)
        fa_assign(&x, (fa_forward_transformer)(fa_module_at(s->layers, i), x, &o));
    return fa_escape(s->norm ? fa_forward(s->norm, x) : x);
}

static fa_tensor *whole_forward(fa_module *self, fa_tensors in)
{
    const whole *w = fa_module_data(self);
    const fa_forward_transformer_options *given = options_of(self);
    fa_forward_transformer_options o = *given, src = FA__DEFAULT_fa_forward_transformer;
    if (in.count != 2 || given->memory) {
        fa_fail(FA_ERROR_ARGUMENT, "it takes src and tgt, and no memory (fa_forward_transformer: tgt and .src)");
        return NULL;
    }
    src.mask = given->src_mask;
    src.key_padding_mask = given->src_key_padding_mask;
    src.causal = given->src_causal;
    o.size = offsetof(fa_forward_transformer_options, fa__end);
    o.src = o.src_mask = o.src_key_padding_mask = NULL;
    o.src_causal = false;
    o.memory = (fa_forward_transformer)(w->encoder, in.item[0], &src);
    return o.memory ? (fa_forward_transformer)(w->decoder, in.item[1], &o) : NULL;
}

static bool is_transformer(const fa_module *m)
{
    return m->forward.many == layer_forward || m->forward.many == stack_forward || m->forward.many == whole_forward;
}

fa_tensor *(fa_forward_transformer)(fa_module *module, fa_tensor *x, const fa_forward_transformer_options *options)
{
    fa_forward_transformer_options o = FA__DEFAULT_fa_forward_transformer;
    fa__options_read(&o, o.size, options);
    if (!fa__module_check(module, "fa_forward_transformer"))
        return NULL;
    if (!is_transformer(module)) {
        fa_fail(FA_ERROR_ARGUMENT, "fa_forward_transformer: the module %s is no layer or stack of a transformer",
                fa_module_kind(module));
        return NULL;
    }
    if (module->forward.many != whole_forward && (o.src || o.src_mask || o.src_key_padding_mask || o.src_causal)) {
        fa_fail(FA_ERROR_ARGUMENT,
                "fa_forward_transformer: .src and its masks are for fa_nn_transformer(), not for a %s",
                fa_module_kind(module));
        return NULL;
    }
    fa_tensor *in[] = {x, (fa_tensor *)(uintptr_t)o.memory}, *both[] = {(fa_tensor *)(uintptr_t)o.src, x};
    const struct asked outer = asked;
    asked = (struct asked){module, &o};
    fa_tensor *y = fa__forward(module, o.src ? (fa_tensors){2, both} : (fa_tensors){o.memory ? 2 : 1, in});
    asked = outer;
    return y;
}

/* ---- layers ---- */

/* Whether activation is "gelu"; an error if it is neither that nor "relu". */
static bool gelu_read(const char *kind, const char *activation, bool *gelu)
{
    *gelu = activation && !strcmp(activation, "gelu");
    return *gelu || (activation && !strcmp(activation, "relu"))
           || fa_fail(FA_ERROR_ARGUMENT, "fa_nn_%s: activation is \"relu\" or \"gelu\", not \"%s\"", kind,
                      activation ? activation : "NULL");
}

typedef fa_nn_transformer_encoder_layer_options layer_options;

static fa_module *attention_new(int64_t width, int64_t heads, const layer_options *o)
{
    return fa_nn_multihead_attention(width, heads, .dropout = o->dropout, .bias = o->bias,
                                     .batch_first = o->batch_first, .dtype = o->dtype, .device = o->device);
}

static fa_module *dropout_of(const layer_options *o)
{
    fa_nn_dropout_options dropout = FA__DEFAULT_fa_nn_dropout;
    dropout.p = o->dropout;
    return (fa_nn_dropout)(&dropout);
}

/* Adds norm1, norm2 and so on, or dropout1. */
static bool add_numbered(fa_module *m, parts *l, bool norms, int64_t width, const layer_options *o)
{
    for (int k = 0, number = 1; k < PARTS; k++) {
        char name[24];
        if (k == CROSS && !l->attention[CROSS])
            continue;
        snprintf(name, sizeof name, "%s%d", norms ? "norm" : "dropout", number++);
        fa_module *made = norms ? fa_nn_layer_norm(FA_SHAPE(width), .eps = o->layer_norm_eps, .bias = o->bias,
                                                   .dtype = o->dtype, .device = o->device)
                                : dropout_of(o);
        if (!((norms ? l->norm : l->drop)[k] = fa_module_add(m, name, made)))
            return false;
    }
    return true;
}

static bool add_parts(fa_module *m, parts *l, int64_t width, int64_t heads, bool decoder, const layer_options *o)
{
    const int64_t wide = o->dim_feedforward;
    return (l->attention[SELF] = fa_module_add(m, "self_attn", attention_new(width, heads, o)))
           && (!decoder || (l->attention[CROSS] = fa_module_add(m, "multihead_attn", attention_new(width, heads, o))))
           && (l->linear1 = fa_module_add(
                   m, "linear1", fa_nn_linear(width, wide, .bias = o->bias, .dtype = o->dtype, .device = o->device)))
           && (l->dropout = fa_module_add(m, "dropout", dropout_of(o)))
           && (l->linear2 = fa_module_add(
                   m, "linear2", fa_nn_linear(wide, width, .bias = o->bias, .dtype = o->dtype, .device = o->device)))
           && add_numbered(m, l, true, width, o) && add_numbered(m, l, false, width, o);
}

static fa_module *layer_new(const char *kind, int64_t width, int64_t heads, bool decoder, const layer_options *given)
{
    layer_options o = FA__DEFAULT_fa_nn_transformer_encoder_layer;
    parts made = {.norm_first = false};
    fa__options_read(&o, o.size, given);
    if (!gelu_read(kind, o.activation, &made.gelu))
        return NULL;
    made.norm_first = o.norm_first;
    FA_SCOPE;
    fa_module *m = (fa_nn_custom)(kind, sizeof made, fa__forward_many(layer_forward),
                                  &(fa_nn_custom_options){.size = sizeof(fa_nn_custom_options), .data = &made});
    return m && add_parts(m, fa_module_data(m), width, heads, decoder, &o) ? fa_escape(m) : NULL;
}

fa_module *(fa_nn_transformer_encoder_layer)(int64_t d_model, int64_t nhead,
                                             const fa_nn_transformer_encoder_layer_options *o)
{
    return layer_new("transformer_encoder_layer", d_model, nhead, false, o);
}

fa_module *(fa_nn_transformer_decoder_layer)(int64_t d_model, int64_t nhead,
                                             const fa_nn_transformer_decoder_layer_options *o)
{
    return layer_new("transformer_decoder_layer", d_model, nhead, true, o);
}

/* ---- stacks ---- */

static bool add_copies(fa_module *layers, const fa_module *one, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        if (!fa_module_append(layers, fa_module_clone(one)))
            return false;
    return true;
}

static fa_module *stack_new(const char *kind, const fa_module *one, int64_t count, bool decoder, fa_module *norm)
{
    if (!fa__module_check(one, kind))
        return NULL;
    if (one->forward.many != layer_forward || !((const parts *)one->data)->attention[CROSS] == decoder) {
        fa_fail(FA_ERROR_ARGUMENT, "fa_nn_%s: the layer is a %s_layer, and no %s", kind, kind, fa_module_kind(one));
        return NULL;
    }
    if (count < 0) {
        fa_fail(FA_ERROR_ARGUMENT, "fa_nn_%s: num_layers is 0 or more, not %" PRId64, kind, count);
        return NULL;
    }
    FA_SCOPE;
    fa_module *m = fa_nn_custom(kind, sizeof(stack), stack_forward);
    stack *s = m ? fa_module_data(m) : NULL;
    if (!s || !(s->layers = fa_module_add(m, "layers", fa_nn_list())) || !add_copies(s->layers, one, count))
        return NULL;
    return !norm || (s->norm = fa_module_add(m, "norm", norm)) ? fa_escape(m) : NULL;
}

fa_module *(fa_nn_transformer_encoder)(fa_module *layer, int64_t num_layers,
                                       const fa_nn_transformer_encoder_options *options)
{
    fa_nn_transformer_encoder_options o = FA__DEFAULT_fa_nn_transformer_encoder;
    fa__options_read(&o, o.size, options);
    return stack_new("transformer_encoder", layer, num_layers, false, o.norm);
}

fa_module *(fa_nn_transformer_decoder)(fa_module *layer, int64_t num_layers,
                                       const fa_nn_transformer_decoder_options *options)
{
    fa_nn_transformer_decoder_options o = FA__DEFAULT_fa_nn_transformer_decoder;
    fa__options_read(&o, o.size, options);
    return stack_new("transformer_decoder", layer, num_layers, true, o.norm);
}

/* ---- encoder and decoder ---- */

static bool init_matrices(const fa_module *m)
{
    const fa_parameters p = fa_module_parameters(m);
    for (size_t i = 0; i < p.count; i++)
        if (fa_dim(p.item[i]) > 1 && !fa_init_xavier_uniform_(p.item[i]))
            return false;
    return !fa_error_stands();
}

/* A new stack with a normalization behind its last layer, or the one that is given, as it is. */
static fa_module *half_of(int64_t width, int64_t heads, bool decoder, const fa_nn_transformer_options *o)
{
    const char *kind = decoder ? "transformer_decoder" : "transformer_encoder";
    fa_module *given = decoder ? o->custom_decoder : o->custom_encoder;
    if (given && (given->forward.many != stack_forward || strcmp(fa_module_kind(given), kind) != 0)) {
        fa_fail(FA_ERROR_ARGUMENT, "fa_nn_transformer: .custom_%s is a %s, and no %s", kind + strlen("transformer_"),
                kind, fa_module_kind(given));
        return NULL;
    }
    if (given)
        return given;
    layer_options l = FA__DEFAULT_fa_nn_transformer_encoder_layer;
    l.dim_feedforward = o->dim_feedforward;
    l.dropout = o->dropout;
    l.activation = o->activation;
    l.layer_norm_eps = o->layer_norm_eps;
    l.batch_first = o->batch_first;
    l.norm_first = o->norm_first;
    l.bias = o->bias;
    l.dtype = o->dtype;
    l.device = o->device;
    fa_module *layer =
        layer_new(decoder ? "transformer_decoder_layer" : "transformer_encoder_layer", width, heads, decoder, &l);
    if (!layer)
        return NULL;
    fa_module *norm = fa_nn_layer_norm(FA_SHAPE(width), .eps = o->layer_norm_eps, .bias = o->bias, .dtype = o->dtype,
                                       .device = o->device);
    fa_module *made =
        norm ? stack_new(kind, layer, decoder ? o->num_decoder_layers : o->num_encoder_layers, decoder, norm) : NULL;
    return made && init_matrices(made) ? made : NULL;
}

/* What its parts would refuse, in its own words */
static bool check_whole(int64_t width, int64_t heads, const fa_nn_transformer_options *o)
{
    bool gelu;
    if (heads <= 0 || width <= 0 || width % heads != 0)
        return fa_fail(FA_ERROR_ARGUMENT,
                       "fa_nn_transformer: d_model is a multiple of nhead, both above 0: not %" PRId64 " and %" PRId64,
                       width, heads);
    if (o->num_encoder_layers < 0 || o->num_decoder_layers < 0)
        return fa_fail(FA_ERROR_ARGUMENT, "fa_nn_transformer: .num_%s_layers is 0 or more, not %" PRId64,
                       o->num_encoder_layers < 0 ? "encoder" : "decoder",
                       o->num_encoder_layers < 0 ? o->num_encoder_layers : o->num_decoder_layers);
    return gelu_read("transformer", o->activation, &gelu);
}

fa_module *(fa_nn_transformer)(int64_t d_model, int64_t nhead, const fa_nn_transformer_options *options)
{
    fa_nn_transformer_options o = FA__DEFAULT_fa_nn_transformer;
    fa__options_read(&o, o.size, options);
    if (fa_error_stands() || !check_whole(d_model, nhead, &o))
        return NULL;
    FA_SCOPE;
    fa_module *m = fa_nn_custom("transformer", sizeof(whole), whole_forward);
    whole *w = m ? fa_module_data(m) : NULL;
    return w && (w->encoder = fa_module_add(m, "encoder", half_of(d_model, nhead, false, &o)))
                   && (w->decoder = fa_module_add(m, "decoder", half_of(d_model, nhead, true, &o)))
               ? fa_escape(m)
               : NULL;
}
