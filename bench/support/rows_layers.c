/* Rows of what layers do beside products and convolutions: norms, lookups. */
#include "row.h"
#include <facula/facula.h>

#define MEBI 1048576.0

static fa_tensor *x, *weight, *bias, *mean, *variance, *y, *gy;

static void open_layer_norm(void)
{
    x = fa_randn(FA_SHAPE(4096, 1024));
    weight = fa_randn(FA_SHAPE(1024));
    bias = fa_randn(FA_SHAPE(1024));
}

static void layer_norm(int64_t count)
{
    FA_REPEAT (count)
        fa_layer_norm(x, FA_SHAPE(1024), .weight = weight, .bias = bias);
}

static void open_layer_norm_backward(void)
{
    open_layer_norm();
    fa_set_requires_grad(x, true);
    fa_set_requires_grad(weight, true);
    fa_set_requires_grad(bias, true);
    y = fa_layer_norm(x, FA_SHAPE(1024), .weight = weight, .bias = bias);
    gy = fa_randn_like(y);
}

static void layer_norm_backward(int64_t count)
{
    FA_REPEAT (count)
        fa_grad_of(FA_TENSORS(y), FA_TENSORS(x, weight, bias), .grad_outputs = FA_TENSORS(gy), .retain_graph = true);
}

static void open_batch_norm(void)
{
    x = fa_randn(FA_SHAPE(32, 64, 56, 56));
    weight = fa_randn(FA_SHAPE(64));
    bias = fa_randn(FA_SHAPE(64));
    mean = fa_zeros(FA_SHAPE(64));
    variance = fa_ones(FA_SHAPE(64));
}

static void batch_norm(int64_t count)
{
    FA_REPEAT (count)
        fa_batch_norm(x, .running_mean = mean, .running_var = variance, .weight = weight, .bias = bias,
                      .training = true);
}

static void open_embedding(void)
{
    x = fa_randint(0, 100000, FA_SHAPE(65536));
    weight = fa_randn(FA_SHAPE(100000, 64));
}

static void embedding(int64_t count)
{
    FA_REPEAT (count)
        fa_embedding(x, weight);
}

/* A small language model's: 4 sequences of 256, 6 heads of 64. */
static void open_attention(void)
{
    fa_shape shape = FA_SHAPE(4, 6, 256, 64);
    x = fa_randn(shape, .requires_grad = true);
    weight = fa_randn(shape, .requires_grad = true);
    bias = fa_randn(shape, .requires_grad = true);
    y = fa_scaled_dot_product_attention(x, weight, bias, .causal = true);
    gy = fa_randn_like(y);
}

static void attention(int64_t count)
{
    FA_USE(.no_grad = true);
    FA_REPEAT (count)
        fa_scaled_dot_product_attention(x, weight, bias, .causal = true);
}

static void attention_backward(int64_t count)
{
    FA_REPEAT (count)
        fa_grad_of(FA_TENSORS(y), FA_TENSORS(x, weight, bias), .grad_outputs = FA_TENSORS(gy), .retain_graph = true);
}

#define ATTENTION_FLOP (2.0 * 4 * 6 * 256 * 256 * 64) /* of one of its products, half of which a causal one needs */

const bench_row bench_layers[] = {
    {"layer_norm", BENCH_MILLISECONDS, 1.5, {.copy = 32 * MEBI}, open_layer_norm, layer_norm},
    {"layer_norm_backward", BENCH_MILLISECONDS, 1.5, {.add = 48 * MEBI}, open_layer_norm_backward, layer_norm_backward},
    {"batch_norm", BENCH_MILLISECONDS, 1.5, {.read = 24.5 * MEBI, .copy = 49 * MEBI}, open_batch_norm, batch_norm},
    {"embedding", BENCH_MILLISECONDS, 1.3, {.copy = 32 * MEBI}, open_embedding, embedding},
    {"attention", BENCH_MICROSECONDS, 1.5, {.flop = ATTENTION_FLOP}, open_attention, attention},
    {"attention_backward", BENCH_MICROSECONDS, 1.5, {.flop = 2.5 * ATTENTION_FLOP}, open_attention, attention_backward},
    {0},
};
