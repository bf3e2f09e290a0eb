/* Attention and transformers beside what the reference holds: equal ways to say the same, queries that see nothing,
 * what is refused, training, copies, hooks and the summary. */
#include "support/check.h"
#include "support/devices.h"
#include "support/tensors.h"
#include <math.h>
#include <string.h>

static bool near(const fa_tensor *a, const fa_tensor *b)
{
    return a && b && fa_allclose(a, b, .rtol = 1e-5, .atol = 1e-6);
}

static fa_tensor *hiding(fa_device device)
{
    const bool v[] = {0, 0, 0, 1, 0, 1, 1, 1};
    return fa_to(fa_tensor_from(v, FA_SHAPE(2, 4), .dtype = FA_BOOL, .device = FA_CPU), device);
}

/* One input, or the same thrice; a causal mask as an option, as bool and as numbers; weights or not. */
static void ways(fa_device device)
{
    FA_SCOPE;
    FA_USE(.device = device);
    fa_manual_seed(1);
    fa_module *m = fa_nn_multihead_attention(6, 3, .batch_first = true);
    fa_tensor *x = fa_randn(FA_SHAPE(2, 4, 6)), *copy = fa_clone(x);
    fa_tensor *later = fa_triu(fa_ones(FA_SHAPE(4, 4), .dtype = FA_BOOL), .diagonal = 1);
    fa_tensor *numbers = fa_to(fa_where(later, -(double)INFINITY, 0.0), FA_F64);
    check(near(fa_forward(m, x), fa_forward(m, x, x, x)), "one input is all three");
    check(near(fa_forward(m, x), fa_forward(m, copy, x, x)), "projected together or apart");
    fa_tensor *y = fa_forward_attention(m, x, x, x, .causal = true, .need_weights = false).output;
    check(near(y, fa_forward_attention(m, x, x, x, .causal = true).output), "causal with weights");
    check(near(y, fa_forward_attention(m, x, x, x, .attn_mask = later, .causal = true).output), "both");
    check(near(y, fa_forward_attention(m, x, x, x, .attn_mask = later, .need_weights = false).output), "a bool mask");
    fa_attention of_numbers = fa_forward_attention(m, x, x, x, .attn_mask = numbers);
    check(near(y, of_numbers.output), "a mask of numbers");
    check(fa_tensor_dtype(of_numbers.output) == FA_F32, "a mask of f64 does not change the dtype");
    check(near(fa_sum(of_numbers.weights, .dim = -1), fa_ones(FA_SHAPE(2, 4))), "weights add up to 1");
    check(!fa_forward_attention(m, x, x, x, .need_weights = false).weights, "no weights");
}

/* The second sequence of the mask has one key; with causal, queries of a sequence that begins hidden see none. */
static void nothing_seen(fa_device device)
{
    FA_SCOPE;
    FA_USE(.device = device);
    fa_module *m = fa_nn_multihead_attention(4, 2, .batch_first = true);
    fa_init_constant_(fa_module_tensor(m, "out_proj.bias"), 3);
    fa_tensor *x = fa_randn(FA_SHAPE(2, 4, 4), .requires_grad = true);
    fa_tensor *hidden = fa_flip(hiding(device), .dim = 1);
    for (int weights = 0; weights < 2; weights++) {
        fa_attention y =
            fa_forward_attention(m, x, x, x, .key_padding_mask = hidden, .causal = true, .need_weights = weights);
        fa_tensor *first = fa_get(y.output, ":, 0");
        check(near(first, fa_full(FA_SHAPE(2, 4), 3.0)), "a query that sees no key gets the bias");
        check(fa_backward(fa_sum(y.output)) && fa_item_int(fa_all(fa_isfinite(fa_grad(x)))), "its gradient is finite");
        check(!weights || near(fa_get(y.weights, ":, 0"), fa_zeros(FA_SHAPE(2, 4))), "and no weights");
    }
}

static void refused(const char *text, bool done)
{
    check(!done && strstr(fa_error_message(), text), "\"%s\" is in: %s", text, fa_error_message());
    fa_error_clear();
}

static void refusals(void)
{
    FA_SCOPE;
    fa_module *m = fa_nn_multihead_attention(4, 2), *apart = fa_nn_multihead_attention(4, 2, .kdim = 3);
    fa_module *layer = fa_nn_transformer_encoder_layer(4, 2), *other = fa_nn_transformer_decoder_layer(4, 2);
    fa_tensor *x = fa_rand(FA_SHAPE(5, 2, 4)), *flat = fa_rand(FA_SHAPE(5, 4)),
              *whole = fa_ones(FA_SHAPE(5, 5), .dtype = FA_I64);
    refused("a multiple of num_heads", fa_nn_multihead_attention(4, 3));
    refused("a multiple of num_heads", fa_nn_multihead_attention(4, 0));
    refused("a probability", fa_nn_multihead_attention(4, 2, .dropout = 1.5));
    refused("kdim and vdim", fa_nn_multihead_attention(4, 2, .vdim = -1));
    refused("\"relu\" or \"gelu\"", fa_nn_transformer_encoder_layer(4, 2, .activation = "tanh"));
    refused("is a transformer_encoder_layer", fa_nn_transformer_encoder(other, 2));
    refused("is a transformer_decoder_layer", fa_nn_transformer_decoder(m, 2));
    refused("num_layers is 0 or more", fa_nn_transformer_encoder(layer, -1));
    refused("query, key and value", fa_forward(m, x, x));
    refused("key has 3 dimensions", fa_forward(m, x, flat, flat));
    refused("the last one of 3 elements", fa_forward(apart, x));
    refused("value is of 2 sequences of 5 keys", fa_forward(m, x, x, fa_rand(FA_SHAPE(4, 2, 4))));
    refused("attn_mask is (5, 5) or (4, 5, 5), where 4 is the batch times the heads, not (5, 4)",
            fa_forward_attention(m, x, x, x, .attn_mask = flat).output);
    refused("bool or floating, not i64", fa_forward_attention(m, x, x, x, .attn_mask = whole).output);
    refused("key_padding_mask is (2, 5)", fa_forward_attention(m, x, x, x, .key_padding_mask = flat).output);
    refused("is no attention", fa_forward_attention(layer, x, x, x).output);
    refused("is no layer or stack", fa_forward_transformer(m, x));
    refused("it takes x and memory", fa_forward_transformer(other, x));
    refused("it takes x", fa_forward_transformer(layer, x, .memory = x));
    fa_module *both = fa_nn_transformer(4, 2, .num_encoder_layers = 1, .num_decoder_layers = 1, .dim_feedforward = 6);
    refused("it takes src and tgt", fa_forward(both, x));
    refused("it takes src and tgt", fa_forward_transformer(both, x));
    refused("and no memory", fa_forward_transformer(both, x, .src = x, .memory = x));
    refused("are for fa_nn_transformer(), not for a transformer_decoder_layer",
            fa_forward_transformer(other, x, .memory = x, .src_causal = true));
    refused("fa_nn_transformer: activation is \"relu\" or \"gelu\"", fa_nn_transformer(4, 2, .activation = "tanh"));
    refused("d_model is a multiple of nhead, both above 0: not 4 and 3", fa_nn_transformer(4, 3));
    refused("fa_nn_transformer: .num_decoder_layers is 0 or more, not -1",
            fa_nn_transformer(4, 2, .num_decoder_layers = -1));
    refused(".custom_encoder is a transformer_encoder, and no transformer_encoder_layer",
            fa_nn_transformer(4, 2, .custom_encoder = layer));
    refused("in multihead_attention \"layers.0.self_attn\" of transformer_encoder",
            fa_forward_transformer(fa_nn_transformer_encoder(layer, 2), x, .mask = flat));
}

/* A network learns to say of each position what stood first, which only attention can bring there. */
static void learns(fa_device device)
{
    FA_SCOPE;
    FA_USE(.device = device);
    fa_manual_seed(2);
    fa_module *net = fa_nn_dict();
    fa_module *embed = fa_module_add(net, "embed", fa_nn_embedding(9, 16));
    fa_module *encoder = fa_module_add(
        net, "encoder",
        fa_nn_transformer_encoder(
            fa_nn_transformer_encoder_layer(16, 2, .dim_feedforward = 32, .dropout = 0, .batch_first = true), 2));
    fa_module *head = fa_module_add(net, "head", fa_nn_linear(16, 4));
    fa_optim *optim = fa_optim_adam(net, .lr = 0.01);
    double first = 0, last = 0;
    FA_REPEAT (i, 60) {
        fa_tensor *tokens = fa_randint(0, 4, FA_SHAPE(16, 5));
        fa_tensor *target = fa_expand(fa_get(tokens, ":, :1"), FA_SHAPE(16, 5));
        tokens = fa_where(fa_lt(fa_arange(0, 5), 1), tokens, 4); /* what stands behind says nothing */
        fa_optim_zero_grad(optim);
        fa_tensor *y = fa_forward(head, fa_forward_transformer(encoder, fa_forward(embed, tokens), .causal = true));
        fa_tensor *loss = fa_cross_entropy(fa_flatten(y, .end_dim = 1), fa_flatten(target));
        fa_backward(loss);
        fa_optim_step(optim);
        last = fa_item(loss);
        first = i ? first : last;
    }
    check(first > 1 && last < 0.1, "the loss falls from %g to %g", first, last);
}

static fa_tensor *count_runs(fa_module *module, fa_tensors inputs, fa_tensor *output, void *context)
{
    (void)module, (void)inputs, (void)output;
    ++*(int *)context;
    return NULL;
}

static void as_modules(void)
{
    FA_SCOPE;
    int runs = 0;
    fa_module *layer = fa_nn_transformer_decoder_layer(8, 2, .dim_feedforward = 16, .batch_first = true);
    fa_module *stack = fa_module_train(fa_nn_transformer_decoder(layer, 3), false), *copy = fa_module_clone(stack);
    fa_tensor *x = fa_rand(FA_SHAPE(2, 4, 8)), *memory = fa_rand(FA_SHAPE(2, 3, 8));
    fa_module_hook_forward(fa_module_child(stack, "layers.2.multihead_attn"), count_runs, &runs);
    fa_tensor *y = fa_forward(stack, x, memory);
    check(runs == 1, "hooks of attention in a stack run: %d", runs);
    check(same_tensors(y, fa_forward(copy, x, memory)), "a copy gives the same");
    fa_init_constant_(fa_module_tensor(stack, "layers.0.linear2.weight"), 0);
    check(same_tensors(y, fa_forward(copy, x, memory)), "and has parameters of its own");
    check(fa_module_tensor(stack, "layers.0.linear1.weight") != fa_module_tensor(stack, "layers.1.linear1.weight"),
          "so have the layers");
    fa_module_train(copy, true);
    check(!same_tensors(fa_forward(copy, x, memory), fa_forward(copy, x, memory)), "dropout in training");
}

/* An encoder and a decoder are those that they are made of. */
static void in_one_module(void)
{
    FA_SCOPE;
    fa_module *encoder = fa_nn_transformer_encoder(
        fa_nn_transformer_encoder_layer(8, 2, .dim_feedforward = 16, .dropout = 0, .batch_first = true), 2);
    fa_module *net = fa_nn_transformer(8, 2, .num_decoder_layers = 1, .dim_feedforward = 16, .dropout = 0,
                                       .custom_encoder = encoder, .batch_first = true);
    fa_module *copy = fa_module_clone(net), *decoder = fa_module_child(net, "decoder");
    fa_tensor *src = fa_rand(FA_SHAPE(2, 4, 8)), *tgt = fa_rand(FA_SHAPE(2, 3, 8));
    fa_tensor *y = fa_forward_transformer(net, tgt, .src = src, .src_causal = true, .causal = true);
    fa_tensor *coded = fa_forward_transformer(encoder, src, .causal = true);
    check(same_tensors(y, fa_forward_transformer(decoder, tgt, .memory = coded, .causal = true)), "as by its parts");
    check(same_tensors(y, fa_forward_transformer(copy, tgt, .src = src, .src_causal = true, .causal = true)), "a copy");
    check(!same_tensors(y, fa_forward(net, src, tgt)), "masks hide something");
}

/* Of 4 queries and keys: projections 3 * 8 * 64, products 2 * 8 * 8 * 4, and out_proj 8 * 64. */
static void work(void)
{
    FA_SCOPE;
    char text[2000] = "";
    FILE *file = fmemopen(text, sizeof text, "w");
    check(file && fa_module_summary(fa_nn_multihead_attention(8, 2), file, .input = FA_SHAPE(4, 2, 8)), "a summary");
    if (file)
        fclose(file);
    /* and of two more keys: products 2 * 8 * 8 * 2 */
    char more[2000] = "";
    file = fmemopen(more, sizeof more, "w");
    check(file
              && fa_module_summary(fa_nn_multihead_attention(8, 2, .add_bias_kv = true, .add_zero_attn = true), file,
                                   .input = FA_SHAPE(4, 2, 8)),
          "a summary");
    if (file)
        fclose(file);
    check(strstr(more, "multiply-adds: 2,816;"), "counts 2,816:\n%s", more);
    check(strstr(text, "multiply-adds: 2,560;"), "counts %d:\n%s", 3 * 8 * 64 + 2 * 8 * 8 * 4 + 8 * 64, text);
}

int main(void)
{
    if (!test_devices_there())
        return TEST_SKIPPED;
    ways(FA_CPU), ways(DEVICE(0));
    nothing_seen(FA_CPU), nothing_seen(DEVICE(0));
    refusals();
    in_one_module();
    learns(FA_CPU), learns(DEVICE(0));
    as_modules();
    work();
    check(!fa_failed(), "no error is left: %s", fa_error_message());
    return check_end();
}
