/* Rows of convolutions: the layers of the tour's network, and one of a residual network. */
#include "row.h"
#include <facula/facula.h>

static fa_tensor *x, *weight, *y, *gy;
static int64_t padding;

static void open_layer(int64_t images, int64_t in, int64_t out, int64_t size, int64_t kernel, int64_t pad)
{
    padding = pad;
    x = fa_randn(FA_SHAPE(images, in, size, size));
    weight = fa_randn(FA_SHAPE(out, in, kernel, kernel), .requires_grad = true);
    y = fa_conv2d(x, weight, .padding = padding);
    gy = fa_randn_like(y);
}

static void forward(int64_t count)
{
    FA_USE(.no_grad = true);
    FA_REPEAT (count)
        fa_conv2d(x, weight, .padding = padding);
}

/* The gradient by x is the transposed convolution. */
static void by_x(int64_t count)
{
    FA_USE(.no_grad = true);
    FA_REPEAT (count)
        fa_conv_transpose2d(gy, weight, .padding = padding);
}

static void by_weight(int64_t count)
{
    FA_REPEAT (count)
        fa_grad_of(FA_TENSORS(y), FA_TENSORS(weight), .grad_outputs = FA_TENSORS(gy), .retain_graph = true);
}

static void open_first(void)
{
    open_layer(64, 3, 6, 32, 5, 0);
}

static void open_second(void)
{
    open_layer(64, 6, 16, 14, 5, 0);
}

static void open_residual(void)
{
    open_layer(16, 64, 64, 56, 3, 1);
}

#define FLOP(images, in, out, result, kernel)                                                                          \
    {                                                                                                                  \
        .flop = 2.0 * (images) * (in) * (out) * (result) * (result) * (kernel) * (kernel)                              \
    }
#define FIRST FLOP(64, 3, 6, 28, 5)
#define SECOND FLOP(64, 6, 16, 10, 5)
#define RESIDUAL FLOP(16, 64, 64, 56, 3)
const bench_row bench_convolution[] = {
    {"conv_first", BENCH_GFLOPS, 4, FIRST, open_first, forward},
    {"conv_first_weight", BENCH_GFLOPS, 4, FIRST, open_first, by_weight},
    {"conv_second", BENCH_GFLOPS, 2.5, SECOND, open_second, forward},
    {"conv_second_weight", BENCH_GFLOPS, 2.5, SECOND, open_second, by_weight},
    {"conv_second_x", BENCH_GFLOPS, 2.5, SECOND, open_second, by_x},
    {"conv_residual", BENCH_GFLOPS, 1.5, RESIDUAL, open_residual, forward},
    {"conv_residual_weight", BENCH_GFLOPS, 1.5, RESIDUAL, open_residual, by_weight},
    {"conv_residual_x", BENCH_GFLOPS, 1.5, RESIDUAL, open_residual, by_x},
    {0},
};
