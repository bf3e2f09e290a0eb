/* Figures of a GPU, for scripts/test-gpu.sh: "gpu DEVICE" prints lines of a name and a number, which bench/gpu_peer.py
 * prints of PyTorch. "gpu DEVICE small" has sizes for the simulator of CUDA, where the numbers mean nothing. */
#define _POSIX_C_SOURCE 200809L
#include <facula/facula.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { ROUNDS = 5 };

static fa_device device;
static bool small;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void print(const char *name, double value)
{
    printf("%s\t%.4g\n", name, value);
    fflush(stdout);
}

/* The least of some rounds, in seconds for one call of `run`, the work on the device included; the first round is to
 * warm up. */
static double time_of(void (*run)(void *), void *with, int calls)
{
    double least = 1e30;
    for (int round = 0; round <= ROUNDS && !fa_failed(); round++) {
        FA_SCOPE;
        fa_synchronize(device);
        const double start = now();
        for (int i = 0; i < calls; i++)
            run(with);
        fa_synchronize(device);
        const double taken = (now() - start) / calls;
        if (round > 0 && taken < least)
            least = taken;
    }
    return least;
}

/* ---- what the host takes to issue a small operation, without its work ---- */
static void host_cost(void)
{
    FA_SCOPE;
    enum { CALLS = 256 };
    fa_tensor *a = fa_ones(FA_SHAPE(4), .device = device);
    double least = 1e30;
    for (int round = 0; round < 20; round++) {
        FA_SCOPE;
        fa_synchronize(device);
        const double start = now();
        for (int i = 0; i < CALLS; i++)
            fa_add(a, a);
        const double taken = (now() - start) / CALLS;
        least = taken < least ? taken : least;
    }
    print("add_host_us", least * 1e6);
}

/* ---- copies ---- */
typedef struct two {
    fa_tensor *to, *from;
} two;

static void copy(void *with)
{
    const two *t = with;
    fa_copy_(t->to, t->from);
}

static void copies(void)
{
    FA_SCOPE;
    const int64_t bytes = small ? 1 << 20 : 256 << 20;
    fa_tensor *host = fa_ones(FA_SHAPE(bytes / 4)), *there = fa_ones(FA_SHAPE(bytes / 4), .device = device);
    fa_tensor *other = fa_clone(there);
    print("copy_in_GB_s", (double)bytes / time_of(copy, &(two){there, host}, 1) * 1e-9);
    print("copy_out_GB_s", (double)bytes / time_of(copy, &(two){host, there}, 1) * 1e-9);
    print("copy_within_GB_s", 2 * (double)bytes / time_of(copy, &(two){other, there}, 4) * 1e-9);
}

/* ---- products ---- */
static void multiply(void *with)
{
    const two *t = with;
    FA_SCOPE;
    fa_matmul(t->to, t->from);
}

static void convolve(void *with)
{
    const two *t = with;
    FA_SCOPE;
    fa_conv2d(t->to, t->from, .padding = 1);
}

static void products(const char *name, fa_dtype dtype, bool tf32)
{
    FA_SCOPE;
    FA_USE(.tf32 = tf32);
    char text[40];
    const int64_t n = small ? 64 : 4096, images = small ? 1 : 64, channels = small ? 8 : 128, side = small ? 8 : 56;
    two t = {fa_to(fa_to(fa_randn(FA_SHAPE(n, n)), dtype), device),
             fa_to(fa_to(fa_randn(FA_SHAPE(n, n)), dtype), device)};
    snprintf(text, sizeof text, "gemm_%s_TFLOP_s", name);
    print(text, 2.0 * (double)(n * n * n) / time_of(multiply, &t, 4) * 1e-12);
    two c = {fa_to(fa_to(fa_randn(FA_SHAPE(images, channels, side, side)), dtype), device),
             fa_to(fa_to(fa_randn(FA_SHAPE(channels, channels, 3, 3)), dtype), device)};
    const double work = 2.0 * 9 * (double)(images * side * side * channels * channels);
    snprintf(text, sizeof text, "conv_%s_TFLOP_s", name);
    print(text, work / time_of(convolve, &c, 4) * 1e-12);
}

/* ---- a step of training ---- */
typedef struct training {
    fa_module *net;
    fa_optim *optimizer;
    fa_tensor *x, *y;
    fa_graph *graph;
} training;

static void step(void *with)
{
    const training *t = with;
    FA_SCOPE;
    fa_optim_zero_grad(t->optimizer);
    fa_backward(fa_cross_entropy(fa_forward(t->net, t->x), t->y));
    fa_optim_step(t->optimizer);
}

static void replay(void *with)
{
    const training *t = with;
    fa_graph_replay(t->graph);
}

static void train(int64_t images)
{
    FA_SCOPE;
    char text[40];
    fa_module *net = fa_nn_sequential(fa_nn_conv2d(3, 6, 5), fa_nn_relu(), fa_nn_max_pool2d(2), fa_nn_conv2d(6, 16, 5),
                                      fa_nn_relu(), fa_nn_max_pool2d(2), fa_nn_flatten(), fa_nn_linear(16 * 5 * 5, 120),
                                      fa_nn_relu(), fa_nn_linear(120, 84), fa_nn_relu(), fa_nn_linear(84, 10));
    fa_module_to(net, device);
    training t = {.net = net,
                  .optimizer = fa_optim_sgd(net, .lr = 0.001, .momentum = 0.9),
                  .x = fa_to(fa_randn(FA_SHAPE(images, 3, 32, 32)), device),
                  .y = fa_zeros(FA_SHAPE(images), .dtype = FA_I64, .device = device),
                  .graph = fa_graph_new(device)};
    const int calls = small ? 1 : 20;
    snprintf(text, sizeof text, "cnn_%d_us", (int)images);
    print(text, time_of(step, &t, calls) * 1e6);
    FA_RECORD(t.graph)
    step(&t);
    snprintf(text, sizeof text, "cnn_%d_replay_us", (int)images);
    print(text, time_of(replay, &t, calls) * 1e6);
}

int main(int count, char **argument)
{
    device = fa_device_of(count > 1 ? argument[1] : "cuda:0");
    small = count > 2 && !strcmp(argument[2], "small");
    if (!fa_failed()) {
        host_cost();
        copies();
        products("f32", FA_F32, false);
        products("tf32", FA_F32, true);
        products("f16", FA_F16, false);
        products("bf16", FA_BF16, false);
        train(small ? 2 : 64);
        train(small ? 4 : 1024);
    }
    if (fa_failed())
        fprintf(stderr, "gpu: %s\n", fa_error_message());
    return fa_failed();
}
