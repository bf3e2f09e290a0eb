/* Layers forward and backward, two batches and inference of those that keep statistics, how parameters begin, and a
 * network that PyTorch saved, held against PyTorch's answers (tests/reference/nn.txt): on the CPU and on a device. */
#include "support/reference.h"
#include "support/check.h"
#include "support/devices.h"
#include "support/tensors.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static char *reference;

/* Holds a tensor against the line "head: numbers". */
static void hold(const char *head, const fa_tensor *t, double tolerance)
{
    char line[160], *end;
    snprintf(line, sizeof line, "\n%s: ", head);
    char *s = strstr(reference, line);
    double *have = tensor_values(t);
    if (!check(s && have, "%s: there is a reference and a tensor", head)) {
        free(have);
        return;
    }
    s += strlen(line);
    bool good = true;
    for (int64_t i = 0; i < fa_numel(t) && good; i++, s = end) {
        double want = strtod(s, &end);
        good = check(end != s && fabs(have[i] - want) <= tolerance * (1 + fabs(want)),
                     "%s: number %d is %.12g, not %.12g", head, (int)i, have[i], want);
    }
    check(!good || *s == '\n', "%s: there are not more numbers", head);
    free(have);
}

/* ---- the inputs and parameters of nn.py ---- */

static fa_tensor *values(fa_shape shape, int place, double scale, fa_dtype dtype, fa_device device)
{
    int64_t n = 1;
    for (int i = 0; i < shape.rank; i++)
        n *= shape.dim[i];
    double *v = malloc((size_t)n * sizeof *v);
    for (int64_t i = 0; v && i < n; i++)
        v[i] = ((double)((i * 7 + place * 5) % 23) - 11.5) / 8 * scale;
    fa_tensor *t = fa_to(fa_to(fa_tensor_from(v, shape, .dtype = FA_F64, .device = FA_CPU), dtype), device);
    free(v);
    return t;
}

static fa_tensor *tokens(fa_shape shape, int place, int64_t below, fa_device device)
{
    int64_t v[64];
    for (int i = 0; i < 64; i++)
        v[i] = (i * 3 + place) % below;
    return fa_to(fa_tensor_from(v, shape, .dtype = FA_I64, .device = FA_CPU), device);
}

/* ---- layers ---- */

#define PLANES FA_SHAPE(2, 4, 5, 4)
#define LINES FA_SHAPE(2, 4, 6)
#define FLAT FA_SHAPE(3, 8)
#define TOKENS FA_SHAPE(2, 4)
#define STEPS FA_SHAPE(5, 2, 4)
#define ENCODER_LAYER fa_nn_transformer_encoder_layer(4, 2, .dim_feedforward = 6, .dropout = 0)
#define DECODER_LAYER fa_nn_transformer_decoder_layer(4, 2, .dim_feedforward = 6, .dropout = 0)
#define ALL_OPTIONS                                                                                                    \
    .dim_feedforward = 6, .dropout = 0, .activation = "gelu", .layer_norm_eps = 0.1, .batch_first = true,              \
    .norm_first = true, .bias = false
/* Shapes of TOKENS are given integers; `steps` as bits: 0 and 1 train, 2 is inference. */
#define LAYERS(ROW)                                                                                                    \
    ROW(linear, fa_nn_linear(8, 3), FLAT, 1)                                                                           \
    ROW(linear_no_bias, fa_nn_linear(4, 2, .bias = false), FA_SHAPE(2, 3, 4), 1)                                       \
    ROW(conv2d, fa_nn_conv2d(4, 3, 3), PLANES, 1)                                                                      \
    ROW(conv2d_all,                                                                                                    \
        fa_nn_conv2d(4, 6, FA_PAIR(3, 2), .stride = FA_PAIR(2, 1), .padding = FA_PAIR(1, 2),                           \
                     .dilation = FA_PAIR(1, 2), .groups = 2, .bias = false),                                           \
        PLANES, 1)                                                                                                     \
    ROW(conv2d_same, fa_nn_conv2d(4, 2, FA_PAIR(2, 3), .padding = FA_PADDING_SAME), PLANES, 1)                         \
    ROW(conv2d_reflect, fa_nn_conv2d(4, 2, 3, .padding = FA_PAIR(2, 1), .padding_mode = "reflect"), PLANES, 1)         \
    ROW(conv2d_replicate, fa_nn_conv2d(4, 2, FA_PAIR(2, 4), .padding = FA_PADDING_SAME, .padding_mode = "replicate"),  \
        PLANES, 1)                                                                                                     \
    ROW(conv2d_circular, fa_nn_conv2d(4, 2, 3, .padding = FA_PAIR(1, 2), .padding_mode = "circular"), PLANES, 1)       \
    ROW(conv2d_without_batch, fa_nn_conv2d(4, 3, 3), FA_SHAPE(4, 5, 4), 1)                                             \
    ROW(conv1d, fa_nn_conv1d(4, 3, 3, .stride = 2, .padding = 1), LINES, 1)                                            \
    ROW(conv1d_circular, fa_nn_conv1d(4, 2, 4, .padding = FA_PADDING_SAME, .padding_mode = "circular"), LINES, 1)      \
    ROW(conv_transpose2d,                                                                                              \
        fa_nn_conv_transpose2d(4, 6, FA_PAIR(3, 2), .stride = 2, .padding = FA_PAIR(1, 0), .output_padding = 1,        \
                               .groups = 2),                                                                           \
        PLANES, 1)                                                                                                     \
    ROW(conv_transpose1d, fa_nn_conv_transpose1d(4, 3, 3, .stride = 2, .padding = 1, .dilation = 2), LINES, 1)         \
    ROW(max_pool2d, fa_nn_max_pool2d(2), PLANES, 1)                                                                    \
    ROW(max_pool2d_all,                                                                                                \
        fa_nn_max_pool2d(FA_PAIR(3, 2), .stride = FA_PAIR(2, 1), .padding = FA_PAIR(1, 0), .dilation = FA_PAIR(1, 2),  \
                         .ceil_mode = true),                                                                           \
        PLANES, 1)                                                                                                     \
    ROW(max_pool1d, fa_nn_max_pool1d(3, .stride = 2, .padding = 1), LINES, 1)                                          \
    ROW(avg_pool2d, fa_nn_avg_pool2d(2), PLANES, 1)                                                                    \
    ROW(avg_pool2d_all,                                                                                                \
        fa_nn_avg_pool2d(FA_PAIR(3, 2), .stride = FA_PAIR(2, 1), .padding = 1, .ceil_mode = true,                      \
                         .count_include_pad = false),                                                                  \
        PLANES, 1)                                                                                                     \
    ROW(avg_pool2d_divisor, fa_nn_avg_pool2d(2, .divisor_override = 3), PLANES, 1)                                     \
    ROW(avg_pool1d, fa_nn_avg_pool1d(3, .stride = 2, .padding = 1, .count_include_pad = false), LINES, 1)              \
    ROW(adaptive_avg_pool2d, fa_nn_adaptive_avg_pool2d(FA_PAIR(2, 3)), PLANES, 1)                                      \
    ROW(adaptive_max_pool2d, fa_nn_adaptive_max_pool2d(2), PLANES, 1)                                                  \
    ROW(adaptive_avg_pool1d, fa_nn_adaptive_avg_pool1d(4), LINES, 1)                                                   \
    ROW(adaptive_max_pool1d, fa_nn_adaptive_max_pool1d(4), LINES, 1)                                                   \
    ROW(batch_norm2d, fa_nn_batch_norm2d(4), PLANES, 7)                                                                \
    ROW(batch_norm2d_all, fa_nn_batch_norm2d(4, .eps = 0.01, .momentum = 0.3, .affine = false), PLANES, 7)             \
    ROW(batch_norm2d_mean, fa_nn_batch_norm2d(4, .momentum = -1), PLANES, 7)                                           \
    ROW(batch_norm2d_not_tracked, fa_nn_batch_norm2d(4, .track_running_stats = false), PLANES, 7)                      \
    ROW(batch_norm1d, fa_nn_batch_norm1d(4), LINES, 7)                                                                 \
    ROW(batch_norm1d_flat, fa_nn_batch_norm1d(8), FLAT, 7)                                                             \
    ROW(layer_norm, fa_nn_layer_norm(FA_SHAPE(8)), FLAT, 1)                                                            \
    ROW(layer_norm_planes, fa_nn_layer_norm(FA_SHAPE(5, 4), .eps = 0.1, .bias = false), PLANES, 1)                     \
    ROW(layer_norm_plain, fa_nn_layer_norm(FA_SHAPE(8), .elementwise_affine = false), FLAT, 1)                         \
    ROW(rms_norm, fa_nn_rms_norm(FA_SHAPE(8)), FLAT, 1)                                                                \
    ROW(rms_norm_eps, fa_nn_rms_norm(FA_SHAPE(8), .eps = 0.1, .elementwise_affine = false), FLAT, 1)                   \
    ROW(group_norm, fa_nn_group_norm(2, 4), PLANES, 1)                                                                 \
    ROW(group_norm_plain, fa_nn_group_norm(4, 4, .eps = 0.1, .affine = false), LINES, 1)                               \
    ROW(embedding, fa_nn_embedding(5, 3), TOKENS, 1)                                                                   \
    ROW(embedding_padding, fa_nn_embedding(5, 3, .padding_idx = -2, .scale_grad_by_freq = true), TOKENS, 1)            \
    ROW(flatten, fa_nn_flatten(), PLANES, 1)                                                                           \
    ROW(flatten_some, fa_nn_flatten(.start_dim = 0, .end_dim = 1), LINES, 1)                                           \
    ROW(unflatten, fa_nn_unflatten(1, FA_SHAPE(2, 4)), FLAT, 1)                                                        \
    ROW(identity, fa_nn_identity(), FLAT, 1)                                                                           \
    ROW(relu, fa_nn_relu(), FLAT, 1)                                                                                   \
    ROW(relu6, fa_nn_relu6(), FLAT, 1)                                                                                 \
    ROW(sigmoid, fa_nn_sigmoid(), FLAT, 1)                                                                             \
    ROW(tanh, fa_nn_tanh(), FLAT, 1)                                                                                   \
    ROW(silu, fa_nn_silu(), FLAT, 1)                                                                                   \
    ROW(selu, fa_nn_selu(), FLAT, 1)                                                                                   \
    ROW(mish, fa_nn_mish(), FLAT, 1)                                                                                   \
    ROW(logsigmoid, fa_nn_logsigmoid(), FLAT, 1)                                                                       \
    ROW(softsign, fa_nn_softsign(), FLAT, 1)                                                                           \
    ROW(tanhshrink, fa_nn_tanhshrink(), FLAT, 1)                                                                       \
    ROW(hardsigmoid, fa_nn_hardsigmoid(), FLAT, 1)                                                                     \
    ROW(hardswish, fa_nn_hardswish(), FLAT, 1)                                                                         \
    ROW(gelu, fa_nn_gelu(), FLAT, 1)                                                                                   \
    ROW(gelu_tanh, fa_nn_gelu(.approximate = "tanh"), FLAT, 1)                                                         \
    ROW(leaky_relu, fa_nn_leaky_relu(), FLAT, 1)                                                                       \
    ROW(leaky_relu_slope, fa_nn_leaky_relu(.negative_slope = 0.3), FLAT, 1)                                            \
    ROW(elu, fa_nn_elu(), FLAT, 1)                                                                                     \
    ROW(elu_alpha, fa_nn_elu(.alpha = 0.5), FLAT, 1)                                                                   \
    ROW(celu, fa_nn_celu(), FLAT, 1)                                                                                   \
    ROW(celu_alpha, fa_nn_celu(.alpha = 0.5), FLAT, 1)                                                                 \
    ROW(hardtanh, fa_nn_hardtanh(), FLAT, 1)                                                                           \
    ROW(hardtanh_range, fa_nn_hardtanh(.low = -2, .high = 0.5), FLAT, 1)                                               \
    ROW(softplus, fa_nn_softplus(), FLAT, 1)                                                                           \
    ROW(softplus_beta, fa_nn_softplus(.beta = 2, .threshold = 3), FLAT, 1)                                             \
    ROW(softshrink, fa_nn_softshrink(), FLAT, 1)                                                                       \
    ROW(softshrink_lambd, fa_nn_softshrink(.lambd = 1.5), FLAT, 1)                                                     \
    ROW(hardshrink, fa_nn_hardshrink(), FLAT, 1)                                                                       \
    ROW(hardshrink_lambd, fa_nn_hardshrink(.lambd = 1.5), FLAT, 1)                                                     \
    ROW(rrelu, fa_nn_rrelu(.lower = 0.2, .upper = 0.6), FLAT, 4)                                                       \
    ROW(threshold, fa_nn_threshold(0.6, -3), FLAT, 1)                                                                  \
    ROW(glu, fa_nn_glu(), FLAT, 1)                                                                                     \
    ROW(glu_dim, fa_nn_glu(.dim = 1), LINES, 1)                                                                        \
    ROW(softmax, fa_nn_softmax(1), FLAT, 1)                                                                            \
    ROW(log_softmax, fa_nn_log_softmax(0), FLAT, 1)                                                                    \
    ROW(softmin, fa_nn_softmin(-1), FLAT, 1)                                                                           \
    ROW(prelu, fa_nn_prelu(), FLAT, 1)                                                                                 \
    ROW(prelu_channels, fa_nn_prelu(.num_parameters = 4, .init = 0.1), LINES, 1)                                       \
    ROW(lstm, fa_nn_lstm(4, 3), STEPS, 1)                                                                              \
    ROW(lstm_all, fa_nn_lstm(4, 3, .num_layers = 2, .bias = false, .batch_first = true, .bidirectional = true), STEPS, \
        1)                                                                                                             \
    ROW(lstm_dropout, fa_nn_lstm(4, 3, .num_layers = 3, .dropout = 0.5), STEPS, 4)                                     \
    ROW(lstm_projected, fa_nn_lstm(4, 3, .num_layers = 2, .bidirectional = true, .proj_size = 2), STEPS, 1)            \
    ROW(lstm_without_batch, fa_nn_lstm(4, 3, .num_layers = 2, .batch_first = true), FA_SHAPE(5, 4), 1)                 \
    ROW(lstm_one_step, fa_nn_lstm(4, 3, .bidirectional = true), FA_SHAPE(1, 3, 4), 1)                                  \
    ROW(gru, fa_nn_gru(4, 3), STEPS, 1)                                                                                \
    ROW(gru_all, fa_nn_gru(4, 3, .num_layers = 2, .bias = false, .batch_first = true, .bidirectional = true), STEPS,   \
        1)                                                                                                             \
    ROW(gru_dropout, fa_nn_gru(4, 3, .num_layers = 2, .dropout = 0.5), STEPS, 4)                                       \
    ROW(gru_without_batch, fa_nn_gru(4, 3), FA_SHAPE(5, 4), 1)                                                         \
    ROW(rnn, fa_nn_rnn(4, 3), STEPS, 1)                                                                                \
    ROW(rnn_all,                                                                                                       \
        fa_nn_rnn(4, 3, .num_layers = 2, .nonlinearity = "relu", .bias = false, .batch_first = true,                   \
                  .bidirectional = true),                                                                              \
        STEPS, 1)                                                                                                      \
    ROW(rnn_dropout, fa_nn_rnn(4, 3, .num_layers = 2, .dropout = 0.5), STEPS, 4)                                       \
    ROW(rnn_relu, fa_nn_rnn(4, 3, .nonlinearity = "relu"), STEPS, 1)                                                   \
    ROW(lstm_cell, fa_nn_lstm_cell(4, 3), FA_SHAPE(3, 4), 1)                                                           \
    ROW(lstm_cell_no_bias, fa_nn_lstm_cell(4, 3, .bias = false), FA_SHAPE(4), 1)                                       \
    ROW(gru_cell, fa_nn_gru_cell(4, 3), FA_SHAPE(3, 4), 1)                                                             \
    ROW(gru_cell_no_bias, fa_nn_gru_cell(4, 3, .bias = false), FA_SHAPE(4), 1)                                         \
    ROW(rnn_cell, fa_nn_rnn_cell(4, 3), FA_SHAPE(3, 4), 1)                                                             \
    ROW(rnn_cell_relu, fa_nn_rnn_cell(4, 3, .bias = false, .nonlinearity = "relu"), FA_SHAPE(4), 1)                    \
    ROW(attention, fa_nn_multihead_attention(4, 2), STEPS, 1)                                                          \
    ROW(attention_all, fa_nn_multihead_attention(4, 2, .bias = false, .kdim = 3, .vdim = 5, .batch_first = true),      \
        STEPS, 1)                                                                                                      \
    ROW(attention_masks, fa_nn_multihead_attention(4, 2), STEPS, 1)                                                    \
    ROW(attention_heads, fa_nn_multihead_attention(4, 2), STEPS, 1)                                                    \
    ROW(attention_causal, fa_nn_multihead_attention(4, 2), STEPS, 1)                                                   \
    ROW(attention_without_batch, fa_nn_multihead_attention(4, 2, .batch_first = true), FA_SHAPE(5, 4), 1)              \
    ROW(attention_bias_kv, fa_nn_multihead_attention(4, 2, .add_bias_kv = true), STEPS, 1)                             \
    ROW(attention_all_zero,                                                                                            \
        fa_nn_multihead_attention(4, 2, .bias = false, .add_zero_attn = true, .kdim = 3, .vdim = 5,                    \
                                  .batch_first = true),                                                                \
        STEPS, 1)                                                                                                      \
    ROW(attention_heads_more, fa_nn_multihead_attention(4, 2, .add_bias_kv = true, .add_zero_attn = true), STEPS, 1)   \
    ROW(attention_causal_more, fa_nn_multihead_attention(4, 2, .add_bias_kv = true, .add_zero_attn = true), STEPS, 1)  \
    ROW(attention_without_batch_more,                                                                                  \
        fa_nn_multihead_attention(4, 2, .add_bias_kv = true, .add_zero_attn = true, .batch_first = true),              \
        FA_SHAPE(5, 4), 1)                                                                                             \
    ROW(attention_dropout, fa_nn_multihead_attention(4, 2, .dropout = 0.5), STEPS, 4)                                  \
    ROW(transformer_encoder_layer, ENCODER_LAYER, STEPS, 1)                                                            \
    ROW(transformer_encoder_layer_all, fa_nn_transformer_encoder_layer(4, 2, ALL_OPTIONS), STEPS, 1)                   \
    ROW(transformer_encoder_layer_masks, ENCODER_LAYER, STEPS, 1)                                                      \
    ROW(transformer_encoder_layer_dropout, fa_nn_transformer_encoder_layer(4, 2, .dim_feedforward = 6), STEPS, 4)      \
    ROW(transformer_encoder, fa_nn_transformer_encoder(ENCODER_LAYER, 2, .norm = fa_nn_layer_norm(FA_SHAPE(4))),       \
        STEPS, 1)                                                                                                      \
    ROW(transformer_decoder_layer, DECODER_LAYER, STEPS, 1)                                                            \
    ROW(transformer_decoder_layer_all, fa_nn_transformer_decoder_layer(4, 2, ALL_OPTIONS), STEPS, 1)                   \
    ROW(transformer_decoder, fa_nn_transformer_decoder(DECODER_LAYER, 2), STEPS, 1)                                    \
    ROW(transformer,                                                                                                   \
        fa_nn_transformer(4, 2, .num_encoder_layers = 2, .num_decoder_layers = 1, .dim_feedforward = 6, .dropout = 0), \
        STEPS, 1)                                                                                                      \
    ROW(transformer_all, fa_nn_transformer(4, 2, .num_encoder_layers = 1, .num_decoder_layers = 2, ALL_OPTIONS),       \
        STEPS, 1)

typedef struct layer_run {
    const char *name;
    fa_module *(*make)(void);
    fa_shape shape;
    int steps;
} layer_run;

#define MAKER(name, call, shape, steps)                                                                                \
    static fa_module *make_##name(void)                                                                                \
    {                                                                                                                  \
        return call;                                                                                                   \
    }
LAYERS(MAKER)

/* Where, and in what. */
typedef struct place {
    fa_device device;
    fa_dtype dtype;
    double tolerance;
} place;

static void hold_one(const char *run, int step, const char *name, const char *what, const fa_tensor *t, const place *at)
{
    char head[128];
    snprintf(head, sizeof head, "%s %d %s%s", run, step, name, what);
    check(fa_device_equal(fa_tensor_device(t), at->device), "%s: is where it should be", head);
    hold(head, t, at->tolerance);
}

/* ---- attention, with the masks of nn.py ---- */

static fa_tensor *numbers_mask(const place *at)
{
    return values(FA_SHAPE(5, 5), 2, 0.5, at->dtype, at->device);
}

static fa_tensor *heads_mask(const place *at)
{
    bool v[100];
    for (int i = 0; i < 100; i++)
        v[i] = i * 5 % 7 > 4;
    return fa_to(fa_tensor_from(v, FA_SHAPE(4, 5, 5), .dtype = FA_BOOL, .device = FA_CPU), at->device);
}

static fa_tensor *padding_mask(const place *at)
{
    const bool v[] = {0, 0, 0, 0, 1, 0, 0, 1, 1, 1};
    return fa_to(fa_tensor_from(v, FA_SHAPE(2, 5), .dtype = FA_BOOL, .device = FA_CPU), at->device);
}

static fa_tensor *causal_mask(const place *at)
{
    return fa_triu(fa_ones(FA_SHAPE(5, 5), .dtype = FA_BOOL, .device = at->device), .diagonal = 1);
}

/* Whether a name is another one, or that with an ending. */
static bool is_like(const char *name, const char *other)
{
    return !strncmp(name, other, strlen(other));
}

static fa_attention run_attention(const char *name, fa_module *m, fa_tensor *x, const place *at)
{
    if (is_like(name, "attention_all")) {
        fa_tensor *twice = fa_cat(FA_TENSORS(x, fa_flip(x, .dim = 1)), .dim = 1);
        fa_tensor *value = fa_cat(FA_TENSORS(twice, fa_narrow(twice, 2, 0, 1)), .dim = 2);
        return fa_forward_attention(m, x, fa_narrow(twice, 2, 0, 3), value, .average_attn_weights = false);
    }
    if (!strcmp(name, "attention_masks") || !strcmp(name, "attention_bias_kv")) {
        fa_tensor *padding = fa_where(padding_mask(at), -(double)INFINITY, 0.0);
        return fa_forward_attention(m, x, fa_flip(x, .dim = 0), x, .key_padding_mask = padding,
                                    .attn_mask = numbers_mask(at));
    }
    if (is_like(name, "attention_heads"))
        return fa_forward_attention(m, x, x, x, .key_padding_mask = padding_mask(at), .attn_mask = heads_mask(at),
                                    .need_weights = false);
    if (is_like(name, "attention_causal"))
        return fa_forward_attention(m, x, x, x, .causal = true, .need_weights = false);
    if (is_like(name, "attention_without_batch"))
        return fa_forward_attention(m, x, x, x, .key_padding_mask = fa_select(padding_mask(at), 0, 1),
                                    .attn_mask = fa_narrow(heads_mask(at), 0, 0, 2));
    return fa_forward_attention(m, x, x, x);
}

static fa_tensor *run_transformer(const char *name, fa_module *m, fa_tensor *x, const place *at)
{
    fa_tensor *memory = fa_narrow(x, 0, 1, 3), *padding = padding_mask(at);
    if (!strcmp(name, "transformer"))
        return fa_forward_transformer(m, memory, .src = x, .causal = true, .memory_key_padding_mask = padding,
                                      .src_key_padding_mask = padding, .src_mask = numbers_mask(at));
    if (!strcmp(name, "transformer_all"))
        return fa_forward(m, x, fa_narrow(x, 1, 1, 1));
    if (!strcmp(name, "transformer_encoder_layer_masks"))
        return fa_forward_transformer(m, x, .mask = causal_mask(at), .key_padding_mask = padding);
    if (!strcmp(name, "transformer_encoder"))
        return fa_forward_transformer(m, x, .causal = true, .key_padding_mask = padding);
    if (!strcmp(name, "transformer_decoder_layer"))
        return fa_forward_transformer(m, x, .memory = memory, .key_padding_mask = padding,
                                      .memory_mask = fa_narrow(numbers_mask(at), 1, 0, 3));
    if (!strcmp(name, "transformer_decoder_layer_all"))
        return fa_forward(m, x, fa_narrow(x, 1, 1, 1));
    if (!strcmp(name, "transformer_decoder"))
        return fa_forward_transformer(m, x, .memory = memory, .mask = causal_mask(at),
                                      .memory_key_padding_mask = fa_narrow(padding, 1, 1, 3));
    return fa_forward(m, x);
}

/* Runs the module; a recurrent one by the function that gives its states, too, which are held, as are weights. */
static fa_tensor *run_module(const layer_run *r, fa_module *m, fa_tensor *x, int step, const place *at)
{
    const char *kind = fa_module_kind(m);
    if (!strncmp(kind, "transformer", 11))
        return run_transformer(r->name, m, x, at);
    if (!strcmp(kind, "multihead_attention")) {
        fa_attention y = run_attention(r->name, m, x, at);
        if (y.weights)
            hold_one(r->name, step, "state0", "", y.weights, at);
        check(!y.weights == (strstr(r->name, "heads") || strstr(r->name, "causal")), "%s: weights", r->name);
        return y.output;
    }
    if (strncmp(kind, "lstm", 4) && strncmp(kind, "gru", 3) && strncmp(kind, "rnn", 3))
        return fa_forward(m, x);
    fa_recurrent y = fa_forward_recurrent(m, x);
    if (strstr(kind, "cell") ? y.c_n != NULL : y.output != NULL) /* PyTorch's cells give h, or h and c */
        hold_one(r->name, step, "state0", "", strstr(kind, "cell") ? y.c_n : y.h_n, at);
    if (!strcmp(kind, "lstm"))
        hold_one(r->name, step, "state1", "", y.c_n, at);
    check(same_tensors(y.output, y.h_n) == (strstr(kind, "cell") != NULL), "%s: a cell's output is its state", r->name);
    return y.output;
}

static double softened(const layer_run *r)
{
    return strncmp(r->name, "attention", 9) && strncmp(r->name, "transformer", 11) ? 1 : 0.25;
}

static void run_step(const layer_run *r, fa_module *m, int step, const place *at)
{
    FA_SCOPE;
    bool whole = !strncmp(r->name, "embedding", 9);
    fa_tensor *x =
        whole ? tokens(r->shape, step, 5, at->device) : values(r->shape, step, 3 * softened(r), at->dtype, at->device);
    if (!whole)
        fa_set_requires_grad(x, true);
    fa_module_zero_grad(m);
    fa_tensor *y = run_module(r, m, x, step, at);
    if (!check(y && fa_backward(fa_sum(fa_mul(y, values(fa_tensor_shape(y), 9, 1, at->dtype, at->device)))),
               "%s %d runs", r->name, step))
        return;
    hold_one(r->name, step, "y", "", y, at);
    if (!whole)
        hold_one(r->name, step, "x", ".grad", fa_grad(x), at);
    fa_parameters p = fa_module_parameters(m), b = fa_module_buffers(m);
    for (size_t i = 0; i < p.count; i++)
        hold_one(r->name, step, p.name[i], ".grad", fa_grad(p.item[i]), at);
    for (size_t i = 0; i < b.count; i++)
        hold_one(r->name, step, b.name[i], "", b.item[i], at);
}

static void run_layer(const layer_run *r, const place *at)
{
    FA_SCOPE;
    fa_module *m = fa_module_to(fa_module_to(r->make(), at->dtype), at->device);
    fa_parameters p = fa_module_parameters(m);
    for (size_t i = 0; i < p.count; i++)
        fa_copy_(fa_detach(p.item[i]), values(fa_tensor_shape(p.item[i]), (int)i + 1, softened(r), FA_F64, FA_CPU));
    for (int step = 0; step < 3; step++)
        if (r->steps >> step & 1)
            run_step(r, fa_module_train(m, step < 2), step, at);
}

/* ---- how parameters begin ---- */

static void hold_beginning(const char *layer, const char *name, const fa_tensor *t)
{
    char head[128], *end;
    snprintf(head, sizeof head, "\ninit %s %s: ", layer, name);
    const char *s = strstr(reference, head);
    double *v = tensor_values(t), square = 0, most = 0;
    if (check(s && v, "%s %s begins", layer, name)) {
        int64_t n = fa_numel(t);
        for (int64_t i = 0; i < n; i++) {
            square += v[i] * v[i] / (double)n;
            most = fmax(most, fabs(v[i]));
        }
        double deviation = strtod(s + strlen(head), &end), largest = strtod(end, NULL), near = 6 / sqrt((double)n);
        if (deviation == 0) /* all are the same */
            check(most == largest && fabs(sqrt(square) - largest) < 1e-9, "%s %s: all are %g", layer, name, largest);
        else
            check(fabs(sqrt(square) / deviation - 1) < near, "%s %s: deviation %g, not %g", layer, name, sqrt(square),
                  deviation);
        double apart = strcmp(layer, "embedding") ? near : 0.3; /* a normal's largest one varies */
        check(deviation == 0 || fabs(most / largest - 1) < apart, "%s %s: up to %g, not %g", layer, name, most,
              largest);
    }
    free(v);
}

static void beginnings(void)
{
    FA_SCOPE;
    fa_manual_seed(3);
    const struct {
        const char *name;
        fa_module *made;
    } layer[] = {{"linear", fa_nn_linear(300, 200)},
                 {"conv2d", fa_nn_conv2d(30, 200, 3, .groups = 2)},
                 {"conv1d", fa_nn_conv1d(60, 200, 5)},
                 {"conv_transpose2d", fa_nn_conv_transpose2d(60, 200, 3, .groups = 2)},
                 {"embedding", fa_nn_embedding(300, 200)},
                 {"lstm", fa_nn_lstm(60, 50, .num_layers = 2, .bidirectional = true, .proj_size = 40)},
                 {"gru_cell", fa_nn_gru_cell(60, 50)},
                 {"attention", fa_nn_multihead_attention(60, 4)},
                 {"attention_apart", fa_nn_multihead_attention(60, 4, .kdim = 40, .vdim = 50)},
                 {"attention_bias_kv", fa_nn_multihead_attention(400, 4, .add_bias_kv = true)},
                 {"transformer_encoder_layer", fa_nn_transformer_encoder_layer(60, 4, .dim_feedforward = 80)},
                 {"transformer",
                  fa_nn_transformer(60, 4, .num_encoder_layers = 1, .num_decoder_layers = 1, .dim_feedforward = 80)}};
    for (size_t i = 0; i < sizeof layer / sizeof *layer; i++) {
        fa_parameters p = fa_module_parameters(layer[i].made);
        check(p.count > 0, "%s has parameters", layer[i].name);
        for (size_t k = 0; k < p.count; k++)
            hold_beginning(layer[i].name, p.name[k], p.item[k]);
    }
}

/* ---- a state_dict of PyTorch's ---- */

static void saved_network(const place *at)
{
    FA_SCOPE;
    FA_USE(.device = at->device);
    fa_module *net = fa_nn_sequential(fa_nn_conv2d(3, 4, 3, .padding = 1, .bias = false), fa_nn_batch_norm2d(4),
                                      fa_nn_relu(), fa_nn_max_pool2d(2), fa_nn_conv2d(4, 6, 3), fa_nn_batch_norm2d(6),
                                      fa_nn_relu(), fa_nn_adaptive_avg_pool2d(2), fa_nn_flatten(), fa_nn_linear(24, 5));
    if (!fa_load(net, FA_TEST_DATA "/reference/cnn.safetensors") && fa_error_code() == FA_ERROR_UNAVAILABLE) {
        printf("[  SKIPPED ] the network that PyTorch saved: %s\n", fa_error_message());
        fa_error_clear();
        return;
    }
    fa_module_train(net, false);
    fa_tensor *y = fa_forward(net, values(FA_SHAPE(2, 3, 8, 8), 3, 1, FA_F32, at->device));
    check(fa_item_int(fa_module_tensor(net, "1.num_batches_tracked")) == 3, "batches were counted");
    hold("cnn 2 y", y, 1e-5);
}

static void saved_lstm(const place *at)
{
    FA_SCOPE;
    FA_USE(.device = at->device);
    fa_module *net = fa_nn_dict();
    fa_module *lstm =
        fa_module_add(net, "lstm", fa_nn_lstm(3, 4, .num_layers = 2, .bidirectional = true, .proj_size = 2));
    if (!fa_load(net, FA_TEST_DATA "/reference/lstm.safetensors") && fa_error_code() == FA_ERROR_UNAVAILABLE) {
        printf("[  SKIPPED ] the LSTM that PyTorch saved: %s\n", fa_error_message());
        fa_error_clear();
        return;
    }
    hold("saved lstm y", fa_forward(lstm, values(FA_SHAPE(5, 2, 3), 3, 1, FA_F32, at->device)), 1e-5);
}

static fa_module *stack_of(fa_module *(*stack)(fa_module *, int64_t, const fa_nn_transformer_encoder_options *),
                           fa_module *layer)
{
    return stack(layer, 2,
                 &(fa_nn_transformer_encoder_options){.size = sizeof(fa_nn_transformer_encoder_options),
                                                      .norm = fa_nn_layer_norm(FA_SHAPE(8))});
}

/* As nn.Transformer is made. */
static void saved_transformer(const place *at)
{
    FA_SCOPE;
    FA_USE(.device = at->device);
    fa_module *net = fa_nn_dict();
#define SMALL .dim_feedforward = 12, .dropout = 0, .batch_first = true
    fa_module *encoder = fa_module_add(
        net, "encoder", stack_of(fa_nn_transformer_encoder, fa_nn_transformer_encoder_layer(8, 2, SMALL)));
    fa_module *decoder = fa_module_add(
        net, "decoder", stack_of(fa_nn_transformer_decoder, fa_nn_transformer_decoder_layer(8, 2, SMALL)));
    if (!fa_load(net, FA_TEST_DATA "/reference/transformer.safetensors") && fa_error_code() == FA_ERROR_UNAVAILABLE) {
        printf("[  SKIPPED ] the transformer that PyTorch saved: %s\n", fa_error_message());
        fa_error_clear();
        return;
    }
    fa_tensor *x = values(FA_SHAPE(2, 5, 8), 3, 1, FA_F32, at->device), *padding = padding_mask(at);
    fa_tensor *memory = fa_forward_transformer(encoder, x, .key_padding_mask = padding);
    fa_tensor *y = fa_forward_transformer(decoder, fa_narrow(x, 1, 1, 3), .memory = memory, .causal = true,
                                          .memory_key_padding_mask = padding);
    hold("saved transformer y", y, 1e-5);
}

int main(void)
{
#define LAYER(name, call, shape, steps) {#name, make_##name, shape, steps},
    const layer_run layers[] = {LAYERS(LAYER)};
    if (!test_devices_there())
        return TEST_SKIPPED;
    reference = reference_load("nn.txt");
    if (!check(reference != NULL, "tests/reference/nn.txt cannot be read"))
        return check_end();
    const place places[] = {
        {FA_CPU, FA_F64, 1e-8}, {FA_CPU, FA_F32, 5e-5}, {DEVICE(0), FA_F64, 1e-8}, {DEVICE(0), FA_F32, 5e-5}};
    for (int i = 0; i < 4; i++) {
        check_about("on %s in %s", fa_device_name(places[i].device), fa_dtype_name(places[i].dtype));
        for (size_t k = 0; k < sizeof layers / sizeof *layers; k++)
            run_layer(&layers[k], &places[i]);
        saved_network(&places[i]);
        saved_lstm(&places[i]);
        saved_transformer(&places[i]);
    }
    check_about("how parameters begin");
    beginnings();
    free(reference);
    return check_end();
}
