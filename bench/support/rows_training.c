/* Rows that train: a linear regression by hand and by autograd, and a network of two layers. */
#include "network.h"
#include "row.h"
#include <facula/facula.h>

static fa_tensor *x, *y, *w;
static fa_module *net;
static fa_optim *optim;
static fa_scaler *scaler;

/* ---- linear regression: 100 samples of 10 numbers ---- */

static void open_manual(void)
{
    x = fa_randn(FA_SHAPE(100, 10));
    y = fa_randn(FA_SHAPE(100, 1));
    w = fa_zeros(FA_SHAPE(10, 1));
}

static void manual(int64_t count)
{
    FA_REPEAT (count) {
        fa_tensor *error = fa_sub(fa_matmul(x, w), y);
        fa_tensor *grad = fa_div(fa_matmul(fa_t(x), error), fa_size(x, 0));
        fa_sub_(w, fa_mul(grad, 0.01));
    }
}

static void open_step(void)
{
    open_manual();
    fa_set_requires_grad(w, true);
    optim = fa_optim_sgd(fa_params(w), .lr = 0.01);
}

static void step(int64_t count)
{
    FA_REPEAT (count) {
        fa_optim_zero_grad(optim);
        fa_backward(fa_mean(fa_pow(fa_sub(fa_matmul(x, w), y), 2)));
        fa_optim_step(optim);
    }
}

static void open_graph(void)
{
    open_step();
    bench_record(step);
}

/* ---- 784-128-10, cross entropy, 64 samples ---- */

static void open_mlp(void)
{
    x = fa_randn(FA_SHAPE(64, 784));
    y = fa_to(fa_mul(fa_rand(FA_SHAPE(64)), 10), FA_I64);
    fa_module *first = fa_nn_linear(784, 128), *last = fa_nn_linear(128, 10);
    net = fa_nn_sequential(first, fa_nn_relu(), last);
}

static void open_mlp_sgd(void)
{
    open_mlp();
    optim = fa_optim_sgd(net, .lr = 0.01);
}

static void open_mlp_adam(void)
{
    open_mlp();
    optim = fa_optim_adam(net, .lr = 0.001);
}

static void mlp_step(int64_t count)
{
    FA_REPEAT (count) {
        fa_optim_zero_grad(optim);
        fa_backward(fa_cross_entropy(fa_forward(net, x), y));
        fa_optim_step(optim);
    }
}

static void open_mlp_graph(void)
{
    open_mlp_sgd();
    bench_record(mlp_step);
}

/* The forward pass under autocast; its backward pass uses the same dtypes. */
static void mlp_bf16_step(int64_t count)
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

static void open_mlp_f16(void)
{
    open_mlp_sgd();
    scaler = fa_amp_scaler();
}

/* The same in f16, with a scaler. */
static void mlp_f16_step(int64_t count)
{
    FA_REPEAT (count) {
        fa_optim_zero_grad(optim);
        fa_tensor *loss = NULL;
        {
            FA_USE(.autocast = FA_F16);
            loss = fa_cross_entropy(fa_forward(net, x), y);
        }
        fa_backward(fa_scaler_scale(scaler, loss));
        fa_scaler_step(scaler, optim);
        fa_scaler_update(scaler);
    }
}

/* The first layer's product forward and for its weights, the second layer's also for its input. */
#define MLP_FLOP (2.0 * 64 * (2 * 784 * 128 + 3 * 128 * 10))
#define MLP_PARAMETERS (4.0 * (784 * 128 + 128 + 128 * 10 + 10))

const bench_row bench_training[] = {
    {"linreg_manual", BENCH_MICROSECONDS, 8, BENCH_NO_LIMIT, open_manual, manual},
    {"linreg_step", BENCH_MICROSECONDS, 18, BENCH_NO_LIMIT, open_step, step},
    {"linreg_graph", BENCH_MICROSECONDS, 18, BENCH_NO_LIMIT, open_graph, bench_replay},
    {"mlp_step", BENCH_MICROSECONDS, 3.2, {.flop = MLP_FLOP, .add = 3 * MLP_PARAMETERS}, open_mlp_sgd, mlp_step},
    {"mlp_graph", BENCH_MICROSECONDS, 3.2, {.flop = MLP_FLOP, .add = 3 * MLP_PARAMETERS}, open_mlp_graph, bench_replay},
    {"mlp_adam_step", BENCH_MICROSECONDS, 4, {.flop = MLP_FLOP, .add = 7 * MLP_PARAMETERS}, open_mlp_adam, mlp_step},
    {"mlp_bf16_step", BENCH_MICROSECONDS, 2, BENCH_NO_LIMIT, open_mlp_sgd, mlp_bf16_step},
    {"mlp_f16_step", BENCH_MICROSECONDS, 2, BENCH_NO_LIMIT, open_mlp_f16, mlp_f16_step},
    {0},
};
