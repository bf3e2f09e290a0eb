/* Rows of ResNet-18 (arXiv:1512.03385) on 8 images of 224 x 224: a step of training with momentum, the memory of that
 * step, and the memory of inference. */
#include "network.h"
#include "row.h"

/* ---- the network, as a program writes it ---- */

typedef struct block {
    fa_module *conv1, *bn1, *conv2, *bn2, *shortcut; /* shortcut: NULL where shapes agree */
} block;

static fa_tensor *block_forward(fa_module *self, fa_tensor *x)
{
    block *b = fa_module_data(self);
    FA_VAR(h, fa_forward(b->conv1, x));
    fa_assign(&h, fa_relu(fa_forward(b->bn1, h)));
    fa_assign(&h, fa_forward(b->conv2, h));
    fa_assign(&h, fa_forward(b->bn2, h));
    fa_assign(&h, fa_relu(fa_add(h, b->shortcut ? fa_forward(b->shortcut, x) : x)));
    return fa_escape(h);
}

static fa_module *block_new(int64_t in, int64_t out, int64_t stride)
{
    fa_module *self = fa_nn_custom("block", sizeof(block), block_forward);
    block *b = fa_module_data(self);
    if (!b)
        return NULL;
    b->conv1 = fa_module_add(self, "conv1", fa_nn_conv2d(in, out, 3, .stride = stride, .padding = 1, .bias = false));
    b->bn1 = fa_module_add(self, "bn1", fa_nn_batch_norm2d(out));
    b->conv2 = fa_module_add(self, "conv2", fa_nn_conv2d(out, out, 3, .padding = 1, .bias = false));
    b->bn2 = fa_module_add(self, "bn2", fa_nn_batch_norm2d(out));
    if (stride != 1 || in != out)
        b->shortcut = fa_module_add(
            self, "shortcut",
            fa_nn_sequential(fa_nn_conv2d(in, out, 1, .stride = stride, .bias = false), fa_nn_batch_norm2d(out)));
    return self;
}

static fa_module *resnet18(void)
{
    return fa_nn_sequential(fa_nn_conv2d(3, 64, 7, .stride = 2, .padding = 3, .bias = false), fa_nn_batch_norm2d(64),
                            fa_nn_relu(), fa_nn_max_pool2d(3, .stride = 2, .padding = 1), block_new(64, 64, 1),
                            block_new(64, 64, 1), block_new(64, 128, 2), block_new(128, 128, 1), block_new(128, 256, 2),
                            block_new(256, 256, 1), block_new(256, 512, 2), block_new(512, 512, 1),
                            fa_nn_adaptive_avg_pool2d(1), fa_nn_flatten(), fa_nn_linear(512, 1000));
}

/* ---- rows ---- */

static fa_tensor *images(void)
{
    return bench_noise(FA_SHAPE(8, 3, 224, 224), 1);
}

static fa_optim *momentum(fa_module *net)
{
    return fa_optim_sgd(net, .lr = 0.001, .momentum = 0.9);
}

static void open_step(void)
{
    bench_train((bench_network){
        .x = images(),
        .y = fa_mul(fa_arange(0, 8, .dtype = FA_I64), 100),
        .net = resnet18(),
        .optimizer = momentum,
        .scale = 0.05,
        .autocast = FA_SAME,
    });
}

static fa_module *net;
static fa_tensor *x;

static void open_inference(void)
{
    net = fa_module_train(resnet18(), false);
    x = images();
}

static void infer(int64_t count)
{
    FA_USE(.no_grad = true);
    FA_REPEAT (count)
        fa_forward(net, x);
}

/* 1.814 G multiply-adds an image; gradients of weights and of inputs take as many each, but for the first layer's. */
#define RESNET_FLOP (2.0 * 8 * (3 * 1.814e9 - 118e6))

const bench_row bench_resnet[] = {
    {"resnet18_b8", BENCH_MILLISECONDS, 1.5, {.flop = RESNET_FLOP}, open_step, bench_train_steps},
    {"resnet18_memory", BENCH_MEGABYTES, 1.3, BENCH_NO_LIMIT, open_step, bench_train_steps},
    {"inference_memory", BENCH_MEGABYTES, 1.3, BENCH_NO_LIMIT, open_inference, infer},
    {0},
};
