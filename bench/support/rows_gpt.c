/* Rows of a small GPT-2 (6 layers, width 384, 6 heads; 4 sequences of 256 of 65 tokens): a step of training with AdamW,
 * and its memory. */
#include "network.h"
#include "row.h"

enum { LAYERS = 6, WIDTH = 384, HEADS = 6, BATCH = 4, TOKENS = 256, VOCABULARY = 65 };

/* ---- the network, as a program writes it ---- */

typedef struct attention {
    fa_module *qkv, *out;
} attention;

/* (n, tokens, width) to (n, heads, tokens, width / heads) */
static fa_tensor *heads(fa_tensor *x)
{
    return fa_transpose(fa_view(x, FA_SHAPE(BATCH, -1, HEADS, WIDTH / HEADS)), 1, 2);
}

static fa_tensor *attention_forward(fa_module *self, fa_tensor *x)
{
    attention *a = fa_module_data(self);
    fa_tensors part = fa_chunk(fa_forward(a->qkv, x), 3, .dim = -1);
    fa_tensor *y =
        fa_scaled_dot_product_attention(heads(part.item[0]), heads(part.item[1]), heads(part.item[2]), .causal = true);
    return fa_forward(a->out, fa_reshape(fa_transpose(y, 1, 2), FA_SHAPE(BATCH, -1, WIDTH)));
}

static fa_module *attention_new(void)
{
    fa_module *self = fa_nn_custom("attention", sizeof(attention), attention_forward);
    attention *a = fa_module_data(self);
    if (!a)
        return NULL;
    a->qkv = fa_module_add(self, "qkv", fa_nn_linear(WIDTH, 3 * WIDTH));
    a->out = fa_module_add(self, "out", fa_nn_linear(WIDTH, WIDTH));
    return self;
}

typedef struct block {
    fa_module *norm1, *attention, *norm2, *mlp;
} block;

static fa_tensor *block_forward(fa_module *self, fa_tensor *x)
{
    block *b = fa_module_data(self);
    FA_VAR(h, fa_add(x, fa_forward(b->attention, fa_forward(b->norm1, x))));
    fa_assign(&h, fa_add(h, fa_forward(b->mlp, fa_forward(b->norm2, h))));
    return fa_escape(h);
}

static fa_module *block_new(void)
{
    fa_module *self = fa_nn_custom("block", sizeof(block), block_forward);
    block *b = fa_module_data(self);
    if (!b)
        return NULL;
    b->norm1 = fa_module_add(self, "norm1", fa_nn_layer_norm(FA_SHAPE(WIDTH)));
    b->attention = fa_module_add(self, "attention", attention_new());
    b->norm2 = fa_module_add(self, "norm2", fa_nn_layer_norm(FA_SHAPE(WIDTH)));
    b->mlp = fa_module_add(self, "mlp",
                           fa_nn_sequential(fa_nn_linear(WIDTH, 4 * WIDTH), fa_nn_gelu(.approximate = "tanh"),
                                            fa_nn_linear(4 * WIDTH, WIDTH)));
    return self;
}

typedef struct gpt {
    fa_module *token, *position, *block[LAYERS], *norm, *head;
} gpt;

/* (n, tokens) to (n * tokens, vocabulary) */
static fa_tensor *gpt_forward(fa_module *self, fa_tensor *tokens)
{
    gpt *g = fa_module_data(self);
    fa_tensor *at = fa_arange(0, (double)fa_size(tokens, 1), .dtype = FA_I64);
    FA_VAR(h, fa_add(fa_forward(g->token, tokens), fa_forward(g->position, at)));
    for (int i = 0; i < LAYERS; i++)
        fa_assign(&h, fa_forward(g->block[i], h));
    fa_assign(&h, fa_forward(g->head, fa_forward(g->norm, h)));
    return fa_view(h, FA_SHAPE(-1, VOCABULARY));
}

fa_module *bench_gpt_net(void)
{
    static const char *const names[LAYERS] = {"block0", "block1", "block2", "block3", "block4", "block5"};
    fa_module *self = fa_nn_custom("gpt", sizeof(gpt), gpt_forward);
    gpt *g = fa_module_data(self);
    if (!g)
        return NULL;
    g->token = fa_module_add(self, "token", fa_nn_embedding(VOCABULARY, WIDTH));
    g->position = fa_module_add(self, "position", fa_nn_embedding(TOKENS, WIDTH));
    for (int i = 0; i < LAYERS; i++)
        g->block[i] = fa_module_add(self, names[i], block_new());
    g->norm = fa_module_add(self, "norm", fa_nn_layer_norm(FA_SHAPE(WIDTH)));
    g->head = fa_module_add(self, "head", fa_nn_linear(WIDTH, VOCABULARY, .bias = false));
    return self;
}

/* ---- rows ---- */

static fa_optim *adamw(fa_module *net)
{
    return fa_optim_adamw(net, .lr = 0.0003);
}

fa_tensor *bench_gpt_tokens(int64_t factor)
{
    return fa_remainder(fa_mul(fa_arange(0, BATCH * TOKENS, .dtype = FA_I64), factor), VOCABULARY);
}

bench_network bench_gpt_network(void)
{
    return (bench_network){
        .x = fa_view(bench_gpt_tokens(7), FA_SHAPE(BATCH, TOKENS)),
        .y = bench_gpt_tokens(11),
        .net = bench_gpt_net(),
        .optimizer = adamw,
        .scale = 0.05,
        .autocast = FA_SAME,
    };
}

static void open_step(void)
{
    bench_train(bench_gpt_network());
}

/* Products of the layers, forward and both gradients; of the attention, half of whose scores are masked. */
#define GPT_LAYER_FLOP (2.0 * BATCH * TOKENS * 12.0 * WIDTH * WIDTH * 3)
#define GPT_ATTENTION_FLOP (2.0 * BATCH * TOKENS * TOKENS * WIDTH * 3.5)
#define GPT_FLOP (LAYERS * (GPT_LAYER_FLOP + GPT_ATTENTION_FLOP) + 6.0 * BATCH * TOKENS * WIDTH * VOCABULARY)

const bench_row bench_gpt[] = {
    {"gpt_step", BENCH_MILLISECONDS, 1.5, {.flop = GPT_FLOP}, open_step, bench_train_steps},
    {"gpt_memory", BENCH_MEGABYTES, 1.3, BENCH_NO_LIMIT, open_step, bench_train_steps},
    {0},
};
