/* Training under autocast reaches the loss of training in f32, within 1 %: a perceptron and a convolutional network on
 * the digits, and a small GPT on a text, in bf16, and in f16 with a scaler. Activations take half the memory.
 *
 *     mixed_precision [full]    trains until little loss is left, from several seeds */
#include "support/api_test.h"
#include <facula/facula.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LAYERS = 2, WIDTH = 32, HEADS = 2, BATCH = 8, TOKENS = 32, VOCABULARY = 128, LAST = 20 };

/* ---- networks ---- */

static fa_module *perceptron(void)
{
    return fa_nn_sequential(fa_nn_flatten(), fa_nn_linear(64, 48), fa_nn_relu(), fa_nn_linear(48, 10));
}

static fa_module *convolutional(void)
{
    return fa_nn_sequential(fa_nn_conv2d(1, 8, 3, .padding = 1), fa_nn_relu(), fa_nn_max_pool2d(2),
                            fa_nn_conv2d(8, 16, 3, .padding = 1), fa_nn_relu(), fa_nn_max_pool2d(2), fa_nn_flatten(),
                            fa_nn_linear(64, 10));
}

typedef struct gpt {
    fa_module *token, *position, *norm, *head;
    struct {
        fa_module *norm1, *qkv, *out, *norm2, *up, *down;
    } layer[LAYERS];
} gpt;

/* (n, tokens, width) to (n, heads, tokens, width / heads) */
static fa_tensor *heads(fa_tensor *x)
{
    return fa_transpose(fa_reshape(x, FA_SHAPE(BATCH, -1, HEADS, WIDTH / HEADS)), 1, 2);
}

static fa_tensor *attention(fa_tensor *qkv)
{
    fa_tensors part = fa_chunk(qkv, 3, .dim = -1);
    fa_tensor *y =
        fa_scaled_dot_product_attention(heads(part.item[0]), heads(part.item[1]), heads(part.item[2]), .causal = true);
    return fa_reshape(fa_transpose(y, 1, 2), FA_SHAPE(BATCH, -1, WIDTH));
}

/* (n, tokens) to (n * tokens, vocabulary) */
static fa_tensor *gpt_forward(fa_module *self, fa_tensor *tokens)
{
    const gpt *g = fa_module_data(self);
    fa_tensor *at = fa_arange(0, (double)fa_size(tokens, 1), .dtype = FA_I64, .device = fa_tensor_device(tokens));
    fa_tensor *h = fa_add(fa_forward(g->token, tokens), fa_forward(g->position, at));
    for (int i = 0; i < LAYERS; i++) {
        h = fa_add(
            h, fa_forward(g->layer[i].out, attention(fa_forward(g->layer[i].qkv, fa_forward(g->layer[i].norm1, h)))));
        fa_tensor *wide = fa_gelu(fa_forward(g->layer[i].up, fa_forward(g->layer[i].norm2, h)));
        h = fa_add(h, fa_forward(g->layer[i].down, wide));
    }
    return fa_reshape(fa_forward(g->head, fa_forward(g->norm, h)), FA_SHAPE(-1, VOCABULARY));
}

static fa_module *gpt_new(void)
{
    fa_module *self = fa_nn_custom("gpt", sizeof(gpt), gpt_forward);
    gpt *g = fa_module_data(self);
    char name[32];
    g->token = fa_module_add(self, "token", fa_nn_embedding(VOCABULARY, WIDTH));
    g->position = fa_module_add(self, "position", fa_nn_embedding(TOKENS, WIDTH));
    for (int i = 0; i < LAYERS; i++) {
        fa_module *part[] = {fa_nn_layer_norm(FA_SHAPE(WIDTH)), fa_nn_linear(WIDTH, 3 * WIDTH),
                             fa_nn_linear(WIDTH, WIDTH),        fa_nn_layer_norm(FA_SHAPE(WIDTH)),
                             fa_nn_linear(WIDTH, 4 * WIDTH),    fa_nn_linear(4 * WIDTH, WIDTH)};
        fa_module **to[] = {&g->layer[i].norm1, &g->layer[i].qkv, &g->layer[i].out,
                            &g->layer[i].norm2, &g->layer[i].up,  &g->layer[i].down};
        for (int k = 0; k < 6; k++) {
            snprintf(name, sizeof name, "part%d_%d", i, k);
            *to[k] = fa_module_add(self, name, part[k]);
        }
    }
    g->norm = fa_module_add(self, "norm", fa_nn_layer_norm(FA_SHAPE(WIDTH)));
    g->head = fa_module_add(self, "head", fa_nn_linear(WIDTH, VOCABULARY));
    return self;
}

/* ---- data: the digits, and windows of a text ---- */

static char text[4096];
static size_t letters;

static int64_t text_count(void *context)
{
    (void)context;
    return (int64_t)letters - TOKENS - 1;
}

static bool text_get(void *context, int64_t index, fa_sample *out)
{
    int64_t input[TOKENS], target[TOKENS];
    (void)context;
    for (int i = 0; i < TOKENS; i++) {
        input[i] = text[index + i] & 127;
        target[i] = text[index + i + 1] & 127;
    }
    out->input = fa_tensor_from(input, FA_SHAPE(TOKENS), .dtype = FA_I64);
    out->target = fa_tensor_from(target, FA_SHAPE(TOKENS), .dtype = FA_I64);
    return !fa_failed();
}

static fa_loader *digits(void)
{
    return fa_data_loader(fa_data_digits(.train = true), .batch_size = 64, .shuffle = true, .drop_last = true);
}

static fa_loader *windows(void)
{
    FILE *f = fopen(FA_TEST_DATA "/../LICENSE", "r");
    assert_non_null(f);
    letters = fread(text, 1, sizeof text, f);
    fclose(f);
    assert_true(letters > 1000);
    static const fa_dataset_type type = {.name = "text", .length = text_count, .get = text_get};
    return fa_data_loader(fa_dataset_new(&type, NULL), .batch_size = BATCH, .shuffle = true, .drop_last = true);
}

/* ---- training ---- */

typedef struct task {
    const char *name;
    fa_module *(*network)(void);
    fa_loader *(*data)(void);
    int steps, full_steps, full_seeds;
    double lr;
    bool images, sgd;
} task;

static bool full;

static fa_tensor *loss_of(const task *t, fa_module *net, fa_batch batch, fa_device device)
{
    fa_tensor *input = fa_to(batch.input, device), *target = fa_to(batch.target, device);
    if (t->images)
        input = fa_reshape(input, FA_SHAPE(-1, 1, 8, 8));
    return fa_cross_entropy(fa_forward(net, input), fa_flatten(target));
}

static void train(const task *t, fa_module *net, fa_device device, fa_dtype dtype)
{
    fa_optim *o = t->sgd ? fa_optim_sgd(net, .lr = t->lr, .momentum = 0.9) : fa_optim_adamw(net, .lr = t->lr);
    /* a scale of which no step is skipped, so that all dtypes make the same steps */
    fa_scaler *scaler = fa_amp_scaler(.init_scale = 1024, .enabled = dtype == FA_F16);
    fa_loader *loader = t->data();
    const int steps = full ? t->full_steps : t->steps;
    for (int step = 0; step < steps;)
        FA_EACH (batch, loader) {
            if (step++ == steps)
                break;
            fa_optim_zero_grad(o);
            fa_tensor *loss;
            {
                FA_USE(.autocast = dtype);
                loss = loss_of(t, net, batch, device);
            }
            fa_backward(fa_scaler_scale(scaler, loss));
            fa_scaler_step(scaler, o);
            fa_scaler_update(scaler);
            assert_no_error();
        }
    assert_true(dtype != FA_F16 || fa_scaler_get_scale(scaler) == 1024);
}

/* The mean loss of some batches after training, computed in f32. */
static double trained(const task *t, fa_device device, fa_dtype dtype, uint64_t seed)
{
    FA_SCOPE;
    double sum = 0;
    int batches = 0;
    fa_manual_seed(seed);
    fa_module *net = t->network();
    fa_module_to(net, device);
    train(t, net, device, dtype);
    FA_USE(.no_grad = true);
    FA_EACH (batch, t->data()) {
        sum += fa_item(loss_of(t, net, batch, device));
        if (++batches == LAST)
            break;
    }
    assert_int_equal(batches, LAST);
    return sum / LAST;
}

/* From one seed the losses of a convolutional network may differ by more, as they do in f32 from parameters that differ
 * by a thousandth: that has no direction, and means show what has one. */
static double mean_trained(const task *t, fa_device device, fa_dtype dtype)
{
    const int seeds = full ? t->full_seeds : 1;
    double sum = 0;
    for (int seed = 1; seed <= seeds; seed++)
        sum += trained(t, device, dtype, (uint64_t)seed);
    return sum / seeds;
}

static void losses_are_those_of_f32(void **state)
{
    (void)state;
    static const task tasks[] = {
        {"perceptron", perceptron, digits, 60, 300, 8, 3e-3, false, false},
        {"convolutional", convolutional, digits, 150, 300, 8, 1e-2, true, true},
        {"gpt", gpt_new, windows, 100, 300, 1, 3e-3, false, false},
    };
    for (size_t i = 0; i < 2 * sizeof tasks / sizeof *tasks; i++) {
        const task *t = &tasks[i / 2];
        const fa_device device = i % 2 ? DEVICE(0) : FA_CPU;
        double f32 = mean_trained(t, device, FA_SAME), bf16 = mean_trained(t, device, FA_BF16),
               f16 = mean_trained(t, device, FA_F16);
        print_message("%s on %s: f32 %.4f, bf16 %.4f, f16 %.4f\n", t->name, fa_device_name(device), f32, bf16, f16);
        assert_true(f32 > 0.05 && f32 < 3); /* it has learned, and there is a loss to compare */
        assert_true(fabs(bf16 - f32) < 0.01 * f32 && fabs(f16 - f32) < 0.01 * f32);
    }
}

/* ---- memory ---- */

/* Bytes that a forward pass keeps for backward: activations, and under autocast the weights in 16 bits. */
static double kept(fa_dtype dtype)
{
    enum { SAMPLES = 4096, FEATURES = 256, DEPTH = 12 };
    FA_SCOPE;
    fa_module *net = fa_nn_sequential();
    for (int i = 0; i < DEPTH; i++) {
        fa_module_append(net, fa_nn_linear(FEATURES, FEATURES));
        fa_module_append(net, fa_nn_relu());
    }
    fa_module_to(net, DEVICE(0));
    fa_tensor *x = fa_rand(FA_SHAPE(SAMPLES, FEATURES), .device = DEVICE(0));
    FA_USE(.autocast = dtype);
    size_t before = fa_memory_stats(DEVICE(0)).allocated;
    fa_tensor *y = fa_forward(net, x);
    assert_true(fa_requires_grad(y));
    assert_no_error();
    return (double)(fa_memory_stats(DEVICE(0)).allocated - before);
}

static void activations_take_half_the_memory(void **state)
{
    (void)state;
    double f32 = kept(FA_SAME), bf16 = kept(FA_BF16), f16 = kept(FA_F16);
    print_message("kept for backward: f32 %.2f MB, bf16 %.2f, f16 %.2f\n", f32 / 1e6, bf16 / 1e6, f16 / 1e6);
    assert_true(bf16 > 0.45 * f32 && bf16 < 0.6 * f32);
    assert_true(f16 > 0.45 * f32 && f16 < 0.6 * f32);
}

int main(int count, char **argument)
{
    full = count > 1 && !strcmp(argument[1], "full");
    const struct CMUnitTest tests[] = {
        TEST(losses_are_those_of_f32),
        TEST(activations_take_half_the_memory),
    };
    return RUN("train_mixed_precision");
}
