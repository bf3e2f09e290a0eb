/* The network of examples/cifar10.c at its full size, with that example's settings, on CIFAR-10's records: the losses
 * of its first ten steps are PyTorch's (tests/reference/cifar.txt) within 1e-4, and so are the parameters behind them.
 * The records are no part of this repository: FACULA_CIFAR10 names the folder above cifar-10-batches-bin; without it,
 * shared/data beside the repository. */
#include "support/check.h"
#include "support/devices.h"
#include "support/reference.h"
#include "support/steps.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 10, BATCH = 64, RECORDS = 10000 };

static fa_module *network(void)
{
    return fa_nn_sequential(fa_nn_conv2d(3, 6, 5), fa_nn_relu(), fa_nn_max_pool2d(2), fa_nn_conv2d(6, 16, 5),
                            fa_nn_relu(), fa_nn_max_pool2d(2), fa_nn_flatten(), fa_nn_linear(16 * 5 * 5, 120),
                            fa_nn_relu(), fa_nn_linear(120, 84), fa_nn_relu(), fa_nn_linear(84, 10));
}

/* Gives the parameters the values that cifar.py gives them. */
static void load(const steps *r, fa_module *net)
{
    FA_USE(.no_grad = true);
    fa_parameters p = fa_module_parameters(net);
    double fan_in = 0;
    for (size_t i = 0; i < p.count; i++) {
        char text[64] = "(";
        for (int k = 0; k < fa_dim(p.item[i]); k++)
            sprintf(text + strlen(text), "%s%d", k ? "," : "", (int)fa_size(p.item[i], k));
        strcat(text, ")");
        if (fa_dim(p.item[i]) > 1)
            fan_in = (double)(fa_numel(p.item[i]) / fa_size(p.item[i], 0));
        fa_copy_(p.item[i], steps_made(r, text, (int)i, 0.5 / sqrt(fan_in)));
    }
}

/* The samples of the first ten steps, in the order that cifar.py has them in. */
static fa_dataset *chosen(const steps *r, fa_dataset *all)
{
    int64_t order[RECORDS];
    fa_tensor *made = steps_made_on(r, FA_CPU, "r(10000)", 100, 1);
    return fa_read(made, order, FA_I64, RECORDS) ? fa_data_subset(all, order, (int64_t)STEPS * BATCH) : NULL;
}

static void train(const char *folder, fa_device device)
{
    FA_SCOPE;
    steps r = {.name = "cifar", .dtype = FA_F32, .tolerance = 1e-4 / (1 + log(10)), .where = device};
    fa_transform *to_input = fa_transform_compose(
        fa_transform_to_tensor(), fa_transform_normalize(FA_LIST(0.5, 0.5, 0.5), FA_LIST(0.5, 0.5, 0.5)));
    fa_dataset *all = fa_data_cifar10(folder, .train = true, .transform = to_input);
    fa_loader *loader = fa_data_loader(chosen(&r, all), .batch_size = BATCH, .device = device);
    fa_module *net = fa_module_to(network(), device);
    load(&r, net);
    fa_optim *opt = fa_optim_sgd(net, .lr = 0.001, .momentum = 0.9);
    FA_EACH (batch, loader) {
        fa_optim_zero_grad(opt);
        fa_tensor *loss = fa_cross_entropy(fa_forward(net, batch.input), batch.target);
        fa_backward(loss);
        fa_optim_step(opt);
        r.step = (int)batch.index;
        steps_loss(&r, loss);
        printf("%s step %d: loss %.7f, %.1e from PyTorch's\n", fa_device_name(device), r.step, fa_item(loss),
               fabs(fa_item(loss) - steps_known_loss(&r)));
    }
    r.tolerance = 1e-6;
    fa_parameters p = fa_module_parameters(net);
    for (size_t i = 0; i < p.count; i++)
        steps_tensor(&r, "param", p.name[i], p.item[i]);
    check(r.step == STEPS - 1 && !fa_failed(), "all steps were made");
}

static bool has_records(const char *folder)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/cifar-10-batches-bin/data_batch_1.bin", folder);
    FILE *file = fopen(path, "rb");
    if (file)
        fclose(file);
    return file;
}

int main(void)
{
    const char *named = getenv("FACULA_CIFAR10"), *folder = named ? named : FA_TEST_DATA "/../../shared/data";
    if (!test_devices_there())
        return TEST_SKIPPED;
    if (!named && !has_records(folder)) {
        printf("skipped: there are no records of CIFAR-10 in %s\n", folder);
        return TEST_SKIPPED;
    }
    if (!steps_load("cifar.txt"))
        return check_end();
    const fa_device places[] = {FA_CPU, DEVICE(0)};
    for (int i = 0; i < 2; i++) {
        check_about("%s", fa_device_name(places[i]));
        train(folder, places[i]);
    }
    steps_free();
    return check_end();
}
