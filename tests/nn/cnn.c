/* Small convolutional networks, ten steps each, held against PyTorch's: losses, gradients, parameters and
 * running statistics (tests/reference/cnn.txt, which is in f64), by SGD with momentum and by Adam, in f64 and f32, on
 * the CPU and on devices. */
#include "support/check.h"
#include "support/devices.h"
#include "support/steps.h"
#include <stdio.h>
#include <string.h>

enum { STEPS = 10 };

static fa_module *normed(void)
{
    return fa_nn_sequential(fa_nn_conv2d(3, 4, 3, .padding = 1, .bias = false), fa_nn_batch_norm2d(4), fa_nn_relu(),
                            fa_nn_max_pool2d(2), fa_nn_conv2d(4, 6, 3, .stride = 2, .padding = 1, .groups = 2),
                            fa_nn_relu(), fa_nn_flatten(), fa_nn_linear(24, 5));
}

static fa_module *tour(void)
{
    return fa_nn_sequential(fa_nn_conv2d(3, 6, 5), fa_nn_relu(), fa_nn_max_pool2d(2), fa_nn_conv2d(6, 16, 3),
                            fa_nn_relu(), fa_nn_max_pool2d(2), fa_nn_flatten(), fa_nn_linear(16 * 2 * 2, 24),
                            fa_nn_relu(), fa_nn_linear(24, 12), fa_nn_relu(), fa_nn_linear(12, 5));
}

static fa_optim *sgd(fa_module *net)
{
    return fa_optim_sgd(net, .lr = 0.02, .momentum = 0.9);
}

static fa_optim *adam(fa_module *net)
{
    return fa_optim_adam(net, .lr = 0.002);
}

/* Whether a parameter is one that cnn.py makes: those of normalisations begin as they do. */
static bool is_made(const fa_module *net, const char *name, const fa_tensor *p)
{
    char layer[16];
    snprintf(layer, sizeof layer, "%.*s", (int)strcspn(name, "."), name);
    return fa_dim(p) > 1 || strcmp(fa_module_kind(fa_module_child(net, layer)), "batch_norm2d") != 0;
}

/* Gives the parameters the values that PyTorch's had. */
static void load(const steps *r, fa_module *net)
{
    FA_USE(.no_grad = true);
    fa_parameters p = fa_module_parameters(net);
    for (size_t i = 0; i < p.count; i++) {
        char text[64] = "(";
        for (int k = 0; k < fa_dim(p.item[i]); k++)
            sprintf(text + strlen(text), "%s%d", k ? "," : "", (int)fa_size(p.item[i], k));
        strcat(text, ")");
        if (is_made(net, p.name[i], p.item[i]))
            fa_copy_(p.item[i], steps_made(r, text, (int)i, 0.25));
    }
}

static void hold(const steps *r, fa_module *net)
{
    fa_parameters p = fa_module_parameters(net), b = fa_module_buffers(net);
    for (size_t i = 0; i < p.count; i++) {
        steps_tensor(r, "grad", p.name[i], fa_grad(p.item[i]));
        steps_tensor(r, "param", p.name[i], p.item[i]);
    }
    for (size_t i = 0; i < b.count; i++)
        if (fa_tensor_dtype(b.item[i]) == r->dtype)
            steps_tensor(r, "buffer", b.name[i], b.item[i]);
}

static void train(steps *r, fa_module *net, int size, fa_optim *(*optimizer)(fa_module *))
{
    fa_module_to(net, r->dtype);
    fa_module_to(net, r->where);
    load(r, net);
    fa_optim *opt = optimizer(net);
    for (r->step = 0; r->step < STEPS; r->step++) {
        FA_SCOPE;
        char text[32];
        snprintf(text, sizeof text, "(8,3,%d,%d)", size, size);
        fa_tensor *x = steps_made(r, text, 100 + r->step, 1), *target = steps_made(r, "i(8)<5", 200 + r->step, 1);
        fa_optim_zero_grad(opt);
        fa_tensor *loss = fa_cross_entropy(fa_forward(net, x), target);
        fa_backward(loss);
        fa_optim_step(opt);
        steps_loss(r, loss);
        hold(r, net);
    }
}

int main(void)
{
    static const struct {
        const char *name;
        fa_module *(*net)(void);
        int size;
        fa_optim *(*optimizer)(fa_module *);
    } runs[] = {{"normed_sgd", normed, 8, sgd},
                {"normed_adam", normed, 8, adam},
                {"tour_sgd", tour, 16, sgd},
                {"tour_adam", tour, 16, adam}};
    if (!test_devices_there())
        return TEST_SKIPPED;
    const fa_device places[] = {FA_CPU, DEVICE(0), DEVICE(1)};
    const fa_dtype dtypes[] = {FA_F64, FA_F32};
    if (!steps_load("cnn.txt"))
        return check_end();
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++)
        for (int place = 0; place < 3; place++)
            for (int d = 0; d < 2; d++) {
                FA_SCOPE;
                steps r = {.name = runs[i].name, .dtype = dtypes[d], .where = places[place]};
                check_about("%s %s %s", r.name, fa_dtype_name(r.dtype), fa_device_name(r.where));
                train(&r, runs[i].net(), runs[i].size, runs[i].optimizer);
            }
    steps_free();
    return check_end();
}
