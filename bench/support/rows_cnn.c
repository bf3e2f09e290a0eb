/* Rows of the tour's convolutional network: a step of training with momentum, for several sizes of a batch. */
#include "row.h"
#include <facula/facula.h>

static fa_tensor *x, *y;
static fa_module *net;
static fa_optim *optim;

/* The same numbers as peer.py has. */
static fa_tensor *wave(fa_shape shape, double scale)
{
    int64_t count = 1;
    for (int i = 0; i < shape.rank; i++)
        count *= shape.dim[i];
    fa_tensor *at = fa_mul(fa_arange(0, (double)count, .dtype = FA_F64), 1.3);
    return fa_reshape(fa_to(fa_mul(fa_sin(at), scale), FA_F32), shape);
}

static void set_parameters(void)
{
    FA_SCOPE;
    FA_USE(.no_grad = true);
    fa_parameters p = fa_module_parameters(net);
    for (size_t i = 0; i < p.count; i++) {
        fa_shape shape = {fa_dim(p.item[i]), {0}};
        for (int d = 0; d < shape.rank; d++)
            shape.dim[d] = fa_size(p.item[i], d);
        fa_copy_(p.item[i], wave(shape, 0.1));
    }
}

static fa_optim *momentum(void)
{
    return fa_optim_sgd(net, .lr = 0.001, .momentum = 0.9);
}

static fa_tensor *step_with(fa_optim *with)
{
    fa_optim_zero_grad(with);
    fa_tensor *loss = fa_cross_entropy(fa_forward(net, x), y);
    fa_backward(loss);
    fa_optim_step(with);
    return loss;
}

static void step(int64_t count)
{
    FA_REPEAT (count)
        step_with(optim);
}

static void step_bf16(int64_t count)
{
    FA_REPEAT (count) {
        fa_optim_zero_grad(optim);
        fa_tensor *loss = NULL;
        {
            FA_USE(.autocast = FA_BF16);
            loss = fa_cross_entropy(fa_forward(net, x), y);
        }
        fa_backward(loss);
        fa_optim_step(optim);
    }
}

/* The loss of the last of five steps from the first weights. */
static double last_loss(void)
{
    FA_SCOPE;
    set_parameters();
    fa_optim *fresh = momentum();
    double loss = 0;
    for (int i = 0; i < 5; i++) {
        FA_SCOPE;
        loss = fa_item(step_with(fresh));
    }
    return loss;
}

static void open_cnn(int64_t images)
{
    x = wave(FA_SHAPE(images, 3, 32, 32), 1);
    y = fa_remainder(fa_arange(0, (double)images, .dtype = FA_I64), 10);
    net = fa_nn_sequential(fa_nn_conv2d(3, 6, 5), fa_nn_relu(), fa_nn_max_pool2d(2), fa_nn_conv2d(6, 16, 5),
                           fa_nn_relu(), fa_nn_max_pool2d(2), fa_nn_flatten(), fa_nn_linear(16 * 5 * 5, 120),
                           fa_nn_relu(), fa_nn_linear(120, 84), fa_nn_relu(), fa_nn_linear(84, 10));
    set_parameters();
    optim = momentum();
    bench_check_by(last_loss);
}

static void open_4(void)
{
    open_cnn(4);
}

static void open_64(void)
{
    open_cnn(64);
}

static void open_256(void)
{
    open_cnn(256);
}

/* Each layer forward and for its weights, all but the first also for its input. */
#define CNN_FLOP(images)                                                                                               \
    (2.0 * (images) * (2 * 6 * 28 * 28 * 75 + 3 * 16 * 10 * 10 * 150 + 3 * (400 * 120 + 120 * 84 + 84 * 10)))

const bench_row bench_cnn[] = {
    {"cnn_b4", BENCH_MICROSECONDS, 8, {.flop = CNN_FLOP(4)}, open_4, step},
    {"cnn_b64", BENCH_MICROSECONDS, 5, {.flop = CNN_FLOP(64)}, open_64, step},
    {"cnn_b64_bf16", BENCH_MICROSECONDS, 1, BENCH_NO_LIMIT, open_64, step_bf16},
    {"cnn_b256", BENCH_MICROSECONDS, 4, {.flop = CNN_FLOP(256)}, open_256, step},
    {0},
};
