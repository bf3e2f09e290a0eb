/* Rows of the tour's convolutional network: a step of training with momentum, for several sizes of a batch. */
#include "network.h"
#include "row.h"

static fa_optim *momentum(fa_module *net)
{
    return fa_optim_sgd(net, .lr = 0.001, .momentum = 0.9);
}

bench_network bench_cnn_network(int64_t images)
{
    return (bench_network){
        .x = bench_noise(FA_SHAPE(images, 3, 32, 32), 1),
        .y = fa_remainder(fa_arange(0, (double)images, .dtype = FA_I64), 10),
        .net = fa_nn_sequential(fa_nn_conv2d(3, 6, 5), fa_nn_relu(), fa_nn_max_pool2d(2), fa_nn_conv2d(6, 16, 5),
                                fa_nn_relu(), fa_nn_max_pool2d(2), fa_nn_flatten(), fa_nn_linear(16 * 5 * 5, 120),
                                fa_nn_relu(), fa_nn_linear(120, 84), fa_nn_relu(), fa_nn_linear(84, 10)),
        .optimizer = momentum,
        .scale = 0.1,
        .autocast = FA_SAME,
    };
}

static void open_cnn(int64_t images, fa_dtype autocast)
{
    bench_network n = bench_cnn_network(images);
    n.autocast = autocast;
    bench_train(n);
}

static void open_4(void)
{
    open_cnn(4, FA_SAME);
}

static void open_graph(void)
{
    open_4();
    bench_record(bench_train_steps);
}

static void open_64(void)
{
    open_cnn(64, FA_SAME);
}

static void open_64_bf16(void)
{
    open_cnn(64, FA_BF16);
}

static void open_64_f16(void)
{
    open_cnn(64, FA_F16);
}

static void open_256(void)
{
    open_cnn(256, FA_SAME);
}

/* Each layer forward and for its weights, all but the first also for its input. */
#define CNN_FLOP(images)                                                                                               \
    (2.0 * (images) * (2 * 6 * 28 * 28 * 75 + 3 * 16 * 10 * 10 * 150 + 3 * (400 * 120 + 120 * 84 + 84 * 10)))

const bench_row bench_cnn[] = {
    {"cnn_b4", BENCH_MICROSECONDS, 8, {.flop = CNN_FLOP(4)}, open_4, bench_train_steps},
    {"cnn_graph_b4", BENCH_MICROSECONDS, 8, {.flop = CNN_FLOP(4)}, open_graph, bench_replay},
    {"cnn_b64", BENCH_MICROSECONDS, 5, {.flop = CNN_FLOP(64)}, open_64, bench_train_steps},
    {"cnn_b64_bf16", BENCH_MICROSECONDS, 1, BENCH_NO_LIMIT, open_64_bf16, bench_train_steps},
    {"cnn_b64_f16", BENCH_MICROSECONDS, 1, BENCH_NO_LIMIT, open_64_f16, bench_train_steps},
    {"cnn_b256", BENCH_MICROSECONDS, 4, {.flop = CNN_FLOP(256)}, open_256, bench_train_steps},
    {0},
};
